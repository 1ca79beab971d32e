"""Games compared under conditions: each table's figures are conditional on the same event."""

from fractions import Fraction
from math import sqrt

import pytest

import fireplan as fp
from fireplan.cli import main

GAMES = ["asl", "wacht_am_rhein"]


@pytest.mark.full
def test_the_figures_are_those_of_the_opening_position_under_the_same_conditions():
    found = fp.compare(games=GAMES, minutes=6, given=["asl.contact=4,2"])
    table = fp.position("woods", game="asl").given(contact=fp.dice(4, 2))
    alone = table.odds(by=found["asl"].moments)
    assert found["asl"].measures == alone.answer.measures
    assert found.comparison.given == {"asl": ("contact=4 2", Fraction(1, 36))}
    free = fp.compare(games=GAMES, minutes=6)
    assert found["asl"].measures != free["asl"].measures
    assert found["wacht_am_rhein"].measures == free["wacht_am_rhein"].measures


@pytest.mark.full
def test_a_condition_without_a_game_holds_in_every_game():
    found = fp.compare(games=GAMES, minutes=6, given={"fall": True})
    assert {found[game].measures["delivered"].value for game in GAMES} == {1}
    free = fp.compare(games=GAMES, minutes=6)
    for game in GAMES:
        assert found.comparison.given[game] == ("fall", free[game].measures["delivered"].value)
    assert "Given\n  - Advanced Squad Leader: fall (chance:" in str(found)
    assert found.to_dict()["games"]["asl"]["given"] == "fall"


@pytest.mark.full
def test_a_sample_is_drawn_under_the_condition(monkeypatch):
    exact = fp.compare(games="asl", minutes=4, given=["fall"])["asl"].measures
    monkeypatch.setattr("fireplan.solver.states.MAX_WALKED", 5)
    sampled = fp.compare(games="asl", minutes=4, given=["fall"]).comparison.sampled["asl"]
    assert sampled.shares["fire for effect falls"][0] == 1
    share, _ = sampled.shares["asset exhausted or lost"]
    chance = float(exact["exhausted"].value)
    error = sqrt(chance * (1 - chance) / sampled.trajectories)
    assert 0 < abs(share - chance) <= 4 * error


def test_unknown_names_are_reported_with_their_game(capsys):
    wrong = ("--given", "asl.contcat=3", "red_poppies.signal=3", "contact=4,2")
    assert main(["compare", "--games", ",".join(GAMES), *wrong]) == 2
    refused = capsys.readouterr().err
    assert "--given: red_poppies.signal: expected one of the games compared" in refused
    assert "--given: asl: There is no roll or event 'contcat'. Did you mean 'contact'?" in refused
    assert "--given: wacht_am_rhein: There is no roll or event 'contact'" in refused


def test_a_condition_that_cannot_hold_leaves_no_answer():
    with pytest.raises(fp.InputError, match="The condition cannot be met in the time considered"):
        fp.compare(games="asl", minutes=1, given=["asl.repair=1"])
