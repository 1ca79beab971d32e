"""Exploration: every state reachable from an opening, moment by moment.

A state is one integer. Its lowest bits are a cell of the agenda (the steps still to run). The
higher bits are a code for the value of each key that some step has read; 0 is the value at the
opening. An outcome is a pair of bit masks.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import product, takewhile
from math import gcd, prod
from typing import Any

from fireplan.solver.chain import (
    NOTHING,
    PUT,
    Chain,
    Effect,
    Emission,
    Leaf,
    Link,
    Situation,
    Transition,
)
from fireplan.solver.compile import Row, Rows
from fireplan.solver.guesses import Ahead, Groups, alike_values
from fireplan.solver.states import (
    CELL_BITS,
    CELLS,
    CLOCK,
    CODE_BITS,
    CODES,
    MAX_STEPS,
    Exploration,
    Field,
    TooLargeError,
    multiplied,
    situations,
    typed,
)
from fireplan_core import Pending, ProcedureError, Step
from fireplan_core.play import OPENING, Outcome

FIRST_LOOK = 200
"""Number of nodes at which the explorer first looks for alike values."""
LOOK_AGAIN = 8
"""Factor by which the number of nodes must grow before the next look."""
WORTH_IT = 3.0
"""Factor by which a grouping must reduce the number of states.

