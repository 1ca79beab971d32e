"""Positions of a table: after any input of its journal, and as one of its sides knows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from fireplan.positions import Position, PositionError, Source, Sources, line_of, read_line
from fireplan.table.head import ENGAGEMENT, Head
from fireplan.table.session import Session
from fireplan.table.sides import CARDS, Eyes
from fireplan_core import Ask, Order, Stage
from fireplan_core.play.scenario import OPENING, State, Values

SEEN = ("stage", "reason", "impact", "aim", "fell")
"""The neutral fields of another side's asset that everybody sees.

The aim while there is a fire mission.
"""


def source_of(head: Head) -> Source:
    """Return what a table was staged from; a file of the user's is called by its name."""
    game = head.game if head.kind == ENGAGEMENT else ""
    return Source(
        name=head.name, game=game, options=tuple(head.options.items()), rules=head.house_rules
    )


def position_at(session: Session, source: Source, number: int | None = None) -> Position:
    """Return the position after so many inputs of a session (None: all), with the dice given so far of a throw.

    Raises ``JournalError`` for more inputs than there are.
    """
    then = session if number is None else session.at(number)
    return Position.of(source, then.scenario, then.table.state, then.faces)


def side_line(position: Position, side: str) -> str:
    """Return the line of what a side knows of a position: nothing that it is not told is in it.

    Said are its own assets and units in full, of others what everybody sees, and the table and the
    ground but for what names a hidden asset. Of what waits only a question is said, and only to who
    hears it. Hidden assets and units of others are left out, also those that have shown themselves,
    which a log tells and no position.
    """
    eyes, now = Eyes(position.scenario, side), position.state
    initial = position.scenario.initial
    known = {
        key: value if _knows(eyes, key, value, now) else initial[key]
        for key, value in now.values.items()
        if key in initial or _knows(eyes, key, value, now)
    }
    if CARDS in known:
        known[CARDS] = eyes.cards(known[CARDS])
    waits = now.agenda[0]
    heard = (
        isinstance(waits, Ask)
        and eyes.hears(waits.who, waits.question)
        and not _names_hidden(eyes, waits.args)
    )
    agenda = now.agenda if now.agenda == (OPENING,) else (waits,) if heard else ()
    return line_of(
        position.source, position.scenario, State(Values(known), agenda), position.faces, side
    )


def _knows(eyes: Eyes, key: str, value: Any, now: State) -> bool:
    where, _, rest = key.partition("/")
    if _names_hidden(eyes, value):
        return False
    if where not in ("missions", "units"):
        return True
    name, _, field = rest.partition("/")
    if eyes.scenario.owner(name) == eyes.side:
        return True
    if eyes.hidden(name):
        return False
    if field == "aim":
        return now.values[f"missions/{name}/stage"] not in (Stage.IDLE, Stage.ENDED)
    return field in SEEN if where == "missions" else field == "place"


def _names_hidden(eyes: Eyes, value: Any) -> bool:
    return any(eyes.hidden(text) for text in _texts(value))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | frozenset):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, Order):
        yield from _texts(value.values)
    elif attrs.has(type(value)):
        for field in attrs.fields(type(value)):
            yield from _texts(getattr(value, field.name))


@attrs.frozen
class SidePosition:
    """Say what a side knows of a position, as its line says: reading anything else is refused."""

    side: str
    _known: Position

    @classmethod
    def of_line(cls, line: str, sources: Sources) -> SidePosition:
        """Return what the line of a side says; raises ``PositionError`` with every fault."""
        side, known = read_line(line, sources)
        if not side:
            raise PositionError.of(
                [
                    (
                        "",
                        "this line says how things stand, not what a side knows",
                        "position_of(line)",
                    )
                ]
            )
        return cls(side, known)

    @property
    def moment(self) -> int:
        """Return the number of the present moment, from 0."""
        return self._known.moment

    def read(self, key: str) -> Any:
        """Return the value at a key; raises ``PositionError`` for what the side does not know."""
        value = self._known.read(key, None)
        if not _knows(Eyes(self._known.scenario, self.side), key, value, self._known.state):
            raise PositionError.of(
                [(key, f"{self.side} does not know this", "ask the referee's position")]
            )
        return value

    def table(self, moments: int | None = None) -> Any:
        """Refuse to go on from here, always: what is not known would decide it."""
        what = f"{self.side} does not know all that decides how this goes on, up to moment {moments or self.moment + 1}"
        raise PositionError.of([("", what, "ask the referee's position")])

    def __str__(self) -> str:
        known = self._known
        return line_of(known.source, known.scenario, known.state, known.faces, self.side)
