"""Fire of units on the map: area, anti-tank and reaction fire (6.5, 6.7), and gas (7.514).

Activation and movement are in ``resolution``, and melees are in ``melee``.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import attrs

from fireplan_core import (
    Effect,
    Effects,
    Modifier,
    Part,
    Place,
    View,
    ask,
    emit,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex, distance
from fireplan_core.steps.questions import Form, Refusal, Slot, orders
from fireplan_red_poppies.checks import (
    beside_vehicle,
    circumstance,
    claimed,
    hallowed,
    shelter,
    suffer,
)
from fireplan_red_poppies.massed import clouds_over
from fireplan_red_poppies.sight import SightRules, blocked, hidden
from fireplan_red_poppies.troops import (
    Company,
    MapChanges,
    TroopState,
    Units,
    armoured,
    enemies_in,
    face_of,
    ground_of,
    ready,
)

if TYPE_CHECKING:
    from fireplan_red_poppies.resolution import RedPoppiesResolution

MORTAR, MACHINE_GUN = "mortar", "machine_gun"
BLOCKED_BY_FRIENDS = ("infantry", "cavalry")
"""The types of unit whose fire is blocked by friends in the way (4.6, 6.51)."""

TERRAIN = (
    ("blockhouse", "8.31"),
    ("trench", "8.321"),
    ("cover", "8.02, 8.1, 8.2, 8.9"),
    ("hill", "8.43"),
    ("afv", "6.53"),
    ("concealment", "4.81, 8.03"),
)
"""Each kind of terrain that protects against fire of units, with its rules."""


@attrs.frozen
class UnitShot:
    """A shot by one unit at a hex, or at the AFV ``vehicle`` in it (6.54).

    ``reaction`` marks reaction fire at movers (6.71).
    """

    unit: str
    at: Hex
    vehicle: str = ""
    reaction: bool = False


Shots = tuple[UnitShot, ...]


@attrs.frozen
class DeclaredShot:
    """The conditions of a shot when it was declared.

    ``origin`` is the shooter's hex, and ``power`` is its firepower or its anti-tank value.
    ``formed`` and ``moving`` are the target's state. ``sustained`` marks a machine gun that fires
    at movers without being spent (6.75).
    """

    origin: Hex
    power: int
    formed: bool
    moving: bool
    sustained: bool
    anti_tank: bool = False
    reaction: bool = False


# --- legal targets --------------------------------------------------------------------------------
def refuse_shot(part: Part, view: View, unit: str, at: Hex) -> Refusal | None:
    """Return the refusal if a unit cannot fire at a hex, otherwise None (4.6, 6.51, 6.52)."""
    facts, here, side = (
        view.unit_facts(unit, Company),
        view.place_of(unit),
        view.unit_side(unit),
    )
    ground = ground_of(view, unit)
    face = face_of(view, unit)
    if not ground.in_play(at):
        return Refusal.of("2.2, 6.51", "not_in_play")
    if at == here:
        return Refusal.of("6.51", "mortar_own_hex") if facts.type == MORTAR else None
    if enemies_in(view, unit, here):
        return Refusal.of("6.51", "enemies_in_own_hex")
    reach = 0 if face is None else face.range
    if distance(here, at) > reach:
        return Refusal.of("6.52", "out_of_range", far=distance(here, at), reach=reach)
    friends: frozenset[Hex] = frozenset()
    if facts.type in BLOCKED_BY_FRIENDS:
        friends = frozenset(
            view.place_of(u)
            for u in view.units
            if view.unit_side(u) == side
            and view.place_of(u) is not None
            and not view.unit(u, TroopState).inside
        )
    if obstruction := blocked(
        ground, here, at, frozenset(clouds_over(view)), SightRules.of(part, friends)
    ):
        return Refusal.of(
            obstruction.cite,
            "in_the_way",
            what=obstruction.what,
            at=view.frame.label(obstruction.at),
        )
    return None


def refuse_kind(view: View, unit: str, at: Hex, vehicle: str) -> Refusal | None:
    """Return the refusal of an illegal anti-tank shot, None for other shots (6.54)."""
    if not vehicle:
        return None
    if _anti_tank(view, unit) is None:
        return Refusal.of("6.54", "no_anti_tank")
    if vehicle not in enemies_in(view, unit, at) or not armoured(view, vehicle):
        return Refusal.of("6.54", "afv_in_hex")
    return None


# --- fire by command, and shots back --------------------------------------------------------------
@step(cite="6.04, 6.51, 6.55, 6.74")
def fire(
    part: "RedPoppiesResolution", chance: Chance, view: View, shot: UnitShot, back: Shots
) -> Effects:
    """Let units in the target hex shoot back, one by one; then resolve all shots together.

    ``back`` are the shots already declared in return.
    """
    ready_units = _returners(part, view, shot, back)
    if ready_units:
        return Effects(ask(view.unit_side(ready_units[0]), part.shoot_back, shot, back))
    return Effects(push(part.volley, (shot, *back)))


def _returners(part: Part, view: View, shot: UnitShot, back: Shots) -> list[str]:
    here, fired = view.place_of(shot.unit), [answer.unit for answer in back]
    return [
        u
        for u in enemies_in(view, shot.unit, shot.at)
        if u not in fired and _reacts(part, view, u, here)
    ]


def _reacts(part: Part, view: View, unit: str, at: Hex) -> bool:
    """Return whether a unit can use reaction fire against a hex (6.71)."""
    if not ready(view, unit) or view.unit_facts(unit, Company).type == MORTAR:
        return False
    # Only anti-tank fire has any effect against AFVs (6.53, 6.54).
    soft = any(not armoured(view, u) for u in enemies_in(view, unit, at))
    return (soft or _anti_tank(view, unit) is not None) and refuse_shot(
        part, view, unit, at
    ) is None


@orders(cite="6.74")
def shoot_back(
    part: "RedPoppiesResolution", view: View, shot: UnitShot, back: Shots
) -> Iterator[Form]:
    """Yield the orders for the units fired at: one more of them shoots back, or no more do (6.74).

    ``back`` are the shots already declared; all shots are resolved once no more are added.
    """
    shooters, at = _returners(part, view, shot, back), view.place_of(shot.unit)

    def fire(unit: str, vehicle: str = "") -> Effect | Refusal:
        if unit not in shooters:
            return Refusal.of("6.74", "shoots_back")
        return push(part.fire, shot, (*back, UnitShot(unit, at, vehicle)))

    yield from _shots(view, shooters, at, "6.74", fire)
    yield Form("hold", "6.74", does=push(part.volley, (shot, *back)))


def _shots(
    view: View,
    shooters: list[str],
    at: Place,
    cite: str,
    fire: Callable[..., Effect | Refusal],
) -> Iterator[Form]:
    """Yield the orders for a shot: area fire, or anti-tank fire at one AFV.

    Anti-tank fire comes first if all targets are AFVs.
    """

    def at_afv(unit: str, vehicle: str) -> Effect | Refusal:
        shot = fire(unit, vehicle)
        if isinstance(shot, Refusal):
            return shot
        return refuse_kind(view, unit, at, vehicle) or shot

    unit = Slot("unit", "the unit that shoots", tuple(shooters), free=True)
    area = Form("shoot", cite, (unit,), fire)
    guns = tuple(u for u in shooters if _anti_tank(view, u) is not None)
    vehicles = _vehicles(view, guns, (at,))
    if not guns or not vehicles:
        yield area
        return
    slots = (
        attrs.evolve(unit, candidates=guns),
        Slot("vehicle", "the AFV to fire at", vehicles, free=True),
    )
    anti_tank = Form("anti_tank", "6.54", slots, at_afv)
    only_afv = shooters[0] in guns and len(vehicles) == len(enemies_in(view, shooters[0], at))
    yield from (anti_tank, area) if only_afv else (area, anti_tank)


# --- reaction to movers ---------------------------------------------------------------------------
@step(cite="6.04, 6.71, 6.72, 6.73, 6.9")
def react(
    part: "RedPoppiesResolution", chance: Chance, view: View, side: str, movers: Units, used: Units
) -> Effects:
    """Ask for a reaction of an enemy unit that may fire at the movers; do nothing if none may.

    Each unit may fire once for each point spent; the units in ``used`` have fired.
    """
    reactors = _reactors(part, view, side, movers, used)
    if not reactors:
        return Effects()
    return Effects(ask(view.unit_side(reactors[0]), part.reaction, side, movers, used))


def _reactors(part: Part, view: View, side: str, movers: Units, used: Units) -> list[str]:
    at = _where(view, movers)
    if at is None:
        return []
    enemies = (u for u in view.units if view.unit_side(u) != side and u not in used)
    return [u for u in enemies if view.place_of(u) is not None and _reacts(part, view, u, at)]


@orders(cite="6.71, 6.73")
def reaction(
    part: "RedPoppiesResolution", view: View, side: str, movers: Units, used: Units
) -> Iterator[Form]:
    """Yield the orders for reaction fire: one enemy unit fires at the movers, or none does (6.71).

    After each shot the side is asked again. ``used`` are the units that have fired; each fires once
    (6.73).
    """
    at: Place = _where(view, movers)
    reactors = _reactors(part, view, side, movers, used)

    def fire(unit: str, vehicle: str = "") -> Effect | Refusal:
        if unit in used:
            return Refusal.of("6.73", "fires_once")
        if unit not in reactors:
            return Refusal.of("6.71", "reacts")
        shot = UnitShot(unit, at, vehicle, reaction=True)
        return Effects(push(part.volley, (shot,)), push(part.react, side, movers, (*used, unit)))

    yield from _shots(view, reactors, at, "6.71", fire)
    yield Form("hold", "6.71")


# --- the shots ------------------------------------------------------------------------------------
@step(cite="6.05, 6.53, 6.54, 6.56, 6.74, 6.75")
def volley(part: "RedPoppiesResolution", chance: Chance, view: View, shots: Shots) -> Effects:
    """Spend the firing units and check their targets: one AFV, or all non-AFVs in the hex.

    Shots are simultaneous, so each uses the state of its target at the time of declaration.
    """
    fired, checks = [], []
    for shot in shots:
        facts, troops = view.unit_facts(shot.unit, Company), view.unit(shot.unit, TroopState)
        face = face_of(view, shot.unit)
        power = 0 if face is None else (face.anti_tank or 0) if shot.vehicle else face.firepower
        soft = [u for u in view.units_at(shot.at) if u != shot.unit and not armoured(view, u)]
        targets = [shot.vehicle] if shot.vehicle else soft
        moving = any(view.unit(u, TroopState).moving for u in targets)
        sustained = shot.reaction and facts.type == MACHINE_GUN and moving
        cite = (
            ("6.71, 6.75" if sustained else "6.05, 6.71") if shot.reaction else "6.05, 6.51, 6.56"
        )
        fired.append(Effects(emit("fires", cite, unit=shot.unit, at=shot.at)))
        if not sustained:
            fired.append(Effects(update(troops, spent=True)))
        for u in targets:
            target = view.unit(u, TroopState)
            origin = view.place_of(shot.unit)
            kind = (sustained, bool(shot.vehicle), shot.reaction)
            declared = DeclaredShot(origin, power, target.formed, target.moving, *kind)
            checks.append(push(part.shot, shot.unit, u, declared))
    return Effects(*fired, *checks)


@step(cite="3.72, 3.73, 6.53, 6.75")
def shot(
    part: "RedPoppiesResolution",
    chance: Chance,
    view: View,
    shooter: str,
    unit: str,
    declared: DeclaredShot,
) -> Effects:
    """Check one target of a shot.

    If the check of a mover is a double, a machine gun with sustained fire is spent (6.75). If a
    carried unit fails against reaction fire, its side loses the transport group (6.85).
    """
    troops = view.unit(unit, TroopState)
    if troops.destroyed:
        return Effects()
    roll = chance.dice("shot", first=d6, second=d6)
    score = view.unit_facts(unit, Company).score(formed=declared.formed)
    final = roll.total + chance.drm(roll)
    effect = suffer(part, view, unit, final, score)
    if troops.carried and declared.reaction and final > score:
        field, lost = view.shared(MapChanges), (view.unit_side(unit), troops.carried)
        remaining = list(field.transport)
        remaining.remove(lost)
        effect = Effects(
            effect,
            update(field, transport=tuple(remaining)),
            update(troops, carried=""),
            emit("transport_lost", "6.85", unit=unit, kind=troops.carried),
        )
    if declared.sustained and declared.moving and roll.doubles:
        spent = update(view.unit(shooter, TroopState), spent=True)
        return Effects(effect, spent, emit("silenced", "6.75", unit=shooter))
    return effect


# --- modifiers ------------------------------------------------------------------------------------
def modifiers(part: Part) -> Iterator[Modifier]:
    """Yield the modifiers of a shot: firepower, and one for each circumstance and terrain (6.53).

    A shooter in gas (7.514) and hallowed ground (6.679) are circumstances too.
    """
    for cite, summary, value in (
        ("6.53", "firepower of the unit", _firepower),
        ("6.53", "target formed", _formed_target),
        ("6.53, 6.54", "target moving", _moving_target),
        ("6.52, 6.53", "range", _range),
        ("6.53", "night", _night),
        ("7.514", "shooter in gas", _gassed_shooter),
        ("6.679", "hallowed ground", _hallowed_target),
    ):
        yield Modifier("shot", cite, summary, partial(value, part))
    for name, cite in TERRAIN:
        yield Modifier("shot", cite, f"terrain: {name}", partial(_terrain, part, name))


def _firepower(_part: Part, _view: View, _shooter: str, _unit: str, shot: DeclaredShot) -> int:
    return shot.power


def _formed_target(part: Part, _view: View, _shooter: str, _unit: str, shot: DeclaredShot) -> int:
    return shot.formed * circumstance(part, "formed")


def _moving_target(part: Part, _view: View, _shooter: str, _unit: str, shot: DeclaredShot) -> int:
    return shot.moving * circumstance(part, "moving_anti_tank" if shot.anti_tank else "moving")


def _range(part: Part, view: View, _shooter: str, unit: str, shot: DeclaredShot) -> int:
    far = distance(shot.origin, view.place_of(unit))
    if not far:
        return circumstance(part, "same_hex")
    return circumstance(part, "range") * (far // part.number("range_hexes"))


def _night(part: Part, view: View, shooter: str, unit: str, shot: DeclaredShot) -> int:
    # Only one visibility modifier applies (6.53): a shooter in gas has that for gas, not for night.
    if _gassed_shooter(part, view, shooter, unit, shot) or not ground_of(view, shooter).night:
        return 0
    return circumstance(part, "night")


def _gassed_shooter(part: Part, view: View, _shooter: str, _unit: str, shot: DeclaredShot) -> int:
    return circumstance(part, "gas") if shot.origin in view.shared(MapChanges).gas else 0


def _hallowed_target(part: Part, view: View, _shooter: str, unit: str, _shot: DeclaredShot) -> int:
    return hallowed(part, view, unit)


def _terrain(part: Part, name: str, view: View, shooter: str, unit: str, shot: DeclaredShot) -> int:
    """Return the modifier of a terrain if it is the best that the target may choose (6.53)."""
    ground, target_hex = ground_of(view, shooter), view.place_of(unit)
    claims = shelter(view, unit)
    if ground.plot(target_hex).level > ground.plot(shot.origin).level:
        claims.append("hill")
    if beside_vehicle(view, unit):
        claims.append("afv")
    clouds = frozenset(clouds_over(view))
    if hidden(ground, shot.origin, target_hex, clouds, SightRules.of(part)):
        claims.append("concealment")
    high_angle = int(view.unit_facts(shooter, Company).type == MORTAR)
    return claimed(part, name, claims, high_angle)


def _anti_tank(view: View, unit: str) -> int | None:
    """Return the anti-tank value of a unit's visible face, or None if it has none (6.54)."""
    face = face_of(view, unit)
    return None if face is None else face.anti_tank


def _vehicles(view: View, units: Units, hexes: tuple[Hex, ...]) -> Units:
    """Return the names of the AFVs that are in any of the hexes and are enemies of ``units``.

    The units belong to one side. Without units the result is empty.
    """
    enemies = (u for at in hexes for unit in units[:1] for u in enemies_in(view, unit, at))
    return tuple(u for u in enemies if armoured(view, u))


def _where(view: View, movers: Units) -> Hex | None:
    """Return the hex of the surviving movers, or None if all are destroyed."""
    return next((view.place_of(m) for m in movers if not view.unit(m, TroopState).destroyed), None)
