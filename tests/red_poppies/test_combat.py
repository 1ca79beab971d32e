"""Fire by units on the map and the effects of each movement point (3.8, 4.6, 4.81, 6.5 to 6.9,
7.514, 8.9).
"""

from __future__ import annotations

import attrs
import pytest
import support_red_poppies as rp
from support_red_poppies import (
    ACT,
    ACTIVATE,
    BACK,
    COMMAND,
    RALLY,
    REACTION,
    TROOPS,
    acting,
    cite,
    fire,
    french,
    move,
    shoot,
    units,
)

from fireplan_core import Order
from fireplan_core.play import Thrown

PASS, OTHER, HALT, HOLD = (Order.of(verb) for verb in ("pass", "other", "halt", "hold"))


def modifiers(table, roll="shot"):
    return {
        f["summary"]: f["value"]
        for _, _, f in rp.told(table, "modifier")
        if f["roll"] == f"resolution.{roll}"
    }


# --- which units may fire at which targets --------------------------------------------------------

GUN = french("x", "N20", kind="machine_guns")


@pytest.mark.parametrize(
    ("entries", "at", "cite_", "rest"),
    [
        ((GUN, rp.unit("foe", "N16")), "N16", None, {}),
        # Infantry reaches only one hex.
        ((french("x", "N20"), rp.unit("foe", "N18")), "N18", "6.52", {}),
        # With an enemy in its own hex, the gun may not fire at another hex.
        (
            (GUN, rp.unit("near", "N20"), rp.unit("foe", "N18")),
            "N18",
            "6.51",
            {},
        ),
        # The gun may fire at the enemy in its own hex.
        ((GUN, rp.unit("near", "N20")), "N20", None, {}),
        ((french("x", "N20", kind="mortars"), rp.unit("near", "N20")), "N20", "6.51", {}),
        (
            (GUN, rp.unit("foe", "N18")),
            "N18",
            "4.2, 4.41, 8.1, 4.91",
            {"hex": (rp.holds("N19", "village"),)},
        ),
        ((GUN, rp.unit("foe", "A01")), "A01", "2.2, 6.51", {"board": rp.board(west="A", north=1)}),
    ],
)
def test_rp_6_51_6_52_units_on_the_map_and_the_hexes_they_may_fire_at(entries, at, cite_, rest):
    if at == "A01":
        entries, rest = entries[:1], {}
    table = acting([], (), *entries, **rest)
    assert cite(table, ACT, fire("x.1", at)) == cite_


def test_rp_4_6_friends_stop_the_fire_of_infantry_and_cavalry_unless_in_works():
    for kind, inside, stopped in (
        ("cavalry", "outside", "4.2, 4.6, 4.91"), ("machine_guns", "outside", None), ("cavalry", "", None),
    ):  # fmt: skip
        # Cavalry with the stand-in values reaches only one hex; with these values every unit
        # reaches three.
        own = {"formed_values": "1/3/3/8/3", "dispersed_values": "1/3/3/8/3"}
        scenario = rp.lay(
            board=rp.board(), moves=True, hex=(rp.holds("N19", "trench"),),
            unit=(french("x", "N20", kind=kind, **own), french("friend", "N19", inside=inside), rp.unit("foe", "N18")),
        )  # fmt: skip
        table = rp.run(scenario, (5, 4), {COMMAND: [TROOPS], ACTIVATE: [units("x.1")]})
        assert cite(table, ACT, fire("x.1", "N18")) == stopped


def test_rp_6_03_6_05_6_56_a_unit_that_moved_cannot_fire_and_firing_spends_it():
    table = acting([move("x.1", "N19")], (), french("x", "N20", formed=True), rp.unit("foe", "R10"))
    assert cite(table, ACT, fire("x.1", "N18")) == "6.03"
    table = acting([fire("x.1", "N18")], (1, 1), GUN, rp.unit("foe", "N18", kind="mortars"))
    assert rp.state(table, "x.1", "spent")
    assert table.waits_for is None or table.waits_for.question != ACT


# --- modifiers -----------------------------------------------------------------------------------


def shot(target, *more, gun=GUN, **rest):
    table = acting([fire("x.1", target.at[0])], (1, 1), gun, target, *more, back=[HOLD], **rest)
    return modifiers(table)


BASE = {"firepower of the unit": 2, "range": -1}


