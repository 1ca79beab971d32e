"""The Blast Height of an SR or FFE behind Hindrances, and what may then be ordered (C1.32,
C1.33-C1.343, C1.22, C1.57).

C1.331, C1.332, C1.333, C1.34 and C1.22 require a current LOS to the Blast Height; C1.334, C1.335
and C1.336 disregard SMOKE.
"""

from __future__ import annotations

import pytest
from support_asl import ON_HAND, at, read

from fireplan_core import FireKind, Order, Stage, Step, View
from fireplan_core.play import State

TEXT = """
game = "asl"
title = "Behind the smoke"
moments = 8
date = 1943-07-10
#form

[[battery]]
id = "a"
side = "german"
nationality = "german"
calibre = 105
target = "K8"
observer = "K1"
#battery

[[unit]]
id = "squad"
side = "russian"
hex = "#enemy"
"""
SMOKE = (("K4", 3, FireKind.SMOKE), ("K5", 3, FireKind.SMOKE))
"""SMOKE of six between K1 and K8: a LOS that both hexes Hinder is blocked."""
WP = tuple((f"K{n}", 2, FireKind.WP) for n in (4, 5, 6))
LEVELS = 'hex = [{ hex = "A1", level = 1 }]'
"""A form that makes LOS computed, on a plain."""


@pytest.fixture
def play(catalogue, referee, tmp_path):
    def start(form="", battery="", enemy="A9", option=None, smoke=()):
        chosen = f'options = {{ burst_hindrance = "{option}" }}\n' if option else ""
        text = (
            TEXT.replace("#form", chosen + form)
            .replace("#battery", battery)
            .replace("#enemy", enemy)
        )
        game = referee(read(catalogue, tmp_path, text))
        cells = tuple((at(game, label), strength, False, kind) for label, strength, kind in smoke)
        return game.put({"shared/areas/cells": cells})

    return start


def sight(game, label, *, smoke=True):
    observers = game.scenario.parts.observers
    look = observers.sees if smoke else observers.sees_past_smoke
    return look(View(game.table.read, game.scenario, "observers"), "a", at(game, label))


def spotting(game, label="K8", stage=Stage.SPOTTING, **values):
    return game.stand(
        stage=stage, impact=at(game, label), fell=stage is not Stage.SPOTTING, **values, **ON_HAND
    )


def refused(game, *verbs):
    """Return the rule that refuses each order, or None; Corrections go to a hex three hexes away."""
    aimed = {"correct", "correct_convert", "replace", "place"}
    orders = (
        Order.of(verb, at=at(game, "N7")) if verb in aimed else Order.of(verb) for verb in verbs
    )
    return [game.refused(order) for order in orders]


# --- by height -----------------------------------------------------------------------------------------
HEIGHTS = [
    # Each row: the SMOKE, the declared Hindrances, and what is seen under each option (by height,
    # never hidden, as its hex): g for the ground, b for only the burst, - for nothing.
    (SMOKE, "", "-b-"),
    (SMOKE[:1], "", "ggg"),
    (WP, "", "-b-"),
    ((), "hindrance = { K4 = 3, K5 = 3 }", "bb-"),  # a declared Hindrance is low
    ((), "hindrance = { K4 = 3, K5 = 2 }", "ggg"),
    # Only three of the six Hindrances are as high as the burst.
    (SMOKE[:1], "hindrance = { K5 = 3 }", "bb-"),
    (SMOKE, "hindrance = { K6 = 1 }", "-b-"),
]


@pytest.mark.parametrize("form", ["", LEVELS], ids=["declared", "computed"])
@pytest.mark.parametrize(("smoke", "battery", "seen"), HEIGHTS)
def test_c1_331_hindrances_of_six_that_rise_as_high_as_a_burst_hide_it(
    play, form, smoke, battery, seen
):
    found = ""
    for option in ("by height", "never hidden", "as its hex"):
        look = sight(play(form, battery, option=option, smoke=smoke), "K8")
        found += "g" if look.ground else "b" if look.burst else "-"
    assert found == seen
    plain = sight(play(form, battery, smoke=smoke), "K8")
    assert (plain.ground, plain.burst) == (seen[0] == "g", seen[0] != "-")


