"""Chits: what may be placed in the Request box, and what an arrived chit allows."""

import pytest

from fireplan.solver import Analysis
from fireplan_core import Order, Refusal, Severity
from fireplan_core.chance import RandomFaces
from fireplan_core.play import (
    Answered,
    Catalogue,
    Table,
    Variation,
    load_scenario,
    play_out,
    replay,
    stage_engagement,
)

NINE = tuple(f"barrage {n}" for n in range(1, 10))


def place(barrages=0, air_strikes=0, dummies=0):
    return Order.of("place", barrages=barrages, air_strikes=air_strikes, dummies=dummies)


def at_request(scenario, turns=3):
    table = Table(scenario, turns)
    assert table.waits_for.question == "requests.request"
    return table


def order(table, given):
    return table.submit(Answered(table.waits_for.question, given))


def test_6_1_e_eight_barrages_may_be_placed_in_a_turn(stage, seen):
    table = at_request(stage(assets=NINE))
    assert not isinstance(order(table, place(barrages=8)), Refusal)
    assert len(seen(table, "requested")) == 8


def test_6_1_e_the_ninth_barrage_is_refused(stage):
    table = at_request(stage(assets=NINE))
    refusal = order(table, place(barrages=9))
    assert isinstance(refusal, Refusal)
    assert refusal.cite == "6.1.e"
    assert refusal.by == "requests"


def test_6_1_e_the_ninth_is_refused_too_when_it_is_asked_for_apart(stage):
    table = at_request(stage(assets=NINE))
    order(table, place(barrages=8))
    assert table.waits_for.question == "requests.request"
    assert order(table, place(barrages=1)).cite == "6.1.e"


def test_6_1_e_the_limit_is_of_one_turn_not_of_the_line(stage, play, seen, engage):
    # With two boxes the delay is three turns: in turn 2 the eight chits of turn 1 are still in
    # line.
    requested = seen(play(stage(engage("russian"), assets=NINE), 2), "requested")
    assert [turn for turn, _ in requested] == [0] * 8 + [1]


def test_6_1_e_option_counts_all_in_line(stage, play, seen, engage):
    scenario = stage(engage("russian"), assets=NINE, limit="in line")
    requested = seen(play(scenario, 4), "requested")
    # With three turns of delay the line is empty again in turn 4, when the first eight chits have
    # become markers.
    assert [turn for turn, _ in requested] == [0] * 8 + [3]


@pytest.mark.parametrize("kind", ["air strike", "dummy"])
def test_6_1_d_air_strikes_and_dummies_have_no_limit(stage, seen, kind):
    table = at_request(stage(assets=tuple(f"{kind} {n}" for n in range(1, 13))))
    given = place(air_strikes=12) if kind == "air strike" else place(dummies=12)
    assert not isinstance(order(table, given), Refusal)
    assert len(seen(table, "requested")) == 12


def test_6_1_c_one_order_places_chits_of_all_kinds(stage, seen):
    table = at_request(
        stage(assets=("barrage 1", "barrage 2", "air strike 1", "dummy 1", "dummy 2"))
    )
    order(table, place(barrages=1, air_strikes=1, dummies=2))
    assert [fields["mission"] for _, fields in seen(table, "requested")] == [
        "barrage 1",
        "air strike 1",
        "dummy 1",
        "dummy 2",
    ]


@pytest.mark.parametrize(
    ("given", "cite"),
    [
        (place(), "6.1.c"),
        (place(barrages=-1, dummies=1), "6.1.c"),
        (place(barrages=True), "6.1.c"),
        (place(barrages=2), "S.d"),
        (place(air_strikes=1), "S.c"),
        (place(dummies=2), "6.1.g"),
        (Order.of("place", barrages=1), "6.1.c"),
        (Order.of("smoke"), "6.1.c"),
    ],
)
def test_6_1_c_orders_that_chits_do_not_allow_are_refused(stage, given, cite):
    table = at_request(stage(assets=("barrage 1", "dummy 1")))
    refusal = order(table, given)
    assert isinstance(refusal, Refusal)
    assert refusal.cite == cite


def test_6_1_b_chits_go_on_the_chart_once_a_phase(stage, play):
    # A side passes for the whole phase: its next question comes in the next turn.
    asked = []

    def wish(turn, mission):
        asked.append((turn, mission))
        return Order.of("pass")

    play(stage(assets=("barrage 1", "barrage 2")), 3, orders={"requests.request": wish})
    assert asked == [(0, "barrage 1"), (1, "barrage 1"), (2, "barrage 1")]


def test_6_2_a_a_barrage_is_placed_in_the_phase_in_which_it_arrives(stage, play, seen, engage):
    # With one box, a chit placed in the Request box in turn 1 arrives in turn 3 (numbered 2).
    scenario = stage(engage("german"))
    table = play(scenario, 3, orders={"requests.marker": lambda *_: Order.of("mark", at=(30, -5))})
    assert [(turn, fields["at"]) for turn, fields in seen(table, "placed")] == [(2, (30, -5))]
    assert [fields["impact"] for _, fields in seen(table, "fall")] == [(30, -5)]


