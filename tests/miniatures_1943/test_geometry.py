"""Measuring on the table: exact answers against an independent high-precision check, and contact by
hand.
"""

import random
from decimal import Decimal, getcontext
from fractions import Fraction

import pytest

from fireplan_core.space import PlaneRectangle
from fireplan_miniatures_1943.geometry import (
    Surd,
    corners,
    exact,
    rectangles_touch,
    spot,
    squared_gap,
    swept_within_circle,
    through_circle,
    touch,
    within_circle,
)
from fireplan_miniatures_1943.terrain import TerrainPiece

getcontext().prec = 60
NOTHING = Decimal(10) ** -40
HEADINGS = [(1, 0), (0, -1), (3, 4), (1, 1), (2, -1), (-5, 7), (-12, -5), (1, 17), (101, 3)]


# --- an independent check: corners turned with 60 digits, gaps by clamping and by crossing edges -
def turned(r):
    hx, hy = map(Decimal, r.heading)
    long = (hx * hx + hy * hy).sqrt()
    ux, uy = hx / long, hy / long
    halves = Decimal(r.length) / 2, Decimal(r.width) / 2
    return [
        (
            r.centre[0] + a * halves[0] * ux - b * halves[1] * uy,
            r.centre[1] + a * halves[0] * uy + b * halves[1] * ux,
        )
        for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))
    ]


def from_point(r, point):
    """Return the distance from a point to a rectangle, after turning the table to the rectangle's
    axes.
    """
    hx, hy = map(Decimal, r.heading)
    long = (hx * hx + hy * hy).sqrt()
    dx, dy = point[0] - r.centre[0], point[1] - r.centre[1]
    along, across = abs(dx * hx + dy * hy) / long, abs(dx * hy - dy * hx) / long
    a, b = (
        max(along - Decimal(r.length) / 2, Decimal(0)),
        max(across - Decimal(r.width) / 2, Decimal(0)),
    )
    return (a * a + b * b).sqrt()


def crossing(p, q, r, s):
    def side(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    return side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0


def apart(a, b):
    """Return the distance between two rectangles: 0 if edges cross, otherwise the least from a
    corner.
    """
    ones, others = turned(a), turned(b)
    for k in range(4):
        for n in range(4):
            if crossing(ones[k - 1], ones[k], others[n - 1], others[n]):
                return Decimal(0)
    return min(
        [from_point(b, corner) for corner in ones] + [from_point(a, corner) for corner in others]
    )


def some(rng, spread=260):
    return PlaneRectangle(
        (rng.randint(-spread, spread), rng.randint(-spread, spread)),
        rng.choice(HEADINGS),
        length=rng.randint(1, 90),
        width=rng.randint(1, 90),
    )


def test_6_2_e_bases_in_circles_agree_with_the_check():
    rng = random.Random(62)
    inside = 0
    for _ in range(1000):
        base, spotted = some(rng), rng.random() < 0.5
        yards = 140 if spotted else 80
        gap = from_point(base, (0, 0)) - yards
        if abs(gap) > NOTHING:
            assert within_circle(base, (0, 0), yards) == (gap < 0), base
            inside += gap < 0
    assert 100 < inside < 900


def test_6_2_j_bases_in_strips_agree_with_the_check():
    rng = random.Random(63)
    inside = 0
    for _ in range(250):
        base, ground = (
            some(rng),
            PlaneRectangle((0, 0), rng.choice(HEADINGS), 240, rng.choice((40, 80, 120))),
        )
        gap = apart(base, ground)
        assert (
            rectangles_touch(base, ground)
            == touch(corners(base), corners(ground))
            == (gap <= NOTHING)
        ), base
        inside += gap == 0
    assert 25 < inside < 225


def test_6_4_f_gaps_between_bases_and_segments_agree_with_the_check():
    rng = random.Random(64)
    for _ in range(75):
        base, building = some(rng, 150), some(rng, 150)
        gap = squared_gap(corners(base), corners(building))
        wanted = apart(base, building) ** 2
        assert abs(Decimal(float(gap)) - wanted) < Decimal("1e-6") * (1 + wanted)
        # The limit is 100 yards: the exact gap must be on the right side of it.
        if abs(wanted - 10_000) > NOTHING:
            assert (gap <= 10_000) == (wanted < 10_000)


def test_6_4_h_gaps_to_lines_agree_with_the_check():
    rng = random.Random(65)
    for _ in range(40):
        base = some(rng, 150)
        ends = tuple((rng.randint(-150, 150), rng.randint(-150, 150)) for _ in range(2))
        gap = squared_gap(corners(base), TerrainPiece("wire", "wire", ends=ends).shape())
        # The nearest of the line's sampled points is at most one step farther away than the line
        # itself.
        steps = [Fraction(k, 2000) for k in range(0, 2001, 10)]
        points = [tuple(a + (b - a) * t for a, b in zip(*ends, strict=True)) for t in steps]
        near = min(
            from_point(base, tuple(Decimal(p.numerator) / p.denominator for p in point))
            for point in points
        )
        step = Decimal(sum((a - b) ** 2 for a, b in zip(*ends, strict=True))).sqrt() / 200
        root = Decimal(max(float(gap), 0)).sqrt()
        assert -Decimal("1e-6") <= near - root <= step


def test_6_2_f_moving_bases_agree_with_the_check():
    rng = random.Random(66)
    caught = 0
    for _ in range(200):
        base, to, radius = (
            some(rng, 220),
            (rng.randint(-220, 220), rng.randint(-220, 220)),
            rng.choice((0, 5, 80, 140)),
        )
        # The distance along the path is convex: narrow down its minimum by thirds.
        low, high = Decimal(0), Decimal(1)

        def far(share, base=base, to=to):
            dx, dy = (share * (b - a) for a, b in zip(base.centre, to, strict=True))
            return from_point(base, (-dx, -dy))

        for _ in range(120):
            a, b = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, b) if far(a) <= far(b) else (a, high)
        gap = far((low + high) / 2) - radius
        if abs(gap) > Decimal("1e-12"):
            assert swept_within_circle(base, to, (0, 0), radius) == (gap < 0), (base, to)
            caught += gap < 0
    assert 30 < caught < 195


