"""The odds beside a side's orders: each goal is the event it names, or is left out."""

from fractions import Fraction
from math import comb
from operator import attrgetter
from pathlib import Path

import pytest

import fireplan as fp
from fireplan.analysis import GOALS, SideOdds
from fireplan.analysis.side_odds import GoalChance, OrderOdds
from fireplan.table import Session, Viewer
from fireplan_core import Order
from fireplan_core.play import Catalogue, find_scenario

VILLAGE = Path(__file__).parents[3] / "plugins/asl/src/fireplan_asl/data/playthroughs"


def odds_beside(name, side):
    """Return the odds after each legal order of a side at its first question."""
    scenario, form = find_scenario(Catalogue.installed(), name)
    session = Session(scenario, form.moments)
    orders = [each.text for each in Viewer(session, side).form().orders if not each.refusal]
    return SideOdds(side).orders(session, orders)


def harm_after(name, side, order):
    """Return the exact chances of harm to the other side after the first order."""
    after = fp.position(name).play(order)
    scenario, _ = find_scenario(Catalogue.installed(), name)
    units = [unit for unit, setup in scenario.units.items() if setup.side != side]
    severities = {"harmed": ["suppressed", "reduced", "destroyed"], "destroyed": ["destroyed"]}
    return {
        goal: after.chance(fp.happens("suffered", unit=units, severity=least)).chance
        for goal, least in severities.items()
    }


@pytest.mark.parametrize("order", [pytest.param("call", marks=pytest.mark.full), "pass"])
def test_harm_is_exact_until_its_first_and_sampled_where_that_is_too_large(order):
    """Destruction depends on every harm that the units have suffered, so the joint problem is too
    large.
    """
    odds = odds_beside("asl/village", "german")
    assert odds.goals == tuple(GOALS)
    beside, harm = odds.after[order], harm_after("asl/village", "german", order)
    assert (beside["harmed"].share, beside["harmed"].error) == (harm["harmed"], 0)
    assert 0 < beside["destroyed"].error < Fraction(1, 15)
    assert abs(beside["destroyed"].share - harm["destroyed"]) < 3 * beside["destroyed"].error


def test_a_goal_too_large_to_the_end_is_exact_in_the_near_future():
    """4: a Request is one of 7 cards in 72, so it is in a hand of four in 34.2 % of the cases.

    Fire after it is on target in 40.7 % of the cases, as the transcript of the mission shows.
    """
    pytest.importorskip("fireplan_combat_commander", reason="the game is in requirements-games.txt")
    name = "combat_commander/lone_radio"
    odds = odds_beside(name, "italian")
    scenario, _ = find_scenario(Catalogue.installed(), name)
    assert odds.near.by_when(scenario.clock) == "by the end of round 1"
    found = 1 - Fraction(comb(65, 4), comb(72, 4))
    soon = odds.near.first_of("ask")
    assert not soon.error
    assert 0.40 < soon.share / found < 0.41
    assert odds.near.first_of("pass") == GoalChance(Fraction(0))
    for order, chances in odds.after.items():
        assert chances["target"].error
        assert chances["target"].share >= odds.near.first_of(order).share


def test_the_last_turn_is_solved_to_its_end_for_the_first_goal():
    """The last moment is the near future and the end at once, so its exact chance is the figure."""
    pytest.importorskip(
        "fireplan_battlegroup_clash", reason="the game is in requirements-games.txt"
    )
    scenario, _ = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    session = Session(scenario, 1)
    orders = ["keep"]
    odds = SideOdds("NATO").orders(session, orders)
    assert odds.near is None
    assert not odds.after["keep"]["harmed"].error
    assert 0 < odds.after["keep"]["harmed"].share < 1


def test_every_order_has_a_figure_for_every_goal():
    """Rockets fall once, and they may hit their own observer, so no mission alone decides the harm."""
    game = fp.load(VILLAGE / "rockets.playthrough.txt")
    side = next(setup.side for setup in game.session.scenario.missions.values())
    odds, prompts = SideOdds(side), 0
    for session, _ in game.session.again():
        orders = [each.text for each in Viewer(session, side).form().orders if not each.refusal]
        beside = odds.orders(session, orders)
        assert [*beside.after] == orders
        assert all([*chances] == [*GOALS] for chances in beside.after.values())
        prompts += bool(orders)
    assert prompts == 7


def test_harm_is_left_out_if_only_exact_figures_are_wanted():
    scenario, form = find_scenario(Catalogue.installed(), "asl/village")
    odds = SideOdds("german").orders(
        Session(scenario, form.moments), ["call", "pass"], sample=False
    )
    assert odds.goals == ("target", "falls", "spared")


def test_6_3_a_six_standing_bases_are_harmed_by_the_area_weapons_chart():
    odds = odds_beside("miniatures_1943/chits_in_hand", "american")
    assert odds.goals == tuple(GOALS)
    chances = odds.after["place barrages=1 air_strikes=0 dummies=0"]
    assert chances["harmed"].share == 1 - Fraction(4, 6) ** 6
    assert chances["destroyed"].share == 1 - Fraction(5, 6) ** 6


