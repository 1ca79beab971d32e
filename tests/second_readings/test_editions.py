"""Readings side by side, as listed in ``docs/editions``: every option is there, and every position
shows the difference.
"""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import pytest
import tomli
from tiers import one_in

from fireplan.analysis import shipped_engagements
from fireplan.positions import Sources, position_of, take_apart
from fireplan.questions.divergence import parting
from fireplan.table import unlisted_scenarios
from fireplan_core.play import Catalogue

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "editions"
CATALOGUE = Catalogue.installed()


def read(game):
    with (FOLDER / f"{game}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


FOUND = {path.stem: read(path.stem) for path in sorted(FOLDER.glob("*.csv"))}
NONE = tomli.loads((FOLDER / "none.toml").read_text(encoding="utf-8"))
PARTED = [(game, row) for game, rows in FOUND.items() for row in rows if row["by"]]


def test_every_game_is_there():
    assert set(FOUND) == {"asl", "wacht_am_rhein", "red_poppies", "miniatures_1943"}


@pytest.mark.parametrize("game", FOUND)
def test_every_reading_of_every_option_is_there_once(game):
    pairs = [
        (option.name, str(value))
        for option in CATALOGUE[game].game.options
        for value in option.values[1:]
    ]
    assert [(row["option"], row["value"]) for row in FOUND[game]] == pairs


@pytest.mark.parametrize("game", FOUND)
def test_every_pair_has_a_position_or_a_reason(game):
    without = {(row["option"], row["value"]) for row in FOUND[game] if not row["by"]}
    assert without == {
        (option, value) for option, values in NONE.get(game, {}).items() for value in values
    }
    assert not [
        row for row in FOUND[game] if (row["option"], row["value"]) in without and row["moved"]
    ]


@pytest.mark.parametrize(
    ("game", "row"), one_in(3, PARTED), ids=[f"{g}-{r['option']}-{r['value']}" for g, r in PARTED]
)
def test_a_position_separates_the_readings_as_recorded(game, row):
    sources = Sources(CATALOGUE, shipped_engagements(), unlisted=unlisted_scenarios)
    lines = row["line"], row["other_line"]
    told = [{name: str(value) for name, value in take_apart(line).source.options} for line in lines]
    assert told == [{row["option"]: row["default"]}, {row["option"]: row["value"]}]
    assert parting(*(position_of(line, sources) for line in lines)) == (
        Fraction(row["by"]),
        row["what"],
    )
