"""Sweeps: a plan solved over its grid, its rows, and crossovers between games."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import attrs

from fireplan import analysis
from fireplan.errors import (
    InputError,
    argument_name,
    gathered,
    refuse,
)
from fireplan.extras import needs
from fireplan.questions import opening
from fireplan.questions.frames import frame
from fireplan.questions.grid import GridResult, is_grid, read_grid, swept
from fireplan.questions.question import Question, asks
from fireplan.questions.refusing import refusing
from fireplan.questions.result import Block, Grid, Listing, Result, Rows, Text, unwritable
from fireplan.sweeps import (
    VARIED,
    Crossover,
    Point,
    Store,
    Sweep,
    as_rows,
    crossovers,
    dask_pool,
    narrowed,
    process_pool,
    read_plan,
    results_file_of,
    run_sweep,
    solve_point,
    write_parquet,
)
from fireplan_core.play import Catalogue

SHOWN = 60
FIGURES = (
    "delivered",
    "on_target",
    "minutes_to_first_effect",
    "destroyed",
    "own_troops_under_fire",
)
"""Figures printed for each point and compared for crossovers."""
FURTHER = 40
"""Points that may be solved to narrow the crossovers of a small grid."""
MOST_WORKERS = 1024


@attrs.frozen(eq=False, repr=False)
class SweepResult(Result):
    """A solved grid; ``results`` is the text file containing every exact figure.

    ``crossings`` are the points where one game overtakes another.
    """

    sweep: Sweep
    results: Path
    crossings: tuple[Crossover, ...] = ()

    def blocks(self) -> Iterator[Block]:
        """Yield the first points with their figures, the crossovers, and the results' path."""
        yield Text(self.sweep.plan.title, "bold")
        rows, cells = self.rows(), []
        for row, point in zip(rows[:SHOWN], self.sweep.points, strict=False):
            varied = ", ".join(
                f"{name}={value}" for name, value in (*point.facts, *point.options, *point.numbers)
            )
            if row["outcome"] == "solved":
                figures = [
                    "" if row[name] is None else f"{float(Fraction(row[name])):.4f}"
                    for name in FIGURES
                ]
            else:
                figures = [row["outcome"], *("" for _ in FIGURES[1:])]
            cells.append((point.case, point.game, varied, *figures))
        heads = (name.replace("_", " ") for name in FIGURES)
        yield Grid(("case", "game", "varied", *heads), tuple(cells), fold=frozenset({2}))
        if len(rows) > SHOWN:
            yield Text(f"{len(rows) - SHOWN} more rows", "dim")
        if crossings := self.crossovers():
            yield Listing("Crossovers", tuple(map(str, crossings)))
        columns = ", ".join(analysis.FIGURES)
        yield Text(
            f"{len(rows)} points in {self.results}, one line each: exact rationals in {columns}.",
            "dim",
        )

    def crossovers(self) -> list[Crossover]:
        """Return the points where one game overtakes another in a figure, along each fact.

        Between whole numbers of the grid, bisection finds the first value at which the overtaking
        game is ahead.
        """
        return [*self.crossings]

    def to_dict(self) -> dict[str, Any]:
        """Return the title, the rows and the crossovers as plain data.

        Exact rationals are strings.
        """
        crossings = [
            attrs.asdict(crossing) | {"fixed": dict(crossing.fixed), "text": str(crossing)}
            for crossing in self.crossovers()
        ]
        return {"title": self.sweep.plan.title, "points": self.rows(), "crossovers": crossings}

    def rows(self) -> Rows:
        """Return one row for each point.

        Raise ``InputError`` if the file of results cannot be read.
        """
        return list(as_rows(self.results))

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows as a data frame, with a column for each fact, option and number varied.

        The whole answer of each point stays in the file of results. ``library`` is as in
        ``Result.to_frame``.
        """
        rows = [
            {name: value for name, value in row.items() if name not in (*VARIED, "answer")}
            | {name: value for kind in VARIED for name, value in json.loads(row[kind]).items()}
            for row in self.rows()
        ]
        return frame(rows, library)


@attrs.frozen(eq=False, repr=False, slots=False)
class SweepPlan(Result):
    """The size of a plan before anything is computed, and the file for its results, if any."""

    plan: Path
    title: str
    points: int
    results: Path | None = None

    def blocks(self) -> Iterator[Block]:
        """Yield the number of points, and the path of the results if there is one."""
        where = "" if self.results is None else f"; results would go to {self.results}"
        yield Text(f"{self.plan}: {self.points:,} points{where}", wrap=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the title and the number of points as plain data."""
        return {"title": self.title, "points": self.points}


