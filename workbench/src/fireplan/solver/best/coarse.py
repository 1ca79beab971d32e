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

from collections.abc import Callable, Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import takewhile
from math import ceil, inf
from typing import Any

import attrs

from fireplan.solver import TooLargeError
from fireplan.solver.best.coarse_harm import WorstHarm
from fireplan.solver.best.coarse_values import (
    AnyReader,
    Coarsened,
    CoarseReader,
    Reading,
    SeveralValues,
)
from fireplan.solver.best.goals import Goal
from fireplan.solver.best.process import Process
from fireplan.solver.compile import Row, Rows
from fireplan.solver.states import CLOCK, Exploration, uncollected
from fireplan_core import Event, Pending, ProcedureError, Step

SCALE = 10**12
"""Values are counted in units of 1 / SCALE, rounded upwards."""
MOST_NODES, MOST_CASES = 400_000, 150_000
"""Maximum number of nodes, and of rule runs, without a time limit."""
LOOKS = 64
"""Number of nodes between two looks at the clock; there is one before every rule run."""

Node = tuple[int, int, Hashable]
"""A coarse state and an agenda, both by number, and the state of the goal."""

Reward = tuple[Fraction, Fraction]
"""A fixed part, and a part for each later moment."""

NOTHING: Reward = (Fraction(0), Fraction(0))


UNWRITTEN = object()
"""Stands for the value of a key that no step has written yet."""


class _KeyRead(BaseException):
    """A signal that the states explored so far lack a key, or have one that strikes write."""


@attrs.frozen(cache_hash=True)
class Branch:
    """One way a coarse step can go on: its effects, with the steps pushed by number.

    ``settled`` is true if nothing more can be earned afterwards.
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
        """Return whether nothing is earned and something may still be."""
        return not self.settled and not any(self.reward)


Choice = tuple[tuple[int, int], ...]
"""The branches of a step for one order, or for one guess of what it reads: number and weight."""

Transition = tuple[int, int, Node | None, bool]
"""A branch from a node: weight, reward, target (None if all is settled), whether it ends."""

Transitions = frozenset[tuple[Transition, ...]]
"""The choices of a node."""


@attrs.define(eq=False)
class _Case:
    """The choices of a step in coarse states that agree on what it reads, as far as tried."""

    keys: tuple[str, ...] = ()
    """The keys that the step reads in these states."""
    choices: dict[Choice, None] = attrs.field(factory=dict)
    readings: list[Reading] = attrs.field(factory=list)
    tried: int = 0
    """Number of steps tried of those for which the coarse step stands."""
    runs: int = 0
    """Number of rule runs so far."""
    size: int = -1
    """The size of what was known when everything was tried."""
    given_up: bool = False
    """Whether there were too many combinations to try."""


@attrs.define(eq=False)
class _Cases:
    """The cases of a step and a goal state: by the keys read and their values, and by state."""

    by_values: dict[tuple[str, ...], dict[tuple[Any, ...], _Case]] = attrs.field(factory=dict)
    by_state: dict[tuple[int, int], _Case] = attrs.field(factory=dict)
    timed: bool = False
    """Whether the step has read the clock."""

    def find(self, known: Mapping[str, Any]) -> _Case:
        """Return the case of a state, a new one if there is none."""
        for keys, cases in self.by_values.items():
            case = cases.get(_values_at(known, keys))
            if case is not None:
                return case
        return _Case()

    def put(self, case: _Case, keys: set[str], known: Mapping[str, Any]) -> None:
        """Store a case under the keys that it reads, and remove it from where it was."""
        before = self.by_values.get(case.keys, {})
        before.pop(_values_at(known, case.keys), None)
        case.keys = tuple(sorted({*case.keys} | keys))
        self.by_values.setdefault(case.keys, {})[_values_at(known, case.keys)] = case
        self.by_state.clear()
        self.timed |= CLOCK in keys


def _values_at(known: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the values of keys; a key that was never written has ``UNWRITTEN``, not None."""
    return tuple([known.get(key, UNWRITTEN) for key in keys])


