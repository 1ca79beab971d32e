"""The choices of a coarse step: its orders, and guesses of the values that it reads."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from itertools import takewhile
from typing import Any

import attrs

from fireplan.solver.best.coarse.harm import WorstHarm
from fireplan.solver.best.coarse.runs import ReadCase, RuleRuns
from fireplan.solver.best.coarse.states import NOTHING, Branch, Choice, CoarseStates, Node
from fireplan.solver.best.coarse.values import CoarseReader
from fireplan.solver.best.goals import Goal
from fireplan.solver.compile import StepRow, StepRows
from fireplan.solver.states import CLOCK
from fireplan_core import Pending, Step

UNWRITTEN = object()
"""Stands for the value of a key that no step has written yet."""


@attrs.define(eq=False)
class StepCases:
    """The cases of one step and goal state.

    ``by_values`` maps the keys that a case reads, and then their values, to the case. ``by_state``
    caches the case of a coarse state and, if the step is ``timed``, a moment (else -1).
    """

    by_values: dict[tuple[str, ...], dict[tuple[Any, ...], ReadCase]] = attrs.field(factory=dict)
    by_state: dict[tuple[int, int], ReadCase] = attrs.field(factory=dict)
    timed: bool = False
    """True once the step has read the clock."""

    def find(self, known: Mapping[str, Any]) -> ReadCase:
        """Return the case that fits the ``known`` values of a state, or a new case if none does."""
        for keys, cases in self.by_values.items():
            case = cases.get(_values_at(known, keys))
            if case is not None:
                return case
        return ReadCase()

    def put(self, case: ReadCase, keys: set[str], known: Mapping[str, Any]) -> None:
        """Add ``keys`` to the keys that a case reads, and store the case under their values.

        ``known`` maps keys to their values in the state. The earlier entry of the case is removed,
        and the cached cases of states are forgotten.
        """
        before = self.by_values.get(case.keys, {})
        before.pop(_values_at(known, case.keys), None)
        case.keys = tuple(sorted({*case.keys} | keys))
        self.by_values.setdefault(case.keys, {})[_values_at(known, case.keys)] = case
        self.by_state.clear()
        self.timed |= CLOCK in keys


def _values_at(known: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the values of keys; ``UNWRITTEN``, not None, stands for a key never written."""
    return tuple([known.get(key, UNWRITTEN) for key in keys])


