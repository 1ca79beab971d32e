"""``fireplan follow``: the scenario that comes after one played to its end."""

from __future__ import annotations

import sys
from pathlib import Path

from fireplan import table
from fireplan.api import InputError
from fireplan.cli import _core as core


def follow(journal: Path, /, *, keeps: str | None = None, moments: int | None = None) -> None:
    """Print the scenario that follows one played to its end, as a file to be played.

    :param journal: The journal of the scenario before; it is not touched.
    :param keeps: The side whose calls for fire carry over; by default nobody's do.
    :param moments: How many moments the new scenario has, if not as many as the game says.
    """
    try:
        form = table.follow(journal, core.Catalogue.installed(), keeps=keeps, moments=moments)
    except ValueError as error:
        raise InputError(str(error)) from error
    sys.stdout.write(core.write_toml(form))
