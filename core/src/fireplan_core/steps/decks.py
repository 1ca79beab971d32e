"""Decks in play: neutral piles of cards that every part may draw from, hold in a hand, and shuffle again."""

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from fireplan_core.chance import Chance, Deck, FromDeck, Out, next_card
from fireplan_core.record import ProcedureError
from fireplan_core.steps.effects import Effects, update
from fireplan_core.steps.view import View

K = TypeVar("K", bound=Hashable)
DISCARDS = "discards"
"""The pile that a card goes to unless a rule says otherwise.

A shuffle takes it back into the deck.
"""
Kinds = tuple[Any, ...]
Card = tuple[str, Kinds]


class Cards:
    """A deck of the table as a step finds it: ``Cards(view, "fate")``.

    A deck belongs to no part. Parts name it (``decks``), any step may draw from it, and of a card
    that is out no more is kept than was asked of it. Where strikes draw, the resolution says
    ``places_apart = False``. Raises ``ProcedureError`` for a deck that nobody has staged.
    """

    def __init__(self, view: View, name: str) -> None:
        if name not in view.scenario.decks:
            raise ProcedureError(
                f"no deck {name!r} is staged; there are {', '.join(view.scenario.decks) or 'none'}"
            )
        self.name = name
        self.deck: Deck = view.scenario.decks[name]
        self._record = view.decks()
        self._out = self._record.out
        self._hands = view.scenario.hands

    def pile(self, pile: str) -> tuple[tuple[Kinds, int], ...]:
        """Return what is known of a pile (a hand, the discards): of which kinds its cards may be, and how many such."""
        return tuple(
            (kinds, count)
            for deck, of, kinds, count in self._out
            if (deck, of) == (self.name, pile)
        )

    def draw(
        self,
        chance: Chance,
        roll: str,
        asks: Callable[[Any], K],
        *,
        into: str = DISCARDS,
        source: Card | None = None,
    ) -> tuple[K, Effects]:
        """Draw a card, or take one of a pile, and ask of its kind.

        Return the answer, and the card put into a pile.

        ``source`` is the pile, and what is known of the card. ``asks`` may use ``chance.drm(roll)``. An empty deck is
        shuffled with its discards first; what is drawn into a hand its side alone sees. Raises ``ChanceError`` where
        there are no cards, ``ProcedureError`` where the pile holds no such card.
        """
        counts = self._counts() if source is None else self._without(*source)
        if source is None and counts.total() == sum(count for _, count in self.deck):
            counts = self._shuffled()
        among = source[1] if source else ()
        weights = {
            k: weight
            for k, weight in next_card(self.deck, _known(counts)).items()
            if not among or k in among
        }
        seen_by = self._hands.get((self.name, into), "")
        card = FromDeck(self.name, _known(counts), source is not None, among, seen_by)
        answer = chance.draw(roll, weights, card).look_up(asks)
        kinds = tuple(
            kind for kind, _ in self.deck if asks(kind) == answer and (not among or kind in among)
        )
        counts[into, kinds if len(kinds) < len(self.deck) else ()] += 1
        return answer, self._kept(counts)

    def move(self, pile: str, kinds: Kinds, *, into: str | None = DISCARDS) -> Effects:
        """Put such a card of a pile into another, or back into the deck (None).

        ``ProcedureError`` if there is none.
        """
        counts = self._without(pile, kinds)
        if into is not None:
            counts[into, kinds] += 1
        return self._kept(counts)

    def shuffle(self) -> Effects:
        """Return the deck with its discards shuffled in; what is in other piles stays there."""
        return self._kept(self._shuffled())

    def _shuffled(self) -> Counter[Card]:
        return Counter(
            {card: count for card, count in self._counts().items() if card[0] != DISCARDS}
        )

    def _counts(self) -> Counter[Card]:
        return Counter(
            {(pile, kinds): count for deck, pile, kinds, count in self._out if deck == self.name}
        )

    def _without(self, pile: str, kinds: Kinds) -> Counter[Card]:
        counts = self._counts()
        if not counts[pile, kinds]:
            raise ProcedureError(
                f"{self.name}: there is no card of {kinds or 'any kind'} in {pile!r}"
            )
        counts[pile, kinds] -= 1
        return +counts

    def _kept(self, counts: Counter[Card]) -> Effects:
        others = [entry for entry in self._out if entry[0] != self.name]
        own = [(self.name, pile, kinds, count) for (pile, kinds), count in counts.items()]
        return Effects(update(self._record, out=tuple(sorted((*others, *own)))))


def _known(counts: Counter[Card]) -> Out:
    found: Counter[Kinds] = Counter()
    for (_, kinds), count in counts.items():
        found[kinds] += count
    return tuple(sorted(found.items()))
