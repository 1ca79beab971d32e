"""Bases: their men, their footprint, how they stand. What happens to them is in ``resolution``."""

from __future__ import annotations

from fractions import Fraction

METRES_PER_YARD = Fraction(1143, 1250)

MEN = 20
"""Men of one infantry base (introduction to the rules)."""


def footprint(option: str) -> tuple[int, int]:
    """Frontage and depth in yards of the option ``base``, written as ``40x20``."""
    frontage, depth = map(int, option.split("x"))
    return frontage, depth


def spread(
    bases: int, frontage: Fraction, depth: Fraction, base: tuple[Fraction, Fraction]
) -> tuple[tuple[tuple[Fraction, Fraction], ...], bool]:
    """Centres of bases spread evenly over a rectangle, as (east, south) of its middle; whether they fit.

    All measures in one unit. Of the arrangements in rows in which no bases overlap it is the one whose
    spacings across and in depth differ least.
    """

    def spacing(rows: int) -> tuple[Fraction, Fraction]:
        return frontage / -(-bases // rows), depth / rows

    def fits(rows: int) -> bool:
        across, back = spacing(rows)
        return (rows >= bases or across >= base[0]) and (rows == 1 or back >= base[1])

    rows = min(range(1, bases + 1), key=lambda n: (not fits(n), abs(spacing(n)[0] - spacing(n)[1])))
    points: list[tuple[Fraction, Fraction]] = []
    for row in range(rows):
        count = bases // rows + (row < bases % rows)
        south = depth * (2 * row + 1 - rows) / (2 * rows)
        points += [(frontage * (2 * n + 1 - count) / (2 * count), south) for n in range(count)]
    return tuple(points), fits(rows)
