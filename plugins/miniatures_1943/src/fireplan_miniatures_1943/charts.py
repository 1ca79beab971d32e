"""Reading the game's charts from data files: Artillery Request Chart, Area Weapons Chart, air superiority.

The first two are reconstructions. A file with the printed figures takes their place; a bad one is refused with
all its faults at once. What the charts mean in play is in ``delays``, ``resolution`` and ``requests``.
"""

import re
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import attrs
import tomli

from fireplan_core.chance import PROVENANCES, Chart, ChartError, chart_text, d6, numbers_from_csv, read_csv

DATA = files("fireplan_miniatures_1943") / "data"

NUMBERS = numbers_from_csv("numbers", DATA / "numbers.csv")
"""The figures of the rules by name, unchanged by anybody."""

OTHER = "other"
"""The line of nations that the request chart does not name."""

ROW = 1
"""The only row of a chart that has one."""

MODIFIERS = ("prone", "hard_cover", "personnel")
RESULTS = ("K", "D", "none")

WIDEST = 50
"""Rolls that a chart may span, far beyond any."""

NO_ROW = ""
"""Say what an air superiority chart holds where a theatre has no modifier in a year."""


@attrs.frozen(eq=False)
class AreaWeapons:
    """The Area Weapons Chart: results by modified roll, and the values of its three modifiers."""

    results: Chart
    modifiers: Mapping[str, int]
    provenance: str
    source: str = "6.3.b"

    def result(self, roll: int) -> str:
        """Return what the chart says of a modified roll."""
        return self.results.cell(roll, "result")


def read_request_chart(file: Path | Traversable, *, provenance: str = "reconstructed") -> Chart:
    """Read the Artillery Request Chart: a column for each nationality, whose one row holds its progress boxes.

    Raises ``ChartError`` with every fault: a nationality that is missing or stands twice, boxes that are no
    whole number from 0 up, no line for other nations.
    """
    faults: list[str] = []
    boxes: dict[str, str] = {}
    for line, row in _rows("request chart", file):
        nation, count = row.get("nationality", ""), row.get("progress_boxes", "")
        if not nation:
            faults.append(f"line {line}: the nationality is missing")
        if nation in boxes:
            faults.append(f"line {line}: {nation} stands twice")
        if not re.fullmatch(r"[0-9]{1,3}", count):
            faults.append(f"line {line}: progress_boxes {count!r} is not a whole number from 0 up")
        boxes[nation] = count
    if OTHER not in boxes:
        faults.append(f"a line {OTHER!r} is missing")
    if provenance not in PROVENANCES:
        faults.append(f"provenance {provenance!r} is not one of {', '.join(PROVENANCES)}")
    _refuse("request chart", faults)
    cells = {(ROW, nation): count for nation, count in boxes.items()}
    return Chart("request_chart", (ROW,), tuple(boxes), cells, provenance, "6.1.i")


def read_area_weapons(file: Path | Traversable) -> AreaWeapons:
    """Read the Area Weapons Chart. Its provenance is ``user`` where the file names none.

    Raises ``ChartError`` with every fault: unreadable text, an unknown provenance or die, modifiers that are
    missing, unknown or no whole numbers, results that are unknown, overlap or leave a roll without one.
    """
    try:
        content: dict[str, Any] = tomli.loads(chart_text(file))
    except (ValueError, RecursionError) as error:  # no TOML, or nested too deeply
        raise ChartError([f"area weapons: {error}"]) from error
    faults: list[str] = []
    provenance = content.get("provenance", "user")
    if provenance not in PROVENANCES:
        faults.append(f"provenance {provenance!r} is not one of {', '.join(PROVENANCES)}")
    if content.get("die") != len(d6.faces):
        faults.append(f"die {content.get('die')!r} is not 6, the die of rule 6.4")
    modifiers = content.get("modifiers")
    if not isinstance(modifiers, dict):
        faults.append("a table of modifiers is missing")
        modifiers = {}
    faults += [f"modifier {name!r} is not known" for name in modifiers if name not in MODIFIERS]
    faults += [
        f"modifier {name} {modifiers.get(name)!r} is not a whole number"
        for name in MODIFIERS
        if type(modifiers.get(name)) is not int
    ]
    entries = content.get("result")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        faults.append("a list of results is missing")
        entries = []
    results = _results(entries, faults)
    _refuse("area weapons", faults)
    cells = {(roll, "result"): result for roll, result in results.items()}
    chart = Chart("area_weapons", tuple(sorted(results)), ("result",), cells, str(provenance), "6.3.a")
    return AreaWeapons(chart, {name: modifiers[name] for name in MODIFIERS}, str(provenance))


