"""Tables: games in play, which wait for an order or for dice and refuse invalid inputs.

A journal is the list of inputs (orders and thrown dice), from which everything else can be
replayed.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from fireplan_core.chance import (
    Chance,
    ChanceError,
    ChanceEvent,
    Draw,
    Face,
    RandomFaces,
    ScriptedFaces,
    check_face,
)
from fireplan_core.play.cards import OUT, Dealt
from fireplan_core.play.scenario import (
    OPENING,
    Rulebook,
    Scenario,
    State,
    StepOutcome,
    opening,
)
from fireplan_core.record import ProcedureError
from fireplan_core.steps.effects import Agenda, Ask, Event, Step
from fireplan_core.steps.questions import Order, Refusal

MAX_STEPS_A_MOMENT = 100_000


@attrs.frozen
class Thrown:
    """An input that gives the faces thrown for a chance event, in the order of its dice.

    >>> Thrown("contact", (3, 5))
    Thrown(name='contact', faces=(3, 5))
    """

    name: str
    faces: tuple[Face, ...]


@attrs.frozen
class Answered:
    """An input that gives the order in answer to a question.

    >>> from fireplan_core import Order
    >>> Answered("requests.fire", Order.of("fire", at="K5"))
    Answered(question='requests.fire', order=Order(verb='fire', values=(('at', 'K5'),)))
    """

    question: str
    order: Order


Input = Thrown | Answered


@attrs.frozen
class LogEntry:
    """A log entry: an event, its moment, and the number of the throw that caused it, or None."""

    moment: int
    event: Event
    throw: int | None = None


Log = tuple[LogEntry, ...]
"""Log entries in the order in which they happened."""


@attrs.frozen(eq=False)
class Mark:
    """A point in a table's play, to which ``Table.back_to`` can reset the table.

    Making a mark copies no values.
    """

    state: State
    waits_for: Ask | ChanceEvent | None
    dealt: Dealt | None
    inputs: int
    entries: int
    throws: int


class _Waiting(Exception):  # noqa: N818 - control flow within this module only
    def __init__(self, event: ChanceEvent) -> None:
        self.event = event


class Table:
    """A scenario in play for a number of moments, from its opening or from a later state.

    ``waits_for`` is the question or chance event that comes next, or None when play is over.
    ``submit`` takes an input. The table tracks the faces of the cards drawn, so that each draw
    comes from the cards that remain. With ``by_kinds`` (for odds), it tracks only the facts that
    rules have asked about.

    >>> scenario, file = find_scenario(Catalogue.installed(only=("asl",)), "asl/village")
    >>> Table(scenario, moments=3).waits_for.question
    'requests.call'
    """

    def __init__(
        self,
        scenario: Scenario,
        moments: int,
        state: State | None = None,
        *,
        by_kinds: bool = False,
    ) -> None:
        self.scenario = scenario
        self.moments = moments
        self.rulebook = Rulebook(scenario)
        self.state: State = state or opening(scenario)
        self._opening = self.state.moment
        self._journal: list[Input] = []
        self._log: list[LogEntry] = []
        self.waits_for: Ask | ChanceEvent | None = None
        self._throws = 0
        followed = scenario.decks and not by_kinds
        self.dealt = Dealt(scenario.decks).after(self.read(OUT, ())) if followed else None
        self._advance()

    # --- reading ---------------------------------------------------------------------------------
    def read(self, key: str, default: Any) -> Any:
        """Return the value of a key in the current state, or the default if the key is missing."""
        return self.state.values.get(key, default)

    @property
    def journal(self) -> tuple[Input, ...]:
        """All inputs so far, in order."""
        return tuple(self._journal)

    @property
    def log(self) -> Log:
        """All events so far, as log entries in order."""
        return tuple(self._log)

    @property
    def over(self) -> bool:
        """True once all moments have been played."""
        return self.waits_for is None

    @property
    def question_due(self) -> Ask | None:
        """The question that play waits for, or None."""
        return self.waits_for if isinstance(self.waits_for, Ask) else None

    @property
    def throw_due(self) -> ChanceEvent | None:
        """The throw that play waits for, or None."""
        return None if isinstance(self.waits_for, Ask) else self.waits_for

    # --- marks -----------------------------------------------------------------------------------
    def __copy__(self) -> Table:
        """Return an independent copy of the table."""
        twin = object.__new__(type(self))
        twin.__dict__ |= self.__dict__ | {"_journal": [*self._journal], "_log": [*self._log]}
        return twin

    def knowing(self, state: State) -> Table:
        """Return a new table in ``state`` with only those card faces that a player would know.

        The player has seen only the cards that are out in ``state``. The table's journal and log
        are empty.
        """
        table = Table(self.scenario, self.moments, state)
        if self.dealt is not None:
            table.dealt = self.dealt.known(table.read(OUT, ()))
            table._advance()  # the pending draw must be from the cards that remain
        return table

    def mark(self) -> Mark:
        """Return a mark of the current point in play, for use with ``back_to``."""
        return Mark(
            self.state, self.waits_for, self.dealt, len(self._journal), len(self._log), self._throws
        )

    def back_to(self, mark: Mark) -> None:
        """Reset the table to a mark, forgetting later inputs and their events."""
        self.state, self.waits_for, self._throws = mark.state, mark.waits_for, mark.throws
        self.dealt = mark.dealt
        del self._journal[mark.inputs :], self._log[mark.entries :]

    # --- input -----------------------------------------------------------------------------------
    def submit(self, entry: Input) -> Log | Refusal:
        """Apply an input; return the resulting log entries, or a ``Refusal`` of an order.

        Raises ``ChanceError`` for impossible faces, and ``ProcedureError`` if the table waits for a
        different input. A refusal or an error leaves the table unchanged.
        """
        before = len(self._log)
        if isinstance(entry, Answered):
            ask = self.question_due
            if ask is None or ask.question != entry.question:
                raise ProcedureError(
                    f"the table is not waiting for an answer to {entry.question!r}"
                )
            refusal = self.rulebook.refuse(ask, entry.order, self.read)
            if refusal is not None:
                return refusal
            rest = self.state.agenda[1:]
            noted = self.rulebook.noted(ask, entry.order, self.read)
            self.state = State(
                self.state.values.put(noted), (self.rulebook.after(ask, entry.order), *rest)
            )
        else:
            event = self.throw_due
            if event is None or event.name != entry.name:
                raise ProcedureError(f"the table is not waiting for the throw {entry.name!r}")
            self._check(event, entry.faces)
            self._throws += 1
            card = isinstance(event, Draw) and event.deck
            outcome = self._run(event.read(entry.faces))
            self._settle(outcome, self._throws, entry.faces[0] if card else None)
        self._journal.append(entry)
        self._advance()
        return tuple(self._log[before:])

    def ways(self) -> Iterator[tuple[Fraction, Table]]:
        """Yield each outcome of the pending throw, as its probability and the resulting table.

        Faces with the same outcome are merged, and the face of a card is not recorded. Raises
        ``ProcedureError`` if no throw is pending.
        """
        event, mark = self.throw_due, self.mark()
        if event is None:
            raise ProcedureError("the table is not waiting for a throw")
        weights: Counter[StepOutcome] = Counter()
        for fallen, weight in event.space:
            weights[self._run(fallen)] += weight
        for outcome, weight in weights.items():
            self._throws += 1
            self._settle(outcome, self._throws)
            self._advance()
            twin = copy.copy(self)
            self.back_to(mark)
            yield Fraction(weight, weights.total()), twin

    @staticmethod
    def _check(event: ChanceEvent, faces: tuple[Face, ...]) -> None:
        dice = event.faces
        if len(dice) != len(faces):
            raise ChanceError(f"{event.name}: expected {len(dice)} dice, got {len(faces)}")
        for die, face in zip(dice, faces, strict=True):
            check_face(die, face)

    # --- the loop --------------------------------------------------------------------------------
    def _advance(self) -> None:
        """Run all steps that need no input, up to the next question or throw or the end of play."""
        for _ in range(MAX_STEPS_A_MOMENT):
            if not self.state.agenda:
                number = self.state.moment + 1
                values = self.state.values.put((("clock/moment", number),))
                self.state = State(values, (OPENING,) if number < self.moments else ())
                if number >= self.moments:
                    self.waits_for = None
                    return
            top = self.state.agenda[0]
            if isinstance(top, Ask):
                self.waits_for = top
                return
            try:
                self._settle(self._run(None), None)
            except _Waiting as waiting:
                self.waits_for = self.as_dealt(waiting.event)
                return
        raise ProcedureError(
            f"moment {self.state.moment} does not end within {MAX_STEPS_A_MOMENT} steps"
        )

    def _run(self, fallen: tuple[Any, ...] | None) -> StepOutcome:
        """Return the outcome of the next step, given the result of its throw.

        If ``fallen`` is None, raises ``_Waiting`` if the step needs a throw; an event without dice
        needs none.
        """
        top = self.state.agenda[0]
        if not isinstance(top, Step):
            raise ProcedureError(f"expected a step, got {top}")

        def fall(event: ChanceEvent) -> tuple[Any, ...]:
            if fallen is None and event.faces:
                raise _Waiting(event)
            return event.read(()) if fallen is None else fallen

        return self.rulebook.run(top, partial(Chance, fall), self.read)

    def _settle(self, outcome: StepOutcome, throw: int | None, face: Face | None = None) -> None:
        self._apply(outcome, throw)
        if self.dealt is not None and any(key == OUT for key, _ in outcome.updates):
            self.dealt = self.dealt.after(self.read(OUT, ()), face)

    def as_dealt(self, event: ChanceEvent) -> ChanceEvent:
        """Return the event; a draw from a deck is limited to the cards that remain in the deck."""
        if (
            self.dealt is None
            or not isinstance(event, Draw)
            or event.card is None
            or not event.deck
        ):
            return event
        return attrs.evolve(event, counts=self.dealt.weights(event.card))

    def _apply(self, outcome: StepOutcome, throw: int | None) -> None:
        moment = self.state.moment
        agenda: Agenda = (*outcome.pushes, *self.state.agenda[1:])
        self.state = State(self.state.values.put(outcome.updates), agenda)
        for event in outcome.events:
            self._log.append(LogEntry(moment, event, throw))
            if event.kind == "fall":
                mission = event["mission"]
                falls = [
                    e.moment
                    for e in self._log
                    if e.event.kind == "fall" and e.event["mission"] == mission
                ]
                self.scenario.parts.hold_to_limit(self.scenario, mission, falls, self._opening)


def replay(scenario: Scenario, moments: int, journal: tuple[Input, ...]) -> Table:
    """Return a table after applying all inputs in a journal.

    Raises ``ProcedureError`` if an input is refused or does not fit, which means that the rules
    have changed.

    >>> from fireplan_core.chance import RandomFaces
    >>> scenario, file = find_scenario(Catalogue.installed(only=("asl",)), "asl/village")
    >>> played = play_out(Table(scenario, 3), RandomFaces(1))
    >>> replay(scenario, 3, played.journal).state == played.state
    True
    """
    table = Table(scenario, moments)
    for entry in journal:
        answer = table.submit(entry)
        if isinstance(answer, Refusal):
            raise ProcedureError(f"the replay stops, because {entry} is refused: {answer}")
    return table


def play_out(table: Table, faces: RandomFaces | ScriptedFaces) -> Table:
    """Play a table to its end with these dice and the standard orders, and return the table.

    Raises ``ProcedureError`` if the rules refuse a standard order.

    >>> from fireplan_core.chance import RandomFaces
    >>> scenario, file = find_scenario(Catalogue.installed(only=("asl",)), "asl/village")
    >>> table = play_out(Table(scenario, file.moments), RandomFaces(1))
    >>> table.over, table.log[0].event.kind
    (True, 'requested')
    """
    while table.waits_for is not None:
        waits = table.waits_for
        if isinstance(waits, Ask):
            order = table.rulebook.answer(waits, {}, table.read)
            answer = table.submit(Answered(waits.question, order))
            if isinstance(answer, Refusal):
                raise ProcedureError(
                    f"the standard answer to {waits.question}, {order}, is refused: {answer}"
                )
        else:
            table.submit(Thrown(waits.name, faces.faces(waits)))
    return table
