"""Hexes of 40 metres as every part of the game counts them, on its own map or on the ground of another game.

Also what several parts ask of the same facts: which hexes an Observer sees, and whose fire phase it is. No rolls and
no state live here.
"""

import math
import re
from functools import cache, lru_cache
from typing import Any

import attrs

from fireplan_core import FireKind, Place, Sight, Stage, View, parts_of
from fireplan_core.space import Frame, Hex, HexFrame, Layout, distance, lettered_columns, sight_line

GROUND = "ground"
"""The side of buildings, bridges and obstacles: nobody's enemy."""
HEX_M = 40
"""Metres from the centre of a hex to the next."""
COLUMNS, ROWS = 33, 10
"""Hexrows of a board, A to GG, and hex numbers of a hexrow: 1 to 10, in every other one 0 to 10."""
WHOLE = 999
"""Beyond every number of a map: whole hexrows."""
_SAMPLES = 8
"""Points of a line a hex, on ground without hexes."""

ON_MAP = (Stage.SPOTTING, Stage.FALLING, Stage.LINGERING)
FFE = (Stage.FALLING, Stage.LINGERING)
"""The stages with a SR or FFE on the map; those with a FFE, FFE:C too."""

CONCENTRATION, HARASSING, ROCKET, CREEPING = "concentration", "harassing", "rocket", "creeping"
BARRAGES = frozenset({"barrage", "barrage_smoke", "barrage_wp", CREEPING})
SHELLS = {
    "smoke": FireKind.SMOKE, "wp": FireKind.WP, "barrage_smoke": FireKind.SMOKE, "barrage_wp": FireKind.WP,
}  # fmt: skip
"""The types of Fire Missions (C1.7): those that cover a line, and what those fire that do not fire HE."""
SMOKES = frozenset(SHELLS)


Block = tuple[int, int, int, int]
"""First and last hexrow, first and last number of a block of hexes."""


@cache
def board_layout(boards: int, columns: int = COLUMNS, blocks: tuple[Block, ...] = ()) -> Layout:
    """Return the hexes of boards laid north to south, in play in their first ``columns`` hexrows, or blocks of these.

    Whatever else is printed on them keeps its name.
    """
    last = ROWS * boards
    printed = Layout(lettered_columns(COLUMNS, doubled=True), (1, last), (0, last))
    whole = ((0, columns - 1, 0, last),)

    def within(hex_: Hex, areas: tuple[Block, ...]) -> bool:
        q, number = hex_[0], hex_[1] + hex_[0] // 2
        return any(west <= q <= east and low <= number <= high for west, east, low, high in areas)

    out = frozenset(h for h in printed.hexes() if not (within(h, whole) and within(h, blocks or whole)))
    return attrs.evolve(printed, out=out)


def block_of(text: str) -> Block:
    """Return a block of hexes, of any number of boards: ``A-P`` (whole hexrows), ``A1-P5``, or one hex.

    Raises ValueError for any other text, and for a block that ends before it begins.
    """
    found = re.fullmatch(r"([A-Z]+)(\d{0,3})(?:-([A-Z]+)(\d{0,3}))?", text.strip().upper())
    names = lettered_columns(COLUMNS, doubled=True)
    west, low, east, high = found.groups() if found else ("", "", "", "")
    east, high = (west, low) if found and east is None else (east, high)
    if not {west, east} <= {*names} or (low == "") is not (high == ""):
        raise ValueError("a block is hexrows such as A-P, or its first and last hex such as A1-P5")
    area = names.index(west), names.index(east), int(low or 0), int(high or WHOLE)
    if area[0] > area[1] or area[2] > area[3]:
        raise ValueError("a block begins at its lower hexrow and number")
    return area


def own_hexes(frame: Frame) -> bool:
    """Return whether a frame has the hexes of this game."""
    return isinstance(frame, HexFrame) and frame.spacing_m == HEX_M


def hexes_between(frame: Frame, a: Place, b: Place) -> int:
    """Return the distance in hexes; on the ground of another game metres over 40, rounded up."""
    if own_hexes(frame):
        return distance(a, b)
    # Rounded first, so that a float's last digit cannot make 3 hexes of 2.
    return math.ceil(round(frame.gap_metres(frame.gap(a, b)) / HEX_M, 6))


