"""Convert values of a state to text and back: ``3``, ``1/2``, ``@H6``, ``[1 2]``, ``Shot(...)``.

A value that is parsed but not yet interpreted is a ``Node``; the type of its field decides how the
node is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, get_args, get_origin

import attrs

from fireplan.positions.fields import fields_of, hints_of, step_arguments
from fireplan.positions.hints import enum_of, enum_words, fits, item_hints, members, shape, spoken
from fireplan_core.files import FileError, did_you_mean, printable
from fireplan_core.mission import FireKind, Intent, Reason, Severity, Shot, Stage
from fireplan_core.play.scenario import Scenario
from fireplan_core.record import ProcedureError
from fireplan_core.space import PLACE, CoordinateError, label_of
from fireplan_core.steps.questions import Order

BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
COUNT = re.compile(r"[0-9]{1,18}")
"""Matches a whole number that may be typed; Python refuses numbers with thousands of digits."""
RATIO = re.compile(r"[+-]?[0-9]{1,18}/[0-9]{1,18}")
LABEL = re.compile(r"[A-Za-z0-9_,./+-]+")
Plain = str | int | bool | None
"""A single value that can be read from a line without knowing its field's type."""
RESERVED = {"none": None, "yes": True, "no": False}
_CORE: tuple[type, ...] = (Stage, Intent, Reason, Severity, FireKind, Shot, Order)


@attrs.frozen
class Node:
    """A parsed value: a word, quoted text, label of a place, list, set, or class with its fields.

    Kind ``said`` is text from a program, which may represent any of these kinds; ``ready`` is any
    other value from a program.
    """

    kind: Literal["word", "text", "place", "list", "set", "class", "said", "ready"]
    text: str = ""
    items: tuple[Node, ...] = ()
    named: tuple[tuple[str, Node], ...] = ()
    value: Any = None

    @classmethod
    def of(cls, value: Any) -> Node:
        """Return the parsed form of a program's value; texts are interpreted later, by type."""
        if isinstance(value, str):
            return cls("said", value)
        if isinstance(value, list | tuple | set | frozenset):
            return cls(
                "list" if isinstance(value, list | tuple) else "set",
                items=tuple(map(cls.of, value)),
            )
        return cls("ready", value=value)

    @classmethod
    def typed(cls, text: str, hint: Any = Any) -> Node:
        """Return the parsed form of one value that a user typed for a field of this type."""
        if PLACE in members(hint) and text not in RESERVED:
            return cls("place", text.removeprefix("@"))
        is_word = any(kind.fullmatch(text) for kind in (BARE, INTEGER, RATIO)) or "." in text
        return cls("word" if is_word else "text", text)


