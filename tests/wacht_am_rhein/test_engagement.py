"""Neutral engagements: what is staged, what cannot be, and results counted by hand from the typed
chart.
"""

from fractions import Fraction

import attrs
import pytest

from fireplan.solver import FirstFall, own_troops_under_fire
from fireplan_core import (
    Asset,
    CannotStageError,
    Firer,
    Observer,
    OwnTroops,
    Severity,
    Situation,
    Target,
    View,
)
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Table, play_out, replay

TENTH = Fraction(1, 10)


def severity(war, given, **options):
    analysis = war.Analysis(war.scenario(given, **options), 1)
    assert analysis.separable
    found = analysis.severity()
    return tuple(int(found[one] / TENTH) for one in Severity), sum(found.values())


def tenths(war, given, **options):
    found, whole = severity(war, given, **options)
    assert whole == 1
    assert sum(found) == 10
    return found


def test_12_3_2_one_us_battalion_on_three_steps_in_the_open(war):
    # Value 4, density 0: no effect on 0-3, a shift on 4-5, a hit on 6-9, which costs one of three
    # steps.
    assert tenths(war, war.engagement(men=450)) == (4, 2, 4, 0)


def test_12_3_1_a_company_alone_is_one_step_behind_a_density_of_minus_one(war):
    # A density of -1 is subtracted from the die: no effect on 0-4, a shift on 5-6, a hit on 7-9,
    # which costs the only step.
    assert tenths(war, war.engagement(men=120)) == (5, 2, 0, 3)


def test_12_4_1b_a_defender_who_retreats_first_keeps_his_only_step(war):
    assert tenths(war, war.engagement(men=120), hits="retreat_first") == (5, 5, 0, 0)


def test_12_1_6g_unobserved_fire_has_minus_four(war):
    # At value 4 with -4 only a shift is possible, on 8 and 9.
    assert tenths(war, war.engagement(observer=Observer(kind="none"))) == (8, 2, 0, 0)


@pytest.mark.parametrize(
    ("observer", "found"),
    [
        (Observer(sight="burst_only"), (8, 2, 0, 0)),
        (Observer(sight="none"), (8, 2, 0, 0)),
        (Observer(kind="aircraft"), (4, 2, 4, 0)),
    ],
)
def test_12_1_6f_seeing_only_bursts_is_not_sight_but_us_aircraft_observe(war, observer, found):
    assert tenths(war, war.engagement(observer=observer)) == found


def test_12_1_6f_no_air_observation_for_the_german_nor_into_cover(war):
    woods = Target(nationality="german", men=450, cover="woods")
    # With a Barrage Value of 4, and modifiers of -4 and -1, only a shift is possible, on a 9.
    assert tenths(war, war.engagement(target=woods, observer=Observer(kind="aircraft"))) == (
        9,
        1,
        0,
        0,
    )
    # With the German Barrage Value of 3, and -4, only a shift is possible, on a 9.
    assert tenths(war, war.engagement("german", observer=Observer(kind="aircraft"))) == (9, 1, 0, 0)


def test_12_3_1_night_woods_and_holes(war):
    target = Target(nationality="german", men=450, cover="woods", posture="dug_in")
    # Value 4 with -1 for woods, -1 for the position, -1 for night: a shift on 7-8, a hit on 9.
    assert tenths(war, war.engagement(target=target, situation=Situation(night=True))) == (
        7,
        2,
        1,
        0,
    )


def test_12_3_1_rockets_add_one_to_their_first_volley_in_the_open(war):
    # German 15 cm rockets, value 4 with +1: no effect on 0-2, a shift on 3-4, a hit on 5-9.
    asset = Asset(calibre_mm=150, weapon="rocket", range_m=4000)
    assert tenths(war, war.engagement("german", asset=asset)) == (3, 2, 5, 0)


@pytest.mark.parametrize(
    ("footing", "works", "units"),
    [
        ("other", "none", 2),
        ("attack", "none", 4),
        ("other", "improved", 4),
        ("other", "entrenched", 4),
    ],
)
def test_12_1_6_the_standard_fires_all_that_is_allowed(war, footing, works, units):
    given = war.engagement(asset=Asset(guns=48), observer=Observer(footing=footing, works=works))
    table = war.Play(war.scenario(given))
    table.until("never")
    assert [event["factors"] for event in table.events("barrage")] == [4 * units]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (
            {"asset": Asset(weapon="mortar", calibre_mm=81)},
            "no US artillery unit represents 81 mm mortars",
        ),
        ({"asset": Asset(calibre_mm=130)}, "no US artillery unit represents 130 mm howitzers"),
        (
            {"asset": Asset(range_m=11_000)},
            "out of range: 7 hexes of 5 for 105mm howitzer M2 (12.1.3)",
        ),
    ],
)
def test_12_1_3_assets_that_the_game_does_not_have(war, more, reason):
    with pytest.raises(CannotStageError) as refused:
        war.scenario(war.engagement(**more))
    assert any(one.startswith(reason) for one in refused.value.reasons)


def test_12_6_1_only_us_and_german_artillery_is_in_the_game(war):
    with pytest.raises(CannotStageError, match="only US and German"):
        war.scenario(attrs.evolve(war.engagement(), firer=Firer(nationality="british")))


def test_12_1_1_fire_lands_in_its_hex_and_own_troops_are_never_in_it(war):
    scenario = war.scenario(war.engagement(own_troops=OwnTroops(distance_m=200)))
    analysis = war.Analysis(scenario, 1)
    assert analysis.solve(own_troops_under_fire()).shares == {False: 1}
    assert analysis.solve(FirstFall()).shares == {(0, 0, True, war.TARGET): 1}
    assert scenario.units["own"].place == (29, 15)
    assert scenario.parts.areas.miss_not_modelled


def test_12_1_1_one_hex_of_a_mile_is_224_hectares(war):
    table = war.Play(
        war.fielded(war.guns(("a", 4, 6, 4, "28th")), [war.observer("observer", "28th")])
    )
    table.until("requests.barrage")
    scenario = table.table.scenario
    cells, hectares = scenario.parts.areas.footprint(View(table.table.read, scenario, "areas"), "a")
    assert len(cells) == 1
    assert hectares == pytest.approx(224.2, abs=0.05)


def test_every_assumption_is_noted(war):
    said = " ".join(war.scenario(war.engagement(asset=Asset(guns=13))).provenance)
    for word in ("reconstructed", "2 x 105mm howitzer M2", "450 men count as 3 steps"):
        assert word in said


def test_a_played_table_is_its_journal(war):
    given = war.engagement(men=700, asset=Asset(guns=48), observer=Observer(footing="attack"))
    scenario = war.scenario(given)
    for seed in range(5):
        played = play_out(Table(scenario, 3), RandomFaces(seed))
        assert replay(scenario, 3, played.journal).state == played.state
