"""Values that a question names: for a field of an event, or for the result of a roll.

A list, tuple or set means any of its values. A value that can never match is refused, with
suggestions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from fireplan.errors import InputError, counted, unknown
from fireplan.questions.event_fields import EventFields, same
from fireplan_core import Event, Scenario
from fireplan_core.chance import ChanceEvent, RollOutcome, Throw
from fireplan_core.space import label_of

COLLECTIONS = (list, tuple, set, frozenset)
ABSENT = object()
MOST_LISTED = 12
"""Maximum number of values that are listed if none of them was expected."""


def alternatives(value: Any) -> tuple[Any, ...]:
    """Return the values of a list, tuple or set, or the value itself as the only one."""
    if not isinstance(value, COLLECTIONS):
        return (value,)
    return tuple(sorted(value, key=str) if isinstance(value, set | frozenset) else value)


def expected_in_words(value: Any) -> str:
    """Return a value as a question prints it: "1st squad or 2nd squad" for several."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={expected_in_words(each)}" for name, each in value.items())
    return " or ".join(map(str, alternatives(value)))


class ExpectedField:
    """The values expected of one field of the events of a kind.

    Raises ``InputError`` for a value that the field can never hold: at once if the rules declare
    the field's values, otherwise in ``matches``.
    """

    def __init__(self, scenario: Scenario, kind: str, name: str, expected: Any) -> None:
        self.name = name
        self._scenario, self._events = scenario, EventFields(scenario)
        self._whole = expected if isinstance(expected, tuple | frozenset) else ABSENT
        self._expected = alternatives(expected)
        if not self._expected:
            raise InputError(f"{name}: expected a value, got an empty list.")
        self._matches: dict[Any, bool] = {}
        if domain := self._events.domain(kind, name):
            for each in self._expected:
                self._events.refuse(name, each, domain)

    def matches(self, value: Any) -> bool:
        """Return whether a value of the field is one of those expected."""
        key = type(value), value
        if key not in self._matches:
            self._matches[key] = self._compared(value)
        return self._matches[key]

    def never(self) -> str:
        """Return a sentence that lists the values met so far if none was expected, else "".

        The values met are those given to ``matches``. The result is also "" if there are none.
        """
        values = [value for _, value in self._matches]
        if not values or any(self._matches.values()):
            return ""
        ordered = sorted(values) if all(map(_is_number, values)) else values
        words = [
            self._events.words.typed.value(value, self.name) for value in ordered[:MOST_LISTED]
        ]
        left = len(values) - MOST_LISTED
        more = f" and {counted(left, 'other')}" if left > 0 else ""
        return f"{self.name} is {', '.join(words)}{more}, never {expected_in_words(self._expected)}"

    def _compared(self, value: Any) -> bool:
        if value == self._whole:
            return True
        if domain := self._events.domain_like(value):
            for expected in self._expected:
                if expected is not None:  # any field may be empty, so None is never wrong
                    self._events.refuse(self.name, expected, domain)
        return any(
            same(item, expected, self._events.words.typed.value(item, self.name))
            for item in _items(self._scenario, value)
            for expected in self._expected
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


class ExpectedAnywhere:
    """The values expected of any field of the events of a kind.

    Raises ``InputError`` for a value that none of the fields of an event can hold.
    """

    def __init__(self, scenario: Scenario, kind: str, expected: Any) -> None:
        self._scenario, self._events = scenario, EventFields(scenario)
        self._kind, self._expected = kind, alternatives(expected)
        if not self._expected:
            raise InputError(f"{kind}: expected a value, got an empty list.")

    def matches(self, event: Event) -> bool:
        """Return whether any field of an event has one of the values expected."""
        found = [self._found(event, expected) for expected in self._expected]
        return any(found)

    def _found(self, event: Event, expected: Any) -> bool:
        for name, value in event.fields:
            for item in _items(self._scenario, value):
                if same(item, expected, self._events.words.typed.value(item, name)):
                    return True
        self._refuse_impossible(event, expected)
        return False

    def _refuse_impossible(self, event: Event, expected: Any) -> None:
        faults = []
        for name, value in event.fields:
            domain = self._events.domain(self._kind, name) or self._events.domain_like(value)
            if domain is None:
                return
            try:
                self._events.refuse(name, expected, domain)
            except InputError as error:
                faults.append(error)
            else:
                return
        if faults:
            raise InputError(*(sentence for fault in faults for sentence in fault.args))


def _items(scenario: Scenario, value: Any) -> tuple[Any, ...]:
    """Return a value, followed by its items if it is a list but not a place."""
    several = isinstance(value, tuple | frozenset) and label_of(scenario.frame, value) is None
    return (value, *value) if several else (value,)


class ExpectedRoll:
    """The expected results of a roll: any of these faces, totals, chits or names."""

    def __init__(self, name: str, expected: Any, faces: type) -> None:
        self._name, self._expected, self._faces = name, alternatives(expected), faces
        self._names: set[str] = set()
        if not self._expected:
            raise InputError("Expected the result of a roll, got an empty list.")

    def __call__(self, event: ChanceEvent, outcome: RollOutcome) -> bool:
        """Return whether a roll has one of the expected results.

        Raise ``InputError`` for dice or a total that the roll can never have; see ``check`` for
        names.
        """
        results = [self._has(event, outcome, expected) for expected in self._expected]
        return any(results)

    def check(self) -> None:
        """Raise ``InputError`` for a name that none of the rolls followed could give."""
        for expected in self._expected if self._names else ():
            if isinstance(expected, str) and expected not in self._names:
                raise unknown(f"result of {self._name}", expected, sorted(self._names))

    def _has(self, event: ChanceEvent, outcome: RollOutcome, expected: Any) -> bool:
        if isinstance(expected, self._faces):
            faces: tuple[Any, ...] = expected.faces  # type: ignore[attr-defined]
            if len(event.faces) != len(faces):
                raise InputError(
                    f"{event.name}: expected {len(event.faces)} dice, got {len(faces)}."
                )
            if isinstance(event, Throw):
                for die, face in zip(event.faces, faces, strict=True):
                    _refuse_roll(event, face, [each for each, _ in die.weights])
            return bool(event.read(faces) == outcome)
        if isinstance(expected, str):
            if outcome and all(isinstance(face, int) for face in outcome):
                raise InputError(
                    f"{event.name}: expected its dice (4,2) or their total (6), got {expected!r}."
                )
            self._names.update(_names_in(event))
            return expected in outcome or (expected,) in outcome
        if isinstance(expected, bool) or not isinstance(expected, int):
            raise InputError(f"{event.name}: expected dice or their total, got {expected!r}.")
        if isinstance(event, Throw):
            _refuse_roll(event, expected, _totals(event))
        return total(outcome) == expected


def total(outcome: RollOutcome) -> int:
    """Return the sum of the numbers in an outcome."""
    return sum(face for face in outcome if isinstance(face, int))


@cache
def _totals(event: Throw) -> tuple[int, ...]:
    return tuple(sorted({total(outcome) for outcome, _ in event.space}))


def _names_in(event: ChanceEvent) -> set[str]:
    """Return the names of the chits or other results that a roll may have."""
    names = set[str]()
    for outcome, _ in event.space:
        for face in outcome:
            names.update(map(str, face if isinstance(face, tuple) else (face,)))
    return names


def _refuse_roll(event: Throw, number: Any, possible: Iterable[Any]) -> None:
    if number not in possible:
        raise unknown(f"result of {event.name}", str(number), map(str, possible))
