"""Severity a place at a time: a place is a small automaton that every strike moves on by chance."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm, prod
from typing import Any

import attrs

from fireplan.solver._chain import Chain, Emission
from fireplan.solver._lump import Layers, lumped
from fireplan.solver._measures import Strikes
from fireplan.solver._passes import Letter, Reader, Word, passes
from fireplan.solver._places import LOCAL, STRIKE, StruckPlace
from fireplan.solver._solve import Plan, focus
from fireplan_core import Scenario, Severity, Step

Severities = Mapping[Severity, Fraction]


def reads_back(scenario: Scenario, chain: Chain) -> bool:
    """Return whether a mission explored with its strikes set apart reads what these would do.

    It may read that of a place that is never struck: there it is as it was. Strikes held to no place may do anything.
    """
    struck = {step.scope for _, apart in chain.emissions for step in apart}

    def within(key: str) -> bool:
        kind, first, *rest = key.split("/")
        place = scenario.frame.label(scenario.units[first].place) if kind == "units" else "/".join(rest[:-1])
        return f"place {place}" in struck

    if not scenario.places_apart and not scenario.mobile:
        return bool(struck)
    return any(key.startswith(LOCAL) and (scenario.mobile or within(key)) for key in chain.keys)


@attrs.frozen(eq=False, repr=False)
class Struck:
    """One unit's place as the mission strikes it: the chain of strikes, and the automaton that they move."""

    layers: Layers
    automaton: Automaton
    falls: _Falls

    @property
    def key(self) -> Hashable:
        """Return the same for units that suffer alike."""
        return self.layers.start, self.automaton

    def reader(self) -> Reader:
        """Return what carries the worst severity along the chain."""
        return _Suffered(self.automaton)

    def severities(self, *, exact: bool = True) -> Severities:
        """Return the distribution of the worst that the unit suffers."""
        found = dict.fromkeys(Severity, Fraction(0))
        if len(self.automaton.letters) > 1:
            *_, after = passes(self.layers, self.reader(), exact=exact)
            return {**found, **after().shares}
        # Strikes are all alike, so that it only matters how many there are.
        times = self.falls.times(exact=exact)
        for share, after_strikes in zip(times, _after_each(self.automaton, len(times)), strict=True):
            for severity, chance in after_strikes.items():
                found[severity] += share * chance
        return found


