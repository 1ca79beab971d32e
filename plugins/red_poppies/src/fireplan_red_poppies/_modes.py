"""Modes of transmission (7.21) and their numbers from the charts.

No steps here: the delays throw against these numbers, observers and requests ask who must see.
"""

from __future__ import annotations

import attrs

from fireplan_core import Charts

AIRCRAFT = "aircraft"
FLARE = "flare"
RUNNER = "runner"
TELEPHONE = "telephone"
TRENCH_SET = "trench_set"


@attrs.frozen
class Mode:
    """A mode as this scenario has it: 2d6 at or below ``number`` succeeds, after ``delay`` turns (7.21)."""

    name: str
    number: int
    delay: int


def mode(name: str, charts: Charts, *, bombarded: bool, trench: bool) -> Mode:
    """Return a mode's numbers: bombarded column or not, telephone with or without a trench on the map (7.14, 7.21)."""
    row = int(bombarded)
    column = "telephone_no_trench" if name == TELEPHONE and not trench else name
    return Mode(name, int(charts["signal"].cell(row, column)), int(charts["relay"].cell(row, column)))
