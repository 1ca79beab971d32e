"""Cards are named, entered and drawn as they are printed; a seat learns nothing about other hands."""

from __future__ import annotations

import asyncio
import csv
import re
from collections import defaultdict
from fractions import Fraction
from importlib import resources
from math import comb
from urllib.parse import urlencode

import attrs
import pytest
from playing_on import step_on

import fireplan as fp
from fireplan.analysis import find_engagement
from fireplan.cli.keyboard import Play
from fireplan.errors import InputError
from fireplan.table import Session, Viewer, fire_may_fall
from fireplan.table.forecasts import forecast
from fireplan.table.words import Words
from fireplan_core import REFEREE, Ask, emit
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, find_scenario, stage_engagement
from fireplan_core.sentences import CARD
from fireplan_core.setups.setup import CardFace
from fireplan_studio import without_server

KEY = "combat_commander"
ORDERS = {
    "": "a card of no use here",
    "artillery_request": "Artillery Request",
    "artillery_denied": "Artillery Denied",
}
ACT = ("time", "sniper", "event")
"""The triggers that act when a card is turned (19 to 21); a jammed weapon has no effect here."""


def printed_cards(nation):
    """Return what the chart of the decks prints, read without the game's code: each number as text."""
    chart = resources.files("fireplan_combat_commander") / "data" / "decks.csv"
    cards = {}
    for row in csv.DictReader(chart.read_text(encoding="utf-8").splitlines()):
        if row["deck"] == nation:
            number = int(row["card"])
            dice = "-".join(str(number % 100))
            trigger = f", {row['trigger']}" if row["trigger"] in ACT else ""
            cards[number] = f"{ORDERS[row['order']]} ({dice}{trigger})"
    return cards


@pytest.fixture(scope="module")
def orchard():
    return find_scenario(Catalogue.installed(only=(KEY,)), f"{KEY}/orchard")[0]


def until(session, faces, roll, side=None):
    """Play on by standard orders until a roll is due; return False if it never comes."""
    while (waits := session.table.waits_for) is not None:
        if isinstance(waits, Ask):
            session.order(session.table.rulebook.answer(waits, {}, session.table.read))
        elif waits.name == roll and side in (None, waits.seen_by):
            return True
        else:
            session.throw([(face, False) for face in faces.faces(waits)])
    return False


def at(scenario, roll, side=None, seeds=range(30)):
    """Return a session where a roll is due."""
    for seed in seeds:
        session = Session(scenario, 5)
        if until(session, RandomFaces(seed), roll, side):
            return session
    raise AssertionError(roll)


def test_s5_the_cards_on_offer_are_those_of_the_chart_each_once(orchard):
    session = at(orchard, "hand", "german")
    (die,) = Viewer(session, "german").form().dice
    texts = [card.text for card in die.cards]
    assert sorted(texts) == sorted({*printed_cards("german").values()})


@pytest.mark.parametrize("roll", ["hand", "targeting", "drift", "attack", "defence", "random_hex"])
def test_no_prompt_shows_the_number_of_a_card(orchard, roll):
    session = at(orchard, roll)
    side = session.table.waits_for.seen_by or "german"
    said = [each.when for each in Viewer(session, side).form().prospects]
    assert len(said) > 1
    for words in said:
        named = words.split(", ")
        assert len(set(named)) == len(named), words
        assert not re.search(r"\d{3}|throws", words)
        assert not re.search(r"(?<![-\d])[1-6]{2}(?!\d)", re.sub("dice is .*", "", words)), words


def test_10_the_targeting_roll_shows_the_product_it_needs():
    """The captain in B9 is five hexes from B4 in the open, so the product must exceed 5."""
    lone = find_scenario(Catalogue.installed(only=(KEY,)), f"{KEY}/lone_radio")[0]
    session = at(lone, "targeting")
    assert {each.what: each.when for each in Viewer(session, "italian").form().prospects} == {
        "The targeting roll hits": "the product of the dice is 6 or more",
        "The targeting roll misses": "the product of the dice is 5 or less",
    }


def two_ways(nation):
    """Return three things: the rolls whose two cards differ in print, the rolls whose two cards are
    the same, and the (number, text) of the cards of every roll.
    """
    by_dice = defaultdict(list)
    for number, text in printed_cards(nation).items():
        by_dice[number % 100].append((number, text))
    apart = [dice for dice, ((_, a), (_, b)) in by_dice.items() if a != b]
    alike = [dice for dice, ((_, a), (_, b)) in by_dice.items() if a == b]
    return apart, alike, by_dice


