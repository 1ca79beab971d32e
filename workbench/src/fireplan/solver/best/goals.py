"""Goals: what a side may want most or least of, as small automata over events that earn as they go.

All of them count what this side's own missions do. Names are those of the comparison's yardsticks
where there is one.
"""

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from importlib.resources import files
from typing import Any

import attrs

from fireplan_core import FINAL, Event, FireKind, Scenario, Severity, Shot, Step
from fireplan_core.chance import read_csv

Earned = tuple[Fraction, Fraction]
"""Say what a letter earns: so much, and so much more for each moment that is left after this one."""

NOTHING: Earned = (Fraction(0), Fraction(0))
ONE: Earned = (Fraction(1), Fraction(0))


class Goal:
    """An automaton over events that earns as it goes.

    It looks at events of one ``kind``, or at ``strikes`` set apart; ``joint`` says that what
    strikes do to units must be carried out. ``initial`` is its state before anything happened. Less
    is better where ``least`` is set.
    """

    kind: str = ""
    least: bool = False
    strikes: bool = False
    joint: bool = False
    initial: Hashable = False

    def see(self, state: Any, letter: Any) -> tuple[Any, Earned]:
        """Return its state after an event or strike, and what that earned."""
        raise NotImplementedError

    def settled(self, state: Any) -> bool:  # noqa: ARG002 - of most nothing is ever settled
        """Return whether nothing can be earned any more."""
        return False

    def later(self, state: Any) -> Any:
        """Return its state when the next moment opens."""
        return state

    def most(self, moments: int) -> Fraction | None:  # noqa: ARG002 - many have no limit of their own
        """Return what nothing can earn more than (losses negative).

        None where the goal itself sets no limit.
        """
        return Fraction(0) if self.least else None

    def rest(self, state: Any, moments: int) -> Fraction | None:  # noqa: ARG002 - for most it is the same
        """Return what can be earned at most in so many moments more from a state in which not all is settled."""
        return self.most(moments)


@attrs.frozen
class Once(Goal):
    """The chance that an event happens at least once, or the value of its first happening."""

    kind: str
    counts: Callable[[Event], bool]
    earned: Earned = ONE
    first: bool = False
    """Say whether only the first event of the kind can count: if it does not, nothing more is earned."""
    least: bool = False

    def see(self, state: Any, letter: Event) -> tuple[Any, Earned]:
        """Count the first that counts."""
        if state:
            return True, NOTHING
        if self.counts(letter):
            return True, self.earned
        return self.first, NOTHING

    def settled(self, state: Any) -> bool:
        """Return whether it has happened."""
        return bool(state)

    def most(self, moments: int) -> Fraction:
        """Return what it earns when it happens at once."""
        once, later = self.earned
        return Fraction(0) if self.least else once + later * (moments - 1)


@attrs.frozen
class Each(Goal):
    """The mean number of events that count, or (``of_moments``) of moments in which one happens."""

    kind: str
    counts: Callable[[Event], bool]
    of_moments: bool = False
    limit: Callable[[int], Fraction | None] = lambda _moments: None
    """Say how many there can be in so many moments at most, where that is known."""
    least: bool = False

    def see(self, state: Any, letter: Event) -> tuple[Any, Earned]:
        """Count one for each that counts; of moments the first in each."""
        if state or not self.counts(letter):
            return state, NOTHING
        return self.of_moments, ONE

    def later(self, state: Any) -> Any:  # noqa: ARG002 - whatever it was
        """Return the state anew: each moment counts by itself."""
        return False

    def most(self, moments: int) -> Fraction | None:
        """Return the limit, and no more than all moments where these are counted."""
        if self.least:
            return Fraction(0)
        limit, all_moments = self.limit(moments), Fraction(moments)
        return (
            limit
            if not self.of_moments
            else all_moments
            if limit is None
            else min(limit, all_moments)
        )


