"""Write the results of ``fireplan diff GAME`` into ``docs/editions``, a file for each game.

Run it by hand, because it takes minutes: ``python docs/_editions.py GAME [WALKS]``. Each row is a
reading that differs from the default. A test reads every position back.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import fireplan as fp

COLUMNS = (
    "rule", "option", "default", "value", "moved", "left_out", "moments", "walks", "by", "inputs", "what",
    "line", "other_line",
)  # fmt: skip


def main(game: str, walks: int) -> None:
    """Write the file of a game."""
    found = fp.diff(game, walks=walks)
    with (Path(__file__).parent / "editions" / f"{game}.csv").open(
        "w", encoding="utf-8", newline=""
    ) as file:
        rows = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        rows.writeheader()
        for reading in found.readings:
            option, at = reading.option, reading.parting
            rows.writerow({
                "rule": option.cite, "option": option.name, "default": option.default, "value": reading.value,
                "moved": " | ".join(table.table for table in reading.moved),
                "left_out": " | ".join(table.table for table in reading.tables if table.left_out),
                "moments": found.moments, "walks": walks,
                **({"by": at.by, "inputs": at.inputs, "what": at.what, "line": at.lines[0], "other_line": at.lines[1]}
                   if at else {}),
            })  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 24)  # noqa: PLR2004
