"""The marks that every map shares: hatches, lines that are seen on any ground, own troops, the centre."""

from importlib.resources import files

from fireplan.draw.palette import BLACK, PAPER
from fireplan.draw.svg import Svg, element, number

_DRAWN = (files("fireplan.draw").joinpath(f"{name}.svg") for name in ("hatches", "own_troops"))
HATCHES, OWN_MARK = (Svg(file.read_text(encoding="utf-8")) for file in _DRAWN)
"""The patterns ``hatch-fire``, ``hatch-lingers`` and ``hatch-own``; and the mark for own troops about (0, 0)."""
OWN_TROOPS = (15.0, 8.0)
"""Half the width and height of the mark for own troops."""
CENTRE = "M-12,0H-5M5,0H12M0,-12V-5M0,5V12"


def haloed(d: str, line: float, halo: float, dash: str | None = None, cap: str | None = None) -> Svg:
    """Return a path as a black line with a white halo: it is seen on every step of the ramp."""
    path = {"d": d, "fill": "none", "stroke_linejoin": "round"}
    return Svg(
        element("path", **path, stroke=PAPER, stroke_width=halo, stroke_linecap=cap)
        + element("path", **path, stroke=BLACK, stroke_width=line, stroke_dasharray=dash)
    )


def centred(half_width: float, half_height: float, **attributes: object) -> Svg:
    """Return a rectangle about (0, 0)."""
    return element("rect", x=-half_width, y=-half_height, width=2 * half_width, height=2 * half_height, **attributes)


def cross(wide: float, high: float) -> str:
    """Return the cross that marks a centre; its middle is open by half a width and height, if these are given."""
    if not wide:
        return "M-9,0H9M0,-9V9"
    arms = [number(arm) for arm in (wide, wide + 6, high, high + 6)]
    return "M-{1},0H-{0}M{0},0H{1}M0,-{3}V-{2}M0,{2}V{3}".format(*arms)
