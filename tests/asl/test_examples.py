"""The worked examples of both texts, with their tests, and the choice made where an example contradicts its rule.

| rule | figures | test |
|---|---|---|
| C1.2 | Russian Contact 6 to 6/42, 7 to 6/43, then 8 | test_delays: test_c1_2_contact_value_by_nation_and_date |
| C1.23 | phone in E5: E5-E10, E5-E1, E5-A5 | here, and the scenario file in test_observer |
| C1.4 | Correction of four hexes: no Accuracy dr, errors 1, 2, 2, 2, 2, 2 | here; without Hindrance in test_areas |
| C1.62 | Observer in W6, SR in W4, FFE:1 in V4 at 12 FP | test_scenarios and test_requests: test_c1_62_* |
| C1.62 | U3, U4 not Known: an extra chit for the AR; U4 not Known: one to Convert | the same |
| C1.81 | dr 3, 1, 3, 4, 5, 2 spare 0, 1, 3, 8, 10 | test_bombardment: test_c1_81_worked_example_of_six_dr |
| C1.82 | entrenched -4, woods +1, both -3, Open Ground 0 | test_bombardment: test_c1_82_tem_is_turned_round_on_a_2mc |
| E12.2 | H6 on H5-H7 or I6-H7, C6 on C5-C7 or D5-C7 | test_barrage: test_e12_2_*, test_e12_11_e12_31_* |
| E12.31 | H2-H10, D0-D8, J3-F9 | test_barrage: test_e12_31_*; the error of four hexes: here |
| E12.4 | from D4 to C6, next to it, or G6 | test_barrage: test_e12_4_*; the printed C4: here |
| E12.5 | 80+ 12 FP, 100+ 16 FP, 150+ 24 FP | test_barrage: test_e12_5_one_column_to_the_left |
| E12.71 | G5-P5, FFE:1-2, Lift in Game Turn 4 | here, whole |
| E12.74 | red, Timing 3, G6, H6; then pre-Game Turn 2 | here, whole; the printed I6 and the -2 drm: here |
| E12.74 | the same with FFE:1 | here |
| E12.76 | N5 to P6; Q6 or Q7 unresolved; Lift | here, whole; the printed O6: here |
| E12.76 | FFE:1: P6 twice; three Game Turns used up: Lift in PFPh 2 | here |
| E12.771 | a radio takes the battery over | here |

Readings that are not the default are shown beside it: E12.31 (an error of four cannot be thrown by
C1.732), E12.4 (C4), E12.74 (I6 from H6, -2 drm), E12.76 (O6).
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
from support_asl import ON_HAND, shipped

from fireplan_asl import fireplan_game as asl
from fireplan_asl.path import next_hexes
from fireplan_asl.scenario_battery import security_area
from fireplan_core import FireKind, Order, Stage, View
from fireplan_core.play import load_scenario
from fireplan_core.space import distance
from fireplan_core.space import step as hex_step

BOARD = asl().scenarios.kind(game="asl", title="", moments=1, date=None, battery=(), unit=()).layout


def at(label):
    return BOARD.parse(label)


def creeping(catalogue, referee, tmp_path, *swaps):
    """Return a Creeping Barrage without troops, so that only the barrage rolls dice."""
    return referee(attrs.evolve(shipped(catalogue, tmp_path, "creeping", *swaps), units={}))


def impacts(game):
    return [BOARD.label(event["impact"]) for event in game.emitted("fall")]


def covered(game):
    view = View(game.table.read, game.scenario, "areas")
    cells = game.scenario.parts.areas.footprint(view, "a")[0]
    return {BOARD.label(cell) for cell in cells}


def moments_of(game, kind):
    return [entry.moment for entry in game.table.log if entry.event.kind == kind]


# --- C1.4: a Correction of four hexes ------------------------------------------------------------
FOUR = """
game = "asl"
title = "A Correction of four hexes"
moments = 6
date = 1944-08-12

[[battery]]
id = "a"
side = "attacker"
nationality = "german"
calibre = 105
target = "K5"
observer = "K1"
missions = ["concentration"]

