"""Integer factors for passes over a chain, with denominators kept small moment by moment."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from math import gcd, lcm
from typing import Any

import attrs

from fireplan.solver.chain import Link
from fireplan.solver.lump import NOWHERE, Layer


@attrs.frozen(eq=False, repr=False)
class Factors:
    """A layer with integer factors: ``(target, factor, ends, word, factor if settled)`` per link.

    Mass at a node is in units of 1 / (the moment's denominator times the node's ``scale``);
    ``later`` has the scales of the next moment. ``common`` is the growth of the denominator in this
    moment. Settled mass is in units of 1 / (``settling`` times the old denominator). For floats all
    of these are 1, and the factors are shares.
    """

    order: Sequence[int]
    scale: Mapping[int, int]
    later: Mapping[int, int]
    transitions: Mapping[int, Sequence[tuple[int, Any, bool, int, Any]]]
    common: int = 1
    settling: int = 1


def _shares(layer: Layer) -> Factors:
    """Return the factors of a layer as float shares."""
    transitions = {}
    for node in layer.order:
        links = layer.links[node]
        total = sum(weight for _, weight, _, _ in links)
        transitions[node] = [
            (target, weight / total, ends, word, weight / total)
            for target, weight, word, ends in links
        ]
    return Factors(layer.order, {}, {}, transitions)


class _Scales:
    """The least scales of one moment that make every factor an integer, given the opening's scales.

    ``spread`` has the sum of the weights with which each word spreads a state. ``scale`` has the
    scale of each node, ``needed`` those of the nodes that open the next moment, and ``settling``
    the scale of settled mass.
    """

    def __init__(self, layer: Layer, spread: Sequence[int], opening: Mapping[int, int]) -> None:
        self.layer = layer
        self.spread = spread
        self.scale = {node: opening.get(node, 1) for node in layer.order}
        self.needed: dict[int, int] = {}
        self.totals: dict[int, int] = {}
        self.settling = 1
        for node in layer.order:
            links = layer.links[node]
            total = self.totals[node] = self.scale[node] * sum(
                [weight for _, weight, _, _ in links]
            )
            for target, weight, word, ends in links:
                denominator = total * spread[word]
                denominator //= gcd(denominator, weight)
                if word and self.settling % denominator:
                    self.settling = lcm(self.settling, denominator)
                if target == NOWHERE:
                    continue
                scales = self.needed if ends else self.scale
                scale = scales.get(target, 1)
                if scale % denominator:
                    scales[target] = lcm(scale, denominator)

    def growth(self, later: Mapping[int, int]) -> int:
        """Return the least factor by which the denominator must grow for these scales."""
        return lcm(*(need // gcd(need, later.get(node, 1)) for node, need in self.needed.items()))

    def whole(self, later: Mapping[int, int], common: int) -> Factors:
        """Return the integer factors of the layer, given the scales of the next moment.

        ``common`` is the growth of the denominator in this moment.
        """
        transitions: dict[int, list[tuple[int, int, bool, int, int]]] = {}
        for node in self.layer.order:
            factors = transitions[node] = []
            for target, weight, word, ends in self.layer.links[node]:
                denominator = self.totals[node] * self.spread[word]
                settling = weight * self.settling // denominator if word else 0
                target_scale = common * later.get(target, 1) if ends else self.scale[target]
                factors.append((target, weight * target_scale // denominator, ends, word, settling))
        return Factors(self.layer.order, self.scale, later, transitions, common, self.settling)


LONG = 24
"""Number of moments from which it pays to search for scales that keep denominators small."""
ROUNDS = 64
"""Maximum number of rounds of that search."""
PAYS = 4
"""Number of moments that justify one more round of that search."""


def _repeated(layer: Layer, spread: Sequence[int], moments: int) -> Factors:
    """Return the factors of a layer that repeats for this number of moments.

    ``spread`` has the sum of the weights with which each word spreads a state. A denominator for
    every path through a moment grows more than necessary, because almost no mass takes the paths
    with the most dice repeatedly. The scales of the opening nodes can absorb occasional growth, so
    several rounds of scales are tried and the best kept.
    """
    candidate = _Scales(layer, spread, {})
    best = candidate, candidate.growth(candidate.scale)
    opening: Mapping[int, int] = {}
    for _ in range(min(ROUNDS, moments // PAYS) if moments >= LONG else 0):
        common = gcd(*candidate.needed.values())
        opening = {node: need // common for node, need in candidate.needed.items()}
        candidate = _Scales(layer, spread, opening)
        growth = candidate.growth(candidate.scale)
        if growth < best[1]:
            best = candidate, growth
    scales, growth = best
    return scales.whole(scales.scale, growth)


def factors_of(
    layers: Sequence[Layer], word_totals: Sequence[int], *, exact: bool
) -> Iterator[Factors]:
    """Yield the factors of each moment, first moment first; ``layers`` begin with the last.

    ``word_totals`` has, for each word, the sum of the weights with which it spreads a state.
    Without ``exact``, the factors are shares in floats.
    """
    first = layers[0]
    if all(layer is first for layer in layers):
        yield from repeat(
            _repeated(first, word_totals, len(layers)) if exact else _shares(first), len(layers)
        )
        return
    if not exact:
        yield from map(_shares, reversed(layers))
        return
    scales = _Scales(layers[-1], word_totals, {})
    for layer in (*reversed(layers[:-1]), Layer((), ())):
        growth = gcd(*scales.needed.values()) or 1
        opening = {node: need // growth for node, need in scales.needed.items()}
        later = _Scales(layer, word_totals, opening)
        yield scales.whole({**opening, **later.scale}, growth)
        scales = later


def whole_moments(layer: Layer, start: int, words: list[tuple[Any, ...]]) -> Layer:
    """Return a repeating layer with each moment contracted: links from opening to opening.

    The emissions of a moment are joined into new words, appended to ``words``. Chances are then in
    lowest terms, because most dice of a moment cancel out.
    """
    numbers = {word: number for number, word in reversed([*enumerate(words)])}
    ends: dict[int, tuple[int, dict[tuple[int, int], int]]] = {}
    for node in reversed(layer.order):
        scale = lcm(
            *(ends[target][0] for target, _, _, ends_here in layer.links[node] if not ends_here)
        )
        weights: dict[tuple[int, int], int] = {}
        for target, weight, word, ends_here in layer.links[node]:
            whole, after = (1, {(target, 0): 1}) if ends_here else ends[target]
            factor = weight * (scale // whole)
            for (end, next_word), share in after.items():
                joined = word or next_word
                if word and next_word:
                    joined = numbers.setdefault(words[word] + words[next_word], len(words))
                    if joined == len(words):
                        words.append(words[word] + words[next_word])
                weights[end, joined] = weights.get((end, joined), 0) + factor * share
        common = gcd(*weights.values())
        lowest = {end: weight // common for end, weight in weights.items()}
        ends[node] = sum(lowest.values()), lowest
    links: dict[int, list[Link]] = {}
    todo = [start]
    while todo:
        node = todo.pop()
        if node not in links:
            links[node] = [
                (end, weight, joined, True) for (end, joined), weight in ends[node][1].items()
            ]
            todo += [end for end, _, _, _ in links[node] if end != NOWHERE]
    return Layer([*links], [links.get(node, ()) for node in range(len(layer.links))])
