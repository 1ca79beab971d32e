"""The database file of a journal, which may come from a stranger.

The file is examined before use: it must contain exactly the tables of a journal, so that no foreign
view, trigger or generated column runs. There are limits on the file size, the length of texts, the
time for reading, and the operations that SQLite may perform.
"""

import os
import shutil
import sqlite3
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from fireplan.companions import (
    ROLLBACK,
    check_companions,
    check_names,
    companion,
    recovered_bytes,
    resolved,
)
from fireplan.errors import InputError, JournalError

FORMAT = 2
APPLICATION = 0x46504C4E  # "FPLN"
TABLES = (
    "CREATE TABLE head (content TEXT NOT NULL, hash TEXT NOT NULL)",
    (
        "CREATE TABLE inputs (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, payload TEXT NOT NULL,"
        " after TEXT NOT NULL, hash TEXT NOT NULL)"
    ),
    "CREATE TABLE acknowledged (inputs INTEGER NOT NULL, hash TEXT NOT NULL)",
)
_MAGIC = b"SQLite format 3\0"
_WAL_MARK = 2
MOST_BYTES = 32_000_000
"""Size limit of a journal file, in bytes; a game of 10,000 inputs takes 5 MB."""
_MOST_TEXT = 4_000_000
_CHECKS = 40
_STEPS_PER_CHECK = 1_000_000
"""Number of SQLite steps between two checks of its running time.

Reading the largest journal takes four such intervals.
"""
_SCHEMA = sorted(("table", text.split()[2], text) for text in TABLES)
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: _MOST_TEXT,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 20,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 2,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_INSERT,
    sqlite3.SQLITE_UPDATE,
    sqlite3.SQLITE_TRANSACTION,
    sqlite3.SQLITE_PRAGMA,
}


def create_file(path: Path, content: str, last: str) -> sqlite3.Connection:
    """Return a connection to a new file containing this head and its hash.

    Raise ``JournalError`` if the file exists or cannot be written.
    """
    if path.name == ":memory:":
        raise JournalError(
            f"{path}: SQLite keeps this in memory, so the game would be lost; choose another name"
        )
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        raise JournalError(f"{path}: already exists; choose another name or resume it") from None
    except OSError as error:
        raise JournalError(
            f"{path}: cannot be written: {path.parent} takes no new file ({error.strerror})"
        ) from error
    try:
        check_beside(path, path, recovers=True)
    except JournalError:
        path.unlink()
        raise
    try:
        connection = sqlite3.connect(
            f"{resolved(path).as_uri()}?mode=rw", uri=True, isolation_level=None
        )
        _sync_strictly(connection)
        connection.execute("BEGIN IMMEDIATE")  # a journal is created whole or not at all
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
    _restrict(connection)
    return connection


def limit_time(connection: sqlite3.Connection, *, for_ever: bool = False) -> None:
    """Interrupt SQLite if it runs longer than any journal needs; ``for_ever`` removes the limit."""
    checks = iter(range(_CHECKS))
    connection.set_progress_handler(
        None if for_ever else lambda: next(checks, None) is None, _STEPS_PER_CHECK
    )


def _restrict(connection: sqlite3.Connection) -> None:
    """Restrict SQLite to the operations that a journal needs."""
    for limit, most in _LIMITS.items():
        connection.setlimit(limit, most)
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA cell_size_check=ON")
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # noqa: FBT003 - as sqlite3 has it
    connection.set_authorizer(
        lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
    )


def _sync_strictly(connection: sqlite3.Connection) -> None:
    """Make SQLite write to the disk before a commit returns, and use a single file."""
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.execute("PRAGMA synchronous=EXTRA")
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.execute(f"PRAGMA max_page_count={MOST_BYTES // size}")


def check_beside(path: Path, file: Path, *, recovers: bool = False) -> None:
    """Raise ``JournalError`` if a companion of ``file`` could lead SQLite to another file.

    The message names ``path``. ``recovers`` allows SQLite to roll back an unfinished write to
    ``file``.
    """
    try:
        check_companions(file)
        if recovers:
            check_names(file)
    except InputError as error:
        raise JournalError(f"{path}: {error}") from error
    except OSError as error:
        raise JournalError(
            f"{path}: {Path(error.filename).name} cannot be read ({error.strerror})"
        ) from error


