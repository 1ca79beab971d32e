"""The numbered clauses of the sheet, one by one; each test's name carries its clause."""

from collections import Counter

import pytest
from playing_on import submit_on
from support_battlegroup_clash import EYES, FOOT, PLAN, TUBES

import fireplan as fp
from fireplan.analysis import find_engagement
from fireplan.table import Words
from fireplan_core import CannotStageError, View
from fireplan_core.chance import RandomFaces
from fireplan_core.play import (
    Catalogue,
    Table,
    Thrown,
    Variation,
    find_scenario,
    play_out,
    stage_engagement,
)
from fireplan_kit import GameSuite

RECCE = {
    "id": "eyes",
    "side": "blue",
    "role": "recce",
    "kind": "wheeled",
    "east": 24_500,
    "north": 24_000,
}
GUNS = {"id": "guns", "kind": "artillery", "target": "target"}
MORTAR = {"id": "mortar", "kind": "mortar", "unit": "tubes", "target": "target"}
FPV = {"id": "fpv", "kind": "fpv", "target": "target"}


def call(asset):
    """Return the order that activates one of blue's assets."""
    return ("requests.activate", "fire", {"by": "blue", "asset": asset})


def fire(target="target", *rest, marker=0, chit=0):
    """Return the order to fire at a unit; ``rest`` is the rule that must refuse it."""
    return ("requests.fire", "fire", {"target": target, "marker": marker, "chit": chit}, *rest)


def no_fire():
    """Return the order not to fire after all."""
    return ("requests.fire", "cancel")


class TestBattlegroupClash(GameSuite):
    """The checks of the kit, run on this game."""

    game = "battlegroup_clash"


# --- before play -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("east", "north", "inside"),
    [(24_500, 21_500, True), (26_000, 23_000, True), (26_200, 22_500, False)],
)
def test_clause_1_a_plan_covers_the_four_squares_that_meet_at_its_intersection(
    lay, drive, east, north, inside
):
    # In example 8, E25/N22 covers E24 and E25 by N21 and N22; a target in E26/N22 is outside.
    target = {**FOOT, "east": east, "north": north}
    scenario = lay(
        [target, {**RECCE, "east": east, "north": north + 2000}], [{**GUNS, "plan": PLAN}]
    )
    run = drive(scenario, [call("guns"), fire()])
    assert run.events("signature")[0]["tokens"] == (1 if inside else 3)


def test_clause_1_plans_are_sealed_before_play(lay):
    scenario = lay([FOOT], [{**GUNS, "plan": ("E25/N22", "E24/N21")}])
    (note,) = scenario.parts.requests.secret_notes(scenario)
    assert (note.side, note.says) == ("blue", "E25/N22; E24/N21")


def test_clause_1_each_turn_has_its_own_intersection_and_obliges_nobody(lay, drive):
    scenario = lay([FOOT, RECCE], [{**GUNS, "plan": ("E10/N10", "E25/N22")}])
    run = drive(scenario, [call("guns"), fire(), call("guns"), fire()], turns=2)
    assert [event["tokens"] for event in run.events("signature")] == [3, 1]
    assert drive(scenario).left("guns") == 5


def test_clause_2_an_asset_whose_plan_is_rewritten_does_not_act_that_turn_and_costs_a_token(
    lay, drive
):
    scenario = lay([FOOT, RECCE], [{**GUNS, "plan": ("E10/N10",)}])
    rewrite = ("requests.plan", "rewrite", {"by": "blue", "asset": "guns", "at": (25_000, -22_000)})
    activate = ("requests.activate", "fire", {"by": "blue", "asset": "guns"}, "5")
    run = drive(scenario, [rewrite, activate])
    assert run.events("orders") == [{"side": "blue", "other": "red"}]
    later = drive(
        scenario,
        [rewrite, ("requests.activate", "pass", {"by": "blue"}), call("guns"), fire()],
        turns=2,
    )
    assert [event["tokens"] for event in later.events("signature")] == [1]


def test_clause_2_a_plan_names_an_intersection(lay, drive):
    scenario = lay([FOOT], [GUNS])
    drive(
        scenario,
        [
            (
                "requests.plan",
                "rewrite",
                {"by": "blue", "asset": "guns", "at": (25_100, -22_000)},
                "1",
            )
        ],
    )


