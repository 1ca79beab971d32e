"""The orders of one fire phase: forms on offer, the one judge of them, and the standard doctrine.

Pure functions over a view; ``requests`` asks the question and carries the answer out.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain

import attrs

from fireplan_asl._observer import first_observer
from fireplan_asl._places import (
    BARRAGES,
    CONCENTRATION,
    NO_SMOKE,
    ROCKET,
    SMOKES,
    hexes_between,
    is_place,
    location_seen,
    on_map,
    seen,
    seen_past_smoke,
    weather_at,
)
from fireplan_core import Form, Order, Place, Refusal, Requests, Slot, Stage, View, record

OFFERED_M = 120.0
"""Metres around the target within which places are worth offering; any other may be named as well."""
ON_MAP = (Stage.SPOTTING, Stage.FALLING, Stage.LINGERING)
ANNOUNCING = ("convert", "fire", "correct_convert", "replace_fire")
"""Orders by which a FFE:1 appears, or which predesignate one."""


@attrs.frozen
class Registered:
    """The Pre-Registered hexes of the battery, which of them take Barrages, and the types of its Fire Missions.

    ``kinds`` are the types to choose from, the preferred one first; ``unfit`` says of the others why not, as a
    rule and a reason. ``weather`` is what comes up when (C1.71).
    """

    places: frozenset[Place]
    kinds: tuple[str, ...] = (CONCENTRATION,)
    barrage: frozenset[Place] = frozenset()
    unfit: tuple[tuple[str, str, str], ...] = ()
    weather: tuple[tuple[int, str], ...] = ()


@record
class Announced:
    """The type of the present Fire Mission, where there is a choice, and where Known enemies were during it.

    The latter only where units move; elsewhere they are where they were.
    """

    kind: str = CONCENTRATION
    met: tuple[Place, ...] = ()


# --- forms ---------------------------------------------------------------------------------------
_EMPTY = (
    ("place", "C1.3", "place an AR for a Spotting Round", True),
    ("fire", "C1.731", "place an AR in a Pre-Registered hex and a FFE:1 at once", True),
    ("pass", "C1.3", "place no AR this phase", False),
)
_SPOTTING = (
    ("leave", "C1.331", "leave the SR where it is", False),
    ("correct", "C1.331, C1.4", "Correct the SR", True),
    ("correct_convert", "C1.332", "Correct the SR, with its Conversion to FFE:1 predesignated", True),
    ("convert", "C1.333", "Convert the SR to a FFE:1 in its hex", False),
    ("cancel", "C1.336", "Cancel the SR", False),
    ("replace", "C1.336", "Cancel the SR and place a new AR", True),
    ("replace_fire", "C1.336, C1.731", "Cancel the SR and place a FFE:1 in a Pre-Registered hex", True),
)
_FALLING = (
    ("leave", "C1.334", "leave the FFE in its hex", False),
    ("correct", "C1.331, C1.4", "Correct the FFE", True),
    ("cancel", "C1.337", "Cancel the FFE", False),
)
_LINGERING = (
    ("spot", "C1.341", "replace the FFE:C with a SR", False),
    ("correct", "C1.341, C1.4", "replace the FFE:C with a SR and Correct it", True),
    ("convert", "C1.342", "Convert the FFE:C to a FFE:1 in its hex", False),
    ("remove", "C1.343", "remove the FFE:C", False),
    ("replace", "C1.343", "remove the FFE:C and place a new AR", True),
    ("replace_fire", "C1.343, C1.731", "remove the FFE:C and place a FFE:1 in a Pre-Registered hex", True),
)
_BY_STAGE = {Stage.SPOTTING: _SPOTTING, Stage.FALLING: _FALLING, Stage.LINGERING: _LINGERING}


def forms(view: View, mission: str) -> tuple[Form, ...]:
    """The orders of this stage, each with the hexes near the target as candidates for its AR."""
    target = view.mission(mission).target
    near = dict.fromkeys(
        aim
        for place in view.frame.cells(target, OFFERED_M)
        for aim in view.scenario.parts.areas.aim_at(place)
    )
    at = (Slot("at", "hex of the AR", tuple(near)),)
    entries = _BY_STAGE.get(view.mission(mission).stage, _EMPTY)
    return tuple(Form(verb, cite, summary, at if aimed else ()) for verb, cite, summary, aimed in entries)


AIMED = frozenset(verb for entries in (_EMPTY, *_BY_STAGE.values()) for verb, _, _, aimed in entries if aimed)


# --- the judge -----------------------------------------------------------------------------------
def refuse(view: View, order: Order, mission: str, rules: Requests) -> Refusal | None:
    """Why an order of this phase may not be given; LOS to a new AR is checked when it is placed (C1.3)."""
    at = order.get("at")
    if order.verb in AIMED and not (is_place(view.frame, at) and on_map(view.frame, at)):
        return Refusal("C1.3", "an AR is placed in a hex of the map")
    facts = view.facts(mission, Registered)
    direct = _refuse_rocket(order) if ROCKET in facts.kinds else _refuse_direct(view, order, mission)
    if direct is not None:
        return direct
    stage = view.mission(mission).stage
    if order.verb in ANNOUNCING and stage is not Stage.FALLING:
        # A Fire Mission has a type: one at least must be possible (C1.7, E12.3).
        wrong = [refuse_type(view, kind, mission, order) for kind in facts.kinds]
        if all(wrong):
            return wrong[0]
    if stage is Stage.SPOTTING:
        return _refuse_spotting(view, order, mission, rules)
    if stage is Stage.FALLING:
        return _refuse_falling(view, order, mission, rules)
    if stage is Stage.LINGERING:
        return _refuse_lingering(view, order, mission, rules)
    return None


def _refuse_direct(view: View, order: Order, mission: str) -> Refusal | None:
    """Where a FFE:1 may come down without a SR, and at whose word."""
    if order.verb not in ("fire", "replace_fire"):
        return None
    if order["at"] not in view.facts(mission, Registered).places:
        return Refusal("C1.731", "only a Pre-Registered hex takes a FFE:1 without a SR")
    if not first_observer(view, mission):
        return Refusal("C1.733", "Pre-Registered hexes are those of the Observer who began the scenario")
    return None


def _refuse_rocket(order: Order) -> Refusal | None:
    if order.verb in ("place", "spot", "replace"):
        return Refusal("C1.9", "rockets have no Spotting Rounds")
    if order.verb in ("correct", "correct_convert"):
        return Refusal("C1.9", "a rocket FFE is not Corrected")
    if order.verb in ("convert", "replace_fire"):
        return Refusal("C1.9", "a rocket battery has one Fire Mission")
    return None


def type_forms(view: View, mission: str) -> tuple[Form, ...]:
    """The types of Fire Mission, the battery's own first; others are refused with their reason."""
    facts = view.facts(mission, Registered)
    others = tuple(kind for kind in TYPES if kind not in facts.kinds)
    return tuple(Form(kind, *TYPES[kind]) for kind in (*facts.kinds, *others))


