"""Barrage limits of 12.1.6, row by row, from a typed table: judged by which units may fire
together.
"""

import attrs
import pytest

from fireplan_wacht_am_rhein import GAME
from fireplan_wacht_am_rhein.barrage import FiringUnit, Judge
from fireplan_wacht_am_rhein.charts import DATA, read_limits
from fireplan_wacht_am_rhein.setup import UnitEntry

LIMITS = read_limits(DATA / "barrage_limits.toml")
ANY = 5  # more units than any of these tests has

# Columns: side, mode, works, vantage; then the most units of the formation alone, the most corps
# and army units together with the formation, and the most other formations together with it.
ROWS = """
US prepared_assault none                         no   5 5 1
US prepared_assault none                         yes  5 5 1
US prepared_assault improved_position            no   5 5 1
US prepared_assault improved_position            yes  5 5 1
US prepared_assault entrenchment_or_fortification no  5 5 1
US prepared_assault entrenchment_or_fortification yes 5 5 1
US other            none                         no   2 1 0
US other            none                         yes  3 1 0
US other            improved_position            no   5 2 0
US other            improved_position            yes  5 3 0
US other            entrenchment_or_fortification no  5 5 1
US other            entrenchment_or_fortification yes 5 5 1
GE prepared_assault none                         no   5 3 0
GE prepared_assault none                         yes  5 4 0
GE prepared_assault improved_position            no   5 3 0
GE prepared_assault improved_position            yes  5 4 0
GE prepared_assault entrenchment_or_fortification no  5 3 0
GE prepared_assault entrenchment_or_fortification yes 5 4 0
GE other            none                         no   1 0 0
GE other            none                         yes  2 0 0
GE other            improved_position            no   5 1 0
GE other            improved_position            yes  5 2 0
GE other            entrenchment_or_fortification no  5 3 0
GE other            entrenchment_or_fortification yes 5 4 0
"""
CASES = [
    (side, mode, works, vantage == "yes", tuple(map(int, most)))
    for side, mode, works, vantage, *most in (line.split() for line in ROWS.strip().splitlines())
]


def _gun(name, under, distance=4, factors=4):
    unit = UnitEntry(name=name, side="US", under=under, hex=(0, 0), factors=factors, range=6)
    return FiringUnit(unit, distance, next_to_enemy=False, left=factors)


def _units(under, number, distance=4):
    return [_gun(f"{under} {n}", under, distance) for n in range(number)]


def _judge(war, allowance, **options):
    return Judge(allowance, "28th", war.COMMAND, 2, GAME.settled(options))


def _may(judge, guns):
    alone = [judge.refuse_unit(gun, gun.left) for gun in guns]
    return not any(alone) and judge.refuse_together(guns) is None


def _most(judge, sets):
    return max((n for n, guns in enumerate(sets) if _may(judge, guns)), default=0)


def _measured(judge):
    one = _units("28th", 1)
    return (
        _most(judge, [_units("28th", n) for n in range(ANY + 1)]),
        _most(judge, [one + _units("VIII", n) for n in range(ANY + 1)]),
        _most(judge, [one, one + _units("106th", 2), one + _units("106th", 2) + _units("2nd", 2)]),
    )


@pytest.mark.parametrize(("side", "mode", "works", "vantage", "most"), CASES)
def test_12_1_6_every_limit_of_a_full_unit(war, side, mode, works, vantage, most):
    judge = _judge(war, LIMITS.observed(side, mode, works, vantage=vantage))
    assert _measured(judge) == most


@pytest.mark.parametrize(("side", "mode", "works", "vantage", "most"), CASES)
def test_12_1_6e_a_breakdown_unit_has_one_outside_works_and_normal_limits_inside(
    war, side, mode, works, vantage, most
):
    judge = _judge(war, LIMITS.observed(side, mode, works, vantage=vantage, breakdown=True))
    assert _measured(judge) == ((1, 0, 0) if works == "none" else most)


@pytest.mark.parametrize(
    ("side", "under", "number", "refused"),
    [
        ("US", "28th", 2, ("12.1.6e", "the limit is 1 artillery unit, not 2")),
        ("US", "VIII", 1, ("12.1.6b", "at least 1 artillery unit must belong to 28th, not 0")),
        ("GE", "VIII", 1, ("12.1.6b", "the limit for corps and army units is 0, not 1")),
    ],
)
def test_12_1_6b_12_1_6e_a_breakdown_unit_is_held_to_one_and_to_the_units_of_its_mode(
    war, side, under, number, refused
):
    judge = _judge(war, LIMITS.observed(side, "other", "none", breakdown=True))
    refusal = judge.refuse_together(_units(under, number)).said(GAME.words)
    assert (refusal.cite, refusal.why) == refused


