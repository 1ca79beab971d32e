"""The keys that a view reads for a part, and the lines of sight that it gives."""

from __future__ import annotations

from types import SimpleNamespace

import null_game
import pytest

from fireplan_core import ProcedureError, Sight, View, record, update


@record
class Note:
    """A record with a single flag."""

    hit: bool = False


def test_a_slot_of_a_mission_at_a_place_has_an_address_of_its_own_for_each_place():
    read = []

    def reading(key, default):
        read.append(key)
        return default

    scenario = SimpleNamespace(frame=SimpleNamespace(label=lambda place: f"P{place}"))
    view = View(reading, scenario, "areas")
    assert view.own_at("a", 1, Note).hit is False
    assert view.own_at("a", 2, Note).hit is False
    assert read == ["missions/a/areas/P1/hit", "missions/a/areas/P2/hit"]
    # An update reads nothing, so updates at places that nobody reads add no states.
    ((entry),) = update(view.own_at("a", 3, Note), hit=True)
    assert entry.key == "missions/a/areas/P3/hit"
    assert len(read) == 2


def test_sight_cites_a_rule_only_if_the_game_does():
    assert (Sight(ground=True, burst=True).rule, Sight(ground=True, burst=True).why) == ("", "")
    assert Sight(ground=False, burst=False, rule="4.2", why="woods").rule == "4.2"


def test_a_message_about_unstaged_facts_says_how_to_stage_them():
    scenario = SimpleNamespace(missions={"a": SimpleNamespace(facts={})})
    with pytest.raises(
        TypeError, match=r"^delays has no Note for mission a: .*facts=.*ready part$"
    ):
        View({}.get, scenario, "delays").facts("a", Note)


# --- reading what another part publishes --------------------------------------------------------------
@record
class Published:
    """The values that a part lets others read."""

    hit: bool = False


class Publisher(null_game.NullAreas):
    """The null game's areas, which publish."""

    publishes = (Published,)


def looking(word, publisher="areas"):
    """Return a view of a part at a table where the areas publish, or where nobody does."""
    parts = SimpleNamespace(publisher=lambda kind: publisher)
    scenario = SimpleNamespace(frame=SimpleNamespace(label=str), parts=parts)
    return View({"missions/a/areas/hit": True}.get, scenario, word)


def test_other_parts_read_but_never_write_published_records():
    assert looking("delays").peek("a", Published).hit is True
    with pytest.raises(
        ProcedureError, match="belongs to another part: it can be read but not updated"
    ):
        update(looking("delays").peek("a", Published), hit=False)
    ((entry),) = update(looking("areas").peek("a", Published), hit=False)
    assert entry.key == "missions/a/areas/hit"


def test_where_the_part_comes_from_another_game_the_defaults_are_read():
    assert looking("delays", publisher=None).peek("a", Published).hit is False
    with pytest.raises(ProcedureError):
        update(looking("delays", publisher=None).peek("a", Published), hit=True)


def test_unpublished_records_cannot_be_read_by_another_part():
    with pytest.raises(ProcedureError, match="no part publishes Note"):
        looking("delays", publisher=None).peek("a", Note)