TYPES = {
    "concentration": ("C1.7", "HE Concentration: seven hexes"),
    "harassing": ("C1.72", "Harassing Fire: nineteen hexes at a third"),
    "smoke": ("C1.71", "SMOKE Concentration"),
    "wp": ("C1.71", "WP Concentration"),
    "ir": ("C1.7", "illuminating rounds"),
    "barrage": ("E12.1", "Barrage: nine hexes in line"),
    "barrage_smoke": ("E12.51", "SMOKE Barrage"),
    "barrage_wp": ("E12.51", "WP Barrage"),
}


def refuse_type(view: View, kind: str, mission: str, order: Order) -> Refusal | None:
    """Why a type may not be announced with an order."""
    facts = view.facts(mission, Registered)
    if kind == "ir":
        return Refusal("C1.7", "IR is announced before the first Access draw, by the night rules (E1.93)")
    if kind not in facts.kinds:
        cite, why = next(((c, w) for k, c, w in facts.unfit if k == kind), ("C1.7", "this battery does not fire it"))
        return Refusal(cite, why)
    if kind in SMOKES and facts.weather and weather_at(facts.weather, view.moment()) in NO_SMOKE:
        return Refusal("C1.71", "no SMOKE in rain or heavy wind")
    if kind in BARRAGES:
        if order.verb not in ("fire", "replace_fire"):
            return Refusal("E12.3", "a Barrage is placed directly, never Converted from a SR or FFE:C")
        if order["at"] not in facts.barrage:
            return Refusal("E12.3", "this hex has no recorded Barrage")
    return None


