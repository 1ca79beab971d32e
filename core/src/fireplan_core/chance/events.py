"""Chance events: a throw of named dice, a draw from a pile or deck, volleys folded together, random selection.

Each event can do two things: say which faces a player must supply (``faces``) and read them into
one outcome (``read``); and list its whole space of outcomes with integer weights (``space``).
Nothing here knows which driver is asking.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from itertools import product
from math import comb, gcd, prod
from typing import Any, ClassVar, Protocol

import attrs

Outcome = tuple[Any, ...]
Face = int | str
Weighted = tuple[tuple[Outcome, int], ...]


class ChanceError(Exception):
    """Rule code used chance in a way that no driver allows."""


@attrs.frozen
class Die:
    """A die with equally likely whole-number faces ``lowest .. lowest + sides - 1``."""

    sides: int
    lowest: int = 1

    def __attrs_post_init__(self) -> None:
        if type(self.sides) is not int or type(self.lowest) is not int or self.sides < 1:
            raise ChanceError(
                f"a die of {self.sides!r} sides from {self.lowest!r} on cannot be thrown"
            )

    @property
    def faces(self) -> range:
        """Return every face, lowest first."""
        return range(self.lowest, self.lowest + self.sides)


d6 = Die(6)
d10 = Die(10, lowest=0)


@attrs.frozen
class Faces:
    """Say what a player supplies for one die or chit: its meaning, and each face with its integer weight."""

    label: str
    weights: tuple[tuple[Face, int], ...]


class ChanceEvent(Protocol):
    """One chance event of one step."""

    @property
    def name(self) -> str:
        """Return the name of the roll; modifiers are registered for it."""

    @property
    def seen_by(self) -> str:
        """Return the side that alone sees how it falls; empty where all do."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the readings an outcome offers, in the order of its entries."""

    @property
    def faces(self) -> tuple[Faces, ...]:
        """Return the dice or chits a player must supply, singly and in order."""

    @property
    def space(self) -> Weighted:
        """Return every outcome with its integer weight."""

    def read(self, faces: tuple[Face, ...]) -> Outcome:
        """Return the outcome that these faces give."""


@lru_cache(maxsize=256)
def _dice_space(dice: tuple[Die, ...]) -> Weighted:
    return tuple((faces, 1) for faces in product(*(die.faces for die in dice)))


@lru_cache(maxsize=256)
def _dice_faces(dice: tuple[tuple[str, Die], ...]) -> tuple[Faces, ...]:
    return tuple(Faces(label, tuple((face, 1) for face in die.faces)) for label, die in dice)


