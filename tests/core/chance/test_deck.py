"""Decks dealt without replacement, against every order of a small deck, and hypergeometric
fractions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import comb

import pytest

from fireplan_core.chance import ChanceError, next_card

SMALL = {"low": 1, "middle": 2, "high": 3}
QUESTIONS = (("low",), ("middle", "high"), ("low", "high"), ())
"""Questions about a card: overlapping sets of kinds, and none at all."""


def by_every_order(cards, out):
    """Return the chance of each kind for the next card, from all orders of the deck that fit what
    is known.
    """
    deck = [kind for kind, count in cards.items() for _ in range(count)]
    known = [kinds for kinds, count in out for _ in range(count)]
    found = dict.fromkeys(cards, 0)
    for order in permutations(deck):
        if all(not kinds or kind in kinds for kinds, kind in zip(known, order, strict=False)):
            found[order[len(known)]] += 1
    return {kind: Fraction(count, sum(found.values())) for kind, count in found.items()}


@pytest.mark.parametrize(
    "out",
    [
        tuple(zip(QUESTIONS, counts, strict=True))
        for counts in [
            (0, 0, 0, 0),
            (1, 0, 0, 0),
            (0, 2, 0, 0),
            (0, 2, 2, 0),
            (1, 1, 1, 1),
            (0, 1, 2, 2),
            (0, 3, 1, 0),
        ]
    ],
)
def test_the_next_card_is_as_likely_as_all_orders_of_the_deck_make_it(out):
    weights = next_card(tuple(SMALL.items()), out)
    assert {
        kind: Fraction(weight, sum(weights.values())) for kind, weight in weights.items()
    } == by_every_order(SMALL, out)


def test_an_unasked_question_changes_nothing():
    assert next_card((("a", 30), ("b", 42)), (((), 40),)) == {"a": 5, "b": 7}


def test_a_hit_at_distance_five_given_a_hand_of_six_that_holds_a_request():
    """The published value: all eight requests of this deck have a product above 5, as do 44 of its
    64 other cards.
    """
    deck = (("request", 8), ("hit", 44), ("miss", 20))
    hits = Fraction(0)
    for requests in range(1, 7):
        hand = ((("request",), requests), (("hit", "miss"), 6 - requests))
        chance = Fraction(comb(8, requests) * comb(64, 6 - requests), comb(72, 6) - comb(64, 6))
        weights = next_card(deck, hand)
        hits += chance * Fraction(weights["request"] + weights["hit"], sum(weights.values()))
    assert hits == Fraction(13778536, 19155213) != Fraction(13, 18)


def test_no_more_cards_are_out_than_exist():
    deck = tuple(SMALL.items())
    with pytest.raises(ChanceError, match="no card can be drawn: 6 of 6 are out already"):
        next_card(deck, (((), 6),))
    with pytest.raises(ChanceError, match="no card can be drawn: 2 of 6"):
        next_card(deck, ((("low",), 2),))


@pytest.mark.parametrize("count", [0, -1, 1.5, True])
def test_a_deck_that_makes_no_sense_is_refused(count):
    with pytest.raises(ChanceError, match="a deck cannot hold"):
        next_card((("a", 3), ("b", count)), ())
