"""Backward: what it is worth to stand at a node with so many moments behind, by expectation or by choice.

The forward passes of ``_solve`` carry chances; these carry worth. Used by optimisers (a choice at questions) and by
what-ifs (forward mass times backward worth is how far a chance counts).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan.odds._chain import Chain, Emission
from fireplan.odds._compile import Rows
from fireplan.odds._cycles import Links, without_cycles
from fireplan.odds._passes import Measure
from fireplan.odds._solve import placeless
from fireplan_core import Ask

Worth = Callable[[Any], Any]
"""What a measure's last state is worth: a number (Fraction or int for an exact answer, float for a quick one)."""

Choice = Callable[[Sequence[Any]], int]
"""Which of the values of the orders possible at a question is taken: ``max`` by position, say."""

Layer = Mapping[int, Mapping[Hashable, Any]]
"""By node and state of the measure."""


@attrs.frozen(eq=False)
class Backward:
    """Values of every node that can be reached, moment by moment.

    ``values[t][node][state]`` is the worth of standing at the node during moment ``t`` with the measure in that state;
    ``values[moments]`` holds the openings after the last moment. ``choices`` has the same form and holds, for nodes
    where a question was decided, the position of the edge taken.
    """

    values: tuple[Layer, ...]
    choices: tuple[Layer, ...]

    @property
    def value(self) -> Any:
        """Return the worth of the opening."""
        (worth,) = self.values[0][0].values()
        return worth


def backward(
    chain: Chain,
    measure: Measure,
    moments: int,
    worth: Worth,
    *,
    choose: Choice | None = None,
    exact: bool = True,
) -> Backward:
    """Return the value of every reachable node under a measure, from the last moment to the first.

    With ``choose``, the chain must be compiled with ``every_order``, and questions take the order it names; without,
    all weights are chances. With ``exact`` shares are fractions, otherwise floats.
    """
    links, totals, order = without_cycles(chain)
    if choose is not None and links is not chain.links:
        raise ValueError("orders within a cycle of one moment cannot be chosen backwards")
    number = _numbers(exact=exact)
    shares = [
        [number(weight, total) for _, weight, _, _ in transitions]
        for transitions, total in zip(links, totals, strict=True)
    ]
    reached = _reached(chain, links, measure, order, moments)
    layers: list[Layer] = [
        {node: {state: worth(state) for state in transitions} for node, transitions in reached[moments].items()}
    ]
    choices: list[Layer] = [{}]
    for moment in reversed(range(moments)):
        here: dict[int, dict[Hashable, Any]] = {}
        chosen: dict[int, dict[Hashable, int]] = {}
        after = layers[-1]
        for node in reversed(order):
            states = reached[moment].get(node)
            if not states:
                continue
            deciding = choose is not None and isinstance(chain.tops[node], Ask)
            found: dict[Hashable, Any] = {}
            for state, nexts in states.items():
                values = [
                    (after if ends else here)[target][seen]
                    for (target, _, _, ends), seen in zip(links[node], nexts, strict=True)
                ]
                if deciding and choose is not None:
                    taken = choose(values)
                    chosen.setdefault(node, {})[state] = taken
                    found[state] = values[taken]
                else:
                    found[state] = sum(share * value for share, value in zip(shares[node], values, strict=True))
            here[node] = found
        layers.append(here)
        choices.append(chosen)
    return Backward(tuple(reversed(layers)), tuple(reversed(choices)))


def _numbers(*, exact: bool) -> Callable[[int, int], Any]:
    return Fraction if exact else lambda weight, total: weight / total


Reached = dict[int, dict[Hashable, list[Hashable]]]
"""By node and state of the measure: its state after each way."""


def _reached(chain: Chain, links: Links, measure: Measure, order: Sequence[int], moments: int) -> list[Reached]:
    """For each moment, what can be reached."""
    words = [_word(measure, emission) for emission in chain.emissions]
    found: list[Reached] = []
    here: Reached = {0: {measure.initial: []}}
    for moment in range(moments):
        following: Reached = {}
        memo: dict[tuple[Hashable, int], Hashable] = {}
        for node in order:
            for state, nexts in here.get(node, {}).items():
                for target, _, emission, ends in links[node]:
                    after = state
                    if words[emission] and not measure.settled(state):
                        key = (state, emission)
                        if key not in memo:
                            for letter in words[emission]:
                                after = measure.see(after, letter, moment)
                            memo[key] = after
                        after = memo[key]
                    nexts.append(after)
                    (following if ends else here).setdefault(target, {}).setdefault(after, [])
        found.append(here)
        here = following
    found.append(here)
    return found


def _word(measure: Measure, emission: Emission) -> tuple[Any, ...]:
    """What a measure sees of what is told."""
    events, apart = emission
    seen = tuple(event for event in events if event.kind in measure.kinds)
    return seen + tuple(placeless(step) for step in apart if measure.scope and step.scope == measure.scope)


def gradient(
    chain: Chain, measure: Measure, moments: int, worth: Worth, *, exact: bool = False
) -> dict[Rows, list[Any]]:
    """Return for the rows behind each node, what a whole chance on each row would add to the measure's expected worth.

    The first-order effect of other weights is the sum, over rows, of the change of each row's share times its entry
    here: one forward and one backward pass serve every number of the game. The chain must have ``sources``.
    """
    links, totals, order = without_cycles(chain)
    if links is not chain.links or len(chain.sources) != len(links):
        raise ValueError("a chain with cycles within a moment, or with alike values made one, has no rows to vary")
    back = backward(chain, measure, moments, worth, exact=exact)
    number = _numbers(exact=exact)
    shares = [
        [number(weight, total) for _, weight, _, _ in transitions]
        for transitions, total in zip(links, totals, strict=True)
    ]
    reached = _reached(chain, links, measure, order, moments)
    found: dict[Rows, list[Any]] = {}
    mass: dict[int, dict[Hashable, Any]] = {0: {measure.initial: number(1, 1)}}
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
