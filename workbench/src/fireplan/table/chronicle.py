"""Say what a side has learnt: its log of orders, dice and events, and its names for hidden assets it sees."""

from collections.abc import Iterable, Mapping

import attrs

from fireplan.table.seals import Seal
from fireplan.table.session import GivenInput, Session
from fireplan.table.sides import ABOUT, Eyes
from fireplan.table.words import Words, throw_words
from fireplan_core import REFEREE, Event, Scenario
from fireplan_core.play.table import Answered, Entry

TAKEN_BACK = "taken back"


@attrs.frozen
class LogLine:
    """A line of a side's log: when, ``order``, ``roll``, ``event``, ``sealed`` or ``taken back``, in words, its rule.

    ``moment`` counts from 0 and ``when`` is its name.
    """

    moment: int
    when: str
    kind: str
    text: str
    cite: str = ""

    def __str__(self) -> str:
        """With the rule in brackets."""
        return f"{self.text} ({self.cite})" if self.cite else self.text


@attrs.frozen
class Known:
    """The log of a side, and the hidden assets and units that it sees now, each by the name it has for them."""

    lines: tuple[LogLine, ...]
    names: Mapping[str, str]


def known(session: Session, eyes: Eyes) -> Known:
    """Return everything that a side has learnt so far."""
    return Chronicle(session.scenario, eyes).all(session)


class Chronicle:
    """A log under construction: it remembers which hidden assets have shown themselves, and as what."""

    def __init__(self, scenario: Scenario, eyes: Eyes) -> None:
        self.scenario = scenario
        self.eyes = eyes
        self.words = Words(scenario)
        self.names: dict[str, str] = {}
        self._before: list[dict[str, str]] = []
        self._lines: list[LogLine | tuple[int, str]] = []
        self._gathered: dict[tuple[int, str], set[LogLine]] = {}
        self._shown: dict[str, int] = {}

    def all(self, session: Session) -> Known:
        """Return what a side has learnt of a session."""
        self.events(session.prologue)
        for seal in session.seals:
            self._seal(0, seal, open_=session.revealed)
        for number, told in enumerate(session.story):
            self._undone(session, number)
            self.given(told, open_=session.revealed)
            if told.taken_back:
                self.names = self._before.pop()
            else:
                self._before.append(dict(self.names))
                self.events(told.entries)
        self._undone(session, len(session.story))
        lines: list[LogLine] = []
        for line in self._lines:
            lines += (
                [line]
                if isinstance(line, LogLine)
                else sorted(self._gathered[line], key=lambda one: one.text)
            )
        return Known(tuple(lines), self.names)

    def _line(self, moment: int, kind: str, text: str, cite: str = "") -> LogLine:
        return LogLine(moment, self.scenario.clock.name(moment), kind, text, cite)

    def _seal(self, moment: int, seal: Seal, *, open_: bool) -> None:
        self._lines.append(self._line(moment, "sealed", str(seal) if open_ else seal.closed))

    def _given(self, told: GivenInput, kind: str, text: str) -> None:
        line = (TAKEN_BACK, f"{TAKEN_BACK}: {text}") if told.taken_back else (kind, text)
        self._lines.append(self._line(told.moment, *line))

    def _undone(self, session: Session, number: int) -> None:
        """Mark the orders that were taken back freely before an input of the story."""
        for one in session.undone:
            if one.after == number:
                self._mark(one.moment, one.who)

    def _mark(self, moment: int, who: str) -> None:
        """Say that an order was taken back, once however often: neither which nor how many is for others to know."""
        line = self._line(moment, TAKEN_BACK, f"{TAKEN_BACK}: an order of {who}")
        if self._lines[-1:] != [line]:
            self._lines.append(line)

    def given(self, told: GivenInput, *, open_: bool) -> None:
        """Note what its side sees of an input."""
        given = told.given
        if not isinstance(given, Answered) and not self.eyes.sees(told.who):
            if told.taken_back:
                self._mark(told.moment, told.who)
            return
        if not isinstance(given, Answered):
            roll = f"for {self.words.roll(given.name)}"
            text = throw_words(roll, zip(told.labels, given.faces, told.typed, strict=False))
            self._given(told, "roll", text)
            return
        if self.eyes.hears(told.who, given.question):
            own = self.eyes.side in (told.who, REFEREE)
            values = tuple(
                (name, "sealed" if name in told.secret else value)
                for name, value in given.order.values
            )
            order = given.order if own else attrs.evolve(given.order, values=values)
            text = f"{told.who}: {self.words.order(order)}"
            self._given(told, "order", text)
        elif told.taken_back:
            self._mark(told.moment, told.who)
        for seal in () if told.taken_back else told.seals:
            self._seal(told.moment, seal, open_=open_)

    def events(self, entries: Iterable[Entry]) -> None:
        """Note what its side is told of events."""
        for entry in entries:
            event = self.eyes.learns(entry.event)
            if event is None:
                continue
            veiled = self.eyes.names_hidden(entry.event) and not self.eyes.names_hidden(event)
            kind, cite = event.kind, event.cite
            line = self._line(entry.moment, "event", self.words.event(self._named(event)), cite)
            if not veiled:
                self._lines.append(line)
                continue
            # What took the place of hidden events is told once and in its own order: theirs would
            # tell too much.
            key = (entry.moment, kind)
            if key not in self._gathered:
                self._lines.append(key)
            self._gathered.setdefault(key, set()).add(line)

    def _named(self, event: Event) -> Event:
        """The event with hidden assets by the names that this side has for them.

        It sees them from now on.
        """
        fields = []
        for name, value in event.fields:
            known_as = value
            if name in ABOUT and self.eyes.hidden(str(value)):
                known_as = self._name(str(value), name)
                if event.kind == "ended":
                    self.names.pop(str(value), None)
            fields.append((name, known_as))
        return attrs.evolve(event, fields=tuple(fields))

    def _name(self, hidden: str, field: str) -> str:
        if hidden not in self.names:
            owner = str(self.scenario.owner(hidden))
            self._shown[owner] = self._shown.get(owner, 0) + 1
            self.names[hidden] = hidden if field == "unit" else f"{owner} #{self._shown[owner]}"
        return self.names[hidden]
