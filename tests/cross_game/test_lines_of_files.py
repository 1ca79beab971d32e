"""The law of lines: a scenario file of any game is read back from its opening's line."""

from pathlib import Path

import pytest

import fireplan as fp
from fireplan.errors import InputError
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, Table, shipped_scenarios
from fireplan_core.play.table import play_out
from fireplan_kit.play_laws import wander

FOLDERS = {
    Path(str(file)).parents[1]
    for game in Catalogue.installed().games.values()
    if game.game.scenarios
    for file in game.game.scenarios.shipped.values()
}
FILES = sorted(file for folder in FOLDERS for file in folder.glob("*/*.toml"))


def position_of(file):
    """Return the opening of a scenario file, or None if the file is not one."""
    try:
        return fp.position(str(file))
    except InputError:
        return None


@pytest.mark.parametrize("file", FILES, ids=lambda file: "/".join(file.with_suffix("").parts[-4:]))
def test_a_scenario_file_reads_back_from_its_line(file):
    position = position_of(file)
    if position is None:
        pytest.skip("not a scenario")
    again = fp.position(position.line)
    assert again.line == position.line
    assert again.at.state == position.at.state


def test_6_1_a_carried_cross_hair_is_among_them():
    assert any(file.stem == "recheck_sight" and position_of(file) for file in FILES)


LONG = {"wacht_am_rhein/two_divisions", "combat_commander/orchard"}
"""Scenarios whose lines take seconds to play and read back."""
NAMES = tuple(
    pytest.param(name, marks=pytest.mark.full) if name in LONG else name
    for name in shipped_scenarios(Catalogue.installed())
)


@pytest.mark.parametrize("name", NAMES)
def test_the_result_of_an_attack_reads_back_from_its_line(name):
    position, read = fp.position(name), 0
    scenario = position.at.scenario
    for asset in [*scenario.missions][:4]:
        for unit in [*scenario.units][:4]:
            for outcome in list(position.attack(asset, str(position[unit, "place"])))[:3]:
                assert fp.position(outcome.position.line) == outcome.position
                assert outcome.position[asset, "stage"] == "falling"
                assert outcome.position.moment == position.moment
                read += 1
    assert read


@pytest.mark.parametrize("name", NAMES)
def test_scenarios_read_back_from_their_line_at_the_opening_and_twenty_moments_into_play(name):
    opening = fp.position(name)
    scenario = opening.at.scenario
    tables = [opening.at.table(), play_out(Table(scenario, 20), RandomFaces(7))]
    tables += [played for played in wander(scenario, 20, seed=7, most=60) if played.waits_for]
    for played in tables:
        position = opening.standing(played.state)
        again = fp.position(position.line)
        assert again.at == position.at
        assert again.line == position.line


def test_a_throw_that_is_made_now_leaves_play_where_it_was():
    village = fp.position("asl/village", a={"stage": "requested"})
    assert {one.position.moment for one in village.throw("contact", "a")} == {village.moment}
    due = village.play(until="next roll")
    assert due.at.state.agenda[0].name == "delays.radio"
    for outcome in due.throw("contact", "a"):
        assert not outcome.position.line.endswith("> delays.radio(a)")
