"""Satisfying a Final Barrage Result: spread losses, one retreat, magnitude, overkill, artillery shift."""

from itertools import product

import attrs
import pytest

from fireplan_core import Order, Severity
from fireplan_core.play import Answered
from fireplan_wacht_am_rhein.satisfying import LOSSES_THEN_RETREAT, RETREAT_FIRST, satisfy

POLICIES = (LOSSES_THEN_RETREAT, RETREAT_FIRST)


def test_12_4_1a_one_hit_takes_one_step_from_the_unit_named_first():
    done = satisfy([3, 2], 1, shift=False)
    assert (done.steps, done.retreat, done.overkill, done.shift) == ((2, 2), False, 0, False)


def test_12_4_1a_nobody_loses_a_second_step_before_everybody_lost_one():
    assert satisfy([3, 3], 2, shift=False).steps == (2, 2)
    assert satisfy([3, 3], 3, shift=False, can_retreat=False).steps == (1, 2)


def test_12_4_1b_a_hit_beyond_the_losses_is_satisfied_by_one_retreat_which_brings_the_shift():
    done = satisfy([3, 2], 3, shift=False)
    assert (done.steps, done.losses, done.retreat, done.overkill, done.shift) == (
        (2, 1),
        2,
        True,
        0,
        True,
    )


def test_12_4_1b_retreat_first_satisfies_a_single_hit_without_loss():
    done = satisfy([3, 2], 1, shift=False, policy=RETREAT_FIRST)
    assert (done.steps, done.retreat, done.overkill, done.shift) == ((3, 2), True, 0, True)


def test_12_4_2_no_unit_loses_more_than_one_step():
    assert satisfy([3], 4, shift=False).steps == (2,)


def test_12_4_2_where_no_retreat_is_possible_the_steps_must_be_lost():
    done = satisfy([3], 2, shift=False, can_retreat=False)
    assert (done.steps, done.retreat, done.overkill) == ((1,), False, 0)


def test_12_4_2a_hits_left_over_are_overkill_and_fatigue_the_survivors():
    # Four hits on two units take two steps and force one retreat; one is overkill.
    done = satisfy([3, 2], 4, shift=False)
    assert (done.losses, done.retreat, done.overkill, done.fatigue) == (2, True, 1, True)


def test_12_4_2a_the_dead_are_not_fatigued():
    done = satisfy([1], 3, shift=False)
    assert (done.steps, done.retreat, done.overkill, done.fatigue) == ((0,), False, 2, False)


def test_12_4_3_a_shift_alone_costs_no_step():
    done = satisfy([3], 0, shift=True)
    assert (done.steps, done.retreat, done.shift, done.fatigue) == ((3,), False, True, False)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("can_retreat", [True, False])
def test_12_4_1_every_hit_is_accounted_for(policy, can_retreat):
    for units in product(range(1, 4), repeat=2):
        for hits in range(10):
            done = satisfy(units, hits, shift=False, policy=policy, can_retreat=can_retreat)
            lost = [had - has for had, has in zip(units, done.steps, strict=True)]
            assert sum(lost) == done.losses
            assert done.losses + done.retreat + done.overkill == hits
            assert min(done.steps) >= 0
            assert not (done.retreat and not can_retreat)
            if can_retreat:
                assert max(lost) <= 1
            for i, j in ((0, 1), (1, 0)):
                assert lost[i] <= lost[j] + 1 or done.steps[j] == 0


def struck(war, *, observers=True, troops=(), faces, **options):
    """Return a table after a barrage of value 8 on t1 (3 steps) and these other units, at the
    question how to satisfy it.
    """
    seeing = [war.observer("observer", "28th")] if observers else []
    on = war.fielded(
        war.guns(("a", 8, 6, 4, "28th")), seeing, enemy=[war.TARGET] * len(troops), **options
    )
    units = dict(on.units)
    for n, facts in enumerate(troops):
        units[f"e{n}"] = attrs.evolve(units[f"e{n}"], facts={"resolution": facts})
    table = war.Play(attrs.evolve(on, units=units), faces=faces)
    table.until("requests.barrage")
    assert table.barrage({"a": 8}, observer="observer" if observers else "") is None
    table.until("resolution.satisfy")
    return table


def suffered(table):
    table.until("never")
    return {event["unit"]: event["severity"] for event in table.events("suffered")}


def test_12_4_0_an_observed_barrage_falls_on_the_observed_units_alone(war):
    hidden = war.troops(unobserved=True)
    # Six steps add 1 to the die of 9; a 10 is two hits and a shift.
    assert suffered(struck(war, troops=[hidden], faces=[0, 9])) == {"t1": Severity.REDUCED}
    both = {"t1": Severity.REDUCED, "e0": Severity.REDUCED}
    assert suffered(struck(war, troops=[hidden], faces=[0, 9], affected="all")) == both


def test_12_4_1a_the_owner_names_the_order_of_losses(war):
    table = struck(war, troops=[war.troops()], faces=[0, 1])  # a total of 1 + 1 is one hit
    wrong = Order.of(LOSSES_THEN_RETREAT, units=("t1",))
    assert table.table.submit(Answered("resolution.satisfy", wrong)).cite == "12.4.1a"
    table.table.submit(
        Answered("resolution.satisfy", Order.of(LOSSES_THEN_RETREAT, units=("e0", "t1")))
    )
    assert suffered(table) == {"e0": Severity.REDUCED}


def test_12_4_1b_all_affected_units_must_be_able_to_retreat(war):
    table = struck(war, troops=[war.troops(can_retreat=False)], faces=[0, 1])
    order = Order.of(RETREAT_FIRST, units=("e0", "t1"))
    assert table.table.submit(Answered("resolution.satisfy", order)).cite == "12.4.1b"


def test_12_4_3_a_second_shift_costs_nothing_more(war):
    table = struck(war, troops=[war.troops()], faces=[0, 0])  # a total of 0 + 1 is a shift
    assert suffered(table) == {"t1": Severity.SUPPRESSED, "e0": Severity.SUPPRESSED}
    assert len(table.events("suffered")) == 2


def test_12_5_0_a_hex_without_remaining_units_is_reported_as_empty(war):
    # Two volleys of value 8 make four hits: they take one step and force one retreat, and two are
    # overkill.
    on = war.fielded(war.guns(("a", 16, 6, 4, "28th")), [war.observer("observer", "28th")])
    table = war.Play(on, faces=[0, 9, 6])  # 2 hits and a shift, 2 hits
    table.until("never")
    assert table.events("final_result")[0]["hits"] == 4
    done = table.events("suffered")
    assert (sum(each["lost"] for each in done), any(each["retreats"] for each in done)) == (1, True)
    assert [each["hits"] for each in table.events("overkill")] == [2]
    assert len(table.events("emptied")) == 1
