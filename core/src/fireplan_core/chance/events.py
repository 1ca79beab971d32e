"""Chance events: throws of dice, draws from a pile or deck, folds of many dice, random selection.

For play, an event lists the faces that must be supplied (``faces``) and turns them into one outcome
(``read``). For the exact driver, it lists all outcomes with integer weights (``space``).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from itertools import product
from math import comb, gcd, prod
from typing import Any, ClassVar, Protocol

import attrs

RollOutcome = tuple[Any, ...]
Face = int | str
Weighted = tuple[tuple[RollOutcome, int], ...]


class ChanceError(Exception):
    """An error for a wrong use of chance in a game, or for a face that cannot come up."""


@attrs.frozen
class Die:
    """A die with equally likely integer faces from ``lowest`` to ``lowest + sides - 1``.

    >>> list(Die(4, lowest=0).faces)
    [0, 1, 2, 3]
    """

    sides: int
    lowest: int = 1

    def __attrs_post_init__(self) -> None:
        if type(self.sides) is not int or type(self.lowest) is not int or self.sides < 1:
            raise ChanceError(
                f"expected a die with at least 1 side and a whole lowest face, got {self.sides!r} sides"
                f" from {self.lowest!r} up"
            )

    @property
    def faces(self) -> range:
        """All faces of the die, lowest first."""
        return range(self.lowest, self.lowest + self.sides)


d6 = Die(6)
d10 = Die(10, lowest=0)


@attrs.frozen
class Faces:
    """The possible faces of one die or chit: its label, and each face with its integer weight."""

    label: str
    weights: tuple[tuple[Face, int], ...]


class ChanceEvent(Protocol):
    """A chance event in a step, such as a throw or a draw."""

    @property
    def name(self) -> str:
        """The name of the roll, under which modifiers are registered."""

    @property
    def seen_by(self) -> str:
        """The only side that sees the result, or "" if all sides see it."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the readings, in the order of the entries in an outcome."""

    @property
    def faces(self) -> tuple[Faces, ...]:
        """The possible faces of each die or chit to supply, in order."""

    @property
    def space(self) -> Weighted:
        """All possible outcomes with their integer weights."""

    def read(self, faces: tuple[Face, ...]) -> RollOutcome:
        """Return the outcome, an entry of ``space``, for one face of each of ``self.faces``."""


@lru_cache(maxsize=256)
def _dice_space(dice: tuple[Die, ...]) -> Weighted:
    return tuple((faces, 1) for faces in product(*(die.faces for die in dice)))


@lru_cache(maxsize=256)
def _dice_faces(dice: tuple[tuple[str, Die], ...]) -> tuple[Faces, ...]:
    return tuple(Faces(label, tuple((face, 1) for face in die.faces)) for label, die in dice)


