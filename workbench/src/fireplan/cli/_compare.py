"""``fireplan compare``: staging, progress, and the table for people."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from fireplan import compare as comparing
from fireplan.cli._app import BadInputError, gathered, outside, refuse, unknown, unwritable, write
from fireplan.cli._progress import Bar
from fireplan.compare import DEFAULT, EngagementError, describe, find_engagement
from fireplan.odds import TooLargeError
from fireplan_core import Engagement, ProcedureError
from fireplan_core.chance import ChartError
from fireplan_core.play import Catalogue, shipped_scenarios

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
    keys: list[str] = []
    faults: list[str] = []
    with gathered(faults):
        asked_of(wanted)
    with gathered(faults):
        keys = known_games(installed, games)
    refuse(faults)
    answer(wanted, installed, comparing.contenders(installed, keys))


def known_games(installed: Catalogue, games: list[str] | None) -> list[str]:
    """The keys asked for, parted by commas or spaces; all installed ones when the question leaves them open."""
    known = list(installed.games)
    keys = known if games is None else [key for entry in games for key in entry.split(",") if key]
    refuse(str(unknown("game", key, known)) for key in keys if key not in known)
    if not known:
        raise BadInputError("No game is installed.")
    if not keys:
        raise BadInputError(f"--games: name at least one game. There are: {', '.join(known)}.")
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
    engagement = asked_of(wanted)
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


def asked_of(wanted: Wanted) -> Engagement:
    """The engagement, watched for as long as asked; raises ``BadInputError`` with every fault of what is asked."""
    faults = outside("--minutes", wanted.minutes, 1, LONGEST_WATCH) + unwritable(wanted.picture)
    if wanted.as_json and wanted.as_csv:
        faults.append("--json and --csv cannot both be printed; choose one.")
    if wanted.explain and (wanted.as_json or wanted.as_csv):
        faults.append("--explain goes with the table alone; leave out --json and --csv.")
    found: list[Engagement] = []
    with gathered(faults):
        found.append(engagement_named(wanted.engagement))
    refuse(faults)
    (engagement,) = found
    return engagement if wanted.minutes is None else attrs.evolve(engagement, minutes=wanted.minutes)


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
