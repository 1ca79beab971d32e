"""Records: the shape of every value in a state, so that each has a key.

A part declares its records as frozen attrs classes; play and the exact solver keep the values by key
(``missions/a/delays/contact``). Rules see them through a ``RecordView``, which reads one field at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import attrs

__all__ = [
    "Atom",
    "Place",
    "ProcedureError",
    "RecordView",
    "check_atom",
    "defaults",
    "is_published",
    "prefix_of",
    "publish",
    "record",
]

Atom = Hashable
Place = Any
"""A hex, a vertex, a point in yards: whatever the frame of the table's areas uses; hashable."""

R = TypeVar("R")
PLAIN = (bool, int, str, Enum, Fraction, type(None))
"""Say what a value in a state is made of."""
SEVERAL = (tuple, frozenset)
"""Say what holds several of them."""


class ProcedureError(Exception):
    """Rule code did something that no driver allows; a fault of a game, never of a player."""


if TYPE_CHECKING:
    # To the type checker a record is a plain attrs class, so that ``update`` can check its fields.
    from attrs import frozen as record
else:

    def record(cls: type[R]) -> type[R]:
        """Declare a record: frozen, slotted, keyword-only; every field needs a default or an initial value."""
        return attrs.frozen(slots=True, kw_only=True)(cls)


def check_atom(value: object, *where: str) -> None:
    """Refuse a value that cannot stand in a state: not small, not hashable, or not exact; ``where`` is told."""
    kind = type(value)
    if kind in _SOUND:
        return
    if isinstance(value, SEVERAL):
        for item in value:
            check_atom(item, *where)
    elif isinstance(value, PLAIN):
        _SOUND.add(kind)
    elif attrs.has(kind) and getattr(kind, "__attrs_props__", None) is not None:
        hash(value)
    else:
        what = f"{kind.__name__} cannot be kept in a state; use numbers, names, places or tuples of them"
        raise ProcedureError(f"{' '.join(where)}: {what}")


_SOUND: set[type] = set(PLAIN)
"""Classes whose every value may stand in a state, as they are met."""


@cache
def defaults(cls: type) -> Mapping[str, Any]:
    """Return the fields of a record class with their defaults (None where a field has none)."""
    return {field.name: None if field.default is attrs.NOTHING else field.default for field in attrs.fields(cls)}


_PUBLISHED: set[type] = set()


def publish(kinds: tuple[type, ...]) -> None:
    """Note record classes that a part publishes, so that other parts may read them."""
    _PUBLISHED.update(kinds)


def is_published(kind: type) -> bool:
    """Return whether some part publishes records of this class."""
    return kind in _PUBLISHED


class RecordView:
    """A record as a rule sees it: fields are read one by one, the whole is not a value."""

    __slots__ = ("_defaults", "_kind", "_prefix", "_read", "_writable")

    def __init__(self, read: Callable[[str, Any], Any], prefix: str, kind: type, *, writable: bool = True) -> None:
        self._read = read
        self._prefix = prefix
        self._kind = kind
        self._writable = writable
        self._defaults = defaults(kind)

    def __getattr__(self, name: str) -> Any:
        """Read one field."""
        known = self._defaults
        if name not in known:
            raise AttributeError(f"{self._kind.__name__} has no field {name!r}; it has {', '.join(known)}")
        return self._read(f"{self._prefix}/{name}", known[name])

    def _no(self, *_: object) -> NoReturn:
        msg = f"{self._kind.__name__} at {self._prefix}: a whole record cannot be compared, hashed or iterated"
        raise ProcedureError(msg)

    __hash__ = _no
    __eq__ = _no
    __iter__ = _no
    __bool__ = _no

    def __repr__(self) -> str:
        """Return where it stands; never its values."""
        return f"<{self._kind.__name__} at {self._prefix}>"


def prefix_of(view: object) -> tuple[str, type]:
    """Return the key prefix and the record class of a view that may be written.

    Raises ``ProcedureError`` for anything but a record of the view, and for one that belongs to another part.
    """
    if not isinstance(view, RecordView):
        raise ProcedureError(f"update() takes a record of the view, not {type(view).__name__}")
    if not view._writable:
        msg = f"{view._kind.__name__} at {view._prefix} belongs to another part: it may be read, not written"
        raise ProcedureError(msg)
    return view._prefix, view._kind
