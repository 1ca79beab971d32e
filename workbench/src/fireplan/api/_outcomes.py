"""What can come of an order or a throw: every result with its chance, its dice and the position that it leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import attrs

from fireplan import comparison as comparing
from fireplan.api._result import Block, Grid, Result, Text
from fireplan.table import Words
from fireplan_core import Ask, Event, Step
from fireplan_core.chance import Draw, Face, Throw
from fireplan_core.play import State, Table


@attrs.frozen(eq=False, repr=False)
class OutcomeRow:
    """One result: its chance, every way the dice can fall for it, what follows, and the position that it leads to.

    ``dice`` is empty where many dice are read together (volleys).
    """

    chance: Fraction
    dice: tuple[tuple[Face, ...], ...]
    events: tuple[Event, ...]
    position: Any
    told: str


@attrs.frozen(eq=False, repr=False)
class OutcomesResult(Result):
    """Every result of an order and the throw that follows it; iterated over, it gives the rows."""

    line: str
    roll: str
    results: tuple[OutcomeRow, ...]

    def __iter__(self) -> Iterator[OutcomeRow]:
        """Yield the results, the most probable first."""
        return iter(self.results)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.results)

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield every result with its chance and dice."""
        yield Text(f"{self.line}: {f'the throw {self.roll}' if self.roll else 'no throw'}", "bold")
        rows = []
        for one in self.results:
            dice = "; ".join(" ".join(map(str, faces)) for faces in one.dice)
            rows.append((comparing.percent(one.chance), str(one.chance), dice, one.told))
        yield Grid(("chance", "exactly", "dice", "what follows"), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return every result; chances are strings of rationals."""
        return {"position": self.line, "roll": self.roll, "results": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each result."""
        return [
            {"chance": str(one.chance), "dice": [*map(list, one.dice)], "events": one.told,
             "position": str(one.position)}
            for one in self.results
        ]  # fmt: skip


def outcomes_of(line: str, table: Table, faces: tuple[Face, ...], standing: Callable[[State], Any]) -> OutcomesResult:
    """Return every result of what a table waits for: of one throw, or the one thing that there is without.

    ``faces`` are the dice given so far of that throw; ``standing`` makes the position of a state.
    """
    words, before = Words(table.scenario), tuple(entry.event for entry in table.log)
    waits = table.waits_for
    if waits is None or isinstance(waits, Ask):
        return OutcomesResult(line, "", (_row(Fraction(1), (), before, standing(table.state), words),))
    found: list[OutcomeRow] = []
    top = table.state.agenda[0]
    assert isinstance(top, Step)  # noqa: S101 - a question would wait for an order
    for _, total, outcome, chance in table.rulebook.branches(top, table.read):
        left = () if chance.roll is None else chance.roll.left
        fits = [(way, weight) for way, weight in left if way[: len(faces)] == faces]
        if not fits:
            continue
        agenda = (*outcome.pushes, *table.state.agenda[1:])
        after = Table(table.scenario, table.moments, State(table.state.values.put(outcome.updates), agenda))
        events = (*before, *outcome.events, *(entry.event for entry in after.log))
        ways = tuple(way for way, _ in fits) if isinstance(waits, Throw | Draw) else ()
        share = Fraction(sum(weight for _, weight in fits), total)
        found.append(_row(share, ways, events, standing(after.state), words))
    whole = sum(one.chance for one in found)
    results = (attrs.evolve(one, chance=one.chance / whole) for one in found)
    return OutcomesResult(line, waits.name, tuple(sorted(results, key=lambda one: -one.chance)))


def _row(
    chance: Fraction, dice: tuple[tuple[Face, ...], ...], events: tuple[Event, ...], position: Any, words: Words
) -> OutcomeRow:
    return OutcomeRow(chance, dice, events, position, "; ".join(words.ruling(event) for event in events))
