"""The prompt for an order."""

import re
from collections.abc import Iterator, Mapping, Sequence

from fireplan import table
from fireplan.analysis import OrderOdds, percent
from fireplan.cli.prompt.commands import Commands
from fireplan.cli.prompt.order_figures import OrderFigures
from fireplan.cli.prompt.shared_keyboard import SharedKeyboard
from fireplan.cli.prompt.terminal import RESULTS, SHOWN, Terminal
from fireplan.errors import InputError
from fireplan_core import FINAL
from fireplan_core.mission import Stage

NUMBER = re.compile("[0-9]{1,9}")
"""The number of an order in the list."""
_VALUE = re.compile(r'(\w+)=((?:"[^"]*"|\S)+)')
"""A value of an order in full, with its name."""
_RULES = re.compile(r" \([^()]*\)$")
"""Matches the rules in brackets after a modifier, which are already listed with the roll."""


class OrderPrompt:
    """The prompt that lists the orders of the side at the keyboard, and asks for one."""

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
        self._told: set[str] = set()
        """The sides that have been told that fire can achieve nothing more."""
        self._deserted: set[str] = set()
        """The assets whose owners have been told that no enemy is seen at their targets."""

    def ask(self) -> None:
        """Ask the side for an order until one is accepted."""
        waits = self._session.table.waits_for
        form = self._keyboard.viewer.form()
        odds = self._figures.beside(form)
        self._remark(odds)
        numbered = self._listed(form, odds)
        possible = tuple(order.text for order in form.orders if not order.refusal)
        while self._session.table.waits_for is waits:
            line = self._commands.line("order: ", possible)
            if line is not None:
                self._answer(line, form, numbered, odds)

    def _remark(self, odds: OrderOdds) -> None:
        """Print once that fire can achieve nothing more, and how to play on to the end.

        Before that, print once for each asset that no enemy is seen at its target, unless no fire
        can fall any more.
        """
        side, situation = self._keyboard.side, self._keyboard.viewer.situation()
        if side in self._told:
            return
        if why := settled(self._session, side, situation):
            self._told.add(side)
            self._terminal.say(f"\n{why}: 'end' plays on to the end with standard orders")
            return
        falls = [chances["falls"] for chances in odds.after.values() if "falls" in chances]
        if falls and not any(chance.share or chance.error for chance in falls):
            return
        for asset in situation.assets:
            if asset.target is None or asset.name in self._deserted or not asset.deserted:
                continue
            self._deserted.add(asset.name)
            name = self._keyboard.viewer.words.asset(asset.name).removeprefix("the ")
            self._terminal.say(
                f"\n{name}: no enemy is seen at {asset.target.label} any more; "
                "standard orders aim there all the same"
            )

    def _listed(self, form: table.Prompt, odds: OrderOdds) -> list[table.OrderSeen]:
        """Print the legal orders, numbering one for each verb; return the numbered orders."""
        first: dict[str, table.OrderSeen] = {}
        others: dict[str, list[table.OrderSeen]] = {}
        for order in form.orders:
            if not order.refusal and first.setdefault(order.verb, order) is not order:
                others.setdefault(order.verb, []).append(order)
        self._terminal.say(f"\n{table.side_name(form.who)}: {form.question}")
        texts = [order.text for order in first.values()]
        if heading := self._figures.heading(odds, texts):
            self._terminal.say(heading)
        if self._figures.equal(odds, texts):
            odds = OrderOdds({})
        lines = [
            self._listing(number, order, form, odds, others.get(order.verb, []))
            for number, order in enumerate(first.values(), start=1)
        ]
        asked = {order.verb for order in form.orders} | {slot.verb for slot in form.slots}
        refused = sorted(asked - first.keys())
        # Only the suggested places were tried; others may be allowed.
        placed = {slot.verb for slot in form.slots if slot.free and slot.place}
        for why, verbs in (
            (
                "not at the places listed, but perhaps at another that you type",
                [v for v in refused if v in placed],
            ),
            ("not now", [v for v in refused if v not in placed]),
        ):
            if verbs:
                named = ", ".join(map(self._keyboard.viewer.words.verb_name, verbs))
                lines.append(f"      {why}: {named} ('why' shows the rules)")
        self._terminal.some(lines, list(_values_left_out(form, first, others)))
        return list(first.values())

    def _listing(
        self,
        number: int,
        order: table.OrderSeen,
        form: table.Prompt,
        odds: OrderOdds,
        others: list[table.OrderSeen],
    ) -> str:
        """Return an order as it is listed, with its prospects and its other forms below it."""
        star = "*" if order.standard else " "
        figure = self._figures.figure(odds, order.text)
        short = shortest(order, form.slots)
        typed = "" if short.casefold() == order.words.casefold() else f"; {short}"
        lines = [f" {star}{number:2d}. {figure}{order.words} [{order.cite}{typed}]"]
        if order.prospects:
            more = f"; {len(order.prospects) - RESULTS} more" * (len(order.prospects) > RESULTS)
            results = "; ".join(map(prospect_line, order.prospects[:RESULTS]))
            modifiers = ", ".join(
                _RULES.sub("", each) for each in table.modifiers_of(order.prospects)
            )
            reach = table.number_of(order.prospects)
            counted = f"{reach}: {modifiers}" if reach else f"with {modifiers}"
            roll = f"{order.roll}, {counted}" if modifiers else order.roll
            certain = table.certain_of(order.prospects)
            always = f"; in any case: {certain}" if certain else ""
            lines.append(f"      {roll}: {results}{more}{always}")
        if others:
            texts = [other.text for other in others]
            lines.append(
                f"      or {other_forms(order.text, texts)}{_meanings(order, texts, form)}"
            )
            best = self._figures.best_of(odds, order.text, texts)
            lines += [
                f"      best of these: {self._figures.figure(odds, best)}"
                f"{shortest(other, form.slots).partition(' ')[2]}"
                for other in others
                if other.text == best
            ]
        lines += [
            f"      or at another place, typed like {short} ({slot.name}: {slot.meaning})"
            for slot in form.slots
            if slot.verb == order.verb and slot.free and slot.place
        ]
        return "\n".join(lines)

    def _answer(
        self, line: str, form: table.Prompt, numbered: list[table.OrderSeen], odds: OrderOdds
    ) -> None:
        """Give the order written in a line; an empty line gives the standard order."""
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
            order = viewer.read_order(text)
            usual = next((seen.text for seen in numbered if seen.verb == order.verb), "")
            danger = self._figures.danger(odds, text, usual)
            refusal = viewer.give(order)
        except InputError as error:
            self._terminal.reply(error)
            return
        if refusal is None:
            self._keyboard.news(spare=True)
            if danger:
                self._terminal.say(f"  {danger}")
        else:
            self._terminal.reply(f"refused: {refusal}")


