"""Digging: which units may dig, what it costs, and what administration does with the shovel (5.3,
6.4, 8.2, 8.33).
"""

from __future__ import annotations

import pytest
import support_red_poppies as rp

from fireplan_core import Order
from fireplan_core.play import Answered
from fireplan_red_poppies.staging import following

PASS, TROOPS, OTHER = Order.of("pass"), Order.of("troops"), Order.of("other")
COMMAND, ACTIVATE, ACT, SHOVEL = (
    "delays.command",
    "resolution.activate",
    "resolution.act",
    "resolution.shovel",
)
WIDE = rp.board(west="K")


def at(label):
    return rp.lay(board=WIDE).frame.parse(label)


def dig(unit="x.1"):
    return Order.of("dig", unit=unit)


def side(a, b):
    return tuple(sorted((at(a), at(b))))


def dug(*entries, faces=(4, 5), shovel=(), commands=(PASS, TROOPS), **rest):
    """Return a table after a turn of one couplet in which the French act second and x digs.

    ``shovel`` holds the orders about the shovel marker of x.
    """
    scenario = rp.lay(board=WIDE, moves=True, unit=entries, **rest)
    orders = {
        COMMAND: list(commands), ACTIVATE: [Order.of("units", units=("x.1",))], ACT: [dig()], SHOVEL: list(shovel)
    }  # fmt: skip
    return rp.run(scenario, faces, orders)


def french(name, hexes, **rest):
    return rp.unit(name, hexes, side="french", **rest)


@pytest.mark.parametrize(
    ("kind", "cite"),
    [
        ("late_war_infantry", None), ("machine_guns", None), ("mortars", None), ("field_guns", None),
        ("cavalry", "6.41"), ("schneider", "6.41"), ("flamethrowers", "6.41"),
    ],
)  # fmt: skip
def test_rp_6_41_only_guns_and_infantry_dig(kind, cite):
    scenario = rp.lay(board=WIDE, moves=True, unit=(french("x", "N20", kind=kind),))
    table = rp.run(
        scenario, (4, 5), {COMMAND: [PASS, TROOPS], ACTIVATE: [Order.of("units", units=("x.1",))]}
    )
    assert getattr(table.rulebook.refuse(table.waits_for, dig(), table.read), "cite", None) == cite


def test_rp_6_41_6_05_digging_spends_a_unit_and_a_unit_that_moved_cannot_dig():
    # The turn has two couplets, but a unit that has dug gets no further command in it.
    table = dug(french("x", "N20"), faces=(3, 5), commands=(PASS, TROOPS, PASS, TROOPS))
    assert rp.state(table, "x.1", "spent")
    assert [f["unit"] for _, _, f in rp.told(table, "dig")] == ["x.1"]
    scenario = rp.lay(board=WIDE, moves=True, unit=(french("x", "N20", formed=True),))
    orders = {
        COMMAND: [PASS, TROOPS], ACTIVATE: [Order.of("units", units=("x.1",))],
        ACT: [Order.of("move", unit="x.1", to=at("N19"))],
    }  # fmt: skip
    moved = rp.run(scenario, (4, 5), orders)
    assert moved.rulebook.refuse(moved.waits_for, dig(), moved.read).cite == "6.03"


