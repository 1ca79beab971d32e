"""The supplement: jamming stated instead of drawn as chits, and fire at a target with three Target
markers (26).
"""

from fractions import Fraction

import pytest
from support_battlegroup_clash import CALL, EYES, FLY, FOOT, FPV, GUNS, MORTAR, PLAN, TUBES

import fireplan as fp
from fireplan.cli import main
from fireplan_battlegroup_clash import GAME
from fireplan_core import CannotStageError

COMMS, DRONE = {"side": "blue", "what": "comms"}, {"side": "blue", "what": "drone"}
NO_FIRE = ("requests.fire", "cancel")
REWRITE = ("requests.plan", "rewrite", {"by": "blue", "asset": "one", "at": (25_000, -22_000)})


def fire(marker=0, *rest):
    """Return the order to fire at the target."""
    return (
        "requests.fire",
        "fire",
        {"by": "blue", "target": "target", "marker": marker, "chit": 0},
        *rest,
    )


def supplement(lay, units, assets, *jamming, **options):
    """Stage a scenario under the supplement."""
    return lay(units, assets, (), jamming, **{"ew": "supplement", **options})


def reason(run):
    """Return the reason for which each fire ended."""
    return [event["reason"].value for event in run.events("ended")]


# --- jammed signals ----------------------------------------------------------------------------------
@pytest.mark.parametrize("die", range(1, 7))
@pytest.mark.parametrize(
    ("asset", "plan", "tokens"), [(GUNS, PLAN, 1), (GUNS, (), 3), (MORTAR, (), 3), (FPV, (), 3)]
)
def test_clause_26_a_jammed_signal_fails_on_1_to_3_and_keeps_its_mission(
    lay, drive, asset, plan, tokens, die
):
    scenario = supplement(lay, [FOOT, EYES, TUBES], [{**asset, "plan": plan}], COMMS)
    run = drive(scenario, [CALL, fire()], comms=(die,))
    failed = die <= 3
    assert (reason(run), run.left("one")) == ((["denied"], 5) if failed else (["delivered"], 4))
    assert run.tokens("red") == tokens
    assert len(run.events("hits")) == (0 if failed else 1)
    assert run.events("foiled") == ([{"side": "blue"}] if failed else [])
    assert run.of("target", "morale") == ("good" if failed else "suppressed")


def test_clause_26_half_of_the_fire_outside_the_plan_fails_and_all_of_it_makes_three_tokens():
    """Infantry in dense wood that a fire support team sees takes one, two or three hits with
    probability 1/6, 5/12 and 5/12; jamming halves each probability.
    """
    woods = fp.position("fp1 woods@battlegroup_clash(option:ew=supplement option:jammed=comms)")
    chance = {
        hits: woods.chance(fp.happens("hits", hits=hits), by="turn 1").chance for hits in (1, 2, 3)
    }
    assert chance == {1: Fraction(1, 12), 2: Fraction(5, 24), 3: Fraction(5, 24)}
    assert woods.chance(fp.happens("foiled"), by="turn 1").chance == Fraction(1, 2)
    assert woods.chance(fp.happens("signature", tokens=3), by="turn 1").chance == 1
    # The fire that failed is repeated in the next turn, because the asset keeps its mission; the
    # other side reveals its three tokens.
    assert woods.chance(fp.happens("hits"), by="turn 2").chance == Fraction(3, 4)
    assert woods.chance(fp.happens("token", value=0), by="turn 2").chance == 1 - Fraction(220, 560)


def test_clause_26_jamming_is_rolled_again_each_turn():
    """Each of three turns is jammed with probability 1/2, so the chance of at least one attack is 1
    - 1/8.
    """
    woods = fp.position("fp1 woods@battlegroup_clash(option:ew=supplement option:jammed=comms)")
    assert woods.chance(fp.happens("hits"), by="turn 3").chance == Fraction(7, 8)


