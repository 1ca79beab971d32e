"""Open decisions: the orders that a side may choose from, and beliefs about others' answers.

Orders come from the forms of the questions; the games' own rules decide which are legal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

import attrs

from fireplan.solver import Compiler, StepRow, StepRows, TooLargeError
from fireplan_core import Ask, Form, Order, Pending, ProcedureError, Refusal, Scenario, View
from fireplan_core.play import Doctrine
from fireplan_core.record import Read
from fireplan_core.space import label_of

MOST_ORDERS = 20_000
"""Maximum number of candidate orders to one question."""
TARGET = "target"
"""The word in a pattern for the place where this mission's fire is wanted."""
JUDGED = 10
"""Cost of checking one candidate order, as a number of reads by rules.

Some questions have tens of thousands of candidates.
"""
Legal = Callable[[], Iterator[Order]]
"""A function that yields every legal order of a situation, the standard order first."""
Chooser = Callable[[Ask, Read, Legal], Iterable[Order]]
"""A function that yields orders for a situation; the first legal order is given.

If none is legal, the standard order is given.
"""


@attrs.frozen
class Pattern:
    """A pattern of orders: a verb (``*`` for any), and the text that each named slot must have."""

    verb: str
    slots: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Pattern:
        """Parse ``VERB SLOT=VALUE SLOT=VALUE``; raise ``ValueError`` for any other form."""
        verb, *slots = text.split()
        pairs = [slot.partition("=") for slot in slots]
        if any(not equals or not name or not value for name, equals, value in pairs):
            raise ValueError(f"{text!r}: expected VERB or VERB SLOT=VALUE")
        return cls(verb, tuple((name, value) for name, _, value in pairs))

    def fits(self, order: Order, reads: Callable[[Any], frozenset[str]]) -> bool:
        """Return whether an order fits the pattern.

        ``reads(value)`` returns the texts that stand for the value of a slot.
        """
        if self.verb not in ("*", order.verb):
            return False
        values = dict(order.values)
        return all(name in values and text in reads(values[name]) for name, text in self.slots)

    def __str__(self) -> str:
        """Return the pattern in the form that ``parse`` reads."""
        return " ".join([self.verb, *(f"{name}={text}" for name, text in self.slots)])


@attrs.frozen
class OpenDecisions:
    """The decisions of one side that are optimised, and beliefs about the answers of others.

    If ``only`` names questions, these are open, for orders that fit one of their patterns (any
    order if they have none), and other questions keep their standard answer; otherwise all
    questions of the side are open. ``also`` maps (question, slot) to values that are candidates
    besides those that the game offers. The standard order is always a candidate too.

    ``belief`` gives weights of patterns for questions that others answer (the other side, the
    referee). Each time such a question comes up, its answer is drawn again with these chances.

    The questions in ``keep`` always keep their standard answer. In the questions in ``aimed``,
    orders may name only the places where the mission's fire is wanted and the places of the
    standard order. ``named`` maps (question, slot) to the only values that the slot may have,
    instead of those that the game offers. If there are choosers in ``proposed``, only the order
    that each of them would give is a candidate besides the standard order.
    """

    side: str
    only: Mapping[str, tuple[Pattern, ...]] = attrs.field(factory=dict)
    also: Mapping[tuple[str, str], tuple[Any, ...]] = attrs.field(factory=dict)
    belief: Mapping[str, tuple[tuple[Pattern, int], ...]] = attrs.field(factory=dict)
    keep: frozenset[str] = frozenset()
    aimed: frozenset[str] = frozenset()
    named: Mapping[tuple[str, str], tuple[Any, ...]] = attrs.field(factory=dict)
    proposed: tuple[Chooser, ...] = ()

    def opens(self, ask: Ask) -> bool:
        """Return whether the side chooses the answer to a question."""
        return (
            ask.who == self.side
            and ask.question not in self.keep
            and (not self.only or ask.question in self.only)
        )


