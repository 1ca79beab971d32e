"""``fireplan odds``: a scenario solved exactly or sampled."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from fireplan import api, table
from fireplan.api import ahead, besides, command, gathered, named
from fireplan.cli import _options
from fireplan.cli._open import catalogue_for
from fireplan.cli._options import HouseRules, Moments, ScenarioName, Seed, Yes, given_facts
from fireplan.cli._print import Bar, asking, say_sampled
from fireplan.cli.compare import tell


def odds(  # noqa: PLR0913 - what is solved and how it is told
    scenario: ScenarioName = None,
    /,
    *,
    game: str | None = None,
    moments: Moments = None,
    sample: int = 0,
    seed: Seed = 1,
    floats: Annotated[bool, Parameter(name="--float")] = False,
    json: bool = False,
    line: Annotated[str | None, Parameter(name="--from")] = None,
    at: int | None = None,
    by: str | None = None,
    given: _options.Several = None,
    yes: Yes = False,
    rules: HouseRules = None,
    facts: _options.Facts = None,
) -> None:
    """Solve a scenario exactly under the standard doctrine: every yardstick of the comparison, for one table.

    :param game: Solve an engagement with this game.
    :param sample: Sample so many trajectories by the rules, step by step, instead of solving exactly; shares come with
        their standard error. A table that is too large to be solved is sampled (1,000) in any case, and says so.
    :param floats: Carry chances in floats: quicker over many moments, equal but for rounding, and labelled so.
    :param line: Ask a position by its line, 'fp1 ...' (docs/positions.md), instead of a scenario's opening.
    :param at: Ask where a journal or playthrough stands after so many inputs; without it, where it ends.
    :param by: To the end of a moment by its name ('turn 4'), or so many moments since the opening.
    :param given: What is known of the next roll or event of a name, any number of them: contact=4,2 (its dice),
        contact=6 (their total), access=red, fall (it happens), fall=no.
    :param json: Print JSON (with exact rationals when solved exactly) instead of the table.
    """
    recorded = scenario is not None and scenario.endswith(table.RECORDED)
    if line is not None or at is not None or by is not None or given or recorded:
        unfit = {"--moments": moments, "--float": floats, "--house-rules": rules}
        faults = [f"{name} does not go with a position; say --by for the time." for name, said in unfit.items() if said]
        if line is not None and (scenario is not None or at is not None or game is not None):
            faults.append("--from is a whole position: leave scenario, --game and --at out.")
        position = gathered(faults, _of_position, line, scenario, game, at, given_facts(facts))
        tell(_under(position, given, faults, by, sample=sample, seed=seed), json=json)
        return
    with Bar() as bar:
        found = api.odds(
            scenario,
            game=game,
            moments=moments,
            sample=sample,
            seed=seed,
            exact=not floats,
            house_rules=rules,
            catalogue=catalogue_for(scenario, game),
            progress=bar.step_of,
            begin=asking("add --float, or watch fewer moments", yes=yes),
            **given_facts(facts),
        )
    if isinstance(found, api.SampledOdds) and found.why:
        shorter = [("exactly, fewer moments", command("odds", *named(scenario, game), *ahead(found.solvable)))]
        say_sampled(found.why, shorter if found.solvable else ())
    tell(found, json=json)


def _under(position: Any, given: list[str] | None, faults: list[str], by: str | None, **how: int) -> api.Result:
    """Return the odds of a position under what is given; raise ``InputError`` with all that is wrong, faults too."""
    if position is None:
        api.refuse(faults)
    asked = gathered(faults, position.given, **dict(map(api.read_condition, given or ()))) or position
    with besides(faults):  # what is wrong with the time is told as well
        found: api.Result = asked.odds(int(by) if by and by.isdecimal() else by, **how)
    return found


def _of_position(
    line: str | None, name: str | None, game: str | None, at: int | None, facts: dict[str, Any]
) -> api.PositionResult:
    """Return the position that is asked: of a line, of a journal or playthrough, or the opening of a scenario."""
    if line is not None:
        return api.position(line, **facts)
    if name is not None and (at is not None or name.endswith(table.RECORDED)):
        recorded = api.load(name)
        return recorded.at(len(recorded) if at is None else at)
    return api.position(name or "woods", game=game, **facts)
