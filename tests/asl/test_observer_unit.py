"""The Observer as a unit, his radio and his phone: C1.2, C1.6, C1.61, C1.22, C1.23, C1.54."""

from __future__ import annotations

import pytest
from support_asl import ON_HAND, at, read

from fireplan.solver import Analysis, FirstFall
from fireplan_core import FireKind, Order, Reason, Shot, Stage, Step, View
from fireplan_core.files import FileError

TEXT = """
game = "asl"
title = "A leader with a radio"
moments = 8
date = 1943-07-10

[[battery]]
id = "a"
side = "german"
nationality = "german"
calibre = 76
target = "U3"
observer = "W6"
missions = ["concentration"]
leader = "Lt"
#battery

[[unit]]
id = "Lt"
side = "german"
hex = "W6"
half = true
leader = true
morale = 8
#leader

[[unit]]
id = "U3"
side = "russian"
hex = "U3"
#more
"""
SECOND = """
[[unit]]
id = "Sgt"
side = "german"
hex = "W6"
half = true
leader = true
morale = 7
"""
FAR = (5, 3)


def text(battery="", leader="", more=""):
    return TEXT.replace("#battery", battery).replace("#leader", leader).replace("#more", more)


@pytest.fixture
def play(catalogue, referee, tmp_path):
    return lambda *parts, **named: referee(read(catalogue, tmp_path, text(*parts, **named)))


def strike(game, label, faces, mission="a"):
    """Resolve fire at full strength on one hex."""
    return game.stand(Step("resolution.strike", (mission, at(game, label), Shot()))).go(faces)


def nerve(game, unit="Lt"):
    read = game.table.read
    gone = read(f"units/{unit}/resolution/size", 1) == 0
    return (
        "eliminated"
        if gone
        else "broken"
        if read(f"units/{unit}/resolution/broken", False)
        else "steady"
    )


# --- C1.2, C1.22, C1.6: who may be an Observer -----------------------------------------------------------
TANK = '[[unit]]\nid = "tank"\nside = "german"\nhex = "W6"\nkind = "afv"\n'
HORSE = '[[unit]]\nid = "horse"\nside = "german"\nhex = "W6"\nkind = "mount"\n'


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"text": ("leader = true", "leader = false")}, "C1.2"),
        ({"text": ('side = "german"\nhex = "W6"', 'side = "russian"\nhex = "W6"')}, "C1.2"),
        ({"leader": "rider = true"}, "C1.2"),
        ({"leader": 'aboard = "horse"', "more": HORSE}, "C1.2"),
        ({"leader": "prisoners = 2"}, "C1.2"),
        ({"leader": "op_tank = true"}, "C1.2"),
        ({"leader": "dummy = true"}, "C1.2"),
        ({"text": ('hex = "W6"', 'hex = "W7"')}, "C1.22"),
        ({"leader": "berserk = true"}, "C1.61"),
        ({"leader": 'aboard = "tank"\nimmune = true', "more": TANK}, "C1.6"),
        ({"leader": 'move = [{ moment = 1, to = "W7" }]'}, "C1.6"),
        ({"battery": 'link = "offboard"'}, "C1.63"),
        ({"text": ('leader = "Lt"', 'relief = ["Lt"]')}, "C1.61"),
        ({"text": ('id = "Lt"', 'id = "Major"')}, "no unit"),
    ],
)
def test_c1_2_c1_6_units_that_may_not_be_observers(catalogue, tmp_path, change, rule):
    old, new = change.pop("text", ("#nothing", ""))
    with pytest.raises(FileError, match=rf"\[{rule}\]" if rule.startswith("C") else rule):
        read(catalogue, tmp_path, text(**change).replace(old, new, 1))


@pytest.mark.parametrize(
    "change",
    [
        {"leader": "prisoners = 1"},
        {"leader": 'aboard = "tank"', "more": TANK},  # Crew Exposed (CE)
        {
            "text": (
                "half = true\nleader = true\nmorale = 8",
                'kind = "afv"\nop_tank = true\nimmune = true',
            )
        },
    ],
)
def test_c1_2_c1_6_units_that_may_be_observers(catalogue, referee, tmp_path, change):
    old, new = change.pop("text", ("#nothing", ""))
    assert (
        referee(read(catalogue, tmp_path, text(**change).replace(old, new, 1))).go().waits
        == "contact"
    )


def test_c1_2_an_attempt_is_the_observers_only_action_and_marks_him(play):
    game = play().go([6, 5])  # even a failed attempt marks the Observer
    assert [(event["unit"], event.cite) for event in game.emitted("marked")] == [("Lt", "C1.6")]
    assert game.table.state.moment == 1  # the next attempt is in the next fire phase


@pytest.mark.parametrize("word", ["hidden = true", "concealed = true"])
def test_c1_6_an_unseen_observer_is_not_marked(play, word):
    assert not play(leader=word).go([6, 5]).emitted("marked")


