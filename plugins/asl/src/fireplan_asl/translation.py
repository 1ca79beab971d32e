"""The translation between a scenario and its setup with few hexes (``relaxed``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from fireplan_asl.blast import NEW, Settling
from fireplan_asl.requests import AslRequests
from fireplan_core import Ask, Order, Place
from fireplan_core.mission import Stage
from fireplan_core.record import Read

AR_HEX = f"{AslRequests.word}.{AslRequests.fire.__name__}", "at"
"""The question and the slot in which a battery's AR is placed."""
CORRECTIONS = ("correct", "correct_convert")
"""The orders that move the AR of a round on the map."""


@attrs.frozen
class HexTranslation:
    """The translation of impacts and ARs between a scenario and its setup with few hexes.

    ``settlings`` maps each battery to where its rounds settle in that setup.
    """

    settlings: Mapping[str, Settling] = attrs.field(hash=False)

    def value(self, key: str, value: Any, read: Read) -> Any:
        """Return the hex in which a round settles, or the value of any other key.

        If no round of the setup lands in the round's hex, the round counts as being as far off as
        possible.
        """
        _, _, path = key.partition("/")
        mission, _, field = path.partition("/")
        settling = self.settlings.get(mission)
        if field != "impact" or value is None or settling is None:
            return value
        farthest = max(settling.off, key=settling.off.__getitem__)
        spotting = read(f"missions/{mission}/stage", Stage.IDLE) is Stage.SPOTTING
        return (settling.spots if spotting else settling.places).get(value, farthest)

    def ask(self, ask: Ask, read: Read) -> Ask:
        """Return the question, with the AR of each order replaced with the name of its shot."""
        mission = str(ask.args[0])
        named = [
            self._named(mission, arg, read) if isinstance(arg, Order) else arg for arg in ask.args
        ]
        return attrs.evolve(ask, args=tuple(named))

    def order(self, ask: Ask, order: Order, read: Read) -> Order:
        """Return the order with its AR in the hex at which the named shot is aimed."""
        if ask.question != AR_HEX[0]:
            return order
        shot = self._shots(str(ask.args[0]), order, read).get(dict(order.values).get("at"))
        return order if shot is None else Order.of(order.verb, at=shot.aim)

    def _named(self, mission: str, order: Order, read: Read) -> Order:
        """Return an order that names the shot aimed at its AR, if there is such a shot."""
        at = dict(order.values).get("at")
        shots = self._shots(mission, order, read)
        names = [name for name, shot in shots.items() if shot.aim == at]
        return Order.of(order.verb, at=names[0]) if names else order

    def _shots(self, mission: str, order: Order, read: Read) -> Mapping[Place, Any]:
        """Return the shots of the present situation, by the hexes that name them.

        The result is empty for an order without an AR.
        """
        settling = self.settlings.get(mission)
        if settling is None or "at" not in dict(order.values):
            return {}
        if order.verb not in CORRECTIONS:
            return settling.shots[NEW]
        stage, where = read(f"missions/{mission}/stage", Stage.IDLE), f"missions/{mission}/impact"
        impact = self.value(where, read(where, None), read)
        return settling.shots[settling.situation(stage, impact)]
