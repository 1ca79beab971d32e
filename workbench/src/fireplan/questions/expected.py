"""Values that a question names: for a field of an event, or for the result of a roll.

A list, tuple or set means any of its values. A value that can never match is refused with those
that may be meant: at once if the field shows what it can hold, otherwise after the whole question
has been followed and nothing matched.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from fireplan.errors import InputError, unknown
from fireplan.table import Words
from fireplan_core import Event, Scenario, Severity
from fireplan_core.chance import ChanceEvent, Outcome, Throw
from fireplan_core.space import CoordinateError, label_of

COLLECTIONS = (list, tuple, set, frozenset)
_FILES = ("*.py", "data/**/*.csv", "data/**/*.toml")
"""The files of a game in which the texts of its events are searched."""


PLACES, NUMBERS = "places", "numbers"
"""The kinds of values of which there are too many to list."""
ABSENT = object()
_FLAGS = (("fall", "on_target"), ("fall", "own_under_fire"))


def alternatives(value: Any) -> tuple[Any, ...]:
    """Return the values of a list, tuple or set, or the value itself as the only one."""
    if not isinstance(value, COLLECTIONS):
        return (value,)
    return tuple(sorted(value, key=str) if isinstance(value, set | frozenset) else value)


def in_words(value: Any) -> str:
    """Return a value as a question prints it: "1st squad or 2nd squad" for several."""
    return " or ".join(map(str, alternatives(value)))


class ExpectedField:
    """The values expected of one field of an event; ``matches`` compares an event's value.

    ``kind`` is the kind of event, empty if any of its fields may hold the values. ``check`` refuses
    a value that matched nothing and that no rule could ever give.
    """

    def __init__(self, scenario: Scenario, name: str, expected: Any, kind: str = "") -> None:
        self.name, self._kind = name, kind
        self._scenario, self._words = scenario, Words(scenario)
        self._whole = expected if isinstance(expected, tuple | frozenset) else ABSENT
        self._expected = alternatives(expected)
        if not self._expected:
            raise InputError(f"{name}: expected a value, got an empty list.")
        self._left = [*self._expected]
        self._values: dict[Any, bool] = {}
        if kind and (samples := [*self._samples()]):
            for each in self._expected:
                self.refuse_impossible(samples[0], each)
                if each is None:
                    raise unknown(name, "none", map(self._words.value, samples))

    def _samples(self) -> Iterator[Any]:
        """Yield values of a field that means the same in every event of every game."""
        yield from self._scenario.units if self.name == "unit" else ()
        yield from self._scenario.missions if self.name == "mission" else ()
        yield from Severity if (self._kind, self.name) == ("suffered", "severity") else ()
        yield from (True, False) if (self._kind, self.name) in _FLAGS else ()

    def matches(self, value: Any, name: str = "") -> bool:
        """Return whether a value of the field is one of those expected.

        ``name`` is the name of the event's field if any field may hold the value. Raise
        ``InputError`` if the field can never hold one of the expected values.
        """
        key = type(value), value, name
        if key not in self._values:
            self._values[key] = self._compared(value, name or self.name)
        return self._values[key]

    def matches_any(self, event: Event) -> bool:
        """Return whether any field of an event has one of the values expected."""
        matches = [self.matches(value, name) for name, value in event.fields]
        return any(matches)

    def _compared(self, value: Any, name: str) -> bool:
        matched = False
        if value == self._whole:
            self._left.clear()
            return True
        items = [value]
        if isinstance(value, tuple | frozenset) and label_of(self._scenario.frame, value) is None:
            items += value
        for expected in self._expected:
            if any(_same(item, expected, self._words.value(item, name)) for item in items):
                matched = True
                if expected in self._left:
                    self._left.remove(expected)
            elif self._kind:
                self.refuse_impossible(value, expected)
        return matched

    def refuse_impossible(self, value: Any, expected: Any) -> None:
        """Raise ``InputError`` if a field that holds ``value`` can never hold ``expected``."""
        possible = self.possible(value)
        if expected is None or value is None or possible is None:
            return
        if possible == PLACES:
            self._refuse_place(expected)
        elif possible == NUMBERS:
            if isinstance(expected, bool) or not isinstance(expected, int | Fraction):
                raise InputError(f"{self.name}: expected a number, got {expected!r}.")
        elif not any(_same(each, expected, self._words.value(each)) for each in possible):
            raise unknown(self.name, str(expected), map(self._words.value, possible))

    def possible(self, value: Any) -> Iterable[Any] | str | None:
        """Return all that a field may hold that holds this value, or None if nobody can say."""
        scenario = self._scenario
        if isinstance(value, Enum):
            return type(value)
        if isinstance(value, bool):
            return (True, False)
        if isinstance(value, int | Fraction):
            return NUMBERS
        if isinstance(value, str):
            owners = map(scenario.owner, (*scenario.missions, *scenario.units))
            sides = {owner for owner in owners if owner}
            kinds = (scenario.units, scenario.missions, sorted(sides))
            names = [name for kind in kinds if value in kind for name in kind]
            return names or None
        return None if label_of(scenario.frame, value) is None else PLACES

    def _refuse_place(self, expected: Any) -> None:
        frame, refused = (
            self._scenario.frame,
            f"{self.name}={expected} is not a place of this table.",
        )
        try:
            if isinstance(expected, str):
                frame.parse(expected.removeprefix("@"))
                return
        except CoordinateError as error:
            hint = f" Did you mean {error.suggestion!r}?" if error.suggestion else ""
            raise InputError(f"{self.name}={expected}: {error.problem}.{hint}") from error
        except ValueError as error:
            raise InputError(refused) from error
        if label_of(frame, expected) is None:
            raise InputError(refused)

    def check(self) -> None:
        """Raise ``InputError`` for a value that matched nothing and that the game does not know."""
        values = [value for _, value, _ in self._values]
        if self._kind and not values and not _appears(f"{self.name}=", packages(self._scenario)):
            raise InputError(f"No event has a field {self.name!r}.")
        for expected in self._left if values else ():
            never = expected is None or (isinstance(expected, str) and not self._known(expected))
            if never and any(not isinstance(value, int | Fraction) or value for value in values):
                shown = sorted({self._words.value(value, self.name) for value in values})
                raise unknown(self.name, "none" if expected is None else expected, shown)

    def _known(self, word: str) -> bool:
        """Return whether the scenario or a file of its games contains a word."""
        scenario = self._scenario
        if word in (*scenario.units, *scenario.missions):
            return True
        try:
            scenario.frame.parse(word.removeprefix("@"))
        except ValueError:
            return _appears(word.casefold(), packages(scenario))
        return True


class ExpectedRoll:
    """The results expected of a roll: faces, totals, or chits or names; any of them."""

    def __init__(self, scenario: Scenario, name: str, expected: Any, faces: type) -> None:
        self._scenario, self._name = scenario, name
        self._expected, self._faces = alternatives(expected), faces
        self._seen: set[Any] = set()
        if not self._expected:
            raise InputError("Expected the result of a roll, got an empty list.")

    def __call__(self, event: ChanceEvent, outcome: Outcome) -> bool:
        """Return whether a roll has one of the results; refuse one that it can never have."""
        for face in outcome:
            self._seen.update(face if isinstance(face, tuple) else (face,))
        results = [self._has(event, outcome, expected) for expected in self._expected]
        return any(results)

    def check(self) -> None:
        """Raise ``InputError`` for a name that no roll had and that the game does not know."""
        names = set(map(str, self._seen))
        for expected in self._expected if names else ():
            if isinstance(expected, str) and not ({expected} & names) and not self._known(expected):
                raise unknown(f"result of {self._name}", expected, sorted(names))

    def _known(self, word: str) -> bool:
        return _appears(word.casefold(), packages(self._scenario))

    def _has(self, event: ChanceEvent, outcome: Outcome, expected: Any) -> bool:
        if isinstance(expected, self._faces):
            faces: tuple[Any, ...] = expected.faces  # type: ignore[attr-defined]
            if len(event.faces) != len(faces):
                raise InputError(
                    f"{event.name}: expected {len(event.faces)} dice, got {len(faces)}."
                )
            if isinstance(event, Throw):
                for die, face in zip(event.faces, faces, strict=True):
                    _refuse_roll(event, face, [one for one, _ in die.weights])
            return bool(event.read(faces) == outcome)
        if isinstance(expected, str):
            if outcome and all(isinstance(face, int) for face in outcome):
                raise InputError(
                    f"{event.name}: expected its dice (4,2) or their total (6), got {expected!r}."
                )
            return expected in outcome or (expected,) in outcome
        if isinstance(expected, bool) or not isinstance(expected, int):
            raise InputError(f"{event.name}: expected dice or their total, got {expected!r}.")
        if isinstance(event, Throw):
            _refuse_roll(event, expected, _totals(event))
        return total(outcome) == expected


def total(outcome: Outcome) -> int:
    """Return the sum of the numbers in an outcome."""
    return sum(face for face in outcome if isinstance(face, int))


@cache
def _totals(event: Throw) -> tuple[int, ...]:
    return tuple(sorted({total(outcome) for outcome, _ in event.space}))


def _refuse_roll(event: Throw, number: Any, possible: Iterable[Any]) -> None:
    if number not in possible:
        raise unknown(f"result of {event.name}", str(number), map(str, possible))


def _same(value: Any, expected: Any, words: str) -> bool:
    if isinstance(expected, str):
        return expected.removeprefix("@").casefold() in (
            words.casefold(),
            str(getattr(value, "name", value)).casefold(),
        )
    return isinstance(value, bool) is isinstance(expected, bool) and bool(value == expected)


def packages(scenario: Scenario) -> tuple[str, ...]:
    """Return the packages whose rules a table follows: those of its parts, and the core."""
    modules = (type(part).__module__.partition(".")[0] for part in scenario.parts)
    return tuple(dict.fromkeys((*modules, "fireplan_core")))


@cache
def _appears(word: str, names: tuple[str, ...]) -> bool:
    whole = re.compile(rf"(?<!\w){re.escape(word)}" + r"(?!\w)" * word[-1:].isalnum())
    return any(whole.search(text.casefold()) for name in names for text in texts_of(name))


@cache
def texts_of(name: str) -> tuple[str, ...]:
    """Return the texts of a package's modules and data files."""
    return tuple(_read(name))


def _read(name: str) -> Iterator[str]:
    for folder in getattr(sys.modules.get(name), "__path__", ()):
        for pattern in _FILES:
            yield from (path.read_text(encoding="utf-8") for path in Path(folder).rglob(pattern))