def test_clause_3_in_advanced_mode_russia_never_rewrites_and_does_not_fire_outside_its_plan(
    lay, drive
):
    units = [{**FOOT, "side": "blue"}, {**RECCE, "side": "red"}]
    outside = {**GUNS, "side": "red", "plan": ("E10/N10",)}
    activate = ("requests.activate", "fire", {"by": "red", "asset": "guns"})
    run = drive(lay(units, [outside], mode="advanced"), [activate, fire("target", "3"), no_fire()])
    assert len(run.refused) == 1
    asked = Counter(given.question for given in run.table.journal if hasattr(given, "question"))
    assert asked["requests.plan"] == 1  # only NATO is asked
    inside = {**outside, "plan": PLAN}
    assert drive(lay(units, [inside], mode="advanced"), [activate, fire()]).events("hits")


def test_clause_3_natos_free_rewriting_holds_for_assets_by_the_option_of_decision_6(lay, drive):
    rewrite = ("requests.plan", "rewrite", {"by": "blue", "asset": "guns", "at": (25_000, -22_000)})
    script = [rewrite, call("guns"), fire()]
    run = drive(lay([FOOT, RECCE], [GUNS], mode="advanced", free_assets=True), script)
    assert [event["tokens"] for event in run.events("signature")] == [1]
    assert run.events("orders") == []


def rewrite(asset, *rest):
    """Return the order that rewrites the plan of one of blue's assets."""
    return (
        "requests.plan",
        "rewrite",
        {"by": "blue", "asset": asset, "at": (25_000, -22_000)},
        *rest,
    )


def test_clause_3_in_advanced_mode_nato_rewrites_for_a_mortar_without_either_cost(lay, drive):
    scenario = lay([FOOT, RECCE, TUBES], [MORTAR], mode="advanced")
    run = drive(scenario, [rewrite("mortar"), call("mortar"), fire()])
    assert run.events("orders") == []
    # The target is inside the new plan.
    assert [event["tokens"] for event in run.events("signature")] == [1]


def test_clause_3_the_grace_is_for_one_a_turn_and_comes_back_with_the_next(lay, drive):
    second = {**TUBES, "id": "second tubes"}
    mortars = [MORTAR, {**MORTAR, "id": "other", "unit": "second tubes"}]
    scenario = lay([FOOT, RECCE, TUBES, second], mortars, mode="advanced")
    script = [rewrite("mortar"), rewrite("other"), (*call("other"), "5"), call("mortar"), fire()]
    run = drive(scenario, script)
    # Rewriting a second plan costs the asset its turn and a token.
    assert run.events("orders") == [{"side": "blue", "other": "red"}]
    keep = ("requests.plan", "keep", {"by": "blue"})
    twice = [rewrite("mortar"), keep, rewrite("other")]
    assert drive(scenario, twice, turns=2).events("orders") == []


def test_clause_3_standard_mode_gives_no_grace(lay, drive):
    scenario = lay([FOOT, RECCE, TUBES], [MORTAR])
    assert drive(scenario, [rewrite("mortar")]).events("orders") == [
        {"side": "blue", "other": "red"}
    ]


@pytest.mark.parametrize("areas", ["asl", "battletech"])
def test_clause_7_an_asset_does_not_fire_with_none_left_where_another_game_ends_its_fire(areas):
    """The other game's areas end the fire as delivered, whatever the asset has left."""
    catalogue = Catalogue.installed(only=("battlegroup_clash", areas))
    scenario = stage_engagement(
        catalogue, "battlegroup_clash", find_engagement("woods"), Variation(parts={"areas": areas})
    )
    table = Table(scenario, 12)
    play_out(table, RandomFaces(1))
    (left,) = (
        table.read(f"missions/{mission}/requests/left", None) for mission in scenario.missions
    )
    assert left == 0


