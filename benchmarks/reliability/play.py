"""Play every shipped scenario at random, and check the properties that every table must keep.

Run ``python benchmarks/reliability/play.py [RUNS [MINUTES [FIRST]]]``; runs are numbered from
``FIRST``, so that many can be played in parts. A run has at most 50 inputs: any legal order, any
face of each die, and now and then a take-back. The runs cycle through the shipped scenarios of all
games. These properties are checked:

* the state equals the replay of the inputs, and the state loaded from the journal;
* after each take-back it equals the state before the input that was taken back;
* no side's view names an asset hidden from it, or shows another side's sealed record or its salt;
* some order was legal whenever one was asked for.

Then pairs of tables are played that a side cannot tell apart: they differ in one secret order of
another side, or in the hexes it wrote down before play. Until that has an effect, everything that
the side is shown (``shown.py``: view, prompt, map, exports, pages, refusals) must be identical
after every input. Ends with status 1 if anything failed.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import attrs
from oracle import BrokenError, must
from shown import Kept
from tables import catalogue, folder, give, heads, last_hash, random_move, table, typed, wanted
from twins import agree, apart_from, closed, screens, secret_pair

from fireplan.table import Head, Session, Viewer, as_data, begin, reopen, sides_of
from fireplan_core import REFEREE, Order
from fireplan_core.play import Catalogue, replay

RUNS = wanted(10_000)
MINUTES = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
"""No run is started after this many minutes; the results so far are printed."""
FIRST = int(sys.argv[3]) if len(sys.argv) > 3 else 0
STEPS = 50
LOOKS = 25
"""Average number of inputs in a run between checks of all sides' views."""
BATCH = 25
LINK, LIFT, PHASES = 'link = "radio"\n', "lift = 4\n", 'correct = "FFE:1-2"\n'
WRITTEN = {
    "asl/village": {
        LINK: [f'{LINK}preregistered = ["{one}"]\n' for one in ("G6", "F5", "E8", "H5", "K5", "I3")]
    },
    "asl/creeping": {
        LIFT: [LIFT, "lift = 5\n", "lift = 6\n"],
        PHASES: [PHASES, 'correct = "FFE:1"\n'],
    },
}
"""For each scenario, the lines of its secret notes before play, each with alternatives."""


def shown_to(session: Session, side: str) -> str:
    """Return as text everything that a side is shown."""
    return json.dumps(as_data(Viewer(session, side).all()), ensure_ascii=False)


def sentences_in(data: Any) -> list[str]:
    """Return every text in a value of JSON, at any depth."""
    if isinstance(data, dict):
        data = [*data, *data.values()]
    if isinstance(data, list):
        return [text for each in data for text in sentences_in(each)]
    return [data] if isinstance(data, str) else []


def keeps_secrets(session: Session) -> int:
    """Check that no side's view shows a secret; return the number of views checked."""
    scenario = session.scenario
    seals = [*session.seals, *(seal for one in session.history.story for seal in one.seals)]
    for side in sides_of(scenario):
        viewer, text = Viewer(session, side), shown_to(session, side)
        hidden = [
            name for name in (*scenario.missions, *scenario.units) if viewer.eyes.hidden(name)
        ]
        named = [
            n
            for n in hidden
            if n not in viewer.known.names and (json.dumps(n) in text or f" {n}" in text)
        ]
        must(not named, f"{side} is shown {named}")
        if not session.revealed:
            salts = [seal.record.what for seal in seals if seal.salt in text]
            must(not salts, f"{side} is shown the salt of {salts}")
            others = [seal.record for seal in session.seals if seal.record.side != side]
            # A place that a record names may be known for another reason, such as a drone there.
            sentences = sentences_in(json.loads(text))
            read = [
                record.what
                for record in others
                if any(record.what in one and record.says in one for one in sentences)
            ]
            must(not read, f"{side} reads {read}")
        must(last_hash(session.journal) not in text, f"{side} is shown a hash of the chain")
    return len(sides_of(scenario))


def played(installed: Catalogue, head: Head, seed: int, path: Path, found: Counter[str]) -> None:
    """Play one run; raises ``BrokenError``, or any error that the game lets through."""
    dice = random.Random(seed)
    session = begin(path, installed, head)
    live = [session.table.state]
    try:
        for _ in range(STEPS):
            if session.table.waits_for is None:
                found["played to the end"] += 1
                break
            move = random_move(session, dice)
            before, rows = session.table.state, len(session.rows)
            give(session, move)
            found["inputs"] += len(session.rows) > rows
            if move is None and len(session.rows) > rows:
                live.pop()
                must(session.table.state == live[-1], "a take-back is not the state before")
                found["take-backs"] += 1
            elif move is not None and not session.faces:
                live.append(session.table.state)
            elif session.faces:
                must(session.table.state == before, "half a throw changed the state")
            if dice.random() < 1 / LOOKS:
                found["views"] += keeps_secrets(session)
        again, _ = reopen(path, installed, read_only=True)
        scenario, moments = session.scenario, session.moments
        afresh = replay(scenario, moments, session.table.journal)
        must(
            afresh.state == session.table.state and afresh.log == session.table.log,
            "the replay differs",
        )
        must(again.table.state == session.table.state, "the load of the save differs in its state")
        must(again.table.log == session.table.log, "the load of the save differs in its log")
        must(
            again.faces == session.faces and again.history.story == session.history.story,
            "it differs in dice or undo",
        )
        for side in dice.sample([*sides_of(scenario), REFEREE], 1):
            must(
                shown_to(again, side) == shown_to(session, side),
                f"the view of {side} differs after loading",
            )
        again.journal.close()
    finally:
        session.journal.close()
        for file in path.parent.glob(f"{path.name}*"):
            file.unlink()
    found["runs"] += 1


