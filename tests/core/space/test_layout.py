"""Printed coordinates of maps of four conventions, on the map and outside it."""

import copy

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fireplan_core.space import (
    CoordinateError,
    Layout,
    centre,
    distance,
    lettered_columns,
    neighbours,
    numbered_columns,
    step,
)

LAYOUTS = ["board", "trenches", "wrapped", "numeric"]


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return request.getfixturevalue(request.param)


def test_geomorphic_board_has_33_hexrows_and_346_labels(board):
    labels = [board.label(h) for h in board.hexes()]
    assert len(labels) == len(set(labels)) == 17 * 10 + 16 * 11 == 346
    assert (labels[0], labels[-1]) == ("A1", "GG10")
    assert {"B0", "B10", "FF0", "AA1", "Z10"} <= set(labels)
    assert not {"A0", "A11", "B11", "HH1", "AB1"} & set(labels)


def test_board_hex_sits_at_the_height_of_its_number(board):
    # In half-hexes a centre is at 2n, less one in hexrows A, C, E and so on.
    for label in board_labels(board):
        q, _ = hex_ = board.parse(label)
        number = int(label.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        _, y = centre(hex_, 2)
        _, origin = centre(board.parse("B0"), 2)
        assert y - origin == pytest.approx(2 * number - (q % 2 == 0))


def board_labels(board):
    return [board.label(h) for h in board.hexes()]


def test_every_label_of_the_map_reads_back(layout):
    for hex_ in layout.hexes():
        assert layout.on_map(hex_)
        assert layout.parse(layout.label(hex_), virtual=False) == hex_


@given(st.integers(-90, 140), st.integers(-120, 160))
def test_labels_of_virtual_hexes_read_back_and_are_all_different(
    board, trenches, wrapped, numeric, q, r
):
    for layout in (board, trenches, wrapped, numeric):
        label = layout.label((q, r))
        assert layout.parse(label) == layout.parse(f" {label.lower()} ") == (q, r)
        assert layout.on_map((q, r)) == ((q, r) in set(layout.hexes()))


def test_e8_row_beyond_the_board_keeps_its_number(board):
    assert board.label(step(board.parse("P10"), 4, 2)) == "P12"
    assert board.label(step(board.parse("P0"), 1)) == "P-1"
    assert not board.on_map(board.parse("P12"))


def test_columns_beyond_the_map_name_the_edge_they_cross(board, wrapped):
    assert board.label(step(board.parse("GG5"), 3)) == "+A5"
    assert board.label(step(board.parse("A5"), 6)) == "-A4"
    assert wrapped.label(step(wrapped.parse("AK05"), 6)) == "-A04"
    assert wrapped.label(step(wrapped.parse("Z05"), 2)) == "+A05"


def test_rp_wrapped_columns_are_west_of_a(wrapped, trenches):
    assert wrapped.parse("A05") in neighbours(wrapped.parse("AZ05"))
    assert distance(wrapped.parse("AX05"), wrapped.parse("H10")) == 10
    assert wrapped.parse("H10") == trenches.parse("H10")
    assert wrapped.label(wrapped.hexes()[0]) == "AK01"


def test_numeric_labels_are_column_then_row(numeric):
    assert numeric.label((12, 4 - 6)) == "1204"
    assert numeric.parse("1204")[0] == 12
    # Odd columns are half a hex lower: 1104 is south-west of 1204.
    assert step(numeric.parse("1204"), 5) == numeric.parse("1104")
    assert not numeric.on_map(numeric.parse("1299"))


def test_an_odd_first_column_makes_the_other_columns_the_lower_ones():
    upper = Layout(lettered_columns(4), even_rows=(1, 5), odd_rows=(1, 5), first_q=1)
    assert upper.parse("B3") == step(upper.parse("A3"), 2)


@pytest.mark.parametrize(
    ("text", "problem", "suggestion"),
    [
        ("N9", "2 digit", "N09"),
        ("N009", "2 digit", "N09"),
        ("09N", "column and a row", "N09"),
        ("", "column and a row", None),
        ("N", "column and a row", None),
        ("N1x", "column and a row", None),
        ("ZZ05", "no column ZZ", None),
        ("N" + "9" * 5000, "column and a row", None),
        ("N\u0661\u0662", "column and a row", None),
    ],
)
def test_an_unknown_hex_label_is_refused_with_a_reason_and_a_valid_label(
    trenches, text, problem, suggestion
):
    with pytest.raises(CoordinateError, match=problem) as raised:
        trenches.parse(text)
    assert raised.value.text == text
    assert trenches.on_map(trenches.parse(raised.value.suggestion, virtual=False))
    if suggestion:
        assert raised.value.suggestion == suggestion


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("N0x9", "N01"),
        ("ZZ05", "Z05"),
        ("X77?", "X34"),
        ("09-N", "N09"),
        ("", "A01"),
        ("BÜ7", "B07"),
    ],
)
def test_the_label_that_is_proposed_has_the_column_most_alike_and_the_nearest_row(
    trenches, text, suggestion
):
    with pytest.raises(CoordinateError) as raised:
        trenches.parse(text)
    assert raised.value.suggestion == suggestion


