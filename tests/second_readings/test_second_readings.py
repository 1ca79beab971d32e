"""Second readings: each table and target number was written down twice, the second time from the
rules alone.

The second transcription is the TOML file beside this module, made without sight of the plugins'
data; here both are compared, number by number. Where they differed, a note is beside the table in
the plugin's data.
"""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from pathlib import Path

import pytest
import tomli

from fireplan_asl.ift import column_for
from fireplan_asl.nations import nation_for
from fireplan_core import numbers_of
from fireplan_core.play import Catalogue
from fireplan_miniatures_1943 import terrain
from fireplan_red_poppies.setup import firepower
from fireplan_red_poppies.troops import UNIT_KINDS

CATALOGUE = Catalogue.installed()
HERE = Path(__file__).parent


def read(game):
    return tomli.loads((HERE / f"{game}.toml").read_text(encoding="utf-8"))


def charts(game):
    return CATALOGUE[game].game.charts_with({})


def numbers(game):
    return {name: named.cell.value for name, named in numbers_of(charts(game)).items()}


def disc(radius):
    return 1 + 3 * radius * (radius + 1)


ASL = numbers("asl")
WAR = numbers("wacht_am_rhein")
RP = numbers("red_poppies")
MINI = numbers("miniatures_1943")

PLUGIN = {
    "asl": {
        "breakdown on an original": ASL["set_breaks"],
        "maintenance drm": ASL["maintenance_drm"],
        "maintenance drm battalion mortar": ASL["mortar_maintenance_drm"],
        "field phone contact": ASL["field_phone_contact"],
        "red chits that end access": ASL["red_chits_to_lose_access"],
        "accuracy dr of offboard observer": ASL["accurate_offboard"],
        "accuracy dr in a pre-registered hex": ASL["accurate_if_registered"],
        "least correction with +1": ASL["far_correction"],
        "least correction with +2": ASL["very_far_correction"],
        "drm of the shorter correction": ASL["far_correction_drm"],
        "drm of the longer correction": ASL["very_far_correction_drm"],
        "longest correction of a SR": ASL["sr_correction"],
        "longest correction of a FFE": ASL["ffe_correction"],
        "hexes of correction for each hex of error": ASL["hexes_per_error_hex"],
        "hexes of a concentration": disc(ASL["blast_radius"]),
        "hexes of harassing fire": disc(ASL["wide_blast_radius"]),
        "hexes of a barrage": 2 * ASL["barrage_arm"] + 1,
        "hexes of a rocket mission": disc(ASL["wide_blast_radius"]),
        "divisor of harassing FP": ASL["harassing_divisor"],
        "original DR of a critical hit": ASL["critical_hit"],
        "hexes of one creeping correction": ASL["creeping_correction"],
        "MC of personnel": ASL["bombardment_morale_drm"],
        "marsh drm": ASL["marsh_drm"],
        "morale of guns": ASL["equipment_morale"],
        "morale of a brown pillbox": ASL["brown_pillbox_morale"],
        "morale of a grey pillbox": ASL["grey_pillbox_morale"],
        "morale of a wooden building": ASL["wooden_morale"],
        "morale of a stone building": ASL["stone_morale"],
        "morale of wire": ASL["obstacle_morale"],
        "most of the dr for a shellhole": ASL["shellhole_at_most"],
        "least of the dr for a flame": ASL["flame_at_least"],
    },
    "wacht_am_rhein": {
        "factors of a full volley": WAR["full_volley"],
        "hexes of air observation": WAR["barrage_limits[air_radius_hexes]"],
        "vantage bonus": WAR["barrage_limits[vantage_point_bonus]"],
        "units of a breakdown observer outside works": WAR[
            "barrage_limits[breakdown_outside_works]"
        ],
        "units unobserved": WAR["barrage_limits[unobserved]"],
        "depletion value US": WAR["barrage_limits[depletion][us]"],
        "depletion value GE": WAR["barrage_limits[depletion][ge]"],
        "thaw": WAR["barrage_limits[thaw]"],
        "replenishment of the other side": WAR["barrage_limits[replenish]"],
        "barrages at most of one unit": WAR["barrages_per_unit"],
    },
    "red_poppies": {
        "couplets of a tie": RP["tie_couplets"],
        "non-AFV in a hex": RP["companies_in_a_hex"],
        "check that destroys": RP["deadly"],
        "accidental fire from": RP["accident"],
        "last accuracy on target": RP["on_target"],
        "accuracy for the highest level": RP["high_ground_drm"],
        "accuracy for a known vertex": RP["known_point_drm"],
        "scrapes after a bombardment": RP["scrapes"],
        "turns of a counter-attack scenario": RP["counter_attack_turns"],
    },
    "miniatures_1943": {
        "real barrage chits in a turn": MINI["barrages_per_turn"],
        "delay without a progress box": MINI["request_chart[united_states]"] + 1,
        "delay with two progress boxes": MINI["request_chart[soviet_union]"] + 1,
        "radius of a spotted barrage": MINI["barrage_yards_spotted"],
        "radius of a blind barrage": MINI["barrage_yards_unspotted"],
        "depth of an air strike": MINI["strike_depth_yards"],
        "turns of smoke": MINI["smoke_turns"],
        "levels of smoke": MINI["smoke_levels"],
        "die that destroys buildings and woods": MINI[
            next(
                rule.number
                for rule in terrain.LOSS_RULES
                if set(rule.kinds) == {"building", "woods"}
            )
        ],
        "die that destroys trenches and wire": MINI[
            next(
                rule.number for rule in terrain.LOSS_RULES if set(rule.kinds) == {"trench", "wire"}
            )
        ],
        "reach of terrain loss": MINI["terrain_yards"],
        "diameter of craters": MINI["crater_yards"],
        "move of displaced bases": MINI["cover_move_yards"],
    },
}


