"""The maps of a sheet: a panel for each game, all on one scale, with the firer to the north."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs

from fireplan.analysis.answers import Comparison, GameAnswer, Measured, Picture
from fireplan.draw.lettering import TIMES, amount, clean, whole_percent, width, wrap
from fireplan.draw.palette import RAMP_FROM, Look, ink_on, shade
from fireplan.draw.shapes import Outline, Point, box, centroid, inner_radius, merged, round_length
from fireplan.draw.svg import coordinate, path_of, points
from fireplan_core import Engagement

LEADING = 16.0  # line height of headings and captions, in pixels

# Limits on the scale, because a wider frame would make the target too small to see. ``_COARSE``: a
# game whose cells are wider than this many times the smallest reach of any game's fire does not set
# the scale. ``_FAR``: nor do own troops farther away than this many times what the games need.
_COARSE, _FAR = 8, 4
# The cells nearest the target that together receive this share of the fire set the scale; cells
# farther out may lie beyond the frame.
_COMMON = Fraction(98, 100)
_SMALLEST_TYPE, _LARGEST_TYPE = 10.0, 17.0
_CAP_HEIGHT = 0.73
_OWN_TROOPS = (15.0, 8.0)  # half the width and height of the symbol for own troops, in pixels

_Box = tuple[float, float, float, float]
_Fall = tuple[Outline, Fraction]


@attrs.frozen
class Panel:
    """A game's panel: the template values of its map, or the reasons why it has none.

    ``title`` and ``details`` are the lines above the map, ``captions`` the lines below. ``lead`` is
    the heading of the reasons.
    """

    key: str
    look: Look
    title: list[str]
    details: list[str] = attrs.field(factory=list)
    map: dict[str, Any] | None = None
    captions: list[str] = attrs.field(factory=list)
    lead: str = ""
    reasons: list[str] = attrs.field(factory=list)

    @property
    def above(self) -> float:
        """Return the height of the heading in pixels."""
        return (len(self.title) + len(self.details)) * LEADING + 10


@attrs.frozen
class Scale:
    """The scale of all maps: a frame's side in pixels and metres, and the scale bar in metres.

    The target's centre lies midway between the left and right borders of the frame, and ``north``
    metres below the top border.
    """

    side: float
    metres: float
    north: float
    bar: int

    @property
    def pixels(self) -> float:
        """Return the number of pixels per metre."""
        return self.side / self.metres

    @property
    def half(self) -> str:
        """Return half the length of the scale bar in metres as text, to label its midpoint."""
        return amount(Fraction(self.bar, 2))

    @property
    def middle(self) -> Point:
        """Return the target's centre in pixels of the frame."""
        return self.at((0.0, 0.0))

    def at(self, point: Point) -> Point:
        """Return a point, given in metres from the target's centre, in pixels of the frame."""
        return self.side / 2 + point[0] * self.pixels, (self.north + point[1]) * self.pixels

    def holds(self, point: Point) -> bool:
        """Return whether a point, given in metres from the target's centre, lies in the frame."""
        return all(0 <= pixel <= self.side for pixel in self.at(point))


def _all_cells(picture: Picture) -> list[Outline]:
    return [*(outline for outline, _ in picture.first_falls), *picture.footprint]


def _reach(outlines: Iterable[Outline]) -> float:
    """Return the greatest distance of a corner east, west, north or south of the target, in metres.

    Return 0 without outlines.
    """
    return max(
        (abs(metres) for outline in outlines for point in outline for metres in point), default=0.0
    )


def _common(picture: Picture) -> list[Outline]:
    """Return the outlines nearest the target that together receive at least 98 % of the fire."""
    nearest = sorted(picture.first_falls, key=lambda fall: _reach([fall[0]]))
    needed = _COMMON * sum((share for _, share in nearest), Fraction(0))
    so_far = Fraction(0)
    common: list[Outline] = []
    for outline, share in nearest:
        if so_far >= needed:
            break
        so_far += share
        common.append(outline)
    return common


def _drawable(game: GameAnswer) -> Picture | None:
    """Return the game's picture without empty outlines, or None if nothing remains."""
    if game.picture is None:
        return None
    falls = tuple(fall for fall in game.picture.first_falls if len(fall[0]) > 2)  # noqa: PLR2004 - at least a triangle
    footprint = tuple(outline for outline in game.picture.footprint if len(outline) > 2)  # noqa: PLR2004
    return Picture(falls, footprint) if falls or footprint else None


