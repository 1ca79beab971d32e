"""Questions: what a side or the referee is asked, and the orders that may answer, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property, partial, wraps
from itertools import product
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, TypeVarTuple

import attrs

from fireplan_core.chance import Chance
from fireplan_core.record import Atom, ProcedureError
from fireplan_core.sentences import Sentences
from fireplan_core.steps.effects import NOTHING, Effect, Effects
from fireplan_core.steps.view import View

S = TypeVar("S")
P = ParamSpec("P")
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
    """Say why an order may not be given: the rule, who refuses, in words.

    ``why`` may be a key of the game's sentences for refusals, which are then told of ``fields``; see ``of``.
    """

    cite: str
    why: str
    by: str = ""
    fields: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, cite: str, key: str, /, **fields: Any) -> Refusal:
        """Return a refusal in the words that the game's file of sentences has for the key (``[refusals]``)."""
        return cls(cite, key, fields=tuple(fields.items()))

    def said(self, words: Sentences) -> Refusal:
        """Return the same in words: those that there are for its key, or its own."""
        text = words.plain("refusals", self.why, dict(self.fields))
        return self if text is None else Refusal(self.cite, text, self.by)

    def __str__(self) -> str:
        return f"{self.why} [{self.cite}]"


@attrs.frozen
class Slot:
    """One value of an order form: its name, what it means, and the values worth offering.

    Any other value is refused, as ``other`` says if it does, unless the slot is ``free``: then the
    order judges it. A ``secret`` value is sealed when it is given: other sides see a commitment
    until it is revealed.
    """

    name: str
    meaning: str
    candidates: tuple[Atom, ...]
    other: Refusal | None = None
    secret: bool = False
    free: bool = False

    @cached_property
    def _kinds(self) -> set[tuple[type, frozenset[type]]]:
        return set(map(_kind, self.candidates))

    def unlike(self, value: Atom) -> bool:
        """Return whether a value is of another kind than all that are offered: a name where a place belongs."""
        kind, items = _kind(value)
        like = not self._kinds or any(kind is of and items <= held for of, held in self._kinds)
        return not like and value not in self.candidates


def _kind(value: Atom) -> tuple[type, frozenset[type]]:
    kind = Fraction if type(value) is int else type(value)
    return kind, frozenset(_kind(item)[0] for item in value) if isinstance(
        value, tuple
    ) else frozenset()


@attrs.frozen
class Form:
    """An order that may be given: a verb with its slots, the rule that allows it, in words, and what it does.

    Without a ``summary`` its words are those of the game's file of sentences (``[orders]``), by
    question and verb, or by verb; they are told of ``told``.

    ``does`` is what follows, or a function of the values of the slots by name. It answers a ``Refusal`` where the rules
    forbid the order now, else what follows: so the judge of an order and what carries it out are one. It reads only
    what the side may know that gives the order; what must read more, or throws dice, is a step that it pushes.
    """

    verb: str
    cite: str
    slots: tuple[Slot, ...] = ()
    does: Effect | Refusal | Callable[..., Effect | Refusal] = attrs.field(
        default=NOTHING, eq=False, repr=False
    )
    summary: str = ""
    told: Mapping[str, Any] = attrs.field(factory=dict, eq=False, repr=False)
    words: Sentences = attrs.field(factory=Sentences, eq=False, repr=False)

    def judge(self, order: Order) -> Effects | Refusal:
        """Return what an order of this form does, or why it is refused."""
        found = self._judged(order)
        return found.said(self.words) if isinstance(found, Refusal) else found

    def _judged(self, order: Order) -> Effects | Refusal:
        for slot in self.slots:
            value = order[slot.name]
            if not slot.free and value not in slot.candidates:
                among = ", ".join(map(str, slot.candidates)) or "nothing now"
                return slot.other or Refusal(
                    self.cite, f"{slot.name} is {slot.meaning}: {among}; not {value}"
                )
        odd = next((slot for slot in self.slots if slot.unlike(order[slot.name])), None)
        found: Effect | Refusal = NOTHING
        try:
            found = self.does(**dict(order.values)) if callable(self.does) else self.does
        except Exception:
            if odd is None:
                raise
        if odd is not None and not isinstance(found, Refusal):
            return Refusal(self.cite, f"{odd.name} is {odd.meaning}, not {order[odd.name]!r}")
        return found if isinstance(found, Refusal) else Effects(found)

    def first(self) -> Order | None:
        """Return the order with the first candidate of every slot; None where a slot has none."""
        values = next(product(*(slot.candidates for slot in self.slots)), None)
        names = [slot.name for slot in self.slots]
        return (
            None if values is None else Order.of(self.verb, **dict(zip(names, values, strict=True)))
        )


