"""Sheet entries without effect: figures that others make irrelevant, and unused modifiers."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs

from fireplan.sheets.forms import METRES, SheetModifier
from fireplan.sheets.tables import (
    ReadyClasses,
    figure_types,
    figure_value,
    in_module,
    rolls_of,
    whole_numbers_in,
)
from fireplan_core.files import Complaint
from fireplan_core.play import CONTRACTS
from fireplan_core.ready_parts import (
    Battery,
    Depletion,
    FixedDamage,
    Hand,
    OneForAll,
    Relay,
    RequestChart,
    Rings,
    TableLookUp,
)


@attrs.frozen
class Figures:
    """The figures of a part of a sheet, with every value that an option may give them."""

    form: Any
    word: str
    kinds: ReadyClasses
    table: Any

    def given(self, name: str) -> Any:
        """Return the value in the part's own table, or None if the table gives none."""
        return getattr(self.table, name, None)

    def values(self, name: str) -> list[Any]:
        """Return all values that a figure can have; empty if the part has no such figure."""
        for option in self.form.option or ():
            if option.sets == f"{self.word}.{name}":
                return [*option.values.values()]
        value = self.given(name)
        if value is None:
            value = next((getattr(kind, name) for kind in self.kinds if hasattr(kind, name)), None)
        return [] if value is None else [value]

    def ever(self, name: str) -> bool:
        """Return whether a figure is ever other than 0, false or empty."""
        return any(self.values(name))

    def always(self, name: str) -> bool:
        """Return whether a figure is never 0, false or empty."""
        return bool(self.values(name)) and all(self.values(name))

    def draws(self, roll: str) -> bool:
        """Return whether a card is drawn for a roll."""
        return roll in (self.table.draws or {})

    def counts_failures(self) -> bool:
        """Return whether a failed link is ever remembered for a later try."""
        tries = self.values("tries")
        return any(most > 1 for most in tries) or (0 in tries and self.ever("counted"))

    @property
    def astray_at_once(self) -> bool:
        """True if every shot strays, so that no accuracy is rolled."""
        return "accurate" in figure_types(self.kinds) and not self.ever("accurate")


_Idle = tuple[str, Callable[[Figures], bool], str, str]
_IDLE: tuple[_Idle, ...] = (
    (
        "near_m",
        lambda part: not part.ever("spotting"),
        "there are no spotting rounds, so it is never read",
        "remove it, or write spotting = true",
    ),
    (
        "reach_m",
        lambda part: part.always("reach_by_guns"),
        "reach_by_guns takes its place",
        "remove one of them",
    ),
    (
        "last_denial",
        lambda part: not part.ever("denies"),
        "no chit denies a request, so it is never read",
        'remove it, or write denies = ["red"]',
    ),
    (
        "bonus",
        lambda part: not part.counts_failures(),
        "no failure is counted, so it is never added",
        "add tries = 4, or counted = 4 for tries without limit",
    ),
    (
        "counted",
        lambda part: part.always("tries"),
        "tries already says how many failures are counted",
        "remove it",
    ),
    (
        "accuracy_dice",
        lambda part: part.astray_at_once,
        "every shot strays, so they are never thrown",
        "add accurate = 2 for the highest sum that is on target, or remove them",
    ),
    (
        "depletion_dice",
        lambda part: part.always("fires"),
        "fires counts the firing, so they are never thrown",
        "remove them, or remove fires",
    ),
    (
        "depleted",
        lambda part: part.always("fires"),
        "fires counts the firing, so it is never read",
        "remove it, or remove fires",
    ),
)
"""Figures without effect because of other figures: each with a test, the reason and a remedy."""

_DICE = {
    "accuracy": "accuracy_dice",
    "extent": "extent_dice",
    "blown": "drift_dice",
    "drift": "shift_dice",
    "depletion": "depletion_dice",
}
"""The dice of each roll; for other rolls they are called ``dice``."""
_BY_SUM = {"extent": "extents", "blown": "drifts", "drift": "shifts", "advance": "moves"}
"""The table of a roll in which the sum is looked up."""
_COUNTED = ("resolution.hits", "resolution.saves")
"""Rolls in which dice are counted, so that no card can replace them."""


def without_effect(form: Any, chosen: Mapping[str, ReadyClasses]) -> Iterator[Complaint]:
    """Yield a fault for each entry of a sheet that nothing reads, and each that never applies.

    Entries that depend on a table that could not be read are not checked.
    """
    parts = {
        word: Figures(form, word, kinds, getattr(form, word))
        for word, kinds in chosen.items()
        if getattr(form, word) is not None
    }
    for part in parts.values():
        yield from _idle(part)
        yield from _undrawn(part)
    yield from _same_cards(parts)
    yield from _never_applied(form, parts)
    if len(parts) == len(CONTRACTS):
        yield from _nowhere_used(form, parts)
        yield from _falloff(form, parts)


