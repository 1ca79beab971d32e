"""The frontier of two goals as a picture (SVG): its corners, joined by the lines that tossing for a policy gives."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from xml.sax.saxutils import escape

WIDTH, HEIGHT, EDGE = 640, 420, 70


def frontier_svg(corners: Sequence[tuple[Fraction, Fraction]], across: str, up: str) -> str:
    """Draw one dot a corner, the first goal across and the second upward, the scales from least to most."""
    points = [(float(one), float(other)) for one, other in corners]
    (left, right), (low, high) = (_range([point[axis] for point in points]) for axis in (0, 1))

    def at(point: tuple[float, float]) -> tuple[float, float]:
        x = EDGE + (point[0] - left) / (right - left) * (WIDTH - 2 * EDGE)
        y = HEIGHT - EDGE - (point[1] - low) / (high - low) * (HEIGHT - 2 * EDGE)
        return round(x, 1), round(y, 1)

    line = " ".join(f"{x},{y}" for x, y in map(at, points))
    dots = "".join(
        f'<circle cx="{x}" cy="{y}" r="4"><title>{one:.6g}, {other:.6g}</title></circle>'
        for (x, y), (one, other) in zip(map(at, points), points, strict=True)
    )
    base = HEIGHT - EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"'
        ' font-size="13">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
        f'<path d="M{EDGE},{EDGE // 2}V{base}H{WIDTH - EDGE // 2}" fill="none" stroke="#555"/>'
        f'<polyline points="{line}" fill="none" stroke="#24527a" stroke-width="1.5"/>'
        f'<g fill="#24527a">{dots}</g>'
        f'<text x="{EDGE}" y="{base + 20}">{left:.4g}</text>'
        f'<text x="{WIDTH - EDGE}" y="{base + 20}" text-anchor="end">{right:.4g}</text>'
        f'<text x="{EDGE - 6}" y="{base}" text-anchor="end">{low:.4g}</text>'
        f'<text x="{EDGE - 6}" y="{EDGE}" text-anchor="end">{high:.4g}</text>'
        f'<text x="{WIDTH / 2}" y="{base + 44}" text-anchor="middle">{escape(across)}</text>'
        f'<text x="{EDGE}" y="{EDGE // 2 - 10}">{escape(up)}</text>'
        "</svg>\n"
    )


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Return the least and the most; widened where all are alike."""
    least, most = min(values), max(values)
    return (least, most) if most > least else (least - 0.5, most + 0.5)
