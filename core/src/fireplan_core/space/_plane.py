"""The plane of a miniatures table, in yards and fractions of a yard: points, rectangles and circles, decided exactly.

A rectangle points along an integer vector, not an angle, so every quantity in here is of the form
``a + b * sqrt(n)`` with whole numbers or fractions, and its sign can be worked out in those. No float decides whether a
base is touched. x grows eastward, y southward.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, TypeAlias

from attrs import Attribute, field, frozen, validators

from fireplan_core.space._hexes import PLACE

Yards: TypeAlias = int | Fraction
"""A measure on the table, exact; whole ones are of either type and equal."""
Point: TypeAlias = Annotated[tuple[Yards, Yards], PLACE]
"""(x east, y south) in yards."""
Heading: TypeAlias = tuple[int, int]
"""A way on the table: (east, south), of any length but 0."""


def _points_somewhere(_rectangle: object, _attribute: Attribute[Heading], heading: Heading) -> None:
    if heading == (0, 0):
        raise ValueError("a heading of (0, 0) points nowhere")


@frozen
class Rectangle:
    """A rectangle of the plane: a base, a marker, a strip of ground.

    `length` lies along the heading and `width` across it, both in yards; either may be 0, which makes a
    segment or a point.
    """

    centre: Point
    """Say where the rectangle is placed; its middle, unless it is set `ahead`."""
    heading: Heading = field(validator=_points_somewhere)
    """The way it points, as a vector of any length but 0."""
    length: Yards = field(validator=validators.ge(0))
    width: Yards = field(validator=validators.ge(0))
    ahead: Yards = 0
    """Half yards by which the middle lies ahead of `centre` along the heading (behind, if negative). A
    middle that lies off the whole yards stays exact in this way."""


def yards(measure: int | str | Fraction) -> Yards:
    """Return a measure exactly, as a whole number where it is one. Raises ValueError for text that is no number."""
    exact = Fraction(measure)
    return int(exact) if exact.denominator == 1 else exact


def squared_distance(a: Point, b: Point) -> Yards:
    """Return the squared distance between two points, in square yards."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def strip_ahead(front_centre: Point, heading: Heading, width: Yards, depth: Yards) -> Rectangle:
    """Return the area straight ahead of a front edge: `width` yards across, `depth` yards deep.

    `front_centre` is the middle of that edge, which is the near edge of the strip. Raises ValueError when the heading
    is (0, 0), or a measure is negative.
    """
    return Rectangle(front_centre, heading, length=depth, width=width, ahead=depth)


def within_circle(rectangle: Rectangle, centre: Point, radius: Yards) -> bool:
    """Tell whether any part of a rectangle lies within `radius` yards of a point; touching counts.

    Raises ValueError when the radius is negative.
    """
    n = squared_distance(rectangle.heading, (0, 0))
    gaps = [(p, near) if _sign(p, -near, n) > 0 else (0, 0) for p, near in _sides(rectangle, centre)]
    return _reached(gaps[0], gaps[1], n, radius)


def rectangles_touch(a: Rectangle, b: Rectangle) -> bool:
    """Tell whether two rectangles have a point in common; touching counts.

    Two convex shapes are apart when, and only when, they are apart as seen along the direction of one of their edges.
    """
    for heading in (a.heading, b.heading):
        for axis in (heading, (-heading[1], heading[0])):
            if _apart(a, b, axis):
                return False
    return True


def _sides(rectangle: Rectangle, point: Point) -> tuple[tuple[Yards, Yards], tuple[Yards, Yards]]:
    """Return how far off the near sides lie, first along the heading, then across it.

    Each as (p, near) with the distance ``(p - near * sqrt(n)) / (2 * sqrt(n))`` yards, where n is the squared length of
    the heading. It is negative between the two sides.
    """
    (hx, hy), (cx, cy) = rectangle.heading, rectangle.centre
    dx, dy = point[0] - cx, point[1] - cy
    aside = dx * hy - dy * hx
    along, across = 2 * (dx * hx + dy * hy), 2 * max(aside, -aside)
    # Seen from ahead of the middle or from behind it: mirrored, the point always lies ahead.
    way = 1 if _sign(along, -rectangle.ahead, hx * hx + hy * hy) >= 0 else -1
    middle, length, width = way * rectangle.ahead, rectangle.length, rectangle.width
    return (way * along, middle + length), (across, width)


def _reached(a: tuple[Yards, Yards], b: tuple[Yards, Yards], n: Yards, radius: Yards) -> bool:
    """Tell whether the hypotenuse over two distances of `_sides`, each as (p, q), is at most `radius`."""
    if radius < 0:
        raise ValueError(f"a radius of {radius} is negative")
    (p, q), (r, s) = a, b
    return _sign(p * p + r * r + (q * q + s * s - 4 * radius * radius) * n, -2 * (p * q + r * s), n) <= 0


def _apart(a: Rectangle, b: Rectangle, axis: Heading) -> bool:
    """Tell whether the shadows of two rectangles on a line along `axis` have a gap between them."""
    n_a, n_b = squared_distance(a.heading, (0, 0)), squared_distance(b.heading, (0, 0))
    (middle_a, half_a), (middle_b, half_b) = _shadow(a, axis), _shadow(b, axis)
    off = 2 * ((b.centre[0] - a.centre[0]) * axis[0] + (b.centre[1] - a.centre[1]) * axis[1])
    # The gap on either side of a, times n_a * n_b to clear the roots below the line.
    for way in (1, -1):
        near_a, near_b = -way * middle_a - half_a, way * middle_b - half_b
        if _sign(way * off * n_a * n_b, near_a * n_b, n_a, near_b * n_a, n_b) > 0:
            return True
    return False


def _shadow(rectangle: Rectangle, axis: Heading) -> tuple[Yards, Yards]:
    """Return where the shadow's middle lies from that of `centre`, and its half.

    Both are in half yards times the lengths of axis and heading.
    """
    (hx, hy), (ax, ay) = rectangle.heading, axis
    along, across = hx * ax + hy * ay, hx * ay - hy * ax
    half = rectangle.length * abs(along) + rectangle.width * abs(across)
    return rectangle.ahead * along, half


def _sign(a: Yards, b: Yards, m: Yards, c: Yards = 0, n: Yards = 1) -> int:
    """Return the sign (-1, 0 or 1) of ``a + b * sqrt(m) + c * sqrt(n)``, for m and n above 0."""
    if c == 0:
        # The larger square decides: (x > 0) - (x < 0) is the sign of x.
        signed = a * max(a, -a) + b * max(b, -b) * m
        return (signed > 0) - (signed < 0)
    first, second = _sign(a, b, m), 1 if c > 0 else -1
    if first * second >= 0:
        return first or second
    # Of opposite signs: the larger square decides again, and it has one root less.
    return first * _sign(a * a + b * b * m - c * c * n, 2 * a * b, m)
