"""The frontier of two goals: every best exchange of one for the other, exactly.

Its corners are optima of weighted sums, found by asking again between every two neighbours until nothing lies beyond
their line. Of several the first goal decides, so that no corner lies between two others. Whoever may toss for which
policy to follow reaches every point of the lines between.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import attrs

from fireplan.solver.best._induction import Solution, best
from fireplan.solver.best._join import Join

MOST_CORNERS = 200


@attrs.frozen(eq=False)
class Frontier:
    """Corners from the best of the first goal to the best of the second; ``whole`` unless there were too many."""

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
