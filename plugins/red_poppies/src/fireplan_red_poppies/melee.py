"""Melee: the attacks, the checks, hallowed ground, and spending the fighters (6.67).

A movement point starts a melee, which is fought before reaction fire at the movers (6.72, 6.9).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import attrs

from fireplan_core import Form, Modifier, Part, Slot, View, orders
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex
from fireplan_core.steps.effects import Effects, Step, ask, emit, push, step, update
from fireplan_red_poppies.checks import hallowed, hallowed_by, suffer
from fireplan_red_poppies.troops import (
    Company,
    MapChanges,
    TroopState,
    Units,
    armoured,
    cohesion_of,
    enemies_in,
    face_of,
)

if TYPE_CHECKING:
    from fireplan_red_poppies.resolution import RedPoppiesResolution


@attrs.frozen
class Brawl:
    """A melee: the acting side, its units that paid a point, and the hex.

    ``attacks`` are the attackers and their targets so far; the target is "" for an attacker without
    one.
    """

    side: str
    movers: Units
    at: Hex
    attacks: tuple[tuple[str, str], ...] = ()


Sums = tuple[tuple[str, int], ...]
"""The units under attack, each with the sum of its attackers' melee values."""


def modifiers(part: Part) -> Iterator[Modifier]:
    """Yield the modifiers of melee: melee values (6.675-6.677) and hallowed ground (6.679)."""
    yield Modifier(
        "clash",
        "6.675, 6.676, 6.677",
        "melee values of its attackers",
        lambda _view, _brawl, left, _doubled: left[0][1],
    )
    yield Modifier(
        "clash",
        "6.679",
        "hallowed ground",
        lambda view, _brawl, left, _doubled: hallowed(part, view, left[0][0]),
    )


@step(cite="6.671, 6.672, 6.673, 6.674")
def melee(part: "RedPoppiesResolution", chance: Chance, view: View, brawl: Brawl) -> Effects:
    """Let each fighter name its target, the acting side's first; then add up the attacks."""
    named = [unit for unit, _ in brawl.attacks]
    for unit in _fighters(view, brawl):
        if unit not in named:
            return Effects(ask(view.unit_side(unit), part.target, brawl, unit))
    sums: dict[str, int] = {}
    for unit, target in brawl.attacks:
        if target:
            sums[target] = sums.get(target, 0) + _melee_value(part, view, unit, target)
    return Effects(push(part.clash, brawl, tuple(sorted(sums.items())), ()))


def _melee_value(part: Part, view: View, unit: str, target: str) -> int:
    """Return a unit's melee value against a target (6.675, 6.677)."""
    facts, face = view.unit_facts(unit, Company), face_of(view, unit)
    if face is None:
        return 0
    value = face.melee + (face.against_afv if armoured(view, target) else 0)
    return value * part.number("storm_factor") if facts.storms and view.moment() == 0 else value


@orders(cite="6.674")
def target(part: "RedPoppiesResolution", view: View, brawl: Brawl, unit: str) -> Iterator[Form]:
    """Yield the orders for a unit in a melee: attack one enemy unit in the hex, or none (6.674)."""

    def attack(unit: str, by: str = unit) -> Step | Effects:
        return push(part.melee, attrs.evolve(brawl, attacks=(*brawl.attacks, (by, unit))))

    enemies = tuple(enemies_in(view, unit, brawl.at))
    enemy = Slot("unit", "one enemy unit in the hex", enemies)
    yield Form("attack", "6.674, 6.676", (enemy,), attack)
    yield Form("spare", "6.674", does=attack(""))


@step(cite="3.72, 3.73, 6.675")
def clash(
    part: "RedPoppiesResolution",
    chance: Chance,
    view: View,
    brawl: Brawl,
    left: Sums,
    doubled: Units,
) -> Effects:
    """Check the first unit in ``left``, then the others; after the last one, end the melee.

    ``left`` has each unit still to check with the sum of the melee values against it. All sums are
    computed before the first check, because attacks are simultaneous. ``doubled`` are the sides
    that have rolled doubles.
    """
    if not left:
        return _over(part, view, brawl, doubled)
    unit = left[0][0]
    roll = chance.dice("clash", first=d6, second=d6)
    score = cohesion_of(view, unit)
    effect = suffer(part, view, unit, roll.total + chance.drm(roll), score)
    if roll.doubles:
        doubled = (*doubled, view.unit_side(unit))
    return Effects(effect, push(part.clash, brawl, left[1:], doubled))


def _over(part: "RedPoppiesResolution", view: View, brawl: Brawl, doubled: Units) -> Effects:
    """Return the effects of a melee's end.

    The fighters are spent, the ground is hallowed if a double was rolled, and the enemy may react.
    """
    effects = [Effects(emit("melee", "6.678", at=brawl.at, side=brawl.side))]
    for unit, _ in brawl.attacks:
        effects.append(Effects(update(view.unit(unit, TroopState), spent=True, moving=False)))
    if doubled and hallowed_by(view, brawl.movers[0]) is None:
        side = brawl.side if brawl.side in doubled else doubled[0]
        marked = update(view.shared(MapChanges), hallowed=(side, brawl.at))
        effects.append(Effects(marked, emit("hallowed", "6.679", at=brawl.at, by=side)))
    return Effects(*effects, push(part.react, brawl.side, brawl.movers, ()))


def _fighters(view: View, brawl: Brawl) -> Units:
    """Return the names of the fighters: the units that paid a point, then all enemies (6.674)."""
    theirs = (unit for unit in view.units_at(brawl.at) if view.unit_side(unit) != brawl.side)
    return (*brawl.movers, *theirs)
