"""Settings for all tests: results depend only on the project, not on the machine, the terminal or
the run.

Hypothesis tries the same examples in every run, and a slow machine changes nothing. For other
examples: ``pytest --hypothesis-profile=default --hypothesis-seed=random tests/core/space``.
"""

import gc
import io
import os
import re
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ["COLUMNS"] = "80"
for name in (
    "FORCE_COLOR",
    "NO_COLOR",
    "TTY_COMPATIBLE",
    "TTY_INTERACTIVE",
    "FIREPLAN_STRICT_PLUGINS",
):
    os.environ.pop(name, None)

# Tests start hundreds of processes, which share the modules that the first one compiles; the next
# run uses them again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Garbage collection took a twelfth of the running time, and tests leave hardly any cycles.
gc.set_threshold(100_000, 20, 100)

settings.register_profile(
    "same everywhere",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("same everywhere")

# Games that requirements.txt does not install are tested if they are installed
# (requirements-games.txt).
HERE = Path(__file__).parent
PLUGINS = {path.name for path in (HERE.parent / "plugins").iterdir()}
ABSENT = PLUGINS - {entry.name for entry in entry_points(group="fireplan.games")}
collect_ignore = sorted(ABSENT)
if {"battlegroup_clash", "battletech", "combat_commander"} <= ABSENT:
    collect_ignore += [f"cross_game/test_second_hand{name}.py" for name in ("", "_commands")]

LACKED = re.compile("fireplan_|requirements-games|game is not installed|polars")
"""Matches the reason of a test that is skipped because its game, or polars, is not installed."""
TO_MAKE_UP = os.environ.pop("FIREPLAN_SKIPPED", "")
"""A file to which the names of such tests are added: ``.ci/run`` runs them where all is installed."""
QUICK = "not full and not long"
DEAR = tuple(
    f"{folder}::test_the_game_keeps[L21-views]"
    for folder in ("::TestBattlegroupClash", "combat_commander.py::TestKit")
)
"""Checks of the kit that take more than five seconds for a game; ``.ci/run`` runs them."""


@pytest.fixture(autouse=True, scope="module")
def no_sheet_is_left_in_use():
    """Forget the sheets that a module's tests named, because a process lists them from then on."""
    yield
    if registry := sys.modules.get("fireplan.sheets.registry"):
        registry._IN_USE.clear()


@pytest.fixture
def run(capsys, monkeypatch):
    """Return a function that runs a command with typed lines and returns its status, output and
    errors.
    """

    def run_(*arguments, typed=()):
        from fireplan.cli import main

        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
        status = main([*map(str, arguments)])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return status, out, err

    return run_


@pytest.fixture
def printed(run):
    """Return a function that runs a command with typed lines and returns its status and all output."""

    def run_(*arguments, typed=()):
        status, out, err = run(*arguments, typed=typed)
        return status, out + err

    return run_


def pytest_configure(config):
    """Select the quick tests, unless the command line selects by marker or names a test."""
    by_name = any("::" in argument for argument in config.args)
    if not config.option.markexpr and not by_name:
        config.option.markexpr = QUICK


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the kit's checks that are too slow for the quick tests."""
    for item in items:
        if item.nodeid.endswith(DEAR):
            item.add_marker(pytest.mark.full)


def pytest_collection_finish(session):
    """Exempt everything imported so far from garbage collection: it stays to the end."""
    if not session.config.option.collectonly:
        gc.collect()
        gc.freeze()


def pytest_terminal_summary(terminalreporter, config):
    if TO_MAKE_UP:
        skipped = terminalreporter.stats.get("skipped", [])
        named = [report.nodeid for report in skipped if LACKED.search(report.longrepr[2])]
        with Path(TO_MAKE_UP).open("a", encoding="utf-8") as file:
            file.writelines(f"{name}\n" for name in named if "::" in name)
    if config.option.markexpr == QUICK:
        terminalreporter.write_line(
            "Only the quick tests ran. All but the longest: -m 'not long'; one by its name: FILE::TEST."
        )
