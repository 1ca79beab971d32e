"""``fireplan film``: a game played back on its map, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fireplan import api
from fireplan.api import InputError
from fireplan.cli._app import write
from fireplan.cli._print import say_line
from fireplan.cli.journals import refuse_broken, side_named
from fireplan_core import REFEREE

_INTO = Parameter(name=["--into", "-o"])


def film(game: Path, /, *, into: Annotated[Path | None, _INTO] = None, side: str = REFEREE) -> None:
    """Write a game as a film: one HTML file that plays it back on its map, in any browser and without a network.

    Beside the map stand the odds as they stood, what the standard and the best order would have been, and how lucky
    each roll was; they are worked out for about half a minute, evenly over the game. The whole is filmed once two sides
    have played their game to its end.

    :param game: A journal, or a playthrough (a file, or the name of a shipped one).
    :param into: The HTML file to write, which must not be there yet; by default the game's name with .html.
    :param side: Only what this side may know; by default everything.
    """
    from fireplan.studio import film_of, kept_back, one_file

    session, into = api.load(game).session, into or Path(f"{game.stem}.html")
    side_named(session, side)
    refuse_broken(game, session)
    if into.exists():
        raise InputError(f"{into}: is already there; a film never writes over a file")
    if reason := kept_back(session, side):
        raise InputError(f"{game}: {reason} (--side).")
    write(into, one_file(session.scenario.title, side, film_of(session, side)), anew=True)
    say_line(f"written: {into}")
