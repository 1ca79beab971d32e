"""Retreat after a barrage: into which hexes a stack can go (12.4.1b, 12.4.2).

The rules of retreat after combat (11.7.0) are not part of the chapter. What is asked of them is one hook,
``retreat_hexes``, with this default: any adjacent hex of the map that can be entered, holds no enemy and has room.
"""

from __future__ import annotations

from collections.abc import Sequence

from fireplan_core import Place
from fireplan_core.space import Frame, HexFrame, neighbours
from fireplan_wacht_am_rhein.ground import GroundMap, hexes_between


def retreat_hexes(
    frame: Frame,
    ground: GroundMap,
    place: Place,
    steps: int,
    friends: Sequence[tuple[Place, int]],
    enemies: Sequence[Place],
) -> tuple[Place, ...]:
    """Return the hexes into which ``steps`` of a side can retreat, the most natural first; empty if there is none.

    ``friends`` are the other units of the side with their steps, ``enemies`` the places of the other side. Safe
    hexes come first (covering, or away from enemies), then those farthest from the enemy.
    """
    if not isinstance(frame, HexFrame):
        return ()
    found = []
    for to in neighbours(place):
        there = sum(n for where, n in friends if where == to)
        full = ground.stacking is not None and there + steps > ground.stacking
        if frame.layout.on_map(to) and not ground.at(to).impassable and to not in enemies and not full:
            found.append(to)
    far = {to: min((hexes_between(frame, to, enemy) for enemy in enemies), default=0) for to in found}
    return tuple(sorted(found, key=lambda to: (exposed(frame, ground, to, enemies), -far[to], to)))


def exposed(frame: Frame, ground: GroundMap, place: Place, enemies: Sequence[Place]) -> bool:
    """Return whether a hex is open ground next to enemy units, where a retreat costs steps (12.4.2)."""
    return not ground.at(place).covering and any(hexes_between(frame, place, enemy) <= 1 for enemy in enemies)
