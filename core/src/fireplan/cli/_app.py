"""The commands and their arguments."""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

from cyclopts import App, CycloptsError, Parameter

HELP = """Compare the artillery of wargames: the same engagement, exactly, in minutes and metres."""


def _version() -> str:
    from importlib.metadata import version

    return version("fireplan")


app = App(
    name="fireplan", help=HELP, version_flags=["--version"], version=_version, default_parameter=Parameter(negative="")
)


class BadInputError(Exception):
    """Input that cannot be used; the message says everything that is wrong with it."""


class DiffersError(Exception):
    """What was stored is not what the rules give now; the message says where."""


def run(arguments: list[str]) -> int:
    """Run one command line; returns the exit status."""
    from fireplan.cli import _app_best, _app_change, _app_studio, _app_table  # noqa: F401 - its commands add themselves to the app

    try:
        app(arguments, exit_on_error=False, print_error=True, result_action="return_value")
    except CycloptsError:
        return 2
    except DiffersError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except BadInputError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except BrokenPipeError:
        # The reader of a pipe has seen enough; give the interpreter something it can still flush to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


@app.command
def compare(
    engagement: str | None = None,
    /,
    *,
    games: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    minutes: int | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
    csv: Annotated[bool, Parameter(negative="")] = False,
    picture: Path | None = None,
    explain: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Answer one engagement with every installed game, side by side.

    Parameters
    ----------
    engagement
        A shipped engagement (woods, dug_in, open_attack, strongpoint) or the path of your own file; woods by default.
    games
        Only these games, by the keys that 'fireplan games' lists, parted by commas or spaces.
    minutes
        Watch for so many minutes instead of the engagement's own.
    json
        Print JSON with exact rationals instead of the table.
    csv
        Print comma-separated lines instead of the table.
    picture
        Also draw footprints, first falls and delivery over time into this SVG file.
    explain
        Also print what each yardstick means, with a figure of this comparison read aloud.
    """
    from fireplan.cli._compare import Wanted, run_compare

    run_compare(Wanted(engagement, minutes, picture, json, csv, explain), games)


@app.command(name="games")
def list_games(*, json: Annotated[bool, Parameter(negative="")] = False) -> None:
    """List the installed games, and what is wrong with those that failed to load.

    Parameters
    ----------
    json
        Print JSON instead of the table.
    """
    from fireplan.cli._listing import run_games

    if not run_games(as_json=json):
        raise BadInputError("some games failed to load; see above")


@app.command
def rules(game: str, /, *, json: Annotated[bool, Parameter(negative="")] = False, status: str | None = None) -> None:
    """Show every numbered rule of a game: what it says, whether it is in force here, where, and which tests bear it.

    Parameters
    ----------
    game
        A game's key, as 'fireplan games' lists them.
    json
        Print JSON instead of the table.
    status
        Only rules of this status: implemented, open or 'not applicable'.
    """
    from fireplan.cli._listing import run_rules

    run_rules(game, status, as_json=json)


@app.command
def graph(game: str, /, *, engagement: str | None = None, svg: Path | None = None) -> None:
    """Print the life cycle of a game's missions, found by following the real rules, as a Mermaid diagram.

    Parameters
    ----------
    game
        A game's key, as 'fireplan games' lists them.
    engagement
        The engagement to follow; woods by default.
    svg
        Also draw the diagram into this SVG file.
    """
    from fireplan.cli._listing import run_graph

    run_graph(game, engagement, svg)


@app.command
def odds(
    scenario: str | None = None,
    /,
    *,
    game: str | None = None,
    moments: int | None = None,
    sample: int = 0,
    seed: int = 1,
    floats: Annotated[bool, Parameter(name="--float", negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Solve a scenario exactly under the standard doctrine: every yardstick of the comparison, for one table.

    Parameters
    ----------
    scenario
        A shipped scenario (game/name) or a scenario file; with --game an engagement, woods by default.
    game
        Solve an engagement with this game.
    moments
        Watch so many moments instead of the scenario's own.
    sample
        Sample so many trajectories instead of solving exactly; shares come with their standard error.
    seed
        Seed of the sample: the same seed gives the same figures everywhere.
    floats
        Carry chances in floats: quicker over many moments, equal but for rounding, and labelled so.
    json
        Print JSON (with exact rationals when solved exactly) instead of the table.
    """
    from fireplan.cli._sitting import Asked, run_odds

    run_odds(scenario, game, Asked(moments, sample, seed, json, floats))


@app.command
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
        run_perft(game)
    elif not run_check(game, engagement, only or [], as_json=json):
        raise BadInputError(f"{game} fails a check; see above")


@app.command
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


def unknown(what: str, given: str, known: list[str]) -> BadInputError:
    """The answer to a name that there is not, with the nearest one that there is."""
    near = get_close_matches(given, known, n=1, cutoff=0.4)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return BadInputError(f"There is no {what} {given!r}.{hint} There are: {', '.join(known) or 'none'}.")


def write(path: Path, text: str) -> None:
    """Write a file whole; raises ``BadInputError`` when it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"{path}: cannot be written ({error.strerror})") from error
