"""Artillery Requests and the options of C1.33-C1.35: who may give which order, and the state that
follows.
"""

from __future__ import annotations

import attrs
import pytest
from support_asl import ON_HAND

from fireplan_asl.observers import ObserverSight
from fireplan_asl.units import PersonnelState, UnitProfile
from fireplan_core import Asset, CannotStageError, Observer, Order, Reason, Stage, Step, View
from fireplan_core.chance import Chance

TARGET = (10, 10)  # K15, in the middle of three boards
NEAR = (10, 11)
FAR = (20, 10)


def sr(referee, at=NEAR, **engagement):
    return referee(**engagement).stand(stage=Stage.SPOTTING, impact=at, **ON_HAND)


def ffe(referee, at=NEAR, **engagement):
    return referee(**engagement).stand(
        stage=Stage.FALLING, impact=at, areas__resolved=True, fell=True, **ON_HAND
    )


def ffe_c(referee, at=NEAR, **engagement):
    return referee(**engagement).stand(stage=Stage.LINGERING, impact=at, fell=True, **ON_HAND)


def verdicts(game, at=TARGET):
    table = game.table
    forms = table.rulebook.question(table.waits_for).offers(game.view(table.waits_for), "a")
    verbs = {form.verb: bool(form.slots) for form in forms}
    return {
        v: game.refused(Order.of(v, at=at) if slot else Order.of(v)) for v, slot in verbs.items()
    }


# --- an AR for a new SR ------------------------------------------------------------------------------
def test_c1_3_an_ar_must_be_on_the_map(referee):
    game = referee(options={"boards": 1}).go([3, 3, "black"])
    for odd in ((10, 99), "K5", None, 7, (1, 2, 3), ((1, 2), (3, 4), (5, 6))):
        assert game.refused(Order.of("place", at=odd)) == "C1.3"
    assert game.refused(Order.of("place", at=game.place("K0"))) == "C1.3"
    assert game.refused(Order.of("place", at=game.place("K1"))) is None


def test_c1_3_an_ar_without_los_comes_off_and_ends_the_actions(referee):
    game = referee(observer=Observer(sight="burst_only")).go([3, 3, "black"])
    game.go([], [Order.of("place", at=TARGET)])
    assert game.emitted("unseen")
    assert (game.get("stage"), game.get("aim"), game.waits) == (
        Stage.REQUESTED,
        None,
        "maintenance",
    )


@pytest.mark.parametrize(("answer", "stage"), [("cancel", Stage.DELAYED), ("allow", Stage.FALLING)])
def test_c1_3_the_opponent_may_cancel_the_mission_of_a_blind_ar(referee, answer, stage):
    game = ffe(referee, at=(10, 12), observer=Observer(sight="burst_only"))
    game.go([], [Order.of("correct", at=TARGET)])
    assert game.waits == "requests.blind"
    assert game.table.waits_for.who == "target"
    game.go([], [Order.of(answer)])
    assert game.get("stage") is stage


def test_c1_322_placing_a_sr_ends_the_phase(referee):
    game = referee().go([3, 3, "black", 1])
    assert (game.get("stage"), game.label, game.get("aim"), game.waits) == (
        Stage.SPOTTING,
        "K15",
        None,
        "maintenance",
    )


# --- options with an SR on the map ---------------------------------------------------------------
def test_c1_33_with_a_seen_sr_every_option_is_open_but_one_must_be_chosen(referee):
    assert verdicts(sr(referee)) == {
        "leave": None, "correct": None, "correct_convert": None, "convert": None, "cancel": None, "replace": None,
        "replace_fire": "C1.731",
    }  # fmt: skip
    assert sr(referee).refused(Order.of("pass")) is not None


def test_c1_331_leave_the_sr(referee):
    game = sr(referee).go([], [Order.of("leave")])
    assert (game.get("stage"), game.get("impact"), game.get("delays/access")) == (
        Stage.SPOTTING,
        NEAR,
        True,
    )


def test_c1_331_c1_4_correct_the_sr_and_stop(referee):
    game = sr(referee).go([1], [Order.of("correct", at=TARGET)])
    assert (game.get("stage"), game.get("impact"), game.get("aim")) == (
        Stage.SPOTTING,
        TARGET,
        None,
    )
    assert game.waits == "maintenance"


