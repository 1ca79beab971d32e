"""The check on types: the type checker mypy finds no fault in the game, if it is installed."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaws, tidy

_ERROR = re.compile(r"(?P<file>.*?):(?P<line>\d+): error: (?P<message>.*)")
"""Matches an error of mypy; its notes explain it and are left out."""
OPTIONS = (
    "--check-untyped-defs",
    "--config-file=",
    "--follow-imports=silent",
    "--ignore-missing-imports",
    "--no-color-output",
    "--no-error-summary",
    f"--cache-dir={os.devnull}",
)
"""The options with which mypy checks a game: functions without annotations too, and without the
configuration of the game."""


def typed_sources(bench: Bench) -> tuple[Path, ...]:
    """Return the paths of the game's Python sources; empty if mypy is not installed."""
    return bench.installed.files("**/*.py") if find_spec("mypy") else ()


def types_fit(bench: Bench) -> Flaws:
    """Check that mypy, if it is installed, finds no error in the game's sources.

    Functions without annotations are checked too; steps that are pushed with wrong arguments,
    unknown fields of records and misspelt names are found with their line.
    """
    files = typed_sources(bench)
    if not files:
        return []
    run = subprocess.run(  # noqa: S603 - runs the installed type checker
        [sys.executable, "-m", "mypy", *OPTIONS, *map(str, files)],
        env={**os.environ, "MYPYPATH": ""},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    errors = list(filter(None, map(_ERROR.fullmatch, run.stdout.splitlines())))
    if run.returncode and not errors:
        last = (run.stderr or run.stdout).strip().rpartition("\n")[2]
        return [f"mypy cannot check the sources: {last}"]
    return tidy(
        f"{Path(error['file']).name}:{error['line']} {' '.join(error['message'].split())}"
        for error in errors
    )
