"""Observers: the points that friendly ground bases see; lines of sight are declared, not traced."""

from fireplan_core import Observers, Place, Sight, View
from fireplan_miniatures_1943.bases import METRES_PER_YARD
from fireplan_miniatures_1943.chits import ChitSetup
from fireplan_miniatures_1943.setup import Staged

UNSPOTTED = Sight(
    ground=False, burst=False, rule="6.2.b", why="no friendly base on the ground sees it"
)
"""The line of sight to a point that no friendly ground base sees."""


class M1943Observers(Staged, Observers):
    """The observers part: friendly bases on the ground, not aircraft or men off the table.

    See 6.2.b and 6.2.c.
    """

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return the line of sight that the engagement declares, or that of a scenario's bases.

        A base sees every point within the scenario's visibility, because another chapter of the
        rules covers lines of sight. A file can declare bases that do not observe.
        """
        chit = view.facts(mission, ChitSetup)
        if chit.sight is not None:
            return chit.sight
        places = (view.place_of(base) for base in chit.observers)
        frame, far = view.frame, chit.visibility * float(METRES_PER_YARD)
        seen = any(
            at is not None and frame.gap_metres(frame.gap(at, place)) <= far for at in places
        )
        return Sight(ground=True, burst=True, known_enemy=True) if seen else UNSPOTTED
