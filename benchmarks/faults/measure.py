"""Measure which tests catch the seeded faults of ``catalogue.toml``, and how fast.

Run ``python benchmarks/faults/measure.py [--tier quick|full|long] [--only NAME ...] [--jobs N]``.
Each fault is seeded into a copy of the tree. The tests nearest to the faulty file run first, until
one fails: those in its folder under ``tests``, beginning with files that mention the faulty code.
Faults that survive these tests are seeded together, and the whole tier runs once. Every test that
fails is then run with one half of the faults and with the other, until it is known which faults it
catches. A test that also fails on the unchanged copy is ignored.

Results are kept in ``results.csv``, one line for each fault, and are not measured again; delete a
line to measure its fault again. ``--table`` prints the table of
``docs/reference/seeded_faults.md``, and ``--check`` only checks that every fault still fits the
sources.
"""

from __future__ import annotations

import argparse
import ast
import csv
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import attrs
import tomli

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = HERE / "results.csv"
TIERS = {"quick": "not full and not long", "full": "not long", "long": ""}
"""Maps each tier to the expression that selects its tests by their markers."""
SURVIVED = "-"
"""Recorded in place of a test's name if the whole tier ran and no test failed."""
NEAREST, NEAR = 6, 34
"""Number of test files that run first, and maximum number tried for a fault."""


@attrs.frozen
class Fault:
    """A small mistake to seed: ``new`` replaces ``old``, which occurs exactly once in ``file``."""

    name: str
    room: str
    kind: str
    notice: str
    file: str
    old: str
    new: str


@attrs.frozen
class Run:
    """The result of a test run: the failed tests, whether it finished, and pytest's output."""

    failed: tuple[str, ...]
    ended: bool
    said: str


def faults() -> list[Fault]:
    """Return the catalogue; raise ``SystemExit`` listing every fault that no longer fits the sources."""
    content = tomli.loads((HERE / "catalogue.toml").read_text(encoding="utf-8"))
    catalogue = [Fault(**fault) for fault in content["fault"]]
    wrong = [
        f"{name} appears {times} times"
        for name, times in Counter(fault.name for fault in catalogue).items()
        if times > 1
    ]
    for fault in catalogue:
        text = (ROOT / fault.file).read_text(encoding="utf-8")
        if (times := text.count(fault.old)) != 1:
            wrong.append(f"{fault.name}: its text occurs {times} times in {fault.file}")
        elif fault.file.endswith(".py"):
            compile(text.replace(fault.old, fault.new), fault.name, "exec")
    if wrong:
        raise SystemExit("\n".join(wrong))
    return catalogue


# --- the copy of the tree ------------------------------------------------------------------------
class Copy:
    """A copy of the tree, into which faults are seeded and from which they are removed again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = subprocess.run(
            [shutil.which("git") or "git", "ls-files", "-z"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout.decode()
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)

    @contextmanager
    def seeded(self, some: Iterable[Fault]) -> Iterator[None]:
        """Seed these faults inside the block, then restore the files."""
        touched = set[str]()
        try:
            for fault in some:
                path = self.folder / fault.file
                touched.add(fault.file)
                text = path.read_text(encoding="utf-8").replace(fault.old, fault.new)
                path.write_text(text, encoding="utf-8")
                self._forget(path)
            yield
        finally:
            for file in touched:
                shutil.copy2(ROOT / file, self.folder / file)
                self._forget(self.folder / file)

    @staticmethod
    def _forget(path: Path) -> None:
        """Remove a file's bytecode, because its time stamp is too coarse to tell two edits apart."""
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink()

    def run(self, tests: Sequence[str], tier: str, limit: float, *, stop: bool) -> Run:
        """Run these files or tests of a tier; with ``stop``, only until the first failure."""
        houses = [self.folder / house / "src" for house in ("core", "workbench", "studio", "kit")]
        paths = [*houses, *sorted((self.folder / "plugins").glob("*/src"))]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rfE"]
        command += ["--no-header", "--tb=no", "-m", TIERS[tier], *(["-x"] if stop else [])]
        with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
            process = subprocess.Popen(
                [*command, *_left_in(tests)],
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                process.wait(limit)
                ended = True
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                ended = False
            said.seek(0)
            text = said.read()
        failed = tuple(dict.fromkeys(_FAILED.findall(text)))
        if ended and process.returncode not in (0, 5) and not failed:
            # The collection of tests ended before one could fail, e.g. in a conftest.
            failed = (tests[0].partition("::")[0],)
        return Run(failed, ended, text)


_FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/[^\s:]+(?:::\w+)*(?:\[\S*\])?)", re.MULTILINE)
"""Matches a test that failed; without its parameters, if they contain a space."""
LEFT_OUT = set[str]()
"""Tests that fail on the unchanged copy."""


