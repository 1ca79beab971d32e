"""Frames, which make the places of different games comparable.

A frame relates the places of a map or table to the ground: it provides metres, labels, exact
distances, and the cells that a target occupies. In all frames x runs east and y south, in metres
from the frame's own origin. Callers must align two frames themselves.
"""

import math
import re
from collections.abc import Hashable
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Final, Protocol, TypeAlias

from attrs import field, frozen, validators

from fireplan_core.space.hexes import PLACE, Hex, centre, hexes_touching, nearest_hex, span
from fireplan_core.space.layout import CoordinateError, Layout
from fireplan_core.space.plane import Point, Yards, squared_distance, yards
from fireplan_core.space.vertices import (
    Vertex,
    parse_vertex,
    vertex_centre,
    vertex_label,
    vertices_of,
)

Place: TypeAlias = Annotated[Any, PLACE]
"""A hex, a vertex or a point in yards, depending on the frame of the table's areas; hashable."""
Outline: TypeAlias = tuple[tuple[float, float], ...]
"""The corners of an area, each as metres (x east, y south)."""

SQUARE_METRES: Final = 10_000
"""The number of square metres in a hectare."""

_PAIR: Final = 2
_VERTEX: Final = 3  # number of hexes that meet at a vertex
_YARDS: Final = r"[+-]?[0-9]{1,18}/0{0,8}[1-9][0-9]{0,8}|[+-]?[0-9]{1,9}(?:\.[0-9]{1,9})?"
_CORNERS: Final = 72  # number of corners in the polygon drawn for a circle
_MARKER: Final = 9.144  # radius in metres of the marker drawn at a point in the plane


class Frame(Hashable, Protocol):
    """The geometry of a map or table: its places, labels and distances.

    A method that takes a place raises ValueError for a kind of place that the frame does not have.
    """

    def metres(self, place: Place) -> tuple[float, float]:
        """Return a place's coordinates (x east, y south) in metres."""
        ...

    def label(self, place: Place) -> str:
        """Return a place's label as players write it, e.g. ``K5``."""
        ...

    def parse(self, text: str) -> Place:
        """Return the place with this label, on the map or beyond it.

        Raises ``CoordinateError`` if there is no such place.
        """
        ...

    def nearest(self, x: float, y: float) -> Place:
        """Return the place nearest to a point in metres, or the lowest of equally near places."""
        ...

    def gap(self, a: Place, b: Place) -> Yards:
        """Return an exact number that grows with the distance between two places."""
        ...

    def gap_metres(self, key: Yards) -> float:
        """Return the distance in metres that corresponds to a value of ``gap``."""
        ...

    def cells(self, place: Place, extent_m: float) -> tuple[Place, ...]:
        """Return the cells that a target of this half-width occupies, the middle cell first."""
        ...

    def outline(self, place: Place) -> Outline:
        """Return the corners of the cell at a place in metres, for drawing."""
        ...

    def on_map(self, place: Place) -> bool:
        """Return whether a place is on the map; always True in a frame without a map."""
        ...

    def places(self) -> tuple[Place, ...]:
        """Return every place on the map, or an empty tuple in a frame without a map."""
        ...


def place_shaped(value: Any) -> bool:
    """Return whether a value has the shape of a place: two numbers, or three pairs of numbers.

    >>> place_shaped((3, 4)), place_shaped("K5")
    (True, False)
    """
    return _numbers(value) or (
        isinstance(value, tuple) and len(value) == _VERTEX and all(map(_numbers, value))
    )


def _numbers(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == _PAIR
        and all(type(part) in (int, Fraction) for part in value)
    )


def label_of(frame: Frame, value: Any) -> str | None:
    """Return the label of a place, on the map or beyond it, or None for any other value.

    >>> label_of(PlaneFrame(), (120, -40))
    '120,-40'
    """
    return _label_of(frame, value) if place_shaped(value) else None


@lru_cache(maxsize=4096)
def _label_of(frame: Frame, value: Any) -> str | None:
    try:
        label = frame.label(value)
        return label if frame.parse(label) == value else None
    except (TypeError, ValueError, AttributeError):
        return None


def is_place(frame: Frame, value: Any) -> bool:
    """Return whether a value is a place in a frame, on the map or beyond it.

    >>> is_place(PlaneFrame(), (3, 4)), is_place(PlaneFrame(), "K5")
    (True, False)
    """
    return label_of(frame, value) is not None


