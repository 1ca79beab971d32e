"""Beliefs about a hidden hand, against a count of every possible world from the deck as printed."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

import fireplan as fp

HANDS = {"attack": 6, "other": 5, "defence": 4}
HEX = 30


def counted(cards, size, distance):
    """Return P(the next card hits | a hand of ``size`` unseen cards holds a request), counted world
    by world.

    A world is the cards in the hand and the top card of the deck. Of the hand only the number of
    cards of each of four kinds matters (request or not, product above the distance or not).
    """
    kinds = {}
    for card in cards:
        kind = (card.order == "artillery_request", card.white * card.coloured > distance)
        kinds[kind] = kinds.get(kind, 0) + 1
    worlds, hits = 0, 0
    hands = [({}, 1)]
    for kind, there in kinds.items():
        hands = [
            ({**hand, kind: taken}, ways * comb(there, taken))
            for hand, ways in hands
            for taken in range(there + 1)
        ]
    for hand, ways in hands:
        if sum(hand.values()) == size and any(
            taken for (request, _), taken in hand.items() if request
        ):
            for (_, hit), left in ((kind, there - hand[kind]) for kind, there in kinds.items()):
                worlds += ways * left
                hits += ways * left * hit
    return Fraction(hits, worlds)


@pytest.mark.parametrize("footing", HANDS)
@pytest.mark.parametrize(
    ("firer", "distance"), [("german", 3), ("german", 5), ("russian", 5), ("american", 8)]
)
def test_10_d11_the_belief_after_a_call_equals_the_sum_over_hidden_worlds(firer, distance, footing):
    target = "russian" if firer == "german" else "german"
    facts = {
        "firer": firer,
        "target": target,
        "footing": footing,
        "observer_distance": distance * HEX,
    }
    at = fp.position("woods", game="combat_commander", calibre=150, **facts).play("ask")
    cards = at.at.scenario.parts.delays.charts["decks"][firer]
    request = next(number for number, card in cards.items() if card.order == "artillery_request")
    at = at.play(dice=[request])
    table = at.at.table()
    found = at.play(table.rulebook.answer(table.waits_for, {}, table.read)).belief("target")
    expected = counted(cards.values(), HANDS[footing], distance)
    assert found.inferred["draw for targeting"]["The targeting roll hits"] == expected
