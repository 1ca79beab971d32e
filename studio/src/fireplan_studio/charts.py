"""The charts of a comparison, drawn by ``fireplan.draw.plot`` from tables of exact shares.

The page shows each chart above a table with the same rows. The share still undecided at the end of
the watch has its own row and series; nothing is dropped.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

import attrs

from fireplan.analysis import Comparison, Figure, Measured
from fireplan.draw.lettering import amount
from fireplan.draw.palette import RAMP, Look, look, looks_of
from fireplan.draw.plot import Mark, Plot, amounts, band, bars, chart, curve, marks, upright
from fireplan_core import Severity

NEVER = "not within the watch"
_WIDTH = 500.0
_TINTS = ("#fee838", "#d8c756", "#b3a76e", "#8f8a75", "#6c6f75", "#4b556e", "#263b5f", "#00224e")
"""Evenly spaced colours, one for each bar in a group."""
_BARS = len(_TINTS)
_SEVERITIES = tuple(severity.name.lower() for severity in Severity)
_OUTCOMES = (RAMP[0], RAMP[1], RAMP[3], RAMP[4])
_NOTHING = Fraction(0)

Row = tuple[str, tuple[Fraction | None, ...]]
Legend = list[tuple[Mark, str]]


@attrs.frozen
class PageChart:
    """A chart and its table.

    ``reading`` is a text on how to read the chart, and ``drawing`` is the chart as SVG. In the
    table, ``corner`` is the heading of the row labels, ``heads`` has the headings of the other
    columns, and ``rows`` has the label and the shares of each row.
    """

    name: str
    title: str
    reading: str
    corner: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    drawing: str


MakeChart = Callable[..., PageChart]
"""Draws a chart of a comparison in one of the ``MODES``; ``transpose`` swaps games and rows."""


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


# --- rows and columns swapped --------------------------------------------------------------------
def _swap_table(original: PageChart) -> PageChart:
    rows = tuple(
        (head, tuple(shares[i] for _, shares in original.rows))
        for i, head in enumerate(original.heads)
    )
    heads = tuple(label for label, _ in original.rows)
    return attrs.evolve(original, corner="game", heads=heads, rows=rows)


def _greatest_changes(made: PageChart, *, cumulative: bool) -> list[Row]:
    """Return the ``_BARS`` rows with the greatest change, including the first and the last row.

    The change of a row is the sum of its shares or, if they are ``cumulative``, of their
    differences from the previous row.
    """
    nothing = (Fraction(0),) * len(made.heads)
    shares = [tuple(share or Fraction(0) for share in row) for _, row in made.rows]
    before = [nothing, *shares] if cumulative else [nothing] * len(shares)
    changes = [
        sum((abs(now - was) for now, was in zip(row, last, strict=True)), Fraction(0))
        for row, last in zip(shares, before, strict=False)
    ]
    changes[0] = changes[-1] = Fraction(len(made.heads) + 1)
    chosen = sorted(range(len(shares)), key=lambda n: (-changes[n], n))[:_BARS]
    return [made.rows[n] for n in sorted(chosen)]


def _transposed(made: PageChart, *, cumulative: bool) -> PageChart:
    """Return the chart with the games along the axis and a bar for each row.

    ``cumulative`` is true if the shares of a row include those of earlier rows.
    """
    drawn = _greatest_changes(made, cumulative=cumulative)
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
    reading = "Transposed: one group of bars for each game, one bar for each row of the table."
    if len(made.rows) > _BARS:
        reading += (
            f" The chart shows the {_BARS} of {len(made.rows)} rows that change most;"
            " the table has them all."
        )
    picture = chart(made.title, [bars(groups, _WIDTH, upward="chance")], legend, made.corner)
    return attrs.evolve(_swap_table(made), reading=reading, drawing=picture)


# --- delivery ------------------------------------------------------------------------------------
@attrs.frozen
class _First:
    """The time of a game's first fire for effect: the chance of each minute, and of never."""

    fell: Mapping[Fraction, Fraction]
    never: Fraction

    def share(self, mode: str, minute: Fraction) -> Fraction:
        if mode == "exactly":
            return self.fell.get(minute, Fraction(0))
        if mode == "atmost":
            return sum((p for m, p in self.fell.items() if m <= minute), Fraction(0))
        return sum((p for m, p in self.fell.items() if m >= minute), self.never)


