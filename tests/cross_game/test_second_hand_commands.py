"""Games from second-hand sources in every command: they answer as the four others do, exactly or
with an estimate.
"""

from __future__ import annotations

import io

import pytest

import fireplan as fp
from fireplan.cli import main
from fireplan_core.play import Catalogue

GAMES = [name for name, installed in Catalogue.installed().games.items() if installed.game.sources]
SCENARIOS = {
    "battlegroup_clash": "battlegroup_clash/forest_edge",
    "battletech": "battletech/ranging_in",
    "combat_commander": "combat_commander/orchard",
}
NUMBERS = {
    "battlegroup_clash": "recce=2",
    "battletech": "far=8",
    "combat_commander": "hand_recon=6",
}
SAMPLED = {"battlegroup_clash", "combat_commander"}
"""Games whose scenarios are too large to solve in full."""
USUAL = "No goal was named: on_target is the usual one here."


def said(capsys, *words):
    """Return what a command prints, as one line."""
    assert main([*map(str, words)]) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", GAMES)
def test_best_without_a_goal_answers_the_usual_one_of_a_scenario_in_its_seconds(name, capsys):
    seconds = 2 if name in SAMPLED else 600
    out = said(capsys, "best", SCENARIOS[name], "--seconds", seconds, "--why")
    assert USUAL in out
    if name in SAMPLED:
        assert "give or take" in out or "sampled in only" in out
        assert "no policy betters" in out
        assert "trajectories; the standard doctrine is too large to be followed exactly)" in out
        assert "e+" not in out
    else:
        assert "The best there is: " in out


@pytest.mark.parametrize("name", GAMES)
def test_best_orders_of_an_engagement_are_exact(name, capsys):
    out = said(capsys, "best", "woods", "--game", name, "--minutes", 12, "--seconds", 600)
    assert USUAL in out
    assert "The best there is: " in out


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.long if name in SAMPLED else ()) for name in GAMES],
)
def test_one_changed_number_is_compared_with_all_games_as_printed(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "240")
    out = said(
        capsys,
        "whatif",
        "woods",
        "--games",
        "all",
        "--set",
        f"{name}.{NUMBERS[name]}",
        "--minutes",
        10,
    )
    title = Catalogue.installed().games[name].game.title
    assert f"{title}, changed" in out
    assert "every probability is exact" in out
    for other in Catalogue.installed().games.values():
        assert other.game.title in out


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_mission_is_played_past_bad_input(name, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("odds off\nnonsense\n99\n" + "\n" * 2000))
    assert main(["play", SCENARIOS[name], "--seed", "3"]) == 0
    out = capsys.readouterr().out
    assert "refused: 'nonsense' is not an order here" in out
    assert "there is no order 99: give 1 to" in out
    assert "Traceback" not in out
    (journal,) = tmp_path.glob("*.fireplan")
    assert main(["replay", str(journal)]) == 0


@pytest.mark.parametrize("name", GAMES)
def test_the_line_of_a_position_is_complete(name):
    at = fp.position(SCENARIOS[name])
    for _ in range(6):
        table = at.at.table()
        waits = table.waits_for
        if hasattr(waits, "question"):
            at = at.play(table.rulebook.answer(waits, {}, table.read))
        else:
            at = at.play(
                dice=[next(face for face, weight in die.weights if weight) for die in waits.faces]
            )
        again = fp.position(at.line)
        assert again.at.state == at.at.state
        assert again.waits_for == at.waits_for
