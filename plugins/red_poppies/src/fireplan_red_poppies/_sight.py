"""Line of sight over the ground of a scenario (section 4): pure geometry, no state and no steps.

Everything is whole numbers or fractions. A hex centre stands at (3q, 2r + q); its corners are 2 beside it east and
west, and 1 beside and 1 above or below it for the other four, times ``GRAIN`` for the drawings. The picture is
sheared in no way that would matter: lines stay lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise

import attrs

from fireplan_core.space import Hex, Vertex, span
from fireplan_red_poppies._ground import Drawing, Ground, Plot, hexes_of

GRAIN = 100
"""Drawings are given in hundredths of the way from a hex's centre to its corners."""

Point = tuple[Fraction, Fraction]
Conceals = Callable[[Hex], bool]
"""Say whether something fills the whole hex and every level above it: barrage, night, precipitation, smoke (4.8)."""


def _point(place: Hex | Vertex) -> Point:
    hexes = hexes_of(place)
    x = sum(3 * q for q, _ in hexes)
    y = sum(2 * r + q for q, r in hexes)
    return Fraction(x, len(hexes)), Fraction(y, len(hexes))


def farthest(observer: Hex, place: Hex | Vertex) -> tuple[Hex, ...]:
    """Return the hexes that a target counts as being in: of a vertex the farthest of its three (4.92), all that tie."""
    hexes = hexes_of(place)
    most = max(span(observer, h) for h in hexes)
    return tuple(h for h in hexes if span(observer, h) == most)


@attrs.frozen
class Obstruction:
    """Say why a line of sight is stopped: the rules that stop it, and what stands where."""

    cite: str
    what: str
    at: Hex


@attrs.frozen
class SightRules:
    """Say how sight is judged: whether wheat stands (8.8), and the open decisions as the table has them.

    ``open_below`` lets obstacles on the level of the lower end pass, against the letter of 4.53. ``strict`` asks for
    sight to all of the farthest hexes that tie (4.92). ``touching`` counts concealment in a hex that sight touches only
    at the target vertex itself. ``flat_woods`` lets woods without a green dot conceal at every level (4.8).
    ``friends`` are hexes with friends who stop fire of infantry and cavalry (4.6). ``clouds`` is how many hexes of
    concealment stop sight (4.82).
    """

    clouds: int
    wheat: bool = False
    open_below: bool = False
    strict: bool = False
    touching: bool = False
    flat_woods: bool = False
    friends: frozenset[Hex] = frozenset()


def blocked(
    ground: Ground, observer: Hex, place: Hex | Vertex, conceals: Conceals, rules: SightRules
) -> Obstruction | None:
    """Return what stops sight from the centre of a hex to a hex or vertex; None when it is clear (4.1, 4.2, 4.92).

    Of farthest hexes that tie the best one for the observer counts, or with strict rules the worst.
    """
    found = [_stopped(ground, observer, place, end, conceals, rules) for end in farthest(observer, place)]
    stops = [one for one in found if one is not None]
    if not stops or (len(stops) < len(found) and not rules.strict):
        return None
    return min(stops, key=lambda one: one.cite)


def hidden(ground: Ground, observer: Hex, place: Hex, conceals: Conceals, rules: SightRules) -> int:
    """Return how many hexes of concealment sight passes between two hexes (4.81)."""
    return len(_concealed(ground, observer, place, place, conceals, rules))


Shares = tuple[Fraction, Fraction]
"""Say which piece of a line is meant: from which share of the way to which."""
SCALE = 6
"""Whole numbers to one unit: corners of hexes and middles of their sides lie on whole numbers then."""
LinePiece = tuple[Hex, "_Drawings", bool, Shares]


def _pieces(ground: Ground, observer: Hex, place: Hex | Vertex, end: Hex) -> list[LinePiece]:
    """Return the hexes between the ends with the line's piece in each, and whether it runs through or along them.

    They come in the order in which the line meets them.
    """
    start, stop = _point(observer), _point(place)
    found = []
    for hex_, shares, inside in _crossed(observer, place, end):
        found.append((hex_, _Drawings(ground.plot(hex_), hex_, start, stop, shares), inside, shares))
    return found


