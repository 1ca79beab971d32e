"""Advance after barrage: units in Prepared Assault mode follow into a hex that a barrage has emptied (12.5.0).

A base of ``WarRequests``. Only where there is a map; on a blank ground nobody can follow.
"""

from __future__ import annotations

from fireplan_core import (
    Effects,
    Form,
    Order,
    Place,
    Question,
    Refusal,
    Requests,
    Slot,
    View,
    ask,
    emit,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance
from fireplan_wacht_am_rhein.barrage import ObservingUnit
from fireplan_wacht_am_rhein.declaring import Artillery, Declaring, Fired
from fireplan_wacht_am_rhein.ground import GroundMap, hexes_between


class Advancing(Requests):
    """The units that may follow, their one judge, and the move."""

    declaring: Declaring

    def questions(self) -> dict[str, Question]:
        """Who advances."""
        return {"advance": Question(self._advance_forms, self._refuse_advance, self._advance_standard)}

    def _able(self, view: View, mission: str, at: Place) -> tuple[str, ...]:
        """The units that may advance into a hex now."""
        return tuple(
            unit.name
            for unit in view.facts(mission, Artillery).observers
            if self._refusal(view, mission, at, unit) is None
        )

    def _refusal(self, view: View, mission: str, at: Place, unit: ObservingUnit) -> Refusal | None:
        now = self.declaring.place(view, unit)
        if now is None:
            return Refusal("12.5.0", f"{unit.name} is eliminated")
        distance = hexes_between(view.frame, now, at)
        if distance != 1:
            return Refusal("12.5.0", f"{unit.name} is {distance} hexes from the emptied hex, not adjacent")
        mode = self.declaring.mode(view, mission, unit)
        if mode != "prepared_assault":
            return Refusal("12.5.0", f"{unit.name} is in mode {mode}, not in prepared assault")
        if unit.name in view.own(mission, Fired).advanced:
            return Refusal("12.5.0", f"{unit.name} has advanced 1 time of 1 in this segment")
        if self._ground(view, mission).at(at).impassable:
            return Refusal("12.5.0", "the hex cannot be entered")
        return None

    def _ground(self, view: View, mission: str) -> GroundMap:
        return view.facts(mission, Artillery).ground or GroundMap()

    def _advance_forms(self, view: View, mission: str, at: Place) -> tuple[Form, ...]:
        slots = (
            Slot("unit", "which unit", self._able(view, mission, at)),
            Slot("keep", "whether it stays in prepared assault mode, and so must attack", (True, False)),
        )
        return (Form("stay", "12.5.0", "nobody (else) advances"), Form("advance", "12.5.0", "enter the hex", slots))

    def _refuse_advance(self, view: View, order: Order, mission: str, at: Place) -> Refusal | None:
        if order.verb == "stay":
            return None
        units = {unit.name: unit for unit in view.facts(mission, Artillery).observers}
        if order["unit"] not in units:
            return Refusal("12.5.0", f"no unit {order['unit']!r}; there are {', '.join(units)}")
        refusal = self._refusal(view, mission, at, units[order["unit"]])
        if refusal is None and not order["keep"] and not self._ground(view, mission).at(at).covering:
            return Refusal("12.5.0", "only in covering terrain may a unit give up prepared assault, not in the open")
        return refusal

    def _advance_standard(self, _view: View, _mission: str, _at: Place) -> Order:
        return Order.of("stay")

    @step(cite="12.5.0")
    def follow(self, _chance: Chance, view: View, mission: str, at: Place) -> Effects:
        """A hex stands empty of enemies: the side may advance into it."""
        side = view.side(mission)
        held = any(view.place_of(unit) == at and view.unit_side(unit) != side for unit in view.units)
        if held or not self._able(view, mission, at):
            return Effects()
        return Effects(ask(side, "advance", mission, at, then="advanced"))

    @step(cite="12.5.0")
    def advanced(self, _chance: Chance, view: View, mission: str, at: Place, order: Order) -> Effects:
        """A unit enters the hex; it observes no more, and must attack unless it took off its marker."""
        if order.verb == "stay":
            return Effects()
        name, keep = order["unit"], bool(order["keep"])
        fired = view.own(mission, Fired)
        return Effects(
            update(view.unit_neutral(name), place=at),
            update(fired, advanced=(*fired.advanced, name)),
            [] if keep else update(fired, dismissed=tuple(sorted({*fired.dismissed, name}))),
            emit("advanced", "12.5.0", unit=name, at=at, prepared_assault=keep, must_attack=keep),
            push("follow", mission, at),
        )
