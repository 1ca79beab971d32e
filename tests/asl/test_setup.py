"""A rule has the same effect on a battery or its men whether they come from an engagement or from a
scenario file.
"""

from __future__ import annotations

import pytest
from support_asl import read

from fireplan_core import Asset, Observer, Target

FILE = """
game = "asl"
title = "one way"
moments = 4
date = 1944-12-18
boards = 3

[[battery]]
id = "a"
side = "firer"
nationality = "NATION"
calibre = CALIBRE
weapon = "WEAPON"
link = "LINK"
ammunition = "AMMUNITION"
target = "K15"
observer = "A15"
missions = ["concentration"]
REGISTERED

[[unit]]
id = "s01"
side = "target"
hex = "K15"
terrain = "woods"
entrenched = true
"""


def written_as(asset, **words):
    """Return the scenario file that describes an asset."""
    text = FILE.replace("REGISTERED", 'preregistered = ["K15"]' if asset.preregistered else "")
    words |= {"CALIBRE": asset.calibre_mm, "WEAPON": asset.weapon, "AMMUNITION": asset.ammunition}
    for word, value in words.items():
        text = text.replace(word, str(value))
    return text


@pytest.mark.parametrize("nation", ["german", "american", "usmc", "russian"])
@pytest.mark.parametrize(
    "asset",
    [
        Asset(calibre_mm=105, weapon="howitzer", ammunition="normal", preregistered=False),
        Asset(calibre_mm=81, weapon="mortar", ammunition="scarce", preregistered=True),
        Asset(calibre_mm=100, weapon="mortar", ammunition="plentiful", preregistered=True),
        Asset(calibre_mm=150, weapon="rocket", ammunition="normal", preregistered=True),
    ],
)
@pytest.mark.parametrize(
    ("link", "observer"),
    [
        ("radio", Observer()),
        ("field_phone", Observer(link="telephone")),
        ("offboard", Observer(kind="offboard")),
    ],
)
def test_a_battery_is_the_same_from_an_engagement_and_from_a_file(
    make, catalogue, tmp_path, nation, asset, link, observer
):
    neutral = make(nation, asset=asset, observer=observer)
    written = read(catalogue, tmp_path, written_as(asset, NATION=nation, LINK=link))
    ours, theirs = neutral.missions["a"], written.missions["a"]
    assert (ours.side, ours.target, ours.slots) == (theirs.side, theirs.target, theirs.slots)
    for word in ("requests", "delays", "areas", "resolution"):
        assert ours.facts[word] == theirs.facts[word], word
    assert [note for note in written.provenance if not note.startswith("LOS")] == [
        note for note in neutral.provenance if note.startswith(("Draw Pile", "field phone"))
    ]


def test_men_in_cover_are_the_same_from_an_engagement_and_from_a_file(make, catalogue, tmp_path):
    written = read(catalogue, tmp_path, written_as(Asset(), NATION="german", LINK="radio")).units[
        "s01"
    ]
    target = Target(
        nationality="russian", men=10, frontage_m=10, depth_m=10, cover="woods", posture="dug_in"
    )
    neutral = make(target=target).units["s01"]
    assert (neutral.side, neutral.place, neutral.strength) == (
        written.side,
        written.place,
        written.strength,
    )
    assert (neutral.slots, neutral.facts) == (written.slots, written.facts)
