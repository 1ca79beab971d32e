"""Decks in play: any part may draw their cards, hold them in a hand, discard and shuffle them."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from fireplan_core.chance import Chance, Deck, FromDeck, Out, next_card
from fireplan_core.record import ProcedureError
from fireplan_core.steps.effects import Effects, update
from fireplan_core.steps.view import View

K = TypeVar("K", bound=Hashable)
DISCARDS = "discards"
"""The default pile for drawn cards; a shuffle returns its cards to the deck."""
Kinds = tuple[Any, ...]
Card = tuple[str, Kinds]


class Cards:
    """A deck of the table, as used in a step: ``Cards(view, "fate")``.

    A deck belongs to no single part. Parts name their decks in ``decks``, and any step may draw
    from a deck. For a card that is out, the state records only the facts that rules have asked
    about. If strikes draw cards, the resolution part must set ``places_apart = False``. Raises
    ``ProcedureError`` for an unknown deck.

    >>> from fireplan_core.chance import Chart, explore
    >>> from fireplan_core.space import PlaneFrame
    >>> class Guns(Areas):
    ...     def frame(self):
    ...         return PlaneFrame()
    >>> staging = Staging("A drill", Guns("my_game", {}, {}))
    >>> counts = {(1, "cards"): "3", (2, "cards"): "5"}
    >>> staging.deck("fate", Chart("fate", (1, 2), ("cards",), counts, "printed"))
    >>> view = View({}.get, staging.setup(Clock.even(2, "turn")), "delays")
    >>> draws = explore(lambda chance: Cards(view, "fate").draw(chance, "radio", lambda n: n == 2))
    >>> [(weight, total, high) for weight, total, (high, effects), chance in draws]
    [(3, 8, False), (5, 8, True)]
    """

    def __init__(self, view: View, name: str) -> None:
        if name not in view.scenario.decks:
            raise ProcedureError(
                f"no deck {name!r} is staged; the table has {', '.join(view.scenario.decks) or 'none'}"
            )
        self.name = name
        self.deck: Deck = view.scenario.decks[name]
        self._record = view.decks()
        self._out = self._record.out
        self._hands = view.scenario.hands

    def pile(self, pile: str) -> tuple[tuple[Kinds, int], ...]:
        """Return the cards in a pile, as pairs of the kinds that a card may have and a count."""
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
        """Draw a card into a pile; return ``asks(kind)`` and the effects of the draw.

        If ``source`` is given, the card is taken from a pile instead of the deck; ``source`` is the
        pile and the card's possible kinds. ``asks`` may use ``chance.drm(roll)``. If the deck is
        empty, its discards are first shuffled into it. A card drawn into a hand is seen only by
        that hand's side. Raises ``ChanceError`` if there are no cards, and ``ProcedureError`` if
        the pile contains no such card.
        """
        counts = self._counts() if source is None else self._without(*source)
        if source is None and counts.total() == sum(count for _, count in self.deck):
            counts = self._shuffled()
        among = source[1] if source else ()
        weights = {
            k: weight
            for k, weight in next_card(self.deck, out_cards(counts)).items()
            if not among or k in among
        }
        seen_by = self._hands.get((self.name, into), "")
        card = FromDeck(self.name, out_cards(counts), source is not None, among, seen_by)
        answer = chance.draw(roll, weights, card).look_up(asks)
        kinds = tuple(
            kind for kind, _ in self.deck if asks(kind) == answer and (not among or kind in among)
        )
        counts[into, kinds if len(kinds) < len(self.deck) else ()] += 1
        return answer, self._with_counts(counts)

    def move(self, pile: str, kinds: Kinds, *, into: str | None = DISCARDS) -> Effects:
        """Return the effects of moving a card from ``pile`` to another pile.

        If ``into`` is None, the card goes back into the deck. Raises ``ProcedureError`` if the pile
        contains no such card.
        """
        counts = self._without(pile, kinds)
        if into is not None:
            counts[into, kinds] += 1
        return self._with_counts(counts)

    def shuffle(self) -> Effects:
        """Return the effects of shuffling the discards into the deck.

        Other piles do not change.
        """
        return self._with_counts(self._shuffled())

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

    def _with_counts(self, counts: Counter[Card]) -> Effects:
        others = [entry for entry in self._out if entry[0] != self.name]
        own = [(self.name, pile, kinds, count) for (pile, kinds), count in counts.items()]
        return Effects(update(self._record, out=tuple(sorted((*others, *own)))))


def out_cards(counts: Mapping[tuple[Any, Kinds], int]) -> Out:
    """Return the cards out of a deck: pairs of the kinds that a card may have and a count."""
    by_kinds: Counter[Kinds] = Counter()
    for (_, kinds), count in counts.items():
        by_kinds[kinds] += count
    return tuple(sorted(by_kinds.items()))
