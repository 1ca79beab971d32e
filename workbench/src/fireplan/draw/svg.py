"""SVG: elements nest as calls do, text is escaped, and numbers are written to a hundredth of a pixel."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal
from xml.sax.saxutils import escape

from fireplan.draw.palette import INK, PAPER, Look
from fireplan.draw.schemes import following
from fireplan.draw.shapes import Outline, Point

FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
_NAMESPACE = "http://www.w3.org/2000/svg"
# XML 1.0 has no way to write these, escaped or not.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Svg(str):
    """Markup that is written already; any other text is escaped where an element takes it in."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return itself, for templates that escape what is no markup."""
        return self


def number(value: float) -> str:
    """Return a coordinate, to a hundredth of a pixel."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def points(outline: Iterable[Point]) -> str:
    """Return the ``points`` of a polygon or polyline."""
    return " ".join(f"{number(x)},{number(y)}" for x, y in outline)


def path_of(loops: Iterable[Outline]) -> str:
    """Return the ``d`` of a path along closed loops."""
    return "".join("M" + "L".join(points([corner]) for corner in loop) + "Z" for loop in loops)


def _written(value: object) -> str:
    text = number(value) if isinstance(value, int | float) else _NOT_XML.sub("\ufffd", str(value))
    return escape(text, {'"': "&quot;"})


def element(name: str, /, *inside: str, **attributes: object) -> Svg:
    """Return an element; in names of attributes ``_`` stands for a hyphen, and None leaves an attribute out."""
    named = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_written(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    body = "".join(each if isinstance(each, Svg) else _written(each) for each in inside)
    end = "" if name == "tspan" else "\n"
    return Svg(f"<{name}{named}>{body}</{name}>{end}" if body else f"<{name}{named}/>{end}")


def group(class_: str | None, /, *inside: str, at: Point | None = None, **attributes: object) -> Svg:
    """Return a group, moved to a point if one is given."""
    move = None if at is None else f"translate({number(at[0])} {number(at[1])})"
    return element("g", *inside, class_=class_, transform=move, **attributes)


def text(
    at: Point,
    *words: str,
    size: float = 12,
    fill: str = INK,
    bold: bool = False,
    anchor: Literal["middle", "end"] | None = None,
    **attributes: object,
) -> Svg:
    """Return a line of type that begins, or has its middle or end, at a point."""
    attributes = {"font_weight": "bold" if bold else None, "text_anchor": anchor, **attributes}
    return element("text", *words, x=at[0], y=at[1], font_size=size, fill=fill, **attributes)


def marker(at: Point, look: Look) -> Svg:
    """Return the marker of a game."""
    move = f"translate({number(at[0])} {number(at[1])})"
    return element("path", d=look.marker, transform=move, fill=look.colour, stroke=PAPER, stroke_width=1.2)


def document(width: float, height: float, *inside: str, **attributes: object) -> Svg:
    """Return a whole picture on paper, which follows its reader."""
    picture = element(
        "svg",
        element("rect", width=width, height=height, fill=PAPER),
        *inside,
        xmlns=_NAMESPACE,
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        font_family=FONT,
        **attributes,
    )
    return Svg(following(picture))


@lru_cache(maxsize=32)
def png(svg: str) -> bytes:
    """Return an SVG as PNG, twice as fine as it is drawn on a page."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg=svg, scale=2))
