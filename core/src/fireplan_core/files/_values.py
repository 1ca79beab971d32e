"""From the tables of a file to an object of an attrs class, or to everything wrong with them.

What may be written (keys, meanings, spans) is told by the class and its metadata; nothing is repeated here. Single
values are the matter of ``_plain_values``, files and lines that of ``_read`` and ``_toml``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, TypeVar

from cattrs import (
    AttributeValidationNote,
    BaseValidationError,
    ClassValidationError,
    Converter,
    ForbiddenExtraKeysError,
    IterableValidationError,
    IterableValidationNote,
)
from cattrs.gen import make_dict_structure_fn, override

from fireplan_core.files._checks import near
from fireplan_core.files._entry import Entry, all_entries, entries, show
from fireplan_core.files._faults import MOST, Keys, WrongValueError
from fireplan_core.files._plain_values import reader_of

T = TypeVar("T")

_NAMED = 20  # unknown keys of one table that are named one by one
_ENTRIES = 1000  # of one list or free table; the longest of ours has some dozens
_CONVERTER = Converter(forbid_extra_keys=True)
_Read = Callable[[Any], Any]


def read_values(content: Mapping[str, Any], kind: type[T]) -> T | list[tuple[Keys, WrongValueError]]:
    """Return the object of these tables, or up to ``MOST`` + 1 things wrong with them and their keys."""
    top: type = kind
    try:
        value: T = _table_reader(top)(content)
    except ClassValidationError as error:
        return list(islice(_collect(error, (), top), MOST + 1))
    return value


# -- a reader for each entry


@cache
def _table_reader(cls: type, header: tuple[str, ...] = ()) -> _Read:
    """The reader of a table: each entry has a strict hook of its own, so that all faults arrive together."""
    hooks: dict[str, Any] = {
        name: override(struct_hook=_hook(_entry_reader(entry))) for name, entry in entries(cls, header).items()
    }
    build: Callable[[Any, type], Any] = make_dict_structure_fn(cls, _CONVERTER, **hooks)
    return lambda value: build(value, cls)


def _hook(read: _Read) -> Callable[[Any, Any], Any]:
    return lambda value, _: read(value)


def _entry_reader(entry: Entry) -> _Read:
    read = _inner_table_reader(entry) if entry.of_tables else reader_of(entry)
    if entry.listed:
        return lambda value: tuple(_each(dict(enumerate(_list(entry, value))), read).values())
    if entry.keyed:
        return lambda value: _each(_table(entry, value), read)
    return read


def _inner_table_reader(entry: Entry) -> _Read:
    # Made when a file has such a table: most have few of those that there may be.
    return lambda value: _table_reader(entry.item, (*entry.header, entry.name))(_table(entry, value))


def _table(entry: Entry, value: object) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    hint = entry.hint("write ") if entry.of_tables else entry.helped(f"write {entry.heading} and below it key = value")
    raise WrongValueError(f"expected a table, got {show(value)}", hint)


def _list(entry: Entry, value: object) -> list[Any]:
    if isinstance(value, list):
        return value
    expected = "tables in double brackets" if entry.of_tables else "a list"
    raise WrongValueError(f"expected {expected}, got {show(value)}", entry.hint("write "))


def _each(items: Mapping[Any, object], read: _Read) -> dict[Any, Any]:
    """All items read, or what is wrong with them, up to more than will be named."""
    if len(items) > _ENTRIES:
        raise WrongValueError(f"expected {_ENTRIES} entries at most, got {len(items)}", "is it the right file?")
    values: dict[Any, Any] = {}
    wrong: list[Exception] = []
    for at, item in items.items():
        try:
            values[at] = read(item)
        except (WrongValueError, BaseValidationError) as error:
            error.add_note(IterableValidationNote("", at, Any))
            wrong.append(error)
            if len(wrong) > MOST:
                break
    if wrong:
        raise IterableValidationError("", wrong, dict)
    return values


# -- from the converter's report to faults


def _collect(error: BaseValidationError, above: Keys, top: type) -> Iterator[tuple[Keys, WrongValueError]]:
    """Everything a converter's report holds, with the keys it is about."""
    for fault in error.exceptions:
        keys = (*above, *_key_of(fault))
        if isinstance(fault, BaseValidationError):
            yield from _collect(fault, keys, top)
        elif isinstance(fault, ForbiddenExtraKeysError):
            yield from _unknown(fault.cl, sorted(fault.extra_fields), above, top)
        elif isinstance(fault, WrongValueError):
            yield keys, fault
        elif isinstance(fault, KeyError) and fault.args == keys[-1:]:
            yield keys, _missing(error.cl, keys)
        else:  # a flaw of ours, not of the file
            raise fault


def _key_of(fault: Exception) -> Keys:
    for note in getattr(fault, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return (note.name,)
        if isinstance(note, IterableValidationNote):
            return (note.index,)
    return ()


def _missing(cls: type, keys: Keys) -> WrongValueError:
    *above, name = (key for key in keys if isinstance(key, str))
    entry = entries(cls, tuple(above))[name]
    what = "table" if entry.of_tables else "key"
    return WrongValueError(f"this {what} is missing", entry.hint("add "))


def _unknown(cls: type, names: list[str], above: Keys, top: type) -> Iterator[tuple[Keys, WrongValueError]]:
    known = entries(cls)
    homes = _homes(top)
    for name in names[:_NAMED]:
        meant = near(name, tuple(known))
        if name in homes:
            hint = f"it belongs {' or '.join(homes[name])}"
        elif meant:
            hint = known[meant].helped(f"did you mean {meant}?")
        else:
            hint = f"possible here: {', '.join(known)}"
        yield (*above, name), WrongValueError("unknown key", hint)
    if len(names) > _NAMED:
        yield above, WrongValueError(f"{len(names) - _NAMED} more unknown keys", f"possible: {', '.join(known)}")


@cache
def _homes(top: type) -> dict[str, list[str]]:
    """Return where each key belongs: in TOML a key slips easily under the wrong [table]."""
    headings = {(*entry.header, entry.name): entry.heading for entry in all_entries(top)}
    homes: dict[str, list[str]] = {}
    for entry in all_entries(top):
        place = f"under {headings[entry.header]}" if entry.header else "at the top of the file, above the first [table]"
        homes.setdefault(entry.name, []).append(place)
    return homes
