"""Lazy rolls, which branch only where a rule distinguishes results.

A ``Roll`` contains the outcomes of one chance event that are still possible. Comparing one of its
readings (``total``, a named die, ``doubles``) narrows the outcomes for all readings. All drivers
use the same class. Every driver forbids hashing, formatting or storing a reading, and adding a
modifier after a comparison, so a rule that works in play also works in the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from operator import itemgetter
from typing import Any, NoReturn, TypeVar

from fireplan_core.chance.events import ChanceError, ChanceEvent, RollOutcome

K = TypeVar("K", bound=Hashable)
Support = tuple[tuple[RollOutcome, int], ...]
"""The outcomes that are still possible, with their weights."""

Part = tuple[Any, Support]
"""A possible value of a reading, and the outcomes that produce it."""

Parting = Callable[[Support, Callable[[RollOutcome], Any]], Part]
"""A driver's function that chooses one value of a reading and the outcomes that produce it."""


def parts(support: Support, key: Callable[[RollOutcome], Any]) -> list[Part]:
    """Return a (value, outcomes) pair for each value of a reading, in order of first appearance."""
    by_value: dict[Any, list[tuple[RollOutcome, int]]] = {}
    for item in support:
        by_value.setdefault(key(item[0]), []).append(item)
    return [(value, tuple(items)) for value, items in by_value.items()]


class Roll:
    """A roll: the outcomes of a chance event that are still possible, with readings by name.

    >>> throws = explore(lambda chance: bool(chance.dice("contact", coloured=d6, white=d6).doubles))
    >>> [(weight, total, doubles) for weight, total, doubles, chance in throws]
    [(6, 36, True), (30, 36, False)]
    """

    __slots__ = ("_event", "_judged", "_parting", "_support")

    def __init__(self, event: ChanceEvent, support: Support, parting: Parting) -> None:
        self._event = event
        self._support = support
        self._parting = parting
        self._judged: Reading | None = None

    @property
    def name(self) -> str:
        """The name of the roll, under which modifiers are registered."""
        return self._event.name

    @property
    def total(self) -> Reading:
        """The reading for the sum of all dice."""
        return Reading(self, sum, "total")

    @property
    def doubles(self) -> Reading:
        """The reading for whether all dice show the same face; use it in an ``if``."""
        return Reading(self, lambda outcome: len(set(outcome)) == 1, "doubles")

    @property
    def faces(self) -> Reading:
        """The reading for the set of faces shown by any of the dice; use it with ``look_up``."""
        return Reading(self, frozenset, "faces")

    def __getattr__(self, label: str) -> Reading:
        """Return a reading by name: a die's label, ``chit``, ``add``, ``any`` or ``chosen``."""
        labels = self._event.labels
        if label.startswith("_") or label not in labels:
            raise AttributeError(
                f"the roll {self._event.name!r} has no reading {label!r}; its readings are {', '.join(labels)}"
            )
        return Reading(self, itemgetter(labels.index(label)), label)

    @property
    def event(self) -> ChanceEvent:
        """The chance event that is being rolled (for drivers, not for rules)."""
        return self._event

    @property
    def left(self) -> Support:
        """The outcomes still possible, with their weights (for drivers, not for rules)."""
        return self._support

    @property
    def judged(self) -> Reading | None:
        """The first modified reading that was compared, or else the first reading compared.

        None before any comparison. For drivers, not for rules.
        """
        return self._judged

    def weight(self) -> int:
        """Return the total weight of the outcomes still possible (for drivers, not for rules)."""
        return sum(weight for _, weight in self._support)

    def _split(self, key: Callable[[RollOutcome], K], reading: Reading) -> K:
        """Return the value chosen by the driver, and keep only the outcomes that produce it."""
        if self._judged is None or (reading._modified and not self._judged._modified):
            self._judged = reading
        value, self._support = self._parting(self._support, key)
        return value  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        """Return the name of the roll, without revealing any result."""
        return f"<roll {self._event.name}>"


