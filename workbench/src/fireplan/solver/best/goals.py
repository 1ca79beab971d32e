"""Goals: quantities that a side may maximise or minimise, as small automata over events.

All of them count effects of the side's own missions. A goal that is also a yardstick of the
comparison has the yardstick's name.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from importlib.resources import files
from typing import Any, Protocol

import attrs

from fireplan.solver.chain import is_strike
from fireplan_core import FINAL, Event, FireKind, Scenario, Severity, Shot, Step
from fireplan_core.chance import read_csv
from fireplan_core.mission import FireLimit

Earned = tuple[Fraction, Fraction]
"""The reward of a letter: a fixed part, and a part for each moment left after this one."""

NOTHING: Earned = (Fraction(0), Fraction(0))
ONE: Earned = (Fraction(1), Fraction(0))


def _in_first_moment(earned: Earned, moments: int) -> Fraction:
    once, later = earned
    return once + later * (moments - 1)


class Goal:
    """An automaton over events that collects rewards.

    It reads events of one ``kind`` or, with ``strikes``, the strikes that are set apart. ``joint``
    means that the effects of strikes on units must be carried out, ``least`` that less is better.
    ``initial`` is the state before any event.
    """

    kind: str = ""
    least: bool = False
    strikes: bool = False
    joint: bool = False
    initial: Hashable = False

    def see(self, state: Any, letter: Any) -> tuple[Any, Earned]:
        """Return the state after an event or strike, and the reward: (fixed, per later moment)."""
        raise NotImplementedError

    def see_all(self, state: Any, letters: Iterable[Event | Step]) -> tuple[Any, Earned]:
        """Return the state after all of these events and strikes, and the reward for them.

        Those that the goal does not read are left out.
        """
        once, later = NOTHING
        for letter in letters:
            if letter.kind == self.kind if isinstance(letter, Event) else self.strikes:
                state, (more, per_moment) = self.see(state, letter)
                once, later = once + more, later + per_moment
        return state, (once, later)

    def settled(self, state: Any) -> bool:  # noqa: ARG002 - most goals are never settled
        """Return whether nothing more can be earned."""
        return False

    def later(self, state: Any) -> Any:
        """Return the state at the opening of the next moment."""
        return state

    def most(self, moments: int) -> Fraction | None:  # noqa: ARG002 - many goals set no bound
        """Return an upper bound of the total reward (losses negative), None if it is unlimited."""
        return Fraction(0) if self.least else None

    def rest(self, state: Any, moments: int, *, opened: bool = False) -> Fraction | None:  # noqa: ARG002 - most goals ignore all but the moments
        """Return an upper bound of the reward in this many more moments from an unsettled state.

        ``opened`` is true if the first moment of play is not among these moments.
        """
        return self.most(moments)


@attrs.frozen
class Once(Goal):
    """The chance that a counted event ever happens, or the reward of the first such event.

    ``counts(event)`` returns whether an event counts; ``earned`` is the reward.
    """

    kind: str
    counts: Callable[[Event], bool]
    earned: Earned = ONE
    first: Callable[[Event], bool] | None = None
    """A test for the events of which only the first can count; None if any event can."""
    least: bool = False

    def see(self, state: Any, letter: Event) -> tuple[Any, Earned]:
        """Return whether the goal is decided, and the reward if this event counts as the first."""
        if state:
            return True, NOTHING
        if self.counts(letter):
            return True, self.earned
        return self.first is not None and self.first(letter), NOTHING

    @property
    def counts_first_hit(self) -> bool:
        """Return whether the goal is the chance that the first fall is on target."""
        on_target = isinstance(self.counts, _Counts) and self.counts.field == "on_target"
        return self.kind == "fall" and on_target and isinstance(self.first, _Counts)

    def settled(self, state: Any) -> bool:
        """Return whether the goal is decided: no later event can count any more."""
        return bool(state)

    def most(self, moments: int) -> Fraction:
        """Return the reward of an event in the first moment, or 0 if less is better."""
        return Fraction(0) if self.least else _in_first_moment(self.earned, moments)


class Limit(Protocol):
    """A limit on fire: the most that it can do in a number of moments, or None if unknown."""

    def __call__(self, moments: int, /, *, opened: bool = False) -> Fraction | None:
        """Return the most that fire can do in this many moments, or None if it is unknown.

        ``opened`` is true if the first moment of play is not among these moments.
        """


def unlimited(_moments: int, *, opened: bool = False) -> None:
    """Return None, because no maximum is known."""


@attrs.frozen
class Each(Goal):
    """The mean number of events that count, or of moments with such an event (``of_moments``).

    ``counts(event)`` returns whether an event counts.
    """

    kind: str
    counts: Callable[[Event], bool]
    of_moments: bool = False
    limit: Limit = unlimited
    """Returns the maximum number of events in a number of moments, or None if unknown."""
    least: bool = False
    earned: Earned = ONE
    """The reward of an event that counts; the limit holds only for a reward of 1."""

    def see(self, state: Any, letter: Event) -> tuple[Any, Earned]:
        """Return the new state, and the reward for an event that counts.

        With ``of_moments``, only the first event in each moment counts.
        """
        if state or not self.counts(letter):
            return state, NOTHING
        return self.of_moments, self.earned

    def later(self, state: Any) -> Any:  # noqa: ARG002 - every state is reset
        """Return False, the initial state, because each moment is counted separately."""
        return False

    def most(self, moments: int) -> Fraction | None:
        """Return the most events or moments that can count in this many moments.

        Return None if the number is unknown, and 0 if less is better.
        """
        return self.rest(self.initial, moments)

    def rest(self, state: Any, moments: int, *, opened: bool = False) -> Fraction | None:  # noqa: ARG002 - every state may count
        """Return the most events or moments that can count in this many more moments.

        Return None if the number is unknown, and 0 if less is better.
        """
        if self.least:
            return Fraction(0)
        limit, all_moments = self.limit(moments, opened=opened), Fraction(moments)
        if not self.of_moments:
            return limit
        return all_moments if limit is None else min(limit, all_moments)


@attrs.frozen
class Struck(Goal):
    """The mean value of strikes; ``value(strike, removed)`` depends on the units removed too.

    ``removable`` are the units that leave the table when they are destroyed: other troops may then
    stand in their places.
    """

    value: Callable[[Step, frozenset[str]], Fraction]
    limit: Limit = unlimited
    """Returns the maximum total value in a number of moments, or None if unknown."""
    removable: frozenset[str] = frozenset()
    kind: str = ""
    strikes: bool = True
    initial: Hashable = frozenset()
    least: bool = False

    def see(self, state: Any, letter: Event | Step) -> tuple[Any, Earned]:
        """Return the units removed so far, and the value of a strike as its reward."""
        if isinstance(letter, Step):
            return state, (self.value(letter, state), Fraction(0))
        is_removed = letter["severity"] >= Severity.DESTROYED and letter["unit"] in self.removable
        return (state | {letter["unit"]} if is_removed else state), NOTHING

    def most(self, moments: int) -> Fraction | None:
        """Return the maximum total value of strikes, None if unknown, and 0 if less is better."""
        return self.rest(self.initial, moments)

    def rest(self, state: Any, moments: int, *, opened: bool = False) -> Fraction | None:  # noqa: ARG002 - every state may count
        """Return the maximum total value in this many more moments.

        Return None if it is unknown, and 0 if less is better.
        """
        return Fraction(0) if self.least else self.limit(moments, opened=opened)


@attrs.frozen
class Harm(Goal):
    """The mean share of the target, by strength, that suffers at least this severity.

    ``shares`` maps each unit to its share of the target; a unit counts once.
    """

    shares: Mapping[str, Fraction] = attrs.field(hash=False)
    severity: Severity
    kind: str = "suffered"
    joint: bool = True
    initial: Hashable = frozenset()
    least: bool = False

    def see(self, state: Any, letter: Event) -> tuple[Any, Earned]:
        """Return the next state and the reward: a unit's share at its first harm, else 0."""
        unit = letter["unit"]
        if unit not in self.shares or unit in state or letter["severity"] < self.severity:
            return state, NOTHING
        return state | {unit}, (self.shares[unit], Fraction(0))

    def settled(self, state: Any) -> bool:
        """Return whether every unit has come to harm."""
        return len(state) == len(self.shares)

    def most(self, moments: int) -> Fraction:  # noqa: ARG002 - a unit counts once
        """Return the total share of all units, or 0 if less is better."""
        return Fraction(0) if self.least else sum(self.shares.values(), Fraction(0))

    def rest(self, state: Any, moments: int, *, opened: bool = False) -> Fraction:  # noqa: ARG002 - a unit counts once
        """Return the total share of the units still unharmed, or 0 if less is better."""
        unharmed = sum((self.shares[unit] for unit in self.shares.keys() - state), Fraction(0))
        return Fraction(0) if self.least else unharmed