def settled(session: table.Session, side: str, situation: table.TableSituation) -> str:
    """Return the reason why fire can achieve nothing more, as far as a side knows, or ""."""
    scenario = session.scenario
    silent = {
        asset.name
        for asset in situation.assets
        if asset.stage == Stage.ENDED.value and asset.reason in {each.value for each in FINAL}
    }
    enemies = {name for name in scenario.units if scenario.owner(name) != side}
    lost = {unit.name for unit in situation.units if unit.destroyed}
    if any(scenario.owner(name) == side for name in scenario.missions):
        if scenario.missions.keys() <= silent:
            return "No asset can fire any more"
        if enemies and enemies <= lost:
            return "Every unit of the other side is out of action"
    return ""


def shortest(order: table.OrderSeen, slots: Sequence[table.SlotSeen]) -> str:
    """Return an order as it may be typed, without values that have no alternative."""
    alone = {slot.name for slot in slots if slot.verb == order.verb and slot.may_be_left_out}
    values = [f"{name}={value}" for name, value in _values(order.text).items() if name not in alone]
    return " ".join([order.verb, *values])


def _values_left_out(
    form: table.Prompt,
    first: Mapping[str, table.OrderSeen],
    others: Mapping[str, Sequence[table.OrderSeen]],
) -> Iterator[str]:
    """Yield a line with the possible values of each slot, for orders with unlisted forms."""
    for number, verb in enumerate(first, start=1):
        if len(others.get(verb, ())) <= SHOWN:
            continue
        refused = [order.text for order in form.orders if order.refusal and order.verb == verb]
        slots = [slot for slot in form.slots if slot.verb == verb and not slot.may_be_left_out]
        for slot in slots:
            wrong = {_values(text).get(slot.name) for text in refused if len(slots) == 1}
            values = ", ".join(value for value in slot.candidates if value not in wrong)
            yield f"  {number}. {slot.name.replace('_', ' ')}: {values}"


def other_forms(order: str, others: Sequence[str]) -> str:
    """Return the values in which other orders of a verb differ from an order, in words.

    If only one value differs, its name appears once, as in ``with target infantry or patrol``, or
    ``at K4 or L4``.
    """
    rest = len(others) - SHOWN
    more = f" or {rest} more ('more' lists all)" if rest > 0 else ""
    values = [_values(text) for text in (order, *others)]
    names = [*values[0]]
    different = [name for name in names if len({each.get(name) for each in values}) > 1]
    if len(different) == 1 and all([*each] == names for each in values):
        (name,) = different
        shown = [each[name] for each in values[1 : SHOWN + 1]]
        *ahead, last = shown
        listed = f"{', '.join(ahead)} or {last}" if ahead and not more else ", ".join(shown)
        named = name if name in table.PREPOSITIONS else f"with {name.replace('_', ' ')}"
        return f"{named} {listed}{more}"
    shown = [
        " ".join(f"{name}={each[name]}" for name in different if name in each)
        for each in values[1 : SHOWN + 1]
    ]
    return f"with {'; '.join(shown)}{more}"


def _meanings(order: table.OrderSeen, others: Sequence[str], form: table.Prompt) -> str:
    """Return the meanings of the slots in which an order's forms differ, or "" if only one does."""
    values = [_values(text) for text in (order.text, *others)]
    slots = [
        slot
        for slot in form.slots
        if slot.verb == order.verb and len({each.get(slot.name) for each in values}) > 1
    ]
    meanings = "; ".join(f"{slot.name}: {slot.meaning}" for slot in slots)
    return f" ({meanings})" if len(slots) > 1 else ""


def _values(order: str) -> dict[str, str]:
    """Return the values in the text of an order by the names of their slots."""
    return dict(_VALUE.findall(order.partition(" ")[2]))


def prospect_line(prospect: table.Prospect) -> str:
    """Return a possible result of a roll in words, with its chance."""
    return f"{prospect.reached}: {prospect.what} ({percent(prospect.chance)})"
