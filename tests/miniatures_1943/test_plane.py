"""The plane in yards, against polygons computed to a hundred digits, laws and exact cases."""

import random
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fireplan_core.space import PlaneRectangle, squared_distance, strip_ahead
from fireplan_miniatures_1943.geometry import rectangles_touch, within_circle

DIGITS = 100
# Lengths near a hundred yards with two square roots cannot be this close without being equal.
SAME = Decimal(10) ** -60

points = st.tuples(st.integers(-300, 300), st.integers(-300, 300))
headings = st.tuples(st.integers(-9, 9), st.integers(-9, 9)).filter(any)
measures = st.integers(0, 200)
rectangles = st.builds(PlaneRectangle, points, headings, measures, measures, st.integers(-200, 200))


def corners(rectangle):
    (x, y), (hx, hy) = map(Decimal, rectangle.centre), map(Decimal, rectangle.heading)
    root = (hx * hx + hy * hy).sqrt()
    ux, uy = hx / root, hy / root
    ends = [Decimal(rectangle.ahead + way * rectangle.length) / 2 for way in (1, -1)]
    half = Decimal(rectangle.width) / 2
    places = [(ends[0], half), (ends[0], -half), (ends[1], -half), (ends[1], half)]
    return [(x + ux * a - uy * c, y + uy * a + ux * c) for a, c in places]


def edges(polygon):
    return list(pairwise([*polygon, polygon[0]]))


def cross(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def squared(a, b):
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def to_segment(point, a, b):
    if (length := squared(a, b)) == 0:
        return squared(point, a)
    share = ((point[0] - a[0]) * (b[0] - a[0]) + (point[1] - a[1]) * (b[1] - a[1])) / length
    share = min(max(share, Decimal(0)), Decimal(1))
    return squared(point, (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])))


def to_polygon(point, polygon):
    turns = [cross(a, b, point) for a, b in edges(polygon)]
    if all(t > SAME for t in turns) or all(t < -SAME for t in turns):
        return Decimal(0)
    return min(to_segment(point, a, b) for a, b in edges(polygon))


def cross_each_other(a, b, c, d):
    return cross(a, b, c) * cross(a, b, d) < -SAME and cross(c, d, a) * cross(c, d, b) < -SAME


def reference_touch(a, b):
    p, q = corners(a), corners(b)
    if any(to_polygon(c, q) <= SAME for c in p) or any(to_polygon(c, p) <= SAME for c in q):
        return True
    return any(cross_each_other(*e, *f) for e, f in product(edges(p), edges(q)))


def random_rectangles(seed, count):
    rng = random.Random(seed)
    ways = [(1, 0), (0, -3), (3, 4), (-8, 6), (5, -12), (1, 1), (2, 1), (-3, 7), (1, -1), (-1, 2)]
    for _ in range(count):
        yield [
            PlaneRectangle(
                (rng.randint(-20, 20), rng.randint(-20, 20)),
                rng.choice(ways),
                rng.choice([0, 5, 10, 20, 30]),
                rng.choice([0, 4, 10, 15, 20]),
                rng.choice([0, 0, 0, 10, -5, 7]),
            )
            for _ in range(2)
        ]


@pytest.mark.full
def test_circles_against_a_hundred_digits_of_every_corner():
    seen, touching = set(), 0
    with localcontext(prec=DIGITS):
        for rectangle, other in random_rectangles(7, 1500):
            centre, polygon = other.centre, corners(rectangle)
            point = tuple(map(Decimal, centre))
            near = to_polygon(point, polygon)
            for radius in {
                0,
                5,
                int(near.sqrt()),
                round(near.sqrt()),
                int(near.sqrt()) + 1,
            }:
                inside = near <= radius**2 + SAME
                touching += abs(near - radius**2) <= SAME < near
                seen.add(inside)
                assert within_circle(rectangle, centre, radius) is inside
    assert seen == {False, True}
    assert touching > 100


@pytest.mark.long
def test_rectangles_against_a_hundred_digits_of_every_corner():
    found = []
    with localcontext(prec=DIGITS):
        for a, b in random_rectangles(11, 2500):
            touch = reference_touch(a, b)
            found.append(touch)
            assert rectangles_touch(a, b) is touch
    assert 500 < sum(found) < 2000


@pytest.mark.parametrize("heading", [(1, 0), (4, 0), (0, 1), (0, -7)])
def test_upright_rectangles_are_those_of_plain_intervals(heading):
    upright = heading[0] == 0
    for a, b, c, d in product((0, 20), (10, 40), (15, 25, 30, 31), (0, 15, 20, 21)):
        size = {"length": 20, "width": 40}
        one, other = (
            PlaneRectangle((a, b), heading, **size),
            PlaneRectangle((a + c, b + d), (1, 0), 40, 20),
        )
        half_x, half_y = (20, 10) if upright else (10, 20)
        assert rectangles_touch(one, other) == (c <= half_x + 20 and d <= half_y + 10)


def test_1943_6_2_a_base_that_touches_the_circle_is_partly_within():
    base = PlaneRectangle((0, 0), (1, 0), length=40, width=20)
    assert within_circle(base, (160, 0), 140)
    assert not within_circle(base, (161, 0), 140)
    # A corner is on the circle: 84^2 + 112^2 = 140^2.
    assert within_circle(base, (20 + 84, 10 + 112), 140)
    assert not within_circle(base, (20 + 84, 10 + 113), 140)


def test_1943_6_2_strip_of_240_yards_straight_ahead():
    strip = strip_ahead((0, 0), (0, -1), width=80, depth=240)

    def base(x, y):
        return rectangles_touch(strip, PlaneRectangle((x, y), (1, 0), 40, 20))

    assert base(0, -120)
    assert base(0, -250)
    assert not base(0, -251)
    assert base(0, 10)
    assert not base(0, 11)
    assert base(60, -120)
    assert not base(61, -120)


