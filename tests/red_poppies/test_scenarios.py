"""Shipped scenarios, scenario files, units on the map, and what carries over (2.x, 3.x, 5.2, 6.x, 8.x, 11.x)."""

from __future__ import annotations

from fractions import Fraction
from importlib.resources import files

import pytest
import support_red_poppies as rp

import fireplan_red_poppies
from fireplan.solver import Analysis
from fireplan_core import CannotStageError, Order, Severity, Stage
from fireplan_core.chance import RandomFaces
from fireplan_core.files import FileError
from fireplan_core.play import Answered, Catalogue, Table, load_scenario, play_out, replay
from fireplan_red_poppies.scenario import RedPoppiesScenario
from fireplan_red_poppies.staging import build, following
from fireplan_red_poppies.track import mode

SHIPPED = sorted(
    files("fireplan_red_poppies").joinpath("data/scenarios").iterdir(), key=lambda file: file.name
)
TROOPS, PASS, OTHER = Order.of("troops"), Order.of("pass"), Order.of("other")
COMMAND, ACTIVATE, ACT = "delays.command", "resolution.activate", "resolution.act"


def catalogue():
    found = Catalogue()
    found.admit(fireplan_red_poppies)
    return found


def shipped(name):
    return load_scenario(catalogue(), next(file for file in SHIPPED if file.name == f"{name}.toml"))


def units(*names):
    return Order.of("units", units=names)


def move(scenario, unit, to):
    return Order.of("move", unit=unit, to=scenario.frame.parse(to))


# --- shipped scenarios ---------------------------------------------------------------------------


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.name)
def test_a_shipped_scenario_is_played_and_replayed_and_names_stand_ins(file):
    scenario, form = load_scenario(catalogue(), file)
    table = play_out(Table(scenario, form.moments), RandomFaces(7))
    assert replay(scenario, form.moments, table.journal).state == table.state
    assert any("stand-in" in note for note in scenario.provenance)


def test_rp_7_12_7_42_the_barrage_of_scenario_1_goes_north_from_row_19_a_row_a_turn():
    scenario, form = shipped("combined_arms_assault")
    assert form.moments == 7
    # Whatever the number of couplets, the barrage begins each turn one row farther north.
    table = play_out(Table(scenario, 7), RandomFaces(1))
    rows = [(turn, row) for turn, row in rp.falls(table) if row[-2:].isdigit()]
    first_of_turn = dict(reversed([(turn, int(row[-2:])) for turn, row in rows]))
    assert first_of_turn == {turn: 20 - turn for turn in range(1, 8)}
    assert len(rp.told(table, "scrape")) == 6


@pytest.mark.parametrize("name", ["combined_arms_assault", "perfect_battle_day_1"])
def test_rp_7_12_every_german_has_the_exact_sixth_of_the_bombardment(name):
    # The bombardment falls in the first turn; a unit that has recovered is not destroyed when the
    # barrage strikes it again.
    scenario, form = shipped(name)
    found = Analysis(scenario, form.moments).unit_severities()
    assert {shares[Severity.DESTROYED] for shares in found.values()} == {Fraction(1, 6)}
    assert any(shares[Severity.SUPPRESSED] for shares in found.values())


def test_rp_7_41_the_two_barrages_of_the_campaign_are_ten_hexes_wide_and_advance_ten():
    scenario, _ = shipped("perfect_battle_day_1")
    for name in ("west", "east"):
        massed = scenario.missions[name].facts["areas"]
        assert [len(line.hexes) for line in massed.lines] == [10] * 11
        labels = {scenario.frame.label(h)[-2:] for h in massed.lines[-1].hexes}
        assert labels == {"09"}
    table = play_out(Table(scenario, 12), RandomFaces(2))
    ended = {f["mission"]: turn for turn, _, f in rp.told(table, "ended")}
    assert ended["west"] == ended["east"] == 10


