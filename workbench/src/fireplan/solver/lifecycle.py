"""The life cycle of a mission as coded: its stages, and the events between them."""

import textwrap
from typing import Any

import attrs

from fireplan.draw.svg import filled_template, picture
from fireplan.solver.build import build_chain
from fireplan.solver.chain import Chain, events_of
from fireplan.solver.compile import Compiler
from fireplan_core import Scenario, Stage, Step

STAGE = "/stage"


@attrs.frozen(order=True)
class Passage:
    """A passage from one stage to another: the event emitted and the rule it cites."""

    before: str
    after: str
    event: str
    cite: str


def explore_orders(scenario: Scenario) -> Chain:
    """Return the chain of the states reachable with one legal order of each verb, without strikes.

    For each verb, the order closest to the standard order is followed; orders with another aim lead
    to the same stages.
    """
    return build_chain(Compiler(scenario, every_order=1), apart=True)


def passages(chain: Chain, scenario: Scenario, mission: str) -> tuple[Passage, ...]:
    """Return the passages between a mission's stages, and the events within a stage, sorted.

    A passage without an event is named after its step.
    """
    stages = chain.column(f"missions/{mission}{STAGE}")
    events = [
        [(event.kind, event.cite) for event in events_of(emission) if event.kind != "modifier"]
        for emission in chain.emissions
    ]
    passages_: set[tuple[Stage, Stage, int]] = set()
    silent: set[tuple[Stage, Stage, str]] = set()
    for before, top, links in zip(stages, chain.tops, chain.links, strict=True):
        for target, _, emission, _ in links:
            after = stages[target]
            if events[emission]:
                passages_.add((before, after, emission))
            elif before is not after and isinstance(top, Step):
                silent.add((before, after, top.name))
    found = {
        Passage(before.value, after.value, kind, cite)
        for before, after, emission in passages_
        for kind, cite in events[emission]
    }
    found |= {
        Passage(before.value, after.value, name.partition(".")[2], scenario.steps[name].cite)
        for before, after, name in silent
    }
    return tuple(sorted(found))


def labels_by_stages(all_passages: tuple[Passage, ...]) -> dict[tuple[str, str], list[str]]:
    """Map each pair of stages to its labels, e.g. ``contact (C1.2, C1.22)``."""
    events_by_stages: dict[tuple[str, str], dict[str, list[str]]] = {}
    for passage in all_passages:
        cites = events_by_stages.setdefault((passage.before, passage.after), {}).setdefault(
            passage.event, []
        )
        cites.append(passage.cite)
    return {
        stages: [
            f"{event.replace('_', ' ')} ({', '.join(cites)})" for event, cites in events.items()
        ]
        for stages, events in events_by_stages.items()
    }


def mermaid(all_passages: tuple[Passage, ...]) -> str:
    """Return the passages as the text of a Mermaid state diagram."""
    ends = any(passage.after == Stage.ENDED.value for passage in all_passages)
    return filled_template(
        __package__, "life.mmd.j2", passages=labels_by_stages(all_passages), ends=ends
    )


# --- the picture: stages in a row, passages as numbered arcs, forward above and back below --------
BOX_WIDTH = 104
BOX_HEIGHT = 36
STEP = 150
MARGIN = 40
ARC = 26
LINE = 18
INDENT = 22


def lifecycle_svg(all_passages: tuple[Passage, ...], title: str) -> str:
    """Return the passages of a mission as an SVG picture."""
    present = {p.before for p in all_passages} | {p.after for p in all_passages}
    stages: list[str] = [stage.value for stage in Stage if stage.value in present]
    arcs = sorted(
        (stages.index(before), stages.index(after), labels)
        for (before, after), labels in labels_by_stages(all_passages).items()
    )
    leaps = [end - start for start, end, _ in arcs]
    middle = MARGIN + 40 + _bow(max(leaps, default=0)) + BOX_HEIGHT / 2
    top = middle + BOX_HEIGHT / 2 + _bow(-min(leaps, default=0)) + 50
    width = MARGIN * 2 + BOX_WIDTH + (len(stages) - 1) * STEP
    legend: list[str] = []
    for number, (start, end, labels) in enumerate(arcs, start=1):
        passage = f"within {stages[start]}" if start == end else f"{stages[start]} → {stages[end]}"
        label = "; ".join(labels)
        rules = label.removeprefix(f"{stages[end]} ") if start != end else label
        # An event named after the stage that it leads to adds nothing but its rules.
        words = (
            f"{number}  {passage} {rules}" if rules != label else f"{number}  {passage}: {label}"
        )
        legend += textwrap.wrap(words, int(width / 7), subsequent_indent="    ")
    rows = [
        ((MARGIN + (INDENT if line.startswith(" ") else 0), top + row * LINE), line)
        for row, line in enumerate(legend)
    ]
    context: dict[str, Any] = {
        "title": title,
        "stages": [((_x(position), middle), stage) for position, stage in enumerate(stages)],
    }
    context |= {
        "arcs": [_arc(start, end, middle) for start, end, _ in arcs],
        "rows": rows,
        "margin": MARGIN,
    }
    height = top + len(legend) * LINE + MARGIN
    return picture(
        __package__,
        "life.svg.j2",
        width=width,
        height=height,
        box=(BOX_WIDTH, BOX_HEIGHT),
        **context,
    )


def _x(position: int) -> float:
    """Return the x coordinate of a stage's middle, in pixels."""
    return MARGIN + BOX_WIDTH / 2 + position * STEP


def _bow(leap: int) -> float:
    """Return the height in pixels of an arc over this many stages."""
    return 0.75 * (ARC * leap + 14)


def _arc(start: int, end: int, middle: float) -> tuple[str, tuple[float, float]]:
    """Return the SVG path of a passage's arc and the position of its number.

    ``start`` and ``end`` are positions of stages, and ``middle`` is the y coordinate of the boxes.
    Arcs run forward above the boxes and back below them. A passage within a stage has an empty
    path, and its number is on the box.
    """
    x0, x1 = _x(start), _x(end)
    if start == end:
        return "", (x0 + BOX_WIDTH / 2 - 2, middle - BOX_HEIGHT / 2)
    sign = -1 if end > start else 1
    edge = middle + sign * BOX_HEIGHT / 2
    bow = sign * _bow(abs(end - start))
    shift = -14 * sign
    left, right, height = x0 + shift, x1 - shift, edge + bow / 0.75
    return f"M{left},{edge} C{left},{height} {right},{height} {right},{edge}", (
        (x0 + x1) / 2,
        edge + bow,
    )
