"""Every question refuses arguments of a wrong type with a plain message."""

import pytest

import fireplan as fp
from fireplan.positions.sources import Fact
from fireplan.questions.odds import Odds
from fireplan.questions.question import read

VILLAGE = fp.position("asl/village")
ASKED = {
    "sample: expected a whole number, got 1.5": lambda: VILLAGE.chance("fall", sample=1.5),
    "sample: expected a whole number, got 'x'": lambda: VILLAGE.chance("fall", sample="x"),
    "a function with a number, text or tuple": lambda: VILLAGE.distribution(lambda _: [1], by=1),
    "A position is indexed by an owner and a field": lambda: VILLAGE[3],
    "not by [(]None, 'x'[)]": lambda: VILLAGE[None, "x"],
    "not by [(][)]": lambda: VILLAGE[()],
    "There is no order 'fire'": lambda: VILLAGE.legal()["fire"],
    "Expected an order in words, .* got 3": lambda: VILLAGE.play(3),
    "There is no measure '3'": lambda: VILLAGE.best(3),
    "There is no side '3'": lambda: VILLAGE.belief(3),
    "There is no query '3'": lambda: VILLAGE.query(3),
    "'None': a label is": lambda: VILLAGE.neighbours(None),
    "'3': a label is": lambda: VILLAGE.distance(3, 4),
    "None.*: a label is": lambda: VILLAGE.covers("a", None),
    "a.3: there is no field": lambda: VILLAGE.having(a={3: 4}),
    "No position is named": lambda: fp.position(None),
    "expected names with values, such as": lambda: fp.position("asl/village", set=3),
}


@pytest.mark.parametrize("words", ASKED)
def test_an_argument_of_a_wrong_type_is_refused_in_words(words):
    with pytest.raises(fp.InputError, match=words):
        ASKED[words]()


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", True), ("true", True), ("yes", True), ("0", False), ("false", False), ("no", False)],
)
def test_yes_and_no_are_written_in_three_ways_each(text, value):
    values, faults = read(Odds, {"floats": text})
    assert (values["floats"], faults) == (value, [])
    if text not in "10":
        assert Fact("own_troops", ("own_troops",), bool, "").read(text) is value
