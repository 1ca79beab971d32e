"""Harm at several places solved jointly is exact: equal to solving mission and places together."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fireplan.solver import TooLargeError
from fireplan.solver.best import (
    MEASURES,
    OpenDecisions,
    Process,
    best,
    bounds,
    join,
    joint_harm,
)
from fireplan.solver.best.goals import Harm
from fireplan.solver.best.joint_harm import GRAIN, JointHarm
from fireplan.solver.chain import PUT
from fireplan.solver.places import Automaton
from fireplan_core import Event, Severity, Step
from fireplan_core.play import Catalogue, find_scenario

CASES = [
    ("red_poppies/cut_wires", 3, "suppressed"),
    ("red_poppies/cut_wires", 4, "destroyed"),
    ("red_poppies/battle_for_pinon", 2, "suppressed"),
    ("red_poppies/battle_for_pinon", 2, "destroyed"),
    pytest.param(("asl/ridge", 3, "destroyed"), marks=pytest.mark.long),
]


def solved(name: str, moments: int, goal_name: str) -> tuple[Process, JointHarm, Fraction]:
    """Return the process, its joint harm, and the optimum with mission and places in one chain."""
    if name.partition("/")[0] not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    scenario, _ = find_scenario(Catalogue.installed(), name)
    whole = Process(scenario, moments, OpenDecisions(scenario.firer), max_runs=1_000_000)
    goal = MEASURES[goal_name].goal_of(scenario, scenario.firer)
    ((part, explored),) = whole.parts(goal, together=True)
    optimum = best(join(explored, [part], moments)).values[0]
    harm = joint_harm.joint_harm(whole, goal, bool)
    assert harm is not None
    return whole, harm, optimum


@pytest.mark.parametrize("case", CASES)
def test_the_joint_bound_is_the_optimum_rounded_upwards(case):
    _, harm, optimum = solved(*case)
    assert 0 <= harm.bound - optimum < Fraction(1, 10**9)


@pytest.mark.parametrize(
    "case",
    [CASES[0], CASES[2], pytest.param(("asl/ridge", 3, "destroyed"), marks=pytest.mark.long)],
)
def test_its_orders_do_as_much_harm_exactly(case):
    _, harm, optimum = solved(*case)
    solution = harm.solution(bool)
    assert solution is not None
    assert 0 <= optimum - solution.values[0] < Fraction(1, 10**5)


def test_a_strike_that_leaves_the_places_as_they_were_is_noticed(monkeypatch):
    """If units can be harmed again and again, the bound is too high."""
    rows = joint_harm._joint_row
    monkeypatch.setattr(
        joint_harm,
        "_joint_row",
        lambda row, total, joint, here, stride: rows(
            tuple((share, here, harm) for share, _, harm in row), total, joint, here, stride
        ),
    )
    _, harm, optimum = solved(*CASES[1])
    assert harm.bound > optimum + Fraction(1, 1000)


def test_an_order_that_is_left_out_is_noticed(monkeypatch):
    """With only one order per question, the bound is too low."""
    monkeypatch.setattr(joint_harm, "_best", lambda vectors: next(iter(vectors)))
    _, harm, optimum = solved(*CASES[1])
    assert harm.bound < optimum


def test_the_missions_writes_may_change_a_place_before_any_strike():
    """One strike in four harms the unit, or one in two after the mission has exposed it."""
    strike, put = Step("resolution.strike", ("a", 0), "a"), Step(PUT, ("exposed", True))
    hit = Event("suffered", "1", (("unit", "a1"), ("severity", Severity.DESTROYED)))

    def struck(state: int, chance: Fraction) -> tuple:
        return (state, (hit,), chance), (state, (), 1 - chance)

    moves = (
        {0: struck(0, Fraction(1, 4)), 1: ((1, (), Fraction(1)),)},
        {0: struck(1, Fraction(1, 2)), 1: ((1, (), Fraction(1)),)},
    )
    goal = Harm({"a1": Fraction(1)}, Severity.DESTROYED)
    joint = joint_harm.joint_places(goal, {"place a": Automaton((strike, put), moves)})
    after = (0,) * len(joint.labels)
    assert joint.labels[0] == frozenset()
    assert joint.strikes[strike].before(after)[0] == GRAIN // 2
    without = Automaton((strike,), ({0: struck(0, Fraction(1, 4))},))
    alone = joint_harm.joint_places(goal, {"place a": without})
    assert alone.strikes[strike].before((0, 0))[0] == GRAIN // 4


def test_too_many_joint_states_are_refused(monkeypatch):
    monkeypatch.setattr(joint_harm, "MOST_JOINT", 1)
    monkeypatch.setattr(joint_harm, "MOST_VALUES", 1)
    with pytest.raises(TooLargeError, match="joint states of"):
        solved(*CASES[0])
    monkeypatch.setattr(joint_harm, "MOST_VALUES", 5_000_000)
    solved(*CASES[0])


def test_orders_that_reach_too_many_nodes_are_not_followed(monkeypatch):
    _, harm, _ = solved(*CASES[2])
    monkeypatch.setattr(joint_harm, "MOST_REACHED", 1)
    with pytest.raises(TooLargeError, match="more than 1 nodes"):
        harm.solution(bool)


def test_a_joint_solution_out_of_time_is_abandoned():
    if "red_poppies" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    scenario, _ = find_scenario(Catalogue.installed(), "red_poppies/cut_wires")
    whole = Process(scenario, 3, OpenDecisions(scenario.firer))
    goal = MEASURES["destroyed"].goal_of(scenario, scenario.firer)
    with pytest.raises(TooLargeError, match="the time allowed"):
        joint_harm.joint_harm(whole, goal, lambda: True)


def test_once_the_orders_of_a_place_are_too_large_to_follow_the_others_are_not_tried(monkeypatch):
    """Each would take as long and as much memory; their optima still sum to a bound."""
    whole, _, optimum = solved(*CASES[2])
    goal = MEASURES[CASES[2][2]].goal_of(whole.scenario, whole.scenario.firer)
    parts = whole.parts(goal)
    followed = []

    def refuse(*_: object) -> None:
        followed.append(1)
        raise TooLargeError("too large to follow")

    monkeypatch.setattr(bounds, "policy_values", refuse)
    found = bounds.Bounded(goal, None, None, None)
    found = bounds._solve_parts(bounds.Search(whole, lambda: 10.0), whole, found, parts)
    assert len(parts) > len(followed) == 1
    assert found.bound is not None
    assert found.bound >= optimum
