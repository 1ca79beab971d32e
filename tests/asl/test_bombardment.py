"""Bombardment before play: C1.8, C1.81, C1.82, C1.821, C1.822, C1.823."""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest

from fireplan.solver import Analysis, Compiler, FirstFall, WorstSeverity, sample
from fireplan_asl import fireplan_game as game
from fireplan_asl.bombardment import Scars, area_of, board_of, numbered, vehicle_class
from fireplan_asl.units import ObjectState, PersonnelState, UnitProfile
from fireplan_core import Order, OwnTroops, Severity, Situation, Staging, Step, Target, View
from fireplan_core.play import State, Table

SHELLED = Situation(bombardment=True)


def target(**changes):
    return Target(
        **{"nationality": "russian", "men": 10, "frontage_m": 10, "depth_m": 10, **changes}
    )


def spared_by(referee, dice):
    """Return the spared rows and the table, after two throws of three dice."""
    game = referee(situation=SHELLED, target=target(cover="trench")).go(dice)
    return game.emitted("spared")[0]["rows"], game


def test_c1_81_worked_example_of_six_dr(referee):
    rows, game = spared_by(referee, [3, 1, 3, 4, 5, 2])
    assert rows == (0, 1, 3, 8, 10)
    assert game.waits == "bombardment"  # the target is in row 5


@pytest.mark.parametrize(
    ("dice", "rows"),
    [
        ([1, 2, 3, 1, 2, 3], (1, 2, 3, 7, 8, 9)),
        ([6, 6, 6, 6, 6, 6], (6,)),
        ([5, 4, 4, 4, 5, 6], (0, 4, 5, 10)),
    ],
)
def test_c1_81_like_dr_and_more_than_ten_spare_less_and_ten_spares_nought(referee, dice, rows):
    assert spared_by(referee, dice)[0] == rows


def test_c1_81_a_spared_row_takes_no_check(referee):
    rows, game = spared_by(referee, [5, 1, 1, 6, 6, 6])
    assert rows == (1, 5)
    assert game.waits != "bombardment"
    assert not game.emitted("suffered")


def test_c1_81_the_area_is_one_board_or_two_half_boards(make):
    frame = make().frame
    assert board_of(frame.parse("K15")) == 1
    board = (1, 0, 32)
    assert area_of(frame, frame.parse("K15"), 33).areas == (board,)
    assert numbered(frame.parse("K11"), board) == 1
    assert numbered(frame.parse("K10"), board) is None
    # In the other hexrows there is a half hex 0 at the northern edge; it belongs to both boards.
    assert numbered(frame.parse("L10"), board) == 0
    assert numbered(frame.parse("L10"), (0, 0, 32)) == 10
    assert numbered(frame.parse("R15"), (1, 0, 16)) is None
    assert (
        numbered(frame.parse("Q15"), (1, 0, 16)) == numbered(frame.parse("Q15"), (1, 16, 32)) == 5
    )


def test_c1_81_own_units_in_the_area_are_shelled_with_morale_one_lower(referee):
    game = referee(
        situation=SHELLED,
        target=target(cover="trench"),
        own_troops=OwnTroops(distance_m=80, men=10),
    )
    # Own squad in the open: a DR of 4, +2 for the 2MC, +1 for own fire.
    game.go([1, 1, 1, 6, 6, 6, 2, 2, 2, 2])
    cites = [event.cite for event in game.emitted("modifier")]
    assert "C1.54" in cites


# --- Personnel ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("cover", "posture", "passes"),
    [
        # A trench has TEM 4, which is subtracted from the 2MC: a 9 passes at Morale 7.
        ("trench", "prone", 9),
        ("open", "dug_in", 9),
        ("woods", "prone", 4),  # the 2MC gets +1
        ("woods", "dug_in", 8),  # the 2MC gets -3
        ("open", "prone", 5),
        ("buildings", "prone", 8),  # a stone building has TEM 3, so the 2MC gets -3
    ],
)
def test_c1_82_tem_is_turned_round_on_a_2mc(referee, cover, posture, passes):
    for total, suffers in ((passes - 1, False), (passes, True), (passes + 1, True)):
        white = total // 2 + 1 if total % 2 == 0 else total // 2  # no doubles
        faces = [total - white, white]
        game = referee(situation=SHELLED, target=target(cover=cover, posture=posture))
        game.go([1, 1, 1, 6, 6, 6, *faces])
        assert bool(game.emitted("suffered")) is suffers
        assert game.table.read("units/s01/resolution/broken", False) is (total > passes)


