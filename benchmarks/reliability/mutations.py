"""Read randomly broken files: each is refused quickly, with the place of the fault and no traceback.

Run ``python benchmarks/reliability/mutations.py [FILES [MINUTES [FIRST]]]``; ``FIRST`` is the batch
of 500 files to begin with, so that a run can continue an earlier one. Scenarios, engagements, sweep
plans, charts, playthroughs and journals are changed at random (bytes, lines, values, keys, pieces
of other files) and read; those that can still be read are staged and opened. A refusal must be an
error that the commands print, and each of its messages must name the file or its part. A journal
that opens must be the game that was played. Then come the bombs: files made to exhaust the reader
by size, nesting or keys, and numbers that would run for ever. Times are processor time, which
depends less on the load of the machine; files over 50 ms (bombs: 100 ms) are counted and reported.
Ends with status 1 if a file crashed the reader, was refused without a place or blocked the reader
for ever; in long runs also if one took ten times the limit.
"""

from __future__ import annotations

import gc
import os
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import FrameType

import attrs
from bombs import all_bombs
from breaking import broken
from tables import catalogue, folder, give, heads, random_move, wanted

from fireplan.analysis import load_engagement, shipped_engagements
from fireplan.errors import InputError, JournalError
from fireplan.sweeps import read_plan
from fireplan.table import (
    Session,
    begin,
    read_playthrough,
    reopen,
    replay_playthrough,
    scenario_of,
    shipped_playthroughs,
)
from fireplan_core import CannotStageError, ProcedureError
from fireplan_core.files import FileError, describe
from fireplan_core.play import Catalogue, load_scenario, shipped_scenarios, stage_engagement

FILES = wanted(1_000_000)
MINUTES = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
"""No file is started after this many minutes; the results so far are printed."""
FIRST = int(sys.argv[3]) if len(sys.argv) > 3 else 0
LONGEST = 0.050
"""Maximum processor seconds for reading a file."""
LONGEST_BOMB = 0.100
"""Maximum processor seconds for reading a file that is made to take long."""
BUSY = 10
"""A time is a fault if it exceeds this multiple of its limit, because load adds to processor time too."""
TIMED = 10_000
"""Times are faults only in a run of this many files; smaller runs do not depend on any clock."""
STUCK = 30
"""Processor seconds after which a reader is stopped, because it would never finish."""
BATCH = 500
KINDS = {"scenario": 17, "engagement": 43, "chart": 37, "plan": 1, "playthrough": 1, "journal": 1}
"""Percentage of files of each kind."""
PLAN = b"""title = "Lanes"
minutes = 60
engagements = ["woods"]
games = ["asl", "red_poppies"]

[[vary]]
number = "asl.radio_contact"
values = [7, 8, 9]

[[vary]]
option = "asl.boards"
values = [1, 3]
"""


class StuckError(Exception):
    """A reader that did not finish."""


# --- what is read, and how ---------------------------------------------------------------------------
class Readers:
    """The readers of each kind of file, and good files to start from."""

    def __init__(self, here: Path) -> None:
        self.installed: Catalogue = catalogue()
        self.here = here
        self.rest: Callable[[], object] = lambda: None
        """The use of a file after reading it."""
        self.seeds: dict[str, list[tuple[str, bytes]]] = {
            "scenario": [
                (f"{n}.toml", p.read_bytes()) for n, p in shipped_scenarios(self.installed).items()
            ],
            "engagement": [(f"{n}.toml", p.read_bytes()) for n, p in shipped_engagements().items()],
            "plan": [("plan.toml", PLAN)],
            "playthrough": [
                (f"{n}.txt", p.read_bytes())
                for n, p in shipped_playthroughs(self.installed).items()
            ],
            "chart": list(self._charts()),
            "journal": [("table.fireplan", self._journal())],
        }

    def _charts(self) -> Iterator[tuple[str, bytes]]:
        """Yield the charts that a user may replace, by game and name, from the games' own files."""
        for key, entry in self.installed.games.items():
            data = Path(str(entry.plugin.__file__)).parent / "data"
            for name in entry.game.chart_readers:
                for file in data.glob(f"{name}.*"):
                    yield f"{key}/{name}{file.suffix}", file.read_bytes()

    def _journal(self) -> bytes:
        head, dice, path = (
            next(iter(heads(self.installed).values())),
            random.Random(1),
            self.here / "good.fireplan",
        )
        session = begin(path, self.installed, head)
        for _ in range(30):
            if session.table.waits_for is not None:
                give(session, random_move(session, dice))
        session.journal.close()
        self.played = (session.rows, session.table.state, session.seals)
        self.good = path.read_bytes()
        path.unlink()
        return self.good

    def read(self, kind: str, name: str, content: bytes, number: int) -> None:
        """Read a file as the commands do; raises the errors that they print."""
        path = self.here / name.replace("/", "_")
        path.write_bytes(content)
        self.rest = lambda: None
        if kind == "scenario":
            scenario, form = load_scenario(self.installed, path)
            Session(scenario, form.moments)
        elif kind == "engagement":
            engagement = load_engagement(path)
            games = list(self.installed.games)
            stage_engagement(self.installed, games[number % len(games)], engagement)
        elif kind == "plan":
            read_plan(path, self.installed)
        elif kind == "chart":
            game, chart = Path(name).with_suffix("").parts
            self.installed[game].game.charts_with({chart: path})
        elif kind == "playthrough":
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                return  # the command reports this before it reads the playthrough
            playthrough = read_playthrough(text)
            head = playthrough.head(self.installed, shipped_engagements())
            scenario, moments = scenario_of(self.installed, head)
            session = Session(scenario, moments)
            # Only reading the file is timed, because playing it takes as long as it has inputs.
            self.rest = partial(replay_playthrough, playthrough, session)
        else:
            session, _ = reopen(path, self.installed)
            session.journal.close()
            # A truncated file opens as an earlier state of the game; the journal notes the cut, unless it
            # falls between two lines.
            rows, state, seals = self.played
            same = session.rows != rows or session.table.state == state
            cut = session.journal.note or content == self.good[: len(content)]
            begins = session.rows == rows[: len(session.rows)] and session.seals == seals
            if not (same and begins and (session.rows == rows or cut)):
                raise AssertionError("a damaged journal was opened as another game")


