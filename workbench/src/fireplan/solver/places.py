"""Struck places: the effects of strikes at each place, explored separately and joined to measures.

A place is a small automaton. A strike on it changes its state by chance, and a write of the mission
to a key that its strikes read changes it with certainty. The transitions of the mission's chain
record both. A measure reads the events of its kinds wherever they are emitted. The effects of every
strike have been explored, so it is known which places can emit them.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from math import lcm, prod
from sys import maxsize
from typing import Any

import attrs

from fireplan.solver.build import prepared_plan
from fireplan.solver.chain import PUT, Chain, Emission, strikes_by_scope, strikes_of
from fireplan.solver.compile import Compiler
from fireplan.solver.factors import whole_moments
from fireplan.solver.lump import Layers
from fireplan.solver.measures import Count, WorstSeverity
from fireplan.solver.passes import Distribution, Measure, Reader, Sign, Word, moved_by, passes
from fireplan.solver.solving import PreparedChain
from fireplan.solver.states import CLOCK, MAX_RUNS, READS_PER_RUN, TooLargeError
from fireplan_core import Event, Scenario, Step
from fireplan_core.play import State, StepOutcome

LOCAL = ("units/", "ground/")
"""Prefixes of the keys that belong to a place."""

LETTER = "odds.letter"
"""Kind of the event that marks each letter at a place; its field ``number`` is an index."""

MOST_TOGETHER = 2_000
"""Maximum number of joint states of a measure and its places that a mission may carry."""


def reads_back(scenario: Scenario, chain: Chain) -> bool:
    """Return whether a mission explored without its strikes reads keys that strikes would write."""
    struck = {step.scope for emission in chain.emissions for step in strikes_of(emission)}
    return within_reach(scenario, struck, chain.keys)


def within_reach(scenario: Scenario, struck: Collection[str], keys: Iterable[str]) -> bool:
    """Return whether strikes with these scopes would write one of these keys.

    A place that is never struck does not change. Strikes without a place may have any effect.
    """

    def within(key: str) -> bool:
        kind, first, *rest = key.split("/")
        place = (
            scenario.frame.label(scenario.units[first].place)
            if kind == "units"
            else "/".join(rest[:-1])
        )
        return f"place {place}" in struck

    if not scenario.places_apart and not scenario.mobile:
        return bool(struck)
    return any(key.startswith(LOCAL) and (scenario.mobile or within(key)) for key in keys)


@attrs.frozen(eq=False, repr=False)
class StruckPlace:
    """A struck place: the ``letters`` that change it, and the ``plan`` of the chain they drive.

    Letters are the strikes on the place and the mission's writes (``PUT``) to keys that these
    strikes read. In the chain any letter may come at any time; the mission's chain gives the order.
    """

    scope: str
    letters: tuple[Step, ...]
    plan: PreparedChain

    @property
    def events(self) -> Iterable[Event]:
        """Return every event that can be emitted at the place."""
        letters = (letter for emission in self.plan.chain.emissions for letter in emission)
        return (event for event in letters if isinstance(event, Event) and event.kind != LETTER)

    @property
    def reads_of_the_mission(self) -> frozenset[str]:
        """Return the keys that the mission writes and that strikes on the place read."""
        return frozenset(str(letter.args[0]) for letter in self.letters if letter.name == PUT)

    def automata(self, measures: Sequence[Measure]) -> list[Automaton]:
        """Return the automaton of the place for each measure, minimal for that measure."""
        if not measures:
            return []
        # With as many letters as there are states, every state is reached; the same number again
        # distinguishes all states that differ.
        seen = self.plan.seen(
            [_PlaceObservation(measure) for measure in measures], 2 * len(self.plan.chain.links) + 2
        )
        return [_automaton(layers, self.letters) for layers in seen]


def struck_places(
    compiler: Compiler, mission: Chain, state: State | None, before: Mapping[str, StruckPlace]
) -> dict[str, StruckPlace] | None:
    """Return the places that a mission strikes, by scope, or None if they cannot be separated.

    They cannot be separated if a strike reads the clock or keys that strikes elsewhere write, or
    writes keys that the mission reads. Places explored ``before`` are only reweighed where
    possible. Raises ``TooLargeError`` if a place has too many states.
    """
    puts = updates_of(mission)
    strikes = strikes_by_scope(mission.emissions)
    read, written = {*mission.keys}, set[str]()
    places: dict[str, StruckPlace] = {}
    for scope in sorted(strikes):
        letters = tuple(sorted(strikes[scope], key=repr))
        known_place = before.get(scope)
        while True:
            plan = place_plan(compiler, letters, scope, state, known_place)
            more = {put for key in plan.chain.keys for put in puts.get(key, ())}.difference(letters)
            if not more:
                break
            letters += tuple(sorted(more, key=repr))
        keys, put = {*plan.chain.keys}, updates_of(plan.chain).keys()
        if CLOCK in keys or keys & written or put & read:
            return None
        read |= keys
        written |= put
        places[scope] = StruckPlace(scope, letters, plan)
    return places


def updates_of(chain: Chain) -> dict[str, set[Step]]:
    """Return the updates that a chain's steps make, by key, each as a ``PUT`` step."""
    leaves = chain.explorer.steps.leaves if chain.explorer else ()
    letters: dict[str, set[Step]] = {}
    rows_by_id = {
        id(rows): rows.rows
        for leaf in leaves
        if leaf.pending.scope != LETTER
        for _, rows in leaf.cases
    }
    for put in {put for rows in rows_by_id.values() for row in rows for put in row.outcome.updates}:
        letters.setdefault(put[0], set()).add(Step(PUT, put))
    return letters


