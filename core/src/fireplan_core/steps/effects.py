"""Procedures: named steps and what a step may answer: put, push, ask, tell.

A step runs one rule: it throws the dice of at most one chance event, reads, and says what follows. The core
owns the loop; what waits is the agenda, a stack of steps with small arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import attrs

from fireplan_core.record import Atom, ProcedureError, check_atom, defaults, prefix_of

F = TypeVar("F", bound=Callable[..., Any])

REFEREE = "referee"
"""Who answers questions of fact that no side may know."""


@attrs.frozen(cache_hash=True)
class Step:
    """A named step waiting on the agenda, e.g. ``Step("delays.access", ("a",))``.

    ``scope`` names the place it concerns alone: such steps read and write only the units and the ground
    there, so that the mission can be solved with one place at a time.
    """

    name: str
    args: tuple[Atom, ...] = ()
    scope: str = ""

    def __str__(self) -> str:
        """As a call."""
        return f"{self.name}({', '.join(map(str, self.args))})"


@attrs.frozen(cache_hash=True)
class Ask:
    """A question waiting on the agenda: who must answer which question; the answer goes to ``then``."""

    who: str
    question: str
    args: tuple[Atom, ...]
    then: str
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
class Order:
    """What a side decided: a verb with named values, e.g. ``Order.of("correct", aim=(3, 4))``."""

    verb: str
    values: tuple[tuple[str, Atom], ...] = ()

    @classmethod
    def of(cls, verb: str, /, **values: Atom) -> Order:
        """An order from keyword values, whatever the slots are called."""
        return cls(verb, tuple(sorted(values.items())))

    def __getitem__(self, name: str) -> Any:
        """The value of that slot; KeyError if the order lacks it."""
        for key, value in self.values:
            if key == name:
                return value
        raise KeyError(name)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of that slot, or the default."""
        return dict(self.values).get(name, default)

    def __str__(self) -> str:
        """As a player would say it."""
        return " ".join([self.verb, *(f"{key}={value}" for key, value in self.values)])


@attrs.frozen
class Refusal:
    """Why an order may not be given: the rule, who refuses, in words."""

    cite: str
    why: str
    by: str = ""

    def __str__(self) -> str:
        """The reason with its rule."""
        return f"{self.why} [{self.cite}]"


@attrs.frozen
class Slot:
    """One value of an order form: its name, what it means, and the values worth offering.

    A ``secret`` value is sealed when it is given: other sides see a commitment until it is revealed.
    """

    name: str
    meaning: str
    candidates: tuple[Atom, ...]
    secret: bool = False


@attrs.frozen
class Form:
    """An order that may be considered: a verb with its slots, the rule that allows it, in words."""

    verb: str
    cite: str
    summary: str
    slots: tuple[Slot, ...] = ()


@attrs.frozen
class Update:
    """A value to be put at an address."""

    address: str
    value: Atom


@attrs.frozen(init=False)
class Effects:
    """What follows from a step: values put, steps pushed (the first named runs first), events told."""

    updates: tuple[tuple[str, Atom], ...]
    pushes: tuple[Pending, ...]
    events: tuple[Event, ...]

    def __init__(self, *effects: list[Update] | Pending | Event | Effects) -> None:
        updates: list[tuple[str, Atom]] = []
        pushes: list[Pending] = []
        events: list[Event] = []
        for effect in effects:
            if isinstance(effect, list):
                updates.extend((entry.address, entry.value) for entry in effect)
            elif isinstance(effect, PENDING):
                pushes.append(effect)
            elif isinstance(effect, Event):
                events.append(effect)
            else:
                updates.extend(effect.updates)
                pushes.extend(effect.pushes)
                events.extend(effect.events)
        self.__attrs_init__(tuple(updates), tuple(pushes), tuple(events))


def update(view: object, **fields: Atom) -> list[Update]:
    """Put new values into a record of the view: ``update(radio, contact=True)``."""
    prefix, kind = prefix_of(view)
    known = defaults(kind)
    for name, value in fields.items():
        if name not in known:
            msg = f"{kind.__name__} has no field {name!r}"
            raise ProcedureError(msg)
        check_atom(value, f"{prefix}/{name}")
    return [Update(f"{prefix}/{name}", value) for name, value in fields.items()]


def push(name: str, *args: Atom, scope: str = "") -> Step:
    """Push a step; a name without a dot belongs to the pushing part."""
    for value in args:
        check_atom(value, f"argument of {name}")
    return Step(name, args, scope)


def ask(who: str, question: str, *args: Atom, then: str) -> Ask:
    """Ask a side or the referee; the step ``then`` is run with the same arguments and the answer."""
    for value in args:
        check_atom(value, f"argument of {question}")
    return Ask(who, question, args, then)


def emit(kind: str, cite: str, /, **fields: Atom) -> Event:
    """Tell what happened, with the rule that says so."""
    for name, value in fields.items():
        check_atom(value, f"{kind}.{name}")
    return Event(kind, cite, tuple(fields.items()))


def step(*, cite: str) -> Callable[[F], F]:
    """Mark a method of a part as a step: ``(self, chance, view, *args) -> Then``; its name is the method's."""

    def mark(method: F) -> F:
        method.__fireplan_step__ = cite  # type: ignore[attr-defined]
        return method

    return mark
