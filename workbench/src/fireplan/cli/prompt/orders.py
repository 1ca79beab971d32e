"""The prompt for an order."""

import re

from fireplan import table
from fireplan.analysis import OrderOdds, percent
from fireplan.cli.prompt.commands import Commands
from fireplan.cli.prompt.order_figures import OrderFigures
from fireplan.cli.prompt.shared_keyboard import SharedKeyboard
from fireplan.cli.prompt.terminal import SHOWN, Terminal
from fireplan.errors import InputError

NUMBER = re.compile("[0-9]{1,9}")
"""The number of an order in the list."""


class OrderPrompt:
    """Lists the orders of the side at the keyboard, and asks for one."""

    def __init__(
        self,
        session: table.Session,
        terminal: Terminal,
        keyboard: SharedKeyboard,
        figures: OrderFigures,
        commands: Commands,
    ) -> None:
        self._session, self._terminal, self._keyboard = session, terminal, keyboard
        self._figures, self._commands = figures, commands

    def ask(self) -> None:
        """Ask the side for an order until one is accepted."""
        waits = self._session.table.waits_for
        form = self._keyboard.viewer.form()
        numbered = self._listed(form)
        possible = tuple(order.text for order in form.orders if not order.refusal)
        while self._session.table.waits_for is waits:
            line = self._commands.line("order: ", possible)
            if line is not None:
                self._answer(line, form, numbered)

    def _listed(self, form: table.Prompt) -> list[table.OrderSeen]:
        """Print the legal orders, numbering one for each verb; return the numbered orders."""
        first: dict[str, table.OrderSeen] = {}
        others: dict[str, list[str]] = {}
        for order in form.orders:
            if not order.refusal and first.setdefault(order.verb, order) is not order:
                others.setdefault(order.verb, []).append(order.text.partition(" ")[2])
        self._terminal.say(f"\n{table.side_name(form.who)}: {form.question}")
        odds = self._figures.beside(form)
        if heading := self._figures.heading(odds):
            self._terminal.say(heading)
        lines = [
            self._listing(number, order, odds, others.get(order.verb, []))
            for number, order in enumerate(first.values(), start=1)
        ]
        refused = sorted({order.verb for order in form.orders if order.refusal} - first.keys())
        if refused:
            verbs = ", ".join(verb.replace("_", " ") for verb in refused)
            lines.append(f"      not now: {verbs} ('why' shows the rules)")
        self._terminal.some(lines)
        return list(first.values())

    def _listing(
        self, number: int, order: table.OrderSeen, odds: OrderOdds, others: list[str]
    ) -> str:
        """Return an order as it is listed, with its prospects and its other forms below it."""
        star = "*" if order.standard else " "
        figure = self._figures.figure(odds, order.text)
        typed = "" if order.text.casefold() == order.words.casefold() else f"; {order.text}"
        lines = [f" {star}{number:2d}. {figure}{order.words} [{order.cite}{typed}]"]
        if order.prospects:
            more = f"; {len(order.prospects) - SHOWN} more" * (len(order.prospects) > SHOWN)
            results = "; ".join(map(prospect_line, order.prospects[:SHOWN]))
            lines.append(f"      {order.roll}: {results}{more}")
        if others:
            more = " ..." if len(others) > SHOWN else ""
            lines.append(f"      or with {', '.join(others[:SHOWN])}{more}")
            lines += self._figures.best_of(odds, order, others)
        return "\n".join(lines)

    def _answer(self, line: str, form: table.Prompt, numbered: list[table.OrderSeen]) -> None:
        """Give the order that a line stands for; an empty line gives the standard order."""
        text = line or next((order.text for order in form.orders if order.standard), "")
        if NUMBER.fullmatch(text):
            if not 0 < int(text) <= len(numbered):
                self._terminal.reply(
                    f"there is no order {text}: give 1 to {len(numbered)}, or an order in full"
                )
                return
            text = numbered[int(text) - 1].text
        viewer = self._keyboard.viewer
        try:
            refusal = viewer.give(viewer.read_order(text))
        except InputError as error:
            self._terminal.reply(error)
            return
        if refusal is None:
            self._keyboard.news(spare=True)
        else:
            self._terminal.reply(f"refused: {refusal}")


def prospect_line(prospect: table.Prospect) -> str:
    """Return a possible result of a roll in words, with its chance."""
    return f"{prospect.reached}: {prospect.what} ({percent(prospect.chance)})"
