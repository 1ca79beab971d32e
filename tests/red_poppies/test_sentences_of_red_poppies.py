"""Provisions of the series rules that no other test covers, by number."""

from __future__ import annotations

import pytest
import support_red_poppies as rp
from support_red_poppies import (
    ACT,
    ACTIVATE,
    COMMAND,
    REACTION,
    TROOPS,
    acting,
    cite,
    fire,
    french,
    hexes,
    move,
    shoot,
    units,
)

from fireplan_core import Order, Refusal
from fireplan_core.play import Answered
from fireplan_red_poppies.scenario import TransportEntry
from fireplan_red_poppies.staging import following

HOLD, HALT = Order.of("hold"), Order.of("halt")


@pytest.mark.parametrize(
    ("side", "kinds", "why"),
    [
        ({}, ("late_war_infantry", "late_war_infantry"), "3.5, 3.6"),
        ({}, ("eingreif", "late_war_infantry"), "3.5, 3.6"),
        ({"infiltrates": True}, ("late_war_infantry", "machine_guns"), None),
        ({}, ("eingreif", "eingreif"), None),
    ],
)
def test_rp_3_6_14_0_only_sides_with_infiltration_tactics_act_as_a_blob_of_any_types(
    side, kinds, why
):
    entries = (french("x", "O19", kind=kinds[0]), french("y", "P19", kind=kinds[1]))
    scenario = rp.lay(board=rp.board(), moves=True, unit=entries, side=rp.sides(**side))
    table = rp.run(scenario, (5, 4), {COMMAND: [TROOPS]})
    assert cite(table, ACTIVATE, units("x.1", "y.1")) == why


def test_rp_3_9_a_hex_with_both_sides_in_it_keeps_its_owner():
    hill = rp.holds("N19", level=1, base=0)
    entries = (french("x", "N20", formed=True), rp.unit("foe", "N19", kind="mortars"))
    table = acting([move("x.1", "N19")], (), *entries, hex=(hill,))
    assert table.read("shared/resolution/heights", ()) == ((hexes("N19"), "german"),)
    assert rp.told(table, "control") == []


@pytest.mark.parametrize(("target", "why"), [("N15", None), ("N14", None), ("N13", "6.52")])
def test_rp_6_52_a_machine_gun_reaches_six_hexes_and_no_seventh(target, why):
    entries = (french("x", "N20", kind="machine_guns"), rp.unit("foe", target, kind="mortars"))
    assert cite(acting([], (), *entries), ACT, fire("x.1", target)) == why


def test_rp_6_65_moving_on_from_the_entered_hex_continues_the_same_move():
    # y.1 starts in the hex where x.1 is now: the player's attention has not left that hex, and x.1
    # is still moving.
    entries = (french("x", "N20", formed=True), french("y", "N19", formed=True))
    table = acting([move("x.1", "N19"), move("y.1", "N18")], (), *entries, who=("x.1", "y.1"))
    assert rp.state(table, "x.1", "moving")
    assert not rp.state(table, "x.1", "spent")


def test_rp_6_671_a_spent_unit_cannot_start_a_melee():
    entries = (french("x", "N19"), french("y", "N19"), rp.unit("foe", "N19"))
    table = acting([Order.of("dig", unit="x.1")], (), *entries, who=("x.1", "y.1"))
    assert cite(table, ACT, Order.of("melee", units=("x.1",), into="")) == "6.671"
    assert cite(table, ACT, Order.of("melee", units=("y.1",), into="")) is None


# Into interior woods: the check for getting lost fails, 9 against 8, and a unit that has failed
# moves no further (6.65).
@pytest.mark.parametrize(("lost", "spent"), [((4, 5), True), ((1, 2), False)])
def test_rp_6_75_a_machine_gun_that_reacts_to_nobody_moving_is_spent(lost, spent):
    entries = (french("x", "N21", formed=True), rp.unit("mg", "N17", kind="machine_guns"))
    green = (rp.along("green", "N20", "S"),)
    table = acting(
        [move("x.1", "N20")],
        (*lost, 1, 2),
        *entries,
        reaction=[shoot("mg.1"), HOLD],
        hexside=green,
    )
    assert rp.state(table, "mg.1", "spent") is spent


