"""From the tables of an engagement file to an ``Engagement``, or to everything wrong with them.

What an engagement holds (keys, meanings, spans) is told by the classes of ``fireplan.mission``; nothing is
repeated here. A value is never bent into shape: 2.5 is not 2, true is not 1 and "120" is not 120. Files
and lines are the matter of ``_files``.
"""

from __future__ import annotations

import datetime as dt
import difflib
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from types import UnionType
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

import attrs
from cattrs import AttributeValidationNote, ClassValidationError, Converter, ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn, override

from fireplan.mission import Engagement

_SHOWN = 40  # characters of a wrong value that are quoted back
_NAMED = 20  # unknown keys of one table that are named one by one

Keys = tuple[str, ...]
_Field: TypeAlias = "attrs.Attribute[Any]"
_Hook = Callable[[Any, Any], Any]


class WrongValueError(ValueError):
    """One wrong value or key: what is wrong with it and what to write instead."""

    def __init__(self, message: str, suggestion: str) -> None:
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion


def read_values(content: Mapping[str, Any]) -> Engagement | list[tuple[Keys, WrongValueError]]:
    """The engagement that these tables tell, or everything wrong with them and the keys it is about."""
    try:
        return _converter().structure(content, Engagement)
    except ClassValidationError as error:
        return list(_collect(error, ()))


@cache
def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    converter.register_structure_hook(Engagement, _table_hook(converter, Engagement))
    return converter


def _table_hook(converter: Converter, cls: type[Any]) -> _Hook:
    """A hook for a class with a strict one for each field, so that all faults of a file arrive together."""
    kinds = get_type_hints(cls)
    hooks: dict[str, Any] = {
        field.name: override(struct_hook=_field_hook(converter, field, kinds[field.name]))
        for field in attrs.fields(cls)
    }
    return make_dict_structure_fn(cls, converter, **hooks)


def _field_hook(converter: Converter, field: _Field, kind: Any) -> _Hook:
    kind = _bare(kind)
    if attrs.has(kind):
        build = _table_hook(converter, kind)
        return lambda value, _: build(_table(field, kind, value), kind)
    read = partial(_choice, get_args(kind)) if get_origin(kind) is Literal else _READERS[kind]
    return lambda value, _: read(field, value)


def _bare(kind: Any) -> Any:
    """``X`` of ``X | None``: a file leaves the key out for None."""
    return get_args(kind)[0] if get_origin(kind) is UnionType else kind


def _table(field: _Field, kind: type[Any], value: object) -> object:
    if not isinstance(value, dict):
        raise WrongValueError(f"expected a table, got {_show(value)}", f"write {_written_table(field, kind)}")
    return value


def _choice(choices: tuple[str, ...], field: _Field, value: object) -> object:
    if not isinstance(value, str) or value not in choices:
        near = _near(value, choices) if isinstance(value, str) else None
        hint = f'did you mean "{near}"?' if near else f'such as {field.name} = "{_example(field)}"'
        raise WrongValueError(
            f"expected one of {', '.join(map(_show, choices))}, got {_show(value)}",
            f"{hint} ({field.metadata['help']})",
        )
    return value


def _whole_number(field: _Field, value: object) -> object:
    low, high = field.metadata["range"]
    if type(value) is int and low <= value <= high:
        return value
    span = f" from {low} to {high}" if type(value) is int else ""
    meant = _meant_number(value)
    if meant is not None and not low <= meant <= high:
        meant = None
    raise _wrong_value(field, f"a whole number{span}", value, meant)


