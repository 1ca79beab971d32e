"""Requests: the decision to call for fire, and the spotting round, high explosive or smoke (9)."""

from collections.abc import Iterator
from functools import partial
from typing import ClassVar

from fireplan_combat_commander.call import CallPart, RadioFacts
from fireplan_combat_commander.delays import Radio
from fireplan_core import FireKind, Form, Intent, Place, Reason, Refusal, Slot, View, cycle, orders
from fireplan_core.ready_parts import AskAndFire
from fireplan_core.steps.effects import Effects, push, update


class CCRequests(CallPart, AskAndFire):
    """The requests part: a radio waits for an Artillery Request card, then places its round."""

    cites: ClassVar = {"requested": "4", "fire": "9", "cancel": "5", "sight": "9"}

    @orders(cite="requested")
    def ask(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders for a radio: play an Artillery Request, or pass.

        The request also repairs a broken radio (5).
        """
        cite, broken = self.cites["requested"], view.peek(mission, Radio).broken
        does = push(cycle.request, mission)
        yield Form("ask", cite, does=does, fields={"broken": broken})
        yield Form("pass", cite)

    @orders(cite="9")
    def fire(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders after a request: fire a spotting round at a hex, or cancel (5, 9).

        A smoke round is offered if the radio's row of the chart has one.
        """
        at = Slot(
            "at",
            "a hex in the leader's line of sight",
            view.aim_at(view.mission(mission).target),
            free=True,
        )
        yield Form("fire", "9", (at,), partial(self.place, view, mission, FireKind.HE))
        if view.facts(mission, RadioFacts).smoke:
            yield Form("smoke", "9", (at,), partial(self.place, view, mission, FireKind.SMOKE))
        yield Form("cancel", "5", does=push(cycle.close, mission, Reason.CANCELLED, "5"))

    def place(self, view: View, mission: str, kind: FireKind, at: Place) -> Effects | Refusal:
        """Return the effects of placing the spotting round, or a refusal of the hex (9)."""
        shot = self.shoot(view, mission, Intent.EFFECT, at)
        if isinstance(shot, Refusal):
            return shot
        return Effects(update(view.mission(mission), kind=kind), shot)
