"""``fireplan follow``: the scenario that comes after one played to its end."""

from __future__ import annotations

import sys
from pathlib import Path

from fireplan import table
from fireplan.cli._app import BadInputError
from fireplan_core.files import write_toml
from fireplan_core.play import Catalogue


def follow(journal: Path, /, *, keeps: str | None = None, moments: int | None = None) -> None:
    """Print the scenario that follows one played to its end, as a file to be played.

    Parameters
    ----------
    journal
        The journal of the scenario before; it is not touched.
    keeps
        The side whose calls for fire carry over; by default nobody's do.
    moments
        How many moments the new scenario has, if not as many as the game says.
    """
    try:
        form = table.follow(journal, Catalogue.installed(), keeps=keeps, moments=moments)
    except (table.JournalError, table.HeadError, ValueError) as error:
        raise BadInputError(str(error)) from error
    sys.stdout.write(write_toml(form))
