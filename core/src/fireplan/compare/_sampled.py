"""Sensitivity of a table that is too large to be solved: every change is walked on the same seeds as the table itself.

What a change does is the mean of differences, trajectory by trajectory, with its standard error: much of the chance
that both share cancels out. Nothing here is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from math import sqrt
from statistics import fmean, variance

import attrs

from fireplan.compare._figures import Figure
from fireplan.compare._sensitivity import Lay, _full, _numbers
from fireplan.mission import CannotStageError, Named, ProcedureError, under
from fireplan.odds import Compiler, Noted, walks
from fireplan.table import Catalogue, Variation

TRAJECTORIES = 100
"""For the table and for each change, unless told otherwise."""


@attrs.frozen
class Estimate:
    """A mean over trajectories and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Collection[float]) -> Estimate:
        """From what each trajectory came to."""
        return cls(fmean(values), sqrt(variance(values) / len(values)))


@attrs.frozen
class SampledMove:
    """What one step of a number does: its new value and by how much the figure moves, or why that cannot be said."""

    to: int | str
    by: Estimate | None
    why_not: str = ""


@attrs.frozen
class SampledEffect:
    """A number that the trajectories rest on, with what its steps do. ``by`` is the farthest mean move."""

    game: str
    number: Named
    moved: tuple[SampledMove, ...]
    by: float

    @property
    def name(self) -> str:
        """Game and number, as they are written for ``--set``."""
        return f"{self.game}.{self.number.name}"


@attrs.frozen(eq=False)
class SampledSensitivity:
    """A figure and every number that the trajectories have read, those that seem to move it farthest first."""

    figure: Figure
    value: Estimate
    trajectories: int
    seed: int
    effects: tuple[SampledEffect, ...]


def sampled_sensitivity(  # noqa: PLR0913 - the table, the figure, and how it is sampled
    catalogue: Catalogue,
    lay: Lay,
    base: Variation,
    moments: int,
    figure: Figure,
    progress: Callable[[int, str], None] = lambda _total, _name: None,
    *,
    trajectories: int = TRAJECTORIES,
    seed: int = 1,
) -> SampledSensitivity:
    """Move every number that the trajectories have read by one step, and walk them again on the same seeds.

    As ``sensitivity`` otherwise. At least two trajectories are needed.
    """
    noted = Noted()
    scenario = lay(attrs.evolve(base, note=noted))
    laid_with = noted.take()

    def walked(compiler: Compiler) -> list[Fraction]:
        table, measures = compiler.scenario, figure.measures(compiler.scenario)
        ends = walks(compiler, measures, moments, trajectories, seed)
        return [figure.worth(table, moments, states) for states in ends]

    def moved(name: str, step: int | str) -> SampledMove:
        changed = attrs.evolve(base, numbers={**base.numbers, numbers[name][1].name: str(step)})
        try:
            table = lay(changed)
            read = () if name in afresh else [told for told in before.numbers if name in under((name,), told)]
            compiler = Compiler(table) if name in afresh else before.varied(table, read)
            after = walked(compiler)
        except CannotStageError as error:
            return SampledMove(step, None, "; ".join(error.reasons))
        except (ProcedureError, ValueError, KeyError) as error:
            return SampledMove(step, None, str(error) or type(error).__name__)
        return SampledMove(step, Estimate.of([float(a - b) for a, b in zip(after, found, strict=True)]))

    before = Compiler(scenario, noted=noted)
    found = walked(before)
    numbers = _numbers(catalogue, scenario, base)
    afresh = _full(numbers, laid_with) | {name for name, (_, one) in numbers.items() if not one.cell.watched}
    ruled = _full(numbers, before.numbers)
    reached = [name for name in numbers if name in ruled | afresh]
    effects = []
    for name in reached:
        game, number = numbers[name]
        moves = tuple(moved(name, step) for step in number.cell.steps)
        by = max((abs(one.by.mean) for one in moves if one.by is not None), default=0.0)
        effects.append(SampledEffect(game, number, moves, by))
        progress(len(reached), name)
    effects.sort(key=lambda effect: (-effect.by, effect.name))
    return SampledSensitivity(
        figure, Estimate.of([float(value) for value in found]), trajectories, seed, tuple(effects)
    )
