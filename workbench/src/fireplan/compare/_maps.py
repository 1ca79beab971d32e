"""The maps of a sheet: one panel for each game, all on one scale in metres, with the firer to the north.

Only pixels are worked out here; ``_picture`` puts the panels on the sheet and the template writes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import attrs

from fireplan.compare._answers import Comparison, GameAnswer, Measured, Picture
from fireplan.compare._curves import horizon
from fireplan.compare._drawing import (
    RAMP_FROM,
    SOFT_INK,
    TIMES,
    Line,
    Look,
    Outline,
    Point,
    amount,
    box,
    centroid,
    clean,
    ink_on,
    inner_radius,
    look,
    merged,
    number,
    percent,
    points,
    shade,
    width,
    wrap,
)
from fireplan_core import Engagement

LEADING = 16.0  # from one line of a heading or caption to the next
OWN_MARK = (15.0, 8.0)  # half the width and height of the mark for own troops

# A game does not set the scale if one cell of it is so many times wider than what the others have to show, nor do
# own troops who are so many times farther: the rest would vanish.
_COARSE, _FAR = 8, 4
# Cells that hold this much of the fire set the scale; rarer ones may lie beyond the frame.
_COMMON = Fraction(98, 100)
_SMALLEST_TYPE, _LARGEST_TYPE = 10.0, 17.0
_CAP_HEIGHT = 0.73

_Box = tuple[float, float, float, float]


@attrs.frozen
class Cell:
    """A cell where fire lands, filled by probability; its figure is also its tooltip."""

    points: str
    fill: str
    figure: str


@attrs.frozen
class Figure:
    """A percentage printed in a cell."""

    x: float
    y: float
    text: str
    size: float
    ink: str
    ground: str


@attrs.frozen
class Own:
    """The mark for own troops; ``away`` when they are beyond the frame. The label has a plate of its own."""

    y: float
    away: bool
    label: Line
    plate: float


@attrs.frozen
class Panel:
    """One game's map, in pixels from the frame's top left, or why there is none."""

    key: str
    x: float
    y: float
    look: Look
    heading: tuple[Line, ...]
    cells: tuple[Cell, ...]
    footprint: str
    figures: tuple[Figure, ...]
    cross: str
    own: Own | None
    captions: tuple[Line, ...]
    reasons: tuple[Line, ...]
    mapped: bool


@attrs.frozen
class Scale:
    """The one scale of all maps: a frame's side in pixels and metres, and the scale bar's length in metres.

    The target's centre lies in the frame's middle from east to west, and ``north`` metres below its upper border.
    """

    side: float
    metres: float
    north: float
    bar: int

    @property
    def pixels(self) -> float:
        """Pixels in a metre."""
        return self.side / self.metres

    @property
    def middle(self) -> Point:
        """Where the target's centre is in its frame."""
        return self.at((0.0, 0.0))

    def at(self, point: Point) -> Point:
        """Where a point in metres from the target's centre is in its frame."""
        return self.side / 2 + point[0] * self.pixels, (self.north + point[1]) * self.pixels

    def holds(self, point: Point) -> bool:
        """Whether a point in metres lies in the frame."""
        return all(0 <= pixel <= self.side for pixel in self.at(point))


def _all_cells(picture: Picture) -> list[Outline]:
    return [*(outline for outline, _ in picture.first_falls), *picture.footprint]


def _reach(outlines: Iterable[Outline]) -> float:
    """How far from the target's centre outlines go, to any of the four sides."""
    return max((abs(metres) for outline in outlines for point in outline for metres in point), default=0.0)


def _common(picture: Picture) -> list[Outline]:
    """The nearest cells that together take nearly all of the fire."""
    nearest = sorted(picture.first_falls, key=lambda fall: _reach([fall[0]]))
    wanted = _COMMON * sum((share for _, share in nearest), Fraction(0))
    found = Fraction(0)
    taken: list[Outline] = []
    for outline, share in nearest:
        if found >= wanted:
            break
        found += share
        taken.append(outline)
    return taken


def _drawable(game: GameAnswer) -> Picture | None:
    """The game's picture without outlines that enclose nothing; None when nothing is left."""
    if game.picture is None:
        return None
    falls = tuple(fall for fall in game.picture.first_falls if len(fall[0]) > 2)  # noqa: PLR2004 - a triangle at least
    footprint = tuple(outline for outline in game.picture.footprint if len(outline) > 2)  # noqa: PLR2004
    return Picture(falls, footprint) if falls or footprint else None


