"""A game's charts and named numbers, which are read from data files and have a provenance.

Named numbers are target numbers, limits and modifiers, each with its rule and provenance. ``cells``
lists, changes and watches the cells of any chart.
"""

import csv
import io
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path

import attrs

from fireplan_core.chance.events import ChanceError
from fireplan_core.files import FileError, read_ordinary

COLUMNS = ("name", "value", "least", "most", "provenance", "rule", "summary")


@attrs.frozen
class Note:
    """The note on a named number: rule, meaning, provenance and bounds (None if unbounded).

    >>> note = Note("2.1", "the radio breaks on this or more", "printed", least=2, most=12)
    >>> numbers = Numbers("numbers", {"breakdown": 12}, {"breakdown": note})
    >>> with_cell(numbers, ("breakdown",), "13")
    Traceback (most recent call last):
    ValueError: 13 is above 12
    """

    cite: str
    summary: str
    provenance: str
    least: int | None = None
    most: int | None = None


@attrs.frozen
class LookUp:
    """An entry that a rule looked up: the chart, its column, the row looked for, and the entry."""

    chart: str
    column: str
    row: int
    entry: str


_LOOK_UPS: ContextVar[list[LookUp] | None] = ContextVar("look_ups", default=None)


@contextmanager
def looking_up() -> Iterator[list[LookUp]]:
    """Collect in a list every chart entry that rules look up inside the block, in order.

    >>> cells = {(1, "runner"): "7", (2, "runner"): "8"}
    >>> with looking_up() as entries:
    ...     entry = Chart("signal", (1, 2), ("runner",), cells, "printed").cell(2, "runner")
    >>> entries
    [LookUp(chart='signal', column='runner', row=2, entry='8')]
    """
    entries: list[LookUp] = []
    token = _LOOK_UPS.set(entries)
    try:
        yield entries
    finally:
        _LOOK_UPS.reset(token)


@attrs.frozen(eq=False, repr=False)
class Numbers:
    """Integers by name, each with a note; rules read ``numbers["breakdown"]``.

    The numbers can be read only at a table (``at_table``), so that rules see the user's changes and
    no module reads a number when it is imported.

    >>> note = Note("2.1", "the radio breaks on this or more", "printed")
    >>> numbers = Numbers("numbers", {"breakdown": 12}, {"breakdown": note}, at_table=True)
    >>> numbers["breakdown"]
    12
    """

    name: str
    cells: Mapping[str, int]
    notes: Mapping[str, Note]
    at_table: bool = False

    def __getitem__(self, name: str) -> int:
        """Return the number with this name; raises KeyError if there is none.

        Raises ``ChanceError`` outside a table, where a user's change to the number would have no
        effect.
        """
        if not self.at_table:
            raise ChanceError(
                f"the number {name} is read outside a table, so changing it would change nothing: "
                f"read it in a part with self.number({name!r})"
            )
        return self.cells[name]

    @property
    def provenance(self) -> str:
        """The least reliable provenance among all the numbers."""
        return max(
            (note.provenance for note in self.notes.values()),
            key=PROVENANCES.index,
            default=PROVENANCES[0],
        )


