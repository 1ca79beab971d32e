"""The base class of the requests part: calls for fire, and orders to an asset that is ready."""

from __future__ import annotations

from typing import ClassVar

from fireplan_core.chance import Chance
from fireplan_core.steps.effects import Effects, optional, required
from fireplan_core.steps.part import Notified
from fireplan_core.steps.view import View


class Requests(Notified):
    """The requests part, which handles the orders that call for fire and direct it.

    ``cites`` must name the rule for ``requested``.

    >>> from fireplan_core import cycle
    >>> class Flare(Requests):
    ...     @orders(cite="1")
    ...     def call(self, view, mission):
    ...         yield Form("fire", "1", does=push(cycle.request, mission))
    >>> list(Flare("my_game", {}, {}).questions())
    ['requests.call']
    """

    word: ClassVar[str] = "requests"

    # --- the contract: steps that the core calls --------------------------------------------------
    @required
    def opportunity(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask the side whether it calls for fire from an idle asset.

        An answer that calls for fire pushes ``cycle.request``.
        """
        raise NotImplementedError

    @required
    def ready(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask the side for an order to an asset that is ready.

        The answer may set the aim and push ``cycle.release``, push ``cycle.convert``,
        ``cycle.cease`` or ``cycle.close``, or change nothing.
        """
        raise NotImplementedError

    @optional
    def phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask a side whether it calls for fire from any asset in this asset's group, idle or not.

        The delays part pushes this step once in a side's phase if the mere fact of asking must
        reveal nothing to the other side; otherwise it pushes ``cycle.opportunity``.
        """
        return Effects()

    @optional
    def paid(self, chance: Chance, view: View, mission: str) -> Effects:
        """Charge the asset for one fall of fire for effect.

        A resolution part pushes this step if it leaves the cost of firing to the requests part.
        """
        return Effects()

    @optional
    def turn_over(self, chance: Chance, view: View, side: str) -> Effects:
        """Carry out the end of a side's turn, e.g. replenish ammunition.

        The delays part pushes this step in games that have turns.
        """
        return Effects()
