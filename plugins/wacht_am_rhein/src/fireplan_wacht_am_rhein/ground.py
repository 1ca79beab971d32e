"""The ground of this game: hexes one mile across, what lies in them, and how many lie between two places of a frame.

What may fire how far is in ``barrage``, where fire lands in ``areas``, which modifiers count in ``modifiers``.
"""

from __future__ import annotations

import math
from typing import Final

import attrs

from fireplan_core import Place
from fireplan_core.space import Frame, HexFrame, Layout, distance, nearest_hex, numbered_columns

HEX_METRES: Final = 1609
"""Metres from hexside to hexside: one mile."""

HEX_HECTARES: Final = HEX_METRES**2 * math.sqrt(3) / 2 / 10_000
"""Area of one hex."""

FRAME: Final = HexFrame(HEX_METRES, Layout(numbered_columns(1, 60), (1, 60), (1, 60), digits=2))
"""A blank map of 60 columns and 60 rows; the printed maps are not in the plugin."""

MIDDLE: Final = (29, 16)
"""The hex in which an engagement's target lies."""

OPEN: Final = ("clear", "rough")
"""Terrain that is open: in it units are observed from the air (12.1.6f); any other terrain covers them."""


@attrs.frozen
class Cell:
    """What lies in one hex: its terrains, the works dug there, whether it is a vantage point or cannot be entered."""

    terrain: tuple[str, ...] = ("clear",)
    works: str = "none"
    vantage: bool = False
    impassable: bool = False

    @property
    def covering(self) -> bool:
        """Whether any of its terrains is covering terrain."""
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
        """What lies in a hex."""
        return next((cell for where, cell in self.cells if where == place), self.other)


def hexes_between(frame: Frame, a: Place, b: Place) -> int:
    """Return the shortest path in mile hexes, the first hex not counted (12.1.3).

    Places of another game's frame count by the mile hex they lie in.
    """
    if a == b:
        return 0
    if frame is FRAME:
        return distance(a, b)
    return distance(nearest_hex(*frame.metres(a), HEX_METRES), nearest_hex(*frame.metres(b), HEX_METRES))