@attrs.frozen
class FirstStrike(Goal):
    """An upper bound of harm or strikes: the first strike that may count pays the whole limit.

    Strikes at these ``scopes`` may count, or all strikes if ``scopes`` is None. ``earned`` is the
    maximum gain from the first such strike to the end.
    """

    scopes: frozenset[str] | None
    earned: Earned
    kind: str = "suffered"
    strikes: bool = True

    def see(self, state: Any, letter: Event | Step) -> tuple[Any, Earned]:
        """Return True and the reward at the first harm, or at the first strike that may count.

        Any other event or strike leaves the state unchanged and earns nothing.
        """
        counts = isinstance(letter, Event) or self.scopes is None or letter.scope in self.scopes
        return (True, self.earned) if counts and not state else (state, NOTHING)

    def settled(self, state: Any) -> bool:
        """Return whether the reward has been earned."""
        return bool(state)

    def most(self, moments: int) -> Fraction:
        """Return the most that can be earned: the reward if a strike falls in the first moment."""
        return _in_first_moment(self.earned, moments)


@attrs.frozen
class Expected(Goal):
    """An upper bound of harm: each strike has a fixed value, and a unit may count repeatedly."""

    shares: Mapping[str, Fraction] = attrs.field(hash=False)
    severity: Severity
    value: Mapping[Step, Fraction] = attrs.field(hash=False)
    kind: str = "suffered"
    strikes: bool = True

    def see(self, state: Any, letter: Event | Step) -> tuple[Any, Earned]:
        """Return the state and the reward: a strike's value, or the share of a suffering unit."""
        if isinstance(letter, Step):
            return state, (self.value.get(letter, Fraction(0)), Fraction(0))
        suffers = letter["severity"] >= self.severity
        return state, (
            self.shares.get(letter["unit"], Fraction(0)) if suffers else Fraction(0),
            Fraction(0),
        )


