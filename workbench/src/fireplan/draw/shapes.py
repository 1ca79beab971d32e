"""Shapes: boxes and centres of polygons, and the outline of adjacent cells."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

Point = tuple[float, float]
Outline = Sequence[Point]
T = TypeVar("T")


def round_length(most: float) -> int:
    """Return the largest of 1, 2, 5, 10, 20, 50 ... up to a length, for use in a scale bar."""
    power = int(10 ** math.floor(math.log10(most)))
    return max(power * step for step in (1, 2, 5) if power * step <= most)


def box(outline: Outline) -> tuple[float, float, float, float]:
    """Return the west, north, east and south limits of a polygon."""
    xs, ys = [x for x, _ in outline], [y for _, y in outline]
    return min(xs), min(ys), max(xs), max(ys)


def sides(outline: Sequence[T]) -> Iterator[tuple[T, T]]:
    """Yield the sides of a polygon as pairs of corners."""
    return zip(outline, (*outline[1:], outline[0]), strict=True)


def mean_corner(outline: Outline) -> Point:
    """Return the mean of the corners of a polygon."""
    xs, ys = zip(*outline, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def centroid(outline: Outline) -> Point:
    """Return the centre of area of a polygon, or its first corner if the area is 0."""
    area = east = south = 0.0
    for (ax, ay), (bx, by) in sides(outline):
        turn = ax * by - bx * ay
        area += turn
        east += (ax + bx) * turn
        south += (ay + by) * turn
    if abs(area) < 1e-9:  # noqa: PLR2004 - a polygon squashed to a line
        return outline[0]
    return east / (3 * area), south / (3 * area)


def inner_radius(outline: Outline) -> float:
    """Return the least distance from a polygon's centroid to its border."""
    x, y = centroid(outline)
    nearest = math.inf
    for (ax, ay), (bx, by) in sides(outline):
        dx, dy = bx - ax, by - ay
        along = max(0.0, min(1.0, ((x - ax) * dx + (y - ay) * dy) / ((dx * dx + dy * dy) or 1.0)))
        nearest = min(nearest, math.hypot(ax + along * dx - x, ay + along * dy - y))
    return nearest


def twice_area(outline: Sequence[Point]) -> float:
    """Return twice the area of a polygon, negative if its corners run the other way round."""
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in sides(outline))


def merged(outlines: Iterable[Outline]) -> list[list[Point]]:
    """Return the border of adjacent cells as loops of corners, without sides that cells share."""
    corners: list[Point] = []
    edges: dict[tuple[int, int], None] = {}
    for outline in outlines:
        ring = [_numbered(corners, point) for point in outline]
        if twice_area(outline) < 0:
            ring.reverse()
        for a, b in sides(ring):
            if (b, a) in edges:
                del edges[b, a]
            elif a != b:
                edges[a, b] = None
    loops: list[list[Point]] = []
    while edges:
        start, corner = next(iter(edges))
        del edges[start, corner]
        loop = [start]
        while corner != start:
            loop.append(corner)
            next_edge = next((edge for edge in edges if edge[0] == corner), None)
            if next_edge is None:
                break
            del edges[next_edge]
            corner = next_edge[1]
        loops.append([corners[index] for index in loop])
    return loops


def _numbered(corners: list[Point], point: Point) -> int:
    """Return the index of a corner, adding it if it is new.

    Each cell computes its own corners, so corners within a centimetre count as the same.
    """
    for index, corner in enumerate(corners):
        if math.dist(point, corner) < 0.01:  # noqa: PLR2004
            return index
    corners.append(point)
    return len(corners) - 1
