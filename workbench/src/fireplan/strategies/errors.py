"""The error of a strategy that cannot be followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from fireplan_core import Ask, Pending, ProcedureError, Scenario
from fireplan_core.play import State, Values


class StrategyError(ProcedureError):
    """An error raised if an order of a strategy is refused: the strategy cannot be followed.

    ``state`` is the state in which the order is refused, as the player who follows the strategy
    knows it.
    """

    def __init__(self, scenario: Scenario, ask: Ask, order: str, why: str) -> None:
        super().__init__(
            f"{ask.who} answers {ask.question} with {order!r}, which is refused: {why}"
        )
        self.scenario = scenario
        self.state: State | None = None

    def at(self, values: Mapping[str, Any], asked: Pending, later: Sequence[Pending]) -> Self:
        """Record the state in which a question was asked, and return the error.

        ``later`` is the rest of the agenda, the next entry last.
        """
        self.state = State(Values(values), (asked, *reversed(later)))
        return self
