"""``fireplan odds``: a scenario solved exactly or sampled; and how commands open a scenario by name."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from fireplan.cli._app import BadInputError, gathered, outside, refuse, unread
from fireplan.cli._compare import catalogue, catalogue_for
from fireplan.cli._large import SAMPLE, ahead, command, named, sampled_instead
from fireplan.cli._progress import Bar
from fireplan.cli._terminal import in_moments, say_line
from fireplan.compare import DEFAULT, answer, shipped_engagements
from fireplan.odds import Ever, TooLargeError, WorstSeverity, exhausted, own_troops_under_fire
from fireplan.table import Head, HeadError, make_head, opened
from fireplan_core import ProcedureError, Scenario, Severity
from fireplan_core.play import Catalogue, shipped_scenarios

if TYPE_CHECKING:
    from fireplan.odds import Measure, Sampled
    from fireplan.odds._sample import Engine

LONGEST = 1000
"""Moments that are watched at most."""
MOST_TRAJECTORIES = 1_000_000
SHOWN_UNITS = 12


def head_of(installed: Catalogue, name: str | None, game: str | None) -> Head:
    """What is opened by a name: a scenario, or with a game an engagement."""
    if name is None and game is None:
        known = ", ".join(shipped_scenarios(installed)) or "none"
        raise BadInputError(f"Name a scenario ({known}) or a file, or an engagement with --game KEY.")
    try:
        return make_head(installed, name or DEFAULT, game, shipped_engagements())
    except HeadError as error:
        raise BadInputError(_mistaken(name, game) or str(error)) from error


def _mistaken(name: str | None, game: str | None) -> str:
    """What a name is that was taken for something else: an engagement, a scenario, a folder, a file that is no text."""
    if name is None:
        return ""
    if game is None and name in shipped_engagements():
        return f"{name!r} is an engagement: say which game stages it with --game KEY, as 'fireplan games' lists them."
    if game is not None and name in shipped_scenarios(catalogue()):
        return f"{name!r} is a scenario, which brings its own game: leave --game out."
    if Path(name).exists():
        try:
            Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            return f"{name}: {unread(error)}"
    return ""


def scenario_of(installed: Catalogue, head: Head) -> tuple[Scenario, int]:
    """The scenario of a head, and for how many moments it is played."""
    try:
        return opened(installed, head)
    except HeadError as error:
        raise BadInputError(str(error)) from error


@attrs.frozen(eq=False, repr=False)
class Asked:
    """How a scenario is to be solved: watched how long, sampled how often (0 is not), printed how, in floats or not."""

    moments: int | None = None
    sample: int = 0
    seed: int = 1
    as_json: bool = False
    floats: bool = False


def faults_of_sample(trajectories: int, seed: int | None, fewest: int = 1) -> list[str]:
    """What is wrong with a sample that is asked for (0 trajectories: none is), and with a seed."""
    size = outside("--sample", trajectories, fewest, MOST_TRAJECTORIES) if trajectories else []
    return size + outside("--seed", seed, 0)


def open_scenario(installed: Catalogue, name: str | None, game: str | None) -> tuple[Scenario, int]:
    """A scenario file, a shipped scenario, or an engagement of a game, and for how many moments it is played."""
    return scenario_of(installed, head_of(installed, name, game))


def run_odds(name: str | None, game: str | None, asked: Asked) -> None:
    """Solve a scenario exactly or in floats, or sample it, and print what was found; what is too large is sampled."""
    installed = catalogue_for(name, game)
    faults = outside("--moments", asked.moments, 1, LONGEST) + faults_of_sample(asked.sample, asked.seed)
    if asked.sample and asked.floats:
        faults.append("--sample and --float cannot both be; choose one.")
    found: list[Head] = []
    laid: list[tuple[Scenario, int]] = []
    with gathered(faults):
        found.append(head_of(installed, name, game))
        laid.append(scenario_of(installed, found[0]))
    refuse(faults)
    (head,), ((scenario, own),) = found, laid
    moments = asked.moments or own
    if asked.sample:
        _sampled(scenario, moments, asked)
        return
    key = head.game
    entry = installed[key].game
    large: TooLargeError | None = None
    with Bar(4) as bar:
        try:
            solved = answer(key, entry.title, entry.edition, scenario, moments, bar.step, exact=not asked.floats)
        except TooLargeError as error:
            large = error
        except ProcedureError as error:
            raise BadInputError(f"This cannot be solved: {error}.") from error
    if large is not None:
        fewer = [("exactly, fewer moments", command("odds", *named(name, game), *ahead(large.moments)))]
        sys.stderr.write(sampled_instead(large, fewer if large.moments else ()))
        _sampled(scenario, moments, attrs.evolve(asked, sample=SAMPLE), "rules")
        return
    if asked.as_json:
        from fireplan.compare import answer_json

        sys.stdout.write(answer_json(solved))
        return
    from rich.console import Console

    from fireplan.cli._table import print_answer

    print_answer(scenario.title, solved, Console())


def _sampled(scenario: Scenario, moments: int, asked: Asked, engine: Engine | None = None) -> None:
    """Walk trajectories and print shares with their standard errors; never called exact."""
    how, found = _shares(scenario, moments, asked.sample, asked.seed, engine)
    if asked.as_json:
        data = {label: {"share": s.share(label), "standard_error": s.error(label)} for label, s in found.items()}
        sys.stdout.write(
            json.dumps({"exact": False, "trajectories": asked.sample, "walked": how, "sampled": data}, indent=2) + "\n"
        )
        return
    say_line(f"{scenario.title}: sampled, {asked.sample:,} trajectories of {in_moments(moments)}, seed {asked.seed}")
    say_line(f"  walked: {how}")
    for label, shares in found.items():
        say_line(f"  {label}: {shares.share(label):.1%} (standard error {shares.error(label):.1%})")


def _shares(
    scenario: Scenario, moments: int, trajectories: int, seed: int, engine: Engine | None = None
) -> tuple[str, dict[str, Sampled]]:
    """What was walked, and what was counted over trajectories, by what it is called."""
    from fireplan.odds import Sampled, Sampler

    measures: dict[str, tuple[Measure, Any]] = {
        "fire for effect falls": (Ever("fall", "on_target", (True, False)), True),
        "on target at least once": (Ever("fall", "on_target", (True,)), True),
        "own troops under fire": (own_troops_under_fire(), True),
        "asset exhausted or lost": (exhausted(), True),
        **{f"{unit} destroyed": (WorstSeverity(unit), Severity.DESTROYED) for unit in scenario.targets[:SHOWN_UNITS]},
    }
    sampler = Sampler(scenario, [measure for measure, _ in measures.values()], moments, engine=engine)
    batch = max(1, trajectories // 20)
    counts = dict.fromkeys(measures, 0)
    with Bar(-(-trajectories // batch)) as bar:
        for first in range(0, trajectories, batch):
            drawn = sampler.draw(min(batch, trajectories - first), seed, first)
            for (label, (_, state)), counted in zip(measures.items(), drawn, strict=True):
                counts[label] += counted.counts.get(state, 0)
            bar.step("sampling")
    why = sampler.reason if engine is None else "too large to be explored"
    how = "the explored chain" if sampler.engine == "chain" else f"the rules step by step ({why})"
    return how, {label: Sampled({label: count}, trajectories, sampler.engine) for label, count in counts.items()}


def sampled_shares(
    scenario: Scenario, moments: int, trajectories: int, seed: int, engine: Engine | None = None
) -> list[tuple[str, float, float]]:
    """What is counted over trajectories: what it is called, its share and its standard error."""
    _, found = _shares(scenario, moments, trajectories, seed, engine)
    return [(label, shares.share(label), shares.error(label)) for label, shares in found.items()]
