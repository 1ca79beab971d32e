"""Names from files as plain words, and distances in the unit of a table."""

import re

from fireplan_core.sentences import capitalized
from fireplan_core.space import (
    Frame,
    HexFrame,
    Place,
    PlaneFrame,
    VertexFrame,
    distance,
    vertex_distance,
)

_JOINED = re.compile(r"_|(?<=[a-z])\.(?=\d)")
"""Matches the marks that join the words of a name in a file."""


def plain(text: str) -> str:
    """Return a name from a file as plain words, without the marks that join them."""
    return _JOINED.sub(" ", text)


def side_name(side: str) -> str:
    """Return the name of a side as a player writes it, e.g. ``German`` for ``german``."""
    return capitalized(plain(side))


def measured(frame: Frame, metres: float) -> str:
    """Return a distance in metres or yards, whichever the places of a table are written in."""
    if isinstance(frame, PlaneFrame) and frame.metres_per_yard != 1:
        return f"{metres / frame.metres_per_yard:.0f} yards"
    return f"{metres:.0f} m"


def apart(frame: Frame, a: Place, b: Place) -> str:
    """Return the distance between two places as players count it, e.g. "2 hexes" or "1 vertex".

    On ground without hexes it is in yards or metres.
    """
    if isinstance(frame, HexFrame):
        return _counted(distance(a, b), "hex", "hexes")
    if isinstance(frame, VertexFrame):
        hexes = [frame.cells(place, 0.0) for place in (a, b)]
        if all(len(each) > 1 for each in hexes):
            return _counted(vertex_distance(a, b), "vertex", "vertices")
        nearest = min(distance(one, other) for one in hexes[0] for other in hexes[1])
        return _counted(nearest, "hex", "hexes")
    return measured(frame, frame.gap_metres(frame.gap(a, b)))


def _counted(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
