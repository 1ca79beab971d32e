"""Orders compared by the chance of an event: each figure is the chance under that order."""

from fractions import Fraction

import pytest

import fireplan as fp

LATER = "requests.call=pass if turn=2"
NEVER = {"requests.call": "pass"}


@pytest.fixture(scope="module")
def village():
    return fp.position("asl/village")


def test_each_chance_is_that_under_the_orders_and_the_likeliest_comes_first(village):
    event = fp.happens("fall", on_target=True)
    rows = village.compare_orders({"later": LATER, "never": NEVER}, event, by="turn 3").rows()
    chances = {row["orders"]: Fraction(row["chance"]) for row in rows}
    assert chances == {
        "standard": village.chance(event, "turn 3").chance,
        "later": village.chance(event, "turn 3", orders=LATER).chance,
        "never": 0,
    }
    assert [*chances] == ["standard", "later", "never"]
    assert [*chances.values()] == sorted(chances.values(), reverse=True)


def test_orders_in_a_list_are_named_by_their_lines(village):
    rows = village.compare_orders([LATER, NEVER], "fall", by=1).rows()
    assert {row["orders"] for row in rows} == {"standard", LATER, "requests.call=pass"}


def test_every_fault_is_reported(village):
    with pytest.raises(fp.InputError) as refused:
        village.compare_orders(["requests.cal=pass"], "fal", by="turn 0")
    for hint in ("Did you mean 'fall'", "no moment 'turn 0'", "Did you mean 'requests.call'"):
        assert hint in str(refused.value)
    with pytest.raises(fp.InputError, match="expected several"):
        village.compare_orders(LATER, "fall")


def test_orders_of_the_decision_that_is_due_are_given_there_once(village):
    rows = village.compare_orders(["call", "pass"], "fall", by=3).rows()
    chances = {row["orders"]: Fraction(row["chance"]) for row in rows}
    for order in ("call", "pass"):
        outcome = village.play(order)
        assert chances[order] == outcome.chance("fall", by=3).chance
    assert chances["standard"] == chances["call"] > chances["pass"] > 0


def test_an_order_with_values_is_compared_with_a_rule():
    spotted = fp.position(
        'fp1 asl/village "turn 2 PFPh" a{stage=spotting round=@H6 black=7 contact access}'
        " > german?requests.fire(a)"
    )
    corrected, waited = "correct at=K5", "requests.fire=convert"
    hit = fp.happens("fall", on_target=True)
    rows = spotted.compare_orders([corrected, waited], hit, by="turn 2").rows()
    chances = {row["orders"]: Fraction(row["chance"]) for row in rows}
    assert chances[corrected] == spotted.play(corrected).chance(hit, by="turn 2").chance
    assert chances.keys() == {"standard", corrected, waited}


def test_an_order_that_is_not_on_offer_names_those_that_are(village):
    with pytest.raises(fp.InputError) as refused:
        village.compare_orders(["cal", "requests.cal=pass"], "fall", by=2)
    first, second = refused.value.faults
    assert first.startswith("There is no order of requests.call 'cal'. Did you mean 'call'?")
    assert "requests.cal" in second


def test_sampled_chances_have_their_errors(village):
    drawn = village.compare_orders(["pass"], "fall", by=2, sample=50)
    assert drawn.to_dict()["exact"] is False
    by_orders = {row["orders"]: row for row in drawn}
    again = village.chance("fall", 2, sample=50)
    assert by_orders["standard"]["chance"] == float(again.chance)
    assert by_orders["standard"]["standard_error"] == pytest.approx(again.error(value=True))
    assert by_orders["pass"]["chance"] == 0
