"""Questions to a position: odds, chances, distributions and expectations, under conditions, exactly or sampled."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce
from typing import Any, TypeVar

import attrs

from fireplan import comparison as comparing
from fireplan import solver as solving
from fireplan.api._answers import ChanceResult, DistributionResult, PositionOdds, spoken
from fireplan.api._conditions import Condition, Dice, Happens, Vocabulary
from fireplan.api._errors import InputError, argument, gathered, outside, refuse, refusing
from fireplan.api._final import Final
from fireplan.api._odds import SampledOdds
from fireplan.api._open import LONGEST
from fireplan.api._sampling import MOST_TRAJECTORIES, Sample
from fireplan.positions import Position
from fireplan.solver import Analysis, ConditionedAnalysis, Measure, RollCompiler
from fireplan_core import Clock, Game, Scenario
from fireplan_core.chance import Throw
from fireplan_core.play import State, opening

R = TypeVar("R", bound=DistributionResult)
Holds = Callable[[Any], bool]
Watched = tuple[Measure, Holds]
SIZE = 1000
"""Trajectories that are advised where something is too large."""


@attrs.frozen
class Given:
    """Say what is given of a roll or an event by name."""

    name: str
    said: Any


@attrs.frozen(eq=False)
class Inquiry:
    """A scenario followed from a state to the end of a moment, with the rolls that conditions watch."""

    scenario: Scenario
    state: State | None
    until: int
    rolls: dict[str, tuple[solving.Fits, ...]]
    left_out: frozenset[str] = frozenset()
    """Places where strikes do nothing."""

    @property
    def now(self) -> int:
        """Return the moment in which it begins."""
        return 0 if self.state is None else self.state.moment

    def analysis(self) -> Analysis:
        """Return the exact analysis."""
        compiler = RollCompiler(self.scenario, self.rolls, self.left_out)
        return Analysis(self.scenario, self.until - self.now, state=self.state, compiler=compiler)

    def walked(self, measure: Measure, drawn: Sample) -> dict[Any, int]:
        """Return how often the measure ends in each state, over trajectories."""
        compiler = RollCompiler(self.scenario, self.rolls, self.left_out)
        size, seed = drawn.trajectories, drawn.seed
        return solving.sample(compiler, [measure], self.until, size, seed, state=self.state)[0].counts


@attrs.frozen(eq=False, repr=False, slots=False)
class Questions:
    """Say what can be asked of a position, under what is ``given``; ``by`` says until when, at the latest.

    That is a moment by its name ("turn 4": to its end), so many moments since the opening, or None for the time that
    the scenario is usually played.
    """

    at: Position
    game: Game
    usual: int
    conditions: tuple[Given | Happens, ...] = ()

    # --- questions -------------------------------------------------------------------------------
    def given(self, *events: Happens | str, **named: Any) -> Questions:
        """Return the questions where more is known: an event that happens, or how the next roll of a name falls.

        ``given(happens("fall"))``; ``given(contact=dice(4, 2))``, ``given(access="red")``, ``given(contact=5)`` (the
        total); of an event the next one of its kind: ``given(initiative={"couplets": 3})``, and ``given(fall=False)``:
        none. Raises ``InputError`` for names that there are not.
        """
        more: list[Given | Happens] = [Happens(one) if isinstance(one, str) else one for one in events]
        more += [Given(name, said) for name, said in named.items()]
        found = Questions(self.at, self.game, self.usual, (*self.conditions, *more))
        found._resolved()
        return found

    def odds(self, by: str | int | None = None, *, sample: int = 0, seed: int = 1) -> PositionOdds | SampledOdds:
        """Return every yardstick from here to a time, with the curve of delivery over the minutes from now.

        Events count from here on. With ``sample`` so many trajectories are drawn by the rules. Raises ``InputError``
        with what is wrong, and where it is too large to be solved.
        """
        asked, conditions = self._inquiry(by)
        scenario, analysis, game = self.at.scenario, asked.analysis(), self.game
        if drawn := self._drawn(sample, seed) if sample else None:
            if conditions:
                raise InputError("Odds are not sampled under a condition; ask for the chance of one event at a time.")
            walked = drawn.walked(scenario, asked.until, begun=asked.state)
            return SampledOdds(scenario.title, asked.until, drawn, *walked)
        with _too_large(asked):
            seen: Analysis | ConditionedAnalysis = analysis
            chance = Fraction(1)
            if conditions:
                seen = analysis.given(*_together(conditions))
                chance = _certain(seen.chance, self._before(analysis, conditions))
            watched = asked.until - asked.now
            answer = comparing.answer(
                game.key, game.title, game.edition, scenario, watched, lambda _: None, analysis=seen
            )
        name = scenario.clock.name(asked.until - 1)
        return PositionOdds(scenario.title, answer, str(self.at), name, self._said(conditions), chance)

    def chance(
        self, event: Happens | str, by: str | int | None = None, *, sample: int = 0, seed: int = 1
    ) -> ChanceResult:
        """Return the chance that an event happens from here on: a kind, or ``happens(...)``.

        With ``sample`` so many trajectories are drawn by the rules. Raises ``InputError`` with what is wrong, and where
        it is too large to be solved.
        """
        wanted = self._vocabulary.event(Happens(event) if isinstance(event, str) else event)
        asked, conditions = self._inquiry(by)
        drawn = self._drawn(sample, seed)
        found = self._asked(ChanceResult, asked, wanted.measure, conditions, f"Chance of {wanted.text}", drawn)
        true = sum((share for state, share in found.shares.items() if wanted.holds(state)), Fraction(0))
        return attrs.evolve(found, shares={True: true, False: 1 - true})

    def distribution(
        self, of: Callable[[Final], Hashable], by: str | int | None = None, *, sample: int = 0, seed: int = 1
    ) -> DistributionResult:
        """Return the distribution of whatever a function makes of the position at that time (``Final``).

        ``distribution(lambda end: (end["1st squad", "broken"], end["2nd squad", "broken"]))``. Only what the function
        reads is followed. Raises as ``chance`` does.
        """
        asked, conditions = self._inquiry(by)
        drawn = self._drawn(sample, seed)
        kinds = {kind for condition in conditions for kind in condition.measure.kinds}
        with _too_large(asked):
            idle = set[str]() if sample else {*asked.analysis().idle_places(kinds)}
        what = getattr(of, "__name__", "").replace("<lambda>", "") or "What it comes to"
        while True:
            ending = solving.ending_in(asked.scenario, asked.until, lambda read: of(Final(asked.scenario, read)), idle)
            longer = attrs.evolve(asked, scenario=ending, until=asked.until + 1, left_out=frozenset(idle))
            try:
                found = self._asked(DistributionResult, longer, solving.Ending(), conditions, what, drawn)
                break
            except solving.NeededPlaceError as needed:
                idle.remove(needed.scope)
        shares = {state[0]: share for state, share in found.shares.items()}
        return attrs.evolve(found, shares=shares, until=asked.scenario.clock.name(asked.until - 1))

    def expect(
        self, of: Callable[[Final], Fraction | int], by: str | int | None = None, *, sample: int = 0, seed: int = 1
    ) -> Fraction:
        """Return the expected value of a number that a function reads off the position at that time."""
        return self.distribution(of, by, sample=sample, seed=seed).expect()

    # --- how they are answered -------------------------------------------------------------------
    def _asked(
        self, kind: type[R], asked: Inquiry, measure: Measure, conditions: list[Condition], what: str, drawn: Sample
    ) -> R:
        name = self.at.scenario.clock.name(asked.until - 1)
        told = kind(str(self.at), name, what, {}, self._said(conditions), words=spoken(self.at.scenario))
        if drawn.trajectories:
            return self._sampled(told, asked, measure, conditions, drawn)
        analysis = asked.analysis()
        with _too_large(asked):
            if not conditions:
                return attrs.evolve(told, shares=analysis.solve(measure).shares)
            seen = analysis.given(*_together(conditions))
            chance = _certain(seen.chance, self._before(analysis, conditions))
            return attrs.evolve(told, shares=seen.solve(measure).shares, condition_chance=chance)

    def _sampled(self, told: R, asked: Inquiry, measure: Measure, conditions: list[Condition], drawn: Sample) -> R:
        both = measure
        met: Holds = lambda _: True  # noqa: E731
        if conditions:
            known, met = _together(conditions)
            both = solving.Both(known, measure)
        counts = asked.walked(both, drawn)
        kept: dict[Any, int] = {}
        for state, count in counts.items():
            if not conditions or met(state[0]):
                end = state[1] if conditions else state
                kept[end] = kept.get(end, 0) + count
        total = sum(kept.values())
        if not total:
            raise InputError(f"None of {drawn.trajectories:,} trajectories met the condition {told.condition}.")
        shares = {state: Fraction(count, total) for state, count in kept.items()}
        chance = Fraction(total, drawn.trajectories)
        return attrs.evolve(told, shares=shares, condition_chance=chance, sample=drawn, kept=total)

    @property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary.of(self.at.scenario)

    def _resolved(self) -> tuple[list[Condition], dict[str, tuple[solving.Fits, ...]]]:
        """Return the conditions ready to be followed, dice already given first, and the rolls to be watched."""
        rolls: dict[str, list[solving.Fits]] = {}
        faults: list[str] = []
        vocabulary = self._vocabulary
        found = [vocabulary.fallen(*self._under_way(), rolls)] if self.at.faces else []
        for one in self.conditions:
            if isinstance(one, Given):
                found.append(gathered(faults, vocabulary.given, one.name, one.said, rolls))
            else:
                found.append(gathered(faults, vocabulary.event, one))
        refuse(faults)
        return found, {name: tuple(tests) for name, tests in rolls.items()}

    def _under_way(self) -> tuple[str, Dice]:
        waits = self.at.table().waits_for
        if not isinstance(waits, Throw):
            raise InputError("Finish the throw first: what its dice mean together cannot be told from some of them.")
        return waits.name, Dice(*self.at.faces)

    def _inquiry(self, by: str | int | None) -> tuple[Inquiry, list[Condition]]:
        faults: list[str] = []
        until = gathered(faults, self._until, by)
        resolved = gathered(faults, self._resolved)
        refuse(faults)
        conditions, rolls = resolved
        state = None if self.at.state == opening(self.at.scenario) else self.at.state
        return Inquiry(self.at.scenario, state, until, rolls), conditions

    def _until(self, by: str | int | None) -> int:
        """Return how many moments have been played by then, since the opening."""
        now = self.at.moment
        return max(self.usual, now + 1) if by is None else played_by(self.at.scenario.clock, now, by)

    def _drawn(self, sample: int, seed: int) -> Sample:
        drawn = Sample(sample, seed, "rules")
        refuse([*drawn.faults(), *outside("sample", sample, 0, MOST_TRAJECTORIES)])
        return drawn

    def _said(self, conditions: list[Condition]) -> str:
        return ", ".join(condition.text for condition in conditions if condition.text)

    def _before(self, analysis: Analysis, conditions: list[Condition]) -> Fraction:
        """Return the chance of the dice that have been given already: 1 where none have."""
        if not self.at.faces:
            return Fraction(1)
        return analysis.given(conditions[0].measure, conditions[0].holds).chance


def played_by(clock: Clock, now: int, by: str | int) -> int:
    """Return how many moments have been played at the end of one by its name, ``turn 4``, that is to come.

    A number stays as it is. Raises ``InputError`` for a moment that is not to come.
    """
    if isinstance(by, int):
        refuse(outside("by", by, now + 1, now + LONGEST))
        return by
    name = clock.name
    found = [number for number in range(now, now + LONGEST) if _begins(name(number), by)]
    if not found:
        raise InputError(f"{argument('by')}: there is no moment {by!r} to come; the next are {name(now)}, "
                         f"{name(now + 1)}.")  # fmt: skip
    return next(number for number in range(found[0], now + LONGEST + 1) if not _begins(name(number), by))


def _begins(name: str, said: str) -> bool:
    rest = name.removeprefix(said) if name.startswith(said) else "0"
    return not rest[:1].isalnum()


def _certain(both: Fraction, before: Fraction) -> Fraction:
    """Return the chance of what is given, among the cases in which the dice under way fell as they did."""
    if not both:
        raise InputError("What is given cannot happen by then, so that nothing can be expected where it does.")
    return both / before


def _together(conditions: list[Condition]) -> Watched:
    """Return all conditions as one."""

    def both(one: Watched, other: Watched) -> Watched:
        return solving.Both(one[0], other[0]), lambda state: one[1](state[0]) and other[1](state[1])

    return reduce(both, ((condition.measure, condition.holds) for condition in conditions))


@contextmanager
def _too_large(asked: Inquiry) -> Iterator[None]:
    try:
        with refusing("solved"):
            yield
    except solving.TooLargeError as error:
        name = asked.scenario.clock.name(asked.now + error.moments - 1)
        shorter = f"ask up to an earlier time ({argument('by')}={name!r} is not too large)" if error.moments else ""
        ways = ", or ".join(way for way in (shorter, f"draw a sample: {argument('sample')}={SIZE}") if way)
        raise InputError(
            f"This is too large to be solved exactly: {error}. Either {ways}."
            if shorter
            else f"This is too large to be solved exactly: {error}. Instead {ways}."
        ) from error
