"""The commands that change a game and see what follows, and their arguments: whatif, numbers, kitbash."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fireplan.cli._app import BadInputError

WORDS = ("observers", "requests", "delays", "areas", "resolution")
Several = Annotated[list[str] | None, Parameter(consume_multiple=True)]
Flag = Annotated[bool, Parameter(negative="")]


def whatif(  # noqa: PLR0913 - as compare
    name: str | None = None,
    /,
    *,
    numbers: Annotated[list[str] | None, Parameter(name="--set", consume_multiple=True)] = None,
    option: Several = None,
    chart: Several = None,
    game: str | None = None,
    games: Several = None,
    minutes: int | None = None,
    sensitivity: Flag = False,
    measure: Annotated[str, Parameter(name="--for")] = "delivered",
    top: int = 25,
    sample: int = 0,
    seed: int = 1,
    json: Flag = False,
    csv: Flag = False,
    picture: Path | None = None,
) -> None:
    """Change numbers, options or charts of a game and see before and after side by side, exactly.

    Parameters
    ----------
    name
        A shipped scenario (game/name) or a scenario file; else an engagement, shipped or your own; woods by default.
    numbers
        GAME.NUMBER=VALUE, any number of them: 'GAME.limit=7', 'GAME.chart[column][row]=ENTRY'. A name without its
        keys means all that stand under it. 'fireplan numbers GAME' lists them.
    option
        GAME.NAME=VALUE, any number of them; 'fireplan games --json' lists a game's options and their values.
    chart
        GAME.NAME=FILE: a chart of your own in place of the shipped one, any number of them.
    game
        The game that stages the engagement, for --sensitivity.
    games
        Also show these games as printed.
    minutes
        Watch for so many minutes instead of the engagement's or scenario's own.
    sensitivity
        Rank every number that the table reads by how far one step of it moves a measure; each is solved exactly. A
        table that is too large for that is sampled, with standard errors; the answer says so.
    measure
        The measure to rank by: delivered, on_target, minutes, suppressed, reduced, destroyed,
        own_troops_under_fire or exhausted.
    top
        How many numbers of a ranking to show.
    sample
        Of a scenario, or for --sensitivity: sample so many trajectories before and after instead of solving exactly.
    seed
        Seed of the sample: the same seed gives the same figures everywhere.
    json
        Print JSON with exact rationals instead of the table; the changed game's key ends with *.
    csv
        Print comma-separated lines instead of the table.
    picture
        Also draw the comparison into this SVG file.
    """
    from fireplan.cli._compare import Wanted
    from fireplan.cli._whatif import Asked, run_whatif

    ranked_by = measure if sensitivity else None
    changed = (tuple(option or ()), tuple(chart or ()), tuple(numbers or ()))
    asked = Asked(*changed, ranked_by, top, sample, seed)
    run_whatif(Wanted(name, minutes, picture, json, csv), game, games, asked)


def numbers(game: str, name: str | None = None, /, *, json: Flag = False) -> None:
    """List every number of a game: its value, where it comes from, and its rule.

    Parameters
    ----------
    game
        A game's key, as 'fireplan games' lists them.
    name
        Only what stands under this name, e.g. ift, 'ift[12]' or radio_contact.
    json
        Print JSON instead of the table.
    """
    from fireplan.cli._whatif import run_numbers

    run_numbers(game, name, as_json=json)


def kitbash(  # noqa: PLR0913 - one option for each of the five parts
    game: str | None = None,
    /,
    *,
    engagement: str | None = None,
    observers: str | None = None,
    requests: str | None = None,
    delays: str | None = None,
    areas: str | None = None,
    resolution: str | None = None,
    minutes: int | None = None,
    sample: int = 0,
    seed: int = 1,
    table: Flag = False,
    json: Flag = False,
    picture: Path | None = None,
) -> None:
    """Take parts of one game from another ("what if it had their delays?") and compare the hybrid with its parents.

    Parameters
    ----------
    game
        The game that gives all other parts.
    engagement
        A shipped engagement or the path of your own file; woods by default.
    observers
        The game whose observers are taken.
    requests
        The game whose requests are taken.
    delays
        The game whose clock and delays are taken.
    areas
        The game whose map, accuracy and footprint are taken.
    resolution
        The game whose units and results are taken.
    minutes
        Watch for so many minutes instead of the engagement's own.
    sample
        Sample so many trajectories of each. Without it, a hybrid that is too large to be solved exactly is sampled
        beside its parents all the same, and the answer says so.
    seed
        Seed of the sample: the same seed gives the same figures everywhere.
    table
        Try every table of parts of the installed games and print as Markdown which can meet, and why others cannot.
    json
        Print JSON with exact rationals instead of the table; the hybrid's key is hybrid.
    picture
        Also draw the comparison into this SVG file.
    """
    from fireplan.cli._compare import Wanted
    from fireplan.cli._kitbash import run_kitbash, run_table

    taken = zip(WORDS, (observers, requests, delays, areas, resolution), strict=True)
    parts = {word: key for word, key in taken if key is not None and key != game}
    if table:
        if game is not None or parts:
            raise BadInputError("--table tries every game; name none.")
        if json or picture or sample or minutes is not None:
            raise BadInputError(
                "--table is printed as Markdown, one moment followed exactly; only --engagement goes with it."
            )
        run_table(engagement)
        return
    if game is None:
        raise BadInputError("Name the game that gives the other parts, e.g. kitbash KEY --delays OTHER.")
    run_kitbash(Wanted(engagement, minutes, picture, json), game, parts, sample, seed)


def sweep(
    plan: Path,
    /,
    *,
    results: Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    dask: str | None = None,
    parquet: Path | None = None,
    check: Flag = False,
) -> None:
    """Solve a whole grid exactly: engagements, scenarios, games, options and numbers, on as many workers as you like.

    A run that was stopped, however hard, goes on where it was with the same command: nothing is solved twice.

    Parameters
    ----------
    plan
        A plan file (TOML): title, engagements, scenarios, games, minutes, and [[vary]] with values and an
        option or number = GAME.NAME.
    results
        The SQLite file that results go to; by default beside the plan. It does not depend on who worked.
    workers
        How many processes; as many as there are processors by default.
    scheduler
        Let the workers of this Dask scheduler do it (needs the extra dask).
    dask
        'local' starts a Dask cluster on this machine (needs the extra dask).
    parquet
        Also write the results into this Parquet file (needs the extra parquet).
    check
        Only check the plan and say how many points it has.
    """
    from fireplan.cli._sweep import Asked, run_plan

    run_plan(plan, Asked(results, workers, scheduler, dask, parquet, check))
