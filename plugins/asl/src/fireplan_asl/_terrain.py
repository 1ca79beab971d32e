"""Terrain as it matters to fire: TEM and Air Bursts, which are charts, and what may be left or placed there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from fireplan_asl._nations import DATA, Row, row_charts
from fireplan_core.chance import Numbers, read_csv

_FIGURES = (
    ("terrain_tem", "tem", "C1.52", "TEM"),
    ("terrain_air_bursts", "air_bursts", "C1.52", "modifier of Air Bursts"),
)


@cache
def terrains() -> Mapping[str, Row]:
    """Return the terrain chart as printed, by name."""
    return {row["terrain"]: row for row in read_csv(DATA / "terrain.csv")}


def terrain_charts() -> dict[str, Numbers]:
    """Return TEM and Air Bursts by terrain."""
    return row_charts(terrains(), _FIGURES)


def allows(terrain: str, what: str) -> bool:
    """Tell whether a terrain has ``craters``, ``burns``, is ``marsh`` or has ``smoke`` lie in it."""
    return terrains()[terrain][what] == "yes"
