"""Effects of fire on vehicles, Guns, terrain and moving units: C1.5, C1.51, C1.53, C1.55, C1.56,
C1.71.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
from support_asl import hexful, on_the_march

from fireplan_asl import fireplan_game as game
from fireplan_asl.units import (
    BURNING,
    DAMAGED,
    DESTROYED,
    Leg,
    UnitProfile,
)
from fireplan_asl.vehicles import (
    SHOCKED,
    UNHURT,
    against_afv,
    against_unarmoured,
    armour_drm,
    casualty_dr,
    most_vehicles,
)
from fireplan_core import FireKind, Stage, Step
from fireplan_core.play import State


@pytest.mark.parametrize(
    ("fp", "casualty", "most", "unarmoured"),
    [
        (1, 1, 1, 3), (2, 2, 2, 4), (4, 2, 2, 5), (6, 3, 3, 6), (8, 3, 3, 7), (12, 3, 3, 8),
        (16, 4, 4, 9), (20, 4, 4, 10), (24, 5, 5, 11), (30, 6, 6, 12), (36, 7, 7, 13),
    ],
)  # fmt: skip
def test_c1_55_columns_for_vehicles(fp, casualty, most, unarmoured):
    charts = game().charts_with({})
    assert casualty_dr(charts["ift"], f"fp{fp}") == casualty
    assert most_vehicles(charts["ift"], f"fp{fp}") == most
    assert int(charts["ift_vehicle"].cells[fp, "kill_number"]) == unarmoured


def test_c1_55_armour_drm():
    drm = {
        ("thin", False): -1, ("thin", True): -2, ("medium", False): 0,
        ("medium", True): -1, ("thick", False): 1, ("thick", True): 0,
    }  # fmt: skip
    for (armour, open_topped), value in drm.items():
        stand = UnitProfile(0, kind="afv", armour=armour, open_topped=open_topped)
        assert armour_drm(stand, game().charts_with({})["numbers"]) == value


def test_c1_55_final_dr_against_an_afv():
    chart = game().charts_with({})
    # The 20 FP column has K/4 at 4 and KIA up to 3; half of 4 or less burns the vehicle.
    fates = [against_afv(chart, "fp20", dr, turret=True) for dr in range(1, 8)]
    assert fates == [BURNING, BURNING, DESTROYED, SHOCKED, SHOCKED, UNHURT, UNHURT]
    assert against_afv(chart, "fp20", 5, turret=False) == DAMAGED
    # The 30 FP column has K/4 at 6.
    assert [against_afv(chart, "fp30", dr, turret=False) for dr in (3, 4, 5, 6, 7, 8)] == [
        BURNING, DESTROYED, DESTROYED, DAMAGED, DAMAGED, UNHURT,
    ]  # fmt: skip


def test_c1_55_final_dr_against_an_unarmoured_vehicle():
    # The kill number of the 20 FP column is 10.
    fates = {5: BURNING, 6: DESTROYED, 9: DESTROYED, 10: DAMAGED, 11: UNHURT}
    assert {dr: against_unarmoured(game().charts_with({}), "fp20", dr) for dr in fates} == fates


def loss(game, unit):
    return game.table.read(f"units/{unit}/resolution/loss", 0)


def test_c1_55_one_dr_for_all_and_the_original_dr_decides_turret_or_hull(referee):
    tank = UnitProfile(0, kind="afv")
    # The coloured 2 is below the white 3, so the turret is hit; a Final 5 on 20 FP shocks.
    assert hexful(referee, [2, 3], tank=tank).emitted("shocked")
    assert loss(hexful(referee, [3, 2], tank=tank), "tank") == 1  # a hit on the hull immobilises
    assert loss(hexful(referee, [2, 1], tank=tank), "tank") == 2
    assert loss(hexful(referee, [3, 3], tank=tank), "tank") == 0
    assert loss(hexful(referee, [3, 3], tank=attrs.evolve(tank, armour="thin")), "tank") == 1


def test_c1_55_tem_counts_and_crews_survive_a_destroyed_but_not_a_burning_wreck(referee):
    woods = UnitProfile(0, kind="afv", tem=1)
    assert loss(hexful(referee, [2, 1], tank=woods), "tank") == 1  # 3 + 1 = 4
    crew = UnitProfile(8, aboard="truck", survival=5)
    # On 20 FP a 6 is a 3MC for the crew, which 3 + 3 passes. It is below the truck's kill number of
    # 10, so the truck is destroyed, and the crew survives on 5 or less.
    for survival, size in (([2, 3], 2), ([3, 3], 0)):
        game = hexful(referee, [3, 3, 1, 2], crew=crew, truck=UnitProfile(0, kind="unarmoured"))
        assert (loss(game, "truck"), game.waits) == (2, "survival")
        assert game.go(survival).table.read("units/crew/resolution/size", 2) == size
    # A 5 is half of 10, so the truck burns and nobody survives.
    burnt = hexful(referee, [2, 3, 1, 1], crew=crew, truck=UnitProfile(0, kind="unarmoured"))
    assert (loss(burnt, "truck"), burnt.table.read("units/crew/resolution/size", 2)) == (3, 0)
    assert burnt.waits != "survival"


def test_c1_52_the_tem_of_a_lost_unit_does_not_count_for_those_left_in_its_hex(referee):
    """A 5 on 20 FP is a 4MC in the open (C1.5); the foxholes of the eliminated squad add nothing."""
    gone, left = UnitProfile(7, tem=4), UnitProfile(7)
    start = hexful(referee, [], gone=gone, left=left)
    state = start.table.state
    lost = state.values.put((("units/gone/resolution/size", 0),))
    attack = Step("resolution.attack", ("a", Fraction(1), ("gone", "left")))
    start.table.state = State(lost, (attack,))
    start.table._advance()
    start.go([2, 3])
    assert start.waits == "morale"
    assert not start.emitted("modifier")


def test_c1_55_no_more_vehicles_than_the_highest_kia(referee):
    trucks = {f"t{n}": UnitProfile(0, kind="unarmoured") for n in range(5)}
    game = hexful(referee, [3, 3], **trucks)  # 20 FP affects at most 4 vehicles
    assert game.waits == "vehicles"
    game.go([1, 2, 3, 4, 5])
    assert [loss(game, f"t{n}") for n in range(5)] == [0, 2, 2, 2, 2]


def test_c1_55_the_limit_on_vehicles_leaves_guns_under_attack(referee):
    trucks = {f"t{n}": UnitProfile(0, kind="unarmoured") for n in range(5)}
    game = hexful(referee, [2, 1], **trucks, gun=UnitProfile(7, kind="gun"))
    assert game.waits == "vehicles"
    game.go([1, 2, 3, 4, 5])
    assert loss(game, "gun") == 2


def test_c1_55_the_crew_of_an_immobilised_tank_need_not_survive_it(referee):
    crew = UnitProfile(8, aboard="tank", survival=5)
    game = hexful(referee, [3, 2, 1, 1], crew=crew, tank=UnitProfile(0, kind="afv"))
    assert loss(game, "tank") == 1
    assert game.waits != "survival"


def test_c1_53_a_critical_hit_on_a_gun_destroys_it(referee):
    game = hexful(referee, [1, 1], gun=UnitProfile(7, kind="gun", tem=4), men=UnitProfile(7, tem=4))
    assert game.waits == "critical"
    game.go([6, 1])
    assert loss(game, "gun") == 2
    # TEM does not protect an AFV: on 36 FP a 2 burns it.
    assert loss(hexful(referee, [1, 1], tank=UnitProfile(0, kind="afv", tem=4)), "tank") == 3


def test_c1_53_c1_71_wp_is_a_check_with_tem_turned_round_and_against_on_a_critical_hit(referee):
    house = UnitProfile(7, tem=3)
    # 9 - 3 passes at Morale 7
    assert not hexful(referee, [3, 3, 5, 4], FireKind.WP, men=house).emitted("suffered")
    game = hexful(referee, [3, 3, 5, 5], FireKind.WP, men=house)
    assert game.emitted("suffered")  # 10 - 3 = 7 pins
    critical = hexful(referee, [1, 1], FireKind.WP, men=house)
    assert critical.emitted("critical_hit")
    assert critical.go([2, 3]).emitted("suffered")  # 5 + 3 breaks the unit
    assert not hexful(referee, [], FireKind.SMOKE, men=house).emitted("suffered")


def test_c1_56_concealed_units_are_attacked_at_full_firepower(referee):
    for hidden in (False, True):
        # An 8 on 20 FP is a 2MC.
        assert hexful(referee, [4, 4], men=UnitProfile(7, concealed=hidden)).waits == "morale"


def test_c1_5_an_original_kia_clears_obstacles_and_may_bring_a_level_down(referee):
    wire, house = (
        UnitProfile(9, kind="obstacle"),
        UnitProfile(9, kind="building", levels=2, stone=True),
    )
    game = hexful(referee, [1, 2], wire=wire, house=house)  # an Original 3 is 1KIA on 20 FP
    assert (loss(game, "wire"), game.waits) == (2, "rubble")
    assert loss(game.go([1]), "house") == 0  # 1 + 1 for stone is above 1
    assert loss(hexful(referee, [2, 2], wire=wire), "wire") == 0


# --- moving units --------------------------------------------------------------------------------
def marching(referee, faces, *legs, **stand):
    """Return a table at the opening of a phase in which a man moves while a battery has Radio
    Contact.
    """
    # Without contact an FFE:C is gone before the MPh.
    agenda, values = (Step("resolution.opening"),), {"missions/a/delays/contact": True}
    return on_the_march(referee, faces, *legs, agenda=agenda, values=values, **stand)


@pytest.mark.parametrize("stage", [Stage.FALLING, Stage.LINGERING])
def test_c1_51_entering_a_blast_area_is_attacked_each_time(referee, stage):
    legs = (Leg(1, (10, 11)), Leg(1, (10, 10)), Leg(1, (20, 10)))
    game = marching(referee, [6, 6], *legs, stage=stage)  # a 12 on 12 FP has no effect
    assert game.waits == "entering"
    game.go([6, 6])
    assert len(game.emitted("enters")) == 3
    assert marching(referee, [], *legs, stage=Stage.SPOTTING).waits != "entering"


def test_c1_51_ffmo_and_ffnam_in_the_mph_alone(referee):
    leg = Leg(1, (10, 10), exposed=-2)
    assert marching(referee, [5, 6], leg).waits == "morale"  # 11 - 2 = 9 is an NMC on 12 FP
    assert marching(referee, [5, 6], Leg(2, (10, 10), exposed=-2), moment=2).waits != "morale"


def test_c1_51_the_terrain_entered_counts_and_a_broken_unit_stops(referee):
    # A 9 + 2 on 12 FP requires no check.
    assert marching(referee, [4, 5], Leg(1, (10, 10), tem=2)).waits != "morale"
    game = marching(referee, [4, 4, 5, 5], Leg(1, (10, 10)), Leg(1, (10, 11)))
    assert len(game.emitted("enters")) == 1


def test_c1_55_a_changed_column_without_a_casualty_result_takes_its_highest_kia_for_it():
    chart = game().charts["ift"]
    (casualty,) = (row for row in chart.rows if chart.cell(row, "fp16").startswith("K/"))
    changed = attrs.evolve(chart, cells={**chart.cells, (casualty, "fp16"): "1KIA"})
    assert casualty_dr(changed, "fp16") == casualty
    charts = {**game().charts_with({}), "ift": changed}
    fates = [
        against_afv(charts, "fp16", dr, turret=False) for dr in range(casualty - 1, casualty + 3)
    ]
    assert fates == [DESTROYED, DESTROYED, DAMAGED, UNHURT]
    harmless = attrs.evolve(
        chart, cells={**chart.cells, **{(row, "fp16"): "NMC" for row in chart.rows}}
    )
    assert casualty_dr(harmless, "fp16") is None
    assert (
        against_afv(
            {**game().charts_with({}), "ift": harmless}, "fp16", chart.rows[0], turret=False
        )
        == UNHURT
    )
