"""Measures solved on a chain, after merging states that a measure cannot tell apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

import attrs

from fireplan.solver.chain import Chain, Emission, Leaf, Link, without_cycles
from fireplan.solver.compile import Compiler
from fireplan.solver.factors import LONG
from fireplan.solver.lump import Last, Layer, Layers, Observation, layers_of, lumped
from fireplan.solver.passes import Distribution, Measure, Reader, Sign, Word, moved_by, passes
from fireplan_core import Event, ProcedureError, Step


def reweighed(chain: Chain, compiler: Compiler) -> Chain | None:
    """Return the chain with the weights of this compiler's rows, the same object if none changed.

    The steps that depend on a number run again in the situations met. If each step has the same
    effects as before with other weights (even 0), the chain is reweighed. If a step has a new
    effect or reads a new key, the result is None and the chain must be explored again. The
    compiler's scenario must have the same opening.
    """
    basis = chain.basis or chain
    if basis.explorer is None:
        return None
    weights = basis.explorer.steps.changed_weights(compiler)
    if weights is None:
        return None
    if weights == chain.reweighed:
        return chain
    links, totals = list(basis.links), list(basis.totals)
    for node, leaf in enumerate(basis.leaves):
        if leaf in weights:
            leaf_weights = weights[leaf]
            links[node] = [
                (target, weight, emission, ends)
                for (target, _, emission, ends), weight in zip(
                    links[node], leaf_weights, strict=True
                )
                if weight
            ]
            totals[node] = sum(leaf_weights)
    return attrs.evolve(basis, links=links, totals=totals, reweighed=weights, basis=basis)


class OpenWeights:
    """A chain lumped once for every possible set of weights, which are filled in later.

    The weights left open are those of steps that read a number of the game.
    """

    def __init__(self, chain: Chain, order: Sequence[int]) -> None:
        self._chain = chain
        self.order = order
        self._numbers: dict[Leaf, int] = {}
        self._open: dict[int, int] = {}
        """For each open node, the number of its leaf; leaves are numbered from 1."""
        self._links = list(chain.links)
        self._seen: dict[Hashable, list[Layers]] = {}
        for node, leaf in enumerate(chain.leaves):
            if leaf is not None and any(rows.numbers for _, rows in leaf.cases):
                self._open[node] = self._numbers.setdefault(leaf, len(self._numbers) + 1)
                self._links[node] = [
                    (target, 1 << bit, emission, ends)
                    for bit, (target, _, emission, ends) in enumerate(chain.links[node])
                ]

    def serves(self, chain: Chain) -> bool:
        """Return whether this chain differs from the original only in weights left open."""
        return chain.basis is self._chain and all(leaf in self._numbers for leaf in chain.reweighed)

    def seen(self, chain: Chain, observations: Sequence[Observation], moments: int) -> list[Layers]:
        """Return the layers of a reweighed chain, lumped for each observer."""
        key = (tuple(observations), moments)
        lumped_layers = self._seen.get(key)
        if lumped_layers is None:
            layers = layers_of(self._chain, self._links, self.order, moments, self._open)
            lumped_layers = self._seen[key] = lumped(layers, observations)
        weights = [(), *(chain.reweighed.get(leaf, leaf.weights) for leaf in self._numbers)]
        sums: dict[tuple[int, int], int] = {}
        return [_closed(layers, weights, sums) for layers in lumped_layers]


def _closed(
    chain: Layers, weights: Sequence[Sequence[int]], sums: dict[tuple[int, int], int]
) -> Layers:
    """Return a chain with its open weights filled in, without links of weight 0."""
    links = list(chain.layers[0].links)
    for node, number in chain.open.items():
        transitions: list[Link] = []
        for target, bits, emission, ends in links[node]:
            weight = sums.get((number, bits))
            if weight is None:
                leaf_weights = weights[number]
                weight = sums[number, bits] = sum(
                    leaf_weights[bit] for bit in range(len(leaf_weights)) if bits >> bit & 1
                )
            if weight:
                transitions.append((target, weight, emission, ends))
        links[node] = transitions
    layers = [Layer(layer.order, links) for layer in chain.layers]
    return Layers(layers, chain.start, chain.emission, chain.timed)


class PreparedChain:
    """A chain prepared for any number of measures.

    States equivalent for every observer are merged first. Cycles within a moment are solved exactly
    and replaced with their exits. With ``opened``, the chain differs from that of ``opened`` only
    in its weights. Raises ``ProcedureError`` for a moment that never ends.
    """

    def __init__(self, chain: Chain, opened: OpenWeights | None = None) -> None:
        self.chain = chain
        self._links, self._order = (
            (chain.links, opened.order) if opened else without_cycles(chain)[::2]
        )
        self._opened = opened
        self._lumped: dict[int, Layers] = {}
        self._seen: dict[Hashable, list[Layers]] = {}

    def layers(self, moments: int, *, modifiers: bool = False) -> Layers:
        """Return the chain as layers for this number of moments.

        With ``modifiers``, the events of modifiers, which explain a roll, are kept. Raises
        ``ProcedureError`` if they are to be kept in a chain with cycles within a moment.
        """
        if modifiers and self._links is not self.chain.links:
            raise ProcedureError(
                "modifiers on a cycle within one moment cannot be counted: sample instead"
            )
        if modifiers or moments not in self._lumped:
            layers = layers_of(self.chain, self._links, self._order, moments)
            if modifiers:
                return layers
            (self._lumped[moments],) = lumped(layers, [_without_modifiers])
        return self._lumped[moments]

    def varied(self, chain: Chain) -> PreparedChain:
        """Return the prepared form of a chain that differs from this one only in its weights."""
        # Where cycles were solved, their exits depend on the weights, so nothing can be left open.
        if self._opened is None and self._links is self.chain.links:
            self._opened = OpenWeights(self.chain, self._order)
        opened = self._opened if self._opened is not None and self._opened.serves(chain) else None
        return PreparedChain(chain, opened)

    def seen(self, observations: Sequence[Observation], moments: int) -> list[Layers]:
        """Return the lumped layers for each observer.

        The lumping is the coarsest for these weights. Where weights were left open, it is the
        coarsest for all weights, which has more states; over many moments the coarsest for these
        weights is computed instead.
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
    """Return an emission without its modifiers, which explain a roll, or None if it is empty."""
    return (
        tuple(
            letter
            for letter in emission
            if not isinstance(letter, Event) or letter.kind != "modifier"
        )
        or None
    )


