"""Preliminary bombardments and creeping barrages (7.1, 7.4), against the rules by number."""

from __future__ import annotations

from fractions import Fraction

import pytest
import support_red_poppies as rp

import fireplan as fp
from fireplan.solver import Analysis
from fireplan_core import Order, Severity
from fireplan_core.play import Answered

TRENCH = rp.holds("row 16", "trench")
COUPLETS = {1: (5, 4), 2: (5, 3), 3: (5, 2), 5: (6, 1)}


def shelters(kind, **rest):
    """Return companies in the open, in a village, IN a trench and next to it, and a machine gun IN
    a blockhouse.
    """
    return rp.lay(
        board=rp.board(),
        hex=(TRENCH, rp.holds("P15", "village"), rp.holds("Q15", "blockhouse")),
        unit=(
            rp.unit("open", "N15", formed=True),
            rp.unit("village", "P15", formed=True),
            rp.unit("in", "N16", inside="trench", formed=True),
            rp.unit("beside", "N16", formed=True, inside="outside"),
            rp.unit("gun", "Q15", kind="machine_guns", inside="blockhouse"),
        ),
        bombardment=(rp.bombardment(kind),),
        **rest,
    )


def test_rp_7_11_7_12_the_open_is_eliminated_and_shelter_is_dispersed_before_turn_1():
    table = rp.run(shelters("pulverizing"), (1, 2, 6, 5, 4))
    # The bombardment rolls one die each for the village (1), the trench (2) and the blockhouse (6),
    # and none for the others; then turn 1 begins.
    assert rp.suffered(table) == {"open.1": "DESTROYED", "beside.1": "DESTROYED", "village.1": "SUPPRESSED",
                                  "in.1": "SUPPRESSED", "gun.1": "DESTROYED"}  # fmt: skip
    assert not rp.state(table, "village.1", "formed")
    assert not rp.state(table, "in.1", "spent")
    kinds = [entry.event.kind for entry in table.log]
    assert kinds[0] == "opened"
    assert kinds[-2:] == ["ended", "initiative"]
    assert table.log[-2].event.cite == "7.11"


@pytest.mark.parametrize(
    ("kind", "destroyed"), [("pulverizing", Fraction(1, 6)), ("paralyzing", Fraction(0))]
)
def test_rp_7_12_exact_chances_of_a_company_in_its_trench(kind, destroyed):
    found = Analysis(shelters(kind), 1)
    assert found.separable
    severities = found.unit_severities()
    assert severities["in.1"].get(Severity.DESTROYED, 0) == destroyed
    assert (
        severities["open.1"][Severity.DESTROYED] == severities["beside.1"][Severity.DESTROYED] == 1
    )


def test_rp_7_12_paralyzing_spends_on_two_or_more():
    table = rp.run(shelters("paralyzing"), (1, 2, 6))
    assert [rp.state(table, name, "spent") for name in ("village.1", "in.1", "gun.1")] == [
        False,
        True,
        True,
    ]


def test_rp_7_12_vehicles_in_the_open_die_or_by_option_only_disperse():
    tanks = (rp.unit("tank", "N15", kind="schneider"),)
    tank = {"board": rp.board(), "unit": tanks, "bombardment": (rp.bombardment(),)}
    assert rp.suffered(rp.run(rp.lay(**tank), ())) == {"tank.1": "DESTROYED"}
    for kind in ("pulverizing", "paralyzing"):
        milder = rp.run(
            rp.lay(
                **tank | {"bombardment": (rp.bombardment(kind),)},
                options={"bombarded_vehicles": "disperse"},
            ),
            (),
        )
        assert getattr(milder.waits_for, "name", "") != "bombardment"
        state = {
            name: rp.state(milder, "tank.1", name) for name in ("destroyed", "formed", "spent")
        }
        assert not any(state.values()), state


def wired(**rest):
    return rp.lay(
        board=rp.board(), hex=(TRENCH,), hexside=(rp.along("wire", "N16,O16,P16", "S"),), **rest
    )