def test_clause_26_missions_that_are_kept_last_until_they_are_fired():
    """The only fire mission has been fired after four turns with probability 1 - 1/16."""
    woods = fp.position(
        "fp1 woods@battlegroup_clash(option:ew=supplement option:jammed=comms number:missions=1)"
    )
    assert woods.chance(fp.happens("hits"), by="turn 4").chance == Fraction(15, 16)
    assert woods.chance(fp.happens("ended", reason="exhausted"), by="turn 1").chance == Fraction(
        1, 2
    )


def test_decision_21_fire_without_tokens_is_not_jammed(lay, drive):
    jammed = supplement(lay, [FOOT, EYES], [{**FPV, "plan": PLAN}], COMMS)
    assert drive(jammed, [FLY, CALL, fire()]).events("hits")
    basic = supplement(lay, [FOOT, EYES], [FPV], COMMS, mode="basic")
    assert drive(basic, [CALL, fire()]).events("hits")


def test_decision_21_the_second_shot_of_a_double_tap_makes_no_tokens_and_is_not_jammed(lay, drive):
    run = drive(
        supplement(lay, [FOOT, EYES], [FPV], COMMS),
        [CALL, fire(), ("requests.again", "again")],
        comms=(4,),
    )
    assert (len(run.events("hits")), run.left("one"), run.tokens("red")) == (2, 3, 3)


def test_clause_26_smoke_is_jammed_as_fire_is(lay, drive):
    smoke = ("requests.fire", "smoke", {"at": (24_500, -22_700)})
    scenario = supplement(lay, [FOOT, EYES], [{**GUNS, "plan": PLAN}], COMMS)
    foiled = drive(scenario, [CALL, smoke], comms=(3,))
    assert (foiled.events("smoke"), foiled.left("one"), foiled.tokens("red")) == ([], 5, 1)
    assert drive(scenario, [CALL, smoke], comms=(4,)).events("smoke")


@pytest.mark.parametrize(("die", "tokens"), [(3, 3), (4, 1)])
def test_clause_26_new_orders_fail_too_and_cost_their_token_and_the_turn(lay, drive, die, tokens):
    """The failed orders leave the plan where it was: three tokens in the next turn, in which nobody
    is jammed.
    """
    scenario = supplement(
        lay, [FOOT, EYES], [{**GUNS, "plan": ("E10/N10",)}], {**COMMS, "turns": (1,)}
    )
    activate = ("requests.activate", "fire", {"by": "blue", "asset": "one"}, "5")
    over = ("requests.activate", "pass", {"by": "blue"})
    run = drive(scenario, [REWRITE, activate, over, CALL, fire()], turns=2, comms=(die,))
    assert run.events("orders") == [{"side": "blue", "other": "red"}]
    assert len(run.events("token")) == 1
    assert [event["tokens"] for event in run.events("signature")] == [tokens]
    assert len(run.events("foiled")) == (1 if die == 3 else 0)


def test_clause_26_natos_free_orders_make_no_token_and_are_not_jammed(lay, drive):
    options = {"mode": "advanced", "free_assets": True}
    run = drive(
        supplement(lay, [FOOT, EYES], [GUNS], {**COMMS, "turns": (2,)}, **options),
        [REWRITE, CALL, fire()],
    )
    assert run.tokens("red") == 1
    always = supplement(lay, [FOOT, EYES], [{**FPV, "plan": ()}], COMMS, **options)
    # The target is inside the new plan, so the fire needs no token and no roll.
    assert drive(always, [REWRITE, CALL, fire()]).events("hits")


def test_clause_26_jamming_holds_for_its_turns_and_its_side_which_may_be_its_owners(lay, drive):
    eyes = {**EYES, "id": "red eyes", "side": "red", "east": 20_000, "north": 22_500}
    units = [FOOT, EYES, {**FOOT, "id": "blue foot", "side": "blue", "east": 20_000}, eyes]
    assets = [GUNS, {**GUNS, "id": "red guns", "side": "red", "target": "blue foot"}]
    red_calls = ("requests.activate", "fire", {"by": "red", "asset": "red guns"})
    red_fires = (
        "requests.fire",
        "fire",
        {"by": "red", "target": "blue foot", "marker": 0, "chit": 0},
    )
    script = [CALL, fire(), red_calls, red_fires]
    red = {"side": "red", "what": "comms"}
    both = drive(supplement(lay, units, assets, COMMS, red), script, comms=(1, 1))
    assert [event["side"] for event in both.events("foiled")] == ["blue", "red"]
    second = supplement(lay, units, assets, {**COMMS, "turns": (2,)})
    twice = drive(second, [*script, CALL, fire(), red_calls, red_fires], turns=2, comms=(2,))
    assert (reason(twice), len(twice.events("hits"))) == (
        ["delivered", "delivered", "denied", "delivered"],
        3,
    )


