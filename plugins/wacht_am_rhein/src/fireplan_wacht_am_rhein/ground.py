"""The ground of this game: hexes one mile across, what lies in them, and where a stack can retreat.

The rules of retreat after combat (11.7.0) are not part of the chapter. What is asked of them is one
hook, ``retreat_hexes``, with this default: any adjacent hex of the map that can be entered, holds
no enemy and has room.
"""

from collections.abc import Sequence
from typing import Final, Literal

import attrs

from fireplan_core import Place
from fireplan_core.files import entry, flag
from fireplan_core.space import (
    Frame,
    HexFrame,
    Layout,
    distance,
    nearest_hex,
    neighbours,
    numbered_columns,
)

Terrain = Literal["clear", "rough", "woods", "forest", "marsh", "village", "town", "city"]
GroundWorks = Literal[
    "none", "improved_position", "entrenchment", "entrenchment_deep", "fortification"
]

HEX_METRES: Final = 1609
"""Metres from hexside to hexside: one mile."""

FRAME: Final = HexFrame(HEX_METRES, Layout(numbered_columns(1, 60), (1, 60), (1, 60), digits=2))
"""A blank map of 60 columns and 60 rows; the printed maps are not in the plugin."""

MIDDLE: Final = (29, 16)
"""The hex in which an engagement's target lies."""

OPEN: Final = ("clear", "rough")
"""Terrain that is open: in it units are observed from the air (12.1.6f).

Any other terrain covers them.
"""


@attrs.frozen
class Cell:
    """Describe one hex."""

    terrain: tuple[Terrain, ...] = entry("its terrains", ("clear",))
    works: GroundWorks = entry("the best works in it", "none")
    vantage: bool = flag("whether it is a vantage point (12.1.6d)")
    impassable: bool = flag("whether nobody may enter it")

    @property
    def covering(self) -> bool:
        """Tell whether any of its terrains is covering terrain."""
        return any(name not in OPEN for name in self.terrain)


@attrs.frozen
class GroundMap:
    """The ground of a scenario: the hexes that are named, and what lies in all others.

    ``stacking`` is how many steps of a side may stand in one hex after a retreat; None leaves that open.
    """

    cells: tuple[tuple[Place, Cell], ...] = ()
    other: Cell = Cell()
    stacking: int | None = None

    def at(self, place: Place) -> Cell:
        """Return what lies in a hex."""
        return next((cell for where, cell in self.cells if where == place), self.other)


BLANK: Final = GroundMap()
"""Open ground everywhere."""


def hexes_between(frame: Frame, a: Place, b: Place) -> int:
    """Return the shortest path in mile hexes, the first hex not counted (12.1.3).

    Places of another game's frame count by the mile hex they lie in.
    """
    if a == b:
        return 0
    if frame is FRAME:
        return distance(a, b)
    return distance(
        nearest_hex(*frame.metres(a), HEX_METRES), nearest_hex(*frame.metres(b), HEX_METRES)
    )


def retreat_hexes(
    frame: Frame,
    ground: GroundMap,
    place: Place,
    steps: int,
    friends: Sequence[tuple[Place, int]],
    enemies: Sequence[Place],
) -> tuple[Place, ...]:
    """Return the hexes into which ``steps`` of a side can retreat, the most natural first.

    Empty if there is none.

    ``friends`` are the other units of the side with their steps, ``enemies`` the places of the other side. Safe
    hexes come first (covering, or away from enemies), then those farthest from the enemy.
    """
    if not isinstance(frame, HexFrame):
        return ()
    found = []
    for to in neighbours(place):
        there = sum(n for where, n in friends if where == to)
        full = ground.stacking is not None and there + steps > ground.stacking
        if (
            frame.layout.on_map(to)
            and not ground.at(to).impassable
            and to not in enemies
            and not full
        ):
            found.append(to)
    far = {
        to: min((hexes_between(frame, to, enemy) for enemy in enemies), default=0) for to in found
    }
    return tuple(sorted(found, key=lambda to: (exposed(frame, ground, to, enemies), -far[to], to)))


def exposed(frame: Frame, ground: GroundMap, place: Place, enemies: Sequence[Place]) -> bool:
    """Return whether a hex is open ground next to enemy units, where a retreat costs steps (12.4.2)."""
    return not ground.at(place).covering and any(
        hexes_between(frame, place, enemy) <= 1 for enemy in enemies
    )
