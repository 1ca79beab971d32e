"""The charts of this game and the functions that load them.

The charts are the Barrage Results Table (12.3.0), the die-roll modifiers (12.3.1), the Barrage
Limits (12.1.6), the Transport Table (12.6.1) and the list of artillery types. Where players can
replace a chart, its loader reports every fault at once.
"""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Final

import attrs
import tomli

from fireplan_core.chance import Chart, Die, chart_from_csv, chart_text, read_csv
from fireplan_core.files import FileError
from fireplan_wacht_am_rhein.command import SIDES, SITUATIONS, Allowance, BarrageLimits

DATA: Final = files("fireplan_wacht_am_rhein") / "data"
VALUES: Final = tuple(f"bv{value}" for value in "12345678")
"""The columns of the Barrage Results Table: Barrage Values 1 to 8."""
NO_EFFECT: Final = "none"
"""The entry in the Barrage Results Table for a volley without effect."""

_FACES: Final = "0123456789"
_DICE: Final = tuple(f"d{face}" for face in _FACES)
_RESULT = re.compile(r"(AS)?\+?([0-9]{0,3})")
_CELL = re.compile(r"(-?[0-9]{1,3})(?:-(-?[0-9]{1,3})|(\+))?")


def die(options: Mapping[str, Any]) -> Die:
    """Return the game's d10; the option ``d10_zero`` decides whether its 0 counts as 0 or 10."""
    return Die(len(_FACES), lowest=0 if options["d10_zero"] == "zero" else 1)


def _lines(
    file: Path | Traversable, columns: Sequence[str], nothing: str
) -> tuple[Sequence[Mapping[str, str]], list[str]]:
    """Return the rows of a CSV table, and a list of faults in its columns and provenance.

    Raises ``FileError`` with the message ``nothing`` if the table has no rows.
    """
    records = read_csv(file)
    if not records:
        raise FileError.listing([nothing])
    header = tuple(records[0])
    faults = [f"column {name} is missing" for name in columns if name not in header]
    faults += [f"column {name} is not known" for name in header if name not in columns]
    if not records[0].get("provenance"):
        faults.append("line 2: the provenance is empty")
    return records, faults


# --- the Barrage Results Table -------------------------------------------------------------------
def read_result(result: str) -> tuple[int, bool]:
    """Return a volley result as (hits, artillery shift): ``AS+2`` is (2, True).

    Raises ValueError for any other text.
    """
    if result == NO_EFFECT:
        return 0, False
    match = _RESULT.fullmatch(result)
    if not result or match is None or ("+" in result) != bool(match[1] and match[2]):
        raise ValueError(
            f"{result!r} is not a volley result: write AS, a number of hits, or both, such as AS+1"
        )
    return int(match[2] or 0), bool(match[1])


@attrs.frozen
class _Range:
    """A range of die-roll results, lowest to highest; ``high`` is None if it is open (``9+``)."""

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
    """Return the ranges in a column, in the order of the results; add faults to ``faults``."""
    ranges: list[_Range] = []
    hyphen = 0
    for line, record in enumerate(records, start=2):
        text = record.get(column, "")
        where = f"line {line} {column}"
        if text == "-":
            hyphen = hyphen or line
            continue
        match = _CELL.fullmatch(text)
        if match is None:
            faults.append(f"{where}: {text!r} is not a range: write 3, 3-4, 3+ or -")
            continue
        low = int(match[1])
        high = None if match[3] else int(match[2] or low)
        if high is not None and high < low:
            faults.append(f"{where}: {text} runs backwards")
            continue
        if hyphen:
            faults.append(
                f"{where}: {text} follows a hyphen (line {hyphen}); only the highest results may be -"
            )
        ranges.append(_Range(record.get("result", ""), line, low, high))
    for before, after in pairwise(ranges):
        where = f"line {after.line} {column}"
        if before.high is None or after.low <= before.high:
            faults.append(f"{where}: {after.text} overlaps {before.text} (line {before.line})")
        elif after.low > before.high + 1:
            faults.append(
                f"{where}: gap between {before.text} (line {before.line}) and {after.text}"
            )
    if not ranges:
        faults.append(f"{column}: no result is possible")
    elif ranges[-1].high is not None:
        last = ranges[-1]
        faults.append(
            f"line {last.line} {column}: nothing above {last.text} has a result; write {last.low}+"
        )
    return ranges


def _check_results(records: Sequence[Mapping[str, str]], faults: list[str]) -> None:
    """Add faults for invalid or repeated results and for contradictory hits or shifts."""
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
            faults.append(f"line {line}: {result} is listed twice")


