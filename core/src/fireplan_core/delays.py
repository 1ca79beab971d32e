"""Delays: the clock, and everything between a request and the moment the asset may act on it."""

from __future__ import annotations

from typing import ClassVar

from fireplan_core.chance import Chance
from fireplan_core.mission import Intent
from fireplan_core.setups.setup import Clock
from fireplan_core.steps.effects import Effects, optional, required
from fireplan_core.steps.part import Notified
from fireplan_core.steps.view import View


class Delays(Notified):
    """The clock and the delay from request to readiness."""

    word: ClassVar[str] = "delays"

    def clock(self) -> Clock:
        """Return the moments of this game."""
        raise NotImplementedError

    def has_last_word(self, view: View, mission: str) -> bool:
        """Return whether the link must be checked before this shot leaves.

        If not the cycle omits ``clearance``.
        """
        return True

    def operator(self, view: View, mission: str) -> str | None:
        """Return the unit that has the link in hand, for parts whose rules depend on it.

        None if it is no unit.
        """
        return None

    # --- the contract: steps that the core calls --------------------------------------------------
    @required
    def moment(self, chance: Chance, view: View) -> Effects:
        """Open a moment for all missions.

        Push ``cycle.opportunity`` for idle assets and drive the progress of the others, ending in
        ``cycle.ready`` when an asset is at hand.
        """
        raise NotImplementedError

    @optional
    def request(self, chance: Chance, view: View, mission: str) -> Effects:
        """Begin the delay: fire has been asked for."""
        return Effects()

    @optional
    def clearance(self, chance: Chance, view: View, mission: str) -> Effects:
        """Check the link for the last time before a shot leaves.

        Cease or close the mission to stop it.
        """
        return Effects()

    @optional
    def interrupt(self, chance: Chance, view: View, side: str) -> Effects:
        """Resolve what precedes the acts of a side's troops on the map.

        Called by the resolution when they are named.
        """
        return Effects()

    @optional
    def expire(self, chance: Chance, view: View, mission: str) -> Effects:
        """End what lasts no longer than to the movement of troops.

        Resolution pushes it before they move.
        """
        return Effects()

    @optional
    def released(self, chance: Chance, view: View, mission: str, intent: Intent) -> Effects:
        """Note that a shot has landed."""
        return Effects()
