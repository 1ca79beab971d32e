"""Scripted plays of each shipped scenario: dice by roll, and standard orders except those given."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest
import support_red_poppies as rp

import fireplan_red_poppies
from fireplan.cli.keyboard import Play
from fireplan.table import Session, Viewer, shipped_briefings
from fireplan_core import Ask, Order
from fireplan_core.chance import ScriptedFaces
from fireplan_core.play import Answered, Catalogue, Table, Thrown, load_scenario

SCENARIOS = files("fireplan_red_poppies") / "data" / "scenarios"
INITIATIVE, BOMBARDMENT = "initiative", "bombardment"


def shipped(name):
    catalogue = Catalogue()
    catalogue.admit(fireplan_red_poppies)
    return load_scenario(catalogue, SCENARIOS / f"{name}.toml")


def drive(name, dice, orders=None, moments=None):
    """Play a shipped or loaded scenario to its end and return the table.

    ``dice`` has the faces of each roll in order; the last entry is used for all that follow.
    """
    scenario, form = shipped(name) if isinstance(name, str) else name
    table, left = (
        Table(scenario, moments or form.moments),
        {key: list(faces) for key, faces in dice.items()},
    )
    waiting = {key: list(given) for key, given in (orders or {}).items()}
    while table.waits_for is not None:
        waits = table.waits_for
        if isinstance(waits, Ask):
            given = waiting.get(waits.question)
            order = given.pop(0) if given else table.rulebook.answer(waits, {}, table.read)
            answer = table.submit(Answered(waits.question, order))
            assert isinstance(answer, tuple), answer
        else:
            faces = left[waits.name]
            face = faces.pop(0) if len(faces) > 1 else faces[0]
            table.submit(
                Thrown(
                    waits.name,
                    ScriptedFaces(face if isinstance(face, tuple) else (face,)).faces(waits),
                )
            )
    assert not any(waiting.values())
    return table


def tally(scenario, side):
    """Return the number of a side's units of each type."""
    return Counter(
        setup.facts["resolution"].type for setup in scenario.units.values() if setup.side == side
    )


# --- the orders of battle as printed -------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "german", "french"),
    [
        ("combined_arms_assault", {"infantry": 10, "machine_gun": 3, "artillery": 1, "mortar": 1},
         {"infantry": 16, "mortar": 1, "flamethrower": 1, "tank": 9}),  # the engineers are included
        ("bloody_repulse", {"infantry": 10, "machine_gun": 2}, {"infantry": 12, "mortar": 2}),
        ("fourteenth_corps", {"infantry": 8, "machine_gun": 2, "artillery": 2}, {"infantry": 16, "tank": 8}),
        ("battle_for_pinon", {"infantry": 9, "machine_gun": 3, "artillery": 2, "mortar": 3},
         {"infantry": 24, "machine_gun": 4, "tank": 7}),
        ("perfect_battle_day_1", {"infantry": 40, "machine_gun": 10, "mortar": 5, "artillery": 5},
         {"infantry": 65, "machine_gun": 10, "mortar": 5, "flamethrower": 5, "tank": 30}),
        ("perfect_battle_day_2", {"infantry": 23}, {"infantry": 2}),  # twenty Germans enter the map
    ],
)  # fmt: skip
def test_rp_3_11_the_orders_of_battle_are_those_of_the_text(name, german, french):
    scenario, _ = shipped(name)
    assert (tally(scenario, "german"), tally(scenario, "french")) == (german, french)


@pytest.mark.parametrize(
    ("units", "centre", "radius"),
    [
        ("third_169", "AT03", 5), ("second_169", "AX05", 5), ("second_111", "AW07", 2), ("company_28", "AU14", 5),
        ("gun_28", "AU14", 5), ("saint_chamond", "AU14", 5), ("company_21", "H10", 2), ("gun_21", "H10", 2),
        ("schneider", "H10", 2),
    ],
)  # fmt: skip
def test_rp_2_2_the_units_at_pinon_are_within_their_areas(units, centre, radius):
    from fireplan_core.space import distance

    scenario, _ = shipped("battle_for_pinon")
    at = scenario.frame.parse(centre)
    found = [
        s.place for name, s in scenario.units.items() if name.rpartition(".")[0].startswith(units)
    ]
    assert found
    assert max(distance(at, place) for place in found) <= radius


# --- the plays -----------------------------------------------------------------------------------


