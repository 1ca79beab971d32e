"""Gas: placing it, the checks of units in it, and its drift (7.51).

All checks are made first. Then each double moves the whole cloud one hex, and the units that the
cloud newly reaches check in turn. To keep that loop solvable, its checks emit an event only when
a unit becomes worse off.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from fireplan_core import Form, Modifier, Part, Refusal, Slot, View, orders
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_red_poppies.checks import formed, hallowed, moving, suffer
from fireplan_red_poppies.ground import COMPASS, toward
from fireplan_red_poppies.setup import Group
from fireplan_red_poppies.troops import MapChanges, TroopState, Units, cohesion_of

if TYPE_CHECKING:
    from fireplan_red_poppies.resolution import RedPoppiesResolution

Drifts = tuple[tuple[str, tuple[Hex, ...]], ...]
"""The drifts to come, each as the side that rolled a double and the hexes with gas at the roll
(7.513)."""


def modifiers(part: Part) -> Iterator[Modifier]:
    """Yield the modifiers of a check in gas: a formed or moving target, and hallowed ground.

    See 7.511 and, for hallowed ground, 6.679.
    """
    for cite, summary, value in (
        ("7.511", "target formed", formed),
        ("7.511", "target moving", moving),
        ("6.679", "hallowed ground", hallowed),
    ):
        yield Modifier("gas", cite, summary, partial(_for_next_unit, value, part))


def _for_next_unit(
    value: Callable[[Part, View, str], int], part: Part, view: View, units: Units, _: Drifts
) -> int:
    return value(part, view, units[0])


def release_gas(part: "RedPoppiesResolution", view: View, mission: str) -> Effects:
    """Return the effects of gas shells: gas in the hexes struck, and a check by the units there."""
    hexes, field = struck_hexes(view, mission), view.shared(MapChanges)
    # Gas can accumulate from turn to turn. Reading the clock keeps the number of states finite.
    view.moment()
    struck = tuple(unit for unit in view.units if view.place_of(unit) in hexes)
    return Effects(
        update(field, gas=tuple(sorted({*field.gas, *hexes}))),
        emit("gas", "7.51", mission=mission, hexes=hexes),
        push(part.gassed, struck, ()),
    )


@step(cite="7.511, 7.512")
def gassed(
    part: "RedPoppiesResolution", chance: Chance, view: View, units: Units, drifts: Drifts
) -> Effects:
    """Roll a check for the first of ``units`` in gas, and continue with the others.

    After the last one, the gas drifts if a check was a double. ``drifts`` has the side that chooses
    the direction and the hexes in gas for each double rolled so far.
    """
    if not units:
        if drifts:
            return Effects(ask(drifts[0][0], part.drift, drifts))
        return Effects(emit("cloud", "7.512", hexes=view.shared(MapChanges).gas))
    unit, *others = units
    troops = view.unit(unit, TroopState)
    if troops.destroyed:
        return Effects(push(part.gassed, tuple(others), drifts))
    roll = chance.dice("gas", first=d6, second=d6)
    score = cohesion_of(view, unit)
    effect = suffer(
        part, view, unit, roll.total + chance.drm(roll), score, kills=part.options["gas_kills"]
    )
    if roll.doubles:
        drifts = (*drifts, (view.unit_side(unit), view.shared(MapChanges).gas))
    return Effects(effect, push(part.gassed, tuple(others), drifts))


@orders(cite="7.513")
def drift(part: "RedPoppiesResolution", view: View, drifts: Drifts) -> Iterator[Form]:
    """Yield the order that sets the direction in which gas drifts (7.513).

    The direction of the wind is offered first.
    """
    ways = sorted(COMPASS, key=lambda way: way != part.options["wind"])
    why = Refusal.of("7.513", "gas_sides", sides=tuple(COMPASS))
    to = Slot("to", "the hex side that every marker crosses", tuple(ways), why)
    yield Form("drift", "7.513", (to,), partial(_drifted, part, view, drifts))


def _drifted(part: "RedPoppiesResolution", view: View, drifts: Drifts, to: str) -> Effects:
    """Return the effects of a drift: every gas marker moves one hex (7.513).

    Units in newly reached hexes are checked, and markers that leave the map are removed.
    """
    field = view.shared(MapChanges)
    (_, before), *later = drifts
    after = tuple(sorted(h for h in (toward(g, to) for g in field.gas) if _in_play(view, h)))
    fresh = tuple(h for h in after if h not in before)
    reached = tuple(unit for unit in view.units if view.place_of(unit) in fresh)
    return Effects(update(field, gas=after), push(part.gassed, reached, tuple(later)))


def struck_hexes(view: View, mission: str) -> tuple[Hex, ...]:
    """Return the hexes in play at the vertex that a group's fire has hit (7.245)."""
    ground = view.facts(mission, Group).forces.ground
    return tuple(h for h in view.mission(mission).impact if ground is None or ground.in_play(h))


def _in_play(view: View, hex_: Hex) -> bool:
    guns = (setup.facts.get(view.word) for setup in view.scenario.missions.values())
    grounds = (facts.forces.ground for facts in guns if isinstance(facts, Group))
    return all(ground is None or ground.in_play(hex_) for ground in grounds)