def place_plan(
    compiler: Compiler,
    letters: tuple[Step, ...],
    scope: str,
    state: State | None,
    before: StruckPlace | None,
) -> PreparedChain:
    """Return the prepared chain of one place; at each moment any one of the letters happens.

    ``before`` is reused if it is the same place with the same letters.
    """
    outcomes: list[StepOutcome] = []
    for number, letter in enumerate(letters):
        marker = (Event(LETTER, "", (("number", number),)),)
        if letter.name == PUT:
            key, value = letter.args
            outcomes.append(StepOutcome(((str(key), value),), (), marker))
        else:
            outcomes.append(StepOutcome((), (letter,), marker))
    any_letter = Step(LETTER, (scope, *letters), LETTER)
    compiler.set_rows(any_letter, outcomes)
    start = None if state is None else attrs.evolve(state, agenda=(any_letter,))
    known_plan = before.plan if before is not None and before.letters == letters else None
    # The limits do not include the cost of exploring the mission.
    costs = {
        "max_runs": compiler.runs + MAX_RUNS,
        "max_reads": compiler.reads + MAX_RUNS * READS_PER_RUN,
    }
    return prepared_plan(
        known_plan, compiler, start=(any_letter,), state=start, spliced=True, alike=True, **costs
    )


@attrs.frozen
class _PlaceObservation:
    """A measure's observation of a place: events that can change it, and indices of letters."""

    measure: Measure

    def __call__(self, emission: Emission | None) -> tuple[int | Event, ...] | None:
        events = (letter for letter in emission or () if isinstance(letter, Event))
        seen = (event for event in events if event.kind == LETTER or moved_by(self.measure, event))
        return tuple(event["number"] if event.kind == LETTER else event for event in seen) or None


Move = tuple[int, tuple[Event, ...], Fraction]
"""The state that a letter leads to, the events emitted, and the chance."""


