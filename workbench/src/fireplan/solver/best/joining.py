"""The product of a chain and goals: the goals' states become part of the state.

The product is prepared for exact passes in integers.
"""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from math import lcm

import attrs

from fireplan.solver.best.goals import NOTHING, Earned, Goal
from fireplan.solver.best.process import Explored
from fireplan.solver.chain import Emission, Links
from fireplan.solver.states import uncollected
from fireplan_core import Event, ProcedureError

DONE = -1
"""The target of a transition after which nothing more can be earned."""

States = tuple[Hashable, ...]
"""The state of each goal, in the order of the goals."""

FoundTransition = tuple[int, int, bool]
"""A target, a weight, and whether the moment ends."""

Gain = tuple[tuple[int, int], ...]
"""The reward of a transition for each goal: a fixed part, and a part for each later moment."""

Transition = tuple[int, int]
"""A target and an integer factor."""


@attrs.frozen(eq=False)
class ChanceNode:
    """A chance node: transitions within the moment, transitions that end it, and the mean rewards.

    ``earned`` has a (fixed, per later moment) reward for each goal, or is None without rewards.
    """

    inside: tuple[Transition, ...]
    ends: tuple[Transition, ...]
    earned: tuple[tuple[int, int], ...] | None


@attrs.frozen(eq=False)
class DecisionNode:
    """A decision node: for each order a transition (target, factor, ends the moment), and rewards.

    ``earned`` has a (fixed, per later moment) reward for each goal and order, or is None without
    rewards.
    """

    transitions: tuple[tuple[int, int, bool], ...]
    earned: tuple[tuple[tuple[int, int], ...], ...] | None


@attrs.frozen(eq=False)
class Join:
    """The product of a chain and goals, with exact integer transitions.

    ``nodes`` are pairs of a chain node and the goals' states, ``depth`` has the first moment in
    which each can come up, and ``backwards`` lists them in reverse topological order. The value of
    a node is in units of 1 / (its ``scale`` times ``common`` to the power of the number of later
    moments). ``unit`` is the denominator of rewards.
    """

    explored: Explored
    goals: tuple[Goal, ...]
    moments: int
    nodes: tuple[tuple[int, States], ...]
    depth: tuple[int, ...]
    backwards: tuple[int, ...]
    steps: Mapping[int, ChanceNode | DecisionNode]
    scale: tuple[int, ...]
    opens: tuple[int, ...]
    """The nodes that can open a moment; node 0 opens the first."""
    common: int
    unit: int
    rest: Mapping[States, tuple[int, ...]]
    """Maximum reward of each goal after the last moment explored, by the goals' states."""

    def figure(self, value: int) -> Fraction:
        """Return a value at the opening of the first moment as a fraction."""
        return Fraction(value, self.common**self.moments * self.unit)


class _GoalReader:
    """A reader of goals along transitions; each word is read only once."""

    def __init__(self, goals: Sequence[Goal], emissions: Sequence[Emission]) -> None:
        self.goals = goals
        self.gains: dict[tuple[Earned, ...], int] = {(NOTHING,) * len(goals): 0}
        self._memo: dict[tuple[States, int], tuple[States, int, bool]] = {}
        self._later: dict[States, States] = {}
        self._kinds = {goal.kind for goal in goals}
        self._strikes = any(goal.strikes for goal in goals)
        self.words = [self._word(emission) for emission in emissions]
        """For each emission, the letters that concern a goal, or None."""

    def _word(self, emission: Emission) -> Emission | None:
        return (
            tuple(
                letter
                for letter in emission
                if (letter.kind in self._kinds if isinstance(letter, Event) else self._strikes)
            )
            or None
        )

    def later(self, states: States) -> States:
        """Return the goals' states when the next moment opens, the same object if unchanged."""
        after = self._later.get(states)
        if after is None:
            after = tuple(
                [goal.later(state) for goal, state in zip(self.goals, states, strict=True)]
            )
            after = self._later[states] = states if after == states else after
        return after

    def read(self, states: States, word: int) -> tuple[States, int, bool]:
        """Return the goals' states after a word, the index of its gain, and True if all settled.

        Gain 0 means no reward; unchanged states are returned as the same object.
        """
        result = self._memo.get((states, word))
        if result is not None:
            return result
        after: list[Hashable] = []
        earned: list[Earned] = []
        for goal, before in zip(self.goals, states, strict=True):
            state, (reward, per_moment) = goal.see_all(before, self.words[word] or ())
            after.append(state)
            sign = -1 if goal.least else 1
            earned.append((sign * reward, sign * per_moment))
        all_settled = all(
            goal.settled(state) for goal, state in zip(self.goals, after, strict=True)
        )
        gain = self.gains.setdefault(tuple(earned), len(self.gains))
        after_states = tuple(after)
        self._memo[states, word] = result = (
            states if after_states == states else after_states,
            gain,
            all_settled,
        )
        return result


