"""The commands of the kit: write a new game, check a game, try tables of several games' parts."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast

import fireplan_kit
from fireplan.cli import core
from fireplan.cli.printing import Bar, say_line
from fireplan.cli.question_commands import command_of
from fireplan.questions.errors import InputError, refusing
from fireplan.questions.opening import catalogue, engagement_named
from fireplan.questions.result import Result
from fireplan_kit import check_question


def new(name: str, /, *, space: str = "hex", into: Path = Path()) -> None:
    """Write a new game: a complete distribution that can be installed and passes all checks.

    :param name: The new game's key: small letters, digits and underscores, e.g. my_game.
    :param space: hex: hexes, spotting rounds, a results table. plane: a table in metres, a pile of
        chits, checks against a score.
    :param into: The folder in which the game's own folder is created; by default the current one.
    """
    taken = {entry.name for entry in entry_points(group=core.GROUP)}
    try:
        folder = fireplan_kit.new_game(name, cast("fireplan_kit.Space", space), into, taken=taken)
    except fireplan_kit.NewGameError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(f"{into / name}: cannot be written ({error.strerror})") from error
    sys.stdout.write(
        f"Wrote {folder}. Next:\n"
        f"    python -m pip install -e {shlex.quote(str(folder))}\n"
        f"    fireplan check {name}\n"
        f"    fireplan compare\n"
    )


def tables(*, engagement: str | None = None) -> None:
    """Try every combination of the installed games' parts and print the results as Markdown.

    The tables show which combinations play, and why the others are refused.

    :param engagement: A shipped engagement or the path of your own file; woods by default.
    """
    installed = catalogue()
    staged, meetings = engagement_named(engagement), []
    every = list(fireplan_kit.tables(tuple(installed.games)))
    with Bar() as bar:
        for parts in every:
            meetings.append(fireplan_kit.meet(installed, staged, parts, 1))
            bar.step_of(len(every), "trying")
    sys.stdout.write(fireplan_kit.markdown(installed, meetings))


def _check(
    game: str, *, json: bool, csv: bool, perft: bool = False, profile: bool = False, **options: Any
) -> Iterator[Result]:
    """Yield the result of the checks, or with ``perft`` or ``profile`` write those instead.

    Raises InputError after the result if the game fails a check.
    """
    if perft:
        if json or csv or options.keys() - {"progress"}:
            raise InputError(
                "--perft rewrites every table and checks nothing: leave out the other options."
            )
        _write_tables(game)
        return
    if profile:
        if json or csv or "only" in options:
            raise InputError("--profile checks nothing: leave out --only, --json and --csv.")
        _print_profile(game, options.get("engagement"))
        return
    result = check_question.check(game, **options)
    yield result
    if not result.passed:
        raise InputError(f"{game} fails a check; see above")


def _bench(key: str, engagement: Any) -> Any:
    """Return the bench of an installed game; raise InputError if it is not admitted."""
    check_question.plugin(key)
    catalogue = core.Catalogue.installed()
    if key not in catalogue.games:
        raise InputError(f"{key} is not admitted; run fireplan check {key} to see why")
    with refusing(staging=f"{key} cannot stage the engagement"):
        return fireplan_kit.Bench(catalogue, key, engagement)


def _print_profile(key: str, engagement: str | None) -> None:
    bench = _bench(key, engagement_named(engagement) if engagement else None)
    with refusing("followed"):
        for line in fireplan_kit.profile(bench):
            say_line(line)


def _write_tables(key: str) -> None:
    """Rewrite a game's perft tables and print the paths of the files."""
    try:
        with refusing():
            written = fireplan_kit.freeze(_bench(key, None))
    except (OSError, ValueError) as error:
        raise InputError(f"{key}: {error}") from error
    for path in written:
        say_line(str(path))


check = command_of(check_question.check, _check)
