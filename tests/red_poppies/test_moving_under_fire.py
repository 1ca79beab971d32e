"""Effects of fire on a move in progress, on control and on gas (3.2, 3.9, 6.61, 6.65, 7.12, 7.247,
7.513).
"""

from __future__ import annotations

import pytest
import support_red_poppies as rp

from fireplan_core import Order
from fireplan_core.play import Answered

TROOPS, PASS, OTHER, HALT = (Order.of(verb) for verb in ("troops", "pass", "other", "halt"))
CALL = Order.of("call", group="a", by="telephone")
COMMAND, ACTIVATE, ACT = "delays.command", "resolution.activate", "resolution.act"
WIDE = rp.board(west="K")


def at(label):
    return rp.lay(board=WIDE).frame.parse(label)


def move(unit, to):
    return Order.of("move", unit=unit, to=at(to))


def stack(one, other, to):
    return Order.of("stack", units=(one, other), to=at(to))


def units(*names):
    return Order.of("units", units=names)


# --- a barrage during the move --------------------------------------------------------------------


def mole(*faces, acts, watch=()):
    """Return a table where a formed company follows its trench into row 18, struck as the second
    couplet opened.
    """
    scenario = rp.lay(
        board=WIDE, moves=True, barrage=(rp.barrage(),), hex=(rp.holds("N16,N17,N18", "trench"),),
        unit=(rp.unit("foe", "N20"), rp.unit("mole", "N17", inside="trench", formed=True), *watch),
    )  # fmt: skip
    orders = {COMMAND: [PASS, PASS, PASS, TROOPS], ACTIVATE: [units("mole.1")], ACT: acts}
    return rp.run(scenario, (5, 2, *faces), orders)


def test_rp_6_65_7_12_a_mover_that_a_barrage_disperses_without_spending_it_is_still_moving():
    # A 1 leaves the unit unspent; it has failed no check, so 6.65 has not ended its move.
    table = mole(1, acts=[move("mole.1", "N18")])
    assert not rp.state(table, "mole.1", "formed")
    assert not rp.state(table, "mole.1", "spent")
    assert rp.state(table, "mole.1", "moving")


def test_rp_6_05_7_12_and_is_spent_when_its_move_is_over():
    table = mole(1, acts=[move("mole.1", "N18"), HALT])
    assert table.state.moment == 0
    assert rp.state(table, "mole.1", "spent")


def test_rp_3_2_6_61_a_unit_flipped_while_moving_has_its_new_movement_less_points_paid():
    # Formed, the unit has three points; dispersed by the first hex of its move, it has one in all,
    # which it has already spent.
    table = mole(1, acts=[move("mole.1", "N18")])
    assert rp.state(table, "mole.1", "points") == 0
    refusal = table.rulebook.refuse(table.waits_for, move("mole.1", "N17"), table.read)
    assert refusal.cite == "6.61, 6.64"


@pytest.mark.parametrize("die", [1, 4])
def test_rp_6_65_6_72_reaction_fire_at_a_mover_under_a_barrage_is_fire_at_a_moving_target(die):
    # Reaction fire has +1 for a moving target, whether or not the barrage has left the mover spent.
    gun = rp.unit("gun", "N16", side="french", kind="machine_guns")
    table = mole(die, 1, 2, acts=[move("mole.1", "N18")], watch=(gun,))
    moving = [
        f["value"] for _, _, f in rp.told(table, "modifier") if f["summary"] == "target moving"
    ]
    assert moving == [1]


# --- fire for effect during the move --------------------------------------------------------------


def lying(acts, faces, names, **rest):
    """Return a table on which the Germans act while fire for effect lies on N18/N19/O19 in turn 2.

    The fire was called by telephone and is on its aim point.
    """
    scenario = rp.lay(
        board=WIDE, moves=True, side=rp.sides(commands=1), group=(rp.group(),), **rest
    )
    orders = {
        COMMAND: [CALL, PASS, OTHER, TROOPS], "requests.cross_hair": [Order.of("place", at=at("N18/N19/O19"))],
        ACTIVATE: [units(*names)], ACT: acts,
    }  # fmt: skip
    return rp.run(scenario, (5, 4, 6, 3, 1, 1, 1, *faces), orders)