def spellings(dice):
    first, second = str(dice)
    return f"{first} {second}", f"{first}-{second}", f"{first}{second}", f" {first}, {second} "


def test_dice_as_printed_are_accepted_and_names_distinguish_two_cards(orchard):
    session = at(orchard, "hand", "german")
    viewer = Viewer(session, "german")
    apart, alike, by_dice = two_ways("german")
    for dice in alike:
        assert {viewer.read_card(text) for text in spellings(dice)} == {by_dice[dice][0][0]}
    for dice in apart:
        names = {text for _, text in by_dice[dice]}
        for text in spellings(dice):
            with pytest.raises(InputError, match="which card is it") as asked:
                viewer.read_card(text)
            assert all(name in str(asked.value) for name in names)
        for number, name in by_dice[dice]:
            assert viewer.read_card(name) == number
            if len({each.partition("(")[0] for each in names}) > 1:
                assert viewer.read_card(f"{name.split()[1][:3]} {dice}".upper()) == number
    assert apart
    assert alike


@pytest.mark.parametrize("text", ["", "7 7", "1", "no such card", "3-4-5", "36-36"])
def test_an_unknown_card_is_refused(orchard, text):
    session = at(orchard, "hand", "german")
    with pytest.raises(InputError):
        Viewer(session, "german").read_card(text)


def test_of_two_cards_that_read_alike_the_one_in_the_deck_is_taken(orchard):
    session = at(orchard, "hand", "german")
    _, alike, by_dice = two_ways("german")
    dice = next(each for each in alike if "a card of no use here" in by_dice[each][0][1])
    (first, _), (second, _) = by_dice[dice]
    session.throw([(second, True)])
    assert session.table.waits_for.name == "hand"
    viewer = Viewer(session, "german")
    assert viewer.read_card(str(dice)) == first
    session.throw([(first, True)])
    with pytest.raises(InputError, match="no card"):
        Viewer(session, "german").read_card(f"{dice // 10}-{dice % 10}")


def looked(orchard, numbers):
    """Return a session where the Germans have drawn these cards and the targeting roll of their
    deck is due.
    """
    session = Session(orchard, 5)
    assert until(session, RandomFaces(1), "hand", "german")
    for number in numbers:
        session.throw([(number, True)])
    assert until(session, RandomFaces(1), "targeting")
    return session


def test_s5_another_sides_prompt_does_not_depend_on_the_owners_hand(orchard):
    """The Russians see the same prompt for two German hands; if two cards read alike, either is
    taken.
    """
    _, alike, by_dice = two_ways("german")
    plain = [each for each in alike if "a card of no use here" in by_dice[each][0][1]]
    request = next(n for n, text in printed_cards("german").items() if "Request" in text)
    held, other = by_dice[plain[0]], by_dice[plain[1]]
    one = looked(orchard, [held[0][0], request])
    two = looked(orchard, [other[0][0], request])
    seats = [Viewer(session, "russian") for session in (one, two)]
    assert seats[0].form() == seats[1].form()
    assert seats[0].hand() == seats[1].hand() == ()
    assert seats[0].known.lines == seats[1].known.lines
    taken = seats[0].read_card(str(plain[0]))
    assert taken == held[1][0], "the drawn card was not the one left in the deck"
    one.throw([(taken, True)])
    two.throw([(seats[1].read_card(str(plain[0])), True)])
    after = [Viewer(session, "russian") for session in (one, two)]
    assert after[0].known.lines == after[1].known.lines
    assert after[0].drawn() == after[1].drawn()


def test_s5_a_hand_shows_its_owner_the_cards_looked_at_and_nobody_else(orchard):
    session = at(orchard, "hand", "german")
    cards, drawn = printed_cards("german"), []
    useless = [n for n, text in cards.items() if "Request" not in text][:3]
    for number in useless:
        session.throw([(number, True)])
        drawn.append(cards[number])
        views = {side: Viewer(session, side) for side in ("german", "russian", REFEREE)}
        assert [card.text for card in views["german"].hand()] == drawn
        assert [card.text for card in views["german"].drawn()] == drawn[-1:]
        assert views["russian"].hand() == views["russian"].drawn() == ()
    request = next(n for n, text in cards.items() if "Request" in text)
    session.throw([(request, True)])
    assert [card.text for card in Viewer(session, "german").hand()] == drawn, (
        "the hand still holds the card that was played"
    )


