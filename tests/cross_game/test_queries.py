"""Queries of every game: each is described, and each answers at the opening of every scenario."""

import inspect

import pytest

import fireplan as fp
from fireplan.positions.fields import hints_of
from fireplan_core.mission import Sight
from fireplan_core.play import Catalogue, shipped_scenarios

NAMES = tuple(shipped_scenarios(Catalogue.installed()))


@pytest.mark.parametrize("name", NAMES)
def test_every_query_answers_of_assets_units_and_targets(name):
    position = fp.position(name)
    scenario = position.at.scenario
    target = scenario.frame.label(next(iter(scenario.missions.values())).target)
    values = {
        "mission": next(iter(scenario.missions)),
        "unit": next(iter(scenario.units), None),
        "place": target,
    }
    for row in position.queries():
        (query,) = (
            found
            for part in scenario.parts
            for found in part.queries().values()
            if found.name == row["name"]
        )
        assert row["meaning"], row
        assert row["rule"], row
        assert "return" in hints_of(query.declared), f"{name}: {row['name']} has no type"
        takes = [*inspect.signature(query.declared).parameters][2:]
        assert row["takes"] == ", ".join(takes)
        given = [values[argument] for argument in takes if argument not in query.defaults]
        # No observer directs the bombardment (7.1).
        if row["name"] == "sees" and "bombardment" in given:
            continue
        if None not in given and answerable(scenario, row, target):
            answer = position.query(row["name"], *given)
            assert isinstance(answer, Sight | int | tuple | type(None)) or answer == answer + 0


def answerable(scenario, row, target):
    """Return whether a query about a hex can be asked with this target, which may be a vertex."""
    return row["name"] in ("covers", "sees") or len(scenario.frame.parse(target)) == 2


@pytest.mark.parametrize("name", NAMES)
def test_the_query_covers_agrees_with_the_places_under_fire(name):
    position = fp.position(name)
    asset, setup = next(iter(position.at.scenario.missions.items()))
    target = position.at.scenario.frame.label(setup.target)
    assert position.query("covers", asset, target) == 0  # no fire has fallen yet
