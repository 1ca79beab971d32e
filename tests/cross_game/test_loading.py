"""A command loads only its own game and the modules it uses, because everything loaded delays the
start.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

from fireplan.cli import app

CODE = """
import json, sys
from fireplan.cli import main
assert main({words!r}) == 0
sys.stderr.write(json.dumps(sorted(sys.modules)))
"""
SCENARIOS = (
    "asl/village",
    "miniatures_1943/chits_in_hand",
    "red_poppies/cut_wires",
    "wacht_am_rhein/crossroads",
)
PLUGINS = {f"fireplan_{name.partition('/')[0]}" for name in SCENARIOS}
# Libraries that only other commands need: for pages, drawing, play, journals, checks and sweeps.
LIBRARIES = {
    "numpy",
    "scipy",
    "networkx",
    "jinja2",
    "portalocker",
    "hashlib",
    "secrets",
    "rich.progress",
    "pytest",
    "hypothesis",
    "starlette",
    "uvicorn",
    "distributed",
    "concurrent.futures",
}
ELSEWHERE = {
    "fireplan_kit",
    "fireplan_core.ready_parts",
    "fireplan_studio",
    "fireplan.sweeps",
    "fireplan.solver.best",
    "fireplan.solver.dice_luck",
    "fireplan.solver.sampling",
    "fireplan.analysis.comparison",
    "fireplan.draw.svg",
    "fireplan.analysis.sheet",
    "fireplan.analysis.sensitivities",
    "fireplan.table.playthrough",
    "fireplan.table.journal",
    "fireplan.table.session",
    "fireplan.table.views",
    "fireplan.cli.keyboard",
    "fireplan.cli.journals",
}
LAZY = (
    "fireplan.table",
    "fireplan.solver",
    "fireplan.analysis",
    "fireplan_kit",
    "fireplan.cli.core",
)


def loaded(*words):
    """Return the modules that a process has loaded after running a command."""
    code = CODE.format(words=list(words))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return set(json.loads(ran.stderr))


@pytest.mark.parametrize("name", SCENARIOS)
def test_odds_of_a_named_scenario_load_its_game_and_the_solver_alone(name):
    found = loaded("odds", name, "--moments", "1")
    own = f"fireplan_{name.partition('/')[0]}"
    assert own in found
    assert found & (PLUGINS - {own}) == set()
    assert found & LIBRARIES == set()
    assert found & (ELSEWHERE - {"fireplan_core.ready_parts"}) == set()


@pytest.mark.parametrize(
    "words",
    [
        ("best", "asl/village", "--for", "delivered", "--moments", "1"),
        ("numbers", "asl", "radio_contact"),
        ("rules", "asl"),
    ],
)
def test_a_command_that_names_a_game_loads_no_other(words):
    assert loaded(*words) & PLUGINS == {"fireplan_asl"}


def test_the_list_of_commands_needs_no_game_and_no_solver():
    found = loaded("--help")
    assert found & (PLUGINS | LIBRARIES) == set()
    packages = ("fireplan_core.play", "fireplan_core.steps", "fireplan_core.chance", "fireplan.table.",
                "fireplan.solver.", "fireplan.analysis.", "fireplan_kit.")  # fmt: skip
    assert [name for name in found if name.startswith(packages)] == []


def command_named(name):
    module, _, attribute = app.commands()[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


def test_every_command_has_a_description():
    assert len(app.commands()) > 20
    assert all(command_named(name).__doc__ for name in app.commands())


def test_the_list_of_commands_repeats_the_start_of_each_help():
    listed = app._listed()
    for name in app.commands():
        assert listed[name].help
        words = " ".join(inspect.cleandoc(command_named(name).__doc__).split())
        assert words.startswith(listed[name].help)


@pytest.mark.parametrize("package", LAZY)
def test_names_that_are_loaded_late_are_those_that_type_checkers_see(package):
    there = importlib.import_module(package)
    stub = ast.parse(Path(there.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    seen = {alias.asname: node.module for node in stub.body for alias in node.names}
    assert sorted(seen) == sorted(there.__all__)
    for name, module in seen.items():
        assert getattr(there, name) is getattr(importlib.import_module(module), name)
    assert set(there.__all__) <= set(dir(there))
    assert not hasattr(there, "nothing_of_this_name")
