"""Passes over a chain in layers, in whole numbers (on request in floats): moment by moment, a measure carried along."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Protocol, runtime_checkable

import attrs

from fireplan.solver._lump import NOWHERE, Layer, Layers
from fireplan_core import Event, ProcedureError, Step

Letter = Event | Step
Word = tuple[Letter, ...]


class Measure(Protocol):
    """An automaton over events, hashable, with a small hashable state that each event may move along.

    ``kinds`` are the kinds of events it looks at, ``scope`` the one place whose strikes it looks at where they are
    set apart (or ``""``). Once ``settled``, nothing can change it any more, and the solver stops following that
    share.
    """

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of events that can move it."""

    @property
    def scope(self) -> str:
        """Return the place whose strikes can move it."""

    @property
    def initial(self) -> Hashable:
        """Return its state before anything happened."""

    def see(self, state: Any, letter: Any, moment: int) -> Any:
        """Return its state after an event of one of its kinds, or a strike on its place, in that moment."""

    def settled(self, state: Any) -> bool:
        """Return whether no later event can change it."""


@runtime_checkable
class Waiting(Protocol):
    """A measure that waits for one letter: the first that it awaits settles it, and nothing else moves it.

    The solver then looks no further than that letter.
    """

    def awaits(self, letter: Any) -> bool:
        """Return whether it waits for this letter (an event of one of its kinds)."""


ROUNDING = Fraction(1, 10**9)
"""Say how far the shares of passes in floats may be from 1 together."""


@attrs.frozen
class Distribution:
    """The exact distribution of a measure's state at the end; the shares sum to exactly 1.

    Where it is not ``exact`` it was found in floats: each share is the fraction that its float stands for, and they
    sum to 1 but for rounding.
    """

    shares: Mapping[Any, Fraction]
    exact: bool = True

    def __attrs_post_init__(self) -> None:
        """Refuse a mass other than 1: it would be a fault of the solver."""
        total = sum(self.shares.values(), Fraction(0))
        if abs(total - 1) > (0 if self.exact else ROUNDING):
            raise ProcedureError(f"the shares sum to {total}, not 1")


