"""Frames: places on three kinds of map in metres, as labels, and as exact keys for distances."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fireplan_core.space import (
    CoordinateError,
    HexFrame,
    PlaneFrame,
    VertexFrame,
    disc,
    distance,
    is_place,
    label_of,
    neighbours,
    spines,
    vertices_of,
)

HEX_M = 40  # ASL A2.1
TRENCH_M = 200 * 0.9144  # Red Poppies 2.2

hexes = st.tuples(st.integers(-30, 30), st.integers(-30, 30))
vertices = st.builds(lambda h, i: vertices_of(h)[i], hexes, st.integers(0, 5))
points = st.tuples(st.integers(-2000, 2000), st.integers(-2000, 2000))


@pytest.fixture(scope="module")
def frames(board, trenches):
    return {
        "hex": (HexFrame(HEX_M, board), hexes),
        "vertex": (VertexFrame(TRENCH_M, trenches), st.one_of(hexes, vertices)),
        "plane": (PlaneFrame(), points),
    }


@pytest.mark.parametrize("kind", ["hex", "vertex", "plane"])
@given(data=st.data())
def test_gap_is_an_exact_key_of_the_metres_between(frames, kind, data):
    frame, places = frames[kind]
    a, b, c = (data.draw(places) for _ in range(3))
    metres = math.dist(frame.metres(a), frame.metres(b))
    assert isinstance(frame.gap(a, b), int)
    assert frame.gap(a, b) == frame.gap(b, a) >= 0
    assert (frame.gap(a, b) == 0) == (a == b)
    assert frame.gap_metres(frame.gap(a, b)) == pytest.approx(metres, abs=1e-6)
    if metres < math.dist(frame.metres(a), frame.metres(c)) - 1e-6:
        assert frame.gap(a, b) < frame.gap(a, c)


@pytest.mark.parametrize("kind", ["hex", "vertex", "plane"])
@given(data=st.data())
def test_labels_read_back_on_the_map_and_beyond(frames, kind, data):
    frame, places = frames[kind]
    place = data.draw(places)
    assert frame.parse(frame.label(place)) == place


@pytest.mark.parametrize(("kind", "aims"), [("hex", hexes), ("vertex", hexes), ("plane", points)])
@given(data=st.data())
def test_the_nearest_place_to_a_place_is_itself(frames, kind, aims, data):
    frame, _ = frames[kind]
    place = data.draw(aims)
    assert frame.nearest(*frame.metres(place)) == place


def test_the_three_scales_in_metres(frames):
    hex_frame, vertex_frame, plane = (frames[k][0] for k in ("hex", "vertex", "plane"))
    # U3 and W4 are two hexes apart (C1.62).
    assert hex_frame.gap_metres(hex_frame.gap(hex_frame.parse("U3"), hex_frame.parse("W4"))) == 80
    aim, far = vertex_frame.parse("N18/N19/O19"), vertex_frame.parse("M19/N18/N19")
    assert vertex_frame.gap(aim, far) == 1
    assert vertex_frame.gap_metres(1) == pytest.approx(182.88 / math.sqrt(3))
    assert vertex_frame.gap(vertex_frame.parse("X13"), vertex_frame.parse("X12")) == 3
    assert plane.gap_metres(plane.gap((0, 0), (84, 112))) == pytest.approx(140 * 0.9144)
    assert plane.metres((100, -50)) == pytest.approx((91.44, -45.72))


@given(vertices)
def test_a_vertex_is_one_key_from_its_hexes_and_from_its_spines_ends(frames, corner):
    frame, _ = frames["vertex"]
    assert {frame.gap(corner, h) for h in corner} == {1}
    assert {frame.gap(corner, far) for _, far in spines(corner)} == {1}
    on_map = [frame.label(h) for h in corner if frame.on_map(h)]
    # At the edge of the map two hexes may name a corner if they have no other corner in common.
    assert frame.label(corner).split("/") in ([frame.label(h) for h in corner], on_map)


@given(hexes)
def test_of_equally_near_places_the_lowest_is_taken(frames, hex_):
    hex_frame, plane = (frames[k][0] for k in ("hex", "plane"))
    same_scale = VertexFrame(HEX_M, hex_frame.layout)
    for corner in vertices_of(hex_):
        assert hex_frame.nearest(*same_scale.metres(corner)) == corner[0]
    assert PlaneFrame(1).nearest(2.5, -2.5) == (2, -3)
    assert plane.nearest(0.4, 0.5) == (0, 1)


@given(hexes)
def test_a_target_no_wider_than_a_hex_occupies_its_own_hex(frames, hex_):
    for frame, spacing in ((frames["hex"][0], HEX_M), (frames["vertex"][0], TRENCH_M)):
        assert frame.cells(hex_, 0) == frame.cells(hex_, spacing / 2) == (hex_,)
        assert frame.cells(hex_, 0.51 * spacing) == (hex_, *neighbours(hex_))


@given(hexes)
def test_c1_32_ground_of_a_trench_hex_reaches_over_the_asl_blast_area(frames, hex_):
    frame, _ = frames["hex"]
    found = frame.cells(hex_, TRENCH_M / 2)
    assert found[0] == hex_
    # 91.44 m and half a hex are 2.79 spacings: all hexes within 2, and the twelve at 2.65.
    assert len(found) == 31
    assert set(disc(hex_, 2)) < set(found)
    assert max(distance(hex_, h) for h in found) == 3


@given(vertices, st.floats(0, 5))
def test_rp_7_241_a_target_at_a_vertex_occupies_at_least_the_three_hexes(frames, corner, extent):
    frame, _ = frames["vertex"]
    assert frame.cells(corner, 0) == corner
    found = frame.cells(corner, extent * TRENCH_M)
    assert found[:3] == corner
    assert len(set(found)) == len(found)
    assert len(found) % 3 == 0


def test_the_plane_has_no_cells(frames):
    assert frames["plane"][0].cells((3, 4), 100) == ((3, 4),)


@pytest.mark.parametrize("kind", ["hex", "vertex", "plane"])
def test_negative_extents_are_refused(frames, kind):
    with pytest.raises(ValueError, match="expected an extent of 0 m or more"):
        frames[kind][0].cells((0, 0), -1)


@pytest.mark.parametrize("kind", ["hex", "plane"])
def test_a_frame_without_vertices_refuses_a_vertex(frames, kind):
    frame, corner = frames[kind][0], vertices_of((0, 0))[0]
    for ask in (frame.metres, frame.label, lambda p: frame.gap(p, p), lambda p: frame.cells(p, 0)):
        with pytest.raises(ValueError, match="vertex"):
            ask(corner)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("120", "120,0"),
        ("120 -40", "120,-40"),
        ("1.5", "3/2,0"),
        ("1/0,2", "1,0"),
        ("", "0,0"),
        ("9" * 5000 + ",1", None),
    ],
)
def test_an_invalid_point_is_refused_with_a_valid_hint(text, hint):
    frame = PlaneFrame()
    with pytest.raises(CoordinateError, match="yards east") as raised:
        frame.parse(text)
    assert frame.label(frame.parse(raised.value.suggestion)) == (hint or raised.value.suggestion)


@given(st.tuples(*[st.fractions(-2000, 2000, max_denominator=999)] * 2))
def test_fractions_of_a_yard_are_places_and_read_back(point):
    plane = PlaneFrame()
    assert plane.parse(plane.label(point)) == point
    assert plane.gap(point, (0, 0)) == point[0] ** 2 + point[1] ** 2
    assert plane.metres(point) == pytest.approx(tuple(float(yards) * 0.9144 for yards in point))


def test_fractions_of_a_yard_are_exact_and_whole_ones_whole_numbers():
    x, y = PlaneFrame().parse("3.50,-14/4")
    assert (x, y) == (Fraction(7, 2), Fraction(-7, 2))
    assert [type(part) for part in PlaneFrame().parse("6/2,4.0")] == [int, int]
    assert PlaneFrame().label((Fraction(4, 2), Fraction(-1, 3))) == "2,-1/3"
    with pytest.raises(ValueError, match="fractions"):
        PlaneFrame().label((0.5, 0))


def test_points_may_be_written_with_spaces_and_signs():
    assert PlaneFrame().parse(" +120 , -40 ") == (120, -40)


def test_hex_and_vertex_frames_refuse_invalid_labels(frames):
    for kind in ("hex", "vertex"):
        with pytest.raises(CoordinateError):
            frames[kind][0].parse("nowhere")


def test_frames_are_values_with_a_size(board, frames):
    assert HexFrame(HEX_M, board) == frames["hex"][0]
    assert len({HexFrame(HEX_M, board), frames["hex"][0]}) == 1
    for make in (lambda: HexFrame(0, board), lambda: VertexFrame(-1, board), lambda: PlaneFrame(0)):
        with pytest.raises(ValueError, match="must be > 0"):
            make()


@pytest.mark.parametrize("kind", ["hex", "vertex", "plane"])
@given(data=st.data())
def test_a_place_has_a_label_that_reads_back(frames, kind, data):
    frame, places = frames[kind]
    place = data.draw(places)
    assert is_place(frame, place)
    assert frame.parse(label_of(frame, place)) == place


@pytest.mark.parametrize("value", ["A1", 3, None, (), (1,), (True, False), ("a", 1), (1, 2, 3)])
@pytest.mark.parametrize("kind", ["hex", "vertex", "plane"])
def test_other_values_have_no_label(frames, kind, value):
    assert label_of(frames[kind][0], value) is None


def test_hexes_without_a_common_vertex_have_no_label(frames):
    frame, corner = frames["vertex"][0], vertices_of((3, 3))[0]
    assert label_of(frame, corner) is not None
    assert label_of(frame, corner[::-1]) is None
    assert label_of(frame, ((0, 0), (5, 5), (9, 9))) is None
