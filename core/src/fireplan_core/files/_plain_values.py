"""Single values of a file: text, numbers, truth, dates, choices, and text that a class parses by itself.

A value is never bent into shape: what was probably meant is proposed, never taken.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import attrs

from fireplan_core.files._checks import near
from fireplan_core.files._entry import Entry, show
from fireplan_core.files._faults import SHOWN, WrongValueError

_RATIO = re.compile(r"-?[0-9]{1,9}(/[1-9][0-9]{0,2}|\.[0-9]{1,3})?")
_WIDEST = (-(2**63), 2**63 - 1)  # what every reader of TOML must be able to hold


def reader_of(entry: Entry) -> Callable[[Any], Any]:
    """Return the strict reader of one value of an entry.

    Raises TypeError for a kind that no file can hold: a flaw of the class, not of a file.
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
        raise TypeError(f"field {entry.name}: no file can hold {kind}; give the field a 'parse'")
    return partial(_READERS[kind], entry)


def _parsed(entry: Entry, value: object) -> object:
    text = _text(entry, value)
    try:
        return entry.field.metadata["parse"](text)
    except ValueError as error:
        raise WrongValueError(str(error), entry.hint("such as ")) from error


def _choice(entry: Entry, choices: tuple[object, ...], value: object) -> object:
    if any(type(value) is type(choice) and value == choice for choice in choices):
        return value
    meant = near(value, tuple(map(str, choices))) if isinstance(value, str) else None
    hint = entry.helped(f'did you mean "{meant}"?') if meant else entry.hint("such as ")
    raise WrongValueError(f"expected one of {', '.join(map(show, choices))}, got {show(value)}", hint)


def _any_of(entry: Entry, kinds: tuple[type, ...], value: object) -> object:
    for kind in kinds:
        if type(value) is kind:
            return _READERS[kind](entry, value)
    raise entry.wrong(" or ".join(_WORDS[kind] for kind in kinds), value)


def _whole_number(entry: Entry, value: object) -> object:
    low, high = entry.field.metadata.get("range", _WIDEST)
    if type(value) is int and low <= value <= high:
        return value
    span = f" from {low} to {high}" if type(value) is int else ""
    meant = _meant_number(value)
    if meant is not None and not low <= meant <= high:
        meant = None
    raise entry.wrong(f"{_WORDS[int]}{span}", value, meant)


def _number(entry: Entry, value: object) -> object:
    """Return a whole number, or a fraction that stands in quotes: a number with a point is not exact in TOML."""
    said = value if isinstance(value, str) and _RATIO.fullmatch(value) else value if type(value) is int else None
    low, high = entry.field.metadata.get("range", _WIDEST)
    if said is None or not low <= (exact := Fraction(said)) <= high:
        span = f" from {low} to {high}" if said is not None else ""
        meant = repr(value) if isinstance(value, float) and _RATIO.fullmatch(repr(value)) else None
        raise entry.wrong(f'a whole number or a fraction in quotes such as "7/2"{span}', value, meant)
    return int(exact) if exact.denominator == 1 else exact


def _meant_number(value: object) -> int | None:
    """The whole number that 120.0 or "120" stands for: to be proposed, never to be taken."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < SHOWN:
        return int(value)
    return None


def _truth(entry: Entry, value: object) -> object:
    if isinstance(value, bool):
        return value
    meant = {"true": True, "false": False}.get(value.casefold()) if isinstance(value, str) else None
    raise entry.wrong(_WORDS[bool], value, meant)


def _text(entry: Entry, value: object) -> str:
    if not isinstance(value, str):
        raise entry.wrong(_WORDS[str], value)
    # Text may be empty only where it may be left out.
    needed = entry.field.default is attrs.NOTHING or entry.listed or entry.keyed
    long = "\n" in value and not entry.field.metadata.get("multiline")
    if long or (needed and not value.strip()):
        raise entry.wrong("one line of text", value)
    if not value.isprintable() and any(unicodedata.category(char) == "Cc" and char != "\n" for char in value):
        raise entry.wrong("text without control characters", value)
    return value


def _day(entry: Entry, value: object) -> object:
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    meant: dt.date | None = value.date() if isinstance(value, dt.datetime) else None
    if isinstance(value, str):
        try:
            meant = dt.date.fromisoformat(value)
        except ValueError:
            meant = None
    raise entry.wrong(_WORDS[dt.date], value, meant)


_READERS: Mapping[Any, Callable[[Entry, object], object]] = {
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
