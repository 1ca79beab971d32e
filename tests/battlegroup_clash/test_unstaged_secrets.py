"""A secret field is hidden from other sides whether or not its record was staged."""

from __future__ import annotations

import attrs
import pytest

from fireplan_core.play import Catalogue, find_scenario
from fireplan_core.record import assumed


def without(setups):
    """Return the setups without the records that have a secret field."""
    return {
        name: attrs.evolve(
            setup,
            slots={word: slot for word, slot in setup.slots.items() if not assumed(type(slot))},
        )
        for name, setup in setups.items()
    }


@pytest.mark.parametrize("side", ["Russia", "NATO"])
def test_a_record_that_was_not_staged_keeps_its_secrets(side):
    installed = Catalogue.installed(only=("battlegroup_clash",))
    scenario, _ = find_scenario(installed, "battlegroup_clash/causeway")
    secrets = scenario.assumed_by(side)
    staged = (*scenario.missions.values(), *scenario.units.values())
    assert any(assumed(type(slot)) for setup in staged for slot in setup.slots.values())
    bare = attrs.evolve(
        scenario, missions=without(scenario.missions), units=without(scenario.units)
    )
    assert secrets
    assert bare.assumed_by(side) == secrets
