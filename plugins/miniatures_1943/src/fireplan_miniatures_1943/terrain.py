"""Terrain that barrages destroy: segments, their losses, and the way to the nearest cover (6.4).

This module measures and chooses; the steps and events are in ``resolution``.
"""

from collections.abc import Collection, Iterable
from fractions import Fraction
from functools import lru_cache
from math import hypot
from typing import Literal

import attrs

from fireplan_core import AT_PLACES, Place, View, kept, record
from fireplan_core.space import Outline, PlaneRectangle, Point, squared_distance, yards
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
"""Kinds of terrain that are hard cover."""
COVER: tuple[TerrainKind, ...] = ("building", "woods", "trench")
"""Kinds of terrain that are cover of any type."""


@attrs.frozen
class LossRule:
    """A natural roll, and the kinds of terrain whose nearest segment it destroys.

    ``number`` is the name of the roll in the game's numbers. ``cite`` is the rule for the loss, and
    ``crater_cite`` the rule for the crater that it leaves.
    """

    number: str
    kinds: tuple[TerrainKind, ...]
    cite: str
    crater_cite: str


LOSS_RULES = (
    LossRule("building_loss_roll", ("building", "woods"), "6.4.f", "6.4.g"),
    LossRule("trench_loss_roll", ("trench", "wire"), "6.4.h", "6.4.i"),
)


@attrs.frozen
class TerrainPiece:
    """A piece of terrain: a rectangle, or a line between two points (``ends``)."""

    id: str
    kind: TerrainKind
    ground: PlaneRectangle | None = None
    ends: tuple[Point, Point] | None = None

    def shape(self) -> tuple[Spot, ...]:
        """Return the exact corners of the segment, in yards."""
        if self.ground is not None:
            return corners(self.ground)
        return tuple(dict.fromkeys(spot(end) for end in self.ends or ()))

    @property
    def drawn(self) -> Outline:
        """Return the segment's corners in metres, for drawing."""
        yard = float(METRES_PER_YARD)
        return tuple((float(x) * yard, float(y) * yard) for x, y in self.shape())

    def middle(self) -> Point:
        """Return the exact middle of the segment, in yards."""
        if self.ground is not None:
            return self.ground.centre
        (ax, ay), (bx, by) = self.ends or ((0, 0), (0, 0))
        return yards(Fraction(ax + bx) / 2), yards(Fraction(ay + by) / 2)


@record
class Terrain:
    """The segments in a scenario file, the segments lost, and the centres of craters."""

    segments: tuple[TerrainPiece, ...] = kept((), "the segments of terrain", "6.4.f")
    lost: tuple[str, ...] = kept((), "the segments of terrain that are lost", "6.4.f, 6.4.h")
    craters: tuple[Point, ...] = kept(
        (), "middle of a cratered zone", "6.4.g, 6.4.i", word="crater", places=AT_PLACES
    )


@attrs.frozen
class Wreck:
    """A natural roll that destroys terrain, and the ground of the base that rolled it."""

    rule: LossRule
    base: PlaneRectangle


@attrs.frozen
class Loss:
    """A segment lost to a natural roll, and the centre of the crater if there is one."""

    segment: TerrainPiece
    rule: LossRule
    crater: Point | None


def segments_left(view: View) -> tuple[TerrainPiece, ...]:
    """Return the segments not yet lost, from the resolution part's view."""
    terrain = view.shared(Terrain)
    lost = terrain.lost
    return tuple(segment for segment in terrain.segments if segment.id not in lost)


def hard_cover(view: View, base: PlaneRectangle, *, without: Collection[TerrainPiece] = ()) -> bool:
    """Return whether a base is in hard cover, not counting the segments ``without``."""
    return any(s.kind in HARD and s not in without and on(base, s) for s in segments_left(view))


