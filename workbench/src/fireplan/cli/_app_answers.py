"""The commands that answer for games as they are, and their arguments: compare, odds, games, rules, graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fireplan.cli._app import BadInputError


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


def games(*, json: Annotated[bool, Parameter(negative="")] = False) -> None:
    """List the installed games, and what is wrong with those that failed to load.

    Parameters
    ----------
    json
        Print JSON instead of the table.
    """
    from fireplan.cli._listing import run_games

    if not run_games(as_json=json):
        raise BadInputError("some games failed to load; see above")


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
        Sample so many trajectories instead of solving exactly; shares come with their standard error. A table that is
        too large to be solved is sampled (1,000) in any case, and the answer says so.
    seed
        Seed of the sample: the same seed gives the same figures everywhere.
    floats
        Carry chances in floats: quicker over many moments, equal but for rounding, and labelled so.
    json
        Print JSON (with exact rationals when solved exactly) instead of the table.
    """
    from fireplan.cli._sitting import Asked, run_odds

    run_odds(scenario, game, Asked(moments, sample, seed, json, floats))
