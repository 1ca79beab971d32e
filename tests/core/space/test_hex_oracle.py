"""Hexes of worked examples in ASL C1, E8 and E12, as the rules print them (asl_hex_oracle.csv)."""

import csv
import re
from pathlib import Path

import pytest

from fireplan_core.space import alternate_grain, disc, distance, hex_grain, line, neighbours, step

ORACLE = Path(__file__).parents[2] / "data" / "asl_hex_oracle.csv"
ARM = 4  # a Barrage of nine hexes extends four to either side (E12.11)
COMPASS = {"N-S": (4,), "S then SW": (4, 5)}
# Rows of these kinds hold a die roll or a limit, not hexes.
NOT_GEOMETRY = {"bombardment_spared", "extent_cap"}


def barrage(board, text):
    label, grain = re.fullmatch(r"(\w+) (?:alt )?(.+?)(?: grain)?", text).groups()
    ways, hex_ = COMPASS[grain], board.parse(label)
    return hex_grain(hex_, *ways, ARM) if len(ways) == 1 else alternate_grain(hex_, *ways, ARM)


def barrage_pair(board, text):
    hexes = barrage(board, text)
    return hexes[ARM - 1], hexes[ARM + 1]


def error(board, text):
    label, direction, extent = re.fullmatch(r"(\w+) dir(\d) x(\d)", text).groups()
    return [step(board.parse(label), int(direction), int(extent))]


def correct_set(board, text):
    start, most, aim = re.fullmatch(r"from (\w+) max (\d) onto/adjacent (\w+)", text).groups()
    return {h for h in disc(board.parse(aim), 1) if distance(h, board.parse(start)) <= int(most)}


def grain_between(board, first, last):
    """Return the zigzag of one row number from hex to hex, found by trying all twelve directions."""
    start, end = board.parse(first), board.parse(last)
    length = distance(start, end)
    zigzags = [
        alternate_grain(start, a, b, length)[length:]
        for a in range(1, 7)
        for b in (a % 6 + 1, (a - 2) % 6 + 1)
    ]
    (found,) = {z for z in zigzags if z[-1] == end and len({board.label(h)[1:] for h in z}) == 1}
    return found


def alt_grain(board, text):
    first, last = re.fullmatch(r"(\w+) to (\w+) E-W", text).groups()
    return grain_between(board, first, last)


def shift(board, text):
    moved, start, end = (
        board.parse(t) for t in re.fullmatch(r"(\w+) by \((\w+) to (\w+)\)", text).groups()
    )
    (direction,) = (d for d in range(1, 7) if step(start, d) == end)
    return [step(moved, direction)]


def creep_options(board, text):
    start, aim, row = re.fullmatch(r"from (\w+) aim (\w+) row (\d+)", text).groups()
    here, there = board.parse(start), board.parse(aim)
    grain = grain_between(board, f"G{row}", aim)
    return {
        h for h in grain if distance(h, here) == 2 and distance(h, there) < distance(here, there)
    }


def adjacent_in_row(board, text):
    label, row = re.fullmatch(r"(\w+) row (\w+)", text).groups()
    return {h for h in neighbours(board.parse(label)) if board.label(h).startswith(row)}


def concentration_contains(board, text):
    return set(disc(board.parse(text), 1))


def chain(board, text):
    (first,) = re.fullmatch(r"(\w+) westwards same number", text).groups()
    return grain_between(board, first, f"A{first[1:]}")


def straight(board, text):
    if found := re.fullmatch(r"(\w+) to number-(\d+) edge", text):
        direction = 4 if found[2] == "10" else 1
        return [h for h in line(board.parse(found[1]), direction, 12) if board.on_map(h)]
    label, direction = re.fullmatch(r"(\w+) five hexes dir(\d)", text).groups()
    return line(board.parse(label), int(direction), 6)[1:]


KINDS = {
    "barrage": barrage,
    "barrage_pair": barrage_pair,
    "error": error,
    "correct_set": correct_set,
    "alt_grain": alt_grain,
    "shift": shift,
    "creep_options": creep_options,
    "adjacent_in_row": adjacent_in_row,
    "concentration_contains": concentration_contains,
    "chain": chain,
    "line": straight,
}
ROWS = list(csv.DictReader(ORACLE.read_text(encoding="utf-8").splitlines()))
CASES = [
    pytest.param(row, id=f"{row['id']}-{row['source'].split()[-1]}-{row['kind']}")
    for row in ROWS
    if row["kind"] in KINDS
]


def test_every_row_of_the_oracle_that_is_geometry_is_used():
    assert {row["kind"] for row in ROWS} - set(KINDS) == NOT_GEOMETRY
    assert len(CASES) == len(ROWS) - 2 == 28


@pytest.mark.parametrize("row", CASES)
def test_c1_e12_printed_hexes(row, board):
    found = KINDS[row["kind"]](board, row["input"])
    expected = [board.parse(label) for label in row["expected"].split()]
    if row["kind"] == "concentration_contains":
        assert set(expected) < found
    elif isinstance(found, set):
        assert found == set(expected)
    else:
        assert list(found) == expected
