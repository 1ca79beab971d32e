"""Space: hex cells, hex vertices and the plane in yards, printed coordinates, and frames to compare them.

Pure geometry, at the bottom of the framework: no game, no terrain, no sight. x grows eastward and y southward
throughout; what decides a rule is worked out in integers.
"""

from fireplan_core.space._frames import SQUARE_METRES, Frame, HexFrame, Place, PlaneFrame, VertexFrame
from fireplan_core.space._hexes import (
    DIRECTIONS,
    PLACE,
    Hex,
    alternate_grain,
    centre,
    disc,
    distance,
    hex_grain,
    hexes_touching,
    line,
    nearest_hex,
    neighbours,
    opposite,
    ring,
    rotate,
    span,
    step,
)
from fireplan_core.space._layout import CoordinateError, Layout, lettered_columns, numbered_columns
from fireplan_core.space._plane import (
    Heading,
    Point,
    Rectangle,
    Yards,
    rectangles_touch,
    squared_distance,
    strip_ahead,
    wholly_within_circle,
    within_circle,
    yards,
)
from fireplan_core.space._sight_line import Crossing, crossings, sight_line
from fireplan_core.space._vertices import (
    Compass,
    Vertex,
    along_spine,
    parse_vertex,
    spines,
    stray,
    vertex,
    vertex_centre,
    vertex_graph,
    vertex_label,
    vertices_of,
)

__all__ = [
    "DIRECTIONS", "PLACE", "SQUARE_METRES", "Compass", "CoordinateError", "Crossing", "Frame", "Heading", "Hex",
    "HexFrame", "Layout", "Place", "PlaneFrame", "Point", "Rectangle", "Vertex", "VertexFrame", "Yards",
    "along_spine", "alternate_grain", "centre", "crossings", "disc", "distance", "hex_grain", "hexes_touching",
    "lettered_columns", "line", "nearest_hex", "neighbours", "numbered_columns", "opposite", "parse_vertex",
    "rectangles_touch", "ring", "rotate", "sight_line", "span", "spines", "squared_distance", "step", "stray",
    "strip_ahead", "vertex", "vertex_centre", "vertex_graph", "vertex_label", "vertices_of", "wholly_within_circle",
    "within_circle", "yards",
]  # fmt: skip
