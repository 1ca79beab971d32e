"""The legal orders at a position, and the outcomes of an order or a throw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

import attrs

from fireplan import analysis
from fireplan.errors import InputError
from fireplan.questions.asked_position import AskedPosition
from fireplan.questions.opening import LONGEST
from fireplan.questions.refusing import refusing
from fireplan.questions.result import Block, Grid, Result, Text
from fireplan.table import Judging, LegalForm, Words, judged
from fireplan_core import Ask, Event, Form, Order, Setup, Step
from fireplan_core.chance import Draw, Face, Throw
from fireplan_core.play import Answered, State, Table, Thrown

P = TypeVar("P", bound=AskedPosition)

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
            arguments = [form.words.order(order).partition(" ")[2] for order in form.orders]
            listed = "; ".join(filter(None, arguments[:SHOWN])) + (
                " ..." if len(arguments) > SHOWN else ""
            )
            rows.append(
                (
                    form.verb,
                    f"{len(arguments):,}{'' if form.complete else ' or more'}",
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
        """Return a dict for each legal order: ``verb``, ``order`` in words, and ``cite``."""
        return [
            {"verb": form.verb, "order": form.words.order(order), "cite": form.cite}
            for form in self.forms
            for order in form.orders
        ]


@attrs.define
class _Judged:
    """The legal orders last listed for a question, with the values that were read to judge them."""

    reads: dict[tuple[str, Any], Any] | None = None
    forms: tuple[LegalForm, ...] = ()


@lru_cache(maxsize=32)
def _last(_scenario: Setup, _ask: Ask, _most: int) -> _Judged:
    return _Judged()


def read_order(table: Table, ask: Ask, typed: str | Order) -> Order:
    """Parse a typed order such as ``correct at=K5``; raise ``InputError`` if it is malformed."""
    if isinstance(typed, Order):
        return typed
    forms: tuple[Form, ...] = tuple(table.rulebook.forms(ask, table.read))
    return Words(table.scenario).read_order(typed, forms)


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
    text: str


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
        for result in self.results:
            dice = "; ".join(" ".join(map(str, faces)) for faces in result.dice)
            rows.append((analysis.percent(result.chance), str(result.chance), dice, result.text))
        yield Grid(("chance", "exactly", "dice", "what follows"), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return every result as plain data; chances are rationals as strings."""
        return {"position": self.line, "roll": self.roll, "results": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each result."""
        return [
            {
                "chance": str(result.chance),
                "dice": [*map(list, result.dice)],
                "events": result.text,
                "position": str(result.position),
            }
            for result in self.results
        ]


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


# --- methods of a position ------------------------------------------------------------
def legal(position: AskedPosition, most: int = MOST) -> LegalOrders:
    """Return every legal order, with every place for orders that take one.

    If places are endless (a table in yards), or a form has more than ``most`` orders, only the
    orders worth offering are judged, and the form is not ``complete``. Raise ``InputError`` if no
    order is due.
    """
    table, ask = _asking(position)
    last, values = _last(table.scenario, ask, most), table.state.values
    if last.reads is None or any(values.get(*key) != value for key, value in last.reads.items()):
        view = Judging(table, ask.question.partition(".")[0])
        last.forms, last.reads = tuple(judged(table, ask, view, most)), view.reads
    return LegalOrders(str(position), ask.who, ask.question, last.forms)


def why_not(position: AskedPosition, order: str | Order) -> str | None:
    """Return the reason, with its rule, why an order is refused, or None if it is legal."""
    table, ask = _asking(position)
    refusal = table.rulebook.refuse(ask, read_order(table, ask, order), table.read)
    return None if refusal is None else str(refusal)


def standard(position: AskedPosition) -> str:
    """Return the order that would be given here, as a player types it.

    It is the one of the orders given in advance (``under``), or else the standard one. Raise
    ``InputError`` if no order is due, or if the orders given in advance cannot be followed here.
    """
    table, ask = _asking(position)
    with refusing(), position.followed():
        order = table.rulebook.answer(ask, {}, table.read)
    return Words(table.scenario).order(order, table.rulebook.forms(ask, table.read))


def play(position: P, order: str | Order | None = None, dice: Sequence[Face] = ()) -> P:
    """Return the position after an order (``"correct at=K5"``), the dice of a throw, or both.

    A throw may be entered in part. Raise ``InputError`` for an order that is refused or dice that
    cannot fall.
    """
    table = _ordered(position, order)
    faces, waits = (*position.at.faces, *dice), table.waits_for
    if not faces:
        return _reached(position, table)
    if waits is None or isinstance(waits, Ask):
        pending = position.standing(table.state).waits_for
        raise InputError(f"No dice are thrown now; what is waited for is {pending}.")
    with refusing("played"):
        if len(faces) < len(waits.faces):
            played = _reached(position, table)
            return attrs.evolve(played, at=attrs.evolve(played.at, faces=faces))
        table.submit(Thrown(waits.name, faces))
    return _reached(position, table)


def outcomes(position: AskedPosition, order: str | Order | None = None) -> OutcomesResult:
    """Return every result of an order and its throw, or of the pending throw.

    Each has its chance, its dice and the position it leads to. Raises the same errors as ``play``.
    """
    return outcomes_of(position, _ordered(position, order))


def outcomes_of(position: AskedPosition, table: Table) -> OutcomesResult:
    """Return every result of the throw that a table waits for, after its events so far.

    The dice that have fallen at the position are part of that throw.
    """
    faces = position.at.faces
    words, before = Words(table.scenario), tuple(entry.event for entry in table.log)
    waits = table.waits_for
    if waits is None or isinstance(waits, Ask):
        only = _row(Fraction(1), (), before, position.standing(table.state), words)
        return OutcomesResult(str(position), "", (only,))
    rows: list[OutcomeRow] = []
    top = table.state.agenda[0]
    assert isinstance(top, Step)  # noqa: S101 - a question would wait for an order
    for _, total, outcome, chance in table.rulebook.branches(top, table.read):
        possible = () if chance.roll is None else chance.roll.left
        fits = [(way, weight) for way, weight in possible if way[: len(faces)] == faces]
        if not fits:
            continue
        agenda = (*outcome.pushes, *table.state.agenda[1:])
        after = Table(
            table.scenario, table.moments, State(table.state.values.put(outcome.updates), agenda)
        )
        events = (*before, *outcome.events, *(entry.event for entry in after.log))
        ways = tuple(way for way, _ in fits) if isinstance(waits, Throw | Draw) else ()
        share = Fraction(sum(weight for _, weight in fits), total)
        rows.append(_row(share, ways, events, position.standing(after.state), words))
    whole = sum(row.chance for row in rows)
    results = (attrs.evolve(row, chance=row.chance / whole) for row in rows)
    likeliest = tuple(sorted(results, key=lambda row: -row.chance))
    return OutcomesResult(str(position), waits.name, likeliest)


def _table(position: AskedPosition) -> Table:
    with refusing():
        return position.at.table(position.at.moment + LONGEST)


def _asking(position: AskedPosition) -> tuple[Table, Ask]:
    table = _table(position)
    if not isinstance(table.waits_for, Ask):
        raise InputError(f"No order is waited for; what is waited for is {position.waits_for}.")
    return table, table.waits_for


def _ordered(position: AskedPosition, typed: str | Order | None) -> Table:
    """Return the table after an order, or the current table if there is none."""
    if typed is None:
        table = _table(position)
        if isinstance(table.waits_for, Ask):
            raise InputError(f"An order is waited for: {position.waits_for}.")
        return table
    table, ask = _asking(position)
    order = read_order(table, ask, typed)
    if (refusal := table.rulebook.refuse(ask, order, table.read)) is not None:
        raise InputError(f"{Words(position.at.scenario).order(order)}: {refusal}")
    table.submit(Answered(ask.question, order))
    return table


def _reached(position: P, table: Table) -> P:
    """Return the position that a table has reached, adding its inputs to ``past``."""
    begun, before = position.past or (position.at, ())
    return attrs.evolve(position.standing(table.state), past=(begun, (*before, *table.journal)))