@pytest.mark.parametrize(
    ("kind", "who"),
    [("pulverizing", ["german", "french"]), ("paralyzing", ["french", "french", "french"])],
)
def test_rp_7_12_8_342_the_owner_and_number_of_breaches(kind, who):
    # By default the bombardment strikes the enemy's set-up area (7.11): row 16, on the other side
    # of the wire.
    table = rp.run(wired(bombardment=(rp.bombardment(kind, at=()),)), (5, 4))
    breaches = rp.told(table, "breach")
    assert [fields["by"] for _, _, fields in breaches] == who
    assert len({fields["side"] for _, _, fields in breaches}) == len(who)


def test_rp_7_12_a_breach_goes_only_to_wire_under_fire():
    scenario = wired(bombardment=(rp.bombardment(at=()),))
    view_args = ("bombardment", scenario.missions["bombardment"].target, "german")
    table = rp.run(scenario, ())
    refusal = scenario.questions["resolution.breach"].judge(
        table.rulebook.view(table.waits_for, table.read),
        Order.of("breach", side=((0, 0), (0, 1))),
        *view_args,
    )
    assert refusal.cite == "7.12, 7.43"


def test_rp_7_13_six_scrapes_in_no_mans_land_or_the_set_up_area_and_they_cover():
    scenario = rp.lay(
        board=rp.board(no_mans_land=("row 18",)), bombardment=(rp.bombardment(at=("row 16",)),)
    )
    table = rp.run(scenario, (5, 4))
    laid = [fields["at"] for _, _, fields in rp.told(table, "scrape")]
    assert laid == ["M18", "N18", "O18", "P18", "Q18", "R18"]
    assert all(table.read(f"ground/resolution/{at}/scrape", False) for at in laid)


def test_rp_7_13_8_5_scrapes_are_refused_elsewhere_and_a_barrage_makes_none():
    scenario = rp.lay(
        board=rp.board(no_mans_land=("row 18",)), bombardment=(rp.bombardment(at=("row 16",)),)
    )
    table = rp.run(scenario, ())
    assert table.waits_for.question == "resolution.scrape"
    ask = table.waits_for
    elsewhere = Order.of("scrape", at=scenario.frame.parse("N20"))
    assert table.rulebook.refuse(ask, elsewhere, table.read).cite == "7.13, 8.5"
    walked = rp.run(rp.lay(board=rp.board(), barrage=(rp.barrage(),)), (6, 1))
    assert rp.told(walked, "scrape") == []


def test_rp_3_4_7_13_a_hex_holds_any_number_of_markers_even_six_scrapes():
    scenario = rp.lay(
        board=rp.board(no_mans_land=("N18",)), bombardment=(rp.bombardment(at=("N16",)),)
    )
    table = rp.run(scenario, ())
    at = Order.of("scrape", at=scenario.frame.parse("N16"))
    for _ in range(6):
        assert table.waits_for.question == "resolution.scrape"
        assert isinstance(table.submit(Answered("resolution.scrape", at)), tuple)
    assert [fields["at"] for _, _, fields in rp.told(table, "scrape")] == ["N16"] * 6
    assert table.read("ground/resolution/N16/scrape", False)
    assert getattr(table.waits_for, "question", "") != "resolution.scrape"


@pytest.mark.parametrize(
    ("rest", "number"),
    [
        ({}, 9),
        ({"bombardment": (rp.bombardment(at=("M10",)),)}, 0),
        ({"barrage": (rp.barrage("row 12"),)}, 0),
        ({"barrage": (rp.barrage("row 12"),), "options": {"barrage_counts": False}}, 9),
        ({"bombardment": (rp.bombardment(at=("M10",), side="german"),)}, 0),
    ],
)
def test_rp_7_14_massed_fire_of_either_side_sends_signals_to_the_bombarded_column(rest, number):
    scenario = rp.lay(
        board=rp.board(), hex=(TRENCH,), unit=(rp.unit("eyes", "N20", side="french"),), group=(rp.group(),),
        side=rp.sides(commands=1), **rest,
    )  # fmt: skip
    # The call is given in turn 1, and one other command in turn 2: a signal roll of 9 succeeds
    # against 9 and fails against 0.
    by_telephone = [Order.of("call", group="a", by="telephone")]
    table = rp.run(scenario, (5, 4, 5, 4, 4, 5), {"delays.command": by_telephone})
    assert [fields["through"] for _, _, fields in rp.told(table, "signal")] == [number == 9]


# --- the creeping barrage ------------------------------------------------------------------------


