"""Ready parts: common procedures to configure, so that a table-driven game writes down little but its figures.

A ready part is a part of ``fireplan_core`` whose figures are class attributes and whose rule numbers stand in
``cites``; ``needs`` names those that must be there. Subclass, fill in, override what your game does otherwise.
An areas part is put together from where a shot lands and what it covers: ``class MyAreas(Scatter, Disc)``.
Nothing here knows a game, a table in play or odds.
"""

from fireplan_core.blocks._ready import Ready
from fireplan_core.blocks.delays import DrawPile, FixedDelay, LinkState, Relay, Track
from fireplan_core.blocks.landing import AsAimed, Deviation, Scatter
from fireplan_core.blocks.observers import DeclaredSight
from fireplan_core.blocks.requests import AskAndFire
from fireplan_core.blocks.resolution import Depletion, Losses, ScoreCheck, TableLookUp, Troops
from fireplan_core.blocks.scenario import PlainScenario, PlainUnit, stage_plain
from fireplan_core.blocks.shapes import Circle, Corner, Disc, HexAreas, Line

__all__ = [
    "AsAimed", "AskAndFire", "Circle", "Corner", "DeclaredSight", "Depletion", "Deviation", "Disc", "DrawPile",
    "FixedDelay", "HexAreas", "Line", "LinkState", "Losses", "PlainScenario", "PlainUnit", "Ready", "Relay", "Scatter",
    "ScoreCheck", "TableLookUp", "Track", "Troops", "stage_plain",
]  # fmt: skip
