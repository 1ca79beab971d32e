"""Units of a scenario added, moved or removed, and piles given by what was drawn, as a player would
set them up on paper.
"""

from fractions import Fraction

import attrs
import pytest

import fireplan as fp
from fireplan.positions import take_apart
from fireplan_core.play import Catalogue, shipped_scenarios

THEIR_LEADER = {
    "like": "sergeant",
    "side": "russian",
    "at": "K5",
    "terrain": "stone_building",
}


def struck_in_k5(position):
    """Return the names of the units that an attack on K5 may hit."""
    events = [event for row in position.attack("a", "K5") for event in row.events]
    return {str(dict(event.fields)["unit"]) for event in events if event.kind == "suffered"}


def test_their_leader_is_in_k5():
    village = fp.position("asl/village", setup={"their leader": THEIR_LEADER})
    units = village.at.scenario.units
    assert units["their leader"].place == units["1st squad"].place
    assert units["their leader"].side == "russian"
    assert village.line == (
        'fp1 asl/village(unit:"their leader"{like=sergeant side=russian at=K5'
        " terrain=stone_building})"
    )


def test_a_unit_set_up_is_the_same_as_one_written_in_the_file(tmp_path):
    village = fp.position("asl/village", setup={"their leader": THEIR_LEADER, "tank": None})
    shipped = shipped_scenarios(Catalogue.installed())["asl/village"].read_text(encoding="utf-8")
    without_tank = shipped[: shipped.index('[[unit]]\nid = "tank"')]
    own = """[[unit]]
id = "their leader"
side = "russian"
hex = "K5"
half = true
leader = true
men = 1
morale = 8
terrain = "stone_building"
"""
    (tmp_path / "mine.toml").write_text(without_tank + own, encoding="utf-8")
    written = fp.position(str(tmp_path / "mine.toml")).at.scenario
    staged = village.at.scenario
    assert [*written.units] == [*staged.units]
    for one, other in zip(written.units.values(), staged.units.values(), strict=True):
        assert attrs.asdict(one) == attrs.asdict(other)
    assert written.initial == staged.initial


def test_a_squad_that_has_left_the_target_hex_is_not_hit_there():
    moved = fp.position("asl/village", setup={"1st squad": {"at": "M9"}, "tank": None})
    assert "tank" not in moved.at.scenario.units
    assert "1st squad" not in struck_in_k5(moved)
    assert "1st squad" in struck_in_k5(fp.position("asl/village"))


def test_the_line_is_read_back_and_changed_again():
    village = fp.position("asl/village", turn=2, setup={"2nd squad": {"at": "K6"}, "tank": None})
    again = fp.position(village.line)
    assert again == village
    more = again.having(
        setup={"their leader": THEIR_LEADER, "2nd squad": {"morale": 8}},
        units={"their leader": "broken", "1st squad": "broken"},
    )
    assert more["their leader", "broken"] is True
    assert more.moment == village.moment
    assert dict(take_apart(more.line).source.units)["2nd squad"] == (("at", "K6"), ("morale", 8))
    assert fp.position(more.line) == more
    gone = more.having(setup={"1st squad": None})
    assert "1st squad" not in gone.line.partition(")")[2]


@pytest.mark.parametrize(
    ("name", "setup", "unit", "label"),
    [
        ("miniatures_1943/chits_in_hand", {"gun": {"at": "100,20"}}, "gun", "100,20"),
        (
            "battlegroup_clash/causeway",
            {"recce patrol": {"at": "E12.2/N8.1"}},
            "recce patrol",
            "E12.2/N8.1",
        ),
        ("battletech/two_pieces", {"platoon": {"at": "1712"}}, "platoon", "1712"),
        ("combat_commander/orchard", {"gun team": {"at": "I6"}}, "gun team", "I6"),
        ("wacht_am_rhein/crossroads", {"I-110": {"at": "3129"}}, "I-110", "3129"),
        ("red_poppies/cut_wires", {"nest": {"at": "AU06"}}, "nest.1", "AU06"),
        ("red_poppies/cut_wires", {"nest": {"at": ["AU06", "AT05"]}}, "nest.2", "AT05"),
    ],
)
def test_a_unit_is_moved_in_every_game_by_the_labels_of_its_map(name, setup, unit, label):
    pytest.importorskip(f"fireplan_{name.partition('/')[0]}")
    moved = fp.position(name, setup=setup)
    scenario = moved.at.scenario
    assert scenario.units[unit].place == scenario.frame.parse(label)
    assert fp.position(moved.line) == moved


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        ({"2nd sqad": {"at": "L6"}}, "did you mean 2nd squad?; a new unit needs its side"),
        ({"tnk": None}, "there is no unit 'tnk' - did you mean tank"),
        ({"x": {"like": "2nd sqad"}}, "x.like: there is no unit '2nd sqad' - did you mean"),
        ({"2nd squad": {"mrale": 8}}, "mrale: unknown key"),
        ({"2nd squad": "K6"}, "setup: 2nd squad: expected keys of its entry"),
        ({"2nd squad": {"men": 1.5}}, "setup: 2nd squad.men: expected text, a whole number"),
        ("tank", "setup: expected names with values"),
    ],
)
def test_a_wrong_setup_is_refused(setup, words):
    with pytest.raises(fp.InputError) as refused:
        fp.position("asl/village", setup=setup)
    assert words in str(refused.value)


def test_an_engagement_has_no_units_by_name():
    with pytest.raises(fp.InputError, match="an engagement has no named units"):
        fp.position("woods", game="asl", setup={"x": {"side": "german"}})


def test_a_pile_is_given_by_the_chits_drawn():
    opening = fp.position("asl/village")
    black, red = opening["a", "black"], opening["a", "red"]
    said = {"stage": "requested", "contact": True, "drawn": {"red": 1, "black": 2}}
    village = fp.position("asl/village", turn=2, a=said)
    assert (village["a", "black"], village["a", "red"]) == (black - 2, red - 1)
    draw = {one.events[-1].kind: one.chance for one in village.throw("access", "a")}
    assert Fraction(red - 1, black + red - 3) in draw.values()
    with pytest.raises(fp.InputError) as refused:
        fp.position("asl/village", a={"drawn": {"red": red + 1, "rde": 1, "stage": 1}})
    for words in (f"a.drawn.red: expected 0 to {red}", "a.drawn.rde", "stage is no pile"):
        assert words in str(refused.value)
