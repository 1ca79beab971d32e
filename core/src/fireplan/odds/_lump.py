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

Onlooker = Callable[[Any], Hashable]
"""What is seen on a way, from what is told on it; None when nothing is."""


@attrs.frozen
class Way:
    """A way of a lumped chain: where to, its weight, what is seen on it, whether the moment ends."""

    target: int
    weight: int
    seen: Any
    ends: bool


@attrs.frozen(eq=False)
class Lumped:
    """A lumped chain: the ways of each class, an order that runs downhill, and where each onlooker starts."""

    ways: tuple[tuple[Way, ...], ...]
    order: tuple[int, ...]
    starts: tuple[int, ...]


Rows = Sequence[Sequence[Way]]


def lumped(rows: Rows, order: Sequence[int], start: int, onlookers: Sequence[Onlooker]) -> Lumped:
    """The coarsest chain in which each onlooker sees the same with the same chances.

    ``rows`` are the ways of each node, ``order`` the nodes downhill within a moment, ``start`` the opening.
    """
    seen_ids: dict[Hashable, int] = {None: 0}
    looked: dict[Any, tuple[int, ...]] = {}

    def ids_of(told: Any) -> tuple[int, ...]:
        ids = looked.get(told)
        if ids is None:
            ids = looked[told] = tuple(seen_ids.setdefault(look(told), len(seen_ids)) for look in onlookers)
        return ids

    table: list[list[tuple[int, int, int, tuple[int, ...]]]] = [[] for _ in rows]
    for node in order:
        table[node] = [(way.target, way.weight, int(way.ends), ids_of(way.seen)) for way in rows[node]]
    backwards = tuple(reversed(order))
    width = len(seen_ids)
    classes = [[0] * len(rows) for _ in onlookers]
    found = 0
    while True:
        signatures: dict[tuple[tuple[int, int], ...], int] = {}
        classes = [_refined(table, backwards, old, who, width, signatures) for who, old in enumerate(classes)]
        if len(signatures) == found:
            break
        found = len(signatures)
    by_id: dict[int, Any] = dict(zip(seen_ids.values(), seen_ids.keys(), strict=True))
    ways = tuple(
        tuple(Way(code // 2 // width, weight, by_id[code // 2 % width], bool(code % 2)) for code, weight in signature)
        for signature in signatures
    )
    # A class is numbered after those that its ways within the moment lead to.
    return Lumped(ways, tuple(range(len(ways) - 1, -1, -1)), tuple(numbers[start] for numbers in classes))


def _refined(
    table: list[list[tuple[int, int, int, tuple[int, ...]]]],
    backwards: tuple[int, ...],
    old: list[int],
    who: int,
    width: int,
    signatures: dict[tuple[tuple[int, int], ...], int],
) -> list[int]:
    """One refinement for one onlooker: each node's class by what is seen on its ways and where they lead."""
    new = [0] * len(old)
    for node in backwards:
        ways: dict[int, int] = {}
        for target, weight, ends, seen in table[node]:
            code = ((old[target] if ends else new[target]) * width + seen[who]) * 2 + ends
            ways[code] = ways.get(code, 0) + weight
        if len(ways) == 1:
            (code,) = ways
            if code % 2 == 0 and code // 2 % width == 0:
                new[node] = code // 2 // width
                continue
            signature: tuple[tuple[int, int], ...] = ((code, 1),)
        else:
            divisor = gcd(*ways.values())
            signature = tuple(sorted((code, weight // divisor) for code, weight in ways.items()))
        new[node] = signatures.setdefault(signature, len(signatures))
    return new