@attrs.frozen
class NamedGoal:
    """A goal that users can name: its name, title, unit, definition, and factory.

    ``make(scenario, side)`` returns the goal, and ``shown(value, scenario, moments)`` the figure
    that is printed for its reward.
    """

    name: str
    title: str
    unit: str
    definition: str
    make: Callable[[Scenario, str], Goal]
    shown: Callable[[Fraction, Scenario, int], Fraction]

    def __reduce__(self) -> tuple[Callable[[str], NamedGoal], tuple[str]]:
        return _goal_named, (self.name,)

    def __deepcopy__(self, _memo: dict[int, Any]) -> NamedGoal:
        return self

    def goal_of(self, scenario: Scenario, side: str) -> Goal:
        """Return the goal of a side.

        A side without artillery gets the opposite of the firing side's goal.
        """
        fires = any(setup.side == side for setup in scenario.missions.values())
        goal: Any = self.make(scenario, side if fires else scenario.firer)
        side_goal: Goal = goal if fires else attrs.evolve(goal, least=not goal.least)
        return side_goal


def _as_earned(value: Fraction, _scenario: Scenario, _moments: int) -> Fraction:
    return value


@attrs.frozen
class _Counts:
    """A test for events of a side's own missions; a field, if named, must also be true."""

    missions: frozenset[str]
    field: str | None = None

    def __call__(self, event: Event) -> bool:
        own = event["mission"] in self.missions
        return own and (self.field is None or bool(event[self.field]))


