"""Facts read directly off the table, checked against rules, charts and geometry."""

import math

import pytest

import fireplan as fp


def test_distance_is_counted_in_hexes_and_metres():
    village = fp.position("asl/village")
    assert village.distance("K5", "K5").hexes == 0
    # Columns are 40 * sqrt(3) / 2 metres apart; M5 is in the second column from K5, level with K5.
    there = village.distance("K5", "M5")
    assert there.hexes == 2
    assert there.metres == pytest.approx(40 * math.sqrt(3))


def test_neighbours_are_the_places_at_distance_one_on_the_map():
    village = fp.position("asl/village")
    near = village.neighbours("K5")
    assert len(set(near)) == 6
    assert {village.distance("K5", place).hexes for place in near} == {1}
    assert len(village.neighbours("A1")) < 6


def test_a_table_in_yards_has_no_hexes_and_no_neighbours():
    farm = fp.position("miniatures_1943/hedgerow_farm")
    one, other = (farm[unit, "place"] for unit in [*farm.at.scenario.units][:2])
    there = farm.distance(str(one), str(other))
    assert there.hexes is None
    assert there.metres > 0
    with pytest.raises(fp.InputError, match="not a hex"):
        farm.neighbours(str(one))


def test_c1_2_the_number_to_reach_is_read_before_the_dice_are_thrown():
    due = fp.position("asl/village", a={"stage": "requested"}).play(until="next roll").roll
    assert due.name == "contact"
    assert [*due.dice.values()] == [(1, 2, 3, 4, 5, 6)] * 2
    assert len(due.results) == 36
    reached = {sum(faces) for faces, text in due.results.items() if text == due.results[1, 1]}
    assert reached == {2, 3, 4, 5, 6, 7, 8}  # German radios: contact on 8 or less


def test_b23_3_a_tem_is_shown_before_the_roll():
    due = fp.position(
        "fp1 asl/village a{stage=falling round=@K5 fell} > resolution.strike(a @K5 Shot())@K5"
    ).roll
    assert due.name == "effect"
    # A stone building has TEM 3.
    assert (due.modifier, [each.value for each in due.modifiers]) == (3, [3])
    assert due.modifiers[0].cite


def test_no_roll_is_due_where_an_order_is():
    assert fp.position("asl/village").roll is None
