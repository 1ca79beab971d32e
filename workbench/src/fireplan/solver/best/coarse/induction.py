"""Backward induction in a coarse model: the value of every node of a moment."""

from __future__ import annotations

from collections.abc import Mapping

from fireplan.solver.best.coarse.states import Node
from fireplan_core import ProcedureError

Transition = tuple[int, int, Node | None, bool]
"""A branch from a node: weight, reward, target (None if all is settled), and if the moment ends."""

Transitions = frozenset[tuple[Transition, ...]]
"""The choices of a node, each a tuple of its branches."""


def step_back(nodes: Mapping[Node, Transitions], later: Mapping[Node, int]) -> dict[Node, int]:
    """Map each node of a moment to its value, given the values of the next moment's openings.

    Raises ``ProcedureError`` if something can be earned again and again in a cycle.
    """
    values: dict[Node, int] = {}
    entered: set[Node] = set()
    todo = list(nodes)
    while todo:
        node = todo[-1]
        if node in values:
            todo.pop()
            continue
        ahead = [
            target
            for choice in nodes[node]
            for _, _, target, ends in choice
            if target is not None and not ends and target not in values
        ]
        if ahead and node in entered:
            return values_in_cycles(nodes, later)
        entered.add(node)
        if ahead:
            todo += ahead
            continue
        values[node] = max([_mean(choice, values, later) for choice in nodes[node]], default=0)
    return values


def values_in_cycles(
    nodes: Mapping[Node, Transitions], later: Mapping[Node, int]
) -> dict[Node, int]:
    """Map each node of a moment to its value, if coarse states can come up again in the moment.

    Every play leaves a cycle by some choice, so none earns more than the best choice on leaving.
    Raises ``ProcedureError`` if something can be earned again and again in a cycle.
    """
    import networkx as nx

    graph: nx.DiGraph[Node] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    for node, choices in nodes.items():
        for choice in choices:
            graph.add_edges_from(
                (node, target) for _, _, target, ends in choice if target is not None and not ends
            )
    values: dict[Node, int] = {}
    # networkx yields components in reverse topological order.
    for members in nx.strongly_connected_components(graph):
        exits: list[int] = []
        for node in members:
            for choice in nodes[node]:
                leaving = []
                for way in choice:
                    _, reward, target, ends = way
                    if ends or target not in members:
                        leaving.append(way)
                    elif reward > 0:
                        raise ProcedureError("an order can be repeated without end within a moment")
                if leaving:
                    exits.append(_mean(tuple(leaving), values, later))
        values.update(dict.fromkeys(members, max(exits, default=0)))
    return values


def _mean(
    choice: tuple[Transition, ...], values: Mapping[Node, int], later: Mapping[Node, int]
) -> int:
    """Return the mean value of a choice, rounded upwards."""
    total = sum([weight for weight, _, _, _ in choice])
    earned = 0
    for weight, reward, target, ends in choice:
        ahead = 0 if target is None else later.get(target, 0) if ends else values[target]
        earned += weight * (reward + ahead)
    return -(-earned // total)
