"""Requests: the Artillery Request (C1.3) and the options for what lies on the map (C1.33-C1.35).

The orders, their judge and the doctrine are in ``_options``; here they are asked for and carried
out. How a request reaches the battery belongs to ``delays``; where the round lands belongs to
``areas``.
"""

from collections.abc import Iterator
from functools import partial

from fireplan_asl.missions import FFE, ON_MAP, ROCKET, SHELLS, burst_seen
from fireplan_asl.options import (
    ANNOUNCING,
    BY_STAGE,
    EMPTY,
    OFFERED_M,
    TYPES,
    Announced,
    FireOrders,
    Registered,
    near,
)
from fireplan_asl.places import GROUND
from fireplan_asl.scenario import AslScenario
from fireplan_asl.scenario_battery import Battery
from fireplan_asl.setup import Staged
from fireplan_core import Keeps, Place, SecretNote, Setup, Staging, View, cycle, parts_of
from fireplan_core.chance import Chance
from fireplan_core.mission import REFEREE, FireKind, Intent, Reason, Stage
from fireplan_core.steps.effects import Effect, Effects, ask, emit, push, step, update
from fireplan_core.steps.questions import Form, Order, Refusal, Slot, orders


class AslRequests(Staged, FireOrders):
    """Calls when idle; then one option a fire phase."""

    cites = {"requested": "C1.2"}  # noqa: RUF012 - declared by the base
    publishes = (Announced,)
    keeps = Keeps(assets=(Announced,))

    def set_up_battery(self, form: AslScenario, battery: Battery, staging: Staging) -> None:
        """Stage the Pre-Registered hexes of a battery and the types of its Fire Missions."""
        kinds, unfit = battery.fire_missions(form.weather, self.number)
        barrage = frozenset(place for place, _ in battery.grains(form.layout)) & battery.registered
        facts = Registered(battery.registered, kinds, barrage, unfit)
        staging.mission(battery.id, self.word, Announced(kind=kinds[0]), facts)

    def secret_notes(self, scenario: Setup) -> tuple[SecretNote, ...]:
        """Return the Pre-Registered hexes and which take Barrages: written down before play (C1.73, E12.2)."""
        found = []
        for mission, setup in scenario.missions.items():
            facts = setup.facts.get(self.word)
            if isinstance(facts, Registered) and facts.places:
                hexes = sorted(
                    (scenario.frame.label(place), place in facts.barrage) for place in facts.places
                )
                says = " ".join(
                    f"{label}{' with a Barrage' if barrage else ''}" for label, barrage in hexes
                )
                found.append(SecretNote(setup.side, f"Pre-Registered hexes of {mission}", says))
        return tuple(found)

    @orders(cite="C1.2")
    def call(self, _view: View, mission: str) -> Iterator[Form]:
        """Ask whether to call."""
        yield Form("call", "C1.2", does=push(cycle.request, mission))
        yield Form("pass", "C1.2")

    @orders(cite="C1.33", standard=FireOrders.standard)
    def fire(self, view: View, mission: str) -> Iterator[Form]:
        """Ask for one option when the battery is at hand, each with the hexes near the target for its AR."""

        def carry_out(verb: str, **at: Place) -> Effect | Refusal:
            order = Order.of(verb, **at)
            return self.refuse(view, order, mission) or push(self.obey, mission, order)

        at = (
            Slot(
                "at",
                "hex of the AR",
                tuple(dict.fromkeys(near(view, mission, OFFERED_M))),
                free=True,
            ),
        )
        for verb, cite, summary, aimed in BY_STAGE.get(view.mission(mission).stage, EMPTY):
            yield Form(verb, cite, at if aimed else (), partial(carry_out, verb), summary=summary)

    @orders(cite="C1.7, E12.11, E12.31")
    def type(self, view: View, mission: str, order: Order) -> Iterator[Form]:
        """Ask for the type of a new Fire Mission: the battery's own first.

        Others are refused with their reason.
        """
        for kind in dict.fromkeys((*view.facts(mission, Registered).kinds, *TYPES)):
            cite, summary = TYPES[kind]
            does = self.refuse_type(view, kind, mission, order) or push(
                self.announced, mission, order, kind
            )
            yield Form(kind, cite, does=does, summary=summary)

    @orders(cite="C1.3")
    def blind(self, view: View, mission: str) -> Iterator[Form]:
        """Ask the opponent what becomes of a Fire Mission after an AR without LOS.

        Cancelled, it loses Access too.
        """
        cancelled = Effects(
            update(view.own(mission, Announced), blind=True),
            push(cycle.cease, mission, Reason.CANCELLED, "C1.3"),
        )
        yield Form("cancel", "C1.3", does=cancelled)
        yield Form("allow", "C1.3")

    # --- asking ----------------------------------------------------------------------------------
    @step(cite="C1.2")
    def opportunity(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask whether fire is wanted; rockets fire one Fire Mission (C1.9)."""
        if ROCKET in view.facts(mission, Registered).kinds and view.mission(mission).fell:
            return Effects()
        return Effects(ask(view.side(mission), self.call, mission))

    @step(cite="C1.33")
    def ready(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask for one option, with contact and access."""
        own = view.own(mission, Announced)
        heard = Effects(update(own, blind=False)) if own.blind else Effects()
        return Effects(heard, ask(view.side(mission), self.fire, mission))

    # --- obeying ---------------------------------------------------------------------------------
    @step(cite="C1.33")
    def obey(self, _chance: Chance, view: View, mission: str, order: Order) -> Effects:
        """Carry the option out, after the type of a new Fire Mission has been announced."""
        if order.verb not in ANNOUNCING or view.mission(mission).stage is Stage.FALLING:
            return self._carry_out(view, mission, order)
        kinds = view.facts(mission, Registered).kinds
        if len(kinds) > 1:
            return Effects(ask(view.side(mission), self.type, mission, order))
        return Effects(_fires(view, mission, kinds[0]), self._carry_out(view, mission, order))

    @step(cite="C1.7, E12.11, E12.31")
    def announced(
        self, _chance: Chance, view: View, mission: str, order: Order, kind: str
    ) -> Effects:
        """Set the type of the Fire Mission; it cannot change before the next one."""
        return Effects(
            update(view.own(mission, Announced), kind=kind),
            _fires(view, mission, kind),
            emit("announced", TYPES[kind][0], mission=mission, type=kind),
            self._carry_out(view, mission, order),
        )

    def _carry_out(self, view: View, mission: str, order: Order) -> Effects:
        return Effects(self._meets(view, mission, order), *self._done(view, mission, order))

    def _meets(self, view: View, mission: str, order: Order) -> Effects:
        """Return where Known enemies are while a FFE is on the map, should they move away (C1.334)."""
        falling = view.mission(mission).stage is Stage.FALLING
        losses = self.options["known_enemies"] == "as they stand"
        if not (view.scenario.mobile or losses) or not (falling or order.verb in ANNOUNCING):
            return Effects()
        own = view.own(mission, Announced)
        known = parts_of(view).observers.enemies(view.seen_by("observers"), mission, known=True)
        places = {*map(view.place_of, known), *(own.met if falling else ())}
        return Effects(update(own, met=tuple(sorted(places))))

    def _done(self, view: View, mission: str, order: Order) -> tuple[Effect, ...]:
        now = view.mission(mission)
        stage = now.stage
        match order.verb:
            case "convert":
                return Effects(update(now, aim=None)), push(cycle.convert, mission)
            case "spot":
                return (self._spot(view, mission),)
            case "cancel":
                cite = "C1.336" if stage is Stage.SPOTTING else "C1.337"
                return (push(cycle.cease, mission, Reason.CANCELLED, cite),)
            case "remove":
                rocket = ROCKET in view.facts(mission, Registered).kinds
                end = (Reason.EXHAUSTED, "C1.9") if rocket else (Reason.DELIVERED, "C1.343")
                return (push(cycle.close, mission, *end),)
            case "replace" | "replace_fire":
                done = stage is Stage.LINGERING
                reason, cite = (
                    (Reason.DELIVERED, "C1.343") if done else (Reason.CANCELLED, "C1.336")
                )
                intent = Intent.SPOTTING if order.verb == "replace" else Intent.EFFECT
                return push(cycle.cease, mission, reason, cite), push(
                    self.request, mission, order["at"], intent
                )
            case "place" | "fire" | "correct" | "correct_convert":
                # Effect asked of a SR is a predesignated Conversion (C1.332).
                effect = order.verb in ("fire", "correct_convert") or stage is Stage.FALLING
                return (
                    self._request(
                        view, mission, order["at"], Intent.EFFECT if effect else Intent.SPOTTING
                    ),
                )
            case _:
                return ()

    def _request(self, view: View, mission: str, at: Place, intent: Intent) -> Effects:
        """Return what an AR does, for a new round or a Correction."""
        now = view.mission(mission)
        if not view.sees(mission, at).partly:
            return self._unseen(view, mission, at)
        replaced = Effects()
        if now.stage is Stage.LINGERING:
            # A SR takes the place of the FFE:C before it is Corrected (C1.341).
            replaced = Effects(
                update(now, stage=Stage.SPOTTING), emit("replaced", "C1.341", mission=mission)
            )
        forced = now.stage in ON_MAP and not burst_seen(view, mission, smoke=False)
        return Effects(
            replaced, update(now, aim=at, forced=forced), push(cycle.release, mission, intent)
        )

    @step(cite="C1.3")
    def request(
        self, _chance: Chance, view: View, mission: str, at: Place, intent: Intent
    ) -> Effects:
        """Place a new AR, after what lay on the map has been removed."""
        return self._request(view, mission, at, intent)

    def _unseen(self, view: View, mission: str, at: Place) -> Effects:
        """Return what no LOS to the AR does: it comes off, actions end, the opponent may have the mission Cancelled.

        By C1.7 a Fire Mission has a FFE on the map; C1.3 speaks of the SR as well.
        """
        stage = view.mission(mission).stage
        told = emit("unseen", "C1.3", mission=mission, at=at)
        # A SR has taken the place of the FFE:C before it is Corrected (C1.341).
        spot = self._spot(view, mission) if stage is Stage.LINGERING else Effects()
        of_a_ffe_alone = self.options["blind_ar"] == "a FFE alone"
        if stage not in ((Stage.FALLING,) if of_a_ffe_alone else ON_MAP):
            return Effects(told, spot)
        side = view.side(mission)
        opponent = next(
            (s for s in map(view.unit_side, view.units) if s not in (side, GROUND)), REFEREE
        )
        return Effects(told, spot, ask(opponent, self.blind, mission))

    def _spot(self, view: View, mission: str) -> Effects:
        """Return what a SR in place of the FFE:C does."""
        now = view.mission(mission)
        return Effects(
            emit("replaced", "C1.341", mission=mission),
            update(now, aim=None, intent=Intent.SPOTTING),
            push(cycle.landed, mission, now.impact),
            push(self.acted, mission),
        )

    # --- afterwards ------------------------------------------------------------------------------
    @step(cite="C1.322")
    def acted(self, _chance: Chance, _view: View, mission: str) -> Effects:
        """End the actions of the phase: a SR lies there and is not Converted."""
        return Effects(emit("actions_end", "C1.322", mission=mission))

    @step(cite="C1.9")
    def ceased(self, _chance: Chance, view: View, mission: str, stage: Stage) -> Effects:
        """End the mission of rockets: they have had it once a FFE was on the map, however it ended."""
        if ROCKET not in view.facts(mission, Registered).kinds or stage not in FFE:
            return Effects()
        return Effects(push(cycle.close, mission, Reason.EXHAUSTED, "C1.9"))


def _fires(view: View, mission: str, kind: str) -> Effects:
    """Return what a Fire Mission of a type sets: what is fired."""
    return Effects(update(view.mission(mission), kind=SHELLS.get(kind, FireKind.HE)))
