"""Bombardment before play (C1.8 - C1.823): six dr spare rows; units in all other rows are checked.

Terrain is checked first, then vehicles, then Personnel (including units aboard), then the weapons
that Personnel man. The effects of a failed check are in ``standing``. The steps of this module are
steps of the resolution part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

from fireplan_asl.places import HEX_M, ROWS, own_hexes
from fireplan_asl.standing import (
    alive,
    breaks,
    eliminated,
    own_fire_drm,
    pinned,
    profile_of,
    reduced,
    wrecked,
)
from fireplan_asl.units import (
    BURNING,
    DAMAGED,
    DESTROYED,
    ELIMINATED,
    VEHICLES,
    ObjectState,
    PersonnelState,
    UnitProfile,
    Units,
)
from fireplan_core import REFEREE, Form, Modifier, Place, Refusal, Slot, View, kept, orders, record
from fireplan_core.chance import Chance, Reading, Roll, d6
from fireplan_core.space import Frame
from fireplan_core.steps.effects import Effect, Effects, ask, emit, push, step, update, within

_FACES = [frozenset(dice) for dice in combinations_with_replacement(range(1, 7), 3)]
_NEAR = {faces: tuple(sorted(faces)) for faces in _FACES}
_FAR = {faces: tuple(face + 6 for face in sorted(faces) if face + 6 <= ROWS) for faces in _FACES}
"""Maps three dr, in any order, to the rows from 7 to 10 that they spare, each a dr plus 6
(C1.81)."""
_ORDER = (
    {"building", "bridge", "pillbox"},
    {"obstacle", "mines"},
    {*VEHICLES, "mount"},
    {"infantry"},
    {"gun", "weapon"},
)
"""The kinds of units in the order of their checks.

