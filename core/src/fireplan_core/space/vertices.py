"""Hex vertices, the corners where three hexes meet, and the spines that join them.

A vertex is the sorted triple of its hexes, so it needs no further coordinates. Apart from
``vertex_centre``, the geometry in this module is exact integer arithmetic. A spine is the hexside
that leads from a vertex to one of its three neighbouring vertices, and is named after its compass
direction.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import lru_cache
from typing import Annotated, Literal, TypeAlias

from attrs import frozen

from fireplan_core.space.hexes import PLACE, Hex, centre, distance, neighbours
from fireplan_core.space.layout import CoordinateError, Layout


@frozen
class Crossing:
    """A piece of a line: the hex that it crosses, or the two hexes whose common side it follows.

    The piece runs from ``enters / whole`` to ``leaves / whole`` of the line's length.

    >>> [piece.hexes for piece in sight_line((0, 0), (0, 2))]
    [((0, 0),), ((0, 1),), ((0, 2),)]
    """

    hexes: tuple[Hex, ...]
    enters: int
    leaves: int
    whole: int


# An observer reuses the same lines; the cache holds all lines from one hex on a three-board map.
@lru_cache(maxsize=2048)
def sight_line(start: Hex, end: Hex | Vertex) -> tuple[Crossing, ...]:
    """Return the pieces of the line from a hex's centre to another centre or a vertex, in order.

    Each piece begins where the previous piece ends. A hex that the line only touches at a corner
    has no piece. The two hexes of a side are sorted by (q, r). A line from a hex to itself is one
    piece of length 0.

    >>> [piece.hexes for piece in sight_line((0, 0), (0, 2))]
    [((0, 0),), ((0, 1),), ((0, 2),)]
    """
    return crossings(start, end)


def crossings(
    start: Hex, end: Hex | Vertex, among: frozenset[Hex] | None = None
) -> tuple[Crossing, ...]:
    """Return the pieces of the line from a hex's centre to another centre or a vertex, in order.

    With ``among``, pieces in other hexes may be omitted, which is faster. ``sight_line`` explains
    the pieces.

    >>> [piece.hexes for piece in crossings((0, 0), (1, 1))]
    [((0, 0),), ((0, 1), (1, 0)), ((1, 1),)]
    """
    # A centre lies at x = 3q, y = 2r + q, and its hex is |y| <= 1, |x + y| <= 2, |x - y| <= 2
    # around the centre. This stretches the map, but preserves straight lines and proportions
    # along them. All values are multiplied by the grain, which is 3 if a vertex is involved.
    ends: tuple[Hex, ...] = (end,) if isinstance(end[0], int) else end
    grain = len(ends)
    (ax, ay), (bx, by) = (
        _point(start, grain),
        (sum(xy) for xy in zip(*map(_point, ends), strict=True)),
    )
    dx, dy = bx - ax, by - ay
    slopes = (dy, dx + dy, dx - dy)
    whole = math.lcm(*(abs(slope) for slope in slopes if slope))
    # The part of the line in which each slope's coordinate changes by one unit.
    down, down_right, down_left = (whole // slope if slope else 0 for slope in slopes)
    # A line may run along a side, where both hexes count; ``among`` is then ignored.
    few = among if among is not None and all(slopes) else None
    pieces: dict[tuple[int, int], list[Hex]] = {}
    for hex_ in _near((ax, ay), (bx, by), grain, few):
        x, y = _point(hex_, grain)
        first, last = 0, whole
        for off, part, half in (
            (y - ay, down, 1),
            (x + y - ax - ay, down_right, 2),
            (x - y - ax + ay, down_left, 2),
        ):
            if part:
                middle, reach = off * part, half * grain * abs(part)
                first = max(first, middle - reach)
                last = min(last, middle + reach)
            elif abs(off) > half * grain:
                break
        else:
            if first < last:
                pieces.setdefault((first, last), []).append(hex_)
    return tuple(
        Crossing(tuple(sorted(hexes)), *span, whole) for span, hexes in sorted(pieces.items())
    )


def _point(hex_: Hex, grain: int = 1) -> tuple[int, int]:
    q, r = hex_
    return 3 * q * grain, (2 * r + q) * grain


def _near(
    start: tuple[int, int], end: tuple[int, int], grain: int, few: frozenset[Hex] | None
) -> Collection[Hex]:
    """Return candidates for the hexes that a line touches: in each column, the hexes near the line.

    With ``few``, return only hexes in ``few``: all of them if there are no more than columns.
    """
    (x0, y0), (x1, y1) = sorted((start, end))
    dx, dy = x1 - x0, y1 - y0
    # A column extends 2 units to either side of its middle, a hex 1 above and below its centre.
    columns = range(-((2 * grain - x0) // (3 * grain)), (x1 + 2 * grain) // (3 * grain) + 1)
    if few is not None and len(few) <= len(columns):
        return few
    hexes = []
    for q in columns:
        if dx:
            # All heights are multiplied by dx, to stay in integers.
            middle, reach = y0 * dx + dy * (3 * q * grain - x0), grain * (dx + 2 * abs(dy))
            lowest, highest = -((reach - middle) // (grain * dx)), (middle + reach) // (grain * dx)
        else:
            lowest, highest = y0 // grain, y1 // grain
        hexes += [(q, r) for r in range(-((q - lowest) // 2), (highest - q) // 2 + 1)]
    return hexes if few is None else [hex_ for hex_ in hexes if hex_ in few]


Vertex: TypeAlias = Annotated[tuple[Hex, Hex, Hex], PLACE]
"""A corner shared by three mutually adjacent hexes, as a tuple of the hexes in ascending order."""

Compass: TypeAlias = Literal["NE", "E", "SE", "SW", "W", "NW"]
"""The compass direction of a spine, seen from its vertex."""

_DIE = range(1, 7)
_CORNERS = 3
_HEXES_OF_A_SIDE = 2


def vertex(a: Hex, b: Hex, c: Hex) -> Vertex:
    """Return the vertex where three hexes meet.

    Raises ValueError if the hexes are not mutually adjacent.

    >>> vertex((0, 0), (0, -1), (1, -1))
    ((0, -1), (0, 0), (1, -1))
    """
    if not distance(a, b) == distance(b, c) == distance(a, c) == 1:
        raise ValueError(f"hexes {a}, {b} and {c} do not meet at one corner")
    return _meeting(a, b, c)


def _meeting(a: Hex, b: Hex, c: Hex) -> Vertex:
    first, second, third = sorted((a, b, c))
    return first, second, third


def vertices_of(hex_: Hex) -> tuple[Vertex, ...]:
    """Return the six corners of a hex, clockwise from the corner between N and NE.

    >>> vertices_of((0, 0))[0]
    ((0, -1), (0, 0), (1, -1))
    """
    around = neighbours(hex_)
    return tuple(_meeting(hex_, a, b) for a, b in zip(around, around[1:] + around[:1], strict=True))


def spines(vertex_: Vertex) -> tuple[tuple[Compass, Vertex], ...]:
    """Return a vertex's three spines, clockwise from north.

    Each spine is a pair of its compass direction and the vertex at its far end. Raises ValueError
    if the argument is not a vertex.

    >>> [compass for compass, far in spines(vertices_of((0, 0))[0])]
    ['NE', 'SE', 'W']
    """
    # In ascending order, the two hexes in the same column are adjacent, the northern hex first.
    # The third hex comes last if it lies to the east, and first if it lies to the west.
    a, b, c = vertex(*vertex_)
    if a[0] == b[0]:
        return ("NE", _across(a, c, b)), ("SE", _across(b, c, a)), ("W", _across(a, b, c))
    return ("E", _across(b, c, a)), ("SW", _across(a, c, b)), ("NW", _across(a, b, c))


def _across(a: Hex, b: Hex, third: Hex) -> Vertex:
    """Return the far end of the hexside between a and b, seen from the third hex."""
    return _meeting(a, b, (a[0] + b[0] - third[0], a[1] + b[1] - third[1]))


def along_spine(vertex_: Vertex, compass: str) -> Vertex:
    """Return the vertex at the far end of the spine in a compass direction.

    Raises ValueError if the vertex has no spine in that direction.

    >>> along_spine(vertices_of((0, 0))[0], "W")
    ((-1, 0), (0, -1), (0, 0))
    """
    ends = dict(spines(vertex_))
    for name, far in ends.items():
        if name == compass:
            return far
    raise ValueError(
        f"no spine leads {compass} from this vertex; its spines lead {', '.join(ends)}"
    )


def vertex_distance(a: Vertex, b: Vertex) -> int:
    """Return the number of hexsides on a shortest path from one vertex to another.

    >>> first, second, third, *_ = vertices_of((0, 0))
    >>> vertex_distance(first, second), vertex_distance(first, third)
    (1, 2)
    """
    # Vertices are points of the cubic grid whose coordinates sum to 1 or 2, seen along its
    # diagonal; a hexside changes one coordinate by one.
    return sum(abs(m - n) for m, n in zip(_cubic(a), _cubic(b), strict=True))


def _cubic(vertex_: Vertex) -> tuple[int, int, int]:
    q, r = sum(h[0] for h in vertex_), sum(h[1] for h in vertex_)
    rest = -q % 3
    return (q + rest) // 3, (r + rest) // 3, (rest - q - r) // 3


def stray(vertex_: Vertex, first_spine: str, die: int) -> Vertex:
    """Return the adjacent vertex on which fire lands if it strays by one vertex, given a d6 roll.

    On 1-2 fire strays along the spine ``first_spine``, on 3-4 along the next spine clockwise, and
    on 5-6 along the last. Raises ValueError if the vertex has no such spine or the die is not 1 to
    6.

    >>> corner = vertices_of((0, 0))[0]
    >>> stray(corner, "W", 6) == along_spine(corner, "SE")
    True
    """
    if die not in _DIE:
        raise ValueError(f"expected a die roll from 1 to 6, got {die}")
    first = along_spine(vertex_, first_spine)
    clockwise = [far for _, far in spines(vertex_)]
    return clockwise[(clockwise.index(first) + (die - 1) // 2) % len(clockwise)]


def vertex_centre(vertex_: Vertex, spacing: float) -> tuple[float, float]:
    """Return the coordinates (x east, y south) of a vertex, in the unit of ``spacing``.

    ``spacing`` is the distance between the centres of adjacent hexes. The origin is the centre of
    hex (0, 0).

    >>> x, y = vertex_centre(vertices_of((0, 0))[0], spacing=40.0)
    >>> round(x, 1), round(y, 1)
    (11.5, -20.0)
    """
    points = [centre(h, spacing) for h in vertex_]
    return sum(x for x, _ in points) / _CORNERS, sum(y for _, y in points) / _CORNERS


def vertex_label(vertex_: Vertex, layout: Layout) -> str:
    """Return the labels of a vertex's hexes from west to east, e.g. ``N18/N19/O19``.

    At the edge of a map, two labels are enough if only one hex off the map touches both hexes, e.g.
    ``A05/A06``.

    >>> board = Layout(lettered_columns(9), (1, 9), (1, 9))
    >>> vertex_label(vertices_of(board.middle)[0], board)
    'E4/E5/F4'
    """
    on_map = tuple(h for h in vertex_ if layout.on_map(h))
    return "/".join(
        layout.label(h) for h in (on_map if len(_hexes_beyond(on_map, layout)) == 1 else vertex_)
    )


def _hexes_beyond(side: tuple[Hex, ...], layout: Layout) -> list[Hex]:
    """Return the hexes off the map that are adjacent to both hexes of a side.

    Return an empty list unless the side has two hexes.
    """
    if len(side) != _HEXES_OF_A_SIDE:
        return []
    a, b = side
    return [h for h in neighbours(a) if distance(h, b) == 1 and not layout.on_map(h)]


def parse_vertex(text: str, layout: Layout) -> Vertex:
    """Return the vertex written as hex labels with slashes, in any order.

    Three labels are needed, or two at the edge of the map. Raises ``CoordinateError`` if a label is
    not in the layout or the hexes do not meet.

    >>> board = Layout(lettered_columns(9), (1, 9), (1, 9))
    >>> vertex_label(parse_vertex("D3/C3/C4", board), board)
    'C3/C4/D3'
    """
    hexes = tuple(layout.parse(label) for label in text.split("/"))
    beyond = _hexes_beyond(hexes, layout)
    if len(beyond) == 1:
        hexes = (*hexes, *beyond)
    if len(hexes) != _CORNERS:
        corner = vertex_label(vertices_of(layout.hexes()[0])[2], layout)
        raise CoordinateError(
            text,
            "a vertex is three hexes separated by slashes, or two at the edge of the map",
            corner,
        )
    a, b, c = hexes
    try:
        return vertex(a, b, c)
    except ValueError:
        nearest = min(vertices_of(a), key=lambda v: sum(distance(h, o) for h in v for o in (b, c)))
        hint = vertex_label(nearest, layout)
        raise CoordinateError(text, "these hexes do not meet at one corner", hint) from None
