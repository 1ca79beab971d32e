"""Tuning: the fewest numbers of a game to change so that its figures reach what is wanted of them.

Every number that the table reads is moved by itself first: one step each way, and where that helps,
as far as it may go. What these exact effects come to, added up, says which sets of two and more to
solve next. Whatever reaches the target is drawn in again, number by number, as far as it still
does. Nothing is proposed that was not solved exactly.
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

from fireplan.analysis.figures import FIGURES, Figure
from fireplan.analysis.phrasing import number, percent
from fireplan.analysis.sensitivities import Moves, Progress
from fireplan.analysis.settings import Setting
from fireplan_core import Named
from fireplan_core.play import Variation

REACH = 6  # steps that a number is moved to each side; one above 12 by up to half of itself
PROPOSALS = 3  # after which nothing more is looked for
_TOGETHER = (
    0.5  # of the time: from then on numbers are moved together, whether or not all were tried alone
)
_HUNDREDTH, _HARDLY = Fraction(1, 100), Fraction(1, 10**12)
_LIKELIEST = 24  # numbers moved by themselves, of which sets are made
_SIGNS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_WANT = re.compile(r"\s*(\w+)\s*(>=|<=|>|<)\s*(\d+(?:\.\d+)?|\d+/[1-9]\d*)\s*(%|min)?\s*")


def within(seconds: float) -> Callable[[], float]:
    """Return what tells which share is left of so many seconds from now, from 1 down to 0."""
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
        """Return what is wanted in words such as ``delivered >= 80 %``.

        Raises ValueError saying what was expected.
        """
        found = _WANT.fullmatch(text)
        if found is None:
            raise ValueError(
                f"{text!r}: write FIGURE >= VALUE (or <=, <, >), such as 'delivered >= 80 %'"
            )
        name, sign, value, unit = found.groups()
        if name not in FIGURES:
            near = get_close_matches(name, FIGURES, n=1) or FIGURES
            raise ValueError(
                f"{text!r}: there is no figure {name!r}; did you mean {' or '.join(near)}?"
            )
        bound, minutes = Fraction(value) / (100 if unit == "%" else 1), FIGURES[name].unit == "min"
        if unit == ("%" if minutes else "min") or (bound > 1 and not minutes):
            expected = "minutes, such as 12 min" if minutes else "a share: 80 %, 0.8 or 4/5"
            raise ValueError(
                f"{text!r}: expected {expected}, got {value}{f' {unit}' if unit else ''}"
            )
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
    """A number moved so many steps one way.

    An entry in words moves one step, to that which stands next to it.
    """

    name: str
    number: Named
    way: int
    steps: int = 1

    @property
    def value(self) -> str:
        """Return what the number becomes."""
        value, steps = self.number.cell.value, self.number.cell.steps
        # A number at its bound has one way only.
        return str(
            value + (int(steps[self.way]) - value) * self.steps
            if isinstance(value, int)
            else steps[self.way]
        )

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


class Tuner:
    """A table whose numbers are moved, each set of changes solved exactly and once, as long as time is ``left``.

    ``base`` is what is changed to begin with; of the numbers that the table reads ``only`` these are moved, if any are
    named. ``over`` is whether time ran out before all that is promising was solved. Raises as laying out and solving
    do, ``TooLargeError`` for a table that cannot be solved, and ``TimeoutError`` of a trial when the time is over.
    """

    def __init__(
        self,
        table: Setting,
        base: Variation,
        wants: Sequence[Want],
        left: Callable[[], float],
        only: Collection[str] = (),
    ) -> None:
        self._table, self._base, self._left, self.wants = table, base, left, tuple(wants)
        self._moves = Moves.of(table, base)
        start = tuple(want.figure.of(self._moves.analysis) for want in wants)
        self._scales = [
            max(abs(v - want.bound), _HUNDREDTH) for want, v in zip(wants, start, strict=True)
        ]
        self.printed = Trial((), start, self._lacks(start))
        read = sorted(self._moves.reached, key=lambda name: (name in self._moves.afresh, name))
        named = ((name, self._moves.numbers[name]) for name in read)
        self.numbers = {name: number for name, number in named if number.name in only or not only}
        """The numbers that the table reads.

        Those that it is solved again with the quickest first.
        """
        self.tried: dict[frozenset[tuple[str, str]], Trial | None] = {}
        self._alone: list[Trial] = []
        self.proposals: list[Trial] = []
        """What reaches all that is wanted, the fewest numbers first."""
        self.nearest = self.printed
        self.over = False

    def in_words(self, most: int) -> str:
        """Return what was found, where at most so many numbers were moved, without saying more than was tried."""
        if not self.printed.lacks:
            return "Nothing need be changed: the table as it is reaches it."
        if self.proposals:
            return f"Numbers changed to reach it, the fewest that were found: {len(self.proposals[0].shifts)}."
        tried = f"{len(self.tried):,} sets of changes to {len(self.numbers):,} numbers were solved"
        tried += ", until time ran out" if self.over else ", and nothing more was promising"
        return f"No change of up to {most} numbers was found to reach it: {tried}."

    def _lacks(self, values: Sequence[Fraction]) -> Fraction:
        rows = zip(self.wants, values, self._scales, strict=True)
        # At a bound that does not belong to the target nearly nothing is lacking, but something.
        lacking = (
            max(abs(v - want.bound) / scale, _HARDLY)
            for want, v, scale in rows
            if not want.holds(v)
        )
        return sum(lacking, Fraction(0))

    def trial(self, *shifts: Shift) -> Trial | None:
        """Return what these changes come to.

        None where the table cannot be staged or solved with them.
        """
        key = frozenset((shift.name, shift.value) for shift in shifts)
        if key not in self.tried:
            if self._left() <= 0:
                raise TimeoutError
            numbers = {**self._base.numbers, **{shift.number.name: shift.value for shift in shifts}}
            try:
                table = self._table.lay(attrs.evolve(self._base, numbers=numbers))
                analysis = self._moves.changed(table, [shift.name for shift in shifts])
                values = tuple(want.figure.of(analysis) for want in self.wants)
                self.tried[key] = found = Trial(shifts, values, self._lacks(values))
                self.nearest = min(
                    self.nearest, found, key=lambda trial: (trial.lacks, len(trial.shifts))
                )
            except Exception:  # noqa: BLE001 - whatever a rule does with a number that nobody has thought of
                self.tried[key] = None
        return self.tried[key]

    def search(self, most: int = 3, progress: Progress = lambda _total, _name: None) -> Tuner:
        """Look for proposals that change at most so many numbers, as long as time is left.

        Return itself.
        """
        try:
            self._search(most, progress)
        except TimeoutError:
            self.over = len(self.proposals) < PROPOSALS
        self.proposals.sort(
            key=lambda one: (len(one.shifts), sum(shift.steps for shift in one.shifts))
        )
        return self

    def _search(self, most: int, progress: Progress) -> None:
        late = not self.printed.lacks
        for name, named in () if late else self.numbers.items():
            if not late and self._left() < _TOGETHER:
                late = True
                self._together(most)
            # Where one step changes nothing that is wanted, or helps, the other way is not tried.
            any(self._moved(Shift(name, named, way)) for way in range(len(named.cell.steps)))
            progress(len(self.numbers), name)
        self._together(most)

    def _moved(self, shift: Shift) -> bool:
        """Move one number by itself; return whether the other way need not be tried."""
        near = self.trial(shift)
        if near is None or near.values == self.printed.values:
            return near is not None
        self._alone.append(near)
        if near.lacks >= self.printed.lacks:
            return False
        steps, far = shift.farthest, None
        # Where it goes too far for another target, or for the game, half the way may do.
        while steps > 1 and (far is None or far.lacks > near.lacks):
            if far := self.trial(attrs.evolve(shift, steps=steps)):
                self._alone.append(far)
            steps //= 2
        self._keep(far if far is not None and far.lacks <= near.lacks else near)
        return True

    def _together(self, most: int) -> None:
        """Move several numbers, of those that were moved by themselves.

        The likeliest sets first.
        """
        likeliest = sorted(self._alone, key=lambda trial: trial.lacks)[:_LIKELIEST]
        for size in range(2, most + 1):
            found = []
            for trials in combinations(likeliest, size) if not self.proposals else ():
                shifts = tuple(shift for trial in trials for shift in trial.shifts)
                columns = zip(self.printed.values, *(trial.values for trial in trials), strict=True)
                expected = self._lacks([sum(values, was) - size * was for was, *values in columns])
                if len({s.name for s in shifts}) == size and expected < min(
                    trial.lacks for trial in trials
                ):
                    found.append((expected, sum(shift.steps for shift in shifts), shifts))
            for _, _, shifts in sorted(found, key=lambda each: each[:2]):
                if not any(
                    {s.name for s in one.shifts} <= {s.name for s in shifts}
                    for one in self.proposals
                ):
                    self._keep(self.trial(*shifts))

    def _keep(self, found: Trial | None) -> None:
        """Keep changes that reach what is wanted, with as few numbers, each moved as little, as still holds."""
        if found is None or found.lacks:
            return
        self.proposals.append(found)  # which stays, should time run out
        for shift in sorted(found.shifts, key=lambda shift: -shift.steps):
            least, most = 0, shift.steps
            while least < most:
                steps = (least + most) // 2
                others = [each for each in found.shifts if each.name != shift.name]
                trial = self.trial(*others, *([attrs.evolve(shift, steps=steps)] if steps else ()))
                if trial is not None and not trial.lacks:
                    self.proposals[-1] = found = trial
                    most = steps
                else:
                    least = steps + 1
        if len(self.proposals) >= PROPOSALS:
            raise TimeoutError  # which ends the search
