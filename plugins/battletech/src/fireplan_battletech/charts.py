"""The tables and the map: pieces with their rings, turns of flight by range, sheets of hexes."""

from importlib.resources import files

import attrs

from fireplan_core.chance import numbers_from_csv, read_csv
from fireplan_core.space import HexFrame, Layout, numbered_columns

DATA = files(__package__) / "data"
NUMBERS = numbers_from_csv("numbers", DATA / "numbers.csv")
SPACING_M, COLUMNS, ROWS = NUMBERS["hex_metres"], NUMBERS["map_columns"], NUMBERS["map_rows"]
MAP = HexFrame(SPACING_M, Layout(numbered_columns(1, COLUMNS), (1, ROWS), (1, ROWS), digits=len(str(ROWS))))
"""Four sheets, two by two: the map of an engagement and of the scenarios."""
MIDDLE = MAP.nearest(*(sum(pair) / len(pair) for pair in zip(*map(MAP.metres, MAP.layout.hexes()), strict=True)))


@attrs.frozen
class Weapon:
    """Say how far a kind of piece fires, and what damage each ring about the hex takes, inmost first."""

    range_hexes: int
    rings: tuple[int, ...]


WEAPONS = {
    row["weapon"]: Weapon(int(row["range_hexes"]), tuple(int(row[r]) for r in row if r[:5] == "ring_" and row[r]))
    for row in read_csv(DATA / "weapons.csv")
}
FLIGHT = {int(row["hexes_at_most"]): int(row["turns_of_flight"]) for row in read_csv(DATA / "flight.csv")}
"""Turns of flight by the range up to which they hold."""


def designations(hexes: int) -> int:
    """Return how many hexes a side may name before play on a map of so many (7)."""
    return NUMBERS["designated"] * -(-hexes // NUMBERS["designated_area"])
