"""Requests: activations, targets, and the cost of fire: fire missions, tokens and fire plans."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import ClassVar

from fireplan_battlegroup_clash import facts
from fireplan_battlegroup_clash.facts import (
    CHITS,
    ETX,
    OTHER_CHITS,
    Activity,
    FireMissionState,
    Weapon,
    in_squares,
)
from fireplan_battlegroup_clash.ground import Spotted
from fireplan_battlegroup_clash.setup import Staged, danger_close
from fireplan_core import (
    FINAL,
    Event,
    FireKind,
    Intent,
    Place,
    Reason,
    Requests,
    SecretNote,
    Setup,
    Stage,
    View,
    cycle,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.five_parts import parts_of
from fireplan_core.record import defaults
from fireplan_core.steps.decks import Cards
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_core.steps.part import Keeps
from fireplan_core.steps.questions import Form, Refusal, Slot, orders

TRIANGULATION, FPV_CHIT, PLAN_CHIT = 3, 4, 6
"""Numbers of the chits whose two faces, A and B, are both known (25)."""
ORDERED = ("plan", "orders")
"""Fields of ``FireMissionState`` that new orders set."""
FIRED = {
    name: value
    for name, value in defaults(FireMissionState).items()
    if name not in ("left", *ORDERED)
}
"""Fields of ``FireMissionState`` that are reset after a fire mission, with their default values."""
Answer = Effects | Refusal


def _enemies(view: View, side: str) -> list[str]:
    """Return the names of the units of other sides that are still in play."""
    return [unit for unit in view.units if view.unit_side(unit) != side and facts.alive(view, unit)]


class BGCRequests(Staged, Requests):
    """The requests part: activations of assets, with their targets and costs."""

    cites: ClassVar[Mapping[str, str]] = {"requested": "5"}
    decks: ClassVar[Mapping[str, str]] = {ETX: "etx", CHITS: "chits", OTHER_CHITS: "chits"}
    publishes = (FireMissionState, Activity)
    keeps = Keeps(assets=(FireMissionState,), table=(Activity,))

    def board(self, view: View, side: str) -> tuple[str, ...]:
        """Return a line of text for each known fire plan of own assets and each drone (1, 10)."""
        squares = {f"fire plan of {asset}": self._plan(view, asset) for asset in view.owned(side)}
        drones = view.shared(Activity).drones
        squares |= {f"the drone of {flyer} sees": place for flyer, place in drones}
        return tuple(
            f"{what}: the four squares round {view.frame.label(crossing)}"
            for what, crossing in squares.items()
            if crossing is not None
        )

    def shows(self, scenario: Setup, event: Event, side: str) -> Event | None:
        """Return an event as a side sees it, or None for a fire plan that is rewritten (1)."""
        return None if event.kind == "rewritten" else super().shows(scenario, event, side)

    # --- activations -----------------------------------------------------------------------------
    @step(cite="5, D13")
    def opportunity(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask whether an asset acts, at a table where sides do not alternate."""
        if not view.own(mission, FireMissionState).left:
            return Effects()
        return Effects(ask(view.side(mission), self.activate, view.side(mission), (mission,)))

    @step(cite="5")
    def phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask a side for its next activation: an asset, the drone, troops, or a pass."""
        return Effects(ask(view.side(mission), self.activate, view.side(mission), ()))

    @orders(cite="5")
    def activate(self, view: View, side: str, only: tuple[str, ...]) -> Iterator[Form]:
        """Yield the orders for a side's activation: fire, fly its drone, act with troops, or pass.

        ``only`` lists the assets that may fire; if it is empty, any that has not acted this turn
        may, and so may the drone and the troops (5). A side that passes is then finished for the
        turn. Assets with a target come first, and passing comes before fire if none has one.
        """
        acted = view.shared(Activity).acted
        if not only and side in view.shared(Activity).flyers and f"drone {side}" not in acted:
            near = tuple(
                facts.crossing_at(view, view.mission(m).target)
                for m in view.missions
                if view.side(m) == side
            )
            at = Slot(
                "at",
                "a grid intersection, in whole kilometres",
                tuple(dict.fromkeys(near)),
                free=True,
            )
            yield Form("drone", "10", (at,), partial(self._fly, view, side, near))
        refused = Refusal.of("5", "asset_spent")
        assets = only or usable(view, side, acted)
        able = tuple(asset for asset in assets if self._fit(view, asset))
        slot = Slot(
            "asset", "the asset that acts", tuple(dict.fromkeys(able + assets)), other=refused
        )
        finish = Effects() if only else Effects(update(view.shared(Activity), acted=acted | {side}))
        idle = "" if able else self._idle(view, side, assets)
        fire = Form("fire", "5", (slot,), partial(self._call, view, only), fields={"idle": idle})
        passed = Form("pass", "5", does=finish)
        yield from (fire, passed) if able else (passed, fire)
        if not only and facts.may_act(view, side):
            troops = push(parts_of(view).resolution.manoeuvre, side)
            yield Form("troops", "5", does=troops, fields={"idle": idle})

    def _idle(self, view: View, side: str, assets: tuple[str, ...]) -> str:
        """Return why no asset may fire: ``unseen`` if no enemy is seen, or else ``other``."""
        refusals = {
            self.refused(view, asset, unit) for asset in assets for unit in _enemies(view, side)
        }
        return "unseen" if {each.why for each in refusals if each} == {"unseen"} else "other"

    def _call(self, view: View, only: tuple[str, ...], asset: str) -> Answer:
        now = view.shared(Activity)
        return Effects(
            *(() if only else (update(now, acted=now.acted | {asset}),)), push(cycle.request, asset)
        )

    def _fly(self, view: View, side: str, near: tuple[Place, ...], at: Place) -> Answer:
        now = view.shared(Activity)
        if facts.crossing_at(view, at) != at:
            return Refusal.of("10", "drone_on_grid")
        if at in near and dict(now.drones).get(side) in near:
            return Refusal.of("10", "drone_watches")
        drones = tuple(sorted({**dict(now.drones), side: at}.items()))
        event = emit("drone", "10", side=side, at=at)
        return Effects(update(now, drones=drones, acted=now.acted | {f"drone {side}"}), event)

    # --- the fire mission ------------------------------------------------------------------------
    @step(cite="7")
    def ready(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask for the target of an asset that has been called.

        Close its mission if it has no fire missions left; do nothing while its fire falls.
        """
        if view.mission(mission).stage in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        if not view.own(mission, FireMissionState).left:
            return Effects(push(cycle.close, mission, Reason.EXHAUSTED, "7"))
        return Effects(ask(view.side(mission), self.fire, mission))

    @orders(cite="7")
    def fire(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders for a called asset: fire at a unit, lay smoke, or cancel (7, 17)."""
        side, kind = view.side(mission), view.facts(mission, Weapon).kind
        enemies, fit = _enemies(view, side), self._fit(view, mission)
        outside = not all(self._inside(view, mission, view.place_of(unit)) for unit in fit)
        held = facts.hand(view, facts.chit_deck(view, side, self.options["chit_sets"]), side)
        helps = {TRIANGULATION: kind == "artillery", PLAN_CHIT: outside}
        slots = (
            Slot("target", "the target unit", tuple(fit or enemies), free=True),
            Slot(
                "marker",
                "the Target marker to play (0: none)",
                (*dict.fromkeys(facts.hand(view, ETX, side)), 0),
            ),
            Slot(
                "chit",
                "the chit to play (0: none)",
                (*(n for n in helps if helps[n] and n in held), 0),
            ),
        )
        yield Form("fire", "7", slots, partial(self._fire, view, mission))
        if FireKind.SMOKE in parts_of(view).areas.kinds and (
            kind != "fpv" or self.options["fpv_smoke"]
        ):
            at = Slot(
                "at",
                "a place that an observer sees",
                view.aim_at(view.mission(mission).target),
                free=True,
            )
            yield Form("smoke", "17", (at,), partial(self._smoke, view, mission))
        yield Form("cancel", "7", does=push(cycle.close, mission, Reason.CANCELLED, "7"))

    def _fit(self, view: View, mission: str) -> list[str]:
        """Return the enemy units at which an asset may fire without a chit."""
        enemies = _enemies(view, view.side(mission))
        return [unit for unit in enemies if self.refused(view, mission, unit) is None]

    def refused(self, view: View, mission: str, unit: str, chit: int = 0) -> Refusal | None:
        """Return a refusal if a unit may not be targeted (range, sight, friends, plan), or None.

        ``chit`` is the chit played with the fire, 0 for none.
        """
        weapon, at, side = view.facts(mission, Weapon), view.place_of(unit), view.side(mission)
        if not view.own(mission, FireMissionState).left:
            return Refusal.of("7", "no_missions")
        if not facts.alive(view, unit):
            return Refusal.of("7", "gone", unit=unit)
        if weapon.unit and facts.metres(view, view.place_of(weapon.unit), at) > self.number(
            "mortar_range"
        ):
            return Refusal.of("6", "mortar_reach", reach=self.number("mortar_range"))
        if not (view.sees(mission, at).ground or self._aims_blind(view, side)):
            return Refusal.of("8, 9", "unseen", unit=unit)
        for friend in (unit for unit in view.units if view.unit_side(unit) == side):
            body = facts.body_of(view, friend)
            # A unit without an id was staged by another game and has no role.
            recce = body.role == "recce" or (not body.id and self.options["own_near"] == "recce")
            least = danger_close(self, weapon.kind, recce=recce)
            near = facts.metres(view, view.place_of(friend), at) < least
            if (
                near
                and facts.alive(view, friend)
                and (friend != weapon.unit or self.options["own_mortar"] == "friend")
            ):
                return Refusal.of("11, D9", "danger_close", friend=friend, least=least, unit=unit)
        bound = self.options["mode"] == "advanced" and weapon.army == "Russia" and chit != PLAN_CHIT
        if bound and not self._inside(view, mission, at):
            return Refusal.of("3", "outside_plan")
        return None

    def _aims_blind(self, view: View, side: str) -> bool:
        """Return whether a side has enough Target markers to fire at an unseen unit (26)."""
        return self.options["ew"] == "supplement" and len(
            facts.hand(view, ETX, side)
        ) >= self.number("markers_blind")

    def _fire(self, view: View, mission: str, target: str, marker: int, chit: int) -> Answer:
        side = view.side(mission)
        if target not in view.units or view.unit_side(target) == side:
            return Refusal.of("7", "no_enemy", target=repr(target))
        if refusal := self.refused(view, mission, target, chit):
            return refusal
        at = view.place_of(target)
        sight = view.sees(mission, at)
        by = sight.by if isinstance(sight, Spotted) else ()
        cost = self._cost(view, mission, at, chit, by)
        call, deck = (
            view.own(mission, FireMissionState),
            facts.chit_deck(view, side, self.options["chit_sets"]),
        )
        markers = [marker] if marker else []
        if not sight.ground:  # blind fire also uses up the lowest markers
            others = sorted((Counter(facts.hand(view, ETX, side)) - Counter(markers)).elements())
            markers += others[: self.number("markers_blind") - len(markers)]
            marker = sum(markers) if self.options["blind_markers"] == "all" else marker
        cards = [*((ETX, card) for card in markers), *([(deck, chit)] if chit else ())]
        return Effects(
            update(
                call, unit=target, by=by, marker=marker, own_chit=chit == TRIANGULATION, cost=cost
            ),
            emit("aimed", "7", mission=mission, unit=target, marker=marker),
            *(push(self.play, side, *card) for card in cards),
            self._paid(view, mission, at, FireKind.HE),
        )

    def _smoke(self, view: View, mission: str, at: Place) -> Answer:
        if not view.own(mission, FireMissionState).left:
            return Refusal.of("7", "no_missions")
        if not view.sees(mission, at).ground:
            return Refusal.of("17", "smoke_unseen")
        cost = 0 if self.options["smoke_etx"] == "none" else self._cost(view, mission, at, 0, ())
        return Effects(
            update(view.own(mission, FireMissionState), cost=cost),
            self._paid(view, mission, at, FireKind.SMOKE),
        )

    def _paid(self, view: View, mission: str, at: Place, kind: FireKind) -> Effects:
        """Return the effects of paying for a fire mission and firing it (7, 22).

        The asset has one fire mission fewer, and the other side draws tokens.
        """
        call = view.own(mission, FireMissionState)
        aimed = update(view.mission(mission), aim=view.aim_at(at)[0], kind=kind)
        paid = (update(call, left=call.left - 1), push(self.signature, mission), aimed)
        return Effects(*paid, push(cycle.release, mission, Intent.EFFECT))

    @step(cite="22, D14")
    def signature(self, chance: Chance, view: View, mission: str) -> Effects:
        """Have the other side draw face-down tokens for the fire mission."""
        cost, other = view.own(mission, FireMissionState).cost, view.other(view.side(mission))
        event = emit("signature", "22", mission=mission, side=other, tokens=cost)
        return Effects(facts.draw_face_down(view, other, cost), event) if cost else Effects()

    @step(cite="24, 25")
    def play(self, chance: Chance, view: View, side: str, deck: str, card: int) -> Effects:
        """Play a Target marker or a chit from a side's hand.

        ``deck`` is ``ETX`` for a marker, or the name of a deck of chits, and ``card`` is its value.
        """
        if deck == ETX:
            event = emit("marker", "24", side=side, marker=card)
        else:
            event = emit("chit", "25", side=side, chit=card, against=False)
        return Effects(Cards(view, deck).move(side, (card,)), event)

    def _plan(self, view: View, mission: str) -> Place:
        """Return the intersection of an asset's fire plan in this turn, None if none is known (1).

        After the last planned turn, its intersection remains in force.
        """
        plan = view.own(mission, FireMissionState).plan
        planned = view.facts(mission, Weapon).plan
        if plan is not None or not planned or planned == (facts.EVERYWHERE,):
            return plan
        last = len(planned) - 1
        return facts.crossing(planned[min(view.moment(), last) if last else 0])

    def _inside(self, view: View, mission: str, at: Place) -> bool:
        """Return whether a place is in the squares of this turn's plan (1).

        A plan of all squares includes every place. Without a plan, the asset's ``inside`` decides.
        """
        plan = self._plan(view, mission)
        if plan is None:
            weapon = view.facts(mission, Weapon)
            return bool(weapon.plan or weapon.inside)
        return in_squares(view, plan, at, inside=self.options["plan_edge"] == "inside")

    def _cost(self, view: View, mission: str, at: Place, chit: int, by: tuple[str, ...]) -> int:
        """Return the number of tokens that a fire mission costs (22).

        ``at`` is the place fired at, ``chit`` the chit played (0 for none), and ``by`` the roles of
        the observers who see the place.
        """
        kind = view.facts(mission, Weapon).kind
        if self.options["mode"] == "basic":
            if kind == "fpv":
                return 0
            return self.number("etx_basic_drone" if "uas" in by else f"etx_basic_{kind}")
        if self._inside(view, mission, at):
            return self.number("etx_fpv_inside" if kind == "fpv" else "etx_inside")
        return self.number("etx_6a" if chit == PLAN_CHIT else "etx_outside")

    # --- after the fire --------------------------------------------------------------------------
    @step(cite="16, 25")
    def paid(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask whether an FPV drone fires again at once, if it can."""
        target = view.own(mission, FireMissionState).unit
        if (
            view.facts(mission, Weapon).kind != "fpv"
            or target not in view.units
            or not facts.alive(view, target)
        ):
            return Effects()
        more = len(list(self.again(view, mission))) > 1
        return Effects(ask(view.side(mission), self.again, mission)) if more else Effects()

    @orders(cite="16, 25")
    def again(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders after an asset has fired: fire again at the same target, or stop.

        ``again`` is a double tap, which uses up a fire mission (16). ``extra`` plays chit 4A, which
        uses one up only by option (25). Neither costs more tokens.
        """
        call, side = view.own(mission, FireMissionState), view.side(mission)
        fire = Effects(
            update(call, taps=call.taps + 1), push(cycle.release, mission, Intent.EFFECT)
        )
        use_mission = update(call, left=call.left - 1)
        if call.taps == 0 and call.left:
            yield Form("again", "16", does=Effects(use_mission, fire))
        deck = facts.chit_deck(view, side, self.options["chit_sets"])
        free = self.options["chit_4a"] == "free"
        if FPV_CHIT in facts.hand(view, deck, side) and (free or call.left):
            played = Effects(push(self.play, side, deck, FPV_CHIT), fire)
            does = played if free else Effects(use_mission, played)
            yield Form("extra", "25", does=does)
        yield Form("enough", "16")

    @step(cite="7, 25")
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Clear the choices made; a fire mission that was stopped is not used up."""
        call, stopped = (
            view.own(mission, FireMissionState),
            view.mission(mission).reason is Reason.DENIED,
        )
        return Effects(
            update(call, **FIRED), update(call, left=call.left + 1) if stopped else Effects()
        )

    # --- new orders ------------------------------------------------------------------------------
    @step(cite="2, 3")
    def turn_over(self, chance: Chance, view: View, side: str) -> Effects:
        """Begin a side's turn: its assets may act again, and its plans may be rewritten.

        Plans stay as they are in basic mode and, for Russia, in advanced mode.
        """
        now = view.shared(Activity)
        own = {m: view.facts(m, Weapon).army for m in view.missions if view.side(m) == side}
        fixed = self.options["mode"] == "basic" or (
            self.options["mode"] == "advanced" and "Russia" in own.values()
        )
        reset = Effects(
            update(now, acted=now.acted - {side, f"drone {side}", *own}),
            *(update(view.own(m, FireMissionState), orders="") for m in own),
        )
        return reset if fixed else Effects(reset, ask(side, self.plan, side))

    @orders(cite="2, 3", secret=True)
    def plan(self, view: View, side: str) -> Iterator[Form]:
        """Yield the orders for a side's fire plans: keep them, or rewrite an asset's (2, 3)."""
        yield Form("keep", "2")
        able = usable(view, side, view.shared(Activity).acted)
        places = tuple(dict.fromkeys(facts.crossing_at(view, view.mission(m).target) for m in able))
        slots = (
            Slot("asset", "the asset with the plan", able),
            Slot("at", "a grid intersection, in whole kilometres", places, free=True),
        )
        free = {self._free(view, side, asset) for asset in able}
        cost = {frozenset({True}): "free", frozenset({False}): "turn"}.get(frozenset(free), "")
        if able:
            does = partial(self._rewrite, view, side)
            yield Form("rewrite", "2", slots, does, fields={"cost": cost})

    def _free(self, view: View, side: str, asset: str) -> bool:
        """Return whether rewriting an asset's fire plan costs nothing (3).

        In advanced mode each side may do so once a turn, for an asset of a task group; by option
        (D6) it may also choose any other asset.
        """
        in_group = view.facts(asset, Weapon).unit or self.options["free_assets"]
        own = (m for m in view.missions if view.side(m) == side)
        used = any(view.own(m, FireMissionState).orders == "free" for m in own)
        return bool(self.options["mode"] == "advanced" and in_group and not used)

    def _rewrite(self, view: View, side: str, asset: str, at: Place) -> Answer:
        if facts.crossing_at(view, at) != at:
            return Refusal.of("1", "plan_on_grid")
        again, call = ask(side, self.plan, side), view.own(asset, FireMissionState)
        if self._free(view, side, asset):
            rewritten = emit("rewritten", "2, 3", mission=asset, at=at, free=True)
            return Effects(update(call, plan=at, orders="free"), rewritten, again)
        turn_lost = update(call, orders="turn")
        return Effects(turn_lost, push(self.new_orders, side, asset, at), again)

    @step(cite="2, 22, 26, D29")
    def new_orders(self, chance: Chance, view: View, side: str, asset: str, at: Place) -> Effects:
        """Have the other side draw a token for new orders, which jammed signals may stop.

        The asset loses its turn.
        """
        other = view.other(side)
        tokens = facts.draw_face_down(view, other, self.number("etx_orders"))
        ordered = Effects(tokens, emit("orders", "2", side=side, other=other))
        if facts.jammed(view, side, "comms") and chance.dice(
            "comms", white=d6
        ).total <= self.number("comms_fail"):
            return Effects(ordered, emit("foiled", "26", side=side))
        rewritten = emit("rewritten", "2", mission=asset, at=at, free=False)
        return Effects(ordered, update(view.own(asset, FireMissionState), plan=at), rewritten)

    def secret_notes(self, scenario: Setup) -> tuple[SecretNote, ...]:
        """Return each asset's fire plan as a secret note: one intersection per turn (1)."""
        label = scenario.frame.label
        plans = {
            m: (setup.side, "; ".join(map(label, map(facts.crossing, setup.facts[self.word].plan))))
            for m, setup in scenario.missions.items()
            if setup.facts[self.word].plan != (facts.EVERYWHERE,)
        }
        return tuple(
            SecretNote(side, f"fire plan of {m}", plan) for m, (side, plan) in plans.items() if plan
        )


def usable(view: View, side: str, acted: frozenset[str]) -> tuple[str, ...]:
    """Return the names of a side's assets that can still be called this turn.

    Assets in ``acted`` have finished their turn.
    """
    own = {m: view.mission(m) for m in view.missions if view.side(m) == side and m not in acted}
    return tuple(
        m
        for m, now in own.items()
        if now.stage in (Stage.IDLE, Stage.ENDED)
        and now.reason not in FINAL
        and view.peek(m, FireMissionState).left
        and view.peek(m, FireMissionState).orders != "turn"
    )
