"""A session: a table with its journal, dice taken one by one, and undo.

Undo is free until a die has fallen since; afterwards it is a take-back, which stays in journal and
playthrough.
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
"""Say what rules raise when an input is given to them that was given to other rules."""

MOST_CANDIDATES = 12
"""Candidates of a form that are judged for a list of orders."""


@attrs.frozen
class GivenInput:
    """One input of the story of a session and what followed: an order of ``who``, a whole throw, or a take-back.

    Of a throw ``who`` is the side that alone sees it, if there is one. ``given`` is what a
    take-back took back, where ``taken_back`` is set. For each die of a throw ``typed`` says whether
    the players rolled it, ``labels`` what it means. ``moment`` is the one in which the input was
    given, ``after`` the one it led to. ``secret`` names the slots of an order that others must not
    read, ``seals`` the commitments that were made to them.
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
    """A mark that an order of ``who`` was taken back freely, in a moment, after so many inputs of the story."""

    after: int
    moment: int
    who: str


class Session:
    """A table in play, every input of it journalled before it is acknowledged (if there is a journal)."""

    def __init__(
        self,
        scenario: Scenario,
        moments: int,
        journal: Journal | None = None,
        seals: Sequence[Seal] = (),
        opening: str = "",
    ) -> None:
        self.seals = tuple(seals)
        """The records that were written down before play."""
        self.revealed = False
        self._secretive = [
            eyes for side in sides_of(scenario) if (eyes := Eyes(scenario, side)).veiled
        ]
        self.scenario = scenario
        self.moments = moments
        self.journal = journal
        self.table = Table(scenario, moments)
        self.prologue = self.table.log
        """Say what happened before the first input."""
        self.faces: tuple[Face, ...] = ()
        self.take_backs: list[str] = []
        self.typed: tuple[bool, ...] = ()
        self.story: list[GivenInput] = []
        self.undone: list[Undone] = []
        self.rows: list[Row] = []
        self._live: list[GivenInput] = []
        self._asked: tuple[State | None, tuple[Form, ...]] = (None, ())
        self._marks: list[Mark] = []
        """Say where the table stood before each of the inputs."""
        self._outcomes = Outcomes()
        self.opening = self._outcomes.of(self.prologue, self.table.state)
        """The digests of what happened before the first input."""
        self.differs = ""
        """Say after which input of the journal something first came out differently, and what.

        Or nothing.
        """
        if opening not in ("", self.opening):
            self.differs = self._difference(
                opening, self.opening, self.prologue, None, "before the first input"
            )
        self.fair: FairDice | None = None
        """The dice that the seats throw together, from when one of them asked for it."""
        self._fixed = 0
        """Say how many of the inputs lie behind a die, or behind a secret that was shown: taking one back is seen."""
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
                    f"{first}input {number} does not fit the rules as they are now: {error}"
                ) from error
            self.rows.append(row)

    # --- what it waits for -----------------------------------------------------------------------
    @property
    def die(self) -> Faces | None:
        """Return the die or chit to be given next, or None when no throw is under way."""
        waits = self.table.waits_for
        return None if waits is None or isinstance(waits, Ask) else waits.faces[len(self.faces)]

    @property
    def last(self) -> GivenInput | None:
        """Return the input that an undo would take back, or None when there is none."""
        return self._live[-1] if self._live and not self.faces and not self._bound else None

    def aimed(self, mission: str) -> Place:
        """Return where the round that landed last was aimed.

        None where none has landed, or by no throw for it.
        """
        for told, mark in zip(reversed(self._live), reversed(self._marks), strict=True):
            landed = (
                entry.event for entry in told.entries if entry.event.kind in ("spotting", "fall")
            )
            if any(event["mission"] == mission for event in landed):
                thrown = isinstance(told.given, Thrown) and mission in mark.state.agenda[0].args
                return mark.state.values.get(f"missions/{mission}/aim", None) if thrown else None
        return None

    # --- input -----------------------------------------------------------------------------------
    def order(self, order: Order) -> tuple[Entry, ...] | Refusal:
        """Give an order; a refusal changes nothing and is not journalled."""
        waits = self.table.waits_for
        if not isinstance(waits, Ask):
            raise JournalError("no order is asked for now")
        refusal = self.table.rulebook.refuse(waits, order, self.table.read)
        if refusal is not None:
            return refusal
        seals = tuple(
            sealed(record, secrets.token_hex(16)) for record in self._records(waits, order)
        )
        row = order_row(waits.question, order, seals)
        return self._taken([row], lambda: self._submit(Answered(waits.question, order), seals))

    def face(self, face: Face, *, typed: bool) -> tuple[Entry, ...]:
        """Give the next die or chit; ``ChanceError`` for one that cannot fall.

        The last one completes the throw.
        """
        return self.throw([(face, typed)])

    def throw(
        self, faces: Sequence[tuple[Face, bool]], *, together: bool = False
    ) -> tuple[Entry, ...]:
        """Give the next dice or chits, each with whether it was typed: all of them are taken, or none."""
        waits = self.table.waits_for
        if waits is None or isinstance(waits, Ask):
            raise JournalError("no die is asked for now")
        if self.fair is not None and not together and not self.fair.alone:
            raise ChanceError("the seats throw the dice together, at the table of the studio")
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
        """Let the seats throw all dice together from now on; it cannot be undone."""
        if self.fair is None and self.faces:
            raise JournalError("finish the throw first: dice that have fallen are not picked up")
        if self.fair is None:
            self._note(TOGETHER, {})
            self.fair = FairDice(sides_of(self.scenario))

    def contribute(self, kind: str, seat: str, value: str) -> None:
        """Take a seat's part of the next throw (``COMMIT``, ``TELL``, ``ALONE``).

        The last makes the dice fall.
        """
        if self.fair is None or self.die is None:
            raise JournalError("the seats have nothing to throw together now")
        self._check_part(kind, seat, value)
        self._note(kind, {"seat": seat, "value": value})
        self.fair.take(kind, seat, value)
        self.settle()

    def _check_part(self, kind: str, seat: str, value: object) -> None:
        """Raise ``JournalError`` for what a seat cannot say now.

        Nobody throws alone what another alone sees.
        """
        if kind == ALONE and not self.sees_throw(seat):
            raise JournalError(f"{seat} cannot throw alone what it does not see")
        if self.fair is not None:
            self.fair.check(kind, seat, value)

    def sees_throw(self, seat: str) -> bool:
        """Return whether a seat sees how the throw falls that is waited for."""
        waits = self.table.waits_for
        return waits is not None and not isinstance(waits, Ask) and waits.seen_by in ("", seat)

    def thrown_for(self, seat: str) -> tuple[FairThrow, ...]:
        """Return the throws of the seats as one of them knows them: what another alone sees, when all is revealed."""
        eyes = Eyes(self.scenario, REFEREE if self.revealed else seat)
        return (
            tuple(each.shown(seen=eyes.sees(each.seen_by)) for each in self.fair.thrown)
            if self.fair
            else ()
        )

    def settle(self) -> None:
        """Let the dice fall for which every seat has told its secret.

        Where they cannot be written now, later.
        """
        waits, fair = self.table.waits_for, self.fair
        if fair is not None and fair.told and waits is not None and not isinstance(waits, Ask):
            with suppress(JournalError):
                self.throw(
                    [(face, False) for face in fair.faces(waits.faces)[len(self.faces) :]],
                    together=True,
                )

    def reveal(self) -> None:
        """Reveal everything that is sealed or hidden; it cannot be undone."""
        if not self.revealed:
            self._note("reveal", {})
            self._reveal()

    def undo(self) -> str:
        """Take the last input back; returns what was done, in words.

        ``JournalError`` when there is none.
        """
        if self.faces:
            raise JournalError("finish the throw first: dice that have fallen are not picked up")
        if not self._live:
            raise JournalError("there is nothing to take back")
        if self._bound:
            raise JournalError("what the seats throw together is not taken back")
        self._write(Row("undo", {"inputs": 1}, self._outcomes.of((), self._marks[-1].state)))
        return self._undo(1)

    @property
    def _bound(self) -> bool:
        """Tell whether the last input is a throw of the seats, or they tell what would become of the next."""
        thrown = (
            self.fair is not None and self.fair.thrown and isinstance(self._live[-1].given, Thrown)
        )
        return bool(thrown or (self.fair and self.fair.secrets))

    def _taken(
        self, rows: Sequence[Row], take: Callable[[], tuple[Entry, ...]]
    ) -> tuple[Entry, ...]:
        """Take an input and write it down with what it led to.

        What cannot be written was never given.
        """
        mark, faces, typed, fixed, given = (
            self.table.mark(),
            self.faces,
            self.typed,
            self._fixed,
            len(self._live),
        )
        before = [self._of((), row) for row in rows[:-1]]
        try:
            entries = take()
            self._write(*before, self._of(entries, rows[-1]))
        except BaseException:
            self.table.back_to(mark)
            self.faces, self.typed, self._fixed = faces, typed, fixed
            if len(self._live) > given:
                del self._live[-1], self._marks[-1], self.story[-1]
            raise
        return entries

    def _of(self, entries: tuple[Entry, ...], row: Row) -> Row:
        """A row with what it led to."""
        return attrs.evolve(
            row,
            after=self._outcomes.of(entries, self.table.state) if self.journal is not None else "",
        )

    def at(self, number: int) -> Session:
        """Return this session as it was after so many inputs, kept by no journal.

        Raises ``JournalError`` for more inputs than there are.
        """
        if not 0 <= number <= len(self.rows):
            raise JournalError(f"there is no input {number}: the last is {len(self.rows)}")
        then = Session(self.scenario, self.moments, None, self.seals)
        for place, row in enumerate(self.rows[:number], start=1):
            then._take(row, place)
            then.rows.append(row)
        return then

    def again(self) -> Iterator[tuple[Session, GivenInput | None]]:
        """Yield one session, kept by no journal, before each input that still stands, with that input; at last None."""
        then = Session(self.scenario, self.moments, None, self.seals)
        for told in self._live:
            yield then, told
            then.typed = told.typed
            then._submit(told.given, told.seals)
        yield then, None

    # --- the same from the journal ---------------------------------------------------------------
    def _compare(self, row: Row, number: int, entries: tuple[Entry, ...], before: State) -> None:
        """Note it when an input of the journal is the first that comes out differently."""
        now = self._outcomes.of(entries, self.table.state)
        if row.after != now and not self.differs:
            what = {"order": "verb", "die": "throw"}.get(row.kind)
            where = f"after input {number} ({row.kind}{f' {row.payload[what]}' if what else ''})"
            self.differs = self._difference(row.after, now, entries, before, where)

    def _difference(
        self, kept: str, now: str, entries: tuple[Entry, ...], before: State | None, where: str
    ) -> str:
        """Say what differs: a ruling, by what the rules say now, or the state that follows."""
        ruling = first_difference(kept, now)
        if ruling is None:
            keys = (
                ""
                if before is None
                else f" (what changes now: {changed_keys(before, self.table.state)})"
            )
            return f"{where} the rulings are the same, but not how things stand{keys}"
        says = (
            Words(self.scenario).ruling(entries[ruling].event)
            if ruling < len(entries)
            else "nothing more"
        )
        return f"{where} ruling {ruling + 1} differs: the rules as they are say {says!r}"

    def _take(self, row: Row, number: int) -> tuple[Entry, ...]:
        """Take an input that is already journalled; returns the rulings that followed."""
        waits = self.table.waits_for
        payload = row.payload
        if row.kind == "undo":
            inputs = payload["inputs"]
            if (
                type(inputs) is not int
                or not 0 < inputs <= len(self._live)
                or self.faces
                or self._bound
            ):
                raise JournalError(f"input {number} takes back what was not given")
            self._undo(inputs)
        elif row.kind == "reveal":
            self._reveal()
        elif row.kind in (TOGETHER, COMMIT, TELL, ALONE):
            self._take_part(row.kind, payload, number)
        elif (
            row.kind == "order" and isinstance(waits, Ask) and waits.question == payload["question"]
        ):
            order = self._order(waits, payload)
            kept = zip(self._records(waits, order), payload.get("seals", ()), strict=False)
            seals = tuple(Seal(record, seal["salt"], seal["commitment"]) for record, seal in kept)
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
            raise JournalError(
                f"input {number} ({row.kind}) does not fit the rules as they are now"
            )
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
        """The order of a row, its values told by the candidates of its form."""
        for form in self._forms(ask):
            if form.verb == payload["verb"]:
                found = {
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
                given = {
                    n: found[n] if found.get(n) is not None else unplain(v)
                    for n, v in payload["values"].items()
                }
                return Order.of(form.verb, **given)
        return Order.of(payload["verb"], **{n: unplain(v) for n, v in payload["values"].items()})

    def _forms(self, ask: Ask) -> Sequence[Form]:
        """The forms of a question, found once for a state."""
        if self._asked[0] is not self.table.state:
            self._asked = (self.table.state, tuple(self.table.rulebook.forms(ask, self.table.read)))
        return self._asked[1]

    def _slots(self, waits: Ask, order: Order) -> list[Slot]:
        """The secret slots of an order."""
        return [
            slot
            for form in self._forms(waits)
            if form.verb == order.verb
            for slot in form.slots
            if slot.secret
        ]

    def _records(self, waits: Ask, order: Order) -> list[SecretNote]:
        """Return what is sealed of an order: its secret values.

        Nothing at a table that keeps no journal.
        """
        slots = self._slots(waits, order) if self.journal is not None else []
        if not slots:
            return []
        words = Words(self.scenario)
        when = self.scenario.clock.name(self.table.state.moment)
        says = " ".join(
            f"{slot.name}={words.value(order[slot.name], slot.name, quoted=True)}" for slot in slots
        )
        return [SecretNote(waits.who, f"{order.verb} in {when}", says)]

    def _reveal(self) -> None:
        self.revealed = True
        self._fixed = len(self._live)

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
            raise ProcedureError(f"{_spoken(given)} is refused: {answer}")
        if isinstance(given, Thrown) or self._shown(answer):
            self._fixed = len(self._live) + 1
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
        self._live.append(self.story[-1])
        self._marks.append(mark)
        return answer

    def _shown(self, entries: tuple[Entry, ...]) -> bool:
        """Return whether these events showed a side an asset or a unit that is hidden from it."""
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
        left, live, moment = len(self._live) - inputs, self._live[-inputs:], self.table.state.moment
        seen = self._fixed > left
        what = "; ".join(_spoken(told.given) for told in live)
        self.table.back_to(self._marks[left])
        del self._marks[left:], self._live[left:]
        if seen:
            self._fixed = left
            self.take_backs.append(what)
            after = self.table.state.moment
            back = (
                attrs.evolve(told, moment=moment, after=after, entries=(), taken_back=True)
                for told in live
            )
            self.story += reversed(list(back))
        else:
            del self.story[len(self.story) - inputs :]
            fresh = (Undone(len(self.story), moment, told.who) for told in live)
            kept_marks = (
                attrs.evolve(one, after=min(one.after, len(self.story))) for one in self.undone
            )
            self.undone = [*kept_marks, *fresh]
        return f"{'take-back (stays in the playthrough)' if seen else 'undone'}: {what}"

    def _note(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Write down an input that changes nothing on the table."""
        self._write(self._of((), Row(kind, payload)))

    def _write(self, *rows: Row) -> None:
        if self.journal is not None:
            self.journal.append(*rows)
        self.rows += rows


def offered(session: Session, most: int = MOST_CANDIDATES) -> list[tuple[Order, Refusal | None]]:
    """Return the orders on offer now with their refusal, at most so many candidates a form."""
    waits = session.table.waits_for
    if not isinstance(waits, Ask):
        return []
    rulebook = session.table.rulebook
    found: list[tuple[Order, Refusal | None]] = []
    for form in rulebook.forms(waits, session.table.read):
        names = [slot.name for slot in form.slots]
        for values in islice(product(*(slot.candidates for slot in form.slots)), most):
            order = Order.of(form.verb, **dict(zip(names, values, strict=True)))
            found.append((order, rulebook.refuse(waits, order, session.table.read)))
    return found


def _spoken(given: Input) -> str:
    return (
        str(given.order)
        if isinstance(given, Answered)
        else f"{given.name} {' '.join(map(str, given.faces))}"
    )
