"""Sensitivity: how far one step of each number of a game moves a figure, every change solved exactly.

A number is changed in the solved table: the steps that read it are run again, all steps if it is read while the
table is laid out. Where they do the same with other chances, these are put in; only where they do anything new is
the table explored again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any

import attrs

from fireplan.compare._figures import Figure
from fireplan.mission import CannotStageError, Named, ProcedureError, Scenario, numbers_of, under
from fireplan.odds import Analysis, Compiler, Noted, TooLargeError
from fireplan.table import Catalogue, Variation

Lay = Callable[[Variation], Scenario]
"""Lays the table out with a variation."""


@attrs.frozen
class Moved:
    """What one step of a number does: its new value and the figure then, or why there is none."""

    to: int | str
    figure: Fraction | None
    why_not: str = ""


@attrs.frozen
class Effect:
    """A number that the table rests on, with what its steps do. ``by`` is the farthest the figure moves."""

    game: str
    number: Named
    moved: tuple[Moved, ...]
    by: Fraction

    @property
    def name(self) -> str:
        """Game and number, as they are written for ``--set``."""
        return f"{self.game}.{self.number.name}"


@attrs.frozen(eq=False)
class Sensitivity:
    """A figure and every number that the table has read, those that move it farthest first."""

    figure: Figure
    value: Fraction
    effects: tuple[Effect, ...]


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
    noted = Noted()
    scenario = lay(attrs.evolve(base, note=noted))
    laid_with = noted.take()
    before = Analysis(scenario, moments, compiler=Compiler(scenario, noted=noted))
    value = figure.of(before)
    numbers = _numbers(catalogue, scenario, base)
    noted_by_rules = before.compiler.numbers
    laid, ruled = _full(numbers, laid_with), _full(numbers, noted_by_rules)
    unwatched = {name for name, (_, named) in numbers.items() if not named.cell.watched}
    reached = [name for name in numbers if name in laid | ruled | unwatched]
    effects = []
    for name in reached:
        game, named = numbers[name]
        moved = []
        for step in named.cell.steps:
            changed = attrs.evolve(base, numbers={**base.numbers, named.name: str(step)})
            read = None
            if name not in laid and name not in unwatched:
                read = [told for told in noted_by_rules if name in under((name,), told)]
            moved.append(_moved(before, lay, changed, figure, step, read))
        by = max((abs(one.figure - value) for one in moved if one.figure is not None), default=Fraction(0))
        effects.append(Effect(game, named, tuple(moved), by))
        progress(len(reached), name)
    effects.sort(key=lambda effect: (-effect.by, effect.name))
    return Sensitivity(figure, value, tuple(effects))


def _moved(
    before: Analysis, lay: Lay, changed: Variation, figure: Figure, step: int | str, read: Collection[str] | None
) -> Moved:
    try:
        return Moved(step, figure.of(before.varied(lay(changed), read)))
    except CannotStageError as error:
        return Moved(step, None, "; ".join(error.reasons))
    except (TooLargeError, ProcedureError, ValueError, KeyError) as error:
        return Moved(step, None, str(error) or type(error).__name__)


def _numbers(catalogue: Catalogue, scenario: Scenario, base: Variation) -> dict[str, tuple[str, Named]]:
    """The numbers of the game that gives the parts (of a hybrid: of the one whose numbers can be changed)."""
    key = next(part.game for part in scenario.parts if part.game not in base.parts.values())
    charts: Mapping[str, Any] = catalogue[key].game.charts_with(base.charts, base.numbers)
    return {f"{key}.{name}": (key, named) for name, named in numbers_of(charts).items()}


def _full(numbers: Mapping[str, Any], read: Iterable[str]) -> set[str]:
    return {full for name in read for full in under(numbers, name)}