@attrs.frozen
class Struck(Goal):
    """The mean value of strikes, each of the same value whatever came before it.

    By step without its mission.
    """

    value: Callable[[Step], Fraction]
    limit: Callable[[int], Fraction | None] = lambda _moments: None
    """Say what all of so many moments can be worth at most, where that is known."""
    strikes: bool = True
    least: bool = False

    def see(self, state: Any, letter: Step) -> tuple[Any, Earned]:
        """Count the value of each strike."""
        return state, (self.value(letter), Fraction(0))

    def most(self, moments: int) -> Fraction | None:
        """Return the limit."""
        return Fraction(0) if self.least else self.limit(moments)


@attrs.frozen
class Harm(Goal):
    """The mean share of the target, by strength, that at least once suffers this severity or worse."""

    shares: Mapping[str, Fraction] = attrs.field(hash=False)
    severity: Severity
    kind: str = "suffered"
    joint: bool = True
    initial: Hashable = frozenset()
    least: bool = False

    def see(self, state: Any, letter: Event) -> tuple[Any, Earned]:
        """Count a unit's share once."""
        unit = letter["unit"]
        if unit not in self.shares or unit in state or letter["severity"] < self.severity:
            return state, NOTHING
        return state | {unit}, (self.shares[unit], Fraction(0))

    def settled(self, state: Any) -> bool:
        """Return whether all of them have."""
        return len(state) == len(self.shares)

    def most(self, moments: int) -> Fraction:  # noqa: ARG002 - a unit counts once
        """Return the share of all of them."""
        return Fraction(0) if self.least else sum(self.shares.values(), Fraction(0))

    def rest(self, state: Any, moments: int) -> Fraction:  # noqa: ARG002 - a unit counts once
        """Return the share of those to whom no harm has come."""
        unharmed = sum((self.shares[unit] for unit in self.shares.keys() - state), Fraction(0))
        return Fraction(0) if self.least else unharmed


@attrs.frozen
class Expected(Goal):
    """The mean of what strikes do at most: each has a worth whatever came before it, and a unit counts again."""

    shares: Mapping[str, Fraction] = attrs.field(hash=False)
    severity: Severity
    worth: Mapping[Step, Fraction] = attrs.field(hash=False)
    kind: str = "suffered"
    strikes: bool = True

    def see(self, state: Any, letter: Event | Step) -> tuple[Any, Earned]:
        """Count the worth of a strike, or the share of a unit that suffers apart from strikes."""
        if isinstance(letter, Step):
            return state, (self.worth.get(letter, Fraction(0)), Fraction(0))
        suffers = letter["severity"] >= self.severity
        return state, (
            self.shares.get(letter["unit"], Fraction(0)) if suffers else Fraction(0),
            Fraction(0),
        )


@attrs.frozen
class Measured:
    """A goal as it is asked for: its name, title, unit, one line of meaning, and how it is made for a side.

    ``shown(value, scenario, moments)`` turns what was earned into the figure that is printed.
    """

    name: str
    title: str
    unit: str
    definition: str
    make: Callable[[Scenario, str], Goal]
    shown: Callable[[Fraction, Scenario, int], Fraction]

    def goal_of(self, scenario: Scenario, side: str) -> Goal:
        """Return the goal of a side.

        Of one without artillery, that the firing side's comes to the worst.
        """
        fires = any(setup.side == side for setup in scenario.missions.values())
        goal: Any = self.make(scenario, side if fires else scenario.firer)
        wanted: Goal = goal if fires else attrs.evolve(goal, least=not goal.least)
        return wanted


def _as_earned(value: Fraction, _scenario: Scenario, _moments: int) -> Fraction:
    return value


def _own(scenario: Scenario, side: str) -> Callable[[Event], bool]:
    own = frozenset(mission for mission, setup in scenario.missions.items() if setup.side == side)
    return lambda event: event["mission"] in own


def _fall(scenario: Scenario, side: str, field: str | None = None) -> Callable[[Event], bool]:
    own = _own(scenario, side)
    return lambda event: own(event) and (field is None or bool(event[field]))


def _spent(scenario: Scenario, side: str) -> Callable[[Event], bool]:
    own = _own(scenario, side)
    return lambda event: own(event) and event["reason"] in FINAL


