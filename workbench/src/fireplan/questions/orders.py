"""The legal orders at a position, and the outcomes of an order or a throw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from math import prod
from typing import Any

import attrs

from fireplan import analysis
from fireplan.errors import InputError, argument_name, counted, unknown
from fireplan.questions.asked_position import AskedPosition, P, awaited, given
from fireplan.questions.conditions import Happens
from fireplan.questions.playing import Stop, TimedEvent, begin, run_on, stop_of, timed_events
from fireplan.questions.refusing import refusing
from fireplan.questions.result import Block, Grid, Result, Rows, Text
from fireplan.strategies import PendingQuestion
from fireplan.table import Judging, LegalForm, OrderReader, Words, judged, which_cards
from fireplan_core import Ask, Form, Order, Scenario, Setup, Step
from fireplan_core.chance import ChanceEvent, Draw, Face, LookUp, Throw, looking_up
from fireplan_core.play import Answered, Input, Log, LogEntry, State, Table, Thrown

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
        """Return the form of a verb; raise ``InputError`` if it is not offered."""
        forms = {form.verb: form for form in self.forms}
        if verb not in forms:
            raise unknown("order", verb, forms)
        return forms[verb]

    def _ipython_key_completions_(self) -> list[str]:
        return [form.verb for form in self.forms]

    def __iter__(self) -> Iterator[Order]:
        return (order for form in self.forms for order in form.orders)

    def __len__(self) -> int:
        return sum(len(form.orders) for form in self.forms)

    @property
    def complete(self) -> bool:
        """Return whether every legal order is listed."""
        return all(form.complete for form in self.forms)

    def blocks(self) -> Iterator[Block]:
        """Yield the forms, each with its number of legal orders."""
        yield Text(f"{self.who} answers {self.question}: {len(self):,} legal orders", "bold")
        rows = []
        for form in self.forms:
            arguments = [form.words.typed.order(order).partition(" ")[2] for order in form.orders]
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
                "orders": [*map(form.words.typed.order, form.orders)],
            }
            for form in self.forms
        ]
        return {"position": self.line, "who": self.who, "question": self.question, "forms": forms}

    def rows(self) -> Rows:
        """Return a dict for each legal order: ``verb``, ``order`` in words, and ``cite``."""
        return [
            {"verb": form.verb, "order": form.words.typed.order(order), "cite": form.cite}
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


def read_order(table: Table, ask: Ask, typed: str | Order, *, fill: bool = False) -> Order:
    """Parse a typed order such as ``correct at=K5``; raise ``InputError`` if it is malformed.

    With ``fill``, a missing value is replaced by the first that is offered.
    """
    if isinstance(typed, Order):
        return typed
    forms: tuple[Form, ...] = tuple(table.rulebook.forms(ask, table.read))
    return OrderReader(table.scenario).read(str(typed), forms, fill=fill)


# --- outcomes -------------------------------------------------------------------------
Throws = Sequence[tuple[Face, ...]]
"""The throws that lead to one result."""


@attrs.frozen(eq=False, repr=False)
class OutcomeRow:
    """One result: its chance, the dice that produce it, its events, and the resulting position.

    ``dice`` is empty if there are too many throws to list, as in large volleys.
    """

    chance: Fraction
    dice: Throws
    events: tuple[TimedEvent, ...]
    position: Any
    text: str

    def __str__(self) -> str:
        """Return the chance and the outcome in words."""
        return f"{analysis.percent(self.chance)}: {self.text or 'nothing happens'}"

    __repr__ = __str__


def _listed(throws: Throws) -> str:
    return "; ".join(" ".join(map(str, faces)) for faces in throws)


def _said(words: Words, event: ChanceEvent, throws: Throws) -> str:
    """Return the throws that lead to a result, in words; cards are given by their printed text."""
    return which_cards(words, event, throws) or _listed(throws)


LookUps = Mapping[tuple[Face, ...], tuple[LookUp, ...]]
"""The chart look-ups of the rules, by the faces of a throw."""


@attrs.frozen(eq=False, repr=False)
class OutcomesResult(Result):
    """Every result of an order and its throw; iterating yields the rows."""

    line: str
    roll: str
    results: tuple[OutcomeRow, ...]
    read: Callable[[], LookUps] = attrs.field(default=dict)
    said: Callable[[Throws], str] = attrs.field(default=_listed)

    @property
    def look_ups(self) -> LookUps:
        """The chart look-ups of each throw, e.g. ``1MC`` in column ``fp16`` of ``ift``.

        They include look-ups that follow without another roll or order, such as a Critical Hit.
        """
        return self.read()

    def __iter__(self) -> Iterator[OutcomeRow]:
        """Yield the results, most probable first."""
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def blocks(self) -> Iterator[Block]:
        """Yield a table of every result with its chance and dice."""
        yield Text(f"{self.line}: {f'the throw {self.roll}' if self.roll else 'no throw'}", "bold")
        rows = []
        for result in self.results:
            dice = self.said(result.dice)
            rows.append((analysis.percent(result.chance), str(result.chance), dice, result.text))
        yield Grid(("chance", "exactly", "dice", "what follows"), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return every result as plain data; chances are rationals as strings."""
        return {"position": self.line, "roll": self.roll, "results": self.rows()}

    def rows(self) -> Rows:
        """Return one row for each result."""
        return [
            {
                "chance": str(result.chance),
                "dice": [*map(list, result.dice)],
                "events": result.text,
                "position": result.position.line,
            }
            for result in self.results
        ]


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
    return LegalOrders(position.line, ask.who, ask.question, last.forms)


