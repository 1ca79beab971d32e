"""Hexes of 40 metres, on the game's own boards or overlaid on the ground of another game."""

import math
import re
from functools import cache, lru_cache
from typing import Any

import attrs

from fireplan_core import Place
from fireplan_core.space import Frame, Hex, HexFrame, Layout, distance, lettered_columns, sight_line

GROUND = "ground"
"""The side of buildings, bridges and obstacles, which are enemies of neither player."""
HEX_M = 40
"""Distance between the centres of adjacent hexes, in metres."""
COLUMNS, ROWS = 33, 10
"""Number of hexrows of a board, A to GG, and its highest hex number.

Hex numbers start at 1, but at 0 in every other hexrow.
"""
WHOLE = 999
"""A hex number beyond every map, which means the end of a hexrow."""
_SAMPLES = 8
"""Number of points sampled per hex along a line, on ground without hexes."""

Block = tuple[int, int, int, int]
"""A block of hexes: first hexrow, last hexrow, first number, last number."""


@cache
def board_layout(boards: int, columns: int = COLUMNS, blocks: tuple[Block, ...] = ()) -> Layout:
    """Return the layout of ``boards`` boards laid north to south.

    Only the first ``columns`` hexrows are in play, or only the ``blocks`` within them if any are
    given. All hexes keep their printed names.
    """
    last = ROWS * boards
    printed = Layout(lettered_columns(COLUMNS, doubled=True), (1, last), (0, last))
    whole = ((0, columns - 1, 0, last),)

    def within(hex_: Hex, areas: tuple[Block, ...]) -> bool:
        q, number = hex_[0], hex_[1] + hex_[0] // 2
        return any(west <= q <= east and low <= number <= high for west, east, low, high in areas)

    out = frozenset(
        h for h in printed.hexes() if not (within(h, whole) and within(h, blocks or whole))
    )
    return attrs.evolve(printed, out=out)


def block_of(text: str) -> Block:
    """Return the block of hexes that a text names: ``A-P`` (whole hexrows), ``A1-P5``, or one hex.

    Raises ``ValueError`` for any other text, and for a block that ends before it begins.
    """
    match = re.fullmatch(r"([A-Z]+)(\d{0,3})(?:-([A-Z]+)(\d{0,3}))?", text.strip().upper())
    names = lettered_columns(COLUMNS, doubled=True)
    west, low, east, high = match.groups() if match else ("", "", "", "")
    east, high = (west, low) if match and east is None else (east, high)
    if not {west, east} <= {*names} or (low == "") is not (high == ""):
        raise ValueError(
            "expected a block of hexrows such as A-P, or its first and last hex such as A1-P5"
        )
    area = names.index(west), names.index(east), int(low or 0), int(high or WHOLE)
    if area[0] > area[1] or area[2] > area[3]:
        raise ValueError("expected a block from its lower hexrow and number, such as A1-P5")
    return area


def own_hexes(frame: Frame) -> bool:
    """Return whether a frame is a map of hexes 40 metres across."""
    return isinstance(frame, HexFrame) and frame.spacing_m == HEX_M


def hexes_between(frame: Frame, a: Place, b: Place) -> int:
    """Return the distance between two places in hexes.

    On another game's ground it is in units of 40 metres, rounded up.
    """
    if own_hexes(frame):
        return distance(a, b)
    # Round first, so that a floating-point error cannot turn 2 hexes into 3.
    return math.ceil(round(frame.gap_metres(frame.gap(a, b)) / HEX_M, 6))


def pieces_between(frame: Frame, a: Place, b: Place) -> tuple[tuple[Place, ...], ...]:
    """Return the hexes on the line between two centres as pieces, including both ends.

    A piece is one hex, or the two hexes of a hexside along which the line runs. On another game's
    ground each piece is one place.
    """
    if own_hexes(frame):
        return _crossed(a, b)
    ground: Any = frame
    return tuple((cell,) for cell in _sampled(ground, a, b))


@lru_cache(maxsize=4096)
def _crossed(a: Place, b: Place) -> tuple[tuple[Place, ...], ...]:
    return tuple(tuple(piece.hexes) for piece in sight_line(a, b))


@lru_cache(maxsize=4096)
def _sampled(frame: Frame, a: Place, b: Place) -> tuple[Place, ...]:
    """Return the places on a line across another game's ground, with or without hexes."""
    (ax, ay), (bx, by) = frame.metres(a), frame.metres(b)
    steps = _SAMPLES * max(1, hexes_between(frame, a, b))
    off = 0.1  # metres to either side, to find both hexes of a hexside
    length = math.hypot(bx - ax, by - ay) or 1.0
    sx, sy = -(by - ay) / length * off, (bx - ax) / length * off
    points = (
        (ax + (bx - ax) * i / steps + side * sx, ay + (by - ay) * i / steps + side * sy)
        for i in range(steps + 1)
        for side in (-1, 1)
    )
    return tuple(dict.fromkeys(frame.nearest(x, y) for x, y in points))


def even(number: int) -> bool:
    """Return whether the number of a fire phase, Player Turn or hexrow is even."""
    return number % 2 == 0