@attrs.frozen
class Automaton:
    """The moves of each state of a place for each of its letters; state 0 is the opening."""

    letters: tuple[Step, ...]
    moves: tuple[Mapping[int, tuple[Move, ...]], ...]

    @property
    def totals(self) -> dict[int, int]:
        """Map the index of each letter to the common denominator of its chances over all states.

        Letters that never change anything are left out.
        """
        denominators: dict[int, int] = {}
        for state, moves in enumerate(self.moves):
            for number, ends in moves.items():
                if number in denominators or ends != ((state, (), Fraction(1)),):
                    denominators[number] = lcm(
                        denominators.get(number, 1), *(share.denominator for _, _, share in ends)
                    )
        return denominators


def _automaton(layers: Layers, letters: tuple[Step, ...]) -> Automaton:
    words: list[Any] = [word or () for word in layers.emission]
    links = whole_moments(layers.layers[0], layers.start, words).links
    numbers: dict[int, int] = {layers.start: 0}
    moves: list[Mapping[int, tuple[Move, ...]]] = []
    states = [layers.start]
    for state in states:
        ends: dict[int, dict[tuple[int, tuple[Event, ...]], int]] = {}
        for target, weight, emission, _ in links[state]:
            number, *events = words[emission]
            if numbers.setdefault(target, len(numbers)) == len(states):
                states.append(target)
            after, end = ends.setdefault(number, {}), (numbers[target], tuple(events))
            after[end] = after.get(end, 0) + weight
        totals = {number: (after, sum(after.values())) for number, after in ends.items()}
        moves.append(
            {
                number: tuple(
                    (other, events, Fraction(weight, total))
                    for (other, events), weight in after.items()
                )
                for number, (after, total) in totals.items()
            }
        )
    return Automaton(letters, tuple(moves))


