"""A chain joined with goals: what they have seen is part of a state.

Made ready for exact passes in integers.
"""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import attrs

from fireplan.solver.best.goals import NOTHING, Earned, Goal
from fireplan.solver.best.process import Explored
from fireplan.solver.chain import Emission, Links
from fireplan.solver.states import uncollected
from fireplan_core import Event, ProcedureError

DONE = -1
"""The target of a way after which nothing can be earned."""

States = tuple[Hashable, ...]
"""Of each goal what it has seen."""

FoundTransition = tuple[int, int, bool]
"""A target, a weight, and whether the moment ends."""

Gain = tuple[tuple[int, int], ...]
"""Say what a way earns for each goal: so much, and so much more for each moment that is left after this one."""

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
    nodes: tuple[tuple[int, States], ...]
    depth: tuple[int, ...]
    backwards: tuple[int, ...]
    steps: Mapping[int, Chances | Choice]
    scale: tuple[int, ...]
    opens: tuple[int, ...]
    """The nodes at which a moment can open; node 0 opens the first."""
    common: int
    unit: int
    rest: Mapping[States, tuple[int, ...]]
    """Say by the goals' states what each can still earn in the moments that are not followed, in parts of ``unit``."""

    def figure(self, value: int) -> Fraction:
        """Return a value at the opening of the first moment as a fraction."""
        return Fraction(value, self.common**self.moments * self.unit)


class _Reader:
    """Goals read along ways, each word once."""

    def __init__(self, goals: Sequence[Goal], emissions: Sequence[Emission]) -> None:
        self.goals = goals
        self.gains: dict[tuple[Earned, ...], int] = {(NOTHING,) * len(goals): 0}
        self._memo: dict[tuple[States, int], tuple[States, int, bool]] = {}
        self._later: dict[States, States] = {}
        self._kinds = {goal.kind for goal in goals}
        self._strikes = any(goal.strikes for goal in goals)
        self.words = [self._word(emission) for emission in emissions]
        """By the number of what is told: the letters that concern a goal, or None."""

    def _word(self, emission: Emission) -> Emission | None:
        return (
            tuple(
                told
                for told in emission
                if (told.kind in self._kinds if isinstance(told, Event) else self._strikes)
            )
            or None
        )

    def later(self, states: States) -> States:
        """The goals' states when the next moment opens; the same object when nothing changes."""
        known = self._later.get(states)
        if known is None:
            known = tuple(
                [goal.later(state) for goal, state in zip(self.goals, states, strict=True)]
            )
            known = self._later[states] = states if known == states else known
        return known

    def read(self, states: States, word: int) -> tuple[States, int, bool]:
        """The goals' states after a word, the number of what it earned each (0: nothing), and whether all is settled.

        The states are the same object when nothing changes.
        """
        known = self._memo.get((states, word))
        if known is not None:
            return known
        after: list[Hashable] = []
        earned: list[Earned] = []
        for goal, before in zip(self.goals, states, strict=True):
            state: Any = before
            once, later = NOTHING
            for letter in self.words[word] or ():
                if letter.kind == goal.kind if isinstance(letter, Event) else goal.strikes:
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
class _Joining:
    """The nodes of a join as they are come upon, with their ways: target, weight, whether the moment ends."""

    nodes: list[tuple[int, States]]
    depth: list[int]
    opens: set[int]
    ids: dict[States, dict[int, int]]
    transitions: dict[int, list[FoundTransition]] = attrs.field(factory=dict)
    earned: dict[int, dict[int, int]] = attrs.field(factory=dict)


@uncollected()
def join(explored: Explored, goals: Sequence[Goal], moments: int) -> Join:
    """Join a chain with goals, as far as can be reached before so many moments are over.

    What is earned for a goal of which less is better is counted as loss.
    """
    initial = tuple(goal.initial for goal in goals)
    found = _Joining([(0, initial)], [0], {0}, {initial: {0: 0}})
    reader = _Reader(goals, explored.emissions)
    here = [0]
    for moment in range(moments):
        here = _follow(explored.links, reader, found, moment, here)
    return _scaled(explored, tuple(goals), moments, found, tuple(reader.gains))