@pytest.mark.parametrize(("bog", "gists"), [((6, 6), []), ((1, 2), [1])])
def test_rp_6_65_8_323_7_247_a_bogged_unit_has_failed_a_check_and_is_not_moving_when_struck(
    bog, gists
):
    table = lying(
        [move("tank.1", "N18")], (*bog, 1, 1), ["tank.1"], hex=(rp.holds("N18", "trench"),),
        unit=(rp.unit("eyes", "N23", side="french"), rp.unit("tank", "M18", kind="schneider")),
    )  # fmt: skip
    assert [
        f["value"] for _, _, f in rp.told(table, "modifier") if f["summary"] == "target moving"
    ] == gists


def test_rp_6_61_7_241_an_afv_and_a_company_enter_as_one_stack_and_the_afv_covers_the_company():
    table = lying(
        [stack("foe.1", "tank.1", "N18")], (1, 1, 1, 1), ["foe.1", "tank.1"],
        unit=(
            rp.unit("eyes", "N23", side="french"), rp.unit("foe", "M18"), rp.unit("tank", "M18", kind="schneider"),
        ),
    )  # fmt: skip
    assert {f["unit"] for _, _, f in rp.told(table, "enters")} == {"foe.1", "tank.1"}
    assert [
        f["value"] for _, _, f in rp.told(table, "modifier") if f["summary"] == "terrain: afv"
    ] == [-1]
    # 7.241: both units are checked, the AFV too.
    assert (
        len(
            [
                f
                for _, _, f in rp.told(table, "modifier")
                if f["summary"] == "firepower of the group"
            ]
        )
        == 2
    )


def test_rp_7_247_15_each_of_two_markers_on_a_hex_attacks_a_unit_that_enters():
    scenario = rp.lay(
        board=WIDE, moves=True, side=rp.sides(commands=1), unit=(rp.unit("foe", "M18", cohesion=12),),
        group=(
            rp.group("a", mode="aircraft", cross_hair="N18/N19/O19"),
            rp.group("b", mode="aircraft", cross_hair="M18/N17/N18", firepower=5),
        ),
    )  # fmt: skip
    orders = {COMMAND: [OTHER, TROOPS], ACTIVATE: [units("foe.1")], ACT: [move("foe.1", "N18")]}
    # Both calls get through and land on their aim points. b's attack covers M18 too, so it checks
    # foe there first (1, 1); both attacks check foe as it enters N18.
    table = rp.run(scenario, (5, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 2), orders)
    fired = [
        f["value"]
        for _, _, f in rp.told(table, "modifier")
        if f["summary"] == "firepower of the group"
    ]
    assert fired == [5, 3, 5]
    assert [f["mission"] for _, _, f in rp.told(table, "attacked")] == ["a", "b"]


def test_rp_3_4_6_61_a_mixed_stack_needs_room_for_each_of_its_kinds_only():
    def table(*more):
        scenario = rp.lay(
            board=WIDE, moves=True,
            unit=(rp.unit("foe", "M18"), rp.unit("tank", "M18", kind="schneider"), *more),
        )  # fmt: skip
        orders = {COMMAND: [PASS, TROOPS], ACTIVATE: [units("foe.1", "tank.1")]}
        return rp.run(scenario, (5, 4), orders)

    def cite(found):
        order = stack("foe.1", "tank.1", "N18")
        return getattr(found.rulebook.refuse(found.waits_for, order, found.read), "cite", None)

    assert cite(table(rp.unit("y", "N18"), rp.unit("z", "N18", kind="schneider"))) is None
    assert cite(table(rp.unit("y", "N18 N18"))) == "3.4"
    assert cite(table(rp.unit("z", "N18 N18", kind="schneider"))) == "3.4"


# --- a unit picked up during the move -------------------------------------------------------------


def test_rp_6_61_a_unit_picked_up_has_the_same_points_paid_not_left():
    # x (formed, 3 points) pays one for N19; y, also a formed company, then has two left, and one
    # after N18.
    scenario = rp.lay(
        board=WIDE, moves=True, unit=(rp.unit("x", "N20", formed=True), rp.unit("y", "N19", formed=True)),
    )  # fmt: skip
    acts = [move("x.1", "N19"), stack("x.1", "y.1", "N18")]
    table = rp.run(
        scenario, (5, 4), {COMMAND: [PASS, TROOPS], ACTIVATE: [units("x.1", "y.1")], ACT: acts}
    )
    assert [rp.state(table, unit, "points") for unit in ("x.1", "y.1")] == [1, 1]