def read_air_superiority(file: Path | Traversable, *, provenance: str = "printed") -> Chart:
    """Read the Axis modifiers of air superiority: a row a year, a column for each power and theatre.

    Raises ``ChartError`` with every fault: what ``chart_from_csv`` finds (but cells may be empty), a cell that
    is no whole number.
    """
    faults: list[str] = []
    cells: dict[tuple[int, str], str] = {}
    for line, row in _rows("air superiority", file):
        year = row.pop("year", "")
        if not re.fullmatch(r"[0-9]{1,4}", year):
            faults.append(f"line {line}: year {year!r} is not a whole number")
            continue
        if any(known == int(year) for known, _ in cells):
            faults.append(f"line {line}: year {year} stands twice")
        for theatre, value in row.items():
            if value != NO_ROW and not re.fullmatch(r"[+-]?[0-9]{1,3}", value):
                faults.append(f"line {line}: {theatre} {value!r} is not a whole number")
            cells[int(year), theatre] = value
    if not cells:
        faults.append("no years with theatres")
    _refuse("air superiority", faults)
    years = tuple(sorted({year for year, _ in cells}))
    theatres = tuple(dict.fromkeys(theatre for _, theatre in cells))
    return Chart("air_superiority", years, theatres, cells, provenance, "S.b")


def _rows(what: str, file: Path | Traversable) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a chart's file with their lines, below the one of the headings."""
    try:
        return [(line, row) for line, row in enumerate(read_csv(file), start=2)]
    except ValueError as error:  # no UTF-8
        raise ChartError([f"{what}: {error}"]) from error


def _refuse(what: str, faults: list[str]) -> None:
    if faults:
        raise ChartError([f"{what}: {fault}" for fault in faults])


def _results(entries: list[dict[str, Any]], faults: list[str]) -> dict[int, str]:
    """Return each roll from the lowest named one to the highest with its result; the ends stand for all beyond."""
    bounds = [bound for entry in entries for key in ("min", "max") if type(bound := entry.get(key)) is int]
    if not bounds:
        faults.append("there are no results with a min or max")
        return {}
    lowest, highest = min(bounds), max(bounds)
    if highest - lowest > WIDEST:
        faults.append(f"rolls from {lowest} to {highest} are more than one die and its modifiers give")
        return {}
    found: dict[int, str] = {}
    for number, entry in enumerate(entries, start=1):
        result, low, high = entry.get("result"), entry.get("min", lowest), entry.get("max", highest)
        if result not in RESULTS:
            faults.append(f"result {number}: {result!r} is not one of {', '.join(RESULTS)}")
        if type(low) is not int or type(high) is not int or low > high:
            faults.append(f"result {number}: {low!r} to {high!r} is no range of whole numbers")
            continue
        for roll in range(low, high + 1):
            if roll in found:
                faults.append(f"result {number}: roll {roll} has a result already")
            found[roll] = str(result)
    faults += [f"roll {roll} has no result" for roll in range(lowest, highest + 1) if roll not in found]
    if all("min" in entry for entry in entries):
        faults.append(f"rolls below {lowest} have no result: leave out the lowest min")
    if all("max" in entry for entry in entries):
        faults.append(f"rolls above {highest} have no result: leave out the highest max")
    return found
