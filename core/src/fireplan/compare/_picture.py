"""The picture of a comparison: one sheet in SVG with a map panel for each game and the curves of delivery.

All maps of a sheet are on one scale, in metres, with the firer to the north. Pixels are worked out here and in
``_curves``; the template ``templates/comparison.svg.j2`` writes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs

from fireplan.compare._answers import Comparison, GameAnswer, Measured, Picture
from fireplan.compare._curves import chart, horizon
from fireplan.compare._drawing import (
    INK,
    RAMP,
    RAMP_FROM,
    SOFT_INK,
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
from fireplan.mission import Engagement

_MARGIN = 40.0
_GAP = 24.0
_SIDES = {1: 560.0, 2: 520.0, 3: 420.0}
_SIDE = 320.0
_COLUMNS = 4
_NARROWEST = 1120.0

# A game whose cell is so many times wider than the finest one's does not set the scale: the finest would vanish.
_COARSE = 8
# Cells that hold this much of the fire set the scale; rarer ones may lie beyond the frame.
_COMMON = Fraction(98, 100)
_SMALLEST_TYPE, _LARGEST_TYPE = 10.0, 17.0
_CAP_HEIGHT = 0.73
_OWN = (15.0, 8.0)  # half the width and height of the mark for own troops
_COVER = {"open": "in the open", "woods": "in woods", "buildings": "in buildings", "trench": "in a trench"}
_LINE = 16.0
_GROUND = "#eef1f4"  # where nothing lands
_STEP = 76.0
_SYMBOLS = (
    ("footprint", "ground under fire aimed at the centre"),
    ("target", "target"),
    ("own", "own troops"),
    ("centre", "centre"),
)

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
    """The one scale of all maps: half a frame in metres and pixels, and the bar's length."""

    side: float
    metres: float
    bar: int

    @property
    def pixels(self) -> float:
        """Pixels in a metre."""
        return self.side / (2 * self.metres)

    def at(self, point: Point) -> Point:
        """Where a point in metres from the target's centre is in its frame."""
        return self.side / 2 + point[0] * self.pixels, self.side / 2 + point[1] * self.pixels


@attrs.frozen
class Sign:
    """One entry of the key to the maps: a step of the ramp or the name of a symbol, and its words."""

    x: float
    y: float
    symbol: str
    fill: str
    words: Line


def svg(comparison: Comparison) -> str:
    """The comparison as one SVG sheet. The same comparison always gives the same bytes."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("fireplan.compare"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["n"] = number
    return environment.get_template("comparison.svg.j2").render(_sheet(comparison))


def _sheet(comparison: Comparison) -> dict[str, Any]:
    """Everything the template needs, laid out from top to bottom."""
    engagement = comparison.engagement
    keys = (*comparison.games, *comparison.cannot)
    columns = max(1, min(_COLUMNS, len(keys)))
    side = _SIDES.get(columns, _SIDE)
    row = columns * side + (columns - 1) * _GAP
    room = max(row, _NARROWEST)
    scale = _scale(comparison, side)

    y = _MARGIN + 22
    header = []
    for line in wrap(clean(engagement.title), 24, room, 2, bold=True):
        header.append(Line(_MARGIN, y, line, 24, weight="bold"))
        y += 30
    for line in wrap(_facts(engagement), 13, room, 3):
        header.append(Line(_MARGIN, y - 3, line, 13, SOFT_INK))
        y += 18

    y += 10
    panels: list[Panel] = []
    for start in range(0, len(keys), columns):
        here = [
            _panel(comparison, key, start + i, scale, _MARGIN + (room - row) / 2 + i * (side + _GAP))
            for i, key in enumerate(keys[start : start + columns])
        ]
        above = max(len(panel.heading) for panel in here) * _LINE + 10
        below = max(len(panel.captions) for panel in here) * _LINE
        panels += [
            attrs.evolve(panel, y=y + above, heading=_stacked(panel.heading, 8 - above)) for panel in here
        ]
        y += above + side + 40 + below + 26

    key = _key(y)
    y += 92
    curves = chart(comparison, room)
    return {
        "title": clean(engagement.title),
        "facts": _facts(engagement),
        "width": room + 2 * _MARGIN,
        "height": math.ceil(y + curves.bottom + _MARGIN - 12),
        "header": header,
        "panels": panels,
        "scale": scale,
        "half": amount(Fraction(scale.bar, 2)),
        "bar": amount(Fraction(scale.bar)),
        "target": (engagement.target.frontage_m, engagement.target.depth_m),
        "own_mark": _OWN,
        "key": key,
        "step": _STEP,
        "chart": curves,
        "chart_y": y,
        "margin": _MARGIN,
        "ground": _GROUND,
        "ink": INK,
        "soft": SOFT_INK,
        "watch": engagement.minutes,
    }


def _facts(engagement: Engagement) -> str:
    """The engagement in one line."""
    asset, target, observer = engagement.asset, engagement.target, engagement.observer
    firer, men = (f"{name[:1].upper()}{name[1:]}" for name in (engagement.firer.nationality, target.nationality))
    facts = [
        engagement.date.isoformat(),
        f"{asset.guns} {firer} {asset.weapon}{'' if asset.guns == 1 else 's'} of {asset.calibre_mm} mm"
        f" at {asset.range_m:,} m",
        f"target {target.men} {men} men, {target.posture.replace('_', ' ')} {_COVER[target.cover]}, "
        f"{target.frontage_m} × {target.depth_m} m",
        "no observer" if observer.kind == "none" else f"{observer.kind} observer, {observer.link}",
        f"watched for {engagement.minutes} min",
    ]
    return clean(" · ".join(facts))


def _all_cells(picture: Picture) -> list[Outline]:
    return [*(outline for outline, _ in picture.first_falls), *picture.footprint]


def _reach(outlines: Iterable[Outline]) -> float:
    """How far from the target's centre outlines go, to any of the four sides."""
    return max((abs(metres) for outline in outlines for point in outline for metres in point), default=0.0)


