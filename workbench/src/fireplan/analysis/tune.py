"""Tuning: the fewest numbers of a game to change so that its figures meet targets.

Every number that the table reads is first moved by itself, one step each way; if a step helps, the
number is moved as far as it may go. The sums of these exact effects show which sets of two or more
numbers to solve next. If a set meets the targets, each of its changes is then made as small as the
targets allow. Every proposal has been solved exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from time import monotonic  # noqa: TID251 - limits how long a user waits; play does not use it
from typing import Any

import attrs

from fireplan.analysis.figure_targets import FigureTarget
from fireplan.analysis.figures import Figure
from fireplan.analysis.phrasing import joined_words
from fireplan.analysis.sensitivities import MovableNumbers, Progress
from fireplan.analysis.settings import Setting
from fireplan.errors import counted
from fireplan.solver import expected_seconds
from fireplan_core import Named
from fireplan_core.play import Variation

REACH = 6  # maximum steps each way; a number above 12 may change by half its value
PROPOSALS = 3  # maximum number of proposals; the search then stops
# Once only this share of the time is left, sets of numbers are tried before the remaining numbers.
_TOGETHER = 0.5
_HUNDREDTH, _HARDLY = Fraction(1, 100), Fraction(1, 10**12)
_LIKELIEST = 24  # sets are made from this many of the best single moves


def time_left(seconds: float) -> Callable[[], float]:
    """Return a function that returns the share of this time that is left.

    The share is 1 at first, and negative once the time is up.
    """
    begun = monotonic()
    return lambda: 1 - (monotonic() - begun) / seconds


def no_time() -> float:
    """Return 0: no time is left."""
    return 0.0


@attrs.frozen
class Shift:
    """A number moved by some steps in one direction (``way``, an index into its cell's steps).

    A chart cell that contains a word moves by one step, to a neighbouring word.
    """

    name: str
    number: Named
    way: int
    steps: int = 1

    @property
    def value(self) -> str:
        """Return the new value of the number as text."""
        value, steps = self.number.cell.value, self.number.cell.steps
        # A number at its bound can move in only one direction.
        return str(
            value + (int(steps[self.way]) - value) * self.steps
            if isinstance(value, int)
            else steps[self.way]
        )

    @property
    def farthest(self) -> int:
        """Return the maximum number of steps by which the number may be moved."""
        value = self.number.cell.value
        return max(REACH, abs(value) // 2) if isinstance(value, int) else 1


@attrs.frozen(eq=False)
class TriedChanges:
    """Numbers changed together, the exact figures, and their distance from the targets.

    ``lacks`` is 0 if all targets are met. Distances are scaled so that an unmet target of the
    printed game adds 1, or less if it is missed by under a hundredth.
    """

    shifts: tuple[Shift, ...]
    values: tuple[Fraction, ...]
    lacks: Fraction


class Tuner:
    """A search for the fewest changes of numbers that meet targets, while ``left()`` is positive.

    Each set of changes is solved exactly and once, on top of the variation ``base``. ``only``
    limits the numbers that are moved; ``over`` is true if time ran out before the search was
    complete. ``toward`` adds a target for each figure: to reach or pass a value, starting from the
    side on which the table is now. ``begin`` is called with the expected seconds of solving the
    table once. Raises the errors of staging and solving, e.g. ``TooLargeError``; ``trial`` raises
    ``TimeoutError`` when no time is left. A copy keeps the results but cannot search further.
    """

    def __init__(
        self,
        table: Setting,
        base: Variation,
        wants: Sequence[FigureTarget],
        left: Callable[[], float],
        only: Collection[str] = (),
        begin: Callable[[float], None] = lambda _seconds: None,
        toward: Iterable[tuple[Figure, Fraction]] = (),
    ) -> None:
        self._table, self._base, self._left = table, base, left
        self._moves = MovableNumbers.of(table, base)
        begin(expected_seconds(self._moves.analysis))
        sides = (
            FigureTarget(figure, ">=" if figure.of(self._moves.analysis) < bound else "<=", bound)
            for figure, bound in toward
        )
        self.wants = (*wants, *sides)
        start = tuple(want.figure.of(self._moves.analysis) for want in self.wants)
        self._scales = [
            max(abs(v - want.bound), _HUNDREDTH) for want, v in zip(self.wants, start, strict=True)
        ]
        self.printed = TriedChanges((), start, self._lacks(start))
        read = sorted(self._moves.reached, key=lambda name: (name in self._moves.afresh, name))
        named = ((name, self._moves.numbers[name]) for name in read)
        self.numbers = {name: number for name, number in named if number.name in only or not only}
        """The numbers to move, by full name; numbers that need a new solution come last."""
        self.tried: dict[frozenset[tuple[str, str]], TriedChanges | None] = {}
        self._alone: list[TriedChanges] = []
        self.proposals: list[TriedChanges] = []
        """Trials that meet all targets, with the fewest changed numbers first."""
        self.nearest = self.printed
        self.over = False

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_moves": None, "_left": no_time}

    def in_words(self, most: int) -> str:
        """Return the result of a search for changes of at most ``most`` numbers, as sentences.

        They name the best changes that meet the targets or, if there are none, the nearest ones.
        """
        if not self.printed.lacks:
            return "Nothing needs to change: the table meets the targets as it is."
        if self.proposals:
            count = len(self.proposals[0].shifts)
            return (
                f"Changing {counted(count, 'number')} meets the targets:"
                f" {self._effect(self.proposals[0])}. No smaller set of changes was found."
            )
        tried = f"{len(self.tried):,} sets of changes to {len(self.numbers):,} numbers were solved"
        tried += ", until time ran out" if self.over else ", and no others looked promising"
        nearest = "" if self.nearest is self.printed else f" Nearest: {self._effect(self.nearest)}."
        return f"No change to at most {counted(most, 'number')} was found to meet the targets: {tried}.{nearest}"

    def _effect(self, trial: TriedChanges) -> str:
        """Return the changes of a trial and the resulting figures, each with its old value."""
        changes = [
            f"{shift.number.name} {shift.value} instead of {shift.number.cell.value}"
            for shift in trial.shifts
        ]
        figures = [
            f"{want.figure.name.replace('_', ' ')} {want.figure.compared(value, was)}"
            for want, value, was in zip(self.wants, trial.values, self.printed.values, strict=True)
        ]
        return f"with {joined_words(changes)}, the table has {joined_words(figures)}"

    def _lacks(self, values: Sequence[Fraction]) -> Fraction:
        rows = zip(self.wants, values, self._scales, strict=True)
        # A value equal to the bound of < or > misses the target, so its distance must exceed 0.
        lacking = (
            max(abs(v - want.bound) / scale, _HARDLY)
            for want, v, scale in rows
            if not want.holds(v)
        )
        return sum(lacking, Fraction(0))

    def trial(self, *shifts: Shift) -> TriedChanges | None:
        """Return the trial of these changes, or None if the table cannot be staged or solved.

        Raises ``TimeoutError`` if no time is left.
        """
        key = frozenset((shift.name, shift.value) for shift in shifts)
        if key not in self.tried:
            if self._left() <= 0:
                raise TimeoutError
            numbers = {**self._base.numbers, **{shift.number.name: shift.value for shift in shifts}}
            try:
                table = self._table.stage(attrs.evolve(self._base, numbers=numbers))
                analysis = self._moves.changed(table, [shift.name for shift in shifts])
                values = tuple(want.figure.of(analysis) for want in self.wants)
                self.tried[key] = solved = TriedChanges(shifts, values, self._lacks(values))
                self.nearest = min(
                    self.nearest, solved, key=lambda trial: (trial.lacks, len(trial.shifts))
                )
            except Exception:  # noqa: BLE001 - a rule may raise anything for an unforeseen number
                self.tried[key] = None
        return self.tried[key]

    def search(self, most: int = 3, progress: Progress = lambda _total, _name: None) -> Tuner:
        """Search for proposals that change at most ``most`` numbers; return the tuner itself.

        ``progress(total, name)`` is called after each number that was moved by itself.
        """
        try:
            self._search(most, progress)
        except TimeoutError:
            self.over = len(self.proposals) < PROPOSALS
        self.proposals.sort(
            key=lambda trial: (len(trial.shifts), sum(shift.steps for shift in trial.shifts))
        )
        return self

    def _search(self, most: int, progress: Progress) -> None:
        late = not self.printed.lacks
        for name, named in () if late else self.numbers.items():
            if not late and self._left() < _TOGETHER:
                late = True
                self._together(most)
            # Skip the other direction if one step this way helps, or does not change the figures.
            for way in range(len(named.cell.steps)):
                if self._moved(Shift(name, named, way)):
                    break
            progress(len(self.numbers), name)
        self._together(most)

    def _moved(self, shift: Shift) -> bool:
        """Solve moves of one number in one direction, and propose the best if it meets the targets.

        Return whether the other direction can be skipped.
        """
        near = self.trial(shift)
        if near is None or near.values == self.printed.values:
            return near is not None
        self._alone.append(near)
        if near.lacks >= self.printed.lacks:
            return False
        steps, far = shift.farthest, None
        # If the number goes too far for another target or for the game, try half as many steps.
        while steps > 1 and (far is None or far.lacks > near.lacks):
            if far := self.trial(attrs.evolve(shift, steps=steps)):
                self._alone.append(far)
            steps //= 2
        self._keep(far if far is not None and far.lacks <= near.lacks else near)
        return True

    def _together(self, most: int) -> None:
        """Solve sets of the numbers that were moved by themselves, the most promising first."""
        likeliest = sorted(self._alone, key=lambda trial: trial.lacks)[:_LIKELIEST]
        for size in range(2, most + 1):
            promising = []
            for trials in combinations(likeliest, size) if not self.proposals else ():
                shifts = tuple(shift for trial in trials for shift in trial.shifts)
                columns = zip(self.printed.values, *(trial.values for trial in trials), strict=True)
                expected = self._lacks([sum(values, was) - size * was for was, *values in columns])
                if len({s.name for s in shifts}) == size and expected < min(
                    trial.lacks for trial in trials
                ):
                    promising.append((expected, sum(shift.steps for shift in shifts), shifts))
            for _, _, shifts in sorted(promising, key=lambda entry: entry[:2]):
                if not any(
                    {s.name for s in proposal.shifts} <= {s.name for s in shifts}
                    for proposal in self.proposals
                ):
                    self._keep(self.trial(*shifts))

    def _keep(self, reached: TriedChanges | None) -> None:
        """Add a trial that meets the targets to the proposals, after minimising its steps.

        Raise ``TimeoutError`` to end the search once there are enough proposals.
        """
        if reached is None or reached.lacks:
            return
        self.proposals.append(reached)  # the proposal remains if time runs out
        for shift in sorted(reached.shifts, key=lambda shift: -shift.steps):
            least, most = 0, shift.steps
            while least < most:
                steps = (least + most) // 2
                others = [other for other in reached.shifts if other.name != shift.name]
                trial = self.trial(*others, *([attrs.evolve(shift, steps=steps)] if steps else ()))
                if trial is not None and not trial.lacks:
                    self.proposals[-1] = reached = trial
                    most = steps
                else:
                    least = steps + 1
        if len(self.proposals) >= PROPOSALS:
            raise TimeoutError  # ends the search
