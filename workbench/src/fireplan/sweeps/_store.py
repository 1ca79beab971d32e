"""Results of a sweep in SQLite: one row a point, kept as it comes; the finished file is the same byte for byte."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from fireplan.comparison import FIGURES
from fireplan.sweeps._plan import Point, Sweep
from fireplan.sweeps._work import Solved

_TEXTS = ("plan", "version", "game_version", "case_name", "game", "options", "numbers", "facts", "outcome", "reason")
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


class StoreError(Exception):
    """A file of results that cannot be used; the message says why and what to do."""


class Store:
    """The file of a sweep's results, open for writing. Raises ``StoreError`` when it is another sweep's, or in use."""

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
            raise StoreError(f"{path} is no file of results: {error}; name another with --results") from error
        if known != sweep.key:
            self._base.close()
            raise StoreError(
                f"{path} holds another plan's results (or the plan, a file it names, or a version has changed since); "
                "name another file with --results"
            )

    def __enter__(self) -> Self:
        """Open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close; what was kept is kept."""
        self._base.close()

    def done(self) -> frozenset[int]:
        """Return the numbers of the points that are solved."""
        return frozenset(number for (number,) in self._base.execute("SELECT number FROM points"))

    def keep(self, solved: Solved) -> None:
        """Keep one result for good."""
        _insert(self._base, [row_of(self.sweep, self.sweep.points[solved.number], solved)])
        self._base.commit()

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


def _opened(path: Path) -> sqlite3.Connection:
    base = sqlite3.connect(path, isolation_level=None, timeout=1.0)
    base.execute("PRAGMA page_size = 4096")
    return base


def _lay_tables(base: sqlite3.Connection, sweep: Sweep) -> str:
    """Make the tables in an empty file, else refuse others than these; the hash of the plan whose results they hold."""
    there = tuple(sql for (sql,) in base.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))
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


def row_of(sweep: Sweep, point: Point, solved: Solved) -> tuple[Any, ...]:
    """Return a point and what came of it, as a row of the table."""
    return (
        point.number,
        sweep.key,
        sweep.version,
        solved.game_version,
        point.case,
        point.game,
        json.dumps(dict(point.options), ensure_ascii=False),
        json.dumps(dict(point.numbers), ensure_ascii=False),
        json.dumps(dict(point.facts), ensure_ascii=False),
        solved.outcome,
        solved.reason,
        solved.moments,
        solved.states,
        *(solved.figures.get(name) for name in FIGURES),
        solved.answer,
    )


def as_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of results, in the order of the grid."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as base:
        for row in base.execute(f"SELECT {', '.join(NAMES)} FROM points ORDER BY number"):  # noqa: S608 - ours
            yield dict(zip(NAMES, row, strict=True))


def write_parquet(path: Path, results: Path) -> None:
    """Write the rows of a file of results as Parquet too (needs the extra ``parquet``)."""
    pa: Any = import_module("pyarrow")
    pq: Any = import_module("pyarrow.parquet")
    kinds = {"INTEGER": pa.int64(), "TEXT": pa.string()}
    schema = pa.schema([(name, kinds[kind.split()[0]]) for name, kind in COLUMNS])
    pq.write_table(pa.Table.from_pylist(list(as_rows(results)), schema=schema), path)
