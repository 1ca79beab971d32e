"""Lumping: states that no measure can ever tell apart are made one, exactly.

Two states are alike when the same things are seen on their ways with the same chances and lead to states that are
alike. The coarsest such partition is found by refinement, starting from "all openings are alike". Several onlookers
(one a measure) are refined together, so that a chain seen from two sides that look alike is solved once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import gcd
from typing import Any

import attrs

from fireplan.odds._chain import Link

Onlooker = Callable[[Any], Hashable]
"""What is seen on a way, from what is told on it; None when nothing is."""

Signature = frozenset[tuple[int, int]]
"""What a state does: for each way, coded, its weight."""


@attrs.frozen(eq=False)
class Lumped:
    """A lumped chain: the ways of each class, what is seen on them, and where each onlooker starts.

    What is seen is a position in ``seen``; 0 is nothing. The order in which ways run downhill is that of falling
    numbers.
    """

    links: tuple[tuple[Link, ...], ...]
    seen: tuple[Any, ...]
    starts: tuple[int, ...]

    @property
    def order(self) -> range:
        """All classes, running downhill."""
        return range(len(self.links) - 1, -1, -1)


def lumped(
    links: Sequence[Sequence[Link]],
    told: Sequence[Any],
    order: Sequence[int],
    start: int,
    onlookers: Sequence[Onlooker],
) -> Lumped:
    """The coarsest chain in which each onlooker sees the same with the same chances.

    ``links`` are the ways of each node, ``told`` what is told on them, ``order`` the nodes downhill within a moment,
    ``start`` the opening.
    """
    seen: dict[Hashable, int] = {None: 0}
    looks = [[seen.setdefault(look(what), len(seen)) for what in told] for look in onlookers]
    width = 2 * len(seen)
    backwards = tuple(reversed(order))
    tables = [_table(links, backwards, look, width) for look in looks]
    classes = [[0] * len(links) for _ in onlookers]
    found = 0
    while True:
        signatures: dict[Signature, int] = {}
        for position, table in enumerate(tables):
            classes[position] = _refined(table, classes[position], width, signatures)
        if len(signatures) == found:
            break
        found = len(signatures)
    return Lumped(
        tuple(
            tuple((code // width, weight, code % width // 2, bool(code % 2)) for code, weight in signature)
            for signature in signatures
        ),
        tuple(seen),
        # A class is numbered after those that its ways within the moment lead to.
        tuple(numbers[start] for numbers in classes),
    )


Table = list[tuple[int, list[tuple[int, int, int]], list[tuple[int, int, int]]]]
"""Node by node: ways to openings and ways within the moment, each ``(target, weight, code of what is seen)``."""


def _table(links: Sequence[Sequence[Link]], backwards: Sequence[int], look: Sequence[int], width: int) -> Table:
    return [
        (
            node,
            [(target, weight, 2 * look[told] + 1) for target, weight, told, ends in links[node] if ends],
            [(target, weight, 2 * look[told]) for target, weight, told, ends in links[node] if not ends],
        )
        for node in backwards
    ]


def _refined(table: Table, old: list[int], width: int, signatures: dict[Signature, int]) -> list[int]:
    """One refinement for one onlooker: each node's class by what is seen on its ways and where they lead."""
    new = [0] * len(old)
    for node, ending, going in table:
        ways: dict[int, int] = {}
        for target, weight, code in ending:
            way = old[target] * width + code
            ways[way] = ways.get(way, 0) + weight
        for target, weight, code in going:
            way = new[target] * width + code
            ways[way] = ways.get(way, 0) + weight
        if len(ways) == 1:
            (way,) = ways
            if not way % width:
                new[node] = way // width
                continue
            signature: Signature = frozenset(((way, 1),))
        else:
            divisor = gcd(*ways.values())
            if divisor > 1:
                ways = {way: weight // divisor for way, weight in ways.items()}
            signature = frozenset(ways.items())
        new[node] = signatures.setdefault(signature, len(signatures))
    return new
