"""The prompt for an order."""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from types import MappingProxyType

from fireplan import table
from fireplan.analysis import OrderOdds, percent
from fireplan.cli.prompt.commands import Commands
from fireplan.cli.prompt.order_figures import OrderFigures
from fireplan.cli.prompt.shared_keyboard import SharedKeyboard
from fireplan.cli.prompt.terminal import RESULTS, SHOWN
from fireplan.errors import InputError
from fireplan_core import FINAL, Refusal
from fireplan_core.mission import Stage

NUMBER = re.compile("[0-9]{1,9}")
"""The number of an order in the list."""
_NONE: Mapping[str, str] = MappingProxyType({})
_VALUE = re.compile(r'(\w+)=((?:"[^"]*"|\S)+)')
"""A value of an order in full, with its name."""
TO_THE_END = "'end' plays on to the end with standard orders"
"""The remark that offers to skip prompts at which nothing can be gained."""
FEW_PLACES = 1_000
"""Maximum number of places on a map that are all tried for an order refused where offered."""
FEW_FORMS = 4
"""Maximum number of other forms of an order that are listed each with its own figure."""
_RULES = re.compile(r" \([^()]*\)$")
"""Matches the rules in brackets after a modifier, which are already listed with the roll."""


class OrderPrompt:
    """The prompt that lists the orders of the side at the keyboard, and asks for one."""

    def __init__(self, keyboard: SharedKeyboard, figures: OrderFigures, commands: Commands) -> None:
        self._session, self._terminal = keyboard.session, keyboard.terminal
        self._keyboard, self._figures, self._commands = keyboard, figures, commands
        self._told: set[str] = set()
        """The sides that have been told that fire can achieve nothing more."""
        self._deserted: set[str] = set()
        """The assets whose owners have been told that no enemy is seen at their targets."""

    def ask(self) -> None:
        """Ask the side for an order until one is accepted."""
        waits = self._session.table.waits_for
        form = self._keyboard.viewer.form()
        odds = self._figures.odds_of(form)
        self._remark(odds)
        numbered = self._listed(form, odds)
        possible = tuple(order.text for order in form.orders if not order.refusal)
        while self._session.table.waits_for is waits:
            line = self._commands.line("order: ", possible)
            if line is not None:
                self._answer(line, form, numbered, odds)

    def _remark(self, odds: OrderOdds) -> None:
        """Print once that fire can achieve nothing more or cannot fall, and how to end the game.

        Otherwise print, once for each asset, that no enemy is seen at its target any more.
        """
        side, situation = self._keyboard.side, self._keyboard.viewer.situation()
        if side in self._told:
            return
        if why := settled(self._keyboard.viewer, situation):
            self._told.add(side)
            self._terminal.say(f"\n{why}: {TO_THE_END}")
            return
        falls = [chances["falls"] for chances in odds.after.values() if "falls" in chances]
        if falls and not any(chance.share or chance.error for chance in falls):
            if self._session.scenario.parts.areas.weighs_aim:
                self._told.add(side)
                self._terminal.say(f"\nNo fire of yours can fall any more: {TO_THE_END}")
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
        equal = self._figures.equal(odds, texts)
        lines = [
            "\n".join(
                [
                    *_listing(
                        number, order, form, "" if equal else self._figures.figure(odds, order.text)
                    ),
                    *self._other_forms(order, form, odds, others.get(order.verb, [])),
                ]
            )
            for number, order in enumerate(first.values(), start=1)
        ]
        asked = {order.verb for order in form.orders} | {slot.verb for slot in form.slots}
        noted = {order.verb for order in form.orders if order.elsewhere}
        refused = sorted(asked - first.keys() - noted)
        lines += self._refused(form, refused)
        self._terminal.some(lines, list(_values_left_out(form, first, others)))
        return list(first.values())

    def _refused(self, form: table.Prompt, verbs: Sequence[str]) -> Iterator[str]:
        """Yield lines on verbs without a legal order among those listed.

        A verb that may be legal at another place has its own line; the others share one.
        """
        placed = {slot.verb: slot for slot in form.slots if slot.free and slot.place}
        open_elsewhere = [verb for verb in verbs if verb in placed and not self._nowhere(verb)]
        verb_name = self._keyboard.viewer.words.verb_name
        for verb in open_elsewhere:
            yield _elsewhere(verb_name(verb), placed[verb])
        if never := [verb for verb in verbs if verb not in open_elsewhere]:
            yield f"      not now: {', '.join(map(verb_name, never))} ('why' shows the rules)"

    def _nowhere(self, verb: str) -> bool:
        """Return whether an order that names one place is refused at every place of a small map.

        False for a large map, and for an order that does not name exactly one value.
        """
        places = self._session.scenario.frame.places()
        form = next((each for each in self._keyboard.viewer.forms() if each.verb == verb), None)
        if form is None or len(form.slots) != 1 or not 0 < len(places) <= FEW_PLACES:
            return False
        return all(isinstance(form.judge(form.order((place,))), Refusal) for place in places)

    def _other_forms(
        self,
        order: table.OrderSeen,
        form: table.Prompt,
        odds: OrderOdds,
        others: list[table.OrderSeen],
    ) -> Iterator[str]:
        """Yield lines about other forms of an order: their values, the best form, other places."""
        if others:
            texts = [other.text for other in others]
            chances = self._figures.apart(odds, order.text, texts)
            each = chances if len(texts) <= FEW_FORMS else {}
            if each and len(_different([order.text, *texts])) > 1:
                yield from (_in_words(other, form, each) for other in others)
            else:
                values = other_forms(order.text, texts, _remarked(others, each))
                yield f"      or {values}{_meanings(order, texts, form)}"
            best = "" if each else self._figures.best_of(odds, order.text, texts)
            for other in others:
                if other.text == best:
                    values = shortest(other, form.slots).partition(" ")[2]
                    apart = ", though not standard" if order.standard else ""
                    yield f"      best of these{apart}: {self._figures.figure(odds, best)}{values}"
        typed = shortest(order, form.slots)
        for slot in form.slots:
            if slot.verb == order.verb and slot.free and slot.place:
                yield f"      or at another place, typed like {typed} ({slot.name}: {slot.meaning})"

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


