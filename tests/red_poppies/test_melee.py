"""Melee, anti-tank fire, transport, and the special rules for Assault Artillery (6.54, 6.67, 6.8,
14.0).
"""

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
    french,
    hexes,
    move,
    shoot,
    units,
)

from fireplan_core import Order
from fireplan_core.play import Answered
from fireplan_red_poppies.scenario import HallowedEntry, TransportEntry

HOLD, TARGET = Order.of("hold"), "resolution.target"


def melee(*names, into=""):
    return Order.of("melee", units=names, into=into)


def attack(unit):
    return Order.of("attack", unit=unit)


def at_afv(unit, vehicle):
    return Order.of("anti_tank", unit=unit, vehicle=vehicle)


def nets(table, roll="clash"):
    """Return (summary, value) of each modifier to the rolls of a kind, in order."""
    told = [f for _, _, f in rp.told(table, "modifier") if f["roll"] == f"resolution.{roll}"]
    return [(f["summary"], f["value"]) for f in told]


def fight(faces, *entries, targets=(), starts=("x.1",), into="", **rest):
    """Return a table where the French start a melee at once with these units.

    ``targets`` are the targets that each fighter names.
    """
    scenario = rp.lay(**{"board": rp.board(), "moves": True, "unit": entries, **rest})
    given = {
        COMMAND: [TROOPS], ACTIVATE: [units(*starts)], ACT: [melee(*starts, into=into)],
        TARGET: [attack(name) if name else Order.of("spare") for name in targets],
    }  # fmt: skip
    return rp.run(scenario, (5, 4, *faces), given)


# --- melee ---------------------------------------------------------------------------------------


def test_rp_9_0_6_62_6_675_6_678_the_melee_of_the_example_of_play():
    # One point takes the German company IN the trench and starts the melee. The company attacks the
    # machine gun for 3; the gun and the infantry, spent or not, attack the company for 2 + 3. The
    # company's roll of 10 makes 15 and destroys it; the gun's roll of 4 makes 7 and passes.
    table = fight(
        (1, 3, 5, 5), french("x", "N19", inside="outside"), rp.unit("mg", "N19", kind="machine_guns"),
        rp.unit("foe", "N19"), hex=(rp.holds("N19", "trench"),), into="trench", targets=("mg.1", "x.1", "x.1"),
    )  # fmt: skip
    assert rp.suffered(table) == {"x.1": "DESTROYED"}
    assert nets(table) == [
        ("melee values of its attackers", 3),
        ("melee values of its attackers", 5),
    ]
    # 6.678: the fighters are spent, whether they were attacked or not.
    assert all(rp.state(table, name, "spent") for name in ("mg.1", "foe.1"))
    assert rp.told(table, "melee")


def test_rp_6_675_melee_is_simultaneous_and_cover_does_not_count():
    # The two units attack each other for 3 and roll 8 and 9: 11 and 12 destroy both, in a village
    # or not.
    table = fight(
        (4, 4, 4, 5), french("x", "N19"), rp.unit("foe", "N19"), targets=("foe.1", "x.1"),
        hex=(rp.holds("N19", "village"),),
    )  # fmt: skip
    assert rp.suffered(table) == {"foe.1": "DESTROYED", "x.1": "DESTROYED"}
    assert set(nets(table)) == {("melee values of its attackers", 3)}


def test_rp_6_674_each_unit_has_one_attack_and_several_may_share_a_target():
    table = fight(
        (1, 1, 1, 1), french("x", "N19 N19"), rp.unit("foe", "N19 N19"), starts=("x.1", "x.2"),
        targets=("foe.2", "foe.2", "", "x.1"),
    )  # fmt: skip
    assert nets(table) == [
        ("melee values of its attackers", 6),
        ("melee values of its attackers", 3),
    ]
    assert all(rp.state(table, name, "spent") for name in ("x.1", "x.2", "foe.1", "foe.2"))


