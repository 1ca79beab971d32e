"""What the nationality of a battery decides: Draw Pile, accuracy and radio contact, by date. Data, no rules."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import attrs

from fireplan_core.chance import Note, Numbers, read_csv
from fireplan_core.files import near

DATA = files("fireplan_asl") / "data"


class UnknownNationError(LookupError):
    """No row fits a nationality and date; the message says what is known instead."""


@attrs.frozen
class Nation:
    """One row: chits of the pile, highest accurate dr, highest contact DR, and the months it holds for.

    ``plentiful_included`` says that the printed pile already has the chit of Plentiful Ammunition.
    """

    nationality: str
    also: tuple[str, ...]
    squads: str
    first: str
    last: str
    black: int
    red: int
    plentiful_included: bool
    accuracy: int
    contact: int

    @property
    def label(self) -> str:
        """Name the row, with the squads and the first month it holds for where there are several."""
        squads = f"_{self.squads.replace('-', '')}" if self.squads else ""
        return self.nationality + squads + (f"_from_{self.first}" if self.first else "")

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
"""Charts: the name, the field, the rule, and what it is."""


@cache
def nations() -> tuple[Nation, ...]:
    """Return every row, in the order of the file."""
    read: list[dict[str, Any]] = [
        {
            **row,
            "also": tuple(row["also"].split()),
            "plentiful_included": row["plentiful_included"] == "yes",
            **{field: int(row[field]) for _, field, *_ in _FIGURES},
        }
        for row in read_csv(DATA / "nations.csv")
    ]
    return tuple(Nation(**row) for row in read)


def row_charts(
    rows: Mapping[str, Any], figures: Iterable[tuple[str, str, str, str]], least: int | None = None
) -> dict[str, Numbers]:
    """Return the figures of rows by their labels as charts; each is its name, the field, its rule, and what it is."""
    return {
        name: Numbers(
            name,
            {label: getattr(row, field) for label, row in rows.items()},
            dict.fromkeys(rows, Note(cite, summary, "printed", least)),
        )
        for name, field, cite, summary in figures
    }


def national_charts() -> dict[str, Numbers]:
    """Return radio contact, accuracy, black and red chits by nationality."""
    return row_charts({row.label: row for row in nations()}, _FIGURES, 0)


def _folded(nationality: str) -> str:
    return nationality.strip().lower().replace(" ", "_").replace("-", "_")


def _named(nationality: str) -> list[Nation]:
    return [row for row in nations() if _folded(nationality) in (row.nationality, *row.also)]


def is_american(nationality: str) -> bool:
    """Tell whether a nationality is American, by any of its names."""
    return any(row.nationality == "american" for row in _named(nationality))


def nation_for(nationality: str, date: dt.date, charts: Mapping[str, Any], squads: str = "4-4-7") -> Nation:
    """Return the row for a nationality on a day; ``squads`` is the majority type, where that decides (Chinese).

    Its figures are those of the charts (``national_charts``, or as somebody has changed them).

    Raises ``UnknownNationError`` with the nearest name, or with the dates that are known.
    """
    month = f"{date:%Y-%m}"
    named = _named(nationality)
    for row in named:
        if row.first <= month <= row.last and row.squads in ("", squads):
            return attrs.evolve(row, **{field: charts[name][row.label] for name, field, *_ in _FIGURES})
    known = sorted({name for row in nations() for name in (row.nationality, *row.also)})
    if not named:
        meant = near(nationality, known)
        hint = f"did you mean {meant}?" if meant else f"known are {', '.join(known)}"
        raise UnknownNationError(f"no artillery figures for nationality {nationality!r}; {hint}")
    spans = ", ".join(sorted({f"{row.first or 'the beginning'} to {row.last}" for row in named}))
    later = f"kw_{_folded(nationality)}"
    hint = f"; for Korea use {later}" if later in known else ""
    raise UnknownNationError(f"no artillery figures for {nationality} in {month}; known: {spans}{hint}")
