"""Vertices and spines against the relations printed in Red Poppies and against plane geometry."""

import math
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fireplan_core.space import (
    CoordinateError,
    along_spine,
    centre,
    distance,
    neighbours,
    parse_vertex,
    ring,
    rotate,
    spines,
    step,
    stray,
    vertex,
    vertex_centre,
    vertex_distance,
    vertex_label,
    vertices_of,
)

COMPASS = {"N": 1, "NE": 2, "SE": 3, "S": 4, "SW": 5, "NW": 6}
BEARINGS = {"NE": 30, "E": 90, "SE": 150, "SW": 210, "W": 270, "NW": 330}

hexes = st.tuples(st.integers(-40, 40), st.integers(-40, 40))
vertices = st.builds(lambda h, i: vertices_of(h)[i], hexes, st.integers(0, 5))


def bearing(a, b):
    (ax, ay), (bx, by) = (vertex_centre(v, 1) for v in (a, b))
    return round(math.degrees(math.atan2(bx - ax, ay - by)) % 360)


@pytest.mark.parametrize(
    ("start", "way", "end"),
    [
        ("X09", "SW", "W10"),
        ("W10", "NW", "V09"),
        ("X10", "NW", "W10"),
        ("X12", "N", "X11"),
        ("X11", "N", "X10"),
        ("V11", "N", "V10"),
        ("X11", "NW", "W11"),
        ("W11", "NW", "V10"),
        ("W10", "SW", "V10"),
    ],
)
def test_rp_example_of_play_moves(trenches, start, way, end):
    assert step(trenches.parse(start), COMPASS[way]) == trenches.parse(end)


@pytest.mark.parametrize(
    ("a", "b", "n"),
    [
        ("V12", "W10", 3),
        ("V10", "W10", 1),
        ("V10", "W11", 1),
        ("V11", "W11", 1),
        ("X13", "V12", 2),
        ("X09", "V10", 2),
        ("V12", "V10", 2),
        ("V10", "V09", 1),
    ],
)
def test_rp_example_of_play_ranges(trenches, a, b, n):
    assert distance(trenches.parse(a), trenches.parse(b)) == n


@pytest.mark.parametrize(
    "pair",
    [
        "O19 P19",
        "P19 Q19",
        "O19 N18",
        "N18 M19",
        "Q18 R17",
        "Q18 Q19",
        "O22 P21",
        "O22 P22",
        "AS04 AT03",
        "AT03 AU03",
        "AT04 AU05",
        "AU04 AV04",
        "AH15 AG16",
        "AH16 AG17",
        "AG10 AH09",
        "AH09 AI10",
    ],
)
def test_rp_3_5_3_6_printed_hexes_are_adjacent(trenches, pair):
    a, b = map(trenches.parse, pair.split())
    assert b in neighbours(a)


@pytest.mark.parametrize("pair", ["O18 P19", "O19 M19", "Q19 R17"])
def test_rp_3_6_printed_hexes_are_not_adjacent(trenches, pair):
    a, b = map(trenches.parse, pair.split())
    assert b not in neighbours(a)


def test_rp_7_244_spines_of_the_printed_vertex(trenches):
    aim = parse_vertex("N18/O19/N19", trenches)
    assert vertex_label(aim, trenches) == "N18/N19/O19"
    assert [name for name, _ in spines(aim)] == ["NE", "SE", "W"]


@pytest.mark.parametrize(
    ("die", "lands"),
    [
        (1, "M19/N18/N19"),
        (2, "M19/N18/N19"),
        (3, "N18/O18/O19"),
        (4, "N18/O18/O19"),
        (5, "N19/O19/O20"),
        (6, "N19/O19/O20"),
    ],
)
def test_rp_7_244_to_7_246_stray_counts_clockwise_from_the_named_spine(trenches, die, lands):
    aim = parse_vertex("N18/N19/O19", trenches)
    assert vertex_label(stray(aim, "W", die), trenches) == lands


@given(vertices)
def test_rp_7_243_a_vertex_is_three_hexes_and_as_far_from_each(corner):
    assert len(set(corner)) == 3
    assert corner == tuple(sorted(corner)) == vertex(*reversed(corner))
    for h in corner:
        assert math.dist(centre(h, 40), vertex_centre(corner, 40)) == pytest.approx(
            40 / math.sqrt(3)
        )


@given(vertices)
def test_spines_lead_to_their_ends_clockwise_and_back(corner):
    names = [name for name, _ in spines(corner)]
    assert names in (["NE", "SE", "W"], ["E", "SW", "NW"])
    assert names[0] == ("NE" if corner[0][0] == corner[1][0] else "E")
    for name, far in spines(corner):
        assert bearing(corner, far) == BEARINGS[name]
        assert len(set(corner) & set(far)) == 2
        assert along_spine(corner, name) == far
        assert corner in dict(spines(far)).values()
        assert math.dist(vertex_centre(corner, 1), vertex_centre(far, 1)) == pytest.approx(
            1 / math.sqrt(3)
        )