def _listing(number: int, order: table.OrderSeen, form: table.Prompt, figure: str) -> Iterator[str]:
    """Yield an order's lines: number, figure and words, then the chances of its roll's results."""
    star = "*" if order.standard else " "
    short = shortest(order, form.slots)
    typed = "" if short.casefold() == order.words.casefold() else f"; {short}"
    yield f" {star}{number:2d}. {figure}{order.words} [{order.cite}{typed}]"
    if order.prospects:
        more = f"; {len(order.prospects) - RESULTS} more" * (len(order.prospects) > RESULTS)
        results = "; ".join(map(prospect_line, order.prospects[:RESULTS]))
        modifiers = ", ".join(_RULES.sub("", each) for each in table.modifiers_of(order.prospects))
        reach = table.number_of(order.prospects)
        counted = f"{reach}: {modifiers}" if reach else f"with {modifiers}"
        roll = f"{order.roll}, {counted}" if modifiers else order.roll
        certain = table.certain_of(order.prospects)
        always = f"; in any case: {certain}" if certain else ""
        yield f"      {roll}: {results}{more}{always}"


def _elsewhere(name: str, slot: table.SlotSeen) -> str:
    """Return a line on an order that is refused at every place tried, and how to type another."""
    first, *others = slot.candidates
    tried = f"{first} or {len(others)} more places tried" if others else first
    typed = f"{slot.verb} {slot.name}=... ({slot.name}: {slot.meaning})"
    return f"      {name}: not at {tried}, perhaps elsewhere, typed like {typed} ('why' shows the rule)"


def settled(viewer: table.Viewer, situation: table.TableSituation) -> str:
    """Return the reason why fire can achieve nothing more, as far as a side knows, or ""."""
    scenario, side = viewer.session.scenario, viewer.side
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
    return "" if table.fire_may_fall(viewer) else "No fire can fall any more"


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
    """Yield a line with the possible values of each slot, for orders with unlisted forms.

    ``first`` has the numbered order of each verb, and ``others`` the other legal orders of each
    verb.
    """
    for number, verb in enumerate(first, start=1):
        if len(others.get(verb, ())) <= SHOWN:
            continue
        refused = [order.text for order in form.orders if order.refusal and order.verb == verb]
        slots = [slot for slot in form.slots if slot.verb == verb and not slot.may_be_left_out]
        for slot in slots:
            wrong = {_values(text).get(slot.name) for text in refused if len(slots) == 1}
            values = ", ".join(value for value in slot.candidates if value not in wrong)
            yield f"  {number}. {slot.name.replace('_', ' ')}: {values}"


