"""A session: a table with its journal, dice taken one by one, and undo.

An order can be undone freely until a die falls after it; from then on it is a take-back, which the
journal and the playthrough record.
"""

from __future__ import annotations

import secrets  # noqa: TID251 - salts of sealed records, which must not be guessed; nothing of play hangs on them
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, product
from typing import Any

import attrs

from fireplan.table.database import JournalError
from fireplan.table.digests import Outcomes, changed_keys, first_difference
from fireplan.table.fair import ALONE, COMMIT, TELL, TOGETHER, FairDice, FairThrow
from fireplan.table.journal import Journal, Row, order_row, plain, unplain
from fireplan.table.seals import Seal, sealed
from fireplan.table.sides import Eyes, sides_of
from fireplan.table.words import Words
from fireplan_core import (
    REFEREE,
    Ask,
    Form,
    Order,
    Place,
    ProcedureError,
    Refusal,
    Scenario,
    SecretNote,
    Slot,
)
from fireplan_core.chance import ChanceError, ChanceEvent, Face, Faces, check_face
from fireplan_core.play import State
from fireplan_core.play.table import Answered, Entry, Input, Mark, Table, Thrown

_UNFIT = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
    *(ChanceError, ProcedureError),
)
"""Exceptions that rules raise for an input made under different rules."""

MOST_CANDIDATES = 12
"""Maximum number of candidates of a form that are judged for a list of orders."""


@attrs.frozen
class GivenInput:
    """One input of a session and its effects: an order, a whole throw, or a take-back.

    ``given`` is the input, or the input taken back if ``taken_back`` is set. ``moment`` is the
    moment in which it was made, and ``after`` the resulting moment. ``who`` gave the order; for a
    throw, it is the only side that sees it, or empty. For each die of a throw, ``typed`` says
    whether the players rolled it, and ``labels`` gives its meaning. ``secret`` names the slots of
    an order that others must not read, and ``seals`` contains the sealed records of their values.
    """

    given: Input
    moment: int
    after: int
    entries: tuple[Entry, ...] = ()
    who: str = ""
    typed: tuple[bool, ...] = ()
    labels: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()
    seals: tuple[Seal, ...] = ()
    taken_back: bool = False


@attrs.frozen
class Undone:
    """A note that ``who`` freely took back an order, after that many inputs of the story."""

    after: int
    moment: int
    who: str


