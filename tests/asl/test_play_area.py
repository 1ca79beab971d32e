"""The part of the boards that is in play: half-boards and areas that are not rectangles (C1.32,
C1.321, C1.23, E12.7).
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_asl import ON_HAND, at, read

from fireplan_asl.path import AWAY, past_far_edge
from fireplan_asl.places import block_of, board_layout
from fireplan_core import Order, Stage, View
from fireplan_core.files import FileError

TEXT = """
game = "asl"
title = "An area"
moments = 6
date = 1943-08-12
#area

[[battery]]
id = "a"
side = "german"
nationality = "german"
calibre = 105
target = "H5"
observer = "A5"
#battery

[[unit]]
id = "squad"
side = "russian"
hex = "H5"
"""
HOOK = 'play_area = ["A-H", "I6-P10"]'
"""Eight whole hexrows, and the numbers from 6 on of the next eight: I5 and P5 are out of play."""


@pytest.fixture
def play(catalogue, referee, tmp_path):
    def start(area=HOOK, battery="", swap=("", "")):
        text = TEXT.replace("#area", area).replace("#battery", battery).replace(*swap)
        return referee(read(catalogue, tmp_path, text))

    return start


def view(game, part="areas"):
    return View(game.table.read, game.scenario, part)


# --- names ---------------------------------------------------------------------------------------------
def test_e12_76_hexes_of_a_half_board_that_is_not_in_play_keep_their_names(play):
    game = play("columns = 16")
    assert game.scenario.frame.label((16, -2)) == "Q6"
    assert at(game, "Q6") == (16, -2)
    assert [game.scenario.frame.on_map(at(game, label)) for label in ("P6", "Q6", "GG1", "P10", "P11")] == [
        True, False, False, True, False
    ]  # fmt: skip
    # No fire may be aimed at a hex out of play, and no unit may be placed there.
    game.stand(stage=Stage.DELAYED, **ON_HAND)
    assert game.refused(Order.of("place", at=at(game, "Q6"))) == "C1.3"
    with pytest.raises(FileError, match=r"'Q6': this hex is off the map; did you mean P[56]\?"):
        play("columns = 16", swap=('hex = "H5"', 'hex = "Q6"'))


@pytest.mark.parametrize(
    ("text", "area"),
    [
        ("A-P", (0, 15, 0, 999)),
        ("a1-p5", (0, 15, 1, 5)),
        ("GG3", (32, 32, 3, 3)),
        ("I", (8, 8, 0, 999)),
    ],
)
def test_a_block_is_hexrows_or_hexes(text, area):
    assert block_of(text) == area


@pytest.mark.parametrize("text", ["", "P-A", "A5-P1", "A1-P", "1-5", "HH3", "A1-", "A-P-Q", "K5x"])
def test_a_malformed_block_is_reported(catalogue, tmp_path, text):
    with pytest.raises(ValueError, match="block"):
        block_of(text)
    with pytest.raises(FileError, match=r"play_area\[0\]: .*block"):
        read(catalogue, tmp_path, TEXT.replace("#area", f'play_area = ["{text}"]'))


def test_an_area_without_hexes_is_reported(catalogue, tmp_path):
    with pytest.raises(FileError, match="no hex of the boards is in play"):
        read(catalogue, tmp_path, TEXT.replace("#area", 'play_area = ["A11-P20"]'))


# --- fire ----------------------------------------------------------------------------------------------
def test_c1_32_hexes_out_of_play_are_not_part_of_a_blast_area(play):
    for area, covered in (("", 7), (HOOK, 5)):
        game = play(area)
        # Of the hexes adjacent to H4, I4 and I5 are out of play.
        game.stand(stage=Stage.FALLING, impact=at(game, "H4"), **ON_HAND)
        areas, frame = game.scenario.parts.areas, game.scenario.frame
        assert (
            len([h for h in frame.layout.hexes() if areas.covers(view(game), "a", h, Fraction(0))])
            == covered
        )
        assert len(areas.footprint(view(game), "a")[0]) == covered
        assert areas.covers(view(game), "a", at(game, "I5"), Fraction(0)) == (not area)


def test_c1_321_a_sr_out_of_play_has_no_blast_height(play):
    for label, seen in (("I5", False), ("I6", True), ("P5", False), ("P6", True)):
        game = play()
        game.stand(stage=Stage.SPOTTING, impact=at(game, label), **ON_HAND)
        assert view(game, "requests").sees("a", at(game, label)).burst is seen
        assert (game.refused(Order.of("leave")) is None) is seen


# --- edges ---------------------------------------------------------------------------------------------
def test_c1_23_a_security_area_ends_at_the_edge_of_the_play_area(play):
    phone = 'link = "field_phone"\nfriendly_edge = "low numbers"'
    game = play(battery=phone, swap=('observer = "A5"', 'observer = "L8"'))
    assert {game.scenario.frame.label(game.table.read(f"units/{unit}/place", None))
            for unit in game.scenario.units if unit.startswith("line")} == {"L8", "L7", "L6"}  # fmt: skip


BARRAGE = """missions = ["concentration"]
preregistered = ["C{n}"]
barrage = {{ C{n} = "C{a}-C{b}" }}
[battery.creeping]
aim = "{aim}"
lift = 9
"""


@pytest.mark.parametrize(("number", "aim"), [(8, "P8"), (5, "H5"), (3, "H3")])
def test_e12_71_the_far_edge_is_that_of_the_hexes_in_play(play, number, aim):
    def start(to):
        return play(battery=BARRAGE.format(n=number, a=number - 1, b=number + 1, aim=to))

    assert start(aim).scenario.missions["a"].facts["areas"].creep.aim == at(start(aim), aim)
    with pytest.raises(FileError, match=r"E12\.71"):
        start(f"F{number}")


@given(
    st.integers(2, 33),
    st.integers(1, 2),
    st.sampled_from(sorted(AWAY)),
    st.integers(-8, 40),
    st.integers(-8, 28),
)
def test_e12_732_beyond_a_rectangle_is_beyond_its_last_hexrow_or_number(
    columns, boards, edge, q, number
):
    low, high = (0 if q % 2 else 1), 10 * boards
    ends = {"first hexrow": q >= columns, "last hexrow": q < 0}
    beyond = {**ends, "low numbers": number > high, "high numbers": number < low}
    assert past_far_edge(board_layout(boards, columns), edge, (q, number - q // 2)) is beyond[edge]