@pytest.mark.parametrize("game", sorted(PLUGIN))
def test_single_numbers_read_twice_agree(game):
    second = {
        f"{entry['rule']}: {entry['what']}": entry["value"] for entry in read(game)["numbers"]
    }
    rules = {entry["what"]: entry["rule"] for entry in read(game)["numbers"]}
    assert {f"{rules[what]}: {what}": value for what, value in PLUGIN[game].items()} == second


@pytest.mark.parametrize("nation", sorted(read("asl")["nations"]))
def test_c1_211_piles_accuracy_and_contact_read_twice_agree(nation):
    for row in read("asl")["nations"][nation]:
        day = dt.date.fromisoformat(f"{row.get('at', '1943-07')}-15")
        found = nation_for(nation, day, charts("asl"), row.get("condition", "4-4-7"))
        expected = (row["black"], row["red"], row["accuracy"], row["contact"])
        assert (found.black, found.red, found.accuracy, found.contact) == expected, row


def test_c1_5_c1_53_firepower_read_twice_agrees():
    """Harassing fire uses the highest column up to a third (C1.72), a Barrage the next lower one
    (E12.5): recomputed here.
    """
    table, columns = read("asl")["calibre"], read("asl")["calibre"]["columns"]
    published = {70: (4, 8), 80: (4, 12), 100: (6, 16), 120: (8, 20), 150: (8, 24), 200: (12, 30)}
    for mm, fp in table["concentration"].items():
        assert ASL[f"oba_fp[he_fp][{mm}]"] == fp
        assert ASL[f"oba_fp[he_drm][{mm}]"] == table["drm"][mm]
        over = max(0, 2 * fp - 36) // 8
        assert ASL[f"oba_fp[ch_fp][{mm}]"] == max(column for column in columns if column <= 2 * fp)
        assert ASL[f"oba_fp[ch_drm][{mm}]"] == table["drm"][mm] - over
        if int(mm) in published:
            third = column_for(charts("asl")["ift"], Fraction(fp, ASL["harassing_divisor"]))
            assert third == f"fp{max(column for column in columns if column <= Fraction(fp, 3))}"
            assert published[int(mm)] == (
                int(third.removeprefix("fp")),
                max(c for c in columns if c < fp),
            )


