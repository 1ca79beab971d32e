"""Lumping: states that an onlooker cannot tell apart in the moments that are left are made one, exactly.

With no moment left all states are alike. With one more, two states are alike when the same things
are seen on their ways with the same chances and lead to states that are alike with one moment less.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import gcd
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import attrs

from fireplan.solver.chain import Chain, Link, Links

Observation = Callable[[Any], Hashable]
"""Say what is seen on a way, from what is told on it.

None when nothing is, ``Last`` where nothing matters afterwards.
"""


@attrs.frozen
class Last:
    """Seen on a way after which an onlooker looks no more."""

    seen: Hashable


NOWHERE = -1
"""The target of a way after which an onlooker looks no more."""


@attrs.frozen(eq=False, repr=False)
class Layer:
    """The states that matter with a number of moments left: their order downhill, and their ways.

    Ways that end the moment lead to states of the layer with one moment less.
    """

    order: Sequence[int]
    links: Sequence[Sequence[Link]]


@attrs.frozen(eq=False, repr=False)
class Layers:
    """A chain watched for a number of moments, layer by layer; all have the same ``links``.

    ``layers[left - 1]`` is the layer with so many moments left. Each holds those with more moments left, or, where the
    chain is ``timed``, none of their states. ``start`` is the opening; ``emission`` is what is told, 0 is nothing.

    States in ``open`` have weights that are left open: a way has a set of bits there, for the
    weights that together are its own among those of the number that the state has in ``open`` (1
    and up). Open states are alike only where they are so whatever the weights are.
    """

    layers: Sequence[Layer]
    start: int
    emission: Sequence[Any]
    timed: bool = False
    open: Mapping[int, int] = MappingProxyType({})


def layers_of(
    chain: Chain,
    links: Links,
    order: Sequence[int],
    moments: int,
    opened: Mapping[int, int] = MappingProxyType({}),
) -> Layers:
    """Return the layers of a chain as it was explored, its ways within a moment without cycles and its nodes downhill.

    The weights of ``opened`` nodes are left open. Raises ``ValueError`` where the chain was not
    explored for so many moments.
    """
    if chain.horizon is None:
        return Layers([Layer(order, links)] * moments, 0, chain.emissions, open=opened)
    if moments > chain.horizon:
        raise ValueError(f"explored for {chain.horizon} moments, not for {moments}")
    layers = _by_depth(order, links, chain.depths, moments, timed=chain.timed)
    return Layers(layers, 0, chain.emissions, chain.timed, opened)


def _by_depth(
    order: Sequence[int],
    links: Links,
    depths: Sequence[int] | Mapping[int, int],
    moments: int,
    *,
    timed: bool,
) -> list[Layer]:
    """Each state in the layers where it can be reached, by the moment in which it first is."""
    deepest = max((depths[node] for node in order if depths[node] < moments), default=0)
    layers: list[Layer] = []
    for latest in reversed(range(moments)):
        if timed:
            layers.append(Layer([node for node in order if depths[node] == latest], links))
        elif layers and latest >= deepest:
            layers.append(layers[-1])
        else:
            layers.append(Layer([node for node in order if depths[node] <= latest], links))
    return layers


def lumped(chain: Layers, observations: Sequence[Observation]) -> list[Layers]:
    """Return the states that matter to each onlooker, those that are alike made one.

    What two onlookers see alike has the same number for both.
    """
    seen: dict[Hashable, int] = {None: 0}
    looks = [
        tuple([seen.setdefault(look(what), len(seen)) for what in chain.emission])
        for look in observations
    ]
    lasts = [isinstance(what, Last) for what in seen]
    sights = {look: _Sight(chain, look, lasts) for look in looks}
    rounds = _told_apart(chain, list(sights.values()), 2 * len(seen))
    links, opened = _made_one(chain, list(sights.values()), rounds)
    emission = [what.seen if isinstance(what, Last) else what for what in seen]
    made = {look: sight.layers(links, opened, emission) for look, sight in sights.items()}
    return [made[look] for look in looks]


_Row = tuple[int, int, Callable[[Sequence[int]], tuple[int, ...]]]
"""A state, the number of its shape, and what picks the classes that its ways lead to."""


class _Sight:
    """A chain as one onlooker sees it.

    ``rounds`` holds the classes of the states that mattered round after round, ``classes`` the one that each gets for
    good; -1 where it does not matter.
    """

    def __init__(self, chain: Layers, look: Sequence[int], lasts: Sequence[bool]) -> None:
        self._chain = chain
        self._links = chain.layers[0].links
        self._look = look
        self._over = [lasts[what] for what in look]
        self._size = len(self._links)
        self._mattering = self._before_the_last() if any(self._over) else None
        self._numbers: dict[tuple[int, tuple[tuple[int, int], ...]], int] = {}
        self._shapes: list[_Shape] = []
        self._rows: dict[int, _Row] = {}
        # By state its class in this moment, then that in the next one (at first all are alike),
        # then that of nowhere.
        self._where = [NOWHERE] * self._size + [0] * self._size + [NOWHERE]
        self.rounds: list[dict[int, int]] = [{}]
        self.classes = [NOWHERE] * self._size

    def _before_the_last(self) -> set[int]:
        """The states that can be reached before the onlooker looks no more."""
        found, todo = {self._chain.start}, [self._chain.start]
        while todo:
            for target, _, emission, _ in self._links[todo.pop()]:
                if target not in found and not self._over[emission]:
                    found.add(target)
                    todo.append(target)
        return found

    def nodes(self, left: int) -> Iterable[int]:
        """The states that matter with so many moments left, uphill."""
        order = reversed(self._chain.layers[left - 1].order)
        return order if self._mattering is None else filter(self._mattering.__contains__, order)

    def refine(self, left: int, this: _Round) -> None:
        """One round more: the class of each state by what is seen on its ways and where they lead."""
        rows, where, size = self._rows, self._where, self._size
        classes: dict[int, int] = {}
        known: dict[tuple[int, tuple[int, ...]], int] = {}
        for node in self.nodes(left):
            _, shape, pick = rows.get(node) or self._row(node)
            key = (shape, pick(where))
            found = known.get(key)
            if found is None:
                found = known[key] = self._shapes[shape].class_of(key[1], this)
            where[node] = classes[node] = found
        for node, found in classes.items():
            where[size + node] = found
        self.rounds.append(classes)

    def _row(self, node: int) -> _Row:
        shape: list[tuple[int, int]] = []
        places: list[int] = []
        for target, weight, emission, ends in self._links[node]:
            over = self._over[emission]
            shape.append((weight, 2 * self._look[emission] + (ends or over)))
            places.append(2 * self._size if over else target + self._size if ends else target)
        key = self._chain.open.get(node, 0), tuple(shape)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._shapes)
            self._shapes.append(_Shape(*key))
        row = self._rows[node] = (node, number, _picking(places))
        return row

    def links(self, node: int, known: Links) -> list[Link]:
        """The ways of a state, leading to classes; those that cannot be told apart are one.

        Of ``known`` classes the ways are known: all that the ways within the moment lead to.
        """
        found: dict[tuple[int, int, bool], int] = {}
        for target, weight, emission, ends in self._links[node]:
            # An opening after the last moment is as good as any.
            there = NOWHERE if self._over[emission] else max(self.classes[target], 0)
            over = ends or self._over[emission]
            if not over and len(known[there]) == 1:
                ((after, _, more, over),) = known[there]
                there, over = (after, True) if over and not more else (there, False)
            transition = (there, self._look[emission], over)
            found[transition] = found.get(transition, 0) + weight
        divisor = 1 if node in self._chain.open else gcd(*found.values())
        return [
            (target, weight // divisor, what, ends)
            for (target, what, ends), weight in found.items()
        ]

    def open(self, node: int) -> int:
        """The number of the open weights of a state, or 0."""
        return self._chain.open.get(node, 0)

    def layers(self, links: Links, opened: Mapping[int, int], emission: Sequence[Any]) -> Layers:
        """The chain of classes.

        One has a greater number than those that its ways within the moment lead to.
        """
        start, moments, timed = (
            self.classes[self._chain.start],
            len(self._chain.layers),
            self._chain.timed,
        )
        depths: dict[int, int] = {}
        following = {start}
        for moment in range(moments):
            todo, following = list(following), set()
            while todo:
                number = todo.pop()
                if depths.setdefault(number, moment) == moment:
                    for target, _, _, ends in links[number]:
                        if target != NOWHERE and target not in depths:
                            (following.add if ends else todo.append)(target)
        layers = _by_depth(sorted(depths, reverse=True), links, depths, moments, timed=timed)
        return Layers(
            layers,
            start,
            emission,
            timed,
            {number: opened[number] for number in depths.keys() & opened.keys()},
        )


def _picking(places: Sequence[int]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """Return what picks the items at these places."""
    if len(places) > 1:
        return itemgetter(*places)
    (place,) = places
    return lambda items: (items[place],)


Signature = frozenset[tuple[int, int]]
"""Say what a state does: for each way, coded, its weight.

