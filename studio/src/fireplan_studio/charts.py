"""Charts: each is a small table of exact shares, drawn by ``fireplan.draw.plot``.

The table is the chart's twin on the page: the same rows. What is not decided by the end of the
watch is a row and a drawn series of its own; nothing is dropped.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction

import attrs

from fireplan.analysis import Comparison, Measured
from fireplan.draw.lettering import amount
from fireplan.draw.palette import RAMP, Look
from fireplan.draw.plot import Mark, Plot, amounts, bars, chart, curve, marks, upright
from fireplan_core import Severity

NEVER = "not within the watch"
_WIDTH = 500.0
_TINTS = ("#fee838", "#d8c756", "#b3a76e", "#8f8a75", "#6c6f75", "#4b556e", "#263b5f", "#00224e")
"""Even steps of the ramp, one for each bar."""
_BARS = len(_TINTS)
_SEVERITIES = tuple(severity.name.lower() for severity in Severity)
_OUTCOMES = (RAMP[0], RAMP[1], RAMP[3], RAMP[4])
_NOTHING = Fraction(0)

Row = tuple[str, tuple[Fraction | None, ...]]
Legend = list[tuple[Mark, str]]


@attrs.frozen
class Chart:
    """A chart and its twin: its name and title, how to read it, the heads of the table, its rows, the SVG."""

    name: str
    title: str
    reading: str
    corner: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    drawing: str


MakeChart = Callable[..., Chart]
"""Makes a chart of a comparison in a mode, with games and rows exchanged with ``transpose``."""


# --- games ---------------------------------------------------------------------------------------
def _titles(comparison: Comparison) -> tuple[str, ...]:
    return tuple(game.title for game in comparison.games.values())


def _looks(comparison: Comparison) -> list[Look]:
    return [comparison.look_of(key) for key in comparison.games]


def _lines(comparison: Comparison) -> Legend:
    return [
        (("sign", look), title)
        for look, title in zip(_looks(comparison), _titles(comparison), strict=True)
    ]


# --- rows and columns exchanged ------------------------------------------------------------------
def _turned(made: Chart) -> Chart:
    rows = tuple((head, tuple(row[1][i] for row in made.rows)) for i, head in enumerate(made.heads))
    return attrs.evolve(
        made, corner="game", heads=tuple(label for label, _ in made.rows), rows=rows
    )


def _most_happens(made: Chart, *, cumulative: bool) -> list[Row]:
    """Return the ``_BARS`` rows in which most happens.

    The first and the last are always among them.
    """
    nothing = (Fraction(0),) * len(made.heads)
    shares = [tuple(share or Fraction(0) for share in row) for _, row in made.rows]
    before = [nothing, *shares] if cumulative else [nothing] * len(shares)
    happens = [
        sum((abs(now - was) for now, was in zip(row, last, strict=True)), Fraction(0))
        for row, last in zip(shares, before, strict=False)
    ]
    happens[0] = happens[-1] = Fraction(len(made.heads) + 1)
    chosen = sorted(range(len(shares)), key=lambda n: (-happens[n], n))[:_BARS]
    return [made.rows[n] for n in sorted(chosen)]


def _transposed(made: Chart, *, cumulative: bool) -> Chart:
    """Return the same shares with the games along the axis and a bar for each row."""
    drawn = _most_happens(made, cumulative=cumulative)
    groups = [
        (
            title,
            [
                (colour, row[1][column] or _NOTHING)
                for colour, row in zip(_TINTS, drawn, strict=False)
            ],
        )
        for column, title in enumerate(made.heads)
    ]
    legend = [
        (("swatch", colour), label) for colour, (label, _) in zip(_TINTS, drawn, strict=False)
    ]
    reading = "Transposed: the games stand side by side, with a bar for each row of the table."
    if len(made.rows) > _BARS:
        reading += f" {_BARS} of {len(made.rows)} rows are drawn, those in which most happens; the table holds all."
    picture = chart(made.title, [bars(groups, _WIDTH, upward="chance")], legend, made.corner)
    return attrs.evolve(_turned(made), reading=reading, drawing=picture)


# --- delivery ------------------------------------------------------------------------------------
@attrs.frozen
class _First:
    """The first fire for effect of a game: its minutes with their probability, and that of none within the watch."""

    fell: Mapping[Fraction, Fraction]
    never: Fraction

    def share(self, mode: str, minute: Fraction) -> Fraction:
        if mode == "exactly":
            return self.fell.get(minute, Fraction(0))
        if mode == "atmost":
            return sum((p for m, p in self.fell.items() if m <= minute), Fraction(0))
        return sum((p for m, p in self.fell.items() if m >= minute), self.never)


def _first(comparison: Comparison) -> list[_First]:
    found = (game.measures["minutes_to_first_effect"] for game in comparison.games.values())
    nothing = _First({}, Fraction(1))
    return [
        _First(dict(e.distribution or ()), e.unresolved) if isinstance(e, Measured) else nothing
        for e in found
    ]


def delivery(comparison: Comparison, mode: str, *, transpose: bool) -> Chart:
    """Return by minute the chance that fire for effect first falls then, by then, or not before."""
    games = _first(comparison)
    words = {"exactly": "at minute", "atleast": "not before minute", "atmost": "by minute"}[mode]
    minutes = sorted({minute for game in games for minute in game.fell})
    rows: list[Row] = [
        (f"{words} {amount(minute)}", tuple(game.share(mode, minute) for game in games))
        for minute in minutes
    ]
    rows.append((NEVER, tuple(game.never for game in games)))
    title = "Delivery over the minutes"
    plots = [
        _delivered(comparison, games, mode, words.removesuffix(" minute")),
        _late(comparison, games),
    ]
    made = Chart(
        "delivery",
        title,
        "Each line is a game. Bars at the right: what falls only after the watch (a coarse grain), and what has not"
        " fallen by its end (never).",
        "first effect",
        _titles(comparison),
        tuple(rows),
        chart(title, plots, _lines(comparison)),
    )
    return _transposed(made, cumulative=mode != "exactly") if transpose else made


def _delivered(comparison: Comparison, games: list[_First], mode: str, words: str) -> Plot:
    """Return the lines over the minutes watched, with a marker where a game's share changes."""
    watch, room = comparison.engagement.minutes, _WIDTH - 140
    minutes = sorted({minute for game in games for minute in game.fell if minute <= watch})
    kind = {"atmost": "after", "atleast": "before"}.get(mode, "linear")
    drawn: list[Mark] = []
    for game, look in zip(games, _looks(comparison), strict=True):
        own = [minute for minute in minutes if minute in game.fell]
        line = [(float(m), game.share(mode, m)) for m in (own if mode == "exactly" else minutes)]
        begun = [(0.0, _NOTHING)] if mode == "atmost" else []
        drawn.append(curve([*begun, *line], watch, room, look, kind))
        drawn += marks([(float(m), game.share(mode, m)) for m in own], watch, room, look)
    return Plot(
        room, drawn, amounts(watch, room), "minutes", f"chance that fire falls {words} the minute"
    )


