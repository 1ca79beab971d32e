"""Strategies: read, printed and followed exactly, or refused where they cannot be followed."""

from fractions import Fraction

import pytest
from tiers import one_in

import fireplan as fp
from fireplan.strategies import OrderRule

TURN_4 = 6
"""The number of the moment in which turn 4 begins."""
LINES = (
    "requests.fire=convert; delays.contact=roll",
    "requests.call=call once; requests.call=pass",
    'german: fire=convert if on target and not "1st squad.broken"; fire=correct at=target 3 times',
    "fire=place at=K5 twice if turn>=3 and a.stage=requested and off<=40",
    '*=standard if "K5.smoke">=2; deplete=deplete units="109-FA+687 FA" if asked=2',
)


def walked(start, decide, kind, until):
    """Return the chance of an event by hand: every outcome, with the orders of ``decide``.

    ``decide(position, memory)`` returns an order and the new memory. Play is followed up to the
    beginning of the moment numbered ``until``.
    """
    known = {}

    def chance(at, memory):
        if at.at.moment >= until or at.waits_for == "nothing":
            return Fraction(0)
        key = at.line, memory
        if key not in known:
            order = None
            after = memory
            if not at.waits_for.startswith("roll "):
                order, after = decide(at, memory)
            known[key] = sum(
                row.chance
                * (
                    Fraction(1)
                    if any(event.kind == kind for event in row.events)
                    else chance(row.position, after)
                )
                for row in at.outcomes(order)
            )
        return known[key]

    return chance(start, None)


@pytest.fixture(scope="module")
def village():
    return fp.position("asl/village", turn=2, a={"stage": "requested", "contact": True})


def standard(at):
    return at.standard()


@pytest.mark.parametrize("line", LINES)
def test_a_line_reads_back_to_itself(line):
    read = fp.strategy(line)
    assert fp.strategy(str(read)) == read
    assert str(fp.strategy(str(read))) == str(read)


def test_a_strategy_is_saved_and_read_from_its_file(tmp_path):
    plan = fp.strategy(LINES[0], german=LINES[1])
    assert fp.strategy(plan.save(tmp_path / "plan.txt")) == plan
    assert [rule.side for rule in plan.rules] == ["", "", "german", "german"]


def test_a_function_has_no_line(tmp_path):
    plan = fp.strategy(lambda position, question: None)
    with pytest.raises(fp.InputError, match="cannot be written as rules"):
        plan.save(tmp_path / "plan.txt")


def test_a_strategy_is_extended_and_overridden():
    plan = fp.strategy({"fire": "convert"})
    assert str(plan.then("fire=cancel")) == "fire=convert; fire=cancel"
    assert str(plan.but({"fire": ["cancel if off>80"]})) == "fire=cancel if off>80; fire=convert"
    assert plan.of("german").rules == (OrderRule("fire", "convert", "german"),)


def test_every_fault_of_the_rules_is_listed_at_once():
    with pytest.raises(fp.InputError) as caught:
        fp.strategy("fire; =convert; fire=; fire=convert if a if b")
    assert len(caught.value.faults) == 4


def test_every_name_that_the_table_does_not_have_is_refused_at_once(village):
    with pytest.raises(fp.InputError) as caught:
        village.under(
            "fyre=convert; french: fire=convert; fire=convert if a.stge=spotting;"
            "fire=convert if a.stage=spoting; fire=convert if 9th squad.broken; fire=pass if nice"
        )
    faults = "\n".join(caught.value.faults)
    assert len(caught.value.faults) == 6
    for hint in (
        "question 'fyre'",
        "Available: german, russian",
        "'stage'",
        "did you mean spotting?",
    ):
        assert hint in faults


def test_a_misspelt_time_is_told_from_the_facts(village):
    with pytest.raises(fp.InputError, match="Did you mean 'turn'"):
        village.chance("fall", by=1, orders="requests.fire=pass if trun=1")


def test_an_empty_strategy_means_the_standard_orders(village):
    assert village.chance("fall", by="turn 3", orders="") == village.chance("fall", by="turn 3")
    assert village.chance("fall", by="turn 3", orders="*=standard") == village.chance(
        "fall", by="turn 3"
    )
    assert not village.under("call=pass").under().strategy.rules


def test_the_first_rule_that_fits_answers(village):
    never = village.chance("fall", by="turn 3", orders="fire=pass")
    assert never == 0
    assert village.chance("fall", by="turn 3", orders="fire=standard; fire=pass") != 0
    assert village.chance("fall", by="turn 3", orders="russian: fire=pass") != 0


@pytest.mark.full
def test_a_condition_on_the_time_equals_a_walk_by_hand(village):
    def decide(at, memory):
        spotted = at["a", "stage"] == "spotting"
        if (
            at.waits_for.endswith("requests.fire")
            and not spotted
            and at.moment.startswith("turn 2")
        ):
            return "pass", memory
        return at.standard(), memory

    orders = "fire=pass if turn=2 and not a.stage=spotting"
    exact = village.chance("fall", by="turn 3", orders=orders)
    assert exact == walked(village, decide, "fall", TURN_4)
    assert 0 < exact.chance < village.chance("fall", by="turn 3").chance


@pytest.mark.full
def test_an_order_given_once_is_counted_exactly(village):
    """The first option of a fire phase is declined, and no later one."""

    def decide(at, memory):
        if at.waits_for.endswith("requests.fire") and not memory:
            return "pass", True
        return at.standard(), memory

    exact = village.chance("fall", by="turn 3", orders="fire=pass once")
    assert exact == walked(village, decide, "fall", TURN_4)
    assert 0 < exact.chance < village.chance("fall", by="turn 3").chance


