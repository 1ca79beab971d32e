"""Notes on the figures of answers: luck in words and moments, errors of differences,
contradictions.
"""

from fractions import Fraction

import pytest

import fireplan as fp
from fireplan import InputError
from fireplan.questions.changes import Changes
from fireplan.questions.luck import LuckResult
from fireplan.questions.odds_results import SampledWhatIf
from fireplan.questions.opening import catalogue
from fireplan.questions.result import Grid, Text
from fireplan.questions.sampling import Sample
from fireplan.solver.dice_luck import GameLuck, RollLuck
from fireplan_core.play import Variation


def luck(after, measure="harm"):
    """Return the luck of one roll in the first turn: 0 is expected, ``after`` results, and the
    standard deviation is 1/2.
    """
    roll = RollLuck(
        0, "attack", ("4", "2"), measure, Fraction(0), after, Fraction(1, 6), Fraction(1, 4)
    )
    return LuckResult("t", (GameLuck("german", (roll,)),), lambda moment: f"turn {moment + 1}")


@pytest.mark.parametrize(
    ("after", "deviations", "words"), [(1, "+2.00", " lucky"), (-1, "-2.00", "unlucky")]
)
def test_luck_is_in_standard_deviations_with_its_sign_in_words(after, deviations, words):
    *_, total = [block for block in luck(Fraction(after)).blocks() if isinstance(block, Text)]
    assert f"{deviations} standard deviations" in total.text
    assert words in f" {total.text}"


@pytest.mark.parametrize(
    ("measure", "gain"), [("reach", "+25.0 points of that chance"), ("harm", "+0.25 harm done")]
)
def test_luck_in_a_chance_is_in_points_and_luck_in_harm_in_units(measure, gain):
    assert gain in str(luck(Fraction(1, 4), measure))


@pytest.mark.full
def test_luck_names_rolls_as_the_game_does():
    # A German radio makes Contact on 8 or less: 26 of 36.
    played = str(fp.load("asl/behind_the_ridge").luck())
    assert "turn 1 PFPh: Radio Contact (3 3): chance on target " in played
    assert "; 72.2 % of rolls are at least as good" in played


def test_the_first_moment_has_the_number_1_in_the_data_of_luck():
    assert [row["moment"] for row in luck(Fraction(1)).rows()] == [1]


def test_errors_of_a_sampled_difference_add_by_their_squares():
    sampled = SampledWhatIf(
        "t", Sample(100), Variation(), {"falls": (0.5, 0.03)}, {"falls": (0.6, 0.04)}
    )
    (grid,) = [block for block in sampled.blocks() if isinstance(block, Grid)]
    ((*_, difference),) = grid.rows
    assert difference == "+10.0 ± 5.0 points"


def test_a_number_is_not_changed_to_two_values_at_once():
    twice = Changes(numbers=("asl.repaired=1", "asl.repaired=2"))
    with pytest.raises(InputError, match="choose one"):
        twice.read(catalogue())


@pytest.mark.full
def test_a_game_unaffected_by_a_fact_says_so_in_text_table_and_picture():
    """7.0 of Red Poppies: only a group's calibre counts, so ASL's number of batteries changes
    nothing.
    """
    games = ["asl", "red_poppies", "wacht_am_rhein"]
    found = fp.compare(games=games, minutes=10, guns=24)
    before = fp.compare(games=games, minutes=10).comparison.games
    reasons = {row["game"]: (row["no_change_by"], row["no_change_why"]) for row in found.rows()}
    for key, game in found.comparison.games.items():
        same = before[key].measures == game.measures
        assert (reasons[key][0] == "guns") == same
        said = f"{game.title}: guns change nothing: {reasons[key][1]}"
        assert (said in found.markdown()) == same
        assert (f"{game.title} (guns change nothing)" in found.svg()) == same
    assert "from the calibre (note to 7.0)" in reasons["red_poppies"][1]
    assert {name for name, _ in reasons.values()} == {"", "guns"}
    assert "no_change_by" not in fp.compare(games=["asl"], minutes=10).rows()[0]
