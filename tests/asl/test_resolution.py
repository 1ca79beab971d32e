"""The IFT and what it does to infantry: C1.5, C1.52, C1.53, C1.54."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fireplan.solver import Compiler, PreparedChain, WorstSeverity, build_chain, solve
from fireplan_asl import fireplan_game as game
from fireplan_asl.ift import IFTResult, ShellEffects, column_for, parse
from fireplan_asl.resolution import AslResolution
from fireplan_asl.units import PersonnelState
from fireplan_core import Asset, CannotStageError, OwnTroops, Severity, Shot, Step, Target
from fireplan_core.play import State

# These entries are typed from the printed table, column by column, for final DRs from 0 to 15.
IFT = {
    1: "1KIA K/1 1MC 1MC NMC PTC - - - - - - - - - -",
    2: "2KIA 1KIA K/1 1MC 1MC NMC PTC - - - - - - - - -",
    4: "2KIA 1KIA K/2 2MC 1MC 1MC NMC PTC - - - - - - - -",
    6: "3KIA 2KIA 1KIA K/2 2MC 1MC 1MC NMC PTC - - - - - - -",
    8: "3KIA 2KIA 1KIA K/2 2MC 2MC 1MC 1MC NMC PTC - - - - - -",
    12: "3KIA 2KIA 1KIA K/3 3MC 2MC 2MC 1MC 1MC NMC PTC - - - - -",
    16: "4KIA 3KIA 2KIA 1KIA K/3 3MC 2MC 2MC 1MC 1MC NMC PTC - - - -",
    20: "4KIA 3KIA 2KIA 1KIA K/4 4MC 3MC 2MC 2MC 1MC 1MC NMC PTC - - -",
    24: "5KIA 4KIA 3KIA 2KIA 1KIA K/4 4MC 3MC 2MC 2MC 1MC 1MC NMC PTC - -",
    30: "6KIA 5KIA 4KIA 3KIA 2KIA 1KIA K/4 4MC 3MC 2MC 2MC 1MC 1MC NMC PTC -",
    36: "7KIA 6KIA 5KIA 4KIA 3KIA 2KIA 1KIA K/4 4MC 3MC 2MC 2MC 1MC 1MC NMC PTC",
}


def test_c1_5_every_cell_of_the_ift():
    chart = game().charts["ift"]
    assert chart.columns == tuple(f"fp{power}" for power in IFT)
    for power, column in IFT.items():
        assert [chart.cell(dr, f"fp{power}") for dr in range(16)] == column.split()
        assert chart.cell(-3, f"fp{power}") == column.split()[0]
        assert chart.cell(20, f"fp{power}") == column.split()[-1]


def test_c1_5_entries_are_read():
    assert parse("3KIA") == IFTResult("KIA", 3)
    assert parse("K/4") == IFTResult("K", 4)
    assert parse("NMC") == IFTResult("MC", 0)
    assert parse("2MC") == IFTResult("MC", 2)
    with pytest.raises(ValueError, match="expected an entry of the IFT"):
        parse("4K")


def test_c1_5_firepower_between_columns_uses_the_lower_one():
    chart = game().charts["ift"]
    assert column_for(chart, Fraction(16, 3)) == "fp4"
    assert column_for(chart, Fraction(10)) == "fp8"
    assert column_for(chart, Fraction(40)) == "fp36"
    assert column_for(chart, Fraction(1, 2)) is None


@pytest.mark.parametrize(
    ("mm", "shell"),
    [
        (75, ShellEffects(12, 0, 24, 0)),
        (76, ShellEffects(12, 0, 24, 0)),
        (77, ShellEffects(12, 0, 24, 0)),
        (81, ShellEffects(16, 0, 30, 0)),
        (88, ShellEffects(16, 0, 30, 0)),
        (100, ShellEffects(20, 0, 36, 0)),
        (105, ShellEffects(20, 0, 36, 0)),
        (114, ShellEffects(20, 0, 36, 0)),
        (122, ShellEffects(24, 0, 36, -1)),
        (150, ShellEffects(30, 0, 36, -3)),
        (155, ShellEffects(30, 0, 36, -3)),
        (203, ShellEffects(36, 0, 36, -4)),
        (240, ShellEffects(36, 0, 36, -4)),
        (280, ShellEffects(36, -1, 36, -5)),
        (300, ShellEffects(36, -2, 36, -6)),
        (380, ShellEffects(36, -3, 36, -7)),
        (406, ShellEffects(36, -4, 36, -8)),
    ],
)
def test_c1_5_c1_53_firepower_by_calibre(make, mm, shell):
    assert make(asset=Asset(calibre_mm=mm)).missions["a"].facts["resolution"] == shell


def test_c1_5_sixty_millimetres_are_american_mortars_alone(make):
    mortar = Asset(calibre_mm=60, weapon="mortar")
    assert make("american", asset=mortar).missions["a"].facts["resolution"].power == 8
    with pytest.raises(CannotStageError, match="60 mm"):
        make("german", asset=mortar)
    with pytest.raises(CannotStageError, match="50 mm"):
        make("american", asset=Asset(calibre_mm=50, weapon="mortar"))


# --- staging -------------------------------------------------------------------------------------------
def body_of_men(**changes):
    return Target(
        **{"nationality": "russian", "men": 10, "frontage_m": 10, "depth_m": 10, **changes}
    )


@pytest.mark.parametrize(
    ("cover", "posture", "tem", "air_bursts"),
    [
        ("open", "standing", 0, 0),
        ("open", "moving", 0, 0),
        ("open", "dug_in", 4, 0),
        ("woods", "prone", 0, -1),
        ("woods", "dug_in", 4, -1),
        ("buildings", "prone", 3, 0),
        ("trench", "prone", 4, 0),
    ],
)
def test_c1_52_tem_of_indirect_fire(make, cover, posture, tem, air_bursts):
    stand = make(target=body_of_men(cover=cover, posture=posture)).units["s01"].facts["resolution"]
    assert (stand.tem, stand.air_bursts) == (tem, air_bursts)


@pytest.mark.parametrize(("quality", "level"), [("green", 6), ("average", 7), ("veteran", 8)])
def test_c1_5_assumed_morale_levels_are_noted(make, quality, level):
    played = make(target=body_of_men(quality=quality))
    assert played.units["s01"].facts["resolution"].morale == level
    assert any(f"Morale Level {level}" in note for note in played.provenance)


def test_c1_5_squads_of_ten_at_most_three_a_hex(make):
    played = make(target=body_of_men(men=124))
    assert [unit.strength for unit in played.units.values()] == [10] * 12 + [4]
    assert played.units["s13"].slots["resolution"] == PersonnelState(size=1)
    places = [unit.place for unit in played.units.values()]
    assert max(places.count(place) for place in places) == 3
    assert len(set(places)) == 5


def test_c1_5_squads_spread_over_the_rectangle(make):
    played = make(target=body_of_men(men=120, frontage_m=150, depth_m=100))
    metres = [played.frame.metres(unit.place) for unit in played.units.values()]
    x, y = played.frame.metres(played.centre)
    assert all(abs(px - x) <= 75 and abs(py - y) <= 50 for px, py in metres)
    assert len(set(metres)) == 12


# --- one DR per hex ------------------------------------------------------------------------------
def struck(referee, faces, men=10, asset=None, **target):
    game = referee(
        target=body_of_men(men=men, **target), asset=asset or Asset(calibre_mm=75, weapon="gun")
    )
    game.stand(Step("resolution.strike", ("a", game.scenario.centre, Shot())))
    return game.go(faces)


def bodies(game):
    read = game.table.read
    at = [f"units/{unit}/resolution" for unit in game.scenario.units]
    return [(read(f"{unit}/size", 2), read(f"{unit}/broken", False)) for unit in at]


def test_c1_5_kia_eliminates_by_random_selection_and_breaks_the_rest(referee):
    # On 16 FP a final DR of 3 is a 1KIA; the highest die of 4, 6 and 1 picks the second squad.
    game = struck(referee, [1, 2, 4, 6, 1], men=30, asset=Asset(calibre_mm=81))
    assert bodies(game) == [(2, True), (0, False), (2, True)]


def test_c1_5_kia_ties_are_all_selected(referee):
    game = struck(referee, [1, 2, 6, 6, 1], men=30, asset=Asset(calibre_mm=81))
    assert bodies(game) == [(0, False), (0, False), (2, True)]


def test_c1_5_k_reduces_one_and_checks_all_with_the_drm(referee):
    # On 12 FP a DR of 3 is a K/3: the first squad is reduced, and the rest take a check with +3
    # against 7.
    game = struck(referee, [1, 2, 5, 2, 1, 2, 2, 3], men=20)
    assert bodies(game) == [(1, False), (2, True)]  # 3 + 3 passes, 5 + 3 fails


def test_c1_5_highest_passing_dr_pins_and_original_12_costs_men(referee):
    game = struck(referee, [4, 5, 3, 4], men=10)  # a 9 on 12 FP is an NMC, which a 7 just passes
    assert [e["severity"] for e in game.emitted("suffered")] == [Severity.SUPPRESSED]
    assert bodies(game) == [(2, False)]
    assert bodies(struck(referee, [4, 5, 6, 6])) == [(1, True)]
    assert bodies(struck(referee, [4, 5, 4, 4])) == [(2, True)]


def test_c1_5_broken_units_are_hit_again(referee):
    def broken(faces, size):
        game = referee(target=body_of_men(), asset=Asset(calibre_mm=75, weapon="gun"))
        table = game.table
        updates = (("units/s01/resolution/broken", True), ("units/s01/resolution/size", size))
        agenda = (Step("resolution.strike", ("a", game.scenario.centre, Shot())),)
        table.state = State(table.state.values.put(updates), agenda)
        table._advance()
        return bodies(game.go(faces))

    assert broken([4, 5, 4, 4], 2) == [(1, True)]  # a failed NMC is Casualty Reduction
    assert broken([4, 5, 4, 4], 1) == [(0, False)]
    assert broken([4, 5, 3, 4], 2) == [(2, True)]  # the check is passed without a pin
    assert broken([4, 5, 6, 6], 2) == [(0, False)]  # an Original 12 eliminates
    assert broken([4, 6], 2) == [(2, True)]  # a broken unit does not take a PTC


def test_c1_53_critical_hit_on_one_target_the_others_take_the_normal_attack(referee):
    # The squads are in a stone building under 12 FP. The selected squad is attacked with 24 FP at
    # 2 - 3, the others with 12 FP at 2 + 3 = 5, a 2MC.
    game = struck(referee, [1, 1], men=30, cover="buildings")
    assert game.waits == "critical"
    game.go([1, 6, 1])
    assert bodies(game)[1] == (0, False)
    assert game.waits == "morale"
    game.go([3, 3, 1, 1])  # 6 + 2 fails, 2 + 2 passes
    assert bodies(game) == [(2, True), (0, False), (2, False)]


def test_c1_52_air_bursts_and_foxholes_move_the_result(referee):
    assert struck(referee, [5, 5], cover="woods").waits == "morale"  # 10 - 1 = 9 is an NMC on 12 FP
    assert struck(referee, [5, 5]).waits == "task"  # a 10 is a PTC
    assert struck(referee, [3, 3], posture="dug_in").waits == "task"  # 6 + 4 = 10 is a PTC
    # Both modifiers apply: 6 + 4 - 1 = 9, an NMC.
    assert struck(referee, [3, 3], cover="woods", posture="dug_in").waits == "morale"


def test_c1_54_own_fire_lowers_morale_by_one(referee):
    game = referee(
        own_troops=OwnTroops(distance_m=80, men=10), asset=Asset(calibre_mm=75, weapon="gun")
    )
    place = game.scenario.units["o01"].place
    for faces, expected in (([3, 3], (2, False)), ([3, 4], (2, True))):
        game = referee(
            own_troops=OwnTroops(distance_m=80, men=10), asset=Asset(calibre_mm=75, weapon="gun")
        )
        game.stand(Step("resolution.strike", ("a", place, Shot()))).go([4, 5, *faces])
        assert bodies(game)[-1] == expected
        assert [e.cite for e in game.emitted("modifier")] == ["C1.54"]
        assert game.emitted("suffered")  # a 6 just passes at Morale 6 and pins


def test_c1_5_one_strike_of_seventy_millimetres_on_a_squad_in_the_open(make):
    """The chance of each DR is 1 2 3 4 5 6 5 4 3 2 1 of 36, and the Morale Level is 7; the rest is
    worked out by hand.
    """
    played = make(target=body_of_men(), asset=Asset(calibre_mm=75, weapon="gun"))
    start = (Step("resolution.strike", ("a", played.centre, Shot())),)
    ready = PreparedChain(build_chain(Compiler(played), start=start))
    shares = solve(ready, WorstSeverity("s01"), 1).shares
    of = lambda n: Fraction(n, 36)  # noqa: E731
    # A 2 is a Critical Hit, a KIA on the 24 column. A 3 is a K/3, and an Original 12 then
    # eliminates the half-squad.
    destroyed = of(1) + of(2) * of(1)
    # The checks are a 3MC on 4, a 2MC on 5 and 6, a 1MC on 7 and 8, and an NMC on 9; an Original 12
    # reduces the squad.
    reduced = of(2) * of(35) + (of(3) + of(4 + 5) + of(6 + 5) + of(4)) * of(1)
    # An nMC breaks or pins if DR + n >= 7, leaving out an Original 12: 32, 29, 25 and 20 of 36 for
    # n = 3, 2, 1 and 0. An attack DR of 10 is a PTC, failed on 8 or more.
    suppressed = of(3) * of(32) + of(9) * of(29) + of(11) * of(25) + of(4) * of(20) + of(3) * of(15)
    assert shares[Severity.DESTROYED] == destroyed
    assert shares[Severity.REDUCED] == reduced
    assert shares[Severity.SUPPRESSED] == suppressed
    assert shares[Severity.NONE] == 1 - destroyed - reduced - suppressed


def test_c1_5_severities_are_mapped():
    assert AslResolution.severities == {
        "pinned": Severity.SUPPRESSED,
        "broken": Severity.SUPPRESSED,
        "reduced to a half-squad": Severity.REDUCED,
        "eliminated": Severity.DESTROYED,
    }
