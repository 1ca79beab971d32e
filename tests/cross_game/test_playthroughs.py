"""Every shipped playthrough is replayed from its file alone, and every ruling in it is confirmed."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest

from fireplan.analysis import shipped_engagements
from fireplan.table import (
    Session,
    read_playthrough,
    replay_playthrough,
    scenario_of,
    shipped_playthroughs,
)
from fireplan_core.play import Catalogue

CATALOGUE = Catalogue.installed()
ACCOUNTS = shipped_playthroughs(CATALOGUE)
AT_LEAST = dict.fromkeys(("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein"), 20)
"""The number of playthroughs that each game here ships; any other game needs one."""


@pytest.mark.parametrize("name", ACCOUNTS)
def test_a_playthrough_is_verified_line_by_line(name):
    playthrough = read_playthrough(ACCOUNTS[name].read_text(encoding="utf-8"))
    assert playthrough.game == name.partition("/")[0]
    scenario, moments = scenario_of(CATALOGUE, playthrough.head(CATALOGUE, shipped_engagements()))
    assert not replay_playthrough(playthrough, Session(scenario, moments))
    assert any(line.kind == "ruling" and line.text.endswith(")") for line in playthrough.lines)


@pytest.mark.parametrize("key", [entry.name for entry in entry_points(group="fireplan.games")])
def test_every_game_ships_its_playthroughs(key):
    assert len([name for name in ACCOUNTS if name.startswith(f"{key}/")]) >= AT_LEAST.get(key, 1)