class Session:
    """A table in play; with a journal, every input is stored before it is acknowledged."""

    def __init__(
        self,
        scenario: Scenario,
        moments: int,
        journal: Journal | None = None,
        seals: Sequence[Seal] = (),
        opening: str = "",
    ) -> None:
        self.seals = tuple(seals)
        """The sealed records written before play."""
        self.revealed = False
        self._secretive = [
            eyes for side in sides_of(scenario) if (eyes := Eyes(scenario, side)).veiled
        ]
        self.scenario = scenario
        self.moments = moments
        self.journal = journal
        self.table = Table(scenario, moments)
        self.prologue = self.table.log
        """The events before the first input."""
        self.faces: tuple[Face, ...] = ()
        self.take_backs: list[str] = []
        self.typed: tuple[bool, ...] = ()
        self.story: list[GivenInput] = []
        self.undone: list[Undone] = []
        self.rows: list[Row] = []
        self._standing: list[GivenInput] = []
        self._forms_cache: tuple[State | None, tuple[Form, ...]] = (None, ())
        self._marks: list[Mark] = []
        """The table before each input."""
        self._outcomes = Outcomes()
        self.opening = self._outcomes.of(self.prologue, self.table.state)
        """The digests of everything before the first input."""
        self.differs = ""
        """The first difference between the journal and the current rules, or an empty string."""
        if opening not in ("", self.opening):
            self.differs = self._difference(
                opening, self.opening, self.prologue, None, "before the first input"
            )
        self.fair: FairDice | None = None
        """The dice that the seats throw jointly, once a seat has asked for them."""
        self._fixed = 0
        """Number of inputs up to the last die or revealed secret; taking these back is public."""
        for number, row in enumerate(journal.rows if journal else (), start=1):
            before = self.table.state
            try:
                entries = self._take(row, number)
                self._compare(row, number, entries, before)
            except JournalError as error:
                raise JournalError(
                    f"{self.differs}; then {error}" if self.differs else str(error)
                ) from error
            except _UNFIT as error:
                first = f"{self.differs}; then " if self.differs else ""
                raise JournalError(
                    f"{first}input {number} does not fit the present rules: {error}"
                ) from error
            self.rows.append(row)

    # --- what it waits for -----------------------------------------------------------------------
    @property
    def die(self) -> Faces | None:
        """The next die or chit to enter, or None if no throw is under way."""
        waits = self.table.waits_for
        return None if waits is None or isinstance(waits, Ask) else waits.faces[len(self.faces)]

    @property
    def last(self) -> GivenInput | None:
        """The input that an undo would take back, or None."""
        return self._standing[-1] if self._standing and not self.faces and not self._bound else None

    def aimed(self, mission: str) -> Place:
        """Return the place at which the last round of a mission was aimed.

        Return None if no round has landed, or if it landed without a throw for this mission.
        """
        for move, mark in zip(reversed(self._standing), reversed(self._marks), strict=True):
            landed = (
                entry.event for entry in move.entries if entry.event.kind in ("spotting", "fall")
            )
            if any(event["mission"] == mission for event in landed):
                thrown = isinstance(move.given, Thrown) and mission in mark.state.agenda[0].args
                return mark.state.values.get(f"missions/{mission}/aim", None) if thrown else None
        return None

    # --- input -----------------------------------------------------------------------------------
    def order(self, order: Order) -> tuple[Entry, ...] | Refusal:
        """Give an order; a refusal changes nothing and is not journalled."""
        waits = self.table.waits_for
        if not isinstance(waits, Ask):
            raise JournalError("the table waits for no order now")
        refusal = self.table.rulebook.refuse(waits, order, self.table.read)
        if refusal is not None:
            return refusal
        seals = tuple(
            sealed(record, secrets.token_hex(16)) for record in self._records(waits, order)
        )
        row = order_row(waits.question, order, seals)
        return self._taken([row], lambda: self._submit(Answered(waits.question, order), seals))

    def face(self, face: Face, *, typed: bool) -> tuple[Entry, ...]:
        """Enter the next die or chit; the last completes the throw.

        Raise ``ChanceError`` for a face that the die does not have.
        """
        return self.throw([(face, typed)])

    def throw(
        self, faces: Sequence[tuple[Face, bool]], *, together: bool = False
    ) -> tuple[Entry, ...]:
        """Enter the next dice or chits, all or none, each with a flag for typed ones."""
        waits = self.table.waits_for
        if waits is None or isinstance(waits, Ask):
            raise JournalError("the table waits for no die now")
        if self.fair is not None and not together and not self.fair.alone:
            raise ChanceError("the seats throw these dice together, at the table in the studio")
        for die, (face, _) in zip(waits.faces[len(self.faces) :], faces, strict=False):
            check_face(die, face)
        rows = [
            Row("die", {"throw": waits.name, "face": face, "typed": typed}) for face, typed in faces
        ]
        entries = self._taken(
            rows, lambda: [self._fallen(waits, face, typed=typed) for face, typed in faces][-1]
        )
        if self.fair is not None and not self.faces:
            self.fair.fell(self.story[-1].given.faces, waits.seen_by)  # type: ignore[union-attr] # a throw
        return entries

    def throw_together(self) -> None:
        """Let the seats throw all dice jointly from now on; this cannot be undone."""
        if self.fair is None and self.faces:
            raise JournalError("finish the throw first: dice that have fallen are not picked up")
        if self.fair is None:
            self._note(TOGETHER, {})
            self.fair = FairDice(sides_of(self.scenario))

    def contribute(self, kind: str, seat: str, value: str) -> None:
        """Record a seat's contribution to the next throw (``COMMIT``, ``TELL``, ``ALONE``).

        The last contribution makes the dice fall.
        """
        if self.fair is None or self.die is None:
            raise JournalError("there is nothing to throw together now")
        self._check_part(kind, seat, value)
        self._note(kind, {"seat": seat, "value": value})
        self.fair.take(kind, seat, value)
        self.settle()

    def _check_part(self, kind: str, seat: str, value: object) -> None:
        """Raise ``JournalError`` if a seat cannot make this contribution now.

        A seat must not throw alone the dice that only another seat may see.
        """
        if kind == ALONE and not self.sees_throw(seat):
            raise JournalError(f"{seat} cannot throw alone: it does not see this throw")
        if self.fair is not None:
            self.fair.check(kind, seat, value)

    def sees_throw(self, seat: str) -> bool:
        """Return whether a seat sees the pending throw."""
        waits = self.table.waits_for
        return waits is not None and not isinstance(waits, Ask) and waits.seen_by in ("", seat)

    def thrown_for(self, seat: str) -> tuple[FairThrow, ...]:
        """Return the joint throws as one of the seats sees them.

        Throws that only another seat sees stay closed until everything is revealed.
        """
        eyes = Eyes(self.scenario, REFEREE if self.revealed else seat)
        return (
            tuple(each.shown(seen=eyes.sees(each.seen_by)) for each in self.fair.thrown)
            if self.fair
            else ()
        )

    def settle(self) -> None:
        """Let the dice fall if every seat has revealed its secret.

        If they cannot be written now, they fall at a later call.
        """
        waits, fair = self.table.waits_for, self.fair
        if fair is not None and fair.told and waits is not None and not isinstance(waits, Ask):
            with suppress(JournalError):
                self.throw(
                    [(face, False) for face in fair.faces(waits.faces)[len(self.faces) :]],
                    together=True,
                )

    def reveal(self) -> None:
        """Reveal everything that is sealed or hidden; this cannot be undone."""
        if not self.revealed:
            self._note("reveal", {})
            self._reveal()

    def undo(self) -> str:
        """Take back the last input and return a message about it.

        Raise ``JournalError`` if there is none.
        """
        if self.faces:
            raise JournalError("finish the throw first: dice that have fallen are not picked up")
        if not self._standing:
            raise JournalError("there is nothing to take back")
        if self._bound:
            raise JournalError("a throw of the seats cannot be taken back")
        self._write(Row("undo", {"inputs": 1}, self._outcomes.of((), self._marks[-1].state)))
        return self._undo(1)

    @property
    def _bound(self) -> bool:
        """Whether the last input is a joint throw, or secrets for the next have been revealed."""
        thrown = (
            self.fair is not None
            and self.fair.thrown
            and isinstance(self._standing[-1].given, Thrown)
        )
        return bool(thrown or (self.fair and self.fair.secrets))

    def _taken(
        self, rows: Sequence[Row], take: Callable[[], tuple[Entry, ...]]
    ) -> tuple[Entry, ...]:
        """Take an input and write it with its digests to the journal; undo it if that fails."""
        mark, faces, typed, fixed, count = (
            self.table.mark(),
            self.faces,
            self.typed,
            self._fixed,
            len(self._standing),
        )
        before = [self._of((), row) for row in rows[:-1]]
        try:
            entries = take()
            self._write(*before, self._of(entries, rows[-1]))
        except BaseException:
            self.table.back_to(mark)
            self.faces, self.typed, self._fixed = faces, typed, fixed
            if len(self._standing) > count:
                del self._standing[-1], self._marks[-1], self.story[-1]
            raise
        return entries

    def _of(self, entries: tuple[Entry, ...], row: Row) -> Row:
        """Return a row completed with the digests of its effects."""
        return attrs.evolve(
            row,
            after=self._outcomes.of(entries, self.table.state) if self.journal is not None else "",
        )

    def at(self, number: int) -> Session:
        """Return this session as it was after that many inputs, without a journal.

        Raise ``JournalError`` if there are fewer.
        """
        if not 0 <= number <= len(self.rows):
            raise JournalError(f"there is no input {number}: the last is {len(self.rows)}")
        past = Session(self.scenario, self.moments, None, self.seals)
        for seq, row in enumerate(self.rows[:number], start=1):
            past._take(row, seq)
            past.rows.append(row)
        return past

    def again(self) -> Iterator[tuple[Session, GivenInput | None]]:
        """Yield a session without a journal before each input that still stands, with that input.

        The same session is yielded each time; at the end the input is None.
        """
        replay = Session(self.scenario, self.moments, None, self.seals)
        for move in self._standing:
            yield replay, move
            replay.typed = move.typed
            replay._submit(move.given, move.seals)
        yield replay, None

    # --- the same from the journal ---------------------------------------------------------------
    def _compare(self, row: Row, number: int, entries: tuple[Entry, ...], before: State) -> None:
        """Record in ``differs`` the first input of the journal with different effects."""
        now = self._outcomes.of(entries, self.table.state)
        if row.after != now and not self.differs:
            what = {"order": "verb", "die": "throw"}.get(row.kind)
            where = f"after input {number} ({row.kind}{f' {row.payload[what]}' if what else ''})"
            self.differs = self._difference(row.after, now, entries, before, where)

    def _difference(
        self,
        recorded: str,
        recomputed: str,
        entries: tuple[Entry, ...],
        before: State | None,
        where: str,
    ) -> str:
        """Return the difference in words: a ruling under the current rules, or the next state."""
        ruling = first_difference(recorded, recomputed)
        if ruling is None:
            keys = (
                ""
                if before is None
                else f" (it now changes {changed_keys(before, self.table.state)})"
            )
            return f"{where}, the rulings are the same, but the state differs{keys}"
        if ruling < len(entries):
            sentence = Words(self.scenario).ruling(entries[ruling].event)
        else:
            sentence = "nothing more"
        return f"{where}, ruling {ruling + 1} differs: the present rules say {sentence!r}"

    def _take(self, row: Row, number: int) -> tuple[Entry, ...]:
        """Submit an input that the journal already contains; return the resulting rulings."""
        waits = self.table.waits_for
        payload = row.payload
        if row.kind == "undo":
            inputs = payload["inputs"]
            if (
                type(inputs) is not int
                or not 0 < inputs <= len(self._standing)
                or self.faces
                or self._bound
            ):
                raise JournalError(f"input {number} (undo) does not fit the inputs before it")
            self._undo(inputs)
        elif row.kind == "reveal":
            self._reveal()
        elif row.kind in (TOGETHER, COMMIT, TELL, ALONE):
            self._take_part(row.kind, payload, number)
        elif (
            row.kind == "order" and isinstance(waits, Ask) and waits.question == payload["question"]
        ):
            order = self._order(waits, payload)
            sealed_records = zip(
                self._records(waits, order), payload.get("seals", ()), strict=False
            )
            seals = tuple(
                Seal(record, seal["salt"], seal["commitment"]) for record, seal in sealed_records
            )
            return self._submit(Answered(waits.question, order), seals)
        elif (
            row.kind == "die"
            and waits is not None
            and not isinstance(waits, Ask)
            and waits.name == payload["throw"]
        ):
            check_face(waits.faces[len(self.faces)], payload["face"])
            if self.fair is not None:
                self.fair.replay(waits.faces, (*self.faces, payload["face"]), waits.seen_by)
            return self._fallen(waits, payload["face"], typed=bool(payload["typed"]))
        else:
            raise JournalError(f"input {number} ({row.kind}) does not fit the present rules")
        return ()

    def _take_part(self, kind: str, payload: Mapping[str, Any], number: int) -> None:
        if kind == TOGETHER and self.fair is None and not self.faces:
            self.fair = FairDice(sides_of(self.scenario))
        elif kind != TOGETHER and self.fair is not None and self.die is not None:
            self._check_part(kind, payload["seat"], payload["value"])
            self.fair.take(kind, payload["seat"], payload["value"])
        else:
            raise JournalError(f"input {number} ({kind}) does not fit the throws of the seats")

    def _order(self, ask: Ask, payload: Any) -> Order:
        """Return the order that a row records, its values taken from the candidates of its form."""
        for form in self._forms(ask):
            if form.verb == payload["verb"]:
                candidates = {
                    slot.name: next(
                        (
                            c
                            for c in slot.candidates
                            if plain(c) == payload["values"].get(slot.name)
                        ),
                        None,
                    )
                    for slot in form.slots
                }
                values = {
                    n: candidates[n] if candidates.get(n) is not None else unplain(v)
                    for n, v in payload["values"].items()
                }
                return Order.of(form.verb, **values)
        return Order.of(payload["verb"], **{n: unplain(v) for n, v in payload["values"].items()})

    def _forms(self, ask: Ask) -> Sequence[Form]:
        """Return the forms of a question, computed once for each state."""
        if self._forms_cache[0] is not self.table.state:
            self._forms_cache = (
                self.table.state,
                tuple(self.table.rulebook.forms(ask, self.table.read)),
            )
        return self._forms_cache[1]

    def _slots(self, ask: Ask, order: Order) -> list[Slot]:
        """Return the secret slots of an order."""
        return [
            slot
            for form in self._forms(ask)
            if form.verb == order.verb
            for slot in form.slots
            if slot.secret
        ]

    def _records(self, ask: Ask, order: Order) -> list[SecretNote]:
        """Return the secret values of an order as records to seal; none without a journal."""
        slots = self._slots(ask, order) if self.journal is not None else []
        if not slots:
            return []
        words = Words(self.scenario)
        when = self.scenario.clock.name(self.table.state.moment)
        says = " ".join(
            f"{slot.name}={words.value(order[slot.name], slot.name, quoted=True)}" for slot in slots
        )
        return [SecretNote(ask.who, f"{order.verb} in {when}", says)]

    def _reveal(self) -> None:
        self.revealed = True
        self._fixed = len(self._standing)

    def _submit(self, given: Input, seals: tuple[Seal, ...] = ()) -> tuple[Entry, ...]:
        secret: tuple[str, ...] = ()
        if (
            isinstance(given, Answered)
            and isinstance(self.table.waits_for, Ask)
            and self._secretive
        ):
            secret = tuple(slot.name for slot in self._slots(self.table.waits_for, given.order))
        waits, mark = self.table.waits_for, self.table.mark()
        answer = self.table.submit(given)
        if isinstance(answer, Refusal):
            raise ProcedureError(f"{self._in_words(given)} is refused: {answer}")
        if isinstance(given, Thrown) or self._shown(answer):
            self._fixed = len(self._standing) + 1
        who = waits.who if isinstance(waits, Ask) else "" if waits is None else waits.seen_by
        typed, self.typed = self.typed, ()
        labels = (
            ()
            if waits is None or isinstance(waits, Ask)
            else tuple(die.label for die in waits.faces)
        )
        now = self.table.state.moment
        self.story.append(
            GivenInput(given, mark.state.moment, now, answer, who, typed, labels, secret, seals)
        )
        self._standing.append(self.story[-1])
        self._marks.append(mark)
        return answer

    def _shown(self, entries: tuple[Entry, ...]) -> bool:
        """Return whether these events revealed a hidden asset or unit to a side."""
        learnt = ((eyes, eyes.learns(entry.event)) for eyes in self._secretive for entry in entries)
        return any(event is not None and eyes.names_hidden(event) for eyes, event in learnt)

    def _fallen(self, waits: ChanceEvent, face: Face, *, typed: bool) -> tuple[Entry, ...]:
        self.faces, self.typed = (*self.faces, face), (*self.typed, typed)
        if len(self.faces) < len(waits.faces):
            return ()
        faces, self.faces = self.faces, ()
        return self._submit(Thrown(waits.name, faces))

    def _undo(self, inputs: int) -> str:
        if self.fair is not None:
            self.fair.void()
        remaining, moves, moment = (
            len(self._standing) - inputs,
            self._standing[-inputs:],
            self.table.state.moment,
        )
        recorded = self._fixed > remaining
        description = "; ".join(self._in_words(move.given) for move in moves)
        self.table.back_to(self._marks[remaining])
        del self._marks[remaining:], self._standing[remaining:]
        if recorded:
            self._fixed = remaining
            self.take_backs.append(description)
            after = self.table.state.moment
            back = (
                attrs.evolve(move, moment=moment, after=after, entries=(), taken_back=True)
                for move in moves
            )
            self.story += reversed(list(back))
        else:
            del self.story[len(self.story) - inputs :]
            new_marks = (Undone(len(self.story), moment, move.who) for move in moves)
            kept_marks = (
                attrs.evolve(mark, after=min(mark.after, len(self.story))) for mark in self.undone
            )
            self.undone = [*kept_marks, *new_marks]
        return f"{'take-back (stays in the playthrough)' if recorded else 'undone'}: {description}"

    def _in_words(self, given: Input) -> str:
        words = Words(self.scenario)
        if isinstance(given, Answered):
            return words.order(given.order)
        return f"the roll for {words.roll(given.name)} ({', '.join(map(str, given.faces))})"

    def _note(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Write to the journal an input that changes nothing on the table."""
        self._write(self._of((), Row(kind, payload)))

    def _write(self, *rows: Row) -> None:
        if self.journal is not None:
            self.journal.append(*rows)
        self.rows += rows


def offered(session: Session, most: int = MOST_CANDIDATES) -> list[tuple[Order, Refusal | None]]:
    """Return the orders on offer, with their refusals; at most ``most`` candidates of each form."""
    waits = session.table.waits_for
    if not isinstance(waits, Ask):
        return []
    rulebook = session.table.rulebook
    orders: list[tuple[Order, Refusal | None]] = []
    for form in rulebook.forms(waits, session.table.read):
        names = [slot.name for slot in form.slots]
        for values in islice(product(*(slot.candidates for slot in form.slots)), most):
            order = Order.of(form.verb, **dict(zip(names, values, strict=True)))
            orders.append((order, rulebook.refuse(waits, order, session.table.read)))
    return orders
