"""Ready requests: ask for fire with an idle asset; when it is at hand, range in or fire for effect, or cancel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fireplan_core import cycle
from fireplan_core.blocks._ready import Ready
from fireplan_core.chance import Chance
from fireplan_core.mission import Intent, Reason, Stage
from fireplan_core.requests import Requests
from fireplan_core.steps.effects import Effects, ask, push, step, update
from fireplan_core.steps.questions import Form, Order, Question, Refusal, Slot, either, question
from fireplan_core.steps.view import View


class AskAndFire(Ready, Requests):
    """Ask, then fire for effect at the target; with ``spotting`` a spotting round must lie near it first.

    ``near_m`` is how far from the target, in metres, a spotting round may lie to be turned into fire for effect.
    """

    needs: ClassVar[tuple[str, ...]] = ("requested", "fire", "cancel", "sight")
    spotting: bool = False
    least: ClassVar[Mapping[str, int]] = {"near_m": 0}
    near_m: int = 100

    @question
    def ask(self) -> Question[str]:
        """Ask whether fire is wanted of an idle asset."""
        cite = self.cites["requested"]
        return either(Form("ask", cite, "ask for fire"), Form("pass", cite, "do not ask now"))

    @question
    def fire(self) -> Question[str]:
        """Ask what an asset at hand shall do."""
        return Question(self._fire_forms, self._refuse_fire, self._fire_standard)

    def _fire_forms(self, view: View, mission: str) -> tuple[Form, ...]:
        fire, cancel = self.cites["fire"], self.cites["cancel"]
        places = view.aim_at(view.mission(mission).target)
        at = (Slot("at", "where the fire is aimed", places),)
        shots = (
            (Form("spot", fire, "fire a spotting round", at), Form("convert", fire, "fire for effect where it lies"))
            if self.spotting
            else (Form("fire", fire, "fire for effect", at),)
        )
        return *shots, Form("cancel", cancel, "end the mission")

    def _refuse_fire(self, view: View, order: Order, mission: str) -> Refusal | None:
        now = view.mission(mission)
        if order.verb in ("spot", "fire"):
            if view.frame.on_map(view.mission(mission).target) and not view.frame.on_map(order["at"]):
                return Refusal(self.cites["fire"], "that lies off the map")
            seen = view.sees(mission, order["at"])
            if not (seen.ground or seen.burst):
                return Refusal(self.cites["sight"], "the observer sees nothing there")
        if order.verb == "convert":
            if now.stage is not Stage.SPOTTING:
                return Refusal(self.cites["fire"], "no spotting round lies on the ground")
            if not self._near(view, mission):
                return Refusal(self.cites["fire"], f"the spotting round lies more than {self.near_m} m from the target")
        return None

    def _near(self, view: View, mission: str) -> bool:
        now = view.mission(mission)
        return view.frame.gap_metres(view.frame.gap(now.target, now.impact)) <= self.near_m

    def _fire_standard(self, view: View, mission: str) -> Order:
        now = view.mission(mission)
        aim = view.aim_at(now.target)[0]
        seen = view.sees(mission, aim)
        if not (seen.ground or seen.burst):
            return Order.of("cancel")
        if not self.spotting:
            return Order.of("fire", at=aim)
        if now.stage is Stage.SPOTTING and self._near(view, mission):
            return Order.of("convert")
        return Order.of("spot", at=aim)

    @step(cite="requested")
    def opportunity(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask the side whether it wants fire."""
        return Effects(ask(view.side(mission), self.ask, self.asked, mission))

    @step(cite="requested")
    def asked(self, _chance: Chance, _view: View, order: Order, mission: str) -> Effects:
        """Fire is asked for, or not."""
        return Effects(push(cycle.request, mission)) if order.verb == "ask" else Effects()

    @step(cite="fire")
    def ready(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask what the asset at hand shall do."""
        return Effects(ask(view.side(mission), self.fire, self.obey, mission))

    @step(cite="fire")
    def obey(self, _chance: Chance, view: View, order: Order, mission: str) -> Effects:
        """Carry out the order."""
        if order.verb == "cancel":
            return Effects(push(cycle.close, mission, Reason.CANCELLED, self.cites["cancel"]))
        if order.verb == "convert":
            return Effects(push(cycle.convert, mission))
        intent = Intent.SPOTTING if order.verb == "spot" else Intent.EFFECT
        return Effects(update(view.mission(mission), aim=order["at"]), push(cycle.release, mission, intent))
