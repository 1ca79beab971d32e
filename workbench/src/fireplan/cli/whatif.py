"""``fireplan whatif``: a game changed, before and after; or which of its numbers move a figure most."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from fireplan import api
from fireplan import comparison as comparing
from fireplan.api import besides, command
from fireplan.cli import _options
from fireplan.cli._open import catalogue
from fireplan.cli._options import Csv, HouseRules, Picture, Seed, Several, given_facts
from fireplan.cli._print import Bar, say_sampled
from fireplan.cli.compare import how_faults, tell


def whatif(  # noqa: PLR0913 - as compare
    name: str | None = None,
    /,
    *,
    numbers: Annotated[list[str] | None, Parameter(name="--set", consume_multiple=True)] = None,
    option: Several = None,
    chart: Several = None,
    rules: HouseRules = None,
    game: str | None = None,
    games: Several = None,
    minutes: int | None = None,
    sensitivity: bool = False,
    measure: Annotated[str, Parameter(name="--for")] = "delivered",
    top: int = 25,
    sample: int = 0,
    seed: Seed = 1,
    json: bool = False,
    csv: Csv = False,
    picture: Picture = None,
    facts: _options.Facts = None,
) -> None:
    """Change numbers, options or charts of a game and see before and after side by side, exactly.

    :param name: A shipped scenario (game/name) or a scenario file; else an engagement, shipped or your own; woods by
        default.
    :param numbers: GAME.NUMBER=VALUE, any number of them: 'GAME.limit=7', 'GAME.chart[column][row]=ENTRY'; a name
        without its keys means all under it. 'fireplan numbers GAME' lists them.
    :param option: GAME.NAME=VALUE, any number of them; 'fireplan games --json' lists a game's options and their values.
    :param chart: GAME.NAME=FILE: a chart of your own in place of the shipped one, any number of them.
    :param game: The game that stages the engagement, for --sensitivity.
    :param games: Also show these games as printed.
    :param minutes: Watch for so many minutes instead of its own.
    :param sensitivity: Rank every number that the table reads by how far one step of it moves a measure; each is solved
        exactly. A table that is too large for that is sampled, with standard errors; the answer says so.
    :param measure: The measure to rank by: delivered, on_target, minutes, suppressed, reduced, destroyed,
        own_troops_under_fire or exhausted.
    :param top: How many numbers of a ranking to show.
    :param sample: Of a scenario, or for --sensitivity: sample so many trajectories before and after instead of solving
        exactly.
    :param json: Print JSON with exact rationals instead of the table; the changed game's key ends with *.
    """
    installed = catalogue()
    scenario = name is not None and comparing.is_scenario(installed, name)
    faults = how_faults(json=json, csv=csv, picture=picture)
    if (csv or picture) and (scenario or sensitivity):
        faults.append("--csv and --picture are for engagements; this is printed as a table or with --json.")
    changed: dict[str, Any] = {"set": numbers, "option": option, "chart": chart, "house_rules": rules}
    given: dict[str, Any] = {"minutes": minutes, "sample": sample, "seed": seed, "catalogue": installed}
    given |= given_facts(facts)
    with Bar() as bar, besides(faults):
        given["progress"] = bar.step_of
        if sensitivity:
            found: Any = api.sensitivity(name, game=game, measure=measure, top=top, **changed, **given)
        else:
            also = games if games is not None else [game] if game else None
            found = api.whatif(name, games=also, **changed, **given)
    if found.why if isinstance(found, api.SensitivityResult | api.SampledWhatIf) else "":
        typed = command("whatif", name, *api.Changes(option, chart, numbers, rules).typed, "--minutes", found.solvable)
        say_sampled(found.why, [("exactly, a shorter watch", typed)] if found.solvable else ())
    tell(found, json=json, csv=csv, picture=picture)
