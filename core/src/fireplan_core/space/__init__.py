"""Space: hex cells, hex vertices and the plane in yards, printed coordinates, and frames to compare them.

Pure geometry, at the bottom of the framework: no game, no terrain, no sight. x grows eastward and y
southward throughout; what decides a rule is worked out in integers.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