@attrs.frozen
class _CountsSpent(_Counts):
    """A test for events that end one of a side's own missions for good."""

    def __call__(self, event: Event) -> bool:
        return event["mission"] in self.missions and event["reason"] in FINAL


def _own(scenario: Scenario, side: str) -> frozenset[str]:
    return frozenset(mission for mission, setup in scenario.missions.items() if setup.side == side)


def _fall(scenario: Scenario, side: str, field: str | None = None) -> _Counts:
    return _Counts(_own(scenario, side), field)


@attrs.frozen(slots=False)
class _Limit:
    """The maximum effect of a side's fire; called with a number of moments, it returns the value.

    The value is None if nothing limits the fire. Without ``share_at``, it is the number of falls;
    with ``on_target``, only of falls that may cover the same place. ``share_at`` maps places to the
    enemy's share there: each mission then counts the shares that it can strike, limited by the
    falls that can cover each place in all of play, and by the most that one fall can strike. Each
    mission counts with its maximum over all spans of up to that many moments.
    """

    scenario: Scenario
    side: str
    share_at: Mapping[Any, Fraction] | None = attrs.field(default=None, hash=False)
    on_target: bool = False
    offered: bool = True
    """True if orders name only places that their questions offer, as ``cover_limit`` assumes."""
    on_average: bool = False
    """True if the limit counts the mean number of falls on a place, for all of play."""
    usual: bool = False
    """True if the limit holds only if other sides give their standard orders, for all of play."""

    def __call__(self, moments: int, *, opened: bool = False) -> Fraction | None:
        total = Fraction(0)
        for mission, setup in self.scenario.missions.items():
            if setup.side != self.side:
                continue
            limits = [
                self.scenario.parts.fire_limit(self.scenario, mission, span)
                for span in range(1, moments + 1)
            ]
            set_limits = [limit for limit in limits if limit is not None]
            if len(set_limits) < moments:
                return None
            falls = max((self._falls(limit, opened=opened) for limit in set_limits), default=0)
            if self.share_at is None or not set_limits:
                total += falls
                continue
            places = [limit.on_one_place for limit in set_limits]
            on_one_place = max((falls if most is None else most for most in places), default=falls)
            most = sum(
                (
                    share * self._covering(mission, place, falls, on_one_place)
                    for place, share in self.share_at.items()
                ),
                Fraction(0),
            )
            together = self._together[mission]
            most *= set_limits[0].strength
            total += most if together is None else min(most, falls * together)
        return min(total, self._while_standing(moments)) if self.usual else total

    def _while_standing(self, moments: int) -> Fraction:
        """Return the most that falls can strike before they remove the units that they strike.

        Each strike removes its unit with at least some chance p, whatever has happened, so the unit
        is there for strike k with a chance of at most (1 - p)^(k - 1). Which missions may fire at
        all is rolled before play; n falls then strike the unit at most S(n) times on average, the
        sum of these chances, and S is concave: its mean is at most S of the mean of n.
        """
        scenario, total = self.scenario, Fraction(0)
        own = [name for name, setup in scenario.missions.items() if setup.side == self.side]
        for unit, share in enemies(scenario, self.side).items():
            place, mean, chances = scenario.units[unit].place, Fraction(0), [Fraction(1)]
            strengths = [Fraction(0)]
            for mission in own:
                limits = [
                    scenario.parts.fire_limit(scenario, mission, span)
                    for span in range(1, moments + 1)
                ]
                known = [limit for limit in limits if limit is not None]
                falls = max((limit.falls for limit in known), default=0)
                falls = covering(scenario, mission, place, falls, offered=self.offered)
                if falls:
                    strengths += [limit.strength for limit in known]
                    mean += falls * scenario.parts.fire_chance(scenario, mission)
                    chances.append(scenario.parts.removal_chance(scenario, unit, mission))
            total += share * max(strengths) * times_struck(mean, min(chances))
        return total

    def _covering(self, mission: str, place: Any, falls: int, on_one_place: int) -> Fraction:
        """Return the maximum number of a mission's falls that can cover a place.

        With ``on_average``, return the mean number if it is known and lower.
        """
        scenario = self.scenario
        most = covering(scenario, mission, place, falls, on_one_place, offered=self.offered)
        mean = covering_on_average(scenario, mission, place) if self.on_average else None
        return Fraction(most) if mean is None else min(Fraction(most), mean)

    @cached_property
    def _together(self) -> Mapping[str, Fraction | None]:
        """Map each mission to the most that one of its falls can strike, or None if unknown."""
        parts, shares = self.scenario.parts, self.share_at or {}
        return {
            mission: parts.cover_together(self.scenario, mission, shares)
            for mission in self.scenario.missions
        }

    def _falls(self, limit: FireLimit, *, opened: bool) -> int:
        falls = limit.afterwards if opened else limit.falls
        if not self.on_target or limit.on_one_place is None:
            return falls
        return min(falls, limit.on_one_place)


