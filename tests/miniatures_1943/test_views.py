"""The other side's view of the request chart, and the conclusions that it may draw."""

import json
import random
import re
from fractions import Fraction

import pytest
from playing_on import step_on

from fireplan.table import Prompt, Session, Viewer, Words, as_data, view_of
from fireplan_core import Order, Refusal, Stage, View
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Answered, Catalogue, Table, find_scenario
from fireplan_miniatures_1943.delays import board, inches, request_chart

WORDS = ("barrage", "dummy", "dummies", "air strike", "air_strike")


def place(barrages=0, air_strikes=0, dummies=0):
    return Order.of("place", barrages=barrages, air_strikes=air_strikes, dummies=dummies)


PASS = Order.of("pass")
WRONG = {
    "requests.request": (place(barrages=99), place(dummies=-1), Order.of("cheat")),
    "resolution.movement": (
        Order.of("move", base="r", to=(5, 5)),
        Order.of("move", base="b", to="x"),
    ),
    "resolution.firing": (Order.of("fire", base="b", target="b"), Order.of("look")),
}


def scenario_of(lay, a_base, boxes=2, filled=()):
    bases = [a_base("r", "red", -300, 0), a_base("b", "blue", 300, 0)]
    lines = [
        {
            "side": "red",
            "nationality": "russian",
            "boxes": boxes,
            "barrages": 9,
            "air_strikes": 4,
            "dummies": 9,
        },
        {"side": "blue", "nationality": "german", "boxes": 1, "barrages": 2, "dummies": 2},
    ]
    lines[0]["filled"] = filled
    return lay(bases=bases, lines=lines)


def session_of(table):
    """Return a session at the same point as a table."""
    session = Session(table.scenario, table.moments)
    for given in table.journal:
        if isinstance(given, Answered):
            assert isinstance(session.order(given.order), tuple)
        else:
            for face in given.faces:
                session.face(face, typed=True)
    return session


def log_of(table, side):
    return tuple(f"{line.when}: {line}" for line in view_of(session_of(table), side).log)


def chart_of(table, side):
    return request_chart(View(table.read, table.scenario, "delays"), side)


def everything_seen(session, side):
    """Return, as text, everything that a side can see now."""
    viewer = Viewer(session, side)
    view = viewer.all()
    parts = [json.dumps(as_data(view), indent=0)]
    assert isinstance(viewer.give(Order.of("nonsense")), Refusal)
    parts.append(str(viewer.give(Order.of("nonsense"))))
    if view.form.kind == "order":
        # Refused orders change nothing, and the refusal may be read.
        for wrong in WRONG.get(session.table.waits_for.question, ()):
            refusal = viewer.give(wrong)
            assert isinstance(refusal, Refusal)
            parts.append(f"{refusal!r} {refusal}")
    return "\n".join(parts)


def watched(scenario, turns, plan, blue=None):
    """Return blue's successive different views while red places chits by ``plan``."""
    session, pictures = Session(scenario, turns), []
    wishes = {("red", turn): list(orders) for turn, orders in plan.items()}
    wishes.update({("blue", turn): [order] for turn, order in (blue or {}).items()})
    while (waits := session.table.waits_for) is not None:
        table = session.table
        picture = everything_seen(session, "blue")
        if not pictures or pictures[-1] != picture:
            pictures.append(picture)
        if not hasattr(waits, "question"):
            session.face(3, typed=True)
            continue
        order = table.rulebook.answer(waits, {}, table.read)
        if waits.question == "requests.request":
            left = wishes.get((waits.who, table.state.moment))
            order = left.pop(0) if left else PASS
        assert isinstance(session.order(order), tuple)
    return pictures


BLUE = {0: place(barrages=1), 1: place(dummies=1)}

# Pairs of plans by turn: the same stacks on the chart with different contents. With two boxes they
# arrive in turn 4.
PAIRS = [
    ({0: [place(barrages=1)]}, {0: [place(dummies=1)]}),
    ({0: [place(barrages=8)]}, {0: [place(dummies=1)]}),
    ({0: [place(air_strikes=2)]}, {0: [place(dummies=3)]}),
    ({0: [place(barrages=2), place(dummies=1)]}, {0: [place(dummies=9)]}),
    (
        {0: [place(dummies=1)], 1: [place(barrages=3)], 2: [place(air_strikes=1)]},
        {0: [place(barrages=3, air_strikes=1)], 1: [place(dummies=2)], 2: [place(barrages=1)]},
    ),
    (
        {1: [place(barrages=1, dummies=1)], 2: [place(barrages=9 - 1)]},
        {1: [place(dummies=5)], 2: [place(dummies=4)]},
    ),
]