def test_12_1_6b_a_unit_in_strategic_mode_cannot_observe():
    with pytest.raises(ValueError, match="strategic"):
        LIMITS.observed("US", "strategic", "none")


def test_12_1_6b_one_of_two_us_units_must_be_of_the_formation(war):
    judge = _judge(war, LIMITS.observed("US", "other", "none"))
    refusal = judge.refuse_together(_units("VIII", 1)).said(GAME.words)
    assert (refusal.cite, refusal.why) == (
        "12.1.6b",
        "at least 1 artillery unit must belong to 28th, not 0",
    )


def test_12_1_6b_the_limit_is_named_with_its_number(war):
    judge = _judge(war, LIMITS.observed("US", "other", "none"))
    refusal = judge.refuse_together(_units("28th", 3)).said(GAME.words)
    assert (refusal.cite, refusal.why) == ("12.1.6b", "the limit is 2 artillery units, not 3")


@pytest.mark.parametrize(("side", "corps"), [("US", 2), ("GE", 1)])
def test_12_1_6c_an_improved_position_adds_corps_units_to_all_of_the_formation(war, side, corps):
    judge = _judge(war, LIMITS.observed(side, "other", "improved_position"))
    assert _may(judge, [*_units("28th", 5), *_units("VIII", corps)])
    refusal = judge.refuse_together([*_units("28th", 5), *_units("VIII", corps + 1)]).said(
        GAME.words
    )
    assert (refusal.cite, refusal.why) == (
        "12.1.6c",
        f"the limit for corps and army units is {corps}, not {corps + 1}",
    )


def test_12_1_6f_air_observed_enemies_have_the_us_limit_of_two(war):
    assert _measured(_judge(war, LIMITS.from_the_air())) == (2, 1, 0)


def test_12_1_6g_unobserved_one_unit_of_any_command(war):
    judge = Judge(LIMITS.unobserved_allowance(), None, war.COMMAND, 2, GAME.settled({}))
    for under in ("28th", "2nd", "V", "Third"):
        assert _may(judge, _units(under, 1))
        assert not _may(judge, _units(under, 2))


@pytest.mark.parametrize("side", ["US", "GE"])
def test_12_1_6_units_firing_at_an_adjacent_hex_do_not_count(war, side):
    judge = _judge(war, LIMITS.observed(side, "other", "none"))
    assert _may(judge, [*_units("28th", 1), *_units("VIII", 3, distance=1)])


def test_12_1_5_adjacent_artillery_still_belongs_to_the_command_unless_the_players_agree(war):
    allowance = LIMITS.observed("GE", "other", "none")
    guns = [*_units("28th", 1), *_units("106th", 1, distance=1)]
    assert not _may(_judge(war, allowance), guns)
    assert _may(_judge(war, allowance, adjacent_command="exempt"), guns)


def test_12_1_6b_an_adjacent_unit_of_the_formation_serves_as_its_one_only_by_agreement(war):
    allowance = LIMITS.observed("US", "other", "none")
    guns = [*_units("28th", 1, distance=1), *_units("VIII", 1)]
    assert not _may(_judge(war, allowance), guns)
    assert _may(_judge(war, allowance, formation_minimum="adjacent_serves"), guns)


def test_12_1_6e_adjacent_units_count_for_a_breakdown_observer_only_by_agreement(war):
    allowance = LIMITS.observed("US", "other", "none", breakdown=True)
    guns = [*_units("28th", 1), *_units("VIII", 1, distance=1)]
    assert _may(_judge(war, allowance), guns)
    assert not _may(_judge(war, allowance, breakdown_cap="counts_adjacent"), guns)


def test_12_1_6a_the_other_formation_of_another_corps_only_where_the_players_allow_it(war):
    allowance = LIMITS.observed("US", "prepared_assault", "none")
    assert _may(_judge(war, allowance), _units("2nd", 1))
    assert not _may(_judge(war, allowance, other_formation="same_corps"), _units("2nd", 1))
    assert _may(_judge(war, allowance, other_formation="same_corps"), _units("106th", 1))


