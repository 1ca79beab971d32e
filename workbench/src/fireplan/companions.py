"""Checks of the companion files of a database before SQLite opens any of them.

A database from elsewhere may come with such files. The worst is a rollback journal that ends with
the name of another file: during recovery, SQLite deletes the file of that name, wherever it is.
SQLite writes such a name only for a transaction over several databases, which fireplan never makes.
A link could lead SQLite out of the folder, and fireplan never writes the files of write-ahead mode.
"""

import os
import stat
import struct
from pathlib import Path

from fireplan.errors import InputError

ROLLBACK = "-journal"
WRITE_AHEAD = ("-wal", "-shm")
NAMES_ANOTHER_FILE = bytes.fromhex("d9d505f920a163d7")
"""Final bytes of a rollback file that names another file (SQLite, "Database File Format", 3)."""
_HEADER = struct.Struct(">8s8xI4xI")
"""Start of a rollback file: magic number, page count before the write, and page size in bytes."""
_LARGEST_PAGE = 65_536


def companion(database: Path, ending: str) -> Path:
    """Return the path at which SQLite looks for a companion of a database."""
    return database.with_name(f"{database.name}{ending}")


def check_companions(database: Path) -> None:
    """Raise ``InputError`` if a file beside a database could lead SQLite to another file.

    Links to the database are followed first, as SQLite does; it need not exist. Raises ``OSError``
    if a rollback file cannot be read.
    """
    database = resolved(database)
    for ending in WRITE_AHEAD:
        if os.path.lexists(companion(database, ending)):
            raise _refusal(companion(database, ending), "was not written by fireplan")
    rollback = companion(database, ROLLBACK)
    try:
        if not stat.S_ISREG(rollback.lstat().st_mode):
            raise _refusal(rollback, "is not an ordinary file")
        if _ending(rollback) == NAMES_ANOTHER_FILE:
            raise _refusal(rollback, "tells SQLite to delete another file, perhaps to do harm")
    except FileNotFoundError:  # the writer deletes it at the end of each write
        return


def check_names(database: Path) -> None:
    """Raise ``InputError`` if recovering a database would write to a file with hard links."""
    database = resolved(database)
    rollback = companion(database, ROLLBACK)
    try:
        names = [rollback.stat().st_nlink, database.stat().st_nlink]
    except FileNotFoundError:  # there is nothing to recover
        return
    if max(names) > 1:
        raise InputError(
            f"a write to it is unfinished, and it or {rollback.name} beside it has a second name (a hard link)."
            " Nothing was read or written. Copy both files to another folder and open the copy"
        )


def recovered_bytes(database: Path) -> int:
    """Return the size to which SQLite would restore a database from its rollback file, in bytes.

    Return 0 if there is no rollback file.
    """
    try:
        with companion(resolved(database), ROLLBACK).open("rb") as content:
            mark, pages, page = _HEADER.unpack(content.read(_HEADER.size))
    except (FileNotFoundError, struct.error):
        return 0
    return pages * (page or _LARGEST_PAGE) if mark == NAMES_ANOTHER_FILE else 0


def resolved(database: Path) -> Path:
    """Return the path of a database with all links resolved.

    It is absolute, so that SQLite cannot mistake it for a URI ("file:").
    """
    return Path(os.path.realpath(database))  # unlike Path.resolve, tolerates symlink loops


def _ending(file: Path) -> bytes:
    """Return the final bytes of a file, as many as ``NAMES_ANOTHER_FILE`` has."""
    with file.open("rb") as content:
        size = content.seek(0, os.SEEK_END)
        content.seek(max(0, size - len(NAMES_ANOTHER_FILE)))
        return content.read()


def _refusal(file: Path, reason: str) -> InputError:
    advice = f"Nothing was read or written. To go on without {file.name}, move it to another folder"
    return InputError(f"{file.name} beside it {reason}. {advice}")
