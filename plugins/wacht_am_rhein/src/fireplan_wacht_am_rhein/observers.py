"""Observers: lines of sight to the target hex (12.1.6g).

The rules of LOS (8.4.0) are not in the chapter, so an engagement declares the line of sight, and a
scenario lists the hexes that each unit sees from its starting hex. ``declaring`` handles the
observing unit of a barrage and air observation (12.1.6f).
"""

from fireplan_core import Observers, Place, Sight, Staging, View
from fireplan_core.space import Frame
from fireplan_wacht_am_rhein.ground import hexes_between
from fireplan_wacht_am_rhein.setup import Lookouts, ObservingUnit, stage_sight

UNSEEN = Sight(ground=False, burst=False, rule="12.1.6g", why="no unit of the side sees it")
"""The line of sight to a hex that no unit sees."""


class WarObservers(Observers):
    """The observers part: lines of sight as the engagement or the scenario declares them."""

    def stage(self, staging: Staging) -> None:
        """Stage the line of sight that the engagement declares."""
        stage_sight(staging, self.charts)

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return the declared line of sight or, on a map, the line of sight of the side's units."""
        lookouts = view.facts(mission, Lookouts)
        if lookouts.declared is not None:
            return lookouts.declared
        seen = any(
            unit.mode != "strategic" and looks(view.frame, unit, view.place_of(unit.name), place)
            for unit in lookouts.units
        )
        return Sight(ground=True, burst=True, known_enemy=True) if seen else UNSEEN


def looks(frame: Frame, unit: ObservingUnit, position: Place | None, place: Place) -> bool:
    """Return whether a unit on the map has a line of sight to a hex from its position.

    A unit always sees adjacent hexes. The scenario's lines of sight apply until the unit moves. An
    eliminated unit, whose position is None, sees nothing.
    """
    if position is None:
        return False
    return hexes_between(frame, position, place) <= 1 or (
        position == unit.hex and place in (unit.sees or ())
    )
