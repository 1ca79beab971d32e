"""The situation on the table as text: bases, markers, terrain and request chart, in yards and in inches.

A side sees its own chits, and of the other side's only stacks (``views``).
"""

from __future__ import annotations

from fractions import Fraction

from fireplan_core import View
from fireplan_core.play import Table
from fireplan_core.space import Point, within_circle
from fireplan_miniatures_1943.bases import Base, ground_of, on_table
from fireplan_miniatures_1943.markers import barrages
from fireplan_miniatures_1943.terrain import Terrain
from fireplan_miniatures_1943.views import chart_lines


def inches(yards: int | Fraction, scale: int) -> str:
    """Return a distance on the table: whole inches, with a fraction in lowest terms, e.g. ``3 1/2 in``.

    ``scale`` is how many yards an inch stands for.
    """
    sign = "-" if yards < 0 else ""
    whole, rest = divmod(abs(Fraction(yards) / scale), 1)
    parts = [str(whole)] if whole or not rest else []
    if rest:
        parts.append(str(rest))
    return f"{sign}{' '.join(parts)} in"


def situation(table: Table, side: str) -> str:
    """Return the table as one side sees it, line by line."""
    scenario = table.scenario
    areas = scenario.parts.areas
    scale = areas.options["yards_per_inch"]

    def place(point: Point) -> str:
        x, y = point
        return f"{x},{y} yd ({inches(x, scale)} east, {inches(y, scale)} south)"

    view = View(table.read, scenario, "resolution")
    standing = {unit: ground_of(view, unit) for unit in on_table(view)}
    lines = [f"{scenario.title} - {scenario.clock.name(table.state.moment)} - {scale} yards an inch"]
    for unit in view.units:
        where = "removed"
        if unit in standing:
            where = f"at {place(standing[unit].centre)}, {_stance(view.unit(unit, Base))}"
        lines.append(f"base {unit} ({view.unit_side(unit)}): {where}")
    for what, smoke in (("barrage", False), ("smoke", True)):
        for _, centre, yards in barrages(areas, view, smoke=smoke):
            inside = ", ".join(unit for unit, ground in standing.items() if within_circle(ground, centre, yards))
            reaching = f"{what} at {place(centre)}, reaching {yards} yd ({inches(yards, scale)})"
            lines.append(f"{reaching}: {inside} inside" if inside else reaching)
    terrain = view.shared(Terrain)
    lost = terrain.lost
    lines += [
        f"{segment.kind} {segment.id}: {'lost' if segment.id in lost else place(segment.middle())}"
        for segment in terrain.segments
    ]
    lines += [f"crater at {place(at)}" for at in terrain.craters]
    return "\n".join([*lines, *chart_lines(view.seen_by("delays"), side)])


def _stance(base: Base) -> str:
    known = (("prone", base.prone), ("dug in", base.dug_in), ("hard cover", base.hard_cover))
    return ", ".join([*(name for name, holds in known if holds), base.state.name.lower()])
