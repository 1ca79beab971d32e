"""With ``--json`` every command prints nothing but JSON on standard output."""

import io
import json
import os
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from fireplan.cli import main
from fireplan.cli.app import ELSEWHERE, HOMES
from fireplan.questions.registry import places

STAGED = ("--game", "wacht_am_rhein", "--minutes", "4")
COMMANDS = {
    "belief": ("miniatures_1943/only_dummies", "--side", "german", "--at", "2"),
    "best": ("--for", "destroyed", "--game", "wacht_am_rhein", "--moments", "1"),
    "chance": ("asl/village", "--of", "fall", "--by", "1"),
    "check": ("miniatures_1943", "--only", "L16-footprint"),
    "compare": ("woods", "--games", "wacht_am_rhein", "--minutes", "4"),
    "diff": (
        "miniatures_1943",
        "--option",
        "chit",
        "--value",
        "dummy",
        "--moments",
        "1",
        "--walks",
        "0",
    ),
    "duel": (
        "miniatures_1943/chits_in_hand",
        "--for",
        "destroyed",
        "--moments",
        "2",
        "--only",
        "request",
    ),
    "decisions": ("wacht_am_rhein",),
    "engagements": (),
    "events": ("wacht_am_rhein",),
    "export": ("game.fireplan",),
    "fields": ("wacht_am_rhein",),
    "games": (),
    "kitbash": ("wacht_am_rhein", "--delays", "asl", "--minutes", "4"),
    "luck": ("miniatures_1943/two_on_one",),
    "measures": (),
    "numbers": ("wacht_am_rhein",),
    "odds": ("woods", *STAGED),
    "open": ("/questions/games",),
    "piles": ("asl/village",),
    "rolls": ("wacht_am_rhein",),
    "rules": ("wacht_am_rhein",),
    "scenarios": ("asl",),
    "sensitivity": (*STAGED, "--for", "delivered"),
    "sweep": ("plan.toml",),
    "tune": ("wacht_am_rhein", "--want", "delivered >= 1 %"),
    "whatif": (
        "--games",
        "wacht_am_rhein",
        "--minutes",
        "4",
        "--set",
        "wacht_am_rhein.men_per_step=30",
    ),
}
SLOW = {"check", "diff", "kitbash", "odds", "sensitivity", "sweep", "tune", "whatif"}
PLAN = 'title = "x"\nengagements = ["woods"]\ngames = ["wacht_am_rhein"]\n'


@pytest.mark.parametrize(
    "command", [pytest.param(n, marks=pytest.mark.full) if n in SLOW else n for n in COMMANDS]
)
def test_every_json_is_json(command, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if command == "duel" and find_spec("highspy") is None:
        pytest.skip("highspy is not installed")
    if command == "sweep":
        Path("plan.toml").write_text(PLAN, encoding="utf-8")
    if command == "export":
        monkeypatch.setattr("sys.stdin", io.StringIO())
        main(["play", "asl/village", "--journal", "game.fireplan", "--seed", "1"])
        capfd.readouterr()
    status = main([command, *COMMANDS[command], "--json"])
    out, err = capfd.readouterr()
    # A sweep prints on standard error where its results are.
    assert (status, "" if command == "sweep" else err) == (0, "")
    assert json.loads(out)


def test_every_command_with_json_is_tested(capsys):
    commands = {*places(), *ELSEWHERE}.union(*HOMES.values()) - {"question_commands"}
    printing = set()
    for command in sorted(commands - {*COMMANDS}):
        main([command, "--help"])
        if re.search(r"--json\b", capsys.readouterr().out):
            printing.add(command)
    assert not printing


def test_output_of_libraries_is_not_in_the_answer(capfd, monkeypatch):
    highspy = pytest.importorskip("highspy")
    made = highspy.Highs

    def printing():
        # The library prints this when the object is made.
        os.write(1, b"Running HiGHS 1.16.0: Copyright\n")
        return made()

    monkeypatch.setattr(highspy, "Highs", printing)
    assert main(["duel", *COMMANDS["duel"], "--json"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["goal"] == "destroyed"
    assert err == ""
