"""A policy and a bound: what a policy is worth exactly, and what no policy can be worth more than.

The whole question is solved where it can be. Else harm is bounded strike by strike, and everything
by how often fire can fall; changes of the standard doctrine and orders at the target alone are
policies, followed by the real rules. Where both are worth the same, that is the optimum of the
whole question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from math import inf
from typing import Any

import attrs

from fireplan.solver import Estimate, TooLargeError
from fireplan.solver.best.goals import Each, Goal, Harm, Struck
from fireplan.solver.best.induction import Solution, best
from fireplan.solver.best.joining import join
from fireplan.solver.best.policy import Chooser, Follower, Legal, Policy, reached, worth
from fireplan.solver.best.process import Explored, Process
from fireplan.solver.sampling import walk
from fireplan_core import Ask, Event, Order, ProcedureError, Step
from fireplan_core.chance import RandomFaces
from fireplan_core.play import opening
from fireplan_core.play.scenario import Read

TRIED_STATES, TRIED_RUNS = 120_000, 5_000
"""States and rule runs of each attempt, where no time was said."""
TIMED_STATES, TIMED_RUNS = 1_000_000, 1_000_000
"""The same where a time was said."""
MOST_ATTEMPTS = 2
FIRST_SHARE, SHARE, SEARCHED = 0.5, 0.5, 0.6
"""Of the time left for the attempt at the whole, for each of the others, and for all where no value is known."""


@attrs.frozen
class Attempt:
    """Say what was tried: whether orders named the target alone, and why it failed if it did."""

    aimed: bool
    why: str = ""


@attrs.frozen(eq=False)
class Bounded:
    """The best policy found and the least bound, for the first goal; losses are negative.

    ``policy`` is None for the standard doctrine, or a ``change`` of it. ``value`` and ``standard`` are None where the
    odds cannot follow even the standard doctrine: then ``trial`` has sampled figures. ``bound`` is None where there is
    none; ``process`` is what was solved for it.
    """

    goal: Goal
    standard: Fraction | None
    value: Fraction | None
    bound: Fraction | None
    policy: Policy | None = None
    change: Change | None = None
    """What betters the standard doctrine, where no policy that was solved for does as well."""
    process: Process | None = None
    attempts: tuple[Attempt, ...] = ()
    stopped: bool = False
    trial: Trial | None = None
    tried: tuple[Policy, ...] = ()
    """Policies that are too large to be followed."""

    def __attrs_post_init__(self) -> None:
        if self.value is not None and self.bound is not None and self.value > self.bound:
            limited = isinstance(self.goal, Each | Struck)
            why = "fire falls more often, or strikes harder, than fire_limit of the areas allows"
            raise ProcedureError(
                f"a policy is worth {float(self.value):g} and no policy can be worth more than {float(self.bound):g}: "
                f"{why if limited else 'a fault of fireplan'}"
            )

    @property
    def gap(self) -> Fraction | None:
        """Return how far the value can be from the best at most."""
        return None if self.value is None or self.bound is None else self.bound - self.value

    def after(self, attempt: Attempt) -> Bounded:
        """Return it with one more attempt."""
        return attrs.evolve(self, attempts=(*self.attempts, attempt))


def _attempt(whole: Process, left: Callable[[], float], **changed: Any) -> Process:
    """Return a process with something changed, and with what it may cost."""
    if left() == inf:
        return whole.varied(max_nodes=TRIED_STATES, max_runs=TRIED_RUNS, **changed)
    seconds = left() * (SHARE if changed else FIRST_SHARE)
    rest = left() - seconds
    return whole.varied(
        max_nodes=TIMED_STATES,
        max_runs=TIMED_RUNS,
        late=lambda: left() < rest,
        seconds=seconds,
        **changed,
    )


def bounded(
    whole: Process,
    goal: Goal,
    left: Callable[[], float] = lambda: inf,
    progress: Callable[[str], None] = lambda _what: None,
) -> Bounded:
    """Return the best policy and bound that are found in so many attempts, or in the seconds that are ``left()``.

    Ctrl-C ends the search with what was found till then. Raises ``ProcedureError`` for goals that
    have no meaning here.
    """
    found = Bounded(goal, None, None, goal.most(whole.moments))
    try:
        kept = left() * (1 - SEARCHED) if left() < inf else 0
        with suppress(TooLargeError):
            (usual,) = worth(whole, [goal], late=lambda: left() <= kept)
            found, kept = attrs.evolve(found, standard=usual, value=usual), 0
        progress("standard doctrine")
        for more in _found(whole, found, lambda: left() - kept):
            found = more
            progress(f"attempt {len(found.attempts)}")
    except KeyboardInterrupt:
        found = attrs.evolve(found, stopped=True)
    if found.value is not None:
        return found
    changes = [Change((asked,)) for asked in _verbs(whole)]
    return attrs.evolve(
        found, trial=trial(whole, goal, [] if found.stopped else [*found.tried, *changes], left)
    )


def _found(whole: Process, found: Bounded, left: Callable[[], float]) -> Iterator[Bounded]:
    """Yield what is found at the whole, by changes of the standard doctrine, and with orders at the target alone."""
    found = _quickly(whole, found, left)
    yield found
    if found.gap == 0:
        return
    try:
        process = _attempt(whole, left)
        parts = process.parts(found.goal)
        solved = _solved(whole, process, found, parts, left)
        if len(parts) > 1 and solved.gap != 0:
            yield solved
            with suppress(TooLargeError):
                process = _attempt(whole, left)
                solved = _solved(
                    whole, process, solved, process.parts(found.goal, together=True), left
                )
    except (TooLargeError, ProcedureError) as error:
        if found.goal.strikes and isinstance(error, ProcedureError):
            raise
        # Where something can be done again and again, a moment never ends.
        found = found.after(Attempt(aimed=False, why=str(error)))
        followed = error.moments if isinstance(error, TooLargeError) else 0
    else:
        yield solved.after(Attempt(aimed=False))
        return
    yield found
    if 0 < followed < whole.moments and found.goal.most(1) is not None:
        found = _begun(whole, found, followed, left)
        yield found
    found = _changed(whole, found, left)  # now all questions are known
    yield found
    if found.gap != 0 and left() > 0:
        yield _aimed(whole, found, left)


def _begun(whole: Process, found: Bounded, moments: int, left: Callable[[], float]) -> Bounded:
    """Return what is found where so many moments and then more are followed, and what comes later counts most."""
    with suppress(TooLargeError, ProcedureError):
        for after in range(whole.moments - moments, 0, -1):
            process = _attempt(whole, left, after=after)
            begun = _solved(whole, process, found, process.parts(found.goal), left)
            found = attrs.evolve(begun, process=found.process)
    return found


def _aimed(whole: Process, found: Bounded, left: Callable[[], float]) -> Bounded:
    """Return what is found with orders at the target alone: policies, and no bound."""
    aimed = attrs.evolve(whole.open_decisions, aimed=frozenset(whole.scenario.questions))
    try:
        process = _attempt(whole, left, open_decisions=aimed)
        for part, explored in process.parts(found.goal):
            found = _followed(whole, found, best(join(explored, [part], process.moments)), left)
    except (TooLargeError, ProcedureError) as error:
        return found.after(Attempt(aimed=True, why=str(error)))
    return found.after(Attempt(aimed=True))


def _quickly(whole: Process, found: Bounded, left: Callable[[], float]) -> Bounded:
    """Return what needs no more than the standard doctrine, or the states of the mission alone."""
    if found.bound == 0:
        found = _changed(whole, found, left)  # whoever never asks for fire may lose nothing
    if found.gap != 0 and isinstance(found.goal, Harm):
        with suppress(TooLargeError, ProcedureError):
            process = _attempt(whole, left)
            if union := process.union(found.goal):
                return _solved(whole, process, found, [union], left)
    return found


def _verbs(whole: Process) -> list[tuple[str, str]]:
    return [
        (question, verb) for question, verbs in whole.compiler.offered.items() for verb in verbs
    ]


def _changed(whole: Process, found: Bounded, left: Callable[[], float]) -> Bounded:
    """Return what changes of the standard doctrine better, each kept if it does."""
    kept: dict[str, str] = {}
    for question, verb in _verbs(whole):
        if found.value is None or found.gap == 0 or left() <= 0:
            break
        change = Change(tuple((kept | {question: verb}).items()))
        with suppress(TooLargeError, ProcedureError):
            (value,) = worth(whole, [found.goal], change, lambda: left() <= 0)
            if value > found.value:
                kept[question] = verb
                found = attrs.evolve(found, value=value, policy=None, change=change)
    return found


def _solved(
    whole: Process,
    process: Process,
    found: Bounded,
    parts: Sequence[tuple[Goal, Explored]],
    left: Callable[[], float],
) -> Bounded:
    """Return what is found where parts are solved: the sum of their optima as a bound, their best orders tried.

    Of parts for which there is no time left, each counts in the bound as much as it can be worth at
    all.
    """
    bound = Fraction(0)
    for part, explored in parts:
        if left() <= 0 and len(parts) > 1 and (most := part.most(whole.moments)) is not None:
            bound += most
            continue
        solution = best(join(explored, [part], process.moments))
        bound += solution.values[0]
        found = _followed(whole, found, solution, left)
    return attrs.evolve(
        found, bound=bound if found.bound is None else min(bound, found.bound), process=process
    )


def _followed(
    whole: Process, found: Bounded, solution: Solution, left: Callable[[], float]
) -> Bounded:
    """Return what is found where the best orders of a solution are tried for the whole."""
    policy = Policy(solution)
    try:
        (value,) = reached(whole, [found.goal], solution, policy, lambda: left() <= 0)
    except TooLargeError:
        return attrs.evolve(found, tried=(*found.tried, policy))
    if (
        found.value is None or value >= found.value
    ):  # a policy tells the orders of what is worth as much
        return attrs.evolve(found, value=value, policy=policy, change=None)
    return found


# --- policies and single changes sampled, where the odds are too large to follow them -------------
SCREENED, CONFIRMED = 200, 1000
"""Trajectories for each change that is tried, and fresh ones for the best of them, at most."""
FEWEST, FEWEST_TIMED = 20, 2
"""Trajectories in any case, and where a time was said.

