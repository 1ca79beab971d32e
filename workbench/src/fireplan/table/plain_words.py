"""Names from files as plain words, and distances in the unit of a table."""

import re

from fireplan_core.sentences import capitalized
from fireplan_core.space import Frame, PlaneFrame

_JOINED = re.compile(r"_|(?<=[a-z])\.(?=\d)")
"""Matches the marks that join the words of a name in a file."""


def plain(text: str) -> str:
    """Return a name from a file as plain words, without the marks that join them."""
    return _JOINED.sub(" ", text)


def side_name(side: str) -> str:
    """Return the name of a side as a player writes it: ``German`` for ``german``, ``US``."""
    return capitalized(plain(side))


def measured(frame: Frame, metres: float) -> str:
    """Return a distance in the unit that the places of a table are written in: metres or yards."""
    if isinstance(frame, PlaneFrame) and frame.metres_per_yard != 1:
        return f"{metres / frame.metres_per_yard:.0f} yards"
    return f"{metres:.0f} m"