@pytest.mark.parametrize(
    ("mover", "bystander", "spent"), [((1, 2), (1, 1), False), ((1, 1), (1, 2), True)]
)
def test_rp_6_75_only_doubles_of_a_mover_silence_the_machine_gun(mover, bystander, spent):
    entries = (
        french("x", "N21", formed=True),
        french("y", "N20"),
        rp.unit("mg", "N17", kind="machine_guns"),
    )
    table = acting(
        [move("x.1", "N20")],
        (*mover, *bystander),
        *entries,
        reaction=[shoot("mg.1"), HOLD],
    )
    assert rp.state(table, "mg.1", "spent") is spent


def transport(kind):
    return (TransportEntry(side="french", kind=kind),)


def carried(kind):
    return Order.of("transport", unit="x.1", by=kind)


def test_rp_6_82_transport_may_not_enter_gas():
    gas = rp.group("gas", side="french", mode="flare", preregistered="N18/N19/O19", shells=("gas",))
    scenario = rp.lay(
        board=rp.board(), moves=True, group=(gas,), transport=transport("mules"),
        unit=(french("x", "N20", formed=True), french("y", "M22")),
    )  # fmt: skip
    values = {"at": hexes("N18/N19/O19"), "shell": "gas"}
    call, place = Order.of("call", group="gas", by="flare"), Order.of("place", **values)
    given = {
        COMMAND: [call, Order.of("pass"), TROOPS], "requests.cross_hair": [place],
        ACTIVATE: [units("x.1")], ACT: [carried("mules")],
    }  # fmt: skip
    # Two couplets: the call, then a command whose signal (1, 1) and accuracy (1) put gas on the
    # aim point.
    table = rp.run(scenario, (6, 4, 1, 1, 1), given)
    assert hexes("N19") in table.read("shared/resolution/gas", ())
    assert cite(table, ACT, move("x.1", "N19")) == "6.82"
    assert cite(table, ACT, move("x.1", "M20")) is None


@pytest.mark.parametrize(
    ("kind", "points", "bonus"), [("mules", 2, 1), ("wagons", 3, 1), ("trucks", 15, 0)]
)
def test_rp_6_84_mules_and_wagons_have_the_bonus_of_the_road_and_trucks_have_it_already(
    kind, points, bonus
):
    entries = (french("x", "N30", formed=True),)
    board = rp.board(north=1, south=30)
    road = (rp.along("road", "column N from 5 to 30", "N"),)
    far = [move("x.1", f"N{30 - n}") for n in range(1, points + bonus + 1)]
    table = acting(
        [carried(kind), *far],
        (),
        *entries,
        board=board,
        hexside=road,
        transport=transport(kind),
    )
    assert rp.told(table, "enters")[-1][2]["to"] == f"N{30 - points - bonus}"
    assert cite(table, ACT, move("x.1", f"N{29 - points - bonus}")) == "6.61, 6.64"


def test_rp_6_85_a_check_that_fire_by_command_brings_costs_no_transport():
    entries = (french("x", "N20", formed=True), rp.unit("mg", "N17", kind="machine_guns"))
    scenario = rp.lay(board=rp.board(), moves=True, unit=entries, transport=transport("mules"))
    given = {
        COMMAND: [TROOPS, TROOPS], ACTIVATE: [units("x.1"), units("mg.1")], REACTION: [HOLD],
        ACT: [carried("mules"), move("x.1", "N19"), HALT, fire("mg.1", "N19")],
    }  # fmt: skip
    table = rp.run(scenario, (6, 4, 6, 6), given)
    assert rp.suffered(table) == {"x.1": "DESTROYED"}
    assert table.read("shared/resolution/transport", ()) == (("french", "mules"),)