BOTH = """
[[battery]]
id = "b"
side = "german"
nationality = "german"
calibre = 105
target = "U3"
observer = "W6"
missions = ["concentration"]
leader = "Lt"
"""


def test_c1_6_one_radio_a_phase(play):
    game = play(more=BOTH).go([6, 5], [Order.of("call")])  # the attempt for battery a fails
    # The Observer may not try the other radio in the same phase: a roll is refused, and the
    # standard answer is to pass.
    assert game.table.state.moment == 1
    assert game.table.read("missions/b/delays/contact", False) is False
    game = play(more=BOTH)
    game.table.state = game.table.state.__class__(
        game.table.state.values.put(
            (("units/Lt/delays/radio", "a"), ("missions/b/stage", Stage.REQUESTED))
        ),
        (Step("delays.attempt", ("b",)),),
    )
    game.table._advance()
    assert game.refused(Order.of("roll")) == "C1.6"
    assert game.refused(Order.of("pass")) is None


def test_c1_6_going_along_with_a_rout_loses_contact_of_his_own_will(play):
    game = play()
    game.stand(Step("delays.attempt", ("a",)), stage=Stage.REQUESTED)
    assert game.refused(Order.of("rout")) == "C1.6"  # there is no Contact to lose
    game.stand(
        Step("delays.attempt", ("a",)), stage=Stage.FALLING, impact=at(game, "U3"), **ON_HAND
    )
    game.go([], [Order.of("rout")])
    # C1.22: the Observer loses Access, and the Fire Mission with it, though he sees the FFE.
    assert [(event["reason"], event.cite) for event in game.emitted("ceased")] == [
        (Reason.CANCELLED, "C1.6")
    ]
    assert (game.get("delays/contact"), game.get("delays/access")) == (False, False)


def test_c1_6_winter_camouflage_keeps_a_concealed_unit_unknown(play):
    open_ground = "concealed = true\nconcealment_terrain = false\n"
    for extra, known in (("", True), ("winter_camouflage = true\n", False)):
        game = play(more=open_ground + extra)
        view = View(game.table.read, game.scenario, "observers")
        assert game.scenario.parts.observers.sees(view, "a", at(game, "U3")).known_enemy is known


# --- C1.61: no longer in Good Order, in every stage -------------------------------------------------------
def test_c1_61_a_broken_observer_loses_contact_and_a_pinned_one_does_not(play):
    # A 7 on 12 FP is a 1MC. The check of 8 gets +1 for the 1MC and +1 for own fire, so it exceeds
    # the Morale Level of 8.
    game = strike(play(), "W6", [3, 4, 4, 4])
    assert nerve(game) == "broken"
    assert [(event["how"], event.cite) for event in game.emitted("observer_lost")] == [
        ("broken", "C1.61")
    ]
    game = strike(play(), "W6", [3, 4, 2, 4])  # 6 + 2 = 8 just passes and pins
    assert [event["severity"].name for event in game.emitted("suffered")] == ["SUPPRESSED"]
    assert (nerve(game), game.emitted("observer_lost")) == ("steady", [])


def test_c1_61_an_eliminated_observer(play):
    game = strike(play(), "W6", [1, 2])  # a 3 on 12 FP is a K/3, which kills a leader
    assert nerve(game) == "eliminated"


def without(game, stage, **values):
    """Return the table at a moment that opens with the Observer broken and an SR or FFE far from
    every unit.
    """
    table = game.table
    updates = {"units/Lt/resolution/broken": True, "missions/a/stage": stage}
    updates |= {
        f"missions/a/{name.replace('__', '/')}": value
        for name, value in {**ON_HAND, **values}.items()
    }
    if stage is not Stage.DELAYED:
        updates["missions/a/impact"] = FAR
    table.state = table.state.__class__(
        table.state.values.put(tuple(updates.items())), (Step("core.moment"),)
    )
    table._advance()
    return game


def test_c1_61_broken_with_a_sr_on_the_map_the_sr_stays(play):
    game = without(play(), Stage.SPOTTING)
    assert (game.waits, game.table.waits_for.who) == ("delays.observer", "referee")
    game.go([], [Order.of("nobody")])
    assert (game.get("stage"), game.get("impact"), game.get("delays/access")) == (
        Stage.SPOTTING,
        FAR,
        True,
    )
    assert game.get("delays/contact") is False
    # Every phase asks again, and no roll is ever made.
    assert {given.question for given in game.table.journal} == {"delays.observer"}


