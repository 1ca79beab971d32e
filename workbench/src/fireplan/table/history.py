"""The history of a game: its inputs with their effects, and taking them back.

An order can be undone freely until a die falls after it; from then on it is a take-back, which the
journal and the playthrough record.
"""

from __future__ import annotations

import copy
from typing import Any, Self

import attrs

from fireplan.table.seals import Seal
from fireplan.table.sides import Visibility, sides_of
from fireplan.table.words import Words
from fireplan_core import Ask, Form, Order, ProcedureError, Refusal, SecretNote, Slot
from fireplan_core.chance import ChanceEvent
from fireplan_core.play import Log, State
from fireplan_core.play.table import Answered, Input, Mark, Table, Thrown
from fireplan_core.steps.questions import form_of


@attrs.frozen
class GivenInput:
    """One input of a session and its effects: an order, a whole throw, or a take-back.

    ``given`` is the input, or the input taken back if ``taken_back`` is set. ``moment`` is the
    moment in which it was made, and ``after`` the resulting moment. ``who`` gave the order; for a
    throw, it is the only side that sees it, or empty. For each die of a throw, ``typed`` says
    whether the players rolled it, and ``labels`` gives its meaning. ``secret`` names the slots of
    an order that other sides must not read, and ``seals`` contains the sealed records of their
    values. ``form`` is the form of an order. ``event`` is the throw or draw, ``before`` the state
    in which it fell, and ``results`` caches its result in words, by side.
    """

    given: Input
    moment: int
    after: int
    entries: Log = ()
    who: str = ""
    typed: tuple[bool, ...] = ()
    labels: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()
    seals: tuple[Seal, ...] = ()
    taken_back: bool = False
    form: Form | None = attrs.field(default=None, repr=False, eq=False)
    before: State | None = attrs.field(default=None, repr=False, eq=False)
    event: ChanceEvent | None = attrs.field(default=None, repr=False, eq=False)
    results: dict[str, Any] = attrs.field(factory=dict, init=False, repr=False, eq=False)


@attrs.frozen
class Undone:
    """A note that the side ``who`` took back an order before any die fell after it.

    ``after`` is the number of inputs in the story before that order, and ``moment`` the moment in
    which the order was taken back.
    """

    after: int
    moment: int
    who: str


@attrs.frozen
class StandingInput:
    """An input that has not been taken back, and the table before it."""

    move: GivenInput
    before: Mark


