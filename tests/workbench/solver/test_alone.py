"""Several missions together achieve at most the sum of what each achieves alone: Red Poppies groups
that share commands.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from importlib.resources import files
from random import Random

import attrs
import pytest
from support_solver import goal_of, process_of

pytest.importorskip("fireplan_red_poppies")

import fireplan as fp
from fireplan.solver import TooLargeError
from fireplan.solver.best import MEASURES, OpenDecisions, Process, alone, best, bounds, join
from fireplan.solver.best.alone import bound_alone, missions_alone
from fireplan.solver.best.bounds import values_of
from fireplan_red_poppies.delays import RedPoppiesDelays

SHIPPED = "perfect_battle_day_2.toml"
GOALS = ["falls", "moments_under_fire", "strikes", "suppressed", "destroyed"]
MOMENTS = 2


def text_of(groups, commands):
    """Return the shipped scenario with only these groups, by position in the file, and with this
    number of commands.
    """
    text = (files("fireplan_red_poppies") / "data/scenarios" / SHIPPED).read_text()
    head, *entries = text.split("[[group]]")
    head = head.replace("commands = 2", f"commands = {commands}")
    return head + "".join("[[group]]" + entries[number] for number in groups)


def process_with(tmp_path, groups=(0, 1), commands=2, moments=MOMENTS, edit=lambda text: text):
    path = tmp_path / "groups.toml"
    path.write_text(edit(text_of(groups, commands)))
    return process_of(str(path), moments, max_runs=1_000_000)


def bound_of(process, name):
    return bound_alone(process, goal_of(process, name), lambda mission: mission)


def optimum_of(process, name):
    ((part, explored),) = process.parts(goal_of(process, name), together=True)
    return best(join(explored, [part], process.moments)).values[0]


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """Return a function that gives the process of two groups with a number of commands, and the
    optimum for a goal; rules run once for all goals.
    """

    @cache
    def process(commands):
        return process_with(tmp_path_factory.mktemp("groups"), commands=commands)

    return cache(lambda commands, goal: (process(commands), optimum_of(process(commands), goal)))


@pytest.mark.parametrize("commands", [0, 2])
@pytest.mark.parametrize("goal", GOALS)
def test_no_orders_to_two_groups_do_more_than_each_can_alone(solved, goal, commands):
    process, optimum = solved(commands, goal)
    assert 0 < optimum <= bound_of(process, goal)


def test_two_groups_of_one_place_are_as_good_as_alone_where_nothing_is_shared(tmp_path):
    """With a command for each couplet the expected falls simply add up."""
    process = process_with(tmp_path, commands=5)
    assert optimum_of(process, "falls") == bound_of(process, "falls")


def test_commands_that_another_group_would_give_are_noticed_if_they_are_left_out(
    tmp_path, monkeypatch, solved
):
    """Without commands a group alone cannot roll for its signal; beside another group it can."""
    process = process_with(tmp_path, commands=0)
    stated = RedPoppiesDelays.alone

    def stingy(self, scenario, mission):
        setup = stated(self, scenario, mission)
        return attrs.evolve(setup, shared=scenario.shared)

    monkeypatch.setattr(RedPoppiesDelays, "alone", stingy)
    _, optimum = solved(0, "falls")
    assert bound_of(process, "falls") < optimum


def test_a_unit_harmed_again_by_every_strike_is_noticed(tmp_path, monkeypatch, solved):
    """If a place yields nothing beyond the prices of its strikes, the bound falls below the
    optimum.
    """
    process = process_with(tmp_path)
    monkeypatch.setattr(alone.PlaceYields, "most", lambda _self, _price, _most: 0)
    _, optimum = solved(2, "suppressed")
    assert bound_of(process, "suppressed") < optimum


SEEDS = (0, 1, 3, 6, 7, 25, 27, 35)
"""Of forty seeds, those whose random orders come nearest to the bounds."""


def test_random_orders_never_exceed_the_bounds(tmp_path):
    process = process_with(tmp_path, groups=(0, 1, 2), commands=1, moments=2)
    names = ("falls", "strikes")
    goals = [goal_of(process, name) for name in names]
    bounds = [bound_of(process, name) for name in names]
    values = []
    for seed in SEEDS:

        def choose(ask, _read, legal, seed=seed):
            orders = list(legal())
            yield Random(f"{seed} {ask}").choice(orders)

        values.append(values_of(process, goals, choose))
    for reached, bound in zip(zip(*values, strict=True), bounds, strict=True):
        assert Fraction(3, 4) < max(reached) / bound <= 1


def test_the_missions_are_not_apart_where_something_connects_them(tmp_path):
    assert len(missions_alone(process_with(tmp_path))) == 2
    assert missions_alone(process_with(tmp_path, groups=(0,))) is None
    process = process_with(tmp_path)
    process.open_decisions = OpenDecisions("french", keep=frozenset({"delays.command"}))
    assert missions_alone(process) is None
    other_side = process_with(
        tmp_path,
        edit=lambda text: text.replace(
            'side = "french"\nfirepower = 3', 'side = "german"\nfirepower = 3'
        ),
    )
    assert missions_alone(other_side) is None


def test_a_mission_that_reads_another_missions_writes_is_refused(tmp_path, monkeypatch):
    """A mission may read only keys that no other writes, or that every mission writes."""
    process, updates = process_with(tmp_path), alone.updates_of
    first = iter([{"shared/delays/commands": set()}])
    monkeypatch.setattr(alone, "updates_of", lambda chain: updates(chain) | next(first, {}))
    with pytest.raises(TooLargeError, match="only other missions write: shared/delays/commands"):
        bound_of(process, "falls")


def test_a_position_in_play_has_no_such_bound(tmp_path):
    process = process_with(tmp_path)
    state = fp.position(str(tmp_path / "groups.toml")).at.state
    process.state = state
    assert bound_of(process, "falls") is None


def test_massed_fire_and_chances_have_no_such_bound(tmp_path):
    assert missions_alone(process_of("red_poppies/combined_arms_assault", 1)) is None
    assert bound_of(process_with(tmp_path), "hit") is None


@pytest.mark.long
def test_nearly_everything_in_reach_of_three_groups_is_suppressed():
    """All three groups together are too large to solve; each alone takes seconds."""
    opens = fp.position(f"red_poppies/{SHIPPED.removesuffix('.toml')}")
    scenario = opens.at.scenario
    whole = Process(scenario, opens.usual, OpenDecisions(scenario.firer))
    goal = MEASURES["suppressed"].goal_of(scenario, scenario.firer)
    (standard,) = values_of(whole, [goal])
    bound = bound_alone(
        whole, goal, lambda mission: mission.varied(max_nodes=1_000_000, max_runs=1_000_000)
    )
    assert standard <= bound < standard * Fraction(101, 100)


def test_the_search_for_best_orders_uses_the_bound(tmp_path):
    process = process_with(tmp_path)
    goal, bound = goal_of(process, "falls"), bound_of(process, "falls")
    (standard,) = values_of(process, [goal])
    before = bounds.Bounded(goal, standard, standard, None)
    assert bounds._bound_alone(bounds.Search(process), before).bound == bound
    lower = bounds.Bounded(goal, standard, standard, standard)
    assert bounds._bound_alone(bounds.Search(process), lower) is lower
