"""A disk that is written down call by call, that fails when it is told to, and that may lose what was not synced.

SQLite writes through a file system of ours (apsw) to real files in memory. Every call is noted;
from the notes the disk is built as it may be found when the power fails: writes that were not
synced are there, gone, there up to some call, there in any order, torn at sectors, or garbage where
a file grew; a file made or deleted is so for certain only once its folder was synced. A process
that is killed makes no further call, and what it wrote stays.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
import attrs

from fireplan.table import database
from fireplan.table import journal as journal_module

SECTOR = 512
FATES = ("vanish", "kept", *(("prefix", "reorder", "torn", "garbage") * 3))
"""What may become of calls that were not synced; the random fates several times."""
_SYNCS_FOLDER = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL
_SETTINGS = ("PRAGMA journal_mode=DELETE", "PRAGMA synchronous=EXTRA")


class KilledError(BaseException):
    """The end of a process: nothing of its own code may catch it."""


@attrs.frozen
class Call:
    """One I/O call: ``make``, ``write``, ``truncate``, ``sync`` or ``delete``.

    Or ``given``, after an acknowledgement.

    ``at`` is the place of a write, the length of a truncation, the number of inputs acknowledged; of a sync or a
    deletion 1 when the folder is synced with it.
    """

    kind: str
    file: str = ""
    at: int = 0
    data: bytes = b""


@attrs.define(eq=False)
class Process:
    """Who makes calls, and whether it still can."""

    name: str = ""
    dead: bool = False


class RecordedFile(apsw.VFSFile):
    """A real file whose calls are written down."""

    def __init__(self, system: FileSystem, name: str, path: Any, flags: list[int]) -> None:
        self.system, self.name, self.process = system, name, system.process
        # The journal makes its own file empty, so that nobody else can; SQLite finds it there.
        made = not Path(name).exists() or name not in system.known
        super().__init__("", path, flags)
        # SQLite on Unix syncs the folder with the first sync of a journal or log that it has made.
        self.folder_due = made and bool(flags[0] & _SYNCS_FOLDER)
        if made:
            system.note(self.process, Call("make", name))

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - names of SQLite
        self.system.before(self.process, "write")
        super().xWrite(data, offset)
        self.system.note(self.process, Call("write", self.name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self.system.before(self.process, "truncate")
        super().xTruncate(newsize)
        self.system.note(self.process, Call("truncate", self.name, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        self.system.before(self.process, "sync")
        super().xSync(flags)
        if not self.system.lies:
            self.system.note(self.process, Call("sync", self.name, int(self.folder_due)))
            self.folder_due = False


class FileSystem(apsw.VFS):
    """The file system: who makes calls now, whom they are told to, and what fails."""

    def __init__(self) -> None:
        self.process = Process()
        self.heard: Callable[[Call], None] = lambda _call: None
        self.between: Callable[[str], None] = lambda _statement: None
        """Called before each statement: others may act there."""
        self.known: set[str] = set()
        self.lies = self.full = self.broken = False
        self.connections: list[Connection] = []
        self.countdown = 0
        """The process dies at this call from now on; 0: it does not."""
        self.dies: Callable[[], None] = lambda: None
        super().__init__("recorder", "")

    def xOpen(self, name: Any, flags: list[int]) -> Any:  # noqa: N802
        plain = name.filename() if isinstance(name, apsw.URIFilename) else name
        if not plain:
            return super().xOpen(name, flags)
        return RecordedFile(self, plain, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802, FBT001
        self.before(self.process, "delete")
        super().xDelete(filename, syncdir)
        self.note(self.process, Call("delete", filename, int(syncdir and not self.lies)))

    def before(self, process: Process, kind: str) -> None:
        """Fail where this call is to fail."""
        if self.countdown and not process.dead:
            self.countdown -= 1
            if not self.countdown:
                process.dead = True
                self.dies()
        if process.dead:
            raise apsw.IOError("the process was killed")
        if self.full and kind == "write":
            raise apsw.FullError("database or disk is full")
        if self.broken and kind == "sync":
            raise apsw.IOError("disk I/O error")

    def note(self, process: Process, call: Call) -> None:
        """Note a call that was made."""
        if call.kind == "make":
            self.known.add(call.file)
        elif call.kind == "delete":
            self.known.discard(call.file)
        self.heard(call)

    def let_go(self, process: Process) -> None:
        """Let a dead process's connections go, as the system does with those of a process that ended."""
        for connection in [one for one in self.connections if one.process is process]:
            connection.close()

    @contextmanager
    def run_by(self, process: Process) -> Iterator[None]:
        """Let a process make the calls."""
        before, self.process = self.process, process
        try:
            yield
        finally:
            self.process = before


