"""A field of a class as an entry of a file: what kind of value it takes, and how it is written, by example."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin

import attrs

from fireplan_core.files._faults import SHOWN, WrongValueError, plain, written_key

_Field: TypeAlias = "attrs.Attribute[Any]"


@attrs.frozen(eq=False, repr=False)
class Entry:
    """Say what a file holds for a field: the field, its kind (``X`` of ``X | None``), and the tables above it."""

    field: _Field
    kind: Any
    header: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the key."""
        return self.field.name

    @property
    def listed(self) -> bool:
        """Return whether it is a list: ``tuple[X, ...]``."""
        return get_origin(self.kind) is tuple and get_args(self.kind)[1:] == (...,)

    @property
    def keyed(self) -> bool:
        """Return whether it is a table with free keys: ``Mapping[str, X]``."""
        origin = get_origin(self.kind)
        return isinstance(origin, type) and issubclass(origin, Mapping)

    @property
    def item(self) -> Any:
        """Return the kind of one value: ``X`` of ``tuple[X, ...]`` and ``Mapping[str, X]``."""
        return get_args(self.kind)[0] if self.listed else get_args(self.kind)[1] if self.keyed else self.kind

    @property
    def of_tables(self) -> bool:
        """Return whether one value is a table, read into a class of its own."""
        return attrs.has(self.item) and "parse" not in self.field.metadata

    @property
    def heading(self) -> str:
        """Return the heading of a table: ``[target]`` or ``[[unit]]``."""
        name = ".".join((*self.header, self.name))
        return f"[[{name}]]" if self.listed else f"[{name}]"

    def helped(self, text: str) -> str:
        """Return a text with the meaning of the field behind it, if that is known."""
        meaning = self.field.metadata.get("help")
        return f"{text} ({meaning})" if meaning else text

    def hint(self, lead: str) -> str:
        """Return how it is written, by example, with its meaning."""
        if self.of_tables:
            inner = entries(self.item, (*self.header, self.name)).values()
            first = next((f", such as {entry.line()}" for entry in inner if not entry.of_tables), "")
            return f"{lead}{self.helped(self.heading)} and below it its keys{first}"
        return self.helped(f"{lead}{self.line()}")

    def line(self) -> str:
        """Return how it is written in one line."""
        return f"{self.name} = {_written_value(self._example())}"

    def wrong(self, expected: str, value: object, meant: object = None) -> WrongValueError:
        """Return a wrong value; ``meant`` is the right one if it can be told, else an example is given."""
        if meant is None:
            hint = self.hint("such as ")
        else:
            key = "" if self.listed or self.keyed else f"{self.name} = "
            hint = self.helped(f"write {key}{show(meant)}")
        return WrongValueError(f"expected {expected}, got {show(value)}", hint)

    def _example(self) -> object:
        """A value that can be written: the one given with the field, its default, or any of its kind."""
        if "example" in self.field.metadata:
            return self.field.metadata["example"]
        if isinstance(self.field.default, str | int | dt.date) and self.field.default != "":
            return self.field.default
        low, high = self.field.metadata.get("range", (1, 1))
        samples: dict[Any, object] = {int: min(max(1, low), high), bool: True, dt.date: dt.date(1944, 6, 6)}
        one = get_args(self.item)[0] if get_origin(self.item) is Literal else samples.get(self.item, "...")
        return (one,) if self.listed else {"key": one} if self.keyed else one


@cache
def entries(cls: type, header: tuple[str, ...] = ()) -> dict[str, Entry]:
    """Return the entries of a class by name, its inherited fields first."""
    attrs.resolve_types(cls)
    return {field.name: Entry(field, _bare(field.type), header) for field in attrs.fields(cls)}


def all_entries(cls: type, header: tuple[str, ...] = ()) -> Iterator[Entry]:
    """Yield the entries of a class and of all tables in it."""
    for entry in entries(cls, header).values():
        yield entry
        if entry.of_tables:
            yield from all_entries(entry.item, (*header, entry.name))


def show(value: object) -> str:
    """Return a value of a file, on one line and not too long."""
    if isinstance(value, str):
        return f'"{plain(value)}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and abs(value) >= 10**SHOWN:  # Python may refuse to print it
        return "a number of astronomical size"
    return str(value)


def _written_value(example: Any) -> str:
    if isinstance(example, Mapping):
        return f"{{ {', '.join(f'{written_key(key)} = {_written_value(one)}' for key, one in example.items())} }}"
    if isinstance(example, tuple | list):
        return f"[{', '.join(map(_written_value, example))}]"
    return show(example)


def _bare(kind: Any) -> Any:
    """``X`` of ``X | None``: a file leaves the key out for None."""
    if get_origin(kind) not in (UnionType, Union):
        return kind
    return Union[tuple(some for some in get_args(kind) if some is not type(None))]  # noqa: UP007 - made of a tuple