def test_a_strip_along_a_diagonal_keeps_its_exact_depth():
    strip = strip_ahead((0, 0), (1, 1), width=80, depth=240)
    # 240 yards along the diagonal end 169.7 yards east: 57,600 is the square of 240.
    for k, within in ((169, True), (170, False)):
        assert rectangles_touch(strip, PlaneRectangle((k, k), (1, 0), 0, 0)) is within
        assert (squared_distance((0, 0), (k, k)) <= 240**2) is within


@given(points, headings, measures, measures)
def test_a_strip_is_a_rectangle_whose_near_side_is_the_front(front, heading, width, depth):
    strip = strip_ahead(front, heading, width, depth)
    assert within_circle(strip, front, 0)
    x, y = front
    behind = (x - heading[0], y - heading[1])
    assert not within_circle(strip, behind, 0)
    n = heading[0] ** 2 + heading[1] ** 2
    assert within_circle(strip, (x + heading[0], y + heading[1]), 0) == (n <= depth**2)
    # A strip laid back from the far end, in the opposite direction, touches the first.
    if heading[0] * heading[1] == 0:
        unit = tuple((v > 0) - (v < 0) for v in heading)
        end = (x + unit[0] * depth, y + unit[1] * depth)
        assert rectangles_touch(strip_ahead(end, (-heading[0], -heading[1]), width, depth), strip)


@pytest.mark.parametrize("power", range(2, 60))
def test_nearest_misses_are_decided_in_integers(power):
    # p / q runs through the best rational approximations of the root of 2, alternately above and
    # below it.
    p, q = 1, 1
    for _ in range(power):
        p, q = p + 2 * q, p + q
    above = p * p > 2 * q * q
    assert above is bool(power % 2)
    point = PlaneRectangle((q, q), (2, 5), 0, 0)
    assert within_circle(point, (0, 0), p) is above
    assert rectangles_touch(strip_ahead((0, 0), (1, 1), 0, p), point) is above
    slab = PlaneRectangle((0, 0), (1, 1), 2 * p, 2 * p)
    assert rectangles_touch(slab, PlaneRectangle((q, q), (3, 4), 0, 0)) is above


@given(rectangles, points, st.integers(0, 400))
def test_larger_circles_hold_more(rectangle, centre, radius):
    assert within_circle(rectangle, centre, radius + 1) or not within_circle(
        rectangle, centre, radius
    )


@given(rectangles, points, st.integers(0, 300), points, st.integers(0, 3))
def test_nothing_changes_when_all_is_moved_and_turned_by_quarters(
    rectangle, centre, radius, by, quarters
):
    def turn(v):
        for _ in range(quarters):
            v = (-v[1], v[0])
        return v

    def move(p):
        return tuple(a + b for a, b in zip(turn(p), by, strict=True))

    moved = PlaneRectangle(
        move(rectangle.centre),
        turn(rectangle.heading),
        rectangle.length,
        rectangle.width,
        rectangle.ahead,
    )
    assert within_circle(moved, move(centre), radius) == within_circle(rectangle, centre, radius)


@given(rectangles, rectangles, st.integers(1, 5))
@pytest.mark.full
def test_touching_is_mutual_and_heading_length_means_nothing(a, b, times):
    longer = PlaneRectangle(
        a.centre, (a.heading[0] * times, a.heading[1] * times), a.length, a.width, a.ahead
    )
    back = PlaneRectangle(a.centre, (-a.heading[0], -a.heading[1]), a.length, a.width, -a.ahead)
    aside = PlaneRectangle(b.centre, (-b.heading[1], b.heading[0]), b.width, b.length)
    assert rectangles_touch(a, b) == rectangles_touch(b, a) == rectangles_touch(longer, b)
    assert rectangles_touch(a, b) == rectangles_touch(back, b)
    assert rectangles_touch(a, a)
    straight = PlaneRectangle(b.centre, b.heading, b.length, b.width)
    assert rectangles_touch(a, aside) == rectangles_touch(a, straight)


@given(points, rectangles, st.integers(0, 300))
def test_a_point_is_within_a_circle_by_squared_distance(centre, rectangle, radius):
    point = PlaneRectangle(rectangle.centre, rectangle.heading, 0, 0)
    near = squared_distance(rectangle.centre, centre) <= radius**2
    assert within_circle(point, centre, radius) == near


def test_shapes_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="nowhere"):
        PlaneRectangle((0, 0), (0, 0), 1, 1)
    with pytest.raises(ValueError, match="width"):
        PlaneRectangle((0, 0), (1, 0), 1, -1)
    with pytest.raises(ValueError, match="length"):
        strip_ahead((0, 0), (1, 0), 1, -1)
    with pytest.raises(ValueError, match="radius"):
        within_circle(PlaneRectangle((0, 0), (1, 0), 1, 1), (0, 0), -1)


@given(rectangles, rectangles, points, st.integers(0, 400), st.sampled_from((2, 7, 12, 10**6)))
def test_a_table_drawn_smaller_is_the_same_table_in_fractions_of_a_yard(a, b, point, radius, parts):
    def small(measure):
        return Fraction(measure, parts)

    def smaller(r):
        return PlaneRectangle(
            tuple(map(small, r.centre)), r.heading, small(r.length), small(r.width), small(r.ahead)
        )

    near = tuple(map(small, point))
    assert rectangles_touch(smaller(a), smaller(b)) == rectangles_touch(a, b)
    assert within_circle(smaller(a), near, small(radius)) == within_circle(a, point, radius)
