"""What tests of Advanced Squad Leader share beside their fixtures: scenarios from text, hexes, a battery at hand."""

from __future__ import annotations

from fireplan_asl.places import pieces_between
from fireplan_core.play import Variation, load_scenario

ON_HAND = {"delays__contact": True, "delays__access": True, "delays__black": 7}
"""A mission whose Observer has Radio Contact and Battery Access, for ``Referee.stand``."""


def read(catalogue, tmp_path, text, **numbers):
    """The scenario that a text describes, with these numbers of the game changed."""
    path = tmp_path / "example.toml"
    path.write_text(text, encoding="utf-8")
    return load_scenario(catalogue, path, variation=Variation(numbers=numbers))[0]


def at(game, label):
    """The hex of a referee's table that bears a label."""
    return game.scenario.frame.parse(label)


def passed(frame, a, b):
    """The hexes that a line between two centres passes; along a hexside, both sides of it."""
    return tuple(cell for piece in pieces_between(frame, a, b) for cell in piece)
