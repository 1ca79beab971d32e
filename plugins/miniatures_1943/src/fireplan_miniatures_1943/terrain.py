"""Terrain that barrages wreck: segments, which of them a roll destroys, and the way to the nearest cover.

Pure measuring and choosing (6.4); when it happens and what is told of it is in ``resolution``.
"""

from collections.abc import Collection, Iterable
from fractions import Fraction
from functools import lru_cache
from math import hypot
from typing import Literal

import attrs

from fireplan_core import AT_PLACES, Place, View, kept, record
from fireplan_core.space import Point, Rectangle, squared_distance, yards
from fireplan_miniatures_1943.bases import METRES_PER_YARD
from fireplan_miniatures_1943.geometry import (
    Spot,
    Surd,
    corners,
    cross,
    dot,
    nearest_point,
    spot,
    squared_gap,
    within,
)

TerrainKind = Literal["building", "woods", "trench", "wire"]

HARD: tuple[TerrainKind, ...] = ("building", "trench")
COVER: tuple[TerrainKind, ...] = ("building", "woods", "trench")


@attrs.frozen
class LossRule:
    """A natural roll (a named number) that destroys the nearest segment of each of these kinds, and its rules."""

    number: str
    kinds: tuple[TerrainKind, ...]
    cite: str
    crater_cite: str


LOSS_RULES = (
    LossRule("building_loss_roll", ("building", "woods"), "6.4.f", "6.4.g"),
    LossRule("trench_loss_roll", ("trench", "wire"), "6.4.h", "6.4.i"),
)


@attrs.frozen
class Segment:
    """A piece of terrain: a rectangle, or a line between two points (``ends``)."""

    id: str
    kind: TerrainKind
    ground: Rectangle | None = None
    ends: tuple[Point, Point] | None = None

    def shape(self) -> tuple[Spot, ...]:
        """Return its corners, exact."""
        if self.ground is not None:
            return corners(self.ground)
        return tuple(dict.fromkeys(spot(end) for end in self.ends or ()))

    @property
    def drawn(self) -> tuple[tuple[float, float], ...]:
        """Return its corners in metres, for maps."""
        yard = float(METRES_PER_YARD)
        return tuple((float(x) * yard, float(y) * yard) for x, y in self.shape())

    def middle(self) -> Point:
        """Return its middle, exact."""
        if self.ground is not None:
            return self.ground.centre
        (ax, ay), (bx, by) = self.ends or ((0, 0), (0, 0))
        return yards(Fraction(ax + bx) / 2), yards(Fraction(ay + by) / 2)


@record
class Terrain:
    """The segments of a scenario file, which of them are lost, and the middles of the craters."""

    segments: tuple[Segment, ...] = kept((), "the pieces of terrain", "6.4.f")
    lost: tuple[str, ...] = kept((), "the pieces of terrain that are lost", "6.4.f, 6.4.h")
    craters: tuple[Point, ...] = kept(
        (), "middle of a cratered zone", "6.4.g, 6.4.i", word="crater", places=AT_PLACES
    )


@attrs.frozen
class Wreck:
    """A natural roll that destroys terrain, and where the base lay that rolled it."""

    rule: LossRule
    base: Rectangle


@attrs.frozen
class Loss:
    """A segment that is destroyed, by which natural roll, and the middle of the crater if it leaves one."""

    segment: Segment
    rule: LossRule
    crater: Point | None


def segments_left(view: View) -> tuple[Segment, ...]:
    """Return the segments that still stand (the view is the resolution's)."""
    terrain = view.shared(Terrain)
    lost = terrain.lost
    return tuple(segment for segment in terrain.segments if segment.id not in lost)


def hard_cover(view: View, base: Rectangle, *, without: Collection[Segment] = ()) -> bool:
    """Return whether a base is in hard cover of the terrain that stands, some segments of it left out."""
    return any(s.kind in HARD and s not in without and on(base, s) for s in segments_left(view))


