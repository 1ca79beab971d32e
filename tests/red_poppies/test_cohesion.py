"""Cohesion checks under fire (3.72, 3.73, 7.241), firepower (7.0) and the troops that are staged."""

from __future__ import annotations

import itertools

import attrs
import pytest

from fireplan_core import CannotStageError, OwnTroops, Severity
from fireplan_red_poppies import GAME
from fireplan_red_poppies.setup import firepower

NOTHING: list[Severity] = []
DISPERSED = [Severity.SUPPRESSED]
DESTROYED = [Severity.DESTROYED]

PAIRS = list(itertools.product(range(1, 7), repeat=2))


def pair(total):
    return next(faces for faces in PAIRS if sum(faces) == total)


@pytest.mark.parametrize(
    ("calibre", "points"),
    [
        (75, 3),
        (77, 4),
        (84, 4),
        (100, 4),
        (105, 5),
        (120, 5),
        (150, 5),
        (155, 6),
        (210, 7),
        (305, 9),
    ],
)
def test_rp_7_0_firepower_by_calibre(calibre, points):
    assert firepower(calibre, GAME.charts_with({})) == points
    assert firepower(calibre, GAME.charts_with({}), before_1897=True) == points - 1


def test_rp_7_0_nearest_gives_the_german_field_gun_three():
    # 77 / 25 is 3.08, and the nearest whole number is 3.
    assert firepower(77, GAME.charts_with({}), rounding="nearest") == 3
    assert firepower(155, GAME.charts_with({}), rounding="nearest") == 5
    assert firepower(150, GAME.charts_with({}), rounding="nearest") == 5


@pytest.mark.parametrize(
    ("roll", "net", "suffered"),
    [
        # Cases from the example of play, all against cohesion 8.
        (5, 3, NOTHING),  # 8 does not exceed 8
        (7, 3, DISPERSED),  # total 10 exceeds 8
        (3, 3, NOTHING),  # total 6 does not exceed 8
        (8, 3, DESTROYED),  # total 11 exceeds 8
        (8, 1, DISPERSED),  # total 9 exceeds 8
        (9, 3, DESTROYED),  # total 12 exceeds 8
        (12, 3, DESTROYED),  # total 15 exceeds 8
        (6, 2, NOTHING),  # total 8 does not exceed 8
        (7, 1, NOTHING),  # total 8 does not exceed 8
        (8, 0, NOTHING),  # total 8 does not exceed 8
    ],
)
def test_rp_3_72_3_73_thresholds_of_the_example_of_play(rp, roll, net, suffered):
    # A dispersed company in the open: firepower is the only modifier.
    assert rp.check(rp.stage(), pair(roll), net).suffered == suffered


def test_rp_3_72_the_example_of_a_company_in_its_trench(rp):
    # 8 with +2 for firepower and -3 for the trench makes 7.
    found = rp.check(rp.stage(cover="trench", weapon="gun"), pair(8), 2)
    assert (found.net, found.suffered) == (-1, NOTHING)


def test_rp_7_241_firepower_two_formed_moving_in_craters_is_plus_three(rp):
    scenario = rp.stage(posture="dug_in")
    assert rp.check(scenario, pair(8), 2, formed=True, moving=True).net == 2 + 1 + 1 - 1


@pytest.mark.parametrize(
    ("posture", "cover", "weapon", "net"),
    [
        ("prone", "open", "howitzer", 0),
        ("standing", "open", "howitzer", 1),
        ("moving", "open", "howitzer", 2),
        ("dug_in", "open", "howitzer", -1),
        ("prone", "woods", "gun", -1),
        ("prone", "buildings", "gun", -1),
        ("dug_in", "woods", "gun", -1),
        ("prone", "trench", "gun", -3),
        ("prone", "trench", "howitzer", -2),
        ("dug_in", "trench", "mortar", -2),
        ("standing", "trench", "gun", -2),
    ],
)
def test_rp_7_241_circumstances_of_fire_for_effect(rp, posture, cover, weapon, net):
    scenario = rp.stage(posture=posture, cover=cover, weapon=weapon)
    assert rp.check(scenario, pair(7), 3).net == 3 + net


def test_rp_7_241_neither_range_nor_visibility_counts(rp):
    near = rp.check(rp.stage(range_m=1000), pair(7), 3)
    far = rp.check(rp.stage(range_m=9000, night=True), pair(7), 3)
    assert near.net == far.net == 3


def test_rp_6_53_of_several_grounds_the_target_takes_the_best(rp):
    scenario = rp.stage(cover="trench", weapon="gun")
    (name,) = scenario.units
    setup = scenario.units[name]
    both = attrs.evolve(setup.facts["resolution"], cover=True)
    scenario = attrs.evolve(scenario, units={name: attrs.evolve(setup, facts={"resolution": both})})
    assert rp.check(scenario, pair(7), 3).net == 0


@pytest.mark.parametrize(
    ("quality", "nothing", "dispersed"),
    # With +3 a company is destroyed on a roll of 8 or more (15 of 36). By its quality it is
    # unaffected up to 4, 5 or 6 (6, 10 or 15 of 36).
    [("green", 6, 15), ("average", 10, 11), ("veteran", 15, 6)],
)
def test_rp_3_72_cohesion_by_quality(rp, quality, nothing, dispersed):
    scenario = rp.stage(quality=quality)
    found = [tuple(rp.check(scenario, faces, 3).suffered) for faces in PAIRS]
    assert found.count(()) == nothing
    assert found.count((Severity.SUPPRESSED,)) == dispersed
    assert found.count((Severity.DESTROYED,)) == 15


def test_rp_3_72_a_failure_turns_the_company_and_stops_it(rp):
    scenario = rp.stage(posture="moving")
    updates = rp.check(scenario, pair(5), 3).updates
    assert updates == {"units/t1.1/resolution/formed": False, "units/t1.1/resolution/moving": False}


def test_rp_3_73_the_destroyed_check_no_more(rp):
    assert rp.check(rp.stage(), pair(12), 9, destroyed=True).suffered == []


def test_rp_3_4_a_company_for_150_men_and_two_in_a_hex(rp):
    assert [unit.strength for unit in rp.stage(men=120).units.values()] == [120]
    assert [unit.strength for unit in rp.stage(men=151).units.values()] == [76, 75]
    with pytest.raises(CannotStageError, match=r"3\.4"):
        rp.stage(men=301)


def test_men_are_spread_over_the_hexes_of_the_target(rp):
    scenario = rp.stage(men=302, frontage_m=400, depth_m=250)
    assert sorted(unit.strength for unit in scenario.units.values()) == [60, 60, 60, 61, 61]
    assert sum(unit.strength for unit in scenario.units.values()) == 302


def test_own_troops_are_staged_on_the_firers_side(rp):
    scenario = rp.stage(own_troops=OwnTroops(distance_m=200, men=40))
    assert scenario.units["o.1"].side == scenario.firer
    assert scenario.frame.label(scenario.units["o.1"].place) == "N17"
    assert scenario.targets == ("t1.1",)


def test_rp_7_0_no_rockets(rp):
    with pytest.raises(CannotStageError, match="rockets"):
        rp.stage(weapon="rocket")


def test_reconstructed_values_are_marked(rp):
    assert any("reconstructed" in note for note in rp.stage().provenance)
