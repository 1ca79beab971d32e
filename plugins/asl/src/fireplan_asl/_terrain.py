"""Terrain as it matters to fire: TEM and Air Bursts, which are charts, and what may be left or placed there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import attrs

from fireplan.chance import Note, Numbers, read_csv
from fireplan_asl._nations import DATA

_FIGURES = (("tem", "C1.52", "TEM"), ("air_bursts", "C1.52", "modifier of Air Bursts"))


@attrs.frozen
class Terrain:
    """One row: TEM and Air Bursts, whether a Shellhole or a Flame may be placed, whether Marsh, whether SMOKE lies."""

    tem: int
    air_bursts: int
    craters: bool
    burns: bool
    marsh: bool
    smoke: bool
    gist: str


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
            gist=row["gist"],
        )
        for row in read_csv(DATA / "terrain.csv")
    }


def terrain_charts() -> dict[str, Numbers]:
    """Return ``terrain_tem`` and ``terrain_air_bursts``."""
    return {
        f"terrain_{figure}": Numbers(
            f"terrain_{figure}",
            {name: getattr(terrain, figure) for name, terrain in terrains().items()},
            {name: Note(cite, f"{gist}, {terrain.gist}", "printed") for name, terrain in terrains().items()},
        )
        for figure, cite, gist in _FIGURES
    }


def terrain_for(name: str, charts: Mapping[str, Any]) -> Terrain:
    """Return a terrain with its figures as the charts have them (as printed, or as somebody has changed them)."""
    figures = {figure: charts[f"terrain_{figure}"][name] for figure, *_ in _FIGURES}
    return attrs.evolve(terrains()[name], **figures)
