"""Laws of contradictions: play never reaches one, and no position has one at any time."""

import pytest
from shipped import FEW, NAMES

import fireplan as fp
from fireplan.positions import Position
from fireplan_core import Ask
from fireplan_kit.play_laws import wander


def in_play(name):
    """Return positions of a scenario at which an order or a roll is due."""
    opening = fp.position(name)
    tables = wander(opening.at.scenario, 3, seed=1, most=12)
    return [opening.standing(table.state) for table in tables if table.waits_for]


def another_place(position, unit):
    """Return a place on the map that the unit does not occupy."""
    scenario = position.at.scenario
    here = position[unit, "place"]
    return next(
        label
        for setup in (*scenario.units.values(), *scenario.missions.values())
        for place in (getattr(setup, "place", None), getattr(setup, "target", None))
        if place is not None and (label := scenario.frame.label(place)) != str(here)
    )


def check_moves(name):
    """Check that units cannot be moved where none move, at every position of a play; return the
    number of attempts.
    """
    moved = 0
    for position in in_play(name):
        scenario = position.at.scenario
        for unit in scenario.units if not scenario.mobile else ():
            place = another_place(position, unit)
            with pytest.raises(fp.InputError, match="units do not move in this scenario"):
                position.having(units={unit: {"place": place}})
            moved += 1
    return moved


@pytest.mark.parametrize("name", FEW)
def test_units_cannot_be_moved_in_a_scenario_without_movement(name):
    check_moves(name)


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in NAMES if name not in FEW])
def test_units_cannot_be_moved_in_any_scenario_without_movement(name):
    check_moves(name)


def test_some_scenarios_do_not_move_their_units():
    assert any(check_moves(name) for name in FEW)


@pytest.mark.parametrize(
    ("name", "assets", "units", "words"),
    [
        ("asl/village", {"a": {"black": 9}}, {}, "the Draw Pile began with only"),
        (
            "asl/village",
            {"a": {"radio_broken": True, "contact": True}},
            None,
            "with a broken radio",
        ),
        ("wacht_am_rhein/crossroads", {}, {"steps": 9}, "it began with"),
    ],
)
def test_values_refused_at_the_opening_are_refused_in_play(name, assets, units, words):
    positions = in_play(name)
    assert any(isinstance(position.at.table().waits_for, Ask) for position in positions)
    for position in positions:
        unit = next(iter(position.at.scenario.units))
        with pytest.raises(fp.InputError, match=words):
            position.having(assets=assets, units={unit: units})
        line = str(Position.of(position.at.source, position.at.scenario, position.at.state))
        assert str(fp.position(line).at) == line
