"""Finite-horizon dynamic programming, exact: from the last moment back to the first, in integers.

At every node the side takes an order of the greatest value; of several that are equally good all
are kept.

The frontier of two goals is every best exchange of one for the other. Its corners are optima of
weighted sums, found by asking again between every two neighbours until nothing lies beyond their
line. Of several the first goal decides, so that no corner lies between two others. Whoever may toss
for which policy to follow reaches every point of the lines.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import lcm

import attrs

from fireplan.solver.best.joining import DONE, Choice, Join
from fireplan.solver.states import uncollected

Choices = dict[int, tuple[int, ...]]
"""For each node in which the side decides, the numbers of the best orders.

The standard one first if it is best.
"""

Values = Sequence[Sequence[int]]
"""For each goal, what each order is worth."""

MOST_CORNERS = 200

Chooser = Callable[[Values], tuple[int, ...]]


@attrs.frozen(eq=False)
class Solution:
    """Exact values of the goals (losses negative), and the best orders of each moment, in the order of play."""

    joined: Join
    values: tuple[Fraction, ...]
    choices: tuple[Choices, ...]

    def followed(self) -> Iterator[tuple[int, int]]:
        """Yield every decision ``(moment, node)`` that can come up when only best orders are given."""
        joined = self.joined
        here = {0}
        for moment, choices in enumerate(self.choices):
            following: set[int] = set()
            for node in reversed(joined.backwards):
                if node not in here:
                    continue
                step = joined.steps[node]
                if isinstance(step, Choice):
                    yield moment, node
                    for order in choices[node]:
                        target, _, ends = step.transitions[order]
                        if target != DONE:
                            (following if ends else here).add(target)
                else:
                    here.update([target for target, _ in step.inside])
                    following.update([target for target, _ in step.ends])
            here = following


def best(joined: Join, weights: Sequence[Sequence[int]] | None = None) -> Solution:
    """Return the optimum.

    ``weights`` are tried in turn, each a weight for every goal: the first that tells two orders apart decides. Without
    them the first goal comes first, then the second.
    """
    if len(joined.goals) == 1:
        return _solved(joined, _greatest)
    goals = range(len(joined.goals))
    return _solved(
        joined, _weighed(weights or [[int(one == goal) for one in goals] for goal in goals])
    )


def standard(joined: Join) -> Solution:
    """Return what the standard doctrine comes to on the same states."""
    return _solved(joined, lambda _values: (0,))


def _greatest(values: Values) -> tuple[int, ...]:
    (only,) = values
    most = max(only)
    return tuple([order for order, value in enumerate(only) if value == most])


def _weighed(weights: Sequence[Sequence[int]]) -> Chooser:
    def choose(values: Values) -> tuple[int, ...]:
        keys = [
            tuple(sum(w * v for w, v in zip(row, worth, strict=True)) for row in weights)
            for worth in zip(*values, strict=True)
        ]
        most = max(keys)
        return tuple(order for order, key in enumerate(keys) if key == most)

    return choose


@uncollected()
def _solved(joined: Join, choose: Chooser) -> Solution:
    goals = range(len(joined.goals))
    now = [[0] * len(joined.nodes) for _ in goals]
    following = [[0] * len(joined.nodes) for _ in goals]
    for node in joined.opens if joined.rest else ():
        for goal, rest in enumerate(joined.rest[joined.nodes[node][1]]):
            following[goal][node] = rest
    found: list[Choices] = []
    power = 1
    for left in range(joined.moments):
        # Nodes that cannot come up this early are not needed any more.
        moment = joined.moments - 1 - left
        nodes = [node for node in joined.backwards if joined.depth[node] <= moment]
        found.append(
            _back(
                joined, nodes, now, following, choose, power, left + joined.explored.process.after
            )
        )
        for goal in goals:
            after, here = following[goal], now[goal]
            for node in joined.opens:
                if joined.depth[node] <= moment:
                    after[node] = here[node] * (joined.common // joined.scale[node])
        power *= joined.common
    values = tuple(joined.figure(following[goal][0]) for goal in goals)
    return Solution(joined, values, tuple(reversed(found)))


def _back(
    joined: Join,
    nodes: list[int],
    now: list[list[int]],
    following: list[list[int]],
    choose: Chooser,
    power: int,
    left: int,
) -> Choices:
    """One moment back: the value of every node, and the best orders."""
    goals = tuple(zip(range(len(now)), now, following, strict=True))
    steps = joined.steps
    choices: Choices = {}
    for node in nodes:
        step = steps[node]
        if isinstance(step, Choice):
            values = []
            for goal, here, after in goals:
                worth = [
                    0 if target == DONE else factor * (after[target] if ends else here[target])
                    for target, factor, ends in step.transitions
                ]
                if step.earned is not None:
                    worth = [
                        value + (once + later * left) * power
                        for value, (once, later) in zip(worth, step.earned[goal], strict=True)
                    ]
                values.append(worth)
            chosen = choices[node] = choose(values)
            for goal, here, _ in goals:
                here[node] = values[goal][chosen[0]]
            continue
        for goal, here, after in goals:
            total = 0
            for target, factor in step.inside:
                total += factor * here[target]
            for target, factor in step.ends:
                total += factor * after[target]
            if step.earned is not None:
                once, later = step.earned[goal]
                total += (once + later * left) * power
            here[node] = total
    return choices


@attrs.frozen(eq=False)
class Frontier:
    """Corners from the best of the first goal to the best of the second.

    ``whole`` unless there were too many.
    """

    corners: tuple[Solution, ...]
    whole: bool


def frontier(joined: Join) -> Frontier:
    """Return the frontier of a chain joined with two goals."""
    first = best(joined, ((1, 0), (0, 1)))
    last = best(joined, ((0, 1), (1, 0)))
    if first.values == last.values:
        return Frontier((first,), whole=True)
    corners = [first, last]
    whole = True
    position = 0
    while position < len(corners) - 1:
        left, right = corners[position].values, corners[position + 1].values
        if len(corners) >= MOST_CORNERS:
            whole = False
            break
        weights = _across(left, right)
        middle = best(joined, (weights, (1, 0), (0, 1)))
        beyond = sum(w * (m - p) for w, m, p in zip(weights, middle.values, left, strict=True))
        if beyond > 0:
            corners.insert(position + 1, middle)
        else:
            position += 1
    return Frontier(tuple(corners), whole)


def _across(left: tuple[Fraction, ...], right: tuple[Fraction, ...]) -> tuple[int, int]:
    """Whole weights by which both ends are worth the same."""
    x, y = left[1] - right[1], right[0] - left[0]
    scale = lcm(x.denominator, y.denominator)
    # From left to right the first goal falls and the second rises: both weights are positive.
    return -int(x * scale), -int(y * scale)
