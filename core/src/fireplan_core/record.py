"""Records: the classes that hold a part's state.

A part declares its records as frozen attrs classes. Play and the exact solver store each field
under its own key (``missions/a/delays/contact``), and rules read the fields one at a time through a
``RecordView``.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import attrs

from fireplan_core.space import Place

__all__ = ["record"]  # type checkers see the name as an import
Atom = Hashable
Read = Callable[[str, Any], Any]
"""Reads a state: ``read(key, default)`` returns the value of a key, or the default without one."""

R = TypeVar("R")
V = TypeVar("V")
PLAIN = (bool, int, str, Enum, Fraction, type(None))
"""The types of single values in a state."""
SEVERAL = (tuple, frozenset)
"""The types of collections in a state."""


class ProcedureError(Exception):
    """An error in the code of a game or of house rules, never a player's mistake."""


if TYPE_CHECKING:
    # Type checkers see a record as a plain attrs class, so they can check the fields in ``update``.
    from attrs import frozen as record
else:

    def record(cls: type[R]) -> type[R]:
        """Turn a class into a record: a frozen, slotted attrs class with keyword-only fields.

        Every field needs a default or an initial value.

        >>> @record
        ... class Radio:
        ...     contact: bool = kept(False, "whether there is radio contact", "2.1")
        >>> Radio(contact=True)
        Radio(contact=True)
        """
        return attrs.frozen(slots=True, kw_only=True)(cls)


COUNT = (0, 99)
"""The range allowed for most counts; a game may set a narrower range."""


@attrs.frozen(eq=False)
class ByPlace:
    """The way a position writes a field for each place, e.g. ``ground={"K5": {"smoke": 3}}``.

    ``spread`` splits the field into pairs of a place and a value of type ``item``; ``gather`` is
    its inverse.

    >>> smoke = ByPlace(int, spread=iter, gather=tuple)
    >>> list(smoke.spread((((3, 4), 2), ((3, 5), 1))))
    [((3, 4), 2), ((3, 5), 1)]
    """

    item: Any
    spread: Callable[[Any], Iterable[tuple[Place, Any]]]
    gather: Callable[[tuple[tuple[Place, Any], ...]], Any]


AT_PLACES = ByPlace(
    bool,
    lambda places: ((place, True) for place in places),
    lambda pairs: tuple(place for place, on in pairs if on),
)
"""The way positions write a field that is a tuple of places, e.g. ``{"K5": "scrape"}``."""


