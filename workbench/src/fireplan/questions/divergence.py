"""Divergence of readings: the smallest position at which two readings differ most.

The search has two stages. The first collects states. It follows shipped playthroughs, since they
reach nearly every rule. It then plays walks with random dice and random legal orders, preferring
orders like the standard one. Walks start from the opening positions of the playthroughs, from
tables written to tell readings apart, and from every shipped table. Half of them begin at the
opening, the others at the nearest state of the kind with the fewest starts so far. The kind of a
state is the order or roll that play waits for, with the state's enumerated and yes/no values. Each
state records the options that the rules read for the next input.

The second stage takes one option at a time. It compares the nearest states of every kind at which
the option was read (all states, if it was read at set-up) under both readings, over all orders or
all dice. Of the positions with the largest differing share, it keeps the one after the fewest
inputs, and among these the one with the shortest line. Both lines are read back, and they count
only if the difference appears again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from functools import partial
from itertools import islice, product
from math import prod
from typing import Any

import attrs

from fireplan import solver as solving
from fireplan.positions import UNFIT, Position, Source, Sources, position_of
from fireplan.table import Words
from fireplan_core import Ask, Order, Refusal
from fireplan_core.chance import RandomFaces
from fireplan_core.files import FileError
from fireplan_core.play import Answered, Input, Scenario, State, Table, Thrown

WALKS, INPUTS = 24, 40
"""Number of walks from each table, and of inputs in each walk."""
EACH = (1, 4, 12)
"""Each random choice draws one of these as the number of legal orders considered per form."""
MOST_TRIED = 600
"""Maximum number of positions compared for each pair of readings."""
MOST_NEXT = 1_296
"""Maximum number of orders or dice results compared at a position; larger ones are skipped."""
SEED, CLOCK = 1, "clock/moment"
NEVER = (Fraction(0), None)
Walked = dict[Source, tuple[int, list[Sequence[Input]]]]
"""Maps each table to its number of walks and the inputs of its playthroughs."""


@attrs.frozen
class Parting:
    """A position, after ``inputs`` inputs, at which two readings differ.

    ``by`` is the share of next orders or throws that differ, ``what`` an example, and ``lines`` the
    position's line in each reading.
    """

    by: Fraction
    what: str
    inputs: int
    lines: tuple[str, str]


@attrs.frozen(eq=False)
class Next:
    """The pending order or roll of a position, its state, and the result of each order or throw.

    ``ways`` maps each order or throw in words to its weight and its result. ``usual`` is the
    standard order in words, or "" for a roll.
    """

    waits: str
    before: Mapping[str, Any]
    ways: Mapping[str, tuple[Fraction, Any]]
    usual: str = ""


def parting(at_first: Position, at_second: Position) -> tuple[Fraction, str]:
    """Return the share of next orders or throws that differ between two positions, with an example.

    The result is 0 and "" if nothing differs, or if the next results of either position cannot be
    listed; it is 1 if different inputs are pending. Orders count equally, throws by their chance.
    If the shares under the two readings differ, the larger is returned. Raise ``FileError`` if the
    rules cannot continue under one reading.
    """
    first, second = _next(at_first), _next(at_second)
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
    all_ways = dict.fromkeys((*first.ways, *second.ways))
    apart = [
        way for way in all_ways if first.ways.get(way, NEVER)[1] != second.ways.get(way, NEVER)[1]
    ]
    if not apart and first.usual != second.usual:
        return Fraction(
            1, len(all_ways)
        ), f"{first.waits}: usually {first.usual}; in the other reading {second.usual}"
    if not apart:
        return Fraction(0), ""
    way = apart[0]
    one_sided = (
        "" if way in first.ways and way in second.ways else ", which only one reading allows"
    )
    sides = (
        [(way in apart, weight) for way, (weight, _) in at.ways.items()]
        for at in (first, second)
        if at.ways
    )
    share = max(
        sum(Fraction(weight) for parts, weight in side if parts) / sum(w for _, w in side)
        for side in sides
    )
    return Fraction(share), f"{first.waits}: {way}{one_sided}"


def _next(at: Position) -> Next | None:
    """Return the possible next results, or None if there are too many or play is over."""
    table = at.table(at.moment + 2)
    waits, mark = table.waits_for, table.mark()
    if waits is None:
        return None
    inputs: list[tuple[str, Input, Fraction]]
    usual, words = "", Words(at.scenario)
    if isinstance(waits, Ask):
        usual = words.typed.order(table.rulebook.answer(waits, {}, table.read))
        legal = table.rulebook.legal(waits, table.read)
        inputs = [
            (words.typed.order(order), Answered(waits.question, order), Fraction(1))
            for order in legal
        ]
        pending = f"{waits.who}: {waits.question}"
    else:
        fallen = islice(product(*(die.weights for die in waits.faces)), MOST_NEXT + 1)
        ways_to_fall = (zip(*dice, strict=True) for dice in fallen)
        inputs = [
            (" ".join(map(str, faces)), Thrown(waits.name, faces), Fraction(prod(w)))
            for faces, w in ways_to_fall
        ]
        pending = f"roll {waits.name}"
    if len(inputs) > MOST_NEXT:
        return None
    ways = {}
    for spoken, played, weight in inputs:
        answer = table.submit(played)
        if not isinstance(answer, Refusal):
            events = [(entry.event.kind, entry.event.fields) for entry in answer]
            ways[spoken] = weight, (table.state.values, table.state.agenda, events)
        table.back_to(mark)
    return Next(pending, mark.state.values, ways, usual)


@attrs.frozen(eq=False)
class Visited:
    """A state that walks reached; ``inputs`` is the smallest number of inputs leading to it.

    ``read`` contains the options that the rules read for the next input.
    """

    inputs: int
    state: State
    kind: Any
    read: frozenset[str]


@attrs.frozen(eq=False)
class Reached:
    """The states that shipped playthroughs and random play reach from each table.

    ``staged`` contains the options read at set-up.
    """

    sources: Sources
    staged: Mapping[Source, frozenset[str]]
    states: Mapping[Source, Sequence[Visited]]

    @classmethod
    def of(
        cls,
        sources: Sources,
        tables: Walked,
        noted: solving.NumberLog,
        progress: Callable[[str], None] = lambda _what: None,
    ) -> Reached:
        """Return the states reached from each table by its playthroughs and by random walks.

        The walks use seeded dice and legal orders. ``noted`` is the log of the numbers that the
        sources read. ``progress`` is called with a description after each playthrough and each
        walk.
        """
        staged, states = {}, {}
        for table, (walks, played) in tables.items():
            noted.take()
            scenario = sources.scenario(table)
            staged[table] = noted.take()
            step = partial(progress, f"walks: {table.name}")
            states[table] = _Walks(scenario, noted).visited(walks, played, step)
        return cls(sources, staged, states)

    def smallest(self, game: str, name: str, values: tuple[Any, Any]) -> Parting | None:
        """Return the smallest position at which two values of an option differ most.

        Return None if no difference was found.
        """
        found = self._partings(f"{game}:{name}", name, values)
        best = sorted(found, key=lambda one: (-one[0], one[1], len(str(one[2])), str(one[2])))
        return next(filter(None, map(self._read_back, best)), None)

    def _partings(
        self, noted: str, name: str, values: tuple[Any, Any]
    ) -> Iterator[tuple[Fraction, int, Position, Position]]:
        candidates: list[tuple[int, Visited, list[Source], list[Scenario]]] = []
        for table, states in self.states.items():
            pair = [attrs.evolve(table, options=((name, value),)) for value in values]
            try:
                laid = [self.sources.scenario(source) for source in pair]
            except FileError:
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
                continue  # this state cannot occur under one of the readings
            if by:
                yield by, visited.inputs, first, second
                most = visited.inputs if by == 1 else most

    def _read_back(self, candidate: tuple[Fraction, int, Position, Position]) -> Parting | None:
        """Return the difference between two positions, or None if their lines do not show it.

        ``candidate`` contains the differing share, the number of inputs, and the position in each
        reading.
        """
        by, inputs, *positions = candidate
        lines = tuple(map(str, positions))
        heads = (str(Position.of(at.source, at.scenario)) for at in positions)
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

    def visited(
        self, walks: int, played: Iterable[Sequence[Input]], progress: Callable[[], None]
    ) -> list[Visited]:
        """Return the states that the ``played`` input sequences and ``walks`` random walks reach.

        Those that need the fewest inputs come first. ``progress`` is called after each sequence
        and each walk.
        """
        for inputs in played:
            self._walk(RandomFaces(SEED), None, inputs)
            progress()
        begun: Counter[Any] = Counter()
        for walk in range(walks):
            begin = None
            if walk % 2:
                begin = min(self._nearest.values(), key=lambda one: (begun[one.kind], one.inputs))
                begun[begin.kind] += 1
            self._walk(RandomFaces(f"{SEED} {walk}"), begin)
            progress()
        return sorted(self._found.values(), key=lambda one: one.inputs)

    def _walk(
        self, dice: RandomFaces, begin: Visited | None, inputs_played: Sequence[Input] = ()
    ) -> None:
        state, inputs = (None, 0) if begin is None else (begin.state, begin.inputs)
        self._noted.take()
        table = Table(
            self._scenario, INPUTS + (0 if state is None else state.values.get(CLOCK, 0)), state
        )
        for after in range(inputs, inputs + (len(inputs_played) or INPUTS)):
            waits, state_now = table.waits_for, table.state
            if waits is not None:
                table.submit(inputs_played[after] if inputs_played else _drawn(table, waits, dice))
            kind = _kind(waits, state_now)
            before = self._found.get(state_now, Visited(after, state_now, kind, frozenset()))
            one = Visited(
                min(after, before.inputs), state_now, kind, before.read | self._noted.take()
            )
            self._found[state_now] = one
            if one.inputs <= self._nearest.get(kind, one).inputs:
                self._nearest[kind] = one
            if waits is None:
                return


def _kind(waits: Any, state: State) -> Any:
    """Return the name of the pending question or roll, and the state's enums and yes/no values."""
    plain = frozenset(
        (key, value) for key, value in state.values.items() if isinstance(value, bool | Enum)
    )
    return waits and waits.name, plain


def _drawn(table: Table, waits: Any, dice: RandomFaces) -> Input:
    if not isinstance(waits, Ask):
        return Thrown(waits.name, dice.faces(waits))
    legal = table.rulebook.legal(waits, table.read, each=EACH[dice.below(len(EACH))])
    verbs = sorted({order.verb for order in legal})
    verb = verbs[dice.below(len(verbs))]
    orders: list[Order] = sorted((order for order in legal if order.verb == verb), key=str)
    return Answered(waits.question, orders[dice.below(len(orders))])
