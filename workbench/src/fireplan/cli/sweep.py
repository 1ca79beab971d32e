"""``fireplan sweep``: a plan file run over a grid, its progress, and what came of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fireplan import api
from fireplan.api import Result
from fireplan.cli._app import StoppedError
from fireplan.cli._asked import asks
from fireplan.cli._print import say_line


@asks(api.sweep)
def sweep(plan: Path, *, results: Path | None = None, check: bool = False, **asked: Any) -> Iterator[Result]:
    """Only check the plan where that is wanted; say how far it is, and where it goes on when it is stopped."""
    file, bar = results or plan.with_suffix(".sqlite"), asked.pop("progress")
    if check:
        grid = api.read_sweep(plan, None, **asked)
        say_line(f"{plan}: {len(grid.points):,} points; results would go to {file}")
        return
    plain, done = not sys.stderr.isatty(), 0

    def begun(before: int, total: int) -> None:
        nonlocal done
        done = before
        if before:
            sys.stderr.write(f"{before} of {total} points are solved already\n")

    def progress(total: int, what: str) -> None:
        nonlocal done
        done += 1
        bar(total, what)
        if plain:
            sys.stderr.write(f"{done} of {total}: {what}\n")
            sys.stderr.flush()

    try:
        yield api.sweep(plan, results=file, progress=progress, begun=begun, **asked)
    except KeyboardInterrupt as error:
        raise StoppedError(f"Stopped. What is solved is in {file}; the same command goes on from there.") from error
