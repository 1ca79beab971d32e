"""Questions to a side or the referee, and the forms of the orders that may answer them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial, wraps
from itertools import product
from operator import ne
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, TypeVarTuple

import attrs

from fireplan_core.chance import Chance
from fireplan_core.record import Atom, ProcedureError
from fireplan_core.sentences import Sentences
from fireplan_core.steps.effects import NOTHING, Effects
from fireplan_core.steps.view import View

S = TypeVar("S")
P = ParamSpec("P")
Args = TypeVarTuple("Args")


@attrs.frozen
class Order:
    """An order: a verb with named values, e.g. ``Order.of("correct", aim=(3, 4))``.

    >>> Order.of("correct", at="K5")
    Order(verb='correct', values=(('at', 'K5'),))
    """

    verb: str
    values: tuple[tuple[str, Atom], ...] = ()

    @classmethod
    def of(cls, verb: str, /, **values: Atom) -> Order:
        """Return the order with this verb and a value for each slot."""
        return cls(verb, tuple(sorted(values.items())))

    def __getitem__(self, name: str) -> Any:
        """Return the value of a slot; raises KeyError if the order has no such slot."""
        for key, value in self.values:
            if key == name:
                return value
        raise KeyError(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a slot, or the default if the order has no such slot."""
        return dict(self.values).get(name, default)

    def __str__(self) -> str:
        """Return the order with its values as Python prints them, e.g. ``correct aim=(3, 4)``."""
        return " ".join([self.verb, *(f"{key}={value}" for key, value in self.values)])


@attrs.frozen
class Refusal:
    """The refusal of an order: the rule cited, a sentence, and the part that refuses.

    ``why`` may be a key of the game's ``[refusals]`` sentences, which ``fields`` fill in; see
    ``of``.

    >>> str(Refusal("3.2", "the guns are out of range"))
    'the guns are out of range [3.2]'
    """

    cite: str
    why: str
    by: str = ""
    fields: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, cite: str, key: str, /, **fields: Any) -> Refusal:
        """Return a refusal that uses the sentence for ``key`` in the game's ``[refusals]``."""
        return cls(cite, key, fields=tuple(fields.items()))

    def said(self, words: Sentences) -> Refusal:
        """Return the refusal, with its key replaced with the game's sentence for it.

        A refusal without such a sentence is returned unchanged.
        """
        text = words.plain("refusals", self.why, dict(self.fields))
        return self if text is None else Refusal(self.cite, text, self.by)

    def __str__(self) -> str:
        return f"{self.why} [{self.cite}]"


@attrs.frozen
class Slot:
    """A value that an order form asks for: its name, its meaning and the candidates offered.

    Any other value is refused, with the refusal ``other`` if it is set. If the slot is ``free``,
    the form's ``does`` judges other values instead. A ``secret`` value is sealed: other sides see
    only a commitment until it is revealed. ``remarks`` has pairs of a candidate and words to print
    after it, such as ``(place, "eliminates I-77")``.

    >>> at = Slot("at", "the aim point", ("K5", "K6"))
    >>> str(Form("fire", "3.1", (at,)).first())
    'fire at=K5'
    """

    name: str
    meaning: str
    candidates: tuple[Any, ...]
    other: Refusal | None = None
    secret: bool = False
    free: bool = False
    remarks: tuple[tuple[Any, str], ...] = ()

    @property
    def single(self) -> bool:
        """True if only one value is possible, which need not be typed."""
        return len(self.candidates) == 1 and not self.free

    @cached_property
    def _kinds(self) -> set[tuple[type, frozenset[type]]]:
        return set(map(_kind, self.candidates))

    def unlike(self, value: Atom) -> bool:
        """Return whether a value differs in type from all candidates, e.g. a name from places."""
        if value in self.candidates:
            return False
        kind, items = _kind(value)
        return bool(self._kinds) and not any(
            kind is of and items <= item_kinds for of, item_kinds in self._kinds
        )


