"""Calls by runner, companies with a trench set, several primed groups, and what carries over (6.02,
7.21, 11.32).
"""

from __future__ import annotations

import attrs
import pytest
import support_red_poppies as rp

from fireplan_core import FireKind, Order
from fireplan_core.play import Answered
from fireplan_red_poppies.staging import following

COMMAND, HAIR, NEXT = "delays.command", "requests.cross_hair", "delays.next_signal"
SEEN_BY_OTHER = "N18/N19/O19"
"""A vertex that the village in N21 hides from eyes.1 on N23 and that other.1 on P20 sees."""


def called(by, **entry):
    """Return a table where the cross hair of a group called by this mode is to be placed."""
    scenario = rp.lay(
        board=rp.board(), hex=(rp.holds("N21", "village"),), group=(rp.group(**entry),),
        unit=(rp.unit("eyes", "N23", side="french"), rp.unit("other", "P20", side="french")),
    )  # fmt: skip
    return rp.run(scenario, (5, 4), {COMMAND: [Order.of("call", group="a", by=by)]})


def refused(table, at):
    assert table.waits_for.question == HAIR
    order = Order.of("place", at=table.scenario.frame.parse(at))
    return getattr(table.rulebook.refuse(table.waits_for, order, table.read), "cite", None)


def test_rp_7_21_a_trench_set_group_called_by_runner_may_be_observed_by_any_infantry():
    own = called("trench_set", mode="trench_set", observer="eyes.1")
    assert "4.41" in refused(own, SEEN_BY_OTHER)
    assert refused(called("runner", mode="trench_set", observer="eyes.1"), SEEN_BY_OTHER) is None


def test_rp_7_21_a_flare_group_called_by_runner_fires_at_any_vertex_in_sight():
    registered = {"mode": "flare", "preregistered": SEEN_BY_OTHER}
    assert refused(called("flare", **registered), "N19/O19/O20") == "7.21, 7.3"
    assert refused(called("runner", **registered), "N19/O19/O20") is None


def test_rp_7_21_4_7_an_aircraft_group_called_by_runner_needs_infantry_that_sees():
    # The villages in row 17 hide the vertex from the company; an aircraft sees it.
    for by, seen in (("aircraft", True), ("runner", False)):
        scenario = rp.lay(
            board=rp.board(), hex=(rp.holds("row 17", "village"),), group=(rp.group(mode="aircraft"),),
            unit=(rp.unit("eyes", "N23", side="french"),),
        )  # fmt: skip
        table = rp.run(scenario, (5, 4), {COMMAND: [Order.of("call", group="a", by=by)]})
        assert (refused(table, "N14/N15/O15") is None) is seen


def test_rp_7_21_the_next_call_in_the_own_mode_is_observed_in_the_own_mode_again():
    scenario = rp.lay(
        board=rp.board(), hex=(rp.holds("N21", "village"),), side=rp.sides(commands=1),
        group=(rp.group(mode="trench_set", observer="eyes.1"),),
        unit=(rp.unit("eyes", "N23", side="french"), rp.unit("other", "P20", side="french")),
    )  # fmt: skip
    at = scenario.frame.parse(SEEN_BY_OTHER)
    calls = [Order.of("call", group="a", by=by) for by in ("runner", "trench_set")]
    # The group is called by runner on turn 1, but the cross hair is not placed; then it is called
    # by the set on turn 2.
    table = rp.run(scenario, (5, 4, 5, 4), {COMMAND: calls, HAIR: [Order.of("hold")]})
    assert table.state.moment == 1
    assert "4.41" in table.submit(Answered(HAIR, Order.of("place", at=at))).cite


@pytest.mark.parametrize(
    ("kind", "sight", "seen"),
    [
        ("forward", "clear", True),
        ("forward", "none", False),
        ("none", "clear", False),
        ("aircraft", "clear", False),
    ],
)
def test_rp_7_21_in_an_engagement_too_a_runner_is_sent_by_infantry_that_sees(rp, kind, sight, seen):
    table = rp.play(rp.stage("aircraft", kind=kind, sight=sight), (5, 3))
    assert isinstance(
        table.submit(Answered(COMMAND, Order.of("call", group="a", by="runner"))), tuple
    )
    at = table.scenario.parts.areas.aim_at(table.scenario.centre)[0]
    refusal = table.rulebook.refuse(table.waits_for, Order.of("place", at=at), table.read)
    assert (refusal is None) is seen