@pytest.mark.parametrize("pair", PAIRS)
def test_6_1_h_games_that_differ_in_hidden_chits_look_the_same_before_arrival(lay, a_base, pair):
    first = min(pair[0])
    one, other = (watched(scenario_of(lay, a_base), first + 3, plan, BLUE) for plan in pair)
    assert one == other
    assert len(one) > 5


def some_mix(rng):
    counts = {
        "barrages": rng.randint(0, 2),
        "air_strikes": rng.randint(0, 1),
        "dummies": rng.randint(0, 2),
    }
    return place(**counts) if any(counts.values()) else place(dummies=1)


@pytest.mark.parametrize("seed", range(10))
def test_6_1_h_random_games_with_the_same_stacks_look_the_same(lay, a_base, seed):
    rng = random.Random(seed)
    # With three boxes no chit arrives before turn 5 (numbered 4).
    turns = sorted(rng.sample(range(4), rng.randint(1, 4)))
    plans = [{turn: [some_mix(rng)] for turn in turns} for _ in range(2)]
    seen = [watched(scenario_of(lay, a_base, boxes=3), turns[0] + 4, plan, BLUE) for plan in plans]
    assert seen[0] == seen[1]


def test_6_1_h_an_empty_hand_looks_like_a_full_one(lay, a_base):
    lines = [{"barrages": 1, "dummies": 1, "boxes": 2}, {"side": "blue", "dummies": 3}]
    bases = [a_base("r", "red", -300, 0), a_base("b", "blue", 300, 0)]
    plans = [{0: [place(barrages=1, dummies=1)]}, {0: [place(dummies=1)]}, {0: [place(barrages=1)]}]
    seen = [
        watched(lay(bases=bases, lines=lines), 3, plan, {1: place(dummies=1)}) for plan in plans
    ]
    assert seen[0] == seen[1] == seen[2]


def test_6_1_h_games_with_different_chits_before_play_look_the_same(lay, a_base):
    from fireplan_miniatures_1943.scenario import FilledForm

    mixes = (
        (FilledForm(box=0, barrages=1), FilledForm(box=1, dummies=1)),
        (FilledForm(box=0, dummies=2), FilledForm(box=1, barrages=4, air_strikes=1)),
        (FilledForm(box=1, dummies=1), FilledForm(box=0, air_strikes=1)),
    )
    # The stack in box 1 has two moves left: it arrives in the second phase.
    seen = [watched(scenario_of(lay, a_base, filled=mix), 1, {}, BLUE) for mix in mixes]
    assert seen[0] == seen[1] == seen[2]
    assert "A stack starts on the request chart of the Russians" in seen[0][-1]


def test_6_1_h_on_arrival_they_look_different(lay, a_base):
    one, other = (watched(scenario_of(lay, a_base), 4, plan) for plan in PAIRS[0])
    assert one != other
    assert any("Red marker 1 is placed on the table at" in picture for picture in one)
    assert not any("is placed on the table" in picture for picture in other)


def test_6_1_h_nothing_that_is_seen_names_a_hidden_chit(lay, a_base):
    plan = {0: [place(barrages=2, air_strikes=1, dummies=2)], 1: [place(dummies=1)]}
    for picture in watched(scenario_of(lay, a_base), 3, plan):
        seen = json.loads(picture[: picture.rindex("\n}") + 2])
        for line in seen["log"]:
            # A side's own questions and orders name its own chits.
            if not line["text"].startswith("blue"):
                assert not any(word in line["text"].lower() for word in WORDS)
        # A chit's id is the name of its line, its kind and a number.
        assert not re.search(r"russian (barrage|air|dummy|\d)", picture)


def test_6_1_h_a_side_that_is_not_asked_learns_nothing_by_ordering(lay, a_base):
    session = Session(scenario_of(lay, a_base), 2)
    assert session.table.waits_for.who == "red"
    for order in (place(barrages=1), PASS, Order.of("mark", at=(0, 0))):
        assert Viewer(session, "blue").give(order) == Refusal(
            "", "this side has no order to give now"
        )
    assert as_data(Viewer(session, "blue").form()) == as_data(Prompt("wait"))
    assert Viewer(session, "red").form().question == "Which chits go into the Request box?"
    assert Viewer(session, "red").give(place(dummies=1)) is None


