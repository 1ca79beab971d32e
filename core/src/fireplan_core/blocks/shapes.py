"""Say what fire covers and for how long: discs, lines and corners of hexes, circles in the plane."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import pi
from typing import ClassVar

from fireplan_core import cycle
from fireplan_core.areas import Areas
from fireplan_core.blocks._ready import Ready
from fireplan_core.chance import Chance
from fireplan_core.mission import Reason
from fireplan_core.mission import Stage as MissionStage
from fireplan_core.record import COUNT, Place, kept, record
from fireplan_core.scenario.staging import Staging
from fireplan_core.space import (
    DIRECTIONS,
    SQUARE_METRES,
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
from fireplan_core.steps.part import Keeps
from fireplan_core.steps.view import View


@record
class Fire:
    """In how many moments fire has fallen, and whether in this one."""

    falls: int = kept(0, "in how many moments fire has fallen", "fall", between=COUNT)
    fresh: bool = kept(False, "whether fire has fallen in this moment", "fall")


class FallingFire(Ready, Areas):
    """Fire falls in ``duration`` moments, once in each, then the mission ends."""

    keeps = Keeps(assets=(Fire,))
    needs: ClassVar[tuple[str, ...]] = ("land", "spotting", "fall", "lingering")
    least: ClassVar[Mapping[str, int]] = {"duration": 1}
    duration: int = 1

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Stage a ground without fire."""
        staging.mission(mission, self.word, Fire())

    @step(cite="fall")
    def fallen(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Count one fall more."""
        own = view.own(mission, Fire)
        return Effects(update(own, falls=own.falls + 1, fresh=True))

    @step(cite="fall")
    def moment(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Let fire that did not fall in this moment fall again; end it when it has fallen often enough."""
        if view.mission(mission).stage is not MissionStage.FALLING:
            return Effects()
        own = view.own(mission, Fire)
        if not own.fresh:
            return Effects(push(cycle.fall, mission), push(self.moment, mission))
        if own.falls < self.duration:
            return Effects(update(own, fresh=False))
        return Effects(push(cycle.close, mission, Reason.DELIVERED, self.cites["fall"]))

    @step(cite="fall")
    def closed(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Note that nothing falls any more."""
        return Effects(update(view.own(mission, Fire), falls=0, fresh=False))


class HexAreas(Areas):
    """Fire covers whole hexes, and of something wider than a hex the share that it has of its hexes.

    ``places`` is the game's map, unless ``frame`` is overridden; a game whose footprint depends on more than the impact
    overrides ``covered``.
    """

    places: ClassVar[HexFrame | VertexFrame]

    def frame(self) -> HexFrame | VertexFrame:
        """Return the game's map."""
        return self.places

    def cells(self, impact: Place) -> tuple[Hex, ...]:
        """Return the hexes that fire at an impact covers: the one it lies in, or those that meet there."""
        return self.frame().cells(impact, 0.0)

    def covered(self, view: View, mission: str) -> tuple[Hex, ...]:
        """Return the hexes that the mission's fire covers, at its impact; some may lie off the map."""
        return self.cells(view.mission(mission).impact)

    def on_map(self, view: View, cell: Hex) -> bool:
        """Return whether fire can hit a hex; a game whose map has an edge says so."""
        return True

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return the share of what stands at the place that lies in the footprint."""
        if view.mission(mission).impact is None or place is None:
            return Fraction(0)
        whole = not extent and len(place) == len("qr")
        occupied = (place,) if whole else view.frame.cells(place, float(extent))
        covered = self.covered(view, mission)
        return Fraction(sum(cell in covered and self.on_map(view, cell) for cell in occupied), len(occupied))

    def footprint(self, view: View, mission: str) -> tuple[tuple[Place, ...], float]:
        """Return the hexes covered and their area."""
        cells = tuple(cell for cell in self.covered(view, mission) if self.on_map(view, cell))
        return cells, len(cells) * self.frame().hectares

    def outline(self, place: Place) -> tuple[tuple[float, float], ...]:
        """Return the six corners of a hex; of a corner the triangle between the middles of its hexes."""
        return self.frame().outline(place)


class Disc(HexAreas, FallingFire):
    """All hexes within ``radius`` hexes of the impact."""

    least: ClassVar[Mapping[str, int]] = {"radius": 0}
    radius: int

    def cells(self, impact: Place) -> tuple[Hex, ...]:
        """Return a disc."""
        return disc(impact, self.radius)


class Line(HexAreas, FallingFire):
    """A row of hexes through the impact, ``arm`` to either side, along a direction from 1 to 6."""

    least: ClassVar[Mapping[str, int]] = {"arm": 0}
    arm: int
    direction_of_line: int = len(DIRECTIONS) // 2

    def cells(self, impact: Place) -> tuple[Hex, ...]:
        """Return a hex grain."""
        return hex_grain(impact, self.direction_of_line, self.arm)


class Corner(HexAreas, FallingFire):
    """Fire is aimed at corners and covers the three hexes that meet there; ``places`` is a ``VertexFrame``."""

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """Return the corners of a hex; a corner itself."""
        return vertices_of(place) if len(place) == len("qr") else (place,)


class Circle(FallingFire):
    """A circle of ``radius`` units in the plane; to touch it is to be covered."""

    places: ClassVar[PlaneFrame]
    least: ClassVar[Mapping[str, int]] = {"radius": 0}
    radius: int

    def frame(self) -> PlaneFrame:
        """Return the game's table."""
        return self.places

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return 1 within the radius (and the half-width of what stands there), else 0."""
        impact = view.mission(mission).impact
        if impact is None:
            return Fraction(0)
        reach = self.radius + round(float(extent) / self.places.metres_per_yard)
        return Fraction(int(squared_distance(impact, place) <= reach**2))

    def footprint(self, view: View, mission: str) -> tuple[tuple[Place, ...], float]:
        """Return the impact, and the area of the circle."""
        metres = self.radius * self.places.metres_per_yard
        return (view.mission(mission).impact,), pi * metres**2 / SQUARE_METRES

    def outline(self, place: Place) -> tuple[tuple[float, float], ...]:
        """Return the circle, as a polygon."""
        return self.places.circle(place, self.radius)
