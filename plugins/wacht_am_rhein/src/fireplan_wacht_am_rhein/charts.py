"""The charts of this game as data, and loaders that name every fault of a file at once.

The Barrage Results Table (12.3.0), the die-roll modifiers (12.3.1), the limits of 12.1.6, the Transport Table (12.6.1)
and the list of artillery types. What is done with them is in ``volleys``, ``limits`` and ``ammunition``.
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

from fireplan_core.chance import Chart, ChartError, Die, chart_text, read_csv
from fireplan_wacht_am_rhein.limits import SIDES, SITUATIONS, Allowance, Limits

DATA: Final = files("fireplan_wacht_am_rhein") / "data"
VALUES: Final = tuple(f"bv{value}" for value in "12345678")
"""The columns of the results table: Barrage Values 1 to 8."""
NO_EFFECT: Final = "none"

OTHER: Final = ("unobserved", "night", "observer_on_vantage_point", "target_in_strat_mode", "rockets_first_volley")
"""The die-roll modifiers that belong to no group: all that apply are added."""

_FACES: Final = "0123456789"
_DICE: Final = tuple(f"d{face}" for face in _FACES)
_RESULT = re.compile(r"(AS)?\+?([0-9]{0,3})")
_CELL = re.compile(r"(-?[0-9]{1,3})(?:-(-?[0-9]{1,3})|(\+))?")


def die(options: Mapping[str, Any]) -> Die:
    """Return the d10, its 0 counted as the players read it."""
    return Die(len(_FACES), lowest=0 if options["d10_zero"] == "zero" else 1)


def _lines(
    file: Path | Traversable, columns: Sequence[str], nothing: str
) -> tuple[Sequence[Mapping[str, str]], list[str]]:
    """Read the lines of a table of these columns, and what is wrong with its columns and provenance."""
    records = read_csv(file)
    if not records:
        raise ChartError([nothing])
    has = tuple(records[0])
    faults = [f"column {name} is missing" for name in columns if name not in has]
    faults += [f"column {name} is not known" for name in has if name not in columns]
    if not records[0].get("provenance"):
        faults.append("line 2: the provenance is empty")
    return records, faults


# --- the Barrage Results Table -------------------------------------------------------------------
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

    def __contains__(self, row: int) -> bool:
        return self.low <= row and (self.high is None or row <= self.high)

    @property
    def text(self) -> str:
        return f"{self.low}+" if self.high is None else f"{self.low}-{self.high}"


def _column(records: Sequence[Mapping[str, str]], column: str, faults: list[str]) -> list[_Range]:
    """Read the ranges of a column from the first result to the last; what is wrong with them goes to ``faults``."""
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
        high = None if match[3] else int(match[2] or low)
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


def _check_results(records: Sequence[Mapping[str, str]], faults: list[str]) -> None:
    """Note results that are none, that stand twice, or do not say what their hits and shift say."""
    results = [record.get("result", "") for record in records]
    for line, (result, record) in enumerate(zip(results, records, strict=True), start=2):
        try:
            hits, shift = read_result(result)
        except ValueError as error:
            faults.append(f"line {line}: {error}")
            continue
        if (record.get("hits"), record.get("artillery_shift")) != (str(hits), str(int(shift))):
            faults.append(f"line {line}: {result} means {hits} hits and shift {int(shift)}")
        if result in results[: line - 2]:
            faults.append(f"line {line}: {result} stands twice")


def read_results(file: Path | Traversable) -> Chart:
    """Read a Barrage Results Table into a chart: rows are modified dice, columns ``bv1`` to ``bv8``.

    A line is a volley result with its hits and artillery shift; a cell is the range of modified dice that gives it,
    ``n+`` for n or more, ``-`` where it cannot be reached.

    Raises ``ChartError`` with every fault: a wrong column, a gap, an overlap, a hyphen among results that can be
    reached, a column without open end, a result that does not say what its hits and shift say.
    """
    wanted = ("result", "hits", "artillery_shift", *VALUES, "provenance")
    records, faults = _lines(file, wanted, "no results")
    _check_results(records, faults)
    columns = {name: _column(records, name, faults) for name in VALUES if name in records[0]}
    if faults:
        raise ChartError(faults)
    sides = len(_FACES)  # modified dice run from -10 to 20, whatever the reading of the 0
    ends = [end for cells in columns.values() for cell in cells for end in (cell.low, cell.high or cell.low)]
    rows = tuple(range(min(-sides, min(ends) - 1), max(sides + sides, *ends) + 1))
    table = {
        (row, name): next((cell.result for cell in cells if row in cell), NO_EFFECT)
        for name, cells in columns.items()
        for row in rows
    }
    provenance = records[0]["provenance"].split()[0]
    return Chart("barrage_results", rows, VALUES, table, provenance, "successor edition of 2020, 11.6.0")


# --- the Transport Table -------------------------------------------------------------------------
def read_transport(file: Path | Traversable) -> Chart:
    """Read a German Transport Table: rows are truck points on ammunition, columns ``d0`` to ``d9`` the die.

    Cells are changes of the German depletion value. Raises ``ChartError`` with every fault: a column missing or not
    known, truck points that are no whole number or do not run on from 0, a cell that is no whole number.
    """
    records, faults = _lines(file, ("ammo_truck_points", *_DICE, "provenance"), "no truck points")
    cells: dict[tuple[int, str], str] = {}
    for row, record in enumerate(records):
        points = record.get("ammo_truck_points", "")
        if points != str(row):
            faults.append(f"line {row + 2}: {points!r} truck points stand where {row} should")
        for name in _DICE:
            text = record.get(name, "")
            if name in record and not re.fullmatch(r"[+-]?[0-9]{1,3}", text):
                faults.append(f"line {row + 2} {name}: {text!r} is not a whole number")
            cells[row, name] = text
    if faults:
        raise ChartError(faults)
    provenance = records[0]["provenance"].split()[0]
    rows = tuple(range(len(records)))
    return Chart("german_transport", rows, _DICE, cells, provenance, "successor edition of 2020, Logistics Table")


# --- artillery types -----------------------------------------------------------------------------
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
    """The list of artillery types, by nationality and name; of types equally near to a calibre the first is usual."""

    types: Mapping[tuple[str, str], ArtilleryType]
    provenance: str
    source: str = "12.1.2"


def read_artillery(file: Path | Traversable) -> ArtilleryTypes:
    """Read the list of artillery types.

    Raises ``ChartError`` with every fault: a column missing, a number that is none or below 1, a type twice.
    """
    faults: list[str] = []
    found: dict[tuple[str, str], ArtilleryType] = {}
    records = read_csv(file)
    for line, record in enumerate(records, start=2):
        numbers = []
        for name in ("calibre_mm", "barrage_factor", "range_hexes"):
            text = record.get(name, "")
            numbers.append(int(text) if text.isdecimal() else 0)
            if numbers[-1] < 1:
                faults.append(f"line {line}: {name} {text!r} is not a whole number above 0")
        nationality, name, weapon = (record.get(key, "") for key in ("nationality", "type", "weapon"))
        faults.extend(
            f"line {line}: {key} is empty" for key in ("nationality", "type", "weapon") if not record.get(key)
        )
        if (nationality, name) in found:
            faults.append(f"line {line}: {nationality} {name} stands twice")
        found[nationality, name] = ArtilleryType(nationality, name, weapon, *numbers)
    if not found:
        faults.append("no types")
    if faults:
        raise ChartError(faults)
    return ArtilleryTypes(found, records[0]["provenance"].split()[0])


# --- modifiers and limits ------------------------------------------------------------------------
@attrs.frozen
class _Table:
    """A table of a TOML file, read strictly; what is wrong with it goes to ``faults``, after ``where``."""

    content: Mapping[str, Any]
    faults: list[str]
    where: str = ""

    def table(self, name: str) -> _Table:
        """Return a table in this one, empty if there is none."""
        content = self.content.get(name)
        return _Table(content if isinstance(content, dict) else {}, self.faults, f"{self.where}{name}.")

    def needs(self, *names: str) -> None:
        """Note as faults which of these are not there."""
        self.faults.extend(f"{self.where}{name} is missing" for name in names if name not in self.content)

    def whole(self, name: str, least: int | None = None) -> int:
        """Return a whole number; 0, and a fault, if there is none."""
        value = self.content.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or (least is not None and value < least):
            bound = "" if least is None else f" from {least}"
            self.faults.append(f"{self.where}{name}: {value!r} is not a whole number{bound}")
            return 0
        return value

    def wholes(self, name: str, *needed: str) -> dict[str, int]:
        """Return the whole numbers of a table in this one, which must hold those that are needed."""
        table = self.table(name)
        table.needs(*needed)
        return {entry: table.whole(entry) for entry in table.content}


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
        """Return the modifier for so many steps in the target hex."""
        return self.density[max(least for least in self.density if least <= max(steps, 1))]

    def net(self, total: int) -> int:
        """Return a sum of modifiers, held between the bounds."""
        return max(-self.max_net, min(self.max_net, total))


def read_drm(file: Path | Traversable) -> DrmTable:
    """Read the die-roll modifiers.

    Raises ``ChartError`` with every fault: a group or entry missing, a value that is no whole number, a density
    that does not begin with 1 step.
    """
    faults: list[str] = []
    content = _Table(tomli.loads(chart_text(file)), faults)
    density = content.wholes("density", "1")
    faults.extend(f"density.{entry}: not a number of steps" for entry in density if not entry.isdecimal())
    stacking = content.table("stacking")
    table = DrmTable(
        max_net=content.whole("max_net"),
        terrain=content.wholes("terrain", "clear"),
        works=content.wholes("works", "none"),
        armour=content.wholes("armour", "none", "mixed", "pure"),
        density={int(entry): value for entry, value in density.items() if entry.isdecimal()},
        other=content.wholes("other", *OTHER),
        mixed_best=stacking.whole("mixed_armour_best_of_three"),
        pure_best=stacking.whole("pure_armour_best_of_two"),
        provenance=str(content.content.get("provenance", "")),
        source="12.3.1; " + str(content.content.get("source", "")),
    )
    if faults:
        raise ChartError(faults)
    return table


def read_limits(file: Path | Traversable) -> Limits:
    """Read the limits.

    Raises ``ChartError`` with every fault: a side or situation missing, an unknown entry, a value that is neither a
    number nor ``any`` where that is allowed, a reference to a situation that is not there.
    """
    faults: list[str] = []
    content = _Table(tomli.loads(chart_text(file)), faults)
    rows: dict[tuple[str, str], Allowance] = {}
    for side in SIDES:
        table = content.table(side)
        faults.extend(f"{side}.{name} is not known" for name in table.content if name not in SITUATIONS)
        for situation in SITUATIONS:
            allowance = _allowance(table, situation)
            if allowance is not None:
                rows[side, situation] = allowance
    both, depletion = content.table("both"), content.table("depletion")
    limits = Limits(
        rows,
        both.whole("vantage_point_bonus", 0),
        both.whole("breakdown_unit_outside_works", 0),
        both.whole("unobserved", 0),
        both.whole("air_observation_radius_hexes", 0),
        {side: depletion.whole(side, 0) for side in SIDES},
        depletion.whole("thaw_die_modifier", 0),
        depletion.whole("replenish_inactive_side_modifier", 0),
        str(content.content.get("provenance", "user")),
        str(content.content.get("source", "")),
    )
    if faults:
        raise ChartError(faults)
    return limits


def _allowance(side: _Table, situation: str) -> Allowance | None:
    """Read the limits of a situation, which may be those of another (``like``)."""
    if situation not in side.content:
        side.needs(situation)
        return None
    entry = found = side.table(situation)
    found.needs("cite")
    if "like" in found.content:
        source = side.content.get(found.content["like"])
        if not isinstance(source, dict) or "like" in source:
            side.faults.append(f"{found.where}like: no limits under {found.content['like']!r}")
            return None
        entry = attrs.evolve(found, content=source)
    caps: dict[str, int | None] = {}
    for name, value in entry.content.items():
        if name in ("same_formation", "corps_army") and value == "any":
            caps[name] = None
        elif name in ("same_formation", "corps_army", "other_formations", "total", "min_same_formation"):
            caps[name] = entry.whole(name, 0)
        elif name != "cite":
            side.faults.append(f"{entry.where}{name} is not known")
    entry.needs("same_formation", "corps_army")
    return Allowance(
        str(found.content.get("cite", "")),
        caps.get("same_formation"),
        caps.get("corps_army", 0),
        caps.get("other_formations") or 0,
        caps.get("total"),
        caps.get("min_same_formation") or 0,
    )
