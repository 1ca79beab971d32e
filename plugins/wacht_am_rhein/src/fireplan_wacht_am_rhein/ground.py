"""The map: hexes one mile across, their terrain, and the hexes into which a stack can retreat.

The rules of retreat after combat (11.7.0) are not in the chapter. Instead, ``retreat_hexes`` allows
every adjacent hex that can be entered, contains no enemy and has room.
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
"""Distance from hexside to hexside, in metres: one mile."""

FRAME: Final = HexFrame(HEX_METRES, Layout(numbered_columns(1, 60), (1, 60), (1, 60), digits=2))
"""A blank map of 60 columns and 60 rows; the printed maps are not included."""

MIDDLE: Final = (29, 16)
"""The target hex of every engagement."""

OPEN: Final = ("clear", "rough")
"""Open terrain, where aircraft observe units (12.1.6f); all other terrain is covering terrain."""


@attrs.frozen
class HexTerrain:
    """A hex's terrain and works."""

    terrain: tuple[Terrain, ...] = entry("its terrains", ("clear",))
    works: GroundWorks = entry("the best works in it", "none")
    vantage: bool = flag("whether it is a vantage point (12.1.6d)")
    impassable: bool = flag("whether nobody may enter it")

    @property
    def covering(self) -> bool:
        """Return whether the hex has any covering terrain."""
        return any(name not in OPEN for name in self.terrain)


@attrs.frozen
class GroundMap:
    """The map of a scenario: the hexes that it describes, and ``other`` for every other hex.

    ``stacking`` is the maximum number of a side's steps in a hex after a retreat; None means no
    limit.
    """

    cells: tuple[tuple[Place, HexTerrain], ...] = ()
    other: HexTerrain = HexTerrain()
    stacking: int | None = None

    def at(self, place: Place) -> HexTerrain:
        """Return the terrain and works of a hex as a ``HexTerrain``."""
        return next((cell for hex_, cell in self.cells if hex_ == place), self.other)


BLANK: Final = GroundMap()
"""A map of clear terrain."""


def hexes_between(frame: Frame, a: Place, b: Place) -> int:
    """Return the distance between two places in hexes, not counting the first hex (12.1.3).

    The hexes are one mile across. A place in another game's frame counts as the mile hex that
    contains it.
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
    """Return the hexes into which ``steps`` of a side can retreat, best first.

    ``friends`` are the places of the side's other units with their steps, ``enemies`` the places of
    the other side. Safe hexes (covering terrain, or not adjacent to enemies) come before exposed
    ones, and within each group the farthest from the enemy comes first. The result is empty on
    ground without hexes.
    """
    if not isinstance(frame, HexFrame):
        return ()
    hexes = []
    for to in neighbours(place):
        own_steps = sum(count for position, count in friends if position == to)
        full = ground.stacking is not None and own_steps + steps > ground.stacking
        if (
            frame.layout.on_map(to)
            and not ground.at(to).impassable
            and to not in enemies
            and not full
        ):
            hexes.append(to)
    far = {
        to: min((hexes_between(frame, to, enemy) for enemy in enemies), default=0) for to in hexes
    }
    return tuple(sorted(hexes, key=lambda to: (exposed(frame, ground, to, enemies), -far[to], to)))


def exposed(frame: Frame, ground: GroundMap, place: Place, enemies: Sequence[Place]) -> bool:
    """Return whether a hex is open and next to enemies; a retreat there costs steps (12.4.2)."""
    return not ground.at(place).covering and any(
        hexes_between(frame, place, enemy) <= 1 for enemy in enemies
    )
