"""Charts: named tables of a game, read from data files, each with its provenance."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path

import attrs

from fireplan_core._ordinary import read_ordinary

_GAP = 12  # rows missing together that are named one by one
PROVENANCES = ("printed", "derived", "reconstructed", "user")
MOST_BYTES = 32_000  # a chart of ours has 1 to 3 kB; the cap keeps hostile ones cheap


class ChartError(ValueError):
    """A chart file that cannot be used; ``faults`` holds every fault found, each with its place."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@attrs.frozen(eq=False, repr=False)
class Chart:
    """A table with whole-number rows and named columns.

    ``provenance`` is ``printed``, ``derived``, ``reconstructed`` or ``user``; outputs that rest on a
    reconstructed chart say so. Row look-ups outside the chart use its nearest row, as printed charts with
    "or less" and "or more" rows do.
    """

    name: str
    rows: tuple[int, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[int, str], str]
    provenance: str
    source: str = ""

    def cell(self, row: int, column: str) -> str:
        """Return the entry of that row (held to the chart's first and last) and column.

        KeyError for a column it lacks.
        """
        return self.cells[min(max(row, self.rows[0]), self.rows[-1]), column]

    def column(self, column: str) -> Callable[[int], str]:
        """Return a column to look a roll up in: ``roll.total.look_up(chart.column("fp12"))``."""
        if column not in self.columns:
            raise KeyError(f"the chart {self.name} has no column {column!r}; it has {', '.join(self.columns)}")
        return lambda row: self.cell(row, column)


def chart_text(file: Path | Traversable) -> str:
    """Return the text of a chart's file; raises ``ChartError`` for one that is too large or not UTF-8."""
    data = read_ordinary(file, MOST_BYTES)
    if len(data) > MOST_BYTES:
        raise ChartError([f"{file.name}: larger than {MOST_BYTES // 1000} kB; a chart is a page of numbers"])
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ChartError([f"{file.name} line {line}: not UTF-8 text"]) from error


def read_csv(file: Path | Traversable) -> list[dict[str, str]]:
    """Return the rows of a comma-separated file with a heading line, values stripped.

    Raises ``ChartError`` for a file that is too large, not UTF-8, or whose quotes do not end; and with every heading
    that stands twice and every line that has more values than there are headings.
    """
    lines = csv.DictReader(io.StringIO(chart_text(file), newline=""))
    faults: list[str] = []
    rows: list[dict[str, str]] = []
    try:
        headings = [heading.strip() for heading in lines.fieldnames or ()]
        twice = dict.fromkeys(heading for heading in headings if heading and headings.count(heading) > 1)
        faults += [f"{file.name} line 1: the heading {heading} stands twice" for heading in twice]
        for row in lines:
            if None in row:
                faults.append(f"{file.name} line {lines.line_num}: more values than headings")
            rows.append({k.strip(): (v or "").strip() for k, v in row.items() if k})
    except csv.Error as error:
        raise ChartError([*faults, f"{file.name} line {lines.line_num}: {error}"]) from error
    if faults:
        raise ChartError(faults)
    return rows


def chart_from_csv(name: str, file: Path | Traversable, *, provenance: str, source: str = "") -> Chart:
    """Return a chart whose first column holds consecutive whole-number rows.

    Raises ``ChartError`` with every fault: a row that is no number, twice there or missing, an empty cell.
    """
    records = read_csv(file)
    faults: list[str] = []
    if not records:
        raise ChartError([f"{name}: no rows"])
    key, *columns = records[0]
    cells: dict[tuple[int, str], str] = {}
    rows: list[int] = []
    for line, record in enumerate(records, start=2):
        try:
            row = int(record[key])
        except ValueError:
            faults.append(f"{name} line {line}: {key} {record[key]!r} is not a whole number")
            continue
        if row in rows:
            faults.append(f"{name} line {line}: row {row} stands twice")
        rows.append(row)
        for column in columns:
            if not record.get(column):
                faults.append(f"{name} line {line}: column {column} is empty")
            cells[row, column] = record.get(column, "")
    ordered = sorted(set(rows))
    for before, after in pairwise(ordered):
        if after - before > _GAP:
            faults.append(f"{name}: rows {before + 1} to {after - 1} are missing")
        else:
            faults.extend(f"{name}: row {row} is missing" for row in range(before + 1, after))
    if faults:
        raise ChartError(faults)
    return Chart(name, tuple(sorted(rows)), tuple(columns), cells, provenance, source)