def _first(comparison: Comparison) -> list[_First]:
    measures = (game.measures["minutes_to_first_effect"] for game in comparison.games.values())
    never = _First({}, Fraction(1))
    return [
        _First(dict(measure.distribution or ()), measure.unresolved)
        if isinstance(measure, Measured)
        else never
        for measure in measures
    ]


def delivery(comparison: Comparison, mode: str, *, transpose: bool) -> PageChart:
    """Return the chart of the minute at which fire for effect first falls.

    The mode ``exactly`` shows the chance of each minute, ``atmost`` the chance of that minute or
    earlier, and ``atleast`` the chance of that minute or later.
    """
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
    made = PageChart(
        "delivery",
        title,
        "Each line is a game. The bars on the right show fire that falls only after the watch (in games"
        " with long turns), and fire that has not fallen by its end (never).",
        "first effect",
        _titles(comparison),
        tuple(rows),
        chart(title, plots, _lines(comparison)),
    )
    return _transposed(made, cumulative=mode != "exactly") if transpose else made


def _delivered(comparison: Comparison, games: list[_First], mode: str, words: str) -> Plot:
    """Return the plot over the minutes watched, with a marker wherever a game's share changes.

    ``mode`` is the mode of ``delivery``; ``words`` is the same in words, for the title of the axis.
    """
    watch, room = comparison.engagement.minutes, _WIDTH - 140
    minutes = sorted({minute for game in games for minute in game.fell if minute <= watch})
    kind = {"atmost": "after", "atleast": "before"}.get(mode, "linear")
    drawn: list[Mark] = []
    for game, sign in zip(games, _looks(comparison), strict=True):
        own = [minute for minute in minutes if minute in game.fell]
        line = [(float(m), game.share(mode, m)) for m in (own if mode == "exactly" else minutes)]
        begun = [(0.0, _NOTHING)] if mode == "atmost" else []
        drawn.append(curve([*begun, *line], watch, room, sign, kind))
        drawn += marks([(float(m), game.share(mode, m)) for m in own], watch, room, sign)
    return Plot(
        room, drawn, amounts(watch, room), "minutes", f"chance that fire falls {words} the minute"
    )


def _late(comparison: Comparison, games: list[_First]) -> Plot:
    """Return the plot of bars for fire that falls after the minutes watched, or never."""
    watch = comparison.engagement.minutes
    later = [sum((p for m, p in game.fell.items() if m > watch), _NOTHING) for game in games]
    colours = [look.colour for look in _looks(comparison)]
    groups = (("later", later), ("never", [game.never for game in games]))
    return bars(
        [(label, list(zip(colours, shares, strict=True))) for label, shares in groups],
        64.0 + 12 * len(games),
    )


# --- severity ------------------------------------------------------------------------------------
def severity(comparison: Comparison, mode: str, *, transpose: bool) -> PageChart:
    """Return the chart that divides the target by the worst effect suffered, for each game.

    The mode ``exactly`` shows the chance of each effect, ``atleast`` that of this effect or a worse
    one, and ``atmost`` that of this effect or a milder one.
    """
    measures = [game.measures["target_severity"] for game in comparison.games.values()]
    shares = [
        dict((measure.distribution or ()) if isinstance(measure, Measured) else ())
        for measure in measures
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
    title = "Worst effect on the target"
    made = PageChart(
        "severity",
        title,
        "The worst effect of the fire on an element of the target, picked at random by strength.",
        "worst effect",
        _titles(comparison),
        tuple(rows),
        _severities(comparison, title, rows, stacked=mode == "exactly", transpose=transpose),
    )
    return _swap_table(made) if transpose else made


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
        (label, [(colour, share or _NOTHING) for colour, share in zip(colours, row, strict=True)])
        for label, row in zip(along, shares, strict=True)
    ]
    legend = [(("swatch", colour), sign) for colour, sign in zip(colours, signs, strict=True)]
    drawn = bars(groups, _WIDTH, stacked=stacked and not transpose, upward="share of the target")
    return chart(title, [drawn], legend, "" if transpose else "worst effect")


