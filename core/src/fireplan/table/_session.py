"""A session: a table with its journal, dice taken one by one, and undo.

Undo is the replay of a prefix. It is free until a die has fallen since; afterwards it is a take-back, which stays
in the journal and in the account.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from fireplan.chance import ChanceEvent, Face, Faces, check_face
from fireplan.mission import Ask, Order, Refusal, Scenario
from fireplan.table._journal import Journal, JournalError, Row, die_row, order_row, plain, undo_row
from fireplan.table._table import Answered, Entry, Input, Table, Thrown


class Session:
    """A table in play, every input of it journalled before it is acknowledged (if there is a journal)."""

    def __init__(self, scenario: Scenario, moments: int, journal: Journal | None = None) -> None:
        self.scenario = scenario
        self.moments = moments
        self.journal = journal
        self.table = Table(scenario, moments)
        self.faces: tuple[Face, ...] = ()
        self.take_backs: list[str] = []
        self._inputs: list[Input] = []
        for number, row in enumerate(journal.rows if journal else (), start=1):
            self._take(row, number)

    # --- what it waits for -----------------------------------------------------------------------
    @property
    def die(self) -> Faces | None:
        """The die or chit to be given next, or None when no throw is under way."""
        waits = self.table.waits_for
        return None if waits is None or isinstance(waits, Ask) else waits.faces[len(self.faces)]

    # --- input -----------------------------------------------------------------------------------
    def order(self, order: Order) -> tuple[Entry, ...] | Refusal:
        """Give an order; a refusal changes nothing and is not journalled."""
        waits = self.table.waits_for
        if not isinstance(waits, Ask):
            raise JournalError("no order is asked for now")
        refusal = self.table.rulebook.refuse(waits, order, self.table.read)
        if refusal is not None:
            return refusal
        self._write(order_row(waits.question, order))
        return self._submit(Answered(waits.question, order))

    def face(self, face: Face, *, typed: bool) -> tuple[Entry, ...]:
        """Give the next die or chit; ``ChanceError`` for one that cannot fall. The last one completes the throw."""
        waits, die = self.table.waits_for, self.die
        if die is None or waits is None or isinstance(waits, Ask):
            raise JournalError("no die is asked for now")
        check_face(die, face)
        self._write(die_row(waits.name, face, typed=typed))
        return self._fallen(waits, face)

    def undo(self) -> str:
        """Take the last input back; returns what was done, in words. ``JournalError`` when there is none."""
        if self.faces:
            raise JournalError("finish the throw first: dice that have fallen are not picked up")
        if not self._inputs:
            raise JournalError("there is nothing to take back")
        self._write(undo_row(1))
        return self._undo(1)

    # --- the same from the journal ---------------------------------------------------------------
    def _take(self, row: Row, number: int) -> None:
        """Take an input that is already journalled."""
        waits = self.table.waits_for
        payload = row.payload
        if row.kind == "undo":
            self._undo(int(payload["inputs"]))
        elif row.kind == "order" and isinstance(waits, Ask) and waits.question == payload["question"]:
            answer = self._submit(Answered(waits.question, self._order(waits, payload)))
            if isinstance(answer, Refusal):
                raise JournalError(f"input {number}: {payload['verb']} is refused by the rules as they are: {answer}")
        elif row.kind == "die" and waits is not None and not isinstance(waits, Ask) and waits.name == payload["throw"]:
            self._fallen(waits, payload["face"])
        else:
            raise JournalError(f"input {number} ({row.kind}) does not fit the rules as they are now")

    def _order(self, ask: Ask, payload: Any) -> Order:
        """The order of a row, its values told by the candidates of its form."""
        rulebook = self.table.rulebook
        view = rulebook.view(ask, self.table.read)
        for form in rulebook.question(ask).offers(view, *ask.args):
            if form.verb == payload["verb"]:
                found = {
                    slot.name: next((c for c in slot.candidates if plain(c) == payload["values"].get(slot.name)), None)
                    for slot in form.slots
                }
                given = {n: found[n] if found.get(n) is not None else _tuples(v) for n, v in payload["values"].items()}
                return Order.of(form.verb, **given)
        return Order.of(payload["verb"], **{n: _tuples(v) for n, v in payload["values"].items()})

    def _submit(self, given: Input) -> tuple[Entry, ...] | Refusal:
        answer = self.table.submit(given)
        if not isinstance(answer, Refusal):
            self._inputs.append(given)
        return answer

    def _fallen(self, waits: ChanceEvent, face: Face) -> tuple[Entry, ...]:
        self.faces = (*self.faces, face)
        if len(self.faces) < len(waits.faces):
            return ()
        faces, self.faces = self.faces, ()
        answer = self._submit(Thrown(waits.name, faces))
        return () if isinstance(answer, Refusal) else answer

    def _undo(self, inputs: int) -> str:
        kept, undone = self._inputs[:-inputs], self._inputs[-inputs:]
        dice = any(isinstance(given, Thrown) for given in undone)
        what = "; ".join(_spoken(given) for given in undone)
        if dice:
            self.take_backs.append(what)
        self.table = Table(self.scenario, self.moments)
        self._inputs = []
        for given in kept:
            self._submit(given)
        return f"{'take-back (stays in the account)' if dice else 'undone'}: {what}"

    def _write(self, row: Row) -> None:
        if self.journal is not None:
            self.journal.append(row)


def offered(session: Session) -> list[tuple[Order, Refusal | None]]:
    """The orders on offer now with their refusal, at most a handful of candidates a form."""
    waits = session.table.waits_for
    if not isinstance(waits, Ask):
        return []
    rulebook = session.table.rulebook
    view = rulebook.view(waits, session.table.read)
    found: list[tuple[Order, Refusal | None]] = []
    for form in rulebook.question(waits).offers(view, *waits.args):
        names = [slot.name for slot in form.slots]
        for number, values in enumerate(product(*(slot.candidates for slot in form.slots))):
            if number == MOST_CANDIDATES:
                break
            order = Order.of(form.verb, **dict(zip(names, values, strict=True)))
            found.append((order, rulebook.refuse(waits, order, session.table.read)))
    return found


MOST_CANDIDATES = 40


def _spoken(given: Input) -> str:
    return str(given.order) if isinstance(given, Answered) else f"{given.name} {' '.join(map(str, given.faces))}"


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
