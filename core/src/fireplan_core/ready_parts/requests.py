"""Ready observers with declared lines of sight, and ready requests."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, ClassVar

from fireplan_core import cycle
from fireplan_core.chance import Chance
from fireplan_core.mission import Intent, Reason, Sight, Stage
from fireplan_core.observers import Observers
from fireplan_core.ready_parts.base import Battery, Ready, Stated, is_within, read_off
from fireplan_core.requests import Requests
from fireplan_core.space import Place
from fireplan_core.steps.effects import Effect, Effects, ask, push, step, update
from fireplan_core.steps.questions import Form, Refusal, Slot, orders
from fireplan_core.steps.view import View


class DeclaredSight(Ready, Observers):
    """Observers who see every place as declared: the ground, only bursts above it, or nothing.

    ``sees_m`` is the observer's visual range in metres (None if unlimited), and ``sees_m_at_night``
    the range at night if it differs. ``cites["sight"]`` names the rule, if there is one.

    >>> class Lookout(DeclaredSight):
    ...     cites = {"sight": "1.2"}
    ...     sees_m_at_night = 100
    >>> Lookout("my_game", {}, {}).rule("sight")
    '1.2'
    """

    may: ClassVar[tuple[str, ...]] = ("sight",)
    sees_m: Annotated[int | None, Stated("sight")] = None
    sees_m_at_night: Annotated[int | None, Stated("sight")] = None

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return the declared line of sight within the observer's range; beyond it, none."""
        facts = view.facts(mission, Battery)
        far = self.sees_m
        if facts.night and self.sees_m_at_night is not None:
            far = self.sees_m_at_night
        near = far is None or is_within(view, place, facts.observer_m, far)
        clear, burst = near and facts.sight == "clear", near and facts.sight != "none"
        return Sight(
            clear, burst, known_enemy=clear and facts.identified, rule=self.cites.get("sight", "")
        )


class _Aimed(Ready, Requests):
    """Requests whose aim point must be on the map, in sight, within reach and near the target."""

    needs: ClassVar[tuple[str, ...]] = ("requested", "fire", "sight")
    may: ClassVar[tuple[str, ...]] = ("aim", "reach")
    from_target_m: Annotated[int | None, Stated("aim/fire")] = None
    reach_m: Annotated[int | None, Stated("reach/fire")] = None
    reach_by_guns: Annotated[Mapping[int, int], Stated("reach/fire")] = {}

    def reach_of(self, view: View, mission: str) -> int | None:
        """Return the range of an asset's guns in metres, or None if it is unlimited.

        Override this method to look the range up.
        """
        if self.reach_by_guns:
            return read_off(self.reach_by_guns, view.facts(mission, Battery).guns)
        return self.reach_m

    def aimed(self, view: View, mission: str, at: Place, then: Effect) -> Effects | Refusal:
        """Return the effects of aiming at a place, followed by ``then``, or a refusal.

        The order is refused if the aim point is off the map, out of sight, out of range or too far
        from the target.
        """
        now, frame = view.mission(mission), view.frame
        if frame.on_map(now.target) and not frame.on_map(at):
            return Refusal.of(self.cites["fire"], "off_map")
        seen = view.sees(mission, at)
        if not (seen.ground or seen.burst):
            return Refusal.of(self.cites["sight"], "nothing_seen")
        reach, near = self.reach_of(view, mission), self.from_target_m
        if reach is not None and not is_within(
            view, at, view.facts(mission, Battery).range_m, reach
        ):
            return Refusal.of(self.rule("reach/fire"), "out_of_reach")
        if near is not None and frame.gap_metres(frame.gap(now.target, at)) > near:
            return Refusal.of(self.rule("aim/fire"), "too_far_from_target", metres=near)
        return Effects(update(now, aim=at), then)


