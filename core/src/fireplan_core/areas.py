"""Areas: where a shot really lands, what it covers, and what stays on the ground.

Steps the core calls (``land`` is required, the others if the part has them):

* ``land(m)``: a shot leaves for ``mission.aim`` with ``mission.intent``; throw accuracy and error, and answer
  ``core.landed(m, place)``.
* ``fallen(m)``: fire for effect has just fallen.
* ``moment(m)``: the end of a moment; answer ``core.fall`` when the fire goes on, ``core.linger`` or
  ``core.close`` when it does not.
* ``ceased(m, stage)`` and ``closed(m)``: fire ceased in that stage; the mission ended.

``cites`` needs ``spotting``, ``fall`` and ``lingering``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from fireplan_core.record import Place
from fireplan_core.space import Frame
from fireplan_core.steps.part import Part
from fireplan_core.steps.view import View


class Areas(Part):
    """Accuracy, error, footprint and what lingers."""

    word: ClassVar[str] = "areas"
    miss_not_modelled: ClassVar[str] = ""
    """Why there is no miss distance, in a game whose fire lands where it is aimed by rule."""

    def frame(self) -> Frame:
        """The places of this game: what distances and labels mean."""
        raise NotImplementedError

    def middle(self) -> Place:
        """The place that stands for the centre of an engagement's target; games may choose one on their map."""
        return self.frame().nearest(0.0, 0.0)

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """The points that may be aimed at to hit a place, the most natural first (the place itself by default)."""
        return (place,)

    def error_lines(self) -> int:
        """Along how many directions from its aim a shot may land astray; the kit holds a game to it.

        Six from a hex; a vertex and its mirror image have three each.
        """
        return 6

    def in_order(self, view: View, mission: str, places: tuple[Place, ...]) -> tuple[Place, ...]:  # noqa: ARG002
        """Places that fire for effect strikes, in the order of resolution; by default as the scenario lists them."""
        return places

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """How strongly the mission's fire, at its impact, covers a place: 0 not at all, 1 as usual.

        ``extent`` is the half-width in metres of what stands there; 0 means one of this game's own places.
        """
        raise NotImplementedError

    def footprint(self, view: View, mission: str) -> tuple[tuple[Place, ...], float]:
        """The cells that fire for effect at the impact covers, and their area in hectares.

        In the plane the cells are the impact alone.
        """
        raise NotImplementedError

    def outline(self, place: Place) -> tuple[tuple[float, float], ...]:
        """The border of the cell of a place where fire may land, as corners in metres, for pictures."""
        raise NotImplementedError

    def shape(self, view: View, mission: str) -> tuple[tuple[tuple[float, float], ...], ...]:
        """The borders of all that fire for effect at the impact covers: those of its cells, unless it has none."""
        return tuple(self.outline(cell) for cell in self.footprint(view, mission)[0])
