"""Ready areas parts, which decide where a shot lands, which places it covers and for how long."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from math import pi
from typing import Annotated, Any, ClassVar

from fireplan_core import cycle
from fireplan_core.areas import Areas
from fireplan_core.chance import Chance, Die, d6
from fireplan_core.mission import Reason
from fireplan_core.mission import Stage as MissionStage
from fireplan_core.ready_parts.base import Ready, Stated, read_off
from fireplan_core.record import COUNT, kept, record
from fireplan_core.setups.staging import Staging
from fireplan_core.space import (
    DIRECTIONS,
    SQUARE_METRES,
    Hex,
    HexFrame,
    Outline,
    Place,
    PlaneFrame,
    VertexFrame,
    disc,
    distance,
    squared_distance,
    vertices_of,
)
from fireplan_core.space import line as hex_line
from fireplan_core.space import step as hex_step
from fireplan_core.steps.effects import NOTHING, Effects, ask, push, step, update
from fireplan_core.steps.part import Keeps
from fireplan_core.steps.questions import Form, Refusal, Slot, orders
from fireplan_core.steps.view import Footprint, View


@record
class Fire:
    """A mission's fire: the number of moments in which it fell, and whether it fell in this one."""

    falls: int = kept(0, "the number of moments in which fire has fallen", "fall", between=COUNT)
    fresh: bool = kept(False, "whether fire has fallen in this moment", "fall")


