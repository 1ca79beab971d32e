"""Shipped scenarios: every policy of the smallest ones, and random policies, against the bounds."""

from __future__ import annotations

import time
from itertools import product
from math import prod

import attrs
import pytest
from random_values import random_choices
from tiers import one_in

from fireplan.solver.best import (
    MEASURES,
    OpenDecisions,
    Pattern,
    Policy,
    Process,
    Solution,
    best,
    bounded,
    join,
    values_of,
)
from fireplan.solver.best.coarse.bounds import coarse_bounds
from fireplan.solver.best.induction import DecisionNode
from fireplan_core.play import Catalogue, find_scenario, shipped_scenarios

MOST_POLICIES = 300
SMALL = [
    ("asl/ridge", 1, "", (), "exhausted"),
    ("asl/ridge", 3, "requests.call", (), "falls"),
    ("asl/ridge", 3, "requests.call", (), "hit"),
    ("asl/set_piece", 2, "requests.call", (), "falls"),
    ("asl/village", 1, "", (), "delivered"),
    ("battlegroup_clash/causeway", 1, "delays.counter", (), "on_target"),
    ("battlegroup_clash/jammed_nets", 1, "requests.plan", (), "on_target"),
    ("battletech/ranging_in", 2, "", (), "on_target"),
    ("battletech/two_pieces", 1, "", (), "on_target"),
    ("miniatures_1943/chits_in_hand", 2, "requests.request", (), "falls"),
    ("miniatures_1943/hedgerow_farm", 1, "requests.request", ("pass",), "falls"),
    ("miniatures_1943/river_crossing", 1, "requests.request", ("pass",), "falls"),
    ("red_poppies/battle_for_pinon", 1, "requests.cross_hair", ("hold",), "falls"),
    (
        "red_poppies/bloody_repulse",
        1,
        "resolution.scrape",
        ("scrape at=AQ14",),
        "own_troops_under_fire",
    ),
    ("red_poppies/cut_wires", 1, "requests.cross_hair", ("hold",), "falls"),
    (
        "red_poppies/fourteenth_corps",
        1,
        "resolution.scrape",
        ("scrape at=AS17",),
        "own_troops_under_fire",
    ),
    ("wacht_am_rhein/crossroads", 1, "", (), "minutes_to_first_effect"),
    ("wacht_am_rhein/crossroads", 2, "requests.declare", (), "hit"),
    ("wacht_am_rhein/dividing_fire", 1, "requests.declare", (), "falls"),
]
"""Scenario, moments, open question (none: all), orders weighed there (none: all beside the standard
one), and goals with few enough policies.
"""
QUICK = ("wacht_am_rhein/crossroads", 1, "", (), "minutes_to_first_effect")
SMALL_HERE = [small for small in SMALL if small[0].partition("/")[0] in Catalogue.installed().games]
TOO_LARGE = {
    "asl/creeping": "its first decision comes in the second moment, in one of more than 10,000 situations",
    "battlegroup_clash/forest_edge": "whichever question is open, its first turn alone is not explored in seconds",
    "combat_commander/lone_radio": "whichever hand may be dealt is a situation of its own, and not explored in seconds",
    "combat_commander/orchard": "whichever hand may be dealt is a situation of its own, and not explored in seconds",
    "red_poppies/combined_arms_assault": "where to breach in its first turn is not explored in seconds",
    "red_poppies/perfect_battle_day_1": "the six decisions of its first turn have 230 orders each",
    "red_poppies/perfect_battle_day_2": "twelve cross-hairs are placed in its first turn: two orders each are 4,096",
    "wacht_am_rhein/two_divisions": "with one question open its first turn has 64 decisions, or 8 of up to 8 orders",
}
"""Shipped scenarios with too many policies to try one by one, with the reason."""


def process(name: str, moments: int, question: str = "", orders: tuple[str, ...] = ()) -> Process:
    scenario, _ = find_scenario(Catalogue.installed(), name)
    only = {question: tuple(map(Pattern.parse, orders))} if question else {}
    return Process(scenario, moments, OpenDecisions(scenario.firer, only))