def _meant_number(value: object) -> int | None:
    """The whole number that 120.0 or "120" stands for: to be proposed, never to be taken."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < _SHOWN:
        return int(value)
    return None


def _truth(field: _Field, value: object) -> object:
    if isinstance(value, bool):
        return value
    meant = {"true": True, "false": False}.get(value.casefold()) if isinstance(value, str) else None
    raise _wrong_value(field, "true or false", value, meant)


def _text(field: _Field, value: object) -> object:
    if not isinstance(value, str):
        raise _wrong_value(field, "text in quotes", value, None)
    # Text that must be there is a name and printed on one line.
    named = field.default is attrs.NOTHING
    if named and (not value.strip() or "\n" in value):
        raise _wrong_value(field, "one line of text", value, None)
    if any(unicodedata.category(char) == "Cc" and char != "\n" for char in value):
        raise _wrong_value(field, "text without control characters", value, None)
    return value


def _day(field: _Field, value: object) -> object:
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    meant: dt.date | None = value.date() if isinstance(value, dt.datetime) else None
    if isinstance(value, str):
        try:
            meant = dt.date.fromisoformat(value)
        except ValueError:
            meant = None
    raise _wrong_value(field, "a date without quotes or time of day", value, meant)


_READERS: Mapping[type, Callable[[_Field, object], object]] = {
    int: _whole_number,
    bool: _truth,
    str: _text,
    dt.date: _day,
}


def _wrong_value(field: _Field, expected: str, value: object, meant: object) -> WrongValueError:
    """A wrong value; ``meant`` is the right one if it can be told, else an example is given."""
    lead, written = ("such as ", _example(field)) if meant is None else ("write ", meant)
    return WrongValueError(
        f"expected {expected}, got {_show(value)}",
        f"{lead}{field.name} = {_show(written)} ({field.metadata['help']})",
    )


# -- from the converter's report to faults


def _collect(error: ClassValidationError, above: Keys) -> Iterator[tuple[Keys, WrongValueError]]:
    """Everything a converter's report holds, with the keys it is about."""
    for fault in error.exceptions:
        notes = getattr(fault, "__notes__", ())
        name = next((note.name for note in notes if isinstance(note, AttributeValidationNote)), "")
        keys = (*above, name)
        if isinstance(fault, ClassValidationError):
            yield from _collect(fault, keys)
        elif isinstance(fault, ForbiddenExtraKeysError):
            yield from _unknown(fault.cl, sorted(fault.extra_fields), above)
        elif isinstance(fault, WrongValueError):
            yield keys, fault
        elif isinstance(fault, KeyError):
            yield keys, _missing(error.cl, name)
        else:  # a flaw of ours, not of the file
            raise fault


def _missing(cls: type[Any], name: str) -> WrongValueError:
    field = attrs.fields_dict(cls)[name]
    kind = _bare(get_type_hints(cls)[name])
    if attrs.has(kind):
        return WrongValueError("this table is missing", f"add {_written_table(field, kind)}")
    return WrongValueError("this key is missing", f"add {name} = {_show(_example(field))} ({field.metadata['help']})")


def _unknown(cls: type[Any], names: list[str], above: Keys) -> Iterator[tuple[Keys, WrongValueError]]:
    fields = attrs.fields_dict(cls)
    homes = _homes()
    for name in names[:_NAMED]:
        near = _near(name, tuple(fields))
        if name in homes:
            hint = f"it belongs {' or '.join(homes[name])}"
        elif near:
            hint = f"did you mean {near}? ({fields[near].metadata['help']})"
        else:
            hint = f"possible here: {', '.join(fields)}"
        yield (*above, name), WrongValueError("unknown key", hint)
    if len(names) > _NAMED:
        yield (
            above,
            WrongValueError(f"{len(names) - _NAMED} more unknown keys", f"possible: {', '.join(fields)}"),
        )


@cache
def _homes() -> dict[str, list[str]]:
    """Where each key belongs: in TOML a key slips easily under the wrong [table]."""
    homes: dict[str, list[str]] = {}
    for name, kind in get_type_hints(Engagement).items():
        homes.setdefault(name, []).append("at the top of the file, above the first [table]")
        for inner in attrs.fields_dict(_bare(kind)) if attrs.has(_bare(kind)) else ():
            homes.setdefault(inner, []).append(f"under [{name}]")
    return homes


# -- wording


def _near(word: str, names: tuple[str, ...]) -> str | None:
    """The name that a word comes nearest to, if any; capitals, hyphens and blanks do not count."""
    folded = word[:_SHOWN].strip().casefold().replace("-", "_").replace(" ", "_")
    return next(iter(difflib.get_close_matches(folded, names, n=1)), None)


def _example(field: _Field) -> object:
    return field.metadata.get("example", field.default)


def _written_table(field: _Field, kind: type[Any]) -> str:
    first = attrs.fields(kind)[0]
    return (
        f"[{field.name}] ({field.metadata['help']}) and below it its keys, "
        f"such as {first.name} = {_show(_example(first))}"
    )


def _show(value: object) -> str:
    """A value as it is written in a file, on one line and not too long."""
    if isinstance(value, str):
        return f'"{plain(value)}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and abs(value) >= 10**_SHOWN:  # Python may refuse to print it
        return "a number of astronomical size"
    return str(value)


def written_key(key: str) -> str:
    """A key as it is written in a file: in quotes unless it is plain letters, digits, - and _."""
    return key if key.isascii() and key.replace("-", "_").isidentifier() else _show(key)


def plain(text: str, most: int = _SHOWN) -> str:
    """Text that is safe to print: at most so many characters, on one line, no control characters."""
    short = text if len(text) <= most else text[:most] + "..."
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in short)
