"""The decision process of a scenario: what the side can come to decide, under every order it may give."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import Any

import attrs

from fireplan.solver import Analysis, Chain, TooLargeError, build_chain
from fireplan.solver.best.goals import Expected, Goal, Harm
from fireplan.solver.best.open_decisions import OpenCompiler, OpenDecisions, order_of
from fireplan.solver.chain import without_cycles
from fireplan.solver.measures import WorstSeverity
from fireplan.solver.places import Automaton, reads_back, struck_places
from fireplan.solver.states import MAX_RUNS
from fireplan_core import Order, ProcedureError, Scenario, Severity, Step
from fireplan_core.play import Doctrine, State

COSTS = frozenset({"max_nodes", "max_runs", "late", "seconds"})
HARDLY_MORE = 2
"""Times the seconds in which something was found too large: in no more than that it is not tried again."""
MOST_STATES = 200_000
"""States that are followed at most.

With every order open there are soon many more than one waits for.
"""


class Process:
    """Everything that can come about in a number of moments, whatever the side orders.

    States are those of the odds: projected, and values that no step tells apart made one. With the
    compiler of a process ``before`` it, of the same scenario and doctrine, rows of steps are taken
    over. ``costs`` are those of ``limit``. ``after`` are moments that come later and are not
    followed: they count as much as they can be worth.
    """

    def __init__(
        self,
        scenario: Scenario,
        moments: int,
        open_decisions: OpenDecisions,
        doctrine: Doctrine | None = None,
        *,
        state: State | None = None,
        before: OpenCompiler | None = None,
        after: int = 0,
        **costs: Any,
    ) -> None:
        self.scenario = scenario
        self.moments = moments
        self.after = after
        self.open_decisions = open_decisions
        self.compiler = OpenCompiler(scenario, open_decisions, doctrine)
        if before is not None:
            self.compiler.take(before)
        self.state = state
        self._found: dict[frozenset[str] | None, Explored] = {}
        self._refused: dict[
            frozenset[str] | None, tuple[float, tuple[int, int], TooLargeError]
        ] = {}
        """What was too large, and in how many seconds and within which limits."""
        self._variants: dict[tuple[Any, ...], Process] = {}
        self.followed: dict[Any, Analysis] = {}
        """The standard doctrine (None) and changes of it, followed once for all goals."""
        self.limit(**costs)

    def limit(
        self,
        max_nodes: int | None = None,
        max_runs: int = MAX_RUNS,
        late: Callable[[], bool] = bool,
        seconds: float = inf,
    ) -> None:
        """Say what it may cost: states, rule runs, until it is ``late``, and in how many seconds that is."""
        self.most = MOST_STATES if max_nodes is None else max_nodes, max_runs
        self.late, self.seconds = late, seconds
        self.compiler.runs = self.compiler.reads = 0

    def varied(self, **changed: Any) -> Process:
        """Return the same process with some of what it was made of changed.

        What is known of steps is taken over.

        What is changed in the same way again knows the states that were followed, and what was
        found too large.
        """
        costs = {name: changed.pop(name) for name in COSTS & changed.keys()}
        key = tuple(sorted((name, repr(value)) for name, value in changed.items()))
        if changed and key not in self._variants:
            given: dict[str, Any] = {
                "open_decisions": self.open_decisions,
                "state": self.state,
                "before": self.compiler,
            }
            moments = self.moments + self.after - changed.get("after", self.after)
            made = Process(
                self.scenario, moments, doctrine=self.compiler.doctrine, **(given | changed)
            )
            made.compiler.offered = self.compiler.offered
            self._variants[key] = made
        found = copy.copy(self._variants[key] if changed else self)
        found.limit(**costs)
        return found

    @property
    def opening(self) -> int:
        """Return the number of the first moment."""
        return 0 if self.state is None else self.state.moment

    @property
    def closing(self) -> int:
        """Return the number of the moment after the last."""
        return self.opening + self.moments + self.after

    @property
    def _apart(self) -> Explored | None:
        """The mission with strikes set apart; None when it reads back what these do."""
        found = self._explored(frozenset())
        return None if reads_back(self.scenario, found.chain) else found

    def _explored(self, carried: frozenset[str] | None) -> Explored:
        """Mission and targets together (None), or the mission with strikes set apart but for those at some places."""
        if carried not in self._found:
            seconds, most, refusal = self._refused.get(carried, (0.0, (0, 0), None))
            if refusal and self.most == most and self.seconds <= seconds * HARDLY_MORE:
                raise refusal
            try:
                chain = self._chain(carried)
            except TooLargeError as error:
                self._refused[carried] = self.seconds, self.most, error
                raise
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
                raise ProcedureError(
                    "strikes and what they do to units cannot be asked for together"
                )
            return self._explored(None)
        apart = self._apart
        if apart is not None:
            return apart
        if any(goal.strikes for goal in goals):
            raise ProcedureError(
                "in this scenario the mission reads what strikes do; ask for what they do to units"
            )
        return self._explored(None)

    def union(self, goal: Harm) -> tuple[Goal, Explored] | None:
        """Return a goal that is never worth less than a harm, and needs the states of the mission alone.

        Each strike counts with the chance of harm to a unit in the state, of those without it, that
        is worst for it. None where the mission reads what strikes do, and of a harm to be avoided.
        """
        mission = None if goal.least else self._apart
        places = (
            None if mission is None else struck_places(self.compiler, mission.chain, self.state, {})
        )
        if mission is None or places is None:
            return None
        worth: dict[Step, Fraction] = {}
        for unit, share in goal.shares.items():
            place = places.get(
                f"place {self.scenario.frame.label(self.scenario.units[unit].place)}"
            )
            for found in place.automata([WorstSeverity(unit)]) if place else ():
                for letter, most in _harms(found, goal.severity).items():
                    worth[letter] = worth.get(letter, Fraction(0)) + share * most
        return Expected(goal.shares, goal.severity, worth), mission

    def parts(self, goal: Goal, *, together: bool = False) -> list[tuple[Goal, Explored]]:
        """Return goals whose sum a goal is, each with the states that it needs.

        What befalls units at places that know nothing of each other is looked at place by place, or
        at all of them ``together``; not so where moments are left that are not followed, for in
        these other places may be struck.
        """
        mission = self._apart if isinstance(goal, Harm) and not self.after else None
        struck = (
            None if mission is None else struck_places(self.compiler, mission.chain, self.state, {})
        )
        if struck is None or not isinstance(goal, Harm):
            return [(goal, self.explored([goal]))]
        places: dict[str, dict[str, Fraction]] = {}
        for unit, share in goal.shares.items():
            scope = f"place {self.scenario.frame.label(self.scenario.units[unit].place)}"
            if scope in struck:
                places.setdefault(scope, {})[unit] = share
        if together or len(places) == 1:
            return [(goal, self._explored(frozenset(places)))]
        return [
            (attrs.evolve(goal, shares=shares), self._explored(frozenset({scope})))
            for scope, shares in places.items()
        ]


def _harms(place: Automaton, severity: Severity) -> Mapping[Step, Fraction]:
    """The chance of harm by each letter that moves a unit, in the worst of the states in which none has come to it."""
    found: dict[Step, Fraction] = {}
    unharmed = [0]
    for state in unharmed:
        for number, ends in place.moves[state].items():
            spared = [end for end in ends if all(event["severity"] < severity for event in end[1])]
            unharmed += dict.fromkeys(after for after, _, _ in spared if after not in unharmed)
            harmed = 1 - sum((share for _, _, share in spared), Fraction(0))
            found[place.letters[number]] = max(
                found.get(place.letters[number], Fraction(0)), harmed
            )
    return found


class Explored:
    """The chain of a process without cycles in a moment, and the orders of the nodes in which the side decides.

    Raises ``ProcedureError`` where an order can be given any number of times within a moment.
    """

    def __init__(self, process: Process, chain: Chain) -> None:
        self.process = process
        self.decides = frozenset(
            node
            for node, top in enumerate(chain.tops)
            if process.compiler.is_open(top) and chain.totals[node] > 1
        )
        self.chain = chain
        self.emissions = chain.emissions
        self.links, self.totals, self.topological_order = without_cycles(chain)
        for node in self.decides:
            if self.links[node] is not chain.links[node]:
                raise ProcedureError(
                    f"an order can be given again and again within a moment at {chain.tops[node]}"
                )
        self._orders: dict[int, tuple[Order, ...]] = {}

    def orders(self, node: int) -> tuple[Order, ...]:
        """Return the orders of a node in which the side decides, in the order of its ways.

        The standard one first.
        """
        found = self._orders.get(node)
        if found is None:
            leaf = self.chain.leaves[node]
            assert leaf is not None  # noqa: S101 - a node where the watch ends decides nothing
            found = self._orders[node] = tuple(order_of(row) for row in leaf.situations[0][1].rows)
        return found