@pytest.mark.parametrize("order", ["barrage", "pass"])
def test_harm_is_the_chance_of_the_events_that_a_position_counts(order):
    beside = odds_beside("wacht_am_rhein/crossroads", "US").after[order]
    harm = harm_after("wacht_am_rhein/crossroads", "US", order)
    assert {goal: beside[goal].share for goal in harm} == harm


@pytest.mark.full
def test_an_order_that_is_too_large_is_sampled_and_the_others_stay_exact():
    game, odds = fp.load(VILLAGE / "village.playthrough.txt"), SideOdds("german")
    for session, _ in game.session.again():
        orders = [each.text for each in Viewer(session, "german").form().orders if not each.refusal]
        beside = odds.orders(session, orders)
        if "smoke" in orders:  # with a smoke screen the rules read the clock
            break
    assert orders == ["concentration", "smoke", "harassing"]
    sampled = {order: [*map(attrgetter("error"), beside.after[order].values())] for order in orders}
    # The smoke lands on the target at once, so that the first goal alone is small enough.
    assert beside.after["smoke"]["target"] == GoalChance(Fraction(1))
    assert min(sampled["smoke"][1:]) > 0
    exact = [0, 0, 0, 0]  # all goals but destruction
    assert sampled["concentration"][:-1] == sampled["harassing"][:-1] == exact


@pytest.mark.parametrize(
    ("best", "share", "points"),
    [
        # 79.84 and 33.56 differ by 46.28; a reader subtracts 33.6 from 79.8
        (Fraction(7984, 10_000), Fraction(3356, 10_000), "46.2"),
        (Fraction(7776, 10_000), Fraction(7764, 10_000), "0.2"),
        (Fraction(7776, 10_000), Fraction(7775, 10_000), "<0.1"),
        (Fraction(1), Fraction(9999, 10_000), "<0.1"),
        (Fraction(1), Fraction(0), "100"),
        (Fraction(1, 2), Fraction(1, 2), ""),
    ],
)
def test_points_behind_are_the_difference_of_the_chances_as_they_are_shown(best, share, points):
    chances = {"best": best, "other": share}
    odds = OrderOdds({name: {"target": GoalChance(each)} for name, each in chances.items()})
    assert odds.points_behind("other", "target") == points


@pytest.mark.parametrize(
    ("shares", "error", "leads", "behind"),
    [
        ((40, 38), 0, ("a",), ("", "2.0")),
        ((40, 38), 2, ("a", "b"), ("", "2")),
        ((40, 30), 5, ("a", "b"), ("", "10")),
        ((40, 25), 5, ("a",), ("", "15")),
        ((40, 40), 0, ("a", "b"), ("", "")),
    ],
)
def test_sampled_orders_lead_together_unless_two_standard_errors_tell_them_apart(
    shares, error, leads, behind
):
    """Sampled figures are whole points, and orders within two standard errors lead together.

    With 5 points either way the difference has an error of 7.07, and 15 is more than twice that.
    """
    chances = [GoalChance(Fraction(each, 100), Fraction(error, 100)) for each in shares]
    odds = OrderOdds({name: {"target": each} for name, each in zip("ab", chances, strict=True)})
    assert odds.leads("target") == leads
    assert tuple(odds.points_behind(name, "target") for name in "ab") == behind
    unclear = error and len(leads) == 2
    assert [odds.unclear(name, "target") for name in "ab"] == [unclear, unclear]


@pytest.mark.parametrize(
    ("shares", "error", "bounded"),
    [((100, 82), 5, True), ((10, 0), 1, True), ((60, 40), 5, False), ((100, 0), 0, False)],
)
def test_a_difference_is_bounded_if_one_of_its_sampled_chances_rounds_to_0_or_100(
    shares, error, bounded
):
    """Exact chances are shown as figures, even if they are 0 or 100 %."""
    chances = [GoalChance(Fraction(each, 100), Fraction(error, 100)) for each in shares]
    odds = OrderOdds({name: {"target": each} for name, each in zip("ab", chances, strict=True)})
    assert odds.bounded("b", "target") is bounded


def test_an_event_from_other_play_is_not_weighed_as_a_choice():
    """C1.61: an observer lost to other play is recorded, never advised."""
    scenario, setup = find_scenario(Catalogue.installed(), "asl/village")
    session = Session(scenario, setup.moments)
    session.order(Order.of("call"))
    form = Viewer(session, "german").form()
    legal = {order.verb for order in form.orders if not order.refusal}
    assert legal == {"roll", "pass", "disorder"}
    assert {order.verb for order in form.choices} == {"roll", "pass"}
    forms = session.table.rulebook.forms(session.table.waits_for, session.table.read)
    assert {each.verb for each in forms if each.elsewhere} == {"disorder", "rout", "cut"}


def test_goals_of_harm_are_computed_only_on_request():
    scenario, form = find_scenario(Catalogue.installed(), "asl/village")
    session = Session(scenario, form.moments)
    odds = SideOdds("german").orders(session, ["call", "pass"], harm=False)
    assert odds.goals == ("target", "falls", "spared")
    assert not odds.sampled
