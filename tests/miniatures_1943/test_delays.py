"""The Artillery Request Chart: delays by progress boxes, sequence of the phase, arrivals, and the
chart's file.
"""

from fractions import Fraction

import pytest

from fireplan.solver import Analysis, FirstFall
from fireplan_core import Order
from fireplan_core.files import FileError
from fireplan_miniatures_1943.charts import read_request_chart
from fireplan_miniatures_1943.chits import chart_line


def chart(tmp_path, *lines):
    file = tmp_path / "chart.csv"
    file.write_text("nationality,progress_boxes\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize(("boxes", "delay"), [(0, 1), (1, 2), (2, 3), (5, 6)])
def test_6_1_i_the_delay_is_one_turn_more_than_the_boxes(stage, tmp_path, play, seen, boxes, delay):
    # The rule gives the figures for none and two boxes (1 turn, 3 turns); the others continue the
    # series.
    charts = {"request_chart": read_request_chart(chart(tmp_path, f"Germany,{boxes}", "other,9"))}
    scenario = stage(charts=charts)
    assert [turn for turn, _ in seen(play(scenario, delay + 1), "fall")] == [delay]
    shares = Analysis(scenario, delay + 1).solve(FirstFall()).shares
    assert shares == {(delay, 0, True, (0, 0)): 1}
    assert Analysis(scenario, delay).solve(FirstFall()).shares == {None: 1}


def test_6_1_f_a_stack_moves_one_box_a_phase(stage, play, seen, engage):
    table = play(stage(engage("russian")), 4)
    moves = [(turn, fields["to_go"]) for turn, fields in seen(table, "advanced")]
    assert moves == [(1, 2), (2, 1), (3, 0)]


def test_6_1_f_a_new_chit_does_not_move_in_its_phase(stage, play, seen, engage):
    table = play(stage(engage("russian")), 1)
    assert seen(table, "requested")
    assert seen(table, "advanced") == []


def test_6_1_f_chits_of_several_turns_share_one_line(stage, play, seen, engage):
    # One barrage requested in each of the first three turns arrives in each of turns 4 to 6.
    assets = ("barrage 1", "barrage 2", "barrage 3")

    def one_a_turn(turn, mission):
        if mission != f"barrage {turn + 1}":
            return Order.of("pass")
        return Order.of("place", barrages=1, air_strikes=0, dummies=0)

    table = play(
        stage(engage("russian"), assets=assets), 6, orders={"requests.request": one_a_turn}
    )
    assert [(turn, f["mission"]) for turn, f in seen(table, "fall")] == [
        (3, "barrage 1"),
        (4, "barrage 2"),
        (5, "barrage 3"),
    ]


def test_6_1_g_a_stack_gives_one_marker_for_each_real_chit(stage, play, seen, engage):
    assets = ("barrage 1", "barrage 2", "dummy 1", "air strike 1")

    def everything(turn, _):
        if turn:
            return Order.of("pass")
        return Order.of("place", barrages=2, air_strikes=1, dummies=1)

    table = play(stage(engage("german"), assets=assets), 3, orders={"requests.request": everything})
    assert [(turn, f["mission"]) for turn, f in seen(table, "placed")] == [
        (2, "barrage 1"),
        (2, "barrage 2"),
        (2, "air strike 1"),
    ]


def test_6_1_g_dummies_go_back_and_can_be_placed_again(stage, play, seen, engage):
    def dummy(*_):
        return Order.of("place", barrages=0, air_strikes=0, dummies=1)

    table = play(
        stage(engage("american"), assets=("dummy 1",)), 4, orders={"requests.request": dummy}
    )
    assert seen(table, "fall") == []
    # The dummy is back in stock in turn 2 before new requests are placed, so it is in line again in
    # the same phase.
    assert [turn for turn, _ in seen(table, "requested")] == [0, 1, 2, 3]
    assert [turn for turn, _ in seen(table, "ended")] == [1, 2, 3]


def test_6_2_a_arriving_barrages_are_placed_before_new_requests(stage, play, engage):
    asked = []
    orders = {
        "requests.marker": lambda turn, m: asked.append((turn, "marker", m)),
        "requests.request": lambda turn, m: asked.append((turn, "request", m)),
    }
    assets = ("barrage 1", *(f"barrage {n}" for n in range(2, 10)))
    play(stage(engage("american"), assets=assets), 2, orders=orders)
    second = [what for turn, what, _ in asked if turn == 1]
    assert second == ["marker"] * 8 + ["request"]


def test_6_2_d_markers_are_all_placed_before_any_is_resolved(stage, play, engage):
    scenario = stage(engage("american"), assets=("barrage 1", "barrage 2"))
    kinds = [e.event.kind for e in play(scenario, 2).log if e.event.kind in ("placed", "fall")]
    assert kinds == ["placed", "placed", "fall", "fall"]


def test_6_2_i_air_strikes_are_placed_in_the_fire_phase_after_the_requests(stage, play, engage):
    asked = []
    orders = {
        "requests.marker": lambda turn, m: asked.append((turn, m)),
        "requests.request": lambda turn, m: asked.append((turn, "request")),
    }
    play(
        stage(engage("american"), assets=("air strike 1", "barrage 1", "barrage 2")),
        2,
        orders=orders,
    )
    assert asked == [(0, "request"), (1, "barrage 1"), (1, "barrage 2"), (1, "air strike 1")]


@pytest.mark.parametrize(
    ("option", "falls", "lost"), [("next fire phase", [], [1]), ("any fire phase", [4], [])]
)
def test_6_2_i_an_air_strike_is_kept_to_the_next_fire_phase_or_by_option_longer(
    stage, play, seen, engage, option, falls, lost
):
    def wish(turn, _):
        return Order.of("withhold") if turn < 4 else None

    scenario = stage(engage("american"), chit="air strike", strike_kept=option)
    table = play(scenario, 5, orders={"requests.marker": wish})
    assert [turn for turn, _ in seen(table, "fall")] == falls
    assert [e.moment for e in table.log if e.event.cite == "6.2.i"] == lost


# --- nations and the chart's file -----------------------------------------------------------------
@pytest.mark.parametrize(
    ("nationality", "line", "boxes"),
    [
        ("american", "United States", 0),
        ("United States", "United States", 0),
        ("british", "United Kingdom and Commonwealth", 0),
        ("Canadian", "United Kingdom and Commonwealth", 0),
        ("german", "Germany", 1),
        ("russian", "Soviet Union", 2),
        ("french", "France", 2),
        ("italian", "Italy", 2),
        ("japanese", "Japan", 2),
        ("polish", "Poland", 2),
        ("chinese", "China", 2),
        ("ruritanian", "other", 2),
    ],
)
def test_6_1_c_chits_use_the_line_of_their_nationality(stage, engage, nationality, line, boxes):
    scenario = stage(engage(nationality))
    assert chart_line(scenario.parts.delays, nationality) == (line, boxes)
    assert any("no line for" in note for note in scenario.provenance) == (line == "other")
    assert any("request chart is reconstructed" in note for note in scenario.provenance)


@pytest.mark.parametrize(("nationality", "boxes"), [("american", 0), ("german", 2), ("russian", 2)])
def test_6_1_i_option_keeps_to_the_attested_numbers_of_boxes(stage, engage, nationality, boxes):
    delays = stage(engage(nationality), request_lines="attested").parts.delays
    assert chart_line(delays, nationality)[1] == boxes


def test_6_1_c_a_chart_with_faults_is_refused_with_all_of_them(tmp_path):
    with pytest.raises(FileError) as caught:
        read_request_chart(
            chart(tmp_path, "Germany,one", "Germany,1", ",2", "Italy,-1"), provenance="guessed"
        )
    assert len(caught.value.faults) == 6
    text = str(caught.value)
    for fault in (
        "'one'",
        "is listed twice",
        "nationality is missing",
        "'-1'",
        "'other'",
        "'guessed'",
    ):
        assert fault in text


def test_6_1_c_a_printed_chart_needs_no_note(stage, tmp_path):
    printed = read_request_chart(chart(tmp_path, "Germany,1", "other,2"), provenance="printed")
    assert not any(
        "reconstructed: Germany" in n for n in stage(charts={"request_chart": printed}).provenance
    )


@pytest.mark.parametrize("minutes", [3, 5])
def test_6_1_i_a_turn_lasts_the_minutes_of_the_option(stage, minutes):
    clock = stage(turn_minutes=minutes).clock
    assert clock.minutes == clock.grain == Fraction(minutes)
    assert clock.name(0) == "turn 1"
    assert clock.moments(60) == 60 // minutes