def losses(
    wrecks: Iterable[Wreck],
    segments: Collection[TerrainPiece],
    gone: Collection[PlaneRectangle],
    standing: Collection[PlaneRectangle],
    *,
    within: int,
    preference: bool,
    trench_crater: bool,
) -> tuple[Loss, ...]:
    """Return the losses that the rolls cause, in order: the nearest segment of each kind.

    Only segments at most ``within`` yards away count. ``gone`` contains bases just lost,
    ``standing`` the bases on the table. Among equally near segments, the order of 6.4.k decides if
    ``preference`` is set, then the lower id. A lost trench leaves a crater only with
    ``trench_crater``.
    """
    remaining = {
        segment.id: segment for segment in sorted(segments, key=lambda segment: segment.id)
    }
    lost: list[Loss] = []
    for wreck in wrecks:
        for kind in wreck.rule.kinds:
            near = [
                (gap, rank(segment, gone, standing) if preference else 0, segment.id)
                for segment in remaining.values()
                if segment.kind == kind and (gap := gap_to(wreck.base, segment)) <= within**2
            ]
            if not near:
                continue
            segment = remaining.pop(min(near)[2])
            crater = kind != "trench" or trench_crater
            lost.append(Loss(segment, wreck.rule, segment.middle() if crater else None))
    return tuple(lost)


def kinds_near(
    base: PlaneRectangle, segments: Iterable[TerrainPiece], *, within: int
) -> list[TerrainKind]:
    """Return the kind of every segment ``within`` yards of a base."""
    return [segment.kind for segment in segments if gap_to(base, segment) <= within**2]


def rank(
    segment: TerrainPiece, gone: Iterable[PlaneRectangle], standing: Iterable[PlaneRectangle]
) -> int:
    """Return 0 if a base on the segment was just lost, 1 if it has no base, else 2 (6.4.k)."""
    lost = any(on(base, segment) for base in gone)
    return 0 if lost else 1 + any(on(base, segment) for base in standing)


# Exact measurement is slow, and exact odds measure the same bases and segments again and again.
@lru_cache(maxsize=65_536)
def on(base: PlaneRectangle, segment: TerrainPiece) -> bool:
    """Return whether a base overlaps or touches a segment."""
    return within(corners(base), segment.shape(), 0)


@lru_cache(maxsize=65_536)
def gap_to(base: PlaneRectangle, segment: TerrainPiece) -> Surd:
    """Return the squared distance between a base and a segment, in square yards."""
    return squared_gap(corners(base), segment.shape())


@lru_cache(maxsize=65_536)
def in_crater(base: PlaneRectangle, crater: Point, across: int) -> bool:
    """Return whether a base is at least partly in a crater ``across`` yards in diameter."""
    return within(corners(base), (spot(crater),), Fraction(across, 2))


# --- the way to cover ----------------------------------------------------------------------------
def nearest_cover(
    base: PlaneRectangle, segments: Iterable[TerrainPiece]
) -> tuple[TerrainPiece, Spot] | None:
    """Return the nearest cover, and its point nearest to the middle of the base.

    Returns None if no cover is left or the base is already in cover.
    """
    covers = [
        (gap_to(base, segment), segment.id, segment)
        for segment in segments
        if segment.kind in COVER
    ]
    if not covers:
        return None
    gap, _, segment = min(covers, key=lambda entry: entry[:2])
    if gap <= 0:
        return None
    return segment, nearest_point(segment.shape(), spot(base.centre))


def towards(start: Point, cover: Spot, to: Place, most: int) -> bool:
    """Return whether a move goes straight towards cover, and at most ``most`` yards (6.4.l).

    The move may end up to a yard off the line.
    """
    if to == start or squared_distance(start, to) > most**2:
        return False
    move = spot((to[0] - start[0], to[1] - start[1]))
    line = cover[0] - start[0], cover[1] - start[1]
    off = cross(move, line)
    return dot(move, line) > 0 and off * off <= dot(line, line)


def steps_to(start: Point, cover: Spot, most: int) -> tuple[Point, ...]:
    """Return the points offered for a move to cover: the farthest possible, and halfway there.

    ``most`` limits the move, in yards.
    """
    east, south = float(cover[0]) - start[0], float(cover[1]) - start[1]
    far = hypot(east, south)
    points: list[Point] = []
    for length in (min(most, far), min(most, far) / 2):
        point = start[0] + int(east * length / far), start[1] + int(south * length / far)
        if towards(start, cover, point, most) and point not in points:
            points.append(point)
    return tuple(points)
