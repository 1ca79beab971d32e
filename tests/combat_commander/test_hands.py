"""Hands are hidden: only its owner sees a hand. What others may expect of it is exact, by counting
cards.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from playing_on import next_input, step_on

import fireplan as fp
from fireplan.table import Session, Viewer, Visibility, believed
from fireplan_core import REFEREE, Ask, Reason, Refusal, Stage
from fireplan_core.chance import RandomFaces
from fireplan_core.play import (
    Catalogue,
    Rulebook,
    State,
    Table,
    Values,
    find_scenario,
)
from fireplan_core.steps.effects import Step
from fireplan_studio.sessions import RequestRefusedError, Sessions

KEY = "combat_commander"
GERMAN_HOLDS = Fraction(967435, 1859987)
"""The chance that six cards of a full German deck include a request (worked example 7)."""


@pytest.fixture(scope="module")
def orchard():
    return find_scenario(Catalogue.installed(only=(KEY,)), f"{KEY}/orchard")[0]


def sat_down(scenario, side_that_looks, seed=3):
    """Return a session played up to a side's look at its hand."""
    session, faces = Session(scenario, 4), RandomFaces(seed)
    while (waits := session.table.waits_for) is not None:
        if isinstance(waits, Ask):
            session.order(session.table.rulebook.answer(waits, {}, session.table.read))
        elif waits.seen_by == side_that_looks:
            return session, faces
        else:
            session.throw([(face, False) for face in faces.faces(waits)])
    raise AssertionError(side_that_looks)


@pytest.mark.parametrize(("owner", "other"), [("german", "russian"), ("russian", "german")])
def test_s5_a_card_of_a_hand_is_shown_to_its_owner_alone(orchard, owner, other):
    session, faces = sat_down(orchard, owner)
    forms = {side: Viewer(session, side).form() for side in (owner, other, REFEREE)}
    assert {side: form.kind for side, form in forms.items()} == {
        owner: "dice",
        other: "wait",
        REFEREE: "dice",
    }
    assert forms[other].question == forms[other].who == ""
    before = Viewer(session, other).all()
    fallen = faces.faces(session.table.waits_for)
    session.throw([(face, False) for face in fallen])
    assert Viewer(session, other).known.lines == before.log
    for side in (owner, REFEREE):
        assert printed(orchard, owner, fallen[0]) in str(Viewer(session, side).known.lines[-1])


def test_s5_after_a_reveal_every_side_can_enter_the_card_drawn(tmp_path):
    tables = Sessions(tmp_path, Catalogue.installed(), in_one_thread=True)
    name = tables.begin("combat_commander/orchard")

    def change(side, kind, **form):
        tables.change(name, side, tables.get(name).seen(side), kind, form)

    def offered(side):
        return tables.get(name).view(side).form

    change(REFEREE, "reveal")
    entered = set()
    for side in ("german", "russian") * 20:
        waits = tables.get(name).session.table.waits_for
        if isinstance(waits, Ask):
            change(waits.who, "order", order=offered(waits.who).orders[0].text)
        elif offered(side).kind == "dice":
            change(side, "dice", **{f"die{n}": "" for n in range(len(waits.faces))})
            entered.add((waits.seen_by, side))
    tables.get(name).session.journal.close()
    assert any(owner and owner != side for owner, side in entered), "no hidden draw was tried"


def printed(scenario, deck, number):
    """Return a card as printed: its order and its dice."""
    card = scenario.printed[deck][number]
    name = card.name.replace("other_order", "a card of no use here").replace(
        "artillery_", "Artillery "
    )
    return f"{name.replace('denied', 'Denied').replace('request', 'Request')} ({'-'.join(map(str, card.dice))}"


def drawn_before_the_fire(session, faces):
    """Return the Germans' hand, without the request, when their fire draws from their deck.

    Return None if they may discard first, because no request is among their first cards.
    """
    hand = list[str]()
    while (waits := session.table.waits_for) is not None:
        if isinstance(waits, Ask):
            if waits.question == "delays.discards":
                return None
            session.order(session.table.rulebook.answer(waits, {}, session.table.read))
        elif waits.name == "targeting":
            return hand[:-1]
        else:
            fallen = faces.faces(waits)
            (die,) = Viewer(session, "german").form().dice
            assert not {*hand} & {*die.faces}, "a card in hand is offered again"
            hand.append(str(fallen[0]))
            session.throw([(face, False) for face in fallen])
    return None


def test_s5_a_card_in_the_own_hand_is_not_offered_again_and_one_in_another_hand_is(orchard):
    found = 0
    for seed in range(30):
        session = Session(orchard, 2)
        if hand := drawn_before_the_fire(session, RandomFaces(seed)):
            (die, *_) = Viewer(session, "russian").form().dice
            assert {*hand} <= {*die.faces}
            found += 1
    assert found > 2


def test_s5_a_card_in_another_hand_is_refused_without_listing_the_deck(orchard, tmp_path):
    tables = Sessions(tmp_path, Catalogue.installed(), in_one_thread=True)
    for seed in range(30):
        name = tables.begin("combat_commander/orchard")
        session = tables.get(name).session
        if hand := drawn_before_the_fire(session, RandomFaces(seed)):
            break
        session.journal.close()
    number = len(tables.get(name).view("russian").form.dice)
    dice = {f"die{n}": hand[0] for n in range(number)}
    with pytest.raises(RequestRefusedError) as refused:
        tables.change(name, "russian", tables.get(name).seen("russian"), "dice", dice)
    session.journal.close()
    name = printed(orchard, "german", int(hand[0]))
    assert str(refused.value).casefold().startswith(name.casefold())
    assert str(refused.value).endswith(") is not in the deck now.")


