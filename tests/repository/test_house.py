"""The structure of the sources: steps named by reference, no tangled functions, few changes of
part.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import tomli

ROOT = Path(__file__).resolve().parents[2]
MEMBERS = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["uv"][
    "workspace"
]["members"]
SOURCES = sorted(path for member in MEMBERS for path in (ROOT / member / "src").rglob("*.py"))
PLUGINS = [path for path in SOURCES if path.is_relative_to(ROOT / "plugins")]

MOST_PATHS = 20


@cache
def trees():
    """Return the syntax tree of every source by path.

    Sources are parsed when a test first needs them, not when tests are collected.
    """
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}


def name_of(path):
    return str(path.relative_to(ROOT))


def test_the_five_words_are_modules_at_the_top_of_the_core():
    top = {path.stem for path in (ROOT / "core/src/fireplan_core").glob("*.py")}
    assert top >= {
        "observers",
        "requests",
        "delays",
        "areas",
        "resolution",
        "mission",
        "cycle",
        "game",
    }


def test_no_function_ranks_d_or_worse():
    radon = pytest.importorskip(
        "radon.complexity", reason="radon is in requirements-dev.txt; .ci/run has it"
    )
    tangled = {
        f"{name_of(path)}:{block.lineno} {block.name}": block.complexity
        for path in SOURCES
        for block in radon.cc_visit(path.read_text(encoding="utf-8"))
        if block.complexity > MOST_PATHS and block.letter != "C"
    }
    assert tangled == {}


# --- steps named by reference --------------------------------------------------------------------
STEP_BY_STRING = re.compile(
    r"""push\(\s*["']|\bin\b[^#\n]*\b(?:scenario|setup)\.steps\b|["'](?:core|observers|requests|delays|areas|resolution)\.[a-z_]+["']"""
)


@pytest.mark.parametrize("folder", ["plugins", "examples"])
def test_no_game_names_a_step_by_a_string_or_probes_for_one(folder):
    found = [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path in sorted((ROOT / folder).rglob("src/**/*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if STEP_BY_STRING.search(line)
    ]
    assert found == []


@pytest.mark.full
def test_no_game_probes_a_part():
    found = [
        f"{name_of(path)}:{node.lineno}"
        for path in PLUGINS
        for node in ast.walk(trees()[path])
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("getattr", "hasattr")
        and re.search(
            r"parts|observers|requests|delays|areas|resolution", ast.unparse(node.args[0])
        )
    ]
    assert found == []


# --- from the opening to the first fire for effect -----------------------------------------------------
MOST_CHANGES = {"asl": 8, "wacht_am_rhein": 6, "red_poppies": 6, "miniatures_1943": 6}


@pytest.mark.parametrize("game", MOST_CHANGES)
def test_a_mission_changes_room_seldom(game):
    code = f"import rooms, sys; sys.stdout.write(str(rooms.changes({game!r}, 60)))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "benchmarks",
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(run.stdout) <= MOST_CHANGES[game]
