"""Requests: the Artillery Request (C1.3) and the options for an SR or FFE on the map (C1.33-C1.35).

The orders, the checks on them and the doctrine are in ``options``; this module offers the orders
and carries them out. How a request reaches the battery belongs to ``delays``; where the round lands
belongs to ``areas``.
"""

from collections.abc import Iterator
from functools import partial

from fireplan_asl.missions import FFE, FFE_FIELDS, ON_MAP, ROCKET, SHELLS
from fireplan_asl.options import (
    ANNOUNCING,
    BY_STAGE,
    EMPTY,
    OFFERED_M,
    TYPES,
    Announced,
    FireOrders,
    Registered,
)
from fireplan_asl.places import GROUND
from fireplan_asl.scenario import AslScenario
from fireplan_asl.scenario_battery import BatteryEntry
from fireplan_asl.setup import Staged
from fireplan_asl.spotting import burst_seen, enemies, partly_seen
from fireplan_core import Keeps, Place, Requests, SecretNote, Setup, Staging, View, cycle
from fireplan_core.chance import Chance
from fireplan_core.mission import REFEREE, FireKind, Intent, Reason, Stage
from fireplan_core.steps.effects import Effect, Effects, ask, emit, push, step, update
from fireplan_core.steps.questions import Form, Order, Refusal, Slot, orders