@pytest.mark.parametrize(
    ("target", "more", "rest", "expected"),
    [
        (rp.unit("foe", "N18"), (), {}, BASE),
        (rp.unit("foe", "N18", formed=True), (), {}, {**BASE, "target formed": 1}),
        # The target is in the same hex.
        (rp.unit("foe", "N20"), (), {}, {"firepower of the unit": 2, "range": 1}),
        # The target is six hexes away.
        (rp.unit("foe", "N14"), (), {}, {"firepower of the unit": 2, "range": -3}),
        (
            rp.unit("foe", "N18", inside="trench"), (), {"hex": (rp.holds("N18", "trench"),)},
            {**BASE, "terrain: trench": -3},
        ),
        (rp.unit("foe", "N18"), (), {"hex": (rp.holds("N18", "village"),)}, {**BASE, "terrain: cover": -1}),
        (rp.unit("foe", "N18"), (), {"hex": (rp.holds("N19", "light_woods"),)}, {**BASE, "terrain: concealment": -1}),
        # Light woods in the target's own hex do not count (8.03).
        (rp.unit("foe", "N18"), (), {"hex": (rp.holds("N18", "light_woods"),)}, BASE),
        (rp.unit("foe", "N18"), (), {"hex": (rp.holds("N18", level=1, base=0),)}, {**BASE, "terrain: hill": -1}),
        (rp.unit("foe", "N18"), (rp.unit("tank", "N18", kind="schneider"),), {}, {**BASE, "terrain: afv": -1}),
        (rp.unit("foe", "N18"), (), {"night": True, "side": rp.sides(infiltrates=True)},
         {**BASE, "night": -1, "terrain: concealment": -1}),
        # Only one modifier of a category counts, the best for the target: the trench, not the cover
        # or the tank next to it.
        (rp.unit("foe", "N18", inside="trench"), (rp.unit("tank", "N18", kind="schneider"),),
         {"hex": (rp.holds("N18", "trench", "craters"),)}, {**BASE, "terrain: trench": -3}),
    ],
)  # fmt: skip
def test_rp_6_53_4_81_8_03_8_43_one_circumstance_of_a_category_for_area_fire(
    target, more, rest, expected
):
    assert shot(target, *more, **rest) == expected


def test_rp_8_321_8_43_trenches_and_hills_help_less_against_mortars():
    mortar = french("x", "N20", kind="mortars")
    trench = {"hex": (rp.holds("N18", "trench"),)}
    assert (
        shot(rp.unit("foe", "N18", inside="trench"), gun=mortar, **trench)["terrain: trench"] == -2
    )
    hill = {"hex": (rp.holds("N18", level=1, base=0),)}
    assert shot(rp.unit("foe", "N18"), gun=mortar, **hill) == BASE


@pytest.mark.parametrize(("roll", "rule"), [((5, 4), "3.72"), ((6, 5), "3.73")])
def test_rp_3_72_3_73_the_message_cites_the_rule_of_dispersal_or_of_destruction(roll, rule):
    table = acting([fire("x.1", "N18")], roll, GUN, rp.unit("foe", "N18"), back=[HOLD])
    (struck,) = (entry.event for entry in table.log if entry.event.kind == "suffered")
    assert struck.cite == rule


def test_rp_6_53_area_fire_leaves_afv_alone_and_strikes_everybody_else():
    table = acting(
        [fire("x.1", "N18")], (6, 5, 1, 1), GUN, rp.unit("foe", "N18"), rp.unit("tank", "N18", kind="schneider"),
        french("own", "N18"), back=[HOLD],
    )  # fmt: skip
    assert rp.suffered(table) == {"foe.1": "DESTROYED"}


def test_rp_7_514_a_unit_that_fires_out_of_gas_has_one_less_and_gas_conceals_nothing():
    # Gas lies on N18, N19 and O19 in turn 2, which has three couplets (dice 6 and 3). The gun on
    # N19 rolls its checks, 3 and 4, and then fires.
    scenario = rp.lay(
        board=rp.board(), moves=True, side=rp.sides(commands=1), group=(rp.group(shells=("gas",)),),
        unit=(french("eyes", "N21"), french("x", "N19", kind="machine_guns"), rp.unit("foe", "N16")),
    )  # fmt: skip
    values = {"at": scenario.frame.parse("N18/N19/O19"), "shell": "gas"}
    place = Order.of("place", **values)
    call = Order.of("call", group="a", by="telephone")
    table = rp.run(
        scenario, (5, 4, 6, 3, 1, 1, 1, 3, 4, 1, 1),
        {COMMAND: [call, PASS, OTHER, PASS, TROOPS], "requests.cross_hair": [place], ACTIVATE: [units("x.1")],
         ACT: [fire("x.1", "N16")], BACK: [HOLD]},
    )  # fmt: skip
    assert modifiers(table) == {"firepower of the unit": 2, "range": -1, "shooter in gas": -1}
    assert "7.514" in {entry.event.cite for entry in table.log}


