"""Observers: who sees for an asset, and what he sees.

The observers part answers facts; it moves no mission along.
"""

from __future__ import annotations

from typing import ClassVar

from fireplan_core.mission import Sight
from fireplan_core.record import Place
from fireplan_core.steps.part import Part
from fireplan_core.steps.view import View


class Observers(Part):
    """Say who may observe and what he sees."""

    word: ClassVar[str] = "observers"

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return what the mission's observer sees of a place: the ground, the burst above it, hindrance.

        Answered from the state when it knows, else from what the scenario declares.
        """
        raise NotImplementedError

    def sees_past_smoke(self, view: View, mission: str, place: Place) -> Sight:
        """Return the same as if no smoke lay on the map.

        Requests may ask it of fire that falls already.
        """
        return self.sees(view, mission, place)

    def enemies(self, view: View, mission: str, *, known: bool = False) -> tuple[str, ...]:
        """Return the units of other sides that nobody need look for, or only those that the observer has identified.

        Delays and requests ask it where a rule depends on who stands near a place.
        """
        units = tuple(unit for unit in view.units if view.unit_side(unit) != view.side(mission))
        if not known:
            return units
        sights = {unit: self.sees(view, mission, view.place_of(unit)) for unit in units}
        return tuple(unit for unit, sight in sights.items() if sight.partly and sight.known_enemy)
