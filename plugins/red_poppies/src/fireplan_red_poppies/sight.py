"""Line of sight over the ground of a scenario (section 4): pure geometry, without state or steps.

All numbers are integers or fractions. A hex centre is at (3q, 2r + q). The hex's corners are offset
from it by (2, 0), (-2, 0), and 1 east or west together with 1 north or south. The axes have
different scales, but straight lines stay straight.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Self

import attrs

from fireplan_core import Part
from fireplan_core.space import Crossing, Hex, Vertex, crossings, span
from fireplan_red_poppies.ground import Drawing, HexTerrain, ScenarioMap, hexes_of

GRAIN = 100
"""Full scale of the points of drawings: (100, 0) is the east corner of the hex."""

Point = tuple[Fraction, Fraction]


def _point(place: Hex | Vertex) -> Point:
    hexes = hexes_of(place)
    x = sum(3 * q for q, _ in hexes)
    y = sum(2 * r + q for q, r in hexes)
    return Fraction(x, len(hexes)), Fraction(y, len(hexes))


def farthest(observer: Hex, place: Hex | Vertex) -> tuple[Hex, ...]:
    """Return the hexes in which a target counts as being (4.92).

    For a vertex, they are the farthest of its three hexes from the observer, including ties; for a
    hex, the hex itself.
    """
    hexes = hexes_of(place)
    most = max(span(observer, h) for h in hexes)
    return tuple(h for h in hexes if span(observer, h) == most)


@attrs.frozen
class Obstruction:
    """The reason why a line of sight is blocked: its rules, the obstacle and its hex."""

    cite: str
    what: str
    at: Hex


@attrs.frozen
class SightRules:
    """The settings for tracing lines of sight: the game's options, and hexes with friends.

    ``clouds`` is the number of hexes of concealment that block a line of sight (4.82).
    ``open_below`` ignores obstacles on the level of the lower end, against the letter of 4.53.
    ``strict`` requires a clear line to all of the farthest hexes that tie (4.92). ``touching``
    counts darkness in a hex that the line touches only at the target vertex. ``flat_woods`` lets
    woods without a green dot conceal at every level (4.8). ``friends`` are the hexes with friends,
    who block the fire of infantry and cavalry (4.6).
    """

    clouds: int
    open_below: bool = False
    strict: bool = False
    touching: bool = False
    flat_woods: bool = False
    friends: frozenset[Hex] = frozenset()

    @classmethod
    def of(cls, part: Part, friends: frozenset[Hex] = frozenset()) -> Self:
        """Return the settings of a part; ``friends`` are the hexes that hold friends (4.6)."""
        options = part.options
        return cls(
            part.number("concealing_hexes"),
            open_below=options["lower_obstacle"] == "open",
            strict=options["farthest_tie"] == "strict",
            touching=options["night_touch"] == "crossed",
            flat_woods=options["light_woods"] == "every_level",
            friends=friends,
        )


@lru_cache(maxsize=65536)
def blocked(
    ground: ScenarioMap,
    observer: Hex,
    place: Hex | Vertex,
    filled: frozenset[Hex],
    rules: SightRules,
) -> Obstruction | None:
    """Return the obstruction between a hex and a hex or vertex, None if clear (4.1, 4.2, 4.92).

    ``filled`` are the hexes with a barrage or smoke, which conceal on every level (4.8). If several
    farthest hexes tie, the observer's best line counts, or the worst if the rules are strict.
    """
    results = [
        _Line(ground, observer, place, end, filled, rules).stopped()
        for end in farthest(observer, place)
    ]
    obstructions = [result for result in results if result is not None]
    if not obstructions or (len(obstructions) < len(results) and not rules.strict):
        return None
    return min(obstructions, key=lambda obstruction: obstruction.cite)


def hidden(
    ground: ScenarioMap, observer: Hex, place: Hex, filled: frozenset[Hex], rules: SightRules
) -> int:
    """Return the number of hexes of concealment on the line between two hexes (4.81)."""
    return len(_Line(ground, observer, place, place, filled, rules).concealed())


@attrs.frozen
class _Line:
    """A line of sight to ``place``, judged as if the target were in hex ``end``."""

    ground: ScenarioMap
    observer: Hex
    place: Hex | Vertex
    end: Hex
    filled: frozenset[Hex]
    rules: SightRules

    @cached_property
    def _levels(self) -> tuple[int, int]:
        low, high = sorted(self.ground.plot(h).level for h in (self.observer, self.end))
        return low, high

    @cached_property
    def _pieces(self) -> tuple[Crossing, ...]:
        """The pieces of the line between its ends that may have terrain, nearest first."""
        hexes = (
            None if self.ground.dark else self.ground.features | self.filled | self.rules.friends
        )
        return tuple(
            piece
            for piece in crossings(self.observer, self.place, hexes)
            if self.observer not in piece.hexes and self.end not in piece.hexes
        )

    def stopped(self) -> Obstruction | None:
        """Return the obstruction of the line, or None; along a hex side both hexes count (4.41)."""
        if self.end == self.observer:
            return None
        low, high = self._levels
        for piece in self._pieces:
            obstacles = [self._obstacle(hex_, piece) for hex_ in piece.hexes]
            if None in obstacles:
                continue
            cite, what = min(obstacle for obstacle in obstacles if obstacle is not None)
            at = piece.hexes[-1]
            extra = [] if len(obstacles) == 1 or "4.41" in cite else ["4.41"]
            several_levels = any(
                self.ground.plot(h).base < self.ground.plot(h).level
                for h in (self.observer, self.end)
            )
            extra += ["4.51", "8.44"] if several_levels and low != high else []
            if self.place == self.end:
                extra.append("4.91")
            elif at in hexes_of(self.place):
                extra.append("4.92")
            return Obstruction(", ".join(["4.2", cite, *extra]), what, at)
        clouds = self.concealed()
        if len(clouds) < self.rules.clouds:
            return None
        at, cite = clouds[self.rules.clouds - 1]
        return Obstruction(f"4.2, {cite}, 4.82", "a second hex of concealment", at)

    def concealed(self) -> list[tuple[Hex, str]]:
        """Return the hexes of concealment on the line, each with its rules (4.8).

        Along a hex side, both hexes must conceal.
        """
        hexes: list[tuple[Hex, str]] = []
        for piece in self._pieces:
            cites = [self._concealment(hex_, piece) for hex_ in piece.hexes]
            if all(cites):
                hexes.append((piece.hexes[-1], min(cites)))
        if self.rules.touching and self.ground.dark:
            passed = {
                self.end,
                *(h for piece in crossings(self.observer, self.place) for h in piece.hexes),
            }
            hexes += [(h, "4.8") for h in hexes_of(self.place) if h not in passed]
        return hexes

    def _obstacle(self, hex_: Hex, piece: Crossing) -> tuple[str, str] | None:
        """Return the rules and name of the obstacle in a hex, None if it has none (4.4 to 4.6)."""
        plot, (low, high) = self.ground.plot(hex_), self._levels
        same_level, drawn = low == high, any(drawing.kind == "contour" for drawing in plot.drawn)
        if same_level:
            if plot.base > high or any(height > high for height in self._contours(hex_, piece)):
                return "4.3, 4.42, 4.43, 8.41" if drawn else "4.3, 4.43, 8.41", "higher ground"
        elif plot.base > high or any(height >= high for height in self._contours(hex_, piece)):
            return "4.3, 4.5, 4.52, 8.42", "a contour no lower than the higher end"
        near = self._near(plot)
        if near and plot.village:
            return "4.41, 8.1" if same_level else "4.41, 4.5, 4.53, 8.1", "a village"
        if near and plot.woods and self._crosses(hex_, piece, "woods"):
            return "4.42, 8.9" if same_level else "4.5, 4.53, 8.9", "woods with a green dot"
        return ("4.6", "friends in the line of fire") if hex_ in self.rules.friends else None

    def _concealment(self, hex_: Hex, piece: Crossing) -> str:
        """Return the rules by which a hex conceals, or "" if it does not."""
        plot, (low, high) = self.ground.plot(hex_), self._levels
        if self.ground.dark or hex_ in self.filled:
            return "4.8"
        # Light woods (unless the option puts them on every level) and wheat conceal only at the
        # level of the line (4.8); wheat only if both ends are on the same level (8.8).
        near = self._near(plot)
        if (
            (near or self.rules.flat_woods)
            and plot.light_woods
            and self._crosses(hex_, piece, "light_woods")
        ):
            return "4.8, 8.9"
        if (
            near
            and self.ground.wheat
            and low == high
            and plot.wheat
            and self._crosses(hex_, piece, "wheat")
        ):
            return "4.8, 8.8"
        return ""

    def _near(self, plot: HexTerrain) -> bool:
        """Return whether a hex's level puts its terrain in the way of the line (4.4, 4.53)."""
        level, (low, high) = plot.level, self._levels
        if low == high:
            return level == low
        if self.rules.open_below and level == low:
            return False
        # The line passes over terrain that is lower than both ends.
        return low <= level <= low + 1 or abs(level - high) <= 1

    def _crosses(self, hex_: Hex, piece: Crossing, kind: str) -> bool:
        """Return whether the line touches a drawing of a kind; True if there are no drawings."""
        drawn = [d for d in self.ground.plot(hex_).drawn if d.kind == kind]
        return not drawn or any(
            _touches(self._inside(piece), _corners(hex_, d), closed=True) for d in drawn
        )

    def _contours(self, hex_: Hex, piece: Crossing) -> Iterator[int]:
        """Yield the levels of the contours crossed; without drawings, all contours of the hex."""
        plot = self.ground.plot(hex_)
        drawn = [d for d in plot.drawn if d.kind == "contour"]
        yield from (
            d.level for d in drawn if _touches(self._inside(piece), _corners(hex_, d), closed=False)
        )
        if not drawn:
            yield from range(plot.base + 1, plot.level + 1)

    def _inside(self, piece: Crossing) -> tuple[Point, Point]:
        """Return the two ends of a piece as points."""
        (x, y), (to_x, to_y) = _point(self.observer), _point(self.place)
        first, last = (Fraction(share, piece.whole) for share in (piece.enters, piece.leaves))
        return (x + (to_x - x) * first, y + (to_y - y) * first), (
            x + (to_x - x) * last,
            y + (to_y - y) * last,
        )