More end with the time, or with ``TRIED_RUNS`` rule runs.
"""
SEED = 1


@attrs.frozen
class Change:
    """A verb to each of some questions whenever it may be ordered.

    All else by the standard doctrine.
    """

    verbs: tuple[tuple[str, str], ...]

    def __call__(self, ask: Ask, read: Read, legal: Legal) -> Iterator[Order]:  # noqa: ARG002 - whatever is read
        """Yield the orders with that verb."""
        verb = dict(self.verbs).get(ask.question)
        yield from (order for order in (legal() if verb else ()) if order.verb == verb)

    def __str__(self) -> str:
        """In words."""
        return "; ".join(
            f"{question} always {verb.replace('_', ' ')}" for question, verb in self.verbs
        )


@attrs.frozen
class Trial:
    """What the standard doctrine earns on fresh seeds (losses negative), and the best of what was tried on the same.

    ``best`` is None where nothing did better.
    """

    standard: Estimate
    best: Chooser | None
    value: Estimate
    gain: Estimate
    trajectories: int


def trial(
    process: Process,
    goal: Goal,
    choosers: Sequence[Chooser],
    left: Callable[[], float] = lambda: inf,
) -> Trial:
    """Play all of them on ``SCREENED`` trajectories, and the best of them on ``CONFIRMED`` fresh ones, or till later.

    The seeds are those of the standard doctrine; fresh ones, because the best of several samples
    flatters itself.
    """
    half = left() / 2
    base, tried = _paired(process, goal, choosers, range(SCREENED), 0, lambda: left() - half)
    gained = [sum(values, Fraction(0)) - sum(base) for _, values in tried]
    better = [tried[gained.index(max(gained))][0]] if gained and max(gained) > 0 else []
    fewest = FEWEST if half == inf else FEWEST_TIMED
    base, tried = _paired(
        process, goal, better, range(SCREENED, SCREENED + CONFIRMED), fewest, left
    )
    best, values = tried[0] if tried else (None, base)
    gains = [after - before for before, after in zip(base, values, strict=True)]
    return Trial(Estimate.of(base), best, Estimate.of(values), Estimate.of(gains), len(base))


def _paired(
    process: Process,
    goal: Goal,
    choosers: Sequence[Chooser],
    numbers: range,
    fewest: int,
    left: Callable[[], float],
) -> tuple[list[Fraction], list[tuple[Chooser, list[Fraction]]]]:
    """Return what the standard doctrine and all that can be played throughout earn on the same trajectories.

    After the fewest no more are walked when the time is over or, without one, after ``TRIED_RUNS``
    rule runs.
    """
    usual, base = Follower(process), list[Fraction]()
    others = [(Follower(process, chooser), chooser, list[Fraction]()) for chooser in choosers]
    for number in numbers:
        met = usual.runs + sum(one.runs for one, _, _ in others)
        if len(base) >= fewest and (met > TRIED_RUNS if left() == inf else left() <= 0):
            break
        base.append(_walked(process, usual, goal, number))
        for each in list(others):
            follower, _, values = each
            if len(base) > fewest and left() <= 0:
                break
            follower.take(usual)
            try:
                values.append(_walked(process, follower, goal, number))
            except (ProcedureError, TooLargeError):
                others.remove(each)  # what cannot be played throughout
    whole = min((len(values) for _, _, values in others), default=len(base))
    return base[:whole], [(chooser, values[:whole]) for _, chooser, values in others]


def _walked(process: Process, follower: Follower, goal: Goal, number: int) -> Fraction:
    """Return what a trajectory earns; losses are negative."""
    begun = opening(process.scenario) if process.state is None else process.state
    last = process.opening + process.moments
    state, earned, now = goal.initial, Fraction(0), process.opening
    fallen: dict[str, list[int]] = {}
    for moment, pending, outcome in walk(
        follower.rows, begun, last, RandomFaces(f"{SEED}/{number}")
    ):
        while now < moment:
            now, state = now + 1, goal.later(state)
        letters: list[Event | Step] = [event for event in outcome.events if event.kind == goal.kind]
        for event in outcome.events:
            if event.kind == "fall":
                falls = fallen.setdefault(event["mission"], [])
                falls.append(moment)
                process.scenario.parts.hold_to_limit(process.scenario, event["mission"], falls)
        if goal.strikes and not pending.scope:
            # What a strike pushes in its turn belongs to it.
            letters += [step for step in outcome.pushes if step.scope and isinstance(step, Step)]
        for letter in letters:
            state, (once, later) = goal.see(state, letter)
            earned += once + later * (last - moment - 1)
    return -earned if goal.least else earned
