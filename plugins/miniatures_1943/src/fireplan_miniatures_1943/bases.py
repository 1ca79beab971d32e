"""Bases: their men, their classes, their footprint, how they stand. What happens to them is in ``resolution``."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import attrs

from fireplan_core.space import Point, Rectangle

METRES_PER_YARD = Fraction(1143, 1250)


FACING: Point = (0, -1)
"""The way bases face unless they say so: north, towards the firer."""

Class = Literal["infantry", "heavy weapon", "cavalry", "truck", "vehicle"]
"""Classes of bases; all but armoured vehicles are personnel (6.3.f)."""

PERSONNEL: tuple[Class, ...] = ("infantry", "heavy weapon", "cavalry", "truck")

Posture = Literal["standing", "prone", "dug_in"]


@attrs.frozen
class Stand:
    """The base itself: which way it points, its depth along that and its frontage across, in yards; its level."""

    heading: Point
    length: int
    width: int
    level: int = 0

    def at(self, place: Point) -> Rectangle:
        """The ground that it takes up with its centre at a place."""
        return Rectangle(place, self.heading, length=self.length, width=self.width)


@attrs.frozen
class BaseFacts:
    """What the chart asks about a base and never changes (6.3.f); its stand, where a scenario file gives one."""

    personnel: bool
    stand: Stand | None = None

    def at(self, place: Point) -> Rectangle:
        """The ground that the base takes up at a place; a base without a stand is the point alone."""
        return Rectangle(place, FACING, length=0, width=0) if self.stand is None else self.stand.at(place)


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
