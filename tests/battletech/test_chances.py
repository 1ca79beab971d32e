"""The worked examples with chances, exactly; and what the game says about the sources of its rules."""

from __future__ import annotations

import io
from fractions import Fraction

import pytest

import fireplan as fp
from fireplan.analysis import find_engagement
from fireplan.cli import main
from fireplan_core import CannotStageError
from fireplan_core.play import Catalogue, stage_engagement

SOURCES = "from second-hand sources"
SUMS = {total: Fraction(6 - abs(total - 7), 36) for total in range(2, 13)}
THREE_TURNS = {"off_board": 283}


@pytest.mark.parametrize(
    ("number", "ways"), [(7, 21), (8, 15), (9, 10), (10, 6), (11, 3), (12, 1), (13, 0)]
)
def test_9_the_chances_of_two_dice(chance, number, ways):
    assert chance("hit", 2, piece={"off_board": 3, "gunnery": number - 7}) == Fraction(ways, 36)


def test_9_a_number_of_13_or_more_can_only_scatter(chance):
    assert chance("hit", 2, piece={"gunnery": 6}) == 0


def test_9_example_3_within_17_hexes_a_first_shot_hits_with_5_of_12_and_does_not_fly(chance):
    assert chance("hit", 1, piece={"off_board": 0}) == Fraction(5, 12)


@pytest.mark.parametrize(
    ("shot", "share"),
    [(1, "1/12"), (2, "17/72"), (3, "581/1296"), (4, "10547/15552"), (5, "161599/186624")],
)
def test_10_example_4_observed_a_hit_at_the_latest_with_each_shot(chance, shot, share):
    assert chance("hit", shot + 1) == Fraction(share)  # one turn of flight
    # Three turns of flight (decision 4).
    assert chance("hit", shot + 3, piece=THREE_TURNS) == Fraction(share)


@pytest.mark.parametrize("shot", [1, 2, 3, 4, 5])
def test_10_example_4_unobserved_each_shot_hits_with_1_of_12(chance, shot):
    assert chance("hit", shot + 1, spotters=()) == 1 - Fraction(11, 12) ** shot


def test_13_example_2_how_far_off_the_first_shot_lands(field):
    found = dict(
        fp.odds(str(field({"off_board": 3}).file), moments=2)
        .answer.measures["miss_metres"]
        .distribution
    )
    assert {round(metres / 30): share for metres, share in found.items()} == {
        11 - total if total < 11 else 0: share for total, share in SUMS.items() if total <= 10
    } | {0: Fraction(1, 12)}
    assert sum(share for metres, share in found.items() if metres <= 30) == Fraction(1, 6)
    assert sum(share for metres, share in found.items() if metres <= 60) == Fraction(5, 18)
    assert found[max(found)] == Fraction(1, 36)
    assert round(max(found)) == 270


def test_19_example_9_a_sniper_at_a_platoon_in_woods(field):
    place = str(field({"weapon": "sniper", "off_board": 3}, units=({"ground": "woods"},)).file)
    lost = fp.position(place).distribution(lambda end: end["unit 1", "taken"], by="turn 2")
    assert dict(lost.shares) == {0: Fraction(5, 6), 20: Fraction(1, 12), 28: Fraction(1, 12)}


def test_13_an_error_of_four_hexes_is_likelier_than_one_of_two_so_own_troops_farther_off_are_hit_more(
    field,
):
    found = dict(
        fp.odds(str(field({"off_board": 3}).file), moments=2)
        .answer.measures["miss_metres"]
        .distribution
    )
    by_hexes = {round(metres / 30): share for metres, share in found.items()}
    assert by_hexes[2] < by_hexes[4] == max(by_hexes.values())
    at = [
        fp.compare("woods", games="battletech", own_troops=metres, minutes=10)["battletech"]
        for metres in (50, 100)
    ]
    near, far = (one.measures["own_troops_under_fire"].value for one in at)
    assert near < far


