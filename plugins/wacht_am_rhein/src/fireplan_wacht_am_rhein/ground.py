"""The ground of this game: hexes one mile across, and how many of them lie between two places of any frame.

Geometry only; what may fire how far is in ``barrage``, where fire lands in ``areas``.
"""

from __future__ import annotations

import math
from typing import Final

from fireplan.mission import Place
from fireplan.space import Frame, HexFrame, Layout, distance, nearest_hex, numbered_columns

HEX_METRES: Final = 1609
"""Metres from hexside to hexside: one mile."""

HEX_HECTARES: Final = HEX_METRES**2 * math.sqrt(3) / 2 / 10_000
"""Area of one hex."""

FRAME: Final = HexFrame(HEX_METRES, Layout(numbered_columns(1, 60), (1, 60), (1, 60), digits=2))
"""A blank map of 60 columns and 60 rows; the printed maps are not in the plugin."""

MIDDLE: Final = (29, 16)
"""The hex in which an engagement's target lies."""


def hexes_between(frame: Frame, a: Place, b: Place) -> int:
    """Return the shortest path in mile hexes, the first hex not counted (12.1.3).

    Places of another game's frame count by the mile hex they lie in.
    """
    if a == b:
        return 0
    return distance(nearest_hex(*frame.metres(a), HEX_METRES), nearest_hex(*frame.metres(b), HEX_METRES))