def why_not(position: AskedPosition, order: str | Order) -> str | None:
    """Return the reason, with its rule, why an order is refused, or None if it is legal.

    A missing value is replaced by the first that is offered.
    """
    table, ask = _asking(position)
    asked = read_order(table, ask, order, fill=True)
    refusal = table.rulebook.refuse(ask, asked, table.read)
    return None if refusal is None else str(refusal)


def question(position: AskedPosition) -> PendingQuestion | None:
    """Return the question that is due, as data, or None if no order is due.

    The result has the ``name`` of the question, the ``side`` that answers, the ``asset`` it is
    about, all arguments by name (``args``), the verbs of the ``orders`` on offer, and the
    ``standard`` order.
    """
    table = _table(position)
    ask = table.question_due
    if ask is None:
        return None
    return PendingQuestion.of(table.scenario, ask, table.state.values.get)


def standard(position: AskedPosition) -> str:
    """Return the order that would be given here, as a player types it.

    Orders given in advance (``under``) come before the standard one. Raise ``InputError`` if no
    order is due, or if the orders given in advance cannot be followed here.
    """
    table, ask = _asking(position)
    with refusing(), position.followed():
        order = table.rulebook.answer(ask, {}, table.read)
    return Words(table.scenario).typed.order(order, table.rulebook.forms(ask, table.read))


def play(
    position: P,
    order: str | Order | None = None,
    dice: Sequence[Face] = (),
    *,
    until: str | Happens | None = None,
    orders: Any = None,
) -> P:
    """Return the position after an order (``"correct at=K5"``), the dice of a throw, or both.

    ``events`` of the result are the events on the way, each with its time. Play stops at the next
    order or roll, or where nothing more can happen. With ``until`` it goes on, giving ``orders``
    (as to ``fireplan.strategy``) or else the standard ones, and throwing ``dice`` one throw after
    the other: to the "next order", the "next roll", the "end of phase" (or what the game calls a
    moment), or just after an event (a kind, or ``happens(...)``). It also stops where dice are
    missing: a throw may be entered in part.

    Raise ``InputError`` for an order that is refused or dice that cannot come up.
    """
    position = given(position, orders)
    playing = _Playing.of(position, until)
    with refusing("played"), position.followed():
        playing.answer(order)
        reached: P = playing.throw((*position.at.faces, *dice))
        return reached


