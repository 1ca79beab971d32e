"""The map at the prompt: of a board that is wider than the screen, the part in which something is aimed at."""

import re

import attrs
import pytest

from fireplan.cli.keyboard import Play
from fireplan.cli.map import text_map
from fireplan.table import Session, Viewer, sides_of
from fireplan_core.play import Catalogue, find_scenario, shipped_scenarios
from fireplan_core.space import PlaneFrame

CATALOGUE = Catalogue.installed()
NEWS = "  part of the map; the rest in words:"


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


def test_the_village_at_forty_columns_holds_the_target_and_who_stands_around_it():
    scenario, situation = seen("asl/village")
    narrow, wide = (text_map(situation, scenario.frame, width=width) for width in (40, 80))
    for sign in ("Tc", "df", "e"):
        assert any(sign in line.split() for line in narrow if line not in wide)
    assert NEWS in narrow
    assert NEWS not in wide
    assert "K5" in " ".join(narrow[: narrow.index(NEWS)]).split()
    assert any("E6: a lieutenant" in line for line in narrow), "who stands beyond is told in words"


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


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("miniatures_1943/chits_in_hand", "turn 1 of 5"),
        ("asl/village", "fire phase 1 of 12: turn 1 PFPh"),
        ("wacht_am_rhein/crossroads", "barrage segment 1 of 1"),
    ],
)
def test_the_heading_says_once_which_turn_it_is(name, heading):
    said = []
    Play(session_of(name), said.append, lambda *_: "", 1).keyboard.show()
    assert said[0].strip() == heading
