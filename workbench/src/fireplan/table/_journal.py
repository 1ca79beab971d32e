"""The journal of a table on disk: one SQLite file, one row an input, each die as it fell, chained by hashes.

The file is kept in SQLite's rollback mode with the strictest syncs, so that after every acknowledged input the game is
this one file: it may be copied or sent at any time. How many inputs were acknowledged, and the hash of the last, stand
in a table of their own; a copy that was torn from a write under way disagrees with it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from fireplan.table._seals import Seal
from fireplan_core import Order

FORMAT = 2
APPLICATION = 0x46504C4E  # "FPLN"
TABLES = (
    "CREATE TABLE head (content TEXT NOT NULL, hash TEXT NOT NULL)",
    "CREATE TABLE inputs (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, payload TEXT NOT NULL, hash TEXT NOT NULL)",
    "CREATE TABLE acknowledged (inputs INTEGER NOT NULL, hash TEXT NOT NULL)",
)
_MAGIC = b"SQLite format 3\0"
_WAL_MARK = 2


class JournalError(ValueError):
    """A journal that cannot be used; the message says what is wrong and what can still be read."""


@attrs.frozen
class Row:
    """One input: an ``order``, a ``die`` (throw, face, typed or rolled), ``undo`` of so many inputs, or ``reveal``."""

    kind: str
    payload: Mapping[str, Any]


def order_row(question: str, order: Order, seals: Sequence[Seal] = ()) -> Row:
    """Return the row of an order, with the salts and commitments of its secret values."""
    payload = {"question": question, "verb": order.verb, "values": {n: plain(v) for n, v in order.values}}
    kept = [{"salt": seal.salt, "commitment": seal.commitment} for seal in seals]
    return Row("order", {**payload, "seals": kept} if kept else payload)


def plain(value: Any) -> Any:
    """Return a small value as JSON has it; orders are told apart again by the candidates of their form."""
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value) if isinstance(value, Fraction) else repr(value)


def _digest(before: str, kind: str, payload: str) -> str:
    return hashlib.sha256(f"{before}\n{kind}\n{payload}".encode()).hexdigest()


class Journal:
    """An open journal file. ``head`` says what is played; ``rows`` are the inputs so far."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, head: Mapping[str, Any], rows: list[Row], last: str
    ) -> None:
        self.path = path
        self._connection = connection
        self.head = head
        self.rows = rows
        self._last = last

    @classmethod
    def create(cls, path: Path, head: Mapping[str, Any]) -> Journal:
        """Begin a journal; ``JournalError`` if the file is already there."""
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            raise JournalError(f"{path}: is already there; give another name or resume it") from None
        except OSError as error:
            raise JournalError(f"{path}: cannot be written ({error.strerror})") from error
        content = _written({**head, "format": FORMAT})
        last = _digest("", "head", content)
        try:
            connection = sqlite3.connect(path, isolation_level=None)
            _be_safe(connection)
            connection.execute("BEGIN IMMEDIATE")  # a journal is begun whole or not at all
            connection.execute(f"PRAGMA application_id={APPLICATION}")
            connection.execute(f"PRAGMA user_version={FORMAT}")
            for table in TABLES:
                connection.execute(table)
            connection.execute("INSERT INTO head VALUES (?, ?)", (content, last))
            connection.execute("INSERT INTO acknowledged VALUES (0, ?)", (last,))
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            path.unlink()
            raise JournalError(f"{path}: cannot be written ({error})") from error
        return cls(path, connection, head, [], last)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> Journal:
        """Open a journal and check its chain.

        Raises ``JournalError`` for a file that is missing, no journal, of another format, broken or changed; its
        message says what can still be read (see ``salvage``).
        """
        connection = _connected(path, read_only=read_only)
        try:
            head, rows, last, wrong = _read(path, connection)
        except BaseException:
            connection.close()
            raise
        if wrong:
            connection.close()
            kept = "no input before it is" if not rows else f"the {len(rows)} before it are"
            raise JournalError(f"{path}: {wrong}; {kept} sound and can be saved with 'fireplan salvage'")
        return cls(path, connection, head, rows, last)

    @classmethod
    def salvage(cls, path: Path, into: Path) -> tuple[Journal, str]:
        """Return a new journal with all sound inputs of a broken one, and what was wrong with it (empty: nothing).

        Raises ``JournalError`` when not even the head can be read, or the new file cannot be written.
        """
        connection = _connected(path, read_only=True)
        try:
            head, rows, _, wrong = _read(path, connection)
        finally:
            connection.close()
        journal = cls.create(into, head)
        for row in rows:
            journal.append(row)
        return journal, wrong

    def append(self, row: Row) -> None:
        """Write an input; when this returns it is on the disk.

        Raises ``JournalError``, and writes nothing, when somebody else has written since this journal was opened or
        the file cannot be written.
        """
        payload = _written(row.payload)
        chained = _digest(self._last, row.kind, payload)
        number = len(self.rows) + 1
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            if self._acknowledged() != [(number - 1, self._last)]:
                raise JournalError(
                    f"{self.path}: somebody else has written input {number} since it was opened here; nothing was"
                    " written: resume it to go on from there"
                )
            self._connection.execute("INSERT INTO inputs VALUES (?, ?, ?, ?)", (number, row.kind, payload, chained))
            self._connection.execute("UPDATE acknowledged SET inputs = ?, hash = ?", (number, chained))
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise JournalError(f"{self.path}: input {number} cannot be written ({error})") from error
        finally:
            with suppress(sqlite3.Error):  # after the commit nothing is open any more
                self._connection.execute("ROLLBACK")
        self.rows.append(row)
        self._last = chained

    def _acknowledged(self) -> list[tuple[int, str]]:
        """How many inputs are acknowledged in the file, and the hash of the last."""
        return list(self._connection.execute("SELECT inputs, hash FROM acknowledged LIMIT 2"))

    @property
    def outrun(self) -> bool:
        """Return whether somebody else has written inputs since this journal was opened."""
        return self._acknowledged() != [(len(self.rows), self._last)]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _written(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, ensure_ascii=False)


