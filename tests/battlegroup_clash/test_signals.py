"""Electronic signature and electronic warfare: tokens without replacement, Target markers, chits."""

from collections import Counter
from fractions import Fraction

import pytest
from support_battlegroup_clash import CALL, EYES, FLY, FOOT, FPV, GUNS, MORTAR, PLAN, TUBES

import fireplan as fp


def fire(marker=0, chit=0, *rest):
    """Return the order to fire at the target."""
    return ("requests.fire", "fire", {"target": "target", "marker": marker, "chit": chit}, *rest)


@pytest.mark.parametrize(
    ("asset", "plan", "tokens"),
    [
        (GUNS, PLAN, 1),
        (GUNS, (), 3),
        (MORTAR, PLAN, 1),
        (MORTAR, (), 3),
        (FPV, PLAN, 0),
        (FPV, (), 3),
    ],
)
def test_clause_22_tokens_by_asset_and_plan(lay, drive, asset, plan, tokens):
    run = drive(lay([FOOT, EYES, TUBES], [{**asset, "plan": plan}]), [CALL, fire()])
    assert run.tokens("red") == tokens
    assert run.tokens("blue") == 0


@pytest.mark.parametrize(
    ("asset", "drone", "tokens"),
    [(GUNS, True, 1), (GUNS, False, 3), (MORTAR, True, 1), (MORTAR, False, 2)],
)
def test_clause_22_tokens_of_the_basic_mode(lay, drive, asset, drone, tokens):
    run = drive(
        lay([FOOT, EYES, TUBES], [asset], mode="basic"), [*([FLY] if drone else []), CALL, fire()]
    )
    assert run.tokens("red") == tokens


def test_clause_22_three_tokens_of_the_full_sixteen_without_replacement(lay, drive):
    """Example 7: the distribution of the sum of three tokens, taken from the game's own draws."""
    found, pool = Counter(), {0: 4, 1: 9, 2: 3}
    scenario = lay([FOOT, EYES], [GUNS])
    for first in pool:
        for second in pool:
            for third in pool:
                drawn = Counter((first, second, third))
                if any(drawn[value] > pool[value] for value in drawn):
                    continue
                run = drive(scenario, [CALL, fire()], turns=2, token=(first, second, third))
                total = sum(event["value"] for event in run.events("token"))
                left, chance = Counter(pool), Fraction(1)
                for value in (first, second, third):
                    chance *= Fraction(left[value], left.total())
                    left[value] -= 1
                found[total] += chance
    wanted = ["1/140", "27/280", "81/280", "12/35", "3/14", "27/560", "1/560"]
    assert [found[n] for n in range(7)] == [Fraction(one) for one in wanted]
    assert sum(n * chance for n, chance in found.items()) == Fraction(45, 16)


def test_clause_22_the_solver_draws_tokens_without_replacement_too():
    """The chance that at least one of three tokens from the sixteen is a 0 is 1 - C(12,3)/C(16,3)."""
    woods = fp.position("woods", game="battlegroup_clash")
    assert woods.chance(fp.happens("token", value=0), by="turn 2").chance == 1 - Fraction(220, 560)


def test_clause_22_with_fewer_left_than_are_to_be_drawn_all_that_are_left_are_drawn(lay, drive):
    assets = [{**GUNS, "id": f"gun {n}", "plan": ()} for n in range(7)]
    script = [("requests.activate", "fire", {"by": "blue", "asset": one["id"]}) for one in assets]
    run = drive(
        lay([FOOT, EYES], assets),
        [step for call in script for step in (call, fire())],
        attack=(1, 1) * 7,
    )
    assert run.tokens("red") == 16


@pytest.mark.parametrize(("token", "more"), [(0, []), (1, ["red"]), (2, ["red"])])
def test_clause_23_tokens_become_markers_and_the_greater_sum_draws_one_chit_more(
    lay, drive, token, more
):
    run = drive(
        lay([FOOT, EYES], [{**GUNS, "plan": PLAN}], ew="chits"),
        [CALL, fire()],
        turns=2,
        token=(token,),
    )
    assert run.events("token") == [{"side": "red", "value": token}]
    drew = [event["side"] for event in run.events("drew")]
    # Each side draws one chit in the first turn.
    assert drew == ["blue", "red", "blue", "red", *more]


def test_clause_23_in_the_first_turn_chits_alone_are_drawn_and_tokens_wait_for_the_second(
    lay, drive
):
    rewrite = ("requests.plan", "rewrite", {"by": "blue", "asset": "one", "at": (25_000, -22_000)})
    scenario = lay([FOOT, EYES], [GUNS], ew="chits")
    first = drive(scenario, [rewrite])
    assert (first.events("token"), first.tokens("red")) == ([], 1)
    assert [event["side"] for event in first.events("drew")] == ["blue", "red"]
    second = drive(scenario, [rewrite], turns=2, token=(2,))
    assert second.events("token") == [{"side": "red", "value": 2}]
    assert [event["side"] for event in second.events("drew")] == [
        "blue",
        "red",
        "blue",
        "red",
        "red",
    ]


def test_clause_23_in_advanced_mode_russia_draws_two_and_keeps_one(lay, drive):
    run = drive(
        lay([FOOT, EYES], [GUNS], ew="chits", mode="advanced"),
        [("delays.keep", "return", {"chit": 0})],
        chit=(1, 2, 3),
    )
    assert [(event["side"], event["chit"]) for event in run.events("drew")] == [
        ("blue", 0),
        ("red", 0),
        ("red", 3),
    ]


