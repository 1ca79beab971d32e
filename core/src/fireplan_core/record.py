"""Records: the classes that hold a part's state.

A part declares its records as frozen attrs classes. Play and the exact solver store each field
under a key of its own (``missions/a/delays/contact``), and rules read them through a
``RecordView``, one field at a time.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeAlias, TypeVar

import attrs

from fireplan_core.space import PLACE

__all__ = ["record"]  # for type checkers the name is an import
Atom = Hashable
Place: TypeAlias = Annotated[Any, PLACE]
"""A hex, a vertex or a point in yards, depending on the frame of the table's areas; hashable."""

R = TypeVar("R")
V = TypeVar("V")
PLAIN = (bool, int, str, Enum, Fraction, type(None))
"""The types of which the values of a state are made."""
SEVERAL = (tuple, frozenset)
"""The types that hold several such values."""


class ProcedureError(Exception):
    """An error in the code of a game, never a player's mistake."""


if TYPE_CHECKING:
    # For type checkers a record is a plain attrs class, so they check the fields in ``update``.
    from attrs import frozen as record
else:

    def record(cls: type[R]) -> type[R]:
        """Turn a class into a record: a frozen, slotted attrs class with keyword-only fields.

        Every field needs a default or an initial value.
        """
        return attrs.frozen(slots=True, kw_only=True)(cls)


COUNT = (0, 99)
"""The range of most counts; a game may set a smaller one."""


@attrs.frozen(eq=False)
class ByPlace:
    """How positions write a field place by place: ``ground={"K5": {"smoke": 3}}``.

    ``spread`` splits the field into pairs of a place and a value of the type ``item``; ``gather``
    is its inverse.
    """

    item: Any
    spread: Callable[[Any], Iterable[tuple[Place, Any]]]
    gather: Callable[[tuple[tuple[Place, Any], ...]], Any]


AT_PLACES = ByPlace(
    bool,
    lambda places: ((place, True) for place in places),
    lambda pairs: tuple(place for place, on in pairs if on),
)
"""For fields that are tuples of places, named in positions as in ``{"K5": "scrape"}``."""


def told(
    meaning: str,
    rule: str,
    *,
    between: tuple[int, int] | None = None,
    word: str = "",
    among: tuple[str, ...] | str = (),
    places: ByPlace | None = None,
    by: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the metadata of a field of a record: its meaning and the rule that defines it.

    ``between`` is the least and the greatest number, ``word`` the game's own name for the field.
    ``among`` lists the allowed texts; ``"asset"``, ``"unit"`` or ``"side"`` allow the names in the
    scenario. ``places`` describes how positions write the field place by place, and ``by`` names
    the parts that may change a neutral field besides the core.
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


def kept(default: V, meaning: str, rule: str, **more: Any) -> V:
    """Declare a field of a record with its default, its meaning and its rule.

    For ``more`` see ``told``.
    """
    field: V = attrs.field(default=default, metadata=told(meaning, rule, **more))
    return field


def check_atom(value: object, *where: str) -> None:
    """Raise ``ProcedureError`` for a value that a state cannot hold, e.g. a float or a list.

    ``where`` is put in front of the message.
    """
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
        problem = f"{kind.__name__} cannot be kept in a state; use numbers, names, places or tuples of them"
        raise ProcedureError(f"{' '.join(where)}: {problem}")


def kind_of(value: object) -> Any:
    """Return the type of a value, nested with the types of its items; it tells 1 from True."""
    kind = type(value)
    if isinstance(value, tuple):
        return kind, tuple(map(kind_of, value))
    if isinstance(value, frozenset):
        return kind, frozenset(map(kind_of, value))
    if attrs.has(kind):
        return kind, tuple(kind_of(getattr(value, field.name)) for field in attrs.fields(kind))
    return kind


_SOUND: set[type] = set(PLAIN)
"""The classes found so far whose every value may be held in a state."""


@cache
def defaults(cls: type) -> Mapping[str, Any]:
    """Return the fields of a record class with their defaults (None where a field has none)."""
    return {
        field.name: None if field.default is attrs.NOTHING else field.default
        for field in attrs.fields(cls)
    }


_PUBLISHED: set[type] = set()


def publish(kinds: tuple[type, ...]) -> None:
    """Register record classes that a part publishes for other parts to read."""
    _PUBLISHED.update(kinds)


def is_published(kind: type) -> bool:
    """Return whether a part of any game publishes records of this class."""
    return kind in _PUBLISHED


class RecordView:
    """A record as a rule sees it: its fields can be read, but the record itself is not a value."""

    __slots__ = ("_defaults", "_kind", "_prefix", "_read", "_writable")

    def __init__(
        self, read: Callable[[str, Any], Any], prefix: str, kind: type, *, writable: bool = True
    ) -> None:
        self._read = read
        self._prefix = prefix
        self._kind = kind
        self._writable = writable
        self._defaults = defaults(kind)

    def __getattr__(self, name: str) -> Any:
        fields = self._defaults
        if name not in fields:
            raise AttributeError(
                f"{self._kind.__name__} has no field {name!r}; it has {', '.join(fields)}"
            )
        return self._read(f"{self._prefix}/{name}", fields[name])

    def _no(self, *_: object) -> NoReturn:
        msg = f"{self._kind.__name__} at {self._prefix}: a whole record cannot be compared, hashed or iterated"
        raise ProcedureError(msg)

    __hash__ = _no
    __eq__ = _no
    __iter__ = _no
    __bool__ = _no

    def __repr__(self) -> str:
        """Return the class and the key prefix, without any value."""
        return f"<{self._kind.__name__} at {self._prefix}>"


def prefix_of(view: object) -> tuple[str, type]:
    """Return the key prefix and the class of a record that may be updated.

    Raises ``ProcedureError`` for anything else, including a record of another part.
    """
    if not isinstance(view, RecordView):
        raise ProcedureError(f"update() takes a record of the view, not {type(view).__name__}")
    if not view._writable:
        msg = f"{view._kind.__name__} at {view._prefix} belongs to another part: it can be read but not updated"
        raise ProcedureError(msg)
    return view._prefix, view._kind
