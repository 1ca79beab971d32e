"""Areas: fire lands in the hex it is aimed at, by rule, and covers that hex alone (12.1.1).

A hex is a mile across, so no error smaller than that is modelled. Nothing stays on the ground.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

from fireplan_core import Effects, FireLimit, Place, Reason, Setup, Staging, View, cycle, push, step
from fireplan_core.chance import Chance
from fireplan_core.ready_parts import HexAreas
from fireplan_wacht_am_rhein.ground import FRAME, MIDDLE


class WarAreas(HexAreas):
    """Hexes of one mile."""

    places = FRAME
    miss_not_modelled = "fire lands in its hex by rule; the grain is one mile"
    cites: ClassVar[Mapping[str, str]] = {
        "spotting": "12.1.1",
        "fall": "12.1.1",
        "lingering": "12.4.3",
    }

    def cells(self, impact: Place) -> tuple[Place, ...]:
        """Return the hex of the impact alone."""
        return (impact,)

    def middle(self) -> Place:
        """Return a hex well inside the map."""
        return MIDDLE

    def stage(self, staging: Staging) -> None:
        """Stage nothing: the neutral aim and impact say it all."""

    def fire_limit(self, scenario: Setup, mission: str, moments: int) -> FireLimit:
        """Return the barrages in which the units can take part in a segment, each with all their factors (12.1.4)."""
        units = scenario.missions[mission].facts["requests"].artillery
        barrages = sum(min(unit.factors, self.number("barrages_per_unit")) for unit in units)
        factors = sum(unit.factors for unit in units)
        return FireLimit(barrages * moments, Fraction(factors, self.number("full_volley")))

    @step(cite="12.1.1")
    def land(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Land the barrage in its target hex."""
        return Effects(push(cycle.landed, mission, view.mission(mission).aim))

    @step(cite="12.4.0")
    def fallen(self, _chance: Chance, _view: View, mission: str) -> Effects:
        """End the mission: with its final result the barrage is over."""
        return Effects(push(cycle.close, mission, Reason.DELIVERED, "12.4.0"))
