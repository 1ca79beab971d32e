"""``fireplan scenarios``: what there is to be solved and played."""

from __future__ import annotations

from fireplan import api
from fireplan.cli._options import Json
from fireplan.cli.compare import tell


def scenarios(game: str | None = None, /, *, engagements: bool = False, json: Json = False) -> None:
    """List the shipped scenarios, of one game or of all; or the engagements that every game may stage.

    :param game: Only the scenarios of this game.
    :param engagements: List the engagements, and the facts of them that may be changed.
    """
    tell(api.engagements() if engagements else api.scenarios(game), json=json)
