"""The commands of those who write games: the sources of a new one, and how missions of a game live."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import cast

from fireplan import api, kit
from fireplan import solver as solving
from fireplan.api import InputError, catalogue_with, refuse, refusing, unwritable
from fireplan.cli import _core as core
from fireplan.cli._app import write
from fireplan.cli._options import GameKey


def new(name: str, /, *, space: str = "hex", into: Path = Path()) -> None:
    """Write a new game: a complete distribution that installs and passes the checks as it stands.

    :param name: The new game's key: small letters, digits and underscores, e.g. my_game.
    :param space: hex: hexes, spotting rounds, a results table. plane: a table in metres, a pile of chits, checks
        against a score.
    :param into: The folder in which the game's own folder is made; the present one by default.
    """
    from importlib.metadata import entry_points

    taken = {entry.name for entry in entry_points(group=core.GROUP)}
    try:
        folder = kit.new_game(name, cast("kit.Space", space), into, taken=taken)
    except kit.NewGameError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(f"{into / name}: cannot be written ({error.strerror})") from error
    sys.stdout.write(
        f"{folder} is written. Next:\n"
        f"    python -m pip install -e {shlex.quote(str(folder))}\n"
        f"    fireplan check {name}\n"
        f"    fireplan compare\n"
    )


def graph(game: GameKey, /, *, engagement: str | None = None, svg: Path | None = None) -> None:
    """Print the life cycle of a game's missions, found by following the real rules, as a Mermaid diagram.

    :param engagement: The engagement to follow; woods by default.
    :param svg: Also draw the diagram into this SVG file.
    """
    installed = catalogue_with(game)
    refuse([fault] if (fault := unwritable(svg, (".svg",))) else [])
    with refusing(staging=f"{game} cannot stage this engagement"):
        scenario = core.stage_engagement(installed, game, api.engagement_named(engagement))
    found = solving.passages(solving.explore_orders(scenario), scenario, scenario.mission_ids[0])
    if svg is not None:
        write(svg, solving.lifecycle_svg(found, installed[game].game.title))
    sys.stdout.write(solving.mermaid(found))
