"""Coarse states, agendas and branches, each identified by a number."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import attrs

from fireplan.solver.numbering import Numbering
from fireplan_core import Agenda, Pending

Node = tuple[int, int, Hashable]
"""A coarse state and an agenda, both by number, and the state of the goal."""

Reward = tuple[Fraction, Fraction]
"""A reward: a fixed part, and a part for each later moment."""

NOTHING: Reward = (Fraction(0), Fraction(0))

Choice = tuple[tuple[int, int], ...]
"""The branches of a step for one order, or for one guess of its reads: number and weight."""


@attrs.frozen(cache_hash=True)
class Branch:
    """One outcome of a coarse step: updates, reward, and the numbers of the steps pushed.

    ``goal_state`` is the goal's state afterwards; ``settled`` is true if nothing more can be
    earned.
    """

    updates: tuple[tuple[str, Any], ...]
    pushes: tuple[int, ...]
    goal_state: Hashable
    reward: Reward
    settled: bool
    credited: bool = False
    """True if the branch earns the most that the goal allows from its state and moment on."""

    @property
    def quiet(self) -> bool:
        """Return whether the branch earns nothing, but something can still be earned later."""
        return not self.settled and not any(self.reward)


class CoarseStates:
    """The coarse states, agendas and branches met so far.

    ``form(step)`` returns the coarse form of a step.
    """

    def __init__(self, form: Callable[[Pending], Pending]) -> None:
        self._form = form
        self.known: list[dict[str, Any]] = [{}]
        """The values of each coarse state, by key."""
        self._states: Numbering[tuple[tuple[str, Any], ...]] = Numbering(())
        self._steps: Numbering[Pending] = Numbering()
        self._cells: Numbering[tuple[int, int]] = Numbering((-1, -1))
        """The next step and the agenda below it, for each agenda; agenda 0 is empty."""
        self._branches: Numbering[Branch] = Numbering()
        self._states_after: dict[tuple[int, int], int] = {}
        self._agendas_after: dict[tuple[int, int], int] = {}
        self.cells = self._cells.values
        self.steps = self._steps.values
        self.branches = self._branches.values

    def after(self, node: Node, number: int) -> Node:
        """Return the node to which the branch with this number leads from a node."""
        state, agenda, _ = node
        branch = self.branches[number]
        below = self.cells[agenda][1]
        agenda_after = self._agendas_after.get((below, number))
        if agenda_after is None:
            agenda_after = self._pushed_onto(branch.pushes, below)
            self._agendas_after[below, number] = agenda_after
        if branch.updates:
            after = self._states_after.get((state, number))
            if after is None:
                after = self._states_after[state, number] = self._updated(state, branch.updates)
            state = after
        return state, agenda_after, branch.goal_state

    def choice(self, branches: Iterable[tuple[int, Branch]]) -> Choice:
        """Return weighted branches as a choice: pairs (branch number, weight), sorted.

        The weights of equal branches are added.
        """
        weights: dict[int, int] = {}
        for weight, branch in branches:
            number = self._branches.number(branch)
            weights[number] = weights.get(number, 0) + weight
        return tuple(sorted(weights.items()))

    def pushes(self, pendings: Agenda) -> tuple[int, ...]:
        """Return the numbers of an agenda's steps in the order of pushing, the last step first."""
        return tuple([self._steps.number(self._form(pending)) for pending in reversed(pendings)])

    def agenda(self, pendings: Agenda) -> int:
        """Return the number of an agenda."""
        return self._pushed_onto(self.pushes(pendings), 0)

    def _pushed_onto(self, steps: tuple[int, ...], agenda: int) -> int:
        for step in steps:
            agenda = self._cells.number((step, agenda))
        return agenda

    def _updated(self, state: int, updates: tuple[tuple[str, Any], ...]) -> int:
        known: Mapping[str, Any] = self.known[state] | dict(updates)
        number = self._states.number(tuple(sorted(known.items(), key=lambda item: item[0])))
        if number == len(self.known):
            self.known.append(dict(known))
        return number