def losses(
    wrecks: Iterable[Wreck],
    segments: Collection[Segment],
    gone: Collection[Rectangle],
    standing: Collection[Rectangle],
    *,
    within: int,
    preference: bool,
    trench_crater: bool,
) -> tuple[Loss, ...]:
    """Return what the rolls destroy one after the other: of each kind the nearest segment left, within so many yards.

    ``gone`` are bases just lost, ``standing`` those on the table. Of equally near segments the order of 6.4.k
    decides when ``preference`` is set, then the lower id.
    """
    left = {segment.id: segment for segment in sorted(segments, key=lambda segment: segment.id)}
    found: list[Loss] = []
    for wreck in wrecks:
        for kind in wreck.rule.kinds:
            near = [
                (gap, rank(segment, gone, standing) if preference else 0, segment.id)
                for segment in left.values()
                if segment.kind == kind and (gap := gap_to(wreck.base, segment)) <= within**2
            ]
            if not near:
                continue
            segment = left.pop(min(near)[2])
            leaves = kind != "trench" or trench_crater
            found.append(Loss(segment, wreck.rule, segment.middle() if leaves else None))
    return tuple(found)


def kinds_near(base: Rectangle, segments: Iterable[Segment], *, within: int) -> list[TerrainKind]:
    """Return the kind of every segment within so many yards of a base."""
    return [segment.kind for segment in segments if gap_to(base, segment) <= within**2]


def rank(segment: Segment, gone: Iterable[Rectangle], standing: Iterable[Rectangle]) -> int:
    """Return 0 where a base was just lost, 1 where none stands, 2 where one stands (6.4.k)."""
    lost = any(on(base, segment) for base in gone)
    return 0 if lost else 1 + any(on(base, segment) for base in standing)


# Exact measuring is slow, and the same few bases and segments are measured in every situation that
# odds meet.
@lru_cache(maxsize=65_536)
def on(base: Rectangle, segment: Segment) -> bool:
    """Return whether a base stands in or on a segment; touching counts."""
    return within(corners(base), segment.shape(), 0)


@lru_cache(maxsize=65_536)
def gap_to(base: Rectangle, segment: Segment) -> Surd:
    """Return the squared distance between a base and a segment, in square yards."""
    return squared_gap(corners(base), segment.shape())


@lru_cache(maxsize=65_536)
def in_crater(base: Rectangle, crater: Point, across: int) -> bool:
    """Return whether a base stands wholly or partly in a cratered zone so many yards across."""
    return within(corners(base), (spot(crater),), Fraction(across, 2))


# --- the way to cover ---------------------------------------------------------------------------------
def nearest_cover(base: Rectangle, segments: Iterable[Segment]) -> tuple[Segment, Spot] | None:
    """Return the nearest cover that a base is not in already, and its point nearest to the base's middle.

    None when there is no cover left, or the base is in some.
    """
    covers = [(gap_to(base, s), s.id, s) for s in segments if s.kind in COVER]
    if not covers:
        return None
    gap, _, segment = min(covers, key=lambda entry: entry[:2])
    if gap <= 0:
        return None
    return segment, nearest_point(segment.shape(), spot(base.centre))


def towards(start: Point, cover: Spot, to: Place, most: int) -> bool:
    """Return whether a move goes straight to cover, at most a yard off the line, and at most so many yards (6.4.l)."""
    if to == start or squared_distance(start, to) > most**2:
        return False
    move, way = (
        spot((to[0] - start[0], to[1] - start[1])),
        (cover[0] - start[0], cover[1] - start[1]),
    )
    off = cross(move, way)
    return dot(move, way) > 0 and off * off <= dot(way, way)


def steps_to(start: Point, cover: Spot, most: int) -> tuple[Point, ...]:
    """Return points on the way to cover that a base may move to: as far as it goes, then half of it.

    ``most`` is how many yards it may go.
    """
    east, south = float(cover[0]) - start[0], float(cover[1]) - start[1]
    far = hypot(east, south)
    found: list[Point] = []
    for way in (min(most, far), min(most, far) / 2):
        x, y = start[0] + int(east * way / far), start[1] + int(south * way / far)
        found += [
            point
            for point in ((x, y),)
            if towards(start, cover, point, most) and point not in found
        ]
    return tuple(found)
