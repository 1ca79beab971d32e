"""Ready parts: common procedures to configure, for games that consist mainly of figures.

A ready part is a part whose figures are class attributes and whose rule numbers are in ``cites``;
``needs`` lists the required ones. Subclass it, fill in the figures, and override whatever your game
does differently. An areas part combines where a shot lands with what it covers: ``class
MyAreas(Scatter, Disc)``. Nothing here knows a particular game, a table in play or odds.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
