"""What a view reads and where: keys of a part's own slots, and what a sight may tell."""

from __future__ import annotations

from types import SimpleNamespace

from fireplan_core import Sight, View, record, update


@record
class Note:
    """A slot."""

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
    # Putting reads nothing: what is put at places that nobody reads costs no states.
    ((entry),) = update(view.own_at("a", 3, Note), hit=True)
    assert entry.key == "missions/a/areas/P3/hit"
    assert len(read) == 2


def test_a_sight_tells_a_rule_only_where_the_game_says_one():
    assert (Sight(ground=True, burst=True).rule, Sight(ground=True, burst=True).why) == ("", "")
    assert Sight(ground=False, burst=False, rule="4.2", why="woods").rule == "4.2"
