"""Mutants: games with seeded faults, each a small change to a good game, that the kit must catch.

``python tests/kit/mutants/shelf.py`` tries every fault and prints how many are caught, by kind and
by game.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module, invalidate_caches
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import tomli

from fireplan.table import Session, complete_playthrough, read_playthrough, scenario_of
from fireplan_kit import STANDARD, Bench, examine, freeze, uncovered
from fireplan_kit.check import admitted, raised
from fireplan_kit.scaffolding import SPACES, rendered

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"
IMPORTS = (
    "from fireplan_core import Effects, Form, Outcome, Reason, Refusal, Shot, Update, cycle, emit, orders, push, step\n"
    "from fireplan_core import update"
)
"""The imports that the inserted methods need."""
HEAD = '"""\n\nfrom'
FIRST_ATTRIBUTE = "    cites: ClassVar = {"
FROZEN = ("L20-perft", "L22-playthroughs")
"""The checks that can find a fault only by comparing with older files."""
UNSEEN = "not looked at"
"""Recorded in place of a check's id if the fault appears only in the list of code that no file
reaches.
"""


@attrs.frozen
class Edit:
    """A text in a file of the game's package, and its replacement."""

    file: str
    old: str
    new: str


@attrs.frozen
class Fault:
    """A seeded fault: its kind and game, the check meant to catch it, and the names its message
    must contain.
    """

    id: str
    kind: str
    game: str
    check: str
    edits: tuple[Edit, ...]
    without: tuple[str, ...] = ()
    names: str = ""


@attrs.frozen
class Verdict:
    """The result for a fault: what its check found, in words."""

    fault: Fault
    found: tuple[str, ...]

    @property
    def caught(self) -> bool:
        """Return whether the check meant for the fault reported it and named what it had to name."""
        return any(self.fault.names in text for text in self.found)

    def __str__(self) -> str:
        said = next((text for text in self.found if self.fault.names in text), "")
        said = said.partition("; to reproduce")[0].partition(": ")[2][:200]
        return f"{'caught' if self.caught else 'MISSED'}  {self.fault.game} {self.fault.id} ({self.fault.check}): {said}"


def _edits(row: Mapping[str, Any]) -> Iterator[Edit]:
    """Yield a fault's edits as the file lists them: replacements, or a method before a part's first
    class attribute.
    """
    if "method" in row:
        imports = "\n".join(filter(None, (IMPORTS, row.get("imports"))))
        yield Edit(row["file"], HEAD, HEAD.replace("from", f"{imports}\nfrom"))
        yield Edit(row["file"], FIRST_ATTRIBUTE, f"\n{row['method']}\n{FIRST_ATTRIBUTE}")
    elif "old" in row:
        yield Edit(row["file"], row["old"], row["new"])
    yield from (Edit(**edit) for edit in row.get("edits", ()))


def _read(file: Path) -> Iterator[Fault]:
    for row in tomli.loads(file.read_text(encoding="utf-8"))["fault"]:
        game = row.get("game", row.get("space", "hex"))
        without, names = tuple(row.get("without", ())), row.get("names", "")
        yield Fault(row["id"], row["kind"], game, row["check"], tuple(_edits(row)), without, names)


FAULTS = tuple(fault for file in sorted(HERE.glob("*.toml")) for fault in _read(file))


