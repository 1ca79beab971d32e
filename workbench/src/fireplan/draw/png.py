"""Pictures in pixels, without a network."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=32)
def png(svg: str) -> bytes:
    """Return an SVG as PNG, twice as fine as it is drawn on a page."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg=svg, scale=2))
