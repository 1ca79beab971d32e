"""Trials: policies and changes of the standard doctrine, compared by sampling.

They are sampled where they are too large to follow exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import inf

import attrs

from fireplan.solver import Estimate, TooLargeError
from fireplan.solver.best.goals import Goal
from fireplan.solver.best.open_decisions import Chooser, Legal
from fireplan.solver.best.policy import Follower
from fireplan.solver.best.process import Process
from fireplan.solver.sampling import walk
from fireplan_core import Ask, Event, Order, ProcedureError, Step
from fireplan_core.chance import RandomFaces
from fireplan_core.play import opening
from fireplan_core.record import Read

SCREENED, CONFIRMED = 200, 1000
"""Maximum number of trajectories for each change, and of fresh ones for the best change."""
FEWEST, FEWEST_TIMED = 20, 2
"""Minimum number of trajectories, without and with a time limit.

More are walked until the time is up, or until ``TRIED_RUNS`` rule runs.
"""
TRIED_RUNS = 5_000
"""Maximum number of rule runs of an attempt, or of a trial, without a time limit."""
SEED = 1


@attrs.frozen
class DoctrineChange:
    """The standard doctrine, except that some questions always get the same verb or order.

    ``verbs`` has a pair (question, verb or order) for each of these questions. Where the fixed
    answer is not legal, the doctrine decides.
    """

    verbs: tuple[tuple[str, str], ...]

    def __call__(self, ask: Ask, read: Read, legal: Legal) -> Iterator[Order]:  # noqa: ARG002 - a Chooser
        """Yield the legal orders that match the change's verb or order for this question."""
        verb = dict(self.verbs).get(ask.question)
        yield from (
            order for order in (legal() if verb else ()) if verb in (order.verb, str(order))
        )

    def answers(self, question: str) -> bool:
        """Return whether the change has a verb for this question."""
        return question in dict(self.verbs)

    def __str__(self) -> str:
        """Return the change in words: ``QUESTION always VERB``, separated by semicolons."""
        return "; ".join(
            f"{question} always {order_in_words(verb)}" for question, verb in self.verbs
        )


def order_in_words(order: str) -> str:
    """Return a verb, or an order that places a single item, in words.

    >>> order_in_words("place barrages=1 dummies=0"), order_in_words("call_by_telephone")
    ('place one at a time (barrages)', 'call by telephone')
    """
    verb, *slots = order.split()
    single = [slot.removesuffix("=1") for slot in slots if slot.endswith("=1")]
    words = f"{verb} one at a time ({', '.join(single)})" if single else verb
    return words.replace("_", " ")


