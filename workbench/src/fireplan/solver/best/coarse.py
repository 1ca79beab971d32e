"""An upper bound from a coarse model of the process, in which every place is forgotten.

Where orders may name any hex, states multiply with aims and impacts. The coarse model keeps every
other value and the whole agenda, but of a place only that there is one. Whenever a step reads a
place, every place that this value may have had so far is tried, and the best result counts. Nothing
that can happen in the process is missing from the model, so its optimum is never below the true
one. It is computed in integers rounded upwards.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from itertools import takewhile
from math import ceil
from typing import Any

import attrs

from fireplan.solver import TooLargeError
from fireplan.solver.best.goals import Goal
from fireplan.solver.best.open_decisions import OpenCompiler
from fireplan.solver.best.process import Process
from fireplan.solver.compile import Row, Rows
from fireplan.solver.places import within_reach
from fireplan.solver.states import CLOCK, Exploration, uncollected
from fireplan_core import Event, Order, Pending, ProcedureError
from fireplan_core.space import label_of

SCALE = 10**12
"""Values are counted in units of 1 / SCALE, rounded upwards."""
MOST_NODES, MOST_CASES = 400_000, 150_000
"""Maximum number of nodes, and of rule runs, without a time limit."""


class Hole(Enum):
    """What is left of a forgotten place."""

    PLACE = "a place"


class _PlaceRead(BaseException):
    """A signal that a step reads a value with places: it is run again for each value.

    It is a ``BaseException``, so that a rule reading a state does not catch it as an ``Exception``.
    """

    def __init__(self, key: str, values: tuple[Any, ...]) -> None:
        self.key = key
        self.values = values


class _KeyRead(BaseException):
    """A signal that a step reads a key which the states so far do not contain."""


Coarse = tuple[tuple[str, Any], ...]
"""The values of a coarse state that were written, by key."""

Node = tuple[Coarse, tuple[Pending, ...], Hashable]
"""A coarse state, the agenda (next step last), and the state of the goal."""

Reward = tuple[Fraction, Fraction]
"""A fixed part, and a part for each later moment."""


@attrs.frozen(cache_hash=True)
class Branch:
    """One way a coarse step can go on: its weight and its effects.

    ``settled`` is true if nothing more can be earned afterwards.
    """

    weight: int
    updates: tuple[tuple[str, Any], ...]
    pushes: tuple[Pending, ...]
    goal_state: Hashable
    reward: Reward
    settled: bool

    @property
    def quiet(self) -> bool:
        """Return whether nothing is earned and something may still be."""
        return not self.settled and not any(self.reward)


Choice = tuple[Branch, ...]
"""The branches of a step for one order, or for one guess of the places that it reads."""

Way = tuple[int, int, Node | None, bool]
"""A branch from a node: weight, reward, target (None if all is settled), whether it ends."""


class Coarsened:
    """Values and steps with their places forgotten, and the values for which each stands."""

    def __init__(self, process: Process) -> None:
        self._frame = process.scenario.frame
        self._forms: dict[tuple[type, Any], Any] = {}
        self._steps: dict[Pending, Pending] = {}
        self.values: dict[tuple[str, Any], dict[Any, None]] = {}
        """Maps a key and a coarse value to every value that the key may have had."""
        self.steps: dict[Pending, dict[Pending, None]] = {}
        """Maps a coarse step to every step for which it stands."""

    @property
    def size(self) -> int:
        """Return the number of values and steps met so far."""
        return sum(map(len, self.values.values())) + sum(map(len, self.steps.values()))

    def value(self, key: str, value: Any) -> Any:
        """Return the coarse form of a key's value, and record the value."""
        form = self._form(value)
        self.values.setdefault((key, form), {})[value] = None
        return form

    def step(self, pending: Pending) -> Pending:
        """Return the coarse form of a step or question, and record the step."""
        form = self._steps.get(pending)
        if form is None:
            args = tuple(map(self._form, pending.args))
            form = self._steps[pending] = attrs.evolve(pending, args=args)
            self.steps.setdefault(form, {})[pending] = None
        return form

    def _form(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | str):
            return value
        key = type(value), value
        if key not in self._forms:
            self._forms[key] = self._new_form(value)
        return self._forms[key]

    def _new_form(self, value: Any) -> Any:
        if label_of(self._frame, value) is not None:
            return Hole.PLACE
        if isinstance(value, tuple):
            return tuple(map(self._form, value))
        if isinstance(value, frozenset):
            return frozenset, *sorted(map(self._form, value), key=repr)
        if isinstance(value, Order):
            slots = tuple((name, self._form(slot)) for name, slot in value.values)
            return attrs.evolve(value, values=slots)
        return value


