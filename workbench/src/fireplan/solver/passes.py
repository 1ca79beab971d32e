"""Passes over a chain in layers, which carry a measure's distribution forward moment by moment.

Passes run in integers, or in floats on request.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, Protocol

import attrs

from fireplan.solver.factors import LONG, Factors, factors_of, whole_moments
from fireplan.solver.lump import Layers
from fireplan_core import Event, ProcedureError

Sign = tuple[int, int]
"""The stand-in for a step set apart: the index of its place, and the letter's index there."""

Word = tuple[Event | Sign, ...]
"""The letters of a transition that may change a measure, in order."""


class Measure(Protocol):
    """An automaton over events: hashable, with a small hashable state that each event may change.

    ``kinds`` are the kinds of events that the measure reads. Once a state is ``settled``, no event
    can change it, and the solver follows those plays no further.

    A measure that reads only some events of its kinds may have a method ``concerns(event)``. A
    measure that is settled by its first relevant event may have ``awaits(event)``. With either
    method the solver can merge more states.
    """

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of events that the measure reads."""

    @property
    def initial(self) -> Hashable:
        """Return the state before any event."""

    def see(self, state: Any, letter: Any, moment: int) -> Any:
        """Return the state after an event of one of the measure's kinds."""

    def settled(self, state: Any) -> bool:
        """Return whether no later event can change this state."""


def moved_by(measure: Measure, event: Event) -> bool:
    """Return whether an event can change the state of a measure."""
    if event.kind not in measure.kinds:
        return False
    concerns = getattr(measure, "concerns", None) or getattr(measure, "awaits", None)
    return concerns is None or concerns(event)


ROUNDING = Fraction(1, 10**9)
"""Maximum error of the sum of shares from float passes."""


@attrs.frozen(eq=False, slots=False)
class Distribution:
    """The distribution of a measure's final state, as shares that sum to 1.

    Each share is its entry in ``parts`` divided by ``whole``; the fractions are computed on demand.
    Unless ``exact`` is set, the distribution was computed in floats: each share is the fraction
    equal to its float, and the shares sum to 1 only up to rounding.
    """

    parts: Mapping[Any, Any]
    whole: int = 1
    exact: bool = True

    def __attrs_post_init__(self) -> None:
        """Check that the shares sum to 1.

        Raises ``ProcedureError`` if they do not, which would be a bug in the solver.
        """
        total = sum(self.parts.values())
        if total != self.whole if self.exact else abs(Fraction(total) - 1) > ROUNDING:
            raise ProcedureError(
                f"the shares sum to {Fraction(total) / self.whole}, not 1: this is a bug in the solver"
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Distribution) and (self.shares, self.exact) == (
            other.shares,
            other.exact,
        )

    __hash__ = None  # type: ignore[assignment] # a mapping cannot be hashed

    @cached_property
    def shares(self) -> Mapping[Any, Fraction]:
        """Map each final state to its probability."""
        return self.by(lambda state: state)

    def by(self, read: Callable[[Any], Hashable]) -> dict[Any, Fraction]:
        """Return the share of each value that ``read`` gives for the states, as a mapping."""
        parts: dict[Any, Any] = {}
        for state, part in self.parts.items():
            value = read(state)
            parts[value] = parts.get(value, 0) + part
        return {value: Fraction(part) / self.whole for value, part in parts.items()}


