"""Massed fire: preliminary bombardments and creeping barrages as the lines of hexes that they strike (7.1, 7.4).

Facts only: when a line is struck is the delays' business, which line the areas', what it does the resolution's.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from fireplan_core import Place
from fireplan_core.space import Hex
from fireplan_red_poppies._ground import COMPASS, Ground, row_of, toward

PULVERIZING = "pulverizing"
PARALYZING = "paralyzing"

DIRECTIONS = ("N", "S", "E", "W", *(name for name in COMPASS if len(name) == 2))
"""North and south shift rows, east and west columns; an area may also shift along the grain of the hexes."""

FARTHEST = 60
"""More lines than a map has."""


@attrs.frozen
class Line:
    """One row, column or area: the place that stands for it in events, and its hexes in play."""

    at: Place
    hexes: tuple[Hex, ...]


@attrs.frozen(eq=False)
class Massed:
    """A bombardment or barrage: its kind, the lines in the order they are struck, and where scrapes may lie.

    ``enemy`` is the targeted player.
    ``before`` is set for a bombardment before turn 1 (7.11). ``advances`` is how many lines a barrage goes forward
    before it ceases; None when it goes on to the edge of play.
    """

    kind: str
    lines: tuple[Line, ...]
    ground: Ground
    enemy: str = ""
    before: bool = True
    advances: int | None = None
    scrapes: tuple[Hex, ...] = ()

    def line_at(self, place: Place) -> Line:
        """The line that a place stands for."""
        return next(line for line in self.lines if line.at == place)


def advance(ground: Ground, first: tuple[Hex, ...], direction: str, advances: int | None) -> tuple[Line, ...]:
    """The first line of a barrage and those that follow; parts beyond the edge of play drop out (7.41, 7.42)."""
    at, hexes = first[len(first) // 2], first
    lines = [Line(at, first)]
    shift = _shift(direction)
    while len(lines) <= (FARTHEST if advances is None else advances):
        at, hexes = shift(at), tuple(shift(h) for h in hexes)
        inside = tuple(h for h in hexes if ground.in_play(h))
        if not inside:
            break
        lines.append(Line(at, inside))
    return tuple(lines)


def _shift(direction: str) -> Callable[[Hex], Hex]:
    if direction in COMPASS:
        return lambda hex_: toward(hex_, direction)
    step = 1 if direction == "E" else -1

    def across(hex_: Hex) -> Hex:
        q = hex_[0] + step
        return q, row_of(hex_) - q // 2

    return across
