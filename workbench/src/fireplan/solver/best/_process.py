"""The decision process of a scenario: what the side can come to decide, under every order it may give."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan.solver import Chain, build_chain
from fireplan.solver._chain import strikes_of, without_cycles
from fireplan.solver._places import LOCAL, reads_back, struck_places
from fireplan.solver._states import MAX_RUNS, READS_PER_RUN
from fireplan.solver.best._goals import Goal, Harm
from fireplan.solver.best._open_decisions import OpenCompiler, OpenDecisions, RelaxedCompiler, order_of
from fireplan_core import Order, ProcedureError, Scenario
from fireplan_core.play import Doctrine, State

COSTS = frozenset({"max_nodes", "max_runs", "late"})
MOST_STATES = 200_000
"""States that are followed at most; with every order open there are soon many more than one waits for."""


class Process:
    """Everything that can come about in a number of moments, whatever the side orders.

    States are those of the odds: projected, and values that no step tells apart made one. At keys that are ``released``
    the side finds what suits it. With the compiler of a process ``before`` it, of the same scenario and doctrine, rows
    of steps are taken over. Nothing more is explored when it is ``late``.
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
        released: frozenset[str] = frozenset(),
        late: Callable[[], bool] = bool,
    ) -> None:
        self.scenario = scenario
        self.moments = moments
        self.open_decisions = open_decisions
        self.compiler = OpenCompiler(scenario, open_decisions, doctrine)
        if released:
            self.compiler = RelaxedCompiler(
                scenario, open_decisions, released, scenario.initial if state is None else state.values, doctrine
            )
            self.compiler.late = lambda: late() or self.compiler.reads > max_runs * READS_PER_RUN
        if before is not None:
            self.compiler.take(before)
        self.state = state
        self.late = late
        self.most = MOST_STATES if max_nodes is None else max_nodes, max_runs
        self._found: dict[frozenset[str] | None, Explored] = {}

    def varied(self, **changed: Any) -> Process:
        """Return the same process with some of what it was made of changed; what is known of steps is taken over.

        Where only what it may cost is changed, so are the states that were followed.
        """
        if not changed.keys() - COSTS:
            found = copy.copy(self)
            found.late, found.most = changed.get("late", bool), (changed["max_nodes"], changed["max_runs"])
            found.compiler.runs = found.compiler.reads = 0
            return found
        given: dict[str, Any] = {"open_decisions": self.open_decisions, "state": self.state, "before": self.compiler}
        found = Process(self.scenario, self.moments, doctrine=self.compiler.doctrine, **(given | changed))
        found.compiler.offered = self.compiler.offered
        return found

    @property
    def opening(self) -> int:
        """Return the number of the first moment."""
        return 0 if self.state is None else self.state.moment

    @property
    def released(self) -> frozenset[str]:
        """Return the keys at which the side finds what suits it."""
        return self.compiler.released if isinstance(self.compiler, RelaxedCompiler) else frozenset()

    @property
    def _apart(self) -> Explored | None:
        """The mission with strikes set apart; None when it reads back what these do, or is free to choose that."""
        if any(key.startswith(LOCAL) for key in self.released):
            return None
        found = self._explored(frozenset())
        return None if reads_back(self.scenario, found.chain) else found

    def _explored(self, carried: frozenset[str] | None) -> Explored:
        """Mission and targets together (None), or the mission with strikes set apart but for those at some places."""
        if carried not in self._found:
            chain = self._chain(carried)
            while isinstance(self.compiler, RelaxedCompiler) and self.compiler.grown:
                self.compiler.renew()
                self._found.clear()
                chain = self._chain(carried)
            self._found[carried] = Explored(self, chain)
        return self._found[carried]

    def _chain(self, carried: frozenset[str] | None) -> Chain:
        return build_chain(
            self.compiler,
            state=self.state,
            apart=carried is not None,
            carried=carried or frozenset(),
            spliced=True,
            alike=True,
            moments=self.opening + self.moments,
            horizon=self.moments,
            max_nodes=self.most[0],
            max_runs=self.most[1],
            late=self.late,
            whole=True,  # a policy knows situations by their states
        )

    def explored(self, goals: Sequence[Goal]) -> Explored:
        """Return the states that these goals need: those of mission and units where what befalls units counts.

        Raises ``ProcedureError`` for goals that look at strikes which cannot be set apart.
        """
        if any(goal.joint for goal in goals):
            if any(goal.strikes for goal in goals):
                raise ProcedureError("strikes and what they do to units cannot be asked for together")
            return self._explored(None)
        apart = self._apart
        if apart is not None:
            return apart
        if any(goal.strikes for goal in goals):
            raise ProcedureError("in this scenario the mission reads what strikes do; ask for what they do to units")
        return self._explored(None)

    def parts(self, goal: Goal) -> list[tuple[Goal, Explored]]:
        """Return goals whose sum a goal is, each with the states that it needs.

        What befalls units at places that know nothing of each other is looked at place by place.
        """
        mission = self._apart if isinstance(goal, Harm) else None
        if (
            mission is None
            or not isinstance(goal, Harm)
            or struck_places(self.compiler, mission.chain, self.state, {}) is None
        ):
            return [(goal, self.explored([goal]))]
        places: dict[str, dict[str, Fraction]] = {}
        struck = {step.scope for emission in mission.emissions for step in strikes_of(emission)}
        for unit, share in goal.shares.items():
            scope = f"place {self.scenario.frame.label(self.scenario.units[unit].place)}"
            if scope in struck:
                places.setdefault(scope, {})[unit] = share
        return [
            (attrs.evolve(goal, shares=shares), self._explored(frozenset({scope}))) for scope, shares in places.items()
        ]


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

    def orders(self, node: int) -> tuple[Order, ...]:
        """Return the orders of a node in which the side decides, in the order of its ways; the standard one first."""
        found = self._orders.get(node)
        if found is None:
            leaf = self.chain.leaves[node]
            assert leaf is not None  # noqa: S101 - a node where the watch ends decides nothing
            found = self._orders[node] = tuple(order_of(row) for row in leaf.situations[0][1].rows)
        return found
