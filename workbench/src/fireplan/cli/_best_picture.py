"""The frontier of two goals as a picture (SVG): its corners, joined by the lines that tossing for a policy gives."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from fireplan.draw.palette import LINE, SERIES
from fireplan.draw.schemes import Scheme
from fireplan.draw.svg import document, element, group, points, text

WIDTH, HEIGHT, EDGE = 640, 420, 70


def frontier_svg(
    corners: Sequence[tuple[Fraction, Fraction]], across: str, up: str, scheme: Scheme = "auto"
) -> str:
    """Return one dot a corner, the first goal across and the second upward, the scales from least to most."""
    values = [(float(one), float(other)) for one, other in corners]
    (left, right), (low, high) = (_range([value[axis] for value in values]) for axis in (0, 1))
    base = HEIGHT - EDGE
    line = [
        (EDGE + (one - left) / (right - left) * (WIDTH - 2 * EDGE), base - (other - low) / (high - low) * (base - EDGE))
        for one, other in values
    ]
    dots = [
        element("circle", element("title", f"{one:.6g}, {other:.6g}"), cx=x, cy=y, r=4)
        for (x, y), (one, other) in zip(line, values, strict=True)
    ]
    return document(
        WIDTH,
        HEIGHT,
        element("path", d=f"M{EDGE},{EDGE // 2}V{base}H{WIDTH - EDGE // 2}", fill="none", stroke=LINE),
        element("polyline", points=points(line), fill="none", stroke=SERIES[0], stroke_width=1.5),
        group(None, *dots, fill=SERIES[0]),
        text((EDGE, base + 20), f"{left:.4g}", size=13),
        text((WIDTH - EDGE, base + 20), f"{right:.4g}", size=13, anchor="end"),
        text((EDGE - 6, base), f"{low:.4g}", size=13, anchor="end"),
        text((EDGE - 6, EDGE), f"{high:.4g}", size=13, anchor="end"),
        text((WIDTH / 2, base + 44), across, size=13, anchor="middle"),
        text((EDGE, EDGE // 2 - 10), up, size=13),
        scheme=scheme,
    )


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Return least and most; widened where all are alike."""
    least, most = min(values), max(values)
    return (least, most) if most > least else (least - 0.5, most + 0.5)
