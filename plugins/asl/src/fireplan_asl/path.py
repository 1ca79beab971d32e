"""The lines of Barrages: their grain (E12.11, E12.2) and the path of a Creeping Barrage.

A grain is a pair of directions: the same one twice for a Hex Grain, two neighbouring ones for an
Alternate Hex Grain, whose steps alternate. Each grain has one canonical form, so that parallel
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
"""The greatest distance to an Aiming Hex, in hexes: longer than any map, to bound the search."""
Edge = Literal["first hexrow", "last hexrow", "low numbers", "high numbers"]
AWAY: Mapping[Edge, Hex] = {
    "first hexrow": (1, 0),
    "last hexrow": (-1, 0),
    "low numbers": (0, 1),
    "high numbers": (0, -1),
}
"""A step away from a board edge: the change of hexrow and of hex number."""


def canonical(a: int, b: int) -> Grain:
    """Return the canonical form of a grain, the same for a walk from either end."""
    return min((a, b), (opposite(b), opposite(a)))


def grain_of(place: Hex, first: Hex, second: Hex) -> Grain:
    """Return the grain that is set by two recorded hexes next to a place (E12.2).

    Raises ValueError if one of them is not adjacent to the place, or they are adjacent to each
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
    """Return the hexes of a Barrage centred on a place, end to end."""
    a, b = grain
    return hex_grain(place, a, arm) if a == b else alternate_grain(place, a, b, arm)


@record
class Creep:
    """The state of a Creeping Barrage: Game Turns done, the shift of its grain, and its end."""

    turns: int = kept(0, "Game Turns that the Creeping Barrage has crept", "E12.73", between=COUNT)
    shift: Grain = kept(
        (0, 0), "how far its first error has moved its path, in hexes along q and r", "E12.732"
    )
    over: bool = kept(False, "whether the Creeping Barrage has Lifted", "E12.76")


@attrs.frozen
class Path:
    """The record of a Creeping Barrage, made before setup (E12.71).

    It creeps from ``start`` to ``aim`` by the directions of ``steps`` in turn, in the PFPh only or
    in ``both_phases``, for that many Game Turns. ``accurate`` is the highest accurate dr. A grain
    that the first error moves runs to the board edge opposite the Friendly Board Edge ``edge``;
    with ``follow_shift`` its Aiming Hex moves by the same step instead. ``convertible``: a radio
    may use the battery after it Lifts (E12.771).
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
    """Return the pairs of directions that lead from one hex to another when taken in turn.

    There are none, one, or two: an Alternate Hex Grain may lead there on either side.
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
    """Return the two directions that lead from one hex to another when taken in turn.

    ``by`` names the second hex of the path, where there is a choice. Raises ValueError if no Hex
    Grain or Alternate Hex Grain leads there (E12.71).
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
    raise ValueError("no grain to the Aiming Hex runs through that hex")


def past_far_edge(layout: Layout, edge: Edge, place: Hex) -> bool:
    """Return whether a place lies beyond the board edge opposite a Friendly Board Edge.

    That edge is the last hex in play of each lane (hexrow or hex number), and is extended to lanes
    off the map.
    """
    lane, far = _lane(edge, place)
    reach = _reach(layout, edge)
    same_parity = (reach[other] for other in reach if even(other) is even(lane))
    return far > (reach[lane] if lane in reach else max(same_parity, default=far))


@lru_cache(maxsize=64)
def _reach(layout: Layout, edge: Edge) -> Mapping[int, int]:
    """Return how far the hexes in play reach away from an edge, by lane."""
    reach: dict[int, int] = {}
    for lane, far in (_lane(edge, place) for place in layout.hexes()):
        reach[lane] = max(reach.get(lane, far), far)
    return reach


def _lane(edge: Edge, place: Hex) -> tuple[int, int]:
    """Return a place's lane away from an edge (a hexrow or a number) and its position in it."""
    (column, row), (q, r) = AWAY[edge], place
    number = r + q // 2
    # Only every other hexrow has a hex 0.
    return q if row else max(number, 1), column * q + row * number


def path_hexes(path: Path, shift: Hex) -> tuple[Hex, ...]:
    """Return the hexes of the Creeping Barrage Hex Grain after a shift; the Aiming Hex comes last.

    A shift may take it off a side of the map. It goes on there, as part of its Blast Area may still
    be on the map.
    """
    here = (path.start[0] + shift[0], path.start[1] + shift[1])
    hexes = [here]
    length = distance(path.start, path.aim)
    moved = shift != (0, 0) and not path.follow_shift
    # A step may come only half a hex nearer to the edge, and two hexes of a grain may lie along it.
    for i in range(length + 2 * distance((0, 0), shift) + 3 if moved else length):
        here = hex_step(here, path.steps[i % 2])
        if moved and past_far_edge(path.layout, path.edge, here):
            return tuple(hexes)
        hexes.append(here)
    # A grain along the far edge never passes it, and keeps its length.
    return tuple(hexes[: length + 1])


def next_hexes(path: tuple[Hex, ...], impact: Hex, far: int) -> tuple[Hex, ...]:
    """Return the hexes of the grain that a Correction by ``far`` hexes may aim at.

    All are nearer to the Aiming Hex than the impact; the nearest comes first.
    """
    aim = path[-1]
    now = distance(impact, aim)
    candidates = [h for h in path if distance(h, impact) == far and distance(h, aim) < now]
    return tuple(sorted(candidates, key=lambda h: (distance(h, aim), h)))
