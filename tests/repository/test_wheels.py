"""The wheels of every distribution, installed outside the tree with the newest dependencies.

It needs a package index, and takes a minute and a half of waiting.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tomli

ROOT = Path(__file__).resolve().parents[2]
WORKBENCH = tomli.loads((ROOT / "workbench/pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = WORKBENCH["project"]["optional-dependencies"]
BACKEND = WORKBENCH["build-system"]["requires"]
ASKED = "kit,duel,mcp,dask,parquet"
"""The extras that the questions of the commands need; open_spiel adds no command."""

pytestmark = pytest.mark.long


def run(*command, cwd):
    """Run a command outside the tree, without what would lead it back there or hold it back."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in {"PYTHONPATH", "VIRTUAL_ENV", "PIP_CONSTRAINT", "FIREPLAN_SHEETS"}
    }
    done = subprocess.run(
        command,
        check=False,
        cwd=cwd,
        env=kept,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def must(*command, cwd):
    status, out, err = run(*command, cwd=cwd)
    assert status == 0, f"{out}\n{err}"
    return out


def test_wheels_answer_every_question_outside_the_tree(tmp_path):
    members = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    members = members["tool"]["uv"]["workspace"]["members"]
    must(sys.executable, "-m", "venv", "venv", cwd=tmp_path)
    python, fireplan = (tmp_path / "venv" / "bin" / name for name in ("python", "fireplan"))
    pip = (python, "-m", "pip", "--disable-pip-version-check")
    must(*pip, "install", "-q", *BACKEND, cwd=tmp_path)
    folders = [ROOT / member for member in members]
    built = ("--no-deps", "--no-build-isolation", "-q", "-w", "wheels")
    must(*pip, "wheel", *built, *folders, cwd=tmp_path)
    wheels = {path.name.split("-")[0]: path for path in (tmp_path / "wheels").glob("*.whl")}
    assert len(wheels) == len(members)

    # A wheel that is named as a file is looked up nowhere else, and needs no other source.
    more = {name.partition(">")[0].replace("-", "_") for name in EXTRAS["more_games"]}
    usual = [path for name, path in wheels.items() if name not in {*more, "fireplan"}]
    must(*pip, "install", "-q", f"{wheels['fireplan']}[games,{ASKED}]", *usual, cwd=tmp_path)
    must(*pip, "check", cwd=tmp_path)
    games = json.loads(must(fireplan, "games", "--json", cwd=tmp_path))
    keys = {row["key"] for row in games["games"]}
    assert {f"fireplan_{key}" for key in keys} == {
        name.partition(">")[0].replace("-", "_") for name in EXTRAS["games"]
    }
    status, out, err = run(fireplan, "odds", "battletech/two_pieces", cwd=tmp_path)
    assert (status, out) == (2, "")
    assert err == "The game 'battletech' is not installed: pip install fireplan-battletech.\n"

    must(*pip, "install", "-q", *(wheels[name] for name in more), cwd=tmp_path)
    must(fireplan, "odds", "battletech/two_pieces", "--moments", "1", "--json", cwd=tmp_path)
    must(*pip, "install", "-q", "pytest", cwd=tmp_path)
    shutil.copy(ROOT / "tests" / "workbench" / "cli" / "test_json.py", tmp_path)
    markers = ("-o", "markers=full", "-p", "no:cacheprovider")
    said = must(python, "-m", "pytest", "-q", *markers, "test_json.py", cwd=tmp_path)
    assert "skipped" not in said
    where = must(python, "-c", "import fireplan; print(fireplan.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(tmp_path / "venv")
