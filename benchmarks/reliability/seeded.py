"""The simulator, tested: faults seeded one at a time, each of which it must find in a minute of play.

Run: ``python benchmarks/reliability/seeded.py [names or kinds] [--seed N]``. Each fault of ``seeded.toml`` (name, kind,
and pieces of the sources with what takes their place) is put into a copy of the workbench, and the simulator plays
worlds on that copy until one fails, for a minute of play: so many steps as an idle core plays in one. The table says by
kind how many were found. Status 1 when fewer than 95 of a hundred were.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

import tomli
from tables import folder

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parents[1] / "workbench" / "src"
MINUTE, STEPS = 640, 64
"""Steps of a minute of play, and of each of its worlds."""
SHARE = 0.95
WORKERS = os.cpu_count() or 1


def faults() -> list[dict[str, Any]]:
    """All of them; each piece that is replaced stands in its file once."""
    found = tomli.loads((HERE / "seeded.toml").read_text(encoding="utf-8"))["fault"]
    for fault in found:
        for file, before, _ in edits(fault):
            times = (SOURCES / "fireplan" / file).read_text(encoding="utf-8").count(before)
            if times != 1:
                raise SystemExit(f"{fault['name']}: {before!r} stands {times} times in {file}")
    return found


def edits(fault: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The file, the piece and what takes its place, of each edit of a fault; quoted either way."""
    return [tuple(text.replace("\\n", "\n") for text in edit) for edit in fault["edits"]]


def seeded(fault: dict[str, Any], into: Path) -> None:
    """Copy the workbench with a fault in it."""
    shutil.copytree(SOURCES, into)
    for file, before, after in edits(fault):
        path = into / "fireplan" / file
        path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")


def found(fault: dict[str, Any], first: int) -> tuple[str, str]:
    """In which world it was found (empty: in none), and what was said of it."""
    with folder() as here:
        seeded(fault, here / "src")
        paths = [str(here / "src"), os.environ.get("PYTHONPATH", "")]
        options = ["--seed", str(first), "--runs", str(MINUTE // STEPS), "--steps", str(STEPS), "--stop"]
        run = subprocess.run(
            [sys.executable, HERE / "simulate.py", *options],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    said, *rest = run.stdout.splitlines() or [run.stderr[-300:]]
    seed = next((line.partition("--seed ")[2].split()[0] for line in rest if "--seed" in line), "")
    return seed, said if seed else f"not found: {said}"


def report(fault: dict[str, Any], seed: str, said: str, counts: Counter[tuple[str, bool]]) -> None:
    """Print and count what came of a fault."""
    counts[fault["kind"], bool(seed)] += 1
    where = f"world {seed}" if seed else "NOT FOUND"
    print(f"{fault['kind']:12s} {fault['name']:34s} {where:10s} {said[:140]}", flush=True)


def main() -> int:
    """All faults, or those of a name or kind; print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("wanted", nargs="*", help="names or kinds of faults; all of them where none is given")
    parser.add_argument("--seed", type=int, default=1, help="that of the first world")
    given = parser.parse_args()
    wanted = set(given.wanted)
    chosen = [fault for fault in faults() if not wanted or wanted & {fault["name"], fault["kind"]}]
    counts = Counter[tuple[str, bool]]()
    with ThreadPoolExecutor(WORKERS) as pool:
        results = pool.map(found, chosen, repeat(given.seed))
        for fault, (seed, said) in zip(chosen, results, strict=True):
            report(fault, seed, said, counts)
    print(f"{'kind':12s} {'seeded':>7s} {'found':>6s}")
    for kind in sorted({fault["kind"] for fault in chosen}):
        got, missed = counts[kind, True], counts[kind, False]
        print(f"{kind:12s} {got + missed:7d} {got:6d}")
    got = sum(counts[key] for key in counts if key[1])
    print(f"{'all':12s} {len(chosen):7d} {got:6d}")
    return 0 if got >= SHARE * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
