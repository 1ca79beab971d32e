"""The orders of a fire phase: their forms, the checks on them, and the standard doctrine.

``requests`` asks the questions and carries out the answers.
"""

from collections.abc import Iterator
from itertools import chain, takewhile

import attrs

from fireplan_asl.ground import NO_SMOKE, Ground, weather_now
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
from fireplan_asl.spotting import burst_seen, seen, sight_past_smoke
from fireplan_core import Order, Place, Refusal, Requests, Stage, View, kept, record
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
    with a rule and the key of the refusal.
    """

    places: frozenset[Place]
    kinds: tuple[str, ...] = (CONCENTRATION,)
    barrage: frozenset[Place] = frozenset()
    unfit: tuple[tuple[str, str, str], ...] = ()


@record
class Announced:
    """The announced facts of the current Fire Mission.

    The hexes of Known enemies are tracked only in scenarios where units can move out of them.
    """

    kind: str = kept(
        CONCENTRATION, "the type of the Fire Mission", "C1.7", word="type", among=tuple(TYPES)
    )
    met: tuple[Place, ...] = kept((), "the hexes of Known enemies during the Fire Mission", "C1.6")
    blind: bool = kept(
        False, "whether the opponent had the mission Cancelled after an AR without LOS", "C1.3"
    )


class FireOrders(Requests):
    """The checks on orders and the standard doctrine, which the requests part inherits."""

    # --- the checks ------------------------------------------------------------------------------
    def refuse(self, view: View, order: Order, mission: str) -> Refusal | None:
        """Return a refusal if an order is not allowed in this phase, otherwise None.

        LOS to a new AR is checked later, when it is placed (C1.3).
        """
        at = order.get("at")
        if order.verb in AIMED and not (is_place(view.frame, at) and view.frame.on_map(at)):
            return Refusal.of("C1.3", "ar_on_map")
        facts = view.facts(mission, Registered)
        direct = (
            _refuse_rocket(order) if ROCKET in facts.kinds else _refuse_direct(view, order, mission)
        )
        if direct is not None:
            return direct
        stage = view.mission(mission).stage
        if order.verb in ANNOUNCING and stage is not Stage.FALLING:
            # At least one type of Fire Mission must be possible (C1.7, E12.3).
            refusals = [
                *takewhile(
                    bool, (self.refuse_type(view, kind, mission, order) for kind in facts.kinds)
                )
            ]
            if len(refusals) == len(facts.kinds):
                return refusals[0]
        match stage:
            case Stage.SPOTTING:
                return self._refuse_spotting(view, order, mission)
            case Stage.FALLING:
                return self._refuse_falling(view, order, mission)
            case Stage.LINGERING:
                return self._refuse_lingering(view, order, mission)
            case _:
                return None

    @staticmethod
    def refuse_type(view: View, kind: str, mission: str, first: Order) -> Refusal | None:
        """Return a refusal if a mission type may not be announced with the order, else None."""
        facts = view.facts(mission, Registered)
        if kind == "ir":
            return Refusal.of("C1.7", "ir_before_draw")
        if kind not in facts.kinds:
            unfit = (Refusal.of(cite, key) for other, cite, key in facts.unfit if other == kind)
            return next(unfit, Refusal.of("C1.7", "not_fired_by_battery"))
        if kind in SMOKES and weather_now(view, view.peek_shared(Ground)) in NO_SMOKE:
            return Refusal.of("C1.71", "no_smoke_now")
        if kind in BARRAGES:
            if first.verb not in ("fire", "replace_fire"):
                return Refusal.of("E12.3", "barrage_placed_directly")
            if first["at"] not in facts.barrage:
                return Refusal.of("E12.3", "no_barrage_recorded")
        return None

    def _refuse_spotting(self, view: View, order: Order, mission: str) -> Refusal | None:
        burst = burst_seen(view, mission)
        match order.verb:
            case "leave" if not burst:
                if _refuse_unseen(view, mission, "SR"):
                    return Refusal.of("C1.331, C1.336", "cancel_it")
                return Refusal.of("C1.331, C1.335", "correct_or_cancel")
            case "correct" if not burst and (wrong := _refuse_unseen(view, mission, "SR")):
                return wrong
            case "correct_convert" if not burst:
                return Refusal.of("C1.332", "round_unseen")
            case "convert" if not seen(view, mission).may_fire_there:
                return _no_fire_there("C1.333", "SR")
            case "correct" | "correct_convert":
                return self._refuse_correction(view, order["at"], mission, "sr_correction")
            case _:
                return None

    def _refuse_falling(self, view: View, order: Order, mission: str) -> Refusal | None:
        match order.verb:
            case "leave":
                sight = seen(view, mission, smoke=False)
                if not (sight.may_fire_there or (sight.burst and _was_known(view, mission))):
                    return _no_fire_there("C1.334", "FFE")
                return None
            case "correct":
                strict = self.options["ffe_unseen_enemy_seen"] == "may only cancel"
                if not burst_seen(view, mission) and (
                    wrong := _refuse_unseen(view, mission, "FFE", enemy_counts=strict)
                ):
                    return wrong
                return _refuse_barrage(view, order["at"], mission) or self._refuse_correction(
                    view, order["at"], mission, "ffe_correction"
                )
            case _:
                return None

    def _refuse_lingering(self, view: View, order: Order, mission: str) -> Refusal | None:
        sight = seen(view, mission)
        match order.verb:
            case "spot" | "correct" | "convert" if not sight.burst:
                return Refusal.of("C1.34, C1.343", "fire_unseen")
            case "convert" if not sight.may_fire_there:
                return _no_fire_there("C1.342", "FFE:C")
            case "correct":
                return self._refuse_correction(view, order["at"], mission, "sr_correction")
            case _:
                return None

    def _refuse_correction(self, view: View, at: Place, mission: str, limit: str) -> Refusal | None:
        far, farthest = (
            hexes_between(view.frame, view.mission(mission).impact, at),
            self.number(limit),
        )
        if far == 0:
            return Refusal.of("C1.4", "another_hex")
        if far > farthest:
            return Refusal.of("C1.4", "correction_too_far", far=far, farthest=farthest)
        return None

    # --- the standard doctrine -------------------------------------------------------------------
    def standard(self, view: View, mission: str) -> Order:
        """Return the standard order: aim at the target, and fire as soon as the FFE covers it.

        An SR that is off target is Corrected onto it and predesignated for Conversion.
        """
        now = view.mission(mission)
        aim = _aim(view, mission)
        if now.stage not in ON_MAP:
            if aim is None:
                return Order.of("pass")
            facts = view.facts(mission, Registered)
            direct = aim in facts.places or ROCKET in facts.kinds
            fire = Order.of("fire", at=aim)
            if direct and self.refuse(view, fire, mission) is None:
                return fire
            return Order.of("place", at=aim)
        on_target = now.impact == aim or bool(view.covers(mission, now.target))
        preferences = {
            Stage.SPOTTING: ("convert", "correct_convert", "replace", "cancel"),
            Stage.FALLING: ("leave", "correct", "leave", "cancel"),
            Stage.LINGERING: ("convert", "replace_fire", "correct", "replace", "remove"),
        }[now.stage]
        for verb in preferences if on_target else preferences[1:]:
            if verb in AIMED and aim is None:
                continue
            order = Order.of(verb, at=aim) if verb in AIMED else Order.of(verb)
            if self.refuse(view, order, mission) is None:
                return order
        return Order.of(preferences[-1])


def _refuse_direct(view: View, order: Order, mission: str) -> Refusal | None:
    """Refuse an FFE:1 without an SR off the Pre-Registered hexes, or by a later Observer."""
    if order.verb not in ("fire", "replace_fire"):
        return None
    if order["at"] not in view.facts(mission, Registered).places:
        return Refusal.of("C1.731", "only_registered")
    if view.peek(mission, Radio).hand:
        return Refusal.of("C1.733", "registered_by_first")
    return None


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


def _refuse_barrage(view: View, at: Place, mission: str) -> Refusal | None:
    """Refuse to Correct a Barrage away from its recorded hexes or around one of them (E12.4)."""
    facts = view.facts(mission, Registered)
    if not facts.barrage or view.own(mission, Announced).kind not in BARRAGES:
        return None
    frame, impact = view.frame, view.mission(mission).impact
    if all(hexes_between(frame, place, at) > 1 for place in facts.barrage):
        return Refusal.of("E12.4", "barrage_correction")
    # This applies to any Pre-Registered hex, Barrage-capable or not.
    if any(
        hexes_between(frame, p, at) == 1 and hexes_between(frame, p, impact) <= 1
        for p in facts.places
    ):
        return Refusal.of("E12.4", "barrage_around")
    return None


def _no_fire_there(cite: str, what: str) -> Refusal:
    return Refusal.of(cite, "no_fire_there", what=what)


def _refuse_unseen(
    view: View, mission: str, what: str, *, enemy_counts: bool = True
) -> Refusal | None:
    """Refuse a Correction without LOS to the Blast Height, unless it is forced (C1.331, C1.335).

    It is forced if, ignoring SMOKE, neither the Blast Height nor a Known enemy near it is in LOS.
    """
    sight = seen(view, mission, smoke=False)
    if sight.burst:
        return Refusal.of("C1.331", "smoke_hides", what=what)
    if enemy_counts and sight.known_enemy:
        cite = "C1.331, C1.336" if what == "SR" else "C1.331, C1.335"
        return Refusal.of(cite, "known_enemy_seen", what=what)
    return None


def _was_known(view: View, mission: str) -> bool:
    """Return whether a Known enemy was in or next to the FFE's hex earlier in this Fire Mission."""
    impact = view.mission(mission).impact
    close = (
        place
        for place in view.own(mission, Announced).met
        if hexes_between(view.frame, impact, place) <= 1
    )
    return any(sight_past_smoke(view, mission, place).partly for place in close)


def near(view: View, mission: str, metres: float) -> Iterator[Place]:
    """Yield the hexes within ``metres`` of the target in which an AR may be placed."""
    cells = view.frame.cells(view.mission(mission).target, metres)
    return (aim for place in cells for aim in view.aim_at(place))


def _aim(view: View, mission: str) -> Place | None:
    """Return the hex in LOS nearest to the target, for an AR, or None if no hex is in LOS."""
    target = view.mission(mission).target

    def around() -> Iterator[Place]:
        places = near(view, mission, 2 * OFFERED_M)
        yield from sorted(places, key=lambda place: (view.frame.gap(target, place), place))

    for aim in chain(view.aim_at(target), around()):
        if view.frame.on_map(aim) and view.sees(mission, aim).partly:
            return aim
    return None
