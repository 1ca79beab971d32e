"""Answers as data frames: each column has one type, and exact figures have a float beside them."""

from fractions import Fraction

import pytest
from tiers import one_in

import fireplan as fp
from fireplan.questions.frames import columns


@pytest.mark.parametrize(
    "ask",
    one_in(
        2,
        [
            fp.games,
            lambda: fp.odds("asl/village", moments=3),
            fp.scenarios,
            lambda: fp.whatif("asl/village", set={"asl.radio_contact": 7}, minutes=3),
            lambda: fp.compare(games="asl", minutes=5),
        ],
    ),
    ids=["games", "odds", "scenarios", "whatif", "compare"],
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


def test_numbers_of_rules_stay_text():
    assert columns(fp.rules("red_poppies").rows())["id"][:3] == ["1.0", "2.0", "2.1"]
    assert columns([{"rule": "5.10"}, {"rule": "5.2"}]) == {"rule": ["5.10", "5.2"]}


def test_a_certain_outcome_has_a_number_too():
    (certain,) = columns(fp.position("asl/village").outcomes("call").rows())["chance_float"]
    assert certain == 1.0


def test_a_reason_among_the_decimals_leaves_them_numbers():
    answer = fp.compare(games="wacht_am_rhein", minutes=4)
    found = columns(answer.rows())
    rows = zip(answer.rows(), found["decimal"], found["decimal_text"], strict=True)
    for row, number, words in rows:
        assert words == (row["decimal"] if row["value"] == "not modelled" else None)
        assert number == (None if words or not row["decimal"] else float(row["decimal"]))


def test_a_number_of_a_distribution_is_a_number():
    left = fp.position("asl/village").distribution(lambda end: end["a", "black"], 1)
    assert {type(value) for value in columns(left.rows())["value"]} == {int}
    assert sum(columns(left.rows())["share_float"]) == pytest.approx(1)


def test_stories_are_a_table_of_events():
    found = fp.position("asl/village").stories(20, by=1)
    told = columns(found.rows())
    assert len(told["happens"]) == sum(len(story.lines) for story in found)
    assert {*told["story"]} == {*range(1, len(found) + 1)}
    assert told["chance_float"][0] == float(found[0].chance)


def test_a_changed_scenario_has_the_same_columns_as_a_changed_engagement():
    changes = {"wacht_am_rhein.men_per_step": 30}
    scenario = fp.whatif("wacht_am_rhein/crossroads", set=changes)
    engagement = fp.whatif(games="wacht_am_rhein", minutes=4, set=changes)
    assert {*scenario.rows()[0]} == {*engagement.rows()[0]}
    frame = columns(scenario.rows())
    assert {*frame["game"]} == {"wacht_am_rhein", "wacht_am_rhein*"}
    destroyed = zip(frame["game"], frame["measure"], frame["decimal"], strict=True)
    by_game = {game: number for game, measure, number in destroyed if measure == "destroyed"}
    assert by_game["wacht_am_rhein*"] == pytest.approx(
        float(scenario.after.measures["destroyed"].value), abs=1e-6
    )


def test_axes_of_a_sweep_are_columns_of_its_frame(tmp_path):
    polars = pytest.importorskip("polars")
    plan = tmp_path / "guns.toml"
    plan.write_text(
        'title = "Guns"\nengagements = ["woods"]\ngames = ["wacht_am_rhein"]\nminutes = 4\n'
        '[[vary]]\nfact = "guns"\nvalues = [6, 12]\n'
    )
    frame = fp.sweep(plan, workers=1).to_frame("polars")
    assert frame["guns"].to_list() == [6, 12]
    assert frame.schema["destroyed_float"] == polars.Float64
    assert not {"facts", "options", "numbers", "answer"} & {*frame.columns}


@pytest.mark.full
def test_the_steps_of_a_ranking_have_numbers_of_the_measure():
    found = columns(fp.sensitivity(measure="delivered", game="wacht_am_rhein", minutes=4).rows())
    assert {type(step) for step in found["delivered_float"]} <= {float, type(None)}


def test_the_measures_have_one_unit_everywhere():
    answered = fp.compare(games="wacht_am_rhein", minutes=4)["wacht_am_rhein"].measures
    listed = {row["name"]: row["unit"] for row in fp.measures()}
    best = fp.best(game="wacht_am_rhein", goal="destroyed", moments=1).to_dict()
    assert {name: answered[name].unit for name in ("suppressed", "reduced", "destroyed")} == {
        name: listed[name] for name in ("suppressed", "reduced", "destroyed")
    }
    assert best["unit"] == listed["destroyed"]
