"""The chain of a scenario: the states that a doctrine can reach, and their transitions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, TypeGuard

import attrs

from fireplan.solver.compile import StepRows
from fireplan_core import Agenda, Event, Pending, ProcedureError, Step
from fireplan_core.record import Read

Letter = Event | Step
"""An event, or a step set apart: a strike, or an update of a watched key (``PUT``)."""

Emission = tuple[Letter, ...]
"""The letters that a transition emits, in order."""

NOTHING: Emission = ()

PUT = "odds.put"
"""Name of the step that represents an update; its arguments are the key and the value."""

STRIKE = "resolution.strike"
"""Name of the step with which fire strikes a place."""

Link = tuple[int, int, int, bool]
"""A transition: target, weight, index into ``emissions`` (0 is empty), whether the moment ends."""

Effect = tuple[int, int, Agenda, int]
"""The effect of an outcome: mask of bits kept, bits set, steps pushed, emission."""

PackedTransition = tuple[int, int, int, int]
"""An effect above a known agenda: mask of bits kept, bits set, weight, emission."""

Case = tuple[tuple[tuple[str, Any], ...], StepRows]
"""The keys that a step reads with their values, and the step's rows for these values."""


class Leaf:
    """The effects of a step in all states that agree on the values it reads.

    Where values share a code, the leaf has one case for each combination of values.
    """

    __slots__ = ("cases", "effects", "pending", "total", "transitions", "weights")

    def __init__(
        self,
        pending: Pending,
        cases: tuple[Case, ...],
        effects: tuple[tuple[Effect, int], ...],
    ) -> None:
        self.pending = pending
        self.cases = [(dict(read), rows) for read, rows in cases]
        self.effects = effects
        self.weights = [weight for _, weight in effects]
        self.total = sum(self.weights)
        self.transitions: dict[int, tuple[PackedTransition, ...]] = {}
        """Maps the cell of the agenda below to the transitions."""


@attrs.frozen(eq=False, repr=False)
class Edge:
    """A transition with its events and the scoped steps that were set apart.

    ``ends`` is true if it ends the moment; the target then opens the next moment.
    """

    target: int
    weight: int
    events: tuple[Event, ...]
    apart: tuple[Step, ...]
    ends: bool


@attrs.frozen(eq=False, repr=False, slots=False)
class Chain:
    """All reachable states, each with its links and the sum of their weights.

    Node 0 is the opening. ``keys`` are the keys of a state, and ``tops`` has the step or question
    that each node runs next. ``states`` returns the values at each node, of all keys or of those
    given. Where exploration was bounded, ``horizon`` is its number of moments and ``depths`` has
    the first moment in which each node is reached. ``timed`` is true if the clock is part of a
    state. ``leaves`` are the steps behind the nodes; ``explorer`` is the exploration that found
    them. If the chain was reweighed (see ``solving.reweighed``), ``reweighed`` has the new weights
    of changed leaves, and ``basis`` is the chain as explored.
    """

    keys: tuple[str, ...]
    tops: Sequence[Pending]
    totals: Sequence[int]
    links: Sequence[Sequence[Link]]
    emissions: Sequence[Emission]
    horizon: int | None = None
    depths: Sequence[int] = ()
    timed: bool = False
    states: Callable[..., tuple[tuple[Any, ...], ...]] = tuple
    leaves: Sequence[Leaf | None] = ()
    explorer: Any = None
    reweighed: Mapping[Leaf, Sequence[int]] = attrs.field(factory=dict)
    basis: Chain | None = None

    @cached_property
    def values(self) -> tuple[tuple[Any, ...], ...]:
        """Return the values of each node, in the order of ``keys``."""
        return self.states()

    def column(self, key: str) -> list[Any]:
        """Return the value of one key at each node."""
        return [value for (value,) in self.states((key,))]

    def reader(self, node: int, initial: Mapping[str, Any]) -> Read:
        """Return the function ``read(key, default)`` for the state of a node.

        Keys that the chain does not have are read from ``initial``, the scenario's opening.
        """
        return {**initial, **dict(zip(self.keys, self.values[node], strict=True))}.get

    @cached_property
    def edges(self) -> tuple[tuple[Edge, ...], ...]:
        """Return the links of each node as ``Edge`` objects, with events and strikes."""
        return tuple(
            tuple(
                Edge(
                    target,
                    weight,
                    events_of(self.emissions[emission]),
                    strikes_of(self.emissions[emission]),
                    ends,
                )
                for target, weight, emission, ends in links
            )
            for links in self.links
        )


def events_of(emission: Emission) -> tuple[Event, ...]:
    """Return the events of an emission, in order."""
    return tuple(letter for letter in emission if isinstance(letter, Event))


def is_strike(pending: Pending) -> TypeGuard[Step]:
    """Return whether a step is a strike, the part of a fall that strikes one place."""
    return isinstance(pending, Step) and pending.name == STRIKE


