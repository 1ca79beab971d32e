"""An upper bound from a coarse model of the process, in which every place is forgotten.

Where orders may name any hex, states multiply with aims and impacts. The coarse model keeps every
other value and the whole agenda; for a place it keeps only whether there is one. Whenever a step
reads a place, every place that this value may have had so far is tried, and the best result
counts. Values written by strikes are forgotten too, wherever the mission reads them: such a value
may be anything that a strike could have written by then. Nothing that can happen in the process is
missing from the model, so its optimum is never below the true one. It is computed in integers
rounded upwards.

Where a step reads several places, there may be too many combinations to try. Such a step may be
given up: it is credited with the most that the goal allows from there on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import ceil, inf
from typing import Any

from fireplan.solver import TooLargeError
from fireplan.solver.best.coarse.choices import StepChoices
from fireplan.solver.best.coarse.harm import WorstHarm
from fireplan.solver.best.coarse.induction import Transition, Transitions, step_back
from fireplan.solver.best.coarse.runs import MOST_NODES, KeyReadError, Keys, RuleRuns, SearchLimits
from fireplan.solver.best.coarse.states import CoarseStates, Node
from fireplan.solver.best.coarse.strikes import StrikeEffects
from fireplan.solver.best.coarse.values import Coarsened
from fireplan.solver.best.goals import Goal
from fireplan.solver.best.process import Process
from fireplan.solver.states import Exploration, Late, uncollected
from fireplan_core import Pending, Step

SCALE = 2**40 * 3**40 * 5**8 * 7**4 * 11**4 * 13**2
"""Values are counted in units of 1 / SCALE, rounded upwards.

