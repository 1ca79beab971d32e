"""The IFT, compared three ways: the game's chart, a copy read row by row, and one typed here by
result (C1.5).

Here the table is turned round: for each result, the Final DR that give it in each column, typed
from memory independently of the other two. One cell of 176 differed at first (2 FP, Final DR 2,
typed as no result). That was a slip here: in every column a K/# follows the last KIA, so the K/1 of
the other two is right.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from fireplan_asl import fireplan_game as game

COLUMNS = (1, 2, 4, 6, 8, 12, 16, 20, 24, 30, 36)
# The Final DR that gives the result in each column, or the first of two; None if the column does
# not have the result.
PTC = (5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
NMC = (4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
MC_1 = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
MC_2 = (None, None, 3, 4, 4, 5, 6, 7, 8, 9, 10)
MC_3 = (None, None, None, None, None, 4, 5, 6, 7, 8, 9)
MC_4 = (None, None, None, None, None, None, None, 5, 6, 7, 8)
TWICE = {"1MC": COLUMNS, "2MC": COLUMNS[4:]}
"""Results that two successive Final DR give, and the columns where they do."""
K = {1: (1, 1), 2: (1, 2), 4: (2, 2), 6: (2, 3), 8: (2, 3), 12: (3, 3), 16: (3, 4), 20: (4, 4), 24: (4, 5),
     30: (4, 6), 36: (4, 7)}  # fmt: skip
"""For each column, the number of the K/# result and the Final DR that gives it."""
TOP = dict(zip(COLUMNS, (1, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7), strict=True))
"""For each column, the number of KIA on a Final DR of 0; each higher DR gives one fewer, down to
one.
"""


def by_result():
    """Return the whole table as a dictionary from (column, Final DR) to result."""
    cells = {(power, dr): "-" for power in COLUMNS for dr in range(16)}
    for name, row in (
        ("PTC", PTC),
        ("NMC", NMC),
        ("1MC", MC_1),
        ("2MC", MC_2),
        ("3MC", MC_3),
        ("4MC", MC_4),
    ):
        for power, first in zip(COLUMNS, row, strict=True):
            if first is not None:
                cells[power, first] = name
                if power in TWICE.get(name, ()):
                    cells[power, first + 1] = name
    for power, (number, dr) in K.items():
        cells[power, dr] = f"K/{number}"
    for power, top in TOP.items():
        for dr in range(top):
            cells[power, dr] = f"{top - dr}KIA"
    return cells


def by_row():
    text = (
        (Path(__file__).parents[1] / "data" / "asl_ift.csv")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    return {
        (int(name.removeprefix("fp")), int(row["dr"])): cell
        for row in csv.DictReader(text)
        for name, cell in row.items()
        if name != "dr"
    }


def test_c1_5_the_ift_is_the_same_in_three_tellings():
    chart = game().charts["ift"]
    shipped = {(power, dr): chart.cell(dr, f"fp{power}") for power in COLUMNS for dr in range(16)}
    assert len(shipped) == 11 * 16
    assert shipped == by_row()
    assert shipped == by_result()


@pytest.mark.parametrize("power", COLUMNS)
def test_c1_5_a_column_gets_milder_as_the_dr_rises(power):
    kills = [f"{n}KIA" for n in range(7, 0, -1)]
    order = [*kills, "K/4", "K/3", "K/2", "K/1", "4MC", "3MC", "2MC", "1MC", "NMC", "PTC", "-"]
    cells = by_row()
    column = [order.index(cells[power, dr]) for dr in range(16)]
    assert column == sorted(column)
