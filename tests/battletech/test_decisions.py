"""The decisions of the facts sheet: each default, and the other reading under its option."""

from __future__ import annotations

import pytest

from fireplan_battletech.forms import DATA
from fireplan_core.chance import read_csv
from fireplan_core.ledger import read_ledger

LOW = (3, 3)


def taught(field, **more):
    """Return the modifiers of a second shot that was fired after the first was seen to miss."""
    return field(**more).fire(turns=2).roll(*LOW).roll(1).fire().roll(*LOW).added


def first(field, **more):
    """Return the modifiers of a first shot."""
    return field(**more).fire(turns=2).roll(*LOW).added


def test_d1_the_spotters_gunnery_helps_adjusted_shots_or_by_option_every_observed_one(field):
    eye = ({"gunnery": 2},)
    assert first(field, spotters=eye) == []
    assert first(field, spotters=eye, options={"spotter_helps": "observed"}) == [
        ("the spotter's gunnery", -1)
    ]
    blind = ({"gunnery": 2, "sees": ("0101",)},)
    assert first(field, spotters=blind, options={"spotter_helps": "observed"}) == []


@pytest.mark.parametrize(("option", "value"), [(1, -1), (2, -2)])
def test_d2_a_forward_observer_takes_1_off_or_by_option_2(field, option, value):
    added = taught(
        field, spotters=({"forward_observer": True},), options={"forward_observer": option}
    )
    assert added[1:] == [("a forward observer", value)]


@pytest.mark.parametrize(
    ("gunnery", "toward", "away"),
    [(0, -2, -2), (1, -1, -2), (2, -1, -1), (3, 0, -1), (4, 0, 0), (5, 0, 1), (6, 1, 1)],
)
def test_d3_half_steps_of_gunnery_count_toward_zero_or_by_option_away_from_it(
    field, gunnery, toward, away
):
    for option, value in (("toward", toward), ("away", away)):
        added = taught(field, spotters=({"gunnery": gunnery},), options={"half_steps": option})
        assert added[1:] == ([("the spotter's gunnery", value)] if value else [])


@pytest.mark.parametrize(
    ("option", "added"), [("landing", [("observed misses", -1)]), ("launch", [])]
)
def test_d4_misses_count_up_to_the_landing_or_by_option_up_to_the_launch(field, option, added):
    table = field({"off_board": 283}, options={"misses_known": option}).fire(turns=4)
    table.roll(*LOW).roll(1)
    table.give("hold")
    assert table.roll(*LOW).added == added  # the second shell was fired before the first had landed


@pytest.mark.parametrize(("option", "sees", "seen"), [
    ("target", ("1617",), 1), ("target", ("1612",), 0), ("landing", ("1617", "1612"), 1), ("landing", ("1617",), 0),
])  # fmt: skip
def test_d5_a_miss_is_observed_by_seeing_the_target_or_by_option_the_landing_hex(
    field, option, sees, seen
):
    table = (
        field(spotters=({"sees": sees},), options={"miss_observed": option})
        .fire(turns=2)
        .roll(*LOW)
        .roll(1)
    )
    assert len(table.emitted("observed")) == seen


def test_d6_two_shells_of_one_turn_land_in_order_of_launch_each_helped_by_earlier_misses(
    field,
):
    # From 1617 the piece is 18 hexes away, one turn of flight; from 1618 it is 17, without a delay.
    table = field({"off_board": 1}).fire().fire(at="1618")
    assert table.table.waits_for.name == "to_hit"
    table.roll(*LOW).roll(1).roll(*LOW).roll(1)
    assert [table.label(one["at"]) for one in table.emitted("observed")] == ["1617", "1618"]
    assert table.added == []
    table = (
        field({"off_board": 1, "move": 1}, options={"misses_known": "landing"})
        .fire(turns=2)
        .roll(*LOW)
        .roll(1)
    )
    assert table.fire().roll(*LOW).added == [("observed misses", -1)]


def test_d7_a_shell_that_strays_onto_the_enemy_teaches_nothing_of_his_hex(field):
    table = field({"off_board": 0}, units=({"place": "1615"},)).fire().roll(*LOW).roll(1)
    assert [table.label(one["impact"]) for one in table.emitted("fall")] == ["1615"]
    assert table.emitted("men_lost")
    closer = (
        field({"off_board": 0, "place": "1628"}, units=({"place": "1615"},))
        .fire()
        .roll(*LOW)
        .roll(1)
    )
    closer.fire(at="1615").roll(*LOW)
    assert (closer.emitted("certain"), closer.added) == ([], [])


def test_d8_hexes_named_before_play_are_hit_for_certain_unless_the_option_says_no(field):
    named = {"designated": ("1617",)}
    assert field(**named).fire(turns=2).emitted("certain")
    table = field(**named, options={"predesignated": False}).fire(turns=2)
    assert table.table.waits_for.name == "to_hit"