def numbers_from_csv(name: str, file: Path | Traversable) -> Numbers:
    r"""Return the numbers in a CSV file with the columns ``COLUMNS``.

    ``least`` and ``most`` may be empty. Raises ``FileError`` listing every fault: a missing
    column, a name that appears twice or is not an identifier, a value that is not an integer or is
    out of bounds, an unknown provenance, or a line without a rule or a summary.

    >>> from pathlib import Path
    >>> file = Path("numbers.csv")
    >>> head = "name,value,least,most,provenance,rule,summary\n"
    >>> size = file.write_text(head + "breakdown,12,2,12,printed,2.1,the radio breaks\n")
    >>> numbers_from_csv("numbers", file).cells
    {'breakdown': 12}
    """
    faults: list[str] = []
    cells: dict[str, int] = {}
    notes: dict[str, Note] = {}
    for line, row in enumerate(read_csv(file), start=2):
        where = f"{name} line {line}"
        missing = [column for column in COLUMNS if column not in row]
        if missing:
            faults.append(f"{where}: column {', '.join(missing)} is missing")
            continue
        key = row["name"]
        if not key.isidentifier():
            faults.append(f"{where}: {key!r} is not a valid name (letters, digits and _)")
        if key in cells:
            faults.append(f"{where}: {key} appears twice")
        bounds: dict[str, int | None] = {}
        for column in ("value", "least", "most"):
            text = row[column]
            try:
                bounds[column] = int(text) if text or column == "value" else None
            except ValueError:
                faults.append(f"{where}: {column} {text!r} is not a whole number")
        if row["provenance"] not in PROVENANCES:
            faults.append(
                f"{where}: provenance {row['provenance']!r} is not one of {', '.join(PROVENANCES)}"
            )
        faults.extend(
            f"{where}: {column} is empty" for column in ("rule", "summary") if not row[column]
        )
        value = bounds.get("value")
        if value is None:
            continue
        note = Note(
            row["rule"], row["summary"], row["provenance"], bounds.get("least"), bounds.get("most")
        )
        if reason := out_of_bounds(value, note.least, note.most):
            faults.append(f"{where}: {key} {reason}")
        cells[key], notes[key] = value, note
    if faults:
        raise FileError.listing(faults)
    return Numbers(name, cells, notes)


def out_of_bounds(value: int, least: int | None, most: int | None) -> str:
    """Return the reason why a number cannot have this value, or "" if it can."""
    if least is not None and value < least:
        return f"{value} is below {least}"
    if most is not None and value > most:
        return f"{value} is above {most}"
    return ""


_GAP = 12  # maximum number of consecutive missing rows that are listed individually
PROVENANCES = ("printed", "derived", "reconstructed", "user")
"""The possible provenances of a chart or number, with the most reliable first."""
MOST_BYTES = 32_000  # shipped charts are 1 to 3 kB long; the limit stops hostile files


@attrs.frozen(eq=False, repr=False)
class Chart:
    """A table with integer rows and named columns.

    ``provenance`` is one of ``PROVENANCES``; results that depend on a reconstructed chart say so. A
    look-up beyond the first or last row uses that row, like the "or less" and "or more" rows of
    printed charts. ``title`` is the chart's name in sentences; by default, its key is used.

    >>> cells = {(2, "result"): "none", (3, "result"): "pinned", (4, "result"): "broken"}
    >>> Chart("harm", (2, 3, 4), ("result",), cells, "printed").cell(7, "result")
    'broken'
    """

    name: str
    rows: tuple[int, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[int, str], str]
    provenance: str
    source: str = ""
    title: str = ""

    def cell(self, row: int, column: str) -> str:
        """Return the entry in a row and a column, and record the look-up.

        A row before the first or after the last means the first or the last row. Raises KeyError if
        the chart has no such column, or lacks a row in between.
        """
        entry = self.entry(row, column)
        if (entries := _LOOK_UPS.get()) is not None:
            entries.append(LookUp(self.name, column, row, entry))
        return entry

    def entry(self, row: int, column: str) -> str:
        """Return the entry in a row and a column without recording a look-up.

        Used to list possible results.
        """
        return self.cells[min(max(row, self.rows[0]), self.rows[-1]), column]

    def column(self, column: str) -> Callable[[int], str]:
        """Return a column as a function from row to entry.

        It is used to look up a roll: ``roll.total.look_up(chart.column("fp12"))``. Raises KeyError
        if the chart has no such column.
        """
        if column not in self.columns:
            raise KeyError(
                f"the chart {self.name} has no column {column!r}; it has {', '.join(self.columns)}"
            )
        return lambda row: self.cell(row, column)


