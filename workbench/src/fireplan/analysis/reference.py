"""Reference figures from history, playtests or another game, compared with the games' answers.

Each figure has a source. It is written as a table ``[[figure]]`` in a small file, or as a line:
``delivered = 80 % by 10: Field trials, 1944``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from fireplan.analysis.answers import GameAnswer
from fireplan.analysis.figure_targets import FigureTarget
from fireplan.analysis.figures import DELIVERED, FIGURES, Figure, delivered_by, figures_of
from fireplan.errors import unknown
from fireplan_core.files import Complaint, entry, parse_toml, printable
from fireplan_core.setups.setup import LONGEST_WATCH

_LINE = re.compile(
    r"(?P<yardstick>[^=:]*)=(?P<value>[^:]*?)(?:\sby\s(?P<by>[^:]*?))?:(?P<source>.*)"
)
_EXAMPLE = "delivered = 80 % by 10: Field trials, 1944"


@attrs.frozen
class ReferenceFigure:
    """A figure from a source, such as fire delivered within 10 minutes in 80 % of all cases."""

    yardstick: str = entry("the figure, such as delivered", example=DELIVERED)
    value: str = entry("a share (0.8, '80 %', '4/5'), or minutes", example="80 %")
    source: str = entry("where the value is from", example="Field trials, 1944")
    by: int | None = entry(
        "the minute by which fire is delivered; at the end of the watch if left out",
        None,
        range=(1, LONGEST_WATCH),
    )

    def check(self) -> Iterator[Complaint]:
        """Yield the faults of the figure: key, message and suggestion."""
        if not self.source.strip():
            yield "source", "a figure needs its source", "e.g. Field trials, 1944"
        if self.by is not None and self.yardstick != DELIVERED:
            yield "by", f"goes only with {DELIVERED}, not with {self.yardstick}", "leave it out"
        if self.yardstick not in FIGURES:
            wrong = str(unknown("figure", self.yardstick, FIGURES)).removesuffix(".")
            yield "yardstick", wrong, ""
            return
        try:
            _ = self.exact
        except ValueError:
            minutes = FIGURES[self.yardstick].unit == "min"
            expected = "minutes, e.g. 12" if minutes else "a share, e.g. 0.8, '80 %' or '4/5'"
            yield "value", f"expected {expected}, got {printable(self.value, 40)!r}", ""

    @classmethod
    def read(cls, text: str) -> ReferenceFigure:
        """Return the figure in a line; raise ``ValueError`` with all of its faults."""
        if (match := _LINE.fullmatch(text)) is None:
            raise ValueError(f"{text!r}: write FIGURE = VALUE: SOURCE, e.g. '{_EXAMPLE}'")
        name, value, by, source = ((match[key] or "").strip() for key in match.groupdict())
        minutes = by.removesuffix("min").strip()
        if by and not (minutes.isdecimal() and 0 < int(minutes) <= LONGEST_WATCH):
            raise ValueError(f"{text!r}: give the minutes after 'by', e.g. '{_EXAMPLE}'")
        figure = cls(name, value, source, int(minutes) if by else None)
        if faults := [message for _, message, _ in figure.check()]:
            raise ValueError(f"{text!r}: {'; '.join(faults)}")
        return figure

    @property
    def figure(self) -> Figure:
        """Return the figure of the games that this value is compared with."""
        return FIGURES[self.yardstick] if self.by is None else delivered_by(self.by)

    @property
    def exact(self) -> Fraction:
        """Return the value as a fraction: a share, or minutes."""
        return FigureTarget.read(f"{self.yardstick} >= {self.value}").bound

    def of(self, game: GameAnswer) -> Fraction | None:
        """Return the figure for a game, or None if the game does not model it."""
        if self.by is None:
            return figures_of(game)[self.yardstick]
        return max((share for minute, share in game.delivery if minute <= self.by), default=None)

    def nearest(self, games: Mapping[str, GameAnswer]) -> tuple[str, ...]:
        """Return the keys of the games whose value is nearest to this one; a tie has several.

        The result is empty if no game models the figure.
        """
        gaps = {
            key: abs(value - self.exact)
            for key, game in games.items()
            if (value := self.of(game)) is not None
        }
        return tuple(key for key, gap in gaps.items() if gap == min(gaps.values()))

    def __str__(self) -> str:
        by = f" by {self.by}" if self.by else ""
        return f"{self.yardstick} = {self.figure.shown(self.exact)}{by}: {self.source}"


@attrs.frozen
class _References:
    """A file of reference figures."""

    figure: tuple[ReferenceFigure, ...] = entry("the figures, each a table [[figure]]")

    def check(self) -> Iterator[Complaint]:
        for number, figure in enumerate(self.figure):
            for key, message, suggestion in figure.check():
                yield f"figure[{number}].{key}", message, suggestion


def references_in(path: Path) -> tuple[ReferenceFigure, ...]:
    """Return the figures in a file; raise ``FileError`` with all of its faults."""
    document = parse_toml(path, what="reference")
    figures = document.content.get("figure")
    if isinstance(figures, list):
        content = {**document.content, "figure": [*map(_with_text, figures)]}
        document = attrs.evolve(document, content=content)
    return document.read(_References).figure


def _with_text(table: Any) -> Any:
    """Return a table with its number ``value`` as text, so that 0.8 is read as 4/5, not as a float.

    Any other table is returned unchanged.
    """
    value = table.get("value") if isinstance(table, dict) else None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return {**table, "value": repr(value)} if number else table


def reference_data(
    figures: Iterable[ReferenceFigure], games: Mapping[str, GameAnswer]
) -> list[dict[str, Any]]:
    """Return each figure as plain data, with the games' values and the nearest games."""
    return [
        {
            "yardstick": figure.yardstick,
            "by": figure.by,
            "value": str(figure.exact),
            "source": figure.source,
            "games": {
                key: None if (value := figure.of(game)) is None else str(value)
                for key, game in games.items()
            },
            "nearest": list(figure.nearest(games)),
        }
        for figure in figures
    ]


def reference_rows(
    figures: Iterable[ReferenceFigure], games: Mapping[str, GameAnswer]
) -> list[tuple[str, str, list[str]]]:
    """Return a table row for each figure: its name, its value with source, and a cell per game.

    The cells of the nearest games are marked.
    """
    rows = []
    for figure in figures:
        nearest = figure.nearest(games)
        values = {key: figure.of(game) for key, game in games.items()}
        cells = [
            "not modelled"
            if value is None
            else figure.figure.shown(value) + (", nearest" if key in nearest else "")
            for key, value in values.items()
        ]
        name = figure.yardstick + (f" by {figure.by} min" if figure.by else "")
        rows.append((name, f"{figure.figure.shown(figure.exact)} ({figure.source})", cells))
    return rows
