"""Massed fire: preliminary bombardments and creeping barrages as the lines of hexes that they strike (7.1, 7.4).

Facts only: when a line is struck is the delays' business, which line the areas', what it does the
resolution's.
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
    """One row, column or area: the place that stands for it in events, and its hexes in play."""

    at: Place
    hexes: tuple[Hex, ...]


@attrs.frozen(eq=False)
class Massed:
    """A bombardment or barrage: its kind, the lines in the order they are struck, and where scrapes may lie.

    ``enemy`` is the targeted player, ``first_turn`` that in which a barrage begins. ``before`` is set for a bombardment
    before turn 1 (7.11). ``advances`` is how many lines a barrage goes forward before it ceases; None when it goes on
    to the edge of play.
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
        """Return the line that a place stands for."""
        return next(line for line in self.lines if line.at == place)


def massed_fire(view: View, mission: str) -> Massed | None:
    """Return the massed fire that a mission stands for; None for a group."""
    found = view.scenario.missions[mission].facts.get(view.word)
    return found if isinstance(found, Massed) else None


class Cloud(Enum):
    """Say what conceals a whole hex while it lies there, by the rule that says so (4.8)."""

    BARRAGE = "7.43"
    SMOKE = "7.52"


def cloud_of(view: View, mission: str) -> Cloud | None:
    """Return what a mission's fire conceals hexes with while it lies: a creeping barrage, smoke, or nothing."""
    now, massed = view.mission(mission), massed_fire(view, mission)
    smoke = massed is None and now.kind is FireKind.SMOKE
    barrage = massed is not None and not massed.before
    if not (smoke or barrage) or now.stage is not Stage.FALLING:
        return None
    return Cloud.SMOKE if smoke else Cloud.BARRAGE


def clouds_over(view: View) -> dict[Hex, Cloud]:
    """Return the hexes that fire fills and conceals, each with the first mission's cloud that covers it."""
    lying = [(m, cloud) for m in view.missions if (cloud := cloud_of(view, m)) is not None]
    return {
        hex_: cloud for mission, cloud in reversed(lying) for hex_ in view.footprint(mission)[0]
    }


def advance(
    ground: Ground, first: tuple[Hex, ...], direction: str, advances: int | None
) -> tuple[BarrageLine, ...]:
    """Return the first line of a barrage and those that follow.

    Parts beyond the edge of play drop out (7.41, 7.42).
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
