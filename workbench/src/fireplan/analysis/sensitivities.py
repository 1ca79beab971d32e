"""Sensitivity: the change in a figure when each number of a game is moved by one step.

A number is changed in the solved table, and the steps that read it are run again. For a number read
during staging, the steps that read the facts it changes are run again. If they lead to the same
outcomes with different chances, only the chances are replaced; otherwise the table is explored
again. A table that is too large is sampled: every change is walked on the same seeds as the table
itself, and its effect is the mean of the differences between trajectories, with a standard error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any, Generic, TypeVar

import attrs

from fireplan.analysis.figures import Figure
from fireplan.analysis.settings import Setting
from fireplan.solver import (
    Analysis,
    Compiler,
    Estimate,
    NumberLog,
    TooLargeError,
    expected_seconds,
    walks,
)
from fireplan_core import (
    WORDS,
    CannotStageError,
    Named,
    ProcedureError,
    Scenario,
    Setup,
    names_under,
    numbers_of,
)
from fireplan_core.chance import watched
from fireplan_core.play import Variation

EACH_MOVED = 0.9
"""Time to solve a table with one number moved up and down, as a share of the unchanged table's."""
TRAJECTORIES = 100
"""Default number of trajectories in a sample, for the table and for each change."""

Progress = Callable[[int, str], None]
"""Called after each number with the total count of numbers and the name of this one."""
Move = TypeVar("Move")
"""The change in a figure: a fraction if exact, an estimate if sampled."""


@attrs.frozen
class Moved(Generic[Move]):
    """One step of a number: its new value ``to``, and the change ``by`` in the figure.

    Without a change, ``by`` is None and ``why_not`` gives the reason.
    """

    to: int | str
    by: Move | None
    why_not: str = ""


@attrs.frozen
class Effect(Generic[Move]):
    """The effect of a number on a figure: its steps, and the size ``by`` of the largest change.

    ``name`` is ``GAME.NUMBER``, as written for ``--set``. ``part`` is the first of the five parts
    whose rules read the number, or whose facts it changes while the table is set up, or "".
    """

    name: str
    number: Named
    moved: tuple[Moved[Move], ...]
    by: Fraction | float
    part: str = ""


@attrs.frozen(eq=False)
class Sensitivity(Generic[Move]):
    """A figure and the effect of every number that the table has read, largest first."""

    figure: Figure
    value: Move
    effects: tuple[Effect[Move], ...]


def sensitivity(
    table: Setting,
    base: Variation,
    figure: Figure,
    progress: Progress = lambda _total, _name: None,
    begin: Callable[[float], None] = lambda _seconds: None,
) -> Sensitivity[Fraction]:
    """Return the exact change in a figure when each number that the table reads moves by one step.

    ``base`` is the variation to start from. ``progress(total, name)`` is called after each number,
    and ``begin`` once with the expected seconds. Raises the errors of staging and solving the table
    under ``base``; errors after a step are recorded in ``Moved.why_not``.
    """
    moves = MovableNumbers.of(table, base)
    before = moves.analysis
    # Announce the time first; solving the figure may read more numbers, if it needs the strikes.
    begin(expected_seconds(before) * EACH_MOVED * len(moves.reached))
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
    """Return sampled changes in a figure when each number that trajectories read moves by one step.

    At least two trajectories are needed. The other arguments and the errors are the same as for
    ``sensitivity``.
    """

    def walked(compiler: Compiler) -> list[Fraction]:
        moments = table.moments(compiler.scenario)
        parts = figure.parts(compiler.scenario, moments)
        ends = walks(compiler, [*parts], moments, trajectories, seed)
        return [
            sum((worth(s) for worth, s in zip(parts.values(), states, strict=True)), Fraction(0))
            for states in ends
        ]

    def moved(name: str, changed: Scenario) -> Estimate:
        read = moves.read_of(changed, [name])
        after = walked(Compiler(changed) if read is None else moves.compiler.varied(changed, read))
        return Estimate.of(a - b for a, b in zip(after, before, strict=True))

    moves = MovableNumbers.of(table, base)
    before = walked(moves.compiler)
    effects = moves.effects(moved, lambda estimate: abs(estimate.mean), progress)
    return Sensitivity(figure, Estimate.of(before), effects)