def test_at_the_prompt_the_dice_are_typed_and_a_card_is_asked_for_by_name(orchard):
    session = at(orchard, "hand", "german")
    apart, alike, by_dice = two_ways("german")
    cards, dice = printed_cards("german"), apart[0]
    wanted = next(number for number, text in by_dice[dice] if "sniper" in text)
    plain = next(each for each in alike if "a card of no use here" in by_dice[each][0][1])
    typed, said = iter([f"{plain // 10} {plain % 10}", str(dice), cards[wanted], "quit"]), []
    Play(session, said.append, lambda _prompt: next(typed), 1).run()
    drew = [line.strip() for line in said if line.startswith("  drew ")]
    dice_of = "-".join(str(plain))
    assert drew[0] == f"drew a card of no use here ({dice_of})"
    asked = next(line for line in said if "which card is it" in line)
    assert all(text in asked for _, text in by_dice[dice])
    fallen = [each.move.given.faces for each in session.history.standing[-2:]]
    assert fallen == [(by_dice[plain][0][0],), (wanted,)], (
        "the journal does not store the card numbers"
    )


def test_on_a_seats_page_cards_are_drawn_and_typed_as_printed(tmp_path):
    studio = without_server(tmp_path)

    def ask(method, address, **form):
        return asyncio.run(studio(method, address, urlencode(form).encode()))

    seat = f"{ask('POST', '/tables', scenario=f'{KEY}/lone_radio')[1]['location']}/seat/italian"

    def page(path=seat):
        return ask("GET", path)[2].decode()

    def give(kind, **form):
        seen = re.search('name="seen" value="([^"]+)"', page())[1]
        return ask("POST", f"{seat}/{kind}", seen=seen, **form)[2].decode()

    give("order", order="ask")
    cards = printed_cards("italian")
    dice = re.search(r"\((.)-(.)\)", next(text for text in cards.values() if "Denied" in text))
    two = [text for text in cards.values() if f"({dice[1]}-{dice[2]}" in text]
    assert len({*two}) == 2
    assert all(f'<option value="{text}">' in page() for text in cards.values())
    assert not re.search(r'value="\d{2,3}"', page())
    asked = give("dice", die0=f"{dice[1]} {dice[2]}")
    assert all(text in asked for text in two)
    assert "Which card is it" in asked
    assert '<ul class="faces"' not in page()
    give("dice", die0=next(text for text in two if "Denied" in text))
    shown = page()
    assert shown.count('<li class="face"') == 2, (
        "not exactly the card just drawn and the hand are shown"
    )
    assert '<span class="name">Artillery Denied</span>' in shown
    assert f'aria-label="dice {dice[1]} and {dice[2]}"' in shown
    pips = shown[: shown.index("</li>", shown.index('<li class="face"'))].count("<circle")
    assert pips == int(dice[1]) + int(dice[2])
    other = page(seat.replace("italian", "american"))
    assert '<li class="face"' not in other


def test_outcomes_name_the_cards_of_a_result_and_list_their_numbers_as_data():
    """The Italian deck holds seven requests (facts sheet, counts of cards)."""
    found = fp.position(f"{KEY}/lone_radio").outcomes("ask")
    (request,) = [row for row in found.rows() if len(row["dice"]) == 7]
    cards = printed_cards("italian")
    assert all("Request" in cards[number] for (number,) in request["dice"])
    text = str(found)
    assert "Artillery Request " in text
    assert "Artillery Denied, a card of no use" in " ".join(text.replace("│", " ").split())
    assert not re.search(r"\b1\d\d\b", text)


def test_any_game_with_a_deck_can_describe_its_cards():
    """A game without sentences for its cards gives its chits only their names."""
    game = "battlegroup_clash"
    pytest.importorskip(f"fireplan_{game}", reason="the game is in requirements-games.txt")
    causeway = find_scenario(Catalogue.installed(only=(game,)), f"{game}/causeway")[0]
    kinds = dict(next(deck for name, deck in causeway.decks.items() if len(deck) == 7))
    words = ("hinder", "jam", "blind", "decoy", "listen", "mute", "stop")
    named = {kind: CardFace(f"{word}_them") for kind, word in zip(kinds, words, strict=True)}
    scenario = attrs.evolve(causeway, printed=dict.fromkeys(causeway.decks, named))
    session = at(scenario, "chit")
    side = session.table.waits_for.seen_by or next(iter(scenario.missions.values())).side
    viewer = Viewer(session, side)
    form = viewer.form()
    (die,) = form.dice
    assert {card.text for card in die.cards} == {f"{word} them" for word in words}
    assert not any(re.search(r"\d", each.when) for each in form.prospects)
    for kind, card in named.items():
        assert viewer.read_card(card.name.replace("_", " ")) == kind
        assert viewer.read_card(card.name[:3].upper()) == kind


