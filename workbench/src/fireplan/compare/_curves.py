"""The chart of a sheet: for each game the share of first fire for effect that has fallen, over the minutes watched.

Only pixels are worked out here; ``_picture`` puts the chart on the sheet and the template writes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import attrs

from fireplan.compare._answers import Comparison, GameAnswer, Measured
from fireplan.compare._drawing import (
    INK,
    SOFT_INK,
    Line,
    Look,
    Point,
    amount,
    clean,
    look,
    percent,
    points,
    shorten,
    width,
)

HEIGHT = 232
_LEFT = 46  # the numbers of the upright axis
_LATER = 56  # the strip for what falls after the watch
_LABELS = 290
_LABEL_GAP = 19.0
_MARKER_GAP = 54.0
_TICKS = 12
_STEPS = (1, 2, 5, 10, 15, 20, 30, 60, 120, 240, 480, 1440)


@attrs.frozen
class Curve:
    """One game's line, in pixels: steps within the watch, markers, and how it ends."""

    key: str
    look: Look
    points: str
    markers: tuple[Point, ...]
    riser: str
    leader: str
    label: Line
    title: str
    said: str


@attrs.frozen
class Legend:
    """One entry of the merged legend: where its sample begins, and its words."""

    x: float
    y: float
    look: Look
    words: Line


@attrs.frozen
class Chart:
    """The whole chart, in pixels from its top left."""

    left: float
    right: float
    later: float
    height: float
    across: tuple[tuple[float, Line], ...]
    upward: tuple[tuple[float, Line], ...]
    curves: tuple[Curve, ...]
    legend: tuple[Legend, ...]
    bottom: float


@attrs.frozen
class _End:
    """Where a line ends, and what is said there."""

    key: str
    title: str
    look: Look
    steps: tuple[tuple[Fraction, Fraction], ...]
    last: tuple[Fraction, Fraction]


def cumulative(measured: Measured) -> tuple[tuple[Fraction, Fraction], ...]:
    """Minutes and the share fallen by then, at every step."""
    total = Fraction(0)
    steps = []
    for minute, share in measured.distribution or ():
        total += share
        steps.append((Fraction(minute), total))
    return tuple(steps)


def horizon(game: GameAnswer, watch: int) -> Fraction:
    """The minute by which everything a game tells has happened: the watch, or later when its grain is coarser."""
    measured = game.measures.get("minutes_to_first_effect")
    steps = cumulative(measured) if isinstance(measured, Measured) else ()
    return max(Fraction(watch), game.grain, *(minute for minute, _ in steps))


