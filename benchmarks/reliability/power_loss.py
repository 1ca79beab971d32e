"""Power lost after every I/O call of a game, simulated: nothing corrupt, no acknowledged input lost.

Run: ``python benchmarks/reliability/power_loss.py [images]``. A game is journalled through an SQLite file system that
writes down every call (apsw). From that list the disk is built as it may look when the power fails after each call:
writes that were not synced are there, gone, there up to some call, there in any order, torn at sectors, or garbage
where a file grew; a file made or deleted is so for certain only once its folder was synced. Each image is opened by
the journal with Python's own sqlite3, must hold every acknowledged input as it was given, and must take one more.
After each call the journal's file is also copied, alone, as a program that copies files would: the copy must hold every
acknowledged input, or be refused.

The journal's own code and statements are run; other settings are put in place of its two pragmas on their way.
Those known to be weak are run too and must fail, or the simulator proves nothing. Status 1 when the journal fails,
or when they do not.
"""

from __future__ import annotations

import random
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
import attrs
from tables import catalogue, folder, give, heads, random_move, told, wanted

from fireplan.table import Head, Journal, JournalError, Row, Session, begin, reopen
from fireplan.table import _database as database
from fireplan.table import _journal as journal_module
from fireplan_core.play import Catalogue

IMAGES = wanted(10_000)
INPUTS = 60
"""Inputs of one game."""
RESUMED = 25
"""The journal is closed and opened again after so many."""
LONG = 1_030
"""Inputs of the long journal."""
SECTOR = 512
OF_ONE_GAME = 1_000
"""When fewer images are wanted than this, they are drawn from all of a game."""
DRAWS = 3
"""Images of each random fate after one call."""
FATES = ("vanish", "kept", *(("prefix", "reorder", "torn", "garbage") * DRAWS))
SETTINGS = {  # journal mode, synchronous; whether it must hold (True), must fail (False) or is told only (None)
    ("DELETE", "EXTRA"): True,
    ("DELETE", "FULL"): False,
    ("DELETE", "NORMAL"): None,
    ("DELETE", "OFF"): False,
    ("MEMORY", "EXTRA"): False,
}
_SYNCS_FOLDER = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL


@attrs.frozen
class Call:
    """One I/O call: ``make``, ``write``, ``truncate``, ``sync`` or ``delete``; or ``given``, after an acknowledgement.

    ``at`` is the place of a write, the length of a truncation, the number of inputs acknowledged; of a sync or a
    deletion 1 when the folder is synced with it.
    """

    kind: str
    file: str = ""
    at: int = 0
    data: bytes = b""


