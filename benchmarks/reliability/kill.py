"""Kill a player's process at many points of play: no acknowledged input may be lost.

Run ``python benchmarks/reliability/kill.py [POINTS]``. A child process plays at the prompt, line by
line over a pipe, with typed dice; when it asks for the next line, the line before is acknowledged.
The parent kills it (SIGKILL) at an acknowledged moment, which can be between two dice of a throw,
or a random time after it sent a line or the command to begin. Then the journal must hold every
acknowledged input as it was typed, and at most one more, the one in progress. The next child
resumes it. All shipped scenarios are played in turn. Ends with status 1 if anything was lost.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import attrs
from tables import catalogue, folder, give, heads, random_move, table, typed, wanted, without_salts

from fireplan.cli.keyboard import Play
from fireplan.errors import JournalError
from fireplan.table import Head, Journal, Session, begin, reopen
from fireplan_core import Ask
from fireplan_core.play import Catalogue

POINTS = wanted(1000)
INPUTS = 40
"""Number of inputs in one game."""
MOST_AT_ONCE = 5
LONGEST_WAIT = 0.012
"""Seconds between a line and the kill, at most."""
LONGEST_START = 0.06
"""Seconds between the start of a child and the kill, at most."""


@attrs.frozen
class Script:
    """A game to play: its input lines, the journal rows they must produce, and where a throw is unfinished."""

    lines: list[str]
    rows: list[Any]
    in_throw: list[bool]


def script(installed: Catalogue, head: Head, seed: int) -> Script:
    """Return a random game of a scenario that does not reach its end."""
    scenario, moments = table(installed, head)
    session, dice = Session(scenario, moments), random.Random(seed)
    lines: list[str] = []
    in_throw = [False]
    while len(lines) < INPUTS and session.table.waits_for is not None:
        move, waits, last = random_move(session, dice), session.table.waits_for, session.last
        if (
            move is None
            and last is not None
            and last.who != (waits.who if isinstance(waits, Ask) else "")
        ):
            continue  # taking back another side's order needs its agreement
        line, before = typed(session, move), len(session.rows)
        give(session, move)
        if len(session.rows) > before:
            lines.append(line)
            in_throw.append(bool(session.faces))
    if session.table.waits_for is None:
        lines.pop()
    return Script(lines, [without_salts(row) for row in session.rows], in_throw)


def sit(installed: Catalogue, head: Head, path: Path, hears: int, events: int) -> None:
    """Run as the child: begin or resume the journal, and play at the prompt until killed."""
    session = reopen(path, installed)[0] if path.exists() else begin(path, installed, head)
    lines = os.fdopen(hears)

    def hear(_: str) -> str:
        os.write(events, f"{len(session.rows)}\n".encode())
        return lines.readline()

    play = Play(session, lambda _: None, hear, 0)
    play.figures.shown = False  # odds beside the orders take most of the time and write nothing
    play.run()


def killed(
    installed: Catalogue, head: Head, path: Path, lines: list[str], wait: float | None
) -> tuple[int, int]:
    """Play these lines in a child and kill it; return the numbers of inputs acknowledged and sent.

    The child is killed ``wait`` seconds after the last line, or as soon as that is acknowledged.
    """
    child_hears, sends = os.pipe()
    reads, child_tells = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(sends)
        os.close(reads)
        try:
            sit(installed, head, path, child_hears, child_tells)
        finally:
            os._exit(3)
    os.close(child_hears)
    os.close(child_tells)
    acknowledged = sent = -1
    with os.fdopen(reads) as events:
        for number, line in enumerate(["", *lines]):
            last = number == len(lines)
            if number:
                os.write(sends, f"{line}\n".encode())
                sent += 1
            if last and wait is not None:
                time.sleep(wait)
                break
            heard = events.readline()
            if not heard:
                raise AssertionError(f"the child ended by itself before {line!r}")
            if number and int(heard) != acknowledged + 1:
                raise AssertionError(
                    f"{line!r} was not taken: {acknowledged} inputs before, {heard.strip()} after"
                )
            acknowledged = int(heard)
            sent = acknowledged
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        left = events.read().split()  # inputs acknowledged between the last check and the kill
    os.close(sends)
    return max([acknowledged, *map(int, left)]), sent


def main() -> int:
    """Kill until there are enough points, and print the figures; return the status."""
    installed, dice, count = catalogue(), random.Random(1), Counter[str]()
    all_heads, lost, unreadable, wrong = list(heads(installed).items()), 0, 0, 0
    with folder() as here:
        game = 0
        while count["points"] < POINTS:
            name, head = all_heads[game % len(all_heads)]
            plan = script(installed, head, game)
            path = here / f"{game}.fireplan"
            game += 1
            done, began = 0, False
            while done < len(plan.lines) and count["points"] < POINTS:
                ahead = plan.lines[done : done + dice.randint(0 if began else 1, MOST_AT_ONCE)]
                if not began and dice.random() < 0.5:
                    ahead = []
                wait = (
                    dice.uniform(0, LONGEST_WAIT if ahead else LONGEST_START)
                    if dice.random() < 0.5
                    else None
                )
                acknowledged, _ = killed(installed, head, path, ahead, wait)
                count["points"] += 1
                try:
                    journal = Journal.open(path, read_only=True)
                except JournalError as error:
                    if began or acknowledged >= 0:
                        unreadable += 1
                        print(f"{name}: {error}")
                        break
                    count["before the journal was begun"] += 1
                    for file in here.glob(f"{path.name}*"):
                        file.unlink()
                    continue
                rows = [without_salts(row) for row in journal.rows]
                journal.close()
                lost += max(0, max(acknowledged, done) - len(rows))
                wrong += rows != plan.rows[: len(rows)] or len(rows) > done + len(ahead)
                began, done = True, len(rows)
                count["with a throw half done"] += plan.in_throw[done]
                count["at an acknowledged moment"] += wait is None
                count["inputs written"] += bool(len(rows) > acknowledged >= 0)
    print(
        f"{count['points']} points of play killed in {game} games of {min(game, len(all_heads))} scenarios:"
    )
    print(f"  {count['with a throw half done']} with a throw half done,", end=" ")
    print(f"{count['at an acknowledged moment']} at an acknowledged moment,", end=" ")
    print(f"{count['inputs written']} with an input written but not yet acknowledged,", end=" ")
    print(f"{count['before the journal was begun']} before the journal was begun")
    print(
        f"  acknowledged inputs lost: {lost}; journals unreadable: {unreadable}; inputs not as typed: {wrong}"
    )
    return 1 if lost or unreadable or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
