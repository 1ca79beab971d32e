"""Passes over a chain in layers, in whole numbers (on request in floats): moment by moment, a measure carried along."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, Protocol

import attrs

from fireplan.solver.factors import LONG, Factors, factors_of, reached_layers, whole_moments
from fireplan.solver.lump import Layers
from fireplan_core import Event, ProcedureError

Sign = tuple[int, int]
"""Stands for a step that was set apart: the position of what it moves among others, and its number there."""

Word = tuple[Event | Sign, ...]
"""Say what moves a measure on a way, in order."""


class Measure(Protocol):
    """An automaton over events, hashable, with a small hashable state that each event may move along.

    ``kinds`` are the kinds of events it looks at. Once ``settled``, nothing can change it any more, and the solver
    stops following that share.

    Where only some events of its kinds can move it, a method ``concerns(event)`` may say which; or
    ``awaits(event)``, where it waits for the first of them, which settles it. The solver then tells
    fewer states apart.
    """

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of events that can move it."""

    @property
    def initial(self) -> Hashable:
        """Return its state before anything happened."""

    def see(self, state: Any, letter: Any, moment: int) -> Any:
        """Return its state after an event of one of its kinds in that moment."""

    def settled(self, state: Any) -> bool:
        """Return whether no later event can change it."""


def moved_by(measure: Measure, event: Event) -> bool:
    """Return whether an event can move a measure."""
    if event.kind not in measure.kinds:
        return False
    concerns = getattr(measure, "concerns", None) or getattr(measure, "awaits", None)
    return concerns is None or concerns(event)


ROUNDING = Fraction(1, 10**9)
"""Say how far the shares of passes in floats may be from 1 together."""


@attrs.frozen(eq=False, slots=False)
class Distribution:
    """The exact distribution of a measure's state at the end; the shares sum to exactly 1.

    ``parts`` of ``whole`` are the shares; fractions are made of them when they are asked for. Where it is not ``exact``
    it was found in floats: each share is the fraction that its float stands for, and they sum to 1 but for rounding.
    """

    parts: Mapping[Any, Any]
    whole: int = 1
    exact: bool = True

    def __attrs_post_init__(self) -> None:
        """Refuse a mass other than 1: it would be a fault of the solver."""
        total = sum(self.parts.values())
        if total != self.whole if self.exact else abs(Fraction(total) - 1) > ROUNDING:
            raise ProcedureError(f"the shares sum to {Fraction(total) / self.whole}, not 1")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Distribution) and (self.shares, self.exact) == (
            other.shares,
            other.exact,
        )

    __hash__ = None  # type: ignore[assignment] # it holds a mapping

    @cached_property
    def shares(self) -> Mapping[Any, Fraction]:
        """Return the share of each state."""
        return self.by(lambda state: state)

    def by(self, read: Callable[[Any], Hashable]) -> dict[Any, Fraction]:
        """Return the share of each thing that is read off the states.

        Equal ones are summed before they are divided.
        """
        counted: dict[Any, Any] = {}
        for state, part in self.parts.items():
            end = read(state)
            counted[end] = counted.get(end, 0) + part
        return {end: Fraction(part) / self.whole for end, part in counted.items()}


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

    def read_shares(
        self, state: int, word: Word, moment: int
    ) -> tuple[tuple[int, float, bool], ...]:
        """Return the same with shares, as floats, in the place of weights."""
        total = self.total(word)
        return tuple(
            (after, weight / total, done) for after, weight, done in self.read(state, word, moment)
        )


_Mass = Mapping[int, Mapping[int, Any]]
"""By node and state of the measure: whole numbers, or floats."""


@attrs.frozen(eq=False, repr=False)
class After:
    """Say where the mass stands after a moment; call it for the distribution.

    ``settled`` holds what settled in each moment, with the number that it is parts of; the rest is parts of
    ``denominator`` times the ``scale`` of its node.
    """

    reader: Reader
    scale: Mapping[int, int]
    mass: _Mass
    settled: Sequence[tuple[Mapping[int, Any], int]]
    denominator: int
    exact: bool = True

    def __call__(self) -> Distribution:
        """Return the shares, all of them parts of one number."""
        scales = {self.scale.get(node, 1) for node in self.mass}
        whole = (
            lcm(self.denominator * lcm(*scales), *{of for _, of in self.settled})
            if self.exact
            else 1
        )
        counted: dict[int, Any] = {}
        for settled, of in self.settled:
            times = whole // of
            for state, part in settled.items():
                counted[state] = counted.get(state, 0) + part * times
        for node, here in self.mass.items():
            times = whole // (self.denominator * self.scale.get(node, 1))
            for state, weight in here.items():
                counted[state] = counted.get(state, 0) + weight * times
        parts: dict[Hashable, Any] = {}
        for state, part in counted.items():
            if part:
                final = self.reader.final(self.reader.states[state])
                parts[final] = parts.get(final, 0) + part
        if self.exact:
            return Distribution(parts, whole)
        return Distribution({final: Fraction(part) for final, part in parts.items()}, exact=False)


def passes(layers: Layers, reader: Reader, *, exact: bool = True) -> Iterator[After]:
    """Carry the mass through all moments, in whole numbers or in floats; yields after each."""
    words: list[Word] = [word or () for word in layers.emission]
    start = layers.start
    reached = reached_layers(layers)
    if exact and len(reached) >= LONG and not layers.timed:
        reached = [whole_moments(reached[0], start, words)] * len(reached)
    spread = [reader.total(word) for word in words]
    mass: dict[int, dict[int, Any]] = {}
    settled: list[tuple[dict[int, Any], int]] = []
    read = reader.read if exact else reader.read_shares
    denominator = 1
    for moment, here in enumerate(factors_of(reached, spread, exact=exact)):
        if not moment:
            mass = {start: {0: here.scale.get(start, 1) if exact else 1.0}}
        settling: dict[int, Any] = {}
        mass = _moment(here, mass, settling, words, read, moment)
        settled.append((settling, denominator * here.settling))
        denominator *= here.common
        yield After(reader, here.later, mass, tuple(settled), denominator, exact)


def _moment(
    layer: Factors,
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