def _concealed(
    ground: Ground, observer: Hex, place: Hex | Vertex, end: Hex, conceals: Conceals, rules: SightRules
) -> list[tuple[Hex, str]]:
    """Return the hexes of concealment that the line passes, with the rules of each (4.8)."""
    low, high = sorted((ground.plot(observer).level, ground.plot(end).level))
    found: list[tuple[Hex, str]] = []
    beside: dict[tuple[Fraction, Fraction], str] = {}
    passed = set()
    for hex_, art, inside, shares in _pieces(ground, observer, place, end):
        passed.add(hex_)
        # Woods and wheat rise to no other level than their own (4.8), wheat not even between levels (8.8).
        near = _near(art.plot.level, low, high, open_below=rules.open_below)
        if conceals(hex_):
            cite = "4.8"
        elif (near or rules.flat_woods) and art.crosses("light_woods", whole=art.plot.light_woods):
            cite = "4.8, 8.9"
        elif near and rules.wheat and low == high and art.crosses("wheat", whole=art.plot.wheat):
            cite = "4.8, 8.8"
        else:
            continue
        if inside or shares in beside:
            found.append((hex_, min(cite, beside.get(shares, cite))))
        # Along a hex side it takes both of its hexes (4.41).
        beside[shares] = cite
    if rules.touching:
        corners = (h for h in hexes_of(place) if h not in (observer, end) and h not in passed)
        found += [(h, "4.8") for h in corners if conceals(h)]
    return found


def _stopped(
    ground: Ground, observer: Hex, place: Hex | Vertex, end: Hex, conceals: Conceals, rules: SightRules
) -> Obstruction | None:
    if end == observer:
        return None
    low, high = sorted((ground.plot(observer).level, ground.plot(end).level))
    several = any(ground.plot(h).base < ground.plot(h).level for h in (observer, end))
    beside: dict[tuple[Fraction, Fraction], tuple[str, str]] = {}
    for hex_, art, inside, shares in _pieces(ground, observer, place, end):
        found = _obstacle(art, low, high, open_below=rules.open_below)
        if found is None and hex_ in rules.friends:
            found = "4.6", "friends in the line of fire"
        if found is None:
            continue
        if not inside and shares not in beside:
            beside[shares] = found
            continue
        cite, what = min(found, beside.get(shares, found))
        extra = [] if inside or "4.41" in cite else ["4.41"]
        extra += ["4.51", "8.44"] if several and low != high else []
        if place == end:
            extra.append("4.91")
        elif hex_ in hexes_of(place):
            extra.append("4.92")
        return Obstruction(", ".join(["4.2", cite, *extra]), what, hex_)
    clouds = _concealed(ground, observer, place, end, conceals, rules)
    if len(clouds) < rules.clouds:
        return None
    at, cite = clouds[rules.clouds - 1]
    return Obstruction(f"4.2, {cite}, 4.82", "a second hex of concealment", at)


def _along(start: Point, stop: Point, share: Fraction) -> Point:
    return start[0] + (stop[0] - start[0]) * share, start[1] + (stop[1] - start[1]) * share


@lru_cache(maxsize=65536)
def _crossed(observer: Hex, place: Hex | Vertex, end: Hex) -> tuple[tuple[Hex, Shares, bool], ...]:
    """Return the hexes between the ends that the line runs through or along, its shares, and whether through.

    They come in the order in which the line meets them. Points are whole numbers here: a vertex lies on thirds.
    """
    start, stop = _scaled(observer), _scaled(place)
    found = []
    for q in range(min(observer[0], end[0]) - 1, max(observer[0], end[0]) + 2):
        for r in _rows(start, stop, q):
            if (q, r) not in (observer, end) and (shares := _clip(*_planes(start, stop, (q, r)))) is not None:
                middle = sum(shares) / 2
                inside = all(a + (b - a) * middle > 0 for a, b in zip(*_planes(start, stop, (q, r)), strict=True))
                found.append(((q, r), shares, inside))
    return tuple(sorted(found, key=lambda one: one[1]))


def _scaled(place: Hex | Vertex) -> tuple[int, int]:
    x, y = _point(place)
    return int(x * SCALE), int(y * SCALE)


