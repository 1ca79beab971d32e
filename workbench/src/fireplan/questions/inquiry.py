"""The future of a position: odds, chances, distributions, expectations; exact or sampled."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from html import escape
from typing import Any, TypeVar, overload

import attrs

from fireplan import analysis
from fireplan import solver as solving
from fireplan.errors import (
    InputError,
    argument_name,
    gathered,
    outside,
    refuse,
    unknown,
)
from fireplan.positions import Position
from fireplan.positions.field_words import unmarked
from fireplan.positions.final import Final, value_of
from fireplan.questions.answers import ChanceResult, DistributionResult, in_words
from fireplan.questions.asked_position import AskedPosition
from fireplan.questions.conditions import (
    Conditions,
    Dice,
    Happens,
    NamedCondition,
    Vocabulary,
    event_of,
)
from fireplan.questions.odds_results import OddsResult, SampledOdds
from fireplan.questions.opening import LONGEST
from fireplan.questions.playing import moment_words
from fireplan.questions.question import Begin, at_once
from fireplan.questions.refusing import refusing
from fireplan.questions.sampling import NONE_MET, Sample, meeting
from fireplan.questions.situations import small_map
from fireplan.solver import Analysis, ConditionedAnalysis, Measure, RollCompiler
from fireplan.table import Words
from fireplan_core import Clock, Scenario
from fireplan_core.chance import Throw
from fireplan_core.play import State, opening
from fireplan_core.record import Read

R = TypeVar("R", bound=DistributionResult)
SIZE = 1000
"""Number of trajectories suggested when a question is too large to be solved."""


# --- the questions: methods of a position, and of a position under conditions --------
def given(
    asked: AskedPosition, /, *events: Happens | str, every: str | None = None, **named: Any
) -> ConditionedPosition:
    """Return the position conditional on events and rolls.

    ``given(happens("fall"))`` requires an event. ``given(contact=dice(4, 2))``,
    ``given(access="red")`` and ``given(contact=5)`` (the total) fix the result of the next roll of
    that name. ``given(initiative={"couplets": 3})`` and ``given(fall=False)`` apply to the next
    event of a kind. With ``every="turn"`` (or the game's word for a moment), they apply to every
    roll and event of the name. Raise ``InputError`` for unknown names.
    """
    if every is not None and every not in (words := moment_words(asked.at.scenario)):
        raise unknown("moment", str(every), words)
    more: tuple[NamedCondition | Happens, ...] = (
        *map(event_of, events),
        *(NamedCondition(name, value, every is not None) for name, value in named.items()),
    )
    conditions = (*asked.conditions, *more)
    _conditions(asked.at, conditions)
    return ConditionedPosition(asked.at, asked.game, asked.usual, conditions)


@overload
def odds(
    asked: AskedPosition,
    by: str | int | None = None,
    *,
    orders: Any = None,
    begin: Begin = at_once,
) -> OddsResult: ...
@overload
def odds(
    asked: AskedPosition,
    by: str | int | None = None,
    *,
    orders: Any = None,
    sample: int,
    seed: int = 1,
    begin: Begin = at_once,
) -> SampledOdds: ...
def odds(
    asked: AskedPosition,
    by: str | int | None = None,
    *,
    orders: Any = None,
    sample: int = 0,
    seed: int = 1,
    begin: Begin = at_once,
) -> OddsResult | SampledOdds:
    """Return every yardstick from here to a time, with the curve of delivery over the minutes.

    ``by`` is the end of a named moment ("turn 4"), a number of moments since the opening, or None
    for the usual length of the scenario. Only events from here on count. ``sample`` is the number
    of trajectories to draw instead of solving exactly. ``orders`` are given in advance, as to
    ``fireplan.strategy``, instead of the standard ones. ``begin`` is called with the
    expected time in seconds before an exact answer is worked out. Raise ``InputError`` listing
    every fault, or if the question is too large to be solved.
    """
    inquiry = Inquiry.of(asked, by, sample, seed, orders=orders, begin=begin)
    asked = inquiry.asked
    scenario, line = asked.at.scenario, asked.line
    if sample:
        with asked.followed():
            walked = inquiry.drawn.walked(
                scenario,
                inquiry.until,
                begun=inquiry.state,
                condition=inquiry.conditions.known,
                compiler=inquiry.compiler,
            )
        return SampledOdds(
            scenario.title,
            inquiry.until,
            inquiry.drawn,
            *walked,
            rests_on=scenario.provenance,
            line=line,
            condition=inquiry.conditions.text,
        )
    with _too_large(inquiry):
        solved, conditioned, chance = inquiry.conditioned()
        answer = analysis.answer(asked.game, solved, given=conditioned)
    return OddsResult(scenario.title, answer, line, inquiry.ends, inquiry.conditions.text, chance)


def chance(
    asked: AskedPosition,
    event: Happens | str,
    by: str | int | None = None,
    *,
    orders: Any = None,
    sample: int = 0,
    seed: int = 1,
    begin: Begin = at_once,
) -> ChanceResult:
    """Return the chance that an event happens from here on: a kind, or ``happens(...)``.

    The other arguments and the errors are those of ``odds``.
    """
    faults: list[str] = []
    vocabulary = Vocabulary.of(asked.at.scenario)
    condition = gathered(faults, lambda: vocabulary.event(event_of(event)))
    inquiry = Inquiry.of(asked, by, sample, seed, faults, orders, begin)
    result = inquiry.result(ChanceResult, condition.measure, f"Chance of {condition.text}")
    true = sum(
        (share for state, share in result.shares.items() if condition.holds(state)), Fraction(0)
    )
    shares = {True: true, False: 1 - true}
    return attrs.evolve(result, shares=shares, never=condition.never())


def distribution(
    asked: AskedPosition,
    of: Callable[[Final], Hashable],
    by: str | int | None = None,
    *,
    orders: Any = None,
    sample: int = 0,
    seed: int = 1,
) -> DistributionResult:
    """Return the distribution of a function of the position (``Final``) at a time.

    For example: ``distribution(lambda end: (end["1st squad", "broken"], end["2nd squad",
    "broken"]))``. Only the fields that the function reads are tracked. The other arguments and the
    errors are those of ``odds``.
    """
    if not callable(of):
        example = "such as lambda end: end['1st squad', 'broken']"  # type: ignore[unreachable]
        raise InputError(f"of: expected a function of the position, {example}, got {of!r}.")
    inquiry = Inquiry.of(asked, by, sample, seed, orders=orders)
    kinds = {kind for condition in inquiry.conditions for kind in condition.measure.kinds}
    with _too_large(inquiry):
        idle = frozenset[str]() if sample else inquiry.analysis().idle_places(kinds)
    what = getattr(of, "__name__", "").replace("<lambda>", "") or "Value"

    values: dict[Hashable, Any] = {}

    def value_at(read: Read) -> Hashable:
        value = value_of(of, inquiry.scenario, read)
        key: Hashable = unmarked(value)
        try:
            values[key] = value
        except TypeError as error:
            raise InputError(
                f"of: expected a function with a number, text or tuple as its value, got {value!r}."
            ) from error
        return key

    def solved(left_out: frozenset[str]) -> DistributionResult:
        ending = solving.ending_in(inquiry.scenario, inquiry.until, value_at, left_out)
        longer = attrs.evolve(inquiry, scenario=ending, until=inquiry.until + 1, left_out=left_out)
        return longer.result(DistributionResult, solving.ending(), what)

    result = solving.leaving_out(idle, solved)
    shares = {state[0]: share for state, share in result.shares.items()}
    return attrs.evolve(
        result, shares=shares, values=tuple(values[key] for key in shares), until=inquiry.ends
    )


def expect(
    asked: AskedPosition,
    of: Callable[[Final], Fraction | int],
    by: str | int | None = None,
    *,
    orders: Any = None,
    sample: int = 0,
    seed: int = 1,
) -> Fraction:
    """Return the expected value of a numeric function of the position (``Final``) at a time.

    The arguments and the errors are those of ``distribution``.
    """
    return distribution(asked, of, by, orders=orders, sample=sample, seed=seed).expect()


@attrs.frozen(eq=False, repr=False, slots=False)
class ConditionedPosition(AskedPosition):
    """A position with conditions on its future; its methods are the questions about that future."""

    def __str__(self) -> str:
        """Return the line of the position and the conditions in words."""
        return f"{self.line}\ngiven {_conditions(self.at, self.conditions).text}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the position for a notebook, with its map, and the conditions in words."""
        shown = "<br>".join(map(escape, str(self).splitlines()))
        return f'<div class="fireplan">\n<p>{shown}</p>\n{small_map(self.at)}</div>'

    given = given
    odds = odds
    chance = chance
    distribution = distribution
    expect = expect


# --- how the questions are answered ---------------------------------------------------
@attrs.frozen(eq=False)
class Inquiry:
    """A scenario followed from a position to the end of a moment, under conditions.

    ``drawn`` is the sample to draw if the scenario is not solved exactly. ``left_out`` contains the
    places where the effects of strikes are not included.
    """

    asked: AskedPosition
    scenario: Scenario
    until: int
    conditions: Conditions
    drawn: Sample
    left_out: frozenset[str] = frozenset()
    begin: Begin = at_once

    @classmethod
    def of(
        cls,
        asked: AskedPosition,
        by: str | int | None,
        sample: int,
        seed: int,
        faults: Sequence[str] = (),
        orders: Any = None,
        begin: Begin = at_once,
    ) -> Inquiry:
        """Return the inquiry from a position to ``by``; the arguments are those of ``odds``.

        Raise ``InputError`` with every fault, including the ``faults`` already found.
        """
        faults_found, drawn = [*faults], Sample(sample, seed, "rules")
        if orders is not None:
            under: AskedPosition | None = gathered(faults_found, asked.under, orders)
            asked = asked if under is None else under
        until = gathered(faults_found, moments_until, asked, by)
        conditions = gathered(faults_found, _conditions, asked.at, asked.conditions)
        refuse([*faults_found, *drawn.faults()])
        return cls(asked, asked.at.scenario, until, conditions, drawn, begin=begin)

    @property
    def at(self) -> Position:
        """The position from which play is followed."""
        return self.asked.at

    @property
    def orders(self) -> str:
        """The orders given in advance as text, empty for the standard ones."""
        return str(self.asked.strategy)

    @property
    def state(self) -> State | None:
        """The state from which play continues, or None at the opening."""
        return begun_at(self.at)

    @property
    def compiler(self) -> RollCompiler:
        """A compiler that emits an event for each watched roll."""
        conditions = attrs.evolve(self.conditions, scenario=self.scenario)
        return conditions.compiler(self.left_out)

    def analysis(self) -> Analysis:
        """Return the exact analysis of the scenario from the position to the end of the inquiry."""
        return Analysis(
            self.scenario, self.until - self.at.moment, state=self.state, compiler=self.compiler
        )

    @property
    def ends(self) -> str:
        """The name of the last moment that is followed."""
        return self.scenario.clock.name(self.until - 1)

    def sooner(self, moments: int) -> str:
        """Return the text of the argument ``by`` that stops play after this many moments."""
        name = self.scenario.clock.name(self.at.moment + moments - 1)
        return f"{argument_name('by')}={name!r}"

    def conditioned(self) -> tuple[Analysis, ConditionedAnalysis | None, Fraction]:
        """Return the analysis, its conditioned form, and the chance of the conditions.

        Without conditions, the last two are None and 1. Dice already thrown are a condition of the
        analysis, but the chance takes them for granted.
        """
        analysis = self.analysis()
        if self.begin is not at_once:
            solving.announce(analysis, self.begin, self.sooner)
        conditioned, share = self.conditions.imposed(analysis)
        if self.at.faces:
            thrown = self.conditions.each[0]
            share /= analysis.given(thrown.measure, thrown.holds).chance
        return analysis, conditioned, share

    def result(self, kind: type[R], measure: Measure, what: str) -> R:
        """Return the shares of the final states of a measure, solved or sampled.

        ``kind`` is the class of the result, and ``what`` describes the values. Raises
        ``InputError`` if no sampled trajectory meets the condition.
        """
        empty = kind(
            str(self.at),
            self.ends,
            what,
            {},
            self.conditions.text,
            words=partial(in_words, Words(self.at.scenario)),
            orders=self.orders,
        )
        if not (size := self.drawn.trajectories):
            with _too_large(self):
                analysis, conditioned, chance = self.conditioned()
                shares = (conditioned or analysis).solve(measure).shares
                measures = (measure, *(each.measure for each in self.conditions.each))
                return attrs.evolve(
                    empty,
                    shares=shares,
                    condition_chance=chance,
                    rules=analysis.rests_on(*measures),
                )
        condition = self.conditions.known
        watched = solving.Jointly((condition[0], measure)) if condition else measure
        with self.asked.followed():
            (counts,) = solving.sample(
                self.compiler, [watched], self.until, size, self.drawn.seed, state=self.state
            )
        self.conditions.check()
        met = meeting(counts.counts, condition)
        if not (total := sum(met.values())):
            raise InputError(NONE_MET)
        return attrs.evolve(
            empty,
            shares={state: Fraction(count, total) for state, count in met.items()},
            condition_chance=Fraction(total, size),
            sample=self.drawn,
            kept=total,
        )


def begun_at(at: Position) -> State | None:
    """Return the state from which play continues, or None at the opening."""
    return None if at.state == opening(at.scenario) else at.state


def _conditions(at: Position, conditions: Iterable[NamedCondition | Happens]) -> Conditions:
    """Return the conditions on what follows a position, the dice already thrown first."""
    thrown = (_roll_under_way(at), Dice(*at.faces)) if at.faces else None
    return Conditions.of(at.scenario, conditions, thrown)


def _roll_under_way(at: Position) -> str:
    waits = at.table().waits_for
    if not isinstance(waits, Throw):
        raise InputError("Finish the throw first: its result is still open.")
    return waits.name


def moments_until(asked: AskedPosition, by: str | int | None) -> int:
    """Return the number of moments from the opening to ``by``, given as in ``odds``."""
    now = asked.at.moment
    return max(asked.usual, now + 1) if by is None else played_by(asked.at.scenario.clock, now, by)


def played_by(clock: Clock, now: int, by: str | int) -> int:
    """Return the number of moments from the opening to the end of a moment, such as "turn 4".

    A number is returned unchanged. Raise ``InputError`` for a moment that has passed or does not
    exist.
    """
    if isinstance(by, int) or str(by).isdecimal():
        refuse(outside("by", int(by), now + 1, now + LONGEST))
        return int(by)
    name = clock.name
    begun = [_begins(name(number), str(by)) for number in range(now, now + LONGEST + 1)]
    first = begun.index(True) if True in begun else len(begun)
    if False not in begun[first:]:
        raise InputError(
            f"{argument_name('by')}: there is no moment {by!r} from here on; the next are {name(now)}, {name(now + 1)}."
        )
    return now + begun.index(False, first)


def _begins(name: str, wanted_name: str) -> bool:
    rest = name.removeprefix(wanted_name) if name.startswith(wanted_name) else "0"
    return not rest[:1].isalnum()


@contextmanager
def _too_large(inquiry: Inquiry) -> Iterator[None]:
    try:
        with refusing("solved"), inquiry.asked.followed():
            yield
    except solving.TooLargeError as error:
        ways = (
            [f"ask up to an earlier time ({inquiry.sooner(error.moments)} is not too large)"]
            if error.moments
            else []
        )
        ways.append(f"draw a sample: {argument_name('sample')}={SIZE}")
        raise InputError(
            f"This is too large to be solved exactly: {error}. Instead {', or '.join(ways)}."
        ) from error