@attrs.frozen
class Throw:
    """Dice thrown together, each named by its meaning."""

    name: str
    dice: tuple[tuple[str, Die], ...]
    seen_by: ClassVar[str] = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the names of the dice."""
        return tuple(label for label, _ in self.dice)

    @property
    def faces(self) -> tuple[Faces, ...]:
        """Return one entry a die."""
        return _dice_faces(self.dice)

    @property
    def space(self) -> Weighted:
        """Return all combinations, each of weight 1."""
        return _dice_space(tuple(die for _, die in self.dice))

    def read(self, faces: tuple[Face, ...]) -> Outcome:
        """Return the faces themselves."""
        return faces


@attrs.frozen
class FromDeck:
    """Say which card is drawn: the deck, and what is out of it.

    Or one that is out (``looked_at``), of these kinds.

    ``seen_by`` is the side that alone sees it, where it goes into a hand.
    """

    name: str
    out: tuple[tuple[tuple[Face, ...], int], ...]
    looked_at: bool = False
    of: tuple[Face, ...] = ()
    seen_by: str = ""


@attrs.frozen
class Draw:
    """One chit or card drawn blindly from a pile known by its counts; a pile has no order."""

    name: str
    counts: tuple[tuple[Face, int], ...]
    card: FromDeck | None = None
    labels: ClassVar[tuple[str, ...]] = ("chit",)

    @property
    def seen_by(self) -> str:
        """Return the side into whose hand the card goes."""
        return self.card.seen_by if self.card else ""

    @property
    def faces(self) -> tuple[Faces, ...]:
        """Return one chit or card; kinds that have run out cannot be drawn."""
        left = tuple((kind, count) for kind, count in self.counts if count > 0)
        return (Faces("card" if self.card else "chit", left),)

    @property
    def space(self) -> Weighted:
        """Return each kind still in the pile, weighted by its count."""
        return tuple(((kind,), count) for kind, count in self.counts if count > 0)

    def read(self, faces: tuple[Face, ...]) -> Outcome:
        """Return the chit itself."""
        return faces


@attrs.frozen(eq=False, repr=False)
class Fold:
    """Many like dice, each read to ``(add, any)``; their sum and whether any was set.

    ``groups`` holds ``(how many dice, face -> (add, any))``; exact by convolution, so twenty
    volleys cost no more branches than there are distinct totals.
    """

    name: str
    die: Die
    groups: tuple[tuple[int, Mapping[int, tuple[int, bool]]], ...]
    seen_by: ClassVar[str] = ""
    labels: ClassVar[tuple[str, ...]] = ("add", "any")

    @property
    def faces(self) -> tuple[Faces, ...]:
        """Return one entry a die, numbered from 1."""
        weights = tuple((face, 1) for face in self.die.faces)
        return tuple(
            Faces(f"{self.name} {n + 1}", weights) for n in range(sum(n for n, _ in self.groups))
        )

    @cached_property
    def space(self) -> Weighted:
        """Return each ``(sum, any)`` with its integer weight out of ``sides ** dice``."""
        # Sums of like dice are powers of a polynomial. Kept as one whole number, a stretch of bits
        # for each coefficient, a power costs a few multiplications.
        bits = (self.die.sides ** sum(count for count, _ in self.groups)).bit_length() + 1
        all_ways = without = 1
        lowest = 0
        for count, reading in self.groups:
            adds = [reading[face] for face in self.die.faces]
            least = min(add for add, _ in adds)
            lowest += count * least
            all_ways *= sum(1 << bits * (add - least) for add, _ in adds) ** count
            without *= sum(1 << bits * (add - least) for add, flag in adds if not flag) ** count
        found: list[tuple[Outcome, int]] = []
        mask = (1 << bits) - 1
        for add in range(lowest, lowest + all_ways.bit_length() // bits + 1):
            whole, none = all_ways & mask, without & mask
            all_ways >>= bits
            without >>= bits
            found.extend(
                ((add, flag), weight)
                for flag, weight in ((False, none), (True, whole - none))
                if weight
            )
        return tuple(found)

    def read(self, faces: tuple[Face, ...]) -> Outcome:
        """Return the sum and the flag of these faces."""
        readings = [reading for count, reading in self.groups for _ in range(count)]
        read = [reading[int(face)] for reading, face in zip(readings, faces, strict=True)]
        return (sum(add for add, _ in read), any(flag for _, flag in read))


@attrs.frozen
class Selection:
    """Random selection: a die for each name, the ``count`` highest are chosen, ties all.

    So ``count`` is a minimum: a tie at the lowest chosen value adds every name that rolled it. The
    chosen stand in their given order.
    """

    name: str
    die: Die
    of: tuple[str, ...]
    count: int
    seen_by: ClassVar[str] = ""
    labels: ClassVar[tuple[str, ...]] = ("chosen",)

    @property
    def faces(self) -> tuple[Faces, ...]:
        """Return a die for each name."""
        weights = tuple((face, 1) for face in self.die.faces)
        return tuple(Faces(name, weights) for name in self.of)

    @property
    def space(self) -> Weighted:
        """Return each possible set of chosen names with its weight out of ``sides ** names``."""
        return _selection_space(self.die.sides, self.of, self.count)

    def read(self, faces: tuple[Face, ...]) -> Outcome:
        """Return the names whose die is not below the ``count``-th highest."""
        if self.count >= len(self.of):
            return (self.of,)
        threshold = sorted((int(face) for face in faces), reverse=True)[self.count - 1]
        return (tuple(n for n, face in zip(self.of, faces, strict=True) if int(face) >= threshold),)


@lru_cache(maxsize=1024)
def _selection_space(sides: int, names: tuple[str, ...], count: int) -> Weighted:
    if count >= len(names):
        return (((names,), sides ** len(names)),)
    space: list[tuple[Outcome, int]] = []
    for mask in range(1, 1 << len(names)):
        chosen = tuple(name for i, name in enumerate(names) if mask >> i & 1)
        size = len(chosen)
        if size < count:
            continue
        # With the count-th highest at ``t``: fewer than ``count`` chosen lie above it, the others
        # lie below.
        weight = sum(
            (t - 1) ** (len(names) - size)
            * sum(comb(size, j) * (sides - t) ** j for j in range(count))
            for t in range(1, sides + 1)
        )
        if weight:
            space.append(((chosen,), weight))
    return tuple(space)


Reader = Callable[[int], tuple[int, bool]]


Deck = tuple[tuple[Face, int], ...]
"""A deck by the kinds of its cards, each with how many there are; it has no order."""
Out = tuple[tuple[tuple[Face, ...], int], ...]
"""Cards that are out of a deck: of which kinds they may be (none named: of any), and how many such."""
Counts = tuple[int, ...]


@lru_cache(maxsize=4096)
def next_card(deck: Deck, out: Out) -> Mapping[Face, int]:
    """Return how likely the next card is of each kind, as whole numbers.

    It counts in how many ways all that is known of the cards that are out can have come about.
    Raises ``ChanceError`` where no card is left, more are out than there are, or a count is no
    whole number from 1 on.
    """
    if wrong := [
        f"{count!r} of {kind!r}" for kind, count in deck if type(count) is not int or count < 1
    ]:
        raise ChanceError(f"a deck cannot hold {', '.join(wrong)}")
    # What is told most exactly comes first, so that like groups stand together; what is told of
    # most cards comes last.
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
        raise ChanceError(
            f"no card can be drawn: {sum(count for _, count in out)} of {groups.total()} are out already"
        )
    return {kind: weight // divisor for kind, weight in found.items()}


def _ways_of_next(
    groups: Mapping[tuple[bool, ...], int], needs: Counts
) -> Mapping[tuple[bool, ...], int]:
    """Return for each group in how many ways a card of it comes next, the n-th of some sets taken where n is true.

    Group after group is shared out; of a set that is taken from many cards only how many of these
    are gone is followed, since it may take any of what is left at the end.
    """
    order = sorted(groups.items(), reverse=True)
    largest = sorted(range(len(needs)), key=lambda n: -needs[n])
    late = (
        largest[:1]
        + [n for n in largest[1:] if not any(g[n] and g[largest[0]] for g in groups)][:1]
    )
    sets = range(len(needs))
    room = [
        [sum(cards for group, cards in order[at:] if group[n]) for n in sets]
        for at in range(len(order) + 1)
    ]

    def shared(
        at: int, cards: int, left: Counts, gone: Counts, more: int
    ) -> Iterator[tuple[int, Counts, Counts]]:
        group, after = order[at][0], room[at + 1]
        open_ = [n for n, need in enumerate(left) if need and group[n]]
        for taken in product(
            *(range(max(0, left[n] - after[n]), min(left[n], cards) + 1) for n in open_)
        ):
            several, free, rest = 1, cards, list(left)
            for n, count in zip(open_, taken, strict=True):
                several *= comb(max(0, free), count)
                free -= count
                rest[n] -= count
            if several:
                now = tuple(
                    n + (cards - free + more) * group[m] for n, m in zip(gone, late, strict=True)
                )
                yield several, tuple(rest), now

    @cache
    def ways_from(at: int, left: Counts, gone: Counts) -> int:
        if at == len(order):
            return prod(
                comb(max(0, room[0][n] - used), needs[n])
                for n, used in zip(late, gone, strict=True)
            )
        return sum(
            several * ways_from(at + 1, *then)
            for several, *then in shared(at, order[at][1], left, gone, 0)
        )

    found: Counter[tuple[bool, ...]] = Counter()
    before = {
        (tuple(0 if n in late else need for n, need in enumerate(needs)), (0,) * len(late)): 1
    }
    for at, (group, cards) in enumerate(order):
        after: Counter[tuple[Counts, Counts]] = Counter()
        for state, ways in before.items():
            for several, *then in shared(at, cards - 1, *state, 1):
                found[group] += ways * several * ways_from(at + 1, *then)
            for several, rest, gone in shared(at, cards, *state, 0):
                after[rest, gone] += ways * several
        before = after
    return found
