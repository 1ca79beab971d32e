"""Modifiers and results that are common to all checks of units (3.7, 6.53, 6.679)."""

from collections.abc import Iterable

from fireplan_core import Effects, Part, View
from fireplan_core.chance import Reading
from fireplan_core.space import Hex, distance
from fireplan_red_poppies.troops import (
    Company,
    MapChanges,
    Soil,
    TroopState,
    armoured,
    destroy,
    disperse,
    plot_of,
)


def circumstance(part: Part, name: str, high_angle: int = 0) -> int:
    """Return the modifier of a circumstance, e.g. ``formed``.

    ``high_angle`` is 1 for howitzers and mortars, otherwise 0.
    """
    return int(part.charts["modifiers"].cell(high_angle, name))


def formed(part: Part, view: View, unit: str, high_angle: int = 0) -> int:
    """Return the modifier of a formed target, or 0 if the unit is dispersed.

    ``high_angle`` is 1 for fire of howitzers and mortars, otherwise 0.
    """
    return circumstance(part, "formed", high_angle) if view.unit(unit, TroopState).formed else 0


def moving(part: Part, view: View, unit: str, high_angle: int = 0) -> int:
    """Return the modifier of a moving target, or 0 if the unit is not moving.

    ``high_angle`` is 1 for fire of howitzers and mortars, otherwise 0.
    """
    return circumstance(part, "moving", high_angle) if view.unit(unit, TroopState).moving else 0


def hallowed(part: Part, view: View, unit: str) -> int:
    """Return the modifier of a unit in or next to ground hallowed for its side (6.679)."""
    ground = hallowed_by(view, unit)
    if ground is None:
        return 0
    side, at = ground
    near = side == view.unit_side(unit) and distance(at, view.place_of(unit)) <= 1
    return part.number("hallowed_drm") if near else 0


def hallowed_by(view: View, unit: str) -> tuple[str, Hex] | None:
    """Return the hallowed ground on a unit's map as (side, hex), or None (6.679).

    ``side`` is the side for which the hex is hallowed.
    """
    ground = view.unit_facts(unit, Company).ground
    if ground is None or ground.hallowed is not None:
        return None if ground is None else ground.hallowed
    return view.shared(MapChanges).hallowed if view.scenario.mobile else None


def claimed(part: Part, name: str, claims: Iterable[str], high_angle: int = 0) -> int:
    """Return the modifier of terrain ``name`` if it is the best of the claims, otherwise 0.

    ``claims`` are the names of all terrain that the unit may claim; ``high_angle`` is 1 for fire of
    howitzers and mortars, otherwise 0.
    """
    value, best = min(
        ((circumstance(part, claim, high_angle), claim) for claim in claims), default=(0, "")
    )
    return value if best == name else 0


def shelter(view: View, unit: str) -> list[str]:
    """Return the kinds of terrain that a unit may claim against any fire.

    The kinds are ``cover`` and the works that the unit is IN, such as ``trench``.
    """
    inside, plot = view.unit(unit, TroopState).inside, plot_of(view, unit)
    if plot is None:
        covered = view.unit_facts(unit, Company).cover
    else:
        covered = plot.covers or view.ground(view.place_of(unit), Soil).scrape
    return [*([inside] if inside else []), *(["cover"] if covered else [])]


def beside_vehicle(view: View, unit: str) -> bool:
    """Return whether a unit other than an AFV is sheltered by a friendly AFV in its hex."""
    if armoured(view, unit):
        return False
    return any(
        armoured(view, other)
        and view.unit_side(other) == view.unit_side(unit)
        and not view.unit(other, TroopState).destroyed
        for other in view.units_at(view.place_of(unit))
    )


def suffer(
    part: Part, view: View, unit: str, final: Reading, score: int, *, kills: bool = True
) -> Effects:
    """Return the effects on a unit of a check's final total (3.7).

    A deadly total destroys the unit; one above its cohesion ``score`` disperses and spends it.
    ``kills`` is true if this check can destroy the unit.
    """
    if kills and final >= part.number("deadly"):
        return destroy(view, unit, "3.73")
    if final > score:
        return disperse(view, unit, "3.72", spend=True)
    return Effects()