class CoarseModel:
    """The coarse model of a process for one goal.

    ``late`` ends the search. Places met in a moment are those met up to its end, so each moment is
    explored until nothing new is met. ``harm`` says which units a strike may harm, for a goal whose
    states are sets of harmed units; without it, only the strikes themselves can count. A step that
    would take more than ``most_runs`` rule runs in one case is given up.
    """

    def __init__(
        self,
        process: Process,
        goal: Goal,
        late: Callable[[], bool] | None,
        harm: WorstHarm | None = None,
        most_runs: float = inf,
    ) -> None:
        self.goal = goal
        self._most_runs = most_runs
        self.moments = process.moments
        self.complete = False
        """True once every moment has been explored."""
        self.strikes: dict[Step, None] = {}
        """All strikes that may fall while something can still be earned."""
        self._scenario = process.scenario
        self._harm = harm
        self._compiler = process.coarse_compiler
        self._compiler.runs = 0
        self._exploration = Exploration(
            self._compiler,
            state=process.state,
            apart=True,
            carried=frozenset(),
            moments=process.closing,
            horizon=process.moments,
        )
        self._late = late
        self._opening = process.opening
        self._clock = dict.fromkeys(range(process.opening, process.closing))
        self._keys: set[str] = set()
        """The keys that some step has read from the state."""
        self._loose: dict[str, None] = {}
        """The keys that strikes write; states leave them out."""
        self._explored = self._looks = 0
        self._begin()

    def _begin(self) -> None:
        self.gives_up = False
        """Whether a step has been given up."""
        self.coarse = Coarsened(self._scenario)
        self._known: list[dict[str, Any]] = [{}]
        """The values of each coarse state, by key."""
        self._state_ids: dict[tuple[tuple[str, Any], ...], int] = {(): 0}
        self._step_ids: dict[Pending, int] = {}
        self._step_list: list[Pending] = []
        self._cells: list[tuple[int, int]] = [(-1, -1)]
        """The next step and the agenda below it, for each agenda; agenda 0 is empty."""
        self._cell_ids: dict[tuple[int, int], int] = {}
        self._branches: list[Branch] = []
        self._branch_ids: dict[Branch, int] = {}
        self._states_after: dict[tuple[int, int], int] = {}
        self._agendas_after: dict[tuple[int, int], int] = {}
        self._rewards: dict[tuple[int, int], int] = {}
        self._cases: dict[tuple[int, Hashable], _Cases] = {}
        self._choices_by_rows: dict[tuple[int, bool, Hashable], tuple[Choice, ...]] = {}
        self.writes: dict[str, dict[Any, None]] = {}
        """The values that steps of the mission have written, by key."""
        self._followed: dict[Node, tuple[Node, bool]] = {}
        """In one pass over a moment: the next node with a choice, and whether the moment ends."""
        self.strikes = {}
        self._effects: dict[Pending, _Case] = {}
        """The strikes that the mission may read, and the steps that they push, as far as tried."""
        self._start = self._agenda(self._exploration.start, 0)

    @uncollected()
    def bound(self) -> Fraction:
        """Return a value of the goal that no policy exceeds.

        If it is late, the moments explored so far give a bound, with the maximum for later ones.
        Raises ``TooLargeError`` if there is none, and ``ProcedureError`` if an order can be
        repeated without end in a moment, or if a strike emits an event of the goal.
        """
        while True:
            moments: list[dict[Node, Transitions]] = []
            try:
                root: Node = 0, self._agenda(self._exploration.opening, 0), self.goal.initial
                for nodes in self._explore(root):
                    moments.append(nodes)  # noqa: PERF402 - kept when it is late
            except _KeyRead:
                self._begin()
                continue
            except TooLargeError:
                if not moments:
                    raise
            break
        self.complete = len(moments) == self.moments
        values = {} if self.complete else self._credited(moments[-1], self.moments - len(moments))
        for nodes in reversed(moments):
            values = self._step_back(nodes, values)
        return Fraction(values[root], SCALE)

    def _credited(self, nodes: Mapping[Node, Transitions], left: int) -> dict[Node, int]:
        """Return the most that each node that opens the first unexplored moment can still earn."""
        values: dict[Node, int] = {}
        for ways in nodes.values():
            for _, _, target, ends in (way for choice in ways for way in choice):
                if target is not None and ends and target not in values:
                    values[target] = ceil(self._rest(target[2], left) * SCALE)
        return values

    def _rest(self, goal_state: Any, left: int) -> Fraction:
        """Return the most that can be earned in the moments left, the present one included."""
        rest = self.goal.rest(goal_state, left)
        if rest is None:
            raise TooLargeError("nothing limits what later moments can earn")
        return rest

    # --- forwards --------------------------------------------------------------------------------
    def _explore(self, root: Node) -> Iterator[dict[Node, Transitions]]:
        """Yield the nodes of each moment with their choices."""
        openings = {root}
        for moment in range(self.moments):
            size = -1
            while size != self.coarse.size:
                size = self.coarse.size
                nodes, next_openings = self._explore_moment(moment, openings)
                self._carry_out_strikes()
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
            self._check_limits(len(nodes))
            ways = nodes[node] = frozenset(
                [
                    tuple(
                        [
                            self._transition(node, branch, weight, moment)
                            for branch, weight in choice
                        ]
                    )
                    # A copy, because following a branch may find more choices of this node.
                    for choice in tuple(self._choices_of(node, moment))
                ]
            )
            for choice in ways:
                for _, _, target, ends in choice:
                    if target is not None:
                        if ends:
                            next_openings.add(target)
                        elif target not in nodes:
                            todo.append(target)
        self._explored += len(nodes)
        return nodes, next_openings

    def _transition(self, node: Node, number: int, weight: int, moment: int) -> Transition:
        reward = self._rewards.get((number, moment))
        branch = self._branches[number]
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
        target, ends = self._follow(self._after(node, number), moment)
        return weight, reward, target, ends

    def _after(self, node: Node, number: int) -> Node:
        state, agenda, _ = node
        branch = self._branches[number]
        below = self._cells[agenda][1]
        agenda_after = self._agendas_after.get((below, number))
        if agenda_after is None:
            agenda_after = below
            for step in branch.pushes:
                agenda_after = self._cell(step, agenda_after)
            self._agendas_after[below, number] = agenda_after
        if branch.updates:
            after = self._states_after.get((state, number))
            if after is None:
                after = self._states_after[state, number] = self._updated(state, branch.updates)
            state = after
        return state, agenda_after, branch.goal_state

    def _updated(self, state: int, updates: tuple[tuple[str, Any], ...]) -> int:
        known = self._known[state] | dict(updates)
        items = tuple(sorted(known.items(), key=lambda item: item[0]))
        number = self._state_ids.setdefault(items, len(self._known))
        if number == len(self._known):
            self._known.append(known)
        return number

    def _cell(self, step: int, below: int) -> int:
        number = self._cell_ids.setdefault((step, below), len(self._cells))
        if number == len(self._cells):
            self._cells.append((step, below))
        return number

    def _step_number(self, form: Pending) -> int:
        number = self._step_ids.setdefault(form, len(self._step_list))
        if number == len(self._step_list):
            self._step_list.append(form)
        return number

    def _pushed(self, pendings: tuple[Pending, ...]) -> tuple[int, ...]:
        """Return the numbers of steps in the order in which they are pushed."""
        return tuple([self._step_number(self._form(pending)) for pending in reversed(pendings)])

    def _form(self, pending: Pending) -> Pending:
        if self._harm is not None and self._exploration.sets_apart(pending):
            return self.coarse.exact_step(pending)
        return self.coarse.step(pending)

    def _agenda(self, pendings: tuple[Pending, ...], below: int) -> int:
        for step in self._pushed(pendings):
            below = self._cell(step, below)
        return below

    def _follow(self, node: Node, moment: int) -> tuple[Node, bool]:
        """Return the next node with a choice, a chance or a reward, and whether the moment ends."""
        begun = node
        met = {node}
        passage = self._followed.get(begun)
        while passage is None:
            if not node[1]:
                passage = (node[0], self._start, self.goal.later(node[2])), True
                break
            choices = self._choices_of(node, moment)
            branches = next(iter(choices), ())
            if len(choices) != 1 or len(branches) != 1 or not self._branches[branches[0][0]].quiet:
                passage = node, False
                break
            node = self._after(node, branches[0][0])
            passage = (node, False) if node in met else self._followed.get(node)
            met.add(node)
        self._followed[begun] = passage
        return passage

    def _check_limits(self, nodes: int) -> None:
        self._looks += 1
        if self._late is not None:
            looks = not nodes or not self._looks % LOOKS
            exceeded = "the time allowed" if looks and self._late() else ""
        elif self._compiler.runs > MOST_CASES:
            exceeded = f"{MOST_CASES:,} distinct situations"
        else:
            over = self._explored + nodes > MOST_NODES
            exceeded = f"{MOST_NODES:,} states" if over else ""
        if exceeded:
            raise TooLargeError(f"the coarse model takes more than {exceeded}")

    # --- one step --------------------------------------------------------------------------------
    def _choices_of(self, node: Node, moment: int) -> dict[Choice, None]:
        """Return the choices of a node's next step: its orders, and guesses of what it reads."""
        state, agenda, goal_state = node
        step = self._cells[agenda][0]
        cases = self._cases.get((step, goal_state))
        if cases is None:
            cases = self._cases[step, goal_state] = _Cases()
        case = cases.by_state.get((state, moment if cases.timed else -1))
        if case is None:
            case = cases.find(self._known_in(state, moment))
        if case.size != self.coarse.size and not case.given_up:
            self._complete(case, step, cases, node, moment)
        cases.by_state[state, moment if cases.timed else -1] = case
        return case.choices

    def _known_in(self, state: int, moment: int) -> dict[str, Any]:
        return {**self._known[state], CLOCK: self._opening + moment}

    def _complete(self, case: _Case, step: int, cases: _Cases, node: Node, moment: int) -> None:
        """Add the choices of a case for everything that has not been tried."""
        state, _, goal_state = node
        form = self._step_list[step]
        known = self._known_in(state, moment)
        reader = CoarseReader(self.coarse, known, self._exploration.initial, self._loose)
        size = -1
        while size != self.coarse.size:
            size = self.coarse.size
            for pending, rows in self._untried(case, form, reader):
                if rows is None:
                    self._add_strike(case, pending, goal_state)
                else:
                    case.choices.update(dict.fromkeys(self._choices_in(pending, rows, goal_state)))
            if case.given_up:
                self._credit(case, goal_state)
                break
        case.size = size
        new_keys = reader.keys - self._keys
        self._keys |= new_keys
        if new_keys & self.writes.keys():
            raise _KeyRead
        if not case.keys or not reader.keys <= {*case.keys}:
            cases.put(case, reader.keys, known)

    def _untried(
        self, case: _Case, form: Pending, reader: CoarseReader | AnyReader
    ) -> Iterator[tuple[Pending, Rows | None]]:
        """Yield each untried case of a step with its rows, or None if the step is set apart."""
        stands_for = list(self.coarse.steps[form])
        todo: list[tuple[Pending, dict[str, Any]]] = [
            (pending, {}) for pending in stands_for[case.tried :]
        ]
        case.tried = len(stands_for)
        for reading in case.readings:
            todo += reading.untried()
        while todo:
            pending, reader.guess = todo.pop()
            self._check_limits(0)
            if isinstance(reader, CoarseReader) and self._exploration.sets_apart(pending):
                yield pending, None
                continue
            case.runs += 1
            if isinstance(reader, CoarseReader) and case.runs > self._most_runs:
                case.given_up = self.gives_up = True
                return
            try:
                rows = self._compiler.rows(pending, reader)
            except SeveralValues as read:
                reading = Reading(pending, reader.guess, read.key, read.values)
                case.readings.append(reading)
                todo += reading.untried()
                continue
            except Exception:
                if reader.guess or len(stands_for) > 1 or not reader.keys <= self._keys:
                    continue  # combinations that never occur may raise any error
                raise
            yield pending, rows

    def _credit(self, case: _Case, goal_state: Hashable) -> None:
        """Add the choice that earns the most that the goal allows."""
        branch = Branch((), (), goal_state, NOTHING, settled=True, credited=True)
        case.choices[self._choice([(1, branch)])] = None

    def _add_strike(self, case: _Case, strike: Pending, goal_state: Any) -> None:
        """Add the choices of a strike that is set apart when it is reached."""
        assert isinstance(strike, Step)  # noqa: S101 - only steps are set apart
        self._note_strikes((strike,))
        if self._harm is not None:
            for spread in self._harm.spreads(strike, goal_state):
                branches = [(weight, self._harmed(goal_state, units)) for units, weight in spread]
                case.choices[self._choice(branches)] = None
            return
        reward = NOTHING
        if self.goal.strikes:
            goal_state, reward = self.goal.see(goal_state, strike)
        case.choices[self._choice([(1, Branch((), (), goal_state, reward, settled=False))])] = None

    def _harmed(self, goal_state: Any, units: frozenset[str]) -> Branch:
        """Return the branch in which a strike harms these units for the first time."""
        goal: Any = self.goal
        after = goal_state | units
        share = sum((goal.shares[unit] for unit in units), Fraction(0))
        return Branch((), (), after, (share, Fraction(0)), goal.settled(after))

    def _choices_in(self, pending: Pending, rows: Rows, goal_state: Hashable) -> tuple[Choice, ...]:
        """Return a choice for each row if the decision is open, else one choice of all rows."""
        is_open = self._compiler.is_open(pending)
        key = id(rows), is_open, goal_state  # the compiler keeps all rows
        choices = self._choices_by_rows.get(key)
        if choices is None:
            branches = [(row.weight, self._branch(row, goal_state)) for row in rows.rows]
            if is_open:
                choices = tuple({self._choice([(1, branch)]): None for _, branch in branches})
            else:
                choices = (self._choice(branches),)
            self._choices_by_rows[key] = choices
        return choices

    def _choice(self, branches: Any) -> Choice:
        """Return weighted branches as a choice, with the weights of equal branches added."""
        weights: dict[int, int] = {}
        for weight, branch in branches:
            number = self._branch_ids.setdefault(branch, len(self._branches))
            if number == len(self._branches):
                self._branches.append(branch)
            weights[number] = weights.get(number, 0) + weight
        return tuple(sorted(weights.items()))

    def _branch(self, row: Row, goal_state: Any) -> Branch:
        outcome, goal = row.outcome, self.goal
        pushes = takewhile(self._exploration.sets_apart, outcome.pushes)
        strikes = tuple(push for push in pushes if isinstance(push, Step))
        once = later = Fraction(0)
        for letter in (*outcome.events, *strikes):
            if letter.kind == goal.kind if isinstance(letter, Event) else goal.strikes:
                goal_state, (now, then) = goal.see(goal_state, letter)
                once, later = once + now, later + then
        settled = goal.settled(goal_state)
        if not settled:  # once settled, nothing more can be earned
            self._note_strikes(strikes)
        for key, value in outcome.updates:
            self.writes.setdefault(key, {})[value] = None
        updates = [(key, self.coarse.value(key, value)) for key, value in outcome.updates]
        kept = outcome.pushes[len(strikes) :]
        if self._harm is not None:
            kept = (*filter(self._harm.matters, strikes), *kept)
        return Branch(
            tuple([each for each in updates if each[0] in self._keys]),
            () if settled else self._pushed(kept),
            goal_state,
            (once, later),
            settled,
        )

    # --- what strikes write ----------------------------------------------------------------------
    def _note_strikes(self, strikes: tuple[Step, ...]) -> None:
        self.strikes.update(dict.fromkeys(strikes))

    def _carry_out_strikes(self) -> None:
        """Record every value that the strikes so far may write where the mission reads it.

        They start from any state that may have come up, one after another in any order.
        """
        read = {*self._keys, *self._loose}
        if self._scenario.places_apart:
            scopes = {self._scenario.scope_of(key) for key in read} - {""}
            relevant = [strike for strike in self.strikes if strike.scope in scopes]
        else:
            relevant = list(self.strikes)
        for strike in relevant:
            self._effects.setdefault(self.coarse.exact_step(strike), _Case())
        size = -1, -1
        while size != (self.coarse.size, len(self._effects)):
            size = self.coarse.size, len(self._effects)
            for step, case in list(self._effects.items()):
                reader = AnyReader(self.coarse, self._exploration.initial, self._clock)
                for _, rows in self._untried(case, step, reader):
                    for row in rows.rows if rows is not None else ():
                        self._record_effects(row)

    def _record_effects(self, row: Row) -> None:
        for event in row.outcome.events:
            if event.kind == self.goal.kind and not (self.goal.strikes or self._harm):
                raise ProcedureError(f"a strike emits {event.kind!r}, which the goal counts")
        keys = {key for key, _ in row.outcome.updates} - self._loose.keys()
        for key, value in row.outcome.updates:
            self.coarse.value(key, value)
        for pending in row.outcome.pushes:
            self._effects.setdefault(self.coarse.exact_step(pending), _Case())
        if keys:
            self._loose.update(dict.fromkeys(sorted(keys)))
            if keys & self._keys:
                self._keys -= keys
                raise _KeyRead

    # --- backwards -------------------------------------------------------------------------------
    def _step_back(
        self, nodes: Mapping[Node, Transitions], later: Mapping[Node, int]
    ) -> dict[Node, int]:
        """Return the value of each node of a moment, given those of the next moment's openings."""
        values: dict[Node, int] = {}
        entered: set[Node] = set()
        todo = list(nodes)
        while todo:
            node = todo[-1]
            if node in values:
                todo.pop()
                continue
            ahead = [
                target
                for choice in nodes[node]
                for _, _, target, ends in choice
                if target is not None and not ends and target not in values
            ]
            if ahead and node in entered:
                return _values_in_cycles(nodes, later)
            entered.add(node)
            if ahead:
                todo += ahead
                continue
            values[node] = max([_mean(choice, values, later) for choice in nodes[node]], default=0)
        return values


