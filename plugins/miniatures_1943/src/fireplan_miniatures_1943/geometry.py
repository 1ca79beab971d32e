"""Exact geometry of rotated rectangles and lines: gaps, sweeps, lines through circles.

The corners of a rotated rectangle have coordinates with square roots. They are stored as sums of
roots (``Surd``) with an exact sign, so that rounding never decides which wall is nearer or whether
a base is touched. Floating-point numbers are tried first and decide if their error cannot change
the answer.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import gcd, isqrt
from typing import Any, TypeVar

import attrs

from fireplan_core.space import PlaneRectangle, Point, Yards


@attrs.frozen(order=False)
class Surd:
    """A sum of rational multiples of square roots of distinct square-free numbers, in order.

    Such a sum is 0 only if it has no terms, so equal numbers have equal terms.
    """

    terms: tuple[tuple[int, Fraction], ...] = ()

    @classmethod
    def of(cls, terms: dict[int, Fraction]) -> Surd:
        """Return the sum of these terms, leaving out zero terms."""
        return cls(tuple(sorted((root, share) for root, share in terms.items() if share)))

    def __add__(self, other: Surd | Yards) -> Surd:
        terms = dict(self.terms)
        for root, share in exact(other).terms:
            terms[root] = terms.get(root, Fraction(0)) + share
        return Surd.of(terms)

    def __sub__(self, other: Surd | Yards) -> Surd:
        return self + exact(other) * -1

    def __mul__(self, other: Surd | Yards) -> Surd:
        terms: dict[int, Fraction] = {}
        for a, x in self.terms:
            for b, y in exact(other).terms:
                common = gcd(a, b)
                root = a * b // common**2
                terms[root] = terms.get(root, Fraction(0)) + x * y * common
        return Surd.of(terms)

    def __lt__(self, other: Surd | Yards) -> bool:
        return (self - other).sign() < 0

    def __le__(self, other: Surd | Yards) -> bool:
        return (self - other).sign() <= 0

    def __gt__(self, other: Surd | Yards) -> bool:
        return (self - other).sign() > 0

    def __ge__(self, other: Surd | Yards) -> bool:
        return (self - other).sign() >= 0

    def sign(self) -> int:
        """Return the sign (-1, 0 or 1), refining the roots until the sum is clearly not 0."""
        if len(self.terms) <= 1:
            return 0 if not self.terms else (1 if self.terms[0][1] > 0 else -1)
        bits = 32
        while True:
            low = high = Fraction(0)
            for root, share in self.terms:
                under = isqrt(root << 2 * bits)
                over = under if root == 1 else under + 1
                ends = (share * under, share * over)
                low, high = low + min(ends), high + max(ends)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            bits *= 2

    def rational(self) -> Fraction:
        """Return the number as a fraction; raise ``ValueError`` if it is irrational."""
        if any(root != 1 for root, _ in self.terms):
            raise ValueError(f"{self} is irrational")
        return self.terms[0][1] if self.terms else Fraction(0)

    def __float__(self) -> float:
        """Return a floating-point approximation, for pictures and first guesses."""
        return float(sum(float(share) * root**0.5 for root, share in self.terms))


Number = TypeVar("Number", Surd, float)
Pair = tuple[Number, Number]
"""A point with exact or floating-point coordinates."""
Spot = tuple[Surd, Surd]
"""A point with exact coordinates."""
ROUNDING = 1e-9
"""Relative error allowed in a squared distance, per square of the largest coordinate."""


def exact(value: Surd | Yards) -> Surd:
    """Return a number as a ``Surd``."""
    return value if isinstance(value, Surd) else Surd.of({1: Fraction(value)})


def spot(point: tuple[Yards, Yards]) -> Spot:
    """Return a point with exact coordinates."""
    return exact(point[0]), exact(point[1])


@lru_cache(maxsize=1024)
def _square_free(n: int) -> tuple[int, int]:
    """Return ``(s, m)`` such that n = s * s * m and m has no square factors."""
    square, factor = 1, 2
    while factor * factor <= n:
        while n % factor**2 == 0:
            n //= factor**2
            square *= factor
        factor += 1
    return square, n


@lru_cache(maxsize=4096)
def corners(rectangle: PlaneRectangle) -> tuple[Spot, ...]:
    """Return the corners of a rectangle, in order around its edge.

    A rectangle without width or length has two corners, and a point has one.
    """
    hx, hy = rectangle.heading
    n = hx * hx + hy * hy
    square, free = _square_free(n)
    unit = Surd.of({free: Fraction(square, n)})  # 1 / sqrt(n)
    spots: list[Spot] = []
    for along, across in ((1, 1), (1, -1), (-1, -1), (-1, 1)):
        a = Fraction(rectangle.ahead + along * rectangle.length) / 2
        b = Fraction(across * rectangle.width) / 2
        corner = (
            unit * (a * hx - b * hy) + rectangle.centre[0],
            unit * (a * hy + b * hx) + rectangle.centre[1],
        )
        if corner not in spots:
            spots.append(corner)
    return tuple(spots)


def _less(a: Pair[Number], b: Pair[Number]) -> Pair[Number]:
    return a[0] - b[0], a[1] - b[1]


def dot(a: Pair[Number], b: Pair[Number]) -> Number:
    """Return the scalar product of two vectors."""
    return a[0] * b[0] + a[1] * b[1]


def cross(a: Spot, b: Spot) -> Surd:
    """Return the z component of the cross product of two plane vectors."""
    return a[0] * b[1] - a[1] * b[0]


def _squared(a: Pair[Number], b: Pair[Number]) -> Number:
    return dot(_less(a, b), _less(a, b))


def _edges(shape: tuple[Pair[Number], ...]) -> list[tuple[Pair[Number], Pair[Number]]]:
    return [(shape[k - 1], corner) for k, corner in enumerate(shape)]


def nearest_on(point: Pair[Number], start: Pair[Number], end: Pair[Number]) -> Pair[Number]:
    """Return the point nearest to ``point`` on the segment from ``start`` to ``end``."""
    line = _less(end, start)
    squared: Any = dot(line, line)
    along = dot(_less(point, start), line)
    if squared <= 0 or along <= 0:
        return start
    if along >= squared:
        return end
    share = along * (1 / (squared.rational() if isinstance(squared, Surd) else squared))
    return start[0] + line[0] * share, start[1] + line[1] * share


def nearest_point(shape: tuple[Spot, ...], point: Spot) -> Spot:
    """Return the point of a convex shape nearest to ``point``, or ``point`` if it is inside."""
    if touch(shape, (point,)):
        return point
    near = [nearest_on(point, *edge) for edge in _edges(shape)]
    return min(near, key=lambda candidate: _squared(candidate, point))


def squared_gap(a: tuple[Pair[Number], ...], b: tuple[Pair[Number], ...]) -> Number:
    """Return the squared distance between two convex shapes, given by their corners.

    The distance is 0 if they touch.
    """
    if touch(a, b):
        return a[0][0] * 0
    return min(
        _squared(nearest_on(point, *edge), point)
        for points, shape in ((a, b), (b, a))
        for point in points
        for edge in _edges(shape)
    )


def touch(a: tuple[Pair[Number], ...], b: tuple[Pair[Number], ...]) -> bool:
    """Return whether two convex shapes, given by their corners, overlap or touch."""
    edges = [_less(end, start) for shape in (a, b) for start, end in _edges(shape)]
    # Points and collinear segments are separated along the direction of an edge.
    axes = [axis for x, y in edges for axis in ((x, y), (y * -1, x))]
    if len(a) == len(b) == 1:
        return a == b
    return not any(_separated(a, b, axis) for axis in axes)


def _separated(
    a: tuple[Pair[Number], ...], b: tuple[Pair[Number], ...], axis: Pair[Number]
) -> bool:
    first, second = [dot(point, axis) for point in a], [dot(point, axis) for point in b]
    return max(first) < min(second) or max(second) < min(first)


def within(a: tuple[Spot, ...], b: tuple[Spot, ...], distance: Yards) -> bool:
    """Return whether two convex shapes are at most ``distance`` yards apart."""
    first, second = (tuple([(float(x), float(y)) for x, y in shape]) for shape in (a, b))
    beyond = squared_gap(first, second) - float(distance) ** 2
    if (
        abs(beyond)
        > ROUNDING
        * max(abs(each) for each in (1.0, float(distance), *sum(first + second, ()))) ** 2
    ):
        return beyond < 0
    return squared_gap(a, b) <= distance**2


# Exact measurement is slow, and exact odds measure the same few bases again and again.
@lru_cache(maxsize=65_536)
def within_circle(rectangle: PlaneRectangle, centre: Point, radius: Yards) -> bool:
    """Return whether a rectangle is at most ``radius`` yards from a point.

    Raises ValueError if the radius is negative.
    """
    if radius < 0:
        raise ValueError(f"expected a radius of 0 yards or more, got {radius}")
    return within(corners(rectangle), (spot(centre),), radius)


@lru_cache(maxsize=65_536)
def rectangles_touch(a: PlaneRectangle, b: PlaneRectangle) -> bool:
    """Return whether two rectangles overlap or touch."""
    return within(corners(a), corners(b), 0)


def swept_within_circle(base: PlaneRectangle, to: Point, centre: Point, radius: int) -> bool:
    """Return whether a base comes within ``radius`` yards of a point while moving to a new centre.

    Touching counts. The function moves the point in the opposite direction instead of the base.
    """
    if within_circle(base, centre, radius):
        return True
    back = centre[0] + base.centre[0] - to[0], centre[1] + base.centre[1] - to[1]
    return within(corners(base), tuple(dict.fromkeys((spot(centre), spot(back)))), radius)


def through_circle(
    start: Point, end: Point, centre: Point, radius: int, part: tuple[Fraction, Fraction]
) -> bool:
    """Return whether a part of the line between two points passes through a circle.

    ``part`` gives the start and end of that part as fractions of the line. Touching the edge does
    not count.
    """
    x, y = (a + (b - a) * part[0] - c for a, b, c in zip(start, end, centre, strict=True))
    dx, dy = ((b - a) * (part[1] - part[0]) for a, b in zip(start, end, strict=True))
    squared = dx * dx + dy * dy
    along = -(x * dx + y * dy)
    share = Fraction(0) if squared == 0 else min(max(along / squared, Fraction(0)), Fraction(1))
    return (x + share * dx) ** 2 + (y + share * dy) ** 2 < radius**2
