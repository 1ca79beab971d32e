"""Crossovers of a sweep: where, along a fact of the engagements, one game overtakes another in a figure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import attrs

from fireplan.comparison import FIGURES, overtakings

Fixed = tuple[tuple[str, Any], ...]


@attrs.frozen
class Crossover:
    """Say where one game overtakes another: the figure, along which fact, from which value on, and what else is fixed.

    ``before`` is the last value at which it had not overtaken.
    """

    figure: str
    fact: str
    overtakes: str
    other: str
    before: Any
    at: Any
    case: str
    fixed: Fixed

    def __str__(self) -> str:
        where = "".join(f", {name} {value}" for name, value in self.fixed)
        what = FIGURES[self.figure].summary
        return f"{self.overtakes} overtakes {self.other} at {self.at} {self.fact} ({what}; {self.case}{where})"


def crossovers(rows: Iterable[Mapping[str, Any]], fact: str, figures: Iterable[str]) -> list[Crossover]:
    """Return every crossover of two games along a fact, for each figure, in the order of the values.

    ``rows`` are those of a file of results. Games whose other settings were varied too are left out: they have no one
    value at a point. Equal figures are no crossover; one game overtakes where it was behind or level before.
    """
    tables: dict[tuple[str, Fixed], dict[Any, dict[str, Mapping[str, Any]]]] = {}
    for row in rows:
        facts = json.loads(row["facts"])
        varied = json.loads(row["options"]) or json.loads(row["numbers"])
        if row["outcome"] == "solved" and fact in facts and not varied:
            value = facts.pop(fact)
            table = tables.setdefault((row["case_name"], tuple(sorted(facts.items()))), {})
            table.setdefault(value, {})[row["game"]] = row
    found = [
        crossover
        for (case, fixed), by_value in tables.items()
        for figure in figures
        for crossover in _along(figure, fact, case, fixed, by_value)
    ]
    return sorted(found, key=lambda one: (one.case, one.fixed, one.figure, one.at))


def _along(
    figure: str, fact: str, case: str, fixed: Fixed, by_value: Mapping[Any, Mapping[str, Mapping[str, Any]]]
) -> Iterator[Crossover]:
    lines: dict[str, dict[int, Fraction]] = {}
    for value, rows in by_value.items():
        for game, row in rows.items():
            if isinstance(value, int) and row[figure] is not None:
                lines.setdefault(game, {})[value] = Fraction(row[figure])
    for overtakes, other, before, at in overtakings(lines):
        yield Crossover(figure, fact, overtakes, other, before, at, case, fixed)