def messages(error: Exception, kind: str, name: str) -> list[str]:
    """Return the messages about a refused file.

    Raises TypeError for an error that no command prints.
    """
    if isinstance(error, FileError) and kind == "chart":
        return [
            f"{name}: {describe([fault])}" if fault.message else "" for fault in error.faults
        ] or [""]
    if isinstance(error, FileError):
        if not all(fault.file and fault.message for fault in error.faults):
            return [""]
        whole = (
            "not TOML",
            "nested too",
            "larger than",
            "not UTF-8",
            "a number with",
            "more faults",
        )
        located = [
            f for f in error.faults if f.key or f.line is not None or f.message.startswith(whole)
        ]
        # A fault without a key or line concerns the whole file; every fault names its file.
        return [describe([fault]) for fault in (located or error.faults)]
    if isinstance(error, CannotStageError):
        return [f"{name}: {reason}" if reason else "" for reason in error.reasons] or [""]
    # A game may refuse a playthrough's inputs, but never a file that was read.
    if isinstance(error, InputError | JournalError) or (
        kind == "playthrough" and isinstance(error, ProcedureError)
    ):
        return [f"{name}: {error}" if str(error) else ""]
    raise TypeError


# --- running -----------------------------------------------------------------------------------------
@attrs.define
class Found:
    """The results of reading some files."""

    files: Counter[str] = attrs.field(factory=Counter)
    refused: Counter[str] = attrs.field(factory=Counter)
    faults: dict[str, str] = attrs.field(factory=dict)
    placeless: list[str] = attrs.field(factory=list)
    over: int = 0
    slowest: dict[str, tuple[float, str]] = attrs.field(factory=dict)

    def add(self, other: Found) -> None:
        """Add the results of another batch."""
        self.files += other.files
        self.refused += other.refused
        self.faults |= other.faults
        self.placeless += other.placeless
        self.over += other.over
        for kind, slow in other.slowest.items():
            self.slowest[kind] = max(slow, self.slowest.get(kind, (0.0, "")))


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise StuckError


def tried(
    readers: Readers, kind: str, name: str, content: bytes, number: int, label: str, found: Found
) -> None:
    """Read one file and record the result."""
    found.files[kind] += 1
    signal.setitimer(signal.ITIMER_PROF, STUCK)
    # Use the thread's clock: while the timer runs, the process's clock advances only at its ticks.
    start, taken = time.thread_time(), 0.0
    try:
        readers.read(kind, name, content, number)
        taken = time.thread_time() - start
        readers.rest()
    except Exception as error:  # noqa: BLE001 - any error that escapes a reader is a finding
        taken = taken or time.thread_time() - start
        signal.setitimer(signal.ITIMER_PROF, 0)
        try:
            said = messages(error, kind, name)
            if not said or not all(said):
                found.placeless.append(f"{label}: {error!r}"[:300])
            found.refused[kind] += 1
        except TypeError:
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{kind}: {type(error).__name__} in {Path(last.filename).name}:{last.lineno}"
            found.faults.setdefault(place, f"{label}: {str(error)[:200]!r}")
    else:
        signal.setitimer(signal.ITIMER_PROF, 0)
    found.over += taken > (LONGEST_BOMB if "bomb" in label else LONGEST)
    found.slowest[kind] = max((taken, label), found.slowest.get(kind, (0.0, "")))


