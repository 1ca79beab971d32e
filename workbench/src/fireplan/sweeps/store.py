"""Results of a sweep in SQLite: one row a point, kept as it comes.

The finished file is the same byte for byte.
"""

import json
import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import attrs

from fireplan.analysis import FIGURES, overtakings
from fireplan.companions import CompanionError, check_companions, check_names, real
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
"""Figures are exact rationals as strings; options, numbers, facts and the whole answer are JSON."""

NAMES = tuple(name for name, _ in COLUMNS)
_TABLES = (
    "CREATE TABLE plan (hash TEXT PRIMARY KEY, title TEXT, points INTEGER, version TEXT)",
    f"CREATE TABLE points ({', '.join(f'{name} {kind}' for name, kind in COLUMNS)})",
)
Found = dict[str, Any]
"""What came of a point, by the columns of the results: its outcome, why if it is not solved, figures and answer."""


class StoreError(Exception):
    """A file of results that cannot be used; the message says why and what to do."""


class Store:
    """The file of a sweep's results, open for writing.

    Raises ``StoreError`` when it is another sweep's, or in use.
    """

    def __init__(self, path: Path, sweep: Sweep) -> None:
        self.path, self.sweep = path, sweep
        try:
            self._base = _opened(path)
            self._base.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._base.execute("BEGIN EXCLUSIVE")
            known = _lay_tables(self._base, sweep)
            self._base.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise StoreError(f"{path}: {error}; is another sweep writing it?") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"{path} is no file of results: {error}; name another with --results"
            ) from error
        if known != sweep.key:
            self._base.close()
            raise StoreError(
                f"{path} holds another plan's results (or the plan, a file it names, or a version has changed since); "
                "name another file with --results"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def done(self) -> frozenset[int]:
        """Return the numbers of the points that are solved."""
        return frozenset(number for (number,) in self._base.execute("SELECT number FROM points"))

    def keep(self, together: Iterable[Found]) -> None:
        """Keep what came of some points for good, all of them or none."""
        _insert(self._base, map(self._row, together))
        self._base.commit()

    def _row(self, found: Found) -> tuple[Any, ...]:
        point = self.sweep.points[found["number"]]
        varied = {"options": point.options, "numbers": point.numbers, "facts": point.facts}
        row = found | {
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
        """Write the file anew when every point is in in the order of the grid and put it in the old one's place."""
        rows = list(self._base.execute(f"SELECT {', '.join(NAMES)} FROM points ORDER BY number"))  # noqa: S608 - ours
        fresh = self.path.with_name(self.path.name + ".whole")
        fresh.unlink(missing_ok=True)
        with closing(_opened(fresh)) as base:
            base.execute("BEGIN EXCLUSIVE")
            _lay_tables(base, self.sweep)
            _insert(base, rows)
            base.commit()
        self._base.close()
        fresh.replace(self.path)


def _check_file(path: Path) -> None:
    """Raise ``StoreError`` unless a path is free or a file of its own, with nothing beside it that does harm."""
    try:
        if os.path.lexists(path):
            kind = path.lstat()
            if not stat.S_ISREG(kind.st_mode) or kind.st_nlink > 1:
                raise StoreError(
                    f"{path} is a link or not an ordinary file; name a file with --results"
                )
        check_companions(path)
        check_names(path)
    except CompanionError as error:
        raise StoreError(f"{path}: {error}, or name another file with --results") from error
    except OSError as error:
        raise StoreError(
            f"{path}: {Path(error.filename).name} cannot be read ({error.strerror})"
        ) from error


def _opened(path: Path) -> sqlite3.Connection:
    _check_file(path)
    base = sqlite3.connect(real(path).as_uri(), uri=True, isolation_level=None, timeout=1.0)
    base.execute("PRAGMA page_size = 4096")
    return base


def _lay_tables(base: sqlite3.Connection, sweep: Sweep) -> str:
    """Make the tables in an empty file, else refuse others than these.

    The hash of the plan whose results they hold.
    """
    there = tuple(
        sql for (sql,) in base.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    )
    if there not in ((), _TABLES):  # whoever sent the file may have put an endless view in it
        raise sqlite3.DatabaseError("it holds other tables")
    if not there:
        for table in _TABLES:
            base.execute(table)
        row = (sweep.key, sweep.plan.title, len(sweep.points), sweep.version)
        base.execute("INSERT INTO plan VALUES (?, ?, ?, ?)", row)
    return str((base.execute("SELECT hash FROM plan LIMIT 1").fetchone() or [""])[0])


def _insert(base: sqlite3.Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    marks = ", ".join("?" for _ in NAMES)
    if not base.in_transaction:
        base.execute("BEGIN IMMEDIATE")
    base.executemany(f"INSERT INTO points ({', '.join(NAMES)}) VALUES ({marks})", rows)  # noqa: S608 - ours


def as_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of results, in the order of the grid.

    Raises ``StoreError`` as ``Store`` does.
    """
    _check_file(path)
    with closing(sqlite3.connect(f"{real(path).as_uri()}?mode=ro", uri=True)) as base:
        for row in base.execute(f"SELECT {', '.join(NAMES)} FROM points ORDER BY number"):  # noqa: S608 - ours
            yield dict(zip(NAMES, row, strict=True))


def write_parquet(path: Path, results: Path) -> None:
    """Write the rows of a file of results as Parquet too (needs the extra ``parquet``)."""
    pa: Any = import_module("pyarrow")
    pq: Any = import_module("pyarrow.parquet")
    kinds = {"INTEGER": pa.int64(), "TEXT": pa.string()}
    schema = pa.schema([(name, kinds[kind.split()[0]]) for name, kind in COLUMNS])
    pq.write_table(pa.Table.from_pylist(list(as_rows(results)), schema=schema), path)


# --- crossovers: where, along a fact of the engagements, one game overtakes another in a figure -----
Fixed = tuple[tuple[str, Any], ...]


@attrs.frozen
class Crossover:
    """Say where one game overtakes another: the figure, along which fact, from which value on, and what else is fixed.

    ``before`` is the last value at which it had not overtaken.
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
        return f"{self.overtakes} overtakes {self.other} at {self.at} {self.fact} ({what}; {self.case}{where})"


def crossovers(
    rows: Iterable[Mapping[str, Any]], fact: str, figures: Iterable[str]
) -> list[Crossover]:
    """Return every crossover of two games along a fact, for each figure, in the order of the values.

    ``rows`` are those of a file of results. Games whose other settings were varied too are left out: they have no one
    value at a point. Equal figures are no crossover; one game overtakes where it was behind or level before.
    """
    tables: dict[tuple[str, Fixed], dict[Any, dict[str, Mapping[str, Any]]]] = {}
    for row in rows:
        facts = json.loads(row["facts"])
        varied = json.loads(row["options"]) or json.loads(row["numbers"])
        if row["outcome"] == "solved" and fact in facts and not varied:
            value = facts.pop(fact)
            table = tables.setdefault((row["case_name"], tuple(sorted(facts.items()))), {})
            table.setdefault(value, {})[row["game"]] = row
    found = [
        crossover
        for (case, fixed), by_value in tables.items()
        for figure in figures
        for crossover in _along(figure, fact, case, fixed, by_value)
    ]
    return sorted(found, key=lambda one: (one.case, one.fixed, one.figure, one.at))


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
