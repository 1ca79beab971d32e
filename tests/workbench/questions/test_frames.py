"""Answers as data frames: every column has one type, and exact figures have a number beside them."""

from fractions import Fraction

import pytest

import fireplan as fp
from fireplan.questions.frames import columns


@pytest.mark.parametrize(
    "ask",
    [
        fp.games,
        fp.scenarios,
        lambda: fp.odds("asl/village", moments=3),
        lambda: fp.compare(games="asl", minutes=5),
        lambda: fp.whatif("asl/village", set={"asl.radio_contact": 7}, minutes=3),
    ],
    ids=["games", "scenarios", "odds", "compare", "whatif"],
)
def test_every_column_of_a_frame_has_one_type(ask):
    answer = ask()
    found = columns(answer.rows())
    assert found
    for name, cells in found.items():
        assert len(cells) == len(answer.rows()), name
        assert len({type(cell) for cell in cells if cell is not None}) <= 1, name


def test_polars_takes_the_frames_that_it_refused():
    polars = pytest.importorskip("polars")
    assert fp.games().to_frame("polars")["key"].to_list()[0] == "asl"
    frame = fp.odds("asl/village", moments=3).to_frame("polars")
    assert frame.schema["probability_float"] == polars.Float64
    assert frame.schema["decimal"] == polars.Float64


def test_floats_beside_exact_rationals_are_these_rationals():
    found = columns(fp.odds("asl/village", moments=3).rows())
    pairs = zip(found["probability"], found["probability_float"], strict=True)
    told = [(Fraction(exact), near) for exact, near in pairs if exact is not None]
    assert len(told) > 3
    assert all(float(exact) == near for exact, near in told)


def test_numbers_and_words_are_set_apart_and_labels_stay_text():
    rows = [{"value": 2, "hex": "0612"}, {"value": "unresolved", "hex": "0611"}, {"value": ""}]
    assert columns(rows) == {
        "value": [2, None, None],
        "value_text": ["2", "unresolved", None],
        "hex": ["0612", "0611", None],
    }


def test_whole_probabilities_have_floats_too():
    assert columns([{"probability": "1"}]) == {"probability": ["1"], "probability_float": [1.0]}


def test_a_library_that_is_not_known_is_refused():
    with pytest.raises(fp.InputError, match="Did you mean 'polars'"):
        fp.games().to_frame("polar")
