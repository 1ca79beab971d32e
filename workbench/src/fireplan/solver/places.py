"""Places apart: what strikes do at each place, explored on its own, and measures of it read along the mission.

A place is a small automaton. Every strike on it moves it on by chance, and so does whatever the
mission puts there that its strikes read; the mission's chain tells both on its ways. A measure sees
events of its kinds wherever they are emitted; at which places that can be is known, because what
every strike can emit there has been explored.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm, prod
from sys import maxsize
from typing import Any

import attrs

from fireplan.solver.build import readied
from fireplan.solver.chain import PUT, Chain, Emission, strikes_of
from fireplan.solver.compile import Compiler
from fireplan.solver.factors import whole_moments
from fireplan.solver.lump import Layers
from fireplan.solver.measures import Count, WorstSeverity
from fireplan.solver.passes import Distribution, Measure, Reader, Sign, Word, moved_by, passes
from fireplan.solver.solving import Plan
from fireplan.solver.states import CLOCK, MAX_RUNS, READS_PER_RUN, TooLargeError
from fireplan_core import Event, Scenario, Step
from fireplan_core.play import Outcome, State

LOCAL = ("units/", "ground/")
"""Addresses that belong to a place."""

LETTER = "odds.letter"
"""Emitted at a place explored on its own when something moves it: its number."""

MOST_TOGETHER = 2_000
"""States of a measure and of the places that move it, together, that are carried along a mission."""


def reads_back(scenario: Scenario, chain: Chain) -> bool:
    """Return whether a mission explored with its strikes set apart reads what these would do.

    It may read that of a place that is never struck: there it is as it was. Strikes held to no
    place may do anything.
    """
    struck = {step.scope for emission in chain.emissions for step in strikes_of(emission)}

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
    return any(key.startswith(LOCAL) and (scenario.mobile or within(key)) for key in chain.keys)


@attrs.frozen(eq=False, repr=False)
class StruckPlace:
    """One place as strikes find it: the ``letters`` that move it, and the chain that they move.

    Letters are the strikes on it, and what the mission puts to keys that they read (``PUT``). Any
    may come at any time: the chain shows all that can happen there, and the mission tells in which
    order it does.
    """

    scope: str
    letters: tuple[Step, ...]
    plan: Plan

    @property
    def events(self) -> Iterable[Event]:
        """Return every event that can be emitted there."""
        told = (letter for emission in self.plan.chain.emissions for letter in emission)
        return (event for event in told if isinstance(event, Event) and event.kind != LETTER)

    @property
    def reads_of_the_mission(self) -> frozenset[str]:
        """Return the keys to which the mission puts what strikes read there."""
        return frozenset(str(letter.args[0]) for letter in self.letters if letter.name == PUT)

    def automata(self, measures: Sequence[Measure]) -> list[Automaton]:
        """Return the place as each measure sees it, in no more states than it can tell apart."""
        if not measures:
            return []
        # With as many letters left as there are states, one more tells no more of them apart.
        seen = self.plan.seen(
            [_Moved(measure) for measure in measures], len(self.plan.chain.links) + 2
        )
        return [_automaton(layers, self.letters) for layers in seen]


def struck_places(
    compiler: Compiler, mission: Chain, state: State | None, before: Mapping[str, StruckPlace]
) -> dict[str, StruckPlace] | None:
    """Return the places that a mission strikes, by scope.

    Those known ``before`` only get other weights if they can.

    None when they cannot be told apart: a strike reads the clock, or what strikes elsewhere write,
    or writes what the mission reads. Raises ``TooLargeError`` where what strikes do at a place is
    too large.
    """
    puts = _puts(mission)
    strikes: dict[str, set[Step]] = {}
    for emission in mission.emissions:
        for step in strikes_of(emission):
            strikes.setdefault(step.scope, set()).add(step)
    read, written = {*mission.keys}, set[str]()
    found: dict[str, StruckPlace] = {}
    for scope in sorted(strikes):
        letters = tuple(sorted(strikes[scope], key=repr))
        known = before.get(scope)
        while True:
            plan = _plan_of(compiler, letters, scope, state, known)
            more = {put for key in plan.chain.keys for put in puts.get(key, ())}.difference(letters)
            if not more:
                break
            letters += tuple(sorted(more, key=repr))
        keys, put = {*plan.chain.keys}, _puts(plan.chain).keys()
        if CLOCK in keys or keys & written or put & read:
            return None
        read |= keys
        written |= put
        found[scope] = StruckPlace(scope, letters, plan)
    return found


def _puts(chain: Chain) -> dict[str, set[Step]]:
    """What the steps behind a chain put, by key: each as the letter that stands for it."""
    leaves = chain.explorer.leaves if chain.explorer else ()
    found: dict[str, set[Step]] = {}
    known = {
        id(rows): rows.rows
        for leaf in leaves
        if leaf.pending.scope != LETTER
        for _, rows in leaf.situations
    }
    for put in {put for rows in known.values() for row in rows for put in row.outcome.updates}:
        found.setdefault(put[0], set()).add(Step(PUT, put))
    return found


def _plan_of(
    compiler: Compiler,
    letters: tuple[Step, ...],
    scope: str,
    state: State | None,
    before: StruckPlace | None,
) -> Plan:
    """The chain of one place, where each moment is one letter, whichever it may be."""
    outcomes: list[Outcome] = []
    for number, letter in enumerate(letters):
        told = (Event(LETTER, "", (("number", number),)),)
        if letter.name == PUT:
            key, value = letter.args
            outcomes.append(Outcome(((str(key), value),), (), told))
        else:
            outcomes.append(Outcome((), (letter,), told))
    whichever = Step(LETTER, (scope, *letters), LETTER)
    compiler.lay(whichever, outcomes)
    start = None if state is None else attrs.evolve(state, agenda=(whichever,))
    known = before.plan if before is not None and before.letters == letters else None
    # What the mission has cost already does not count here.
    costs = {
        "max_runs": compiler.runs + MAX_RUNS,
        "max_reads": compiler.reads + MAX_RUNS * READS_PER_RUN,
    }
    return readied(
        known, compiler, start=(whichever,), state=start, spliced=True, alike=True, **costs
    )


@attrs.frozen
class _Moved:
    """Sees of a place what can move a measure, and the numbers of the letters."""

    measure: Measure

    def __call__(self, emission: Emission | None) -> tuple[int | Event, ...] | None:
        told = (letter for letter in emission or () if isinstance(letter, Event))
        seen = (event for event in told if event.kind == LETTER or moved_by(self.measure, event))
        return tuple(event["number"] if event.kind == LETTER else event for event in seen) or None


Move = tuple[int, tuple[Event, ...], Fraction]
"""Where a letter may leave a place, what it emits on the way, and with which chance."""


@attrs.frozen
class Automaton:
    """Say for each state of a place what each of its letters does; state 0 is the opening."""

    letters: tuple[Step, ...]
    moves: tuple[Mapping[int, tuple[Move, ...]], ...]

    @property
    def totals(self) -> dict[int, int]:
        """Return the denominator of each letter, whatever state it finds.

        No letter that never changes anything.
        """
        found: dict[int, int] = {}
        for state, moves in enumerate(self.moves):
            for number, ends in moves.items():
                if number in found or ends != ((state, (), Fraction(1)),):
                    found[number] = lcm(
                        found.get(number, 1), *(share.denominator for _, _, share in ends)
                    )
        return found


def _automaton(layers: Layers, letters: tuple[Step, ...]) -> Automaton:
    words: list[Any] = [word or () for word in layers.emission]
    links = whole_moments(layers.layers[0], layers.start, words).links
    numbers: dict[int, int] = {layers.start: 0}
    moves: list[Mapping[int, tuple[Move, ...]]] = []
    resting = [layers.start]
    for state in resting:
        ends: dict[int, dict[tuple[int, tuple[Event, ...]], int]] = {}
        for target, weight, what, _ in links[state]:
            number, *events = words[what]
            if numbers.setdefault(target, len(numbers)) == len(resting):
                resting.append(target)
            after, end = ends.setdefault(number, {}), (numbers[target], tuple(events))
            after[end] = after.get(end, 0) + weight
        row = {number: (after, sum(after.values())) for number, after in ends.items()}
        moves.append(
            {
                number: tuple(
                    (other, events, Fraction(weight, total))
                    for (other, events), weight in after.items()
                )
                for number, (after, total) in row.items()
            }
        )
    return Automaton(letters, tuple(moves))


class Together(Reader):
    """Carries a measure and the places that move it; a strike spreads them.

    Raises ``TooLargeError`` where they have more states together than can be carried.
    """

    def __init__(self, measure: Measure, places: Sequence[Automaton]) -> None:
        self._places = [place.moves for place in places]
        self._totals = [place.totals for place in places]
        self.steps: dict[Step, list[Sign]] = {}
        """The steps that it wants to be told of, each by its signs: one for each place that it moves."""
        for position, place in enumerate(places):
            for number in self._totals[position]:
                self.steps.setdefault(place.letters[number], []).append((position, number))
        super().__init__(measure)

    @property
    def timeless(self) -> bool:
        """Return whether it does not matter when anything happens."""
        return isinstance(self._measure, WorstSeverity)

    def opening(self) -> Hashable:
        """Return the state before anything happened."""
        return self._measure.initial, (0,) * len(self._places)

    def number(self, state: Hashable) -> int:
        """Return the number of a state."""
        found = super().number(state)
        if found > MOST_TOGETHER:
            raise self._too_large()
        return found

    def _too_large(self) -> TooLargeError:
        return TooLargeError(
            f"more than {MOST_TOGETHER:,} states of {len(self._places)} places and a measure together"
        )

    def final(self, state: Hashable) -> Hashable:
        """Return the state of the measure."""
        seen, _ = state  # type: ignore[misc]
        return seen  # type: ignore[has-type, no-any-return]

    def total(self, word: Word) -> int:
        """Return the product over the letters of a word."""
        signs = (letter for letter in word if not isinstance(letter, Event))
        # Words that another measure alone sees share the table.
        return prod(
            self._totals[position].get(number, 1)
            for position, number in signs
            if position < len(self._places)
        )

    def read(self, state: int, word: Word, moment: int) -> tuple[tuple[int, int, bool], ...]:
        """Return where a word may leave the measure and the places."""
        here: dict[Any, int] = {self.states[state]: 1}
        see = self._measure.see
        for letter in word:
            after: dict[Any, int] = {}
            for (seen, rests), weight in here.items():
                if isinstance(letter, Event):
                    key = see(seen, letter, moment), rests
                    after[key] = after.get(key, 0) + weight
                    continue
                position, number = letter
                total = self._totals[position][number]
                for rest, events, share in self._places[position][rests[position]][number]:
                    then = seen
                    for event in events:
                        then = see(then, event, moment)
                    key = then, (*rests[:position], rest, *rests[position + 1 :])
                    after[key] = (
                        after.get(key, 0) + weight * (total // share.denominator) * share.numerator
                    )
            here = after
            if len(here) > MOST_TOGETHER:
                raise self._too_large()
        found: dict[tuple[int, bool], int] = {}
        for (seen, rests), weight in here.items():
            done = self._measure.settled(seen)
            # Where nothing moves the measure any more, the places do not matter.
            end = self.number((seen, () if done else rests)), done
            found[end] = found.get(end, 0) + weight
        return tuple((number, weight, done) for (number, done), weight in found.items())

    def after_each(self, letter: Sign, most: int) -> Iterator[Mapping[Hashable, Fraction]]:
        """Yield the distribution after no letter, one, two ..., all of them alike, whenever they come."""
        here, over, whole = {0: 1}, dict[int, int](), 1
        total = self.total((letter,))
        for _ in range(most):
            shares: dict[Hashable, Fraction] = {}
            for state, weight in (*here.items(), *over.items()):
                final = self.final(self.states[state])
                shares[final] = shares.get(final, Fraction(0)) + Fraction(weight, whole)
            yield shares
            after: dict[int, int] = {}
            over, whole = {state: weight * total for state, weight in over.items()}, whole * total
            for state, weight in here.items():
                for following, share, done in self.read(state, (letter,), 0):
                    into = over if done else after
                    into[following] = into.get(following, 0) + weight * share
            here = after


class Passes:
    """Passes of readers over layers.

    How often a place is struck is found once for all that is struck so.
    """

    def __init__(self, *, exact: bool) -> None:
        self._exact = exact
        self._times: dict[tuple[int, int], tuple[Layers, Mapping[int, Fraction]]] = {}
        """By the ways of a chain and where they begin: places struck alike begin alike."""

    def __call__(self, layers: Layers, reader: Reader) -> Distribution:
        """Return the distribution of what a reader carries, at the end."""
        letters = {letter for word in layers.emission for letter in word or ()}
        (letter, *others) = letters or {None}
        if (
            not isinstance(reader, Together)
            or not reader.timeless
            or others
            or not isinstance(letter, tuple)
        ):
            *_, after = passes(layers, reader, exact=self._exact)
            return after()
        # All letters are alike, so that it only matters how many there are.
        key = id(layers.layers[0].links), layers.start
        if key not in self._times:
            *_, after = passes(layers, Reader(Count("letter", maxsize)), exact=self._exact)
            self._times[key] = layers, after().shares
        _, times = self._times[key]
        found: dict[Hashable, Fraction] = {}
        for number, shares in enumerate(reader.after_each(letter, max(times) + 1)):
            for state, share in shares.items() if number in times else ():
                found[state] = found.get(state, Fraction(0)) + times[number] * share
        return Distribution(found, exact=self._exact)