def _left_in(tests: Sequence[str]) -> list[str]:
    return [*tests, *(f"--deselect={test}" for test in sorted(LEFT_OUT))]


# --- which tests first ----------------------------------------------------------------------------
@cache
def test_files() -> dict[str, str]:
    """Return the text of every test file, by path."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    # Documentation and browser tests need files that a copy lacks; the test of the catalogue fails
    # whatever fault is seeded.
    outside = {"docs_built", "browser", "test_seeded_faults.py"}
    return {
        str(file.relative_to(ROOT)): file.read_text(encoding="utf-8")
        for file in files
        if not outside & {*file.parts}
    }


def near(fault: Fault) -> list[str]:
    """Return the tests near a fault, most promising first: its folder's tests that mention the faulty code."""
    parts = Path(fault.file).parts
    house = parts[1] if parts[0] == "plugins" else parts[0]
    inner = parts[-2]
    words = [(20, Path(fault.file).stem.removeprefix("test_"))]
    words += [(10, name) for name in _around(fault)]
    scores: dict[str, float] = {}
    for file, text in test_files().items():
        folders = file.split("/")
        score = 30.0 * (inner in folders[2:-1])
        for weight, word in words:
            score += 4 * weight * (word in folders[-1])
            score += weight * min(text.count(word), 5) / 5
        # A test of another package is near only if it mentions this package or game.
        scores[file] = score + 100 if folders[1] == house else 0.5 * score * (house in text)
    nearest = sorted(scores, key=lambda file: -scores[file])
    return [file for file in nearest if scores[file]][:NEAR]


def _around(fault: Fault) -> list[str]:
    """Return the names of the function and the class that contain a fault."""
    if not fault.file.endswith(".py"):
        return []
    text = (ROOT / fault.file).read_text(encoding="utf-8")
    line = text[: text.index(fault.old)].count("\n") + 1 + fault.old.startswith("\n")
    return [
        node.name.lstrip("_")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and node.lineno <= line <= (node.end_lineno or line)
    ]


# --- measuring ------------------------------------------------------------------------------------
@attrs.frozen
class Found:
    """The measurements of a fault: the test that catches it in each tier, and the seconds it took."""

    quick: str = ""
    full: str = ""
    long: str = ""
    seconds: str = ""


COLUMNS = ("name", "room", "kind", *(field.name for field in attrs.fields(Found)))


class Results:
    """The file of results, which is written after each result."""

    def __init__(self, catalogue: Sequence[Fault]) -> None:
        self._catalogue = catalogue
        self._lock = threading.Lock()
        self.found = dict[str, Found]()
        if RESULTS.exists():
            with RESULTS.open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    self.found[row["name"]] = Found(
                        **{field.name: row[field.name] for field in attrs.fields(Found)}
                    )

    def of(self, fault: Fault, tier: str) -> str:
        """Return the test that catches a fault in a tier, or "" if that has not been measured yet."""
        known = self.found.get(fault.name, Found())
        # A tier includes the tests of the tiers before it.
        for earlier in TIERS:
            test = str(getattr(known, earlier))
            if test not in ("", SURVIVED) or earlier == tier:
                return test
        raise KeyError(tier)

    def keep(self, fault: Fault, tier: str, test: str, seconds: float) -> None:
        """Record a result and write the file."""
        with self._lock:
            known = self.found.get(fault.name, Found())
            self.found[fault.name] = attrs.evolve(
                known, **{tier: test, "seconds": f"{seconds:.0f}"}
            )
            rows = [
                {
                    "name": one.name,
                    "room": one.room,
                    "kind": one.kind,
                    **attrs.asdict(self.found[one.name]),
                }
                for one in self._catalogue
                if one.name in self.found
            ]
            with RESULTS.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)


