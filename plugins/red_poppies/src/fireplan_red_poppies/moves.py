"""Moves of activated units: the points that a hex costs and the moves that are refused (6.6).

A unit moves by itself or as a stack. ``passage`` has the consequences of entering the hex.
"""

from typing import TYPE_CHECKING

from fireplan_core import Part, Refusal, View
from fireplan_core.space import Hex, neighbours
from fireplan_core.steps.effects import Effect, Effects, push, update
from fireplan_red_poppies.bodies import stacking_limit
from fireplan_red_poppies.ground import side_of
from fireplan_red_poppies.passage import allowance, refuse_carriage
from fireplan_red_poppies.troops import (
    Company,
    TroopState,
    Units,
    armoured,
    enemies_in,
    ground_of,
)

if TYPE_CHECKING:
    from fireplan_red_poppies.resolution import RedPoppiesResolution


def move(part: "RedPoppiesResolution", view: View, unit: str, to: Hex) -> Effect | Refusal:
    """Return the effects of moving a unit into an adjacent hex, or a refusal."""
    wrong = refuse_unpaid(part, view, unit, to) or _refuse_move(part, view, unit, to)
    return wrong or _moved(part, view, (unit,), to)


def move_stack(part: "RedPoppiesResolution", view: View, units: Units, to: Hex) -> Effect | Refusal:
    """Return the effects of moving a stack of two into an adjacent hex, or a refusal (6.61)."""
    if any(refuse_unpaid(part, view, unit, to, units) for unit in units):
        return Refusal.of("6.61, 6.64", "stack_without_points")
    first, second = (armoured(view, unit) for unit in units)
    refusals = (_refuse_move(part, view, unit, to, also=int(first == second)) for unit in units)
    return next(filter(None, refusals), None) or _moved(part, view, units, to)


def _moved(part: "RedPoppiesResolution", view: View, moving: Units, to: Hex) -> Effects:
    """Return the effects of moving units into a hex together.

    All consequences precede reaction fire (6.9).
    """
    formed = tuple(u for u in moving if view.unit(u, TroopState).formed)
    # AFVs go first, to breach wire for the others.
    abreast = sorted(moving, key=lambda u: not armoured(view, u))
    return Effects(
        *(
            update(view.unit(u, TroopState), points=points_left(part, view, u, moving))
            for u in moving
        ),
        *(push(part.enter, u, to) for u in abreast),
        push(part.arrived, moving, view.place_of(moving[0]), formed),
        push(part.react, view.unit_side(moving[0]), moving, ()),
    )


def _refuse_move(part: Part, view: View, unit: str, to: Hex, *, also: int = 0) -> Refusal | None:
    ground, here, side = ground_of(view, unit), view.place_of(unit), view.unit_side(unit)
    facts = view.unit_facts(unit, Company)
    if to not in neighbours(here) or not ground.in_play(to):
        return Refusal.of("2.2, 6.61", "adjacent_in_play")
    if side_of(here, to) in ground.shores:
        return Refusal.of("8.7", "lake_across")
    if facts.fixed:
        return Refusal.of("7.21", "trench_set_stays")
    if enemies_in(view, unit, here):
        return Refusal.of("6.63", "enemies_hold")
    if facts.armoured and ground.plot(to).quarry:
        return Refusal.of("14.0", "tanks_in_quarry")
    friends = (other for other in view.units_at(to) if view.unit_side(other) == side)
    alike = sum(armoured(view, friend) == facts.armoured for friend in friends)
    if alike + also >= stacking_limit(part, ground, to):
        return Refusal.of("3.4", "hex_full")
    return refuse_carriage(view, unit, to)


def points_left(part: Part, view: View, unit: str, moving: Units) -> int:
    """Return a unit's remaining movement points.

    ``moving`` are the units that move together. A unit picked up on the way counts as having spent
    as many points as the others (6.61).
    """
    troops = view.unit(unit, TroopState)
    if troops.moving:
        return troops.points
    under_way = (u for u in moving if view.unit(u, TroopState).moving)
    return troops.points - max(
        (allowance(part, view, u) - view.unit(u, TroopState).points for u in under_way),
        default=0,
    )


def refuse_unpaid(
    part: Part, view: View, unit: str, to: Hex | None = None, moving: Units = ()
) -> Refusal | None:
    """Return a refusal if a unit has no points left, else None.

    A unit that has moved only by road may move one more hex by road, into ``to``, but not on trucks
    (6.64). ``moving`` are the units that move together.
    """
    troops, points = view.unit(unit, TroopState), points_left(part, view, unit, moving)
    if points > 0:
        return None
    if (
        points == 0
        and to is not None
        and troops.moving
        and troops.by_road
        and troops.carried != "trucks"
    ):
        here = view.place_of(unit)
        if to in neighbours(here) and side_of(here, to) in ground_of(view, unit).roads:
            return None
    return Refusal.of("6.61, 6.64", "no_points_left")