@attrs.frozen(eq=False, repr=False)
class Question(Generic[*Args]):
    """A question to a side: ``offers(view, *args)`` yields the forms of the orders that may answer it.

    ``doctrine(view, *args)`` is the part's own standard answer; without one it is the first order that is not refused,
    each with its first candidates. Of a ``secret`` question other sides learn nothing, not even that it is asked; of
    its answer, what events tell. ``cite`` is the rule by which it is asked and answered.
    """

    offers: Callable[[View, *Args], Iterable[Form]]
    doctrine: Callable[[View, *Args], Order] | None = None
    secret: bool = False
    cite: str = ""

    def judge(self, view: View, order: Order, *args: *Args) -> Effects | Refusal:
        """Return what an order does, or why it is refused.

        Raises ``ProcedureError`` for one that nobody offers.
        """
        for form in self.offers(view, *args):
            if form.verb == order.verb:
                return form.judge(order)
        raise ProcedureError(f"{order.verb!r} is no order here")

    def standard(self, view: View, *args: *Args) -> Order:
        """Return the standard answer.

        Raises ``ProcedureError`` where all on offer is refused: a dead end.
        """
        if self.doctrine is not None:
            return self.doctrine(view, *args)
        for form in self.offers(view, *args):
            order = form.first()
            if order is not None and not isinstance(form.judge(order), Refusal):
                return order
        raise ProcedureError("no order on offer may be given: a dead end")

    def carry_out(self, _chance: Chance, view: View, order: Order, *args: *Args) -> Effects:
        """Return what an answer does; raises ``ProcedureError`` for one that is refused."""
        found = self.judge(view, order, *args)
        if isinstance(found, Refusal):
            raise ProcedureError(f"the order {order} is refused: {found}")
        return found


def orders(
    *, cite: str, standard: Callable[..., Order] | None = None, secret: bool = False
) -> Callable[
    [Callable[Concatenate[S, View, P], Iterator[Form]]],
    Callable[Concatenate[S, View, P], Iterator[Form]],
]:
    """Mark a method ``(self, view, *args)`` of a part that yields the orders of a question, by the rule cited.

    Its name is the question's, and that of the step which carries the answer out. The standard
    answer is the first of these orders that is not refused, unless ``standard(self, view, *args)``
    says otherwise.
    """

    def mark(method: Callable[Concatenate[S, View, P], Iterator[Form]]) -> Any:
        method.__fireplan_question__ = cite, standard, secret  # type: ignore[attr-defined]
        return method

    return mark


def question_of(method: Any, name: str = "", words: Sentences | None = None) -> Question[Any]:
    """Return the question of a bound method that is marked with ``orders``, in the words of its game."""
    cite, standard, secret = method.__fireplan_question__
    spoken, known = words or Sentences(), dict[str, str]()

    def summary(form: Form) -> str:
        said = (
            spoken.plain("orders", key, form.told) for key in (f"{name}.{form.verb}", form.verb)
        )
        return next(filter(None, said), "")

    @wraps(method)
    def offers(view: View, *args: Any) -> Iterator[Form]:
        for form in method(view, *args):
            if not form.summary and (form.told or form.verb not in known):
                known[form.verb] = summary(form)
            yield attrs.evolve(form, summary=form.summary or known[form.verb], words=spoken)

    return Question(
        offers, None if standard is None else partial(standard, method.__self__), secret, cite
    )