def test_clause_24_a_marker_adds_its_value_to_one_fire_and_is_lost_at_the_turns_end(lay, drive):
    red = {**GUNS, "id": "red guns", "side": "red", "target": "mark"}
    units = [
        FOOT,
        EYES,
        {**FOOT, "id": "mark", "side": "blue"},
        {**EYES, "id": "red eyes", "side": "red"},
    ]
    units[2] |= {"north": 25_500}
    scenario = lay(units, [GUNS, {**red, "plan": ("E25/N25",)}])
    red_fires = ("requests.activate", "fire", {"by": "red", "asset": "red guns"})
    at_mark = ("requests.fire", "fire", {"by": "red", "target": "mark", "marker": 0, "chit": 0})
    ours = ("requests.fire", "fire", {"by": "blue", "target": "target", "marker": 2, "chit": 0})
    run = drive(scenario, [red_fires, at_mark, CALL, ours], turns=2, token=(2,))
    assert [
        event["value"] for event in run.events("modifier") if event["summary"] == "Target marker"
    ] == [2]
    no_fire = ("requests.fire", "cancel")
    over = ("requests.activate", "pass", {"by": "blue"})
    lost = drive(
        scenario, [red_fires, at_mark, over, CALL, (*ours, "7"), no_fire], turns=3, token=(2,)
    )
    assert len(lost.refused) == 1


def chits(lay, drive, asset, blue, red, script, **dice):
    """Play a turn in which blue draws one chit and red another; return the table."""
    scenario = lay([FOOT, EYES, TUBES], [asset], ew="chits", **dice.pop("options", {}))
    return drive(scenario, [CALL, *script], chit=(blue, red), **dice)


def modifiers(run):
    """Return the modifiers of the attack."""
    return {
        event["summary"]: event["value"]
        for event in run.events("modifier")
        if "attack" in event["roll"]
    }


def test_clause_25_3a_helps_own_artillery_and_3b_hinders_the_enemys(lay, drive):
    assert modifiers(chits(lay, drive, GUNS, 3, 1, [fire(0, 3)])) == {"own chit 3": 2}
    assert modifiers(chits(lay, drive, GUNS, 1, 3, [fire(), ("delays.counter", "hinder")])) == {
        "enemy chits": -2
    }
    mortar = chits(lay, drive, MORTAR, 1, 3, [fire()])
    assert all(getattr(given, "question", "") != "delays.counter" for given in mortar.table.journal)


def test_clause_25_4a_gives_an_fpv_one_more_fire_mission_at_once(lay, drive):
    script = [fire(), ("requests.again", "extra")]
    run = chits(lay, drive, FPV, 4, 1, script)
    assert (len(run.events("hits")), run.left("one")) == (2, 4)
    paid = chits(lay, drive, FPV, 4, 1, script, options={"chit_4a": "paid"})
    assert paid.left("one") == 3


@pytest.mark.parametrize(
    ("asset", "chit", "verb"),
    [(FPV, 4, "disturb"), (GUNS, 5, "jam"), (MORTAR, 5, "jam"), (FPV, 5, "jam")],
)
def test_clause_25_4b_and_jamming_take_a_die_off(lay, drive, asset, chit, verb):
    script = [fire(), ("delays.counter", verb)]
    # 6 + 5 - 4 is 7, which is one hit by mortars or artillery, and none by an FPV drone.
    run = chits(lay, drive, asset, 1, chit, script, attack=(6, 5, -4))
    assert run.events("hits")[0]["hits"] == (0 if asset is FPV else 1)


@pytest.mark.parametrize(
    ("option", "dice"), [("each shot", (6, 6, -1, 6, 6, -1)), ("once", (6, 6, -1, 6, 6))]
)
def test_clause_25_a_jamming_die_is_thrown_for_each_shot_by_decision_16(lay, drive, option, dice):
    script = [fire(), ("delays.counter", "jam"), ("requests.again", "again")]
    run = chits(lay, drive, FPV, 1, 5, script, attack=dice, options={"jam_die": option})
    assert len(run.events("hits")) == 2


def test_clause_25_6a_fires_outside_the_plan_for_one_token_and_6b_stops_such_fire(lay, drive):
    assert chits(lay, drive, GUNS, 6, 1, [fire(0, 6)]).tokens("red") == 1
    stopped = chits(lay, drive, GUNS, 1, 6, [fire(), ("delays.counter", "stop")])
    assert (stopped.events("hits"), stopped.left("one")) == ([], 5)
    planned = chits(lay, drive, {**GUNS, "plan": PLAN}, 1, 6, [fire()])
    assert planned.events("hits")


def test_clause_25_unknown_chits_do_nothing_and_one_set_serves_both_sides_by_decision_20(
    lay, drive
):
    for chit in (1, 2, 7):
        run = chits(lay, drive, GUNS, 3, chit, [fire(0, 0)])
        assert modifiers(run) == {}
    each = lay([FOOT], [GUNS], ew="chits", chit_sets="each")
    assert [event["chit"] for event in drive(each, chit=(3, 3)).events("drew")] == [3, 3]


@pytest.mark.parametrize(("option", "left"), [("returned", 0), ("kept", 2)])
def test_chits_that_are_not_played_go_back_by_decision_24(lay, drive, option, left):
    run = drive(lay([FOOT], [GUNS], ew="chits", chits_left=option))
    assert (
        sum(entry[-1] for entry in run.table.read("shared/out", ()) if entry[0] == "chits") == left
    )
