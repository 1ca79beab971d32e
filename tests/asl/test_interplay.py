"""Rules of C1 where they meet: cases that one rule leaves to another (C1.1-C1.9), each by its
number.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from support_asl import ON_HAND, at, read

from fireplan.solver import Compiler, build_chain
from fireplan_asl.ift import ShellEffects
from fireplan_asl.units import UnitProfile
from fireplan_asl.vehicles import felt
from fireplan_core import FireKind, Order, Reason, Shot, Stage, Step, View
from fireplan_core.play import State

HEAD = """
game = "asl"
title = "Where rules meet"
moments = 12
date = 1944-08-12
"""
BATTERY = """
[[battery]]
id = "{name}"
side = "{side}"
nationality = "german"
calibre = {calibre}
target = "K5"
observer = "{observer}"
missions = ["{kind}"]
"""
SQUAD = """
[[unit]]
id = "squad"
side = "defender"
hex = "K5"
"""
LEADERS = "".join(
    f'\n[[unit]]\nid = "{name}"\nside = "attacker"\nhex = "E6"\nhalf = true\nleader = true\nmorale = 9\n'
    for name in ("first", "second")
)
PHONE = 'link = "field_phone"\nfriendly_edge = "first hexrow"\n'
CUT = {"loss": 1}


def battery(more="", name="a", kind="concentration", side="attacker", observer="E6", calibre=105):
    return (
        BATTERY.format(name=name, kind=kind, side=side, observer=observer, calibre=calibre) + more
    )


@pytest.fixture
def play(catalogue, referee, tmp_path):
    def start(*parts):
        return referee(read(catalogue, tmp_path, HEAD + "".join(parts)))

    return start


def set_up(game, *agenda, moment=0, **missions):
    """Set the values of missions, given by id, as ``Referee.stand`` does; play the agenda and
    return the table.
    """
    updates = {"clock/moment": moment}
    for name, values in missions.items():
        updates |= {
            f"missions/{name}/{key.replace('__', '/')}": value
            for key, value in {**ON_HAND, **values}.items()
        }
    game.put(updates, agenda).table._advance()
    return game


# --- C1.9: only one Fire Mission, however it ends ------------------------------------------------
def test_c1_9_rockets_whose_ffe_was_cancelled_have_had_their_fire_mission(play):
    game = play(battery('weapon = "rocket"\n', kind="rocket", calibre=150), SQUAD)
    game.stand(
        stage=Stage.FALLING, impact=at(game, "K5"), fell=True, areas__resolved=True, **ON_HAND
    )
    game.go([], [Order.of("cancel")])
    assert (game.get("stage"), game.get("reason")) == (Stage.ENDED, Reason.EXHAUSTED)
    assert game.table.waits_for is None


def test_c1_9_c1_21_a_red_extra_chit_before_their_ffe_leaves_rockets_their_fire_mission(play):
    hidden = SQUAD + "concealed = true\nconcealment_terrain = true\n"
    game = play(battery('weapon = "rocket"\n', kind="rocket", calibre=150), hidden)
    game.stand(stage=Stage.DELAYED, **ON_HAND).go(["red"], [Order.of("fire", at=at(game, "K5"))])
    assert game.get("stage") is Stage.DELAYED
    game.go([3, 3, "black"])
    assert game.refused(Order.of("fire", at=at(game, "K5"))) is None


def test_c1_9_c1_22_rockets_lost_with_their_ffe_c_have_had_their_fire_mission(play):
    area = (
        "K5",
        "K4",
        "L5",
        "L6",
        "K6",
        "J6",
        "J5",
        "J4",
        "L4",
        "K3",
        "K7",
        "M4",
        "M5",
        "M6",
        "L3",
        "L7",
    )
    unseen = f"no_burst = {[*area, 'J3', 'J7', 'I4', 'I5', 'I6']}\n"
    game = play(battery('weapon = "rocket"\n' + unseen, kind="rocket", calibre=150), SQUAD)
    game.stand(
        Step("delays.attempt", ("a",)),
        stage=Stage.LINGERING,
        impact=at(game, "K5"),
        fell=True,
        **ON_HAND,
    )
    game.go([], [Order.of("pass")])
    assert (game.get("stage"), game.get("reason")) == (Stage.ENDED, Reason.EXHAUSTED)


# --- C1.733: the Observer who began the scenario -----------------------------------------------------------
@pytest.fixture
def relieved(play):
    game = play(
        battery('leader = "first"\nrelief = ["second"]\npreregistered = ["K5"]\n'), SQUAD, LEADERS
    )
    game.befalls("first", size=0).stand(Step("core.moment"), stage=Stage.DELAYED, **ON_HAND)
    return game.go([3, 3, "black"], [Order.of("relief", unit="second")])


def test_c1_733_a_relief_at_the_radio_has_no_pre_registered_hexes(relieved):
    place = at(relieved, "K5")
    assert relieved.refused(Order.of("fire", at=place)) == "C1.733"
    # For the relief K5 is not Pre-Registered, so the dr of 3 is inaccurate and the extent of 5 is
    # not halved.
    relieved.go([3, 1, 5], [Order.of("place", at=place)])
    assert relieved.label == "K0"


def test_c1_733_c1_61_the_first_observer_restored_has_them_again(play):
    game = play(
        battery('leader = "first"\nrelief = ["second"]\npreregistered = ["K5"]\n'), SQUAD, LEADERS
    )
    game.befalls("first", broken=True).stand(Step("core.moment"), stage=Stage.DELAYED, **ON_HAND)
    game.go([3, 3, "black"], [Order.of("rallied")])
    assert game.refused(Order.of("fire", at=at(game, "K5"))) is None
    game.go([4], [Order.of("place", at=at(game, "K5"))])
    assert game.label == "K5"


def test_c1_733_the_standard_doctrine_of_a_relief_places_a_spotting_round(relieved):
    relieved.go([2])
    assert relieved.get("stage") is Stage.SPOTTING


# --- C1.23, C1.22: the line is cut -------------------------------------------------------------------------
@pytest.mark.parametrize("declared", [True, False])
def test_c1_23_c1_22_a_ffe_goes_on_when_its_line_is_cut_and_the_phone_is_gone(play, declared):
    game = play(battery(PHONE), SQUAD)
    if not declared:
        game.befalls("line a 1", **CUT)
    values = {"impact": at(game, "K5"), "fell": True, "areas__resolved": True, **ON_HAND}
    game.stand(Step("core.moment"), stage=Stage.FALLING, **values)
    # For the FFE:2, a DR of 12 on 20 FP is a PTC.
    game.go([6, 6], [Order.of("cut")] if declared else [])
    assert [event["impact"] for event in game.emitted("fall")] == [at(game, "K5")]
    game.go([1, 1])  # the squad passes the PTC
    assert game.emitted("lingering")
    assert (game.get("stage"), game.get("reason")) == (Stage.ENDED, Reason.LOST)
    assert game.get("delays/contact") is False
    assert game.table.waits_for is None


@pytest.mark.parametrize(
    "stage", [Stage.IDLE, Stage.DELAYED, Stage.SPOTTING, Stage.LINGERING, Stage.ENDED]
)
def test_c1_23_nobody_calls_over_a_line_that_is_cut(play, stage):
    game = play(battery(PHONE), SQUAD)
    state = {"impact": at(game, "K5")} if stage in (Stage.SPOTTING, Stage.LINGERING) else {}
    state |= {"reason": Reason.DELIVERED} if stage is Stage.ENDED else {}
    game.befalls("line a 1", **CUT).stand(Step("core.moment"), stage=stage, **state, **ON_HAND)
    assert (game.get("stage"), game.get("reason"), game.get("impact")) == (
        Stage.ENDED,
        Reason.LOST,
        None,
    )
    assert game.table.waits_for is None


# --- C1.22: giving up Contact --------------------------------------------------------------------
def test_c1_22_c1_21_declining_to_roll_costs_access_if_no_counter_is_on_the_map(play):
    game = play('options = { access_without_counter = "access is kept" }\n', battery(), SQUAD)
    game.stand(Step("delays.attempt", ("a",)), stage=Stage.DELAYED, **ON_HAND).go(
        [], [Order.of("pass")]
    )
    assert (game.get("delays/contact"), game.get("delays/access")) == (False, False)
    assert game.go([3, 3]).waits == "access"


# --- C1.3: an unseen AR --------------------------------------------------------------------------
@pytest.mark.parametrize(("reading", "asked"), [("an SR or FFE", True), ("only an FFE", False)])
@pytest.mark.parametrize("answer", ["cancel", "allow"])
def test_c1_3_c1_341_a_blind_ar_for_the_sr_that_took_the_place_of_a_ffe_c(
    play, reading, asked, answer
):
    game = play(f'options = {{ blind_ar = "{reading}" }}\n', battery('no_ground = ["K5"]\n'), SQUAD)
    game.stand(stage=Stage.LINGERING, impact=at(game, "K6"), fell=True, **ON_HAND)
    game.go([], [Order.of("correct", at=at(game, "K5"))])
    assert (game.get("stage"), game.label) == (Stage.SPOTTING, "K6")
    assert (game.waits == "requests.blind") is asked
    if asked:
        game.go([], [Order.of(answer)])
        assert game.get("stage") is (Stage.DELAYED if answer == "cancel" else Stage.SPOTTING)


def test_c1_3_the_opponent_answers_even_if_the_first_listed_unit_is_a_house(play):
    house = '\n[[unit]]\nid = "house"\nhex = "M5"\nkind = "building"\nterrain = "stone_building"\nlevels = 1\n'
    game = play(battery('no_ground = ["K5"]\n'), house, SQUAD)
    game.stand(stage=Stage.SPOTTING, impact=at(game, "K6"), **ON_HAND).go(
        [], [Order.of("correct", at=at(game, "K5"))]
    )
    assert (game.waits, game.table.waits_for.who) == ("requests.blind", "defender")


# --- C1.341, C1.4: how far an SR that replaced an FFE:C may be Corrected -------------------------
@pytest.mark.parametrize(("label", "cite"), [("CC5", "C1.4"), ("BB5", None), ("N5", None)])
def test_c1_341_c1_4_the_sr_in_place_of_a_ffe_c_goes_up_to_18_hexes(play, label, cite):
    game = play(battery(), SQUAD)
    game.stand(stage=Stage.LINGERING, impact=at(game, "J5"), fell=True, **ON_HAND)
    assert game.refused(Order.of("correct", at=at(game, label))) == cite


@pytest.mark.parametrize(
    ("stage", "order"), [(Stage.FALLING, "leave"), (Stage.LINGERING, "convert")]
)
def test_c1_32_c1_334_the_blast_height_of_a_ffe_is_seen_in_any_hex_of_its_area(play, stage, order):
    area = ["K5", "K4", "L4", "L5", "L6", "K6", "J6", "J5", "J4"]
    for unseen, refused in ((area[:1], False), (area, True)):
        game = play(
            battery(f"no_burst = {unseen}\n"), SQUAD.replace("K5", "K6" if refused else "K4")
        )
        game.stand(stage=stage, impact=at(game, "K5"), fell=True, **ON_HAND)
        assert (game.refused(Order.of(order)) is not None) is refused


@pytest.mark.parametrize(("kind", "cite"), [("wp", None), ("smoke", "C1.34, C1.343")])
def test_c1_32_c1_34_the_four_levels_of_wp_are_seen_of_its_ffe_c_as_well(play, kind, cite):
    area = '"K5", "K4", "L5", "L6", "K6", "J6", "J5", "J4", "L4"'
    game = play(battery(f"no_burst = [{area}]\n", kind=kind), SQUAD)
    game.stand(
        stage=Stage.LINGERING, impact=at(game, "K5"), fell=True, requests__kind=kind, **ON_HAND
    )
    assert game.refused(Order.of("spot")) == cite


# --- C1.61: the Observer is hit before his side acts ---------------------------------------------
def test_c1_61_an_observer_hit_by_an_earlier_ffe_of_the_same_phase_rolls_for_nothing(play):
    there = LEADERS.replace('hex = "E6"', 'hex = "K5"')
    game = play(battery(), battery('leader = "first"\n', name="b", observer="K5"), there)
    place = at(game, "K5")
    spotted = {"stage": Stage.SPOTTING, "impact": place}
    set_up(game, Step("core.moment"), a=spotted, b={**spotted, "impact": at(game, "R5")})
    # A DR of 3 on 20 FP is a 1KIA.
    game.go([3, 3, 1, 2], [Order.of("roll"), Order.of("convert")])
    game.go([1, 1])  # Random Selection ties, so both leaders are eliminated
    assert [event["unit"] for event in game.emitted("observer_lost")] == ["first"]
    assert game.table.read("missions/b/delays/contact", None) is False
    assert game.table.read("missions/b/stage", None) is Stage.SPOTTING
    assert [event["mission"] for event in game.emitted("contact")] == ["a"]


def test_c1_61_c1_22_the_ffe_c_of_a_broken_observer_is_gone_before_the_enemy_moves(play):
    runner = '\n[[unit]]\nid = "runner"\nside = "defender"\nhex = "R5"\n[[unit.move]]\nmoment = 1\nto = "K5"\n'
    game = play(battery('leader = "first"\n'), LEADERS, runner)
    values = {"stage": Stage.LINGERING, "impact": at(game, "K5"), "fell": True}
    set_up(game.befalls("first", broken=True), Step("core.moment"), moment=1, a=values)
    assert game.emitted("enters")
    assert not game.emitted("modifier")
    assert game.waits != "entering"
    standing = set_up(
        play(battery('leader = "first"\n'), LEADERS, runner),
        Step("core.moment"),
        moment=1,
        a=values,
    )
    assert standing.waits == "entering"


@pytest.mark.parametrize("cut", [True, False])
def test_c1_23_c1_22_the_ffe_c_of_a_phone_whose_line_is_cut_is_gone_before_the_enemy_moves(
    play, cut
):
    game = play(
        battery(PHONE), SQUAD.replace("K5", "R5") + '[[unit.move]]\nmoment = 1\nto = "K5"\n'
    )
    values = {"stage": Stage.LINGERING, "impact": at(game, "K5"), "fell": True}
    set_up(
        game.befalls("line a 1", **CUT) if cut else game, Step("core.moment"), moment=1, a=values
    )
    assert (game.waits == "entering") is not cut


# --- C1.333, C1.334, C1.21: Known, and SMOKE ---------------------------------------------------------------
def smoky(game, *labels):
    cells = tuple((at(game, label), 3, False, FireKind.SMOKE) for label in labels)
    return game.put({"shared/areas/cells": cells})


CURTAIN = ("F5", "F6", "G6", "G5", "H6", "H5")


@pytest.mark.parametrize(("curtain", "cite"), [((), None), (CURTAIN, "C1.333")])
def test_c1_333_an_enemy_behind_smoke_that_blocks_the_los_is_not_known(play, curtain, cite):
    game = smoky(play(battery('no_ground = ["K6"]\n'), SQUAD), *curtain)
    game.stand(stage=Stage.SPOTTING, impact=at(game, "K6"), **ON_HAND)
    assert game.refused(Order.of("convert")) == cite


@pytest.mark.parametrize(("strengths", "total", "cite"), [((3, 2), 5, None), ((3, 3), 6, "C1.333")])
def test_c1_333_c1_62_six_of_smoke_hide_a_known_enemy_and_five_do_not(play, strengths, total, cite):
    game = play(battery('no_ground = ["K5"]\n'), SQUAD.replace("K5", "K6"))
    smoke = zip(("G6", "I6"), strengths, strict=True)
    cells = tuple((at(game, label), each, False, FireKind.SMOKE) for label, each in smoke)
    game.put({"shared/areas/cells": cells}, ())
    game.stand(stage=Stage.SPOTTING, impact=at(game, "K5"), **ON_HAND)
    view = View(game.table.read, game.scenario, "observers")
    assert view.scenario.parts.observers.sees(view, "a", at(game, "K6")).hindrance == total
    assert game.refused(Order.of("convert")) == cite


def test_c1_334_for_a_ffe_the_same_smoke_does_not_count(play):
    game = smoky(play(battery('no_ground = ["K6"]\n'), SQUAD), *CURTAIN)
    game.stand(stage=Stage.FALLING, impact=at(game, "K6"), **ON_HAND)
    assert game.refused(Order.of("leave")) is None


@pytest.mark.parametrize(("curtain", "drawn"), [((), False), (CURTAIN, True)])
def test_c1_21_an_enemy_hidden_by_smoke_alone_calls_for_an_extra_chit(play, curtain, drawn):
    game = smoky(play(battery(), SQUAD), *curtain)
    game.stand(Step("core.convert", ("a",)), stage=Stage.SPOTTING, impact=at(game, "K6"), **ON_HAND)
    assert (game.waits == "extra") is drawn


def test_c1_335_c1_336_smoke_is_disregarded_for_an_unseen_sr_beside_a_known_enemy(play):
    # The Observer cannot see the SR, but without the SMOKE he would see the squad next to it, so he
    # may Cancel but not Correct.
    game = smoky(play(battery('no_burst = ["K6"]\n'), SQUAD), *CURTAIN)
    game.stand(stage=Stage.SPOTTING, impact=at(game, "K6"), **ON_HAND)
    assert game.refused(Order.of("correct", at=at(game, "E7"))) == "C1.331, C1.336"
    assert game.refused(Order.of("cancel")) is None


def test_c1_334_only_places_of_known_enemies_are_remembered(play):
    # K5 holds a squad that is not Known; J5, next to K5, holds a Known one. The FFE in L5 is next
    # to K5 but not to J5.
    units = SQUAD + "concealed = true\nconcealment_terrain = true\n"
    units += '\n[[unit]]\nid = "seen"\nside = "defender"\nhex = "J5"\n[[unit.move]]\nmoment = 9\nto = "S5"\n'
    game = play(battery('no_ground = ["L5"]\n'), units)
    game.stand(
        stage=Stage.FALLING, impact=at(game, "K5"), fell=True, areas__resolved=True, **ON_HAND
    )
    game.go([], [Order.of("cancel")])
    assert game.get("requests/met") == (at(game, "J5"),)


def test_c1_334_c1_7_only_this_fire_missions_known_enemies_are_remembered(play):
    seen = SQUAD + '[[unit.move]]\nmoment = 9\nto = "S5"\n'
    for stage, order, met in (
        (Stage.SPOTTING, "convert", {"K5"}),
        (Stage.FALLING, "leave", {"K5", "R5"}),
    ):
        game = play(battery(), seen)
        before = {"requests__met": (at(game, "R5"),), "areas__resolved": stage is Stage.FALLING}
        game.stand(stage=stage, impact=at(game, "K4"), **before, **ON_HAND).go(
            [], [Order.of(order)]
        )
        assert {game.scenario.frame.label(place) for place in game.get("requests/met")} == met


@pytest.mark.parametrize("curtain", [(), CURTAIN])
def test_c1_334_smoke_does_not_hide_where_a_known_enemy_was(play, curtain):
    gone = SQUAD.replace('"K5"', '"S5"') + '[[unit.move]]\nmoment = 9\nto = "S4"\n'
    game = smoky(play(battery('no_ground = ["L5"]\n'), gone), *curtain)
    met = {"requests__met": (at(game, "K5"),)}
    game.stand(stage=Stage.FALLING, impact=at(game, "L5"), areas__resolved=True, **met, **ON_HAND)
    assert game.refused(Order.of("leave")) is None
    game.stand(
        stage=Stage.FALLING,
        impact=at(game, "L5"),
        areas__resolved=True,
        requests__met=(),
        **ON_HAND,
    )
    assert game.refused(Order.of("leave")) == "C1.334"


# --- C1.71: SMOKE of several batteries ---------------------------------------------------------------------
def test_c1_71_dispersed_smoke_of_every_battery_leaves_before_the_next_pfph(play):
    game = play(battery(kind="smoke"), battery(name="b", kind="smoke"), SQUAD)
    values = {"stage": Stage.FALLING, "kind": FireKind.SMOKE, "fell": True, "areas__resolved": True}
    set_up(
        game, Step("core.moment"), moment=1,
        a={**values, "impact": at(game, "K5")}, b={**values, "impact": at(game, "R5")},
    )  # fmt: skip
    game.go([3, 3, 3, 3], [Order.of("leave"), Order.of("leave")])
    assert [event["strength"] for event in game.emitted("smoke")] == [2, 2]
    assert game.table.read("clock/moment", 0) == 2
    assert game.table.read("shared/areas/cells", ()) == ()


# --- C1.62: along a hexside, and above SMOKE -----------------------------------------------------------------
def hindrance(game, label):
    view = View(game.table.read, game.scenario, "observers")
    return view.scenario.parts.observers.sees(view, "a", at(game, label)).hindrance


@pytest.mark.parametrize("hexes", [["F5"], ["F6"], ["F5", "F6"]])
def test_c1_62_one_hex_of_a_hexside_hinders_and_not_both(play, hexes):
    # E6 to G6 runs along the hexside of F5 and F6.
    grain = ", ".join(f"{label} = 1" for label in hexes)
    assert hindrance(play(battery(f"hindrance = {{ {grain} }}\n"), SQUAD), "G6") == 1
    assert hindrance(smoky(play(battery(), SQUAD), *hexes), "G6") == 3


@pytest.mark.parametrize(
    ("level", "counter", "drm"),
    [
        (4, (3, False, FireKind.SMOKE), 0),
        (4, (2, True, FireKind.SMOKE), 0),
        (4, (2, False, FireKind.WP), 2),
        (4, (1, True, FireKind.WP), 1),
        (6, (2, False, FireKind.WP), 0),
        (6, (1, True, FireKind.WP), 0),
        # The type, smoke or WP, decides the height, whatever the strength.
        (4, (2, False, FireKind.SMOKE), 0),
        (4, (3, False, FireKind.WP), 3),
    ],
)
def test_c1_71_c1_62_a_los_two_levels_up_passes_over_smoke_and_four_up_over_wp(
    play, level, counter, drm
):
    # Over F5, the first of six hexes, the LOS from level 4 is at least three levels high; the LOS
    # from level 6 is more than four levels high.
    game = play(battery(f"observer_level = {level}\n"), SQUAD)
    cells = ((at(game, "F5"), *counter),)
    game.put({"shared/areas/cells": cells}, ())
    assert hindrance(game, "K3") == drm
    assert hindrance(game, "F5") == counter[0]  # the LOS ends in F5


@pytest.mark.parametrize(("calibre", "drm"), [(60, 0), (81, 1)])
def test_c1_57_shells_below_70_mm_do_not_hinder(play, calibre, drm):
    mortars = battery('weapon = "mortar"\n', name="b", calibre=calibre).replace(
        "german", "american"
    )
    game = play(battery(), mortars, SQUAD)
    set_up(game, b={"stage": Stage.FALLING, "impact": at(game, "H5")})
    assert hindrance(game, "K5") == drm


# --- C1.2, C1.5, C1.71: batteries of both sides --------------------------------------------------------------
def both_sides(play, kind="concentration", **b):
    theirs = '\n[[unit]]\nid = "their leader"\nside = "attacker"\nhex = "E6"\nhalf = true\nleader = true\nmorale = 9\n'
    return play(
        battery(kind=kind, side="defender", observer="R5"),
        battery('leader = "their leader"\n', name="b", kind=kind, side="attacker"),
        SQUAD.replace("K5", "S9"), theirs,
    )  # fmt: skip


@pytest.mark.parametrize(("moment", "first"), [(0, "a"), (1, "b")])
def test_c1_2_the_side_in_its_pfph_acts_before_the_dfph_of_the_other(play, moment, first):
    game = both_sides(play)
    values = {"stage": Stage.SPOTTING}
    set_up(
        game, Step("core.moment"), moment=moment,
        a={**values, "impact": at(game, "M9")}, b={**values, "impact": at(game, "M2")},
    )  # fmt: skip
    game.go([3, 3, 3, 3], [Order.of("leave"), Order.of("leave")])
    assert next(event["mission"] for event in game.emitted("contact")) == first
    assert game.table.read("clock/moment", 0) == moment + 1


@pytest.mark.parametrize(("moment", "lost"), [(0, True), (1, False)])
def test_c1_5_c1_61_the_ffe_of_a_pfph_is_resolved_before_the_dfph_after_it(play, moment, lost):
    # The FFE:2 of battery a covers the Observer of battery b. In a's PFPh the Observer is hit
    # before he acts; in a's DFPh he has already acted.
    game = both_sides(play)
    ffe = {"stage": Stage.FALLING, "fell": True, "areas__resolved": True, "impact": at(game, "E6")}
    set_up(
        game,
        Step("core.moment"),
        moment=moment,
        a=ffe,
        b={"stage": Stage.SPOTTING, "impact": at(game, "M2")},
    )
    leave, hit = Order.of("leave"), [1, 2]
    game.go([3, 3, *hit] if lost else [3, 3, 3, 3, *hit], [leave] if lost else [leave, leave])
    assert [event["unit"] for event in game.emitted("observer_lost")] == ["their leader"]
    assert [event["mission"] for event in game.emitted("contact")] == (
        ["a"] if lost else ["b", "a"]
    )
    # The fall and the FFE:C each come only once in the moment.
    assert len(game.emitted("fall")) == len(game.emitted("lingering")) == 1


def commanded(play):
    leader = (
        '\n[[unit]]\nid = "{}"\nside = "{}"\nhex = "{}"\nhalf = true\nleader = true\nmorale = 9\n'
    )
    return play(
        battery('leader = "theirs"\n', side="defender", observer="R5"), leader.format("theirs", "defender", "R5"),
        battery('leader = "ours"\n', name="b", side="attacker"), leader.format("ours", "attacker", "E6"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("moment", "shooter", "over", "other", "victim"),
    [(0, "a", "E6", "b", "ours"), (1, "b", "R5", "a", "theirs")],
)
def test_c1_61_whichever_battery_is_listed_first_the_pfph_may_cost_the_dfph_its_observer(
    play, moment, shooter, over, other, victim
):
    game = commanded(play)
    ffe = {"stage": Stage.FALLING, "fell": True, "areas__resolved": True, "impact": at(game, over)}
    spotted = {"stage": Stage.SPOTTING, "impact": at(game, "M2")}
    set_up(game, Step("core.moment"), moment=moment, **{shooter: ffe, other: spotted})
    game.go([3, 3, 1, 2], [Order.of("leave")])
    assert [event["unit"] for event in game.emitted("observer_lost")] == [victim]
    assert [event["mission"] for event in game.emitted("contact")] == [shooter]
    assert game.table.read(f"missions/{other}/delays/contact", None) is False


@pytest.mark.parametrize(("moment", "first", "last"), [(0, "a", "b"), (1, "b", "a")])
@pytest.mark.parametrize("held", [True, False])
def test_c1_22_a_ffe_c_without_contact_is_gone_before_the_pfph_of_the_other_side(
    play, moment, first, last, held
):
    # The FFE:C would Hinder the LOS of the side that acts first (C1.57); both sides share the RPh.
    game = commanded(play)
    there = {
        "stage": Stage.LINGERING,
        "impact": at(game, "K5"),
        "delays__access": False,
        "delays__contact": held,
    }
    spotted = {"stage": Stage.SPOTTING, "impact": at(game, "M2")}
    set_up(game, Step("core.moment"), moment=moment, **{first: spotted, last: there})
    assert (game.waits, game.table.waits_for.args) == ("delays.contact", (first,))
    assert game.table.read(f"missions/{last}/stage", None) is (
        Stage.LINGERING if held else Stage.ENDED
    )


def test_c1_22_c1_2_the_battery_whose_ffe_c_is_gone_may_call_again_in_its_dfph(play):
    game = play(battery(side="defender", observer="R5"), battery(name="b", observer="E6"), SQUAD)
    there = {
        "stage": Stage.LINGERING,
        "impact": at(game, "M5"),
        "delays__access": False,
        "delays__contact": False,
    }
    set_up(
        game, Step("core.moment"), a={"stage": Stage.SPOTTING, "impact": at(game, "M2")}, b=there
    )
    game.go([3, 3], [Order.of("roll"), Order.of("leave"), Order.of("call"), Order.of("roll")])
    assert [(event["mission"], event.cite) for event in game.emitted("ended")] == [("b", "C1.22")]
    assert [event["mission"] for event in game.emitted("requested")] == ["b"]
    assert game.waits == "contact"


def test_c1_5_each_side_resolves_its_ffe_1_and_ffe_2_once_in_each_player_turn(play):
    game = both_sides(play)
    spotted = {"stage": Stage.SPOTTING}
    set_up(
        game, Step("core.moment"),
        a={**spotted, "impact": at(game, "M9")}, b={**spotted, "impact": at(game, "M2")},
    )  # fmt: skip
    convert, leave = Order.of("convert"), Order.of("leave")
    game.go([3, 3] * 4, [convert, convert, leave, leave])
    assert [event["mission"] for event in game.emitted("fall")] == ["a", "b", "b", "a"]
    assert [event["mission"] for event in game.emitted("lingering")] == ["b", "a"]


@pytest.mark.parametrize(
    ("name", "moment", "lies"),
    [("a", 0, (3, 3, 2, 2, 0)), ("a", 1, (2, 0)), ("b", 1, (3, 3, 2, 2, 0)), ("b", 0, (2, 0))],
)
def test_c1_71_smoke_turns_before_the_pfph_of_the_side_that_placed_it(play, name, moment, lies):
    # Where the SMOKE is placed, then its strength after each Player Turn.
    game = both_sides(play, kind="smoke")
    place = at(game, "M5")

    def hindrance():
        view = View(game.table.read, game.scenario, "observers")
        return view.scenario.parts.observers.sees(view, "b", place).hindrance

    set_up(game, Step("areas.smoke", (name, (place,), FireKind.SMOKE)), moment=moment)
    found = [hindrance()]
    for later in range(moment, moment + len(lies) - 1):
        set_up(game, Step("areas.clears", ("b",)), moment=later)
        found.append(hindrance())
    assert tuple(found) == lies


def test_c1_71_c1_62_every_smoke_counter_of_a_hex_counts_and_turns_by_itself(play):
    # The WP of a PFPh has a Hindrance of 2, and the Dispersed WP of the following DFPh 1. Then the
    # first is Dispersed and the second removed.
    game = play(battery(kind="wp"), SQUAD)
    place = at(game, "M5")
    for moment, lies in ((0, 2), (1, 3)):
        set_up(game, Step("areas.smoke", ("a", (place,), FireKind.WP)), moment=moment)
        assert hindrance(game, "M5") == lies
    for moment, lies in ((1, 1), (3, 0)):
        set_up(game, Step("areas.clears", ("a",)), moment=moment)
        assert hindrance(game, "M5") == lies


@pytest.mark.parametrize(
    ("weather", "moment", "left"),
    [("rain", 1, (0, 0)), ("heavy_wind", 2, (0, 0)), ("gusts", 1, (2, 0)), ("gusts", 2, (0, 2))],
)
def test_c1_71_weather_comes_over_the_smoke_of_both_sides(play, weather, moment, left):
    # Gusts flip the full counters of both sides once. The side whose PFPh is next has already
    # flipped its own, so the gusts remove them.
    rain = f'\n[[weather_change]]\nmoment = {moment}\nto = "{weather}"\n'
    parts = (battery(kind="smoke"), battery(name="b", kind="smoke", side="defender", observer="R5"))
    game = play(*parts, SQUAD, rain)
    where = (("cells", "M5"), ("theirs", "O5"))
    lying = {name: ((at(game, label), 3, False, FireKind.SMOKE),) for name, label in where}
    updates = {f"shared/areas/{name}": value for name, value in lying.items()}
    game.table.state = State(game.table.state.values.put(tuple(updates.items())), ())
    set_up(game, Step("areas.clears", ("b",)), moment=moment - 1)
    found = [
        sum(strength for _, strength, *_ in game.table.read(f"shared/areas/{n}", ())) for n in lying
    ]
    assert tuple(found) == left


def test_c1_71_c1_62_smoke_of_both_sides_in_a_hex_hinders_by_three_at_most(play):
    game = both_sides(play, kind="smoke")
    place = at(game, "M5")
    set_up(
        game,
        *(Step("areas.smoke", (name, (place,), FireKind.SMOKE)) for name in ("a", "b")),
        moment=1,
    )
    assert {
        (len(game.table.read(f"shared/areas/{cells}", ()))) for cells in ("cells", "theirs")
    } == {1}
    view = View(game.table.read, game.scenario, "observers")
    assert view.scenario.parts.observers.sees(view, "b", place).hindrance == 3


# --- C1.82, C1.823: a Bombardment --------------------------------------------------------------------------
BOMBARDED = '\n[bombardment]\nbattery = "a"\n'


def test_c1_82_a_dummy_stack_has_no_men_to_lose_by_an_original_12(play):
    # 12 - 4 would pass, but an Original 12 fails (A10.31).
    dummy = SQUAD + "dummy = true\nconcealed = true\nmorale = 11\nentrenched = true\n"
    game = play(battery(), dummy, BOMBARDED).go([1, 2, 3, 6, 6, 6]).go([6, 6])
    assert game.emitted("dummy_gone")
    assert not game.emitted("suffered")
    assert game.waits == "scar"


def test_c1_823_no_more_than_one_shellhole_and_one_flame_in_a_hex(play):
    two = (SQUAD + 'terrain = "brush"\n') + (SQUAD + 'terrain = "brush"\n').replace(
        '"squad"', '"other"'
    )
    game = play(battery(), two, BOMBARDED).go([1, 2, 3, 6, 6, 6]).go([6, 6, 3, 6, 6, 4])
    assert len(game.emitted("shellhole")) == len(game.emitted("flame")) == 1
    # Units in another hex leave markers there too.
    apart = (
        play(battery(), two.replace('"K5"', '"M5"', 1), BOMBARDED)
        .go([1, 2, 3, 6, 6, 6])
        .go([6, 6, 3, 6, 6, 4])
    )
    assert len(apart.emitted("shellhole")) == len(apart.emitted("flame")) == 2


# --- C1.5, C1.71: units that are not attacked ----------------------------------------------------
@pytest.mark.parametrize(("immune", "waits"), [("true", "maintenance"), ("false", "phosphorus")])
def test_c1_71_c1_5_wp_does_not_affect_immune_units(play, immune, waits):
    game = play(battery(kind="wp"), SQUAD + f"immune = {immune}\n")
    game.stand(stage=Stage.SPOTTING, impact=at(game, "K5"), **ON_HAND).go([], [Order.of("convert")])
    assert game.waits == waits


@pytest.mark.parametrize(("immune", "attacked"), [("true", True), ("false", False)])
def test_c1_51_a_unit_leaving_a_sewer_is_attacked_in_its_own_hex(play, immune, attacked):
    game = play(battery(), SQUAD + f'immune = {immune}\n[[unit.move]]\nmoment = 1\nto = "K5"\n')
    set_up(
        game, Step("core.moment"), moment=1, a={"stage": Stage.FALLING, "impact": at(game, "K5")}
    )
    assert (game.waits == "entering") is attacked


# --- C1.5: Marsh takes half of HE --------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("terrain", "power", "waits"), [("marsh", 12, "task"), ("brush", 30, "morale")]
)
def test_c1_5_he_is_halved_in_marsh(play, terrain, power, waits):
    # For 150 mm a DR of 10 is a 2MC on the 30 column and a PTC on the 12 column, the highest that
    # does not exceed 15 FP.
    game = play(battery(calibre=150), SQUAD + f'terrain = "{terrain}"\n')
    game.stand(stage=Stage.SPOTTING, impact=at(game, "K5"), **ON_HAND).go(
        [4, 6], [Order.of("convert")]
    )
    assert [event["fp"] for event in game.emitted("attacks")] == [power]
    assert game.waits == waits


@pytest.mark.parametrize(("terrain", "fate"), [("brush", "burns"), ("marsh", "immobilised")])
def test_c1_55_c1_5_against_vehicles_in_marsh_as_well(play, terrain, fate):
    # For 150 mm a DR of 4, less 1 for thin armour, hits the hull. The 3 is half the K number of the
    # 30 column (6), and equals that of the 12 column.
    tank = (
        SQUAD.replace("squad", "tank") + f'kind = "afv"\narmour = "thin"\nterrain = "{terrain}"\n'
    )
    game = play(battery(calibre=150), tank)
    game.stand(stage=Stage.SPOTTING, impact=at(game, "K5"), **ON_HAND).go(
        [3, 1], [Order.of("convert")]
    )
    assert [event["how"] for event in game.emitted("suffered")] == [fate]


@pytest.mark.parametrize(
    ("squad", "terrain", "cut"),
    [(True, "marsh", 0), (True, "brush", 1), (False, "marsh", 0), (False, "brush", 1)],
)
def test_c1_23_c1_5_an_original_kia_over_a_line_in_marsh_is_by_half_the_he(
    play, squad, terrain, cut
):
    # For 150 mm a DR of 4 is 2KIA on the 30 column and a 3MC on the 12 column.
    ground = f'\n[[hex]]\nhex = "D6"\nterrain = "{terrain}"\n'
    there = SQUAD.replace("K5", "D6") + f'terrain = "{terrain}"\n' if squad else SQUAD
    game = play(
        battery(PHONE),
        battery(name="b", side="defender", observer="R5", calibre=150),
        there,
        ground,
    )
    game.table.state = State(
        game.table.state.values.put((("missions/b/impact", at(game, "D6")),)),
        (Step("resolution.strike", ("b", at(game, "D6"), Shot())),),
    )
    game.table._advance()
    game.go([1, 3])
    assert len(game.emitted("line_cut")) == cut


def test_c1_51_c1_5_a_unit_that_has_left_the_marsh_is_attacked_in_full(play):
    for start, terrain, waits in (("marsh", "open", "morale"), ("open", "marsh", "task")):
        way = f'terrain = "{start}"\n[[unit.move]]\nmoment = 1\nto = "K6"\nterrain = "{terrain}"\n'
        game = play(battery(calibre=150), SQUAD + way)
        values = {"stage": Stage.FALLING, "impact": at(game, "K6"), "areas__resolved": True}
        set_up(game, Step("core.moment"), moment=1, a=values).go([4, 6])
        assert game.waits == waits


def test_c1_53_c1_5_a_critical_hit_in_marsh_is_doubled_and_halved(play):
    # For 150 mm, 60 FP use the 36 column with a DRM of -3, as charted; halved, 30 FP have no DRM.
    shell = ShellEffects(30, 0, 36, -3)
    for marsh, wanted in ((True, (Fraction(30), 0)), (False, (Fraction(36), -3))):
        force = play(battery(), SQUAD).scenario.parts.resolution.force
        power, drm = force(shell, UnitProfile(7, marsh=marsh), Fraction(1), critical=True)
        assert (felt(UnitProfile(7, marsh=marsh), power, 2), drm) == wanted


@pytest.mark.parametrize("terrain", ["open", "wall", "stone_building"])
def test_c1_53_c1_55_a_critical_hit_on_an_afv_leaves_tem_out(play, terrain):
    # For 75 mm, on 24 FP, a 2 plus 1 for thick armour is 3: a KIA, but more than half the K number
    # of 5, so the tank does not burn.
    tank = (
        SQUAD.replace("squad", "tank") + f'kind = "afv"\narmour = "thick"\nterrain = "{terrain}"\n'
    )
    game = play(battery(calibre=75), tank)
    game.stand(stage=Stage.SPOTTING, impact=at(game, "K5"), **ON_HAND).go(
        [1, 1], [Order.of("convert")]
    )
    assert [event["how"] for event in game.emitted("suffered")] == ["destroyed"]


def test_c1_53_c1_52_levels_above_protect_from_a_critical_hit_as_usual(play):
    # On 24 FP (75 mm) the TEM of 3 is reversed, but the eight levels are not: 2 - 3 + 8 is 7, a
    # 3MC.
    game = play(battery(calibre=75), SQUAD + 'terrain = "stone_building"\nlevels_above = 8\n')
    game.stand(stage=Stage.SPOTTING, impact=at(game, "K5"), **ON_HAND).go(
        [1, 1], [Order.of("convert")]
    )
    assert game.waits == "morale"
    assert not game.emitted("suffered")


def test_c1_53_beside_a_critical_hit_the_drm_of_the_normal_attack_counts(play):
    # For 120 mm the attack has 24 FP without a DRM; in foxholes 2 + 4 is 6, a 4MC without a K.
    two = SQUAD + SQUAD.replace("squad", "dug") + "entrenched = true\n"
    game = play(battery(calibre=120), two)
    game.stand(stage=Stage.SPOTTING, impact=at(game, "K5"), **ON_HAND).go(
        [1, 1, 6, 1], [Order.of("convert")]
    )
    assert [(event["unit"], event["how"]) for event in game.emitted("suffered")] == [
        ("squad", "eliminated")
    ]
    assert game.waits == "morale"


def test_c1_53_c1_55_an_original_2_affects_no_more_vehicles_than_the_column_may(play):
    # Harassing Fire of 70+ mm has 4 FP, which affects at most two vehicles besides the one that
    # takes the Critical Hit.
    cars = "".join(SQUAD.replace("squad", f"car{n}") + 'kind = "unarmoured"\n' for n in range(5))
    game = play(battery(kind="harassing", calibre=75), cars)
    game.stand(stage=Stage.SPOTTING, impact=at(game, "K5"), **ON_HAND)
    game.go([1, 1, 6, 1, 1, 1, 1, 6, 5, 1, 1], [Order.of("convert")])
    assert [event["unit"] for event in game.emitted("suffered")] == ["car0", "car1", "car2"]


# --- limits: just inside and just outside --------------------------------------------------------
@pytest.mark.parametrize(
    ("label", "known"), [("K5", True), ("K6", True), ("L5", True), ("K7", False), ("M5", False)]
)
def test_c1_333_a_known_enemy_is_in_the_hex_or_next_to_it_and_not_two_hexes_off(play, label, known):
    game = play(battery('no_ground = ["K6", "K7", "L5", "M5"]\n'), SQUAD)
    view = View(game.table.read, game.scenario, "observers")
    assert view.scenario.parts.observers.sees(view, "a", at(game, label)).known_enemy is known
    game.stand(stage=Stage.SPOTTING, impact=at(game, label), **ON_HAND)
    assert game.refused(Order.of("convert")) == (None if known else "C1.333")


@pytest.mark.parametrize(("smoke", "seen"), [((3, 2), True), ((3, 3), False)])
def test_c1_3_c1_62_five_of_hindrance_leave_a_height_in_los_and_six_do_not(play, smoke, seen):
    # The ground of K6 is behind a hill; its upper level is seen, and so are a squad there and an
    # AR.
    hill = 'hex = [{ hex = "E6", level = 1 }, { hex = "J6", level = 1 }, { hex = "J5", level = 1 },'
    hill += ' { hex = "K6", upstairs = 1, terrain = "stone_building" }]\n'
    game = play(hill, battery("observer_level = 1\n"), SQUAD.replace("K5", "K6") + "level = 1\n")
    cells = tuple(
        (at(game, label), each, False, FireKind.WP)
        for label, each in zip(("G6", "I6"), smoke, strict=True)
    )
    game.put({"shared/areas/cells": cells}, ())
    view = View(game.table.read, game.scenario, "observers")
    observers = view.scenario.parts.observers
    sight = observers.sees(view, "a", at(game, "K6"))
    assert (sight.ground, sight.hindrance) == (False, sum(smoke))
    assert (sight.upper, sight.known_enemy) == (seen, seen)
    assert observers.enemies(view, "a", known=True) == (("squad",) if seen else ())
    past = observers.sees_past_smoke(view, "a", at(game, "K6"))
    assert (past.upper, past.known_enemy, past.hindrance) == (True, True, 0)
    # Each single question about the LOS has the same answer as the full one.
    for place in view.frame.places():
        whole, past = (
            look(view, "a", place) for look in (observers.sees, observers.sees_past_smoke)
        )
        assert observers.partly(view, "a", place) is whole.partly
        assert observers.hindrance(view, "a", place) == whole.hindrance
        bursts = [observers.burst(view, "a", place, smoke=smoke) for smoke in (True, False)]
        assert bursts == [whole.burst, past.burst]
    game.stand(stage=Stage.DELAYED, **ON_HAND).go([], [Order.of("place", at=at(game, "K6"))])
    assert bool(game.emitted("unseen")) is not seen


# --- between moments, as the first side sees it --------------------------------------------------
MOVERS = """
[[unit]]
id = "theirs"
side = "defender"
hex = "S9"
[[unit.move]]
moment = {moment}
to = "S8"

