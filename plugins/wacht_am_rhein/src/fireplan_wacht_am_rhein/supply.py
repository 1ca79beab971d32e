"""Ammunition: depletion values, the German Transport Table, and what a depleted unit is still worth (12.6).

Pure judgements on numbers and charts. Who is depleted is kept, and dice are thrown, in ``ammunition``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import attrs

from fireplan_core.chance import Chart, ChartError, Die, read_csv
from fireplan_wacht_am_rhein.barrage import ArtilleryUnit

_DICE: Final = tuple(f"d{face}" for face in range(10))


@attrs.frozen
class Standing:
    """What an artillery unit may do and is worth in other chapters' procedures; None where that is not known."""

    may_barrage: bool
    defence: int | None
    at: int | None
    red_hexagon: bool


def standing(unit: ArtilleryUnit, *, depleted: bool) -> Standing:
    """Return what a unit is worth: depleted ones defend with 1, have AT 1 and no red hexagon (12.6.2)."""
    if depleted:
        return Standing(may_barrage=False, defence=1, at=1, red_hexagon=False)
    return Standing(may_barrage=True, defence=unit.defence, at=unit.at, red_hexagon=unit.red_hexagon)


def value_of(unit: ArtilleryUnit, side_value: int) -> int:
    """Return a unit's depletion value: that of its Pocket Supply Source, else its side's (12.6.1)."""
    return side_value if unit.pocket is None else unit.pocket


def barrage_value(
    firing: Sequence[ArtilleryUnit], formation: str | None, side_value: int, *, lowest: bool = False
) -> int:
    """Return the value that a barrage's depletion roll is compared with (12.6.1).

    Where the firing units' values differ, the one of the observing unit's formation counts (its lowest, should that
    differ too), or the side's value if no unit of it fires; with ``lowest`` the lowest of all.
    """
    values = {value_of(unit, side_value) for unit in firing}
    if not values:
        return side_value
    if lowest or len(values) == 1:
        return min(values)
    return min((value_of(unit, side_value) for unit in firing if unit.under == formation), default=side_value)


def depletion_shares(die: Die, value: int, drm: int, candidates: int) -> dict[int, Fraction]:
    """Return how likely it is that so many of the ``candidates`` are depleted by the roll; shares sum to 1."""
    shares: dict[int, Fraction] = {}
    for face in die.faces:
        number = min(max(0, face + drm - value), candidates)
        shares[number] = shares.get(number, Fraction(0)) + Fraction(1, die.sides)
    return shares


def read_transport(file: Path | Traversable) -> Chart:
    """Read a German Transport Table: rows are truck points on ammunition, columns ``d0`` to ``d9`` the die.

    Cells are changes of the German depletion value. Raises ``ChartError`` with every fault: a column missing or not
    known, truck points that are no whole number or do not run on from 0, a cell that is no whole number.
    """
    records = read_csv(file)
    if not records:
        raise ChartError(["no truck points"])
    has = tuple(records[0])
    wanted = ("ammo_truck_points", *_DICE, "provenance")
    faults = [f"column {name} is missing" for name in wanted if name not in has]
    faults += [f"column {name} is not known" for name in has if name not in wanted]
    cells: dict[tuple[int, str], str] = {}
    for line, record in enumerate(records, start=2):
        points = record.get("ammo_truck_points", "")
        if points != str(line - 2):
            faults.append(f"line {line}: {points!r} truck points stand where {line - 2} should")
        for name in _DICE:
            text = record.get(name, "")
            if name in has and not re.fullmatch(r"[+-]?[0-9]{1,3}", text):
                faults.append(f"line {line} {name}: {text!r} is not a whole number")
            cells[line - 2, name] = text
    if not records[0].get("provenance"):
        faults.append("line 2: the provenance is empty")
    if faults:
        raise ChartError(faults)
    rows = tuple(range(len(records)))
    provenance = records[0]["provenance"].split()[0]
    return Chart("german_transport", rows, _DICE, cells, provenance, "successor edition of 2020, Logistics Table")
