"""The results of a sweep in SQLite: one row for each point, stored on arrival.

The finished file of a sweep is the same, byte for byte, on every run.
"""

import json
import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import attrs

from fireplan.analysis import FIGURES, overtakings
from fireplan.companions import check_companions, check_names, resolved
from fireplan.errors import InputError, argument
from fireplan.sweeps.plan import Sweep

_TEXTS = (
    "plan",
    "version",
    "game_version",
    "case_name",
    "game",
    "options",
    "numbers",
    "facts",
    "outcome",
    "reason",
)
COLUMNS = (
    ("number", "INTEGER PRIMARY KEY"),
    *((name, "TEXT NOT NULL") for name in _TEXTS),
    *((name, "INTEGER NOT NULL") for name in ("moments", "states")),
    *((name, "TEXT") for name in FIGURES),
    ("answer", "TEXT NOT NULL"),
)
"""The columns with their SQL types.

Figures are exact rationals as strings; options, numbers, facts and the whole answer are JSON.
"""

NAMES = tuple(name for name, _ in COLUMNS)
_TABLES = (
    "CREATE TABLE plan (hash TEXT PRIMARY KEY, title TEXT, points INTEGER, version TEXT)",
    f"CREATE TABLE points ({', '.join(f'{name} {kind}' for name, kind in COLUMNS)})",
)
Result = dict[str, Any]
"""Maps columns to the result of a point: outcome, reason if unsolved, figures, answer."""


class Store:
    """The file of a sweep's results, open for writing.

    Raises ``InputError`` if it belongs to another sweep, or is in use.
    """

    def __init__(self, path: Path, sweep: Sweep) -> None:
        self.path, self.sweep = path, sweep
        try:
            self._base = _opened(path)
            self._base.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._base.execute("BEGIN EXCLUSIVE")
            plan_key = _set_up_tables(self._base, sweep)
            self._base.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise InputError(f"{path}: {error}; is another sweep writing it?") from error
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"{path} is not a file of results: {error}; name another with {argument('results')}"
            ) from error
        if plan_key != sweep.key:
            self._base.close()
            raise InputError(
                f"{path} holds results of another plan (or the plan, a file it names, or a version has changed); "
                f"name another file with {argument('results')}"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def done(self) -> frozenset[int]:
        """Return the numbers of the points that have results."""
        return frozenset(number for (number,) in self._base.execute("SELECT number FROM points"))

    def keep(self, results: Iterable[Result]) -> None:
        """Store the results of several points durably, all or none."""
        _insert(self._base, map(self._row, results))
        self._base.commit()

    def _row(self, result: Result) -> tuple[Any, ...]:
        point = self.sweep.points[result["number"]]
        varied = {"options": point.options, "numbers": point.numbers, "facts": point.facts}
        row = result | {
            name: json.dumps(dict(pairs), ensure_ascii=False) for name, pairs in varied.items()
        }
        row |= {
            "plan": self.sweep.key,
            "version": self.sweep.version,
            "case_name": point.case,
            "game": point.game,
        }
        return tuple(map(row.get, NAMES))

    def finish(self) -> None:
        """Rewrite the file with the rows in the order of the grid, once it has every point."""
        rows = list(self._base.execute(f"SELECT {', '.join(NAMES)} FROM points ORDER BY number"))  # noqa: S608 - our own column names
        fresh = self.path.with_name(self.path.name + ".whole")
        fresh.unlink(missing_ok=True)
        with closing(_opened(fresh)) as base:
            base.execute("BEGIN EXCLUSIVE")
            _set_up_tables(base, self.sweep)
            _insert(base, rows)
            base.commit()
        self._base.close()
        fresh.replace(self.path)


def _check_file(path: Path) -> None:
    """Raise ``InputError`` unless a path is free or an ordinary file with harmless companions."""
    try:
        kind = path.lstat() if os.path.lexists(path) else None
        if kind is not None and (not stat.S_ISREG(kind.st_mode) or kind.st_nlink > 1):
            raise InputError(
                f"{path} is a link or not an ordinary file; name a file with {argument('results')}"
            )
    except OSError as error:
        raise _unreadable(path, error) from error
    try:
        check_companions(path)
        check_names(path)
    except InputError as error:
        raise InputError(
            f"{path}: {error}, or name another file with {argument('results')}"
        ) from error
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> InputError:
    name = Path(error.filename).name
    return InputError(f"{path}: {name} cannot be read ({error.strerror})")


def _opened(path: Path) -> sqlite3.Connection:
    _check_file(path)
    base = sqlite3.connect(resolved(path).as_uri(), uri=True, isolation_level=None, timeout=1.0)
    base.execute("PRAGMA page_size = 4096")
    return base


def _set_up_tables(base: sqlite3.Connection, sweep: Sweep) -> str:
    """Create the tables in an empty file and return the hash of the plan in it.

    Refuses a file with other tables.
    """
    tables = tuple(
        sql for (sql,) in base.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    )
    if tables not in ((), _TABLES):  # a foreign file may hold an endless view
        raise sqlite3.DatabaseError("it has other tables")
    if not tables:
        for table in _TABLES:
            base.execute(table)
        row = (sweep.key, sweep.plan.title, len(sweep.points), sweep.version)
        base.execute("INSERT INTO plan VALUES (?, ?, ?, ?)", row)
    return str((base.execute("SELECT hash FROM plan LIMIT 1").fetchone() or [""])[0])


def _insert(base: sqlite3.Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    marks = ", ".join("?" for _ in NAMES)
    if not base.in_transaction:
        base.execute("BEGIN IMMEDIATE")
    base.executemany(f"INSERT INTO points ({', '.join(NAMES)}) VALUES ({marks})", rows)  # noqa: S608 - our own column names


def as_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of results, in the order of the grid.

    Raises the same errors as ``Store``.
    """
    _check_file(path)
    with closing(sqlite3.connect(f"{resolved(path).as_uri()}?mode=ro", uri=True)) as base:
        for row in base.execute(f"SELECT {', '.join(NAMES)} FROM points ORDER BY number"):  # noqa: S608 - our own column names
            yield dict(zip(NAMES, row, strict=True))


def write_parquet(path: Path, results: Path) -> None:
    """Write the rows of a file of results as Parquet (needs the extra ``parquet``)."""
    pa: Any = import_module("pyarrow")
    pq: Any = import_module("pyarrow.parquet")
    kinds = {"INTEGER": pa.int64(), "TEXT": pa.string()}
    schema = pa.schema([(name, kinds[kind.split()[0]]) for name, kind in COLUMNS])
    pq.write_table(pa.Table.from_pylist(list(as_rows(results)), schema=schema), path)


# --- crossovers of games along a fact of the engagements ----------------------------------------
Fixed = tuple[tuple[str, Any], ...]


@attrs.frozen
class Crossover:
    """A crossover: one game overtakes another in a figure along a fact, the others ``fixed``.

    ``at`` is the first value at which it has overtaken, ``before`` the last at which it had not.
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
    """Return every crossover of two games along a fact, for each figure, in the order of values.

    ``rows`` are those of a file of results. Rows with varied options or numbers are left out: such
    a game has several values at a point. Equal figures are not a crossover: a game overtakes
    where it is ahead and was behind or level before.
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
