"""Whole-number factors for passes over a chain: what mass is parts of, moment by moment, so that numbers stay small."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import repeat
from math import gcd, lcm
from typing import Any

import attrs

from fireplan.solver.chain import Link
from fireplan.solver.lump import NOWHERE, Layer, Layers


@attrs.frozen(eq=False, repr=False)
class Factors:
    """A layer with whole-number factors: ways are ``(target, factor, ends, word, factor if settled)``.

    Mass at a node is kept in parts of the moment's denominator times its ``scale`` (``later`` in
    the next moment); ``common`` is by how much the denominator grows in the moment, and what
    settles is kept in parts of ``settling`` times the old one. In floats all are 1, and the factors
    are shares.
    """

    order: Sequence[int]
    scale: Mapping[int, int]
    later: Mapping[int, int]
    transitions: Mapping[int, Sequence[tuple[int, Any, bool, int, Any]]]
    common: int = 1
    settling: int = 1


def _shares(layer: Layer) -> Factors:
    """A layer with its shares as floats."""
    transitions = {}
    for node in layer.order:
        links = layer.links[node]
        out = sum(weight for _, weight, _, _ in links)
        transitions[node] = [
            (target, weight / out, ends, word, weight / out) for target, weight, word, ends in links
        ]
    return Factors(layer.order, {}, {}, transitions)


class _Scales:
    """The numbers that mass is parts of through one moment: the least that serve all ways, from those at its opening.

    ``scale`` has them for each node, ``needed`` for those the moment's end leads to, ``settling`` for what settles.
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
            out = self.totals[node] = self.scale[node] * sum([weight for _, weight, _, _ in links])
            for target, weight, word, ends in links:
                over = out * spread[word]
                over //= gcd(over, weight)
                if word and self.settling % over:
                    self.settling = lcm(self.settling, over)
                if target == NOWHERE:
                    continue
                into = self.needed if ends else self.scale
                known = into.get(target, 1)
                if known % over:
                    into[target] = lcm(known, over)

    def growth(self, later: Mapping[int, int]) -> int:
        """Return the least growth of the denominator with which a later moment's scales serve all that leads there."""
        return lcm(*(need // gcd(need, later.get(node, 1)) for node, need in self.needed.items()))

    def whole(self, later: Mapping[int, int], common: int) -> Factors:
        """Return the layer's factors, where the next one begins with these scales."""
        transitions: dict[int, list[tuple[int, int, bool, int, int]]] = {}
        for node in self.layer.order:
            found = transitions[node] = []
            for target, weight, word, ends in self.layer.links[node]:
                over = self.totals[node] * self.spread[word]
                settling = weight * self.settling // over if word else 0
                there = common * later.get(target, 1) if ends else self.scale[target]
                found.append((target, weight * there // over, ends, word, settling))
        return Factors(self.layer.order, self.scale, later, transitions, common, self.settling)


LONG = 24
"""Moments from which on it pays to look for the scales that let the denominator grow least."""
ROUNDS = 64
"""How many are tried at most, and PAYS: one for so many moments."""
PAYS = 4


def _repeated(layer: Layer, spread: Sequence[int], moments: int) -> Factors:
    """Return the factors of a layer that repeats itself.

    A denominator that served every way through a moment would mostly grow in vain: hardly any mass
    takes the ways with the most dice again and again. Scales that openings have of their own take
    up what grows only now and then; the ones that some moments of growth come to are tried, and the
    best are taken.
    """
    found = _Scales(layer, spread, {})
    best = found, found.growth(found.scale)
    opening: Mapping[int, int] = {}
    for _ in range(min(ROUNDS, moments // PAYS) if moments >= LONG else 0):
        held = gcd(*found.needed.values())
        opening = {node: need // held for node, need in found.needed.items()}
        found = _Scales(layer, spread, opening)
        growth = found.growth(found.scale)
        if growth < best[1]:
            best = found, growth
    scales, growth = best
    return scales.whole(scales.scale, growth)


def factors_of(
    reached: Sequence[Layer], spread: Sequence[int], *, exact: bool
) -> Iterator[Factors]:
    """Yield the layers of the moments with their factors."""
    first = reached[0]
    if all(layer is first for layer in reached):
        yield from repeat(
            _repeated(first, spread, len(reached)) if exact else _shares(first), len(reached)
        )
        return
    if not exact:
        yield from map(_shares, reversed(reached))
        return
    scales = _Scales(reached[-1], spread, {})
    for layer in (*reversed(reached[:-1]), Layer((), ())):
        growth = gcd(*scales.needed.values()) or 1
        opening = {node: need // growth for node, need in scales.needed.items()}
        later = _Scales(layer, spread, opening)
        yield scales.whole({**opening, **later.scale}, growth)
        scales = later


def reached_layers(layers: Layers) -> list[Layer]:
    """Return the layers less what the opening never leads to."""
    seen: set[int] = set()
    entered = {layers.start}
    reached: list[set[int]] = []
    for layer in reversed(layers.layers):
        here = entered - seen
        todo, following = list(here), set[int]()
        while todo:
            for target, _, _, ends in layer.links[todo.pop()]:
                if ends:
                    following.add(target)
                elif target not in here and target not in seen:
                    here.add(target)
                    todo.append(target)
        seen |= here
        reached.append(here)
        entered = following - {NOWHERE}
    if layers.timed:
        pairs = zip(layers.layers, reversed(reached), strict=True)
        return [
            Layer([node for node in layer.order if node in here], layer.links)
            for layer, here in pairs
        ]
    widest = layers.layers[0]
    return [Layer([node for node in widest.order if node in seen], widest.links)] * len(reached)


def whole_moments(layer: Layer, start: int, words: list[tuple[Any, ...]]) -> Layer:
    """Return a layer that repeats itself with its moments whole: ways from opening to opening, nothing between.

    What is told on a way is a word of its own, put to ``words``. Chances are then in lowest terms,
    which they are not on the way: most dice of a moment cancel out.
    """
    numbers = {word: number for number, word in reversed([*enumerate(words)])}
    ends: dict[int, dict[tuple[int, int], Fraction]] = {}
    for node in reversed(layer.order):
        out = sum(weight for _, weight, _, _ in layer.links[node])
        here: dict[tuple[int, int], Fraction] = {}
        for target, weight, word, over in layer.links[node]:
            share = Fraction(weight, out)
            for (after, more), chance in (
                [((target, 0), Fraction(1))] if over else ends[target].items()
            ):
                told = word or more
                if word and more:
                    told = numbers.setdefault(words[word] + words[more], len(words))
                    if told == len(words):
                        words.append(words[word] + words[more])
                here[after, told] = here.get((after, told), Fraction(0)) + share * chance
        ends[node] = here
    links: dict[int, list[Link]] = {}
    todo = [start]
    while todo:
        node = todo.pop()
        if node not in links:
            whole = lcm(*(chance.denominator for chance in ends[node].values()))
            links[node] = [
                (after, int(chance * whole), told, True)
                for (after, told), chance in ends[node].items()
            ]
            todo += [after for after, _, _, _ in links[node] if after != NOWHERE]
    return Layer([*links], [links.get(node, ()) for node in range(len(layer.links))])
