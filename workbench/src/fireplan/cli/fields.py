"""``fireplan fields``: all that can be said of a position of a game, by name."""

from __future__ import annotations

from fireplan import api
from fireplan.cli._open import catalogue_with
from fireplan.cli._options import GameKey, Json
from fireplan.cli.compare import tell


def fields(game: GameKey, /, *, json: Json = False) -> None:
    """List what can be said of a position of a game: its name, what it may be, its rule, and what it means.

    Positions are explained in docs/positions.md.
    """
    tell(api.fields(game, catalogue_with(game)), json=json)
