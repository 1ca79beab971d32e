"""``fireplan sweep``: a plan file run over a grid, its progress, and what came of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fireplan import api
from fireplan.cli._app import StoppedError
from fireplan.cli._open import catalogue
from fireplan.cli._print import Bar, say_line
from fireplan.cli.compare import tell


def sweep(  # noqa: PLR0913 - where it runs and what is kept
    plan: Path,
    /,
    *,
    results: Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    dask: str | None = None,
    parquet: Path | None = None,
    check: bool = False,
    json: bool = False,
) -> None:
    """Solve a whole grid exactly: engagements, scenarios, games, options and numbers, on as many workers as you like.

    A run that was stopped, however hard, goes on where it was with the same command: nothing is solved twice.

    :param plan: A plan file (TOML): title, engagements, scenarios, games, minutes, and [[vary]] with values and an
        option or number = GAME.NAME, or a fact of the engagements, such as guns.
    :param results: The SQLite file that results go to; by default beside the plan. It does not depend on who worked.
    :param workers: How many processes; as many as there are processors by default.
    :param scheduler: Let the workers of this Dask scheduler do it (needs the extra dask).
    :param dask: 'local' starts a Dask cluster on this machine (needs the extra dask).
    :param parquet: Also write the results into this Parquet file (needs the extra parquet).
    :param check: Only check the plan and say how many points it has.
    :param json: Print every row and the crossovers as JSON instead of a table.
    """
    file = results or plan.with_suffix(".sqlite")
    if check:
        grid = api.read_sweep(plan, catalogue(), workers, scheduler, dask, parquet)
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
        bar.step_of(total, what)
        if plain:
            sys.stderr.write(f"{done} of {total}: {what}\n")
            sys.stderr.flush()

    where: dict[str, Any] = {"workers": workers, "scheduler": scheduler, "dask": dask, "parquet": parquet}
    try:
        with Bar() as bar:
            found = api.sweep(plan, results=file, catalogue=catalogue(), progress=progress, begun=begun, **where)
    except KeyboardInterrupt as error:
        raise StoppedError(f"Stopped. What is solved is in {file}; the same command goes on from there.") from error
    tell(found, json=json)
