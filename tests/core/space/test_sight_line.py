"""The line between two centres, against nearest centres found with fractions, and known lines."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fireplan_core.space import (
    DIRECTIONS,
    crossings,
    disc,
    distance,
    line,
    rotate,
    sight_line,
    step,
    vertices_of,
)

hexes = st.tuples(st.integers(-12, 12), st.integers(-12, 12))
corners = st.builds(lambda hex_, number: vertices_of(hex_)[number], hexes, st.integers(0, 5))


def middle(place):
    """Return a place in axial coordinates: a hex itself, or the mean of a corner's three hexes."""
    around = [place] if isinstance(place[0], int) else place
    return [Fraction(sum(axis), len(around)) for axis in zip(*around, strict=True)]


def nearest(start, end, share):
    """Return the hexes whose centres are nearest to a point of the line; several if it is on a side
    or corner.
    """
    q, r = (a + share * (b - a) for a, b in zip(middle(start), middle(end), strict=True))

    def far(hex_):
        dq, dr = q - hex_[0], r - hex_[1]
        return dq * dq + dq * dr + dr * dr

    around = disc((round(q), round(r)), 2)
    least = min(map(far, around))
    return {hex_ for hex_ in around if far(hex_) == least}


@given(hexes, hexes | corners)
@example((0, 0), (3, 0))
@example((0, 0), (6, -3))
@example((0, 0), (0, 0))
@pytest.mark.full
def test_every_segment_covers_the_points_nearest_to_its_hexes(start, end):
    pieces = sight_line(start, end)
    assert (pieces[0].enters, pieces[-1].leaves) == (0, pieces[0].whole)
    assert all(one.leaves == two.enters for one, two in pairwise(pieces))
    # A hex is convex, so the middle and both ends of a segment decide.
    for piece in pieces:
        for twice in (2 * piece.enters, piece.enters + piece.leaves, 2 * piece.leaves):
            assert set(piece.hexes) <= nearest(start, end, Fraction(twice, 2 * piece.whole))
        assert set(piece.hexes) == nearest(
            start, end, Fraction(piece.enters + piece.leaves, 2 * piece.whole)
        )


@given(hexes, hexes | corners, st.frozensets(hexes, max_size=60))
def test_every_segment_in_relevant_hexes_is_returned(start, end, among):
    among |= frozenset(disc(start, 1))
    pieces = [piece for piece in sight_line(start, end) if among & set(piece.hexes)]
    assert [piece for piece in crossings(start, end, among) if among & set(piece.hexes)] == pieces


@given(hexes, hexes)
def test_the_way_back_is_the_way_there_reversed(start, end):
    there, back = sight_line(start, end), sight_line(end, start)
    assert [piece.hexes for piece in there] == [piece.hexes for piece in reversed(back)]
    assert [(p.enters, p.leaves) for p in there] == [
        (p.whole - p.leaves, p.whole - p.enters) for p in reversed(back)
    ]


@given(hexes, hexes, hexes, st.integers(0, 5))
def test_moving_and_turning_the_map_changes_nothing(start, end, by, sixths):
    def moved(hex_):
        q, r = rotate(hex_, (0, 0), sixths)
        return q + by[0], r + by[1]

    there = sight_line(moved(start), moved(end))
    plain = sight_line(start, end)
    assert [set(piece.hexes) for piece in there] == [
        set(map(moved, piece.hexes)) for piece in plain
    ]
    shares = [[Fraction(p.enters, p.whole) for p in pieces] for pieces in (there, plain)]
    assert shares[0] == shares[1]


@given(hexes, hexes)
def test_successive_hexes_are_adjacent_and_none_repeats(start, end):
    pieces = sight_line(start, end)
    assert (pieces[0].hexes, pieces[-1].hexes) == ((start,), (end,))
    assert all(
        distance(a, b) == 1 for one, two in pairwise(pieces) for a in one.hexes for b in two.hexes
    )
    every = [hex_ for piece in pieces for hex_ in piece.hexes]
    assert len(every) == len(set(every))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_along_a_row_every_hex_is_crossed_for_one_spacing(direction):
    pieces = sight_line((2, 3), step((2, 3), direction, 4))
    assert [piece.hexes for piece in pieces] == [(hex_,) for hex_ in line((2, 3), direction, 5)]
    # The pieces are half a hex, three whole hexes and half a hex.
    assert [Fraction(p.leaves - p.enters, p.whole) for p in pieces] == [
        Fraction(n, 8) for n in (1, 2, 2, 2, 1)
    ]


def test_towards_a_corner_sides_and_hexes_take_turns_in_thirds():
    # The line from centre to centre crosses a third of the way to the corner, runs along the side
    # for a third, and then crosses the other hex.
    pieces = sight_line((0, 0), (2, -1))
    assert [piece.hexes for piece in pieces] == [((0, 0),), ((1, -1), (1, 0)), ((2, -1),)]
    assert [Fraction(p.leaves, p.whole) for p in pieces] == [Fraction(1, 3), Fraction(2, 3), 1]
    assert [len(piece.hexes) for piece in sight_line((0, 0), (6, -3))] == [1, 2, 1, 2, 1, 2, 1]