class Rows:
    """What a statement gave, already fetched."""

    def __init__(self, rows: list[Any]) -> None:
        self.rows = iter(rows)

    def __iter__(self) -> Iterator[Any]:
        return self.rows

    def fetchone(self) -> Any:
        return next(self.rows, None)

    def fetchall(self) -> list[Any]:
        return list(self.rows)


class Connection:
    """A connection through the file system with what the journal asks of sqlite3, and its errors."""

    def __init__(
        self, system: FileSystem, path: str, settings: tuple[str, ...], *, read_only: bool
    ) -> None:
        self._system, self.process = system, system.process
        self._settings = dict(zip(_SETTINGS, settings, strict=True))
        mode = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE
        self._connection = self._call(
            lambda: apsw.Connection(path, flags=mode | apsw.SQLITE_OPEN_URI, vfs="recorder")
        )
        system.connections.append(self)

    def _call(self, work: Callable[[], Any]) -> Any:
        process = self.process
        if process.dead:
            raise KilledError(process.name)
        try:
            with self._system.run_by(process):
                return work()
        except apsw.Error as error:
            if process.dead:
                raise KilledError(process.name) from None
            kind = (
                sqlite3.DatabaseError
                if isinstance(error, apsw.CorruptError | apsw.NotADBError)
                else None
            )
            raise (kind or sqlite3.OperationalError)(str(error)) from None

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> Rows:
        self._system.between(statement)
        statement = self._settings.get(statement, statement)
        return self._call(lambda: Rows(list(self._connection.execute(statement, values))))

    def serialize(self) -> bytes:
        return self._call(lambda: self._connection.serialize("main"))

    def bound(self, *_: Any) -> None:
        """Nothing: what a stranger's file may do is not at stake here."""

    setlimit = setconfig = set_authorizer = set_progress_handler = bound

    def close(self) -> None:
        if self in self._system.connections:
            self._system.connections.remove(self)
        with self._system.run_by(self.process), suppress(apsw.Error):
            self._connection.close(True)  # noqa: FBT003 - apsw's own


@contextmanager
def through(
    system: FileSystem, folder: Path, mode: str = "DELETE", synchronous: str = "EXTRA"
) -> Iterator[None]:
    """Have journals of a folder written through a file system.

    Other settings may take the place of their two.
    """
    real = database.sqlite3
    settings = (f"PRAGMA journal_mode={mode}", f"PRAGMA synchronous={synchronous}")

    def connect(path: Any, **rest: Any) -> Any:
        text = str(path)
        if str(folder) not in text:
            return sqlite3.connect(path, **rest)
        return Connection(system, text, settings, read_only="mode=ro" in text)

    known = {name: value for name, value in vars(sqlite3).items() if name.startswith("SQLITE_")}
    stand_in = SimpleNamespace(
        connect=connect,
        Error=sqlite3.Error,
        OperationalError=sqlite3.OperationalError,
        Connection=Connection,
        **known,
    )
    database.sqlite3 = journal_module.sqlite3 = stand_in
    try:
        yield
    finally:
        database.sqlite3 = journal_module.sqlite3 = real