def read_results(file: Path | Traversable) -> Chart:
    """Return the Barrage Results Table in a CSV file.

    The table's rows are modified dice, its columns are ``bv1`` to ``bv8``. Each line of the file is
    a volley result with its hits and artillery shift. A cell of the file is the range of modified
    dice that gives this result: ``n+`` for n or more, ``-`` if no die gives it. Raises
    ``FileError`` listing every fault: a wrong column, a gap, an overlap, a hyphen before the last
    range, a column without an open end, a result that contradicts its hits or shift.
    """
    expected = ("result", "hits", "artillery_shift", *VALUES, "provenance")
    records, faults = _lines(file, expected, "no results")
    _check_results(records, faults)
    columns = {name: _column(records, name, faults) for name in VALUES if name in records[0]}
    if faults:
        raise FileError.listing(faults)
    sides = len(_FACES)  # modified dice run from -10 to 20, whatever the reading of the 0
    ends = [
        end
        for cells in columns.values()
        for cell in cells
        for end in (cell.low, cell.high or cell.low)
    ]
    rows = tuple(range(min(-sides, min(ends) - 1), max(sides + sides, *ends) + 1))
    table = {
        (row, name): next((cell.result for cell in cells if row in cell), NO_EFFECT)
        for name, cells in columns.items()
        for row in rows
    }
    provenance = records[0]["provenance"].split()[0]
    return Chart(
        "barrage_results", rows, VALUES, table, provenance, "successor edition of 2020, 11.6.0"
    )


# --- the Transport Table -------------------------------------------------------------------------
def read_transport(file: Path | Traversable) -> Chart:
    """Return the German Transport Table in a CSV file.

    Rows are truck points allocated to ammunition, columns ``d0`` to ``d9`` are faces of the die,
    and cells are changes to the German depletion value. Raises ``FileError`` listing every fault,
    such as a missing column, a row that is missing or appears twice, or a cell that is not a whole
    number.
    """
    chart = chart_from_csv(
        "german_transport",
        file,
        provenance="reconstructed",
        source="successor edition of 2020, Logistics Table",
        needs=_DICE,
        entries=("[+-]?[0-9]{1,3}", "a whole number"),
    )
    return attrs.evolve(chart, title="German Transport Table")


# --- artillery types -----------------------------------------------------------------------------
@attrs.frozen
class ArtilleryType:
    """A type of artillery, with the Barrage Factors and the range in hexes of one battalion."""

    nationality: str
    name: str
    weapon: str
    calibre_mm: int
    factors: int
    range_hexes: int


@attrs.frozen(eq=False)
class ArtilleryTypes:
    """The artillery types of the game.

    ``types`` maps (nationality, name) to a type, in the order of the file.
    """

    types: Mapping[tuple[str, str], ArtilleryType]
    provenance: str
    source: str = "12.1.2"
    title: ClassVar[str] = "list of artillery types"


def read_artillery(file: Path | Traversable) -> ArtilleryTypes:
    """Return the artillery types listed in a CSV file."""
    records = read_csv(file)
    types = {
        (record["nationality"], record["type"]): ArtilleryType(
            record["nationality"],
            record["type"],
            record["weapon"],
            int(record["calibre_mm"]),
            int(record["barrage_factor"]),
            int(record["range_hexes"]),
        )
        for record in records
    }
    return ArtilleryTypes(types, records[0]["provenance"].split()[0])


# --- modifiers and limits ------------------------------------------------------------------------
@attrs.frozen(eq=False)
class DrmTable:
    """The die-roll modifiers for volleys (12.3.1).

    ``terrain``, ``works``, ``armour`` and ``density`` contribute one entry each; all of ``other``
    that apply are added. If some units are armoured, only the best ``mixed_best`` of the entries
    for terrain, works and armour count; if all are, only the entry for armour and the best
    ``pure_best`` of the other two.
    """

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
    title: ClassVar[str] = "list of barrage die-roll modifiers"

    def of_density(self, steps: int) -> int:
        """Return the modifier for this number of steps in the target hex."""
        return self.density[max(least for least in self.density if least <= max(steps, 1))]

    def net(self, total: int) -> int:
        """Return a sum of modifiers, limited to the range from -``max_net`` to +``max_net``."""
        return max(-self.max_net, min(self.max_net, total))


def read_drm(file: Path | Traversable) -> DrmTable:
    """Return the die-roll modifiers for volleys in a TOML file."""
    content = tomli.loads(chart_text(file))
    density = {int(steps): value for steps, value in content["density"].items()}
    return DrmTable(**{**content, "density": density, "source": f"12.3.1; {content['source']}"})


def read_limits(file: Path | Traversable) -> BarrageLimits:
    """Return the Barrage Limits in a TOML file.

    In the file, ``like`` copies the limits of another situation, and ``any`` means no limit.
    """
    content = tomli.loads(chart_text(file))
    rows = {}
    for side in SIDES:
        for situation in SITUATIONS:
            entry = content[side][situation]
            listed = {**content[side].get(entry.get("like"), entry), "cite": entry["cite"]}
            caps: dict[str, Any] = {
                name: None if cap == "any" else cap for name, cap in listed.items()
            }
            rows[side, situation] = Allowance(**caps)
    return BarrageLimits(
        rows,
        **content["both"],
        depletion=content["depletion"],
        provenance=content["provenance"],
        source=content["source"],
    )
