"""Observers: which hexes the spotting leader sees, and what hinders his sight (9, 11)."""

from fireplan_combat_commander.areas import Ground
from fireplan_combat_commander.call import Knowing
from fireplan_core import Observers, Place, Sight, View
from fireplan_core.space import Hex, HexFrame, sight_line

BLOCKING = ("woods", "building")
HINDERING = {"brush", "field", "orchard", "marsh", "smoke"}


class CCObservers(Knowing, Observers):
    """The leader sees in straight lines that woods and buildings block.

    Brush, smoke and the like hinder.
    """

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """9, 11: what lies strictly between the two hexes blocks or hinders.

        The largest hindrance counts (D16).
        """
        if not isinstance(view.frame, HexFrame):
            return Sight(ground=True, burst=True)
        call = self.call(view, mission)
        smoke = view.peek_shared(Ground).smoke
        crossed: set[Hex] = {
            hex_ for piece in sight_line(call.stands, place) for hex_ in piece.hexes
        }
        between = crossed - {call.stands, place}
        kinds = {kind for hex_, kind in call.terrain if hex_ in between} | {
            "smoke" for _ in between & {*smoke}
        }
        if blocking := next((kind for kind in BLOCKING if kind in kinds), None):
            return Sight(ground=False, burst=False, rule="9", why=f"{blocking} blocks the sight")
        hindrance = max((self.number(f"hindrance_{kind}") for kind in kinds & HINDERING), default=0)
        return Sight(ground=True, burst=True, hindrance=hindrance)
