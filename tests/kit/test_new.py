"""``fireplan new``: from an empty folder to a game that passes the kit and can be compared."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from by_hand import fireplan, made_visible

from fireplan import InputError
from fireplan.cli import main
from fireplan_kit import LAWS, new_game


@pytest.mark.long
@pytest.mark.parametrize("space", ["hex", "plane"])
def test_a_new_game_is_checked_and_compared_outside_the_workspace(space, tmp_path):
    """``.ci/run`` does the same with installed wheels, on hexes."""
    made = fireplan(os.environ, tmp_path, "new", "my_game", "--space", space)
    assert (made.returncode, made.stderr) == (0, "")
    assert "fireplan check my_game" in made.stdout
    environment = made_visible(tmp_path / "my_game" / "src", "my_game", tmp_path / "site")
    checked = fireplan(environment, tmp_path, "check", "my_game", "--json")
    report = json.loads(checked.stdout)
    assert [check["id"] for check in report["checks"] if check["findings"]] == []
    not_made = {check["id"] for check in report["checks"] if not check["made"]}
    assert not_made <= {"L30-types"}, "a check other than the type checker did not run"
    assert (checked.returncode, report["passed"], len(report["checks"])) == (0, True, len(LAWS))
    compared = fireplan(environment, tmp_path, "compare", "--games", "my_game", "--json")
    assert compared.returncode == 0
    assert "my_game" in compared.stdout


@pytest.mark.parametrize("space", ["hex", "plane"])
def test_the_playthroughs_and_worked_examples_of_a_new_game_are_worded_as_the_game_words(
    space, tmp_path
):
    new_game("my_game", space, tmp_path)
    environment = made_visible(tmp_path / "my_game" / "src", "my_game", tmp_path / "site")
    laws = ["L22-playthroughs", "L29-witnesses"]
    checked = fireplan(environment, tmp_path, "check", "my_game", "--only", *laws)
    assert (checked.returncode, checked.stderr) == (0, ""), checked.stdout


@pytest.mark.long
def test_its_own_three_line_test_runs_every_check(tmp_path):
    new_game("my_game", into=tmp_path)
    environment = made_visible(tmp_path / "my_game" / "src", "my_game", tmp_path / "site")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    run = subprocess.run(
        command,
        env=environment,
        cwd=tmp_path / "my_game",
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"{len(LAWS)} passed" in run.stdout, run.stdout


@pytest.mark.full
def test_a_new_games_faults_name_the_rule_and_the_command(tmp_path):
    new_game("my_game", into=tmp_path)
    table = tmp_path / "my_game" / "src" / "fireplan_my_game" / "delays.py"
    table.write_text(table.read_text().replace("needed = 4", "needed = 5"))
    environment = made_visible(tmp_path / "my_game" / "src", "my_game", tmp_path / "site")
    checked = fireplan(environment, tmp_path, "check", "my_game", "--only", "L20-perft")
    assert checked.returncode == 2
    assert "my_game: L20-perft: 01-checks-0.txt line 5" in checked.stdout
    assert "[2.2]; to reproduce: fireplan check my_game --only L20-perft" in checked.stdout
    assert "Traceback" not in checked.stderr
    written = fireplan(environment, tmp_path, "check", "my_game", "--perft")
    assert written.returncode == 0
    assert (
        fireplan(environment, tmp_path, "check", "my_game", "--only", "L20-perft").returncode == 0
    )


@pytest.mark.parametrize(
    ("file", "right", "wrong", "told"),
    [
        (
            "resolution.py",
            'Modifier("check"',
            'Modifier("chek"',
            "modifier to resolution.chek: there is no such roll [5.2]",
        ),
        (
            "areas.py",
            "accurate = 3",
            'accurate = "3"',
            "got '3' in the areas of my_game, at areas.py",
        ),
    ],
)
def test_a_mistake_in_a_new_game_is_reported_with_its_rule(file, right, wrong, told, tmp_path):
    module = new_game("my_game", "plane", tmp_path) / "src" / "fireplan_my_game" / file
    module.write_text(module.read_text().replace(right, wrong))
    environment = made_visible(tmp_path / "my_game" / "src", "my_game", tmp_path / "site")
    checked = fireplan(
        environment, tmp_path, "check", "my_game", "--only", "L01-admission", "L03-mass"
    )
    assert checked.returncode == 2
    assert told in checked.stdout
    assert all("[4.1]" in line for line in checked.stdout.splitlines() if "areas.land" in line)


def test_a_new_game_that_cannot_be_imported_names_the_line(tmp_path):
    module = new_game("my_game", into=tmp_path) / "src" / "fireplan_my_game" / "delays.py"
    lines = [
        *module.read_text().splitlines(),
        "",
        "",
        "class More(Link):",
        "    minutes = Fraction('soon')",
        "",
    ]
    module.write_text("\n".join(lines))
    environment = made_visible(tmp_path / "my_game" / "src", "my_game", tmp_path / "site")
    checked = fireplan(environment, tmp_path, "check", "my_game")
    assert checked.returncode == 2
    assert f"{module}:{len(lines) - 1})" in checked.stderr
    assert "Traceback" not in checked.stderr


@pytest.mark.parametrize(
    ("key", "better"),
    [
        ("My-Game", "'my_game'"),
        ("class", "'game_class'"),
        ("2nd", "'game_2nd'"),
        ("a__b", "'a_b'"),
        ("", "'my_game'"),
        ("../up", "'up'"),
        ("a" * 41, "'" + "a" * 40 + "'"),
    ],
)
def test_a_wrong_name_is_refused_with_a_better_one(key, better, tmp_path):
    with pytest.raises(InputError, match="cannot be a game's key") as refused:
        new_game(key, into=tmp_path)
    assert better in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_every_fault_is_reported_at_once_and_nothing_is_written(tmp_path):
    with pytest.raises(InputError) as refused:
        new_game("asl", "sphere", tmp_path / "nowhere", taken={"asl"})
    assert len(refused.value.faults) == 3
    assert "'asl_two'" in refused.value.faults[0]
    assert "no such folder" in refused.value.faults[1]
    assert "hex, plane" in refused.value.faults[2]
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_ever_overwritten(tmp_path):
    mine = tmp_path / "my_game"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="nothing is overwritten"):
        new_game("my_game", into=tmp_path)
    assert [path.name for path in mine.iterdir()] == ["notes.txt"]
    refused = fireplan(os.environ, tmp_path, "new", "my_game")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "Traceback" not in refused.stderr


def test_an_installed_key_is_taken(tmp_path):
    refused = fireplan(os.environ, tmp_path, "new", "red_poppies")
    assert refused.returncode == 2
    assert "installed already" in refused.stderr


def test_a_new_game_needs_little_python_of_its_own(tmp_path):
    for space in ("hex", "plane"):
        folder = new_game(f"my_{space}", space, tmp_path) / "src" / f"fireplan_my_{space}"
        own = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert sum(len(path.read_text().splitlines()) for path in own) < 150


@pytest.mark.parametrize("key", ["core", "studio", "kit", "con", "nul", "lpt1", "a" * 300])
def test_names_of_the_framework_and_names_that_no_file_can_have_are_refused(key, tmp_path):
    with pytest.raises(InputError) as refused:
        new_game(key, into=tmp_path)
    assert len(refused.value.faults) == 1
    assert not list(tmp_path.iterdir())


def test_a_game_that_cannot_be_written_completely_leaves_nothing(tmp_path, monkeypatch, capsys):
    written = Path.write_text
    left = iter(range(3))

    def full(self, *args, **kwargs):
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return written(self, *args, **kwargs)

    monkeypatch.setattr(Path, "write_text", full)
    assert main(["new", "my_game", "--into", str(tmp_path)]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