class History:
    """A table and the inputs that led to it.

    ``prologue`` contains the events before the first input. ``standing`` lists the inputs that have
    not been taken back. ``story`` lists all that the record must show, including take-backs, and
    ``undone`` notes the orders that were taken back freely.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.prologue = table.log
        self.standing: list[StandingInput] = []
        self.story: list[GivenInput] = []
        self.undone: list[Undone] = []
        self._fixed = 0
        """Number of inputs up to the last die or revealed secret; undoing one of them is public."""
        eyes = (Visibility(table.scenario, side) for side in sides_of(table.scenario))
        self._veiled = [each for each in eyes if each.veiled]
        """The views of the sides from which something is hidden."""
        self._forms_cache: tuple[State | None, tuple[Form, ...]] = (None, ())

    def __copy__(self) -> Self:
        """Return an independent copy."""
        twin = object.__new__(type(self))
        vars(twin).update(
            vars(self),
            table=copy.copy(self.table),
            standing=[*self.standing],
            story=[*self.story],
            undone=[*self.undone],
        )
        return twin

    def submit(
        self, given: Input, typed: tuple[bool, ...] = (), seals: tuple[Seal, ...] = ()
    ) -> Log:
        """Add an input and return its rulings.

        ``typed`` says for each die whether the players rolled it, and ``seals`` are the sealed
        records of an order's secret values. Raise ``ProcedureError`` for a refused order, and the
        errors of ``Table.submit``.
        """
        table, waits, mark = self.table, self.table.waits_for, self.table.mark()
        who, labels, secret = "", tuple[str, ...](), tuple[str, ...]()
        form = None
        if isinstance(waits, Ask) and isinstance(given, Answered):
            form = form_of(given.order.verb, self.forms())
        if isinstance(waits, Ask):
            who = waits.who
            if isinstance(given, Answered) and self._veiled:
                secret = tuple(slot.name for slot in self.secret_slots(given.order))
        elif waits is not None:
            who, labels = waits.seen_by, tuple(die.label for die in waits.faces)
        entries = table.submit(given)
        if isinstance(entries, Refusal):
            raise ProcedureError(f"{self.in_words(given)} is refused: {entries}")
        now = table.state.moment
        before = mark.state if isinstance(given, Thrown) else None
        move = GivenInput(
            given,
            mark.state.moment,
            now,
            entries,
            who,
            typed,
            labels,
            secret,
            seals,
            form=form,
            before=before,
            event=None if isinstance(waits, Ask) else waits,
        )
        self.story.append(move)
        self.standing.append(StandingInput(move, mark))
        if isinstance(given, Thrown) or self._reveals(entries):
            self.fix()
        return entries

    def fix(self) -> None:
        """Make every undo of the inputs so far a take-back."""
        self._fixed = len(self.standing)

    def _reveals(self, entries: Log) -> bool:
        """Return whether these events revealed a hidden asset or unit to a side."""
        learnt = ((eyes, eyes.learns(entry.event)) for eyes in self._veiled for entry in entries)
        return any(event is not None and eyes.names_hidden(event) for eyes, event in learnt)

    def take_back(self, inputs: int) -> None:
        """Return the table to the state before the last ``inputs`` inputs.

        If the undo is free, these inputs are removed from the story, and ``undone`` notes only
        which sides took back an order. Otherwise the story shows the inputs as taken back.
        """
        remaining = len(self.standing) - inputs
        moves, moment = [each.move for each in self.standing[remaining:]], self.table.state.moment
        self.table.back_to(self.standing[remaining].before)
        del self.standing[remaining:]
        if self._fixed > remaining:
            self._fixed = remaining
            after = self.table.state.moment
            self.story += (
                attrs.evolve(move, moment=moment, after=after, entries=(), taken_back=True)
                for move in reversed(moves)
            )
        else:
            del self.story[len(self.story) - inputs :]
            last = len(self.story)
            self.undone = [
                *(
                    note if note.after <= last else attrs.evolve(note, after=last)
                    for note in self.undone
                ),
                *(Undone(last, moment, move.who) for move in moves),
            ]

    @property
    def undo_message(self) -> str:
        """The message for an undo of the last input."""
        public = self._fixed == len(self.standing)
        kind = "taken back, which the log notes" if public else "undone"
        move = self.standing[-1].move
        if move.form and isinstance(move.given, Answered):
            deed = Words(self.table.scenario).deed(move.given.order, move.form, move.given.question)
            return f"{kind}: {deed}"
        return f"{kind}: {self.in_words(move.given, move.event)}"

    def in_words(self, given: Input, event: ChanceEvent | None = None) -> str:
        """Return an input in words; ``event`` is the throw or draw that it answers."""
        words = Words(self.table.scenario)
        if isinstance(given, Answered):
            return words.typed.order(given.order)
        faces = ", ".join(words.cards.faces(event, given.faces))
        return f"{words.act(given.name, event)} ({faces})"

    # --- the pending question --------------------------------------------------------------------
    def forms(self) -> tuple[Form, ...]:
        """Return the forms of the pending question, computed once for each state."""
        waits, state = self.table.waits_for, self.table.state
        if not isinstance(waits, Ask):
            return ()
        if self._forms_cache[0] is not state:
            forms = self.table.rulebook.forms(waits, self.table.read)
            self._forms_cache = (state, tuple(forms))
        return self._forms_cache[1]

    def secret_slots(self, order: Order) -> tuple[Slot, ...]:
        """Return the slots of an order whose values other sides must not read."""
        form = form_of(order.verb, self.forms())
        return tuple(slot for slot in form.slots if slot.secret) if form else ()

    def secret_note(self, ask: Ask, order: Order) -> SecretNote | None:
        """Return the record of an order's secret values, or None if it has none."""
        slots = self.secret_slots(order)
        if not slots:
            return None
        words, clock = Words(self.table.scenario), self.table.scenario.clock
        says = " ".join(
            f"{slot.name}={words.typed.value(order[slot.name], slot.name, quoted=True)}"
            for slot in slots
        )
        return SecretNote(ask.who, f"{order.verb} in {clock.name(self.table.state.moment)}", says)
