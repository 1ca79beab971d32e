"""Areas: a barrage always lands in its target hex and affects only that hex (12.1.1).

A hex is a mile across, so no smaller error is modelled. No effect remains on the ground.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

from fireplan_core import Effects, FireLimit, Place, Reason, Setup, Staging, View, cycle, push, step
from fireplan_core.chance import Chance
from fireplan_core.ready_parts import HexAreas
from fireplan_wacht_am_rhein.ground import FRAME, MIDDLE


class WarAreas(HexAreas):
    """The area of a barrage: one hex, a mile across."""

    places = FRAME
    miss_not_modelled = "fire always lands in its target hex, which is a mile across"
    cites: ClassVar[Mapping[str, str]] = {
        "spotting": "12.1.1",
        "fall": "12.1.1",
        "lingering": "12.4.3",
    }

    def cells(self, impact: Place) -> tuple[Place, ...]:
        """Return the impact hex, the only hex affected."""
        return (impact,)

    def middle(self) -> Place:
        """Return a hex near the middle of the map."""
        return MIDDLE

    def stage(self, staging: Staging) -> None:
        """Stage nothing, because this part keeps no records of its own."""

    def fire_limit(self, scenario: Setup, mission: str, moments: int) -> FireLimit:
        """Return the maximum number and strength of a mission's barrages in ``moments`` (12.1.4).

        The maximum strength is that of a barrage with all factors of all units.
        """
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
        """End the mission once its Final Barrage Result is known."""
        return Effects(push(cycle.close, mission, Reason.DELIVERED, "12.4.0"))
