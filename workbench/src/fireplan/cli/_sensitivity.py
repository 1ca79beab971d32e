"""``fireplan whatif --sensitivity``: which numbers move a figure most, solved exactly or, where too large, sampled."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

from rich.table import Column

from fireplan import comparison as comparing
from fireplan.cli._app import gathered, outside, refuse, refusing, unknown
from fireplan.cli._open import engagement_named, known_games, setting_of
from fireplan.cli._print import Bar, say_json, say_table, say_text
from fireplan.cli._sample import Sample
from fireplan.cli.compare import ComparisonRequest
from fireplan.comparison import FIGURES, TRAJECTORIES, Estimate, Moved, Sensitivity, Setting
from fireplan.solver import TooLargeError
from fireplan_core.play import Catalogue, Variation

FEWEST = 2
"""Trajectories of a sample, from which a standard error can be told."""
Ranking = Sensitivity[Fraction] | Sensitivity[Estimate]


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
    table = setting_of(installed, name, None if is_file else game, request.minutes, changed.values())
    size = Sample(drawn.trajectories or TRAJECTORIES, drawn.seed)
    with refusing("solved or sampled", f"{table.game} cannot stage this"):
        found = _found(
            installed, table, changed.get(table.game, Variation()), measure, size, exact=not drawn.trajectories
        )
    if request.json:
        say_json(_data(table, found, size))
    else:
        _print(table, found, size, top)


def _found(
    installed: Catalogue, table: Setting, base: Variation, measure: str, size: Sample, *, exact: bool
) -> Ranking:
    """Return the ranking: exact where that is asked for and the table can be solved."""
    figure = FIGURES[measure]
    moments = table.moments(table.lay(base))
    if exact:
        try:
            with Bar() as bar:
                return comparing.sensitivity(installed, table.lay, base, moments, figure, bar.step_of)
        except TooLargeError as error:
            sys.stderr.write(f"This is too large to be solved exactly: {error}. It is sampled ...\n")
    with Bar() as bar:
        return comparing.sampled_sensitivity(
            installed, table.lay, base, moments, figure, bar.step_of, trajectories=size.trajectories, seed=size.seed
        )


def _data(table: Setting, found: Ranking, size: Sample) -> dict[str, Any]:
    """Return the ranking as JSON data: exact rationals as text, or figures with their standard errors."""
    value = found.value
    data: dict[str, Any] = {"table": {"name": table.name, "game": table.game}, "measure": found.figure.name}
    if isinstance(value, Estimate):
        data |= {"value": value.mean, "standard_error": value.error, "exact": False}
        data |= {"trajectories": size.trajectories, "seed": size.seed}
    else:
        data |= {"value": str(value), "exact": True}

    def step(one: Moved[Any]) -> dict[str, Any]:
        if isinstance(value, Estimate):
            by = {"by": one.by and one.by.mean, "standard_error": one.by and one.by.error}
        else:
            by = {"value": None if one.by is None else str(value + one.by)}
        return {"to": one.to, **by, "why_not": one.why_not}

    data["numbers"] = [
        {
            "name": effect.name,
            "value": effect.number.cell.value,
            "provenance": effect.number.cell.provenance,
            "rule": effect.number.cell.cite,
            "by": float(effect.by) if isinstance(value, Estimate) else str(effect.by),
            "steps": [step(one) for one in effect.moved],
        }
        for effect in found.effects
    ]
    return data


def _print(table: Setting, found: Ranking, size: Sample, top: int) -> None:
    """Print the ranking as a table; every sampled figure with its standard error."""
    value, summary, unit = found.value, found.figure.summary, found.figure.unit
    sampled = isinstance(value, Estimate)
    if isinstance(value, Estimate):
        say_text(f"{table.title}: sampled, not exact", "bold")
        drawn = f"{size.trajectories:,} trajectories, seed {size.seed}"
        say_text(f"{summary}: {value.mean:.4g} ± {value.error:.2g} ({unit}; {drawn})")
        say_text("One step of each number that these trajectories read, walked again on the same seeds.", "dim")
    else:
        say_text(table.title, "bold")
        say_text(f"{summary}: {float(value):.6f} ({unit})")
        say_text("One step of each number that this table reads; every line is solved exactly.", "dim")

    def cells(by: Any, why_not: str) -> tuple[str, ...]:
        if isinstance(value, Estimate):
            return (why_not if by is None else f"{by.mean:+.4g} ± {by.error:.2g}",)
        return (why_not, "") if by is None else (f"{float(value + by):.6f}", f"{float(by):+.6f}")

    rows = []
    for effect in found.effects[:top]:
        cell = effect.number.cell
        rows += [(effect.name, cell.value, o.to, *cells(o.by, o.why_not), cell.provenance) for o in effect.moved]
    then = () if sampled else ("then",)
    say_table((Column("number", overflow="fold"), "is", "becomes", *then, "moves it by", "provenance"), rows)
    if still := [not effect.by for effect in found.effects[top:]]:
        where = "seen" if sampled else "here"
        say_text(f"{len(still)} more, {sum(still)} of them without any effect {where}; --top shows them.", "dim")
    if sampled:
        say_text("± standard errors of the mean difference; --sample N walks more.", "dim")
