"""Barrage geometry (E12.11, E12.2, E12.31): which grain two recorded hexes set, and the nine hexes along it.

A grain is a pair of directions: like ones for a Hex Grain, neighbouring ones for an Alternate Hex Grain (its
steps alternate). Each grain is written one way, so that parallel grains are equal.
"""

from __future__ import annotations

from functools import lru_cache

from fireplan_core.space import Hex, alternate_grain, hex_grain, neighbours, opposite

Grain = tuple[int, int]


def canonical(a: int, b: int) -> Grain:
    """Return one of the two ways to write a grain: walked from either end it is the same."""
    return min((a, b), (opposite(b), opposite(a)))


def grain_of(place: Hex, first: Hex, second: Hex) -> Grain:
    """Return the grain that two hexes next to a place set.

    Raises ValueError when one is not adjacent to the place, or both are adjacent to each other (E12.2).
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


def parallel(one: Grain, other: Grain, *, same_side: bool = True) -> bool:
    """Return whether two grains are parallel: the same line, and for zigzags the same side of it."""
    return one == other if same_side else one == other or canonical(*reversed(one)) == other
