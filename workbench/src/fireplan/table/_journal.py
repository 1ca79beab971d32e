"""The journal of a table on disk: one SQLite file, one row an input, each die as it fell, chained by hashes."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from fireplan.table._seals import Seal
from fireplan_core import Order

FORMAT = 1
APPLICATION = 0x46504C4E  # "FPLN"


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
        if path.exists():
            raise JournalError(f"{path}: is already there; give another name or resume it")
        try:
            connection = sqlite3.connect(path, isolation_level=None)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("BEGIN IMMEDIATE")  # a journal is begun whole or not at all
            connection.execute(f"PRAGMA application_id={APPLICATION}")
            connection.execute(f"PRAGMA user_version={FORMAT}")
            connection.execute("CREATE TABLE head (content TEXT NOT NULL, hash TEXT NOT NULL)")
            connection.execute(
                # AUTOINCREMENT: SQLite keeps the highest number ever given, so that rows cut off the end are missed.
                "CREATE TABLE inputs (seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, payload TEXT NOT NULL,"
                " hash TEXT NOT NULL)"
            )
            content = json.dumps({**head, "format": FORMAT}, sort_keys=True, ensure_ascii=False)
            last = _digest("", "head", content)
            connection.execute("INSERT INTO head VALUES (?, ?)", (content, last))
            connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
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
        payload = json.dumps(row.payload, sort_keys=True, ensure_ascii=False)
        chained = _digest(self._last, row.kind, payload)
        number = len(self.rows) + 1
        try:
            self._connection.execute("INSERT INTO inputs VALUES (?, ?, ?, ?)", (number, row.kind, payload, chained))
        except sqlite3.IntegrityError as error:
            raise JournalError(
                f"{self.path}: somebody else has written input {number} since it was opened here; nothing was"
                " written: resume it to go on from there"
            ) from error
        except sqlite3.Error as error:
            raise JournalError(f"{self.path}: input {number} cannot be written ({error})") from error
        self.rows.append(row)
        self._last = chained

    @property
    def outrun(self) -> bool:
        """Return whether somebody else has written inputs since this journal was opened."""
        return bool(self._connection.execute("SELECT COUNT(*) FROM inputs").fetchone()[0] != len(self.rows))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _connected(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """An open connection to a file that is a journal of a format known here."""
    if not path.is_file():
        raise JournalError(f"{path}: no such journal")
    # A journal that nobody has open is read without the files that SQLite would lay beside it.
    alone = read_only and not path.with_name(f"{path.name}-wal").exists()
    mode = "ro&immutable=1" if alone else "ro" if read_only else "rw"
    connection = None
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None)
        connection.execute("PRAGMA trusted_schema=OFF")
        if not read_only:
            connection.execute("PRAGMA synchronous=FULL")
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    except (sqlite3.Error, TypeError, UnicodeDecodeError) as error:
        if connection is not None:
            connection.close()
        raise JournalError(f"{path}: cannot be read as a journal ({error})") from error
    if application != APPLICATION:
        connection.close()
        empty = not tables and not version
        raise JournalError(f"{path}: {'was never begun: delete it' if empty else 'is no journal of fireplan'}")
    if version != FORMAT:
        connection.close()
        raise _other_format(path, version)
    return connection


def _other_format(path: Path, version: object) -> JournalError:
    newer = isinstance(version, int) and version > FORMAT
    help_ = "update it" if newer else "open it with the fireplan that wrote it"
    return JournalError(f"{path}: has format {version}, this fireplan reads format {FORMAT}: {help_}")


def _read(path: Path, connection: sqlite3.Connection) -> tuple[Mapping[str, Any], list[Row], str, str]:
    """The head, the sound inputs, the last hash of their chain, and what is wrong with the first that is not sound."""
    try:
        (content, last) = connection.execute("SELECT content, hash FROM head").fetchone()
        head = json.loads(content)
    except (sqlite3.Error, TypeError, ValueError, RecursionError) as error:
        raise JournalError(f"{path}: its head cannot be read, so nothing can ({error})") from error
    if _digest("", "head", content) != last or not isinstance(head, dict):
        raise JournalError(f"{path}: its head was changed after it was written: nothing of it can be trusted")
    version = head.pop("format", FORMAT)  # the first journals had it in the file's own header alone
    if version != FORMAT:
        raise _other_format(path, version)
    rows: list[Row] = []
    try:
        for number, (seq, kind, payload, chained) in enumerate(
            connection.execute("SELECT seq, kind, payload, hash FROM inputs ORDER BY seq"), start=1
        ):
            if seq != number or _digest(last, kind, payload) != chained:
                return head, rows, last, f"input {number} was changed or lost"
            rows.append(Row(kind, json.loads(payload)))
            last = chained
        # In one statement, for somebody else may be writing.
        (written, held) = connection.execute(
            "SELECT TOTAL(seq), (SELECT COUNT(*) FROM inputs) FROM sqlite_sequence WHERE name = 'inputs'"
        ).fetchone()
        if written != held:
            return head, rows, last, f"input {len(rows) + 1} and what came after it were cut off"
    except (sqlite3.Error, TypeError, ValueError, RecursionError) as error:
        return head, rows, last, f"input {len(rows) + 1} cannot be read ({error})"
    return head, rows, last, ""
