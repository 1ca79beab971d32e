"""The base class of the delays part: the clock, and the delay from a call for fire to readiness."""

from __future__ import annotations

from typing import ClassVar

from fireplan_core.chance import Chance
from fireplan_core.mission import Intent
from fireplan_core.setups.setup import Clock, Setup
from fireplan_core.steps.effects import Effects, optional, required
from fireplan_core.steps.part import Notified
from fireplan_core.steps.view import View


class Delays(Notified):
    """The delays part, which runs the clock and the delay between a request and readiness.

    >>> from fireplan_core import cycle
    >>> class Signals(Delays):
    ...     @step(cite="2")
    ...     def moment(self, chance, view):
    ...         return Effects(*(push(cycle.opportunity, mission) for mission in view.missions))
    >>> Signals("my_game", {}, {}).steps()["delays.moment"].cite
    '2'
    """

    word: ClassVar[str] = "delays"

    def clock(self) -> Clock:
        """Return the game's clock, which sets the length of a moment and the term for it."""
        raise NotImplementedError

    def has_last_word(self, view: View, mission: str) -> bool:
        """Return whether the link must be checked before this shot.

        If not, the cycle skips the step ``clearance``.
        """
        return True

    def alone(self, scenario: Setup, mission: str) -> Setup | None:
        """Return a setup with this mission only, or None if the part provides no such setup.

        In the returned setup the mission must be able to do at least as much as in ``scenario``,
        whatever orders the other missions receive there. The solver uses it to bound what several
        missions do together.
        """
        return None

    # --- the contract: steps that the core calls --------------------------------------------------
    @required
    def moment(self, chance: Chance, view: View) -> Effects:
        """Open a moment for all missions.

        Push ``cycle.opportunity`` for each idle asset and advance the other requests. Push
        ``cycle.ready`` once an asset is ready.
        """
        raise NotImplementedError

    @optional
    def request(self, chance: Chance, view: View, mission: str) -> Effects:
        """Begin the delay that follows a call for fire."""
        return Effects()

    @optional
    def clearance(self, chance: Chance, view: View, mission: str) -> Effects:
        """Check the link for the last time before a shot.

        Push ``cycle.cease`` or ``cycle.close`` to stop the shot.
        """
        return Effects()

    @optional
    def before_manoeuvre(self, chance: Chance, view: View, side: str) -> Effects:
        """Resolve what must happen before a side's troops move or act on the map.

        The resolution part pushes this step just before those moves.
        """
        return Effects()

    @optional
    def released(self, chance: Chance, view: View, mission: str, intent: Intent) -> Effects:
        """Change the part's state after a shot has landed; by default nothing changes.

        ``intent`` is the purpose of the shot: a spotting round or fire for effect.
        """
        return Effects()
