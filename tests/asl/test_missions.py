"""Types of Fire Mission (C1.7, C1.71, C1.72, C1.73, C1.731, C1.733, C1.9) and what an Observer sees
(C1.57, C1.62).
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
from support_asl import ON_HAND, passed, with_facts

from fireplan_asl import fireplan_game as game
from fireplan_asl.ift import column_for
from fireplan_core import Asset, Observer, Order, Stage, View
from fireplan_core.play import Answered

TARGET = (10, 10)
EVERY = ("concentration", "harassing", "smoke", "wp")


def choosing(referee, make, kinds=EVERY, stage=Stage.SPOTTING, at=TARGET, **engagement):
    played = with_facts(make(**engagement), "requests", kinds=kinds)
    played = with_facts(played, "areas", kinds=kinds)
    eyes = attrs.evolve(played.missions["a"].facts["observers"], place=(10, 0))
    played = with_facts(played, "observers", **attrs.asdict(eyes, recurse=False))
    return referee(played).stand(stage=stage, impact=at, **ON_HAND)


def intensity(game, place):
    scenario = game.scenario
    view = View(game.table.read, scenario, "areas")
    return scenario.parts.areas.covers(view, "a", place, Fraction(0))


def test_c1_7_the_type_is_announced_when_ffe_1_appears(referee, make):
    game = choosing(referee, make)
    game.go([], [Order.of("convert"), Order.of("harassing")])
    assert [(event["type"], event.cite) for event in game.emitted("announced")] == [
        ("harassing", "C1.72")
    ]
    # The type stays until the mission ends: the next phase does not ask again.
    game.go([2, 2], [])
    assert len(game.emitted("announced")) == 1


def test_c1_7_a_battery_without_a_choice_is_not_asked(referee):
    game = (
        referee()
        .stand(stage=Stage.SPOTTING, impact=TARGET, **ON_HAND)
        .go([], [Order.of("convert")])
    )
    assert not game.emitted("announced")


def asked(game):
    """Return the table where the type of the mission is asked for."""
    table = game.table
    table.submit(Answered("requests.fire", Order.of("convert")))
    return game


def test_c1_7_ir_and_types_the_battery_lacks_are_refused_by_rule(referee, make):
    game = asked(choosing(referee, make, kinds=("concentration", "harassing")))
    assert game.waits == "requests.type"
    assert game.refused(Order.of("ir")) == "C1.7"
    assert game.refused(Order.of("smoke")) == "C1.7"
    assert game.refused(Order.of("harassing")) is None


def test_e12_3_a_barrage_is_not_converted_from_a_sr(referee, make):
    game = asked(choosing(referee, make, kinds=("concentration", "barrage")))
    assert game.refused(Order.of("barrage")) == "E12.3"


@pytest.mark.parametrize(
    ("kind", "radius", "strength"),
    [
        ("concentration", 1, Fraction(1)),
        ("harassing", 2, Fraction(1, 3)),
        ("smoke", 1, Fraction(1)),
        ("wp", 1, Fraction(1)),
    ],
)
def test_c1_7_c1_72_blast_area_and_strength_of_every_type(referee, make, kind, radius, strength):
    game = choosing(referee, make).stand(
        stage=Stage.FALLING, impact=TARGET, requests__kind=kind, **ON_HAND
    )
    for far in range(4):
        assert intensity(game, (10, 10 + far)) == (strength if far <= radius else 0)


def test_c1_72_harassing_fire_uses_a_third_of_the_firepower():
    chart = game().charts["ift"]
    # By calibre: 70+ and 80+ mm have 4 FP, 100+ mm 6, 120+ and 150+ mm 8, 200+ mm 12.
    thirds = {12: "fp4", 16: "fp4", 20: "fp6", 24: "fp8", 30: "fp8", 36: "fp12"}
    for power, column in thirds.items():
        assert column_for(chart, Fraction(power, 3)) == column


def test_c1_71_smoke_is_placed_in_every_hex_and_hinders(referee, make):
    game = choosing(referee, make).go([], [Order.of("convert"), Order.of("smoke")])
    told = game.emitted("smoke")[0]
    assert (len(told["at"]), told["strength"]) == (7, 3)  # the FFE falls in a PFPh
    cells = game.table.read("shared/areas/cells", ())
    assert {strength for _, strength, *_ in cells} == {3}
    sight = sees(game, TARGET)
    assert sight.hindrance == 6  # two hexes of SMOKE in between: K14 and K15
    assert not sight.ground


def sees(game, place):
    view = View(game.table.read, game.scenario, "observers")
    return game.scenario.parts.observers.sees(view, "a", place)


def test_c1_32_blast_height_of_two_levels_and_of_wp_four(referee, make):
    played = with_facts(make(), "requests", kinds=EVERY)
    played = with_facts(played, "areas", kinds=EVERY)
    near, higher = (10, 11), (11, 10)
    played = with_facts(
        played, "observers", blind=frozenset({near, higher}), blind_above=frozenset({higher})
    )
    for kind, seen in (
        ("concentration", [False, False]),
        ("smoke", [False, False]),
        ("wp", [True, False]),
    ):
        game = referee(played).stand(
            stage=Stage.FALLING, impact=TARGET, requests__kind=kind, **ON_HAND
        )
        assert [sees(game, place).burst for place in (near, higher)] == seen
        view = View(game.table.read, game.scenario, "observers")
        look = game.scenario.parts.observers.burst
        assert [look(view, "a", place, smoke=True) for place in (near, higher)] == seen
        assert sees(game, TARGET).burst
    # The bursts of an SR are two levels high.
    game = referee(played).stand(stage=Stage.SPOTTING, impact=near, requests__kind="wp", **ON_HAND)
    assert not sees(game, near).burst


def test_c1_32_nothing_is_seen_and_nothing_covered_off_the_map(referee, make):
    game = referee(make(options={"boards": 1})).stand(
        stage=Stage.FALLING, impact=(10, -4), **ON_HAND
    )
    assert game.scenario.frame.label((10, -4)) == "K1"
    assert intensity(game, (10, -3)) == 1
    assert intensity(game, (10, -5)) == 0
    assert not sees(game, (10, -5)).burst


def test_c1_62_hindrances_between_observer_and_ar_are_drm_to_the_accuracy_dr(referee, make):
    played = make()
    cite = "C1.62, C1.57, E12.52, E12.75"
    for drm, accurate in ((0, True), (1, False)):
        eyes = {"place": (10, 0), "hindrances": (((10, 5), drm),) if drm else ()}
        game = referee(with_facts(played, "observers", **eyes)).go([3, 3, "black", 2])
        assert (game.get("impact") == TARGET) is accurate
        assert (cite in [event.cite for event in game.emitted("modifier")]) is not accurate


def test_c1_62_hindrances_do_not_count_in_a_pre_registered_hex(referee, make):
    played = make("russian", asset=Asset(preregistered=True))
    played = with_facts(played, "observers", place=(10, 0), hindrances=(((10, 5), 3),))
    assert referee(played).go([2, 2, "black", 4]).get("impact") == TARGET


def test_c1_62_six_hindrance_blocks_los(make, referee):
    game = referee(with_facts(make(), "observers", place=(10, 0), hindrances=(((10, 5), 6),)))
    assert not sees(game, TARGET).ground
    assert sees(game, (10, 4)).ground
    assert sees(game, (10, 4)).hindrance == 0


def test_c1_57_a_concentration_hinders_by_one_harassing_fire_does_not(referee, make):
    played = with_facts(make(), "requests", kinds=EVERY)
    played = with_facts(played, "areas", kinds=EVERY)
    played = with_facts(played, "observers", place=(10, 0), bursts=(("a", 1),))
    for kind, hindrance in (("concentration", 1), ("harassing", 0), ("smoke", 0)):
        game = referee(played).stand(
            stage=Stage.FALLING, impact=(10, 5), requests__kind=kind, **ON_HAND
        )
        # Only the bursts of a Concentration Hinder, by one.
        assert sees(game, TARGET).hindrance == hindrance
        assert sees(game, (20, 0)).hindrance == 0


def test_c1_62_the_los_passes_the_hexes_between_and_both_of_a_hexside(make):
    frame = make().frame
    assert passed(frame, (10, 0), (10, 3)) == ((10, 0), (10, 1), (10, 2), (10, 3))
    assert set(passed(frame, (10, 0), (12, -1))) == {(10, 0), (11, 0), (11, -1), (12, -1)}


def test_c1_57_an_own_ffe_on_the_way_costs_accuracy_when_it_is_corrected(referee, make):
    played = with_facts(make(), "observers", place=(10, 0), bursts=(("a", 1),))
    for at, accurate in (((10, 9), False), ((13, 8), True)):
        game = referee(played).stand(
            stage=Stage.FALLING, impact=at, areas__resolved=True, fell=True, **ON_HAND
        )
        game.go([2], [Order.of("correct", at=TARGET)])
        assert (game.get("impact") == TARGET) is accurate


def test_c1_9_rockets_always_err_over_nineteen_hexes_once(referee):
    game = referee(asset=Asset(weapon="rocket", calibre_mm=150)).go([3, 3, "black"])
    for verb in ("place",):
        assert game.refused(Order.of(verb, at=TARGET)) == "C1.9"
    assert game.refused(Order.of("fire", at=TARGET)) is None
    game.go([4, 2], [Order.of("fire", at=TARGET)])  # no Accuracy dr; direction and extent
    assert game.get("impact") == (10, 12)
    assert intensity(game, (10, 14)) == 1
    assert intensity(game, (10, 15)) == 0
    assert game.scenario.missions["a"].facts["areas"].kinds == ("rocket",)


def test_c1_9_a_rocket_ffe_is_not_corrected_and_there_is_no_second_mission(referee):
    rockets = Asset(weapon="rocket", calibre_mm=150)
    game = referee(asset=rockets).stand(stage=Stage.FALLING, impact=TARGET, fell=True, **ON_HAND)
    assert game.refused(Order.of("correct", at=(10, 11))) == "C1.9"
    game = referee(asset=rockets).stand(stage=Stage.LINGERING, impact=TARGET, fell=True, **ON_HAND)
    assert game.refused(Order.of("replace_fire", at=TARGET)) == "C1.9"
    game.go([], [Order.of("remove")])
    assert [event["reason"].value for event in game.emitted("ended")] == ["exhausted"]


def test_c1_73_c1_733_pre_registered_hexes_belong_to_the_battery(referee):
    game = referee(asset=Asset(preregistered=True), observer=Observer(kind="offboard")).go(
        ["black"]
    )
    assert game.refused(Order.of("fire", at=TARGET)) is None
    assert game.refused(Order.of("fire", at=(11, 10))) == "C1.731"
    assert game.scenario.missions["a"].slots["delays"].black == 9  # 8 and the extra black chit
    # The side's other batteries have none: the record belongs to one battery (C1.733).
    assert game.scenario.missions["a"].facts["areas"].registered == frozenset({TARGET})
