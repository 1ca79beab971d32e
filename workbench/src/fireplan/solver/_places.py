"""Places apart: what strikes do at each place, explored on its own, and measures of it read along the mission.

A measure sees events of its kinds wherever they are emitted. At which places that can be is known, because what every
strike can emit there has been explored.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm, prod
from typing import Any

import attrs

from fireplan.solver._build import readied
from fireplan.solver._chain import Chain, Emission, Link
from fireplan.solver._compile import Compiler
from fireplan.solver._lump import Layers
from fireplan.solver._passes import Measure, Reader, Waiting, Word
from fireplan.solver._solve import Plan, placeless
from fireplan.solver._states import CLOCK, TooLargeError
from fireplan_core import Event, Pending, Step
from fireplan_core.play import Outcome, State

LOCAL = ("units/", "ground/")
"""Addresses that belong to a place."""

Put = tuple[str, Any]
"""A key, and what is put there."""

STRIKE = "odds.strike"
"""Told of a place when a strike falls: its number."""

MOST_TOGETHER = 2_000
"""States of a measure and of the places that move it, together, that are carried along a mission."""


@attrs.frozen(eq=False, repr=False)
class StruckPlace:
    """One place as strikes find it: those that can fall there, without their place, and the chain that they move.

    Where it is not ``alone``, the mission puts there what strikes read: the chain then follows whatever it may put,
    whenever that is. It shows all that can happen there, and no chances.
    """

    scope: str
    strikes: tuple[Step, ...]
    plan: Plan
    alone: bool

    @property
    def events(self) -> Iterable[Event]:
        """Return every event that can be emitted there."""
        return (event for events, _ in self.plan.chain.emissions for event in events if event.kind != STRIKE)


def struck_places(
    compiler: Compiler, mission: Chain, state: State | None, before: Mapping[str, Plan]
) -> dict[str, StruckPlace] | None:
    """Return the places that a mission strikes, by scope; those known ``before`` only get other weights if they can.

    None when they cannot be told apart: a strike reads what is put there elsewhere, or by the clock, or writes what the
    mission reads. Raises ``TooLargeError`` where what strikes do at a place is too large.
    """
    outcomes = _outcomes(mission)
    in_turn = all(_strikes_first(outcome.pushes) for outcome in outcomes)
    puts = _Puts.of(outcomes, compiler.scenario.initial if state is None else state.values)
    strikes: dict[str, dict[Step, Step]] = {}
    for _, apart in mission.emissions:
        for step in apart:
            strikes.setdefault(step.scope, {}).setdefault(placeless(step), step)
    read, written = {*mission.keys}, set[str]()
    found: dict[str, StruckPlace] = {}
    for scope in sorted(strikes):
        letters = tuple(sorted(strikes[scope], key=repr))
        whole = [strikes[scope][letter] for letter in letters]
        plan, put = _plan_of(compiler, whole, scope, state, before.get(scope)), set[Put]()
        once = _struck_once(mission, scope)
        while more := puts.read_by(plan.chain, once=once) - put:
            put |= more
            plan = _plan_of(compiler, whole, scope, state, None, sorted(put, key=repr))
        keys, altered = {*plan.chain.keys}, plan.chain.altered
        if CLOCK in keys or keys & written or altered & read:
            return None
        read |= keys
        written |= keys | altered
        found[scope] = StruckPlace(scope, letters, plan, in_turn and not put)
    return found


@attrs.frozen
class _Puts:
    """What a mission puts anywhere, by key; ``idle`` are keys that it only ever puts back to what they were."""

    values: Mapping[str, frozenset[Any]]
    idle: frozenset[str]
    begin: Mapping[str, Any]

    @classmethod
    def of(cls, outcomes: Iterable[Outcome], begin: Mapping[str, Any]) -> _Puts:
        """Return what these outcomes put."""
        ever: dict[str, set[Any]] = {}
        for key, value in (pair for outcome in outcomes for pair in outcome.updates):
            ever.setdefault(key, set()).add(value)
        idle = frozenset(key for key, values in ever.items() if key in begin and values == {begin[key]})
        return cls({key: frozenset(values) for key, values in ever.items()}, idle, begin)

    def read_by(self, strikes: Chain, *, once: bool) -> set[Put]:
        """Return what strikes read of it.

        What is put back to what it was is a change only where they change it, and only for another strike to read.
        """
        changed = {
            key
            for outcome in _outcomes(strikes)
            for key, value in outcome.updates
            if not once and key in self.idle and value != self.begin[key]
        }
        keys = (key for key in strikes.keys if key not in self.idle or key in changed)
        return {(key, value) for key in keys for value in self.values.get(key, ())}


def _struck_once(mission: Chain, scope: str) -> bool:
    """Return whether a place is struck no more than once, whatever happens."""
    struck = [sum(step.scope == scope for step in apart) for _, apart in mission.emissions]
    before: dict[int, list[int]] = {}
    later, first = set[int](), set[int]()
    for node, links in enumerate(mission.links):
        for target, _, emission, _ in links:
            before.setdefault(target, []).append(node)
            if struck[emission]:
                later.add(node)
                first.add(target)
    waiting = list(later)
    while waiting:
        new = set(before.get(waiting.pop(), ())) - later
        later |= new
        waiting += new
    return max(struck, default=0) <= 1 and not first & later


def _outcomes(chain: Chain) -> list[Outcome]:
    """Every outcome of the steps behind a chain."""
    leaves = chain.explorer.leaves if chain.explorer else ()
    rows = {id(rows): rows.rows for leaf in leaves for _, rows in leaf.situations}.values()
    return [row.outcome for each in rows for row in each]


def _strikes_first(pushes: Sequence[Pending]) -> bool:
    """Return whether all strikes among these stand at the front, so that nothing happens before them."""
    scoped = [bool(pending.scope) for pending in pushes]
    return scoped == sorted(scoped, reverse=True) and all(isinstance(p, Step) for p in pushes if p.scope)


def _plan_of(
    compiler: Compiler,
    strikes: Sequence[Step],
    scope: str,
    state: State | None,
    before: Plan | None,
    puts: Sequence[Put] = (),
) -> Plan:
    """The chain of one place, where each moment is one strike, whichever it may be, or something put there."""
    outcomes = [
        Outcome((), (strike,), (Event(STRIKE, "", (("number", number),)),)) for number, strike in enumerate(strikes)
    ]
    whichever = Step("odds.strike", (*strikes, *puts), scope)
    compiler.lay(whichever, [*outcomes, *(Outcome((put,), (), ()) for put in puts)])
    start = None if state is None else attrs.evolve(state, agenda=(whichever,))
    return readied(before, compiler, start=(whichever,), state=start, spliced=True, alike=True)


def moved_by(measure: Measure, event: Event) -> bool:
    """Return whether an event can move a measure."""
    return event.kind in measure.kinds and (not isinstance(measure, Waiting) or measure.awaits(event))


@attrs.frozen
class Around:
    """Sees the events that can move a measure, and the strikes on the places where others can."""

    measure: Measure
    scopes: frozenset[str] = frozenset()
    told: bool = False
    """Whether it sees which strike it is that falls."""

    def __call__(self, emission: Emission | None) -> Word | None:
        """The word of letters, or None."""
        events, apart = emission or ((), ())
        seen = tuple(event for event in events if moved_by(self.measure, event) or (self.told and event.kind == STRIKE))
        return seen + tuple(step for step in apart if step.scope in self.scopes) or None


class Together(Reader):
    """Carries a measure and the places that move it; a strike spreads them.

    Raises ``TooLargeError`` where they have more states together than can be carried.
    """

    def __init__(self, measure: Measure, places: Sequence[StruckPlace]) -> None:
        self._places = [_Place(place, measure) for place in places]
        self._which = {
            (place.scope, strike): (position, number)
            for position, place in enumerate(places)
            for number, strike in enumerate(place.strikes)
        }
        super().__init__(measure)

    def opening(self) -> Hashable:
        """Return the state before anything happened."""
        return self._measure.initial, tuple(place.start for place in self._places)

    def number(self, state: Hashable) -> int:
        """Return the number of a state."""
        found = super().number(state)
        if found > MOST_TOGETHER:
            raise self._too_large()
        return found

    def _too_large(self) -> TooLargeError:
        return TooLargeError(f"more than {MOST_TOGETHER:,} states of {len(self._places)} places and a measure together")

    def final(self, state: Hashable) -> Hashable:
        """Return the state of the measure."""
        seen, _ = state  # type: ignore[misc]
        return seen  # type: ignore[has-type, no-any-return]

    def total(self, word: Word) -> int:
        """Return the product over the strikes of a word."""
        found = [self._struck(letter) for letter in word if isinstance(letter, Step)]
        return prod(self._places[position].totals[number] for position, number in found)

    def _struck(self, strike: Step) -> tuple[int, int]:
        return self._which[strike.scope, placeless(strike)]

    def read(self, state: int, word: Word, moment: int) -> tuple[tuple[int, int, bool], ...]:
        """Return where a word may leave the measure and the places."""
        here: dict[Any, int] = {self.states[state]: 1}
        for letter in word:
            after: dict[Any, int] = {}
            for (seen, rests), weight in here.items():
                if isinstance(letter, Event):
                    key = self._measure.see(seen, letter, moment), rests
                    after[key] = after.get(key, 0) + weight
                    continue
                position, number = self._struck(letter)
                place = self._places[position]
                for (rest, then), share in place.strike(rests[position], number, seen, moment).items():
                    key = then, (*rests[:position], rest, *rests[position + 1 :])
                    times = share.numerator * (place.totals[number] // share.denominator)
                    after[key] = after.get(key, 0) + weight * times
            here = after
            if len(here) > MOST_TOGETHER:
                raise self._too_large()
        found: dict[tuple[int, bool], int] = {}
        for (seen, rests), weight in here.items():
            done = self._measure.settled(seen)
            # Where nothing moves the measure any more, the places do not matter.
            key = self.number((seen, () if done else rests)), done
            found[key] = found.get(key, 0) + weight
        return tuple((number, weight, done) for (number, done), weight in found.items())


class _Place:
    """One place with no more states than a measure can tell apart.

    ``totals`` are the denominators of its strikes, whatever they find.
    """

    def __init__(self, place: StruckPlace, measure: Measure) -> None:
        # With as many strikes left as there are states, one more tells no more of them apart.
        layers = place.plan.seen([Around(measure, told=True)], len(place.plan.chain.links) + 2)[0]
        self.start, self._measure = layers.start, measure
        self._emission, self._links = layers.emission, layers.layers[0].links
        self._known: dict[Any, dict[tuple[int, Any], Fraction]] = {}
        self._ways: dict[int, dict[int, Link]] = {}
        self.totals = [1] * len(place.strikes)
        resting, inner = [self.start], _denominators(layers)
        for rest in resting:
            here = self._ways[rest] = {}
            for way in self._links[rest]:
                number = layers.emission[way[2]][0]["number"]
                here[number] = way
                self.totals[number] = lcm(self.totals[number], 1 if way[3] else inner[way[0]])
            todo, seen = [rest], {rest}
            while todo:
                for target, _, _, ends in self._links[todo.pop()]:
                    if ends and target not in self._ways and target not in resting:
                        resting.append(target)
                    elif not ends and target not in seen:
                        seen.add(target)
                        todo.append(target)

    def strike(self, rest: int, number: int, seen: Any, moment: int) -> Mapping[tuple[int, Any], Fraction]:
        """Return where a strike may leave the place and the measure, with the chances."""
        return self._along(self._ways[rest][number], seen, moment)

    def _along(self, way: Link, seen: Any, moment: int) -> dict[tuple[int, Any], Fraction]:
        target, _, word, ends = way
        for event in self._emission[word] or ():
            if event.kind != STRIKE:
                seen = self._measure.see(seen, event, moment)
        if ends:
            return {(target, seen): Fraction(1)}
        found = self._known.get((target, seen, moment))
        if found is None:
            found = self._known[target, seen, moment] = {}
            total = sum(weight for _, weight, _, _ in self._links[target])
            for after in self._links[target]:
                for end, share in self._along(after, seen, moment).items():
                    found[end] = found.get(end, Fraction(0)) + share * Fraction(after[1], total)
        return found


def _denominators(layers: Layers) -> dict[int, int]:
    """For each node, a denominator of all chances from there to the end of its moment."""
    links = layers.layers[0].links
    found: dict[int, int] = {}
    for node in reversed(layers.layers[0].order):
        inner = [1 if ends else found[target] for target, _, _, ends in links[node]]
        found[node] = lcm(*inner) * sum(weight for _, weight, _, _ in links[node])
    return found
