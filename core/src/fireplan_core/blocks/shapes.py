"""What fire covers and for how long: discs, lines and corners of hexes, circles in the plane."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import cos, pi, sin, sqrt
from typing import ClassVar

from fireplan_core.areas import Areas
from fireplan_core.blocks._ready import Ready
from fireplan_core.chance import Chance
from fireplan_core.mission import Reason
from fireplan_core.mission import Stage as MissionStage
from fireplan_core.record import Place, record
from fireplan_core.scenario.staging import Staging
from fireplan_core.space import (
    DIRECTIONS,
    Hex,
    HexFrame,
    PlaneFrame,
    VertexFrame,
    disc,
    hex_grain,
    squared_distance,
    vertices_of,
)
from fireplan_core.steps.effects import Effects, push, step, update
from fireplan_core.steps.view import View

SQUARE_METRES = 10_000
"""In a hectare."""
CORNERS = 36
"""Of the polygon that draws a circle."""


@record
class Fire:
    """In how many moments fire has fallen, and whether in this one."""

    falls: int = 0
    fresh: bool = False


class FallingFire(Ready, Areas):
    """Fire falls in ``duration`` moments, once in each, then the mission ends."""

    needs: ClassVar[tuple[str, ...]] = ("land", "spotting", "fall", "lingering")
    least: ClassVar[Mapping[str, int]] = {"duration": 1}
    duration: int = 1

    def lay(self, staging: Staging, mission: str) -> None:
        """No fire on the ground."""
        staging.mission(mission, self.word, Fire())

    @step(cite="fall")
    def fallen(self, _chance: Chance, view: View, mission: str) -> Effects:
        """One fall more."""
        own = view.own(mission, Fire)
        return Effects(update(own, falls=own.falls + 1, fresh=True))

    @step(cite="fall")
    def moment(self, _chance: Chance, view: View, mission: str) -> Effects:
        """At the end of a moment fire that did not fall in it falls again; when it has fallen often enough it ends."""
        if view.mission(mission).stage is not MissionStage.FALLING:
            return Effects()
        own = view.own(mission, Fire)
        if not own.fresh:
            return Effects(push("core.fall", mission), push("moment", mission))
        if own.falls < self.duration:
            return Effects(update(own, fresh=False))
        return Effects(push("core.close", mission, Reason.DELIVERED, self.cites["fall"]))

    @step(cite="fall")
    def closed(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Nothing falls any more."""
        return Effects(update(view.own(mission, Fire), falls=0, fresh=False))


class _Cells(FallingFire):
    """A footprint of hexes; something wider than a hex is covered by the share of its hexes."""

    places: ClassVar[HexFrame | VertexFrame]

    def frame(self) -> HexFrame | VertexFrame:
        """The game's map."""
        return self.places

    def cells(self, impact: Place) -> tuple[Hex, ...]:
        """The hexes that fire at an impact covers."""
        raise NotImplementedError

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """The share of what stands at the place that lies in the footprint."""
        impact = view.mission(mission).impact
        if impact is None:
            return Fraction(0)
        occupied = self.places.cells(place, float(extent)) if extent else (place,)
        covered = self.cells(impact)
        return Fraction(sum(cell in covered for cell in occupied), len(occupied))

    def footprint(self, view: View, mission: str) -> tuple[tuple[Place, ...], float]:
        """Its hexes and their area."""
        cells = self.cells(view.mission(mission).impact)
        return cells, len(cells) * sqrt(3) / 2 * self.places.spacing_m**2 / SQUARE_METRES

    def outline(self, place: Place) -> tuple[tuple[float, float], ...]:
        """The six corners of a hex; of a corner the triangle between the middles of its hexes."""
        corners = VertexFrame(self.places.spacing_m, self.places.layout)
        return tuple(corners.metres(corner) for corner in (vertices_of(place) if len(place) == len("qr") else place))


class Disc(_Cells):
    """All hexes within ``radius`` hexes of the impact."""

    least: ClassVar[Mapping[str, int]] = {"radius": 0}
    radius: int

    def cells(self, impact: Place) -> tuple[Hex, ...]:
        """A disc."""
        return disc(impact, self.radius)


class Line(_Cells):
    """A row of hexes through the impact, ``arm`` to either side, along a direction from 1 to 6."""

    least: ClassVar[Mapping[str, int]] = {"arm": 0}
    arm: int
    direction_of_line: int = len(DIRECTIONS) // 2

    def cells(self, impact: Place) -> tuple[Hex, ...]:
        """A hex grain."""
        return hex_grain(impact, self.direction_of_line, self.arm)


class Corner(_Cells):
    """Fire is aimed at corners and covers the three hexes that meet there; ``places`` is a ``VertexFrame``."""

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """The corners of a hex; a corner itself."""
        return vertices_of(place) if len(place) == len("qr") else (place,)

    def cells(self, impact: Place) -> tuple[Hex, ...]:
        """Three hexes."""
        return tuple(impact)


class Circle(FallingFire):
    """A circle of ``radius`` units in the plane; to touch it is to be covered."""

    places: ClassVar[PlaneFrame]
    least: ClassVar[Mapping[str, int]] = {"radius": 0}
    radius: int

    def frame(self) -> PlaneFrame:
        """The game's table."""
        return self.places

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """1 within the radius (and the half-width of what stands there), else 0."""
        impact = view.mission(mission).impact
        if impact is None:
            return Fraction(0)
        reach = self.radius + round(float(extent) / self.places.metres_per_yard)
        return Fraction(int(squared_distance(impact, place) <= reach**2))

    def footprint(self, view: View, mission: str) -> tuple[tuple[Place, ...], float]:
        """The impact, and the area of the circle."""
        return (view.mission(mission).impact,), pi * self._metres**2 / SQUARE_METRES

    def outline(self, place: Place) -> tuple[tuple[float, float], ...]:
        """The circle, as a polygon."""
        x, y = self.places.metres(place)
        turns = [2 * pi * k / CORNERS for k in range(CORNERS)]
        return tuple((x + self._metres * cos(turn), y + self._metres * sin(turn)) for turn in turns)

    @property
    def _metres(self) -> float:
        return self.radius * self.places.metres_per_yard
