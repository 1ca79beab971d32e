"""Volleys and the Barrage Results Table: the rules' worked examples, and sums by an independent
library.
"""

from fractions import Fraction

import icepool
import pytest

from fireplan_core import Asset, Observer
from fireplan_core.chance import Fold, d10
from fireplan_core.play import Thrown, Variation, stage_engagement
from fireplan_wacht_am_rhein.charts import DATA, read_result, read_results
from fireplan_wacht_am_rhein.resolution import factors_of, groups, volleys

RESULTS = read_results(DATA / "barrage_results.csv")

# The table is typed by hand from the facts: for each Barrage Value, the results of the dice 0 to 9.
TYPED = {
    1: ["none"] * 7 + ["AS"] * 2 + ["1"],
    2: ["none"] * 6 + ["AS"] * 2 + ["1"] * 2,
    3: ["none"] * 5 + ["AS"] * 2 + ["1"] * 2 + ["AS+1"],
    4: ["none"] * 4 + ["AS"] * 2 + ["1"] * 2 + ["AS+1"] * 2,
    5: ["none"] * 3 + ["AS"] * 2 + ["1"] * 2 + ["AS+1"] * 2 + ["2"],
    6: ["none"] * 2 + ["AS"] * 2 + ["1"] * 2 + ["AS+1"] * 2 + ["2"] * 2,
    7: ["none"] + ["AS"] * 2 + ["1"] * 2 + ["AS+1"] * 2 + ["2"] * 3,
    8: ["AS"] * 2 + ["1"] * 2 + ["AS+1"] * 2 + ["2"] * 3 + ["AS+2"],
}


def test_12_2_0_twenty_factors_make_volleys_of_8_8_and_4():
    assert volleys(20, 8) == (8, 8, 4)


def test_12_2_0_five_factors_make_one_volley_of_5():
    assert volleys(5, 8) == (5,)


def test_12_2_0_volleys_keep_every_factor_and_only_the_last_is_short():
    for factors in range(200):
        made = volleys(factors, 8)
        assert sum(made) == factors
        assert all(value == 8 for value in made[:-1])
        assert all(1 <= value <= 8 for value in made)


def test_12_1_3_two_units_of_six_factors_together_make_one_volley_of_six(war):
    artillery = war.guns(("left", 3, 4, 4, "28th"), ("right", 3, 3, 3, "28th"))
    play = war.Play(war.fielded(artillery, [war.observer("observer", "28th", "prepared_assault")]))
    play.until("requests.barrage")
    assert play.barrage({"left": 3, "right": 3}) is None
    play.table.submit(Thrown("depletion", (0,)))
    volley = play.table.waits_for
    assert len(volley.faces) == 1
    # A value of 6 gives two hits on an 8 or 9, one on 4 to 7, and a shift on 2, 3, 6 and 7.
    assert dict(volley.space) == {
        (0, False): 2,
        (0, True): 2,
        (1, False): 2,
        (1, True): 2,
        (2, False): 2,
    }
    assert play.table.read("missions/a/strength", None) == Fraction(3, 4)


@pytest.mark.parametrize("value", range(1, 9))
def test_12_3_1_every_cell_of_the_results_table(value):
    assert [RESULTS.cell(die, f"bv{value}") for die in range(10)] == TYPED[value]


@pytest.mark.parametrize("value", range(1, 9))
def test_12_3_1_a_plus_cell_holds_every_higher_number_and_below_the_lowest_nothing_happens(value):
    assert RESULTS.cell(19, f"bv{value}") == TYPED[value][9]
    assert RESULTS.cell(-10, f"bv{value}") == "none"


def test_12_3_0_mean_hits_of_a_volley_by_barrage_value():
    means = [
        Fraction(sum(read_result(RESULTS.cell(die, f"bv{value}"))[0] for die in range(10)), 10)
        for value in range(1, 9)
    ]
    assert means == [Fraction(n, 10) for n in (1, 2, 3, 4, 6, 8, 10, 12)]


def test_12_3_2_results_give_hits_and_shifts():
    assert [read_result(r) for r in ("none", "AS", "1", "AS+1", "2", "AS+2")] == [
        (0, False), (0, True), (1, False), (1, True), (2, False), (2, True),
    ]  # fmt: skip


def test_12_3_3_two_volleys_of_one_hit_and_shift_make_two_hits_and_one_shift():
    two = Fold("volleys", d10, *groups(RESULTS, (8, 8), 0, d10))
    assert [RESULTS.cell(die, "bv8") for die in (4, 5)] == ["AS+1", "AS+1"]
    assert two.read((4, 5)) == (2, True)


def test_12_3_1_rockets_first_volley_alone_gets_its_modifier():
    two = Fold("volleys", d10, *groups(RESULTS, (8, 8), 0, d10, first_only=1))
    # At value 8 a 3 is only a hit, a 4 a hit and a shift: only the first die is raised.
    assert two.read((3, 3)) == (2, True)
    assert two.read((0, 1)) == (0, True)
    assert two.read((1, 3)) == (2, False)


def _icepool(counts):
    """Return the exact distribution of (hits, any shift) of some volleys, from the typed table."""
    total = icepool.Die([0])
    for value, number in counts.items():
        # A shift counts as a thousand added to the hits: plain numbers are summed far faster than
        # pairs.
        faces = [
            (int(c[-1]) if c[-1].isdecimal() else 0) + 1000 * c.startswith("AS")
            for c in TYPED[value]
        ]
        total += number @ icepool.Die(faces)
    summed = {}
    for coded, weight in total.items():
        shifts, hits = divmod(coded, 1000)
        summed[hits, shifts > 0] = summed.get((hits, shifts > 0), 0) + Fraction(
            weight, total.denominator()
        )
    return summed


def _final_result(play):
    """Return the chance of each final result of the standard barrage, without depletion."""
    play.until("requests.barrage")
    standard = play.table.rulebook.answer(play.table.waits_for, {}, play.table.read)
    assert play.barrage(dict(standard["fire"])) is None
    play.table.submit(Thrown("depletion", (0,)))
    space = play.table.waits_for.space
    whole = sum(weight for _, weight in space)
    return {key: Fraction(weight, whole) for key, weight in space}


@pytest.mark.parametrize(
    ("units", "counts"), [(40, {8: 20}), (5, {8: 2, 4: 1}), (1, {4: 1}), (39, {8: 19, 4: 1})]
)
def test_12_3_3_the_final_result_is_distributed_as_an_outside_library_says(war, units, counts):
    given = war.engagement(observer=Observer(footing="attack"), asset=Asset(guns=12 * units))
    play = war.Play(war.scenario(given))
    assert _final_result(play) == _icepool(counts)  # all factors fire: 4 per unit


@pytest.mark.parametrize(("full", "counts"), [(8, {8: 1, 4: 1}), (6, {6: 2}), (5, {5: 2, 2: 1})])
def test_12_2_0_a_changed_full_volley_reaches_the_dice(war, full, counts):
    given = war.engagement(observer=Observer(footing="attack"), asset=Asset(guns=36))
    changed = Variation(numbers={"full_volley": str(full)})
    play = war.Play(stage_engagement(war.catalogue(), "wacht_am_rhein", given, changed))
    assert _final_result(play) == _icepool(counts)  # three units of 4 factors


@pytest.mark.parametrize(
    ("intensity", "factors"), [("1", 8), ("1/3", 3), ("1/100", 1), ("0", 0), ("17/8", 17)]
)
def test_12_2_0_the_factors_of_another_games_fire_are_rounded_up(intensity, factors):
    assert factors_of(Fraction(intensity), 8) == factors
