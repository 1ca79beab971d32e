"""Run every command about odds on every shipped scenario, and print how each ends.

    python benchmarks/matrix.py [KIND ...] [--in TEXT]

Kinds are odds, sample, best, whatif, sensitivity, sweep and kitbash (all by default, which takes a
quarter of an hour); ``--in asl/`` takes only scenarios (for kitbash: games) with that text in their
name. The table has each command's status, processor seconds and kind of answer. If a command
refuses, the commands that its refusal suggests are run as well, and each must answer; the script
ends with status 1 if one does not.
"""

from __future__ import annotations

import re
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import attrs

from fireplan_core import WORDS
from fireplan_core.play import Catalogue, shipped_scenarios

NUMBERS = {
    "asl": "asl.set_breaks=11",
    "miniatures_1943": "miniatures_1943.barrages_per_turn=4",
    "red_poppies": "red_poppies.on_target=3",
    "wacht_am_rhein": "wacht_am_rhein.men_per_step=120",
}
"""For each game, a changed value of one of its numbers."""
SUGGESTED = re.compile(r"^ +[^:\n]+: (fireplan .+)$", re.MULTILINE)
PATIENCE = 900
"""Seconds after which a command is stopped."""


@attrs.frozen
class Ran:
    """A command that was run: its status, processor seconds, output and error output."""

    status: int
    seconds: float
    out: str
    error: str

    @property
    def way(self) -> str:
        """Return the kind of answer that the output shows, e.g. "exact", "sampled", "refused" or
        "FAILED".
        """
        if self.status:
            return "refused" if self.status == 2 else "FAILED"
        if "│ too" in self.out:  # a row in the table of a sweep
            return "too large, in a row"
        if self.out.startswith("No orders can give") and "(sampled)" not in self.out:
            return "exact, with a bound"
        if "sampled" in self.out[:400].lower():
            return "sampled"
        return "exact"


def run(*words: str) -> Ran:
    """Run a fireplan command; return it with its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "fireplan.cli", *words],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        status, out, error = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        status, out, error = -1, "", f"no answer in {PATIENCE} s"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ran(status, seconds, out, error)


def commands(kinds: set[str], text: str, folder: Path) -> Iterator[tuple[str, ...]]:
    """Yield the commands to run, in order."""
    installed = Catalogue.installed()
    names = [name for name in shipped_scenarios(installed) if text in name]
    for name in names:
        number = NUMBERS[name.partition("/")[0]]
        yield from (
            words
            for kind, words in (
                ("odds", ("odds", name)),
                ("sample", ("odds", name, "--sample", "200")),
                ("best", ("best", name, "--for", "delivered")),
                ("best", ("best", name, "--for", "reduced")),
                ("whatif", ("whatif", name, "--set", number)),
                ("sensitivity", ("sensitivity", name, "--for", "delivered")),
            )
            if kind in kinds
        )
        if "sweep" in kinds:
            plan = folder / f"{name.replace('/', '_')}.toml"
            axis, value = number.split("=")
            lines = (
                'title = "matrix"',
                f'scenarios = ["{name}"]',
                "[[vary]]",
                f'number = "{axis}"',
            )
            plan.write_text("\n".join((*lines, f"values = [{value}]", "")), encoding="utf-8")
            yield ("sweep", str(plan), "--workers", "1")
    if "kitbash" in kinds:
        games = list(installed.games)
        pairs = (
            (game, word, other)
            for game in games
            for word in WORDS
            for other in games
            if other != game
        )
        yield from (
            ("kitbash", game, f"--{word}", other) for game, word, other in pairs if text in game
        )


def main() -> int:
    """Print a row for each command, and for each command that a refusal suggests; return the status."""
    given = sys.argv[1:]
    text = ""
    if "--in" in given:
        where = given.index("--in")
        text = given[where + 1]
        del given[where : where + 2]
    known = ("odds", "sample", "best", "whatif", "sensitivity", "sweep", "kitbash")
    if unknown := [kind for kind in given if kind not in known]:
        raise SystemExit(f"no kind of command: {', '.join(unknown)}; there are {', '.join(known)}")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for words in commands(set(given or known), text, Path(folder)):
            ran = run(*words)
            said = shlex.join(words).replace(folder + "/", "")
            print(f"{ran.status:>2}  {ran.seconds:>6.1f} s  {ran.way:<24}  {said}", flush=True)
            suggested = SUGGESTED.findall(ran.error) if ran.status == 2 else []
            failed += ran.status not in (0, 2) or (ran.status == 2 and not suggested)
            for other in suggested:
                again = run(*shlex.split(other)[1:])
                print(
                    f"{again.status:>2}  {again.seconds:>6.1f} s  {again.way:<24}      {other}",
                    flush=True,
                )
                failed += again.status != 0
    print(f"{failed} without an answer")
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())
