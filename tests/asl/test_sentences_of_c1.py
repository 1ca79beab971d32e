"""Provisions of C1, by rule, that no other test covers."""

from __future__ import annotations

import pytest
from support_asl import ON_HAND, at, read

from fireplan_core import FireKind, Order, Stage, Step
from fireplan_core.play import State

FILE = """
game = "asl"
title = "Sentences of C1"
moments = 12
date = 1944-08-12

[options]
own_fire = "{reading}"

[[battery]]
id = "a"
side = "attacker"
nationality = "german"
calibre = 105
target = "K5"
observer = "E5"
missions = ["{kind}"]

[[unit]]
id = "squad"
side = "defender"
hex = "K5"
{unit}
"""
SECOND = """
[[battery]]
id = "b"
side = "{side}"
nationality = "german"
calibre = 105
target = "K5"
observer = "R5"
missions = ["{kind}"]
"""
HIDDEN_FROM_HIM = "concealed = true\nconcealment_terrain = true"
BLACK, RED = "black", "red"


@pytest.fixture
def play(catalogue, referee, tmp_path):
    def start(kind="concentration", side="", unit="", reading="whoever fires"):
        """Return a table with battery a, a second one if a side is given, and a defending squad."""
        second = SECOND.format(kind=kind, side=side) if side else ""
        return referee(
            read(catalogue, tmp_path, FILE.format(kind=kind, unit=unit, reading=reading) + second)
        )

    return start


def lay(game, *agenda, **missions):
    """Set the values of missions, given by id, and play the agenda if there is one; return the
    table.
    """
    updates = {
        f"missions/{name}/{key}": value
        for name, values in missions.items()
        for key, value in values.items()
    }
    game.put(updates, agenda)
    if agenda:
        game.table._advance()
    return game


def test_c1_2_a_failed_contact_dr_is_not_repeated_before_the_next_fire_phase(play):
    game = play().go([6, 6 - 1], [Order.of("call"), Order.of("roll")])  # the Contact DR is an 11
    assert [event["mission"] for event in game.emitted("no_contact")] == ["a"]
    assert game.table.read("clock/moment", 0) == 1
    assert game.waits == "contact"


def test_c1_21_converting_a_ffe_c_takes_an_extra_chit_as_well(play):
    values = {key.replace("__", "/"): value for key, value in ON_HAND.items()}
    here = {"stage": Stage.LINGERING, "fell": True, **values}
    ready = Step("core.ready", ("a",))
    game = play(unit=HIDDEN_FROM_HIM)
    lay(game, ready, a={**here, "impact": at(game, "K6")}).go([], [Order.of("convert")])
    assert game.waits == "extra"
    known = play()
    lay(known, ready, a={**here, "impact": at(known, "K6")}).go([], [Order.of("convert")])
    assert known.waits != "extra"


@pytest.mark.parametrize("chit", [BLACK, RED])
def test_c1_21_the_opponent_sees_every_chit(play, chit):
    game = play().go([3, 3, chit], [Order.of("call"), Order.of("roll")])
    kind = "access" if chit == BLACK else "no_access"
    (drawn,) = game.emitted(kind)
    shown = game.scenario.parts.delays.shows(game.scenario, drawn, "defender")
    assert shown == drawn


def test_c1_3_a_spotting_round_harms_nobody(play):
    game = play()
    game.go(
        [3, 3, BLACK, 1], [Order.of("call"), Order.of("roll"), Order.of("place", at=at(game, "K5"))]
    )
    assert game.table.read("missions/a/stage", None) is Stage.SPOTTING
    assert game.table.read("missions/a/impact", None) == at(game, "K5")
    assert not game.emitted("attacks")
    assert not game.emitted("suffered")


def test_c1_332_behind_smoke_nothing_is_predesignated(play):
    values = {key.replace("__", "/"): value for key, value in ON_HAND.items()}
    game = play()
    smoke = tuple((at(game, label), 3, False, FireKind.SMOKE) for label in ("G5", "H5", "I5"))
    game.put({"shared/areas/cells": smoke}, ())
    lay(
        game,
        Step("core.ready", ("a",)),
        a={"stage": Stage.SPOTTING, "impact": at(game, "K5"), **values},
    )
    assert game.refused(Order.of("correct_convert", at=at(game, "K7"))) == "C1.332"


# --- C1.54: Morale Levels under fire -------------------------------------------------------------
def level_under_fire(game, mission="a"):
    """Return by how much a battery's fire lowers the squad's Morale Level in a check."""
    agenda = Step("resolution.morale", (mission, "squad", 0))
    game.table.state = State(game.table.state.values, (agenda,))
    game.table._advance()
    game.go([1, 2])
    return sum(event["value"] for event in game.emitted("modifier") if event.cite == "C1.54")


@pytest.mark.parametrize(
    ("stage", "label", "kind", "expected"),
    [
        (Stage.FALLING, "K5", "concentration", 1),
        (Stage.FALLING, "L5", "concentration", 1),
        (Stage.LINGERING, "K5", "concentration", 1),
        (Stage.FALLING, "K5", "wp", 1),
        (Stage.FALLING, "M5", "concentration", 0),
        (Stage.SPOTTING, "K5", "concentration", 0),
        (Stage.FALLING, "K5", "smoke", 0),
    ],
)
def test_c1_54_under_own_fire_morale_is_lower_for_the_enemys_fire_too(
    play, stage, label, kind, expected
):
    shell = {"smoke": FireKind.SMOKE, "wp": FireKind.WP}.get(kind, FireKind.HE)
    lowered = []
    for reading in ("whoever fires", "the firing battery's"):
        game = play(side="defender", kind=kind, reading=reading)
        lay(game, b={"stage": stage, "impact": at(game, label), "kind": shell})
        lowered.append(level_under_fire(game))
    assert lowered == [expected, 0]


@pytest.mark.parametrize(("face", "broken"), [(1, False), (2, True)])
def test_c1_54_a_morale_check_under_the_enemys_fire_is_by_the_lower_level(play, face, broken):
    # An NMC of 6 passes at Morale Level 6; one of 7 passes only at 7.
    game = play(side="defender")
    there = {"stage": Stage.FALLING, "impact": at(game, "K5")}
    lay(game, Step("resolution.morale", ("a", "squad", 0)), b=there).go([5, face])
    assert bool(game.table.read("units/squad/resolution/broken", False)) is broken


def test_c1_54_fire_of_both_sides_lowers_it_by_one_and_that_of_the_enemy_alone_not(play):
    both = {"stage": Stage.FALLING, "impact": (10, 0)}
    assert at(play(), "K5") == both["impact"]
    assert level_under_fire(lay(play(side="defender"), a=both)) == 0
    assert level_under_fire(lay(play(side="defender"), a=both, b=both)) == 1
    assert level_under_fire(lay(play(side="defender"), a=both, b=both), "b") == 1


# --- C1.821: Bombardment of vehicles and weapons -------------------------------------------------
@pytest.mark.parametrize(("over", "lost"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)])
@pytest.mark.parametrize("kind", ["unarmoured", "weapon"])
def test_c1_821_a_check_failed_by_one_two_and_three(play, kind, over, lost):
    level = 6 if kind == "unarmoured" else 7
    game = play(unit=f'kind = "{kind}"')
    step = "battered" if kind == "unarmoured" else "spoiled"
    total = level + over
    lay(game, Step(f"resolution.{step}", ("a", at(game, "K5"), "squad"))).go(
        [total - total // 2, total // 2]
    )
    assert game.table.read("units/squad/resolution/loss", 0) == min(
        lost, 3 if kind == "unarmoured" else 2
    )
