"""The words that a position accepts are listed, completed in notebooks, and shown with a position."""

import math
import re
import xml.etree.ElementTree as ET
from importlib.resources import as_file

import pytest

import fireplan as fp
from fireplan import sheets
from fireplan.table import Visibility, sides_of

MORE = ("battletech", "combat_commander", "battlegroup_clash")
GAMES = ("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein")


def cells(lines, first):
    """Return the cells of the row that begins with this cell."""
    rows = ([cell.strip() for cell in line.strip("│").split("│")] for line in lines if "│" in line)
    return next(row for row in rows if row[0] == first)


@pytest.mark.parametrize("game", GAMES)
def test_every_listed_event_and_field_may_be_asked(game):
    (name, *_) = [row["name"] for row in fp.scenarios(game)]
    position = fp.position(name)
    for row in fp.events(name):
        value = row["values"].split(", ")[0]
        if row["field"] and value and not value.startswith("a "):
            position.given(fp.happens(row["event"], **{row["field"]: value}))
        else:
            position.given(row["event"])


@pytest.mark.parametrize("name", ["asl/village", "red_poppies/battle_for_pinon"])
def test_the_gap_of_an_event_is_listed_as_the_square_of_its_distance_from_the_target(name):
    listed = {row["values"] for row in fp.events(name) if row["field"] == "gap"}
    (values,) = listed
    metres = float(re.search(r"the square of the distance .* [(]1 is ([0-9.]+) m", values)[1])
    position, told = fp.position(name), 0
    asset = next(iter(position.at.scenario.missions))
    for story in position.stories(30, by=6):
        for event in story.events:
            if event.kind in ("fall", "spotting") and event["mission"] == asset:
                distance = position.distance(str(event["impact"]), str(position[asset, "target"]))
                assert math.isclose(event["gap"] ** 0.5 * metres, distance.metres, rel_tol=0.001)
                told += event["gap"] > 0
    assert told


@pytest.mark.parametrize("game", GAMES)
def test_everything_a_story_shows_is_listed(game):
    (name, *_) = [row["name"] for row in fp.scenarios(game)]
    listed = {(row["event"], row["field"]) for row in fp.events(name)}
    for entry in fp.position(name).story().log:
        kind = entry.event.kind
        assert kind in {event for event, _ in listed} or kind == "modifier"
        for field, _ in entry.event.fields:
            assert (kind, field) in listed or field in {"mission", "unit"} or kind == "modifier"


def test_rolls_and_measures_are_lists():
    rolls = {row["roll"] for row in fp.rolls("asl")}
    assert {"contact", "access"} <= rolls
    position = fp.position("asl/village").play("call")
    position.given(contact=fp.dice(4, 2))
    names = {row["name"]: row["in"] for row in fp.measures()}
    assert "tune" in names["destroyed"]
    assert "tune" not in names["hit"]


@pytest.mark.parametrize("game", [*GAMES, *MORE])
def test_lists_show_no_templates(game):
    pytest.importorskip(f"fireplan_{game}")
    for ask in (fp.events, fp.rolls, fp.decisions):
        says = {row["says"] for row in ask(game)}
        assert not {text for text in says if set("{}|") & set(text)}
    fall = next(row["says"] for row in fp.events(game) if row["event"] == "fall")
    assert "(impact)" in fall
    assert "(own_under_fire)" in fall
    never_misses = game == "battlegroup_clash"
    assert ("(on_target)" in fall) is not never_misses


def test_an_unknown_name_is_refused():
    with pytest.raises(fp.InputError, match="Did you mean 'asl'"):
        fp.events("als")
    with pytest.raises(fp.InputError, match="Did you mean 'asl/village'"):
        fp.rolls("asl/vilage")
    with pytest.raises(fp.InputError, match="Did you mean 'asl'"):
        fp.fields("asl/village")


