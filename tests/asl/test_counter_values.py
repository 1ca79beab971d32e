"""Values on the owner's own counters in a scenario file: exactly those that C1 uses are read."""

from __future__ import annotations

import pytest
from support_asl import read

from fireplan_core import Order, Step
from fireplan_core.files import FileError
from fireplan_core.play import State

FILE = """
game = "asl"
title = "Counters of the owner's"
moments = 12
date = 1944-08-12

[[battery]]
id = "a"
side = "attacker"
nationality = "german"
calibre = 105
target = "K5"
observer = "E5"
missions = ["concentration"]
{battery}

[[unit]]
id = "squad"
side = "defender"
hex = "K5"
{unit}
"""


@pytest.fixture
def play(catalogue, referee, tmp_path):
    def start(battery="", unit=""):
        return referee(read(catalogue, tmp_path, FILE.format(battery=battery, unit=unit)))

    return start


CALL = [Order.of("call"), Order.of("roll")]


@pytest.mark.parametrize(("contact", "faces", "made"), [("", [4, 4], True), ("", [4, 5], False), (6, [3, 3], True),
                                                        (6, [3, 4], False), (9, [4, 5], True)])  # fmt: skip
def test_c1_2_a_radio_of_the_owners_counter_has_its_own_contact_value(play, contact, faces, made):
    game = play(f"contact = {contact}" if contact else "").go(faces, CALL)
    assert bool(game.emitted("contact")) is made  # by default a German radio has 8


@pytest.mark.parametrize(("printed", "faces", "broken"), [("", [5, 6], False), ("", [6, 6], True),
                                                          ("breaks_on = 11", [5, 6], True),
                                                          ("breaks_on = 11", [5, 5], False)])  # fmt: skip
def test_c1_22_a_radio_of_the_owners_counter_breaks_on_its_own_number(play, printed, faces, broken):
    game = play(printed).go(faces, CALL)
    assert bool(game.emitted("set_breaks")) is broken


@pytest.mark.parametrize(
    ("printed", "repaired", "removed"),
    [
        ("", {1}, {6}),
        ("repaired_on = 2\nremoved_on = 5", {1, 2}, {5, 6}),
        ("removed_on = 7", {1}, set()),
    ],
)
def test_c1_22_a_radio_of_the_owners_counter_breaks_and_is_repaired_by_its_own_numbers(
    play, printed, repaired, removed
):
    fates = {}
    for face in range(1, 7):
        game = play(printed)
        broken = (("missions/a/delays/broken", True),)
        game.table.state = State(
            game.table.state.values.put(broken), (Step("delays.repair", ("a",)),)
        )
        game.table._advance()
        game.go([face])
        fates[face] = (
            "repaired" if game.emitted("repaired") else "removed" if game.emitted("ended") else ""
        )
    assert {face for face, fate in fates.items() if fate == "repaired"} == repaired
    assert {face for face, fate in fates.items() if fate == "removed"} == removed


@pytest.mark.parametrize(
    ("unit", "broken", "faces", "expected"),
    [
        ("", False, [3, 3], "steady"),  # NMC of 6 against Morale Level 7
        ("", True, [3, 5], "reduced"),  # failed while broken: Casualty Reduction
        ("morale = 7\nbroken_morale = 8", True, [3, 5], "kept"),
        # The broken side of the counter is not up.
        ("morale = 7\nbroken_morale = 8", False, [3, 5], "broken"),
        ("morale = 7\nbroken_morale = 5", True, [3, 3], "reduced"),
    ],
)
def test_c1_5_a_broken_unit_checks_by_the_other_face_of_its_counter(
    play, unit, broken, faces, expected
):
    game = play(unit=unit).befalls("squad", broken=broken)
    game.table.state = State(
        game.table.state.values, (Step("resolution.morale", ("a", "squad", 0)),)
    )
    game.table._advance()
    game.go(faces)
    size = game.table.read("units/squad/resolution/size", 2)
    now = game.table.read("units/squad/resolution/broken", False)
    assert (size, now) == {
        "steady": (2, False), "kept": (2, True), "broken": (2, True), "reduced": (1, True)
    }[expected]  # fmt: skip


@pytest.mark.parametrize(
    ("battery", "unit", "where"),
    [
        ("", 'kind = "gun"\nmorale = 8', "unit[0].morale"),
        ("", 'kind = "afv"\nbroken_morale = 8', "unit[0].broken_morale"),
        ("", 'armour = "thick"', "unit[0].armour"),
        ("", 'kind = "unarmoured"\nopen_topped = true', "unit[0].open_topped"),
        ("", 'kind = "afv"\nsurvival = 5', "unit[0].survival"),
        ("", "levels = 2", "unit[0].levels"),
        ("", "firepower = 4", "unit[0].firepower"),
        ("", "range = 6", "unit[0].range"),
        ("", "movement = 4", "unit[0].movement"),
        ('link = "field_phone"\ncontact = 9', "", "battery[0].contact"),
        ('link = "offboard"\nbreaks_on = 11', "", "battery[0].breaks_on"),
        ("repaired_on = 3\nremoved_on = 3", "", "battery[0].removed_on"),
        ("contact = 13", "", "battery[0].contact"),
    ],
)
def test_c1_a_value_that_no_rule_reads_is_refused(play, battery, unit, where):
    with pytest.raises(FileError) as raised:
        play(battery, unit)
    assert where in str(raised.value)