# --- the games ---------------------------------------------------------------------------------------
@contextmanager
def broken(fault: Fault) -> Iterator[tuple[str, Any]]:
    """Yield the key of a game with a fault and the function that loads it; afterwards restore the
    sound game.
    """
    with TemporaryDirectory() as folder:
        key = f"broken_{fault.id.replace('-', '_')}" if fault.game in SPACES else fault.game
        package = Path(folder) / f"fireplan_{key}"
        if fault.game in SPACES:
            for name, text in rendered(key, fault.game).items():
                path = Path(folder) / name.removeprefix("src/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        else:
            copytree(_home(key), package, ignore=lambda _folder, names: {"__pycache__"} & {*names})
        for edit in fault.edits:
            path = package / edit.file
            text = path.read_text(encoding="utf-8")
            if edit.old not in text:
                raise ValueError(f"fault {fault.id}: {edit.file} does not hold {edit.old!r}")
            path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
        for path in sorted(package.rglob("*")):
            if path.is_file() and any(gone in path.as_posix() for gone in fault.without):
                path.unlink()
        with _imported(key, folder) as load:
            yield key, load


def _home(key: str) -> Path:
    spec = find_spec(f"fireplan_{key}")
    found = (
        Path(spec.origin).parent
        if spec and spec.origin
        else EXAMPLES / key / "src" / f"fireplan_{key}"
    )
    assert found.is_dir(), f"there is no game {key!r}"
    return found


@contextmanager
def _imported(key: str, folder: str) -> Iterator[Any]:
    own = lambda: [name for name in sys.modules if name.partition(".")[0] == f"fireplan_{key}"]  # noqa: E731
    before = {name: sys.modules.pop(name) for name in own()}
    sys.path.insert(0, folder)
    invalidate_caches()
    try:
        yield lambda: import_module(f"fireplan_{key}")
    finally:
        sys.path.remove(folder)
        for name in own():
            del sys.modules[name]
        sys.modules.update(before)


def rewrite(key: str, plugin: Any) -> None:
    """Rewrite a game's perft tables and playthroughs by its present rules; delete those that no
    longer play.
    """
    bench = Bench(admitted(key, plugin)[0], key, STANDARD)
    freeze(bench)
    for path in bench.playthroughs:
        try:
            playthrough = read_playthrough(path.read_text(encoding="utf-8"))
            head = playthrough.head(bench.catalogue, {})
            path.write_text(
                complete_playthrough(
                    playthrough, Session(*scenario_of(bench.catalogue, head)), head
                )
            )
        except (ValueError, LookupError, ArithmeticError):
            path.unlink()


def try_fault(fault: Fault) -> Verdict:
    """Seed this fault into its game and run the check meant for it; return the verdict."""
    with broken(fault) as (key, load):
        try:
            plugin = load()
            if fault.check == UNSEEN:
                rewrite(key, plugin)
                found = [
                    f"{key}: {UNSEEN}: {what} {', '.join(names)}"
                    for what, names in uncovered(key, plugin).items()
                ]
            else:
                found = [
                    str(one)
                    for _, findings in examine(key, plugin, only=(fault.check,))
                    for one in findings
                ]
        except Exception as error:  # noqa: BLE001 - a game that cannot be imported is not admitted
            found = [f"{key}: {raised(error)}"]
    return Verdict(fault, tuple(found))


@cache
def installed() -> frozenset[str]:
    """Return the games that can be broken: both scaffolds, the installed ones, the examples."""
    return frozenset(
        {
            *SPACES,
            *(entry.name for entry in entry_points(group="fireplan.games")),
            *(p.name for p in EXAMPLES.iterdir()),
        }
    )


def figures(verdicts: list[Verdict]) -> list[str]:
    """Return lines with the number of faults caught, by kind and by game."""
    lines = []
    for heading, of in (("kind", lambda fault: fault.kind), ("game", lambda fault: fault.game)):
        names = sorted({of(verdict.fault) for verdict in verdicts})
        rows = [(name, [v.caught for v in verdicts if of(v.fault) == name]) for name in names]
        lines += [
            f"by {heading}:",
            *(f"  {name}: {sum(caught)} of {len(caught)}" for name, caught in rows),
        ]
    whole = sum(verdict.caught for verdict in verdicts)
    return [
        *lines,
        f"{whole} of {len(verdicts)} faults of {len({v.fault.kind for v in verdicts})} kinds caught",
    ]


def main(words: list[str]) -> None:
    """Try all faults, or those whose id, kind, game or check contains one of these words."""
    verdicts = []
    for fault in FAULTS:
        told = f"{fault.id} {fault.kind} {fault.game} {fault.check}"
        if fault.game in installed() and (not words or any(word in told for word in words)):
            verdicts.append(try_fault(fault))
            sys.stdout.write(f"{verdicts[-1]}\n")
            sys.stdout.flush()
    sys.stdout.write("\n".join(figures(verdicts)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
