"""``fireplan new``: the sources of a new game."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import cast

from fireplan import kit
from fireplan.api import InputError
from fireplan.cli import _core as core


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
