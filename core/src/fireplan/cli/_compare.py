"""``fireplan compare``: staging, progress, and the table for people."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from fireplan import compare as comparing
from fireplan.chance import ChartError
from fireplan.cli._app import BadInputError, unknown, write
from fireplan.cli._progress import Bar
from fireplan.compare import DEFAULT, EngagementError, describe, find_engagement
from fireplan.mission import Engagement, ProcedureError
from fireplan.odds import TooLargeError
from fireplan.table import Catalogue, shipped_scenarios

if TYPE_CHECKING:
    from fireplan.compare import Comparison, Contender

LONGEST_WATCH = 24 * 60


def engagement_named(name: str | None) -> Engagement:
    """A shipped engagement or the user's own; raises ``BadInputError`` with every fault of the file."""
    try:
        return find_engagement(name or DEFAULT)
    except EngagementError as error:
        raise BadInputError(describe(error.faults)) from error


def catalogue() -> Catalogue:
    """The installed games; those that failed are named on standard error."""
    installed = Catalogue.installed()
    for problem in installed.problems:
        sys.stderr.write(f"{problem.entry_point} ({problem.distribution}) failed to load: {problem.reason}\n")
    return installed


def catalogue_for(name: str | None, game: str | None) -> Catalogue:
    """The game that a shipped scenario (``game/name``) or ``--game`` names, alone; else all that are installed.

    One game is loaded in a quarter of the time; what is not found in it is looked for, and told of, among all.
    """
    key = game or (name or "").partition("/")[0]
    one = Catalogue.installed(only=(key,))
    if key in one.games and (game or name in shipped_scenarios(one)):
        return one
    return catalogue()


@attrs.frozen(eq=False, repr=False)
class Wanted:
    """What is asked of a comparison: the engagement, how long, and how the answer is printed."""

    engagement: str | None
    minutes: int | None
    picture: Path | None = None
    as_json: bool = False
    as_csv: bool = False
    explain: bool = False


def run_compare(wanted: Wanted, games: list[str] | None) -> None:
    """Compare the games as printed."""
    installed = catalogue()
    answer(wanted, installed, comparing.contenders(installed, known_games(installed, games)))


def known_games(installed: Catalogue, games: list[str] | None) -> list[str]:
    """The keys asked for, parted by commas or spaces; all installed ones when none are."""
    keys = [key for entry in games or [] for key in entry.split(",") if key] or list(installed.games)
    faults = [str(unknown("game", key, list(installed.games))) for key in keys if key not in installed.games]
    if faults:
        raise BadInputError("\n".join(faults))
    if not keys:
        raise BadInputError("No game is installed.")
    return keys


def answer(wanted: Wanted, installed: Catalogue, entrants: Sequence[Contender]) -> None:
    """Compare, and print in the form asked for."""
    printed(wanted, compared(wanted, installed, entrants))


def compared(wanted: Wanted, installed: Catalogue, entrants: Sequence[Contender]) -> Comparison:
    """Compare; raises ``BadInputError`` for what cannot be answered."""
    try:
        return solved(wanted, installed, entrants)
    except TooLargeError as error:
        raise BadInputError(f"This cannot be answered: {error}") from error


def solved(wanted: Wanted, installed: Catalogue, entrants: Sequence[Contender]) -> Comparison:
    """Compare; raises ``TooLargeError`` where one cannot be solved, ``BadInputError`` for what cannot be asked."""
    engagement = engagement_named(wanted.engagement)
    if wanted.minutes is not None:
        if not 1 <= wanted.minutes <= LONGEST_WATCH:
            raise BadInputError(f"--minutes: expected 1 to {LONGEST_WATCH}, got {wanted.minutes}.")
        engagement = attrs.evolve(engagement, minutes=wanted.minutes)
    if wanted.as_json and wanted.as_csv:
        raise BadInputError("--json and --csv cannot both be printed; choose one.")
    with Bar(len(entrants) * 4) as bar:
        try:
            found = comparing.compare(
                engagement, installed, entrants, lambda name, yardstick: bar.step(f"{name}: {yardstick}")
            )
        except ChartError as error:
            raise BadInputError("\n".join(error.faults)) from error
        except (ProcedureError, OSError) as error:
            raise BadInputError(f"This cannot be answered: {error}") from error
    return found


def printed(wanted: Wanted, found: Comparison) -> None:
    """Print a comparison in the form asked for."""
    if wanted.picture is not None:
        write(wanted.picture, comparing.svg(found))
    if wanted.as_json:
        sys.stdout.write(comparing.as_json(found))
    elif wanted.as_csv:
        sys.stdout.write(comparing.as_csv(found))
    else:
        from rich.console import Console

        from fireplan.cli._table import print_comparison

        print_comparison(found, Console(), explain=wanted.explain)
        if wanted.picture is not None:
            sys.stdout.write(f"Picture: {wanted.picture}\n")
