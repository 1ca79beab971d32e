"""``fireplan rules``: what of a game's rules is played, where, and which tests cover it."""

from __future__ import annotations

from fireplan import api
from fireplan.cli._open import catalogue_with
from fireplan.cli._options import GameKey, Json
from fireplan.cli.compare import tell


def rules(game: GameKey, rule: str | None = None, /, *, json: Json = False, status: str | None = None) -> None:
    """Show every numbered rule of a game: what it says, whether it is in force here, where, and which tests cover it.

    :param rule: The number of one rule: also print the steps that cite it, the numbers that rest on it, and its tests
        by name.
    :param status: Only rules of this status: implemented, open, 'not applicable' or heading.
    """
    tell(api.rules(game, rule, status=status, catalogue=catalogue_with(game)), json=json)
