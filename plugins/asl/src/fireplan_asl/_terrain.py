"""Terrain as it matters to fire: TEM and Air Bursts, which are charts, and what may be left or placed there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import attrs

from fireplan_asl._nations import DATA, row_charts
from fireplan_core.chance import Numbers, read_csv

_FIGURES = (
    ("terrain_tem", "tem", "C1.52", "TEM"),
    ("terrain_air_bursts", "air_bursts", "C1.52", "modifier of Air Bursts"),
)


@attrs.frozen
class Terrain:
    """One row: TEM and Air Bursts, whether a Shellhole or a Flame may be placed, whether Marsh, whether SMOKE lies."""

    tem: int
    air_bursts: int
    craters: bool
    burns: bool
    marsh: bool
    smoke: bool


@cache
def terrains() -> Mapping[str, Terrain]:
    """Return the terrain chart as printed, by name."""
    return {
        row["terrain"]: Terrain(
            tem=int(row["tem"]),
            air_bursts=int(row["air_bursts"]),
            craters=row["craters"] == "yes",
            burns=row["burns"] == "yes",
            marsh=row["marsh"] == "yes",
            smoke=row["smoke"] == "yes",
        )
        for row in read_csv(DATA / "terrain.csv")
    }


def terrain_charts() -> dict[str, Numbers]:
    """Return TEM and Air Bursts by terrain."""
    return row_charts(terrains(), _FIGURES)


def terrain_for(name: str, charts: Mapping[str, Any]) -> Terrain:
    """Return a terrain with its figures as the charts have them (as printed, or as somebody has changed them)."""
    return attrs.evolve(terrains()[name], **{field: charts[chart][name] for chart, field, *_ in _FIGURES})
