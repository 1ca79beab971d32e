"""``fireplan games``, ``scenarios``, ``rules``, ``numbers`` and ``fields``: lists of what there is."""

from __future__ import annotations

from fireplan import api
from fireplan.api import InputError
from fireplan.cli._open import catalogue_with
from fireplan.cli._options import GameKey, Json
from fireplan.cli.compare import tell


def games(*, json: Json = False) -> None:
    """List the installed games, and what is wrong with those that failed to load."""
    found = api.games()
    tell(found, json=json)
    if found.around["problems"]:
        raise InputError("some games failed to load; see above")


def scenarios(game: str | None = None, /, *, engagements: bool = False, json: Json = False) -> None:
    """List the shipped scenarios, of one game or of all; or the engagements that every game may stage.

    :param game: Only the scenarios of this game.
    :param engagements: List the engagements, and the facts of them that may be changed.
    """
    tell(api.engagements() if engagements else api.scenarios(game), json=json)


def rules(game: GameKey, rule: str | None = None, /, *, json: Json = False, status: str | None = None) -> None:
    """Show every numbered rule of a game: what it says, whether it is in force here, where, and which tests cover it.

    :param rule: The number of one rule: also print the steps that cite it, the numbers that rest on it, and its tests
        by name.
    :param status: Only rules of this status: implemented, open, 'not applicable' or heading.
    """
    tell(api.rules(game, rule, status=status, catalogue=catalogue_with(game)), json=json)


def numbers(game: GameKey, name: str | None = None, /, *, json: Json = False) -> None:
    """List every number of a game: its value, where it comes from, and its rule.

    :param name: Only what stands under this name, e.g. ift, 'ift[12]' or radio_contact.
    """
    tell(api.numbers(game, name, catalogue_with(game)), json=json)


def fields(game: GameKey, /, *, json: Json = False) -> None:
    """List what can be said of a position of a game: its name, what it may be, its rule, and what it means.

    Positions are explained in docs/positions.md.
    """
    tell(api.fields(game, catalogue_with(game)), json=json)
