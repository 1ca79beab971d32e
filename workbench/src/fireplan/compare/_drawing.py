"""What every drawing needs: numbers and percentages as text, lengths of lines of type, colours, and polygons.

No layout and no comparison lives here; sheets are laid out by ``_picture`` and ``_curves``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

import attrs

Point = tuple[float, float]
Outline = Sequence[Point]

TIMES, TO = "\N{MULTIPLICATION SIGN}", "\N{EN DASH}"

INK = "#1a1a1a"
SOFT_INK = "#555555"

# Five even steps of cividis (Nunez, Anderton, Renslow 2018), light to dark: on white paper darker means more.
RAMP = ("#fee838", "#bcae6c", "#7d7c78", "#434e6c", "#00224e")
# Where a step of the ramp begins. The same on every sheet, so that two sheets can be laid side by side.
RAMP_FROM = (Fraction(0), Fraction(1, 100), Fraction(5, 100), Fraction(20, 100), Fraction(50, 100))

# Okabe and Ito's colours that are strong enough for thin lines on white; then black.
_SERIES_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000")
_DASHES = ("none", "9 4", "2.5 3", "11 3 2.5 3", "5 2.5")
_MARKERS = (
    "M-5,0A5,5 0 1 0 5,0A5,5 0 1 0 -5,0Z",
    "M-4.5,-4.5H4.5V4.5H-4.5Z",
    "M0,-6L5.5,4H-5.5Z",
    "M0,-6.2L6.2,0L0,6.2L-6.2,0Z",
    "M-2,-6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
)
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")  # the markers' names elsewhere

# Advance widths in ems. They are DejaVu Sans', the widest of the usual sans-serif faces, so that what fits here
# fits in Helvetica, Arial or Liberation Sans as well.
_ADVANCE = (
    dict.fromkeys("ijlI'", 0.29)
    | dict.fromkeys(" .,·:;|/", 0.34)
    | dict.fromkeys("ftr!()[]-", 0.40)
    | dict.fromkeys("s“”\u2013Jcz", 0.55)
    | dict.fromkeys("wOQ\u00d7±<>", 0.84)
    | dict.fromkeys("mM%W@—…", 1.0)
)
_SMALL, _CAPITAL, _FULL = 0.63, 0.73, 1.0
_FULL_WIDTH_FROM = "\u2e80"

# XML 1.0 has no way to write these, escaped or not.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@attrs.frozen
class Look:
    """How a game is told apart, on every part of a sheet: colour, dash and marker together."""

    colour: str
    dash: str
    marker: str
    shape: str


@attrs.frozen
class Line:
    """A line of type: its baseline's start (or middle, or end) in pixels, and its look."""

    x: float
    y: float
    text: str
    size: float = 12
    fill: str = INK
    weight: str = "normal"
    anchor: str = "start"


def look(index: int) -> Look:
    """The look of that number; all three marks differ within the first five."""
    turn = index // len(_SERIES_COLOURS)
    shifted = (index + turn) % len(_MARKERS)
    return Look(_SERIES_COLOURS[index % len(_SERIES_COLOURS)], _DASHES[shifted], _MARKERS[shifted], _SHAPES[shifted])