def test_a_position_shows_assets_units_ground_and_piles():
    position = fp.position("asl/village", ground={"K5": {"smoke": 3}})
    assert repr(position) == position.line
    shown = str(position).splitlines()
    assert shown[:2] == [
        position.line,
        "turn 1 PFPh; german: Call for fire?",
    ]
    assert cells(shown, "a") == ["a", "german", "no fire called for", "K5"]
    assert cells(shown, "K5") == ["K5", "stone building, smoke 3", "", "1st squad"]
    assert shown[-1] == "Draw Pile: black 8, red 3"
    assert "referee" not in str(position)
    data = position.to_dict()
    assert data["units"]["1st squad"] == {"side": "russian", "place": "K5", "more": []}
    assert data["ground"] == {"K5": {"smoke": 3}}


def rows_of(lines):
    """Return the cells of each row of the tables in these lines; a long cell takes several lines."""
    rows = []
    for line in lines:
        texts = [text.strip() for text in line.split("│")[1:-1]]
        if texts and texts[0]:
            rows.append(texts)
        elif texts:
            rows[-1] = [
                f"{text} {more}".strip() for text, more in zip(rows[-1], texts, strict=True)
            ]
    return rows


@pytest.mark.parametrize("game", [*GAMES, *MORE])
def test_a_printed_position_has_every_unit_in_its_place(game):
    if game in MORE:
        pytest.importorskip(f"fireplan_{game}", reason="it is in requirements-games.txt")
    for name in [row["name"] for row in fp.scenarios(game)][:3]:
        position, setups = fp.position(name), fp.position(name).at.scenario.units
        shown = str(position).splitlines()
        assert max(map(len, shown[1:])) <= 100
        for unit, setup in setups.items():
            (place,) = [row for row in rows_of(shown) if row[0] == str(position[unit, "place"])]
            assert any(re.search(rf"\b{re.escape(unit)}\b", cell) for cell in place[1:]), unit
            assert any(setup.side in line for line in shown)
        hides = any(
            Visibility(position.at.scenario, side).veiled for side in sides_of(position.at.scenario)
        )
        assert ("referee" in str(position)) is hides


def test_units_that_have_left_the_map_are_gone():
    position = fp.position("miniatures_1943/hedgerow_farm")
    first, *_ = position.at.scenario.units
    shown = str(position.having(units={first: {"place": None}})).splitlines()
    assert any(first in cell for cell in cells(shown, "gone"))


def test_a_printed_position_is_not_read_back():
    with pytest.raises(fp.InputError, match=r"position\.line"):
        fp.position(str(fp.position("asl/village")))


def test_piles_are_listed_and_counted():
    pytest.importorskip("fireplan_battlegroup_clash", reason="it is in requirements-games.txt")
    causeway = fp.position("battlegroup_clash/causeway")
    tokens = sum(count for _, count in causeway.at.scenario.decks["etx"])
    listed = [
        row["number"] for row in fp.piles("battlegroup_clash/causeway") if row["pile"] == "etx"
    ]
    assert sum(listed) == causeway.to_dict()["piles"]["etx"] == tokens > 0


@pytest.mark.parametrize(
    "name", ["asl/village", "miniatures_1943/chits_in_hand", "red_poppies/cut_wires"]
)
def test_the_map_is_a_picture_with_every_unit(name):
    position = fp.position(name)
    drawn = ET.fromstring(position.svg())
    titles = {
        title.text.partition(" (")[0] for title in drawn.iter("{http://www.w3.org/2000/svg}title")
    }
    assert set(position.at.scenario.units) <= titles
    assert "<svg" in position._repr_html_()
    assert "given" in position.given(next(iter(fp.events(name)))["event"])._repr_html_()


def test_notebooks_complete_index_keys():
    position = fp.position("asl/village")
    for key in position._ipython_key_completions_():
        position[key]
    assert ("1st squad", "broken") in position._ipython_key_completions_()
    compared = fp.compare(games=["wacht_am_rhein"], minutes=4)
    assert compared._ipython_key_completions_() == ["wacht_am_rhein"]
    assert {"events", "measures", "odds"} <= {*dir(fp)}


def test_decisions_of_ready_parts_cite_the_rules_of_their_game():
    """A ready part's question has a name such as "fire", for which each game states its rule."""
    template = sheets.sheet_templates()["radio_and_scatter"]
    with as_file(template) as sheet:
        rows = fp.decisions(sheet).rows()
    assert {row["decision"]: row["rule"] for row in rows} == {
        "requests.ask": "2.1",
        "requests.fire": "3.1",
    }
