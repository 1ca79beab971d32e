"""Named numbers: target numbers, limits and modifiers of a game as data, each with its rule and provenance.

What a chart is made of is in ``_charts``; how the cells of any chart are named, changed one by one and watched is in
``_cells``.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path

import attrs

from fireplan_core.chance._charts import PROVENANCES, ChartError, read_csv

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
        return max((note.provenance for note in self.notes.values()), key=PROVENANCES.index, default=PROVENANCES[0])


def numbers_from_csv(name: str, file: Path | Traversable) -> Numbers:
    """Read numbers from lines of name, value, least and most (may be empty), provenance, rule and summary.

    Raises ``ChartError`` with every fault: a column missing, a name that stands twice or is no plain word, a value
    that is no whole number or out of its bounds, an unknown provenance, a line without rule or summary.
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
            faults.append(f"{where}: provenance {row['provenance']!r} is not one of {', '.join(PROVENANCES)}")
        faults.extend(f"{where}: {column} is empty" for column in ("rule", "summary") if not row[column])
        value = found.get("value")
        if value is None:
            continue
        note = Note(row["rule"], row["summary"], row["provenance"], found.get("least"), found.get("most"))
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
