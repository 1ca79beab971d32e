"""Changed numbers: a chain that is known already with the weights that other numbers give, not explored again.

The steps that rest on a number are run again in the situations that were met. Where each does what it did, if with
other weights (0 too), the chain is weighed anew; where one does or reads anything new, it is no good. Lumping is done
once, with all weights that rest on numbers left open (``_lump.Layers``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import attrs

from fireplan.solver._chain import Chain, Explored, Leaf, Link
from fireplan.solver._compile import Compiler
from fireplan.solver._explore import Unread
from fireplan.solver._lump import Layer, Layers, Observation, layers_of, lumped


def reweighed(chain: Chain, compiler: Compiler) -> Chain | None:
    """Return the chain with the weights that this compiler's rows give; the same object where none has changed.

    The compiler's scenario must open as the chain's did. None where some step does or reads what it did not, so that
    the chain must be explored anew.
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


def _weights(explorer: Explored, compiler: Compiler) -> dict[Leaf, list[int]] | None:
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
            new = leaf.weights if effects is None else [effects.pop(effect, 0) for effect, _ in leaf.effects]
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


def _closed(chain: Layers, weights: Sequence[Sequence[int]], sums: dict[tuple[int, int], int]) -> Layers:
    """A chain with its open weights put in; ways of no weight are left out."""
    links = list(chain.layers[0].links)
    for node, number in chain.open.items():
        transitions: list[Link] = []
        for target, bits, emission, ends in links[node]:
            weight = sums.get((number, bits))
            if weight is None:
                own = weights[number]
                weight = sums[number, bits] = sum(own[bit] for bit in range(len(own)) if bits >> bit & 1)
            if weight:
                transitions.append((target, weight, emission, ends))
        links[node] = transitions
    layers = [Layer(layer.order, links) for layer in chain.layers]
    return Layers(layers, chain.start, chain.emission, chain.timed)
