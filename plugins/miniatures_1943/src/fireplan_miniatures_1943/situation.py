"""The situation on the table as text: bases, markers, terrain and request chart, in yards and in inches.

A side sees its own chits, and of the other side's only stacks (``views``).
"""

from __future__ import annotations

from fractions import Fraction

from fireplan_core import View
from fireplan_core.play import Table
from fireplan_miniatures_1943.damage import Base, Terrain
from fireplan_miniatures_1943.markers import Markers
from fireplan_miniatures_1943.views import hand, request_chart


def inches(yards: int | Fraction, scale: int) -> str:
    """A distance on the table: whole inches, with a fraction in lowest terms, e.g. ``3 1/2 in``.

    ``scale`` is how many yards an inch stands for.
    """
    sign = "-" if yards < 0 else ""
    whole, rest = divmod(abs(Fraction(yards) / scale), 1)
    parts = [str(whole)] if whole or not rest else []
    if rest:
        parts.append(str(rest))
    return f"{sign}{' '.join(parts)} in"


def situation(table: Table, side: str) -> str:
    """The table as one side sees it, line by line."""
    scenario = table.scenario
    scale = scenario.parts.areas.options["yards_per_inch"]

    def place(point: tuple[int, int]) -> str:
        x, y = point
        return f"{x},{y} yd ({inches(x, scale)} east, {inches(y, scale)} south)"

    lines = [f"{scenario.title} - {scenario.clock.name(table.state.moment)} - {scale} yards an inch"]
    view = View(table.read, scenario, "resolution")
    for unit in view.units:
        at = view.place_of(unit)
        base = view.unit(unit, Base)
        known = (("prone", base.prone), ("dug in", base.dug_in), ("hard cover", base.hard_cover))
        stance = [name for name, holds in known if holds]
        where = "removed" if at is None else ", ".join([f"at {place(at)}", *stance, base.state.name.lower()])
        lines.append(f"base {unit} ({view.unit_side(unit)}): {where}")
    areas = scenario.parts.areas
    standing = [unit for unit in view.units if view.place_of(unit) is not None]
    if isinstance(areas, Markers):
        for smoke in (False, True):
            for _, centre, yards in areas.barrages(view.seen_by("areas"), smoke=smoke):
                what = "smoke" if smoke else "barrage"
                inside = [unit for unit in standing if areas.reaches(view, unit, centre, yards)]
                bases = f": {', '.join(inside)} inside" if inside else ""
                lines.append(f"{what} at {place(centre)}, reaching {yards} yd ({inches(yards, scale)}){bases}")
    terrain = view.shared(Terrain)
    lost = terrain.lost
    lines += [
        f"{segment.kind} {segment.id}: {'lost' if segment.id in lost else place(segment.middle())}"
        for segment in terrain.segments
    ]
    lines += [f"crater at {place(at)}" for at in terrain.craters]
    lines += chart_lines(view.seen_by("delays"), side)
    return "\n".join(lines)


def chart_lines(view: View, side: str) -> tuple[str, ...]:
    """A side's own chits in hand, and the stacks of the other side on the request chart."""
    lines = [
        f"in hand, {line}: " + ", ".join(f"{kind} {count}" for kind, count in kinds.items())
        for line, kinds in hand(view, side).items()
    ]
    chart = request_chart(view, side)
    for line, boxes in chart.boxes:
        stacks = ", ".join(_box(stack.box) for stack in chart.stacks if stack.line == line) or "none"
        lines.append(f"request chart, {line} ({boxes} progress boxes): stacks in {stacks}")
    return tuple(lines)


def _box(box: int) -> str:
    return "the Request box" if box == 0 else f"box {box}"
