"""The story of a game as one side sees it; games that it cannot distinguish share an index.

Lines are those of the side's log, and the situation is the side's view, both made by ``table``.
"""

import copy
from collections.abc import Iterable
from typing import Any, Self

from fireplan.solver.numbering import Numbering
from fireplan.table import GivenInput, Outlook, TableSituation, Visibility
from fireplan.table.chronicle import Chronicle
from fireplan_core import Ask, Event, Form, Order, Scenario
from fireplan_core.chance import ChanceEvent
from fireplan_core.play import Answered, LogEntry, State


class SideObservations(Chronicle):
    """The observations of one side in one game.

    A fork continues independently, and indices mean the same in all forks.
    """

    def __init__(self, scenario: Scenario, moments: int, side: str) -> None:
        super().__init__(scenario, Visibility(scenario, side))
        self._moments = moments
        self._lines: list[Any] = []
        self._suffered: list[Event] = []
        # Each entry: the index of the previous look, the lines since, the unordered lines, and the
        # situation. The empty story has index 0.
        self._seen_views = Numbering[tuple[Any, ...]](())

    def fork(self) -> Self:
        """Return an independent copy that shares the indices."""
        twin = copy.copy(self)
        lines, unordered = [*self._lines], {key: {*group} for key, group in self._unordered.items()}
        vars(twin).update(
            _lines=lines,
            _unordered=unordered,
            names={**self.names},
            _seen_counts={**self._seen_counts},
        )
        vars(twin).update(_suffered=[*self._suffered])
        return twin

    def add_events(self, moment: int, events: Iterable[Event]) -> None:
        """Add the visible parts of events to the log."""
        entries = [LogEntry(moment, event) for event in events]
        self._suffered += (entry.event for entry in entries if entry.event.kind == "suffered")
        self.events(entries)

    def add_order(self, moment: int, ask: Ask, order: Order, forms: Iterable[Form]) -> None:
        """Add the visible part of an order to the log, given the forms of its question."""
        slots = (
            slot for form in forms if form.verb == order.verb for slot in form.slots if slot.secret
        )
        secret = tuple(slot.name for slot in slots)
        self.given(
            GivenInput(Answered(ask.question, order), moment, moment, who=ask.who, secret=secret),
            open_=False,
        )

    def add_line(self, moment: int, kind: str, text: str) -> None:
        """Add one line to the log."""
        self._lines.append(self._line(moment, kind, text))

    @property
    def lines(self) -> list[Any]:
        """The index that the last ``look`` returned, if any, then the ordered lines added since."""
        return self._lines

    @property
    def unordered(self) -> frozenset[Any]:
        """The lines whose order is hidden from the side."""
        return frozenset(line for lines in self._unordered.values() for line in lines)

    def situation(self, state: State, waits: Ask | ChanceEvent | None) -> TableSituation:
        """Return the current situation as the side sees it."""
        outlook = Outlook(self.eyes, self._moments, state, waits, self.names, self._suffered)
        return outlook.situation()

    def look(self, state: State, waits: Ask | None) -> int:
        """Return the index of the story, including the current situation."""
        key = (*self._lines, self.unordered, self.situation(state, waits))
        number = self._seen_views.number(key)
        self._lines = [number]
        return number

    def read(self, number: int) -> list[str]:
        """Return all lines of the story whose index ``look`` returned."""
        story_lines = list[str]()
        while number:
            *lines, unordered, situation = self._seen_views.values[number]
            number = lines.pop(0) if lines and isinstance(lines[0], int) else 0
            texts = [
                line.text for line in (*lines, *sorted(unordered, key=str)) if hasattr(line, "text")
            ]
            story_lines = [*texts, *_situation_lines(situation), *story_lines]
        return story_lines

    def stands(self, state: State, waits: Ask | ChanceEvent | None) -> list[str]:
        """Return the current situation as lines of text, with the places of units."""
        situation = self.situation(state, waits)
        places = (
            f"where {unit.name} is: {unit.place.label if unit.place else 'gone'}"
            for unit in situation.units
        )
        return [*_situation_lines(situation), *places]


def _situation_lines(situation: TableSituation) -> list[str]:
    assets = [
        f"{asset.name}: {'; '.join((asset.text, *asset.details))}" for asset in situation.assets
    ]
    units = [f"{unit.name}: {'; '.join(unit.details)}" for unit in situation.units if unit.details]
    return [*situation.board, *assets, *units]
