"""Units that enter fire for effect, barrages, gas or smoke; and the drift of gas (7.247, 7.43,
7.5).
"""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest
import support_red_poppies as rp

from fireplan.solver import Analysis, WorstSeverity
from fireplan_core import Ask, FireKind, Order, Severity, View
from fireplan_core.play import Answered

TROOPS, PASS, OTHER = Order.of("troops"), Order.of("pass"), Order.of("other")
CALL = Order.of("call", group="a", by="telephone")
COMMAND, ACTIVATE, ACT = "delays.command", "resolution.activate", "resolution.act"


def hexes(*labels):
    frame = rp.lay(board=rp.board()).frame
    found = tuple(frame.parse(label) for label in labels)
    return found[0] if len(found) == 1 else found


def move(unit, to):
    return Order.of("move", unit=unit, to=hexes(to))


def units(*names):
    return Order.of("units", units=names)


def place(shell=None, at="N18/N19/O19"):
    values = {"at": rp.lay(board=rp.board()).frame.parse(at), **({"shell": shell} if shell else {})}
    return Order.of("place", **values)


def field(shells=(), moving=True, **rest):
    """Return a scenario of one wide turn: a French observer and group, and a German company two
    hexes west of the aim.
    """
    given = {
        "board": rp.board(),
        "side": rp.sides(commands=1),
        "unit": (rp.unit("eyes", "N21", side="french"), rp.unit("foe", "L18")),
        "group": (rp.group(shells=shells),),
        "moves": moving,
        **rest,
    }
    given["board"] = rp.board(west="K")
    return rp.lay(**given)


def fire(shell=None, **rest):
    """Return a scenario, its dice, commands and cross-hair orders: fire for effect falls on
    N18/N19/O19 in turn 2, with couplets left for the Germans to move.
    """
    scenario = field(**rest)
    # The group is called in turn 1 (5:4, one couplet). In turn 2 (6:3, three couplets) a command
    # brings a signal of 2 and an accuracy of 1.
    return scenario, [5, 4, 6, 3, 1, 1, 1], [CALL, PASS, OTHER], [place(shell)]


def played(scenario, faces, commands, places, **orders):
    given = {COMMAND: commands, "requests.cross_hair": places}
    return rp.run(scenario, faces, {**given, **{f"resolution.{k}": v for k, v in orders.items()}})


# --- entering fire for effect --------------------------------------------------------------------


def test_rp_7_247_a_unit_entering_any_of_the_three_hexes_is_attacked_at_once():
    scenario, faces, commands, places = fire()
    # The dispersed Germans have one point; they start in M18, which is outside the fire but next to
    # it.
    scenario = field(unit=(rp.unit("eyes", "N21", side="french"), rp.unit("foe", "M18")))
    table = played(
        scenario,
        [*faces, 3, 4],
        [*commands, TROOPS],
        places,
        activate=[units("foe.1")],
        act=[move("foe.1", "N18")],
    )
    # A 7, with +3 for firepower and +1 for moving, is 11 and destroys the unit.
    modifiers = {
        f["summary"]: f["value"]
        for _, _, f in rp.told(table, "modifier")
        if f["roll"].endswith("cohesion")
    }
    assert modifiers == {"firepower of the group": 3, "target moving": 1}
    assert rp.suffered(table) == {"foe.1": "DESTROYED"}
    assert table.read("units/foe.1/place", "?") is None


def test_rp_7_247_after_administration_the_hexes_may_be_entered_freely():
    scenario, faces, commands, places = fire()
    scenario = field(unit=(rp.unit("eyes", "N21", side="french"), rp.unit("foe", "M18")))
    # The rest of turn 2 is passed; in turn 3 the company walks in.
    table = played(
        scenario, [*faces, 5, 4], [*commands, PASS, PASS, PASS, PASS, PASS, PASS, TROOPS], places,
        activate=[units("foe.1")], act=[move("foe.1", "N18")],
    )  # fmt: skip
    assert [turn for turn, _, _ in rp.told(table, "ended")] == [2]
    assert [turn for turn, _, _ in rp.told(table, "enters")] == [3]
    assert rp.suffered(table) == {}


