"""Rulings that a second reading of the texts found wrong or missing, by number (C1.2-C1.62,
E12.4-E12.77).
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
from support_asl import ON_HAND, hexful, on_the_march, read, shipped, with_facts

import fireplan as fp
from fireplan_asl import fireplan_game as asl
from fireplan_asl.path import next_hexes
from fireplan_asl.units import Leg, UnitProfile
from fireplan_core import (
    FireKind,
    Observer,
    Order,
    Reason,
    Stage,
    Step,
    Target,
    View,
)
from fireplan_core.files import FileError
from fireplan_core.play import State, load_scenario

TARGET, NEAR = (10, 10), (10, 11)
BLIND_TARGET = Target(nationality="russian", men=10, frontage_m=10, depth_m=10, identified=False)
TWO = """
game = "asl"
title = "Two batteries"
moments = 12
date = 1944-08-12

[[battery]]
id = "a"
side = "attacker"
nationality = "german"
calibre = 105
target = "K5"
observer = "E6"
missions = ["concentration"]

[[battery]]
id = "b"
side = "attacker"
nationality = "german"
calibre = 105
target = "M5"
observer = "E6"
missions = ["concentration"]

[[unit]]
id = "squad"
side = "defender"
hex = "K5"
"""


def severities(game):
    return [(event["unit"], event["severity"].name) for event in game.emitted("suffered")]


# --- C1.5, C1.52: one DR for the hex, TEM for each target --------------------------------------------------
def test_c1_52_each_target_of_a_hex_counts_its_own_tem(referee):
    # On 12 FP an 8 is a 1MC in the open; with the foxhole's +4 the total of 12 has no effect.
    for units in (
        {"open": UnitProfile(7), "dug": UnitProfile(7, tem=4)},
        {"dug": UnitProfile(7, tem=4), "open": UnitProfile(7)},
    ):
        game = hexful(referee, [4, 4, 3, 4], mm=75, **units)
        assert severities(game) == [("open", "SUPPRESSED")]
        assert game.waits not in ("morale", "effect")


def test_c1_52_the_tem_of_a_vehicle_is_not_that_of_the_men_beside_it(referee):
    tank, dug = UnitProfile(0, kind="afv"), UnitProfile(7, tem=4)
    assert hexful(referee, [4, 4], mm=75, tank=tank, dug=dug).waits != "morale"
    wood = hexful(
        referee,
        [5, 5],
        mm=75,
        tank=UnitProfile(0, kind="afv", tem=3),
        men=UnitProfile(7, air_bursts=-1),
    )
    assert wood.waits == "morale"  # 10 - 1 = 9 is an NMC on 12 FP


def test_c1_52_levels_of_a_building_have_one_dr_and_a_result_each(referee):
    # Stone has TEM 3, and 1 more for each level above. A 5 on 12 FP is 8 at the top (1MC), then 9
    # (NMC), and 10 at the bottom (PTC).
    top, middle, ground = (
        UnitProfile(7, tem=3),
        UnitProfile(7, tem=3, above=1),
        UnitProfile(7, tem=3, above=2),
    )
    game = hexful(referee, [2, 3, 3, 3, 3, 4, 3, 4], mm=75, top=top, middle=middle, ground=ground)
    # 6 + 1 and 7 + 0 just pass and pin; a PTC of 7 passes.
    assert severities(game) == [("top", "SUPPRESSED"), ("middle", "SUPPRESSED")]


def test_c1_53_the_rest_of_a_hex_take_the_normal_attack_by_their_own_tem(referee):
    # A 2 on 12 FP: the first unit is chosen; the others are attacked at 2 + 4 = 6 (2MC) and 2
    # (1KIA).
    game = hexful(
        referee,
        [1, 1, 6, 1, 1],
        mm=75,
        hit=UnitProfile(7),
        dug=UnitProfile(7, tem=4),
        open=UnitProfile(7),
    )
    assert game.waits == "morale"
    assert ("open", "DESTROYED") in severities(game.go([1, 1]))


# --- C1.22: contact --------------------------------------------------------------------------------------
def test_c1_22_not_calling_again_after_a_mission_loses_contact(referee):
    game = referee().stand(
        Step("delays.moment"), stage=Stage.ENDED, reason=Reason.DELIVERED, **ON_HAND
    ).go([], [Order.of("pass")])  # fmt: skip
    assert game.get("delays/contact") is False


def test_c1_22_declining_a_contact_dr_is_voluntary_too_where_the_burst_is_not_seen(referee):
    hand = {**ON_HAND, "delays__contact": False}
    off = referee(options={"boards": 1}).scenario.frame.parse("K-2")
    game = referee(options={"boards": 1}).stand(
        Step("delays.attempt", ("a",)), stage=Stage.SPOTTING, impact=off, **hand
    ).go([], [Order.of("pass")])  # fmt: skip
    assert (game.get("stage"), game.get("delays/access")) == (Stage.DELAYED, False)
    seen = referee().stand(
        Step("delays.attempt", ("a",)), stage=Stage.SPOTTING, impact=NEAR, **hand
    ).go([], [Order.of("pass")])  # fmt: skip
    assert (seen.get("stage"), seen.get("delays/access")) == (Stage.SPOTTING, True)


def test_c1_22_nothing_is_cancelled_if_no_counter_is_on_the_map(referee):
    game = referee().stand(
        Step("delays.attempt", ("a",)), stage=Stage.DELAYED, delays__contact=True
    ).go([], [Order.of("pass")])  # fmt: skip
    assert game.get("delays/contact") is False
    assert not game.emitted("ceased")


def test_c1_63_an_offboard_observer_always_has_contact_and_so_one_option_to_choose(referee):
    game = referee(observer=Observer(kind="offboard")).stand(
        Step("delays.attempt", ("a",)), stage=Stage.FALLING, impact=NEAR, areas__resolved=True, **ON_HAND
    )  # fmt: skip
    assert game.waits == "delays.contact"
    assert game.refused(Order.of("pass")) == "C1.63, C1.33"
    assert game.refused(Order.of("roll")) is None


@pytest.mark.parametrize(
    ("reading", "waits"), [("a new draw", "access"), ("access is kept", "requests.fire")]
)
def test_c1_21_a_cancelled_sr_and_access(referee, reading, waits):
    # C1.21 requires a draw whenever no SR or FFE is on the map; it also lets Access last until an
    # FFE:C or a Cancelled FFE.
    game = referee(options={"access_without_counter": reading})
    game.stand(stage=Stage.SPOTTING, impact=NEAR, **ON_HAND).go([], [Order.of("cancel")]).go([3, 3])
    assert game.waits == waits


def test_c1_21_c1_35_access_kept_without_a_counter_still_ends_with_a_cancelled_ffe(referee):
    game = referee(options={"access_without_counter": "access is kept"})
    game.stand(stage=Stage.FALLING, impact=NEAR, areas__resolved=True, **ON_HAND)
    game.go([], [Order.of("cancel")]).go([3, 3])
    assert game.waits == "access"


# --- C1.3: a blind AR ------------------------------------------------------------------------------------
@pytest.mark.parametrize(("reading", "asked"), [("an SR or FFE", True), ("only an FFE", False)])
def test_c1_3_a_blind_ar_for_a_sr_on_the_map_puts_the_mission_in_the_opponents_hand(
    referee, reading, asked
):
    # Where Access survives without a counter on the map, only the Cancelled Mission costs it.
    options = {"blind_ar": reading, "access_without_counter": "access is kept"}
    game = referee(observer=Observer(sight="burst_only"), options=options)
    game.stand(stage=Stage.SPOTTING, impact=(10, 12), **ON_HAND).go(
        [], [Order.of("correct", at=TARGET)]
    )
    assert (game.waits == "requests.blind") is asked
    if asked:
        game.go([], [Order.of("cancel")])
        assert (game.get("stage"), game.get("impact"), game.get("delays/access")) == (
            Stage.DELAYED,
            None,
            False,
        )
        assert game.go([3, 3]).waits == "access"


# --- C1.334, C1.335: SMOKE is disregarded --------------------------------------------------------
def test_c1_334_smoke_does_not_keep_a_ffe_from_being_left(referee, make):
    played = with_facts(make(target=BLIND_TARGET), "observers", place=(10, 0))
    smoke = tuple(((10, row), 3, False, FireKind.SMOKE) for row in (8, 9, 10))
    for stage, verdict in ((Stage.FALLING, None), (Stage.SPOTTING, "C1.333")):
        game = referee(played)
        game.put({"shared/areas/cells": smoke}).stand(stage=stage, impact=TARGET, **ON_HAND)
        order = Order.of("leave" if stage is Stage.FALLING else "convert")
        assert game.refused(order) == verdict


def test_c1_334_a_hindrance_other_than_smoke_is_not_disregarded(referee, make):
    played = with_facts(
        make(target=BLIND_TARGET), "observers", place=(10, 0), hindrances=(((10, 5), 6),)
    )
    game = referee(played).stand(stage=Stage.FALLING, impact=TARGET, **ON_HAND)
    assert game.refused(Order.of("leave")) == "C1.334"


# --- C1.57, E12.75: Hindrance ----------------------------------------------------------------------------
@pytest.mark.parametrize("stage", [Stage.FALLING, Stage.LINGERING])
def test_c1_57_a_ffe_c_hinders_as_well(catalogue, referee, tmp_path, stage):
    game = referee(read(catalogue, tmp_path, TWO)).stand(stage=stage, impact=(8, 2), **ON_HAND)
    assert game.label == "I6"
    sees = game.scenario.parts.observers.sees
    view = View(game.table.read, game.scenario, "observers")
    assert sees(view, "b", game.place("M7")).hindrance == 1


def test_c1_57_c1_341_the_ffe_c_is_a_sr_before_the_ar_is_placed(referee, make):
    # For the AR next to the FFE:C, an SR has replaced the FFE:C, so its own bursts no longer
    # Hinder: a 2 is accurate.
    played = with_facts(make(), "observers", place=(10, 0), bursts=(("a", 1),))
    game = referee(played).stand(stage=Stage.LINGERING, impact=(10, 9), fell=True, **ON_HAND)
    game.go([2], [Order.of("correct", at=TARGET)])
    assert (game.get("stage"), game.get("impact")) == (Stage.SPOTTING, TARGET)


def test_e12_75_after_the_conversion_the_battery_hinders_as_any_other(catalogue, referee, tmp_path):
    played = attrs.evolve(shipped(catalogue, tmp_path, "creeping"), units={})
    for kind, drm in (("creeping", 2), ("concentration", 1), ("harassing", 0)):
        over = {"areas__over": kind != "creeping", "requests__kind": kind}
        game = referee(played).stand(
            stage=Stage.FALLING, impact=played.frame.parse("H5"), **over, **ON_HAND
        )
        view = View(game.table.read, game.scenario, "observers")
        assert game.scenario.parts.observers.sees(view, "a", game.place("L5")).hindrance == drm


def test_c1_62_a_hindrance_counts_only_between_the_observer_and_the_ar(referee, make):
    # Grain in the AR's own hex is not in between.
    played = with_facts(make(), "observers", place=(10, 0), hindrances=((TARGET, 1),))
    view = View(referee(played).table.read, played, "observers")
    assert played.parts.observers.sees(view, "a", TARGET).hindrance == 0
    assert played.parts.observers.sees(view, "a", NEAR).hindrance == 1


# --- C1.31: the declared orientation of the AR counter ---------------------------------------------------
@pytest.mark.parametrize(("hexside", "label"), [(1, "K4"), (2, "L4"), (4, "K6"), (6, "J4")])
def test_c1_31_direction_1_is_the_hexside_that_the_counter_was_declared_to_point_at(
    catalogue, referee, tmp_path, hexside, label
):
    text = TWO.replace('target = "K5"', f'target = "K5"\nar_points_to = {hexside}')
    game = referee(read(catalogue, tmp_path, text))
    game.stand(stage=Stage.DELAYED, **ON_HAND).go(
        [6, 1, 1], [Order.of("place", at=game.place("K5"))]
    )
    assert game.label == label


# --- C1.51: moving units -------------------------------------------------------------------------
def test_c1_51_a_unit_is_attacked_in_its_hex_only_when_it_becomes_more_vulnerable(referee):
    worse, better, same = (Leg(1, TARGET, tem=tem) for tem in (0, 4, 2))
    assert on_the_march(referee, [], worse, start=TARGET, tem=2).waits == "entering"
    assert on_the_march(referee, [], better, start=TARGET, tem=2).waits != "entering"
    assert on_the_march(referee, [], same, start=TARGET, tem=2).waits != "entering"


@pytest.mark.parametrize(("moment", "attacked"), [(1, False), (2, True)])
def test_c1_51_c1_22_a_ffe_c_without_contact_is_gone_before_the_mph_but_not_before_the_aph(
    referee, moment, attacked
):
    # An RPh separates the MPh and the APh: the MPh comes after the RPh and before a DFPh, the APh
    # before the RPh and a PFPh.
    values = {"missions/a/delays/contact": False, "missions/a/areas/wait": Fraction(1)}
    game = on_the_march(
        referee, [], Leg(moment, TARGET), stage=Stage.LINGERING, moment=moment, values=values
    )
    assert (game.waits == "entering") is attacked


def test_c1_334_where_a_known_enemy_was_during_the_mission_the_ffe_may_be_left(
    catalogue, referee, tmp_path
):
    # The squad in J5 is seen, then moves away; K5, where the FFE is, is dead ground.
    text = TWO.replace('hex = "K5"', 'hex = "J5"\n\n[[unit.move]]\nmoment = 1\nto = "S5"')
    text = text.replace('observer = "E6"', 'observer = "E6"\nno_ground = ["K5"]', 1)
    game = referee(read(catalogue, tmp_path, text))
    game.stand(
        Step("core.ready", ("a",)),
        Step("core.moment"),
        stage=Stage.SPOTTING,
        impact=game.place("K5"),
        **ON_HAND,
    )
    game.go([], [Order.of("convert")])
    while game.waits not in ("requests.fire", "maintenance"):
        game.go([6, 6])
    game.table.state = State(
        game.table.state.values.put((("units/squad/place", game.place("S5")),)),
        (Step("core.ready", ("a",)),),
    )
    game.table._advance()
    assert game.waits == "requests.fire"
    assert game.refused(Order.of("leave")) is None


# --- E12: Barrages -------------------------------------------------------------------------------
def test_e12_4_another_registered_hex_does_not_open_a_hex_next_to_the_present_one(
    catalogue, referee, tmp_path
):
    played = shipped(
        catalogue, tmp_path, "set_piece",
        ('"H6", "C6"', '"H6", "H8"'), ('C6 = "C5-C7"', 'H8 = "H7-H9"'),
    )  # fmt: skip
    game = referee(played).stand(
        stage=Stage.FALLING, impact=played.frame.parse("H5"), areas__resolved=True,
        requests__kind="barrage", **ON_HAND,
    )  # fmt: skip
    # H7 is next to both registered hexes; the FFE in H5 is next to H6, so it may not go to another
    # hex next to H6.
    assert game.refused(Order.of("correct", at=game.place("H7"))) == "E12.4"
    assert game.refused(Order.of("correct", at=game.place("H6"))) is None
    assert game.refused(Order.of("correct", at=game.place("H8"))) is None


def test_e12_771_a_converted_battery_with_one_type_does_not_creep_on(catalogue, referee, tmp_path):
    played = shipped(
        catalogue,
        tmp_path,
        "creeping",
        ('missions = ["concentration", "harassing"]', 'missions = ["concentration"]'),
    )
    game = referee(attrs.evolve(played, units={})).go(["black", 1, 1, 1, 1, 1])
    assert game.emitted("lifts")
    game.go([3, 3, "black", 1])  # contact, access, an accurate SR
    assert game.get("stage") is Stage.SPOTTING
    place = game.get("impact")
    game.go([3, 3], [Order.of("convert")]).go([3, 3], [Order.of("leave")])
    assert [event["impact"] for event in game.emitted("fall")][-2:] == [place, place]


def test_e12_74_the_player_chooses_where_two_hexes_of_the_grain_fit(catalogue, referee):
    played = load_scenario(catalogue, asl().scenarios.shipped["creeping"])[0]
    at = played.frame.parse
    path = tuple(at(f"{row}5") for row in "GHIJKLMNOP")
    choice = {played.frame.label(h) for h in next_hexes(path, at("I4"), 2)}
    assert choice == {"J5", "K5"}
    game = referee(attrs.evolve(played, units={})).stand(
        Step("areas.creep", ("a", False)),
        stage=Stage.FALLING,
        impact=at("I4"),
        areas__resolved=True,
        areas__turns=0,
    )
    assert game.waits == "areas.creep_ar"
    assert game.refused(Order.of("place", at=at("L5"))) == "E12.74"
    game.go([1], [Order.of("place", at=at("J5"))])
    assert game.emitted("fall")[-1]["impact"] == at("J5")


def test_e12_1_a_barrage_hex_may_be_aimed_at_only_if_it_is_seen(catalogue, referee, tmp_path):
    played = shipped(
        catalogue, tmp_path, "set_piece", ('observer = "A5"', 'observer = "A5"\nno_ground = ["H6"]')
    )
    game = referee(played).stand(stage=Stage.DELAYED, **ON_HAND)
    game.go([], [Order.of("fire", at=game.place("H6")), Order.of("barrage")])
    assert game.emitted("unseen")
    assert game.get("impact") is None


def test_e12_72_the_red_chit_of_the_special_draw_does_not_count_as_a_red_one(catalogue, referee):
    played = attrs.evolve(
        load_scenario(catalogue, asl().scenarios.shipped["creeping"])[0], units={}
    )
    game = referee(played).go(["red", 1, *[1] * 5])
    while not game.emitted("lifts"):
        game.go([1])
    game.go([3, 3, "red"])  # the first red chit that counts
    assert game.get("reason") is not Reason.EXHAUSTED
    game.go([3, 3, "red"])
    assert game.get("reason") is Reason.EXHAUSTED


def test_e12_1_a_rocket_battery_cannot_even_list_a_barrage(catalogue, tmp_path):
    with pytest.raises(FileError, match=r"E12\.1"):
        shipped(
            catalogue, tmp_path, "set_piece", ("calibre = 100", 'calibre = 150\nweapon = "rocket"')
        )


@pytest.mark.parametrize(("impact", "order"), [("K5", "K5 K4 L5 K6 J5"), ("J5", "J5 K5 K6")])
def test_c1_5_order_of_resolution(catalogue, referee, tmp_path, impact, order):
    names = ("J5", "K6", "K5", "L5", "K4")
    units = "".join(f'\n[[unit]]\nid = "{n}"\nside = "defender"\nhex = "{n}"\n' for n in names)
    played = read(catalogue, tmp_path, TWO[: TWO.index("\n[[unit]]")] + units)
    label = played.frame.label
    game = referee(played).stand(stage=Stage.FALLING, impact=played.frame.parse(impact), **ON_HAND)
    view = View(game.table.read, played, "areas")
    covered = tuple(
        played.frame.parse(n)
        for n in names
        if played.parts.areas.covers(view, "a", played.frame.parse(n), Fraction(0))
    )
    assert " ".join(map(label, played.parts.areas.in_order(view, "a", covered))) == order


# --- what is Known after losses, and after a Bombardment ---------------------------------------------------
@pytest.mark.parametrize(("reading", "cite"), [("as declared", None), ("as they stand", "C1.333")])
def test_c1_333_an_eliminated_enemy_is_known_no_more(catalogue, referee, tmp_path, reading, cite):
    text = TWO.replace('observer = "E6"', 'observer = "E6"\nno_ground = ["K4"]', 1)
    text = text.replace(
        "moments = 12", f'moments = 12\noptions = {{ known_enemies = "{reading}" }}'
    )
    game = referee(read(catalogue, tmp_path, text))
    # A Final DR of 2 is a 2KIA or more.
    fire = Step("resolution.result", ("a", Fraction(1), ("squad",), 2))
    game.stand(
        fire, Step("core.ready", ("a",)), stage=Stage.SPOTTING, impact=game.place("K4"), **ON_HAND
    )
    assert game.waits == "requests.fire"
    assert game.refused(Order.of("convert")) == cite
    # Without an enemy there, no extra chit is required either (C1.21).
    other = referee(read(catalogue, tmp_path, text.replace('["K4"]', '["K4", "K5"]')))
    other.stand(fire, Step("core.ready", ("a",)), stage=Stage.DELAYED, **ON_HAND)
    other.go([], [Order.of("place", at=other.place("J4"))])
    assert other.waits == ("extra" if reading == "as declared" else "accuracy")


@pytest.mark.parametrize(
    ("reading", "waits"), [("as declared", "extra"), ("as they stand", "accuracy")]
)
def test_c1_82_c1_21_a_concealed_unit_that_a_bombardment_reveals_is_known(
    catalogue, referee, tmp_path, reading, waits
):
    text = TWO.replace('hex = "K5"', 'hex = "K5"\nconcealed = true\nconcealment_terrain = true')
    text = text.replace(
        "moments = 12", f'moments = 12\noptions = {{ known_enemies = "{reading}" }}'
    )
    game = referee(read(catalogue, tmp_path, text))
    shelled = Step("resolution.softened", ("a", game.place("K5"), "squad"))
    game.stand(shelled, Step("core.ready", ("a",)), stage=Stage.DELAYED, **ON_HAND)
    game.go([4, 5])  # 9 + 2 breaks the squad
    assert game.emitted("revealed")
    game.go([], [Order.of("place", at=game.place("K5"))])
    assert game.waits == waits


def test_c1_334_where_an_eliminated_enemy_was_during_the_mission_the_ffe_may_be_left(
    catalogue, referee, tmp_path
):
    text = TWO.replace('observer = "E6"', 'observer = "E6"\nno_ground = ["K4"]', 1)
    text = text.replace(
        "moments = 12", 'moments = 12\noptions = { known_enemies = "as they stand" }'
    )
    game = referee(read(catalogue, tmp_path, text))
    game.stand(Step("core.ready", ("a",)), stage=Stage.SPOTTING, impact=game.place("K4"), **ON_HAND)
    # An Original 3 on 20 FP in K5 is a 1KIA; then comes a Maintenance DR of 6.
    game.go([1, 2, 3, 3], [Order.of("convert")])
    assert game.table.read("units/squad/resolution/size", 2) == 0
    assert game.waits == "requests.fire"
    assert game.refused(Order.of("leave")) is None


# --- C1.7, E12.3: the type of a Fire Mission -----------------------------------------------------------------
@pytest.mark.parametrize("kinds", ['["barrage"]', '["barrage", "barrage_smoke"]'])
def test_e12_3_a_battery_with_barrages_alone_converts_no_sr(catalogue, referee, tmp_path, kinds):
    missions = 'missions = ["barrage", "concentration", "barrage_smoke"]', f"missions = {kinds}"
    played = shipped(catalogue, tmp_path, "set_piece", missions)
    at = played.frame.parse
    game = referee(played).stand(stage=Stage.SPOTTING, impact=at("H6"), **ON_HAND)
    assert game.refused(Order.of("convert")) == "E12.3"
    assert game.refused(Order.of("correct_convert", at=at("H7"))) == "E12.3"
    assert game.refused(Order.of("leave")) is None
    assert game.refused(Order.of("replace_fire", at=at("H6"))) is None
    game = referee(played).stand(stage=Stage.LINGERING, impact=at("H6"), **ON_HAND)
    assert game.refused(Order.of("convert")) == "E12.3"


def test_c1_7_a_sr_that_was_not_converted_may_be_designated_again(referee):
    # No LOS to the ground of the target, and no Known enemy next to it: the Corrected SR is not
    # Converted.
    game = referee(observer=Observer(sight="burst_only"))
    played = game.scenario
    for word in ("requests", "areas"):
        played = with_facts(played, word, kinds=("concentration", "harassing"))
    game = referee(played).stand(stage=Stage.SPOTTING, impact=(10, 13), **ON_HAND)
    game.go(["black", 6, 1, 6], [Order.of("correct_convert", at=NEAR), Order.of("harassing")])
    assert (game.get("stage"), game.get("impact")) == (Stage.SPOTTING, TARGET)
    assert [event.cite for event in game.emitted("actions_end")] == ["C1.322"]
    game.go([3, 3], [])
    game.go([2], [Order.of("correct_convert", at=(10, 12)), Order.of("concentration")])
    assert [event["type"] for event in game.emitted("announced")] == ["harassing", "concentration"]


# --- C1.22: the radio breaks --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("stage", "kinds"),
    [
        (Stage.SPOTTING, []),
        (Stage.FALLING, ["fall", "lingering", "ended"]),
        (Stage.LINGERING, ["ended"]),
    ],
)
def test_c1_22_counters_on_the_map_when_the_radio_breaks(referee, stage, kinds):
    game = referee().stand(
        Step("core.moment"),
        stage=stage,
        impact=(20, 10),
        areas__resolved=stage is Stage.FALLING,
        fell=True,
        **ON_HAND,
    )
    game.go([6, 6])
    assert [
        e.event.kind for e in game.table.log if e.event.kind in ("fall", "lingering", "ended")
    ] == kinds
    assert (game.get("impact") is None) is (stage is not Stage.SPOTTING)
    assert game.waits == "repair"


# --- cases that seeded faults showed to be untested ----------------------------------------------
def test_c1_62_smoke_in_his_own_hex_counts_one_more_and_three_at_most_in_a_hex(referee, make):
    played = with_facts(make(), "observers", place=(10, 0))
    for smoke, hindrance in (
        # Dispersed SMOKE in the Observer's own hex adds one more for a LOS out of it.
        (
            (((10, 0), 2, True, FireKind.SMOKE),),
            3,
        ),
        ((((10, 5), 2, True, FireKind.SMOKE),), 2),
        ((((10, 5), 4, False, FireKind.SMOKE),), 3),
        ((((10, 0), 2, True, FireKind.SMOKE), ((10, 5), 1, True, FireKind.SMOKE)), 4),
    ):
        game = referee(played).put({"shared/areas/cells": smoke})
        view = View(game.table.read, played, "observers")
        assert played.parts.observers.sees(view, "a", TARGET).hindrance == hindrance


@pytest.mark.parametrize(
    ("cells", "drm", "between"),
    [
        ([(TARGET, 3)], 3, 0),  # SMOKE in the hex of the AR
        ([((10, 5), 2), (TARGET, 3)], 5, 2),
        ([((10, 0), 2), (TARGET, 3)], 6, 3),  # SMOKE in his own hex counts one more either way
    ],
)
def test_c1_62_smoke_in_the_hex_of_the_ar_counts_or_only_smoke_before_it(make, cells, drm, between):
    played = with_facts(make(), "observers", place=(10, 0))
    smoke = tuple((at, strength, False, FireKind.SMOKE) for at, strength in cells)
    values = {**played.initial, "shared/areas/cells": smoke}
    view = View(values.get, played, "observers")
    observers = played.parts.observers
    assert observers.hindrance(view, "a", TARGET) == drm
    assert observers.hindrance(view, "a", TARGET, between=True) == between


@pytest.mark.parametrize(("reading", "accurate"), [("in its hex too", 0), ("only between", 1)])
def test_c1_62_option_ar_hindrance_decides_the_accuracy_of_an_ar_in_smoke(reading, accurate):
    # With +3 SMOKE only in K5, the hex of the AR, a German Final dr of 2 or less is impossible if
    # that SMOKE counts; otherwise it has 2 chances of 6.
    laid = fp.position(
        f'fp1 asl/village(option:ar_hindrance="{reading}") "turn 2 PFPh"'
        " a{stage=requested black=7 contact access} @K5{smoke=3} > german?requests.fire(a)"
    )
    ways = laid.outcomes("place at=K5", until="end of phase")
    hits = sum(way.chance for way in ways if str(way.position["a", "round"]) == "K5")
    assert hits == Fraction(accurate, 3)


def test_c1_53_c1_52_air_bursts_count_beside_a_critical_hit(referee):
    # In woods the two units that were not selected are attacked on 12 FP at 2 - 1 = 1, a 2KIA; in
    # the open a 2 would be a 1KIA.
    woods = UnitProfile(7, air_bursts=-1)
    game = hexful(referee, [1, 1, 6, 1, 1], mm=75, first=woods, second=woods, third=woods)
    assert {unit for unit, severity in severities(game) if severity == "DESTROYED"} == {
        "first",
        "second",
        "third",
    }
