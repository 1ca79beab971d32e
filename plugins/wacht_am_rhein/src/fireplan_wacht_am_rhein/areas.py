"""Areas: fire lands in the hex it is aimed at, by rule, and covers that hex alone (12.1.1).

A hex is a mile across, so no error smaller than that is modelled. Nothing stays on the ground.
"""

from __future__ import annotations

import math
from fractions import Fraction

from fireplan_core import Areas, Effects, Place, Reason, Staging, View, cycle, push, step
from fireplan_core.chance import Chance
from fireplan_core.space import Frame
from fireplan_wacht_am_rhein.ground import FRAME, HEX_HECTARES, HEX_METRES, MIDDLE


class WarAreas(Areas):
    """Hexes of one mile."""

    miss_not_modelled = "fire lands in its hex by rule; the grain is one mile"
    cites = {"spotting": "12.1.1", "fall": "12.1.1", "lingering": "12.4.3"}  # noqa: RUF012 - a ClassVar of the base

    def frame(self) -> Frame:
        """Return a blank map of mile hexes."""
        return FRAME

    def middle(self) -> Place:
        """Return a hex well inside the map."""
        return MIDDLE

    def stage(self, staging: Staging) -> None:
        """Stage nothing: the neutral aim and impact say it all."""

    @step(cite="12.1.1")
    def land(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Land the barrage in its target hex."""
        return Effects(push(cycle.landed, mission, view.mission(mission).aim))

    @step(cite="12.4.0")
    def fallen(self, _chance: Chance, _view: View, mission: str) -> Effects:
        """End the mission: with its final result the barrage is over."""
        return Effects(push(cycle.close, mission, Reason.DELIVERED, "12.4.0"))

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Cover the target hex in full, nothing beside it."""
        return Fraction(place == view.mission(mission).impact)

    def footprint(self, view: View, mission: str) -> tuple[tuple[Place, ...], float]:
        """Return the one hex: 224 hectares."""
        return (view.mission(mission).impact,), HEX_HECTARES

    def outline(self, place: Place) -> tuple[tuple[float, float], ...]:
        """Return the six corners of the hex, in metres."""
        x, y = FRAME.metres(place)
        radius = HEX_METRES / math.sqrt(3)
        corners = (math.radians(60 * k) for k in range(6))
        return tuple((x + radius * math.cos(a), y + radius * math.sin(a)) for a in corners)