def test_rp_6_672_6_673_the_actor_fights_only_with_units_that_pay_and_the_reactor_with_all():
    # foe.1 was spent by digging earlier, in its own half; it still fights, and x.2 does not.
    scenario = rp.lay(
        board=rp.board(), moves=True, unit=(french("x", "N19 N19"), rp.unit("foe", "N19"))
    )
    given = {
        COMMAND: [TROOPS, TROOPS], ACTIVATE: [units("foe.1"), units("x.1")],
        ACT: [Order.of("dig", unit="foe.1"), melee("x.1")], TARGET: [attack("foe.1"), attack("x.1")],
    }  # fmt: skip
    table = rp.run(scenario, (4, 6, 1, 1, 1, 1), given)
    assert len(nets(table)) == len(given[TARGET])
    assert rp.state(table, "x.1", "spent")
    assert not rp.state(table, "x.2", "spent")


@pytest.mark.parametrize(
    ("entries", "order", "why"),
    [
        # Nobody is there to attack.
        ((french("x", "N19"), rp.unit("foe", "N18")), melee("x.1"), "6.671"),
        ((french("x", "N19"), rp.unit("foe", "N19")), melee("x.1", into="trench"), "8.02"),
        ((french("x", "N19"), rp.unit("foe", "N19")), melee("foe.1"), "6.671"),
        ((french("x", "N19"), rp.unit("foe", "N19")), melee("x.1"), None),
    ],
)
def test_rp_6_671_units_that_may_start_a_melee(entries, order, why):
    assert cite(acting([], (), *entries), ACT, order) == why


def test_rp_6_671_a_unit_that_crossed_wire_or_has_no_points_cannot_start_a_melee():
    entries = (french("x", "N20"), rp.unit("foe", "N19", kind="mortars"))
    table = acting([move("x.1", "N19")], (), *entries)  # the move costs the unit its only point
    assert cite(table, ACT, melee("x.1")) == "6.671"
    table = acting([move("x.1", "N19")], (), french("x", "N20", formed=True), entries[1])
    assert cite(table, ACT, melee("x.1")) is None
    wired = acting([move("x.1", "N19")], (), french("x", "N20", formed=True), entries[1],
                   hexside=(rp.along("wire", "N19", "S"),))  # fmt: skip
    assert rp.state(wired, "x.1", "spent")
    assert wired.waits_for is None or wired.waits_for.question != ACT


def test_rp_6_72_reaction_fire_waits_for_the_melee_and_its_target_moves_no_more():
    # The machine gun to the north may fire once the melee is over; the one in the hex is spent by
    # the melee.
    guns = (rp.unit(name, at, kind="machine_guns") for name, at in (("mg", "N17"), ("foe", "N19")))
    table = fight((1, 1, 1, 1), french("x", "N19"), *guns, targets=("foe.1", "x.1"))
    assert table.waits_for.question == REACTION
    refused = table.submit(Answered(REACTION, shoot("foe.1")))
    assert refused.cite == "6.71"
    table.submit(Answered(REACTION, shoot("mg.1")))
    # 6.65, 6.75: a melee ends the move, so the gun becomes spent.
    assert rp.state(table, "mg.1", "spent")
    assert not rp.state(table, "x.1", "moving")


@pytest.mark.parametrize(
    ("first", "second", "side"),
    [((2, 2), (1, 2), "german"), ((2, 2), (1, 1), "french"), ((1, 2), (1, 3), None)],
)
def test_rp_6_679_doubles_hallow_the_ground_for_their_side_the_actor_first(first, second, side):
    # The German is checked first, then the French.
    table = fight(
        (*first, *second), french("x", "N19"), rp.unit("foe", "N19"), targets=("foe.1", "x.1")
    )
    found = [(f["at"], f["by"]) for _, _, f in rp.told(table, "hallowed")]
    assert found == ([] if side is None else [("N19", side)])
    assert table.read("shared/resolution/hallowed", None) == (
        None if side is None else (side, hexes("N19"))
    )


def test_rp_6_679_hallowed_ground_helps_in_melee_and_comes_once():
    table = fight(
        (2, 2, 1, 2), french("x", "N19"), rp.unit("foe", "N19"), targets=("foe.1", "x.1"),
        hallowed=HallowedEntry(side="french", at="N18"),
    )  # fmt: skip
    assert ("hallowed ground", -1) in nets(table)
    assert rp.told(table, "hallowed") == []


