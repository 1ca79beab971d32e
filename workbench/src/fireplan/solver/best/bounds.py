"""A policy and a bound: the exact value of a policy, and a value that no policy can exceed.

The whole decision process is solved if it is small enough. Otherwise harm is bounded strike by
strike, and other goals by the number of times that fire can fall. The policies tried are changes of
the standard doctrine and orders limited to the target; each is followed under the full rules. If
value and bound agree, the policy is optimal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import product, zip_longest
from math import inf
from typing import Any

import attrs

from fireplan.solver import TooLargeError
from fireplan.solver.best.alone import bound_alone
from fireplan.solver.best.coarse.bounds import coarse_bounds
from fireplan.solver.best.goals import Each, Goal, Harm, Once, Struck, at_any_place, unlimited
from fireplan.solver.best.induction import Solution, best
from fireplan.solver.best.joining import join
from fireplan.solver.best.joint_harm import joint_harm
from fireplan.solver.best.policy import Policy, policy_values, values_of
from fireplan.solver.best.process import Explored, Process
from fireplan.solver.best.strike_bounds import strike_goals
from fireplan.solver.best.translated import good_solutions, translated_policy
from fireplan.solver.best.trials import FEWEST, TRIED_RUNS, DoctrineChange, PolicyTrial, trial
from fireplan.solver.states import MAX_RUNS, Late
from fireplan_core import ProcedureError

TRIED_STATES = 120_000
"""Maximum number of states in each attempt without a time limit."""
TIMED_STATES, TIMED_RUNS = 1_000_000, 1_000_000
"""Maximum number of states and rule runs in each attempt with a time limit."""
SHARE, SEARCHED = 0.5, 0.6
"""Shares of remaining time: one attempt, and all work before a value is known."""
QUICK, FIRST_CHANGES, GLIMPSE, CHANGES, ONE_CHANGE, COARSE = 0.05, 0.2, 0.15, 0.25, 0.25, 0.9
"""Shares of time: the first bound, the first changes of the doctrine, a first look at the whole,
the other changes, one of them, and the coarse models."""
COARSE_ONCE = 0.85
"""Share of time: the coarse models of a goal that counts once, before questions are opened.

If the gap is small enough, the coarse models come after the questions."""
NEARLY_SOLVED, COARSE_AFTER = 0.6, 0.6
"""Shares of time: the whole process if a first look got far, and the coarse models after it."""
SAMPLED, NEAR = 0.15, 0.05
"""Sampling orders that are too large to follow exactly: the share of time, and the gap (as a share
of the value) that is near enough."""
ERRORS = 2
"""Number of standard errors by which orders must be better in a trial."""
SINGLES = 0.5
"""Share of time: sampling orders that place one item at a time, before the other changes."""
ROUNDING = Fraction(1, 10**4)
"""The gap, as a share of the value, that rounding the bound upwards may leave."""
STRIKES = 0.45
"""Share of time: bounds of harm on the chain of the mission."""
ALONE, RELAXED, EXPLORED = 0.4, 0.6, 0.9
"""Shares of time: exploring one of several missions alone, a process in which the side can do more,
and exploring that process."""
OPENED, ONE_OPENED = 0.6, 0.9
"""Shares of time: opening questions in turn, and opening one of them."""
FIRST_SECONDS, GLANCE_SECONDS = 3.0, 0.4
"""Time limits for the first changes and, at first, for each of them, in seconds."""
TRANSLATED, TRANSLATED_FOLLOWED = 0.5, 0.8
"""Shares of time: each step of solving for the best orders of a relaxed process, and following
them."""
FOLLOWED = 0.15
"""Share of time: following the orders of one solution by the rules.

