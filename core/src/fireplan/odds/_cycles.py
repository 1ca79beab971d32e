"""Cycles within a moment: found, and solved exactly as a small rational system, never by sweeping.

A set of states that can reach each other before the moment ends is replaced by its exits, each with the exact
probability of leaving by it.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import attrs

from fireplan.mission import ProcedureError
from fireplan.odds._chain import Chain, Edge


def without_cycles(chain: Chain) -> tuple[Chain, tuple[int, ...]]:
    """The chain with cycles within a moment replaced by their exits, and its nodes in an order that runs downhill.

    Raises ``ProcedureError`` for a cycle without an exit: a moment that never ends.
    """
    components = _components(chain)
    edges = list(chain.edges)
    totals = list(chain.totals)
    for component in components:
        if len(component) == 1 and all(e.ends or e.target != component[0] for e in chain.edges[component[0]]):
            continue
        for node, (total, exits) in _exits(chain, component).items():
            edges[node] = exits
            totals[node] = total
    order = tuple(node for component in reversed(components) for node in component)
    return attrs.evolve(chain, edges=tuple(edges), totals=tuple(totals)), order


def _components(chain: Chain) -> list[list[int]]:
    """Strongly connected components of the ways within a moment, those further downhill first (Tarjan)."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    inner = [tuple(e.target for e in edges if not e.ends) for edges in chain.edges]
    for root in range(len(chain.edges)):
        if root in number:
            continue
        work = [(root, 0)]
        while work:
            node, position = work.pop()
            if position == 0:
                number[node] = low[node] = len(number)
                stack.append(node)
                on_stack.add(node)
            targets = inner[node]
            while position < len(targets):
                target = targets[position]
                position += 1
                if target not in number:
                    work.append((node, position))
                    work.append((target, 0))
                    break
                if target in on_stack:
                    low[node] = min(low[node], number[target])
            else:
                if low[node] == number[node]:
                    component: list[int] = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    found.append(component)
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
    return found


def _exits(chain: Chain, component: list[int]) -> dict[int, tuple[int, tuple[Edge, ...]]]:
    """For each member, the total and the edges by which it leaves the component."""
    members = {node: position for position, node in enumerate(component)}
    size = len(component)
    exits: list[Edge] = []
    # (I - inner) x = outer, one right-hand column for each way out.
    rows: list[list[Fraction]] = []
    columns: list[tuple[int, Fraction, int]] = []
    for node in component:
        row = [Fraction(int(members[node] == k)) for k in range(size)]
        for edge in chain.edges[node]:
            share = Fraction(edge.weight, chain.totals[node])
            if not edge.ends and edge.target in members:
                if edge.apart or any(event.kind != "modifier" for event in edge.events):
                    # What is told within a cycle can be told any number of times: no measure may miss it.
                    raise ProcedureError(f"events are told within a cycle at {chain.tops[node]}")
                row[members[edge.target]] -= share
            else:
                columns.append((members[node], share, len(exits)))
                exits.append(edge)
        rows.append(row)
    if not exits:
        raise ProcedureError(f"the moment never ends after {chain.tops[component[0]]}")
    for row, position in zip(rows, range(size), strict=True):
        right = [Fraction(0)] * len(exits)
        for member, share, column in columns:
            if member == position:
                right[column] = share
        row.extend(right)
    _eliminate(rows, size)
    answer = {}
    for node, row in zip(component, rows, strict=True):
        shares = row[size:]
        total = lcm(*(share.denominator for share in shares))
        answer[node] = (
            total,
            tuple(
                attrs.evolve(edge, weight=int(share * total))
                for edge, share in zip(exits, shares, strict=True)
                if share
            ),
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
