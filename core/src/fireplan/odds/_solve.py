"""Exact passes over a chain, in integers: moment by moment, with a measure carried along.

Every probability is an integer over a denominator that is the same for all states at the opening of a moment, so
nothing is ever rounded and fractions are made only at the end. Cycles within a moment are solved first.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from math import lcm
from typing import Any, Protocol

import attrs

from fireplan.mission import Event, ProcedureError, Step
from fireplan.odds._chain import Chain, Edge
from fireplan.odds._cycles import without_cycles


class Measure(Protocol):
    """An automaton over events: a small hashable state that each event may move along.

    ``kinds`` are the kinds of events it looks at. Once ``settled``, nothing can change it any more, and the
    solver stops following that share.
    """

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of events that can move it."""

    @property
    def initial(self) -> Any:
        """Its state before anything happened."""

    def see(self, state: Any, event: Event, moment: int) -> Any:
        """Its state after an event of one of its kinds in that moment."""

    def see_apart(self, state: Any, step: Step, moment: int) -> Any:
        """Its state after a scoped step that was set apart (a strike on a place)."""

    def settled(self, state: Any) -> bool:
        """Whether no later event can change it."""


@attrs.frozen(eq=False)
class Plan:
    """A chain made ready for passes: the order of nodes within a moment, and an integer factor for every edge.

    ``common`` is the denominator of one whole moment.
    """

    chain: Chain
    order: tuple[int, ...]
    factors: tuple[tuple[int, ...], ...]
    settling: tuple[tuple[int, ...], ...]
    common: int


def plan(chain: Chain) -> Plan:
    """Order a chain for passes; cycles within a moment are solved exactly and replaced by their exits."""
    chain, order = without_cycles(chain)
    openings = {0} | {edge.target for edges in chain.edges for edge in edges if edge.ends}
    # The denominator of each node relative to the opening of its moment: the least one that serves all ways to it.
    scale = dict.fromkeys(openings, 1)
    ends = 1
    for node in order:
        if node not in scale:
            continue
        out = scale[node] * chain.totals[node]
        for edge in chain.edges[node]:
            if edge.ends:
                ends = lcm(ends, out)
            else:
                scale[edge.target] = lcm(scale.get(edge.target, 1), out)
    factors: list[tuple[int, ...]] = []
    settling: list[tuple[int, ...]] = []
    # A share that settles within a moment is counted at the moment's end, so every scale must divide ``ends``.
    common = lcm(ends, *(scale[n] * chain.totals[n] for n in order if n in scale))
    for node, edges in enumerate(chain.edges):
        out = scale.get(node, 1) * chain.totals[node]
        factors.append(
            tuple(
                edge.weight * ((common if edge.ends else scale[edge.target]) // out) if node in scale else 0
                for edge in edges
            )
        )
        settling.append(tuple(edge.weight * (common // out) if node in scale else 0 for edge in edges))
    return Plan(chain, order, tuple(factors), tuple(settling), common)


@attrs.frozen
class Distribution:
    """The exact distribution of a measure's state at the end; the shares sum to exactly 1."""

    shares: Mapping[Any, Fraction]

    def __attrs_post_init__(self) -> None:
        """Refuse a mass other than 1: it would be a fault of the solver."""
        total = sum(self.shares.values(), Fraction(0))
        if total != 1:
            msg = f"the shares sum to {total}, not 1"
            raise ProcedureError(msg)


def solve(ready: Plan, measure: Measure, moments: int) -> Distribution:
    """The exact distribution of a measure after that many moments."""
    for after in solve_each(ready, measure, moments):
        answer = after
    return answer


def solve_each(ready: Plan, measure: Measure, moments: int) -> Iterator[Distribution]:
    """The exact distribution of a measure after each of that many moments (at least one)."""
    chain = ready.chain
    letters = _letters(chain, measure)
    mass: dict[int, dict[Hashable, int]] = {0: {measure.initial: 1}}
    settled: dict[Hashable, int] = {}
    memo: dict[Any, Hashable] = {}
    for moment in range(moments):
        for state in settled:
            settled[state] *= ready.common
        following: dict[int, dict[Hashable, int]] = {}
        memo.clear()
        for node in ready.order:
            here = mass.pop(node, None)
            if here is None:
                continue
            factors = ready.factors[node]
            for position, edge in enumerate(chain.edges[node]):
                word = letters[node][position]
                factor = factors[position]
                into = following if edge.ends else mass
                there = into.get(edge.target)
                if there is None:
                    there = into[edge.target] = {}
                if not word:
                    for state, weight in here.items():
                        there[state] = there.get(state, 0) + weight * factor
                    continue
                for state, weight in here.items():
                    key = (state, word)
                    if key not in memo:
                        memo[key] = _read(measure, state, word, moment)
                    after = memo[key]
                    if measure.settled(after):
                        share = weight * ready.settling[node][position]
                        settled[after] = settled.get(after, 0) + share
                    else:
                        there[after] = there.get(after, 0) + weight * factor
        mass = {node: here for node, here in following.items() if here}
        yield _distribution(mass, settled, ready.common ** (moment + 1))


def _distribution(
    mass: Mapping[int, Mapping[Hashable, int]], settled: Mapping[Hashable, int], denominator: int
) -> Distribution:
    shares: dict[Hashable, int] = dict(settled)
    for here in mass.values():
        for state, weight in here.items():
            shares[state] = shares.get(state, 0) + weight
    return Distribution({state: Fraction(share, denominator) for state, share in shares.items() if share})


Word = tuple[Event | Step, ...]


def _letters(chain: Chain, measure: Measure) -> list[list[Word]]:
    """What the measure looks at, edge by edge."""
    kinds = measure.kinds

    def word(edge: Edge) -> Word:
        return (*(event for event in edge.events if event.kind in kinds), *edge.apart)

    return [[word(edge) for edge in edges] for edges in chain.edges]


def _read(measure: Measure, state: Hashable, word: Word, moment: int) -> Hashable:
    for letter in word:
        if isinstance(letter, Event):
            state = measure.see(state, letter, moment)
        else:
            state = measure.see_apart(state, letter, moment)
    return state