# --- return fire and reaction fire ---------------------------------------------------------------


def test_rp_6_55_6_74_fire_draws_shots_back_which_fall_together_with_it_and_mutual_destruction_happens():
    table = acting(
        [fire("x.1", "N19")],
        (6, 6, 6, 6),
        french("x", "N20"),
        rp.unit("foe", "N19"),
        back=[shoot("foe.1")],
    )
    assert rp.suffered(table) == {"x.1": "DESTROYED", "foe.1": "DESTROYED"}


def test_rp_6_74_6_71_only_ready_units_in_the_hex_and_no_mortars_shoot_back():
    table = acting([fire("x.1", "N19")], (), french("x", "N20"), rp.unit("foe", "N19"), rp.unit("far", "N18"),
                   rp.unit("tubes", "N19", kind="mortars"))  # fmt: skip
    for name in ("far.1", "tubes.1", "x.1"):
        assert cite(table, BACK, shoot(name)) == "6.74"
    assert cite(table, BACK, HOLD) is None


def test_rp_6_04_6_71_6_73_each_reactor_fires_once_at_a_point_and_any_number_do():
    entries = (french("x", "N21", formed=True), rp.unit("foe", "N19"), rp.unit("mg", "N17", kind="machine_guns"),
               rp.unit("tubes", "N18", kind="mortars"))  # fmt: skip
    table = acting([move("x.1", "N20")], (1, 2), *entries, reaction=[shoot("mg.1")])
    assert cite(table, REACTION, shoot("mg.1")) == "6.73"
    assert cite(table, REACTION, shoot("tubes.1")) == "6.71"
    assert cite(table, REACTION, shoot("foe.1")) is None
    assert rp.state(table, "foe.1", "spent")  # 6.75: firing spends every unit but a machine gun
    assert not rp.state(table, "mg.1", "spent")


def test_rp_6_73_reaction_fire_at_each_point_spent_and_at_units_in_the_movers_hex():
    entries = (
        french("x", "N22", formed=True),
        french("y", "N20"),
        rp.unit("mg", "N17", kind="machine_guns"),
    )
    # At N21 only the mover is checked; at N20, fired at by the same gun, the mover and the company
    # there are checked.
    table = acting([move("x.1", "N21"), move("x.1", "N20")], (1, 2, 1, 2, 5, 4), *entries,
                   reaction=[shoot("mg.1"), shoot("mg.1")])  # fmt: skip
    # The gun fires once at each point; at the second point both companies are checked.
    assert [f["unit"] for _, _, f in rp.told(table, "fires")] == ["mg.1", "mg.1"]
    assert not rp.state(table, "mg.1", "spent")
    assert rp.state(table, "y.1", "spent")
    assert not rp.state(table, "x.1", "spent")


@pytest.mark.parametrize(("dice", "spent"), [((1, 2), False), ((2, 2), True)])
def test_rp_6_75_a_machine_gun_fires_until_a_mover_rolls_doubles(dice, spent):
    entries = (french("x", "N21", formed=True), rp.unit("mg", "N17", kind="machine_guns"))
    table = acting([move("x.1", "N20")], dice, *entries, reaction=[shoot("mg.1")])
    assert rp.state(table, "mg.1", "spent") is spent
    assert [kind for _, kind, _ in rp.told(table, "silenced")] == ["silenced"] * spent


def test_rp_6_72_going_in_the_trench_is_a_point_of_its_own_and_protects_from_then_on():
    go_in = Order.of("go_in", unit="x.1", works="trench")
    entries = (french("x", "N21", formed=True), rp.unit("mg", "N17", kind="machine_guns"))
    first = acting(
        [move("x.1", "N20")],
        (1, 2),
        *entries,
        reaction=[shoot("mg.1")],
        hex=(rp.holds("N20", "trench"),),
    )
    assert "terrain: trench" not in modifiers(first)
    table = acting([move("x.1", "N20"), go_in], (1, 2), *entries, reaction=[HOLD, shoot("mg.1")],
                   hex=(rp.holds("N20", "trench"),))  # fmt: skip
    assert modifiers(table)["terrain: trench"] == -3


