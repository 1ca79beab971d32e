"""Filling in Jinja templates, mostly of SVG.

In SVG, numbers are rounded to a hundredth of a pixel and text is escaped.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from fireplan.draw import palette
from fireplan.draw.palette import DARK_RULES
from fireplan.draw.shapes import Outline, Point

if TYPE_CHECKING:
    import jinja2

FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
# XML 1.0 cannot hold these characters, even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COLOURS = ("INK", "SOFT", "LINE", "GRID", "PAPER", "PLATE", "BLANK", "BLACK")


def coordinate(value: float) -> str:
    """Return a coordinate as text, to a hundredth of a pixel."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def points(outline: Iterable[Point]) -> str:
    """Return the ``points`` attribute of a polygon or polyline."""
    return " ".join(f"{coordinate(x)},{coordinate(y)}" for x, y in outline)


def path_of(loops: Iterable[Outline]) -> str:
    """Return the ``d`` attribute of a path along closed loops."""
    return "".join("M" + "L".join(points([corner]) for corner in loop) + "Z" for loop in loops)


def _shown(value: Any) -> Any:
    if isinstance(value, int | float):
        return coordinate(value)
    return value if isinstance(value, Markup) else _NOT_XML.sub("\ufffd", str(value))


@cache
def template_environment(package: str) -> jinja2.Environment:
    """Return the template environment of a package, in which palette colours have names.

    Templates may extend and use those of ``fireplan.draw``.
    """
    import jinja2

    loaders = [jinja2.PackageLoader(name) for name in dict.fromkeys((package, "fireplan.draw"))]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=jinja2.select_autoescape(["svg.j2"]),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
    )
    environment.globals.update({name.lower(): getattr(palette, name) for name in _COLOURS})
    environment.globals.update(font=FONT, dark=Markup(DARK_RULES), series=palette.SERIES[0])  # noqa: S704 - our own template
    return environment


def picture(package: str, template: str, *, width: float, height: float, **shown: Any) -> Markup:
    """Return an SVG picture from a template of a package, with the variables ``shown``.

    The template must extend ``picture.svg.j2``.
    """
    drawn = (
        template_environment(package)
        .get_template(template)
        .render(width=width, height=height, **shown)
    )
    return Markup(drawn)  # noqa: S704 - the template escapes


def filled_template(package: str, template: str, **shown: Any) -> str:
    """Render a package's template with the values in ``shown`` and return the text."""
    return template_environment(package).get_template(template).render(shown)


_PNG = b"\x89PNG\r\n\x1a\n"
"""The first bytes of every PNG."""
LARGEST = 300_000
"""Bytes above which a PNG is drawn smaller."""


@lru_cache(maxsize=32)
def png(svg: str) -> bytes:
    """Return an SVG as PNG, at one and a half times its size.

    A picture that would then have more than ``LARGEST`` bytes is given at its own size.
    """
    import vl_convert

    def drawn(scale: float) -> bytes:
        return compressed(bytes(vl_convert.svg_to_png(svg=svg, scale=scale)))

    large = drawn(1.5)
    return large if len(large) <= LARGEST else drawn(1)


def compressed(image: bytes) -> bytes:
    """Return a PNG with the same pixels, about a fifth as large as a fast encoder makes it."""
    chunks: list[tuple[bytes, bytes]] = []
    start = len(_PNG)
    while start < len(image):
        (length,) = struct.unpack(">I", image[start : start + 4])
        kind = image[start + 4 : start + 8]
        chunks.append((kind, image[start + 8 : start + 8 + length]))
        start += length + 12  # the length, the kind and the checksum have four bytes each
    pixels = zlib.decompress(b"".join(content for kind, content in chunks if kind == b"IDAT"))
    head, rest = chunks[:1], [chunk for chunk in chunks[1:] if chunk[0] != b"IDAT"]
    written = [_PNG]
    for kind, content in (*head, (b"IDAT", zlib.compress(pixels, 9)), *rest):
        checksum = zlib.crc32(kind + content)
        written += [struct.pack(">I", len(content)), kind, content, struct.pack(">I", checksum)]
    return b"".join(written)
