"""``fireplan whatif --sensitivity``: which numbers move a figure most, solved exactly or, where too large, sampled."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, Self

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from fireplan import compare as comparing
from fireplan.cli._app import BadInputError, gathered, outside, refuse, unknown
from fireplan.cli._compare import Wanted, engagement_named, known_games
from fireplan.cli._progress import Bar
from fireplan.cli._sitting import faults_of_sample
from fireplan.cli._whatif import Asked, setting_of
from fireplan.compare import FIGURES, TRAJECTORIES, SampledSensitivity, Sensitivity, Setting
from fireplan.odds import TooLargeError
from fireplan_core import CannotStageError, ProcedureError
from fireplan_core.chance import ChartError
from fireplan_core.play import Catalogue, Variation

FEWEST = 2
"""Trajectories of a sample, from which a standard error can be told."""


def rank(
    wanted: Wanted, installed: Catalogue, game: str | None, changed: Mapping[str, Variation], asked: Asked
) -> None:
    """Rank the numbers of one table by how far a step of each moves a figure, and print that."""
    faults = faults_of_sample(asked.sample, asked.seed, FEWEST) + outside("--top", asked.top, 1)
    if asked.ranked_by not in FIGURES:
        faults.append(str(unknown("measure", str(asked.ranked_by), list(FIGURES))))
    if wanted.as_csv or wanted.picture:
        faults.append("--sensitivity is printed as a table or with --json.")
    name = wanted.engagement
    is_file = name is not None and comparing.is_scenario(installed, name)
    if not is_file:
        with gathered(faults):
            engagement_named(name)
        if game is None:
            faults.append("--sensitivity looks at one table: name a scenario, or add --game KEY.")
        else:
            with gathered(faults):
                known_games(installed, [game])
    refuse(faults)
    table = setting_of(installed, wanted, None if is_file else game)
    base = changed.get(table.game, Variation())
    try:
        found = _found(installed, table, base, asked)
    except CannotStageError as error:
        raise BadInputError(f"{table.game} cannot stage this: " + "; ".join(error.reasons)) from error
    except ProcedureError as error:
        raise BadInputError(f"This cannot be solved or sampled: {error}.") from error
    except ChartError as error:
        raise BadInputError("\n".join(error.faults)) from error
    if wanted.as_json:
        data = _ranking(table, found) if isinstance(found, Sensitivity) else _sampled_ranking(table, found)
        sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    elif isinstance(found, Sensitivity):
        _print_ranking(table, found, asked.top, Console())
    else:
        _print_sampled(table, found, asked.top, Console())


def _found(installed: Catalogue, table: Setting, base: Variation, asked: Asked) -> Sensitivity | SampledSensitivity:
    """The ranking: exact where the table can be solved and no sample is asked for."""
    figure = FIGURES[str(asked.ranked_by)]
    moments = table.moments(table.lay(base))
    if not asked.sample:
        try:
            with _Growing() as bar:
                return comparing.sensitivity(installed, table.lay, base, moments, figure, bar.step)
        except TooLargeError as error:
            sys.stderr.write(f"This is too large to be solved exactly: {error}. It is sampled ...\n")
    with _Growing() as bar:
        drawn = asked.sample or TRAJECTORIES
        return comparing.sampled_sensitivity(
            installed, table.lay, base, moments, figure, bar.step, trajectories=drawn, seed=asked.seed
        )


class _Growing:
    """A bar whose length is told with its first step."""

    def __enter__(self) -> Self:
        self._bar: Bar | None = None
        return self

    def step(self, total: int, what: str) -> None:
        """One of so many steps done."""
        self._bar = self._bar or Bar(total).__enter__()
        self._bar.step(what)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)


def _ranking(table: Setting, found: Sensitivity) -> dict[str, Any]:
    return {
        "table": {"name": table.name, "game": table.game},
        "measure": found.figure.name,
        "value": str(found.value),
        "exact": True,
        "numbers": [
            {
                "name": effect.name,
                "value": effect.number.cell.value,
                "provenance": effect.number.cell.provenance,
                "rule": effect.number.cell.cite,
                "by": str(effect.by),
                "steps": [
                    {
                        "to": one.to,
                        "value": None if one.by is None else str(found.value + one.by),
                        "why_not": one.why_not,
                    }
                    for one in effect.moved
                ],
            }
            for effect in found.effects
        ],
    }


def _sampled_ranking(table: Setting, found: SampledSensitivity) -> dict[str, Any]:
    return {
        "table": {"name": table.name, "game": table.game},
        "measure": found.figure.name,
        "value": found.value.mean,
        "standard_error": found.value.error,
        "exact": False,
        "trajectories": found.trajectories,
        "seed": found.seed,
        "numbers": [
            {
                "name": effect.name,
                "value": effect.number.cell.value,
                "provenance": effect.number.cell.provenance,
                "rule": effect.number.cell.cite,
                "by": float(effect.by),
                "steps": [
                    {
                        "to": one.to,
                        "by": None if one.by is None else one.by.mean,
                        "standard_error": None if one.by is None else one.by.error,
                        "why_not": one.why_not,
                    }
                    for one in effect.moved
                ],
            }
            for effect in found.effects
        ],
    }


def _print_ranking(table: Setting, found: Sensitivity, top: int, console: Console) -> None:
    unit = found.figure.unit
    console.print(Text(table.title, style="bold"))
    console.print(Text(f"{found.figure.summary}: {float(found.value):.6f} ({unit})"))
    console.print(Text("One step of each number that this table reads; every line is solved exactly.", style="dim"))
    rows = Table(
        Column("number", overflow="fold"), "is", "becomes", "then", "moves it by", "provenance", pad_edge=False
    )
    for effect in found.effects[:top]:
        cell = effect.number.cell
        for one in effect.moved:
            then = one.why_not if one.by is None else f"{float(found.value + one.by):.6f}"
            by = "" if one.by is None else f"{float(one.by):+.6f}"
            rows.add_row(*(Text(str(part)) for part in (effect.name, cell.value, one.to, then, by, cell.provenance)))
    console.print(rows)
    left = found.effects[top:]
    if left:
        still = sum(not effect.by for effect in left)
        more = f"{len(left)} more, {still} of them without any effect here; --top shows them."
        console.print(Text(more, style="dim"))


def _print_sampled(table: Setting, found: SampledSensitivity, top: int, console: Console) -> None:
    """As the exact ranking, but every figure with its standard error."""
    value = found.value
    console.print(Text(f"{table.title}: sampled, not exact", style="bold"))
    drawn = f"{found.trajectories:,} trajectories, seed {found.seed}"
    console.print(Text(f"{found.figure.summary}: {value.mean:.4g} ± {value.error:.2g} ({found.figure.unit}; {drawn})"))
    console.print(
        Text("One step of each number that these trajectories read, walked again on the same seeds.", style="dim")
    )
    rows = Table(Column("number", overflow="fold"), "is", "becomes", "moves it by", "provenance", pad_edge=False)
    for effect in found.effects[:top]:
        cell = effect.number.cell
        for one in effect.moved:
            by = one.why_not if one.by is None else f"{one.by.mean:+.4g} ± {one.by.error:.2g}"
            rows.add_row(*(Text(str(part)) for part in (effect.name, cell.value, one.to, by, cell.provenance)))
    console.print(rows)
    left = found.effects[top:]
    if left:
        still = sum(not effect.by for effect in left)
        console.print(
            Text(f"{len(left)} more, {still} of them without any effect seen; --top shows them.", style="dim")
        )
    console.print(Text("± standard errors of the mean difference; --sample N walks more.", style="dim"))
