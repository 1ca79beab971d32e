"""The palette: every colour of every picture and page, in light and in dark, and how games are told apart."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterable
from fractions import Fraction

import attrs

INK, SOFT, LINE, GRID = "#1a1a1a", "#4a4f55", "#8a8f96", "#d5d9de"
PAPER, PLATE, BLANK, BLACK = "#ffffff", "#eef1f4", "#f7f8f9", "#000000"
UNSEEN, TERRAIN = "#dfe3e8", "#eef3e6"
SIDES = ("#cfe3f2", "#f6d5c3")
"""The counters of the two sides."""

RAMP = ("#fee838", "#bcae6c", "#7d7c78", "#434e6c", "#00224e")
"""Five even steps of cividis (Nunez, Anderton, Renslow 2018): the likelier, the farther from the paper's own colour."""
RAMP_FROM = (Fraction(0), Fraction(1, 100), Fraction(5, 100), Fraction(20, 100), Fraction(50, 100))
"""The least chance of each step; the same on every sheet, so that two sheets can be laid side by side."""

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", BLACK)
"""Okabe and Ito's colours that are strong enough for thin lines on white; then black."""

DARK = {
    INK: "#f0f2f4",
    SOFT: "#b9c0c7",
    LINE: "#7d868f",
    GRID: "#3a4148",
    PAPER: "#14171a",
    PLATE: "#20252a",
    BLANK: "#262b31",
    BLACK: "#ffffff",
    UNSEEN: "#0b0d0f",
    TERRAIN: "#2b3825",
    **dict(zip(SIDES, ("#1f4a66", "#6b3a22"), strict=True)),
    **dict(zip(RAMP, ("#123570", "#46536d", "#707173", "#bcae6c", "#fee838"), strict=True)),
    **dict(zip(SERIES[:4], ("#56b4e9", "#f08a3c", "#2cc295", "#e09bc0"), strict=True)),
}
"""Say what each colour of a picture becomes on dark paper."""

PAGE = {
    "paper": PAPER,
    "plate": PLATE,
    "ink": INK,
    "soft": SOFT,
    "line": LINE,
    "link": "#00538a",
    "accent": RAMP[-1],
    "on-accent": PAPER,
    "bad": "#9b1c1c",
    "mark": RAMP[0],
    "blank": BLANK,
    "unseen": UNSEEN,
    "terrain": TERRAIN,
    "side-0": SIDES[0],
    "side-1": SIDES[1],
}
"""The colours of a page by their use."""
PAGE_DARK = {use: DARK.get(colour, colour) for use, colour in PAGE.items()} | {
    "link": "#8fc7f5",
    "bad": "#ffb0a8",
    "mark": RAMP[0],
}

_DASHES = ("none", "9 4", "2.5 3", "11 3 2.5 3", "5 2.5")
_MARKERS = (
    "M-5,0A5,5 0 1 0 5,0A5,5 0 1 0 -5,0Z",
    "M-4.5,-4.5H4.5V4.5H-4.5Z",
    "M0,-6L5.5,4H-5.5Z",
    "M0,-6.2L6.2,0L0,6.2L-6.2,0Z",
    "M-2,-6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
)
_START = 5
"""Of the checksum that gives a key its look; chosen so that few games meet."""


@attrs.frozen
class Look:
    """Say how a game is told apart in every picture: colour, dash and marker together."""

    colour: str
    dash: str
    marker: str


def look(index: int) -> Look:
    """Return the look of that number; all three marks differ within the first five."""
    turn, place = divmod(index, len(SERIES))
    shifted = (place + turn) % len(_MARKERS)
    return Look(SERIES[place], _DASHES[shifted], _MARKERS[shifted])


def looks_of(keys: Iterable[str]) -> dict[str, int]:
    """Return the number of each key's look: its own, or the next that is free where an earlier key has the same.

    Black is nobody's own: it is the colour of marks and frames.
    """
    taken: dict[str, int] = {}
    coloured = len(SERIES) - 1
    for key in dict.fromkeys(keys):
        own = zlib.crc32(key.encode(errors="replace"), _START)
        nearby = ((own + step) % coloured for step in range(coloured))
        taken[key] = next(n for n in itertools.chain(nearby, itertools.count(coloured)) if n not in taken.values())
    return taken


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb`` (WCAG 2.2)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]  # noqa: PLR2004 - sRGB
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2)."""
    darker, lighter = sorted((luminance(a), luminance(b)))
    return (lighter + 0.05) / (darker + 0.05)


def ink_on(colour: str) -> str:
    """Return black or white, whichever contrasts more with a ground of that colour."""
    return max(BLACK, PAPER, key=lambda ink: contrast(ink, colour))


def shade(share: Fraction) -> str:
    """Return the ramp's colour for a probability."""
    return next(colour for colour, start in zip(reversed(RAMP), reversed(RAMP_FROM), strict=True) if share >= start)