def _late(comparison: Comparison, games: list[_First]) -> Plot:
    """Return the bars for what falls after the watch, and for what has not fallen by its end."""
    watch = comparison.engagement.minutes
    later = [sum((p for m, p in game.fell.items() if m > watch), _NOTHING) for game in games]
    colours = [look.colour for look in _looks(comparison)]
    groups = (("later", later), ("never", [game.never for game in games]))
    return bars(
        [(what, list(zip(colours, shares, strict=True))) for what, shares in groups],
        64.0 + 12 * len(games),
    )


# --- severity ------------------------------------------------------------------------------------
def severity(comparison: Comparison, mode: str, *, transpose: bool) -> Chart:
    """Return the share of the target by the worst that befalls it, by game."""
    found = [game.measures["target_severity"] for game in comparison.games.values()]
    shares = [
        dict((each.distribution or ()) if isinstance(each, Measured) else ()) for each in found
    ]
    words = {"exactly": "", "atleast": " or worse", "atmost": " or milder"}[mode]
    rows: list[Row] = []
    for place, name in enumerate(_SEVERITIES):
        spans = {
            "exactly": slice(place, place + 1),
            "atleast": slice(place, None),
            "atmost": slice(place + 1),
        }
        among = _SEVERITIES[spans[mode]]
        label = name if len(among) == 1 else name + words
        rows.append(
            (
                label,
                tuple(
                    sum((each.get(n, Fraction(0)) for n in among), Fraction(0)) for each in shares
                ),
            )
        )
    title = "The target at worst"
    made = Chart(
        "severity",
        title,
        "What the fire does to an element of the target drawn at random by strength.",
        "at worst",
        _titles(comparison),
        tuple(rows),
        _severities(comparison, title, rows, stacked=mode == "exactly", transpose=transpose),
    )
    return _turned(made) if transpose else made


