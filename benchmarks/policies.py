"""Check that no random policy is worth more than the bound of its goal, from any kind of model.

``python benchmarks/policies.py [--trials 10000] [--first 0] [SCENARIO:MOMENTS ...]`` computes each
policy's exact values for all goals. A random policy draws an order for each question in each
moment, either for all questions or for one of them with standard orders otherwise. Each goal is
printed with its least bound, and with the best value found.
"""

from __future__ import annotations

import argparse
import random
import time
from fractions import Fraction

from fireplan.solver import TooLargeError
from fireplan.solver.best import MEASURES, OpenDecisions, Process, values_of
from fireplan.solver.best.bounds import relaxed_bound
from fireplan.solver.best.coarse.bounds import coarse_bounds
from fireplan_core import ProcedureError
from fireplan_core.play import Catalogue, find_scenario

CASES = (
    "asl/ridge:3",
    "asl/village:3",
    "red_poppies/battle_for_pinon:2",
    "red_poppies/bloody_repulse:3",
    "red_poppies/cut_wires:3",
    "red_poppies/fourteenth_corps:2",
)
GOALS = ("delivered", "on_target", "hit", "falls", "moments_under_fire", "minutes_to_first_effect",
         "strikes", "suppressed", "destroyed")  # fmt: skip


def policy(seed, bent=None):
    """Return a policy that draws each order from a seed, for all questions or only for ``bent``."""

    def choose(ask, read, legal):
        if bent is not None and ask.question != bent:
            return ()
        generator = random.Random(f"{seed} {ask.question} {read('clock/moment', 0)}")
        orders = sorted(legal(), key=repr)
        verbs = sorted({order.verb for order in orders})
        if not verbs:
            return ()
        verb = generator.choice(verbs)  # choose the verb first, because most orders share one verb
        return (generator.choice([order for order in orders if order.verb == verb]),)

    return choose


def bound_of(whole, goal, seconds=5):
    """Return the least bound of a goal: of a relaxed process, coarse models or limits on fire."""
    end = time.process_time() + seconds
    if whole.relaxed(goal) is not None:
        return relaxed_bound(whole, goal, lambda: end - time.process_time())
    coarse = coarse_bounds(whole, goal, lambda: time.process_time() > end)
    return min(
        (bound for bound in (whole.most_of(goal), *coarse) if bound is not None), default=None
    )


def tried(name, moments, trials, first=0, names=GOALS):
    """Return the bounds of the goals, the best value found for each, and the number of trials that
    could be followed.
    """
    scenario, _ = find_scenario(Catalogue.installed(), name)
    whole = Process(scenario, moments, OpenDecisions(scenario.firer))
    goals = [MEASURES[goal].goal_of(scenario, scenario.firer) for goal in names]
    bounds = [bound_of(whole, goal) for goal in goals]
    best = list(values_of(whole, goals))
    questions = sorted(whole.compiler.offered)
    followed = 0
    for seed in range(first, first + trials):
        bent = random.Random(seed).choice([None, *questions])
        try:
            values = values_of(whole, goals, policy(seed, bent))
        except (TooLargeError, ProcedureError):
            continue
        followed += 1
        best = list(map(max, best, values))
        for goal, value, bound in zip(names, values, bounds, strict=True):
            if bound is not None and value > bound:
                raise SystemExit(
                    f"{name}, {goal}: policy {seed} has {float(value)}, above the bound {float(bound)}"
                )
    return bounds, best, followed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    total = 0
    for case in given.cases:
        name, _, moments = case.partition(":")
        bounds, best, followed = tried(
            name, int(moments), given.trials // len(given.cases), given.first
        )
        total += followed
        shares = (
            f"{goal} {float(Fraction(value)):.4g}/{float(bound):.4g}"
            for goal, value, bound in zip(GOALS, best, bounds, strict=True)
            if bound is not None
        )
        print(f"{name}, {moments} moments, {followed} policies:", ", ".join(shares), flush=True)
    print(f"{total} policies, none above a bound")


if __name__ == "__main__":
    main()