def outcomes(
    position: AskedPosition,
    order: str | Order | None = None,
    *,
    until: str | Happens | None = None,
    orders: Any = None,
) -> OutcomesResult:
    """Return every result of an order and its throw, or of the pending throw.

    Each result has its chance, its dice, its events with their time, and the position it leads to.
    With ``until``, every throw up to that point is followed, as in ``play``, and identical results
    are merged. Raise the same errors as ``play``.
    """
    position = given(position, orders)
    playing = _Playing.of(position, until)
    with refusing("played"), position.followed():
        playing.answer(order)
        return playing.outcomes()


def outcomes_of(position: AskedPosition, table: Table, then: State) -> OutcomesResult:
    """Return every result of the throw that a table waits for, up to the end of its moment.

    A result with nothing left to do has the moment and the agenda of ``then``.
    """
    return _Playing(position, table, table.log, None, then=then).outcomes()


def look_ups(scenario: Scenario, state: State, throws: Iterable[tuple[Face, ...]]) -> LookUps:
    """Map each of these throws to its chart look-ups, for the roll due in a state."""
    table = begin(scenario, state)
    read: dict[tuple[Face, ...], tuple[LookUp, ...]] = {}
    for faces in throws:
        event, thrown = table.throw_due, copy(table)
        assert event is not None  # noqa: S101 - a roll is due
        with looking_up() as entries:
            thrown.submit(Thrown(event.name, faces))
        read[faces] = tuple(entries)
    return read


MOST_ROWS = 50_000
"""Maximum number of results that are followed together."""

MOST_MOMENTS = 200
"""Maximum number of moments through which a result is followed."""