def other_forms(order: str, others: Sequence[str], chances: Mapping[str, str] = _NONE) -> str:
    """Return the values in which other orders of a verb differ from an order, in words.

    If only one value differs, its name appears once, as in ``with target infantry or patrol``, or
    ``at K4 or L4``. If all values can be combined, each name appears once, too. ``chances`` has
    figures by order, which follow its values in brackets.
    """
    rest = len(others) - SHOWN
    more = f" or {rest} more ('more' lists all)" if rest > 0 else ""
    values = [_values(text) for text in (order, *others)]
    names = [*values[0]]
    different = _different((order, *others))
    if len(different) == 1 and all([*each] == names for each in values):
        (name,) = different
        shown = [
            each[name] + chances.get(other, "")
            for each, other in zip(values[1 : SHOWN + 1], others, strict=False)
        ]
        named = name if name in table.PREPOSITIONS else f"with {name.replace('_', ' ')}"
        return f"{named} {', '.join(shown)}{more}" if more else f"{named} {either(shown)}"
    if not chances and (combined := _combined(values, different)):
        return combined
    shown = [
        " ".join(f"{name}={each[name]}" for name in different if name in each)
        + chances.get(other, "")
        for each, other in zip(values[1 : SHOWN + 1], others, strict=False)
    ]
    return f"with {'; '.join(shown)}{more}"


def _remarked(others: list[table.OrderSeen], chances: Mapping[str, str]) -> Mapping[str, str]:
    """Map orders to their chances, followed by the remark on them in brackets.

    Orders with neither are left out.
    """
    joined = {
        other.text: chances.get(other.text, "") + (f" ({other.remark})" if other.remark else "")
        for other in others
    }
    return {text: words for text, words in joined.items() if words}


def _in_words(other: table.OrderSeen, form: table.Prompt, chances: Mapping[str, str]) -> str:
    """Return a line on another form of an order, in words and as it may be typed."""
    return f"      or {other.words}{chances.get(other.text, '')} [{shortest(other, form.slots)}]"


def _different(orders: Sequence[str]) -> list[str]:
    """Return the names of the values in which orders of a verb differ."""
    values = [_values(text) for text in orders]
    return [name for name in values[0] if len({each.get(name) for each in values}) > 1]


def either(words: Sequence[str]) -> str:
    """Return words as alternatives, such as "K4, L4 or L5"."""
    *ahead, last = words
    return f"{', '.join(ahead)} or {last}" if ahead else last


def _combined(values: Sequence[Mapping[str, str]], different: Sequence[str]) -> str:
    """Return all combinations of values in words, or "" if some are missing or they are too many.

    E.g. "with another choice of base section or gun; to 0,60 or 60,60".
    """
    choices = {name: [*dict.fromkeys(each.get(name, "") for each in values)] for name in different}
    whole = prod(map(len, choices.values())) == len(values)
    if not whole or max(map(len, choices.values())) > SHOWN or not all(map(all, choices.values())):
        return ""
    named = (f"{name.replace('_', ' ')} {either(each)}" for name, each in choices.items())
    return f"with another choice of {'; '.join(named)}"


def _meanings(order: table.OrderSeen, others: Sequence[str], form: table.Prompt) -> str:
    """Return the meanings of the slots in which an order's forms differ, or "" if only one does.

    A place that can be typed is left out: it has a line of its own.
    """
    values = [_values(text) for text in (order.text, *others)]
    slots = [
        slot
        for slot in form.slots
        if slot.verb == order.verb and len({each.get(slot.name) for each in values}) > 1
    ]
    named = [slot for slot in slots if not (slot.free and slot.place)]
    meanings = "; ".join(f"{slot.name}: {slot.meaning}" for slot in named)
    return f" ({meanings})" if len(slots) > 1 and named else ""


def _values(order: str) -> dict[str, str]:
    """Return the values in the text of an order by the names of their slots."""
    return dict(_VALUE.findall(order.partition(" ")[2]))


def prospect_line(prospect: table.Prospect) -> str:
    """Return a possible result of a roll in words, with its chance."""
    return f"{prospect.reached}: {prospect.what} ({percent(prospect.chance)})"
