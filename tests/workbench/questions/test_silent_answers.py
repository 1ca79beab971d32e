"""A value that can never match is refused with a suggestion, not answered with 0."""

import copy
import pickle
import re
from fractions import Fraction

import pytest

import fireplan as fp
from fireplan_core import Stage


@pytest.fixture(scope="module")
def village():
    return fp.position("asl/village")


def hurt(position, unit):
    return position.chance(fp.happens("suffered", unit=unit), by="turn 2").chance


@pytest.mark.full
def test_several_values_mean_any_of_them(village):
    one, other = (hurt(village, unit) for unit in ("1st squad", "2nd squad"))
    either = hurt(village, ["1st squad", "2nd squad"])
    assert max(one, other) < either < one + other
    for several in (("1st squad", "2nd squad"), {"1st squad", "2nd squad"}):
        assert hurt(village, several) == either
    assert hurt(village, ("1st squad",)) == one


@pytest.mark.full
def test_several_results_of_a_roll_mean_any_of_them(village):
    chances = [village.given(accuracy=face) for face in (1, 2)]
    apart = [one.chance("fall", by="turn 3").condition_chance for one in chances]
    together = village.given(accuracy=[1, 2]).chance("fall", by="turn 3").condition_chance
    assert together == sum(apart) > 0


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"unit": None}, "There is no unit 'None'"),
        ({"unit": []}, "expected a value, got an empty list"),
        ({"unit": ["1st squad", "4th squad"]}, "Did you mean '1st squad'"),
        ({"severity": ["destroyed", "destroid"]}, "Did you mean 'destroyed'"),
        ({"sevrity": "destroyed"}, "Did you mean 'severity'"),
    ],
)
def test_a_value_that_no_event_can_have_is_refused(village, fields, words):
    with pytest.raises(fp.InputError, match=words):
        village.chance(fp.happens("suffered", **fields), by="turn 3")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"impact": "ZZ99"}, "there is no column ZZ"),
        ({"on_target": "perhaps"}, "Available: yes, no"),
        ({"gap": "far"}, "expected a number"),
    ],
)
def test_a_fall_that_no_rule_allows_is_refused(village, fields, words):
    with pytest.raises(fp.InputError, match=words):
        village.chance(fp.happens("fall", **fields), by="turn 3")


def test_refusals_do_not_depend_on_events_within_the_time(village):
    with pytest.raises(fp.InputError, match="Did you mean '1st squad'"):
        village.chance(fp.happens("suffered", unit="1st squd"), by=1)
    with pytest.raises(
        fp.InputError,
        match="There is no field of the event fall 'onn_target'",
    ):
        village.chance(fp.happens("fall", onn_target=True), by=1)


def test_a_possible_event_that_never_happens_is_an_exact_0(village):
    assert village.chance(fp.happens("fall", impact="A1"), by="turn 3").chance == 0
    assert village.chance(fp.happens("suffered", severity="destroyed"), by=1).chance == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"accuracy": 13}, "There is no result of accuracy '13'"),
        ({"accuracy": [1, 13]}, "There is no result of accuracy '13'"),
        ({"accuracy": fp.dice(7)}, "There is no result of accuracy '7'"),
        ({"access": ["red", "blac"]}, "Did you mean 'black'"),
        ({"accuracy": []}, "got an empty list"),
        ({"suffered": {"unit": "1st squd"}}, "Did you mean '1st squad'"),
    ],
)
def test_a_condition_that_cannot_be_met_is_refused(village, given, words):
    with pytest.raises(fp.InputError, match=words):
        village.given(**given).chance("fall", by="turn 3")


def test_a_stage_equals_the_word_that_sets_it_and_no_other_spelling(village):
    stages = village.distribution(lambda end: end["a", "stage"], by=1)
    by_word = village.distribution(lambda end: end["a", "stage"] == "spotting", by=1)
    assert by_word[True] == stages["spotting"] == stages.shares["spotting"] == Fraction(52, 99)
    for other, words in [
        ("spoting", "Did you mean 'spotting'"),
        ("SPOTTING", "write 'spotting' instead of 'SPOTTING'"),
        (Stage.SPOTTING, "write 'spotting' instead of"),
        (3, "There is no value of stage '3'"),
    ]:
        with pytest.raises(fp.InputError, match=words):
            village.distribution(lambda end, other=other: end["a", "stage"] == other, by=1)
        with pytest.raises(fp.InputError, match=words):
            stages[other]
    with pytest.raises(fp.InputError, match="'ZZ9' is not the label of a place"):
        village.distribution(lambda end: end["1st squad", "place"] == "ZZ9", by=1)


def test_a_word_is_found_in_lists_and_never_missed_in_sets(village):
    stage, place = village["a", "stage"], village["1st squad", "place"]
    assert stage in ["idle", "requested"]
    assert stage not in ("spotting", "falling")
    assert {"idle": 3}[str(stage)] == 3
    for collection in ({"idle"}, {"IDLE"}, {Stage.IDLE}, {Stage.IDLE: 1}, frozenset({"H6"})):
        for word in (stage, place):
            with pytest.raises(fp.InputError, match="compare it with == or with a list"):
                word in collection  # noqa: B015
    with pytest.raises(fp.InputError, match="write 'idle' instead of"):
        stage in ["ended", Stage.IDLE]  # noqa: B015
    assert stage is not None
    assert place != None  # noqa: E711
    with pytest.raises(fp.InputError, match=r"stage is never None\. Available: idle"):
        stage != None  # noqa: B015, E711


