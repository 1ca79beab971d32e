"""The charts of this game and the functions that load them.

The charts are the Artillery Request Chart, the Area Weapons Chart and air superiority. The first
two are reconstructions; players can replace them with the printed figures. A loader reports every
fault in a file at once.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

import attrs

from fireplan_core.chance import (
    PROVENANCES,
    Chart,
    chart_from_csv,
    read_csv,
)
from fireplan_core.files import Complaint, FileError, entry, read_file

DATA = files("fireplan_miniatures_1943") / "data"

OTHER = "other"
"""Name of the line for nations without their own line."""

ROW = 1
"""The row of a chart with a single row."""

NO_ROW = ""
"""The entry for a theatre that has no modifier in a year."""

read_air_superiority = partial(
    chart_from_csv,
    "air_superiority",
    source="S.b",
    entries=(rf"{NO_ROW}|[+-]?\d{{1,3}}", "a whole number"),
)
"""Return the Axis air superiority modifiers in a CSV file.

The file has a row for each year and a column for each power and theatre.
"""


def read_request_chart(file: Path | Traversable, *, provenance: str = "reconstructed") -> Chart:
    """Return the Artillery Request Chart in a CSV file: a column per nationality, one row of boxes.

    Raises ``FileError`` listing every fault: a nationality that is missing or listed twice, a
    number of boxes that is not a non-negative integer, no line for other nations, or an unknown
    ``provenance``.
    """
    faults: list[str] = []
    boxes: dict[str, str] = {}
    for line, row in enumerate(read_csv(file), start=2):
        nation, count = row.get("nationality", ""), row.get("progress_boxes", "")
        if not nation:
            faults.append(f"line {line}: the nationality is missing")
        if nation in boxes:
            faults.append(f"line {line}: {nation} is listed twice")
        if not re.fullmatch(r"[0-9]{1,3}", count):
            faults.append(f"line {line}: progress_boxes {count!r} is not a whole number from 0 up")
        boxes[nation] = count
    if OTHER not in boxes:
        faults.append(f"a line {OTHER!r} is missing")
    if provenance not in PROVENANCES:
        faults.append(f"provenance {provenance!r} is not one of {', '.join(PROVENANCES)}")
    if faults:
        raise FileError.listing(f"request chart: {fault}" for fault in faults)
    cells = {(ROW, nation): count for nation, count in boxes.items()}
    return Chart("request_chart", (ROW,), tuple(boxes), cells, provenance, "6.1.i")


@attrs.frozen(kw_only=True)
class AreaModifiers:
    """The cumulative modifiers of the Area Weapons Chart (6.3.b)."""

    prone: int = entry("prone or hastily dug in", range=(-10, 10))
    hard_cover: int = entry("in solid or hard cover", range=(-10, 10))
    personnel: int = entry("personnel", range=(-10, 10))


@attrs.frozen(kw_only=True)
class AreaWeaponsFile:
    """The fields in the file of an Area Weapons Chart."""

    provenance: Literal["printed", "derived", "reconstructed", "user"] = entry(
        "the origin of its figures", "user"
    )
    modifiers: AreaModifiers = entry("modifiers of the die")
    result: Mapping[str, Literal["K", "D", "none"]] = entry(
        "the result of each modified roll; the first and last also apply beyond"
    )

    def check(self) -> Iterator[Complaint]:
        """Yield faults for keys that are not rolls, and for gaps between the rolls."""
        rolls = [int(roll) for roll in self.result if re.fullmatch("-?[0-9]{1,2}", roll)]
        if len(rolls) < len(self.result) or not rolls:
            yield (
                "result",
                "there is no roll, or one is not a whole number of at most two digits",
                'such as 4 = "none"',
            )
        missing = {*range(min(rolls, default=0), max(rolls, default=0))}.difference(rolls)
        yield from (("result", f"roll {roll} has no result", "") for roll in sorted(missing))


@attrs.frozen(eq=False)
class AreaWeapons:
    """The Area Weapons Chart: a result for each modified roll, and the three modifiers."""

    results: Chart
    modifiers: Mapping[str, int]
    provenance: str
    source: str = "6.3.b"

    def result(self, roll: int) -> str:
        """Return the result for a modified roll: ``K``, ``D`` or ``none``."""
        return self.results.cell(roll, "result")


def read_area_weapons(file: Path | Traversable) -> AreaWeapons:
    """Return the Area Weapons Chart in a TOML file; by default its provenance is ``user``.

    Raises ``FileError`` listing every fault.
    """
    content = read_file(file, AreaWeaponsFile, what="chart")
    results = {int(roll): result for roll, result in content.result.items()}
    cells = {(roll, "result"): result for roll, result in results.items()}
    chart = Chart(
        "area_weapons", tuple(sorted(results)), ("result",), cells, content.provenance, "6.3.a"
    )
    return AreaWeapons(chart, attrs.asdict(content.modifiers), content.provenance)
