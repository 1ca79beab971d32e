"""Wherever a game's figures are shown, the reconstructed numbers and charts that they rest on are
named.
"""

from __future__ import annotations

from importlib import resources

import attrs
import null_game
import pytest

import fireplan as fp
from fireplan_core.chance import numbers_from_csv
from fireplan_core.play import Catalogue

NUMBERS = """name,value,least,most,provenance,rule,summary
patience,4,2,6,reconstructed,N2,turns before the link is given up
volume,6,2,12,printed,N3,shells of a fire mission
"""
NOTE = "patience is reconstructed (N2): turns before the link is given up"


@pytest.fixture
def catalogue(tmp_path):
    (tmp_path / "numbers.csv").write_text(NUMBERS)
    found = Catalogue()
    found.admit(null_game)
    game = found["null"].game
    charts = {**game.charts, "numbers": numbers_from_csv("numbers", tmp_path / "numbers.csv")}
    found.games["null"] = attrs.evolve(found["null"], game=attrs.evolve(game, charts=charts))
    return found


@pytest.mark.parametrize(
    "asked",
    [
        lambda catalogue: fp.odds("woods", game="null", catalogue=catalogue),
        lambda catalogue: fp.odds("woods", game="null", sample=50, catalogue=catalogue),
        lambda catalogue: fp.compare("woods", catalogue=catalogue),
        pytest.param(
            lambda catalogue: fp.best(
                "woods", "delivered", game="null", moments=2, catalogue=catalogue
            ),
            marks=pytest.mark.full,
        ),
    ],
    ids=["odds", "sampled", "compare", "best"],
)
def test_every_answer_names_reconstructed_values_and_no_printed_ones(asked, catalogue):
    found = asked(catalogue)
    for text in (" ".join(str(found).split()), found.json()):
        assert NOTE in text
        assert "volume is" not in text


def test_a_chart_that_the_game_mentions_is_not_mentioned_twice():
    notes = fp.odds("woods", game="miniatures_1943", minutes=9).to_dict()["rests_on"]
    assert sum("request chart is reconstructed" in note.lower() for note in notes) == 1


def test_nothing_that_ships_is_reconstructed_in_silence():
    folder = resources.files("fireplan_wacht_am_rhein") / "data"
    assert "reconstructed" in (folder / "german_transport.csv").read_text(encoding="utf-8")
    notes = " ".join(fp.odds("wacht_am_rhein/crossroads").to_dict()["rests_on"])
    assert "german transport" in notes.lower()
