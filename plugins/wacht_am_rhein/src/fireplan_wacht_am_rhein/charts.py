"""The charts of this game as data, and loaders that name every fault of a file at once.

The Barrage Results Table (12.3.0), the die-roll modifiers (12.3.1) and the list of artillery types. What is done
with them is in ``volleys``, ``modifiers`` and ``barrage``; the limits of 12.1.6 are read in ``limits``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import attrs
import tomli

from fireplan_core.chance import Chart, ChartError, read_csv

DATA: Final = files("fireplan_wacht_am_rhein") / "data"
VALUES: Final = tuple(f"bv{value}" for value in range(1, 9))
"""The columns of the results table: Barrage Values 1 to 8."""
NO_EFFECT: Final = "none"

_RESULT = re.compile(r"(AS)?\+?([0-9]{0,3})")
_CELL = re.compile(r"(-?[0-9]{1,3})(?:-(-?[0-9]{1,3})|(\+))?")
_NET: Final = 10  # modified dice run from -10 to 20 whatever the reading of the 0


def read_result(result: str) -> tuple[int, bool]:
    """Return the hits and the artillery shift of a volley result: ``AS+2`` is (2, True).

    Raises ValueError for a text that is no result.
    """
    if result == NO_EFFECT:
        return 0, False
    found = _RESULT.fullmatch(result)
    if not result or found is None or ("+" in result) != bool(found[1] and found[2]):
        raise ValueError(f"{result!r} is no volley result; write AS, 1 or AS+1")
    return int(found[2] or 0), bool(found[1])


@attrs.frozen
class _Range:
    """A cell: the lowest and highest die-roll result, the last None where it is open (``9+``)."""

    result: str
    line: int
    low: int
    high: int | None

    @property
    def text(self) -> str:
        return f"{self.low}+" if self.high is None else f"{self.low}-{self.high}"


def _cells(records: Sequence[Mapping[str, str]], column: str, faults: list[str]) -> list[_Range]:
    """The ranges of a column from the first result to the last; what is wrong with them goes to ``faults``."""
    found: list[_Range] = []
    hyphen = 0
    for line, record in enumerate(records, start=2):
        text = record.get(column, "")
        where = f"line {line} {column}"
        if text == "-":
            hyphen = hyphen or line
            continue
        match = _CELL.fullmatch(text)
        if match is None:
            faults.append(f"{where}: {text!r} is no range; write 3, 3-4, 3+ or -")
            continue
        low = int(match[1])
        high = None if match[3] else int(match[2]) if match[2] else low
        if high is not None and high < low:
            faults.append(f"{where}: {text} runs backwards")
            continue
        if hyphen:
            faults.append(f"{where}: {text} stands above a hyphen (line {hyphen}); only the highest results may be -")
        found.append(_Range(record.get("result", ""), line, low, high))
    for before, after in pairwise(found):
        where = f"line {after.line} {column}"
        if before.high is None or after.low <= before.high:
            faults.append(f"{where}: {after.text} overlaps {before.text} (line {before.line})")
        elif after.low > before.high + 1:
            faults.append(f"{where}: gap between {before.text} (line {before.line}) and {after.text}")
    if not found:
        faults.append(f"{column}: no result can be reached")
    elif found[-1].high is not None:
        faults.append(f"line {found[-1].line} {column}: {found[-1].text} leaves the top open; write {found[-1].low}+")
    return found


def read_results(file: Path | Traversable) -> Chart:
    """Read a Barrage Results Table into a chart: rows are modified dice, columns ``bv1`` to ``bv8``.

    A line is a volley result with its hits and artillery shift; a cell is the range of modified dice that gives it,
    ``n+`` for n or more, ``-`` where it cannot be reached.

    Raises ``ChartError`` with every fault: a wrong column, a gap, an overlap, a hyphen among results that can be
    reached, a column without open end, a result that does not say what its hits and shift say.
    """
    records = read_csv(file)
    faults: list[str] = []
    if not records:
        raise ChartError(["no results"])
    wanted = ("result", "hits", "artillery_shift", *VALUES, "provenance")
    has = tuple(records[0])
    faults.extend(f"column {name} is missing" for name in wanted if name not in has)
    faults.extend(f"column {name} is not known" for name in has if name not in wanted)
    results = [record.get("result", "") for record in records]
    for line, record in enumerate(records, start=2):
        result = record.get("result", "")
        try:
            hits, shift = read_result(result)
        except ValueError as error:
            faults.append(f"line {line}: {error}")
            continue
        if (record.get("hits"), record.get("artillery_shift")) != (str(hits), str(int(shift))):
            faults.append(f"line {line}: {result} means {hits} hits and shift {int(shift)}")
        if results.index(result) != line - 2:
            faults.append(f"line {line}: {result} stands twice")
    if not records[0].get("provenance"):
        faults.append("line 2: the provenance is empty")
    columns = {name: _cells(records, name, faults) for name in VALUES if name in has}
    if faults:
        raise ChartError(faults)
    ends = [end for cells in columns.values() for cell in cells for end in (cell.low, cell.high or cell.low)]
    rows = tuple(range(min(-_NET, min(ends) - 1), max(2 * _NET, *ends) + 1))
    table = {
        (row, name): next(
            (cell.result for cell in cells if cell.low <= row and (cell.high is None or row <= cell.high)), NO_EFFECT
        )
        for name, cells in columns.items()
        for row in rows
    }
    provenance = records[0]["provenance"].split()[0]
    return Chart("barrage_results", rows, VALUES, table, provenance, "successor edition of 2020, 11.6.0")


@attrs.frozen
class ArtilleryType:
    """A line of the list of artillery types: what one battalion of it is worth."""

    nationality: str
    name: str
    weapon: str
    calibre_mm: int
    factors: int
    range_hexes: int


@attrs.frozen(eq=False)
class ArtilleryTypes:
    """The list of artillery types, by nationality and name."""

    types: Mapping[tuple[str, str], ArtilleryType]
    provenance: str
    source: str = "12.1.2"


def read_artillery(file: Path | Traversable) -> ArtilleryTypes:
    """Read the list of artillery types as a chart; raises as ``read_types`` does."""
    found = {(one.nationality, one.name): one for one in read_types(file)}
    return ArtilleryTypes(found, read_csv(file)[0]["provenance"].split()[0])


def read_types(file: Path | Traversable) -> tuple[ArtilleryType, ...]:
    """Read the list of artillery types; of types equally near to a calibre the first is the usual one.

    Raises ``ChartError`` with every fault: a column missing, a number that is none or below 1, a type twice.
    """
    faults: list[str] = []
    found: list[ArtilleryType] = []
    for line, record in enumerate(read_csv(file), start=2):
        numbers = {}
        for name in ("calibre_mm", "barrage_factor", "range_hexes"):
            text = record.get(name, "")
            numbers[name] = int(text) if text.isdecimal() else 0
            if numbers[name] < 1:
                faults.append(f"line {line}: {name} {text!r} is not a whole number above 0")
        nationality, name, weapon = (record.get(key, "") for key in ("nationality", "type", "weapon"))
        faults.extend(
            f"line {line}: {key} is empty" for key in ("nationality", "type", "weapon") if not record.get(key)
        )
        if any((known.nationality, known.name) == (nationality, name) for known in found):
            faults.append(f"line {line}: {nationality} {name} stands twice")
        found.append(
            ArtilleryType(
                nationality,
                name,
                weapon,
                numbers["calibre_mm"],
                numbers["barrage_factor"],
                numbers["range_hexes"],
            )
        )
    if not found:
        faults.append("no types")
    if faults:
        raise ChartError(faults)
    return tuple(found)


@attrs.frozen(eq=False)
class DrmTable:
    """The die-roll modifiers: four groups of which one entry counts, and others that are added."""

    max_net: int
    terrain: Mapping[str, int]
    works: Mapping[str, int]
    armour: Mapping[str, int]
    density: Mapping[int, int]
    other: Mapping[str, int]
    mixed_best: int
    pure_best: int
    provenance: str
    source: str = ""

    def of_density(self, steps: int) -> int:
        """The modifier for so many steps in the target hex."""
        return self.density[max(least for least in self.density if least <= max(steps, 1))]


_OTHER: Final = (
    "unobserved",
    "night",
    "observer_on_vantage_point",
    "target_in_strat_mode",
    "rockets_first_volley",
)


def read_drm(file: Path | Traversable) -> DrmTable:
    """Read the die-roll modifiers.

    Raises ``ChartError`` with every fault: a group or entry missing, a value that is no whole number, a density
    that does not begin with 1 step.
    """
    content: dict[str, Any] = tomli.loads(file.read_text(encoding="utf-8"))
    faults: list[str] = []

    def whole(value: object, where: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            faults.append(f"{where}: {value!r} is not a whole number")
            return 0
        return value

    def group(name: str, needed: Sequence[str]) -> dict[str, int]:
        entries = content.get(name)
        if not isinstance(entries, dict):
            faults.append(f"{name} is missing")
            return {}
        faults.extend(f"{name}.{entry} is missing" for entry in needed if entry not in entries)
        return {str(entry): whole(value, f"{name}.{entry}") for entry, value in entries.items()}

    density: dict[int, int] = {}
    for entry, value in group("density", ("1",)).items():
        if entry.isdecimal():
            density[int(entry)] = value
        else:
            faults.append(f"density.{entry}: not a number of steps")
    stacking = content.get("stacking", {})
    table = DrmTable(
        max_net=whole(content.get("max_net"), "max_net"),
        terrain=group("terrain", ("clear",)),
        works=group("works", ("none",)),
        armour=group("armour", ("none", "mixed", "pure")),
        density=density,
        other=group("other", _OTHER),
        mixed_best=whole(stacking.get("mixed_armour_best_of_three"), "stacking.mixed_armour_best_of_three"),
        pure_best=whole(stacking.get("pure_armour_best_of_two"), "stacking.pure_armour_best_of_two"),
        provenance=str(content.get("provenance", "")),
        source="12.3.1; " + str(content.get("source", "")),
    )
    if faults:
        raise ChartError(faults)
    return table
