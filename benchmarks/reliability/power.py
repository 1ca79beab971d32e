"""Simulate a loss of power after every I/O call: nothing corrupt, no acknowledged input lost.

Run ``python benchmarks/reliability/power.py [IMAGES]``. A game is journalled through the file
system of ``disk.py``, and after each call the disk is rebuilt as it may be found when the power
fails. The journal must open each image, find every acknowledged input as it was given, and accept
one more. After each call the journal's file is also copied, as a backup program would do; the copy
must hold every acknowledged input.

The journal's own code is examined first, then versions without one kind of its syncs: of a line's
text, of its end, or of the folder. Each of these must fail, or the simulator proves nothing. Ends
with status 1 if the journal fails, or if one of these does not.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import attrs
from disk import FATES, WEAK, Call, Disk, FileSystem, apply, through
from tables import catalogue, folder, give, heads, random_move, wanted, without_salts

from fireplan.errors import JournalError
from fireplan.table import Head, Journal, JournalRow, Session, begin, reopen
from fireplan_core.play import Catalogue

IMAGES = wanted(10_000)
INPUTS = 60
"""Number of inputs in one game."""
RESUMED = 25
"""Number of inputs after which the journal is closed and reopened."""
LONG = 1_030
"""Number of inputs in the long journal."""
OF_ONE_GAME = 1_000
"""If fewer images than this are wanted, they are drawn from the whole of one game."""
FORMS: dict[str, tuple[str, ...]] = {
    "as it is written": (),
    "text not synced": ("text",),
    "end not synced": ("end",),
    "folder not synced": ("folder",),
    "nothing synced": WEAK,
}
"""The kinds of syncs left out, by name in the printed table; none for the journal as it is."""


@attrs.frozen
class Recording:
    """The I/O calls of one game, and its rows, including salts."""

    calls: list[Call]
    rows: list[JournalRow]
    watched: range


def game(installed: Catalogue, head: Head, seed: int, path: Path, calls: list[Call]) -> Recording:
    """Play a random game of a scenario, closing and resuming it now and then; return its recording."""
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
    """Return a recording of a journal with many inputs, of which only the end is examined."""
    journal = Journal.create(path, {"long": True})
    calls.append(Call("given", at=0))
    for number in range(LONG):
        journal.append(JournalRow("die", {"throw": "a", "face": number, "typed": True}))
        calls.append(Call("given", at=number + 1))
    watched = range(len(calls))
    moved = [n for n, call in enumerate(calls) if call.kind == "write" and call.file == str(path)]
    if moved:
        watched = range(max(0, moved[-1] - 60), min(len(calls), moved[-1] + 60))
    journal.close()
    return Recording(calls[: watched.stop], list(journal.rows), watched)


def images(
    recording: Recording, share: float, dice: random.Random
) -> Iterator[tuple[int, dict[str, bytes]]]:
    """Yield images after the calls examined, all or a share, with the inputs acknowledged (-1: not begun)."""
    disk = Disk()
    for number, call in enumerate(recording.calls):
        disk.take(call)
        if call.kind != "given" and number in recording.watched:
            for fate in ("kept",) if disk.certain else FATES:
                if dice.random() < share:
                    yield disk.given, disk.image(fate, dice)


def judged(image: dict[str, bytes], given: int, recording: Recording, here: Path) -> str:
    """Return "" for a sound image, else ``corrupt`` or ``lost``."""
    for file in here.iterdir():
        file.unlink()
    for name, content in image.items():
        (here / Path(name).name).write_bytes(content)
    path = here / "table.fireplan"
    try:
        journal = Journal.open(path)
    except JournalError as error:
        begun = given >= 0
        return (
            ("lost" if "no such" in str(error) or "contains no game" in str(error) else "corrupt")
            if begun
            else ""
        )
    try:
        rows = list(journal.rows)
        if rows != recording.rows[: len(rows)]:
            return "corrupt"
        if len(rows) < given:
            return "lost"
        journal.append(JournalRow("die", {"throw": "more", "face": 1, "typed": True}))
    except JournalError:
        return "corrupt"
    finally:
        journal.close()
    try:
        again = Journal.open(path, read_only=True)
    except JournalError:
        return "corrupt"
    again.close()
    return (
        ""
        if [without_salts(row) for row in again.rows[:-1]] == [without_salts(row) for row in rows]
        else "corrupt"
    )


def copied(recording: Recording, file: str) -> Iterator[tuple[int, bytes]]:
    """Yield the journal's file after every call that changes it, with the number of inputs acknowledged."""
    content, given = bytearray(), -1
    for call in recording.calls:
        if call.kind == "given":
            given = call.at
        elif Path(call.file).name == file and call.kind in ("write", "truncate"):
            apply(content, call)
            yield given, bytes(content)


def believed(content: bytes, given: int, recording: Recording, here: Path) -> bool:
    """Return whether a copy is accepted as a whole game although its inputs are incomplete or changed."""
    path = here / "copy.fireplan"
    path.write_bytes(content)
    try:
        journal = Journal.open(path, read_only=True)
    except JournalError:
        return False
    journal.close()
    rows = journal.rows
    return rows != recording.rows[: len(rows)] or len(rows) < given


def recordings(installed: Catalogue, weak: tuple[str, ...]) -> Iterator[Recording]:
    """Yield games of the shipped scenarios in turn, without end; the long game is second."""
    all_heads = list(heads(installed).values())
    number = 0
    while True:
        system, calls = FileSystem(weak), list[Call]()
        system.heard = calls.append
        with folder() as here, through(system, here):
            path = here / "table.fireplan"
            if number == 1:
                made = long_game(path, calls)
            else:
                made = game(installed, all_heads[number % len(all_heads)], number, path, calls)
        yield made
        number += 1


def run(installed: Catalogue, weak: tuple[str, ...], wanted_images: int) -> Counter[str]:
    """Judge images of one kind of journal, game by game, until there are enough; return the counts."""
    found, dice = Counter[str](), random.Random(1)
    with folder() as here:
        for recording in recordings(installed, weak):
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
    """Examine every kind of journal, the real one with all images; print the table and return the status."""
    installed = catalogue()
    good = True
    print(
        f"{'the journal':24s} {'games':>6s} {'images':>8s} {'corrupt or unreadable':>22s} {'lost':>6s}"
        f" {'copies':>8s} {'believed':>9s}"
    )
    for name, weak in FORMS.items():
        found = run(installed, weak, IMAGES // 5 if weak else IMAGES)
        broken = found["corrupt"] + found["lost"] + (0 if weak else found["believed"])
        good = good and bool(weak) == bool(broken)
        row = f"{name:24s} {found['games']:6d} {found['images']:8d} {found['corrupt']:22d}"
        print(
            f"{row} {found['lost']:6d} {found['copies']:8d} {found['believed']:9d}"
            f"{'  must fail' if weak else ''}",
            flush=True,
        )
    print("as claimed" if good else "NOT as claimed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