def test_rp_7_21_all_trench_sets_of_a_side_have_one_company():
    def faults(*entries):
        found = rp.form(
            unit=(rp.unit("eyes", "N23 N22", side="french"), rp.unit("watch", "N16")), group=entries
        )
        return [key for key, *_ in found.check()]

    def wireless(name, observer, side="french"):
        return rp.group(name, mode="trench_set", observer=observer, side=side)

    assert faults(wireless("a", "eyes.1"), wireless("b", "eyes.2")) == ["group[1].observer"]
    assert faults(wireless("a", "eyes.1"), wireless("b", "eyes.1")) == []
    assert faults(wireless("a", "eyes.1"), wireless("b", "watch.1", side="german")) == []


# --- several primed groups -----------------------------------------------------------------------


def primed(names, orders):
    """Return the table at a command of turn 1 with these groups primed; the owner chooses which
    rolls next.
    """
    scenario = rp.lay(
        board=rp.board(), side=rp.sides(commands=1),
        group=tuple(rp.group(name, mode="aircraft", cross_hair="N18/N19/O19") for name in names),
    )  # fmt: skip
    return rp.run(
        scenario, (5, 4, *(6, 6) * len(names)), {COMMAND: [Order.of("other")], NEXT: orders}
    )


def test_rp_6_02_the_owner_says_in_which_order_his_primed_groups_roll_and_each_rolls_once():
    named = [Order.of("roll", group=name) for name in "cab"]
    table = primed("abc", named[:2])
    # The last group left is not asked about.
    assert [f["mission"] for _, _, f in rp.told(table, "signal")] == ["c", "a", "b"]
    assert [f["mission"] for _, _, f in rp.told(primed("abc", []), "signal")] == ["a", "b", "c"]
    assert [f["mission"] for _, _, f in rp.told(primed("a", []), "signal")] == ["a"]


def test_rp_6_02_a_group_that_has_rolled_does_not_roll_again_for_the_same_command():
    scenario = rp.lay(
        board=rp.board(), side=rp.sides(commands=1),
        group=tuple(rp.group(name, mode="aircraft", cross_hair="N18/N19/O19") for name in "abc"),
    )  # fmt: skip
    table = rp.run(
        scenario, (5, 4, 6, 6), {COMMAND: [Order.of("other")], NEXT: [Order.of("roll", group="b")]}
    )
    assert table.waits_for.who == "french"
    assert table.submit(Answered(NEXT, Order.of("roll", group="b"))).cite == "6.02"


# --- calls that carry over -----------------------------------------------------------------------


def after(faces, orders=None, moments=1, **rest):
    """Return the scenario that follows one of this many turns in which the French keep their calls."""
    given = {
        "board": rp.board(), "moments": moments, "unit": (rp.unit("eyes", "N23 N22", side="french"),), **rest,
    }  # fmt: skip
    table = rp.run(rp.lay(**given), faces, orders, moments=moments)
    while table.waits_for is not None:
        table.submit(
            Answered(
                table.waits_for.question, table.rulebook.answer(table.waits_for, {}, table.read)
            )
        )
    return following(rp.form(**given), table.scenario, table.read, keeps="french")


def laid(form):
    return rp.lay(**{field.name: getattr(form, field.name) for field in attrs.fields(type(form))})


@pytest.mark.parametrize(("by", "turns", "through"), [("runner", 3, False), ("aircraft", 1, True)])
def test_rp_11_32_7_21_a_carried_call_keeps_the_mode_it_was_made_in(by, turns, through):
    made = after(
        (5, 4), {COMMAND: [Order.of("call", group="a", by=by)]}, group=(rp.group(mode="aircraft"),),
        side=rp.sides(commands=1),
    )  # fmt: skip
    assert made.group[0].by_runner is (by == "runner")
    # 3 + 4 = 7 gets through by aircraft (7 or less) but not by runner (6 or less).
    table = rp.run(laid(attrs.evolve(made, moments=6)), (*(5, 4) * turns, 3, 4), moments=6)
    assert [(turn, f["through"]) for turn, _, f in rp.told(table, "signal")] == [(turns, through)]


