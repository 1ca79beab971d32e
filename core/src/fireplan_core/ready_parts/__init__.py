"""Ready parts: common procedures to configure, so that a table-driven game writes down little but its figures.

A ready part is a part of ``fireplan_core`` whose figures are class attributes and whose rule
numbers stand in ``cites``; ``needs`` names those that must be there. Subclass, fill in, override
what your game does otherwise. An areas part is put together from where a shot lands and what it
covers: ``class MyAreas(Scatter, Disc)``. Nothing here knows a game, a table in play or odds.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
