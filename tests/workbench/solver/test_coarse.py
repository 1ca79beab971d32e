"""The coarse model: its optimum is never below the true one, and far below the goal's limit."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from itertools import islice
from math import inf

import policies
import pytest
from tiers import full_then_long, one_in

from fireplan.solver import TooLargeError
from fireplan.solver.best import (
    MEASURES,
    OpenDecisions,
    Process,
    best,
    bounded,
    bounds,
    join,
)
from fireplan.solver.best.coarse.bounds import coarse_bounds
from fireplan.solver.best.coarse.choices import StepCases, StepChoices
from fireplan.solver.best.coarse.induction import values_in_cycles
from fireplan.solver.best.coarse.model import CoarseModel
from fireplan.solver.best.coarse.runs import ReadCase
from fireplan.solver.best.coarse.values import Coarsened, ForgottenPlace
from fireplan.solver.best.policy import values_of
from fireplan_core import Order, ProcedureError
from fireplan_core.play import Catalogue, find_scenario

SOLVED = [
    ("asl/ridge", 2, "delivered"),
    ("asl/ridge", 2, "hit"),
    ("asl/ridge", 3, "on_target"),
    ("asl/ridge", 2, "minutes_to_first_effect"),
    ("asl/ridge", 2, "exhausted"),
    ("asl/village", 1, "delivered"),
    ("red_poppies/fourteenth_corps", 2, "hit"),
    ("red_poppies/cut_wires", 2, "on_target"),
    ("asl/ridge", 4, "moments_under_fire"),
]

STRUCK = [
    ("asl/ridge", 2, "suppressed"),
    ("asl/ridge", 3, "falls"),
    ("wacht_am_rhein/crossroads", 3, "hit"),
    ("red_poppies/battle_for_pinon", 2, "suppressed"),
    ("red_poppies/fourteenth_corps", 3, "strikes"),
    ("red_poppies/cut_wires", 3, "falls"),
]
"""Goals that count more than once, harm, and missions that read the effects of strikes."""
COUNTED = [case for case in STRUCK if "suppressed" not in case]


def process(name: str, moments: int) -> Process:
    scenario, _ = find_scenario(Catalogue.installed(), name)
    aimed = frozenset(scenario.questions)  # few enough orders to find the true optimum
    return Process(scenario, moments, OpenDecisions(scenario.firer, aimed=aimed))


def goal_of(whole: Process, name: str):
    return MEASURES[name].goal_of(whole.scenario, whole.open_decisions.side)


def optimum(whole: Process, name: str) -> Fraction:
    goal = goal_of(whole, name)
    return best(join(whole.explored([goal]), [goal], whole.moments)).values[0]


@pytest.mark.parametrize(("name", "moments", "goal"), one_in(4, STRUCK))
def test_no_bound_on_strike_effects_is_below_the_true_optimum(name, moments, goal):
    whole = process(name, moments)
    found = list(coarse_bounds(whole, goal_of(whole, goal), None))
    assert found
    assert min(found) >= optimum(whole, goal)


def test_a_model_with_more_states_than_allowed_leaves_the_goal_to_the_others(monkeypatch):
    """A model that keeps every place reaches the first moment alone; one that forgets them, all."""
    whole = process("asl/ridge", 3)
    goal = goal_of(whole, "hit")
    monkeypatch.setattr("fireplan.solver.best.coarse.bounds.MOST_ORDERS", inf)
    monkeypatch.setattr("fireplan.solver.best.coarse.bounds.MOST_EXACT", 500)
    stopped = CoarseModel(whole, goal, None, most_orders=inf, most_nodes=500)
    usual = CoarseModel(whole, goal, None).bound()
    assert (stopped.bound(), stopped.complete, stopped.gives_up) == (1, False, False)
    assert min(coarse_bounds(whole, goal, None)) == usual < 1


@pytest.mark.long
@pytest.mark.parametrize("name", ["red_poppies/fourteenth_corps", "red_poppies/bloody_repulse"])
def test_the_bound_of_harm_counts_no_unit_twice(name):
    """Here every strike meets its place in the worst state, so the bound is the optimum."""
    whole = process(name, 3)
    bound = min(coarse_bounds(whole, goal_of(whole, "suppressed"), None))
    assert 0 <= bound - optimum(whole, "suppressed") < Fraction(1, 10**10)


@pytest.mark.full
def test_a_bound_that_is_late_counts_the_moments_it_reached():
    """The most that the later moments can earn is added, so it is still a bound, and it never gets
    worse.
    """
    whole = process("asl/ridge", 4)
    goal = goal_of(whole, "falls")
    bounds_found = []
    for moments in (1, 2, 3, 4):
        model = CoarseModel(whole, goal, None)
        explore = model._explore

        def stopped(root, explore=explore, moments=moments):
            yield from islice(explore(root), moments)
            if moments < whole.moments:
                raise TooLargeError("late")

        model._explore = stopped
        bounds_found.append(model.bound())
        assert model.complete == (moments == whole.moments)
    assert bounds_found == sorted(bounds_found, reverse=True)
    assert bounds_found[-1] < bounds_found[0] < goal.most(4)


@pytest.mark.parametrize(("name", "moments", "goal"), one_in(6, SOLVED))
def test_the_coarse_optimum_is_never_below_the_true_one(name, moments, goal):
    whole = process(name, moments)
    bound = CoarseModel(whole, goal_of(whole, goal), None).bound()
    assert bound >= optimum(whole, goal)


@pytest.mark.parametrize(("name", "moments", "goal"), one_in(9, [*SOLVED, *COUNTED]))
def test_a_model_that_gives_up_steps_is_never_below_the_true_optimum(name, moments, goal):
    whole = process(name, moments)
    best_value = optimum(whole, goal)
    for most_runs in (1, 2, 5, 20):
        with suppress(TooLargeError):  # the goal has no limit
            model = CoarseModel(whole, goal_of(whole, goal), None, most_runs=most_runs)
            assert model.bound() >= best_value


@pytest.mark.parametrize(("name", "moments", "goal"), one_in(9, [*SOLVED, *COUNTED]))
def test_a_model_that_gives_up_questions_is_never_below_the_true_optimum(name, moments, goal):
    whole = process(name, moments)
    best_value = optimum(whole, goal)
    for most_orders in (1, 3, 12):
        with suppress(TooLargeError):  # the goal has no limit
            model = CoarseModel(whole, goal_of(whole, goal), None, most_orders=most_orders)
            assert model.bound() >= best_value


def test_where_places_are_kept_nobody_fires_sooner_than_by_the_standard_orders():
    """Only contact and access decide how soon fire falls; if the model has too many states, it
    gives no bound.
    """
    scenario, form = find_scenario(Catalogue.installed(), "asl/set_piece")
    whole = Process(scenario, form.moments, OpenDecisions(scenario.firer))
    goal = goal_of(whole, "minutes_to_first_effect")
    (standard,) = values_of(whole, [goal])
    bound = CoarseModel(whole, goal, None, most_orders=12).bound()
    assert bound == standard
    assert CoarseModel(whole, goal, None, most_runs=1).bound() > bound
    with pytest.raises(TooLargeError):
        CoarseModel(whole, goal, None, most_orders=12, most_nodes=1).bound()


@pytest.mark.full
def test_the_more_runs_a_step_may_take_the_closer_the_bound():
    whole = process("asl/ridge", 3)
    goal = goal_of(whole, "hit")
    models = [CoarseModel(whole, goal, None, most_runs=most) for most in (1, 4, 40, inf)]
    found = [model.bound() for model in models]
    assert found == sorted(found, reverse=True)
    assert found[-1] < found[0] < goal.most(3)
    assert [model.gives_up for model in models] == [True, True, True, False]


def test_choices_found_while_a_branch_is_followed_do_not_stop_the_search():
    """A choice can come up again while one of its own branches is followed, as with troops at wire."""
    scenario, _ = find_scenario(Catalogue.installed(), "red_poppies/combined_arms_assault")
    whole = Process(scenario, 1, OpenDecisions(scenario.firer))
    goal = goal_of(whole, "falls")
    model = CoarseModel(whole, goal, None, most_runs=20)
    (standard,) = values_of(whole, [goal])
    assert model.bound() >= standard > 1
    assert model.complete


def test_a_step_given_up_without_credit_is_noticed(monkeypatch):
    whole = process("asl/ridge", 3)
    goal = goal_of(whole, "hit")
    monkeypatch.setattr(StepChoices, "_credit", lambda *_: None)
    assert CoarseModel(whole, goal, None, most_runs=1).bound() < optimum(whole, "hit")


def test_the_first_bound_of_a_village_street_takes_few_runs():
    """Contact and access limit every order; harassing fire throughout reaches 90.73 %."""
    scenario, _ = find_scenario(Catalogue.installed(), "asl/village")
    whole = Process(scenario, 12, OpenDecisions(scenario.firer))
    bound = next(coarse_bounds(whole, goal_of(whole, "on_target"), None))
    assert Fraction(9073, 10000) < bound < Fraction(93, 100)
    assert whole.coarse_compiler.runs < 200


def test_the_coarse_optimum_is_below_the_limit_that_the_goal_sets():
    whole = process("asl/ridge", 3)
    goal = goal_of(whole, "delivered")
    assert CoarseModel(whole, goal, None).bound() < goal.most(3)


def test_a_goal_to_minimise_has_a_bound_of_at_most_zero():
    whole = process("asl/ridge", 2)
    assert CoarseModel(whole, goal_of(whole, "exhausted"), None).bound() <= 0


@pytest.mark.full
def test_the_last_pass_over_a_moment_finds_nothing_new(monkeypatch):
    """Otherwise a place first met late in a moment would be missing where that moment was read
    before.
    """
    explore = CoarseModel._explore_moment
    grown: dict[int, int] = {}

    def noting(self, moment, openings):
        before = self.coarse.size
        found = explore(self, moment, openings)
        grown[moment] = self.coarse.size - before
        return found

    monkeypatch.setattr(CoarseModel, "_explore_moment", noting)
    whole = process("asl/ridge", 3)
    CoarseModel(whole, goal_of(whole, "hit"), None).bound()
    assert grown == {0: 0, 1: 0, 2: 0}


def test_the_coarse_bound_is_reported_if_the_whole_is_too_large(monkeypatch):
    monkeypatch.setattr(bounds, "TRIED_STATES", 40)
    whole = process("red_poppies/cut_wires", 4)
    goal = goal_of(whole, "delivered")
    assert bounded(whole, goal).bound < goal.most(4)


@pytest.mark.parametrize(
    ("name", "moments"),
    full_then_long([("red_poppies/battle_for_pinon", 2), ("red_poppies/cut_wires", 3)]),
)
def test_no_random_or_bent_policy_betters_a_coarse_bound(name, moments):
    """A sample; ``benchmarks/policies.py`` tries ten thousand."""
    _, best_values, followed = policies.tried(
        name, moments, 6, 16, ("delivered", "falls", "suppressed")
    )
    assert followed
    assert any(best_values)


@pytest.mark.full
def test_the_model_tries_every_value_that_strikes_write():
    """The model tries every value that a forgotten key takes in the whole process."""
    whole = process("asl/village", 2)
    goal = goal_of(whole, "falls")
    model = CoarseModel(whole, goal, None)
    model.bound()
    fields = whole.explored([goal]).chain.explorer.packing.fields
    met = {key: {value for values in fields[key].members for value in values}
           for key in model.keys.loose if key in fields}  # fmt: skip
    assert any(len(values) > 1 for values in met.values())
    for key, values in met.items():
        assert values <= model.coarse.domains[key].keys()


def test_a_value_written_as_none_differs_from_one_never_written():
    """A key's first value need not be None, so the two are different situations."""
    cases, case = StepCases(), ReadCase()
    cases.put(case, {"missions/a/target"}, {})
    assert cases.find({"missions/a/aim": 1}) is case
    assert cases.find({"missions/a/target": None}) is not case


