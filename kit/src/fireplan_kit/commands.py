"""The kit's commands: write a new game, and try combinations of several games' parts."""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, cast

from cyclopts import Parameter

import fireplan_kit
from fireplan import sheets
from fireplan.cli import core
from fireplan.cli.options import SomeEngagement
from fireplan.cli.printing import Bar
from fireplan.errors import InputError
from fireplan.questions.opening import catalogue, engagement_named
from fireplan.questions.refusing import refusing


def new(
    name: str,
    /,
    *,
    space: Annotated[str, Parameter(metavar="hex|plane")] = "hex",
    sheet: Annotated[Path | None, Parameter(name="--from")] = None,
    into: Path = Path(),
) -> None:
    """Write a new game: a complete distribution that can be installed and passes all checks.

    With --from, write a sheet's game in Python; it plays exactly as the sheet does.

    :param name: The new game's key: lowercase letters, digits and underscores, e.g. my_game.
    :param space: hex: hexes, spotting rounds, a results table. plane: a table in metres, a pile of
        chits, checks against a score.
    :param sheet: A sheet (a TOML file), from which the game is made.
    :param into: The folder in which the game's own folder is created; by default the current one.
    """
    taken = {entry.name for entry in entry_points(group=core.GROUP)}
    with refusing():
        read = None if sheet is None else sheets.read_sheet(sheet)
    try:
        folder = fireplan_kit.new_game(
            name, cast("fireplan_kit.Space", space), into, taken=taken, sheet=read
        )
    except OSError as error:
        raise InputError(f"{into / name}: cannot be written ({error.strerror})") from error
    perft = "" if read is None else f"    fireplan check {name} --perft\n"
    sys.stdout.write(
        f"Wrote {folder}. Next:\n"
        f"    python -m pip install -e {shlex.quote(str(folder))}\n"
        f"{perft}"
        f"    fireplan check {name}\n"
        f"    fireplan compare\n"
    )


def tables(*, engagement: SomeEngagement = None) -> None:
    """Try every combination of the installed games' parts and print the results as Markdown.

    The tables show which combinations can be played, and why the others are refused.

    :param engagement: A shipped engagement or the path of your own file; woods by default.
    """
    installed = catalogue()
    staged, meetings = engagement_named(engagement), []
    every = list(fireplan_kit.combinations(tuple(installed.games)))
    with Bar() as bar:
        for parts in every:
            meetings.append(fireplan_kit.meet(installed, staged, parts, 1))
            bar.step(len(every), "trying")
    sys.stdout.write(fireplan_kit.markdown(installed, meetings))