def standard_type(view: View, mission: str, order: Order) -> Order:
    """The first type that may be announced."""
    kinds = view.facts(mission, Registered).kinds
    return Order.of(next(kind for kind in kinds if refuse_type(view, kind, mission, order) is None))


def _refuse_barrage(view: View, at: Place, mission: str) -> Refusal | None:
    """E12.4: only onto or next to a Barrage-capable hex, and not around a Pre-Registered one it lies by."""
    frame, impact, facts = view.frame, view.mission(mission).impact, view.facts(mission, Registered)
    if all(hexes_between(frame, p, at) > 1 for p in facts.barrage):
        return Refusal("E12.4", "a Barrage is Corrected onto or next to a Barrage-capable hex")
    # That holds by any Pre-Registered hex, with a Barrage record or without.
    if any(hexes_between(frame, p, at) == 1 and hexes_between(frame, p, impact) <= 1 for p in facts.places):
        return Refusal("E12.4", "by a Pre-Registered hex a Barrage does not go to another hex next to it")
    return None


def _refuse_spotting(view: View, order: Order, mission: str, rules: Requests) -> Refusal | None:
    have = seen(view, mission)
    match order.verb:
        case "leave" if not have.burst:
            return Refusal("C1.331, C1.335", "the Blast Height of the SR is not in LOS; Correct or Cancel it")
        case "correct" if not have.burst and seen_past_smoke(view, mission).known_enemy:
            return Refusal("C1.331, C1.336", "the Blast Height of the SR is not in LOS, a Known enemy by it is")
        case "correct_convert" if not have.burst:
            return Refusal("C1.332", "the Blast Height of the SR is not in LOS")
        case "convert" if not have.may_fire_there:
            return Refusal("C1.333", "neither the SR's Base Level nor its burst with a Known enemy by it is in LOS")
        case "correct" | "correct_convert":
            return _refuse_correction(view, order["at"], mission, rules.number("sr_correction"))
        case _:
            return None


def known_places(view: View, mission: str) -> tuple[Place, ...]:
    """Where Known enemies are now."""
    judge = getattr(view.scenario.parts.observers, "known_places", None)
    if judge is not None:
        found: tuple[Place, ...] = judge(view.seen_by("observers"), mission)
        return found
    places = dict.fromkeys(view.place_of(unit) for unit in view.units if view.unit_side(unit) != view.side(mission))
    return tuple(p for p in places if location_seen(view, mission, p) and view.sees(mission, p).known_enemy)


def _was_known(view: View, mission: str) -> bool:
    """Whether a Known enemy was in or next to the FFE's hex earlier in this Fire Mission, at a place in LOS."""
    impact = view.mission(mission).impact
    met = view.own(mission, Announced).met
    return any(hexes_between(view.frame, impact, p) <= 1 and location_seen(view, mission, p, smoke=False) for p in met)