class AslRequests(Staged, Requests):
    """The requests part: a call for fire when idle, then one option each fire phase."""

    cites = {"requested": "C1.2"}  # noqa: RUF012 - declared by the base
    publishes = (Announced,)
    keeps = Keeps(assets=(Announced,))

    def set_up_battery(self, form: AslScenario, battery: BatteryEntry, staging: Staging) -> None:
        """Stage a battery's Pre-Registered hexes and its types of Fire Mission.

        A battery that can fire none of its types is refused.
        """
        kinds, unfit = battery.fire_missions(form.weather, self.number)
        if not kinds:
            reasons = ", ".join(f"{kind} [{rule}]" for kind, rule, _ in unfit) or "it has none"
            staging.cannot(f"{battery.id}: none of its missions can be fired: {reasons}")
            return
        barrage = frozenset(place for place, _ in battery.grains(form.layout)) & battery.registered
        facts = Registered(battery.registered, kinds, barrage, unfit)
        staging.mission(battery.id, self.word, Announced(kind=kinds[0]), facts)

    def secret_notes(self, scenario: Setup) -> tuple[SecretNote, ...]:
        """Return each side's secret record of Pre-Registered hexes and Barrages (C1.73, E12.2)."""
        notes = []
        for mission, setup in scenario.missions.items():
            facts = setup.facts.get(self.word)
            if isinstance(facts, Registered) and facts.places:
                hexes = sorted(
                    (scenario.frame.label(place), place in facts.barrage) for place in facts.places
                )
                text = " ".join(
                    f"{label}{' with a Barrage' if barrage else ''}" for label, barrage in hexes
                )
                notes.append(SecretNote(setup.side, f"Pre-Registered hexes of {mission}", text))
        return tuple(notes)

    def implied(self, view: View, name: str, fields: frozenset[str]) -> Effects:
        """Return effects that load the shells of its Fire Mission for an FFE (C1.7, C1.71).

        There are none if the position names the shells (``kind``).
        """
        if name not in view.missions or "kind" in fields:
            return Effects()
        # A round without a stage is an FFE if the position gives a field of an FFE (``areas``).
        unnamed = "round" in fields and "stage" not in fields
        if view.mission(name).stage not in FFE and not (unnamed and fields & FFE_FIELDS):
            return Effects()
        return _load(view, name, view.own(name, Announced).kind)

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield a message for each FFE whose shells are not those of its Fire Mission."""
        for mission in view.missions:
            now, announced = view.mission(mission), view.own(mission, Announced).kind
            if now.stage in FFE and now.kind is not SHELLS.get(announced, FireKind.HE):
                yield f"{mission}: a Fire Mission of {announced} (type) does not fire these shells (kind) (C1.7)"

    @orders(cite="C1.2")
    def call(self, _view: View, mission: str) -> Iterator[Form]:
        """Yield the orders for an idle battery: call for fire, or pass (C1.2)."""
        yield Form("call", "C1.2", does=push(cycle.request, mission))
        yield Form("pass", "C1.2")

    def _orders(self, view: View, mission: str) -> FireOrders:
        return FireOrders(view, mission, self.options, self.number)

    def _standard(self, view: View, mission: str) -> Order:
        return self._orders(view, mission).standard()

    @orders(cite="C1.33", standard=_standard)
    def fire(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders open to a battery with Access at its present stage (C1.33).

        Orders that place an AR offer the hexes near the target; another hex may be named.
        """
        fire_orders = self._orders(view, mission)

        def carry_out(verb: str, **at: Place) -> Effect | Refusal:
            order = Order.of(verb, **at)
            return fire_orders.refuse(order) or push(self.obey, mission, order)

        ar_hex: tuple[Slot, ...] = ()
        for verb, cite, summary, aimed in BY_STAGE.get(view.mission(mission).stage, EMPTY):
            if aimed and not ar_hex:
                places = tuple(dict.fromkeys(fire_orders.near(OFFERED_M)))
                ar_hex = (Slot("at", "the hex of the AR", places, free=True),)
            slots = ar_hex if aimed else ()
            yield Form(verb, cite, slots, partial(carry_out, verb), summary=summary)

    @orders(cite="C1.7, E12.11, E12.31")
    def type(self, view: View, mission: str, order: Order) -> Iterator[Form]:
        """Yield an order for each type of Fire Mission, starting with the battery's own.

        The type is announced together with ``order``. Types that the battery may not fire are
        offered too, and are refused with the reason.
        """
        fire_orders = self._orders(view, mission)
        for kind in dict.fromkeys((*view.facts(mission, Registered).kinds, *TYPES)):
            cite, summary = TYPES[kind]
            does = fire_orders.refuse_type(kind, order) or push(
                self.announced, mission, order, kind
            )
            yield Form(kind, cite, does=does, summary=summary)

    @orders(cite="C1.3")
    def blind(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the opponent's orders for an AR placed without LOS: Cancel, or allow it (C1.3).

        Cancelling the Fire Mission also ends Battery Access.
        """
        cancelled = Effects(
            update(view.own(mission, Announced), blind=True),
            push(cycle.cease, mission, Reason.CANCELLED, "C1.3"),
        )
        yield Form("cancel", "C1.3", does=cancelled)
        yield Form("allow", "C1.3")

    # --- the questions of a phase ----------------------------------------------------------------
    @step(cite="C1.2")
    def opportunity(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask whether to call for fire, unless a rocket battery has fired its only FFE (C1.9)."""
        if ROCKET in view.facts(mission, Registered).kinds and view.mission(mission).fell:
            return Effects()
        return Effects(ask(view.side(mission), self.call, mission))

    @step(cite="C1.33")
    def ready(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask for the battery's next order, once it has Radio Contact and Battery Access."""
        own = view.own(mission, Announced)
        reset = Effects(update(own, blind=False)) if own.blind else Effects()
        return Effects(reset, ask(view.side(mission), self.fire, mission))

    # --- carrying out an order -------------------------------------------------------------------
    @step(cite="C1.33")
    def obey(self, _chance: Chance, view: View, mission: str, order: Order) -> Effects:
        """Carry out the order; if it starts a Fire Mission, announce the mission's type first."""
        if order.verb not in ANNOUNCING or view.mission(mission).stage is Stage.FALLING:
            return self._carry_out(view, mission, order)
        kinds = view.facts(mission, Registered).kinds
        if len(kinds) > 1:
            return Effects(ask(view.side(mission), self.type, mission, order))
        return Effects(_load(view, mission, kinds[0]), self._carry_out(view, mission, order))

    @step(cite="C1.7, E12.11, E12.31")
    def announced(
        self, _chance: Chance, view: View, mission: str, order: Order, kind: str
    ) -> Effects:
        """Set the type of the new Fire Mission, then carry out the order."""
        return Effects(
            update(view.own(mission, Announced), kind=kind),
            _load(view, mission, kind),
            emit("announced", TYPES[kind][0], mission=mission, type=kind),
            self._carry_out(view, mission, order),
        )

    def _carry_out(self, view: View, mission: str, order: Order) -> Effects:
        return Effects(
            self._remember_enemies(view, mission, order), *self._effects_of(view, mission, order)
        )

    def _remember_enemies(self, view: View, mission: str, order: Order) -> Effects:
        """Return the effects of recording the hexes of Known enemies for the FFE (C1.334).

        Nothing is recorded where enemies can neither move out of those hexes nor be lost.
        """
        falling = view.mission(mission).stage is Stage.FALLING
        losses = self.options["known_enemies"] == "as they stand"
        if not (view.scenario.mobile or losses) or not (falling or order.verb in ANNOUNCING):
            return Effects()
        own = view.own(mission, Announced)
        places = {
            *map(view.place_of, enemies(view, mission, known=True)),
            *(own.met if falling else ()),
        }
        return Effects(update(own, met=tuple(sorted(places))))

    def _effects_of(self, view: View, mission: str, order: Order) -> tuple[Effect, ...]:
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
                delivered = stage is Stage.LINGERING
                reason, cite = (
                    (Reason.DELIVERED, "C1.343") if delivered else (Reason.CANCELLED, "C1.336")
                )
                intent = Intent.SPOTTING if order.verb == "replace" else Intent.EFFECT
                return push(cycle.cease, mission, reason, cite), push(
                    self.request, mission, order["at"], intent
                )
            case "place" | "fire" | "correct" | "correct_convert":
                # An SR that is Corrected with this intent is predesignated for Conversion (C1.332).
                effect = order.verb in ("fire", "correct_convert") or stage is Stage.FALLING
                return (
                    self._request(
                        view, mission, order["at"], Intent.EFFECT if effect else Intent.SPOTTING
                    ),
                )
            case _:
                return ()

    def _request(self, view: View, mission: str, at: Place, intent: Intent) -> Effects:
        """Return the effects of placing an AR, for a new round or a Correction.

        ``intent`` tells whether the round is an SR or an FFE. Without LOS to the hex ``at``, the AR
        is removed.
        """
        now = view.mission(mission)
        if not partly_seen(view, mission, at):
            return self._unseen(view, mission, at)
        replaced = Effects()
        if now.stage is Stage.LINGERING:
            # An SR takes the place of the FFE:C before it is Corrected (C1.341).
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
        """Place a new AR once the old SR or FFE has left the map."""
        return self._request(view, mission, at, intent)

    def _unseen(self, view: View, mission: str, at: Place) -> Effects:
        """Return the effects of an AR without LOS: it is removed, and the opponent may Cancel.

        The option ``blind_ar`` decides whether an SR on the map is enough to let the opponent
        Cancel (C1.3, C1.7).
        """
        stage = view.mission(mission).stage
        unseen = emit("unseen", "C1.3", mission=mission, at=at)
        # An SR takes the place of the FFE:C before it is Corrected (C1.341).
        spot = self._spot(view, mission) if stage is Stage.LINGERING else Effects()
        ffe_only = self.options["blind_ar"] == "only an FFE"
        if stage not in ((Stage.FALLING,) if ffe_only else ON_MAP):
            return Effects(unseen, spot)
        side = view.side(mission)
        opponent = next(
            (s for s in map(view.unit_side, view.units) if s not in (side, GROUND)), REFEREE
        )
        return Effects(unseen, spot, ask(opponent, self.blind, mission))

    def _spot(self, view: View, mission: str) -> Effects:
        """Return the effects of replacing the FFE:C with an SR."""
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
        """End the battery's OBA actions for this phase, leaving an unconverted SR on the map."""
        return Effects(emit("actions_end", "C1.322", mission=mission))

    @step(cite="C1.9")
    def ceased(self, _chance: Chance, view: View, mission: str, stage: Stage) -> Effects:
        """Exhaust a rocket battery once its FFE is removed, as it has only one Fire Mission."""
        if ROCKET not in view.facts(mission, Registered).kinds or stage not in FFE:
            return Effects()
        return Effects(push(cycle.close, mission, Reason.EXHAUSTED, "C1.9"))


def _load(view: View, mission: str, kind: str) -> Effects:
    """Return the effects of loading the shell for a type of Fire Mission: HE, smoke or WP."""
    return Effects(update(view.mission(mission), kind=SHELLS.get(kind, FireKind.HE)))
