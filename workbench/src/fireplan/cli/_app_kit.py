"""The commands for authors of games, and their arguments: check, new."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fireplan.cli._app import BadInputError


def check(
    game: str,
    /,
    *,
    engagement: str | None = None,
    only: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    perft: Annotated[bool, Parameter(negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Hold a game to the checks that every game must pass, and say what breaks them, by which rule.

    Parameters
    ----------
    game
        A game's key, as 'fireplan games' lists them.
    engagement
        The engagement to try them on; the kit's own small one by default.
    only
        Only these checks, by their ids (docs/checks.md), e.g. L03-mass.
    perft
        Do not check: write the game's tables of what every throw leads to anew (data/perft of its package).
    json
        Print JSON instead of lines.
    """
    from fireplan.cli._kit import run_check, run_perft

    if perft:
        if engagement or only or json:
            raise BadInputError("--perft writes every table anew and checks nothing: leave the other options out.")
        run_perft(game)
    elif not run_check(game, engagement, only or [], as_json=json):
        raise BadInputError(f"{game} fails a check; see above")


def new(name: str, /, *, space: str = "hex", into: Path = Path()) -> None:
    """Write a new game: a complete distribution that installs and passes the checks as it stands.

    Parameters
    ----------
    name
        The new game's key: small letters, digits and underscores, e.g. my_game.
    space
        hex: hexes, spotting rounds, a results table. plane: a table in metres, a pile of chits, checks against a score.
    into
        The folder in which the game's own folder is made; the present one by default.
    """
    from fireplan.cli._kit import run_new

    run_new(name, space, into)