@attrs.define(eq=False)
class _Playing:
    """Play in progress from a position: the table now, and the events and inputs so far.

    With ``then``, play stops at the end of the moment; a result with nothing left to do takes the
    moment and the agenda of ``then``.
    """

    position: Any
    table: Table
    log: Log
    stop: Stop | None
    inputs: tuple[Input, ...] = ()
    then: State | None = None

    @classmethod
    def of(cls, position: AskedPosition, until: str | Happens | None) -> _Playing:
        """Return play advanced to the next order or roll; ``until`` determines where it stops."""
        stop = stop_of(position.at.scenario, position.at.moment, until)
        with refusing():
            return cls(position, *run_on(position.at.table(), begun=position.at.state), stop)

    @property
    def stopped(self) -> bool:
        """True if play has reached the point where it should stop, or nothing more can happen."""
        if self.table.waits_for is None:
            return True
        return self.stop is not None and self.stop(self.table, self.log)

    def submit(self, entry: Input) -> None:
        """Apply an input, and go on to the next order or roll."""
        table = self.table
        before = len(table.log)
        table.submit(entry)
        self.inputs = (*self.inputs, entry)
        self.go_on(table, (*self.log, *table.log[before:]))

    def go_on(self, table: Table, log: Log) -> None:
        """Go on from a table, after the events in ``log``, to the next order or roll.

        With ``then``, only record the table and the events.
        """
        if self.then is not None:
            self.table, self.log = table, log
            return
        stop, own = self.stop, len(table.log)
        at_stop = stop and (lambda later, seen: stop(later, (*log, *seen[own:])))
        self.table, events = run_on(table, at_stop)
        self.log = (*log, *events[own:])

    def answer(self, order: str | Order | None) -> None:
        """Give an order, if there is one.

        Raises ``InputError`` if play is not waiting for an order, if the rules refuse the order, or
        if an order is due and neither an order nor a place to stop is given.
        """
        waits, words = self.table.waits_for, Words(self.table.scenario)
        if order is None:
            if isinstance(waits, Ask) and self.stop is None:
                raise InputError(
                    f"Play is waiting for an order from {waits.who} ({waits.question})."
                )
            return
        if not isinstance(waits, Ask):
            raise InputError(f"No order can be given now: play is waiting for {awaited(waits)}.")
        if not isinstance(order, str | Order):
            raise InputError(f"Expected an order in words, such as 'correct at=K5', got {order!r}.")
        given = read_order(self.table, waits, order)
        if (refusal := self.table.rulebook.refuse(waits, given, self.table.read)) is not None:
            raise InputError(f"{words.typed.order(given)}: {refusal}")
        self.submit(Answered(waits.question, given))

    def usual(self) -> None:
        """Give the orders given in advance, or the standard ones, until a roll is due.

        Stop earlier if play has reached the point where it should stop.
        """
        while (ask := self.table.question_due) is not None and not self.stopped:
            order = self.table.rulebook.answer(ask, {}, self.table.read)
            self.submit(Answered(ask.question, order))

    def throw(self, dice: tuple[Face, ...]) -> Any:
        """Throw these dice, one throw after the other, and return the position reached.

        Dice that do not complete a throw stay in the position. Raises ``InputError`` if play waits
        for an order, or stops before all dice are thrown.
        """
        while True:
            if self.stop is not None:
                self.usual()
            due = self.table.throw_due
            if not dice or due is None or (self.stop is not None and self.stopped):
                break
            count = len(dice) if self.stop is None else len(due.faces)
            if len(dice) < len(due.faces):
                reached = self.reached()
                return attrs.evolve(reached, at=attrs.evolve(reached.at, faces=dice))
            self.submit(Thrown(due.name, dice[:count]))
            dice = dice[count:]
        if dice and self.stop is None:
            raise InputError(
                f"No dice can be thrown now: play is waiting for {awaited(self.table.waits_for)}."
            )
        if dice:
            raise InputError(
                f"Play stops before all dice are thrown; left over: {' '.join(map(str, dice))}."
            )
        return self.reached()

    def reached(self) -> Any:
        """Return the position reached, with the events of this play and all inputs so far."""
        begun, before = self.position.past or (self.position.at, ())
        at = self.position.standing(self.table.state)
        events = timed_events(self.table.scenario, self.log)
        return attrs.evolve(at, past=(begun, (*before, *self.inputs)), events=events)

    # --- every result ----------------------------------------------------------------------------
    def outcomes(self) -> OutcomesResult:
        """Return every result up to the point where play stops.

        Raises ``InputError`` if there are more than ``MOST_ROWS``, or if one of them would be
        followed for more than ``MOST_MOMENTS``.
        """
        faces, roll = self.position.at.faces, ""
        said: Callable[[Throws], str] = _listed
        if self.stop is not None:
            self.usual()
        if (due := self.table.throw_due) is not None:
            roll = due.name
            said = partial(_said, Words(self.table.scenario), due)
        rows: dict[Any, OutcomeRow] = {}
        begun: list[tuple[Fraction, _Playing, Throws | None]]
        begun = [(Fraction(1), self, None)]
        while begun:
            share, playing, dice = begun.pop()
            if self.stop is not None:
                playing.usual()
            goes_on = dice is None or (self.stop is not None and not playing.stopped)
            if playing.table.throw_due is not None and goes_on:
                playing.refuse_endless()
                begun += [
                    (share * part, after, ways if dice is None else dice)
                    for part, ways, after in playing.thrown(faces if dice is None else ())
                ]
                if len(begun) + len(rows) > MOST_ROWS:
                    raise InputError(
                        f"There are more than {MOST_ROWS:,} results:"
                        f" choose an earlier {argument_name('until')}."
                    )
                continue
            row = playing.row(share, dice or ())
            key = (row.position, row.events) if self.stop is not None else len(rows)
            if (same := rows.get(key)) is not None:
                ways = tuple(dict.fromkeys((*same.dice, *row.dice)))
                row = attrs.evolve(row, chance=same.chance + share, dice=ways)
            rows[key] = row
        likeliest = tuple(sorted(rows.values(), key=lambda row: -row.chance))
        throws = tuple(dice for row in likeliest for dice in row.dice) if roll else ()
        read = partial(look_ups, self.table.scenario, self.table.state, throws)
        return OutcomesResult(self.position.line, roll, likeliest, read, said)

    def refuse_endless(self) -> None:
        """Raise ``InputError`` if play has gone on for ``MOST_MOMENTS`` without a stop."""
        clock = self.table.scenario.clock
        if self.table.state.moment - self.position.at.moment > MOST_MOMENTS:
            raise InputError(
                f"Some results do not get there within {counted(MOST_MOMENTS, clock.moment)}:"
                f" choose an earlier {argument_name('until')}."
            )

    def thrown(self, faces: tuple[Face, ...]) -> list[tuple[Fraction, Throws, _Playing]]:
        """Return the chance, the dice and the further play of each result of the throw that is due.

        ``faces`` are its dice that have already been thrown.
        """
        table, due = self.table, self.table.throw_due
        assert due is not None  # noqa: S101
        top = table.state.agenda[0]
        assert isinstance(top, Step)  # noqa: S101 - a throw is due, not an order
        found: list[tuple[Fraction, Throws, _Playing]] = []
        for _, total, outcome, chance in table.rulebook.branches(top, table.read):
            possible = () if chance.roll is None else chance.roll.left
            fits = [(way, weight) for way, weight in possible if way[: len(faces)] == faces]
            if not fits:
                continue
            agenda = (*outcome.pushes, *table.state.agenda[1:])
            moment = table.state.moment
            after = Table(
                table.scenario,
                moment + 1,
                State(table.state.values.put(outcome.updates), agenda),
            )
            events = (LogEntry(moment, event) for event in outcome.events)
            playing = _Playing(self.position, after, (), self.stop, self.inputs, self.then)
            playing.go_on(after, (*self.log, *events, *after.log))
            share = Fraction(sum(weight for _, weight in fits), total)
            found.append((share, _faces_of(due, dict(fits)), playing))
        whole = sum((share for share, _, _ in found), Fraction(0))
        return [(share / whole, ways, playing) for share, ways, playing in found]

    def row(self, chance: Fraction, dice: Throws) -> OutcomeRow:
        """Return the result that play has reached, with this chance and these dice."""
        events = timed_events(self.table.scenario, self.log)
        text = _in_words(self.table.scenario, self.log, self.position.at.moment)
        return OutcomeRow(chance, dice, events, self.position.standing(self._state()), text)

    def _state(self) -> State:
        """Return the state of play; with no step left, it has the agenda and moment of ``then``."""
        state, then = self.table.state, self.then
        if then is None or state.agenda:
            return state
        return State(state.at(then.moment).values, then.agenda)


