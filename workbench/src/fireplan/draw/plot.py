"""Plots: shares from 0 to 1 as lines or bars, on axes, with a legend; the studio's charts are put together of them.

A plot's own point 0, 0 is its upper left corner; a chart puts plots side by side under a title.
"""

import textwrap
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

import attrs

from fireplan.draw.lettering import amount, width
from fireplan.draw.palette import GRID, INK, LINE, PAPER, SOFT, Look
from fireplan.draw.shapes import Point, round_length
from fireplan.draw.svg import Svg, document, element, group, marker, points, text

HEIGHT = 260.0
_LEFT, _TOP, _TYPE, _ROW = 62.0, 46.0, 12, 22.0
_TICKS = 8
_LETTER, _NARROWEST, _MOST_LINES = 6.6, 8, 6
"""Of the titles under bars: pixels a letter, letters a line has at least, lines there are at most."""
Entries = Sequence[tuple[Svg, str]]
"""What stands in a legend: signs and their words."""
Groups = Sequence[tuple[str, Sequence[tuple[str, Fraction]]]]
"""Titles under bars, and the colours and shares of the bars above each."""


@attrs.frozen
class Plot:
    """A plot: its width in pixels, what is drawn in it, the lines of type below its axis, and what each axis shows."""

    width: float
    drawn: Sequence[Svg]
    labels: Sequence[tuple[float, Sequence[str]]]
    across: str = ""
    upward: str = ""

    @property
    def depth(self) -> float:
        """Return how far the type below the plot reaches."""
        lines = max((len(lines) for _, lines in self.labels), default=0)
        return 8 + _TYPE * 1.25 * (lines + 1.5 * bool(self.across))

    def at(self, x: float) -> Svg:
        """Return the plot with its axes, its left edge at ``x``."""
        grid = [
            part
            for quarter in range(5)
            for y in [HEIGHT * (4 - quarter) / 4]
            for part in (
                element("path", d=f"M0,{y:.0f}h{self.width:.2f}", stroke=GRID),
                text((-8, y + 4), f"{25 * quarter}%", anchor="end"),
            )
        ]
        below = [
            group(
                "label",
                *(text((x, HEIGHT + 8 + _TYPE * 1.25 * n), line, anchor="middle") for n, line in enumerate(lines, 1)),
            )
            for x, lines in self.labels
        ]
        frame = element("rect", width=self.width, height=HEIGHT, fill="none", stroke=LINE)
        said = text((self.width / 2, HEIGHT + self.depth - 2), self.across, anchor="middle")
        beside = text((0, 0), self.upward, anchor="middle", transform=f"translate(-46 {HEIGHT / 2:.0f}) rotate(-90)")
        return group(None, *grid, *self.drawn, frame, *below, said, beside, at=(x, _TOP))


def chart(title: str, plots: Sequence[Plot], entries: Entries, heading: str = "") -> str:
    """Return a whole picture: the plots side by side, below them the signs of a legend with their words."""
    lefts = [_LEFT + sum(plot.width + _LEFT for plot in plots[:n]) for n in range(len(plots))]
    room = lefts[-1] + plots[-1].width + 16
    y = _TOP + HEIGHT + max(plot.depth for plot in plots) + 24
    named = [text((16, y), heading, bold=True)] if heading else []
    signs, bottom = legend(entries, (16, y + _ROW * len(named)), room - 16)
    drawn = [plot.at(left) for left, plot in zip(lefts, plots, strict=True)]
    return document(room, bottom + 6, text((16, 24), title, size=15, bold=True), *drawn, *named, signs)


def legend(entries: Entries, at: Point, room: float) -> tuple[Svg, float]:
    """Return signs with their words in even columns from a point on, and where they end."""
    column = max((width(words, _TYPE) for _, words in entries), default=0.0) + 64
    across = max(1, int((room + 24) // column))
    across = -(-len(entries) // -(-len(entries) // across)) if entries else 1  # two and two, not three and one
    drawn = [
        group(None, sign, text((40, 4), words, fill=SOFT), at=(at[0] + n % across * column, at[1] + n // across * _ROW))
        for n, (sign, words) in enumerate(entries)
    ]
    return group("legend", *drawn), at[1] + (len(entries) - 1) // across * _ROW + 8


def amounts(end: float, room: float) -> list[tuple[float, list[str]]]:
    """Return the labels of an axis of amounts from 0 to an end, in a room of so many pixels."""
    step = round_length(max(end / 2, 1)) if end < _TICKS else round_length(end / _TICKS) * 2
    return [(n * step / end * room, [amount(n * step)]) for n in range(int(end / step) + 1)]


def curve(steps: Sequence[tuple[float, Fraction]], end: float, room: float, look: Look, kind: str) -> Svg:
    """Return a line through shares at amounts from 0 to an end: ``after`` or ``before`` a step, or ``linear``."""
    corners = [(min(x / end, 1) * room, float(HEIGHT * (1 - share))) for x, share in steps]
    line: list[Point] = corners[:1]
    for (was_x, was_y), (x, y) in pairwise(corners):
        line += [] if kind == "linear" else [(x, was_y) if kind == "after" else (was_x, y)]
        line.append((x, y))
    return element(
        "polyline", points=points(line), fill="none", stroke=look.colour, stroke_width=2, stroke_dasharray=look.dash
    )


def marks(steps: Iterable[tuple[float, Fraction]], end: float, room: float, look: Look) -> list[Svg]:
    """Return a game's marker at each of these shares."""
    return [marker((x / end * room, float(HEIGHT * (1 - share))), look) for x, share in steps]


def sign_of(look: Look) -> Svg:
    """Return what stands for a game's line in a legend."""
    line = element("path", d="M0,0H28", stroke=look.colour, stroke_width=2, stroke_dasharray=look.dash)
    return Svg(line + marker((14, 0), look))


def swatch(colour: str) -> Svg:
    """Return what stands for a bar in a legend."""
    return element("rect", x=8, y=-7, width=14, height=14, fill=colour, stroke=INK, stroke_width=0.8)


def bars(groups: Groups, room: float, *, stacked: bool = False, upward: str = "") -> Plot:
    """Return a plot of bars: under each title its colours and shares, side by side or on top of each other."""
    band = room / max(len(groups), 1)
    drawn, labels = list[Svg](), list[tuple[float, Sequence[str]]]()
    for n, (title, shares) in enumerate(groups):
        wide = band * 0.8 / (1 if stacked else max(len(shares), 1))
        base = Fraction(0)
        for place, (colour, share) in enumerate(shares):
            x = band * (n + 0.1) + (0 if stacked else place * wide)
            y, tall = float(HEIGHT * (1 - base - share)), float(HEIGHT * share)
            drawn.append(element("rect", x=x, y=y, width=wide, height=tall, fill=colour, stroke=INK, stroke_width=0.8))
            base += share if stacked else 0
        labels.append((band * (n + 0.5), textwrap.wrap(title, max(_NARROWEST, int(band / _LETTER)))[:_MOST_LINES]))
    return Plot(room, drawn, labels, upward=upward)


def upright(x: float, words: str) -> Svg:
    """Return an upright line across a plot, with its words."""
    line = element("path", d=f"M{x:.2f},0V{HEIGHT:.0f}", stroke=INK, stroke_dasharray="2 3")
    return Svg(line + text((x + 5, 16), words, stroke=PAPER, stroke_width=3, paint_order="stroke"))
