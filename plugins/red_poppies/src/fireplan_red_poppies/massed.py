"""Massed fire: preliminary bombardments (7.1) and creeping barrages (7.4) as lines of hexes.

Only facts: the delays decide when a line is struck, the areas which line, the resolution the
effect.
"""

from collections.abc import Callable
from enum import Enum

import attrs

from fireplan_core import FireKind, Place, Stage, View
from fireplan_core.space import Hex
from fireplan_red_poppies.ground import COMPASS, Ground, at_row, row_of, toward

PULVERIZING, PARALYZING = "pulverizing", "paralyzing"


@attrs.frozen
class BarrageLine:
    """One row, column or area under massed fire: its hexes in play, and the place that names it."""

    at: Place
    hexes: tuple[Hex, ...]


@attrs.frozen(eq=False)
class Massed:
    """A bombardment or barrage, its lines in the order in which they are struck.

    ``enemy`` is the targeted side, ``first_turn`` the turn in which a barrage begins. ``before`` is
    set for a bombardment before turn 1 (7.11). ``advances`` is the number of lines that a barrage
    advances before it ends, None for all to the edge of play. ``scrapes`` are the hexes where
    scrapes may be placed (7.13).
    """

    name: str
    side: str
    kind: str
    lines: tuple[BarrageLine, ...]
    ground: Ground
    enemy: str = ""
    first_turn: int = 0
    before: bool = True
    advances: int | None = None
    scrapes: tuple[Hex, ...] = ()

    def line_at(self, place: Place) -> BarrageLine:
        """Return the line that a place names."""
        return next(line for line in self.lines if line.at == place)


def massed_fire(view: View, mission: str) -> Massed | None:
    """Return the facts of a massed fire; None if the mission is a group."""
    facts = view.scenario.missions[mission].facts.get(view.word)
    return facts if isinstance(facts, Massed) else None


class Cloud(Enum):
    """Fire that makes a whole hex concealment while it lasts (4.8); the value is its rule."""

    BARRAGE = "7.43"
    SMOKE = "7.52"


def cloud_of(view: View, mission: str) -> Cloud | None:
    """Return the concealment of a mission's fire while it falls: a barrage, smoke, or None."""
    now, massed = view.mission(mission), massed_fire(view, mission)
    smoke = massed is None and now.kind is FireKind.SMOKE
    barrage = massed is not None and not massed.before
    if not (smoke or barrage) or now.stage is not Stage.FALLING:
        return None
    return Cloud.SMOKE if smoke else Cloud.BARRAGE


def clouds_over(view: View) -> dict[Hex, Cloud]:
    """Return the hexes that fire conceals, each with the cloud of the first mission over it."""
    clouds = [(m, cloud) for m in view.missions if (cloud := cloud_of(view, m)) is not None]
    return {
        hex_: cloud for mission, cloud in reversed(clouds) for hex_ in view.footprint(mission)[0]
    }


def advance(
    ground: Ground, first: tuple[Hex, ...], direction: str, advances: int | None
) -> tuple[BarrageLine, ...]:
    """Return the first line of a barrage and the lines it advances to, in order (7.41, 7.42).

    Hexes beyond the edge of play are left out.
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
