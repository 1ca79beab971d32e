"""Decks in play: any part can draw from, hold and shuffle them; they are solved exactly against
fractions worked out by hand.
"""

from __future__ import annotations

import copy
from collections import Counter
from fractions import Fraction
from math import comb

import attrs
import null_setup
import pytest

from fireplan.analysis import find_engagement
from fireplan.solver import Analysis, Ever
from fireplan_core import (
    DISCARDS,
    Cards,
    Effects,
    Intent,
    Outcome,
    ProcedureError,
    cycle,
    emit,
    push,
)
from fireplan_core.chance import ChanceError, FromDeck, RandomFaces
from fireplan_core.play import Table, Thrown, play_out

TEN = tuple((face, 8 if face > 7 else 7) for face in range(10))
"""72 cards with ten faces."""


@pytest.fixture
def staged():
    """Return a function that stages the null game with a deck, where ``run`` opens each moment."""

    def stage(run, deck=TEN):
        plain = null_setup.staged(find_engagement("woods"))
        moment = attrs.evolve(plain.steps["delays.moment"], run=run)
        return attrs.evolve(
            plain, decks={"fate": deck}, steps={**plain.steps, "delays.moment": moment}
        )

    return stage


def high(chance, view):
    """Draw a card, and report whether it is 8 or more."""
    found, card = Cards(view, "fate").draw(chance, "card", lambda face: face >= 8)
    return Effects(card, emit("seen", "N1", high=found))


@pytest.mark.parametrize("moments", [1, 2, 5])
def test_the_chance_of_no_high_card_is_hypergeometric(staged, moments):
    shares = Analysis(staged(high), moments).solve(Ever("seen", "high", (True,))).shares
    assert 1 - shares[True] == Fraction(comb(56, moments), comb(72, moments))


def test_cards_asked_other_questions_count_by_their_possible_kinds(staged):
    """Cards are asked whether they are even, high, then nine: earlier ones may still be anything
    that fits.
    """

    def turns(chance, view):
        number = view.moment()
        asks = (lambda face: face % 2 == 0, lambda face: face >= 8, lambda face: face == 9)[number]
        found, card = Cards(view, "fate").draw(chance, "card", asks)
        return Effects(card, emit("last", "N1", nine=found) if number == 2 else Effects())

    shares = Analysis(staged(turns), 3).solve(Ever("last", "nine", (True,))).shares
    assert shares[True] == Fraction(8, 72)


@pytest.mark.full
def test_ten_faces_read_exactly_stay_within_the_limits(staged):
    def turns(chance, view):
        face, card = Cards(view, "fate").draw(chance, "card", lambda face: face)
        return Effects(card, emit("seen", "N1", nine=face == 9))

    shares = Analysis(staged(turns), 5).solve(Ever("seen", "nine", (True,))).shares
    assert 1 - shares[True] == Fraction(comb(64, 5), comb(72, 5))


def test_a_shuffle_leaves_hands_alone_and_includes_returned_cards(staged):
    deck = ((1, 2), (2, 2))

    def turns(chance, view):
        cards, number = Cards(view, "fate"), view.moment()
        if number == 0:
            face, card = cards.draw(chance, "card", lambda face: face, into="hand")
            return Effects(card, emit("held", "N1", face=face))
        if number == 1:
            return Effects(cards.shuffle())
        if number == 2:
            ((kinds, _),) = cards.pile("hand")
            return Effects(cards.move("hand", kinds, into=None))
        face, card = cards.draw(chance, "card", lambda face: face)
        return Effects(card, emit("seen", "N1", face=face))

    scenario = staged(turns, deck)
    found = Analysis(scenario, 4).solve(Ever("seen", "face", (1,))).shares
    assert found[1] == Fraction(1, 2)
    assert Analysis(scenario, 5).solve(Ever("seen", "face", (1,))).shares[1] == 1 - Fraction(
        2 * 1, 4 * 3
    )


def test_an_empty_deck_is_shuffled_with_its_discards(staged):
    table = play_out(Table(staged(high, ((1, 1), (9, 1))), 5), RandomFaces(1))
    seen = [entry.event["high"] for entry in table.log if entry.event.kind == "seen"]
    assert sorted(seen[:2]) == sorted(seen[2:4]) == [False, True]
    assert sum(count for *_, count in table.read("shared/out", ())) == 1


