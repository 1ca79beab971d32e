"""A side's knowledge: its log of orders, dice and events, and its names for hidden assets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import attrs

from fireplan.table.forecasts import ALSO, Prospect, leads_on, modifiers_of, throw_results
from fireplan.table.history import GivenInput
from fireplan.table.plain_words import side_name
from fireplan.table.seals import Seal
from fireplan.table.session import Session
from fireplan.table.sides import ABOUT, Visibility, sides_of
from fireplan.table.throw_counts import ThrowCount, count_of
from fireplan.table.words import Words, throw_words
from fireplan_core import REFEREE, Event, Scenario
from fireplan_core.chance import Applied, Draw
from fireplan_core.play import State
from fireplan_core.play.table import Answered, LogEntry, Table, Thrown

TAKEN_BACK = "taken back"


@attrs.frozen
class LogLine:
    """A line of a side's log: ``text`` describes the event, and ``cite`` is the rule.

    ``kind`` is ``order``, ``roll``, ``modifier``, ``event``, ``sealed`` or ``taken back``.
    ``moment`` counts from 0, and ``when`` is its name. ``harm`` is true for harm to a unit.
    """

    moment: int
    when: str
    kind: str
    text: str
    cite: str = ""
    harm: bool = False

    def __str__(self) -> str:
        """Return the text, followed by the rule in brackets if there is one."""
        return f"{self.text} ({self.cite})" if self.cite else self.text


class ThrowResult:
    """The result of a throw in a game, as one side sees it.

    Creating it for an order, which has no dice, raises ``ValueError``.
    """

    def __init__(self, scenario: Scenario, move: GivenInput, eyes: Visibility) -> None:
        if move.before is None or not isinstance(move.given, Thrown):
            raise ValueError("an order has no dice")
        self._table = Table(scenario, move.before.moment + 1, eyes.known_cards(move.before))
        self._faces = move.given.faces
        self._entries = move.entries
        self._eyes = eyes

    @classmethod
    def of(cls, scenario: Scenario, move: GivenInput, eyes: Visibility) -> ThrowResult:
        """Return the result of a throw as a side sees it, computed once for each side."""
        if eyes.side not in move.results:
            move.results[eyes.side] = cls(scenario, move, eyes)
        result: ThrowResult = move.results[eyes.side]
        return result

    @cached_property
    def count(self) -> ThrowCount:
        """The dice, the modifiers and their total."""
        return count_of(self._table, self._faces, self._eyes.learns)

    @cached_property
    def _results(self) -> tuple[tuple[Prospect, ...], int]:
        """The possible results of the throw, and the index of the actual one."""
        prospects, index, _ = throw_results(
            self._table, self._faces, self._eyes.learns, self._eyes.side
        )
        return prospects, index

    @property
    def meaning(self) -> str:
        """The result in words; for a roll without effect, the words say so."""
        prospects, index = self._results
        return prospects[index].what

    @property
    def sum(self) -> str:
        """The dice, modifiers and total in words.

        If the modifiers of other results do not count for these dice, the words say so.
        """
        prospects, _ = self._results
        bare = self.count.sums and not self.count.modifiers and modifiers_of(prospects)
        return f"{self.count}, without modifiers" if bare else str(self.count)

    @cached_property
    def unreported(self) -> str:
        """The meaning, or "" if events that the side sees report all of it.

        If steps follow as well, e.g. a check of other units, the whole meaning is given, because
        its first part explains the rest.
        """
        words = Words(self._table.scenario)
        reports = [
            (entry, words.event(event))
            for entry in self._entries
            if entry.event.kind != "modifier"
            and (event := self._eyes.learns(entry.event)) is not None
        ]
        if any(text == self.meaning for _, text in reports):
            return ""
        if not any(entry.throw is not None for entry, _ in reports):
            return self.meaning
        texts = {part.casefold() for _, text in reports for part in text.split(ALSO)}
        parts = self.meaning.casefold().split(ALSO)
        return "" if texts.issuperset(parts) else self.meaning


@attrs.frozen
class SideKnowledge:
    """The log of a side, and its names for the hidden assets and units that it now sees.

    ``reported`` has the lines of orders that an event of the same rule repeats at once.
    """

    lines: tuple[LogLine, ...]
    names: Mapping[str, str]
    reported: frozenset[LogLine] = frozenset()


def subject_of(
    words: Words, eyes: Visibility, names: Mapping[str, str], state: State | None, roll: str
) -> str:
    """Return the assets and units for which a state throws dice, under the names a side knows.

    ``names`` maps hidden assets and units to the side's names for them. The only asset of a table
    is left out, and so is an asset after which the ``roll`` is named, e.g. the bombardment. If none
    remains, return the side for which dice are thrown, e.g. the side that draws a chit, or "".
    """
    scenario = eyes.scenario
    args = state.agenda[0].args if state and state.agenda else ()
    shown = [
        arg
        for arg in args
        if isinstance(arg, str)
        and scenario.owner(arg) is not None
        and (arg in names or not eyes.hidden(arg))
        and not (len(scenario.missions) == 1 and arg in scenario.missions)
    ]
    subjects = (names.get(name) or words.subject(name) for name in shown)
    said = ", ".join(each for each in subjects if each != roll.removeprefix("the "))
    sides = (arg for arg in args if not shown and arg in sides_of(scenario))
    return said or ", ".join(map(side_name, sides))


def side_knowledge(session: Session, eyes: Visibility) -> SideKnowledge:
    """Return all that a side has learnt so far."""
    return Chronicle(session.scenario, eyes).all(session)


class Chronicle:
    """A log under construction, which tracks the hidden assets already seen and their names."""

    def __init__(self, scenario: Scenario, eyes: Visibility) -> None:
        self.scenario = scenario
        self.eyes = eyes
        self.words = Words(scenario)
        self.names: dict[str, str] = {}
        self._names_before: list[tuple[dict[str, str], dict[str, int]]] = []
        self._lines: list[LogLine | tuple[int, str]] = []
        self._reported: set[LogLine] = set()
        self._unordered: dict[tuple[int, str], set[LogLine]] = {}
        self._seen_counts: dict[str, int] = {}

    def all(self, session: Session) -> SideKnowledge:
        """Return everything that a side has learnt in a session."""
        self.events(session.history.prologue)
        for seal in session.seals:
            self._seal(0, seal, open_=session.revealed)
        for number, move in enumerate(session.history.story):
            self._undone(session, number)
            self.given(move, open_=session.revealed)
            if move.taken_back:
                self.names, self._seen_counts = self._names_before.pop()
            else:
                self._names_before.append((dict(self.names), dict(self._seen_counts)))
                self.events(self._unlisted(move))
        self._undone(session, len(session.history.story))
        lines: list[LogLine] = []
        for line in self._lines:
            lines += (
                [line]
                if isinstance(line, LogLine)
                else sorted(self._unordered[line], key=lambda entry: entry.text)
            )
        return SideKnowledge(tuple(lines), self.names, frozenset(self._reported))

    def _line(self, moment: int, kind: str, text: str, cite: str = "") -> LogLine:
        return LogLine(moment, self.scenario.clock.name(moment), kind, text, cite)

    def _seal(self, moment: int, seal: Seal, *, open_: bool) -> None:
        self._lines.append(self._line(moment, "sealed", str(seal) if open_ else seal.closed))

    def _given(self, move: GivenInput, kind: str, text: str) -> None:
        line = (TAKEN_BACK, f"{TAKEN_BACK}: {text}") if move.taken_back else (kind, text)
        self._lines.append(self._line(move.moment, *line))

    def _note_report(self, move: GivenInput) -> None:
        """Note that the order line just added is repeated by the order's first event.

        Do nothing unless the side sees this event and it has the same rule as the order.
        """
        line, event = self._lines[-1], next((entry.event for entry in move.entries), None)
        if not isinstance(line, LogLine) or move.form is None or event is None:
            return
        if event.cite == move.form.cite and self.eyes.learns(event) and not move.taken_back:
            self._reported.add(line)

    def _undone(self, session: Session, number: int) -> None:
        """Add a line if orders were taken back freely before input ``number`` of the story."""
        for undone in session.history.undone:
            if undone.after == number:
                self._mark(undone.moment, undone.who)

    def _mark(self, moment: int, who: str) -> None:
        """Add a line saying that a side took back an order; repeated lines become one.

        The line reveals neither the order nor the number of orders.
        """
        line = self._line(
            moment, TAKEN_BACK, f"{TAKEN_BACK}: an order of {self.words.said('side', who)}"
        )
        if self._lines[-1:] != [line]:
            self._lines.append(line)

    def given(self, move: GivenInput, *, open_: bool) -> None:
        """Add the visible part of an input to the side's log.

        ``open_`` says whether its sealed records have been revealed.
        """
        answer = move.given
        if not isinstance(answer, Answered) and not self.eyes.sees(move.who):
            if move.taken_back:
                self._mark(move.moment, move.who)
            return
        if not isinstance(answer, Answered):
            text = self._throw(move, answer)
            self._given(move, "roll", text if move.taken_back else text + self._came_to(move))
            return
        if self.eyes.hears(move.who, answer.question):
            self._given(move, "order", f"{side_name(move.who)}: {self._order(move, answer)}")
            self._note_report(move)
        elif move.taken_back:
            self._mark(move.moment, move.who)
        for seal in () if move.taken_back else move.seals:
            self._seal(move.moment, seal, open_=open_)

    def _throw(self, move: GivenInput, answer: Thrown) -> str:
        """Return a throw in words; a card is given by its printed name."""
        if not isinstance(move.event, Draw):
            labels = (self.words.die(answer.name, label) for label in move.labels)
            dice = zip(labels, answer.faces, move.typed, strict=False)
            roll = self.words.roll(answer.name)
            subject = subject_of(self.words, self.eyes, self.names, move.before, roll)
            about = f" ({subject})" if subject else ""
            return throw_words(f"for {roll}{about}", dice)
        faces = self.words.cards.faces(move.event, answer.faces)
        dealt = "dealt" if self.words.cards.printed(move.event) else "drawn"
        mark = f" ({'rolled' if self.words.verb(move.event) == 'roll' else dealt})"
        return (
            f"{self.words.action(move.event)}: {', '.join(faces)}{'' if all(move.typed) else mark}"
        )

    def _order(self, move: GivenInput, answer: Answered) -> str:
        """Return an order in the game's words.

        An order with values that are secret from this side is written as typed instead, with
        "sealed" for these values.
        """
        order = answer.order
        if self.eyes.side in (move.who, REFEREE) or not move.secret:
            in_words = move.form and self.words.deed(order, move.form, answer.question)
            return in_words or self.words.typed.order(order)
        values = tuple(
            (name, "sealed" if name in move.secret else value) for name, value in order.values
        )
        return self.words.typed.order(attrs.evolve(order, values=values))

    def _came_to(self, move: GivenInput) -> str:
        """Return the modifiers and total of a throw, and its meaning unless a later line has it."""
        if move.before is None or move.event is None:
            return ""
        result = ThrowResult.of(self.scenario, move, self.eyes)
        count = result.count
        added = ", ".join(
            f"{each.value:+d} {each.summary} ({each.cite})" for each in self._counted(move)
        )
        total = f"; {count.total} in all" if count.sums else ""
        if count.number is not None:
            total += f", against {count.number} ({added})"
        elif total and added:
            total = f", {added}{total}"
        rest = result.unreported
        return total if not rest or leads_on(rest) else f"{total}: {rest}"

    def _counted(self, move: GivenInput) -> tuple[Applied, ...]:
        """Return the modifiers that the line of a throw names."""
        if isinstance(move.given, Answered) or move.before is None or move.event is None:
            return ()
        count = ThrowResult.of(self.scenario, move, self.eyes).count
        return count.listed if self.eyes.sees(move.who) else ()

    def _unlisted(self, move: GivenInput) -> Iterator[LogEntry]:
        """Yield the entries after an input, except modifiers that the line of the throw lists."""
        told = bool(self._counted(move))
        return (entry for entry in move.entries if not (told and entry.event.kind == "modifier"))

    def events(self, entries: Iterable[LogEntry]) -> None:
        """Add the visible parts of events to the side's log."""
        for entry in entries:
            event = self.eyes.learns(entry.event)
            if event is None:
                continue
            veiled = self.eyes.names_hidden(entry.event) and not self.eyes.names_hidden(event)
            kind, cite = event.kind, event.cite
            shown_as = "modifier" if kind == "modifier" else "event"
            line = self._line(entry.moment, shown_as, self.words.event(self._named(event)), cite)
            line = attrs.evolve(line, harm=kind == "suffered")
            if not veiled:
                self._lines.append(line)
                continue
            # Lines that replace hidden events are listed once and sorted by text: the order of the
            # events would reveal too much.
            key = (entry.moment, kind)
            if key not in self._unordered:
                self._lines.append(key)
            self._unordered.setdefault(key, set()).add(line)

    def _named(self, event: Event) -> Event:
        """Return the event with this side's names for the hidden assets that it now sees."""
        fields = []
        for name, value in event.fields:
            seen_as = value
            if name in ABOUT and self.eyes.hidden(str(value)):
                seen_as = self._name(str(value), name)
                if event.kind == "ended":
                    self.names.pop(str(value), None)
            fields.append((name, seen_as))
        return attrs.evolve(event, fields=tuple(fields))

    def _name(self, hidden: str, field: str) -> str:
        if hidden not in self.names:
            owner = str(self.scenario.owner(hidden))
            self._seen_counts[owner] = self._seen_counts.get(owner, 0) + 1
            number = self._seen_counts[owner]
            self.names[hidden] = hidden if field == "unit" else self.words.hidden(owner, number)
        return self.names[hidden]
