"""Space: hexes, hex vertices, the plane in yards, printed coordinates, and frames.

It is pure geometry without games, terrain or sight. x grows eastward and y southward throughout;
whatever decides a rule is computed in integers.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
