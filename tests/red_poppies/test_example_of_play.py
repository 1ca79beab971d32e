"""The example of play (section 9): every roll in it for fire, cohesion or the bombardment."""

from __future__ import annotations

import pytest
import support_red_poppies as rp

from fireplan_core import Order
from fireplan_red_poppies.scenario import SideEntry

PASS, TROOPS, HALT, HOLD = (Order.of(verb) for verb in ("pass", "troops", "halt", "hold"))
COMMAND, ACTIVATE, ACT, REACTION = (
    "delays.command",
    "resolution.activate",
    "resolution.act",
    "resolution.reaction",
)


def field(*more, **rest):
    """Return the scenario of the example: two trench lines with craters between them, and its
    units.
    """
    given = {
        "board": rp.board(west="U", east="Y", north=8, south=14, no_mans_land=("column W",)),
        "side": (
            SideEntry(name="german", central=True, setup=("column X",)),
            SideEntry(name="british", setup=("column V",)),
        ),
        "hex": (
            rp.holds("column V from 9 to 13,column X from 9 to 13", "trench"), rp.holds("V09,W10,W11", "craters"),
        ),
        "unit": (
            rp.unit("g", "X09 X10 X10 X11 X11 X12 X12 X13", formed=True, inside="trench"),
            rp.unit("g_mg", "X09", kind="machine_guns", inside="trench"),
            rp.unit("g_gun", "X13", kind="field_guns", inside="trench"),
            rp.unit("b", "V09 V11 V13", side="british", formed=True, inside="trench"),
            rp.unit("b_mg", "V10 V12", side="british", kind="machine_guns", inside="trench", cohesion=8),
        ),
        "moves": True,
        **rest,
    }  # fmt: skip
    return rp.lay(**given)


def orders(scenario):
    def move(unit, to):
        return Order.of("move", unit=unit, to=scenario.frame.parse(to))

    return move


def shoot(unit):
    return Order.of("shoot", unit=unit)


def nets(table):
    """Return the net modifier of each shot, in order, starting from its firepower."""
    found = []
    for summary, value in values(table):
        if summary == "firepower of the unit":
            found.append(0)
        found[-1] += value
    return found


def values(table):
    return [
        (f["summary"], f["value"])
        for _, _, f in rp.told(table, "modifier")
        if f["roll"] == "resolution.shot"
    ]


FIRST_TURN = [
    1, 2, 3, 4, 5,  # the bombardment: no six
    4, 6,  # initiative: two couplets, the British first
    2, 3,  # g.1 in W10: 5 + 3 = 8
    3, 4,  # g.1 in V09: 7 + 3 = 10
    1, 2,  # g.2 in W10: 3 + 3 = 6
    3, 5, 2, 6, 3, 5,  # V09 under fire: g.1, g.2 and the British company, 8 each
    4, 5,  # g.3 in W10: 9 + 3 = 12
    6, 6,  # g.4 in W11: 12 + 3 = 15, doubles
    3, 4,  # g.5 in W11: 7 + 2 = 9
    3, 4, 2, 4,  # in W10, g.6, which has stopped, rolls 7 + 1, and g.7 rolls 6 + 2
    3, 5,  # the British company that enters V12: 8 + 0
]  # fmt: skip


def first_turn():
    scenario = field(bombardment=(rp.bombardment(at=(), side="german"),))
    move = orders(scenario)
    steps = [
        move("g.1", "W10"), move("g.1", "V09"), move("g.2", "W10"), move("g.2", "V09"), move("g.3", "W10"),
        move("g.4", "W11"), move("g.5", "W11"),
        *(move(unit, to) for unit in ("g.6", "g.7") for to in ("X11", "X10", "W10")),
        HALT, move("b.3", "V12"), HALT,
    ]  # fmt: skip
    reactions = [
        shoot("b_mg.1"), HOLD, shoot("b.1"), HOLD, shoot("b_mg.1"), HOLD, shoot("b_mg.1"), shoot("b_mg.1"),
        shoot("b_mg.1"), shoot("b.2"), HOLD, HOLD, HOLD, HOLD, HOLD, HOLD, shoot("b_mg.2"), shoot("g_gun.1"), HOLD,
    ]  # fmt: skip
    mass = Order.of("units", units=tuple(f"g.{n}" for n in range(1, 9)))
    alone = Order.of("units", units=("b.3",))
    given = {
        COMMAND: [PASS, TROOPS, TROOPS, PASS], ACTIVATE: [mass, alone], ACT: steps, REACTION: reactions,
    }  # fmt: skip
    return rp.run(scenario, FIRST_TURN, given)


def test_rp_9_0_the_bombardment_destroys_nobody_in_a_trench_and_disperses_all():
    scenario = field(bombardment=(rp.bombardment(at=(), side="german"),))
    table = rp.run(scenario, FIRST_TURN[:7])
    british = ("b.1", "b.2", "b.3", "b_mg.1", "b_mg.2")
    assert not any(rp.state(table, unit, "destroyed") for unit in british)
    assert not any(rp.state(table, unit, "formed") for unit in british)
    assert len(rp.told(table, "scrape")) == 6