def _be_safe(connection: sqlite3.Connection) -> None:
    """Have a commit return when it is on the disk, in one file."""
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.execute("PRAGMA synchronous=EXTRA")


def _beside(path: Path, ending: str) -> Path:
    """The file that SQLite lays beside a database."""
    return path.with_name(f"{path.name}-{ending}")


def _connected(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """An open connection to a file that is a journal of a format known here."""
    _looked_at(path)
    try:
        return _checked(path, f"{path.resolve().as_uri()}?mode={'ro' if read_only else 'rw'}", read_only=read_only)
    except sqlite3.OperationalError as error:
        if not (read_only and _beside(path, "journal").exists()):
            raise JournalError(f"{path}: cannot be read as a journal ({error})") from error
    except (sqlite3.Error, TypeError, UnicodeDecodeError) as error:
        raise JournalError(f"{path}: cannot be read as a journal ({error})") from error
    return _recovered(path)


def _recovered(path: Path) -> sqlite3.Connection:
    """A connection to a copy in memory of a file whose last write was broken off, without that write."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / path.name
            shutil.copyfile(_beside(path, "journal"), _beside(copy, "journal"))
            shutil.copyfile(path, copy)
            broken_off = _checked(path, f"{copy.as_uri()}?mode=rw", read_only=True)
            content = broken_off.serialize()
            broken_off.close()
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.deserialize(content)
        connection.execute("PRAGMA query_only=ON")
    except (sqlite3.Error, OSError, TypeError, UnicodeDecodeError) as error:
        raise JournalError(f"{path}: cannot be read as a journal ({error})") from error
    return connection


def _looked_at(path: Path) -> None:
    """Refuse a file that is no journal, or not the whole of one, by its first bytes."""
    try:
        with path.open("rb") as file:
            begin = file.read(100)
    except OSError as error:
        reason = "no such journal" if isinstance(error, FileNotFoundError) else f"cannot be read ({error.strerror})"
        raise JournalError(f"{path}: {reason}") from error
    if _beside(path, "journal").exists():
        return  # its last write was broken off: SQLite takes it back before anything can be said
    if not begin:
        raise _never_begun(path)
    if begin[: len(_MAGIC)] == _MAGIC and _WAL_MARK in begin[18:20]:
        log = _beside(path, "wal")
        if log.exists() and log.stat().st_size:
            raise JournalError(
                f"{path}: is kept in a mode of SQLite (WAL) that no journal of format {FORMAT} is kept in: open it with"
                " the fireplan that wrote it"
            )
        raise JournalError(
            f"{path}: was copied without the file {log.name}, which may hold inputs that are not in it. Keep it; put"
            f" {log.name} from where the game was played beside it, and open both with the fireplan that wrote them"
        )


def _never_begun(path: Path) -> JournalError:
    return JournalError(f"{path}: is empty: no game was begun in it. If it is a copy, copy it again; else name another")


def _checked(path: Path, uri: str, *, read_only: bool) -> sqlite3.Connection:
    """An open connection to a file that is a journal of a format known here; raises errors of SQLite as they come."""
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    try:
        connection.execute("PRAGMA trusted_schema=OFF")
        if read_only:
            connection.execute("PRAGMA query_only=ON")
        else:
            _be_safe(connection)
        _examine(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _examine(path: Path, connection: sqlite3.Connection) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    if application != APPLICATION:
        empty = not tables and not version
        raise _never_begun(path) if empty else JournalError(f"{path}: is no journal of fireplan")
    if version != FORMAT:
        raise _other_format(path, version)


def _other_format(path: Path, version: object) -> JournalError:
    newer = isinstance(version, int) and version > FORMAT
    help_ = "update it" if newer else "open it with the fireplan that wrote it"
    return JournalError(f"{path}: has format {version}, this fireplan reads format {FORMAT}: {help_}")


def _read(path: Path, connection: sqlite3.Connection) -> tuple[Mapping[str, Any], list[Row], str, str]:
    """The head, the sound inputs, the last hash of their chain, and what is wrong with the first that is not sound."""
    written: list[tuple[Any, ...]] = []
    wrong = ""
    try:
        connection.execute("BEGIN")  # somebody else may be writing
        (content, last) = connection.execute("SELECT content, hash FROM head").fetchone()
        head = json.loads(content)
    except (sqlite3.Error, TypeError, ValueError, RecursionError) as error:
        raise JournalError(f"{path}: its head cannot be read, so nothing can ({error})") from error
    try:
        acknowledged = connection.execute("SELECT inputs, hash FROM acknowledged").fetchone()
        for row in connection.execute("SELECT seq, kind, payload, hash FROM inputs ORDER BY seq"):
            if row[0] != len(written) + 1:
                wrong = f"input {len(written) + 1} was changed or lost"
                break
            written.append(row)
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        acknowledged, wrong = None, f"input {len(written) + 1} cannot be read ({error})"
    if _digest("", "head", content) != last or not isinstance(head, dict):
        raise JournalError(f"{path}: its head was changed after it was written: nothing of it can be trusted")
    version = head.pop("format", None)
    if version != FORMAT:
        raise _other_format(path, version)
    rows: list[Row] = []
    for number, kind, payload, chained in written:
        if _digest(last, kind, payload) != chained:
            return head, rows, last, f"input {number} was changed or lost"
        try:
            rows.append(Row(kind, json.loads(payload)))
        except (TypeError, ValueError, RecursionError) as error:
            return head, rows, last, f"input {number} cannot be read ({error})"
        last = chained
    if not wrong and acknowledged != (len(rows), last):
        count = acknowledged[0] if acknowledged and type(acknowledged[0]) is int else len(rows)
        if 0 <= count < len(rows):
            return head, rows[:count], "", f"input {count + 1} was being written when this copy was made: copy it again"
        wrong = f"input {len(rows) + 1} and what came after it were cut off"
    return head, rows, last, wrong
