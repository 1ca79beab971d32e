"""Ready parts: ready-made common procedures that a game configures with its own figures.

A ready part takes its figures from class attributes and its rule numbers from ``cites``; ``needs``
lists the names that ``cites`` must contain. To use a ready part, subclass it, fill in the figures,
and override any behaviour that differs in your game. An areas part combines one class that decides
where a shot lands with another that decides which places it covers: ``class MyAreas(Scatter,
Disc)``. Ready parts know nothing about any particular game, tables in play, or odds.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
