"""The chart of a sheet: for each game the share of first fire for effect that has fallen, over the minutes watched."""

from fractions import Fraction

import attrs

from fireplan.comparison._answers import Comparison, GameAnswer, Measured
from fireplan.draw.lettering import amount, clean, percent, shorten, width
from fireplan.draw.palette import GRID, INK, LINE, PAPER, PLATE, SOFT, Look
from fireplan.draw.plot import legend, sign_of
from fireplan.draw.shapes import Point
from fireplan.draw.svg import Svg, element, group, marker, text
from fireplan.draw.svg import points as corners

HEIGHT = 232.0
_LEFT = 46.0  # the numbers of the upright axis
_LATER = 56.0  # the strip for what falls after the watch
_LABELS = 290.0
_LABEL_GAP = 19.0
_MARKER_GAP = 54.0
_TICKS = 12
_STEPS = (1, 2, 5, 10, 15, 20, 30, 60, 120, 240, 480, 1440)
_LEGEND = HEIGHT + 62
_HEADING = "Delivery: chance that fire for effect has fallen, by minute since the mission was opened"
_BELOW = "minutes; what is missing to 100% has not fallen when the watch ends"


@attrs.frozen
class _Line:
    """Say what is drawn for a game: its cumulative shares by the minute, the last of them, and whether that is late."""

    game: GameAnswer
    look: Look
    steps: list[tuple[Fraction, Fraction]]
    watch: int

    @property
    def last(self) -> tuple[Fraction, Fraction]:
        return self.steps[-1] if self.steps else (Fraction(0), Fraction(0))

    @property
    def late(self) -> bool:
        return self.last[0] > self.watch


@attrs.frozen
class _Axes:
    """Pixels for minutes and shares: the plot ends at ``right``, labels end where the ``room`` does."""

    watch: int
    right: float
    room: float

    def at(self, minute: Fraction | int, share: Fraction) -> Point:
        return _LEFT + float(Fraction(minute) / self.watch) * (self.right - _LEFT), float(HEIGHT * (1 - share))


def horizon(game: GameAnswer, watch: int) -> Fraction:
    """Return the minute by which all that a game tells has happened: the watch, or later when its grain is coarser."""
    return max(Fraction(watch), game.grain, game.delivery[-1][0])


def chart(comparison: Comparison, room: float) -> tuple[Svg, float]:
    """Return the chart in a width of so many pixels, and its height."""
    lines = [
        _Line(game, comparison.look_of(key), game.delivery[1:], comparison.engagement.minutes)
        for key, game in comparison.games.items()
        if isinstance(game.measures.get("minutes_to_first_effect"), Measured)
    ]
    beyond = any(line.late for line in lines)
    axes = _Axes(comparison.engagement.minutes, room - _LABELS - (_LATER if beyond else 0), room)
    heights = _spread([axes.at(0, line.last[1])[1] for line in lines], 0.0, HEIGHT)
    legend, bottom = _legend(lines, room)
    drawing = [
        text((0, -22), _HEADING, size=15, bold=True),
        _grid(axes, beyond=beyond),
        *(_curve(line, axes, height) for line, height in zip(lines, heights, strict=True)),
        *(_end(line, axes, height) for line, height in zip(lines, heights, strict=True)),
        legend,
    ]
    return Svg("".join(drawing)), bottom


def _grid(axes: _Axes, *, beyond: bool) -> Svg:
    """Return the axes with their figures, and the strip for what falls after the watch."""
    across, upward = list[Svg](), list[Svg]()
    for minute in _minute_ticks(axes.watch):
        x, _ = axes.at(minute, Fraction(0))
        across.append(element("path", d=f"M{x:.2f},{HEIGHT:.0f}v5", stroke=INK))
        across.append(text((x, HEIGHT + 18), str(minute), anchor="middle"))
    for share in (0, 25, 50, 75, 100):
        _, y = axes.at(0, Fraction(share, 100))
        upward.append(element("path", d=f"M{_LEFT:.0f},{y:.2f}H{axes.right:.2f}", stroke=GRID))
        upward.append(text((_LEFT - 8, y + 4), f"{share}%", anchor="end"))
    end = axes.right + (_LATER if beyond else 0)
    later = group(
        "later",
        element("rect", x=axes.right, width=_LATER, height=HEIGHT, fill=PLATE),
        text((axes.right + _LATER / 2, HEIGHT + 18), "later", anchor="middle"),
    )
    frame = f"M{_LEFT:.0f},0V{HEIGHT:.0f}H{end:.2f}M{axes.right:.2f},0V{HEIGHT:.0f}"
    return Svg(
        group("across", *across, text(((_LEFT + axes.right) / 2, HEIGHT + 37), _BELOW, fill=SOFT, anchor="middle"))
        + group("upward", *upward)
        + (later if beyond else "")
        + element("path", d=frame, fill="none", stroke=INK)
    )