def _in_words(scenario: Scenario, log: Iterable[LogEntry], moment: int) -> str:
    """Return events in words; the first event of each later moment begins with its moment."""
    words, sentences = Words(scenario), []
    for entry in log:
        later = "" if entry.moment == moment else f"{scenario.clock.name(entry.moment)}: "
        sentences.append(f"{later}{words.ruling(entry.event)}")
        moment = entry.moment
    return "; ".join(sentences)


MOST_FACES = 1_296
"""Maximum number of throws that are tried to find the dice that lead to a result."""


def _faces_of(waits: ChanceEvent, results: Mapping[tuple[Any, ...], int]) -> Throws:
    """Return the dice that lead to these results; empty if there are too many to list."""
    if isinstance(waits, Throw | Draw):
        return tuple(results)
    dice = [tuple(face for face, _ in die.weights) for die in waits.faces]
    if prod(map(len, dice)) > MOST_FACES:
        return ()
    return tuple(faces for faces in product(*dice) if waits.read(faces) in results)


def _table(position: AskedPosition) -> Table:
    """Return the table at the next order or roll."""
    with refusing():
        return run_on(position.at.table(), begun=position.at.state)[0]


def _asking(position: AskedPosition) -> tuple[Table, Ask]:
    table = _table(position)
    if (ask := table.question_due) is None:
        raise InputError(f"No order can be given now: play is waiting for {position.waits_for}.")
    return table, ask
