"""The odds beside the orders of a side: each goal is what its name says, or is left out."""

from fractions import Fraction
from operator import attrgetter
from pathlib import Path

import pytest

import fireplan as fp
from fireplan.analysis import GOALS, SideOdds
from fireplan.table import Session, Viewer
from fireplan_core.play import Catalogue, find_scenario

VILLAGE = Path(__file__).parents[3] / "plugins/asl/src/fireplan_asl/data/playthroughs"


def odds_beside(name, side):
    """The odds after each legal order of a side where it is asked first."""
    scenario, form = find_scenario(Catalogue.installed(), name)
    session = Session(scenario, form.moments)
    orders = [each.text for each in Viewer(session, side).form().orders if not each.refusal]
    return SideOdds(side).orders(session, orders)


def test_harm_is_left_out_where_mission_and_targets_are_too_large_together():
    odds = odds_beside("asl/village", "german")
    assert odds.goals == ("target", "falls", "spared")
    assert {goal for chances in odds.after.values() for goal in chances} == {*odds.goals}


def test_6_3_a_six_standing_bases_are_harmed_by_what_the_area_weapons_chart_says():
    odds = odds_beside("miniatures_1943/chits_in_hand", "american")
    assert odds.goals == tuple(GOALS)
    chances = odds.after["place barrages=1 air_strikes=0 dummies=0"]
    assert chances["harmed"].share == 1 - Fraction(4, 6) ** 6
    assert chances["destroyed"].share == 1 - Fraction(5, 6) ** 6


@pytest.mark.parametrize("order", ["barrage", "pass"])
def test_harm_is_the_chance_of_the_events_that_a_position_counts(order):
    beside = odds_beside("wacht_am_rhein/crossroads", "US").after[order]
    after = fp.position("wacht_am_rhein/crossroads").play(order)
    scenario, _ = find_scenario(Catalogue.installed(), "wacht_am_rhein/crossroads")
    units = [name for name, unit in scenario.units.items() if unit.side != "US"]
    for goal, severities in (
        ("harmed", ["suppressed", "reduced", "destroyed"]),
        ("destroyed", ["destroyed"]),
    ):
        happens = fp.happens("suffered", unit=units, severity=severities)
        assert beside[goal].share == after.chance(happens).chance


def test_an_order_that_is_too_large_is_sampled_and_the_others_stay_exact():
    game, odds = fp.load(VILLAGE / "village.playthrough.txt"), SideOdds("german")
    for session, _ in game.session.again():
        orders = [each.text for each in Viewer(session, "german").form().orders if not each.refusal]
        beside = odds.orders(session, orders)
        if "smoke" in orders:  # a screen makes the rules read the clock
            break
    assert orders == ["concentration", "smoke", "harassing"]
    sampled = {order: [*map(attrgetter("error"), beside.after[order].values())] for order in orders}
    assert min(sampled["smoke"]) > 0
    assert sampled["concentration"] == sampled["harassing"] == [0, 0, 0]
