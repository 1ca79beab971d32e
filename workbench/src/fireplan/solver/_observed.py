"""Rolls and endings as events, so that measures can look at them: how a named roll falls, what a state comes to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from math import gcd
from typing import Any

import attrs

from fireplan.solver._compile import Compiler, Row, Rows
from fireplan.solver._measures import Awaited
from fireplan_core import Effects, Event, Pending, Scenario, View
from fireplan_core.chance import Chance, ChanceEvent
from fireplan_core.chance import Outcome as Fall
from fireplan_core.play import OPENING, Outcome

ROLLED, ENDING = "a roll", "the ending"
"""Kinds of events that no rule emits."""

Fits = Callable[[ChanceEvent, Fall], bool]


class NeededPlaceError(Exception):
    """A place whose strikes were left out is read after all."""

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope


class RollCompiler(Compiler):
    """A compiler that emits, of rolls by name, whether they fall so: ``ROLLED`` with ``roll`` and ``fits``.

    Strikes on the places ``left_out`` do nothing: right where nobody else reads what these do.
    """

    def __init__(
        self,
        scenario: Scenario,
        rolls: Mapping[str, tuple[Fits, ...]],
        left_out: Collection[str] = (),
    ) -> None:
        super().__init__(scenario)
        self._rolls = rolls
        self._left_out = left_out

    def _outcomes(self, pending: Pending, read: Callable[[str, Any], Any]) -> Rows:
        rows = self._watched(super()._outcomes(pending, read))
        if not any(then.scope in self._left_out for row in rows.rows for then in row.outcome.pushes):
            return rows
        kept = tuple(attrs.evolve(row, outcome=self._without(row.outcome)) for row in rows.rows)
        return attrs.evolve(rows, rows=kept)

    def _without(self, outcome: Outcome) -> Outcome:
        return attrs.evolve(outcome, pushes=tuple(p for p in outcome.pushes if p.scope not in self._left_out))

    def _watched(self, rows: Rows) -> Rows:
        event = rows.event
        tests = self._rolls.get(event.name) if event is not None else None
        if event is None or not tests:
            return rows
        weights: dict[Outcome, int] = {}
        falls: dict[Outcome, tuple[tuple[Fall, int], ...]] = {}
        for row, fallen in zip(rows.rows, rows.falls, strict=True):
            for fall, weight in fallen:
                fits = tuple(test(event, fall) for test in tests)
                told = Event(ROLLED, "", (("roll", event.name), ("fits", fits)))
                outcome = attrs.evolve(row.outcome, events=(told, *row.outcome.events))
                weights[outcome] = weights.get(outcome, 0) + weight
                falls[outcome] = (*falls.get(outcome, ()), (fall, weight))
        divisor = gcd(*weights.values())
        found = tuple(Row(weight // divisor, outcome) for outcome, weight in weights.items())
        return Rows(sum(row.weight for row in found), found, rows.numbers, event, tuple(falls.values()))


def ending_in(
    scenario: Scenario,
    until: int,
    value: Callable[[Callable[[str, Any], Any]], Hashable],
    left_out: Collection[str] = (),
) -> Scenario:
    """Return the scenario with an event ``ENDING`` as moment ``until`` would open, and nothing after it.

    Its ``value`` is what the function makes of the state: it is given ``read(key, default)``, which raises
    ``NeededPlaceError`` for what lies at a place ``left_out``.
    """
    step = scenario.steps[OPENING.name]

    def reader(view: View) -> Callable[[str, Any], Any]:
        def read(key: str, default: Any) -> Any:
            if left_out and (scope := scenario.scope_of(key)) in left_out:
                raise NeededPlaceError(scope)
            return view._read(key, default)  # noqa: SLF001 - every key, by its address

        return read

    def opens(chance: Chance, view: View) -> Effects:
        if view.moment() < until:
            return step.run(chance, view)
        return Effects(Event(ENDING, "", (("value", value(reader(view))),)))

    return attrs.evolve(scenario, steps={**scenario.steps, OPENING.name: attrs.evolve(step, run=opens)})


@attrs.frozen
class Ending(Awaited):
    """The value that the ending had; None until then."""

    kinds: frozenset[str] = frozenset({ENDING})

    def see(self, state: Any, letter: Event, moment: int) -> Any:  # noqa: ARG002
        """Take the value."""
        return (letter["value"],)
