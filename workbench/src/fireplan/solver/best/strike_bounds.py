"""Upper bounds of harm by what each strike may do, on the chain of a mission without its targets.

The mission must not read what strikes do. Two kinds of goals on its chain bound the harm:

* **Prices.** Each strike that may do harm earns a price. The first one at a place earns instead the
  most harm that it and later strikes there can do, less the prices of the later ones. No orders do
  more harm than the best orders earn, even if the side sees what each strike has done. (Let V be
  the most harm from a state of the mission and its places, U the most from a place less prices, W
  the most in prices. At the end V is at most W plus the sum of U. One step earlier this still
  holds, whether the step is a strike, a chance or an order.) All places share one mission, so the
  places are bounded together.
* **Counts.** If each strike harms a unit with a chance of at most p, n strikes harm it with a
  chance of at most 1 - (1 - p)^n. The best mean of this chance bounds the harm to one unit, because
  nothing is gained by holding fire after a strike without effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil

import attrs

from fireplan.solver.best.coarse.harm import Harmed, HarmedUnits
from fireplan.solver.best.goals import NOTHING, Earned, Goal, Harm
from fireplan.solver.best.process import Process, most_strikes
from fireplan.solver.chain import is_strike
from fireplan.solver.places import Automaton
from fireplan.solver.states import TooLargeError
from fireplan_core import Event, Severity, Step

PRICES = Fraction(0), Fraction(1, 4)
"""The prices tried, each as a share of the most that a strike can do at once."""
GRAIN = 10**9
"""Rewards are rounded upwards to multiples of 1 / GRAIN."""
MOST_STATES = 2_000
"""Maximum number of states of a place, told apart by the units that have come to harm there."""


def _rounded(value: Fraction) -> Fraction:
    return Fraction(ceil(value * GRAIN), GRAIN)


@attrs.frozen
class PricedStrikes(Goal):
    """A gain for each strike that may do harm: the first one at a place, and every later one."""

    shares: Mapping[str, Fraction] = attrs.field(hash=False)
    severity: Severity
    first_gains: Mapping[Step, Fraction] = attrs.field(hash=False)
    later_gains: Mapping[Step, Fraction] = attrs.field(hash=False)
    kind: str = "suffered"
    strikes: bool = True
    initial: frozenset[str] = frozenset()

    def see(self, state: frozenset[str], letter: Event | Step) -> tuple[frozenset[str], Earned]:
        """Return the scopes struck so far, and what the letter earns.

        An event earns the share of the unit that it harms. A strike that may do harm earns the gain
        of the first in its scope, or of a later one.
        """
        if isinstance(letter, Event):
            return state, _share(self.shares, self.severity, letter)
        if letter not in self.first_gains:
            return state, NOTHING
        earned = (self.later_gains if letter.scope in state else self.first_gains)[letter]
        return state | {letter.scope}, (earned, Fraction(0))


@attrs.frozen
class CountedStrikes(Goal):
    """The gain of the first strike among ``letters``, of the second and so on."""

    shares: Mapping[str, Fraction] = attrs.field(hash=False)
    severity: Severity
    letters: frozenset[Step]
    gains: tuple[Fraction, ...]
    kind: str = "suffered"
    strikes: bool = True
    initial: int = 0

    def see(self, state: int, letter: Event | Step) -> tuple[int, Earned]:
        """Return the number of strikes counted so far, and what the letter earns.

        An event earns the share of the unit that it harms; the n-th strike earns the n-th gain.
        """
        if isinstance(letter, Event):
            return state, _share(self.shares, self.severity, letter)
        if letter not in self.letters or state == len(self.gains):
            return state, NOTHING
        return state + 1, (self.gains[state], Fraction(0))


def _share(shares: Mapping[str, Fraction], severity: Severity, event: Event) -> Earned:
    suffers = event["severity"] >= severity
    return (shares.get(event["unit"], Fraction(0)) if suffers else Fraction(0)), Fraction(0)


def strike_goals(process: Process, goal: Harm) -> Iterator[Sequence[Goal]]:
    """Yield sequences of goals on the chain of the mission; the optima of each add up to a bound.

    Nothing is yielded if the mission reads the effects of strikes, or if nothing limits how often
    fire can fall. Raises ``TooLargeError`` if a place is too large, or other steps do harm.
    """
    struck = process.struck(goal)
    most = most_strikes(process.scenario, process.moments)
    if struck is None or most is None:
        return
    _, places = struck
    measure = HarmedUnits(goal.kind, goal)
    automata = [place.automata([measure])[0] for place in places.values()]
    for each in priced(goal, automata, most):
        yield [each]
    units = [
        counted(goal, unit, process.worst_harms(goal, unit, places), most) for unit in goal.shares
    ]
    yield [each for each in units if each is not None]


def counted(
    goal: Harm, unit: str, chances: Mapping[Step, Fraction], most: int
) -> CountedStrikes | None:
    """Return a goal whose optimum bounds the harm to one unit.

    ``chances`` has the greatest chance of each strike to harm the unit while it is unharmed, and
    ``most`` is the maximum number of strikes. Returns None if no strike can harm the unit. Raises
    ``TooLargeError`` if other steps do harm.
    """
    chance = max(chances.values(), default=Fraction(0))
    if not chance:
        return None
    if not all(is_strike(letter) for letter, each in chances.items() if each):
        raise TooLargeError(
            "steps other than strikes harm units, so strikes alone do not determine the harm"
        )
    share = goal.shares[unit]
    gains, spared = [], share
    for _ in range(most):
        gains.append(_rounded(spared * chance))
        spared = _rounded(spared * (1 - chance))
    harming = frozenset(letter for letter, each in chances.items() if each)
    return CountedStrikes({unit: share}, goal.severity, harming, tuple(gains))


def priced(goal: Harm, places: Iterable[Automaton], most: int) -> Iterator[PricedStrikes]:
    """Yield goals for all places together, for several prices; the optimum of each is a bound.

    ``places`` are automata of ``HarmedUnits``, and ``most`` is the maximum number of strikes at
    each. Raises ``TooLargeError`` if a place has too many states.
    """
    yields = [PlaceYields(goal, place) for place in places]
    for price in PRICES:
        first: dict[Step, Fraction] = {}
        later: dict[Step, Fraction] = {}
        for place in yields:
            prices = {letter: _rounded(price * done) for letter, done in place.at_once.items()}
            later |= prices
            first |= place.first(prices, most)
        yield PricedStrikes(goal.shares, goal.severity, first, later)


PlaceState = tuple[int, Harmed]
"""A state of a place, and the units that have come to harm there."""

Ends = tuple[tuple[PlaceState, Fraction], ...]
"""The states to which a strike may lead, with their chances."""


class PlaceYields:
    """The harm that a place can yield from each of its states, by the strikes on it."""

    def __init__(self, goal: Harm, place: Automaton) -> None:
        self._goal = goal
        see = HarmedUnits(goal.kind, goal).see
        self._start: PlaceState = 0, frozenset()
        self._strikes: dict[PlaceState, dict[Step, Ends]] = {}
        self._writes: dict[PlaceState, set[PlaceState]] = {}
        """The states to which anything other than strikes may lead from each state."""
        todo = [self._start]
        met = {*todo}
        for state, harmed in todo:
            strikes: dict[Step, Ends] = {}
            writes: set[PlaceState] = set()
            for number, ends in place.moves[state].items():
                shares: dict[PlaceState, Fraction] = {}
                for after, events, share in ends:
                    now = harmed
                    for event in events:
                        now = see(now, event, 0)
                    shares[after, now] = shares.get((after, now), Fraction(0)) + share
                if not is_strike(place.letters[number]):
                    if any(self._harm(harmed, now) for _, now in shares):
                        raise TooLargeError(
                            "steps other than strikes harm units, so strikes alone do not determine the harm"
                        )
                    writes |= shares.keys()
                else:
                    strikes[place.letters[number]] = tuple(shares.items())
                todo += [end for end in shares if end not in met]
                met |= shares.keys()
            if len(met) > MOST_STATES:
                raise TooLargeError(f"more than {MOST_STATES:,} states of a place")
            self._strikes[state, harmed], self._writes[state, harmed] = strikes, writes
        self.at_once: dict[Step, Fraction] = {}
        """The most that each strike can do by itself, for strikes that may do harm."""
        for (_, harmed), strikes in self._strikes.items():
            for letter, targets in strikes.items():
                done = sum(
                    (share * self._harm(harmed, now) for (_, now), share in targets), Fraction(0)
                )
                if done:
                    self.at_once[letter] = max(self.at_once.get(letter, Fraction(0)), done)

    def _harm(self, before: Harmed, after: Harmed) -> Fraction:
        return sum((self._goal.shares[unit] for unit in after - before), Fraction(0))

    def first(self, prices: Mapping[Step, Fraction], most: int) -> dict[Step, Fraction]:
        """Map each strike to the most that it and later ones yield if it is the first at its place.

        ``most`` is the maximum number of strikes. The prices of the later strikes are deducted.
        Values are rounded up to multiples of 1 / GRAIN.
        """
        yields = self._yields(prices, most - 1)
        # Before the first strike that may do harm, harmless strikes and the mission may change the
        # place.
        openings = [self._start]
        for state in openings:
            harmless = [
                end
                for letter, targets in self._strikes[state].items()
                if letter not in self.at_once
                for end, _ in targets
            ]
            openings += sorted({*self._writes[state], *harmless}.difference(openings), key=repr)
        return {
            letter: Fraction(
                max(
                    self._after(state, self._strikes[state][letter], yields)
                    for state in openings
                    if letter in self._strikes[state]
                ),
                GRAIN,
            )
            for letter in self.at_once
        }

    def most(self, price: Fraction, most: int) -> Fraction:
        """Return the most harm that up to ``most`` strikes do at the place, less a price for each.

        ``price`` is given as a share of the most harm that the strike can do at once.
        """
        prices = {letter: price * harm for letter, harm in self.at_once.items()}
        return Fraction(self._yields(prices, most)[self._start], GRAIN)

    def _yields(self, prices: Mapping[Step, Fraction], most: int) -> dict[PlaceState, int]:
        """Map each state to the most that up to ``most`` strikes yield from it, less their prices.

        The values are integers in units of 1 / GRAIN, rounded upwards.
        """
        yields = dict.fromkeys(self._strikes, 0)
        for _ in range(most):
            following = {
                state: max(
                    [
                        self._after(state, targets, yields) - int(prices.get(letter, 0) * GRAIN)
                        for letter, targets in strikes.items()
                    ],
                    default=0,
                )
                for state, strikes in self._strikes.items()
            }
            following = self._written(following)
            if following == yields:
                break
            yields = following
        return yields

    def _written(self, yields: dict[PlaceState, int]) -> dict[PlaceState, int]:
        """Return the greatest yield that the mission can reach from each state, at least 0.

        Before the next strike, steps other than strikes may change the state of the place.
        ``yields`` is updated in place.
        """
        changed = True
        while changed:
            changed = False
            for state, writes in self._writes.items():
                most = max([yields[end] for end in writes], default=0)
                if most > yields[state]:
                    yields[state], changed = most, True
        return {state: max(most, 0) for state, most in yields.items()}

    def _after(self, state: PlaceState, targets: Ends, yields: Mapping[PlaceState, int]) -> int:
        """Return a strike's harm plus the mean yield of the states after it, rounded upwards."""
        return ceil(
            sum(
                [
                    share * (self._harm(state[1], end[1]) * GRAIN + yields[end])
                    for end, share in targets
                ]
            )
        )
