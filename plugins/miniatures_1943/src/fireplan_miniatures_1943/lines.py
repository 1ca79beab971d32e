"""The line of a chit on the request chart: where it is, and what does not change of it."""

from __future__ import annotations

import attrs

from fireplan_core import record
from fireplan_miniatures_1943.chits import Chit


@record
class Line:
    """Where a chit is in its line: moves still to make until the Arrival box, 0 when it is there or unused.

    Counted in moves, not minutes: these delays always play on their own clock, a move a game turn.
    """

    to_go: int = 0


@attrs.frozen
class LineFacts:
    """The chit, the number of progress boxes of its line, the line's name, and where the chit lies before play.

    ``start`` counts moves still to make, as ``Line`` does; None for a chit in hand.
    """

    chit: Chit
    boxes: int
    line: str = ""
    start: int | None = None
