"""A table: a game in play. It waits for an order or for dice, and never takes a wrong one.

The journal is the inputs (orders, and each throw as it fell); everything else follows from it.
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
    Doctrine,
    Outcome,
    Rulebook,
    Scenario,
    State,
    opening,
)
from fireplan_core.record import ProcedureError
from fireplan_core.steps.effects import Ask, Event, Pending, Step
from fireplan_core.steps.questions import Order, Refusal

MAX_STEPS_A_MOMENT = 100_000


@attrs.frozen
class Thrown:
    """An input: the faces of one chance event, in the order they were asked for."""

    name: str
    faces: tuple[Face, ...]


@attrs.frozen
class Answered:
    """An input: the order that answered a question."""

    question: str
    order: Order


Input = Thrown | Answered


@attrs.frozen
class Entry:
    """A line of the log: an event, the moment it belongs to, and the number of the throw behind it (or None)."""

    moment: int
    event: Event
    throw: int | None = None


@attrs.frozen(eq=False)
class Mark:
    """Hold where a table stood: what ``Table.back_to`` brings back, in no more work than forgetting what came later."""

    state: State
    waits_for: Ask | ChanceEvent | None
    dealt: Dealt | None
    inputs: int
    entries: int
    throws: int


class _Waiting(Exception):  # noqa: N818 - control flow inside this module, never seen outside
    def __init__(self, event: ChanceEvent) -> None:
        self.event = event


class Table:
    """A scenario in play for a number of moments, from its opening or from a later state.

    ``waits_for`` is the question or chance event to be answered next, or None when play is over. ``submit``
    takes one input: it returns the log entries that follow, or a ``Refusal`` and changes nothing. Which cards fell is
    followed, so that none falls that is not left; not so where odds are counted (``by_kinds``), which know of a card
    what rules asked of it.
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
        self._journal: list[Input] = []
        self._log: list[Entry] = []
        self.waits_for: Ask | ChanceEvent | None = None
        self._throws = 0
        followed = scenario.decks and not by_kinds
        self.dealt = Dealt(scenario.decks).after(self.read(OUT, ())) if followed else None
        self._advance()

    # --- reading ---------------------------------------------------------------------------------
    def read(self, key: str, default: Any) -> Any:
        """Return the value at a key of the present state."""
        return self.state.values.get(key, default)

    @property
    def journal(self) -> tuple[Input, ...]:
        """Return the inputs so far."""
        return tuple(self._journal)

    @property
    def log(self) -> tuple[Entry, ...]:
        """Return what has happened so far."""
        return tuple(self._log)

    @property
    def over(self) -> bool:
        """Return whether all moments have been played."""
        return self.waits_for is None

    # --- back ------------------------------------------------------------------------------------
    def __copy__(self) -> Table:
        """Return a table that stands as this one does, and goes on by itself."""
        twin = object.__new__(type(self))
        twin.__dict__ |= self.__dict__ | {"_journal": [*self._journal], "_log": [*self._log]}
        return twin

    def mark(self) -> Mark:
        """Return where the table stands."""
        return Mark(
            self.state, self.waits_for, self.dealt, len(self._journal), len(self._log), self._throws
        )

    def back_to(self, mark: Mark) -> None:
        """Stand again where this table stood: later inputs and what they led to are forgotten."""
        self.state, self.waits_for, self._throws = mark.state, mark.waits_for, mark.throws
        self.dealt = mark.dealt
        del self._journal[mark.inputs :], self._log[mark.entries :]

    # --- input -----------------------------------------------------------------------------------
    def submit(self, given: Input) -> tuple[Entry, ...] | Refusal:
        """Take one input.

        Raises ``ChanceError`` for faces that cannot fall and ``ProcedureError`` when the table
        waits for something else; the state is then unchanged. A wrong order is a ``Refusal``.
        """
        waits = self.waits_for
        before = len(self._log)
        if isinstance(given, Answered):
            if not isinstance(waits, Ask) or waits.question != given.question:
                raise ProcedureError(f"the table does not wait for an answer to {given.question!r}")
            refusal = self.rulebook.refuse(waits, given.order, self.read)
            if refusal is not None:
                return refusal
            rest = self.state.agenda[1:]
            self.state = attrs.evolve(
                self.state, agenda=(self.rulebook.after(waits, given.order), *rest)
            )
        else:
            if waits is None or isinstance(waits, Ask) or waits.name != given.name:
                raise ProcedureError(f"the table does not wait for the throw {given.name!r}")
            self._check(waits, given.faces)
            self._throws += 1
            self._perform(given.faces)
        self._journal.append(given)
        self._advance()
        return tuple(self._log[before:])

    def ways(self) -> Iterator[tuple[Fraction, Table]]:
        """Yield a table for each thing that the throw now waited for may bring, with its chance.

        Which face fell is not told, and of a card these tables know what rules ask of it. Raises
        ``ProcedureError`` where no throw is waited for.
        """
        waits, mark = self.waits_for, self.mark()
        if waits is None or isinstance(waits, Ask):
            raise ProcedureError("the table does not wait for a throw")
        found: Counter[Outcome] = Counter()
        for fallen, weight in waits.space:
            found[self._run(fallen)] += weight
        for outcome, weight in found.items():
            self._throws += 1
            self._settle(outcome, self._throws)
            self._advance()
            twin = copy.copy(self)
            self.back_to(mark)
            yield Fraction(weight, found.total()), twin

    @staticmethod
    def _check(event: ChanceEvent, faces: tuple[Face, ...]) -> None:
        wanted = event.faces
        if len(wanted) != len(faces):
            raise ChanceError(
                f"{event.name}: {len(wanted)} dice are wanted, {len(faces)} were given"
            )
        for die, face in zip(wanted, faces, strict=True):
            check_face(die, face)

    # --- the loop --------------------------------------------------------------------------------
    def _advance(self) -> None:
        """Run everything that needs no input, up to the next question, throw, or the end."""
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
                self._perform(None)
            except _Waiting as waiting:
                self.waits_for = self._as_dealt(waiting.event)
                return
        raise ProcedureError(f"the moment {self.state.moment} does not end")

    def _perform(self, faces: tuple[Face, ...] | None) -> None:
        waits = self.waits_for
        read = (
            None if faces is None or waits is None or isinstance(waits, Ask) else waits.read(faces)
        )
        card = faces and isinstance(waits, Draw) and waits.card
        self._settle(
            self._run(read),
            None if faces is None else self._throws,
            faces[0] if faces and card else None,
        )

    def _run(self, fallen: tuple[Any, ...] | None) -> Outcome:
        """Return what the next step does as a throw has fallen.

        Without one it waits for the throw, if it wants any.
        """
        top = self.state.agenda[0]
        if not isinstance(top, Step):
            raise ProcedureError(f"{top} is not a step")

        def fall(event: ChanceEvent) -> tuple[Any, ...]:
            if fallen is None:
                raise _Waiting(event)
            return fallen

        return self.rulebook.run(top, partial(Chance, fall), self.read)

    def _settle(self, outcome: Outcome, throw: int | None, face: Face | None = None) -> None:
        self._apply(outcome, throw)
        if self.dealt is not None and any(key == OUT for key, _ in outcome.updates):
            self.dealt = self.dealt.after(self.read(OUT, ()), face)

    def _as_dealt(self, event: ChanceEvent) -> ChanceEvent:
        """Return a draw from a deck as it is from the cards that are left."""
        if self.dealt is None or not isinstance(event, Draw) or event.card is None:
            return event
        return attrs.evolve(event, counts=self.dealt.weights(event.card))

    def _apply(self, outcome: Outcome, throw: int | None) -> None:
        moment = self.state.moment
        agenda: tuple[Pending, ...] = (*outcome.pushes, *self.state.agenda[1:])
        self.state = State(self.state.values.put(outcome.updates), agenda)
        for event in outcome.events:
            self._log.append(Entry(moment, event, throw))
            if event.kind == "fall":
                mission = event["mission"]
                falls = [
                    e.moment
                    for e in self._log
                    if e.event.kind == "fall" and e.event["mission"] == mission
                ]
                self.scenario.parts.hold_to_limit(self.scenario, mission, falls)


def replay(scenario: Scenario, moments: int, journal: tuple[Input, ...]) -> Table:
    """Return a table brought to where a journal left it.

    Raises ``ProcedureError`` when an input is refused or does not fit: the rules have changed
    since.
    """
    table = Table(scenario, moments)
    for given in journal:
        answer = table.submit(given)
        if isinstance(answer, Refusal):
            raise ProcedureError(f"replay: {given} is refused: {answer}")
    return table


def play_out(
    table: Table, faces: RandomFaces | ScriptedFaces, doctrine: Doctrine | None = None
) -> Table:
    """Play a table to its end with these dice, orders by a doctrine (the standard one where it is silent)."""
    while table.waits_for is not None:
        waits = table.waits_for
        if isinstance(waits, Ask):
            order = table.rulebook.answer(waits, doctrine or {}, table.read)
            answer = table.submit(Answered(waits.question, order))
            if isinstance(answer, Refusal):
                raise ProcedureError(
                    f"the doctrine's answer to {waits.question}, {order}, is refused: {answer}"
                )
        else:
            table.submit(Thrown(waits.name, faces.faces(waits)))
    return table
