"""The simulator: from one seed, tables in play and everything that can go wrong with them.

Run ``python benchmarks/reliability/simulate.py [--seed N] [--runs R] [--steps K] [--minutes M]``.
Each run is a new world (``world.py``): tables played over HTTP and at the prompt, with two
servers on one folder. Servers are killed at any of their I/O calls, and connections break. The disk
fills up, breaks, lies, or loses what was not synced. Tables are restored from a copy, opened by
other rules, or damaged. The clock jumps, tabs go stale, strangers try to get in. After each fault
everything is judged (``judge.py``). A run that fails prints the command that reproduces it, and the
script ends with status 1.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections import Counter
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from around import one_world
from judge import Judge
from oracle import BrokenError
from sockets import SocketWorld
from tables import catalogue, folder, heads
from versions import fork, versions
from world import AT_SYNCS, World

from fireplan.table import Head
from fireplan_core.play import Catalogue

STEPS = 120
OPENINGS = 3
KNOCKS = 20
"""Number of attempts by strangers, each different."""
SECRETIVE = "miniatures_1943/"
"""Prefix of scenarios with many secrets; one of a world's two tables plays one of them."""
WEATHER = {
    "kill": 8,
    "power": 6,
    "full": 3,
    "short": 4,
    "broken": 3,
    "lie": 2,
    "stop": 2,
    "keep": 4,
    "restore": 2,
    "replace": 4,
    "flip": 9,
    "versions": 7,
    "fork": 6,
    "stranger": 5,
    "clock": 8,
    "open": 3,
}
"""The kinds of faults, each with its weight."""
OWN_DISK = ("power", "full", "short", "broken", "lie", "clock", "open")
"""Faults that need a simulated disk and clock; with real servers, one is killed instead."""


def weather(world: World, judge: Judge, *, sockets: bool) -> None:
    """Let something go wrong."""
    kind = world.dice.choices(list(WEATHER), list(WEATHER.values()))[0]
    if sockets and kind in OWN_DISK:
        kind = "kill"
    world.found["faults"] += 1
    known = world.tables[world.dice.choice(sorted(world.tables))]
    system = world.system
    if kind in ("kill", "power"):
        world.cut = kind == "power"
        system.at_syncs = world.cut and world.dice.random() < AT_SYNCS
        system.countdown = world.dice.randint(1, 6 if system.at_syncs else 25)
    elif kind == "short":
        system.short = True
    elif kind in ("full", "broken"):
        setattr(system, kind, True)
        world.faulty = True
    elif kind == "lie":
        system.lies = world.lied = True
    elif kind == "stop":
        judge.stop()
    elif kind == "stranger":
        for _ in range(KNOCKS):
            world.stranger(known)
    elif kind == "clock":
        world.jump(known)
    elif kind == "open":
        for _ in range(OPENINGS):
            world.try_to_begin()
    else:
        judge.all()
        names = (
            sorted(world.tables) if kind == "fork" else [world.dice.choice(sorted(world.tables))]
        )
        action = {
            "keep": judge.keep,
            "restore": judge.restore,
            "replace": partial(judge.restore, running=True),
            "flip": judge.flip,
            "fork": partial(fork, world),
            "versions": lambda known: versions(
                world, known, judge.copied(known, judge.files(known))
            ),
        }[kind]
        world.depth += 100
        for name in names:
            judge.table(world.tables[name])
            if name in world.tables:  # a disk fault may just have destroyed it
                action(world.tables[name])
        world.depth -= 100


def run(
    installed: Catalogue,
    all_heads: dict[str, Head],
    seed: int,
    steps: int,
    found: Counter[str],
    *,
    sockets: bool,
) -> None:
    """Play one world; raises ``BrokenError`` for whatever fails in it."""
    with folder() as here, folder() as copies, ExitStack() as ends:
        world = (SocketWorld if sockets else World)(seed, here, installed, all_heads, found)
        judge = Judge(world, copies)
        ends.callback(world.close)
        with one_world(seed, world.system, here, lambda: world.clock, maps=sockets):
            secretive = world.dice.choice(
                [name for name in all_heads if name.startswith(SECRETIVE)]
            )
            for name in (secretive, world.dice.choice(list(all_heads))):
                world.begin(name)
            for step in range(1, steps + 1):
                if world.dice.random() < 0.8:
                    world.act()
                else:
                    weather(world, judge, sockets=sockets)
                if not world.power or step % 8 == 0 or step == steps:
                    judge.all(everywhere=step == steps)
        found[f"mark of {seed}"] = world.dice.getrandbits(32) ^ world.now
        found["runs"] += 1
        found["steps"] += steps


def main() -> int:
    """Run worlds and print the figures; return the status."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--runs", type=int, default=1)
    asked.add_argument("--steps", type=int, default=STEPS)
    asked.add_argument(
        "--minutes", type=float, default=0.0, help="run further worlds until this many have passed"
    )
    asked.add_argument(
        "--sockets",
        action="store_true",
        help="real servers behind real sockets, killed at any time",
    )
    asked.add_argument(
        "--trace", action="store_true", help="print a mark of each world, and where it failed"
    )
    asked.add_argument(
        "--stop", action="store_true", help="play no further world after one that failed"
    )
    given = asked.parse_args()
    installed, found, failed = catalogue(), Counter[str](), 0
    all_heads = heads(installed)
    start = time.monotonic()
    seed = given.seed
    with folder() as screens:
        os.environ["RELIABILITY_FOLDER"] = str(screens)
        while seed < given.seed + given.runs or time.monotonic() - start < 60 * given.minutes:
            try:
                run(installed, all_heads, seed, given.steps, found, sockets=given.sockets)
            except (Exception, BrokenError) as error:  # noqa: BLE001 - any error that escapes is a finding
                failed += 1
                trace = traceback.extract_tb(error.__traceback__)[-1]
                where = (
                    ""
                    if isinstance(error, BrokenError)
                    else f" ({Path(trace.filename).name}:{trace.lineno})"
                )
                print(f"{type(error).__name__}{where}: {error}"[:1500])
                print(
                    f"python benchmarks/reliability/simulate.py --seed {seed} --steps {given.steps}",
                    end="",
                )
                print(" --sockets" if given.sockets else "", flush=True)
                if given.trace:
                    traceback.print_exception(error)
                if given.stop:
                    break
            seed += 1
    taken = time.monotonic() - start
    print(f"{found['runs']:,} worlds, {found['steps']:,} steps in {taken:.0f} s; {failed} failed")
    del found["runs"], found["steps"]
    shown = {
        what: number
        for what, number in found.items()
        if given.trace or not what.startswith("mark of")
    }
    print("  " + ", ".join(f"{what} {number:,}" for what, number in sorted(shown.items())))
    return 1 if failed else 0


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # a run depends on the order of sets
        os.execve(  # noqa: S606
            sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"}
        )
    sys.exit(main())
