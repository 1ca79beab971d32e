"""The base class of the observers part, which knows the places that an observer can see.

The observers part answers questions of fact and has no steps in the cycle.
"""

from __future__ import annotations

from typing import ClassVar

from fireplan_core.mission import Sight
from fireplan_core.record import Place
from fireplan_core.steps.part import Part
from fireplan_core.steps.view import View


class Observers(Part):
    """The observers part, which decides how well a mission's observer sees each place."""

    word: ClassVar[str] = "observers"

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return how well the mission's observer sees a place.

        The answer comes from the state if it contains one, or else from the scenario.
        """
        raise NotImplementedError

    def sees_past_smoke(self, view: View, mission: str, place: Place) -> Sight:
        """Return how well the mission's observer would see a place without any smoke on the map.

        The requests part may use it for fire that is already falling.
        """
        return self.sees(view, mission, place)

    def enemies(self, view: View, mission: str, *, known: bool = False) -> tuple[str, ...]:
        """Return the ids of the units on other sides than the mission's.

        With ``known``, only units that the observer sees and has identified are included. The
        delays and requests parts use this for rules that depend on nearby units.
        """
        units = tuple(unit for unit in view.units if view.unit_side(unit) != view.side(mission))
        if not known:
            return units
        sights = {unit: self.sees(view, mission, view.place_of(unit)) for unit in units}
        return tuple(unit for unit, sight in sights.items() if sight.partly and sight.known_enemy)
