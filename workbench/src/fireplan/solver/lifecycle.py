"""The life cycle of a mission as the code really has it: stages, and what leads from one to another."""

import textwrap
from typing import Any

import attrs

from fireplan.draw.svg import picture, written
from fireplan.solver.build import build_chain
from fireplan.solver.chain import Chain
from fireplan.solver.compile import Compiler
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
            emission = [
                (event.kind, event.cite) for event in edge.events if event.kind != "modifier"
            ]
            top = chain.tops[node]
            if not emission and before is not after and isinstance(top, Step):
                emission = [(top.name.partition(".")[2], scenario.steps[top.name].cite)]
            found.update(Passage(before.value, after.value, kind, cite) for kind, cite in emission)
    return tuple(sorted(found))


def labels_by_way(found: tuple[Passage, ...]) -> dict[tuple[str, str], list[str]]:
    """Return for each pair of stages, what is told between them, each with its rules: ``contact (C1.2, C1.22)``."""
    transitions: dict[tuple[str, str], dict[str, list[str]]] = {}
    for passage in found:
        cites = transitions.setdefault((passage.before, passage.after), {}).setdefault(
            passage.event, []
        )
        cites.append(passage.cite)
    return {
        transition: [
            f"{event.replace('_', ' ')} ({', '.join(cites)})" for event, cites in events.items()
        ]
        for transition, events in transitions.items()
    }


def mermaid(found: tuple[Passage, ...]) -> str:
    """Return the passages as a Mermaid state diagram."""
    ends = any(passage.after == Stage.ENDED.value for passage in found)
    return written(__package__, "life.mmd.j2", ways=labels_by_way(found), ends=ends)


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
        (stages.index(before), stages.index(after), labels)
        for (before, after), labels in labels_by_way(found).items()
    )
    leaps = [end - start for start, end, _ in transitions]
    middle = MARGIN + 40 + _bow(max(leaps, default=0)) + BOX_HEIGHT / 2
    top = middle + BOX_HEIGHT / 2 + _bow(-min(leaps, default=0)) + 50
    wide = MARGIN * 2 + BOX_WIDTH + (len(stages) - 1) * STEP
    legend: list[str] = []
    for number, (start, end, labels) in enumerate(transitions, start=1):
        transition = (
            f"within {stages[start]}" if start == end else f"{stages[start]} → {stages[end]}"
        )
        words = f"{number}  {transition}: {'; '.join(labels)}"
        legend += textwrap.wrap(words, int(wide / 7), subsequent_indent="    ")
    rows = [
        ((MARGIN + line.startswith(" ") * INDENT, top + row * LINE), line)
        for row, line in enumerate(legend)
    ]
    shown: dict[str, Any] = {
        "title": title,
        "stages": [((_x(place), middle), stage) for place, stage in enumerate(stages)],
    }
    shown |= {
        "ways": [_way(start, end, middle) for start, end, _ in transitions],
        "rows": rows,
        "margin": MARGIN,
    }
    height = top + len(legend) * LINE + MARGIN
    return picture(
        __package__, "life.svg.j2", width=wide, height=height, box=(BOX_WIDTH, BOX_HEIGHT), **shown
    )


def _x(place: int) -> float:
    """Return the middle of a stage."""
    return MARGIN + BOX_WIDTH / 2 + place * STEP


def _bow(leap: int) -> float:
    """Return how far from its boxes the arc over so many stages goes."""
    return 0.75 * (ARC * leap + 14)


def _way(start: int, end: int, middle: float) -> tuple[str, tuple[float, float]]:
    """Return a way's arc, forward above the boxes, back below, and where its number is.

    Within a stage on its box.
    """
    x0, x1 = _x(start), _x(end)
    if start == end:
        return "", (x0 + BOX_WIDTH / 2 - 2, middle - BOX_HEIGHT / 2)
    up = -1 if end > start else 1
    edge = middle + up * BOX_HEIGHT / 2
    bow = up * _bow(abs(end - start))
    shift = -14 * up
    left, right, height = x0 + shift, x1 - shift, edge + bow / 0.75
    return f"M{left},{edge} C{left},{height} {right},{height} {right},{edge}", (
        (x0 + x1) / 2,
        edge + bow,
    )