def test_a_function_is_followed_like_a_rule(village):
    def late(position, question):
        first = question.name == "requests.fire" and position["a", "stage"] == "requested"
        return "pass" if first and question.asset == "a" and "pass" in question.orders else None

    by_rule = village.chance("fall", by="turn 3", orders="fire=pass if a.stage=requested")
    assert village.chance("fall", by="turn 3", orders=late) == by_rule
    assert village.chance("fall", by="turn 3", orders={"requests.fire": late}) == by_rule


def test_orders_that_cannot_be_followed_are_refused_with_the_position(village):
    with pytest.raises(fp.InputError) as caught:
        village.chance("fall", by="turn 3", orders="fire=convert")
    why, where = caught.value.faults
    failing = fp.position(where.partition("position ")[2])
    assert failing.waits_for == "german: requests.fire"
    assert failing.why_not("convert") is not None
    assert failing.why_not("convert") in why
    if_legal = village.chance("fall", by="turn 3", orders="fire=convert if legal")
    assert if_legal != 0


def test_the_position_is_named_even_without_a_record_of_the_unit():
    # The record of telephone wires (Works) is looked up for every unit, and the lieutenant has
    # none.
    with pytest.raises(fp.InputError) as caught:
        fp.odds("asl/village", moments=4, orders="fire=convert")
    why, where = caught.value.faults
    assert "C1.333" in why
    assert fp.position(where.partition("position ")[2]).why_not("convert") is not None


def test_an_order_that_is_never_on_offer_is_refused(village):
    with pytest.raises(fp.InputError, match="Did you mean 'convert'"):
        village.chance("fall", by="turn 3", orders="fire=convrt")


@pytest.mark.parametrize("orders", one_in(2, ["fire=pass if asked=1 and turn<3", "fire=pass once"]))
def test_every_question_of_a_position_follows_the_orders(village, orders):
    under = village.under(orders)
    exact = village.chance("fall", by="turn 3", orders=orders)
    assert under.chance("fall", by="turn 3") == exact
    shares = under.distribution(lambda end: end["a", "stage"] == "requested", by="turn 3").shares
    other = village.distribution(
        lambda end: end["a", "stage"] == "requested", by="turn 3", orders=orders
    )
    assert shares == other.shares
    odds = village.odds("turn 3", orders=orders)
    assert odds.curve[-1][1] == exact.chance
    assert "otherwise the standard ones" in str(odds)
    given = village.given("fall").chance("fall", by="turn 3", orders=orders)
    assert given == 1
    sampled = village.chance("fall", by="turn 3", orders=orders, sample=400)
    assert abs(float(sampled) - float(exact)) < 0.1
    stories = village.stories(60, by="turn 3", orders=orders)
    assert all("pass" not in line for story in stories for line in story.lines)


def test_a_count_carries_through_play_and_restarts_with_new_orders():
    orders = "declare=barrage once; declare=pass; barrage=hold"
    at = fp.position("wacht_am_rhein/dividing_fire").under(orders)
    assert at.standard() == "barrage"
    held = at.play("barrage").play("hold")
    while held.question is None:
        held = held.outcomes().results[0].position
    assert held.question.name == "requests.declare"
    assert held.standard() == "pass"
    assert held.under(orders).standard() == "barrage"
    assert held.under() == fp.position(held.line)


@pytest.mark.parametrize("condition", ["on target=no", "on target!=yes", "not on target=yes"])
def test_on_target_may_be_compared_with_yes_or_no(village, condition):
    off_target = village.chance("fall", by="turn 3", orders="fire=cancel if not on target")
    assert off_target != village.chance("fall", by="turn 3", orders="fire=cancel if on target")
    assert village.chance("fall", by="turn 3", orders=f"fire=cancel if {condition}") == off_target


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("on target=maybe", "expected yes or no"),
        ("a.red>=100", "a.red is 0 to 99, never >=100"),
        ("a.red<0", "a.red is 0 to 99, never <0"),
        ("asked=0", "asked is 1 or more, never =0"),
        ("asked<1", "asked is 1 or more, never <1"),
        ("mission=b", "There is no asset 'b'. Available: a"),
        ("a.stage", "a.stage always holds: name a value, such as a.stage=idle"),
    ],
)
def test_a_condition_that_decides_nothing_is_refused(village, condition, words):
    with pytest.raises(fp.InputError, match=words):
        village.under(f"fire=cancel if {condition}")


@pytest.mark.parametrize(
    "condition", ["a.red>=99", "a.red<1", "asked>=1", "a.contact=no", "a.reason", "a.round"]
)
def test_a_condition_that_may_hold_is_accepted(village, condition):
    assert village.under(f"fire=cancel if {condition}").strategy.rules


@pytest.mark.parametrize(
    "orders",
    ["fire=convert if on target", "fire=cancel if turn=5", "fire=pass; fire=leave if on target"],
)
def test_an_order_offered_only_later_in_play_is_allowed(orders):
    opening = fp.position("asl/village")
    first = opening.chance("fall", by="turn 1 PFPh", orders=orders)
    assert first == opening.chance("fall", by="turn 1 PFPh") == 0


def test_an_order_of_another_question_is_refused_with_all_that_are_on_offer_in_play():
    with pytest.raises(fp.InputError, match=r"no order 'roll'.* convert"):
        fp.position("asl/village").chance("fall", by="turn 1 PFPh", orders="fire=roll")
