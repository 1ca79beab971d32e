"""Hex cells: axial coordinates, directions, distances, lines, discs and grains.

Hexes are flat-topped and arranged in vertical columns. ``q`` counts columns eastward, ``r`` counts
hexes southward along a column, and y always grows southward. Distances, spans and membership are
computed in integers; floats appear only in conversions to and from points on the ground. ``layout``
handles printed labels, and ``vertices`` handles hex corners.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, TypeAlias

PLACE = "place"
"""The annotation that marks the types of places and distinguishes them from other tuples."""
Hex: TypeAlias = Annotated[tuple[int, int], PLACE]
"""The axial coordinates (q, r) of a hex."""

DIRECTIONS: Mapping[int, Hex] = MappingProxyType(
    {1: (0, -1), 2: (1, -1), 3: (1, 0), 4: (0, 1), 5: (-1, 1), 6: (-1, 0)}
)
"""Maps each direction to its axial vector: 1 to 6 are N, NE, SE, S, SW, NW (clockwise)."""

_SIXTH = 6
_COLUMN_STEP = math.sqrt(3) / 2  # distance between adjacent columns, in spacings
_TIE = 1e-9  # in spacings: distances that differ by less count as equal
# In squared spacings, just under (1/2)²: a point this close to a centre has no nearer centre.
_INSCRIBED = 0.249


def _vector(direction: int) -> Hex:
    try:
        return DIRECTIONS[direction]
    except KeyError:
        raise ValueError(
            f"direction {direction!r} is not one of 1..6 (N, NE, SE, S, SW, NW)"
        ) from None


def _not_negative(name: str, value: float) -> None:
    if value < 0:
        raise ValueError(f"{name} is {value}; it cannot be negative")


def opposite(direction: int) -> int:
    """Return the opposite direction; raises ValueError if the direction is not 1 to 6.

    >>> opposite(1)
    4
    """
    _vector(direction)
    return (direction + 2) % _SIXTH + 1


def step(hex_: Hex, direction: int, n: int = 1) -> Hex:
    """Return the hex ``n`` hexes away in a direction (backwards if ``n`` is negative).

    Raises ValueError if the direction is not 1 to 6.

    >>> step((0, 0), 1, 2)
    (0, -2)
    """
    dq, dr = _vector(direction)
    return hex_[0] + n * dq, hex_[1] + n * dr


def neighbours(hex_: Hex) -> tuple[Hex, ...]:
    """Return the six adjacent hexes, in the order of directions 1 to 6.

    >>> neighbours((0, 0))
    ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))
    """
    q, r = hex_
    return tuple((q + dq, r + dr) for dq, dr in DIRECTIONS.values())


def distance(a: Hex, b: Hex) -> int:
    """Return the distance between two hexes, in steps between adjacent hexes.

    >>> distance((0, 0), (3, -1))
    3
    """
    dq, dr = a[0] - b[0], a[1] - b[1]
    return max(abs(dq), abs(dr), abs(dq + dr))


def span(a: Hex, b: Hex) -> int:
    """Return the squared distance between the centres of two hexes, in hex spacings squared.

    It is an exact integer, so distances on the ground can be compared without floats.

    >>> span((0, 0), (1, 1))
    3
    """
    dq, dr = a[0] - b[0], a[1] - b[1]
    return dq * dq + dq * dr + dr * dr


def ring(hex_: Hex, radius: int) -> tuple[Hex, ...]:
    """Return the hexes at distance ``radius`` from a hex, clockwise from due north.

    Radius 1 gives the neighbours in the order of directions 1 to 6, and radius 0 gives the hex
    itself. Raises ValueError if the radius is negative.

    >>> len(ring((0, 0), 2))
    12
    """
    _not_negative("radius", radius)
    if radius == 0:
        return (hex_,)
    hexes: list[Hex] = []
    for direction in DIRECTIONS:
        corner = step(hex_, direction, radius)
        # The clockwise side that starts at a corner runs two directions further on.
        along = (direction + 1) % _SIXTH + 1
        hexes.extend(step(corner, along, i) for i in range(radius))
    return tuple(hexes)


def disc(hex_: Hex, radius: int) -> tuple[Hex, ...]:
    """Return the 1 + 3r(r + 1) hexes within ``radius`` of a hex, from the centre outwards.

    The rings follow one another in the order of ``ring``. Raises ValueError if the radius is
    negative.

    >>> len(disc((0, 0), 2))
    19
    """
    _not_negative("radius", radius)
    return tuple(h for r in range(radius + 1) for h in ring(hex_, r))


def line(hex_: Hex, direction: int, length: int) -> tuple[Hex, ...]:
    """Return ``length`` hexes in a straight line, beginning with the starting hex.

    Raises ValueError if the direction is not 1 to 6 or the length is negative.

    >>> line((0, 0), 1, 3)
    ((0, 0), (0, -1), (0, -2))
    """
    _not_negative("length", length)
    return tuple(step(hex_, direction, i) for i in range(length))


def hex_grain(centre_hex: Hex, direction: int, arm: int) -> tuple[Hex, ...]:
    """Return the straight line of 2 * arm + 1 hexes with a given hex in the middle.

    The hexes are ordered towards ``direction``. Raises ValueError if the direction is not 1 to 6 or
    the arm is negative.

    >>> hex_grain((0, 0), 1, 1)
    ((0, 1), (0, 0), (0, -1))
    """
    _not_negative("arm", arm)
    return line(step(centre_hex, direction, -arm), direction, 2 * arm + 1)


def alternate_grain(centre_hex: Hex, a: int, b: int, arm: int) -> tuple[Hex, ...]:
    """Return the zigzag of 2 * arm + 1 hexes along the hexside between directions a and b.

    The given hex is in the middle. The steps ahead of it are a, b, a and so on; the steps behind it
    are b, a, b and so on, backwards. The hexes are ordered towards a and b. Swapping a and b gives
    the zigzag on the other side of the same line. Raises ValueError if a and b are not adjacent
    directions or the arm is negative.

    >>> alternate_grain((0, 0), 1, 2, 1)
    ((-1, 1), (0, 0), (0, -1))
    """
    _not_negative("arm", arm)
    if distance(_vector(a), _vector(b)) != 1:
        raise ValueError(f"directions {a} and {b} are not adjacent, so they give no zigzag")
    forward, backward = [centre_hex], [centre_hex]
    for i in range(arm):
        forward.append(step(forward[-1], (a, b)[i % 2]))
        backward.append(step(backward[-1], (b, a)[i % 2], -1))
    return (*reversed(backward[1:]), *forward)


def rotate(hex_: Hex, centre_hex: Hex, sixths: int) -> Hex:
    """Return a hex rotated clockwise about another hex, by a number of sixths of a turn.

    >>> rotate((0, -2), (0, 0), 1)
    (2, -2)
    """
    q, r = hex_[0] - centre_hex[0], hex_[1] - centre_hex[1]
    for _ in range(sixths % _SIXTH):
        q, r = -r, q + r
    return centre_hex[0] + q, centre_hex[1] + r


def centre(hex_: Hex, spacing: float) -> tuple[float, float]:
    """Return the coordinates (x east, y south) of a hex's centre, in the unit of ``spacing``.

    ``spacing`` is the distance between the centres of adjacent hexes. The origin is the centre of
    hex (0, 0).

    >>> centre((0, 2), spacing=40.0)
    (0.0, 80.0)
    """
    q, r = hex_
    return q * _COLUMN_STEP * spacing, (r + q / 2) * spacing


def _squared(hex_: Hex, x: float, y: float) -> float:
    """Return the squared distance from a hex's centre to a point, both in units of the spacing."""
    cx, cy = centre(hex_, 1.0)
    return (cx - x) ** 2 + (cy - y) ** 2


