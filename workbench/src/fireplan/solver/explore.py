"""Exploration: every state reachable from an opening, moment by moment."""

from collections.abc import Mapping
from typing import Any

import attrs

from fireplan.solver.chain import Chain, Leaf, Link, PackedTransition
from fireplan.solver.guesses import Ahead, Groups, alike_values
from fireplan.solver.packing import Packing, Restart
from fireplan.solver.states import (
    CELLS,
    CLOCK,
    MAX_NODES,
    MAX_STEPS,
    Exploration,
    TooLargeError,
    multiplied,
    situations,
)
from fireplan.solver.step_table import StepTable
from fireplan_core import ProcedureError
from fireplan_core.play import State

FIRST_LOOK = 200
"""Number of nodes at which the explorer first looks for values that no step distinguishes."""
LOOK_AGAIN = 8
RUNS_PER_NODE = 2
"""Number of compiled situations that a look may compare for each node.

A table that is asked all through a game shares one compiler, whose rows soon take longer to
compare than the next few hundred nodes to explore.
"""
"""Factor by which the number of nodes must grow before the next look."""
WORTH_IT = 3.0
"""Factor by which a grouping must reduce the number of states.

A smaller gain does not justify starting again.
"""
FORGET = 5_000
"""Number of nodes above which unread keys are dropped in the last moment."""