def test_rp_7_224_a_call_that_still_waits_cannot_be_cancelled():
    groups = (rp.group(mode="runner"), rp.group("b", mode="runner"))
    scenario = rp.lay(board=rp.board(), group=groups, unit=(french("eyes", "N20"),))
    # The group is called in turn 1, no longer spent in turn 2, and primed only in turn 4.
    table = rp.run(
        scenario, (5, 4, 5, 4), {COMMAND: [Order.of("call", group="a", by="runner")]}, moments=3
    )
    assert [fields["mission"] for _, _, fields in rp.told(table, "requested")] == ["a"]
    refusal = table.submit(Answered(COMMAND, Order.of("cancel", group="a")))
    assert isinstance(refusal, Refusal)
    assert refusal.cite == "7.224"


def test_rp_7_248_6_02_a_group_that_has_fired_rolls_for_no_further_signal():
    entries = (french("eyes", "N20"),)
    scenario = rp.lay(
        board=rp.board(), side=rp.sides(commands=2), group=(rp.group(),), unit=entries
    )
    # Turn 1: the call. Turn 2: the first command rolls the signal (1, 1) and accuracy (1, on target);
    # the second rolls nothing.
    call = Order.of("call", group="a", by="telephone")
    table = rp.run(scenario, (5, 4, 6, 4, 1, 1, 1, 5, 4), {COMMAND: [call, Order.of("other")]})
    assert [turn for turn, _, _ in rp.told(table, "signal")] == [2]
    assert rp.told(table, "fall")[0][2]["on_target"]


@pytest.mark.parametrize(
    ("kind", "checked"), [("cavalry", True), ("schneider", True), ("late_war_infantry", False)]
)
def test_rp_8_323_cavalry_and_tanks_check_on_entering_a_trench_hex_and_infantry_does_not(
    kind, checked
):
    table = acting(
        [move("x.1", "N19")],
        (),
        french("x", "N20", kind=kind),
        hex=(rp.holds("N19", "trench"),),
    )
    assert (getattr(table.waits_for, "name", "") == "bog") is checked


@pytest.mark.parametrize(
    ("before", "asked"), [(HALT, "resolution.rally"), (Order.of("dig", unit="y.1"), ACT)]
)
def test_rp_3_8_a_spent_straggler_does_not_rally(before, asked):
    entries = (french("x", "N21", formed=True), french("y", "N20"))
    scenario = rp.lay(board=rp.board(), moves=True, unit=entries)
    # The first of two couplets is y's; in the second, x enters the hex of y.
    given = {
        COMMAND: [TROOPS, Order.of("pass"), TROOPS], ACTIVATE: [units("y.1"), units("x.1")],
        ACT: [before, move("x.1", "N20")],
    }  # fmt: skip
    assert rp.run(scenario, (6, 4), given).waits_for.question == asked


def test_rp_11_32_8_322_positions_in_and_outside_trenches_carry_over_to_the_counter_attack():
    given = {
        "board": rp.board(), "hex": (rp.holds("N20", "trench"),), "moments": 1,
        "unit": (rp.unit("in", "N20"), rp.unit("out", "N20", inside="outside")),
    }  # fmt: skip
    scenario = rp.lay(**given)
    after = following(rp.form(**given), scenario, rp.run(scenario, (5, 4), moments=1).read)
    assert {entry.name: entry.inside for entry in after.unit} == {
        "in_1": "trench",
        "out_1": "outside",
    }
    again = rp.lay(**{key: getattr(after, key) for key in ("board", "hex", "unit")})
    stand = again.initial
    assert [stand.get(f"units/{name}/resolution/inside", "") for name in ("in_1.1", "out_1.1")] == [
        "trench",
        "",
    ]
