"""The results of a sweep: a text file with a line for each point, written as results arrive.

The finished file of a sweep is the same, byte for byte, on every run.
"""

import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import attrs

from fireplan.analysis import FIGURES, overtakings
from fireplan.chained_file import ChainedFile, ChainedFileError, Limits, NeverBegunError
from fireplan.errors import InputError, argument_name
from fireplan.sweeps.plan import MOST_POINTS, Sweep

VARIED = ("options", "numbers", "facts")
"""The columns of a point's changes, each a mapping from names to values."""
COLUMNS: Mapping[str, type] = {
    "number": int,
    **dict.fromkeys(("plan", "version", "game_version", "case_name", "game"), str),
    **dict.fromkeys((*VARIED, "outcome", "reason"), str),
    **dict.fromkeys(("moments", "states"), int),
    **dict.fromkeys(FIGURES, str),
    "answer": str,
}
"""Maps the columns of a row to their types.

Figures are exact rationals as strings, or None; options, numbers, facts and the whole answer are
JSON.
"""
NAMES = tuple(COLUMNS)
_RATIO = re.compile(r"-?[0-9]{1,4000}(/[1-9][0-9]{0,3999})?")
_LIMITS = Limits(size=4_000_000_000, lines=2 * MOST_POINTS, values=400 * MOST_POINTS)
_KIND, _FORMAT = "sweep results", 1
Result = dict[str, Any]
"""Maps columns to the parts of a point's result: outcome, reason if unsolved, figures, answer."""


def results_file_of(plan: Path) -> Path:
    """Return the path of the file for a plan's results if the user names none: ``PLAN.jsonl``."""
    return plan.with_suffix(".jsonl")


class Store:
    """The file of a sweep's results, open for writing.

    Raises ``InputError`` if the file belongs to another sweep, is in use, or is not a file of
    results. Results that cannot be read, after an interrupted write or a change, are not counted,
    so their points are solved again.
    """

    def __init__(self, path: Path, sweep: Sweep) -> None:
        self.path, self.sweep = path, sweep
        self._head = {
            "fireplan": _KIND,
            "format": _FORMAT,
            "plan": sweep.key,
            "title": sweep.plan.title,
            "points": len(sweep.points),
            "version": sweep.version,
        }
        with _refusing(path):
            _check_names(path)
            self._file = ChainedFile.open(path, _LIMITS, create=True)
            try:
                self._file.hold()
                self._numbers = [row["number"] for row in self._rows()]
            except NeverBegunError:
                self._file.begin(self._head)
                self._numbers = []
            except BaseException:
                self._file.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def done(self) -> frozenset[int]:
        """Return the numbers of the points that have results."""
        return frozenset(self._numbers)

    def keep(self, results: Iterable[Result]) -> None:
        """Store the results of several points; they are on the disk when this returns."""
        rows = [self._row(result) for result in results]
        with _refusing(self.path):
            self._file.append(*rows)
        self._numbers += [row["number"] for row in rows]

    def _row(self, result: Result) -> dict[str, Any]:
        point = self.sweep.points[result["number"]]
        row = result | {name: dict(getattr(point, name)) for name in VARIED}
        row |= {
            "plan": self.sweep.key,
            "version": self.sweep.version,
            "case_name": point.case,
            "game": point.game,
        }
        return {name: row.get(name) for name in NAMES}

    def _rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the file.

        Raise ``InputError`` if they are those of another sweep, ``ValueError`` if they are not
        results.
        """
        lines = self._file.read()
        head = next(lines)
        if head.get("fireplan") == _KIND and head != self._head:
            raise InputError(
                f"{self.path} holds results of another plan (or the plan, a file it names, or a version has changed);"
                f" name another file with {argument_name('results')}"
            )
        _check_head(head)
        numbers = set[int]()
        for row in lines:
            _check_row(row)
            if row["number"] in numbers or row["number"] >= len(self.sweep.points):
                raise ValueError(f"point {row['number']} appears twice or is not in the plan")
            numbers.add(row["number"])
            yield row

    def finish(self) -> None:
        """Rewrite the file with the rows in the order of the grid, once it has every point.

        A file that is already finished is left unchanged.
        """
        points = len(self.sweep.points)
        if self._numbers == [*range(points)] and self._file.lines == points + 1:
            return
        with _refusing(self.path), TemporaryDirectory(dir=self.path.parent) as folder:
            rows = sorted(self._rows(), key=lambda row: int(row["number"]))
            fresh = Path(folder) / self.path.name
            ChainedFile.create(fresh, [self._head, *rows], _LIMITS, mode=0o666).close()
            self._file.close()
            fresh.replace(self.path)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Convert errors about a file of results to ``InputError``."""
    try:
        yield
    except InputError:
        raise
    except ChainedFileError as error:
        raise InputError(
            f"{path}: {error}; name another file with {argument_name('results')}"
        ) from error
    except ValueError as error:
        raise InputError(
            f"{path} is not a file of results: {error}; name another file with {argument_name('results')}"
        ) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read or written ({error.strerror})") from error


def _check_names(path: Path) -> None:
    """Raise ``ChainedFileError`` unless a path is free or the only name of an ordinary file."""
    if os.path.lexists(path):
        kind = path.lstat()
        if not stat.S_ISREG(kind.st_mode) or kind.st_nlink > 1:
            raise ChainedFileError("is a link or not an ordinary file")


