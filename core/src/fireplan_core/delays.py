"""Delays: the clock, and everything between a call for fire and the asset's readiness."""

from __future__ import annotations

from typing import ClassVar

from fireplan_core.chance import Chance
from fireplan_core.mission import Intent
from fireplan_core.setups.setup import Clock
from fireplan_core.steps.effects import Effects, optional, required
from fireplan_core.steps.part import Notified
from fireplan_core.steps.view import View


class Delays(Notified):
    """The delays part: the clock, and the delay from request to readiness."""

    word: ClassVar[str] = "delays"

    def clock(self) -> Clock:
        """Return the clock of this game: the length of a moment and its name."""
        raise NotImplementedError

    def has_last_word(self, view: View, mission: str) -> bool:
        """Return whether the link must be checked before this shot.

        If not, the cycle skips ``clearance``.
        """
        return True

    def operator(self, view: View, mission: str) -> str | None:
        """Return the unit that operates the link, or None if no unit does.

        Other parts use it where their rules depend on that unit.
        """
        return None

    # --- the contract: steps that the core calls --------------------------------------------------
    @required
    def moment(self, chance: Chance, view: View) -> Effects:
        """Open a moment for all missions.

        Push ``cycle.opportunity`` for idle assets and advance the requests of the others; push
        ``cycle.ready`` once an asset is ready.
        """
        raise NotImplementedError

    @optional
    def request(self, chance: Chance, view: View, mission: str) -> Effects:
        """Begin the delay after a call for fire."""
        return Effects()

    @optional
    def clearance(self, chance: Chance, view: View, mission: str) -> Effects:
        """Check the link for the last time before a shot.

        Push ``cycle.cease`` or ``cycle.close`` to stop it.
        """
        return Effects()

    @optional
    def interrupt(self, chance: Chance, view: View, side: str) -> Effects:
        """Resolve what comes before a side's troops act on the map.

        The resolution pushes it once those troops are chosen.
        """
        return Effects()

    @optional
    def expire(self, chance: Chance, view: View, mission: str) -> Effects:
        """End effects that last until troops move; the resolution pushes it before they do."""
        return Effects()

    @optional
    def released(self, chance: Chance, view: View, mission: str, intent: Intent) -> Effects:
        """Note that a shot has landed."""
        return Effects()
