"""Every part lent to the games of the repository, and each of theirs borrowed: fire falls, or the reasons are told."""

from __future__ import annotations

import pytest

from fireplan.comparison import find_engagement
from fireplan_core import WORDS
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, Table, Variation, play_out, replay, stage_engagement

GAMES = ("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein")
MOMENTS, PLAYS = 12, 6


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue.installed(only=(*GAMES, "battletech"))


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("other", GAMES)
def test_fire_falls_with_each_part_lent_and_borrowed(catalogue, other, word):
    for base, lent in (("battletech", other), (other, "battletech")):
        scenario = stage_engagement(catalogue, base, find_engagement("woods"), Variation(parts={word: lent}))
        assert "the rules of BattleTech are from second-hand sources" in scenario.provenance
        kinds = set()
        for seed in range(PLAYS):
            table = play_out(Table(scenario, MOMENTS), RandomFaces(seed))
            assert replay(scenario, MOMENTS, table.journal).state == table.state
            kinds |= {entry.event.kind for entry in table.log}
        assert "fall" in kinds, f"{base} with the {word} of {lent}"


def test_8_the_shells_of_another_games_requests_fly_by_range_too(catalogue):
    parts = {"delays": "battletech"}
    scenario = stage_engagement(catalogue, "wacht_am_rhein", find_engagement("woods"), Variation(parts=parts))
    table = play_out(Table(scenario, MOMENTS), RandomFaces(1))
    moments = {entry.event.kind: entry.moment for entry in reversed(table.log)}  # of the first of each
    assert moments["fall"] - moments["requested"] == 2  # 6,000 m are 200 hexes
