"""The fields of a file, and strict readers for single values.

Values are never converted: the probable meaning of a wrong value is suggested but not used.
"""

import datetime as dt
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache, partial
from types import UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin

import attrs

from fireplan_core.files.faults import SHOWN, FileError, near, printable, written_key

_Field: TypeAlias = "attrs.Attribute[Any]"


@attrs.frozen(eq=False, repr=False)
class FileEntry:
    """A field of an attrs class, as it appears in a file.

    It has the attrs field, the field's type without ``None``, and the keys of the tables above it.
    """

    field: _Field
    kind: Any
    header: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The field's key in the file."""
        return self.field.name

    @property
    def listed(self) -> bool:
        """True if the field is a list, i.e. of the type ``tuple[X, ...]``."""
        return get_origin(self.kind) is tuple and get_args(self.kind)[1:] == (...,)

    @property
    def keyed(self) -> bool:
        """True if the field is a table with free keys, i.e. of the type ``Mapping[str, X]``."""
        origin = get_origin(self.kind)
        return isinstance(origin, type) and issubclass(origin, Mapping)

    @property
    def item(self) -> Any:
        """The type of a single value, ``X`` in ``tuple[X, ...]`` or ``Mapping[str, X]``."""
        if self.listed:
            return get_args(self.kind)[0]
        if self.keyed:
            return get_args(self.kind)[1]
        return self.kind

    @property
    def of_tables(self) -> bool:
        """True if each value is a table with its own class."""
        return attrs.has(self.item) and "parse" not in self.field.metadata

    @property
    def heading(self) -> str:
        """The heading of the field's table, e.g. ``[target]`` or ``[[unit]]``."""
        name = ".".join((*self.header, self.name))
        return f"[[{name}]]" if self.listed else f"[{name}]"

    def helped(self, text: str) -> str:
        """Return a text followed by the field's meaning in brackets, if it has a meaning."""
        meaning = self.field.metadata.get("help")
        return f"{text} ({meaning})" if meaning else text

    def hint(self, lead: str) -> str:
        """Return ``lead``, then an example of the field as a file writes it, and its meaning."""
        if self.of_tables:
            inner = file_entries(self.item, (*self.header, self.name)).values()
            first = next(
                (f", such as {entry.line()}" for entry in inner if not entry.of_tables), ""
            )
            return f"{lead}{self.helped(self.heading)} with its keys below it{first}"
        return self.helped(f"{lead}{self.line()}")

    def line(self) -> str:
        """Return an example of the field as a file writes it, e.g. ``men = 120``."""
        return f"{self.name} = {_written_value(self._example())}"

    def wrong(self, expected: str, value: object, meant: object = None) -> FileError:
        """Return the error for a wrong value.

        The error suggests ``meant``, or an example if ``meant`` is None.
        """
        if meant is None:
            hint = self.hint("such as ")
        else:
            key = "" if self.listed or self.keyed else f"{self.name} = "
            hint = self.helped(f"write {key}{show(meant)}")
        return FileError.of(f"expected {expected}, got {show(value)}", hint)

    def _example(self) -> object:
        """Return a valid value: the field's example, its default, or any value of its type."""
        if "example" in self.field.metadata:
            return self.field.metadata["example"]
        if isinstance(self.field.default, str | int | dt.date) and self.field.default != "":
            return self.field.default
        low, high = self.field.metadata.get("range", (1, 1))
        samples: dict[Any, object] = {
            int: min(max(1, low), high),
            bool: True,
            dt.date: dt.date(1944, 6, 6),
        }
        if get_origin(self.item) is Literal:
            sample: object = get_args(self.item)[0]
        else:
            sample = samples.get(self.item, "...")
        if self.listed:
            return (sample,)
        return {"key": sample} if self.keyed else sample


@cache
def file_entries(cls: type, header: tuple[str, ...] = ()) -> dict[str, FileEntry]:
    """Return the entries of a class of files by name, inherited ones first.

    ``header`` are the keys that lead to the class's table in a file.
    """
    attrs.resolve_types(cls)
    return {field.name: FileEntry(field, _bare(field.type), header) for field in attrs.fields(cls)}


def all_entries(cls: type, header: tuple[str, ...] = ()) -> Iterator[FileEntry]:
    """Yield the entries of a class of files and of all tables inside its table.

    ``header`` are the keys that lead to that table.
    """
    for entry in file_entries(cls, header).values():
        yield entry
        if entry.of_tables:
            yield from all_entries(entry.item, (*header, entry.name))


def show(value: object) -> str:
    """Return a file's value as one short line of text, for quoting in a message."""
    if isinstance(value, str):
        return f'"{printable(value)}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    # Python refuses to print an integer with too many digits.
    if isinstance(value, int) and abs(value) >= 10**SHOWN:
        return "a huge number"
    return str(value)


