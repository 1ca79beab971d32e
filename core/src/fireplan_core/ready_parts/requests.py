"""Ready observers, who see what is declared.

Ready requests: ask for fire, range in or fire for effect, or cancel.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import ClassVar

from fireplan_core import cycle
from fireplan_core.chance import Chance
from fireplan_core.mission import Intent, Reason, Sight, Stage
from fireplan_core.observers import Observers
from fireplan_core.ready_parts.base import Battery, Ready, within
from fireplan_core.record import Place
from fireplan_core.requests import Requests
from fireplan_core.steps.effects import Effects, ask, push, step, update
from fireplan_core.steps.questions import Form, Refusal, Slot, orders
from fireplan_core.steps.view import View


class DeclaredSight(Ready, Observers):
    """The observer sees every place alike, as declared: the ground, only bursts above it, or nothing.

    ``sees_m`` is how far he sees, in metres from where he stands (None: as far as you like), ``sees_m_at_night`` the
    same at night where that differs. ``cites["sight"]`` is the rule, if there is one.
    """

    may: ClassVar[tuple[str, ...]] = ("sight",)
    sees_m: int | None = None
    sees_m_at_night: int | None = None

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return what was declared, as far as he sees."""
        seer = view.facts(mission, Battery)
        far = (
            self.sees_m if self.sees_m_at_night is None or not seer.night else self.sees_m_at_night
        )
        near = far is None or within(view, place, seer.observer_m, far)
        clear, burst = near and seer.sight == "clear", near and seer.sight != "none"
        return Sight(
            clear, burst, known_enemy=clear and seer.identified, rule=self.cites.get("sight", "")
        )


class AskAndFire(Ready, Requests):
    """Ask, then fire for effect at the target.

    With ``spotting`` a spotting round must lie near it first.

    ``near_m`` is how far from the target, in metres, a spotting round may lie to be turned into fire for effect,
    ``from_target_m`` how far fire may be aimed from it, ``reach_m`` how far the guns reach (None: no limit);
    ``cites`` may name rules of their own for both, ``aim`` and ``reach``.
    """

    needs: ClassVar[tuple[str, ...]] = ("requested", "fire", "cancel", "sight")
    may: ClassVar[tuple[str, ...]] = ("aim", "reach")
    spotting: bool = False
    least: ClassVar[Mapping[str, int]] = {"near_m": 0}
    near_m: int = 100
    from_target_m: int | None = None
    reach_m: int | None = None

    def reach_of(self, view: View, mission: str) -> int | None:
        """Return how far the guns of an asset reach; override to look it up."""
        return self.reach_m

    @orders(cite="requested")
    def ask(self, _view: View, mission: str) -> Iterator[Form]:
        """Ask whether fire is wanted of an idle asset."""
        cite = self.cites["requested"]
        yield Form("ask", cite, does=push(cycle.request, mission))
        yield Form("pass", cite)

    @orders(cite="fire")
    def fire(self, view: View, mission: str) -> Iterator[Form]:
        """Ask what an asset at hand shall do."""
        cite, cancel = self.cites["fire"], self.cites["cancel"]
        at = Slot(
            "at", "where the fire is aimed", view.aim_at(view.mission(mission).target), free=True
        )
        if self.spotting:
            yield Form("convert", cite, does=partial(self.convert, view, mission))
            spot = partial(self.shoot, view, mission, Intent.SPOTTING)
            yield Form("spot", cite, (at,), spot)
        else:
            yield Form("fire", cite, (at,), partial(self.shoot, view, mission, Intent.EFFECT))
        yield Form("cancel", cancel, does=push(cycle.close, mission, Reason.CANCELLED, cancel))

    def shoot(self, view: View, mission: str, intent: Intent, at: Place) -> Effects | Refusal:
        """Aim where the observer sees something, and fire."""
        now, frame = view.mission(mission), view.frame
        if frame.on_map(now.target) and not frame.on_map(at):
            return Refusal.of(self.cites["fire"], "off_map")
        seen = view.sees(mission, at)
        if not (seen.ground or seen.burst):
            return Refusal.of(self.cites["sight"], "nothing_seen")
        reach, near = self.reach_of(view, mission), self.from_target_m
        if reach is not None and not within(view, at, view.facts(mission, Battery).range_m, reach):
            return Refusal.of(self.rule("reach/fire"), "out_of_reach")
        if near is not None and frame.gap_metres(frame.gap(now.target, at)) > near:
            return Refusal.of(self.rule("aim/fire"), "too_far_from_target", metres=near)
        return Effects(update(now, aim=at), push(cycle.release, mission, intent))

    def convert(self, view: View, mission: str) -> Effects | Refusal:
        """Fire for effect where a spotting round lies, near enough to the target."""
        now, frame = view.mission(mission), view.frame
        if now.stage is not Stage.SPOTTING:
            return Refusal.of(self.cites["fire"], "no_spotting_round")
        if frame.gap_metres(frame.gap(now.target, now.impact)) > self.near_m:
            return Refusal.of(self.cites["fire"], "too_far_to_convert", metres=self.near_m)
        return Effects(push(cycle.convert, mission))

    @step(cite="requested")
    def opportunity(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask the side whether it wants fire."""
        return Effects(ask(view.side(mission), self.ask, mission))

    @step(cite="fire")
    def ready(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask what the asset at hand shall do."""
        return Effects(ask(view.side(mission), self.fire, mission))
