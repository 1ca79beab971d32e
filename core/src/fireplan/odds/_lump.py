"""Lumping: states that no measure can tell apart in the moments that are left are made one, exactly.

With no moment left all states are alike. With one more, two states are alike when the same things are seen on their
ways with the same chances and lead to states that are alike with one moment less. So there is a layer for each number
of moments left; as soon as one more moment tells no more states apart, the layers stay the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from math import gcd
from types import MappingProxyType
from typing import Any

import attrs

from fireplan.odds._chain import Chain, Link
from fireplan.odds._cycles import Links

Onlooker = Callable[[Any], Hashable]
"""What is seen on a way, from what is told on it; None when nothing is."""

Signature = frozenset[tuple[int, int]]
"""What a state does: for each way, coded, its weight; of an open one its number too, below all ways, with weight 0."""


@attrs.frozen(eq=False)
class Layer:
    """The states that matter with a number of moments left: their order downhill, and their ways.

    Ways that end the moment lead to states of the layer with one moment less. States in ``open`` have weights that
    are left open: a way has a set of bits there, for the weights that together are its own among those of the number
    that the state has in ``open`` (1 and up). Open states are alike only where they are so whatever the weights are.
    """

    order: Sequence[int]
    links: Sequence[Sequence[Link]]
    open: Mapping[int, int] = MappingProxyType({})


@attrs.frozen(eq=False)
class Layers:
    """A chain watched for a number of moments, layer by layer.

    ``layers[left - 1]`` is the layer with so many moments left, ``starts[left]`` the opening in it (-1 where it
    cannot be); ``told`` is what is told on ways, 0 is nothing.
    """

    layers: Sequence[Layer]
    starts: Sequence[int]
    told: Sequence[Any]


def layers_of(
    chain: Chain, links: Links, order: Sequence[int], moments: int, opened: Mapping[int, int] = MappingProxyType({})
) -> Layers:
    """The layers of a chain as it was explored, its ways within a moment without cycles and its nodes downhill.

    The weights of ``opened`` nodes are left open. Raises ``ValueError`` where the chain was not explored for so many
    moments.
    """
    if chain.horizon is None:
        return Layers([Layer(order, links, opened)] * moments, [0] * (moments + 1), chain.tolds)
    if moments > chain.horizon:
        raise ValueError(f"explored for {chain.horizon} moments, not for {moments}")
    depths = chain.depths
    deepest = max((depth for depth in depths if depth < chain.horizon), default=0)
    layers: list[Layer] = []
    for left in range(1, moments + 1):
        latest = moments - left
        if layers and latest > deepest:
            layers.append(layers[-1])
        elif chain.timed:
            layers.append(Layer([node for node in order if depths[node] == latest], links, opened))
        else:
            layers.append(Layer([node for node in order if depths[node] <= latest], links, opened))
    return Layers(layers, [0] * (moments + 1), chain.tolds)


def lumped(chain: Layers, onlookers: Sequence[Onlooker]) -> list[Layers]:
    """The coarsest layers in which each onlooker sees the same with the same chances.

    What two onlookers see alike has the same number for both.
    """
    seen: dict[Hashable, int] = {None: 0}
    looks = [[seen.setdefault(look(what), len(seen)) for what in chain.told] for look in onlookers]
    width = 2 * len(seen)
    rows = [_Rows(look) for look in looks]
    twins = [looks.index(look) for look in looks]
    classes: list[dict[int, int]] = [_AllAlike() for _ in onlookers]
    layers: list[Layer] = []
    starts: list[list[int]] = [[0] for _ in onlookers]
    for left, source in enumerate(chain.layers, start=1):
        signatures: dict[Signature, int] = {}
        before, classes = classes, []
        for number, twin in enumerate(twins):
            alike = twin < number
            table = () if alike else rows[number].table(source)
            classes.append(classes[twin] if alike else _refined(table, before[number], width, signatures))
        layer = _layer(signatures, width)
        if left > 1 and all(later.links is chain.layers[left - 2].links for later in chain.layers[left - 1 :]):
            same = _same_classes(source, before, classes)
            if same is not None:
                # One moment more tells no more states apart, so no number of moments does.
                more = len(chain.layers) - left + 1
                layers.extend([_renumbered(layer, same)] * more)
                for numbers, new in zip(starts, classes, strict=True):
                    numbers.extend([same[new[chain.starts[left]]]] * more)
                break
        layers.append(layer)
        for numbers, new in zip(starts, classes, strict=True):
            numbers.append(new.get(chain.starts[left], -1))
    return [Layers(layers, numbers, tuple(seen)) for numbers in starts]


def _same_classes(
    source: Layer, before: Sequence[dict[int, int]], classes: Sequence[dict[int, int]]
) -> dict[int, int] | None:
    """From class to the class with one moment less, where each comes from another one; None where one was split."""
    same: dict[int, int] = {}
    for old, new in zip(before, classes, strict=True):
        for node in source.order:
            if node not in old:
                return None
            same[new[node]] = old[node]
    return same if len(set(same.values())) == len(same) else None


def _renumbered(layer: Layer, same: dict[int, int]) -> Layer:
    """The layer in the numbers of the layer with one moment less: so it leads to itself."""
    links: list[Sequence[Link]] = [()] * (max(same.values()) + 1)
    for node, number in same.items():
        links[number] = [
            (target if ends else same[target], weight, told, ends) for target, weight, told, ends in layer.links[node]
        ]
    return Layer(sorted(same.values(), reverse=True), links, {same[node]: which for node, which in layer.open.items()})


class _AllAlike(dict[int, int]):
    """Every state in class 0."""

    def get(self, _node: int, _default: int | None = None) -> int:  # type: ignore[override]
        return 0


_Row = tuple[int, list[tuple[int, int, int]], list[tuple[int, int, int]], int]
"""A node, its ways to openings and those within the moment, each ``(target, weight, code of what is seen)``; the
number of its open weights, or 0."""


class _Rows:
    """The ways of nodes as one onlooker sees them, kept from layer to layer."""

    def __init__(self, look: Sequence[int]) -> None:
        self._look = look
        self._links: Sequence[Sequence[Link]] = ()
        self._rows: dict[int, _Row] = {}
        self._open: Mapping[int, int] = {}
        self._source: Layer | None = None
        self._table: list[_Row] = []

    def table(self, source: Layer) -> list[_Row]:
        """Row by row, uphill."""
        if source is not self._source:
            if source.links is not self._links:
                self._links, self._rows, self._open = source.links, {}, source.open
            self._source = source
            self._table = [self._rows.get(node) or self._row(node) for node in reversed(source.order)]
        return self._table

    def _row(self, node: int) -> _Row:
        ending: list[tuple[int, int, int]] = []
        going: list[tuple[int, int, int]] = []
        for target, weight, told, ends in self._links[node]:
            (ending if ends else going).append((target, weight, 2 * self._look[told] + ends))
        row = self._rows[node] = (node, ending, going, self._open.get(node, 0))
        return row


def _refined(
    table: Sequence[_Row], old: dict[int, int], width: int, signatures: dict[Signature, int]
) -> dict[int, int]:
    """Each node's class, by what is seen on its ways and where they lead."""
    new: dict[int, int] = {}
    for node, ending, going, which in table:
        ways: dict[int, int] = {}
        for target, weight, code in ending:
            # Openings beyond those that matter with one moment less do not matter either.
            way = old.get(target, -1) * width + code
            ways[way] = ways.get(way, 0) + weight
        for target, weight, code in going:
            way = new[target] * width + code
            ways[way] = ways.get(way, 0) + weight
        if len(ways) == 1:
            (way,) = ways
            if not way % width:
                new[node] = way // width
                continue
            signature: Signature = frozenset(((way, 1),))
        elif which:
            signature = frozenset((*ways.items(), (-width - which, 0)))
        else:
            divisor = gcd(*ways.values())
            if divisor > 1:
                ways = {way: weight // divisor for way, weight in ways.items()}
            signature = frozenset(ways.items())
        new[node] = signatures.setdefault(signature, len(signatures))
    return new


def _layer(signatures: dict[Signature, int], width: int) -> Layer:
    links = []
    still_open: dict[int, int] = {}
    for number, signature in enumerate(signatures):
        ways: list[Link] = []
        for code, weight in signature:
            if code < -width:
                still_open[number] = -width - code
            else:
                ways.append((code // width, weight, code % width // 2, bool(code % 2)))
        links.append(ways)
    # A class is numbered after those that its ways within the moment lead to.
    return Layer(range(len(links) - 1, -1, -1), links, still_open)
