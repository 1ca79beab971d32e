"""Values read from fields of a position: an impossible comparison is refused, not false."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import Any, NoReturn, Self

import attrs

from fireplan.errors import InputError, unknown
from fireplan_core.space import Frame

Limits = tuple[int | Fraction, int | Fraction]


class ImpossibleComparisonError(InputError):
    """The error for a comparison of a field with a value that it can never hold."""


@attrs.frozen
class AllowedWords:
    """The words that a field may hold: ``words``, or the labels of the places of a ``frame``.

    ``field`` is the name of the field, and ``empty`` is true if it may hold None.
    """

    field: str
    words: tuple[str, ...] = ()
    frame: Frame | None = None
    empty: bool = False

    def word(self, value: Any) -> str | None:
        """Return the allowed word that a value represents, None if it represents none of them."""
        if self.frame is not None:
            try:
                place = self.frame.parse(value.removeprefix("@")) if type(value) is str else value
                return self.frame.label(place)
            except (TypeError, ValueError, AttributeError):
                return None
        text = str(value.name if isinstance(value, Enum) else value).casefold()
        return next((word for word in self.words if word.casefold() == text), None)

    def check(self, value: Any) -> None:
        """Raise ``ImpossibleComparisonError`` unless the field may hold exactly this value.

        Another spelling of an allowed word is refused too.
        """
        if value is None and self.empty:
            return
        if value is None:
            words = ", ".join(word or "''" for word in self.words)
            raise ImpossibleComparisonError(f"{self.field} is never None. Available: {words}.")
        word = self.word(value)
        if word is None and self.frame is not None:
            raise ImpossibleComparisonError(
                f"{self.field}: {value!r} is not the label of a place of this table."
            )
        if word is None:
            fault = unknown(f"value of {self.field}", str(value), (w or "''" for w in self.words))
            raise ImpossibleComparisonError(*fault.args)
        if word != value:
            raise ImpossibleComparisonError(f"{self.field}: write {word!r} instead of {value!r}.")


class FieldWord(str):  # noqa: SLOT000 - a subclass of str has no slots
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
        if not isinstance(other, FieldWord):
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
    """Return a value with every ``FieldWord`` in it replaced by plain text, which can be hashed."""
    if isinstance(value, FieldWord):
        return str(value)
    return tuple(map(unmarked, value)) if type(value) is tuple else value


# --- in the functions of a question --------------------------------------------------------------
@attrs.frozen
class AllowedValues:
    """The values that a field may hold if they are not words.

    ``field`` is the name of the field, ``kinds`` the types of its values, ``expected`` their
    description, ``limits`` the smallest and largest number, and ``empty`` true if it may hold None.
    """

    field: str
    kinds: tuple[type, ...]
    expected: str
    limits: Limits | None = None
    empty: bool = False

    def check(self, value: Any) -> None:
        """Raise ``ImpossibleComparisonError`` unless the field may hold a value."""
        if value is None and self.empty:
            return
        possible = isinstance(value, self.kinds)
        if possible and self.limits is not None and isinstance(value, int | float | Fraction):
            possible = self.limits[0] <= value <= self.limits[1]
        if not possible:
            raise ImpossibleComparisonError(
                f"{self.field}: expected {self.expected}, got {value!r}."
            )


class _Checked:
    """A value that refuses to be compared with impossible values."""

    allowed: AllowedValues | AllowedWords

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Checked | FieldWord):
            self.allowed.check(other)
        return super().__eq__(other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return super().__hash__()


class _CheckedNumber(_Checked, int):
    """A whole number, or a truth value as 0 or 1, that refuses impossible comparisons."""


class _CheckedFraction(_Checked, Fraction):  # type: ignore[misc]
    """A fraction that refuses to be compared with impossible values."""


class _CheckedText(_Checked, str):  # noqa: SLOT000 - a subclass of str has no slots
    """A text that refuses to be compared with impossible values."""


class _CheckedList(_Checked, tuple):  # type: ignore[type-arg] # noqa: SLOT001 - a subclass of tuple has no slots
    """A list, as a tuple, that refuses to be compared with impossible values."""


class _CheckedSet(_Checked, frozenset):  # type: ignore[type-arg]
    """A set that refuses to be compared with impossible values."""


class _CheckedNone(_Checked):
    """The None of an empty field, which refuses to be compared with impossible values."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Checked | FieldWord):
            self.allowed.check(other)
        return other is None or isinstance(other, _CheckedNone)

    def __hash__(self) -> int:
        return hash(None)

    def __bool__(self) -> bool:
        return False


_CHECKED: tuple[tuple[type, type], ...] = (
    (int, _CheckedNumber),
    (Fraction, _CheckedFraction),
    (str, _CheckedText),
    (tuple, _CheckedList),
    (frozenset, _CheckedSet),
)


def checked(value: Any, allowed: AllowedValues | AllowedWords) -> Any:
    """Return a value in a form that refuses to be compared with impossible values.

    A ``FieldWord``, and a value of any other type than those of ``_CHECKED``, is returned
    unchanged.
    """
    if isinstance(value, FieldWord):
        return value
    marked: Any = None
    if value is None:
        marked = _CheckedNone()
    for kind, checked_kind in _CHECKED:
        if isinstance(value, kind):
            marked = checked_kind(value)
            break
    if marked is None:
        return value
    marked.allowed = allowed
    return marked
