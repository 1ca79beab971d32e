"""The picture of a comparison: one sheet in SVG with a map for each game and the curves of delivery.

The sheet is laid out here, its maps in ``_maps`` and its chart in ``_curves``; the template
``templates/comparison.svg.j2`` writes what they worked out.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import attrs

from fireplan.compare._answers import Comparison
from fireplan.compare._curves import chart
from fireplan.compare._drawing import (
    INK,
    RAMP,
    RAMP_FROM,
    SOFT_INK,
    TIMES,
    TO,
    Line,
    amount,
    clean,
    ink_on,
    number,
    width,
    wrap,
)
from fireplan.compare._maps import LEADING, OWN_MARK, Panel, common_scale, panel, stacked
from fireplan_core import Engagement

_MARGIN = 40.0
_GAP = 24.0
_SIDES = {1: 560.0, 2: 548.0, 3: 420.0}
_SIDE = 320.0
_COLUMNS = 4
_NARROWEST = 1120.0
_GROUND = "#eef1f4"  # where nothing lands
_STEP = 76.0
_SYMBOLS = (
    ("footprint", "ground under fire aimed at the target"),
    ("target", "target"),
    ("own", "own troops"),
    ("centre", "centre"),
)
_COVER = {"open": "in the open", "woods": "in woods", "buildings": "in buildings", "trench": "in a trench"}


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
    scale = common_scale(comparison, side)

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
            panel(comparison, key, scale, _MARGIN + (room - row) / 2 + i * (side + _GAP))
            for i, key in enumerate(keys[start : start + columns])
        ]
        above = max(len(each.heading) for each in here) * LEADING + 10
        below = max(len(each.captions) for each in here) * LEADING
        panels += [attrs.evolve(each, y=y + above, heading=stacked(each.heading, 8 - above)) for each in here]
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
        "own_mark": OWN_MARK,
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


def _key(y: float) -> list[Sign]:
    """The key to the maps: the ramp as one bar with its figures inside, then the symbols."""
    bounds = [*(int(start * 100) for start in RAMP_FROM), 100]
    texts = [f"{low}{TO}{high}%" for low, high in itertools.pairwise(bounds)]
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