# --- the turn --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("faces", "more", "ratings", "leads"),
    [
        ((5, 2), (0, 0), (0, 0), ["blue"]),
        ((2, 5), (0, 0), (0, 0), ["red"]),
        ((2, 4), (3, 0), (0, 0), ["blue"]),
        ((3, 3), (0, 0), (0, 1), ["red"]),
        ((3, 3, 1, 6), (0, 0), (0, 0), ["red"]),
    ],
)
def test_clause_4_the_higher_die_leads_then_the_rating_then_another_throw(
    lay, drive, faces, more, ratings, leads
):
    run = drive(lay([FOOT], [GUNS], modifiers=more, ratings=ratings), turns=2, initiative=faces)
    assert [event["side"] for event in run.events("initiative")] == leads


@pytest.mark.parametrize("name", ["causeway", "forest_edge"])
@pytest.mark.parametrize("winner", ["NATO", "Russia"])
def test_clause_4_a_six_on_the_die_of_a_side_against_a_one_gives_it_the_initiative(name, winner):
    """Each die belongs to the side it is rolled for, whichever side the scenario names first."""
    scenario, _ = find_scenario(
        Catalogue.installed(only=("battlegroup_clash",)), f"battlegroup_clash/{name}"
    )
    table = Table(scenario, 2)
    dice = RandomFaces(1)
    while getattr(table.waits_for, "name", "") != "initiative":
        submit_on(table, dice)
    names = [Words(scenario).die("initiative", die.label) for die in table.waits_for.faces]
    assert sorted(names) == ["NATO's die", "Russia's die"]
    table.submit(Thrown("initiative", tuple(6 if winner in each else 1 for each in names)))
    event = next(each.event for each in reversed(table.log) if each.event.kind == "initiative")
    assert event["side"].casefold() == winner.casefold()


def test_clause_4_the_side_with_the_initiative_chooses_who_begins(lay, drive):
    scenario = lay([FOOT, RECCE], [GUNS])
    run = drive(scenario, [("delays.lead", "second")], turns=2, initiative=(6, 1))
    second = [
        given
        for given in run.table.journal
        if getattr(given, "question", "") == "requests.activate"
    ][2:]
    assert len(second) == 2


@pytest.mark.parametrize(("near", "fires"), [([], True), ([{**FOOT, "id": "own"}], False)])
def test_clause_5_11_standard_orders_activate_an_asset_if_it_may_fire(lay, drive, near, fires):
    own = [{**unit, "side": "blue"} for unit in near]
    standard = ("requests.activate", "", {"by": "blue"})
    run = drive(lay([FOOT, EYES, *own], [GUNS]), [standard, standard])
    activations = {
        given.order.verb
        for given in run.table.journal
        if getattr(given, "question", "") == "requests.activate"
    }
    assert ("fire" in activations) is fires


def test_clause_5_sides_alternate_each_asset_acts_once_and_a_pass_ends_the_turn(lay, drive):
    units = [FOOT, RECCE, {**FOOT, "id": "blue foot", "side": "blue", "east": 20_000}]
    units.append({**RECCE, "id": "red eyes", "side": "red", "east": 20_000, "north": 22_500})
    assets = [GUNS, {**FPV, "id": "red fpv", "side": "red", "target": "blue foot"}]
    script = [
        call("guns"),
        fire(),
        ("requests.activate", "fire", {"by": "red", "asset": "red fpv"}),
        fire("blue foot"),
        ("requests.activate", "fire", {"by": "blue", "asset": "guns"}, "5"),
    ]
    run = drive(lay(units, assets), script)
    assert [event["mission"] for event in run.events("aimed")] == ["guns", "red fpv"]


def test_clause_6_a_mortar_reaches_8000_m_and_the_others_everything(lay, drive):
    near = {**TUBES, "north": 29_500}
    far = {**TUBES, "north": 29_501}
    drive(lay([FOOT, RECCE, near], [MORTAR]), [call("mortar"), fire()])
    drive(lay([FOOT, RECCE, far], [MORTAR]), [call("mortar"), fire("target", "6"), no_fire()])


def test_clause_6_a_mortar_can_be_hit_and_artillery_cannot(lay):
    with pytest.raises(AssertionError, match="only a mortar has a unit on the map"):
        lay([FOOT, TUBES], [{**GUNS, "unit": "tubes"}])


