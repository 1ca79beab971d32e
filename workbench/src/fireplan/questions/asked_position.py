"""The base class of positions, with the data that all questions about a position share."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Self, TypeVar

import attrs

from fireplan import strategies
from fireplan.errors import InputError
from fireplan.positions import Position
from fireplan.positions.fields import MEMORY
from fireplan.questions.conditions import Happens, NamedCondition
from fireplan.questions.playing import TimedEvent, run_on
from fireplan.questions.refusing import following, refusing
from fireplan_core import Ask, Game, Place
from fireplan_core.chance import ChanceEvent
from fireplan_core.play import Input, State, Values
from fireplan_core.space import CoordinateError

P = TypeVar("P", bound="AskedPosition")


@attrs.frozen(eq=False, repr=False, slots=False)
class AskedPosition:
    """A position with its game, and the conditions on what follows.

    ``usual`` is the usual number of moments of its scenario. ``past`` contains the position at
    which play began and the inputs played since, or is None if they are not known. ``events`` are
    those of the last ``play``, each with its time.
    """

    at: Position
    game: Game
    usual: int
    conditions: tuple[NamedCondition | Happens, ...] = ()
    past: tuple[Position, tuple[Input, ...]] | None = None
    events: tuple[TimedEvent, ...] = ()

    @property
    def moment(self) -> str:
        """The name of the current moment."""
        return self.at.scenario.clock.name(self.at.moment)

    @property
    def line(self) -> str:
        """The position as one line, which ``fireplan.position`` reads back."""
        return str(self.at)

    @property
    def pending(self) -> Ask | ChanceEvent | None:
        """The pending question or throw, or None if nothing more happens.

        Raises ``InputError`` if the rules cannot continue from the position.
        """
        with refusing():
            return run_on(self.at.table())[0].waits_for

    @property
    def waits_for(self) -> str:
        """The pending input: ``"SIDE: QUESTION"``, ``"roll NAME"``, or ``"nothing"``.

        Raises ``InputError`` if the rules cannot continue from the position.
        """
        return awaited(self.pending)

    def place(self, label: str) -> Place:
        """Return the place with this label; raise ``InputError`` for an unknown label."""
        try:
            return self.at.scenario.frame.parse(str(label))
        except (CoordinateError, ValueError) as error:
            raise InputError(str(error)) from error

    def standing(self, state: State) -> Self:
        """Return the position of this table in another state, without ``past`` and ``events``."""
        at = Position.of(self.at.source, self.at.scenario, state)
        return attrs.evolve(self, at=at, past=None, events=())

    def under(self, *orders: Any, **sides: Any) -> Self:
        """Return the position with orders given in advance, which every question then follows.

        The arguments are those of ``fireplan.strategy``; without any, the standard orders apply
        again. Rules with "once" are counted from this position on. Raise ``InputError``
        listing every question, fact and value that the table does not have.
        """
        said = strategies.strategy(*orders, **sides)
        scenario, state = strategies.scenario_under(self.at.scenario, said), self.at.state
        values = {key: value for key, value in state.values.items() if not key.startswith(MEMORY)}
        if len(values) < len(state.values):
            state = State(Values(values), state.agenda)
        return attrs.evolve(self, at=attrs.evolve(self.at, scenario=scenario, state=state))

    @property
    def strategy(self) -> strategies.Strategy:
        """The orders given in advance; a strategy without rules is the standard doctrine."""
        return strategies.strategy_of(self.at.scenario)

    def followed(self) -> AbstractContextManager[None]:
        """Return a context that raises ``InputError`` for orders that cannot be followed.

        The error names the position in which they fail.
        """
        return following(self.at.scenario, lambda: self.at.source)


def given(position: P, orders: Any) -> P:
    """Return the position under ``orders``; None keeps its present orders."""
    return position if orders is None else position.under(orders)


def awaited(waits: Ask | ChanceEvent | None) -> str:
    """Return the pending input: ``"SIDE: QUESTION"``, ``"roll NAME"``, or ``"nothing"``."""
    if waits is None:
        return "nothing"
    return f"{waits.who}: {waits.question}" if isinstance(waits, Ask) else f"roll {waits.name}"