def _idle(part: Figures) -> Iterator[Complaint]:
    for name, is_idle, problem, hint in _IDLE:
        if part.given(name) and is_idle(part):
            yield f"{part.word}.{name}", problem, hint
    for roll in (roll.partition(".")[2] for roll in rolls_of(part.kinds)):
        dice, by_sum = _DICE.get(roll, "dice"), _BY_SUM.get(roll, "")
        if part.given(dice) and part.draws(roll):
            problem = f"a card is drawn for {part.word}.{roll}, so they are never thrown"
            yield f"{part.word}.{dice}", problem, "remove them, or remove the roll from draws"
        if len(part.given(by_sum) or ()) > 1 and not part.ever(dice) and not part.draws(roll):
            problem = "there are no dice, so only the first entry is used"
            yield f"{part.word}.{by_sum}", problem, f'add {dice} = "d6", or keep one entry'
    if any(issubclass(kind, Depletion) for kind in part.kinds):
        lowered = any(
            one.roll == "resolution.depletion" and one.value < 0 for one in part.form.modifier or ()
        )
        if not (part.ever("fires") or part.ever("depleted") or lowered):
            problem = "Depletion never exhausts the guns: fires and depleted are 0"
            yield f"{part.word}.fires", problem, "add fires = 3, or depleted = 1 for dice"


def _undrawn(part: Figures) -> Iterator[Complaint]:
    """Yield a fault for each roll that is declared to draw a card but never does."""
    for roll in part.table.draws or {}:
        name, key = f"{part.word}.{roll}", f"{part.word}.draws.{roll}"
        if name in _COUNTED:
            yield key, f"the dice of {name} are counted, so no card can replace them", "remove it"
        elif reason := _never_thrown(part, roll):
            yield key, f"{name} is never made: {reason}", "remove it"


def _never_thrown(part: Figures, roll: str) -> str:
    """Return the reason why the figures of a part leave out this roll, or "" if it is made."""
    if roll == "accuracy" and part.astray_at_once:
        return "every shot strays, because accurate is 0"
    if roll == "depletion" and part.always("fires"):
        return "fires counts the firing"
    return ""


def _same_cards(parts: Mapping[str, Figures]) -> Iterator[Complaint]:
    """Yield a fault if requests and delays share a deck but name the kinds of cards differently."""
    calls, answers = (parts.get(word) for word in ("requests", "delays"))
    if calls is None or answers is None:
        return
    deck = calls.given("deck")
    if not deck or deck != answers.given("deck"):
        return
    try:
        own, other = (
            figure_value(Mapping[int, str], part.given("kinds") or {}) for part in (calls, answers)
        )
    except ValueError:
        return  # reported with the figure
    if own != other:
        problem = f"the cards of {deck} have other kinds in [requests]"
        yield "delays.kinds", problem, "write the same kinds in both"


def _never_applied(form: Any, parts: Mapping[str, Figures]) -> Iterator[Complaint]:
    """Yield a fault for each modifier that never applies, or repeats or cancels an earlier one."""
    earlier: dict[SheetModifier, tuple[int, SheetModifier]] = {}
    for number, modifier in enumerate(form.modifier or ()):
        key = f"modifier[{number}]"
        word, _, roll = modifier.roll.partition(".")
        part = parts.get(word)
        if part is None or modifier.roll not in rolls_of(part.kinds):
            continue  # ``faults`` reports an unknown roll
        if reason := _never_thrown(part, roll) or _without_dice(part, roll):
            hint = "remove it, or change the part"
            yield f"{key}.roll", f"{modifier.roll} is never rolled: {reason}", hint
        yield from _never_met(key, modifier, part, parts)
        same = attrs.evolve(modifier, value=0, rule="", summary="")
        if same in earlier:
            before, other = earlier[same]
            if other.value + modifier.value == 0:
                problem = f"cancels modifier {before + 1}, which has the same conditions"
                yield f"{key}.value", problem, "remove both, or give them other conditions"
            elif (other.value, other.summary) == (modifier.value, modifier.summary):
                problem = f"is the same as modifier {before + 1}"
                yield f"{key}.summary", problem, "remove one of them"
        earlier.setdefault(same, (number, modifier))