def test_with_dice_in_place_of_cards_they_are_rolled_and_read_the_same():
    """By default attack and defence roll two dice each (D12), and their sum counts (16, 17)."""
    catalogue = Catalogue.installed(only=(KEY,))
    session = at(stage_engagement(catalogue, KEY, find_engagement("open_attack")), "defence")
    viewer = Viewer(session, session.scenario.firer)
    form = viewer.form()
    assert form.verb == "Roll"
    ranges = [each.when.removeprefix("the sum of the dice is ") for each in form.prospects]
    assert all(re.fullmatch(r"\d+( or (more|less))?|any roll", text) for text in ranges), ranges
    assert viewer.read_card("3 4") == 34
    shares = dict.fromkeys(ranges, 0)
    for total in (a + b for a in range(1, 7) for b in range(1, 7)):
        fits = [text for text in ranges if within(total, text)]
        assert len(fits) == 1
        shares[fits[0]] += 1
    assert [each.chance * 36 for each in form.prospects] == [*shares.values()]


def within(total, text):
    """Return whether a total is in a range such as "7 or less"."""
    number, _, way = text.partition(" or ")
    if text == "any roll":
        return True
    return {"more": total >= int(number), "less": total <= int(number)}.get(
        way, total == int(number)
    )


def test_the_fields_of_names_are_those_of_a_card():
    assert tuple(CardFace("order", (3, 6), "time", "C6").fields) == CARD
    assert CardFace(dice=(3, 6)).fields["product"] == 18


def test_clauses_2_and_10_a_targeting_roll_that_cannot_miss_says_that_it_hits():
    """At the leader's own hex every draw hits, and the table says so."""
    position = fp.position("fp1 combat_commander/lone_radio radio{aim=@B9} > areas.land(radio)")
    prospects = forecast(position.at.table())
    assert len(prospects) > 1
    assert {each.certain for each in prospects} == {("The targeting roll hits",)}
    what = {each.when: each.what for each in prospects}
    assert what["any other card"] == "next draw: drift"
    assert what["4-5 (sniper), 5-4 (sniper), 6-3 (sniper)"] == (
        "next draw: the sniper's random hex, before these dice count"
    )


def test_clause_4_a_request_in_the_hand_can_be_played():
    """The forecast says that the request can be played, instead of naming the next question."""
    position = fp.position(
        "fp1 combat_commander/lone_radio radio{stage=requested} "
        "> delays.look(radio italian artillery_request)"
    )
    what = {each.when: each.what for each in forecast(position.at.table())}
    assert what["Artillery Request"] == "the request can be played"


def test_clause_5_the_search_for_a_request_is_described_alike_for_a_broken_radio():
    scenario, _ = find_scenario(Catalogue.installed(), "combat_commander/lone_radio")
    said = Words(scenario).event(emit("requested", "4", mission="radio"))
    assert said == "The radio is to be used: its side looks for an Artillery Request"


def test_clauses_19_to_21_the_notes_explain_the_signs_on_the_cards():
    scenario, _ = find_scenario(Catalogue.installed(), "combat_commander/lone_radio")
    (note,) = (each for each in scenario.provenance if "may bear a trigger" in each)
    assert all(sign in note for sign in ("time: ", "sniper: ", "event: "))


def in_round(session, number, side, seed="last round"):
    """Play on by standard orders until a side is asked in a round; return False if it never is."""
    dice = RandomFaces(seed)
    while (waits := session.table.waits_for) is not None:
        if isinstance(waits, Ask) and waits.who == side and session.table.state.moment == number:
            return True
        step_on(session, dice)
    return False


@pytest.mark.parametrize(("number", "falls"), [(3, True), (4, False)])
def test_clause_4_no_fire_can_fall_once_the_italians_have_had_their_last_turn(number, falls):
    scenario, form = find_scenario(Catalogue.installed(), "combat_commander/lone_radio")
    session = Session(scenario, form.moments)
    assert in_round(session, number, "american")
    assert fire_may_fall(Viewer(session, "american")) is falls


def test_clause_4_an_order_to_call_shows_the_chance_of_the_whole_hand():
    """7 of 72 cards are Requests, and the Italian hand has four."""
    scenario, form = find_scenario(Catalogue.installed(), "combat_commander/lone_radio")
    viewer = Viewer(Session(scenario, form.moments), "italian")
    order = next(each for each in viewer.form().orders if each.standard)
    chance = 1 - Fraction(comb(65, 4), comb(72, 4))
    assert {each.what: each.chance for each in order.prospects} == {
        "the request can be played": chance,
        "No Artillery Request in hand": 1 - chance,
    }