def test_rp_6_61_a_unit_with_too_few_points_cannot_be_picked_up():
    # The infiltrators are dispersed. x has paid one of its four points, and y has only one. Later x
    # has paid two, and z has three.
    sides = (rp.sides()[0], rp.SideEntry(name="german", central=True, infiltrates=True))
    scenario = rp.lay(
        board=WIDE, moves=True, side=sides,
        unit=(rp.unit("x", "N20", kind="eingreif"), rp.unit("y", "N19"), rp.unit("z", "N18", kind="engineers")),
    )  # fmt: skip
    orders = {
        COMMAND: [PASS, TROOPS],
        ACTIVATE: [units("x.1", "y.1", "z.1")],
        ACT: [move("x.1", "N19")],
    }
    table = rp.run(scenario, (5, 4), orders)
    assert table.submit(Answered(ACT, stack("x.1", "y.1", "N18"))).cite == "6.61, 6.64"
    assert isinstance(table.submit(Answered(ACT, move("x.1", "N18"))), tuple)
    assert isinstance(table.submit(Answered(ACT, stack("x.1", "z.1", "N17"))), tuple)
    assert [rp.state(table, unit, "points") for unit in ("x.1", "z.1")] == [1, 0]


@pytest.mark.parametrize(("waits", "asked"), [("N20", False), ("N19", True)])
def test_rp_3_8_6_61_a_formed_unit_rallies_units_in_the_hex_it_enters_not_its_companions(
    waits, asked
):
    scenario = rp.lay(
        board=WIDE, moves=True,
        unit=(rp.unit("x", "N20", formed=True), rp.unit("y", waits), rp.unit("z", "N20", kind="schneider")),
    )  # fmt: skip
    # Either y is a stack of two companies, or x takes the tank along to the hex of y.
    other = "y.1" if waits == "N20" else "z.1"
    orders = {
        COMMAND: [PASS, TROOPS], ACTIVATE: [units("x.1", other)], ACT: [stack("x.1", other, "N19")],
    }  # fmt: skip
    table = rp.run(scenario, (5, 4), orders)
    assert (getattr(table.waits_for, "question", "") == "resolution.rally") is asked


# --- control -------------------------------------------------------------------------------------


@pytest.mark.parametrize("moves", [True, False])
def test_rp_3_9_7_242_a_side_left_alone_on_the_top_level_by_fire_controls_it(moves):
    given = {
        "board": WIDE, "moves": moves, "side": rp.sides(commands=2), "hex": (rp.holds("N19", level=2, base=0),),
        "unit": (rp.unit("eyes", "N23", side="french"), rp.unit("foe", "N19"), rp.unit("ours", "N19", side="french")),
        "group": (rp.group(cross_hair="N18/N19/O19", mode="aircraft"),),
    }  # fmt: skip
    # Two companies are in a hex of the top level that neither side controls. The German one is
    # destroyed, and the French one passes its check.
    table = rp.run(rp.lay(**given), (5, 4, 1, 1, 1, 6, 6, 1, 1), {COMMAND: [OTHER]})
    assert [(f["at"], f["by"]) for _, _, f in rp.told(table, "control")] == [("N19", "french")]
    # Both are destroyed: the first loss leaves only the French company there, until it is lost as
    # well.
    table = rp.run(rp.lay(**given), (5, 4, 1, 1, 1, 6, 6, 6, 6), {COMMAND: [OTHER]})
    assert [f["by"] for _, _, f in rp.told(table, "control")] == ["french"]
    # A loss does not change the control of a hex that is not contested.
    alone = {**given, "unit": (given["unit"][0], rp.unit("foe", "N19 N19"))}
    table = rp.run(rp.lay(**alone), (5, 4, 1, 1, 1, 6, 6, 1, 1), {COMMAND: [OTHER]})
    assert rp.told(table, "control") == []


