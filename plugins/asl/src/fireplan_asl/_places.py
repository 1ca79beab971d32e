"""Hexes of 40 metres as every part of the game counts them, on its own map or on the ground of another game.

Also the two questions that several parts ask of the same facts: is an enemy there or next to it, and is the
Blast Height of what lies on the map in sight. No rolls and no state live here.
"""

from __future__ import annotations

import math
from typing import Any

import attrs

from fireplan.mission import Place, Stage, View
from fireplan.space import Frame, HexFrame, VertexFrame, distance

HEX_M = 40
"""Metres from the centre of a hex to the next."""


def hexes_between(frame: Frame, a: Place, b: Place) -> int:
    """The distance in hexes; on the ground of another game metres over 40, rounded up."""
    if isinstance(frame, HexFrame) and frame.spacing_m == HEX_M:
        return distance(a, b)
    # Rounded first, so that a float's last digit cannot make 3 hexes of 2.
    return math.ceil(round(frame.gap_metres(frame.gap(a, b)) / HEX_M, 6))


def on_map(frame: Frame, place: Place) -> bool:
    """Whether a place is part of the map; a frame without a map has no edge."""
    if isinstance(frame, HexFrame):
        return frame.layout.on_map(place)
    if isinstance(frame, VertexFrame):
        return any(frame.layout.on_map(h) for h in ((place,) if len(place) == 2 else place))
    return True


def is_place(frame: Frame, value: Any) -> bool:
    """Whether a value names a place of this frame at all."""
    try:
        return bool(frame.parse(frame.label(value)) == value)
    except (TypeError, ValueError, AttributeError):
        return False


def enemy_near(view: View, mission: str, place: Place) -> bool:
    """Whether an enemy of the mission's side stands in a hex or next to it (C1.21)."""
    side = view.side(mission)
    return any(
        view.unit_side(unit) != side and hexes_between(view.frame, place, view.place_of(unit)) <= 1
        for unit in view.units
    )


def burst_seen(view: View, mission: str) -> bool:
    """Whether the Blast Height of the SR or FFE on the map is in the Observer's LOS (C1.32).

    A SR has it in its own hex, a FFE in every hex of its Blast Area.
    """
    now = view.mission(mission)
    if now.stage is Stage.SPOTTING:
        return view.sees(mission, now.impact).burst
    if now.stage not in (Stage.FALLING, Stage.LINGERING):
        return False
    cells, _ = view.scenario.parts.areas.footprint(view.seen_by("areas"), mission)
    return any(view.sees(mission, cell).burst for cell in cells)


@attrs.frozen
class Seen:
    """What the Observer sees of the SR or FFE on the map: Base Level, Blast Height, a Known enemy by it."""

    ground: bool
    burst: bool
    known_enemy: bool

    @property
    def may_fire_there(self) -> bool:
        """Whether fire for effect may be put or left in that hex (C1.333, C1.334, C1.342)."""
        return self.ground or (self.burst and self.known_enemy)


def seen(view: View, mission: str) -> Seen:
    """The Observer's LOS to what lies on the map now."""
    sight = view.sees(mission, view.mission(mission).impact)
    return Seen(sight.ground, burst_seen(view, mission), sight.known_enemy)