def _corners(hex_: Hex, drawing: Drawing) -> list[Point]:
    x, y = _point(hex_)
    # The east and west corners of a hex are 2 from its centre, its north and south sides 1.
    return [(x + Fraction(2 * px, GRAIN), y + Fraction(py, GRAIN)) for px, py in drawing.points]


def _touches(piece: tuple[Point, Point], points: list[Point], *, closed: bool) -> bool:
    edges = list(pairwise([*points, points[0]] if closed else points))
    if any(_meet(*piece, *edge) for edge in edges):
        return True
    return closed and _within(piece[0], points)


def _turn(a: Point, b: Point, c: Point) -> Fraction:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return whether the segments a-b and c-d have a point in common."""
    abc, abd, cda, cdb = _turn(a, b, c), _turn(a, b, d), _turn(c, d, a), _turn(c, d, b)
    if abc * abd < 0 and cda * cdb < 0:
        return True
    return any(
        turn == 0 and _between(p, q, r)
        for turn, p, q, r in ((abc, a, b, c), (abd, a, b, d), (cda, c, d, a), (cdb, c, d, b))
    )


def _between(a: Point, b: Point, c: Point) -> bool:
    return min(a[0], b[0]) <= c[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= c[1] <= max(a[1], b[1])


def _within(point: Point, points: list[Point]) -> bool:
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in pairwise([*points, points[0]]):
        if (ay > y) != (by > y) and x < ax + (bx - ax) * (y - ay) / (by - ay):
            inside = not inside
    return inside