@pytest.mark.parametrize(("resolved", "phases"), [(False, 2), (True, 1)])
def test_c1_61_broken_with_a_ffe_on_the_map_it_is_resolved_until_it_is_a_ffe_c(
    play, resolved, phases
):
    game = without(play(), Stage.FALLING, areas__resolved=resolved).go([], [Order.of("nobody")])
    assert len(game.emitted("fall")) == phases
    assert len(game.emitted("lingering")) == 1
    # At the end of the RPh the FFE is Cancelled, because nobody has Contact (C1.22).
    assert [(event["reason"], event.cite) for event in game.emitted("ended")] == [
        (Reason.DELIVERED, "C1.22")
    ]


def test_c1_61_broken_before_any_counter_is_on_the_map(play):
    game = without(play(), Stage.DELAYED).go([], [Order.of("nobody")])
    assert (game.get("stage"), game.get("delays/access"), game.get("delays/contact")) == (
        Stage.DELAYED,
        False,
        False,
    )


def test_c1_61_restored_to_good_order_he_makes_contact_afresh(play):
    game = without(play(), Stage.SPOTTING).go([], [Order.of("rallied")])
    assert nerve(game) == "steady"
    assert game.table.read("units/Lt/resolution/broken", True) is False
    assert game.waits == "contact"  # a new Contact DR, instead of Maintenance


def test_c1_61_another_leader_may_take_the_radio(play):
    game = without(play('relief = ["Sgt"]', more=SECOND), Stage.SPOTTING)
    assert game.refused(Order.of("relief", unit="Lt")) == "C1.61"  # the Observer himself is broken
    assert game.refused(Order.of("relief", unit="U3")) == "C1.2"
    game.go([], [Order.of("relief", unit="Sgt")])
    assert (game.get("delays/hand"), game.waits) == (1, "contact")
    game.go([4, 4])
    assert [event["unit"] for event in game.emitted("marked")] == ["Sgt"]
    # From now on the new Observer's Good Order counts.
    assert nerve(strike(game, "W6", [1, 1, 6, 1]), "Sgt") in ("eliminated", "broken")


def test_c1_61_the_dead_do_not_rally(play):
    game = without(play(), Stage.SPOTTING)
    state = game.table.state
    game.table.state = state.__class__(
        state.values.put((("units/Lt/resolution/size", 0),)), state.agenda
    )
    assert game.refused(Order.of("rallied")) == "C1.61"


def test_c1_61_the_side_may_say_that_something_else_has_broken_him(play):
    game = play()
    game.stand(Step("delays.attempt", ("a",)), stage=Stage.FALLING, impact=FAR, **ON_HAND)
    game.go([], [Order.of("disorder")])
    assert game.emitted("observer_lost")[0].cite == "C1.61"
    # The Observer loses Contact involuntarily, though he does not see the FFE, so Access stays.
    assert (game.get("stage"), game.get("delays/access"), game.get("delays/contact")) == (
        Stage.FALLING,
        True,
        False,
    )


def test_c1_63_nothing_befalls_an_offboard_observer(catalogue, referee, tmp_path):
    content = text('link = "offboard"').replace('leader = "Lt"\n', "", 1)
    game = referee(read(catalogue, tmp_path, content))
    game.stand(Step("delays.attempt", ("a",)), stage=Stage.SPOTTING, impact=FAR, **ON_HAND)
    assert game.refused(Order.of("disorder")) == "C1.63"
    assert game.scenario.missions["a"].facts["delays"].crew == ()


# --- C1.54: own fire on the Observer ---------------------------------------------------------------------
@pytest.mark.parametrize(("accuracy", "exempt"), [([1], True), ([5, 4, 1], False)])
def test_c1_54_an_observer_under_the_fire_that_he_put_there_accurately(play, accuracy, exempt):
    # An AR next to the Observer: an error of one hex to the south also hits him.
    game = play().go([3, 4, "black", *accuracy], [Order.of("place", at=at(play(), "W5"))])
    assert (game.get("areas/drawn_by") == "Lt") is exempt
    game = strike(game, "W6", [3, 4])  # the result is a 1MC
    assert game.waits == "morale"
    game.go([2, 2])
    assert ("C1.54" in [e.cite for e in game.emitted("modifier") if e["value"]]) is not exempt


@pytest.mark.parametrize(("word", "lower"), [("", 1), ("heroic = true", 0)])
def test_c1_54_heroes_do_not_mind_own_fire(play, word, lower):
    game = strike(play(leader=word), "W6", [3, 4, 2, 2])
    assert [e["value"] for e in game.emitted("modifier") if e.cite == "C1.54"] in (
        [lower],
        [] if not lower else [lower],
    )


def test_c1_54_berserk_units_do_not_mind_own_fire(play):
    berserk = (
        SECOND.replace('"Sgt"', '"hero"').replace('hex = "W6"', 'hex = "A5"') + "berserk = true\n"
    )
    game = strike(play(more=berserk), "A5", [3, 4, 2, 2])
    assert not [e for e in game.emitted("modifier") if e.cite == "C1.54" and e["value"]]


