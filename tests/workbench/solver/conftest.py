"""The null game with an engagement staged."""

from __future__ import annotations

import attrs
import pytest
from null_setup import ENGAGEMENT, staged

from fireplan_core import OwnTroops


@pytest.fixture
def scenario():
    return staged(attrs.evolve(ENGAGEMENT, own_troops=OwnTroops(distance_m=200)))
