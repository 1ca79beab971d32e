"""The arithmetic of a throw: its faces, the modifiers that apply, and the total compared."""

from collections.abc import Callable
from typing import Any

import attrs

from fireplan.table.past_throws import pending_step
from fireplan.table.words import Words
from fireplan_core import Event
from fireplan_core.chance import Applied, Chance, Face, Fold, Roll, Throw
from fireplan_core.play import Table

Show = Callable[[Event], Event | None]
"""Returns the visible part of an event, or None if nothing is visible."""


@attrs.frozen
class ThrowCount:
    """The arithmetic of a throw: the modifiers that apply, and the total (None without a sum).

    ``names`` are the faces as players name them. ``number`` is the number with which the total is
    compared, if it is the sum of the modifiers.
    """

    faces: tuple[Face, ...]
    modifiers: tuple[Applied, ...]
    total: int | None
    names: tuple[str, ...] = ()
    number: int | None = None

    def __str__(self) -> str:
        """Return the sum in words, such as "4 + 5 - 2 (Contact already established) = 7"."""
        return self._sum() if self.number is None else f"{self._sum()} against {self.number}"

    def _sum(self) -> str:
        if not self.sums:
            return " and ".join(self.names or map(str, self.faces))
        added = (
            f" {'-' if each.value < 0 else '+'} {abs(each.value)} ({each.summary})"
            for each in self.added
        )
        dice = " + ".join(map(str, self.faces)).replace("+ -", "- ")
        return f"{dice}{''.join(added)} = {self.total}"

    @property
    def added(self) -> tuple[Applied, ...]:
        """The modifiers added to the dice; empty if they change the number to reach instead."""
        if self.number is not None:
            return ()
        dice = sum(face for face in self.faces if type(face) is int)
        changed = dice + sum(each.value for each in self.modifiers)
        return () if dice == self.total != changed else self.modifiers

    @property
    def listed(self) -> tuple[Applied, ...]:
        """The modifiers listed with the throw: all that change its sum or the number to reach."""
        if self.number is not None:
            return self.modifiers
        return self.added if self.sums else ()

    @property
    def sums(self) -> bool:
        """True if the total is the sum of several dice, or of dice and modifiers."""
        if not all(type(face) is int for face in self.faces):
            return False
        added = [*map(int, self.faces), *(each.value for each in self.added)]
        return len(added) > 1 and sum(added) == self.total


def count_of(table: Table, faces: tuple[Face, ...], show: Show = lambda event: event) -> ThrowCount:
    """Return the total, modifiers and names of these faces in the pending throw.

    ``show(event)`` returns an event as the side sees it, or None if it is hidden. If a modifier is
    hidden, there are no modifiers and no total.
    """
    chances: list[Chance] = []

    def chance_of(modifiers: Any) -> Chance:
        chances.append(Chance(lambda event: event.read(faces), modifiers))
        return chances[0]

    outcome = table.rulebook.run(pending_step(table), chance_of, table.read)
    (chance,) = chances
    seen = all(show(event) for event in outcome.events if event.kind == "modifier")
    roll = chance.roll
    total = None if roll is None or not seen else _total(roll, faces)
    words, applied = Words(table.scenario), tuple(chance.applied) if seen else ()
    names = tuple(words.cards.faces(table.throw_due, faces))
    compared = roll is not None and applied and words.number(roll.event.name)
    number = sum(each.value for each in applied) if compared else None
    return ThrowCount(faces, applied, total, names, number)


def _total(roll: Roll, faces: tuple[Face, ...]) -> int | None:
    """Return the number that a rule compares for these faces, None if it compares no number."""
    if isinstance(roll.event, Fold):
        return roll.event.total_of(int(faces[0]))
    return _compared(roll, roll.event.read(faces))


def _compared(roll: Roll, outcome: Any) -> int | None:
    if roll.judged is None or not isinstance(roll.event, Throw):
        return None
    value = roll.judged.value_of(outcome)
    return value if type(value) is int else None


def totals_of(roll: Roll) -> set[int]:
    """Return the numbers that a rule compares for the outcomes still possible."""
    event = roll.event
    if isinstance(event, Fold):
        left = {outcome for outcome, _ in roll.left}
        single = [face for face in event.die.faces if event.total_of(face) is not None]
        totals = [event.total_of(face) for face in single if event.read((face,)) in left]
    else:
        totals = [_compared(roll, outcome) for outcome, _ in roll.left]
    return {value for value in totals if value is not None}
