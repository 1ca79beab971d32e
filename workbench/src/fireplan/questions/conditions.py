"""Conditions on the future: an event, a number of events, or the result of a roll."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

import attrs

from fireplan import solver as solving
from fireplan.errors import InputError, unknown
from fireplan.table import Words
from fireplan_core import Event, Scenario
from fireplan_core.chance import ChanceEvent, Outcome


@attrs.frozen(init=False)
class Dice:
    """The faces of a throw, in the order of its dice."""

    faces: tuple[int | str, ...]

    def __init__(self, *faces: int | str) -> None:
        self.__attrs_init__(faces)


dice = Dice


@attrs.frozen
class Happens:
    """Events of a kind with these fields, from ``least`` to ``most`` of them (None: no limit)."""

    kind: str
    fields: tuple[tuple[str, Any], ...] = ()
    least: int = 1
    most: int | None = None


@attrs.frozen
class NamedCondition:
    """A condition on the next roll or event of a name."""

    name: str
    value: Any


def happens(kind: str, /, *, least: int = 1, most: int | None = None, **fields: Any) -> Happens:
    """Return the condition that an event happens, such as ``happens("fall", on_target=True)``.

    ``happens("suffered", least=2)`` asks for at least two events, and ``least=0, most=0`` for none.
    Values may be those of the event or their printed form: ``impact="K5"``,
    ``severity="destroyed"``.
    """
    return Happens(kind, tuple(fields.items()), least, most)


def read_condition(text: str) -> tuple[str, Any]:
    """Split a typed condition, ``contact=4,2`` or ``access=red``, into its name and value.

    The value is True if only a name is given.
    """
    name, equals, value = text.partition("=")
    faces = [int(part) if part.strip().isdecimal() else part.strip() for part in value.split(",")]
    words: dict[str, Any] = {"yes": True, "no": False} if equals else {"": True}
    return name.strip(), Dice(*faces) if len(faces) > 1 else words.get(value, faces[0])


@attrs.frozen(eq=False)
class Condition:
    """A condition: its text, the measure that tracks it, and a test of final states."""

    text: str
    measure: solving.Measure
    holds: Callable[[Any], bool]


@attrs.frozen(eq=False)
class Vocabulary:
    """The kinds of events and the rolls that the rules of a scenario name."""

    scenario: Scenario
    rolls: frozenset[str]
    events: frozenset[str]

    @classmethod
    def of(cls, scenario: Scenario) -> Vocabulary:
        """Return the vocabulary of a scenario: the rolls and events that have a sentence."""
        tables = scenario.sentences.tables
        return cls(scenario, frozenset(tables["rolls"]), frozenset(tables["events"]))

    def event(self, event: Happens) -> Condition:
        """Return the condition that ``event`` happens; raise ``InputError`` for an unknown kind."""
        if event.kind not in self.events:
            raise unknown("event", event.kind, sorted(self.events))
        if not 0 <= event.least <= (event.least if event.most is None else event.most):
            raise InputError(
                f"{event.kind}: expected bounds from 0 up, got {event.least} to {event.most}."
            )
        fits, cap = self._fits(event.fields), event.least if event.most is None else event.most + 1

        def holds(count: Any) -> bool:
            return bool(count >= event.least and (event.most is None or count <= event.most))

        number = (
            ""
            if (event.least, event.most) == (1, None)
            else f" {event.least} to {event.most or 'any number'} times"
        )
        text = " ".join([event.kind, *(f"{name}={value}" for name, value in event.fields)]) + number
        return Condition(text, solving.Count(event.kind, cap, fits), holds)

    def given(self, name: str, value: Any, rolls: dict[str, list[solving.Fits]]) -> Condition:
        """Return the condition on the next roll of a name, or the next event of a kind.

        The tests of rolls are added to ``rolls``. Raise ``InputError`` for an unknown name.
        """
        text = f"{name}={' '.join(map(str, value.faces)) if isinstance(value, Dice) else value}"
        if name in self.rolls and not isinstance(value, bool | Mapping):
            return _rolled(text, name, _falls(value), rolls)
        if name not in self.events:
            raise unknown("roll or event", name, sorted(self.rolls | self.events))
        if isinstance(value, Dice):
            raise InputError(
                f"{name} is an event, not a roll: expected one value, got {len(value.faces)}."
            )
        if value is True or value is False:
            return attrs.evolve(
                self.event(Happens(name) if value else Happens(name, (), 0, 0)), text=text
            )
        fits = self._fits(tuple(value.items())) if isinstance(value, Mapping) else self._says(value)
        return Condition(text, solving.First(name, fits), bool)

    def fallen(self, name: str, faces: Dice, rolls: dict[str, list[solving.Fits]]) -> Condition:
        """Return the condition that the next throw of a name begins with these faces."""
        return _rolled(
            "", name, lambda _event, outcome: outcome[: len(faces.faces)] == faces.faces, rolls
        )

    def _fits(self, fields: tuple[tuple[str, Any], ...]) -> Callable[[Event], bool]:
        words = Words(self.scenario)

        def fits(letter: Event) -> bool:
            values = dict(letter.fields)
            for name, expected in fields:
                if name not in values:
                    raise unknown(f"field of the event {letter.kind}", name, values)
                if not _same(values[name], expected, words.value(values[name], name)):
                    self._may_be(expected, ((name, values[name]),), words)
                    return False
            return True

        return fits

    def _may_be(self, word: Any, fields: Iterable[tuple[str, Any]], words: Words) -> None:
        """Raise ``InputError`` if a word cannot be a unit, an asset or a value of the event."""
        names, possible = [*self.scenario.units, *self.scenario.missions], list[str]()
        for name, value in fields:
            if not isinstance(word, str) or (
                isinstance(value, str | tuple | frozenset) and value not in names
            ):
                return
            among = type(value) if isinstance(value, Enum) else names if value in names else ()
            if any(
                _same(value_or_name, word, words.value(value_or_name, name))
                for value_or_name in among
            ):
                return
            possible += [words.value(value_or_name, name) for value_or_name in among]
        if possible:
            raise unknown("value", word, possible)

    def _says(self, word: Any) -> Callable[[Event], bool]:
        words = Words(self.scenario)

        def fits(letter: Event) -> bool:
            if any(_same(value, word, words.value(value, name)) for name, value in letter.fields):
                return True
            self._may_be(word, letter.fields, words)
            return False

        return fits


def _rolled(
    text: str, name: str, test: solving.Fits, rolls: dict[str, list[solving.Fits]]
) -> Condition:
    """Return the condition on the next roll of a name, and add its test to ``rolls``."""
    number = len(tests := rolls.setdefault(name, []))
    tests.append(test)
    fits = lambda event: bool(event["fits"][number]) if event["roll"] == name else None  # noqa: E731
    return Condition(text, solving.First(solving.ROLLED, fits), bool)


def _same(value: Any, expected: Any, words: str) -> bool:
    if isinstance(expected, str):
        return expected.casefold() in (
            words.casefold(),
            str(getattr(value, "name", value)).casefold(),
        )
    return isinstance(value, bool) is isinstance(expected, bool) and bool(value == expected)


def _falls(expected: Any) -> solving.Fits:
    """Return a function that tests a roll for these faces, this total, or this chit or name."""

    def fits(event: ChanceEvent, outcome: Outcome) -> bool:
        if isinstance(expected, Dice):
            if len(event.faces) != len(expected.faces):
                raise InputError(
                    f"{event.name}: expected {len(event.faces)} dice, got {len(expected.faces)}."
                )
            return bool(event.read(expected.faces) == outcome)
        if isinstance(expected, str):
            if outcome and all(isinstance(face, int) for face in outcome):
                raise InputError(
                    f"{event.name}: expected its dice (4,2) or their total (6), got {expected!r}."
                )
            return expected in outcome or (expected,) in outcome
        return bool(sum(face for face in outcome if isinstance(face, int)) == expected)

    return fits