def test_c1_332_predesignated_correction_is_converted(referee):
    game = sr(referee).go([1], [Order.of("correct_convert", at=TARGET)])
    assert (game.get("stage"), game.get("impact"), game.waits) == (Stage.FALLING, TARGET, "effect")
    assert [e["impact"] for e in game.emitted("spotting")] == [TARGET]


def test_c1_332_a_predesignated_sr_that_misses_the_conditions_stays_a_sr(referee):
    # Over the target's own hex only the burst is seen, and no enemy is Known there: the condition
    # of C1.333 is not met.
    game = sr(referee, at=(10, 12), observer=Observer(sight="burst_only"))
    # An extra draw for the AR; its error is one hex to the north, onto the target.
    game.go(["black", 6, 1, 1], [Order.of("correct_convert", at=NEAR)])
    assert (game.get("stage"), game.get("impact"), game.waits) == (
        Stage.SPOTTING,
        TARGET,
        "maintenance",
    )


def test_c1_333_convert_in_place(referee):
    game = sr(referee).go([], [Order.of("convert")])
    assert (game.get("stage"), game.get("impact"), game.waits) == (Stage.FALLING, NEAR, "effect")


def test_c1_333_needs_the_base_level_or_a_known_enemy_by_the_burst(referee):
    blind = sr(referee, at=TARGET, observer=Observer(sight="burst_only"))
    assert verdicts(blind, at=NEAR)["convert"] == "C1.333"
    assert (
        sr(referee, at=NEAR, observer=Observer(sight="burst_only")).refused(Order.of("convert"))
        is None
    )


def test_c1_335_an_unseen_sr_must_be_corrected_or_cancelled(referee):
    game = sr(referee, at=(10, -7), options={"boards": 1})
    assert verdicts(game, at=(10, 0)) == {
        "leave": "C1.331, C1.335", "correct": None, "correct_convert": "C1.332", "convert": "C1.333", "cancel": None,
        "replace": None, "replace_fire": "C1.731",
    }  # fmt: skip


def test_c1_335_a_forced_correction_is_never_accurate_and_has_no_cap(referee):
    game = sr(referee, at=(10, -7), options={"boards": 1})
    game.go([], [Order.of("correct", at=(10, 0))])
    assert game.waits == "direction"
    game.go([4, 5])
    assert game.get("impact") == (10, 5)
    assert not game.get("forced")


def test_c1_336_cancelling_a_sr_keeps_access_for_this_phase_alone(referee):
    game = sr(referee).go([], [Order.of("cancel")])
    assert (game.get("stage"), game.get("impact"), game.get("reason")) == (
        Stage.DELAYED,
        None,
        None,
    )
    assert game.emitted("ceased")[0]["reason"] is Reason.CANCELLED
    game.go([3, 3])
    assert game.waits == "access"  # without an SR or FFE on the map, a chit must be drawn


def test_c1_336_cancelling_and_placing_again_has_no_cap(referee):
    game = sr(referee).go([6, 1, 5], [Order.of("replace", at=TARGET)])
    assert (game.get("stage"), game.get("impact")) == (Stage.SPOTTING, (10, 5))
    assert game.get("delays/black") == 7


def test_c1_336_seen_enemy_by_an_unseen_sr_allows_only_cancelling(make, referee):
    played = moved(
        make(options={"boards": 1}), {"s01": "K1"}, ObserverSight(frozenset(), identified=True)
    )
    game = referee(played).stand(stage=Stage.SPOTTING, impact=played.frame.parse("K0"), **ON_HAND)
    said = verdicts(game, at=(10, 0))
    assert [verb for verb, cite in said.items() if cite is None] == ["cancel", "replace"]


# --- options with an FFE:1 or FFE:2 on the map ---------------------------------------------------
def test_c1_334_leave_the_ffe(referee):
    phase = Step("core.ready", ("a",)), Step("areas.moment", ("a",))
    game = referee().stand(*phase, stage=Stage.FALLING, impact=FAR, areas__resolved=True, **ON_HAND)
    game.go([], [Order.of("leave")])
    assert [e["impact"] for e in game.emitted("fall")] == [FAR]
    assert game.get("stage") is Stage.LINGERING


