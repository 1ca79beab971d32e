"""Groups of Red Poppies with one vertex to aim at bound what groups that share commands can do."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from random import Random

import attrs
import pytest

pytest.importorskip("fireplan_red_poppies")

import fireplan as fp
from fireplan.solver import TooLargeError
from fireplan.solver.best import MEASURES, OpenDecisions, Process, best, join, values_of
from fireplan.solver.best.bounds import relaxed_bound
from fireplan_core.chance import d6
from fireplan_core.space import spines, stray
from fireplan_red_poppies import areas, delays
from fireplan_red_poppies.areas import RedPoppiesAreas

SHIPPED = "perfect_battle_day_2.toml"
GOALS = ["hit", "falls", "moments_under_fire", "strikes"]
MOMENTS = 3
TELEPHONE = 'firepower = 3\nmode = "telephone"'


def text_of(commands=2, groups=(1, 2)):
    """Return the shipped scenario with only these groups, called by telephone."""
    text = (files("fireplan_red_poppies") / "data/scenarios" / SHIPPED).read_text()
    head, *entries = text.split("[[group]]")
    head = head.replace("commands = 2", f"commands = {commands}")
    text = head + "".join("[[group]]" + entries[number] for number in groups)
    return text.replace('firepower = 3\nmode = "runner"', TELEPHONE)


def process_of(tmp_path, moments=MOMENTS, edit=lambda text: text, **chosen):
    path = tmp_path / "groups.toml"
    path.write_text(edit(text_of(**chosen)))
    scenario = fp.position(str(path)).at.scenario
    return Process(scenario, moments, OpenDecisions(scenario.firer), max_runs=1_000_000)


def goal_of(process, name):
    return MEASURES[name].goal_of(process.scenario, process.scenario.firer)


def bound_of(process, name):
    return relaxed_bound(process, goal_of(process, name))


def optimum_of(process, name):
    goal = goal_of(process, name)
    return best(join(process.explored([goal]), [goal], process.moments)).values[0]


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """Return a function that gives the optimum of two groups for a goal."""
    process = process_of(tmp_path_factory.mktemp("groups"))
    process.limit(max_nodes=1_000_000, max_runs=1_000_000)
    return cache(lambda goal: optimum_of(process, goal))


@pytest.mark.full
@pytest.mark.parametrize("goal", GOALS)
def test_no_orders_do_more_than_with_one_vertex_to_aim_at(tmp_path, solved, goal):
    bound = bound_of(process_of(tmp_path), goal)
    assert 0 < solved(goal) <= bound < solved(goal) * 1.05


@pytest.mark.parametrize("goal", GOALS)
def test_no_orders_to_one_group_do_more_in_five_turns(tmp_path, goal):
    process = process_of(tmp_path, moments=5, groups=(1,))
    assert 0 < optimum_of(process, goal) <= bound_of(process, goal)


def test_a_group_that_never_learns_from_its_fire_is_noticed(tmp_path, monkeypatch):
    process = process_of(tmp_path, moments=4, groups=(1,))
    optimum = optimum_of(process, "falls")

    def settles(_self, chance, settling):
        roll, first = chance.dice("accuracy", white=d6, error=d6), spines(settling.on)[0][0]
        if roll.white <= 2:
            return settling.on
        return roll.error.look_up(
            lambda die: (
                settling.on if settling.cell in stray(settling.on, first, die) else settling.off
            )
        )

    monkeypatch.setattr(RedPoppiesAreas, "_settles", settles)
    assert bound_of(process, "falls") < optimum


@pytest.mark.full
@pytest.mark.parametrize("goal", ["hit", "strikes"])
def test_strays_that_never_cover_the_target_are_noticed(tmp_path, monkeypatch, solved, goal):
    optimum, settling = solved(goal), areas._settling

    def stingy(*given):
        return attrs.evolve(settling(*given), cell=(0, 0))

    monkeypatch.setattr(areas, "_settling", stingy)
    assert bound_of(process_of(tmp_path), goal) < optimum


@pytest.mark.full
@pytest.mark.parametrize("goal", ["falls", "moments_under_fire"])
def test_states_of_ended_calls_that_are_forgotten_make_no_difference(tmp_path, monkeypatch, goal):
    bound = bound_of(process_of(tmp_path), goal)
    monkeypatch.setattr(delays, "_forgotten", lambda *_: delays.Effects())
    assert bound_of(process_of(tmp_path), goal) == bound


@pytest.mark.full
def test_random_orders_never_exceed_the_bounds(tmp_path):
    process = process_of(tmp_path, commands=1)
    goals = [goal_of(process, name) for name in GOALS]
    bounds = [bound_of(process, name) for name in GOALS]
    followed = 0
    for seed in range(6):

        def choose(ask, read, legal, seed=seed):
            orders = sorted(legal(), key=repr)
            verb = Random(f"{seed} {ask} {read('clock/moment', 0)}").choice(
                sorted({order.verb for order in orders})
            )
            yield next(order for order in orders if order.verb == verb)

        try:
            values = values_of(process, goals, choose)
        except TooLargeError:
            continue
        followed += 1
        assert all(value <= bound for value, bound in zip(values, bounds, strict=True))
    assert followed > 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('mode = "telephone"', 'mode = "flare"\npreregistered = "Q12/Q13/R12"', id="flares"),
        pytest.param('at = ["Q16", "R16"]', 'at = ["Q13", "R16"]', id="own troops near"),
        pytest.param(TELEPHONE, TELEPHONE + '\ncross_hair = "Q12/Q13/R12"', id="a carried call"),
    ],
)  # fmt: skip
def test_it_is_refused_where_it_might_be_worse(tmp_path, old, new):
    def edit(text):
        assert old in text
        return text.replace(old, new)

    process = process_of(tmp_path, edit=edit)
    assert process.relaxed(goal_of(process, "falls")) is None


def test_harm_at_several_places_is_not_bounded_by_the_orders_for_one(tmp_path):
    process = process_of(tmp_path)
    assert process.relaxed(goal_of(process, "strikes")).by_place
    assert process.relaxed(goal_of(process, "destroyed")) is None


def test_a_vertex_registered_at_some_of_the_places_alone_is_not_enough(tmp_path):
    def edit(text):
        return text.replace(TELEPHONE, TELEPHONE + '\npreregistered = "Q12/R11/R12"')

    process = process_of(tmp_path, edit=edit)
    assert process.relaxed(goal_of(process, "falls")) is not None
    cells = {(16, 4), (17, 4)}
    vertex = process.scenario.frame.parse("Q12/Q13/R12")
    other = next(far for _, far in spines(vertex) if len(cells & set(far)) == 1)
    assert areas._settling(cells, other, vertex) is None
    assert areas._settling(cells, vertex, vertex).on == vertex
