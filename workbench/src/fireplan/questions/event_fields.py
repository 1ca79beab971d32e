"""The values that fields of events may hold, where the rules of a table declare them."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import attrs

from fireplan.errors import InputError, unknown
from fireplan.table import Words
from fireplan_core import Scenario
from fireplan_core.mission import EVENT_FIELDS
from fireplan_core.sources import call_argument, calls_in
from fireplan_core.space import CoordinateError, label_of


@attrs.frozen
class Domain:
    """The values that a field of an event may hold: ``values``, or any value of a ``kind``.

    ``kind`` is "place", "number", or empty.
    """

    values: tuple[Any, ...] = ()
    kind: str = ""


PLACES, NUMBERS = Domain(kind="place"), Domain(kind="number")


@attrs.frozen(eq=False, slots=False)
class EventFields:
    """The fields of the events of a scenario, and the values that they may hold."""

    scenario: Scenario

    @cached_property
    def words(self) -> Words:
        """The converter of the scenario's values to words."""
        return Words(self.scenario)

    def names(self, kind: str) -> frozenset[str]:
        """Return the fields that the rules give to events of a kind, empty if unknown."""
        return _emitted(_packages(self.scenario)).get(kind, frozenset())

    def stated(self, kind: str) -> frozenset[str]:
        """Return the fields of a kind of event that a rule names, or that its sentence uses."""
        emitted = _stated(_packages(self.scenario))
        texts = " ".join(self.scenario.sentences.tables["events"].get(kind, ()))
        named = frozenset(re.findall(r"{(\w+)}", texts)) - {"several"}
        return frozenset(filter(None, emitted.get(kind, ()))) | (named & {*EVENT_FIELDS})

    def domain(self, kind: str, name: str) -> Domain | None:
        """Return the domain of a field of events of a kind, or None if the rules leave it open.

        Raises ``InputError`` if no event of the kind has the field.
        """
        sentences = self.scenario.sentences.tables["events"].get(kind, ())
        if name in EVENT_FIELDS and any(re.search(rf"{{{name}\b", text) for text in sentences):
            return self._neutral(name)  # known without a search of the rules' sources
        names = self.names(kind)
        if names and name not in names:
            raise unknown(f"field of the event {kind}", name, sorted(names))
        return self._neutral(name) if name in EVENT_FIELDS else None

    def _neutral(self, name: str) -> Domain:
        if name == "impact":
            return PLACES
        kind = EVENT_FIELDS[name][0]
        if kind is str:
            return Domain(tuple(self.scenario.units if name == "unit" else self.scenario.missions))
        if issubclass(kind, Enum):
            return Domain(tuple(kind))
        return Domain((True, False)) if kind is bool else NUMBERS

    def domain_like(self, value: Any) -> Domain | None:
        """Return the domain of a field that holds this value, or None if it is unknown."""
        scenario = self.scenario
        match value:
            case Enum():
                return Domain(tuple(type(value)))
            case bool():
                return Domain((True, False))
            case int() | Fraction():
                return NUMBERS
            case str():
                kinds: tuple[Iterable[str], ...] = (scenario.units, scenario.missions)
                names = tuple(name for kind in kinds if value in kind for name in kind)
                return Domain(names) if names else None
        return None if label_of(scenario.frame, value) is None else PLACES

    def refuse(self, name: str, expected: Any, domain: Domain) -> None:
        """Raise ``InputError`` if a field cannot hold a value."""
        if domain == PLACES:
            self._refuse_place(name, expected)
        elif domain == NUMBERS:
            if isinstance(expected, bool) or not isinstance(expected, int | Fraction):
                raise InputError(
                    f"{name}: expected a number, got {self.words.typed.value(expected)!r}."
                )
        elif not any(same(each, expected, self.words.typed.value(each)) for each in domain.values):
            typed = str(None) if expected is None else self.words.typed.value(expected)
            raise unknown(name, typed, map(self.words.typed.value, domain.values))

    def _refuse_place(self, name: str, expected: Any) -> None:
        frame = self.scenario.frame
        refused = f"{name}={self.words.typed.value(expected)} is not a place of this table."
        try:
            if isinstance(expected, str):
                frame.parse(expected.removeprefix("@"))
                return
        except CoordinateError as error:
            hint = f" Did you mean {error.suggestion!r}?" if error.suggestion else ""
            raise InputError(f"{name}={expected}: {error.problem}.{hint}") from error
        except ValueError as error:
            raise InputError(refused) from error
        if label_of(frame, expected) is None:
            raise InputError(refused)


def same(value: Any, expected: Any, words: str) -> bool:
    """Return whether ``expected`` equals a value, or is its name or ``words`` in any case."""
    if isinstance(expected, str):
        return expected.removeprefix("@").casefold() in (
            words.casefold(),
            str(getattr(value, "name", value)).casefold(),
        )
    return isinstance(value, bool) is isinstance(expected, bool) and bool(value == expected)


def _packages(scenario: Scenario) -> tuple[str, ...]:
    """Return the packages whose rules a table follows: those of its parts, and the core."""
    modules = (type(part).__module__.partition(".")[0] for part in scenario.parts)
    return tuple(dict.fromkeys((*modules, "fireplan_core")))


@cache
def _emitted(packages: tuple[str, ...]) -> Mapping[str, frozenset[str]]:
    """Map each kind of event that these packages emit to its fields.

    A kind is left out if a rule computes the names of its fields, and all are left out if a package
    has no sources.
    """
    stated = _stated(packages)
    computed = stated.get("", frozenset())
    if None in computed or not all(any(_sources(package)) for package in packages):
        return {}
    return {
        kind: frozenset(filter(None, fields | computed))
        for kind, fields in stated.items()
        if kind and None not in fields
    }


@cache
def _stated(packages: tuple[str, ...]) -> Mapping[str, frozenset[str | None]]:
    """Map each kind of event that these packages emit to the fields that their sources name.

    The kind is empty if it is computed; None is among the fields if some are passed with ``**``.
    """
    stated = defaultdict[str, frozenset[str | None]](frozenset)
    for text in chain.from_iterable(map(_sources, packages)):
        for kind, fields in _emissions(text):
            stated[kind] |= frozenset(fields)
    return stated


@cache
def _emissions(text: str) -> tuple[tuple[str, tuple[str | None, ...]], ...]:
    """Return the kind and fields of each event that a source file emits.

    The kind is empty if it is computed; a field is None if it is passed with ``**``.
    """
    if "emit(" not in text:
        return ()
    calls = [call for name, call in calls_in(ast.parse(text)) if name == "emit"]
    return tuple(
        (_text(call_argument(call, 0)), tuple(keyword.arg for keyword in call.keywords))
        for call in calls
    )


def _text(value: ast.expr | None) -> str:
    """Return the value of a string literal, or "" for any other expression."""
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _sources(package: str) -> Iterator[str]:
    """Yield the source texts of a package.

    Yields nothing if it has compiled modules, whose events would be missed.
    """
    folders = [Path(folder) for folder in getattr(sys.modules.get(package), "__path__", ())]
    if any(path for folder in folders for path in folder.glob("*.pyc")):
        return
    for folder in folders:
        yield from (path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py")))
