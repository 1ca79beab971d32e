"""Hexes of 40 metres as every part of the game counts them, on its own map or on the ground of another game.

Also the two questions that several parts ask of the same facts: is an enemy there or next to it, and is the
Blast Height of what lies on the map in sight. No rolls and no state live here.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import attrs

from fireplan_core import Place, Stage, View
from fireplan_core.space import Frame, HexFrame, VertexFrame, distance, sight_line

GROUND = "ground"
"""The side of buildings, bridges and obstacles: nobody's enemy."""
HEX_M = 40
"""Metres from the centre of a hex to the next."""
COLUMNS = 33
"""Hexrows of a board, A to GG."""


def hexes_between(frame: Frame, a: Place, b: Place) -> int:
    """The distance in hexes; on the ground of another game metres over 40, rounded up."""
    if isinstance(frame, HexFrame) and frame.spacing_m == HEX_M:
        return distance(a, b)
    # Rounded first, so that a float's last digit cannot make 3 hexes of 2.
    return math.ceil(round(frame.gap_metres(frame.gap(a, b)) / HEX_M, 6))


def between(frame: Frame, a: Place, b: Place) -> tuple[Place, ...]:
    """The hexes that a line between two centres passes, both ends included; along a hexside, both sides of it."""
    return tuple(hex_ for piece in pieces_between(frame, a, b) for hex_ in piece)


def pieces_between(frame: Frame, a: Place, b: Place) -> tuple[tuple[Place, ...], ...]:
    """The same, hex by hex; both hexes of a hexside that the line runs along are one piece."""
    if isinstance(frame, HexFrame) and frame.spacing_m == HEX_M:
        return _crossed(a, b)
    map_: Any = frame
    return tuple((hex_,) for hex_ in _between(map_, a, b))


@lru_cache(maxsize=4096)
def _crossed(a: Place, b: Place) -> tuple[tuple[Place, ...], ...]:
    return tuple(tuple(piece.hexes) for piece in sight_line(a, b))


@lru_cache(maxsize=4096)
def _between(frame: Frame, a: Place, b: Place) -> tuple[Place, ...]:
    """The same on the ground of another game, which need not have hexes."""
    (ax, ay), (bx, by) = frame.metres(a), frame.metres(b)
    steps = 8 * max(1, hexes_between(frame, a, b))
    off = 0.1  # metres to either side, so that both hexes of a hexside count
    length = math.hypot(bx - ax, by - ay) or 1.0
    sx, sy = -(by - ay) / length * off, (bx - ax) / length * off
    points = (
        (ax + (bx - ax) * i / steps + side * sx, ay + (by - ay) * i / steps + side * sy)
        for i in range(steps + 1)
        for side in (-1, 1)
    )
    return tuple(dict.fromkeys(frame.nearest(x, y) for x, y in points))


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


def enemy_near(view: View, mission: str, place: Place, hidden: frozenset[str] = frozenset()) -> bool:
    """Whether an enemy of the mission's side that is not hidden stands in a hex or next to it (C1.21)."""
    side = view.side(mission)
    observers, seen_by = view.scenario.parts.observers, view.seen_by("observers")
    present = getattr(observers, "present", lambda _view, _unit: True)
    shown = getattr(observers, "shown", lambda _view, _unit: False)
    return any(
        view.unit_side(unit) not in (side, GROUND)
        and (unit not in hidden or shown(seen_by, unit))
        and present(seen_by, unit)
        and hexes_between(view.frame, place, view.place_of(unit)) <= 1
        for unit in view.units
    )


def two_sided(view: View) -> bool:
    """Whether both sides have batteries: a moment is then a Player Turn, with a PFPh of one and a DFPh of others."""
    return len({view.side(mission) for mission in view.missions}) > 1


def in_prep_fire(view: View, mission: str) -> bool:
    """Whether a battery acts in its PFPh: those of the first battery's side do in the first Player Turn, and so on."""
    return (view.moment() % 2 == 0) is (view.side(mission) == view.scenario.firer)


def location_seen(view: View, mission: str, place: Place, *, smoke: bool = True) -> bool:
    """Whether any Location of a hex that is not Aerial is in the Observer's LOS, as an AR needs (C1.3)."""
    judge = getattr(view.scenario.parts.observers, "sees_location", None)
    if judge is None:
        return view.sees(mission, place).ground
    return bool(judge(view.seen_by("observers"), mission, place, smoke=smoke))


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


CONCENTRATION, HARASSING, ROCKET, CREEPING = "concentration", "harassing", "rocket", "creeping"
BARRAGES = frozenset({"barrage", "barrage_smoke", "barrage_wp", CREEPING})
SMOKES = frozenset({"smoke", "wp", "barrage_smoke", "barrage_wp"})
WHITE_PHOSPHORUS = frozenset({"wp", "barrage_wp"})
"""The types of Fire Missions (C1.7) and what they have in common."""
NONE = Fraction(0)
"""No fire at all, and the extent of what keeps to its hex."""
SMOKE, WP = Fraction(-1), Fraction(-2)
"""Intensities of fire that is no HE: areas say them of a hex, resolution knows them."""


NO_SMOKE = frozenset({"rain", "heavy_wind"})
"""Weather in which no SMOKE lies (C1.71)."""


def weather_at(changes: tuple[tuple[int, str], ...], moment: int) -> str:
    """The weather of a moment by what comes up when; gusts pass at once, empty where nothing has come up."""
    return next((what for when, what in sorted(changes, reverse=True) if when <= moment and what != "gusts"), "")


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
    """The Observer's LOS to what lies on the map now; that to a FFE:1 or FFE:2 disregards SMOKE (C1.334, C1.335)."""
    now = view.mission(mission)
    if now.stage is Stage.FALLING:
        return seen_past_smoke(view, mission)
    sight = view.sees(mission, now.impact)
    return Seen(sight.ground, burst_seen(view, mission), sight.known_enemy)


def seen_past_smoke(view: View, mission: str) -> Seen:
    """The same as if there were no SMOKE."""
    past = getattr(view.scenario.parts.observers, "sees_past_smoke", None)
    impact = view.mission(mission).impact
    sight = view.sees(mission, impact) if past is None else past(view.seen_by("observers"), mission, impact)
    return Seen(sight.ground, burst_seen(view, mission), sight.known_enemy)