def test_clause_7_a_fire_mission_is_used_up_and_with_none_left_the_asset_does_not_fire(lay, drive):
    scenario = lay([FOOT, RECCE], [{**GUNS, "missions": 2}])
    run = drive(scenario, [call("guns"), fire(), call("guns"), fire()], turns=2)
    assert run.left("guns") == 0
    assert run.events("ended")[-1]["reason"].value == "exhausted"
    third = [call("guns"), fire()] * 2 + [
        ("requests.activate", "fire", {"by": "blue", "asset": "guns"}, "5")
    ]
    drive(scenario, third, turns=3)


# --- what is seen --------------------------------------------------------------------------------
@pytest.mark.parametrize("role", ["recce", "fst", "hq"])
def test_clause_8_artillery_needs_recce_a_fire_support_team_or_a_headquarters(lay, drive, role):
    eyes = {**RECCE, "role": role, "kind": "tracked"}
    assert drive(lay([FOOT, eyes], [GUNS]), [call("guns"), fire()]).events("hits")


@pytest.mark.parametrize("role", ["platoon", "section"])
def test_clause_8_others_do_not_observe(lay, drive, role):
    eyes = {**RECCE, "role": role, "kind": "foot"}
    drive(lay([FOOT, eyes], [GUNS]), [call("guns"), fire("target", "8"), no_fire()])


def test_clause_8_a_mortar_may_use_its_own_sight(lay, drive):
    tubes = {**TUBES, "north": 24_000}
    run = drive(lay([FOOT, tubes], [MORTAR]), [call("mortar"), fire()])
    assert run.events("modifier") == []
    assert run.events("hits")


def test_clause_8_a_section_in_a_stack_observes_from_there(lay, drive):
    carrier = {"id": "carrier", "side": "blue", "kind": "tracked", "east": 24_500, "north": 24_000}
    run = drive(
        lay([FOOT, carrier, {**RECCE, "carrier": "carrier"}], [GUNS]), [call("guns"), fire()]
    )
    assert run.events("hits")


@pytest.mark.parametrize(
    ("role", "far", "sees"),
    [("fst", 3000, True), ("fst", 3001, False), ("recce", 4000, True), ("recce", 4001, False)],
)
def test_clause_9_sight_ends_at_3000_m_and_that_of_recce_at_4000(lay, drive, role, far, sees):
    eyes = {**RECCE, "role": role, "kind": "tracked", "north": 21_500 + far}
    script = [call("guns"), fire()] if sees else [call("guns"), fire("target", "9"), no_fire()]
    drive(lay([FOOT, eyes], [GUNS]), script)


def wood(kind, north, name=0):
    """Return a patch of terrain on the line from the observer to the target."""
    return {"kind": kind, "east": 24_500 + name, "north": north, "radius": 100}


@pytest.mark.parametrize(
    ("ground", "sees"),
    [
        ((), True),
        ((wood("dense_wood", 22_500),), False),
        ((wood("urban", 22_500),), False),
        ((wood("crest", 22_500),), False),
        ((wood("light_wood", 22_500),), True),
        ((wood("light_wood", 22_500), wood("light_urban", 23_000)), False),
        ((wood("dense_wood", 21_500),), True),  # the target's own wood is not on the way
        ((wood("dense_wood", 22_500, 101),), True),
    ],
)
def test_clause_9_no_obstruction_and_one_partial_one_at_most(lay, drive, ground, sees):
    script = [call("guns"), fire()] if sees else [call("guns"), fire("target", "9"), no_fire()]
    drive(lay([FOOT, RECCE], [GUNS], ground), script)


def test_clause_9_counters_obstruct(lay, drive):
    between = {"id": "between", "side": "red", "east": 24_500, "north": 22_800}
    drive(lay([FOOT, RECCE, between], [GUNS]), [call("guns"), fire("target", "9"), no_fire()])


@pytest.mark.parametrize(
    ("role", "far", "sees"),
    [("fst", 250, True), ("fst", 251, False), ("recce", 500, True), ("recce", 501, False)],
)
def test_clause_9_near_by_nothing_obstructs(lay, drive, role, far, sees):
    eyes = {**RECCE, "role": role, "kind": "tracked", "north": 21_500 + far}
    patch = {"kind": "dense_wood", "east": 24_500, "north": 21_620, "radius": 50}
    script = [call("fpv"), fire()] if sees else [call("fpv"), fire("target", "9"), no_fire()]
    drive(lay([FOOT, eyes], [FPV], [patch]), script)