def times_struck(falls: Fraction, removal: Fraction) -> Fraction:
    """Return how often a unit is struck by a number of falls, if each removes it with a chance.

    Between whole numbers of ``falls`` the result is interpolated.
    """
    whole = int(falls)
    standing = [(1 - removal) ** fall for fall in range(whole + 1)]
    return sum(standing[:whole], Fraction(0)) + (falls - whole) * standing[whole]


def on_average(goal: Struck, *, usual: bool = False) -> Struck:
    """Return the goal with a closer limit, which counts the mean number of falls on each place.

    The limit holds only for the mean over all play, not from a state in the middle of play. With
    ``usual``, it also holds only if other sides give their standard orders. A goal without a limit
    on fire is returned unchanged.
    """
    if isinstance(goal.limit, _Limit):
        limit = attrs.evolve(goal.limit, on_average=True, usual=usual)
        return attrs.evolve(goal, limit=limit)
    return goal


def at_any_place(goal: Goal) -> Goal:
    """Return the goal with a limit that also holds for orders at places that no question offers.

    Only goals of strikes with a limit on fire are changed.
    """
    if isinstance(goal, Struck) and isinstance(goal.limit, _Limit):
        return attrs.evolve(goal, limit=attrs.evolve(goal.limit, offered=False))
    return goal


def covering(
    scenario: Scenario,
    mission: str,
    place: Any,
    falls: int,
    on_one_place: int | None = None,
    *,
    offered: bool = True,
) -> int:
    """Return the maximum number of a mission's falls that can cover a place, or a unit in it.

    ``on_one_place`` is the maximum for each cell, by default ``falls``. With ``offered``, orders
    name only places that their questions offer, so the game's ``cover_limit`` applies too.
    """
    most = falls if on_one_place is None else on_one_place
    limits = [
        scenario.parts.cover_limit(scenario, mission, cell) if offered else None
        for cell in _cells(scenario, place)
    ]
    return min(falls, sum(most if limit is None else min(most, limit) for limit in limits))


def covering_on_average(scenario: Scenario, mission: str, place: Any) -> Fraction | None:
    """Return an upper bound of the mean number of falls that cover a place, None if unknown."""
    means = [scenario.parts.cover_mean(scenario, mission, cell) for cell in _cells(scenario, place)]
    known = [mean for mean in means if mean is not None]
    return sum(known, Fraction(0)) if len(known) == len(means) else None


def _cells(scenario: Scenario, place: Any) -> tuple[Any, ...]:
    """Return the cells of the largest unit at a place."""
    extent = max(
        [float(unit.extent) for unit in scenario.units.values() if unit.place == place], default=0.0
    )
    return tuple(scenario.frame.cells(place, extent))


def _minutes(scenario: Scenario, side: str) -> Goal:
    clock = scenario.clock
    saved = (clock.minutes - clock.grain, clock.minutes)
    return Once("fall", _fall(scenario, side), saved)


def _minutes_shown(value: Fraction, scenario: Scenario, moments: int) -> Fraction:
    return moments * scenario.clock.minutes - value