class Reader:
    """A measure with its states numbered, so that passes handle only small integers."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._ids: dict[Hashable, int] = {}
        self.states: list[Hashable] = []
        self.number(self.opening())

    def opening(self) -> Hashable:
        """Return the state before any event."""
        return self._measure.initial

    def number(self, state: Hashable) -> int:
        """Return the index of a state; the opening has 0."""
        number = self._ids.get(state)
        if number is None:
            number = self._ids[state] = len(self.states)
            self.states.append(state)
        return number

    def final(self, state: Hashable) -> Hashable:
        """Return the result to report for a final state: here, the state itself."""
        return state

    def total(self, word: Word) -> int:  # noqa: ARG002
        """Return the sum of the weights that ``read`` gives for this word: 1 here."""
        return 1

    def read(self, state: int, word: Word, moment: int) -> tuple[tuple[int, int, bool], ...]:
        """Return (index, weight, True if settled) for each state to which a word may lead.

        ``state`` is the index of the state before the word.
        """
        after = self.states[state]
        for letter in word:
            after = self._measure.see(after, letter, moment)
        return ((self.number(after), 1, self._measure.settled(after)),)

    def read_shares(
        self, state: int, word: Word, moment: int
    ) -> tuple[tuple[int, float, bool], ...]:
        """Return (index, float share, True if settled) for each state to which a word may lead.

        ``state`` is the index of the state before the word.
        """
        total = self.total(word)
        return tuple(
            (after, weight / total, done) for after, weight, done in self.read(state, word, moment)
        )


_Mass = Mapping[int, Mapping[int, Any]]
"""Mass, i.e. unnormalised probability, by node and state of the measure: integers or floats."""


@attrs.frozen(eq=False, repr=False)
class MassAfter:
    """The mass after a moment; when called, it returns the distribution.

    ``settled`` has the mass that settled in each moment, with its denominator. The other mass is in
    units of 1 / (``denominator`` times the ``scale`` of its node).
    """

    reader: Reader
    scale: Mapping[int, int]
    mass: _Mass
    settled: Sequence[tuple[Mapping[int, Any], int]]
    denominator: int
    exact: bool = True

    def __call__(self) -> Distribution:
        """Return the distribution of the measure, with all shares over one denominator."""
        scales = {self.scale.get(node, 1) for node in self.mass}
        whole = (
            lcm(self.denominator * lcm(*scales), *{denominator for _, denominator in self.settled})
            if self.exact
            else 1
        )
        part_of_number: dict[int, Any] = {}
        for settled, denominator in self.settled:
            factor = whole // denominator
            for state, part in settled.items():
                part_of_number[state] = part_of_number.get(state, 0) + part * factor
        for node, weights in self.mass.items():
            factor = whole // (self.denominator * self.scale.get(node, 1))
            for state, weight in weights.items():
                part_of_number[state] = part_of_number.get(state, 0) + weight * factor
        parts: dict[Hashable, Any] = {}
        for state, part in part_of_number.items():
            if part:
                final = self.reader.final(self.reader.states[state])
                parts[final] = parts.get(final, 0) + part
        if self.exact:
            return Distribution(parts, whole)
        return Distribution({final: Fraction(part) for final, part in parts.items()}, exact=False)


def passes(layers: Layers, reader: Reader, *, exact: bool = True) -> Iterator[MassAfter]:
    """Carry the mass through all moments, and yield it after each moment.

    Masses are integers if ``exact`` is set, else floats.
    """
    words: list[Word] = [word or () for word in layers.emission]
    start = layers.start
    moments = len(layers.layers)
    # The layer of the last moment has every state, so all moments can share its factors.
    widest = layers.layers[0]
    if exact and moments >= LONG and not layers.timed:
        widest = whole_moments(widest, start, words)
    unrolled = layers.layers if layers.timed else [widest] * moments
    word_totals = [reader.total(word) for word in words]
    mass: dict[int, dict[int, Any]] = {}
    settled: list[tuple[dict[int, Any], int]] = []
    read = reader.read if exact else reader.read_shares
    denominator = 1
    for moment, factors in enumerate(factors_of(unrolled, word_totals, exact=exact)):
        if not moment:
            mass = {start: {0: factors.scale.get(start, 1) if exact else 1.0}}
        settled_now: dict[int, Any] = {}
        mass = _moment(factors, mass, settled_now, words, read, moment)
        settled.append((settled_now, denominator * factors.settling))
        denominator *= factors.common
        yield MassAfter(reader, factors.later, mass, tuple(settled), denominator, exact)


def _moment(
    layer: Factors,
    mass: dict[int, dict[int, Any]],
    settled: dict[int, Any],
    words: Sequence[Word],
    reads: Callable[[int, Word, int], tuple[tuple[int, Any, bool], ...]],
    moment: int,
) -> dict[int, dict[int, Any]]:
    """Carry the mass through one moment; return it by node and then by state of the measure.

    ``reads`` returns the states after a word with their weights. Mass that settles is added to
    ``settled``.
    """
    next_mass: dict[int, dict[int, Any]] = {}
    memo: dict[tuple[int, int], tuple[tuple[int, Any, bool], ...]] = {}
    for node in layer.order:
        weights = mass.pop(node, None)
        if weights is None:
            continue
        for target, factor, ends, word, settling in layer.transitions[node]:
            mass_by_node = next_mass if ends else mass
            target_weights = mass_by_node.get(target)
            if target_weights is None:
                target_weights = mass_by_node[target] = {}
            if not word:
                for state, weight in weights.items():
                    target_weights[state] = target_weights.get(state, 0) + weight * factor
                continue
            for state, weight in weights.items():
                read = memo.get((state, word))
                if read is None:
                    read = memo[state, word] = reads(state, words[word], moment)
                for after, share, is_settled in read:
                    if is_settled:
                        settled[after] = settled.get(after, 0) + weight * settling * share
                    else:
                        target_weights[after] = (
                            target_weights.get(after, 0) + weight * factor * share
                        )
    return {node: weights for node, weights in next_mass.items() if weights}
