"""Positions of the game whose outcomes are counted and compared with frozen figures."""

from importlib.resources import files


def test_at_least_ten_positions_are_frozen():
    frozen = files("fireplan_battletech") / "data" / "perft"
    assert len([file for file in frozen.iterdir() if file.name.endswith(".txt")]) >= 10
