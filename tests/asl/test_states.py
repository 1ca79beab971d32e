"""The state of a battery after every option of C1.33 - C1.35: its counter, its Access, its next
question.

A row: the counter on the map, the order, the dice; then the stage, the hex of the SR or FFE,
whether FFE:1 has been resolved (an FFE:2 is due), Access, black and red chits, and what the table
waits for in the next fire phase after a Maintenance DR of 6. No enemies are near, so no other roll
is made.
"""

from __future__ import annotations

import attrs
import pytest

import fireplan as fp
from fireplan_core import Asset, Observer, Order, Reason, Stage, Step
from fireplan_core.play import Table

SR, FFE, FFE_C, NONE = Stage.SPOTTING, Stage.FALLING, Stage.LINGERING, Stage.DELAYED
HERE, THERE = "U15", "U17"
BLACK, RED = 7, 3
KEPT = (True, BLACK, RED)
DRAW, OPTION = "access", "requests.fire"

ROWS = {
    # --- C1.331 - C1.337: an SR on the map
    "1.331 leave the SR": (SR, "leave", None, [], (SR, HERE, False, *KEPT, OPTION)),
    "1.331 Correct the SR, accurate": (SR, "correct", THERE, [2], (SR, THERE, False, *KEPT, OPTION)),
    "1.331 Correct it two hexes: an error of one": (SR, "correct", THERE, [3, 4, 6], (SR, "U18", False, *KEPT, OPTION)),
    "1.332 Correct and Convert": (SR, "correct_convert", THERE, [2], (FFE, THERE, True, *KEPT, OPTION)),
    "1.333 Convert": (SR, "convert", None, [], (FFE, HERE, True, *KEPT, OPTION)),
    "1.336 Cancel the SR": (SR, "cancel", None, [], (NONE, None, False, *KEPT, DRAW)),
    "1.336 Cancel the SR and place anew": (SR, "replace", THERE, [2], (SR, THERE, False, *KEPT, OPTION)),
    "1.336 the new SR errs by up to six": (SR, "replace", THERE, [3, 4, 6], (SR, "U23", False, *KEPT, OPTION)),
    # --- an FFE:2 on the map
    "1.334 leave the FFE": (FFE, "leave", None, [], (FFE_C, HERE, False, *KEPT, DRAW)),
    "1.331 Correct the FFE": (FFE, "correct", THERE, [1], (FFE_C, THERE, False, *KEPT, DRAW)),
    "1.331 Correct the FFE, an error of one": (FFE, "correct", THERE, [6, 1, 5], (FFE_C, "U16", False, *KEPT, DRAW)),
    "1.337, 1.35 Cancel the FFE": (FFE, "cancel", None, [], (NONE, None, False, False, BLACK, RED, DRAW)),
    # --- an FFE:C, Access regained
    "1.341 an SR for the FFE:C": (FFE_C, "spot", None, [], (SR, HERE, False, *KEPT, OPTION)),
    "1.341 and Correct it": (FFE_C, "correct", THERE, [2], (SR, THERE, False, *KEPT, OPTION)),
    "1.342 Convert the FFE:C": (FFE_C, "convert", None, [], (FFE, HERE, True, *KEPT, OPTION)),
    "1.343 remove the FFE:C": (FFE_C, "remove", None, [], (Stage.ENDED, None, False, *KEPT, DRAW)),
    "1.343 remove it and place anew": (FFE_C, "replace", THERE, [2], (SR, THERE, False, *KEPT, OPTION)),
}  # fmt: skip


def at_the_option(referee, stage, agenda=None, moments=1, **changes):
    """Return the table where an option is asked for; it ends after this fire phase unless
    ``moments`` is raised.
    """
    values = {
        "delays__contact": True,
        "delays__access": True,
        "delays__black": BLACK,
        "delays__red": RED,
    }
    if stage is FFE:
        values |= {"areas__resolved": True, "fell": True}
    game = referee(**changes)
    game.table = Table(game.scenario, moments)
    return game.stand(
        *(agenda or (Step("core.ready", ("a",)), Step("areas.moment", ("a",)))),
        stage=stage, impact=game.place(HERE), **values,
    )  # fmt: skip