def _common(picture: Picture) -> list[Outline]:
    """The nearest cells that together take nearly all of the fire."""
    nearest = sorted(picture.first_falls, key=lambda fall: _reach([fall[0]]))
    wanted = _COMMON * sum((share for _, share in nearest), Fraction(0))
    found, taken = Fraction(0), []
    for outline, share in nearest:
        if found >= wanted:
            break
        found += share
        taken.append(outline)
    return taken


def _scale(comparison: Comparison, side: float) -> Scale:
    """A scale on which the target, own troops and the games' cells are seen, whatever one coarse cell may need."""
    pictures = [game.picture for game in comparison.games.values() if game.picture is not None]
    grain = [max(box(o)[2] - box(o)[0] for o in _all_cells(p)) if _all_cells(p) else 0.0 for p in pictures]
    finest = min((g for g in grain if g), default=0.0)
    target = comparison.engagement.target
    needed = max(target.frontage_m, target.depth_m) / 2
    for picture, size in zip(pictures, grain, strict=True):
        if size <= _COARSE * finest:
            needed = max(needed, _reach([*_common(picture), *picture.footprint]))
    own = comparison.engagement.own_troops
    if own is not None and own.distance_m <= 2 * needed:
        needed = max(needed, own.distance_m * 1.06)
    metres = 25.0 * math.ceil(needed * 1.04 / 25)
    longest = 2 * metres * 0.4
    power = 10 ** math.floor(math.log10(longest))
    bar = max(power * step for step in (1, 2, 5) if power * step <= longest)
    return Scale(side, metres, bar)


def _panel(comparison: Comparison, key: str, index: int, scale: Scale, x: float) -> Panel:
    game = comparison.games.get(key)
    own = _own(comparison.engagement, scale)
    panel = Panel(key, x, 0.0, look(index), (), (), "", (), _cross(0, 0), own, (), (), mapped=False)
    if game is None:
        reasons = _paragraphs(comparison.cannot[key], scale.side)
        heading = (Line(20, 0, clean(key), 15, weight="bold"),)
        return attrs.evolve(panel, heading=heading, reasons=reasons)
    picture = game.picture
    if picture is None:
        reasons = _paragraphs(("There is no map of this game's fire.",), scale.side, "")
        return attrs.evolve(panel, heading=_heading(game, scale.side), reasons=reasons)
    falls, shrunk = _apart(picture)
    # The likeliest cell lies on top where cells overlap.
    falls = sorted(falls, key=lambda fall: fall[1])
    drawn = [([scale.at(p) for p in outline], share) for outline, share in falls]
    figures, cross = _figures(drawn, scale, own)
    captions = _captions(game, picture, scale, comparison.engagement.minutes, shrunk=shrunk)
    return attrs.evolve(
        panel,
        heading=_heading(game, scale.side),
        cells=tuple(Cell(points(outline), shade(share), percent(share)) for outline, share in drawn),
        footprint="".join(
            "M" + "L".join(points([scale.at(p)]) for p in loop) + "Z" for loop in merged(picture.footprint)
        ),
        figures=figures,
        cross=cross,
        captions=tuple(
            Line(0, scale.side + 56 + i * _LINE, line, 12, SOFT_INK) for i, line in enumerate(captions)
        ),
        mapped=True,
    )


def _stacked(lines: tuple[Line, ...], top: float) -> tuple[Line, ...]:
    """Lines of type one below the other."""
    return tuple(attrs.evolve(line, y=top + _LINE * i) for i, line in enumerate(lines))


def _heading(game: GameAnswer, side: float) -> tuple[Line, ...]:
    title = wrap(clean(game.title), 15, side - 20, 2, bold=True)
    moment = f"one {clean(game.moment)} is {amount(game.minutes_per_moment)} min"
    if game.grain != game.minutes_per_moment:
        moment += f", times within {amount(game.grain)} min"
    lines = [Line(20, 0, text, 15, weight="bold") for text in title]
    small = (*wrap(clean(game.edition), 12, side - 20, 1), *wrap(moment, 12, side - 20, 1))
    return (*lines, *(Line(20, 0, text, 12, SOFT_INK) for text in small))