# --- engagements --------------------------------------------------------------------------------------
def staged(name="woods", **facts):
    engagement = (
        fp.positions.with_facts(find_engagement(name), facts) if facts else find_engagement(name)
    )
    return stage_engagement(Catalogue.installed(only=("battletech",)), "battletech", engagement)


@pytest.mark.parametrize(
    ("name", "facts", "reason"),
    [
        ("dug_in", {}, "dug in"),
        ("dug_in", {}, "bombardment before play"),
        ("strongpoint", {}, "building"),
        ("woods", {"night": True}, "night"),
        ("woods", {"weapon": "mortar"}, "mortar"),
        ("woods", {"range": 11_000}, "reaches 357"),
    ],
)
def test_gaps_in_the_sources_are_refused_with_a_reason(name, facts, reason):
    with pytest.raises(CannotStageError, match=reason):
        staged(name, **facts)


@pytest.mark.parametrize(
    ("calibre", "kind", "weapon"),
    [
        (105, "howitzer", "thumper"),
        (155, "howitzer", "sniper"),
        (203, "gun", "long_tom"),
        (300, "rocket", "arrow_iv"),
    ],
)
def test_a_piece_represents_the_battery_and_the_choice_is_noted(calibre, kind, weapon):
    scenario = staged(calibre=calibre, weapon=kind, range=4000)
    assert scenario.missions["a"].facts["areas"].weapon == weapon
    assert any(weapon in note and "our choice" in note for note in scenario.provenance)


def test_platoons_of_an_engagement_have_at_most_28_men_and_all_its_men():
    units = [unit for unit in staged().units.values() if unit.side == "target"]
    men = [unit.strength for unit in units]
    assert (sum(men), max(men) <= 28, len(men)) == (120, True, 5)


def test_7_registered_guns_have_named_the_target_before_play():
    assert staged(preregistered=True).missions["a"].facts["areas"].designated == (staged().centre,)


# --- from second-hand sources -------------------------------------------------------------------------
@pytest.mark.parametrize(
    "command",
    [
        ("games",),
        ("compare", "woods", "--games", "battletech", "--minutes", "3"),
        ("compare", "woods", "--games", "battletech", "--minutes", "3", "--json"),
        ("odds", "battletech/ranging_in", "--moments", "4"),
        ("odds", "battletech/ranging_in", "--moments", "4", "--json"),
        ("odds", "--game", "battletech"),
        ("best", "battletech/ranging_in", "--moments", "5"),
        ("whatif", "battletech/ranging_in", "--set", "battletech.far=6", "--minutes", "1"),
        ("play", "battletech/ranging_in", "--seed", "1"),
        ("rules", "battletech"),
        ("rules", "battletech", "8"),
        ("numbers", "battletech"),
        ("scenarios", "battletech"),
    ],
    ids=" ".join,
)
def test_every_output_names_the_source_of_the_rules(command, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    assert main(list(command)) == 0
    assert SOURCES in " ".join(capsys.readouterr().out.split())


def test_12_13_observed_misses_reduce_the_harm_to_a_target_wider_than_the_rings():
    """Hexes stay hit once hit; two hexes away is outside the rings, where only a miss reaches."""

    def lost(number, by, **facts):
        suffers = fp.happens("suffered", unit=f"platoon {number}", severity="destroyed")
        return fp.position("woods", game="battletech", **facts).chance(suffers, by=by).chance

    blind = {"observer": "none", "sight": "none"}
    # Platoon 2 is beside the hex aimed at.
    assert lost(2, "turn 60") > lost(2, "turn 60", **blind) > Fraction(99, 100)
    # Platoon 1 is two hexes from the hex aimed at.
    ranged_in, scattered = lost(1, "turn 60"), lost(1, "turn 60", **blind)
    assert ranged_in < scattered < Fraction(1, 5)
    assert (
        lost(1, "turn 120") - ranged_in
        < Fraction(1, 10**6)
        < lost(1, "turn 120", **blind) - scattered
    )