def pieces_between(frame: Frame, a: Place, b: Place) -> tuple[tuple[Place, ...], ...]:
    """Return the hexes that a line between two centres passes, both ends too; those of a hexside are one piece."""
    if own_hexes(frame):
        return _crossed(a, b)
    ground: Any = frame
    return tuple((cell,) for cell in _sampled(ground, a, b))


@lru_cache(maxsize=4096)
def _crossed(a: Place, b: Place) -> tuple[tuple[Place, ...], ...]:
    return tuple(tuple(piece.hexes) for piece in sight_line(a, b))


@lru_cache(maxsize=4096)
def _sampled(frame: Frame, a: Place, b: Place) -> tuple[Place, ...]:
    """Return the places of a line on the ground of another game, which need not have hexes."""
    (ax, ay), (bx, by) = frame.metres(a), frame.metres(b)
    steps = _SAMPLES * max(1, hexes_between(frame, a, b))
    off = 0.1  # metres to either side, so that both hexes of a hexside count
    length = math.hypot(bx - ax, by - ay) or 1.0
    sx, sy = -(by - ay) / length * off, (bx - ax) / length * off
    points = (
        (ax + (bx - ax) * i / steps + side * sx, ay + (by - ay) * i / steps + side * sy)
        for i in range(steps + 1)
        for side in (-1, 1)
    )
    return tuple(dict.fromkeys(frame.nearest(x, y) for x, y in points))


@lru_cache(maxsize=4096)
def on_map(frame: Frame, value: Any) -> bool:
    """Return whether a value names a place of this frame at all, and one on the map."""
    try:
        return bool(frame.parse(frame.label(value)) == value) and frame.on_map(value)
    except (TypeError, ValueError, AttributeError):
        return False


# --- whose fire phase it is ------------------------------------------------------------------------
def two_sided(view: View) -> bool:
    """Return whether both sides have batteries: a moment is then a Player Turn, a PFPh of one and a DFPh of others."""
    return len({view.side(mission) for mission in view.missions}) > 1


def even(number: int) -> bool:
    """Return whether a number is even: fire phases, Player Turns and hexrows alternate."""
    return number % 2 == 0


def in_prep_fire(view: View, mission: str) -> bool:
    """Return whether a battery is in its PFPh: those of the first battery's side are in the first Player Turn, ..."""
    return even(view.moment()) is (view.side(mission) == view.scenario.firer)


# --- what an Observer sees -------------------------------------------------------------------------
def location_seen(sight: Sight) -> bool:
    """Return whether any Location of a hex that is not Aerial is in the Observer's LOS, as an AR needs (C1.3)."""
    return sight.ground or sight.upper


def burst_seen(view: View, mission: str, *, smoke: bool = True) -> bool:
    """Return whether the Blast Height of the SR or FFE on the map is in the Observer's LOS (C1.32).

    A SR has it in its own hex, a FFE in every hex of its Blast Area. SMOKE may be disregarded.
    """
    now = view.mission(mission)

    def burst(place: Place) -> bool:
        return (view.sees(mission, place) if smoke else sight_past_smoke(view, mission, place)).burst

    if now.stage is Stage.SPOTTING:
        return burst(now.impact)
    return now.stage in FFE and any(map(burst, view.footprint(mission)[0]))


def sight_past_smoke(view: View, mission: str, place: Place) -> Sight:
    """Return what the Observer would see of a place if there were no SMOKE."""
    return parts_of(view).observers.sees_past_smoke(view.seen_by("observers"), mission, place)


@attrs.frozen
class Seen:
    """Say what the Observer sees of the SR or FFE on the map: Base Level, Blast Height, a Known enemy by it."""

    ground: bool
    burst: bool
    known_enemy: bool

    @property
    def may_fire_there(self) -> bool:
        """Return whether fire for effect may be put or left in that hex (C1.333, C1.334, C1.342)."""
        return self.ground or (self.burst and self.known_enemy)


def seen(view: View, mission: str, *, smoke: bool = True) -> Seen:
    """Return the Observer's LOS to what lies on the map; SMOKE may be disregarded (C1.334, C1.335)."""
    now = view.mission(mission)
    sight = view.sees(mission, now.impact) if smoke else sight_past_smoke(view, mission, now.impact)
    return Seen(sight.ground, burst_seen(view, mission, smoke=smoke), sight.known_enemy)