Where the states of many units multiply, more time would only take more memory.
"""
PLACED, PLACED_FOLLOWED = 0.3, 0.9
"""Shares of time: solving when to place items without units, and following the orders found."""
FAR = 5
"""A first look is far from the end if it explores fewer than one in this many moments."""


@attrs.frozen
class Attempt:
    """An attempt to solve a process.

    ``aimed`` is true if orders were limited to the target; ``why`` is the reason why the attempt
    failed, empty if it succeeded.
    """

    aimed: bool
    why: str = ""


@attrs.frozen(eq=False)
class Bounded:
    """The best policy and the lowest bound found for a goal; losses are negative.

    ``policy`` is None if the standard doctrine, or a ``change`` of it, is the best. ``value`` is
    the exact value of the best, and ``standard`` that of the standard doctrine; both are None if
    even the standard doctrine is too large to follow exactly. ``trial`` has sampled figures in that
    case, and if orders too large to follow exactly are better than the best exact value. ``bound``
    is None if no bound is known; ``process`` is the process for which it was last computed.
    """

    goal: Goal
    standard: Fraction | None
    value: Fraction | None
    bound: Fraction | None
    policy: Policy | None = None
    change: DoctrineChange | None = None
    """A change of the standard doctrine that is better than every solved policy, or None."""
    process: Process | None = None
    attempts: tuple[Attempt, ...] = ()
    stopped: bool = False
    trial: PolicyTrial | None = None
    tried: tuple[Policy | DoctrineChange, ...] = ()
    """Policies and changes that were too large to follow exactly."""

    def __attrs_post_init__(self) -> None:
        if self.value is not None and self.bound is not None and self.value > self.bound:
            limited = isinstance(self.goal, Each | Struck)
            reason = "fire falls more often, or strikes harder, than fire_limit of the areas allows"
            raise ProcedureError(
                f"a policy has the value {float(self.value):g}, above the bound "
                f"{float(self.bound):g}: {reason if limited else 'a bug in fireplan'}"
            )

    @property
    def gap(self) -> Fraction | None:
        """Return the most by which the optimum can exceed the value, or None if unknown."""
        return None if self.value is None or self.bound is None else self.bound - self.value

    def without_beaten_trial(self) -> Bounded:
        """Return this result without its sampled trial, if there is one that cannot be better.

        It cannot be better than an exact value that is as high as its mean or equals the bound.
        """
        if self.trial is None or self.value is None:
            return self
        if self.value < self.trial.value.mean and self.gap != 0:
            return self
        return attrs.evolve(self, trial=None)

    def lowered(self, bound: Fraction | None, process: Process) -> Bounded:
        """Return this result with a bound computed for a process, if that is lower than its own.

        Otherwise, and if the bound is None, return this result itself.
        """
        if bound is None or (self.bound is not None and bound >= self.bound):
            return self
        return attrs.evolve(self, bound=bound, process=process)

    def after(self, attempt: Attempt) -> Bounded:
        """Return a copy of this result with one more attempt recorded."""
        return attrs.evolve(self, attempts=(*self.attempts, attempt))


@attrs.frozen(eq=False)
class Search:
    """A process to be searched, and the time for it; ``left`` returns the seconds left."""

    whole: Process
    left: Callable[[], float] = lambda: inf

    @property
    def timed(self) -> bool:
        """True if the search has a time limit."""
        return self.left() < inf

    @property
    def max_runs(self) -> int:
        """Return the maximum number of rule runs for following orders."""
        return TIMED_RUNS if self.timed else MAX_RUNS

    def limited(self, share: float = SHARE, **changed: Any) -> Process:
        """Return a variant of the process with limits on its exploration.

        With a time limit, it may take this ``share`` of the time left; without one, states and rule
        runs are limited. ``changed`` has new values of other attributes of the process.
        """
        if not self.timed:
            return self.whole.varied(max_nodes=TRIED_STATES, max_runs=TRIED_RUNS, **changed)
        return self.whole.varied(
            max_nodes=TIMED_STATES,
            max_runs=TIMED_RUNS,
            late=self.spent(share),
            seconds=self.left() * share,
            **changed,
        )

    def spent(self, share: float) -> Late:
        """Return a function that returns whether this share of the time left now is spent."""
        return self.late_after(self.left() * share)

    def late_after(self, seconds: float) -> Late:
        """Return a function that returns True once this many seconds of the search have passed."""
        rest = self.left() - seconds if self.timed else 0.0
        return lambda: self.left() < rest

    def part(self, share: float) -> Callable[[], float]:
        """Return a function that returns the seconds left of a share of the time left now."""
        rest = self.left() * (1 - share) if self.timed else 0.0
        return lambda: self.left() - rest


def bounded(
    whole: Process,
    goal: Goal,
    left: Callable[[], float] = lambda: inf,
    progress: Callable[[Bounded], None] = lambda _result: None,
) -> Bounded:
    """Return the best policy and the lowest bound found before time runs out.

    ``left()`` returns the seconds left (infinite by default), and ``progress`` is called with each
    new result. Ctrl-C ends the search with the result so far. Raises ``ProcedureError`` for a goal
    that has no meaning in this scenario.
    """
    if not whole.names_offered_places:
        goal = at_any_place(goal)
    result = Bounded(goal, None, None, whole.most_of(goal))
    try:
        reserve = left() * (1 - SEARCHED) if left() < inf else 0
        with suppress(TooLargeError):
            (standard,) = values_of(whole, [goal], late=lambda: left() <= reserve)
            result, reserve = attrs.evolve(result, standard=standard, value=standard), 0
        progress(result)
        for better in _results(Search(whole, lambda: left() - reserve), result):
            result = better.without_beaten_trial()
            progress(result)
    except KeyboardInterrupt:
        result = attrs.evolve(result, stopped=True)
    if result.value is not None:
        return result if result.trial is None else attrs.evolve(result, policy=None, change=None)
    singles = [DoctrineChange((pair,)) for pair in _singles(whole)]
    if singles and left() < inf and not result.stopped:
        sampled = trial(whole, goal, singles, Search(whole, left).part(SINGLES))
        if sampled.best is not None and sampled.gain.mean > ERRORS * sampled.gain.error:
            return attrs.evolve(result, trial=sampled)
    changes = [DoctrineChange((pair,)) for pair in _verbs(whole)]
    choosers = [] if result.stopped else list(dict.fromkeys((*result.tried, *changes)))
    return attrs.evolve(result, trial=trial(whole, goal, choosers, left))


def _results(search: Search, result: Bounded) -> Iterator[Bounded]:
    """Yield better results, stage by stage, until the gap is 0 or the whole process is solved.

    With a time limit, a quick bound, changed orders and a short look at the whole process come
    first, because they are useful soon and the whole may never be solved. If the look got far, the
    whole is solved next; if not, the coarse models come before it. Orders limited to the target
    come last.
    """
    stages = _Stages(search)
    for stage in (stages.begin, stages.look, stages.solve, stages.bound, stages.finish):
        for better in stage(result):
            result = better
            yield result
        if result.gap == 0 or stages.is_solved:
            return


class _Stages:
    """The stages of a search; each receives the best result so far and yields better ones."""

    def __init__(self, search: Search) -> None:
        self.is_solved = False
        """True if the whole process has been solved."""
        self._search = search
        self._tried: dict[DoctrineChange, float] = {}
        self._moments_explored = 0
        self._is_far = False
        """True if a first look explored only a small part of the moments (see ``FAR``)."""

    def begin(self, result: Bounded) -> Iterator[Bounded]:
        """Yield results of a quick bound, then of changed orders tried for a short time.

        Without a time limit, changed orders are tried only if the bound is 0, and no bound is
        computed.
        """
        if self._search.timed:
            for better in self._coarse(result, QUICK):
                result = better
                yield result
            seconds = min(self._search.left() * FIRST_CHANGES, FIRST_SECONDS)
            yield self._changes(
                result, seconds / self._search.left() if self._search.left() > 0 else 0
            )
        elif result.bound == 0:  # a side that never calls for fire may have no losses
            yield self._changes(result, CHANGES)

    def look(self, result: Bounded) -> Iterator[Bounded]:
        """Yield successive results of a first, short search.

        The process is solved exactly if a short exploration covers it; otherwise it is bounded,
        and changed orders are tried. Without a time limit, only the bound on harm is computed.
        """
        if not self._search.timed and isinstance(result.goal, Harm):
            result = _solve_union(self._search, result, STRIKES)
            yield result
        if not self._search.timed or result.gap == 0:
            return
        solved, explored = _solve_whole(self._search, result, GLIMPSE)
        self.is_solved = not solved.attempts[-1].why
        if self.is_solved:
            yield solved
            return
        result = _bound_relaxed(self._search, result)
        if not _is_near(result):
            result = _bound_alone(self._search, result)
        yield result
        result = _solve_translated(self._search, result)
        yield result
        if isinstance(result.goal, Harm):
            result = _solve_union(self._search, result, STRIKES)
            yield result
            self.is_solved = _is_as_good_as_solved(result)
            if self.is_solved:
                return
        result = _solve_without_units(self._search, result)
        yield result
        result = self._one_at_a_time(result)
        yield result
        self._is_far = explored * FAR < self._search.whole.moments
        if not self._is_far and result.gap != 0:
            result = self._solve(result, NEARLY_SOLVED)
            yield result
            if not result.attempts[-1].why:
                return
        result = _sample(self._search, result, self._tried)
        yield result
        yield from self._open(result)

    def _open(self, result: Bounded) -> Iterator[Bounded]:
        """Yield results of opening questions in turn, of changed orders, and of coarse models.

        Coarse models are left out if a relaxed process has already bounded the whole. They
        come first for a goal that counts once, whose model is small because it ends with the
        effect, unless a first look got far or the gap is small.
        """
        is_once = isinstance(result.goal, Once)
        is_bound = self._search.whole.relaxed(result.goal) is not None
        is_bound &= not is_once or _is_near(result)
        is_first = self._is_far and isinstance(result.goal, Once) and not _is_near(result)
        if is_first and not is_bound:
            for better in self._coarse(result, COARSE_ONCE):
                result = better
                yield result
        if self._is_far:
            result = _open_in_turn(self._search, result)
            yield result
        result = self._changes(result, CHANGES)  # by now more questions have come up
        yield result
        if not is_first and not is_bound:
            yield from self._coarse(result, COARSE if self._is_far else COARSE_AFTER)

    def solve(self, result: Bounded) -> Iterator[Bounded]:
        """Solve the whole process, if it is small enough, and yield the exact result.

        Otherwise the result gives the reason why it was too large, and ``is_solved`` stays False.
        Nothing is yielded if ``look`` has already tried this.
        """
        if self._is_far or not self._search.timed:
            yield self._solve(result, SHARE)

    def _solve(self, result: Bounded, share: float) -> Bounded:
        solved, self._moments_explored = _solve_whole(self._search, result, share)
        self.is_solved = not solved.attempts[-1].why
        return solved

    def bound(self, result: Bounded) -> Iterator[Bounded]:
        """Yield results for a process that is too large to solve, none with a higher bound."""
        if self._search.timed and isinstance(result.goal, Harm):
            result = _solve_union(self._search, result, SHARE)
            yield result
        if not self._is_far and self._search.timed:
            result = _open_in_turn(self._search, result)
            yield result
        if not self._search.timed:
            result = _bound_relaxed(self._search, _bound_alone(self._search, result))
            yield result
            yield from self._coarse(result)

    def finish(self, result: Bounded) -> Iterator[Bounded]:
        """Yield the results of the last searches.

        They explore the first moments only, try changed orders (without a time limit), and solve
        for orders limited to the target.
        """
        explored = self._moments_explored
        if 0 < explored < self._search.whole.moments and result.goal.most(1) is not None:
            result = _solve_first_moments(self._search, result, explored)
            yield result
        if not self._search.timed:
            result = self._changes(result, CHANGES)
            yield result
        if result.gap != 0 and self._search.left() > 0:
            result = _solve_aimed(self._search, result)
            yield result

    def _changes(self, result: Bounded, share: float) -> Bounded:
        return _try_changes(self._search, result, share, self._tried)

    def _one_at_a_time(self, result: Bounded) -> Bounded:
        """Return the result, improved where orders that place only one item at a time do better."""
        singles = _singles(self._search.whole)
        return _try_changes(self._search, result, ONE_OPENED, self._tried, singles, ONE_OPENED)

    def _coarse(self, result: Bounded, share: float = COARSE) -> Iterator[Bounded]:
        """Yield a result for each coarse model that lowers the bound."""
        late = self._search.spent(share) if self._search.timed else None
        for bound in (
            coarse_bounds(self._search.whole, result.goal, late) if result.gap != 0 else ()
        ):
            lowered = result.lowered(bound, result.process or self._search.whole)
            if lowered is not result:
                result = lowered
                yield result
            if result.gap == 0:
                break


def _solve_whole(search: Search, result: Bounded, share: float = SHARE) -> tuple[Bounded, int]:
    """Return the result of solving the whole process, and the moments explored.

    The number of moments is 0 unless the process was too large to solve.
    """
    try:
        process = search.limited(share)
        parts = process.parts(result.goal)
        solved = _solve_parts(search, process, result, parts)
        if len(parts) > 1 and solved.gap != 0:
            with suppress(TooLargeError):
                process = search.limited()
                solved = _solve_parts(
                    search, process, solved, process.parts(result.goal, together=True)
                )
    except (TooLargeError, ProcedureError) as error:
        # A ProcedureError means that an order can be repeated without end within a moment.
        explored = error.moments if isinstance(error, TooLargeError) else 0
        return result.after(Attempt(aimed=False, why=str(error))), explored
    return solved.after(Attempt(aimed=False)), 0


def _bound_alone(search: Search, result: Bounded) -> Bounded:
    """Return the result, its bound lowered to the sum of each mission's maximum if that is less."""
    with suppress(TooLargeError, ProcedureError):
        bound = bound_alone(
            search.whole, result.goal, lambda process: Search(process, search.left).limited(ALONE)
        )
        return result.lowered(bound, result.process or search.whole)
    return result


