"""The law of lines: a scenario file of any game is read back from the line of its opening."""

from pathlib import Path

import pytest

import fireplan as fp
from fireplan.errors import InputError
from fireplan_core.play import Catalogue

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


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_scenario_file_reads_back_from_its_line(file):
    position = position_of(file)
    if position is None:
        pytest.skip("not a scenario")
    again = fp.position(str(position))
    assert str(again) == str(position)
    assert again.at.state == position.at.state


def test_6_1_a_carried_cross_hair_is_among_them():
    assert "recheck_sight" in {file.stem for file in FILES if position_of(file)}


@pytest.mark.parametrize(
    "name",
    ["asl/village", "red_poppies/battle_for_pinon", "miniatures_1943/chits_in_hand"],
)
def test_what_an_attack_leads_to_reads_back_from_its_line(name):
    position, read = fp.position(name), 0
    for asset in position.at.scenario.missions:
        for unit in position.at.scenario.units:
            for outcome in list(position.attack(asset, str(position[unit, "place"])))[:3]:
                assert str(fp.position(str(outcome.position))) == str(outcome.position)
                assert outcome.position[asset, "stage"] == "falling"
                read += 1
    assert read