def test_6_2_f_a_base_that_passes_along_the_edge_touches_it():
    # The base is 40 yards wide and moves east: its southern flank is 10 yards south of its path,
    # 140 yards from the centre.
    base = PlaneRectangle((-300, -150), (0, -1), length=20, width=40)
    assert swept_within_circle(base, (300, -150), (0, 0), 140)
    assert not swept_within_circle(
        PlaneRectangle((-300, -151), (0, -1), length=20, width=40), (300, -151), (0, 0), 140
    )
    # The radius does not matter: this centre is between the paths of the corners.
    assert swept_within_circle(base, (300, -150), (0, -150), 0)
    # Neither end is near the barrage.
    assert not within_circle(base, (0, 0), 140)


@pytest.mark.parametrize("far", [0, 10**9], ids=["near", "far away"])
@pytest.mark.parametrize("bit", [Fraction(0), Fraction(1, 10**14), Fraction(1, 10**40)])
def test_6_2_e_no_rounding_decides_at_the_edge(bit, far):
    # The base faces along (3, 4) and reaches 10 yards to either flank, so its flank is 140 yards
    # from a point 150 yards to the side.
    for off, touches in ((bit, not bit), (-bit, True)):
        base = PlaneRectangle(
            (far - 120 - off * 4 / 5, far + 90 + off * 3 / 5), (3, 4), length=20, width=20
        )
        assert within_circle(base, (far, far), 140) is touches
        assert swept_within_circle(base, base.centre, (far, far), 140) is touches
        beside = PlaneRectangle((far, far), (3, 4), length=20, width=280)
        assert rectangles_touch(base, beside) is touches


def test_6_2_e_no_rounding_decides_just_short_of_a_base():
    rng = random.Random(3)
    bit = Fraction(1, 10**40)
    for _ in range(40):
        base = some(rng)
        short = Fraction(int(from_point(base, (0, 0)) * 10**40), 10**40)
        if short:
            assert within_circle(base, (0, 0), short + bit)
            assert not within_circle(base, (0, 0), short - bit)


@pytest.mark.parametrize(
    ("a", "b", "squared"),
    [
        # The rectangles are side by side, 10 yards apart.
        (PlaneRectangle((0, 0), (0, 1), 20, 40), PlaneRectangle((50, 0), (0, 1), 20, 40), 100),
        # Along (3, 4): each edge is 10 yards from its centre, and the centres are 50 yards apart.
        (PlaneRectangle((0, 0), (3, 4), 20, 40), PlaneRectangle((30, 40), (3, 4), 20, 40), 900),
        # The rectangles touch.
        (
            PlaneRectangle((0, 0), (3, 4), 20, 40),
            PlaneRectangle((12, 16), (3, 4), 20, 40),
            0,
        ),
        # The nearest corners are at (20, 10) and (23, 14).
        (PlaneRectangle((0, 0), (0, 1), 20, 40), PlaneRectangle((43, 24), (0, 1), 20, 40), 25),
        # One rectangle is inside the other.
        (
            PlaneRectangle((0, 0), (1, 1), 20, 20),
            PlaneRectangle((0, 0), (2, 7), 4, 4),
            0,
        ),
    ],
)
def test_6_4_f_gaps_by_hand(a, b, squared):
    assert squared_gap(corners(a), corners(b)) == exact(squared)


def test_6_4_f_a_diamond_is_measured_at_its_corner():
    # Half the diagonal of a 20-yard square is 10 sqrt(2), so from 50 yards away the squared gap is
    # (50 - 10 sqrt 2)^2 = 2700 - 1000 sqrt 2.
    gap = squared_gap(corners(PlaneRectangle((0, 0), (1, 1), 20, 20)), (spot((50, 0)),))
    assert gap == Surd(((1, Fraction(2700)), (2, Fraction(-1000))))


def test_6_4_f_signs_of_nearly_equal_roots_are_found():
    # The sum of sqrt 2 and sqrt 3 differs from this fraction by less than 1e-32, far below the
    # precision of a float.
    roots = Surd(((2, Fraction(1)), (3, Fraction(1))))
    near = Fraction("3.14626436994197234232913506571557")  # the first 32 decimals, truncated
    assert roots > near
    assert roots < near + Fraction(1, 10**32)
    assert roots * roots == Surd(((1, Fraction(5)), (6, Fraction(2))))
    with pytest.raises(ValueError, match="irrational"):
        roots.rational()


@pytest.mark.parametrize(
    ("start", "end", "part", "through"),
    [
        ((-200, 0), (200, 0), (0, 1), True),
        ((-200, 80), (200, 80), (0, 1), False),  # the line touches the edge
        ((-200, 79), (200, 79), (0, 1), True),
        ((-200, 0), (-80, 0), (0, 1), False),  # the line ends at the edge
        ((-200, 0), (-79, 0), (0, 1), True),
        ((0, 0), (0, 0), (0, 1), True),
        # This part of the line ends at (-80, 0).
        ((-200, 0), (200, 0), (0, Fraction(3, 10)), False),
        ((-200, 0), (200, 0), (0, Fraction(31, 100)), True),
    ],
)
def test_6_4_e_lines_through_a_circle(start, end, part, through):
    assert through_circle(start, end, (0, 0), 80, tuple(map(Fraction, part))) == through