def state(game):
    waits = (
        game.get("stage"),
        game.label,
        bool(game.get("areas/resolved")),
        bool(game.get("delays/access")),
    )
    return (*waits, game.get("delays/black"), game.get("delays/red"))


@pytest.mark.parametrize("row", ROWS)
def test_c1_33_c1_34_c1_35_state_of_the_battery_after_every_option(referee, row):
    stage, verb, to, faces, expected = ROWS[row]
    game = at_the_option(referee, stage)
    order = Order.of(verb, at=game.place(to)) if to else Order.of(verb)
    assert game.refused(order) is None
    game.go(faces, [order])
    assert state(game) == expected[:6]
    assert game.get("aim") is None
    assert game.get("delays/contact") is True
    # In the next phase a 6 maintains contact.
    on = at_the_option(referee, stage, moments=4).go([*faces, 3, 3], [order])
    assert on.waits == expected[6]


def test_c1_335_forced_the_sr_or_ffe_is_corrected_without_accuracy_or_cancelled(referee):
    for stage, kept in ((SR, SR), (FFE, FFE_C)):
        game = referee(options={"boards": 1})
        game.table = Table(game.scenario, 1)
        at = game.place
        values = {"delays__contact": True, "delays__access": True, "delays__black": BLACK}
        game.stand(
            Step("core.ready", ("a",)), Step("areas.moment", ("a",)),
            stage=stage, impact=at("U-1"), areas__resolved=stage is FFE, **values,
        )  # fmt: skip
        assert game.refused(Order.of("leave")) == ("C1.331, C1.335" if stage is SR else "C1.334")
        # The Correction is of three hexes, yet the error is six.
        game.go([4, 6], [Order.of("correct", at=at("U2"))])
        assert (game.get("stage"), game.label, game.get("delays/access")) == (kept, "U8", True)
        cancelled = referee(options={"boards": 1})
        cancelled.table = Table(cancelled.scenario, 1)
        cancelled.stand(stage=stage, impact=at("U-1"), areas__resolved=stage is FFE, **values)
        cancelled.go([], [Order.of("cancel")])
        assert (cancelled.label, cancelled.get("delays/access")) == (None, stage is SR)


def test_c1_336_c1_731_cancel_the_sr_for_a_ffe_1_in_a_pre_registered_hex(referee):
    game = at_the_option(referee, SR, asset=Asset(preregistered=True))
    game.go([4], [Order.of("replace_fire", at=game.scenario.centre)])
    assert (game.get("stage"), game.get("impact"), game.waits) == (
        FFE,
        game.scenario.centre,
        "effect",
    )
    assert game.get("delays/access") is True


def test_c1_343_c1_731_remove_the_ffe_c_for_a_ffe_1_in_a_pre_registered_hex(referee):
    game = at_the_option(referee, FFE_C, asset=Asset(preregistered=True))
    game.go([4], [Order.of("replace_fire", at=game.scenario.centre)])
    assert (game.get("stage"), game.get("impact"), game.get("areas/resolved")) == (
        FFE,
        game.scenario.centre,
        False,
    )


@pytest.mark.parametrize("chit", ["black", "red"])
def test_c1_34_the_old_mission_is_over_whatever_the_draw(referee, chit):
    game = at_the_option(referee, FFE_C, agenda=(Step("core.moment"),))
    game.go([3, 3, chit])
    if chit == "red":
        assert state(game) == (Stage.ENDED, None, False, False, BLACK, RED - 1)
        assert [(e["reason"], e.cite) for e in game.emitted("ended")] == [
            (Reason.DELIVERED, "C1.34")
        ]
    else:
        assert game.waits == OPTION
        assert state(game)[3:] == (True, BLACK - 1, RED)