def common_scale(comparison: Comparison, side: float) -> Scale:
    """A scale on which the target, own troops and the games' cells are seen, whatever one coarse cell may need."""
    pictures = [picture for game in comparison.games.values() if (picture := _drawable(game)) is not None]
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
    power = 10 ** math.floor(math.log10(0.4 * metres))
    bar = max(power * step for step in (1, 2, 5) if power * step <= 0.4 * metres)
    return Scale(side, metres, north + (metres - north - needed) / 2, bar)


def panel(comparison: Comparison, key: str, scale: Scale, x: float) -> Panel:
    """The panel of one game; the sheet decides about its ``y``."""
    game = comparison.games.get(key)
    own = _own(comparison.engagement, scale)
    marks = look(comparison.look_of(key))
    empty = Panel(clean(key), x, 0.0, marks, (), (), "", (), _cross(0, 0), own, (), (), mapped=False)
    if game is None:
        reasons = _paragraphs(comparison.cannot[key], scale.side)
        title = wrap(clean(comparison.titles.get(key, key)), 15, scale.side - 20, 2, bold=True)
        heading = tuple(Line(20, 0, text, 15, weight="bold") for text in title)
        return attrs.evolve(empty, heading=heading, reasons=reasons)
    picture = _drawable(game)
    if picture is None:
        reasons = _paragraphs(("There is no map of this game's fire.",), scale.side, "")
        return attrs.evolve(empty, heading=_heading(game, scale.side), reasons=reasons)
    falls, shrunk = _apart(picture)
    # The likeliest cell lies on top where cells overlap.
    falls = sorted(falls, key=lambda fall: fall[1])
    drawn = [([scale.at(p) for p in outline], share) for outline, share in falls]
    figures, cross = _figures(drawn, scale, own)
    captions = _captions(game, picture, scale, comparison.engagement.minutes, shrunk=shrunk)
    return attrs.evolve(
        empty,
        heading=_heading(game, scale.side),
        cells=tuple(Cell(points(outline), shade(share), percent(share)) for outline, share in drawn),
        footprint="".join(
            "M" + "L".join(points([scale.at(p)]) for p in loop) + "Z" for loop in merged(picture.footprint)
        ),
        figures=figures,
        cross=cross,
        captions=tuple(Line(0, scale.side + 56 + i * LEADING, line, 12, SOFT_INK) for i, line in enumerate(captions)),
        mapped=True,
    )


def stacked(lines: tuple[Line, ...], top: float) -> tuple[Line, ...]:
    """Lines of type one below the other."""
    return tuple(attrs.evolve(line, y=top + LEADING * i) for i, line in enumerate(lines))


def _heading(game: GameAnswer, side: float) -> tuple[Line, ...]:
    title = wrap(clean(game.title), 15, side - 20, 2, bold=True)
    moment = f"one {clean(game.moment)} is {amount(game.minutes_per_moment)} min"
    if game.grain != game.minutes_per_moment:
        moment += f", times within {amount(game.grain)} min"
    lines = [Line(20, 0, text, 15, weight="bold") for text in title]
    small = (*wrap(clean(game.edition), 12, side - 20, 2), *wrap(moment, 12, side - 20, 1))
    return (*lines, *(Line(20, 0, text, 12, SOFT_INK) for text in small))


def _paragraphs(reasons: tuple[str, ...], side: float, lead: str = "Cannot be staged:") -> tuple[Line, ...]:
    """Reasons in words, in the middle of an empty frame."""
    texts = [line for reason in reasons for line in (*wrap(clean(reason), 13, side - 56, 6), "")][:-1]
    most = int((side - 90) / 18)
    if len(texts) > most:
        texts = [*texts[: most - 1], "…"]
    y = side / 2 - 9 * len(texts)
    lines = [Line(28, y - 12, lead, 14, weight="bold")] if lead else []
    return (*lines, *(Line(28, y + 14 + 18 * i, text, 13) for i, text in enumerate(texts) if text))