class Reader:
    """A measure read with its states numbered, so that the passes handle small numbers only."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._ids: dict[Hashable, int] = {}
        self.states: list[Hashable] = []
        self.number(self.opening())

    def opening(self) -> Hashable:
        """Return the state before anything happened."""
        return self._measure.initial

    def number(self, state: Hashable) -> int:
        """Return the number of a state; the first one has 0."""
        found = self._ids.get(state)
        if found is None:
            found = self._ids[state] = len(self.states)
            self.states.append(state)
        return found

    def final(self, state: Hashable) -> Hashable:
        """Return what a state comes to at the end."""
        return state

    def total(self, word: Word) -> int:  # noqa: ARG002
        """Return what the weights sum to that a word spreads a state over."""
        return 1

    def read(self, state: int, word: Word, moment: int) -> tuple[tuple[int, int, bool], ...]:
        """Return the states after a word, each with its weight and whether it is settled."""
        after = self.states[state]
        for letter in word:
            after = self._measure.see(after, letter, moment)
        return ((self.number(after), 1, self._measure.settled(after)),)

    def read_shares(self, state: int, word: Word, moment: int) -> tuple[tuple[int, float, bool], ...]:
        """Return the same with shares, as floats, in the place of weights."""
        total = self.total(word)
        return tuple((after, weight / total, done) for after, weight, done in self.read(state, word, moment))


_Mass = Mapping[int, Mapping[int, Any]]
"""By node and state of the measure: whole numbers, or floats."""


@attrs.frozen(eq=False, repr=False)
class After:
    """Say where the mass stands after a moment; call it for the distribution."""

    reader: Reader
    scale: Mapping[int, int]
    mass: _Mass
    settled: Mapping[int, Any]
    denominator: int
    exact: bool = True

    def __call__(self) -> Distribution:
        """The shares as fractions."""
        counted = dict(self.settled)
        for node, here in self.mass.items():
            scale = self.scale.get(node, 1)
            for state, weight in here.items():
                counted[state] = counted.get(state, 0) + (weight // scale if self.exact else weight)
        shares: dict[Hashable, Any] = {}
        for state, share in counted.items():
            if share:
                final = self.reader.final(self.reader.states[state])
                shares[final] = shares.get(final, 0) + share
        return Distribution({end: Fraction(share) / self.denominator for end, share in shares.items()}, self.exact)


@attrs.frozen(eq=False, repr=False)
class _Whole:
    """A layer with whole-number factors: ways are ``(target, factor, ends, word, factor if settled)``.

    ``common`` is the denominator of the moment; mass at a node is kept in parts of its ``scale``. In floats both are
    1, and the factors are shares.
    """

    order: Sequence[int]
    scale: Mapping[int, int]
    transitions: Mapping[int, Sequence[tuple[int, Any, bool, int, Any]]]
    common: int


def _shares(layer: Layer) -> _Whole:
    """A layer with its shares as floats."""
    transitions = {}
    for node in layer.order:
        links = layer.links[node]
        out = sum(weight for _, weight, _, _ in links)
        transitions[node] = [(target, weight / out, ends, word, weight / out) for target, weight, word, ends in links]
    return _Whole(layer.order, dict.fromkeys(layer.order, 1), transitions, 1)


def _whole(layer: Layer, spread: Sequence[int], later: Mapping[int, int]) -> _Whole:
    """Factors of a layer; ``spread`` is what each word's weights sum to, ``later`` the scale of the next layer."""
    scale = dict.fromkeys(layer.order, 1)
    common = 1
    # The denominator of each node relative to the opening of its moment: the least one that serves all ways to it.
    totals: dict[int, int] = {}
    for node in layer.order:
        links = layer.links[node]
        out = totals[node] = scale[node] * sum([weight for _, weight, _, _ in links])
        common = lcm(common, out)
        for target, _, word, ends in links:
            if spread[word] > 1:
                common = lcm(common, out * spread[word])
            if not ends:
                scale[target] = lcm(scale[target], out * spread[word])
    transitions: dict[int, list[tuple[int, int, bool, int, int]]] = {}
    for node in layer.order:
        out = totals[node]
        share = common // out
        found = transitions[node] = []
        for target, weight, word, ends in layer.links[node]:
            over = spread[word]
            settling = weight * (share if over == 1 else common // (out * over))
            factor = settling * later.get(target, 1) if ends else weight * (scale[target] // (out * over))
            found.append((target, factor, ends, word, settling))
    return _Whole(layer.order, scale, transitions, common)


def _reached(layers: Layers) -> list[Layer]:
    """The layers less what the opening never leads to."""
    entered = {layers.start}
    reached: list[set[int]] = []
    for layer in reversed(layers.layers):
        seen, following = set(entered), set()
        todo = list(entered)
        while todo:
            for target, _, _, ends in layer.links[todo.pop()]:
                if ends:
                    following.add(target)
                elif target not in seen:
                    seen.add(target)
                    todo.append(target)
        reached.append(seen)
        entered = following - {NOWHERE}
    if layers.timed:
        pairs = zip(layers.layers, reversed(reached), strict=True)
        return [Layer([node for node in layer.order if node in seen], layer.links) for layer, seen in pairs]
    whole = set().union(*reached)
    widest = layers.layers[0]
    return [Layer([node for node in widest.order if node in whole], widest.links)] * len(reached)


def passes(layers: Layers, reader: Reader, *, exact: bool = True) -> Iterator[After]:
    """Carry the mass through all moments, in whole numbers or in floats; yields after each."""
    words: list[Word] = [word or () for word in layers.emission]
    spread = [reader.total(word) for word in words]
    reached = _reached(layers)
    whole: list[_Whole] = []
    scale: Mapping[int, int] = {}
    for left, layer in enumerate(reached):
        if left > 1 and layer is reached[left - 1] is reached[left - 2]:
            whole.append(whole[-1])
            continue
        whole.append(_whole(layer, spread, scale) if exact else _shares(layer))
        scale = whole[-1].scale
    scales: list[Mapping[int, int]] = [{}, *(each.scale for each in whole)]
    start = layers.start
    mass: dict[int, dict[int, Any]] = {start: {0: scales[-1].get(start, 1) if exact else 1.0}}
    settled: dict[int, Any] = {}
    read = reader.read if exact else reader.read_shares
    denominator = 1
    for moment, here in enumerate(reversed(whole)):
        settled = {state: share * here.common for state, share in settled.items()}
        denominator *= here.common
        mass = _moment(here, mass, settled, words, read, moment)
        yield After(reader, scales[len(whole) - moment - 1], mass, settled, denominator, exact)


def _moment(
    layer: _Whole,
    mass: dict[int, dict[int, Any]],
    settled: dict[int, Any],
    words: Sequence[Word],
    reads: Callable[[int, Word, int], tuple[tuple[int, Any, bool], ...]],
    moment: int,
) -> dict[int, dict[int, Any]]:
    """Carry the mass through one moment; what settles is added to ``settled``."""
    following: dict[int, dict[int, Any]] = {}
    memo: dict[tuple[int, int], tuple[tuple[int, Any, bool], ...]] = {}
    for node in layer.order:
        here = mass.pop(node, None)
        if here is None:
            continue
        for target, factor, ends, word, settling in layer.transitions[node]:
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
                    read = memo[state, word] = reads(state, words[word], moment)
                for after, share, done in read:
                    if done:
                        settled[after] = settled.get(after, 0) + weight * settling * share
                    else:
                        there[after] = there.get(after, 0) + weight * factor * share
    return {node: here for node, here in following.items() if here}
