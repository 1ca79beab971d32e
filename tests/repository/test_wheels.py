"""The wheels of every distribution, installed outside the tree with the newest and the oldest
dependencies.

These tests need a package index and take minutes.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest
import tomli

ROOT = Path(__file__).resolve().parents[2]
WORKBENCH = tomli.loads((ROOT / "workbench/pyproject.toml").read_text(encoding="utf-8"))
MEMBERS = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDERS = [ROOT / member for member in MEMBERS["tool"]["uv"]["workspace"]["members"]]
EXTRAS = WORKBENCH["project"]["optional-dependencies"]
BACKEND = WORKBENCH["build-system"]["requires"]
ASKED = "kit,duel,mcp,dask,parquet"
"""The extras that the commands' questions need; open_spiel adds no command."""

pytestmark = pytest.mark.long


def run(*command, cwd):
    """Run a command outside the tree, without environment variables that lead back to it; return
    its status, output and errors.
    """
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


def requirements_of(folder):
    """Return a distribution's requirements, including all of its extras."""
    project = tomli.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project.get("optional-dependencies", {})
    return [*project["dependencies"], *chain.from_iterable(extras.values())]


def oldest_allowed():
    """Return a pin for each dependency: the oldest version that every distribution allows."""
    oldest = {}
    for text in chain.from_iterable(map(requirements_of, FOLDERS)):
        name, bound = re.match(r"([\w-]+)(?:\[.*\])?>=([\d.]+)", text).groups()
        version = tuple(map(int, bound.split(".")))
        oldest[name] = max(version, oldest.get(name, ()))
    return [
        f"{name}=={'.'.join(map(str, version))}"
        for name, version in sorted(oldest.items())
        if not name.startswith("fireplan")
    ]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """Return every distribution's wheel by name, built from the tree."""
    folder = tmp_path_factory.mktemp("built")
    must(sys.executable, "-m", "venv", "venv", cwd=folder)
    pip = (folder / "venv" / "bin" / "python", "-m", "pip", "--disable-pip-version-check")
    must(*pip, "install", "-q", *BACKEND, cwd=folder)
    built = ("--no-deps", "--no-build-isolation", "-q", "-w", "wheels")
    must(*pip, "wheel", *built, *FOLDERS, cwd=folder)
    found = {path.name.split("-")[0]: path for path in (folder / "wheels").glob("*.whl")}
    assert len(found) == len(FOLDERS)
    return found


@pytest.mark.parametrize("pins", [[], oldest_allowed()], ids=["newest", "oldest"])
def test_wheels_answer_every_question_outside_the_tree(wheels, pins, tmp_path):
    must(sys.executable, "-m", "venv", "venv", cwd=tmp_path)
    python, fireplan = (tmp_path / "venv" / "bin" / name for name in ("python", "fireplan"))
    (tmp_path / "pins.txt").write_text("\n".join(pins), encoding="utf-8")
    pip = (python, "-m", "pip", "--disable-pip-version-check")
    install = (*pip, "install", "-q", "-c", "pins.txt")

    # A wheel named as a file needs no index or other source.
    more = {name.partition(">")[0].replace("-", "_") for name in EXTRAS["more_games"]}
    usual = [path for name, path in wheels.items() if name not in {*more, "fireplan"}]
    must(*install, f"{wheels['fireplan']}[games,{ASKED}]", *usual, cwd=tmp_path)
    must(*pip, "check", cwd=tmp_path)
    versions = {
        row["name"].lower().replace("_", "-"): row["version"]
        for row in json.loads(must(*pip, "list", "--format", "json", cwd=tmp_path))
    }
    for pin in pins:
        name, _, version = pin.partition("==")
        if name in versions:
            assert re.match(rf"{re.escape(version)}(\.0)*$", versions[name]), pin
    games = json.loads(must(fireplan, "games", "--json", cwd=tmp_path))
    keys = {row["key"] for row in games["games"]}
    assert {f"fireplan_{key}" for key in keys} == {
        name.partition(">")[0].replace("-", "_") for name in EXTRAS["games"]
    }
    status, out, err = run(fireplan, "odds", "battletech/two_pieces", cwd=tmp_path)
    assert (status, out) == (2, "")
    assert err == "The game 'battletech' is not installed: pip install fireplan-battletech.\n"

    must(*install, *(wheels[name] for name in more), cwd=tmp_path)
    must(fireplan, "odds", "battletech/two_pieces", "--moments", "1", "--json", cwd=tmp_path)
    must(*install, "pytest", cwd=tmp_path)
    shutil.copy(ROOT / "tests" / "workbench" / "cli" / "test_json.py", tmp_path)
    markers = ("-o", "markers=full", "-p", "no:cacheprovider")
    said = must(python, "-m", "pytest", "-q", *markers, "test_json.py", cwd=tmp_path)
    assert "skipped" not in said
    picture = ("--games", "wacht_am_rhein", "--minutes", "4", "--picture", "sheet.png")
    must(fireplan, "compare", *picture, cwd=tmp_path)
    assert (tmp_path / "sheet.png").read_bytes().startswith(b"\x89PNG")
    where = must(python, "-c", "import fireplan; print(fireplan.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(tmp_path / "venv")
