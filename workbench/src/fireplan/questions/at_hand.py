"""Facts read off the table: distances, neighbours, and the roll that is due."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import attrs

from fireplan.errors import InputError
from fireplan.questions.asked_position import AskedPosition
from fireplan.questions.orders import LookUps, outcomes
from fireplan.questions.playing import run_on
from fireplan.questions.refusing import refusing
from fireplan_core import Place
from fireplan_core.chance import Applied, Face
from fireplan_core.play import Table
from fireplan_core.space import Frame, PlaneFrame
from fireplan_core.space import distance as steps_between
from fireplan_core.space import neighbours as adjacent
from fireplan_core.steps.effects import Step

HEX = 2
"""Number of coordinates of a hex; a vertex has more."""


@attrs.frozen
class Distance:
    """The distance between two places.

    ``metres`` is the distance between their centres. ``hexes`` is None on a table without hexes,
    and to or from a vertex.
    """

    metres: float
    hexes: int | None


@attrs.frozen
class RollDue:
    """The roll that is due, before it is thrown.

    ``dice`` maps the name of each die to its faces. ``modifiers`` are those that the rules add to
    the roll, and ``modifier`` is their sum. ``results`` maps each throw to its consequences in
    words.
    """

    name: str
    dice: Mapping[str, tuple[Face, ...]]
    modifiers: tuple[Applied, ...]
    results: Mapping[tuple[Face, ...], str]
    read: Callable[[], LookUps] = attrs.field(eq=False, repr=False)

    @property
    def look_ups(self) -> LookUps:
        """The chart look-ups of each throw: chart, column, row and entry."""
        return self.read()

    @property
    def modifier(self) -> int:
        """The sum of the modifiers."""
        return sum(each.value for each in self.modifiers)


def distance(position: AskedPosition, one: str, other: str) -> Distance:
    """Return the distance between two places, in metres and in hexes."""
    frame = position.at.scenario.frame
    places = [position.place(text) for text in (one, other)]
    hexes = steps_between(*places) if all(_is_hex(frame, place) for place in places) else None
    return Distance(frame.gap_metres(frame.gap(*places)), hexes)


def neighbours(position: AskedPosition, place: str) -> tuple[str, ...]:
    """Return the labels of the hexes on the map that are adjacent to a hex.

    Raise ``InputError`` if ``place`` is a vertex, or if the table has no hexes.
    """
    frame, here = position.at.scenario.frame, position.place(place)
    if not _is_hex(frame, here):
        raise InputError(f"{place} is not a hex, so it has no neighbours.")
    return tuple(frame.label(hex_) for hex_ in adjacent(here) if frame.on_map(hex_))


def roll_due(position: AskedPosition) -> RollDue | None:
    """Return the roll that is due with its modifiers and results, or None if no roll is due.

    ``outcomes()`` has the chance of each result, and the position that it leads to.
    """
    with refusing():
        table = run_on(position.at.table())[0]
    event = table.throw_due
    if event is None:
        return None
    rows = outcomes(position)
    return RollDue(
        event.name,
        {die.label: tuple(face for face, _ in die.weights) for die in event.faces},
        _modifiers(table),
        {faces: row.text for row in rows for faces in row.dice},
        rows.read,
    )


def _modifiers(table: Table) -> tuple[Applied, ...]:
    """Return the modifiers of the roll that is due, each once."""
    step = table.state.agenda[0]
    assert isinstance(step, Step)  # noqa: S101 - a throw is due, not an order
    branches = table.rulebook.branches(step, table.read)
    applied = (each for _, _, _, chance in branches for each in chance.applied)
    return tuple(dict.fromkeys(applied))


def _is_hex(frame: Frame, place: Place) -> bool:
    return not isinstance(frame, PlaneFrame) and len(place) == HEX
