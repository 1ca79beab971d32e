"""Values read from a position, as programs see them: words for members and places."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import Any, get_origin

from fireplan.positions.field_words import (
    AllowedValues,
    AllowedWords,
    FieldWord,
    Limits,
    checked,
    unmarked,
)
from fireplan.positions.hints import (
    enum_of,
    enum_words,
    item_hints,
    listed_texts,
    may_be_none,
    members,
    spoken,
)
from fireplan_core.space import PLACE, Frame, place_shaped

_NUMBERS = (int, float, Fraction)
_COMPARABLE: dict[Any, tuple[type, ...]] = {
    bool: _NUMBERS,
    int: _NUMBERS,
    Fraction: _NUMBERS,
    str: (str,),
    tuple: (tuple,),
    frozenset: (frozenset, set),
}
"""Maps a type to the types whose values may equal one of its values."""


def read_back(frame: Frame, value: Any, field: str, hint: Any, among: tuple[str, ...] = ()) -> Any:
    """Return the value of a field as a program reads it: names and labels as a ``FieldWord``.

    ``field`` is the name of the field, and ``among`` are its only texts, if these are limited.
    The text of a field that may contain any text is left unchanged.
    """
    if PLACE in members(hint) and place_shaped(value):
        allowed = AllowedWords(field, frame=frame, empty=True)
        return FieldWord(frame.label(value), allowed)
    if isinstance(value, Enum):
        allowed = AllowedWords(field, enum_words(type(value)), empty=may_be_none(hint))
        return FieldWord(value.name.lower(), allowed)
    if isinstance(value, str):
        words = among or listed_texts(hint)
        if words:
            return FieldWord(value, AllowedWords(field, words, empty=may_be_none(hint)))
        return value
    if isinstance(value, frozenset):
        (item_hint,) = item_hints(hint, 1)
        return frozenset(unmarked(read_back(frame, item, field, item_hint)) for item in value)
    if not isinstance(value, tuple):
        return value
    hints = item_hints(hint, len(value))
    return tuple(
        read_back(frame, item, field, item_hint)
        for item, item_hint in zip(value, hints, strict=True)
    )


def checked_back(
    frame: Frame,
    value: Any,
    field: str,
    hint: Any,
    among: tuple[str, ...] = (),
    limits: Limits | None = None,
) -> Any:
    """Return a value read back, in a form that refuses comparisons with impossible values.

    ``limits`` are the smallest and largest number of the field. The value is returned unchanged
    if the field may hold anything.
    """
    words = among or listed_texts(hint)
    enum = enum_of(hint)
    if enum is not None:
        words = enum_words(enum)
    if PLACE in members(hint):
        return checked(value, AllowedWords(field, frame=frame, empty=True))
    if words:
        return checked(value, AllowedWords(field, words, empty=may_be_none(hint)))
    kinds = [kind for kind in members(hint) if kind is not type(None)]
    if not all((get_origin(kind) or kind) in _COMPARABLE for kind in kinds):
        return value
    allowed = tuple(each for kind in kinds for each in _COMPARABLE[get_origin(kind) or kind])
    if bool in kinds:
        limits = (0, 1)
    expected = spoken(hint) + (f" ({limits[0]} to {limits[1]})" if int in kinds and limits else "")
    if kinds == [bool]:
        expected = "True or False" + (" or None" if may_be_none(hint) else "")
    return checked(value, AllowedValues(field, allowed, expected, limits, may_be_none(hint)))
