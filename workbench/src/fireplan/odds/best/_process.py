"""The decision process of a scenario: what the side can come to decide, under every order it may give.

Explored by the same compiler and chain as the odds. Here it is joined with goals (what they have seen so far is part
of a state) and readied for exact passes: integers, and an order that runs downhill within a moment. The passes are in
``_induction``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import attrs

from fireplan.odds import Chain, build_chain
from fireplan.odds._cycles import without_cycles
from fireplan.odds._pause import uncollected
from fireplan.odds._severity import reads_back
from fireplan.odds._states import MAX_RUNS
from fireplan.odds.best._goals import NOTHING, Earned, Goal
from fireplan.odds.best._open_decisions import OpenCompiler, OpenDecisions
from fireplan_core import Ask, Event, Order, ProcedureError, Scenario, Step
from fireplan_core.play import Doctrine, State

MOST_STATES = 200_000
"""States that are followed at most; with every order open there are soon many more than one waits for."""
DONE = -1
"""The target of a way after which nothing can be earned."""


class Process:
    """Everything that can come about in a number of moments, whatever the side orders.

    With the compiler of a process ``before`` it, of the same scenario and doctrine, rows of steps are taken over.
    """

    def __init__(  # noqa: PLR0913 - all but the first three have defaults that serve
        self,
        scenario: Scenario,
        moments: int,
        open_decisions: OpenDecisions,
        doctrine: Doctrine | None = None,
        *,
        state: State | None = None,
        max_nodes: int | None = None,
        max_runs: int = MAX_RUNS,
        before: OpenCompiler | None = None,
    ) -> None:
        self.scenario = scenario
        self.moments = moments
        self.open_decisions = open_decisions
        self.compiler = OpenCompiler(scenario, open_decisions, doctrine)
        if before is not None:
            self.compiler.take(before)
        self._state = state
        self._most = MOST_STATES if max_nodes is None else max_nodes, max_runs

    @property
    def _last(self) -> int:
        return self.moments + (0 if self._state is None else self._state.moment)

    @property
    def opening(self) -> int:
        """Return the number of the first moment."""
        return 0 if self._state is None else self._state.moment

    @cached_property
    def _apart(self) -> Explored | None:
        """The mission with strikes set apart; None when it reads back what these do."""
        chain = self._chain(apart=True)
        return None if reads_back(self.scenario, chain) else Explored(self, chain)

    @cached_property
    def _joint(self) -> Explored:
        return Explored(self, self._chain(apart=False))

    def _chain(self, *, apart: bool) -> Chain:
        return build_chain(
            self.compiler,
            state=self._state,
            apart=apart,
            spliced=True,
            moments=self._last,
            horizon=self.moments,
            max_nodes=self._most[0],
            max_runs=self._most[1],
        )

    def explored(self, goals: Sequence[Goal]) -> Explored:
        """Return the states that these goals need: those of mission and units where what befalls units counts.

        Raises ``ProcedureError`` for goals that look at strikes which cannot be set apart.
        """
        if any(goal.joint for goal in goals):
            if any(goal.strikes for goal in goals):
                raise ProcedureError("strikes and what they do to units cannot be asked for together")
            return self._joint
        if self._apart is not None:
            return self._apart
        if any(goal.strikes for goal in goals):
            raise ProcedureError("in this scenario the mission reads what strikes do; ask for what they do to units")
        return self._joint


Link = tuple[int, int, int, bool]
"""A way: target, weight, what is told on it (a position in ``emissions``, 0 is nothing), whether the moment ends."""

Emission = tuple[tuple[Event, ...], tuple[Step, ...]]
"""What is told on a way, and the strikes that are set apart on it."""


def _plain(
    chain: Chain, decides: frozenset[int]
) -> tuple[Sequence[Sequence[Link]], Sequence[int], tuple[int, ...], Sequence[Emission]]:
    """Ways and totals without cycles within a moment, the nodes downhill, and what is told on ways.

    Raises ``ProcedureError`` where an order can be given any number of times within a moment.
    """
    links, totals, order = without_cycles(chain)
    for node in decides:
        if links[node] is not chain.links[node]:
            raise ProcedureError(f"an order can be given again and again within a moment at {chain.tops[node]}")
    return links, totals, order, chain.emissions


class Explored:
    """The chain of a process, its nodes downhill, and the orders of those in which the side decides."""

    def __init__(self, process: Process, chain: Chain) -> None:
        self.process = process
        self.decides = frozenset(
            node for node, top in enumerate(chain.tops) if process.compiler.is_open(top) and chain.totals[node] > 1
        )
        self.chain = chain
        self.links, self.totals, self.topological_order, self.emissions = _plain(chain, self.decides)
        self._orders: dict[int, tuple[Order, ...]] = {}

    def ask(self, node: int) -> Ask:
        """Return the question of a node in which the side decides."""
        top = self.chain.tops[node]
        assert isinstance(top, Ask)  # noqa: S101 - checked when the node was taken for one
        return top

    def get(self, node: int) -> Callable[[str, Any], Any]:
        """Return what reads the values of a node."""
        values = dict(zip(self.chain.keys, self.chain.values[node], strict=True))
        initial = self.process.scenario.initial

        def read(key: str, default: Any) -> Any:
            return values[key] if key in values else initial.get(key, default)

        return read

    def orders(self, node: int) -> tuple[Order, ...]:
        """Return the orders of a node in which the side decides, in the order of its ways; the standard one first."""
        found = self._orders.get(node)
        if found is None:
            found = self._orders[node] = self.process.compiler.orders(self.ask(node), self.get(node))
        return found


Transition = tuple[int, int]
"""A target and an integer factor."""


@attrs.frozen(eq=False)
class Chances:
    """A node at which chance decides: ways within the moment, ways that end it, and what is earned for each goal."""

    inside: tuple[Transition, ...]
    ends: tuple[Transition, ...]
    earned: tuple[tuple[int, int], ...] | None


@attrs.frozen(eq=False)
class Choice:
    """A node in which the side decides: for each order a way, whether it ends the moment, and what is earned by it."""

    transitions: tuple[tuple[int, int, bool], ...]
    earned: tuple[tuple[tuple[int, int], ...], ...] | None


@attrs.frozen(eq=False)
class Join:
    """A chain joined with what goals have seen, with exact integer ways.

    ``nodes`` are pairs of a node of the chain and the goals' states; ``depth`` is the first moment in which each can
    come up, and ``backwards`` holds them uphill. The value of a node is kept in parts of its ``scale`` times
    ``common`` to the number of moments that follow; ``unit`` is the denominator of what is earned.
    """

    explored: Explored
    goals: tuple[Goal, ...]
    moments: int
    nodes: tuple[tuple[int, tuple[Hashable, ...]], ...]
    depth: tuple[int, ...]
    backwards: tuple[int, ...]
    steps: Mapping[int, Chances | Choice]
    scale: tuple[int, ...]
    opens: tuple[int, ...]
    """The nodes at which a moment can open; node 0 opens the first."""
    common: int
    unit: int


Read = tuple[tuple[Hashable, ...], int, bool]
"""Goals' states after a word, the number of what it earned each (0: nothing), and whether nothing can be earned any
more."""


class _Reader:
    """Goals read along ways, each word once."""

    def __init__(self, goals: Sequence[Goal], emissions: Sequence[Emission]) -> None:
        self.goals = goals
        self.gains: dict[tuple[Earned, ...], int] = {(NOTHING,) * len(goals): 0}
        self._memo: dict[tuple[tuple[Hashable, ...], int], Read] = {}
        self._later: dict[tuple[Hashable, ...], tuple[Hashable, ...]] = {}
        kinds = [goal.kinds for goal in goals]
        self._kinds = frozenset[str]().union(*kinds)
        self._strikes = any(goal.strikes for goal in goals)
        self.words = [self._word(*emission) for emission in emissions]
        """By the number of what is told: the letters that concern a goal, or None."""

    def _word(self, events: tuple[Event, ...], apart: tuple[Step, ...]) -> tuple[Any, ...] | None:
        letters = tuple(event for event in events if event.kind in self._kinds)
        return (letters + apart if self._strikes else letters) or None

    def later(self, states: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        """The goals' states when the next moment opens; the same object when nothing changes."""
        known = self._later.get(states)
        if known is None:
            known = tuple([goal.later(state) for goal, state in zip(self.goals, states, strict=True)])
            known = self._later[states] = states if known == states else known
        return known

    def read(self, states: tuple[Hashable, ...], word: int) -> Read:
        """The goals' states after a word (the same object when nothing changes), and what it earned each."""
        known = self._memo.get((states, word))
        if known is not None:
            return known
        after: list[Hashable] = []
        earned: list[Earned] = []
        for goal, before in zip(self.goals, states, strict=True):
            state: Any = before
            once, later = NOTHING
            for letter in self.words[word] or ():
                if letter.kind in goal.kinds if isinstance(letter, Event) else goal.strikes:
                    state, (more, more_later) = goal.see(state, letter)
                    once, later = once + more, later + more_later
            after.append(state)
            sign = -1 if goal.least else 1
            earned.append((sign * once, sign * later))
        over = all(goal.settled(state) for goal, state in zip(self.goals, after, strict=True))
        gain = self.gains.setdefault(tuple(earned), len(self.gains))
        found = tuple(after)
        self._memo[states, word] = known = (states if found == states else found, gain, over)
        return known


