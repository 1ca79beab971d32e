"""Backward: what it is worth to stand at a node with so many moments behind, by expectation or by choice.

The forward passes of ``_solve`` carry chances; these carry worth. Used by optimisers (a choice at questions) and by
what-ifs (forward mass times backward worth is how far a chance counts).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan.mission import Ask, Event, Step
from fireplan.odds._chain import Chain, Rows
from fireplan.odds._cycles import without_cycles
from fireplan.odds._solve import Measure, placeless

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
        """The worth of the opening."""
        (worth,) = self.values[0][0].values()
        return worth


def backward(  # noqa: PLR0913 - all but the first four have defaults that serve
    chain: Chain,
    measure: Measure,
    moments: int,
    worth: Worth,
    *,
    choose: Choice | None = None,
    exact: bool = True,
) -> Backward:
    """Worth of every reachable node under a measure, from the last moment to the first.

    With ``choose``, the chain must be compiled with ``every_order``, and questions take the order it names; without,
    all weights are chances. With ``exact`` shares are fractions, otherwise floats.
    """
    if choose is None:
        chain, order = without_cycles(chain)
    else:
        _, order = without_cycles(chain)
    number: Callable[[int, int], Any] = Fraction if exact else lambda weight, total: weight / total
    shares = [
        [number(edge.weight, total) for edge in edges] for edges, total in zip(chain.edges, chain.totals, strict=True)
    ]
    reached = _reached(chain, measure, order, moments)
    layers: list[Layer] = [{node: {state: worth(state) for state in ways} for node, ways in reached[moments].items()}]
    choices: list[Layer] = [{}]
    for moment in reversed(range(moments)):
        here: dict[int, dict[Hashable, Any]] = {}
        chosen: dict[int, dict[Hashable, int]] = {}
        after = layers[-1]
        for node in reversed(order):
            ways = reached[moment].get(node)
            if not ways:
                continue
            deciding = choose is not None and isinstance(chain.tops[node], Ask)
            found: dict[Hashable, Any] = {}
            for state, nexts in ways.items():
                values = [
                    (after if edge.ends else here)[edge.target][seen]
                    for edge, seen in zip(chain.edges[node], nexts, strict=True)
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


def _reached(
    chain: Chain, measure: Measure, order: tuple[int, ...], moments: int
) -> list[dict[int, dict[Hashable, list[Hashable]]]]:
    """For each moment, node and state that can be reached: the measure's state after each edge."""
    found: list[dict[int, dict[Hashable, list[Hashable]]]] = []
    here: dict[int, dict[Hashable, list[Hashable]]] = {0: {measure.initial: []}}
    for moment in range(moments):
        following: dict[int, dict[Hashable, list[Hashable]]] = {}
        memo: dict[tuple[Hashable, tuple[Event, ...], tuple[Step, ...]], Hashable] = {}
        for node in order:
            for state, nexts in here.get(node, {}).items():
                for edge in chain.edges[node]:
                    key = (state, edge.events, edge.apart)
                    if key not in memo:
                        memo[key] = _see(measure, state, edge.events, edge.apart, moment)
                    nexts.append(memo[key])
                    (following if edge.ends else here).setdefault(edge.target, {}).setdefault(memo[key], [])
        found.append(here)
        here = following
    found.append(here)
    return found


def _see(
    measure: Measure, state: Hashable, events: tuple[Event, ...], apart: tuple[Step, ...], moment: int
) -> Hashable:
    if measure.settled(state):
        return state
    for event in events:
        if event.kind in measure.kinds:
            state = measure.see(state, event, moment)
    for strike in apart:
        if measure.scope and strike.scope == measure.scope:
            state = measure.see(state, placeless(strike), moment)
    return state


def gradient(
    chain: Chain, measure: Measure, moments: int, worth: Worth, *, exact: bool = False
) -> dict[Rows, list[Any]]:
    """For the rows behind each node, what a whole chance on each row would add to the measure's expected worth.

    The first-order effect of other weights is the sum, over rows, of the change of each row's share times its entry
    here: one forward and one backward pass serve every number of the game.
    """
    if without_cycles(chain)[0].edges != chain.edges:
        raise ValueError("a chain with cycles within a moment has no rows to vary")
    back = backward(chain, measure, moments, worth, exact=exact)
    _, order = without_cycles(chain)
    number: Callable[[int, int], Any] = Fraction if exact else lambda weight, total: weight / total
    reached = _reached(chain, measure, order, moments)
    found: dict[Rows, list[Any]] = {}
    mass: dict[int, dict[Hashable, Any]] = {0: {measure.initial: number(1, 1)}}
    for moment in range(moments):
        following: dict[int, dict[Hashable, Any]] = {}
        for node in order:
            rows = chain.sources[node]
            for state, share in mass.pop(node, {}).items():
                sums = found.setdefault(rows, [0] * len(rows.rows)) if rows is not None else [0]
                nexts = reached[moment][node][state]
                for position, (edge, seen) in enumerate(zip(chain.edges[node], nexts, strict=True)):
                    layer = back.values[moment + 1] if edge.ends else back.values[moment]
                    sums[position] += share * layer[edge.target][seen]
                    into = (following if edge.ends else mass).setdefault(edge.target, {})
                    into[seen] = into.get(seen, 0) + share * number(edge.weight, chain.totals[node])
        mass = following
    return found
