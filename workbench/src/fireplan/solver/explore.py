"""Exploration: every state that can be reached from an opening, moment after moment.

A state is one whole number: what is to be done next (a cell of the agenda) in its lowest bits,
above it a code for the value at each key that some reached step has read, 0 for the opening value.
An outcome is two masks on it.
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
    Field,
    Journey,
    TooLargeError,
    multiplied,
    situations,
    typed,
)
from fireplan_core import Pending, ProcedureError, Step
from fireplan_core.play import OPENING, Outcome

FIRST_LOOK = 200
"""Nodes after which alike values are looked for.

Then again whenever there are so many times more.
"""
LOOK_AGAIN = 8
WORTH_IT = 3.0
"""States must become so many times fewer for exploration to start again: what is alike in part costs several starts."""
MOST_CHECKS = 400
FORGET = 5_000
"""Nodes after which keys that nothing reads any more are forgotten in the last moment."""


class Unread(BaseException):
    """A step read a key where something was put before it was known that anybody reads it."""

    def __init__(self, key: str, default: Any) -> None:
        self.key = key
        self.default = default


class RegroupError(Exception):
    """Values should be grouped anew."""


class Explorer:
    """One exploration with certain keys and codes."""

    def __init__(
        self,
        journey: Journey,
        known: Mapping[str, Any],
        groups: Groups,
        never: set[str],
        *,
        look: bool,
        ahead: Ahead | None,
    ) -> None:
        self.journey = journey
        self.compiler = journey.compiler
        self.initial = journey.initial
        self.groups = groups
        self.never = never
        self.ahead = ahead
        self.walked = 0
        self.look = FIRST_LOOK if look else journey.max_nodes + 1
        self.forget = FORGET if look and ahead is None and not journey.whole else journey.max_nodes
        self.last = False
        """Whether this is the last moment that is watched."""
        self.forgotten: dict[int, int] = {}
        """By the cell of the agenda, the codes that nothing reads any more in the last moment."""
        self.fields: dict[str, Field] = {}
        for key, default in known.items():
            self.join(key, default)
        self.before: dict[str, int] = {}
        self.sizes: dict[str, int] = {}
        """How many values each key had a moment ago, and at the opening of this one."""
        self.left_out: set[str] = set()
        self.altered: set[str] = set()
        # The agenda is kept as linked cells, so that pushing on a long one costs nothing; cell 0 is
        # the empty one.
        self.cells: list[tuple[Pending, int]] = [(OPENING, 0)]
        self.cell_ids: dict[tuple[Pending, int], int] = {}
        self.roots: list[list[Any]] = [[None]]
        self.root_of: dict[Pending, list[Any]] = {}
        self.emissions: list[Emission] = [NOTHING]
        self.told_ids: dict[Emission, int] = {NOTHING: 0}
        self.joined: dict[tuple[int, int], int] = {}
        self.again = self.push(journey.start, 0)
        self.leaves: list[Leaf] = []
        self.found: list[int] = []
        self.ids: dict[int, int] = {}
        self.through: dict[int, tuple[int, int, bool]] = {}
        self.does: dict[int, tuple[Leaf, tuple[Transition, ...]]] = {}
        """Say what nodes of this moment do that are still to be explored."""
        self.now: list[int] = []
        """Nodes of this moment, and in ``next`` the openings of the following one."""
        self.next: list[int] = []
        self.node(self.push(journey.opening, 0), self.now)

    def join(self, key: str, default: Any) -> Field:
        """Keep one more key."""
        shift = CELL_BITS + CODE_BITS * len(self.fields)
        value = self.initial.get(key, default)
        found = self.fields[key] = Field(shift, value, self.groups.get(key, ()))
        return found

    def push(self, pushes: tuple[Pending, ...], cell: int) -> int:
        """Return the cell with these on top of another."""
        for pending in reversed(pushes):
            state = (pending, cell)
            found = self.cell_ids.get(state)
            if found is None:
                found = self.cell_ids[state] = len(self.cells)
                self.cells.append(state)
                self.roots.append(self.root_of.setdefault(pending, [None]))
            cell = found
        return cell

    def node(self, state: int, when: list[int]) -> int:
        """Return the number of a state; a new one is to be explored now or next."""
        found = self.ids.get(state)
        if found is None:
            found = self.ids[state] = len(self.found)
            self.found.append(state)
            when.append(found)
        return found

    def emission(self, emission: Emission) -> int:
        """Return the number of what is told."""
        found = self.told_ids.setdefault(emission, len(self.emissions))
        if found == len(self.emissions):
            self.emissions.append(emission)
        return found

    def then(self, one: int, other: int) -> int:
        """Return the number of two emissions, one after the other."""
        if not one or not other:
            return one or other
        found = self.joined.get((one, other))
        if found is None:
            found = self.joined[one, other] = self.emission(
                self.emissions[one] + self.emissions[other]
            )
        return found

    def reader(self, state: int) -> Callable[[str, Any], Any]:
        """Return how a step reads a state."""

        def get(key: str, default: Any) -> Any:
            field = self.fields.get(key)
            if field is None:
                if key in self.left_out:
                    raise Unread(key, default)
                return self.join(key, default).opening
            code = state >> field.shift & CODES
            if code == CODES:
                raise Unread(key, default)
            return field.members[code][0] if code else field.opening

        return get

    def faded(self, state: int) -> int:
        """Return a state of the last moment without what nothing reads any more before its end."""
        ahead, top = self.ahead, state & CELLS
        if ahead is None or not self.last:
            return state
        found = self.forgotten.get(top)
        if found is None:
            agenda, cell = [], top
            while cell:
                pending, cell = self.cells[cell]
                agenda.append(pending)
            found = self.forgotten[top] = ahead.forgotten(agenda, self.fields)
        return state | found

    def meet(self, state: int) -> Leaf:
        """Run a step in a situation that it has not been in."""
        pending = self.cells[state & CELLS][0]
        read, rows = self.situation(pending, self.reader(state))
        effects = tuple(self.summed(rows).items())
        others = self.check(pending, state, read, dict(effects)) if self.groups else ()
        leaf = Leaf(pending, ((read, rows), *others), effects)
        self.leaves.append(leaf)
        slot: Any = self.roots[state & CELLS]
        place: Any = 0
        for key, _ in read:
            shift = self.fields[key].shift
            if slot[place] is None:
                slot[place] = (shift, {})
            slot = slot[place][1]
            place = state >> shift & CODES
            slot.setdefault(place)
        slot[place] = leaf
        return leaf

    def summed(self, rows: Rows) -> dict[Effect, int]:
        """Return the weight of each effect of rows."""
        found: dict[Effect, int] = {}
        for row in rows.rows:
            effect = self.effect(row.outcome)
            found[effect] = found.get(effect, 0) + row.weight
        divisor = gcd(*found.values())
        return {effect: weight // divisor for effect, weight in found.items()}

    def effect(self, outcome: Outcome) -> Effect:
        """Return what an outcome does to a state."""
        away, bits = CELLS, 0
        for key, value in dict(outcome.updates).items() if outcome.updates else ():
            field = self.fields.get(key)
            if field is None:
                self.left_out.add(key)
                self.altered.add(key)
                continue
            away |= CODES << field.shift
            bits |= field.code(value) << field.shift
        journey = self.journey
        strikes: tuple[Any, ...] = tuple(takewhile(journey.sets_apart, outcome.pushes))
        puts = tuple(Step(PUT, put) for put in outcome.updates if put[0] in journey.watched)
        emission = self.emission((*puts, *outcome.events, *strikes))
        return ~away, bits, outcome.pushes[len(strikes) :], emission

    def check(
        self,
        pending: Pending,
        state: int,
        read: tuple[tuple[str, Any], ...],
        effects: Mapping[Effect, int],
    ) -> Iterable[Situation]:
        """Run a step for every value that its codes mean; what differs must not share a code."""
        meant = [self.meant(key, state) for key, _ in read]
        several = {key for (key, _), values in zip(read, meant, strict=True) if len(values) > 1}
        if prod(map(len, meant)) > MOST_CHECKS:
            self.never.update(several)
            raise RegroupError
        here = self.reader(state)
        found: list[Situation] = []
        differs = False
        for values in product(*meant) if several else ():
            there = dict(zip((key for key, _ in read), values, strict=True))

            def get(key: str, default: Any, there: dict[str, Any] = there) -> Any:
                return there[key] if key in there else here(key, default)

            also, rows = self.situation(pending, get)
            differs |= [a for a, _ in also] != [a for a, _ in read] or self.summed(rows) != effects
            found.append((also, rows))
        if differs:
            # Only now: all that is known of these values tells how to group them anew.
            raise RegroupError
        return found

    def situation(self, pending: Pending, get: Callable[[str, Any], Any]) -> Situation:
        """Return what a step does.

        Where values were made one, it may be tried in situations that can never arise.
        """
        if self.journey.sets_apart(pending):
            # It is told where it is come to; most are told where they are pushed.
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
        except Exception as error:  # whatever a rule does there
            if not grouped:
                raise
            self.never.update(grouped)
            raise RegroupError from error

    def meant(self, key: str, state: int) -> tuple[Any, ...]:
        """Return the values that a state's code at a key stands for."""
        field = self.fields[key]
        return field.members[state >> field.shift & CODES]

    def transitions(self, state: int) -> tuple[Leaf, tuple[Transition, ...]]:
        """Return what the step on top of a state's agenda does there, and the ways on."""
        cell = state & CELLS
        leaf = self.roots[cell][0]
        while leaf.__class__ is tuple:
            shift, after = leaf
            leaf = after.get(state >> shift & CODES)
        if leaf is None:
            leaf = self.meet(state)
        below = self.cells[cell][1]
        found = leaf.transitions.get(below)
        if found is None:
            found = leaf.transitions[below] = tuple(
                [
                    (keep, bits | self.push(pushes, below), weight, emission)
                    for (keep, bits, pushes, emission), weight in leaf.effects
                ]
            )
        return leaf, found

    def follow(self, state: int) -> tuple[int, int, bool]:
        """Return where a state leads: the node to keep, what is told until there, and whether the moment ended."""
        start, emission, walked = state, 0, 1
        transitions, through, spliced = self.transitions, self.through, self.journey.spliced
        while state & CELLS:
            does = transitions(state)
            if len(does[1]) != 1 or not spliced:
                node = self.node(self.faded(state), self.now)
                self.does[node] = does
                found = (node, emission, False)
                break
            ((keep, bits, _, more),) = does[1]
            state = state & keep | bits
            if more:
                emission = self.then(emission, more)
            known = through.get(state)
            if known is not None:
                found = (known[0], self.then(emission, known[1]), known[2])
                break
            walked += 1
            if walked > MAX_STEPS:
                raise ProcedureError(f"the moment never ends after {self.cells[state & CELLS][0]}")
        else:
            found = (self.node(self.later(state) | self.again, self.next), emission, True)
        self.walked += walked
        through[start] = found
        return found

    def later(self, state: int) -> int:
        """Return the state at the opening of the next moment."""
        if self.last and self.ahead is not None:
            return ~CELLS  # nothing of it is read any more: all that end are one
        field = self.fields.get(CLOCK)
        if field is None:
            # The clock is put forward at every moment's end: whoever reads it later must start
            # again.
            self.left_out.add(CLOCK)
            return state
        after = field.code(self.meant(CLOCK, state)[0] + 1)
        return state & ~(CODES << field.shift) | after << field.shift

    def over(self, state: int) -> bool:
        """Return whether the watch has ended."""
        moments = self.journey.moments
        return (
            moments is not None and CLOCK in self.fields and self.meant(CLOCK, state)[0] >= moments
        )

    def explore(self) -> Chain:
        """Follow every state, moment after moment."""
        explored: dict[int, tuple[list[Link], int, Leaf | None, int]] = {}
        moment = 0
        while self.now:
            self.before, self.sizes = (
                self.sizes,
                {key: len(field.members) for key, field in self.fields.items()},
            )
            done = moment == self.journey.horizon
            self.last = moment + 1 == self.journey.horizon
            for node in self.now:
                state = self.found[node]
                if done or self.over(state):
                    explored[node] = [(node, 1, 0, True)], 1, None, moment
                    continue
                self.mind_size(len(explored), moment)
                leaf, transitions = (
                    self.does.pop(node) if node in self.does else self.transitions(state)
                )
                explored[node] = self.links(state, transitions), leaf.total, leaf, moment
            self.now, self.next = self.next, []
            moment += 1
        links, totals, leaves, depths = zip(
            *(explored[node] for node in range(len(self.found))), strict=True
        )
        return Chain(
            tuple(self.fields),
            [self.cells[state & CELLS][0] for state in self.found],
            totals,
            links,
            self.emissions,
            frozenset(self.altered),
            self.journey.horizon,
            depths,
            CLOCK in self.fields,
            self.states,
            leaves,
            self,
        )

    def links(self, state: int, transitions: tuple[Transition, ...]) -> list[Link]:
        """Return the ways on from a state, each followed to the next node that is kept."""
        through, follow, then = self.through, self.follow, self.then
        found: list[Link] = []
        for keep, bits, weight, emission in transitions:
            after = state & keep | bits
            target, more, ends = through.get(after) or follow(after)
            found.append((target, weight, then(emission, more) if more else emission, ends))
        return found

    def mind_size(self, nodes: int, moment: int) -> None:
        """Stop where there is too much, and look for alike values now and then."""
        most, compiler, what, why = self.journey, self.compiler, "", ""
        if compiler.runs > most.max_runs or compiler.reads > most.max_reads:
            many = compiler.runs > most.max_runs
            what = (
                f"{most.max_runs:,} distinct situations"
                if many
                else f"{most.max_reads:,} readings by rules"
            )
            why = f"{situations(compiler)}; "
        elif nodes > most.max_nodes or self.walked > most.max_walked:
            many = nodes > most.max_nodes
            what = (
                f"{most.max_nodes:,} states"
                if many
                else f"{most.max_walked:,} steps between states"
            )
        elif most.late():
            what = "the time that was asked for"
        if what:
            raise TooLargeError(
                f"more than {what}: {why}{multiplied(self.fields, self.before)}", moment
            )
        if self.last and nodes > self.forget:
            raise RegroupError
        if nodes < self.look:
            return
        self.look = nodes * LOOK_AGAIN
        if len(self.found) >= WORTH_IT * self.fewer(
            alike_values(self.compiler, self.fields, self.never)
        ):
            raise RegroupError

    def fewer(self, groups: Groups) -> int:
        """Return how many of the states met so far would be left if these values shared codes."""
        shared: list[tuple[int, dict[int, int]]] = []
        for key, found in groups.items():
            field = self.fields[key]
            codes = [
                sorted({field.codes[typed(v)] for v in group if typed(v) in field.codes})
                for group in found
            ]
            shared.append(
                (
                    field.shift,
                    {code: first for first, *others in filter(None, codes) for code in others},
                )
            )
        left: set[int] = set()
        for state in self.found:
            kept = state
            for shift, first in shared:
                code = state >> shift & CODES
                kept += first.get(code, code) - code << shift
            left.add(kept)
        return len(left)

    def states(self) -> tuple[tuple[Any, ...], ...]:
        """Return the values of every node (of those that share a code, the first.

        None for one forgotten).
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
            for state in self.found
        )
