"""The base class of the observers part, which knows the places that an observer can see.

The observers part answers questions of fact and has no steps in the cycle.
"""

from __future__ import annotations

from typing import ClassVar

from fireplan_core.mission import Sight
from fireplan_core.space import Place
from fireplan_core.steps.part import Part
from fireplan_core.steps.queries import query
from fireplan_core.steps.view import View


class Observers(Part):
    """The observers part, which decides how well a mission's observer sees each place.

    >>> class Lookout(Observers):
    ...     def sees(self, view, mission, place):
    ...         return Sight(ground=True, burst=True)
    >>> list(Lookout("my_game", {}, {}).queries())
    ['sees']
    """

    word: ClassVar[str] = "observers"

    @query(cite="core")
    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return the observer's view of a place: its ground, a burst above it, the hindrance.

        A game works it out from the facts of the scenario and from the state.
        """
        raise NotImplementedError
