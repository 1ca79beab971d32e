"""The map at the prompt: if the board is wider than the screen, the part that fire is aimed at."""

import re

import attrs
import pytest
from playing_on import step_on

from fireplan.cli.keyboard import Play
from fireplan.cli.map import text_map
from fireplan.table import Session, Viewer, sides_of
from fireplan_core import Order
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, find_scenario, shipped_scenarios
from fireplan_core.space import PlaneFrame

CATALOGUE = Catalogue.installed()
PLANES = [
    name
    for name in shipped_scenarios(CATALOGUE)
    if name.startswith(("battlegroup_clash/", "miniatures_1943/"))
]
NEWS = "  part of the map; every unit is below:"


def session_of(name):
    scenario, form = find_scenario(CATALOGUE, name)
    return Session(scenario, form.moments)


def seen(name):
    session = session_of(name)
    return session.scenario, Viewer(session, sides_of(session.scenario)[0]).situation()


@pytest.mark.parametrize("name", shipped_scenarios(CATALOGUE))
def test_a_narrow_map_shows_a_target_and_no_line_is_wider_than_the_screen(name):
    scenario, situation = seen(name)
    drawn = text_map(situation, scenario.frame, width=40)
    legend = next(
        (n for n, line in enumerate(drawn) if line.startswith("  ") and ": a " in line), len(drawn)
    )
    picture = drawn[:legend]
    assert all(len(line) <= 40 for line in picture)
    if any(asset.target for asset in situation.assets) and not isinstance(
        scenario.frame, PlaneFrame
    ):
        assert any(re.search(r"\bT", line) for line in picture)


def test_the_village_at_forty_columns_shows_the_target_and_nearby_units():
    scenario, situation = seen("asl/village")
    narrow, wide = (text_map(situation, scenario.frame, width=width) for width in (40, 80))
    for sign in ("Tc", "df", "e"):
        assert any(sign in line.split() for line in narrow if line not in wide)
    assert NEWS in narrow
    assert NEWS not in wide
    assert "K5" in " ".join(narrow[: narrow.index(NEWS)]).split()
    assert any("E6: a = lieutenant" in line for line in narrow), (
        "units beyond the edge are not listed in words"
    )


def test_a_fall_far_from_its_target_is_shown_while_both_fit():
    scenario, situation = seen("asl/village")
    asset = situation.assets[0]
    e6 = next(unit.place for unit in situation.units if unit.place.label == "E6")
    for impact, there in ((e6, False), (attrs.evolve(e6, label="F4"), True)):
        moved = attrs.evolve(situation, assets=(attrs.evolve(asset, impact=impact),))
        picture = text_map(moved, scenario.frame, width=40)
        picture = picture[: picture.index(NEWS)]
        assert any("T" in line for line in picture)
        assert any("*" in line for line in picture) is there


@pytest.mark.parametrize("name", PLANES)
def test_a_sketch_of_the_plane_has_no_empty_edges_and_names_its_corners(name):
    """The sketch of the causeway once had 18 lines of 63 columns, with marks in six of each."""
    scenario, situation = seen(name)
    drawn = text_map(situation, scenario.frame, width=64)
    top, bottom = (n for n, line in enumerate(drawn) if line.startswith("+-"))
    picture = [line[2:-2] for line in drawn[top + 1 : bottom]]
    columns = ["".join(column).replace("~", "") for column in zip(*picture, strict=True)]
    sides = columns[0], columns[-1]
    for edge in (picture[0], picture[-1], *sides):
        assert edge.strip(" ~")
    assert not any(
        a + b + c == " " * 3 * len(a)
        for a, b, c in zip(picture, picture[1:], picture[2:], strict=False)
    )
    spots = [unit.place for unit in situation.units if unit.place]
    spots += [asset.target for asset in situation.assets if asset.target]
    places = [scenario.frame.parse(spot.label) for spot in spots]
    corners = (
        scenario.frame.label(tuple(map(extreme, zip(*places, strict=True))))
        for extreme in (min, max)
    )
    northwest, southeast = corners
    assert {f"  northwest corner {northwest}", f"  southeast corner {southeast}"} <= {*drawn}


def test_an_empty_strip_is_one_line_with_the_distance_across_it():
    """From 12900,-10200 to 12300,-8200 it is 2000 m north to south; from -8000 to -4500 it is 3500
    m.
    """
    pytest.importorskip(
        "fireplan_battlegroup_clash", reason="the game is in requirements-games.txt"
    )
    scenario, situation = seen("battlegroup_clash/causeway")
    drawn = text_map(situation, scenario.frame, width=64)
    assert sum("~" in line for line in drawn) == 3
    assert "  ~ empty for 2000 m, then 3500 m" in drawn


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("miniatures_1943/chits_in_hand", "turn 1 of 5"),
        ("asl/village", "fire phase 1 of 12: turn 1 PFPh"),
        ("wacht_am_rhein/crossroads", "barrage segment 1 of 1"),
    ],
)
def test_the_heading_names_the_turn_once(name, heading):
    said = []
    Play(session_of(name), said.append, lambda *_: "", 1).keyboard.show()
    assert said[0].strip() == heading


def test_a_roll_that_is_named_after_its_asset_does_not_name_it_twice():
    session = session_of("red_poppies/combined_arms_assault")
    view = Viewer(session, "french").form()
    assert (view.roll, view.question) == ("the bombardment", "reserve 1")


