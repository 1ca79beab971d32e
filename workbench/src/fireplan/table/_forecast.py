"""Say what a throw will mean, read off the same branches that the exact solver follows; nothing is told twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import attrs

from fireplan_core import Ask, Event, Order, Pending, Step
from fireplan_core.chance import Chance, ChanceEvent
from fireplan_core.play.rulebook import Outcome, Read, Rulebook
from fireplan_core.play.table import Table

FEW = 6
"""Combinations of faces that are listed one by one."""
WHO = ("mission", "unit")
MOST_STEPS = 200
"""Steps that an order is followed for."""


@attrs.frozen
class Prospect:
    """One thing that a throw can bring about: the faces that do, in words, their exact chance, and what follows."""

    when: str
    chance: Fraction
    what: str


Show = Callable[[Event], Event | None]
"""Say what is told of an event; None for nothing."""


def forecast(table: Table, show: Show = lambda event: event) -> tuple[Prospect, ...]:
    """Return what the throw that the table waits for can bring about; empty when it waits for none."""
    step = table.state.agenda[0] if table.state.agenda else None
    if table.waits_for is None or not isinstance(step, Step) or isinstance(table.waits_for, Ask):
        return ()
    return _prospects(table.rulebook, step, table.read, table.waits_for, show)


def ahead(table: Table, order: Order, show: Show = lambda event: event) -> tuple[str, tuple[Prospect, ...]]:
    """Return the throw that an order of the question now asked leads to by itself, and what it can bring about.

    Nothing that lies beneath the question on the agenda is looked at: that may be what its side must not know.
    """
    ask = table.waits_for
    if not isinstance(ask, Ask):
        return "", ()
    rulebook, values = table.rulebook, table.state.values
    agenda: tuple[Pending, ...] = (rulebook.after(ask, order),)
    for _ in range(MOST_STEPS):
        if not agenda or isinstance(agenda[0], Ask):
            return "", ()
        step = agenda[0]
        thrown: list[ChanceEvent] = []

        def fall(event: ChanceEvent, thrown: list[ChanceEvent] = thrown) -> tuple[Any, ...]:
            thrown.append(event)
            raise _ThrownError

        try:
            outcome = rulebook.run(step, lambda modifiers, fall=fall: Chance(fall, modifiers), values.get)  # type: ignore[misc]
        except _ThrownError:
            return thrown[0].name, _prospects(rulebook, step, values.get, thrown[0], show)
        values = values.put(outcome.updates)
        agenda = (*outcome.pushes, *agenda[1:])
    return "", ()


class _ThrownError(Exception):
    """The dice are wanted here."""


def _prospects(rulebook: Rulebook, step: Step, read: Read, event: ChanceEvent, show: Show) -> tuple[Prospect, ...]:
    branches = rulebook.branches(step, read)
    by_outcome: dict[Outcome, list[tuple[tuple[Any, ...], int]]] = {}
    total = branches[0][1]
    for _, _, outcome, chance in branches:
        if chance.roll is not None:
            by_outcome.setdefault(outcome, []).extend(chance.roll.left)
    labels, seen = _as_seen(event)
    prospects = [
        Prospect(
            _when(seen(faces), seen(f for o, other in by_outcome.items() if o != outcome for f in other), labels),
            Fraction(sum(weight for _, weight in faces), total),
            _what(outcome, show),
        )
        for outcome, faces in by_outcome.items()
    ]
    return tuple(sorted(prospects, key=lambda prospect: -prospect.chance))


def _as_seen(event: ChanceEvent) -> tuple[tuple[str, ...], Callable[[Iterable[Any]], list[tuple[Any, ...]]]]:
    """Return how outcomes (with weights) look on the table, and the labels: of a single die, its faces."""
    if len(event.faces) != 1:
        return event.labels, lambda outcomes: [outcome for outcome, _ in outcomes]
    (die,) = event.faces
    shown: dict[Any, list[tuple[Any, ...]]] = {}
    for face, _ in die.weights:
        shown.setdefault(event.read((face,)), []).append((face,))
    return (die.label,), lambda outcomes: [faces for outcome, _ in outcomes for faces in shown[outcome]]


def _when(mine: list[tuple[Any, ...]], others: list[tuple[Any, ...]], labels: tuple[str, ...]) -> str:
    """The faces in words: by the one reading that tells them from all others, else in full or as a count."""
    if all(type(value) is int for outcome in (*mine, *others) for value in outcome):  # a flag adds to no total
        totals = {sum(outcome) for outcome in mine}
        if not totals & {sum(outcome) for outcome in others}:
            return _ranges(sorted(totals))
    for position, label in enumerate(labels):
        values = {outcome[position] for outcome in mine}
        if not values & {outcome[position] for outcome in others}:
            return f"{label} {_ranges(sorted(values))}"
    if len(mine) > FEW:
        return f"{len(mine)} ways"
    if any(isinstance(value, bool) for outcome in mine for value in outcome):
        told = (zip(labels, outcome, strict=True) for outcome in mine)
        return " or ".join(", ".join(f"{label} {_name(value)}" for label, value in pairs) for pairs in told)
    return ", ".join("+".join(map(_name, outcome)) for outcome in mine) + f" ({'+'.join(labels)})"


def _ranges(values: list[Any]) -> str:
    """Whole numbers as ranges (``2-8, 12``), names as they are."""
    if not all(type(value) is int for value in values):
        return ", ".join(map(_name, values))
    runs: list[list[int]] = []
    for value in values:
        if runs and value == runs[-1][1] + 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


def _name(value: Any) -> str:
    """One reading: a number, a name, several names, or whether there was any."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _what(outcome: Outcome, show: Show) -> str:
    shown = [show(event) for event in outcome.events if event.kind != "modifier"]
    told = [_told(event) for event in shown if event is not None]
    return (
        ", ".join(told) or "then " + ", ".join(map(_next, outcome.pushes[:2])) if outcome.pushes or told else "nothing"
    )


def _told(event: Event) -> str:
    """An event with those of its values that a person reads: numbers, names, yes and no."""
    values = [
        f"{name} {_value(value)}" for name, value in event.fields if name not in WHO and not isinstance(value, tuple)
    ]
    return f"{event.kind.replace('_', ' ')}{': ' if values else ''}{', '.join(values)} [{event.cite}]"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(getattr(value, "name", value)).lower()


def _next(pending: Pending) -> str:
    name = pending.question if isinstance(pending, Ask) else pending.name
    numbers = [str(arg) for arg in pending.args if isinstance(arg, int) and not isinstance(arg, bool)]
    return " ".join([name.partition(".")[2].replace("_", " "), *numbers])
