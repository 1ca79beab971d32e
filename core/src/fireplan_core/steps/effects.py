"""Effects: what a step answers. Records updated, steps pushed, questions asked, events emitted.

A step runs one rule: it throws the dice of at most one chance event, reads, and says what follows.
The core owns the loop; what waits is the agenda, a stack of steps with small arguments. Steps are
named by reference (``push(self.access, mission)``): a type checker sees their arguments, and the
name in journals is derived.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import attrs

from fireplan_core.chance import Chance
from fireplan_core.record import Atom, ProcedureError, check_atom, defaults, prefix_of
from fireplan_core.steps.view import View

__all__ = ["update"]  # to the type checker it is imported
F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")


@attrs.frozen(cache_hash=True)
class Step:
    """A named step waiting on the agenda, e.g. ``Step("delays.access", ("a",))``.

    ``scope`` names the place it concerns alone (``within``), so that the mission can be solved with one place at a
    time.
    """

    name: str
    args: tuple[Atom, ...] = ()
    scope: str = ""

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


@attrs.frozen(cache_hash=True)
class Ask:
    """A question waiting on the agenda: who must answer which question.

    The step of its name takes the answer.
    """

    who: str
    question: str
    args: tuple[Atom, ...]
    scope: str = ""


Pending = Step | Ask
PENDING = (Step, Ask)


@attrs.frozen(cache_hash=True)
class Event:
    """Something that happened, by which rule; ``fields`` are small values in a fixed order."""

    kind: str
    cite: str
    fields: tuple[tuple[str, Atom], ...] = ()

    def __getitem__(self, name: str) -> Any:
        """The field of that name; KeyError if the event has none."""
        for key, value in self.fields:
            if key == name:
                return value
        raise KeyError(name)


@attrs.frozen
class Update:
    """A new value for a key."""

    key: str
    value: Atom


@attrs.frozen(init=False)
class Effects:
    """Say what follows from a step: values updated, steps pushed (the first named runs first), events emitted."""

    updates: tuple[tuple[str, Atom], ...]
    pushes: tuple[Pending, ...]
    events: tuple[Event, ...]

    def __init__(self, *effects: attrs.AttrsInstance) -> None:
        updates: list[tuple[str, Atom]] = []
        pushes: list[Pending] = []
        events: list[Event] = []
        for effect in effects:
            if isinstance(effect, list):  # what ``update`` answers when the program runs
                updates.extend((entry.key, entry.value) for entry in effect)
            elif isinstance(effect, PENDING):
                pushes.append(effect)
            elif isinstance(effect, Event):
                events.append(effect)
            elif isinstance(effect, Effects):
                updates.extend(effect.updates)
                pushes.extend(effect.pushes)
                events.extend(effect.events)
            else:
                raise ProcedureError(f"{effect!r} is no effect: use update, push, ask or emit")
        self.__attrs_init__(tuple(updates), tuple(pushes), tuple(events))


Effect = Step | Ask | Event | Effects
NOTHING = Effects()

if TYPE_CHECKING:
    # To the type checker: fields and their types are those of the record.
    from attrs import evolve as update
else:

    def update(view: object, **fields: Atom) -> list[Update]:
        """Update fields of a record of the view: ``update(radio, contact=True)``."""
        prefix, kind = prefix_of(view)
        known = defaults(kind)
        for name, value in fields.items():
            if name not in known:
                raise ProcedureError(f"{kind.__name__} has no field {name!r}")
            check_atom(value, prefix, name)
        return [Update(f"{prefix}/{name}", value) for name, value in fields.items()]


def step(*, cite: str) -> Callable[[F], F]:
    """Mark a method of a part as a step: ``(self, chance, view, *args) -> Effects``, carrying out the rule cited."""

    def mark(method: F) -> F:
        method.__fireplan_step__ = cite  # type: ignore[attr-defined]
        return method

    return mark


def optional(method: F) -> F:
    """Mark a step of a part's contract that does nothing unless a game overrides it.

    Pushing it then pushes nothing.
    """
    method.__fireplan_optional__ = True  # type: ignore[attr-defined]
    return method


def required(method: F) -> F:
    """Mark a step of a part's contract that every game carries out."""
    method.__fireplan_required__ = True  # type: ignore[attr-defined]
    return method


def name_of(function: Callable[..., Any], mark: str = "__fireplan_step__") -> str:
    """Return the full name of a step or question, ``delays.access``, derived from its part and its function.

    Raises ``ProcedureError`` for anything that is not marked as one.
    """
    inner = getattr(function, "__func__", function)
    if getattr(inner, mark, None) is None:
        raise ProcedureError(
            f"{getattr(inner, '__qualname__', inner)!r} is not marked as a step or question of a part"
        )
    return f"{getattr(getattr(function, '__self__', None), 'word', 'core')}.{inner.__name__}"


def push(
    step: Callable[Concatenate[Chance, View, P], Effects], /, *args: P.args, **kwargs: P.kwargs
) -> Step | Effects:
    """Push a step by reference with its arguments.

    Nothing for an optional step that the part does not have.
    """
    inner = getattr(step, "__func__", step)
    known = inner, getattr(getattr(step, "__self__", None), "word", "core")
    name = _NAMES.get(known)
    if name is None:
        idle = getattr(inner, "__fireplan_optional__", False)
        name = _NAMES[known] = "" if idle else name_of(step)
    if kwargs:
        raise ProcedureError(f"{name}: the arguments of a step are given by position")
    for value in args:
        check_atom(value, "argument of ", name)
    return Step(name, args) if name else NOTHING


_NAMES: dict[tuple[Any, str], str] = {}
"""The names of steps pushed so far, by function and part; empty for those that do nothing."""


def within(scope: str, pushed: Step | Effects) -> Step | Effects:
    """Confine a pushed step to a place (``view.scope(place)``).

    It takes a mission, that place, and what else it needs.

    Of units and ground it reads only those there, and it writes nothing else: every driver refuses
    what goes beyond.
    """
    return Step(pushed.name, pushed.args, scope) if isinstance(pushed, Step) else pushed


def ask(
    who: str,
    question: Callable[Concatenate[View, P], Iterator[Any]],
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> Ask:
    """Ask a side or the referee; what the answer does, the orders of the question say."""
    name = name_of(question, "__fireplan_question__")
    if kwargs:
        raise ProcedureError(f"{name}: the arguments of a question are given by position")
    for value in args:
        check_atom(value, "argument of ", name)
    return Ask(who, name, args)


def emit(kind: str, cite: str, /, **fields: Atom) -> Event:
    """Emit an event: what happened, with the rule that says so."""
    for name, value in fields.items():
        check_atom(value, kind, name)
    return Event(kind, cite, tuple(fields.items()))