def test_rp_6_679_hallowed_ground_helps_in_every_check_of_a_unit():
    modifiers = rp.lay(board=rp.board(), moves=True).modifiers
    assert {m.roll for m in modifiers if m.summary == "hallowed ground" and m.cite == "6.679"} == {
        f"resolution.{roll}"
        for roll in ("cohesion", "gas", "shot", "clash", "rally", "lost", "bog")
    }


@pytest.mark.parametrize(
    ("values", "kind", "storms", "net"),
    [
        ("1/1/3/8/1", "schneider", False, 3),  # 6.676: the unit has no anti-tank value
        ("1/1/_3/8/1", "schneider", False, 2), ("1/1/[3]/8/1", "schneider", False, 4),
        ("1/1/[3]/8/1", "late_war_infantry", False, 3), ("1/1/_3/8/1", "late_war_infantry", False, 3),
        ("1/1/3/8/1", "late_war_infantry", True, 6), ("1/1/[3]/8/1", "schneider", True, 8),
    ],
)  # fmt: skip
def test_rp_6_675_6_676_6_677_the_use_of_melee_values(values, kind, storms, net):
    table = fight(
        (1, 1, 1, 1), french("x", "N19", dispersed_values=values), rp.unit("foe", "N19", kind=kind),
        targets=("foe.1", "x.1"), side=rp.sides(infiltrates=storms),
    )  # fmt: skip
    assert nets(table)[0] == ("melee values of its attackers", net)


def test_rp_6_675_melee_values_are_doubled_on_turn_1_only():
    scenario = rp.lay(
        board=rp.board(), moves=True, side=rp.sides(infiltrates=True), unit=(french("x", "N19"), rp.unit("foe", "N19")),
    )  # fmt: skip
    passed = [Order.of("pass")] * 6
    given = {COMMAND: [*passed[:4], TROOPS], ACTIVATE: [units("x.1")], ACT: [melee("x.1")],
             TARGET: [attack("foe.1"), attack("x.1")]}  # fmt: skip
    # The dice give one couplet and infiltration one more; in turn 2 the company fights.
    table = rp.run(scenario, (5, 4, 5, 4, 1, 1, 1, 1), given)
    assert nets(table)[0] == ("melee values of its attackers", 3)


# --- anti-tank fire ------------------------------------------------------------------------------


def test_rp_6_54_anti_tank_fire_is_one_check_of_one_afv_by_its_own_score():
    tanks, gun = rp.unit("tank", "N18 N18", kind="schneider"), french("x", "N20", kind="field_guns")
    table = acting([at_afv("x.1", "tank.2")], (6, 5), gun, tanks, rp.unit("foe", "N18"))
    # The gun's 3, less 1 for two hexes: 11 + 2 destroys the tank; infantry and the other tank are
    # unaffected.
    assert nets(table, "shot") == [("firepower of the unit", 3), ("range", -1)]
    assert rp.suffered(table) == {"tank.2": "DESTROYED"}
    assert rp.state(table, "x.1", "spent")


@pytest.mark.parametrize(
    ("who", "vehicle", "why"),
    [
        ("x.1", "foe.1", "6.54"),
        ("y.1", "tank.1", "6.54"),
        ("x.1", "far.1", "6.52"),
        ("x.1", "tank.1", None),
    ],
)
def test_rp_6_54_units_and_the_afvs_they_may_fire_at(who, vehicle, why):
    board = rp.board(west="A", east="T", north=1, south=30)
    entries = (
        french("x", "N20", kind="field_guns"), french("y", "N20", kind="machine_guns"), rp.unit("foe", "N18"),
        rp.unit("tank", "N18", kind="schneider"), rp.unit("far", "A02", kind="schneider"),
    )  # fmt: skip
    assert cite(acting([], (), *entries, who=(who,), board=board), ACT, at_afv(who, vehicle)) == why


