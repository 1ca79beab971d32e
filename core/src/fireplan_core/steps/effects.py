"""Effects, which are all that a step returns: updates, pushed steps, questions and events.

A step runs one rule. It throws the dice of at most one chance event, reads the state, and returns
its effects. The core runs the loop over the agenda, a stack of pending steps and questions with
small arguments. Steps are pushed by reference (``push(self.access, mission)``), so type checkers
see their arguments; the name in journals is derived from the reference.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import attrs

from fireplan_core.chance import Chance
from fireplan_core.mission import EVENT_FIELDS
from fireplan_core.record import Atom, ProcedureError, check_atom, defaults, prefix_of
from fireplan_core.steps.view import View

__all__ = ["update"]  # type checkers see the name as an import
F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")


@attrs.frozen(cache_hash=True)
class Step:
    """A step waiting on the agenda, e.g. ``Step("delays.access", ("a",))``.

    ``scope`` names the place to which the step is confined (see ``within``), or is empty. Confined
    steps can be solved one place at a time.

    >>> Step("delays.access", ("a",)).args
    ('a',)
    """

    name: str
    args: tuple[Atom, ...] = ()
    scope: str = ""

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


@attrs.frozen(cache_hash=True)
class Ask:
    """A question waiting on the agenda: the side to ask, the question's name and its arguments.

    The step with the same name as the question carries out the answer.
    """

    who: str
    question: str
    args: tuple[Atom, ...]
    scope: str = ""

    @property
    def name(self) -> str:
        """The name of the question, and of the step that carries out the answer."""
        return self.question


Pending = Step | Ask
Agenda = tuple[Pending, ...]
"""Pending steps and questions, the next one first."""
PENDING = (Step, Ask)


@attrs.frozen(cache_hash=True)
class Event:
    """An event in play: its kind, the rule cited, and its fields in a fixed order.

    >>> Event("fall", "4.1", (("mission", "a"), ("on_target", True)))["on_target"]
    True
    """

    kind: str
    cite: str
    fields: tuple[tuple[str, Atom], ...] = ()

    def __getitem__(self, name: str) -> Any:
        """Return the value of a field; raises KeyError if the event has no such field."""
        for key, value in self.fields:
            if key == name:
                return value
        raise KeyError(name)


@attrs.frozen
class Update:
    """A new value for one key of the state."""

    key: str
    value: Atom


@attrs.frozen(init=False)
class Effects:
    """The effects of a step: values to update, steps and questions to push, events to emit.

    The first entry of ``pushes`` runs first.

    >>> effects = Effects(Step("delays.radio", ("a",)), emit("requested", "2.1", mission="a"))
    >>> effects.events[0].kind
    'requested'
    """

    updates: tuple[tuple[str, Atom], ...]
    pushes: Agenda
    events: tuple[Event, ...]

    def __init__(self, *effects: attrs.AttrsInstance) -> None:
        updates: list[tuple[str, Atom]] = []
        pushes: list[Pending] = []
        events: list[Event] = []
        for effect in effects:
            if isinstance(effect, list):  # the result of ``update`` at run time
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
                raise ProcedureError(f"{effect!r} is not an effect: use update, push, ask or emit")
        self.__attrs_init__(tuple(updates), tuple(pushes), tuple(events))


Effect = Step | Ask | Event | Effects
NOTHING = Effects()

if TYPE_CHECKING:
    # Type checkers see a function that takes the record's fields with their types.
    from attrs import evolve as update
else:

    def update(view: object, **fields: Atom) -> list[Update]:
        """Return the effect of setting fields of a record: ``update(radio, contact=True)``.

        Raises ``ProcedureError`` for a record of another part, an unknown field or an invalid
        value.

        >>> from fireplan_core.ready_parts import LinkState
        >>> own = RecordView(lambda key, default: default, "missions/a/delays", LinkState)
        >>> update(own, failed=own.failed + 1)
        [Update(key='missions/a/delays/failed', value=1)]
        """
        prefix, kind = prefix_of(view)
        known_fields = defaults(kind)
        for name, value in fields.items():
            if name not in known_fields:
                listed = ", ".join(known_fields)
                raise ProcedureError(
                    f"{kind.__name__} has no field {name!r}; its fields are {listed}"
                )
            check_atom(value, prefix, name)
        return [Update(f"{prefix}/{name}", value) for name, value in fields.items()]


def step(*, cite: str) -> Callable[[F], F]:
    """Mark a method ``(self, chance, view, *args) -> Effects`` of a part as a step.

    ``cite`` names the rule that the step carries out.

    >>> class Signals(Delays):
    ...     @step(cite="2.1")
    ...     def radio(self, chance, view, mission):
    ...         return Effects()
    >>> Signals("my_game", {}, {}).steps()["delays.radio"].cite
    '2.1'
    """

    def mark(method: F) -> F:
        method.__fireplan_step__ = cite  # type: ignore[attr-defined]
        return method

    return mark


def optional(method: F) -> F:
    """Mark a step in a part's contract as optional.

    Pushing it does nothing unless the game overrides it.
    """
    method.__fireplan_optional__ = True  # type: ignore[attr-defined]
    return method


def required(method: F) -> F:
    """Mark a step in a part's contract as required: every game must implement it."""
    method.__fireplan_required__ = True  # type: ignore[attr-defined]
    return method


