"""Every roll is accounted for: at every table the branches of a game have the chance of the faces
that lead to them.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

import pytest

from fireplan.analysis import find_engagement
from fireplan.table import (
    Session,
    chance_of,
    read_playthrough,
    replay_playthrough,
    scenario_of,
    shipped_playthroughs,
)
from fireplan.table import throws_taken as taken
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, Rulebook, Table, Variation, play_out, stage_engagement
from fireplan_core.setups.staging import CannotStageError
from fireplan_kit import combinations, unaccounted

CATALOGUE = Catalogue.installed()
GAMES = ("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein")


@pytest.mark.parametrize("number", range(3, 4**5, 61))
def test_random_play_of_a_hybrid_takes_branches_with_the_chance_of_their_faces(number):
    parts = list(combinations(GAMES))[number]
    try:
        scenario = stage_engagement(
            CATALOGUE, parts["requests"], find_engagement("woods"), Variation(parts=parts)
        )
    except CannotStageError:
        pytest.skip("these parts cannot stage the engagement")
    played = play_out(Table(scenario, 2), RandomFaces(number))
    assert unaccounted(scenario, 2, played.journal) == []


def playthrough_of(name):
    playthrough = read_playthrough(
        shipped_playthroughs(CATALOGUE)[name].read_text(encoding="utf-8")
    )
    session = Session(*scenario_of(CATALOGUE, playthrough.head(CATALOGUE, {})))
    assert not replay_playthrough(playthrough, session)
    return session


def test_the_chance_of_a_playthrough_is_that_of_its_throws():
    # Contact needs 8 or less on two dice.
    session = playthrough_of("asl/access_kept_without_counter")
    chances = [
        one.chance for one in taken(session.scenario, session.moments, session.table.journal)
    ]
    assert chances[0] == Fraction(26, 36)
    assert chance_of(session.scenario, session.moments, session.table.journal) == prod(chances)


def test_a_weight_that_the_odds_have_wrong_is_found(monkeypatch):
    session = playthrough_of("asl/access_kept_without_counter")
    right = Rulebook.branches

    def wrong(self, step, read):
        found = right(self, step, read)
        return (
            [(weight, total + 1, *rest) for weight, total, *rest in found]
            if len(found) > 1
            else found
        )

    monkeypatch.setattr(Rulebook, "branches", wrong)
    faults = unaccounted(session.scenario, session.moments, session.table.journal)
    assert any("by faces" in fault for fault in faults)
    assert "all its dice is given as" in faults[-1]