def test_rp_7_247_each_hex_entered_brings_another_attack():
    scenario, faces, commands, places = fire()
    scenario = field(
        unit=(rp.unit("eyes", "N21", side="french"), rp.unit("foe", "M18", formed=True))
    )
    table = played(
        scenario, [*faces, 1, 1, 1, 1], [*commands, TROOPS], places,
        activate=[units("foe.1")], act=[move("foe.1", "N18"), move("foe.1", "N19")],
    )  # fmt: skip
    # A formed company has three points. Neither of its checks exceeds 8: 2 + 3 + 1 + 1 = 7.
    assert len(rp.told(table, "enters")) == 2
    assert rp.suffered(table) == {}
    assert table.waits_for.question == ACT


def test_rp_7_43_entering_a_barrage_is_the_paralyzing_attack_without_breaches():
    scenario = rp.lay(
        board=rp.board(), moves=True, barrage=(rp.barrage("row 19"),), hex=(rp.holds("N18,N17", "trench"),),
        unit=(rp.unit("foe", "N20"), rp.unit("mole", "N17", inside="trench", formed=True)),
        hexside=(rp.along("wire", "N19", "S"),),
    )  # fmt: skip
    # In the second of two couplets the barrage strikes row 18, and mole follows its trench into
    # that row.
    table = rp.run(
        scenario, (5, 3, 2), {COMMAND: [PASS, PASS, PASS, TROOPS], ACTIVATE: [units("mole.1")],
                              ACT: [move("mole.1", "N18")], "resolution.breach": []},
    )  # fmt: skip
    assert rp.suffered(table) == {"mole.1": "SUPPRESSED"}
    assert rp.state(table, "mole.1", "inside") == "trench"
    assert len(rp.told(table, "breach")) == 1


def test_rp_7_43_7_45_a_unit_entering_in_the_open_is_eliminated_even_in_the_third_couplet():
    scenario = rp.lay(
        board=rp.board(), moves=True, barrage=(rp.barrage(),), unit=(rp.unit("foe", "N17"),)
    )
    table = rp.run(
        scenario,
        (5, 2),
        {COMMAND: [PASS] * 5 + [TROOPS], ACTIVATE: [units("foe.1")], ACT: [move("foe.1", "N18")]},
    )
    assert rp.suffered(table) == {"foe.1": "DESTROYED"}


# --- gas -----------------------------------------------------------------------------------------


def gassed(faces, *, at="N19", more=(), drift=(), options=None, **slot):
    scenario = field(
        ("gas",), unit=(rp.unit("eyes", "N23", side="french"), rp.unit("foe", at, **slot), *more), moving=False,
        hex=(rp.holds("N18,N19", "trench"),), options=options or {},
    )  # fmt: skip
    return played(
        scenario, [5, 4, 5, 4, 1, 1, 1, *faces], [CALL, OTHER], [place("gas")], drift=list(drift)
    )


def drift(to):
    return Order.of("drift", to=to)


def test_rp_7_51_gas_is_declared_with_the_cross_hair_and_only_from_september_1915():
    scenario = field(("gas", "smoke"))
    table = rp.run(scenario, (5, 4), {COMMAND: [CALL]})
    assert table.waits_for.question == "requests.cross_hair"
    assert table.submit(Answered("requests.cross_hair", place("shrapnel"))).cite == "7.51, 7.52"
    assert isinstance(table.submit(Answered("requests.cross_hair", place("gas"))), tuple)
    early = rp.form(date=dt.date(1915, 8, 31), group=(rp.group(shells=("gas",)),))
    assert [key for key, *_ in early.check()] == ["group[0].shells"]
    assert list(rp.form(date=dt.date(1915, 9, 1), group=(rp.group(shells=("gas",)),)).check()) == []


