"""Whole missions at a real terminal of several widths: lines can be edited and completed, and no
word is split.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playing_on import options_of

from fireplan.cli import main
from fireplan.table import read_playthrough, shipped_playthroughs
from fireplan_core.play import Catalogue

CODES = re.compile(r"\x1b\[[0-9;?>=]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>78]|\x1b\][^\x07]*\x07")
PROMPT = re.compile(r"(?:order|[^\n]* \([^\n]*\)|[^\n]*Enter):\s*$")
BEGUN = b"\x1b[?2004h"
"""The bytes that a prompt sends when it begins: they allow text to be pasted."""
MISSIONS = {
    "asl": "asl/village",
    "miniatures_1943": "miniatures_1943/one_request",
    "red_poppies": "red_poppies/two_groups",
    "wacht_am_rhein": "wacht_am_rhein/one_segment",
}
LATELY = 50
"""The number of lines that are searched for a prompt: as many as the terminal has."""
LONG_MISSIONS = ("asl", "miniatures_1943", "red_poppies")


class Terminal:
    """A command at a new terminal with the given number of columns."""

    def __init__(self, folder: Path, columns: int, *arguments: str) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LATELY, columns, 0, 0))
        environment = {
            **os.environ,
            "TERM": "xterm",
            "PROMPT_TOOLKIT_NO_CPR": "1",
            "PYTHONUNBUFFERED": "1",
        }
        environment = {
            name: value for name, value in environment.items() if name not in ("COLUMNS", "LINES")
        }
        command = [sys.executable, "-m", "fireplan", *arguments]
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)
        self.lines, self.rest = [], b""
        self.begun, self.answered = 0, 0

    def read(self) -> bool:
        """Read more output; return False when the command has ended."""
        try:
            more = os.read(self.master, 65536)
        except OSError:
            return False
        *lines, self.rest = (self.rest + more).split(b"\n")
        self.begun += sum(line.count(BEGUN) for line in lines)
        self.lines += [f"{plain(line)}\n" for line in lines]
        return bool(more)

    @property
    def shown(self) -> str:
        """All that the command has written."""
        return "".join([*self.lines, plain(self.rest)])

    @property
    def lately(self) -> str:
        """The last lines that the command has written."""
        return "".join([*self.lines[-LATELY:], plain(self.rest)])

    def at_a_prompt(self) -> bool:
        """Read until a prompt is waiting."""
        while self.begun + self.rest.count(BEGUN) <= self.answered or not PROMPT.search(
            self.lately
        ):
            if not self.read():
                return False
        return True

    def shows(self, text: str, times: int = 1) -> bool:
        """Read until the text has appeared that often and a prompt is waiting."""
        while self.shown.count(text) < times:
            if not self.read():
                return False
        return self.at_a_prompt()

    def type(self, text: str) -> None:
        """Type a line."""
        self.answered += 1
        os.write(self.master, text.encode())

    def end(self) -> int:
        while self.read():
            pass
        os.close(self.master)
        return self.process.wait()


def plain(written: bytes) -> str:
    """Return what was written to the terminal without its codes."""
    return CODES.sub("", written.decode("utf-8", "replace")).replace("\r", "")


def played(
    folder: Path, columns: int, name: str, lines: list[str], reference: str, options: list[str]
) -> Terminal:
    """Return the terminal after a mission was typed line by line and left."""
    terminal = Terminal(
        folder, columns, "play", reference, *options, "--journal", f"{name}.fireplan"
    )
    for line in [*lines, "quit"]:
        while (waits := terminal.at_a_prompt()) and terminal.lately.rstrip().endswith("Enter:"):
            terminal.type("\r")
        if not waits:
            break
        terminal.type(f"{line}\r")
    return terminal


def script(name: str) -> tuple[list[str], str, list[str]]:
    """Return the lines to type for a shipped playthrough (all dice of a roll on one line), its
    scenario and its options.
    """
    playthrough = read_playthrough(
        shipped_playthroughs(Catalogue.installed())[name].read_text(encoding="utf-8")
    )
    lines = []
    for line in playthrough.inputs:
        if line.text.startswith("roll "):
            lines.append(
                " ".join(die.split()[-1] for die in line.text.partition(":")[2].split(","))
            )
        elif not line.text.startswith("why "):
            lines.append(line.text.partition(": ")[2])
    return lines, playthrough.reference, options_of(playthrough)


@cache
def words_over_a_pipe(game: str) -> set[str]:
    """Return every word that the mission prints over a pipe, where lines are not wrapped."""
    lines, reference, options = script(MISSIONS[game])
    with TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "fireplan",
            "play",
            reference,
            *options,
            "--journal",
            "piped.fireplan",
        ]
        typed = "\n".join([*lines, "quit", ""])
        run = subprocess.run(
            command, input=typed, capture_output=True, text=True, cwd=folder, check=True
        )
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "columns",
    [pytest.param(40, marks=pytest.mark.full), 80, pytest.param(160, marks=pytest.mark.long)],
)
@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=pytest.mark.long) if game in LONG_MISSIONS else game
        for game in MISSIONS
    ],
)
def test_a_whole_mission_is_played_at_a_terminal_and_no_line_is_torn_in_a_word(
    tmp_path, capsys, game, columns
):
    lines, reference, options = script(MISSIONS[game])
    terminal = played(tmp_path, columns, "typed", lines, reference, options)
    assert terminal.end() == 0
    assert "refused" not in terminal.shown
    assert "expected" not in terminal.shown
    assert main(["export", str(tmp_path / "typed.fireplan")]) == 0
    at_home = capsys.readouterr().out
    assert f"> {lines[-1]}" in at_home or lines[-1].split()[-1] in at_home
    # However its lines are wrapped, the terminal uses the same words as the pipe.
    words = words_over_a_pipe(game)
    said = [
        line for line in terminal.shown.split("\n") if not re.match(r"order:|[^:]*\([^:]*\):", line)
    ]
    told = [
        line for line in said if "(" in line and line.rstrip().endswith(")") and "|" not in line
    ]
    assert told
    assert not {word for line in told for word in line.split()} - words


@pytest.mark.full
def test_words_are_completed_and_the_last_line_comes_back(tmp_path):
    terminal = Terminal(tmp_path, 80, "play", "asl/village", "--journal", "t.fireplan")
    assert terminal.at_a_prompt()
    terminal.type("ca\t\r")
    assert terminal.shows("The Observer calls for fire")
    terminal.type("UNDO\r")
    assert terminal.shows("undone: Have the Observer call for fire")
    terminal.type("\x1b[A\x1b[A\r")  # recall the line before the last
    assert terminal.shows("The Observer calls for fire", times=2)
    terminal.type("\x04")
    assert terminal.end() == 0
    assert "The game is saved" in terminal.shown
