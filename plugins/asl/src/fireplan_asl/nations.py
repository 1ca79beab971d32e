"""Say what nationality and terrain decide. Data, no rules.

A battery's nation gives Draw Pile, accuracy and radio contact, by date; terrain gives TEM and Air
Bursts, and what may be left or placed there.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import attrs

from fireplan_core.chance import Note, Numbers, read_csv
from fireplan_core.files import near

DATA = files("fireplan_asl") / "data"
Row = Mapping[str, str]


class UnknownNationError(LookupError):
    """No row fits a nationality and date; the message says what is known instead."""


@attrs.frozen
class Nation:
    """The figures of a nation on a day: highest contact DR and accurate dr, chits of the pile.

    ``plentiful_included`` says that the printed pile already has the chit of Plentiful Ammunition.
    """

    contact: int
    accuracy: int
    black: int
    red: int
    plentiful_included: bool

    def pile(self, ammunition: str, *, preregistered: bool) -> tuple[int, int]:
        """Return the black and red chits of a battery at the start (C1.211)."""
        black = self.black - self.plentiful_included + (ammunition == "plentiful") + preregistered
        return black, self.red + (ammunition == "scarce")


_FIGURES = (
    ("radio_contact", "contact", "C1.2", "highest Contact DR of a radio"),
    ("accuracy", "accuracy", "C1.3", "highest accurate dr"),
    ("black_chits", "black", "C1.211", "black chits of the Draw Pile"),
    ("red_chits", "red", "C1.211", "red chits of the Draw Pile"),
)
"""The charts: the name, the column, the rule, and what it is."""


@cache
def nations() -> Mapping[str, Row]:
    """Return every row by its nation, with the squads and the first month it holds for where there are several."""

    def label(row: Row) -> str:
        squads = f"_{row['squads'].replace('-', '')}" if row["squads"] else ""
        return row["nationality"] + squads + (f"_from_{row['first']}" if row["first"] else "")

    return {label(row): row for row in read_csv(DATA / "nations.csv")}


def row_charts(
    rows: Mapping[str, Row], figures: Iterable[tuple[str, str, str, str]], least: int | None = None
) -> dict[str, Numbers]:
    """Return columns of rows as charts; each is its name, the column, its rule, and what it is."""
    return {
        name: Numbers(
            name,
            {label: int(row[column]) for label, row in rows.items()},
            dict.fromkeys(rows, Note(cite, summary, "printed", least)),
        )
        for name, column, cite, summary in figures
    }


def national_charts() -> dict[str, Numbers]:
    """Return radio contact, accuracy, black and red chits by nationality."""
    return row_charts(nations(), _FIGURES, 0)


def _names(row: Row) -> tuple[str, ...]:
    return (row["nationality"], *row["also"].split())


def _folded(nationality: str) -> str:
    return nationality.strip().lower().replace(" ", "_").replace("-", "_")


def is_american(nationality: str) -> bool:
    """Tell whether a nationality is American, by any of its names."""
    return _folded(nationality) in _names(nations()["american"])


def nation_for(
    nationality: str, date: dt.date, charts: Mapping[str, Any], squads: str = "4-4-7"
) -> Nation:
    """Return the figures of a nationality on a day.

    ``squads`` is the majority type, where that decides (Chinese).

    They are those of the charts (``national_charts``, or as somebody has changed them).

    Raises ``UnknownNationError`` with the nearest name, or with the dates that are known.
    """
    month = f"{date:%Y-%m}"
    named = {label: row for label, row in nations().items() if _folded(nationality) in _names(row)}
    for label, row in named.items():
        if row["first"] <= month <= row["last"] and row["squads"] in ("", squads):
            figures: dict[str, Any] = {column: charts[name][label] for name, column, *_ in _FIGURES}
            return Nation(**figures, plentiful_included=row["plentiful_included"] == "yes")
    known = sorted({name for row in nations().values() for name in _names(row)})
    if not named:
        meant = near(nationality, known)
        hint = f"did you mean {meant}?" if meant else f"known are {', '.join(known)}"
        raise UnknownNationError(f"no artillery figures for nationality {nationality!r}; {hint}")
    spans = ", ".join(
        sorted({f"{row['first'] or 'the beginning'} to {row['last']}" for row in named.values()})
    )
    later = f"kw_{_folded(nationality)}"
    hint = f"; for Korea use {later}" if later in known else ""
    raise UnknownNationError(
        f"no artillery figures for {nationality} in {month}; known: {spans}{hint}"
    )


# --- terrain -----------------------------------------------------------------------------------------
_TERRAIN = (
    ("terrain_tem", "tem", "C1.52", "TEM"),
    ("terrain_air_bursts", "air_bursts", "C1.52", "modifier of Air Bursts"),
)


@cache
def terrains() -> Mapping[str, Row]:
    """Return the terrain chart as printed, by name."""
    return {row["terrain"]: row for row in read_csv(DATA / "terrain.csv")}


def terrain_charts() -> dict[str, Numbers]:
    """Return TEM and Air Bursts by terrain."""
    return row_charts(terrains(), _TERRAIN)


def allows(terrain: str, what: str) -> bool:
    """Tell whether a terrain has ``craters``, ``burns``, is ``marsh`` or has ``smoke`` lie in it."""
    return terrains()[terrain][what] == "yes"
