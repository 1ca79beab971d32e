"""Charts: each is a small table of exact shares, drawn from a Vega-Lite specification without any network.

The table is the chart's twin on the page: the same rows. What is not decided by the end of the watch is a row and a
drawn series of its own; nothing is dropped.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

import attrs

from fireplan.comparison import Comparison, Measured
from fireplan.draw.lettering import amount
from fireplan.draw.palette import INK, RAMP
from fireplan.draw.vega import specification
from fireplan_core import Severity

NEVER = "not within the watch"
_WIDTH, _HEIGHT = 500, 260
_BARS = 8
_LETTER, _NARROWEST, _LINES = 6.6, 8, 6
"""Of the titles under bars: pixels a letter, letters a line has at least, lines there are at most."""
_SEVERITIES = tuple(severity.name.lower() for severity in Severity)
_BAR = {"type": "bar", "stroke": INK, "strokeWidth": 0.8}

Row = tuple[str, tuple[Fraction | None, ...]]
Body = dict[str, Any]
"""Part of a Vega-Lite specification."""


@attrs.frozen
class Chart:
    """A chart and its twin: its name and title, how to read it, the heads of the table, its rows, the specification."""

    name: str
    title: str
    reading: str
    corner: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    spec: str


class MakeChart(Protocol):
    """Makes a chart of a comparison in a mode, with games and rows exchanged if it is transposed."""

    def __call__(self, comparison: Comparison, mode: str, *, transpose: bool) -> Chart:
        """Return the chart."""
        raise NotImplementedError


# --- encodings -----------------------------------------------------------------------------------
def _titles(comparison: Comparison) -> tuple[str, ...]:
    return tuple(game.title for game in comparison.games.values())


def _series(comparison: Comparison, *marks: str) -> Body:
    """Return the encodings that tell games apart: ``color``, ``strokeDash``, ``shape``."""
    looks = [comparison.look_of(key) for key in comparison.games]
    ranges: Mapping[str, list[Any]] = {
        "color": [each.colour for each in looks],
        "strokeDash": [[1, 0] if each.dash == "none" else [float(n) for n in each.dash.split()] for each in looks],
        "shape": [each.shape for each in looks],
    }
    game = {"field": "game", "type": "nominal", "title": None, "sort": None}
    return {mark: {**game, "scale": {"domain": _titles(comparison), "range": ranges[mark]}} for mark in marks}


def _games_along(titles: Sequence[str]) -> Body:
    """Return the games side by side, each title in as many lines as fit under its own bars."""
    letters = max(_NARROWEST, int(_WIDTH / len(titles) / _LETTER))
    lines = {title: textwrap.wrap(title, letters)[:_LINES] for title in titles}
    label = f"({json.dumps(lines, ensure_ascii=True)})[datum.label]"
    axis = {"labelAngle": 0, "labelExpr": label, "labelLimit": _WIDTH / len(titles), "labelOverlap": False}
    return {"field": "game", "type": "nominal", "title": None, "axis": axis, "sort": list(titles)}


def _shares(title: str | None) -> Body:
    axis = {"format": "%", "tickCount": 5}
    return {"field": "share", "type": "quantitative", "title": title, "scale": {"domain": [0, 1]}, "axis": axis}


def _quantity(field: str, title: str, end: float) -> Body:
    return {"field": field, "type": "quantitative", "title": title, "scale": {"domain": [0, end]}}


def _plot(values: Iterable[Body], encoding: Body, width: float = _WIDTH, **more: Any) -> Body:
    return {"width": width, "height": _HEIGHT, "data": {"values": list(values)}, "encoding": encoding, **more}


def _steps(comparison: Comparison, interpolate: str) -> list[Body]:
    """Return a line for each game, and its markers."""
    line = {"type": "line", "interpolate": interpolate, "strokeWidth": 2}
    point = {"type": "point", "filled": True, "size": 60, "opacity": 1}
    return [
        {"mark": line, "encoding": _series(comparison, "color", "strokeDash")},
        {"mark": point, "encoding": _series(comparison, "color", "shape")},
    ]


# --- rows and columns exchanged ------------------------------------------------------------------
def _turned(chart: Chart) -> Chart:
    """Return the same table with rows and columns exchanged."""
    rows = tuple((head, tuple(row[1][i] for row in chart.rows)) for i, head in enumerate(chart.heads))
    return attrs.evolve(chart, corner="game", heads=tuple(label for label, _ in chart.rows), rows=rows)


def _most_happens(chart: Chart, *, cumulative: bool) -> list[Row]:
    """Return the ``_BARS`` rows in which most happens; the first and the last are always among them."""
    nothing = (Fraction(0),) * len(chart.heads)
    shares = [tuple(share or Fraction(0) for share in row) for _, row in chart.rows]
    before = [nothing, *shares] if cumulative else [nothing] * len(shares)
    happens = [
        sum((abs(now - was) for now, was in zip(row, last, strict=True)), Fraction(0))
        for row, last in zip(shares, before, strict=False)
    ]
    happens[0] = happens[-1] = Fraction(len(chart.heads) + 1)
    chosen = sorted(range(len(shares)), key=lambda n: (-happens[n], n))[:_BARS]
    return [chart.rows[n] for n in sorted(chosen)]


def _transposed(chart: Chart, *, cumulative: bool) -> Chart:
    """Return the same shares with the games along the axis and a bar for each row."""
    bars = _most_happens(chart, cumulative=cumulative)
    labels = [label for label, _ in bars]
    values = (
        {"game": title, "row": label, "share": float(row[column] or 0)}
        for label, row in bars
        for column, title in enumerate(chart.heads)
    )
    encoding = {
        "x": _games_along(chart.heads),
        "xOffset": {"field": "row", "sort": labels},
        "y": _shares("chance"),
        "color": {
            "field": "row",
            "type": "ordinal",
            "sort": labels,
            "scale": {"domain": labels, "scheme": {"name": "cividis", "extent": [1, 0]}},
            "legend": {"title": chart.corner, "columns": 4},
        },
    }
    reading = "Transposed: the games stand side by side, with a bar for each row of the table."
    if len(chart.rows) > _BARS:
        reading += f" {_BARS} of {len(chart.rows)} rows are drawn, those in which most happens; the table holds all."
    spec = specification(chart.title, _plot(values, encoding, mark=_BAR))
    return attrs.evolve(_turned(chart), reading=reading, spec=spec)


# --- delivery ------------------------------------------------------------------------------------
@attrs.frozen
class _First:
    """The first fire for effect of a game: its minutes with their probability, and that of none within the watch."""

    title: str
    fell: Mapping[Fraction, Fraction]
    never: Fraction

    def share(self, mode: str, minute: Fraction) -> Fraction:
        if mode == "exactly":
            return self.fell.get(minute, Fraction(0))
        if mode == "atmost":
            return sum((p for m, p in self.fell.items() if m <= minute), Fraction(0))
        return sum((p for m, p in self.fell.items() if m >= minute), self.never)


def _first(comparison: Comparison) -> list[_First]:
    measured = ((game.title, game.measures["minutes_to_first_effect"]) for game in comparison.games.values())
    return [
        _First(title, dict(one.distribution or ()), one.unresolved)
        if isinstance(one, Measured)
        else _First(title, {}, Fraction(1))
        for title, one in measured
    ]


def delivery(comparison: Comparison, mode: str, *, transpose: bool) -> Chart:
    """Return by minute the chance that fire for effect first falls then, by then, or not before."""
    games = _first(comparison)
    words = {"exactly": "at minute", "atleast": "not before minute", "atmost": "by minute"}[mode]
    minutes = sorted({minute for game in games for minute in game.fell})
    rows: list[Row] = [
        (f"{words} {amount(minute)}", tuple(game.share(mode, minute) for game in games)) for minute in minutes
    ]
    rows.append((NEVER, tuple(game.never for game in games)))
    title = "Delivery over the minutes"
    body = {
        "hconcat": [_delivered(comparison, games, mode, words.removesuffix(" minute")), _late(comparison, games)],
        "resolve": {"scale": dict.fromkeys(("color", "shape", "strokeDash"), "independent")},
    }
    chart = Chart(
        "delivery",
        title,
        "Each line is a game. Bars at the right: what falls only after the watch (a coarse grain), and what has not"
        " fallen by its end (never).",
        "first effect",
        _titles(comparison),
        tuple(rows),
        specification(title, body),
    )
    return _transposed(chart, cumulative=mode != "exactly") if transpose else chart


def _delivered(comparison: Comparison, games: list[_First], mode: str, words: str) -> Body:
    """Return the lines over the minutes watched, with a marker where a game's share changes."""
    watch = comparison.engagement.minutes
    minutes = sorted({minute for game in games for minute in game.fell if minute <= watch})
    values: list[Body] = [
        {"game": game.title, "minute": float(m), "share": float(game.share(mode, m)), "step": m in game.fell}
        for game in games
        for m in minutes
        if mode != "exactly" or m in game.fell
    ]
    if mode == "atmost":
        values += [{"game": game.title, "minute": 0.0, "share": 0.0, "step": False} for game in games]
    line, point = _steps(comparison, {"atmost": "step-after", "atleast": "step-before"}.get(mode, "linear"))
    layer = [line, {**point, "transform": [{"filter": "datum.step"}]}]
    chance = _shares(f"chance that fire falls {words} the minute")
    return _plot(values, {"x": _quantity("minute", "minutes", watch), "y": chance}, _WIDTH - 140, layer=layer)


