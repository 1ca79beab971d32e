"""Whole games at the prompt, over a pipe: typed and rolled dice, why, odds, undo, log, leaving and coming back."""

from __future__ import annotations

import io

import pytest

from fireplan.cli import main

GAMES = ("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein")


@pytest.fixture
def sit(capsys, monkeypatch, tmp_path):
    """Run a command with these lines typed in; returns status and what was printed."""

    def run(*arguments, typed=()):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
        monkeypatch.chdir(tmp_path)
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out + err

    return run


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_watch_is_played_to_its_end(sit, game):
    status, out = sit("play", "open_attack", "--game", game, "--journal", "t", "--seed", 3, typed=[""] * 4000)
    assert status == 0
    assert "All moments are played." in out
    status, account = sit("replay", "t")
    assert status == 0
    # Every line of the log ends with its rule.
    lines = [
        line for line in account.splitlines() if line.startswith("  ") and ": " in line and "mission a (" not in line
    ]
    assert lines
    assert all(line.endswith("]") for line in lines)


def test_a_c1_mission_with_typed_dice(sit):
    typed = [
        "1", "1", "4", "4", "black",  # call; roll; contact on 8; a black chit
        "place at=K15", "2",  # AR on the target, accurate
        "1", "3", "3",  # maintain contact with an Original 6
        "why correct at=Z99", "convert",  # the SR lies on the target
        "quit",
    ]  # fmt: skip
    status, out = sit("play", "--game", "asl", "--journal", "t", typed=typed)
    assert status == 0
    assert "2-8: contact" in out
    assert "12: set breaks" in out
    assert "fall: mission a, impact K15" in out
    status, out = sit("resume", "t", typed=["log", "quit"])
    assert status == 0
    assert "fall: mission a, impact K15" in out


def test_a_throw_half_typed_goes_on_after_leaving(sit):
    sit("play", "--game", "asl", "--journal", "t", typed=["1", "1", "4", "quit"])
    status, out = sit("resume", "t", typed=["4", "quit"])
    assert status == 0
    assert "coloured" not in out.partition("white: ")[0].rpartition("\n")[2]
    assert "contact: mission a [C1.2]" in out


def test_wrong_lines_are_answered_and_change_nothing(sit):
    typed = [
        "9",
        "shoot",
        "pass now=1",
        "why shoot",
        "why",
        "odds",
        "map",
        "help",
        "undo",
        "call",
        "7",
        "seven",
        "quit",
    ]
    status, out = sit("play", "--game", "asl", "--journal", "t", typed=[*typed[:10], "1", *typed[10:]])
    assert status == 0
    for part in ("refused", "not an order here", "nothing to take back", "7 cannot fall", "in the 60 moments left"):
        assert part in out


def test_odds_say_what_the_solver_says(sit):
    _, out = sit("play", "--game", "red_poppies", "--journal", "t", typed=["odds", "quit"])
    assert "fire for effect falls" in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("play",), "Name a scenario"),
        (("play", "nowhere/nothing"), "There is no scenario"),
        (("play", "wods", "--game", "asl"), "'woods'"),
        (("play", "--game", "als"), "'asl'"),
        (("resume", "nothing.fireplan"), "no such journal"),
        (("replay", "nothing.fireplan"), "no such journal"),
    ],
)
def test_wrong_openings_end_with_2(sit, arguments, expected):
    status, out = sit(*arguments)
    assert status == 2
    assert expected in out


def test_a_journal_is_never_written_over(sit):
    assert sit("play", "--game", "asl", "--journal", "t", typed=["quit"])[0] == 0
    status, out = sit("play", "--game", "asl", "--journal", "t", typed=["quit"])
    assert status == 2
    assert "already there" in out
