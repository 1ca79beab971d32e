"""The life cycle of a mission as the code really has it: stages, and what leads from one to another."""

import textwrap

import attrs

from fireplan.draw.marks import centred
from fireplan.draw.palette import BLACK, INK, PAPER, SERIES
from fireplan.draw.svg import Svg, document, element, group, text
from fireplan.solver._build import build_chain
from fireplan.solver._chain import Chain
from fireplan.solver._compile import Compiler
from fireplan_core import Scenario, Stage, Step

STAGE = "/stage"


@attrs.frozen(order=True)
class Passage:
    """A way from a stage to another: the event told on it and the rule it cites."""

    before: str
    after: str
    event: str
    cite: str


def explore_orders(scenario: Scenario) -> Chain:
    """Return every state that can be reached by giving every kind of order wherever it is legal, strikes set apart.

    Of each kind the order most like the standard one is given: other aims lead to the same stages.
    """
    return build_chain(Compiler(scenario, every_order=1), apart=True)


def passages(chain: Chain, scenario: Scenario, mission: str) -> tuple[Passage, ...]:
    """Return every passage between two stages of a mission, and every event told within one, sorted.

    A passage on which nothing is told bears the name of the step that makes it.
    """
    key = f"missions/{mission}{STAGE}"
    position = chain.keys.index(key)
    found: set[Passage] = set()
    for node, edges in enumerate(chain.edges):
        before = chain.values[node][position]
        for edge in edges:
            after = chain.values[edge.target][position]
            emission = [(event.kind, event.cite) for event in edge.events if event.kind != "modifier"]
            top = chain.tops[node]
            if not emission and before is not after and isinstance(top, Step):
                emission = [(top.name.partition(".")[2], scenario.steps[top.name].cite)]
            found.update(Passage(before.value, after.value, kind, cite) for kind, cite in emission)
    return tuple(sorted(found))


def labels_by_way(found: tuple[Passage, ...]) -> dict[tuple[str, str], list[str]]:
    """Return for each pair of stages, what is told between them, each with its rules: ``contact (C1.2, C1.22)``."""
    transitions: dict[tuple[str, str], dict[str, list[str]]] = {}
    for passage in found:
        cites = transitions.setdefault((passage.before, passage.after), {}).setdefault(passage.event, [])
        cites.append(passage.cite)
    return {
        transition: [f"{event.replace('_', ' ')} ({', '.join(cites)})" for event, cites in events.items()]
        for transition, events in transitions.items()
    }


def mermaid(found: tuple[Passage, ...]) -> str:
    """Return the passages as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", "    [*] --> idle"]
    transitions = labels_by_way(found)
    for (before, after), labels in transitions.items():
        if before != after:
            lines.append(f"    {before} --> {after}: {'; '.join(labels)}")
    for (before, after), labels in transitions.items():
        if before == after:
            lines.append(f"    note right of {before}: {'; '.join(labels)}")
    if any(passage.after == Stage.ENDED.value for passage in found):
        lines.append("    ended --> [*]")
    return "\n".join(lines) + "\n"


# --- drawn: stages in a row, ways forward as arcs above, ways back below, events listed by number -----
BOX_WIDTH = 104
BOX_HEIGHT = 36
STEP = 150
MARGIN = 40
ARC = 26
LINE = 18
INDENT = 22


def lifecycle_svg(found: tuple[Passage, ...], title: str) -> str:
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