def test_decision_29_a_marker_played_on_fire_that_fails_is_gone(lay, drive):
    scenario, script = hunted(lay, 3, {**COMMS, "turns": (2, 3)}, units=[EYES])
    run = drive(scenario, [*script, CALL, fire(1)], turns=2, token=(1, 1, 1), comms=(1,))
    assert [event["marker"] for event in run.events("marker")] == [1]
    assert run.left("one") == 5


# --- a jammed drone ----------------------------------------------------------------------------------
def test_clause_26_a_jammed_drone_sees_nothing_for_the_turn(lay, drive):
    jammed = supplement(lay, [FOOT], [GUNS], {**DRONE, "turns": (1,)})
    over = ("requests.activate", "pass", {"by": "blue"})
    run = drive(jammed, [FLY, CALL, fire(0, "8"), NO_FIRE, over, CALL, fire()], turns=2)
    assert len(run.refused) == 1
    # The drone sees again in the second turn.
    assert [event["value"] for event in run.events("modifier")] == [2]


def test_clause_26_other_observers_still_see_without_the_drones_modifier(lay, drive):
    recce = {**EYES, "role": "recce"}
    with_drone = drive(supplement(lay, [FOOT, recce], [GUNS]), [FLY, CALL, fire()])
    assert sorted(event["value"] for event in with_drone.events("modifier")) == [1, 2]
    without = drive(supplement(lay, [FOOT, recce], [GUNS], DRONE), [FLY, CALL, fire()])
    assert [event["value"] for event in without.events("modifier")] == [1]


def test_clause_26_in_basic_mode_fire_costs_the_same_as_without_a_drone(lay, drive):
    run = drive(supplement(lay, [FOOT, EYES], [GUNS], DRONE, mode="basic"), [FLY, CALL, fire()])
    assert run.tokens("red") == 3


def test_clause_26_a_jammed_drone_leaves_the_engagement_without_an_observer():
    said = "drone@battlegroup_clash(electronic_warfare=no option:ew=supplement"
    blind, quiet = fp.position(f"fp1 {said} option:jammed=drone)"), fp.position(f"fp1 {said})")
    assert blind.chance(fp.happens("hits"), by="turn 1").chance == 0
    assert quiet.chance(fp.happens("hits"), by="turn 1").chance == 1


# --- three Target markers ------------------------------------------------------------------------
def hunted(lay, tokens, *jamming, units=(), **options):
    """Return a scenario in which red's fire in the first turn makes the given number of tokens, and
    its script.
    """
    mark = {**FOOT, "id": "mark", "side": "blue", "north": 40_000}
    watch = {**EYES, "id": "red eyes", "side": "red", "north": 42_000}
    red = {
        **GUNS,
        "id": "red guns",
        "side": "red",
        "target": "mark",
        "plan": ("E25/N40",) if tokens == 1 else (),
    }
    fires = ("requests.fire", "fire", {"by": "red", "target": "mark", "marker": 0, "chit": 0})
    script = [("requests.activate", "fire", {"by": "red", "asset": "red guns"}), fires]
    return supplement(lay, [FOOT, mark, watch, *units], [GUNS, red], *jamming, **options), script


