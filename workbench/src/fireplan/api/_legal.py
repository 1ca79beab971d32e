"""What may be ordered at a position: every legal order, for orders with a place every legal place."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

import attrs

from fireplan.api._errors import InputError
from fireplan.api._result import Block, Grid, Result, Text
from fireplan.table import Words, WordsError
from fireplan_core import Ask, Form, Order, Refusal, Setup, Slot, View
from fireplan_core.mission import Sight
from fireplan_core.play import Table
from fireplan_core.record import Place
from fireplan_core.space import Frame

MOST = 20_000
"""Orders of one form that are judged one by one."""
SHOWN = 12


class _Judging(View):
    """A view of a state that is asked many times: what is seen of a place is looked up once, what is read is noted."""

    __slots__ = ("_sights", "reads")

    def __init__(self, table: Table, word: str) -> None:
        values, reads = table.state.values, dict[tuple[str, Any], Any]()

        def read(key: str, default: Any) -> Any:
            if (key, default) not in reads:
                reads[key, default] = values.get(key, default)
            return reads[key, default]

        super().__init__(read, table.scenario, word)
        self.reads = reads
        self._sights: dict[tuple[str, Place], Sight] = {}

    def sees(self, mission: str, place: Place) -> Sight:
        """Return what the mission's observer sees of a place."""
        key = mission, place
        if key not in self._sights:
            self._sights[key] = super().sees(mission, place)
        return self._sights[key]


@attrs.frozen(eq=False, repr=False)
class LegalForm:
    """A form of order and all its legal orders; not ``complete`` where only values worth offering were judged."""

    verb: str
    cite: str
    summary: str
    orders: tuple[Order, ...]
    complete: bool
    words: Words

    def values(self, slot: str) -> frozenset[Any]:
        """Return every value of a slot that some legal order has; places as they are labelled."""
        return frozenset(self.words.value(order[slot], slot) for order in self.orders)


@attrs.frozen(eq=False, repr=False)
class LegalOrders(Result):
    """Every order that would be taken at a position; ``len`` and ``in`` work on them."""

    line: str
    who: str
    question: str
    forms: tuple[LegalForm, ...]

    def __getitem__(self, verb: str) -> LegalForm:
        """The form of a verb; KeyError for one that is not on offer."""
        return {form.verb: form for form in self.forms}[verb]

    def __iter__(self) -> Iterator[Order]:
        """Yield every legal order."""
        return (order for form in self.forms for order in form.orders)

    def __len__(self) -> int:
        """Return how many there are."""
        return sum(len(form.orders) for form in self.forms)

    @property
    def complete(self) -> bool:
        """Return whether nothing legal can be missing."""
        return all(form.complete for form in self.forms)

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield the forms, each with how many orders are legal."""
        yield Text(f"{self.who} answers {self.question}: {len(self):,} legal orders", "bold")
        rows = []
        for form in self.forms:
            said = [form.words.order(order).partition(" ")[2] for order in form.orders]
            listed = "; ".join(filter(None, said[:SHOWN])) + (" ..." if len(said) > SHOWN else "")
            rows.append((form.verb, f"{len(said):,}{'' if form.complete else ' or more'}", listed, form.cite))
        yield Grid(("order", "legal", "with", "rule"), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return every form with its legal orders, as they are typed."""
        forms = [
            {"verb": form.verb, "cite": form.cite, "complete": form.complete,
             "orders": [*map(form.words.order, form.orders)]}
            for form in self.forms
        ]  # fmt: skip
        return {"position": self.line, "who": self.who, "question": self.question, "forms": forms}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each order."""
        return [
            {"verb": form.verb, "order": form.words.order(order), "cite": form.cite}
            for form in self.forms
            for order in form.orders
        ]


@attrs.define
class _Judged:
    """The answer to a question when it was last judged, with everything that was read for it."""

    reads: dict[tuple[str, Any], Any] | None = None
    forms: tuple[LegalForm, ...] = ()


@lru_cache(maxsize=32)
def _last(_scenario: Setup, _ask: Ask, _most: int) -> _Judged:
    return _Judged()


def legal_orders(line: str, table: Table, ask: Ask, most: int) -> LegalOrders:
    """Return all legal orders of a question that a table waits for; of a form with more than ``most`` those offered.

    The same question is judged anew only where something that its answer rests on has changed.
    """
    last, values = _last(table.scenario, ask, most), table.state.values
    if last.reads is None or any(values.get(*key) != value for key, value in last.reads.items()):
        view = _Judging(table, ask.question.partition(".")[0])
        last.forms, last.reads = tuple(_judged(table, ask, view, most)), view.reads
    return LegalOrders(line, ask.who, ask.question, last.forms)


def _judged(table: Table, ask: Ask, view: View, most: int) -> Iterator[LegalForm]:
    """Yield each form of the question with its legal orders."""
    question, words = table.rulebook.question(ask), Words(table.scenario)
    for form in question.offers(view, *ask.args):
        names = [slot.name for slot in form.slots]
        domains = [_domain(table.scenario.frame, slot) for slot in form.slots]
        complete = all(whole for _, whole in domains) and prod(len(values) for values, _ in domains) <= most
        tried = product(*([values for values, _ in domains] if complete else [slot.candidates for slot in form.slots]))
        orders = (Order.of(form.verb, **dict(zip(names, values, strict=True))) for values in tried)
        legal = tuple(order for order in orders if not isinstance(form.judge(order), Refusal))
        yield LegalForm(form.verb, form.cite, form.summary, legal, complete, words)


def _domain(frame: Frame, slot: Slot) -> tuple[tuple[Any, ...], bool]:
    """Return the values of a slot that may be legal, and whether these are all: of a place the places of the map.

    Values made of several, such as the units of a mass, may be put together otherwise where the slot is free.
    """
    one_each = {len(value): value for value in slot.candidates if isinstance(value, tuple)}.values()
    kinds = {kind for value in one_each if (kind := _kind_of_place(frame, value))}
    if not kinds:
        return slot.candidates, not (slot.free and one_each)
    places = tuple(place for place in frame.places() if len(place) in kinds)
    return tuple(dict.fromkeys((*places, *slot.candidates))), bool(places)


def _kind_of_place(frame: Frame, value: Any) -> int:
    """Return of how many parts a place is made, two of a hex or point, three of a corner; 0 for what is none."""
    if not isinstance(value, tuple) or not value:
        return 0
    try:
        return len(value) if frame.parse(frame.label(value)) == value else 0
    except (ValueError, TypeError, AttributeError):
        return 0


def read_order(table: Table, ask: Ask, said: str | Order) -> Order:
    """Return an order that is typed, ``correct at=K5``; raises ``InputError`` for words that are none."""
    if isinstance(said, Order):
        return said
    forms: tuple[Form, ...] = tuple(table.rulebook.forms(ask, table.read))
    try:
        return Words(table.scenario).read_order(said, forms)
    except WordsError as error:
        raise InputError(str(error)) from error