def _bound_relaxed(search: Search, result: Bounded) -> Bounded:
    """Return the result, its bound lowered to the bound of the relaxed process if that is less."""
    if result.gap == 0:
        return result
    bound = relaxed_bound(search.whole, result.goal, search.part(RELAXED))
    return result.lowered(bound, result.process or search.whole)


def relaxed_bound(
    whole: Process, goal: Goal, left: Callable[[], float] = lambda: inf
) -> Fraction | None:
    """Return the most that a side can reach in the relaxed process.

    None if there is no such process, or if nothing bounds it in the time left. More fire on a place
    might leave its units in a state in which later fire harms them less, so the side may also waive
    the effects of any strike.
    """
    relaxed = whole.relaxed(goal)
    if relaxed is None:
        return None
    process = relaxed if left() == inf else Search(relaxed, left).limited(EXPLORED)
    with suppress(TooLargeError, ProcedureError):
        if not isinstance(goal, Harm):
            return best(join(process.explored([goal]), [goal], process.moments)).values[0]
        joint = joint_harm(process, goal, lambda: left() <= 0, waives=True)
        return None if joint is None else joint.bound
    return (
        bounded(relaxed, goal, left).bound if left() < inf and not isinstance(goal, Harm) else None
    )


def _solve_translated(search: Search, result: Bounded) -> Bounded:
    """Return the result after solving for orders that are best in the relaxed process.

    In each situation they are weighed against the standard order. The bound is kept.
    """
    relaxed = search.whole.relaxed(result.goal)
    if relaxed is None or result.gap == 0 or not search.timed:
        return result
    try:
        process = Search(relaxed, search.left).limited(TRANSLATED)
        chooser = translated_policy(process, result.goal)
    except (TooLargeError, ProcedureError):
        return result
    if chooser is None:
        return result
    decisions = attrs.evolve(search.whole.open_decisions, proposed=(chooser,))
    process = search.limited(TRANSLATED, open_decisions=decisions)
    for solution in good_solutions(process, result.goal, process.late):
        result = _follow_solution(search, result, solution, TRANSLATED_FOLLOWED)
    return result


