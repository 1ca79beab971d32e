"""Exact passes over a chain, in integers: moment by moment, with a measure carried along.

Every probability is an integer over a denominator that is the same for all states at the opening of a moment, so
nothing is ever rounded and fractions are made only at the end. Cycles within a moment are solved first, and what a
measure cannot tell apart is lumped before it is passed over.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Protocol

import attrs

from fireplan.mission import Event, ProcedureError, Step
from fireplan.odds._chain import Chain, Told
from fireplan.odds._cycles import Links, without_cycles
from fireplan.odds._lump import Lumped, Onlooker, lumped

Letter = Event | Step
Word = tuple[Letter, ...]


class Measure(Protocol):
    """An automaton over events: a small hashable state that each event may move along.

    ``kinds`` are the kinds of events it looks at, ``scope`` the one place whose strikes it looks at where they are
    set apart (or ``""``). Once ``settled``, nothing can change it any more, and the solver stops following that
    share.
    """

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of events that can move it."""

    @property
    def scope(self) -> str:
        """The place whose strikes can move it."""

    @property
    def initial(self) -> Hashable:
        """Its state before anything happened."""

    def see(self, state: Any, letter: Any, moment: int) -> Any:
        """Its state after an event of one of its kinds, or a strike on its place, in that moment."""

    def settled(self, state: Any) -> bool:
        """Whether no later event can change it."""


@attrs.frozen(eq=False)
class Plan:
    """A chain ready to be looked at: no cycles within a moment, and states that are alike to everybody made one.

    What is told on a way is ``(events, strikes set apart)``, or None.
    """

    links: Links
    told: Sequence[Told | None]
    order: Sequence[int]
    start: int


def plan(chain: Chain) -> Plan:
    """Ready a chain; cycles within a moment are solved exactly and replaced by their exits."""
    links, _, order = without_cycles(chain)
    seen = lumped(links, chain.tolds, order, 0, [_without_modifiers])
    return Plan(seen.links, seen.seen, seen.order, seen.starts[0])


def _without_modifiers(told: Told) -> Told | None:
    """What is told but for the modifiers: these explain a roll and no measure looks at them."""
    events = tuple(event for event in told[0] if event.kind != "modifier")
    return (events, told[1]) if events or told[1] else None


@attrs.frozen
class Distribution:
    """The exact distribution of a measure's state at the end; the shares sum to exactly 1."""

    shares: Mapping[Any, Fraction]

    def __attrs_post_init__(self) -> None:
        """Refuse a mass other than 1: it would be a fault of the solver."""
        total = sum(self.shares.values(), Fraction(0))
        if total != 1:
            raise ProcedureError(f"the shares sum to {total}, not 1")


@attrs.frozen(eq=False)
class Focus:
    """A chain as one measure sees it, with integer factors: ``(target, factor, ends, word, factor if settled)``.

    A word is a number of ``words``, 0 for nothing seen.

    ``common`` is the denominator of one whole moment; mass at a node is kept in parts of its ``scale``.
    """

    measure: Measure
    start: int
    order: tuple[int, ...]
    scale: Mapping[int, int]
    ways: tuple[tuple[tuple[int, int, bool, int, int], ...], ...]
    words: tuple[Word, ...]
    common: int


def focus(ready: Plan, measures: Sequence[Measure]) -> tuple[Focus, ...]:
    """The chain as each measure sees it: lumped together, so that what looks alike to two of them is one."""
    onlookers = [_onlooker(measure) for measure in measures]
    seen = lumped(ready.links, ready.told, ready.order, ready.start, onlookers)
    return tuple(_focus(seen, start, measure) for start, measure in zip(seen.starts, measures, strict=True))


def _onlooker(measure: Measure) -> Onlooker:
    kinds, scope = measure.kinds, measure.scope

    def look(told: Told | None) -> Word | None:
        if told is None:
            return None
        events: Word = tuple(event for event in told[0] if event.kind in kinds)
        # A measure knows its place, so it sees only "a strike": places that are struck alike then look alike.
        strikes: Word = tuple(placeless(step) for step in told[1] if step.scope == scope) if scope else ()
        return events + strikes or None

    return look


def placeless(strike: Step) -> Step:
    """A strike without its place: mission and strength."""
    mission, _, *rest = strike.args
    return Step(strike.name, (mission, *rest))


