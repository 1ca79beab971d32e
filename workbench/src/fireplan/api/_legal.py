"""What may be ordered at a position: every legal order, for orders with a place every legal place."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import attrs

from fireplan.api._errors import InputError
from fireplan.api._result import Block, Grid, Result, Text
from fireplan.table import Judging, LegalForm, Words, WordsError, judged
from fireplan_core import Ask, Form, Order, Setup
from fireplan_core.play import Table

MOST = 20_000
"""Orders of one form that are judged one by one."""
SHOWN = 12


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
        view = Judging(table, ask.question.partition(".")[0])
        last.forms, last.reads = tuple(judged(table, ask, view, most)), view.reads
    return LegalOrders(line, ask.who, ask.question, last.forms)


def read_order(table: Table, ask: Ask, said: str | Order) -> Order:
    """Return an order that is typed, ``correct at=K5``; raises ``InputError`` for words that are none."""
    if isinstance(said, Order):
        return said
    forms: tuple[Form, ...] = tuple(table.rulebook.forms(ask, table.read))
    try:
        return Words(table.scenario).read_order(said, forms)
    except WordsError as error:
        raise InputError(str(error)) from error