def focus(plan: PreparedChain, measures: Sequence[Measure], moments: int) -> list[Layers]:
    """Return the chain lumped for each measure; measures with the same observations share classes.

    Each emission of the layers is a word of letters, or None.
    """
    return plan.seen([MeasureObservation(measure) for measure in measures], moments)


@attrs.frozen
class MeasureObservation:
    """A measure's observation: events that can change it, and the signs that replace some steps."""

    measure: Measure
    steps: Mapping[Step, Sequence[Sign]] = attrs.field(factory=dict, hash=False)

    def __call__(self, emission: Emission | None) -> Word | Last | None:
        """Return the word that the measure reads from an emission, or None if it is empty.

        A word that ends with a letter that the measure awaits is returned as ``Last``, without the
        rest.
        """
        word: list[Event | Sign] = []
        for letter in emission or ():
            if not isinstance(letter, Event):
                word += self.steps.get(letter, ())
            elif moved_by(self.measure, letter):
                word.append(letter)
                if hasattr(self.measure, "awaits"):
                    return Last(tuple(word))
        return tuple(word) or None


def solve(
    plan: PreparedChain, measure: Measure, moments: int, *, exact: bool = True
) -> Distribution:
    """Return the distribution of a measure after this many moments (one or more).

    Without ``exact``, it is computed in floats.
    """
    (seen,) = focus(plan, [measure], moments)
    *_, after = passes(seen, Reader(measure), exact=exact)
    return after()


def solve_each(plan: PreparedChain, measure: Measure, moments: int) -> Iterator[Distribution]:
    """Yield the exact distribution of a measure after each moment, up to ``moments`` of them."""
    (seen,) = focus(plan, [measure], moments)
    for after in passes(seen, Reader(measure)):
        yield after()