def _paragraphs(reasons: tuple[str, ...], side: float, lead: str = "Cannot be staged:") -> tuple[Line, ...]:
    """Reasons in words, in the middle of an empty frame."""
    texts = [line for reason in reasons for line in (*wrap(clean(reason), 13, side - 56, 6), "")][:-1]
    texts = texts[: int((side - 90) / 18)]
    y = side / 2 - 9 * len(texts)
    lines = [Line(28, y - 12, lead, 14, weight="bold")] if lead else []
    return (*lines, *(Line(28, y + 14 + 18 * i, text, 13) for i, text in enumerate(texts)))


def _apart(picture: Picture) -> tuple[list[tuple[Outline, Fraction]], bool]:
    """The cells of first fire, shrunk about their centres if they would cover one another, and whether they were.

    Fire that may land at points closer together than its own reach has outlines that overlap; only hexes tile.
    """
    falls: list[tuple[Outline, Fraction]] = list(picture.first_falls)
    middles = [centroid(outline) for outline, _ in falls]
    apart = min(
        (math.dist(a, b) for i, a in enumerate(middles) for b in middles[:i]), default=math.inf
    )
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
    away = own.distance_m + _OWN[1] / scale.pixels > scale.metres
    y = 14.0 if away else scale.at((0.0, -float(own.distance_m)))[1]
    label = Line(scale.side / 2 + _OWN[0] + 7, y + 4, f"own troops, {own.distance_m:,} m", 12)
    return Own(y, away, label, width(label.text, label.size))


def _meet(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _figures(
    drawn: list[tuple[list[Point], Fraction]], scale: Scale, own: Own | None
) -> tuple[tuple[Figure, ...], str]:
    """Percentages for the cells that have room for one, likeliest first, and the cross that goes with them.

    The lowest step of the ramp has none: its colour says as much. A figure in the centre stands in an open cross.
    """
    middle = scale.side / 2
    cross, opening = (middle - 11, middle - 11, middle + 11, middle + 11), (0.0, 0.0)
    taken: list[_Box] = []
    if own is not None:
        end = own.label.x + own.plate
        taken.append((middle - _OWN[0] - 2, own.y - _OWN[1] - 2, end, own.y + _OWN[1] + 2))
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
        central = math.dist((x, y), (middle, middle)) < 1
        # A corner of the box may stick out of the cell a little: the figure's own corners are empty.
        fits = math.hypot(wide, high) <= 1.1 * radius and min(here) > 0 and max(here) < scale.side
        if not fits or any(_meet(here, other) for other in taken) or (_meet(here, cross) and not central):
            continue
        taken.append(here)
        fill = shade(share)
        figures.append(Figure(x, y + high, text, size, ink_on(fill), fill))
        if central:
            opening = wide + 3, high + 3
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
        by = amount(horizon(game, watch))
        lines.append(f"Falls within {by} min: {percent(1 - measured.unresolved)}; does not: {percent(measured.unresolved)}.")
    cut = [o for o in _all_cells(picture) if _reach([o]) > scale.metres]
    if cut:
        west, north, east, south = max((box(o) for o in cut), key=lambda b: b[2] - b[0])
        if max(east - west, south - north) > 2 * scale.metres:
            size = f"{amount(round(east - west))} × {amount(round(south - north))} m"
            lines.append(f"One cell is {size}: the frame cuts it off.")
        else:
            outside = (share for o, share in picture.first_falls if _reach([[centroid(o)]]) > scale.metres)
            beyond = sum(outside, Fraction(0))
            lines.append(f"The frame cuts cells off; {percent(beyond)} lands beyond it.")
    if shrunk:
        lines.append("Marks are smaller than the ground covered: points of fall lie close together.")
    return [line for text in lines for line in wrap(text, 12, scale.side, 2)]


def _key(y: float) -> list[Sign]:
    """The key to the maps: the ramp as one bar with its figures inside, then the symbols."""
    bounds = [*(int(start * 100) for start in RAMP_FROM), 100]
    texts = [f"{low}–{high}%" for low, high in zip(bounds, bounds[1:], strict=False)]
    texts[0] = f"under {bounds[1]}%"
    heading = "Chance that the first fire for effect lands here"
    signs = [Sign(_MARGIN, y, "words", "", Line(_MARGIN, y + 4, heading, 12))]
    x, y = _MARGIN, y + 24
    for fill, text in zip(RAMP, texts, strict=True):
        words = Line(x + _STEP / 2, y + 4, text, 12, ink_on(fill), anchor="middle")
        signs.append(Sign(x, y, "step", fill, words))
        x += _STEP
    x += 36
    for symbol, text in _SYMBOLS:
        signs.append(Sign(x, y, symbol, "", Line(x + 36, y + 4, text, 12)))
        x += 36 + width(text, 12) + 20
    return signs