def _unreported(_done: int, _total: int) -> None:
    """Ignore the number of points solved before a sweep begins."""


class SweepQuestion(Question["SweepResult | SweepPlan | GridResult"]):
    """Solve a whole grid exactly: engagements, scenarios, games, options and numbers.

    Any number of workers can share the work. If a run is interrupted, even by a crash, the same
    command resumes it, and no point is solved twice.
    """

    key = "sweep"
    example = """
        >>> from pathlib import Path
        >>> plan = ["title = 'Guns'", "games = ['miniatures_1943']", "minutes = 10"]
        >>> plan += ["engagements = ['woods']", "[[vary]]", "fact = 'guns'", "values = [4, 12]"]
        >>> _ = Path('plan.toml').write_text('\\n'.join(plan))
        >>> len(fp.sweep('plan.toml', workers=1).rows())
        2
    """
    absent = {  # noqa: RUF012 - shared by all instances and never changed
        "page": "plans have a page of their own, /ask",
        "tool": "it runs for minutes to days, and writes a file",
        "sweep": "one plan can hold every axis",
    }

    plan: str | Path = asks(
        "A plan file (TOML): title, engagements, scenarios, games, minutes, and [[vary]] with values"
        " and an option or number = GAME.NAME, or a fact of the engagements, such as guns. With"
        " question = NAME, [ask] and [[vary]] argument = NAME, any question can be asked over a grid.",
        attrs.NOTHING,
        placed=True,
        local=True,
    )
    results: str | Path | None = asks(
        "The text file for the results, one JSON object a line; by default beside the plan. Its"
        " content does not depend on the number of processes.",
        local=True,
    )
    workers: int | None = asks(
        "Number of processes; as many as there are processors by default.",
        range=(1, MOST_WORKERS),
        local=True,
    )
    scheduler: str | None = asks(
        "Use the workers of this Dask scheduler (needs the extra dask).", local=True
    )
    dask: str | None = asks(
        "'local' starts a Dask cluster on this machine (needs the extra dask).", local=True
    )
    parquet: Path | None = asks(
        "Also write the results into this Parquet file (needs the extra parquet).", local=True
    )
    check: bool = asks("Only check the plan and count its points.", False, local=True)
    begun: Callable[[int, int], None] = attrs.field(default=_unreported, kw_only=True)
    """Called before the first point with the number of points already done and the total."""

    def answer(self) -> SweepResult | SweepPlan | GridResult:
        """Return the results of every point, or only the plan if ``check`` is set.

        Raise ``InputError`` if a file of the sweep cannot be read or written.
        """
        if gathered([], is_grid, Path(self.plan)):  # an unreadable plan is refused below
            return self._of_question(Path(self.plan))
        grid = read_sweep(self.plan, self.catalogue, self.scheduler, self.dask, self.parquet)
        plan = Path(self.plan)
        file = results_file_of(plan) if self.results is None else Path(self.results)
        if self.check:
            return SweepPlan(plan, grid.plan.title, len(grid.points), file)
        count = self.workers or os.cpu_count() or 1
        on_dask = self.dask or self.scheduler
        try:
            pool = dask_pool(self.scheduler, count) if on_dask else process_pool(count)
            with Store(file, grid) as store:
                total = len(grid.points)
                self.begun(len(store.done()), total)
                run_sweep(
                    store,
                    grid.points,
                    pool,
                    lambda point: self.progress(total, f"{point.case} {point.game}"),
                )
            if self.parquet is not None:
                write_parquet(self.parquet, file)
        except OSError as error:
            raise InputError(f"This cannot be run: {error}") from error
        return SweepResult(grid, file, tuple(_crossings(grid, [*as_rows(file)])))

    def _of_question(self, plan: Path) -> SweepPlan | GridResult:
        """Return the answers to a plan's question at every point, or, with ``check``, its size.

        The answers are computed in this process and are not written to a file.
        """
        faults = [
            f"{argument_name(name)}: a plan with question = NAME is answered in this process, and"
            f" into no file; leave it out."
            for name in ("results", "workers", "scheduler", "dask", "parquet")
            if getattr(self, name) is not None
        ]
        grid = gathered(faults, read_grid, plan)
        refuse(faults)
        if self.check:
            return SweepPlan(plan, grid.title, grid.size)
        return swept(grid, self.catalogue, self.progress)


