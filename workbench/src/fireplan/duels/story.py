"""The story of a play as one side sees it: two plays that look alike to it have stories of the same number, no others.

Lines are those of the side's log, and how things stand is its situation, both as ``table`` makes
them.
"""

import copy
from collections.abc import Iterable
from typing import Any, Self

from fireplan.table import Eyes, GivenInput, Session, Situation, Viewer
from fireplan.table.chronicle import Chronicle, Known
from fireplan_core import Ask, Event, Form, Order, Scenario
from fireplan_core.chance import ChanceEvent
from fireplan_core.play import Answered, Entry, State


class Story(Chronicle):
    """What a side has seen of one play.

    A fork goes on from it by itself, and numbers mean the same in all forks.
    """

    def __init__(self, scenario: Scenario, moments: int, side: str) -> None:
        super().__init__(scenario, Eyes(scenario, side))
        self._session = Session(scenario, moments)
        self._lines: list[Any] = []
        self._suffered: list[Entry] = []
        self.told: list[tuple[Any, ...]] = [
            ()
        ]  # by number: what there was to see since the story that comes first
        self._numbers: dict[tuple[Any, ...], int] = {}

    def fork(self) -> Self:
        """Return a story that goes on by itself."""
        twin = copy.copy(self)
        seen, gathered = [*self._lines], {key: {*lines} for key, lines in self._gathered.items()}
        vars(twin).update(
            _lines=seen, _gathered=gathered, names={**self.names}, _shown={**self._shown}
        )
        vars(twin).update(_suffered=[*self._suffered])
        return twin

    def happened(self, moment: int, events: Iterable[Event]) -> None:
        """Take what was told of events."""
        entries = [Entry(moment, event) for event in events]
        self._suffered += (entry for entry in entries if entry.event.kind == "suffered")
        self.events(entries)

    def answered(self, moment: int, ask: Ask, order: Order, forms: Iterable[Form]) -> None:
        """Take what is seen of an order, by the forms of its question."""
        slots = (
            slot for form in forms if form.verb == order.verb for slot in form.slots if slot.secret
        )
        secret = tuple(slot.name for slot in slots)
        self.given(
            GivenInput(Answered(ask.question, order), moment, moment, who=ask.who, secret=secret),
            open_=False,
        )

    def noted(self, moment: int, kind: str, text: str) -> None:
        """Take one line more."""
        self._lines.append(self._line(moment, kind, text))

    @property
    def lines(self) -> list[Any]:
        """Return what there was to see since the last look, but for what is told in no order."""
        return self._lines

    @property
    def gathered(self) -> frozenset[Any]:
        """Return what was told in no order."""
        return frozenset(line for lines in self._gathered.values() for line in lines)

    def situation(self, state: State, waits: Ask | ChanceEvent | None) -> Situation:
        """Return how things stand on the table now, as the side sees it."""
        session = copy.copy(self._session)
        session.table = copy.copy(session.table)
        session.table.state, session.table.waits_for = state, waits
        vars(session.table)["_log"] = self._suffered
        viewer = Viewer(session, self.eyes.side)
        vars(viewer)["known"] = Known((), self.names)
        return viewer.situation()

    def look(self, state: State, waits: Ask | None) -> int:
        """Return the number of the story, with all that lies on the table now."""
        key = (*self._lines, self.gathered, self.situation(state, waits))
        number = self._numbers.setdefault(key, len(self.told))
        if number == len(self.told):
            self.told.append(key)
        self._lines = [number]
        return number

    def read(self, number: int) -> list[str]:
        """Return all that a story tells, line by line."""
        told = list[str]()
        while number:
            *lines, gathered, situation = self.told[number]
            number = lines.pop(0) if lines and isinstance(lines[0], int) else 0
            said = [
                line.text for line in (*lines, *sorted(gathered, key=str)) if hasattr(line, "text")
            ]
            told = [*said, *_stands(situation), *told]
        return told

    def stands(self, state: State, waits: Ask | ChanceEvent | None) -> list[str]:
        """Return how things stand on the table now, line by line, with the places of units."""
        situation = self.situation(state, waits)
        places = (
            f"where {unit.name} is: {unit.place.label if unit.place else 'gone'}"
            for unit in situation.units
        )
        return [*_stands(situation), *places]


def _stands(situation: Situation) -> list[str]:
    assets = [
        f"{asset.name}: {'; '.join((asset.text, *asset.details))}" for asset in situation.assets
    ]
    units = [f"{unit.name}: {'; '.join(unit.details)}" for unit in situation.units if unit.details]
    return [*situation.board, *assets, *units]
