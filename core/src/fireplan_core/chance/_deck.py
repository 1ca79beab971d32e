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
    ways = _ways_of_next(groups, tuple(count for _, count in ranked)) if enough else Counter()
    found = {kind: count * ways[like[kind]] for kind, count in deck}
    divisor = gcd(*found.values())
    if not divisor:
        raise ChanceError(f"no card can be drawn: {sum(count for _, count in out)} of {groups.total()} are out already")
    return {kind: weight // divisor for kind, weight in found.items()}


def _ways_of_next(groups: Mapping[tuple[bool, ...], int], needs: Counts) -> Mapping[tuple[bool, ...], int]:
    """Return for each group in how many ways a card of it comes next, the n-th of some sets taken where n is true.

    Group after group is shared out; of a set that is taken from many cards only how many of these are gone is
    followed, since it may take any of what is left at the end.
    """
    order = sorted(groups.items(), reverse=True)
    largest = sorted(range(len(needs)), key=lambda n: -needs[n])
    late = largest[:1] + [n for n in largest[1:] if not any(g[n] and g[largest[0]] for g in groups)][:1]
    sets = range(len(needs))
    room = [[sum(cards for group, cards in order[at:] if group[n]) for n in sets] for at in range(len(order) + 1)]

    def shared(at: int, cards: int, left: Counts, gone: Counts, more: int) -> Iterator[tuple[int, Counts, Counts]]:
        group, after = order[at][0], room[at + 1]
        open_ = [n for n, need in enumerate(left) if need and group[n]]
        for taken in product(*(range(max(0, left[n] - after[n]), min(left[n], cards) + 1) for n in open_)):
            several, free, rest = 1, cards, list(left)
            for n, count in zip(open_, taken, strict=True):
                several *= comb(max(0, free), count)
                free -= count
                rest[n] -= count
            if several:
                now = tuple(n + (cards - free + more) * group[m] for n, m in zip(gone, late, strict=True))
                yield several, tuple(rest), now

    @cache
    def ways_from(at: int, left: Counts, gone: Counts) -> int:
        if at == len(order):
            return prod(comb(max(0, room[0][n] - used), needs[n]) for n, used in zip(late, gone, strict=True))
        return sum(several * ways_from(at + 1, *then) for several, *then in shared(at, order[at][1], left, gone, 0))

    found: Counter[tuple[bool, ...]] = Counter()
    before = {(tuple(0 if n in late else need for n, need in enumerate(needs)), (0,) * len(late)): 1}
    for at, (group, cards) in enumerate(order):
        after: Counter[tuple[Counts, Counts]] = Counter()
        for state, ways in before.items():
            for several, *then in shared(at, cards - 1, *state, 1):
                found[group] += ways * several * ways_from(at + 1, *then)
            for several, rest, gone in shared(at, cards, *state, 0):
                after[rest, gone] += ways * several
        before = after
    return found
