"""Orders that are best in a relaxed process, translated back into orders of the whole process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import attrs

from fireplan.solver.best.goals import Goal, Harm
from fireplan.solver.best.induction import Solution, best
from fireplan.solver.best.joining import join
from fireplan.solver.best.joint_harm import joint_harm
from fireplan.solver.best.open_decisions import Legal
from fireplan.solver.best.policy import Policy
from fireplan.solver.best.process import Process
from fireplan.solver.states import Late, TooLargeError
from fireplan_core import Ask, Order, ProcedureError
from fireplan_core.areas import Translation
from fireplan_core.record import Read


@attrs.frozen(eq=False)
class TranslatedPolicy:
    """A chooser that gives the orders of a policy of the relaxed process in the whole process."""

    policy: Policy
    translation: Translation

    def __call__(self, ask: Ask, read: Read, legal: Legal) -> Iterator[Order]:
        """Yield the best orders of the situation that stands for this one."""
        translation = self.translation

        def read_there(key: str, default: Any) -> Any:
            return translation.value(key, read(key, default), read)

        for order in self.policy(translation.ask(ask, read), read_there, legal):
            yield translation.order(ask, order, read)


def translated_policy(relaxed: Process, goal: Goal) -> TranslatedPolicy | None:
    """Return the best orders of a relaxed process, as a chooser of the process that it relaxes.

    For harm, the orders are those that are best if harm is added up strike by strike. Return None
    without a translation, or if the mission reads the effects of strikes that do the harm. Raises
    ``TooLargeError`` if the relaxed process is too large.
    """
    if relaxed.translation is None:
        return None
    solved = relaxed.union(goal) if isinstance(goal, Harm) else (goal, relaxed.explored([goal]))
    if solved is None:
        return None
    counted, explored = solved
    solution = best(join(explored, [counted], relaxed.moments))
    return TranslatedPolicy(Policy(solution, everywhere=True), relaxed.translation)


def good_solutions(process: Process, goal: Goal, late: Late) -> Iterator[Solution]:
    """Yield the best orders of a process.

    For harm, yield first those that are best if harm is added up strike by strike, then those that
    are best for all places together. Solutions that are too large, or take until ``late()`` is
    true, are left out.
    """
    with suppress(TooLargeError, ProcedureError):
        if not isinstance(goal, Harm):
            yield best(join(process.explored([goal]), [goal], process.moments))
            return
        union = process.union(goal)
        if union is not None:
            yield best(join(union[1], [union[0]], process.moments))
        joint = joint_harm(process, goal, late)
        solution = None if joint is None else joint.solution(late)
        if solution is not None:
            yield solution