def chart_text(file: Path | Traversable) -> str:
    r"""Return the text of a chart file; raises ``FileError`` if it is too large or not UTF-8.

    >>> from pathlib import Path
    >>> file = Path("signal.csv")
    >>> size = file.write_text("roll,runner\n1,7\n")
    >>> chart_text(file)
    'roll,runner\n1,7\n'
    """
    data = read_ordinary(file, MOST_BYTES)
    if len(data) > MOST_BYTES:
        raise FileError.listing(
            [f"{file.name}: larger than {MOST_BYTES // 1000} kB; a chart is a page of numbers"]
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError.listing([f"{file.name} line {line}: not UTF-8 text"]) from error


def read_csv(file: Path | Traversable) -> list[dict[str, str]]:
    r"""Return the rows of a CSV file as dictionaries by heading, with values stripped.

    Raises ``FileError`` for a file that is too large, is not UTF-8 or has unclosed quotes.
    Otherwise the error lists every heading that appears twice and every line with more values than
    headings.

    >>> from pathlib import Path
    >>> file = Path("signal.csv")
    >>> size = file.write_text("roll,runner\n1, 7\n")
    >>> read_csv(file)
    [{'roll': '1', 'runner': '7'}]
    """
    lines = csv.DictReader(io.StringIO(chart_text(file), newline=""))
    faults: list[str] = []
    rows: list[dict[str, str]] = []
    try:
        headings = [heading.strip() for heading in lines.fieldnames or ()]
        repeated = dict.fromkeys(
            heading for heading in headings if heading and headings.count(heading) > 1
        )
        faults += [
            f"{file.name} line 1: the heading {heading} appears twice" for heading in repeated
        ]
        for row in lines:
            if None in row:
                faults.append(f"{file.name} line {lines.line_num}: more values than headings")
            rows.append({k.strip(): (v or "").strip() for k, v in row.items() if k})
    except csv.Error as error:
        raise FileError.listing([*faults, f"{file.name} line {lines.line_num}: {error}"]) from error
    if faults:
        raise FileError.listing(faults)
    return rows


def chart_from_csv(
    name: str,
    file: Path | Traversable,
    *,
    provenance: str,
    source: str = "",
    needs: Collection[str] = (),
    entries: tuple[str, str] = (".+", "an entry"),
    consecutive: bool = True,
) -> Chart:
    r"""Return the chart in a CSV file whose first column contains integers, consecutive by default.

    ``needs`` lists the required columns. ``entries`` is a pattern that every entry must match, and
    a description of the pattern. A column ``provenance`` is ignored. Raises ``FileError`` listing
    every fault, such as a missing column, a row that is not a number, appears twice or is missing,
    or an entry that does not match.

    >>> from pathlib import Path
    >>> file = Path("signal.csv")
    >>> size = file.write_text("roll,runner\n1,7\n2,8\n")
    >>> chart_from_csv("signal", file, provenance="printed").cell(2, "runner")
    '8'
    """
    records = read_csv(file)
    if not records:
        raise FileError.listing([f"{name}: the chart has no rows"])
    faults: list[str] = []
    if provenance not in PROVENANCES:
        faults.append(f"{name}: provenance {provenance!r} is not one of {', '.join(PROVENANCES)}")
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
            faults.append(f"{name} line {line}: row {row} appears twice")
        rows.append(row)
        for column in columns:
            cells[row, column] = entry = record.get(column, "")
            if not re.fullmatch(entries[0], entry):
                problem = f"{entry!r} is not {entries[1]}" if entry else "is empty"
                faults.append(f"{name} line {line}: column {column} {problem}")
    ordered = sorted(set(rows)) if consecutive else []
    for before, after in pairwise(ordered):
        if after - before > _GAP:
            faults.append(f"{name}: rows {before + 1} to {after - 1} are missing")
        else:
            faults.extend(f"{name}: row {row} is missing" for row in range(before + 1, after))
    if faults:
        raise FileError.listing(faults)
    return Chart(name, tuple(sorted(rows)), tuple(columns), cells, provenance, source)