def test_every_shipped_scenario_is_tried_or_has_a_reason() -> None:
    shipped = set(shipped_scenarios(Catalogue.installed()))
    assert {small[0] for small in SMALL_HERE} | (TOO_LARGE.keys() & shipped) == shipped
    assert not {small[0] for small in SMALL} & TOO_LARGE.keys()


@pytest.mark.parametrize(
    ("name", "moments", "question", "orders", "goal"),
    [
        small
        if small == QUICK
        else pytest.param(*small, marks=pytest.mark.long if n % 3 else pytest.mark.full)
        for n, small in enumerate(SMALL_HERE)
    ],
)
def test_the_optimum_and_the_bound_are_the_best_of_all_policies(
    name: str, moments: int, question: str, orders: tuple[str, ...], goal: str
) -> None:
    whole = process(name, moments, question, orders)
    wanted = MEASURES[goal].goal_of(whole.scenario, whole.open_decisions.side)
    joined = join(whole.explored([wanted]), [wanted], moments)
    where = [
        (moment, node, len(step.transitions))
        for node, step in joined.steps.items()
        if isinstance(step, DecisionNode)
        for moment in range(joined.depth[node], moments)
    ]
    assert 1 < prod(count for _, _, count in where) <= MOST_POLICIES
    values = []
    for given in product(*(range(count) for _, _, count in where)):
        choices: list[dict[int, tuple[int, ...]]] = [{} for _ in range(moments)]
        for (moment, node, _), order in zip(where, given, strict=True):
            choices[moment][node] = (order,)
        policy = Policy(Solution(joined, (), tuple(choices)))
        values += values_of(whole, [wanted], policy)
    found = bounded(whole, wanted)
    assert max(values) == best(joined).values[0] == found.value == found.bound
    began = time.process_time()
    assert all(
        max(values) <= bound
        for bound in coarse_bounds(whole, wanted, lambda: time.process_time() > began + 2)
    )


@pytest.mark.parametrize(
    ("name", "goal"), [("asl/ridge", "falls"), ("miniatures_1943/chits_in_hand", "falls")]
)
def test_changing_one_order_of_an_optimal_policy_never_gains(name: str, goal: str) -> None:
    """In each situation in turn another order is given: the value never rises, and falls wherever
    no other order is as good.
    """
    question = "requests.call" if name.startswith("asl") else "requests.request"
    whole = process(name, 2, question)
    wanted = MEASURES[goal].goal_of(whole.scenario, whole.open_decisions.side)
    solved = best(join(whole.explored([wanted]), [wanted], 2))
    bent = 0
    for moment, chosen in enumerate(solved.choices):
        for node, mine in chosen.items():
            step = solved.joined.steps[node]
            for order in (
                set(range(len(step.transitions))) - set(mine)
                if isinstance(step, DecisionNode)
                else ()
            ):
                choices = [*solved.choices]
                choices[moment] = {**chosen, node: (order,)}
                (value,) = values_of(
                    whole, [wanted], Policy(attrs.evolve(solved, choices=tuple(choices)))
                )
                assert value <= solved.values[0]
                bent += value < solved.values[0]
    assert bent


@pytest.mark.parametrize(
    ("name", "moments", "goal"),
    one_in(
        7,
        [
            (name, moments, goal)
            for goal in ("delivered", "falls", "exhausted", "destroyed")
            for name, moments in (
                ("red_poppies/bloody_repulse", 6),
                ("wacht_am_rhein/crossroads", 2),
            )
        ],
    ),
)
def test_no_policy_found_at_random_betters_the_bound_of_a_shipped_scenario(
    name: str, moments: int, goal: str
) -> None:
    whole = process(name, moments)
    wanted = MEASURES[goal].goal_of(whole.scenario, whole.open_decisions.side)
    found = bounded(whole, wanted)
    assert found.value is not None
    assert found.bound is not None
    tried = [values_of(whole, [wanted], random_choices(seed))[0] for seed in range(8)]
    assert max(*tried, found.value) <= found.bound
