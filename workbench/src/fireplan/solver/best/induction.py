"""Finite-horizon dynamic programming in exact integers, from the last moment back to the first.

At every decision node the side takes an order of the greatest value; all best orders are kept.

The frontier of two goals contains every best exchange of one goal for the other. Its corners are
optima of weighted sums, found by solving between neighbours until no point lies beyond the line
that joins them. Ties go to the first goal, so no corner lies between two others. A random choice
between policies reaches every point on these lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import lcm

import attrs

from fireplan.solver.best.joining import DONE, DecisionNode, Join
from fireplan.solver.states import uncollected

Choices = dict[int, tuple[int, ...]]
"""Maps each decision node to its best orders by index, the standard order first if it is best."""

Values = Sequence[Sequence[int]]
"""The value of each order, for each goal."""

MOST_CORNERS = 200

Chooser = Callable[[Values], tuple[int, ...]]


@attrs.frozen(eq=False)
class Solution:
    """Exact values of the goals (losses negative), and the best orders of each moment."""

    joined: Join
    values: tuple[Fraction, ...]
    choices: tuple[Choices, ...]

    def followed(self) -> Iterator[tuple[int, int]]:
        """Yield each decision ``(moment, node)`` that can come up under best orders."""
        joined = self.joined
        reached = {0}
        for moment, choices in enumerate(self.choices):
            next_reached: set[int] = set()
            for node in reversed(joined.backwards):
                if node not in reached:
                    continue
                step = joined.steps[node]
                if isinstance(step, DecisionNode):
                    yield moment, node
                    for order in choices[node]:
                        target, _, ends = step.transitions[order]
                        if target != DONE:
                            (next_reached if ends else reached).add(target)
                else:
                    reached.update([target for target, _ in step.inside])
                    next_reached.update([target for target, _ in step.ends])
            reached = next_reached

    def without_ties(self) -> Solution:
        """Return the solution with only one of the best orders in each decision.

        It is the standard order, or else an order without values, such as *pass*, if that is best.
        """
        joined = self.joined

        def chosen(node: int, best: tuple[int, ...]) -> tuple[int, ...]:
            orders = joined.explored.orders(joined.nodes[node][0])
            return (min(best, key=lambda order: (order > 0, bool(orders[order].values), order)),)

        first = tuple(
            {node: chosen(node, best) for node, best in choices.items()} for choices in self.choices
        )
        return attrs.evolve(self, choices=first)

    def decided(self) -> Iterator[tuple[int, int]]:
        """Yield each decision ``(moment, node)``, also those that best orders never lead to."""
        for moment, choices in enumerate(self.choices):
            for node in choices:
                yield moment, node


def best(joined: Join, weights: Sequence[Sequence[int]] | None = None) -> Solution:
    """Return the best orders and their values; ties in the first goal are broken by the next.

    With ``weights`` (rows of one weight per goal), the first row that distinguishes two orders
    decides.
    """
    if len(joined.goals) == 1:
        return _solve(joined, _greatest)
    goals = range(len(joined.goals))
    return _solve(
        joined, _by_weights(weights or [[int(other == goal) for other in goals] for goal in goals])
    )


def standard_values(joined: Join) -> Solution:
    """Return the solution in which every order is the standard order."""
    return _solve(joined, lambda _values: (0,))


def _greatest(values: Values) -> tuple[int, ...]:
    (values_of_goal,) = values
    most = max(values_of_goal)
    return tuple([order for order, value in enumerate(values_of_goal) if value == most])


def _by_weights(weights: Sequence[Sequence[int]]) -> Chooser:
    def choose(values: Values) -> tuple[int, ...]:
        keys = [
            tuple(sum(w * v for w, v in zip(row, by_goal, strict=True)) for row in weights)
            for by_goal in zip(*values, strict=True)
        ]
        most = max(keys)
        return tuple(order for order, key in enumerate(keys) if key == most)

    return choose


@uncollected()
def _solve(joined: Join, choose: Chooser) -> Solution:
    goals = range(len(joined.goals))
    current = [[0] * len(joined.nodes) for _ in goals]
    future = [[0] * len(joined.nodes) for _ in goals]
    for node in joined.opens if joined.rest else ():
        for goal, rest in enumerate(joined.rest[joined.nodes[node][1]]):
            future[goal][node] = rest
    choices: list[Choices] = []
    power = 1
    for left in range(joined.moments):
        # Nodes that cannot come up this early are no longer needed.
        moment = joined.moments - 1 - left
        nodes = [node for node in joined.backwards if joined.depth[node] <= moment]
        choices.append(
            _step_back(
                joined, nodes, current, future, choose, power, left + joined.explored.process.after
            )
        )
        for goal in goals:
            future_values, current_values = future[goal], current[goal]
            for node in joined.opens:
                if joined.depth[node] <= moment:
                    future_values[node] = current_values[node] * (
                        joined.common // joined.scale[node]
                    )
        power *= joined.common
    values = tuple(joined.figure(future[goal][0]) for goal in goals)
    return Solution(joined, values, tuple(reversed(choices)))


def _step_back(
    joined: Join,
    nodes: list[int],
    current: list[list[int]],
    future: list[list[int]],
    choose: Chooser,
    power: int,
    left: int,
) -> Choices:
    """Write the values of these nodes in one moment into ``current``, and return the chosen orders.

    ``current`` and ``future`` hold, for each goal, a value by node in this moment and in the next.
    ``power`` converts rewards to the unit of these values, and ``left`` is the number of later
    moments.
    """
    goals = tuple(zip(range(len(current)), current, future, strict=True))
    steps = joined.steps
    choices: Choices = {}
    for node in nodes:
        step = steps[node]
        if isinstance(step, DecisionNode):
            values = []
            for goal, current_values, future_values in goals:
                order_values = [
                    0
                    if target == DONE
                    else factor * (future_values[target] if ends else current_values[target])
                    for target, factor, ends in step.transitions
                ]
                if step.earned is not None:
                    order_values = [
                        value + (once + later * left) * power
                        for value, (once, later) in zip(
                            order_values, step.earned[goal], strict=True
                        )
                    ]
                values.append(order_values)
            chosen = choices[node] = choose(values)
            for goal, current_values, _ in goals:
                current_values[node] = values[goal][chosen[0]]
            continue
        for goal, current_values, future_values in goals:
            total = 0
            for target, factor in step.inside:
                total += factor * current_values[target]
            for target, factor in step.ends:
                total += factor * future_values[target]
            if step.earned is not None:
                once, later = step.earned[goal]
                total += (once + later * left) * power
            current_values[node] = total
    return choices


@attrs.frozen(eq=False)
class Frontier:
    """The corners of a frontier, from the best for the first goal to the best for the second.

    ``whole`` is false if corners were left out because there were too many.
    """

    corners: tuple[Solution, ...]
    whole: bool


def frontier(joined: Join) -> Frontier:
    """Return the frontier of a join with exactly two goals."""
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
        weights = _equalising_weights(left, right)
        middle = best(joined, (weights, (1, 0), (0, 1)))
        excess = sum(w * (m - p) for w, m, p in zip(weights, middle.values, left, strict=True))
        if excess > 0:
            corners.insert(position + 1, middle)
        else:
            position += 1
    return Frontier(tuple(corners), whole)


def _equalising_weights(left: tuple[Fraction, ...], right: tuple[Fraction, ...]) -> tuple[int, int]:
    """Return two positive integer weights, one per goal, that give two points the same value."""
    x, y = left[1] - right[1], right[0] - left[0]
    scale = lcm(x.denominator, y.denominator)
    # From left to right the first goal falls and the second rises, so both weights are positive.
    return -int(x * scale), -int(y * scale)