class AskAndFire(_Aimed):
    """Requests that consist of one call for fire, followed by fire for effect.

    With ``spotting``, a spotting round comes first. ``near_m`` is the maximum distance in metres
    from the target at which a spotting round may be converted into fire for effect.
    ``from_target_m`` is the maximum distance of an aim point from the target, and ``reach_m`` is
    the range of the guns; None means no limit. ``cites`` may name separate rules for these two
    limits, under ``aim`` and ``reach``. If the range depends on the number of guns,
    ``reach_by_guns`` gives it for each number; a number beyond the table uses its first or last
    entry. With ``may_wait``, an asset that is ready may also wait.

    >>> class Calls(AskAndFire):
    ...     cites = {"requested": "3.1", "fire": "3.2", "cancel": "3.3", "sight": "3.4"}
    ...     spotting, near_m = True, 80
    >>> list(Calls("my_game", {}, {}).questions())
    ['requests.ask', 'requests.fire']
    """

    needs: ClassVar[tuple[str, ...]] = ("requested", "fire", "cancel", "sight")
    spotting: bool = False
    near_m: Annotated[int, Stated("fire", least=0)] = 100
    may_wait: bool = False

    @orders(cite="requested")
    def ask(self, _view: View, mission: str) -> Iterator[Form]:
        """Yield the orders for an idle asset: call for fire, or pass."""
        cite = self.cites["requested"]
        yield Form("ask", cite, does=push(cycle.request, mission))
        yield Form("pass", cite)

    @orders(cite="fire")
    def fire(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders for a ready asset: fire for effect at an aim point, or cancel.

        With ``spotting``, the orders to fire a spotting round and to convert the last one replace
        fire for effect. With ``may_wait``, there is also an order to wait.
        """
        cite, cancel = self.cites["fire"], self.cites["cancel"]
        aim_slot = Slot("at", "the aim point", view.aim_at(view.mission(mission).target), free=True)
        if self.spotting:
            yield Form("convert", cite, does=partial(self.convert, view, mission))
            spot = partial(self.shoot, view, mission, Intent.SPOTTING)
            yield Form("spot", cite, (aim_slot,), spot)
        else:
            yield Form("fire", cite, (aim_slot,), partial(self.shoot, view, mission, Intent.EFFECT))
        yield Form("cancel", cancel, does=push(cycle.close, mission, Reason.CANCELLED, cancel))
        if self.may_wait:
            yield Form("wait", cite)

    def shoot(self, view: View, mission: str, intent: Intent, at: Place) -> Effects | Refusal:
        """Return the effects of aiming and firing, or a refusal as for ``aimed``."""
        return self.aimed(view, mission, at, push(cycle.release, mission, intent))

    def convert(self, view: View, mission: str) -> Effects | Refusal:
        """Return the effects of converting a spotting round into fire for effect, or a refusal."""
        now, frame = view.mission(mission), view.frame
        if now.stage is not Stage.SPOTTING:
            return Refusal.of(self.cites["fire"], "no_spotting_round")
        if frame.gap_metres(frame.gap(now.target, now.impact)) > self.near_m:
            return Refusal.of(self.cites["fire"], "too_far_to_convert", metres=self.near_m)
        return Effects(push(cycle.convert, mission))

    @step(cite="requested")
    def opportunity(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask the side whether it calls for fire from an idle asset."""
        return Effects(ask(view.side(mission), self.ask, mission))

    @step(cite="fire")
    def ready(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask the side for an order to an asset that is ready."""
        return Effects(ask(view.side(mission), self.fire, mission))


class PlottedFire(_Aimed):
    """Requests that name the aim point with the call, long before the fire lands there.

    An asset that is ready fires without another order. The limits on the aim point are those of
    ``AskAndFire``.

    >>> class Calls(PlottedFire):
    ...     cites = {"requested": "3.1", "fire": "3.2", "sight": "3.4"}
    >>> list(Calls("my_game", {}, {}).questions())
    ['requests.plot']
    """

    @orders(cite="requested")
    def plot(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders for an idle asset: plot fire at a place, or pass."""
        cite = self.cites["requested"]
        aim_slot = Slot("at", "the aim point", view.aim_at(view.mission(mission).target), free=True)
        call = push(cycle.request, mission)
        yield Form("plot", cite, (aim_slot,), lambda at: self.aimed(view, mission, at, call))
        yield Form("pass", cite)

    @step(cite="requested")
    def opportunity(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask the side whether it plots fire for an idle asset."""
        return Effects(ask(view.side(mission), self.plot, mission))

    @step(cite="fire")
    def ready(self, _chance: Chance, _view: View, mission: str) -> Effects:
        """Fire for effect at the place that was plotted."""
        return Effects(push(cycle.release, mission, Intent.EFFECT))