def test_6_1_h_the_chart_shows_stacks_by_box(lay, a_base):
    orders = {
        (0, "requests.request", "red"): place(barrages=2, dummies=3),
        (1, "requests.request", "red"): place(air_strikes=1),
    }
    charts = []
    for turns in (1, 2, 3):
        table = Table(scenario_of(lay, a_base), turns)
        left = dict(orders)
        while (waits := table.waits_for) is not None:
            order = table.rulebook.answer(waits, {}, table.read)
            if waits.question == "requests.request":
                order = left.pop((table.state.moment, waits.question, waits.who), PASS)
            table.submit(Answered(waits.question, order))
        charts.append(chart_of(table, "blue"))
    assert [list(map(str, chart)) for chart in charts] == [
        ["request chart, German: empty", f"request chart, Russian: {stacks}"]
        for stacks in (
            "Request box: stack",
            "Request box: stack; box 1: stack",
            "box 1: stack; box 2: stack",
        )
    ]
    boxes = {track.name: [box for box, _ in track.fields] for track in charts[0]}
    assert boxes["request chart, Russian"] == ["Request box", "box 1", "box 2", "Arrival box"]
    # Red sees blue's empty line, and its own chits with their contents.
    assert list(map(str, chart_of(table, "red"))) == [
        "request chart, German: empty",
        "request chart, Russian: box 1: air strike; box 2: barrage, barrage, dummy, dummy, dummy",
    ]


def test_6_1_f_own_chits_wait_in_the_arrival_box_until_their_markers_are_placed():
    scenario, form = find_scenario(Catalogue.installed(), "miniatures_1943/chits_in_hand")
    session, dice = Session(scenario, form.moments), RandomFaces("arrival")
    while getattr(session.table.waits_for, "question", "") != "requests.marker":
        step_on(session, dice)
    waiting = "request chart, American: Arrival box: barrage, barrage, barrage"
    assert waiting in Viewer(session, "american").situation().board
    step_on(session, dice)
    assert waiting.removesuffix(", barrage") in Viewer(session, "american").situation().board


def test_6_1_h_the_opponents_log_lists_stacks_with_their_rules(lay, a_base, drive):
    orders = {
        (0, "requests.request", "red"): place(barrages=1, dummies=1),
        (3, "requests.marker", "red"): Order.of("mark", at=(300, 0)),
    }
    table = drive(scenario_of(lay, a_base), 4, orders, faces=6)
    orders_and_dice = ("Blue: ", "Red: ", "roll ")
    seen = [
        line
        for line in log_of(table, "blue")
        if not line.partition(": ")[2].startswith(orders_and_dice)
    ]
    assert seen == [
        "turn 1: A stack is placed on the request chart of the Russians, in the Request box (6.1.c)",
        "turn 2: A stack on the request chart of the Russians moves to box 1 (6.1.f)",
        "turn 3: A stack on the request chart of the Russians moves to box 2 (6.1.f)",
        "turn 4: A stack on the request chart of the Russians reaches the Arrival box (6.1.f)",
        "turn 4: Red marker 1 is placed on the table at 300,0, with a radius of 140 yards (6.2.b)",
        "turn 4: Red marker 1 takes effect at 300,0 (6.2.e)",
        "turn 4: The b is destroyed (6.3.a)",
        "turn 4: Red marker 1 leaves the table (6.2.d)",
    ]
    # The owner sees the names of its own chits.
    assert any("Russian dummy 1" in line for line in log_of(table, "red"))


def test_6_1_h_a_dummy_an_unplaced_barrage_and_a_kept_strike_arrive_alike(lay, a_base):
    def seen(order):
        table = Table(scenario_of(lay, a_base), 4)
        while (waits := table.waits_for) is not None:
            answer = table.rulebook.answer(waits, {}, table.read)
            if waits.question == "requests.request":
                answer = (
                    order
                    if (table.state.moment, waits.who) == (0, "red") and table.log == ()
                    else PASS
                )
            if waits.question == "requests.marker":
                answer = Order.of("withhold")
            table.submit(Answered(waits.question, answer))
        return everything_seen(session_of(table), "blue")

    assert seen(place(dummies=1)) == seen(place(barrages=1)) == seen(place(air_strikes=1))