[[unit]]
id = "ours"
side = "attacker"
hex = "A9"
[[unit.move]]
moment = {moment}
to = "A8"
"""


@pytest.mark.parametrize("moment", [1, 2])
def test_c1_51_units_move_between_the_moments_those_of_the_first_side_before_the_others(
    play, moment
):
    game = play(battery(), battery(name="b"), MOVERS.format(moment=moment))
    set_up(game, Step("core.moment"), moment=moment)
    moved = [
        (entry.moment, entry.event["unit"])
        for entry in game.table.log
        if entry.event.kind == "enters"
    ]
    assert moved == [(moment, "ours"), (moment, "theirs")]


@pytest.mark.parametrize(("moment", "order"), [(0, "abcd"), (1, "cdab")])
def test_c1_2_all_batteries_of_the_side_in_its_pfph_act_and_are_resolved_before_any_of_the_other(
    play, moment, order
):
    sides = {
        "a": ("attacker", "E6"),
        "b": ("attacker", "E6"),
        "c": ("defender", "R5"),
        "d": ("defender", "R5"),
    }
    # The batteries are interleaved, so that the file's order is not that of the phases; the first
    # battery's side is the first side.
    game = play(
        *(battery(name=n, side=sides[n][0], observer=sides[n][1]) for n in "acbd"),
        SQUAD.replace("K5", "A1"),
    )
    places = dict(zip("abcd", ("I5", "M5", "G5", "O5"), strict=True))
    values = {"stage": Stage.FALLING, "fell": True}
    set_up(
        game, Step("core.moment"), moment=moment,
        **{name: {**values, "impact": at(game, label)} for name, label in places.items()},
    )  # fmt: skip
    game.go([3, 3] * 4, [Order.of("leave")] * 4)
    said = [
        (e.event.kind, e.event["mission"])
        for e in game.table.log
        if e.event.kind in ("contact", "fall")
    ]
    first, last = order[:2], order[2:]
    assert said == [
        (kind, name) for side in (first, last) for kind in ("contact", "fall") for name in side
    ]


# --- night and aircraft over the Artillery Request -----------------------------------------------------------
OPEN = "concealed = true\n"
PLANE = '\n[[unit]]\nid = "plane"\nside = "defender"\nhex = "K5"\nkind = "aircraft"\n'


@pytest.mark.parametrize(
    ("form", "units", "extra"),
    [
        ("", SQUAD + OPEN, False),  # by day concealed units in the open are Known
        ("night = true\n", SQUAD + OPEN, True),
        ("night = true\n", SQUAD, False),
        (
            "night = true\n",
            SQUAD + OPEN + SQUAD.replace("squad", "other").replace("K5", "K6"),
            False,
        ),
        ("night = true\n", SQUAD + "hidden = true\n", False),
        ("", PLANE, False),  # no ground unit is in the hex
        # No Known ground unit is in the hex.
        ("", PLANE + SQUAD + OPEN + "concealment_terrain = true\n", True),
        ("", PLANE + SQUAD, False),
    ],
)
def test_c1_21_c1_6_the_extra_chit_at_night_and_under_enemy_aircraft(play, form, units, extra):
    game = play(form, battery(), units)
    game.stand(stage=Stage.DELAYED, **ON_HAND).go([], [Order.of("place", at=at(game, "K5"))])
    assert game.waits == ("extra" if extra else "accuracy")


@pytest.mark.parametrize("terrain", ["concealment_terrain = true\n", ""])
def test_c1_21_a_dummy_stack_out_of_sight_calls_for_an_extra_chit_as_a_unit_would(play, terrain):
    """A Dummy counts as a ground unit until it is revealed; in the open and in LOS it is Known
    (C1.6).
    """
    game = play(battery(), SQUAD + "dummy = true\nconcealed = true\n" + terrain)
    game.stand(stage=Stage.DELAYED, **ON_HAND).go([], [Order.of("place", at=at(game, "K5"))])
    assert game.waits == ("extra" if terrain else "accuracy")


@pytest.mark.parametrize("kind", ["weapon", "gun"])
@pytest.mark.parametrize(("reading", "extra"), [("no units", False), ("units", True)])
def test_c1_21_an_unpossessed_weapon_is_a_ground_unit_by_one_reading(play, kind, reading, extra):
    lies = (
        PLANE.replace("plane", "mmg").replace("aircraft", kind)
        + OPEN
        + "concealment_terrain = true\n"
    )
    game = play(f'options = {{ unmanned_weapons = "{reading}" }}\n', battery(), lies)
    game.stand(stage=Stage.DELAYED, **ON_HAND).go([], [Order.of("place", at=at(game, "K5"))])
    assert game.waits == ("extra" if extra else "accuracy")


def test_c1_333_an_aircraft_is_not_a_known_enemy_in_a_location(play):
    game = play(battery('no_ground = ["K5"]\n'), PLANE)
    game.stand(stage=Stage.SPOTTING, impact=at(game, "K5"), **ON_HAND)
    assert [game.refused(Order.of(verb)) for verb in ("leave", "convert")] == [None, "C1.333"]


def test_c1_5_c1_51_c1_82_aircraft_are_attacked_by_nothing(play):
    flies = PLANE + '[[unit.move]]\nmoment = 1\nto = "K6"\n'
    game = play('bombardment = { battery = "a" }\n', battery(), flies)
    game.stand(Step("resolution.strike", ("a", at(game, "K5"), Shot(FireKind.HE, Fraction(1)))))
    assert game.waits != "effect"
    moved = set_up(play(battery(), flies), Step("core.moment"), moment=1, a={
        "stage": Stage.FALLING, "impact": at(game, "K6"), "fell": True,
    })  # fmt: skip
    assert [event["unit"] for event in moved.emitted("enters")] == ["plane"]
    assert moved.waits != "entering"
    assert moved.scenario.target_strength == 0


def test_c1_6_a_scenario_at_night_notes_its_assumptions(play):
    game = play("night = true\n", battery(), SQUAD)
    assert [note for note in game.scenario.provenance if note.startswith("night")] == [
        "night: no concealed unit is Known (C1.6); how far Observers see (E1) must be declared"
    ]


def test_c1_62_the_accuracy_of_an_ar_depends_on_no_unit(play):
    """The Accuracy dr depends on Hindrances, not on whether an enemy near the AR is Known."""
    as_they_stand = 'options = { known_enemies = "as they stand" }\n'
    game = play(as_they_stand, battery("hindrance = { H6 = 1 }\n"), SQUAD)
    compiler = Compiler(game.scenario)
    build_chain(compiler, apart=True, spliced=True, horizon=2, moments=2)
    read_by = {
        step.name: compiler.keys(step) for step in compiler.compiled if isinstance(step, Step)
    }
    # Releasing the fire reads the enemy units (C1.21); landing it does not.
    assert any(key.startswith("units/squad/") for key in read_by["core.release"])
    assert not any(key.startswith("units/") for key in read_by["areas.land"])
    # A broken enemy stays in play (C1.21); an eliminated one does not.
    assert not any(key.endswith("/broken") for key in read_by["core.release"])