def _severities(
    comparison: Comparison, title: str, rows: list[Row], *, stacked: bool, transpose: bool
) -> str:
    games = [look.colour for look in _looks(comparison)], _titles(comparison)
    outcomes = _OUTCOMES, [label for label, _ in rows]
    shares = (
        [each for _, each in rows]
        if transpose
        else list(zip(*(each for _, each in rows), strict=True))
    )
    (colours, signs), (_, along) = (games, outcomes) if transpose else (outcomes, games)
    groups = [
        (what, [(colour, share or _NOTHING) for colour, share in zip(colours, each, strict=True)])
        for what, each in zip(along, shares, strict=True)
    ]
    legend = [(("swatch", colour), sign) for colour, sign in zip(colours, signs, strict=True)]
    drawn = bars(groups, _WIDTH, stacked=stacked and not transpose, upward="share of the target")
    return chart(title, [drawn], legend, "" if transpose else "at worst")


# --- danger --------------------------------------------------------------------------------------
def danger(comparison: Comparison, mode: str, *, transpose: bool) -> Chart:  # noqa: ARG001 - every chart takes a mode
    """Return how likely the first fire for effect covers a point so many metres towards one's own side."""
    titles = _titles(comparison)
    steps = [game.picture.danger if game.picture else () for game in comparison.games.values()]
    own = comparison.engagement.own_troops
    metres = sorted(
        {start for each in steps for start, _ in each} | ({float(own.distance_m)} if own else set())
    )
    end = max([*metres, 50.0]) * 1.05

    def at(each: tuple[tuple[float, Fraction], ...], distance: float) -> Fraction:
        return next((share for start, share in reversed(each) if start <= distance), Fraction(0))

    rows = tuple(
        (f"{amount(distance)} m", tuple(at(each, distance) for each in steps))
        for distance in metres
    )
    title = "Risk to one's own side, by distance"
    drawn: list[Mark] = []
    for each, look in zip(steps, _looks(comparison), strict=True):
        line = [(distance, at(each, distance)) for distance in [*metres, end]]
        drawn += [curve(line, end, _WIDTH, look, "after"), *marks(line, end, _WIDTH, look)]
    if own:
        drawn.append(upright(own.distance_m / end * _WIDTH, "own troops"))
    upward = "chance to be under the first fire"
    plot = Plot(_WIDTH, drawn, amounts(end, _WIDTH), "metres from the target's centre", upward)
    made = Chart(
        "danger",
        title,
        "The chance that the first fire for effect covers a point so many metres from the target towards the firer.",
        "distance from the target's centre",
        titles,
        rows,
        chart(title, [plot], _lines(comparison)),
    )
    return _transposed(made, cumulative=True) if transpose else made


CHARTS: Mapping[str, MakeChart] = {"delivery": delivery, "severity": severity, "danger": danger}
"""The charts of a comparison by name."""