def _limit(
    scenario: Scenario, side: str, *, weighed: bool = False
) -> Callable[[int], Fraction | None]:
    """How often the fire of a side can fall in so many moments, or what that is worth by its strength.

    Plays are held to what is said of the moments from one fall to another, so that of fewer moments
    counts as well.
    """
    own = [mission for mission, setup in scenario.missions.items() if setup.side == side]

    def most(moments: int) -> Fraction | None:
        total = Fraction(0)
        for mission in own:
            limits = [
                scenario.parts.fire_limit(scenario, mission, each) for each in range(1, moments + 1)
            ]
            known = [each for each in limits if each is not None]
            if len(known) < moments:
                return None
            falls = max((each.falls for each in known), default=0)
            total += falls * known[0].strength if weighed and known else falls
        return total

    return most


def _minutes(scenario: Scenario, side: str) -> Goal:
    clock = scenario.clock
    saved = (clock.minutes - clock.grain, clock.minutes)
    return Once("fall", _fall(scenario, side), saved)


def _minutes_shown(value: Fraction, scenario: Scenario, moments: int) -> Fraction:
    return moments * scenario.clock.minutes - value


def enemies(scenario: Scenario, side: str) -> dict[str, Fraction]:
    """Return the share of each unit that is not this side's in the strength of all of them."""
    units = {unit: setup.strength for unit, setup in scenario.units.items() if setup.side != side}
    strength = sum(units.values())
    return {unit: Fraction(part, strength) for unit, part in units.items() if part}


def _harm(severity: Severity) -> Callable[[Scenario, str], Goal]:
    return lambda scenario, side: Harm(enemies(scenario, side), severity)


def _struck(scenario: Scenario, side: str) -> Goal:
    """A strike is worth the share of the target that stands in its place and is not this side's."""
    shares = enemies(scenario, side)
    at: dict[Any, Fraction] = {}
    for unit, share in shares.items():
        place = scenario.units[unit].place
        at[place] = at.get(place, Fraction(0)) + share

    def value(strike: Step) -> Fraction:
        if strike.name != "resolution.strike":
            return Fraction(0)  # what a game does to a place by other means is nobody's fire
        mission, place, shot = strike.args[:3]
        if (
            scenario.missions[str(mission)].side != side
            or not isinstance(shot, Shot)
            or shot.kind is FireKind.SMOKE
        ):
            return Fraction(0)
        return at.get(place, Fraction(0)) * shot.strength

    return Struck(value, _limit(scenario, side, weighed=True))


_MADE: Mapping[str, Callable[[Scenario, str], Goal]] = {
    "delivered": lambda scenario, side: Once("fall", _fall(scenario, side)),
    "on_target": lambda scenario, side: Once(
        "fall", _fall(scenario, side, "on_target"), first=True
    ),
    "hit": lambda scenario, side: Once("fall", _fall(scenario, side, "on_target")),
    "falls": lambda scenario, side: Each(
        "fall", _fall(scenario, side, "on_target"), limit=_limit(scenario, side)
    ),
    "moments_under_fire": lambda scenario, side: Each(
        "fall", _fall(scenario, side, "on_target"), of_moments=True, limit=_limit(scenario, side)
    ),
    "strikes": _struck,
    "minutes_to_first_effect": _minutes,
    "suppressed": _harm(Severity.SUPPRESSED),
    "reduced": _harm(Severity.REDUCED),
    "destroyed": _harm(Severity.DESTROYED),
    "own_troops_under_fire": lambda scenario, side: Once(
        "fall", _fall(scenario, side, "own_under_fire"), least=True
    ),
    "exhausted": lambda scenario, side: Once("ended", _spent(scenario, side), least=True),
}
_SHOWN = {"minutes_to_first_effect": _minutes_shown}
MEASURES: Mapping[str, Measured] = {
    row["name"]: Measured(**row, make=_MADE[row["name"]], shown=_SHOWN.get(row["name"], _as_earned))
    for row in read_csv(files("fireplan.solver.best") / "measures.csv")
}
"""Every goal by name, in the order in which they are listed."""
