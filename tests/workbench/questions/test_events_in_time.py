"""Events with their times, and where play stops."""

from fractions import Fraction

import pytest

import fireplan as fp
from fireplan_core import Ask
from fireplan_core.play import Catalogue, shipped_scenarios

FIRST = tuple(
    {
        name.partition("/")[0]: name for name in reversed(shipped_scenarios(Catalogue.installed()))
    }.values()
)


@pytest.fixture(scope="module")
def village():
    return fp.position("asl/village")


def test_play_returns_its_events_with_their_time(village):
    called = village.play("call")
    assert [(event.kind, event.moment) for event in called.events] == [("requested", "turn 1 PFPh")]
    assert str(called.events[0]) == "turn 1 PFPh: The Observer calls for fire (C1.2)"
    assert not village.events


def test_a_place_in_an_event_reads_as_its_label(village):
    (fall, *_) = [event for event in village.story(by="turn 2").events if event.kind == "fall"]
    assert fall["impact"] == "K5"
    assert fall["on_target"] is True
    assert fall.moment == "turn 1 DFPh"
    with pytest.raises(fp.InputError, match="write 'K5'"):
        assert fall["impact"] == "k5"
    with pytest.raises(fp.InputError, match="not the label"):
        assert fall["impact"] == "here"


@pytest.mark.parametrize("name", FIRST)
def test_the_events_of_play_are_those_of_outcomes(name):
    position = fp.position(name)
    for _ in range(6):
        if position.waits_for == "nothing":
            break
        order = None if position.waits_for.startswith("roll ") else position.standard()
        rows = [
            row for row in position.outcomes(order) if row.dice or not position.outcomes(order).roll
        ]
        for row in rows[:4]:
            played = position.play(order, row.dice[0] if row.dice else ())
            assert played == row.position
            assert played.events == row.events
        if not rows:
            break
        position = position.play(order, rows[0].dice[0] if rows[0].dice else ())


def test_outcomes_to_the_end_of_the_phase_follow_every_throw(village):
    """C1.2 and C1.21: contact on 8 or less (26 of 36); then access on a black chit."""
    rows = village.outcomes("call", until="end of phase")
    assert sum(row.chance for row in rows) == 1
    assert {row.position.moment for row in rows} == {"turn 1 DFPh"}
    assert {event.moment for row in rows for event in row.events} == {"turn 1 PFPh"}
    contact = sum(row.chance for row in rows if row.position["a", "contact"])
    assert contact == Fraction(26, 36)
    end = village.distribution(lambda end: (end["a", "contact"], end["a", "stage"]), by=1)
    shares = {}
    for row in rows:
        key = (row.position["a", "contact"], str(row.position["a", "stage"]))
        shares[key] = shares.get(key, 0) + row.chance
    assert shares == dict(end.shares)


def test_play_stops_where_asked(village):
    assert village.play("call", until="next roll").waits_for == "roll contact"
    calling = village.play("call")
    ordered = calling.play("roll", (2, 3, "black"), until="next order")
    assert (ordered.moment, ordered.waits_for) == ("turn 1 PFPh", "german: requests.fire")
    over = village.play("call", (6, 6), until="end of phase")
    assert (over.moment, over.events[-1].moment) == ("turn 1 DFPh", "turn 1 PFPh")
    turn = village.play("pass", until="end of turn", orders="call=pass")
    assert turn.moment == "turn 2 PFPh"
    heard = calling.play("roll", (2, 3), until="contact")
    assert (heard.events[-1].kind, heard.waits_for) == ("contact", "roll access")


@pytest.mark.parametrize("until", ["end of world", "fal", "next rol"])
def test_an_unknown_place_to_stop_is_refused(village, until):
    with pytest.raises(fp.InputError, match="until"):
        village.play("call", until=until)


def test_dice_that_are_left_are_refused(village):
    with pytest.raises(fp.InputError, match="left"):
        village.play("call", (6, 6, 3, 3), until="end of phase")


def test_play_ends_where_nothing_more_can_happen():
    """The radio is broken for good, so no moment brings a question or a roll."""
    lost = fp.position("asl/village", turn=2, a={"stage": "ended", "reason": "lost"})
    assert lost.waits_for == "nothing"
    assert lost.play() == lost
    assert [row.events for row in lost.outcomes()] == [()]


def test_the_dice_of_volleys_are_listed():
    """Two volleys are two ten-sided dice (12.3.1): a hundred rolls, each in one outcome."""
    position = fp.position("wacht_am_rhein/dividing_fire")
    while position.waits_for != "roll volleys":
        table = position.at.table()
        order = position.standard() if isinstance(table.waits_for, Ask) else None
        position = (
            position.play(order)
            if order
            else position.play(dice=next(iter(position.outcomes())).dice[0])
        )
    rows = position.outcomes()
    dice = [faces for row in rows for faces in row.dice]
    assert len(dice) == len(set(dice)) == 100
    for row in rows:
        assert row.chance == Fraction(len(row.dice), 100)
        assert position.play(dice=row.dice[-1]) == row.position


def test_the_question_that_is_due_is_data():
    """12.4.0: the owner satisfies a Final Result; the question gives the hex by its label."""
    position = fp.position("wacht_am_rhein/dividing_fire")
    assert position.question.name == "requests.declare"
    assert position.question.orders == ("barrage", "pass")
    while position.question is None or position.question.name != "resolution.satisfy":
        if position.question is None:
            position = max(position.outcomes(), key=lambda row: row.chance).position
        else:
            position = position.play(position.standard())
    asked = position.question
    assert (asked.side, asked.asset, asked.args["place"]) == ("GE", "us", "3030")
    assert asked.standard == position.standard()


def test_an_impossible_roll_is_distinguished_from_one_not_due():
    pinon = fp.position("red_poppies/battle_for_pinon")
    with pytest.raises(fp.InputError, match="Did you mean 'signal'") as error:
        pinon.throw("sygnal", "75s")
    assert "alone here: cancellation." in str(error.value)
    with pytest.raises(fp.InputError, match="no throw 'signal' for 75s"):
        pinon.throw("signal", "75s")


def test_several_values_joined_by_commas_are_pointed_to_the_plus():
    called = fp.position("wacht_am_rhein/dividing_fire").play("barrage")
    with pytest.raises(fp.InputError, match=r"joined by .*, not by commas"):
        called.why_not("barrage at=3030 fire=107-FA:4,109-FA:4 observer=I-110")


def test_the_words_of_a_result_name_the_moment_where_another_begins():
    (called,) = fp.position("asl/village").outcomes("call").results
    assert {event.moment for event in called.events} == {"turn 1 PFPh"}
    assert "turn 1 PFPh: " not in called.text
    segment = fp.position("wacht_am_rhein/dividing_fire").outcomes("pass").results[0]
    assert "barrage segment 2: The Americans begin" in segment.text
    assert "barrage segment 2: The Americans begin" in str(segment)
