"""Scenario files: the shipped ones played with scripted dice, the worked example of C1.62, and faulty files."""

from __future__ import annotations

import pytest
from support_asl import at, read

from fireplan.solver import Analysis, FirstFall
from fireplan_asl import fireplan_game as asl
from fireplan_core import Order, Shot, Stage, Step
from fireplan_core.files import FileError
from fireplan_core.play import load_scenario

SHIPPED = asl().scenarios.shipped
EXAMPLE = """
game = "asl"
title = "The example of the Observer in W6"
moments = 8
date = 1943-07-10

[[battery]]
id = "a"
side = "german"
nationality = "german"
calibre = 76
target = "U3"
observer = "W6"
missions = ["concentration"]
no_ground = ["W4", "V3"]

[[unit]]
id = "U3"
side = "russian"
hex = "U3"

[[unit]]
id = "U4"
side = "russian"
hex = "U4"
terrain = "wall"

[[unit]]
id = "V3"
side = "russian"
hex = "V3"
terrain = "wooden_building"

[[unit]]
id = "W4"
side = "russian"
hex = "W4"
terrain = "woods"
"""
CONCEALED = 'terrain = "wall"\nconcealed = true\nconcealment_terrain = true'


def log(game, *unwanted):
    return [
        (e.event.kind, e.event.cite)
        for e in game.table.log
        if e.event.kind not in ("modifier", *unwanted)
    ]


# --- the worked example of C1.62 -----------------------------------------------------------------------
def spotted(catalogue, referee, tmp_path, text=EXAMPLE, extra=()):
    """Play to the SR in W4. Contact is made on 7, the chit is black, a 5 is not accurate, and the
    error is two hexes in direction 3.
    """
    return referee(read(catalogue, tmp_path, text)).go([3, 4, "black", *extra, 5, 3, 2])


def test_c1_62_worked_example_the_first_phase(catalogue, referee, tmp_path):
    game = spotted(catalogue, referee, tmp_path)
    assert game.label == "W4"
    assert not game.emitted("extra_chit_black")
    assert log(game)[:4] == [
        ("requested", "C1.2"),
        ("contact", "C1.2"),
        ("access", "C1.21"),
        ("spotting", "C1.31"),
    ]


def test_c1_62_worked_example_no_conversion_in_w4_then_correction_and_fire(
    catalogue, referee, tmp_path
):
    game = spotted(catalogue, referee, tmp_path).go([4, 5])  # 9 - 1 maintains contact
    assert game.waits == "requests.fire"
    assert game.refused(Order.of("convert")) == "C1.333"
    order = Order.of("correct_convert", at=at(game, "U4"))
    assert game.refused(order) is None
    # The dr of 4 is inaccurate. In direction 3, a dr of 6 is reduced to one hex for a Correction of
    # two hexes, so the round lands on V4.
    game.go([4, 3, 6], [order])
    assert game.label == "V4"
    assert game.get("stage") is Stage.FALLING
    assert not game.emitted("extra_chit_black")
    assert game.waits == "effect"
    # The attack has 12 FP, with TEM +1 in U4, TEM +2 in V3 and -1 for Air Bursts in W4; U3 is
    # outside the Blast Area.
    tem = {name: (unit.facts["resolution"].tem, unit.facts["resolution"].air_bursts)
           for name, unit in game.scenario.units.items()}  # fmt: skip
    assert tem == {"U3": (0, 0), "U4": (1, 0), "V3": (2, 0), "W4": (0, -1)}
    game.go([5, 6, 5, 6])
    assert game.waits == "task"  # 11 + 2 has no effect on V3; 11 - 1 = 10 is a PTC for W4
    game.go([2, 2, 5, 6])  # 11 + 1 has no effect on U4
    assert game.waits == "maintenance"
    assert not game.emitted("suffered")
    shares = [step for step in game.table.journal if getattr(step, "name", "") == "effect"]
    assert len(shares) == 3