class StepChoices:
    """The choices of every coarse step in every case of the values it reads, for one goal.

    ``clock`` is the time of the first moment.
    """

    def __init__(
        self,
        goal: Goal,
        harm: WorstHarm | None,
        states: CoarseStates,
        runs: RuleRuns,
        clock: int,
    ) -> None:
        self._goal, self._harm = goal, harm
        self._states, self._runs, self._clock = states, runs, clock
        self._coarse, self._exploration, self._keys = runs.coarse, runs.exploration, runs.keys
        self._cases: dict[tuple[int, Hashable], StepCases] = {}
        self._choices_by_rows: dict[tuple[int, bool, Hashable], tuple[Choice, ...]] = {}
        self.strikes: dict[Step, None] = {}
        """All strikes that may fall while something can still be earned."""

    def choices_of(self, node: Node, moment: int) -> dict[Choice, None]:
        """Return the choices of a node's next step; later calls may add to them."""
        state, agenda, goal_state = node
        step = self._states.cells[agenda][0]
        cases = self._cases.get((step, goal_state))
        if cases is None:
            cases = self._cases[step, goal_state] = StepCases()
        case = cases.by_state.get((state, moment if cases.timed else -1))
        if case is None:
            case = cases.find(self._known_in(state, moment))
        if case.size != self._coarse.size and not case.given_up:
            self._complete(case, cases, node, moment)
        cases.by_state[state, moment if cases.timed else -1] = case
        return case.choices

    def _known_in(self, state: int, moment: int) -> dict[str, Any]:
        return {**self._states.known[state], CLOCK: self._clock + moment}

    def _complete(self, case: ReadCase, cases: StepCases, node: Node, moment: int) -> None:
        """Add to a case the choices of all steps and values not tried yet.

        If there are too many, the case is given up and credited instead.
        """
        state, agenda, goal_state = node
        form = self._states.steps[self._states.cells[agenda][0]]
        known = self._known_in(state, moment)
        reader = CoarseReader(self._coarse, known, self._exploration.initial, self._keys.loose)
        size = -1
        while size != self._coarse.size:
            size = self._coarse.size
            for pending, rows in self._runs.untried(case, form, reader):
                if rows is None:
                    self._add_strike(case, pending, goal_state)
                else:
                    case.choices.update(dict.fromkeys(self._choices_in(pending, rows, goal_state)))
            if case.given_up:
                self._credit(case, goal_state)
                break
        case.size = size
        self._keys.note_read(reader.keys)
        if not case.keys or not reader.keys <= {*case.keys}:
            cases.put(case, reader.keys, known)

    def _credit(self, case: ReadCase, goal_state: Hashable) -> None:
        """Add to an abandoned case one choice, credited with the most that can still be earned."""
        branch = Branch((), (), goal_state, NOTHING, settled=True, credited=True)
        case.choices[self._states.choice([(1, branch)])] = None

    def _add_strike(self, case: ReadCase, strike: Pending, goal_state: Any) -> None:
        """Add to a case the choices of a strike that is set apart, and record the strike."""
        assert isinstance(strike, Step)  # noqa: S101 - only steps are set apart
        self.strikes[strike] = None
        if self._harm is not None:
            for spread in self._harm.spreads(strike, goal_state):
                branches = [(weight, self._harmed(goal_state, units)) for units, weight in spread]
                case.choices[self._states.choice(branches)] = None
            return
        reward = NOTHING
        if self._goal.strikes:
            goal_state, reward = self._goal.see(goal_state, strike)
        branch = Branch((), (), goal_state, reward, settled=False)
        case.choices[self._states.choice([(1, branch)])] = None

    def _harmed(self, goal_state: Any, units: frozenset[str]) -> Branch:
        """Return the branch in which a strike harms these units for the first time."""
        goal: Any = self._goal
        after = goal_state | units
        share = sum((goal.shares[unit] for unit in units), Fraction(0))
        return Branch((), (), after, (share, Fraction(0)), goal.settled(after))

    def _choices_in(
        self, pending: Pending, rows: StepRows, goal_state: Hashable
    ) -> tuple[Choice, ...]:
        """Return a choice for each row if the decision is open, with equal ones merged.

        Otherwise return a single choice whose branches are all the rows, with their weights.
        """
        is_open = self._runs.compiler.is_open(pending)
        key = id(rows), is_open, goal_state  # ids stay valid, because the compiler keeps all rows
        choices = self._choices_by_rows.get(key)
        if choices is None:
            branches = [(row.weight, self._branch(row, goal_state)) for row in rows.rows]
            if is_open:
                choices = tuple(
                    {self._states.choice([(1, branch)]): None for _, branch in branches}
                )
            else:
                choices = (self._states.choice(branches),)
            self._choices_by_rows[key] = choices
        return choices

    def _branch(self, row: StepRow, goal_state: Any) -> Branch:
        outcome, goal = row.outcome, self._goal
        pushes = takewhile(self._exploration.sets_apart, outcome.pushes)
        strikes = tuple(push for push in pushes if isinstance(push, Step))
        goal_state, earned = goal.see_all(goal_state, (*outcome.events, *strikes))
        settled = goal.settled(goal_state)
        if not settled:  # once settled, nothing more can be earned
            self.strikes.update(dict.fromkeys(strikes))
        for key, value in outcome.updates:
            self._keys.written.setdefault(key, {})[value] = None
        updates = [(key, self._coarse.value(key, value)) for key, value in outcome.updates]
        kept = outcome.pushes[len(strikes) :]
        if self._harm is not None:
            kept = (*filter(self._harm.matters, strikes), *kept)
        return Branch(
            tuple([each for each in updates if each[0] in self._keys.read]),
            () if settled else self._states.pushes(kept),
            goal_state,
            earned,
            settled,
        )
