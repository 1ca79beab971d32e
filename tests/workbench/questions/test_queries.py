"""Facts that the rules derive from a position, against charts, rules and lists made by hand."""

import csv
from fractions import Fraction
from pathlib import Path

import pytest

import fireplan as fp

FALLING = "fp1 asl/village a{stage=falling round=@K5 fell}"
IFT = Path(__file__).parents[2] / "data" / "asl_ift.csv"


def ift(dr, column):
    """Return an entry of the printed table; its first and last rows also cover results beyond them."""
    with IFT.open(encoding="utf-8") as file:
        rows = {int(row["dr"]): row for row in csv.DictReader(file)}
    return rows[min(max(dr, min(rows)), max(rows))][column]


def test_c1_5_each_roll_of_an_attack_gives_its_column_and_entry():
    """An 81mm mortar has 16 FP; the stone building adds 3."""
    attack = fp.position(FALLING).attack("a", "K5")
    assert len(attack.look_ups) == 36
    for dice, entries in attack.look_ups.items():
        if sum(dice) > 2:
            (entry,) = entries
            assert (entry.chart, entry.column, entry.row) == ("ift", "fp16", sum(dice) + 3)
            assert entry.entry == ift(sum(dice) + 3, "fp16")


def test_c1_53_a_critical_hit_shows_its_own_column_and_the_reversed_tem():
    """A Critical Hit of 80mm or more has 30 FP, and the TEM of +3 counts as -3."""
    (entry,) = fp.position(FALLING).attack("a", "K5").look_ups[1, 1]
    assert (entry.column, entry.row, entry.entry) == ("fp30", -1, ift(-1, "fp30"))


def test_the_due_roll_shows_the_same_before_it_is_made():
    due = fp.position(f"{FALLING} > resolution.strike(a @K5 Shot())@K5").roll
    assert due.look_ups == fp.position(FALLING).attack("a", "K5").look_ups


def test_c1_7_harassing_fire_covers_its_place_more_weakly_than_a_concentration():
    strong, weak = fp.position(FALLING), fp.position(FALLING.replace("fell", "fell type=harassing"))
    assert strong.query("covers", "a", "K5") == 1
    assert 0 < weak.query("covers", "a", "K5") < 1
    assert strong.query("covers", "a", "A1") == 0
    assert strong.query("sees", "a", "K5") == strong.sees("a", "K5")


def test_c1_23_the_security_area_of_a_phone_is_a_list_of_hexes():
    """Its line runs along number 6 from E6 to the Friendly Board Edge at hexrow A."""
    phone = fp.load("asl/field_phone").at(0)
    assert phone.query("security_area", "a") == ("E6", "D6", "C6", "B6", "A6")
    assert fp.position("asl/village").query("security_area", "a") == ()


def test_c1_62_the_level_seen_from_and_the_lowest_level_seen_are_numbers():
    """From K1 on level 2 over K5 on level 1: K6 to K8 are dead ground, whose bursts are seen."""
    ridge = fp.position("asl/ridge")
    assert ridge.query("observer_level", "a") == 2
    lowest = {place: ridge.query("lowest_seen", "a", place) for place in ("K5", "K6", "K8", "K9")}
    assert (lowest["K5"], lowest["K9"]) == (0, 0)
    assert {lowest["K6"], lowest["K8"]} <= {1, 2}  # smoke bursts are two levels high
    assert ridge.query("lowest_seen", "a", "L6") in (*range(3, 10), None)  # woods hide even bursts


def test_12_3_2_each_face_of_a_volley_gives_hits_and_artillery_shift():
    """12 factors are a volley of 8 and one of 4; the chances are those of the outcomes."""
    position = fp.position("wacht_am_rhein/dividing_fire").play("barrage")
    position = position.play(position.standard())
    faces = position.query("volley_results", "us", "3030")
    assert [value for value, *_ in faces] == [8] * 10 + [4] * 10
    both = [(a, b) for a in faces[:10] for b in faces[10:]]
    none = Fraction(sum(not any((*a[2:], *b[2:])) for a, b in both), 100)
    rows = position.play(dice=(0,)).outcomes()
    events = ((row.chance, {event.kind: event for event in row.events}) for row in rows)
    finals = [(chance, kinds["final_result"]) for chance, kinds in events]
    assert none == sum(c for c, final in finals if not final["hits"] and not final["shift"])
    shifts = Fraction(sum(a[3] or b[3] for a, b in both), 100)
    assert shifts == sum(chance for chance, final in finals if final["shift"])


def test_4_81_concealment_is_a_number_and_4_2_an_obstacle_has_its_hex():
    pinon = fp.position("red_poppies/battle_for_pinon")
    unit = next(iter(pinon.at.scenario.units))
    here = str(pinon[unit, "place"])
    beside = pinon.neighbours(here)[0]
    assert pinon.query("obstruction", unit, beside) is None  # adjacent hexes are seen
    assert pinon.query("concealment", unit, beside) == 0
    what, rule, place = pinon.query("obstruction", unit, "AT05")
    assert (what, place) == ("a village", "AT04")
    assert "8.1" in rule
    assert pinon.query("level", unit) == 0


def test_7_1_a_bombardment_has_no_observer_so_its_sight_is_refused():
    repulse = fp.position("red_poppies/bloody_repulse")
    with pytest.raises(fp.InputError, match="cannot answer this query here"):
        repulse.sees("bombardment", "AK15")


def test_invalid_queries_are_all_refused_at_once():
    village = fp.position("asl/village")
    with pytest.raises(fp.InputError, match="Did you mean 'covers'"):
        village.query("cover", "a", "K5")
    with pytest.raises(fp.InputError) as error:
        village.query("covers", "b", "ZZ99", of=1)
    text = str(error.value)
    assert all(word in text for word in ("asset 'b'", "ZZ", "argument 'of'"))
    with pytest.raises(fp.InputError, match="takes mission, place"):
        village.query("covers", "a")
