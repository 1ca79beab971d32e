"""Lumping: states that an observer cannot tell apart in the remaining moments are merged, exactly.

With no moment left, all states are equivalent. With one more, two states are equivalent if the same
observations lead with the same chances to states that are equivalent with one moment fewer. This is
a partition refinement, round by round, to the coarsest bisimulation.
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
"""A function from an emission to an observer's observation of it.

It returns None if the observer sees nothing, and ``Last`` if nothing matters afterwards.
"""


@attrs.frozen
class Last:
    """The last observation, after which the observer stops looking."""

    seen: Hashable


NOWHERE = -1
"""The target of a transition after which the observer stops looking."""


@attrs.frozen(eq=False, repr=False)
class Layer:
    """The states that matter with some number of moments left, in topological order, and links.

    Links that end the moment lead to states of the layer with one moment fewer.
    """

    order: Sequence[int]
    links: Sequence[Sequence[Link]]


@attrs.frozen(eq=False, repr=False)
class Layers:
    """A chain unrolled moment by moment; all layers share the same ``links``.

    ``layers[left - 1]`` is the layer with ``left`` moments left. It contains the layers with more
    moments left or, if the chain is ``timed``, is disjoint from them. ``start`` is the opening
    node. ``emission`` lists the observations by index; index 0 means that nothing was observed.

    ``open`` maps nodes whose weights are filled in later to the index of their weight vector, from
    1. The weight of a link from such a node is replaced with a bit set, which selects the entries
    of the vector whose sum is the weight. Open states are merged only where they are equivalent for
    all weights.
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
    """Return the layers of a chain; ``order`` is a topological order of its acyclic ``links``.

    The weights of ``opened`` nodes are left open, to be filled in later. Raises ``ValueError`` if
    the chain was explored for fewer moments.
    """
    if chain.horizon is None:
        return Layers([Layer(order, links)] * moments, 0, chain.emissions, open=opened)
    if moments > chain.horizon:
        raise ValueError(
            f"the chain was explored for {chain.horizon} moments, but {moments} were requested"
        )
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
    """Return a layer for each moment, the last moment first.

    A layer has the states first reached by that moment or, if ``timed``, in that moment.
    """
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
    """Return one quotient chain per observer, of the states that matter to that observer.

    Observers with the same observations share their class numbers.
    """
    seen: dict[Hashable, int] = {None: 0}
    projections = [
        tuple([seen.setdefault(observe(emitted), len(seen)) for emitted in chain.emission])
        for observe in observations
    ]
    is_last = [isinstance(observation, Last) for observation in seen]
    partitions = {projection: _Partition(chain, projection, is_last) for projection in projections}
    round_count = _refine_all(chain, list(partitions.values()), 2 * len(seen))
    links, opened = _quotient(chain, list(partitions.values()), round_count)
    emission = [
        observation.seen if isinstance(observation, Last) else observation for observation in seen
    ]
    quotients = {
        projection: partition.layers(links, opened, emission)
        for projection, partition in partitions.items()
    }
    return [quotients[projection] for projection in projections]


_Row = tuple[int, int, Callable[[Sequence[int]], tuple[int, ...]]]
"""A state, the index of its shape, and a function that picks the classes of its targets."""


