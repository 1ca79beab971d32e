"""Hex geometry against laws of the triangular lattice and its own floating-point coordinates."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fireplan_core.space import (
    DIRECTIONS,
    alternate_grain,
    centre,
    disc,
    distance,
    hex_grain,
    hexes_touching,
    line,
    nearest_hex,
    neighbours,
    opposite,
    ring,
    rotate,
    span,
    step,
)

hexes = st.tuples(st.integers(-40, 40), st.integers(-40, 40))
directions = st.integers(1, 6)
radii = st.integers(0, 8)
spacings = st.sampled_from([1.0, 40.0, 182.88, 0.37])
BOTH_PARITIES = [(6, 2), (7, 2), (-3, 1), (-4, 1)]


def euclid(a, b, spacing=1.0):
    return math.dist(centre(a, spacing), centre(b, spacing))


@pytest.mark.parametrize(
    ("direction", "bearing"), [(1, 0), (2, 60), (3, 120), (4, 180), (5, 240), (6, 300)]
)
@pytest.mark.parametrize("start", BOTH_PARITIES)
def test_directions_are_clockwise_compass_bearings_from_north(start, direction, bearing):
    x, y = centre(start, 1)
    for n in range(1, 9):
        far_x, far_y = centre(step(start, direction, n), 1)
        assert far_x - x == pytest.approx(n * math.sin(math.radians(bearing)))
        assert y - far_y == pytest.approx(n * math.cos(math.radians(bearing)))


def test_a_direction_outside_the_six_hexsides_is_refused():
    for wrong in (0, 7, -1):
        with pytest.raises(ValueError, match=r"1\.\.6"):
            step((0, 0), wrong)
        with pytest.raises(ValueError, match=r"1\.\.6"):
            opposite(wrong)


@given(hexes, directions, st.integers(0, 12))
def test_scatter_stays_on_its_line_at_its_distance(start, direction, n):
    end = step(start, direction, n)
    assert distance(start, end) == n
    assert end in line(start, direction, n + 1)
    assert step(end, opposite(direction), n) == start == step(end, direction, -n)


@given(hexes)
def test_neighbours_are_the_six_hexes_one_spacing_off(start):
    found = neighbours(start)
    assert found == tuple(step(start, d) for d in DIRECTIONS)
    assert len(set(found)) == 6
    assert all(euclid(start, h) == pytest.approx(1) for h in found)


@given(hexes, hexes, hexes)
def test_distance_is_a_metric(a, b, c):
    assert distance(a, b) == distance(b, a) >= 0
    assert (distance(a, b) == 0) == (a == b)
    assert distance(a, c) <= distance(a, b) + distance(b, c)


def test_distance_is_the_fewest_steps_between_neighbours():
    reached, edge = {(1, -2): 0}, [(1, -2)]
    for steps in range(1, 7):
        edge = [h for h in {n for e in edge for n in neighbours(e)} if h not in reached]
        reached.update(dict.fromkeys(edge, steps))
    assert all(distance((1, -2), h) == steps for h, steps in reached.items())


@given(hexes, hexes)
def test_span_is_the_squared_distance_of_centres(a, b):
    assert span(a, b) == pytest.approx(euclid(a, b) ** 2)
    assert span(a, b) == span(b, a)


@pytest.mark.parametrize(("radius", "count"), [(0, 1), (1, 7), (2, 19), (3, 37)])
@pytest.mark.parametrize("start", BOTH_PARITIES)
def test_c1_32_concentration_is_7_and_c1_72_harassing_19_hexes(start, radius, count):
    assert len(set(disc(start, radius))) == count


@given(hexes, radii)
def test_disc_is_centre_then_rings_each_clockwise_from_north(start, radius):
    found = disc(start, radius)
    assert len(found) == len(set(found)) == 1 + 3 * radius * (radius + 1)
    assert [distance(start, h) for h in found] == sorted(distance(start, h) for h in found)
    x, y = centre(start, 1)
    for r in range(1, radius + 1):
        bearings = []
        for h in ring(start, r):
            hx, hy = centre(h, 1)
            bearings.append(round(math.degrees(math.atan2(hx - x, y - hy)) % 360, 6) % 360)
        assert bearings[0] == 0
        assert bearings == sorted(bearings)
        assert len(bearings) == 6 * r


@given(hexes, radii)
def test_disc_holds_every_hex_near_enough_and_no_other(start, radius):
    q, r = start
    block = [(q + i, r + j) for i in range(-9, 10) for j in range(-9, 10)]
    assert set(disc(start, radius)) == {h for h in block if distance(start, h) <= radius}


@given(hexes, directions, st.integers(0, 6))
def test_e12_2_hex_grain_is_straight_with_the_hex_in_its_middle(middle, direction, arm):
    found = hex_grain(middle, direction, arm)
    assert len(set(found)) == 2 * arm + 1
    assert found[arm] == middle
    assert found == line(found[0], direction, 2 * arm + 1)
    assert set(found) == set(hex_grain(middle, opposite(direction), arm))


@given(hexes, directions, st.sampled_from([1, -1]), st.integers(0, 6))
def test_a9_221_alternate_grain_keeps_to_one_side_of_a_hexspine(middle, a, turn, arm):
    b = (a - 1 + turn) % 6 + 1
    found = alternate_grain(middle, a, b, arm)
    assert len(set(found)) == 2 * arm + 1
    assert found[arm] == middle
    steps = [d for here, there in pairwise(found) for d in DIRECTIONS if step(here, d) == there]
    assert steps == [(a, b)[(i - arm) % 2] for i in range(2 * arm)]
    # The line through every second hex is the hexspine; the others are to one side, half a spacing
    # away.
    (x, y), (ux, uy) = (
        centre(middle, 1),
        [p + q for p, q in zip(*(DIRECTION_VECTORS[d] for d in (a, b)), strict=True)],
    )
    sides = {
        round(((hx - x) * uy - (hy - y) * ux) / math.hypot(ux, uy), 6)
        for hx, hy in (centre(h, 1) for h in found)
    }
    assert len(sides) <= 2
    assert all(abs(side) in {0, 0.5} for side in sides)


DIRECTION_VECTORS = {d: centre(v, 1) for d, v in DIRECTIONS.items()}


def test_e12_11_there_are_nine_barrages_one_for_each_pair_of_neighbours_apart():
    for middle in BOTH_PARITIES:
        straight = {frozenset(hex_grain(middle, d, 4)) for d in DIRECTIONS}
        zigzag = {
            frozenset(alternate_grain(middle, a, b, 4))
            for a in DIRECTIONS
            for b in (a % 6 + 1, (a - 2) % 6 + 1)
        }
        assert (len(straight), len(zigzag)) == (3, 6)
        pairs = {shape & set(neighbours(middle)) for shape in straight | zigzag}
        assert len(pairs) == 9
        assert all(len(pair) == 2 and distance(*pair) == 2 for pair in pairs)


def test_grains_of_impossible_shape_are_refused():
    for a, b in ((1, 1), (1, 3), (1, 4), (6, 2)):
        with pytest.raises(ValueError, match="adjacent"):
            alternate_grain((0, 0), a, b, 4)
    for shape in (
        lambda: hex_grain((0, 0), 1, -1),
        lambda: disc((0, 0), -1),
        lambda: line((0, 0), 1, -1),
    ):
        with pytest.raises(ValueError, match="negative"):
            shape()


@given(hexes, hexes, st.integers(-12, 12))
def test_rotation_keeps_distances_and_comes_round_after_six_sixths(hex_, pivot, sixths):
    turned = rotate(hex_, pivot, sixths)
    assert span(turned, pivot) == span(hex_, pivot)
    assert rotate(turned, pivot, -sixths) == hex_ == rotate(hex_, pivot, 6)


@given(hexes, directions, st.integers(0, 5), st.integers(0, 6))
def test_rotation_turns_clockwise_direction_into_direction(pivot, direction, sixths, n):
    assert rotate(step(pivot, direction, n), pivot, sixths) == step(
        pivot, (direction - 1 + sixths) % 6 + 1, n
    )


@given(hexes, radii, st.integers(0, 5))
def test_disc_and_grain_are_symmetric_under_rotation(middle, radius, sixths):
    assert {rotate(h, middle, sixths) for h in disc(middle, radius)} == set(disc(middle, radius))
    turned = tuple(rotate(h, middle, sixths) for h in alternate_grain(middle, 1, 2, 4))
    assert turned == alternate_grain(middle, sixths % 6 + 1, (sixths + 1) % 6 + 1, 4)


@given(hexes, spacings)
def test_the_nearest_hex_to_a_centre_is_that_hex(hex_, spacing):
    assert nearest_hex(*centre(hex_, spacing), spacing) == hex_


@given(st.floats(-900, 900), st.floats(-900, 900), spacings.filter(lambda s: s >= 1))
def test_no_hex_is_nearer_than_the_nearest(x, y, spacing):
    found = nearest_hex(x, y, spacing)
    near = math.dist(centre(found, spacing), (x, y))
    assert near <= spacing / math.sqrt(3) + 1e-6
    assert all(math.dist(centre(h, spacing), (x, y)) >= near - 1e-6 for h in disc(found, 2))


@given(hexes, spacings)
def test_a_point_between_hexes_goes_to_the_lowest_of_them(hex_, spacing):
    (q, r), (x, y) = hex_, centre(hex_, spacing)
    # The corner between directions 2 and 3 belongs to three hexes.
    right = x + spacing / math.sqrt(3)
    assert nearest_hex(right, y, spacing) == hex_
    assert nearest_hex(x, y + spacing / 2, spacing) == hex_
    assert nearest_hex(x, y - spacing / 2, spacing) == (q, r - 1)


@given(hexes, st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 4), spacings)
def test_a_circle_touches_the_hexes_whose_centres_it_nearly_reaches(hex_, dx, dy, radius, spacing):
    x, y = (c + d * spacing for c, d in zip(centre(hex_, spacing), (dx, dy), strict=True))
    found = hexes_touching(x, y, radius * spacing, spacing)
    far = {h: math.dist(centre(h, spacing), (x, y)) / spacing for h in disc(hex_, 9)}
    assert {h for h in far if far[h] < radius + 0.5 - 1e-6} <= set(found)
    assert all(far[h] <= radius + 0.5 + 1e-6 for h in found)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(("radius", "count"), [(0, 1), (0.49, 1), (0.5, 7), (1.24, 13), (1.5, 19)])
@pytest.mark.parametrize("start", BOTH_PARITIES)
def test_a_circle_about_a_hex_touches_whole_orbits(start, radius, count):
    # Centres are 0, 1, 1.73 and 2 spacings away, in orbits of 1, 6, 6 and 6.
    found = hexes_touching(*centre(start, 40), radius * 40, 40)
    assert found[0] == start
    assert len(found) == count


def test_a_map_without_size_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        nearest_hex(0, 0, 0)
    with pytest.raises(ValueError, match="negative"):
        hexes_touching(0, 0, -1, 40)