class Reading:
    """A reading of a roll, which can be modified, compared and looked up in a table.

    >>> def contact(chance):
    ...     return (chance.dice("contact", white=d6).total + 1).clamped(high=6).exact()
    >>> [(weight, face) for weight, total, face, chance in explore(contact)]
    [(1, 2), (1, 3), (1, 4), (1, 5), (2, 6)]
    """

    __slots__ = ("_label", "_modified", "_of", "_roll")

    def __init__(
        self, roll: Roll, of: Callable[[RollOutcome], Any], label: str, *, modified: bool = False
    ) -> None:
        self._roll = roll
        self._of = of
        self._label = label
        self._modified = modified

    # --- modifiers -------------------------------------------------------------------------------
    def __add__(self, other: int | Reading) -> Reading:
        """Return this reading plus a modifier or another reading of the same roll."""
        of = self._of
        if isinstance(other, Reading):
            self._same_roll(other)
            also = other._of
            modified = self._modified or other._modified
            return Reading(
                self._roll,
                lambda o: of(o) + also(o),
                f"{self._label}+{other._label}",
                modified=modified,
            )
        if type(other) is not int:
            raise ChanceError(f"{other!r} was added to {self!r}; modifiers are whole numbers")
        if self._roll._judged is not None and self._roll._judged._modified:
            raise ChanceError(
                f"a modifier was added to {self!r} after a comparison; add all modifiers first"
            )
        return Reading(self._roll, lambda o: of(o) + other, self._label, modified=True)

    def __sub__(self, other: int) -> Reading:
        """Return this reading minus a modifier."""
        return self + -other

    def clamped(self, low: int | None = None, high: int | None = None) -> Reading:
        """Return this reading limited to the range from ``low`` to ``high``.

        The limit does not count as a modifier. Raises ``ChanceError`` if ``low`` is above ``high``.
        """
        if low is not None and high is not None and low > high:
            raise ChanceError(f"{self!r} cannot be limited to the range from {low} to {high}")
        of = self._of

        def limited(outcome: RollOutcome) -> int:
            value = int(of(outcome))
            if low is not None and value < low:
                return low
            return high if high is not None and value > high else value

        return Reading(self._roll, limited, self._label, modified=self._modified)

    def halved_up(self) -> Reading:
        """Return half of this reading, rounded up.

        The division does not count as a modifier.
        """
        of = self._of
        return Reading(self._roll, lambda o: -(-of(o) // 2), self._label, modified=self._modified)

    # --- judgements ------------------------------------------------------------------------------
    def _judge(self, key: Callable[[Any], K]) -> K:
        of = self._of
        return self._roll._split(lambda outcome: key(of(outcome)), self)

    def _compare(self, other: object, test: Callable[[Any, Any], bool]) -> bool:
        if isinstance(other, Reading):
            self._same_roll(other)
            of, also = self._of, other._of
            return self._roll._split(lambda o: test(of(o), also(o)), self)
        return self._judge(lambda value: test(value, other))

    def __eq__(self, other: object) -> bool:
        """Return whether the reading equals a number, a name or another reading of the roll."""
        return self._compare(other, lambda a, b: bool(a == b))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: int | Reading) -> bool:
        return self._compare(other, lambda a, b: bool(a < b))

    def __le__(self, other: int | Reading) -> bool:
        return self._compare(other, lambda a, b: bool(a <= b))

    def __gt__(self, other: int | Reading) -> bool:
        return self._compare(other, lambda a, b: bool(a > b))

    def __ge__(self, other: int | Reading) -> bool:
        return self._compare(other, lambda a, b: bool(a >= b))

    def among(self, values: Collection[Any]) -> bool:
        """Return whether the reading is one of these values."""
        return self._judge(lambda value: value in values)

    def __bool__(self) -> bool:
        """Return the truth value of a boolean reading; raises ``ChanceError`` for a number."""
        return self._judge(self._truth)

    def _truth(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        return self._refuse("tested for truth; compare it with a number")

    def look_up(self, column: Callable[[Any], K] | Mapping[Any, K]) -> K:
        """Return the table entry for the reading; equal entries share one branch."""
        if isinstance(column, Mapping):
            entries = column
            return self._judge(lambda value: entries[value])
        return self._judge(column)

    def exact(self) -> Any:
        """Return the value of the reading, with a separate branch for each distinct value."""
        return self._judge(lambda value: value)

    @property
    def modified(self) -> bool:
        """True if modifiers have been added (for drivers, not for rules)."""
        return self._modified

    def value_of(self, outcome: RollOutcome) -> Any:
        """Return the value of the reading for an outcome (for drivers, not for rules)."""
        return self._of(outcome)

    # --- not allowed in any driver ---------------------------------------------------------------
    def _same_roll(self, other: Reading) -> None:
        if other._roll is not self._roll:
            raise ChanceError(
                f"{self!r} and {other!r} belong to different rolls; a step has one chance event"
            )

    def _refuse(self, what: str) -> NoReturn:
        raise ChanceError(
            f"{self!r} was {what}; a rule may only compare it, add to it, look it up, or call exact()"
        )

    def __hash__(self) -> int:
        """Raise ``ChanceError``, because a reading is not a plain value."""
        return self._refuse("hashed or stored")

    def __int__(self) -> int:
        return self._refuse("turned into a number")

    def __index__(self) -> int:
        return self._refuse("used as an index")

    def __str__(self) -> str:
        return self._refuse("formatted")

    def __format__(self, spec: str) -> str:
        return self._refuse("formatted")

    def __repr__(self) -> str:
        """Return a text such as ``<white of roll contact>``, which reveals no result."""
        return f"<{self._label} of roll {self._roll.name}>"
