"""Hex vertices: the corners where three hexes meet, and the spines that join them.

A vertex is the sorted triple of its hexes, so it needs no coordinates of its own; all
geometry here is exact integer work on those triples.  A spine is the hexside that leads
from a vertex to one of its three neighbouring vertices, named by the compass.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from fireplan_core.space._hexes import PLACE, Hex, centre, distance, neighbours
from fireplan_core.space._layout import CoordinateError, Layout

Vertex: TypeAlias = Annotated[tuple[Hex, Hex, Hex], PLACE]
"""Three mutually adjacent hexes in ascending order: the corner they share."""

Compass: TypeAlias = Literal["NE", "E", "SE", "SW", "W", "NW"]
"""The way a spine leads from its vertex."""

_DIE = range(1, 7)
_CORNERS = 3


def vertex(a: Hex, b: Hex, c: Hex) -> Vertex:
    """Return the vertex where three hexes meet. Raises ValueError when the hexes are not mutually adjacent."""
    if not distance(a, b) == distance(b, c) == distance(a, c) == 1:
        raise ValueError(f"hexes {a}, {b} and {c} do not meet at one corner")
    return _meeting(a, b, c)


def _meeting(a: Hex, b: Hex, c: Hex) -> Vertex:
    first, second, third = sorted((a, b, c))
    return first, second, third


def vertices_of(hex_: Hex) -> tuple[Vertex, ...]:
    """Return the six corners of a hex, clockwise from the one between N and NE."""
    around = neighbours(hex_)
    return tuple(_meeting(hex_, a, b) for a, b in zip(around, around[1:] + around[:1], strict=True))


def spines(vertex_: Vertex) -> tuple[tuple[Compass, Vertex], ...]:
    """Return the three spines as (compass, far vertex), clockwise from north. ValueError for what is no vertex."""
    # Ascending order puts the two hexes of one column together, the northern first; the
    # third lies to the east (last) or to the west (first).
    a, b, c = vertex(*vertex_)
    if a[0] == b[0]:
        return ("NE", _across(a, c, b)), ("SE", _across(b, c, a)), ("W", _across(a, b, c))
    return ("E", _across(b, c, a)), ("SW", _across(a, c, b)), ("NW", _across(a, b, c))


def _across(a: Hex, b: Hex, third: Hex) -> Vertex:
    """Return the other end of the hexside between a and b, seen from the third hex."""
    return _meeting(a, b, (a[0] + b[0] - third[0], a[1] + b[1] - third[1]))


def along_spine(vertex_: Vertex, compass: str) -> Vertex:
    """Return the vertex at the far end of the spine that leads one way.

    Raises ValueError when no spine of this vertex leads that way.
    """
    found = dict(spines(vertex_))
    for name, far in found.items():
        if name == compass:
            return far
    raise ValueError(f"no spine leads {compass} from here; they lead {', '.join(found)}")


def stray(vertex_: Vertex, first_spine: str, die: int) -> Vertex:
    """Return where fire lands that strays one vertex: a die of six over three spines.

    1-2 is the spine named first, 3-4 the next clockwise, 5-6 the last. Raises ValueError when no spine has that name,
    or the die is not 1..6.
    """
    if die not in _DIE:
        raise ValueError(f"die {die} is not 1..6")
    first = along_spine(vertex_, first_spine)
    clockwise = [far for _, far in spines(vertex_)]
    return clockwise[(clockwise.index(first) + (die - 1) // 2) % len(clockwise)]


def vertex_centre(vertex_: Vertex, spacing: float) -> tuple[float, float]:
    """Return (x east, y south) of a vertex in the unit of `spacing`.

    `spacing` is the distance between the centres of adjacent hexes; the origin is the centre of hex (0, 0).
    """
    points = [centre(h, spacing) for h in vertex_]
    return sum(x for x, _ in points) / _CORNERS, sum(y for _, y in points) / _CORNERS


def vertex_label(vertex_: Vertex, layout: Layout) -> str:
    """Return the labels of the three hexes with slashes, west to east: N18/N19/O19.

    At the edge of a map two are enough, where the third hex is the one of the two that is off it: A05/A06.
    """
    on_map = tuple(h for h in vertex_ if layout.on_map(h))
    return "/".join(layout.label(h) for h in (on_map if len(_beyond(on_map, layout)) == 1 else vertex_))


def _beyond(side: tuple[Hex, ...], layout: Layout) -> list[Hex]:
    """Return the hexes off the map that touch both of two hexes of a side; none where these are not two."""
    if len(side) != len("ab"):
        return []
    a, b = side
    return [h for h in neighbours(a) if distance(h, b) == 1 and not layout.on_map(h)]


def parse_vertex(text: str, layout: Layout) -> Vertex:
    """Return the vertex written as three hex labels with slashes, in any order; two do at the edge of the map.

    Raises CoordinateError when not three labels of the layout, or the hexes do not meet.
    """
    hexes = tuple(layout.parse(label) for label in text.split("/"))
    beyond = _beyond(hexes, layout)
    if len(beyond) == 1:
        hexes = (*hexes, *beyond)
    if len(hexes) != _CORNERS:
        corner = vertex_label(vertices_of(layout.hexes()[0])[2], layout)
        raise CoordinateError(text, "a vertex is three hexes with slashes between, at the edge of the map two", corner)
    a, b, c = hexes
    try:
        return vertex(a, b, c)
    except ValueError:
        nearest = min(vertices_of(a), key=lambda v: sum(distance(h, o) for h in v for o in (b, c)))
        hint = vertex_label(nearest, layout)
        raise CoordinateError(text, "these hexes do not meet at one corner", hint) from None
