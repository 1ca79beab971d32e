"""Charts: named tables of a game, read from data files, each with its provenance.

And numbers by name.

Named numbers are target numbers, limits and modifiers of a game as data, each with its rule and
provenance. How the cells of any chart are named, changed one by one and watched is in ``_cells``.
"""

import csv
import io
import re
from collections.abc import Callable, Collection, Mapping
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path

import attrs

from fireplan_core._ordinary import read_ordinary

COLUMNS = ("name", "value", "least", "most", "provenance", "rule", "summary")


@attrs.frozen
class Note:
    """Say what is known of a number: its rule, its meaning, where it comes from, and the values it may take."""

    cite: str
    summary: str
    provenance: str
    least: int | None = None
    most: int | None = None


@attrs.frozen(eq=False, repr=False)
class Numbers:
    """Whole numbers by name; a rule asks ``numbers["breakdown"]``. Every name has a note."""

    name: str
    cells: Mapping[str, int]
    notes: Mapping[str, Note]

    def __getitem__(self, name: str) -> int:
        """The number of that name; KeyError if there is none."""
        return self.cells[name]

    @property
    def provenance(self) -> str:
        """Return the weakest of its numbers'."""
        return max(
            (note.provenance for note in self.notes.values()),
            key=PROVENANCES.index,
            default=PROVENANCES[0],
        )


def numbers_from_csv(name: str, file: Path | Traversable) -> Numbers:
    """Read numbers from lines of name, value, least and most (may be empty), provenance, rule and summary.

    Raises ``ChartError`` with every fault: a column missing, a name that stands twice or is no
    plain word, a value that is no whole number or out of its bounds, an unknown provenance, a line
    without rule or summary.
    """
    faults: list[str] = []
    cells: dict[str, int] = {}
    notes: dict[str, Note] = {}
    for line, row in enumerate(read_csv(file), start=2):
        where = f"{name} line {line}"
        lacking = [column for column in COLUMNS if column not in row]
        if lacking:
            faults.append(f"{where}: column {', '.join(lacking)} is missing")
            continue
        key = row["name"]
        if not key.isidentifier():
            faults.append(f"{where}: {key!r} is no plain name")
        if key in cells:
            faults.append(f"{where}: {key} stands twice")
        found: dict[str, int | None] = {}
        for column in ("value", "least", "most"):
            text = row[column]
            try:
                found[column] = int(text) if text or column == "value" else None
            except ValueError:
                faults.append(f"{where}: {column} {text!r} is not a whole number")
        if row["provenance"] not in PROVENANCES:
            faults.append(
                f"{where}: provenance {row['provenance']!r} is not one of {', '.join(PROVENANCES)}"
            )
        faults.extend(
            f"{where}: {column} is empty" for column in ("rule", "summary") if not row[column]
        )
        value = found.get("value")
        if value is None:
            continue
        note = Note(
            row["rule"], row["summary"], row["provenance"], found.get("least"), found.get("most")
        )
        reason = out_of_bounds(note, value)
        if reason:
            faults.append(f"{where}: {key} {reason}")
        cells[key], notes[key] = value, note
    if faults:
        raise ChartError(faults)
    return Numbers(name, cells, notes)


def out_of_bounds(note: Note, value: int) -> str:
    """Return why a number may not take that value, or ``""``."""
    if note.least is not None and value < note.least:
        return f"{value} is below {note.least}"
    if note.most is not None and value > note.most:
        return f"{value} is above {note.most}"
    return ""


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
            raise KeyError(
                f"the chart {self.name} has no column {column!r}; it has {', '.join(self.columns)}"
            )
        return lambda row: self.cell(row, column)


def chart_text(file: Path | Traversable) -> str:
    """Return the text of a chart's file.

    Raises ``ChartError`` for one that is too large or not UTF-8.
    """
    data = read_ordinary(file, MOST_BYTES)
    if len(data) > MOST_BYTES:
        raise ChartError(
            [f"{file.name}: larger than {MOST_BYTES // 1000} kB; a chart is a page of numbers"]
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ChartError([f"{file.name} line {line}: not UTF-8 text"]) from error


def read_csv(file: Path | Traversable) -> list[dict[str, str]]:
    """Return the rows of a comma-separated file with a heading line, values stripped.

    Raises ``ChartError`` for a file that is too large, not UTF-8, or whose quotes do not end; and
    with every heading that stands twice and every line that has more values than there are
    headings.
    """
    lines = csv.DictReader(io.StringIO(chart_text(file), newline=""))
    faults: list[str] = []
    rows: list[dict[str, str]] = []
    try:
        headings = [heading.strip() for heading in lines.fieldnames or ()]
        twice = dict.fromkeys(
            heading for heading in headings if heading and headings.count(heading) > 1
        )
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


def chart_from_csv(
    name: str,
    file: Path | Traversable,
    *,
    provenance: str,
    source: str = "",
    needs: Collection[str] = (),
    entries: tuple[str, str] = (".+", "an entry"),
) -> Chart:
    """Return a chart whose first column holds consecutive whole-number rows.

    ``needs`` are columns that it must have, ``entries`` a pattern that every entry fits, and what that is in words. A
    column ``provenance`` is for readers alone.
    Raises ``ChartError`` with every fault: a row that is no number, twice there or missing, an entry that is none.
    """
    records = read_csv(file)
    if not records:
        raise ChartError([f"{name}: no rows"])
    known = f"one of {', '.join(PROVENANCES)}"
    faults = (
        [] if provenance in PROVENANCES else [f"{name}: provenance {provenance!r} is not {known}"]
    )
    key, *columns = (column for column in records[0] if column != "provenance")
    faults += [f"{name}: column {column} is missing" for column in needs if column not in columns]
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
            cells[row, column] = entry = record.get(column, "")
            if not re.fullmatch(entries[0], entry):
                wrong = f"{entry!r} is not {entries[1]}" if entry else "is empty"
                faults.append(f"{name} line {line}: column {column} {wrong}")
    ordered = sorted(set(rows))
    for before, after in pairwise(ordered):
        if after - before > _GAP:
            faults.append(f"{name}: rows {before + 1} to {after - 1} are missing")
        else:
            faults.extend(f"{name}: row {row} is missing" for row in range(before + 1, after))
    if faults:
        raise ChartError(faults)
    return Chart(name, tuple(sorted(rows)), tuple(columns), cells, provenance, source)
