"""Let several processes write to one journal: no input may be lost, doubled or reordered.

Run ``python benchmarks/reliability/two_writers.py [INPUTS]``. Processes have the same journal open
and write to it as fast as they can, each input with its own number. A process that is refused
because another has written opens the journal again and continues, as players do with ``resume``;
some are killed on the way and restarted. Each lists the inputs acknowledged to it. In the end the
journal must hold every acknowledged input once, in its writer's order, and at most one more for
each kill, the one in progress. Ends with status 1 if it does not.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections import Counter
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tables import folder, wanted

from fireplan.errors import JournalError
from fireplan.table import Journal, JournalRow

INPUTS = wanted(100_000)
WRITERS = 3
PAUSES = 0.05
"""Chance that a writer lets another write first."""
KILLED = 0.05
"""Seconds between two kills, on average."""
OTHER = "somebody else has written"
LOCKED = "in use by another program"
"""The message of a writer that has waited long for its turn, which can happen on a slow machine."""


def opened(path: Path) -> Journal:
    """Return the journal as soon as it can be opened."""
    while True:
        try:
            return Journal.open(path)
        except JournalError as error:
            if LOCKED not in str(error):
                raise


def write(path: Path, acknowledged: Path, writer: int, begin: int, until: int) -> None:
    """Run as a writer: add numbered inputs until the journal holds this many."""
    number, dice = begin, random.Random(begin)
    journal = opened(path)
    with acknowledged.open("a", buffering=1) as log:
        while len(journal.rows) < until:
            try:
                journal.append(
                    JournalRow("die", {"throw": f"writer {writer}", "face": number, "typed": True})
                )
            except JournalError as error:
                if not (OTHER in str(error) or LOCKED in str(error)):
                    raise
                log.write("refused\n")
                journal.close()
                journal = opened(path)
                continue
            log.write(f"{number}\n")
            number += 1
            if dice.random() < PAUSES:
                time.sleep(0.0005)
    journal.close()


def numbers(file: Path) -> tuple[list[int], int]:
    """Return the inputs acknowledged to a writer, and the number of refusals."""
    lines = file.read_text().split("\n")[:-1] if file.exists() else []
    return [int(line) for line in lines if line != "refused"], lines.count("refused")


def sitting(here: Path, inputs: int, dice: random.Random, found: Counter[str]) -> None:
    """Run one journal with all its writers until it holds this many inputs."""
    context = get_context("fork")
    path = here / "table.fireplan"
    Journal.create(path, {}).close()
    logs = [here / f"writer{n}.txt" for n in range(WRITERS)]
    begun = [0] * WRITERS

    def start(writer: int) -> Any:
        done, _ = numbers(logs[writer])
        # A number that the writer may have written before it was killed is not used again.
        begun[writer] = max([begun[writer], *(number + 2 for number in done[-1:])])
        process = context.Process(
            target=write, args=(path, logs[writer], writer, begun[writer], inputs)
        )
        process.start()
        return process

    def said() -> int:
        return sum(log.stat().st_size for log in logs if log.exists())

    writers = [start(n) for n in range(WRITERS)]
    heard = 0
    while any(process.is_alive() for process in writers):
        time.sleep(dice.uniform(0, 2 * KILLED))
        n = dice.randrange(WRITERS)
        # Kill only after progress: otherwise the run would never end on a slow machine.
        if writers[n].is_alive() and said() > heard:
            heard = said()
            os.kill(writers[n].pid, signal.SIGKILL)
            writers[n].join()
            found["kills"] += 1
            begun[n] += 1
            writers[n] = start(n)
    found["failed"] += sum(process.exitcode not in (0, -signal.SIGKILL) for process in writers)
    journal = Journal.open(path, read_only=True)
    written = [
        (int(row.payload["throw"].split()[1]), int(row.payload["face"])) for row in journal.rows
    ]
    journal.close()
    found["inputs"] += len(written)
    for writer, log in enumerate(logs):
        acknowledged, refused = numbers(log)
        own = [number for who, number in written if who == writer]
        found["refused"] += refused
        found["lost"] += len(set(acknowledged) - set(own))
        found["doubled"] += len(own) - len(set(own))
        found["reordered"] += sum(after <= before for before, after in pairwise(own))
        found["not acknowledged"] += len(set(own) - set(acknowledged))
    for file in here.iterdir():
        file.unlink()


def main() -> int:
    """Run journals of some hundred inputs each until there are enough; print the figures."""
    found, dice = Counter[str](), random.Random(1)
    with folder() as here:
        while found["inputs"] < INPUTS:
            sitting(here, min(1000, INPUTS), dice, found)
    print(f"{found['inputs']:,} inputs by {WRITERS} writers at once,", end=" ")
    print(f"{found['refused']:,} refused because another had written,", end=" ")
    print(
        f"{found['kills']} writers killed ({found['not acknowledged']} inputs written but not acknowledged)"
    )
    print(
        f"  lost: {found['lost']}; doubled: {found['doubled']}; reordered: {found['reordered']}",
        end="; ",
    )
    print(f"writers that failed: {found['failed']}")
    wrong = found["lost"] + found["doubled"] + found["reordered"] + found["failed"]
    return 1 if wrong or found["not acknowledged"] > found["kills"] else 0


if __name__ == "__main__":
    sys.exit(main())