def test_6_1_h_no_seat_reads_the_names_of_the_other_sides_chits_beside_units():
    """A player's view of a base leaves out which barrages it has rolled for."""
    scenario, form = find_scenario(Catalogue.installed(), "miniatures_1943/river_crossing")
    session, dice = Session(scenario, form.moments), RandomFaces("5")
    told = set()
    while session.table.waits_for is not None:
        step_on(session, dice)
        for side in ("german", "soviet"):
            units = view_of(session, side).situation.units
            told |= {each for unit in units for each in unit.details}
    assert "prone" in told
    assert not any(word in each for word in WORDS for each in told)


def test_6_1_h_a_chit_that_comes_again_is_a_new_marker(lay, a_base, drive):
    scenario = lay(
        bases=[a_base("r", "red", -300, 0), a_base("b", "blue", 300, 0)],
        lines=[{"boxes": 0, "barrages": 2, "target_x": 900}],
        options={"supply": "renewed"},
    )
    table = drive(
        scenario, 4, {(turn, "requests.request", "red"): place(barrages=1) for turn in (0, 2)}
    )
    placed = [
        line.partition(" is placed on the table")[0]
        for line in log_of(table, "blue")
        if " is placed on the table" in line
    ]
    # The marker does not show whether the same chit is placed twice or a different one.
    assert placed == ["turn 2: Red marker 1", "turn 4: Red marker 2"]


def test_chits_have_one_nationality_in_their_names():
    """A line is named after its nation, and its side only if both sides have that nation."""
    scenario, _ = find_scenario(Catalogue.installed(), "miniatures_1943/river_crossing")
    named = {Words(scenario).asset(name).rstrip(" 12345") for name in scenario.missions}
    assert named == {
        f"{nation} {chit}"
        for nation in ("German", "Italian", "Soviet")
        for chit in ("barrage", "dummy")
    }


# --- the situation in words -----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("yards", "scale", "text"),
    [
        (140, 40, "3 1/2 in"),
        (80, 40, "2 in"),
        (240, 40, "6 in"),
        (60, 40, "1 1/2 in"),
        (140, 20, "7 in"),
        (-130, 40, "-3 1/4 in"),
        (10, 40, "1/4 in"),
        (0, 20, "0 in"),
    ],
)
def test_6_2_b_distances_in_inches(yards, scale, text):
    assert inches(yards, scale) == text


def board_of(session, side):
    delays = session.table.scenario.parts.delays
    lines = board(delays, View(session.table.read, session.table.scenario, "delays"), side)
    return [str(line) for line in lines]


def test_6_2_b_the_board_shows_both_sides_a_barrages_reach_in_yards_and_inches(lay, a_base):
    session = Session(scenario_of(lay, a_base, boxes=0), 3)
    session.order(place(barrages=1))
    session.order(PASS)
    while session.table.waits_for.question != "requests.marker":
        session.order(
            Order.of("done" if "resolution" in session.table.waits_for.question else "pass")
        )
    session.order(Order.of("mark", at=(200, Fraction(1, 2))))
    for side in ("red", "blue"):
        assert (
            "barrage at 200,1/2 (from 0,0: 5 in to the east, 1/80 in to the south), reaching 140 yards (3 1/2 in)"
            in board_of(session, side)
        )


def test_6_1_h_the_board_shows_the_own_hand_and_the_others_stacks(lay, a_base):
    session = Session(scenario_of(lay, a_base), 4)
    session.order(place(barrages=1))
    blue, red = board_of(session, "blue"), board_of(session, "red")
    assert "request chart, Russian: Request box: stack" in blue
    assert "in hand, German: barrages 2, air strikes 0, dummies 2" in blue
    assert not any("in hand, Red" in line for line in blue)
    assert "in hand, Russian: barrages 8, air strikes 4, dummies 9" in red
    assert "request chart, Russian: Request box: barrage" in red
    assert tuple(blue) == Viewer(session, "blue").situation().board


def test_6_1_f_a_chit_that_moves_on_the_chart_has_boxes_to_go_and_has_not_arrived(lay, a_base):
    words = Words(scenario_of(lay, a_base))
    assert words.stage(Stage.DELAYED) == "on the request chart"
    assert [words.detail("to_go", n) for n in (0, 1, 2)] == [
        "at the Arrival box",
        "1 box to go",
        "2 boxes to go",
    ]
