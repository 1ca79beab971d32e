"""Cycles within a moment: found, and solved exactly as a small rational system, never by sweeping."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from math import lcm

from fireplan.solver._chain import Chain, Link
from fireplan_core import Event, ProcedureError

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
                if any(not isinstance(told, Event) or told.kind != "modifier" for told in chain.emissions[emission]):
                    # What is told within a cycle can be told any number of times: no measure may miss it.
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
                rows[other] = [a - times * b for a, b in zip(rows[other], rows[column], strict=True)]
