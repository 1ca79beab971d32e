"""The picture of a comparison: an SVG sheet with a map for each game and the delivery curves."""

import itertools
import math
from fractions import Fraction
from typing import Any

import attrs

from fireplan.analysis.answers import Comparison, GameAnswer, Measured
from fireplan.analysis.map_panels import LEADING, common_scale, panel
from fireplan.draw.lettering import TIMES, TO, amount, clean, shorten, whole_percent, width, wrap
from fireplan.draw.palette import INK, RAMP, RAMP_FROM, SOFT, Look, ink_on
from fireplan.draw.plot import legend
from fireplan.draw.shapes import Point
from fireplan.draw.svg import picture, points
from fireplan_core import Engagement
from fireplan_core.sentences import capitalized

_MARGIN = 40.0
_GAP = 24.0
_SIDES = {1: 560.0, 2: 548.0, 3: 420.0}
_SIDE = 320.0
_COLUMNS = 4
_NARROWEST = 1120.0
_STEP = 76.0
_COVER = {
    "open": "in the open",
    "woods": "in woods",
    "buildings": "in buildings",
    "trench": "in a trench",
}


def svg(comparison: Comparison, *, delivery: bool = True) -> str:
    """Return the comparison as an SVG sheet; equal comparisons give equal bytes.

    Without ``delivery`` it has only the maps.
    """
    engagement = comparison.engagement
    keys = (*comparison.games, *comparison.missing)
    columns = max(1, min(_COLUMNS, len(keys)))
    side = _SIDES.get(columns, _SIDE)
    row = columns * side + (columns - 1) * _GAP
    room = max(row, _NARROWEST)
    facts, scale = _facts(engagement), common_scale(comparison, side)
    lines = [(line, 24, INK, 30) for line in wrap(clean(engagement.title), 24, room, 2, bold=True)]
    lines += [(line, 13, SOFT, 18) for line in wrap(facts, 13, room, 3)]
    heading, y = [], _MARGIN + 22
    for line, size, fill, leading in lines:
        heading.append(((_MARGIN, y - 3 * (fill == SOFT)), line, size, fill))
        y += leading
    y += 10
    panels: list[Any] = []
    for start in range(0, len(keys), columns):
        here = [panel(comparison, key, scale) for key in keys[start : start + columns]]
        above = max(each.above for each in here)
        left = _MARGIN + (room - row) / 2
        panels += [
            (each, (left + i * (side + _GAP), y + above), above) for i, each in enumerate(here)
        ]
        y += above + side + 66 + max(len(each.captions) for each in here) * LEADING
    drawn, high = curves(comparison, room) if delivery else (None, -72)
    shown: dict[str, Any] = {
        "title": clean(engagement.title),
        "facts": facts,
        "heading": heading,
        "curves": drawn,
    }
    shown |= {"panels": panels, "scale": scale, "leading": LEADING, "margin": _MARGIN, "y": y}
    height = math.ceil(y + 92 + high + _MARGIN - 12)
    return picture(
        __package__, "sheet.svg.j2", width=room + 2 * _MARGIN, height=height, **shown, **_key()
    )


def _facts(engagement: Engagement) -> str:
    asset, target, observer = engagement.asset, engagement.target, engagement.observer
    firer, men = map(capitalized, (engagement.firer.nationality, target.nationality))
    plural = "" if asset.guns == 1 else "s"
    posture = f"{target.posture.replace('_', ' ')} {_COVER[target.cover]}"
    facts = [
        engagement.date.isoformat(),
        f"{asset.guns} {firer} {asset.weapon}{plural} of {asset.calibre_mm} mm at {asset.range_m:,} m",
        f"target {target.men} {men} men, {posture}, {target.frontage_m} {TIMES} {target.depth_m} m",
        "no observer" if observer.kind == "none" else f"{observer.kind} observer, {observer.link}",
        f"watched for {engagement.minutes} min",
    ]
    return clean(" · ".join(facts))


def _key() -> dict[str, Any]:
    """Return the template values of the map key: the labelled colour ramp and the symbols."""
    bounds = [*(int(start * 100) for start in RAMP_FROM), 100]
    steps = [f"{low}{TO}{high}%" for low, high in itertools.pairwise(bounds)]
    steps[0] = f"under {bounds[1]}%"
    ramp = [
        (_MARGIN + _STEP * n, *each)
        for n, each in enumerate(zip(RAMP, steps, map(ink_on, RAMP), strict=True))
    ]
    x, symbols = _MARGIN + _STEP * len(RAMP) + 36, []
    for words in ("ground under fire aimed at the target", "target", "own troops", "centre"):
        symbols.append((x, words))
        x += 36 + width(words, 12) + 20
    return {"ramp": ramp, "step": _STEP, "symbols": symbols}


