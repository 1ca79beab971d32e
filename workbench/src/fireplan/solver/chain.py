"""The chain of a scenario: every state that a doctrine can reach, and the ways between them, in plain numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import attrs

from fireplan.solver.compile import Rows
from fireplan_core import Event, Pending, ProcedureError, Step

Letter = Event | Step
"""An event, or a step that was set apart: a strike, or what is put to a key (``PUT``)."""

Emission = tuple[Letter, ...]
"""Say what is told on a way, in order."""

NOTHING: Emission = ()

PUT = "odds.put"
"""The name of what stands for a value put to a key: both are its arguments."""

Link = tuple[int, int, int, bool]
"""A way in numbers: target, weight, what is told (a position in ``emissions``, 0 is nothing), if the moment ends."""

Effect = tuple[int, int, tuple[Pending, ...], int]
"""Say what an outcome does to a state: bits kept, bits put, steps pushed, what is told (as a number)."""

Transition = tuple[int, int, int, int]
"""An effect where the agenda below is known: bits kept, bits put, weight, what is told."""

Situation = tuple[tuple[tuple[str, Any], ...], Rows]
"""Say what a step reads, key by key, and its rows there."""


class Leaf:
    """The effects of a step in states that agree on what it reads.

    Where values were made one, in all situations.
    """

    __slots__ = ("effects", "pending", "situations", "total", "transitions", "weights")

    def __init__(
        self,
        pending: Pending,
        situations: tuple[Situation, ...],
        effects: tuple[tuple[Effect, int], ...],
    ) -> None:
        self.pending = pending
        self.situations = [(dict(read), rows) for read, rows in situations]
        self.effects = effects
        self.weights = [weight for _, weight in effects]
        self.total = sum(self.weights)
        self.transitions: dict[int, tuple[Transition, ...]] = {}
        """By the cell of the agenda below."""


@attrs.frozen(eq=False, repr=False)
class Edge:
    """A way from one state to the next: target node, weight, what was told and which scoped steps were set apart.

    ``ends`` is set when the moment ends with it; the target then stands at the opening of the next one.
    """

    target: int
    weight: int
    events: tuple[Event, ...]
    apart: tuple[Step, ...]
    ends: bool


@attrs.frozen(eq=False, repr=False, slots=False)
class Chain:
    """All reachable states: for each node the total of its weights and its ways.

    Node 0 is the opening.

    ``keys`` are what a state keeps; ``tops`` is what each node does next; ``altered`` are keys where
    something is put that nobody reads. Where exploration was bounded, ``horizon`` is for how many moments and
    ``depths`` the first moment in which each node is reached; ``timed`` says that states know their moment. ``leaves``
    are the steps behind each node, whose effects are its ways, and ``explorer`` is the one that found them. A chain
    with other weights than were found (``reweighed``) has those of the leaves that differ in ``reweighed``; its
    ``basis`` is the chain that was found.
    """

    keys: tuple[str, ...]
    tops: Sequence[Pending]
    totals: Sequence[int]
    links: Sequence[Sequence[Link]]
    emissions: Sequence[Emission]
    altered: frozenset[str] = frozenset()
    horizon: int | None = None
    depths: Sequence[int] = ()
    timed: bool = False
    states: Callable[[], tuple[tuple[Any, ...], ...]] = tuple
    leaves: Sequence[Leaf | None] = ()
    explorer: Any = None
    reweighed: Mapping[Leaf, Sequence[int]] = attrs.field(factory=dict)
    basis: Chain | None = None

    @cached_property
    def values(self) -> tuple[tuple[Any, ...], ...]:
        """Return what each node holds at the keys."""
        return self.states()

    def reader(self, node: int, initial: Mapping[str, Any]) -> Callable[[str, Any], Any]:
        """Return how a step reads the state of a node, ``read(key, default)``, in a scenario with this opening."""
        return {**initial, **dict(zip(self.keys, self.values[node], strict=True))}.get

    @cached_property
    def edges(self) -> tuple[tuple[Edge, ...], ...]:
        """Return the ways in the words of the rules."""
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
    """Return the events among what is told."""
    return tuple(letter for letter in emission if isinstance(letter, Event))


def strikes_of(emission: Emission) -> tuple[Step, ...]:
    """Return the strikes among what is told."""
    return tuple(letter for letter in emission if isinstance(letter, Step) and letter.scope)


# --- cycles within a moment: found, and solved exactly as a small rational system, never by sweeping
Links = Sequence[Sequence[Link]]


def without_cycles(chain: Chain) -> tuple[Links, Sequence[int], tuple[int, ...]]:
    """Return ways and totals with cycles in a moment replaced by their exits, and the nodes in topological order.

    Raises ``ProcedureError`` for a cycle without an exit: a moment that never ends.
    """
    inner = [[target for target, _, _, ends in links if not ends] for links in chain.links]
    order = _topological_order(inner)
    if len(order) == len(inner):
        return chain.links, chain.totals, tuple(order)
    links, totals = list(chain.links), list(chain.totals)
    for component in _components(inner, set(range(len(inner))) - set(order)):
        order += component
        if len(component) > 1 or component[0] in inner[component[0]]:
            for node, (total, exits) in _exits(chain, component).items():
                links[node] = exits
                totals[node] = total
    return links, totals, tuple(order)


def _topological_order(inner: Sequence[Sequence[int]]) -> list[int]:
    """The nodes ordered so that all ways lead onward, less those in a cycle and all that can be reached from one."""
    before = [0] * len(inner)
    for targets in inner:
        for target in targets:
            before[target] += 1
    order = [node for node, count in enumerate(before) if not count]
    for node in order:
        for target in inner[node]:
            before[target] -= 1
            if not before[target]:
                order.append(target)
    return order


def _components(inner: Sequence[Sequence[int]], nodes: Collection[int]) -> list[list[int]]:
    """Strongly connected components among these nodes, in topological order."""
    import networkx as nx

    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((node, target) for node in nodes for target in inner[node])
    # They come in reverse topological order.
    return [sorted(found) for found in nx.strongly_connected_components(graph)][::-1]


def _exits(chain: Chain, component: list[int]) -> dict[int, tuple[int, list[Link]]]:
    """For each member, the total and the ways by which it leaves the component."""
    members = {node: position for position, node in enumerate(component)}
    size = len(component)
    exits: list[Link] = []
    # (I - inner) x = outer, one right-hand column for each way out.
    rows: list[list[Fraction]] = []
    shares_out: list[tuple[int, Fraction]] = []
    for node in component:
        row = [Fraction(int(members[node] == k)) for k in range(size)]
        for link in chain.links[node]:
            target, weight, emission, ends = link
            share = Fraction(weight, chain.totals[node])
            if not ends and target in members:
                if any(
                    not isinstance(told, Event) or told.kind != "modifier"
                    for told in chain.emissions[emission]
                ):
                    # What is told within a cycle can be told any number of times: no measure may
                    # miss it.
                    raise ProcedureError(f"events are told within a cycle at {chain.tops[node]}")
                row[members[target]] -= share
            else:
                shares_out.append((members[node], share))
                exits.append(link)
        rows.append(row)
    if not exits:
        raise ProcedureError(f"the moment never ends after {chain.tops[component[0]]}")
    for position, row in enumerate(rows):
        row.extend(share if member == position else Fraction(0) for member, share in shares_out)
    _eliminate(rows, size)
    answer = {}
    for node, row in zip(component, rows, strict=True):
        shares = row[size:]
        total = lcm(*(share.denominator for share in shares))
        answer[node] = (
            total,
            [
                (target, int(share * total), emission, ends)
                for (target, _, emission, ends), share in zip(exits, shares, strict=True)
                if share
            ],
        )
    return answer


def _eliminate(rows: list[list[Fraction]], size: int) -> None:
    """Gauss-Jordan in fractions, in place."""
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
