"""Ready areas: what fire covers and for how long, where a shot lands: as aimed, astray, or shifted by others."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

from fireplan_core import cycle
from fireplan_core.areas import Areas
from fireplan_core.chance import Chance, Die, d6
from fireplan_core.mission import Reason
from fireplan_core.mission import Stage as MissionStage
from fireplan_core.ready_parts.base import Ready, read_off
from fireplan_core.record import COUNT, Place, kept, record
from fireplan_core.setups.staging import Staging
from fireplan_core.space import (
    Hex,
    HexFrame,
    PlaneFrame,
    VertexFrame,
    disc,
    squared_distance,
    vertices_of,
)
from fireplan_core.space import step as hex_step
from fireplan_core.steps.effects import NOTHING, Effects, ask, push, step, update
from fireplan_core.steps.part import Keeps
from fireplan_core.steps.questions import Form, Refusal, Slot, orders
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

    def comes_down(self, _view: View, mission: str, to: Place) -> Effects:
        """Return that the shot lands at a place; override for what may still move it."""
        return Effects(push(cycle.landed, mission, to))

    @step(cite="fall")
    def fallen(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Count one fall more."""
        own = view.own(mission, Fire)
        return Effects(update(own, falls=own.falls + 1, fresh=True))

    @step(cite="fall")
    def moment(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Let fire that did not fall in this moment fall again.

        End it when it has fallen often enough.
        """
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

    def middle(self) -> Place:
        """Return the middle of the map."""
        return self.frame().layout.middle

    def cells(self, impact: Place) -> tuple[Hex, ...]:
        """Return the hexes that fire at an impact covers: the one it lies in, or those that meet there."""
        return self.frame().cells(impact, 0.0)

    def covered(self, view: View, mission: str) -> tuple[Hex, ...]:
        """Return the hexes that the mission's fire covers, at its impact.

        Some may lie off the map.
        """
        return self.cells(view.mission(mission).impact)

    def on_map(self, view: View, cell: Hex) -> bool:
        """Return whether fire can hit a hex; a game whose map has an edge says so."""
        return True

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return the share of what stands at the place that lies in the footprint."""
        if view.mission(mission).impact is None or place is None:
            return Fraction(0)
        whole = not extent and len(place) == HEX
        occupied = (place,) if whole else view.frame.cells(place, float(extent))
        covered = self.covered(view, mission)
        return Fraction(
            sum(cell in covered and self.on_map(view, cell) for cell in occupied), len(occupied)
        )

    def footprint(self, view: View, mission: str) -> tuple[tuple[Place, ...], float]:
        """Return the hexes covered and their area."""
        cells = tuple(cell for cell in self.covered(view, mission) if self.on_map(view, cell))
        return cells, len(cells) * self.frame().hectares

    def outline(self, place: Place) -> tuple[tuple[float, float], ...]:
        """Return the six corners of a hex.

        Of a corner the triangle between the middles of its hexes.
        """
        return self.frame().outline(place)


class Disc(HexAreas, FallingFire):
    """All hexes within ``radius`` hexes of the impact."""

    least: ClassVar[Mapping[str, int]] = {"radius": 0}
    radius: int

    def cells(self, impact: Place) -> tuple[Hex, ...]:
        """Return a disc."""
        return disc(impact, self.radius)


class Corner(HexAreas, FallingFire):
    """Fire is aimed at corners and covers the three hexes that meet there.

    ``places`` is a ``VertexFrame``.
    """

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """Return the corners of a hex; a corner itself."""
        return vertices_of(place) if len(place) == HEX else (place,)


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
        return (view.mission(mission).impact,), self.places.hectares(self.radius)

    def outline(self, place: Place) -> tuple[tuple[float, float], ...]:
        """Return the circle, as a polygon."""
        return self.places.circle(place, self.radius)


HEX = 2
"""A hex has two coordinates; a corner is a triple of hexes."""


class AsAimed(FallingFire):
    """Fire lands where it is aimed."""

    miss_not_modelled: ClassVar[str] = "fire lands where it is aimed"

    @step(cite="land")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Land on the aim."""
        return self.comes_down(view, mission, view.mission(mission).aim)


class _Missing(FallingFire):
    """A shot is accurate when ``accuracy_dice`` show ``accurate`` or less (0: never), else it strays.

    Modifiers are registered for ``areas.accuracy``, ``areas.direction`` takes none,
    ``areas.extent`` may.
    """

    may: ClassVar[tuple[str, ...]] = ("astray",)
    accuracy_dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    accurate: int = 0

    @step(cite="land")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Accurate, or astray."""
        if self.accurate == 0:
            return Effects(push(self.direction, mission))
        hit, card = self.thrown(
            chance, view, "accuracy", self.accuracy_dice, lambda total: total <= self.accurate
        )
        astray = push(self.direction, mission)
        return Effects(
            card, self.comes_down(view, mission, view.mission(mission).aim) if hit else astray
        )

    def direction(self, chance: Chance, view: View, mission: str) -> Effects:
        """Throw for the direction of the error."""
        raise NotImplementedError


class Scatter(_Missing):
    """Over hexes (or their corners): a d6 for the direction, a die for the extent in hexes as ``extent`` reads it.

    Sums beyond the table are read as its first or last entry; without dice (``extent_dice = {}``)
    its first is meant.
    """

    extent_dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    extents: ClassVar[Mapping[int, int]] = {face: face for face in d6.faces}

    @step(cite="astray/land")
    def direction(self, chance: Chance, view: View, mission: str) -> Effects:
        """Throw for the hex row; 1 is the first of ``fireplan_core.space.DIRECTIONS``."""
        return Effects(
            push(self.extent, mission, chance.dice("direction", coloured=d6).total.exact())
        )

    @step(cite="astray/land")
    def extent(self, chance: Chance, view: View, mission: str, direction: int) -> Effects:
        """Throw how far."""
        far, card = self.thrown(
            chance, view, "extent", self.extent_dice, lambda total: read_off(self.extents, total)
        )
        return Effects(
            card, self.comes_down(view, mission, shifted(view.mission(mission).aim, direction, far))
        )


class Deviation(_Missing):
    """In the plane: a die for one of ``vectors``, dice whose sum says how many of them the shot strays.

    A vector is (east, south) in the table's own unit; whole numbers, so that every place is exact.
    Without dice (``extent_dice = {}``) it strays by one vector.
    """

    vectors: ClassVar[tuple[tuple[int, int], ...]] = (
        (0, -10),
        (7, -7),
        (10, 0),
        (7, 7),
        (0, 10),
        (-7, 7),
        (-10, 0),
        (-7, -7),
    )
    extent_dice: ClassVar[Mapping[str, Die]] = {"white": d6}

    def error_lines(self) -> int:
        """Return one for each vector."""
        return len(self.vectors)

    @step(cite="astray/land")
    def direction(self, chance: Chance, view: View, mission: str) -> Effects:
        """Throw for the vector."""
        return Effects(
            push(
                self.extent,
                mission,
                chance.dice("direction", coloured=Die(len(self.vectors))).total.exact(),
            )
        )

    @step(cite="astray/land")
    def extent(self, chance: Chance, view: View, mission: str, direction: int) -> Effects:
        """Throw how many of them; a sum below 0 counts as 0."""
        far, card = 1, NOTHING
        if self.extent_dice:
            far, card = self.thrown(
                chance, view, "extent", self.extent_dice, lambda total: max(total, 0)
            )
        (x, y), (east, south) = view.mission(mission).aim, self.vectors[direction - 1]
        return Effects(card, self.comes_down(view, mission, (x + far * east, y + far * south)))


class ShiftedByOther(FallingFire):
    """The other side may move a shot before it strikes: ``class Guns(ShiftedByOther, AsAimed, Circle)``.

    ``shifts`` says of ``shift_dice`` how many steps at most (all of them or none: ``whole_shift``), along one of
    ``lines``; without dice, or beyond it, its first or last entry counts. Modifiers are registered for ``areas.drift``.
    The standard answer is to move it as far as can be from one's own troops.
    """

    needs: ClassVar[tuple[str, ...]] = ("shift",)
    shift_dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    shifts: ClassVar[Mapping[int, int]]
    whole_shift: ClassVar[bool] = False
    lines: ClassVar[tuple[tuple[int, int], ...]] = (
        (0, -1),
        (1, -1),
        (1, 0),
        (1, 1),
        (0, 1),
        (-1, 1),
        (-1, 0),
        (-1, -1),
    )

    def error_lines(self) -> int:
        """Return one for each line."""
        return len(self.lines)

    def comes_down(self, view: View, mission: str, to: Place) -> Effects:
        """Return that the other side, if there is one, may shift the shot."""
        alone = view.other(view.side(mission)) == view.side(mission)
        return (
            super().comes_down(view, mission, to)
            if alone
            else Effects(push(self.drift, mission, to))
        )

    @step(cite="shift")
    def drift(self, chance: Chance, view: View, mission: str, place: Place) -> Effects:
        """Throw how far it may be shifted."""
        far, card = self.thrown(
            chance, view, "drift", self.shift_dice, lambda total: read_off(self.shifts, total)
        )
        asked = ask(view.other(view.side(mission)), self.shift, mission, place, far)
        return Effects(card, asked if far else super().comes_down(view, mission, place))

    @orders(cite="shift")
    def shift(self, view: View, mission: str, place: Place, far: int) -> Iterator[Form]:
        """Ask the other side where the shot strikes."""
        cite, (x, y) = self.cites["shift"], place
        steps = range(far if self.whole_shift else 1, far + 1)
        moved = [(x + n * east, y + n * south) for n in steps for east, south in self.lines]
        other = view.other(view.side(mission))
        own = [view.place_of(unit) for unit in view.units if view.unit_side(unit) == other]
        spots = sorted(
            (place, *moved),
            key=lambda spot: -min((view.frame.gap(spot, one) for one in own), default=0),
        )
        to = Slot("to", "where it strikes", tuple(spots), Refusal.of(cite, "no_shift_there"))
        yield Form("shift", cite, (to,), partial(super().comes_down, view, mission))


def shifted(place: Any, direction: int, far: int) -> Any:
    """Return a hex, or a corner with its three hexes, moved along a hex row."""
    if len(place) == HEX:
        return hex_step(place, direction, far)
    return tuple(hex_step(cell, direction, far) for cell in place)
