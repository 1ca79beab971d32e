"""Upper bounds of goals from coarse models, the quickest models first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from fireplan.solver import TooLargeError
from fireplan.solver.best.coarse.harm import WorstHarm, explored_place
from fireplan.solver.best.coarse.model import CoarseModel
from fireplan.solver.best.goals import Each, Expected, FirstStrike, Goal, Harm, Once, Struck
from fireplan.solver.best.process import Process
from fireplan.solver.states import Late
from fireplan_core import ProcedureError, Step

MOST_UNITS = 12
"""Maximum number of units whose harm is followed together: each set of them is a state."""
FEW_RUNS, SOME_RUNS = 1, 500
"""Number of rule runs after which a step is given up, in the quickest model and in the next."""
MOST_ORDERS, MOST_EXACT = 12, 20_000
"""Number of orders after which a question is given up, and maximum number of states, in a model
that forgets no place."""


def coarse_bounds(process: Process, goal: Goal, late: Late | None) -> Iterator[Fraction]:
    """Yield values of the goal that no policy exceeds, from every model that is not too large.

    Models come in the order of their usual cost. Those that give up steps with many cases to try
    come before those that try every case. After the quickest comes a model that forgets no place,
    and gives up questions with many orders instead. Among the slower models, the goal itself comes
    before its first effect, whose bound takes as long and is seldom closer.
    """
    goals = _coarse_goals(process, goal)
    counted = [each for each in goals if not isinstance(each, Harm)]
    limits: list[tuple[Goal, dict[str, Any]]] = [
        *((each, {"most_runs": FEW_RUNS}) for each in counted),
        *((each, {"most_orders": MOST_ORDERS, "most_nodes": MOST_EXACT}) for each in counted),
    ]
    if isinstance(goal, Harm):
        limits += [(each, {"most_runs": SOME_RUNS}) for each in counted]
        limits += [(each, {}) for each in reversed(goals)]
    else:
        limits += product(reversed(goals), ({"most_runs": SOME_RUNS}, {}))
    solved: set[Goal] = set()
    for each, limit in limits:
        if each in solved:
            continue
        with suppress(TooLargeError, ProcedureError):
            if isinstance(each, Harm):
                yield _harm_bound(process, each, late)
                continue
            model = CoarseModel(process, each, late, **limit)
            yield model.bound()
            stopped_early = "most_nodes" in limit and not model.complete
            if not (model.gives_up or stopped_early):
                solved.add(each)


def _coarse_goals(process: Process, goal: Goal) -> tuple[Goal, ...]:
    """Return the goals for which coarse models bound this goal, none if losses are to be minimised.

    A goal that can count more than once is also bounded by its first effect: all that comes
    afterwards is at most what the goal allows in the moments left.
    """
    if isinstance(goal, Once):
        return (goal,)
    if goal.least:
        return ()
    first_effect = _first_effect(process, goal)
    return (goal,) if first_effect is None else (first_effect, goal)


def _first_effect(process: Process, goal: Goal) -> Goal | None:
    """Return a goal that pays, at the first effect, all that the goal can still earn from then on.

    Return None if nothing limits the goal, or if it has no first effect to watch for.
    """
    most = [goal.most(moments) for moments in range(1, process.moments + 1)]
    limits = [limit for limit in most if limit is not None]
    if len(limits) < len(most):
        return None
    steps = [after - before for before, after in pairwise(limits)]
    earned = limits[0], max(steps, default=Fraction(0))
    scenario = process.scenario
    if isinstance(goal, Each):
        return Once(goal.kind, goal.counts, earned)
    if isinstance(goal, Harm) and scenario.places_apart:
        units = [unit for unit, share in goal.shares.items() if share]
        scopes = frozenset(scenario.scope(scenario.units[unit].place) for unit in units)
        return FirstStrike(scopes, earned)
    if isinstance(goal, Harm):
        return FirstStrike(None, earned)
    if isinstance(goal, Struck):
        return Once("fall", lambda fall: _is_own(process, fall["mission"]), earned)
    return None


def _is_own(process: Process, mission: str) -> bool:
    return process.scenario.missions[mission].side == process.open_decisions.side


def _harm_bound(process: Process, goal: Harm, late: Late | None) -> Fraction:
    """Return a bound on harm: each strike does its worst to the units that are still unharmed.

    Raises ``ProcedureError`` if strikes at one place affect another, and ``TooLargeError`` if not
    every strike can be found.
    """
    if not process.scenario.places_apart:
        raise ProcedureError(
            "strikes at one place affect another, so harm cannot be bounded place by place"
        )
    strikes = CoarseModel(process, Expected(goal.shares, goal.severity, {}), late)
    strikes.bound()
    if not strikes.complete:
        raise TooLargeError("not every strike is known, so harm has no bound")
    places: dict[str, list[str]] = {}
    for unit, share in goal.shares.items():
        if share:
            scope = process.scenario.scope(process.scenario.units[unit].place)
            places.setdefault(scope, []).append(unit)
    struck: dict[str, Any] = {}
    for scope, units in places.items():
        letters = [strike for strike in strikes.strikes if strike.scope == scope]
        if letters:
            struck[scope] = (
                explored_place(process, goal, scope, letters, strikes.keys.written),
                units,
            )
    worst = WorstHarm(goal, struck)
    if sum(len(units) for _, units in struck.values()) > MOST_UNITS:
        values: Mapping[Step, Fraction] = worst.values()
        return CoarseModel(process, Expected(goal.shares, goal.severity, values), late).bound()
    return CoarseModel(process, goal, late, worst).bound()