def _without_dice(part: Figures, roll: str) -> str:
    dice = _DICE.get(roll, "dice")
    has = dice in figure_types(part.kinds) and roll != "attack"
    return f"there are no {dice}" if has and not (part.ever(dice) or part.draws(roll)) else ""


def _never_met(
    key: str, modifier: SheetModifier, part: Figures, parts: Mapping[str, Figures]
) -> Iterator[Complaint]:
    """Yield a fault for each condition of a modifier that no battery and no answer can meet."""
    fields = attrs.fields_dict(Battery)
    for name in ("guns", "calibre_mm", "range_m"):
        least, most = fields[name].metadata["range"]
        text = getattr(modifier, name)
        try:
            numbers = whole_numbers_in(text or str(least), METRES)
        except ValueError:
            continue  # ``faults`` reports a malformed span
        if numbers[0] > most or numbers[-1] < least:
            problem = f"never applies: {name} of a battery is {least} to {most}"
            yield f"{key}.{name}", problem, f'such as {name} = "{least}-{most}"'
        elif 0 < numbers[0] < least:
            problem = f"no battery has {name} {numbers[0]}: it must be {least} to {most}"
            yield f"{key}.{name}", problem, f'such as {name} = "{least}-{numbers[-1]}"'
    relays = part.word == "delays" and any(issubclass(kind, Relay) for kind in part.kinds)
    if modifier.failures and relays and not part.counts_failures():
        hint = "in [delays], add tries = 4, or counted = 4 for tries without limit"
        yield f"{key}.failures", "never applies: no failure is counted", hint
    if modifier.outcome and "delays" in parts:
        answers = _answers(parts["delays"])
        if part.word == "delays":
            problem = f"never applies: at {modifier.roll} there is no answer yet"
            yield f"{key}.outcome", problem, "leave outcome out"
        elif answers and modifier.outcome not in answers:
            problem = f"never applies: no request is answered {modifier.outcome}"
            yield f"{key}.outcome", problem, f"leave it out, or one of {', '.join(answers)}"


def _answers(delays: Figures) -> list[str]:
    """Return the outcomes by which a request can be granted; empty if the chart cannot be read."""
    if not any(issubclass(kind, RequestChart) for kind in delays.kinds):
        return ["good"]
    chart = (delays.form.table or {}).get(delays.given("chart"))
    if chart is None or "outcome" not in chart.columns:
        return []
    column = chart.columns.index("outcome")
    entries = (text.split(",") for text in chart.rows.values())
    found = {row[column].strip() for row in entries if len(row) > column}
    return sorted(found & {"good", "very_good"})


def _nowhere_used(form: Any, parts: Mapping[str, Figures]) -> Iterator[Complaint]:
    """Yield a fault for each table and deck that no part names.

    Nothing is yielded if a part is in a module, which may read any table or deck.
    """
    if any(in_module(part.kinds) for part in parts.values()):
        return
    charts = {part.given("chart") for part in parts.values()}
    decks = {deck for part in parts.values() for deck in (part.table.draws or {}).values()}
    decks |= {
        part.given("deck")
        for part in parts.values()
        if any(issubclass(kind, Hand) for kind in part.kinds)
    }
    for name in form.table or {}:
        if name not in charts:
            hint = f'name it in a part, such as chart = "{name}" of TableLookUp, or remove it'
            yield f"table.{name}", "no part reads this table", hint
    for name in form.deck or {}:
        if name not in decks:
            hint = f'name it in a part, such as draws = {{ accuracy = "{name}" }}, or remove it'
            yield f"deck.{name}", "no part draws from this deck", hint


def _falloff(form: Any, parts: Mapping[str, Figures]) -> Iterator[Complaint]:
    """Yield a fault if fire weakens from ring to ring, but the resolution ignores its strength."""
    areas, resolution = parts.get("areas"), parts.get("resolution")
    if areas is None or resolution is None or not any(issubclass(k, Rings) for k in areas.kinds):
        return
    points = {points for points in (areas.given("rings") or {}).values() if points > 0}
    chart = (form.table or {}).get(resolution.given("chart"))
    by_column = chart is not None and len(chart.columns) > 1
    asks = any(
        issubclass(kind, FixedDamage)
        or (issubclass(kind, TableLookUp) and not issubclass(kind, OneForAll) and by_column)
        for kind in resolution.kinds
    )
    if len(points) > 1 and not asks:
        problem = "no part reads the strength of the fire, so every ring has the same effect"
        hint = 'use FixedDamage, or TableLookUp with columns = ["full", "weaker"]'
        yield "areas.rings", problem, hint
