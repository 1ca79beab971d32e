"""Stories: missions played by legal orders and dice that can fall, drawn and shrunk by Hypothesis.

And positions.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from fireplan.analysis import shipped_engagements
from fireplan.positions import Position, Source
from fireplan.table import Session, begin, make_head
from fireplan_core import Ask, Order, Refusal
from fireplan_core.play import Answered, Entry, Input, Table, Thrown
from fireplan_kit.testing.games import catalogue, sources, sources_of

MOST_INPUTS = 40
"""Orders and throws of a story, unless told otherwise."""
MOMENTS = 12
"""Moments that a story may last."""


@attrs.frozen(eq=False)
class Story:
    """A mission as it was played: where it began, every order and throw, and the table as these left it.

    It prints as the line of its last position.
    """

    source: Source
    inputs: tuple[Input, ...]
    table: Table

    @property
    def log(self) -> tuple[Entry, ...]:
        """Return everything that happened."""
        return self.table.log

    @property
    def position(self) -> Position:
        """Return where it ends."""
        return Position.of(self.source, self.table.scenario, self.table.state)

    def __repr__(self) -> str:
        return f"Story({len(self.inputs)} inputs to {self.position})"

    def save(self, path: str | Path) -> Path:
        """Write the story as a journal, which ``fireplan replay`` and ``resume`` read.

        The dice as typed.
        """
        file = Path(path)
        source = self.source
        head = make_head(catalogue(), source.name, source.game or None, shipped_engagements())
        session = begin(file, catalogue(), attrs.evolve(head, moments=self.table.moments))
        try:
            for given in self.inputs:
                _give(session, given)
        finally:
            if session.journal is not None:
                session.journal.close()
        return file


def _give(session: Session, given: Input) -> None:
    if isinstance(given, Answered):
        answer = session.order(given.order)
        assert not isinstance(answer, Refusal), answer  # noqa: S101 - it was taken when the story was played
    else:
        for face in given.faces:
            session.face(face, typed=True)


LATEST: list[Story] = []
"""The story that was drawn last, for what a failing test prints."""


@st.composite
def stories(
    draw: DrawFn,
    game: str,
    *,
    inputs: int = MOST_INPUTS,
    moments: int = MOMENTS,
    where: Callable[[Source], bool] = lambda _source: True,
) -> Story:
    """Draw a story of a game: a table that it stages, then up to so many orders and throws, each of them legal.

    ``where`` chooses among the tables of ``sources_of(game)``. Shrinks to fewer inputs, the first orders on offer and
    the first faces of dice.
    """
    source = draw(st.sampled_from([source for source in sources_of(game) if where(source)]))
    table, given = Table(sources().scenario(source), moments), []
    for _ in range(draw(st.integers(0, inputs))):
        waits = table.waits_for
        if waits is None:
            break
        if isinstance(waits, Ask):
            one: Input = Answered(waits.question, draw(_orders_at(table, waits)))
        else:
            one = Thrown(
                waits.name,
                tuple(draw(st.sampled_from([f for f, _ in die.weights])) for die in waits.faces),
            )
        table.submit(one)
        given.append(one)
    LATEST[:] = [Story(source, tuple(given), table)]
    return LATEST[0]


def positions(game: str, **how: Any) -> SearchStrategy[Position]:
    """Draw a position that play of a game can come to; ``how`` as of ``stories``."""
    return stories(game, **how).map(lambda story: story.position)


def orders(position: Position) -> SearchStrategy[Order]:
    """Draw an order that may be given at a position.

    Nothing can be drawn where no order is asked for.
    """
    table = position.table()
    return _orders_at(table, table.waits_for) if isinstance(table.waits_for, Ask) else st.nothing()


def _orders_at(table: Table, waits: Ask) -> SearchStrategy[Order]:
    legal = table.rulebook.legal(waits, table.read)
    return st.sampled_from(sorted(legal, key=lambda order: json.dumps(str(order))))