def _apart(picture: Picture) -> tuple[list[tuple[Outline, Fraction]], bool]:
    """The cells of first fire, shrunk about their centres if they would cover one another, and whether they were.

    Fire that may land at points closer together than its own reach has outlines that overlap; only hexes tile.
    """
    falls: list[tuple[Outline, Fraction]] = list(picture.first_falls)
    middles = [centroid(outline) for outline, _ in falls]
    apart = min((math.dist(a, b) for i, a in enumerate(middles) for b in middles[:i]), default=math.inf)
    across = 2 * max((inner_radius(outline) for outline, _ in falls), default=0.0)
    if apart >= 0.98 * across:
        return falls, False
    factor = apart / across
    shrunk: list[tuple[Outline, Fraction]] = [
        ([(x + (east - x) * factor, y + (south - y) * factor) for east, south in outline], share)
        for (outline, share), (x, y) in zip(falls, middles, strict=True)
    ]
    return shrunk, True


def _own(engagement: Engagement, scale: Scale) -> Own | None:
    own = engagement.own_troops
    if own is None:
        return None
    away = own.distance_m + OWN_MARK[1] / scale.pixels > scale.north
    y = 14.0 if away else scale.at((0.0, -float(own.distance_m)))[1]
    label = Line(scale.side / 2 + OWN_MARK[0] + 7, y + 4, f"own troops, {own.distance_m:,} m", 12)
    return Own(y, away, label, width(label.text, label.size))


def _meet(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _figures(
    drawn: list[tuple[list[Point], Fraction]], scale: Scale, own: Own | None
) -> tuple[tuple[Figure, ...], str]:
    """Percentages for the cells that have room for one, likeliest first, and the cross that goes with them.

    The lowest step of the ramp has none: its colour says as much. A figure in the centre stands in an open cross.
    """
    east, south = scale.middle
    cross, opening = (east - 11, south - 11, east + 11, south + 11), (0.0, 0.0)
    taken: list[_Box] = []
    if own is not None:
        end = own.label.x + own.plate
        taken.append((east - OWN_MARK[0] - 2, own.y - OWN_MARK[1] - 2, end, own.y + OWN_MARK[1] + 2))
    figures = []
    for outline, share in reversed(drawn):
        if share < RAMP_FROM[1]:
            continue
        x, y = centroid(outline)
        radius = inner_radius(outline)
        # The widest figure decides about the sign, so that cells of one size all have it or all lack it.
        text, size = percent(share), min(_LARGEST_TYPE, max(_SMALLEST_TYPE, radius * 0.6))
        if width("100%", size, bold=True) > 2 * radius:
            text = text.removesuffix("%")
        wide, high = width(text, size, bold=True) / 2, size * _CAP_HEIGHT / 2
        here = (x - wide, y - high, x + wide, y + high)
        central = math.dist((x, y), scale.middle) < 1
        # A corner of the box may stick out of the cell a little: the figure's own corners are empty.
        fits = math.hypot(wide, high) <= 1.1 * radius and min(here) > 0 and max(here) < scale.side
        if central:
            # The cross leaves the middle free for the figure, or for a cell that is too small to hold one.
            opening = (wide + 3, high + 3) if fits else (radius + 3, radius + 3)
        if not fits or any(_meet(here, other) for other in taken) or (_meet(here, cross) and not central):
            continue
        taken.append(here)
        fill = shade(share)
        figures.append(Figure(x, y + high, text, size, ink_on(fill), fill))
    return tuple(figures), _cross(*opening)


def _cross(wide: float, high: float) -> str:
    """The cross that marks the centre; open in its middle by half a width and half a height, if these are given."""
    if not wide:
        return "M-9,0H9M0,-9V9"
    arms = [number(arm) for arm in (wide, wide + 6, high, high + 6)]
    return "M-{1},0H-{0}M{0},0H{1}M0,-{3}V-{2}M0,{2}V{3}".format(*arms)


def _captions(game: GameAnswer, picture: Picture, scale: Scale, watch: int, *, shrunk: bool) -> list[str]:
    """What the map cannot show: how often fire falls at all, and what the frame cuts off."""
    lines = []
    measured = game.measures.get("minutes_to_first_effect")
    if isinstance(measured, Measured):
        by, never = amount(horizon(game, watch)), measured.unresolved
        lines.append(
            f"Falls within {by} min: {percent(1 - never)}" + (f"; does not: {percent(never)}." if never else ".")
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
            lines.append("The frame cuts cells off" + (f"; {percent(beyond)} lands beyond it." if beyond else "."))
    if shrunk:
        lines.append("Marks are smaller than the ground covered: points of fall lie close together.")
    return [line for text in lines for line in wrap(text, 12, scale.side, 2)]