def enemies(scenario: Scenario, side: str) -> dict[str, Fraction]:
    """Map each enemy unit that has strength to its share of all enemy strength."""
    units = {unit: setup.strength for unit, setup in scenario.units.items() if setup.side != side}
    strength = sum(units.values())
    return {
        unit: Fraction(unit_strength, strength)
        for unit, unit_strength in units.items()
        if unit_strength
    }


@attrs.frozen
class _StrikeValue:
    """The value of a side's strike: the shot's strength times the share of the enemy at the place.

    Smoke and the strikes of other sides are worth 0. Units already ``removed`` do not count.
    """

    missions: frozenset[str]
    shares_at: Mapping[Any, Mapping[str, Fraction]] = attrs.field(hash=False)

    def __call__(self, strike: Step, removed: frozenset[str] = frozenset()) -> Fraction:
        if not is_strike(strike):
            return Fraction(0)  # a game's other effects on a place are not fire
        mission, place, shot = strike.args[:3]
        if (
            str(mission) not in self.missions
            or not isinstance(shot, Shot)
            or shot.kind is FireKind.SMOKE
        ):
            return Fraction(0)
        shares = self.shares_at.get(place, {})
        standing = (share for unit, share in shares.items() if unit not in removed)
        return sum(standing, Fraction(0)) * shot.strength


def _harm(severity: Severity) -> Callable[[Scenario, str], Goal]:
    return lambda scenario, side: Harm(enemies(scenario, side), severity)


def _struck(scenario: Scenario, side: str) -> Goal:
    """Return the goal of strikes on the enemy, each valued by ``_StrikeValue``."""
    shares_at: dict[Any, dict[str, Fraction]] = {}
    shares = enemies(scenario, side)
    for unit, share in shares.items():
        shares_at.setdefault(scenario.units[unit].place, {})[unit] = share
    limit = _Limit(
        scenario,
        side,
        {place: sum(units.values(), Fraction(0)) for place, units in shares_at.items()},
    )
    leaves = scenario.mobile and scenario.parts.resolution.removes_destroyed
    removable = frozenset(shares) if leaves else frozenset()
    value, kind = _StrikeValue(_own(scenario, side), shares_at), "suffered" if leaves else ""
    return Struck(value, limit, removable, kind)


_MADE: Mapping[str, Callable[[Scenario, str], Goal]] = {
    "delivered": lambda scenario, side: Once("fall", _fall(scenario, side)),
    "on_target": lambda scenario, side: Once(
        "fall", _fall(scenario, side, "on_target"), first=_fall(scenario, side)
    ),
    "hit": lambda scenario, side: Once("fall", _fall(scenario, side, "on_target")),
    "falls": lambda scenario, side: Each(
        "fall",
        _fall(scenario, side, "on_target"),
        limit=_Limit(scenario, side, on_target=True),
    ),
    "moments_under_fire": lambda scenario, side: Each(
        "fall",
        _fall(scenario, side, "on_target"),
        of_moments=True,
        limit=_Limit(scenario, side, on_target=True),
    ),
    "strikes": _struck,
    "minutes_to_first_effect": _minutes,
    "suppressed": _harm(Severity.SUPPRESSED),
    "reduced": _harm(Severity.REDUCED),
    "destroyed": _harm(Severity.DESTROYED),
    "own_troops_under_fire": lambda scenario, side: Once(
        "fall", _fall(scenario, side, "own_under_fire"), least=True
    ),
    "exhausted": lambda scenario, side: Once(
        "ended", _CountsSpent(_own(scenario, side)), least=True
    ),
}
_SHOWN = {"minutes_to_first_effect": _minutes_shown}
MEASURES: Mapping[str, NamedGoal] = {
    row["name"]: NamedGoal(
        **row, make=_MADE[row["name"]], shown=_SHOWN.get(row["name"], _as_earned)
    )
    for row in read_csv(files("fireplan.solver.best") / "measures.csv")
}
"""Maps each name to its goal, in the order in which goals are listed."""


def _goal_named(name: str) -> NamedGoal:
    return MEASURES[name]
