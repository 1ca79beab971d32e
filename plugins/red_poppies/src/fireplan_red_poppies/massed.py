"""Massed fire: preliminary bombardments (7.1) and creeping barrages (7.4) as lines of hexes.

This module contains facts only. The delays part decides when a line is struck, the areas part
decides which line, and the resolution part decides the effect.
"""

from collections.abc import Callable
from enum import Enum

import attrs

from fireplan_core import FireKind, Place, Stage, View
from fireplan_core.space import Hex
from fireplan_red_poppies.ground import COMPASS, ScenarioMap, at_row, hexes_of, row_of, toward

PULVERIZING, PARALYZING = "pulverizing", "paralyzing"


@attrs.frozen
class BarrageLine:
    """A row, column or area under massed fire: its hexes in play, and its identifying place."""

    at: Place
    hexes: tuple[Hex, ...]


@attrs.frozen(eq=False)
class Massed:
    """A bombardment or barrage, with its lines in the order in which they are struck.

    ``enemy`` is the targeted side, and ``first_turn`` is the turn in which a barrage begins.
    ``before`` is set for a bombardment before turn 1 (7.11). ``advances`` is the number of lines
    that a barrage advances before it ends, or None if it continues to the edge of play. ``scrapes``
    are the hexes where scrapes may be placed (7.13).
    """

    name: str
    side: str
    kind: str
    lines: tuple[BarrageLine, ...]
    ground: ScenarioMap
    enemy: str = ""
    first_turn: int = 0
    before: bool = True
    advances: int | None = None
    scrapes: tuple[Hex, ...] = ()

    def line_at(self, place: Place) -> BarrageLine:
        """Return the line that a place identifies or that crosses it, or else the place by itself.

        The solver may examine an attack at any place, on a line or not.
        """
        alone = BarrageLine(place, hexes_of(place))
        crossing = next((line for line in self.lines if place in line.hexes), alone)
        return next((line for line in self.lines if line.at == place), crossing)


def massed_fire(view: View, mission: str) -> Massed | None:
    """Return the facts of a massed fire, or None if the mission is a group."""
    facts = view.scenario.missions[mission].facts.get(view.word)
    return facts if isinstance(facts, Massed) else None


class Cloud(Enum):
    """Kinds of fire that conceal their whole hex while they last (4.8), by rule number."""

    BARRAGE = "7.43"
    SMOKE = "7.52"


def cloud_of(view: View, mission: str) -> Cloud | None:
    """Return the kind of concealing fire that a mission has on the map now, or None."""
    now, massed = view.mission(mission), massed_fire(view, mission)
    smoke = massed is None and now.kind is FireKind.SMOKE
    barrage = massed is not None and not massed.before
    if not (smoke or barrage) or now.stage is not Stage.FALLING:
        return None
    return Cloud.SMOKE if smoke else Cloud.BARRAGE


def clouds_over(view: View) -> dict[Hex, Cloud]:
    """Map each hex that fire conceals to the cloud of the first mission over it."""
    clouds = [(m, cloud) for m in view.missions if (cloud := cloud_of(view, m)) is not None]
    return {
        hex_: cloud for mission, cloud in reversed(clouds) for hex_ in view.footprint(mission)[0]
    }


def advance(
    ground: ScenarioMap, first: tuple[Hex, ...], direction: str, advances: int | None
) -> tuple[BarrageLine, ...]:
    """Return the first line of a barrage and the lines to which it advances, in order (7.41, 7.42).

    ``direction`` is a compass direction such as N or SW. ``advances`` is the number of advances, or
    None to go on to the edge of play. Hexes beyond the edge are left out.
    """
    at, hexes = first[len(first) // 2], first
    lines = [BarrageLine(at, first)]
    shift = _shift(direction)
    while advances is None or len(lines) <= advances:
        at, hexes = shift(at), tuple(shift(h) for h in hexes)
        inside = tuple(h for h in hexes if ground.in_play(h))
        if not inside:
            break
        lines.append(BarrageLine(at, inside))
    return tuple(lines)


def _shift(direction: str) -> Callable[[Hex], Hex]:
    if direction in COMPASS:
        return lambda hex_: toward(hex_, direction)
    east = 1 if direction == "E" else -1
    return lambda hex_: at_row(hex_[0] + east, row_of(hex_))
