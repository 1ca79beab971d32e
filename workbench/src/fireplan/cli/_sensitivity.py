"""``fireplan whatif --sensitivity``: which numbers move a figure most, solved exactly or, where too large, sampled."""

from __future__ import annotations

import sys
from typing import Any

from rich.table import Column

from fireplan import compare as comparing
from fireplan.cli._app import gathered, outside, refuse, refusing, unknown
from fireplan.cli._open import engagement_named, known_games, setting_of
from fireplan.cli._print import say_json, say_table, say_text
from fireplan.cli._progress import Bar
from fireplan.cli._sample import Sample
from fireplan.cli.compare import ComparisonRequest
from fireplan.compare import FIGURES, TRAJECTORIES, SampledSensitivity, Sensitivity, Setting
from fireplan.odds import TooLargeError
from fireplan_core.play import Catalogue, Variation

FEWEST = 2
"""Trajectories of a sample, from which a standard error can be told."""
Ranking = Sensitivity | SampledSensitivity


def rank(
    request: ComparisonRequest,
    installed: Catalogue,
    game: str | None,
    changed: dict[str, Variation],
    drawn: Sample,
    measure: str,
    top: int,
) -> None:
    """Rank the numbers of one table by how far a step of each moves a figure, and print that."""
    faults = drawn.faults(FEWEST) + outside("--top", top, 1)
    if measure not in FIGURES:
        faults.append(str(unknown("measure", measure, list(FIGURES))))
    if request.csv or request.picture:
        faults.append("--sensitivity is printed as a table or with --json.")
    name = request.engagement
    is_file = name is not None and comparing.is_scenario(installed, name)
    if not is_file:
        gathered(faults, engagement_named, name)
        if game is None:
            faults.append("--sensitivity looks at one table: name a scenario, or add --game KEY.")
        else:
            gathered(faults, known_games, installed, [game])
    refuse(faults)
    table = setting_of(installed, name, None if is_file else game, request.minutes)
    with refusing("solved or sampled", f"{table.game} cannot stage this"):
        found = _found(installed, table, changed.get(table.game, Variation()), drawn, measure)
    if request.json:
        say_json(_data(table, found))
    else:
        _print(table, found, top)


def _found(installed: Catalogue, table: Setting, base: Variation, drawn: Sample, measure: str) -> Ranking:
    """Return the ranking: exact where the table can be solved and no sample is asked for."""
    figure = FIGURES[measure]
    moments = table.moments(table.lay(base))
    if not drawn.trajectories:
        try:
            with Bar() as bar:
                return comparing.sensitivity(installed, table.lay, base, moments, figure, bar.step_of)
        except TooLargeError as error:
            sys.stderr.write(f"This is too large to be solved exactly: {error}. It is sampled ...\n")
    size = drawn.trajectories or TRAJECTORIES
    with Bar() as bar:
        return comparing.sampled_sensitivity(
            installed, table.lay, base, moments, figure, bar.step_of, trajectories=size, seed=drawn.seed
        )


def _data(table: Setting, found: Ranking) -> dict[str, Any]:
    """Return the ranking as JSON data: exact rationals as text, or figures with their standard errors."""
    data: dict[str, Any] = {"table": {"name": table.name, "game": table.game}, "measure": found.figure.name}
    if isinstance(found, Sensitivity):
        data |= {"value": str(found.value), "exact": True}
    else:
        data |= {"value": found.value.mean, "standard_error": found.value.error, "exact": False}
        data |= {"trajectories": found.trajectories, "seed": found.seed}
    data["numbers"] = [
        {
            "name": effect.name,
            "value": effect.number.cell.value,
            "provenance": effect.number.cell.provenance,
            "rule": effect.number.cell.cite,
            "by": str(effect.by) if isinstance(found, Sensitivity) else float(effect.by),
            "steps": [{"to": one.to, **_moved(found, one.by), "why_not": one.why_not} for one in effect.moved],
        }
        for effect in found.effects
    ]
    return data


def _moved(found: Ranking, by: Any) -> dict[str, Any]:
    """Return what a step of a number makes of the figure, or by how much it moves it, as JSON data."""
    if isinstance(found, Sensitivity):
        return {"value": None if by is None else str(found.value + by)}
    return {"by": by and by.mean, "standard_error": by and by.error}


def _print(table: Setting, found: Ranking, top: int) -> None:
    """Print the numbers that move the figure most; of a sample every figure with its standard error."""
    figure = found.figure
    if isinstance(found, Sensitivity):
        say_text(table.title, "bold")
        say_text(f"{figure.summary}: {float(found.value):.6f} ({figure.unit})")
        say_text("One step of each number that this table reads; every line is solved exactly.", "dim")
        head, seen = ["then", "moves it by"], "here"
    else:
        say_text(f"{table.title}: sampled, not exact", "bold")
        drawn = f"{found.trajectories:,} trajectories, seed {found.seed}"
        say_text(f"{figure.summary}: {found.value.mean:.4g} ± {found.value.error:.2g} ({figure.unit}; {drawn})")
        say_text("One step of each number that these trajectories read, walked again on the same seeds.", "dim")
        head, seen = ["moves it by"], "seen"
    rows = [
        (effect.name, effect.number.cell.value, one.to, *_cells(found, one), effect.number.cell.provenance)
        for effect in found.effects[:top]
        for one in effect.moved
    ]
    say_table((Column("number", overflow="fold"), "is", "becomes", *head, "provenance"), rows)
    if left := [not effect.by for effect in found.effects[top:]]:
        say_text(f"{len(left)} more, {sum(left)} of them without any effect {seen}; --top shows them.", "dim")
    if isinstance(found, SampledSensitivity):
        say_text("± standard errors of the mean difference; --sample N walks more.", "dim")


def _cells(found: Ranking, one: Any) -> tuple[str, ...]:
    """Return the cells that tell what one step of a number does."""
    if isinstance(found, SampledSensitivity):
        return (one.why_not if one.by is None else f"{one.by.mean:+.4g} ± {one.by.error:.2g}",)
    return (one.why_not, "") if one.by is None else (f"{float(found.value + one.by):.6f}", f"{float(one.by):+.6f}")
