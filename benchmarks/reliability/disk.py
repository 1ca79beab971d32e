"""A simulated disk that records calls, fails on demand, and may lose what was not synced.

Journals are written only through functions of ``os``, which are intercepted here and carried out on
real files in memory. Every call is recorded. From the record, the disk is rebuilt as it may be
found after a power failure: writes that were not synced may be present, missing, present up to some
call, present in any order, torn at sectors, or garbage where a file grew. A file's creation or
deletion is certain only once its folder was synced. A process that is killed makes no further
calls, and its earlier writes remain.
"""

from __future__ import annotations

import errno
import os
import random
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import attrs
import portalocker

from fireplan import chained_file

SECTOR = 512
EVERY, MOST_DOUBTFUL = 3, 8
"""The disk is copied before every EVERY-th sync, at most MOST_DOUBTFUL times between judgements."""
FATES = ("vanish", "kept", *(("prefix", "reorder", "torn", "garbage") * 3))
"""Possible fates of calls that were not synced; random ones are listed several times."""
END = b'"}\n'
WEAK = ("text", "end", "folder")
"""The syncs that a journal makes; each may be left out to show that it matters."""
TRIES = 3
"""Number of attempts to take a lock; its holder continues only when this process has finished."""


class KilledError(BaseException):
    """The end of a killed process; a BaseException, so that the process's own code does not catch
    it.
    """


@attrs.frozen
class Call:
    """One I/O call: ``make``, ``write``, ``truncate``, ``sync``, ``delete`` or ``folder`` (its sync).

    ``given`` stands for an acknowledgement.

    ``at`` is the offset of a write, the length after a truncation, or the number of inputs
    acknowledged.
    """

    kind: str
    file: str = ""
    at: int = 0
    data: bytes = b""


@attrs.define(eq=False)
class Process:
    """A process that makes calls, until it is dead."""

    name: str = ""
    dead: bool = False


class FileSystem:
    """The file system: the process that is calling, who is notified of each call, and what fails."""

    def __init__(self, weak: tuple[str, ...] = ()) -> None:
        self.process = Process()
        self.heard: Callable[[Call], None] = lambda _call: None
        self.between: Callable[[str], None] = lambda _what: None
        """Called before each call, with "lock" if somebody is about to write, so that others may act."""
        self.weak = weak
        self.lies = self.full = self.broken = self.half = False
        self.short = False
        """True if the next write will write only half of its bytes."""
        self.owners: dict[int, tuple[str, Process]] = {}
        """Maps the descriptors of open files to their name and process."""
        self.streams: list[tuple[Process, Any]] = []
        self.ended = False
        self.countdown = 0
        """The number of calls until the process dies, counting that call; 0 if it does not."""
        self.at_syncs = False
        """True if only syncs count as calls, so that the last writes are uncertain at its death."""
        self.disturbed = False
        """True if a call failed or was never made, so that earlier writes may lack their sync."""
        self.dies: Callable[[], None] = lambda: None

    def before(self, process: Process, kind: str) -> None:
        """Raise ``KilledError`` or ``OSError`` if the simulation makes this call fail."""
        if process.dead:
            raise KilledError(process.name)
        if self.countdown and (kind == "sync" or not self.at_syncs):
            self.countdown -= 1
            if not self.countdown:
                process.dead = self.disturbed = True
                self.dies()
                raise KilledError(process.name)
        if self.broken and kind == "sync":
            self.disturbed = True
            raise OSError(errno.EIO, "Input/output error")

    def note(self, call: Call) -> None:
        """Notify the listener of a call that was made."""
        self.heard(call)

    def let_go(self, process: Process) -> None:
        """Close a dead process's files, as an operating system does, which also releases its locks."""
        for owner, stream in [*self.streams]:
            if owner is process:
                stream.close()
        self.streams = [one for one in self.streams if not one[1].closed]

    @contextmanager
    def run_by(self, process: Process) -> Iterator[None]:
        """Make the calls inside the block on behalf of a process."""
        before, self.process = self.process, process
        try:
            yield
        finally:
            self.process = before