def _check_head(head: Mapping[str, Any]) -> None:
    if head.get("fireplan") != _KIND:
        raise ValueError("the file is a journal")
    if head.get("format") != _FORMAT:
        raise ValueError(
            f"the file has format {head.get('format')}, but this fireplan reads format {_FORMAT}"
        )


def _check_row(row: Mapping[str, Any]) -> None:
    """Raise ``ValueError`` for a row that is not a result of a sweep."""
    kinds = {**COLUMNS, **dict.fromkeys(VARIED, dict)}
    sound = tuple(row) == NAMES and all(
        type(row[name]) is kind or (name in FIGURES and row[name] is None)
        for name, kind in kinds.items()
    )
    if not (
        sound
        and row["number"] >= 0
        and all(_RATIO.fullmatch(row[name]) for name in FIGURES if row[name] is not None)
        and all(isinstance(value, str | int) for name in VARIED for value in row[name].values())
    ):
        raise ValueError("a line is not a result of a sweep")


def as_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a finished file of results, in the order of the grid.

    Options, numbers and facts are JSON texts. Raises ``InputError`` if the file cannot be read or
    is not a file of results.
    """
    with _refusing(path):
        _check_names(path)
        file = ChainedFile.open(path, _LIMITS, read_only=True)
        try:
            lines = file.read()
            _check_head(next(lines))
            for row in lines:
                _check_row(row)
                yield row | {name: json.dumps(row[name], ensure_ascii=False) for name in VARIED}
        finally:
            file.close()


def write_parquet(path: Path, results: Path) -> None:
    """Write the rows of a file of results as Parquet (needs the extra ``parquet``)."""
    pa: Any = import_module("pyarrow")
    pq: Any = import_module("pyarrow.parquet")
    kinds = {int: pa.int64(), str: pa.string()}
    schema = pa.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
    pq.write_table(pa.Table.from_pylist(list(as_rows(results)), schema=schema), path)


# --- crossovers of games along a fact of the engagements ----------------------------------------
Fixed = tuple[tuple[str, Any], ...]


@attrs.frozen
class Crossover:
    """A crossover of two games in a figure along a fact, with the other facts ``fixed``.

    The game ``overtakes`` is ahead of ``other`` at the value ``at``, but not at ``before``, the
    last value before it.
    """

    figure: str
    fact: str
    overtakes: str
    other: str
    before: Any
    at: Any
    case: str
    fixed: Fixed

    def __str__(self) -> str:
        where = "".join(f", {name} {value}" for name, value in self.fixed)
        what = FIGURES[self.figure].summary
        exact = isinstance(self.at, int) and self.at == self.before + 1
        place = f"at {self.at}" if exact else f"between {self.before} and {self.at}"
        return f"{self.overtakes} overtakes {self.other} {place} {self.fact} ({what}; {self.case}{where})"


def crossovers(
    rows: Iterable[Mapping[str, Any]], fact: str, figures: Iterable[str]
) -> list[Crossover]:
    """Return every crossover of two games along a fact, by case, fixed facts, figure and value.

    ``rows`` are those of a file of results. Rows with varied options or numbers are left out,
    because such a game has several values at a point. Equal figures are not a crossover: a game
    overtakes where it gets ahead after being behind.
    """
    tables: dict[tuple[str, Fixed], dict[Any, dict[str, Mapping[str, Any]]]] = {}
    for row in rows:
        facts = json.loads(row["facts"])
        varied = json.loads(row["options"]) or json.loads(row["numbers"])
        if row["outcome"] == "solved" and fact in facts and not varied:
            value = facts.pop(fact)
            table = tables.setdefault((row["case_name"], tuple(sorted(facts.items()))), {})
            table.setdefault(value, {})[row["game"]] = row
    crossovers_found = [
        crossover
        for (case, fixed), by_value in tables.items()
        for figure in figures
        for crossover in _along(figure, fact, case, fixed, by_value)
    ]
    return sorted(crossovers_found, key=lambda each: (each.case, each.fixed, each.figure, each.at))


def narrowed(crossing: Crossover, figure: Callable[[str, int], Fraction | None]) -> Crossover:
    """Return a crossover between two whole numbers narrowed by bisection.

    ``figure(game, value)`` is the figure of a game at a value in between, None if it has none; the
    crossover is then narrowed no further.
    """
    before, at = crossing.before, crossing.at
    while isinstance(at, int) and at - before > 1:
        middle = (before + at) // 2
        ahead, behind = figure(crossing.overtakes, middle), figure(crossing.other, middle)
        if ahead is None or behind is None:
            break
        before, at = (before, middle) if ahead > behind else (middle, at)
    return attrs.evolve(crossing, before=before, at=at)


def _along(
    figure: str,
    fact: str,
    case: str,
    fixed: Fixed,
    by_value: Mapping[Any, Mapping[str, Mapping[str, Any]]],
) -> Iterator[Crossover]:
    lines: dict[str, dict[int, Fraction]] = {}
    for value, rows in by_value.items():
        for game, row in rows.items():
            if isinstance(value, int) and row[figure] is not None:
                lines.setdefault(game, {})[value] = Fraction(row[figure])
    for overtakes, other, before, at in overtakings(lines):
        yield Crossover(figure, fact, overtakes, other, before, at, case, fixed)
