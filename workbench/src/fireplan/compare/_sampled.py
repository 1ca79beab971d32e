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
from fireplan.compare._sensitivity import Effect, Lay, Moves
from fireplan.odds import Compiler, NumberLog, walks
from fireplan_core import Scenario
from fireplan_core.play import Catalogue, Variation

TRAJECTORIES = 100
"""For the table and for each change, unless told otherwise."""


@attrs.frozen
class Estimate:
    """A mean over trajectories and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Collection[float]) -> Estimate:
        """Return from what each trajectory came to."""
        return cls(fmean(values), sqrt(variance(values) / len(values)))


@attrs.frozen(eq=False)
class SampledSensitivity:
    """A figure and every number that the trajectories have read, those that seem to move it farthest first."""

    figure: Figure
    value: Estimate
    trajectories: int
    seed: int
    effects: tuple[Effect[Estimate], ...]


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
    noted = NumberLog()
    scenario = lay(attrs.evolve(base, note=noted))
    laid_with = noted.take()

    def walked(compiler: Compiler) -> list[Fraction]:
        table, measures = compiler.scenario, figure.measures(compiler.scenario)
        ends = walks(compiler, measures, moments, trajectories, seed)
        return [figure.worth(table, moments, states) for states in ends]

    def moved(table: Scenario, read: Collection[str] | None) -> Estimate:
        after = walked(Compiler(table) if read is None else before.varied(table, read))
        return Estimate.of([float(a - b) for a, b in zip(after, found, strict=True)])

    before = Compiler(scenario, noted=noted)
    found = walked(before)
    moves = Moves.of(catalogue, lay, base, scenario, laid_with, before.numbers)
    effects = moves.effects(moved, lambda estimate: abs(estimate.mean), progress)
    return SampledSensitivity(figure, Estimate.of([float(value) for value in found]), trajectories, seed, effects)
