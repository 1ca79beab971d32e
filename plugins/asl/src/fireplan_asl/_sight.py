"""LOS computed from the levels, obstacles and Hindrances of hexes: a simple model that stands in for chapter A6.

Derived, not printed: the texts speak of LOS, Base Level, Blast Height and Hindrances (C1.32, C1.57, C1.62) and leave
LOS itself to chapters that are not in them. Here it is the straight line from the Observer's height in the centre of
his hex to a height in the centre of another. In the hexes between them

- an obstacle stops it where it passes below the obstacle's top anywhere in the hex;
- bare ground stops it where it is below the hex's level in the middle of its way through, so slopes are no steps;
- a Hindrance counts where it passes below the Hindrance's top.

To pass level with a top is to pass over it. Blind hexes follow from the same lines. Nothing in the Observer's own
hex or in the hex looked at is in the way. What a scenario declares goes before all this, in ``_scenario_sight``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from fireplan.mission import Place
from fireplan.space import Crossing, sight_line

BURST, TALL_BURST = 2, 4
"""Levels above Base Level to which the Blast Height of a SR or FFE rises, and that of a WP FFE (C1.32)."""
FFE_LEVELS = 2
"""Levels to which a HE FFE is a Hindrance (C1.57)."""
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
class Line:
    """What an Observer sees of a hex.

    ``lowest`` is the least number of levels above its Base Level that is in his LOS. ``hindrance`` is the sum of
    Hindrances to the Location that they Hinder least (C1.62), and ``low`` are the hexes in which that LOS is low
    enough for a FFE to Hinder it.
    """

    lowest: int
    hindrance: int
    low: frozenset[Place]


def lines_from(
    eye: Place, height: int, places: Iterable[Place], plots: Mapping[Place, Plot], *, both: bool
) -> dict[Place, Line]:
    """The LOS from a height in a hex to each place.

    Along a hexside only what is in the way in ``both`` its hexes counts, or else what is in either.
    """
    return {place: _line(sight_line(eye, place), height, plots, both=both) for place in places}


def _line(pieces: tuple[Crossing, ...], height: int, plots: Mapping[Place, Plot], *, both: bool) -> Line:
    (end,) = pieces[-1].hexes
    there = plots.get(end, PLAIN)
    between = pieces[1:-1]

    def open_to(above: int) -> bool:
        return not any(_stops(piece, height, there.level + above, plots, both=both) for piece in between)

    # The higher the end the higher the line is everywhere, so what is seen of a hex is seen from some level up.
    lowest = next((above for above in range(HIGHEST + 1) if open_to(above)), UNSEEN)
    upstairs = there.upstairs if lowest <= there.upstairs else 0
    top = there.level + upstairs
    hindrance = 0
    for piece in between:
        drms = [
            plot.hindrance if _dips(piece, height, top, plot.level + plot.hindrance_levels) else 0
            for plot in (plots.get(hex_, PLAIN) for hex_ in piece.hexes)
        ]
        hindrance += min(drms) if both else max(drms)
    low = frozenset(
        hex_
        for piece in pieces
        for hex_ in piece.hexes
        if _dips(piece, height, top, plots.get(hex_, PLAIN).level + FFE_LEVELS)
    )
    return Line(lowest, hindrance, low)


def _stops(piece: Crossing, start: int, end: int, plots: Mapping[Place, Plot], *, both: bool) -> bool:
    """Whether a piece of the line is stopped by an obstacle or by the ground."""
    stopped = []
    for hex_ in piece.hexes:
        plot = plots.get(hex_, PLAIN)
        middle = 2 * start * piece.whole + (end - start) * (piece.enters + piece.leaves)
        stopped.append(
            middle < 2 * plot.level * piece.whole
            or (plot.obstacle > 0 and _dips(piece, start, end, plot.level + plot.obstacle))
        )
    return all(stopped) if both else any(stopped)


def _dips(piece: Crossing, start: int, end: int, top: int) -> bool:
    """Whether the line is below a height anywhere in a piece."""
    least = min((end - start) * piece.enters, (end - start) * piece.leaves)
    return start * piece.whole + least < top * piece.whole
