"""Fire for effect: the attack on each unit under it, the check, and its modifiers (3.7, 7.24).

Each unit checks separately: 2d6 plus firepower and circumstances against its cohesion.
"""

from collections.abc import Callable, Iterator
from math import ceil
from typing import TYPE_CHECKING

from fireplan_core import FireKind, Modifier, Part, Shot, View
from fireplan_core.chance import Chance, d6
from fireplan_core.steps.effects import Effects, push, step
from fireplan_red_poppies.checks import (
    beside_vehicle,
    claimed,
    formed,
    hallowed,
    moving,
    shelter,
    suffer,
)
from fireplan_red_poppies.massed import massed_fire
from fireplan_red_poppies.setup import Group
from fireplan_red_poppies.troops import Company, TroopState, cohesion_of, disperse, plot_of

if TYPE_CHECKING:
    from fireplan_red_poppies.resolution import RedPoppiesResolution

TERRAIN = {
    "blockhouse": "8.31",
    "trench": "8.321",
    "cover": "8.02, 8.1, 8.2, 8.9",
    "hill": "8.43",
    "afv": "6.53, 7.241",
}
"""Maps each kind of terrain that protects against fire for effect to its rules."""


def modifiers(part: Part) -> Iterator[Modifier]:
    """Yield the modifiers of a check under fire (6.53, 7.241).

    The modifiers are the firepower, hallowed ground (6.679), and one circumstance each for
    deployment, movement and terrain.
    """
    yield Modifier("cohesion", "6.53, 7.0, 7.241", "firepower of the group", lambda *args: args[-1])
    yield Modifier(
        "cohesion",
        "7.241",
        "target formed",
        lambda view, mission, unit, _: formed(part, view, unit, _high(view, mission)),
    )
    yield Modifier(
        "cohesion",
        "7.241",
        "target moving",
        lambda view, mission, unit, _: moving(part, view, unit, _high(view, mission)),
    )
    yield Modifier(
        "cohesion",
        "6.679",
        "hallowed ground",
        lambda view, _mission, unit, _: hallowed(part, view, unit),
    )
    for name, cite in TERRAIN.items():
        yield Modifier("cohesion", cite, f"terrain: {name}", _terrain(part, name))


def _terrain(part: Part, name: str) -> Callable[[View, str, str, int], int]:
    return lambda view, mission, unit, _: claimed(
        part, name, _claims(part, view, unit), _high(view, mission)
    )


def _claims(part: Part, view: View, unit: str) -> list[str]:
    """Return the kinds of cover that a unit may claim: shelter, and by options a hill or an AFV."""
    claims, plot = shelter(view, unit), plot_of(view, unit)
    if plot is not None and plot.level and part.options["hill_cover"]:
        claims.append("hill")
    if plot is not None and part.options["vehicle_cover"] and beside_vehicle(view, unit):
        claims.append("afv")
    return claims


def attack(
    part: "RedPoppiesResolution", view: View, mission: str, unit: str, shot: Shot
) -> Effects:
    """Return the attack on a unit in or entering a mission's fire; gas and smoke come later.

    Firepower is multiplied by the strength of the shot, and rounded up.
    """
    if massed_fire(view, mission) is not None:
        return Effects(push(part.bombard, mission, unit))
    if shot.kind is not FireKind.HE:
        return Effects()
    return Effects(
        push(
            part.check,
            mission,
            unit,
            ceil(view.facts(mission, Group).entry.firepower * shot.strength),
        )
    )


@step(cite="3.72, 3.73")
def check(
    part: "RedPoppiesResolution", chance: Chance, view: View, mission: str, unit: str, power: int
) -> Effects:
    """Check the cohesion of one unit under fire with the firepower ``power``."""
    troops, facts = view.unit(unit, TroopState), view.unit_facts(unit, Company)
    if troops.destroyed:
        return Effects()
    roll = chance.dice("cohesion", first=d6, second=d6)
    final = roll.total + chance.drm(roll)
    if facts.ground is None and final < part.number("deadly"):
        # Do not mark the unit spent: it lasts only until the turn ends, and no check reads it.
        failed = final > facts.cohesion
        return disperse(view, unit, "3.72", spend=False, always=True) if failed else Effects()
    return suffer(part, view, unit, final, cohesion_of(view, unit))


def _high(view: View, mission: str) -> int:
    return int(view.facts(mission, Group).entry.howitzers)