def common_scale(comparison: Comparison, side: float) -> Scale:
    """Return a scale on which the frames, ``side`` pixels wide, show the target and most fire.

    Own troops set the scale too, unless they are far away; very coarse cells and rare falls do not,
    and may be cut off.
    """
    pictures = [
        picture for game in comparison.games.values() if (picture := _drawable(game)) is not None
    ]
    reaches = [_reach([*_common(picture), *picture.footprint]) for picture in pictures]
    target = comparison.engagement.target
    needed = max(target.frontage_m, target.depth_m) / 2
    coarse = _COARSE * max(needed, min(reaches, default=0.0))
    for picture, reach in zip(pictures, reaches, strict=True):
        if max(box(outline)[2] - box(outline)[0] for outline in _all_cells(picture)) <= coarse:
            needed = max(needed, reach)
    own = comparison.engagement.own_troops
    north = needed
    if own is not None and own.distance_m <= _FAR * needed:
        north = max(needed, own.distance_m * 1.06)
    metres = 50.0 * math.ceil((north + needed) * 1.04 / 50)
    return Scale(side, metres, north + (metres - north - needed) / 2, round_length(0.4 * metres))


def panel(comparison: Comparison, key: str, scale: Scale) -> Panel:
    """Return the panel of a game, with its map or the reasons why it has none."""
    game = comparison.games.get(key)
    marks = comparison.look_of(key)
    room = scale.side - 20
    title = wrap(
        clean(game.title if game else comparison.titles.get(key, key)), 15, room, 2, bold=True
    )
    if game is None:
        lead, reasons = comparison.missing[key]
        return Panel(clean(key), marks, title, lead=lead, reasons=_reasons(reasons, scale.side))
    moment = f"one {clean(game.moment)} is {amount(game.minutes_per_moment)} min"
    if game.grain != game.minutes_per_moment:
        moment += f", times within {amount(game.grain)} min"
    details = [*wrap(clean(game.edition), 12, room, 2), *wrap(moment, 12, room, 1)]
    picture = _drawable(game)
    if picture is None:
        reasons = ("There is no map of this game's fire.",)
        return Panel(clean(key), marks, title, details, reasons=_reasons(reasons, scale.side))
    falls, shrunk = _apart(picture)
    engagement = comparison.engagement
    captions = _captions(game, picture, scale, engagement.minutes, shrunk=shrunk)
    return Panel(
        clean(key), marks, title, details, _map(engagement, picture, falls, scale), captions
    )


def _reasons(reasons: tuple[str, ...], side: float) -> list[str]:
    """Return the reasons as wrapped lines, cut to the height of an empty frame."""
    lines = [line for reason in reasons for line in (*wrap(clean(reason), 13, side - 56, 6), "")][
        :-1
    ]
    most = int((side - 90) / 18)
    return lines if len(lines) <= most else [*lines[: most - 1], "…"]


def _map(
    engagement: Engagement, picture: Picture, falls: list[_Fall], scale: Scale
) -> dict[str, Any]:
    """Return the template values of a game's map."""
    target = engagement.target
    # The likeliest cell is drawn last, on top of the others.
    cells = [
        ([scale.at(p) for p in outline], share)
        for outline, share in sorted(falls, key=lambda fall: fall[1])
    ]
    own, taken = _own(engagement, scale)
    figures, opening = _figures(cells, scale, taken)
    east, south = target.frontage_m * scale.pixels / 2, target.depth_m * scale.pixels / 2
    return {
        "cells": [
            (points(outline), shade(share), whole_percent(share)) for outline, share in cells
        ],
        "footprint": path_of([scale.at(p) for p in loop] for loop in merged(picture.footprint)),
        "frontage": path_of([[(-east, -south), (east, -south), (east, south), (-east, south)]]),
        "figures": figures,
        "opening": opening,
        "own": own,
    }


def _apart(picture: Picture) -> tuple[list[_Fall], bool]:
    """Return the cells where first fire may land, and whether they were shrunk to avoid overlaps.

    Cells overlap if fire may land at points closer together than the diameter of a cell; only hexes
    tile.
    """
    falls: list[_Fall] = list(picture.first_falls)
    middles = [centroid(outline) for outline, _ in falls]
    distance = min(
        (math.dist(a, b) for i, a in enumerate(middles) for b in middles[:i]), default=math.inf
    )
    diameter = 2 * max((inner_radius(outline) for outline, _ in falls), default=0.0)
    if distance >= 0.98 * diameter:
        return falls, False
    factor = distance / diameter
    shrunk: list[_Fall] = [
        ([(x + (east - x) * factor, y + (south - y) * factor) for east, south in outline], share)
        for (outline, share), (x, y) in zip(falls, middles, strict=True)
    ]
    return shrunk, True


