"""Say where a shot lands: as aimed, scattered over hexes by direction and extent, deviated in the plane by dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from fireplan_core import cycle
from fireplan_core.blocks.shapes import FallingFire
from fireplan_core.chance import Chance, Die, d6
from fireplan_core.space import step as hex_step
from fireplan_core.steps.effects import Effects, push, step
from fireplan_core.steps.view import View

HEX = 2
"""A hex has two coordinates; a corner is a triple of hexes."""


class AsAimed(FallingFire):
    """Fire lands where it is aimed."""

    miss_not_modelled: ClassVar[str] = "fire lands where it is aimed"

    @step(cite="land")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Land on the aim."""
        return Effects(push(cycle.landed, mission, view.mission(mission).aim))


class _Missing(FallingFire):
    """A shot is accurate when ``accuracy_dice`` show ``accurate`` or less (0: never), else it strays.

    Modifiers are registered for ``areas.accuracy``, ``areas.direction`` takes none, ``areas.extent`` may.
    """

    accuracy_dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    accurate: int = 0

    @step(cite="land")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Accurate, or astray."""
        if self.accurate == 0:
            return Effects(push(self.direction, mission))
        roll = chance.dice("accuracy", **self.accuracy_dice)
        if roll.total + chance.drm(roll) <= self.accurate:
            return Effects(push(cycle.landed, mission, view.mission(mission).aim))
        return Effects(push(self.direction, mission))

    def direction(self, chance: Chance, view: View, mission: str) -> Effects:
        """Throw for the direction of the error."""
        raise NotImplementedError


class Scatter(_Missing):
    """Over hexes (or their corners): a d6 for the direction, a die for the extent in hexes as ``extent`` reads it.

    Sums beyond the table are read as its first or last entry.
    """

    extent_dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    extents: ClassVar[Mapping[int, int]] = {face: face for face in d6.faces}

    @step(cite="land")
    def direction(self, chance: Chance, view: View, mission: str) -> Effects:
        """Throw for the hex row; 1 is the first of ``fireplan_core.space.DIRECTIONS``."""
        return Effects(push(self.extent, mission, chance.dice("direction", coloured=d6).total.exact()))

    @step(cite="land")
    def extent(self, chance: Chance, view: View, mission: str, direction: int) -> Effects:
        """Throw how far."""
        roll = chance.dice("extent", **self.extent_dice)
        far = (roll.total + chance.drm(roll)).clamped(min(self.extents), max(self.extents)).look_up(self.extents)
        return Effects(push(cycle.landed, mission, shifted(view.mission(mission).aim, direction, far)))


class Deviation(_Missing):
    """In the plane: a die for one of ``vectors``, dice whose sum says how many of them the shot strays.

    A vector is (east, south) in the table's own unit; whole numbers, so that every place is exact.
    """

    vectors: ClassVar[tuple[tuple[int, int], ...]] = (
        (0, -10), (7, -7), (10, 0), (7, 7), (0, 10), (-7, 7), (-10, 0), (-7, -7),
    )  # fmt: skip
    extent_dice: ClassVar[Mapping[str, Die]] = {"white": d6}

    def error_lines(self) -> int:
        """Return one for each vector."""
        return len(self.vectors)

    @step(cite="land")
    def direction(self, chance: Chance, view: View, mission: str) -> Effects:
        """Throw for the vector."""
        return Effects(
            push(self.extent, mission, chance.dice("direction", coloured=Die(len(self.vectors))).total.exact())
        )

    @step(cite="land")
    def extent(self, chance: Chance, view: View, mission: str, direction: int) -> Effects:
        """Throw how many of them; a sum below 0 counts as 0."""
        roll = chance.dice("extent", **self.extent_dice)
        far = (roll.total + chance.drm(roll)).clamped(low=0).exact()
        (x, y), (east, south) = view.mission(mission).aim, self.vectors[direction - 1]
        return Effects(push(cycle.landed, mission, (x + far * east, y + far * south)))


def shifted(place: Any, direction: int, far: int) -> Any:
    """Return a hex, or a corner with its three hexes, moved along a hex row."""
    if len(place) == HEX:
        return hex_step(place, direction, far)
    return tuple(hex_step(cell, direction, far) for cell in place)
