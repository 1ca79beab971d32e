"""The life of a call (6.02, 6.1, 6.2, 7.2): delay, signal rolls, cancellation."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fireplan_core import Order, Reason, Refusal, Stage
from fireplan_core.play import Answered

# Maps a total to the number of the 36 rolls of two dice that do not exceed it.
AT_MOST = {0: 0, 2: 1, 4: 6, 5: 10, 6: 15, 7: 21, 8: 26, 9: 30}

CALL = Order.of("call", group="a", by="telephone")
OTHER = Order.of("other")
CANCEL = Order.of("cancel", group="a")
PASS = Order.of("pass")

MODES = [
    # Each row: mode, bombardment, a trench on the map, signal number, delay in turns.
    ("aircraft", False, False, 7, 1),
    ("aircraft", True, False, 6, 1),
    ("flare", False, False, 7, 0),
    ("flare", True, False, 5, 0),
    ("runner", False, False, 6, 3),
    ("runner", True, False, 4, 6),
    ("telephone", False, True, 9, 1),
    ("telephone", False, False, 7, 1),
    ("telephone", True, True, 0, 1),
    ("telephone", True, False, 0, 1),
    ("radio", False, False, 8, 1),
    ("radio", True, False, 8, 1),
]


def by_own_mode(view, _couplets, others, _now):
    """Return the order: call by telephone although no signal can get through, then any other
    command.
    """
    if view.mission("a").stage in (Stage.IDLE, Stage.ENDED):
        return CALL
    return OTHER if any(others) else PASS


SILENT = {"delays.command": by_own_mode}
"""Orders that call by telephone: after a bombardment it never gets through, so the standard order
is not to call.
"""


def staged(rp, link, bombardment=False, trench=True, **rest):
    works = "entrenched" if trench else "none"
    return rp.stage(
        link, bombardment=bombardment, works=works, preregistered=link == "flare", **rest
    )


@pytest.mark.parametrize(("link", "bombardment", "trench", "number", "delay"), MODES)
def test_rp_7_14_7_21_signal_number_of_every_mode(rp, link, bombardment, trench, number, delay):
    scenario = staged(rp, link, bombardment, trench)
    found = rp.shares(scenario, rp.First("signal", "through"), 8, None if number else SILENT)
    rolled = found.get((True,), 0) + found.get((False,), 0)
    assert rolled > 0
    assert found.get((True,), 0) / rolled == Fraction(AT_MOST[number], 36)


@pytest.mark.parametrize(("link", "bombardment", "trench", "number", "delay"), MODES)
def test_rp_7_221_7_222_relay_delay_of_every_mode(rp, link, bombardment, trench, number, delay):
    # Two couplets every turn (5:3), but no other commands, so no signal is ever rolled.
    doctrine = None if number else SILENT
    table = rp.play(
        staged(rp, link, bombardment, trench, commands=0), (5, 3) * 8, moments=8, doctrine=doctrine
    )
    assert [turn for turn, _ in rp.told(table, "requested")] == [1]
    assert [turn for turn, _ in rp.told(table, "primed")] == [1 + delay]


def test_rp_11_522_an_aircraft_counts_as_telephone_at_night(rp):
    scenario = rp.stage("aircraft", night=True, works="entrenched")
    found = rp.shares(scenario, rp.First("signal", "through"), 6)
    assert found[True,] / (found[True,] + found[False,]) == Fraction(30, 36)
    assert any("11.522" in note for note in scenario.provenance)


def test_rp_7_21_a_runner_may_be_declared_at_any_call(rp):
    by_runner = Order.of("call", group="a", by="runner")
    scenario = staged(rp, "telephone", bombardment=True)
    table = rp.play(scenario, (5, 3) * 6, [by_runner])
    assert rp.told(table, "primed") == []
    # Six turns after turn 1 the runner has arrived. The group fires on a roll of 4, which would
    # fail by telephone, whose number is 0.
    table = rp.play(scenario, (*(5, 3) * 7, 2, 2), [by_runner], moments=8)
    assert [turn for turn, _ in rp.told(table, "primed")] == [7]
    assert rp.told(table, "signal")[0][1]["through"]


def test_rp_7_21_a_group_has_no_third_mode(rp):
    table = rp.play(staged(rp, "telephone"), (5, 3))
    refusal = table.submit(Answered("delays.command", Order.of("call", group="a", by="aircraft")))
    assert isinstance(refusal, Refusal)
    assert refusal.cite == "7.21"


def test_rp_7_21_after_a_bombardment_the_telephone_is_silent_and_the_scenario_says_so(rp):
    scenario = staged(rp, "telephone", bombardment=True)
    assert rp.fired(scenario, 12, SILENT) == {(): 1}
    assert any("never gets its signal through" in note for note in scenario.provenance)


def test_rp_7_21_after_a_bombardment_the_standard_order_calls_by_runner(rp):
    # The runner is on the way for six turns; then the only other command of turn 7 needs 4 or less
    # (6 of 36).
    scenario = staged(rp, "telephone", bombardment=True, commands=1)
    assert rp.fired(scenario, 6) == {(): 1}
    assert 1 - rp.fired(scenario, 7)[()] == Fraction(6, 36)
    # While the line holds, the telephone is the group's own mode.
    table = rp.play(staged(rp, "telephone"), (5, 3))
    assert table.rulebook.answer(table.waits_for, {}, table.read) == CALL


# --- signal rolls --------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [1, 2, 3, 6])
def test_rp_7_23_chance_to_fire_within_n_commands(rp, turns):
    # There is one other command a turn, and every turn has a couplet, so after the call in turn 1
    # there is one roll of 9 or less a turn. 2d6 <= 9 is 30 of 36 = 5/6, so within n commands 1 -
    # (1/6) ** n.
    scenario = staged(rp, "telephone", commands=1)
    assert rp.fired(scenario, 1 + turns).get((), 0) == Fraction(1, 6) ** turns


def test_rp_6_02_every_further_command_rolls_again(rp):
    # With two other commands a turn, one couplet (10 of 36) gives one roll, and two or more (26 of
    # 36) give two. No fire in turn 2: 10/36 * 1/6 + 26/36 * 1/36 = 86/1296.
    scenario = staged(rp, "telephone", commands=2)
    assert rp.fired(scenario, 2)[()] == Fraction(86, 1296)


def test_rp_7_223_a_call_never_rolls_for_itself_not_even_without_delay(rp):
    scenario = staged(rp, "flare", commands=1)
    # If turn 1 has one couplet, there is only the call and no roll. With two or more, the next
    # command rolls: 7 or less is 21 of 36.
    table = rp.play(scenario, (5, 4, 1, 2))
    assert len(rp.told(table, "requested")) == 1
    assert rp.told(table, "signal") == []
    assert 1 - rp.fired(scenario, 1)[()] == Fraction(26, 36) * Fraction(21, 36)


def test_rp_6_02_a_call_lets_other_primed_groups_roll_but_not_its_own(rp):
    scenario = staged(rp, "flare", commands=0, groups=("a", "b"))
    # With two couplets, a is called and then b. Before b's cross hair is placed, a rolls 6, 6,
    # which has no effect.
    table = rp.play(scenario, (5, 3, 6, 6, 1, 2))
    assert [(turn, event["mission"]) for turn, event in rp.told(table, "signal")] == [(1, "a")]
    kinds = [(entry.event.kind, dict(entry.event.fields).get("mission")) for entry in table.log]
    assert kinds.index(("signal", "a")) < kinds.index(("requested", "b"))


def test_rp_6_02_one_command_rolls_for_every_primed_group(rp):
    scenario = staged(rp, "telephone", commands=1, groups=("a", "b"))
    # Both groups are called in turn 1, and the one other command of turn 2 makes both roll.
    table = rp.play(scenario, (5, 3, 5, 4, 6, 6, 6, 6, 1, 2))
    assert [event["mission"] for _, event in rp.told(table, "signal")] == ["a", "b"]


def test_rp_6_02_passing_is_not_a_command(rp):
    table = rp.play(staged(rp, "telephone"), (5, 3, 6, 1, 1, 3), [CALL, *[PASS] * 5])
    assert rp.told(table, "signal") == []


def test_rp_6_02_other_commands_are_as_many_as_the_engagement_says(rp):
    table = rp.play(
        staged(rp, "telephone", commands=1), (5, 3, 6, 1, 6, 6, 1, 2), [CALL, OTHER, *[PASS] * 4]
    )
    assert len(rp.told(table, "signal")) == 1
    table = rp.play(staged(rp, "telephone", commands=0), (5, 3, 6, 1))
    assert isinstance(table.submit(Answered("delays.command", OTHER)), Refusal)


def test_rp_7_23_success_fires_for_effect_at_once(rp):
    table = rp.play(staged(rp, "telephone"), (5, 3, 6, 1, 4, 5, 1))
    ((turn, _),) = rp.told(table, "fall")
    assert turn == 2
    assert rp.told(table, "signal")[0][1]["through"]


def test_rp_7_23_ten_or_more_leaves_the_cross_hair(rp):
    table = rp.play(staged(rp, "telephone"), (5, 3, 5, 4, 4, 6, 1, 2))
    assert not rp.told(table, "signal")[0][1]["through"]
    assert table.read("missions/a/delays/hourglass", None) == 0
    assert table.read("missions/a/aim", None) is not None


def test_rp_7_248_after_fire_for_effect_the_group_must_be_called_again(rp):
    # In turn 2 the signal gets through (2), the fire is on the aim point (1), and the company's
    # check is 1, 1. The next call is in turn 3, and the group is primed again in turn 4.
    table = rp.play(staged(rp, "telephone"), (5, 3, 6, 1, 1, 1, 1, 1, 1, 5, 3, 5, 3, 6, 6))
    assert [turn for turn, _ in rp.told(table, "requested")] == [1, 3]
    assert [turn for turn, _ in rp.told(table, "primed")] == [2, 4]


# --- cancelling ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bombardment", "trench", "removed", "stays", "fires"),
    [(False, True, 30, 3, 3), (False, False, 21, 12, 3), (True, True, 0, 33, 3)],
)
def test_rp_6_2_cancellation_removes_stays_or_fires_by_accident(
    rp, bombardment, trench, removed, stays, fires
):
    scenario = staged(rp, "telephone", bombardment, trench)
    # The group is called in turn 1; turn 2 has one couplet with one attempt, so its first dice
    # decide.
    ends = dict.fromkeys(("removed", "stays", "fires"), 0)
    for one in range(1, 7):
        for two in range(1, 7):
            table = rp.play(scenario, (5, 3, 5, 4, one, two), [CALL, CANCEL, PASS])
            if rp.told(table, "accident"):
                ends["fires"] += 1
                assert table.waits_for.name == "accuracy"
                assert table.read("missions/a/delays/spent", None)
            elif rp.told(table, "not_cancelled"):
                ends["stays"] += 1
                assert table.read("missions/a/delays/hourglass", None) == 0
                assert not table.read("missions/a/delays/spent", None)
            else:
                ends["removed"] += 1
                assert rp.told(table, "ended")[0][1]["reason"] is Reason.CANCELLED
                assert table.read("missions/a/aim", None) is None
    assert ends == {"removed": removed, "stays": stays, "fires": fires}


def test_rp_7_23_accident_has_exactly_three_chances_of_36(rp):
    def once(view, couplets, *_):
        stage = view.mission("a").stage
        if stage is Stage.DELAYED and couplets == 1:
            return CANCEL
        return CALL if stage is Stage.IDLE else PASS

    # The only attempt is in the last couplet of turn 2 (there is always a couplet).
    scenario = staged(rp, "telephone")
    found = rp.fired(scenario, 2, {"delays.command": once})
    assert 1 - found[()] == Fraction(3, 36)


def test_rp_6_2_a_cancellation_rolls_for_no_other_group(rp):
    scenario = staged(rp, "telephone", groups=("a", "b"))
    table = rp.play(
        scenario,
        (5, 3, 5, 4, 4, 6, 1, 2),
        [CALL, Order.of("call", group="b", by="telephone"), CANCEL],
    )
    assert rp.told(table, "signal") == []


def test_rp_6_2_a_failed_cancellation_may_be_tried_again_in_the_same_turn(rp):
    table = rp.play(staged(rp, "telephone"), (5, 3, 5, 3, 4, 6, 4, 5), [CALL, CANCEL, CANCEL])
    assert [turn for turn, _ in rp.told(table, "not_cancelled")] == [2]
    assert [turn for turn, _ in rp.told(table, "ended")] == [2]


def test_rp_6_05_a_cancelled_group_is_spent_for_the_turn(rp):
    # Turn 2 has five couplets, but after the cancellation no question is asked until turn 3.
    table = rp.play(staged(rp, "telephone"), (5, 3, 6, 1, 1, 1, 5, 3), [CALL, CANCEL])
    assert rp.told(table, "initiative")[-1][0] == 3
    assert table.waits_for.question == "delays.command"
    assert isinstance(table.submit(Answered("delays.command", CALL)), tuple)


def test_rp_7_224_only_a_primed_group_can_be_cancelled(rp):
    table = rp.play(staged(rp, "runner", groups=("a", "b")), (6, 1), [])
    table.submit(Answered("delays.command", Order.of("call", group="a", by="runner")))
    table.submit(
        Answered("requests.cross_hair", table.rulebook.answer(table.waits_for, {}, table.read))
    )
    assert isinstance(table.submit(Answered("delays.command", CANCEL)), Refusal)


def test_rp_6_2_a_flare_group_called_this_turn_is_spent_and_cannot_be_cancelled(rp):
    call = Order.of("call", group="a", by="flare")
    table = rp.play(staged(rp, "flare"), (5, 3))
    table.submit(Answered("delays.command", call))
    table.submit(
        Answered("requests.cross_hair", table.rulebook.answer(table.waits_for, {}, table.read))
    )
    refusal = table.submit(Answered("delays.command", CANCEL))
    assert isinstance(refusal, Refusal)
    assert refusal.cite == "3.3"
    table = rp.play(staged(rp, "flare"), (5, 4, 5, 4, 1, 1), [call, CANCEL])
    assert rp.told(table, "ended")[0][1]["reason"] is Reason.CANCELLED


# --- the call ------------------------------------------------------------------------------------


def place(at):
    return Answered("requests.cross_hair", Order.of("place", at=at))


def at_the_call(rp, **rest):
    table = rp.play(rp.stage(**rest), (5, 3))
    by = rest.get("link", "telephone")
    table.submit(Answered("delays.command", Order.of("call", group="a", by=by)))
    assert table.waits_for.question == "requests.cross_hair"
    return table


def test_rp_6_1_a_cross_hair_goes_on_a_vertex_and_not_on_a_hex(rp):
    table = at_the_call(rp)
    frame = table.scenario.frame
    for odd in (
        frame.parse("N18"),
        None,
        3,
        "N18",
        (),
        ((0, 0), (5, 5), (9, 9)),
        ((0,), (1,), (2,)),
    ):
        assert "6.1" in table.submit(place(odd)).cite.split(", ")
    assert isinstance(table.submit(place(frame.parse("O19/N18/N19"))), tuple)


def test_rp_7_3_a_flare_group_fires_only_at_its_preregistered_vertex(rp):
    table = at_the_call(rp, link="flare", preregistered=True)
    registered = table.rulebook.answer(table.waits_for, {}, table.read)["at"]
    others = [at for at in table.scenario.parts.areas.aim_at(registered) if at != registered]
    assert len(others) == 3
    assert all("7.3" in table.submit(place(at)).cite for at in others)
    assert isinstance(table.submit(place(registered)), tuple)


def test_rp_6_03_an_activated_group_need_not_act(rp):
    table = at_the_call(rp)
    table.submit(Answered("requests.cross_hair", Order.of("hold")))
    assert table.waits_for.question == "delays.command"
    assert rp.told(table, "requested") == []
    assert not table.read("missions/a/delays/spent", None)