def open_file(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Return an open connection to a journal of this format.

    Raises ``JournalError`` if the file is not such a journal or cannot be read.
    """
    file = _checked_path(path)
    if not read_only and path.is_symlink():
        raise JournalError(f"{path}: is a link; to write to that game, name {file} itself")
    check_beside(path, file, recovers=not read_only)
    try:
        return _checked_connection(
            path, f"{file.as_uri()}?mode={'ro' if read_only else 'rw'}", read_only=read_only
        )
    except sqlite3.OperationalError as error:
        if not (read_only and companion(file, ROLLBACK).exists()):
            raise JournalError(f"{path}: cannot be read as a journal ({error})") from error
    except (sqlite3.Error, TypeError, UnicodeDecodeError) as error:
        raise JournalError(f"{path}: cannot be read as a journal ({error})") from error
    return _recovered(path, file)


def _recovered(path: Path, file: Path) -> sqlite3.Connection:
    """Return a connection to an in-memory copy of a file, without its unfinished last write."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / file.name
            shutil.copyfile(companion(file, ROLLBACK), companion(copy, ROLLBACK))
            shutil.copyfile(file, copy)
            check_beside(path, copy)  # the original may have changed since its check
            rolled_back = _checked_connection(path, f"{copy.as_uri()}?mode=rw", read_only=True)
            content = rolled_back.serialize()
            rolled_back.close()
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.deserialize(content)
        connection.execute("PRAGMA query_only=ON")
    except (sqlite3.Error, OSError, TypeError, UnicodeDecodeError) as error:
        raise JournalError(f"{path}: cannot be read as a journal ({error})") from error
    return connection


def _checked_path(path: Path) -> Path:
    """Return the path with links resolved.

    Raise ``JournalError`` if the first bytes show that the file is not a journal, or only part of
    one.
    """
    try:
        kinds = [path.stat()]
        file = resolved(path)
        rollback = companion(file, ROLLBACK)
        with suppress(FileNotFoundError):  # the writer deletes it on commit
            kinds.append(rollback.stat())
        if not all(stat.S_ISREG(kind.st_mode) for kind in kinds):
            raise JournalError(f"{path}: is not an ordinary file, so it cannot be a journal")
        if any(
            size > MOST_BYTES for size in (*(kind.st_size for kind in kinds), recovered_bytes(file))
        ):
            raise JournalError(
                f"{path}: larger than {MOST_BYTES // 1_000_000} MB, the most for a journal"
            )
        with file.open("rb") as content:
            first_bytes = content.read(100)
    except OSError as error:
        reason = (
            "no such journal"
            if isinstance(error, FileNotFoundError)
            else f"cannot be read ({error.strerror})"
        )
        raise JournalError(f"{path}: {reason}") from error
    if rollback.exists():
        return file  # the last write was interrupted: SQLite rolls it back first
    if not first_bytes:
        raise _never_begun(path)
    if first_bytes[: len(_MAGIC)] == _MAGIC and _WAL_MARK in first_bytes[18:20]:
        log = companion(file, "-wal")
        if log.exists() and log.stat().st_size:
            raise JournalError(
                f"{path}: is in SQLite's WAL mode, which journals of format {FORMAT} never use: open it with"
                " the fireplan that wrote it"
            )
        raise JournalError(
            f"{path}: was copied without the file {log.name}, which may hold its last inputs. Keep it; put"
            f" {log.name} from where the game was played beside it, and open both with the fireplan that wrote them"
        )
    return file


def _never_begun(path: Path) -> JournalError:
    return JournalError(
        f"{path}: is empty: no game was begun in it. If it is a copy, copy it again; else choose another"
    )


def _checked_connection(path: Path, uri: str, *, read_only: bool) -> sqlite3.Connection:
    """Return an open connection to a journal of this format.

    Raises ``JournalError``, or SQLite's own errors.
    """
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    try:
        _restrict(connection)
        limit_time(connection)
        if read_only:
            connection.execute("PRAGMA query_only=ON")
        else:
            _sync_strictly(connection)
        _examine(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _examine(path: Path, connection: sqlite3.Connection) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    query = "SELECT type, name, sql FROM sqlite_master LIMIT ?"
    schema = sorted(connection.execute(query, (len(TABLES) + 1,)).fetchall())
    if application != APPLICATION:
        empty = not schema and not version
        raise _never_begun(path) if empty else JournalError(f"{path}: is not a fireplan journal")
    if version != FORMAT:
        raise other_format(path, version)
    if schema != _SCHEMA:
        raise JournalError(
            f"{path}: does not have the tables of a journal, so none of it can be trusted"
        )


def other_format(path: Path, version: object) -> JournalError:
    """Return the error for a journal in an unsupported format."""
    newer = isinstance(version, int) and version > FORMAT
    help_ = "update it" if newer else "open it with the fireplan that wrote it"
    return JournalError(
        f"{path}: has format {version}, this fireplan reads format {FORMAT}: {help_}"
    )
