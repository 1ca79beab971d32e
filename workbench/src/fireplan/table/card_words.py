"""Cards and chits in words, by their printed names."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fireplan.table.plain_words import plain
from fireplan_core import CardFace, Scenario
from fireplan_core.chance import ChanceEvent, Face, deck_of


class CardWords:
    """A converter of a scenario's cards to words.

    ``said(name, value)`` returns the value of a sentence's field in words.
    """

    def __init__(self, scenario: Scenario, said: Callable[[str, Any], str]) -> None:
        self._scenario, self._sentences, self._said = scenario, scenario.sentences, said
        self._in_roll: dict[tuple[str, str], Mapping[Face, tuple[str, ...]]] = {}

    def face(self, event: ChanceEvent, face: Face) -> str:
        """Return a face of a throw as players name it: a card by its printed name."""
        card = self.printed(event).get(face)
        return str(face) if card is None else self.names(card, event.name)[-1]

    def faces(self, event: ChanceEvent | None, faces: Iterable[Face]) -> list[str]:
        """Return the faces of a throw as players name them.

        Without an ``event``, return them as plain text.
        """
        return [str(face) if event is None else self.face(event, face) for face in faces]

    def printed(self, event: ChanceEvent) -> Mapping[Face, CardFace]:
        """Map each card of a draw to its printed face; empty if the game lists none."""
        return self._scenario.printed.get(deck_of(event), {})

    def of_deck(self, deck: str, faces: Iterable[Face]) -> list[str]:
        """Return the printed names of these cards of a deck, each name once."""
        cards = self._scenario.printed.get(deck, {})
        names = (self.text(cards[face]) if face in cards else str(face) for face in faces)
        return list(dict.fromkeys(names))

    def rolled(self, roll: str, deck: str, faces: Iterable[str]) -> str:
        """Return the faces of a past throw in words, separated by spaces.

        Cards of ``deck`` have their printed names for this roll.
        """
        cards = {str(face): card for face, card in self._scenario.printed.get(deck, {}).items()}
        return " ".join(
            self.names(cards[face], roll)[-1] if face in cards else face for face in faces
        )

    def names(self, card: CardFace, roll: str) -> tuple[str, ...]:
        """Return a card's names in a roll, from the coarsest to the one that identifies it."""
        names = self._sentences.alternatives("cards", roll, card.fields, self._printed)
        return tuple(names) or self.texts(card)

    def texts(self, card: CardFace) -> tuple[str, ...]:
        """Return a card's names outside any roll, from the coarsest to the finest."""
        names = self._sentences.alternatives("cards", "card", card.fields, self._printed)
        return tuple(names) or (f"{self.printed_name(card.name)} {card.fields['dice']}".strip(),)

    def all_names(self, event: ChanceEvent) -> Mapping[Face, tuple[str, ...]]:
        """Map each printed card of a draw to its names in this draw, then its general names."""
        key = (deck_of(event), event.name)
        if key not in self._in_roll:
            self._in_roll[key] = {
                face: (*self.names(card, event.name), *self.texts(card))
                for face, card in self.printed(event).items()
            }
        return self._in_roll[key]

    def text(self, card: CardFace) -> str:
        """Return the coarsest printed name by which players know a card."""
        return self.texts(card)[0]

    def _printed(self, _field: str, value: Any) -> str:
        return self.printed_name(str(value))

    def printed_name(self, value: str) -> str:
        """Return the game's words for a name or a sign that is printed on a card."""
        return self._sentences.say("names", value, {}, self._said) or plain(value)