def test_a_card_of_a_hand_may_be_asked_more(staged):
    def turns(chance, view):
        cards = Cards(view, "fate")
        if view.moment() == 0:
            _, card = cards.draw(chance, "card", lambda face: face >= 8, into="hand")
            return Effects(card)
        ((kinds, _),) = cards.pile("hand")
        nine, card = cards.draw(
            chance, "look", lambda face: face == 9, source=("hand", kinds), into=DISCARDS
        )
        return Effects(card, emit("nine", "N1", held=nine)) if view.moment() == 1 else Effects()

    assert Analysis(staged(turns), 2).solve(Ever("nine", "held", (True,))).shares[True] == Fraction(
        8, 72
    )


def test_a_draw_into_a_hand_is_private_and_a_card_played_is_public(staged):
    def turns(chance, view):
        cards = Cards(view, "fate")
        if view.moment() == 0:
            return Effects(cards.draw(chance, "card", lambda face: face >= 8, into="hand")[1])
        ((kinds, _),) = cards.pile("hand")
        return Effects(
            cards.draw(chance, "look", lambda face: face == 9, source=("hand", kinds))[1]
        )

    table = Table(attrs.evolve(staged(turns), hands={("fate", "hand"): "firer"}), 2)
    seen = []
    while (waits := table.waits_for) is not None:
        seen.append((waits.name, waits.seen_by))
        table.submit(Thrown(waits.name, RandomFaces(1).faces(waits)))
    assert seen == [("card", "firer"), ("look", "")]


def test_cards_that_are_out_are_written_in_the_position_line(staged):
    scenario = staged(high)
    table = play_out(Table(scenario, 3), RandomFaces(4))
    assert table.read("shared/out", ())
    assert all(
        deck == "fate" and pile == DISCARDS for deck, pile, *_ in table.read("shared/out", ())
    )


def test_a_missing_deck_or_card_is_refused(staged):
    with pytest.raises(ProcedureError, match="no deck 'luck' is staged; the table has fate"):
        play_out(
            Table(staged(lambda _chance, view: Cards(view, "luck").shuffle()), 1), RandomFaces(1)
        )
    with pytest.raises(ProcedureError, match=r"fate: there is no card of \(8, 9\) in 'hand'"):
        play_out(
            Table(staged(lambda _chance, view: Cards(view, "fate").move("hand", (8, 9))), 1),
            RandomFaces(1),
        )


def test_a_shot_without_an_aim_is_refused_by_the_name_of_the_step(staged):
    scenario = staged(lambda _chance, _view: Effects(push(cycle.release, "a", Intent.EFFECT)))
    with pytest.raises(ProcedureError, match=r"core\.release: no aim is set for a") as refused:
        play_out(Table(scenario, 1), RandomFaces(1))
    assert "in step core.release(a" in " ".join(refused.value.__notes__)


def test_a_request_forgets_how_the_last_was_answered_and_a_denied_one_is_refused():
    table = Table(null_setup.staged(find_engagement("woods")), 12)
    play_out(table, RandomFaces(2))
    assert table.read("missions/a/outcome", None) in (Outcome.GOOD, Outcome.REFUSED, None)
    assert table.read("missions/a/answer", None) in ("reached", "")


def exactly(chance, view):
    """Draw a card into the hand, or in moments 1 and 4 onto the discards, and report whether it is
    2 or more.

    In moment 2 the last card of the hand goes back to the deck; in moment 5 the deck is shuffled.
    """
    cards, number = Cards(view, "fate"), view.moment()
    if number == 2:
        kinds, _ = cards.pile("hand")[-1]
        return Effects(cards.move("hand", kinds, into=None))
    if number == 5:
        return Effects(cards.shuffle())
    into = DISCARDS if number in (1, 4) else "hand"
    found, card = cards.draw(chance, "card", lambda face: face >= 2, into=into)
    return Effects(card, emit("seen", "N1", high=found))


def test_a_face_whose_cards_are_all_out_is_refused_and_changes_nothing(staged):
    table = Table(staged(high, ((1, 2), (2, 1), (9, 1))), 4)
    mark = table.mark()
    for _ in range(2):
        table.submit(Thrown("card", (1,)))
    before = table.state
    with pytest.raises(ChanceError, match=r"card: 1 cannot be drawn$"):
        table.submit(Thrown("card", (1,)))
    assert table.state == before
    table.submit(Thrown("card", (2,)))
    assert dict(table.waits_for.counts)[9]
    table.back_to(mark)
    table.submit(Thrown("card", (1,)))


