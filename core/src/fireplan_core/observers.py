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
    """Who may observe and what he sees."""

    word: ClassVar[str] = "observers"

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return what the mission's observer sees of a place: the ground, the burst above it, hindrance.

        Answered from the state when it knows, else from what the scenario declares.
        """
        raise NotImplementedError
