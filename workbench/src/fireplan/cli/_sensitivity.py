"""``fireplan whatif --sensitivity``: which numbers move a figure most, solved exactly or, where too large, sampled."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
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
    elif isinstance(found, Sensitivity):
        _print_exact(table, found, top)
    else:
        _print_sampled(table, found, top)


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
            "by": by,
            "steps": steps,
        }
        for effect, by, steps in _effects(found)
    ]
    return data


def _effects(found: Ranking) -> Iterator[tuple[Any, str | float, list[dict[str, Any]]]]:
    """Yield each number with how far it moves the figure, and its single steps, as JSON data."""
    if isinstance(found, Sensitivity):
        for effect in found.effects:
            values = ((one, None if one.by is None else str(found.value + one.by)) for one in effect.moved)
            yield effect, str(effect.by), [{"to": o.to, "value": v, "why_not": o.why_not} for o, v in values]
        return
    for drawn in found.effects:
        pairs = ((one, (None, None) if one.by is None else (one.by.mean, one.by.error)) for one in drawn.moved)
        yield drawn, float(drawn.by), [
            {"to": one.to, "by": by, "standard_error": error, "why_not": one.why_not} for one, (by, error) in pairs
        ]


def _print_exact(table: Setting, found: Sensitivity, top: int) -> None:
    say_text(table.title, "bold")
    say_text(f"{found.figure.summary}: {float(found.value):.6f} ({found.figure.unit})")
    say_text("One step of each number that this table reads; every line is solved exactly.", "dim")
    rows = []
    for effect in found.effects[:top]:
        cell = effect.number.cell
        for one in effect.moved:
            then = one.why_not if one.by is None else f"{float(found.value + one.by):.6f}"
            by = "" if one.by is None else f"{float(one.by):+.6f}"
            rows.append((effect.name, cell.value, one.to, then, by, cell.provenance))
    say_table((Column("number", overflow="fold"), "is", "becomes", "then", "moves it by", "provenance"), rows)
    _print_left(found.effects[top:], "here")


def _print_sampled(table: Setting, found: SampledSensitivity, top: int) -> None:
    """Print as the exact ranking, but every figure with its standard error."""
    value = found.value
    say_text(f"{table.title}: sampled, not exact", "bold")
    drawn = f"{found.trajectories:,} trajectories, seed {found.seed}"
    say_text(f"{found.figure.summary}: {value.mean:.4g} ± {value.error:.2g} ({found.figure.unit}; {drawn})")
    say_text("One step of each number that these trajectories read, walked again on the same seeds.", "dim")
    rows = []
    for effect in found.effects[:top]:
        cell = effect.number.cell
        for one in effect.moved:
            by = one.why_not if one.by is None else f"{one.by.mean:+.4g} ± {one.by.error:.2g}"
            rows.append((effect.name, cell.value, one.to, by, cell.provenance))
    say_table((Column("number", overflow="fold"), "is", "becomes", "moves it by", "provenance"), rows)
    _print_left(found.effects[top:], "seen")
    say_text("± standard errors of the mean difference; --sample N walks more.", "dim")


def _print_left(left: Iterable[Any], where: str) -> None:
    """Say how many numbers are not shown, and how many of these move nothing."""
    still = [not effect.by for effect in left]
    if still:
        say_text(f"{len(still)} more, {sum(still)} of them without any effect {where}; --top shows them.", "dim")