class _Partition:
    """The partition of a chain's states for one observer.

    ``rounds`` has the class of each state after each round. ``classes`` has the final class of each
    state, or -1 if the state does not matter.
    """

    def __init__(self, chain: Layers, projection: Sequence[int], is_last: Sequence[bool]) -> None:
        self._chain = chain
        self._links = chain.layers[0].links
        self._projection = projection
        self._is_last = [is_last[observation] for observation in projection]
        self._size = len(self._links)
        self._mattering = self._before_last() if any(self._is_last) else None
        self._numbers: dict[tuple[int, tuple[tuple[int, int], ...]], int] = {}
        self._shapes: list[_Shape] = []
        self._rows: dict[int, _Row] = {}
        # The class of each state in this moment, then in the next one (all equal at first), then
        # the class of NOWHERE.
        self._class_at = [NOWHERE] * self._size + [0] * self._size + [NOWHERE]
        self.rounds: list[dict[int, int]] = [{}]
        self.classes = [NOWHERE] * self._size

    def _before_last(self) -> set[int]:
        """Return the states that can be reached before the observer stops looking."""
        reached, todo = {self._chain.start}, [self._chain.start]
        while todo:
            for target, _, emission, _ in self._links[todo.pop()]:
                if target not in reached and not self._is_last[emission]:
                    reached.add(target)
                    todo.append(target)
        return reached

    def nodes(self, left: int) -> Iterable[int]:
        """Return the states that matter with ``left`` moments left.

        They are in reverse topological order.
        """
        order = reversed(self._chain.layers[left - 1].order)
        return order if self._mattering is None else filter(self._mattering.__contains__, order)

    def refine(self, left: int, round_: _Round) -> None:
        """Refine the partition by one round, by observations and the classes of the targets."""
        rows, class_at, size = self._rows, self._class_at, self._size
        classes: dict[int, int] = {}
        class_by_key: dict[tuple[int, tuple[int, ...]], int] = {}
        for node in self.nodes(left):
            _, shape, pick = rows.get(node) or self._row(node)
            key = (shape, pick(class_at))
            number = class_by_key.get(key)
            if number is None:
                number = class_by_key[key] = self._shapes[shape].class_of(key[1], round_)
            class_at[node] = classes[node] = number
        for node, number in classes.items():
            class_at[size + node] = number
        self.rounds.append(classes)

    def _row(self, node: int) -> _Row:
        shape: list[tuple[int, int]] = []
        positions: list[int] = []
        for target, weight, emission, ends in self._links[node]:
            over = self._is_last[emission]
            shape.append((weight, 2 * self._projection[emission] + (ends or over)))
            positions.append(2 * self._size if over else target + self._size if ends else target)
        key = self._chain.open.get(node, 0), tuple(shape)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._shapes)
            self._shapes.append(_Shape(*key))
        row = self._rows[node] = (node, number, _picker(positions))
        return row

    def links(self, node: int, class_links: Links) -> list[Link]:
        """Return the links of a state to classes, with parallel links summed.

        ``class_links`` has the links of the classes that are reached within the moment.
        """
        weights: dict[tuple[int, int, bool], int] = {}
        for target, weight, emission, ends in self._links[node]:
            # An opening after the last moment may belong to any class.
            class_ = NOWHERE if self._is_last[emission] else max(self.classes[target], 0)
            ends_here = ends or self._is_last[emission]
            if not ends_here and len(class_links[class_]) == 1:
                ((onward, _, observation, ends_here),) = class_links[class_]
                class_, ends_here = (
                    (onward, True) if ends_here and not observation else (class_, False)
                )
            transition = (class_, self._projection[emission], ends_here)
            weights[transition] = weights.get(transition, 0) + weight
        divisor = 1 if node in self._chain.open else gcd(*weights.values())
        return [
            (target, weight // divisor, seen, ends)
            for (target, seen, ends), weight in weights.items()
        ]

    def open(self, node: int) -> int:
        """Return the index of a state's weight vector, 0 if its weights are fixed."""
        return self._chain.open.get(node, 0)

    def layers(self, links: Links, opened: Mapping[int, int], emission: Sequence[Any]) -> Layers:
        """Return the quotient chain, with these links and open nodes of its classes.

        ``emission`` lists the observations by index. Each class has a greater number than its
        targets within the moment.
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


def _picker(positions: Sequence[int]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """Return a function that returns the items of a sequence at these positions, as a tuple."""
    if len(positions) > 1:
        return itemgetter(*positions)
    (position,) = positions
    return lambda items: (items[position],)


Signature = frozenset[tuple[int, int]]
"""The behaviour of a state: the weight of each coded transition.

An open state adds a negative code for its weight vector, with weight 0.
"""


class _Round:
    """The classes of one round by signature, numbered jointly for all observers.

    ``over`` maps each class that emits nothing before the moment ends to the opening reached next.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.signatures: dict[Signature, int] = {}
        self.over: dict[int, int] = {}

    def class_of(self, transitions: dict[int, int], which: int) -> int:
        """Return the class of states with these transitions.

        ``which`` is the index of their weight vector, 0 if their weights are fixed.
        """
        if len(transitions) > 1:
            if which:
                transitions[-self.width - which] = 0
            return self.signatures.setdefault(frozenset(transitions.items()), len(self.signatures))
        (transition,) = transitions
        if not transition % self.width:
            # With a single, unobserved transition, the state is equivalent to its target.
            return transition // self.width
        number = self.signatures.setdefault(frozenset(((transition, 1),)), len(self.signatures))
        if transition % self.width == 1:
            self.over[number] = transition // self.width
        return number


class _Shape:
    """The links of a state without their targets: their weights, observations and ends of moments.

    ``which`` is the index of the weight vector, 0 if the weights are fixed.
    """

    def __init__(self, which: int, transitions: tuple[tuple[int, int], ...]) -> None:
        divisor = gcd(*(weight for weight, _ in transitions))
        self._which = which
        self._transitions = [(weight // divisor, code) for weight, code in transitions]

    def class_of(self, targets: Sequence[int], round_: _Round) -> int:
        """Return the class of the states of this shape, given the classes of their targets."""
        width, over = round_.width, round_.over
        transitions: dict[int, int] = {}
        for (weight, code), target in zip(self._transitions, targets, strict=True):
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
        return round_.class_of(transitions, self._which)


def _refine_all(chain: Layers, partitions: Sequence[_Partition], width: int) -> int:
    """Refine the partitions until no round splits a class; return the number of rounds."""
    for left in range(1, len(chain.layers) + 1):
        round_ = _Round(width)
        for partition in partitions:
            partition.refine(left, round_)
        if left == 1:
            continue
        before = set().union(
            *(
                map(partition.rounds[left - 1].get, partition.rounds[left])
                for partition in partitions
            )
        )
        now = set().union(*(partition.rounds[left].values() for partition in partitions))
        if before and None not in before and len(before) == len(now):
            # No class was split for any observer, so none will be.
            return left
    return len(chain.layers)


def _quotient(
    chain: Layers, partitions: Sequence[_Partition], rounds: int
) -> tuple[list[list[Link]], dict[int, int]]:
    """Give each state its final class, and return the links of all classes and the open classes.

    The open classes are mapped to the index of their weight vector. A state that matters for
    ``left`` moments is merged with any equivalent state that matters for at least as many moments;
    the state that matters longest represents the class.
    """
    representatives: list[tuple[_Partition, int]] = []
    class_by_round: list[dict[int, int]] = [{} for _ in range(rounds + 1)]
    for partition in partitions:
        for left in range(len(chain.layers), 0, -1):
            if left < len(chain.layers) and chain.layers[left - 1] is chain.layers[left]:
                continue
            last = min(left, rounds)
            for node in partition.nodes(left):
                if partition.classes[node] != NOWHERE:
                    continue
                number = class_by_round[last].get(partition.rounds[last][node])
                if number is None:
                    number = len(representatives)
                    representatives.append((partition, node))
                    for earlier in (last,) if chain.timed else range(1, last + 1):
                        class_by_round[earlier].setdefault(partition.rounds[earlier][node], number)
                partition.classes[node] = number
    links: list[list[Link]] = []
    for partition, node in representatives:
        links.append(partition.links(node, links))
    open_classes = {
        number: partition.open(node)
        for number, (partition, node) in enumerate(representatives)
        if len(links[number]) > 1
    }
    return links, {number: which for number, which in open_classes.items() if which}
