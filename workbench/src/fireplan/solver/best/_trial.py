"""Trials: single changes of the standard doctrine, sampled, for what is too large to be weighed exactly.

Each change is played on the same seeds as the standard doctrine, and the one that did best on fresh seeds, because the
best of several samples flatters itself. This finds an improvement or none; it is no optimum, and nothing is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import sqrt
from statistics import fmean, variance
from typing import Any

import attrs

from fireplan.solver import Rows, TooLargeError
from fireplan.solver._sample import drawn
from fireplan.solver._states import CLOCK, MAX_STEPS
from fireplan.solver.best._goals import Goal
from fireplan.solver.best._open_decisions import OpenCompiler, OpenDecisions
from fireplan_core import Ask, Event, Pending, ProcedureError, Scenario, Step
from fireplan_core.chance import RandomFaces
from fireplan_core.play import OPENING
from fireplan_core.play.rulebook import Read

SCREENED, CONFIRMED = 200, 1000
"""Trajectories for each change that is tried, and fresh ones for the best of them."""


@attrs.frozen
class Estimate:
    """A mean over trajectories and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        """Make an estimate of what each trajectory came to."""
        return cls(fmean(values), sqrt(variance(values) / len(values)))


@attrs.frozen
class Change:
    """One verb to one question whenever it may be ordered, and what it earns more than the standard doctrine."""

    question: str
    verb: str
    gain: Estimate


@attrs.frozen
class Trial:
    """Say what the standard doctrine earns, what each change gains that changes anything, and the best on fresh seeds.

    ``failed`` are changes that cannot be played, with the reason; ``best`` is None where none did better.
    """

    standard: Estimate
    changes: tuple[Change, ...]
    best: Change | None
    failed: tuple[tuple[str, str, str], ...]


class _Changed(OpenCompiler):
    """The standard doctrine but for one change; without one, it notes which verbs each question offers."""

    def __init__(
        self, scenario: Scenario, open_decisions: OpenDecisions, change: tuple[str, str] | None = None
    ) -> None:
        super().__init__(scenario, open_decisions)
        self.change = change

    def _outcomes(self, pending: Pending, read: Read) -> Rows:
        if not isinstance(pending, Ask) or pending.who != self.open_decisions.side:
            return super()._outcomes(pending, read)
        order = self._standard(pending, read)
        if self.change is None:
            for form in self.rulebook.forms(pending, read):
                self.offered.setdefault(pending.question, {})[form.verb] = None
        elif pending.question == self.change[0]:
            legal = self._legal(pending, read, order)
            order = next((found for found in legal if found.verb == self.change[1]), order)
        return self._answers(pending, {order: 1})


def trial(
    scenario: Scenario,
    moments: int,
    open_decisions: OpenDecisions,
    goal: Goal,
    seed: int,
    *,
    before: OpenCompiler | None = None,
    progress: Callable[[int, str], None] = lambda _total, _what: None,
) -> Trial:
    """Try every change on ``SCREENED`` trajectories, and the best of them on ``CONFIRMED`` fresh ones.

    Less of a goal of which less is better counts as gain. The rows of steps are taken over from ``before``.
    ``progress(total, what)`` is called as each part is done.
    """
    open_decisions = attrs.evolve(
        open_decisions, keep=frozenset(scenario.questions), aimed=frozenset(scenario.questions)
    )
    usual = _Changed(scenario, open_decisions)
    if before is not None:
        usual.take(before)
    base = _walks(usual, goal, moments, seed, 0, SCREENED)
    tried = [(question, verb) for question, verbs in usual.offered.items() for verb in verbs]
    total = len(tried) + 2
    progress(total, "standard doctrine")
    changes: list[Change] = []
    failed: list[tuple[str, str, str]] = []
    compilers: dict[tuple[str, str], _Changed] = {}
    for question, verb in tried:
        changed = compilers[question, verb] = _Changed(scenario, open_decisions, (question, verb))
        changed.take(usual)
        try:
            gains = _gains(base, _walks(changed, goal, moments, seed, 0, SCREENED))
        except (ProcedureError, TooLargeError) as error:
            failed.append((question, verb, str(error)))
        else:
            if any(gains):
                changes.append(Change(question, verb, Estimate.of(gains)))
        progress(total, f"{question} {verb}")
    changes.sort(key=lambda change: -change.gain.mean)
    base = _walks(usual, goal, moments, seed, SCREENED, CONFIRMED)
    best = None
    if changes and changes[0].gain.mean > 0:
        first = changes[0]
        changed = compilers[first.question, first.verb]
        gains = _gains(base, _walks(changed, goal, moments, seed, SCREENED, CONFIRMED))
        best = attrs.evolve(first, gain=Estimate.of(gains))
    progress(total, "fresh seeds")
    return Trial(Estimate.of([float(value) for value in base]), tuple(changes), best, tuple(failed))


def _gains(base: Sequence[Fraction], other: Sequence[Fraction]) -> list[float]:
    return [float(after - before) for before, after in zip(base, other, strict=True)]


def _walks(
    compiler: OpenCompiler, goal: Goal, moments: int, seed: int, first: int, trajectories: int
) -> list[Fraction]:
    """Return what each of these trajectories of a seed earns; losses are negative."""
    sign = -1 if goal.least else 1
    numbers = range(first, first + trajectories)
    return [sign * _walk(compiler, goal, moments, RandomFaces(f"{seed}/{number}")) for number in numbers]


def _walk(compiler: OpenCompiler, goal: Goal, moments: int, faces: RandomFaces) -> Fraction:
    values: dict[str, Any] = dict(compiler.scenario.initial)
    state: Any = goal.initial
    earned = Fraction(0)
    for moment in range(moments):
        agenda: list[Pending] = [OPENING]
        values[CLOCK] = moment
        steps = 0
        while agenda:
            steps += 1
            if steps > MAX_STEPS:
                last = agenda[-1]
                raise ProcedureError(f"the moment never ends: {last.question if isinstance(last, Ask) else last.name}")
            pending = agenda.pop()
            outcome = drawn(compiler.rows(pending, values.get), faces)
            values.update(outcome.updates)
            agenda.extend(reversed(outcome.pushes))
            letters: list[Event | Step] = [event for event in outcome.events if event.kind == goal.kind]
            if goal.strikes and not pending.scope:
                # What a strike pushes in its turn belongs to it.
                letters += [step for step in outcome.pushes if step.scope and isinstance(step, Step)]
            for letter in letters:
                state, (once, later) = goal.see(state, letter)
                earned += once + later * (moments - moment - 1)
        state = goal.later(state)
    return earned
