"""Requests: whether fire is wanted, and where the spotting round is placed, explosive or smoke (9)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import ClassVar

from fireplan_combat_commander.call import Call, Knowing
from fireplan_core import (
    Effects,
    FireKind,
    Form,
    Intent,
    Place,
    Reason,
    Refusal,
    Slot,
    View,
    cycle,
    orders,
    push,
    update,
)  # fmt: skip
from fireplan_core.blocks import AskAndFire
from fireplan_core.scenario.setup import Setup
from fireplan_core.steps.effects import Event


class CCRequests(Knowing, AskAndFire):
    """Fire is wanted of the radio until a card is played; then the spotting round is placed."""

    cites: ClassVar = {"requested": "4", "fire": "9", "cancel": "5", "sight": "9"}

    def shows(self, scenario: Setup, event: Event, side: str) -> Event | None:
        """S4: nobody tells the other side that he waits for a card."""
        own = side == next((setup.side for setup in scenario.missions.values()), side)
        return None if event.kind == "requested" and not own else super().shows(scenario, event, side)

    @orders(cite="9")
    def fire(self, view: View, mission: str) -> Iterator[Form]:
        """Ask where the spotting round goes, and of which kind it is."""
        at = Slot("at", "the hex of the spotting round", view.aim_at(view.mission(mission).target), free=True)
        yield Form("fire", "9", "place an explosive round", (at,), partial(self.place, view, mission, FireKind.HE))
        if view.facts(mission, Call).smoke:
            yield Form("smoke", "9", "place a smoke round", (at,), partial(self.place, view, mission, FireKind.SMOKE))
        yield Form("cancel", "5", "call no fire", does=push(cycle.close, mission, Reason.CANCELLED, "5"))

    def place(self, view: View, mission: str, kind: FireKind, at: Place) -> Effects | Refusal:
        """9: any hex in the leader's line of sight, empty or not, whoever is there."""
        found = self.shoot(view, mission, Intent.EFFECT, at)
        return found if isinstance(found, Refusal) else Effects(update(view.mission(mission), kind=kind), found)