def test_c1_62_worked_example_an_extra_chit_when_u3_and_u4_are_not_known(
    catalogue, referee, tmp_path
):
    hidden = EXAMPLE.replace(
        'hex = "U3"\n', 'hex = "U3"\nconcealed = true\nconcealment_terrain = true\n'
    )
    game = spotted(
        catalogue, referee, tmp_path, hidden.replace('terrain = "wall"', CONCEALED), extra=["black"]
    )
    assert len(game.emitted("extra_chit_black")) == 1
    assert game.label == "W4"


def test_c1_62_worked_example_an_extra_chit_before_converting_when_u4_is_not_known(
    catalogue, referee, tmp_path
):
    game = spotted(catalogue, referee, tmp_path, EXAMPLE.replace('terrain = "wall"', CONCEALED)).go(
        [4, 5]
    )
    game.go([4, 3, 6], [Order.of("correct_convert", at=at(game, "U4"))])
    assert game.label == "V4"
    # V4 is seen at Base Level, and no enemy next to it is Known.
    assert game.waits == "extra"


def test_c1_6_concealed_units_outside_concealment_terrain_are_known_to_the_observer(
    catalogue, referee, tmp_path
):
    text = EXAMPLE.replace('terrain = "wall"', 'terrain = "wall"\nconcealed = true')
    text = text.replace('hex = "U3"\n', 'hex = "U3"\nconcealed = true\n')
    assert not spotted(catalogue, referee, tmp_path, text).emitted("extra_chit_black")


def test_c1_21_hidden_units_call_for_no_extra_chit(catalogue, referee, tmp_path):
    text = EXAMPLE
    for name in ("U3", "U4", "V3", "W4"):
        text = text.replace(f'hex = "{name}"\n', f'hex = "{name}"\nhidden = true\n')
    assert not spotted(catalogue, referee, tmp_path, text).emitted("extra_chit_black")


# --- playthroughs of the shipped scenarios -------------------------------------------------------------
def test_playthrough_of_the_ordinary_module(catalogue, referee):
    game = referee(load_scenario(catalogue, SHIPPED["village"])[0])
    # A 7 makes Contact, the chit is black, and an Accuracy dr of 1, through one hex of grain
    # (C1.62), is on target. After Maintenance, three DRs of 12 on 16 FP have no effect: on K5 (12 +
    # 3), K4 (12 + 4 - 1) and L5. A 4 then maintains Contact again.
    game.go([3, 4, "black", 1])
    assert game.label == "K5"
    game.go([3, 4], [Order.of("convert"), Order.of("concentration")])
    assert log(game, "attacks") == [
        ("requested", "C1.2"), ("marked", "C1.6"), ("contact", "C1.2"), ("access", "C1.21"), ("spotting", "C1.31"),
        ("actions_end", "C1.322"), ("marked", "C1.6"), ("contact", "C1.22"), ("announced", "C1.7"), ("fall", "C1.5"),
    ]  # fmt: skip
    game.go([6, 6, 6, 6, 6, 6, 2, 2])
    assert not game.emitted("suffered")
    assert "C1.52" in [event.cite for event in game.emitted("modifier")]


def test_playthrough_of_the_set_piece(catalogue, referee):
    game = referee(load_scenario(catalogue, SHIPPED["set_piece"])[0])
    # Rows 1, 4, 5 and 7 are spared, and both squads with them. In H9 the crew passes its 2MC - 4
    # with a 6.
    game.go([1, 4, 5, 1, 6, 6, 2, 4])
    assert game.emitted("spared")[0]["rows"] == (1, 4, 5, 7)
    # Contact is automatic, the chit is black, and the Barrage in H6 is accurate on a 4.
    game.go(["black", 4], [Order.of("fire", at=at(game, "H6")), Order.of("barrage")])
    assert log(game, "suffered", "attacks") == [
        ("bombardment", "C1.8"), ("spared", "C1.81"), ("requested", "C1.2"), ("contact", "C1.63"),
        ("access", "C1.21"), ("announced", "E12.1"), ("registered", "C1.73, C1.732, C1.733"), ("fall", "C1.5"),
    ]  # fmt: skip
    # On 16 FP, 12 + 4 has no effect on the gun; 12 - 1 = 11 is a PTC, which a 12 fails.
    game.go([6, 6, 6, 6, 6, 6])
    assert game.emitted("fall")[0]["on_target"] is True