def _solve_without_units(search: Search, result: Bounded) -> Bounded:
    """Return the result after solving when to place items, with the side's missions alone.

    Without units the missions are small. Of equally good orders those are taken with which fire
    falls sooner; they are then followed in the whole process. The result is returned unchanged
    unless the goal counts falls and questions have such orders.
    """
    questions, goal = search.whole.compiler.single, result.goal
    if not isinstance(goal, Each) or goal.least:
        return result
    if not (questions and result.gap != 0 and search.whole.is_unrestricted):
        return result
    with suppress(TooLargeError, ProcedureError):
        process = Search(search.whole.without_units(questions), search.left).limited(PLACED)
        soon = attrs.evolve(goal, limit=unlimited, earned=(Fraction(0), Fraction(1)))
        goals = [goal, soon]
        solution = best(join(process.explored(goals), goals, process.moments))
        if result.value is None or solution.values[0] > result.value:
            policy = Policy(solution.without_ties(), few_keys=True)
            late = search.spent(PLACED_FOLLOWED)
            return _follow(
                result,
                policy,
                lambda: values_of(search.whole, [goal], policy, late, search.max_runs),
            )
    return result


def _solve_first_moments(search: Search, result: Bounded, moments: int) -> Bounded:
    """Return the result after exploring only the first moments, with a bound for the later ones.

    The number explored begins at ``moments`` and grows by one until the process is too large.
    """
    with suppress(TooLargeError, ProcedureError):
        for after in range(search.whole.moments - moments, 0, -1):
            process = search.limited(after=after)
            solved = _solve_parts(search, process, result, process.parts(result.goal))
            result = attrs.evolve(solved, process=result.process)
    return result


