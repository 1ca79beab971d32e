"""Where two readings part: the smallest position, of those random play comes to, at which they differ most.

The search has two stages. Walks are played from every shipped table by random dice and random legal orders, those most
like the standard one more often; half of them begin at the opening, the others at the nearest state of that kind from
which the fewest have begun (a kind: what play waits for, the stages, and every yes or no); half of them leave strikes
out. At each state it is noted which options the rules read to take what came next. Then, option by option, the nearest
states of every kind at which it was read, or all where it was read as the table was set up, are looked at under both
readings, strikes like anything else: every order that either has on offer, or every way the dice can fall. Of the
positions with the greatest share that parts, the one after the fewest inputs is kept, then the one with the shortest
line. Both its lines are read back, and count only if they say so again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import attrs

from fireplan import solver as solving
from fireplan.positions import UNFIT, Position, PositionError, Source, Sources, position_of
from fireplan_core import Ask, Order, Refusal
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Answered, Input, Scenario, State, Table, Thrown

WALKS, INPUTS = 24, 40
"""Walks from each table, and inputs of each."""
EACH = (1, 4, 12)
"""Of each form of order one is drawn from so many that are legal, those most like the standard one before others."""
MOST_TRIED = 120
"""Positions that are looked at for each pair of readings."""
MOST_NEXT = 1_296
"""Orders, or ways the dice can fall, from which a position is passed over."""
SEED, CLOCK = 1, "clock/moment"
NEVER = (Fraction(0), None)


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
        ways_to_fall = (zip(*fallen, strict=True) for fallen in product(*(die.weights for die in waits.faces)))
        given = [(Thrown(waits.name, faces), Fraction(prod(weights))) for faces, weights in ways_to_fall]
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
class Visited:
    """A state that walks came to: after the fewest inputs, and the options that were read for what came next."""

    inputs: int
    state: State
    kind: Any
    read: frozenset[str]


@attrs.frozen(eq=False)
class Reached:
    """The states that random play comes to, of each table; ``staged`` are the options read as it was set up."""

    sources: Sources
    staged: Mapping[Source, frozenset[str]]
    states: Mapping[Source, Sequence[Visited]]

    @classmethod
    def of(cls, sources: Sources, tables: Sequence[Source], noted: solving.NumberLog, walks: int = WALKS) -> Reached:
        """Walk from each table by seeded dice and legal orders; ``noted`` is what the sources were given."""
        staged, states = {}, {}
        for table in tables:
            noted.take()
            scenario = sources.scenario(table)
            staged[table] = noted.take()
            states[table] = _Walks(scenario, noted).visited(walks)
        return cls(sources, staged, states)

    def smallest(self, game: str, name: str, values: tuple[Any, Any]) -> Parting | None:
        """Return the smallest position at which two values of an option differ most; None where none was come to."""
        found = sorted(self._partings(f"{game}:{name}", name, values), key=lambda one: (-one[0], one[1]))
        while found:
            best = [one for one in found if one[:2] == found[0][:2]]
            told = sorted((one for one in map(self._told, best) if one), key=lambda one: (len(one.lines[0]), one.lines))
            if told:
                return told[0]
            found = found[len(best) :]
        return None

    def _partings(
        self, noted: str, name: str, values: tuple[Any, Any]
    ) -> Iterator[tuple[Fraction, int, Position, Position]]:
        candidates: list[tuple[int, Visited, list[Source], list[Scenario]]] = []
        for table, states in self.states.items():
            pair = [attrs.evolve(table, options=((name, value),)) for value in values]
            try:
                laid = [self.sources.scenario(source) for source in pair]
            except PositionError:
                continue
            everywhere = noted in self.staged[table]
            kinds: Counter[Any] = Counter()
            for one in states:
                if everywhere or noted in one.read:
                    candidates.append((kinds[one.kind], one, pair, laid))
                    kinds[one.kind] += 1
        candidates.sort(key=lambda one: (one[0], one[1].inputs))
        most = 2**31
        for _, visited, pair, laid in candidates[:MOST_TRIED]:
            if visited.inputs > most:
                continue
            now = visited.state if visited.inputs else None
            first, second = (Position.of(*both, now) for both in zip(pair, laid, strict=True))
            try:
                by, _ = parting(first, second)
            except UNFIT:
                continue  # a state that one of the readings never comes to
            if by:
                yield by, visited.inputs, first, second
                most = visited.inputs if by == 1 else most

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


class _Walks:
    """Walks from one table."""

    def __init__(self, scenario: Scenario, noted: solving.NumberLog) -> None:
        self._scenario, self._noted = scenario, noted
        self._found: dict[State, Visited] = {}
        self._nearest: dict[Any, Visited] = {}

    def visited(self, walks: int) -> list[Visited]:
        """Return the states at which play waits, the nearest first."""
        begun: Counter[Any] = Counter()
        for walk in range(walks):
            begin = None
            if walk % 2:
                begin = min(self._nearest.values(), key=lambda one: (begun[one.kind], one.inputs))
                begun[begin.kind] += 1
            self._walk(RandomFaces(f"{SEED} {walk}"), begin, strikes=walk // 2 % 2 == 0)
        return sorted(self._found.values(), key=lambda one: one.inputs)

    def _walk(self, dice: RandomFaces, begin: Visited | None, *, strikes: bool) -> None:
        state, inputs = (None, 0) if begin is None else (begin.state, begin.inputs)
        table = self._table(state, strikes=strikes)
        for after in range(inputs, inputs + INPUTS):
            waits, here = table.waits_for, table.state
            self._noted.take()
            if waits is not None:
                table.submit(_drawn(table, waits, dice))
            kind = _kind(waits, here)
            before = self._found.get(here, Visited(after, here, kind, frozenset()))
            one = Visited(min(after, before.inputs), here, kind, before.read | self._noted.take())
            self._found[here] = one
            if one.inputs <= self._nearest.get(kind, one).inputs:
                self._nearest[kind] = one
            if waits is None:
                return
            if not strikes and table.state.agenda[:1] and table.state.agenda[0].scope:
                table = self._table(table.state, strikes=False)

    def _table(self, state: State | None, *, strikes: bool) -> Table:
        """Return a table that goes on from a state; without strikes those that are under way do nothing."""
        moments = INPUTS + (0 if state is None else state.values.get(CLOCK, 0))
        table = Table(self._scenario, moments, state)
        while not strikes and table.state.agenda[:1] and table.state.agenda[0].scope:
            rest = tuple(one for one in table.state.agenda if not one.scope)
            table = Table(self._scenario, moments, State(table.state.values, rest))
        return table


def _kind(waits: Any, state: State) -> Any:
    """Return what play waits for, with the stages and every yes or no of a state."""
    plain = frozenset((key, value) for key, value in state.values.items() if isinstance(value, bool | Enum))
    return getattr(waits, "question", None) or getattr(waits, "name", None), plain


def _drawn(table: Table, waits: Any, dice: RandomFaces) -> Input:
    if not isinstance(waits, Ask):
        return Thrown(waits.name, dice.faces(waits))
    legal = table.rulebook.legal(waits, table.read, each=EACH[dice.below(len(EACH))])
    verbs = sorted({order.verb for order in legal})
    verb = verbs[dice.below(len(verbs))]
    orders: list[Order] = sorted((order for order in legal if order.verb == verb), key=str)
    return Answered(waits.question, orders[dice.below(len(orders))])
