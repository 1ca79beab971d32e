"""Shipped scenarios: every policy of those small enough tried one by one, and policies at random against the bounds."""

from __future__ import annotations

import random
from itertools import product
from math import prod
from typing import Any

import pytest

from fireplan.solver.best import MEASURES, OpenDecisions, Policy, Process, Solution, best, bounded, join, worth
from fireplan.solver.best._induction import Choice
from fireplan_core.play import Catalogue, find_scenario

MOST_POLICIES = 300
SMALL = [
    ("asl/ridge", 1, (), "exhausted"),
    ("asl/ridge", 3, ("requests.call",), "falls"),
    ("asl/ridge", 3, ("requests.call",), "hit"),
    ("asl/village", 1, (), "delivered"),
    ("miniatures_1943/chits_in_hand", 2, ("requests.request",), "falls"),
    ("miniatures_1943/chits_in_hand", 2, ("requests.request",), "exhausted"),
    ("wacht_am_rhein/crossroads", 1, (), "minutes_to_first_effect"),
    ("wacht_am_rhein/crossroads", 2, ("requests.declare",), "hit"),
]
"""Scenarios, moments, open questions (none: all) and goals with at most so many policies."""


def process(name: str, moments: int, only: tuple[str, ...] = ()) -> Process:
    scenario, _ = find_scenario(Catalogue.installed(), name)
    return Process(scenario, moments, OpenDecisions(scenario.firer, dict.fromkeys(only, ())))


@pytest.mark.parametrize(("name", "moments", "only", "goal"), SMALL)
def test_the_optimum_and_the_bound_are_the_best_of_all_policies(
    name: str, moments: int, only: tuple[str, ...], goal: str
) -> None:
    whole = process(name, moments, only)
    wanted = MEASURES[goal].goal_of(whole.scenario, whole.open_decisions.side)
    joined = join(whole.explored([wanted]), [wanted], moments)
    where = [
        (moment, node, len(step.transitions))
        for node, step in joined.steps.items()
        if isinstance(step, Choice)
        for moment in range(joined.depth[node], moments)
    ]
    assert 1 < prod(count for _, _, count in where) <= MOST_POLICIES
    values = []
    for orders in product(*(range(count) for _, _, count in where)):
        choices: list[dict[int, tuple[int, ...]]] = [{} for _ in range(moments)]
        for (moment, node, _), order in zip(where, orders, strict=True):
            choices[moment][node] = (order,)
        policy = Policy(Solution(joined, (), tuple(choices)))
        values += worth(whole, [wanted], policy)
    found = bounded(whole, wanted)
    assert max(values) == best(joined).values[0] == found.value == found.bound


def at_random(seed: int) -> Any:
    """A player who throws for each question in each moment, once for all."""

    def choose(ask: Any, read: Any, legal: Any) -> Any:
        orders = sorted(legal(), key=repr)
        return [random.Random(f"{seed} {ask.question} {read('clock/moment', 0)}").choice(orders)] if orders else []

    return choose


@pytest.mark.parametrize("goal", ["delivered", "falls", "exhausted"])
@pytest.mark.parametrize(
    ("name", "moments"),
    [
        ("red_poppies/bloody_repulse", 6),
        ("wacht_am_rhein/crossroads", 2),
    ],
)
def test_no_policy_found_at_random_betters_the_bound_of_a_shipped_scenario(name: str, moments: int, goal: str) -> None:
    whole = process(name, moments)
    wanted = MEASURES[goal].goal_of(whole.scenario, whole.open_decisions.side)
    found = bounded(whole, wanted)
    assert found.value is not None
    assert found.bound is not None
    tried = [worth(whole, [wanted], at_random(seed))[0] for seed in range(8)]
    assert max(*tried, found.value) <= found.bound