class Atoms:
    """A converter of a scenario's values (places, records, arguments) to text and back."""

    def __init__(self, scenario: Scenario) -> None:
        self.frame = scenario.frame
        self._learnt: set[type] = set()
        self.classes: dict[str, type] = {kind.__name__: kind for kind in _CORE}
        fields = fields_of(scenario)
        groups = [
            fields.table,
            fields.ground,
            fields.at,
            *map(fields.of, (*scenario.missions, *scenario.units)),
        ]
        distinct = {id(group): group for group in groups}
        hints = [field.hint for group in distinct.values() for field in group.values()]
        hints += [
            hint for step in scenario.steps.values() for _, hint in step_arguments(step.run) or ()
        ]
        self._learn(hints)

    def _learn(self, hints: Iterable[Any]) -> None:
        for hint in hints:
            for kind in members(hint):
                if get_origin(kind) in (tuple, frozenset):
                    self._learn(arg for arg in get_args(kind) if arg is not ...)
                elif isinstance(kind, type) and (issubclass(kind, Enum) or attrs.has(kind)):
                    new = (
                        self.classes.setdefault(kind.__name__, kind) is kind
                        and kind not in self._learnt
                    )
                    self._learnt.add(kind)
                    self._learn(hints_of(kind).values() if new else ())

    # --- writing ---------------------------------------------------------------------------------
    def write(self, value: Any, hint: Any = Any) -> str:
        """Return a value as text for a field of this type.

        Raises ``ProcedureError`` for a class that no field or step names.
        """
        if isinstance(value, Enum):
            bare = enum_of(hint) is type(value)
            return ("" if bare else f"{self._known(value)}.") + value.name.lower()
        if value is None or isinstance(value, bool | int | str):
            return atom_text(value)
        if isinstance(value, Fraction):
            kinds = members(hint)
            whole = value.denominator == 1 and Fraction in kinds and int not in kinds
            return str(value.numerator) if whole else f"{value.numerator}/{value.denominator}"
        if isinstance(value, tuple):
            label = label_of(self.frame, value) if {PLACE, Any} & {*members(hint)} else None
            return f"[{' '.join(self._each(value, hint))}]" if label is None else at(label)
        if isinstance(value, frozenset):
            return "{" + " ".join(sorted(self._each(value, hint))) + "}"
        return self._object(value)

    def _each(self, values: Any, hint: Any) -> Iterator[str]:
        return (
            self.write(value, item_hint)
            for value, item_hint in zip(values, item_hints(hint, len(values)), strict=True)
        )

    def _object(self, value: Any) -> str:
        name = self._known(value)
        if isinstance(value, Order):
            pairs = [f"{name}={self.write(item)}" for name, item in value.values]
            return f"Order({' '.join([atom_text(value.verb), *pairs])})"
        kind: Any = type(value)
        hints = hints_of(kind)
        entries = (
            f"{field.name}={self.write(getattr(value, field.name), hints.get(field.name, Any))}"
            for field in attrs.fields(kind)
            if field.init and getattr(value, field.name) != field.default
        )
        return f"{name}({' '.join(entries)})"

    def _known(self, value: Any) -> str:
        name = type(value).__name__
        if self.classes.get(name) is not type(value):
            raise ProcedureError(
                f"{name} cannot be written: no field of a record or argument of a step has this type"
            )
        return name

    # --- reading ---------------------------------------------------------------------------------
    def read(self, node: Node, hint: Any = Any, among: tuple[str, ...] = ()) -> Any:
        """Return the value of a node; raise ``FileError`` if it does not fit the type."""
        value = self._read(node, hint)
        if not fits(value, hint) or (among and isinstance(value, str) and value not in among):
            raise self._wrong(node, hint, among)
        for item in value if among and isinstance(value, tuple | frozenset) else ():
            if item not in among or not item:
                names = ", ".join(filter(None, among))
                raise FileError.of(
                    f'expected names from {names}; got "{printable(str(item))}"',
                    did_you_mean(str(item), filter(None, among)),
                )
        return value

    def _read(self, node: Node, hint: Any) -> Any:
        match node.kind:
            case "ready":
                return Fraction(node.value) if _to_fraction(node.value, hint) else node.value
            case "text":
                return node.text
            case "place":
                return self.place(node.text)
            case "list" | "set":
                hints = item_hints(hint, len(node.items))
                items = tuple(
                    self._read(item, item_hint)
                    for item, item_hint in zip(node.items, hints, strict=True)
                )
                return frozenset(items) if node.kind == "set" else items
            case "class":
                return self._made(node)
            case _:
                return self._word(node, hint)

    def _word(self, node: Node, hint: Any) -> Any:
        text, kinds, from_program = node.text, members(hint), node.kind == "said"
        if from_program and (str in kinds or Any in kinds) and PLACE not in kinds:
            return text
        if from_program and PLACE in kinds:
            return self.place(text)
        if (member := self._member(text, hint)) is not None:
            return member
        if from_program and (text in RESERVED or RATIO.fullmatch(text) or INTEGER.fullmatch(text)):
            raise self._wrong(node, hint)  # a program must give the value itself, not its text
        if text in RESERVED:
            return RESERVED[text]
        if INTEGER.fullmatch(text):
            return Fraction(int(text)) if _to_fraction(int(text), hint) else int(text)
        if RATIO.fullmatch(text) and (denominator := int(text.partition("/")[2])):
            return Fraction(int(text.partition("/")[0]), denominator)
        if BARE.fullmatch(text) and self._enum(text, hint) is None:
            return text
        raise self._wrong(node, hint)

    def _enum(self, text: str, hint: Any) -> type | None:
        owner, dot, _ = text.rpartition(".")
        return self.classes.get(owner) if dot else enum_of(hint)

    def _member(self, text: str, hint: Any) -> Enum | None:
        """Return the member of an enumeration with a name or value, or None if there is none."""
        enum, name = self._enum(text, hint), text.rpartition(".")[2].casefold()
        is_none = text == "none" and type(None) in members(hint)
        if enum is None or not issubclass(enum, Enum) or is_none:
            return None
        named = (
            each for each in enum if name in (each.name.casefold(), str(each.value).casefold())
        )
        return next(named, None)

    def place(self, text: str) -> Any:
        """Return the place with this label.

        Raises ``FileError`` for an unknown label, suggesting the nearest one.
        """
        try:
            return self.frame.parse(text)
        except CoordinateError as error:
            suggestion = f"did you mean {error.suggestion}?" if error.suggestion else ""
            raise FileError.of(
                f'"{printable(text)}": {printable(error.problem, 200)}', suggestion
            ) from error
        except ValueError as error:
            raise FileError.of(f'"{printable(text)}" is not a place of this table') from error

    def _made(self, node: Node) -> Any:
        kind: Any = self.classes.get(node.text)
        if kind is None or issubclass(kind, Enum):
            hint = did_you_mean(node.text, self.classes)
            raise FileError.of(
                f"there is no kind of value called {printable(node.text)}(...)", hint
            )
        if kind is Order:
            verb = self._read(node.items[0], str) if len(node.items) == 1 else None
            if not isinstance(verb, str):
                raise FileError.of(
                    "expected a verb and its values in Order(...)",
                    "for example Order(correct at=@H6)",
                )
            return Order.of(verb, **{name: self._read(item, Any) for name, item in node.named})
        hints = hints_of(kind)
        fields = {field.name: field for field in attrs.fields(kind) if field.init}
        if node.items or (unknown_fields := [name for name, _ in node.named if name not in fields]):
            raise FileError.of(
                f"{node.text}: every value needs the name of its field"
                if node.items
                else f"{node.text} has no field {printable(unknown_fields[0])}",
                f"its fields are {', '.join(fields)}",
            )
        field_values = {
            fields[name].alias: self.read(item, hints.get(name, Any)) for name, item in node.named
        }
        try:
            return kind(**field_values)
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            raise FileError.of(
                f"these values do not make a {node.text}: {printable(str(error), 200)}"
            ) from error

    def _wrong(self, node: Node, hint: Any, among: tuple[str, ...] = ()) -> FileError:
        if node.text:
            shown = f'"{printable(node.text)}"'
        else:
            shown = "a list" if node.items else printable(str(node.value))
        enum = enum_of(hint)
        names = enum_words(enum) if enum else among
        items = f" such as {shape(hint)}" if node.items and shape(hint) != spoken(hint) else ""
        return FileError.of(
            f"expected {spoken(hint, among)}{items}, got {shown}",
            did_you_mean(node.text, names) if node.text else "",
        )


