"""Observers: the spotting leader's line of sight and its hindrance (9, 11)."""

from fireplan_combat_commander.areas import MapState
from fireplan_combat_commander.call import CallPart
from fireplan_core import Observers, Place, Sight, View
from fireplan_core.space import Hex, HexFrame, sight_line

BLOCKING = ("woods", "building")
HINDERING = {"brush", "field", "orchard", "marsh", "smoke"}


class CCObservers(CallPart, Observers):
    """The observers part: straight lines of sight, blocked or hindered by the terrain crossed."""

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return the leader's line of sight to a hex, given the terrain in between (9, 11).

        Only the largest hindrance counts (D16).
        """
        if not isinstance(view.frame, HexFrame):
            return Sight(ground=True, burst=True)
        call = self.call(view, mission)
        smoke = view.peek_shared(MapState).smoke
        crossed: set[Hex] = {
            hex_ for piece in sight_line(call.stands, place) for hex_ in piece.hexes
        }
        between = crossed - {call.stands, place}
        kinds = {kind for hex_, kind in call.terrain if hex_ in between} | {
            "smoke" for _ in between & {*smoke}
        }
        if blocking := next((kind for kind in BLOCKING if kind in kinds), None):
            return Sight(
                ground=False, burst=False, rule="9", why=f"{blocking} blocks the line of sight"
            )
        hindrance = max((self.number(f"hindrance_{kind}") for kind in kinds & HINDERING), default=0)
        return Sight(ground=True, burst=True, hindrance=hindrance)