def test_c1_334_needs_the_base_level_or_a_known_enemy_by_the_burst(referee):
    assert verdicts(ffe(referee)) == {"leave": None, "correct": None, "cancel": None}
    blind = ffe(referee, at=TARGET, observer=Observer(sight="burst_only"))
    assert verdicts(blind, at=NEAR) == {"leave": "C1.334", "correct": None, "cancel": None}


def test_c1_331_a_corrected_ffe_is_resolved_at_once_and_only_once(referee):
    game = ffe(referee, at=FAR).go([1], [Order.of("correct", at=(20, 12))])
    assert [e["impact"] for e in game.emitted("fall")] == [(20, 12)]
    assert game.get("stage") is Stage.LINGERING


def test_c1_4_reach_of_a_correction(referee):
    assert ffe(referee, at=(10, 14)).refused(Order.of("correct", at=TARGET)) == "C1.4"
    assert ffe(referee, at=(10, 13)).refused(Order.of("correct", at=TARGET)) is None
    assert sr(referee, at=(28, 1)).refused(Order.of("correct", at=TARGET)) is None
    assert sr(referee, at=(29, 0)).refused(Order.of("correct", at=TARGET)) == "C1.4"
    assert sr(referee).refused(Order.of("correct", at=NEAR)) == "C1.4"


def test_c1_337_c1_35_cancelling_a_ffe_costs_access(referee):
    game = ffe(referee).go([], [Order.of("cancel")])
    assert (game.get("stage"), game.get("impact"), game.get("delays/access")) == (
        Stage.DELAYED,
        None,
        False,
    )
    assert not game.get("areas/resolved")
    game.go([3, 3])
    assert game.waits == "access"


@pytest.mark.parametrize(
    ("choice", "cite"), [("must correct or cancel", None), ("may only cancel", "C1.331, C1.335")]
)
def test_c1_335_option_for_an_unseen_ffe_beside_a_seen_enemy(make, referee, choice, cite):
    played = make(options={"boards": 1, "ffe_unseen_enemy_seen": choice})
    # The FFE is two hexes off the map, where its Blast Area is unseen; the rule asks only whether the
    # enemy is seen.
    played = moved(played, {"s01": "K0"}, ObserverSight(frozenset(), identified=True))
    game = referee(played).stand(stage=Stage.FALLING, impact=played.frame.parse("K-1"), **ON_HAND)
    assert game.refused(Order.of("leave")) == "C1.334"
    assert game.refused(Order.of("correct", at=played.frame.parse("K1"))) == cite
    assert game.refused(Order.of("cancel")) is None


# --- options with an FFE:C on the map ------------------------------------------------------------
def test_c1_34_options_after_regained_access(referee):
    assert verdicts(ffe_c(referee)) == {
        "spot": None, "correct": None, "convert": None, "remove": None, "replace": None, "replace_fire": "C1.731",
    }  # fmt: skip


def test_c1_341_a_sr_takes_the_place_of_the_ffe_c(referee):
    game = ffe_c(referee).go([], [Order.of("spot")])
    assert (game.get("stage"), game.get("impact"), game.waits) == (
        Stage.SPOTTING,
        NEAR,
        "maintenance",
    )


def test_c1_341_the_new_sr_may_be_corrected_at_once(referee):
    game = ffe_c(referee).go([6, 1, 6], [Order.of("correct", at=TARGET)])
    # The error of a one-hex Correction is at most one hex.
    assert (game.get("stage"), game.get("impact")) == (
        Stage.SPOTTING,
        (10, 9),
    )


def test_c1_342_convert_the_ffe_c_begins_a_mission_with_ffe_1(referee):
    game = ffe_c(referee, at=FAR).go([], [Order.of("convert")])
    assert (game.get("stage"), game.get("impact"), game.get("areas/resolved")) == (
        Stage.FALLING,
        FAR,
        True,
    )
    blind = ffe_c(referee, at=TARGET, observer=Observer(sight="burst_only"))
    assert verdicts(blind, at=NEAR)["convert"] == "C1.342"