_ABOUT = disc((0, 0), 1)


def nearest_hex(x: float, y: float, spacing: float) -> Hex:
    """Return the hex that contains a point, i.e. the hex with the nearest centre.

    A point on a hexside or corner belongs to the lowest (q, r), so the result does not depend on
    rounding. Raises ValueError if the spacing is not above 0.

    >>> nearest_hex(5.0, 75.0, spacing=40.0)
    (0, 2)
    """
    if spacing <= 0:
        raise ValueError(f"spacing is {spacing}; it must be above 0")
    px, py = x / spacing, y / spacing
    q = round(px / _COLUMN_STEP)
    r = round(py - q / 2)
    if _squared((q, r), px, py) < _INSCRIBED:
        return q, r
    around = {(q + dq, r + dr): _squared((q + dq, r + dr), px, py) for dq, dr in _ABOUT}
    least = min(around.values())
    return min(h for h, squared in around.items() if squared <= least + _TIE)


def hexes_touching(x: float, y: float, radius: float, spacing: float) -> tuple[Hex, ...]:
    """Return the hexes whose inscribed circles touch a circle around a point.

    A hex counts if the distance from its centre to the point is at most ``radius`` plus half the
    spacing. The hexes are in the order of a disc around the hex nearest to the point. A small
    circle at a corner, between three inscribed circles, touches none. Raises ValueError if the
    radius is negative or the spacing is not above 0.

    >>> sorted(hexes_touching(0.0, 0.0, 25.0, 40.0))
    [(-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0)]
    """
    _not_negative("radius", radius)
    middle = nearest_hex(x, y, spacing)
    px, py = x / spacing, y / spacing
    reach = radius / spacing + 0.5 + _TIE
    # A distance of d spacings is at most d / (sqrt(3) / 2) hexes, and the point is less than one
    # spacing from the centre of its hex.
    rings = math.ceil((reach + 1) / _COLUMN_STEP)
    return tuple(h for h in disc(middle, rings) if _squared(h, px, py) <= reach**2)
