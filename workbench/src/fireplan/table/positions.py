"""Positions of a table: after any input of its journal, and as one of its sides knows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from fireplan.positions import Position, Source, Sources, line_of, position_error, read_line
from fireplan.table.session import Session
from fireplan.table.sides import CARDS, Visibility
from fireplan_core import Ask, Order, Stage
from fireplan_core.play.scenario import OPENING, State, Values

SEEN = ("stage", "reason", "impact", "aim", "fell")
"""Fields of another side's asset that everybody sees; the aim only during a mission."""


def position_at(session: Session, source: Source, number: int | None = None) -> Position:
    """Return the position after ``number`` inputs of a session (None: all of them).

    It includes the dice of an unfinished throw. Raise ``JournalError`` if the session has fewer
    inputs.
    """
    past = session if number is None else session.at(number)
    return Position.of(source, past.scenario, past.table.state, past.faces)


def side_line(position: Position, side: str) -> str:
    """Return the position line of what a side knows.

    It contains the side's own assets and units in full, the visible fields of other sides' assets
    and units, and the table and the ground except for values that name a hidden asset. The agenda
    contains only a question that the side hears. Hidden assets and units are left out, even if they
    have been seen, because such knowledge is in the log, not in a position.
    """
    eyes, now = Visibility(position.scenario, side), position.state
    initial = position.scenario.initial
    values = {
        key: value if _knows(eyes, key, value, now) else initial[key]
        for key, value in now.values.items()
        if key in initial or _knows(eyes, key, value, now)
    }
    if CARDS in values:
        values[CARDS] = eyes.cards(values[CARDS])
    waits = now.agenda[0]
    heard = (
        isinstance(waits, Ask)
        and eyes.hears(waits.who, waits.question)
        and not _names_hidden(eyes, waits.args)
    )
    agenda = now.agenda if now.agenda == (OPENING,) else (waits,) if heard else ()
    return line_of(
        position.source, position.scenario, State(Values(values), agenda), position.faces, side
    )


def _knows(eyes: Visibility, key: str, value: Any, now: State) -> bool:
    group, _, rest = key.partition("/")
    if _names_hidden(eyes, value):
        return False
    if group not in ("missions", "units"):
        return True
    name, _, field = rest.partition("/")
    if eyes.scenario.owner(name) == eyes.side:
        return True
    if eyes.hidden(name):
        return False
    if field == "aim":
        return now.values[f"missions/{name}/stage"] not in (Stage.IDLE, Stage.ENDED)
    return field in SEEN if group == "missions" else field == "place"


def _names_hidden(eyes: Visibility, value: Any) -> bool:
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
    """The part of a position that a side knows; reading anything else is refused."""

    side: str
    _known: Position

    @classmethod
    def of_line(cls, line: str, sources: Sources) -> SidePosition:
        """Return a side's position from its line; raise ``FileError`` listing every fault."""
        side, known = read_line(line, sources)
        if not side:
            raise position_error(
                [
                    (
                        "",
                        "this is the line of a whole position, not of what a side knows",
                        "read it with position_of(line)",
                    )
                ]
            )
        return cls(side, known)

    @property
    def moment(self) -> int:
        """The index of the current moment, from 0."""
        return self._known.moment

    def read(self, key: str) -> Any:
        """Return the value at a key; raise ``FileError`` if the side does not know it."""
        value = self._known.read(key, None)
        if not _knows(Visibility(self._known.scenario, self.side), key, value, self._known.state):
            raise position_error(
                [(key, f"{self.side} does not know this", "use the referee's position")]
            )
        return value

    def table(self, moments: int | None = None) -> Any:
        """Raise ``FileError``, since play cannot continue from one side's knowledge."""
        last = moments or self.moment + 1
        reason = f"{self.side} does not know everything that play depends on up to moment {last}"
        raise position_error([("", reason, "use the referee's position")])

    def __str__(self) -> str:
        known = self._known
        return line_of(known.source, known.scenario, known.state, known.faces, self.side)
