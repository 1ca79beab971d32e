"""Backward: the expected value of standing at a node with so many moments behind.

Forward chance times backward value is how far a chance counts in a what-if.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from operator import truediv
from typing import Any

import attrs

from fireplan.solver._chain import Chain
from fireplan.solver._compile import Rows
from fireplan.solver._cycles import Links, without_cycles
from fireplan.solver._lump import Last
from fireplan.solver._passes import Measure
from fireplan.solver._solve import Observed

ValueOf = Callable[[Any], Any]
"""The value of a measure's last state: a number (Fraction or int for an exact answer, float for a quick one)."""

Layer = Mapping[int, Mapping[Hashable, Any]]
"""By node and state of the measure."""


@attrs.frozen(eq=False)
class Backward:
    """Values of every node that can be reached, moment by moment.

    ``values[t][node][state]`` is the value of standing at the node during moment ``t`` with the measure in that state;
    ``values[moments]`` holds the openings after the last moment.
    """

    values: tuple[Layer, ...]

    @property
    def value(self) -> Any:
        """Return the value of the opening."""
        (value,) = self.values[0][0].values()
        return value


def backward(chain: Chain, measure: Measure, moments: int, value_of: ValueOf, *, exact: bool = True) -> Backward:
    """Return the value of every reachable node under a measure, from the last moment to the first.

    With ``exact`` shares are fractions, otherwise floats.
    """
    links, totals, order = without_cycles(chain)
    shares = _shares(links, totals, exact=exact)
    reached = _reached(chain, links, measure, order, moments)
    layers: list[Layer] = [
        {node: {state: value_of(state) for state in transitions} for node, transitions in reached[moments].items()}
    ]
    for moment in reversed(range(moments)):
        here: dict[int, dict[Hashable, Any]] = {}
        after = layers[-1]
        for node in reversed(order):
            states = reached[moment].get(node)
            if not states:
                continue
            found: dict[Hashable, Any] = {}
            for state, nexts in states.items():
                values = [
                    (after if ends else here)[target][seen]
                    for (target, _, _, ends), seen in zip(links[node], nexts, strict=True)
                ]
                found[state] = sum(share * value for share, value in zip(shares[node], values, strict=True))
            here[node] = found
        layers.append(here)
    return Backward(tuple(reversed(layers)))


def _shares(links: Links, totals: Sequence[int], *, exact: bool) -> list[list[Any]]:
    """The chance of every way, as fractions or floats."""
    share: Callable[[int, int], Any] = Fraction if exact else truediv
    return [[share(weight, total) for _, weight, _, _ in ways] for ways, total in zip(links, totals, strict=True)]


Reached = dict[int, dict[Hashable, list[Hashable]]]
"""By node and state of the measure: its state after each way."""


def _reached(chain: Chain, links: Links, measure: Measure, order: Sequence[int], moments: int) -> list[Reached]:
    """For each moment, what can be reached."""
    seen = Observed(measure)
    words: list[Any] = [word.seen if isinstance(word, Last) else word for word in map(seen, chain.emissions)]
    found: list[Reached] = []
    here: Reached = {0: {measure.initial: []}}
    for moment in range(moments):
        following: Reached = {}
        memo: dict[tuple[Hashable, int], Hashable] = {}
        for node in order:
            for state, nexts in here.get(node, {}).items():
                for target, _, emission, ends in links[node]:
                    after = state
                    word = words[emission]
                    if word and not measure.settled(state):
                        key = (state, emission)
                        if key not in memo:
                            for letter in word:
                                after = measure.see(after, letter, moment)
                            memo[key] = after
                        after = memo[key]
                    nexts.append(after)
                    (following if ends else here).setdefault(target, {}).setdefault(after, [])
        found.append(here)
        here = following
    found.append(here)
    return found


def gradient(
    chain: Chain, measure: Measure, moments: int, value_of: ValueOf, *, exact: bool = False
) -> dict[Rows, list[Any]]:
    """Return for the rows behind each node, what a whole chance on each row would add to the measure's expected value.

    The first-order effect of other weights is the sum, over rows, of the change of each row's share times its entry
    here: one forward and one backward pass serve every number of the game. The chain must have ``sources``.
    """
    links, totals, order = without_cycles(chain)
    if links is not chain.links or len(chain.sources) != len(links):
        raise ValueError("a chain with cycles within a moment, or with alike values made one, has no rows to vary")
    back = backward(chain, measure, moments, value_of, exact=exact)
    shares = _shares(links, totals, exact=exact)
    reached = _reached(chain, links, measure, order, moments)
    found: dict[Rows, list[Any]] = {}
    mass: dict[int, dict[Hashable, Any]] = {0: {measure.initial: 1}}
    for moment in range(moments):
        following: dict[int, dict[Hashable, Any]] = {}
        for node in order:
            rows = chain.sources[node]
            for state, share in mass.pop(node, {}).items():
                sums = found.setdefault(rows, [0] * len(rows.rows)) if rows is not None else [0]
                nexts = reached[moment][node][state]
                for position, ((target, _, _, ends), seen) in enumerate(zip(links[node], nexts, strict=True)):
                    sums[position] += share * back.values[moment + ends][target][seen]
                    into = (following if ends else mass).setdefault(target, {})
                    into[seen] = into.get(seen, 0) + share * shares[node][position]
        mass = following
    return found