@attrs.define(eq=False)
class Joining:
    """The nodes of a join as they are reached, with their transitions.

    ``totals`` has the sums of the weights of chance nodes, if they are not those of the chain.
    """

    nodes: list[tuple[int, States]]
    depth: list[int]
    opens: set[int]
    ids: dict[States, dict[int, int]]
    transitions: dict[int, list[FoundTransition]] = attrs.field(factory=dict)
    earned: dict[int, dict[int, int]] = attrs.field(factory=dict)
    totals: dict[int, int] = attrs.field(factory=dict)


@uncollected()
def join(explored: Explored, goals: Sequence[Goal], moments: int) -> Join:
    """Return the product of a chain and goals, limited to nodes reached in this many moments.

    Rewards of a goal to be minimised count as losses.
    """
    initial = tuple(goal.initial for goal in goals)
    joining = Joining([(0, initial)], [0], {0}, {initial: {0: 0}})
    reader = _GoalReader(goals, explored.emissions)
    openings = [0]
    for moment in range(moments):
        openings = _follow(explored.links, reader, joining, moment, openings)
    return scaled(explored, tuple(goals), moments, joining, tuple(reader.gains))


def _follow(
    links: Links, reader: _GoalReader, joining: Joining, moment: int, moment_nodes: list[int]
) -> list[int]:
    """Add the nodes and transitions of a moment, and return the next moment's new openings."""
    next_openings: list[int] = []
    words, nodes, depth, ids_of, opens = (
        reader.words,
        joining.nodes,
        joining.depth,
        joining.ids,
        joining.opens,
    )
    for joined in moment_nodes:
        node, states = nodes[joined]
        ids = ids_of[states]
        later = reader.later(states)
        later_ids = ids if later is states else ids_of.setdefault(later, {})
        transitions = joining.transitions[joined] = []
        for transition, (chain_target, weight, emission, ends) in enumerate(links[node]):
            if words[emission] is None:
                after, target_ids = (later, later_ids) if ends else (states, ids)
            else:
                after, gain, all_settled = reader.read(states, emission)
                if gain:
                    joining.earned.setdefault(joined, {})[transition] = gain
                if all_settled:
                    transitions.append((DONE, weight, ends))
                    continue
                if ends:
                    after = reader.later(after)
                target_ids = ids if after is states else ids_of.setdefault(after, {})
            target = target_ids.get(chain_target)
            if target is None:
                target = target_ids[chain_target] = len(nodes)
                nodes.append((chain_target, after))
                depth.append(moment + ends)
                (next_openings if ends else moment_nodes).append(target)
            if ends:
                opens.add(target)
            transitions.append((target, weight, ends))
    return next_openings


def scaled(
    explored: Explored,
    goals: tuple[Goal, ...],
    moments: int,
    joining: Joining,
    gains: tuple[tuple[Earned, ...], ...],
) -> Join:
    """Return the join with integer factors for every transition, computed backwards."""
    totals, decides = explored.totals, explored.decides
    joined_at: dict[int, list[int]] = {}
    for joined in joining.transitions:
        joined_at.setdefault(joining.nodes[joined][0], []).append(joined)
    backwards = [
        joined
        for node in reversed(explored.topological_order)
        for joined in joined_at.get(node, ())
    ]
    opens = tuple(sorted(joining.opens))
    rewards_left = _remaining_rewards(
        goals, {joining.nodes[joined][1] for joined in opens}, explored.process.after
    )
    unit, whole_gains, rest = _in_units(gains, rewards_left)
    scale = [1] * len(joining.nodes)
    steps: dict[int, ChanceNode | DecisionNode] = {}
    for joined in backwards:
        node, transitions = joining.nodes[joined][0], joining.transitions[joined]
        earned = joining.earned.get(joined)
        gains_of = (
            {position: whole_gains[gain] for position, gain in earned.items()} if earned else {}
        )
        least = lcm(
            *{scale[target] for target, _, ends in transitions if not ends and target != DONE}
        )
        if node in decides and joined not in joining.totals:
            scale[joined] = least
            steps[joined] = _choice(transitions, gains_of, scale, least, whole_gains[0])
        else:
            scale[joined] = joining.totals.get(joined, totals[node]) * least
            steps[joined] = _chances(transitions, gains_of, scale, least)
    return Join(
        explored,
        goals,
        moments,
        tuple(joining.nodes),
        tuple(joining.depth),
        tuple(backwards),
        steps,
        tuple(scale),
        opens,
        lcm(*{scale[joined] for joined in joining.opens}),
        unit,
        rest,
    )


