"""Hypothesis strategies for missions played (legal orders and dice), positions and orders."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from fireplan.analysis import shipped_engagements
from fireplan.positions import Position, Source
from fireplan.questions.position import PositionResult
from fireplan.table import Session, Words, begin, make_head
from fireplan_core import Ask, Order, Refusal
from fireplan_core.play import Answered, Input, Log, Table, Thrown
from fireplan_kit.testing.games import catalogue, sources, sources_of

MOST_INPUTS = 40
"""Default limit on the number of orders and throws in a mission."""
MOMENTS = 12
"""Default limit on the length of a mission, in moments."""


@attrs.frozen(eq=False, repr=False)
class DrawnOrder(Order):
    """A legal order that was drawn; it prints as a player types it."""

    typed: str = ""

    def __str__(self) -> str:
        return self.typed

    __repr__ = __str__

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:  # noqa: FBT001 - as IPython calls it
        """Print the order in the report of a failing test."""
        printer.text(self.typed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Order):
            return NotImplemented
        return (self.verb, self.values) == (other.verb, other.values)

    def __hash__(self) -> int:
        return hash(Order(self.verb, self.values))


@attrs.frozen(eq=False)
class PlayedMission:
    """A mission as played: its start, every order and throw, and the table at the end.

    It prints as the number of its inputs and the line of its last position.
    """

    source: Source
    inputs: tuple[Input, ...]
    table: Table

    @property
    def log(self) -> Log:
        """Return the log entries of the whole mission."""
        return self.table.log

    @property
    def position(self) -> Position:
        """Return the position at the end of the mission."""
        return Position.of(self.source, self.table.scenario, self.table.state)

    def __repr__(self) -> str:
        return f"PlayedMission({len(self.inputs)} inputs to {self.position})"

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:  # noqa: FBT001 - as IPython calls it
        """Print the mission in the report of a failing test."""
        printer.text(repr(self))

    def save(self, path: str | Path) -> Path:
        """Write the mission as a journal for ``fireplan replay`` and ``resume``; return its path.

        The journal records the dice as typed.
        """
        file = Path(path)
        source = self.source
        head = make_head(catalogue(), source.name, source.game or None, shipped_engagements())
        session = begin(file, catalogue(), attrs.evolve(head, moments=self.table.moments))
        try:
            for entered in self.inputs:
                _give(session, entered)
        finally:
            if session.journal is not None:
                session.journal.close()
        return file


def _give(session: Session, entered: Input) -> None:
    if isinstance(entered, Answered):
        answer = session.order(entered.order)
        assert not isinstance(answer, Refusal), answer  # noqa: S101 - it was legal when the mission was played
    else:
        for face in entered.faces:
            session.face(face, typed=True)


LATEST: list[PlayedMission] = []
"""The mission drawn last, for the report of a failing test; an empty list before the first."""


@st.composite
def played_missions(
    draw: DrawFn,
    game: str,
    *,
    inputs: int = MOST_INPUTS,
    moments: int = MOMENTS,
    where: Callable[[Source], bool] = lambda _source: True,
) -> PlayedMission:
    """Draw a mission of a game: one of its tables, then up to ``inputs`` legal orders and throws.

    ``where`` selects among the sources of ``sources_of(game)``. Missions shrink to fewer
    inputs, the first legal orders and the first faces of dice.
    """
    source = draw(st.sampled_from([source for source in sources_of(game) if where(source)]))
    table, entered = Table(sources().scenario(source), moments), []
    for _ in range(draw(st.integers(0, inputs))):
        waits = table.waits_for
        if waits is None:
            break
        if isinstance(waits, Ask):
            following: Input = Answered(waits.question, draw(_orders_at(table, waits)))
        else:
            following = Thrown(
                waits.name,
                tuple(draw(st.sampled_from([f for f, _ in die.weights])) for die in waits.faces),
            )
        table.submit(following)
        entered.append(following)
    LATEST[:] = [PlayedMission(source, tuple(entered), table)]
    return LATEST[0]


def positions(game: str, **how: Any) -> SearchStrategy[Position]:
    """Return a strategy that draws positions that can arise in play.

    ``how`` has further arguments of ``played_missions``.
    """
    return played_missions(game, **how).map(lambda mission: mission.position)


def orders(position: Position | PositionResult) -> SearchStrategy[Order]:
    """Return a strategy that draws a legal order at a position.

    The position comes from ``positions`` or ``fireplan.position``. If no order is due there, the
    strategy draws nothing.
    """
    table = (position if isinstance(position, Position) else position.at).table()
    return _orders_at(table, table.waits_for) if isinstance(table.waits_for, Ask) else st.nothing()


def _orders_at(table: Table, waits: Ask) -> SearchStrategy[Order]:
    legal = table.rulebook.legal(waits, table.read)
    words, forms = Words(table.scenario), tuple(table.rulebook.forms(waits, table.read))
    drawn = [
        DrawnOrder(order.verb, order.values, words.typed.order(order, forms)) for order in legal
    ]
    return st.sampled_from(sorted(drawn, key=lambda order: json.dumps(str(order))))
