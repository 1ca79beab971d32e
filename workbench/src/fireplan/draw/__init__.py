"""The drawing room: colours for light and dark, SVG, type, shapes and charts, shared by every picture of fireplan.

It knows no game and no comparison; the sheet, the board, the charts and the diagrams are laid out where they belong.
"""

from fireplan.draw._marks import CENTRE, OWN_TROOPS, centred, cross, haloed, hatches, own_troops
from fireplan.draw._schemes import DARK_RULES, Scheme, in_scheme, page_style
from fireplan.draw._shapes import Outline, Point, box, centroid, hexagon, inner_radius, merged, round_length, square
from fireplan.draw._svg import FONT, Svg, document, element, group, marker, number, path_of, points, text
from fireplan.draw._type import TIMES, TO, amount, clean, percent, shorten, width, wrap
from fireplan.draw._vega import drawn, png, specification
from fireplan.draw.palette import Look, contrast, ink_on, look, looks_of, shade

__all__ = [
    "CENTRE",
    "DARK_RULES",
    "FONT",
    "OWN_TROOPS",
    "TIMES",
    "TO",
    "Look",
    "Outline",
    "Point",
    "Scheme",
    "Svg",
    "amount",
    "box",
    "centred",
    "centroid",
    "clean",
    "contrast",
    "cross",
    "document",
    "drawn",
    "element",
    "group",
    "haloed",
    "hatches",
    "hexagon",
    "in_scheme",
    "ink_on",
    "inner_radius",
    "look",
    "looks_of",
    "marker",
    "merged",
    "number",
    "own_troops",
    "page_style",
    "path_of",
    "percent",
    "png",
    "points",
    "round_length",
    "shade",
    "shorten",
    "specification",
    "square",
    "text",
    "width",
    "wrap",
]