def test_rp_6_65_a_unit_that_fails_stops_and_6_9_reaction_comes_last():
    # The unit enters interior woods with a straggler: dice for the rally (1, 1), for getting lost
    # (1, 2), and for the machine gun (6, 5).
    entries = (
        french("x", "N21", formed=True),
        french("y", "N20"),
        rp.unit("mg", "N17", kind="machine_guns"),
    )
    table = acting(
        [move("x.1", "N20")], (1, 1, 1, 2, 6, 5, 1, 1), *entries, rally=[Order.of("rally", unit="y.1")],
        reaction=[shoot("mg.1")], hexside=(rp.along("green", "N20", "S"),),
    )  # fmt: skip
    told = [
        entry.event.kind
        for entry in table.log
        if entry.event.kind in ("enters", "rallied", "fires", "suffered")
    ]
    assert told == ["enters", "rallied", "fires", "suffered"]
    assert rp.suffered(table) == {"x.1": "DESTROYED"}
    thrown = [given.name.rpartition(".")[2] for given in table.journal if isinstance(given, Thrown)]
    assert thrown == ["initiative", "rally", "lost", "shot", "shot"]


# --- rallying and getting lost --------------------------------------------------------------------


@pytest.mark.parametrize(("dice", "formed"), [((4, 4), True), ((5, 4), False), ((6, 6), False)])
def test_rp_3_8_a_straggler_rallies_within_its_cohesion_and_nothing_comes_of_failing(dice, formed):
    entries = (french("x", "N21", formed=True), french("y", "N20"), rp.unit("foe", "R10"))
    table = acting([move("x.1", "N20")], dice, *entries, rally=[Order.of("rally", unit="y.1")])
    assert rp.state(table, "y.1", "formed") is formed
    assert rp.state(table, "y.1", "spent") is formed
    assert rp.suffered(table) == {}
    assert cite(table, ACT, move("x.1", "N19")) is None  # the mover continues


def test_rp_3_8_only_ready_dispersed_friends_there_and_only_to_a_formed_mover():
    entries = (
        french("x", "N21", formed=True),
        french("y", "N20"),
        french("z", "N19"),
        rp.unit("foe", "R10"),
    )
    table = acting([move("x.1", "N20")], (), *entries)
    assert cite(table, RALLY, Order.of("rally", unit="z.1")) == "3.8"
    table = acting(
        [move("x.1", "N20")], (), french("x", "N21"), french("y", "N20"), rp.unit("foe", "R10")
    )
    assert table.waits_for.question == ACT


GREEN = (rp.along("green", "N20", "S"),)
ROAD = (*GREEN, rp.along("road", "N20", "S"))
TRENCHES = (rp.holds("N19,N20,N21", "trench"),)


def owned(*hexes):
    """Return the sides, with these hexes as the Germans' set-up area."""
    ours, theirs = rp.sides()
    return ours, attrs.evolve(theirs, setup=hexes)


@pytest.mark.parametrize(
    ("rest", "inside", "checks"),
    [
        ({"hexside": GREEN}, "", 1),  # 8.9
        ({"hexside": ROAD}, "", 0),
        ({}, "", 0),
        ({"hex": TRENCHES}, "trench", 0),  # a friendly trench
        ({"hex": TRENCHES, "side": owned("N20", "N21")}, "trench", 1),
        ({"hex": TRENCHES, "side": owned("N20")}, "trench", 0),
        ({"night": True, "side": rp.sides(infiltrates=True)}, "", 1),
        ({"night": True, "side": rp.sides(infiltrates=True), "hex": TRENCHES}, "trench", 0),
        ({"night": True, "side": rp.sides(infiltrates=True), "hexside": ROAD}, "", 0),
    ],
)  # fmt: skip
def test_rp_3_71_6_661_6_662_difficult_ground_night_and_enemy_trenches_call_for_a_check(
    rest, inside, checks
):
    entries = (french("x", "N21", inside=inside), rp.unit("foe", "R10"))
    table = acting([move("x.1", "N20")], (6, 6) * checks, *entries, **rest)
    assert len(rp.told(table, "lost")) == checks
    # A lost check never destroys a unit (6.663, 3.73).
    assert not rp.state(table, "x.1", "destroyed")
    assert rp.state(table, "x.1", "spent") is bool(checks)
    if not checks:
        assert table.waits_for.question == ACT  # no roll is due