A smaller gain does not justify starting again.
"""
MOST_CHECKS = 400
"""Maximum number of combinations of values sharing a code for which a step is run."""
FORGET = 5_000
"""Number of nodes above which unread keys are dropped in the last moment."""


class UnreadKey(BaseException):
    """A read of a key that was written before any step was known to read it."""

    def __init__(self, key: str, default: Any) -> None:
        self.key = key
        self.default = default


class RegroupError(Exception):
    """A signal that the values must be grouped again."""


class Explorer:
    """One exploration with fixed keys and codes; it is restarted if these turn out wrong."""

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
        self.exploration = exploration
        self.compiler = exploration.compiler
        self.initial = exploration.initial
        self.groups = groups
        self.never = never
        self.ahead = ahead
        self.walked = 0
        self.look_at = FIRST_LOOK if look else exploration.max_nodes + 1
        self.forget_at = (
            FORGET if look and ahead is None and not exploration.whole else exploration.max_nodes
        )
        self.in_last_moment = False
        """True while the last moment of the horizon is explored."""
        self.forgotten: dict[int, int] = {}
        """Maps the agenda's cell to the bits of keys that are not read again in the last moment."""
        self.fields: dict[str, Field] = {}
        for key, default in defaults.items():
            self.add_field(key, default)
        self.sizes_before: dict[str, int] = {}
        self.sizes: dict[str, int] = {}
        """Number of values of each key when this moment opened (``sizes_before``: last moment)."""
        self.unread_keys: set[str] = set()
        self.altered: set[str] = set()
        # The agenda is a linked list of cells, so the cost of a push does not depend on its length;
        # cell 0 is the empty agenda.
        self.cells: list[tuple[Pending, int]] = [(OPENING, 0)]
        self.cell_ids: dict[tuple[Pending, int], int] = {}
        self.roots: list[list[Any]] = [[None]]
        self.root_of: dict[Pending, list[Any]] = {}
        self.emissions: list[Emission] = [NOTHING]
        self.emission_ids: dict[Emission, int] = {NOTHING: 0}
        self.concatenated: dict[tuple[int, int], int] = {}
        self.opening_cell = self.push(exploration.start, 0)
        self.leaves: list[Leaf] = []
        self.packed_states: list[int] = []
        self.ids: dict[int, int] = {}
        self.followed: dict[int, tuple[int, int, bool]] = {}
        self.steps_of: dict[int, tuple[Leaf, tuple[Transition, ...]]] = {}
        """The leaf and transitions of this moment's nodes that are still to be explored."""
        self.frontier: list[int] = []
        """The nodes of this moment; ``next_frontier`` has the openings of the next moment."""
        self.next_frontier: list[int] = []
        self.node(self.push(exploration.opening, 0), self.frontier)

    def add_field(self, key: str, default: Any) -> Field:
        """Add a key to the states, and return its field."""
        shift = CELL_BITS + CODE_BITS * len(self.fields)
        value = self.initial.get(key, default)
        field = self.fields[key] = Field(shift, value, self.groups.get(key, ()))
        return field

    def push(self, pushes: tuple[Pending, ...], cell: int) -> int:
        """Return the cell of an agenda with these steps on top of the agenda in ``cell``."""
        for pending in reversed(pushes):
            link = (pending, cell)
            pushed = self.cell_ids.get(link)
            if pushed is None:
                pushed = self.cell_ids[link] = len(self.cells)
                self.cells.append(link)
                self.roots.append(self.root_of.setdefault(pending, [None]))
            cell = pushed
        return cell

    def node(self, state: int, frontier: list[int]) -> int:
        """Return the index of a state's node; a new node is appended to ``frontier``."""
        node = self.ids.get(state)
        if node is None:
            node = self.ids[state] = len(self.packed_states)
            self.packed_states.append(state)
            frontier.append(node)
        return node

    def emission(self, emission: Emission) -> int:
        """Return the index of an emission, adding it if it is new."""
        number = self.emission_ids.setdefault(emission, len(self.emissions))
        if number == len(self.emissions):
            self.emissions.append(emission)
        return number

    def concatenate(self, first: int, second: int) -> int:
        """Return the index of the emission that joins two others, given by index."""
        if not first or not second:
            return first or second
        number = self.concatenated.get((first, second))
        if number is None:
            number = self.concatenated[first, second] = self.emission(
                self.emissions[first] + self.emissions[second]
            )
        return number

    def reader(self, state: int) -> Callable[[str, Any], Any]:
        """Return ``read(key, default)`` for a state; the function may raise ``UnreadKey``."""

        def get(key: str, default: Any) -> Any:
            field = self.fields.get(key)
            if field is None:
                if key in self.unread_keys:
                    raise UnreadKey(key, default)
                return self.add_field(key, default).opening
            code = state >> field.shift & CODES
            if code == CODES:
                raise UnreadKey(key, default)
            return field.members[code][0] if code else field.opening

        return get

    def without_unread(self, state: int) -> int:
        """Return a state of the last moment without the keys that are not read again."""
        ahead, top = self.ahead, state & CELLS
        if ahead is None or not self.in_last_moment:
            return state
        forgotten = self.forgotten.get(top)
        if forgotten is None:
            agenda, cell = [], top
            while cell:
                pending, cell = self.cells[cell]
                agenda.append(pending)
            forgotten = self.forgotten[top] = ahead.forgotten(agenda, self.fields)
        return state | forgotten

    def run_step(self, state: int) -> Leaf:
        """Run the state's next step in a new situation, and return its leaf, filed in the trie."""
        pending = self.cells[state & CELLS][0]
        read, rows = self.situation(pending, self.reader(state))
        effects = tuple(self.effects_of(rows).items())
        others = self.check(pending, state, read, dict(effects)) if self.groups else ()
        leaf = Leaf(pending, ((read, rows), *others), effects)
        self.leaves.append(leaf)
        slot: Any = self.roots[state & CELLS]
        index: Any = 0
        for key, _ in read:
            shift = self.fields[key].shift
            if slot[index] is None:
                slot[index] = (shift, {})
            slot = slot[index][1]
            index = state >> shift & CODES
            slot.setdefault(index)
        slot[index] = leaf
        return leaf

    def effects_of(self, rows: Rows) -> dict[Effect, int]:
        """Return the weight of each effect of these rows, in lowest terms."""
        weights: dict[Effect, int] = {}
        for row in rows.rows:
            effect = self.effect(row.outcome)
            weights[effect] = weights.get(effect, 0) + row.weight
        divisor = gcd(*weights.values())
        return {effect: weight // divisor for effect, weight in weights.items()}

    def effect(self, outcome: Outcome) -> Effect:
        """Return the effect of an outcome on a state, as bit masks."""
        cleared, bits = CELLS, 0
        for key, value in dict(outcome.updates).items() if outcome.updates else ():
            field = self.fields.get(key)
            if field is None:
                self.unread_keys.add(key)
                self.altered.add(key)
                continue
            cleared |= CODES << field.shift
            bits |= field.code(value) << field.shift
        exploration = self.exploration
        strikes: tuple[Any, ...] = tuple(takewhile(exploration.sets_apart, outcome.pushes))
        updates = tuple(Step(PUT, put) for put in outcome.updates if put[0] in exploration.watched)
        emission = self.emission((*updates, *outcome.events, *strikes))
        return ~cleared, bits, outcome.pushes[len(strikes) :], emission

    def check(
        self,
        pending: Pending,
        state: int,
        read: tuple[tuple[str, Any], ...],
        effects: Mapping[Effect, int],
    ) -> Iterable[Situation]:
        """Return the situations of a step for all values of the codes that it reads.

        Raises ``RegroupError`` if the effects differ.
        """
        values_by_key = [self.meanings(key, state) for key, _ in read]
        shared_keys = {
            key for (key, _), values in zip(read, values_by_key, strict=True) if len(values) > 1
        }
        if prod(map(len, values_by_key)) > MOST_CHECKS:
            self.never.update(shared_keys)
            raise RegroupError
        read_state = self.reader(state)
        situations: list[Situation] = []
        differs = False
        for values in product(*values_by_key) if shared_keys else ():
            variant = dict(zip((key for key, _ in read), values, strict=True))

            def get(key: str, default: Any, variant: dict[str, Any] = variant) -> Any:
                return variant[key] if key in variant else read_state(key, default)

            keys_read, rows = self.situation(pending, get)
            differs |= [a for a, _ in keys_read] != [a for a, _ in read] or self.effects_of(
                rows
            ) != effects
            situations.append((keys_read, rows))
        if differs:
            # Raised only now, so that the next grouping can use all the rows compiled above.
            raise RegroupError
        return situations

    def situation(self, pending: Pending, get: Callable[[str, Any], Any]) -> Situation:
        """Return the keys that a step reads with their values, and its rows.

        Where values share a code, the step may be tried in situations that can never arise.
        """
        if self.exploration.sets_apart(pending):
            # Most such steps are recorded when pushed; this step is recorded when reached.
            return (), Rows(1, (Row(1, Outcome((), (pending,), ())),))
        if not self.groups:
            return self.compiler.situation(pending, get)
        grouped: set[str] = set()

        def noting(key: str, default: Any) -> Any:
            if key in self.groups:
                grouped.add(key)
            return get(key, default)

        try:
            return self.compiler.situation(pending, noting)
        except Exception as error:  # an impossible situation may break a rule in any way
            if not grouped:
                raise
            self.never.update(grouped)
            raise RegroupError from error

    def meanings(self, key: str, state: int) -> tuple[Any, ...]:
        """Return the values that a state's code for a key stands for."""
        field = self.fields[key]
        return field.members[state >> field.shift & CODES]

    def transitions(self, state: int) -> tuple[Leaf, tuple[Transition, ...]]:
        """Return the leaf of the step on top of a state's agenda, and its transitions."""
        cell = state & CELLS
        leaf = self.roots[cell][0]
        while leaf.__class__ is tuple:
            shift, children = leaf
            leaf = children.get(state >> shift & CODES)
        if leaf is None:
            leaf = self.run_step(state)
        below = self.cells[cell][1]
        transitions = leaf.transitions.get(below)
        if transitions is None:
            transitions = leaf.transitions[below] = tuple(
                [
                    (keep, bits | self.push(pushes, below), weight, emission)
                    for (keep, bits, pushes, emission), weight in leaf.effects
                ]
            )
        return leaf, transitions

    def follow(self, state: int) -> tuple[int, int, bool]:
        """Return the next kept node, the emission up to it, and whether the moment ends."""
        start, emission, walked = state, 0, 1
        transitions, followed, spliced = self.transitions, self.followed, self.exploration.spliced
        while state & CELLS:
            step = transitions(state)
            if len(step[1]) != 1 or not spliced:
                node = self.node(self.without_unread(state), self.frontier)
                self.steps_of[node] = step
                passage = (node, emission, False)
                break
            ((keep, bits, _, emitted),) = step[1]
            state = state & keep | bits
            if emitted:
                emission = self.concatenate(emission, emitted)
            memo = followed.get(state)
            if memo is not None:
                passage = (memo[0], self.concatenate(emission, memo[1]), memo[2])
                break
            walked += 1
            if walked > MAX_STEPS:
                raise ProcedureError(f"the moment never ends after {self.cells[state & CELLS][0]}")
        else:
            passage = (
                self.node(self.next_opening(state) | self.opening_cell, self.next_frontier),
                emission,
                True,
            )
        self.walked += walked
        followed[start] = passage
        return passage

    def next_opening(self, state: int) -> int:
        """Return the packed state that opens the next moment, with the clock advanced."""
        if self.in_last_moment and self.ahead is not None:
            return ~CELLS  # nothing is read after the last moment, so all final states are one
        field = self.fields.get(CLOCK)
        if field is None:
            # The clock advances at the end of every moment, so a later read must start again.
            self.unread_keys.add(CLOCK)
            return state
        after = field.code(self.meanings(CLOCK, state)[0] + 1)
        return state & ~(CODES << field.shift) | after << field.shift

    def is_over(self, state: int) -> bool:
        """Return whether a state lies beyond the moments to explore."""
        moments = self.exploration.moments
        return (
            moments is not None
            and CLOCK in self.fields
            and self.meanings(CLOCK, state)[0] >= moments
        )

    def explore(self) -> Chain:
        """Return the chain of all reachable states, followed moment by moment."""
        explored: dict[int, tuple[list[Link], int, Leaf | None, int]] = {}
        moment = 0
        while self.frontier:
            self.sizes_before, self.sizes = (
                self.sizes,
                {key: len(field.members) for key, field in self.fields.items()},
            )
            beyond_horizon = moment == self.exploration.horizon
            self.in_last_moment = moment + 1 == self.exploration.horizon
            for node in self.frontier:
                state = self.packed_states[node]
                if beyond_horizon or self.is_over(state):
                    explored[node] = [(node, 1, 0, True)], 1, None, moment
                    continue
                self.check_size(len(explored), moment)
                leaf, transitions = (
                    self.steps_of.pop(node) if node in self.steps_of else self.transitions(state)
                )
                explored[node] = self.links(state, transitions), leaf.total, leaf, moment
            self.frontier, self.next_frontier = self.next_frontier, []
            moment += 1
        links, totals, leaves, depths = zip(
            *(explored[node] for node in range(len(self.packed_states))), strict=True
        )
        return Chain(
            tuple(self.fields),
            [self.cells[state & CELLS][0] for state in self.packed_states],
            totals,
            links,
            self.emissions,
            frozenset(self.altered),
            self.exploration.horizon,
            depths,
            CLOCK in self.fields,
            self.states,
            leaves,
            self,
        )

    def links(self, state: int, transitions: tuple[Transition, ...]) -> list[Link]:
        """Return the links of a state, each leading to the next kept node."""
        followed, follow, concatenate = self.followed, self.follow, self.concatenate
        links: list[Link] = []
        for keep, bits, weight, emission in transitions:
            after = state & keep | bits
            target, emitted, ends = followed.get(after) or follow(after)
            links.append(
                (target, weight, concatenate(emission, emitted) if emitted else emission, ends)
            )
        return links

    def check_size(self, nodes: int, moment: int) -> None:
        """Raise ``TooLargeError`` beyond a limit, ``RegroupError`` if grouping values pays."""
        limits, compiler, exceeded, reason = self.exploration, self.compiler, "", ""
        if compiler.runs > limits.max_runs or compiler.reads > limits.max_reads:
            if compiler.runs > limits.max_runs:
                exceeded = f"{limits.max_runs:,} distinct situations"
            else:
                exceeded = f"{limits.max_reads:,} reads by rules"
            reason = f"{situations(compiler)}; "
        elif nodes > limits.max_nodes or self.walked > limits.max_walked:
            if nodes > limits.max_nodes:
                exceeded = f"{limits.max_nodes:,} states"
            else:
                exceeded = f"{limits.max_walked:,} steps between states"
        elif limits.late():
            exceeded = "the time allowed"
        if exceeded:
            raise TooLargeError(
                f"more than {exceeded}: {reason}{multiplied(self.fields, self.sizes_before)}",
                moment,
            )
        if self.in_last_moment and nodes > self.forget_at:
            raise RegroupError
        if nodes < self.look_at:
            return
        self.look_at = nodes * LOOK_AGAIN
        if len(self.packed_states) >= WORTH_IT * self.merged_count(
            alike_values(self.compiler, self.fields, self.never)
        ):
            raise RegroupError

    def merged_count(self, groups: Groups) -> int:
        """Return the number of distinct states so far if each of these groups shared a code."""
        shared: list[tuple[int, dict[int, int]]] = []
        for key, value_groups in groups.items():
            field = self.fields[key]
            codes = [
                sorted({field.codes[typed(v)] for v in group if typed(v) in field.codes})
                for group in value_groups
            ]
            shared.append(
                (
                    field.shift,
                    {code: first for first, *others in filter(None, codes) for code in others},
                )
            )
        merged: set[int] = set()
        for state in self.packed_states:
            packed = state
            for shift, first in shared:
                code = state >> shift & CODES
                packed += first.get(code, code) - code << shift
            merged.add(packed)
        return len(merged)

    def states(self) -> tuple[tuple[Any, ...], ...]:
        """Return the values of every node.

        Where values share a code, the first is given; a dropped value is None.
        """
        values = [
            (
                field.shift,
                dict(enumerate([field.opening, *(alike[0] for alike in field.members[1:])])),
            )
            for field in self.fields.values()
        ]
        return tuple(
            tuple([of_code.get(state >> shift & CODES) for shift, of_code in values])
            for state in self.packed_states
        )