def test_c1_343_remove_the_ffe_c_and_place_a_new_ar(referee):
    game = ffe_c(referee).go([], [Order.of("remove")])
    assert [(e["reason"], e.cite) for e in game.emitted("ended")] == [(Reason.DELIVERED, "C1.343")]
    assert game.get("impact") is None
    game = ffe_c(referee).go([6, 1, 5], [Order.of("replace", at=TARGET)])
    assert (game.get("stage"), game.get("impact")) == (Stage.SPOTTING, (10, 5))
    assert [(e["reason"], e.cite) for e in game.emitted("ceased")] == [(Reason.DELIVERED, "C1.343")]


def test_c1_343_an_unseen_ffe_c_must_be_removed(referee):
    game = ffe_c(referee, at=(10, -8), options={"boards": 1})
    said = verdicts(game, at=(10, 0))
    assert [verb for verb, cite in said.items() if cite is None] == ["remove", "replace"]


# --- Pre-Registered hexes ------------------------------------------------------------------------
def test_c1_731_only_a_pre_registered_hex_takes_a_ffe_without_a_sr(referee):
    game = referee(asset=Asset(preregistered=True)).go([3, 3, "black"])
    assert game.refused(Order.of("fire", at=TARGET)) is None
    assert game.refused(Order.of("fire", at=NEAR)) == "C1.731"
    game.go([4], [Order.of("fire", at=TARGET)])
    assert (game.get("stage"), game.get("impact"), game.waits) == (Stage.FALLING, TARGET, "effect")
    assert not game.emitted("spotting")


# --- the standard doctrine -----------------------------------------------------------------------------
def standard(game):
    waits = game.table.waits_for
    return str(game.table.rulebook.answer(waits, {}, game.table.read))


def test_c1_33_doctrine(referee):
    assert standard(referee().go([3, 3, "black"])) == "place at=(10, 10)"
    assert (
        standard(referee(asset=Asset(preregistered=True)).go([3, 3, "black"])) == "fire at=(10, 10)"
    )
    assert standard(sr(referee)) == "convert"
    assert standard(sr(referee, at=(10, 12))) == "correct_convert at=(10, 10)"
    assert standard(sr(referee, at=(10, -8), options={"boards": 1})) == "replace at=(10, 0)"
    assert standard(ffe(referee)) == "leave"
    assert standard(ffe(referee, at=(10, 12))) == "correct at=(10, 10)"
    assert standard(ffe(referee, at=(10, 15))) == "leave"
    assert standard(ffe_c(referee)) == "convert"
    assert standard(ffe_c(referee, at=(10, 12))) == "correct at=(10, 10)"


def test_c1_3_doctrine_aims_at_the_nearest_seen_hex_when_the_target_is_hidden(referee):
    order = standard(referee(observer=Observer(sight="burst_only")).go([3, 3, "black"]))
    assert order.startswith("place at=")
    assert order != "place at=(10, 10)"


# --- the worked example --------------------------------------------------------------------------------
def moved(played, units, eyes, **stands):
    """Return the same scenario with its units in the given hexes, and other facts about its
    Observer.
    """
    setup = next(iter(played.units.values()))
    asset = played.missions["a"]
    laid = {
        unit: attrs.evolve(
            setup,
            place=played.frame.parse(label),
            slots={"resolution": PersonnelState()},
            facts={"resolution": UnitProfile(7, *stands.get(unit, (0, 0)), number)},
        )
        for number, (unit, label) in enumerate(units.items())
    }
    facts = {**asset.facts, "observers": eyes}
    return attrs.evolve(played, units=laid, missions={"a": attrs.evolve(asset, facts=facts)})


SQUADS = {"u3": "U3", "u4": "U4", "v3": "V3", "w4": "W4"}


def example(make, squads=SQUADS):
    played = make(asset=Asset(calibre_mm=75, weapon="gun"), options={"boards": 1})
    dead = frozenset(played.frame.parse(label) for label in ("V3", "W4"))
    eyes = ObserverSight(dead, identified=True)
    return moved(played, squads, eyes, u4=(1, 0), v3=(2, 0), w4=(0, -1))


