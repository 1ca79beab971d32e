"""The orders of a fire phase at each stage, the checks on them, and the standard doctrine.

``requests`` asks the questions and carries out the answers.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, takewhile
from typing import Any

import attrs

from fireplan_asl.ground import NO_SMOKE, MapState, weather_now
from fireplan_asl.missions import (
    BARRAGES,
    CONCENTRATION,
    ON_MAP,
    ROCKET,
    SMOKES,
)
from fireplan_asl.nations import DATA
from fireplan_asl.observer import Radio
from fireplan_asl.places import hexes_between
from fireplan_asl.spotting import burst_seen, partly_seen, seen, sight_past_smoke
from fireplan_core import Order, Place, Refusal, Stage, View, kept, parts_of, record
from fireplan_core.chance import read_csv
from fireplan_core.space import is_place

OFFERED_M = 120.0
"""Maximum distance from the target, in metres, of the hexes offered for an AR.

A player may name any other hex as well.
"""
ANNOUNCING = ("convert", "fire", "correct_convert", "replace_fire")
"""The orders that place or predesignate an FFE:1."""


_ROWS = read_csv(DATA / "orders.csv")


def _listed(stage: str) -> tuple[tuple[str, str, str, bool], ...]:
    """Return a stage's orders as tuples of verb, rule, summary and whether a hex is needed.

    The stage '' is the one with no SR or FFE on the map.
    """
    rows = (row for row in _ROWS if row["stage"] == stage)
    return tuple((row["verb"], row["rule"], row["summary"], bool(row["aimed"])) for row in rows)


EMPTY = _listed("")
BY_STAGE = {stage: _listed(stage.value) for stage in ON_MAP}
AIMED = frozenset(row["verb"] for row in _ROWS if row["aimed"])
TYPES = {verb: (cite, summary) for verb, cite, summary, _ in _listed("type")}


@attrs.frozen
class Registered:
    """A battery's Pre-Registered and Barrage-capable hexes, and its types of Fire Mission.

    ``kinds`` are the types to choose from, the preferred one first; ``unfit`` are the others, each
    with a rule and the key of the refusal. ``unlimited`` allows Corrections to any hex; only the
    setups of ``relaxed`` set it.
    """

    places: frozenset[Place]
    kinds: tuple[str, ...] = (CONCENTRATION,)
    barrage: frozenset[Place] = frozenset()
    unfit: tuple[tuple[str, str, str], ...] = ()
    unlimited: bool = False


@record
class Announced:
    """The announced facts of the current Fire Mission.

    The hexes of Known enemies are tracked only if enemies can move out of them, or if losses count.
    """

    kind: str = kept(
        CONCENTRATION, "the type of the Fire Mission", "C1.7", word="type", among=tuple(TYPES)
    )
    met: tuple[Place, ...] = kept((), "the hexes of Known enemies during the Fire Mission", "C1.6")
    blind: bool = kept(
        False, "whether the opponent had the mission Cancelled after an AR without LOS", "C1.3"
    )


@attrs.frozen
class FireOrders:
    """The orders of a battery in a fire phase: those that are refused, and the standard one."""

    view: View
    mission: str
    options: Mapping[str, Any]
    number: Callable[[str], int]

    @property
    def _facts(self) -> Registered:
        return self.view.facts(self.mission, Registered)

    def _hexes_to(self, at: Place) -> int:
        """Return the distance from the SR or FFE on the map to a hex, in hexes."""
        return hexes_between(self.view.frame, self.view.mission(self.mission).impact, at)

    # --- the checks ------------------------------------------------------------------------------
    def refuse(self, order: Order) -> Refusal | None:
        """Return a refusal if an order is not allowed in this phase, otherwise None.

        LOS to a new AR is checked later, when it is placed (C1.3).
        """
        at, frame = order.get("at"), self.view.frame
        if order.verb in AIMED and not (is_place(frame, at) and frame.on_map(at)):
            return Refusal.of("C1.3", "ar_on_map")
        kinds = self._facts.kinds
        direct = _refuse_rocket(order) if ROCKET in kinds else self._refuse_direct(order)
        if direct is not None:
            return direct
        stage = self.view.mission(self.mission).stage
        if order.verb in ANNOUNCING and stage is not Stage.FALLING:
            # At least one type of Fire Mission must be possible (C1.7, E12.3).
            refusals = [*takewhile(bool, (self.refuse_type(kind, order) for kind in kinds))]
            if len(refusals) == len(kinds):
                return refusals[0]
        match stage:
            case Stage.SPOTTING:
                return self._refuse_spotting(order)
            case Stage.FALLING:
                return self._refuse_falling(order)
            case Stage.LINGERING:
                return self._refuse_lingering(order)
            case _:
                return None

    def _refuse_direct(self, order: Order) -> Refusal | None:
        """Return a refusal of an FFE:1 placed without an SR, or None if the order is allowed.

        Such an FFE:1 needs a Pre-Registered hex and the battery's first Observer (C1.731, C1.733).
        """
        if order.verb not in ("fire", "replace_fire"):
            return None
        if order["at"] not in self._facts.places:
            return Refusal.of("C1.731", "only_registered")
        if self.view.peek(self.mission, Radio).hand:
            return Refusal.of("C1.733", "registered_by_first")
        return None

    def refuse_type(self, kind: str, first: Order) -> Refusal | None:
        """Return a refusal if a mission type may not be announced with the order, else None."""
        facts = self._facts
        if kind == "ir":
            return Refusal.of("C1.7", "ir_before_draw")
        if kind not in facts.kinds:
            unfit = (Refusal.of(cite, key) for other, cite, key in facts.unfit if other == kind)
            return next(unfit, Refusal.of("C1.7", "not_fired_by_battery"))
        if kind in SMOKES and weather_now(self.view, self.view.peek_shared(MapState)) in NO_SMOKE:
            return Refusal.of("C1.71", "no_smoke_now")
        if kind in BARRAGES:
            if first.verb not in ("fire", "replace_fire"):
                return Refusal.of("E12.3", "barrage_placed_directly")
            if first["at"] not in facts.barrage:
                return Refusal.of("E12.3", "no_barrage_recorded")
        return None

    def _refuse_spotting(self, order: Order) -> Refusal | None:
        def unseen() -> bool:
            return not burst_seen(self.view, self.mission)

        match order.verb:
            case "leave" if unseen():
                if self._refuse_unseen("SR"):
                    return Refusal.of("C1.331, C1.336", "cancel_it")
                return Refusal.of("C1.331, C1.335", "correct_or_cancel")
            case "correct" if unseen() and (wrong := self._refuse_unseen("SR")):
                return wrong
            case "correct_convert" if unseen():
                return Refusal.of("C1.332", "round_unseen")
            case "convert" if not seen(self.view, self.mission).may_fire_there:
                return _no_fire_there("C1.333", "SR")
            case "correct" | "correct_convert":
                return self._refuse_correction(order["at"], "sr_correction")
            case _:
                return None

    def _refuse_falling(self, order: Order) -> Refusal | None:
        match order.verb:
            case "leave":
                sight = seen(self.view, self.mission, smoke=False)
                if not (sight.may_fire_there or (sight.burst and self._was_known())):
                    return _no_fire_there("C1.334", "FFE")
                return None
            case "correct":
                strict = self.options["ffe_unseen_enemy_seen"] == "may only cancel"
                if not burst_seen(self.view, self.mission) and (
                    wrong := self._refuse_unseen("FFE", enemy_counts=strict)
                ):
                    return wrong
                return self._refuse_barrage(order["at"]) or self._refuse_correction(
                    order["at"], "ffe_correction"
                )
            case _:
                return None

    def _refuse_lingering(self, order: Order) -> Refusal | None:
        if order.verb not in ("spot", "correct", "convert"):
            return None
        sight = seen(self.view, self.mission)
        match order.verb:
            case _ if not sight.burst:
                return Refusal.of("C1.34, C1.343", "fire_unseen")
            case "convert" if not sight.may_fire_there:
                return _no_fire_there("C1.342", "FFE:C")
            case "correct":
                return self._refuse_correction(order["at"], "sr_correction")
            case _:
                return None

    def _refuse_correction(self, at: Place, limit: str) -> Refusal | None:
        if self._facts.unlimited:
            return None
        far, farthest = self._hexes_to(at), self.number(limit)
        if far == 0:
            return Refusal.of("C1.4", "another_hex")
        if far > farthest:
            return Refusal.of("C1.4", "correction_too_far", far=far, farthest=farthest)
        return None

    def _refuse_barrage(self, at: Place) -> Refusal | None:
        """Return a refusal if a Barrage may not be Corrected to a hex, else None (E12.4).

        The hex must be Barrage-capable, or adjacent to a Barrage-capable hex. If the FFE is in or
        adjacent to a Pre-Registered hex of any kind, the new hex may not be adjacent to that same
        hex.
        """
        facts, frame = self._facts, self.view.frame
        if facts.unlimited or not facts.barrage:
            return None
        if self.view.own(self.mission, Announced).kind not in BARRAGES:
            return None
        if all(hexes_between(frame, place, at) > 1 for place in facts.barrage):
            return Refusal.of("E12.4", "barrage_correction")
        # This limit applies to any Pre-Registered hex, Barrage-capable or not.
        if any(
            hexes_between(frame, place, at) == 1 and self._hexes_to(place) <= 1
            for place in facts.places
        ):
            return Refusal.of("E12.4", "barrage_around")
        return None

    def _refuse_unseen(self, what: str, *, enemy_counts: bool = True) -> Refusal | None:
        """Return the refusal of a Correction without LOS to the Blast Height, None if it is forced.

        A Correction is forced if, ignoring SMOKE, neither the Blast Height nor a Known enemy near
        it is in LOS (C1.331, C1.335). ``what`` is "SR" or "FFE"; without ``enemy_counts``, the
        enemy is ignored. In a setup with few hexes it is always forced: one hex off the map stands
        for hexes near enemies and for hexes far away.
        """
        if self._facts.unlimited:
            return None
        sight = seen(self.view, self.mission, smoke=False)
        if sight.burst:
            return Refusal.of("C1.331", "smoke_hides", what=what)
        if enemy_counts and sight.known_enemy:
            cite = "C1.331, C1.336" if what == "SR" else "C1.331, C1.335"
            return Refusal.of(cite, "known_enemy_seen", what=what)
        return None

    def _was_known(self) -> bool:
        """Return whether a hex near the FFE where a Known enemy has been is in LOS (C1.334).

        The hex must be the FFE's own or adjacent to it, and the enemy must have been there during
        this Fire Mission. SMOKE is ignored.
        """
        return any(
            sight_past_smoke(self.view, self.mission, place).partly
            for place in self.view.own(self.mission, Announced).met
            if self._hexes_to(place) <= 1
        )

    # --- the standard doctrine -------------------------------------------------------------------
    def standard(self) -> Order:
        """Return the standard order: aim at the target, and fire as soon as the FFE covers it.

        An SR that is off target is Corrected onto it and predesignated for Conversion. A battery
        that could place no AR in LOS near the target passes.
        """
        now, aim = self.view.mission(self.mission), self._aim()
        if now.stage not in ON_MAP:
            if aim is None:
                return Order.of("pass")
            fire = Order.of("fire", at=aim)
            direct = aim in self._facts.places or ROCKET in self._facts.kinds
            return fire if direct and not self.refuse(fire) else Order.of("place", at=aim)
        on_target = now.impact == aim or bool(self.view.covers(self.mission, now.target))
        preferences = {
            Stage.SPOTTING: ("convert", "correct_convert", "replace", "cancel"),
            Stage.FALLING: ("leave", "correct", "leave", "cancel"),
            Stage.LINGERING: ("convert", "replace_fire", "correct", "replace", "remove"),
        }[now.stage]
        for verb in preferences if on_target else preferences[1:]:
            if verb in AIMED and aim is None:
                continue
            order = Order.of(verb, at=aim) if verb in AIMED else Order.of(verb)
            if self.refuse(order) is None:
                return order
        return Order.of(preferences[-1])

    def _aim(self) -> Place | None:
        """Return the hex for an AR on the target, or else the nearest hex in LOS, or None.

        Hexes farther than twice ``OFFERED_M`` from the target are not considered.
        """
        view, target = self.view, self.view.mission(self.mission).target

        def around() -> Iterator[Place]:
            places = self.near(2 * OFFERED_M)
            yield from sorted(places, key=lambda place: (view.frame.gap(target, place), place))

        for aim in chain(view.aim_at(target), around()):
            if view.frame.on_map(aim) and partly_seen(view, self.mission, aim):
                return aim
        return None

    def near(self, metres: float) -> Iterator[Place]:
        """Yield the hexes within ``metres`` of the target in which an AR may be placed."""
        cells = self.view.frame.cells(self.view.mission(self.mission).target, metres)
        aim_at = parts_of(self.view).areas.aim_at
        return (aim for place in cells for aim in aim_at(place))


def _refuse_rocket(order: Order) -> Refusal | None:
    match order.verb:
        case "place" | "spot" | "replace":
            return Refusal.of("C1.9", "no_spotting_rockets")
        case "correct" | "correct_convert":
            return Refusal.of("C1.9", "no_rockets_corrected")
        case "convert" | "replace_fire":
            return Refusal.of("C1.9", "one_rocket_mission")
        case _:
            return None


def _no_fire_there(cite: str, what: str) -> Refusal:
    return Refusal.of(cite, "no_fire_there", what=what)
