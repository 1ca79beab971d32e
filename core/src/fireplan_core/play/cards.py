"""Cards that have fallen at a table: the state keeps of one what rules asked of it, whoever plays has seen its face.

So a face of which all cards are out cannot fall again, and dice of a seed draw from the cards that
are really left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from fireplan_core.chance import Deck, Face, FromDeck, next_card

Kinds = tuple[Any, ...]
Lots = Counter[tuple[Kinds, Kinds]]
"""The cards of a deck that are out: of which kinds by the state, of which as far as was seen (one: its face)."""
OUT = "shared/out"


class Dealt:
    """The cards of all decks of a table that are out, as seen in play.

    Never changed, each change answers another.
    """

    def __init__(self, decks: Mapping[str, Deck], lots: Mapping[str, Lots] | None = None) -> None:
        self.decks = decks
        self._lots = dict(lots or {})

    @property
    def seen(self) -> frozenset[Any]:
        """Return all that is known of the cards that are out."""
        return frozenset(
            (name, *entry) for name, lots in self._lots.items() for entry in lots.items()
        )

    def after(self, out: Iterable[tuple[str, str, Kinds, int]], face: Face | None = None) -> Dealt:
        """Return what is known when so many cards are out, and the last one was seen to be of this face.

        Of cards that are like by the state it is not known which went back into the deck, if some
        did and some did not.
        """
        counts: dict[str, Counter[Kinds]] = {name: Counter() for name in self.decks}
        for deck, _, kinds, count in out:
            counts[deck][kinds] += count
        return Dealt(
            self.decks, {name: self._followed(name, now, face) for name, now in counts.items()}
        )

    def weights(self, wanted: FromDeck) -> tuple[tuple[Face, int], ...]:
        """Return how likely each face is that a draw may show, by the cards that are really left."""
        if not wanted.looked_at:
            lots = self._followed(wanted.name, Counter(dict(wanted.out)), None)
            return tuple(next_card(self.decks[wanted.name], _seen(lots)).items())
        lots = self._lots.get(wanted.name, Counter())
        among = {seen: count for (kinds, seen), count in lots.items() if kinds == wanted.of}
        if all(len(seen) == 1 for seen in among):
            return tuple(sorted((seen[0], count) for seen, count in among.items()))
        lots = _without(lots, wanted.of, 1)
        (seen,) = {seen for kinds, seen in lots if kinds == wanted.of} or among
        found = next_card(self.decks[wanted.name], _seen(lots))
        return tuple((face, weight) for face, weight in found.items() if not seen or face in seen)

    def _followed(self, name: str, now: Counter[Kinds], face: Face | None) -> Lots:
        lots = self._lots.get(name, Lots())
        before: Counter[Kinds] = Counter()
        for (kinds, _), count in lots.items():
            before[kinds] += count
        for kinds, count in (before - now).items():
            lots = _without(lots, kinds, count, face)
        more = Lots(
            {
                (kinds, kinds if face is None else (face,)): count
                for kinds, count in (now - before).items()
            }
        )
        return lots + more


def _without(lots: Lots, kinds: Kinds, count: int, face: Face | None = None) -> Lots:
    """Return cards without so many that are like by the state: the one of this face, else any of them."""
    like = {seen: number for (of, seen), number in lots.items() if of == kinds}
    if (face,) in like:
        return lots - Lots({(kinds, (face,)): count})
    others = Lots({entry: number for entry, number in lots.items() if entry[0] != kinds})
    either = () if () in like else tuple(sorted({one for seen in like for one in seen}))
    return others + Lots({(kinds, either): sum(like.values()) - count})


def _seen(lots: Lots) -> tuple[tuple[Kinds, int], ...]:
    found: Counter[Kinds] = Counter()
    for (_, seen), count in lots.items():
        found[seen] += count
    return tuple(sorted(found.items()))