@attrs.frozen(eq=False)
class MovableNumbers:
    """The numbers of a table that can be moved by steps; the compiler notes those that rules read.

    ``staged`` are numbers read while the table is staged; the facts that they change are found by
    comparison. Changing a number in ``afresh`` requires solving everything again, because the reads
    that depend on it cannot be watched or compared.
    """

    table: Setting
    base: Variation
    compiler: Compiler
    numbers: Mapping[str, Named]
    staged: frozenset[str]
    afresh: frozenset[str]
    analysis: Analysis
    """The analysis of the unchanged table."""

    @classmethod
    def of(cls, table: Setting, base: Variation) -> MovableNumbers:
        """Return the numbers that can be moved, for a table staged with the variation ``base``.

        The numbers belong to its game or, in a hybrid, to the host game.
        """
        noted = NumberLog()
        scenario = table.stage(attrs.evolve(base, note=noted))
        read_in_staging = noted.take()
        # Call these methods only to record the numbers that their functions use: functions cannot
        # be compared.
        _ = [(part.steps(), part.questions(), part.modifiers()) for part in scenario.parts]
        scenario.parts.delays.clock()
        closed_over = noted.take()
        key = next(part.game for part in scenario.parts if part.game not in base.parts.values())
        charts: Mapping[str, Any] = table.catalogue[key].game.charts_with(base.charts, base.numbers)
        numbers = {f"{key}.{name}": named for name, named in numbers_of(charts).items()}
        unwatched = {name for name, named in numbers.items() if not named.cell.watched}
        compiler = Compiler(_noting_facts(scenario, noted), noted=noted)
        before = Analysis(compiler.scenario, table.moments(scenario), compiler=compiler)
        staged = frozenset(_full(numbers, read_in_staging) | unwatched)
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
        """Return the names of the numbers read so far, by rules or while the table was staged."""
        return self.staged.union(_full(self.numbers, self.compiler.numbers))

    @property
    def parts(self) -> Mapping[str, str]:
        """Map each number that rules have read so far to the first part that reads it."""
        parts = dict[str, str]()
        for read, steps in self.compiler.readers().items():
            words = {step.partition(".")[0] for step in steps}
            if first := next((word for word in WORDS if word in words), ""):
                parts |= dict.fromkeys(names_under(self.numbers, read), first)
        return parts

    def _part_of_facts(self, name: str, scenario: Scenario) -> str:
        """Return the first part whose facts differ in ``scenario``, in which the number was moved.

        Return "" if no facts differ.
        """
        words = {read.partition(": ")[2] for read in self.read_of(scenario, [name]) or ()}
        return next((word for word in WORDS if word in words), "")

    def read_of(self, scenario: Scenario, names: Collection[str]) -> Collection[str] | None:
        """Return the reads of rules that depend on these numbers, or on facts that they change.

        ``scenario`` is the table with the numbers changed. Returns None if everything must be
        solved again.
        """
        if not self.afresh.isdisjoint(names) or not self.numbers.keys() >= {*names}:
            return None
        before, after = (
            ({}, {})
            if self.staged.isdisjoint(names)
            else map(_facts, (self.analysis.scenario, scenario))
        )
        changed = {
            fact for fact in before.keys() | after.keys() if before.get(fact) != after.get(fact)
        }
        if "" in changed or before.keys() != after.keys():
            return None
        return [
            read
            for read in self.compiler.numbers
            if read in changed or any(names_under(names, read))
        ]

    def changed(self, scenario: Scenario, names: Collection[str]) -> Analysis:
        """Return the analysis of ``scenario``, the table with these numbers changed.

        Everything that does not depend on the numbers is reused. Nothing is reused if the change
        alters the number of moments watched, e.g. through the length of a turn.
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
        """Return the effect of each number that was read, moved by one step; the largest first.

        ``move(name, scenario)`` returns the change in the figure, and ``far(change)`` its size.
        ``progress(total, name)`` is called after each number.
        """
        reached = self.reached
        # Read the parts only now, when every rule that the figure needs has been run.
        parts = dict(self.parts)

        def moved(name: str, step: int | str) -> Moved[Move]:
            numbers = {**self.base.numbers, self.numbers[name].name: str(step)}
            try:
                scenario = self.table.stage(attrs.evolve(self.base, numbers=numbers))
                if name not in parts and name in self.staged:
                    parts[name] = self._part_of_facts(name, scenario)
                return Moved(step, move(name, scenario))
            except CannotStageError as error:
                return Moved(step, None, "; ".join(error.reasons))
            except (TooLargeError, ProcedureError, ValueError, KeyError) as error:
                return Moved(step, None, str(error) or type(error).__name__)

        effects: list[Effect[Move]] = []
        for name, named in self.numbers.items():
            if name in reached:
                steps = tuple(moved(name, step) for step in named.cell.steps)
                by = max(
                    (far(step.by) for step in steps if step.by is not None), default=Fraction(0)
                )
                effects.append(Effect(name, named, steps, by, parts.get(name, "")))
                progress(len(reached), name)
        return tuple(sorted(effects, key=lambda effect: (-effect.by, effect.name)))


def _full(numbers: Mapping[str, Any], read: Iterable[str]) -> set[str]:
    return {full for name in read for full in names_under(numbers, name)}


def _noting_facts(scenario: Scenario, note: NumberLog) -> Scenario:
    """Return the scenario with facts that record each access to them in ``note``.

    An access is recorded as ``OWNER: PART``.
    """

    def noting(name: str, setup: Any) -> Any:
        return attrs.evolve(
            setup, facts=watched(setup.facts, lambda path: note(f"{name}: {path[0]}"))
        )

    owners = (scenario.missions, scenario.units)
    missions, units = (
        {name: noting(name, setup) for name, setup in setups.items()} for setups in owners
    )
    return attrs.evolve(scenario, missions=missions, units=units)


def _facts(scenario: Scenario) -> dict[str, Any]:
    """Return everything that rules may depend on, except charts and options.

    Facts are keyed by ``OWNER: PART``; everything else is under the empty key.
    """
    owners: dict[str, Any] = {**scenario.missions, **scenario.units}
    facts = {
        f"{name}: {word}": _spread(record)
        for name, owner in owners.items()
        for word, record in owner.facts.items()
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
        ignored = {
            id(value) for value in (part.charts, part.options, part.words, *part.charts.values())
        }
        rest.append([item for item in vars(part).items() if id(item[1]) not in ignored])
    return {**facts, "": _spread(rest)}


def plays_alike(one: Scenario, other: Scenario) -> bool:
    """Return whether rules find the same facts in two scenarios staged with the same variation.

    Every figure is then the same. The engagements may differ in facts that this game ignores.
    """
    first, second = (
        _facts(attrs.evolve(each, title="", provenance=(), engagement=None))
        for each in (one, other)
    )
    return first == second


def _spread(value: Any) -> Any:
    """Return a value as nested tuples, including fields that its own comparison ignores."""
    kind = type(value)
    if attrs.has(kind):
        return kind, tuple(_spread(getattr(value, field.name)) for field in attrs.fields(kind))
    if isinstance(value, Mapping):
        return tuple((key, _spread(item)) for key, item in value.items())
    if isinstance(value, tuple | list | frozenset):
        return kind, (frozenset if kind is frozenset else tuple)(map(_spread, value))
    return kind, value