def test_the_next_draw_is_named_once():
    """The line about the next draw does not repeat what the log has said."""
    pytest.importorskip("fireplan_combat_commander", reason="the game is in requirements-games.txt")
    session, dice = session_of("combat_commander/orchard"), RandomFaces("next")
    fell = set()
    while session.table.waits_for is not None:
        step_on(session, dice)
        fell.add(Viewer(session, "german").fell())
    assert any("; next" in text or "; draw again" in text for text in fell)
    lines = [line.text for line in Viewer(session, "german").known.lines]
    assert any(line.startswith("draw the next card in hand: ") for line in lines)
    assert not any(": next" in text or ": draw again" in text for text in (*fell, *lines))


def test_many_hexes_under_fire_are_given_as_a_number():
    """The map marks each of the bombardment's 285 hexes, so the text gives only their number."""
    said = []
    Play(
        session_of("red_poppies/combined_arms_assault"), said.append, lambda *_: "", 1
    ).keyboard.show()
    bombardment = next(line for line in said if line.strip().startswith("bombardment (French)"))
    assert re.search(r"; covers \d\d+ places(;|$)", bombardment)


def test_the_legend_explains_marks_and_no_unit_shares_their_letter():
    """The legend explains T (the target) and +, and no machine gun is marked T."""
    scenario, situation = seen("red_poppies/battle_for_pinon")
    drawn = text_map(situation, scenario.frame, width=100)
    assert drawn[-1] == "  T target"
    units = [line for line in drawn if "21st Corps machine gun section 2" in line]
    assert len(units) == 1
    assert " T " not in units[0]
    asset = situation.assets[0]
    aimed = attrs.evolve(situation, assets=(attrs.evolve(asset, aim=asset.target),))
    assert text_map(aimed, scenario.frame, width=100)[-1] == "  T target, + aimed at"


def test_the_border_of_a_sketch_is_not_an_aim():
    scenario, situation = seen("miniatures_1943/chits_in_hand")
    drawn = text_map(situation, scenario.frame, width=64)
    assert any(line.startswith("+-") for line in drawn)
    assert not any("aimed at" in line for line in drawn)


def test_every_unit_on_the_map_has_a_mark_of_its_own():
    """Pinon has 53 units, and T marks the target, so one alphabet is not enough."""
    scenario, situation = seen("red_poppies/battle_for_pinon")
    marks = [
        mark
        for line in text_map(situation, scenario.frame, width=100)
        for mark in re.findall(r"(?:: |\), )(\S) \S[^()]*\((?:French|German)", line)
    ]
    assert len(marks) == len(scenario.units) == len({*marks})


def test_a_unit_that_is_destroyed_leaves_the_map_and_the_others_keep_their_letters():
    scenario, situation = seen("asl/village")
    (tank,) = (unit for unit in situation.units if unit.name == "tank")
    burnt = attrs.evolve(tank, severity="eliminated", destroyed=True)
    order = [tank, *(unit for unit in situation.units if unit is not tank)]
    before, after = (
        text_map(attrs.evolve(situation, units=(first, *order[1:])), scenario.frame, width=80)
        for first in (tank, burnt)
    )
    assert "  K4: tank (Russian): eliminated" in after
    assert any("a = tank" in line for line in before)
    lieutenant = next(line for line in before if "lieutenant" in line)
    assert lieutenant in after
    assert "b = lieutenant" in lieutenant


def test_the_map_shows_the_hex_of_a_unit_that_is_destroyed():
    """Of the village only the lieutenant is left, and the tank's hex is five columns away."""
    scenario, situation = seen("asl/village")
    units = {unit.name: unit for unit in situation.units}
    burnt = attrs.evolve(units["tank"], severity="eliminated", destroyed=True)
    few = attrs.evolve(situation, assets=(), units=(units["lieutenant"], burnt))
    drawn = text_map(few, scenario.frame, width=80)
    above = next(n for n, line in enumerate(drawn) if "K4" in line)
    column = drawn[above].index("K4")
    assert drawn[above + 1][column] == "."
    assert "  K4: tank (Russian): eliminated" in drawn


def test_the_map_marks_the_places_that_the_order_may_name():
    """The AR may be placed on the target and near it; before the question no hex is marked."""
    session = session_of("asl/village")
    assert Viewer(session, "german").choices() == ()
    for order in ("call", "roll"):
        session.order(Order.of(order))
    session.throw([(2, True), (1, True)])
    session.throw([("black", True)])
    view = Viewer(session, "german")
    said = []
    Play(session, said.append, lambda *_: "", 1).keyboard.show()
    assert {spot.label for spot in view.choices()} >= {"K5", "K4", "L4"}
    assert Viewer(session, "russian").choices() == ()
    assert "  T target, ? a place that the next order may name" in said
    assert any("?Tc" in line for line in said)


def test_a_table_in_yards_is_measured_in_yards():
    """The spotters are at 0,-320 and the section at 0,0: 320 yards, not 293 m."""
    scenario, situation = seen("miniatures_1943/chits_in_hand")
    drawn = text_map(situation, scenario.frame, width=64)
    assert "  ~ empty for 320 yards" in drawn
    assert not any(re.search(r"\d m\b", line) for line in drawn)


def test_6_2_h_both_sides_see_that_a_base_is_prone():
    """A base's posture is open to both players; a prone target gives -1 (6.3.c)."""
    session = session_of("miniatures_1943/chits_in_hand")
    for side in ("american", "german"):
        drawn = text_map(Viewer(session, side).situation(), session.scenario.frame, width=64)
        assert "  0,0: b = section (German, prone)" in drawn
        assert any(line.endswith("= spotter team (American)") for line in drawn)