def _follow(
    links: Links, reader: _Reader, found: _Joining, moment: int, here: list[int]
) -> list[int]:
    """The ways of the nodes of a moment, those come upon meanwhile too.

    The new openings of the next one.
    """
    following: list[int] = []
    words, nodes, depth, ids_of, opens = (
        reader.words,
        found.nodes,
        found.depth,
        found.ids,
        found.opens,
    )
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
    explored: Explored,
    goals: tuple[Goal, ...],
    moments: int,
    found: _Joining,
    gains: tuple[tuple[Earned, ...], ...],
) -> Join:
    """Integer factors for every way, from the last node downhill to the first."""
    totals, decides = explored.totals, explored.decides
    at: dict[int, list[int]] = {}
    for joined in found.transitions:
        at.setdefault(found.nodes[joined][0], []).append(joined)
    backwards = [
        joined for node in reversed(explored.topological_order) for joined in at.get(node, ())
    ]
    opens = tuple(sorted(found.opens))
    left = _left(goals, {found.nodes[joined][1] for joined in opens}, explored.process.after)
    unit, whole_gains, rest = _in_units(gains, left)
    scale = [1] * len(found.nodes)
    steps: dict[int, Chances | Choice] = {}
    for joined in backwards:
        node, transitions = found.nodes[joined][0], found.transitions[joined]
        earned = found.earned.get(joined)
        gains_of = {way: whole_gains[gain] for way, gain in earned.items()} if earned else {}
        least = lcm(
            *{scale[target] for target, _, ends in transitions if not ends and target != DONE}
        )
        if node in decides:
            scale[joined] = least
            steps[joined] = _choice(transitions, gains_of, scale, least, whole_gains[0])
        else:
            scale[joined] = totals[node] * least
            steps[joined] = _chances(transitions, gains_of, scale, least)
    return Join(
        explored,
        goals,
        moments,
        tuple(found.nodes),
        tuple(found.depth),
        tuple(backwards),
        steps,
        tuple(scale),
        opens,
        lcm(*{scale[joined] for joined in found.opens}),
        unit,
        rest,
    )


def _in_units(
    gains: tuple[tuple[Earned, ...], ...], left: Mapping[States, list[Fraction]]
) -> tuple[int, list[Gain], Mapping[States, tuple[int, ...]]]:
    """The least denominator of all that is earned, and that in parts of it, with what can still be earned."""
    parts = [part for gain in gains for pair in gain for part in pair]
    unit = lcm(
        *{part.denominator for part in (*parts, *(part for rest in left.values() for part in rest))}
    )
    earned: list[Gain] = [
        tuple([(int(once * unit), int(later * unit)) for once, later in gain]) for gain in gains
    ]
    return (
        unit,
        earned,
        {states: tuple([int(part * unit) for part in rest]) for states, rest in left.items()},
    )


def _left(goals: tuple[Goal, ...], seen: set[States], after: int) -> dict[States, list[Fraction]]:
    """By what goals have seen, what each can still earn in the moments that are not followed."""
    found = {}
    for states in seen if after else ():
        rests = [goal.rest(state, after) for goal, state in zip(goals, states, strict=True)]
        found[states] = [rest for rest in rests if rest is not None]
        if len(found[states]) < len(goals):
            raise ProcedureError(
                "nothing limits what can be earned in the moments that are not followed"
            )
    return found


def _choice(
    ways: Sequence[FoundTransition],
    gains: Mapping[int, Gain],
    scale: Sequence[int],
    least: int,
    nothing: Gain,
) -> Choice:
    """The step of a node in which the side decides.

    ``gains`` are those of its ways, by position.
    """
    orders = tuple(
        [
            (target, least if ends or target == DONE else least // scale[target], ends)
            for target, _, ends in ways
        ]
    )
    if not gains:
        return Choice(orders, None)
    by_way = [gains.get(way, nothing) for way in range(len(ways))]
    earned = [
        tuple([(gain[goal][0] * least, gain[goal][1] * least) for gain in by_way])
        for goal in range(len(nothing))
    ]
    return Choice(orders, tuple(earned))


def _chances(
    ways: Sequence[FoundTransition], gains: Mapping[int, Gain], scale: Sequence[int], least: int
) -> Chances:
    """The step of a node at which chance decides; ``gains`` are those of its ways, by position."""
    inside: dict[int, int] = {}
    outside: dict[int, int] = {}
    for target, weight, ends in ways:
        if target == DONE:
            continue
        if ends:
            outside[target] = outside.get(target, 0) + weight * least
        else:
            inside[target] = inside.get(target, 0) + weight * (least // scale[target])
    if not gains:
        return Chances(tuple(inside.items()), tuple(outside.items()), None)
    shares = [(ways[way][1] * least, gain) for way, gain in gains.items()]
    earned = tuple(
        [
            (
                sum([share * gain[goal][0] for share, gain in shares]),
                sum([share * gain[goal][1] for share, gain in shares]),
            )
            for goal in range(len(shares[0][1]))
        ]
    )
    return Chances(tuple(inside.items()), tuple(outside.items()), earned)