# --- gas -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second", "checks", "cloud"),
    [
        # Gas was on N18, N19 and O19 when both doubles were rolled. It goes north and back, to
        # hexes that had gas then, so nobody is checked.
        ("S", 2, {"N18", "N19", "O19"}),
        # North twice, to N17 and N16: the company on N17 is checked, and again at the second drift,
        # because N17 had no marker when those doubles were rolled either.
        ("N", 4, {"N16", "N17", "O17"}),
    ],
)
def test_rp_7_513_a_drift_checks_hexes_without_a_marker_when_its_doubles_were_rolled(
    second, checks, cloud
):
    scenario = rp.lay(
        board=WIDE, side=rp.sides(commands=1), group=(rp.group(shells=("gas",)),),
        unit=(
            rp.unit("eyes", "N23", side="french"), rp.unit("one", "N19", cohesion=12),
            rp.unit("two", "N18", cohesion=12), *((rp.unit("far", "N17", cohesion=12),) if second == "N" else ()),
        ),
    )  # fmt: skip
    values = {"at": at("N18/N19/O19"), "shell": "gas"}
    drifts = [Order.of("drift", to="N"), Order.of("drift", to=second)]
    more = (1, 2, 1, 2) if second == "N" else ()
    table = rp.run(
        scenario, (5, 4, 5, 4, 1, 1, 1, 2, 2, 2, 2, *more),
        {
            COMMAND: [CALL, OTHER], "resolution.drift": drifts,
            "requests.cross_hair": [Order.of("place", **values)],
        },
    )  # fmt: skip
    assert getattr(table.waits_for, "name", "") == "initiative"
    assert 2 + len(more) // 2 == checks
    assert {scenario.frame.label(h) for h in table.read("shared/resolution/gas", ())} == cloud


def into_gas(faces, act, names, drifts=(), of="gas", **rest):
    """Return turn 2 with gas or smoke on N18/N19/O19, where the Germans act from M18."""
    scenario = rp.lay(
        board=WIDE,
        moves=True,
        side=rp.sides(commands=1),
        group=(rp.group(shells=("gas", "smoke")),),
        **rest,
    )
    values = {"at": at("N18/N19/O19"), "shell": of}
    orders = {
        COMMAND: [CALL, PASS, OTHER, TROOPS], ACTIVATE: [units(*names)], ACT: act,
        "requests.cross_hair": [Order.of("place", **values)],
        "resolution.drift": [Order.of("drift", to=direction) for direction in drifts],
    }  # fmt: skip
    return rp.run(scenario, (5, 4, 6, 3, 1, 1, 1, *faces), orders)


def two(**rest):
    return rp.unit("eyes", "N23", side="french"), rp.unit("foe", "M18 M18", **rest)


def test_rp_6_61_7_513_a_stack_is_over_together_before_gas_that_one_of_it_stirs_up_drifts():
    # foe.1 rolls 1-1 and foe.2 rolls 6-6, which destroys it: the gas drifts to M18, which both have
    # left, and back.
    table = into_gas(
        (1, 1, 6, 6), [stack("foe.1", "foe.2", "N18")], ["foe.1", "foe.2"], ["NW", "SE"], unit=two()
    )
    assert rp.suffered(table) == {"foe.2": "DESTROYED"}
    assert table.waits_for.question == ACT
    assert table.scenario.frame.label(table.read("units/foe.1/place", None)) == "N18"


def test_rp_6_61_7_512_both_of_a_stack_are_checked_though_the_first_drives_the_gas_away():
    table = into_gas(
        (1, 1, 5, 4), [stack("foe.1", "foe.2", "N18")], ["foe.1", "foe.2"], ["S"], unit=two()
    )
    assert rp.suffered(table) == {"foe.2": "SUPPRESSED"}
    assert [f["unit"] for _, _, f in rp.told(table, "breathes")] == ["foe.1", "foe.2"]


def test_rp_7_511_the_three_hexes_attack_entering_units_in_the_turn_of_firing_even_after_drift():
    watch = (
        rp.unit("eyes", "N23", side="french"),
        rp.unit("foe", "M18"),
        rp.unit("post", "O19", cohesion=12),
    )
    # post rolls 1-1 under the fall: the markers go south-east, to O19, O20 and P19. N18 has none
    # left, but was hit.
    table = into_gas((1, 1, 5, 5), [move("foe.1", "N18")], ["foe.1"], ["SE", "SE"], unit=watch)
    first, *_ = [f["hexes"] for _, _, f in rp.told(table, "cloud")]
    assert {table.scenario.frame.label(h) for h in first} == {"O19", "O20", "P19"}
    assert rp.suffered(table) == {"foe.1": "DESTROYED"}