@attrs.frozen
class PolicyTrial:
    """The sampled rewards of the standard doctrine and of the best alternative (losses negative).

    ``gain`` is the gain of the alternative over the standard doctrine, on the same fresh seeds, and
    ``trajectories`` the number of these. Without a better alternative, ``best`` is None and
    ``value`` is the standard doctrine's reward.
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
) -> PolicyTrial:
    """Compare choosers with the standard doctrine by sampling, and return the trial of the best.

    ``left()`` returns the seconds left. All choosers are played on ``SCREENED`` trajectories, and
    the best on ``CONFIRMED`` fresh ones, or on as many as time allows; the standard doctrine is
    played on the same trajectories. Fresh ones are needed because the best of several samples is
    biased upwards.
    """
    half = left() / 2
    followers = _Followers(process, keeps=half < inf)
    base, tried = _paired_rewards(
        process, goal, followers, choosers, range(SCREENED), 0, lambda: left() - half
    )
    gains_screened = [sum(values, Fraction(0)) - sum(base) for _, values in tried]
    finalists = (
        [tried[gains_screened.index(max(gains_screened))][0]]
        if gains_screened and max(gains_screened) > 0
        else []
    )
    fewest = FEWEST if half == inf else FEWEST_TIMED
    base, tried = _paired_rewards(
        process, goal, followers, finalists, range(SCREENED, SCREENED + CONFIRMED), fewest, left
    )
    best, values = tried[0] if tried else (None, base)
    gains = [after - before for before, after in zip(base, values, strict=True)]
    return PolicyTrial(Estimate.of(base), best, Estimate.of(values), Estimate.of(gains), len(base))


class _Followers:
    """The compilers that follow each chooser; with ``keeps``, their compiled steps are reused.

    Without a time limit nothing is reused, because the rule runs count as effort.
    """

    def __init__(self, process: Process, *, keeps: bool) -> None:
        self._process, self._keeps = process, keeps
        self._followers: dict[Chooser | None, Follower] = {}

    def of(self, chooser: Chooser | None = None) -> Follower:
        """Return the follower of a chooser's orders, or of the standard doctrine's by default."""
        follower = self._followers.get(chooser)
        if follower is None or not self._keeps:
            follower = self._followers[chooser] = Follower(self._process, chooser)
            usual = self._process.followed.get(None)
            if usual is not None and self._keeps:
                follower.take(usual.compiler, lambda _question: chooser is None)
        return follower


def _paired_rewards(
    process: Process,
    goal: Goal,
    followers: _Followers,
    choosers: Sequence[Chooser],
    numbers: range,
    fewest: int,
    left: Callable[[], float],
) -> tuple[list[Fraction], list[tuple[Chooser, list[Fraction]]]]:
    """Return the rewards of the standard doctrine, and (chooser, rewards) on the same trajectories.

    ``numbers`` are the trajectories' indices. Choosers whose orders fail on a trajectory are left
    out. After the ``fewest`` trajectories, sampling stops when the time is up or, without a time
    limit, after ``TRIED_RUNS`` rule runs.
    """
    standard, base = followers.of(), list[Fraction]()
    others = [(followers.of(chooser), chooser, list[Fraction]()) for chooser in choosers]
    for number in numbers:
        runs = standard.runs + sum(follower.runs for follower, _, _ in others)
        if len(base) >= fewest and (runs > TRIED_RUNS if left() == inf else left() <= 0):
            break
        base.append(_reward_of_walk(process, standard, goal, number))
        for entry in list(others):
            follower, _, values = entry
            if len(base) > fewest and left() <= 0:
                break
            follower.take(standard)
            try:
                values.append(_reward_of_walk(process, follower, goal, number))
            except (ProcedureError, TooLargeError):
                others.remove(entry)  # the orders of this entry fail on this trajectory
    whole = min((len(values) for _, _, values in others), default=len(base))
    return base[:whole], [(chooser, values[:whole]) for _, chooser, values in others]


def _reward_of_walk(process: Process, follower: Follower, goal: Goal, number: int) -> Fraction:
    """Return the reward of one trajectory, given by its index; losses are negative."""
    start = opening(process.scenario) if process.state is None else process.state
    last = process.opening + process.moments
    state, earned, current_moment = goal.initial, Fraction(0), process.opening
    falls_by_mission: dict[str, list[int]] = {}
    for moment, pending, outcome in walk(
        follower.rows, start, last, RandomFaces(f"{SEED}/{number}")
    ):
        while current_moment < moment:
            current_moment, state = current_moment + 1, goal.later(state)
        letters: list[Event | Step] = [event for event in outcome.events if event.kind == goal.kind]
        for event in outcome.events:
            if event.kind == "fall":
                falls = falls_by_mission.setdefault(event["mission"], [])
                falls.append(moment)
                process.scenario.parts.hold_to_limit(
                    process.scenario, event["mission"], falls, process.opening
                )
        if goal.strikes and not pending.scope:
            # Steps pushed by a strike count as part of the strike.
            letters += [step for step in outcome.pushes if step.scope and isinstance(step, Step)]
        for letter in letters:
            state, (once, later) = goal.see(state, letter)
            earned += once + later * (last - moment - 1)
    return -earned if goal.least else earned
