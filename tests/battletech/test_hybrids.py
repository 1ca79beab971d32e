"""Rules that parts of this game still follow at a table that otherwise plays another game."""

from __future__ import annotations

import pytest

from fireplan.analysis import find_engagement
from fireplan_core.chance import RandomFaces
from fireplan_core.files import FileError
from fireplan_core.play import (
    Catalogue,
    Table,
    Variation,
    find_scenario,
    play_out,
    stage_engagement,
)

MOMENTS = 12


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue.installed(only=("wacht_am_rhein", "battletech"))


def test_8_the_shells_of_another_games_requests_fly_by_range_too(catalogue):
    parts = {"delays": "battletech"}
    scenario = stage_engagement(
        catalogue, "wacht_am_rhein", find_engagement("woods"), Variation(parts=parts)
    )
    table = play_out(Table(scenario, MOMENTS), RandomFaces(1))
    # Map each kind of event to the moment of its first event.
    moments = {entry.event.kind: entry.moment for entry in reversed(table.log)}
    assert moments["fall"] - moments["requested"] == 2  # 200 hexes are 6,000 m


def test_7_a_scenario_file_needs_the_map_that_it_describes(catalogue):
    with pytest.raises(FileError, match="its areas must be BattleTech's"):
        find_scenario(
            catalogue,
            "battletech/ranging_in",
            variation=Variation(parts={"areas": "wacht_am_rhein"}),
        )
