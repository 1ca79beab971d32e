"""A deck of cards dealt without replacement, of which no more is remembered than rules have asked of its cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import product
from math import comb, gcd, prod

from fireplan_core.chance._events import ChanceError, Face

Deck = tuple[tuple[Face, int], ...]
"""A deck by the kinds of its cards, each with how many there are; it has no order."""
Out = tuple[tuple[tuple[Face, ...], int], ...]
"""Cards that are out of a deck: of which kinds they may be (none named: of any), and how many such."""
Counts = tuple[int, ...]


@lru_cache(maxsize=4096)
def next_card(deck: Deck, out: Out) -> Mapping[Face, int]:
    """Return how likely the next card is of each kind, as whole numbers.

    It counts in how many ways all that is known of the cards that are out can have come about. Raises ``ChanceError``
    where no card is left, more are out than there are, or a count is no whole number from 1 on.
    """
    if wrong := [f"{count!r} of {kind!r}" for kind, count in deck if type(count) is not int or count < 1]:
        raise ChanceError(f"a deck cannot hold {', '.join(wrong)}")
    # What is told most exactly comes first, so that like groups stand together; what is told of most cards comes last.
    ranked = sorted((entry for entry in out if entry[0]), key=lambda entry: len(entry[0]))
    like = {kind: tuple(kind in names for names, _ in ranked) for kind, _ in deck}
    groups: Counter[tuple[bool, ...]] = Counter()
    for kind, count in deck:
        groups[like[kind]] += count
    # Cards of which nothing is known are like those still in the deck, as long as there are enough.
    enough = sum(count for _, count in out) < groups.total()
    ways = _Ways(groups, tuple(count for _, count in ranked)).with_the_next() if enough else Counter()
    found = {kind: count * ways[like[kind]] for kind, count in deck}
    divisor = gcd(*found.values())
    if not divisor:
        raise ChanceError(f"no card can be drawn: {sum(count for _, count in out)} of {groups.total()} are out already")
    return {kind: weight // divisor for kind, weight in found.items()}


class _Ways:
    """In how many ways disjoint sets of cards can be taken, the n-th from the groups that are true at n.

    Group after group is shared out; of a set that is taken from many cards only how many of these are gone is
    followed, since it may take any of what is left at the end.
    """

    def __init__(self, groups: Mapping[tuple[bool, ...], int], needs: Counts) -> None:
        self._groups = sorted(groups.items(), reverse=True)
        largest = sorted(range(len(needs)), key=lambda n: -needs[n])
        self._late = largest[:1] + [n for n in largest[1:] if not any(g[n] and g[largest[0]] for g in groups)][:1]
        self._needs = needs
        self._cards = [sum(count for group, count in groups.items() if group[n]) for n in self._late]
        left = tuple(0 if n in self._late else need for n, need in enumerate(needs))
        self._start = left, (0,) * len(self._late)
        self._room = [[sum(count for group, count in self._groups[at:] if group[n]) for n in range(len(needs))]
                      for at in range(len(groups) + 1)]  # fmt: skip
        self._ways = cache(self._ways_from)

    def with_the_next(self) -> dict[tuple[bool, ...], int]:
        """Return for each group the ways in which one more card of it can be taken, the next one."""
        found: Counter[tuple[bool, ...]] = Counter()
        before: Mapping[tuple[Counts, Counts], int] = {self._start: 1}
        for at, (group, cards) in enumerate(self._groups):
            after: Counter[tuple[Counts, Counts]] = Counter()
            for (left, gone), ways in before.items():
                for several, rest, now in self._shared(at, cards - 1, left, gone, 1):
                    found[group] += ways * several * self._ways(at + 1, rest, now)
                for several, rest, now in self._shared(at, cards, left, gone, 0):
                    after[rest, now] += ways * several
            before = after
        return found

    def _ways_from(self, at: int, left: Counts, gone: Counts) -> int:
        """Return the ways in which the groups from one on can be shared out."""
        if at == len(self._groups):
            cards = zip(self._cards, gone, self._late, strict=True)
            return prod(comb(max(0, all_ - used), self._needs[n]) for all_, used, n in cards)
        shared = self._shared(at, self._groups[at][1], left, gone, 0)
        return sum(several * self._ways(at + 1, rest, now) for several, rest, now in shared)

    def _shared(
        self, at: int, cards: int, left: Counts, gone: Counts, more: int
    ) -> Iterator[tuple[int, Counts, Counts]]:
        """Yield how a group can be shared out: in how many ways, what sets still need then, and what is gone."""
        group, room = self._groups[at][0], self._room[at + 1]
        open_ = [n for n, need in enumerate(left) if need and group[n]]
        for taken in product(*(range(max(0, left[n] - room[n]), min(left[n], cards) + 1) for n in open_)):
            number = sum(taken)
            if number > cards:
                continue
            several, free, rest = 1, cards, list(left)
            for n, count in zip(open_, taken, strict=True):
                several *= comb(free, count)
                free -= count
                rest[n] -= count
            now = tuple(n + (number + more) * group[late] for n, late in zip(gone, self._late, strict=True))
            yield several, tuple(rest), now