def test_words_are_copied_and_pickled_with_their_possible_values(village):
    for word in (village["a", "stage"], village["1st squad", "place"], village["a", "type"]):
        for twin in (
            pickle.loads(pickle.dumps(word)),  # noqa: S301
            copy.deepcopy(word),
            copy.copy(word),
        ):
            assert twin == word == str(word)
            with pytest.raises(fp.InputError, match="ZZZZ"):
                twin == "ZZZZ"  # noqa: B015
            with pytest.raises(fp.InputError):
                hash(twin)


def test_stories_are_chosen_by_the_same_words(village):
    stories = village.stories(20, by="turn 3")
    with pytest.raises(fp.InputError, match="Did you mean '1st squad'"):
        stories.where(fp.happens("suffered", unit="1st squd"))


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({"least": 0, "most": 0}, "fall never"),
        ({"least": 2}, "fall at least 2 times"),
        ({"least": 1, "most": 3}, "fall 1 to 3 times"),
        ({"least": 2, "most": 2}, "fall 2 times"),
    ],
)
def test_the_number_of_events_is_in_words(village, bounds, words):
    assert village.chance(fp.happens("fall", **bounds), by=1).asked == f"Chance of {words}"


def test_an_unknown_field_of_an_event_is_refused_even_if_none_happens(village):
    assert village.chance(fp.happens("line_cut", unit="1st squad"), by=1).chance == 0
    with pytest.raises(fp.InputError, match="no field of the event line_cut 'how'"):
        village.chance(fp.happens("line_cut", how="cut"), by=1)


def test_a_condition_may_hold_of_every_turn():
    """The condition requires three couplets in each of two turns, not only in the first."""
    pinon = fp.position("red_poppies/battle_for_pinon")
    always = pinon.given(initiative={"couplets": 3}, every="turn").chance("fall", by="turn 2")
    other = fp.happens("initiative", couplets=[1, 2, 4, 5], least=0, most=0)
    assert always.chance == pinon.given(other).chance("fall", by="turn 2").chance
    first = pinon.given(initiative={"couplets": 3}).chance("fall", by="turn 2")
    assert always.chance != first.chance
    assert "every initiative" in str(always)
    with pytest.raises(fp.InputError, match="Did you mean 'turn'"):
        pinon.given(initiative={"couplets": 3}, every="trun")


def test_c1_2_every_roll_of_a_name_may_be_asked():
    """Contact needs 8 or less, so if every attempt rolls 12 no fire ever falls."""
    village = fp.position("asl/village")
    assert village.given(contact=12, every="phase").chance("fall", by="turn 2").chance == 0
    assert village.given(contact=12).chance("fall", by="turn 2").chance > 0


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (lambda at: at.expect("fall", by=1), "expected a function of the position"),
        (
            lambda at: at.distribution({"fall": 1}, by=1),
            "end['1st squad', 'broken'], got {'fall': 1}",
        ),
        (lambda at: at.play({"call": 1}), "expected an order in words"),
        (lambda at: at.throw("contact", 3), "no asset '3'"),
        (lambda at: at.throw(3, "a"), "no throw '3'"),
        (
            lambda at: at.chance(fp.happens("fall", most=0), by=1),
            "never happens has least=0, most=0",
        ),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_the_expected_one(ask, expected):
    with pytest.raises(fp.InputError, match=f"(?i){re.escape(expected)}"):
        ask(fp.position("asl/village"))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"gap": 41}, "Where fall happens, gap is 0, 1, 4, never 41."),
        ({"gap": [41, 42], "on_target": True}, "gap is 0, 1, 4, never 41 or 42."),
        ({"impact": "A1"}, r"impact is K5, .* and 1 other, never A1."),
    ],
)
def test_an_exact_0_lists_the_values_that_events_have(fields, words):
    village = fp.position("asl/village", turn=2, a={"stage": "requested", "contact": True})
    never = village.chance(fp.happens("fall", **fields), by="turn 2")
    assert never.chance == 0
    assert re.search(words, " ".join(str(never).split()))
    assert never.to_dict()["never"] == never.never


def test_no_note_appears_for_values_that_occur_or_events_that_do_not(village):
    assert not village.chance(fp.happens("fall", gap=0), by="turn 2").never
    assert not village.chance(fp.happens("suffered", unit="tank"), by=1).never


@pytest.mark.parametrize(
    "ask",
    [
        lambda village: village.chance(["fall", "suffered"], by="turn 2"),
        lambda village: village.chance(None, by="turn 2"),
        lambda village: village.given(3),
        lambda village: village.play(until=5),
        lambda village: village.stories(5, by="turn 2").where(["fall"]),
    ],
    ids=["several", "none", "given", "until", "where"],
)
def test_an_unknown_event_is_refused_with_the_known_ones(village, ask):
    with pytest.raises(fp.InputError, match=r"such as 'fall' or happens\('fall'\)"):
        ask(village)


@pytest.mark.parametrize("bounds", [{"least": 1.5}, {"least": "two"}, {"most": True}])
def test_events_are_counted_in_whole_numbers(village, bounds):
    with pytest.raises(fp.InputError, match="expected a whole number of events"):
        village.chance(fp.happens("fall", **bounds), by="turn 2")


def test_several_dice_are_printed_as_they_are_typed(village):
    either = village.given(contact=[fp.dice(4, 2), fp.dice(2, 4)])
    assert "given contact=4 2 or 2 4" in str(either)


def test_the_moments_of_a_condition_and_the_number_of_stories_are_read(village):
    with pytest.raises(fp.InputError, match="no moment 'True'"):
        village.given(accuracy=1, every=True)
    with pytest.raises(fp.InputError, match="a whole number of courses of play"):
        village.stories("fall")