def test_rp_5_3_6_41_8_2_the_shovel_becomes_a_scrape_that_covers_against_fire_for_effect():
    table = dug(french("x", "N19"), french("y", "N18"), shovel=[Order.of("scrape")])
    assert [(turn, f["at"]) for turn, _, f in rp.told(table, "scrape")] == [(1, "N19")]
    assert table.read("ground/resolution/N19/scrape", False)
    assert not table.read("ground/resolution/N18/scrape", False)
    cross = rp.lay(
        board=WIDE, moves=True, unit=(french("x", "N19"), french("y", "N18")),
        side=(rp.sides()[0], rp.SideEntry(name="german", central=True, commands=2)),
        group=(rp.group(side="german", mode="aircraft", cross_hair="N18/N19/O19", hour_glass=2),),
    )  # fmt: skip
    # In turn 1 x digs. In turn 2 the Germans lead, with a signal of 2 and an accuracy of 1: x has
    # its scrape, y has none.
    orders = {
        COMMAND: [PASS, TROOPS, OTHER], ACTIVATE: [Order.of("units", units=("x.1",))], ACT: [dig()],
        SHOVEL: [Order.of("scrape")],
    }  # fmt: skip
    struck = rp.run(cross, (4, 5, 4, 5, 1, 1, 1, 1, 2, 1, 2), orders)
    assert [
        f["value"] for _, _, f in rp.told(struck, "modifier") if f["summary"] == "terrain: cover"
    ] == [-1]


TRENCHES = {"hex": (rp.holds("N19,N20,N21", "trench"),)}


def test_rp_8_33_6_41_a_bomb_stop_cuts_the_trench_from_then_on():
    stop = Order.of("stop", side=side("N20", "N19"))
    table = dug(french("x", "N20", inside="trench"), shovel=[stop], faces=(4, 5, 4, 5), **TRENCHES)
    assert table.read("shared/resolution/stops", ()) == (side("N20", "N19"),)
    assert [f["laid"] for _, _, f in rp.told(table, "bomb_stop")] == [True]
    for order in (PASS, TROOPS):
        table.submit(Answered(COMMAND, order))
    table.submit(Answered(ACTIVATE, Order.of("units", units=("x.1",))))
    table.submit(Answered(ACT, Order.of("move", unit="x.1", to=at("N19"))))
    assert rp.state(table, "x.1", "inside") == ""
    assert rp.told(table, "stopped")


@pytest.mark.parametrize(
    ("inside", "order"),
    [
        ("outside", Order.of("stop", side=side("N20", "N19"))),  # the unit is not IN the trench
        ("trench", Order.of("stop", side=side("N20", "O20"))),  # no trench lies across this hexside
        ("trench", Order.of("stop", side=side("N21", "N22"))),  # not a hexside of the unit's hex
    ],
)
def test_rp_8_33_a_bomb_stop_goes_only_where_its_own_trench_connects(inside, order):
    table = dug(french("x", "N20", inside=inside), **TRENCHES)
    assert table.waits_for.question == SHOVEL
    assert table.rulebook.refuse(table.waits_for, order, table.read).cite == "8.33"


@pytest.mark.parametrize(
    ("more", "cite"),
    [((), None), ((rp.unit("foe", "N19"),), "6.41, 6.42"), ((french("y", "N19"),), None)],
)
def test_rp_6_41_6_42_a_bomb_stop_goes_with_the_shovel_unless_enemies_are_across_it(more, cite):
    given = {**TRENCHES, "hexside": (rp.along("bomb_stop", "N19", "S"),)}
    clear = Order.of("clear", side=side("N19", "N20"))
    table = dug(french("x", "N20"), *more, **given)
    elsewhere = Order.of("clear", side=side("N20", "N21"))
    assert table.rulebook.refuse(table.waits_for, elsewhere, table.read).cite == "6.41, 6.42"
    assert getattr(table.rulebook.refuse(table.waits_for, clear, table.read), "cite", None) == cite
    if cite is None:
        table.submit(Answered(SHOVEL, clear))
        assert table.read("shared/resolution/stops", ()) == ()