@attrs.define(eq=False)
class _Found:
    """The nodes of a join as they are come upon, with their ways: target, weight, whether the moment ends."""

    initial: tuple[Hashable, ...]
    nodes: list[tuple[int, tuple[Hashable, ...]]] = attrs.field(init=False)
    depth: list[int] = attrs.field(init=False)
    transitions: dict[int, list[tuple[int, int, bool]]] = attrs.field(factory=dict)
    earned: dict[int, dict[int, int]] = attrs.field(factory=dict)
    opens: set[int] = attrs.field(init=False)
    ids: dict[tuple[Hashable, ...], dict[int, int]] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.nodes = [(0, self.initial)]
        self.depth = [0]
        self.opens = {0}
        self.ids = {self.initial: {0: 0}}


@uncollected()
def join(explored: Explored, goals: Sequence[Goal], moments: int) -> Join:
    """Join a chain with goals, as far as can be reached before so many moments are over.

    What is earned for a goal of which less is better is counted as loss.
    """
    found = _Found(tuple(goal.initial for goal in goals))
    reader = _Reader(goals, explored.emissions)
    here = [0]
    for moment in range(moments):
        here = _follow(explored.links, reader, found, moment, here)
    return _scaled(explored, tuple(goals), moments, found, tuple(reader.gains))