def test_c1_331_by_height_the_levels_of_hexes_count(play):
    grain = [f'{{ hex = "K{n}", hindrance = 2 }}' for n in (3, 4, 5)]
    tall = [
        entry.replace("hindrance = 2", "hindrance = 2, hindrance_levels = 2") for entry in grain
    ]

    def seen(*hexes, observer="", smoke=()):
        look = sight(play(f"hex = [{', '.join(hexes)}]", observer, smoke=smoke), "K8")
        return "g" if look.ground else "b" if look.burst else "-"

    assert seen(*grain) == "b"
    assert seen(*tall) == "-"
    # On ground one level up, the grain reaches two levels, as high as a burst; a burst on such
    # ground is higher again.
    assert seen(*(entry.replace("hindrance", "level = 1, hindrance", 1) for entry in grain)) == "-"
    assert seen(*tall, '{ hex = "K8", level = 1 }') == "b"
    # An Observer on higher ground sees over all of the grain.
    assert seen(*tall, observer="observer_level = 6") == "g"
    assert seen('{ hex = "A1", level = 1 }', observer="observer_level = 3", smoke=SMOKE) == "b"


def test_c1_331_five_do_not_hide_a_burst_and_six_do(play):
    for last, seen in ((2, True), (3, False)):
        game = play(smoke=(SMOKE[0], ("K5", last, FireKind.SMOKE)))
        assert (sight(game, "K8").burst, sight(game, "K8").hindrance) == (seen, 3 + last)


def test_c1_32_a_wp_ffe_rises_over_smoke_of_two_levels_and_not_over_wp(play):
    for smoke, seen in ((SMOKE, True), (WP, False)):
        for form in ("", LEVELS):
            game = play(form, 'missions = ["wp", "smoke"]', smoke=smoke)
            spotting(game, stage=Stage.FALLING, requests__kind="wp")
            assert sight(game, "K8").burst is seen
            assert not sight(game, "K8").ground
            spotting(game, stage=Stage.FALLING, requests__kind="smoke")
            assert not sight(game, "K8").burst  # smoke is two levels high


def test_c1_57_the_ffe_of_another_battery_is_as_high_as_a_burst(play):
    other = (
        TEXT.partition("[[battery]]")[2].partition("[[unit]]")[0].replace('id = "a"', 'id = "b"')
    )
    game = play(
        battery=f"[[battery]]{other.replace('#battery', '')}",
        smoke=(SMOKE[0], ("K5", 2, FireKind.SMOKE)),
    )
    assert sight(game, "K8").burst
    lies = (("missions/b/stage", Stage.FALLING), ("missions/b/impact", at(game, "K4")))
    game.table.state = State(game.table.state.values.put(lies), game.table.state.agenda)
    assert not sight(game, "K8").burst
    assert not sight(game, "K8", smoke=False).hindrance > 1


@pytest.mark.parametrize(("reading", "seen"), [("hides any", False), ("hides only others", True)])
@pytest.mark.parametrize(
    ("form", "hexes"), [("", "by height"), (LEVELS, "by height"), ("", "as its hex")]
)
def test_c1_57_the_dust_of_a_ffe_hides_its_own_burst_or_those_of_others_alone(
    play, reading, seen, form, hexes
):
    # The SMOKE Hinders by five. Read literally, the FFE's own dust adds one for a LOS into the
    # Blast Area.
    chosen = f'options = {{ burst_hindrance = "{hexes}", own_dust = "{reading}" }}\n'
    game = spotting(
        play(chosen + form, smoke=(SMOKE[0], ("K5", 2, FireKind.SMOKE))), stage=Stage.FALLING
    )
    assert (sight(game, "K8").ground, sight(game, "K8").burst) == (False, seen)
    assert sight(game, "K8", smoke=False).ground
    # Another hex, beyond the Blast Area, is behind the dust under either reading.
    assert sight(game, "K10").hindrance == 6
    assert refused(game, "correct") == [None if seen else "C1.331"]


