"""Unusable charts are refused with every fault at once, and modifiers exclude one another as they
should.
"""

import attrs
import pytest

from fireplan_core.files import FileError
from fireplan_wacht_am_rhein.charts import DATA, read_drm, read_limits, read_results
from fireplan_wacht_am_rhein.resolution import Hex, shelter

DRM = read_drm(DATA / "barrage_drm.toml")


def faults(read, tmp_path, name, old, new):
    """Return the faults of one of the package's charts with some text replaced."""
    text = (DATA / name).read_text(encoding="utf-8")
    for before, after in zip(old, new, strict=True):
        assert before in text
        text = text.replace(before, after, 1)
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as refused:
        read(file)
    return [fault.message for fault in refused.value.faults]


def test_12_3_0_a_malformed_results_table_is_refused_with_every_fault(tmp_path):
    old = [
        "bv8,provenance",
        "AS,0,1,7-8,6-7,5-6,4-5",
        "1,1,0,9+,8+,7-8",
        "AS+1,1,1,-,-,9+",
        "2,2,0,-,-,-,-,9+,8+",
    ]
    new = [
        "bv9,provenance",  # a column with a wrong name
        "AS,0,1,7-8,-,5-6,4-7",  # a hyphen although worse results are possible; an overlap with 6-7
        "1,1,0,9+,8+,8-8",  # a gap between 5-6 and 8-8
        "AS+1,1,0,-,-,9",  # a shift that is not marked; no result for the highest rolls
        "2,2,0,-,-,-,-,9+,nine",  # the entry is not a range
    ]
    found = faults(read_results, tmp_path, "barrage_results.csv", old, new)
    expected = [
        "column bv8 is missing",
        "column bv9 is not known",
        "line 4: AS+1 means 1 hits and shift 1",
        "line 3 bv2: 8+ follows a hyphen",
        "line 3 bv3: gap between 5-6 (line 2) and 8-8",
        "line 4 bv3: nothing above 9-9 has a result",
        "line 3 bv4: 6-7 overlaps 4-7",
        "line 5 bv6: 'nine' is not a range",
    ]
    # One fault more: with nine replaced, the column for value 6 has no result for the highest
    # rolls.
    assert len(found) == len(expected) + 1
    for wanted in expected:
        assert any(fault.startswith(wanted) for fault in found), (wanted, found)


@pytest.mark.parametrize(
    ("cell", "fault"),
    [
        ("8-7", "runs backwards"),
        ("+9", "is not a range"),
        ("7-8-9", "is not a range"),
        ("", "is not a range"),
    ],
)
def test_12_3_1_a_cell_must_be_a_range(tmp_path, cell, fault):
    found = faults(
        read_results, tmp_path, "barrage_results.csv", ["AS,0,1,7-8"], [f"AS,0,1,{cell}"]
    )
    assert any(fault in one for one in found)


def test_12_1_6_the_limits_of_an_entrenchment_are_those_of_prepared_assault():
    rows = read_limits(DATA / "barrage_limits.toml").rows
    for side in ("US", "GE"):
        like, works = rows[side, "prepared_assault"], rows[side, "entrenchment_or_fortification"]
        assert (like.cite, works.cite) == ("12.1.6a", "12.1.6c")
        assert attrs.evolve(works, cite=like.cite) == like


@pytest.mark.parametrize(
    ("steps", "drm"), [(1, -1), (2, -1), (3, 0), (4, 0), (5, 1), (6, 1), (7, 2), (12, 2)]
)
def test_12_3_1_density_by_steps(steps, drm):
    assert DRM.of_density(steps) == drm


@pytest.mark.parametrize(
    ("target", "total"),
    [
        (Hex(), 0),
        (Hex(("woods",), "improved_position"), -2),
        (Hex(("woods", "town"), "none"), -3),  # the defender's best terrain
        (Hex(("city",), "fortification"), -7),  # a fort replaces terrain
        (Hex(("city",), "entrenchment", "mixed"), -6),  # the best two of -4, -2 and -2 count
        (Hex(("woods",), "improved_position", "mixed"), -3),  # the best two of -1, -1 and -2 count
        (Hex(("city",), "entrenchment", "pure"), -7),  # armour counts with the better of -4 and -2
        (Hex(("city",), "entrenchment", "pure", strategic=True), 0),
    ],
)
def test_12_3_1_terrain_works_and_armour_exclude_one_another(target, total):
    assert sum(shelter(DRM, target).values()) == total


def test_12_3_1_the_net_modifier_is_held_to_ten():
    assert DRM.net(-7 - 4 - 1 - 1) == -10
    assert DRM.net(4 + 2 + 1 + 9) == 10
    assert DRM.net(-4 + 2) == -2


TANKS, MARCH = {"armour": True}, {"mode": "strategic"}
LAND, WORKS, ARMOUR = "terrain of the target hex", "works of the target", "armour in the target hex"
STEPS, HEIGHT, MARCHING = (
    "number of steps in the target hex",
    "observer on a vantage point",
    "target in strategic mode",
)


@pytest.mark.parametrize(
    ("troops", "land", "works", "high", "expected"),
    [
        # One battalion of three steps on its own: terrain is the only modifier.
        ([{}], "village", "none", (False, False), {LAND: -2}),
        # Only the better of the two counts.
        (
            [TANKS],
            "village",
            "improved_position",
            (False, False),
            {LAND: -2, ARMOUR: -3},
        ),
        # Only the best two count.
        (
            [TANKS, {}],
            "woods",
            "entrenchment_deep",
            (False, False),
            {WORKS: -3, ARMOUR: -2, STEPS: 1},
        ),
        ([MARCH], "village", "entrenchment", (False, False), {MARCHING: 4}),
        # Some units are not marching.
        ([MARCH, {}], "village", "none", (False, False), {LAND: -2, STEPS: 1}),
        ([{"steps": 1}], "clear", "none", (True, False), {STEPS: -1, HEIGHT: 1}),
        # The target hex is as high as the observer.
        ([{"steps": 1}], "clear", "none", (True, True), {STEPS: -1}),
        ([{"steps": 1}], "clear", "none", (False, True), {STEPS: -1}),
        ([{}, {}, {"steps": 1}], "city", "fortification", (False, False), {WORKS: -7, STEPS: 2}),
    ],
)
def test_12_3_1_the_modifiers_of_a_hex_with_its_troops_as_played(
    war, troops, land, works, high, expected
):
    on = war.on_map(
        war.us("I-110", "3026", sees=(war.hex("3030"),)),
        war.us("guns", "3025", factors=8, range=9),
        *(war.ge(f"I-{n}", "3030", **one) for n, one in enumerate(troops)),
        hexes=(
            war.hexed("3026", "clear", vantage=high[0]),
            war.hexed("3030", land, works=works, vantage=high[1]),
        ),
        weather="overcast",
    )
    table = war.Play(on, faces=[0, 0])
    assert table.barrage({"guns": 8}, at=war.hex("3030"), observer="I-110") is None
    table.until("resolution.satisfy")
    assert {event["summary"]: event["value"] for event in table.events("modifier")} == expected