def _focus(seen: Lumped, start: int, measure: Measure) -> Focus:
    order = _reached(seen, start)
    scale = dict.fromkeys(order, 1)
    totals = {node: sum(weight for _, weight, _, _ in seen.links[node]) for node in order}
    common = 1
    # The denominator of each node relative to the opening of its moment: the least one that serves all ways to it.
    for node in order:
        out = scale[node] * totals[node]
        common = lcm(common, out)
        for target, _, _, ends in seen.links[node]:
            if not ends:
                scale[target] = lcm(scale[target], out)
    ways: list[tuple[tuple[int, int, bool, int, int], ...]] = [()] * len(seen.links)
    for node in order:
        out = scale[node] * totals[node]
        ways[node] = tuple(
            (
                target,
                weight * ((common * scale[target] if ends else scale[target]) // out),
                ends,
                word,
                weight * (common // out),
            )
            for target, weight, word, ends in seen.links[node]
        )
    words = tuple(word or () for word in seen.seen)
    return Focus(measure, start, order, scale, tuple(ways), words, common)


def _reached(seen: Lumped, start: int) -> tuple[int, ...]:
    """The classes that can be reached, running downhill."""
    reached = {start}
    todo = [start]
    while todo:
        for target, _, _, _ in seen.links[todo.pop()]:
            if target not in reached:
                reached.add(target)
                todo.append(target)
    return tuple(node for node in seen.order if node in reached)


def solve(ready: Plan, measure: Measure, moments: int) -> Distribution:
    """The exact distribution of a measure after that many moments (at least one)."""
    (seen,) = focus(ready, [measure])
    for after in passes(seen, moments):
        answer = after
    return answer()


def solve_each(ready: Plan, measure: Measure, moments: int) -> Iterator[Distribution]:
    """The exact distribution of a measure after each of that many moments."""
    (seen,) = focus(ready, [measure])
    for after in passes(seen, moments):
        yield after()


class After:
    """Where the mass stands after a moment; call it for the distribution."""

    def __init__(
        self,
        scale: Mapping[int, int],
        states: Sequence[Hashable],
        mass: Mapping[int, Mapping[int, int]],
        settled: Mapping[int, int],
        denominator: int,
    ) -> None:
        self._scale = scale
        self._states = states
        self._mass = mass
        self._settled = settled
        self._denominator = denominator

    def __call__(self) -> Distribution:
        """The shares as fractions."""
        shares: dict[int, int] = dict(self._settled)
        for node, here in self._mass.items():
            for state, weight in here.items():
                shares[state] = shares.get(state, 0) + weight // self._scale[node]
        return Distribution(
            {self._states[state]: Fraction(share, self._denominator) for state, share in shares.items() if share}
        )


class _Reader:
    """A measure read with its states numbered, so that the passes handle small numbers only."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._ids: dict[Hashable, int] = {measure.initial: 0}
        self.states: list[Hashable] = [measure.initial]

    def read(self, state: int, word: Word, moment: int) -> tuple[int, bool]:
        """The state after a word, and whether it is settled."""
        after = self.states[state]
        for letter in word:
            after = self._measure.see(after, letter, moment)
        number = self._ids.get(after)
        if number is None:
            number = self._ids[after] = len(self.states)
            self.states.append(after)
        return number, self._measure.settled(after)


def passes(seen: Focus, moments: int) -> Iterator[After]:
    """Carry the mass through that many moments; yields after each."""
    common = seen.common
    reader = _Reader(seen.measure)
    mass: dict[int, dict[int, int]] = {seen.start: {0: seen.scale[seen.start]}}
    settled: dict[int, int] = {}
    for moment in range(moments):
        settled = {state: share * common for state, share in settled.items()}
        following: dict[int, dict[int, int]] = {}
        memo: dict[tuple[int, int], tuple[int, bool]] = {}
        for node in seen.order:
            here = mass.pop(node, None)
            if here is None:
                continue
            for target, factor, ends, word, settling in seen.ways[node]:
                into = following if ends else mass
                there = into.get(target)
                if there is None:
                    there = into[target] = {}
                if not word:
                    for state, weight in here.items():
                        there[state] = there.get(state, 0) + weight * factor
                    continue
                for state, weight in here.items():
                    read = memo.get((state, word))
                    if read is None:
                        read = memo[state, word] = reader.read(state, seen.words[word], moment)
                    after, done = read
                    if done:
                        settled[after] = settled.get(after, 0) + weight * settling
                    else:
                        there[after] = there.get(after, 0) + weight * factor
        mass = {node: here for node, here in following.items() if here}
        yield After(seen.scale, reader.states, mass, settled, common ** (moment + 1))
