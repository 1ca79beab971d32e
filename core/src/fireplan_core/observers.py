"""Observers: which places an asset's observer sees.

The observers part answers questions of fact and has no steps in the cycle.
"""

from __future__ import annotations

from typing import ClassVar

from fireplan_core.mission import Sight
from fireplan_core.record import Place
from fireplan_core.steps.part import Part
from fireplan_core.steps.view import View


class Observers(Part):
    """The observers part: which places the observer of a mission sees."""

    word: ClassVar[str] = "observers"

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return what the mission's observer sees of a place.

        The answer comes from the state if it holds one, else from the scenario.
        """
        raise NotImplementedError

    def sees_past_smoke(self, view: View, mission: str, place: Place) -> Sight:
        """Return what the mission's observer would see of a place without smoke on the map.

        The requests may use it for fire that is already falling.
        """
        return self.sees(view, mission, place)

    def enemies(self, view: View, mission: str, *, known: bool = False) -> tuple[str, ...]:
        """Return the units of other sides.

        With ``known``, only those that the observer sees and has identified. The delays and
        requests use it for rules that depend on the units near a place.
        """
        units = tuple(unit for unit in view.units if view.unit_side(unit) != view.side(mission))
        if not known:
            return units
        sights = {unit: self.sees(view, mission, view.place_of(unit)) for unit in units}
        return tuple(unit for unit, sight in sights.items() if sight.partly and sight.known_enemy)
