"""The null game with an engagement staged."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

import pytest

from fireplan_core import Engagement, Firer, OwnTroops, Target
from fireplan_core.play import Catalogue, stage_engagement

sys.path.insert(0, str(Path(__file__).parents[2] / "games"))
import null_game

ENGAGEMENT = Engagement(
    title="t",
    date=dt.date(1944, 1, 1),
    firer=Firer(nationality="x"),
    target=Target(nationality="y", frontage_m=10, depth_m=10),
    own_troops=OwnTroops(distance_m=200),
)


@pytest.fixture
def scenario():
    catalogue = Catalogue()
    catalogue.admit(null_game)
    return stage_engagement(catalogue, "null", ENGAGEMENT)