def test_rp_7_52_a_unit_that_enters_smoke_is_not_attacked():
    table = into_gas((), [move("foe.1", "N18")], ["foe.1"], of="smoke", unit=two())
    assert rp.told(table, "attacked", "breathes") == []
    assert rp.told(table, "enters")


def test_rp_2_2_7_51_gas_is_only_on_hexes_in_play():
    # The vertex is on the southern edge of play: of its three hexes N19 and O19 are outside.
    scenario = rp.lay(
        board=rp.board(south=18), side=rp.sides(commands=1), unit=(rp.unit("eyes", "N16", side="french"),),
        group=(rp.group(shells=("gas",), mode="aircraft", cross_hair="N18/N19/O19", loaded="gas"),),
    )  # fmt: skip
    table = rp.run(scenario, (5, 4, 1, 1, 1))
    assert {scenario.frame.label(h) for h in table.read("shared/resolution/gas", ())} == {"N18"}


def test_rp_6_663_5_3_the_check_for_getting_lost_is_due_again_in_the_next_turn():
    scenario = rp.lay(
        board=WIDE, moves=True, unit=(rp.unit("x", "N20", side="french", cohesion=12),),
        hexside=(rp.along("green", "N20,N19,N18", "N"),),
    )  # fmt: skip
    ways = [move("x.1", "N19"), HALT, move("x.1", "N18"), HALT]
    orders = {COMMAND: [PASS, TROOPS] * 2, ACTIVATE: [units("x.1")] * 2, ACT: ways}
    table = rp.run(scenario, (4, 5, 1, 2, 4, 5, 6, 6, 4, 5), orders)
    # The fourth roll is 6-6, which does not exceed the cohesion of twelve, and the third turn has
    # opened with 4 and 5.
    assert table.state.moment == 2
    assert [f["to"] for _, _, f in rp.told(table, "enters")] == ["N19", "N18"]
    assert [turn for turn, _, _ in rp.told(table, "initiative")] == [1, 2, 3]


def test_rp_3_9_control_of_one_hex_of_the_top_level_leaves_the_others_as_they_are():
    scenario = rp.lay(
        board=WIDE, moves=True, unit=(rp.unit("x", "N20", side="french"), rp.unit("foe", "P14")),
        hex=(rp.holds("N19,P14,M12", level=2, base=0),),
    )  # fmt: skip
    orders = {COMMAND: [PASS, TROOPS], ACTIVATE: [units("x.1")], ACT: [move("x.1", "N19")]}
    held = dict(rp.run(scenario, (4, 5), orders).read("shared/resolution/heights", ()))
    assert {scenario.frame.label(h): side for h, side in held.items()} == {
        "N19": "french",
        "P14": "german",
        "M12": "",
    }


@pytest.mark.parametrize(("there", "cite"), [("", None), ("N18", "3.4"), ("N18 N18", "3.4")])
def test_rp_3_4_6_61_a_stack_of_two_companies_needs_an_empty_hex(there, cite):
    more = (rp.unit("y", there),) if there else ()
    scenario = rp.lay(board=WIDE, moves=True, unit=(rp.unit("foe", "M18 M18"), *more))
    table = rp.run(scenario, (5, 4), {COMMAND: [PASS, TROOPS], ACTIVATE: [units("foe.1", "foe.2")]})
    order = stack("foe.1", "foe.2", "N18")
    assert getattr(table.rulebook.refuse(table.waits_for, order, table.read), "cite", None) == cite


@pytest.mark.parametrize("names", [("foe.1", "tank.1"), ("tank.1", "foe.1")])
def test_rp_6_61_8_342_the_afv_of_a_stack_breaches_the_wire_before_its_company_crosses_it(names):
    both = {"foe.1": rp.unit("foe", "N18"), "tank.1": rp.unit("tank", "N18", kind="schneider")}
    scenario = rp.lay(
        board=WIDE,
        moves=True,
        unit=tuple(both[name] for name in names),
        hexside=(rp.along("wire", "N18", "S"),),
    )
    orders = {COMMAND: [PASS, TROOPS], ACTIVATE: [units(*names)], ACT: [stack(*names, "N19")]}
    table = rp.run(scenario, (5, 4), orders)
    assert len(rp.told(table, "breach")) == 1
    assert rp.told(table, "wire") == []
    assert not rp.state(table, "foe.1", "spent")
