"""Say what a throw will mean, read off the same branches that the exact solver follows.

Nothing is told twice.

Of dice that have fallen it says how likely that was: throw by throw the branch that the rules took.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from math import prod
from typing import Any

import attrs

from fireplan.table.words import Words
from fireplan_core import Ask, Event, Order, Pending, ProcedureError, Refusal, Scenario, Step
from fireplan_core.chance import Chance, ChanceEvent, Face, Fold
from fireplan_core.play import Input, Outcome, Table, Thrown

FEW = 3
"""Combinations of faces that are listed one by one."""
MOST_STEPS = 200
"""Steps that an order is followed for."""


@attrs.frozen
class Prospect:
    """One thing that a throw can bring about: the faces that do, in words, their exact chance, and what follows."""

    when: str
    chance: Fraction
    what: str


_Rank = tuple[float, int]
_Told = tuple[Prospect, _Rank, list[Outcome]]
Show = Callable[[Event], Event | None]
"""Say what is told of an event; None for nothing."""


def forecast(
    table: Table, show: Show = lambda event: event, side: str = ""
) -> tuple[Prospect, ...]:
    """Return what the throw that the table waits for can bring about, best for a side first.

    Empty for no throw.
    """
    return tuple(prospect for prospect, *_ in _told(table, show, side))


def fallen(
    table: Table, faces: tuple[Face, ...], show: Show = lambda event: event, side: str = ""
) -> tuple[tuple[Prospect, ...], int, Fraction]:
    """Return what the throw that the table waits for could bring about, and of these faces the place of what they do.

    The third is the chance of something at least as good for the side.
    """
    found, fell = _told(table, show, side), outcome_of(table, faces)
    place = next(n for n, (*_, outcomes) in enumerate(found) if fell in outcomes)
    at_least = sum(
        (prospect.chance for prospect, rank, _ in found if rank <= found[place][1]), Fraction(0)
    )
    return tuple(prospect for prospect, *_ in found), place, at_least


def _told(table: Table, show: Show, side: str) -> list[_Told]:
    step, waits = next(iter(table.state.agenda), None), table.waits_for
    if waits is None or isinstance(waits, Ask) or not isinstance(step, Step):
        return []
    return _Forecast(table, show, side).told(step, table.state.values)


def ahead(
    table: Table, order: Order, show: Show = lambda event: event, side: str = ""
) -> tuple[str, tuple[Prospect, ...]]:
    """Return the throw that an order of the question now asked leads to by itself, and what it can bring about.

    Nothing that lies beneath the question on the agenda is looked at: that may be what its side
    must not know.
    """
    ask = table.waits_for
    if not isinstance(ask, Ask):
        return "", ()
    made = _Forecast(table, show, side)
    for values, agenda, found in made.onward(
        table.state.values, (table.rulebook.after(ask, order),)
    ):
        if found is not None and not isinstance(found, Outcome) and isinstance(agenda[0], Step):
            told = made.told(agenda[0], values)
            return made.words.roll(found.name), tuple(prospect for prospect, *_ in told)
    return "", ()


class _ThrownError(Exception):
    """The dice are wanted here."""

    def __init__(self, event: ChanceEvent) -> None:
        self.event = event


class _Forecast:
    """The throws of a table told by what they mean to a side."""

    def __init__(self, table: Table, show: Show, side: str) -> None:
        self.rulebook, self.scenario = table.rulebook, table.scenario
        self.words, self.show, self.side = Words(table.scenario), show, side or table.scenario.firer
        self.ranks = {kind: rank for rank, kind in enumerate(table.scenario.sentences.best_first)}

    def onward(
        self, values: Any, agenda: tuple[Pending, ...]
    ) -> Iterator[tuple[Any, tuple[Pending, ...], Outcome | ChanceEvent | None]]:
        """Yield the values and what waits, step by step, with what the next step does.

        At last the throw it wants.

        It ends at a throw, at a question, and where nothing waits: with None.
        """

        def fall(event: ChanceEvent) -> tuple[Any, ...]:
            raise _ThrownError(event)

        for _ in range(MOST_STEPS):
            if not agenda or isinstance(agenda[0], Ask):
                break
            try:
                outcome = self.rulebook.run(
                    agenda[0], lambda modifiers: Chance(fall, modifiers), values.get
                )
            except _ThrownError as thrown:
                yield values, agenda, thrown.event
                return
            yield values, agenda, outcome
            values, agenda = values.put(outcome.updates), (*outcome.pushes, *agenda[1:])
        yield values, agenda, None

    def told(self, step: Step, values: Any) -> list[_Told]:
        """Return what a throw can bring about, the best first, each with its rank and the outcomes that do."""
        by_meaning: dict[str, tuple[_Rank, list[tuple[tuple[Any, ...], int]], list[Outcome]]] = {}
        branches = self.rulebook.branches(step, values.get)
        total = branches[0][1]
        fallen = [
            (self._meaning(outcome, values), chance.roll, outcome)
            for _, _, outcome, chance in branches
        ]
        always = (
            set.intersection(*(set(said) for (said, _), *_ in fallen)) if len(fallen) > 1 else set()
        )
        shown = (
            any(said for (said, _), *_ in fallen)
            or len({outcome.updates for *_, outcome in fallen}) == 1
        )
        silent = "nothing more happens" if shown else "what it brings shows later"
        for (said, rank), roll, outcome in fallen:
            if roll is not None:
                what = "; ".join(word for word in said if word not in always) or silent
                _, left, outcomes = by_meaning.setdefault(what, (rank, [], []))
                left += roll.left
                outcomes.append(outcome)
        event = next(roll.event for _, roll, _ in fallen if roll is not None)
        labels, seen = _as_seen(event)
        every = seen(event.space)
        found = sorted(by_meaning.items(), key=lambda pair: pair[1][0])
        prospects = []
        for what, (rank, mine, outcomes) in found:
            count = sum(weight for _, weight in mine)
            when = _when(seen(mine), every, labels) or f"{count} of {total} throws"
            prospects.append((Prospect(when, Fraction(count, total), what), rank, outcomes))
        return prospects

    def _meaning(self, outcome: Outcome, values: Any) -> tuple[list[str], _Rank]:
        """Return what an outcome means in words, and what it is ranked by: what is told next, else what waits next."""
        agenda: tuple[Pending, ...] = outcome.pushes
        said = dict.fromkeys(
            filter(None, (self.words.step(push) for push in agenda if isinstance(push, Step)))
        )
        told = self._told(outcome)
        if told or said:
            return [*map(self.words.event, told), *said], self._rank(told)
        for _, waiting, found in self.onward(values.put(outcome.updates), agenda):
            if isinstance(found, Outcome):
                if told := self._told(found):
                    return [*map(self.words.event, told)], self._rank(told)
            elif found is not None:
                return [f"next roll: {self.words.roll(found.name)}"], self._rank(())
            elif waiting and isinstance(waiting[0], Ask):
                return [f"next: {self.words.question(waiting[0])}"], self._rank(())
        return [], self._rank(())

    def _told(self, outcome: Outcome) -> list[Event]:
        shown = (self.show(event) for event in outcome.events if event.kind != "modifier")
        return [event for event in shown if event is not None]

    def _rank(self, told: Sequence[Event]) -> _Rank:
        """Return where an outcome stands among others: by its first event, then by how near or how hard it falls."""
        event = next((event for event in told if event.kind in self.ranks), None)
        if event is None:
            return len(self.ranks) / 2, 0
        fields: dict[str, Any] = dict(event.fields)
        harm = int(fields.get("severity", 0)) or 2 * fields.get("hits", 0) + bool(
            fields.get("shift")
        )
        hard = harm * (1 if self.scenario.owner(fields.get("unit", "")) == self.side else -1)
        hard += fields.get("leader", self.side) != self.side
        return (len(self.ranks) if hard > 0 else self.ranks[event.kind]), fields.get(
            "gap", 0
        ) + hard


def _as_seen(
    event: ChanceEvent,
) -> tuple[tuple[str, ...], Callable[[Iterable[Any]], list[tuple[Any, ...]]]]:
    """Return how outcomes (with weights) look on the table, and the labels: of a single die, its faces."""
    if len(event.faces) != 1:
        counted = isinstance(event, Fold) and {
            add for _, read in event.groups for add, _ in read.values()
        } <= {0, 1}
        named = {"add": "a count of" if counted else "a sum of"}
        return tuple(named.get(label, label) for label in event.labels), lambda outcomes: [
            outcome for outcome, _ in outcomes
        ]
    (die,) = event.faces
    shown: dict[Any, list[tuple[Any, ...]]] = {}
    for face, _ in die.weights:
        shown.setdefault(event.read((face,)), []).append((face,))
    return (die.label,), lambda outcomes: [
        faces for outcome, _ in outcomes for faces in shown[outcome]
    ]


def _when(
    mine: list[tuple[Any, ...]], every: list[tuple[Any, ...]], labels: tuple[str, ...]
) -> str:
    """The faces in words: by the one reading that tells them from all others, or in full.

    Empty where they are many.
    """
    others = set(every) - set(mine)
    if not others:
        return "whatever falls"
    if all(type(value) is int for outcome in every for value in outcome):  # a flag adds to no total
        totals = {sum(outcome) for outcome in mine}
        if not totals & {sum(outcome) for outcome in others}:
            return _ranges(totals, {sum(outcome) for outcome in every})
    for position, label in enumerate(labels):
        values = {outcome[position] for outcome in mine}
        if not values & {outcome[position] for outcome in others}:
            return f"{label.replace('_', ' ')} {_ranges(values, {outcome[position] for outcome in every})}"
    if len(mine) > FEW or any(isinstance(value, bool) for outcome in mine for value in outcome):
        return ""
    throws = (
        [f"{label} {_name(face)}" for label, face in zip(labels, outcome, strict=True)]
        for outcome in mine
    )
    return " or ".join(map(", ".join, throws)).replace("_", " ")


def _ranges(values: set[Any], every: set[Any]) -> str:
    """Whole numbers as ranges (``8 or less``, ``10 to 11``), names as they are."""
    if not all(type(value) is int for value in every):
        return " or ".join(sorted(map(_name, values)))
    known, runs = sorted(every), list[list[int]]()
    for number, value in enumerate(known):
        if value in values:
            if number and known[number - 1] in values:
                runs[-1].append(value)
            else:
                runs.append([value])
    return ", ".join(_run(run, known) for run in runs)


def _run(run: list[int], known: list[int]) -> str:
    if len(run) == 1:
        return str(run[0])
    if run[0] == known[0]:
        return f"{run[-1]} or less"
    return f"{run[0]} or more" if run[-1] == known[-1] else f"{run[0]} to {run[-1]}"


def _name(value: Any) -> str:
    """One reading: a number, a name, or several names."""
    return " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)


# --- dice that have fallen ---------------------------------------------------------------------------
@attrs.frozen(eq=False)
class ThrowTaken:
    """A throw of a game: the table before it, what was thrown, what it led to, and the chance of that branch."""

    table: Table
    event: ChanceEvent
    thrown: Thrown
    outcome: Outcome
    chance: Fraction


def throws_taken(scenario: Scenario, moments: int, inputs: Iterable[Input]) -> Iterator[ThrowTaken]:
    """Yield the throws of a game as they are replayed; the table goes on after each.

    Raises ``ProcedureError`` for an input that does not fit.
    """
    table = Table(scenario, moments, by_kinds=True)
    for given in inputs:
        waits = table.waits_for
        if isinstance(given, Thrown) and waits is not None and not isinstance(waits, Ask):
            outcome = outcome_of(table, given.faces)
            branches = table.rulebook.branches(_top(table), table.read)
            weight = sum(weight for weight, _, found, _ in branches if found == outcome)
            yield ThrowTaken(table, waits, given, outcome, Fraction(weight, branches[0][1]))
        if isinstance(table.submit(given), Refusal):
            raise ProcedureError(f"{given} is refused")


def outcome_of(table: Table, faces: tuple[int | str, ...]) -> Outcome:
    """Return what faces of the throw that a table waits for lead to, without giving them."""
    return table.rulebook.run(
        _top(table), lambda drm: Chance(lambda event: event.read(faces), drm), table.read
    )


def chance_of(scenario: Scenario, moments: int, inputs: Iterable[Input]) -> Fraction:
    """Return the chance of the dice of a game, its orders as they were given: the product over its throws."""
    return prod(
        (taken.chance for taken in throws_taken(scenario, moments, inputs)), start=Fraction(1)
    )


def _top(table: Table) -> Step:
    top = table.state.agenda[0]
    if not isinstance(top, Step):
        raise ProcedureError(f"{top} is not a step")
    return top
