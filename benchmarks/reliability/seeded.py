"""Test the simulator: it must find each seeded fault within a minute of play.

Run ``python benchmarks/reliability/seeded.py [NAMES OR KINDS] [--seed N] [--workers W]``. Each
fault of ``seeded.toml`` (a name, a kind, and pieces of the sources with their replacements) is
seeded into a copy of workbench and studio, and the simulator plays worlds on that copy until one
fails, or for as many steps as an idle core plays in a minute. The table shows by kind how many
faults were found. Ends with status 1 if fewer than 95 in a hundred were.

A simulator that ends without a figure (killed from outside, or before it began) has judged nothing.
Its fault is tried again; if that ends in the same way, the table reports it and the status is 2.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

import attrs
import tomli
from tables import folder

HERE = Path(__file__).resolve().parent
SOURCES = tuple(HERE.parents[1] / house / "src" for house in ("workbench", "studio"))
MINUTE, STEPS = 640, 64
"""Number of steps in a minute of play, and in each of its worlds."""
SHARE = 0.95
FOUND, MISSED, UNJUDGED = "found", "not found", "no verdict"
TRIES = 3
"""Number of attempts at a fault if its simulator ends without output."""


@attrs.frozen
class Verdict:
    """The result of a fault: found, not found or neither; the world that shows it; and the output."""

    kind: str
    said: str
    world: str = ""


def faults() -> list[dict[str, Any]]:
    """Return all seeded faults; raise ``SystemExit`` for a piece that does not occur once in its file."""
    found = tomli.loads((HERE / "seeded.toml").read_text(encoding="utf-8"))["fault"]
    if misfits := [line for fault in found for line in _misfits(fault)]:
        raise SystemExit("\n".join(misfits))
    return found


def _misfits(fault: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each edit whose piece does not occur exactly once in its file."""
    for file, before, _ in edits(fault):
        times = _source(file).read_text(encoding="utf-8").count(before)
        if times != 1:
            yield f"{fault['name']}: {before!r} occurs {times} times in {file}"


def _source(file: str) -> Path:
    """Return the path of a source file of that name, from whichever package has it."""
    return next(home / file for home in SOURCES if (home / file).is_file())


def edits(fault: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return file, old piece and new piece of each edit of a fault, with ``\\n`` as a line break."""
    return [tuple(text.replace("\\n", "\n") for text in edit) for edit in fault["edits"]]


def seeded(fault: dict[str, Any], into: Path) -> None:
    """Copy the workbench and the studio, with a fault seeded in them."""
    for home in SOURCES:
        shutil.copytree(home, into, dirs_exist_ok=True)
    for file, before, after in edits(fault):
        path = into / file
        path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")


def played(fault: dict[str, Any], first: int) -> Verdict:
    """Play worlds on a copy with the fault until one fails; return the verdict."""
    with folder() as here:
        seeded(fault, here / "src")
        paths = [str(here / "src"), os.environ.get("PYTHONPATH", "")]
        options = [
            "--seed",
            str(first),
            "--runs",
            str(MINUTE // STEPS),
            "--steps",
            str(STEPS),
            "--stop",
        ]
        run = subprocess.run(
            [sys.executable, HERE / "simulate.py", *options],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            capture_output=True,
            text=True,
            check=False,
        )
    return verdict(run.returncode, run.stdout, run.stderr)


def verdict(status: int, out: str, errors: str) -> Verdict:
    """Return the verdict from the simulator's status and output: a failed world, none, or no result."""
    lines = out.splitlines()
    worlds = [
        line.partition("--seed ")[2].split()[0] for line in lines if "simulate.py --seed " in line
    ]
    if status == 1 and worlds:
        return Verdict(FOUND, lines[0], worlds[0])
    if status == 0 and lines and lines[0].endswith("; 0 failed"):
        return Verdict(MISSED, lines[0])
    ended = signal.Signals(-status).name if status < 0 else f"status {status}"
    last = (errors.strip() or out.strip() or "not a word").splitlines()[-1]
    return Verdict(UNJUDGED, f"the simulator ended with {ended}: {last}")


def judged(fault: dict[str, Any], first: int) -> Verdict:
    """Return the verdict on a fault; if the simulator ended without a figure, it is run again."""
    for _ in range(TRIES):
        came = played(fault, first)
        if came.kind != UNJUDGED:
            break
    return came


def main() -> int:
    """Test all faults, or those of a name or kind; print the table and return the status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "wanted", nargs="*", help="names or kinds of faults; all of them where none is given"
    )
    parser.add_argument("--seed", type=int, default=1, help="that of the first world")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, help="simulators at once"
    )
    given = parser.parse_args()
    wanted = set(given.wanted)
    chosen = [fault for fault in faults() if not wanted or wanted & {fault["name"], fault["kind"]}]
    counts = Counter[tuple[str, str]]()
    with ThreadPoolExecutor(given.workers) as pool:
        for fault, came in zip(chosen, pool.map(judged, chosen, repeat(given.seed)), strict=True):
            counts[fault["kind"], came.kind] += 1
            counts["all", came.kind] += 1
            where = f"world {came.world}" if came.world else came.kind.upper()
            print(
                f"{fault['kind']:12s} {fault['name']:39s} {where:11s} {came.said[:140]}", flush=True
            )
    print(f"{'kind':12s} {'seeded':>7s} {FOUND:>6s} {UNJUDGED:>11s}")
    for kind in (*sorted({fault["kind"] for fault in chosen}), "all"):
        some = [counts[kind, each] for each in (FOUND, MISSED, UNJUDGED)]
        print(f"{kind:12s} {sum(some):7d} {some[0]:6d} {some[2]:11d}")
    if counts["all", UNJUDGED]:
        return 2
    return 0 if counts["all", FOUND] >= SHARE * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
