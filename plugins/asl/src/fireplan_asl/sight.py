"""LOS computed from levels, obstacles and Hindrances: a simple model in place of chapter A6.

This model is derived, not printed: C1 and E12 use LOS, Base Level, Blast Height and Hindrances
(C1.32, C1.57, C1.62) but leave LOS itself to other chapters. Here an LOS is the straight line from
the Observer's height in the centre of a hex to a height in the centre of another. In the hexes
between them

- an obstacle blocks the line if the line passes below its top anywhere in the hex;
- bare ground blocks the line if, halfway through the hex, the line is below the hex's level;
- a Hindrance counts if the line passes below its top; for a line to the top of a burst, it must
  also reach as high as the burst.

A line level with a top passes over it. Blind hexes follow from the same lines. Neither the
Observer's own hex nor the target hex is ever in the way. LOS declared by a scenario comes first;
see ``observers``.
"""

from collections.abc import Iterable, Mapping, Sequence

import attrs

from fireplan_core import Place
from fireplan_core.space import Crossing, sight_line

HIGHEST = 9
UNSEEN = HIGHEST + 1
"""The level that means "no level is visible", one above the highest level checked for LOS."""


@attrs.frozen
class HexTerrain:
    """The terrain of a hex, for LOS.

    ``level`` is the level of its ground. ``obstacle`` is the height of an obstacle, in levels.
    ``hindrance`` is the drm of a Hindrance that is ``hindrance_levels`` high. ``upstairs`` is the
    level of the highest non-Aerial Location above the ground.
    """

    level: int = 0
    obstacle: int = 0
    hindrance: int = 0
    hindrance_levels: int = 1
    upstairs: int = 0


PLAIN = HexTerrain()


@attrs.frozen
class Haze:
    """The Hindrances of an LOS to one height in a hex.

    ``hindrance`` is their total. ``low`` are the hexes in which the LOS is low enough for an FFE to
    Hinder it, and ``middling`` are those in which it is low enough for WP.
    """

    hindrance: int
    low: frozenset[Place]
    middling: frozenset[Place]


@attrs.frozen
class LineOfSight(Haze):
    """The LOS of an Observer to a hex, at its least Hindered Location (C1.62).

    ``lowest`` is the lowest visible level above Base Level. ``bursts`` maps each Blast Height, in
    levels above Base Level, to the Hindrances of an LOS to its top.
    """

    lowest: int
    bursts: Mapping[int, Haze] = attrs.field(factory=dict)


def lines_from(
    eye: Place,
    height: int,
    places: Iterable[Place],
    plots: Mapping[Place, HexTerrain],
    *,
    levels: tuple[int, int],
    both: bool,
    bursts: tuple[int, ...] = (),
) -> dict[Place, LineOfSight]:
    """Map each place to its LOS from the hex ``eye``, seen from level ``height``.

    ``levels`` are the heights, in levels, of an HE FFE and of WP as Hindrances; ``bursts`` are the
    levels of Blast Heights. Where a line runs along a hexside, terrain counts if it is in both
    hexes; with ``both`` false, it counts if it is in either.
    """
    return {
        place: _line(sight_line(eye, place), _Eye(height, plots, levels, both=both), bursts)
        for place in places
    }


@attrs.frozen
class _Eye:
    """The Observer's height and the surrounding terrain.

    ``levels`` are the heights, in levels, of an HE FFE and of WP as Hindrances. ``both`` means that
    terrain along a hexside counts only if it is in both hexes.
    """

    height: int
    plots: Mapping[Place, HexTerrain]
    levels: tuple[int, int]
    both: bool = attrs.field(kw_only=True)


_Crossed = list[tuple[Crossing, list[HexTerrain]]]


def _line(pieces: tuple[Crossing, ...], eye: _Eye, bursts: tuple[int, ...]) -> LineOfSight:
    height, both = eye.height, eye.both
    crossed = [(piece, [eye.plots.get(hex_, PLAIN) for hex_ in piece.hexes]) for piece in pieces]
    ((_, (target,)), between) = crossed[-1], crossed[1:-1]
    # Bare ground no higher than either end cannot block the line.
    end = min(height, target.level)
    rough = [
        (piece, plots)
        for piece, plots in between
        if any(plot.obstacle or plot.level > end for plot in plots)
    ]

    def open_to(above: int) -> bool:
        return not any(
            _stops(piece, plots, height, target.level + above, both=both) for piece, plots in rough
        )

    # Raising the end raises the whole line, so all levels above the lowest visible one are seen.
    lowest = next((above for above in range(HIGHEST + 1) if open_to(above)), UNSEEN)
    upstairs = target.upstairs if lowest <= target.upstairs else 0
    seen = _haze(crossed, eye, target.level + upstairs)
    over = {
        above: _haze(crossed, eye, target.level + above, least=target.level + above)
        for above in bursts
    }
    return LineOfSight(seen.hindrance, seen.low, seen.middling, lowest, over)


def _haze(crossed: _Crossed, eye: _Eye, top: int, least: int = -UNSEEN) -> Haze:
    """Return the Hindrances of the LOS to level ``top``; only those that reach ``least`` count."""

    def hinders(piece: Crossing, plot: HexTerrain, reach: int) -> bool:
        upper = plot.level + reach
        return upper >= least and _least(piece, eye.height, top) < upper * piece.whole

    hindrance = 0
    for piece, plots in crossed[1:-1]:
        drms = [
            plot.hindrance if hinders(piece, plot, plot.hindrance_levels) else 0 for plot in plots
        ]
        hindrance += min(drms) if eye.both else max(drms)
    low, middling = (
        frozenset(
            cell
            for piece, plots in crossed
            for cell, plot in zip(piece.hexes, plots, strict=True)
            if hinders(piece, plot, reach)
        )
        for reach in eye.levels
    )
    return Haze(hindrance, low, middling)


def _stops(
    piece: Crossing, plots: Sequence[HexTerrain], start: int, end: int, *, both: bool
) -> bool:
    """Return whether obstacles or the ground block the line within one piece.

    ``start`` and ``end`` are the levels of the line's ends. With ``both``, a line along a hexside
    is blocked only if both its hexes block it.
    """
    middle = 2 * start * piece.whole + (end - start) * (piece.enters + piece.leaves)
    least = _least(piece, start, end)
    stopped = [
        middle < 2 * plot.level * piece.whole
        or (plot.obstacle > 0 and least < (plot.level + plot.obstacle) * piece.whole)
        for plot in plots
    ]
    return all(stopped) if both else any(stopped)


def _least(piece: Crossing, start: int, end: int) -> int:
    """Return the line's lowest height within a piece, multiplied by ``piece.whole``."""
    return start * piece.whole + (end - start) * (piece.enters if end > start else piece.leaves)
