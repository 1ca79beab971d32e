"""``fireplan odds``: a scenario solved exactly or sampled."""

from __future__ import annotations

from typing import Annotated

import attrs
from cyclopts import Parameter

from fireplan import comparison as comparing
from fireplan import solver as solving
from fireplan.cli import _core as core
from fireplan.cli._app import gathered, outside, refuse, refusing
from fireplan.cli._open import LONGEST, catalogue_for, house_rules, opened, titled
from fireplan.cli._options import HouseRules, Moments, ScenarioName, Seed
from fireplan.cli._print import SAMPLE, Bar, ahead, command, in_moments, named, say_json, say_line, say_sampled
from fireplan.cli._sample import Sample


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
    rules: HouseRules = None,
) -> None:
    """Solve a scenario exactly under the standard doctrine: every yardstick of the comparison, for one table.

    :param game: Solve an engagement with this game.
    :param sample: Sample so many trajectories by the rules, step by step, instead of solving exactly; shares come with
        their standard error. A table that is too large to be solved is sampled (1,000) in any case, and says so.
    :param floats: Carry chances in floats: quicker over many moments, equal but for rounding, and labelled so.
    :param json: Print JSON (with exact rationals when solved exactly) instead of the table.
    """
    installed = catalogue_for(scenario, game)
    # Who asks for a sample checks the exact answer: the rules are walked, nothing of what the solver found.
    drawn = Sample(sample, seed, "rules")
    faults = outside("--moments", moments, 1, LONGEST) + drawn.faults()
    if sample and floats:
        faults.append("--sample and --float cannot both be; choose one.")
    laid = gathered(faults, house_rules, rules) or ()
    table = gathered(faults, opened, installed, scenario, game, laid)
    refuse(faults)
    head, found, own = table
    found = attrs.evolve(found, title=titled(found.title, laid))
    moments = moments or own
    if sample:
        _print_sampled(found, moments, drawn, as_json=json)
        return
    entry = installed[head.game].game
    try:
        with Bar(4) as bar, refusing("solved"):
            title = titled(entry.title, laid)
            solved = comparing.answer(head.game, title, entry.edition, found, moments, bar.step, exact=not floats)
    except solving.TooLargeError as error:
        fewer = [("exactly, fewer moments", command("odds", *named(scenario, game), *ahead(error.moments)))]
        say_sampled(error, fewer if error.moments else ())
        _print_sampled(found, moments, attrs.evolve(drawn, trajectories=SAMPLE), as_json=json)
        return
    if json:
        say_json(comparing.answer_data(solved))
        return
    from fireplan.cli._yardsticks import print_answer

    print_answer(found.title, solved)


def _print_sampled(scenario: core.Scenario, moments: int, drawn: Sample, *, as_json: bool) -> None:
    """Walk trajectories and print shares with their standard errors; never called exact."""
    how, found = drawn.walked(scenario, moments)
    if as_json:
        data = {label: {"share": share, "standard_error": error} for label, (share, error) in found.items()}
        say_json({"exact": False, "trajectories": drawn.trajectories, "walked": how, "sampled": data})
        return
    drawn_words = f"{drawn.trajectories:,} trajectories of {in_moments(moments)}, seed {drawn.seed}"
    say_line(f"{scenario.title}: sampled, {drawn_words}")
    say_line(f"  walked: {how}")
    for label, (share, error) in found.items():
        say_line(f"  {label}: {share:.1%} (standard error {error:.1%})")