def test_12_1_6_limits_read_twice_agree():
    for side, rows in read("wacht_am_rhein")["limits"].items():
        for situation, row in rows.items():
            prefix = f"barrage_limits[rows][{side.lower()}][{situation}]"
            found = {
                name: WAR.get(f"{prefix}[{name}]")
                for name in ("same_formation", "corps_army", "other_formations")
            }
            assert (found["same_formation"] or "any") == row.get("formation", "any"), prefix
            assert found["other_formations"] == row.get("other_formations", 0), prefix
            assert found["corps_army"] == (
                None if row.get("corps_army") == "any" else row.get("corps_army", 0)
            ), prefix
            assert WAR.get(f"{prefix}[total]") == row.get("total"), prefix
            assert WAR[f"{prefix}[min_same_formation]"] == row.get("formation_at_least", 0), prefix


def test_12_3_1_results_are_the_successors_less_the_volley():
    """Recomputed from the successor's list: results that an unmodified 9 cannot reach are hyphens,
    and the last cell is open.
    """
    steps = sorted(
        (value, result)
        for result, value in read("wacht_am_rhein")["successor"]["first_value"].items()
    )
    for volley in range(1, 9):
        reached = [(value - volley, result) for value, result in steps if value - volley <= 9]
        for die in range(-10, 21):
            fitting = [result for first, result in reached if first <= die]
            expected = fitting[-1] if fitting else "none"
            found = WAR[f"barrage_results[bv{volley}][{die}]"]
            assert found == {"1+AS": "AS+1", "2+AS": "AS+2"}.get(expected, expected), (volley, die)


def test_12_3_1_modifiers_read_twice_agree():
    drm = read("wacht_am_rhein")["drm"]
    found = {
        "max_net": WAR["barrage_drm[max_net]"],
        **{name: WAR[f"barrage_drm[terrain][{name}]"] for name in list(drm)[1:9]},
        **{name: WAR[f"barrage_drm[works][{name}]"] for name in list(drm)[9:13]},
        "mixed_armour": WAR["barrage_drm[armour][mixed]"],
        "pure_armour": WAR["barrage_drm[armour][pure]"],
        "two_steps_or_less": WAR["barrage_drm[density][1]"],
        "five_or_six_steps": WAR["barrage_drm[density][5]"],
        "seven_steps_or_more": WAR["barrage_drm[density][7]"],
        **{
            name: WAR[f"barrage_drm[other][{name}]"]
            for name in ("unobserved", "night", "observer_on_vantage_point", "target_in_strat_mode")
        },
        "rockets_in_the_open": WAR["barrage_drm[other][rockets_first_volley]"],
    }
    assert found == drm
    assert WAR["barrage_drm[density][3]"] == 0


def test_14_5_transport_table_read_twice_agrees():
    rows = read("wacht_am_rhein")["transport"]
    second = {
        f"german_transport[d{die}][{row}]": cell
        for row, cells in rows.items()
        for die, cell in enumerate(cells)
    }
    assert {
        name: value for name, value in WAR.items() if name.startswith("german_transport")
    } == second


def test_12_1_4_artillery_types_read_twice_agree():
    """Factors are as read; the range is four fifths of the greatest range in miles, rounded down."""
    second = {
        (side, name): (row["factors"], row.get("range", int(row.get("km", 0) / 1.609344 * 0.8)))
        for side, rows in read("wacht_am_rhein")["types"].items()
        for name, row in rows.items()
    }
    types = charts("wacht_am_rhein")["artillery_types"].types
    assert {name: (one.factors, one.range_hexes) for name, one in types.items()} == second