def _refuse_falling(view: View, order: Order, mission: str, rules: Requests) -> Refusal | None:
    have = seen(view, mission)
    stays = have.may_fire_there or (have.burst and _was_known(view, mission))
    strict = rules.options["ffe_unseen_enemy_seen"] == "may only cancel"
    match order.verb:
        case "leave" if not stays:
            return Refusal("C1.334", "neither the FFE's Base Level nor its burst with a Known enemy by it is in LOS")
        case "correct" if strict and not have.burst and have.known_enemy:
            return Refusal("C1.331, C1.335", "the Blast Height of the FFE is not in LOS, a Known enemy by it is")
        case "correct":
            facts = view.facts(mission, Registered)
            if facts.barrage and view.own(mission, Announced).kind in BARRAGES:
                wrong = _refuse_barrage(view, order["at"], mission)
                if wrong:
                    return wrong
            return _refuse_correction(view, order["at"], mission, rules.number("ffe_correction"))
        case _:
            return None


def _refuse_lingering(view: View, order: Order, mission: str, rules: Requests) -> Refusal | None:
    have = seen(view, mission)
    match order.verb:
        case "spot" | "correct" | "convert" if not have.burst:
            return Refusal("C1.34, C1.343", "the Blast Height of the FFE:C was not in LOS; it must be removed")
        case "convert" if not have.may_fire_there:
            return Refusal("C1.342", "neither the FFE:C's Base Level nor its burst with a Known enemy by it is in LOS")
        case "correct":
            return _refuse_correction(view, order["at"], mission, rules.number("sr_correction"))
        case _:
            return None


def _refuse_correction(view: View, at: Place, mission: str, farthest: int) -> Refusal | None:
    far = hexes_between(view.frame, view.mission(mission).impact, at)
    if far == 0:
        return Refusal("C1.4", "a Correction leads to another hex")
    if far > farthest:
        return Refusal("C1.4", f"a Correction of {far} hexes; at most {farthest} are allowed")
    return None


# --- the standard doctrine -----------------------------------------------------------------------
def standard(view: View, mission: str, rules: Requests) -> Order:
    """Aim at the target; fire where that covers it; otherwise Correct onto it, predesignated to be Converted."""
    now = view.mission(mission)
    stage = now.stage
    aim = _aim(view, mission)
    if stage not in ON_MAP:
        if aim is None:
            return Order.of("pass")
        facts = view.facts(mission, Registered)
        direct = aim in facts.places or ROCKET in facts.kinds
        fire = Order.of("fire", at=aim)
        return fire if direct and refuse(view, fire, mission, rules) is None else Order.of("place", at=aim)
    areas = view.scenario.parts.areas
    good = now.impact == aim or bool(areas.covers(view.seen_by("areas"), mission, now.target, Fraction(0)))
    wishes = {
        Stage.SPOTTING: ("convert", "correct_convert", "replace", "cancel"),
        Stage.FALLING: ("leave", "correct", "leave", "cancel"),
        Stage.LINGERING: ("convert", "replace_fire", "correct", "replace", "remove"),
    }[stage]
    for rank, verb in enumerate(wishes):
        if rank == 0 and not good:
            continue
        aimed = verb in AIMED
        if aimed and aim is None:
            continue
        order = Order.of(verb, at=aim) if aimed else Order.of(verb)
        if refuse(view, order, mission, rules) is None:
            return order
    return Order.of(wishes[-1])


def _aim(view: View, mission: str) -> Place | None:
    """The aim for the target, or the nearest one to it whose hex is in LOS."""
    target = view.mission(mission).target
    areas = view.scenario.parts.areas

    def around() -> Iterator[Place]:
        near = (aim for place in view.frame.cells(target, 2 * OFFERED_M) for aim in areas.aim_at(place))
        yield from sorted(near, key=lambda place: (view.frame.gap(target, place), place))

    for aim in chain(areas.aim_at(target), around()):
        if on_map(view.frame, aim) and location_seen(view, mission, aim):
            return aim
    return None
