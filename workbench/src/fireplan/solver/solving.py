"""Measures solved on a chain: states that a measure cannot tell apart are made one before chances are passed on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from fireplan.solver.chain import Chain, Emission, Leaf, Link, without_cycles
from fireplan.solver.compile import Compiler
from fireplan.solver.explore import Explorer, Unread
from fireplan.solver.factors import LONG
from fireplan.solver.lump import Last, Layer, Layers, Observation, layers_of, lumped
from fireplan.solver.passes import Distribution, Measure, Reader, Sign, Word, moved_by, passes
from fireplan_core import Event, ProcedureError, Step


def reweighed(chain: Chain, compiler: Compiler) -> Chain | None:
    """Return the chain with the weights that this compiler's rows give.

    The same object where none has changed.

    The steps that rest on a number are run again in the situations that were met. Where each does
    what it did, if with other weights (0 too), the chain is weighed anew; None where one does or
    reads anything new, so that it must be explored anew. The compiler's scenario must open as the
    chain's did.
    """
    basis = chain.basis or chain
    weights = None if basis.explorer is None else _weights(basis.explorer, compiler)
    if weights is None:
        return None
    if weights == chain.reweighed:
        return chain
    links, totals = list(basis.links), list(basis.totals)
    for node, leaf in enumerate(basis.leaves):
        if leaf in weights:
            own = weights[leaf]
            links[node] = [
                (target, weight, emission, ends)
                for (target, _, emission, ends), weight in zip(links[node], own, strict=True)
                if weight
            ]
            totals[node] = sum(own)
    return attrs.evolve(basis, links=links, totals=totals, reweighed=weights, basis=basis)


def _weights(explorer: Explorer, compiler: Compiler) -> dict[Leaf, list[int]] | None:
    found: dict[Leaf, list[int]] = {}
    altered = len(explorer.altered)
    for leaf in explorer.leaves:
        if explorer.journey.sets_apart(leaf.pending):
            continue
        weights: list[int] = []
        for read, before in leaf.situations:
            try:
                rows = compiler.rows(leaf.pending, _finding(read))
                effects = None if rows is before else explorer.summed(rows)
            except (Exception, Unread):  # noqa: BLE001 - whatever a rule does where it can perhaps not come any more
                return None
            new = (
                leaf.weights
                if effects is None
                else [effects.pop(effect, 0) for effect, _ in leaf.effects]
            )
            # Values that were made one must stay alike.
            if effects or (weights and new != weights) or len(explorer.altered) > altered:
                return None
            weights = new
        if weights != leaf.weights:
            found[leaf] = weights
    return found


def _finding(values: Mapping[str, Any]) -> Callable[[str, Any], Any]:
    """Finds what was read before, and nothing else."""

    def get(key: str, default: Any) -> Any:
        if key not in values:
            raise Unread(key, default)
        return values[key]

    return get


class Opened:
    """A chain with all weights left open that rest on numbers, as onlookers see it whatever these weights are."""

    def __init__(self, chain: Chain, order: Sequence[int]) -> None:
        self._chain = chain
        self.order = order
        self._numbers: dict[Leaf, int] = {}
        self._open: dict[int, int] = {}
        """By node the number of its leaf, from 1 on."""
        self._links = list(chain.links)
        self._seen: dict[Hashable, list[Layers]] = {}
        for node, leaf in enumerate(chain.leaves):
            if leaf is not None and any(rows.numbers for _, rows in leaf.situations):
                self._open[node] = self._numbers.setdefault(leaf, len(self._numbers) + 1)
                self._links[node] = [
                    (target, 1 << bit, emission, ends)
                    for bit, (target, _, emission, ends) in enumerate(chain.links[node])
                ]

    def serves(self, chain: Chain) -> bool:
        """Return whether all weights that a chain has other than this one were left open."""
        return chain.basis is self._chain and all(leaf in self._numbers for leaf in chain.reweighed)

    def seen(self, chain: Chain, observations: Sequence[Observation], moments: int) -> list[Layers]:
        """Return a reweighed chain in layers, as onlookers see it (those that are equal see the same)."""
        key = (tuple(observations), moments)
        known = self._seen.get(key)
        if known is None:
            layers = layers_of(self._chain, self._links, self.order, moments, self._open)
            known = self._seen[key] = lumped(layers, observations)
        weights = [(), *(chain.reweighed.get(leaf, leaf.weights) for leaf in self._numbers)]
        sums: dict[tuple[int, int], int] = {}
        return [_closed(layers, weights, sums) for layers in known]


def _closed(
    chain: Layers, weights: Sequence[Sequence[int]], sums: dict[tuple[int, int], int]
) -> Layers:
    """A chain with its open weights put in; ways of no weight are left out."""
    links = list(chain.layers[0].links)
    for node, number in chain.open.items():
        transitions: list[Link] = []
        for target, bits, emission, ends in links[node]:
            weight = sums.get((number, bits))
            if weight is None:
                own = weights[number]
                weight = sums[number, bits] = sum(
                    own[bit] for bit in range(len(own)) if bits >> bit & 1
                )
            if weight:
                transitions.append((target, weight, emission, ends))
        links[node] = transitions
    layers = [Layer(layer.order, links) for layer in chain.layers]
    return Layers(layers, chain.start, chain.emission, chain.timed)


class Plan:
    """A chain ready to be looked at by any number of measures.

    States that are alike to everybody are made one first; cycles within a moment are solved exactly
    and replaced by their exits. With ``opened`` it is the chain of another plan with other weights
    (``reweighed``). Raises ``ProcedureError`` for a moment that never ends.
    """

    def __init__(self, chain: Chain, opened: Opened | None = None) -> None:
        self.chain = chain
        self._links, self._order = (
            (chain.links, opened.order) if opened else without_cycles(chain)[::2]
        )
        self._opened = opened
        self._lumped: dict[int, Layers] = {}
        self._seen: dict[Hashable, list[Layers]] = {}

    def layers(self, moments: int, *, modifiers: bool = False) -> Layers:
        """Return the chain as layers for so many moments.

        They show modifiers where that is asked for. Raises ``ProcedureError`` then for a chain with
        cycles in a moment.
        """
        if modifiers and self._links is not self.chain.links:
            raise ProcedureError(
                "modifiers within a cycle of one moment cannot be counted: sample instead"
            )
        if modifiers or moments not in self._lumped:
            asked = layers_of(self.chain, self._links, self._order, moments)
            if modifiers:
                return asked
            (self._lumped[moments],) = lumped(asked, [_without_modifiers])
        return self._lumped[moments]

    def varied(self, chain: Chain) -> Plan:
        """Return the plan of this one's chain reweighed."""
        # Cycles within a moment were solved with their weights.
        if self._opened is None and self._links is self.chain.links:
            self._opened = Opened(self.chain, self._order)
        opened = self._opened if self._opened is not None and self._opened.serves(chain) else None
        return Plan(chain, opened)

    def seen(self, observations: Sequence[Observation], moments: int) -> list[Layers]:
        """Return layers in which each onlooker (equal ones look alike) sees the same with the same chances.

        They are the coarsest ones, or where weights were left open, those that are so for all
        weights: more of them, so that over many moments the coarsest are found anew.
        """
        if self.chain.reweighed and self._opened is not None and moments < LONG:
            return self._opened.seen(self.chain, observations, moments)
        key = (tuple(observations), moments)
        if key not in self._seen:
            modifiers = any(
                look(emission) != look(_without_modifiers(emission))
                for look in observations
                for emission in self.chain.emissions
            )
            self._seen[key] = lumped(self.layers(moments, modifiers=modifiers), observations)
        return self._seen[key]