# --- C1.23: the Security Area ----------------------------------------------------------------------------
PHONE = """
game = "asl"
title = "A phone in E5"
moments = 8
date = 1943-07-10

[[battery]]
id = "a"
side = "german"
nationality = "german"
calibre = 76
target = "U3"
observer = "E5"
missions = ["concentration"]
link = "field_phone"
#edge

[[battery]]
id = "r"
side = "russian"
nationality = "russian"
calibre = 120
target = "E7"
observer = "K5"
missions = ["concentration", "smoke"]

[[unit]]
id = "U3"
side = "russian"
hex = "U3"
"""


def phone(catalogue, referee, tmp_path, edge):
    return referee(
        read(
            catalogue, tmp_path, PHONE.replace("#edge", f'friendly_edge = "{edge}"' if edge else "")
        )
    )


@pytest.mark.parametrize(
    ("edge", "area"),
    [
        ("high numbers", "E5 E6 E7 E8 E9 E10"),
        ("low numbers", "E5 E4 E3 E2 E1"),
        ("first hexrow", "E5 D5 C5 B5 A5"),
    ],
)
def test_c1_23_the_worked_example_of_the_security_area(catalogue, referee, tmp_path, edge, area):
    game = phone(catalogue, referee, tmp_path, edge)
    line = game.scenario.missions["a"].facts["delays"].line
    assert [
        game.scenario.frame.label(game.scenario.units[unit].place) for unit in line
    ] == area.split()


def test_c1_23_an_original_kia_in_the_security_area_cuts_the_line(catalogue, referee, tmp_path):
    game = phone(catalogue, referee, tmp_path, "high numbers")
    strike(game, "E8", [1, 3], "r")  # a 4 on 24 FP is a 1KIA
    assert [event.cite for event in game.emitted("line_cut")] == ["C1.23"]
    game.go([4, 5])  # the next PFPh is the other side's, which makes no contact
    ended = [(event["mission"], event["reason"], event.cite) for event in game.emitted("ended")]
    assert ended == [("a", Reason.LOST, "C1.23")]


@pytest.mark.parametrize(("label", "dice"), [("E8", [2, 3]), ("D5", [1, 3])])
def test_c1_23_a_lesser_dr_or_another_hex_does_not(catalogue, referee, tmp_path, label, dice):
    game = phone(catalogue, referee, tmp_path, "high numbers")
    strike(game, label, dice if label == "E8" else [], "r")
    assert not game.emitted("line_cut")
    assert not game.emitted("ended")


def test_c1_23_smoke_does_not_cut_the_line(catalogue, referee, tmp_path):
    game = phone(catalogue, referee, tmp_path, "high numbers")
    game.stand(Step("resolution.strike", ("r", at(game, "E8"), Shot(FireKind.SMOKE))))
    assert not game.emitted("line_cut")


def test_c1_23_an_original_2_of_the_opponent_is_declared_and_a_radio_has_no_line(
    catalogue, referee, tmp_path, play
):
    game = phone(catalogue, referee, tmp_path, "high numbers").go([], [Order.of("cut")])
    assert [(event["reason"], event.cite) for event in game.emitted("ended")] == [
        (Reason.LOST, "C1.23")
    ]
    radio = play().stand(Step("delays.attempt", ("a",)), stage=Stage.REQUESTED)
    assert radio.refused(Order.of("cut")) == "C1.23"


def test_c1_23_only_a_phone_has_a_security_area_and_a_phone_without_one_is_reported(
    catalogue, referee, tmp_path
):
    with pytest.raises(FileError, match=r"\[C1\.23\]"):
        read(catalogue, tmp_path, text('friendly_edge = "low numbers"'))
    notes = phone(catalogue, referee, tmp_path, "").scenario.provenance
    assert any("its line cannot be cut" in note for note in notes)


# --- exact answers with an Observer who can be lost ------------------------------------------------------
def test_c1_61_an_observer_out_of_reach_changes_nothing_and_stays_apart(catalogue, tmp_path):
    # Far from the fire the Observer is never hit, so the mission is solved separately from its
    # targets, with the same answer.
    unit = Analysis(read(catalogue, tmp_path, text()), 4)
    nobody = Analysis(read(catalogue, tmp_path, text().replace('leader = "Lt"\n', "", 1)), 4)
    assert unit.separable
    assert unit.solve(FirstFall()).shares == nobody.solve(FirstFall()).shares


def test_c1_61_an_observer_at_the_target_may_be_lost_and_is_solved_with_it(catalogue, tmp_path):
    near = text().replace('observer = "W6"', 'observer = "U4"').replace('hex = "W6"', 'hex = "U4"')
    shelled = Analysis(read(catalogue, tmp_path, near), 3)
    assert not shelled.separable
    assert sum(shelled.solve(FirstFall()).shares.values()) == 1