def fly(east, north):
    """Return the order to fly blue's drone to a point."""
    return ("requests.activate", "drone", {"by": "blue", "at": (east, -north)})


def test_clause_10_the_drone_sees_its_four_squares_past_everything_and_costs_no_token(lay, drive):
    ground = [{"kind": "dense_wood", "east": 24_500, "north": 21_500, "radius": 300}]
    run = drive(
        lay([FOOT], [{**GUNS, "plan": PLAN}], ground), [fly(25_000, 22_000), call("guns"), fire()]
    )
    assert run.events("drone") == [{"side": "blue", "at": (25_000, -22_000)}]
    assert [event["tokens"] for event in run.events("signature")] == [1]
    outside = [fly(27_000, 22_000), call("guns"), fire("target", "8"), no_fire()]
    drive(lay([FOOT], [GUNS], ground), outside)


def test_clause_10_the_drone_starts_off_the_map_and_moves_to_grid_intersections(lay, drive):
    drive(lay([FOOT], [GUNS]), [call("guns"), fire("target", "8"), no_fire()])
    off = ("requests.activate", "drone", {"by": "blue", "at": (25_100, -22_000)}, "10")
    drive(lay([FOOT], [GUNS]), [off])


def test_clause_10_moving_the_drone_is_an_activation_once_a_turn(lay, drive):
    again = ("requests.activate", "fire", {"by": "blue", "asset": "guns"})
    run = drive(lay([FOOT], [GUNS]), [fly(27_000, 22_000), again, no_fire()])
    assert len(run.events("drone")) == 1


# --- danger close ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("asset", "role", "far", "allowed"),
    [
        (GUNS, "platoon", 499, False),
        (GUNS, "platoon", 500, True),
        (GUNS, "recce", 249, False),
        (GUNS, "recce", 250, True),
        (MORTAR, "platoon", 249, False),
        (MORTAR, "platoon", 250, True),
        (MORTAR, "recce", 249, False),
        (FPV, "platoon", 0, True),
    ],
)
def test_clause_11_danger_close_is_a_question_of_what_may_be_ordered(
    lay, drive, asset, role, far, allowed
):
    friend = {
        "id": "friend",
        "side": "blue",
        "role": role,
        "kind": "foot" if role == "platoon" else "wheeled",
    }
    friend |= {"east": 24_500 + far, "north": 21_500}
    scenario = lay([FOOT, RECCE, TUBES, friend], [asset])
    script = (
        [call(asset["id"]), fire()]
        if allowed
        else [call(asset["id"]), fire("target", "11"), no_fire()]
    )
    drive(scenario, script)


@pytest.mark.parametrize(("friend", "allowed"), [("no friend", True), ("friend", False)])
def test_clause_11_the_firing_mortar_is_not_a_friend_by_decision_17(lay, drive, friend, allowed):
    scenario = lay([FOOT, {**TUBES, "north": 21_700}], [MORTAR], own_mortar=friend)
    drive(
        scenario,
        [call("mortar"), fire()] if allowed else [call("mortar"), fire("target", "11"), no_fire()],
    )


def test_clause_11_an_engagement_with_own_troops_too_near_is_refused_with_the_reason(stage):
    with pytest.raises(CannotStageError, match=r"and 250 m are required \(11\)"):
        stage("open_attack")
    with pytest.raises(CannotStageError, match=r"and 500 m are required \(11\)"):
        stage("woods", own_near="platoon")


# --- smoke, the double tap, digging -----------------------------------------------------------------
def test_clause_16_an_fpv_fires_at_once_again_at_the_same_unit_without_more_tokens(lay, drive):
    script = [call("fpv"), fire(), ("requests.again", "again")]
    run = drive(lay([FOOT, RECCE], [FPV]), script, attack=(6, 4, 6, 4))
    assert [event["hits"] for event in run.events("hits")] == [2, 2]
    assert run.left("fpv") == 3
    assert [event["tokens"] for event in run.events("signature")] == [3]