def test_c1_21_a_second_red_draw_with_a_ffe_c_ends_access_for_good(referee):
    game = at_the_option(referee, FFE_C, agenda=(Step("core.moment"),))
    game.table.state = attrs.evolve(
        game.table.state, values=game.table.state.values.put((("missions/a/delays/red", 2),))
    )
    game.go([3, 3, "red"])
    assert (game.get("stage"), game.get("reason"), game.get("impact")) == (
        Stage.ENDED,
        Reason.EXHAUSTED,
        None,
    )


@pytest.mark.parametrize("stage", [SR, FFE, FFE_C])
def test_c1_21_a_red_extra_chit_takes_everything_off_and_access_with_it(referee, stage):
    # Only the target's own hex is dead ground: an AR next to it needs the extra chit, since no unit
    # there is Known.
    game = referee(observer=Observer(sight="burst_only"))
    game.table = Table(game.scenario, 1)
    game.stand(
        stage=stage, impact=(10, 12), areas__resolved=stage is FFE, delays__contact=True, delays__access=True
    ).go(["red"], [Order.of("correct" if stage is FFE else "replace", at=(10, 11))])  # fmt: skip
    assert game.get("impact") is None
    assert game.get("delays/access") is False
    assert game.get("delays/contact") is True
    assert game.get("delays/red") == RED


@pytest.mark.parametrize(("stage", "after"), [(SR, SR), (FFE, FFE_C), (FFE_C, Stage.ENDED)])
def test_c1_22_an_involuntary_loss_of_contact_keeps_access_and_the_mission(referee, stage, after):
    game = at_the_option(referee, stage, agenda=(Step("core.moment"),))
    game.go([6, 5])
    assert (game.get("stage"), game.get("delays/contact")) == (after, False)
    assert game.get("delays/access") is (stage is not FFE_C)


@pytest.mark.parametrize("stage", [SR, FFE, FFE_C])
def test_c1_22_the_results_of_declining_the_roll(referee, stage):
    for hex_, gone in (("U5", False), ("U-1", True)):
        game = referee(options={"boards": 1})
        game.table = Table(game.scenario, 1)
        game.stand(
            Step("delays.attempt", ("a",)), stage=stage, impact=game.place(hex_), areas__resolved=stage is FFE,
            delays__contact=True, delays__access=True,
        )  # fmt: skip
        # U-1 is two hexes off the map, so no hex of its Blast Area is seen.
        game.go([], [Order.of("pass")])
        assert (game.get("impact") is None) is gone
        assert game.get("delays/access") is not gone
        assert game.get("delays/contact") is False


def test_c1_35_a_cancelled_ffe_gives_no_new_ar_in_the_same_phase(referee):
    game = at_the_option(referee, FFE, moments=4)
    game.go([], [Order.of("cancel")])
    assert game.waits == "maintenance"
    assert game.table.state.moment == 1


def test_c1_33_no_other_option_than_these(referee):
    for stage, odd in ((SR, ("spot", "remove", "place", "fire", "pass")), (FFE, ("spot", "replace", "convert", "pass")),
                       (FFE_C, ("leave", "cancel", "correct_convert", "pass"))):  # fmt: skip
        game = at_the_option(referee, stage)
        for verb in odd:
            assert game.refused(Order.of(verb)) is not None
            assert game.refused(Order.of(verb, at=game.place(THERE))) is not None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a{turns=5}", "no Creeping Barrage"),
        ("a{over}", "no Creeping Barrage"),
        ("a{taken}", "no radio takes over"),
        ('"1st squad"{legs=1}', "its road has 0 legs, and it has gone 1"),
    ],
)
def test_e12_7_c1_51_fields_absent_from_a_scenario_cannot_be_set(line, words):
    with pytest.raises(fp.InputError, match=words):
        fp.position(f"fp1 asl/village {line}")


def test_e12_73_the_turns_of_a_creeping_barrage_can_be_set():
    assert fp.position("fp1 asl/creeping a{turns=1}")["a", "turns"] == 1