def test_rp_7_12_7_13_7_41_7_42_7_43_combined_arms_assault():
    # The bombardment rolls one six; then every unit that the barrage finds rolls a one, is already
    # dispersed, and is not spent.
    dice = {INITIATIVE: [(5, 3)], BOMBARDMENT: [6, *[5] * 14, 1]}
    table = drive("combined_arms_assault", dice)
    assert [f["couplets"] for _, _, f in rp.told(table, "initiative")] == [2] * 7
    lost = [
        f["unit"] for _, _, f in rp.told(table, "suffered") if f["severity"].name == "DESTROYED"
    ]
    assert len(lost) == 1
    assert table.scenario.units[lost[0]].side == "german"
    # The barrage strikes rows 19 and 18 in turn 1. Each later turn strikes the last line of the
    # turn before and the next line, so 7 turns end on row 12.
    rows = [(turn, int(row[-2:])) for turn, row in rp.falls(table)]
    assert rows == [(turn, 20 - turn - k) for turn in range(1, 8) for k in (0, 1)]
    assert [(turn, f["by"]) for turn, _, f in rp.told(table, "breach")] == [
        (1, "german"), (1, "french"),  # pulverizing bombardment: one breach each
        (1, "french"), (1, "french"), (1, "french"),  # row 18 under the barrage
        (2, "french"), (2, "french"), (2, "french"),  # row 17
    ]  # fmt: skip
    laid = [f["at"] for _, _, f in rp.told(table, "scrape")]
    assert len(laid) == 6
    assert {at[-2:] for at in laid} <= {"18", "19"}


@pytest.mark.parametrize(
    ("name", "turns", "germans"), [("bloody_repulse", 6, 12), ("fourteenth_corps", 9, 12)]
)
def test_rp_7_11_7_12_the_bombardments_of_scenarios_2_and_3(name, turns, germans):
    table = drive(name, {INITIATIVE: [(5, 4)], BOMBARDMENT: [6, 6, 5]})
    lost = [
        f["unit"] for _, _, f in rp.told(table, "suffered") if f["severity"].name == "DESTROYED"
    ]
    assert len(lost) == 2
    assert sum(isinstance(g, Thrown) and g.name == BOMBARDMENT for g in table.journal) == germans
    assert len(rp.told(table, "initiative")) == turns
    assert {table.scenario.units[unit].side for unit in lost} == {"german"}
    assert rp.told(table, "requested") == []


def test_rp_7_21_7_223_7_243_7_245_a_group_of_ours_before_pinon():
    # In turn 1 the group is called by telephone; without a trench on the map its signal number is
    # 7. In turn 2 an 8 fails and a 7 succeeds. An accuracy roll of 4 strays; the spine SW is named
    # first.
    orders = {
        "delays.command": [
            Order.of("call", group="75s", by="telephone"), Order.of("other"), Order.of("other"),
        ],
        "areas.spine": [Order.of("name", first="SW")],
    }  # fmt: skip
    dice = {
        INITIATIVE: [(5, 4), (5, 2)], "signal": [(4, 4), (3, 4)], "accuracy": [4], "error": [3],
        "cohesion": [(3, 4)],
    }  # fmt: skip
    table = drive("battle_for_pinon", dice, orders, moments=2)
    assert [(turn, f["through"]) for turn, _, f in rp.told(table, "signal")] == [
        (2, False),
        (2, True),
    ]
    ((_, _, fall),) = rp.told(table, "fall")
    # An error of 3 follows the spine clockwise of SW, which is NW: it runs between AT05 and AU05,
    # away from AU06.
    assert fall["impact"] == "AT04/AT05/AU05"
    struck = {f["unit"] for _, _, f in rp.told(table, "suffered")}
    assert struck <= {"third_169_gun.1"}


@pytest.mark.parametrize(
    ("error", "impact", "on_target"),
    [
        (1, "AU05/AU06/AV05", True),
        (3, "AT05/AT06/AU06", False),
        (5, "AT04/AT05/AU05", True),
    ],
)
def test_rp_7_243_7_245_a_stray_is_on_target_if_it_attacks_the_hex_of_the_enemy(
    error, impact, on_target
):
    # The target is a vertex of three hexes, and the only enemy is in AU05: the machine guns.
    orders = {
        "delays.command": [
            Order.of("call", group="75s", by="telephone"), Order.of("other"),
        ],
        "areas.spine": [Order.of("name", first="E")],
    }  # fmt: skip
    dice = {
        INITIATIVE: [(5, 4), (5, 4)], "signal": [(3, 4)], "accuracy": [4], "error": [error],
        "cohesion": [(6, 6)],
    }  # fmt: skip
    table = drive("battle_for_pinon", dice, orders, moments=2)
    ((_, _, fall),) = rp.told(table, "fall")
    assert (fall["impact"], fall["on_target"]) == (impact, on_target)
    struck = [fields["unit"] for _, _, fields in rp.told(table, "suffered")]
    assert struck == (["third_169_gun.1"] if on_target else [])