@attrs.frozen
class Throw:
    """A throw of one or more dice, each with its own name.

    >>> throw = Throw("contact", (("coloured", d6), ("white", d6)))
    >>> len(throw.space)
    36
    """

    name: str
    dice: tuple[tuple[str, Die], ...]
    seen_by: ClassVar[str] = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the dice, in order."""
        return tuple(label for label, _ in self.dice)

    @property
    def faces(self) -> tuple[Faces, ...]:
        """The possible faces of each die, in order."""
        return _dice_faces(self.dice)

    @property
    def space(self) -> Weighted:
        """All combinations of faces, each with weight 1."""
        return _dice_space(tuple(die for _, die in self.dice))

    def read(self, faces: tuple[Face, ...]) -> RollOutcome:
        """Return the faces, which are the outcome of a throw."""
        return faces


@attrs.frozen
class FromDeck:
    """The source of a card: the name of its deck, and the cards that are out of the deck.

    If ``looked_at``, the card is already out and has one of the kinds in ``of``. If the card goes
    into a hand, ``seen_by`` is the only side that sees it. Without a name, the draw is from no
    deck: ``FromDeck(seen_by=side)`` hides the result of a die or chit from the other sides.
    """

    name: str = ""
    out: tuple[tuple[tuple[Face, ...], int], ...] = ()
    looked_at: bool = False
    of: tuple[Face, ...] = ()
    seen_by: str = ""


@attrs.frozen
class Draw:
    """A blind draw of a chit or card from an unordered pile with a count for each kind.

    >>> Draw("battery access", (("red", 2), ("black", 5))).space
    ((('red',), 2), (('black',), 5))
    """

    name: str
    counts: tuple[tuple[Face, int], ...]
    card: FromDeck | None = None
    labels: ClassVar[tuple[str, ...]] = ("chit",)

    @property
    def seen_by(self) -> str:
        """The only side that sees the result, or "" if all sides see it."""
        return self.card.seen_by if self.card else ""

    @property
    def deck(self) -> str:
        """The deck that the card comes from, or "" for a draw from no deck."""
        return self.card.name if self.card else ""

    @property
    def faces(self) -> tuple[Faces, ...]:
        """The kinds still in the pile, as the faces of a single chit or card."""
        remaining = tuple((kind, count) for kind, count in self.counts if count > 0)
        return (Faces("card" if self.deck else "chit", remaining),)

    @property
    def space(self) -> Weighted:
        """All kinds still in the pile, weighted by their counts."""
        return tuple(((kind,), count) for kind, count in self.counts if count > 0)

    def read(self, faces: tuple[Face, ...]) -> RollOutcome:
        """Return the outcome of a draw: a tuple with the kind of the chit."""
        return faces


@lru_cache(maxsize=1_000)
def _sums(groups: tuple[tuple[int, tuple[tuple[int, bool], ...]], ...]) -> Weighted:
    """Return the outcomes ``(sum, any)`` of groups of dice, each with its number of combinations.

    A group is a number of dice and, for each face, its value and whether it sets the flag.
    """
    # The distribution of a sum of identical dice is a power of a polynomial. If one integer
    # stores all coefficients in bit fields, the power takes only a few multiplications.
    sides = len(groups[0][1]) if groups else 1
    bits = (sides ** sum(count for count, _ in groups)).bit_length() + 1
    all_ways = without = 1
    lowest = 0
    for count, adds in groups:
        least = min(add for add, _ in adds)
        lowest += count * least
        all_ways *= sum(1 << bits * (add - least) for add, _ in adds) ** count
        without *= sum(1 << bits * (add - least) for add, flag in adds if not flag) ** count
    outcomes: list[tuple[RollOutcome, int]] = []
    mask = (1 << bits) - 1
    for add in range(lowest, lowest + all_ways.bit_length() // bits + 1):
        whole, none = all_ways & mask, without & mask
        all_ways >>= bits
        without >>= bits
        outcomes.extend(
            ((add, flag), weight)
            for flag, weight in ((False, none), (True, whole - none))
            if weight
        )
    return tuple(outcomes)


def deck_of(event: ChanceEvent) -> str:
    """Return a draw's deck, or the name of its roll if it has no deck; "" for any other event.

    >>> deck_of(Draw("access", (("red", 2), ("black", 5))))
    'access'
    """
    if not isinstance(event, Draw):
        return ""
    return event.deck or event.name


@attrs.frozen(eq=False, repr=False)
class Fold:
    """A throw of many dice of one kind, whose faces have values and may set a flag.

    The outcome is the pair of the sum and whether any die set the flag. ``groups`` contains pairs
    of a number of dice and a mapping from face to ``(value, whether it sets the flag)``. The space
    is computed by convolution, so it has only as many outcomes as there are distinct totals.
    ``added`` lists the modifiers that the values of each group already include, for showing them to
    players.

    >>> wounds = {face: (int(face >= 5), False) for face in d6.faces}
    >>> Fold("wounds", d6, ((2, wounds),)).space
    (((0, False), 16), ((1, False), 16), ((2, False), 4))
    """

    name: str
    die: Die
    groups: tuple[tuple[int, Mapping[int, tuple[int, bool]]], ...]
    added: tuple[int, ...] = ()
    seen_by: ClassVar[str] = ""
    labels: ClassVar[tuple[str, ...]] = ("add", "any")

    @property
    def faces(self) -> tuple[Faces, ...]:
        """The possible faces of each die, in order; dice are labelled with numbers from 1."""
        weights = tuple((face, 1) for face in self.die.faces)
        return tuple(
            Faces(f"{self.name} {n + 1}", weights) for n in range(sum(n for n, _ in self.groups))
        )

    @cached_property
    def space(self) -> Weighted:
        """All possible ``(sum, any)`` outcomes with integer weights out of ``sides ** dice``."""
        return _sums(
            tuple(
                (count, tuple(reading[face] for face in self.die.faces))
                for count, reading in self.groups
            )
        )

    def total_of(self, face: int) -> int | None:
        """Return a face's modified total, or None unless the throw is one die with modifiers."""
        single = self.added and sum(count for count, _ in self.groups) == 1
        return face + self.added[0] if single else None

    def read(self, faces: tuple[Face, ...]) -> RollOutcome:
        """Return the sum for these faces, and whether any flag is set."""
        readings = [reading for count, reading in self.groups for _ in range(count)]
        read = [reading[int(face)] for reading, face in zip(readings, faces, strict=True)]
        return (sum(add for add, _ in read), any(flag for _, flag in read))


