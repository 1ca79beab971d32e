"""FFE against vehicles, Guns, buildings and obstacles (C1.55, C1.5).

The DR for the hex is made in ``resolution``, which passes on the Original DR. The steps of
this module are steps of the resolution part.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs

from fireplan_asl.ift import column_for, parse
from fireplan_asl.standing import alive, eliminated, profile_of, wrecked
from fireplan_asl.units import (
    BURNING,
    DAMAGED,
    DESTROYED,
    VEHICLES,
    ObjectState,
    UnitProfile,
    Units,
)
from fireplan_core import Effects, View, emit, push, step, update
from fireplan_core.chance import Chance, Chart, d6

if TYPE_CHECKING:
    from fireplan_asl.resolution import AslResolution

Charts = Mapping[str, Any]
Fate = int
"""The loss of a vehicle or weapon: a value of ``ObjectState.loss``, or ``UNHURT`` or
``SHOCKED``."""
UNHURT, SHOCKED = 0, -1


def armour_drm(profile: UnitProfile, numbers: Mapping[str, int]) -> int:
    """Return the total DRM for thin or thick armour and for an open top."""
    drm = 0 if profile.armour == "medium" else numbers[f"{profile.armour}_armour_drm"]
    return drm + (numbers["open_top_drm"] if profile.open_topped else 0)


def casualty_dr(chart: Chart, column: str) -> int | None:
    """Return the Final DR of the K/# result in a column.

    In a modified chart without such a result, returns the highest DR that gives a KIA, or None.
    """
    kinds = {row: parse(chart.cell(row, column)).kind for row in chart.rows}
    casualties = [row for row, kind in kinds.items() if kind == "K"]
    kills = [row for row, kind in kinds.items() if kind == "KIA"]
    return casualties[0] if casualties else max(kills, default=None)


def most_vehicles(chart: Chart, column: str) -> int:
    """Return the maximum number of vehicles that an attack in a column may affect."""
    return parse(chart.cell(chart.rows[0], column)).number


def against_afv(charts: Charts, column: str, final: int, *, turret: bool) -> Fate:
    """Return the loss that a Final DR in a column inflicts on an AFV.

    ``turret`` means that the attack hits the turret instead of the hull.
    """
    chart = charts["ift"]
    casualty = casualty_dr(chart, column)
    if casualty is None:
        return UNHURT
    if final * charts["numbers"]["burning_divisor"] <= casualty:
        return BURNING
    if parse(chart.cell(final, column)).kind == "KIA":
        return DESTROYED
    if final in (casualty, casualty + 1):
        return SHOCKED if turret else DAMAGED
    return UNHURT


def against_unarmoured(charts: Charts, column: str, final: int) -> Fate:
    """Return an unarmoured vehicle's loss from a Final DR on a column's Vehicle line."""
    number = int(charts["ift_vehicle"].cells[int(column.removeprefix("fp")), "kill_number"])
    if final * charts["numbers"]["burning_divisor"] <= number:
        return BURNING
    if final < number:
        return DESTROYED
    return DAMAGED if final == number else UNHURT


@attrs.frozen
class HexAttack:
    """The attack on a hex: its firepower, its DRM and its Original DR.

    ``turret`` means that it hits turrets instead of hulls, and ``critical`` that it is a Critical
    Hit.
    """

    power: Fraction
    drm: int
    dr: int
    turret: bool = False
    critical: bool = False


def fate_of(charts: Charts, column: str, attack: HexAttack, profile: UnitProfile) -> Fate:
    """Return the loss of a vehicle or weapon; a Critical Hit on an AFV ignores TEM."""
    critical, base = attack.critical, attack.dr + attack.drm
    final = base + profile.cover(critical=critical)
    if profile.kind == "unarmoured":
        return against_unarmoured(charts, column, final)
    if profile.kind == "afv":
        if profile.open_topped and profile.air_bursts < 0 and not critical:
            # Air Bursts over an open top use the Vehicle line, without their own DRM (D5.311).
            return against_unarmoured(charts, column, final - profile.air_bursts)
        final = (base if critical else final) + armour_drm(profile, charts["numbers"])
        return against_afv(charts, column, final, turret=attack.turret)
    kind = parse(charts["ift"].cell(final, column)).kind
    return DESTROYED if critical or kind == "KIA" else DAMAGED if kind == "K" else UNHURT


def felt(profile: UnitProfile, power: Fraction, marsh_divisor: int) -> Fraction:
    """Return the firepower of HE in a unit's Location: divided if it is Marsh, else unchanged."""
    return power / marsh_divisor if profile.marsh else power


def column_against(charts: Charts, profile: UnitProfile, power: Fraction) -> str | None:
    """Return the IFT column for HE of this firepower in a unit's Location.

    A Marsh Location reduces the firepower. Return None if it is below the lowest column.
    """
    return column_for(charts["ift"], felt(profile, power, charts["numbers"]["marsh_divisor"]))


