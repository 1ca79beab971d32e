"""Words read from fields of a position: a wrong comparison is refused instead of being false."""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn, Self

import attrs

from fireplan.errors import InputError, unknown
from fireplan_core.space import Frame


@attrs.frozen
class AllowedWords:
    """The words that a field may hold: these, or the labels of the places of a frame.

    ``field`` is the name of the field.
    """

    field: str
    words: tuple[str, ...] = ()
    frame: Frame | None = None

    def word(self, value: Any) -> str | None:
        """Return the allowed word that a value stands for, or None if it stands for none."""
        if self.frame is not None:
            try:
                place = self.frame.parse(value.removeprefix("@")) if type(value) is str else value
                return self.frame.label(place)
            except (TypeError, ValueError, AttributeError):
                return None
        text = str(value.name if isinstance(value, Enum) else value).casefold()
        return next((word for word in self.words if word.casefold() == text), None)

    def check(self, value: Any) -> None:
        """Raise ``InputError`` unless a value is a word that the field may hold."""
        word = self.word(value)
        if word is None and self.frame is not None:
            raise InputError(f"{self.field}: {value!r} is not the label of a place of this table.")
        if word is None:
            raise unknown(f"value of {self.field}", str(value), (w or "''" for w in self.words))
        if word != value:
            raise InputError(f"{self.field}: write {word!r} instead of {value!r}.")


class FieldWord(str):  # noqa: SLOT000 - a text cannot have slots of its own
    """A word read from a field, or the label of a place.

    It equals the word that sets the field, and no other spelling: a comparison with anything that
    the field cannot hold raises ``InputError``. So does hashing, because looking up a wrong word in
    a set or dictionary could not be refused; ``str(word)`` is the text itself.
    """

    allowed: AllowedWords

    def __new__(cls, text: str, allowed: AllowedWords) -> Self:
        """Return the word with this text."""
        word = super().__new__(cls, text)
        word.allowed = allowed
        return word

    def __eq__(self, other: object) -> bool:
        if other is not None and not isinstance(other, FieldWord):
            self.allowed.check(other)
        return str.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> NoReturn:
        field = self.allowed.field
        raise InputError(
            f"{field}: do not look this word up in a set or dictionary, because a misspelling would go "
            f"unnoticed; compare it with == or with a list of words, or use str(...)."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return FieldWord, (str(self), self.allowed)


def unmarked(value: Any) -> Any:
    """Return a value with every word in it as an ordinary text, which can be hashed."""
    if isinstance(value, FieldWord):
        return str(value)
    return tuple(map(unmarked, value)) if type(value) is tuple else value