@pytest.mark.parametrize("error", [1, 3, 5])
def test_rp_7_245_each_group_is_on_target_if_it_attacks_the_hex_with_most_enemies(tmp_path, error):
    """The second group has another target, AV04/AV05/AW05; the only enemy there is in AW05."""
    text = (SCENARIOS / "battle_for_pinon.toml").read_text()
    group = text[text.index("[[group]]") :].split("\n\n")[0]
    second = group.replace('"75s"', '"105s"').replace("AT05/AU05/AU06", "AV04/AV05/AW05")
    file = tmp_path / "two_groups.toml"
    file.write_text(f"{text}\n{second}\n")
    catalogue = Catalogue()
    catalogue.admit(fireplan_red_poppies)
    orders = {
        "delays.command": [
            Order.of("call", group="105s", by="telephone"), Order.of("other"),
        ],
        "areas.spine": [Order.of("name", first="NE")],
    }  # fmt: skip
    dice = {
        INITIATIVE: [(5, 4), (5, 4)], "signal": [(3, 4)], "accuracy": [4], "error": [error],
        "cohesion": [(6, 6)],
    }  # fmt: skip
    table = drive(load_scenario(catalogue, file), dice, orders, moments=2)
    ((_, _, fall),) = rp.told(table, "fall")
    assert fall["mission"] == "105s"
    assert fall["impact"] != "AV04/AV05/AW05"
    assert fall["on_target"] == ("AW05" in fall["impact"])


def test_rp_7_41_7_42_the_two_barrages_of_the_first_day_start_and_end_together():
    table = drive("perfect_battle_day_1", {INITIATIVE: [(5, 3)], BOMBARDMENT: [5]})
    for name in ("west", "east"):
        rows = [(turn, int(row[-2:])) for turn, row in rp.falls(table, name)]
        assert rows == [(turn, 20 - turn - k) for turn in range(1, 11) for k in (0, 1)]
    assert [(turn, f["mission"]) for turn, _, f in rp.told(table, "ended") if f["mission"] != "bombardment"] == [
        (10, "west"), (10, "east"),
    ]  # fmt: skip
    # A barrage is ten hexes wide. After the bombardment, no unit outside its columns is affected.
    spent = {f["unit"] for turn, _, f in rp.told(table, "suffered") if turn > 1}
    columns = {rp_label(table, unit)[:-2] for unit in spent}
    assert columns <= {*"ABCDEFGHIJ", *"OPQRSTUVWX"}
    assert columns


def rp_label(table, unit):
    return table.scenario.frame.label(table.scenario.units[unit].place)


def test_rp_7_0_7_3_8_321_the_howitzers_and_runners_of_the_second_day():
    call = {name: Order.of("call", group=name, by=by) for name, by in
            (("howitzers", "aircraft"), ("runner_1", "runner"), ("runner_2", "runner"))}  # fmt: skip
    other, passing = Order.of("other"), Order.of("pass")
    orders = {
        "delays.command": [
            call["howitzers"], call["runner_1"],  # turn 1: two couplets
            call["runner_2"], passing,  # turn 2: the call lets the howitzers through
            passing, passing,  # turn 3
            other,  # turn 4: runner_1 is primed and gets through
        ],
    }  # fmt: skip
    dice = {
        INITIATIVE: [(5, 3)], "signal": [(3, 4), (3, 3)], "accuracy": [2],
        "cohesion": [(6, 1)],
    }  # fmt: skip
    table = drive("perfect_battle_day_2", dice, orders, moments=4)
    assert [(turn, f["mission"]) for turn, _, f in rp.told(table, "fall")] == [
        (2, "howitzers"),
        (4, "runner_1"),
    ]
    assert [(turn, f["mission"]) for turn, _, f in rp.told(table, "primed")] == [
        (2, "howitzers"),
        (4, "runner_1"),
    ]
    # Against a trench, howitzers have a total of 7 + 5 - 2 = 10, and field guns of 7 + 3 - 3 = 7.
    trenches = [
        (turn, f["value"])
        for turn, _, f in rp.told(table, "modifier")
        if f["summary"] == "terrain: trench"
    ]
    assert set(trenches) == {(2, -2), (4, -3)}
    assert {(turn, f["unit"]) for turn, _, f in rp.told(table, "suffered")} == {
        (2, "eingreif.1"), (2, "eingreif.2"), (2, "reserve.1"),
    }  # fmt: skip