It has many divisors, so that the chances of a few dice and small piles are exact."""


class CoarseModel:
    """The coarse model of a process for one goal.

    The search ends once ``late()`` is true; if ``late`` is None, the number of rule runs is limited
    instead. A step may read any place met up to the end of its moment, so each moment is explored
    again until no new place comes up. ``harm`` says which units a strike may harm, for a goal whose
    states are sets of harmed units; without it, only the strikes themselves can count. A step that
    would take more than ``most_runs`` rule runs in one case is given up. With ``most_orders``, no
    place is forgotten, and questions with more orders are given up instead; ``most_nodes`` limits
    the states, which then multiply.
    """

    def __init__(
        self,
        process: Process,
        goal: Goal,
        late: Late | None,
        harm: WorstHarm | None = None,
        most_runs: float = inf,
        *,
        most_orders: float | None = None,
        most_nodes: float | None = None,
    ) -> None:
        self.goal = goal
        self._most_orders = most_orders
        self.moments = process.moments
        self.complete = False
        """True once every moment has been explored."""
        self._process, self._harm, self._most_runs = process, harm, most_runs
        process.coarse_compiler.runs = 0
        self._exploration = Exploration(
            process.coarse_compiler,
            state=process.state,
            apart=True,
            carried=frozenset(),
            moments=process.closing,
            horizon=process.moments,
        )
        if most_nodes is None:
            most_nodes = inf if late is not None else MOST_NODES
        self._limits = SearchLimits(late, process.coarse_compiler, most_nodes)
        self.keys = Keys()
        self._begin()

    def _begin(self) -> None:
        """Forget all states, but keep the record of the keys that steps read and strikes write."""
        process, goal = self._process, self.goal
        self.keys.written = {}
        keeps_places = self._most_orders is not None
        self.coarse = Coarsened(process.scenario, keeps_places=keeps_places)
        self._states = CoarseStates(self._form)
        self._runs = RuleRuns(
            process.coarse_compiler,
            self._exploration,
            self.coarse,
            self.keys,
            self._limits,
            self._most_runs,
            inf if self._most_orders is None else self._most_orders,
        )
        self._choices = StepChoices(
            goal,
            self._harm,
            self._states,
            self._runs,
            process.opening,
        )
        self._effects = StrikeEffects(
            process.scenario,
            self._runs,
            dict.fromkeys(range(process.opening, process.closing)),
            forbidden=None if goal.strikes or self._harm else goal.kind,
        )
        self._rewards: dict[tuple[int, int], int] = {}
        """The reward of a branch, by the branch's number and the moment."""
        self._followed: dict[Node, tuple[Node, bool]] = {}
        """In one pass over a moment: the next node with a choice, and whether the moment ends."""
        self._start = self._states.agenda(self._exploration.start)

    def _form(self, pending: Pending) -> Pending:
        if self._harm is not None and self._exploration.sets_apart(pending):
            return self.coarse.exact_step(pending)
        return self.coarse.step(pending)

    @property
    def strikes(self) -> Mapping[Step, None]:
        """Return the strikes found so far that may fall while something can still be earned."""
        return self._choices.strikes

    @property
    def gives_up(self) -> bool:
        """Return whether any step had too many combinations or orders to try them all."""
        return self._runs.gives_up

    @uncollected()
    def bound(self) -> Fraction:
        """Return a value of the goal that no policy exceeds.

        If a limit ends the search early, later moments count with the most that the goal allows.
        Raises ``TooLargeError`` if nothing gives a bound, and ``ProcedureError`` if an order can be
        repeated without end in a moment, or if a strike emits an event of the goal.
        """
        while True:
            moments: list[dict[Node, Transitions]] = []
            try:
                root: Node = 0, self._states.agenda(self._exploration.opening), self.goal.initial
                for nodes in self._explore(root):
                    moments.append(nodes)  # noqa: PERF402 - kept when it is late
            except KeyReadError:
                self._begin()
                continue
            except TooLargeError:
                if not moments:
                    raise
            break
        self.complete = len(moments) == self.moments
        values = {} if self.complete else self._credited(moments[-1], self.moments - len(moments))
        for nodes in reversed(moments):
            values = step_back(nodes, values)
        return Fraction(values[root], SCALE)

    def _credited(self, nodes: Mapping[Node, Transitions], left: int) -> dict[Node, int]:
        """Map each node that opens the first unexplored moment to the most that it can earn."""
        values: dict[Node, int] = {}
        for ways in nodes.values():
            for _, _, target, ends in (way for choice in ways for way in choice):
                if target is not None and ends and target not in values:
                    values[target] = ceil(self._rest(target[2], left) * SCALE)
        return values

    def _rest(self, goal_state: Any, left: int) -> Fraction:
        """Return the most that can be earned in the moments left, the present one included.

        Raises ``TooLargeError`` if nothing limits it.
        """
        rest = self.goal.rest(goal_state, left, opened=left < self.moments)
        if rest is None:
            raise TooLargeError("the reward of later moments has no limit")
        return rest

    def _explore(self, root: Node) -> Iterator[dict[Node, Transitions]]:
        """Yield, for each moment, a mapping of its nodes to their choices."""
        openings = {root}
        for moment in range(self.moments):
            size = -1
            while size != self.coarse.size:
                size = self.coarse.size
                nodes, next_openings = self._explore_moment(moment, openings)
                self._effects.carry_out(self.strikes)
            yield nodes
            openings = next_openings

    def _explore_moment(
        self, moment: int, openings: set[Node]
    ) -> tuple[dict[Node, Transitions], set[Node]]:
        self._followed.clear()
        nodes: dict[Node, Transitions] = {}
        next_openings: set[Node] = set()
        todo = list(openings)
        while todo:
            node = todo.pop()
            if node in nodes:
                continue
            self._limits.check(len(nodes))
            ways = nodes[node] = frozenset(
                [
                    tuple(
                        [
                            self._transition(node, branch, weight, moment)
                            for branch, weight in choice
                        ]
                    )
                    # Loop over a copy, because following a branch may find more choices of this
                    # node.
                    for choice in tuple(self._choices.choices_of(node, moment))
                ]
            )
            for choice in ways:
                for _, _, target, ends in choice:
                    if target is not None:
                        if ends:
                            next_openings.add(target)
                        elif target not in nodes:
                            todo.append(target)
        self._limits.explored += len(nodes)
        return nodes, next_openings

    def _transition(self, node: Node, number: int, weight: int, moment: int) -> Transition:
        reward = self._rewards.get((number, moment))
        branch = self._states.branches[number]
        if reward is None:
            if branch.credited:
                earned = self._rest(branch.goal_state, self.moments - moment)
            else:
                once, later = branch.reward
                gain = once + later * (self.moments - 1 - moment)
                earned = -gain if self.goal.least else gain
            reward = ceil(earned * SCALE)
            self._rewards[number, moment] = reward
        if branch.settled:
            return weight, reward, None, False
        target, ends = self._follow(self._states.after(node, number), moment)
        return weight, reward, target, ends

    def _follow(self, node: Node, moment: int) -> tuple[Node, bool]:
        """Return the next node that matters, and whether the moment ends before it comes up.

        A node matters if it has a choice, a chance or a reward; the given node may be the one. If
        the moment ends first, the node returned is the opening of the next moment.
        """
        begun = node
        met = {node}
        passage = self._followed.get(begun)
        while passage is None:
            if not node[1]:
                passage = (node[0], self._start, self.goal.later(node[2])), True
                break
            choices = self._choices.choices_of(node, moment)
            branches = next(iter(choices), ())
            if (
                len(choices) != 1
                or len(branches) != 1
                or not self._states.branches[branches[0][0]].quiet
            ):
                passage = node, False
                break
            node = self._states.after(node, branches[0][0])
            passage = (node, False) if node in met else self._followed.get(node)
            met.add(node)
        self._followed[begun] = passage
        return passage