def step_name(function: Callable[..., Any], mark: str = "__fireplan_step__") -> str:
    """Return the full name of a step or question, e.g. ``delays.access``.

    Raises ``ProcedureError`` if the function is not marked as a step or question.
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
    """Return an effect that pushes a step with these arguments onto the agenda.

    An optional step that the game does not implement has no effect. Raises ``ProcedureError`` for
    keyword arguments and for arguments that a state cannot hold.

    >>> from fireplan_core import cycle
    >>> str(push(cycle.release, "a", Intent.EFFECT))
    'core.release(a, Intent.EFFECT)'
    """
    inner = getattr(step, "__func__", step)
    key = inner, getattr(getattr(step, "__self__", None), "word", "core")
    name = _NAMES.get(key)
    if name is None:
        idle = getattr(inner, "__fireplan_optional__", False)
        name = _NAMES[key] = "" if idle else step_name(step)
    if kwargs:
        raise ProcedureError(f"{name}: pass the arguments of a step by position")
    for value in args:
        check_atom(value, "argument of ", name)
    return Step(name, args) if name else NOTHING


_NAMES: dict[tuple[Any, str], str] = {}
"""Maps function and part to the name of each step pushed so far.

The name is empty for an optional step that the game does not implement.
"""


def within(scope: str, pushed: Step | Effects) -> Step | Effects:
    """Return a pushed step, confined to the scope of a place (``view.scope(place)``).

    The step's first arguments must be a mission and that place. If the step changes anything but
    the units and the ground there, or reads the units or the ground of another place, play raises
    ``ProcedureError``.

    >>> within("K5", Step("resolution.strike", ("a",))).scope
    'K5'
    """
    return Step(pushed.name, pushed.args, scope) if isinstance(pushed, Step) else pushed


def ask(
    who: str,
    question: Callable[Concatenate[View, P], Iterator[Any]],
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> Ask:
    """Return an effect that puts a question with these arguments to a side or the referee.

    The forms that the question offers define the effects of each answer.

    Raises ``ProcedureError`` for an argument passed by keyword.

    >>> class Flare(Requests):
    ...     @orders(cite="1")
    ...     def call(self, view, mission):
    ...         yield Form("fire", "1", summary="send up a flare")
    >>> ask("german", Flare("my_game", {}, {}).call, "a").question
    'requests.call'
    """
    name = step_name(question, "__fireplan_question__")
    if kwargs:
        raise ProcedureError(f"{name}: pass the arguments of a question by position")
    for value in args:
        check_atom(value, "argument of ", name)
    return Ask(who, name, args)


def emit(kind: str, cite: str, /, **fields: Atom) -> Event:
    """Return an event of this kind, with the rule cited and these fields.

    Raises ``ProcedureError`` for a value of another type than ``EVENT_FIELDS`` gives.

    >>> emit("fall", "4.1", mission="a", on_target=True)["on_target"]
    True
    """
    for name, value in fields.items():
        check_atom(value, kind, name)
        types = EVENT_FIELDS.get(name, (object,))
        if not isinstance(value, types):
            expected = " or ".join(each.__name__ for each in types)
            raise ProcedureError(f"event {kind}, field {name}: expected {expected}, got {value!r}")
    return Event(kind, cite, tuple(fields.items()))
