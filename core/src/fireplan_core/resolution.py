"""Resolution: the effect of fire on its targets.

A step emits ``suffered`` (fields ``unit`` and ``severity``) whenever a unit's state gets worse;
every game maps its own results to ``Severity`` in ``severities``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fireplan_core.chance import Chance
from fireplan_core.mission import Severity, Shot
from fireplan_core.record import Place
from fireplan_core.steps.effects import Effects, optional, required
from fireplan_core.steps.part import Part
from fireplan_core.steps.view import View


class Resolution(Part):
    """The resolution part: attacks on targets, their results and severities."""

    word: ClassVar[str] = "resolution"
    severities: ClassVar[Mapping[str, Severity]] = {}

    def opens(self, view: View) -> bool:
        """Return whether anything must be resolved first in this moment.

        If not, the cycle skips ``opening``.
        """
        return True

    # --- the contract: steps that the core calls --------------------------------------------------
    @optional
    def opening(self, chance: Chance, view: View) -> Effects:
        """Resolve what comes first in a moment: fire from before play, lingering hazards."""
        return Effects()

    @optional
    def restore_order(self, chance: Chance, view: View, unit: str) -> Effects:
        """Bring a unit back into good order.

        The delays push it for the unit that operates the link.
        """
        return Effects()

    @required
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Attack everything at a place that fire for effect covers.

        It runs in the scope of the place: it may read and write the units and the ground there and
        no others, unless the part sets ``places_apart = False``.
        """
        raise NotImplementedError

    @optional
    def manoeuvre(self, chance: Chance, view: View, side: str) -> Effects:
        """Let a side move its units.

        The delays push it in games where each side has a turn of its own within a moment.
        """
        return Effects()

    @optional
    def fire_phase(self, chance: Chance, view: View, side: str) -> Effects:
        """Resolve the combined effect of a side's fire phase, and any other fire of that phase.

        The delays push it after ``Areas.fire_phase`` of each asset, in games where each side has a
        turn of its own within a moment.
        """
        return Effects()

    @optional
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Note that the mission has ended."""
        return Effects()

    @optional
    def spent(self, chance: Chance, view: View, mission: str) -> Effects:
        """Charge the asset for firing (depletion), after all strikes of one fall."""
        return Effects()

    @optional
    def turn_over(self, chance: Chance, view: View) -> Effects:
        """Remove effects that last until the end of a turn.

        The delays push it at the end of each turn, in games that have turns.
        """
        return Effects()
