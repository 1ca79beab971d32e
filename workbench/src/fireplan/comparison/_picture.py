"""The picture of a comparison: one sheet in SVG with a map for each game and the curves of delivery."""

import itertools
import math

from fireplan.comparison._answers import Comparison
from fireplan.comparison._curves import chart
from fireplan.comparison._maps import LEADING, common_scale, panel
from fireplan.draw.lettering import TIMES, TO, clean, width, wrap
from fireplan.draw.marks import CENTRE, HATCHES, OWN_MARK, centred
from fireplan.draw.palette import BLACK, PLATE, RAMP, RAMP_FROM, SOFT, ink_on
from fireplan.draw.svg import Svg, document, element, group, text
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
    scale = common_scale(comparison, side)
    heading, y = _heading(engagement, room)
    y += 10
    panels: list[Svg] = []
    for start in range(0, len(keys), columns):
        here = [panel(comparison, key, scale) for key in keys[start : start + columns]]
        above = max(each.above for each in here)
        left = _MARGIN + (room - row) / 2
        panels += [each.drawn(scale, (left + i * (side + _GAP), y + above), above) for i, each in enumerate(here)]
        y += above + side + 66 + max(len(each.captions) for each in here) * LEADING
    curves, high = chart(comparison, room)
    frame = element("rect", width=scale.side, height=scale.side)
    return document(
        room + 2 * _MARGIN,
        math.ceil(y + 92 + high + _MARGIN - 12),
        element("title", clean(engagement.title), id="title"),
        element("desc", _facts(engagement), id="facts"),
        element("defs", element("clipPath", frame, id="frame"), HATCHES),
        heading,
        *panels,
        _key(y),
        group("chart", curves, at=(_MARGIN, y + 92)),
        role="img",
        aria_labelledby="title facts",
    )


def _heading(engagement: Engagement, room: float) -> tuple[Svg, float]:
    """Return the title and the facts of an engagement, and where they end."""
    y = _MARGIN + 22
    lines = []
    for line in wrap(clean(engagement.title), 24, room, 2, bold=True):
        lines.append(text((_MARGIN, y), line, size=24, bold=True))
        y += 30
    for line in wrap(_facts(engagement), 13, room, 3):
        lines.append(text((_MARGIN, y - 3), line, size=13, fill=SOFT))
        y += 18
    return group("heading", *lines), y


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


def _key(y: float) -> Svg:
    """Return the key to the maps: the ramp as one bar with its figures inside, then the symbols."""
    bounds = [*(int(start * 100) for start in RAMP_FROM), 100]
    steps = [f"{low}{TO}{high}%" for low, high in itertools.pairwise(bounds)]
    steps[0] = f"under {bounds[1]}%"
    parts = [text((_MARGIN, y + 4), "Chance that the first fire for effect lands here")]
    x, y = _MARGIN, y + 24
    for fill, words in zip(RAMP, steps, strict=True):
        bar = element("rect", class_="step", width=_STEP, height=24, fill=fill)
        label = text((x + _STEP / 2, y + 4), words, fill=ink_on(fill), anchor="middle")
        parts += [group(None, bar, at=(x, y - 12)), label]
        x += _STEP
    x += 36
    under_fire = centred(13, 8, fill=PLATE) + centred(13, 8, fill="url(#hatch-fire)", stroke=BLACK, stroke_width=2)
    outline = centred(13, 8, fill="none", stroke=BLACK, stroke_width=1.6, stroke_dasharray="6 3.5")
    centre = element("path", d=CENTRE, stroke=BLACK, stroke_width=1.8)
    for symbol, words in (
        (Svg(under_fire), "ground under fire aimed at the target"),
        (outline, "target"),
        (OWN_MARK, "own troops"),
        (centre, "centre"),
    ):
        parts += [group(None, symbol, at=(x + 15, y)), text((x + 36, y + 4), words)]
        x += 36 + width(words, 12) + 20
    return group("key", *parts)
