"""Commands that will take long say so and ask first; over a pipe they are refused with the option
to add.
"""

from __future__ import annotations

import io
import re

import pytest

from fireplan.cli import command_extras, main, printing
from fireplan.cli.output import Output
from fireplan.errors import InputError
from fireplan.solver import Analysis


class Terminal(io.StringIO):
    """Standard input or error that claims to be a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def told(monkeypatch):
    """Return a function that answers with typed text and returns what the terminal shows."""

    def ask(seconds, typed, *, terminal=True, yes=False):
        said = Terminal()
        monkeypatch.setattr("sys.stdin", Terminal(typed) if terminal else io.StringIO(typed))
        monkeypatch.setattr("sys.stderr", said)
        printing.asking("watch fewer moments", yes=yes)(seconds)
        return said.getvalue()

    return ask


def test_a_long_job_begins_after_confirmation(told):
    assert told(printing.LONG - 1, "") == ""
    assert told(3000, "", yes=True) == ""
    assert "This will take about 50 minutes on a slow machine (watch fewer moments to" in told(
        3000, " Yes\n"
    )
    assert "about 40 seconds" in told(41, "y\n")
    for typed in ("no\n", "\n", ""):
        with pytest.raises(InputError, match="Not started"):
            told(3000, typed)


def test_over_a_pipe_a_long_job_is_refused_with_the_option_to_add(told):
    with pytest.raises(InputError, match="add --yes to start anyway, or watch fewer moments"):
        told(3000, "yes\n", terminal=False)


@pytest.mark.parametrize(
    "command",
    [
        ("odds", "asl/village", "--moments", "1000"),
        ("compare", "--games", "asl", "--minutes", "1440"),
    ],
)
def test_a_thousand_moments_are_asked_about_before_any_is_solved(command, capsys, monkeypatch):
    monkeypatch.setattr(Analysis, "solve", lambda *_: pytest.fail("the work began"))
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(list(command)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "This will take about" in err
    assert "--yes" in err


@pytest.mark.long
def test_luck_of_a_long_game_asks_before_it_begins(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("\n" * 200))
    main(["play", "asl/creeping", "--journal", "t.fireplan", "--seed", "1"])
    monkeypatch.setattr("fireplan.questions.luck.EACH", 1000.0)
    monkeypatch.setattr("fireplan.solver.luck", lambda *_: pytest.fail("the work began"))
    capsys.readouterr()
    assert main(["luck", "t.fireplan"]) == 2
    assert "weigh a shorter game" in capsys.readouterr().err


def test_a_sweep_continued_at_a_terminal_shows_a_bar_of_the_points_left(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(printing, "PATIENCE", -1)
    monkeypatch.setenv("TERM", "xterm")

    def ask(arguments):
        arguments["begun"](1, 3)
        for point in ("woods asl", "woods red_poppies"):
            arguments["progress"](3, point)
        return "the results"

    assert [*command_extras.sweep(ask, {}, Output())] == ["the results"]
    assert "1 of 3 points are solved already" in screen.getvalue()
    assert re.search("woods red_poppies.*2/2", screen.getvalue())
    assert "2 of 3" not in screen.getvalue()