def _in_units(
    gains: tuple[tuple[Earned, ...], ...], remaining: Mapping[States, list[Fraction]]
) -> tuple[int, list[Gain], Mapping[States, tuple[int, ...]]]:
    """Return the common denominator of all rewards, then gains and remaining rewards over it."""
    parts = [part for gain in gains for pair in gain for part in pair]
    unit = lcm(
        *{
            part.denominator
            for part in (*parts, *(part for rewards in remaining.values() for part in rewards))
        }
    )
    whole_gains: list[Gain] = [
        tuple([(int(once * unit), int(later * unit)) for once, later in gain]) for gain in gains
    ]
    return (
        unit,
        whole_gains,
        {
            states: tuple([int(part * unit) for part in rewards])
            for states, rewards in remaining.items()
        },
    )


def _remaining_rewards(
    goals: tuple[Goal, ...], seen: set[States], after: int
) -> dict[States, list[Fraction]]:
    """Return each goal's maximum reward in the moments not explored, by the goals' states.

    Raises ``ProcedureError`` if nothing limits the reward of a goal.
    """
    rewards = {}
    for states in seen if after else ():
        rests = [
            goal.rest(state, after, opened=True) for goal, state in zip(goals, states, strict=True)
        ]
        rewards[states] = [rest for rest in rests if rest is not None]
        if len(rewards[states]) < len(goals):
            raise ProcedureError(
                "the reward of a goal has no limit in the moments that are not explored"
            )
    return rewards


def _choice(
    transitions: Sequence[FoundTransition],
    gains: Mapping[int, Gain],
    scale: Sequence[int],
    least: int,
    nothing: Gain,
) -> DecisionNode:
    """Return a decision node for these transitions; ``gains`` maps their positions to gains.

    ``least`` is the scale of the node.
    """
    orders = tuple(
        [
            (target, least if ends or target == DONE else least // scale[target], ends)
            for target, _, ends in transitions
        ]
    )
    if not gains:
        return DecisionNode(orders, None)
    gain_by_order = [gains.get(order, nothing) for order in range(len(transitions))]
    earned = [
        tuple([(gain[goal][0] * least, gain[goal][1] * least) for gain in gain_by_order])
        for goal in range(len(nothing))
    ]
    return DecisionNode(orders, tuple(earned))


def _chances(
    transitions: Sequence[FoundTransition],
    gains: Mapping[int, Gain],
    scale: Sequence[int],
    least: int,
) -> ChanceNode:
    """Return a chance node for these transitions; ``gains`` maps their positions to gains.

    ``least`` is a common multiple of the scales of the targets within the moment.
    """
    inside: dict[int, int] = {}
    outside: dict[int, int] = {}
    for target, weight, ends in transitions:
        if target == DONE:
            continue
        if ends:
            outside[target] = outside.get(target, 0) + weight * least
        else:
            inside[target] = inside.get(target, 0) + weight * (least // scale[target])
    if not gains:
        return ChanceNode(tuple(inside.items()), tuple(outside.items()), None)
    shares = [(transitions[position][1] * least, gain) for position, gain in gains.items()]
    earned = tuple(
        [
            (
                sum([share * gain[goal][0] for share, gain in shares]),
                sum([share * gain[goal][1] for share, gain in shares]),
            )
            for goal in range(len(shares[0][1]))
        ]
    )
    return ChanceNode(tuple(inside.items()), tuple(outside.items()), earned)