def test_rp_7_41_7_42_7_43_7_44_7_45_eight_turns_with_every_number_of_couplets():
    # It is night, so a difference of one leaves no couplet; there are never two such turns in a
    # row.
    scenario = rp.lay(board=rp.board(), barrage=(rp.barrage(),), night=True)
    # The differences are 3, 1, 1 (exempt), 2, 4, a tie (3), 1 and 3 (exempt), which at night make
    # 2, 0, 1, 1, 3, 2, 0 and 3 couplets.
    dice = [(5, 2), (5, 4), (5, 4), (5, 3), (5, 1), (3, 3), (5, 4), (5, 2)]
    table = rp.run(scenario, [face for pair in dice for face in pair])
    assert [fields["couplets"] for _, _, fields in rp.told(table, "initiative")] == [
        2,
        0,
        1,
        1,
        3,
        2,
        0,
        3,
    ]
    assert rp.falls(table) == [
        (1, "19"), (1, "18"),  # 7.42: the present row, then the next
        # Turn 2 has no couplet: the barrage only advances to 17 (7.44).
        (3, "17"),  # one couplet: struck once, then an advance without effect
        (4, "16"),
        (5, "15"), (5, "14"),  # 7.45: the third couplet does not move the barrage
        (6, "14"), (6, "13"),  # 7.42: a turn opens where the last one ended
        # Turn 7 has none: the barrage only advances to 12.
        (8, "12"), (8, "11"),
    ]  # fmt: skip
    assert [(turn, f["impact"][1:]) for turn, _, f in rp.told(table, "advance")] == [
        (2, "17"), (3, "16"), (4, "15"), (7, "12")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("couplets", "rows"), [(1, ["19"]), (2, ["19", "18"]), (3, ["19", "18"]), (5, ["19", "18"])]
)
def test_rp_7_42_7_45_by_day_it_strikes_at_the_first_two_couplets_only(couplets, rows):
    table = rp.run(rp.lay(board=rp.board(), barrage=(rp.barrage(),)), COUPLETS[couplets])
    assert [row for _, row in rp.falls(table)] == rows


@pytest.mark.parametrize(
    ("line", "toward", "first", "second"),
    [
        (
            "row 19",
            "N",
            {"M19", "N19", "O19", "P19", "Q19", "R19"},
            {"M18", "N18", "O18", "P18", "Q18", "R18"},
        ),
        ("row 19 from O to P", "S", {"O19", "P19"}, {"O20", "P20"}),
        ("column N from 17 to 19", "E", {"N17", "N18", "N19"}, {"O17", "O18", "O19"}),
        ("column N from 17 to 18", "W", {"N17", "N18"}, {"M17", "M18"}),
        ("N18,N19,O19", "NE", {"N18", "N19", "O19"}, {"O18", "O19", "P18"}),
        ("R18,R19", "SE", {"R18", "R19"}, None),  # beyond the eastern edge of play
    ],
)
def test_rp_7_41_rows_columns_and_areas_and_the_way_they_move(line, toward, first, second):
    scenario = rp.lay(board=rp.board(), barrage=(rp.barrage(line, toward),))
    massed = scenario.missions["barrage"].facts["areas"]
    struck = [{scenario.frame.label(h) for h in entry.hexes} for entry in massed.lines[:2]]
    assert struck == ([first] if second is None else [first, second])


def test_rp_7_42_a_barrage_whose_next_line_is_out_of_play_is_over():
    table = rp.run(rp.lay(board=rp.board(north=18), barrage=(rp.barrage(),)), (5, 3, 5, 3))
    assert rp.falls(table) == [(1, "19"), (1, "18"), (2, "18")]
    assert [turn for turn, _, _ in rp.told(table, "ended")] == [2]


def test_rp_7_41_a_barrage_may_begin_later_and_go_so_far_and_no_farther():
    scenario = rp.lay(board=rp.board(), barrage=(rp.barrage(first_turn=2, advances=2),))
    table = rp.run(scenario, (5, 3) * 5)
    assert rp.falls(table) == [(2, "19"), (2, "18"), (3, "18"), (3, "17")]
    assert [turn for turn, _, _ in rp.told(table, "ended")] == [3]