class OpenCompiler(Compiler):
    """A compiler in which an open question branches into its orders, the standard order first.

    The weights of such rows count orders and are not chances.
    """

    def __init__(
        self, scenario: Scenario, open_decisions: OpenDecisions, doctrine: Doctrine | None = None
    ) -> None:
        super().__init__(scenario, doctrine)
        self.open_decisions = open_decisions
        self.offered: dict[str, dict[str, None]] = {}
        """The verbs that each open question has offered so far."""
        self.plain: set[tuple[str, str]] = set()
        """Pairs of a question and a verb offered so far whose orders have no values."""
        self.single: dict[str, Order] = {}
        """The order that places one item, by question whose standard order places several."""
        self.usual: set[tuple[str, str]] = set()
        """Pairs of a question and a verb that the standard doctrine has given so far."""
        self.fitted: set[tuple[str, Pattern]] = set()
        """Pairs of a question and a pattern that some legal order has matched so far."""

    def is_open(self, pending: Pending) -> bool:
        """Return whether this is a question whose answer the side chooses."""
        return isinstance(pending, Ask) and self.open_decisions.opens(pending)

    def orders(self, ask: Ask, get: Read) -> tuple[Order, ...]:
        """Return the orders of an open question, in the order of its rows."""
        return tuple(order_of(row) for row in self.rows(ask, get).rows)

    def _outcomes(self, pending: Pending, read: Read) -> StepRows:
        if isinstance(pending, Ask):
            believed = self.open_decisions.belief.get(pending.question)
            if self.open_decisions.opens(pending):
                standard, *others = self._open(pending, read)
                # A distinct weight marks the standard order, even where situations are merged.
                return self._answers(pending, {standard: 2} | dict.fromkeys(others, 1), read)
            if believed:
                return self._answers(pending, self._believed(pending, believed, read), read)
        return super()._outcomes(pending, read)

    def _open(self, ask: Ask, read: Read) -> tuple[Order, ...]:
        """Return the standard order, then every legal order that fits one of the patterns.

        Without patterns for the question, every legal order is returned. If orders are proposed,
        the others are left out.
        """
        standard = self._standard(ask, read)
        if self.open_decisions.proposed:
            chosen = [
                self.first_legal(chooser, ask, read, standard)
                for chooser in self.open_decisions.proposed
            ]
            return tuple(dict.fromkeys((standard, *chosen)))
        patterns = self.open_decisions.only.get(ask.question, ())
        reads = self._reads(ask, read)
        orders = {standard: None}
        for order in (standard, *self._legal(ask, read, standard)):
            fitting = [
                (ask.question, pattern) for pattern in patterns if pattern.fits(order, reads)
            ]
            self.fitted.update(fitting)
            if fitting or not patterns:
                orders[order] = None
        return tuple(orders)

    def first_legal(self, chooser: Chooser, ask: Ask, read: Read, standard: Order) -> Order:
        """Return the first of the chooser's orders that is legal, or else the standard order."""

        def legal() -> Iterator[Order]:
            yield standard
            yield from self._legal(ask, read, standard)

        orders = chooser(ask, read, legal)
        is_legal = (order for order in orders if self.rulebook.refuse(ask, order, read) is None)
        return next(is_legal, standard)

    def _legal(self, ask: Ask, read: Read, standard: Order) -> Iterator[Order]:
        """Yield every candidate of every form that is legal.

        Raises ``TooLargeError`` for a form with more than ``MOST_ORDERS`` candidates.
        """
        view = self.rulebook.view(ask, read)
        for form in self.rulebook.forms(ask, read):
            self.note_offered(ask, form)
            for order in self._candidates(view, ask, form, standard):
                self.reads += JUDGED
                if not isinstance(form.judge(order), Refusal):
                    yield order

    def note_offered(self, ask: Ask, form: Form) -> None:
        """Record that a question has offered a form."""
        self.offered.setdefault(ask.question, {})[form.verb] = None
        if not form.slots:
            self.plain.add((ask.question, form.verb))

    def _candidates(self, view: View, ask: Ask, form: Form, standard: Order) -> Iterator[Order]:
        also, named_only = self.open_decisions.also, self.open_decisions.named
        keys = [(ask.question, slot.name) for slot in form.slots]
        domains = [
            tuple(dict.fromkeys((*named_only.get(key, slot.candidates), *also.get(key, ()))))
            for slot, key in zip(form.slots, keys, strict=True)
        ]
        if ask.question in self.open_decisions.aimed:
            named = {*target_aims(view, ask), *(value for _, value in standard.values)}
            domains = [
                tuple(
                    value
                    for value in domain
                    if value in named or label_of(view.frame, value) is None
                )
                for domain in domains
            ]
        count = prod(len(domain) for domain in domains)
        if count > MOST_ORDERS:
            raise TooLargeError(f"{count:,} candidate orders to {ask.question} ({form.verb})")
        names = [slot.name for slot in form.slots]
        for values in product(*domains):
            yield Order.of(form.verb, **dict(zip(names, values, strict=True)))

    def _believed(
        self, ask: Ask, weights: tuple[tuple[Pattern, int], ...], read: Read
    ) -> dict[Order, int]:
        reads = self._reads(ask, read)
        standard = self._standard(ask, read)
        legal = list(dict.fromkeys((standard, *self._legal(ask, read, standard))))
        order_weights: dict[Order, int] = {}
        for pattern, weight in weights:
            order = next((order for order in legal if pattern.fits(order, reads)), None)
            if order is None:
                raise ProcedureError(
                    f"a belief about {ask.question}: {str(pattern)!r} fits no legal order; "
                    f"the legal orders are {', '.join(map(str, legal[:8]))}"
                )
            if weight:
                order_weights[order] = order_weights.get(order, 0) + weight
        return order_weights

    def _reads(self, ask: Ask, read: Read) -> Callable[[Any], frozenset[str]]:
        """Return a function from a value to its texts: as written, its label, and ``target``.

        A value without a label has none; ``target`` is only among the texts of a value that aims at
        the target.
        """
        view = self.rulebook.view(ask, read)
        aims = target_aims(view, ask)

        def reads(value: Any) -> frozenset[str]:
            texts = {str(value)}
            label = label_of(view.frame, value)
            if label is not None:
                texts.add(label)
            if value in aims:
                texts.add(TARGET)
            return frozenset(texts)

        return reads


def order_of(row: StepRow) -> Order:
    """Return the order that a row of a question carries out."""
    order = row.outcome.pushes[0].args[0]
    assert isinstance(order, Order)  # noqa: S101 - a question's row pushes a step with its order
    return order


def mission_of(view: View, ask: Ask) -> str | None:
    """Return the mission that a question is about, or None if its arguments name no mission."""
    return next(
        (str(arg) for arg in ask.args if isinstance(arg, str) and arg in view.scenario.missions),
        None,
    )


def target_aims(view: View, ask: Ask) -> tuple[Any, ...]:
    """Return a tuple with the first aim that covers the place where a mission's fire is wanted.

    It is empty if there is no such aim, or if the question is not about a mission.
    """
    mission = mission_of(view, ask)
    if mission is None:
        return ()
    return tuple(view.aim_at(view.scenario.missions[mission].target)[:1])