# --- the curves: the chance that fire for effect has fallen, over the minutes watched -------------
_HEIGHT = 232.0
_LEFT = 46.0  # width of the labels of the vertical axis
_LATER = 56.0  # width of the strip for fire that falls after the end of the axis
_LABELS = 290.0
_LABEL_GAP = 19.0
_MARKER_GAP = 54.0
_TICKS = 12
_STEPS = (1, 2, 5, 10, 15, 20, 30, 60, 120, 240, 480, 1440)
_LEGEND = _HEIGHT + 62


@attrs.frozen
class _Axes:
    """The scale of the curves: ``watch`` minutes end at ``right``, and labels begin at ``labels``.

    ``right`` and ``labels`` are in pixels.
    """

    watch: int
    right: float
    labels: float

    def at(self, minute: Fraction | int, share: Fraction) -> Point:
        return _LEFT + float(Fraction(minute) / self.watch) * (self.right - _LEFT), float(
            _HEIGHT * (1 - share)
        )


def curves(comparison: Comparison, room: float) -> tuple[dict[str, Any], float]:
    """Return the template values of the curves, ``room`` pixels wide, and their height."""
    watch = comparison.engagement.minutes
    games = {
        key: game
        for key, game in comparison.games.items()
        if isinstance(game.measures.get("minutes_to_first_effect"), Measured)
    }
    beyond = any(game.delivery[-1][0] > watch for game in games.values())
    axes = _Axes(watch, room - _LABELS - (_LATER if beyond else 0), room - _LABELS)
    heights = _spread(
        [axes.at(0, game.delivery[-1][1])[1] for game in games.values()], 0.0, _HEIGHT
    )
    looks = [comparison.look_of(key) for key in games]
    lines = [_line(*each, axes) for each in zip(games.values(), looks, heights, strict=True)]
    words = [
        f"{clean(g.title)}, {clean(g.edition)}: times within {amount(g.grain)} min"
        for g in games.values()
    ]
    entries = [
        (("sign", look), shorten(each, 12, room - _LEFT - 60))
        for look, each in zip(looks, words, strict=True)
    ]
    placed, bottom = legend(entries, (_LEFT, _LEGEND), room - _LEFT)
    minutes = [(axes.at(minute, Fraction(0))[0], minute) for minute in _minute_ticks(watch)]
    shares = [(axes.at(0, Fraction(share, 100))[1], share) for share in (0, 25, 50, 75, 100)]
    shown = {
        "minutes": minutes,
        "shares": shares,
        "left": _LEFT,
        "right": axes.right,
        "height": _HEIGHT,
    }
    return shown | {"later": _LATER if beyond else 0, "lines": lines, "entries": placed}, bottom


def _minute_ticks(watch: int) -> list[int]:
    step = next((s for s in _STEPS if watch <= s * _TICKS), watch)
    ticks = list(range(0, watch, step))
    if len(ticks) > 1 and watch - ticks[-1] < step / 2:
        ticks.pop()
    return [*ticks, watch]


def _spread(ideal: list[float], top: float, bottom: float) -> list[float]:
    """Return heights near these ideal ones, in the same order, at least one line of type apart.

    They lie between ``top`` and ``bottom`` if there is room.
    """
    order = sorted(range(len(ideal)), key=lambda i: ideal[i])
    placed = list(ideal)
    floor = top
    for i in order:
        placed[i] = max(placed[i], floor)
        floor = placed[i] + _LABEL_GAP
    ceiling = bottom
    for i in reversed(order):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - _LABEL_GAP
    return placed


def _line(game: GameAnswer, look: Look, height: float, axes: _Axes) -> dict[str, Any]:
    """Return the template values of a game's curve, with its label at this height."""
    (minute, share), late = game.delivery[-1], game.delivery[-1][0] > axes.watch
    within = [axes.at(*step) for step in game.delivery[1:] if step[0] <= axes.watch]
    tip = axes.right + (_LATER / 2 if late else 0), axes.at(0, share)[1]
    # If a game's fire first falls after the end of the axis, no curve is drawn.
    steps = [axes.at(0, Fraction(0))] if within or not late else []
    for x, y in within:
        steps += [(x, steps[-1][1]), (x, y)]
    steps += [(axes.right, y) for _, y in steps[-1:]]
    markers: list[Point] = []
    for mark in within:
        if not markers or mark[0] - markers[-1][0] >= _MARKER_GAP:
            markers.append(mark)
    lateness = f"within {amount(minute)} min" if late else ""
    room = _LABELS - 26 - width("100% ", 13, bold=True) - width(f"{lateness} ", 12)
    return {
        "key": clean(game.key),
        "look": look,
        "thread": points(
            [(tip[0] + 7, tip[1]), (axes.labels + 6, tip[1]), (axes.labels + 22, height)]
        ),
        "steps": points(steps),
        "rise": points([steps[-1], (tip[0], steps[-1][1]), tip]) if steps and late else "",
        "markers": [*markers, tip],
        "at": (axes.labels + 26, height + 4.5),
        "share": whole_percent(share),
        "title": shorten(clean(game.title), 13, room),
        "said": lateness,
    }
