"""Ready parts: common procedures to configure, so that a table-driven game writes down little but its figures.

A ready part is a part of ``fireplan.mission`` whose figures are class attributes and whose rule numbers stand in
``cites``; ``needs`` names those that must be there. Subclass, fill in, override what your game does otherwise.
An areas part is put together from where a shot lands and what it covers: ``class MyAreas(Scatter, Disc)``.
Nothing here knows a game, a table in play or odds.
"""

from fireplan.parts._ready import Ready
from fireplan.parts.delays import DrawPile, FixedDelay, LinkState, Relay, Track
from fireplan.parts.landing import AsAimed, Deviation, Scatter
from fireplan.parts.observers import DeclaredSight
from fireplan.parts.requests import AskAndFire
from fireplan.parts.resolution import Depletion, Losses, ScoreCheck, TableLookUp, Troops
from fireplan.parts.scenario import PlainScenario, PlainUnit, lay_plain
from fireplan.parts.shapes import Circle, Corner, Disc, Line

__all__ = [
    "AsAimed",
    "AskAndFire",
    "Circle",
    "Corner",
    "DeclaredSight",
    "Depletion",
    "Deviation",
    "Disc",
    "DrawPile",
    "FixedDelay",
    "Line",
    "LinkState",
    "Losses",
    "PlainScenario",
    "PlainUnit",
    "Ready",
    "Relay",
    "Scatter",
    "ScoreCheck",
    "TableLookUp",
    "Track",
    "Troops",
    "lay_plain",
]
