"""The legal orders at a position, and the outcomes of an order or a throw."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import attrs

from fireplan import analysis
from fireplan.questions.errors import InputError
from fireplan.questions.result import Block, Grid, Result, Text
from fireplan.table import Judging, LegalForm, Words, WordsError, judged
from fireplan_core import Ask, Event, Form, Order, Setup, Step
from fireplan_core.chance import Draw, Face, Throw
from fireplan_core.play import State, Table

MOST = 20_000
"""Maximum number of orders of one form that are judged individually."""
SHOWN = 12


@attrs.frozen(eq=False, repr=False)
class LegalOrders(Result):
    """Every legal order at a position; supports ``len`` and ``in``."""

    line: str
    who: str
    question: str
    forms: tuple[LegalForm, ...]

    def __getitem__(self, verb: str) -> LegalForm:
        """Return the form of a verb; raise ``KeyError`` if it is not offered."""
        return {form.verb: form for form in self.forms}[verb]

    def __iter__(self) -> Iterator[Order]:
        return (order for form in self.forms for order in form.orders)

    def __len__(self) -> int:
        return sum(len(form.orders) for form in self.forms)

    @property
    def complete(self) -> bool:
        """Return whether every legal order is listed."""
        return all(form.complete for form in self.forms)

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield the forms, each with its number of legal orders."""
        yield Text(f"{self.who} answers {self.question}: {len(self):,} legal orders", "bold")
        rows = []
        for form in self.forms:
            said = [form.words.order(order).partition(" ")[2] for order in form.orders]
            listed = "; ".join(filter(None, said[:SHOWN])) + (" ..." if len(said) > SHOWN else "")
            rows.append(
                (
                    form.verb,
                    f"{len(said):,}{'' if form.complete else ' or more'}",
                    listed,
                    form.cite,
                )
            )
        yield Grid(("order", "legal", "with", "rule"), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return every form with its legal orders, as the user would type them."""
        forms = [
            {
                "verb": form.verb,
                "cite": form.cite,
                "complete": form.complete,
                "orders": [*map(form.words.order, form.orders)],
            }
            for form in self.forms
        ]
        return {"position": self.line, "who": self.who, "question": self.question, "forms": forms}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each order."""
        return [
            {"verb": form.verb, "order": form.words.order(order), "cite": form.cite}
            for form in self.forms
            for order in form.orders
        ]


@attrs.define
class _Judged:
    """The latest legal orders for a question, with the values that were read to judge them."""

    reads: dict[tuple[str, Any], Any] | None = None
    forms: tuple[LegalForm, ...] = ()


@lru_cache(maxsize=32)
def _last(_scenario: Setup, _ask: Ask, _most: int) -> _Judged:
    return _Judged()


def legal_orders(line: str, table: Table, ask: Ask, most: int) -> LegalOrders:
    """Return the legal orders for a table's pending question.

    A form with more than ``most`` orders lists only the orders offered. The previous result is
    reused unless a value that it depends on has changed.
    """
    last, values = _last(table.scenario, ask, most), table.state.values
    if last.reads is None or any(values.get(*key) != value for key, value in last.reads.items()):
        view = Judging(table, ask.question.partition(".")[0])
        last.forms, last.reads = tuple(judged(table, ask, view, most)), view.reads
    return LegalOrders(line, ask.who, ask.question, last.forms)


def read_order(table: Table, ask: Ask, said: str | Order) -> Order:
    """Parse a typed order such as ``correct at=K5``; raise ``InputError`` if it is malformed."""
    if isinstance(said, Order):
        return said
    forms: tuple[Form, ...] = tuple(table.rulebook.forms(ask, table.read))
    try:
        return Words(table.scenario).read_order(said, forms)
    except WordsError as error:
        raise InputError(str(error)) from error


# --- outcomes -------------------------------------------------------------------------
@attrs.frozen(eq=False, repr=False)
class OutcomeRow:
    """One result: its chance, the dice that produce it, its effects, and the resulting position.

    ``dice`` is empty if many dice are read together, as in volleys.
    """

    chance: Fraction
    dice: tuple[tuple[Face, ...], ...]
    events: tuple[Event, ...]
    position: Any
    told: str


@attrs.frozen(eq=False, repr=False)
class OutcomesResult(Result):
    """Every result of an order and its throw; iterating yields the rows."""

    line: str
    roll: str
    results: tuple[OutcomeRow, ...]

    def __iter__(self) -> Iterator[OutcomeRow]:
        """Yield the results, most probable first."""
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield a table of every result with its chance and dice."""
        yield Text(f"{self.line}: {f'the throw {self.roll}' if self.roll else 'no throw'}", "bold")
        rows = []
        for one in self.results:
            dice = "; ".join(" ".join(map(str, faces)) for faces in one.dice)
            rows.append((analysis.percent(one.chance), str(one.chance), dice, one.told))
        yield Grid(("chance", "exactly", "dice", "what follows"), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return every result as plain data; chances are rationals as strings."""
        return {"position": self.line, "roll": self.roll, "results": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each result."""
        return [
            {
                "chance": str(one.chance),
                "dice": [*map(list, one.dice)],
                "events": one.told,
                "position": str(one.position),
            }
            for one in self.results
        ]


def outcomes_of(
    line: str, table: Table, faces: tuple[Face, ...], standing: Callable[[State], Any]
) -> OutcomesResult:
    """Return every result of the pending throw, or the single result if none is pending.

    ``faces`` contains the dice of that throw that have already fallen; ``standing`` converts a
    state into a position.
    """
    words, before = Words(table.scenario), tuple(entry.event for entry in table.log)
    waits = table.waits_for
    if waits is None or isinstance(waits, Ask):
        return OutcomesResult(
            line, "", (_row(Fraction(1), (), before, standing(table.state), words),)
        )
    found: list[OutcomeRow] = []
    top = table.state.agenda[0]
    assert isinstance(top, Step)  # noqa: S101 - a question would wait for an order
    for _, total, outcome, chance in table.rulebook.branches(top, table.read):
        left = () if chance.roll is None else chance.roll.left
        fits = [(way, weight) for way, weight in left if way[: len(faces)] == faces]
        if not fits:
            continue
        agenda = (*outcome.pushes, *table.state.agenda[1:])
        after = Table(
            table.scenario, table.moments, State(table.state.values.put(outcome.updates), agenda)
        )
        events = (*before, *outcome.events, *(entry.event for entry in after.log))
        ways = tuple(way for way, _ in fits) if isinstance(waits, Throw | Draw) else ()
        share = Fraction(sum(weight for _, weight in fits), total)
        found.append(_row(share, ways, events, standing(after.state), words))
    whole = sum(one.chance for one in found)
    results = (attrs.evolve(one, chance=one.chance / whole) for one in found)
    return OutcomesResult(line, waits.name, tuple(sorted(results, key=lambda one: -one.chance)))


def _row(
    chance: Fraction,
    dice: tuple[tuple[Face, ...], ...],
    events: tuple[Event, ...],
    position: Any,
    words: Words,
) -> OutcomeRow:
    return OutcomeRow(
        chance, dice, events, position, "; ".join(words.ruling(event) for event in events)
    )
