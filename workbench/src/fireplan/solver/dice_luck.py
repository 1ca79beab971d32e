"""The luck of a game: every roll compared with the exact odds of its outcomes, for one side.

A roll is valued by the harm that follows, if its outcomes differ in harm. Otherwise it is valued by
the chance that the side's own fire for effect will fall on the target.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import sqrt
from typing import Any

import attrs

from fireplan.solver.compile import Compiler
from fireplan.solver.measures import Ever
from fireplan.solver.state_values import StateGoal, StateValues
from fireplan.solver.states import TooLargeError
from fireplan_core import (
    Agenda,
    Ask,
    Event,
    ProcedureError,
    Refusal,
    Scenario,
    Severity,
    Step,
)
from fireplan_core.chance import Chance, deck_of
from fireplan_core.play import Input, State, StepOutcome, Table, Thrown, Values

MOST_STATES = 20_000
"""Maximum number of states that are followed to value the outcomes of all rolls."""
REACH_RUNS, REACH_AGAIN = 3_000, Fraction(1, 2)
"""Maximum number of rule runs for the chances after a roll.

A chance that was too large is tried again when less than this share of its moments is left.
"""
MOST_RUNS = 3_000
"""Maximum number of rule runs for the harm of one roll."""
MOST_ROLLS = 200
"""Maximum number of rolls that follow each other for the harm of one roll."""
HARM, REACH = "harm", "reach"


@attrs.frozen
class RollLuck:
    """One roll from the point of view of a side.

    ``measure`` is ``harm`` (severity done to others minus severity suffered; destroying a unit
    counts 1) or ``reach`` (the chance of fire on the target after the roll). It is empty if the
    outcomes are equal in both measures, or if the measures in which they differ cannot be solved.
    ``before`` is the exact expectation, ``after`` the value of the result, ``at_least`` the chance
    of a result at least as good, and ``variance`` the variance of the roll. ``deck`` is the deck of
    a draw.
    """

    moment: int
    name: str
    faces: tuple[str, ...]
    measure: str
    before: Fraction
    after: Fraction
    at_least: Fraction
    variance: Fraction
    deck: str = ""


@attrs.frozen
class GameLuck:
    """The rolls of a game from the point of view of one side.

    ``whole`` is false if the measure ``reach`` was solved without the effects of strikes on
    observers.
    """

    side: str
    rolls: tuple[RollLuck, ...]
    whole: bool = True

    def gained(self, measure: str) -> Fraction:
        """Return the amount by which the dice exceeded their expectation in a measure."""
        return sum(
            (roll.after - roll.before for roll in self.rolls if roll.measure == measure),
            Fraction(0),
        )

    def deviations(self, measure: str) -> float:
        """Return the gain in standard deviations of all rolls together, 0 if nothing could vary."""
        variance = sum(
            (roll.variance for roll in self.rolls if roll.measure == measure), Fraction(0)
        )
        return float(self.gained(measure)) / sqrt(variance) if variance else 0.0


def luck(
    scenario: Scenario,
    moments: int,
    inputs: Iterable[Input],
    side: str,
    valued: Callable[[], None] = lambda: None,
) -> GameLuck:
    """Return the luck of every roll of a game for a side; ``valued`` is called after each roll.

    Raises ``ProcedureError`` if an input does not fit the rules.
    """
    table = Table(scenario, moments)
    scales = _Valuation(scenario, moments, side)
    rolls: list[RollLuck] = []
    for entry in inputs:
        if isinstance(entry, Thrown):
            rolls.append(scales.weigh(table, entry))
            valued()
        answer = table.submit(entry)
        if isinstance(answer, Refusal):
            raise ProcedureError(f"{entry} is refused: {answer}")
    return GameLuck(side, tuple(rolls), scales.whole)


class _Valuation:
    """The value of each outcome of a roll for a side."""

    def __init__(self, scenario: Scenario, moments: int, side: str) -> None:
        self.scenario = scenario
        self.moments = moments
        self.side = side
        self.own = frozenset(
            name for name, setup in scenario.missions.items() if setup.side == side
        )
        on_target = StateGoal(Ever("fall", "on_target", (True,), self.own))
        self._compiler = Compiler(scenario)
        self._chances = StateValues(
            self._compiler, [on_target], moments, MOST_STATES, REACH_RUNS, again=REACH_AGAIN
        )
        self._harms: dict[tuple[Agenda, Values], tuple[Fraction, int]] = {}
        """The expected harm of the steps on an agenda, and the number of rule runs it took."""
        self._branches: dict[
            tuple[Step, tuple[tuple[str, Any], ...]], Sequence[tuple[int, int, StepOutcome, Chance]]
        ] = {}
        """The branches of each step, by the values that it reads."""
        self._runs = 0

    @property
    def whole(self) -> bool:
        """Return whether the chances include the effects of strikes wherever they matter."""
        return self._chances.whole

    def weigh(self, table: Table, throw: Thrown) -> RollLuck:
        """Return the luck of the throw that comes next at a table.

        Raises ``ProcedureError`` if the table is not waiting for a throw.
        """
        step, event = table.state.agenda[0], table.throw_due
        if not isinstance(step, Step) or event is None:
            raise ProcedureError(f"{throw.name!r} is not the next throw")
        book, read = table.rulebook, table.read
        shares: dict[StepOutcome, Fraction] = {}
        for weight, total, outcome, _ in book.branches(step, read):
            shares[outcome] = shares.get(outcome, Fraction(0)) + Fraction(weight, total)
        thrown = book.run(
            step, lambda modifiers: Chance(lambda e: e.read(throw.faces), modifiers), read
        )
        measure, values = self._values(table, list(shares))
        after = values.get(thrown, Fraction(0))
        before = sum(
            (share * values.get(outcome, 0) for outcome, share in shares.items()), Fraction(0)
        )
        return RollLuck(
            moment=table.state.moment,
            name=throw.name,
            faces=tuple(str(face) for face in throw.faces),
            measure=measure,
            before=before,
            after=after,
            at_least=sum(
                (s for outcome, s in shares.items() if values.get(outcome, 0) >= after), Fraction(0)
            ),
            variance=sum(
                (s * (values.get(o, 0) - before) ** 2 for o, s in shares.items()), Fraction(0)
            ),
            deck=deck_of(event),
        )

    def _values(
        self, table: Table, outcomes: Sequence[StepOutcome]
    ) -> tuple[str, dict[StepOutcome, Fraction]]:
        """Return the measure in which the outcomes differ, and the value of each outcome.

        Return "" and no values if they differ in no measure that can be solved.
        """
        for measure, value_of in ((HARM, self._harm_of_outcome), (REACH, self._reach)):
            try:
                values = {outcome: value_of(table, outcome) for outcome in outcomes}
            except TooLargeError:
                continue
            if len(set(values.values())) > 1:
                return measure, values
        return "", {}

    # --- harm ------------------------------------------------------------------------------------
    def _harm_of_outcome(self, table: Table, outcome: StepOutcome) -> Fraction:
        self._runs = 0
        values = table.state.values.put(outcome.updates)
        return self._harm_of_events(outcome.events) + self._harm_of_agenda(values, outcome.pushes)

    def _harm_of_agenda(self, values: Values, agenda: Agenda, rolls: int = 0) -> Fraction:
        """Return the expected harm of the steps on this agenda, after ``rolls`` other rolls.

        Harm worked out before is looked up, and counts the rule runs that it took. Raises
        ``TooLargeError`` beyond ``MOST_ROLLS`` rolls or ``MOST_RUNS`` rule runs.
        """
        if not agenda:
            return Fraction(0)
        known = self._harms.get((agenda, values))
        runs_before = self._runs
        if known is None:
            harm = self._expected_harm(values, agenda, rolls)
            self._harms[agenda, values] = harm, self._runs - runs_before
            return harm
        harm, runs = known
        self._count(runs)
        return harm

    def _count(self, runs: int) -> None:
        self._runs += runs
        if self._runs > MOST_RUNS:
            raise TooLargeError(f"more than {MOST_RUNS:,} runs of rules after one roll")

    def _expected_harm(self, values: Values, agenda: Agenda, rolls: int) -> Fraction:
        if rolls > MOST_ROLLS:
            raise TooLargeError(f"more than {MOST_ROLLS} rolls after one roll")
        book, harm = self._compiler.rulebook, Fraction(0)
        while agenda:
            self._count(1)
            top = agenda[0]
            if isinstance(top, Ask):
                order = book.answer(top, {}, values.get)
                values = values.put(book.noted(top, order, values.get))
                agenda = (book.after(top, order), *agenda[1:])
                continue
            branches = self._branches_of(top, values)
            if len(branches) == 1:
                outcome = branches[0][2]
                harm += self._harm_of_events(outcome.events)
                values, agenda = values.put(outcome.updates), (*outcome.pushes, *agenda[1:])
                continue
            once, again = Fraction(0), Fraction(0)
            for weight, total, out, _ in branches:
                share = Fraction(weight, total)
                once += share * self._harm_of_events(out.events)
                after = (*out.pushes, *agenda[1:]), values.put(out.updates)
                if after == (agenda, values):  # e.g. a tie, which is rolled again
                    again += share
                else:
                    once += share * self._harm_of_agenda(after[1], after[0], rolls + 1)
            if again == 1:
                raise TooLargeError("a roll may be repeated without end")
            return harm + once / (1 - again)
        return harm

    def _branches_of(
        self, top: Step, values: Values
    ) -> Sequence[tuple[int, int, StepOutcome, Chance]]:
        """Return (weight, total, outcome, chance) for each branch of a step.

        A step runs once for all states in which it reads the same values.
        """
        read, _ = self._compiler.situation(top, values.get)
        branches = self._branches.get((top, read))
        if branches is None:
            branches = self._compiler.rulebook.branches(top, values.get)
            self._branches[top, read] = branches
        return branches

    def _harm_of_events(self, events: Iterable[Event]) -> Fraction:
        """Return the harm done to others minus the harm suffered, over these events."""
        harm = Fraction(0)
        for event in events:
            if event.kind == "suffered":
                share = Fraction(int(event["severity"]), int(Severity.DESTROYED))
                harm += -share if self.scenario.owner(event["unit"]) == self.side else share
        return harm

    # --- reach -----------------------------------------------------------------------------------
    def _reach(self, table: Table, outcome: StepOutcome) -> Fraction:
        if not self.own:
            return Fraction(0)
        falls = (
            event
            for event in outcome.events
            if event.kind == "fall" and event["mission"] in self.own
        )
        if any(event["on_target"] for event in falls):
            return Fraction(1)
        state = State(
            table.state.values.put(outcome.updates), (*outcome.pushes, *table.state.agenda[1:])
        )
        (chance,) = self._chances(state)
        return chance