def _without_modifiers(emission: Emission) -> Emission | None:
    """Return what is told but for the modifiers: these explain a roll and no measure looks at them."""
    return (
        tuple(told for told in emission if not isinstance(told, Event) or told.kind != "modifier")
        or None
    )


def focus(ready: Plan, measures: Sequence[Measure], moments: int) -> list[Layers]:
    """Return the chain as each measure sees it: lumped together, so that what looks alike to two of them is one.

    What is told on ways is a word of letters, or None.
    """
    return ready.seen([Observed(measure) for measure in measures], moments)


@attrs.frozen
class Observed:
    """Sees the events that can move a measure, and what stands for some of the steps that were set apart."""

    measure: Measure
    steps: Mapping[Step, Sequence[Sign]] = attrs.field(factory=dict, hash=False)

    def __call__(self, emission: Emission | None) -> Word | Last | None:
        """Return the word of letters, or None.

        The first letter that a measure waits for is the last that it sees.
        """
        found: list[Event | Sign] = []
        for letter in emission or ():
            if not isinstance(letter, Event):
                found += self.steps.get(letter, ())
            elif moved_by(self.measure, letter):
                found.append(letter)
                if hasattr(self.measure, "awaits"):
                    return Last(tuple(found))
        return tuple(found) or None


def solve(ready: Plan, measure: Measure, moments: int, *, exact: bool = True) -> Distribution:
    """Return the distribution of a measure after that many moments (at least one): exact, or from passes in floats."""
    (seen,) = focus(ready, [measure], moments)
    *_, after = passes(seen, Reader(measure), exact=exact)
    return after()


def solve_each(ready: Plan, measure: Measure, moments: int) -> Iterator[Distribution]:
    """Yield the exact distribution of a measure after each of that many moments."""
    (seen,) = focus(ready, [measure], moments)
    for after in passes(seen, Reader(measure)):
        yield after()
