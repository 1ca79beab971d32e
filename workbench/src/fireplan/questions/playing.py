"""Playing on from a position: events with their time, and where to stop."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from enum import Enum
from typing import Any

import attrs

from fireplan.errors import InputError, quoted
from fireplan.positions.field_words import AllowedWords, FieldWord
from fireplan.positions.hints import enum_words
from fireplan.questions.conditions import Happens, Vocabulary, event_of
from fireplan.table import Words
from fireplan_core import Scenario
from fireplan_core.play import OPENING, Log, LogEntry, State, Table
from fireplan_core.space import label_of

CLOCK = "clock/moment"
LONGEST = 500
"""If rules read the clock, play is over after this many moments without an event."""
ORDER, ROLL, END = "next order", "next roll", "end of"
"""The points at which play may stop, besides events.

The game's term for a moment follows ``end of``.
"""


@attrs.frozen(eq=False, repr=False)
class TimedEvent:
    """An event with its time.

    ``moment`` is the name of its moment ("turn 3 PFPh"), ``number`` the moment's index from 0,
    ``kind`` and ``cite`` are those of the event. ``event["impact"]`` reads a field of the event, as
    a position's field is read: a place as its label ("K5"), a severity or reason as its word
    ("destroyed"), a unit or asset by its name.
    """

    scenario: Scenario
    entry: LogEntry

    @property
    def kind(self) -> str:
        """The kind of the event, such as ``fall``."""
        return self.entry.event.kind

    @property
    def cite(self) -> str:
        """The rule that the event follows, empty if it cites none."""
        return self.entry.event.cite

    @property
    def number(self) -> int:
        """The index of the moment, from 0."""
        return self.entry.moment

    @property
    def moment(self) -> str:
        """The name of the moment."""
        return self.scenario.clock.name(self.entry.moment)

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of the event by name."""
        return {name: self[name] for name, _ in self.entry.event.fields}

    def __getitem__(self, name: str) -> Any:
        return self._said(name, self.entry.event[name])

    def _said(self, name: str, value: Any) -> Any:
        frame = self.scenario.frame
        if isinstance(value, tuple):
            label = None if name.endswith("s") else label_of(frame, value)
            if label is not None:
                return FieldWord(label, AllowedWords(name, frame=frame, empty=True))
            return tuple(self._said("", item) for item in value)
        if isinstance(value, Enum):
            allowed = AllowedWords(name, enum_words(type(value)), empty=True)
            return FieldWord(value.name.lower(), allowed)
        names = {"unit": self.scenario.units, "mission": self.scenario.missions}.get(name, ())
        if value in names:
            return FieldWord(value, AllowedWords(name, tuple(names), empty=True))
        return value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TimedEvent):
            return NotImplemented
        return (self.number, self.entry.event) == (other.number, other.entry.event)

    def __hash__(self) -> int:
        return hash((self.number, self.entry.event))

    def __str__(self) -> str:
        return f"{self.moment}: {Words(self.scenario).ruling(self.entry.event)}"

    __repr__ = __str__


def timed_events(scenario: Scenario, log: Iterable[LogEntry]) -> tuple[TimedEvent, ...]:
    """Return the entries of a log as events with their time."""
    return tuple(TimedEvent(scenario, entry) for entry in log)


# --- where to stop -------------------------------------------------------------------------------
Stop = Callable[[Table, Log], bool]
"""Called whenever the table waits or a moment ends, with the events since; true stops play."""


def stop_of(scenario: Scenario, begun: int, until: str | Happens | None) -> Stop | None:
    """Return a function that tells from a table and its events whether play stops there.

    Return None to stop at the next order or roll. Play begins in the moment ``begun``. Raise
    ``InputError`` unless ``until`` is "next order", "next roll", "end of" a moment, or an event.
    """
    if until is None:
        return None
    if until == ORDER:
        return lambda table, _: table.question_due is not None
    if until == ROLL:
        return lambda table, _: table.throw_due is not None
    if isinstance(until, str) and until.startswith(f"{END} "):
        named = until.removeprefix(END).strip()
        name = scenario.clock.name
        if named in moment_words(scenario):
            return lambda table, _: table.state.moment > begun
        if not re.match(rf"{re.escape(named)}\W*\d", name(begun), re.IGNORECASE):
            raise InputError(
                f"until: {quoted(until)} is not the end of a moment; write '{END} {scenario.clock.moment}'."
            )
        span = _span(name(begun))
        return lambda table, _: _span(name(table.state.moment)) != span
    event = event_of(until)
    vocabulary = Vocabulary.of(scenario)
    if event.kind not in vocabulary.events:
        places = f"{ORDER!r}, {ROLL!r}, '{END} {scenario.clock.moment}'"
        try:
            vocabulary.event(event)
        except InputError as error:
            raise InputError(f"until: expected {places} or an event. {error}") from error
    condition = vocabulary.event(event)

    def happened(_table: Table, log: Log) -> bool:
        return condition.holds_after(log)

    return happened


def moment_words(scenario: Scenario) -> tuple[str, ...]:
    """Return the words for a moment of a scenario: the game's own, ``moment`` and ``phase``."""
    term = scenario.clock.moment
    return tuple(dict.fromkeys((term, *term.split(), "moment", "phase")))


def _span(name: str) -> str:
    """Return the name of a moment up to its first number, such as "turn 3" of "turn 3 PFPh"."""
    numbered = re.match(r"\D*\d+", name)
    return numbered[0] if numbered else name


# --- from one moment to the next -----------------------------------------------------------------
class _Watched(Table):
    """A table that notes whether a rule reads the clock."""

    looked = False

    def read(self, key: str, default: Any) -> Any:
        """Return the value of a key, or ``default``; note whether the key is the clock."""
        self.looked |= key == CLOCK
        return super().read(key, default)


def begin(scenario: Scenario, state: State) -> _Watched:
    """Return the table of a state, which plays to the end of the state's moment."""
    return _Watched(scenario, state.moment + 1, State(state.values, state.agenda or (OPENING,)))


def run_on(table: Table, stop: Stop | None = None, begun: State | None = None) -> tuple[Table, Log]:
    """Return the table at its next order or roll, perhaps moments later, and all events so far.

    The table waits for nothing if ``stop`` ended play or nothing more can happen; in the latter
    case it is the table before the first moment in which nothing happened. ``begun`` is the state
    from which ``table`` was played.
    """
    log = table.log
    quiet: Table | None = None
    if begun is not None and table.waits_for is None and not log and not _changed(begun, table):
        quiet = copy(table)
        quiet.state = begun
    count = 0
    while table.waits_for is None and not (stop and stop(table, log)):
        later = begin(table.scenario, table.state)
        if later.waits_for is not None or later.log or _changed(table.state, later):
            quiet, count = None, 0
        else:
            quiet, count = quiet or table, count + 1
            if count > LONGEST or not later.looked:
                return quiet, log
        log, table = (*log, *later.log), later
    return table, log


def _changed(before: State, after: Table) -> bool:
    """Return whether anything but the clock differs between a state and a later table."""
    changes = after.state.values.since(before.values)
    return any(key != CLOCK and value != before.values.get(key) for key, value in changes.items())
