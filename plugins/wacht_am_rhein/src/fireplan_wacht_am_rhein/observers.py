"""Observers: whether anybody sees the target hex (12.1.6g), on the ground or from the air (12.1.6f).

Which unit observes, and what it may call on, is in ``requests``.
"""

from __future__ import annotations

import attrs

from fireplan_core import Observers, Place, Sight, Staging, View
from fireplan_wacht_am_rhein.engagement import observation
from fireplan_wacht_am_rhein.ground import hexes_between


@attrs.frozen
class Declared:
    """What the scenario declares: whether a friendly unit or aircraft sees the target hex, or bursts above it."""

    ground: bool
    burst: bool


@attrs.frozen
class Lookouts:
    """The units of a side that may observe, each with where it starts and the hexes it sees from there (8.4.0)."""

    units: tuple[tuple[str, Place, tuple[Place, ...]], ...]


class WarObservers(Observers):
    """Sight as the scenario declares it; how it is found on the map (8.4.0) belongs to the rest of the game."""

    def stage(self, staging: Staging) -> None:
        """A target that is seen clearly, by somebody who may observe, is observed."""
        seen = observation(staging, self.charts["barrage_limits"].air_radius_hexes)
        burst = staging.engagement.observer.sight == "burst_only"
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=Declared(seen is not None, seen is not None or burst))

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """The ground and the burst as declared; on a map whether any unit of the side sees that hex."""
        if view.scenario.mobile:
            seen = any(self._sees(view, *lookout, place) for lookout in view.facts(mission, Lookouts).units)
            return Sight(ground=seen, burst=seen, known_enemy=seen)
        declared = view.facts(mission, Declared)
        return Sight(ground=declared.ground, burst=declared.burst, known_enemy=declared.ground)

    @staticmethod
    def _sees(view: View, unit: str, start: Place, seen: tuple[Place, ...], place: Place) -> bool:
        now = view.place_of(unit)
        if now is None:
            return False
        return hexes_between(view.frame, now, place) <= 1 or (now == start and place in seen)