def test_clause_16_artillery_does_not(lay, drive):
    run = drive(lay([FOOT, RECCE], [GUNS]), [call("guns"), fire()])
    assert all(getattr(given, "question", "") != "requests.again" for given in run.table.journal)


def smoke(east, north, *rest):
    """Return the order to fire smoke."""
    return ("requests.fire", "smoke", {"at": (east, -north)}, *rest)


def test_clause_17_smoke_takes_a_fire_mission_and_tokens_but_no_throw_and_suppresses_nobody(
    lay, drive
):
    friend = {"id": "friend", "side": "blue", "east": 24_500, "north": 22_600}
    run = drive(
        lay([FOOT, RECCE, friend], [{**GUNS, "plan": PLAN}]), [call("guns"), smoke(24_500, 22_700)]
    )
    assert run.left("guns") == 4
    assert run.events("signature")[0]["tokens"] == 1
    assert run.events("hits") == []
    assert run.of("friend", "morale") == "good"


def test_clause_17_smoke_is_fired_only_at_an_observed_place(lay, drive):
    drive(lay([FOOT, RECCE], [GUNS]), [call("guns"), smoke(40_000, 40_000, "17"), no_fire()])


def test_clause_17_smoke_obstructs_in_part_and_is_gone_at_the_turns_end(lay, drive):
    units = [FOOT, RECCE, TUBES]
    ground = [wood("light_wood", 22_500)]
    both = [call("mortar"), smoke(24_500, 23_000), call("guns"), fire("target", "9"), no_fire()]
    drive(lay(units, [GUNS, MORTAR], ground), both)
    over = ("requests.activate", "pass", {"by": "blue"})
    next_turn = [call("mortar"), smoke(24_500, 23_000), over, call("guns"), fire()]
    assert drive(lay(units, [GUNS, MORTAR], ground), next_turn, turns=2).events("hits")


@pytest.mark.parametrize("option", [False, True])
def test_clause_17_an_fpv_lays_no_smoke_unless_decision_4_is_read_otherwise(lay, drive, option):
    scenario = lay([FOOT, RECCE], [FPV], fpv_smoke=option)
    run = drive(scenario, [call("fpv"), no_fire()])
    view_forms = [form.verb for form in _forms(run, "requests.fire", "fpv")]
    assert ("smoke" in view_forms) == option


def _forms(run, question, *args):
    asked = run.scenario.questions[question]
    return list(asked.offers(View(run.table.read, run.scenario, "requests"), *args))


def dig(unit, *rest):
    """Return the orders that make a red unit dig in."""
    return [
        ("requests.activate", "troops", {"by": "red"}),
        ("resolution.troops", "dig", {"unit": unit}, *rest),
    ]


def test_clause_21_foot_digs_first_then_has_a_shell_scrape_and_loses_it_on_moving(lay, drive):
    scenario = lay([FOOT], [GUNS])
    assert drive(scenario, dig("target")).of("target", "dug") == "digging"
    twice = [*dig("target"), ("requests.activate", "pass", {"by": "red"}), *dig("target")]
    assert drive(scenario, twice, turns=2).of("target", "dug") == "scrape"
    move = ("resolution.troops", "move", {"unit": "target", "to": (24_600, -21_500)})
    moved = [
        *twice,
        ("requests.activate", "pass", {"by": "red"}),
        ("requests.activate", "troops", {"by": "red"}),
        move,
    ]
    run = drive(scenario, moved, turns=3)
    assert run.of("target", "dug") == ""


def test_clause_21_only_foot_digs(lay, drive):
    stay = ("resolution.troops", "stay", {"unit": "target"})
    drive(lay([{**FOOT, "kind": "tracked"}], [GUNS]), [*dig("target", "21"), stay])


@pytest.mark.parametrize("pile", ["[[a b [1] 1]]", '[["" "" [] 0]]'])
def test_a_position_with_cards_from_an_unknown_deck_is_refused_when_it_is_read(pile):
    with pytest.raises(fp.InputError, match=r"there is no deck '.*'; expected etx, chits"):
        fp.position(f"fp1 battlegroup_clash/causeway table{{out={pile}}}")