@pytest.mark.full
def test_a_place_that_is_not_tried_is_noticed(monkeypatch):
    """Without any impact near the target, the bound falls below the optimum."""
    whole = process("asl/ridge", 3)
    goal = goal_of(whole, "hit")
    ((q, r),) = {setup.target for setup in whole.scenario.missions.values()}
    recorded = Coarsened.value

    def value(self, key, value):
        near = key.endswith("/impact") and value and abs(value[0] - q) + abs(value[1] - r) < 9
        return recorded(self, key, (q + 9, r) if near else value)

    true = optimum(whole, "hit")
    assert CoarseModel(whole, goal, None).bound() >= true
    monkeypatch.setattr(Coarsened, "value", value)
    assert CoarseModel(whole, goal, None).bound() < true


def test_a_value_with_places_keeps_everything_but_the_places():
    coarse = Coarsened(process("asl/village", 1).scenario)
    near, far = (10, 0), (12, 0)
    assert coarse.value("missions/a/aim", near) is ForgottenPlace.PLACE
    assert coarse.value("missions/a/aim", far) is ForgottenPlace.PLACE
    assert coarse.value("missions/a/aim", None) is None
    assert list(coarse.values["missions/a/aim", ForgottenPlace.PLACE]) == [near, far]
    assert coarse.value("a", (near, "x", 3)) == (ForgottenPlace.PLACE, "x", 3)
    assert coarse.value("a", frozenset({near, far})) == coarse.value("a", frozenset({far, near}))
    order = Order.of("place", at=near)
    assert coarse.value("b", order) == coarse.value("b", Order.of("place", at=far))
    assert coarse.value("b", order) != coarse.value("b", Order.of("correct", at=far))


def test_no_play_in_a_cycle_earns_more_than_the_best_way_to_leave_it():
    """Half the time the second order leads back, so leaving by it earns 10."""
    here, there, on, off = ((0, number, None) for number in range(4))
    back, leave = (1, 0, there, False), (1, 0, on, True)
    nodes = {
        here: frozenset({(back,), ((1, 0, here, False), leave)}),
        there: frozenset({((1, 0, here, False),), ((1, 0, off, True),)}),
    }
    later = {on: 10, off: 4}
    assert values_in_cycles(nodes, later) == {here: 10, there: 10}
    assert values_in_cycles(nodes, {on: 3, off: 4}) == {here: 4, there: 4}


def test_a_cycle_that_earns_repeatedly_has_no_bound():
    here = 0, 0, None
    nodes = {here: frozenset({((1, 1, here, False),), ((1, 0, here, True),)})}
    with pytest.raises(ProcedureError, match="repeated without end"):
        values_in_cycles(nodes, {here: 0})