def test_rp_6_54_6_73_against_tanks_that_move_only_anti_tank_fire_reacts_with_its_own_modifier():
    gun, mg = rp.unit("gun", "N17", kind="field_guns"), rp.unit("mg", "N17", kind="machine_guns")
    tank = french("x", "N20", kind="schneider", formed=True)
    table = acting([move("x.1", "N19")], (3, 3), tank, gun, mg, reaction=[at_afv("gun.1", "x.1")])
    # The modifiers are 3 for the gun, +1 for a formed target, -1 for a moving one and -1 for two
    # hexes.
    values = {"firepower of the unit": 3, "target formed": 1, "target moving": -1, "range": -1}
    assert dict(nets(table, "shot")) == values
    # The machine gun has no anti-tank value and is never asked.
    assert table.waits_for.question == ACT


def test_rp_6_74_a_gun_under_fire_shoots_back_at_a_tank():
    entries = (french("x", "N20", kind="schneider"), rp.unit("gun", "N18", kind="field_guns"))
    fired = Order.of("fire", unit="x.1", at=hexes("N18"))
    table = acting([fired], (1, 1, 6, 6), *entries, back=[at_afv("gun.1", "x.1"), HOLD])
    assert rp.suffered(table) == {"x.1": "DESTROYED"}


# --- transport -----------------------------------------------------------------------------------


def by(kind, unit="x.1"):
    return Order.of("transport", unit=unit, by=kind)


def carried(kind, acts, faces=(), *entries, groups=1, **rest):
    company = french("x", "N20", formed=True)
    transport = (TransportEntry(side="french", kind=kind, groups=groups),)
    return acting([by(kind), *acts], faces, company, *entries, transport=transport, **rest)


@pytest.mark.parametrize(("kind", "points"), [("mules", 2), ("wagons", 3), ("trucks", 15)])
def test_rp_6_84_the_effect_of_transport(kind, points):
    roads = (rp.along("road", "N19,N20", "N"),)
    table = carried(kind, [], hexside=roads)
    assert rp.state(table, "x.1", "points") == points
    table.submit(Answered(ACT, move("x.1", "N19")))
    assert rp.state(table, "x.1", "points") == points - 1


@pytest.mark.parametrize(
    ("kind", "rest", "to", "why"),
    [
        ("mules", {"hex": (rp.holds("N19", "craters"),)}, "N19", None),
        ("wagons", {"hex": (rp.holds("N19", "craters"),)}, "N19", "6.84"),
        ("wagons", {}, "N19", None),
        ("trucks", {"hexside": (rp.along("road", "N20", "N"),)}, "N19", None),
        ("trucks", {"hexside": (rp.along("road", "N20", "N"),)}, "N21", "6.84"),
        ("wagons", {"enemy": "N19"}, "N19", "6.82"),
    ],
)
def test_rp_6_82_6_84_where_transport_goes(kind, rest, to, why):
    entries = (rp.unit("foe", rest["enemy"], kind="mortars"),) if "enemy" in rest else ()
    table = carried(kind, [], (), *entries, **{k: v for k, v in rest.items() if k != "enemy"})
    assert cite(table, ACT, move("x.1", to)) == why


@pytest.mark.parametrize(
    ("order", "rest", "why"),
    [
        (by("trucks"), {}, "6.82, 6.84"), (by("mules"), {}, "6.81, 6.83"),
        (by("wagons"), {"hex": (rp.holds("N20", "craters"),)}, "6.82, 6.84"),
    ],
)  # fmt: skip
def test_rp_6_81_6_82_units_and_the_transport_they_may_use(order, rest, why):
    groups = tuple(TransportEntry(side="french", kind=kind) for kind in ("trucks", "wagons"))
    assert (
        cite(acting([], (), french("x", "N20", formed=True), transport=groups, **rest), ACT, order)
        == why
    )
    dispersed = acting([], (), french("x", "N20"), transport=groups)
    assert cite(dispersed, ACT, by("wagons")) == "6.82"
    under_way = acting([move("x.1", "N19")], (), french("x", "N20", formed=True), transport=groups)
    assert cite(under_way, ACT, by("wagons")) == "6.83"


