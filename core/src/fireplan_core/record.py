"""Records: the shape of every value in a state, so that each has a key.

A part declares its records as frozen attrs classes; play and the exact solver keep the values by
key (``missions/a/delays/contact``). Rules see them through a ``RecordView``, which reads one field
at a time.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeAlias, TypeVar

import attrs

from fireplan_core.space import PLACE

__all__ = ["record"]  # to the type checker it is imported
Atom = Hashable
Place: TypeAlias = Annotated[Any, PLACE]
"""A hex, a vertex, a point in yards: whatever the frame of the table's areas uses; hashable."""

R = TypeVar("R")
V = TypeVar("V")
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
        """Declare a record: frozen, slotted, keyword-only.

        Every field needs a default or an initial value.
        """
        return attrs.frozen(slots=True, kw_only=True)(cls)


COUNT = (0, 99)
"""Say how far most counts go on a table; games know smaller limits of their own."""


@attrs.frozen(eq=False)
class ByPlace:
    """Say how a value of the whole table is said place by place: ``ground={"K5": {"smoke": 3}}``.

    ``spread`` gives each place with what is said there, of the type ``item``; ``gather`` makes the value of those
    again, and ``spread(gather(pairs))`` is ``pairs``.
    """

    item: Any
    spread: Callable[[Any], Iterable[tuple[Place, Any]]]
    gather: Callable[[tuple[tuple[Place, Any], ...]], Any]


AT_PLACES = ByPlace(
    bool,
    lambda places: ((place, True) for place in places),
    lambda pairs: tuple(place for place, on in pairs if on),
)
"""Say a tuple of places by naming each: ``ground={"K5": "scrape"}``."""


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
    """Return the metadata of a field that can be asked for by name: its meaning and the rule that it stands in.

    ``between`` are the least and the greatest number, ``word`` is the game's own word for it, ``among`` are the texts
    that it may be, or ``"asset"``, ``"unit"`` or ``"side"`` for a name of the scenario's own; ``places`` says how it is
    said place by place. ``by`` are the parts that may change a neutral field besides the core.
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

    ``more`` is as in ``told``.
    """
    found: V = attrs.field(default=default, metadata=told(meaning, rule, **more))
    return found


def check_atom(value: object, *where: str) -> None:
    """Refuse a value that cannot stand in a state: not small, not hashable, or not exact.

    ``where`` is told.
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
        what = f"{kind.__name__} cannot be kept in a state; use numbers, names, places or tuples of them"
        raise ProcedureError(f"{' '.join(where)}: {what}")


def kind_of(value: object) -> Any:
    """Return the type of a value with the types of all that it holds: 1 and True are equal, and not alike."""
    kind = type(value)
    if isinstance(value, tuple):
        return kind, tuple(map(kind_of, value))
    if isinstance(value, frozenset):
        return kind, frozenset(map(kind_of, value))
    if attrs.has(kind):
        return kind, tuple(kind_of(getattr(value, field.name)) for field in attrs.fields(kind))
    return kind


_SOUND: set[type] = set(PLAIN)
"""Classes whose every value may stand in a state, as they are met."""


@cache
def defaults(cls: type) -> Mapping[str, Any]:
    """Return the fields of a record class with their defaults (None where a field has none)."""
    return {
        field.name: None if field.default is attrs.NOTHING else field.default
        for field in attrs.fields(cls)
    }


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

    def __init__(
        self, read: Callable[[str, Any], Any], prefix: str, kind: type, *, writable: bool = True
    ) -> None:
        self._read = read
        self._prefix = prefix
        self._kind = kind
        self._writable = writable
        self._defaults = defaults(kind)

    def __getattr__(self, name: str) -> Any:
        known = self._defaults
        if name not in known:
            raise AttributeError(
                f"{self._kind.__name__} has no field {name!r}; it has {', '.join(known)}"
            )
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

    Raises ``ProcedureError`` for anything but a record of the view, and for one that belongs to
    another part.
    """
    if not isinstance(view, RecordView):
        raise ProcedureError(f"update() takes a record of the view, not {type(view).__name__}")
    if not view._writable:
        msg = f"{view._kind.__name__} at {view._prefix} belongs to another part: it may be read, not written"
        raise ProcedureError(msg)
    return view._prefix, view._kind
