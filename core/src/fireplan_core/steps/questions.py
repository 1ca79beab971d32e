"""Questions: what a side or the referee is asked, the forms on offer, and the one judge of orders."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Generic, TypeVar, TypeVarTuple

import attrs

from fireplan_core.record import Atom
from fireplan_core.steps.view import View

F = TypeVar("F", bound=Callable[..., Any])
Args = TypeVarTuple("Args")


@attrs.frozen
class Order:
    """Say what a side decided: a verb with named values, e.g. ``Order.of("correct", aim=(3, 4))``."""

    verb: str
    values: tuple[tuple[str, Atom], ...] = ()

    @classmethod
    def of(cls, verb: str, /, **values: Atom) -> Order:
        """Return an order from keyword values, whatever the slots are called."""
        return cls(verb, tuple(sorted(values.items())))

    def __getitem__(self, name: str) -> Any:
        """The value of that slot; KeyError if the order lacks it."""
        for key, value in self.values:
            if key == name:
                return value
        raise KeyError(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of that slot, or the default."""
        return dict(self.values).get(name, default)

    def __str__(self) -> str:
        """As a player would say it."""
        return " ".join([self.verb, *(f"{key}={value}" for key, value in self.values)])


@attrs.frozen
class Refusal:
    """Say why an order may not be given: the rule, who refuses, in words."""

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


def unlike(value: Atom, candidates: tuple[Atom, ...]) -> bool:
    """Return whether a value is of another kind than all that are offered for a slot: a name where a place belongs."""
    if value in candidates:
        return False
    kinds = [_kind(candidate) for candidate in candidates]
    return bool(kinds) and not any(kind is of and items <= held for kind, items in [_kind(value)] for of, held in kinds)


def _kind(value: Atom) -> tuple[type, set[type]]:
    kind = Fraction if type(value) is int else type(value)
    return kind, {inner for item in value for inner in _kind(item)[:1]} if isinstance(value, tuple) else set()


@attrs.frozen
class Form:
    """An order that may be considered: a verb with its slots, the rule that allows it, in words."""

    verb: str
    cite: str
    summary: str
    slots: tuple[Slot, ...] = ()


@attrs.frozen(eq=False, repr=False)
class Question(Generic[*Args]):
    """A question to a side: the order forms on offer, the one judge of orders, and the standard answer.

    ``offers(view, *args)`` gives forms with candidate values; ``refuse(view, order, *args)`` gives a
    ``Refusal`` or None (no objection); ``standard(view, *args)`` is the part's own doctrine. Of a ``secret``
    question other sides learn nothing, not even that it is asked; of its answer, what events tell.
    """

    offers: Callable[[View, *Args], tuple[Form, ...]]
    refuse: Callable[[View, Order, *Args], Refusal | None]
    standard: Callable[[View, *Args], Order]
    secret: bool = False


def no_objection(_view: View, _order: Order, *_args: Any) -> None:
    """Refuse nothing: the judge of a question whose offered orders are all legal."""


def question(method: F) -> F:
    """Mark a method ``(self) -> Question[...]`` of a part: its name is the question's, its args those of the asking."""
    method.__fireplan_question__ = True  # type: ignore[attr-defined]
    return method


def either(yes: Form, no: Form, standard: Callable[[View, *Args], bool] | None = None) -> Question[*Args]:
    """Return the question between two orders that are always legal; the standard answer is yes unless it says no."""

    def offers(_view: View, *_args: *Args) -> tuple[Form, ...]:
        return yes, no

    def refuse(_view: View, _order: Order, *_args: *Args) -> None:
        return None

    def answer(view: View, *args: *Args) -> Order:
        return Order.of((yes if standard is None or standard(view, *args) else no).verb)

    return Question(offers, refuse, answer)
