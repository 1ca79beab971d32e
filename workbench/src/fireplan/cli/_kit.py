"""``fireplan check`` and ``fireplan new``: the conformance kit from the command line."""

from __future__ import annotations

import json
import shlex
import sys
import traceback
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast

import attrs

from fireplan.cli._app import BadInputError, gathered, refuse, unknown
from fireplan.cli._compare import engagement_named
from fireplan.cli._progress import Bar
from fireplan.kit import LAWS, STANDARD, Bench, Finding, NewGameError, Space, examine, freeze, new_game
from fireplan_core import CannotStageError
from fireplan_core.play import GROUP, Catalogue

MOST_SHOWN = 20


def _plugin(key: str) -> Any:
    """The plugin behind an entry point; one that cannot even be imported is bad input."""
    entries = {entry.name: entry for entry in entry_points(group=GROUP)}
    if key not in entries:
        raise unknown("game", key, sorted(entries))
    try:
        return entries[key].load()
    except (Exception, SystemExit) as error:
        where = _where(error, entries[key].module.partition(".")[0])
        raise BadInputError(f"{key} cannot be imported: {type(error).__name__}: {error}{where}") from error


def _where(error: BaseException, package: str) -> str:
    """The last line of a game's own package that an exception went through; nothing where the words name a file."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if package in Path(frame.filename).parts]
    return f" (at {own[-1].filename}:{own[-1].lineno})" if own and ".py" not in str(error) else ""


def run_check(key: str, engagement: str | None, only: list[str], *, as_json: bool) -> bool:
    """Run the checks on a game and print what breaks them; False when something does."""
    ids = [law.id for law in LAWS]
    faults = [str(unknown("check", name, ids)) for name in only if name not in ids]
    plugins: list[Any] = []
    staged = STANDARD
    with gathered(faults):
        plugins.append(_plugin(key))
    with gathered(faults):
        staged = engagement_named(engagement) if engagement else STANDARD
    refuse(faults)
    (plugin,) = plugins
    more = f" --engagement {shlex.quote(engagement)}" if engagement else ""
    found: dict[str, list[Finding]] = {}
    with Bar(len(only) or len(LAWS)) as bar:
        for law, findings in examine(key, plugin, staged, tuple(only)):
            found[law.id] = [attrs.evolve(finding, more=more) for finding in findings]
            bar.step(law.id)
    kept = not any(found.values())
    if as_json:
        checks = [
            {
                "id": law.id,
                "demand": law.demand,
                "made": law.id in found,
                "findings": [
                    {"text": finding.flaw.text, "rule": finding.flaw.cite, "command": finding.command}
                    for finding in found.get(law.id, ())
                ],
            }
            for law in LAWS
        ]
        report = {"game": key, "passed": kept, "checks": checks}
        sys.stdout.write(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
        return kept
    for law in LAWS:
        if law.id not in found:
            continue
        sys.stdout.write(f"{'broken' if found[law.id] else 'kept  '} {law.id}: {law.demand.splitlines()[0]}\n")
        for finding in found[law.id][:MOST_SHOWN]:
            sys.stdout.write(f"         {finding}\n")
        if len(found[law.id]) > MOST_SHOWN:
            sys.stdout.write(f"         and {len(found[law.id]) - MOST_SHOWN} more\n")
    return kept


def run_perft(key: str) -> None:
    """Write a game's tables of outcomes anew and name the files."""
    _plugin(key)
    catalogue = Catalogue.installed()
    if key not in catalogue.games:
        raise BadInputError(f"{key} is not admitted; see fireplan check {key}")
    try:
        written = freeze(Bench(catalogue, key, STANDARD))
    except CannotStageError as error:
        raise BadInputError(f"{key} cannot stage the kit's engagement: " + "; ".join(error.reasons)) from error
    except (OSError, ValueError) as error:
        raise BadInputError(f"{key}: {error}") from error
    for path in written:
        sys.stdout.write(f"{path}\n")


def run_new(key: str, space: str, into: Path) -> None:
    """Write a new game and say what to do next."""
    taken = {entry.name for entry in entry_points(group=GROUP)}
    try:
        folder = new_game(key, cast("Space", space), into, taken=taken)
    except NewGameError as error:
        raise BadInputError(str(error)) from error
    except OSError as error:
        raise BadInputError(f"{into / key}: cannot be written ({error.strerror})") from error
    sys.stdout.write(
        f"{folder} is written. Next:\n"
        f"    python -m pip install -e {shlex.quote(str(folder))}\n"
        f"    fireplan check {key}\n"
        f"    fireplan compare\n"
    )