@attrs.frozen
class Selection:
    """A random selection, in which each name rolls a die and the highest rolls are chosen.

    If several names tie at the lowest chosen value, all of them are chosen, so ``count`` is a
    minimum. The chosen names keep their order.

    >>> Selection("unit hit", d6, ("t1", "t2", "t3"), 1).read((2, 6, 5))
    (('t2',),)
    """

    name: str
    die: Die
    of: tuple[str, ...]
    count: int
    seen_by: ClassVar[str] = ""
    labels: ClassVar[tuple[str, ...]] = ("chosen",)

    @property
    def faces(self) -> tuple[Faces, ...]:
        """The possible faces of the die that each name rolls, in the order of the names."""
        weights = tuple((face, 1) for face in self.die.faces)
        return tuple(Faces(name, weights) for name in self.of)

    @property
    def space(self) -> Weighted:
        """All possible tuples of chosen names, with integer weights out of ``sides ** names``."""
        return _selection_space(self.die.sides, self.of, self.count)

    def read(self, faces: tuple[Face, ...]) -> RollOutcome:
        """Return the outcome: the names with the ``count`` highest dice, ties included."""
        if self.count >= len(self.of):
            return (self.of,)
        threshold = sorted((int(face) for face in faces), reverse=True)[self.count - 1]
        return (tuple(n for n, face in zip(self.of, faces, strict=True) if int(face) >= threshold),)


@lru_cache(maxsize=1024)
def _selection_space(sides: int, names: tuple[str, ...], count: int) -> Weighted:
    if count >= len(names):
        return (((names,), sides ** len(names)),)
    space: list[tuple[RollOutcome, int]] = []
    for mask in range(1, 1 << len(names)):
        chosen = tuple(name for i, name in enumerate(names) if mask >> i & 1)
        size = len(chosen)
        if size < count:
            continue
        # If the count-th highest die shows ``t``, fewer than ``count`` of the chosen names are
        # above ``t``, and all names that are not chosen are below it.
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
"""An unordered deck: the kinds of its cards, each with its count."""
Out = tuple[tuple[tuple[Face, ...], int], ...]
"""The cards out of a deck: groups of the kinds that a card may have, each with a count.

An empty group means that the card may be of any kind.
"""
Counts = tuple[int, ...]


