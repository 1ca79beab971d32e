"""TEM and Air Bursts of terrain (scenario files) and of cover (engagements) as charts. Data, no rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fireplan_asl._nations import DATA
from fireplan_core.chance import Note, Numbers, read_csv

_FIGURES = (("tem", "C1.52", "TEM"), ("air_bursts", "C1.52", "modifier of Air Bursts"))


def cover_key(cover: str, dug_in: str) -> str:
    """The name of a line of the cover list."""
    return f"{cover}_dug_in" if dug_in == "yes" else cover


def cover_charts() -> dict[str, Numbers]:
    """``terrain_tem``, ``terrain_air_bursts``, ``cover_tem`` and ``cover_air_bursts``."""
    lists = {
        "terrain": {row["terrain"]: row for row in read_csv(DATA / "terrain.csv")},
        "cover": {cover_key(row["cover"], row["dug_in"]): row for row in read_csv(DATA / "cover.csv")},
    }
    return {
        f"{name}_{figure}": Numbers(
            f"{name}_{figure}",
            {key: int(row[figure]) for key, row in rows.items()},
            {key: Note(cite, f"{summary}, {row['summary']}", "printed") for key, row in rows.items()},
        )
        for name, rows in lists.items()
        for figure, cite, summary in _FIGURES
    }


def charted(row: Mapping[str, str], charts: Mapping[str, Any], name: str, key: str) -> dict[str, str]:
    """A line with its figures as the charts have them (as printed, or as somebody has changed them)."""
    return {**row, **{figure: str(charts[f"{name}_{figure}"][key]) for figure, *_ in _FIGURES}}