def test_c1_82_doubles_that_fail_cost_men_and_original_12_always(referee):
    game = referee(situation=SHELLED, target=target())
    game.go([1, 1, 1, 6, 6, 6, 3, 3])
    assert game.table.read("units/s01/resolution/size", 2) == 1
    assert game.table.read("units/s01/resolution/broken", False) is True
    passed = referee(situation=SHELLED, target=target()).go([1, 1, 1, 6, 6, 6, 2, 2])
    assert passed.table.read("units/s01/resolution/size", 2) == 2
    twelve = referee(situation=SHELLED, target=target(cover="trench")).go([1, 1, 1, 6, 6, 6, 6, 6])
    assert twelve.waits == "scar"
    assert twelve.table.read("units/s01/resolution/size", 2) == 1


def test_c1_82_exact_chance_of_a_squad_in_a_trench(make):
    """A DR of 10 or 11 breaks, 9 pins, 12 and 5-5 cost men; the probability that row 5 is spared is
    91/216, worked out by hand.
    """
    played = make(situation=SHELLED, target=target(cover="trench"))
    hit = Fraction(125, 216)
    shares = Analysis(played, 0 + 1, {"requests.call": _silent}).unit_severities()["s01"]
    assert shares[Severity.REDUCED] == hit * Fraction(1 + 1, 36)
    assert shares[Severity.SUPPRESSED] == hit * Fraction(4 + 2 + 2, 36)
    assert shares[Severity.DESTROYED] == 0


def _silent(view, mission):
    return Order.of("pass")


def test_c1_8_exact_and_sampled_agree_and_the_mission_stays_small(make):
    played = make(
        situation=SHELLED, target=target(men=40, cover="trench", frontage_m=100, depth_m=60)
    )
    analysis = Analysis(played, 6)
    assert analysis.separable
    exact = analysis.unit_severities()["s02"][Severity.NONE]
    [counted] = sample(Compiler(played), [WorstSeverity("s02")], 6, 2000, 1)
    assert abs(counted.share(Severity.NONE) - float(exact)) < 4 * counted.error(Severity.NONE)
    assert (
        analysis.solve(FirstFall()).shares
        == Analysis(make(target=target(men=40)), 6).solve(FirstFall()).shares
    )


# --- equipment, terrain, and the marks that a Bombardment leaves ---------------------------------
def hex_of(referee, faces, options=None, **units):
    """Return a table after these dice, with units of the given profiles in one bombarded hex."""
    game = referee(situation=SHELLED, target=target(), options=options or {})
    scenario = game.scenario
    place = scenario.centre
    setups = {}
    for name, stand in units.items():
        slot = PersonnelState() if stand.kind == "infantry" else ObjectState()
        staging = Staging("test", scenario.parts.areas)
        side = "ground" if stand.kind in ("building", "bridge", "obstacle") else "target"
        staging.unit(name, side, place, strength=0, slot=slot, facts=stand)
        setups.update(staging.units)
    game.scenario = attrs.evolve(scenario, units=setups, shared={})
    game.table = Table(game.scenario, 2)
    game.table.state = State(game.table.state.values, (Step("resolution.bombarded", ("a", place)),))
    game.table._advance()
    return game.go(faces)


def loss(game, unit):
    return game.table.read(f"units/{unit}/resolution/loss", 0)