# --- the steps ------------------------------------------------------------------------------------
@step(cite="C1.55")
def vehicles_struck(
    resolution: AslResolution, chance: Chance, view: View, attack: HexAttack, units: Units
) -> Effects:
    """Attack the vehicles and Guns of a hex, up to the column's limit on vehicles."""
    column = column_against(resolution.charts, profile_of(view, units[0]), attack.power)
    if column is None:
        return Effects()
    vehicles = tuple(unit for unit in units if profile_of(view, unit).kind in VEHICLES)
    most = most_vehicles(resolution.charts["ift"], column)
    if len(vehicles) > most:
        chosen = chance.highest("vehicles", of=vehicles, count=most).exact()
        units = tuple(unit for unit in units if unit in chosen[:most] or unit not in vehicles)
    return Effects(*(push(resolution.vehicle_struck, attack, unit) for unit in units))


@step(cite="C1.55")
def vehicle_struck(
    resolution: AslResolution, _chance: Chance, view: View, attack: HexAttack, unit: str
) -> Effects:
    """Attack one vehicle or Gun, then the units aboard."""
    return struck(resolution, view, attack, unit)


def struck(resolution: AslResolution, view: View, attack: HexAttack, unit: str) -> Effects:
    """Return the effects of an attack on one vehicle or Gun, and on the units aboard."""
    if not alive(view, unit):
        return Effects()
    profile = profile_of(view, unit)
    column = (
        column_against(resolution.charts, profile, attack.power)
        or resolution.charts["ift"].columns[0]
    )
    loss = fate_of(resolution.charts, column, attack, profile)
    cite = "C1.55" if profile.kind in VEHICLES else "C1.5"
    if loss == SHOCKED:
        return Effects(emit("shocked", "C1.55", unit=unit))
    before = view.unit(unit, ObjectState).loss
    if loss <= before:
        return Effects(emit("withstands", cite, unit=unit, hurt=bool(before)))
    crew = (
        eliminated(view, u, "C1.55") if loss == BURNING else Effects(push(resolution.survives, u))
        for u in (aboard(view, unit) if loss != DAMAGED else ())
    )
    return Effects(wrecked(view, unit, loss, cite), *crew)


def aboard(view: View, unit: str) -> Units:
    """Return the names of the units aboard a vehicle."""
    return tuple(u for u in view.units if profile_of(view, u).aboard == unit)


def at_once(
    resolution: AslResolution, view: View, attack: HexAttack, units: Units, men: Units
) -> Effects:
    """Return the effects on the vehicles and Guns of a hex, in the step of the DR if possible.

    A separate step follows the Personnel if Random Selection must first choose the vehicles, or if
    some of the ``men`` attacked by the same DR are aboard one of the vehicles.
    """
    if not units:
        return Effects()
    column = column_against(resolution.charts, profile_of(view, units[0]), attack.power)
    if column is None:
        return Effects()
    vehicles = [unit for unit in units if profile_of(view, unit).kind in VEHICLES]
    crowded = len(vehicles) > most_vehicles(resolution.charts["ift"], column)
    if crowded or any(profile_of(view, unit).aboard in units for unit in men):
        return Effects(push(resolution.vehicles_struck, attack, units))
    return Effects(*(struck(resolution, view, attack, unit) for unit in units))


@step(cite="C1.821")
def survives(_resolution: AslResolution, chance: Chance, view: View, unit: str) -> Effects:
    """Make the Survival roll of a unit aboard a destroyed vehicle."""
    roll = chance.dice("survival", coloured=d6, white=d6)
    if roll.total <= profile_of(view, unit).survival:
        return Effects(emit("survives", "C1.821", unit=unit))
    return eliminated(view, unit, "C1.821")


@step(cite="C1.5")
def terrain(
    resolution: AslResolution, chance: Chance, view: View, unit: str, killed: int, calibre: int
) -> Effects:
    """Apply an Original KIA to a building, obstacle or other terrain of the hex.

    ``killed`` is the KIA number; 0 means an Original K, which affects mines only. ``calibre`` is
    the calibre of the shells in mm; only heavy shells can turn a building to rubble.
    """
    profile, works = profile_of(view, unit), view.unit(unit, ObjectState)
    loss = works.loss
    if profile.kind == "mines":
        gone = loss + 1 >= profile.end or bool(killed)
        kind = "cleared" if gone else "weakened"
        return Effects(
            update(works, loss=profile.end if gone else loss + 1), emit(kind, "C1.5", unit=unit)
        )
    if not killed:
        return Effects()
    if profile.kind not in ("building", "bridge"):
        return _swept(resolution, view, unit, calibre)
    if calibre < resolution.number("rubble_mm") or loss >= profile.end:
        return Effects()
    roll = chance.dice("rubble", white=d6)
    if roll.total + (resolution.number("stone_rubble_drm") if profile.stone else 0) <= killed:
        return Effects(
            update(works, loss=loss + 1), emit("rubble", "C1.5", unit=unit, levels=loss + 1)
        )
    return Effects()


def _swept(resolution: AslResolution, view: View, unit: str, calibre: int) -> Effects:
    """Return the effects of an Original KIA on a phone line, bare ground or an obstacle."""
    profile = profile_of(view, unit)
    ends = update(view.unit(unit, ObjectState), loss=profile.end)
    match profile.kind:
        case "line":
            return Effects(ends, emit("line_cut", "C1.23", unit=unit))
        case "bare" if calibre >= resolution.number("shellhole_mm"):
            return Effects(ends, emit("shellhole", "C1.5", at=view.place_of(unit)))
        case "obstacle":
            return Effects(ends, emit("cleared", "C1.5", unit=unit))
        case _:
            return Effects()