def test_6_2_a_a_barrage_that_is_not_placed_is_lost(stage, play, seen, engage):
    for supply, reason in (("used up", "exhausted"), ("renewed", "cancelled")):
        scenario = stage(engage("american"), supply=supply)
        table = play(scenario, 2, orders={"requests.marker": lambda *_: Order.of("withhold")})
        assert seen(table, "fall") == []
        assert [(turn, fields["reason"].value) for turn, fields in seen(table, "ended")] == [
            (1, reason)
        ]


def test_6_2_a_option_lets_a_barrage_be_held(stage, play, seen, engage):
    scenario = stage(engage("american"), may_hold=True)

    def wish(turn, _):
        return Order.of("withhold") if turn < 3 else None

    table = play(scenario, 4, orders={"requests.marker": wish})
    assert [turn for turn, _ in seen(table, "fall")] == [3]


@pytest.mark.parametrize("at", [None, "here", 3, (1, 2, 3), ((1, 2), (3, 4)), (1, None)])
def test_6_2_a_a_marker_needs_a_place_of_the_table(stage, engage, at):
    table = at_request(stage(engage("american")))
    order(table, place(barrages=1))
    assert table.waits_for.question == "requests.marker"
    refusal = order(table, Order.of("mark", at=at))
    assert isinstance(refusal, Refusal)
    assert refusal.cite == "6.2.a"


def test_6_1_g_the_option_renewed_has_a_chit_requested_again_when_its_marker_is_gone(
    stage, play, seen, engage
):
    # Without boxes the delay is one turn: a chit is placed in turns 1, 3, 5 ..., and falls in turns
    # 2, 4, 6 ...
    table = play(stage(engage("american"), supply="renewed"), 6)
    assert [turn for turn, _ in seen(table, "requested")] == [0, 2, 4]
    assert [turn for turn, _ in seen(table, "fall")] == [1, 3, 5]


def test_6_1_g_s_d_each_real_chit_is_one_marker_and_dummies_alone_come_back(
    stage, play, seen, engage
):
    table = play(stage(engage("american")), 6)
    assert [turn for turn, _ in seen(table, "fall")] == [1]
    assert [fields["reason"].value for _, fields in seen(table, "ended")] == ["exhausted"]
    dummies = {"requests.request": lambda *_: place(dummies=1)}
    table = play(stage(engage("american"), assets=("dummy 1",)), 4, orders=dummies)
    # The chit is in the Request box, then in the Arrival box of a line without progress boxes, then
    # back in stock.
    assert [turn for turn, _ in seen(table, "requested")] == [0, 1, 2, 3]
    assert seen(table, "fall") == []


FILE = """
game = "miniatures_1943"
title = "One barrage in all"
moments = 8
sides = ["american", "german"]
#options
[[line]]
side = "american"
nationality = "american"
boxes = 0
barrages = 1
[[base]]
id = "section"
side = "german"
x = 0
y = 0
"""


@pytest.mark.parametrize(
    ("supply", "turns"), [("", [1]), ("used up", [1]), ("renewed", [1, 3, 5, 7])]
)
def test_6_1_g_s_d_a_scenario_file_with_one_barrage_has_one_and_says_so(
    play, seen, tmp_path, supply, turns
):
    path = tmp_path / "one.toml"
    path.write_text(
        FILE.replace("#options", f'[options]\nsupply = "{supply}"' if supply else ""),
        encoding="utf-8",
    )
    scenario, form = load_scenario(Catalogue.installed(only=("miniatures_1943",)), path)
    assert [turn for turn, _ in seen(play(scenario, form.moments), "fall")] == turns
    assert [note for note in scenario.provenance if "chit" in note] == [
        "real chits are not used up: one whose marker is gone may be placed again" if supply == "renewed"
        else "a real chit is one marker for the whole game; only dummies return (6.1.g)"
    ]  # fmt: skip


@pytest.mark.parametrize("word", ["requests", "delays", "areas", "resolution", "observers"])
def test_6_1_each_part_plays_with_the_parts_of_another_game(both, engage, word):
    for key, other in (("miniatures_1943", "null"), ("null", "miniatures_1943")):
        scenario = stage_engagement(both, key, engage(own_m=150), Variation(parts={word: other}))
        analysis = Analysis(scenario, 6)
        assert sum(analysis.severity().values()) == 1
        assert analysis.severity()[Severity.NONE] < 1
        table = play_out(Table(scenario, 6), RandomFaces(5))
        assert replay(scenario, 6, table.journal).state == table.state


def test_6_2_j_over_the_areas_of_another_game_a_strike_is_aimed_at_the_target(both, engage):
    variation = Variation(parts={"areas": "null"}, options={"chit": "air strike"})
    scenario = stage_engagement(both, "miniatures_1943", engage("american"), variation)
    assert Analysis(scenario, 6).severity()[Severity.NONE] < 1