def described(
    meaning: str,
    rule: str,
    *,
    between: tuple[int, int] | None = None,
    word: str = "",
    among: tuple[str, ...] | str = (),
    places: ByPlace | None = None,
    by: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return metadata for a record's field: its meaning, the rule that defines it, and its limits.

    ``between`` is the smallest and the greatest number allowed, ``word`` the game's own name for
    the field. ``among`` lists the allowed texts; ``"asset"``, ``"unit"`` or ``"side"`` allows the
    scenario's names of that kind. ``places`` describes how positions write the field for each
    place, and ``by`` names the parts, besides the core, that may change a neutral field.

    >>> described("rounds left", "2.1", between=(0, 6))["range"]
    (0, 6)
    """
    return {
        "help": meaning,
        "rule": rule,
        "range": between,
        "word": word,
        "among": among,
        "places": places,
        "by": by,
    }


def kept(default: V, meaning: str, rule: str, *, assumed: Any = attrs.NOTHING, **more: Any) -> V:
    """Declare a record's field with its default value, its meaning and its rule.

    A field with an ``assumed`` value is secret: the other sides take it to have this value.
    ``more`` takes the optional arguments of ``described``.

    >>> @record
    ... class Radio:
    ...     failed: int = kept(0, "the number of failed tries", "2.1", between=(0, 3))
    >>> Radio().failed
    0
    """
    secret = {} if assumed is attrs.NOTHING else {"assumed": assumed}
    field: V = attrs.field(default=default, metadata=described(meaning, rule, **more) | secret)
    return field


def check_atom(value: object, *where: str) -> None:
    """Raise ``ProcedureError`` for a value that a state cannot hold, e.g. a float or a list.

    The message begins with ``where``.

    >>> check_atom((1, "K5"))
    >>> check_atom(0.5)
    Traceback (most recent call last):
    fireplan_core.record.ProcedureError: ...
    """
    kind = type(value)
    if kind in _SOUND:
        return
    if isinstance(value, SEVERAL):
        if not _SOUND.issuperset(map(type, value)):
            for item in value:
                check_atom(item, *where)
    elif isinstance(value, PLAIN):
        _SOUND.add(kind)
    elif attrs.has(kind) and getattr(kind, "__attrs_props__", None) is not None:
        hash(value)
    else:
        problem = f"{kind.__name__} cannot be kept in a state; use numbers, names, places or tuples of them"
        raise ProcedureError(f"{' '.join(where)}: {problem}")


def kind_of(value: object) -> Any:
    """Return the type of a value, including the types of its items, so that 1 differs from True."""
    kind: type = type(value)
    if kind in _PLAIN:
        return kind
    if isinstance(value, tuple):
        kinds = tuple(map(type, value))
        return kind, kinds if _PLAIN.issuperset(kinds) else tuple(map(kind_of, value))
    if isinstance(value, frozenset):
        return kind, frozenset(map(kind_of, value))
    names = _field_names(kind)
    return (kind, tuple([kind_of(getattr(value, name)) for name in names])) if names else kind


@cache
def _field_names(cls: type) -> tuple[str, ...]:
    """Return the field names of an attrs class, or an empty tuple for any other class."""
    return tuple(field.name for field in attrs.fields(cls)) if attrs.has(cls) else ()


_PLAIN = frozenset(PLAIN)
_SOUND: set[type] = set(PLAIN)
"""Classes of which every value can be kept in a state."""


@cache
def defaults(cls: type) -> Mapping[str, Any]:
    """Return the defaults of a record class by field name; None for a field without a default.

    >>> defaults(Mission)["fell"]
    False
    """
    return {
        field.name: None if field.default is attrs.NOTHING else field.default
        for field in attrs.fields(cls)
    }


@cache
def assumed(cls: type) -> Mapping[str, Any]:
    """Return the values that other sides assume for a record's secret fields, by field name.

    >>> dict(assumed(Mission))
    {}
    """
    fields = attrs.fields(cls) if attrs.has(cls) else ()
    return {
        field.name: field.metadata["assumed"] for field in fields if "assumed" in field.metadata
    }


_PUBLISHED: set[type] = set()


def publish(kinds: tuple[type, ...]) -> None:
    """Register the record classes that a part publishes for other parts to read."""
    _PUBLISHED.update(kinds)


def is_published(kind: type) -> bool:
    """Return whether a part of any game publishes this record class."""
    return kind in _PUBLISHED


class RecordView:
    """A record as rules see it: they read its fields, but cannot use the record as a value.

    >>> from fireplan_core.ready_parts import LinkState
    >>> own = RecordView({"missions/a/delays/failed": 2}.get, "missions/a/delays", LinkState)
    >>> own.failed, own.left
    (2, 0)
    """

    __slots__ = ("_defaults", "_kind", "_prefix", "_read", "_writable")

    def __init__(self, read: Read, prefix: str, kind: type, *, writable: bool = True) -> None:
        self._read = read
        self._prefix = prefix
        self._kind = kind
        self._writable = writable
        self._defaults = defaults(kind)

    def __getattr__(self, name: str) -> Any:
        fields = self._defaults
        if name not in fields:
            raise AttributeError(
                f"{self._kind.__name__} has no field {name!r}; its fields are {', '.join(fields)}"
            )
        return self._read(f"{self._prefix}/{name}", fields[name])

    def _refuse_use(self, *_: object) -> NoReturn:
        msg = f"{self._kind.__name__} at {self._prefix}: a whole record cannot be compared, hashed or iterated"
        raise ProcedureError(msg)

    __hash__ = _refuse_use
    __eq__ = _refuse_use
    __iter__ = _refuse_use
    __bool__ = _refuse_use

    def __repr__(self) -> str:
        """Return the class name and the key prefix, without any field values."""
        return f"<{self._kind.__name__} at {self._prefix}>"


def prefix_of(view: object) -> tuple[str, type]:
    """Return the key prefix and the class of a record that the caller may update.

    Raises ``ProcedureError`` for any other object, including another part's record.
    """
    if not isinstance(view, RecordView):
        raise ProcedureError(f"update() takes a record of the view, not {type(view).__name__}")
    if not view._writable:
        msg = f"{view._kind.__name__} at {view._prefix} belongs to another part: it can be read but not updated"
        raise ProcedureError(msg)
    return view._prefix, view._kind
