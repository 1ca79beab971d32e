"""The lines of Barrages: their grain (E12.11, E12.2) and the path of a Creeping Barrage.

A grain is a pair of directions. A Hex Grain repeats the same direction; an Alternate Hex Grain
takes two neighbouring directions in turn. Each grain has one canonical form, so that parallel
grains are equal.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

import attrs

from fireplan_asl.places import even
from fireplan_core import COUNT, kept, record
from fireplan_core.space import (
    Hex,
    Layout,
    alternate_grain,
    distance,
    hex_grain,
    neighbours,
    opposite,
)
from fireplan_core.space import step as hex_step

Grain = tuple[int, int]
FARTHEST = 200
"""Maximum distance to an Aiming Hex, in hexes: longer than any map, to bound the search."""
Edge = Literal["first hexrow", "last hexrow", "low numbers", "high numbers"]
AWAY: Mapping[Edge, Hex] = {
    "first hexrow": (1, 0),
    "last hexrow": (-1, 0),
    "low numbers": (0, 1),
    "high numbers": (0, -1),
}
"""Maps each board edge to a step away from it: the change of hexrow and of hex number."""


def canonical(a: int, b: int) -> Grain:
    """Return the canonical form of the grain that takes the directions ``a`` and ``b`` in turn.

    The form is the same from either end of the grain.
    """
    return min((a, b), (opposite(b), opposite(a)))


def grain_of(place: Hex, first: Hex, second: Hex) -> Grain:
    """Return the grain defined by two recorded hexes next to a hex (E12.2).

    Raises ``ValueError`` if either is not adjacent to that hex, or if they are adjacent to each
    other.
    """
    around = neighbours(place)
    if first not in around or second not in around:
        raise ValueError("both recorded hexes must be adjacent to the Pre-Registered hex")
    back, forth = around.index(first) + 1, around.index(second) + 1
    if (back - forth) % 6 in (0, 1, 5):
        raise ValueError("the two recorded hexes may not be adjacent to each other")
    return canonical(forth, opposite(back))


@lru_cache(maxsize=1024)
def along(place: Hex, grain: Grain, arm: int) -> tuple[Hex, ...]:
    """Return the hexes of a Barrage from end to end: ``arm`` hexes on either side of its centre."""
    a, b = grain
    return hex_grain(place, a, arm) if a == b else alternate_grain(place, a, b, arm)


@record
class Creep:
    """The state of a Creeping Barrage: Game Turns done, its path's shift, whether it has Lifted."""

    turns: int = kept(0, "Game Turns that the Creeping Barrage has crept", "E12.73", between=COUNT)
    shift: Grain = kept(
        (0, 0), "how far its first error has moved its path, in hexes along q and r", "E12.732"
    )
    over: bool = kept(False, "whether the Creeping Barrage has Lifted", "E12.76")


@attrs.frozen
class Path:
    """The record of a Creeping Barrage, made before setup (E12.71).

    The barrage creeps from ``start`` to ``aim``, taking the two directions ``steps`` alternately.
    It lasts ``turns`` Game Turns and is Corrected in the PFPh only, or in ``both_phases``.
    ``accurate`` is the highest accurate dr. If the first error shifts the grain, the path runs on
    to the board edge opposite the Friendly Board Edge ``edge``; with ``follow_shift`` the Aiming
    Hex shifts by the same step instead. ``convertible`` means that a radio may use the battery
    after the barrage Lifts (E12.771).
    """

    start: Hex
    aim: Hex
    steps: Grain
    both_phases: bool
    turns: int
    accurate: int
    edge: Edge
    layout: Layout
    convertible: bool = False
    follow_shift: bool = False