def _kind(value: Atom) -> tuple[type, frozenset[type]]:
    kind = Fraction if type(value) is int else type(value)
    if isinstance(value, tuple):
        return kind, frozenset(_kind(item)[0] for item in value)
    return kind, frozenset()


@attrs.frozen
class Form:
    """The form of an order that may be given: a verb with its slots, and its effects.

    Without a ``summary``, the form is described by the game's ``[orders]`` sentence for the
    question and verb, or for the verb alone, filled in with ``fields``.

    ``does`` is the effects, or a function that receives the slots' values by name. The function
    returns the effects, or a ``Refusal`` if the rules forbid the order now. It may read only facts
    that the ordering side knows; to read more or to throw dice, it must push a step.

    A form is ``elsewhere`` if it only records an event outside the table, such as the loss of an
    observer in the rest of the battle; such an order is never recommended.

    >>> fire = Form("fire", "3.1", (Slot("at", "the aim point", ("K5", "K6")),))
    >>> str(fire.judge(Order.of("fire", at="Z9")))
    'at is the aim point: K5, K6; not Z9 [3.1]'
    """

    verb: str
    cite: str
    slots: tuple[Slot, ...] = ()
    does: attrs.AttrsInstance | Callable[..., attrs.AttrsInstance] = attrs.field(
        default=NOTHING, eq=False, repr=False
    )
    summary: str = ""
    fields: Mapping[str, Any] = attrs.field(factory=dict, eq=False, repr=False)
    elsewhere: bool = False
    words: Sentences = attrs.field(factory=Sentences, eq=False, repr=False)

    def judge(self, order: Order) -> Effects | Refusal:
        """Return the effects of an order in this form, or its refusal."""
        verdict = self._judged(order)
        return verdict.said(self.words) if isinstance(verdict, Refusal) else verdict

    def _judged(self, order: Order) -> Effects | Refusal:
        for slot in self.slots:
            value = order[slot.name]
            if not slot.free and value not in slot.candidates:
                among = ", ".join(map(str, slot.candidates)) or "none now"
                return slot.other or Refusal(
                    self.cite, f"{slot.name} is {slot.meaning}: {among}; not {value}"
                )
        mistyped = next((slot for slot in self.slots if slot.unlike(order[slot.name])), None)
        verdict: attrs.AttrsInstance = NOTHING
        try:
            verdict = self.does(**dict(order.values)) if callable(self.does) else self.does
        except Exception:
            if mistyped is None:
                raise
        if mistyped is not None and not isinstance(verdict, Refusal):
            return Refusal(
                self.cite, f"{mistyped.name} is {mistyped.meaning}, not {order[mistyped.name]!r}"
            )
        return verdict if isinstance(verdict, Refusal) else Effects(verdict)

    def order(self, values: Iterable[Atom]) -> Order:
        """Return the order with these values, one for each slot and in the order of the slots."""
        names = (slot.name for slot in self.slots)
        return Order.of(self.verb, **dict(zip(names, values, strict=True)))

    def orders(self, like: Order | None = None) -> Iterator[Order]:
        """Yield the order for each combination of candidates; ``like``'s values are tried first."""

        def domain(slot: Slot) -> Sequence[Any]:
            if like is None:
                return slot.candidates
            return sorted(slot.candidates, key=partial(ne, like.get(slot.name)))

        return map(self.order, product(*map(domain, self.slots)))

    def first(self) -> Order | None:
        """Return the order with the first candidate in every slot, or None if a slot has none."""
        return next(self.orders(), None)


def form_of(verb: str, forms: Iterable[Form]) -> Form | None:
    """Return the form with this verb, or None if it is not among these."""
    return next((form for form in forms if form.verb == verb), None)