Of an open one its number too, below all ways, with weight 0.
"""


class _Round:
    """The classes of one round, by signature; two onlookers' are numbered together.

    ``over`` are classes of which nothing is seen before the moment ends, each with the opening it leads to.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.signatures: dict[Signature, int] = {}
        self.over: dict[int, int] = {}

    def class_of(self, transitions: dict[int, int], which: int) -> int:
        """The class of states with these ways, their weights open (``which``) or not (0)."""
        if len(transitions) > 1:
            if which:
                transitions[-self.width - which] = 0
            return self.signatures.setdefault(frozenset(transitions.items()), len(self.signatures))
        (transition,) = transitions
        if not transition % self.width:
            # Nothing is seen on the way there.
            return transition // self.width
        number = self.signatures.setdefault(frozenset(((transition, 1),)), len(self.signatures))
        if transition % self.width == 1:
            self.over[number] = transition // self.width
        return number


class _Shape:
    """The ways of states but for where they lead: their weights, and codes of what is seen and whether they end.

    Where weights are open, ``which`` is their number.
    """

    def __init__(self, which: int, transitions: tuple[tuple[int, int], ...]) -> None:
        divisor = gcd(*(weight for weight, _ in transitions))
        self._which = which
        self._ways = [(weight // divisor, code) for weight, code in transitions]

    def class_of(self, targets: Sequence[int], this: _Round) -> int:
        """The class of the states of this shape whose ways lead to these classes."""
        width, over = this.width, this.over
        transitions: dict[int, int] = {}
        for (weight, code), target in zip(self._ways, targets, strict=True):
            transition = (
                over[target] * width + code + 1
                if target in over and not code % 2
                else target * width + code
            )
            transitions[transition] = transitions.get(transition, 0) + weight
        if 1 < len(transitions) < len(targets) and not self._which:
            divisor = gcd(*transitions.values())
            transitions = {
                transition: weight // divisor for transition, weight in transitions.items()
            }
        return this.class_of(transitions, self._which)


def _told_apart(chain: Layers, sights: Sequence[_Sight], width: int) -> int:
    """Tell states apart round after round, until no more are.

    Returns how many rounds there were.
    """
    for left in range(1, len(chain.layers) + 1):
        this = _Round(width)
        for sight in sights:
            sight.refine(left, this)
        if left == 1:
            continue
        before = set().union(
            *(map(sight.rounds[left - 1].get, sight.rounds[left]) for sight in sights)
        )
        now = set().union(*(sight.rounds[left].values() for sight in sights))
        if before and None not in before and len(before) == len(now):
            # One moment more tells no more states apart, of one onlooker or of two, so no number of
            # moments does.
            return left
    return len(chain.layers)


def _made_one(
    chain: Layers, sights: Sequence[_Sight], rounds: int
) -> tuple[list[list[Link]], dict[int, int]]:
    """Give each state its class for good, and return the ways of the classes, and of the open ones their numbers.

    A state that matters for so many moments is one with any that matters for at least as many and
    is like it for these; the one that matters longest stands for all of them.
    """
    standing: list[tuple[_Sight, int]] = []
    alike: list[dict[int, int]] = [{} for _ in range(rounds + 1)]
    for sight in sights:
        for left in range(len(chain.layers), 0, -1):
            if left < len(chain.layers) and chain.layers[left - 1] is chain.layers[left]:
                continue
            last = min(left, rounds)
            for node in sight.nodes(left):
                if sight.classes[node] != NOWHERE:
                    continue
                number = alike[last].get(sight.rounds[last][node])
                if number is None:
                    number = len(standing)
                    standing.append((sight, node))
                    for earlier in (last,) if chain.timed else range(1, last + 1):
                        alike[earlier].setdefault(sight.rounds[earlier][node], number)
                sight.classes[node] = number
    links: list[list[Link]] = []
    for sight, node in standing:
        links.append(sight.links(node, links))
    opened = {
        number: sight.open(node)
        for number, (sight, node) in enumerate(standing)
        if len(links[number]) > 1
    }
    return links, {number: which for number, which in opened.items() if which}
