"""``fireplan sweep``: a plan file run over a grid, its progress, and what came of it."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from fireplan import comparison as comparing
from fireplan.cli._app import BadInputError, StoppedError, gathered, outside, refuse, refusing
from fireplan.cli._open import catalogue
from fireplan.cli._print import Bar, say_line, say_table, say_text

if TYPE_CHECKING:
    from fireplan.sweeps import Point, Pool, Store, Sweep

SHOWN = 60
MOST_WORKERS = 1024


def sweep(
    plan: Path,
    /,
    *,
    results: Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    dask: str | None = None,
    parquet: Path | None = None,
    check: bool = False,
) -> None:
    """Solve a whole grid exactly: engagements, scenarios, games, options and numbers, on as many workers as you like.

    A run that was stopped, however hard, goes on where it was with the same command: nothing is solved twice.

    :param plan: A plan file (TOML): title, engagements, scenarios, games, minutes, and [[vary]] with values and an
        option or number = GAME.NAME.
    :param results: The SQLite file that results go to; by default beside the plan. It does not depend on who worked.
    :param workers: How many processes; as many as there are processors by default.
    :param scheduler: Let the workers of this Dask scheduler do it (needs the extra dask).
    :param dask: 'local' starts a Dask cluster on this machine (needs the extra dask).
    :param parquet: Also write the results into this Parquet file (needs the extra parquet).
    :param check: Only check the plan and say how many points it has.
    """
    from fireplan.sweeps import Store, StoreError, SweepError, dask_pool, process_pool, write_parquet

    faults: list[str] = []
    grid = gathered(faults, _read, plan)
    faults += _faults(workers, scheduler, dask, parquet)
    refuse(faults)
    file = results or plan.with_suffix(".sqlite")
    if check:
        say_line(f"{plan}: {len(grid.points):,} points; results would go to {file}")
        return
    count = workers or os.cpu_count() or 1
    try:
        pool = dask_pool(scheduler, count) if dask or scheduler else process_pool(count)
        with Store(file, grid) as store:
            _solve(store, grid, pool)
        if parquet is not None:
            write_parquet(parquet, file)
    except (StoreError, SweepError) as error:
        raise BadInputError(str(error)) from error
    except KeyboardInterrupt as error:
        raise StoppedError(f"Stopped. What is solved is in {file}; the same command goes on from there.") from error
    except OSError as error:
        raise BadInputError(f"This cannot be run: {error}") from error
    _print(grid, file)


def _read(plan: Path) -> Sweep:
    from fireplan.sweeps import read_plan

    with refusing():
        return read_plan(plan, catalogue())


def _faults(workers: int | None, scheduler: str | None, dask: str | None, parquet: Path | None) -> list[str]:
    """Return every fault of the options at once, before anything is computed."""
    faults = outside("--workers", workers, 1, MOST_WORKERS)
    if dask not in (None, "local"):
        faults.append(f"--dask: expected local, got {dask!r}; for a cluster give --scheduler ADDRESS.")
    if dask and scheduler:
        faults.append("--dask local and --scheduler cannot both work; choose one.")
    if (dask or scheduler) and find_spec("distributed") is None:
        faults.append("Dask is not installed; install the extra: pip install 'fireplan[dask]'.")
    if parquet is not None and find_spec("pyarrow") is None:
        faults.append("pyarrow is not installed; install the extra: pip install 'fireplan[parquet]'.")
    return faults


def _solve(store: Store, sweep: Sweep, pool: Pool) -> None:
    """Solve what is not solved yet; where nobody watches a bar, print a line for each point."""
    from fireplan.sweeps import run_sweep

    done = len(store.done())
    total = len(sweep.points)
    if done:
        sys.stderr.write(f"{done} of {total} points are solved already\n")
    plain = not sys.stderr.isatty()
    with Bar(total - done) as bar:

        def progress(point: Point) -> None:
            nonlocal done
            done += 1
            bar.step(f"{point.case} {point.game}")
            if plain:
                sys.stderr.write(f"{done} of {total}: {point.case} {point.game}\n")
                sys.stderr.flush()

        run_sweep(store, sweep.points, pool, progress)


def _print(sweep: Sweep, results: Path) -> None:
    from fractions import Fraction

    from rich.table import Column

    from fireplan.sweeps import as_rows

    say_text(sweep.plan.title, "bold")
    shown = ("delivered", "on_target", "minutes", "destroyed", "own_troops_under_fire")
    rows = list(as_rows(results))
    cells = []
    for row, point in zip(rows[:SHOWN], sweep.points, strict=False):
        varied = ", ".join(f"{name}={value}" for name, value in (*point.options, *point.numbers))
        if row["outcome"] == "solved":
            figures = ["" if row[name] is None else f"{float(Fraction(row[name])):.4f}" for name in shown]
        else:
            figures = [row["outcome"], *("" for _ in shown[1:])]
        cells.append((point.case, point.game, varied, *figures))
    say_table(("case", "game", Column("varied", overflow="fold"), *shown), cells)
    if len(rows) > SHOWN:
        say_text(f"{len(rows) - SHOWN} more rows", "dim")
    columns = ", ".join(comparing.FIGURES)
    say_text(f"{len(rows)} points in {results}, table points: exact rationals in {columns}.", "dim")