@attrs.frozen(eq=False, repr=False)
class OrderQuestion(Generic[*Args]):
    """A question to a side: ``offers(view, *args)`` yields the forms of its orders.

    ``doctrine(view, *args)`` returns the part's standard answer. Without it, the standard answer is
    the first order on offer, with its first candidates, that is not refused. If the question is
    ``secret``, other sides do not learn that it is asked, and see only the events that its answer
    causes. ``cite`` names the rule. If it is ``solver_only``, no player meets it: it is asked only
    in setups that bound the best orders (``Areas.relaxed``).
    """

    offers: Callable[[View, *Args], Iterable[Form]]
    doctrine: Callable[[View, *Args], Order] | None = None
    secret: bool = False
    cite: str = ""
    solver_only: bool = False

    def judge(self, view: View, order: Order, *args: *Args) -> Effects | Refusal:
        """Return the effects of an order, or its refusal.

        Raises ``ProcedureError`` for a verb that is not on offer.
        """
        verbs: dict[str, None] = {}
        for form in self.offers(view, *args):
            if form.verb == order.verb:
                return form.judge(order)
            verbs[form.verb] = None
        raise ProcedureError(f"{order.verb!r} is not an order here; possible: {', '.join(verbs)}")

    def standard(self, view: View, *args: *Args) -> Order:
        """Return the order that is the standard answer.

        Raises ``ProcedureError`` if every order on offer is refused.
        """
        if self.doctrine is not None:
            return self.doctrine(view, *args)
        for form in self.offers(view, *args):
            order = form.first()
            if order is not None and not isinstance(form.judge(order), Refusal):
                return order
        raise ProcedureError("every order on offer is refused: a dead end")

    def carry_out(self, _chance: Chance, view: View, order: Order, *args: *Args) -> Effects:
        """Return the effects of an answer; raises ``ProcedureError`` if it is refused."""
        verdict = self.judge(view, order, *args)
        if isinstance(verdict, Refusal):
            raise ProcedureError(f"the order {order} is refused: {verdict}")
        return verdict


def orders(
    *,
    cite: str,
    standard: Callable[..., Order] | None = None,
    secret: bool = False,
    solver_only: bool = False,
) -> Callable[
    [Callable[Concatenate[S, View, P], Iterator[Form]]],
    Callable[Concatenate[S, View, P], Iterator[Form]],
]:
    """Mark a method ``(self, view, *args)`` of a part as a question.

    The method yields the forms of the orders. Its name is also the name of the question and of the
    step that carries out the answer. The standard answer comes from ``standard(self, view, *args)``
    or, without it, is the first order that is not refused. Lists of a game's decisions leave out a
    question that is ``solver_only``.

    >>> class Flare(Requests):
    ...     @orders(cite="1", secret=True)
    ...     def call(self, view, mission):
    ...         yield Form("fire", "1", summary="send up a flare")
    >>> Flare("my_game", {}, {}).questions()["requests.call"].secret
    True
    """

    def mark(method: Callable[Concatenate[S, View, P], Iterator[Form]]) -> Any:
        method.__fireplan_question__ = cite, standard, secret, solver_only  # type: ignore[attr-defined]
        return method

    return mark


def question_of(method: Any, name: str, words: Sentences | None) -> OrderQuestion[Any]:
    """Return the question called ``name`` for a bound method marked with ``orders``.

    ``words`` are the game's sentences, from which the forms take their summaries.
    """
    cite, standard, secret, solver_only = method.__fireplan_question__
    sentences, summaries = words or Sentences(), dict[str, str]()

    def summary(form: Form) -> str:
        texts = (
            sentences.plain("orders", key, form.fields)
            for key in (f"{name}.{form.verb}", form.verb)
        )
        return next(filter(None, texts), "")

    @wraps(method)
    def offers(view: View, *args: Any) -> Iterator[Form]:
        for form in method(view, *args):
            if not form.summary and (form.fields or form.verb not in summaries):
                summaries[form.verb] = summary(form)
            yield attrs.evolve(form, summary=form.summary or summaries[form.verb], words=sentences)

    doctrine = None if standard is None else partial(standard, method.__self__)
    return OrderQuestion(offers, doctrine, secret, cite, solver_only)
