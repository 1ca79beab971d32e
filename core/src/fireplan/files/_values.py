"""From the tables of a file to an object of an attrs class, or to everything wrong with them.

What may be written (keys, meanings, spans) is told by the class and its metadata; nothing is repeated here. Single
values are the matter of ``_plain_values``, files and lines that of ``_read`` and ``_toml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import attrs
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

from fireplan.files._faults import Keys, WrongValueError, written
from fireplan.files._plain_values import Entry, near, reader_of, show

_NAMED = 20  # unknown keys of one table that are named one by one
_KEY = re.compile(r'\[(\d+)\]|"([^"]*)"|([^.\[\]"]+)')
_CONVERTER = Converter(forbid_extra_keys=True)
_Read = Callable[[Any], Any]


def read_values(content: Mapping[str, Any], kind: type[Any]) -> tuple[Any, list[tuple[Keys, WrongValueError]]]:
    """The object that these tables tell, or everything wrong with them and the keys it is about."""
    try:
        return _class_reader(kind)(content), []
    except ClassValidationError as error:
        return None, list(_collect(error, (), kind))


def keys_of(dotted: str) -> Keys:
    """Keys from their written form: ``unit[2].place``."""
    return tuple(
        int(found[1]) if found[1] else found[2] if found[2] is not None else found[3].strip()
        for found in _KEY.finditer(dotted)
    )


# -- a reader for each kind of field


@cache
def _class_reader(cls: type[Any], header: tuple[str, ...] = ()) -> _Read:
    """Reads a table; each field has a strict hook of its own, so that all faults of a file arrive together."""
    kinds = get_type_hints(cls)
    hooks: dict[str, Any] = {
        field.name: override(struct_hook=_hook(_field_reader(Entry(field, kinds[field.name], header))))
        for field in attrs.fields(cls)
    }
    build = make_dict_structure_fn(cls, _CONVERTER, **hooks)
    return lambda value: build(value, cls)


def _hook(read: _Read) -> Callable[[Any, Any], Any]:
    return lambda value, _: read(value)


def _field_reader(entry: Entry) -> _Read:
    kind = bare(entry.kind)
    item, listed, keyed = item_of(kind)
    parsed = "parse" in entry.field.metadata
    read = (
        _table_reader(attrs.evolve(entry, kind=item, listed=listed))
        if attrs.has(item) and not parsed
        else reader_of(attrs.evolve(entry, kind=item, alone=not (listed or keyed)))
    )
    if listed:
        return lambda value: tuple(_each(enumerate(_list(entry, item, value)), read).values())
    if keyed:
        return lambda value: _each(_free_table(entry, value).items(), read)
    return read


def bare(kind: Any) -> Any:
    """``X`` of ``X | None``: a file leaves the key out for None."""
    if get_origin(kind) not in (UnionType, Union) or type(None) not in get_args(kind):
        return kind
    return Union[tuple(some for some in get_args(kind) if some is not type(None))]


def item_of(kind: Any) -> tuple[Any, bool, bool]:
    """What a list or a free table holds, and whether it is one of these; any other kind holds itself."""
    origin, of = get_origin(kind), get_args(kind)
    if origin is tuple and of[1:] == (...,):
        return of[0], True, False
    if isinstance(origin, type) and issubclass(origin, Mapping) and of[0] is str:
        return of[1], False, True
    return kind, False, False


def _table_reader(entry: Entry) -> _Read:
    read = _class_reader(entry.kind, (*entry.header, entry.field.name))

    def table(value: object) -> Any:
        if isinstance(value, dict):
            return read(value)
        raise WrongValueError(f"expected a table, got {show(value)}", f"write {_written_table(entry)}")

    return table


def _list(entry: Entry, item: Any, value: object) -> list[object]:
    if isinstance(value, list):
        return value
    if attrs.has(item) and "parse" not in entry.field.metadata:
        listed = attrs.evolve(entry, kind=item, listed=True)
        hint = f"write {_written_table(listed)}"
        raise WrongValueError(f"expected tables in double brackets, got {show(value)}", hint)
    raise WrongValueError(f"expected a list, got {show(value)}", entry.hint("such as "))


def _free_table(entry: Entry, value: object) -> dict[str, object]:
    if isinstance(value, dict):
        return value
    hint = f"write [{'.'.join((*entry.header, entry.field.name))}] and below it lines of key = value"
    raise WrongValueError(f"expected a table, got {show(value)}", entry.helped(hint))


def _each(items: Iterable[tuple[Any, object]], read: _Read) -> dict[Any, Any]:
    """All items read, or everything that is wrong with any of them."""
    values: dict[Any, Any] = {}
    wrong: list[Exception] = []
    for at, item in items:
        try:
            values[at] = read(item)
        except (WrongValueError, BaseValidationError) as error:
            error.add_note(IterableValidationNote("", at, Any))
            wrong.append(error)
    if wrong:
        raise IterableValidationError("", wrong, dict)
    return values


def _written_table(entry: Entry) -> str:
    """The heading of a table as it is written, and its first key."""
    name = written((*entry.header, entry.field.name))
    heading = entry.helped(f"[[{name}]]" if entry.listed else f"[{name}]")
    kinds = get_type_hints(entry.kind)
    firsts = (Entry(field, kinds[field.name]) for field in attrs.fields(entry.kind))
    first = next((first for first in firsts if not attrs.has(item_of(bare(first.kind))[0])), None)
    return f"{heading} and below it its keys" + (f", such as {first.line()}" if first else "")


# -- from the converter's report to faults


def _collect(error: BaseValidationError, above: Keys, top: type[Any]) -> Iterator[tuple[Keys, WrongValueError]]:
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


def _missing(cls: type[Any], keys: Keys) -> WrongValueError:
    *above, name = (key for key in keys if isinstance(key, str))
    field = attrs.fields_dict(cls)[name]
    kind = bare(get_type_hints(cls)[name])
    item, listed, _ = item_of(kind)
    if attrs.has(item) and "parse" not in field.metadata:
        table = Entry(field, item, tuple(above), listed=listed)
        return WrongValueError("this table is missing", f"add {_written_table(table)}")
    return WrongValueError("this key is missing", Entry(field, kind).hint("add "))


def _unknown(
    cls: type[Any], names: list[str], above: Keys, top: type[Any]
) -> Iterator[tuple[Keys, WrongValueError]]:
    fields = attrs.fields_dict(cls)
    homes = _homes(top)
    for name in names[:_NAMED]:
        meant = near(name, tuple(fields))
        if name in homes:
            hint = f"it belongs {' or '.join(homes[name])}"
        elif meant:
            hint = Entry(fields[meant], None).helped(f"did you mean {meant}?")
        else:
            hint = f"possible here: {', '.join(fields)}"
        yield (*above, name), WrongValueError("unknown key", hint)
    if len(names) > _NAMED:
        yield (
            above,
            WrongValueError(f"{len(names) - _NAMED} more unknown keys", f"possible: {', '.join(fields)}"),
        )


@cache
def _homes(top: type[Any]) -> dict[str, list[str]]:
    """Where each key belongs: in TOML a key slips easily under the wrong [table]."""
    homes: dict[str, list[str]] = {}

    def visit(cls: type[Any], header: tuple[str, ...], place: str) -> None:
        for name, kind in get_type_hints(cls).items():
            if name not in attrs.fields_dict(cls):
                continue
            homes.setdefault(name, []).append(place)
            item, listed, _ = item_of(bare(kind))
            if attrs.has(item) and "parse" not in attrs.fields_dict(cls)[name].metadata:
                inner = (*header, name)
                heading = f"[[{'.'.join(inner)}]]" if listed else f"[{'.'.join(inner)}]"
                visit(item, inner, f"under {heading}")

    visit(top, (), "at the top of the file, above the first [table]")
    return homes