def _solve_aimed(search: Search, result: Bounded) -> Bounded:
    """Return the result after trying policies that aim only at the target; the bound is kept."""
    aimed = attrs.evolve(
        search.whole.open_decisions, aimed=frozenset(search.whole.scenario.questions)
    )
    try:
        process = search.limited(open_decisions=aimed)
        for part, explored in process.parts(result.goal):
            result = _follow_solution(search, result, best(join(explored, [part], process.moments)))
    except (TooLargeError, ProcedureError) as error:
        return result.after(Attempt(aimed=True, why=str(error)))
    return result.after(Attempt(aimed=True))


def _open_in_turn(search: Search, result: Bounded) -> Bounded:
    """Return the result after opening one question after another to orders at the target.

    Questions that the doctrine answers in several ways come first. A question stays open while the
    next one is opened if that gave better orders. All other questions keep their standard orders.
    The bound is kept.
    """
    answers = Counter(question for question, _ in search.whole.compiler.usual)
    questions = sorted(search.whole.compiler.offered, key=lambda question: -answers[question])
    everything = frozenset(search.whole.scenario.questions)
    opened: frozenset[str] = frozenset()
    out_of_time = search.spent(OPENED)
    for question in questions:
        if result.value is None or result.gap == 0 or search.left() <= 0 or out_of_time():
            break
        decisions = attrs.evolve(
            search.whole.open_decisions,
            keep=search.whole.open_decisions.keep | everything - opened - {question},
            aimed=everything,
        )
        before = result.value
        with suppress(TooLargeError, ProcedureError):
            process = search.limited(ONE_OPENED * OPENED, open_decisions=decisions)
            for part, explored in process.parts(result.goal, together=True):
                solution = best(join(explored, [part], process.moments))
                result = _follow_solution(search, result, solution)
        if result.value is not None and result.value > before:
            opened |= {question}
    return result


