"""Where two readings part: the smallest position, of those random play comes to, at which they differ most.

The search: from every shipped table walks are played under the first reading: random dice, and random legal orders or,
every other walk, those of the standard doctrine. At each state they come to, what can come next is tried under both
readings: every order that either has on offer, or every way the dice can fall. Of the positions with the greatest share
that parts, the one after the fewest inputs is kept, then the one with the shortest line. Both its lines are read back,
and count only if they say so again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import attrs

from fireplan.positions import Position, PositionError, Source, Sources, position_of
from fireplan_core import Ask, Order, ProcedureError, Refusal
from fireplan_core.chance import ChanceError, RandomFaces
from fireplan_core.play import Answered, Input, Scenario, State, Table, Thrown

WALKS, INPUTS = 6, 24
"""Walks from each table, every other one by the standard doctrine instead of random orders; and inputs of each."""
MOST_NEXT = 1_296
"""Orders, or ways the dice can fall, from which a position is passed over."""
SEED = 1
NEVER = (Fraction(0), None)
UNFIT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, ChanceError, ProcedureError)


@attrs.frozen
class Parting:
    """A position at which two readings part: the share of what can come next that does, an example, and both lines."""

    by: Fraction
    what: str
    inputs: int
    lines: tuple[str, str]


@attrs.frozen(eq=False)
class Next:
    """Say what a position waits for, what changes until then, and what each order or throw changes, with its weight."""

    waits: str
    before: Mapping[str, Any]
    ways: Mapping[str, tuple[Fraction, Any]]


def parting(one: Position, other: Position) -> tuple[Fraction, str]:
    """Return the share of what can come next for which two positions part, with an example; 0 and "" for none.

    Orders count alike, throws by their chance; of what the two allow, the greater share.
    Raises ``PositionError`` where the rules cannot go on under one.
    """
    first, second = _next(one), _next(other)
    if first is None or second is None:
        return Fraction(0), ""
    if first.waits != second.waits:
        return Fraction(1), f"{first.waits}; in the other reading {second.waits}"
    if first.before != second.before:
        keys = (*first.before, *second.before)
        changed = sorted({key for key in keys if first.before.get(key) != second.before.get(key)})
        return Fraction(1), f"before {first.waits}: {', '.join(changed)}"
    both = dict.fromkeys((*first.ways, *second.ways))
    apart = [way for way in both if first.ways.get(way, NEVER)[1] != second.ways.get(way, NEVER)[1]]
    if not apart:
        return Fraction(0), ""
    way = apart[0]
    alone = "" if way in first.ways and way in second.ways else ", which one reading alone allows"
    shares = [
        sum((ways.get(way, NEVER)[0] for way in apart), Fraction(0)) / sum(weight for weight, _ in ways.values())
        for ways in (first.ways, second.ways)
        if ways
    ]
    return max(shares), f"{first.waits}: {way}{alone}"


def _next(at: Position) -> Next | None:
    """Return what can come next; None where that is too much to be looked at, or play is over."""
    table = at.table(at.moment + 2)
    waits, mark = table.waits_for, table.mark()
    if waits is None:
        return None
    given: list[tuple[Input, Fraction]]
    if isinstance(waits, Ask):
        given = [(Answered(waits.question, order), Fraction(1)) for order in table.rulebook.legal(waits, table.read)]
        told = f"{waits.who}: {waits.question}"
    else:
        if prod(len(die.weights) for die in waits.faces) > MOST_NEXT:
            return None
        given = []
        for fallen in product(*(die.weights for die in waits.faces)):
            faces = tuple(face for face, _ in fallen)
            given.append(
                (Thrown(waits.name, faces), prod((Fraction(weight) for _, weight in fallen), start=Fraction(1)))
            )
        told = f"roll {waits.name}"
    if len(given) > MOST_NEXT:
        return None
    ways = {}
    for one, weight in given:
        answer = table.submit(one)
        if not isinstance(answer, Refusal):
            changed = (_updates(mark.state, table.state), table.state.agenda)
            ways[_spoken(one)] = weight, changed
        table.back_to(mark)
    return Next(told, _updates(at.state, mark.state), ways)


def _spoken(one: Input) -> str:
    return " ".join(map(str, one.faces)) if isinstance(one, Thrown) else str(one.order)


def _updates(before: State, after: State) -> dict[str, Any]:
    return {key: value for key, value in after.values.items() if before.values.get(key) != value}


@attrs.frozen(eq=False)
class Reached:
    """The states that random play comes to, of each table: after how many inputs, and the state."""

    sources: Sources
    states: Mapping[Source, Sequence[tuple[int, State]]]

    @classmethod
    def of(cls, sources: Sources, tables: Sequence[Source], walks: int = WALKS) -> Reached:
        """Walk from each table by seeded dice and legal orders."""
        return cls(sources, {table: _walked(sources.scenario(table), walks) for table in tables})

    def __len__(self) -> int:
        """Return how many states there are in all."""
        return sum(map(len, self.states.values()))

    def smallest(self, name: str, values: tuple[Any, Any]) -> Parting | None:
        """Return the smallest position at which two values of an option differ most; None where none was come to."""
        found = sorted(self._partings(name, values), key=lambda one: (-one[0], one[1]))
        while found:
            best = [one for one in found if one[:2] == found[0][:2]]
            told = sorted((one for one in map(self._told, best) if one), key=lambda one: (len(one.lines[0]), one.lines))
            if told:
                return told[0]
            found = found[len(best) :]
        return None

    def _partings(self, name: str, values: tuple[Any, Any]) -> Iterator[tuple[Fraction, int, Position, Position]]:
        most = 2**31
        for table, states in self.states.items():
            pair = [attrs.evolve(table, options=((name, value),)) for value in values]
            try:
                laid = [self.sources.scenario(source) for source in pair]
            except PositionError:
                continue
            for inputs, state in states:
                if inputs > most:
                    break
                now = state if inputs else None
                one, other = (Position.of(*both, now) for both in zip(pair, laid, strict=True))
                try:
                    by, _ = parting(one, other)
                except UNFIT:
                    continue  # a state that one of the readings never comes to
                if by:
                    yield by, inputs, one, other
                    most = inputs if by == 1 else most

    def _told(self, found: tuple[Fraction, int, Position, Position]) -> Parting | None:
        """Return a parting by its lines, read back; None where these do not say the same of both readings."""
        by, inputs, *both = found
        lines = tuple(map(str, both))
        heads = (str(Position.of(at.source, at.scenario)) for at in both)
        if len({line.removeprefix(head) for line, head in zip(lines, heads, strict=True)}) > 1:
            return None
        try:
            again, what = parting(*(position_of(line, self.sources) for line in lines))
        except UNFIT:
            return None
        return Parting(by, what, inputs, (lines[0], lines[1])) if again == by else None


def _walked(scenario: Scenario, walks: int) -> list[tuple[int, State]]:
    """Return the states at which play waits, each after the fewest inputs of these walks, the nearest first."""
    found: dict[State, int] = {}
    opened = Table(scenario, INPUTS)
    begun = opened.mark()
    for walk in range(walks):
        dice, table = RandomFaces(f"{SEED} {walk}"), opened
        table.back_to(begun)
        for inputs in range(INPUTS):
            waits = table.waits_for
            found[table.state] = min(inputs, found.get(table.state, inputs))
            if waits is None:
                break
            table.submit(_drawn(table, waits, dice, by_doctrine=walk % 2 == 1))
    return sorted(((inputs, state) for state, inputs in found.items()), key=lambda one: one[0])


def _drawn(table: Table, waits: Any, dice: RandomFaces, *, by_doctrine: bool) -> Input:
    if not isinstance(waits, Ask):
        return Thrown(waits.name, dice.faces(waits))
    if by_doctrine:
        return Answered(waits.question, table.rulebook.answer(waits, {}, table.read))
    legal: list[Order] = sorted(table.rulebook.legal(waits, table.read), key=str)
    return Answered(waits.question, legal[dice.below(len(legal))])