def _crossings(sweep: Sweep, rows: Sequence[Mapping[str, Any]]) -> Iterator[Crossover]:
    """Yield every crossover along a fact, narrowed between whole numbers of the grid.

    The number of further points solved is at most that of the grid, or ``FURTHER`` if that is more.
    """
    points = {
        (point.case, point.game, frozenset(point.facts)): point
        for point in sweep.points
        if not (point.options or point.numbers)
    }
    solved: dict[Point, Mapping[str, Any]] = {}
    most = max(len(sweep.points), FURTHER)

    def figure(crossing: Crossover, game: str, value: int) -> Fraction | None:
        """Return a game's figure at a value of the fact, or None if it is not solved."""
        facts = frozenset([*crossing.fixed, (crossing.fact, crossing.at)])
        point = points[crossing.case, game, facts]
        changed = {**dict(point.facts), crossing.fact: value}
        between = attrs.evolve(point, facts=tuple(changed.items()))
        if between not in solved and len(solved) < most:
            solved[between] = solve_point(between)
        text = solved.get(between, {}).get(crossing.figure)
        return None if text is None else Fraction(text)

    for axis in sweep.plan.vary:
        for crossing in crossovers(rows, axis.fact, FIGURES) if axis.fact else ():
            yield narrowed(crossing, partial(figure, crossing))


def read_sweep(
    plan: str | Path,
    catalogue: Catalogue | None = None,
    scheduler: str | None = None,
    dask: str | None = None,
    parquet: Path | None = None,
) -> Sweep:
    """Return the grid of a plan; nothing is computed yet.

    Raise ``InputError`` listing every fault in the plan and in the other arguments, such as a
    missing library for ``dask``, ``scheduler`` or ``parquet``.
    """
    faults: list[str] = []
    grid = gathered(faults, _read, Path(plan), catalogue)
    if dask not in (None, "local"):
        faults.append(
            f"{argument_name('dask')}: expected local, got {dask!r}; for a cluster give {argument_name('scheduler')}."
        )
    if dask and scheduler:
        faults.append(
            f"{argument_name('dask')} and {argument_name('scheduler')} cannot be combined; choose one."
        )
    if (dask or scheduler) and find_spec("distributed") is None:
        faults.append(needs("distributed"))
    if parquet is not None and find_spec("pyarrow") is None:
        faults.append(needs("pyarrow"))
    elif wrong := unwritable(parquet, (".parquet",)):
        faults.append(wrong)
    refuse(faults)
    return grid


def _read(plan: Path, catalogue: Catalogue | None) -> Sweep:
    with refusing():
        return read_plan(plan, catalogue or opening.catalogue())