def test_4_the_side_that_looked_learns_that_no_request_was_found(orchard):
    for seed in range(9):
        table = Table(orchard, 2)
        faces = RandomFaces(seed)
        while table.waits_for is not None:
            assert not isinstance(table.submit(next_input(table, faces)), Refusal)
        found = [entry.event for entry in table.log if entry.event.kind == "no_card"]
        assert all(Visibility(orchard, "german").learns(event) == event for event in found)
        assert not any(Visibility(orchard, "russian").learns(event) for event in found)
        if found:
            return
    pytest.fail("every hand held a request")


def looked(scenario, *, wanted):
    """Return a state in which the German has looked at all six cards: with a request among them, or
    without.
    """
    rows = scenario.parts.delays.charts["decks"]["german"]
    useful = {number for number, card in rows.items() if card.order == "artillery_request"}
    useless = tuple(number for number, _ in scenario.decks["german"] if number not in useful)
    requests = tuple(number for number, _ in scenario.decks["german"] if number in useful)
    out = (
        ("german", "german", useless, 5),
        ("german", "german", requests if wanted else useless, 1),
    )
    values = Values(
        {**scenario.initial, "missions/radio/stage": Stage.REQUESTED, "shared/out": out}
    )
    return State(values, (Step("delays.look", ("radio", "german", "artillery_request")),))


@pytest.mark.parametrize("wanted", [False, True])
def test_d11_beliefs_about_a_hand_are_exact_by_counts(orchard, wanted):
    """Whatever the owner has seen, the other side, which sees no card, believes in a request with
    probability 967435/1859987.
    """
    state = looked(orchard, wanted=wanted)

    def holds(scenario, state):
        rulebook, chances = Rulebook(scenario), Fraction(0)
        todo = [(Fraction(1), state.values, state.agenda)]
        while todo:
            share, values, agenda = todo.pop()
            if agenda[0].name == "delays.use":
                chances += share
            elif agenda[0].name == "delays.look":
                for weight, total, outcome, _ in rulebook.branches(agenda[0], values.get):
                    if outcome.pushes:
                        todo.append(
                            (
                                share * Fraction(weight, total),
                                values.put(outcome.updates),
                                outcome.pushes,
                            )
                        )
        return chances

    assert holds(orchard, state) == int(wanted)
    scenario, seen = believed(orchard, state, Visibility(orchard, "russian"), ())
    assert holds(scenario, seen) == GERMAN_HOLDS
    assert believed(orchard, state, Visibility(orchard, "german"), ())[1].values == state.values


def test_10_a_call_shows_that_the_hand_held_a_request():
    """A worked example of the sheet, asked as a user may ask it; the answer is 13778536/19155213,
    not 13/18.
    """
    facts = {
        "firer": "german",
        "target": "russian",
        "footing": "attack",
        "observer_distance": 150,
        "calibre": 105,
    }
    hits = fp.happens("targeting", hit=True)
    asked = fp.position("woods", game=KEY, **facts).given(targeting=True).chance(hits, by=1)
    assert (asked.chance, asked.condition_chance) == (Fraction(13778536, 19155213), GERMAN_HOLDS)


def test_10_a_side_that_hears_a_call_believes_the_hand_held_a_request():
    """The other side has seen only the call: whichever cards were drawn, the chance of a hit is
    13778536/19155213.
    """
    facts = {
        "firer": "german",
        "target": "russian",
        "footing": "attack",
        "observer_distance": 150,
        "calibre": 105,
    }
    opens = fp.position("woods", game=KEY, **facts)
    cards = opens.at.scenario.parts.delays.charts["decks"]["german"]
    others = [card for card in cards if cards[card].order != "artillery_request"]
    (wanted, *_) = (card for card in cards if cards[card].order == "artillery_request")
    for hand in ((wanted,), (*others[:2], wanted), (*others[5:10], wanted)):
        at = opens.play("ask")
        for card in hand:
            at = at.play(dice=[card])
        table = at.at.table()
        found = at.play(table.rulebook.answer(table.waits_for, {}, table.read)).belief("target")
        assert found.inferred["draw for targeting"]["The targeting roll hits"] == Fraction(
            13778536, 19155213
        )
        assert len(found.worlds) == 6


def test_7_a_broken_radio_is_reported_once_to_each_side():
    """Even the side that broke its own radio is told, once."""
    scenario, form = find_scenario(Catalogue.installed(), "combat_commander/lone_radio")
    session, dice, seen = Session(scenario, form.moments), RandomFaces("deny"), set()
    while session.table.waits_for is not None:
        step_on(session, dice)
        broken = session.table.read("missions/radio/delays/broken", False)
        enemy = Viewer(session, "american").situation()
        own, everything = (Viewer(session, s).situation() for s in ("italian", REFEREE))
        line = "the enemy's radio is broken"
        lost = session.table.read("missions/radio/reason", None) is Reason.LOST
        assert (line in enemy.board) == (broken and not lost)
        assert not any("broken" in line for each in (own, everything) for line in each.board)
        assert ("broken" in own.assets[0].details) == broken
        works = own.assets[0].stage == "requested" and not broken
        for whose, board in (("the", own.board), ("the enemy's", enemy.board)):
            assert (f"{whose} radio works" in board) == works
        seen.add(broken)
    assert seen == {True, False}
