"""Words read from fields of a position, which compare as the field itself reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from fireplan.errors import InputError, sentences_of
from fireplan_core.files import FileError


class FieldWord(str):  # noqa: SLOT000 - a text cannot have slots of its own
    """A word or the label of a place, read from a field.

    It equals every text that sets the field to the same value, and the value itself (a member of
    an enumeration, a place). Comparing it with a text that the field can never have raises
    ``InputError``.
    """

    _value: Any
    _read: Callable[[str], Any]

    def __new__(cls, text: str, value: Any, read: Callable[[str], Any]) -> Self:
        """Return the word for a value; ``read`` returns the value that a text sets."""
        word = super().__new__(cls, text)
        word._value, word._read = value, read
        return word

    def __eq__(self, other: object) -> bool:
        if type(other) is not str:
            return str(self) == str(other) if isinstance(other, FieldWord) else self._value == other
        if str(self) == other:
            return True
        try:
            return bool(self._value == self._read(other))
        except FileError as error:
            raise InputError(*sentences_of(error)) from error

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return str.__hash__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)
