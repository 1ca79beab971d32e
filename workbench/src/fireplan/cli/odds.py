"""``fireplan odds``: a scenario solved exactly or sampled."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from fireplan import api
from fireplan.api import ahead, command, named
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
    yes: Yes = False,
    rules: HouseRules = None,
    facts: _options.Facts = None,
) -> None:
    """Solve a scenario exactly under the standard doctrine: every yardstick of the comparison, for one table.

    :param game: Solve an engagement with this game.
    :param sample: Sample so many trajectories by the rules, step by step, instead of solving exactly; shares come with
        their standard error. A table that is too large to be solved is sampled (1,000) in any case, and says so.
    :param floats: Carry chances in floats: quicker over many moments, equal but for rounding, and labelled so.
    :param json: Print JSON (with exact rationals when solved exactly) instead of the table.
    """
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
