"""A deck of cards dealt without replacement, of which no more is remembered than rules have asked of its cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from math import comb, gcd, prod
from operator import sub

from fireplan_core.chance._events import ChanceError, Face

Deck = tuple[tuple[Face, int], ...]
"""A deck by the kinds of its cards, each with how many there are; it has no order."""
Out = tuple[tuple[tuple[Face, ...], int], ...]
"""Cards that are out of a deck: of which kinds they may be (none named: of any), and how many such."""


@lru_cache(maxsize=4096)
def next_card(deck: Deck, out: Out) -> Mapping[Face, int]:
    """Return how likely the next card is of each kind, as whole numbers.

    It counts in how many ways all that is known of the cards that are out can have come about. Raises ``ChanceError``
    where no card is left, more are out than there are, or a count is no whole number from 1 on.
    """
    if wrong := [f"{count!r} of {kind!r}" for kind, count in deck if type(count) is not int or count < 1]:
        raise ChanceError(f"a deck cannot hold {', '.join(wrong)}")
    like = {kind: tuple(not names or kind in names for names, _ in out) for kind, _ in deck}
    groups: Counter[tuple[bool, ...]] = Counter()
    for kind, count in deck:
        groups[like[kind]] += count
    # The next card is set aside; all that are out must then be found among the others.
    ways = {group: _ways(groups - Counter({group: 1}), tuple(count for _, count in out)) for group in groups}
    found = {kind: count * ways[like[kind]] for kind, count in deck}
    divisor = gcd(*found.values())
    if not divisor:
        raise ChanceError(f"no card can be drawn: {sum(count for _, count in out)} of {groups.total()} are out already")
    return {kind: weight // divisor for kind, weight in found.items()}


def _ways(groups: Mapping[tuple[bool, ...], int], needs: tuple[int, ...]) -> int:
    """Return in how many ways disjoint sets of cards can be taken, the n-th from the groups that are true at n."""
    ways = {needs: 1}
    for group, cards in groups.items():
        after: Counter[tuple[int, ...]] = Counter()
        for left, count in ways.items():
            for taken in product(*(range(n + 1) if inside else (0,) for n, inside in zip(left, group, strict=True))):
                if sum(taken) <= cards:
                    several = prod(comb(cards - sum(taken[:at]), n) for at, n in enumerate(taken))
                    after[tuple(map(sub, left, taken))] += count * several
        ways = after
    return ways.get((0,) * len(needs), 0)