def _solve_union(search: Search, result: Bounded, share: float) -> Bounded:
    """Return the result after bounding harm strike by strike, and following the orders found.

    The result is returned unchanged if the goal is not harm.
    """
    goal = result.goal
    if not isinstance(goal, Harm):
        return result
    with suppress(TooLargeError, ProcedureError):
        process = search.limited(share)
        if union := process.union(goal):
            result = _solve_parts(search, process, result, [union])
            result, is_joint = _solve_jointly(search, process, result)
            if is_joint:
                return result
            seconds = 0.0
            for goals in strike_goals(process, goal):
                before = search.left()
                if result.gap == 0 or before <= seconds:
                    break  # the next goals would take longer than the time that is left
                parts = [(each, union[1]) for each in goals]
                result = _solve_parts(search, process, result, parts)
                seconds = before - search.left() if before < inf else 0.0
    return result


def _solve_jointly(search: Search, process: Process, result: Bounded) -> tuple[Bounded, bool]:
    """Return the result of solving all places struck together, and whether it gave a bound.

    Without a time limit it is not tried, because its bound is rounded upwards.
    """
    goal = result.goal
    if not search.timed or not isinstance(goal, Harm):
        return result, False
    try:
        joint = joint_harm(process, goal, lambda: search.left() <= 0)
    except TooLargeError:
        return result, False
    if joint is None:
        return result, False
    result = result.lowered(joint.bound, process)
    with suppress(TooLargeError):
        solution = joint.solution(lambda: search.left() <= 0)
        if solution is not None:
            result = _follow_solution(search, result, solution)
    return result, True