@pytest.mark.parametrize(
    ("option", "marker", "adds"),
    [("one", 2, [2]), ("one", 0, []), ("all", 2, [4]), ("all", 0, [4])],
)
def test_clause_26_three_markers_on_a_target_are_fired_at_without_an_observer(
    lay, drive, option, marker, adds
):
    """The tokens are 1, 1 and 2; by decision 30 one of the markers adds its value, or all do."""
    scenario, script = hunted(lay, 3, blind_markers=option)
    run = drive(scenario, [*script, CALL, fire(marker)], turns=2, token=(1, 2, 1))
    ours = [
        event["value"] for event in run.events("modifier") if event["summary"] == "Target marker"
    ]
    assert ours == adds
    assert sorted(event["marker"] for event in run.events("marker")) == [1, 1, 2]
    assert len(run.events("hits")) == 2


def test_clause_26_a_lesser_marker_may_be_the_one_that_adds(lay, drive):
    scenario, script = hunted(lay, 3)
    run = drive(scenario, [*script, CALL, fire(1)], turns=2, token=(2, 1, 2))
    assert sorted(event["marker"] for event in run.events("marker")) == [1, 2, 2]
    assert [
        event["value"] for event in run.events("modifier") if event["summary"] == "Target marker"
    ] == [1]


def test_clause_26_two_markers_or_chits_instead_of_the_supplement_do_not_do(lay, drive):
    scenario, script = hunted(lay, 3)
    run = drive(scenario, [*script, CALL, fire(1, "8"), NO_FIRE], turns=2, token=(0, 2, 1))
    assert run.events("marker") == []
    scenario, script = hunted(lay, 3, ew="none")
    drive(scenario, [*script, CALL, fire(1, "8"), NO_FIRE], turns=2, token=(1, 2, 1))


def test_clause_26_with_an_observer_one_marker_is_played_as_usual(lay, drive):
    scenario, script = hunted(lay, 3, units=[EYES])
    run = drive(scenario, [*script, CALL, fire(2)], turns=2, token=(1, 2, 1))
    assert [event["marker"] for event in run.events("marker")] == [2]


# --- no chits, and settings that are refused -----------------------------------------------------
def test_clause_26_no_chits_are_drawn_and_tokens_become_markers_as_usual(lay, drive):
    run = drive(
        supplement(lay, [FOOT, EYES], [{**GUNS, "plan": PLAN}]), [CALL, fire()], turns=2, token=(2,)
    )
    assert run.events("drew") == []
    assert run.events("token") == [{"side": "red", "value": 2}]


def test_decision_28_jamming_without_the_supplement_is_refused(stage, lay):
    with pytest.raises(CannotStageError, match="also set ew = supplement"):
        stage("woods", jammed="comms")
    with pytest.raises(CannotStageError, match="also set ew = supplement"):
        lay([FOOT], [GUNS], (), [COMMS], ew="chits")
    notes = " ".join(stage("woods", ew="supplement", jammed="both").provenance)
    assert "the firer is jammed in every turn: both" in notes


def test_decision_28_a_scenario_that_jams_nobody_there_or_after_its_end_is_refused(
    tmp_path, capsys
):
    file = tmp_path / "wrong.toml"
    shipped = GAME.scenarios.shipped["jammed_nets"].read_text(encoding="utf-8")
    for old, new in (
        ('side = "NATO"\nwhat', 'side = "Nato"\nwhat'),
        ("[2]", "[4]"),
        ('what = "drone"', 'what = "radar"'),
    ):
        file.write_text(shipped.replace(old, new, 1), encoding="utf-8")
        assert main(["odds", str(file), "--sample", "5"]) == 2
        assert "jamming[" in capsys.readouterr().err


def test_clause_26_a_position_in_which_nobody_is_jammed_is_refused():
    said = "fp1 battlegroup_clash/jammed_nets table{jammed="
    assert fp.position(f"{said}[[NATO drone 2]]}}")
    with pytest.raises(
        fp.InputError,
        match="jammed: Nobody comms: expected one of NATO, Russia, with comms or drone",
    ):
        fp.position(f"{said}[[Nobody comms 0]]}}")
    with pytest.raises(fp.InputError, match="jammed: NATO radar"):
        fp.position(f"{said}[[NATO radar 0]]}}")
