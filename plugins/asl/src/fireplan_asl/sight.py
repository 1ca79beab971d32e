"""LOS computed from the levels, obstacles and Hindrances of hexes: a simple model that stands in for chapter A6.

Derived, not printed: the texts speak of LOS, Base Level, Blast Height and Hindrances (C1.32, C1.57,
C1.62) and leave LOS itself to chapters that are not in them. Here it is the straight line from the
Observer's height in the centre of his hex to a height in the centre of another. In the hexes
between them

- an obstacle stops it where it passes below the obstacle's top anywhere in the hex;
- bare ground stops it where it is below the hex's level in the middle of its way through, so slopes are no steps;
- a Hindrance counts where it passes below the Hindrance's top; to a burst only one that rises as high as it.

To pass level with a top is to pass over it. Blind hexes follow from the same lines. Nothing in the
Observer's own hex or in the hex looked at is in the way. What a scenario declares goes before all
this, in ``observers``.
"""

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

    The level of its ground; the height of an obstacle on it in levels; the drm of a Hindrance and
    the levels it reaches up to; the levels of the highest Location that is not Aerial (upstairs in
    a building) above the ground.
    """

    level: int = 0
    obstacle: int = 0
    hindrance: int = 0
    hindrance_levels: int = 1
    upstairs: int = 0


PLAIN = Plot()


@attrs.frozen
class Haze:
    """Hindrances on a LOS to one height of a hex.

    ``hindrance`` is their sum, ``low`` are the hexes in which the LOS is low enough for a FFE to Hinder it;
    ``middling`` those in which WP does.
    """

    hindrance: int
    low: frozenset[Place]
    middling: frozenset[Place]


@attrs.frozen
class LineOfSight(Haze):
    """The LOS of an Observer to a hex: to the Location that Hindrances Hinder least (C1.62).

    ``lowest`` is the least number of levels above its Base Level that is in his LOS. ``bursts`` are the LOS to the tops
    of the Blast Height, of WP as well, by levels above the Base Level.
    """

    lowest: int
    bursts: Mapping[int, Haze] = attrs.field(factory=dict)


def lines_from(
    eye: Place,
    height: int,
    places: Iterable[Place],
    plots: Mapping[Place, Plot],
    *,
    levels: tuple[int, int],
    both: bool,
    bursts: tuple[int, ...] = (),
) -> dict[Place, LineOfSight]:
    """Return the LOS from a height in a hex to each place.

    ``levels`` are those to which a HE FFE and WP are Hindrances, ``bursts`` those to which a Blast Height rises. Along
    a hexside only what is in the way in ``both`` its hexes counts, or else what is in either.
    """
    return {
        place: _line(sight_line(eye, place), _Eye(height, plots, levels, both=both), bursts)
        for place in places
    }


@attrs.frozen
class _Eye:
    """The height that is looked from, and what is said of the ground and what lies on it."""

    height: int
    plots: Mapping[Place, Plot]
    levels: tuple[int, int]
    both: bool = attrs.field(kw_only=True)


_Crossed = list[tuple[Crossing, list[Plot]]]


def _line(pieces: tuple[Crossing, ...], eye: _Eye, bursts: tuple[int, ...]) -> LineOfSight:
    height, both = eye.height, eye.both
    crossed = [(piece, [eye.plots.get(hex_, PLAIN) for hex_ in piece.hexes]) for piece in pieces]
    ((_, (there,)), between) = crossed[-1], crossed[1:-1]
    # Bare ground that both ends are above, or level with, stops no line between them.
    end = min(height, there.level)
    rough = [
        (piece, held)
        for piece, held in between
        if any(plot.obstacle or plot.level > end for plot in held)
    ]

    def open_to(above: int) -> bool:
        return not any(
            _stops(piece, held, height, there.level + above, both=both) for piece, held in rough
        )

    # The higher the end the higher the line is everywhere, so what is seen of a hex is seen from
    # some level up.
    lowest = next((above for above in range(HIGHEST + 1) if open_to(above)), UNSEEN)
    upstairs = there.upstairs if lowest <= there.upstairs else 0
    seen = _haze(crossed, eye, there.level + upstairs)
    over = {
        above: _haze(crossed, eye, there.level + above, least=there.level + above)
        for above in bursts
    }
    return LineOfSight(seen.hindrance, seen.low, seen.middling, lowest, over)


def _haze(crossed: _Crossed, eye: _Eye, top: int, least: int = -UNSEEN) -> Haze:
    """Return what Hinders the LOS to a level, of all that reaches up to ``least``."""

    def hinders(piece: Crossing, plot: Plot, reach: int) -> bool:
        upper = plot.level + reach
        return upper >= least and _least(piece, eye.height, top) < upper * piece.whole

    hindrance = 0
    for piece, held in crossed[1:-1]:
        drms = [
            plot.hindrance if hinders(piece, plot, plot.hindrance_levels) else 0 for plot in held
        ]
        hindrance += min(drms) if eye.both else max(drms)
    low, middling = (
        frozenset(
            cell
            for piece, held in crossed
            for cell, plot in zip(piece.hexes, held, strict=True)
            if hinders(piece, plot, reach)
        )
        for reach in eye.levels
    )
    return Haze(hindrance, low, middling)


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