def test_rp_7_43_three_breaches_a_line_at_its_first_detonation_only():
    scenario = rp.lay(
        board=rp.board(), hexside=(rp.along("wire", "row 18", "S"),), barrage=(rp.barrage(),),
    )  # fmt: skip
    table = rp.run(scenario, (5, 3, 5, 4))
    # Six hexsides of wire between rows 18 and 19: three cut from row 19, three from row 18, none
    # when row 18 is struck again.
    assert [turn for turn, _, _ in rp.told(table, "breach")] == [1] * 6


@pytest.mark.parametrize(
    ("option", "turns"), [("per_line", [1] * 6), ("per_detonation", [1] * 6 + [2] * 3)]
)
def test_rp_7_43_whether_a_line_hit_again_loses_more_wire_is_an_option(option, turns):
    scenario = rp.lay(
        board=rp.board(), barrage=(rp.barrage("row 17"),),
        hexside=(rp.along("wire", "row 17,row 16", "S", "N", "NE", "NW"),),
        options={"barrage_breaches": option},
    )  # fmt: skip
    # The barrage strikes rows 17 and 16 in turn 1, and row 16 again in turn 2.
    table = rp.run(scenario, (5, 3, 5, 4, 5, 4), {"resolution.breach": []}, moments=3)
    assert [turn for turn, _, _ in rp.told(table, "breach")][: len(turns)] == turns


def test_rp_7_43_friend_and_foe_on_the_line_suffer_it_at_each_detonation():
    scenario = rp.lay(
        board=rp.board(),
        hex=(rp.holds("row 18", "trench"),),
        unit=(
            rp.unit("own", "N18", side="french", inside="trench"),
            rp.unit("foe", "P18", formed=True, inside="trench"),
        ),
        barrage=(rp.barrage(),),
    )
    # The barrage strikes row 18 in the second couplet of turn 1 (dice 1 and 2), and again in turn 2
    # (3 and 1).
    table = rp.run(scenario, (5, 3, 1, 2, 5, 4, 3, 1))
    hits = [(turn, fields["unit"]) for turn, _, fields in rp.told(table, "suffered")]
    assert hits == [(1, "foe.1"), (2, "own.1")]
    assert not rp.state(table, "foe.1", "formed")


def test_rp_5_3_spent_passes_with_the_turn():
    scenario = rp.lay(
        board=rp.board(), hex=(rp.holds("row 19", "trench"),), unit=(rp.unit("foe", "N19", inside="trench"),),
        barrage=(rp.barrage(),),
    )  # fmt: skip
    table = rp.run(scenario, (5, 4, 6))
    assert table.waits_for.name == "initiative"
    assert rp.state(table, "foe.1", "spent") is False
    assert rp.suffered(table) == {"foe.1": "SUPPRESSED"}


def test_rp_7_43_the_barrage_is_concealment_and_a_second_hex_of_it_stops_sight():
    scenario = rp.lay(
        board=rp.board(), unit=(rp.unit("eyes", "N22", side="french"),),
        group=(rp.group(target="N17/N18/O18"),), barrage=(rp.barrage("rows 19-20"),),
    )  # fmt: skip
    start = rp.run(scenario, ())
    sees = lambda table, at: table.rulebook.scenario.parts.observers.sees(  # noqa: E731
        _view(table), "a", scenario.frame.parse(at)
    ).ground  # fmt: skip
    assert sees(start, "N17")
    fired = rp.run(scenario, (5, 4), {"delays.command": [Order.of("pass")]})
    # The barrage struck once and then moved to rows 18 and 19 by the end of the turn: both rows lie
    # between N22 and N17.
    assert not sees(fired, "N17")
    assert sees(fired, "N18")


def _view(table):
    from fireplan_core import View

    return View(table.read, table.scenario, "observers")


def test_7_41_massed_fire_is_judged_and_printed_at_any_place():
    assault = fp.position("red_poppies/combined_arms_assault")
    massed = assault.at.scenario.missions["bombardment"].facts["delays"]
    line = massed.lines[0]
    label = assault.at.scenario.frame.label
    whole = frozenset(map(label, line.hexes))
    assert len(whole) > 1
    assert assault.covers("bombardment", label(line.at)) == whole
    assert assault.covers("bombardment", label(line.hexes[0])) == whole
    assert assault.covers("bombardment", "AC05") == {"AC05"}
    for outcome in assault.attack("bombardment", "AC05"):
        assert str(outcome.position).startswith("fp1 red_poppies/combined_arms_assault")