[[unit]]
id = "squad"
side = "defender"
hex = "K5"
"""


def test_c1_4_example_four_hexes_with_dispersed_smoke_on_the_los(catalogue, referee, tmp_path):
    path = tmp_path / "four.toml"
    path.write_text(FOUR, encoding="utf-8")
    played = load_scenario(catalogue, path)[0]
    landed = []
    for white in range(1, 7):
        game = referee(played)
        smoke = ((at("K3"), 2, True, FireKind.SMOKE),)  # the SMOKE is Dispersed: +2
        game.put({"shared/areas/cells": smoke}).stand(
            stage=Stage.SPOTTING, impact=at("G5"), **ON_HAND
        )
        assert distance(at("G5"), at("K5")) == 4
        # Even a 1 is not accurate with +2.
        game.go([1, 4, white], [Order.of("correct", at=at("K5"))])
        landed.append(distance(at("K5"), game.get("impact")))
    assert landed == [1, 2, 2, 2, 2, 2]


# --- C1.23: the Security Area of a Field Phone ---------------------------------------------------
@pytest.mark.parametrize(
    ("edge", "area"),
    [
        ("high numbers", "E5 E6 E7 E8 E9 E10"),
        ("low numbers", "E5 E4 E3 E2 E1"),
        ("first hexrow", "E5 D5 C5 B5 A5"),
    ],
)
def test_c1_23_example_of_the_security_area(edge, area):
    assert {BOARD.label(cell) for cell in security_area(BOARD, at("E5"), edge)} == set(area.split())


# --- E12.31, E12.4: where the example contradicts the rule ---------------------------------------
def test_e12_31_the_example_errs_four_hexes_where_the_rule_allows_three(
    catalogue, referee, tmp_path
):
    reached = set()
    for white in range(1, 7):
        game = referee(shipped(catalogue, tmp_path, "set_piece")).stand(
            stage=Stage.DELAYED, **ON_HAND
        )
        game.go([5, 6, white], [Order.of("fire", at=at("H6")), Order.of("barrage")])
        reached.add(game.label)
    assert reached == {"G6", "F5", "E5"}  # the default: halved, so at most three (C1.732)
    # The other reading does not halve the error: four hexes in direction 6 lead to D4, and the
    # orientation stays.
    assert BOARD.label(hex_step(at("H6"), 6, 4)) == "D4"


def test_e12_4_the_example_prints_c4_and_means_c6(catalogue, referee, tmp_path):
    game = referee(shipped(catalogue, tmp_path, "set_piece")).stand(
        stage=Stage.FALLING, impact=at("D4"), areas__resolved=True, requests__kind="barrage",
        **ON_HAND,
    )  # fmt: skip
    assert game.refused(Order.of("correct", at=at("C6"))) is None
    # Under the other reading the AR would be Corrected to C4, which has no record and is not next
    # to a hex that has one.
    assert game.refused(Order.of("correct", at=at("C4"))) == "E12.4"
    # For the Barrage's first Accuracy dr, the present rule requires an Original 4 or less (C1.732);
    # the older rule has a drm of -2 and requires 1 or less.
    game.go([4], [Order.of("correct", at=at("C6"))])
    assert game.emitted("fall")[-1]["impact"] == at("C6")


# --- E12.71 - E12.771: the whole Creeping Barrage ------------------------------------------------
def to_h6(catalogue, referee, tmp_path, *swaps):
    """Play the worked example until the barrage falls on H6, and return the table.

    After a red chit and a Timing dr of 3, the AR in G5 is inaccurate (5) and errs to G6 (direction
    4, a dr of 2 halved); the next AR, in I6, is inaccurate (3) and errs to H6.
    """
    return creeping(catalogue, referee, tmp_path, *swaps).go(["red", 3, 5, 4, 2, 3, 5])


def test_e12_71_to_e12_771_the_whole_example(catalogue, referee, tmp_path):
    game = creeping(catalogue, referee, tmp_path)
    assert game.waits == "access"  # the special draw (E12.72)
    game.go(["red", 3])
    assert game.emitted("creeping_begins")[0]["turns"] == 2
    game.go([5, 4, 2])  # pre-Game Turn 1, PFPh
    adjusted = game.emitted("adjusted")[0]
    assert (BOARD.label(adjusted["start"]), BOARD.label(adjusted["aim"])) == ("G6", "P6")
    assert impacts(game) == ["G6"]
    game.go([3, 5])  # DFPh of the same Turn: an AR in I6, with an error of one hex
    assert impacts(game) == ["G6", "H6"]
    assert covered(game) == {f"H{n}" for n in range(2, 11)}
    assert len(game.emitted("lingering")) == 1  # pre-Game Turn 1 is over
    # In pre-Game Turn 2 the AR in J6 errs to the north-east, to K6, and the AR in M6 errs the same
    # way, to N5.
    game.go([3, 2, 6, 2])
    assert impacts(game) == ["G6", "H6", "K6", "N5"]
    assert len(game.emitted("lingering")) == 2
    # Game Turn 1, PFPh: P6 is the only hex left; an error to the south-east makes it Q7, wholly off
    # the map.
    game.go([4, 3])
    assert [BOARD.label(event["at"]) for event in game.emitted("unresolved")] == ["Q7"]
    assert impacts(game) == ["G6", "H6", "K6", "N5"]
    assert set(moments_of(game, "fall")) == {0}
    # The Barrage Lifts at the start of the DFPh, wherever it is; the radio may try one phase later.
    assert (moments_of(game, "lifts"), game.waits, game.table.state.moment) == ([1], "contact", 2)
    # The pile has 9 black chits and one more (C1.211), less the one that took the red chit's place
    # (E12.72).
    assert (game.get("delays/black"), game.get("delays/red")) == (9, 3)
    game.go([4, 4, "black", 2])
    assert [event.cite for event in game.emitted("contact")] == ["C1.2"]
    assert game.get("stage") is Stage.SPOTTING


@pytest.mark.parametrize(
    ("direction", "hex_", "resolved"),
    [(2, "Q6", False), (3, "Q7", False), (5, "O7", True), (6, "O6", True)],
)
def test_e12_76_beside_p6_the_example_prints_o6_and_means_q6(
    catalogue, referee, tmp_path, direction, hex_, resolved
):
    game = to_h6(catalogue, referee, tmp_path).go([3, 2, 6, 2]).go([4, direction])
    fell = impacts(game)[4:]
    # The default: Q6 and Q7 are off the map. By the printed text O6 would not be resolved, though
    # it is on the board.
    assert fell == ([hex_] if resolved else [])
    assert bool(game.emitted("unresolved")) is not resolved
    assert moments_of(game, "lifts") == [1]


def test_e12_74_from_h6_the_example_prints_i6_and_means_j6(catalogue, referee, tmp_path):
    game = to_h6(catalogue, referee, tmp_path)
    path = tuple(at(f"{row}6") for row in "GHIJKLMNOP")
    assert [BOARD.label(cell) for cell in next_hexes(path, at("H6"), 2)] == ["J6"]
    # The example prints I6, which is only one hex away, but a Correction is two hexes.
    assert distance(at("H6"), at("I6")) == 1
    game.go([1])
    assert impacts(game)[-1] == "J6"


def test_e12_74_the_first_accuracy_dr_by_c1_732_and_by_the_older_drm(catalogue, referee, tmp_path):
    accurate = []
    for dr in range(1, 7):
        game = creeping(catalogue, referee, tmp_path).go(["black", dr])
        accurate.append(impacts(game) == ["G5"])
    assert accurate == [True, True, True, True, False, False]  # an Original 4 or less
    # The other reading, a Final 2 with -2, is the same here for an American battery; a battery that
    # needs a 1 would succeed on up to 3.
    assert [dr - 2 <= 2 for dr in range(1, 7)] == accurate


def test_e12_74_the_example_corrected_in_the_pfph_alone(catalogue, referee, tmp_path):
    game = creeping(catalogue, referee, tmp_path, ('correct = "FFE:1-2"', 'correct = "FFE:1"'))
    game.go(["red", 3, 5, 4, 2])
    assert impacts(game) == ["G6", "G6"]  # not Corrected in the DFPh, but resolved again
    game.go([1])
    assert impacts(game) == ["G6", "G6", "I6", "I6"]


def test_e12_76_the_example_corrected_in_the_pfph_alone_attacks_the_same_hexes_twice(
    catalogue, referee, tmp_path
):
    game = creeping(
        catalogue,
        referee,
        tmp_path,
        ('correct = "FFE:1-2"', 'correct = "FFE:1"'),
        ("lift = 4", "lift = 9"),
    ).go(["black", 1, 1, 1, 1, 1])
    # The barrage falls on G5, I5, K5, M5 and O5. From O5 no Correction of two hexes comes nearer to
    # P5.
    assert impacts(game) == ["G5", "G5", "I5", "I5", "K5", "K5", "M5", "M5", "O5", "O5"]
    assert moments_of(game, "lifts") == [10]  # in the PFPh, not in the DFPh


def test_e12_76_the_example_with_three_game_turns_used_up(catalogue, referee, tmp_path):
    # Errors delay the Barrage, so that it has not reached the end of its path when its third Game
    # Turn ends.
    game = to_h6(catalogue, referee, tmp_path)
    for _ in range(4):
        game.go([3, 5])  # J6 errs to the south-west, and so do the later impacts
    # The Barrage Lifts in the PFPh of turn 2, after two pre-Game Turns and one Game Turn.
    assert moments_of(game, "lifts") == [2]
    assert [entry.moment for entry in game.table.log if entry.event.kind == "fall"] == [
        0,
        0,
        0,
        0,
        0,
        1,
    ]


def test_e12_771_the_example_waits_for_a_phase_after_the_lift(catalogue, referee, tmp_path):
    game = to_h6(catalogue, referee, tmp_path).go([3, 2, 6, 2, 4, 3])
    assert moments_of(game, "lifts") == [1]
    assert game.waits == "contact"
    assert game.table.state.moment == 2
    facts = game.scenario.missions["a"].facts
    # G5 is no longer Pre-Registered.
    assert facts["requests"].places == facts["areas"].registered == frozenset()
    assert facts["areas"].barrage == Fraction(16, 20)