def _values_in_cycles(
    nodes: Mapping[Node, Transitions], later: Mapping[Node, int]
) -> dict[Node, int]:
    """Return the value of each node of a moment in which coarse states can come up again.

    Every play leaves a cycle by some choice, so none earns more than the best choice on leaving.
    Raises ``ProcedureError`` if something can be earned again and again in a cycle.
    """
    import networkx as nx

    graph: nx.DiGraph[Node] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    for node, choices in nodes.items():
        for choice in choices:
            graph.add_edges_from(
                (node, target) for _, _, target, ends in choice if target is not None and not ends
            )
    values: dict[Node, int] = {}
    # networkx yields them in reverse topological order.
    for members in nx.strongly_connected_components(graph):
        exits: list[int] = []
        for node in members:
            for choice in nodes[node]:
                leaving = []
                for way in choice:
                    _, reward, target, ends = way
                    if ends or target not in members:
                        leaving.append(way)
                    elif reward > 0:
                        raise ProcedureError("an order can be repeated without end within a moment")
                if leaving:
                    exits.append(_mean(tuple(leaving), values, later))
        values.update(dict.fromkeys(members, max(exits, default=0)))
    return values


def _mean(
    choice: tuple[Transition, ...], values: Mapping[Node, int], later: Mapping[Node, int]
) -> int:
    """Return the mean value of a choice, rounded upwards."""
    total = sum([weight for weight, _, _, _ in choice])
    earned = 0
    for weight, reward, target, ends in choice:
        ahead = 0 if target is None else later.get(target, 0) if ends else values[target]
        earned += weight * (reward + ahead)
    return -(-earned // total)