def test_c1_62_example_of_the_observer_in_w6(make, referee):
    played = example(make)
    at = played.frame.parse
    game = referee(played).go([4, 4, "black"])
    # There is no extra draw. The Accuracy dr of 3 is inaccurate, and the error is two hexes in
    # direction 3.
    game.go([3, 3, 2], [Order.of("place", at=at("U3"))])
    assert (game.label, game.waits) == ("W4", "maintenance")
    game.go([5, 4])  # a 9 maintains Contact
    assert not game.emitted("extra_chit_black")
    said = verdicts(game, at=at("U4"))
    assert said["convert"] == "C1.333"
    assert [verb for verb, cite in said.items() if cite is None] == [
        "leave", "correct", "correct_convert", "cancel", "replace",
    ]  # fmt: skip
    # The Correction errs in direction 3; an extent of six is reduced to one hex.
    game.go([3, 3, 6], [Order.of("correct_convert", at=at("U4"))])
    assert (game.label, game.get("stage"), game.waits) == ("V4", Stage.FALLING, "effect")
    assert not game.emitted("extra_chit_black")
    # The 8 on 12 FP is resolved hex by hex, clockwise. In V3, +2 makes it 10, a PTC; in W4, the -1
    # for woods makes it 7, a 1MC; in U4, the +1 for the wall makes it 9, an NMC.
    assert game.go([4, 4]).waits == "task"
    assert game.go([1, 1, 4, 4]).waits == "morale"
    game.go([3, 3])  # 6 + 1 is the highest DR that passes
    assert game.go([4, 4]).waits == "morale"
    game.go([1, 1])
    assert [(e["unit"], e["severity"].name) for e in game.emitted("suffered")] == [
        ("w4", "SUPPRESSED")
    ]
    drms = [(e["roll"], e["value"]) for e in game.emitted("modifier")]
    assert drms == [
        ("delays.maintenance", -1), ("resolution.effect", 2), ("resolution.effect", -1), ("resolution.morale", 1),
        ("resolution.effect", 1),
    ]  # fmt: skip


def test_c1_62_example_with_u3_and_u4_empty_takes_an_extra_draw_for_the_ar(make, referee):
    played = example(make, {"v3": "V3", "w4": "W4"})
    game = (
        referee(played).go([4, 4, "black"]).go([], [Order.of("place", at=played.frame.parse("U3"))])
    )
    assert game.waits == "extra"


def test_c1_62_example_with_u4_empty_takes_an_extra_draw_to_convert(make, referee):
    played = example(make, {"u3": "U3", "v3": "V3", "w4": "W4"})
    at = played.frame.parse
    game = referee(played).stand(stage=Stage.SPOTTING, impact=at("W4"), **ON_HAND)
    game.go([3, 3, 6], [Order.of("correct_convert", at=at("U4"))])
    assert (game.label, game.waits) == ("V4", "extra")
    game.go(["red"])
    assert (game.get("stage"), game.get("impact"), game.emitted("fall")) == (
        Stage.DELAYED,
        None,
        [],
    )


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"observer": Observer(kind="none")}, "C1.6"),
        ({"observer": Observer(kind="aircraft")}, "C1.63"),
        ({"observer": Observer(link="runner")}, "C1.2"),
        ({"observer": Observer(link="flare")}, "C1.2"),
        ({"observer": Observer(sight="none")}, "C1.3"),
    ],
)
def test_c1_6_observers_that_cannot_be_staged_are_refused_with_a_reason(make, changes, rule):
    with pytest.raises(CannotStageError, match=rule):
        make(**changes)


@pytest.mark.parametrize(
    ("identified", "near"), [(True, [True, True, False]), (False, [False, False, False])]
)
def test_c1_6_a_known_enemy_is_identified_and_in_los(make, identified, near):
    played = make(target=attrs.evolve(make().engagement.target, identified=identified))
    view = View(played.initial.get, played, "requests")
    assert [view.sees("a", hex_).known_enemy for hex_ in (TARGET, NEAR, (10, 12))] == near


def test_c1_3_c1_35_a_blind_ar_once_cancelled_costs_no_access_of_a_later_sr(referee):
    # The opponent cancelled an earlier SR; Access has since been regained, and the side is asked
    # again. The price of an SR that the side then cancels is checked at once, because the next
    # phase may cost Access for other reasons.
    game = referee().stand(stage=Stage.SPOTTING, impact=NEAR, requests__blind=True, **ON_HAND)
    assert game.waits == "requests.fire"
    done = game.table.rulebook.perform(
        Step("delays.ceased", ("a", Stage.SPOTTING)), Chance(None), game.table.read
    )
    assert done.updates == ()
