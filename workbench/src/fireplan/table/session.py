"""A session: the inputs of a journal, folded one by one into the history of a game."""

from __future__ import annotations

import copy
import pickle
import secrets  # noqa: TID251 - salts of sealed records, which must not be guessed; play does not depend on them
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from fireplan.errors import JournalError
from fireplan.table.digests import Outcomes, difference
from fireplan.table.history import GivenInput, History
from fireplan.table.journal import Journal, JournalRow, order_in, order_row
from fireplan.table.seals import Seal, sealed
from fireplan.table.words import Words
from fireplan_core import Order, ProcedureError, Refusal, Scenario
from fireplan_core.chance import ChanceError, ChanceEvent, Face, Faces, check_face
from fireplan_core.play import Log
from fireplan_core.play.table import Answered, Table, Thrown

_UNFIT = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
    *(ChanceError, ProcedureError),
)
"""Exceptions that rules raise for an input made under different rules."""


class Session:
    """A game in play; with a journal, every input is stored before it is acknowledged.

    ``rows`` are the inputs, and everything else follows from them: ``history`` contains the table,
    ``faces`` and ``typed`` the dice of an unfinished throw, and ``revealed`` says whether all
    secrets are open. ``seals`` are the sealed records written before play. ``differs`` describes
    the first difference between the journal and the current rules; it is empty if there is none.
    ``opening`` is the digest that the journal has of everything before the first input. A copy has
    no journal.
    """

    def __init__(
        self,
        scenario: Scenario,
        moments: int,
        journal: Journal | None = None,
        seals: Sequence[Seal] = (),
        opening: str = "",
        *,
        table: Table | None = None,
    ) -> None:
        self.scenario = scenario
        self.moments = moments
        self.journal = journal
        self._begun_in_play = table is not None
        self.seals = tuple(seals)
        self.history = History(table or Table(scenario, moments))
        self.rows: list[JournalRow] = []
        self.faces: tuple[Face, ...] = ()
        self.typed: tuple[bool, ...] = ()
        self.revealed = False
        self.differs = ""
        self._outcomes = Outcomes()
        if journal is not None:
            self._replay(journal.rows, opening)

    def __reduce__(self) -> tuple[Callable[..., Session], tuple[Any, ...]]:
        """Return the call by which a pickle replays the session, without its journal.

        Raise ``PicklingError`` for a session that began at a table in play.
        """
        if self._begun_in_play:
            raise pickle.PicklingError("a session that began at a table in play cannot be pickled")
        return _played_again, (self.scenario, self.moments, self.seals, (*self.rows,), self.differs)

    @property
    def table(self) -> Table:
        """The table as it is now."""
        return self.history.table

    # --- the pending input -----------------------------------------------------------------------
    @property
    def throw_due(self) -> ChanceEvent | None:
        """The throw that the table waits for, or None."""
        return self.table.throw_due

    @property
    def die(self) -> Faces | None:
        """The next die or chit to enter, or None if no throw is under way."""
        throw = self.throw_due
        return None if throw is None else throw.faces[len(self.faces)]

    @property
    def last(self) -> GivenInput | None:
        """The input that an undo would take back; None if there is none, or amid a throw."""
        standing = self.history.standing
        return standing[-1].move if standing and not self.faces else None

    # --- input -----------------------------------------------------------------------------------
    def order(self, order: Order) -> Log | Refusal:
        """Give an order and return its rulings, or the refusal.

        A refusal changes nothing and is not journalled. Raise ``JournalError`` if no order is due.
        """
        waits = self.table.question_due
        if waits is None:
            raise JournalError("no order can be given now")
        refusal = self.table.rulebook.refuse(waits, order, self.table.read)
        if refusal is not None:
            return refusal
        note = None if self.journal is None else self.history.secret_note(waits, order)
        seals = () if note is None else (sealed(note, secrets.token_hex(16)),)
        return self._enter(order_row(waits.question, order, seals))

    def face(self, face: Face, *, typed: bool) -> Log:
        """Enter the next die or chit; ``typed`` says whether the player typed it.

        Return the rulings if it completes the throw, else (). Raise ``ChanceError`` for a face that
        the die does not have, and ``JournalError`` if no throw is due.
        """
        return self.throw([(face, typed)])

    def throw(self, faces: Sequence[tuple[Face, bool]]) -> Log:
        """Enter the next dice or chits, all or none.

        Return the rulings if they complete the throw, else (). Each face comes with a flag that
        says whether it was typed. Raise ``ChanceError`` for a face that the die does not have, and
        ``JournalError`` if no throw is due.
        """
        throw = self.throw_due
        if throw is None:
            raise JournalError("no die can be thrown now")
        rows = (
            JournalRow("die", {"throw": throw.name, "face": face, "typed": typed})
            for face, typed in faces
        )
        return self._enter(*rows)

    def reveal(self) -> None:
        """Reveal everything that is sealed or hidden; this cannot be undone."""
        if not self.revealed:
            self._enter(JournalRow("reveal", {}))

    def undo(self) -> str:
        """Take back the last input and return a message about it.

        Raise ``JournalError`` if there is no input, or in the middle of a throw.
        """
        if self.faces:
            raise JournalError("finish the throw first: dice already thrown cannot be taken back")
        if not self.history.standing:
            raise JournalError("there is nothing to take back")
        message = self.history.undo_message
        self._enter(JournalRow("undo", {"inputs": 1}))
        return message

    # --- earlier states --------------------------------------------------------------------------
    def at(self, number: int) -> Session:
        """Return this session as it was after ``number`` inputs, without a journal.

        Raise ``JournalError`` if there are fewer.
        """
        if not 0 <= number <= len(self.rows):
            raise JournalError(f"there is no input {number}: the last is {len(self.rows)}")
        past = Session(self.scenario, self.moments, None, self.seals)
        for row in self.rows[:number]:
            past.take(row)
        return past

    def again(self) -> Iterator[tuple[Session, GivenInput | None]]:
        """Replay the game without a journal; yield (session, next input) before each input.

        The session is the same object each time. At the end, the next input is None. Inputs that
        were taken back are skipped.
        """
        replay = Session(self.scenario, self.moments, None, self.seals)
        for each in self.history.standing:
            yield replay, each.move
            replay.history.submit(each.move.given, each.move.typed, each.move.seals)
        yield replay, None

    # --- inputs taken one by one -----------------------------------------------------------------
    def _enter(self, *rows: JournalRow) -> Log:
        """Take inputs and write them to the journal with their digests, all or none.

        Return the rulings of the last input.
        """
        before = {**vars(self), "history": copy.copy(self.history), "rows": [*self.rows]}
        first = len(self.rows)
        entries: Log = ()
        try:
            for row in rows:
                entries = self.take(row)
                if self.journal is not None:
                    after = self._outcomes.of(entries, self.table.state)
                    self.rows[-1] = attrs.evolve(row, after=after)
            if self.journal is not None:
                self.journal.append(*self.rows[first:])
        except BaseException:
            vars(self).update(before)
            raise
        return entries

    def _replay(self, rows: Sequence[JournalRow], opening: str) -> None:
        """Replay a journal's inputs, and describe the first with different effects in ``differs``.

        ``opening`` is the journal's digest of everything before the first input, or "". Raise
        ``JournalError`` for an input that does not fit the current rules.
        """
        words, prologue = Words(self.scenario), self.history.prologue
        now = self._outcomes.of(prologue, self.table.state)
        if opening not in ("", now):
            found = difference(opening, now, prologue, words)
            self.differs = f"before the first input, {found}"
        for number, row in enumerate(rows, start=1):
            before = self.table.state
            try:
                entries = self.take(row)
                now = self._outcomes.of(entries, self.table.state)
                if row.after != now and not self.differs:
                    states = before, self.table.state
                    found = difference(row.after, now, entries, words, states)
                    self.differs = f"after input {number} ({row.label}), {found}"
            except (JournalError, *_UNFIT) as error:
                reason = str(error)
                if not isinstance(error, JournalError):
                    # Quote only errors of the rules; those of Python mean nothing to a player.
                    worded = isinstance(error, ChanceError | ProcedureError)
                    reason = f"input {number} does not fit the present rules" + (
                        f": {error}" if worded else ""
                    )
                first = f"{self.differs}; then " if self.differs else ""
                raise JournalError(f"{first}{reason}") from error

    def take(self, row: JournalRow) -> Log:
        """Take an input without writing it, and return the resulting rulings.

        Raise ``JournalError``, or the errors of the rules, for an input that does not fit. Part of
        the input may have been taken by then.
        """
        entries: Log = ()
        if row.kind == "undo":
            self._take_back(row.payload["inputs"])
        elif row.kind == "reveal":
            self.revealed = True
            self.history.fix()
        elif row.kind == "order":
            entries = self._take_order(row.payload)
        elif row.kind == "die":
            entries = self._take_die(row.payload)
        else:
            raise self._unfit(row.kind)
        self.rows.append(row)
        return entries

    def _unfit(self, kind: str, where: str = "the present rules") -> JournalError:
        return JournalError(f"input {len(self.rows) + 1} ({kind}) does not fit {where}")

    def _take_back(self, inputs: object) -> None:
        standing = len(self.history.standing)
        if type(inputs) is not int or not 0 < inputs <= standing or self.faces:
            raise self._unfit("undo", "the inputs before it")
        self.history.take_back(inputs)

    def _take_order(self, payload: Mapping[str, Any]) -> Log:
        waits = self.table.question_due
        if waits is None or waits.question != payload["question"]:
            raise self._unfit("order")
        order = order_in(payload, self.history.forms())
        note = self.history.secret_note(waits, order) if payload.get("seals") else None
        seals = (
            Seal(note, seal["salt"], seal["commitment"])
            for seal in payload.get("seals", ())[:1]
            if note is not None
        )
        return self.history.submit(Answered(waits.question, order), seals=tuple(seals))

    def _take_die(self, payload: Mapping[str, Any]) -> Log:
        """Take a die of the pending throw; return the rulings if it completes the throw, else ().

        Raise ``JournalError`` if this throw is not pending, or ``ChanceError`` for an impossible
        face.
        """
        throw = self.throw_due
        if throw is None or throw.name != payload["throw"]:
            raise self._unfit("die")
        check_face(throw.faces[len(self.faces)], payload["face"])
        faces, typed = (*self.faces, payload["face"]), (*self.typed, bool(payload["typed"]))
        if len(faces) < len(throw.faces):
            self.faces, self.typed = faces, typed
            return ()
        self.faces, self.typed = (), ()
        return self.history.submit(Thrown(throw.name, faces), typed)


def _played_again(
    scenario: Scenario,
    moments: int,
    seals: Sequence[Seal],
    rows: Sequence[JournalRow],
    differs: str,
) -> Session:
    """Return the session in which these inputs were taken, without a journal."""
    session = Session(scenario, moments, None, seals)
    for row in rows:
        session.take(row)
    session.differs = differs
    return session