# --- tables that a side cannot tell apart --------------------------------------------------------------
def rewritten(head: Head, line: str, others: list[str]) -> list[Head]:
    """Return copies of a head whose scenario has other lines in place of one."""
    must(head.text.count(line) == 1, "the scenario has another line now")
    return [attrs.evolve(head, text=head.text.replace(line, other)) for other in others]


def apart(installed: Catalogue, head: Head, seed: int, found: Counter[str]) -> None:
    """Play a random game until a secret order divides it into two tables, and check both."""
    dice = random.Random(seed)
    scenario, moments = table(installed, head)
    one = Session(scenario, moments)
    for _ in range(STEPS):
        if one.table.waits_for is None:
            return
        here = secret_pair(one, dice) is not None and dice.random() < 0.5
        if here and apart_from(installed, head, one.rows, dice, found):
            return
        give(one, random_move(one, dice))


def written(installed: Catalogue, head: Head, seed: int, found: Counter[str]) -> None:
    """Play two tables that differ only in a secret record, with the same inputs, until it matters."""
    dice = random.Random(seed)
    line, others = dice.choice(sorted(WRITTEN[head.name].items()))
    wordings = dice.sample(others, 2)
    hexes = re.findall(r'"([A-Z]\d+)"', " ".join(wordings))
    made = [screens(installed).begin(each) for each in rewritten(head, line, wordings)]
    try:
        _written(made[0], made[1], hexes, dice, found)
    finally:
        closed(made)


def _written(
    first: Kept, second: Kept, hexes: list[str], dice: random.Random, found: Counter[str]
) -> None:
    """Play both tables with the same inputs until the secret record matters."""
    one, other = first.session, second.session
    who = next(iter(one.scenario.missions.values())).side
    agree((first, second), who, found, "what was written down", everything=True)
    while one.table.waits_for is not None and len(one.rows) < STEPS:
        move = random_move(one, dice)
        if move is None:
            continue
        waits, also = one.table.waits_for, other.table.waits_for
        if waits != also or (
            isinstance(move, Order) and other.table.rulebook.refuse(also, move, other.table.read)
        ):
            return
        if any(label in typed(one, move) for label in hexes):
            return  # the accuracy of fire at a recorded hex reveals the record (C1.732)
        give(one, move)
        give(other, move)
        if one.table.state != other.table.state:
            return
        agree((first, second), who, found, f"what was written down, after {move},")


_installed: list[Any] = []


def runs(first: int, size: int) -> tuple[Counter[str], dict[str, str]]:
    """Play some runs; return the counts, and for each kind of failure a run that shows it."""
    if not _installed:
        installed = catalogue()
        _installed.extend((installed, list(heads(installed).items())))
    installed, all_heads = _installed
    found, faults = Counter[str](), dict[str, str]()
    path = Path(os.environ["RELIABILITY_FOLDER"]) / f"{os.getpid()}.fireplan"
    for seed in range(first, first + size):
        name, head = all_heads[seed % len(all_heads)]
        for check in (played, apart, written) if name in WRITTEN else (played, apart):
            try:
                if check is played:
                    played(installed, head, seed, path, found)
                else:
                    check(installed, head, seed, found)
            except (Exception, BrokenError) as error:  # noqa: BLE001 - any error that escapes a game is a finding
                found["failures"] += 1
                faults.setdefault(
                    f"{name}: {type(error).__name__}",
                    f"run {seed} ({check.__name__}): {error}"[:400],
                )
    return found, faults


def main() -> int:
    """Play all runs in all processes, and print the figures; return the status."""
    found, faults, start = Counter[str](), dict[str, str](), time.perf_counter()
    batches = [(FIRST + n, min(BATCH, RUNS - n)) for n in range(0, RUNS, BATCH)]
    with folder() as here:
        os.environ["RELIABILITY_FOLDER"] = str(here)
        with ProcessPoolExecutor(
            min(len(os.sched_getaffinity(0)), len(batches)), mp_context=get_context("spawn")
        ) as pool:
            for some, wrong in pool.map(runs, *zip(*batches, strict=True)):
                found += some
                faults = wrong | faults
                if time.perf_counter() - start > 60 * MINUTES:
                    pool.shutdown(cancel_futures=True)
                    break
    print(
        f"{found['runs']:,} runs of {STEPS} inputs at most in {time.perf_counter() - start:.0f} s:"
    )
    print(f"  {found['inputs']:,} inputs, {found['take-backs']:,} take-backs,", end=" ")
    print(
        f"{found['played to the end']:,} runs played to the end; {found['views']:,} views looked at,",
        end=" ",
    )
    print(f"{found['pairs of views']:,} pairs of views compared")
    print(f"  failures: {found['failures']}")
    for place, what in sorted(faults.items()):
        print(f"    {place}: {what}")
    return 1 if found["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