def test_rp_6_83_a_group_carries_one_unit_a_turn_and_is_there_again_in_the_next():
    scenario = rp.lay(
        board=rp.board(), moves=True, unit=(french("x", "N20 N20", formed=True),),
        transport=(TransportEntry(side="french", kind="wagons"),),
    )  # fmt: skip
    given = {COMMAND: [TROOPS], ACTIVATE: [units("x.1", "x.2")], ACT: [by("wagons")]}
    table = rp.run(scenario, (5, 4), given)
    assert cite(table, ACT, by("wagons", "x.2")) == "6.81, 6.83"
    assert cite(table, ACT, Order.of("deploy", unit="x.1")) == "6.03"
    table.submit(Answered(ACT, Order.of("halt")))
    while table.waits_for is not None and getattr(table.waits_for, "question", "") == COMMAND:
        table.submit(Answered(COMMAND, Order.of("pass")))
    assert rp.state(table, "x.1", "carried") == ""


@pytest.mark.parametrize(("faces", "left"), [((6, 6), ()), ((1, 1), (("french", "mules"),))])
def test_rp_6_85_a_failed_check_of_reaction_fire_costs_the_transport(faces, left):
    mg = rp.unit("mg", "N17", kind="machine_guns")
    table = carried("mules", [move("x.1", "N19")], faces, mg, reaction=[shoot("mg.1")])
    assert table.read("shared/resolution/transport", ()) == left
    assert len(rp.told(table, "transport_lost")) == (not left)


# --- Assault Artillery ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "what", "checks"),
    [
        ("saint_chamond", ("craters",), 1),
        ("saint_chamond", ("craters", "trench"), 1),
        ("saint_chamond", (), 0),
        ("schneider", ("craters",), 0),
        ("schneider", ("trench",), 1),
    ],
)
def test_rp_14_0_a_saint_chamond_checks_once_on_entering_craters_or_trenches(kind, what, checks):
    tank = french("x", "N20", kind=kind, formed=True)
    table = acting([move("x.1", "N19")], (6, 6) * checks, tank, hex=(rp.holds("N19", *what),))
    assert len(rp.told(table, "bogged")) == checks


def test_rp_14_0_a_quarry_is_a_trench_for_four_and_bars_tanks():
    quarry = {"hex": (rp.holds("N19", "quarry"),)}
    four = rp.lay(board=rp.board(), unit=(rp.unit("foe", "N19 N19 N19 N19"),), **quarry)
    assert four.initial["units/foe.4/resolution/inside"] == "trench"
    with pytest.raises(Exception, match=r"5 units other than AFV of german, 4 at most \(3\.4\)"):
        rp.lay(board=rp.board(), unit=(rp.unit("foe", "N19 N19 N19 N19 N19"),), **quarry)
    with pytest.raises(Exception, match=r"N19 is a quarry, which no tank enters \(14\.0\)"):
        rp.lay(board=rp.board(), unit=(rp.unit("foe", "N19", kind="schneider"),), **quarry)
    tank = french("x", "N20", kind="schneider", formed=True)
    assert cite(acting([], (), tank, **quarry), ACT, move("x.1", "N19")) == "14.0"
    third = acting([], (), french("x", "N20", formed=True), french("y", "N19 N19"), **quarry)
    assert cite(third, ACT, move("x.1", "N19")) is None


# --- a file's own counters -----------------------------------------------------------------------


def test_rp_3_11_every_value_of_a_counter_may_be_the_scenarios_own():
    counter = {"formed_values": "2/3/4/9/5", "dispersed_values": "1/2/_3/6/2/4"}
    scenario = rp.lay(board=rp.board(), unit=(rp.unit("x", "N19", **counter),))
    company = scenario.units["x.1"].facts["resolution"]
    formed, dispersed = company.formed, company.dispersed
    assert (formed.firepower, formed.range, formed.melee, formed.cohesion, formed.movement) == (
        2,
        3,
        4,
        9,
        5,
    )
    assert (formed.anti_tank, formed.against_afv) == (None, 0)
    assert (dispersed.cohesion, dispersed.anti_tank, dispersed.against_afv) == (6, 4, -1)


def test_rp_3_11_a_malformed_face_is_refused_with_an_example():
    form = rp.form(board=rp.board(), unit=(rp.unit("x", "N19", formed_values="2/3/4"),))
    ((key, problem, hint),) = form.check()
    assert key == "unit[0].formed_values"
    assert "firepower/range/melee/cohesion/movement" in problem + hint