class FallingFire(Ready, Areas):
    """Areas whose fire falls once in each of ``duration`` moments and then ends."""

    keeps = Keeps(assets=(Fire,))
    needs: ClassVar[tuple[str, ...]] = ("land", "spotting", "fall", "lingering")
    frames: ClassVar[tuple[type, ...]] = ()
    """The kinds of map that the part can be used on; any if it is empty."""
    duration: Annotated[int, Stated("fall", least=1)] = 1

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Stage the record of an asset whose fire has not fallen yet."""
        staging.mission(mission, self.word, Fire())

    def comes_down(self, _view: View, mission: str, to: Place) -> Effects:
        """Return the effects of a shot coming down at a place: ``cycle.landed`` is pushed.

        Override this method if the shot may still be moved.
        """
        return Effects(push(cycle.landed, mission, to))

    @step(cite="fall")
    def fallen(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Add 1 to the mission's count of falls, and note that fire fell in this moment."""
        own = view.own(mission, Fire)
        return Effects(update(own, falls=own.falls + 1, fresh=True))

    @step(cite="fall")
    def moment(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Let fire fall once in this moment, or end the mission after its last fall."""
        if view.mission(mission).stage is not MissionStage.FALLING:
            return Effects()
        own = view.own(mission, Fire)
        if not own.fresh:
            return Effects(push(cycle.fall, mission), push(self.moment, mission))
        if own.falls < self.duration:
            return Effects(update(own, fresh=False))
        return Effects(push(cycle.close, mission, Reason.DELIVERED, self.cites["fall"]))

    @step(cite="fall")
    def closed(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Reset the mission's count of falls to 0."""
        return Effects(update(view.own(mission, Fire), falls=0, fresh=False))


class HexAreas(Areas):
    """Areas whose fire covers whole hexes.

    If a target is wider than a hex, the fire covers a share of its hexes. ``places`` is the game's
    map, unless ``frame`` is overridden. A game should override ``covered`` if its footprint depends
    on more than the impact.

    >>> from fireplan_core.space import HexFrame, Layout, lettered_columns
    >>> class Guns(HexAreas):
    ...     places = HexFrame(40.0, Layout(lettered_columns(9), (1, 9), (1, 9)))
    >>> guns = Guns("my_game", {}, {})
    >>> guns.places.label(guns.middle())
    'E5'
    """

    places: ClassVar[HexFrame | VertexFrame]

    def frame(self) -> HexFrame | VertexFrame:
        """Return the frame of the game's map, which provides places, labels and distances."""
        return self.places

    def middle(self) -> Place:
        """Return the hex in the middle of the map."""
        return self.frame().layout.middle

    def cells(self, impact: Place) -> tuple[Hex, ...]:
        """Return the hexes covered by fire with this impact.

        By default this is the hex itself, or the three hexes of a vertex.
        """
        return self.frame().cells(impact, 0.0)

    def covered(self, view: View, mission: str) -> tuple[Hex, ...]:
        """Return the hexes that the mission's fire covers at its impact.

        Some of the hexes may be off the map.
        """
        return self.cells(view.mission(mission).impact)

    def on_map(self, view: View, cell: Hex) -> bool:
        """Return whether fire can hit a hex.

        By default it can hit any hex; override this method if the map has an edge.
        """
        return True

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return the share of a target's hexes that are in the footprint, from 0 to 1.

        ``extent`` is half the target's width in metres.
        """
        if view.mission(mission).impact is None or place is None:
            return Fraction(0)
        whole = not extent and len(place) == HEX
        occupied = (place,) if whole else view.frame.cells(place, float(extent))
        covered = self.covered(view, mission)
        return Fraction(
            sum(cell in covered and self.on_map(view, cell) for cell in occupied), len(occupied)
        )

    def footprint(self, view: View, mission: str) -> Footprint:
        """Return the hexes that the mission's fire covers, and their total area in hectares."""
        cells = tuple(cell for cell in self.covered(view, mission) if self.on_map(view, cell))
        return cells, len(cells) * self.frame().hectares


class Disc(HexAreas, FallingFire):
    """Areas whose fire covers all hexes within ``radius`` hexes of the impact.

    >>> from fireplan_core.space import HexFrame, Layout, lettered_columns
    >>> class Guns(AsAimed, Disc):
    ...     cites = {"land": "4.1", "spotting": "4.1", "fall": "4.2", "lingering": "4.2"}
    ...     places, radius = HexFrame(40.0, Layout(lettered_columns(9), (1, 9), (1, 9))), 1
    >>> guns = Guns("my_game", {}, {})
    >>> sorted(map(guns.places.label, guns.cells(guns.middle())))
    ['D4', 'D5', 'E4', 'E5', 'E6', 'F4', 'F5']
    """

    frames: ClassVar[tuple[type, ...]] = (HexFrame,)
    radius: Annotated[int, Stated("fall", least=0)]

    def cells(self, impact: Place) -> tuple[Hex, ...]:
        """Return all hexes within ``radius`` hexes of the impact."""
        return disc(impact, self.radius)


class Rings(HexAreas, FallingFire):
    """Areas on hexes whose fire grows weaker from ring to ring around the impact.

    ``rings`` maps a distance from the impact, in hexes, to the points of the fire there; beyond the
    table there is no fire. The highest entry is fire of full strength, and other entries are shares
    of it. Use a resolution part that distinguishes weaker fire: ``FixedDamage``, or ``TableLookUp``
    with another column.

    >>> from fireplan_core.space import HexFrame, Layout, lettered_columns
    >>> class Guns(AsAimed, Rings):
    ...     cites = {"land": "4.1", "spotting": "4.1", "fall": "4.2", "lingering": "4.2"}
    ...     places = HexFrame(40.0, Layout(lettered_columns(9), (1, 9), (1, 9)))
    ...     rings = {0: 15, 1: 5}
    >>> guns = Guns("my_game", {}, {})
    >>> [guns.share(far) for far in (0, 1, 2)]
    [Fraction(1, 1), Fraction(1, 3), Fraction(0, 1)]
    """

    frames: ClassVar[tuple[type, ...]] = (HexFrame,)
    rings: Annotated[Mapping[int, int], Stated("fall")]

    def share(self, far: int) -> Fraction:
        """Return the share of the full strength at this distance from the impact, in hexes."""
        return Fraction(self.rings.get(far, 0), max(1, *self.rings.values()))

    def cells(self, impact: Place) -> tuple[Hex, ...]:
        """Return all hexes out to the last ring that has points."""
        return disc(impact, max((far for far, points in self.rings.items() if points), default=0))

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return the strength of the fire at a place, from 0 to 1.

        A target wider than a hex takes the mean of its hexes. ``extent`` is half its width in
        metres.
        """
        impact = view.mission(mission).impact
        if impact is None or place is None:
            return Fraction(0)
        occupied = view.frame.cells(place, float(extent)) if extent else (place,)
        shares = [
            self.share(distance(impact, cell)) if self.on_map(view, cell) else Fraction(0)
            for cell in occupied
        ]
        return sum(shares, Fraction(0)) / len(shares)


class Row(HexAreas, FallingFire):
    """Areas whose fire covers a row of ``length`` hexes with the impact in its middle.

    The row runs in the direction ``along``, from 1 (north) clockwise to 6. If its length is even,
    there is one hex more in that direction than against it.

    >>> from fireplan_core.space import HexFrame, Layout, lettered_columns
    >>> class Guns(AsAimed, Row):
    ...     cites = {"land": "4.1", "spotting": "4.1", "fall": "4.2", "lingering": "4.2"}
    ...     places, length = HexFrame(40.0, Layout(lettered_columns(9), (1, 9), (1, 9))), 3
    >>> guns = Guns("my_game", {}, {})
    >>> list(map(guns.places.label, guns.cells(guns.middle())))
    ['E6', 'E5', 'E4']
    """

    frames: ClassVar[tuple[type, ...]] = (HexFrame,)
    length: Annotated[int, Stated("fall", least=1)]
    along: Annotated[int, Stated("fall", least=1, most=len(DIRECTIONS))] = 1

    def cells(self, impact: Place) -> tuple[Hex, ...]:
        """Return the hexes of the row whose middle is the impact."""
        first = hex_step(impact, self.along, -((self.length - 1) // 2))
        return hex_line(first, self.along, self.length)


class Corner(HexAreas, FallingFire):
    """Areas whose fire is aimed at hex vertices and covers the three hexes that meet at the impact.

    ``places`` must be a ``VertexFrame``.

    >>> from fireplan_core.space import Layout, VertexFrame, lettered_columns
    >>> class Guns(AsAimed, Corner):
    ...     cites = {"land": "4.1", "spotting": "4.1", "fall": "4.2", "lingering": "4.2"}
    ...     places = VertexFrame(40.0, Layout(lettered_columns(9), (1, 9), (1, 9)))
    >>> guns = Guns("my_game", {}, {})
    >>> [guns.places.label(corner) for corner in guns.aim_at(guns.middle())][:2]
    ['E4/E5/F4', 'E5/F4/F5']
    """

    frames: ClassVar[tuple[type, ...]] = (VertexFrame,)

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """Return the six vertices of a hex, or only the vertex itself if the place is a vertex."""
        return vertices_of(place) if len(place) == HEX else (place,)


class _PlaneAreas(FallingFire):
    """Areas on a table without a grid; ``places`` is the game's table."""

    frames: ClassVar[tuple[type, ...]] = (PlaneFrame,)
    places: ClassVar[PlaneFrame]

    def frame(self) -> PlaneFrame:
        """Return the frame of the game's table, which provides places, labels and distances."""
        return self.places


class Circle(_PlaneAreas):
    """Areas whose fire covers a circle in the plane, including its edge.

    ``radius`` is in the table's unit of length.

    >>> from fireplan_core.space import PlaneFrame
    >>> class Guns(AsAimed, Circle):
    ...     cites = {"land": "4.1", "spotting": "4.1", "fall": "4.2", "lingering": "4.2"}
    ...     places, radius = PlaneFrame(), 50
    >>> round(Guns("my_game", {}, {}).places.hectares(Guns.radius), 2)
    0.66
    """

    radius: Annotated[int, Stated("fall", least=0)]

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return 1 if the place is within the radius plus half the target's width, otherwise 0."""
        impact = view.mission(mission).impact
        if impact is None:
            return Fraction(0)
        reach = self.radius + round(float(extent) / self.places.metres_per_yard)
        return Fraction(int(squared_distance(impact, place) <= reach**2))

    def footprint(self, view: View, mission: str) -> Footprint:
        """Return the impact as the only cell, and the area of the circle in hectares."""
        return (view.mission(mission).impact,), self.places.hectares(self.radius)

    def shape(self, view: View, mission: str) -> tuple[Outline, ...]:
        """Return the circle around the impact, as the corners of a polygon in metres."""
        return (self.places.circle(view.mission(mission).impact, self.radius),)


class _Box(_PlaneAreas):
    """Areas in the plane whose fire covers a shape ``width`` from west to east.

    ``depth`` is its length from south to north; both are in the table's unit of length. Guns fire
    from the south, so ``depth`` runs along their line of fire.
    """

    width: Annotated[int, Stated("fall", least=1)]
    depth: Annotated[int, Stated("fall", least=1)]

    def inside(self, east: int, south: int, width: int, depth: int) -> bool:
        """Return whether a point is in a shape of this width and depth around the origin."""
        raise NotImplementedError

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return 1 if the place is in the shape, else 0.

        The shape is widened by half the target's width on every side.
        """
        impact = view.mission(mission).impact
        if impact is None:
            return Fraction(0)
        wider = 2 * round(float(extent) / self.places.metres_per_yard)
        east, south = place[0] - impact[0], place[1] - impact[1]
        return Fraction(int(self.inside(east, south, self.width + wider, self.depth + wider)))

    def footprint(self, view: View, mission: str) -> Footprint:
        """Return the impact as the only cell, and the area of the shape in hectares."""
        square = self.width * self.depth * self.places.metres_per_yard**2 / SQUARE_METRES
        return (view.mission(mission).impact,), square * self.fullness()

    def fullness(self) -> float:
        """Return the shape's area as a share of its width times its depth."""
        return 1.0


class Rectangle(_Box):
    """Areas in the plane whose fire covers a rectangle along the line of fire, edge included.

    >>> from fireplan_core.space import PlaneFrame
    >>> class Guns(AsAimed, Rectangle):
    ...     cites = {"land": "4.1", "spotting": "4.1", "fall": "4.2", "lingering": "4.2"}
    ...     places, width, depth = PlaneFrame(), 100, 40
    >>> guns = Guns("my_game", {}, {})
    >>> guns.inside(50, 20, 100, 40), guns.inside(51, 20, 100, 40)
    (True, False)
    """

    def inside(self, east: int, south: int, width: int, depth: int) -> bool:
        """Return whether a point is in a rectangle around the origin, or on its edge."""
        return 2 * abs(east) <= width and 2 * abs(south) <= depth

    def shape(self, view: View, mission: str) -> tuple[Outline, ...]:
        """Return the corners of the rectangle around the impact, in metres."""
        x, y = self.places.metres(view.mission(mission).impact)
        east, south = (side * self.places.metres_per_yard / 2 for side in (self.width, self.depth))
        return (
            (
                (x - east, y - south),
                (x + east, y - south),
                (x + east, y + south),
                (x - east, y + south),
            ),
        )


class Oval(_Box):
    """Areas in the plane whose fire covers an ellipse along the line of fire, edge included.

    >>> from fireplan_core.space import PlaneFrame
    >>> class Guns(AsAimed, Oval):
    ...     cites = {"land": "4.1", "spotting": "4.1", "fall": "4.2", "lingering": "4.2"}
    ...     places, width, depth = PlaneFrame(), 100, 40
    >>> guns = Guns("my_game", {}, {})
    >>> guns.inside(50, 0, 100, 40), guns.inside(50, 20, 100, 40)
    (True, False)
    """

    def fullness(self) -> float:
        """Return the share of its width times its depth that an ellipse covers."""
        return pi / 4

    def inside(self, east: int, south: int, width: int, depth: int) -> bool:
        """Return whether a point is in an ellipse around the origin, or on its edge."""
        return (2 * east * depth) ** 2 + (2 * south * width) ** 2 <= (width * depth) ** 2

    def shape(self, view: View, mission: str) -> tuple[Outline, ...]:
        """Return the ellipse around the impact, as the corners of a polygon in metres."""
        x, y = self.places.metres(view.mission(mission).impact)
        circle = self.places.circle((0, 0), 1)
        return (tuple((x + a * self.width / 2, y + b * self.depth / 2) for a, b in circle),)


HEX = 2
"""The number of coordinates of a hex, in contrast to a vertex, which is a triple of hexes."""


class AsAimed(FallingFire):
    """Areas whose fire always lands on its aim point.

    >>> from fireplan_core.space import PlaneFrame
    >>> class Guns(AsAimed, Circle):
    ...     cites = {"land": "4.1", "spotting": "4.1", "fall": "4.2", "lingering": "4.2"}
    ...     places, radius = PlaneFrame(), 50
    >>> Guns("my_game", {}, {}).miss_not_modelled
    'fire lands where it is aimed'
    """

    miss_not_modelled: ClassVar[str] = "fire lands where it is aimed"

    @step(cite="land")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Land the shot on its aim point."""
        return self.comes_down(view, mission, view.mission(mission).aim)


class _Missing(FallingFire):
    """Areas where a shot either is accurate or strays.

    A shot is accurate if the sum of ``accuracy_dice`` is at most ``accurate``, and never if
    ``accurate`` is 0. Modifiers may be registered for ``areas.accuracy`` and ``areas.extent``, but
    not for the direction.
    """

    modified: ClassVar[tuple[str, ...]] = ("accuracy", "extent")
    may: ClassVar[tuple[str, ...]] = ("astray",)
    accuracy_dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    accurate: Annotated[int, Stated("land")] = 0

    @step(cite="land")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll for accuracy; the shot lands on its aim point or strays."""
        if self.accurate == 0:
            return Effects(push(self.direction, mission))
        hit, card = self.thrown(
            chance, view, "accuracy", self.accuracy_dice, lambda total: total <= self.accurate
        )
        astray = push(self.direction, mission)
        return Effects(
            card, self.comes_down(view, mission, view.mission(mission).aim) if hit else astray
        )

    def direction(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll for the direction of the error, and push the roll for its extent."""
        raise NotImplementedError


class Scatter(_Missing):
    """Areas on hexes or vertices, where a d6 gives the direction of an error and dice its extent.

    ``extents`` maps the sum of ``extent_dice`` to the extent in hexes. A sum beyond the table uses
    its first or last entry. Without dice (``extent_dice = {}``), the first entry is used.

    >>> from fireplan_core.space import HexFrame, Layout, lettered_columns
    >>> class Guns(Scatter, Disc):
    ...     cites = {"land": "4.1", "spotting": "4.1", "fall": "4.2", "lingering": "4.2"}
    ...     places, radius = HexFrame(40.0, Layout(lettered_columns(9), (1, 9), (1, 9))), 1
    ...     accurate, extents = 3, {1: 1, 2: 1, 3: 2}
    >>> Guns("my_game", {}, {}).error_lines()
    6
    """

    frames: ClassVar[tuple[type, ...]] = (HexFrame, VertexFrame)
    extent_dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    extents: ClassVar[Mapping[int, int]] = {face: face for face in d6.faces}

    @step(cite="astray/land")
    def direction(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll a d6 for the direction of the error, then roll for its extent.

        The directions are numbered as in ``fireplan_core.space.DIRECTIONS``.
        """
        return Effects(
            push(self.extent, mission, chance.dice("direction", coloured=d6).total.exact())
        )

    @step(cite="astray/land")
    def extent(self, chance: Chance, view: View, mission: str, direction: int) -> Effects:
        """Roll for the extent of the error and land the shot."""
        far, card = self.thrown(
            chance, view, "extent", self.extent_dice, lambda total: read_off(self.extents, total)
        )
        return Effects(
            card, self.comes_down(view, mission, shifted(view.mission(mission).aim, direction, far))
        )


@record
class RangedIn:
    """The ranging of an asset on its aim point; another aim point resets it."""

    at: Place = kept(None, "the aim point to which the misses and the hit belong", "land")
    misses: int = kept(0, "the number of misses observed there", "land", between=COUNT)
    hit: bool = kept(False, "whether it has been hit", "land")


class ScatterByMargin(FallingFire):
    """Areas on hexes or vertices, where a miss strays a hex for each point that it missed by.

    A shot hits if the sum of ``accuracy_dice`` is at least ``to_hit``; otherwise a d6 gives the
    direction. Each miss that the observer saw lowers ``to_hit`` by ``eases`` for later shots at the
    same aim point. With ``holds``, an aim point once hit is always hit. Modifiers may be registered
    for ``areas.accuracy``, but not for the direction.

    >>> from fireplan_core.space import HexFrame, Layout, lettered_columns
    >>> class Guns(ScatterByMargin, Disc):
    ...     cites = {"land": "4.1", "spotting": "4.1", "fall": "4.2", "lingering": "4.2"}
    ...     places, radius = HexFrame(40.0, Layout(lettered_columns(9), (1, 9), (1, 9))), 1
    ...     to_hit = 9
    >>> Guns("my_game", {}, {}).steps()["areas.astray"].cite
    '4.1'
    """

    modified: ClassVar[tuple[str, ...]] = ("accuracy",)
    frames: ClassVar[tuple[type, ...]] = (HexFrame, VertexFrame)
    may: ClassVar[tuple[str, ...]] = ("astray", "ranging")
    accuracy_dice: ClassVar[Mapping[str, Die]] = {"coloured": d6, "white": d6}
    to_hit: Annotated[int, Stated("land", least=0)]
    eases: Annotated[int, Stated("ranging/land", least=0)] = 0
    holds: Annotated[bool, Stated("ranging/land")] = False
    keeps = Keeps(assets=(RangedIn,))

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Stage the record of an asset that has not fired at any aim point yet."""
        super().stage_mission(staging, mission)
        staging.mission(mission, self.word, RangedIn())

    @step(cite="land")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll to hit; the shot lands on its aim point, or strays by the margin.

        No roll is needed if the aim point has been hit before and ``holds`` is set.
        """
        own, aim = view.own(mission, RangedIn), view.mission(mission).aim
        same = own.at == aim
        if same and own.hit:
            return self.comes_down(view, mission, aim)
        needed = self.to_hit - (self.eases * own.misses if same else 0)
        far, card = self.thrown(
            chance, view, "accuracy", self.accuracy_dice, lambda total: max(needed - total, 0)
        )
        if far:
            return Effects(card, push(self.astray, mission, far))
        ranged_in = update(own, at=aim, misses=0, hit=True) if self.holds else Effects()
        return Effects(card, ranged_in, self.comes_down(view, mission, aim))

    @step(cite="astray/land")
    def astray(self, chance: Chance, view: View, mission: str, far: int) -> Effects:
        """Roll a d6 for the direction, and land the shot ``far`` hexes off."""
        direction = chance.dice("direction", coloured=d6).total.exact()
        aim = view.mission(mission).aim
        return Effects(
            self.observed(view, mission),
            self.comes_down(view, mission, shifted(aim, direction, far)),
        )

    def observed(self, view: View, mission: str) -> Effects:
        """Return the effects of a miss, which counts if the observer sees the aim point."""
        own, aim = view.own(mission, RangedIn), view.mission(mission).aim
        if not self.eases or not view.sees(mission, aim).ground:
            return Effects()
        misses = min(own.misses + 1, self.to_hit) if own.at == aim else 1
        return Effects(update(own, at=aim, misses=misses, hit=False))


@record
class Ranging:
    """The number of rounds that were observed since the request."""

    rounds: int = kept(0, "the number of rounds observed since the request", "land", between=COUNT)


class NarrowingScatter(Scatter):
    """Areas where each round that lands makes the error of the next one smaller.

    An error is ``narrows`` hexes shorter for each round of the mission that landed before, but
    never less than 0.

    >>> from fireplan_core.space import HexFrame, Layout, lettered_columns
    >>> class Guns(NarrowingScatter, Disc):
    ...     cites = {"land": "4.1", "spotting": "4.1", "fall": "4.2", "lingering": "4.2"}
    ...     places, radius = HexFrame(40.0, Layout(lettered_columns(9), (1, 9), (1, 9))), 1
    >>> [kind.__name__ for kind in Guns.keeps.records]
    ['Fire', 'Ranging']
    """

    keeps = Keeps(assets=(Ranging,))
    narrows: Annotated[int, Stated("astray/land", least=0)] = 1

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Stage the record of an asset that has no observed round yet."""
        super().stage_mission(staging, mission)
        staging.mission(mission, self.word, Ranging())

    def comes_down(self, view: View, mission: str, to: Place) -> Effects:
        """Return the effects of a shot landing at a place.

        It counts as an observed round, which narrows the next error.
        """
        own = view.own(mission, Ranging)
        most = max(self.extents.values()) if self.narrows else 0
        return Effects(
            update(own, rounds=min(own.rounds + 1, most)), super().comes_down(view, mission, to)
        )

    @step(cite="astray/land")
    def extent(self, chance: Chance, view: View, mission: str, direction: int) -> Effects:
        """Roll for the extent of the error, reduce it for each earlier round, and land the shot."""
        shorter = self.narrows * view.own(mission, Ranging).rounds
        far, card = self.thrown(
            chance,
            view,
            "extent",
            self.extent_dice,
            lambda total: max(read_off(self.extents, total) - shorter, 0),
        )
        aim = view.mission(mission).aim
        return Effects(card, self.comes_down(view, mission, shifted(aim, direction, far)))

    @step(cite="fall")
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Forget the rounds observed, and reset the count of falls."""
        return Effects(
            update(view.own(mission, Ranging), rounds=0), super().closed(chance, view, mission)
        )


class Deviation(_Missing):
    """Areas on a table where one die gives the direction of an error, and other dice its extent.

    ``vectors`` lists a vector (east, south) for each face of the first die, in whole units of the
    table, so that every place is exact. The shot strays by the vector times the sum of
    ``extent_dice``, or by the vector itself if there are none (``extent_dice = {}``).

    >>> from fireplan_core.space import PlaneFrame
    >>> class Guns(Deviation, Circle):
    ...     cites = {"land": "4.1", "spotting": "4.1", "fall": "4.2", "lingering": "4.2"}
    ...     places, radius, accurate = PlaneFrame(), 50, 3
    ...     vectors = (0, -20), (20, 0), (0, 20), (-20, 0)
    >>> Guns("my_game", {}, {}).error_lines()
    4
    """

    frames: ClassVar[tuple[type, ...]] = (PlaneFrame,)
    vectors: ClassVar[tuple[tuple[int, int], ...]] = (
        (0, -10),
        (7, -7),
        (10, 0),
        (7, 7),
        (0, 10),
        (-7, 7),
        (-10, 0),
        (-7, -7),
    )
    extent_dice: ClassVar[Mapping[str, Die]] = {"white": d6}

    def error_lines(self) -> int:
        """Return the number of directions in which a shot may stray."""
        return len(self.vectors)

    @step(cite="astray/land")
    def direction(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll for the vector along which the shot strays, one of ``vectors``."""
        return Effects(
            push(
                self.extent,
                mission,
                chance.dice("direction", coloured=Die(len(self.vectors))).total.exact(),
            )
        )

    @step(cite="astray/land")
    def extent(self, chance: Chance, view: View, mission: str, direction: int) -> Effects:
        """Roll for the multiple of the vector, which is at least 0, and land the shot.

        Without ``extent_dice``, the multiple is 1.
        """
        far, card = 1, NOTHING
        if self.extent_dice:
            far, card = self.thrown(
                chance, view, "extent", self.extent_dice, lambda total: max(total, 0)
            )
        (x, y), (east, south) = view.mission(mission).aim, self.vectors[direction - 1]
        return Effects(card, self.comes_down(view, mission, (x + far * east, y + far * south)))


class Drifting(FallingFire):
    """Areas in the plane whose fire drifts before it falls again: ``class Gas(Drifting, Circle)``.

    ``wind`` is the vector of the drift as (east, south) in integer units of the table, and
    ``drifts`` maps the sum of ``drift_dice`` to a multiple of ``wind``. A sum beyond the table uses
    its first or last entry. Modifiers are registered for ``areas.blown``.

    >>> from fireplan_core.space import PlaneFrame
    >>> class Gas(AsAimed, Drifting, Circle):
    ...     cites = dict.fromkeys(("land", "spotting", "fall", "lingering", "drift"), "4.4")
    ...     places, radius, duration = PlaneFrame(), 30, 3
    ...     wind, drifts = (0, 10), {1: 0, 2: 1, 3: 1, 4: 2, 5: 2, 6: 3}
    >>> Gas("my_game", {}, {}).steps()["areas.blown"].cite
    '4.4'
    """

    modified: ClassVar[tuple[str, ...]] = ("blown",)
    frames: ClassVar[tuple[type, ...]] = (PlaneFrame,)
    needs: ClassVar[tuple[str, ...]] = ("drift",)
    wind: ClassVar[tuple[int, int]]
    drift_dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    drifts: ClassVar[Mapping[int, int]]

    @step(cite="fall")
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """Let the fire drift before it falls again."""
        falling = view.mission(mission).stage is MissionStage.FALLING
        if falling and not view.own(mission, Fire).fresh:
            return Effects(push(self.blown, mission))
        return super().moment(chance, view, mission)

    @step(cite="drift")
    def blown(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll for the drift, move the fire along the wind, and let it fall there."""
        far, card = self.thrown(
            chance, view, "blown", self.drift_dice, lambda total: read_off(self.drifts, total)
        )
        now = view.mission(mission)
        (x, y), (east, south) = now.impact, self.wind
        return Effects(
            card,
            update(now, impact=(x + far * east, y + far * south)),
            push(cycle.fall, mission),
            push(self.moment, mission),
        )


class Creeping(FallingFire):
    """Areas on hexes whose fire moves on before it falls again: ``class Curtain(Creeping, Row)``.

    The fire moves ``lift`` hexes in the direction ``heading``, from 1 (north) clockwise to 6.

    >>> from fireplan_core.space import HexFrame, Layout, lettered_columns
    >>> class Curtain(AsAimed, Creeping, Row):
    ...     cites = dict.fromkeys(("land", "spotting", "fall", "lingering", "lift"), "4.3")
    ...     places = HexFrame(40.0, Layout(lettered_columns(9), (1, 9), (1, 9)))
    ...     length, lift, duration = 3, 2, 4
    >>> Curtain("my_game", {}, {}).steps()["areas.advance"].cite
    '4.3'
    """

    frames: ClassVar[tuple[type, ...]] = (HexFrame,)
    needs: ClassVar[tuple[str, ...]] = ("lift",)
    lift: Annotated[int, Stated("lift", least=0)] = 1
    heading: Annotated[int, Stated("lift", least=1, most=len(DIRECTIONS))] = 1

    @step(cite="fall")
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """Move the fire by its lift before it falls again."""
        own = view.own(mission, Fire)
        falling = view.mission(mission).stage is MissionStage.FALLING
        if falling and not own.fresh and own.falls:
            return Effects(push(self.advance, mission))
        return super().moment(chance, view, mission)

    @step(cite="lift")
    def advance(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Move the fire on by its lift, and let it fall there."""
        now = view.mission(mission)
        return Effects(
            update(now, impact=hex_step(now.impact, self.heading, self.lift)),
            push(cycle.fall, mission),
            push(self.moment, mission),
        )


class ShiftedByOther(FallingFire):
    """Areas where the other side may shift a shot: ``class Guns(ShiftedByOther, AsAimed, Circle)``.

    ``shifts`` maps the sum of ``shift_dice`` to the maximum number of steps along one of ``lines``.
    With ``whole_shift``, the side must use either all steps or none. A sum beyond the table uses
    its first or last entry; without dice the first entry is used. Modifiers are registered for
    ``areas.drift``. In the standard answer, the side moves the shot as far as possible from its own
    troops.

    >>> from fireplan_core.space import PlaneFrame
    >>> class Guns(ShiftedByOther, AsAimed, Circle):
    ...     cites = dict.fromkeys(("land", "spotting", "fall", "lingering", "shift"), "4.5")
    ...     places, radius, shifts = PlaneFrame(), 50, {1: 0, 6: 1}
    >>> list(Guns("my_game", {}, {}).questions())
    ['areas.shift']
    """

    modified: ClassVar[tuple[str, ...]] = ("drift",)
    frames: ClassVar[tuple[type, ...]] = (PlaneFrame,)
    needs: ClassVar[tuple[str, ...]] = ("shift",)
    shift_dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    shifts: ClassVar[Mapping[int, int]]
    whole_shift: ClassVar[bool] = False
    lines: ClassVar[tuple[tuple[int, int], ...]] = (
        (0, -1),
        (1, -1),
        (1, 0),
        (1, 1),
        (0, 1),
        (-1, 1),
        (-1, 0),
        (-1, -1),
    )

    def error_lines(self) -> int:
        """Return the maximum number of error lines: every combination of scatter and shift."""
        shifts = len(self.lines) * max(self.shifts.values(), default=0)
        return (super().error_lines() + 1) * (shifts + 1) - 1

    def comes_down(self, view: View, mission: str, to: Place) -> Effects:
        """Return the effects of rolling for the other side's shift of a shot that comes down.

        The shot lands afterwards. If both sides are the same, it lands at once.
        """
        if view.other(view.side(mission)) == view.side(mission):
            return super().comes_down(view, mission, to)
        return Effects(push(self.drift, mission, to))

    @step(cite="shift")
    def drift(self, chance: Chance, view: View, mission: str, place: Place) -> Effects:
        """Roll for the number of steps by which the other side may shift the shot."""
        far, card = self.thrown(
            chance, view, "drift", self.shift_dice, lambda total: read_off(self.shifts, total)
        )
        question = ask(view.other(view.side(mission)), self.shift, mission, place, far)
        return Effects(card, question if far else super().comes_down(view, mission, place))

    @orders(cite="shift")
    def shift(self, view: View, mission: str, place: Place, far: int) -> Iterator[Form]:
        """Yield the order in which the other side chooses the place that the shot strikes.

        ``place`` is where the shot would land. The choices are that place and every place from 1 to
        ``far`` steps away along one of ``lines``, or with ``whole_shift`` exactly ``far`` steps
        away.
        """
        cite, (x, y) = self.cites["shift"], place
        steps = range(far if self.whole_shift else 1, far + 1)
        moved = [(x + n * east, y + n * south) for n in steps for east, south in self.lines]
        other = view.other(view.side(mission))
        own = [view.place_of(unit) for unit in view.units if view.unit_side(unit) == other]
        spots = sorted(
            (place, *moved),
            key=lambda spot: -min((view.frame.gap(spot, troops) for troops in own), default=0),
        )
        to = Slot("to", "the place it strikes", tuple(spots), Refusal.of(cite, "no_shift_there"))
        yield Form("shift", cite, (to,), partial(super().comes_down, view, mission))


def shifted(place: Any, direction: int, far: int) -> Any:
    """Return the place ``far`` hexes from a hex or vertex in a direction from 1 (north) to 6."""
    if len(place) == HEX:
        return hex_step(place, direction, far)
    return tuple(hex_step(cell, direction, far) for cell in place)
