"""The life cycle drawn: stages in a row, ways forward as arcs above, ways back below, events listed by number."""

from __future__ import annotations

from html import escape

from fireplan.odds._lifecycle import Passage, labels_by_way
from fireplan_core import Stage

BOX_WIDTH = 104
BOX_HEIGHT = 36
STEP = 150
MARGIN = 40
ARC = 26
LINE = 18
FONT = "font-family='Helvetica, Arial, sans-serif'"


def lifecycle_svg(found: tuple[Passage, ...], title: str) -> str:
    """The passages of a mission as an SVG picture."""
    present = {p.before for p in found} | {p.after for p in found}
    stages: list[str] = [stage.value for stage in Stage if stage.value in present]
    at = {stage: MARGIN + BOX_WIDTH / 2 + i * STEP for i, stage in enumerate(stages)}
    ways = labels_by_way(found)
    order = sorted(ways, key=lambda way: (stages.index(way[0]), stages.index(way[1])))
    leaps = [stages.index(after) - stages.index(before) for before, after in order]
    middle = MARGIN + 40 + 0.75 * (max(leaps, default=0) * ARC + 14) + BOX_HEIGHT / 2
    top = middle + BOX_HEIGHT / 2 + 0.75 * (-min(leaps, default=0) * ARC + 14) + 50
    wide = MARGIN * 2 + BOX_WIDTH + (len(stages) - 1) * STEP
    legend: list[str] = []
    arcs: list[str] = []
    tags: list[str] = []
    row = 0
    for number, (before, after) in enumerate(order, start=1):
        (tags if before == after else arcs).append(
            _arc(number, stages.index(before), stages.index(after), at[before], at[after], middle)
        )
        text = f"{number}  {before} → {after}: " if before != after else f"{number}  within {before}: "
        for line in _wrapped(text, "; ".join(ways[before, after]), int(wide / 7)):
            legend.append(f"<text x='{MARGIN}' y='{top + row * LINE}' font-size='13'>{escape(line)}</text>")
            row += 1
    boxes = [
        f"<rect x='{at[s] - BOX_WIDTH / 2}' y='{middle - BOX_HEIGHT / 2}' width='{BOX_WIDTH}' height='{BOX_HEIGHT}'"
        f" rx='6' fill='#fff' stroke='#000' stroke-width='1.5'/>"
        f"<text x='{at[s]}' y='{middle + 5}' text-anchor='middle' font-size='15'>{escape(s)}</text>"
        for s in stages
    ]
    height = top + row * LINE + MARGIN
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {wide:.0f} {height:.0f}' width='{wide:.0f}'"
        f" height='{height:.0f}' {FONT} role='img' aria-label='Life cycle of a mission: {escape(title)}'>"
        "<defs><marker id='tip' markerWidth='9' markerHeight='9' refX='8' refY='4.5' orient='auto'>"
        "<path d='M0,0 L9,4.5 L0,9 z'/></marker></defs>"
        "<rect width='100%' height='100%' fill='#fff'/>"
        f"<text x='{MARGIN}' y='{MARGIN}' font-size='18' font-weight='bold'>{escape(title)}: life of a mission</text>"
        + "".join(arcs)
        + "".join(boxes)
        + "".join(tags)
        + "".join(legend)
        + "</svg>\n"
    )


def _arc(number: int, start: int, end: int, x0: float, x1: float, middle: float) -> str:
    """One numbered way; forward above the boxes, back below, within a stage as a tag on the box."""
    if start == end:
        x, y = x0 + BOX_WIDTH / 2 - 2, middle - BOX_HEIGHT / 2
        return _badge(number, x, y)
    up = -1 if end > start else 1
    edge = middle + up * BOX_HEIGHT / 2
    shift = 14 if end > start else -14
    height = edge + up * (ARC * abs(end - start) + 14)
    path = f"M{x0 + shift},{edge} C{x0 + shift},{height} {x1 - shift},{height} {x1 - shift},{edge}"
    y = edge + up * 0.75 * (ARC * abs(end - start) + 14)
    return f"<path d='{path}' fill='none' stroke='#000' stroke-width='1.3' marker-end='url(#tip)'/>" + _badge(
        number, (x0 + x1) / 2, y
    )


def _badge(number: int, x: float, y: float) -> str:
    return (
        f"<circle cx='{x:.1f}' cy='{y:.1f}' r='10' fill='#0072B2' stroke='#fff' stroke-width='2'/>"
        f"<text x='{x:.1f}' y='{y + 4:.1f}' text-anchor='middle' font-size='11' fill='#fff'>{number}</text>"
    )


def _wrapped(head: str, text: str, width: int) -> list[str]:
    """The text in lines of about that many characters, the first after its head."""
    lines = [head]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) > width:
            lines.append("      ")
        lines[-1] += word + " "
    return lines