@frozen
class _Hexes:
    spacing_m: float = field(validator=validators.gt(0))
    """The distance between the centres of adjacent hexes, in metres."""
    layout: Layout

    @property
    def hectares(self) -> float:
        """The area of a hex in hectares."""
        return math.sqrt(3) / 2 * self.spacing_m**2 / SQUARE_METRES

    def outline(self, place: Place) -> Outline:
        """Return the six corners of a hex in metres.

        For a vertex, return the centres of its three hexes.
        """
        if len(place) == _PAIR:
            return tuple(vertex_centre(corner, self.spacing_m) for corner in vertices_of(place))
        return tuple(centre(hex_, self.spacing_m) for hex_ in place)

    def on_map(self, place: Place) -> bool:
        """Return whether a hex, or any hex of a vertex, is on the map."""
        if len(place) == _PAIR:
            return self.layout.on_map(place)
        return any(map(self.layout.on_map, place))

    def places(self) -> tuple[Place, ...]:
        """Return the hexes of the map, in columns from west to east."""
        return self.layout.hexes()

    def nearest(self, x: float, y: float) -> Hex:
        """Return the hex that contains a point in metres.

        It never returns a vertex, because vertices are only aim points and impacts.
        """
        return nearest_hex(x, y, self.spacing_m)


@frozen
class HexFrame(_Hexes):
    """A map whose places are hexes.

    >>> board = HexFrame(40.0, Layout(lettered_columns(9), (1, 9), (1, 9)))
    >>> a, b = board.parse("C3"), board.parse("C6")
    >>> board.gap_metres(board.gap(a, b))
    120.0
    """

    def metres(self, place: Place) -> tuple[float, float]:
        """Return the coordinates of a hex's centre in metres."""
        return centre(_pair(place), self.spacing_m)

    def label(self, place: Place) -> str:
        """Return the printed label of a hex, e.g. ``K5``."""
        return self.layout.label(_pair(place))

    def parse(self, text: str) -> Hex:
        """Return the hex with this label; raises ``CoordinateError`` if there is none."""
        return self.layout.parse(text)

    def gap(self, a: Place, b: Place) -> int:
        """Return the squared distance between two hexes, in hex spacings squared."""
        return span(_pair(a), _pair(b))

    def gap_metres(self, key: Yards) -> float:
        """Return the distance in metres, given its square in hex spacings squared."""
        return math.sqrt(key) * self.spacing_m

    def cells(self, place: Place, extent_m: float) -> tuple[Hex, ...]:
        """Return the hexes that a target occupies.

        A target no wider than a hex occupies only its own hex.
        """
        return _occupied(self.metres(place), (_pair(place),), extent_m, self.spacing_m)


@lru_cache(maxsize=16)
def _hexes_and_vertices(layout: Layout) -> tuple[Place, ...]:
    hexes = layout.hexes()
    return (*hexes, *dict.fromkeys(corner for hex_ in hexes for corner in vertices_of(hex_)))


@frozen
class VertexFrame(_Hexes):
    """A map whose aim points are hex vertices; its hexes are places too.

    >>> board = VertexFrame(40.0, Layout(lettered_columns(9), (1, 9), (1, 9)))
    >>> corner = board.parse("C3/C4/D3")
    >>> [board.label(cell) for cell in board.cells(corner, 0.0)]
    ['C3', 'C4', 'D3']
    """

    def metres(self, place: Place) -> tuple[float, float]:
        """Return the coordinates of a hex's centre, or of a vertex, in metres."""
        if len(place) == _PAIR:
            return centre(place, self.spacing_m)
        return vertex_centre(place, self.spacing_m)

    def label(self, place: Place) -> str:
        """Return the label of a hex (``N18``) or of a vertex (``N18/N19/O19``)."""
        return self.layout.label(place) if len(place) == _PAIR else vertex_label(place, self.layout)

    def parse(self, text: str) -> Hex | Vertex:
        """Return the hex with this label or, if the text contains slashes, the vertex."""
        return parse_vertex(text, self.layout) if "/" in text else self.layout.parse(text)

    def places(self) -> tuple[Place, ...]:
        """Return the hexes of the map, in columns from west to east, then their vertices."""
        return _hexes_and_vertices(self.layout)

    def gap(self, a: Place, b: Place) -> int:
        """Return three times the square of the distance in hex spacings.

        This is an integer even for vertices.
        """
        # With coordinates in thirds, the square is in ninths, and always divisible by 3.
        return span(_thirds(a), _thirds(b)) // 3

    def gap_metres(self, key: Yards) -> float:
        """Return a distance in metres, given three times its square in hex spacings."""
        return math.sqrt(key / 3) * self.spacing_m

    def cells(self, place: Place, extent_m: float) -> tuple[Hex, ...]:
        """Return the hexes that a target occupies.

        At a vertex, they always include the three that meet there.
        """
        own = (place,) if len(place) == _PAIR else place
        return _occupied(self.metres(place), own, extent_m, self.spacing_m)