def strikes_of(emission: Emission) -> tuple[Step, ...]:
    """Return the strikes of an emission, in order."""
    return tuple(letter for letter in emission if isinstance(letter, Step) and letter.scope)


def strikes_by_scope(emissions: Iterable[Emission]) -> dict[str, set[Step]]:
    """Map each place that is struck, by its scope, to its strikes."""
    strikes: dict[str, set[Step]] = {}
    for emission in emissions:
        for strike in strikes_of(emission):
            strikes.setdefault(strike.scope, set()).add(strike)
    return strikes


# --- cycles within a moment, solved exactly as small rational linear systems ----------------------
Links = Sequence[Sequence[Link]]


def without_cycles(chain: Chain) -> tuple[Links, Sequence[int], tuple[int, ...]]:
    """Return links, totals of their weights, and nodes in topological order, without cycles.

    Each cycle within a moment is replaced with its exits. Raises ``ProcedureError`` for a cycle
    without an exit, because the moment would never end, and for a cycle that emits events.
    """
    inner = [[target for target, _, _, ends in links if not ends] for links in chain.links]
    order = topological_order(inner)
    if len(order) == len(inner):
        return chain.links, chain.totals, tuple(order)
    links, totals = list(chain.links), list(chain.totals)
    for component in components(inner, set(range(len(inner))) - set(order)):
        order += component
        if len(component) > 1 or component[0] in inner[component[0]]:
            for node, (total, exits) in exits_of(chain, component).items():
                links[node] = exits
                totals[node] = total
    return links, totals, tuple(order)


def topological_order(inner: Sequence[Sequence[int]]) -> list[int]:
    """Return the nodes in Kahn's order, without those on a cycle or reachable from a cycle."""
    indegree = [0] * len(inner)
    for targets in inner:
        for target in targets:
            indegree[target] += 1
    order = [node for node, count in enumerate(indegree) if not count]
    for node in order:
        for target in inner[node]:
            indegree[target] -= 1
            if not indegree[target]:
                order.append(target)
    return order


def components(inner: Sequence[Sequence[int]], nodes: Collection[int]) -> list[list[int]]:
    """Return the strongly connected components among these nodes, in topological order."""
    import networkx as nx

    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((node, target) for node in nodes for target in inner[node])
    # networkx yields components in reverse topological order.
    return [sorted(component) for component in nx.strongly_connected_components(graph)][::-1]


def exits_of(chain: Chain, component: list[int]) -> dict[int, tuple[int, list[Link]]]:
    """Map each node of a component to (total weight, links that lead out of the component).

    Each link is weighted by the chance that play from the node leaves the component by it. Raises
    ``ProcedureError`` if there is no way out, or if events are emitted on a cycle.
    """
    members = {node: position for position, node in enumerate(component)}
    size = len(component)
    exits: list[Link] = []
    # (I - inner) x = outer, with one right-hand column for each exit.
    rows: list[list[Fraction]] = []
    shares_out: list[tuple[int, Fraction]] = []
    for node in component:
        row = [Fraction(int(members[node] == k)) for k in range(size)]
        for link in chain.links[node]:
            target, weight, emission, ends = link
            share = Fraction(weight, chain.totals[node])
            if not ends and target in members:
                if any(
                    not isinstance(letter, Event) or letter.kind != "modifier"
                    for letter in chain.emissions[emission]
                ):
                    # An event on a cycle can be emitted any number of times, so it cannot be
                    # replaced by the exits without changing a measure.
                    raise ProcedureError(
                        f"{chain.tops[node]} emits events on a cycle within one moment"
                    )
                row[members[target]] -= share
            else:
                shares_out.append((members[node], share))
                exits.append(link)
        rows.append(row)
    if not exits:
        raise ProcedureError(
            f"the moment never ends: there is no way out of {chain.tops[component[0]]}"
        )
    for position, row in enumerate(rows):
        row.extend(share if member == position else Fraction(0) for member, share in shares_out)
    _eliminate(rows, size)
    solution = {}
    for node, row in zip(component, rows, strict=True):
        shares = row[size:]
        total = lcm(*(share.denominator for share in shares))
        solution[node] = (
            total,
            [
                (target, int(share * total), emission, ends)
                for (target, _, emission, ends), share in zip(exits, shares, strict=True)
                if share
            ],
        )
    return solution


def _eliminate(rows: list[list[Fraction]], size: int) -> None:
    """Reduce the first ``size`` columns of the rows by Gauss-Jordan elimination, in place."""
    for column in range(size):
        pivot = next(row for row in range(column, size) if rows[row][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        factor = rows[column][column]
        rows[column] = [value / factor for value in rows[column]]
        for other in range(size):
            if other != column and rows[other][column]:
                times = rows[other][column]
                rows[other] = [
                    a - times * b for a, b in zip(rows[other], rows[column], strict=True)
                ]
