"""Charts: each is a small table of exact shares, drawn from a Vega-Lite specification without any network.

The table is the chart's twin on the page: the same rows. What is not decided by the end of the watch is a row and a
drawn series of its own; nothing is dropped.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan.compare import Comparison, Measured
from fireplan.compare._drawing import INK, RAMP, look
from fireplan.studio._vega import specification
from fireplan_core import Severity

MODES = ("exactly", "atleast", "atmost")
NEVER = "not within the watch"
_WIDTH, _HEIGHT = 500, 260
_BARS = 8
_LETTER, _NARROWEST, _LINES = 6.6, 8, 6
"""Of the titles under bars: pixels a letter, letters a line has at least, lines there are at most."""
_SEVERITIES = tuple(severity.name.lower() for severity in Severity)

Row = tuple[str, tuple[Fraction | None, ...]]


@attrs.frozen
class Chart:
    """A chart and its twin: what it shows, the heads of the columns, the rows of shares, and the specification."""

    name: str
    title: str
    reading: str
    corner: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    spec: str


def _games(comparison: Comparison) -> tuple[list[str], list[str], dict[str, Any]]:
    keys = list(comparison.games)
    titles = [comparison.games[key].title for key in keys]
    looks = [look(comparison.look_of(key)) for key in keys]
    scales = {
        "color": {"domain": titles, "range": [each.colour for each in looks]},
        "strokeDash": {"domain": titles, "range": [_dash(each.dash) for each in looks]},
        "shape": {"domain": titles, "range": [each.shape for each in looks]},
    }
    return keys, titles, scales


def _dash(dash: str) -> list[float]:
    return [1, 0] if dash == "none" else [float(part) for part in dash.split()]


def _turned(chart: Chart) -> Chart:
    """The same table with rows and columns exchanged."""
    rows = tuple((head, tuple(row[1][i] for row in chart.rows)) for i, head in enumerate(chart.heads))
    return attrs.evolve(chart, corner="game", heads=tuple(label for label, _ in chart.rows), rows=rows)


def _transposed(chart: Chart, *, cumulative: bool) -> Chart:
    """The same shares with the games along the axis and a bar for each row: the ``_BARS`` in which most happens."""
    nothing = (Fraction(0),) * len(chart.heads)
    shares = [tuple(share or Fraction(0) for share in row) for _, row in chart.rows]
    before = [nothing, *shares] if cumulative else [nothing] * len(shares)
    happens = [
        sum((abs(now - was) for now, was in zip(row, last, strict=True)), Fraction(0))
        for row, last in zip(shares, before, strict=False)
    ]
    happens[0] = happens[-1] = Fraction(len(chart.heads) + 1)  # where it begins and ends is always drawn
    count = len(chart.rows)
    chosen = sorted(sorted(range(count), key=lambda n: (-happens[n], n))[:_BARS])
    bars = [chart.rows[n] for n in chosen]
    labels = [label for label, _ in bars]
    values = [
        {"game": title, "row": label, "share": float(row[column] or 0)}
        for label, row in bars
        for column, title in enumerate(chart.heads)
    ]
    body = {
        "width": _WIDTH,
        "height": _HEIGHT,
        "data": _data(values),
        "mark": {"type": "bar", "stroke": INK, "strokeWidth": 0.8},
        "encoding": {
            "x": _games_along(chart.heads),
            "xOffset": {"field": "row", "sort": labels},
            "y": _percent_axis("chance"),
            "color": {
                "field": "row",
                "type": "ordinal",
                "sort": labels,
                "scale": {"domain": labels, "scheme": {"name": "cividis", "extent": [1, 0]}},
                "legend": {"title": chart.corner, "columns": 4},
            },
        },
    }
    said = (
        f" {_BARS} of {count} rows are drawn, those in which most happens; the table holds all."
        if count > _BARS
        else ""
    )
    return attrs.evolve(
        _turned(chart),
        reading=f"Transposed: the games stand side by side, with a bar for each row of the table.{said}",
        spec=specification(chart.title, body),
    )


def _games_along(titles: Sequence[str]) -> dict[str, Any]:
    """The games side by side, each title in as many lines as fit under its own bars."""
    letters = max(_NARROWEST, int(_WIDTH / len(titles) / _LETTER))
    lines = {title: textwrap.wrap(title, letters)[:_LINES] for title in titles}
    label = f"({json.dumps(lines, ensure_ascii=True)})[datum.label]"
    axis = {"labelAngle": 0, "labelExpr": label, "labelLimit": _WIDTH / len(titles), "labelOverlap": False}
    return {"field": "game", "type": "nominal", "title": None, "axis": axis, "sort": list(titles)}


def _data(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"values": rows}


def _percent_axis(title: str) -> dict[str, Any]:
    return {
        "field": "share",
        "type": "quantitative",
        "title": title,
        "scale": {"domain": [0, 1]},
        "axis": {"format": "%", "tickCount": 5},
    }


def _series(scales: dict[str, Any], *marks: str) -> dict[str, Any]:
    return {
        mark: {"field": "game", "type": "nominal", "title": None, "scale": scales[mark], "sort": None} for mark in marks
    }


def delivery(comparison: Comparison, mode: str, *, transpose: bool) -> Chart:
    """By minute: the chance that fire for effect first falls then, by then, or not before."""
    keys, titles, scales = _games(comparison)
    watch = comparison.engagement.minutes
    spread = {key: _first(comparison, key) for key in keys}
    minutes = sorted({minute for shares, _ in spread.values() for minute in shares})
    words = {"exactly": "at minute", "atleast": "not before minute", "atmost": "by minute"}[mode]
    rows: list[Row] = []
    for minute in minutes:
        shares: list[Fraction | None] = []
        for key in keys:
            fell, never = spread[key]
            share = {
                "exactly": fell.get(minute, Fraction(0)),
                "atmost": sum((p for m, p in fell.items() if m <= minute), Fraction(0)),
                "atleast": sum((p for m, p in fell.items() if m >= minute), Fraction(0)) + never,
            }[mode]
            shares.append(share)
        rows.append((f"{words} {_number(minute)}", tuple(shares)))
    rows.append((NEVER, tuple(spread[key][1] for key in keys)))
    curve: list[dict[str, Any]] = [
        {
            "game": title,
            "minute": float(minute),
            "share": float(rows[i][1][column] or 0),
            "step": minute in spread[keys[column]][0],
        }
        for column, title in enumerate(titles)
        for i, minute in enumerate(minutes)
        if minute <= watch and (mode != "exactly" or minute in spread[keys[column]][0])
    ]
    if mode == "atmost":
        curve += [{"game": title, "minute": 0.0, "share": 0.0, "step": False} for title in titles]
    late: list[dict[str, Any]] = [
        {"game": title, "share": float(sum((p for m, p in fell.items() if m > watch), Fraction(0))), "what": "later"}
        for title, (fell, _) in zip(titles, spread.values(), strict=True)
    ]
    missing: list[dict[str, Any]] = [
        {"game": title, "share": float(unresolved), "what": "never"}
        for title, (_, unresolved) in zip(titles, spread.values(), strict=True)
    ]
    x = {"field": "minute", "type": "quantitative", "title": "minutes", "scale": {"domain": [0, watch]}}
    y = _percent_axis(f"chance that fire falls {words.removesuffix(' minute')} the minute")
    line: dict[str, Any] = {
        "width": _WIDTH - 140,
        "height": _HEIGHT,
        "data": _data(curve),
        "encoding": {"x": x, "y": y},
        "layer": [
            {
                "transform": [{"filter": "datum.step"}],
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": _series(scales, "color", "shape"),
            },
        ],
    }
    interpolate = {"atmost": "step-after", "atleast": "step-before"}.get(mode, "linear")
    line["layer"].insert(
        0,
        {
            "mark": {"type": "line", "interpolate": interpolate, "strokeWidth": 2},
            "encoding": _series(scales, "color", "strokeDash"),
        },
    )
    bars = {
        "width": 64 + 12 * len(keys),
        "height": _HEIGHT,
        "data": _data([*late, *missing]),
        "mark": {"type": "bar", "stroke": "#1a1a1a"},
        "encoding": {
            "x": {"field": "what", "type": "nominal", "title": None, "axis": {"labelAngle": 0}},
            "xOffset": {"field": "game", "type": "nominal", "sort": titles},
            "y": {**_percent_axis(""), "title": None},
            "color": {**_series(scales, "color")["color"], "legend": None},
        },
    }
    title = "Delivery over the minutes"
    chart = Chart(
        "delivery",
        title,
        "Each line is a game. Bars at the right: what falls only after the watch (a coarse grain), and what has not"
        " fallen by its end (never).",
        "first effect",
        tuple(titles),
        tuple(rows),
        specification(
            title,
            {
                "hconcat": [line, bars],
                "resolve": {"scale": dict.fromkeys(("color", "shape", "strokeDash"), "independent")},
            },
        ),
    )
    return _transposed(chart, cumulative=mode != "exactly") if transpose else chart


def _first(comparison: Comparison, key: str) -> tuple[dict[Fraction, Fraction], Fraction]:
    measured = comparison.games[key].measures["minutes_to_first_effect"]
    if not isinstance(measured, Measured):
        return {}, Fraction(1)
    return dict(measured.distribution or ()), measured.unresolved


def severity(comparison: Comparison, mode: str, *, transpose: bool) -> Chart:
    """What befalls an element of the target at worst, by game."""
    keys, titles, scales = _games(comparison)
    shares = [dict(_distribution(comparison, key)) for key in keys]
    rows: list[Row] = []
    words = {"exactly": "", "atleast": " or worse", "atmost": " or milder"}[mode]
    for place, name in enumerate(_SEVERITIES):
        among = {"exactly": _SEVERITIES[place : place + 1], "atleast": _SEVERITIES[place:]}.get(
            mode, _SEVERITIES[: place + 1]
        )
        label = name if mode == "exactly" or len(among) == 1 else name + words
        rows.append((label, tuple(sum((each.get(n, Fraction(0)) for n in among), Fraction(0)) for each in shares)))
    values = [
        {"game": title, "outcome": label, "share": float(row[column] or 0), "order": place}
        for place, (label, row) in enumerate(rows)
        for column, title in enumerate(titles)
    ]
    outcomes = [label for label, _ in rows]
    steps = [RAMP[0], RAMP[1], RAMP[3], RAMP[4]]
    y = _percent_axis("share of the target, an element at random")
    game = _games_along(titles)
    outcome = {"field": "outcome", "type": "nominal", "title": None, "sort": outcomes, "axis": {"labelAngle": 0}}
    by_outcome = {**outcome, "scale": {"domain": outcomes, "range": steps}, "legend": {"title": "at worst"}}
    by_outcome.pop("axis")
    mark = {"type": "bar", "stroke": "#1a1a1a", "strokeWidth": 0.8}
    encoding: dict[str, Any]
    if transpose:
        encoding = {"x": outcome, "xOffset": {"field": "game", "sort": titles}, "y": y, **_series(scales, "color")}
    elif mode == "exactly":
        encoding = {"x": game, "y": {**y, "stack": "zero"}, "color": by_outcome, "order": {"field": "order"}}
    else:
        encoding = {"x": game, "xOffset": {"field": "outcome", "sort": outcomes}, "y": y, "color": by_outcome}
    title = "The target at worst"
    chart = Chart(
        "severity",
        title,
        "What the fire does to an element of the target drawn at random by strength.",
        "at worst",
        tuple(titles),
        tuple(rows),
        specification(
            title, {"width": _WIDTH, "height": _HEIGHT, "data": _data(values), "mark": mark, "encoding": encoding}
        ),
    )
    return _turned(chart) if transpose else chart


def _distribution(comparison: Comparison, key: str) -> tuple[tuple[Any, Fraction], ...]:
    measured = comparison.games[key].measures["target_severity"]
    return (measured.distribution or ()) if isinstance(measured, Measured) else ()


def danger(comparison: Comparison, mode: str, *, transpose: bool) -> Chart:  # noqa: ARG001 - every chart takes a mode
    """How likely the first fire for effect covers a point so many metres towards one's own side."""
    _, titles, scales = _games(comparison)
    steps = [game.picture.danger if game.picture else () for game in comparison.games.values()]
    own = comparison.engagement.own_troops
    metres = sorted({start for each in steps for start, _ in each} | ({float(own.distance_m)} if own else set()))
    end = max([*metres, 50.0]) * 1.05

    def at(each: tuple[tuple[float, Fraction], ...], distance: float) -> Fraction:
        return next((share for start, share in reversed(each) if start <= distance), Fraction(0))

    rows = tuple((f"{_number(distance)} m", tuple(at(each, distance) for each in steps)) for distance in metres)
    values = [
        {"game": title, "metres": distance, "share": float(at(each, min(distance, metres[-1] if metres else 0)))}
        for title, each in zip(titles, steps, strict=True)
        for distance in [*metres, end]
    ]
    layers: list[dict[str, Any]] = [
        {
            "data": _data(values),
            "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
            "encoding": _series(scales, "color", "strokeDash"),
        },
        {
            "data": _data(values),
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": _series(scales, "color", "shape"),
        },
    ]
    if own is not None:
        layers.append(
            {
                "data": _data([{"metres": float(own.distance_m), "share": 1.0, "text": "own troops"}]),
                "layer": [
                    {
                        "mark": {"type": "rule", "strokeDash": [2, 3], "color": INK},
                        "encoding": {"y": {"value": 0}, "y2": {"value": _HEIGHT}},
                    },
                    {
                        "mark": {
                            "type": "text",
                            "align": "left",
                            "dx": 5,
                            "dy": 8,
                            "baseline": "top",
                            "color": INK,
                            "fontSize": 12,
                        },
                        "encoding": {"text": {"field": "text"}, "y": {"value": 0}},
                    },
                ],
            }
        )
    title = "Risk to one's own side, by distance"
    chart = Chart(
        "danger",
        title,
        "The chance that the first fire for effect covers a point so many metres from the target towards the firer.",
        "distance from the target's centre",
        tuple(titles),
        rows,
        specification(
            title,
            {
                "width": _WIDTH,
                "height": _HEIGHT,
                "encoding": {
                    "x": {
                        "field": "metres",
                        "type": "quantitative",
                        "title": "metres from the target's centre",
                        "scale": {"domain": [0, end]},
                    },
                    "y": _percent_axis("chance to be under the first fire"),
                },
                "layer": layers,
            },
        ),
    )
    return _transposed(chart, cumulative=True) if transpose else chart


CHARTS = {"delivery": delivery, "severity": severity, "danger": danger}
"""The charts of a comparison by name."""


def _number(value: Fraction | float) -> str:
    whole = round(value)
    return f"{whole:,}" if whole == value else f"{float(value):,.1f}"


__all__ = ["CHARTS", "MODES", "NEVER", "Chart", "Row", "danger", "delivery", "severity"]
