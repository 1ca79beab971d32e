"""``fireplan sweep``: a plan file run over a grid, its progress, and what came of it."""

from __future__ import annotations

import os
import sys
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import attrs
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from fireplan.cli._app import BadInputError, StoppedError, gathered, outside, refuse
from fireplan.cli._compare import catalogue
from fireplan.cli._progress import Bar
from fireplan.compare import FIGURES
from fireplan.sweep import (
    Point,
    Pool,
    Store,
    StoreError,
    Sweep,
    SweepError,
    as_rows,
    dask_pool,
    process_pool,
    read_plan,
    run_sweep,
    write_parquet,
)
from fireplan_core.files import FileError, describe

SHOWN = 60
MOST_WORKERS = 1024


@attrs.frozen
class Asked:
    """Where results go, who works, and whether the plan is only to be checked."""

    results: Path | None = None
    workers: int | None = None
    scheduler: str | None = None
    dask: str | None = None
    parquet: Path | None = None
    check: bool = False


def run_plan(path: Path, asked: Asked) -> None:
    """Check a plan, run what is not solved yet, and print the results."""
    faults: list[str] = []
    plans: list[Sweep] = []
    try:
        plans.append(read_plan(path, catalogue()))
    except FileError as error:
        faults.append(describe(error.faults))
    with gathered(faults):
        _check(asked)
    refuse(faults)
    (sweep,) = plans
    results = asked.results or path.with_suffix(".sqlite")
    if asked.check:
        sys.stdout.write(f"{path}: {len(sweep.points):,} points; results would go to {results}\n")
        return
    try:
        with Store(results, sweep) as store:
            _solve(store, sweep, _pool(asked))
        if asked.parquet is not None:
            write_parquet(asked.parquet, results)
    except (StoreError, SweepError) as error:
        raise BadInputError(str(error)) from error
    except KeyboardInterrupt as error:
        raise StoppedError(f"Stopped. What is solved is in {results}; the same command goes on from there.") from error
    except OSError as error:
        raise BadInputError(f"This cannot be run: {error}") from error
    _print(sweep, results)


def _check(asked: Asked) -> None:
    """Every fault of the options at once, before anything is computed."""
    faults = outside("--workers", asked.workers, 1, MOST_WORKERS)
    if asked.dask not in (None, "local"):
        faults.append(f"--dask: expected local, got {asked.dask!r}; for a cluster give --scheduler ADDRESS.")
    if asked.dask and asked.scheduler:
        faults.append("--dask local and --scheduler cannot both work; choose one.")
    if (asked.dask or asked.scheduler) and find_spec("distributed") is None:
        faults.append("Dask is not installed; install the extra: pip install 'fireplan[dask]'.")
    if asked.parquet is not None and find_spec("pyarrow") is None:
        faults.append("pyarrow is not installed; install the extra: pip install 'fireplan[parquet]'.")
    refuse(faults)


def _pool(asked: Asked) -> Pool:
    workers = asked.workers or os.cpu_count() or 1
    if asked.dask or asked.scheduler:
        return dask_pool(asked.scheduler, workers)
    return process_pool(workers)


def _solve(store: Store, sweep: Sweep, pool: Pool) -> None:
    done = len(store.done())
    total = len(sweep.points)
    left = total - done
    if done:
        sys.stderr.write(f"{done} of {total} points are solved already\n")
    plain = not sys.stderr.isatty()
    with Bar(left) as bar:

        def progress(point: Point) -> None:
            nonlocal done
            done += 1
            bar.step(f"{point.case} {point.game}")
            if plain:
                sys.stderr.write(f"{done} of {total}: {point.case} {point.game}\n")
                sys.stderr.flush()

        run_sweep(store, sweep.points, pool, progress)


def _print(sweep: Sweep, results: Path) -> None:
    console = Console()
    console.print(Text(sweep.plan.title, style="bold"))
    shown = ("delivered", "on_target", "minutes", "destroyed", "own_troops_under_fire")
    table = Table("case", "game", Column("varied", overflow="fold"), *shown, pad_edge=False)
    rows = list(as_rows(results))
    for row, point in zip(rows[:SHOWN], sweep.points, strict=False):
        varied = ", ".join(f"{name}={value}" for name, value in (*point.options, *point.numbers))
        if row["outcome"] == "solved":
            figures = ["" if row[name] is None else f"{float(Fraction(row[name])):.4f}" for name in shown]
        else:
            figures = [row["outcome"], *("" for _ in shown[1:])]
        table.add_row(*(Text(text) for text in (point.case, point.game, varied, *figures)))
    console.print(table)
    if len(rows) > SHOWN:
        console.print(Text(f"{len(rows) - SHOWN} more rows", style="dim"))
    columns = ", ".join(FIGURES)
    console.print(Text(f"{len(rows)} points in {results}, table points: exact rationals in {columns}.", style="dim"))
