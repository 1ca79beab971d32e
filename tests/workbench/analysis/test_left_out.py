"""A game that is broken, too large or slow leaves the other games unaffected."""

from __future__ import annotations

import json

import broken_games
import pytest

import fireplan as fp
from fireplan.errors import InputError


@pytest.fixture(scope="module")
def found():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fireplan.solver.states.MAX_WALKED", 20_000)
        return fp.compare("woods", catalogue=broken_games.catalogue(), minutes=20)


@pytest.mark.full
def test_the_others_keep_their_exact_figures(found):
    alone = fp.compare("woods", catalogue=broken_games.catalogue(), minutes=20, games=["null"])
    assert list(found.comparison.games) == ["null"]
    assert found.to_dict()["games"]["null"] == alone.to_dict()["games"]["null"]


@pytest.mark.full
def test_each_that_fails_is_named_with_its_step_in_text_data_and_picture(found):
    told = {
        "raising": ("'radio'", "delays.reach", "(N2)"),
        "unstaged": ("ZeroDivisionError: no observers",),
    }
    data, text = json.loads(found.json())["games"], str(found)
    assert set(found.comparison.failed) == set(told)
    for key, words in told.items():
        assert f"The {key} game is left out" in text
        for word in words:
            assert word in data[key]["failed"]
            assert word in text
        assert key in found.csv()
        assert "Left out:" in found.svg()


@pytest.mark.full
def test_a_table_too_large_to_solve_is_sampled_with_standard_errors(found):
    column = found.to_dict()["games"]["growing"]
    assert column["exact"] is False
    assert column["why"].startswith("more than ")
    share, error = (column["measures"]["delivered"][name] for name in ("value", "standard_error"))
    assert 0 < error < 0.02 < share < 1
    assert "SAMPLED, 1,000 trajectories" in str(found)
    assert any(row["game"] == "growing" and row["unit"] == "sampled" for row in found.rows())


def test_a_game_that_would_take_too_long_is_skipped():
    """The message for the skipped game also gives the longest time within the limit."""
    asked = []

    def begin(seconds):
        asked.append(seconds)
        if len(asked) == 1:
            raise InputError("Not started.")

    told = fp.compare("woods", games=["asl", "red_poppies"], minutes=10, begin=begin)
    assert told.comparison.failed == {"asl": "Not started.\nminutes=9 is within the limit."}
    assert asked[1] < asked[0]
    assert list(told.comparison.games) == ["red_poppies"]


def test_where_no_game_answers_everything_is_refused():
    with pytest.raises(InputError, match=r"The raising game: .*\n.*The unstaged game: "):
        fp.compare(
            "woods", catalogue=broken_games.catalogue(), minutes=20, games=["raising", "unstaged"]
        )