def _is_as_good_as_solved(result: Bounded) -> bool:
    """Return whether there is a gap, but one small enough to come from rounding the bound."""
    value = result.value or Fraction(0)
    return result.gap is not None and 0 < result.gap <= abs(value) * ROUNDING


def _is_near(result: Bounded) -> bool:
    """Return whether the gap is known and at most the share ``NEAR`` of the value."""
    if result.value is None or result.gap is None:
        return False
    return result.gap <= abs(result.value) * NEAR


def _verbs(whole: Process, *, least: bool = False) -> list[tuple[str, str]]:
    """Return pairs of an open question and a verb that it has offered.

    Every question's first verb comes before any second one. Then come orders that place one item
    at a time. Verbs that the standard doctrine gives come last, as they may change nothing. If
    losses are to be minimised (``least``), verbs without values, such as *pass*, come first, and
    the only verbs at the end are those that the standard doctrine always gives to a question.
    """
    by_question = (
        [(question, verb) for verb in verbs] for question, verbs in whole.compiler.offered.items()
    )
    pairs = [pair for pairs in zip_longest(*by_question) for pair in pairs if pair is not None]
    usual = whole.compiler.usual
    if not least:
        return sorted([*pairs, *_singles(whole)], key=usual.__contains__)
    answers = Counter(question for question, _ in usual)
    return sorted(
        [*pairs, *_singles(whole)],
        key=lambda pair: (
            pair in usual and answers[pair[0]] == 1,
            pair not in whole.compiler.plain,
        ),
    )


def _singles(whole: Process) -> list[tuple[str, str]]:
    """Return pairs of a question and the order that places a single item."""
    return [(question, str(order)) for question, order in whole.compiler.single.items()]


def _try_changes(
    search: Search,
    result: Bounded,
    share: float,
    tried: dict[DoctrineChange, float],
    pairs: Sequence[tuple[str, str]] | None = None,
    share_of_one: float = ONE_CHANGE,
) -> Bounded:
    """Return the result after trying changes of the standard doctrine verb by verb.

    ``pairs`` are the questions and verbs to try, all of them if it is None. ``share_of_one`` is the
    share of the time left that one change may take.

    ``tried`` maps each change to the seconds that it was allowed, or to ``inf`` if trying it again
    is useless. A change that ran out of time is tried again when there is more time; what was
    explored for it is kept. At first each change is given little time, unless losses are to be
    minimised: then the first verbs seldom lose anything.
    """
    verbs_kept = dict(result.change.verbs) if result.change else {}
    out_of_time, least = search.spent(share), result.goal.least
    pairs = _verbs(search.whole, least=least) if pairs is None else pairs
    for most, (question, verb) in product((inf,) if least else (GLANCE_SECONDS, inf), pairs):
        if result.value is None or result.gap == 0 or search.left() <= 0 or out_of_time():
            break
        change = DoctrineChange(tuple((verbs_kept | {question: verb}).items()))
        seconds = min(search.left() * share_of_one, most)
        if seconds <= tried.get(change, 0):
            continue
        late = search.late_after(seconds)
        tried[change] = inf
        try:
            (value,) = values_of(search.whole, [result.goal], change, late, search.max_runs)
        except TooLargeError:
            if late():
                tried[change] = seconds
            if change not in result.tried:
                result = attrs.evolve(result, tried=(*result.tried, change))
        except ProcedureError:
            continue
        else:
            too_large = tuple(each for each in result.tried if each != change)
            result = attrs.evolve(result, tried=too_large)
            if result.value is None or value > result.value:
                verbs_kept[question] = verb
                result = attrs.evolve(result, value=value, policy=None, change=change)
    return result


