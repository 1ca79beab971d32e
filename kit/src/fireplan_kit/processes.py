"""The law of processes: two of them, with other hash seeds, play a game alike, byte for byte.

``python -m fireplan_kit.processes MODULE KEY`` is one of the two: it writes all that comes of seeded games.
"""

import os
import subprocess
import sys
from importlib import import_module
from itertools import zip_longest
from types import ModuleType

from fireplan.analysis import shipped_engagements
from fireplan.positions import Position, Sources
from fireplan_core import Ask
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Table, play_out
from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaws, admitted
from fireplan_kit.play_laws import staged, wander

HASH_SEEDS = ("0", "1234")
INPUTS, MOMENTS, SEED, SITTINGS, SHOWN, TOLD = 60, 6, 2, 3, 80, 6


def processes_agree(bench: Bench) -> Flaws:
    """Check that two processes with other hash seeds come to the same journal, log, states and legal orders."""
    plugin = bench.installed.plugin
    if not isinstance(plugin, ModuleType):
        return []  # made in this process, and in no other
    both = [
        subprocess.Popen(  # noqa: S603 - this program, on a game that is imported here already
            [sys.executable, "-m", __name__, plugin.__name__, bench.key],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                "PYTHONHASHSEED": seed,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for seed in HASH_SEEDS
    ]
    ends = [process.communicate() for process in both]
    for process, (_, error) in zip(both, ends, strict=True):
        if process.returncode:
            return [f"a process of its own cannot play it: {error.strip().rpartition(chr(10))[2]}"]
    for one, other in zip_longest(*(told.splitlines() for told, _ in ends), fillvalue=""):
        if one != other:
            at = next(
                (n for n, pair in enumerate(zip(one, other, strict=False)) if len({*pair}) > 1), 0
            )
            here, there = (text[max(0, at - SHOWN) : at + SHOWN] for text in (one, other))
            return [f"two processes differ in {one.partition(': ')[0]}: {here!r} and {there!r}"]
    return []


def main(module: str, key: str) -> None:
    """Play seeded games of a plugin and write what is legal, what is given, what is told, and how things stand."""
    sources = Sources(admitted(key, import_module(module))[0], shipped_engagements())
    for source in staged(sources, key):
        scenario = sources.scenario(source)
        for number, table in enumerate(wander(scenario, MOMENTS, SEED, INPUTS)):
            waits, where = table.waits_for, f"of {source.name} after {number} inputs"
            legal = (
                table.rulebook.legal(waits, table.read, each=2)
                if isinstance(waits, Ask)
                else waits and waits.name
            )
            told = [*table.journal[-1:], *table.log[-TOLD:]]
            state = str(Position.of(source, scenario, table.state))
            for what, value in (
                ("what can follow", legal),
                ("the log", told),
                ("the state", state),
            ):
                sys.stdout.write(f"{what} {where}: {value!r}\n")
        for seed in range(SITTINGS):
            table = play_out(Table(scenario, MOMENTS), RandomFaces(seed))
            sys.stdout.write(
                f"play by the standard orders of {source.name}: {table.journal!r} {table.log!r}\n"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