# --- danger --------------------------------------------------------------------------------------
def danger(comparison: Comparison, mode: str, *, transpose: bool) -> PageChart:  # noqa: ARG001 - every chart takes a mode
    """Return the chart of the chance that the first fire for effect covers a point.

    The points lie at increasing distances from the target's centre, towards the firer. ``mode`` has
    no effect; with ``transpose``, the games are along the axis.
    """
    titles = _titles(comparison)
    steps = [game.picture.danger if game.picture else () for game in comparison.games.values()]
    own = comparison.engagement.own_troops
    metres = sorted(
        {start for each in steps for start, _ in each} | ({float(own.distance_m)} if own else set())
    )
    end = max([*metres, 50.0]) * 1.05

    def share_at(one_game: tuple[tuple[float, Fraction], ...], distance: float) -> Fraction:
        return next(
            (share for start, share in reversed(one_game) if start <= distance), Fraction(0)
        )

    rows = tuple(
        (f"{amount(distance)} m", tuple(share_at(each, distance) for each in steps))
        for distance in metres
    )
    title = "Risk to own troops, by distance"
    drawn: list[Mark] = []
    for each, sign in zip(steps, _looks(comparison), strict=True):
        line = [(distance, share_at(each, distance)) for distance in [*metres, end]]
        drawn += [curve(line, end, _WIDTH, sign, "after"), *marks(line, end, _WIDTH, sign)]
    if own:
        drawn.append(upright(own.distance_m / end * _WIDTH, "own troops", _WIDTH))
    upward = "chance to be under the first fire"
    plot = Plot(_WIDTH, drawn, amounts(end, _WIDTH), "metres from the target's centre", upward)
    made = PageChart(
        "danger",
        title,
        "The chance that the first fire for effect covers a point at this distance from the target's"
        " centre, towards the firer.",
        "distance from the target's centre",
        titles,
        rows,
        chart(title, [plot], _lines(comparison)),
    )
    return _transposed(made, cumulative=True) if transpose else made


# --- the dial ------------------------------------------------------------------------------------
Crossing = tuple[str, str, int, int]
"""(leader, game overtaken, last value before it, first value after it) on the dial."""


def dial_chart(
    figure: Figure,
    across: str,
    titles: Mapping[str, str],
    lines: Mapping[str, Mapping[int, Fraction]],
    crossings: Iterable[Crossing],
    now: int | None,
) -> str:
    """Return, as SVG, the chart of a figure of every game over the values of a dial.

    ``across`` is the label of the axis, and ``lines`` maps each game to its figure at each value. A
    band is shaded where one game overtakes another, and a line marks the value ``now``.
    """
    values = sorted({value for line in lines.values() for value in line})
    least, span = values[0], max(values[-1] - values[0], 1)
    top = max([Fraction(1), *(share for line in lines.values() for share in line.values())])
    looks = {key: look(number) for key, number in looks_of(titles).items() if lines[key]}

    def along(value: int) -> float:
        return (value - least) / span * _WIDTH

    drawn = [band(along(before), along(after)) for _, _, before, after in crossings]
    if now is not None and values[0] <= now <= values[-1]:
        drawn.append(upright(along(now), f"now {amount(now)}", _WIDTH))
    for key, own in looks.items():
        line = [(float(value - least), share / top) for value, share in sorted(lines[key].items())]
        drawn += [curve(line, span, _WIDTH, own, "linear"), *marks(line, span, _WIDTH, own)]
    minutes = figure.unit == "min"
    rungs = [amount(top * n / 4) if minutes else f"{25 * n}%" for n in range(5)]
    labels = [(along(value), [amount(value)]) for value in values]
    plot = Plot(_WIDTH, drawn, labels, across, "minutes" if minutes else "", rungs)
    entries: Legend = [(("sign", own), titles[key]) for key, own in looks.items()]
    return chart(figure.summary, [plot], entries)


CHARTS: Mapping[str, MakeChart] = {"delivery": delivery, "severity": severity, "danger": danger}
"""Maps each chart's name to the function that draws it."""
