"""Sensitivity through the front door: which numbers move a figure most, solved exactly or, where too large, sampled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import attrs

from fireplan import comparison as comparing
from fireplan.api import _open as opening
from fireplan.api._changes import Changes, Named
from fireplan.api._errors import argument, gathered, outside, refusing, unknown
from fireplan.api._result import Block, Grid, Result, Text
from fireplan.api._sampling import Progress, Sample, silent
from fireplan.comparison import FIGURES, TRAJECTORIES, Moved, Sensitivity, Setting
from fireplan.solver import Estimate, TooLargeError
from fireplan_core.play import Catalogue, Variation

FEWEST = 2  # trajectories of a sample, from which a standard error can be told
TOP = 25  # numbers that are printed
Ranking = Sensitivity[Fraction] | Sensitivity[Estimate]


@attrs.frozen(eq=False, repr=False)
class SensitivityResult(Result):
    """Every number that a table reads, ranked by how far one step of it moves a figure."""

    table: Setting
    found: Ranking
    size: Sample
    top: int = TOP
    why: str = ""

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield the ranking; every sampled figure has its standard error."""
        found = self.found
        value, summary, unit = found.value, found.figure.summary, found.figure.unit
        sampled = isinstance(value, Estimate)
        if isinstance(value, Estimate):
            drawn = f"{self.size.trajectories:,} trajectories, seed {self.size.seed}"
            yield Text(f"{self.table.title}: sampled, not exact", "bold")
            yield Text(f"{summary}: {value.mean:.4g} ± {value.error:.2g} ({unit}; {drawn})")
            yield Text("One step of each number that these trajectories read, walked again on the same seeds.", "dim")
        else:
            yield Text(self.table.title, "bold")
            yield Text(f"{summary}: {float(value):.6f} ({unit})")
            yield Text("One step of each number that this table reads; every line is solved exactly.", "dim")
        rows = []
        for effect in found.effects[: self.top]:
            cell = effect.number.cell
            rows += [
                (effect.name, str(cell.value), str(one.to), *_cells(value, one), cell.provenance)
                for one in effect.moved
            ]
        then = () if sampled else ("then",)
        heads = ("number", "is", "becomes", *then, "moves it by", "provenance")
        yield Grid(heads, tuple(rows), fold=frozenset({0}))
        if still := [not effect.by for effect in found.effects[self.top :]]:
            where = "seen" if sampled else "here"
            more = f"{len(still)} more, {sum(still)} of them without any effect {where}"
            yield Text(f"{more}; {argument('top')} shows them.", "dim")
        if sampled:
            yield Text(f"± standard errors of the mean difference; {argument('sample')} walks more.", "dim")

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking: exact rationals as text, or figures with their standard errors."""
        found, value = self.found, self.found.value
        data: dict[str, Any] = {
            "table": {"name": self.table.name, "game": self.table.game},
            "measure": found.figure.name,
        }
        if isinstance(value, Estimate):
            data |= {"value": value.mean, "standard_error": value.error, "exact": False}
            data |= {"trajectories": self.size.trajectories, "seed": self.size.seed}
        else:
            data |= {"value": str(value), "exact": True}
        data["numbers"] = [
            {
                "name": effect.name,
                "value": effect.number.cell.value,
                "provenance": effect.number.cell.provenance,
                "rule": effect.number.cell.cite,
                "by": float(effect.by) if isinstance(value, Estimate) else str(effect.by),
                "steps": [_step(value, one) for one in effect.moved],
            }
            for effect in found.effects
        ]
        return data

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each step of each number."""
        value = self.found.value
        return [
            {"name": effect.name, "is": effect.number.cell.value, **_step(value, one)}
            for effect in self.found.effects
            for one in effect.moved
        ]


def _cells(value: Fraction | Estimate, one: Moved[Any]) -> tuple[str, ...]:
    """Return what a step does, in words: the figure then where it is exact, and how far it moves."""
    if isinstance(value, Estimate):
        return (one.why_not if one.by is None else f"{one.by.mean:+.4g} ± {one.by.error:.2g}",)
    return (one.why_not, "") if one.by is None else (f"{float(value + one.by):.6f}", f"{float(one.by):+.6f}")


def _step(value: Fraction | Estimate, one: Moved[Any]) -> dict[str, Any]:
    if isinstance(value, Estimate):
        by = {"by": one.by and one.by.mean, "standard_error": one.by and one.by.error}
    else:
        by = {"value": None if one.by is None else str(value + one.by)}
    return {"to": one.to, **by, "why_not": one.why_not}


def sensitivity(  # noqa: PLR0913 - what is ranked and how
    name: str | None = None,
    *,
    game: str | None = None,
    measure: str = "delivered",
    set: Named = None,  # noqa: A002 - as on the command line
    option: Named = None,
    chart: Named = None,
    house_rules: Iterable[Any] | None = None,
    minutes: int | None = None,
    sample: int = 0,
    seed: int = 1,
    top: int = TOP,
    catalogue: Catalogue | None = None,
    progress: Progress = silent,
    **facts: Any,
) -> SensitivityResult:
    """Rank every number that a table reads by how far one step of it moves a measure, each solved exactly.

    A table that is too large is sampled, with standard errors, and the result says why. Raises ``InputError`` with
    everything that is wrong.
    """
    installed, drawn = catalogue or opening.catalogue(), Sample(sample, seed)
    faults = drawn.faults(FEWEST) + outside("top", top, 1)
    changed = gathered(faults, Changes(option, chart, set, house_rules).read, installed) or {}
    if measure not in FIGURES:
        faults += unknown("measure", measure, FIGURES).faults
    table = opening.one_table(installed, name, game, minutes, facts, changed.values(), faults)
    size = Sample(sample or TRAJECTORIES, seed)
    with refusing("solved or sampled", f"{table.game} cannot stage this"):
        found, why = _ranked(table, changed.get(table.game, Variation()), measure, size, progress, exact=not sample)
    return SensitivityResult(table, found, size, top, why)


def _ranked(
    table: Setting, base: Variation, measure: str, size: Sample, progress: Progress, *, exact: bool
) -> tuple[Ranking, str]:
    """Return the ranking, exact where that is asked for and the table can be solved; and why it is not."""
    figure, why = FIGURES[measure], ""
    if exact:
        try:
            return comparing.sensitivity(table, base, figure, progress), ""
        except TooLargeError as error:
            why = str(error)
    walked = {"trajectories": size.trajectories, "seed": size.seed}
    return comparing.sampled_sensitivity(table, base, figure, progress, **walked), why
