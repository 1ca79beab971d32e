"""Charts through Vega-Lite, without a network: the style that all share, and their drawings as SVG and PNG."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from fireplan.draw.palette import GRID, INK, LINE, PAPER
from fireplan.draw.schemes import Scheme, in_scheme
from fireplan.draw.svg import FONT


def specification(title: str, body: dict[str, Any]) -> str:
    """Return a chart of that title as the text of a specification; equal charts are equal texts."""
    type_ = {"labelColor": INK, "titleColor": INK, "labelFontSize": 12}
    config = {
        "font": FONT,
        "background": PAPER,
        "axis": {**type_, "gridColor": GRID, "domainColor": LINE, "tickColor": LINE, "titleFontSize": 12},
        "legend": {**type_, "symbolSize": 110, "labelLimit": 320, "orient": "bottom", "columns": 2},
        "title": {"color": INK, "fontSize": 15, "anchor": "start"},
        "view": {"stroke": LINE},
    }
    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "title": title, "config": config, **body}
    return json.dumps(whole, sort_keys=True)


@lru_cache(maxsize=128)
def drawn(spec: str, scheme: Scheme = "auto") -> str:
    """Return a specification as SVG; the same one always gives the same bytes."""
    import vl_convert

    return in_scheme(str(vl_convert.vegalite_to_svg(vl_spec=spec, vl_version="5.20")), scheme)


@lru_cache(maxsize=32)
def png(svg: str) -> bytes:
    """Return an SVG as PNG, twice as fine as it is drawn on a page."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg=svg, scale=2))