class CoarseModel:
    """The coarse model of a process for one goal, which must not need the effects of strikes.

    ``late`` ends the search. Places met in a moment are those met up to its end, so each moment is
    explored until nothing new is met.
    """

    def __init__(self, process: Process, goal: Goal, late: Callable[[], bool] | None) -> None:
        self.goal = goal
        self.moments = process.moments
        self._scenario = process.scenario
        self._compiler = OpenCompiler(
            process.scenario, process.open_decisions, process.compiler.doctrine
        )
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
        self._coarse = Coarsened(process)
        self._start = self._agenda(self._exploration.start)
        self._keys: set[str] = set()
        """The keys that some step has read."""
        self._struck: set[str] = set()
        """The scopes of all strikes."""
        self._choices: dict[tuple[Pending, Hashable], tuple[tuple[str, ...], dict[Any, Any]]] = {}
        """By coarse step and goal state: the keys read, and the choices by their values."""
        self._choices_by_rows: dict[tuple[int, Hashable], tuple[Choice, ...]] = {}
        self._written: set[str] = set()
        """The keys that some step has written."""
        self._followed: dict[Node, tuple[Node, bool]] = {}
        """In one pass over a moment: the next node with a choice, and whether the moment ends."""
        self._explored = 0

    @uncollected()
    def bound(self) -> Fraction:
        """Return a value of the goal that no policy exceeds.

        Raises ``TooLargeError`` if it is late, and ``ProcedureError`` if an order can be repeated
        without end in a moment, or if the mission reads the effects of strikes.
        """
        root: Node = (), self._agenda(self._exploration.opening), self.goal.initial
        while True:
            try:
                moments = list(self._explore(root))
            except _KeyRead:
                continue  # explored again, with the key as part of every state
            break
        if within_reach(self._scenario, self._struck, self._keys):
            raise ProcedureError("the mission reads the effects of strikes")
        values: dict[Node, int] = {}
        for moment in reversed(range(self.moments)):
            values = self._step_back(moments[moment], values)
        return Fraction(values[root], SCALE)

    def _agenda(self, pendings: tuple[Pending, ...]) -> tuple[Pending, ...]:
        return tuple(map(self._coarse.step, reversed(pendings)))

    # --- forwards --------------------------------------------------------------------------------
    def _explore(self, root: Node) -> Iterator[dict[Node, frozenset[tuple[Way, ...]]]]:
        """Yield the nodes of each moment with their choices."""
        openings = {root}
        for moment in range(self.moments):
            size = -1
            while size != self._coarse.size:
                size = self._coarse.size
                nodes, next_openings = self._explore_moment(moment, openings)
            yield nodes
            openings = next_openings

    def _explore_moment(
        self, moment: int, openings: set[Node]
    ) -> tuple[dict[Node, frozenset[tuple[Way, ...]]], set[Node]]:
        self._followed.clear()
        nodes: dict[Node, frozenset[tuple[Way, ...]]] = {}
        next_openings: set[Node] = set()
        todo = list(openings)
        while todo:
            node = todo.pop()
            if node in nodes:
                continue
            self._check_limits(len(nodes))
            ways = nodes[node] = frozenset(
                tuple(self._way(node, branch, moment) for branch in choice)
                for choice in self._choices_of(node, moment)
            )
            for _, _, target, ends in {way for choice in ways for way in choice}:
                if target is not None:
                    (next_openings.add if ends else todo.append)(target)
        self._explored += len(nodes)
        return nodes, next_openings

    def _way(self, node: Node, branch: Branch, moment: int) -> Way:
        once, later = branch.reward
        earned = once + later * (self.moments - 1 - moment)
        reward = ceil((-earned if self.goal.least else earned) * SCALE)
        if branch.settled:
            return branch.weight, reward, None, False
        target, ends = self._follow(self._after(node, branch), moment)
        return branch.weight, reward, target, ends

    def _after(self, node: Node, branch: Branch) -> Node:
        state, agenda, _ = node
        updates = [update for update in branch.updates if update[0] in self._keys]
        if updates:
            state = tuple(sorted((dict(state) | dict(updates)).items(), key=lambda item: item[0]))
        return state, agenda[:-1] + branch.pushes, branch.goal_state

    def _follow(self, node: Node, moment: int) -> tuple[Node, bool]:
        """Return the next node with a choice, a chance or a reward, and whether the moment ends."""
        begun = node
        passage = self._followed.get(begun)
        while passage is None:
            if not node[1]:
                passage = (node[0], self._start, self.goal.later(node[2])), True
                break
            choices = self._choices_of(node, moment)
            branches = next(iter(choices), ())
            if len(choices) != 1 or len(branches) != 1 or not branches[0].quiet:
                passage = node, False
                break
            node = self._after(node, branches[0])
            passage = self._followed.get(node)
        self._followed[begun] = passage
        return passage

    def _check_limits(self, nodes: int) -> None:
        if self._late is not None:
            exceeded = "the time allowed" if self._late() else ""
        elif self._compiler.runs > MOST_CASES:
            exceeded = f"{MOST_CASES:,} distinct situations"
        else:
            over = self._explored + nodes > MOST_NODES
            exceeded = f"{MOST_NODES:,} states" if over else ""
        if exceeded:
            raise TooLargeError(f"the coarse model takes more than {exceeded}")

    # --- one step --------------------------------------------------------------------------------
    def _choices_of(self, node: Node, moment: int) -> frozenset[Choice]:
        """Return the choices of a node's next step: its orders, and guesses of places."""
        state, agenda, goal_state = node
        known = dict(state)
        known[CLOCK] = self._opening + moment
        step = agenda[-1]
        keys, table = self._choices.get((step, goal_state), ((), {}))
        entry = table.get(tuple(known.get(key) for key in keys)) if table else None
        if entry is not None and all(len(values) == size for values, size in entry[1]):
            return entry[0]  # type: ignore[no-any-return]
        reader = _Reader(self._coarse, known, self._exploration.initial)
        choices = frozenset(self._guess(step, goal_state, reader))
        new_keys = reader.keys - self._keys
        self._keys |= new_keys
        if new_keys & self._written:
            self._choices.clear()
            raise _KeyRead
        if reader.keys - {*keys}:
            keys, table = tuple(sorted({*keys} | reader.keys)), {}
            self._choices[step, goal_state] = keys, table
        stands_for = self._coarse.steps[step]
        sizes = [(values, len(values)) for values in (stands_for, *reader.used.values())]
        table[tuple(known.get(key) for key in keys)] = choices, sizes
        return choices

    def _guess(self, step: Pending, goal_state: Hashable, reader: _Reader) -> Iterator[Choice]:
        """Yield the choices of a step for every guess of the places that it has or reads."""
        for pending in tuple(self._coarse.steps[step]):
            if self._exploration.sets_apart(pending):
                self._struck.add(pending.scope)
                yield (Branch(1, (), (), goal_state, (Fraction(0), Fraction(0)), settled=False),)
                continue
            guesses: list[dict[str, Any]] = [{}]
            while guesses:
                reader.guess = guesses.pop()
                self._check_limits(0)
                try:
                    rows = self._compiler.rows(pending, reader)
                except _PlaceRead as read:
                    guesses += [{**reader.guess, read.key: value} for value in read.values]
                    continue
                except Exception:
                    if (
                        reader.guess
                        or len(self._coarse.steps[step]) > 1
                        or not reader.keys <= self._keys
                    ):
                        continue  # places that never come together may break a rule in any way
                    raise
                yield from self._choices_in(pending, rows, goal_state)

    def _choices_in(self, pending: Pending, rows: Rows, goal_state: Hashable) -> tuple[Choice, ...]:
        """Return the choices that rows give: one for each order, or one in all."""
        key = id(rows), goal_state  # the compiler keeps all rows
        choices = self._choices_by_rows.get(key)
        if choices is None:
            branches = [self._branch(row, goal_state) for row in rows.rows]
            if self._compiler.is_open(pending):
                choices = tuple({(attrs.evolve(branch, weight=1),): None for branch in branches})
            else:
                choices = (tuple(sorted(_merged(branches), key=repr)),)
            self._choices_by_rows[key] = choices
        return choices

    def _branch(self, row: Row, goal_state: Any) -> Branch:
        outcome, goal = row.outcome, self.goal
        strikes = tuple(takewhile(self._exploration.sets_apart, outcome.pushes))
        once = later = Fraction(0)
        for letter in (*outcome.events, *strikes):
            if letter.kind == goal.kind if isinstance(letter, Event) else goal.strikes:
                goal_state, (now, then) = goal.see(goal_state, letter)
                once, later = once + now, later + then
        settled = goal.settled(goal_state)
        if not settled:  # afterwards nothing counts
            self._struck.update(strike.scope for strike in strikes)
        self._written.update(key for key, _ in outcome.updates)
        return Branch(
            row.weight,
            tuple((key, self._coarse.value(key, value)) for key, value in outcome.updates),
            self._agenda(outcome.pushes[len(strikes) :]),
            goal_state,
            (once, later),
            settled,
        )

    # --- backwards -------------------------------------------------------------------------------
    def _step_back(
        self, nodes: Mapping[Node, frozenset[tuple[Way, ...]]], later: Mapping[Node, int]
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
                raise ProcedureError("an order can be repeated without end within a moment")
            entered.add(node)
            if ahead:
                todo += ahead
                continue
            values[node] = max(_mean(choice, values, later) for choice in nodes[node])
        return values


class _Reader:
    """A reader of a coarse state for one step: ``reader(key, default)`` gives a value.

    It records the ``keys`` read and, by key and coarse value, the values ``used`` in their place.
    ``guess`` has the values chosen for keys with places.
    """

    def __init__(
        self, coarse: Coarsened, known: Mapping[str, Any], initial: Mapping[str, Any]
    ) -> None:
        self._coarse, self._known, self._initial = coarse, known, initial
        self.keys: set[str] = set()
        self.used: dict[tuple[str, Any], dict[Any, None]] = {}
        self.guess: dict[str, Any] = {}

    def __call__(self, key: str, default: Any) -> Any:
        """Return the value of a key; raise ``_PlaceRead`` if several values are possible."""
        self.keys.add(key)
        if key in self.guess:
            return self.guess[key]
        if key == CLOCK:
            return self._known[CLOCK]
        if key in self._known:
            form = self._known[key]
        else:
            form = self._coarse.value(key, self._initial.get(key, default))
        values = self.used[key, form] = self._coarse.values[key, form]
        if len(values) == 1:
            return next(iter(values))
        raise _PlaceRead(key, tuple(values))


def _merged(branches: list[Branch]) -> list[Branch]:
    """Return branches with the weights of equal effects added."""
    weights: dict[Branch, int] = {}
    for branch in branches:
        effect = attrs.evolve(branch, weight=0)
        weights[effect] = weights.get(effect, 0) + branch.weight
    return [attrs.evolve(effect, weight=weight) for effect, weight in weights.items()]


def _mean(choice: tuple[Way, ...], values: Mapping[Node, int], later: Mapping[Node, int]) -> int:
    """Return the mean value of a choice, rounded upwards."""
    total = sum(weight for weight, _, _, _ in choice)
    earned = 0
    for weight, reward, target, ends in choice:
        ahead = 0 if target is None else later.get(target, 0) if ends else values[target]
        earned += weight * (reward + ahead)
    return -(-earned // total)
