"""Moves along the roads fixed before play, and the fire that a moving unit meets (C1.51).

The steps of this module are steps of the resolution part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fireplan_asl.missions import FFE
from fireplan_asl.places import even
from fireplan_asl.standing import exists, profile_of
from fireplan_asl.units import March, PersonnelState, UnitProfile
from fireplan_core import FireKind, Place, View, parts_of
from fireplan_core.chance import Chance
from fireplan_core.steps.effects import Effect, Effects, emit, push, step, update

if TYPE_CHECKING:
    from fireplan_asl.resolution import AslResolution


def begin(resolution: AslResolution, view: View) -> Effects:
    """Return effects that push the moves due before this fire phase, the firing side's first."""
    legs = legs_due(view)
    mine = [
        push(resolution.march, unit, leg)
        for unit, leg in legs
        if view.unit_side(unit) == view.scenario.firer
    ]
    theirs = [
        push(resolution.march, unit, leg)
        for unit, leg in legs
        if view.unit_side(unit) != view.scenario.firer
    ]
    if theirs and not even(view.moment()):
        # The other side's MPh comes before this DFPh, but after its RPh, in which an FFE:C may
        # have ended (C1.22).
        side = view.other(view.scenario.firer)
        theirs = [push(parts_of(view).delays.before_manoeuvre, side), *theirs]
    return Effects(*mine, *theirs)


def legs_due(view: View) -> list[tuple[str, int]]:
    """Return the legs due before this fire phase, as pairs of a unit and the leg's index."""
    roads = {unit: road for unit in view.units if (road := view.unit_facts(unit, UnitProfile).road)}
    now = view.moment() if roads else 0
    return [
        (unit, number)
        for unit, road in roads.items()
        for number, leg in enumerate(road)
        if leg.moment == now
    ]


@step(cite="C1.51")
def march(
    resolution: AslResolution, _chance: Chance, view: View, unit: str, number: int
) -> Effects:
    """Move a unit one leg along its road, unless it is broken, eliminated or not yet on that leg.

    Every HE or WP FFE that covers the hex attacks the unit, FFE:C included. A unit that stays in
    its hex is attacked only if it becomes more vulnerable. ``number`` is the index of the leg.
    """
    before = profile_of(view, unit)
    if before.kind == "infantry" and view.unit(unit, PersonnelState).broken:
        return Effects()
    marched = view.unit(unit, March)
    if not exists(view, unit) or marched.legs != number:
        return Effects()
    leg = before.road[number]
    # A unit that stays in its hex is attacked only if its cover becomes worse, or if it is no
    # longer immune.
    safe = leg.tem + leg.air_bursts >= before.cover() and not before.immune
    stays = leg.to == view.place_of(unit) and safe
    # FFMO and FFNAM apply only in the MPh (C1.51), i.e. before a DFPh, not before a PFPh.
    exposed = 0 if even(view.moment()) else leg.exposed
    return Effects(
        update(marched, legs=number + 1),
        update(view.unit_neutral(unit), place=leg.to),
        emit("enters", "C1.51", unit=unit, at=leg.to),
        *(() if stays else _entered(resolution, view, unit, leg.to, exposed)),
    )


def _entered(
    resolution: AslResolution, view: View, unit: str, place: Place, exposed: int
) -> list[Effect]:
    """Return the attacks by every HE or WP FFE that covers a place on a unit entering it.

    ``exposed`` is the DRM of FFMO and FFNAM.
    """
    attacks: list[Effect] = []
    for mission in view.missions:
        now = view.mission(mission)
        if now.stage not in FFE or now.kind is FireKind.SMOKE:
            continue
        if strength := view.covers(mission, place):
            wp = now.kind is FireKind.WP
            entering = push(resolution.entering, mission, strength, (unit,), exposed)
            attacks.append(push(resolution.phosphorus, mission, (unit,)) if wp else entering)
    return attacks
