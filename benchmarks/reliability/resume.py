"""Resume a long game: the work grows with its inputs, however many were taken back.

Run ``python benchmarks/reliability/resume.py [INPUTS]``. A journal of INPUTS inputs (10,000 by
default), a tenth of them take-backs, and a journal a tenth as long are opened again. The steps of
the rules that run are counted and compared with those of the game as it was played; times are
processor seconds, compared with those of a bare table that is given the same orders and throws.
Ends with status 1 if a step ran twice or if, in a run of 10,000, the long game took more than twice
its share of the short one.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Self

import attrs
from tables import catalogue, folder, heads, wanted

from fireplan.table import Head, Session, begin, reopen, scenario_of
from fireplan_core import Ask
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, Rulebook, Table

INPUTS = wanted(10_000)
TAKE_BACK = 10
"""One input in this many is a take-back."""
SCENARIO = "miniatures_1943/river_crossing"
LONG = 10_000
"""Times are judged in runs of this many inputs."""
SLACK = 2.0
"""Maximum time of a long game as a multiple of its share of a short one."""


class Counting:
    """A counter of the steps that rulebooks run inside the block."""

    def __init__(self) -> None:
        self.steps = 0
        self._real = Rulebook.run

    def __enter__(self) -> Self:
        real = self._real

        def run(book, *args):
            self.steps += 1
            return real(book, *args)

        Rulebook.run = run  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        Rulebook.run = self._real  # type: ignore[method-assign]


def play(session: Session, inputs: int) -> None:
    """Play standard orders with seeded dice, taking back every tenth input."""
    faces = RandomFaces(1)
    while len(session.rows) < inputs:
        waits = session.table.waits_for
        assert waits is not None, "the game is too short"
        if len(session.rows) % TAKE_BACK == TAKE_BACK - 1 and not session.faces:
            session.undo()
        elif isinstance(waits, Ask):
            session.order(session.table.rulebook.answer(waits, {}, session.table.read))
        else:
            session.face(faces.face(session.die), typed=False)


def measured(
    installed: Catalogue, head: Head, path: Path, inputs: int
) -> tuple[float, int, int, float]:
    """Return seconds and steps of resuming, steps of playing, and seconds of a bare table with those inputs."""
    with Counting() as playing:
        session = begin(path, installed, head)
        play(session, inputs)
    session.journal.close()
    scenario, moments = scenario_of(installed, head)
    start = time.process_time()
    table = Table(scenario, moments)
    for move in session.history.story:
        if not move.taken_back:
            mark = table.mark()
            table.submit(move.given)
        else:
            table.back_to(mark)
    bare = time.process_time() - start
    with Counting() as resuming:
        start = time.process_time()
        again, _ = reopen(path, installed)
        taken = time.process_time() - start
    again.journal.close()
    assert (again.table.state, again.table.log) == (session.table.state, session.table.log)
    return taken, resuming.steps, playing.steps, bare


def main() -> int:
    """Measure the short game, then the long one; print the figures and return the status."""
    installed = catalogue()
    head = attrs.evolve(heads(installed)[SCENARIO], moments=INPUTS)
    good, shares = True, []
    for inputs in (INPUTS // 10, INPUTS):
        with folder() as here:
            taken, steps, played, bare = measured(installed, head, here / "long.fireplan", inputs)
        good = good and steps <= played
        shares.append(taken / inputs)
        times = f"{taken:6.2f} s, {taken / bare:3.1f} times a bare table"
        print(
            f"{inputs:6,} inputs, {inputs // TAKE_BACK:5,} taken back: {times}; {steps:,} steps of the rules run,",
            end=" ",
        )
        print(
            "as many as when it was played"
            if steps == played
            else f"{played:,} when it was played",
            flush=True,
        )
    print(
        f"an input of the long game took {shares[1] / shares[0]:.1f} times as long as one of the short game"
    )
    return 0 if good and (INPUTS < LONG or shares[1] <= SLACK * shares[0]) else 1


if __name__ == "__main__":
    sys.exit(main())