def _sample(
    search: Search,
    result: Bounded,
    tried: Mapping[DoctrineChange, float],
) -> Bounded:
    """Return the result with a sampled trial of the changes that could not be solved exactly.

    The trial is kept only if its best change beats the best policy so far by more than the sampling
    error. Orders that place one item at a time are sampled first, because they gain most if a side
    has many items. ``tried`` contains the changes tried so far.
    """
    singles = _singles(search.whole)
    policies = [each for each in result.tried if isinstance(each, Policy)]
    for pairs in (singles, [pair for pair in _verbs(search.whole) if pair not in singles]):
        changes = [DoctrineChange((pair,)) for pair in pairs]
        unknown: list[Policy | DoctrineChange] = [
            *(policies if pairs is singles else ()),
            *(each for each in changes if each in result.tried or each not in tried),
        ]
        if not unknown or result.value is None or result.gap is None or search.left() <= 0:
            continue
        if result.trial is not None or result.gap <= abs(result.value) * NEAR:
            break
        sampled = trial(search.whole, result.goal, unknown, search.part(SAMPLED))
        surely = sampled.value.mean - ERRORS * sampled.value.error
        enough = sampled.trajectories >= FEWEST and sampled.best is not None
        if enough and surely > float(result.value):
            result = attrs.evolve(result, trial=sampled)
    return result


def _solve_parts(
    search: Search,
    process: Process,
    result: Bounded,
    parts: Sequence[tuple[Goal, Explored]],
) -> Bounded:
    """Return the result after solving the parts, whose optima add up to a bound.

    The best orders of each part are followed too. A part for which no time is left counts in the
    bound with the maximum of its value. With a time limit and several parts, no more orders are
    followed once the value equals the bound, or once the orders of a part were too large to follow.
    """
    bound = Fraction(0)
    solutions: list[Solution] = []
    for part, explored in parts:
        if (
            search.left() <= 0
            and len(parts) > 1
            and (most := part.most(search.whole.moments)) is not None
        ):
            bound += most
            continue
        solutions.append(best(join(explored, [part], process.moments)))
        bound += solutions[-1].values[0]
    bound = bound if result.bound is None else min(bound, result.bound)
    too_large = len(result.tried)
    for solution in solutions:
        needless = result.value == bound or len(result.tried) > too_large
        if needless and search.timed and len(parts) > 1:
            break
        result = _follow_solution(search, result, solution)
    return attrs.evolve(result, bound=bound, process=process)


def _follow_solution(
    search: Search, result: Bounded, solution: Solution, share: float = FOLLOWED
) -> Bounded:
    """Return the result after following a solution's best orders in the whole process.

    With a time limit, this may take a ``share`` of the time left. Orders that are too large to
    follow are added to ``tried``.
    """
    policy, late = Policy(solution), search.spent(share)
    return _follow(
        result,
        policy,
        lambda: policy_values(search.whole, [result.goal], solution, policy, late, search.max_runs),
    )


def _follow(result: Bounded, policy: Policy, values: Callable[[], tuple[Fraction, ...]]) -> Bounded:
    """Return the result after following a policy, whose exact ``values()`` may be too large."""
    try:
        (value,) = values()
    except TooLargeError:
        return attrs.evolve(result, tried=(*result.tried, policy))
    # At equal value, prefer a policy, because it gives the orders.
    if result.value is None or value >= result.value:
        return attrs.evolve(result, value=value, policy=policy, change=None)
    return result