@pytest.mark.parametrize("mode", sorted(read("red_poppies")["modes"]))
def test_7_21_signals_and_relay_read_twice_agree(mode):
    row = read("red_poppies")["modes"][mode]
    names = ("signal", "bombarded", "relay", "relay_bombarded")
    cells = [("signal", 0), ("signal", 1), ("relay", 0), ("relay", 1)]
    assert [RP[f"{chart}[{mode}][{line}]"] for chart, line in cells] == [
        row[name] for name in names
    ]
    if mode == "telephone":
        bare = [RP[f"{chart}[telephone_no_trench][{line}]"] for chart, line in cells]
        assert bare == [
            row["without_trench"],
            row["bombarded"],
            row["relay"],
            row["relay_bombarded"],
        ]


def test_8_01_circumstances_of_fire_read_twice_agree():
    """Row 1 is fire by mortars and howitzers, where a trench gives one less (8.321) and a hill
    nothing (8.43).
    """
    second = read("red_poppies")["modifiers"]
    same = {
        "formed": "formed", "moving": "moving", "blockhouse": "blockhouse", "cover": "cover", "afv": "friendly_afv",
        "concealment": "concealment", "range": "every_second_hex", "same_hex": "same_hex", "night": "night",
        "gas": "shooter_in_gas",
    }  # fmt: skip
    for row in (0, 1):
        for column, name in same.items():
            assert RP[f"modifiers[{column}][{row}]"] == second[name]["area"], (column, row)
    assert RP["modifiers[trench][0]"] == second["trench"]["effect"]
    assert RP["modifiers[trench][1]"] == second["trench_against_howitzer"]["effect"]
    assert (RP["modifiers[hill][0]"], RP["modifiers[hill][1]"]) == (
        second["higher_hill"]["area"],
        0,
    )


def test_7_0_firepower_by_calibre_read_twice_agrees():
    for mm, points in read("red_poppies")["calibres"].items():
        assert firepower(int(mm), charts("red_poppies")) == points, mm
        assert firepower(int(mm), charts("red_poppies"), before_1897=True) == points - 1, mm


def test_14_0_and_9_0_unit_values_read_twice_agree():
    second = read("red_poppies")["units"]
    kinds = {
        "Eingreif dispersed": UNIT_KINDS["eingreif"].dispersed,
        "German infantry formed": UNIT_KINDS["late_war_infantry"].formed,
        "German infantry dispersed": UNIT_KINDS["late_war_infantry"].dispersed,
        "German artillery dispersed": UNIT_KINDS["field_guns"].dispersed,
        "British infantry dispersed": UNIT_KINDS["late_war_infantry"].dispersed,
        "British machine gun dispersed": UNIT_KINDS["machine_guns"].dispersed,
    }
    for name, face in kinds.items():
        for value, figure in second[name].items():
            assert getattr(face, value) == figure, (name, value)


def test_6_1_request_chart_read_twice_agrees():
    chart = charts("miniatures_1943")["request_chart"]
    boxes = read("miniatures_1943")["boxes"]
    assert {nation: int(cell) for (_, nation), cell in chart.cells.items()} == boxes


def test_6_3_area_weapons_read_twice_agree():
    second = read("miniatures_1943")["area_weapons"]
    assert {
        name: MINI[f"area_weapons[modifiers][{name}]"]
        for name in ("prone", "hard_cover", "personnel")
    } == {name: second[name] for name in ("prone", "hard_cover", "personnel")}
    for roll in range(-2, 9):
        expected = (
            "K"
            if roll >= second["least_for_K"]
            else "D"
            if roll >= second["least_for_D"]
            else "none"
        )
        assert charts("miniatures_1943")["area_weapons"].result(roll) == expected


def test_s_b_air_superiority_read_twice_agrees():
    second = {
        (theatre, 1939 + year): cell
        for theatre, cells in read("miniatures_1943")["air"].items()
        for year, cell in enumerate(cells)
        if cell != 99
    }
    chart = charts("miniatures_1943")["air_superiority"]
    found = {
        (column.partition(": ")[2], int(row)): int(cell)
        for (row, column), cell in chart.cells.items()
        if cell
    }
    assert found == second