@pytest.mark.parametrize(
    ("text", "suggestion"), [("0x203", "0203"), ("9999", None), ("02", None), ("?", None)]
)
def test_of_numbered_columns_the_nearest_is_proposed(numeric, text, suggestion):
    with pytest.raises(CoordinateError) as raised:
        numeric.parse(text, virtual=False)
    found = raised.value.suggestion
    assert numeric.on_map(numeric.parse(found))
    assert suggestion in (None, found)


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [("H11", "H10"), ("A0", "A1"), ("P12", "P10"), ("+A5", "GG5"), ("-C-4", "A1")],
)
def test_a_hex_off_the_map_is_refused_when_only_the_map_will_do(board, text, suggestion):
    board.parse(text)
    with pytest.raises(CoordinateError, match="off the map") as raised:
        board.parse(text, virtual=False)
    assert raised.value.suggestion == suggestion


@given(
    st.text(max_size=12)
    | st.from_regex(r"\s?[+-]?([A-Ca-c]{1,2}|[0-9]{2})-?[0-9]{1,3}", fullmatch=True)
)
@example("h6")
@example("+A5")
@example("-B-12")
@example("0207")
def test_any_text_is_a_hex_or_a_coordinate_error_with_a_valid_hint(board, numeric, text):
    for layout in (board, numeric):
        try:
            hex_ = layout.parse(text)
        except CoordinateError as error:
            layout.parse(error.suggestion)
        else:
            assert layout.label(hex_) == text.strip().upper()


def test_coordinate_errors_can_be_rebuilt_as_between_processes():
    error = copy.copy(CoordinateError("X", "is wrong", "A1"))
    assert str(error) == "'X': is wrong; did you mean A1?"
    assert isinstance(error, ValueError)


def test_column_names():
    assert lettered_columns(33, doubled=True)[24:] == (
        "Y",
        "Z",
        "AA",
        "BB",
        "CC",
        "DD",
        "EE",
        "FF",
        "GG",
    )
    assert lettered_columns(54)[24:29] == ("Y", "Z", "AA", "AB", "AC")
    assert lettered_columns(54)[-3:] == ("AZ", "BA", "BB")
    assert numbered_columns(8, 11) == ("08", "09", "10", "11")


@pytest.mark.parametrize(
    "columns", [(), ("A", "A"), ("a",), ("A", "01"), ("1", "02"), ("A1",), ("",)]
)
def test_ambiguous_columns_are_refused(columns):
    with pytest.raises(ValueError, match="column"):
        Layout(columns, even_rows=(1, 2), odd_rows=(1, 2))


def test_rows_must_run_southward_and_have_digits():
    with pytest.raises(ValueError, match="odd_rows"):
        Layout(("A",), even_rows=(1, 2), odd_rows=(3, 2))
    with pytest.raises(ValueError, match="digits"):
        Layout(("A",), even_rows=(1, 2), odd_rows=(1, 2), digits=0)


def test_layouts_are_values(board):
    twin = Layout(lettered_columns(33, doubled=True), even_rows=(1, 10), odd_rows=(0, 10))
    assert twin == board
    assert hash(twin) == hash(board)
