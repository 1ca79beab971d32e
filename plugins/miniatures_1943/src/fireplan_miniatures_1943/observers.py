"""Observers: which points of the ground a friendly ground base sees.

Sight itself is declared, not traced.
"""

from fireplan_core import Observers, Place, Sight, View
from fireplan_miniatures_1943.chits import ChitSetup
from fireplan_miniatures_1943.setup import Staged

UNSPOTTED = Sight(
    ground=False, burst=False, rule="6.2.b", why="no friendly base on the ground sees it"
)


class M1943Observers(Staged, Observers):
    """Any friendly base on the ground may observe.

    Aircraft and men off the table do not (6.2.b, 6.2.c).
    """

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return what the engagement declares for the whole target area.

        In a scenario file what its bases see.

        There a base on the table sees every point within the scenario's visibility; lines of sight
        are another chapter of the rules, and bases that see nothing are declared so.
        """
        chit = view.facts(mission, ChitSetup)
        if chit.sight is not None:
            return chit.sight
        stands = (view.place_of(base) for base in chit.observers)
        seen = any(
            at is not None and view.frame.gap(at, place) <= chit.visibility**2 for at in stands
        )
        return Sight(ground=True, burst=True, known_enemy=True) if seen else UNSPOTTED