def _rows(start: tuple[int, int], stop: tuple[int, int], q: int) -> range:
    """Return the rows of a column that the line may touch: where it runs between the column's sides."""
    (x0, y0), (x1, y1) = sorted((start, stop))
    left, right = max(x0, SCALE * (3 * q - 2)), min(x1, SCALE * (3 * q + 2))
    if left > right:
        return range(0)
    ends = [y0, y1] if x0 == x1 else [y0 + Fraction((y1 - y0) * (x - x0), x1 - x0) for x in (left, right)]
    least, most = min(ends) / SCALE - q - 1, max(ends) / SCALE - q + 1
    return range(int(least // 2), int(most // 2) + 2)


def _planes(start: tuple[int, int], stop: tuple[int, int], hex_: Hex) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return how far the ends of a line lie within each side of a hex."""
    q, r = hex_

    def of(point: tuple[int, int]) -> tuple[int, ...]:
        x, y = point[0] - SCALE * 3 * q, point[1] - SCALE * (2 * r + q)
        one, two = SCALE, 2 * SCALE
        return (one - y, one + y, two - x - y, two - x + y, two + x - y, two + x + y)

    return of(start), of(stop)


def _clip(begin: tuple[int, ...], finish: tuple[int, ...]) -> Shares | None:
    """Return the share of the line that lies in or on the hex; None when it is no more than a point."""
    first, last = Fraction(0), Fraction(1)
    for a, b in zip(begin, finish, strict=True):
        if a < 0 and b < 0:
            return None
        if a < 0 or b < 0:
            share = Fraction(a, a - b)
            first, last = (max(first, share), last) if a < 0 else (first, min(last, share))
    return (first, last) if first < last else None


class _Drawings:
    """The drawings of one hex against the piece of the line that runs there."""

    def __init__(self, plot: Plot, hex_: Hex, start: Point, stop: Point, shares: Shares) -> None:
        self.plot = plot
        self._hex, self._ends, self._shares = hex_, (start, stop), shares

    @cached_property
    def piece(self) -> tuple[Point, Point]:
        """Return the line's piece in the hex."""
        first, last = (_along(*self._ends, share) for share in self._shares)
        return first, last

    def _points(self, drawing: Drawing) -> list[Point]:
        x, y = _point(self._hex)
        # East and west corners are 2 from the centre: hundredths of the way are doubled across.
        return [(x + Fraction(2 * px, GRAIN), y + Fraction(py, GRAIN)) for px, py in drawing.points]

    def crosses(self, kind: str, *, whole: bool) -> bool:
        """Return whether the line touches a drawing of the kind; a hex that has it undrawn counts as filled by it."""
        drawn = [d for d in self.plot.drawn if d.kind == kind]
        if not drawn:
            return whole
        return whole and any(_touches(self.piece, self._points(d), closed=True) for d in drawn)

    def contours(self) -> Iterator[int]:
        """Yield the levels of the contours that the line crosses; an undrawn one lies somewhere on its way."""
        drawn = [d for d in self.plot.drawn if d.kind == "contour"]
        for drawing in drawn:
            if _touches(self.piece, self._points(drawing), closed=False):
                yield drawing.level
        if not drawn:
            yield from range(self.plot.base + 1, self.plot.level + 1)


def _touches(piece: tuple[Point, Point], points: list[Point], *, closed: bool) -> bool:
    edges = list(pairwise([*points, points[0]] if closed else points))
    if any(_meet(*piece, *edge) for edge in edges):
        return True
    return closed and _within(piece[0], points)


def _turn(a: Point, b: Point, c: Point) -> Fraction:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return whether two pieces have a point in common."""
    one, two, three, four = _turn(a, b, c), _turn(a, b, d), _turn(c, d, a), _turn(c, d, b)
    if one * two < 0 and three * four < 0:
        return True
    return any(turn == 0 and _between(p, q, r) for turn, p, q, r in (
        (one, a, b, c), (two, a, b, d), (three, c, d, a), (four, c, d, b)
    ))  # fmt: skip


def _between(a: Point, b: Point, c: Point) -> bool:
    return min(a[0], b[0]) <= c[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= c[1] <= max(a[1], b[1])


def _within(point: Point, points: list[Point]) -> bool:
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in pairwise([*points, points[0]]):
        if (ay > y) != (by > y) and x < ax + (bx - ax) * (y - ay) / (by - ay):
            inside = not inside
    return inside


def _near(level: int, low: int, high: int, *, open_below: bool) -> bool:
    """Return whether what stands on a level can be in the way between two levels, and is not seen over (4.4, 4.53)."""
    if low == high:
        return level == low
    if open_below and level == low:
        return False
    # Only what stands on the levels between the ends: what lies below both is seen over.
    return low <= level <= low + 1 or abs(level - high) <= 1


def _obstacle(art: _Drawings, low: int, high: int, *, open_below: bool) -> tuple[str, str] | None:
    """Return what in a hex between the ends stops the line, with its rules (4.4, 4.5); None when nothing does."""
    plot, alike = art.plot, low == high
    drawn = any(drawing.kind == "contour" for drawing in plot.drawn)
    if alike:
        if plot.base > high or any(level > high for level in art.contours()):
            return "4.3, 4.42, 4.43, 8.41" if drawn else "4.3, 4.43, 8.41", "higher ground"
    elif plot.base > high or any(level >= high for level in art.contours()):
        return "4.3, 4.5, 4.52, 8.42", "a contour no lower than the higher end"
    near = _near(plot.level, low, high, open_below=open_below)
    if near and plot.village:
        return "4.41, 8.1" if alike else "4.41, 4.5, 4.53, 8.1", "a village"
    if near and art.crosses("woods", whole=plot.woods):
        return "4.42, 8.9" if alike else "4.5, 4.53, 8.9", "woods with a green dot"
    return None