def test_rp_5_3_6_41_the_owner_decides_once_about_each_shovel():
    # x and y dig as a stack, and z in the other couplet: three shovels, three answers, and none in
    # the next turn.
    scenario = rp.lay(
        board=WIDE, moves=True, unit=(french("x", "N20", inside="trench"), french("y", "N20"), french("z", "N21")),
        hexside=(rp.along("bomb_stop", "N20", "S", "SE"), rp.along("bomb_stop", "N21", "S")), **TRENCHES,
    )  # fmt: skip
    orders = {
        COMMAND: [PASS, TROOPS] * 2, ACT: [dig("x.1"), dig("y.1"), dig("z.1")],
        ACTIVATE: [Order.of("units", units=("x.1", "y.1")), Order.of("units", units=("z.1",))],
        SHOVEL: [
            Order.of("stop", side=side("N20", "N19")), Order.of("clear", side=side("N20", "N21")), Order.of("scrape"),
        ],
    }  # fmt: skip
    table = rp.run(scenario, (3, 5, 3, 5), {key: list(given) for key, given in orders.items()})
    assert [(f["unit"], f["side"], f["laid"]) for _, _, f in rp.told(table, "bomb_stop")] == [
        ("x.1", side("N20", "N19"), True), ("y.1", side("N20", "N21"), False)
    ]  # fmt: skip
    assert [f["at"] for _, _, f in rp.told(table, "scrape")] == ["N21"]
    # A shovel that was not removed stays.
    left = {side("N20", "N19"), side("N20", "O21"), side("N21", "N22")}
    assert set(table.read("shared/resolution/stops", ())) == left
    for _ in range(4):
        table.submit(Answered(COMMAND, PASS))
    assert getattr(table.waits_for, "name", "") == "initiative"
    assert table.state.moment == 2


def test_rp_6_41_a_unit_destroyed_with_the_shovel_leaves_nothing():
    # The barrage strikes row 19 as the second couplet opens; x began to dig there in the first.
    scenario = rp.lay(
        board=WIDE, moves=True, unit=(french("x", "N19"),), barrage=(rp.barrage("row 20"),),
    )  # fmt: skip
    orders = {COMMAND: [TROOPS], ACTIVATE: [Order.of("units", units=("x.1",))], ACT: [dig()]}
    table = rp.run(scenario, (5, 3, 5, 4), orders)
    assert rp.suffered(table) == {"x.1": "DESTROYED"}
    assert rp.told(table, "scrape") == []
    assert table.state.moment == 1


def test_rp_6_02_a_command_to_dig_lets_primed_groups_roll_before_the_spade_is_in_the_ground():
    table = dug(
        french("x", "N20"), french("eyes", "N22"), faces=(4, 5, 6, 6),
        group=(rp.group(cross_hair="N17/N18/O18"),),
    )  # fmt: skip
    kinds = [entry.event.kind for entry in table.log]
    assert kinds.index("signal") < kinds.index("dig")


def test_rp_11_32_scrapes_and_bomb_stops_carry_over_to_the_counter_attack():
    given = {
        **TRENCHES, "board": WIDE, "moves": True, "moments": 1, "unit": (french("x", "N20", inside="trench"),),
        "hexside": (rp.along("bomb_stop", "N20", "S"), rp.along("wire", "N19", "N")),
    }  # fmt: skip

    def after(order):
        orders = {
            COMMAND: [PASS, TROOPS], ACTIVATE: [Order.of("units", units=("x.1",))], ACT: [dig()], SHOVEL: [order]
        }  # fmt: skip
        table = rp.run(rp.lay(**given), (4, 5), orders, moments=1)
        made = following(rp.form(**given), table.scenario, table.read, keeps=None)
        kept = {(entry.kind, entry.at, entry.sides) for entry in made.hexside}
        return kept, [entry.at for entry in made.hex if entry.holds == ("craters",)]

    wire, old = ("wire", ("N19",), ("N",)), ("bomb_stop", ("N20",), ("S",))
    assert after(Order.of("scrape")) == ({wire, old}, [("N20",)])
    assert after(Order.of("stop", side=side("N19", "N20"))) == (
        {wire, old, ("bomb_stop", ("N19",), ("S",))},
        [],
    )
    assert after(Order.of("clear", side=side("N20", "N21"))) == ({wire}, [])
