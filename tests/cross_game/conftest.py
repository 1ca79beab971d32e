"""Benches for every installed game and for the null game."""

from __future__ import annotations

from importlib.metadata import entry_points

import null_game
import pytest

from fireplan_core import Engagement
from fireplan_core.play import Catalogue
from fireplan_kit import STANDARD, Bench

ENGAGEMENT = STANDARD


def alone(game: str) -> Catalogue:
    """Return a catalogue with only this game: each must pass alone, and the null game without any
    other.
    """
    catalogue = Catalogue()
    if game == "null":
        catalogue.admit(null_game)
    else:
        (entry,) = entry_points(group="fireplan.games", name=game)
        catalogue.load(entry)
    assert not catalogue.problems
    return catalogue


@pytest.fixture(scope="session")
def engagement() -> Engagement:
    """Return the engagement on which the laws are tested."""
    return ENGAGEMENT


_benches: dict[str, Bench] = {}


@pytest.fixture
def bench(game: str) -> Bench:
    """Return the bench of one game, built once."""
    if game not in _benches:
        _benches[game] = Bench(alone(game), game)
    return _benches[game]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run over every game of the catalogue and the null game, unless a test chooses."""
    said = any("game" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "game" in metafunc.fixturenames and not said:
        names = {entry.name for entry in entry_points(group="fireplan.games")}
        names -= getattr(metafunc.module, "IN_THEIR_OWN_FOLDERS", set())
        metafunc.parametrize("game", ["null", *sorted(names)])
