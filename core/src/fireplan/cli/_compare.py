"""``fireplan compare``: staging, progress, and the table for people."""

from __future__ import annotations

import sys
from pathlib import Path

import attrs
from rich.console import Console

from fireplan import compare as comparing
from fireplan.cli._app import BadInputError, unknown, write
from fireplan.cli._progress import Bar
from fireplan.compare import DEFAULT, EngagementError, describe, find_engagement
from fireplan.mission import Engagement
from fireplan.table import Catalogue

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


def run_compare(
    name: str | None,
    games: list[str] | None,
    minutes: int | None,
    picture: Path | None,
    *,
    as_json: bool,
    as_csv: bool,
    explain: bool,
) -> None:
    """Compare, and print in the form asked for."""
    engagement = engagement_named(name)
    if minutes is not None:
        if not 1 <= minutes <= LONGEST_WATCH:
            raise BadInputError(f"--minutes: expected 1 to {LONGEST_WATCH}, got {minutes}.")
        engagement = attrs.evolve(engagement, minutes=minutes)
    installed = catalogue()
    keys = [key for entry in games or [] for key in entry.split(",") if key] or list(installed.games)
    faults = [str(unknown("game", key, list(installed.games))) for key in keys if key not in installed.games]
    if faults:
        raise BadInputError("\n".join(faults))
    if not keys:
        raise BadInputError("No game is installed.")
    if as_json and as_csv:
        raise BadInputError("--json and --csv cannot both be printed; choose one.")
    with Bar(len(keys) * 4) as bar:
        found = comparing.compare(engagement, installed, keys, lambda game, yardstick: bar.step(f"{game}: {yardstick}"))
    if picture is not None:
        write(picture, comparing.svg(found))
    if as_json:
        sys.stdout.write(comparing.as_json(found))
    elif as_csv:
        sys.stdout.write(comparing.as_csv(found))
    else:
        from fireplan.cli._table import print_comparison

        print_comparison(found, Console(), explain=explain)
        if picture is not None:
            sys.stdout.write(f"Picture: {picture}\n")
