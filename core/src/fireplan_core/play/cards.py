"""The faces of the cards drawn at a table.

For each card, the state records only the facts that rules have asked about, but players have seen
the card's face. This module tracks the faces, so that no card is drawn twice and random draws come
from the cards that remain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from fireplan_core.chance import Deck, Face, FromDeck, next_card
from fireplan_core.steps.decks import out_cards

Kinds = tuple[Any, ...]
Lots = Counter[tuple[Kinds, Kinds]]
"""Counts the cards out of a deck by their possible kinds, in the state and as players saw them."""
OUT = "shared/out"


class Dealt:
    """The cards drawn from a table's decks, and the faces that players have seen; immutable."""

    def __init__(self, decks: Mapping[str, Deck], lots: Mapping[str, Lots] | None = None) -> None:
        self.decks = decks
        self._lots = dict(lots or {})

    @property
    def seen(self) -> frozenset[Any]:
        """The known faces of the cards that are out, as a set of (deck, (kinds, face), count)."""
        return frozenset(
            (name, *entry) for name, lots in self._lots.items() for entry in lots.items()
        )

    def after(self, out: Iterable[tuple[str, str, Kinds, int]], face: Face | None = None) -> Dealt:
        """Return the cards after a change of the state, given the face of the last card drawn.

        ``out`` lists the cards that are now out of their decks. If only some of the cards that the
        state cannot tell apart went back into the deck, their faces become uncertain.
        """
        counts = self._counts(out)
        return Dealt(
            self.decks, {name: self._updated(name, now, face) for name, now in counts.items()}
        )

    def known(self, out: Iterable[tuple[str, str, Kinds, int]]) -> Dealt:
        """Return these cards as known to a player who has seen only the cards in ``out``.

        The face of a card stays known only if every card that the state cannot tell from it was
        seen.
        """
        counts = self._counts(out)
        lots: dict[str, Lots] = {}
        for name, now in counts.items():
            all_seen = {kinds for kinds, count in self._before(name).items() if now[kinds] == count}
            kept = {key: n for key, n in self._lots.get(name, {}).items() if key[0] in all_seen}
            rest = {(kinds, kinds): n for kinds, n in now.items() if kinds not in all_seen}
            lots[name] = Lots({**kept, **rest})
        return Dealt(self.decks, lots)

    def weights(self, card: FromDeck) -> tuple[tuple[Face, int], ...]:
        """Return each face that a draw may show, with its weight among the remaining cards.

        ``card`` describes the draw: from a deck, or of a card that is already out (``looked_at``).
        """
        if not card.looked_at:
            lots = self._updated(card.name, Counter(dict(card.out)), None)
            return tuple(next_card(self.decks[card.name], out_cards(lots)).items())
        lots = self._lots.get(card.name, Counter())
        among = {seen: count for (kinds, seen), count in lots.items() if kinds == card.of}
        if all(len(seen) == 1 for seen in among):
            return tuple(sorted((seen[0], count) for seen, count in among.items()))
        lots = _without(lots, card.of, 1)
        (seen,) = {seen for kinds, seen in lots if kinds == card.of} or among
        weights = next_card(self.decks[card.name], out_cards(lots))
        return tuple((face, weight) for face, weight in weights.items() if not seen or face in seen)

    def _counts(self, out: Iterable[tuple[str, str, Kinds, int]]) -> dict[str, Counter[Kinds]]:
        """Return the number of cards out of each deck, by deck and by their possible kinds."""
        counts: dict[str, Counter[Kinds]] = {name: Counter() for name in self.decks}
        for deck, _, kinds, count in out:
            counts[deck][kinds] += count
        return counts

    def _before(self, name: str) -> Counter[Kinds]:
        """Return the number of cards out of a deck at the last change, by their possible kinds."""
        before: Counter[Kinds] = Counter()
        for (kinds, _), count in self._lots.get(name, Lots()).items():
            before[kinds] += count
        return before

    def _updated(self, name: str, now: Counter[Kinds], face: Face | None) -> Lots:
        lots, before = self._lots.get(name, Lots()), self._before(name)
        for kinds, count in (before - now).items():
            lots = _without(lots, kinds, count, face)
        added = Lots(
            {
                (kinds, kinds if face is None else (face,)): count
                for kinds, count in (now - before).items()
            }
        )
        return lots + added


def _without(lots: Lots, kinds: Kinds, count: int, face: Face | None = None) -> Lots:
    """Return the cards that remain after removing ``count`` cards of these kinds.

    A card with this face is removed if there is one. Otherwise it is not known which cards are
    removed, so the faces of those that remain become uncertain.
    """
    counts = {seen: number for (of, seen), number in lots.items() if of == kinds}
    if (face,) in counts:
        return lots - Lots({(kinds, (face,)): count})
    others = Lots({entry: number for entry, number in lots.items() if entry[0] != kinds})
    either = () if () in counts else tuple(sorted({face for faces in counts for face in faces}))
    return others + Lots({(kinds, either): sum(counts.values()) - count})