def test_cards_that_went_back_into_the_deck_may_fall_again_and_those_of_a_hand_may_not(staged):
    def turns(chance, view):
        cards, number = Cards(view, "fate"), view.moment()
        if number == 2:
            return Effects(cards.shuffle())
        _, card = cards.draw(
            chance, "card", lambda face: face >= 8, into="hand" if number == 0 else DISCARDS
        )
        return Effects(card)

    table = Table(staged(turns, ((1, 1), (2, 1), (3, 1), (9, 1))), 5)
    table.submit(Thrown("card", (1,)))
    table.submit(Thrown("card", (2,)))
    # One of the two low cards went back. The rules do not distinguish them, so it may be either.
    table.submit(Thrown("card", (3,)))
    assert {face for face, weight in table.waits_for.counts if weight} == {1, 2, 9}


def test_a_card_can_be_drawn_again_after_returning_to_a_mark(staged):
    table = Table(staged(high, ((1, 1), (2, 1), (9, 1))), 3)
    table.submit(Thrown("card", (1,)))
    mark = table.mark()
    table.submit(Thrown("card", (2,)))
    assert {face for face, weight in table.waits_for.counts if weight} == {9}
    table.back_to(mark)
    table.submit(Thrown("card", (9,)))
    assert {face for face, weight in table.waits_for.counts if weight} == {2}


def test_a_die_behind_a_screen_is_drawn_from_no_deck_at_a_table_with_decks(staged):
    def turns(chance, view):
        if view.moment() == 0:
            return high(chance, view)
        screen = FromDeck(seen_by="firer")
        face = chance.draw("weather", {1: 1, 2: 1, 3: 1}, screen).exact()
        return Effects(emit("seen", "N1", high=face == 3))

    table = Table(staged(turns, ((1, 2), (9, 1))), 3)
    table.submit(Thrown("card", (1,)))
    assert table.waits_for.seen_by == "firer"
    assert [(die.label, die.weights) for die in table.waits_for.faces] == [
        ("chit", ((1, 1), (2, 1), (3, 1)))
    ]
    with pytest.raises(ChanceError, match=r"^4 cannot be drawn; possible: 1, 2, 3$"):
        table.submit(Thrown("weather", (4,)))
    table.submit(Thrown("weather", (3,)))
    assert table.log[-1].event["high"] is True


def test_a_look_into_a_hand_shows_only_the_cards_dealt_to_it(staged):
    def turns(chance, view):
        cards = Cards(view, "fate")
        if view.moment() == 0:
            return Effects(cards.draw(chance, "card", lambda face: face >= 8, into="hand")[1])
        ((kinds, _),) = cards.pile("hand")
        return Effects(
            cards.draw(chance, "look", lambda face: face == 9, source=("hand", kinds), into="hand")[
                1
            ]
        )

    table = Table(staged(turns, ((1, 3), (8, 1), (9, 1))), 3)
    table.submit(Thrown("card", (8,)))
    with pytest.raises(ChanceError, match=r"card: 9 cannot be drawn$"):
        table.submit(Thrown("look", (9,)))
    table.submit(Thrown("look", (8,)))


@pytest.mark.parametrize("deck", [((1, 2), (2, 1), (3, 2)), ((1, 1), (2, 1), (3, 1), (4, 1))])
def test_actual_cards_left_and_exact_counts_agree_in_every_history(staged, deck):
    """Drawing actual cards and counting kinds of cards give every history the same probability."""

    def histories(*, by_kinds):
        found, todo = Counter(), [(Table(staged(exactly, deck), 7, by_kinds=by_kinds), Fraction(1))]
        while todo:
            table, share = todo.pop()
            if table.over:
                found[
                    tuple(entry.event["high"] for entry in table.log if entry.event.kind == "seen")
                ] += share
                continue
            total = sum(weight for _, weight in table.waits_for.faces[0].weights)
            for face, weight in table.waits_for.faces[0].weights:
                after = copy.copy(table)
                after.submit(Thrown("card", (face,)))
                todo.append((after, share * Fraction(weight, total)))
        return found

    assert histories(by_kinds=False) == histories(by_kinds=True)
    assert sum(histories(by_kinds=False).values()) == 1