def test_rp_7_0_7_21_the_groups_of_the_second_day():
    scenario, _ = shipped("perfect_battle_day_2")
    facts = {name: setup.facts for name, setup in scenario.missions.items()}
    assert {name: f["resolution"].entry.firepower for name, f in facts.items()} == {
        "howitzers": 5, "runner_1": 3, "runner_2": 3,
    }  # fmt: skip
    assert [f["resolution"].entry.howitzers for f in facts.values()] == [True, False, False]
    charts, groups = scenario.parts.delays.charts, [f["delays"] for f in facts.values()]
    modes = [mode(g.mode, charts, bombarded=False, trench=g.forces.trench) for g in groups]
    assert [(one.number, one.delay) for one in modes] == [(7, 1), (6, 3), (6, 3)]


def test_rp_2_4_2_2_the_two_maps_join_between_az_and_a():
    scenario, _ = shipped("battle_for_pinon")
    layout = scenario.frame.layout
    a, az = layout.parse("A05"), layout.parse("AZ05")
    assert a[0] - az[0] == 1
    # H10 is ten hexes from AX05.
    from fireplan_core.space import distance

    assert distance(layout.parse("AX05"), layout.parse("H10")) == 10


def test_a_wrong_scenario_file_reports_every_fault_at_once(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(
        'game = "red_poppies"\ntitle = "x"\nmoments = 3\ndate = 1917-10-23\n'
        '[[side]]\nname = "french"\n[[side]]\nname = "german"\n'
        '[[unit]]\nname = "u"\nside = "britsh"\nkind = "ghosts"\nat = ["N99x"]\n'
        '[[group]]\nname = "g"\nside = "french"\nfirepower = 3\nmode = "telephone"\ntarget = "N18/N20"\n',
        encoding="utf-8",
    )
    with pytest.raises(FileError) as caught:
        load_scenario(catalogue(), path)
    text = str(caught.value)
    assert all(
        part in text for part in ("unit[0].side", "unit[0].kind", "unit[0].at", "group[0].target")
    )


@pytest.mark.parametrize(
    ("given", "cite"),
    [
        ({"unit": (rp.unit("x", "N18 N18 N18"),)}, r"3\.4"),
        ({"unit": (rp.unit("x", "A01"),)}, r"2\.2"),
        ({"unit": (rp.unit("x", "N18", inside="trench"),)}, r"8\.3"),
        (
            {
                "unit": (rp.unit("x", "N18", inside="blockhouse"),),
                "hex": (rp.holds("N18", "blockhouse"),),
            },
            r"8\.31",
        ),
        (
            {
                "unit": (rp.unit("x", "N18", kind="schneider", inside="trench"),),
                "hex": (rp.holds("N18", "trench"),),
            },
            r"8\.321",
        ),
        ({"group": (rp.group(mode="trench_set", observer="nobody.1"),)}, r"7\.21"),
        ({"group": (rp.group(mode="flare"),)}, r"7\.21"),
        ({"bombardment": (rp.bombardment(at=(), side="german"),)}, r"7\.11"),
        ({"barrage": (rp.barrage("row 5"),)}, r"7\.41"),
    ],
)
def test_rp_3_4_an_impossible_set_up_is_refused_by_its_rule(given, cite):
    with pytest.raises(CannotStageError, match=cite):
        rp.lay(board=rp.board(), **given)


# --- units and commands --------------------------------------------------------------------------

PARADE = {
    "board": rp.board(),
    "moves": True,
    "hex": (rp.holds("N19,N20,O19", "trench"), rp.holds("Q19", "blockhouse")),
    "hexside": (
        rp.along("wire", "P19", "N"),
        rp.along("stream", "P20", "S"),
        rp.along("shore", "P19", "SE"),
    ),
}


def parade(*entries, **rest):
    return rp.lay(unit=entries, **{**PARADE, **rest})


def refusal(scenario, names, faces=(4, 5)):
    table = rp.run(scenario, faces, {COMMAND: [PASS, TROOPS]})
    assert table.waits_for.question == ACTIVATE
    answer = table.submit(Answered(ACTIVATE, units(*names)))
    return getattr(answer, "cite", None)


def french(name, at, **rest):
    return rp.unit(name, at, side="french", **rest)


@pytest.mark.parametrize(
    ("entries", "names", "cite"),
    [
        ((french("x", "N18"),), ["x.1"], None),  # 6.01 (a): a single unit
        ((french("x", "N18 N18"),), ["x.1", "x.2"], None),  # 6.01 (b): a stack
        # 6.01 (c): the mass of 3.5
        ((french("x", "O19 P19 Q19", formed=True),), ["x.1", "x.2", "x.3"], None),
        ((french("x", "O19 Q19", formed=True),), ["x.1", "x.2"], "3.5"),  # the chain is broken
        (
            (french("x", "O19", formed=True), french("y", "P19", formed=True, kind="mortars")),
            ["x.1", "y.1"], "3.11, 3.5",
        ),
        ((french("x", "O19", formed=True), french("y", "P19")), ["x.1", "y.1"], "3.5, 3.6"),
        ((french("x", "O19 P19", kind="eingreif"),), ["x.1", "x.2"], None),  # 6.01 (e): a group
        ((french("x", "O19 Q19", kind="eingreif"),), ["x.1", "x.2"], "3.6"),
        ((french("x", "M19 N19 O19 P19 Q19", kind="eingreif"),), [f"x.{n}" for n in range(1, 6)], "3.6"),
        ((rp.unit("x", "N18"),), ["x.1"], "6.01"),  # an enemy unit
    ],
)  # fmt: skip
def test_rp_6_01_3_11_3_5_3_6_the_units_that_one_command_activates(entries, names, cite):
    assert refusal(parade(*entries), names) == cite


def test_rp_3_5_a_mass_has_up_to_twelve_units_in_six_hexes():
    row = "M19 M19 N19 N19 O19 O19 P19 P19 Q19 Q19 R19 R19"
    assert refusal(parade(french("x", row, formed=True)), [f"x.{n}" for n in range(1, 13)]) is None
    seven = "M19 N19 O19 P19 Q19 R19 R20"
    assert (
        refusal(parade(french("x", seven, formed=True)), [f"x.{n}" for n in range(1, 8)]) == "3.5"
    )


def acting(entry, acts, **rest):
    scenario = parade(entry, **rest)
    orders = [
        move(scenario, entry.name + ".1", act) if isinstance(act, str) else act for act in acts
    ]
    return rp.run(
        scenario,
        (4, 5),
        {COMMAND: [PASS, TROOPS], ACTIVATE: [units(entry.name + ".1")], ACT: orders},
    )


def cite_of(table, act):
    act = move(table.scenario, "x.1", act) if isinstance(act, str) else act
    return getattr(table.submit(Answered(ACT, act)), "cite", None)


def test_rp_6_61_6_62_points_are_paid_one_by_one_for_hexes_and_works():
    formed = acting(french("x", "M18", formed=True), ["N18"])
    # A formed company has 3 points: it can enter N18 and N19, and then go IN its trench.
    assert cite_of(formed, "N19") is None
    assert cite_of(formed, Order.of("go_in", unit="x.1", works="trench")) is None
    assert rp.state(formed, "x.1", "inside") == "trench"
    assert cite_of(formed, "N20") == "6.61, 6.64"
    assert cite_of(acting(french("x", "M18"), []), "P18") == "2.2, 6.61"


def test_rp_8_02_8_321_a_company_keeps_to_its_trench_only_where_trenches_connect():
    inside = acting(french("x", "N19", inside="trench", formed=True), ["N20"])
    assert rp.state(inside, "x.1", "inside") == "trench"
    assert cite_of(inside, "N21") is None
    assert rp.state(inside, "x.1", "inside") == ""


def test_rp_8_33_a_bomb_stop_cuts_the_connection():
    stopped = acting(
        french("x", "N19", inside="trench", formed=True),
        ["N20"],
        hexside=(rp.along("bomb_stop", "N19", "S"),),
    )
    assert rp.state(stopped, "x.1", "inside") == ""


def test_rp_8_31_8_321_units_and_the_works_they_may_enter():
    gun = acting(french("x", "Q19", kind="machine_guns"), [])
    assert cite_of(gun, Order.of("go_in", unit="x.1", works="blockhouse")) is None
    company = acting(french("x", "Q19"), [])
    assert cite_of(company, Order.of("go_in", unit="x.1", works="blockhouse")) == "8.31"
    assert cite_of(company, Order.of("go_in", unit="x.1", works="trench")) == "8.02"
    tank = acting(french("x", "O19", kind="schneider"), [])
    assert cite_of(tank, Order.of("go_in", unit="x.1", works="trench")) == "8.321"


def test_rp_8_04_8_341_wire_disperses_and_spends_units_that_cross_it_and_8_342_afv_breach_it():
    table = acting(french("x", "P19", formed=True), ["P18"])
    assert [f["unit"] for _, _, f in rp.told(table, "wire")] == ["x.1"]
    assert not rp.state(table, "x.1", "formed")
    assert getattr(table.waits_for, "question", None) != ACT
    tank = acting(french("x", "P19", kind="schneider"), ["P18"])
    assert len(tank.read("shared/resolution/breached", ())) == 1
    assert rp.told(tank, "wire") == []
    # 8.04: alongside the wire nothing happens.
    assert rp.told(acting(french("x", "P19", formed=True), ["Q19"]), "wire") == []


def test_rp_8_7_a_stream_spends_without_dispersing_unless_there_is_a_bridge_and_lakes_stop():
    table = acting(french("x", "P20", formed=True), ["P21"])
    assert rp.state(table, "x.1", "formed")
    assert [f["unit"] for _, _, f in rp.told(table, "stream")] == ["x.1"]
    sides = (*PARADE["hexside"], rp.along("bridge", "P20", "S"))
    assert rp.told(acting(french("x", "P20", formed=True), ["P21"], hexside=sides), "stream") == []
    assert cite_of(acting(french("x", "P19"), []), "Q20") == "8.7"


def test_rp_8_323_3_73_afv_bog_in_a_trench_hex_and_no_move_destroys():
    scenario = parade(french("x", "N18", kind="schneider"))
    orders = {
        COMMAND: [PASS, TROOPS],
        ACTIVATE: [units("x.1")],
        ACT: [move(scenario, "x.1", "N19")],
    }
    table = rp.run(scenario, (4, 5, 6, 6), orders)
    assert [kind for _, kind, _ in rp.told(table, "bogged", "suffered")] == ["bogged"]
    assert not rp.state(table, "x.1", "destroyed")


def test_rp_3_4_6_63_a_full_hex_and_enemies_in_the_own_hex_stop_a_move():
    scenario = parade(french("x", "N18"), french("y", "M18 M18"))
    table = rp.run(scenario, (4, 5), {COMMAND: [PASS, TROOPS], ACTIVATE: [units("x.1")]})
    assert cite_of(table, "M18") == "3.4"
    held = parade(french("x", "N18"), rp.unit("foe", "N18"))
    table = rp.run(held, (4, 5), {COMMAND: [PASS, TROOPS], ACTIVATE: [units("x.1")]})
    assert cite_of(table, "M18") == "6.63"


def test_rp_7_21_the_company_with_the_trench_set_does_not_move():
    scenario = parade(french("x", "N21"), group=(rp.group(mode="trench_set", observer="x.1"),))
    table = rp.run(scenario, (4, 5), {COMMAND: [PASS, TROOPS], ACTIVATE: [units("x.1")]})
    assert cite_of(table, "N22") == "7.21"
    # No other mode ties a company to its hex.
    free = parade(french("x", "N21"), group=(rp.group(mode="telephone", observer="x.1"),))
    table = rp.run(free, (4, 5), {COMMAND: [PASS, TROOPS], ACTIVATE: [units("x.1")]})
    assert cite_of(table, "N22") is None


def test_rp_6_3_3_2_deploying_turns_the_unit_over_and_spends_it():
    table = acting(french("x", "M18"), [])
    table.submit(Answered(ACT, Order.of("deploy", unit="x.1")))
    assert rp.state(table, "x.1", "formed")
    assert rp.told(table, "deploy")


def test_rp_3_3_6_05_a_unit_that_moved_is_spent_for_the_turn():
    scenario = parade(french("x", "M18"))
    orders = {
        COMMAND: [PASS, TROOPS, PASS, TROOPS],
        ACTIVATE: [units("x.1")],
        ACT: [move(scenario, "x.1", "N18")],
    }
    table = rp.run(scenario, (3, 5), {**orders, ACT: [*orders[ACT], Order.of("halt")]})
    assert table.waits_for.question == ACTIVATE
    assert table.submit(Answered(ACTIVATE, units("x.1"))).cite == "3.3"


def test_rp_5_21_5_22_5_23_both_sides_have_a_half_and_the_leader_comes_first():
    scenario = rp.lay(
        board=rp.board(), unit=(french("eyes", "N21"), rp.unit("watch", "N16")),
        group=(rp.group("ours"), rp.group("theirs", side="german", target="N20/N21/O21")),
    )  # fmt: skip
    for dice, order in (
        ((6, 5), ["ours", "theirs"]),
        ((5, 6), ["theirs", "ours"]),
        ((4, 4), ["theirs", "ours"]),
    ):
        table = rp.run(scenario, (*dice, 1, 2))
        assert [f["mission"] for _, _, f in rp.told(table, "requested")] == order
    table = rp.run(scenario, (5, 4), {})
    assert table.waits_for.question == COMMAND
    other = Order.of("call", group="theirs", by="telephone")
    assert table.submit(Answered(COMMAND, other)).cite == "6.01"


def test_rp_5_12_a_side_that_infiltrates_brings_one_couplet_more():
    table = rp.run(rp.lay(board=rp.board(), side=rp.sides(infiltrates=True)), (5, 4))
    assert [f["couplets"] for _, _, f in rp.told(table, "initiative")] == [2]


def test_rp_6_02_a_command_to_troops_is_interrupted_before_they_act():
    scenario = parade(
        french("x", "M18"), french("eyes", "N21"), group=(rp.group(cross_hair="N18/N19/O19"),)
    )
    orders = {
        COMMAND: [PASS, TROOPS],
        ACTIVATE: [units("x.1")],
        ACT: [move(scenario, "x.1", "N17")],
    }
    table = rp.run(scenario, (4, 5, 1, 1, 1), orders)
    kinds = [entry.event.kind for entry in table.log]
    assert kinds.index("fall") < kinds.index("enters")


def test_rp_6_61_a_stack_moves_together_and_a_unit_picked_up_has_paid_as_much():
    scenario = parade(
        french("x", "M18", formed=True), french("y", "N18", formed=True), french("z", "N21")
    )

    def both(to):
        return Order.of("stack", units=("x.1", "y.1"), to=scenario.frame.parse(to))

    acts = [move(scenario, "x.1", "N18"), both("N19")]
    orders = {COMMAND: [PASS, TROOPS], ACTIVATE: [units("x.1", "y.1")], ACT: acts}
    table = rp.run(scenario, (4, 5), orders)
    assert [rp.state(table, unit, "points") for unit in ("x.1", "y.1")] == [1, 1]
    assert {
        scenario.frame.label(table.read(f"units/{unit}/place", None)) for unit in ("x.1", "y.1")
    } == {"N19"}
    table.submit(Answered(ACT, both("N20")))
    assert cite_of(table, both("N19")) == "6.61, 6.64"
    assert (
        cite_of(table, Order.of("stack", units=("x.1", "z.1"), to=scenario.frame.parse("N21")))
        == "6.61"
    )


def test_rp_6_65_a_mover_counts_as_moving_until_the_player_turns_to_another_hex():
    scenario = parade(french("x", "M18"), french("y", "M18"))
    orders = {
        COMMAND: [PASS, TROOPS],
        ACTIVATE: [units("x.1", "y.1")],
        ACT: [move(scenario, "x.1", "N18")],
    }
    table = rp.run(scenario, (4, 5), orders)
    assert rp.state(table, "x.1", "moving")
    table.submit(Answered(ACT, move(scenario, "y.1", "M19")))
    assert not rp.state(table, "x.1", "moving")
    assert rp.state(table, "x.1", "spent")
    assert rp.state(table, "y.1", "moving")


def test_rp_6_72_a_unit_entering_a_trench_hex_is_struck_before_it_is_in_the_trench():
    scenario = rp.lay(
        board=rp.board(), moves=True, hex=(rp.holds("N19", "trench"),), barrage=(rp.barrage(),),
        unit=(rp.unit("foe", "N20", formed=True),),
    )  # fmt: skip
    orders = {
        COMMAND: [PASS, TROOPS],
        ACTIVATE: [units("foe.1")],
        ACT: [move(scenario, "foe.1", "N19")],
    }
    assert rp.suffered(rp.run(scenario, (5, 4), orders)) == {"foe.1": "DESTROYED"}


@pytest.mark.parametrize(
    ("what", "inside", "howitzers", "net"),
    [
        ((), "", False, 3), (("village",), "", False, 2), (("craters",), "", False, 2), (("woods",), "", False, 2),
        (("light_woods",), "", False, 3), (("wheat",), "", False, 3), (("trench",), "outside", False, 3),
        (("trench",), "trench", False, 0), (("trench", "village"), "trench", False, 0),
        (("trench",), "trench", True, 1), (("trench", "craters"), "trench", True, 1),
    ],
)  # fmt: skip
def test_rp_8_02_8_1_8_2_8_321_8_9_the_terrain_of_a_hex_gives_one_modifier_only(
    what, inside, howitzers, net
):
    found = _modifiers(what, inside, howitzers)
    assert sum(found.values()) == net
    assert len(found) <= 2


@pytest.mark.parametrize(
    ("option", "howitzers", "net"), [(False, False, 3), (True, False, 2), (True, True, 3)]
)
def test_rp_8_43_hills_help_against_guns_off_the_map_only_by_option(option, howitzers, net):
    assert (
        sum(_modifiers((), "", howitzers, level=1, options={"hill_cover": option}).values()) == net
    )


def _modifiers(what, inside, howitzers, *, level=0, options=None):
    scenario = rp.lay(
        board=rp.board(), hex=(rp.holds("N19", *what, level=level, base=0),),
        unit=(rp.unit("foe", "N19", inside=inside),),
        side=rp.sides(commands=1), options=options or {},
        group=(rp.group(cross_hair="N18/N19/O19", mode="aircraft", howitzers=howitzers),),
    )  # fmt: skip
    table = rp.run(scenario, (5, 4, 1, 1, 1, 1, 1))
    return {
        f["summary"]: f["value"]
        for _, _, f in rp.told(table, "modifier")
        if f["roll"] == "resolution.cohesion"
    }


def test_rp_7_242_8_43_a_side_on_the_top_level_has_a_three_on_target():
    for high, strays in ((True, 0), (False, 1)):
        scenario = rp.lay(
            board=rp.board(), side=rp.sides(commands=1, high_ground=high), unit=(rp.unit("foe", "R10"),),
            group=(rp.group(cross_hair="N18/N19/O19", mode="aircraft"),),
        )  # fmt: skip
        assert len(rp.told(rp.run(scenario, (5, 4, 1, 1, 3)), "stray")) == strays


HILL = {
    "board": rp.board(), "side": rp.sides(commands=1),
    "hex": (rp.holds("R10", level=2, base=0), rp.holds("R11", level=1, base=0)),
    "group": (rp.group(cross_hair="N18/N19/O19", mode="aircraft"),),
}  # fmt: skip


@pytest.mark.parametrize(
    ("holders", "strays"),
    [((french("x", "R10"),), 0), ((rp.unit("x", "R10"),), 1), ((french("x", "R11"),), 1), ((), 1)],
)
def test_rp_3_9_7_242_the_side_that_controls_the_top_level_has_better_accuracy(holders, strays):
    scenario = rp.lay(unit=(*holders, rp.unit("far", "M10")), **HILL)
    assert len(rp.told(rp.run(scenario, (5, 4, 1, 1, 3)), "stray")) == strays


def test_rp_3_9_control_passes_to_the_only_side_there_and_stays_after_it_leaves():
    scenario = rp.lay(
        unit=(french("x", "R11", formed=True), rp.unit("far", "M10")), moves=True, **HILL
    )
    orders = {
        COMMAND: [PASS, TROOPS], ACTIVATE: [units("x.1")],
        ACT: [move(scenario, "x.1", "R10"), move(scenario, "x.1", "R11"), Order.of("halt")],
    }  # fmt: skip
    # The signal roll that interrupts fails (6, 6).
    table = rp.run(scenario, (4, 5, 6, 6), orders)
    assert [(f["at"], f["by"]) for _, _, f in rp.told(table, "control")] == [("R10", "french")]
    ((_, side),) = table.read("shared/resolution/heights", ())
    assert side == "french"


def test_rp_5_0_a_turn_is_ten_minutes():
    scenario = rp.lay(board=rp.board())
    assert (scenario.clock.minutes, scenario.clock.name(0)) == (10, "turn 1")


def test_rp_3_2_the_cohesion_of_the_face_that_is_up_counts():
    # A company's cohesion is 8 by default and 9 here.
    for cohesion, hit in ((9, {}), (8, {"foe.1": "SUPPRESSED"})):
        scenario = rp.lay(
            board=rp.board(), side=rp.sides(commands=1), unit=(rp.unit("foe", "N19", cohesion=cohesion),),
            group=(rp.group(cross_hair="N18/N19/O19", mode="aircraft"),),
        )  # fmt: skip
        assert rp.suffered(rp.run(scenario, (5, 4, 1, 1, 1, 3, 3))) == hit


# --- what carries over ---------------------------------------------------------------------------


def test_rp_11_2_11_31_11_32_11_33_only_the_defenders_calls_carry_over_with_their_elapsed_delay():
    made = rp.form(
        board=rp.board(), unit=(french("eyes", "N21"), rp.unit("watch", "N16", formed=True)), moments=12,
        group=(rp.group("ours"), rp.group("theirs", side="german", mode="runner", target="N18/N19/O19")),
        bombarded=True,
    )  # fmt: skip
    scenario = rp.lay(
        **{name: getattr(made, name) for name in ("board", "unit", "group", "moments", "bombarded")}
    )
    table = Table(scenario, 12)
    while table.waits_for is not None:
        waits = table.waits_for
        if getattr(waits, "question", None) == COMMAND:
            call = {9: {"german": "theirs"}, 12: {"french": "ours"}}.get(
                table.state.moment + 1, {}
            ).get(waits.who)
            mode = "runner" if call == "theirs" else "telephone"
            order = Order.of("call", group=call, by=mode) if call and _idle(table, call) else PASS
            assert isinstance(table.submit(Answered(COMMAND, order)), tuple)
        elif hasattr(waits, "question"):
            table.submit(Answered(waits.question, table.rulebook.answer(waits, {}, table.read)))
        else:
            from fireplan_core.play import Thrown

            table.submit(Thrown(waits.name, (6, 4)))
    assert table.read("missions/theirs/delays/hourglass", None) == 3
    after = following(made, scenario, table.read, keeps="german")
    assert after.moments == 6
    carried = {entry.name: (entry.cross_hair, entry.hour_glass) for entry in after.group}
    assert carried == {"ours": (None, 0), "theirs": ("N18/N19/O19", 3)}
    assert {entry.name: (entry.at, entry.formed) for entry in after.unit}["watch_1"] == (
        ("N16",),
        True,
    )
    assert not after.bombarded
    # A group called on turn 9 with a delay of 6 is primed on turn 3 of the counter-attack.
    counter = rp.lay(
        **{name: getattr(after, name) for name in ("board", "unit", "group", "moments")}
    )
    played = rp.run(counter, (5, 4) * 4, {COMMAND: [PASS] * 8}, moments=6)
    assert [(turn, f["mission"]) for turn, _, f in rp.told(played, "primed")] == [(3, "theirs")]
    assert played.read("missions/theirs/stage", None) is Stage.DELAYED
    # 11.33: after the counter-attack neither side keeps anything.
    assert {
        entry.cross_hair for entry in following(after, counter, played.read, keeps=None).group
    } == {None}


def _idle(table, group):
    return table.read(f"missions/{group}/delays/hourglass", None) is None


def test_rp_11_32_breached_wire_stays_breached_and_scrapes_stay():
    made = rp.form(
        board=rp.board(no_mans_land=("row 18",)), hexside=(rp.along("wire", "N16,O16,P16", "S"),), moments=1,
        bombardment=(rp.bombardment(at=("row 16",)),),
    )  # fmt: skip
    scenario = rp.lay(
        **{name: getattr(made, name) for name in ("board", "hexside", "bombardment", "moments")}
    )
    table = rp.run(scenario, (5, 4), moments=1)
    after = following(made, scenario, table.read, keeps="german")
    assert sum(len(entry.at) * len(entry.sides) for entry in after.hexside) == 1
    assert after.bombardment == ()
    assert after.hex[-1].holds == ("craters",)


def test_the_form_is_the_games_own():
    game = catalogue()["red_poppies"].game
    assert game.scenarios.kind is RedPoppiesScenario
    assert game.scenarios.stage is build


def test_rp_7_21_cut_telephone_wires_are_reported_at_the_call_and_noted():
    given = {
        "board": rp.board(), "side": rp.sides(commands=1), "unit": (rp.unit("eyes", "N21", side="french"),),
        "group": (rp.group(),),
    }  # fmt: skip
    scenario = rp.lay(**given, bombarded=True)
    assert any(
        "a: after a bombardment a telephone group never gets its signal through" in note
        for note in scenario.provenance
    )
    orders = {
        COMMAND: [Order.of("call", group="a", by="telephone")],
        "requests.cross_hair": [Order.of("place", at=scenario.frame.parse("N18/N19/O19"))],
    }  # fmt: skip
    assert [f["mission"] for _, _, f in rp.told(rp.run(scenario, (5, 4), orders), "cut_off")] == [
        "a"
    ]
    sound = rp.lay(**given)
    assert not any("never gets its signal" in note for note in sound.provenance)
    assert rp.told(rp.run(sound, (5, 4), orders), "cut_off") == []
    by_bombardment = rp.lay(**given, bombardment=(rp.bombardment(at=("N10",)),))
    assert any("never gets its signal" in note for note in by_bombardment.provenance)


@pytest.mark.parametrize(
    ("kind", "inside", "found"),
    [
        ("late_war_infantry", "", "trench"), ("machine_guns", "", "trench"), ("mortars", "", "trench"),
        ("late_war_infantry", "outside", ""), ("cavalry", "", ""), ("schneider", "", ""), ("flamethrowers", "", ""),
    ],
)  # fmt: skip
def test_rp_8_322_guns_and_infantry_in_a_trench_hex_are_in_it_unless_put_outside(
    kind, inside, found
):
    given = {"board": rp.board(), "hex": (rp.holds("N19", "trench"),)}
    scenario = rp.lay(**given, unit=(rp.unit("foe", "N19 N20", kind=kind, inside=inside),))
    assert scenario.initial["units/foe.1/resolution/inside"] == found
    assert scenario.initial.get("units/foe.2/resolution/inside", "") == ""
