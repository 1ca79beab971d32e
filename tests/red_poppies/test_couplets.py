"""Initiative and couplets (5.1, 5.2): how many commands a turn brings."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fireplan_core import Firer, Order
from fireplan_core.play import Answered

# Of the 36 pairs of dice, six differ by 0, ten by 1, eight by 2, six by 3, four by 4 and two by 5;
# a tie counts as three.
BY_DAY = {1: 10, 2: 8, 3: 12, 4: 4, 5: 2}


def share_of(pairs):
    return {(couplets,): Fraction(count, 36) for couplets, count in pairs.items()}


def test_rp_5_11_couplets_are_the_difference_and_three_on_a_tie(rp):
    assert rp.shares(rp.stage(), rp.First("initiative", "couplets"), 1) == share_of(BY_DAY)


def test_rp_5_11_mean_number_of_couplets_is_22_ninths(rp):
    found = rp.shares(rp.stage(), rp.First("initiative", "couplets"), 1)
    # The mean is (10 * 1 + 8 * 2 + 12 * 3 + 4 * 4 + 2 * 5) / 36 = 88 / 36.
    assert sum(share * couplets for (couplets,), share in found.items()) == Fraction(22, 9)


@pytest.mark.parametrize(
    ("firer", "dice", "couplets", "leader"),
    [
        # Turn 1 of the example of play: the Germans roll 4, the British 6.
        ("german", (4, 6), 2, "target"),
        ("german", (5, 5), 3, "firer"),  # turn 2: a tie
        ("british", (5, 5), 3, "target"),
        ("german", (6, 1), 5, "firer"),  # turn 3: five couplets
        ("ottoman", (1, 1), 3, "firer"),
        ("british", (6, 5), 1, "firer"),
    ],
)
def test_rp_5_13_the_side_that_leads_and_its_number_of_couplets(rp, firer, dice, couplets, leader):
    table = rp.play(rp.stage(firer=Firer(nationality=firer)), dice)
    ((_, event),) = rp.told(table, "initiative")
    assert (event["couplets"], event["leader"]) == (couplets, leader)


def test_rp_5_12_night_takes_one_couplet(rp):
    found = rp.shares(rp.stage(night=True), rp.First("initiative", "couplets"), 1)
    assert found == share_of({0: 10, 1: 8, 2: 12, 3: 4, 4: 2})


def test_rp_5_12_night_never_leaves_two_turns_running_without_couplets(rp):
    found = rp.shares(rp.stage(night=True), rp.First("initiative", "couplets", 2), 2)
    assert (0, 0) not in found
    # The first turn has no couplet with probability 10/36. The next turn is then exempt from the
    # reduction, as by day: the probability of one couplet is 10/36, and of three couplets 12/36.
    assert found[0, 1] == Fraction(100, 1296)
    assert found[0, 3] == Fraction(120, 1296)
    # After a turn with couplets the reduction at night applies again: the probability of one
    # couplet is 8/36, and of none 10/36.
    assert found[1, 0] == Fraction(80, 1296)


def test_rp_5_12_infiltration_adds_a_couplet(rp):
    scenario = rp.stage(options={"infiltration": True})
    assert rp.shares(scenario, rp.First("initiative", "couplets"), 1) == share_of(
        {couplets + 1: count for couplets, count in BY_DAY.items()}
    )


@pytest.mark.parametrize(
    ("relief", "second"), [("total", {1: 10, 2: 8}), ("difference", {2: 10, 3: 8})]
)
def test_rp_5_12_night_and_infiltration_add_up(rp, relief, second):
    scenario = rp.stage(night=True, options={"infiltration": True, "night_relief": relief})
    found = rp.shares(scenario, rp.First("initiative", "couplets", 2), 2)
    # In the first turn a difference of one (10/36), less one for night and plus one for
    # infiltration, gives one couplet.
    for couplets, count in second.items():
        assert found[1, couplets] == Fraction(10 * count, 1296)


def test_rp_5_21_one_command_a_couplet_until_they_are_used_up(rp):
    # Turn 1 (5:3) has two couplets, for a call and a pass. The telephone group is primed in turn 2
    # (6:1), which has five couplets.
    table = rp.play(rp.stage(commands=5), (5, 3, 6, 1, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 1, 2))
    assert len(rp.told(table, "signal")) == 5
    assert rp.told(table, "initiative")[-1][0] == 3
    assert table.waits_for.question == "delays.command"
    assert isinstance(table.submit(Answered("delays.command", Order.of("other"))), tuple)


def test_rp_5_24_without_couplets_nothing_is_asked(rp):
    table = rp.play(rp.stage(night=True), (3, 2))
    assert rp.told(table, "initiative")[0][1]["couplets"] == 0
    assert table.waits_for.name == "initiative"
    assert rp.told(table, "requested") == []
