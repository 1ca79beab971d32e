"""Sensitivity: how far one step of each number of a game moves a figure, every change solved exactly.

A number is changed in the solved table: the steps that read it are run again, all steps if it is read while the
table is laid out. Where they do the same with other chances, these are put in; only where they do anything new is
the table explored again. Tables that are too large for this are sampled in ``_sampled``, with the same ``Moves``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any, Generic, TypeVar

import attrs

from fireplan.compare._figures import Figure
from fireplan.odds import Analysis, Compiler, NumberLog, TooLargeError
from fireplan_core import CannotStageError, Named, ProcedureError, Scenario, numbers_of, under
from fireplan_core.play import Catalogue, Variation

Lay = Callable[[Variation], Scenario]
"""Lays the table out with a variation."""

Move = TypeVar("Move")
"""By how much a figure moves: a fraction where it is exact, an estimate where it is sampled."""


@attrs.frozen
class Moved(Generic[Move]):
    """What one step of a number does: its new value and by how much the figure moves, or why that cannot be said."""

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
class Sensitivity:
    """A figure and every number that the table has read, those that move it farthest first."""

    figure: Figure
    value: Fraction
    effects: tuple[Effect[Fraction], ...]


def sensitivity(
    catalogue: Catalogue,
    lay: Lay,
    base: Variation,
    moments: int,
    figure: Figure,
    progress: Callable[[int, str], None] = lambda _total, _name: None,
) -> Sensitivity:
    """Move every number that the table has read by one step, and solve the figure exactly each time.

    ``lay`` lays the table out, ``base`` is what is changed to begin with. ``progress(total, name)`` is called as each
    number is done. Raises as laying out and solving do, but for the changed numbers: those say why not.
    """
    noted = NumberLog()
    scenario = lay(attrs.evolve(base, note=noted))
    laid_with = noted.take()
    before = Analysis(scenario, moments, compiler=Compiler(scenario, noted=noted))
    value = figure.of(before)
    moves = Moves.of(catalogue, lay, base, scenario, laid_with, before.compiler.numbers)
    effects = moves.effects(lambda table, read: figure.of(before.varied(table, read)) - value, abs, progress)
    return Sensitivity(figure, value, effects)


@attrs.frozen(eq=False)
class Moves:
    """The numbers that a table rests on, each to be moved one step.

    ``read`` are those that rules have read, ``afresh`` those whose change means that all is done anew: they are read
    while the table is laid out, or cannot be watched.
    """

    lay: Lay
    base: Variation
    numbers: Mapping[str, tuple[str, Named]]
    read: Collection[str]
    afresh: Collection[str]

    @classmethod
    def of(
        cls,
        catalogue: Catalogue,
        lay: Lay,
        base: Variation,
        scenario: Scenario,
        laid_with: Iterable[str],
        read: Collection[str],
    ) -> Moves:
        """Return the numbers of the game that gives the parts (of a hybrid: of the one whose numbers can be changed)."""
        key = next(part.game for part in scenario.parts if part.game not in base.parts.values())
        charts: Mapping[str, Any] = catalogue[key].game.charts_with(base.charts, base.numbers)
        numbers = {f"{key}.{name}": (key, named) for name, named in numbers_of(charts).items()}
        unwatched = {name for name, (_, named) in numbers.items() if not named.cell.watched}
        return cls(lay, base, numbers, read, _full(numbers, laid_with) | unwatched)

    def effects(
        self,
        move: Callable[[Scenario, Collection[str] | None], Move],
        far: Callable[[Move], Fraction | float],
        progress: Callable[[int, str], None],
    ) -> tuple[Effect[Move], ...]:
        """Return what one step of each number does, the farthest first; ``far`` tells how far a move is.

        ``move`` is given the changed table and what rules have read of the number, None where all is done anew.
        """
        reached = _full(self.numbers, self.read) | set(self.afresh)
        found: list[Effect[Move]] = []
        for name, (game, named) in self.numbers.items():
            if name not in reached:
                continue
            moved = tuple(self._moved(name, step, move) for step in named.cell.steps)
            by = max((far(one.by) for one in moved if one.by is not None), default=Fraction(0))
            found.append(Effect(game, named, moved, by))
            progress(len(reached), name)
        return tuple(sorted(found, key=lambda effect: (-effect.by, effect.name)))

    def _moved(
        self, name: str, step: int | str, move: Callable[[Scenario, Collection[str] | None], Move]
    ) -> Moved[Move]:
        numbers = {**self.base.numbers, self.numbers[name][1].name: str(step)}
        read = None if name in self.afresh else [told for told in self.read if name in under((name,), told)]
        try:
            return Moved(step, move(self.lay(attrs.evolve(self.base, numbers=numbers)), read))
        except CannotStageError as error:
            return Moved(step, None, "; ".join(error.reasons))
        except (TooLargeError, ProcedureError, ValueError, KeyError) as error:
            return Moved(step, None, str(error) or type(error).__name__)


def _full(numbers: Mapping[str, Any], read: Iterable[str]) -> set[str]:
    return {full for name in read for full in under(numbers, name)}
