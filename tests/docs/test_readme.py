"""The README keeps its promises: its commands, its paths, what a reader types, and a minute's
reading time.

test_asking.py runs its examples in Python, tests/docs_built/test_examples.py checks the figures of
the comparison, and ``.ci/run`` runs the two console commands in a fresh copy.
"""

import html
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from fireplan.cli import main
from fireplan_core.play import Catalogue

ROOT = Path(__file__).resolve().parents[2]
UNHURRIED = ROOT / "tests" / "unhurried.py"
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
PROSE = re.sub(r"^```.*?^```", "", README, flags=re.DOTALL | re.MULTILINE)
TYPED = [
    line.removeprefix("$ ")
    for kind, text in BLOCKS
    for line in text.splitlines()
    if line.startswith("$ ") or (kind == "text" and line.startswith(".venv/bin/"))
]
NAMED = re.findall(r"`([^`\n]+)`", PROSE)
COMMANDS = sorted(
    {word for text in (*TYPED, *NAMED) for word in re.findall(r"\bfireplan ([a-z]\w*)", text)}
)
MOST_WORDS = 350
"""Maximum words of prose: about a minute of silent reading (250 a minute is reading aloud). Code
does not count.
"""


def test_it_opens_with_a_picture_before_any_heading_but_its_name():
    before, *_ = re.split(r"^## ", README, flags=re.MULTILINE)
    pictures = re.findall(r"!\[([^\]]+)\]\(([^)]+)\)", README)
    assert README.startswith("# fireplan\n")
    assert len(pictures) == 1
    assert pictures[0][1] in before
    assert (ROOT / pictures[0][1]).is_file()


def test_three_commands_are_typed_to_set_up_to_serve_and_to_test():
    assert [re.findall(r"fireplan \w+|pytest", line)[-1] for line in TYPED] == [
        "fireplan compare",
        "fireplan serve",
        "pytest",
    ]


def test_it_is_read_in_a_minute():
    assert len(re.sub(r"!\[[^\]]*\]\([^)]*\)", "", PROSE).split()) <= MOST_WORDS


def test_every_command_that_it_names_is_looked_at():
    assert set(COMMANDS) >= {"compare", "serve", "new", "check"}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_it_names_has_help(command, capsys):
    assert main([command, "--help"]) == 0
    assert f"Usage: fireplan {command}" in capsys.readouterr().out


def test_every_path_it_names_exists():
    paths = [each for each in NAMED if "/" in each or each.endswith((".md", ".txt", ".toml"))]
    assert len(paths) >= 8
    assert [each for each in paths if not (ROOT / each).exists()] == []


def titles_of_the_table():
    head = next(
        line
        for kind, text in BLOCKS
        if kind == "text"
        for line in text.splitlines()
        if line[0] == "┃"
    )
    return [title.strip() for title in head.strip("┃").split("┃")[1:]]


def test_the_number_of_games_it_states_is_right():
    assert "four wargames" in PROSE
    titles = titles_of_the_table()
    by_default = re.findall(
        r"plugins/(\w+)", (ROOT / "requirements.txt").read_text(encoding="utf-8")
    )
    games = Catalogue.installed().games
    assert sorted(titles) == sorted(games[each].game.title for each in by_default)
    assert len(titles) == 4


@pytest.mark.full
def test_serve_opens_the_same_comparison(tmp_path):
    command = [sys.executable, UNHURRIED, "serve", "--port", "0", "--tables", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = re.search(r"http://\S+", process.stdout.readline())[0]
            address = f"{address.rstrip('/')}/compare"
            while (answer := urllib.request.urlopen(address)).status == 202:  # noqa: S310 - our own server, still at work
                time.sleep(0.5)
            page = html.unescape(answer.read().decode())
        finally:
            process.terminate()
    assert answer.status == 200
    assert [title for title in titles_of_the_table() if title not in page] == []


def test_new_writes_a_game_and_says_how_to_check_it(tmp_path, monkeypatch, capsys):
    # tests/kit/test_new.py and ``.ci/run`` test that the check then finds nothing.
    monkeypatch.chdir(tmp_path)
    new, check = (
        next(each for each in NAMED if each.startswith(f"fireplan {verb} "))
        for verb in ("new", "check")
    )
    assert main(new.split()[1:]) == 0
    assert check in capsys.readouterr().out
    assert (tmp_path / "my_game" / "pyproject.toml").is_file()