class Bench:
    """The copies of the tree, one for each job, and the measurements made on them."""

    def __init__(self, results: Results, tier: str, limit: float, copies: Sequence[Copy]) -> None:
        self._results = results
        self._tier = tier
        self._limit = limit
        self._copies = copies
        self._free = [*copies]
        self._sound = dict[str, bool]()

    @contextmanager
    def _copy(self) -> Iterator[Copy]:
        copy = self._free.pop()
        try:
            yield copy
        finally:
            self._free.append(copy)

    def sound(self, copy: Copy, test: str) -> bool:
        """Return whether a test passes on the unchanged copy; if not, ignore it from now on."""
        if test not in self._sound:
            run = copy.run([test], self._tier, self._limit, stop=True)
            self._sound[test] = not run.failed
            if run.failed and "::" not in test:
                raise SystemExit(f"{test} cannot be collected on the unchanged copy:\n{run.said}")
            if run.failed:
                LEFT_OUT.add(test)
        return self._sound[test]

    def alone(self, fault: Fault) -> None:
        """Run the tests near a fault until one fails, and record that test."""
        files, began = near(fault), time.monotonic()
        with self._copy() as copy:
            for some in filter(None, (files[:NEAREST], files[NEAREST:])):
                while True:
                    with copy.seeded([fault]):
                        run = copy.run(some, self._tier, self._limit, stop=True)
                    test = next(iter(run.failed), "")
                    if not test or self.sound(copy, test):
                        break
                if test:
                    took = time.monotonic() - began
                    self._results.keep(fault, self._tier, test, took)
                    print(f"{fault.name:36s} {took:4.0f} s  {test}", flush=True)
                    return
                if not run.ended:
                    print(f"{fault.name:36s} no end within {self._limit:.0f} s", flush=True)
                    return
        print(f"{fault.name:36s} not by {len(files)} files near it", flush=True)

    def together(self, some: Sequence[Fault]) -> None:
        """Run the whole tier with all of these faults, and record which test catches which fault."""
        began, files = time.monotonic(), [*test_files()]
        shares = [files[n :: len(self._copies)] for n in range(len(self._copies))]

        def share(pair: tuple[Copy, Sequence[str]]) -> Run:
            copy, part = pair
            with copy.seeded(some):
                return copy.run(part, self._tier, 20 * self._limit, stop=False)

        with ThreadPoolExecutor(len(self._copies)) as pool:
            runs = [*pool.map(share, zip(self._copies, shares, strict=True))]
        copy, open_faults = self._copies[0], [*some]
        for test in [test for run in runs for test in run.failed]:
            if not open_faults or not self.sound(copy, test):
                continue
            for fault in self._guilty(copy, test, open_faults):
                open_faults.remove(fault)
                self._results.keep(fault, self._tier, test, time.monotonic() - began)
                print(f"{fault.name:36s} in the whole tier  {test}", flush=True)
        if not all(run.ended for run in runs):
            print("the whole tier did not come to its end: what is left stays open", flush=True)
            return
        for fault in open_faults:
            self._results.keep(fault, self._tier, SURVIVED, time.monotonic() - began)
            print(f"{fault.name:36s} SURVIVED", flush=True)

    def _guilty(self, copy: Copy, test: str, some: Sequence[Fault]) -> list[Fault]:
        """Return the faults that make a test fail."""
        with copy.seeded(some):
            run = copy.run([test], self._tier, self._limit, stop=True)
        if run.ended and not run.failed:
            return []
        if len(some) == 1:
            return [*some]
        half = len(some) // 2
        return [
            *self._guilty(copy, test, some[:half]),
            *self._guilty(copy, test, some[half:]),
        ]


def table(catalogue: Sequence[Fault], results: Results, tier: str) -> str:
    """Return the table of the documentation: faults seeded, measured and caught, by distribution."""
    lines = [f"| where | seeded | measured | caught by {tier} |", "|---|---:|---:|---:|"]
    rooms = list(dict.fromkeys(fault.room for fault in catalogue))
    for room in (*rooms, "all"):
        some = [fault for fault in catalogue if room in (fault.room, "all")]
        found = [test for fault in some if (test := results.of(fault, tier))]
        caught = sum(test != SURVIVED for test in found)
        lines.append(f"| {room} | {len(some)} | {len(found)} | {caught} |")
    return "\n".join(lines)


def main() -> int:
    """Measure the faults that have no result yet; return 1 if any survived."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tier", choices=TIERS, default="quick", help="the tests that run")
    parser.add_argument("--only", nargs="*", default=[], help="faults by name; all by default")
    parser.add_argument("--jobs", type=int, default=1, help="copies in use at once")
    parser.add_argument("--limit", type=float, default=300, help="seconds for one run near a fault")
    parser.add_argument("--near", action="store_true", help="leave out the run of the whole tier")
    parser.add_argument("--table", action="store_true", help="print the table of the results")
    parser.add_argument("--check", action="store_true", help="only check the catalogue")
    given = parser.parse_args()
    catalogue = faults()
    results = Results(catalogue)
    if unknown := {*given.only} - {fault.name for fault in catalogue}:
        parser.error(f"no fault is called {', '.join(sorted(unknown))}")
    if given.table:
        print(table(catalogue, results, given.tier))
    if given.table or given.check:
        return 0
    chosen = [fault for fault in catalogue if not given.only or fault.name in given.only]
    todo = [fault for fault in chosen if not results.of(fault, given.tier)]
    with tempfile.TemporaryDirectory(prefix="faults") as folder:
        copies = [Copy(Path(folder) / str(n)) for n in range(given.jobs)]
        bench = Bench(results, given.tier, given.limit, copies)
        with ThreadPoolExecutor(given.jobs) as pool:
            list(pool.map(bench.alone, todo))
        left = [fault for fault in todo if not results.of(fault, given.tier)]
        if left and not given.near:
            bench.together(left)
    survivors = [fault for fault in chosen if results.of(fault, given.tier) in ("", SURVIVED)]
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