@pytest.mark.parametrize(
    ("stand", "level"),
    [
        (UnitProfile(0, kind="unarmoured"), 6),
        (UnitProfile(0, kind="afv", open_topped=True, armour="thick"), 8),
        (UnitProfile(0, kind="afv", armour="thin"), 8),
        (UnitProfile(0, kind="afv"), 9),
        (UnitProfile(0, kind="afv", armour="thick"), 9),
    ],
)
def test_c1_821_morale_of_vehicles(referee, stand, level):
    assert game().charts["numbers"].cells[f"{vehicle_class(stand)}_morale"] == level
    # A vehicle passes at its Morale Level or below; one above immobilises it, two destroy it, three
    # burn it.
    for over in range(min(4, 12 - level)):
        total = level + over
        faces = [total - total // 2, total // 2]
        assert loss(hex_of(referee, faces, tank=stand), "tank") == over


def test_c1_821_vehicles_first_then_survival_and_survivors_are_not_attacked_again(referee):
    truck = UnitProfile(0, kind="unarmoured")
    game = hex_of(referee, [4, 4], crew=UnitProfile(8, aboard="truck", survival=5), truck=truck)
    assert (loss(game, "truck"), game.waits) == (2, "survival")
    game.go([2, 3])
    assert [event["unit"] for event in game.emitted("survives")] == ["crew"]
    assert game.table.read("units/crew/resolution/size", 2) == 2
    assert game.waits != "bombardment"
    dead = hex_of(
        referee, [4, 4, 3, 3], crew=UnitProfile(8, aboard="truck", survival=5), truck=truck
    )
    assert dead.table.read("units/crew/resolution/size", 2) == 0
    burnt = hex_of(referee, [4, 5], crew=UnitProfile(8, aboard="truck", survival=5), truck=truck)
    assert (loss(burnt, "truck"), burnt.table.read("units/crew/resolution/size", 2)) == (3, 0)


def test_c1_821_a_manned_weapon_checks_only_with_a_failed_owner(referee):
    gun = UnitProfile(7, kind="gun", possessor="crew")
    assert loss(hex_of(referee, [1, 2], crew=UnitProfile(8), gun=gun), "gun") == 0
    # 7 + 2 fails against a Morale of 8.
    game = hex_of(referee, [3, 4], crew=UnitProfile(8), gun=gun)
    assert game.waits == "weapon_check"
    assert loss(game.go([4, 4]), "gun") == 1  # the gun malfunctions
    assert loss(hex_of(referee, [4, 5], mortar=UnitProfile(7, kind="weapon")), "mortar") == 2


def test_c1_82_mounts_are_lost_and_riders_bail_out_before_their_check(referee):
    game = hex_of(
        referee, [3, 4], rider=UnitProfile(8, aboard="horse"), horse=UnitProfile(0, kind="mount")
    )
    assert loss(game, "horse") == 2
    assert [event["unit"] for event in game.emitted("bails_out")] == ["rider"]
    assert game.table.read("units/rider/resolution/broken", False) is True


@pytest.mark.parametrize("morale", [8, 9, 10, 11])
def test_c1_822_a_building_loses_a_level_for_each_point(referee, morale):
    house = UnitProfile(morale, kind="building", levels=2)
    up, down = UnitProfile(8, level=1), UnitProfile(8, level=0)
    total = morale + 1
    faces = [total - total // 2, total // 2]
    game = hex_of(
        referee, [*faces, *([] if total < 12 else [1]), 1, 1], house=house, up=up, down=down
    )
    assert loss(game, "house") == 1
    assert game.table.read("units/up/resolution/size", 2) == 0
    assert game.table.read("units/down/resolution/size", 2) == 2


def test_c1_822_terrain_checks_before_its_occupants_and_obstacles_vanish(referee):
    game = hex_of(
        referee,
        [6, 5],
        man=UnitProfile(8, level=0),
        house=UnitProfile(9, kind="building", levels=2),
    )
    assert loss(game, "house") == 2
    assert game.table.read("units/man/resolution/size", 2) == 0
    assert loss(hex_of(referee, [4, 5], wire=UnitProfile(9, kind="obstacle")), "wire") == 0
    assert loss(hex_of(referee, [5, 5], wire=UnitProfile(9, kind="obstacle")), "wire") == 2


@pytest.mark.parametrize(
    ("option", "marks"),
    [
        ("one or both", {1: "s", 2: "s", 3: "sf", 4: "sf", 5: "f", 6: "f"}),
        ("one of the two", {1: "s", 2: "s", 3: "s", 4: "f", 5: "f", 6: "f"}),
    ],
)
def test_c1_823_original_12_leaves_shellhole_and_flame(referee, option, marks):
    for dr, expected in marks.items():
        man = UnitProfile(8, craters=True, burns=True)
        game = hex_of(referee, [6, 6, dr], {"bombardment_fire": option}, man=man)
        found = "".join(kind[0] for kind in ("shellhole", "flame") if game.emitted(kind))
        assert found == expected
    bare = hex_of(referee, [6, 6, 5], man=UnitProfile(8, craters=True))
    assert not bare.emitted("flame")
    # A hex gets no second marker of the same kind.
    marked = hex_of(referee, [6, 6, 3], man=UnitProfile(8, craters=True, burns=True))
    view = View(marked.table.read, marked.scenario, "resolution")
    assert attrs.evolve(Scars(), shellhole=True, flame=True) == Scars(
        shellhole=view.ground(marked.scenario.centre, Scars).shellhole,
        flame=view.ground(marked.scenario.centre, Scars).flame,
    )
