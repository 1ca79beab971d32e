"""Narrowing: which questions of a side can be weighed together where all of them are too many.

Questions are opened one after another as the game declares them; one with which there are too many states keeps its
standard answer. What is too many is counted, never timed. What is found is exact for the orders that are weighed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import attrs

from fireplan.solver import TooLargeError
from fireplan.solver.best._goals import Goal
from fireplan.solver.best._open_decisions import OpenDecisions
from fireplan.solver.best._process import Process
from fireplan_core import ProcedureError

TRIED_STATES, TRIED_RUNS = 60_000, 4_000
"""States and rule runs with each question that is opened."""


@attrs.frozen
class Unopened:
    """Say why a question keeps its standard answer, and for how many moments it could be weighed beside the others."""

    why: str
    moments: int


@attrs.frozen(eq=False)
class NarrowedProcess:
    """A smaller question of the same scenario, goals and moments.

    ``left`` are the questions that keep their standard answer; in those of the process's ``latitude.aimed`` not every
    place is weighed. Questions that are never asked are in neither.
    """

    process: Process
    left: Mapping[str, Unopened]

    @property
    def opened(self) -> tuple[str, ...]:
        """Return the questions that are weighed, in the order in which they were opened."""
        process = self.process
        asked = process.compiler.asked - process.open_decisions.keep
        return tuple(question for question in process.scenario.questions if question in asked)


def narrowed(
    whole: Process, goals: Sequence[Goal], progress: Callable[[str], None] = lambda _question: None
) -> NarrowedProcess:
    """Open as many questions of a process as can be weighed together; ``progress(question)`` tells which is next.

    Raises ``TooLargeError`` where what the standard doctrine does is too large on its own.
    """
    questions = list(whole.scenario.questions)
    found = _opened(whole, attrs.evolve(whole.open_decisions, keep=frozenset(questions)))
    found.explored(goals)
    left: dict[str, Unopened] = {}
    while question := next((name for name in questions if name in found.compiler.asked), None):
        questions.remove(question)
        progress(question)
        open_decisions = attrs.evolve(found.open_decisions, keep=found.open_decisions.keep - {question})
        process = _opened(found, open_decisions)
        failed = _too_large(process, goals)
        if failed is not None and question in process.compiler.places:
            process = _opened(found, attrs.evolve(open_decisions, aimed=open_decisions.aimed | {question}))
            failed = _too_large(process, goals)
        if failed is not None:
            left[question] = failed
        else:
            found = process
    return NarrowedProcess(found, left)


def _opened(before: Process, open_decisions: OpenDecisions) -> Process:
    return Process(
        before.scenario,
        before.moments,
        open_decisions,
        max_nodes=TRIED_STATES,
        max_runs=TRIED_RUNS,
        before=before.compiler,
    )


def _too_large(process: Process, goals: Sequence[Goal]) -> Unopened | None:
    """Return what is too large, or else cannot be decided in; None if nothing is."""
    try:
        process.explored(goals)
    except TooLargeError as error:
        return Unopened(str(error), error.moments)
    except ProcedureError as error:
        return Unopened(str(error), 0)
    return None