_readers: list[Readers] = []


def _prepared() -> Readers:
    """Return this process's readers, warmed up so that loading modules does not count as a file's time."""
    if not _readers:
        signal.signal(signal.SIGPROF, _stop)
        here = Path(os.environ["RELIABILITY_FOLDER"]) / str(os.getpid())
        here.mkdir()
        readers = Readers(here)
        for kind, seeds in readers.seeds.items():
            for n, (name, content) in enumerate(seeds):
                for number in range(4 if kind == "engagement" else 1):
                    with suppress(CannotStageError):  # some games cannot stage some engagements
                        readers.read(kind, name, content, n + number)
        gc.collect()
        gc.freeze()
        _readers.append(readers)
    return _readers[0]


def mutated(batch: int, size: int) -> Found:
    """Read a batch of mutated files; its number and a file's place in it reproduce the file."""
    readers, found = _prepared(), Found()
    kinds, weights = list(KINDS), list(KINDS.values())
    for number in range(size):
        dice = random.Random(batch * 1_000_003 + number)
        (kind,) = dice.choices(kinds, weights)
        name, content = dice.choice(readers.seeds[kind])
        changed = broken(content, readers.seeds[kind], dice)
        tried(readers, kind, name, changed, number, f"{batch}.{number} {name}", found)
    return found


def exploded() -> Found:
    """Read all files that are made to exhaust a reader."""
    readers, found = _prepared(), Found()
    charts = [name for name, _ in readers.seeds["chart"]]
    for kind, what, content in all_bombs(readers.seeds):
        for name in (
            charts if kind == "chart" else [f"file{'.txt' if kind == 'playthrough' else '.toml'}"]
        ):
            for number in range(4 if kind == "engagement" else 1):
                tried(readers, kind, name, content, number, f"bomb {name}: {what}", found)
    return found


def good_files() -> dict[str, float]:
    """Return the seconds of the slowest good file of each kind."""
    readers, found = _prepared(), Found()
    for kind, seeds in readers.seeds.items():
        for name, content in seeds:
            for number in range(4 if kind == "engagement" else 1):
                tried(readers, kind, name, content, number, name, found)
    return {kind: taken for kind, (taken, _) in found.slowest.items()}


def printed(found: Found, good: dict[str, float], *, bombs: bool = False) -> bool:
    """Print the results of reading files; return whether all of them passed."""
    for kind in found.files:
        taken, label = found.slowest[kind]
        row = f"  {kind:10s} {found.files[kind]:7,d} files, {found.refused[kind]:7,d} refused, slowest"
        print(f"{row} {taken * 1e3:5.1f} ms (of the good ones {good[kind] * 1e3:.1f} ms) {label}")
    summary = f"tracebacks: {len(found.faults)}; messages without a place: {len(found.placeless)}"
    print(f"  {summary}; over {'100' if bombs else '50'} ms: {found.over}")
    for place, label in sorted(found.faults.items()):
        print(f"    {place}: {label}")
    for line in found.placeless[:10]:
        print(f"    {line}")
    slowest, _ = max(found.slowest.values())
    slow = FILES >= TIMED and slowest > BUSY * (LONGEST_BOMB if bombs else LONGEST)
    return not (found.faults or found.placeless or slow)


def main() -> int:
    """Read mutated files in all processes, then the bombs; print the figures and return the status."""
    all_found = Found()
    batches = [(FIRST + n, min(BATCH, FILES - n * BATCH)) for n in range(-(-FILES // BATCH))]
    workers = min(len(os.sched_getaffinity(0)), len(batches))
    with folder() as here:
        os.environ["RELIABILITY_FOLDER"] = str(here)
        start = time.perf_counter()
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            good = pool.submit(good_files).result()
            bombed = pool.submit(exploded).result()
            for found in pool.map(mutated, *zip(*batches, strict=True)):
                all_found.add(found)
                if time.perf_counter() - start > 60 * MINUTES:
                    pool.shutdown(cancel_futures=True)
                    break
        taken = time.perf_counter() - start
    print(f"{all_found.files.total():,} mutated files in {taken:.0f} s:")
    sound = printed(all_found, good)
    print(f"{sum(bombed.files.values())} files made to exhaust:")
    return 0 if printed(bombed, good, bombs=True) & sound else 1


if __name__ == "__main__":
    sys.exit(main())
