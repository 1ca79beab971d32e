"""A pool of no dice has one outcome: no roll is asked for, and play goes on."""

from __future__ import annotations

import pytest

from fireplan_core.chance import RandomFaces
from fireplan_core.chance.chance import Chance
from fireplan_core.play import Catalogue, Table, Thrown, find_scenario, play_out, replay


@pytest.fixture
def scenario():
    return find_scenario(
        Catalogue.installed(only=("wacht_am_rhein",)), "wacht_am_rhein/dividing_fire"
    )[0]


def thrown(table):
    return [entry.name for entry in table.journal if isinstance(entry, Thrown)]


def test_a_pool_of_no_dice_is_not_thrown(scenario, monkeypatch):
    usual = play_out(Table(scenario, 1), RandomFaces(1))
    assert {"volleys", "volley"} & {*thrown(usual)}
    fold = Chance.fold

    def of_none(self, name, die, groups, _added=()):
        return fold(self, name, die, [(0, reading) for _, reading in groups])

    monkeypatch.setattr(Chance, "fold", of_none)
    empty = play_out(Table(scenario, 1), RandomFaces(1))
    assert not {"volleys", "volley"} & {*thrown(empty)}
    assert replay(scenario, 1, empty.journal).state == empty.state
