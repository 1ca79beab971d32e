"""The check on relaxed setups: no orders in a game may achieve more than its relaxed setup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any
from zlib import crc32

from fireplan.solver import TooLargeError
from fireplan.solver.best import MEASURES, OpenDecisions, Process, values_of
from fireplan.solver.best.bounds import relaxed_bound
from fireplan_core import Areas, Ask, Order, ProcedureError
from fireplan_core.play import find_scenario
from fireplan_core.record import Read
from fireplan_kit.bench import Bench

GOALS = "hit", "falls", "strikes"
MOMENTS, DRAWN = 2, 2
"""The moments that are followed, and the number of policies drawn at random."""


def exceeding_orders(bench: Bench) -> Iterator[str]:
    """Yield a flaw for each goal of a scenario in which orders reach more than its bound.

    The bound is that of the relaxed setup (``Areas.relaxed``). The orders are the standard ones and
    some drawn at random.
    """
    if type(bench.scenario.parts.areas).relaxed is Areas.relaxed:
        return
    for name in bench.own_scenarios:
        scenario, _ = find_scenario(bench.catalogue, name)
        process = Process(scenario, MOMENTS, OpenDecisions(scenario.firer))
        goals = {goal: MEASURES[goal].goal_of(scenario, scenario.firer) for goal in GOALS}
        bounds = {name: relaxed_bound(process, goal) for name, goal in goals.items()}
        if all(bound is None for bound in bounds.values()):
            continue
        for seed in range(DRAWN + 1):
            with suppress(TooLargeError, ProcedureError):
                values = values_of(process, [*goals.values()], _drawn(seed) if seed else None)
                for (goal, bound), value in zip(bounds.items(), values, strict=True):
                    if bound is not None and value > bound:
                        yield (
                            f"{name}: orders reach {float(value):.3f} for {goal}, but {float(bound):.3f}"
                            " is the most in the setup that relaxed of the areas returns"
                        )
                        return


def _drawn(seed: int) -> Any:
    """Return a policy that draws each order by the seed, the question and the moment."""

    def choose(ask: Ask, read: Read, legal: Any) -> Iterable[Order]:
        number = crc32(f"{seed} {ask.question} {read('clock/moment', 0)}".encode())
        orders = sorted(legal(), key=repr)
        verbs = sorted({order.verb for order in orders})
        verb = verbs[number % len(verbs)]
        alike = [order for order in orders if order.verb == verb]
        return (alike[number // len(verbs) % len(alike)],)

    return choose
