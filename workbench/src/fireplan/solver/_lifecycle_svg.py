"""The life cycle drawn: stages in a row, ways forward as arcs above, ways back below, events listed by number."""

from __future__ import annotations

import textwrap

from fireplan.draw.marks import centred
from fireplan.draw.palette import BLACK, INK, PAPER, SERIES
from fireplan.draw.schemes import Scheme
from fireplan.draw.svg import Svg, document, element, group, text
from fireplan.solver._lifecycle import Passage, labels_by_way
from fireplan_core import Stage

BOX_WIDTH = 104
BOX_HEIGHT = 36
STEP = 150
MARGIN = 40
ARC = 26
LINE = 18
INDENT = 22


def lifecycle_svg(found: tuple[Passage, ...], title: str, scheme: Scheme = "auto") -> str:
    """Return the passages of a mission as an SVG picture."""
    present = {p.before for p in found} | {p.after for p in found}
    stages: list[str] = [stage.value for stage in Stage if stage.value in present]
    transitions = sorted(
        (stages.index(before), stages.index(after), labels) for (before, after), labels in labels_by_way(found).items()
    )
    leaps = [end - start for start, end, _ in transitions]
    middle = MARGIN + 40 + _bow(max(leaps, default=0)) + BOX_HEIGHT / 2
    top = middle + BOX_HEIGHT / 2 + _bow(-min(leaps, default=0)) + 50
    wide = MARGIN * 2 + BOX_WIDTH + (len(stages) - 1) * STEP
    legend: list[str] = []
    for number, (start, end, labels) in enumerate(transitions, start=1):
        transition = f"within {stages[start]}" if start == end else f"{stages[start]} → {stages[end]}"
        words = f"{number}  {transition}: {'; '.join(labels)}"
        legend += textwrap.wrap(words, int(wide / 7), subsequent_indent="    ")
    marks = [_way(number, start, end, middle) for number, (start, end, _) in enumerate(transitions, start=1)]
    arcs, tags = ([mark for mark, leap in zip(marks, leaps, strict=True) if bool(leap) is far] for far in (True, False))
    tip = element("path", d="M0,0 L9,4.5 L0,9 z", fill=BLACK)
    return document(
        wide,
        top + len(legend) * LINE + MARGIN,
        element("marker", tip, id="tip", markerWidth=9, markerHeight=9, refX=8, refY=4.5, orient="auto"),
        text((MARGIN, MARGIN), f"{title}: life of a mission", size=18, bold=True),
        *arcs,
        *(_box(stage, (_x(place), middle)) for place, stage in enumerate(stages)),
        *tags,
        *(
            text((MARGIN + (line.startswith(" ") and INDENT), top + row * LINE), line, size=13)
            for row, line in enumerate(legend)
        ),
        scheme=scheme,
        role="img",
        aria_label=f"Life cycle of a mission: {title}",
    )


def _x(place: int) -> float:
    """Return the middle of a stage."""
    return MARGIN + BOX_WIDTH / 2 + place * STEP


def _bow(leap: int) -> float:
    """Return how far from its boxes the arc over so many stages goes."""
    return 0.75 * (ARC * leap + 14)


def _box(stage: str, at: tuple[float, float]) -> Svg:
    box = centred(BOX_WIDTH / 2, BOX_HEIGHT / 2, rx=6, fill=PAPER, stroke=BLACK, stroke_width=1.5)
    return group(None, box, text((0, 5), stage, size=15, anchor="middle"), at=at)


def _way(number: int, start: int, end: int, middle: float) -> Svg:
    """Return one numbered way; forward above the boxes, back below, within a stage as a tag on the box."""
    x0, x1 = _x(start), _x(end)
    if start == end:
        return _badge(number, x0 + BOX_WIDTH / 2 - 2, middle - BOX_HEIGHT / 2)
    up = -1 if end > start else 1
    edge = middle + up * BOX_HEIGHT / 2
    bow = up * _bow(abs(end - start))
    shift = -14 * up
    left, right, height = x0 + shift, x1 - shift, edge + bow / 0.75
    path = f"M{left},{edge} C{left},{height} {right},{height} {right},{edge}"
    arc = element("path", d=path, fill="none", stroke=INK, stroke_width=1.3, marker_end="url(#tip)")
    return Svg(arc + _badge(number, (x0 + x1) / 2, edge + bow))


def _badge(number: int, x: float, y: float) -> Svg:
    disc = element("circle", r=10, fill=SERIES[0], stroke=PAPER, stroke_width=2)
    return group(None, disc, text((0, 4), str(number), size=11, fill=PAPER, anchor="middle"), at=(x, y))