def _late(comparison: Comparison, games: list[_First]) -> Body:
    """Return the bars for what falls after the watch, and for what has not fallen by its end."""
    watch = comparison.engagement.minutes
    later = (sum((p for m, p in game.fell.items() if m > watch), Fraction(0)) for game in games)
    values = [{"game": g.title, "share": float(share), "what": "later"} for g, share in zip(games, later, strict=True)]
    values += [{"game": game.title, "share": float(game.never), "what": "never"} for game in games]
    encoding = {
        "x": {"field": "what", "type": "nominal", "title": None, "axis": {"labelAngle": 0}},
        "xOffset": {"field": "game", "type": "nominal", "sort": _titles(comparison)},
        "y": _shares(None),
        "color": {**_series(comparison, "color")["color"], "legend": None},
    }
    return _plot(values, encoding, 64 + 12 * len(games), mark=_BAR)


# --- severity ------------------------------------------------------------------------------------
def severity(comparison: Comparison, mode: str, *, transpose: bool) -> Chart:
    """Return the share of the target by the worst that befalls it, by game."""
    found = [game.measures["target_severity"] for game in comparison.games.values()]
    shares = [dict((each.distribution or ()) if isinstance(each, Measured) else ()) for each in found]
    words = {"exactly": "", "atleast": " or worse", "atmost": " or milder"}[mode]
    rows: list[Row] = []
    for place, name in enumerate(_SEVERITIES):
        spans = {"exactly": slice(place, place + 1), "atleast": slice(place, None), "atmost": slice(place + 1)}
        among = _SEVERITIES[spans[mode]]
        label = name if len(among) == 1 else name + words
        rows.append((label, tuple(sum((each.get(n, Fraction(0)) for n in among), Fraction(0)) for each in shares)))
    title = "The target at worst"
    values = (
        {"game": game, "outcome": label, "share": float(row[column] or 0), "order": place}
        for place, (label, row) in enumerate(rows)
        for column, game in enumerate(_titles(comparison))
    )
    encoding = _severity_encoding(comparison, [label for label, _ in rows], mode, transpose=transpose)
    chart = Chart(
        "severity",
        title,
        "What the fire does to an element of the target drawn at random by strength.",
        "at worst",
        _titles(comparison),
        tuple(rows),
        specification(title, _plot(values, encoding, mark=_BAR)),
    )
    return _turned(chart) if transpose else chart