def _minute_ticks(watch: int) -> list[int]:
    step = next((s for s in _STEPS if watch <= s * _TICKS), watch)
    ticks = list(range(0, watch, step))
    if len(ticks) > 1 and watch - ticks[-1] < step / 2:
        ticks.pop()
    return [*ticks, watch]


def _spread(wanted: list[float], top: float, bottom: float) -> list[float]:
    """Return heights as near as may be to those wanted, a line of type apart; the order is kept."""
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


def _tip(line: _Line, axes: _Axes) -> Point:
    """Return where a game's line ends: at the end of the watch, or in the strip for what falls later."""
    return axes.right + (_LATER / 2 if line.late else 0), axes.at(0, line.last[1])[1]


def _curve(line: _Line, axes: _Axes, height: float) -> Svg:
    """Return a game's steps within the watch, its rise after it, and the thread to its label at that height."""
    within = [axes.at(*step) for step in line.steps if step[0] <= axes.watch]
    tip = _tip(line, axes)
    label = axes.room - _LABELS
    parts = [_polyline([(tip[0] + 7, tip[1]), (label + 6, tip[1]), (label + 22, height)], LINE, 0.8)]
    # A game whose first answer comes after the watch says nothing about the minutes before: it has no line there.
    if within or not line.late:
        steps = [axes.at(0, Fraction(0))]
        for x, y in within:
            steps += [(x, steps[-1][1]), (x, y)]
        steps.append((axes.right, steps[-1][1]))
        parts += [_polyline(steps, PAPER, 4.5), _polyline(steps, line.look.colour, 2.4, line.look.dash, class_="line")]
        if line.late:
            parts.append(_polyline([steps[-1], (tip[0], steps[-1][1]), tip], line.look.colour, 1.2, "2 2"))
    return group("curve", *parts, data_game=clean(line.game.key), fill="none", stroke_linejoin="round")


def _polyline(line: list[Point], colour: str, wide: float, dash: str | None = None, **attributes: object) -> Svg:
    return element(
        "polyline", points=corners(line), stroke=colour, stroke_width=wide, stroke_dasharray=dash, **attributes
    )


def _end(line: _Line, axes: _Axes, height: float) -> Svg:
    """Return a game's markers, thinned out, and the figure and title where its line ends."""
    kept: list[Point] = []
    for mark in (axes.at(*step) for step in line.steps if step[0] <= axes.watch):
        if not kept or mark[0] - kept[-1][0] >= _MARKER_GAP:
            kept.append(mark)
    said = f"within {amount(line.last[0])} min" if line.late else ""
    left = axes.room - _LABELS + 26
    room = axes.room - left - width("100% ", 13, bold=True) - width(f"{said} ", 12)
    words = [
        element("tspan", percent(line.last[1]), font_weight="bold"),
        f" {shorten(clean(line.game.title), 13, room)} ",
        *([element("tspan", said, font_size=12, fill=SOFT)] if said else []),
    ]
    markers = [marker(at, line.look) for at in (*kept, _tip(line, axes))]
    return group("end", *markers, text((left, height + 4.5), *words, size=13), data_game=clean(line.game.key))


def _legend(lines: list[_Line], room: float) -> tuple[Svg, float]:
    """Return the merged legend in even columns, and where it ends."""
    games = [line.game for line in lines]
    words = [f"{clean(g.title)}, {clean(g.edition)}: times within {amount(g.grain)} min" for g in games]
    words = [shorten(each, 12, room - _LEFT - 60) for each in words]
    signs = [sign_of(line.look) for line in lines]
    return legend(list(zip(signs, words, strict=True)), (_LEFT, _LEGEND), room - _LEFT)
