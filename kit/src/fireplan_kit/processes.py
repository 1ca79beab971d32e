"""The law on processes: two processes with different hash seeds play the same games byte for byte.

Each runs ``python -m fireplan_kit.processes MODULE KEY``, which plays seeded games and prints them.
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
INPUTS, MOMENTS, SEED, GAMES, SHOWN, LOGGED = 60, 6, 2, 3, 80, 6


def processes_agree(bench: Bench) -> Flaws:
    """Check that two processes with different hash seeds play the same games.

    The check compares journals, logs, states and legal orders.
    """
    plugin = bench.installed.plugin
    if not isinstance(plugin, ModuleType):
        return []  # a game made in this process cannot be imported by another
    runs = [
        subprocess.Popen(  # noqa: S603 - runs this module on a game that is already imported
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
    outputs = [process.communicate() for process in runs]
    for process, (_, error) in zip(runs, outputs, strict=True):
        if process.returncode:
            message = error.strip().rpartition("\n")[2]
            return [f"the game cannot be played in a process of its own: {message}"]
    for first, second in zip_longest(*(text.splitlines() for text, _ in outputs), fillvalue=""):
        if first != second:
            start = next(
                (n for n, pair in enumerate(zip(first, second, strict=False)) if len({*pair}) > 1),
                0,
            )
            one, other = (text[max(0, start - SHOWN) : start + SHOWN] for text in (first, second))
            return [f"two processes differ in {first.partition(': ')[0]}: {one!r} and {other!r}"]
    return []


def main(module: str, key: str) -> None:
    """Play seeded games of a plugin and print legal orders, inputs, events and states."""
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
            recent = [*table.journal[-1:], *table.log[-LOGGED:]]
            state = str(Position.of(source, scenario, table.state))
            for topic, value in (
                ("the legal orders", legal),
                ("the log", recent),
                ("the state", state),
            ):
                sys.stdout.write(f"{topic} {where}: {value!r}\n")
        for seed in range(GAMES):
            table = play_out(Table(scenario, MOMENTS), RandomFaces(seed))
            sys.stdout.write(
                f"play by the standard orders of {source.name}: {table.journal!r} {table.log!r}\n"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