def _follow(links: Sequence[Sequence[Link]], reader: _Reader, found: _Found, moment: int, here: list[int]) -> list[int]:
    """The ways of the nodes of a moment, those come upon meanwhile too; the new openings of the next one."""
    following: list[int] = []
    words, nodes, depth, ids_of, opens = reader.words, found.nodes, found.depth, found.ids, found.opens
    for joined in here:
        node, states = nodes[joined]
        ids = ids_of[states]
        later = reader.later(states)
        lasting = ids if later is states else ids_of.setdefault(later, {})
        transitions = found.transitions[joined] = []
        for transition, (onward, weight, emission, ends) in enumerate(links[node]):
            if words[emission] is None:
                after, into = (later, lasting) if ends else (states, ids)
            else:
                after, gain, over = reader.read(states, emission)
                if gain:
                    found.earned.setdefault(joined, {})[transition] = gain
                if over:
                    transitions.append((DONE, weight, ends))
                    continue
                if ends:
                    after = reader.later(after)
                into = ids if after is states else ids_of.setdefault(after, {})
            target = into.get(onward)
            if target is None:
                target = into[onward] = len(nodes)
                nodes.append((onward, after))
                depth.append(moment + ends)
                (following if ends else here).append(target)
            if ends:
                opens.add(target)
            transitions.append((target, weight, ends))
    return following


def _scaled(
    explored: Explored, goals: tuple[Goal, ...], moments: int, found: _Found, gains: tuple[tuple[Earned, ...], ...]
) -> Join:
    """Integer factors for every way, from the last node downhill to the first."""
    totals, decides = explored.totals, explored.decides
    at: dict[int, list[int]] = {}
    for joined in found.transitions:
        at.setdefault(found.nodes[joined][0], []).append(joined)
    backwards = [joined for node in reversed(explored.topological_order) for joined in at.get(node, ())]
    unit = lcm(*{part.denominator for gain in gains for pair in gain for part in pair})
    whole_gains = [tuple([(int(once * unit), int(later * unit)) for once, later in gain]) for gain in gains]
    scale = [1] * len(found.nodes)
    steps: dict[int, Chances | Choice] = {}
    for joined in backwards:
        node = found.nodes[joined][0]
        transitions = found.transitions[joined]
        earned = found.earned.get(joined)
        least = lcm(*{scale[target] for target, _, ends in transitions if not ends and target != DONE})
        if node in decides:
            scale[joined] = least
            orders = tuple(
                [
                    (target, least if ends or target == DONE else least // scale[target], ends)
                    for target, _, ends in transitions
                ]
            )
            rows = None
            if earned is not None:
                by_way = [whole_gains[earned.get(transition, 0)] for transition in range(len(transitions))]
                rows = tuple(
                    [
                        tuple([(gain[goal][0] * least, gain[goal][1] * least) for gain in by_way])
                        for goal in range(len(goals))
                    ]
                )
            steps[joined] = Choice(orders, rows)
            continue
        scale[joined] = totals[node] * least
        inside: dict[int, int] = {}
        outside: dict[int, int] = {}
        for target, weight, ends in transitions:
            if target == DONE:
                continue
            if ends:
                outside[target] = outside.get(target, 0) + weight * least
            else:
                inside[target] = inside.get(target, 0) + weight * (least // scale[target])
        sums = None
        if earned is not None:
            shares = [(transitions[transition][1] * least, whole_gains[gain]) for transition, gain in earned.items()]
            sums = tuple(
                [
                    (
                        sum([share * gain[goal][0] for share, gain in shares]),
                        sum([s * gain[goal][1] for s, gain in shares]),
                    )
                    for goal in range(len(goals))
                ]
            )
        steps[joined] = Chances(tuple(inside.items()), tuple(outside.items()), sums)
    return Join(
        explored,
        goals,
        moments,
        tuple(found.nodes),
        tuple(found.depth),
        tuple(backwards),
        steps,
        tuple(scale),
        tuple(sorted(found.opens)),
        lcm(*{scale[joined] for joined in found.opens}),
        unit,
    )


def figure(value: int, joined: Join) -> Fraction:
    """Return a value at the opening of the first moment as a fraction."""
    return Fraction(value, joined.common**joined.moments * joined.unit)
