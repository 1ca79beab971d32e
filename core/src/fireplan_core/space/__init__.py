"""Space: hexes, hex vertices, the plane in yards, printed coordinates, and frames.

This package is pure geometry, without games, terrain or lines of sight. Throughout, x grows
eastward and y southward. All results that can decide a rule are computed in integers.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
