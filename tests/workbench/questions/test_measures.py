"""One vocabulary of measures: a name means the same number wherever it is used."""

from fractions import Fraction

import pytest

import fireplan as fp
from fireplan.analysis import FIGURES
from fireplan.analysis.answers import NotModelled
from fireplan.solver.best import MEASURES

QUICK = ("minutes_to_first_effect",)
STAGED = {"game": "wacht_am_rhein", "guns": 24, "own_troops": 100}


@pytest.fixture(scope="module")
def odds():
    return fp.odds("woods", **STAGED)


def test_every_figure_is_a_measure_of_every_answer_and_a_goal_of_best(odds):
    assert FIGURES.keys() <= odds.answer.measures.keys()
    assert FIGURES.keys() <= MEASURES.keys()
    for name in FIGURES:
        assert isinstance(odds.answer.measures[name].value, Fraction), name
        assert odds.to_dict()["measures"][name]["value"] == str(odds.answer.measures[name].value)


@pytest.mark.parametrize(
    "name",
    [
        name if name in QUICK else pytest.param(name, marks=pytest.mark.long)
        for name in sorted(FIGURES)
    ],
)
def test_a_name_means_the_same_number_in_answers_sensitivity_and_tune(name, odds):
    value = odds.answer.measures[name].value
    want = f"{name} >= 0"
    assert fp.sensitivity(measure=name, **STAGED).found.value == value
    assert fp.tune("wacht_am_rhein", "woods", want=want, guns=24, own_troops=100).rows()[0][
        want.replace(">= 0", ">= 0 min" if "minutes" in name else ">= 0 %")
    ] == str(value)


@pytest.mark.parametrize("name", ["delivered", "on_target", "minutes_to_first_effect", "destroyed"])
def test_best_measures_its_standard_doctrine_as_answers_do(name):
    staged = {"game": "wacht_am_rhein", "moments": 1}
    standard = fp.best(goal=name, **staged).found.standard
    assert (
        standard == fp.position("woods", game="wacht_am_rhein").odds(1).answer.measures[name].value
    )


def test_harm_adds_up_to_the_distribution_of_the_worst_result(odds):
    shares = dict(odds.answer.measures["target_severity"].distribution)
    values = {
        name: odds.answer.measures[name].value for name in ("suppressed", "reduced", "destroyed")
    }
    assert values["destroyed"] == shares["destroyed"]
    assert values["reduced"] == shares["destroyed"] + shares["reduced"]
    assert values["suppressed"] == 1 - shares["none"]


def test_an_unknown_name_is_refused_with_suggestions(odds):
    for name, meant in (("destroyd", "destroyed"), ("minutes", "minutes_to_first_effect")):
        with pytest.raises(fp.InputError, match=f"Did you mean '{meant}'"):
            odds.answer.measures[name]
        with pytest.raises(fp.InputError, match=f"Did you mean '{meant}'"):
            fp.tune("wacht_am_rhein", want=f"{name} < 3")
        with pytest.raises(fp.InputError, match=f"Did you mean '{meant}'"):
            fp.best(goal=name, **STAGED)
    assert "nothing" not in odds.answer.measures


def test_a_measure_without_a_number_gives_the_reason(odds):
    with pytest.raises(fp.InputError, match="its values are words"):
        _ = odds.answer.measures["target_severity"].value
    with pytest.raises(fp.InputError, match="is not modelled: no own troops near"):
        _ = NotModelled("no own troops near the target").value


def test_a_number_counts_by_its_largest_change_up_or_down():
    effects = fp.sensitivity(game="wacht_am_rhein", minutes=4, measure="delivered").found.effects
    for effect in effects:
        changes = [abs(step.by) for step in effect.moved if step.by is not None]
        assert effect.by == max(changes, default=0), effect.name
    assert [step.by for step in effects[0].moved] == [0, -1]
