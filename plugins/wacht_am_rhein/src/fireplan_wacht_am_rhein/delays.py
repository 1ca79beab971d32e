"""Delays: there are none. What is asked for in a Barrage Segment falls in the same segment (12.1.0).

Only the clock of this game is here: one moment a segment. Limits on what may be asked are in ``requests``.
"""

from __future__ import annotations

from fireplan.chance import Chance
from fireplan.mission import Clock, Delays, Staging, Then, View, push, step
from fireplan_wacht_am_rhein.barrage import SEGMENT_MINUTES


class WarDelays(Delays):
    """No delay: an asset is at hand as soon as it is asked for."""

    def clock(self) -> Clock:
        """One moment a Barrage Segment of half a day's light, true to within that half day."""
        return Clock(
            SEGMENT_MINUTES, SEGMENT_MINUTES, lambda k: f"barrage segment {k + 1}", "barrage segment", "12.0"
        )

    def stage(self, staging: Staging) -> None:
        """Nothing is kept: a link of any kind is as good as another."""

    @step(cite="12.0")
    def moment(self, _chance: Chance, view: View) -> Then:
        """A barrage segment: whoever is still at work goes on, whoever is idle may ask."""
        return Then(
            *(
                push(name, mission)
                for mission in view.missions
                for name in ("core.ready", "core.opportunity")
            )
        )

    @step(cite="12.1.0")
    def request(self, _chance: Chance, _view: View, mission: str) -> Then:
        """Ready at once."""
        return Then(push("core.ready", mission))
