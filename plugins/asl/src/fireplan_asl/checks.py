"""Results of the IFT on Personnel (C1.5): KIA, Casualty Reduction, Morale and Pin Task Checks.

The steps of this module are steps of the resolution part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fireplan_asl.ift import IFTResult
from fireplan_asl.standing import breaks, eliminated, pinned, reduced
from fireplan_asl.units import ELIMINATED, HALF_SQUAD, PersonnelState, UnitProfile, Units
from fireplan_core import View
from fireplan_core.chance import Chance, d6
from fireplan_core.steps.effects import Effects, push, step

if TYPE_CHECKING:
    from fireplan_asl.resolution import AslResolution


def apply_result(
    resolution: AslResolution, view: View, mission: str, result: IFTResult, units: Units
) -> Effects:
    """Return the effects of an IFT result on the units that it applies to.

    A KIA that eliminates all of them and a K on a single unit need no Random Selection.
    """
    match result.kind:
        case "KIA" if result.number >= len(units):
            return Effects(*(eliminated(view, unit) for unit in units))
        case "KIA":
            return Effects(push(resolution.killed, mission, result.number, units))
        case "K" if len(units) == 1:
            return _reduced_alone(resolution, view, mission, result.number, units[0])
        case "K":
            return Effects(push(resolution.casualties, mission, result.number, units))
        case "PTC":
            steady = [unit for unit in units if not view.unit(unit, PersonnelState).broken]
            return Effects(*(push(resolution.task, mission, unit) for unit in steady))
        case "MC":
            return Effects(
                *(push(resolution.morale, mission, unit, result.number) for unit in units)
            )
        case _:
            return Effects()


def _reduced_alone(
    resolution: AslResolution, view: View, mission: str, number: int, unit: str
) -> Effects:
    """Return the effects of a K on the only unit: Casualty Reduction, then its Morale Check."""
    if view.unit(unit, PersonnelState).size == HALF_SQUAD:
        return eliminated(view, unit)
    return Effects(reduced(view, unit), push(resolution.morale, mission, unit, number))


@step(cite="C1.5")
def killed(
    _resolution: AslResolution, chance: Chance, view: View, _mission: str, number: int, units: Units
) -> Effects:
    """Eliminate ``number`` units chosen by Random Selection (more if tied); the others break."""
    chosen = chance.highest("killed", of=units, count=number).exact()
    return Effects(*(eliminated(view, u) if u in chosen else breaks(view, u) for u in units))


@step(cite="C1.5")
def casualties(
    resolution: AslResolution, chance: Chance, view: View, mission: str, number: int, units: Units
) -> Effects:
    """Reduce a unit chosen by Random Selection (all that tie); then all take the Morale Check."""
    chosen = chance.highest("casualties", of=units).exact()
    return Effects(
        *(reduced(view, unit) for unit in chosen),
        *(push(resolution.morale, mission, unit, number) for unit in units),
    )


@step(cite="C1.5")
def morale(
    resolution: AslResolution, chance: Chance, view: View, _mission: str, unit: str, _number: int
) -> Effects:
    """Make a unit take a Morale Check, with ``_number`` as its DRM.

    A unit that fails breaks; one that passes with the highest possible DR is pinned. An Original 12
    causes Casualty Reduction as well, and eliminates a broken unit.
    """
    body = view.unit(unit, PersonnelState)
    if body.size == ELIMINATED:
        return Effects()
    broken = body.broken
    roll = chance.dice("morale", coloured=d6, white=d6)
    level = morale_of(view, unit)
    if roll.total == resolution.number("casualty_dr"):
        return eliminated(view, unit) if broken else reduced(view, unit, broken=True)
    final = roll.total + chance.drm(roll)
    if final > level:
        return breaks(view, unit)
    if not broken and final == level:
        return pinned(view, unit)
    return Effects()


@step(cite="C1.5")
def task(
    _resolution: AslResolution, chance: Chance, view: View, _mission: str, unit: str
) -> Effects:
    """Make a Pin Task Check: a unit that fails is pinned; a broken unit does not check."""
    if view.unit(unit, PersonnelState).broken:
        return Effects()
    roll = chance.dice("task", coloured=d6, white=d6)
    if roll.total + chance.drm(roll) > view.unit_facts(unit, UnitProfile).morale:
        return pinned(view, unit)
    return Effects()


def morale_of(view: View, unit: str) -> int:
    """Return the Morale Level on the visible side of a Personnel counter."""
    profile = view.unit_facts(unit, UnitProfile)
    broken = profile.broken_morale
    return (
        profile.morale if broken is None or not view.unit(unit, PersonnelState).broken else broken
    )