def test_rp_6_663_the_check_is_made_once_a_turn():
    sides = (rp.along("green", "N20,N19", "S"),)
    entries = (french("x", "N21", formed=True), rp.unit("foe", "R10"))
    table = acting([move("x.1", "N20"), move("x.1", "N19")], (1, 2), *entries, hexside=sides)
    assert len(rp.told(table, "enters")) == 2
    assert table.waits_for.question == ACT


# --- roads ---------------------------------------------------------------------------------------


def test_rp_6_64_8_6_a_move_all_by_road_has_one_hex_of_that_road_more():
    roads = (rp.along("road", "N20,N19,N18", "S"),)
    # A dispersed company has one point: N21 to N20, and one more hex along the road, but not a
    # third.
    entries = (french("x", "N21"), rp.unit("foe", "R10"))
    assert (
        cite(acting([move("x.1", "N20")], (), *entries, hexside=roads), ACT, move("x.1", "O20"))
        == "6.61, 6.64"
    )
    table = acting([move("x.1", "N20"), move("x.1", "N19")], (), *entries, hexside=roads)
    assert [f["bonus"] for _, _, f in rp.told(table, "road")] == [False, True]
    assert cite(table, ACT, move("x.1", "N18")) == "6.61, 6.64"
    # The bonus is only for a hex of the same road, and only for a move entirely by road.
    table = acting(
        [move("x.1", "N20")], (), *entries, hexside=roads, hex=(rp.holds("N20", "trench"),)
    )
    assert cite(table, ACT, Order.of("go_in", unit="x.1", works="trench")) == "6.61, 6.64"
    table = acting(
        [move("x.1", "N20")], (), french("x", "O20"), rp.unit("foe", "R10"), hexside=roads
    )
    assert cite(table, ACT, move("x.1", "N19")) == "6.61, 6.64"


def test_rp_8_6_by_road_an_afv_does_not_bog_in_a_trench_hex():
    for roads, checks in (((), 1), ((rp.along("road", "N20", "S"),), 0)):
        entries = (french("x", "N21", kind="schneider"), rp.unit("foe", "R10"))
        table = acting(
            [move("x.1", "N20")],
            (6, 6) * checks,
            *entries,
            hexside=roads,
            hex=(rp.holds("N20", "trench"),),
        )
        assert len(rp.told(table, "bogged")) == checks
        # There are no more rolls: on a road the next order is asked for, while a bogged unit is
        # spent.
        assert getattr(table.waits_for, "question", "") == (COMMAND if checks else ACT)


# --- hallowed ground -----------------------------------------------------------------------------


def sacred(at, side="french"):
    from fireplan_red_poppies.scenario import HallowedEntry

    return {"hallowed": HallowedEntry(side=side, at=at)}


@pytest.mark.parametrize(
    ("at", "side", "value"),
    [("N20", "french", -1), ("N19", "french", -1), ("N18", "french", 0), ("N20", "german", 0)],
)
def test_rp_6_679_hallowed_ground_helps_its_side_in_and_next_to_it_in_every_check(at, side, value):
    entries = (
        french("x", "N21", formed=True),
        french("y", "N20"),
        rp.unit("mg", "N17", kind="machine_guns"),
    )
    table = acting(
        [move("x.1", "N20")], (1, 1, 1, 2, 1, 2, 1, 2), *entries, rally=[Order.of("rally", unit="y.1")],
        reaction=[shoot("mg.1")], hexside=GREEN, **sacred(at, side),
    )  # fmt: skip
    for roll in ("rally", "lost", "shot"):
        assert modifiers(table, roll).get("hallowed ground", 0) == value


@pytest.mark.parametrize(("at", "net"), [("N19", 2), ("N21", 3)])
def test_rp_6_679_hallowed_ground_helps_against_guns_off_the_map(at, net):
    scenario = rp.lay(
        board=rp.board(), side=rp.sides(commands=1), unit=(rp.unit("foe", "N19"),),
        group=(rp.group(cross_hair="N18/N19/O19", mode="aircraft"),), **sacred(at, "german"),
    )  # fmt: skip
    assert sum(modifiers(rp.run(scenario, (5, 4, 1, 1, 1, 1, 1)), "cohesion").values()) == net


def test_rp_6_679_a_side_that_is_not_there_is_a_fault_of_the_file():
    assert [key for key, *_ in rp.form(**sacred("N18", "turkish")).check()] == ["hallowed.side"]