@lru_cache(maxsize=4096)
def next_card(deck: Deck, out: Out) -> Mapping[Face, int]:
    """Return the weight of each kind as the next card, as integers without a common divisor.

    A weight counts the possible arrangements of the partly known cards that are out of the deck.
    Raises ``ChanceError`` if no card is left, more cards are out than exist, or a count in the deck
    is below 1.

    >>> dict(next_card((("red", 2), ("black", 5)), out=((("red",), 1),)))
    {'red': 1, 'black': 5}
    """
    if invalid := [
        f"{count!r} of {kind!r}" for kind, count in deck if type(count) is not int or count < 1
    ]:
        raise ChanceError(
            f"a deck cannot hold {', '.join(invalid)}; counts are whole numbers from 1 up"
        )
    # Sort the smallest sets of kinds first, so that ``_ways_of_next`` handles similar groups one
    # after another.
    ranked = sorted((entry for entry in out if entry[0]), key=lambda entry: len(entry[0]))
    group_of = {kind: tuple(kind in names for names, _ in ranked) for kind, _ in deck}
    groups: Counter[tuple[bool, ...]] = Counter()
    for kind, count in deck:
        groups[group_of[kind]] += count
    # Completely unknown cards do not change the weights, as long as a card remains in the deck.
    enough = sum(count for _, count in out) < groups.total()
    ways = _ways_of_next(groups, tuple(count for _, count in ranked)) if enough else Counter()
    weights = {kind: count * ways[group_of[kind]] for kind, count in deck}
    divisor = gcd(*weights.values())
    if not divisor:
        raise ChanceError(
            f"no card can be drawn: {sum(count for _, count in out)} of {groups.total()} are out already"
        )
    return {kind: weight // divisor for kind, weight in weights.items()}


def _ways_of_next(
    groups: Mapping[tuple[bool, ...], int], needs: Counts
) -> Mapping[tuple[bool, ...], int]:
    """Return, for each group of cards, the number of ways in which one of its cards comes next.

    Each set of cards out of the deck may be drawn from some groups; set n has ``needs[n]`` cards. A
    group is a tuple of flags, one for each set, that tell whether its cards may belong to that set.
    The groups are distributed one after the other. For the largest sets, only the number of cards
    already used is tracked, because they may take any cards that remain at the end.
    """
    order = sorted(groups.items(), reverse=True)
    largest = sorted(range(len(needs)), key=lambda n: -needs[n])
    late = (
        largest[:1]
        + [n for n in largest[1:] if not any(g[n] and g[largest[0]] for g in groups)][:1]
    )
    sets = range(len(needs))
    room = [
        [sum(cards for group, cards in order[index:] if group[n]) for n in sets]
        for index in range(len(order) + 1)
    ]

    def shared(
        index: int, cards: int, open_needs: Counts, spent: Counts, drawn: int
    ) -> Iterator[tuple[int, Counts, Counts]]:
        group, after = order[index][0], room[index + 1]
        open_sets = [n for n, need in enumerate(open_needs) if need and group[n]]
        for counts_taken in product(
            *(
                range(max(0, open_needs[n] - after[n]), min(open_needs[n], cards) + 1)
                for n in open_sets
            )
        ):
            ways_here, free, needs_after = 1, cards, list(open_needs)
            for n, count in zip(open_sets, counts_taken, strict=True):
                ways_here *= comb(max(0, free), count)
                free -= count
                needs_after[n] -= count
            if ways_here:
                spent_after = tuple(
                    n + (cards - free + drawn) * group[m] for n, m in zip(spent, late, strict=True)
                )
                yield ways_here, tuple(needs_after), spent_after

    @cache
    def ways_from(index: int, open_needs: Counts, spent: Counts) -> int:
        if index == len(order):
            return prod(
                comb(max(0, room[0][n] - count_spent), needs[n])
                for n, count_spent in zip(late, spent, strict=True)
            )
        return sum(
            ways_here * ways_from(index + 1, *successor)
            for ways_here, *successor in shared(index, order[index][1], open_needs, spent, 0)
        )

    totals: Counter[tuple[bool, ...]] = Counter()
    before = {
        (tuple(0 if n in late else need for n, need in enumerate(needs)), (0,) * len(late)): 1
    }
    for index, (group, cards) in enumerate(order):
        after: Counter[tuple[Counts, Counts]] = Counter()
        for state, ways in before.items():
            for ways_here, *successor in shared(index, cards - 1, *state, 1):
                totals[group] += ways * ways_here * ways_from(index + 1, *successor)
            for ways_here, needs_after, spent in shared(index, cards, *state, 0):
                after[needs_after, spent] += ways * ways_here
        before = after
    return totals