def _written_value(example: Any) -> str:
    if isinstance(example, Mapping):
        pairs = (f"{written_key(key)} = {_written_value(value)}" for key, value in example.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(example, tuple | list):
        return f"[{', '.join(map(_written_value, example))}]"
    return show(example)


def _bare(kind: Any) -> Any:
    """Return ``X`` for a type ``X | None``, because a file omits the key for None."""
    if get_origin(kind) not in (UnionType, Union):
        return kind
    return Union[tuple(inner for inner in get_args(kind) if inner is not type(None))]  # noqa: UP007 - made of a tuple


_RATIO = re.compile(r"-?[0-9]{1,9}(/[1-9][0-9]{0,5}|\.[0-9]{1,6})?")
_WIDEST = (-(2**63), 2**63 - 1)  # the range that every TOML parser must support


def reader_of(entry: FileEntry) -> Callable[[Any], Any]:
    """Return the function that checks a plain value of an entry and returns the field's value.

    Raises TypeError for a type that no file can contain, which is an error in the class.
    """
    kind, kinds = entry.item, get_args(entry.item)
    if "parse" in entry.field.metadata:
        return partial(_parsed, entry)
    if get_origin(kind) is Literal:
        return partial(_choice, entry, kinds)
    if set(kinds) == {int, Fraction}:
        return partial(_number, entry)
    if get_origin(kind) in (UnionType, Union) and set(kinds) <= _READERS.keys():
        return partial(_any_of, entry, kinds)
    if kind not in _READERS:
        raise TypeError(f"field {entry.name}: a file cannot hold {kind}; give the field a 'parse'")
    return partial(_READERS[kind], entry)


def _parsed(entry: FileEntry, value: object) -> object:
    text = _text(entry, value)
    try:
        return entry.field.metadata["parse"](text)
    except ValueError as error:
        raise FileError.of(str(error), entry.hint("such as ")) from error


def _choice(entry: FileEntry, choices: tuple[object, ...], value: object) -> object:
    if any(type(value) is type(choice) and value == choice for choice in choices):
        return value
    meant = near(value, tuple(map(str, choices))) if isinstance(value, str) else None
    hint = entry.helped(f'did you mean "{meant}"?') if meant else entry.hint("such as ")
    raise FileError.of(f"expected one of {', '.join(map(show, choices))}, got {show(value)}", hint)


def _any_of(entry: FileEntry, kinds: tuple[type, ...], value: object) -> object:
    for kind in kinds:
        if type(value) is kind:
            return _READERS[kind](entry, value)
    raise entry.wrong(" or ".join(_WORDS[kind] for kind in kinds), value)


def _whole_number(entry: FileEntry, value: object) -> object:
    low, high = entry.field.metadata.get("range", _WIDEST)
    if type(value) is int and low <= value <= high:
        return value
    span = f" from {low} to {high}" if type(value) is int else ""
    meant = _meant_number(value)
    if meant is not None and not low <= meant <= high:
        meant = None
    raise entry.wrong(f"{_WORDS[int]}{span}", value, meant)


def _number(entry: FileEntry, value: object) -> object:
    """Return the number in a file's value: an integer, or a fraction given as text such as "7/2".

    Decimals are refused, because decimals in TOML are not exact. Raises ``FileError`` for any other
    value; if it is a number, the error names the allowed range.
    """
    ratio = isinstance(value, str) and _RATIO.fullmatch(value)
    number: Any = value if ratio or type(value) is int else None
    low, high = entry.field.metadata.get("range", _WIDEST)
    if number is None or not low <= (exact := Fraction(number)) <= high:
        span = f" from {low} to {high}" if number is not None else ""
        meant = repr(value) if isinstance(value, float) and _RATIO.fullmatch(repr(value)) else None
        raise entry.wrong(
            f'a whole number or a fraction in quotes such as "7/2"{span}', value, meant
        )
    return int(exact) if exact.denominator == 1 else exact


def _meant_number(value: object) -> int | None:
    """Return the integer probably meant by 120.0, "120" or "5+", or None; only for suggestions."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and (match := _MEANT.fullmatch(value)):
        return int(match[1])
    return None


_MEANT = re.compile(r"(-?[0-9]{1,18})\+?")
"""Matches a number written as text, such as ``"5"`` or ``"5+"``."""


def _truth(entry: FileEntry, value: object) -> object:
    if isinstance(value, bool):
        return value
    meant = {"true": True, "false": False}.get(value.casefold()) if isinstance(value, str) else None
    raise entry.wrong(_WORDS[bool], value, meant)


def _text(entry: FileEntry, value: object) -> str:
    if not isinstance(value, str):
        meant = None
        if isinstance(value, list) and all(type(one) in (int, str) for one in value):
            meant = ",".join(str(one) for one in value)
        raise entry.wrong(_WORDS[str], value, meant)
    # Only a key that can be omitted may have empty text.
    needed = entry.field.default is attrs.NOTHING or entry.listed or entry.keyed
    long = "\n" in value and not entry.field.metadata.get("multiline")
    if long or (needed and not value.strip()):
        raise entry.wrong("one line of text", value)
    if not value.isprintable() and any(
        unicodedata.category(char) == "Cc" and char != "\n" for char in value
    ):
        raise entry.wrong("text without control characters", value)
    return value


def _day(entry: FileEntry, value: object) -> object:
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    meant: dt.date | None = value.date() if isinstance(value, dt.datetime) else None
    if isinstance(value, str):
        try:
            meant = dt.date.fromisoformat(value)
        except ValueError:
            meant = None
    raise entry.wrong(_WORDS[dt.date], value, meant)


_READERS: Mapping[Any, Callable[[FileEntry, object], object]] = {
    int: _whole_number,
    bool: _truth,
    str: _text,
    dt.date: _day,
}
_WORDS: Mapping[Any, str] = {
    int: "a whole number",
    bool: "true or false",
    str: "text in quotes",
    dt.date: "a date without quotes or time of day",
}
