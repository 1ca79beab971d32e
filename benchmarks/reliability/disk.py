"""A disk that is written down call by call, that fails when it is told to, and that may lose what was not synced.

Journals reach the disk through calls of ``os`` alone, which are caught here and made on real files
in memory. Every call is noted; from the notes the disk is built as it may be found when the power
fails: writes that were not synced are there, gone, there up to some call, there in any order, torn
at sectors, or garbage where a file grew; a file made or deleted is so for certain only once its
folder was synced. A process that is killed makes no further call, and what it wrote stays.
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
"""Which syncs the disk is kept before, and how often between two judgements."""
FATES = ("vanish", "kept", *(("prefix", "reorder", "torn", "garbage") * 3))
"""What may become of calls that were not synced; the random fates several times."""
END = b'"}\n'
WEAK = ("text", "end", "folder")
"""The syncs that a journal makes, each of which may be left out to see that it matters."""
TRIES = 3
"""How often a lock is tried for: whoever holds it goes on only when this process is done."""


class KilledError(BaseException):
    """The end of a process: nothing of its own code may catch it."""


@attrs.frozen
class Call:
    """One I/O call: ``make``, ``write``, ``truncate``, ``sync``, ``delete`` or ``folder`` (its sync).

    Or ``given``, after an acknowledgement.

    ``at`` is the place of a write, the length of a truncation, the number of inputs acknowledged.
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


class FileSystem:
    """The file system: who makes calls now, whom they are told to, and what fails."""

    def __init__(self, weak: tuple[str, ...] = ()) -> None:
        self.process = Process()
        self.heard: Callable[[Call], None] = lambda _call: None
        self.between: Callable[[str], None] = lambda _what: None
        """Called before each call, with "lock" where somebody is about to write: others may act there."""
        self.weak = weak
        self.lies = self.full = self.broken = self.half = False
        self.short = False
        """Whether the next write takes only half of its bytes, as any write may."""
        self.owners: dict[int, tuple[str, Process]] = {}
        """Open files by their number: the name, and whose they are."""
        self.streams: list[tuple[Process, Any]] = []
        self.ended = False
        self.countdown = 0
        """The process dies at this call from now on; 0: it does not."""
        self.at_syncs = False
        """Whether only syncs count as calls: what was written last is then not certain."""
        self.disturbed = False
        """Whether a call failed or was never made: what was written before it may wait for its sync."""
        self.dies: Callable[[], None] = lambda: None

    def before(self, process: Process, kind: str) -> None:
        """Fail where this call is to fail."""
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
        """Note a call that was made."""
        self.heard(call)

    def let_go(self, process: Process) -> None:
        """Close what a dead process had open, as the system does; its locks go with that."""
        for owner, stream in [*self.streams]:
            if owner is process:
                stream.close()
        self.streams = [one for one in self.streams if not one[1].closed]

    @contextmanager
    def run_by(self, process: Process) -> Iterator[None]:
        """Let a process make the calls."""
        before, self.process = self.process, process
        try:
            yield
        finally:
            self.process = before


class Calls:
    """``os`` as ``chained_file`` sees it: calls on the journals of a folder are caught."""

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
        # A number is given again to the next file that is opened, and that may be none of ours.
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
    """Have journals of a folder written through a file system."""

    def lock(descriptor: int, flags: Any) -> None:
        owner = calls.owner(descriptor)
        if owner is not None:
            system.between("lock" if flags & portalocker.LOCK_EX else "look")
            if owner[1].dead:
                raise KilledError(owner[1].name)
        portalocker.lock(descriptor, flags)

    calls = Calls(system, folder)
    locks = SimpleNamespace(**{**vars(portalocker), "lock": lock})
    with (
        patch.object(chained_file, "os", calls),
        patch.object(chained_file, "portalocker", locks),
        patch.object(chained_file, "time", SimpleNamespace(sleep=lambda _seconds: None)),
        patch.object(chained_file, "_TRIES", TRIES),
    ):
        yield


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
        self.syncs = 0
        self.doubtful: list[Disk] = []
        """The disk just before some of the syncs: the power could have failed there."""
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
        """Keep the disk as it is, if it is its turn."""
        self.syncs += 1
        if self.syncs % EVERY == 0 and len(self.doubtful) < MOST_DOUBTFUL:
            kept = Disk()
            kept.safe = {number: bytearray(content) for number, content in self.safe.items()}
            kept.open, kept.renamed = [*self.open], [*self.renamed]
            kept.names, kept.safe_names = dict(self.names), dict(self.safe_names)
            self.doubtful.append(kept)

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
