"""Scenario files: from a name or path to a playable scenario, or to faults with their locations."""

from __future__ import annotations

import attrs
import null_game
import pytest
from null_setup import plugin_with

from fireplan_core import Option, Severity, hookimpl
from fireplan_core.chance import ScriptedFaces, chart_from_csv
from fireplan_core.files import FileError
from fireplan_core.play import (
    Catalogue,
    Table,
    find_scenario,
    load_scenario,
    play_out,
    shipped_scenarios,
)

HEAD = 'game = "null"\ntitle = "t"\nmoments = 4\ntarget = "K9"\n'
UNIT = '[[unit]]\nid = "man"\nplace = "K9"\n'


def plugin(key, **changes):
    """Return the null game under another key, with some of its attributes changed."""

    @hookimpl
    def fireplan_game():
        return attrs.evolve(null_game.fireplan_game(), key=key, **changes)

    return plugin_with(fireplan_game=fireplan_game)


@pytest.fixture
def catalogue():
    """Return a catalogue of the null game with a choice and a chart, and of a second one without
    scenarios.
    """

    def read_losses(file):
        return chart_from_csv("losses", file, provenance="user")

    catalogue = Catalogue()
    options = (Option("wind", ("calm", "gale"), "N3", "how hard it blows"),)
    catalogue.admit(plugin("null", options=options, chart_readers={"losses": read_losses}))
    catalogue.admit(plugin("bare", scenarios=None))
    return catalogue


@pytest.fixture
def faults(catalogue, tmp_path):
    """Return a function that returns (keys, line, message, suggestion) of each fault of a scenario
    file with the given content.
    """

    def read(content):
        file = tmp_path / "my.toml"
        file.write_text(content)
        with pytest.raises(FileError) as caught:
            load_scenario(catalogue, file)
        assert {fault.file for fault in caught.value.faults} == {"my.toml"}
        return [
            (fault.key, fault.line, fault.message, fault.suggestion)
            for fault in caught.value.faults
        ]

    return read


# --- reading ---------------------------------------------------------------------------------


def test_a_shipped_scenario_is_found_by_game_and_name_and_can_be_played(catalogue):
    assert list(shipped_scenarios(catalogue)) == ["null/outpost"]
    scenario, form = find_scenario(catalogue, "null/outpost")
    assert (scenario.title, form.moments) == ("An outpost", 4)
    assert scenario.frame.label(scenario.centre) == "K9"
    # In the first moment the side asks, reaches the battery on a 3, and is accurate on a 1. In the
    # second it reaches the battery on a 4 and converts; the listener in cover rolls 5, the runner
    # in the open 5 + 1.
    table = Table(scenario, form.moments)
    play_out(table, ScriptedFaces([3, 1, 4, 5, 5, 1, 1]))
    events = [entry.event for entry in table.log if entry.event.kind == "suffered"]
    assert {event["unit"]: event["severity"] for event in events} == {
        "listener": Severity.SUPPRESSED,
        "runner": Severity.DESTROYED,
    }


def test_shipped_scenarios_of_one_name_are_distinguished_by_game(catalogue):
    catalogue.admit(plugin("also"))
    assert list(shipped_scenarios(catalogue)) == ["also/outpost", "null/outpost"]


def test_a_path_is_found_too(catalogue, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(HEAD + UNIT)
    scenario, form = find_scenario(catalogue, str(file))
    assert (scenario.title, list(scenario.units), form.title) == ("t", ["man"], "t")


def test_options_and_charts_beside_the_file_reach_the_parts(catalogue, tmp_path):
    (tmp_path / "mine.csv").write_text("row,loss\n1,a\n2,b\n")
    file = tmp_path / "mine.toml"
    file.write_text(HEAD + UNIT + '[options]\nwind = "gale"\n[charts]\nlosses = "mine.csv"\n')
    scenario, _ = load_scenario(catalogue, file)
    assert scenario.parts.areas.options == {"wind": "gale"}
    assert scenario.parts.areas.charts["losses"].cell(2, "loss") == "b"


# --- the name, and the game -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["null/outpots", "nul/outpost", "outpost"])
def test_an_unknown_name_proposes_the_shipped_scenario(catalogue, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError) as caught:
        find_scenario(catalogue, name)
    (only,) = caught.value.faults
    assert only.message == "no such file or shipped scenario"
    assert only.suggestion == "did you mean null/outpost? shipped scenarios: null/outpost"


@pytest.mark.parametrize(
    ("first", "line", "message", "suggestion"),
    [
        ("# nothing", None, "this key is missing", 'add game = "...", one of null'),
        ('game = "nul"', 1, "no game of this name is installed", 'did you mean "null"?'),
        (
            'game = "chess"',
            1,
            "no game of this name is installed",
            "installed with scenario files: null",
        ),
        ('game = "bare"', 1, "bare has no scenario files", "games with scenario files: null"),
        ("game = 3", 1, "expected the name of a game in quotes", "one of null"),
    ],
)
def test_a_game_that_cannot_be_had_is_the_only_fault(faults, first, line, message, suggestion):
    assert faults(f"{first}\nmoments = 0\n") == [("game", line, message, suggestion)]


def test_without_any_game_no_game_is_suggested(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text(HEAD)
    with pytest.raises(FileError, match="installed with scenario files: none"):
        load_scenario(Catalogue(), file)


# --- faults ---------------------------------------------------------------------------------------


def test_faults_of_the_common_and_of_the_games_own_keys_arrive_together(faults):
    found = faults(
        'game = "null"\ntitle = 5\nmoments = 0\n[[unit]]\nplace = "K9"\n[[unit]]\nid = "b"\nplace = "?"\n'
    )
    assert [(key, line) for key, line, _, _ in found] == [
        ("target", None),
        ("title", 2),
        ("moments", 3),
        ("unit[0].id", 4),
        ("unit[1].place", 8),
    ]


def test_a_repeated_name_is_reported_if_all_else_is_valid(faults):
    assert faults(HEAD + UNIT + UNIT) == [
        ("unit[1].id", 9, '"man" stands twice', "give each unit a name of its own"),
    ]


def test_every_wrong_option_and_chart_is_named_at_its_own_line(faults, tmp_path):
    (tmp_path / "bad.csv").write_text("row,loss\n1,a\n3,\n")
    found = faults(
        HEAD
        + UNIT
        + '[options]\nwnd = "gale"\nwind = "storm"\n[charts]\nlosses = "bad.csv"\nhits = "bad.csv"\n'
    )
    assert [(key, line) for key, line, _, _ in found] == [
        ("options.wnd", 9),
        ("options.wind", 10),
        ("charts.losses", 12),
        ("charts.losses", 12),
        ("charts.hits", 13),
    ]
    said = [f"{message} - {suggestion}" for _, _, message, suggestion in found]
    assert "wind: how hard it blows (N3)" in said[0]
    assert "calm, gale" in said[1]
    assert "column loss is empty" in said[2]
    assert "row 2 is missing" in said[3]
    assert "replaceable: losses" in said[4]


def test_a_missing_chart_file_is_reported(faults):
    ((key, line, message, _),) = faults(HEAD + UNIT + '[charts]\nlosses = "none.csv"\n')
    assert (key, line) == ("charts.losses", 9)
    assert message.startswith("none.csv cannot be opened")


def test_staging_errors_are_reported_as_faults_of_the_file(faults):
    assert faults(HEAD) == [("", None, "there is nobody to fire at", "")]
