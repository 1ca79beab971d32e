"""Requests: asking for fire at a point, and what may be ordered when the asset is at hand."""

from __future__ import annotations

from typing import ClassVar

from fireplan_core.chance import Chance
from fireplan_core.steps.effects import Effects, optional, required
from fireplan_core.steps.part import Notified
from fireplan_core.steps.view import View


class Requests(Notified):
    """Asking for fire: the orders, their one judge, and the steps that carry them out.

    ``cites`` needs ``requested``.
    """

    word: ClassVar[str] = "requests"

    # --- the contract: steps that the core calls --------------------------------------------------
    @required
    def opportunity(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask whether fire is wanted of an idle asset; push ``cycle.request`` to ask for it."""
        raise NotImplementedError

    @required
    def ready(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask what an asset that listens shall do.

        Choose an aim and push ``cycle.release``, ``cycle.convert``, ``cycle.cease`` or
        ``cycle.close``, or leave things as they are.
        """
        raise NotImplementedError

    @optional
    def phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask a side for fire of all assets that go with this one, whether or not any of them is idle.

        Delays push it once in a side's phase where being asked must tell the other side nothing;
        others push ``cycle.opportunity``.
        """
        return Effects()

    @optional
    def supply(self, chance: Chance, view: View, mission: str) -> Effects:
        """Bring up ammunition for an asset.

        The delays push it before the fire of a turn, in games that play supply.
        """
        return Effects()

    @optional
    def paid(self, chance: Chance, view: View, mission: str) -> Effects:
        """Charge the asset for a fall.

        Pushed by a resolution that leaves the cost of firing to the requests.
        """
        return Effects()

    @optional
    def turn_over(self, chance: Chance, view: View, side: str) -> Effects:
        """Make good what firing has cost.

        The delays push it when a side's turn ends, in games that play turns.
        """
        return Effects()

    @optional
    def landed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Carry on when a spotting round has landed (orders declared beforehand)."""
        return Effects()
