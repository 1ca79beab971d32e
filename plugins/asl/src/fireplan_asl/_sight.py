"""LOS computed from the levels, obstacles and Hindrances of hexes: a simple model that stands in for chapter A6.

Derived, not printed: the texts speak of LOS, Base Level, Blast Height and Hindrances (C1.32, C1.57, C1.62) and leave
LOS itself to chapters that are not in them. Here it is the straight line from the Observer's height in the centre of
his hex to a height in the centre of another. In the hexes between them

- an obstacle stops it where it passes below the obstacle's top anywhere in the hex;
- bare ground stops it where it is below the hex's level in the middle of its way through, so slopes are no steps;
- a Hindrance counts where it passes below the Hindrance's top.

To pass level with a top is to pass over it. Blind hexes follow from the same lines. Nothing in the Observer's own
hex or in the hex looked at is in the way. What a scenario declares goes before all this, in ``_eyes``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs

from fireplan_core import Place
from fireplan_core.space import Crossing, sight_line

HIGHEST = 9
UNSEEN = HIGHEST + 1
"""Levels above Base Level up to which LOS is looked for, and what stands for none of them."""


@attrs.frozen
class Plot:
    """A hex as it matters to LOS.

    The level of its ground; the height of an obstacle on it in levels; the drm of a Hindrance and the levels it
    reaches up to; the levels of the highest Location that is not Aerial (upstairs in a building) above the ground.
    """

    level: int = 0
    obstacle: int = 0
    hindrance: int = 0
    hindrance_levels: int = 1
    upstairs: int = 0


PLAIN = Plot()


@attrs.frozen
class LineOfSight:
    """The LOS of an Observer to a hex.

    ``lowest`` is the least number of levels above its Base Level that is in his LOS. ``hindrance`` is the sum of
    Hindrances to the Location that they Hinder least (C1.62), and ``low`` are the hexes in which that LOS is low
    enough for a FFE to Hinder it; ``middling`` those in which WP does.
    """

    lowest: int
    hindrance: int
    low: frozenset[Place]
    middling: frozenset[Place]


def lines_from(
    eye: Place,
    height: int,
    places: Iterable[Place],
    plots: Mapping[Place, Plot],
    *,
    levels: tuple[int, int],
    both: bool,
) -> dict[Place, LineOfSight]:
    """Return the LOS from a height in a hex to each place.

    ``levels`` are those to which a HE FFE and WP are Hindrances. Along a hexside only what is in the way in ``both``
    its hexes counts, or else what is in either.
    """
    return {place: _line(sight_line(eye, place), height, plots, levels, both=both) for place in places}


def _line(
    pieces: tuple[Crossing, ...], height: int, plots: Mapping[Place, Plot], levels: tuple[int, int], *, both: bool
) -> LineOfSight:
    crossed = [(piece, [plots.get(hex_, PLAIN) for hex_ in piece.hexes]) for piece in pieces]
    ((_, (there,)), between) = crossed[-1], crossed[1:-1]
    # Bare ground that both ends are above, or level with, stops no line between them.
    end = min(height, there.level)
    rough = [(piece, held) for piece, held in between if any(plot.obstacle or plot.level > end for plot in held)]

    def open_to(above: int) -> bool:
        return not any(_stops(piece, held, height, there.level + above, both=both) for piece, held in rough)

    # The higher the end the higher the line is everywhere, so what is seen of a hex is seen from some level up.
    lowest = next((above for above in range(HIGHEST + 1) if open_to(above)), UNSEEN)
    upstairs = there.upstairs if lowest <= there.upstairs else 0
    top = there.level + upstairs
    hindrance = 0
    for piece, held in between:
        if any(plot.hindrance for plot in held):
            least = _least(piece, height, top)
            drms = [
                plot.hindrance if least < (plot.level + plot.hindrance_levels) * piece.whole else 0 for plot in held
            ]
            hindrance += min(drms) if both else max(drms)
    low, middling = (
        frozenset(
            cell
            for piece, held in crossed
            for cell, plot in zip(piece.hexes, held, strict=True)
            if _least(piece, height, top) < (plot.level + reach) * piece.whole
        )
        for reach in levels
    )
    return LineOfSight(lowest, hindrance, low, middling)


def _stops(piece: Crossing, held: Sequence[Plot], start: int, end: int, *, both: bool) -> bool:
    """Return whether a piece of the line, with what its hexes hold, is stopped by an obstacle or by the ground."""
    middle = 2 * start * piece.whole + (end - start) * (piece.enters + piece.leaves)
    least = _least(piece, start, end)
    stopped = [
        middle < 2 * plot.level * piece.whole
        or (plot.obstacle > 0 and least < (plot.level + plot.obstacle) * piece.whole)
        for plot in held
    ]
    return all(stopped) if both else any(stopped)


def _least(piece: Crossing, start: int, end: int) -> int:
    """Return the least height of the line in a piece, times ``piece.whole``."""
    return start * piece.whole + (end - start) * (piece.enters if end > start else piece.leaves)
