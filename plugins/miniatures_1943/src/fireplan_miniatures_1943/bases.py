"""Bases: their classes, footprints, postures and arrangement."""

from fractions import Fraction
from typing import Literal

import attrs

from fireplan_core import Place, Refusal, Severity, View, kept, record
from fireplan_core.space import Heading, PlaneRectangle, Point, Yards, is_place

METRES_PER_YARD = Fraction("0.9144")
"""Length of a yard, in metres."""

FACING: Heading = (0, -1)
"""The default heading of bases: north, towards the firer."""

BaseClass = Literal["infantry", "heavy weapon", "cavalry", "truck", "vehicle"]
"""The classes of bases."""

PERSONNEL: tuple[BaseClass, ...] = ("infantry", "heavy weapon", "cavalry", "truck")
"""Classes that count as personnel: all but armoured vehicles (6.3.f)."""

BasePosture = Literal["standing", "prone", "dug_in", "prone_dug_in"]

HARD_COVER = ("buildings", "trench")
"""Kinds of cover that count as hard; woods never do (6.3.e)."""


@record
class Base:
    """The state of a base.

    Fields from ``rolled`` on are tracked in scenario files only. The recovery of disrupted bases
    belongs to another chapter and is not tracked.
    """

    state: Severity = kept(Severity.NONE, "the worst result that the base has suffered", "6.3.a")
    prone: bool = kept(False, "whether the base is prone", "6.3.c")
    dug_in: bool = kept(False, "whether it is hastily dug in", "6.3.c")
    hard_cover: bool = kept(False, "whether it is in solid or hard cover", "6.3.d")
    rolled: frozenset[str] = kept(
        frozenset(), "the barrages on the table that it has rolled for", "6.2.g"
    )
    wrecks: tuple[tuple[int, Place], ...] = kept(
        (), "natural rolls that have yet to damage terrain, with the place of the base", "6.4.j"
    )
    removed_at: Place = kept(None, "where the base was removed before the terrain changes", "6.4.k")
    shaken: bool = kept(False, "whether the ground under it has just changed", "6.4.l")


@attrs.frozen
class BaseProfile:
    """The fixed facts about a base.

    ``length`` is its depth along the heading and ``width`` its frontage across the heading, both in
    yards; ``level`` counts levels above the surface of the table.
    """

    personnel: bool
    length: Yards
    width: Yards
    heading: Heading = FACING
    level: int = 0

    def at(self, place: Point) -> PlaneRectangle:
        """Return the ground under the base when its centre is at this place."""
        return PlaneRectangle(place, self.heading, length=self.length, width=self.width)


def stance_of(posture: str, cover: str) -> Base:
    """Return the initial state of a base with this posture and cover."""
    prone, dug_in = posture.startswith("prone"), posture.endswith("dug_in")
    return Base(prone=prone, dug_in=dug_in, hard_cover=cover in HARD_COVER)


def ground_of(view: View, unit: str) -> PlaneRectangle:
    """Return the rectangle under a base on the table, from the resolution part's view."""
    return view.unit_facts(unit, BaseProfile).at(view.place_of(unit))


def on_table(view: View, side: str | None = None) -> tuple[str, ...]:
    """Return the names of the bases on the table, or only those of one side."""
    own = (unit for unit in view.units if side in (None, view.unit_side(unit)))
    return tuple(unit for unit in own if view.place_of(unit) is not None)


def refuse_place(view: View, unit: str, to: Place, cite: str) -> Refusal | None:
    """Return a refusal if a base cannot be put at a place (off the table or occupied), or None."""
    if not is_place(view.frame, to):
        return Refusal.of(cite, "no_place", to=repr(to))
    if any(view.place_of(other) == to for other in view.units if other != unit):
        return Refusal.of(cite, "base_stands", to=view.frame.label(to))
    return None


def footprint(option: str) -> tuple[int, int]:
    """Return (frontage, depth) in yards from the option ``base``, which is written as ``40x20``."""
    frontage, depth = map(int, option.split("x"))
    return frontage, depth


def spread(
    bases: int, frontage: Fraction, depth: Fraction, base: tuple[Fraction, Fraction]
) -> tuple[tuple[tuple[Fraction, Fraction], ...], bool]:
    """Return the centres of bases spread evenly over a rectangle, and whether they fit.

    Centres are given as (east, south) of the rectangle's middle, in the same unit as the other
    measures. Of all arrangements in rows without overlap, the result is the one with the smallest
    difference between spacing across and spacing in depth.
    """

    def spacing(rows: int) -> tuple[Fraction, Fraction]:
        return frontage / -(-bases // rows), depth / rows

    def fits(rows: int) -> bool:
        across, back = spacing(rows)
        return (rows >= bases or across >= base[0]) and (rows == 1 or back >= base[1])

    rows = min(range(1, bases + 1), key=lambda n: (not fits(n), abs(spacing(n)[0] - spacing(n)[1])))
    points: list[tuple[Fraction, Fraction]] = []
    for row, south in enumerate(in_a_row(rows, depth / rows)):
        count = bases // rows + (row < bases % rows)
        points += [(east, south) for east in in_a_row(count, frontage / count)]
    return tuple(points), fits(rows)


def in_a_row(count: int, spacing: Fraction) -> list[Fraction]:
    """Return the coordinates of ``count`` points in a row, ``spacing`` apart and centred on 0."""
    return [spacing * (2 * number + 1 - count) / 2 for number in range(count)]
