"""The lines of Barrages: the grain that two recorded hexes set (E12.11, E12.2), and the way of a Creeping Barrage.

A grain is a pair of directions: like ones for a Hex Grain, neighbouring ones for an Alternate Hex
Grain (its steps alternate). Each grain is written one way, so that parallel grains are equal.
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
"""Hexes to an Aiming Hex: no table is longer, and a place far off it must not be walked to."""
Edge = Literal["first hexrow", "last hexrow", "low numbers", "high numbers"]
AWAY: Mapping[Edge, Hex] = {
    "first hexrow": (1, 0),
    "last hexrow": (-1, 0),
    "low numbers": (0, 1),
    "high numbers": (0, -1),
}
"""Hexrows and numbers of a step away from a board edge."""


def canonical(a: int, b: int) -> Grain:
    """Return one of the two ways to write a grain: walked from either end it is the same."""
    return min((a, b), (opposite(b), opposite(a)))


def grain_of(place: Hex, first: Hex, second: Hex) -> Grain:
    """Return the grain that two hexes next to a place set.

    Raises ValueError when one is not adjacent to the place, or both are adjacent to each other
    (E12.2).
    """
    around = neighbours(place)
    if first not in around or second not in around:
        raise ValueError("both recorded hexes are adjacent to the Pre-Registered hex")
    back, forth = around.index(first) + 1, around.index(second) + 1
    if (back - forth) % 6 in (0, 1, 5):
        raise ValueError("the two recorded hexes are not adjacent to each other")
    return canonical(forth, opposite(back))


@lru_cache(maxsize=1024)
def along(place: Hex, grain: Grain, arm: int) -> tuple[Hex, ...]:
    """Return the hexes of a Barrage centred on a place, end to end."""
    a, b = grain
    return hex_grain(place, a, arm) if a == b else alternate_grain(place, a, b, arm)


@record
class Creep:
    """Say how far it is: Game Turns done, how far the first error has shifted its grain, and whether it has Lifted."""

    turns: int = kept(0, "Game Turns that the Creeping Barrage has crept", "E12.73", between=COUNT)
    shift: Grain = kept(
        (0, 0), "how far its first error has moved its path, in hexes along q and r", "E12.732"
    )
    over: bool = kept(False, "whether the Creeping Barrage has Lifted", "E12.76")


@attrs.frozen
class Path:
    """Say what was recorded: first hex, Aiming Hex, how the steps of the grain run, both phases or one, turns, radio.

    ``edge`` is the Friendly Board Edge, and ``layout`` the map: a moved grain runs to the edge across from it.
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
    """Return the directions whose alternation leads from one hex to the other: none, one pair, or two.

    Two where the Aiming Hex lies on the hexspine itself: then an Alternate Hex Grain on either side
    leads to it.
    """
    found: dict[Hex, Grain] = {}
    for a in range(1, 7) if distance(start, aim) <= FARTHEST else ():
        for b in (a, a % 6 + 1, (a - 2) % 6 + 1):
            here = start
            for i in range(distance(start, aim)):
                here = hex_step(here, (a, b)[i % 2])
            if here == aim:
                found.setdefault(hex_step(start, a), (a, b))
    return tuple(found.values())


def path_steps(start: Hex, aim: Hex, by: Hex | None = None) -> Grain:
    """Return the directions whose alternation leads from a hex to another, by a hex next to the first if one is named.

    Raises ValueError when no Hex Grain and no Alternate Hex Grain does (E12.71).
    """
    ways = path_ways(start, aim)
    if not ways:
        raise ValueError(
            "no straight or alternate grain leads from the Pre-Registered hex to the Aiming Hex"
        )
    if by is None:
        return ways[0]
    for way in ways:
        if hex_step(start, way[0]) == by:
            return way
    raise ValueError("no grain to the Aiming Hex leads by that hex next to the Pre-Registered one")


def past_far_edge(layout: Layout, edge: Edge, place: Hex) -> bool:
    """Return whether a place lies beyond the board edge across from the Friendly one, drawn on at either end.

    That edge is the last hex in play of each hexrow, or of each number where it runs along hexrows.
    """
    lane, far = _lane(edge, place)
    reach = _reach(layout, edge)
    alike = (reach[other] for other in reach if even(other) is even(lane))
    return far > (reach[lane] if lane in reach else max(alike, default=far))


@lru_cache(maxsize=64)
def _reach(layout: Layout, edge: Edge) -> Mapping[int, int]:
    """Return how far the hexes in play reach away from an edge, by lane."""
    found: dict[int, int] = {}
    for lane, far in (_lane(edge, place) for place in layout.hexes()):
        found[lane] = max(found.get(lane, far), far)
    return found


def _lane(edge: Edge, place: Hex) -> tuple[int, int]:
    """Return the lane away from an edge that a place lies in, a hexrow or a number, and how far along it."""
    (column, row), (q, r) = AWAY[edge], place
    number = r + q // 2
    # Every other hexrow has no 0.
    return q if row else max(number, 1), column * q + row * number


def path_hexes(path: Path, shift: Hex) -> tuple[Hex, ...]:
    """Return the creeping grain after a shift, to its Aiming Hex, which is the last one.

    An error may have carried it over a side edge: it goes on out there, for part of its Blast Area
    may be on the map.
    """
    here = (path.start[0] + shift[0], path.start[1] + shift[1])
    found = [here]
    length = distance(path.start, path.aim)
    moved = shift != (0, 0) and not path.follow_shift
    # A step may bring it only half a hex nearer to the edge, and two hexes of a grain may lie along
    # that.
    for i in range(length + 2 * distance((0, 0), shift) + 3 if moved else length):
        here = hex_step(here, path.steps[i % 2])
        if moved and past_far_edge(path.layout, path.edge, here):
            return tuple(found)
        found.append(here)
    # One that runs along the far edge never passes it, and keeps its length.
    return tuple(found[: length + 1])


def next_hexes(path: tuple[Hex, ...], impact: Hex, far: int) -> tuple[Hex, ...]:
    """Return where a Correction may aim: on the grain, so far on, nearer to the Aiming Hex.

    The nearest first.
    """
    aim = path[-1]
    now = distance(impact, aim)
    fitting = [h for h in path if distance(h, impact) == far and distance(h, aim) < now]
    return tuple(sorted(fitting, key=lambda h: (distance(h, aim), h)))
