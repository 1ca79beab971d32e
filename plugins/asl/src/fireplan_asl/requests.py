"""Requests: the Artillery Request (C1.3) and the options for what lies on the map (C1.33-C1.35).

The orders, their judge and the doctrine are in ``_options``; here they are asked for and carried out. How a
request reaches the battery belongs to ``delays``; where the round lands belongs to ``areas``.
"""

from __future__ import annotations

from fireplan_asl import _options
from fireplan_asl._options import ANNOUNCING, ON_MAP, Announced, Registered
from fireplan_asl._places import CONCENTRATION, GROUND, ROCKET, location_seen, seen
from fireplan_core import (
    REFEREE,
    Effects,
    Form,
    Intent,
    Order,
    Place,
    Question,
    Reason,
    Record,
    Requests,
    Scenario,
    Stage,
    Staging,
    View,
    ask,
    emit,
    no_objection,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance


class AslRequests(Requests):
    """Calls when idle; then one option a fire phase."""

    cites = {"requested": "C1.2"}  # noqa: RUF012 - declared by the base

    def stage(self, staging: Staging) -> None:
        """Lay down the Pre-Registered hexes."""
        places = frozenset({staging.centre}) if staging.engagement.asset.preregistered else frozenset[Place]()
        for mission in staging.assets:
            kinds = (ROCKET,) if staging.engagement.asset.weapon == "rocket" else (CONCENTRATION,)
            staging.mission(mission, self.word, Announced(), Registered(places, kinds))

    def records(self, scenario: Scenario) -> tuple[Record, ...]:
        """The Pre-Registered hexes and which of them take Barrages: written down before play (C1.73, E12.2)."""
        found = []
        for mission, setup in scenario.missions.items():
            facts = setup.facts.get(self.word)
            if isinstance(facts, Registered) and facts.places:
                hexes = sorted((scenario.frame.label(place), place in facts.barrage) for place in facts.places)
                says = " ".join(f"{label}{' with a Barrage' if barrage else ''}" for label, barrage in hexes)
                found.append(Record(setup.side, f"Pre-Registered hexes of {mission}", says))
        return tuple(found)

    def questions(self) -> dict[str, Question]:
        """Whether to call, what to do when the battery is at hand, and the opponent's answer to a blind AR."""
        return {
            "call": Question(
                lambda _view, _mission: (
                    Form("call", "C1.2", "have the Observer call for fire"),
                    Form("pass", "C1.2", "do not call"),
                ),
                no_objection,
                lambda _view, _mission: Order.of("call"),
            ),
            "fire": Question(
                _options.forms,
                lambda view, order, mission: _options.refuse(view, order, mission, self),
                lambda view, mission: _options.standard(view, mission, self),
            ),
            "type": Question(
                lambda view, mission, _order: _options.type_forms(view, mission),
                lambda view, order, mission, first: _options.refuse_type(view, order.verb, mission, first),
                _options.standard_type,
            ),
            "blind": Question(
                lambda _view, _mission: (
                    Form("cancel", "C1.3", "have the Fire Mission Cancelled"),
                    Form("allow", "C1.3", "let it go on"),
                ),
                no_objection,
                lambda _view, _mission: Order.of("cancel"),
            ),
        }

    # --- asking ----------------------------------------------------------------------------------
    @step(cite="C1.2")
    def opportunity(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """Ask whether fire is wanted; rockets fire one Fire Mission (C1.9)."""
        if ROCKET in view.facts(mission, Registered).kinds and view.mission(mission).fell:
            return Effects()
        return Effects(ask(view.side(mission), "call", mission, then="called"))

    @step(cite="C1.2")
    def called(self, chance: Chance, view: View, mission: str, order: Order) -> Effects:  # noqa: ARG002 - no dice here
        """The Observer starts to call, or not."""
        return Effects(push("core.request", mission)) if order.verb == "call" else Effects()

    @step(cite="C1.33")
    def ready(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """With contact and access: one option."""
        return Effects(ask(view.side(mission), "fire", mission, then="obey"))

    # --- obeying ---------------------------------------------------------------------------------
    @step(cite="C1.33")
    def obey(self, chance: Chance, view: View, mission: str, order: Order) -> Effects:  # noqa: ARG002 - no dice here
        """Carry the option out, after the type of a new Fire Mission has been announced."""
        new = order.verb in ANNOUNCING and view.mission(mission).stage is not Stage.FALLING
        if new and len(view.facts(mission, Registered).kinds) > 1:
            return Effects(ask(view.side(mission), "type", mission, order, then="announced"))
        return self._carry_out(view, mission, order)

    @step(cite="C1.7")
    def announced(self, chance: Chance, view: View, mission: str, order: Order, kind: Order) -> Effects:  # noqa: ARG002 - no dice here
        """The type of the Fire Mission stands; it cannot change before the next one."""
        declare = ("areas.declare",) if "areas.declare" in view.scenario.steps else ()
        return Effects(
            update(view.own(mission, Announced), kind=kind.verb),
            emit("announced", _options.TYPES[kind.verb][0], mission=mission, type=kind.verb),
            *(push(name, mission, kind.verb) for name in declare),
            push("carry_out", mission, order),
        )

    @step(cite="C1.33")
    def carry_out(self, chance: Chance, view: View, mission: str, order: Order) -> Effects:  # noqa: ARG002 - no dice here
        """The option, once the type is known."""
        return self._carry_out(view, mission, order)

    def _carry_out(self, view: View, mission: str, order: Order) -> Effects:
        return Effects(self._meets(view, mission, order), self._done(view, mission, order))

    @staticmethod
    def _meets(view: View, mission: str, order: Order) -> Effects:
        """Where Known enemies are while a FFE is on the map, should they move away (C1.334)."""
        falling = view.mission(mission).stage is Stage.FALLING
        losses = view.scenario.parts.observers.options.get("known_enemies") == "as they stand"
        if not (view.scenario.mobile or losses) or not (falling or order.verb in ANNOUNCING):
            return Effects()
        own = view.own(mission, Announced)
        places = {*_options.known_places(view, mission), *(own.met if falling else ())}
        return Effects(update(own, met=tuple(sorted(places))))

    def _done(self, view: View, mission: str, order: Order) -> Effects:
        now = view.mission(mission)
        match order.verb:
            case "convert":
                return Effects(update(now, aim=None), push("core.convert", mission))
            case "spot":
                return self._spot(view, mission)
            case "cancel":
                cite = "C1.336" if now.stage is Stage.SPOTTING else "C1.337"
                return Effects(push("core.cease", mission, Reason.CANCELLED, cite))
            case "remove" if ROCKET in view.facts(mission, Registered).kinds:
                return Effects(push("core.close", mission, Reason.EXHAUSTED, "C1.9"))
            case "remove":
                return Effects(push("core.close", mission, Reason.DELIVERED, "C1.343"))
            case "replace" | "replace_fire":
                done = now.stage is Stage.LINGERING
                reason, cite = (Reason.DELIVERED, "C1.343") if done else (Reason.CANCELLED, "C1.336")
                intent = Intent.SPOTTING if order.verb == "replace" else Intent.EFFECT
                return Effects(
                    push("core.cease", mission, reason, cite),
                    push("request", mission, order["at"], intent),
                )
            case "place" | "fire" | "correct" | "correct_convert":
                return self._request(view, mission, order)
            case _:
                return Effects()

    def _request(self, view: View, mission: str, order: Order) -> Effects:
        """An AR, for a new round or a Correction."""
        now = view.mission(mission)
        at, stage = order["at"], now.stage
        if not location_seen(view, mission, at):
            return self._unseen(view, mission, at)
        forced = stage in ON_MAP and not seen(view, mission).burst
        # Effect asked of a SR is a predesignated Conversion (C1.332).
        effect = order.verb in ("fire", "correct_convert") or stage is Stage.FALLING
        return Effects(
            # A SR takes the place of the FFE:C before it is Corrected (C1.341).
            Effects(update(now, stage=Stage.SPOTTING), emit("replaced", "C1.341", mission=mission))
            if stage is Stage.LINGERING
            else Effects(),
            update(now, aim=at, forced=forced),
            push("core.release", mission, Intent.EFFECT if effect else Intent.SPOTTING),
        )

    @step(cite="C1.3")
    def request(self, chance: Chance, view: View, mission: str, at: Place, intent: Intent) -> Effects:  # noqa: ARG002 - no dice here
        """A new AR, after what lay on the map has been removed."""
        if not location_seen(view, mission, at):
            return self._unseen(view, mission, at)
        return Effects(update(view.mission(mission), aim=at), push("core.release", mission, intent))

    def _unseen(self, view: View, mission: str, at: Place) -> Effects:
        """No LOS to the AR: it comes off, actions end, and the opponent may have the Fire Mission Cancelled.

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
        opponent = next((s for s in map(view.unit_side, view.units) if s not in (side, GROUND)), REFEREE)
        return Effects(told, spot, ask(opponent, "blind", mission, then="blind"))

    @step(cite="C1.3")
    def blind(self, chance: Chance, view: View, mission: str, order: Order) -> Effects:  # noqa: ARG002 - no dice here
        """The opponent's answer to an AR without LOS."""
        if order.verb != "cancel":
            return Effects()
        forfeit = ("delays.forfeits",) if "delays.forfeits" in view.scenario.steps else ()
        return Effects(push("core.cease", mission, Reason.CANCELLED, "C1.3"), *(push(name, mission) for name in forfeit))

    @staticmethod
    def _spot(view: View, mission: str) -> Effects:
        """A SR takes the place of the FFE:C."""
        now = view.mission(mission)
        replaced = emit("replaced", "C1.341", mission=mission)
        return Effects(
            replaced,
            update(now, aim=None, intent=Intent.SPOTTING),
            push("core.landed", mission, now.impact),
            push("acted", mission),
        )

    # --- afterwards ------------------------------------------------------------------------------
    @step(cite="C1.9")
    def ceased(self, chance: Chance, view: View, mission: str, stage: Stage) -> Effects:  # noqa: ARG002 - no dice here
        """Rockets have had their one Fire Mission once a FFE was on the map, however it ended."""
        if ROCKET not in view.facts(mission, Registered).kinds or stage not in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        return Effects(push("core.close", mission, Reason.EXHAUSTED, "C1.9"))

    @step(cite="C1.31")
    def landed(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """The AR comes off when the SR is on the map."""
        return Effects(update(view.mission(mission), aim=None))

    @step(cite="C1.322")
    def acted(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """A SR lies there and is not Converted in this phase."""
        if view.mission(mission).stage is not Stage.SPOTTING:
            return Effects()
        return Effects(emit("actions_end", "C1.322", mission=mission))