@given(vertices, st.integers(0, 2))
def test_every_stray_is_one_spine_away_and_each_spine_takes_two_faces(corner, first):
    name = spines(corner)[first][0]
    lands = [stray(corner, name, die) for die in range(1, 7)]
    assert lands[::2] == lands[1::2]
    assert set(lands) == {far for _, far in spines(corner)}
    turns = [(bearing(corner, far) - BEARINGS[name]) % 360 for far in lands[::2]]
    assert turns == [0, 120, 240]


@given(hexes)
def test_a_hex_has_six_vertices_clockwise_round_it(hex_):
    corners = vertices_of(hex_)
    assert len(set(corners)) == 6
    assert all(hex_ in corner for corner in corners)
    x, y = centre(hex_, 1)
    seen = [
        math.degrees(math.atan2(cx - x, y - cy)) % 360
        for cx, cy in (vertex_centre(c, 1) for c in corners)
    ]
    assert seen == pytest.approx([30, 90, 150, 210, 270, 330])
    assert all(
        corner in dict(spines(following)).values() for corner, following in pairwise(corners)
    )


@given(hexes, st.integers(0, 5))
def test_turning_the_hexes_turns_the_vertex(hex_, sixths):
    for i, corner in enumerate(vertices_of(hex_)):
        assert (
            vertex(*(rotate(h, hex_, sixths) for h in corner))
            == vertices_of(hex_)[(i + sixths) % 6]
        )


def test_hexes_that_do_not_meet_form_no_vertex():
    for a, b, c in (((0, 0), (1, 0), (2, 0)), ((0, 0), (0, 0), (1, 0)), ((0, 0), (0, 1), (0, 2))):
        with pytest.raises(ValueError, match="do not meet"):
            vertex(a, b, c)


def test_missing_spines_and_impossible_dice_are_refused(trenches):
    aim = parse_vertex("N18/N19/O19", trenches)
    for wrong in ("E", "N", ""):
        with pytest.raises(ValueError, match="NE, SE, W"):
            stray(aim, wrong, 1)
    for die in (0, 7):
        with pytest.raises(ValueError, match="from 1 to 6"):
            stray(aim, "W", die)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("N18/N19", "three hexes"),
        ("N18", "three hexes"),
        ("N18/N19/O9", "2 digit"),
        ("N18/N19/Q19", "do not meet"),
        ("N18/N18/N19", "do not meet"),
    ],
)
def test_an_invalid_vertex_is_refused_with_a_valid_hint(trenches, text, problem):
    with pytest.raises(CoordinateError, match=problem) as raised:
        parse_vertex(text, trenches)
    hint = raised.value.suggestion
    assert (
        vertex_label(parse_vertex(hint, trenches), trenches) == hint
        if "/" in hint
        else trenches.parse(hint)
    )


@given(vertices)
def test_vertex_labels_read_back_beyond_the_map_too(trenches, wrapped, corner):
    for layout in (trenches, wrapped):
        assert parse_vertex(vertex_label(corner, layout), layout) == corner


def vertex_graph(hexes_):
    """Return the corners of some hexes as an undirected graph whose edges are spines."""
    corners = {corner for h in hexes_ for corner in vertices_of(h)}
    graph = nx.Graph(
        (corner, far) for corner in corners for _, far in spines(corner) if far in corners
    )
    graph.add_nodes_from(corners)
    return graph


def test_graph_of_one_hex_is_a_circle_of_six_spines():
    graph = vertex_graph([(3, 4)])
    assert set(graph) == set(vertices_of((3, 4)))
    assert sorted(d for _, d in graph.degree()) == [2] * 6
    assert graph.number_of_edges() == 6


def test_graph_of_a_map_obeys_euler_and_its_edges_are_spines(trenches):
    hexes_ = trenches.hexes()
    graph = vertex_graph(hexes_)
    # In a connected map without holes, the number of cells is edges - nodes + 1.
    assert graph.number_of_edges() - graph.number_of_nodes() + 1 == len(hexes_)
    assert all(b in dict(spines(a)).values() for a, b in graph.edges)
    inner = vertex(*(trenches.parse(t) for t in ("N18", "N19", "O19")))
    assert set(graph[inner]) == {far for _, far in spines(inner)}


def test_graph_of_a_ring_has_the_hole_as_a_face():
    graph = vertex_graph(ring((0, 0), 1))
    assert graph.number_of_edges() - graph.number_of_nodes() + 1 == 6 + 1


def test_the_distance_of_vertices_is_the_length_of_a_shortest_way_along_hexsides():
    start = vertices_of((3, 3))[0]
    away, edge = {start: 0}, [start]
    for steps in range(1, 9):
        edge = [far for near in edge for _, far in spines(near) if far not in away]
        away |= dict.fromkeys(edge, steps)
    assert len(away) > 100
    assert {corner: vertex_distance(start, corner) for corner in away} == away