def _spread(wanted: list[float], top: float, bottom: float) -> list[float]:
    """Heights as near as may be to those wanted, a line of type apart; the order is kept."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = list(wanted)
    floor = top
    for i in order:
        placed[i] = max(placed[i], floor)
        floor = placed[i] + _LABEL_GAP
    ceiling = bottom
    for i in reversed(order):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - _LABEL_GAP
    return placed


def _minute_ticks(watch: int) -> list[int]:
    step = next((s for s in _STEPS if watch <= s * _TICKS), watch)
    ticks = list(range(0, watch, step))
    if len(ticks) > 1 and watch - ticks[-1] < step / 2:
        ticks.pop()
    return [*ticks, watch]


def _ends(comparison: Comparison) -> list[_End]:
    ends = []
    for key, game in comparison.games.items():
        measured = game.measures.get("minutes_to_first_effect")
        if not isinstance(measured, Measured):
            continue
        steps = cumulative(measured)
        last = steps[-1] if steps else (Fraction(0), Fraction(0))
        ends.append(_End(key, clean(game.title), look(comparison.look_of(key)), steps, last))
    return ends


def chart(comparison: Comparison, room: float) -> Chart:
    """Lay out the chart in a width of so many pixels."""
    watch = comparison.engagement.minutes
    ends = _ends(comparison)
    beyond = any(end.last[0] > watch for end in ends)
    right = room - _LABELS - (_LATER if beyond else 0)

    def x(minute: Fraction) -> float:
        return _LEFT + float(minute / watch) * (right - _LEFT)

    def y(share: Fraction) -> float:
        return float(HEIGHT * (1 - share))

    label_x = room - _LABELS + 26
    heights = _spread([y(end.last[1]) for end in ends], 0.0, HEIGHT)
    curves = []
    for end, height in zip(ends, heights, strict=True):
        within = [(minute, share) for minute, share in end.steps if minute <= watch]
        late = end.last[0] > watch
        line: list[Point] = []
        # A game whose first answer comes after the watch says nothing about the minutes before: it has no line there.
        if within or not late:
            line = [(x(Fraction(0)), y(Fraction(0)))]
            for minute, share in within:
                line += [(x(minute), line[-1][1]), (x(minute), y(share))]
            line.append((right, line[-1][1]))
        tip = (right + _LATER / 2 if late else right, y(end.last[1]))
        riser = [line[-1], (tip[0], line[-1][1]), tip] if late and line else []
        said = f"within {amount(end.last[0])} min" if late else ""
        figure = percent(end.last[1])
        figure_room = width("100% ", 13, bold=True)
        title = shorten(end.title, 13, room - label_x - figure_room - (width(f" {said}", 12) if said else 0))
        curves.append(
            Curve(
                key=clean(end.key),
                look=end.look,
                points=points(line),
                markers=(*_thinned((x(m), y(s)) for m, s in within), tip),
                riser=points(riser),
                leader=points([(tip[0] + 7, tip[1]), (room - _LABELS + 6, tip[1]), (label_x - 4, height)]),
                label=Line(label_x, height + 4.5, figure, 13, INK, "bold"),
                title=title,
                said=said,
            )
        )
    legend, bottom = _legend(comparison, ends, room)
    return Chart(
        left=_LEFT,
        right=right,
        later=_LATER if beyond else 0,
        height=HEIGHT,
        across=tuple(
            (x(Fraction(m)), Line(x(Fraction(m)), HEIGHT + 18, str(m), anchor="middle")) for m in _minute_ticks(watch)
        ),
        upward=tuple(
            (y(Fraction(p, 100)), Line(_LEFT - 8, y(Fraction(p, 100)) + 4, f"{p}%", anchor="end"))
            for p in (0, 25, 50, 75, 100)
        ),
        curves=tuple(curves),
        legend=legend,
        bottom=bottom,
    )


def _thinned(marks: Iterable[Point]) -> list[Point]:
    """Of many marks along a line, enough to tell the line by."""
    kept: list[Point] = []
    for mark in marks:
        if not kept or mark[0] - kept[-1][0] >= _MARKER_GAP:
            kept.append(mark)
    return kept


def _legend(comparison: Comparison, ends: list[_End], room: float) -> tuple[tuple[Legend, ...], float]:
    """The merged legend in even columns, and where it ends."""
    texts = []
    for end in ends:
        game = comparison.games[end.key]
        words = f"{end.title}, {clean(game.edition)}: times within {amount(game.grain)} min"
        texts.append(shorten(words, 12, room - _LEFT - 60))
    column = max((width(text, 12) for text in texts), default=0.0) + 68
    across = max(1, int((room - _LEFT + 24) // column))
    # Rows as even as may be: two and two rather than three and one.
    across = -(-len(texts) // -(-len(texts) // across)) if texts else 1
    entries = []
    for i, (end, text) in enumerate(zip(ends, texts, strict=True)):
        x, y = _LEFT + i % across * column, HEIGHT + 62.0 + i // across * 22
        entries.append(Legend(x, y, end.look, Line(x + 44, y + 4, text, 12, SOFT_INK)))
    return tuple(entries), HEIGHT + 62.0 + (len(texts) - 1) // across * 22 + 8
