"""``fireplan games``: what is installed, and what failed to load."""

from __future__ import annotations

from fireplan import api
from fireplan.api import InputError
from fireplan.cli._options import Json
from fireplan.cli.compare import tell


def games(*, json: Json = False) -> None:
    """List the installed games, and what is wrong with those that failed to load."""
    found = api.games()
    tell(found, json=json)
    if found.around["problems"]:
        raise InputError("some games failed to load; see above")
