"""The values of several goals from any state, computed together and reused.

A value is a chance or an expected number. It depends on the state and the moments that are left,
not on how the state was reached. States are explored when they are first asked about, and the
values of their successors are reused: along a game, and for the orders at a prompt, most values are
looked up instead of computed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from operator import mul

import attrs

from fireplan.solver.build import Attempts
from fireplan.solver.chain import (
    Chain,
    Emission,
    Link,
    components,
    exits_of,
    strikes_of,
    topological_order,
)
from fireplan.solver.compile import Compiler
from fireplan.solver.packing import Restart
from fireplan.solver.passes import Measure, moved_by
from fireplan.solver.places import within_reach
from fireplan.solver.states import (
    CELLS,
    MAX_RUNS,
    READS_PER_RUN,
    Exploration,
    TooLargeError,
    uncollected,
)
from fireplan_core import Event
from fireplan_core.play import State


@attrs.frozen
class StateGoal:
    """The chance that a measure ends in one of the ``wanted`` states.

    Until it settles the measure must stay in its initial state, as ``First`` and ``Ever`` do.
    """

    measure: Measure
    wanted: frozenset[Hashable] = frozenset({True})

    def reached(self, state: Hashable) -> bool:
        """Return whether the goal is reached in a state of the measure."""
        return state in self.wanted


LATER = 4
"""The factor that reduces the limits for questions that are likely to be too large."""
KEPT = 8
"""All passes are dropped once their states exceed the limit of one question by this factor."""
_Value = tuple[int, tuple[int, ...]]
"""The chance of each goal: a common denominator, and the numerators."""
_LONG = 1 << 256
"""Chances with at least this denominator are put in lowest terms; for others it is not worth it."""


class StateValues:
    """The chances of goals from any state of a scenario up to moment ``last``, by standard orders.

    A question may explore ``most`` states that no earlier question explored, in ``runs`` rule runs.
    Strikes are left out where the mission reads nothing that they change. Elsewhere mission and
    targets are followed together, or, if that is more than ``most`` states, without the effects of
    strikes; ``whole`` is then false. A goal must read events of missions only, unless mission and
    targets are always followed ``together``.

    After a question that was too large, each further one may explore only 1 / ``LATER`` as much,
    until fewer than the share ``again`` of its moments are left. A pass that is begun after the
    first has the same limit.
    """

    def __init__(
        self,
        compiler: Compiler,
        goals: Sequence[StateGoal],
        last: int,
        most: int,
        runs: int = MAX_RUNS,
        *,
        together: bool = False,
        again: Fraction = Fraction(1),
    ) -> None:
        self.compiler = compiler
        self.whole = True
        self._goals = tuple(goals)
        self._last, self._most, self._runs = last, most, runs
        self._apart = not together
        self._refused: TooLargeError | None = None
        self._again = again
        self._least: Fraction | int = last
        """The number of moments left from which questions are assumed to be too large."""
        self._passes: list[_Pass] = []
        """Passes with their values; a state that none of them can follow begins a new pass."""

    def _begun(self, *, apart: bool, share: int = 1) -> _Pass:
        exploration = Exploration(
            self.compiler, apart=apart, spliced=True, whole=True, max_nodes=self._most // share
        )
        return _Pass(exploration, self._goals, self._runs // share)

    @uncollected()
    def __call__(self, state: State) -> tuple[Fraction, ...]:
        """Return the chance of each goal from a state.

        Raises ``TooLargeError`` if too many states follow it.
        """
        left = max(0, self._last - state.moment)
        if left < self._least:
            self._refused = None
        denominator, numerators = self._value(state, left)
        return tuple(Fraction(numerator, denominator) for numerator in numerators)

    def _value(self, state: State, left: int) -> _Value:
        """Return the value of a state, from a pass made for earlier questions or from a new one.

        Raises ``TooLargeError`` if the state is too large, or if an earlier one was and none may be
        tried yet.
        """
        if sum(one.states for one in self._passes) > KEPT * self._most:
            self._passes = []
        for one in self._passes:
            try:
                return self._whole_value(one, state, left)
            except Restart:
                continue
            except TooLargeError:
                break  # keys read for earlier states may make this state too large: try it alone
        if self._refused is not None:
            raise self._refused.afresh()
        new = self._begun(apart=self._apart, share=LATER if self._passes else 1)
        try:
            value = self._whole_value(new, state, left)
        except TooLargeError as error:
            self._refused, self._least = error.afresh(), left * self._again
            raise
        self._passes.append(new)
        return value

    def _whole_value(self, one: _Pass, state: State, left: int) -> _Value:
        """Return the value of a state from a pass.

        If the mission reads the effects of strikes, follow mission and targets together, or clear
        ``whole`` if that is too large.
        """
        value = one.value(state, left, share=1 if self._refused is None else LATER)
        if self.whole and one.reads_back:
            together = self._begun(apart=False)
            try:
                value = together.value(state, left)
                self._passes = [together]
            except TooLargeError:
                self.whole = False
        return value


class _Pass:
    """One exploration and its values, with the keys and codes that its first question needs."""

    def __init__(self, exploration: Exploration, goals: Sequence[StateGoal], runs: int) -> None:
        compiler = exploration.compiler
        self._goals, self._runs = goals, runs
        self._exploration = exploration = attrs.evolve(
            exploration,
            max_runs=compiler.runs + runs,
            max_reads=compiler.reads + runs * READS_PER_RUN,
        )
        self._attempts = Attempts(exploration, alike=True)
        self._begin()

    def _begin(self) -> None:
        self._explorer = self._attempts.explorer()
        nothing: _Value = (
            1,
            tuple([int(goal.reached(goal.measure.initial)) for goal in self._goals]),
        )
        self._values: list[dict[int, _Value]] = [defaultdict(lambda: nothing)]
        """The value of each node, by the number of moments left."""
        self._links: dict[int, Sequence[Link]] = {}
        """The links of each node that was explored, without cycles in a moment."""
        self._rank: dict[int, int] = {}
        """Each node's rank in topological order: targets in the same moment rank lower."""
        self._readings: list[tuple[int | None, ...] | None] = []
        """Maps each emission to its effect on the goals: 1 reached, 0 missed, None open."""
        self._decided: list[tuple[int, ...] | None] = []
        """The effect of each emission that decides every goal: nothing after it matters."""
        self._struck: set[str] = set()
        self._states_before = 0
        """The number of states explored for earlier questions."""
        self._unordered: list[int] = []
        """Nodes explored in a moment that proved too large, so that they have no rank."""

    def value(self, state: State, left: int, share: int = 1) -> _Value:
        """Return the value of a state with ``left`` moments left.

        The value is a denominator and a numerator for each goal. A pass that has answered questions
        before may use only 1 / ``share`` of its limits. Raises ``Restart`` if only a new pass could
        follow the state, and ``TooLargeError`` beyond a limit.
        """
        if not left:
            return self._values[0][0]
        for node in self._unordered:
            del self._links[node]
        self._unordered = []
        self._states_before = len(self._links)
        if self._states_before:
            compiler = self._exploration.compiler
            runs = self._runs // share
            self._explorer.limit(
                self._exploration.max_nodes // share,
                compiler.runs + runs,
                compiler.reads + runs * READS_PER_RUN,
            )
        while True:
            try:
                node, emission, ends = self._explorer.enter(state)
                self._read_emissions()
                if (decided := self._decided[emission]) is not None:
                    return 1, decided
                self._follow(node, left - ends)
            except Restart as restart:
                if self._states_before:
                    raise
                self._attempts.failed(self._explorer, restart)
                self._begin()
            else:
                return self._sum([(node, 1, emission, ends)], left)

    @property
    def states(self) -> int:
        """Return the number of states explored so far."""
        return len(self._links)

    @property
    def new_states(self) -> int:
        """Return the number of states explored for the last question."""
        return len(self._links) - self._states_before

    @property
    def reads_back(self) -> bool:
        """Return whether the mission reads anything that the strikes set apart would change."""
        return self._exploration.apart and within_reach(
            self._exploration.compiler.scenario, self._struck, self._explorer.packing.fields
        )

    def _follow(self, node: int, left: int) -> None:
        """Give a value to a node and to all its successors."""
        self._values += [{} for _ in range(left + 2 - len(self._values))]
        frontiers: list[tuple[int, list[int]]] = []
        nodes = {node}
        for moments in range(left, 0, -1):
            reached, following = self._within(nodes, self._values[moments])
            frontiers.append((moments, reached))
            nodes = following
        for moments, reached in reversed(frontiers):
            values = self._values[moments]
            for each in sorted(reached, key=self._rank.__getitem__):
                values[each] = self._sum(self._links[each], moments)

    def _within(
        self, nodes: Iterable[int], known: Mapping[int, _Value]
    ) -> tuple[list[int], set[int]]:
        """Return the nodes without a value reached within the moment, and nodes that open the next.

        Nodes not yet explored are explored first.
        """
        reached = [node for node in nodes if node not in known]
        inside, following = set(reached), set[int]()
        fresh, decided = self._unordered, self._decided
        for node in reached:
            links = self._links.get(node)
            if links is None:
                links = self._links[node] = self._explorer.links_of(
                    node, len(self._links), self.new_states
                )
                fresh.append(node)
                self._read_emissions()
            for target, _, emission, ends in links:
                if decided[emission] is not None:
                    continue
                if ends:
                    following.add(target)
                elif target not in inside and target not in known:
                    inside.add(target)
                    reached.append(target)
        self._order(fresh)
        self._read_emissions()
        self._unordered = []
        return reached, following

    def _order(self, fresh: Sequence[int]) -> None:
        """Rank nodes that were explored together, and replace cycles among them by their exits."""
        position = {node: number for number, node in enumerate(fresh)}
        inner = [
            [
                position[target]
                for target, _, _, ends in self._links[node]
                if not ends and target in position
            ]
            for node in fresh
        ]
        order = topological_order(inner)
        if len(order) < len(fresh):
            chain = self._chain()
            for component in components(inner, set(range(len(fresh))) - set(order)):
                order += component
                if len(component) > 1 or component[0] in inner[component[0]]:
                    cycle = [fresh[number] for number in component]
                    for node, (_, exits) in exits_of(chain, cycle).items():
                        self._links[node] = exits
        for number in reversed(order):
            self._rank[fresh[number]] = len(self._rank)

    def _chain(self) -> Chain:
        """Return the states explored so far as a chain, so that its cycles can be solved."""
        explorer = self._explorer
        links = [self._links.get(node, ()) for node in range(len(explorer.packed_states))]
        return Chain(
            keys=(),
            tops=[explorer.packing.cells[state & CELLS][0] for state in explorer.packed_states],
            totals=[sum(weight for _, weight, _, _ in row) for row in links],
            links=links,
            emissions=explorer.steps.emissions.values,
        )

    def _read_emissions(self) -> None:
        for emission in self._explorer.steps.emissions.values[len(self._readings) :]:
            readings = [_reading(goal, emission) for goal in self._goals]
            reading = tuple([reached for reached, _ in readings])
            self._readings.append(None if set(reading) == {None} else reading)
            decided = tuple([reached for reached in reading if reached is not None])
            self._decided.append(decided if len(decided) == len(reading) else None)
            # Strikes after all goals are decided change nothing that matters.
            before = emission[: max(letters for _, letters in readings)]
            self._struck.update(step.scope for step in strikes_of(before))

    def _sum(self, links: Sequence[Link], left: int) -> _Value:
        """Return the mean value of these links with ``left`` moments to go."""
        here, after = self._values[left], self._values[left - 1]
        readings, decided = self._readings, self._decided
        if len(links) == 1:
            ((target, _, emission, ends),) = links
            if (known := decided[emission]) is not None:
                return 1, known
            value = after[target] if ends else here[target]
            reading = readings[emission]
            return value if reading is None else (value[0], _once_read(reading, *value))
        weights: list[int] = []
        wholes: list[int] = []
        rows: list[tuple[int, ...]] = []
        for target, weight, emission, ends in links:
            if (known := decided[emission]) is not None:
                whole, parts = 1, known
            else:
                whole, parts = after[target] if ends else here[target]
                if (reading := readings[emission]) is not None:
                    parts = _once_read(reading, whole, parts)
            weights.append(weight)
            wholes.append(whole)
            rows.append(parts)
        common = lcm(*wholes)
        factors = [
            weight * (common // whole) for weight, whole in zip(weights, wholes, strict=True)
        ]
        sums = [sum(map(mul, factors, column)) for column in zip(*rows, strict=True)]
        denominator = sum(weights) * common
        if denominator < _LONG or (divisor := gcd(denominator, *sums)) == 1:
            return denominator, tuple(sums)
        return denominator // divisor, tuple([part // divisor for part in sums])


def _once_read(
    reading: tuple[int | None, ...], whole: int, parts: tuple[int, ...]
) -> tuple[int, ...]:
    """Return the goals' numerators before an emission, given those after it (``parts``).

    ``reading`` has for each goal 1 if the emission reaches it, 0 if the emission rules it out, else
    None. ``whole`` is the denominator.
    """
    pairs = zip(parts, reading, strict=True)
    return tuple([part if reached is None else reached * whole for part, reached in pairs])


def _reading(goal: StateGoal, emission: Emission) -> tuple[int | None, int]:
    """Return the effect of an emission on a goal, and the number of letters read.

    The effect is 1 if the emission reaches the goal, 0 if it rules the goal out, else None.
    """
    measure = goal.measure
    state = measure.initial
    for number, letter in enumerate(emission, start=1):
        if isinstance(letter, Event) and moved_by(measure, letter):
            state = measure.see(state, letter, 0)
            if measure.settled(state):
                return int(goal.reached(state)), number
    return None, len(emission)