@pytest.mark.parametrize(("under", "may"), [("28th", True), ("106th", True), ("2nd", False)])
def test_12_1_6a_beside_a_corps_gun_that_observes_the_divisions_of_its_own_corps_are_of_the_same_corps(
    war, under, may
):
    allowance = LIMITS.observed("US", "prepared_assault", "none")
    judge = attrs.evolve(_judge(war, allowance, other_formation="same_corps"), formation="VIII")
    assert _may(judge, _units(under, 1)) is may
    assert not _may(judge, [*_units("28th", 1), *_units("106th", 1)])
    assert _may(judge, [*_units("VIII", 2), *_units("First", 1)])


@pytest.mark.parametrize(("side", "same", "corps"), [("US", 1, 2), ("GE", 0, 1)])
def test_12_1_6d_the_gained_unit_may_be_a_corps_unit_by_agreement(war, side, same, corps):
    plain = LIMITS.observed(side, "other", "none", vantage=True)
    agreed = LIMITS.observed(side, "other", "none", vantage=True, vantage_third="corps_army")
    guns = [*_units("28th", same), *_units("VIII", corps)]
    assert not _may(_judge(war, plain), guns)
    assert _may(_judge(war, agreed), guns)


@pytest.mark.parametrize(
    ("under", "may"),
    [
        ("28th", True),
        ("VIII", True),
        ("First", True),
        ("V", False),
        ("Third", False),
        ("106th", False),
    ],
)
def test_12_1_5_formation_and_the_corps_and_army_over_it(war, under, may):
    judge = _judge(war, LIMITS.observed("GE", "prepared_assault", "none"))
    refusal = judge.refuse_unit(_gun("a", under), 4)
    assert (refusal is None) is may
    if not may:
        assert refusal.cite == "12.1.5"
        assert under in refusal.said(GAME.words).why


@pytest.mark.parametrize("exempt", [False, True])
@pytest.mark.parametrize(
    "present",
    [
        "a 28th 3 4, b VIII 7 4, c First 5 4, d 106th 4 4, e 2nd 2 4, f 2nd 3 4",
        "a 106th 4 4, b 106th 5 4, c 2nd 6 4",  # no unit is of the observer's formation
        # Some units are next to the target.
        "a 106th 4 1, b 106th 5 4, c 2nd 6 1, d 28th 2 4, e VIII 3 1",
        "a 2nd 4 1, b 106th 5 1, c V 3 1, d 28th 2 1",
        "a 106th 9 4, b 2nd 1 1",  # the strong distant unit keeps out the weak adjacent one
    ],
)
def test_12_1_6_the_best_choice_is_the_strongest_of_all_legal_ones(war, present, exempt):
    """The choice is compared with every set of units, given by name, headquarters, factors and
    distance.
    """
    guns = [
        _gun(name, under, int(far), int(factors))
        for name, under, factors, far in map(str.split, present.split(","))
    ]
    sets = [[g for i, g in enumerate(guns) if mask >> i & 1] for mask in range(1, 2 ** len(guns))]
    for side, mode, works, vantage, _ in CASES:
        for breakdown in (False, True):
            allowed = LIMITS.observed(side, mode, works, vantage=vantage, breakdown=breakdown)
            judge = _judge(war, allowed, adjacent_command="exempt" if exempt else "required")
            strongest = max(
                (sum(g.left for g in chosen) for chosen in sets if _may(judge, chosen)), default=0
            )
            assert sum(factors for _, factors in judge.best(guns)) == strongest


def test_12_1_6e_a_breakdown_company_in_prepared_assault_may_call_one_unit_of_another_formation(
    war,
):
    judge = _judge(war, LIMITS.observed("US", "prepared_assault", "none", breakdown=True))
    guns = _units("106th", 2)
    assert _may(judge, guns[:1])
    assert not _may(judge, guns)
    assert judge.best(guns) == (("106th 0", 4),)


@pytest.mark.parametrize("distances", [(4, 4), (4, 1), (1, 1)])
def test_12_1_5_next_to_the_target_too_the_leave_is_for_one_other_formation(war, distances):
    judge = _judge(war, LIMITS.observed("US", "prepared_assault", "none"))
    guns = [_gun("a", "106th", distances[0]), _gun("b", "2nd", distances[1])]
    assert all(_may(judge, [gun]) for gun in guns)
    assert not _may(judge, guns)
    assert judge.refuse_together(guns).cite == "12.1.6a"
    # If neighbours are read as exempt from the command structure, only more distant units count.
    exempt = _judge(
        war, LIMITS.observed("US", "prepared_assault", "none"), adjacent_command="exempt"
    )
    assert _may(exempt, guns) is (1 in distances)
