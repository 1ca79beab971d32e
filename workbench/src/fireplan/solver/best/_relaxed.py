"""A relaxed question: some keys released, so that the side finds at each of them whatever value suits it.

Whoever may choose what a step reads can do all that a policy can do, and more: the optimum of the relaxed question is
never below the optimum. States need not keep what is released, so that they are fewer, and can be followed whole.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from fireplan.solver import Rows, TooLargeError
from fireplan.solver._compile import Row, below, name_of
from fireplan.solver.best._open_decisions import OpenCompiler, OpenDecisions
from fireplan_core import Pending, Scenario, Step
from fireplan_core.play import Doctrine, Outcome
from fireplan_core.play.scenario import Read

SUITS, FOUND = "best.suits", "best.found"
"""The steps that stand for the choice of what is found, and for what follows from what was."""
MOST_FOUND = 1_000
"""Ways in which one situation can be found at most."""
MOST_RENEWALS = 5
"""How often everything is explored again as more values are met: of a count without an end there are ever more."""


class _ReleasedError(BaseException):
    """A step reads a key that is released."""

    def __init__(self, key: str, default: Any) -> None:
        self.key = key
        self.default = default


class RelaxedCompiler(OpenCompiler):
    """Rows for which the side chooses what it finds at the keys that are released.

    ``universe`` holds the values that each of these was ever met with; where it has ``grown``, what was compiled before
    is not whole, and everything is to be explored again.
    """

    def __init__(
        self,
        scenario: Scenario,
        open_decisions: OpenDecisions,
        released: frozenset[str],
        opening: Mapping[str, Any],
        doctrine: Doctrine | None = None,
    ) -> None:
        super().__init__(scenario, open_decisions, doctrine)
        self.released = released
        self.opening = opening
        self.universe: dict[str, dict[Any, None]] = {}
        self.grown = False
        self._renewals = 0
        self._touched: set[Pending] = set()
        self._numbers: dict[Hashable, int] = {}

    def renew(self) -> None:
        """Forget what rests on values released, as more of these are known now.

        Raises ``TooLargeError`` where that has happened too often.
        """
        self.grown = False
        self._renewals += 1
        if self._renewals > MOST_RENEWALS:
            raise TooLargeError(f"ever more values of {', '.join(sorted(self.released))}, which are released")
        self._tries = {step: node for step, node in self._tries.items() if step not in self._touched}
        self._touched = set()

    def take(self, before: OpenCompiler) -> None:
        """Take over the rows of steps that read nothing that is released."""
        super().take(before)
        self._tries = {step: node for step, node in self._tries.items() if not self.keys(step) & self.released}
        for node in below(*self._tries.values()):
            if isinstance(node, Rows):
                self._met(node)
        self.grown = False

    def is_open(self, pending: Pending) -> bool:
        """Return whether the side chooses here: an order, or what it finds."""
        return (isinstance(pending, Step) and pending.name == SUITS) or super().is_open(pending)

    def _outcomes(self, pending: Pending, read: Read) -> Rows:
        # As more is met, more may be found when it is run again.
        self._proved.add(name_of(pending))
        found = list(self._found(pending, read)) or [Rows(1, (Row(1, Outcome((), (), ())),))]
        if self.is_open(pending):
            # The standard order of what was found first has its weight.
            orders = {row.outcome: row.weight for rows in reversed(found) for row in rows.rows}
            first = {row.outcome: row.weight for row in found[0].rows}
            ways = tuple(Row(weight, outcome) for outcome, weight in (first | orders | first).items())
            return Rows(sum(row.weight for row in ways), ways)
        several = {rows.rows: rows for rows in found}
        if len(several) == 1:
            return found[0]
        steps = []
        for way, rows in several.items():
            step = Step(FOUND, (self._numbers.setdefault(way, len(self._numbers)),))
            self._tries.setdefault(step, rows)
            steps.append(step)
        suits = Step(SUITS, tuple(step.args[0] for step in steps))
        self.lay(suits, [Outcome((), (step,), ()) for step in steps])
        return Rows(1, (Row(1, Outcome((), (suits,), ())),))

    def _found(self, pending: Pending, read: Read) -> Iterator[Rows]:
        """Yield the rows of a step for everything that may be found at released keys."""
        todo: list[dict[str, Any]] = [{}]
        number = 0
        while todo:
            given = todo.pop()

            def finding(key: str, default: Any, given: dict[str, Any] = given) -> Any:
                if key not in self.released:
                    return read(key, default)
                if key not in given:
                    raise _ReleasedError(key, default)
                return given[key]

            try:
                rows = super()._outcomes(pending, finding)
            except _ReleasedError as more:
                self._touched.add(pending)
                first = self.opening.get(more.key, more.default)
                values = {first: None} | self.universe.get(more.key, {})
                self.universe[more.key] = values
                todo += [{**given, more.key: value} for value in reversed(values)]
                continue
            except TooLargeError:
                raise
            except Exception:  # noqa: BLE001, S112 - what can never be found together, nor come up in any play
                continue
            number += 1
            if number > MOST_FOUND:
                raise TooLargeError(f"more than {MOST_FOUND:,} things that a step may find")
            self._met(rows)
            yield rows

    def _met(self, rows: Rows) -> None:
        for row in rows.rows:
            for key, value in row.outcome.updates:
                if key in self.released:
                    known = self.universe.setdefault(key, {})
                    self.grown |= value not in known
                    known[value] = None
