"""Plots: shares from 0 to 1, or two figures against each other, as lines or bars on axes.

The origin of a plot is its upper left corner; a chart puts plots side by side under a title. Marks
are drawn by the macros of ``templates/_marks.svg.j2``.
"""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import attrs

from fireplan.draw.lettering import amount, shorten, whole_percent, width
from fireplan.draw.palette import Look, look, looks_of
from fireplan.draw.shapes import Point, round_length
from fireplan.draw.svg import picture, points

HEIGHT = 260.0
_LEFT, _TOP, _TYPE, _ROW = 62.0, 46.0, 12, 22.0
_TICKS = 8
_GAP = 5
"""Pixels between a vertical line and its label."""
_LETTER, _NARROWEST, _MOST_LINES = 6.6, 8, 6
"""Titles under bars: pixels per letter, minimum letters per line, and maximum lines."""
Mark = tuple[Any, ...]
"""A mark's name and arguments: ``("sign", look)`` for a line, ``("swatch", colour)`` for a bar."""
Entries = Sequence[tuple[Mark, str]]
"""The entries of a legend: marks and their words."""
Groups = Sequence[tuple[str, Sequence[tuple[str, Fraction]]]]
"""Titles under bars, and the colours and shares of the bars above each."""


@attrs.frozen
class Plot:
    """A plot: its width in pixels, its marks, the labels below its axis, the titles of its axes.

    ``rungs`` are the labels of the vertical axis, evenly spaced from the bottom up.
    """

    width: float
    drawn: Sequence[Mark]
    labels: Sequence[tuple[float, Sequence[str]]]
    across: str = ""
    upward: str = ""
    rungs: Sequence[str] = ("0%", "25%", "50%", "75%", "100%")

    @property
    def depth(self) -> float:
        """Height of the labels below the plot, in pixels."""
        lines = max((len(lines) for _, lines in self.labels), default=0)
        return 8 + _TYPE * 1.25 * (lines + 1.5 * bool(self.across))


def chart(title: str, plots: Sequence[Plot], entries: Entries, heading: str = "") -> str:
    """Return an SVG image of the plots side by side, with a legend below them.

    ``heading`` is a line above the legend, left out if it is empty.
    """
    lefts = [_LEFT + sum(plot.width + _LEFT for plot in plots[:n]) for n in range(len(plots))]
    room = lefts[-1] + plots[-1].width + 16
    y = _TOP + HEIGHT + max(plot.depth for plot in plots) + 24
    placed, bottom = legend(entries, (16, y + _ROW * bool(heading)), room - 16)
    shown: dict[str, Any] = {
        "title": title,
        "heading": heading,
        "below": (16, y),
        "entries": placed,
    }
    shown |= {
        "plots": list(zip(lefts, plots, strict=True)),
        "top": _TOP,
        "high": HEIGHT,
        "leading": _TYPE * 1.25,
    }
    return picture("fireplan.draw", "chart.svg.j2", width=room, height=bottom + 6, **shown)


