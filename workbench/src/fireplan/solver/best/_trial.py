"""Trials: policies and single changes of the standard doctrine, sampled, where the odds are too large to follow them.

Each is played on the same seeds as the standard doctrine, and the one that did best on fresh seeds, because the best of
several samples flatters itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import attrs

from fireplan.solver import Estimate, TooLargeError
from fireplan.solver._sample import walk
from fireplan.solver.best._goals import Goal
from fireplan.solver.best._policy import Chooser, Follower, Legal
from fireplan.solver.best._process import Process
from fireplan_core import Ask, Event, Order, ProcedureError, Step
from fireplan_core.chance import RandomFaces
from fireplan_core.play import opening
from fireplan_core.play.scenario import Read

SCREENED, CONFIRMED = 200, 1000
"""Trajectories for each change that is tried, and fresh ones for the best of them."""
SEED = 1


@attrs.frozen
class Change:
    """One verb to one question whenever it may be ordered; all else by the standard doctrine."""

    question: str
    verb: str

    def __call__(self, ask: Ask, read: Read, legal: Legal) -> Iterator[Order]:  # noqa: ARG002 - whatever is read
        """Yield the orders with that verb."""
        if ask.question == self.question:
            yield from (order for order in legal() if order.verb == self.verb)


@attrs.frozen
class Trial:
    """What the standard doctrine earns on fresh seeds (losses negative), and the best of what was tried on the same.

    ``best`` is None where nothing did better.
    """

    standard: Estimate
    best: Chooser | None
    value: Estimate
    gain: Estimate


def trial(process: Process, goal: Goal, choosers: Sequence[Chooser]) -> Trial:
    """Play all of them on ``SCREENED`` trajectories, and the best of them on ``CONFIRMED`` fresh ones."""
    usual = Follower(process)
    base = _walks(process, usual, goal, 0, SCREENED)
    best: Chooser | None = None
    most = Fraction(0)
    for chooser in choosers:
        try:
            values = _walks(process, Follower(process, chooser), goal, 0, SCREENED)
        except (ProcedureError, TooLargeError):
            continue  # what cannot be played throughout
        if (gained := sum(values, Fraction(0)) - sum(base)) > most:
            best, most = chooser, gained
    base = _walks(process, usual, goal, SCREENED, CONFIRMED)
    values = base if best is None else _walks(process, Follower(process, best), goal, SCREENED, CONFIRMED)
    gains = [after - before for before, after in zip(base, values, strict=True)]
    return Trial(Estimate.of(base), best, Estimate.of(values), Estimate.of(gains))


def _walks(process: Process, follower: Follower, goal: Goal, first: int, trajectories: int) -> list[Fraction]:
    """Return what each of these trajectories earns; losses are negative."""
    begun = opening(process.scenario) if process.state is None else process.state
    last = process.opening + process.moments
    found: list[Fraction] = []
    for number in range(first, first + trajectories):
        state, earned, now = goal.initial, Fraction(0), process.opening
        for moment, pending, outcome in walk(follower.rows, begun, last, RandomFaces(f"{SEED}/{number}")):
            while now < moment:
                now, state = now + 1, goal.later(state)
            letters: list[Event | Step] = [event for event in outcome.events if event.kind == goal.kind]
            if goal.strikes and not pending.scope:
                # What a strike pushes in its turn belongs to it.
                letters += [step for step in outcome.pushes if step.scope and isinstance(step, Step)]
            for letter in letters:
                state, (once, later) = goal.see(state, letter)
                earned += once + later * (last - moment - 1)
        found.append(-earned if goal.least else earned)
    return found