A sangar is removed with its unit and a phone line is buried, so neither is checked.
"""

if TYPE_CHECKING:
    from fireplan_asl.resolution import AslResolution

Area = tuple[int, int, int]


@record
class Prelude:
    """The Bombardment still to come: its battery, which counts as the firer, and its area.

    ``areas`` contains one board or two adjoining half-boards. Each is given as the board's number
    from the north, its first hexrow and its last hexrow. If ``areas`` is empty, as on ground
    without numbered hexes, nothing is spared.
    """

    mission: str = kept(
        "",
        "the asset whose pre-game Bombardment is still to come",
        "C1.81",
        word="bombards",
        among="asset",
    )
    areas: tuple[Area, ...] = kept(
        (), "the boards that it hits: number from the north, first and last hexrow", "C1.81"
    )


@record
class Scars:
    """The Shellholes and Flame left in a hex by a Bombardment."""

    shellhole: bool = kept(False, "whether a Bombardment left Shellholes here", "C1.823")
    flame: bool = kept(False, "whether a Bombardment left a Flame here", "C1.823")


def numbered(place: Place, area: Area) -> int | None:
    """Return the number of a hex within its hexrow on a bombarded board, None outside the area."""
    q, r = place
    board, first, last = area
    number = r + q // 2 - ROWS * board
    inside = first <= q <= last and (0 if q % 2 else 1) <= number <= ROWS
    return number if inside else None


def modifiers(resolution: AslResolution) -> tuple[Modifier, ...]:
    """Return the modifiers of Bombardment checks: 2MC, reversed TEM, Marsh, friendly fire."""

    def friendly(view: View, mission: str, _place: Place, unit: str) -> int:
        return own_fire_drm(view, mission, unit)

    def on_men(summary: str, drm: Callable[[UnitProfile], int]) -> Modifier:
        return Modifier(
            "bombardment",
            "C1.82",
            summary,
            lambda view, _m, _p, unit: drm(profile_of(view, unit)),
        )

    return (
        on_men("2MC", lambda _: resolution.number("bombardment_morale_drm")),
        on_men("TEM reversed", lambda profile: -(profile.tem + profile.air_bursts)),
        on_men("Marsh", lambda profile: resolution.number("marsh_drm") if profile.marsh else 0),
        Modifier("bombardment", "C1.54", "under friendly fire", friendly),
        Modifier("vehicle_check", "C1.54", "under friendly fire", friendly),
    )


# --- rows -----------------------------------------------------------------------------------------
def begin(resolution: AslResolution, view: View, prelude: Prelude) -> Effects:
    """Return the effects of a Bombardment: rolls for the rows spared, or checks everywhere."""
    mission = prelude.mission
    begun = (update(prelude, mission=""), emit("bombardment", "C1.8", mission=mission))
    if not prelude.areas:
        return Effects(*begun, *_checks_of_hexes(resolution, view, mission, view.scenario.unit_ids))
    return Effects(*begun, push(resolution.spared_near, mission))


@step(cite="C1.81")
def spared_near(resolution: AslResolution, chance: Chance, _view: View, mission: str) -> Effects:
    """Roll three dr, each of which spares a row from 1 to 6; then roll for the other rows."""
    roll = chance.dice("spared", first=d6, second=d6, third=d6)
    near: tuple[int, ...] = roll.faces.look_up(_NEAR)
    return Effects(push(resolution.spared_far, mission, near))


@step(cite="C1.81")
def spared_far(
    resolution: AslResolution, chance: Chance, view: View, mission: str, near: tuple[int, ...]
) -> Effects:
    """Roll three dr + 6, which spare rows from 7 to 10; then check all rows not spared.

    A 10 spares row 0 as well. ``near`` are the rows already spared.
    """
    roll = chance.dice("spared", fourth=d6, fifth=d6, sixth=d6)
    far: tuple[int, ...] = roll.faces.look_up(_FAR)
    spared = ((0,) if ROWS in far else ()) + near + far
    areas = view.shared(Prelude).areas

    def struck(place: Place) -> bool:
        # A hex shared by two boards is spared if either of its numbers is.
        numbers = {number for area in areas if (number := numbered(place, area)) is not None}
        return bool(numbers) and numbers.isdisjoint(spared)

    units = tuple(unit for unit in view.units if struck(view.place_of(unit)))
    return Effects(
        emit("spared", "C1.81", rows=spared), *_checks_of_hexes(resolution, view, mission, units)
    )


def _checks_of_hexes(
    resolution: AslResolution, view: View, mission: str, units: Units
) -> list[Effect]:
    places = dict.fromkeys(map(view.place_of, units))
    return [
        within(view.scope(place), push(resolution.bombarded, mission, place)) for place in places
    ]


# --- a hex ----------------------------------------------------------------------------------------
@step(cite="C1.82")
def bombarded(
    resolution: AslResolution, _chance: Chance, view: View, mission: str, place: Place
) -> Effects:
    """Check all units in a hex: terrain, vehicles, Personnel, then weapons."""
    checks = {
        "infantry": resolution.softened,
        "mount": resolution.scattered,
        "gun": resolution.spoiled,
        "weapon": resolution.spoiled,
    }
    checks |= dict.fromkeys(VEHICLES, resolution.battered)
    present = {unit: profile_of(view, unit).kind for unit in view.units_at(place)}
    ordered = ((unit, kind) for kinds in _ORDER for unit, kind in present.items() if kind in kinds)
    return Effects(
        *(push(checks.get(kind, resolution.shaken), mission, place, unit) for unit, kind in ordered)
    )


@step(cite="C1.82")
def softened(
    resolution: AslResolution, chance: Chance, view: View, _mission: str, place: Place, unit: str
) -> Effects:
    """Check Personnel with a 2MC, unless they were aboard a vehicle that is now destroyed.

    An Original 12, or a failed check with Original Doubles, also causes Casualty Reduction. Any
    result, even a pin, reveals a concealed unit and removes a Dummy.
    """
    profile = profile_of(view, unit)
    if not alive(view, unit) or (profile.aboard and _lost(view, profile.aboard)):
        return Effects()
    roll = chance.dice("bombardment", coloured=d6, white=d6)
    twelve = roll.total == resolution.number("casualty_dr")
    scar = _scarred(resolution, roll, place, unit)
    if profile.dummy:
        # A Dummy is eliminated by a result that would break or pin a unit, and by an Original 12.
        if roll.total + chance.drm(roll) < profile.morale and not twelve:
            return Effects()
        gone = update(view.unit(unit, PersonnelState), size=ELIMINATED)
        return Effects(gone, emit("dummy_gone", "C1.82", unit=unit), scar)
    shown = Effects()
    if profile.concealed:
        shown = Effects(
            update(view.unit(unit, PersonnelState), revealed=True),
            emit("revealed", "C1.82", unit=unit),
        )
    if twelve:
        return Effects(reduced(view, unit, broken=True, cite="C1.82"), shown, scar)
    final = roll.total + chance.drm(roll)
    if final > profile.morale:
        if roll.doubles:
            return Effects(reduced(view, unit, broken=True, cite="C1.82"), shown)
        return Effects(breaks(view, unit, "C1.82"), shown)
    return Effects(pinned(view, unit, "C1.82"), shown) if final == profile.morale else Effects()


def _scarred(resolution: AslResolution, roll: Roll, place: Place, unit: str) -> Effects:
    """Return a roll for a Shellhole or Flame if the check was an Original 12, else no effects."""
    if roll.total == resolution.number("scar_dr"):
        return Effects(push(resolution.cratered, place, unit))
    return Effects()


def _lost(view: View, vehicle: str) -> bool:
    """Return whether a vehicle is destroyed, so that its crew has already rolled for Survival.

    Riders only Bail Out of an eliminated mount, so they still take their check.
    """
    return (
        profile_of(view, vehicle).kind != "mount"
        and view.unit(vehicle, ObjectState).loss >= DESTROYED
    )


@step(cite="C1.82")
def scattered(
    _resolution: AslResolution, _chance: Chance, view: View, _mission: str, place: Place, unit: str
) -> Effects:
    """Eliminate a unit of Horses, Motorcycles or Boats, and make its riders Bail Out (C1.82).

    Each rider takes its own 2MC in a later step.
    """
    if not alive(view, unit):
        return Effects()
    off = (emit("bails_out", "C1.82", unit=rider) for rider in _aboard(view, place, unit))
    return Effects(wrecked(view, unit, DESTROYED, "C1.82"), *off)


# --- equipment ------------------------------------------------------------------------------------
@step(cite="C1.821")
def battered(
    resolution: AslResolution, chance: Chance, view: View, _mission: str, place: Place, unit: str
) -> Effects:
    """Check a vehicle with an NMC.

    The vehicle is immobilised if it fails by one, destroyed if by two, and set burning if by three
    or more. Units aboard roll for Survival if it is destroyed, and are eliminated if it burns.
    """
    if not alive(view, unit):
        return Effects()
    morale = resolution.number(f"{vehicle_class(profile_of(view, unit))}_morale")
    roll = chance.dice("vehicle_check", coloured=d6, white=d6)
    scar = _scarred(resolution, roll, place, unit)
    loss = _loss(roll.total + chance.drm(roll), morale, BURNING)
    if not loss:
        return scar
    aboard = _aboard(view, place, unit) if loss > DAMAGED else ()
    fate = (
        eliminated(view, u, "C1.821") if loss == BURNING else Effects(push(resolution.survives, u))
        for u in aboard
    )
    return Effects(wrecked(view, unit, loss, "C1.821"), *fate, scar)


@step(cite="C1.821")
def spoiled(
    resolution: AslResolution, chance: Chance, view: View, _mission: str, place: Place, unit: str
) -> Effects:
    """Check an SW or Gun with an NMC if its possessor is broken or eliminated, or it has none."""
    possessor = profile_of(view, unit).possessor
    if not alive(view, unit) or (possessor and not _failed(view, possessor)):
        return Effects()
    roll = chance.dice("weapon_check", coloured=d6, white=d6)
    loss = _loss(roll.total + 0, resolution.number("equipment_morale"), DESTROYED)
    return Effects(
        wrecked(view, unit, loss, "C1.821") if loss else Effects(),
        _scarred(resolution, roll, place, unit),
    )


# --- terrain --------------------------------------------------------------------------------------
@step(cite="C1.822")
def shaken(
    resolution: AslResolution, chance: Chance, view: View, _mission: str, place: Place, unit: str
) -> Effects:
    """Check terrain with an NMC.

    A building loses a level for each point by which it fails; other terrain is eliminated. Units on
    a level that becomes rubble, or in an eliminated pillbox, are lost too.
    """
    profile = profile_of(view, unit)
    roll = chance.dice("terrain_check", coloured=d6, white=d6)
    scar = _scarred(resolution, roll, place, unit)
    loss = _loss(roll.total + 0, profile.morale, profile.end)
    if not loss:
        return scar
    if profile.kind in ("obstacle", "mines"):
        gone = update(view.unit(unit, ObjectState), loss=profile.end)
        if profile.owner:
            # The opponent learns that something is gone, but not what or where (C1.822).
            return Effects(gone, emit("noted", "C1.822", side=profile.owner), scar)
        return Effects(gone, emit("cleared", "C1.822", unit=unit), scar)
    buried = (
        eliminated(view, u, "C1.822")
        if profile_of(view, u).kind == "infantry"
        else wrecked(view, u, DESTROYED, "C1.822")
        for u in _buried(view, place, unit, profile.end - loss)
    )
    return Effects(
        update(view.unit(unit, ObjectState), loss=loss),
        emit("rubble", "C1.822", unit=unit, levels=loss),
        *buried,
        *([ask(REFEREE, resolution.falling, place, unit)] if profile.kind == "building" else []),
        scar,
    )


def _buried(view: View, place: Place, unit: str, level: int) -> Units:
    """Return the names of the units in a rubbled pillbox, or on a building's rubbled levels.

    ``level`` is the lowest rubbled level.
    """
    if profile_of(view, unit).kind == "pillbox":
        return _aboard(view, place, unit)
    profiles = {u: profile_of(view, u) for u in view.units_at(place)}
    return tuple(
        u for u, profile in profiles.items() if not profile.ground and profile.level >= level
    )


@orders(cite="C1.822")
def falling(_resolution: AslResolution, view: View, place: Place, unit: str) -> Iterator[Form]:
    """Yield the referee's orders for Falling Rubble: none, or the adjacent hex where it lands.

    What it does in that hex (B24.12) is left to the players.
    """
    yield Form("none", "C1.822")
    why = Refusal.of("C1.822", "rubble_beside")
    at = Slot("at", "the hex where it lands", _around(view, place), why)
    falls = partial(emit, "falling_rubble", "C1.822", unit=unit)
    yield Form("falls", "C1.822", (at,), falls)


@step(cite="C1.823")
def cratered(
    resolution: AslResolution, chance: Chance, view: View, place: Place, unit: str
) -> Effects:
    """Roll for a Shellhole, a Flame or both after an Original 12, as the terrain allows.

    The roll may leave neither. A hex holds at most one of each.
    """
    profile = profile_of(view, unit)
    roll = chance.dice("scar", white=d6)
    if resolution.options["bombardment_fire"] != "one of the two":
        shellhole = profile.craters and roll.total <= resolution.number("shellhole_at_most")
        flame = profile.burns and roll.total >= resolution.number("flame_at_least")
    elif profile.craters and profile.burns:
        shellhole = roll.total <= resolution.number("later_shellhole_at_most")
        flame = not shellhole
    else:
        shellhole, flame = profile.craters, profile.burns
    # A Bombardment places at most one Shellhole and one Flame in a hex.
    scars = view.ground(place, Scars)
    shellhole, flame = shellhole and not scars.shellhole, flame and not scars.flame
    return Effects(
        *(
            (update(scars, shellhole=True), emit("shellhole", "C1.823", at=place))
            if shellhole
            else ()
        ),
        *((update(scars, flame=True), emit("flame", "C1.823", at=place)) if flame else ()),
    )


def _around(view: View, place: Place) -> tuple[Place, ...]:
    """Return the hexes of the map adjacent to a hex."""
    near = view.frame.cells(place, 1.5 * HEX_M)
    return tuple(cell for cell in near if cell != place and view.frame.on_map(cell))


def vehicle_class(profile: UnitProfile) -> str:
    """Return the class that determines a vehicle's Morale Level.

    The classes are ``unarmoured``, ``weak_afv`` (thin armour or open-topped) and ``afv``.
    """
    if profile.kind == "unarmoured":
        return "unarmoured"
    return "weak_afv" if profile.open_topped or profile.armour == "thin" else "afv"


def _aboard(view: View, place: Place, unit: str) -> Units:
    return tuple(u for u in view.units_at(place) if profile_of(view, u).aboard == unit)


def _loss(final: Reading, morale: int, most: int) -> int:
    """Return the margin by which a check failed, at most ``most``, or 0 if it passed."""
    return int(final.look_up(lambda dr: min(max(0, dr - morale), most)))


def _failed(view: View, unit: str) -> bool:
    body = view.unit(unit, PersonnelState)
    return bool(body.broken or body.size == ELIMINATED)


def board_of(place: Place) -> int:
    """Return the number of the board that contains a hex, 0 for the northernmost.

    A hex shared by two boards counts for the southern one.
    """
    q, r = place
    return int(r + q // 2 - 1 + q % 2) // ROWS


def area_of(frame: Frame, place: Place, columns: int, mission: str = "") -> Prelude:
    """Return a Bombardment of the first ``columns`` hexrows of the board that contains a hex.

    ``mission`` is the battery that fires it. ``areas`` is empty on ground without numbered hexes.
    """
    areas = ((board_of(place), 0, columns - 1),) if own_hexes(frame) else ()
    return Prelude(mission=mission, areas=areas)