def number(value: float) -> str:
    """A coordinate, to a hundredth of a pixel."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def points(outline: Iterable[Point]) -> str:
    """The ``points`` of a polygon or polyline."""
    return " ".join(f"{number(x)},{number(y)}" for x, y in outline)


def amount(value: Fraction | float) -> str:
    """A count or measure for readers: 270, 1,609, 7.5."""
    whole = round(value)
    return f"{whole:,}" if whole == value else f"{float(value):,.1f}"


def percent(share: Fraction) -> str:
    """A probability in whole percent; neither a chance nor a doubt is ever rounded away."""
    whole = round(share * 100)
    if whole == 0 and share > 0:
        return "<1%"
    if whole >= 100 and share < 1:  # noqa: PLR2004 - a hundred percent
        return ">99%"
    return f"{whole}%"


def clean(text: str) -> str:
    """Text as XML can hold it, on one line: characters that XML forbids become the replacement character."""
    return " ".join(_NOT_XML.sub("\ufffd", text).split())


def width(text: str, size: float, *, bold: bool = False) -> float:
    """At most how many pixels wide a line of type is."""
    ems = sum(_ADVANCE.get(c, _FULL if c >= _FULL_WIDTH_FROM else _CAPITAL if c.isupper() else _SMALL) for c in text)
    return ems * size * (1.1 if bold else 1.0)


def shorten(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """The text, cut with an ellipsis if it is wider than the room."""
    if width(text, size, bold=bold) <= room:
        return text
    while text and width(text + "…", size, bold=bold) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def wrap(text: str, size: float, room: float, most: int, *, bold: bool = False) -> list[str]:
    """The text in lines no wider than the room, at most so many; what does not fit ends in an ellipsis."""
    lines: list[str] = []
    words = text.split()
    while words:
        if len(lines) == most - 1:
            lines.append(shorten(" ".join(words), size, room, bold=bold))
            break
        taken = 1
        while taken < len(words) and width(" ".join(words[: taken + 1]), size, bold=bold) <= room:
            taken += 1
        lines.append(shorten(" ".join(words[:taken]), size, room, bold=bold))
        words = words[taken:]
    return lines


def luminance(colour: str) -> float:
    """The relative luminance of ``#rrggbb`` (WCAG 2.2)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]  # noqa: PLR2004 - sRGB
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ink_on(colour: str) -> str:
    """Black or white, whichever contrasts more with a ground of that colour."""
    ground = luminance(colour) + 0.05
    return "#000000" if ground / 0.05 >= 1.05 / ground else "#ffffff"


def shade(share: Fraction) -> str:
    """The ramp's colour for a probability."""
    return next(colour for colour, start in zip(reversed(RAMP), reversed(RAMP_FROM), strict=True) if share >= start)


def box(outline: Outline) -> tuple[float, float, float, float]:
    """West, north, east and south of a polygon."""
    xs, ys = [x for x, _ in outline], [y for _, y in outline]
    return min(xs), min(ys), max(xs), max(ys)


def centroid(outline: Outline) -> Point:
    """The centre of area of a polygon."""
    area = east = south = 0.0
    for (ax, ay), (bx, by) in zip(outline, (*outline[1:], outline[0]), strict=True):
        cross = ax * by - bx * ay
        area += cross
        east += (ax + bx) * cross
        south += (ay + by) * cross
    if abs(area) < 1e-9:  # noqa: PLR2004 - a polygon squashed to a line
        return outline[0]
    return east / (3 * area), south / (3 * area)


def inner_radius(outline: Outline) -> float:
    """How far a polygon's border is from its centroid, at the nearest."""
    x, y = centroid(outline)
    nearest = math.inf
    for (ax, ay), (bx, by) in zip(outline, (*outline[1:], outline[0]), strict=True):
        dx, dy = bx - ax, by - ay
        along = max(0.0, min(1.0, ((x - ax) * dx + (y - ay) * dy) / ((dx * dx + dy * dy) or 1.0)))
        nearest = min(nearest, math.hypot(ax + along * dx - x, ay + along * dy - y))
    return nearest


def merged(outlines: Iterable[Outline]) -> list[list[Point]]:
    """The border of cells side by side: their polygons without the sides that two of them share."""
    corners: list[Point] = []

    def corner(point: Point) -> int:
        # Cells work out a shared corner each for itself; a centimetre apart is still the same corner.
        for index, known in enumerate(corners):
            if math.dist(point, known) < 0.01:  # noqa: PLR2004
                return index
        corners.append(point)
        return len(corners) - 1

    sides: dict[tuple[int, int], None] = {}
    for outline in outlines:
        ring = [corner(point) for point in outline]
        turning = sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(outline, (*outline[1:], outline[0]), strict=True))
        if turning < 0:
            ring.reverse()
        for a, b in zip(ring, (*ring[1:], ring[0]), strict=True):
            if a == b:
                continue
            if (b, a) in sides:
                del sides[b, a]
            else:
                sides[a, b] = None
    loops: list[list[Point]] = []
    while sides:
        start, at = next(iter(sides))
        del sides[start, at]
        loop = [start]
        while at != start:
            loop.append(at)
            onward = next((side for side in sides if side[0] == at), None)
            if onward is None:
                break
            del sides[onward]
            at = onward[1]
        loops.append([corners[index] for index in loop])
    return loops
