"""The decision process of a scenario: what the side can come to decide, under every order it may give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from fireplan.solver import Chain, build_chain
from fireplan.solver._cycles import without_cycles
from fireplan.solver._places import reads_back
from fireplan.solver._states import MAX_RUNS
from fireplan.solver.best._goals import Goal
from fireplan.solver.best._open_decisions import OpenCompiler, OpenDecisions
from fireplan_core import Ask, Order, ProcedureError, Scenario
from fireplan_core.play import Doctrine, State

MOST_STATES = 200_000
"""States that are followed at most; with every order open there are soon many more than one waits for."""


class Process:
    """Everything that can come about in a number of moments, whatever the side orders.

    With the compiler of a process ``before`` it, of the same scenario and doctrine, rows of steps are taken over.
    """

    def __init__(  # noqa: PLR0913 - all but the first three have defaults that serve
        self,
        scenario: Scenario,
        moments: int,
        open_decisions: OpenDecisions,
        doctrine: Doctrine | None = None,
        *,
        state: State | None = None,
        max_nodes: int | None = None,
        max_runs: int = MAX_RUNS,
        before: OpenCompiler | None = None,
    ) -> None:
        self.scenario = scenario
        self.moments = moments
        self.open_decisions = open_decisions
        self.compiler = OpenCompiler(scenario, open_decisions, doctrine)
        if before is not None:
            self.compiler.take(before)
        self._state = state
        self._most = MOST_STATES if max_nodes is None else max_nodes, max_runs

    @property
    def opening(self) -> int:
        """Return the number of the first moment."""
        return 0 if self._state is None else self._state.moment

    @cached_property
    def _apart(self) -> Explored | None:
        """The mission with strikes set apart; None when it reads back what these do."""
        chain = self._chain(apart=True)
        return None if reads_back(self.scenario, chain) else Explored(self, chain)

    @cached_property
    def _joint(self) -> Explored:
        return Explored(self, self._chain(apart=False))

    def _chain(self, *, apart: bool) -> Chain:
        return build_chain(
            self.compiler,
            state=self._state,
            apart=apart,
            spliced=True,
            moments=self.opening + self.moments,
            horizon=self.moments,
            max_nodes=self._most[0],
            max_runs=self._most[1],
        )

    def explored(self, goals: Sequence[Goal]) -> Explored:
        """Return the states that these goals need: those of mission and units where what befalls units counts.

        Raises ``ProcedureError`` for goals that look at strikes which cannot be set apart.
        """
        if any(goal.joint for goal in goals):
            if any(goal.strikes for goal in goals):
                raise ProcedureError("strikes and what they do to units cannot be asked for together")
            return self._joint
        if self._apart is not None:
            return self._apart
        if any(goal.strikes for goal in goals):
            raise ProcedureError("in this scenario the mission reads what strikes do; ask for what they do to units")
        return self._joint


class Explored:
    """The chain of a process without cycles in a moment, and the orders of the nodes in which the side decides.

    Raises ``ProcedureError`` where an order can be given any number of times within a moment.
    """

    def __init__(self, process: Process, chain: Chain) -> None:
        self.process = process
        self.decides = frozenset(
            node for node, top in enumerate(chain.tops) if process.compiler.is_open(top) and chain.totals[node] > 1
        )
        self.chain = chain
        self.emissions = chain.emissions
        self.links, self.totals, self.topological_order = without_cycles(chain)
        for node in self.decides:
            if self.links[node] is not chain.links[node]:
                raise ProcedureError(f"an order can be given again and again within a moment at {chain.tops[node]}")
        self._orders: dict[int, tuple[Order, ...]] = {}

    def ask(self, node: int) -> Ask:
        """Return the question of a node in which the side decides."""
        top = self.chain.tops[node]
        assert isinstance(top, Ask)  # noqa: S101 - checked when the node was taken for one
        return top

    def get(self, node: int) -> Callable[[str, Any], Any]:
        """Return what reads the values of a node."""
        return self.chain.reader(node, self.process.scenario.initial)

    def orders(self, node: int) -> tuple[Order, ...]:
        """Return the orders of a node in which the side decides, in the order of its ways; the standard one first."""
        found = self._orders.get(node)
        if found is None:
            found = self._orders[node] = self.process.compiler.orders(self.ask(node), self.get(node))
        return found
