"""Vega-Lite without a network: the look that all charts share, and drawings of specifications as SVG and PNG."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from fireplan.compare._drawing import INK, SOFT_INK


def specification(title: str, body: dict[str, Any]) -> str:
    """A chart of that title as the text of a specification; equal charts are equal texts."""
    config = {
        "font": "Liberation Sans, Helvetica, Arial, sans-serif",
        "background": "#ffffff",
        "axis": {
            "labelColor": INK,
            "titleColor": INK,
            "gridColor": "#d5d9de",
            "labelFontSize": 12,
            "titleFontSize": 12,
        },
        "legend": {
            "labelColor": INK,
            "titleColor": INK,
            "labelFontSize": 12,
            "symbolSize": 110,
            "labelLimit": 320,
            "orient": "bottom",
            "columns": 2,
        },
        "title": {"color": INK, "fontSize": 15, "anchor": "start", "subtitleColor": SOFT_INK},
        "view": {"stroke": "#8a8f96"},
    }
    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "title": title, "config": config, **body}
    return json.dumps(whole, sort_keys=True)


@lru_cache(maxsize=128)
def drawn(spec: str) -> str:
    """A specification as SVG; the same one always gives the same bytes."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(vl_spec=spec, vl_version="5.20"))


@lru_cache(maxsize=32)
def png(svg: str) -> bytes:
    """An SVG as PNG, twice as fine as it is drawn on a page."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg=svg, scale=2))