class Calls:
    """``os`` as ``chained_file`` sees it, intercepting the calls on journals in a folder."""

    def __init__(self, system: FileSystem, folder: Path) -> None:
        self.system, self.folder = system, str(folder)

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def open(self, path: Any, flags: int, mode: int = 0o777) -> int:
        name = str(Path(path).absolute())
        if not name.startswith(self.folder):
            return os.open(path, flags, mode)
        process = self.system.process
        self.system.before(process, "open")
        made = flags & os.O_CREAT and not os.path.lexists(name)
        descriptor = os.open(path, flags, mode)
        self.system.owners[descriptor] = (name, process)
        if made:
            self.system.note(Call("make", name))
        return descriptor

    def fdopen(self, descriptor: int, *given: Any, **rest: Any) -> Any:
        stream = os.fdopen(descriptor, *given, **rest)
        if descriptor in self.system.owners and rest.get("closefd", True):
            self.system.streams = [one for one in self.system.streams if not one[1].closed]
            self.system.streams.append((self.system.owners[descriptor][1], stream))
        return stream

    def owner(self, descriptor: int) -> tuple[str, Process] | None:
        found = self.system.owners.get(descriptor)
        # The descriptor may have been reused for a file that is not a journal.
        name = str(Path(f"/proc/self/fd/{descriptor}").readlink()) if found else ""
        return found if found and found[0] == name.removesuffix(" (deleted)") else None

    def write(self, descriptor: int, data: bytes) -> int:
        owner, system = self.owner(descriptor), self.system
        if owner is None:
            return os.write(descriptor, data)
        system.between("write")
        system.before(owner[1], "write")
        if system.full:
            system.disturbed = True
            system.half = not system.half and len(data) > 1
            if not system.half:
                raise OSError(errno.ENOSPC, "No space left on device")
            data = data[: len(data) // 2]
        elif system.short and len(data) > 1:
            system.short, data = False, data[: len(data) // 2]
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        size = os.write(descriptor, data)
        system.ended = data == END
        system.note(Call("write", owner[0], place, bytes(data[:size])))
        return size

    def ftruncate(self, descriptor: int, length: int) -> None:
        owner = self.owner(descriptor)
        if owner is not None:
            self.system.before(owner[1], "truncate")
        os.ftruncate(descriptor, length)
        if owner is not None:
            self.system.note(Call("truncate", owner[0], length))

    def fsync(self, descriptor: int) -> None:
        owner, system = self.owner(descriptor), self.system
        if owner is None:
            return
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "sync"
        system.before(owner[1], "sync")
        which = "folder" if kind == "folder" else "end" if system.ended else "text"
        system.disturbed |= system.lies
        if not system.lies and which not in system.weak:
            system.note(Call(kind, owner[0]))

    def fstat(self, descriptor: int) -> os.stat_result:
        owner = self.owner(descriptor)
        if owner is not None:
            self.system.between("look")
            if owner[1].dead:
                raise KilledError(owner[1].name)
        return os.fstat(descriptor)

    def unlink(self, path: Any) -> None:
        name = str(Path(path).absolute())
        if name.startswith(self.folder):
            self.system.before(self.system.process, "delete")
            self.system.note(Call("delete", name))
        Path(path).unlink()


@contextmanager
def through(system: FileSystem, folder: Path) -> Iterator[None]:
    """Route a folder's journals through a file system inside the block."""

    lock_file = portalocker.lock

    def lock(descriptor: int, flags: Any) -> None:
        owner = calls.owner(descriptor)
        if owner is not None:
            system.between("lock" if flags & portalocker.LOCK_EX else "look")
            if owner[1].dead:
                raise KilledError(owner[1].name)
        lock_file(descriptor, flags)

    calls = Calls(system, folder)
    with (
        patch.object(chained_file, "os", calls),
        patch.object(portalocker, "lock", lock),
        patch.object(chained_file, "time", SimpleNamespace(sleep=lambda _seconds: None)),
        patch.object(chained_file, "_TRIES", TRIES),
    ):
        yield


# --- the disk after a loss of power ------------------------------------------------------------------
class Disk:
    """A simulated disk: the content that is safely stored, and the calls still pending."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.safe: dict[int, bytearray] = {}
        self.open: list[tuple[int, Call]] = []
        self.names: dict[str, int] = {}
        self.safe_names: dict[str, int] = {}
        self.renamed: list[tuple[str, int | None]] = []
        self.given = -1
        self.syncs = 0
        self.doubtful: list[Disk] = []
        """Copies of the disk just before some syncs, where the power could have failed."""
        for name, content in (files or {}).items():
            self.put(name, content)

    def put(self, name: str, content: bytes) -> None:
        """Put a file on the disk, as if it had been synced."""
        self.safe_names[name] = self.names[name] = number = len(self.safe)
        self.safe[number] = bytearray(content)

    def take(self, call: Call) -> None:
        """Apply the next call."""
        if call.kind == "given":
            self.given = call.at
        elif call.kind == "make":
            self.names[call.file] = number = len(self.safe)
            self.safe[number] = bytearray()
            self.renamed.append((call.file, number))
        elif call.kind == "delete":
            self.renamed.append((call.file, None))
            del self.names[call.file]
        elif call.kind == "folder":
            self.safe_names, self.renamed = dict(self.names), []
        elif call.kind == "sync":
            self.doubt()
            synced = self.names.get(call.file)
            for number, earlier in self.open:
                if number == synced:
                    apply(self.safe[number], earlier)
            self.open = [(number, earlier) for number, earlier in self.open if number != synced]
        elif call.file in self.names:
            self.open.append((self.names[call.file], call))

    def doubt(self) -> None:
        """Keep a copy of the disk at every few syncs, up to a maximum number."""
        self.syncs += 1
        if self.syncs % EVERY == 0 and len(self.doubtful) < MOST_DOUBTFUL:
            kept = Disk()
            kept.safe = {number: bytearray(content) for number, content in self.safe.items()}
            kept.open, kept.renamed = [*self.open], [*self.renamed]
            kept.names, kept.safe_names = dict(self.names), dict(self.safe_names)
            self.doubtful.append(kept)

    @property
    def certain(self) -> bool:
        """True if nothing is pending, so that only one image is possible."""
        return not self.open and not self.renamed

    def image(self, fate: str, dice: random.Random) -> dict[str, bytes]:
        """Return the files as they may be found after a power failure of this kind."""
        names = dict(self.safe_names)
        for name, number in kept(self.renamed, fate, dice):
            if number is None:
                names.pop(name, None)
            else:
                names[name] = number
        contents = {number: bytearray(self.safe[number]) for number in names.values()}
        # Whether a single write is torn or missing is decided when it is applied.
        for number, call in (
            self.open if fate in ("reorder", "torn", "garbage") else kept(self.open, fate, dice)
        ):
            if number in contents:
                apply(contents[number], call, fate, dice)
        return {name: bytes(contents[number]) for name, number in names.items()}


def kept(calls: list[Any], fate: str, dice: random.Random) -> list[Any]:
    """Return the calls that reached the disk."""
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
    """Apply a write or truncation to a file's bytes, wholly or in part, depending on the ``fate``."""
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
    if grown and dice.random() < 0.5:  # the file has its new length, but not its new content
        content.extend(dice.randbytes(grown) if fate == "garbage" else bytes(grown))
    first = call.at
    while first < end:
        last = min(end, (first // SECTOR + 1) * SECTOR)
        if dice.random() < 0.5:
            content.extend(bytes(max(0, last - len(content))))
            content[first:last] = call.data[first - call.at : last - call.at]
        first = last