def test_playthrough_of_the_creeping_barrage(catalogue, referee):
    game = referee(load_scenario(catalogue, SHIPPED["creeping"])[0])
    game.go(["red", 3, 5, 4, 2])  # two pre-Game Turns; G5 errs to G6
    game.go([3, 5])  # I6 errs to H6
    along = ("barrage", "E12.11, E12.31")
    assert log(game, "attacks")[:9] == [
        ("creeping_begins", "E12.72"), ("creeps", "E12.7, E12.73, E12.77"), ("adjusted", "E12.732"), ("fall", "C1.5"),
        along, ("creeps", "E12.731, E12.74"), ("fall", "C1.5"), along, ("lingering", "C1.34"),
    ]  # fmt: skip
    assert game.waits == "accuracy"  # pre-Game Turn 2: a Correction to J6


@pytest.mark.parametrize(
    "name",
    ["village", "set_piece", pytest.param("creeping", marks=pytest.mark.full), "ridge"],
)
def test_shipped_scenarios_are_solved_exactly_for_twenty_fire_phases(catalogue, name):
    played = load_scenario(catalogue, SHIPPED[name])[0]
    analysis = Analysis(played, 20)
    assert sum(analysis.solve(FirstFall()).shares.values()) == 1
    assert analysis.separable


# The TEM and Air Bursts of each terrain against Indirect Fire, from the terrain chart.
TERRAIN = {
    "open": (0, 0), "shellhole": (1, 0), "woods": (0, -1), "forest": (0, -1), "brush": (0, 0), "orchard": (0, 0),
    "grain": (0, 0), "marsh": (0, 0), "vineyard": (0, 0), "crag": (1, 0), "graveyard": (1, 0), "debris": (1, 0),
    "olive_grove": (1, 0), "wooden_building": (2, 0), "stone_building": (3, 0), "wooden_rubble": (2, 0),
    "stone_rubble": (3, 0), "rail_car": (2, 0), "runway": (-1, 0), "wall": (1, 0), "hedge": (0, 0),
    "roadblock": (1, 0), "wreck": (1, 0), "bridge": (1, 0), "water": (0, 0),
}  # fmt: skip


@pytest.mark.parametrize("terrain", TERRAIN)
def test_c1_52_tem_of_every_terrain(catalogue, tmp_path, terrain):
    for dug_in in (False, True):
        text = EXAMPLE.replace(
            '"woods"', f'"{terrain}"\nentrenched = {str(dug_in).lower()}\nlevels_above = 1'
        )
        stand = read(catalogue, tmp_path, text).units["W4"].facts["resolution"]
        tem, air_bursts = TERRAIN[terrain]
        # The TEM of an entrenchment replaces a lower terrain TEM; Air Bursts apply in either case.
        assert (stand.tem, stand.air_bursts, stand.above) == (
            max(4, tem) if dug_in else tem,
            air_bursts,
            1,
        )


def test_c1_52_levels_above_add_and_hindrances_never_do(catalogue, referee, tmp_path):
    text = EXAMPLE.replace('terrain = "woods"', 'terrain = "stone_building"\nlevels_above = 1')
    game = referee(read(catalogue, tmp_path, text + ""))
    game.stand(Step("resolution.strike", ("a", at(game, "W4"), Shot()))).go([3, 3])
    assert [event["value"] for event in game.emitted("modifier")] == [4]
    assert game.waits == "task"  # 6 + 4 is a PTC on 12 FP


def test_c1_5_immune_units_are_not_attacked(catalogue, referee, tmp_path):
    game = referee(read(catalogue, tmp_path, EXAMPLE.replace('"woods"', '"woods"\nimmune = true')))
    game.stand(Step("resolution.strike", ("a", at(game, "W4"), Shot())))
    assert game.waits != "effect"