class JointReader(Reader):
    """A reader of a measure together with the places that change it.

    A strike spreads the joint state over its possible results. Raises ``TooLargeError`` if there
    are too many joint states.
    """

    def __init__(self, measure: Measure, places: Sequence[Automaton]) -> None:
        self._totals = [place.totals for place in places]
        self._places = [
            [
                {
                    number: [
                        (after, events, totals[number] // share.denominator * share.numerator)
                        for after, events, share in ends
                    ]
                    for number, ends in moves.items()
                    if number in totals
                }
                for moves in place.moves
            ]
            for place, totals in zip(places, self._totals, strict=True)
        ]
        """For each place and its state: the moves of each letter, weighted by whole numbers."""
        self.steps: dict[Step, list[Sign]] = {}
        """Maps each step that is read to one sign for each place that it changes."""
        for position, place in enumerate(places):
            for number in self._totals[position]:
                self.steps.setdefault(place.letters[number], []).append((position, number))
        super().__init__(measure)

    @property
    def timeless(self) -> bool:
        """Return whether the result does not depend on when events happen."""
        return isinstance(self._measure, WorstSeverity)

    def opening(self) -> Hashable:
        """Return the joint state before any event."""
        return self._measure.initial, (0,) * len(self._places)

    def number(self, state: Hashable) -> int:
        """Return the index of a joint state; raise ``TooLargeError`` if there are too many."""
        number = super().number(state)
        if number > MOST_TOGETHER:
            raise self._too_large()
        return number

    def _too_large(self) -> TooLargeError:
        return TooLargeError(
            f"more than {MOST_TOGETHER:,} joint states of {len(self._places)} places and a measure"
        )

    def final(self, state: Hashable) -> Hashable:
        """Return the measure's part of a joint state."""
        seen, _ = state  # type: ignore[misc]
        return seen  # type: ignore[has-type, no-any-return]

    def total(self, word: Word) -> int:
        """Return the common denominator of a word's chances.

        It is the product of the denominators of the strikes on these places.
        """
        signs = (letter for letter in word if not isinstance(letter, Event))
        # Words may contain letters of other places, which this measure does not read.
        return prod(
            self._totals[position].get(number, 1)
            for position, number in signs
            if position < len(self._places)
        )

    def read(self, state: int, word: Word, moment: int) -> tuple[tuple[int, int, bool], ...]:
        """Return the joint states to which a word may lead: (index, weight, True if settled).

        Raises ``TooLargeError`` if there are too many.
        """
        weights: dict[Any, int] = {self.states[state]: 1}
        see = self._measure.see
        for letter in word:
            next_weights: dict[Any, int] = {}
            for (seen, place_states), weight in weights.items():
                if isinstance(letter, Event):
                    key = see(seen, letter, moment), place_states
                    next_weights[key] = next_weights.get(key, 0) + weight
                    continue
                position, number = letter
                moves = self._places[position][place_states[position]][number]
                for place_state, events, factor in moves:
                    moved = seen
                    for event in events:
                        moved = see(moved, event, moment)
                    key = (
                        moved,
                        (*place_states[:position], place_state, *place_states[position + 1 :]),
                    )
                    next_weights[key] = next_weights.get(key, 0) + weight * factor
            weights = next_weights
            if len(weights) > MOST_TOGETHER:
                raise self._too_large()
        numbered: dict[tuple[int, bool], int] = {}
        for (seen, place_states), weight in weights.items():
            is_settled = self._measure.settled(seen)
            # Once the measure is settled, the places do not matter.
            end = self.number((seen, () if is_settled else place_states)), is_settled
            numbered[end] = numbered.get(end, 0) + weight
        return tuple(
            (number, weight, is_settled) for (number, is_settled), weight in numbered.items()
        )

    def after_each(self, letter: Sign, most: int) -> Iterator[Mapping[Hashable, Fraction]]:
        """Yield the distribution of the measure after 0 to ``most`` - 1 letters with this sign."""
        weights, settled, whole = {0: 1}, dict[int, int](), 1
        total = self.total((letter,))
        read = cache(partial(self.read, word=(letter,), moment=0))
        for _ in range(most):
            shares: dict[Hashable, Fraction] = {}
            for state, weight in (*weights.items(), *settled.items()):
                final = self.final(self.states[state])
                shares[final] = shares.get(final, Fraction(0)) + Fraction(weight, whole)
            yield shares
            next_weights: dict[int, int] = {}
            settled, whole = (
                {state: weight * total for state, weight in settled.items()},
                whole * total,
            )
            for state, weight in weights.items():
                for following, share, is_settled in read(state):
                    target = settled if is_settled else next_weights
                    target[following] = target.get(following, 0) + weight * share
            weights = next_weights


class PassRunner:
    """A runner that computes distributions of measures.

    Places that are struck in the same way share the distribution of the number of strikes.
    """

    def __init__(self, *, exact: bool) -> None:
        self._exact = exact
        self._times: dict[tuple[int, int], tuple[Layers, Mapping[int, Fraction]]] = {}
        """Distributions of the number of strikes, by a chain's links and opening node."""

    def __call__(self, layers: Layers, reader: Reader) -> Distribution:
        """Return the distribution of the reader's measure after the last moment."""
        letters = {letter for word in layers.emission for letter in word or ()}
        (letter, *others) = letters or {None}
        if (
            not isinstance(reader, JointReader)
            or not reader.timeless
            or others
            or not isinstance(letter, tuple)
        ):
            *_, after = passes(layers, reader, exact=self._exact)
            return after()
        # All letters are the same, so only their number matters.
        key = id(layers.layers[0].links), layers.start
        if key not in self._times:
            *_, after = passes(layers, Reader(Count("letter", maxsize)), exact=self._exact)
            self._times[key] = layers, after().shares
        _, count_shares = self._times[key]
        shares_by_state: dict[Hashable, Fraction] = {}
        for count, shares in enumerate(reader.after_each(letter, max(count_shares) + 1)):
            for state, share in shares.items() if count in count_shares else ():
                shares_by_state[state] = (
                    shares_by_state.get(state, Fraction(0)) + count_shares[count] * share
                )
        return Distribution(shares_by_state, exact=self._exact)
