"""Games without a rulebook are compared on request or where a table has room, and are marked as
such.
"""

from __future__ import annotations

import io
import json

import attrs
import pytest
from rich.console import Console

import fireplan as fp
from fireplan.analysis import default_games
from fireplan.cli import command_extras as command
from fireplan.cli import main
from fireplan.questions.compare import pages
from fireplan.questions.opening import known_games
from fireplan.questions.result import Grid
from fireplan_core.play import Catalogue

SOURCES = "from second-hand sources"


@pytest.fixture
def catalogue():
    """Return a catalogue of three games, one without a rulebook."""
    found = Catalogue.installed(only=("asl", "miniatures_1943", "wacht_am_rhein"))
    asl = found.games["asl"]
    found.games["asl"] = attrs.evolve(asl, game=attrs.evolve(asl.game, sources=SOURCES))
    return found


@pytest.fixture
def shown(catalogue, monkeypatch, capsys):
    """Return a function that runs ``compare`` on the woods and returns what it prints."""
    monkeypatch.setattr(command, "catalogue", lambda: catalogue)

    def run(*arguments, columns=80):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert main(["compare", "woods", "--minutes", "10", *arguments]) == 0
        return capsys.readouterr().out

    return run


def test_a_game_without_its_rulebook_is_compared_when_it_is_named_or_all_are(catalogue):
    assert default_games(catalogue) == ("miniatures_1943", "wacht_am_rhein")
    assert known_games(catalogue, None) == ["miniatures_1943", "wacht_am_rhein"]
    assert known_games(catalogue, "all") == ["asl", "miniatures_1943", "wacht_am_rhein"]
    assert known_games(catalogue, ["wacht_am_rhein,all"]) == [
        "wacht_am_rhein",
        "asl",
        "miniatures_1943",
    ]
    assert known_games(catalogue, "asl") == ["asl"]


def test_where_nothing_else_is_installed_it_is_compared(catalogue):
    catalogue.games = {"asl": catalogue.games["asl"]}
    assert default_games(catalogue) == ("asl",)


def test_a_narrow_page_lists_the_games_it_leaves_out(shown):
    out = shown(columns=60)
    assert "Advanced Squad Leader" not in out
    assert "Also installed: asl. --games all compares them too." in out


@pytest.mark.full
def test_a_wide_page_shows_all_games_and_the_source_of_their_rules(shown):
    out = shown(columns=120)
    assert "Advanced Squad Leader" in out
    assert "Also installed" not in out
    assert f"the rules of Advanced Squad Leader are {SOURCES}" in out


@pytest.mark.full
def test_data_does_not_depend_on_the_page(shown):
    assert shown("--json", columns=60) == shown("--json", columns=200)
    assert set(json.loads(shown("--json"))["games"]) == {"miniatures_1943", "wacht_am_rhein"}
    assert set(json.loads(shown("--json", "--games", "all"))["games"]) == {
        "asl",
        "miniatures_1943",
        "wacht_am_rhein",
    }


def test_tables_are_as_many_as_a_page_needs_and_about_equally_wide():
    widths = {
        games: [len(page) for page in pages(range(games), 80)] for games in (0, 1, 4, 5, 7, 9)
    }
    assert widths == {0: [], 1: [1], 4: [4], 5: [2, 3], 7: [3, 4], 9: [3, 3, 3]}
    assert [len(page) for page in pages(range(7), 122)] == [7]
    assert [len(page) for page in pages(range(3), 20)] == [1, 1, 1]


@pytest.mark.full
def test_seven_columns_are_readable_at_80(catalogue):
    found = fp.compare("woods", games="all", minutes=10, catalogue=catalogue)
    answers = list(found.comparison.games.values())
    many = {f"{number} {one.title}": one for number in range(3) for one in answers}
    comparison = attrs.evolve(found.comparison, games=dict(list(many.items())[:7]))
    grids = [
        block
        for block in attrs.evolve(found, comparison=comparison).fitting(80)
        if isinstance(block, Grid)
    ]
    assert [len(grid.columns) - 1 for grid in grids] == [3, 4]
    said = io.StringIO()
    attrs.evolve(found, comparison=comparison).print(
        Console(file=said, width=80, color_system=None)
    )
    table = [line for line in said.getvalue().splitlines() if line[:1] in "┏┡│┃├└"]
    assert max(map(len, table)) <= 80
    assert "…" not in "".join(table)