@frozen
class PlaneFrame:
    """A table measured in yards, whose places are points with exact coordinates.

    >>> table = PlaneFrame()
    >>> table.metres((100, -50)), table.label((100, -50))
    ((91.44, -45.72), '100,-50')
    """

    metres_per_yard: float = field(default=0.9144, validator=validators.gt(0))

    def metres(self, place: Place) -> tuple[float, float]:
        """Return a point's coordinates in metres."""
        x, y = _point(place)
        return x * self.metres_per_yard, y * self.metres_per_yard

    def label(self, place: Place) -> str:
        """Return a point's yards east and south as text, e.g. ``120,-40`` or ``7/2,0``."""
        x, y = _point(place)
        return f"{x},{y}"

    def parse(self, text: str) -> Point:
        """Return the point with this label in yards, e.g. ``120,-40``, ``7/2,0`` or ``3.5,0``.

        Raises ``CoordinateError`` for any other text.
        """
        if match := re.fullmatch(rf"\s*({_YARDS})\s*,\s*({_YARDS})\s*", text):
            return yards(match[1]), yards(match[2])
        hint = self.label(tuple(map(yards, [*re.findall(_YARDS, text), "0", "0"][:_PAIR])))
        expected = "write a point as yards east, a comma and yards south, e.g. 120,-40 or 7/2,0"
        raise CoordinateError(text, expected, hint)

    def nearest(self, x: float, y: float) -> Point:
        """Return the nearest point with integer yards; halves are rounded down."""
        return _lower_half(x / self.metres_per_yard), _lower_half(y / self.metres_per_yard)

    def gap(self, a: Place, b: Place) -> Yards:
        """Return the squared distance between two points, in square yards."""
        return squared_distance(_point(a), _point(b))

    def gap_metres(self, key: Yards) -> float:
        """Return the distance in metres, given its square in square yards."""
        return math.sqrt(key) * self.metres_per_yard

    def cells(self, place: Place, extent_m: float) -> tuple[Point, ...]:
        """Return only the point itself.

        The plane has no cells, and bases are placed individually.
        """
        _check_extent(extent_m)
        return (_point(place),)

    def outline(self, place: Place) -> Outline:
        """Return the corners, in metres, of a marker that is drawn around a point."""
        return self.circle(place, _MARKER / self.metres_per_yard)

    def on_map(self, place: Place) -> bool:
        """Return True, because a table without a map has no edge."""
        return True

    def places(self) -> tuple[Place, ...]:
        """Return an empty tuple, because the plane has no map."""
        return ()

    def hectares(self, radius: float) -> float:
        """Return the area, in hectares, of a circle with a radius in yards."""
        return math.pi * (radius * self.metres_per_yard) ** 2 / SQUARE_METRES

    def circle(self, place: Place, yards: float) -> Outline:
        """Return the corners, in metres, of a polygon that approximates a circle around a place.

        ``yards`` is the radius. The polygon is for drawing only; rules use exact distances.
        """
        x, y = self.metres(place)
        radius, turns = (
            yards * self.metres_per_yard,
            (2 * math.pi * k / _CORNERS for k in range(_CORNERS)),
        )
        return tuple((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns)


def _pair(place: Any) -> Any:
    if len(place) == _PAIR:
        return place[0], place[1]
    raise ValueError(f"{place} is a vertex; this frame has only places with two coordinates")


def _point(place: Place) -> Point:
    x, y = _pair(place)
    if isinstance(x, int | Fraction) and isinstance(y, int | Fraction):
        return x, y
    raise ValueError(f"{place} is not a point of this frame: yards are whole numbers or fractions")


def _thirds(place: Place) -> Hex:
    """Return a place in axial thirds of a spacing, which are integers for hexes and vertices."""
    if len(place) == _PAIR:
        return 3 * place[0], 3 * place[1]
    return sum(q for q, _ in place), sum(r for _, r in place)


def _check_extent(extent_m: float) -> None:
    if extent_m < 0:
        raise ValueError(f"expected an extent of 0 m or more, got {extent_m} m")


@lru_cache(maxsize=1024)
def _occupied(
    point: tuple[float, float], own: tuple[Hex, ...], extent_m: float, spacing_m: float
) -> tuple[Hex, ...]:
    """Return ``own`` and the other hexes that a circle overlaps; merely touching is not enough."""
    _check_extent(extent_m)
    # A rounding error must not make a target exactly as wide as a hex reach the next hex.
    slack = 1e-6 * spacing_m
    reached = hexes_touching(*point, max(extent_m - slack, 0.0), spacing_m)
    return (*own, *(h for h in reached if h not in own))


def _lower_half(value: float) -> int:
    return math.ceil(value - 0.5)
