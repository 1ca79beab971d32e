"""Markers on the table: their record, how far barrages and air strikes reach, and which bases they touch.

Nothing here moves a marker or rolls for a base; that is in ``areas``, ``manoeuvre`` and ``resolution``.
"""

from __future__ import annotations

from fractions import Fraction

from fireplan_core import Areas, Place, Stage, View, record
from fireplan_core.space import Point, Rectangle, within_circle
from fireplan_miniatures_1943.bases import FACING, Stand, footprint
from fireplan_miniatures_1943.chits import Chit

HEADINGS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


@record
class Marker:
    """The marker of a chit: whether it waits to be resolved, is spotted, is smoke, flies which way, minutes left.

    ``spotted`` is None until the marker is put.
    """

    placed: bool = False
    spotted: bool | None = None
    smoke: bool = False
    heading: Point = HEADINGS[0]
    left: Fraction = Fraction(0)


def in_barrage(base: Rectangle, centre: Point, yards: int) -> bool:
    """Whether a base lies wholly or partly in a barrage (6.2.e); touching its edge is partly."""
    return within_circle(base, centre, yards)


def strip(middle: Point, heading: Point, depth: int, width: int) -> Rectangle:
    """The ground of an air strike whose middle lies at a point.

    It begins at the front edge of the marker, half its depth before the middle (6.2.j).
    """
    return Rectangle(middle, heading, length=depth, width=width)


class Markers(Areas):
    """What the areas part knows of the bases and markers on the table."""

    def reach(self, *, spotted: bool) -> int:
        """Yards from its centre that a barrage affects (6.2.b, 6.2.c)."""
        return self.number("barrage_yards_spotted" if spotted else "barrage_yards_unspotted")

    def base_at(self, place: Point) -> Rectangle:
        """A base of the size of the option ``base`` whose centre stands at a place, facing the firer."""
        frontage, depth = footprint(self.options["base"])
        return Rectangle(place, FACING, length=depth, width=frontage)

    def bases_at(self, view: View, place: Point) -> tuple[Rectangle, ...]:
        """The bases whose centre stands at a place: of their own size where a scenario file gave them one."""
        if not view.scenario.mobile:
            return (self.base_at(place),)
        stands = (view.scenario.units[unit].facts.get(self.word) for unit in view.units_at(place))
        return tuple(stand.at(place) for stand in stands if isinstance(stand, Stand)) or (self.base_at(place),)

    def base_of(self, view: View, unit: str) -> Rectangle:
        """The ground under a base of a scenario file that stands on the table."""
        return view.unit_facts(unit, Stand).at(view.place_of(unit))

    def reaches(self, view: View, unit: str, centre: Point, yards: int) -> bool:
        """Whether a base of a scenario file stands wholly or partly within so many yards of a point."""
        return within_circle(self.base_of(view.seen_by(self.word), unit), centre, yards)

    def barrages(self, view: View, *, smoke: bool) -> list[tuple[str, Place, int]]:
        """The barrages (or smoke screens) that lie on the table: mission, centre, yards of reach."""
        found: list[tuple[str, Place, int]] = []
        for mission in view.missions:
            now, marker = view.mission(mission), view.own(mission, Marker)
            if view.facts(mission, Chit) is not Chit.BARRAGE or marker.spotted is None or marker.smoke != smoke:
                continue
            if marker.placed or now.stage in (Stage.FALLING, Stage.LINGERING):
                centre = now.aim if marker.placed else now.impact
                found.append((mission, centre, self.reach(spotted=bool(marker.spotted))))
        return found
