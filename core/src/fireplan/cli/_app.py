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


app = App(name="fireplan", help=HELP, version_flags=["--version"], version=_version)


class BadInputError(Exception):
    """Input that cannot be used; the message says everything that is wrong with it."""


def run(arguments: list[str]) -> int:
    """Run one command line; returns the exit status."""
    try:
        app(arguments, exit_on_error=False, print_error=True, result_action="return_value")
    except CycloptsError:
        return 2
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
    from fireplan.cli._compare import run_compare

    run_compare(engagement, games, minutes, picture, as_json=json, as_csv=csv, explain=explain)


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
def play(
    scenario: str | None = None,
    /,
    *,
    game: str | None = None,
    journal: Path | None = None,
    seed: int | None = None,
) -> None:
    """Play at the table: legal orders numbered, your own dice typed in, every ruling with its rule.

    Parameters
    ----------
    scenario
        A shipped scenario (game/name) or a scenario file; with --game an engagement, woods by default.
    game
        Play an engagement with this game.
    journal
        The file every input is written to; by default one made of the title. 'fireplan resume' continues it.
    seed
        Seed of the dice that the program rolls for you.
    """
    from fireplan.cli._sitting import run_play

    run_play(scenario, game, journal, seed)


@app.command
def resume(journal: Path, /, *, seed: int | None = None) -> None:
    """Continue a journal where it was left, even between two dice of a throw.

    Parameters
    ----------
    journal
        The journal's file.
    seed
        Seed of the dice that the program rolls for you.
    """
    from fireplan.cli._sitting import run_resume

    run_resume(journal, seed)


@app.command
def replay(journal: Path, /) -> None:
    """Replay a journal against the rules as they are now, and print its account.

    Parameters
    ----------
    journal
        The journal's file; it is opened read-only.
    """
    from fireplan.cli._sitting import run_replay

    run_replay(journal)


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