def path_ways(start: Hex, aim: Hex) -> tuple[Grain, ...]:
    """Return the pairs of directions that lead from one hex to another when taken alternately.

    There are at most two, because an Alternate Hex Grain may reach the hex on either side.
    """
    ways: dict[Hex, Grain] = {}
    for a in range(1, 7) if distance(start, aim) <= FARTHEST else ():
        for b in (a, a % 6 + 1, (a - 2) % 6 + 1):
            here = start
            for i in range(distance(start, aim)):
                here = hex_step(here, (a, b)[i % 2])
            if here == aim:
                ways.setdefault(hex_step(start, a), (a, b))
    return tuple(ways.values())


def path_steps(start: Hex, aim: Hex, by: Hex | None = None) -> Grain:
    """Return the two directions that lead from one hex to another when taken alternately.

    If there is a choice, ``by`` names the second hex of the path; by default the first pair found
    is returned. Raises ``ValueError`` if no Hex Grain or Alternate Hex Grain reaches the hex, or
    none does by way of ``by`` (E12.71).
    """
    ways = path_ways(start, aim)
    if not ways:
        raise ValueError(
            "no Hex Grain or Alternate Hex Grain leads from the Pre-Registered hex to the Aiming Hex"
        )
    if by is None:
        return ways[0]
    for way in ways:
        if hex_step(start, way[0]) == by:
            return way
    raise ValueError(
        "no Hex Grain or Alternate Hex Grain leads to the Aiming Hex by way of this hex"
    )


def past_far_edge(layout: Layout, edge: Edge, place: Hex) -> bool:
    """Return whether a hex lies beyond the board edge opposite a Friendly Board Edge.

    That edge consists of the last hex in play of each lane (hexrow or hex number), and is extended
    to lanes off the map.
    """
    lane, far = _lane(edge, place)
    reach = _reach(layout, edge)
    same_parity = (reach[other] for other in reach if even(other) is even(lane))
    return far > (reach[lane] if lane in reach else max(same_parity, default=far))


@lru_cache(maxsize=64)
def _reach(layout: Layout, edge: Edge) -> Mapping[int, int]:
    """Map each lane to the position of its last hex in play, counted away from the edge."""
    reach: dict[int, int] = {}
    for lane, far in (_lane(edge, place) for place in layout.hexes()):
        reach[lane] = max(reach.get(lane, far), far)
    return reach


def _lane(edge: Edge, place: Hex) -> tuple[int, int]:
    """Return a hex's lane away from an edge (a hexrow or number) and its position in that lane."""
    (column, row), (q, r) = AWAY[edge], place
    number = r + q // 2
    # Only every other hexrow has a hex numbered 0.
    return q if row else max(number, 1), column * q + row * number


def path_hexes(path: Path, shift: Hex) -> tuple[Hex, ...]:
    """Return the hexes of a Creeping Barrage's path after a shift, ending with the Aiming Hex.

    A shift may move the path off a side of the map. It continues off the map, because part of its
    Blast Area may still be on the map.
    """
    here = (path.start[0] + shift[0], path.start[1] + shift[1])
    hexes = [here]
    length = distance(path.start, path.aim)
    moved = shift != (0, 0) and not path.follow_shift
    # Bound the number of steps: a step may gain only half a hex, and every other step none.
    for i in range(length + 2 * distance((0, 0), shift) + 3 if moved else length):
        here = hex_step(here, path.steps[i % 2])
        if moved and past_far_edge(path.layout, path.edge, here):
            return tuple(hexes)
        hexes.append(here)
    # A path parallel to the far edge never passes it, and keeps its length.
    return tuple(hexes[: length + 1])


def next_hexes(path: tuple[Hex, ...], impact: Hex, far: int) -> tuple[Hex, ...]:
    """Return the hexes of the path at which a Correction of ``far`` hexes may aim.

    All are nearer to the Aiming Hex than the impact; the nearest comes first.
    """
    aim = path[-1]
    now = distance(impact, aim)
    candidates = [h for h in path if distance(h, impact) == far and distance(h, aim) < now]
    return tuple(sorted(candidates, key=lambda h: (distance(h, aim), h)))
