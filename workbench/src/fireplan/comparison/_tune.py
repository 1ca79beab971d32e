"""Tuning: the fewest numbers of a game to change so that its figures reach what is wanted of them.

Every number that the table reads is moved by itself first: one step each way, and where that helps, as far as it may
go. What these exact effects come to, added up, says which sets of two and more to solve next. Whatever reaches the
target is drawn in again, number by number, as far as it still does. Nothing is proposed that was not solved exactly.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from fractions import Fraction
from itertools import combinations
from time import monotonic  # noqa: TID251 - how long a person waits; nothing of play hangs on it

import attrs

from fireplan.comparison._figures import FIGURES, Figure
from fireplan.comparison._files import Setting
from fireplan.comparison._reading import number, percent
from fireplan.comparison._sensitivity import Moves, Progress
from fireplan.solver import Analysis
from fireplan_core import Named
from fireplan_core.play import Variation

REACH = 6
"""Steps that a number is moved to each side; one above 12 by up to half of itself."""
PROPOSALS = 3
"""Proposals after which nothing more is looked for."""
_TOGETHER = 0.5
"""The share of the time from which on several numbers are moved together, whether or not all were tried alone."""
_SIGNS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_WANT = re.compile(r"\s*(\w+)\s*(>=|<=|>|<)\s*(\d+(?:\.\d+)?|\d+/[1-9]\d*)\s*(%|min)?\s*")

Left = Callable[[], float]
"""Tells which share of the time is left, from 1 down to 0."""


def within(seconds: float) -> Left:
    """Return what tells how much is left of so many seconds from now."""
    begun = monotonic()
    return lambda: 1 - (monotonic() - begun) / seconds


@attrs.frozen
class Want:
    """A target: a figure, how it shall compare, and with which exact value."""

    figure: Figure
    sign: str
    bound: Fraction

    @classmethod
    def read(cls, text: str) -> Want:
        """Return what is wanted in words such as ``delivered >= 80 %``. Raises ValueError saying what was expected."""
        found = _WANT.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r}: write FIGURE >= VALUE (or <=, <, >), such as 'delivered >= 80 %'")
        name, sign, value, unit = found.groups()
        if name not in FIGURES:
            near = get_close_matches(name, FIGURES, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(FIGURES)}"
            raise ValueError(f"{text!r}: there is no figure {name!r}; {hint}")
        bound, minutes = Fraction(value) / (100 if unit == "%" else 1), FIGURES[name].unit == "min"
        if unit == ("%" if minutes else "min") or (bound > 1 and not minutes):
            expected = "minutes, such as 12 min" if minutes else "a share: 80 %, 0.8 or 4/5"
            raise ValueError(f"{text!r}: expected {expected}, got {value}{f' {unit}' if unit else ''}")
        return cls(FIGURES[name], sign, bound)

    def holds(self, value: Fraction) -> bool:
        """Return whether a value of the figure reaches the target."""
        return bool(_SIGNS[self.sign](value, self.bound))

    def shown(self, value: Fraction) -> str:
        """Return a value of the figure in words."""
        return f"{number(value)} min" if self.figure.unit == "min" else percent(value)

    def __str__(self) -> str:
        return f"{self.figure.name} {self.sign} {self.shown(self.bound)}"


@attrs.frozen
class Shift:
    """A number moved so many steps one way; an entry in words moves one step, to that which stands next to it."""

    name: str
    number: Named
    way: int
    steps: int = 1

    @property
    def value(self) -> str:
        """Return what the number becomes."""
        value, steps = self.number.cell.value, self.number.cell.steps
        # A number at its bound has one way only.
        return str(value + (int(steps[self.way]) - value) * self.steps if isinstance(value, int) else steps[self.way])

    @property
    def farthest(self) -> int:
        """Return how many steps it is moved at most."""
        value = self.number.cell.value
        return max(REACH, abs(value) // 2) if isinstance(value, int) else 1


@attrs.frozen(eq=False)
class Trial:
    """Numbers changed together, the exact figures, and how far these are from what is wanted: 1 each at the outset."""

    shifts: tuple[Shift, ...]
    values: tuple[Fraction, ...]
    lacks: Fraction
    holds: bool


@attrs.frozen(eq=False)
class Tuning:
    """Say what was found: proposals, the fewest numbers first, and what came nearest.

    ``numbers`` is how many could be moved, ``tried`` how many sets of changes were solved, ``over`` whether time ran
    out before all that was promising had been.
    """

    wants: tuple[Want, ...]
    printed: Trial
    proposals: tuple[Trial, ...]
    nearest: Trial
    numbers: int
    tried: int
    over: bool

    def in_words(self, most: int) -> str:
        """Return what was found, where at most so many numbers were moved, without saying more than was tried."""
        if self.printed.holds:
            return "Nothing need be changed: the table as it is reaches it."
        if self.proposals:
            return f"Numbers changed to reach it, the fewest that were found: {len(self.proposals[0].shifts)}."
        tried = f"{self.tried:,} sets of changes to {self.numbers:,} numbers were solved"
        ended = "until time ran out" if self.over else "and nothing more was promising"
        return f"No change of up to {most} numbers was found to reach it: {tried}, {ended}."


class OverError(Exception):
    """The time is over, or enough has been found."""


class Tuner:
    """A table whose numbers are moved, each set of changes solved exactly and once, as long as time is ``left``."""

    def __init__(self, table: Setting, base: Variation, wants: Sequence[Want], left: Left) -> None:
        self._table, self._base, self._left, self.wants = table, base, left, tuple(wants)
        self._moves = Moves.of(table, base)
        start = self._values(self._moves.analysis)
        least = (1 if want.figure.unit == "min" else Fraction(1, 100) for want in wants)
        self._scales = [max(abs(v - want.bound), x) for want, v, x in zip(wants, start, least, strict=True)]
        self.printed = self._judged((), start)
        read = sorted(self._moves.reached, key=lambda name: (name in self._moves.afresh, name))
        self.numbers = {name: self._moves.numbers[name][1] for name in read}
        """The numbers that the table reads; those that it is solved again with the quickest first."""
        self.tried: dict[frozenset[tuple[str, str]], Trial | None] = {}
        self._alone: list[Trial] = []
        self.proposals: list[Trial] = []

    def _values(self, analysis: Analysis) -> tuple[Fraction, ...]:
        return tuple(want.figure.of(analysis) for want in self.wants)

    def _lacks(self, values: Sequence[Fraction]) -> Fraction:
        rows = zip(self.wants, values, self._scales, strict=True)
        return sum((abs(v - want.bound) / scale for want, v, scale in rows if not want.holds(v)), Fraction(0))

    def _judged(self, shifts: tuple[Shift, ...], values: tuple[Fraction, ...]) -> Trial:
        holds = all(want.holds(value) for want, value in zip(self.wants, values, strict=True))
        return Trial(shifts, values, self._lacks(values), holds)

    def trial(self, *shifts: Shift) -> Trial | None:
        """Return what these changes come to; None where the table cannot be staged or solved with them."""
        key = frozenset((shift.name, shift.value) for shift in shifts)
        if key not in self.tried:
            if self._left() <= 0:
                raise OverError
            numbers = {**self._base.numbers, **{shift.number.name: shift.value for shift in shifts}}
            try:
                table = self._table.lay(attrs.evolve(self._base, numbers=numbers))
                analysis = self._moves.changed(table, [shift.name for shift in shifts])
                self.tried[key] = self._judged(shifts, self._values(analysis))
            except Exception:  # noqa: BLE001 - whatever a rule does with a number that nobody has thought of
                self.tried[key] = None
        return self.tried[key]

    def search(self, numbers: Sequence[str], most: int, progress: Progress) -> None:
        """Look for proposals of up to ``most`` of these numbers; raises ``OverError`` at the end of the time."""
        late = False
        for name in numbers if not self.printed.holds else ():
            if not late and self._left() < _TOGETHER:
                late = True
                self._together(most)
            named = self.numbers[name]
            # Where one step changes nothing that is wanted, or helps, the other way is not tried.
            any(self._moved(Shift(name, named, way)) for way in range(len(named.cell.steps)))
            progress(len(numbers), name)
        self._together(most)

    def _moved(self, shift: Shift) -> bool:
        """Move one number by itself; return whether the other way need not be tried."""
        near = self.trial(shift)
        if near is None or near.values == self.printed.values:
            return near is not None
        self._alone.append(near)
        if near.lacks >= self.printed.lacks:
            return False
        steps = shift.farthest
        # Where it goes too far for another target, or for the game, half the way may do.
        while steps:
            far = near if steps == 1 else self.trial(attrs.evolve(shift, steps=steps))
            if far is not None and far is not near:
                self._alone.append(far)
            if far is not None and far.lacks <= near.lacks:
                self._keep(far)
                break
            steps //= 2
        return True

    def _together(self, most: int) -> None:
        """Move several numbers, of those that were moved by themselves; the likeliest sets first."""
        for size in range(2, most + 1):
            found = []
            for trials in combinations(self._alone, size) if not self.proposals else ():
                shifts = tuple(shift for trial in trials for shift in trial.shifts)
                columns = zip(self.printed.values, *(trial.values for trial in trials), strict=True)
                expected = self._lacks([sum(values, was) - size * was for was, *values in columns])
                if len({s.name for s in shifts}) == size and expected < min(trial.lacks for trial in trials):
                    found.append((expected, sum(shift.steps for shift in shifts), shifts))
            for _, _, shifts in sorted(found, key=lambda each: each[:2]):
                if not any({s.name for s in one.shifts} <= {s.name for s in shifts} for one in self.proposals):
                    self._keep(self.trial(*shifts))

    def _keep(self, found: Trial | None) -> None:
        """Keep changes that reach what is wanted, with as few numbers, each moved as little, as still holds."""
        if found is None or not found.holds:
            return
        self.proposals.append(found)  # which stays, should time run out
        for shift in sorted(found.shifts, key=lambda shift: -shift.steps):
            least, most = 0, shift.steps
            while least < most:
                steps = (least + most) // 2
                others = [each for each in found.shifts if each.name != shift.name]
                trial = self.trial(*others, *([attrs.evolve(shift, steps=steps)] if steps else ()))
                if trial is not None and trial.holds:
                    self.proposals[-1] = found = trial
                    most = steps
                else:
                    least = steps + 1
        if len(self.proposals) >= PROPOSALS:
            raise OverError


def tune(
    table: Setting,
    base: Variation,
    wants: Sequence[Want],
    left: Left,
    most: int = 3,
    only: Collection[str] = (),
    progress: Progress = lambda _total, _name: None,
) -> Tuning:
    """Look for at most ``most`` numbers whose change makes the table reach all that is wanted, the fewest first.

    ``base`` is what is changed to begin with; of the numbers that the table reads ``only`` these are moved, if any are
    named. The search ends when nothing is ``left`` of its time. Raises as laying out and solving do, ``TooLargeError``
    for a table that cannot be solved.
    """
    tuner, over = Tuner(table, base, wants, left), False
    numbers = [name for name, named in tuner.numbers.items() if named.name in only or not only]
    try:
        tuner.search(numbers, most, progress)
    except OverError:
        over = len(tuner.proposals) < PROPOSALS
    trials = [tuner.printed, *(trial for trial in tuner.tried.values() if trial is not None)]
    nearest = min(trials, key=lambda trial: (trial.lacks, len(trial.shifts)))
    ranked = sorted(tuner.proposals, key=lambda one: (len(one.shifts), sum(shift.steps for shift in one.shifts)))
    return Tuning(tuner.wants, tuner.printed, tuple(ranked), nearest, len(numbers), len(tuner.tried), over)