@pytest.mark.parametrize(("option", "lost"), [(True, 20), (False, 10)])
def test_d9_damage_in_a_clear_hex_is_doubled_unless_the_option_says_no(field, option, lost):
    units = ({"place": "1618"},)
    table = field(units=units, designated=("1617",), options={"clear_doubling": option}).fire(
        turns=2
    )
    assert [one["men"] for one in table.emitted("men_lost")] == [lost]


def test_d10_damage_beyond_the_men_left_is_lost(field):
    units = ({"place": "1617", "men": 7}, {"place": "1617"})
    table = field(units=units, designated=("1617",)).fire(turns=2)
    assert [(one["men"], one["left"]) for one in table.emitted("men_lost")] == [(7, 0), (28, 0)]


def test_d11_pieces_move_before_they_fire(field):
    table = field({"off_board": 0, "move": 1})
    table.give("move")
    table.fire()
    kinds = [event.kind for event in table.events]
    assert kinds.index("moved") < kinds.index("launched")


def test_d12_the_number_is_at_least_2(field):
    table = field(
        {"off_board": 0, "gunnery": 0}, spotters=({"gunnery": 0, "forward_observer": True},)
    )
    # On 0 + 4 a roll of 2 is two short, and observed. Then 4 - 1 - 2 - 1 is below 2, so a 2 hits.
    table.fire().roll(1, 1).roll(1)
    table.fire().roll(1, 1)
    assert table.emitted("hit")


def test_d13_directions_go_clockwise_from_the_top_edge(field):
    table = field({"off_board": 0}).fire().roll(*LOW).roll(1)
    # The shell lands two hexes off, towards the top of the sheet.
    assert table.label(table.emitted("fall")[0]["impact"]) == "1615"


def test_d14_ammunition_is_not_counted_unless_the_scenario_gives_shots(field):
    table = field({"shots": 2, "off_board": 0}, designated=("1617",)).fire(turns=2)
    assert table.why_not("fire", at="1617") == "5, D14"
    assert len(field({"off_board": 0}, designated=("1617",)).fire(turns=20).emitted("fall")) == 20


@pytest.mark.parametrize(
    ("option", "added"),
    [
        ("landing", [("observed misses", -1)]),
        ("launch", [("observed misses", -1), ("the spotter at launch", -1)]),
    ],
)
def test_d16_the_bonus_is_that_of_the_spotter_at_the_landing_or_by_option_at_the_launch(
    field, option, added
):
    # The good spotter sees the first two turns: the launch of the second shell, but not its
    # landing.
    eyes = ({"gunnery": 2, "until": 2}, {"gunnery": 4})
    table = (
        field(spotters=eyes, options={"spotter_of": option})
        .fire(turns=2)
        .roll(*LOW)
        .roll(1)
        .fire()
        .roll(*LOW)
    )
    assert table.added == added


@pytest.mark.parametrize(("option", "certain"), [("miss", 0), ("hit", 1)])
def test_d17_a_miss_shortened_to_nothing_strikes_the_hex_and_is_a_hit_by_option_alone(
    field, option, certain
):
    # A roll of 9 against 10 is one short.
    table = field({"oblique": True}, options={"shortened": option}).fire(turns=2).roll(5, 4)
    assert table.label(table.emitted("fall")[0]["impact"]) == "1617"
    table.fire()
    assert len(table.emitted("certain")) == certain


@pytest.mark.parametrize(("option", "reach"), [("down", 336), ("up", 337)])
def test_d18_ten_percent_more_range_is_rounded_down_or_by_option_up(field, option, reach):
    gun = {"weapon": "sniper", "oblique": True}
    options = {"oblique_range": option}
    field({**gun, "off_board": reach - 17}, options=options).fire()
    assert (
        field({**gun, "off_board": reach - 16}, options=options).why_not("fire", at="1617") == "6"
    )


def test_the_ledger_rates_every_clause_and_none_is_open():
    rules = read_ledger(DATA / "rules.toml").rules
    assert list(rules) == [*map(str, range(1, 23)), *(f"D{number}" for number in range(1, 19))]
    tags = {rule.attested.split(":")[0] for rule in rules.values()}
    assert tags == {"A", "B", "B and C", "C", "I", "missing"}
    assert {rule.id for rule in rules.values() if rule.status != "implemented"} == {"22", "D15"}


def test_numbers_from_one_source_are_marked():
    rows = {row["name"]: row for row in read_csv(DATA / "numbers.csv")}
    single = {name for name, row in rows.items() if row["rule"] in ("11", "14", "20")} - {"percent"}
    assert {name for name in single if "one source" in rows[name]["summary"]} == single
    assert {rows[name]["provenance"] for name in single} == {"reconstructed"}
    assert all(row["provenance"] != "printed" for row in rows.values())
