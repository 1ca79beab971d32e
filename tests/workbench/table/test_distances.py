"""Distances at the table are given in the units that players count: hexes, vertices, yards or
metres.
"""

from __future__ import annotations

import pytest

from fireplan.table.plain_words import apart
from fireplan_core.space import HexFrame, Layout, PlaneFrame, VertexFrame, lettered_columns

BOARD = Layout(lettered_columns(15), (1, 15), (1, 15))


@pytest.mark.parametrize(
    ("frame", "first", "second", "words"),
    [
        (HexFrame(1609.0, BOARD), "E5", "E6", "1 hex"),
        (HexFrame(40.0, BOARD), "E5", "K5", "6 hexes"),
        (HexFrame(40.0, BOARD), "E5", "E10", "5 hexes"),
        (VertexFrame(183.0, BOARD), "E5/E6/F5", "E5/E6/D5", "1 vertex"),
        (VertexFrame(183.0, BOARD), "E5/E6/F5", "E7/E8/F7", "4 vertices"),
        (VertexFrame(183.0, BOARD), "E5/E6/F5", "E8", "2 hexes"),
        (PlaneFrame(), "0,0", "30,40", "50 yards"),
        (PlaneFrame(1.0), "0,0", "300,400", "500 m"),
    ],
)
def test_a_distance_is_counted_in_the_unit_of_the_map(frame, first, second, words):
    assert apart(frame, frame.parse(first), frame.parse(second)) == words