@pytest.mark.parametrize(
    ("edge", "message"),
    [("last hexrow", "opposite"), ("low numbers", "parallel"), ("high numbers", "parallel")],
)
def test_e12_71_the_barrage_parallels_the_edge_and_aims_at_the_other(
    catalogue, tmp_path, edge, message
):
    text = (
        SHIPPED["creeping"]
        .read_text(encoding="utf-8")
        .replace('aim = "P5"', f'aim = "P5"\nedge = "{edge}"')
    )
    with pytest.raises(FileError, match=message):
        read(catalogue, tmp_path, text)


def test_c1_1_c1_9_a_lost_radio_is_a_lost_battery_and_rockets_err_by_half_when_registered(
    catalogue, referee, tmp_path
):
    game = referee(read(catalogue, tmp_path, EXAMPLE)).go([6, 6])  # the radio breaks
    game.go([6])  # the radio cannot be repaired
    assert [event["reason"].value for event in game.emitted("ended")] == ["lost"]
    assert game.waits == ""  # no other radio may call this battery
    rockets = EXAMPLE.replace(
        "calibre = 76", 'calibre = 150\nweapon = "rocket"\npreregistered = ["U3"]'
    )
    game = referee(read(catalogue, tmp_path, rockets)).go([3, 3, "black", 4, 6])
    assert game.label == "U6"


# --- faulty files --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('hex = "W4"', 'hex = "W44"', "off the map"),
        ('id = "V3"', 'id = "U4"', "appears twice"),
        ('nationality = "german"', 'nationality = "klingon"', "nationality"),
        ("calibre = 76", "calibre = 61", "no firepower"),
        ('terrain = "woods"', 'terrain = "wods"', "terrain"),
    ],
)
def test_faults_of_a_scenario_file_are_reported(catalogue, tmp_path, old, new, message):
    assert old in EXAMPLE
    with pytest.raises(FileError, match=message):
        read(catalogue, tmp_path, EXAMPLE.replace(old, new))


@pytest.mark.parametrize(
    ("calibre", "missions", "weather", "why"),
    [
        (60, '["harassing"]', "clear", r"harassing \[C1.72\]"),
        (76, '["smoke", "wp"]', "rain", r"smoke \[C1.71\], wp \[C1.71\]"),
        (76, "[]", "clear", "it has none"),
    ],
)
def test_c1_72_a_battery_without_a_permitted_mission_is_refused(
    catalogue, tmp_path, calibre, missions, weather, why
):
    text = EXAMPLE.replace('["concentration"]', missions).replace("= 76", f"= {calibre}")
    text = text.replace("moments = 8", f'moments = 8\nweather = "{weather}"')
    with pytest.raises(FileError, match=f"a: none of its missions can be fired: {why}"):
        read(catalogue, tmp_path, text)


def test_c1_71_no_smoke_in_bad_weather(catalogue, referee, tmp_path):
    text = EXAMPLE.replace('["concentration"]', '["concentration", "smoke"]')
    for weather in ("rain", "heavy_wind", "mud", "deep_snow"):
        played = read(
            catalogue, tmp_path, text.replace("moments = 8", f'moments = 8\nweather = "{weather}"')
        )
        facts = played.missions["a"].facts["requests"]
        assert (facts.kinds, [kind for kind, _, _ in facts.unfit]) == (
            ("concentration",),
            ["smoke"],
        )
    assert (
        referee(read(catalogue, tmp_path, text)).scenario.missions["a"].facts["requests"].unfit
        == ()
    )


def test_c1_57_c1_62_an_observer_high_above_looks_over_the_bursts(catalogue, tmp_path):
    for text, bursts in (
        (EXAMPLE, (("a", 1),)),
        (EXAMPLE.replace("no_ground", "overlooks = true\nno_ground"), ()),
    ):
        assert read(catalogue, tmp_path, text).missions["a"].facts["observers"].bursts == bursts


def test_c1_8_a_bombardment_may_be_ordered_on_half_boards(catalogue, tmp_path):
    order = '\n[bombardment]\nbattery = "a"\nboard = 1\nhalf = "A-Q"\nother_board = 2\n'
    played = read(catalogue, tmp_path, EXAMPLE.replace("date =", "boards = 2\ndate =") + order)
    assert played.shared["resolution"].areas == ((0, 0, 16), (1, 0, 16))