def test_rp_7_3_7_242_a_preregistered_vertex_is_hit_with_a_three():
    for registered, strays in (("N18/N19/O19", 0), (None, 1)):
        scenario = rp.lay(
            board=rp.board(), side=rp.sides(commands=1),
            group=(rp.group(cross_hair="N18/N19/O19", mode="aircraft", preregistered=registered),),
        )  # fmt: skip
        assert len(rp.told(rp.run(scenario, (5, 4, 1, 1, 3)), "stray")) == strays


DICE = {"initiative": (6, 1), "signal": (1, 1), "accuracy": (1,)}
"""Dice with which the French command first and the 75s fire on target; all other dice show 6."""


def pinon(until):
    """Return Battle for Pinon, played by standard orders up to a question that ``until`` accepts."""
    scenario, form = shipped("battle_for_pinon")
    session = Session(scenario, form.moments)
    while (waits := session.table.waits_for) is not None:
        if isinstance(waits, Ask):
            if until(session, waits):
                return session
            session.order(session.table.rulebook.answer(waits, {}, session.table.read))
        else:
            faces = DICE.get(waits.name, (6,) * len(waits.faces))
            session.throw([(face, True) for face in faces])
    return session


def test_3_72_counters_show_the_cohesion_of_units_that_are_left():
    session = pinon(lambda _, __: True)
    counters = {u.title: u.printed for u in Viewer(session, "french").situation().units}
    assert counters["III/169 machine gun section 1"] == ("cohesion 8",)
    assert counters["III/169 infantry 1"] == ("cohesion 7",)
    session = pinon(lambda _, __: False)
    counters = {u.title: u.printed for u in Viewer(session, "french").situation().units}
    assert counters["III/169 machine gun section 1"] == ()


def test_4_1_a_vertex_out_of_sight_is_refused_naming_unit_and_obstacle():
    session = pinon(lambda _, waits: waits.question == "requests.cross_hair")
    viewer = Viewer(session, "french")
    refusal = viewer.give(viewer.read_order("place AT03/AU03/AU04"))
    assert refusal.why == (
        "28th Division infantry 1 cannot see it: the line of sight is blocked by a village in AT04"
    )


def test_a_target_without_enemies_says_so_beside_the_group():
    """The first fire for effect destroys the machine guns at AU05, the only enemy at the target."""
    session = pinon(lambda table, _: table.table.state.moment == 4)
    (asset,) = Viewer(session, "french").situation().assets
    assert "no enemy is seen at the target" in asset.details
    opening = pinon(lambda *_: True)
    (before,) = Viewer(opening, "french").situation().assets
    assert "no enemy is seen at the target" not in before.details


def test_the_prompt_says_once_that_no_enemy_is_seen_at_a_target():
    session = pinon(lambda table, _: table.table.state.moment == 4)
    printed = []
    answers = iter(["pass", "pass", "pass"])

    def hear(_prompt):
        return next(answers, "") if session.table.state.moment < 6 else leave()

    def leave():
        raise EOFError

    Play(session, printed.append, hear, 1).run()
    remarks = [line for line in printed if "no enemy is seen at AT05/AU05/AU06 any more" in line]
    assert len(remarks) == 1


def test_7_222_a_call_that_cannot_be_primed_in_time_is_not_standard():
    """A group called by telephone is primed a turn later, and the eighth turn is the last."""
    scenario, form = shipped("battle_for_pinon")
    table, standard = Table(scenario, form.moments), {}
    while table.waits_for is not None:
        waits = table.waits_for
        if isinstance(waits, Ask):
            usual = table.rulebook.answer(waits, {}, table.read)
            standard.setdefault(table.state.moment, usual.verb)
            table.submit(Answered(waits.question, Order.of("pass")))
        else:
            table.submit(Thrown(waits.name, (6, 1)))  # the French win all five couplets
    assert [standard[turn] for turn in range(8)] == ["call"] * 7 + ["other"]


def test_a_briefing_counts_units_by_the_names_of_the_prompt():
    catalogue = Catalogue.installed()
    briefing = shipped_briefings(catalogue)["red_poppies/battle_for_pinon"].briefing
    assert briefing.commands["french"].startswith("75s; 28th Division infantry (12), 28th Division")
