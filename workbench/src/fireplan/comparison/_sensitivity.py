"""Sensitivity: how far one step of each number of a game moves a figure.

A number is changed in the solved table: the steps that read it are run again, all steps if it is read while the
table is staged. Where they do the same with other chances, these are put in; only where they do anything new is
the table explored again. A table that is too large for that is sampled: every change is walked on the same seeds as
the table itself, and what it does is the mean of differences, trajectory by trajectory, with its standard error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any, Generic, TypeVar

import attrs

from fireplan.comparison._figures import Figure
from fireplan.comparison._files import Setting
from fireplan.solver import Analysis, Compiler, Estimate, NumberLog, TooLargeError, walks
from fireplan_core import CannotStageError, Named, ProcedureError, Scenario, numbers_of, under
from fireplan_core.play import Variation

TRAJECTORIES = 100
"""Of a sample, for the table and for each change, unless told otherwise."""

Progress = Callable[[int, str], None]
"""Is told, as each number is done, how many there are and its name."""
Move = TypeVar("Move")
"""By how much a figure moves: a fraction where it is exact, an estimate where it is sampled."""


@attrs.frozen
class Moved(Generic[Move]):
    """Say what one step of a number does: its new value, and how the figure moves or why that cannot be said."""

    to: int | str
    by: Move | None
    why_not: str = ""


@attrs.frozen
class Effect(Generic[Move]):
    """A number that the table rests on, with what its steps do. ``by`` is the farthest that the figure moves."""

    game: str
    number: Named
    moved: tuple[Moved[Move], ...]
    by: Fraction | float

    @property
    def name(self) -> str:
        """Return game and number, as they are written for ``--set``."""
        return f"{self.game}.{self.number.name}"


@attrs.frozen(eq=False)
class Sensitivity(Generic[Move]):
    """A figure and every number that the table has read, those that move it farthest first."""

    figure: Figure
    value: Move
    effects: tuple[Effect[Move], ...]


def sensitivity(
    table: Setting, base: Variation, figure: Figure, progress: Progress = lambda _total, _name: None
) -> Sensitivity[Fraction]:
    """Move every number that the table has read by one step, and solve the figure exactly each time.

    ``base`` is what is changed to begin with. Raises as laying out and solving do, but for the changed numbers: those
    say why not.
    """
    moves = Moves.of(table, base)
    before = moves.analysis
    value = figure.of(before)
    effects = moves.effects(lambda name, changed: figure.of(moves.changed(changed, [name])) - value, abs, progress)
    return Sensitivity(figure, value, effects)


def sampled_sensitivity(
    table: Setting,
    base: Variation,
    figure: Figure,
    progress: Progress = lambda _total, _name: None,
    *,
    trajectories: int = TRAJECTORIES,
    seed: int = 1,
) -> Sensitivity[Estimate]:
    """Move every number that the trajectories have read by one step, and walk them again on the same seeds.

    As ``sensitivity`` otherwise. At least two trajectories are needed.
    """

    def walked(compiler: Compiler) -> list[Fraction]:
        moments = table.moments(compiler.scenario)
        parts = figure.parts(compiler.scenario, moments)
        ends = walks(compiler, [*parts], moments, trajectories, seed)
        return [sum((worth(s) for worth, s in zip(parts.values(), found, strict=True)), Fraction(0)) for found in ends]

    def moved(name: str, changed: Scenario) -> Estimate:
        read = moves.read_of([name])
        after = walked(Compiler(changed) if read is None else moves.compiler.varied(changed, read))
        return Estimate.of(a - b for a, b in zip(after, found, strict=True))

    moves = Moves.of(table, base)
    found = walked(moves.compiler)
    effects = moves.effects(moved, lambda estimate: abs(estimate.mean), progress)
    return Sensitivity(figure, Estimate.of(found), effects)


@attrs.frozen(eq=False)
class Moves:
    """The numbers of a table, each to be moved one step; what rules read of them is noted by its compiler.

    ``afresh`` are those whose change means that all is done anew: they are read while the table is staged, or
    cannot be watched.
    """

    table: Setting
    base: Variation
    compiler: Compiler
    numbers: Mapping[str, tuple[str, Named]]
    afresh: frozenset[str]
    analysis: Analysis
    """Of the table as it is."""

    @classmethod
    def of(cls, table: Setting, base: Variation) -> Moves:
        """Stage the table; its numbers are those of the game that gives the parts (of a hybrid, the other parts)."""
        noted = NumberLog()
        scenario = table.lay(attrs.evolve(base, note=noted))
        laid_with = noted.take()
        key = next(part.game for part in scenario.parts if part.game not in base.parts.values())
        charts: Mapping[str, Any] = table.catalogue[key].game.charts_with(base.charts, base.numbers)
        numbers = {f"{key}.{name}": (key, named) for name, named in numbers_of(charts).items()}
        unwatched = {name for name, (_, named) in numbers.items() if not named.cell.watched}
        compiler = Compiler(scenario, noted=noted)
        before = Analysis(scenario, table.moments(scenario), compiler=compiler)
        return cls(table, base, compiler, numbers, frozenset(_full(numbers, laid_with) | unwatched), before)

    @property
    def reached(self) -> frozenset[str]:
        """Return the numbers that have been read so far, by rules or while the table was staged."""
        return self.afresh.union(_full(self.numbers, self.compiler.numbers))

    def read_of(self, names: Collection[str]) -> Collection[str] | None:
        """Return what rules have read of these numbers; None where all is done anew."""
        if not self.afresh.isdisjoint(names):
            return None
        return [told for told in self.compiler.numbers if any(under(names, told))]

    def changed(self, scenario: Scenario, names: Collection[str]) -> Analysis:
        """Return the analysis of the table with these numbers changed, which keeps all that does not rest on them.

        Where the numbers change how many moments are watched, as a turn of other minutes does, nothing is kept.
        """
        moments = self.table.moments(scenario)
        if moments != self.analysis.moments:
            return Analysis(scenario, moments)
        return self.analysis.varied(scenario, self.read_of(names))

    def effects(
        self,
        move: Callable[[str, Scenario], Move],
        far: Callable[[Move], Fraction | float],
        progress: Progress,
    ) -> tuple[Effect[Move], ...]:
        """Return what one step of each number that was read does, the farthest first; ``far`` tells how far a move is.

        ``move`` is given the number's name and the changed table.
        """
        reached = self.reached

        def moved(name: str, step: int | str) -> Moved[Move]:
            numbers = {**self.base.numbers, self.numbers[name][1].name: str(step)}
            try:
                return Moved(step, move(name, self.table.lay(attrs.evolve(self.base, numbers=numbers))))
            except CannotStageError as error:
                return Moved(step, None, "; ".join(error.reasons))
            except (TooLargeError, ProcedureError, ValueError, KeyError) as error:
                return Moved(step, None, str(error) or type(error).__name__)

        found: list[Effect[Move]] = []
        for name, (game, named) in self.numbers.items():
            if name in reached:
                steps = tuple(moved(name, step) for step in named.cell.steps)
                by = max((far(one.by) for one in steps if one.by is not None), default=Fraction(0))
                found.append(Effect(game, named, steps, by))
                progress(len(reached), name)
        return tuple(sorted(found, key=lambda effect: (-effect.by, effect.name)))


def _full(numbers: Mapping[str, Any], read: Iterable[str]) -> set[str]:
    return {full for name in read for full in under(numbers, name)}
