"""The types of fields, as their annotations give them: their values, words and items."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from fireplan_core.space import PLACE, place_shaped


@lru_cache(maxsize=1024)
def members(hint: Any) -> tuple[Any, ...]:
    """Return the types that an annotation allows, e.g. ``PLACE``, or ``Any`` for all types."""
    origin = get_origin(hint)
    if origin is Annotated:
        return (PLACE,) if PLACE in hint.__metadata__ else members(get_args(hint)[0])
    if origin in (Union, UnionType):
        return tuple(dict.fromkeys(kind for arg in get_args(hint) for kind in members(arg)))
    is_class = origin in (tuple, frozenset, Literal) or (
        isinstance(hint, type) and hint is not object
    )
    return (hint,) if is_class else (Any,)


def spoken(hint: Any, among: tuple[str, ...] | str = ()) -> str:
    """Return a phrase for the values that a type allows, e.g. ``a place or none``.

    >>> spoken(bool)
    'yes or no'
    """
    return " or ".join(dict.fromkeys(_spoken(kind, among) for kind in members(hint)))


def _spoken(kind: Any, among: tuple[str, ...] | str) -> str:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f"one of {', '.join(enum_words(kind))}"
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    if kind is str and isinstance(among, str):
        return f"the name of one {among}, or none"
    if kind is str and among:
        return f"one of {', '.join(word or 'none' for word in among)}"
    if (held := get_origin(kind) or kind) in (tuple, frozenset):
        return "a list" if held is tuple else "a set in braces"
    words = {
        bool: "yes or no",
        int: "a whole number",
        Fraction: "a number or a fraction such as 1/2",
        str: "a name",
        PLACE: "a place",
        type(None): "none",
        Any: "a value",
    }
    return words.get(kind, getattr(kind, "__name__", str(kind)))


def enum_of(hint: Any) -> type[Enum] | None:
    """Return the enum whose members may be written without its name, or None if there is none."""
    kinds = members(hint)
    enums = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Enum)]
    return enums[0] if len(enums) == 1 and str not in kinds and Any not in kinds else None


def enum_words(enum: type[Enum]) -> tuple[str, ...]:
    """Return the words by which players name the members of an enum."""
    return tuple(member.name.lower() for member in enum)


def shape(hint: Any) -> str:
    """Return the notation of a list of this type, e.g. ``[a name, [a whole number, ...]]``."""
    containers = [kind for kind in members(hint) if get_origin(kind) in (tuple, frozenset)]
    if len(containers) != 1:
        return spoken(hint)
    items = ("..." if item is ... else shape(item) for item in get_args(containers[0]))
    return f"[{', '.join(items)}]"


def item_hints(hint: Any, count: int) -> tuple[Any, ...]:
    """Return the types of the ``count`` items of a tuple or set, ``Any`` if they are not known."""
    containers = [
        kind
        for kind in members(hint)
        if get_origin(kind) is frozenset
        or (get_origin(kind) is tuple and (... in get_args(kind) or len(get_args(kind)) == count))
    ]
    if len(containers) != 1:
        return (Any,) * count
    inner = get_args(containers[0])
    if get_origin(containers[0]) is frozenset or inner[1:] == (...,):
        return (inner[0],) * count
    return inner


def may_be_none(hint: Any) -> bool:
    """Return whether a field of this type may hold None."""
    return bool({type(None), PLACE, Any} & {*members(hint)})


def listed_texts(hint: Any) -> tuple[str, ...]:
    """Return the texts that a type lists, empty if it lists none or allows any text."""
    kinds = members(hint)
    if str in kinds or Any in kinds:
        return ()
    listed = (text for kind in kinds if get_origin(kind) is Literal for text in get_args(kind))
    return tuple(text for text in listed if isinstance(text, str))


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value and every item in it are of the annotated type."""
    return any(_fits(value, kind) for kind in members(hint))


def _fits(value: Any, kind: Any) -> bool:
    if kind is Any:
        return True
    if kind == PLACE:  # a place in a record may be None
        return value is None or place_shaped(value)
    origin = get_origin(kind)
    if origin is Literal:
        return value in get_args(kind)
    if origin in (tuple, frozenset):
        inner = get_args(kind)
        is_homogeneous = origin is frozenset or inner[1:] == (...,)
        if type(value) is not origin or not (is_homogeneous or len(value) == len(inner)):
            return False
        return all(
            fits(item, hint) for item, hint in zip(value, item_hints(kind, len(value)), strict=True)
        )
    if kind in (int, Fraction):
        return type(value) is kind
    return isinstance(value, kind)
