"""Barrage and Creeping Barrage: E12.1 - E12.771, with the worked examples."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import attrs
import pytest
from support_asl import ON_HAND

from fireplan.solver import Analysis, FirstFall
from fireplan_asl import fireplan_game as asl
from fireplan_asl.path import along, canonical, grain_of, next_hexes, path_steps
from fireplan_asl.scenario_battery import parallel
from fireplan_core import Order, Stage, Step, View
from fireplan_core.files import FileError
from fireplan_core.play import load_scenario
from fireplan_core.space import distance

LAYOUT = (
    asl().scenarios.kind(game="asl", title="", moments=1, date=None, battery=(), unit=()).layout
)
_ROWS = (
    (Path(__file__).parents[1] / "data" / "asl_hex_oracle.csv")
    .read_text(encoding="utf-8")
    .splitlines()
)
ORACLE = {row["id"]: row for row in csv.DictReader(_ROWS)}


def at(label):
    return LAYOUT.parse(label)


def hexes(labels):
    return tuple(at(label) for label in labels.split())


def grain(place, pair):
    first, _, second = pair.partition("-")
    return grain_of(at(place), at(first), at(second))


def shipped(catalogue, name, tmp_path=None, **swaps):
    file = asl().scenarios.shipped[name]
    if not swaps:
        return load_scenario(catalogue, file)[0]
    text = file.read_text(encoding="utf-8")
    for old, new in swaps.values():
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return load_scenario(catalogue, path)[0]


# --- geometry ------------------------------------------------------------------------------------------
def test_e12_11_nine_alignments_of_nine_hexes():
    around = hexes("H5 I6 I7 H7 G7 G6")
    grains = set()
    for i in range(6):
        for j in range(i + 1, 6):
            if distance(around[i], around[j]) > 1:
                grains.add(grain_of(at("H6"), around[i], around[j]))
    assert len(grains) == 9
    shapes = {frozenset(along(at("H6"), g, 4)) for g in grains}
    assert len(shapes) == 9
    assert {len(shape) for shape in shapes} == {9}
    for shape in shapes:
        assert sorted(distance(at("H6"), h) for h in shape) == [0, 1, 1, 2, 2, 3, 3, 4, 4]


@pytest.mark.parametrize(
    ("place", "pair", "row"),
    [("H6", "H5-H7", "1"), ("H6", "I6-H7", "2"), ("D4", "D3-D5", "6"), ("G6", "G5-G7", "12")],
)
def test_e12_11_e12_31_worked_examples_of_blast_areas(place, pair, row):
    assert set(along(at(place), grain(place, pair), 4)) == set(hexes(ORACLE[row]["expected"]))


def test_e12_2_two_hexes_next_to_the_registered_one_but_not_to_each_other():
    for pair in ("H5-I5", "H5-H5", "H4-H7", "G6-G7", "G7-G6", "G6-H5", "H5-G6"):
        with pytest.raises(ValueError, match="recorded hexes"):
            grain("H6", pair)


def test_e12_2_worked_example_of_parallel_records():
    straight, zigzag = grain("H6", "H5-H7"), grain("H6", "I6-H7")
    assert parallel(straight, grain("C6", "C5-C7"))
    assert parallel(zigzag, grain("C6", "D5-C7"))
    assert not parallel(straight, grain("C6", "D5-C7"))
    assert canonical(4, 4) == canonical(1, 1)
    # The same line drawn along its other side is parallel only under the option.
    assert not parallel(zigzag, grain("C6", "B5-D6"))
    swapped = canonical(*reversed(zigzag))
    assert not parallel(zigzag, swapped)
    assert parallel(zigzag, swapped, same_side=False)


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ('C6 = "C5-C7"', 'C6 = "D5-C7"', "E12.2"),
        ('C6 = "C5-C7"', 'C6 = "C5-D5"', "E12.2"),
        ('preregistered = ["H6", "C6"]', 'preregistered = ["H6"]', "E12.2"),
        ('link = "offboard"', 'link = "offboard"\nweapon = "rocket"', "E12.1"),
        ('barrage = { H6 = "H5-H7", C6 = "C5-C7" }', "", "E12.1"),
    ],
)
def test_e12_1_e12_2_records_that_break_a_rule_are_refused(catalogue, tmp_path, old, new, rule):
    with pytest.raises(FileError, match=rule.replace(".", r"\.")):
        shipped(catalogue, "set_piece", tmp_path, change=(old, new))


# --- placing, correcting, firing -----------------------------------------------------------------------
def with_barrage(catalogue, referee, stage=Stage.DELAYED, kind="barrage", **values):
    return referee(shipped(catalogue, "set_piece")).stand(
        stage=stage, requests__kind=kind, **ON_HAND, **values
    )


def covers(game, label):
    view = View(game.table.read, game.scenario, "areas")
    return game.scenario.parts.areas.covers(view, "a", at(label), Fraction(0))


def test_e12_3_a_barrage_is_placed_directly_in_a_barrage_capable_hex(catalogue, referee):
    game = with_barrage(catalogue, referee)
    assert game.refused(Order.of("fire", at=at("H5"))) == "C1.731"
    game.go([4], [Order.of("fire", at=at("H6")), Order.of("barrage")])
    assert game.label == "H6"
    assert [event.cite for event in game.emitted("announced")] == ["E12.1"]
    assert [label for label in ("H1", "H2", "H6", "H10", "G6") if covers(game, label)] == [
        "H2",
        "H6",
        "H10",
    ]


def test_e12_3_no_barrage_in_a_hex_without_a_record(catalogue, referee, tmp_path):
    played = shipped(catalogue, "set_piece", tmp_path, change=(', C6 = "C5-C7"', ""))
    game = referee(played).stand(stage=Stage.DELAYED, **ON_HAND)
    assert game.refused(Order.of("fire", at=at("C6"))) is None
    game.go([4], [Order.of("fire", at=at("C6")), Order.of("concentration")])
    assert [event["type"] for event in game.emitted("announced")] == ["concentration"]


def test_e12_31_an_errant_barrage_keeps_its_alignment(catalogue, referee):
    game = with_barrage(catalogue, referee, Stage.FALLING, impact=at("D4"), areas__resolved=True)
    on = [f"D{n}" for n in range(12) if LAYOUT.on_map(at(f"D{n}")) and covers(game, f"D{n}")]
    assert on == ORACLE["6"]["expected"].split()


def test_e12_31_the_error_of_the_example_is_farther_than_c1_732_allows(catalogue, referee):
    # Under the present rule an error in a Pre-Registered hex is at most 3 hexes. D4 is 4 hexes away
    # and serves only to show the geometry.
    assert distance(at("H6"), at("D4")) == 4
    for white in (5, 6):
        game = with_barrage(catalogue, referee).go(
            [5, 6, white], [Order.of("fire", at=at("H6")), Order.of("barrage")]
        )
        assert game.label == "E5"
        assert distance(at("H6"), at("E5")) == 3


def test_e12_4_worked_example_of_correcting(catalogue, referee):
    game = with_barrage(catalogue, referee, Stage.FALLING, impact=at("D4"), areas__resolved=True)
    allowed = {
        LAYOUT.label(h) for h in LAYOUT.hexes() if game.refused(Order.of("correct", at=h)) is None
    }
    assert allowed == set(ORACLE["7"]["expected"].split()) | set(ORACLE["8"]["expected"].split())
    assert game.refused(Order.of("correct", at=at("E4"))) == "E12.4"


def test_e12_4_not_around_the_registered_hex_it_is_already_next_to(catalogue, referee):
    game = with_barrage(catalogue, referee, Stage.FALLING, impact=at("H5"), areas__resolved=True)
    assert game.refused(Order.of("correct", at=at("H7"))) == "E12.4"
    assert game.refused(Order.of("correct", at=at("H6"))) is None


@pytest.mark.parametrize(
    ("calibre", "power"), [(75, 8), (81, 12), (100, 16), (120, 20), (150, 24), (200, 30)]
)
def test_e12_5_one_column_to_the_left(catalogue, tmp_path, calibre, power):
    played = shipped(
        catalogue, "set_piece", tmp_path, change=("calibre = 100", f"calibre = {calibre}")
    )
    facts = played.missions["a"].facts
    assert facts["areas"].barrage * facts["resolution"].power == power


def test_e12_51_e12_52_smoke_barrage_and_hindrance(catalogue, referee):
    game = with_barrage(catalogue, referee).go(
        [4], [Order.of("fire", at=at("H6")), Order.of("barrage_smoke")]
    )
    assert len(game.emitted("smoke")[0]["at"]) == 9
    assert not game.emitted("suffered")
    burning = with_barrage(catalogue, referee, Stage.FALLING, impact=at("H6"), areas__resolved=True)
    view = View(burning.table.read, burning.scenario, "observers")
    sees = burning.scenario.parts.observers.sees
    assert sees(view, "a", at("K6")).hindrance == 1
    assert sees(view, "a", at("C6")).hindrance == 0


def test_e12_6_the_hex_takes_other_missions_and_the_type_stays(catalogue, referee):
    game = referee(shipped(catalogue, "set_piece")).stand(
        Step("core.ready", ("a",)), Step("areas.moment", ("a",)), stage=Stage.DELAYED, **ON_HAND
    )
    game.go([4], [Order.of("fire", at=at("H6")), Order.of("concentration")])
    assert covers(game, "G6") == 1
    assert covers(game, "H3") == 0
    # FFE:2 has the same type. Only the next mission may have another type, and may be a Barrage
    # only if the FFE is placed directly.
    for orders in ([Order.of("leave")], []):
        while game.waits in ("effect", "morale"):
            game.go([6, 6] if game.waits == "effect" else [1, 2])
        game.go([], orders)
    assert game.get("stage") is Stage.LINGERING
    assert len(game.emitted("announced")) == 1
    game.go(["black"])
    game.go([4], [Order.of("replace_fire", at=at("H6")), Order.of("barrage")])
    assert [event["type"] for event in game.emitted("announced")] == ["concentration", "barrage"]
    assert covers(game, "H3") == Fraction(16, 20)
    assert covers(game, "G6") == 0


# --- Creeping Barrage ----------------------------------------------------------------------------------
def creeping(catalogue, referee, faces=(), tmp_path=None, **swaps):
    # There are no troops, so only the barrage rolls dice.
    return referee(attrs.evolve(shipped(catalogue, "creeping", tmp_path, **swaps), units={})).go(
        faces
    )


def impacts(game):
    return [LAYOUT.label(event["impact"]) for event in game.emitted("fall")]


def test_e12_71_the_grain_of_the_example():
    a, b = path_steps(at("G5"), at("P5"))
    assert {a, b} == {2, 3}
    with pytest.raises(ValueError, match="Aiming Hex"):
        path_steps(at("G5"), at("P8"))


@pytest.mark.parametrize(
    ("old", "new"),
    [('aim = "P5"', 'aim = "P8"'), ('preregistered = ["G5"]', 'preregistered = ["G5", "H5"]')],
)
def test_e12_71_a_record_needs_one_hex_and_an_aim_on_its_grain(catalogue, tmp_path, old, new):
    with pytest.raises(FileError, match=r"E12\.71"):
        shipped(catalogue, "creeping", tmp_path, change=(old, new))


def test_e12_72_a_black_draw_begins_with_the_attack(catalogue, referee):
    game = creeping(catalogue, referee, ["black", 4])
    assert game.emitted("creeping_begins")[0]["turns"] == 0
    assert impacts(game) == ["G5"]
    assert (game.get("delays/black"), game.get("delays/red")) == (10 - 1 + 1 - 1, 3)


@pytest.mark.parametrize(("dr", "turns"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)])
def test_e12_72_a_red_draw_puts_it_before_the_attack_and_the_chit_is_exchanged(
    catalogue, referee, dr, turns
):
    game = creeping(catalogue, referee, ["red", dr])
    assert game.emitted("creeping_begins")[0]["turns"] == turns
    assert (game.get("delays/black"), game.get("delays/red")) == (9, 3)


def test_e12_73_e12_731_e12_74_worked_example(catalogue, referee):
    # A red chit with a Timing dr of 3 gives two pre-Game Turns. The Accuracy dr of 5 is inaccurate,
    # and the error is one hex in direction 4, to G6.
    game = creeping(catalogue, referee, ["red", 3, 5, 4, 2])
    assert impacts(game) == ["G6"]
    moved = game.emitted("adjusted")[0]
    assert (LAYOUT.label(moved["start"]), LAYOUT.label(moved["aim"])) == ("G6", "P6")
    # The AR is Corrected to I6; the dr of 3 is inaccurate, and the error in direction 5 leads to
    # H6.
    game.go([3, 5])
    assert game.get("previous") == at("G6")
    assert impacts(game) == ["G6", "H6"]
    assert [event.cite for event in game.emitted("lingering")] == ["C1.34"]
    assert {LAYOUT.label(h) for h in LAYOUT.hexes() if covers(game, LAYOUT.label(h))} == {
        f"H{n}" for n in range(2, 11)
    }


def test_e12_74_the_next_ar_of_the_example_is_j6():
    path = hexes("G6 H6 I6 J6 K6 L6 M6 N6 O6 P6")
    for row in ("13", "15", "18"):
        start = {"13": "G6", "15": "H6", "18": "P6"}[row]
        assert [LAYOUT.label(h) for h in next_hexes(path, at(start), 2)] == ORACLE[row][
            "expected"
        ].split()
    # The rules print I6 after H6, which is one hex away, but a Correction is two hexes.
    assert distance(at("H6"), at("I6")) == 1
    assert [LAYOUT.label(h) for h in next_hexes(path, at("N5"), 2)] == ORACLE["16"][
        "expected"
    ].split()
    # If two hexes fit, the one nearer to the Aiming Hex comes first.
    assert next_hexes(hexes("G5 H5 I5 J5 K5 L5 M5 N5 O5 P5"), at("I4"), 2) == hexes("K5 J5")


def test_e12_72_e12_73_pre_game_turns_are_over_before_the_first_phase(catalogue, referee):
    # There is one pre-Game Turn, with impacts on G5 and I5.
    game = creeping(catalogue, referee, ["red", 1, 1, 1])
    assert impacts(game) == ["G5", "I5"]
    game.go([1])  # PFPh of turn 1
    assert impacts(game) == ["G5", "I5", "K5"]
    assert [entry.moment for entry in game.table.log if entry.event.kind == "fall"] == [0, 0, 0]


def test_e12_731_corrected_in_the_pfph_alone_if_so_recorded(catalogue, referee, tmp_path):
    game = creeping(
        catalogue,
        referee,
        ["black", 1, 1, 1],
        tmp_path,
        change=('correct = "FFE:1-2"', 'correct = "FFE:1"'),
    )
    assert impacts(game) == ["G5", "G5", "I5", "I5", "K5", "K5"]


def test_e12_76_it_lifts_after_its_game_turns(catalogue, referee, tmp_path):
    # Three Game Turns, two of them before play: the barrage Lifts in the PFPh of turn 2.
    game = creeping(
        catalogue,
        referee,
        ["red", 4, 1, 1],
        tmp_path,
        change=('correct = "FFE:1-2"', 'correct = "FFE:1"'),
    )
    assert impacts(game) == ["G5", "G5", "I5", "I5"]
    game.go([1])
    lifts = [entry.moment for entry in game.table.log if entry.event.kind == "lifts"]
    assert lifts == [2]
    assert impacts(game)[-2:] == ["K5", "K5"]


def test_e12_76_it_lifts_when_it_can_no_longer_be_corrected(catalogue, referee):
    game = creeping(catalogue, referee, ["black", 1, 1, 1, 1, 1])
    assert impacts(game) == ["G5", "I5", "K5", "M5", "O5"]
    assert [entry.moment for entry in game.table.log if entry.event.kind == "lifts"] == [5]


def test_e12_76_wholly_off_the_map_it_is_not_resolved(catalogue, referee, tmp_path):
    swaps = {"change": ('"G5"', '"F5"'), "grain": ("G5 =", "F5 ="), "pair": ("G4-G6", "F4-F6")}
    game = creeping(catalogue, referee, ["black", 1, 1, 1, 1], tmp_path, **swaps)
    assert impacts(game) == ["F5", "H5", "J5", "L5"]
    game.go([1])  # a fall on N5
    before = len(impacts(game))
    game.go([6, 3])  # an error to the south-east of P5 reaches column Q, which is off the map
    assert len(impacts(game)) == before
    assert len(game.emitted("unresolved")) == 1
    assert game.emitted("lifts")


def test_e12_732_the_other_reading_moves_the_aiming_hex_by_the_same_step(
    catalogue, referee, tmp_path
):
    for reading, aim in (("to the board edge", "P4"), ("same step", "Q5")):
        swap = {
            "change": (
                "boards = 1",
                f'boards = 1\noptions = {{ creeping_adjustment = "{reading}" }}',
            )
        }
        # The first impact errs to H4.
        game = creeping(catalogue, referee, ["black", 5, 2, 1], tmp_path, **swap)
        label = game.scenario.frame.label(game.emitted("adjusted")[0]["aim"])
        assert label == aim


def test_e12_75_hindrance_of_two_but_one_in_rain(catalogue, tmp_path):
    for weather, drm in (("clear", 2), ("rain", 1), ("deep_snow", 1)):
        played = shipped(
            catalogue,
            "creeping",
            tmp_path,
            change=("boards = 1", f'boards = 1\nweather = "{weather}"'),
        )
        assert played.missions["a"].facts["observers"].bursts == (("a", drm),)
        assert not {"smoke", "barrage_smoke"} & set(played.missions["a"].facts["requests"].kinds)


def test_e12_77_no_contact_and_no_draw_while_it_creeps(catalogue, referee):
    game = creeping(catalogue, referee, ["black", 1, 1, 1, 1, 1])
    assert not game.emitted("contact")
    assert not game.emitted("access")


def test_e12_771_a_radio_takes_over_after_the_lift(catalogue, referee, tmp_path):
    game = creeping(catalogue, referee, ["black", 1, 1, 1, 1, 1, 3, 3, "black", 2])
    kinds = [entry.event.kind for entry in game.table.log if entry.moment >= 5]
    assert kinds[:2] == ["lifts", "ended"]
    assert [k for k in kinds if k in ("contact", "access", "spotting")] == [
        "contact",
        "access",
        "spotting",
    ]
    contact = [entry.moment for entry in game.table.log if entry.event.kind == "contact"]
    assert contact == [6]
    # The hex where the barrage began is no longer Pre-Registered, and no more Barrages are
    # available.
    facts = game.scenario.missions["a"].facts["requests"]
    assert (facts.places, facts.barrage, facts.kinds) == (
        frozenset(),
        frozenset(),
        ("concentration", "harassing"),
    )
    without = creeping(
        catalogue,
        referee,
        ["black", 1, 1, 1, 1, 1],
        tmp_path,
        change=("radio = true", "radio = false"),
    )
    assert [event["reason"].value for event in without.emitted("ended")] == ["exhausted"]


@pytest.mark.full
def test_e12_7_twenty_phases_are_solved_exactly(catalogue):
    played = shipped(catalogue, "creeping")
    first = Analysis(played, 20).solve(FirstFall())
    assert sum(first.shares.values()) == 1
    # Whatever the special draw brings, the barrage is always placed in the first phase.
    assert {state[0] for state in first.shares} == {0}
    # The fire lands on G5 with probability 4/6, otherwise one to three hexes away in one of six
    # directions.
    assert sum(share for state, share in first.shares.items() if state[3] == at("G5")) == Fraction(
        4, 6
    )
    assert len(first.shares) == 1 + 6 * 3


def test_e12_74_the_next_hex_is_shown_once_the_barrage_is_placed(catalogue, referee):
    game = creeping(catalogue, referee, ["black", 4])

    def ahead():
        return game.scenario.parts.areas.ahead(View(game.table.read, game.scenario, "areas"), "a")

    assert ahead()
    game.stand(stage=Stage.FALLING, impact=None, **ON_HAND)
    assert ahead() == ()
