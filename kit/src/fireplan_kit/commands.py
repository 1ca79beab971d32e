"""The commands of the kit: a new game written, a game checked, tables of several games' parts tried."""

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
    """Write a new game: a complete distribution that installs and passes the checks as it stands.

    :param name: The new game's key: small letters, digits and underscores, e.g. my_game.
    :param space: hex: hexes, spotting rounds, a results table. plane: a table in metres, a pile of chits, checks
        against a score.
    :param into: The folder in which the game's own folder is made; the present one by default.
    """
    taken = {entry.name for entry in entry_points(group=core.GROUP)}
    try:
        folder = fireplan_kit.new_game(name, cast("fireplan_kit.Space", space), into, taken=taken)
    except fireplan_kit.NewGameError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(f"{into / name}: cannot be written ({error.strerror})") from error
    sys.stdout.write(
        f"{folder} is written. Next:\n"
        f"    python -m pip install -e {shlex.quote(str(folder))}\n"
        f"    fireplan check {name}\n"
        f"    fireplan compare\n"
    )


def tables(*, engagement: str | None = None) -> None:
    """Try every table of parts of the installed games and print as Markdown which can meet, and why others cannot.

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
    game: str, *, json: bool, csv: bool, perft: bool = False, profile: bool = False, **asked: Any
) -> Iterator[Result]:
    """Write tables of outcomes or a profile where that is wanted.

    End with a fault where a check is not passed.
    """
    if perft:
        if json or csv or asked.keys() - {"progress"}:
            raise InputError(
                "--perft writes every table anew and checks nothing: leave the other options out."
            )
        _write_tables(game)
        return
    if profile:
        if json or csv or "only" in asked:
            raise InputError("--profile checks nothing: leave --only, --json and --csv out.")
        _print_profile(game, asked.get("engagement"))
        return
    found = check_question.check(game, **asked)
    yield found
    if not found.passed:
        raise InputError(f"{game} fails a check; see above")


def _bench(key: str, engagement: Any) -> Any:
    """Return the bench of a game that is installed and admitted."""
    check_question.plugin(key)
    catalogue = core.Catalogue.installed()
    if key not in catalogue.games:
        raise InputError(f"{key} is not admitted; see fireplan check {key}")
    with refusing(staging=f"{key} cannot stage the engagement"):
        return fireplan_kit.Bench(catalogue, key, engagement)


def _print_profile(key: str, engagement: str | None) -> None:
    bench = _bench(key, engagement_named(engagement) if engagement else None)
    with refusing("followed"):
        for line in fireplan_kit.profile(bench):
            say_line(line)


def _write_tables(key: str) -> None:
    """Write a game's tables of outcomes anew and name the files."""
    try:
        with refusing():
            written = fireplan_kit.freeze(_bench(key, None))
    except (OSError, ValueError) as error:
        raise InputError(f"{key}: {error}") from error
    for path in written:
        say_line(str(path))


check = command_of(check_question.check, _check)