class _Falls:
    """Say how often a place is struck, where all strikes are alike; shared by all that is struck so."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._known: dict[bool, list[Fraction]] = {}

    def times(self, *, exact: bool) -> list[Fraction]:
        """The chance of each number of strikes, from none on."""
        if exact not in self._known:
            *_, after = passes(self._layers, Reader(Strikes("")), exact=exact)
            shares = {sum(times for _, times in word): share for word, share in after().shares.items()}
            self._known[exact] = [shares.get(times, Fraction(0)) for times in range(max(shares) + 1)]
        return self._known[exact]


def _after_each(automaton: Automaton, most: int) -> Iterator[Severities]:
    """Yield what a unit has suffered after no strike, one, two ..., where there is one kind of them."""
    reader = _Suffered(automaton)
    total = reader.total(automaton.letters)
    here, denominator = {0: 1}, 1
    for _ in range(most):
        counted: dict[Severity, int] = {}
        for state, weight in here.items():
            severity = reader.final(reader.states[state])
            counted[severity] = counted.get(severity, 0) + weight
        yield {severity: Fraction(weight, denominator) for severity, weight in counted.items()}
        after: dict[int, int] = {}
        for state, weight in here.items():
            for following, share, _ in reader.read(state, automaton.letters, 0):
                after[following] = after.get(following, 0) + weight * share
        here, denominator = after, denominator * total


def struck_units(
    mission: Plan, moments: int, units: Mapping[str, Sequence[str]], places: Mapping[str, StruckPlace]
) -> dict[str, Struck]:
    """Return the units as they are struck; they are given by the scope of their place."""
    struck = focus(mission, [Strikes(scope) for scope in units], moments)
    found: dict[str, Struck] = {}
    falls: dict[int, _Falls] = {}
    for (scope, there), layers in zip(units.items(), struck, strict=True):
        place = places.get(scope)
        fallen = falls.setdefault(layers.start, _Falls(layers))
        if place is None:
            found |= dict.fromkeys(there, Struck(layers, Automaton((), 0, ((),)), fallen))
            continue
        for unit, automaton in zip(there, _automata(place.plan, there, place.strikes), strict=True):
            found[unit] = Struck(layers, automaton, fallen)
    return found


@attrs.frozen(cache_hash=True)
class Automaton:
    """Say what strikes do to a unit: for each state of the place and strike, chances of ``(state, severity)``."""

    letters: tuple[Step, ...]
    start: int
    moves: tuple[tuple[tuple[tuple[int, Severity, Fraction], ...], ...], ...]


def _automata(local: Plan, units: Sequence[str], letters: Sequence[Step]) -> list[Automaton]:
    """The automaton of each unit, of no more states than it can tell apart."""
    # With as many strikes left as there are states, one more tells no more of them apart.
    enough = len(local.chain.links) + 2
    seen = lumped(local.layers(enough, len(units)), [_Suffering(unit).look for unit in units])
    return [_automaton(layers, tuple(letters)) for layers in seen]


@attrs.frozen
class _Suffering:
    """Sees the strikes, and what one unit suffers from them."""

    unit: str

    def look(self, emission: Emission | None) -> tuple[tuple[int] | Severity, ...] | None:
        word = [
            (event["number"],) if event.kind == STRIKE else event["severity"]
            for event in (emission[0] if emission else ())
            if event.kind == STRIKE or (event.kind == "suffered" and event["unit"] == self.unit)
        ]
        return tuple(word) or None


def _automaton(layers: Layers, letters: tuple[Step, ...]) -> Automaton:
    layer = layers.layers[0]
    worst = [max((s for s in word or () if isinstance(s, Severity)), default=Severity.NONE) for word in layers.emission]
    ends: dict[int, dict[tuple[int, Severity], Fraction]] = {}

    def along(target: int, emission: int, *, over: bool) -> dict[tuple[int, Severity], Fraction]:
        if over:
            return {(target, worst[emission]): Fraction(1)}
        found: dict[tuple[int, Severity], Fraction] = {}
        for (state, severity), share in ends[target].items():
            key = (state, max(severity, worst[emission]))
            found[key] = found.get(key, Fraction(0)) + share
        return found

    numbers: dict[int, int] = {}
    moves: dict[int, tuple[tuple[tuple[int, Severity, Fraction], ...], ...]] = {}
    resting = [layers.start]
    for node in reversed(layer.order):
        links = layer.links[node]
        if any(emission and isinstance(layers.emission[emission][0], tuple) for _, _, emission, _ in links):
            continue  # whichever strike: a choice, no chance
        total = sum(weight for _, weight, _, _ in links)
        here = ends[node] = {}
        for target, weight, emission, over in links:
            for key, share in along(target, emission, over=over).items():
                here[key] = here.get(key, Fraction(0)) + share * Fraction(weight, total)
    for state in resting:
        numbers.setdefault(state, len(numbers))
        row: list[tuple[tuple[int, Severity, Fraction], ...]] = [()] * len(letters)
        for target, _, emission, over in layer.links[state]:
            after = along(target, emission, over=over)
            for other, _ in after:
                if other not in numbers:
                    numbers[other] = len(numbers)
                    resting.append(other)
            row[layers.emission[emission][0][0]] = tuple(
                sorted((numbers[other], severity, share) for (other, severity), share in after.items())
            )
        moves[numbers[state]] = tuple(row)
    return Automaton(letters, 0, tuple(moves[number] for number in range(len(moves))))


class _Suffered(Reader):
    """Carries state of the place and worst severity; a strike spreads them."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        super().__init__(Strikes(""))
        self._letters: dict[Letter, int] = {letter: number for number, letter in enumerate(automaton.letters)}
        # Each strike has one denominator, whatever state it finds.
        self._totals = [
            lcm(*(share.denominator for row in automaton.moves for _, _, share in row[number]))
            for number in range(len(automaton.letters))
        ]

    def opening(self) -> Hashable:
        """Return the state before anything happened."""
        return self._automaton.start, Severity.NONE

    def final(self, state: Hashable) -> Severity:
        """The worst severity."""
        _, worst = state  # type: ignore[misc]
        return worst  # type: ignore[has-type, no-any-return]

    def total(self, word: Word) -> int:
        """The product over its strikes; nothing of words that only other places meet, which share the table."""
        return prod([self._totals[self._letters[letter]] for letter in word if letter in self._letters])

    def read(self, state: int, word: Word, moment: int) -> tuple[tuple[int, int, bool], ...]:  # noqa: ARG002
        """Return where the strikes of a word may leave place and unit."""
        here: dict[Any, int] = {self.states[state]: 1}
        for letter in word:
            number = self._letters[letter]
            after: dict[Any, int] = {}
            for (place, worst), weight in here.items():
                for other, severity, share in self._automaton.moves[place][number]:
                    key = (other, max(worst, severity))
                    times = share.numerator * (self._totals[number] // share.denominator)
                    after[key] = after.get(key, 0) + weight * times
            here = after
        return tuple(
            # Nothing worse can befall what is destroyed.
            (self.number((0, worst)), weight, True)
            if worst is Severity.DESTROYED
            else (self.number((place, worst)), weight, False)
            for (place, worst), weight in here.items()
        )