def legend(entries: Entries, at: Point, room: float) -> tuple[list[tuple[Point, Mark, str]], float]:
    """Return a legend's entries, placed in even columns, and the y at which the legend ends.

    ``at`` is the place of the first entry, and ``room`` the width of the legend in pixels.
    """
    column = max((width(words, _TYPE) for _, words in entries), default=0.0) + 64
    across = max(1, int((room + 24) // column))
    # Balance the rows: two and two entries, not three and one.
    across = -(-len(entries) // -(-len(entries) // across)) if entries else 1
    spots = ((at[0] + n % across * column, at[1] + n // across * _ROW) for n in range(len(entries)))
    placed = [(spot, *entry) for spot, entry in zip(spots, entries, strict=True)]
    return placed, at[1] + (len(entries) - 1) // across * _ROW + 8


def amounts(end: float, room: float) -> list[tuple[float, list[str]]]:
    """Return (position, lines of the label) for each label of an axis of amounts from 0 to ``end``.

    The axis is ``room`` pixels long.
    """
    step = round_length(max(end / 2, 1)) if end < _TICKS else round_length(end / _TICKS) * 2
    return [(n * step / end * room, [amount(n * step)]) for n in range(int(end / step) + 1)]


def curve(
    steps: Sequence[tuple[float, Fraction | float]], end: float, room: float, look: Look, kind: str
) -> Mark:
    """Return a line through shares at amounts from 0 to ``end``, on an axis of ``room`` pixels.

    ``kind`` is ``linear``, or a step at the later (``after``) or the earlier (``before``) amount.
    """
    corners = [(min(x / end, 1) * room, float(HEIGHT * (1 - share))) for x, share in steps]
    line: list[Point] = corners[:1]
    for (was_x, was_y), (x, y) in pairwise(corners):
        line += [] if kind == "linear" else [(x, was_y) if kind == "after" else (was_x, y)]
        line.append((x, y))
    return "curve", points(line), look


def marks(
    steps: Iterable[tuple[float, Fraction | float]], end: float, room: float, look: Look
) -> list[Mark]:
    """Return a marker with this look at each (amount, share) point.

    The amounts lie on an axis from 0 to ``end`` that is ``room`` pixels long.
    """
    return [("marker", (x / end * room, float(HEIGHT * (1 - share))), look) for x, share in steps]


def bars(groups: Groups, room: float, *, stacked: bool = False, upward: str = "") -> Plot:
    """Return a plot of bars: above each title its coloured shares, side by side or stacked.

    The plot is ``room`` pixels wide; ``upward`` is the title of its vertical axis.
    """
    band = room / max(len(groups), 1)
    drawn, labels = list[Mark](), list[tuple[float, Sequence[str]]]()
    for n, (title, shares) in enumerate(groups):
        wide = band * 0.8 / (1 if stacked else max(len(shares), 1))
        base = Fraction(0)
        for place, (colour, share) in enumerate(shares):
            x = band * (n + 0.1) + (0 if stacked else place * wide)
            drawn.append(
                ("bar", x, float(HEIGHT * (1 - base - share)), wide, float(HEIGHT * share), colour)
            )
            base += share if stacked else 0
        labels.append(
            (
                band * (n + 0.5),
                textwrap.wrap(title, max(_NARROWEST, int(band / _LETTER)))[:_MOST_LINES],
            )
        )
    return Plot(room, drawn, labels, upward=upward)


def band(start: float, end: float) -> Mark:
    """Return a shaded band across a plot, between two distances from its left side."""
    return "band", start, end - start, HEIGHT


def upright(x: float, words: str, room: float) -> Mark:
    """Return a labelled vertical line across a plot that is ``room`` pixels wide.

    The label is to its right, or to its left if there is no room for it.
    """
    fits = x + _GAP + width(words, _TYPE) <= room
    return "upright", x, HEIGHT, words, x + _GAP if fits else x - _GAP, "start" if fits else "end"


# --- whole charts ---------------------------------------------------------------------------------
_ROOM = 500.0
_RUNGS = 4
_SHARE_WIDTH, _MOST_LETTERS = 300.0, 260.0


def delivery(
    title: str, lines: Mapping[str, Sequence[tuple[Fraction, Fraction]]], keys: Iterable[str]
) -> str:
    """Return an SVG chart of the chance that fire has fallen by each minute, one line per name.

    ``keys`` names the game of each line, which determines its colour and dashes in every chart.
    """
    end = max([1.0, *(float(minute) for line in lines.values() for minute, _ in line)])
    looks = [look(n) for n in looks_of(keys).values()]
    drawn: list[Mark] = []
    for steps, own in zip(lines.values(), looks, strict=True):
        line = [(float(minute), share) for minute, share in steps]
        drawn += [curve(line, end, _ROOM, own, "after"), *marks(line, end, _ROOM, own)]
    upward = "chance that fire for effect has fallen"
    entries = [(("sign", own), name) for own, name in zip(looks, lines, strict=True)]
    return chart(title, [Plot(_ROOM, drawn, amounts(end, _ROOM), "minutes", upward)], entries)


def trade_off(pairs: Sequence[Point], across: str, upward: str) -> str:
    """Return an SVG chart of a line through (x, y) points; the axes span their values.

    ``across`` and ``upward`` are the titles of the axes.
    """
    (west, east), (low, high) = (_span(column) for column in zip(*pairs, strict=True))
    steps = [(x - west, (y - low) / (high - low)) for x, y in sorted(pairs)]
    drawn = [
        curve(steps, east - west, _ROOM, look(0), "linear"),
        *marks(steps, east - west, _ROOM, look(0)),
    ]
    ticks, rungs = (
        [f"{least + (most - least) * n / _RUNGS:.3g}" for n in range(_RUNGS + 1)]
        for least, most in ((west, east), (low, high))
    )
    labels = [(_ROOM * n / _RUNGS, [tick]) for n, tick in enumerate(ticks)]
    plot = Plot(_ROOM, drawn, labels, across, upward, rungs)
    return chart(f"{across} against {upward.lower()}", [plot], [])


def _span(values: Sequence[float]) -> tuple[float, float]:
    least, most = min(values), max(values)
    return (least, most) if most > least else (least - 0.5, most + 0.5)


def listed_shares(title: str, rows: Sequence[tuple[str, Fraction]]) -> str:
    """Return an SVG chart of shares: each row has its label, a bar and the percentage."""
    room = min(_MOST_LETTERS, max((width(words, _TYPE) for words, _ in rows), default=0.0))
    listed = [
        (
            _TOP + _ROW * n,
            shorten(words, _TYPE, room),
            _SHARE_WIDTH * float(share),
            whole_percent(share),
        )
        for n, (words, share) in enumerate(rows)
    ]
    size = {"width": room + _SHARE_WIDTH + 90, "height": _TOP + _ROW * len(rows) + 12}
    return picture(
        "fireplan.draw", "shares.svg.j2", **size, title=title, rows=listed, left=room + 28, row=_ROW
    )
