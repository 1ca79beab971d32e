"""The plane of a miniatures table, in yards and fractions of a yard: points, rectangles and strips, all exact.

A rectangle points along an integer vector, not an angle. x grows eastward, y southward.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, TypeAlias

from attrs import Attribute, field, frozen, validators

from fireplan_core.space.hexes import PLACE

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

    `length` lies along the heading and `width` across it, both in yards; either may be 0, which
    makes a segment or a point.
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
    """Return a measure exactly, as a whole number where it is one.

    Raises ValueError for text that is no number.
    """
    exact = Fraction(measure)
    return int(exact) if exact.denominator == 1 else exact


def squared_distance(a: Point, b: Point) -> Yards:
    """Return the squared distance between two points, in square yards."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def strip_ahead(front_centre: Point, heading: Heading, width: Yards, depth: Yards) -> Rectangle:
    """Return the area straight ahead of a front edge: `width` yards across, `depth` yards deep.

    `front_centre` is the middle of that edge, which is the near edge of the strip. Raises
    ValueError when the heading is (0, 0), or a measure is negative.
    """
    return Rectangle(front_centre, heading, length=depth, width=width, ahead=depth)