# --- the disk after a loss of power ------------------------------------------------------------------
class Disk:
    """What is certain to be on the disk, and what is not yet, call by call."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.safe: dict[int, bytearray] = {}
        self.open: list[tuple[int, Call]] = []
        self.names: dict[str, int] = {}
        self.safe_names: dict[str, int] = {}
        self.renamed: list[tuple[str, int | None]] = []
        self.given = -1
        for name, content in (files or {}).items():
            self.put(name, content)

    def put(self, name: str, content: bytes) -> None:
        """Have a file on the disk for certain."""
        self.safe_names[name] = self.names[name] = number = len(self.safe)
        self.safe[number] = bytearray(content)

    def take(self, call: Call) -> None:
        """The next call."""
        if call.kind == "given":
            self.given = call.at
        elif call.kind == "make":
            self.names[call.file] = number = len(self.safe)
            self.safe[number] = bytearray()
            self.renamed.append((call.file, number))
        elif call.kind == "delete":
            self.renamed.append((call.file, None))
            del self.names[call.file]
            self._sync_folder(call)
        elif call.kind == "sync":
            synced = self.names.get(call.file)
            for number, earlier in self.open:
                if number == synced:
                    apply(self.safe[number], earlier)
            self.open = [(number, earlier) for number, earlier in self.open if number != synced]
            self._sync_folder(call)
        elif call.file in self.names:
            self.open.append((self.names[call.file], call))

    def _sync_folder(self, call: Call) -> None:
        if call.at:
            self.safe_names, self.renamed = dict(self.names), []

    @property
    def certain(self) -> bool:
        """Whether nothing is open: there is one image."""
        return not self.open and not self.renamed

    def image(self, fate: str, dice: random.Random) -> dict[str, bytes]:
        """The files as they may be found."""
        names = dict(self.safe_names)
        for name, number in kept(self.renamed, fate, dice):
            if number is None:
                names.pop(name, None)
            else:
                names[name] = number
        contents = {number: bytearray(self.safe[number]) for number in names.values()}
        # A write that may be torn or left out by itself is decided when it is carried out.
        for number, call in (
            self.open if fate in ("reorder", "torn", "garbage") else kept(self.open, fate, dice)
        ):
            if number in contents:
                apply(contents[number], call, fate, dice)
        return {name: bytes(contents[number]) for name, number in names.items()}


def kept(calls: list[Any], fate: str, dice: random.Random) -> list[Any]:
    """Those of these calls that reached the disk."""
    if fate == "kept":
        return calls
    if fate == "vanish":
        return []
    if fate == "prefix":
        return calls[: dice.randint(0, len(calls))]
    return [call for call in calls if dice.random() < 0.5]


def apply(
    content: bytearray, call: Call, fate: str = "kept", dice: random.Random | None = None
) -> None:
    """Carry out a write or a truncation on the bytes of a file, wholly or as its fate is."""
    if fate == "reorder" and dice is not None and dice.random() < 0.5:
        return
    if call.kind == "truncate":
        if fate in ("kept", "prefix", "reorder") or dice is None or dice.random() < 0.5:
            del content[call.at :]
            content.extend(bytes(call.at - len(content)))
        return
    end = call.at + len(call.data)
    grown = max(0, end - len(content))
    if fate in ("kept", "prefix", "reorder") or dice is None:
        content.extend(bytes(grown))
        content[call.at : end] = call.data
        return
    if grown and dice.random() < 0.5:  # the new length is there, what should stand in it is not
        content.extend(dice.randbytes(grown) if fate == "garbage" else bytes(grown))
    first = call.at
    while first < end:
        last = min(end, (first // SECTOR + 1) * SECTOR)
        if dice.random() < 0.5:
            content.extend(bytes(max(0, last - len(content))))
            content[first:last] = call.data[first - call.at : last - call.at]
        first = last
