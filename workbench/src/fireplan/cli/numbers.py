"""``fireplan numbers``: every number of a game by its name."""

from __future__ import annotations

from fireplan import api
from fireplan.cli._open import catalogue_with
from fireplan.cli._options import GameKey, Json
from fireplan.cli.compare import tell


def numbers(game: GameKey, name: str | None = None, /, *, json: Json = False) -> None:
    """List every number of a game: its value, where it comes from, and its rule.

    :param name: Only what stands under this name, e.g. ift, 'ift[12]' or radio_contact.
    """
    tell(api.numbers(game, name, catalogue_with(game)), json=json)
