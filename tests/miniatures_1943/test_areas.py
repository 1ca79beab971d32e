"""Circles and strips: which bases a marker reaches, to the yard, and how long it stays."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fireplan_core import Order, Refusal, View
from fireplan_core.play import Answered, Table
from fireplan_core.space import PlaneRectangle
from fireplan_miniatures_1943.chits import strip
from fireplan_miniatures_1943.geometry import corners, rectangles_touch, within_circle


# A standard base is 40 yards wide and 20 deep and faces north: 20 yards to either side, 10 to front
# and rear.
@pytest.mark.parametrize(
    ("place", "hit"),
    [
        ((0, 0), True),  # the base is wholly inside
        ((0, 150), True),  # the near edge is at 140 yards
        ((0, 151), False),
        ((0, -150), True),
        ((0, -151), False),
        ((160, 0), True),  # the near edge is at 140 yards
        ((161, 0), False),
        ((104, 122), True),  # the near corner, at (84, 112), is on the circle: 84^2 + 112^2 = 140^2
        ((105, 122), False),
        ((104, 123), False),
        ((-104, -122), True),
    ],
)
def test_6_2_b_a_spotted_barrage_reaches_140_yards(stage, covered, place, hit):
    assert covered(stage(), (0, 0), place, spotted=True) == hit


@pytest.mark.parametrize(
    ("place", "hit"),
    [
        ((0, 0), True),
        ((0, 90), True),
        ((0, 91), False),
        ((100, 0), True),
        ((101, 0), False),
        ((68, 74), True),  # the near corner, at (48, 64), is on the circle: 48^2 + 64^2 = 80^2
        ((69, 74), False),
        ((68, 75), False),
    ],
)
def test_6_2_c_a_blind_barrage_reaches_80_yards(stage, covered, place, hit):
    assert covered(stage(), (0, 0), place, spotted=False) == hit
    assert covered(stage(), (500, -70), (place[0] + 500, place[1] - 70), spotted=False) == hit


@pytest.mark.parametrize(
    ("place", "heading", "hit"),
    [
        # Along (3, 4) the base's edge is 10 yards in front of its centre: 150 yards away the base
        # touches the circle.
        ((90, 120), (3, 4), True),
        ((91, 120), (3, 4), False),
        # At right angles to the heading, the edge is 20 yards from the centre: along (4, -3) the
        # base touches the circle at 160 yards.
        ((128, -96), (3, 4), True),
        ((129, -96), (3, 4), False),
        # A quarter turn exchanges frontage and depth.
        ((150, 0), (1, 0), True),
        ((151, 0), (1, 0), False),
        ((0, 160), (1, 0), True),
        ((0, 161), (1, 0), False),
    ],
)
def test_6_2_e_turned_bases_are_measured_at_their_nearest_edge(place, heading, hit):
    base = PlaneRectangle(place, heading, length=20, width=40)
    assert within_circle(base, (0, 0), 140) == hit


@given(st.integers(-200, 200), st.integers(-200, 200), st.booleans())
def test_6_2_e_the_nearest_point_of_a_base_decides(x, y, spotted):
    dx, dy = max(0, abs(x) - 20), max(0, abs(y) - 10)
    radius = 140 if spotted else 80
    base = PlaneRectangle((x, y), (0, -1), length=20, width=40)
    assert within_circle(base, (0, 0), radius) == (dx * dx + dy * dy <= radius * radius)


def test_6_2_e_base_sizes_are_an_option(stage, covered):
    # 40 x 40: the edge is 20 yards in front, so at 160 yards the base touches the circle.
    assert covered(stage(base="40x40"), (0, 0), (0, 160), spotted=True)
    assert not covered(stage(base="40x40"), (0, 0), (0, 161), spotted=True)


def test_6_2_e_a_unit_with_an_extent_is_a_circle(stage, covered):
    # 18.288 m are 20 yards.
    extent = Fraction("18.288")
    assert covered(stage(), (0, 0), (96, 128), extent, spotted=True)  # the base is 160 yards away
    assert not covered(stage(), (0, 0), (97, 128), extent, spotted=True)


@pytest.mark.parametrize(
    ("place", "hit"),
    [
        ((0, 0), True),
        # The strip ends 120 yards east of its middle; the base begins 20 yards west of its own.
        ((140, 0), True),
        ((141, 0), False),
        ((-140, 0), True),
        ((-141, 0), False),  # the base is behind the marker's front edge
        ((0, 50), True),  # the strip reaches 40 yards to the side, and the base 10
        ((0, 51), False),
        ((140, 50), True),  # the strip and the base touch corner to corner
        ((141, 50), False),
        ((140, 51), False),
    ],
)
def test_6_2_j_an_air_strike_covers_240_yards_about_its_middle_where_that_is_named(
    stage, covered, place, hit
):
    assert (
        covered(stage(chit="air strike", strike_point="middle"), (0, 0), place, heading=(1, 0))
        == hit
    )


@pytest.mark.parametrize(
    ("place", "hit"),
    [
        # Flying along (3, 4) the strip's corners are (40, 120), (104, 72) and their opposites.
        ((124, 72), True),
        ((125, 72), False),
        ((40, 130), True),
        ((40, 131), False),
        ((-124, -72), True),
        ((-125, -72), False),
    ],
)
def test_6_2_j_a_strip_at_an_angle_reaches_with_its_corners(stage, covered, place, hit):
    assert (
        covered(stage(chit="air strike", strike_point="middle"), (0, 0), place, heading=(3, 4))
        == hit
    )


def test_6_2_j_the_strip_begins_at_the_front_edge(stage):
    # The marker has the middle of its front edge at (0, 0) and flies south, so the middle of its
    # strip is (0, 120).
    ours = strip(stage(chit="air strike", strike_point="middle").parts.areas, (0, 120), (0, 1))
    ahead = strip(stage(chit="air strike").parts.areas, (0, 0), (0, 1))
    for point in ((0, 0), (0, -1), (40, 240), (41, 240), (40, 241), (-40, 0), (-40, -1)):
        spot = PlaneRectangle(point, (1, 0), length=0, width=0)
        assert rectangles_touch(ours, spot) == rectangles_touch(ahead, spot)


@pytest.mark.parametrize(
    ("heading", "place", "hit"),
    [
        # The strip reaches from the edge's middle (0, 0) to 240 yards east; bases are 40 yards wide
        # and 20 deep.
        ((1, 0), (-20, 0), True),
        ((1, 0), (-21, 0), False),  # the base is behind the front edge
        ((1, 0), (260, 0), True),
        ((1, 0), (261, 0), False),
        ((1, 0), (120, 50), True),
        ((1, 0), (120, 51), False),
        # Flying along (3, 4) its corners are (-32, 24), (32, -24), (112, 216) and (176, 168).
        ((3, 4), (196, 168), True),
        ((3, 4), (197, 168), False),
        ((3, 4), (32, -34), True),
        ((3, 4), (32, -35), False),
    ],
)
def test_6_2_j_an_air_strike_covers_240_yards_before_its_front_edge(
    stage, covered, heading, place, hit
):
    assert covered(stage(chit="air strike"), (0, 0), place, heading=heading) == hit


def test_6_2_j_placed_by_either_point_a_strike_covers_the_target_alike(stage, play, seen, engage):
    by_edge, by_middle = (
        stage(engage("american"), chit="air strike", strike_point=point)
        for point in ("front edge", "middle")
    )
    (_, edge), *_ = seen(play(by_edge, 2), "placed")
    (_, middle), *_ = seen(play(by_middle, 2), "placed")
    # The strike flies east, so the middle of its front edge is 120 yards (half its length of 240)
    # west of the strip's middle.
    assert (edge["at"], middle["at"]) == ((-120, 0), (0, 0))
    ground = [
        corners(strip(one.parts.areas, fields["at"], (1, 0)))
        for one, fields in ((by_edge, edge), (by_middle, middle))
    ]
    assert ground[0] == ground[1]


@pytest.mark.parametrize(
    ("place", "hit"),
    [
        ((0, Fraction(301, 2)), False),  # the near edge is at 140 1/2 yards
        ((0, Fraction(149999, 1000)), True),
        ((Fraction(313, 2), Fraction(1)), True),
        ((Fraction(160001, 1000), 0), False),
    ],
)
def test_6_2_b_a_fraction_of_a_yard_decides(stage, covered, place, hit):
    assert covered(stage(), (0, 0), place, spotted=True) == hit
    # The result is the same if the marker, not the base, is off the grid of whole yards.
    away = tuple(-yards for yards in place)
    assert covered(stage(), away, (0, 0), spotted=True) == hit


@pytest.mark.parametrize("width", [40, 80, 240])
def test_6_2_j_the_width_of_the_strip_is_an_option(stage, covered, width):
    scenario = stage(chit="air strike", strip_width=width)
    assert covered(scenario, (0, 0), (0, width // 2 + 10), heading=(1, 0))
    assert not covered(scenario, (0, 0), (0, width // 2 + 11), heading=(1, 0))


def test_6_2_j_the_player_turns_the_air_strike(stage, play, seen, engage):
    orders = {"areas.heading": lambda *_: Order.of("head", along=(-2, 5))}
    table = play(stage(engage("american"), chit="air strike"), 2, orders=orders)
    assert [fields["heading"] for _, fields in seen(table, "placed")] == [(-2, 5)]


@pytest.mark.parametrize(
    "along", [(0, 0), (1,), (1, 2, 3), "north", None, 5, (True, 0), (Fraction(1, 2), 1)]
)
def test_6_2_j_a_direction_must_point_somewhere(stage, engage, along):
    table = Table(stage(engage("american"), chit="air strike"), 2)
    while table.waits_for.question != "areas.heading":
        waits = table.waits_for
        table.submit(Answered(waits.question, table.rulebook.answer(waits, {}, table.read)))
    refusal = table.submit(Answered("areas.heading", Order.of("head", along=along)))
    assert isinstance(refusal, Refusal)
    assert refusal.cite == "6.2.j"


# --- spotted or blind -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("observer", "yards"),
    [
        ({"sight": "clear"}, 140),
        ({"sight": "burst_only"}, 80),
        ({"sight": "none"}, 80),
        ({"kind": "offboard"}, 80),
        ({"kind": "aircraft", "link": "aircraft"}, 80),
        ({"kind": "none", "sight": "none"}, 80),
        ({"link": "runner"}, 140),
    ],
)
def test_6_2_b_only_a_friendly_ground_base_that_sees_the_point_spots(
    stage, play, seen, engage, observer, yards
):
    scenario = stage(engage("american", observer=observer))
    (placed,) = seen(play(scenario, 2), "placed")
    assert placed == (1, {"mission": "a", "at": (0, 0), "yards": yards})
    noted = any("barrages are blind" in note for note in scenario.provenance)
    assert noted == (observer.get("kind") in ("offboard", "aircraft"))


@pytest.mark.parametrize(("sight", "radius"), [("clear", 140), ("none", 80)])
def test_6_2_c_the_footprint_is_that_of_the_circle(stage, engage, sight, radius):
    scenario = stage(engage(observer={"sight": sight}))
    view = View({**scenario.initial, "missions/a/impact": (0, 0)}.get, scenario, "areas")
    cells, hectares = scenario.parts.areas.footprint(view, "a")
    assert cells == ((0, 0),)
    (outline,) = scenario.parts.areas.shape(view, "a")
    assert all(math.hypot(*corner) == pytest.approx(radius * 0.9144) for corner in outline)
    assert hectares == pytest.approx(3.14159265 * (radius * 0.9144) ** 2 / 10_000)


def test_6_2_j_the_footprint_of_a_strike_is_its_strip(stage):
    scenario = stage(chit="air strike")
    view = View({**scenario.initial, "missions/a/impact": (0, 0)}.get, scenario, "areas")
    cells, hectares = scenario.parts.areas.footprint(view, "a")
    assert hectares == pytest.approx(240 * 80 * 0.9144**2 / 10_000)
    assert cells == ((0, 0),)
    (outline,) = scenario.parts.areas.shape(view, "a")
    # The strip reaches 240 yards forward from the marker's front edge, and 40 to either side.
    assert sorted(math.hypot(*corner) / 0.9144 for corner in outline) == pytest.approx(
        [40, 40, math.hypot(240, 40), math.hypot(240, 40)]
    )


# --- how long it stays ----------------------------------------------------------------------------
def test_6_2_d_a_barrage_falls_in_its_turn_and_is_gone_before_the_next_phase(
    stage, play, seen, engage
):
    table = play(stage(engage("american")), 2)
    assert [turn for turn, _ in seen(table, "fall")] == [1]
    assert [(turn, f["reason"].value) for turn, f in seen(table, "ended")] == [(1, "exhausted")]
    assert table.read("missions/a/impact", 0) is None


@pytest.mark.parametrize("turns", [2, 3])
def test_6_2_d_option_leaves_the_marker_for_more_turns(stage, play, seen, engage, turns):
    table = play(stage(engage("american"), duration_turns=turns), turns + 1)
    assert [turn for turn, _ in seen(table, "lingering")] == [1]
    assert [turn for turn, _ in seen(table, "ended")] == [turns]
    # The marker stays, but no base rolls again for it (6.2.g).
    assert [turn for turn, _ in seen(table, "fall")] == [1]


def test_6_2_k_an_air_strike_is_gone_after_use_however_long_barrages_stay(
    stage, play, seen, engage
):
    table = play(stage(engage("american"), chit="air strike", duration_turns=3), 2)
    assert [turn for turn, _ in seen(table, "fall")] == [1]
    assert [turn for turn, _ in seen(table, "ended")] == [1]
    assert [e.event.cite for e in table.log if e.event.kind == "ended"] == ["6.2.k"]
