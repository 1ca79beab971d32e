"""The straight line from a hex centre to another, or to a corner: which hexes it crosses, in order, and where.

Whole numbers throughout. What stands in those hexes, and whether it stops anybody's sight, is for a game to say.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import lru_cache

from attrs import frozen

from fireplan_core.space._hexes import Hex
from fireplan_core.space._vertices import Vertex


@frozen
class Crossing:
    """A piece of a line: the hex that it runs through, or the two hexes whose common side it runs along.

    The piece lies between the shares ``enters / whole`` and ``leaves / whole`` of the way from the line's start.
    """

    hexes: tuple[Hex, ...]
    enters: int
    leaves: int
    whole: int


# An observer looks along the same lines again and again: 2048 are all lines of one to a map of three boards.
@lru_cache(maxsize=2048)
def sight_line(start: Hex, end: Hex | Vertex) -> tuple[Crossing, ...]:
    """Return the pieces of the line from a centre to a centre or corner in order, those of both ends included.

    Each piece begins where the one before it ends. A hex that the line meets in a mere corner has no piece. The two
    hexes of a side come lowest (q, r) first. From a hex to itself there is one piece, of length 0 on the ground.
    """
    return crossings(start, end)


def crossings(start: Hex, end: Hex | Vertex, among: frozenset[Hex] | None = None) -> tuple[Crossing, ...]:
    """Return the pieces of a ``sight_line``; with ``among`` those in other hexes may be left out, which is faster."""
    # A centre stands at x = 3q, y = 2r + q, times the grain; its hex is |y| <= 1, |x + y| <= 2, |x - y| <= 2 about it.
    # The map is stretched by that, but lines stay lines and shares of a line stay shares. A corner lies on thirds.
    ends: tuple[Hex, ...] = (end,) if isinstance(end[0], int) else end
    grain = len(ends)
    (ax, ay), (bx, by) = _point(start, grain), (sum(xy) for xy in zip(*map(_point, ends), strict=True))
    dx, dy = bx - ax, by - ay
    slopes = (dy, dx + dy, dx - dy)
    whole = math.lcm(*(abs(slope) for slope in slopes if slope))
    # Of the way that one unit of each of the three takes.
    down, right, left = (whole // slope if slope else 0 for slope in slopes)
    # Along a side both of its hexes count, whatever is asked for.
    few = among if among is not None and all(slopes) else None
    pieces: dict[tuple[int, int], list[Hex]] = {}
    for hex_ in _near((ax, ay), (bx, by), grain, few):
        x, y = _point(hex_, grain)
        first, last = 0, whole
        for off, way, half in ((y - ay, down, 1), (x + y - ax - ay, right, 2), (x - y - ax + ay, left, 2)):
            if way:
                middle, reach = off * way, half * grain * abs(way)
                first = max(first, middle - reach)
                last = min(last, middle + reach)
            elif abs(off) > half * grain:
                break
        else:
            if first < last:
                pieces.setdefault((first, last), []).append(hex_)
    return tuple(Crossing(tuple(sorted(hexes)), *span, whole) for span, hexes in sorted(pieces.items()))


def _point(hex_: Hex, grain: int = 1) -> tuple[int, int]:
    q, r = hex_
    return 3 * q * grain, (2 * r + q) * grain


def _near(start: tuple[int, int], end: tuple[int, int], grain: int, few: frozenset[Hex] | None) -> Collection[Hex]:
    """The hexes that the line may touch: in each column between the ends those about its height there."""
    (x0, y0), (x1, y1) = sorted((start, end))
    dx, dy = x1 - x0, y1 - y0
    # A column reaches 2 to either side of its middle, a hex 1 above and below its own.
    columns = range(-((2 * grain - x0) // (3 * grain)), (x1 + 2 * grain) // (3 * grain) + 1)
    if few is not None and len(few) <= len(columns):
        return few
    found = []
    for q in columns:
        if dx:
            # All in dx.
            middle, reach = y0 * dx + dy * (3 * q * grain - x0), grain * (dx + 2 * abs(dy))
            lowest, highest = -((reach - middle) // (grain * dx)), (middle + reach) // (grain * dx)
        else:
            lowest, highest = y0 // grain, y1 // grain
        found += [(q, r) for r in range(-((q - lowest) // 2), (highest - q) // 2 + 1)]
    return found if few is None else [hex_ for hex_ in found if hex_ in few]
