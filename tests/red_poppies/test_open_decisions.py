"""Decisions that the rules leave open, each as an option in both settings, numbered as on the facts
sheet.
"""

from __future__ import annotations

import pytest
import support_red_poppies as rp

from fireplan_core import Order
from fireplan_red_poppies import GAME

PASS, TROOPS, OTHER, HALT = (Order.of(verb) for verb in ("pass", "troops", "other", "halt"))
COMMAND, ACTIVATE, ACT = "delays.command", "resolution.activate", "resolution.act"
CALL = Order.of("call", group="a", by="telephone")


def hexes(label):
    return rp.lay(board=rp.board()).frame.parse(label)


def move(unit, to):
    return Order.of("move", unit=unit, to=hexes(to))


def units(*names):
    return Order.of("units", units=names)


def test_every_option_names_its_rule_and_has_two_settings_at_least():
    assert all(len(option.values) > 1 and option.cite and option.summary for option in GAME.options)


@pytest.mark.parametrize(("option", "hit"), [(False, "DESTROYED"), (True, "SUPPRESSED")])
def test_rp_7_43_13_whether_a_point_paid_at_once_counts_as_in_against_a_barrage(option, hit):
    scenario = rp.lay(
        board=rp.board(), moves=True, barrage=(rp.barrage(),), hex=(rp.holds("N19", "trench"),),
        unit=(rp.unit("foe", "N20", formed=True),), options={"pays_to_be_in": option},
    )  # fmt: skip
    given = {COMMAND: [PASS, TROOPS], ACTIVATE: [units("foe.1")], ACT: [move("foe.1", "N19")]}
    table = rp.run(scenario, (5, 4, *((3,) if option else ())), given)
    assert rp.suffered(table) == {"foe.1": hit}
    if option:
        assert (rp.state(table, "foe.1", "inside"), rp.state(table, "foe.1", "points")) == (
            "trench",
            0,
        )


def test_rp_7_43_13_a_unit_without_points_cannot_pay():
    scenario = rp.lay(
        board=rp.board(), moves=True, barrage=(rp.barrage(),), hex=(rp.holds("N19", "trench"),),
        unit=(rp.unit("foe", "N20"),), options={"pays_to_be_in": True},
    )  # fmt: skip
    given = {COMMAND: [PASS, TROOPS], ACTIVATE: [units("foe.1")], ACT: [move("foe.1", "N19")]}
    assert rp.suffered(rp.run(scenario, (5, 4), given)) == {"foe.1": "DESTROYED"}


@pytest.mark.parametrize(("option", "attacks"), [("each_hex", 2), ("once_per_marker", 1)])
def test_rp_7_247_15_fire_for_effect_attacks_at_each_hex_entered_or_once(option, attacks):
    scenario = rp.lay(
        board=rp.board(west="K"), moves=True, side=rp.sides(commands=1), group=(rp.group(),),
        unit=(rp.unit("eyes", "N23", side="french"), rp.unit("foe", "M18", formed=True)),
        options={"fire_on_entry": option},
    )  # fmt: skip
    place = Order.of("place", at=scenario.frame.parse("N18/N19/O19"))
    table = rp.run(
        scenario, (5, 4, 6, 3, 1, 1, 1, *(1, 1) * attacks),
        {COMMAND: [CALL, PASS, OTHER, TROOPS], "requests.cross_hair": [place], ACTIVATE: [units("foe.1")],
         ACT: [move("foe.1", "N18"), move("foe.1", "N19")]},
    )  # fmt: skip
    assert len(rp.told(table, "enters")) == 2
    assert len(rp.told(table, "attacked")) == attacks


@pytest.mark.parametrize(("option", "found"), [(True, [-1]), (False, [])])
def test_rp_7_241_20_an_afv_in_the_hex_covers_its_friends_but_no_other_afv(option, found):
    scenario = rp.lay(
        board=rp.board(), side=rp.sides(commands=1), options={"vehicle_cover": option},
        unit=(rp.unit("foe", "N19"), rp.unit("tank", "N19 N19", kind="schneider")),
        group=(rp.group(cross_hair="N18/N19/O19", mode="aircraft"),),
    )  # fmt: skip
    table = rp.run(scenario, (5, 4, 1, 1, 1, *(1, 1) * 3))
    assert [
        f["value"] for _, _, f in rp.told(table, "modifier") if f["summary"] == "terrain: afv"
    ] == found
    assert (
        len(
            [
                f
                for _, _, f in rp.told(table, "modifier")
                if f["summary"] == "firepower of the group"
            ]
        )
        == 3
    )


def test_rp_7_241_20_a_moving_afv_under_fire_for_effect_has_the_area_value():
    # The tank drives from M18 into the fire: +1, where anti-tank fire would have -1.
    scenario = rp.lay(
        board=rp.board(west="K"), moves=True, side=rp.sides(commands=1), group=(rp.group(),),
        unit=(rp.unit("eyes", "N23", side="french"), rp.unit("tank", "M18", kind="schneider")),
    )  # fmt: skip
    place = Order.of("place", at=scenario.frame.parse("N18/N19/O19"))
    table = rp.run(
        scenario, (5, 4, 6, 3, 1, 1, 1, 1, 1),
        {COMMAND: [CALL, PASS, OTHER, TROOPS], "requests.cross_hair": [place], ACTIVATE: [units("tank.1")],
         ACT: [move("tank.1", "N18")]},
    )  # fmt: skip
    assert [
        f["value"] for _, _, f in rp.told(table, "modifier") if f["summary"] == "target moving"
    ] == [1]


@pytest.mark.parametrize(("option", "markers"), [("scenario", 3), ("turn", 0)])
def test_rp_7_512_23_gas_stays_to_the_end_of_the_scenario_or_of_the_turn(option, markers):
    scenario = rp.lay(
        board=rp.board(), side=rp.sides(commands=1), group=(rp.group(shells=("gas",)),),
        unit=(rp.unit("eyes", "N23", side="french"),), options={"gas_lasts": option},
    )  # fmt: skip
    values = {"at": scenario.frame.parse("N18/N19/O19"), "shell": "gas"}
    place = Order.of("place", **values)
    orders = {COMMAND: [CALL, OTHER], "requests.cross_hair": [place]}
    fallen = rp.run(scenario, (5, 4, 5, 4, 1, 1, 1), orders)
    assert fallen.state.moment == 2
    assert len(fallen.read("shared/resolution/gas", ())) == markers


@pytest.mark.parametrize(("option", "last"), [("advances", "16"), ("lines", "17")])
def test_rp_7_41_33_a_length_of_three_is_three_advances_or_three_lines(option, last):
    # With two couplets a turn from row 19, the barrage strikes rows 19 and 18, 18 and 17, 17 and
    # 16.
    scenario = rp.lay(
        board=rp.board(), barrage=(rp.barrage(advances=3),), options={"barrage_length": option}
    )
    table = rp.run(scenario, (5, 3) * 5)
    assert rp.falls(table)[-1][1] == last
    assert len(rp.told(table, "ended")) == 1