def _to_fraction(value: Any, hint: Any) -> bool:
    kinds = members(hint)
    return type(value) is int and Fraction in kinds and int not in kinds


def at(label: str) -> str:
    """Return the notation of a place, e.g. ``@H6``; an unusual label is quoted."""
    return f"@{label}" if LABEL.fullmatch(label) else f"@{in_double_quotes(label)}"


def atom_text(value: Plain) -> str:
    """Return a single value in the notation of a line: ``none``, ``yes``, ``3`` or a name.

    A name is quoted unless it is a plain word.
    """
    if value is None or isinstance(value, bool):
        return next(word for word, meaning in RESERVED.items() if meaning is value)
    if isinstance(value, int):
        return str(int(value))
    return value if BARE.fullmatch(value) and value not in RESERVED else in_double_quotes(value)


def in_double_quotes(text: str) -> str:
    """Return a text in double quotes, with unprintable characters escaped."""
    inner = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in inner) + '"'


_ESCAPE = re.compile(r'\\(?:u\{([0-9a-f]{1,6})\}|(["\\]))')


def unquoted(text: str) -> str:
    """Return the content of a text in double quotes.

    Raise ``ValueError`` for an impossible character.
    """
    return _ESCAPE.sub(lambda match: match[2] or chr(int(match[1], 16)), text[1:-1])


@lru_cache(maxsize=128)
def atoms_of(scenario: Scenario) -> Atoms:
    """Return the cached converter of a scenario's values to text and back.

    >>> from fireplan.analysis import shipped_engagements
    >>> from fireplan_core.play import Catalogue
    >>> sources = Sources(Catalogue.installed(), shipped_engagements())
    >>> village = position_of("fp1 asl/village", sources)
    >>> type(atoms_of(village.scenario)).__name__
    'Atoms'
    """
    return Atoms(scenario)
