"""Sensitivity: how far one step of each number of a game moves a figure.

A number is changed in the solved table: the steps that read it are run again, or where it is read
while the table is staged, those that read the facts that it changes. Where they do the same with
other chances, these are put in; only where they do anything new is the table explored again. A
table that is too large for that is sampled: every change is walked on the same seeds as the table
itself, and what it does is the mean of differences, trajectory by trajectory, with its standard
error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any, Generic, TypeVar

import attrs

from fireplan.analysis.figures import Figure
from fireplan.analysis.settings import Setting
from fireplan.solver import Analysis, Compiler, Estimate, NumberLog, TooLargeError, walks
from fireplan_core import (
    CannotStageError,
    Named,
    ProcedureError,
    Scenario,
    Setup,
    numbers_of,
    under,
)
from fireplan_core.chance import watched
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
    """A number that the table rests on, with what its steps do.

    ``by`` is the farthest that the figure moves.

    ``name`` is game and number, as they are written for ``--set``.
    """

    name: str
    number: Named
    moved: tuple[Moved[Move], ...]
    by: Fraction | float


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
    effects = moves.effects(
        lambda name, changed: figure.of(moves.changed(changed, [name])) - value, abs, progress
    )
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
        return [
            sum((worth(s) for worth, s in zip(parts.values(), found, strict=True)), Fraction(0))
            for found in ends
        ]

    def moved(name: str, changed: Scenario) -> Estimate:
        read = moves.read_of(changed, [name])
        after = walked(Compiler(changed) if read is None else moves.compiler.varied(changed, read))
        return Estimate.of(a - b for a, b in zip(after, found, strict=True))

    moves = Moves.of(table, base)
    found = walked(moves.compiler)
    effects = moves.effects(moved, lambda estimate: abs(estimate.mean), progress)
    return Sensitivity(figure, Estimate.of(found), effects)


@attrs.frozen(eq=False)
class Moves:
    """The numbers of a table, each to be moved one step.

    What rules read of them is noted by its compiler.

    ``staged`` are those that are read while the table is staged: what they change of it is compared. A change of those
    ``afresh`` means that all is done anew: what rests on them cannot be watched or compared.
    """

    table: Setting
    base: Variation
    compiler: Compiler
    numbers: Mapping[str, Named]
    staged: frozenset[str]
    afresh: frozenset[str]
    analysis: Analysis
    """Of the table as it is."""

    @classmethod
    def of(cls, table: Setting, base: Variation) -> Moves:
        """Stage the table.

        Its numbers are those of the game that gives the parts (of a hybrid, the other parts).
        """
        noted = NumberLog()
        scenario = table.lay(attrs.evolve(base, note=noted))
        laid_with = noted.take()
        # What these hold is hidden in functions, and cannot be compared.
        _ = [(part.steps(), part.questions(), part.modifiers()) for part in scenario.parts]
        scenario.parts.delays.clock()
        closed_over = noted.take()
        key = next(part.game for part in scenario.parts if part.game not in base.parts.values())
        charts: Mapping[str, Any] = table.catalogue[key].game.charts_with(base.charts, base.numbers)
        numbers = {f"{key}.{name}": named for name, named in numbers_of(charts).items()}
        unwatched = {name for name, named in numbers.items() if not named.cell.watched}
        compiler = Compiler(_telling_facts(scenario, noted), noted=noted)
        before = Analysis(compiler.scenario, table.moments(scenario), compiler=compiler)
        staged = frozenset(_full(numbers, laid_with) | unwatched)
        return cls(
            table,
            base,
            compiler,
            numbers,
            staged,
            frozenset(_full(numbers, closed_over) | unwatched),
            before,
        )

    @property
    def reached(self) -> frozenset[str]:
        """Return the numbers that have been read so far, by rules or while the table was staged."""
        return self.staged.union(_full(self.numbers, self.compiler.numbers))

    def read_of(self, scenario: Scenario, names: Collection[str]) -> Collection[str] | None:
        """Return what rules have read of these numbers, and of the facts that they change.

        None if all is done anew.
        """
        if not self.afresh.isdisjoint(names) or not self.numbers.keys() >= {*names}:
            return None
        was, now = (
            ({}, {})
            if self.staged.isdisjoint(names)
            else map(_held, (self.analysis.scenario, scenario))
        )
        changed = {told for told in was.keys() | now.keys() if was.get(told) != now.get(told)}
        if "" in changed or was.keys() != now.keys():
            return None
        return [
            told for told in self.compiler.numbers if told in changed or any(under(names, told))
        ]

    def changed(self, scenario: Scenario, names: Collection[str]) -> Analysis:
        """Return the analysis of the table with these numbers changed, which keeps all that does not rest on them.

        Where the numbers change how many moments are watched, as a turn of other minutes does,
        nothing is kept.
        """
        moments = self.table.moments(scenario)
        if moments != self.analysis.moments:
            return Analysis(scenario, moments)
        return self.analysis.varied(scenario, self.read_of(scenario, names))

    def effects(
        self,
        move: Callable[[str, Scenario], Move],
        far: Callable[[Move], Fraction | float],
        progress: Progress,
    ) -> tuple[Effect[Move], ...]:
        """Return what one step of each number that was read does, the farthest first.

        ``far`` tells how far a move is.

        ``move`` is given the number's name and the changed table.
        """
        reached = self.reached

        def moved(name: str, step: int | str) -> Moved[Move]:
            numbers = {**self.base.numbers, self.numbers[name].name: str(step)}
            try:
                return Moved(
                    step, move(name, self.table.lay(attrs.evolve(self.base, numbers=numbers)))
                )
            except CannotStageError as error:
                return Moved(step, None, "; ".join(error.reasons))
            except (TooLargeError, ProcedureError, ValueError, KeyError) as error:
                return Moved(step, None, str(error) or type(error).__name__)

        found: list[Effect[Move]] = []
        for name, named in self.numbers.items():
            if name in reached:
                steps = tuple(moved(name, step) for step in named.cell.steps)
                by = max((far(one.by) for one in steps if one.by is not None), default=Fraction(0))
                found.append(Effect(name, named, steps, by))
                progress(len(reached), name)
        return tuple(sorted(found, key=lambda effect: (-effect.by, effect.name)))


def _full(numbers: Mapping[str, Any], read: Iterable[str]) -> set[str]:
    return {full for name in read for full in under(numbers, name)}


def _telling_facts(scenario: Scenario, note: NumberLog) -> Scenario:
    """Return the scenario, telling whose facts of which part are read."""

    def telling(name: str, setup: Any) -> Any:
        return attrs.evolve(
            setup, facts=watched(setup.facts, lambda path: note(f"{name}: {path[0]}"))
        )

    owners = (scenario.missions, scenario.units)
    missions, units = (
        {name: telling(name, one) for name, one in known.items()} for known in owners
    )
    return attrs.evolve(scenario, missions=missions, units=units)


def _held(scenario: Scenario) -> dict[str, Any]:
    """Return all that rules may rest on but charts and options: facts by whose and which part's, the rest together."""
    owners: dict[str, Any] = {**scenario.missions, **scenario.units}
    facts = {
        f"{name}: {word}": _spread(one)
        for name, owner in owners.items()
        for word, one in owner.facts.items()
    }
    bare = [(name, attrs.evolve(owner, facts={})) for name, owner in owners.items()]
    others = [
        field.name
        for field in attrs.fields(Setup)
        if field.name not in ("missions", "units", "clock")
    ]
    rest = [
        bare,
        [*scenario.missions],
        attrs.evolve(scenario.clock, name=str),
        [getattr(scenario, o) for o in others],
    ]
    for part in scenario.parts:
        charted = {
            id(known) for known in (part.charts, part.options, part.words, *part.charts.values())
        }
        rest.append([item for item in vars(part).items() if id(item[1]) not in charted])
    return {**facts, "": _spread(rest)}


def _spread(value: Any) -> Any:
    """Return a value as all that it is made of, also what its own comparison leaves out."""
    kind = type(value)
    if attrs.has(kind):
        return kind, tuple(_spread(getattr(value, field.name)) for field in attrs.fields(kind))
    if isinstance(value, Mapping):
        return tuple((key, _spread(one)) for key, one in value.items())
    if isinstance(value, tuple | list | frozenset):
        return kind, (frozenset if kind is frozenset else tuple)(map(_spread, value))
    return kind, value
