"""Observers: whether anybody sees the target hex (12.1.6g), on the ground or from the air (12.1.6f).

Which unit observes, and what it may call on, is in ``requests``.
"""

from __future__ import annotations

import attrs

from fireplan.mission import Observers, Place, Sight, Staging, View
from fireplan_wacht_am_rhein.engagement import observation


@attrs.frozen
class Declared:
    """What the scenario declares: whether a friendly unit or aircraft sees the target hex, or bursts above it."""

    ground: bool
    burst: bool


class WarObservers(Observers):
    """Sight as the scenario declares it; sight on the map (8.4.0) belongs to the rest of the game."""

    def stage(self, staging: Staging) -> None:
        """A target that is seen clearly, by somebody who may observe, is observed."""
        seen = observation(staging)
        burst = staging.engagement.observer.sight == "burst_only"
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=Declared(seen is not None, seen is not None or burst))

    def sees(self, view: View, mission: str, place: Place) -> Sight:  # noqa: ARG002 - declared for the whole ground
        """The ground and the burst as declared."""
        declared = view.facts(mission, Declared)
        return Sight(ground=declared.ground, burst=declared.burst, known_enemy=declared.ground)