def test_rp_7_511_neither_firepower_nor_cover_counts_under_gas():
    # The unit is formed and IN a trench: its 8, with +1 for being formed, exceeds 8.
    table = gassed([6, 2], inside="trench", formed=True)
    modifiers = [(f["roll"], f["value"]) for _, _, f in rp.told(table, "modifier")]
    assert ("resolution.gas", 1) in modifiers
    assert len([roll for roll, _ in modifiers if roll == "resolution.gas"]) == 1
    assert rp.suffered(table) == {"foe.1": "SUPPRESSED"}


def test_rp_7_511_each_unit_in_gas_is_checked_by_its_own_face():
    table = gassed([2, 3, 2, 3], more=(rp.unit("bar", "N19"),), formed=True)
    assert [
        f["value"] for _, _, f in rp.told(table, "modifier") if f["roll"] == "resolution.gas"
    ] == [1]


@pytest.mark.parametrize(("kills", "severity"), [(True, "DESTROYED"), (False, "SUPPRESSED")])
def test_rp_7_511_gas_destroys_on_eleven_unless_the_option_says_not(kills, severity):
    assert rp.suffered(gassed([6, 5], options={"gas_kills": kills})) == {"foe.1": severity}


def test_rp_7_512_5_3_gas_stays_and_does_not_attack_units_that_stay_in_it():
    table = gassed([3, 4, 5, 4])
    assert len(table.read("shared/resolution/gas", ())) == 3
    assert rp.suffered(table) == {}
    assert [turn for turn, _, _ in rp.told(table, "ended")] == [2]
    assert table.waits_for is not None  # turn 3 has begun, with no further check


def test_rp_7_512_a_unit_that_moves_into_gas_is_attacked_in_later_turns():
    scenario = field(("gas",), unit=(rp.unit("eyes", "N23", side="french"), rp.unit("foe", "M18")))
    # In turn 3 the company walks into N18; 4 + 5, with +1 for moving, is 10 and exceeds 8.
    table = played(
        scenario, [5, 4, 5, 4, 1, 1, 1, 5, 4, 4, 5], [CALL, PASS, OTHER, PASS, PASS, TROOPS], [place("gas")],
        activate=[units("foe.1")], act=[move("foe.1", "N18")],
    )  # fmt: skip
    assert [turn for turn, _, _ in rp.told(table, "enters")] == [3]
    assert rp.suffered(table) == {"foe.1": "SUPPRESSED"}


def test_rp_7_513_doubles_move_every_marker_one_hex_onto_units_that_were_clear():
    # The unit "foe" on N19 rolls 2-2 and sends the gas north, to N17, N18 and O18. The gas reaches
    # the unit "other" on N17, which rolls 6-4.
    table = gassed([2, 2, 6, 4], more=(rp.unit("other", "N17"),), drift=[drift("N")])
    labels = {table.scenario.frame.label(h) for h in table.read("shared/resolution/gas", ())}
    assert labels == {"N17", "N18", "O18"}
    assert rp.suffered(table) == {"other.1": "SUPPRESSED"}


def test_rp_7_513_doubles_count_on_a_check_that_fails_and_markers_beyond_the_map_are_gone():
    scenario = field(
        ("gas",),
        board=rp.board(),
        unit=(rp.unit("eyes", "N23", side="french"), rp.unit("foe", "N19")),
        moving=False,
    )
    table = played(
        scenario, [5, 4, 5, 4, 1, 1, 1, 6, 6], [CALL, OTHER], [place("gas")], drift=[drift("S")]
    )  # fmt: skip
    assert rp.suffered(table) == {"foe.1": "DESTROYED"}
    edge = rp.lay(
        board=rp.board(west="N", east="O"), side=rp.sides(commands=1), group=(rp.group(shells=("gas",)),),
        unit=(rp.unit("eyes", "N23", side="french"), rp.unit("foe", "N19")),
    )  # fmt: skip
    table = played(
        edge, [5, 4, 5, 4, 1, 1, 1, 3, 3], [CALL, OTHER], [place("gas")], drift=[drift("NE")]
    )
    assert {edge.frame.label(h) for h in table.read("shared/resolution/gas", ())} == {"O18", "O19"}


