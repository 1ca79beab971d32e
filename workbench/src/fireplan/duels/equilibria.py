"""Equilibria of duels: a linear program, or CFR+ where it is too large.

Both are judged in fractions.

What a library answers in floating point is rounded to plans in fractions, and what these are sure
to bring is computed exactly: the bounds hold whatever the library did.
"""

from fractions import Fraction
from typing import Any

import attrs

from fireplan.duels.sequences import Mixtures, SequenceForm
from fireplan_core import ProcedureError

MOST_PROGRAM = 12_000
"""Sequences of both players together for which the linear program is tried: beyond, it takes minutes."""
DENOMINATORS = (12, 60, 1_000)
"""The largest denominators of a chance in a plan, tried in this order.

Then chances are parts of ``GRID``.
"""
GRID = 2**40
SWEEPS, WORK = 4_000, 300_000_000
"""Sweeps of CFR+ at most, and pairs of sequences that it looks at, about half a minute's."""


@attrs.frozen
class Equilibrium:
    """Plans of both players in fractions: ``low`` is what the first is sure of, ``high`` what the second concedes."""

    mixtures: tuple[Mixtures, Mixtures]
    low: Fraction
    high: Fraction
    method: str

    @property
    def exploitability(self) -> Fraction:
        """Return what a player gains at most, on average of both, by leaving these plans.

        0 where they are best.
        """
        return (self.high - self.low) / 2


def equilibrium(form: SequenceForm) -> Equilibrium:
    """Return the best plans of both players, and exact bounds of what they are sure to bring."""
    if sum(form.sizes) > MOST_PROGRAM:
        return cfr_plus(form)
    plans, found = _program(form), list[Equilibrium]()
    for most in (*DENOMINATORS, None):
        found.append(_judged(form, plans, most, "linear program"))
        if not found[-1].exploitability:
            break
    return min(found, key=lambda one: one.exploitability)


def _program(form: SequenceForm) -> tuple[Any, Any]:
    """Return the plans of both players by HiGHS: the first's are its columns, the second's its shadow prices.

    The most of u0, where u0 is what the first player is sure of: for each sequence of the second,
    what its situation is worth to the second, less what the situations after it are, is at most
    what the first's plan leaves there.
    """
    import highspy

    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    # Much faster here than the simplex method, and it ends on a vertex too.
    for option, value in (("solver", "ipm"), ("primal_feasibility_tolerance", 1e-9)):
        solver.setOptionValue(option, value)
    own = [solver.addVariable() for _ in range(form.sizes[0])]
    worth = [solver.addVariable(lb=-highspy.kHighsInf) for _ in range(1 + len(form.situations[1]))]
    left: list[list[Any]] = [[] for _ in range(form.sizes[1])]
    for (mine, theirs), earned in form.earned.items():
        left[theirs].append(-float(earned) * own[mine])
    left[0].append(worth[0])
    for value, at in zip(worth[1:], form.situations[1], strict=True):
        left[at.parent].append(-value)
        for sequence in at.sequences:
            left[sequence].append(value)
    binding = [solver.addConstr(solver.qsum(terms) <= 0) for terms in left]
    solver.addConstr(own[0] == 1)
    for at in form.situations[0]:
        solver.addConstr(solver.qsum(own[number] for number in at.sequences) == own[at.parent])
    solver.maximize(worth[0])
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise ProcedureError(f"the linear program was not solved: {solver.getModelStatus()}")
    return solver.variableValues(own), [abs(dual) for dual in solver.constrDuals(binding)]


def _judged(
    form: SequenceForm, plans: tuple[Any, Any], most: int | None, method: str
) -> Equilibrium:
    """Return plans in fractions, near to those of floating point, and what they are sure of."""
    first, second = (_rounded(form, player, plans[player], most) for player in (0, 1))
    low, high = -form.reply(1, form.plan(0, first)), form.reply(0, form.plan(1, second))
    return Equilibrium((first, second), low, high, method)


def _rounded(form: SequenceForm, player: int, plan: Any, most: int | None) -> Mixtures:
    """Return the chances of the orders, with denominators up to ``most`` or ``GRID``.

    The likeliest takes the rest.
    """
    mixtures = []
    for at in form.situations[player]:
        shares = [max(float(plan[number]), 0.0) for number in at.sequences]
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
    """A player of CFR+: the regret of every order, the plan now, and the sum of all plans so far."""

    def __init__(self, form: SequenceForm, player: int) -> None:
        import numpy as np

        self.np, self.size, situations = np, form.sizes[player], form.situations[player]
        self.of = np.zeros(self.size, dtype=np.int64)
        depth = np.zeros(len(situations), dtype=np.int64)
        for number, at in enumerate(situations):
            self.of[at.sequences.start : at.sequences.stop] = number
            depth[number] = depth[self.of[at.parent]] + 1 if at.parent else 0
        self.parent = np.array([at.parent for at in situations], dtype=np.int64)
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
        """Set the chance of each order in its situation, and the plan that follows."""
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
        """Take the other's plan in: regrets, never below 0, then the plan that follows.

        Later ones count for more.
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

    For duels that no linear program holds.
    """
    players = _Learner(form, 0), _Learner(form, 1)
    for sweep in range(1, min(SWEEPS, WORK // (len(form.earned) + 1)) + 1):
        for player, other in (players, players[::-1]):
            player.learn(other.plan, sweep)
    return _judged(form, (players[0].sum, players[1].sum), None, "CFR+")
