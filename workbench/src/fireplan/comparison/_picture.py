"""The picture of a comparison: one sheet in SVG with a map for each game and the curves of delivery."""

import itertools
import math
from typing import Any

from fireplan.comparison._answers import Comparison
from fireplan.comparison._curves import curves
from fireplan.comparison._maps import LEADING, common_scale, panel
from fireplan.draw.lettering import TIMES, TO, clean, width, wrap
from fireplan.draw.palette import INK, RAMP, RAMP_FROM, SOFT, ink_on
from fireplan.draw.svg import picture
from fireplan_core import Engagement

_MARGIN = 40.0
_GAP = 24.0
_SIDES = {1: 560.0, 2: 548.0, 3: 420.0}
_SIDE = 320.0
_COLUMNS = 4
_NARROWEST = 1120.0
_STEP = 76.0
_COVER = {"open": "in the open", "woods": "in woods", "buildings": "in buildings", "trench": "in a trench"}


def svg(comparison: Comparison) -> str:
    """Return the comparison as one SVG sheet. The same comparison always gives the same bytes."""
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
        panels += [(each, (left + i * (side + _GAP), y + above), above) for i, each in enumerate(here)]
        y += above + side + 66 + max(len(each.captions) for each in here) * LEADING
    drawn, high = curves(comparison, room)
    shown: dict[str, Any] = {"title": clean(engagement.title), "facts": facts, "heading": heading, "curves": drawn}
    shown |= {"panels": panels, "scale": scale, "leading": LEADING, "margin": _MARGIN, "y": y}
    height = math.ceil(y + 92 + high + _MARGIN - 12)
    return picture(__package__, "sheet.svg.j2", width=room + 2 * _MARGIN, height=height, **shown, **_key())


def _facts(engagement: Engagement) -> str:
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


def _key() -> dict[str, Any]:
    """Return the key to the maps: the ramp as one bar with its figures inside, then where symbols stand."""
    bounds = [*(int(start * 100) for start in RAMP_FROM), 100]
    steps = [f"{low}{TO}{high}%" for low, high in itertools.pairwise(bounds)]
    steps[0] = f"under {bounds[1]}%"
    ramp = [(_MARGIN + _STEP * n, *each) for n, each in enumerate(zip(RAMP, steps, map(ink_on, RAMP), strict=True))]
    x, symbols = _MARGIN + _STEP * len(RAMP) + 36, []
    for words in ("ground under fire aimed at the target", "target", "own troops", "centre"):
        symbols.append((x, words))
        x += 36 + width(words, 12) + 20
    return {"ramp": ramp, "step": _STEP, "symbols": symbols}
