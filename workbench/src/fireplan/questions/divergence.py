"""Where two readings part: the smallest position at which they differ most.

The search has two stages. Shipped playthroughs are followed, since they reach nearly every rule,
and walks are played from the positions they begin with, from tables written for two readings to
part, and from every shipped table, by random dice and random legal orders, with orders like the
standard one more often. Half of the walks begin at the opening, the others at the nearest state of
a kind from which the fewest have begun (a kind: what play waits for, the stages, and every yes or
no). Each state notes which options the rules read to take what came next.

Then, option by option, the nearest states of every kind at which it was read (all states, if it was
read at set-up) are compared under both readings: every order that either offers, or every way the
dice can fall. Of the positions with the greatest differing share, the one after the fewest inputs
is kept, then the one with the shortest line. Both lines are read back, and count only if they show
the difference again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from itertools import islice, product
from math import prod
from typing import Any

import attrs

from fireplan import solver as solving
from fireplan.positions import UNFIT, Position, PositionError, Source, Sources, position_of
from fireplan.table import Words
from fireplan_core import Ask, Order, Refusal
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Answered, Input, Scenario, State, Table, Thrown

WALKS, INPUTS = 24, 40
"""Walks from each table, and inputs of each."""
EACH = (1, 4, 12)
"""Of how many legal orders of a form one is drawn, those most like the standard one first."""
MOST_TRIED = 600
"""The most positions compared for each pair of readings."""
MOST_NEXT = 1_296
"""The number of orders, or ways the dice can fall, beyond which a position is skipped."""
SEED, CLOCK = 1, "clock/moment"
NEVER = (Fraction(0), None)
Walked = dict[Source, tuple[int, list[Sequence[Input]]]]
"""For each table the number of walks that begin there, and the inputs of its playthroughs."""


@attrs.frozen
class Parting:
    """A position at which two readings part: the differing share, an example, and both lines."""

    by: Fraction
    what: str
    inputs: int
    lines: tuple[str, str]


@attrs.frozen(eq=False)
class Next:
    """What a position waits for, its state, the results of each order or throw."""

    waits: str
    before: Mapping[str, Any]
    ways: Mapping[str, tuple[Fraction, Any]]
    usual: str = ""


def parting(one: Position, other: Position) -> tuple[Fraction, str]:
    """Return the share of what can come next that differs between two positions, with an example.

    It is 0 and "" if nothing differs. Orders count equally, throws by their chance; of the shares
    that the two allow, the greater counts. Raises ``PositionError`` if the rules cannot go on under
    one reading.
    """
    first, second = _next(one), _next(other)
    if first is None or second is None:
        return Fraction(0), ""
    if first.waits != second.waits:
        return Fraction(1), f"{first.waits}; in the other reading {second.waits}"
    if first.before != second.before:
        keys = {*first.before, *second.before}
        changed = sorted(key for key in keys if first.before.get(key) != second.before.get(key))
        return Fraction(1), f"before {first.waits}: {', '.join(changed)}"
    return _apart(first, second)


def _apart(first: Next, second: Next) -> tuple[Fraction, str]:
    both = dict.fromkeys((*first.ways, *second.ways))
    apart = [way for way in both if first.ways.get(way, NEVER)[1] != second.ways.get(way, NEVER)[1]]
    if not apart and first.usual != second.usual:
        return Fraction(
            1, len(both)
        ), f"{first.waits}: usually {first.usual}; in the other reading {second.usual}"
    if not apart:
        return Fraction(0), ""
    way = apart[0]
    alone = "" if way in first.ways and way in second.ways else ", which one reading alone allows"
    sides = (
        [(way in apart, weight) for way, (weight, _) in at.ways.items()]
        for at in (first, second)
        if at.ways
    )
    share = max(
        sum(Fraction(weight) for parts, weight in side if parts) / sum(w for _, w in side)
        for side in sides
    )
    return Fraction(share), f"{first.waits}: {way}{alone}"


def _next(at: Position) -> Next | None:
    """Return what can come next; None if that is too much to compare, or play is over."""
    table = at.table(at.moment + 2)
    waits, mark = table.waits_for, table.mark()
    if waits is None:
        return None
    given: list[tuple[str, Input, Fraction]]
    usual, words = "", Words(at.scenario)
    if isinstance(waits, Ask):
        usual = words.order(table.rulebook.answer(waits, {}, table.read))
        legal = table.rulebook.legal(waits, table.read)
        given = [
            (words.order(order), Answered(waits.question, order), Fraction(1)) for order in legal
        ]
        told = f"{waits.who}: {waits.question}"
    else:
        fallen = islice(product(*(die.weights for die in waits.faces)), MOST_NEXT + 1)
        ways_to_fall = (zip(*dice, strict=True) for dice in fallen)
        given = [
            (" ".join(map(str, faces)), Thrown(waits.name, faces), Fraction(prod(w)))
            for faces, w in ways_to_fall
        ]
        told = f"roll {waits.name}"
    if len(given) > MOST_NEXT:
        return None
    ways = {}
    for spoken, one, weight in given:
        answer = table.submit(one)
        if not isinstance(answer, Refusal):
            said = [(entry.event.kind, entry.event.fields) for entry in answer]
            ways[spoken] = weight, (table.state.values, table.state.agenda, said)
        table.back_to(mark)
    return Next(told, mark.state.values, ways, usual)


@attrs.frozen(eq=False)
class Visited:
    """A state that walks reached, after the fewest inputs.

    ``read`` are the options that the rules read to take what came next.
    """

    inputs: int
    state: State
    kind: Any
    read: frozenset[str]


@attrs.frozen(eq=False)
class Reached:
    """The states that random play reaches, for each table.

    ``staged`` are the options read at set-up.
    """

    sources: Sources
    staged: Mapping[Source, frozenset[str]]
    states: Mapping[Source, Sequence[Visited]]

    @classmethod
    def of(cls, sources: Sources, tables: Walked, noted: solving.NumberLog) -> Reached:
        """Walk from each table by seeded dice and legal orders.

        ``noted`` is the log of the sources.
        """
        staged, states = {}, {}
        for table, (walks, played) in tables.items():
            noted.take()
            scenario = sources.scenario(table)
            staged[table] = noted.take()
            states[table] = _Walks(scenario, noted).visited(walks, played)
        return cls(sources, staged, states)

    def smallest(self, game: str, name: str, values: tuple[Any, Any]) -> Parting | None:
        """Return the smallest position at which two values of an option differ most, else None."""
        found = self._partings(f"{game}:{name}", name, values)
        best = sorted(found, key=lambda one: (-one[0], one[1], len(str(one[2])), str(one[2])))
        return next(filter(None, map(self._told, best)), None)

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
            for visited in states:
                if everywhere or noted in visited.read:
                    candidates.append((kinds[visited.kind], visited, pair, laid))
                    kinds[visited.kind] += 1
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
        """Return a parting with its lines read back; None if they do not show it again."""
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
    def __init__(self, scenario: Scenario, noted: solving.NumberLog) -> None:
        self._scenario, self._noted = scenario, noted
        self._found: dict[State, Visited] = {}
        self._nearest: dict[Any, Visited] = {}

    def visited(self, walks: int, played: Iterable[Sequence[Input]]) -> list[Visited]:
        """Return the states at which play waits, the nearest first."""
        for given in played:
            self._walk(RandomFaces(SEED), None, given)
        begun: Counter[Any] = Counter()
        for walk in range(walks):
            begin = None
            if walk % 2:
                begin = min(self._nearest.values(), key=lambda one: (begun[one.kind], one.inputs))
                begun[begin.kind] += 1
            self._walk(RandomFaces(f"{SEED} {walk}"), begin)
        return sorted(self._found.values(), key=lambda one: one.inputs)

    def _walk(self, dice: RandomFaces, begin: Visited | None, given: Sequence[Input] = ()) -> None:
        state, inputs = (None, 0) if begin is None else (begin.state, begin.inputs)
        self._noted.take()
        table = Table(
            self._scenario, INPUTS + (0 if state is None else state.values.get(CLOCK, 0)), state
        )
        for after in range(inputs, inputs + (len(given) or INPUTS)):
            waits, here = table.waits_for, table.state
            if waits is not None:
                table.submit(given[after] if given else _drawn(table, waits, dice))
            kind = _kind(waits, here)
            before = self._found.get(here, Visited(after, here, kind, frozenset()))
            one = Visited(min(after, before.inputs), here, kind, before.read | self._noted.take())
            self._found[here] = one
            if one.inputs <= self._nearest.get(kind, one).inputs:
                self._nearest[kind] = one
            if waits is None:
                return


def _kind(waits: Any, state: State) -> Any:
    """Return what play waits for, with the stages and every yes or no of a state."""
    plain = frozenset(
        (key, value) for key, value in state.values.items() if isinstance(value, bool | Enum)
    )
    return getattr(waits, "question", None) or getattr(waits, "name", None), plain


def _drawn(table: Table, waits: Any, dice: RandomFaces) -> Input:
    if not isinstance(waits, Ask):
        return Thrown(waits.name, dice.faces(waits))
    legal = table.rulebook.legal(waits, table.read, each=EACH[dice.below(len(EACH))])
    verbs = sorted({order.verb for order in legal})
    verb = verbs[dice.below(len(verbs))]
    orders: list[Order] = sorted((order for order in legal if order.verb == verb), key=str)
    return Answered(waits.question, orders[dice.below(len(orders))])
