"""The prompt for an order."""

import re
from collections.abc import Sequence

from fireplan import table
from fireplan.analysis import OrderOdds, percent
from fireplan.cli.prompt.commands import Commands
from fireplan.cli.prompt.order_figures import OrderFigures
from fireplan.cli.prompt.shared_keyboard import SharedKeyboard
from fireplan.cli.prompt.terminal import SHOWN, Terminal
from fireplan.errors import InputError

NUMBER = re.compile("[0-9]{1,9}")
"""The number of an order in the list."""
_VALUE = re.compile(r'(\w+)=((?:"[^"]*"|\S)+)')
"""A value of an order in full, with its name."""


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
        others: dict[str, list[table.OrderSeen]] = {}
        for order in form.orders:
            if not order.refusal and first.setdefault(order.verb, order) is not order:
                others.setdefault(order.verb, []).append(order)
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
        self, number: int, order: table.OrderSeen, odds: OrderOdds, others: list[table.OrderSeen]
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
            texts = [other.text.partition(" ")[2] for other in others]
            lines.append(f"      or {other_forms(order.text, [other.text for other in others])}")
            lines += self._figures.best_of(odds, order, texts)
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


def other_forms(order: str, others: Sequence[str]) -> str:
    """Return the values in which other orders of a verb differ from an order, in words.

    If one value differs, its name is given once, as in ``with target infantry or patrol``.
    """
    rest = len(others) - SHOWN
    more = f" or one of {rest} more" if rest > 0 else ""
    values = [_values(text) for text in (order, *others)]
    names = [*values[0]]
    different = [name for name in names if len({each.get(name) for each in values}) > 1]
    if len(different) == 1 and all([*each] == names for each in values):
        (name,) = different
        shown = [each[name] for each in values[1 : SHOWN + 1]]
        *ahead, last = shown
        listed = f"{', '.join(ahead)} or {last}" if ahead and not more else ", ".join(shown)
        return f"with {name.replace('_', ' ')} {listed}{more}"
    shown = [
        " ".join(f"{name.replace('_', ' ')} {each[name]}" for name in different if name in each)
        for each in values[1 : SHOWN + 1]
    ]
    return f"with {'; '.join(shown)}{more}"


def _values(order: str) -> dict[str, str]:
    """Return the values of an order in full, by name."""
    return dict(_VALUE.findall(order.partition(" ")[2]))


def prospect_line(prospect: table.Prospect) -> str:
    """Return a possible result of a roll in words, with its chance."""
    return f"{prospect.reached}: {prospect.what} ({percent(prospect.chance)})"
