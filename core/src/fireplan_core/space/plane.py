"""The plane of a miniatures table: points, rectangles and strips in exact yards.

The direction of a rectangle is an integer vector, not an angle. x grows eastward, y southward.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, TypeAlias

from attrs import Attribute, field, frozen, validators

from fireplan_core.space.hexes import PLACE

Yards: TypeAlias = int | Fraction
"""An exact length in yards; integer lengths may be an int or an equal Fraction."""
Point: TypeAlias = Annotated[tuple[Yards, Yards], PLACE]
"""A point (x east, y south) in yards."""
Heading: TypeAlias = tuple[int, int]
"""A direction on the table as a vector (east, south), other than (0, 0)."""


def _points_somewhere(_rectangle: object, _attribute: Attribute[Heading], heading: Heading) -> None:
    if heading == (0, 0):
        raise ValueError("a heading of (0, 0) points nowhere")


@frozen
class PlaneRectangle:
    """A rectangle in the plane: a base, a marker or a strip of ground.

    >>> PlaneRectangle((0, 0), heading=(0, -1), length=6, width=4)
    PlaneRectangle(centre=(0, 0), heading=(0, -1), length=6, width=4, ahead=0)
    """

    centre: Point
    """The reference point of the rectangle, which is its middle unless ``ahead`` moves it."""
    heading: Heading = field(validator=_points_somewhere)
    """The direction of the rectangle, as a vector other than (0, 0)."""
    length: Yards = field(validator=validators.ge(0))
    """The size along the heading, in yards; it may be 0."""
    width: Yards = field(validator=validators.ge(0))
    """The size across the heading, in yards; it may be 0."""
    ahead: Yards = 0
    """The distance of the middle ahead of ``centre`` along the heading, in half yards.

    It is negative if the middle lies behind. Storing this distance keeps the middle exact even if
    its coordinates are not rational.
    """


def yards(measure: int | str | Fraction) -> Yards:
    """Return an exact length in yards, as an int if possible, otherwise as a Fraction.

    Raises ValueError for text that is not a number.

    >>> yards("3.5"), yards("4")
    (Fraction(7, 2), 4)
    """
    exact = Fraction(measure)
    return int(exact) if exact.denominator == 1 else exact


def squared_distance(a: Point, b: Point) -> Yards:
    """Return the squared distance between two points, in square yards.

    >>> squared_distance((0, 0), (30, 40))
    2500
    """
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def strip_ahead(
    front_centre: Point, heading: Heading, width: Yards, depth: Yards
) -> PlaneRectangle:
    """Return the strip straight ahead of a front edge, with this width and depth in yards.

    ``front_centre`` is the middle of the front edge, which is the near edge of the strip. Raises
    ValueError if the heading is (0, 0) or a size is negative.

    >>> strip_ahead((0, 0), (0, -1), width=6, depth=10).length
    10
    """
    return PlaneRectangle(front_centre, heading, length=depth, width=width, ahead=depth)