def test_rp_9_0_3_72_3_73_6_53_6_71_6_72_6_73_6_75_every_shot_of_the_first_turn():
    table = first_turn()
    ((_, _, initiative),) = rp.told(table, "initiative")
    assert (initiative["couplets"], initiative["leader"]) == (2, "british")
    # These are the sums of the modifiers for each target, in the order of the shots:
    # W10: 2 + 1 + 1 - 1 = 3. V09: 1 + 1 + 1 + 1 - 1 = 3. W10 again: 3.
    # V09 by the machine gun: the dispersed company 2 - 1 = 1, the mover 3, the British company
    # 2 - 3 = -1. W10: 3. W11: 3. W11 by the company: 1 + 1 + 1 - 1 = 2.
    # W10 at three hexes: 2 + 1 - 1 - 1 = 1 for the unit that stopped, and 2 for the mover.
    # The gun: 3 + 1 - 1 - 3 = 0.
    assert nets(table) == [3, 3, 3, 1, 3, -1, 3, 3, 2, 1, 2, 0]
    hits = [(f["unit"], f["severity"].name) for _, _, f in rp.told(table, "suffered")][3:]
    assert hits == [
        ("g.1", "SUPPRESSED"),  # 10 exceeds 8
        ("g.2", "DESTROYED"),  # 11 exceeds 8
        ("g.3", "DESTROYED"),  # 12 exceeds 8
        ("g.4", "DESTROYED"),  # 15 exceeds 8
        ("g.5", "SUPPRESSED"),  # 9 exceeds 8
    ]
    assert [(f["unit"], f["at"]) for _, _, f in rp.told(table, "fires")] == [
        ("b_mg.1", "W10"), ("b.1", "V09"), ("b_mg.1", "W10"), ("b_mg.1", "V09"), ("b_mg.1", "W10"),
        ("b_mg.1", "W11"), ("b.2", "W11"), ("b_mg.2", "W10"), ("g_gun.1", "V12"),
    ]  # fmt: skip
    # The machine gun is spent only by its target's doubles; the movers are spent because they
    # moved.
    assert [f["unit"] for _, _, f in rp.told(table, "silenced")] == ["b_mg.1"]


def test_rp_9_0_5_11_a_tie_gives_the_central_powers_three_couplets_and_5_3_nobody_is_spent():
    scenario = field()
    table = rp.run(scenario, (5, 5))
    ((_, _, initiative),) = rp.told(table, "initiative")
    assert (initiative["couplets"], initiative["leader"]) == (3, "german")


def test_rp_9_0_6_3_6_51_6_56_turning_over_draws_no_reaction_and_is_fired_at():
    scenario = field(
        unit=(
            rp.unit("g", "W10 W10", formed=True),
            rp.unit(
                "b_mg", "V10", side="british", kind="machine_guns", inside="trench", cohesion=8
            ),
        )
    )
    deploy = [Order.of("deploy", unit=unit) for unit in ("g.1", "g.2")]
    fire = Order.of("fire", unit="b_mg.1", at=scenario.frame.parse("W10"))
    both, gun = Order.of("units", units=("g.1", "g.2")), Order.of("units", units=("b_mg.1",))
    # The modifier is 2 - 1 = 1, so both pass with 7 + 1 = 8. A unit that fires by command is spent,
    # even a machine gun.
    table = rp.run(
        scenario,
        (5, 5, 3, 4, 3, 4),
        {COMMAND: [TROOPS, TROOPS], ACTIVATE: [both, gun], ACT: [*deploy, fire]},
    )
    assert nets(table) == [1, 1]
    assert rp.suffered(table) == {}
    assert rp.state(table, "b_mg.1", "spent")
    kinds = [entry.event.kind for entry in table.log]
    assert kinds.index("fires") > max(k for k, kind in enumerate(kinds) if kind == "deploy")


def test_rp_9_0_6_74_two_companies_in_one_hex_fire_together_and_both_fail():
    scenario = field(
        unit=(
            rp.unit("b", "V09", side="british", inside="trench"),
            rp.unit("g", "V09", inside="outside"),
        ),
    )
    fire = Order.of("fire", unit="b.1", at=scenario.frame.parse("V09"))
    given = {
        COMMAND: [PASS, TROOPS], ACTIVATE: [Order.of("units", units=("b.1",))], ACT: [fire],
        "resolution.shoot_back": [shoot("g.1")],
    }  # fmt: skip
    # Against the German company the modifier is 1 + 1 - 1 = 1, and 10 + 1 = 11 eliminates it.
    # Against the British it is 1 + 1 - 3 = -1, and 10 - 1 = 9 exceeds 8.
    table = rp.run(scenario, (5, 5, 4, 6, 4, 6), given)
    assert nets(table) == [1, -1]
    # The British company fails too, but it is already dispersed, and spent from firing (3.72).
    assert rp.suffered(table) == {"g.1": "DESTROYED"}
    assert rp.state(table, "b.1", "spent")


@pytest.mark.parametrize(
    ("unit", "at", "summary", "value"),
    [("b.1", "X11", "range", -1), ("b.1", "V12", "range", None), ("b.1", "V11", "range", 1)],
)
def test_rp_9_0_6_52_the_range_of_the_example_in_steps_of_two_hexes(unit, at, summary, value):
    scenario = field(
        unit=(rp.unit("b", "V11", side="british", kind="machine_guns"), rp.unit("g", at)),
        hex=(),
    )
    fire = Order.of("fire", unit=unit, at=scenario.frame.parse(at))
    given = {COMMAND: [PASS, TROOPS], ACTIVATE: [Order.of("units", units=(unit,))], ACT: [fire],
             "resolution.shoot_back": [HOLD]}  # fmt: skip
    table = rp.run(scenario, (5, 5, 1, 1), given)
    assert dict(values(table)).get(summary) == value
