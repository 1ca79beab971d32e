"""What the nationality of a battery decides: Draw Pile, accuracy and radio contact, by date. Data, no rules."""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import attrs

from fireplan_core.chance import Note, Numbers, read_csv

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
        """The row by name, with the squads and the first month it holds for where there are several."""
        squads = f"_{self.squads.replace('-', '')}" if self.squads else ""
        return self.nationality + squads + (f"_from_{self.first}" if self.first else "")

    def pile(self, ammunition: str, *, preregistered: bool) -> tuple[int, int]:
        """The black and red chits of a battery at the start (C1.211)."""
        black = self.black - self.plentiful_included + (ammunition == "plentiful") + preregistered
        return black, self.red + (ammunition == "scarce")


@cache
def nations() -> tuple[Nation, ...]:
    """Every row, in the order of the file."""
    return tuple(
        Nation(
            nationality=row["nationality"],
            also=tuple(row["also"].split()),
            squads=row["squads"],
            first=row["first"],
            last=row["last"],
            black=int(row["black"]),
            red=int(row["red"]),
            plentiful_included=row["plentiful_included"] == "yes",
            accuracy=int(row["accuracy"]),
            contact=int(row["contact"]),
        )
        for row in read_csv(DATA / "nations.csv")
    )


_FIGURES = {
    "radio_contact": ("contact", "C1.2", "highest Contact DR of a radio"),
    "accuracy": ("accuracy", "C1.3", "highest accurate dr"),
    "black_chits": ("black", "C1.211", "black chits of the Draw Pile"),
    "red_chits": ("red", "C1.211", "red chits of the Draw Pile"),
}


def national_charts() -> dict[str, Numbers]:
    """The figures of every row as charts: radio contact, accuracy, black and red chits by nationality."""
    return {
        name: Numbers(
            name,
            {row.label: getattr(row, field) for row in nations()},
            {row.label: Note(cite, summary, "printed", 0) for row in nations()},
        )
        for name, (field, cite, summary) in _FIGURES.items()
    }


def nation_for(nationality: str, date: dt.date, charts: Mapping[str, Any], squads: str = "4-4-7") -> Nation:
    """The row for a nationality on a day; ``squads`` is the majority type, where that decides (Chinese).

    Its figures are those of the charts (``national_charts``, or as somebody has changed them).

    Raises ``UnknownNationError`` with the nearest name, or with the dates that are known.
    """
    wanted = nationality.strip().lower().replace(" ", "_").replace("-", "_")
    month = f"{date:%Y-%m}"
    named = [row for row in nations() if wanted == row.nationality or wanted in row.also]
    if not named:
        known = sorted({name for row in nations() for name in (row.nationality, *row.also)})
        near = difflib.get_close_matches(wanted, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
        raise UnknownNationError(f"no artillery figures for nationality {nationality!r}; {hint}")
    for row in named:
        if row.first <= month <= row.last and row.squads in ("", squads):
            return attrs.evolve(row, **{field: charts[name][row.label] for name, (field, *_) in _FIGURES.items()})
    spans = ", ".join(sorted({f"{row.first or 'the beginning'} to {row.last}" for row in named}))
    later = difflib.get_close_matches(f"kw_{wanted}", sorted({row.nationality for row in nations()}), n=1, cutoff=0.9)
    hint = f"; for Korea use {later[0]}" if later else ""
    raise UnknownNationError(f"no artillery figures for {nationality} in {month}; known: {spans}{hint}")
