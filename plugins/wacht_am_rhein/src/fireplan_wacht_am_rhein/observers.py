"""Observers: whether anybody sees the target hex (12.1.6g), on the ground or from the air (12.1.6f).

Which unit observes, and what it may call on, is in ``requests``. How sight is found on the map
(8.4.0) belongs to the rest of the game: an engagement declares it, a scenario lists the hexes that
each unit sees from where it starts.
"""

from fireplan_core import Observers, Place, Sight, Staging, View
from fireplan_wacht_am_rhein.ground import hexes_between
from fireplan_wacht_am_rhein.setup import Lookouts, ObservingUnit, stage_sight

UNSEEN = Sight(ground=False, burst=False, rule="12.1.6g", why="no unit of the side sees it")


class WarObservers(Observers):
    """Sight as it is declared."""

    def stage(self, staging: Staging) -> None:
        """Stage the declared sight."""
        stage_sight(staging, self.charts)

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return the ground and the burst as declared.

        On a map whether any unit of the side sees that hex.
        """
        lookouts = view.facts(mission, Lookouts)
        if lookouts.declared is not None:
            return lookouts.declared
        seen = any(unit.mode != "strategic" and looks(view, unit, place) for unit in lookouts.units)
        return Sight(ground=True, burst=True, known_enemy=True) if seen else UNSEEN


def looks(view: View, unit: ObservingUnit, place: Place) -> bool:
    """Tell whether a unit on the map has a line of sight to a hex.

    A neighbouring hex is always seen.

    Lines declared for where a unit started tell nothing once it has moved.
    """
    now = view.place_of(unit.name)
    if now is None:
        return False
    return hexes_between(view.frame, now, place) <= 1 or (
        now == unit.hex and place in (unit.sees or ())
    )