@pytest.mark.parametrize(("by_runner", "fires"), [(True, True), (False, False)])
def test_rp_11_32_6_1_the_observer_of_a_carried_call_depends_on_its_mode(by_runner, fires):
    # The village in N21 hides the vertex from the company with the set; the other company sees it.
    scenario = rp.lay(
        board=rp.board(), hex=(rp.holds("N21", "village"),), side=rp.sides(commands=1), options={"recheck_sight": True},
        group=(rp.group(mode="trench_set", observer="eyes.1", cross_hair=SEEN_BY_OTHER, by_runner=by_runner),),
        unit=(rp.unit("eyes", "N23", side="french"), rp.unit("other", "P20", side="french")),
    )  # fmt: skip
    table = rp.run(scenario, (5, 4, 1, 1, *((1,) if fires else ())))
    assert bool(rp.told(table, "fall")) is fires
    assert bool(rp.told(table, "unseen")) is not fires


@pytest.mark.parametrize("shell", ["gas", "smoke"])
def test_rp_11_32_7_51_7_52_a_carried_call_fires_what_it_was_called_for(shell):
    values = {"at": rp.lay(board=rp.board()).frame.parse("N18/N19/O19"), "shell": shell}
    made = after(
        (5, 4), {COMMAND: [Order.of("call", group="a", by="aircraft")], HAIR: [Order.of("place", **values)]},
        group=(rp.group(mode="aircraft", shells=("gas", "smoke")),), side=rp.sides(commands=1),
    )  # fmt: skip
    assert made.group[0].loaded == shell
    table = rp.run(laid(attrs.evolve(made, moments=6)), (5, 4, 1, 1, 1), moments=6)
    assert [kind for _, kind, _ in rp.told(table, "gas", "smoke")] == [shell]
    assert table.read("missions/a/kind", None) is FireKind(shell)
    # A call that is not carried over is for high explosive again.
    assert {
        entry.loaded for entry in following(made, table.scenario, table.read, keeps=None).group
    } == {"high_explosive"}


def test_rp_7_51_a_carried_call_for_what_the_group_does_not_fire_is_a_fault_of_the_file():
    found = rp.form(group=(rp.group(cross_hair="N18/N19/O19", loaded="gas"),))
    assert [key for key, *_ in found.check()] == ["group[0].loaded"]


def test_rp_11_32_7_21_a_trench_set_whose_company_is_lost_has_another_in_the_next_scenario():
    def follows(*hexes, unit="N23 N22"):
        return after(
            (5, 4), group=(rp.group(mode="trench_set", observer="eyes.1"),),
            unit=(rp.unit("eyes", unit, side="french"),),
            bombardment=(rp.bombardment(at=hexes, side="german"),) if hexes else (),
        ).group[0]  # fmt: skip

    assert (follows().mode, follows().observer) == ("trench_set", "eyes_1.1")
    assert (follows("N23").mode, follows("N23").observer) == ("trench_set", "eyes_2.1")
    # With no infantry left nobody can be designated; runners remain, in case any arrive (7.21).
    assert (follows("N23", "N22").mode, follows("N23", "N22").observer) == ("runner", None)


@pytest.mark.parametrize("mode", ["aircraft", "telephone", "flare"])
def test_rp_11_32_7_21_other_modes_stay_though_no_infantry_is_left(mode):
    made = after(
        (5, 4), group=(rp.group(mode=mode, observer="eyes.1", preregistered="N18/N19/O19"),),
        unit=(rp.unit("eyes", "N23", side="french"),), bombardment=(rp.bombardment(at=("N23",), side="german"),),
    )  # fmt: skip
    assert made.unit == ()
    assert (made.group[0].mode, made.group[0].observer) == (mode, None)
