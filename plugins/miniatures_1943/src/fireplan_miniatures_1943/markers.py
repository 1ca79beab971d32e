"""Markers on the table: their record, how far barrages reach, and which of them lie on the table.

Nothing here moves a marker or rolls for a base; that is in ``areas`` and ``resolution``.
"""

from __future__ import annotations

from fractions import Fraction

from fireplan_core import FireKind, Part, Place, Stage, View, record
from fireplan_core.space import Point, Rectangle
from fireplan_miniatures_1943.chits import flies

HEADINGS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


@record
class Marker:
    """The marker of a chit: whether it waits to be resolved, is spotted, flies which way, minutes left.

    ``spotted`` is None until the marker is put.
    """

    placed: bool = False
    spotted: bool | None = None
    heading: Point = HEADINGS[0]
    left: Fraction = Fraction(0)


def strip(middle: Point, heading: Point, depth: int, width: int) -> Rectangle:
    """Return the ground of an air strike whose middle lies at a point.

    It begins at the front edge of the marker, half its depth before the middle (6.2.j).
    """
    return Rectangle(middle, heading, length=depth, width=width)


def reach(part: Part, *, spotted: bool) -> int:
    """Return the yards from its centre that a barrage affects (6.2.b, 6.2.c)."""
    return part.number("barrage_yards_spotted" if spotted else "barrage_yards_unspotted")


def barrages(part: Part, view: View, *, smoke: bool) -> list[tuple[str, Place, int]]:
    """Return the barrages (or smoke screens) that lie on the table: mission, centre, yards of reach."""
    found: list[tuple[str, Place, int]] = []
    for mission in view.missions:
        now, marker = view.mission(mission), view.peek(mission, Marker)
        if flies(view, mission) or marker.spotted is None or (now.kind is FireKind.SMOKE) != smoke:
            continue
        if marker.placed or now.stage in (Stage.FALLING, Stage.LINGERING):
            centre = now.aim if marker.placed else now.impact
            found.append((mission, centre, reach(part, spotted=bool(marker.spotted))))
    return found