def _severity_encoding(comparison: Comparison, outcomes: list[str], mode: str, *, transpose: bool) -> Body:
    titles = _titles(comparison)
    y = _shares("share of the target, an element at random")
    outcome: Body = {"field": "outcome", "type": "nominal", "title": None, "sort": outcomes}
    if transpose:
        x = {**outcome, "axis": {"labelAngle": 0}}
        return {"x": x, "xOffset": {"field": "game", "sort": titles}, "y": y, **_series(comparison, "color")}
    scale = {"domain": outcomes, "range": [RAMP[0], RAMP[1], RAMP[3], RAMP[4]]}
    by_outcome = {**outcome, "scale": scale, "legend": {"title": "at worst"}}
    x = _games_along(titles)
    if mode == "exactly":
        return {"x": x, "y": {**y, "stack": "zero"}, "color": by_outcome, "order": {"field": "order"}}
    return {"x": x, "xOffset": {"field": "outcome", "sort": outcomes}, "y": y, "color": by_outcome}


# --- danger --------------------------------------------------------------------------------------
def danger(comparison: Comparison, mode: str, *, transpose: bool) -> Chart:  # noqa: ARG001 - every chart takes a mode
    """Return how likely the first fire for effect covers a point so many metres towards one's own side."""
    titles = _titles(comparison)
    steps = [game.picture.danger if game.picture else () for game in comparison.games.values()]
    own = comparison.engagement.own_troops
    metres = sorted({start for each in steps for start, _ in each} | ({float(own.distance_m)} if own else set()))
    end = max([*metres, 50.0]) * 1.05

    def at(each: tuple[tuple[float, Fraction], ...], distance: float) -> Fraction:
        return next((share for start, share in reversed(each) if start <= distance), Fraction(0))

    rows = tuple((f"{amount(distance)} m", tuple(at(each, distance) for each in steps)) for distance in metres)
    values = (
        {"game": title, "metres": distance, "share": float(at(each, distance))}
        for title, each in zip(titles, steps, strict=True)
        for distance in [*metres, end]
    )
    layer = _steps(comparison, "step-after") + ([_own_troops(own.distance_m)] if own else [])
    title = "Risk to one's own side, by distance"
    encoding = {
        "x": _quantity("metres", "metres from the target's centre", end),
        "y": _shares("chance to be under the first fire"),
    }
    chart = Chart(
        "danger",
        title,
        "The chance that the first fire for effect covers a point so many metres from the target towards the firer.",
        "distance from the target's centre",
        titles,
        rows,
        specification(title, _plot(values, encoding, layer=layer)),
    )
    return _transposed(chart, cumulative=True) if transpose else chart


def _own_troops(distance_m: int) -> Body:
    """Return the upright line where own troops are, with its words."""
    words = {"type": "text", "align": "left", "dx": 5, "dy": 8, "baseline": "top", "color": INK, "fontSize": 12}
    rule = {"type": "rule", "strokeDash": [2, 3], "color": INK}
    return {
        "data": {"values": [{"metres": float(distance_m), "share": 1.0, "text": "own troops"}]},
        "layer": [
            {"mark": rule, "encoding": {"y": {"value": 0}, "y2": {"value": _HEIGHT}}},
            {"mark": words, "encoding": {"text": {"field": "text"}, "y": {"value": 0}}},
        ],
    }


CHARTS: Mapping[str, MakeChart] = {"delivery": delivery, "severity": severity, "danger": danger}
"""The charts of a comparison by name."""
