"""Cycles within a moment: found, and solved exactly as a small rational system, never by sweeping.

A set of states that can reach each other before the moment ends is replaced by its exits, each with the exact
probability of leaving by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from fireplan.odds._chain import Chain, Link
from fireplan_core import ProcedureError

Links = Sequence[Sequence[Link]]


def without_cycles(chain: Chain) -> tuple[Links, Sequence[int], tuple[int, ...]]:
    """Return ways and totals with cycles in a moment replaced by their exits, and the nodes in topological order.

    Raises ``ProcedureError`` for a cycle without an exit: a moment that never ends.
    """
    inner = [[target for target, _, _, ends in links if not ends] for links in chain.links]
    order = _downhill(inner)
    if order is not None:
        return chain.links, chain.totals, order
    components = _components(inner)
    links, totals = list(chain.links), list(chain.totals)
    for component in components:
        if len(component) == 1 and component[0] not in inner[component[0]]:
            continue
        for node, (total, exits) in _exits(chain, component).items():
            links[node] = exits
            totals[node] = total
    return links, totals, tuple(node for component in reversed(components) for node in component)


def _downhill(inner: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """The nodes ordered so that all ways lead onward, or None where they run in a circle."""
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
    return tuple(order) if len(order) == len(inner) else None


def _components(inner: Sequence[Sequence[int]]) -> list[list[int]]:
    """Strongly connected components of the ways within a moment, those further downhill first (Tarjan)."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for root in range(len(inner)):
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


def _exits(chain: Chain, component: list[int]) -> dict[int, tuple[int, list[Link]]]:
    """For each member, the total and the ways by which it leaves the component."""
    members = {node: position for position, node in enumerate(component)}
    size = len(component)
    exits: list[Link] = []
    # (I - inner) x = outer, one right-hand column for each way out.
    rows: list[list[Fraction]] = []
    columns: list[tuple[int, Fraction, int]] = []
    for node in component:
        row = [Fraction(int(members[node] == k)) for k in range(size)]
        for link in chain.links[node]:
            target, weight, emission, ends = link
            share = Fraction(weight, chain.totals[node])
            if not ends and target in members:
                events, apart = chain.emissions[emission]
                if apart or any(event.kind != "modifier" for event in events):
                    # What is told within a cycle can be told any number of times: no measure may miss it.
                    raise ProcedureError(f"events are told within a cycle at {chain.tops[node]}")
                row[members[target]] -= share
            else:
                columns.append((members[node], share, len(exits)))
                exits.append(link)
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