def test_rp_7_513_the_side_that_rolled_chooses_and_only_among_six_sides():
    table = gassed([2, 2])
    assert isinstance(table.waits_for, Ask)
    assert (table.waits_for.who, table.waits_for.question) == ("german", "resolution.drift")
    assert table.submit(Answered("resolution.drift", drift("E"))).cite == "7.513"


def test_rp_7_513_a_drift_to_and_fro_within_a_moment_is_solved_exactly():
    # One company is on N19 under the gas, another on N17 north of it; each company always sends the
    # gas to the other.
    scenario = field(
        ("gas",), moving=False,
        unit=(rp.unit("eyes", "N23", side="french"), rp.unit("foe", "N19", cohesion=12), rp.unit("far", "N17")),
    )  # fmt: skip

    def cross(view, mission):
        return place("gas")

    def pendulum(view, drifts):
        from fireplan_red_poppies.troops import MapChanges

        gas = view.shared(MapChanges).gas
        return drift("N" if hexes("N19") in gas else "S")

    doctrine = {"requests.cross_hair": cross, "resolution.drift": pendulum}
    analysis = Analysis(scenario, 2, doctrine)
    found = analysis.solve(WorstSeverity("far.1")).shares
    assert sum(found.values()) == 1
    # One command in turn 2 gets the signal through on 7 or less (no trench): 21/36. The gas is on
    # N19 and reaches N17 by drifting north if it is on the aim point (1/3), or astray to the west
    # (2/9): 5/9. If foe is alive it is checked: doubles other than 6-6 (5/36) send the gas to far; so
    # does 6-6 (1/36), which also destroys foe. Then far is checked: 11 or more (3/36) destroys it; other
    # doubles (5/36) send the gas back to foe, if foe is alive. F = 5/36 (3/36 + 5/36 F) + 1/36 * 3/36, so F = 18/1271.
    assert found[Severity.DESTROYED] == Fraction(21, 36) * Fraction(5, 9) * Fraction(18, 1271)


# --- smoke ---------------------------------------------------------------------------------------


def test_rp_7_52_smoke_attacks_nobody_conceals_and_is_gone_with_administration():
    scenario = field(
        ("smoke",),
        moving=False,
        unit=(rp.unit("eyes", "N21", side="french"), rp.unit("foe", "N19")),
    )
    table = played(scenario, [5, 4, 6, 3, 1, 1, 1], [CALL, OTHER, *[PASS] * 2], [place("smoke")])
    (laid,) = (fields for _, _, fields in rp.told(table, "smoke"))
    assert {scenario.frame.label(h) for h in laid["hexes"]} == {"N18", "N19", "O19"}
    sees = lambda at: scenario.parts.observers.sees(  # noqa: E731
        View(table.read, scenario, "observers"), "a", hexes(at)
    ).ground  # fmt: skip
    assert rp.suffered(table) == {}
    assert [turn for turn, _, _ in rp.told(table, "fall")] == [2]
    # The turn is over, so N17 is no longer hidden. During the turn, smoke on N19 and N18 hid it.
    assert sees("N17")
    lying = dict.fromkeys(("stage", "impact"))
    lying = {"missions/a/stage": _falling(), "missions/a/impact": hexes("N18", "N19", "O19"),
             "missions/a/kind": FireKind.SMOKE}  # fmt: skip
    view = View(
        lambda key, default: lying.get(key, table.read(key, default)), scenario, "observers"
    )
    assert not scenario.parts.observers.sees(view, "a", hexes("N17")).ground
    assert scenario.parts.observers.sees(view, "a", hexes("N18")).ground


def _falling():
    from fireplan_core import Stage

    return Stage.FALLING
