"""The data that depends on nationality and terrain.

A battery's nation and the date determine its Draw Pile, accuracy and Radio Contact. Terrain
determines TEM and Air Bursts, and whether Shellholes, Flames and SMOKE may be placed.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import attrs

from fireplan_core import CannotStageError
from fireplan_core.chance import Note, Numbers, read_csv
from fireplan_core.files import near

DATA = files("fireplan_asl") / "data"
Row = Mapping[str, str]


@attrs.frozen
class Nation:
    """A nation's figures on a date: highest Contact DR, highest accurate dr, chits of the pile.

    ``plentiful_included`` means that the printed pile includes the chit for Plentiful Ammunition.
    """

    contact: int
    accuracy: int
    black: int
    red: int
    plentiful_included: bool

    def pile(self, ammunition: str, *, preregistered: bool) -> tuple[int, int]:
        """Return the numbers of black and red chits with which a battery starts (C1.211).

        ``plentiful`` ammunition or a Pre-Registered hex (``preregistered``) adds a black chit,
        ``scarce`` ammunition a red one.
        """
        black = self.black - self.plentiful_included + (ammunition == "plentiful") + preregistered
        return black, self.red + (ammunition == "scarce")


_FIGURES = (
    ("radio_contact", "contact", "C1.2", "highest Contact DR of a radio"),
    ("accuracy", "accuracy", "C1.3", "highest accurate dr"),
    ("black_chits", "black", "C1.211", "black chits of the Draw Pile"),
    ("red_chits", "red", "C1.211", "red chits of the Draw Pile"),
)
"""The charts by nation: each chart's name, column in the file, rule and summary."""


@cache
def nations() -> Mapping[str, Row]:
    """Return the CSV rows keyed by nation, squad type and first month: ``finnish_from_1939-01``."""

    def label(row: Row) -> str:
        squads = f"_{row['squads'].replace('-', '')}" if row["squads"] else ""
        return row["nationality"] + squads + (f"_from_{row['first']}" if row["first"] else "")

    return {label(row): row for row in read_csv(DATA / "nations.csv")}


def row_charts(
    rows: Mapping[str, Row], figures: Iterable[tuple[str, str, str, str]], least: int | None = None
) -> dict[str, Numbers]:
    """Return columns of CSV rows as charts, keyed by chart name.

    Each of ``figures`` is a chart name, a column, a rule and a summary; ``least`` is the lowest
    value that a change may set.
    """
    return {
        name: Numbers(
            name,
            {label: int(row[column]) for label, row in rows.items()},
            dict.fromkeys(rows, Note(cite, summary, "printed", least)),
        )
        for name, column, cite, summary in figures
    }


def national_charts() -> dict[str, Numbers]:
    """Return the charts by nationality, keyed by name, e.g. ``radio_contact``."""
    return row_charts(nations(), _FIGURES, 0)


def _names(row: Row) -> tuple[str, ...]:
    return (row["nationality"], *row["also"].split())


def _folded(nationality: str) -> str:
    return nationality.strip().lower().replace(" ", "_").replace("-", "_")


def is_american(nationality: str) -> bool:
    """Return whether a nationality is American, under any of its names."""
    return _folded(nationality) in _names(nations()["american"])


def nation_for(nationality: str, date: dt.date, charts: Mapping[str, Any], squads: str) -> Nation:
    """Return a nationality's figures on a date.

    The figures come from ``charts`` (``national_charts``, or a changed copy). ``squads`` is the
    majority squad type, which matters for Chinese batteries only.

    Raises ``CannotStageError`` with the nearest name, or with the dates that have figures.
    """
    month = f"{date:%Y-%m}"
    rows = {label: row for label, row in nations().items() if _folded(nationality) in _names(row)}
    for label, row in rows.items():
        if row["first"] <= month <= row["last"] and row["squads"] in ("", squads):
            figures: dict[str, Any] = {column: charts[name][label] for name, column, *_ in _FIGURES}
            return Nation(**figures, plentiful_included=row["plentiful_included"] == "yes")
    names = sorted({name for row in nations().values() for name in _names(row)})
    if not rows:
        nearest = near(nationality, names)
        hint = f"did you mean {nearest}?" if nearest else f"choose from {', '.join(names)}"
        raise CannotStageError([f"no artillery figures for nationality {nationality!r}; {hint}"])
    spans = ", ".join(
        sorted({f"{row['first'] or 'the beginning'} to {row['last']}" for row in rows.values()})
    )
    korean = f"kw_{_folded(nationality)}"
    hint = f"; for Korea use {korean}" if korean in names else ""
    raise CannotStageError(
        [f"no artillery figures for {nationality} in {month}, only for {spans}{hint}"]
    )


# --- terrain --------------------------------------------------------------------------------------
_TERRAIN = (
    ("terrain_tem", "tem", "C1.52", "TEM"),
    ("terrain_air_bursts", "air_bursts", "C1.52", "modifier of Air Bursts"),
)


@cache
def terrains() -> Mapping[str, Row]:
    """Return the rows of the printed terrain chart, keyed by terrain name."""
    return {row["terrain"]: row for row in read_csv(DATA / "terrain.csv")}


def terrain_charts() -> dict[str, Numbers]:
    """Return the charts of TEM and Air Bursts by terrain, keyed by chart name."""
    return row_charts(terrains(), _TERRAIN)


def allows(terrain: str, what: str) -> bool:
    """Return whether a terrain's column ``craters``, ``burns``, ``smoke`` or ``marsh`` says yes."""
    return terrains()[terrain][what] == "yes"