def _own(engagement: Engagement, scale: Scale) -> tuple[dict[str, Any] | None, list[_Box]]:
    """Return the labelled symbol for own troops, and the boxes that it occupies.

    The symbol is an arrow if the troops are beyond the frame. Return (None, []) if there are none.
    """
    own = engagement.own_troops
    if own is None:
        return None, []
    wide, high = _OWN_TROOPS
    away = own.distance_m + high / scale.pixels > scale.north
    x, y = scale.side / 2, 14.0 if away else scale.at((0.0, -float(own.distance_m)))[1]
    words, left = f"own troops, {own.distance_m:,} m", x + wide + 7
    end = left + width(words, 12)
    drawn = {"at": (x, y), "away": away, "left": left, "end": end, "words": words}
    return drawn, [(x - wide - 2, y - high - 2, end, y + high + 2)]


def _meet(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _figures(
    cells: list[tuple[list[Point], Fraction]], scale: Scale, taken: list[_Box]
) -> tuple[list[Any], str]:
    """Return percentages for cells with room, likeliest first, and the SVG path of the cross.

    Cells with the palest colour get no percentage, because the colour is enough. The cross opens
    around a percentage in the centre. ``taken`` has the boxes already occupied; those of the
    percentages are added to it.
    """
    east, south = scale.middle
    centre, opening = (east - 11, south - 11, east + 11, south + 11), (0.0, 0.0)
    figures = []
    for outline, share in reversed(cells):
        if share < RAMP_FROM[1]:
            continue
        x, y = centroid(outline)
        radius = inner_radius(outline)
        # The widest figure decides whether all show a percent sign, so that equal cells look alike.
        figure, size = whole_percent(share), min(_LARGEST_TYPE, max(_SMALLEST_TYPE, radius * 0.6))
        if width("100%", size, bold=True) > 2 * radius:
            figure = figure.removesuffix("%")
        wide, high = width(figure, size, bold=True) / 2, size * _CAP_HEIGHT / 2
        falls = (x - wide, y - high, x + wide, y + high)
        central = math.dist((x, y), scale.middle) < 1
        # The box of the figure may protrude from the cell a little, because its corners are empty.
        fits = math.hypot(wide, high) <= 1.1 * radius and min(falls) > 0 and max(falls) < scale.side
        if central:
            # The cross has a gap in its middle for the figure, or for a cell too small to hold one.
            opening = (wide + 3, high + 3) if fits else (radius + 3, radius + 3)
        if fits and not any(
            _meet(falls, other) for other in (*taken, *([] if central else [centre]))
        ):
            taken.append(falls)
            ground = shade(share)
            figures.append(((x, y + high), figure, size, ink_on(ground), ground))
    return figures, _cross(*opening)


def _cross(wide: float, high: float) -> str:
    """Return the SVG path of the cross at the centre.

    ``wide`` and ``high`` are the half width and half height of the gap in the middle; 0 closes it.
    """
    if not wide:
        return "M-9,0H9M0,-9V9"
    arms = [coordinate(arm) for arm in (wide, wide + 6, high, high + 6)]
    return "M-{1},0H-{0}M{0},0H{1}M0,-{3}V-{2}M0,{2}V{3}".format(*arms)


def _captions(
    game: GameAnswer, picture: Picture, scale: Scale, watch: int, *, shrunk: bool
) -> list[str]:
    """Return the lines below a map: the chance that fire falls, and cells cut off or shrunk.

    ``watch`` is the length of the watch in minutes.
    """
    lines = []
    measured = game.measures.get("minutes_to_first_effect")
    if isinstance(measured, Measured):
        # A game with long moments may give times later than the minutes that are shown.
        by, never = (
            amount(max(Fraction(watch), game.grain, game.delivery[-1][0])),
            measured.unresolved,
        )
        lines.append(
            f"Falls within {by} min: {whole_percent(1 - never)}"
            + (f"; does not: {whole_percent(never)}." if never else ".")
        )
    cut = [o for o in _all_cells(picture) if not all(map(scale.holds, o))]
    if cut:
        west, north, east, south = max((box(o) for o in cut), key=lambda b: b[2] - b[0])
        if max(east - west, south - north) > scale.metres:
            size = f"{amount(round(east - west))} {TIMES} {amount(round(south - north))} m"
            lines.append(f"One cell is {size}: the frame cuts it off.")
        else:
            outside = (share for o, share in picture.first_falls if not scale.holds(centroid(o)))
            beyond = sum(outside, Fraction(0))
            lines.append(
                "The frame cuts cells off"
                + (f"; {whole_percent(beyond)} lands beyond it." if beyond else ".")
            )
    if shrunk:
        lines.append(
            "Marks are smaller than the ground covered: points of fall lie close together."
        )
    return [line for text in lines for line in wrap(text, 12, scale.side, 2)]