class Explorer:
    """One exploration with fixed keys and codes; it is restarted if these turn out wrong.

    With ``look``, it also restarts if one code for values that no step distinguishes would save
    many states. With ``ahead``, keys that are not read again are dropped in the last moment.
    """

    def __init__(
        self,
        exploration: Exploration,
        defaults: Mapping[str, Any],
        groups: Groups,
        never: set[str],
        *,
        look: bool,
        ahead: Ahead | None,
    ) -> None:
        self.packing = Packing(exploration.initial, defaults, groups)
        self.steps = StepTable(exploration, self.packing, never)
        self.packed_states: list[int] = []
        self._exploration = exploration
        self._never = never
        self._look_at = FIRST_LOOK if look else exploration.max_nodes + 1
        self._forgets = look and ahead is None and not exploration.whole
        self._ahead = ahead
        self._dropped: dict[int, int] = {}
        """The bits to drop from a state in the last moment, by the cell of its agenda."""
        self._in_last_moment = False
        """True while the last moment of the horizon is explored."""
        self._opening_cell = self.packing.push(exploration.start, 0)
        self._ids: dict[int, int] = {}
        self._followed: dict[int, tuple[int, int, bool]] = {}
        """The next kept node of each state, the emission up to it, and whether the moment ends."""
        self._walked = 0
        self._steps_of: dict[int, tuple[Leaf, tuple[PackedTransition, ...]]] = {}
        """The leaf and transitions of this moment's nodes that are still to be explored."""
        self._frontier: list[int] = []
        """The nodes of this moment; ``_next_frontier`` has the openings of the next moment."""
        self._next_frontier: list[int] = []
        self._node(self.packing.push(exploration.opening, 0), self._frontier)

    def explore(self) -> Chain:
        """Return the chain of all reachable states, followed moment by moment.

        Raises ``TooLargeError`` beyond a limit, ``Restart`` if keys or codes turn out wrong.
        """
        horizon, fields = self._exploration.horizon, self.packing.fields
        explored: dict[int, tuple[list[Link], int, Leaf | None, int]] = {}
        moment = 0
        sizes: dict[str, int] = {}
        while self._frontier:
            sizes_before, sizes = (
                sizes,
                {key: len(field.members) for key, field in fields.items()},
            )
            self._in_last_moment = moment + 1 == horizon
            for node in self._frontier:
                state = self.packed_states[node]
                if moment == horizon or self._is_over(state):
                    explored[node] = [(node, 1, 0, True)], 1, None, moment
                    continue
                self._check_limits(len(explored), moment, sizes_before)
                self._check_grouping(len(explored))
                leaf, transitions = (
                    self._steps_of.pop(node)
                    if node in self._steps_of
                    else self.steps.transitions(state)
                )
                explored[node] = self._links(state, transitions), leaf.total, leaf, moment
            self._frontier, self._next_frontier = self._next_frontier, []
            moment += 1
        links, totals, leaves, depths = zip(
            *(explored[node] for node in range(len(self.packed_states))), strict=True
        )
        return Chain(
            keys=tuple(fields),
            tops=[self.packing.cells[state & CELLS][0] for state in self.packed_states],
            totals=totals,
            links=links,
            emissions=self.steps.emissions.values,
            horizon=horizon,
            depths=depths,
            timed=CLOCK in fields,
            states=lambda keys=None: self.packing.values(self.packed_states, keys),
            leaves=leaves,
            explorer=self,
        )

    def enter(self, state: State) -> tuple[int, int, bool]:
        """Return (node, emission, ends) for the first kept node after a state of play.

        ``emission`` is the emission up to the node, which may be new; ``ends`` is true if the
        moment ends. Raises ``Restart`` if keys or codes turn out wrong.
        """
        return self._follow(self.packing.packed(state))

    def limit(self, max_nodes: int, max_runs: int, max_reads: int) -> None:
        """Set the maximum number of nodes, and of rule runs and reads by the compiler.

        Steps walked so far no longer count towards the limit on steps. Values that no step
        distinguishes are no longer looked for, because a new start would lose the results found so
        far.
        """
        self._look_at = MAX_NODES
        self._exploration = attrs.evolve(
            self._exploration, max_nodes=max_nodes, max_runs=max_runs, max_reads=max_reads
        )
        self._walked = 0

    def links_of(self, node: int, explored: int, counted: int) -> list[Link]:
        """Return the links of a node; their targets may be new nodes.

        ``explored`` is the number of nodes explored before, of which ``counted`` count towards the
        maximum. Raises ``TooLargeError`` beyond a limit, ``Restart`` if keys or codes turn out
        wrong.
        """
        self._check_limits(counted, 0, {})
        self._check_grouping(explored)
        state = self.packed_states[node]
        step = self._steps_of.pop(node, None) or self.steps.transitions(state)
        return self._links(state, step[1])

    def _node(self, state: int, frontier: list[int]) -> int:
        """Return the index of a state's node; a new node is appended to ``frontier``."""
        node = self._ids.get(state)
        if node is None:
            node = self._ids[state] = len(self.packed_states)
            self.packed_states.append(state)
            frontier.append(node)
        return node

    def _links(self, state: int, transitions: tuple[PackedTransition, ...]) -> list[Link]:
        """Return the links of a state, each leading to the next kept node."""
        followed, follow, join = self._followed, self._follow, self.steps.emissions.join
        links: list[Link] = []
        for keep, bits, weight, emission in transitions:
            after = state & keep | bits
            target, emitted, ends = followed.get(after) or follow(after)
            links.append((target, weight, join(emission, emitted) if emitted else emission, ends))
        return links

    def _follow(self, state: int) -> tuple[int, int, bool]:
        """Return (node, emission, ends) for the first kept node from a state on.

        ``emission`` is the emission up to the node; ``ends`` is true if the moment ends. Raises
        ``ProcedureError`` if the moment never ends.
        """
        start, emission, walked = state, 0, 1
        transitions, followed = self.steps.transitions, self._followed
        join, spliced = self.steps.emissions.join, self._exploration.spliced
        while state & CELLS:
            step = transitions(state)
            if len(step[1]) != 1 or not spliced:
                node = self._node(self._without_unread(state), self._frontier)
                self._steps_of[node] = step
                passage = (node, emission, False)
                break
            ((keep, bits, _, emitted),) = step[1]
            state = state & keep | bits
            if emitted:
                emission = join(emission, emitted)
            memo = followed.get(state)
            if memo is not None:
                passage = (memo[0], join(emission, memo[1]), memo[2])
                break
            walked += 1
            if walked > MAX_STEPS:
                top = self.packing.cells[state & CELLS][0]
                raise ProcedureError(f"the moment never ends after {top}")
        else:
            node = self._node(self._next_opening(state) | self._opening_cell, self._next_frontier)
            passage = (node, emission, True)
        self._walked += walked
        followed[start] = passage
        return passage

    def _without_unread(self, state: int) -> int:
        """Return a state of the last moment without the keys that are not read again."""
        if self._ahead is None or not self._in_last_moment:
            return state
        cell = state & CELLS
        dropped = self._dropped.get(cell)
        if dropped is None:
            agenda = self.packing.agenda(state)
            dropped = self._dropped[cell] = self._ahead.forgotten(agenda, self.packing.fields)
        return state | dropped

    def _next_opening(self, state: int) -> int:
        """Return the packed state that opens the next moment, with the clock advanced.

        If unread keys are dropped, all states after the last moment are one.
        """
        if self._in_last_moment and self._ahead is not None:
            return ~CELLS  # nothing is read after the last moment, so final states are merged
        return self.packing.ticked(state)

    def _is_over(self, state: int) -> bool:
        """Return whether a state lies beyond the moments to explore."""
        moments = self._exploration.moments
        return (
            moments is not None
            and CLOCK in self.packing.fields
            and self.packing.meanings(CLOCK, state)[0] >= moments
        )

    def _check_limits(self, nodes: int, moment: int, sizes_before: Mapping[str, int]) -> None:
        """Raise ``TooLargeError`` if a limit is exceeded.

        ``nodes`` is the number of nodes explored. The error names the ``moment`` and the fields
        that have grown since ``sizes_before``.
        """
        limits, compiler = self._exploration, self._exploration.compiler
        reason = ""
        if limits.spent:
            exceeded = (
                f"{limits.max_runs:,} distinct situations"
                if compiler.runs > limits.max_runs
                else f"{limits.max_reads:,} reads by rules"
            )
            reason = f"{situations(compiler)}; "
        elif nodes > limits.max_nodes:
            exceeded = f"{limits.max_nodes:,} states"
        elif self._walked > limits.max_walked:
            exceeded = f"{limits.max_walked:,} steps between states"
        elif limits.late():
            exceeded = "the time allowed"
        else:
            return
        growth = multiplied(self.packing.fields, sizes_before)
        raise TooLargeError(f"more than {exceeded}: {reason}{growth}", moment)

    def _check_grouping(self, nodes: int) -> None:
        """Raise ``Restart`` if sharing codes or dropping keys would save enough states."""
        if self._forgets and self._in_last_moment and nodes > FORGET:
            raise Restart
        if nodes < max(self._look_at, self._exploration.compiler.runs // RUNS_PER_NODE):
            return
        self._look_at = nodes * LOOK_AGAIN
        groups = alike_values(self._exploration.compiler, self.packing.fields, self._never)
        merged = self.packing.merged_count(self.packed_states, groups)
        if len(self.packed_states) >= WORTH_IT * merged:
            raise Restart
