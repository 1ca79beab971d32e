"""The values that strikes may have written where the mission reads them.

The coarse model does not track which of these values a key has: it tries all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fireplan.solver.best.coarse.runs import ReadCase, RuleRuns
from fireplan.solver.best.coarse.values import AnyReader
from fireplan.solver.compile import StepRow
from fireplan_core import Pending, ProcedureError, Scenario, Step


class StrikeEffects:
    """Everything that strikes may have written so far.

    ``clock`` has the times at which a strike may fall. ``forbidden`` is the kind of event that no
    strike may emit, None if any may.
    """

    def __init__(
        self,
        scenario: Scenario,
        runs: RuleRuns,
        clock: Mapping[int, None],
        forbidden: str | None,
    ) -> None:
        self._scenario, self._runs = scenario, runs
        self._clock, self._forbidden = clock, forbidden
        self._coarse, self._keys = runs.coarse, runs.keys
        self._cases: dict[Pending, ReadCase] = {}
        """The cases tried, by strike that the mission may read or step that it pushes."""

    def carry_out(self, strikes: Iterable[Step]) -> None:
        """Record every value that these strikes may write where the mission reads it.

        The strikes start from any state that may have come up, one after another in any order.
        Raises ``KeyReadError`` if a strike writes a key that was read from the state until now, and
        ``ProcedureError`` if a strike emits a ``forbidden`` event.
        """
        read = {*self._keys.read, *self._keys.loose}
        if self._scenario.places_apart:
            scopes = {self._scenario.scope_of(key) for key in read} - {""}
            strikes = [strike for strike in strikes if strike.scope in scopes]
        for strike in strikes:
            self._add(strike)
        size = -1, -1
        while size != (self._coarse.size, len(self._cases)):
            size = self._coarse.size, len(self._cases)
            for step, case in list(self._cases.items()):
                reader = AnyReader(self._coarse, self._runs.exploration.initial, self._clock)
                for _, rows in self._runs.untried(case, step, reader):
                    for row in rows.rows if rows is not None else ():
                        self._record(row)

    def _add(self, pending: Pending) -> None:
        self._cases.setdefault(self._coarse.exact_step(pending), ReadCase())

    def _record(self, row: StepRow) -> None:
        for event in row.outcome.events:
            if event.kind == self._forbidden:
                raise ProcedureError(f"a strike emits {event.kind!r}, which the goal counts")
        keys: set[str] = {key for key, _ in row.outcome.updates} - self._keys.loose.keys()
        for key, value in row.outcome.updates:
            self._coarse.value(key, value)
        for pending in row.outcome.pushes:
            self._add(pending)
        if keys:
            self._keys.note_struck(keys)
