"""Equilibria of duels, by a linear program or, if that would be too large, by CFR+.

Plans that a library returns in floating point are rounded to fractions, and their guarantees are
computed exactly, so the bounds hold whatever the library returns.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from threading import Lock
from typing import Any

import attrs

from fireplan.duels.sequences import Mixtures, SequenceForm
from fireplan_core import ProcedureError

MOST_PROGRAM = 12_000
"""Maximum number of sequences in the linear program; larger ones take minutes."""
DENOMINATORS = (12, 60, 1_000)
"""Largest denominators of a chance in a plan, tried in this order, then ``GRID``."""
GRID = 2**40
SWEEPS, WORK = 4_000, 300_000_000
"""Limits for CFR+: sweeps, and pairs of sequences visited (about half a minute)."""

_PRINTING = Lock()
"""Held while standard output is redirected, which concerns the whole process."""


@attrs.frozen
class Equilibrium:
    """The plans of both players in fractions, with exact bounds on the value.

    ``low`` is the value that the first player's plan guarantees, ``high`` the value to which the
    second player's plan limits it. ``method`` names the algorithm in words.
    """

    mixtures: tuple[Mixtures, Mixtures]
    low: Fraction
    high: Fraction
    method: str

    @property
    def exploitability(self) -> Fraction:
        """The most a player can gain by changing plan, averaged over both players; 0 if optimal."""
        return (self.high - self.low) / 2


def equilibrium(form: SequenceForm) -> Equilibrium:
    """Return the best plans found for both players, with exact bounds on the value."""
    if sum(form.sizes) > MOST_PROGRAM:
        return cfr_plus(form)
    plans, candidates = _program(form), list[Equilibrium]()
    for most in (*DENOMINATORS, None):
        candidates.append(_judged(form, plans, most, "linear program"))
        if not candidates[-1].exploitability:
            break
    return min(candidates, key=lambda candidate: candidate.exploitability)


def _program(form: SequenceForm) -> tuple[Any, Any]:
    """Solve the linear program with HiGHS and return the plans of both players.

    The first player's plan is the primal solution, the second player's the dual. The program
    maximises u0, the value guaranteed to the first player. For each sequence of the second player,
    the value of its situation, less the values of the situations that follow, is at most the payoff
    of that sequence against the first player's plan. Raises ``ProcedureError`` if HiGHS finds no
    optimum.
    """
    import highspy

    with _silenced():
        solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        solver.silent()
    # The interior point method is much faster here than the simplex method, and ends on a vertex.
    for option, value in (("solver", "ipm"), ("primal_feasibility_tolerance", 1e-9)):
        solver.setOptionValue(option, value)
    plan_variables = [solver.addVariable() for _ in range(form.sizes[0])]
    values = [solver.addVariable(lb=-highspy.kHighsInf) for _ in range(1 + len(form.situations[1]))]
    constraint_terms: list[list[Any]] = [[] for _ in range(form.sizes[1])]
    for (mine, theirs), earned in form.earned.items():
        constraint_terms[theirs].append(-float(earned) * plan_variables[mine])
    constraint_terms[0].append(values[0])
    for value, situation in zip(values[1:], form.situations[1], strict=True):
        constraint_terms[situation.parent].append(-value)
        for sequence in situation.sequences:
            constraint_terms[sequence].append(value)
    binding = [solver.addConstr(solver.qsum(terms) <= 0) for terms in constraint_terms]
    solver.addConstr(plan_variables[0] == 1)
    for situation in form.situations[0]:
        solver.addConstr(
            solver.qsum(plan_variables[number] for number in situation.sequences)
            == plan_variables[situation.parent]
        )
    solver.maximize(values[0])
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise ProcedureError(f"the linear program was not solved: {solver.getModelStatus()}")
    return solver.variableValues(plan_variables), [
        abs(dual) for dual in solver.constrDuals(binding)
    ]


@contextmanager
def _silenced() -> Iterator[None]:
    """Discard the output of a native library: HiGHS 1.16 begins with a banner."""
    with _PRINTING:
        sys.stdout.flush()
        printed = os.dup(1)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        try:
            yield
        finally:
            os.dup2(printed, 1)
            os.close(printed)
            os.close(nowhere)


def _judged(
    form: SequenceForm, plans: tuple[Any, Any], most: int | None, method: str
) -> Equilibrium:
    """Return the equilibrium of floating-point plans, rounded to fractions, with exact bounds.

    ``most`` limits the denominators (see ``_rounded``); ``method`` is the method to report.
    """
    first, second = (_rounded(form, player, plans[player], most) for player in (0, 1))
    low, high = -form.reply(1, form.plan(0, first)), form.reply(0, form.plan(1, second))
    return Equilibrium((first, second), low, high, method)


def _rounded(form: SequenceForm, player: int, plan: Any, most: int | None) -> Mixtures:
    """Return the probabilities of a player's orders in each situation, as fractions.

    ``plan`` is the plan in floats. The denominators are at most ``most`` or, if it is None,
    ``GRID``. The likeliest order takes the rounding error.
    """
    mixtures = []
    for situation in form.situations[player]:
        shares = [max(float(plan[number]), 0.0) for number in situation.sequences]
        total, likeliest = sum(shares), shares.index(max(shares))
        parts = [share / total if total else 0.0 for share in shares]
        mixture = [
            Fraction(p).limit_denominator(most) if most else Fraction(round(p * GRID), GRID)
            for p in parts
        ]
        mixture[likeliest] += 1 - sum(mixture)
        mixtures.append(
            mixture
            if mixture[likeliest] >= 0
            else [Fraction(n == likeliest) for n in range(len(shares))]
        )
    return mixtures


class _Learner:
    """A player of CFR+: the regret of each order, the present plan, and the sum of all plans."""

    def __init__(self, form: SequenceForm, player: int) -> None:
        import numpy as np

        self.np, self.size, situations = np, form.sizes[player], form.situations[player]
        self.of = np.zeros(self.size, dtype=np.int64)
        depth = np.zeros(len(situations), dtype=np.int64)
        for number, situation in enumerate(situations):
            self.of[situation.sequences.start : situation.sequences.stop] = number
            depth[number] = depth[self.of[situation.parent]] + 1 if situation.parent else 0
        self.parent = np.array([situation.parent for situation in situations], dtype=np.int64)
        levels = range(depth.max(initial=-1) + 1)
        self.levels = [
            (np.flatnonzero(depth[self.of[1:]] == n) + 1, np.flatnonzero(depth == n))
            for n in levels
        ]
        entries = np.array([*form.entries(player)], dtype=float).reshape(-1, 3)
        self.mine, self.other, self.earned = *entries[:, :2].astype(np.int64).T, entries[:, 2]
        self.regret, self.sum = np.zeros(self.size), np.zeros(self.size)
        self.mix()

    def mix(self) -> None:
        """Compute the probability of each order in its situation, and the resulting plan."""
        np = self.np
        total = np.bincount(self.of[1:], self.regret[1:], len(self.parent))[self.of[1:]]
        self.share, self.plan = np.ones(self.size), np.ones(self.size)
        even = 1.0 / np.bincount(self.of[1:])[self.of[1:]]
        self.share[1:] = np.where(
            total > 0, self.regret[1:] / np.where(total > 0, total, 1.0), even
        )
        for sequences, _ in self.levels:
            self.plan[sequences] = (
                self.plan[self.parent[self.of[sequences]]] * self.share[sequences]
            )

    def learn(self, plan: Any, sweep: int) -> None:
        """Update the regrets (never below 0) against the opponent's plan, then the present plan.

        Later sweeps have more weight in the sum of plans.
        """
        np = self.np
        gains = np.bincount(self.mine, self.earned * plan[self.other], self.size)
        for sequences, situations in reversed(self.levels):
            inside = self.of[sequences]
            value = np.bincount(inside, self.share[sequences] * gains[sequences], len(self.parent))
            self.regret[sequences] = np.maximum(
                self.regret[sequences] + gains[sequences] - value[inside], 0.0
            )
            gains += np.bincount(self.parent[situations], value[situations], self.size)
        self.mix()
        self.sum += sweep * self.plan


def cfr_plus(form: SequenceForm) -> Equilibrium:
    """Return plans by CFR+ (Tammelin, 2014), with exact bounds.

    This algorithm is used for duels that are too large for the linear program.
    """
    players = _Learner(form, 0), _Learner(form, 1)
    for sweep in range(1, min(SWEEPS, WORK // (len(form.earned) + 1)) + 1):
        for player, other in (players, players[::-1]):
            player.learn(other.plan, sweep)
    return _judged(form, (players[0].sum, players[1].sum), None, "CFR+")