# --- what may be ordered -------------------------------------------------------------------------------
def test_c1_331_c1_336_a_sr_behind_smoke_can_only_be_cancelled(play):
    orders = ("leave", "correct", "correct_convert", "convert", "cancel", "replace")
    game = spotting(play(smoke=SMOKE))
    assert refused(game, *orders) == ["C1.331, C1.336", "C1.331", "C1.332", "C1.333", None, None]
    assert refused(spotting(play()), *orders) == [None] * 6
    # If no Hindrance hides a burst, every order but Conversion is allowed.
    game = spotting(play(option="never hidden", smoke=SMOKE))
    assert refused(game, *orders) == [None, None, None, "C1.333", None, None]


@pytest.mark.parametrize(("enemy", "cite"), [("M8", None), ("K8", "C1.333"), ("A9", "C1.333")])
def test_c1_333_over_low_hindrance_the_burst_is_seen_and_needs_a_known_enemy_in_los(
    play, enemy, cite
):
    # The LOS to L7 and K8 passes the grain; the LOS to M8 passes beside it.
    game = spotting(play(battery="hindrance = { K4 = 3, K5 = 3 }", enemy=enemy), "L7")
    assert [(sight(game, label).ground, sight(game, label).burst) for label in ("L7", "M8", "K8")] == [
        (False, True), (True, True), (False, True)
    ]  # fmt: skip
    assert refused(game, "leave", "correct", "correct_convert", "convert") == [
        None,
        None,
        None,
        cite,
    ]


def test_c1_334_c1_331_a_ffe_behind_smoke_is_left_or_cancelled_and_not_corrected(play):
    game = spotting(play(smoke=SMOKE), stage=Stage.FALLING)
    assert refused(game, "leave", "correct", "cancel") == [None, "C1.331", None]
    assert (
        refused(spotting(play(), stage=Stage.FALLING), "leave", "correct", "cancel") == [None] * 3
    )
    # It is enough that a part of the FFE's Blast Area is clear of the SMOKE.
    game = spotting(
        play(smoke=(("K6", 3, FireKind.SMOKE), ("K7", 3, FireKind.SMOKE))), stage=Stage.FALLING
    )
    assert sight(game, "K8").burst is False
    assert sight(game, "L8").burst is True
    assert refused(game, "correct") == [None]


def test_c1_335_behind_more_than_smoke_it_must_be_corrected_or_cancelled(play):
    # A declaration hides the burst even without SMOKE. The Correction is then never accurate.
    blind = "no_burst = ['K8']"
    for smoke in ((), SMOKE):
        game = spotting(play(battery=blind, smoke=smoke))
        assert refused(game, "leave", "correct", "cancel") == ["C1.331, C1.335", None, None]
        game.go([], [Order.of("correct", at=at(game, "N7"))])
        assert game.waits == "direction"
    # Once the burst is seen, this is an ordinary Correction.
    game = spotting(play()).go([], [Order.of("correct", at=at(game, "N7"))])
    assert game.waits == "accuracy"


def test_c1_336_a_known_enemy_by_it_leaves_only_the_cancelling_smoke_or_not(play):
    for smoke in ((), SMOKE):
        game = spotting(play(battery="no_burst = ['K8']", enemy="K7", smoke=smoke))
        assert refused(game, "leave", "correct", "cancel", "replace") == [
            *["C1.331, C1.336"] * 2,
            None,
            None,
        ]


@pytest.mark.parametrize(("smoke", "kept"), [((), True), (SMOKE, False)])
def test_c1_34_a_ffe_c_behind_smoke_must_be_removed(play, smoke, kept):
    far = tuple((f"{column}5", 3, FireKind.SMOKE) for column in "JKL") + tuple(
        (f"{column}4", 3, FireKind.SMOKE) for column in "JKL"
    )
    game = spotting(play(smoke=far if smoke else ()), stage=Stage.LINGERING)
    cite = None if kept else "C1.34, C1.343"
    assert refused(game, "spot", "convert", "remove", "replace") == [cite, cite, None, None]


@pytest.mark.parametrize(("smoke", "stays"), [((), True), (SMOKE, False)])
def test_c1_22_not_rolling_is_ones_own_will_where_smoke_hides_the_blast_height(play, smoke, stays):
    game = play(smoke=smoke)
    game.stand(
        Step("delays.attempt", ("a",)), stage=Stage.SPOTTING, impact=at(game, "K8"), **ON_HAND
    ).go([], [Order.of("pass")])  # fmt: skip
    assert (game.get("impact") is not None) is stays
    assert game.get("delays/access") is stays
