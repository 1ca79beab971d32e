"""The straight line between two hex centres: which hexes it crosses, in order, and where it enters and leaves each.

Whole numbers throughout. What stands in those hexes, and whether it stops anybody's sight, is for a game to say.
"""

from __future__ import annotations

import math
from functools import lru_cache

from attrs import frozen

from fireplan_core.space._hexes import Hex


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
def sight_line(start: Hex, end: Hex) -> tuple[Crossing, ...]:
    """Return the pieces of the line from centre to centre in order, those of both ends included.

    Each piece begins where the one before it ends. A hex that the line meets in a mere corner has no piece. The two
    hexes of a side come lowest (q, r) first. From a hex to itself there is one piece, of length 0 on the ground.
    """
    # A centre stands at x = 3q, y = 2r + q; its hex is |y| <= 1, |x + y| <= 2, |x - y| <= 2 about it. The map is
    # stretched by that, but lines stay lines and shares of a line stay shares.
    (ax, ay), (bx, by) = _point(start), _point(end)
    dx, dy = bx - ax, by - ay
    slopes = (dy, dx + dy, dx - dy)
    whole = math.lcm(*(abs(slope) for slope in slopes if slope))
    # Of the way that one unit of each of the three takes.
    down, right, left = (whole // slope if slope else 0 for slope in slopes)
    pieces: dict[tuple[int, int], list[Hex]] = {}
    for hex_ in _near(start, end):
        x, y = _point(hex_)
        first, last = 0, whole
        for off, way, half in ((y - ay, down, 1), (x + y - ax - ay, right, 2), (x - y - ax + ay, left, 2)):
            if way:
                middle, reach = off * way, half * abs(way)
                first = max(first, middle - reach)
                last = min(last, middle + reach)
            elif abs(off) > half:
                break
        else:
            if first < last:
                pieces.setdefault((first, last), []).append(hex_)
    return tuple(Crossing(tuple(sorted(hexes)), *span, whole) for span, hexes in sorted(pieces.items()))


def _point(hex_: Hex) -> tuple[int, int]:
    q, r = hex_
    return 3 * q, 2 * r + q


def _near(start: Hex, end: Hex) -> list[Hex]:
    """The hexes that the line may touch: in each column between the ends those about its height there."""
    (q0, r0), (q1, r1) = sorted((start, end))
    if q0 == q1:
        return [(q0, r) for r in range(r0, r1 + 1)]
    dq, y0 = q1 - q0, 2 * r0 + q0
    dy = 2 * r1 + q1 - y0
    found = []
    for q in range(q0, q1 + 1):
        # All in 3 dq: a column reaches 2 to either side of its middle, a hex 1 above and below its own.
        middle, reach = 3 * (y0 * dq + dy * (q - q0)), 3 * dq + 2 * abs(dy)
        lowest, highest = -((reach - middle) // (3 * dq)), (middle + reach) // (3 * dq)
        found += [(q, r) for r in range(-((q - lowest) // 2), (highest - q) // 2 + 1)]
    return found