# --- writing down what SQLite does -----------------------------------------------------------------
class RecordedFile(apsw.VFSFile):
    """A real file whose calls are written down."""

    def __init__(self, calls: list[Call], name: str, path: Any, flags: list[int]) -> None:
        self.calls, self.name = calls, name
        # The journal makes its own file empty, so that nobody else can; SQLite finds it there.
        made = not Path(name).exists() or not any(call.file == name for call in calls)
        super().__init__("", path, flags)
        # SQLite on Unix syncs the folder with the first sync of a journal or log that it has made.
        self.folder_due = made and bool(flags[0] & _SYNCS_FOLDER)
        if made:
            calls.append(Call("make", name))

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - names of SQLite
        super().xWrite(data, offset)
        self.calls.append(Call("write", self.name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self.calls.append(Call("truncate", self.name, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self.calls.append(Call("sync", self.name, int(self.folder_due)))
        self.folder_due = False


class Recorder(apsw.VFS):
    """The file system that writes down its calls."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        super().__init__("recorder", "")

    def xOpen(self, name: Any, flags: list[int]) -> Any:  # noqa: N802
        plain = name.filename() if isinstance(name, apsw.URIFilename) else name
        return RecordedFile(self.calls, plain, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802, FBT001
        super().xDelete(filename, syncdir)
        self.calls.append(Call("delete", filename, int(syncdir)))


class Connection:
    """A connection through the recorder with what the journal asks of sqlite3, other settings put in place."""

    def __init__(self, path: Any, mode: str, synchronous: str, *, uri: bool = True, isolation_level: None) -> None:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
        self._connection = apsw.Connection(str(path), flags=flags, vfs="recorder")
        self._settings = {"PRAGMA journal_mode=DELETE": f"journal_mode={mode}",
                          "PRAGMA synchronous=EXTRA": f"synchronous={synchronous}"}  # fmt: skip
        assert uri
        assert isolation_level is None

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> Any:
        if statement in self._settings:
            statement = f"PRAGMA {self._settings[statement]}"
        return self._connection.execute(statement, values)

    def bound(self, *_: Any) -> None:
        """Nothing: what a stranger's file may do is not at stake here."""

    setlimit = set_authorizer = set_progress_handler = bound

    def close(self) -> None:
        self._connection.close()


def recorded(recorder: Recorder, mode: str, synchronous: str) -> Any:
    """What stands in for the module sqlite3 while the journal writes."""

    def connect(path: Any, **rest: Any) -> Connection:
        return Connection(path, mode, synchronous, **rest)

    known = {name: value for name, value in vars(sqlite3).items() if name.startswith("SQLITE_")}
    return SimpleNamespace(connect=connect, Error=apsw.Error, OperationalError=apsw.Error, **known)


@attrs.frozen
class Recording:
    """The calls of one game, and the rows it gave, salts and all."""

    calls: list[Call]
    rows: list[Row]
    watched: range


def game(installed: Catalogue, head: Head, seed: int, path: Path, calls: list[Call]) -> Recording:
    """A random game of a scenario, closed and resumed now and then."""
    dice = random.Random(seed)
    session: Session = begin(path, installed, head)
    calls.append(Call("given", at=0))
    for number in range(INPUTS):
        if session.table.waits_for is None:
            break
        if number % RESUMED == RESUMED - 1:
            session.journal.close()
            session = reopen(path, installed)[0]
        give(session, random_move(session, dice))
        calls.append(Call("given", at=len(session.rows)))
    session.journal.close()
    return Recording(list(calls), list(session.rows), range(len(calls)))


def long_game(path: Path, calls: list[Call]) -> Recording:
    """A journal of so many inputs that its file has many pages; watched at its end."""
    journal = Journal.create(path, {"long": True})
    calls.append(Call("given", at=0))
    for number in range(LONG):
        journal.append(Row("die", {"throw": "a", "face": number, "typed": True}))
        calls.append(Call("given", at=number + 1))
    watched = range(len(calls))
    moved = [n for n, call in enumerate(calls) if call.kind == "write" and call.file == str(path)]
    if moved:
        watched = range(max(0, moved[-1] - 60), min(len(calls), moved[-1] + 60))
    journal.close()
    return Recording(calls[: watched.stop], list(journal.rows), watched)


# --- the disk after a loss of power ------------------------------------------------------------------
class Disk:
    """What is certain to be on the disk, and what is not yet, call by call."""

    def __init__(self) -> None:
        self.safe: dict[int, bytearray] = {}
        self.open: list[tuple[int, Call]] = []
        self.names: dict[str, int] = {}
        self.safe_names: dict[str, int] = {}
        self.renamed: list[tuple[str, int | None]] = []
        self.given = -1

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
            synced = self.names[call.file]
            for number, earlier in self.open:
                if number == synced:
                    apply(self.safe[number], earlier)
            self.open = [(number, earlier) for number, earlier in self.open if number != synced]
            self._sync_folder(call)
        else:
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
        for number, call in self.open if fate in ("reorder", "torn", "garbage") else kept(self.open, fate, dice):
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


def apply(content: bytearray, call: Call, fate: str = "kept", dice: random.Random | None = None) -> None:
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


def images(recording: Recording, share: float, dice: random.Random) -> Iterator[tuple[int, dict[str, bytes]]]:
    """Images after every call that is watched, all or a share, with the inputs acknowledged (-1: not begun)."""
    disk = Disk()
    for number, call in enumerate(recording.calls):
        disk.take(call)
        if call.kind != "given" and number in recording.watched:
            for fate in ("kept",) if disk.certain else FATES:
                if dice.random() < share:
                    yield disk.given, disk.image(fate, dice)


def judged(image: dict[str, bytes], given: int, recording: Recording, here: Path) -> str:
    """``""`` for a sound image, else ``corrupt`` or ``lost``."""
    for file in here.iterdir():
        file.unlink()
    for name, content in image.items():
        (here / Path(name).name).write_bytes(content)
    path = here / "table.fireplan"
    try:
        journal = Journal.open(path)
    except JournalError as error:
        begun = given >= 0
        return ("lost" if "no such" in str(error) or "never begun" in str(error) else "corrupt") if begun else ""
    try:
        rows = list(journal.rows)
        if rows != recording.rows[: len(rows)]:
            return "corrupt"
        if len(rows) < given:
            return "lost"
        journal.append(Row("die", {"throw": "more", "face": 1, "typed": True}))
    except JournalError:
        return "corrupt"
    finally:
        journal.close()
    try:
        again = Journal.open(path, read_only=True)
    except JournalError:
        return "corrupt"
    again.close()
    return "" if [told(row) for row in again.rows[:-1]] == [told(row) for row in rows] else "corrupt"


def copied(recording: Recording, file: str) -> Iterator[tuple[int, bytes]]:
    """The journal's own file as whoever copies it finds it after every call that changes it, and what was given."""
    content, given = bytearray(), -1
    for call in recording.calls:
        if call.kind == "given":
            given = call.at
        elif Path(call.file).name == file and call.kind in ("write", "truncate"):
            apply(content, call)
            yield given, bytes(content)


def believed(content: bytes, given: int, recording: Recording, here: Path) -> bool:
    """Whether a copy is taken for a whole game although inputs are missing in it, or others stand in it."""
    path = here / "copy.fireplan"
    path.write_bytes(content)
    try:
        journal = Journal.open(path, read_only=True)
    except JournalError:
        return False
    journal.close()
    rows = journal.rows
    return rows != recording.rows[: len(rows)] or len(rows) < given


def recordings(installed: Catalogue, mode: str, synchronous: str, recorder: Recorder) -> Iterator[Recording]:
    """Games of the shipped scenarios in turn, the long one after the first; without end."""
    all_heads = list(heads(installed).values())
    real = database.sqlite3
    number = 0
    while True:
        recorder.calls.clear()
        with folder() as here:
            database.sqlite3 = journal_module.sqlite3 = recorded(recorder, mode, synchronous)
            path = here / "table.fireplan"
            try:
                if number == 1:
                    made = long_game(path, recorder.calls)
                else:
                    made = game(installed, all_heads[number % len(all_heads)], number, path, recorder.calls)
            finally:
                database.sqlite3 = journal_module.sqlite3 = real
        yield made
        number += 1


def run(installed: Catalogue, mode: str, synchronous: str, wanted_images: int, recorder: Recorder) -> Counter[str]:
    """So many images of one setting, judged."""
    found, dice = Counter[str](), random.Random(1)
    with folder() as here:
        for recording in recordings(installed, mode, synchronous, recorder):
            found["games"] += 1
            for given, image in images(recording, wanted_images / OF_ONE_GAME, dice):
                found[judged(image, given, recording, here)] += 1
                found["images"] += 1
            for file in here.iterdir():
                file.unlink()
            for given, content in copied(recording, "table.fireplan"):
                found["copies"] += 1
                found["believed"] += believed(content, given, recording, here)
            if found["images"] >= wanted_images:
                return found
    return found


def main() -> int:
    """All settings, the journal's own with all images, the others with a fifth; print the table."""
    installed, recorder = catalogue(), Recorder()
    good = True
    print(
        f"{'journal / synchronous':24s} {'games':>6s} {'images':>8s} {'corrupt or unreadable':>22s} {'lost':>6s}"
        f" {'copies':>8s} {'believed':>9s}"
    )
    for (mode, synchronous), must_hold in SETTINGS.items():
        found = run(installed, mode, synchronous, IMAGES if must_hold else IMAGES // 5, recorder)
        broken = found["corrupt"] + found["lost"] + (found["believed"] if must_hold else 0)
        good = good and (must_hold is None or must_hold == (not broken))
        kind = {True: "the journal", False: "must fail", None: "told only"}[must_hold]
        row = f"{mode + ' / ' + synchronous:24s} {found['games']:6d} {found['images']:8d} {found['corrupt']:22d}"
        print(f"{row} {found['lost']:6d} {found['copies']:8d} {found['believed']:9d}  {kind}", flush=True)
    print("as claimed" if good else "NOT as claimed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
