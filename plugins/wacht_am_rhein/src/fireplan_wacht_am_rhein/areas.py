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
    """The areas part: a barrage covers one hex, which is a mile across."""

    places = FRAME
    miss_not_modelled = "fire always lands in its target hex, which is a mile across"
    weighs_aim = False
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
        """Stage nothing, because this part keeps no records."""

    def fire_limit(self, scenario: Setup, mission: str, moments: int) -> FireLimit:
        """Return the maximum number and strength of a mission's barrages in ``moments`` (12.1.4).

        The strongest barrage has all factors of all units. A side barrages only in its own Barrage
        Segments, and no hex twice in one of them (12.0, 12.1.1).
        """
        setup = scenario.missions[mission]
        units = setup.facts["requests"].artillery
        barrages = sum(min(unit.factors, self.number("barrages_per_unit")) for unit in units)
        factors = sum(unit.factors for unit in units)
        segments = self._segments(scenario, setup.side, moments)
        return FireLimit(
            barrages * segments,
            Fraction(factors, self.number("full_volley")),
            on_one_place=segments,
        )

    @staticmethod
    def _segments(scenario: Setup, side: str, moments: int) -> int:
        """Return the most Barrage Segments that a side has in ``moments`` consecutive moments.

        If the scenario sets no sequence of sides, every moment is a segment of both.
        """
        active: tuple[str, ...] = scenario.shared["delays"].active
        if not active:
            return moments
        rounds, rest = divmod(moments, len(active))
        firsts = range(len(active))
        most = max(
            sum(active[(first + number) % len(active)] == side for number in range(rest))
            for first in firsts
        )
        return rounds * active.count(side) + most

    @step(cite="12.1.1")
    def land(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Land the barrage in its target hex."""
        return Effects(push(cycle.landed, mission, view.mission(mission).aim))

    @step(cite="12.4.0")
    def fallen(self, _chance: Chance, _view: View, mission: str) -> Effects:
        """End the mission once its Final Barrage Result is known."""
        return Effects(push(cycle.close, mission, Reason.DELIVERED, "12.4.0"))
