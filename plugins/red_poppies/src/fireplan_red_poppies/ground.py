"""The ground of a scenario: the hexes in play, and the terrain in them and along their sides (8.0).

This module contains constant facts only. The resolution stores changes during play (breaches,
scrapes, gas), and ``sight`` traces lines of sight. Engagements have no ground: they declare the
target's cover.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property

import attrs

from fireplan_core.space import (
    DIRECTIONS,
    Hex,
    Layout,
    Vertex,
    distance,
    lettered_columns,
    neighbours,
)

HEX_M = 182.88
"""Distance between hex centres, in metres: 200 yards (2.2)."""

Side = tuple[Hex, Hex]
"""A hex side: the two hexes on either side of it, in ascending order."""

COMPASS: Mapping[str, int] = {"N": 1, "NE": 2, "SE": 3, "S": 4, "SW": 5, "NW": 6}
"""Maps the six compass directions to keys of ``DIRECTIONS``."""

ONE_MAP = Layout(lettered_columns(52), (1, 34), (1, 34), digits=2)
"""A stand-in for one map, with the printed labels but assumed bounds.

Columns B, D and so on are half a hex lower.
"""

TWO_MAPS = Layout(
    (*lettered_columns(52)[36:], *lettered_columns(36)), (1, 34), (1, 34), digits=2, first_q=-16
)
"""The two maps of volume 3 side by side, with AK to AZ west of A."""

LAYOUTS: Mapping[str, Layout] = {"one": ONE_MAP, "two": TWO_MAPS}


def hexes_of(place: Hex | Vertex) -> tuple[Hex, ...]:
    """Return the three hexes that meet at a vertex, or only the hex itself if it is a hex."""
    return (place,) if isinstance(place[0], int) else place


def is_hex(place: Hex | Vertex) -> bool:
    """Return whether a place is a hex, not a vertex."""
    return len(hexes_of(place)) == 1


def side_of(a: Hex, b: Hex) -> Side:
    """Return the side between two hexes; raise ``ValueError`` if they are not adjacent."""
    if distance(a, b) != 1:
        raise ValueError(f"{a} and {b} share no hex side")
    return (a, b) if a < b else (b, a)


def row_of(hex_: Hex) -> int:
    """Return the printed row number of a hex (the digits of its label)."""
    return hex_[1] + hex_[0] // 2


def at_row(column: int, row: int) -> Hex:
    """Return the hex at an axial column and a printed row number."""
    return column, row - column // 2


@attrs.frozen
class Drawing:
    """The shape of a feature in one hex.

    ``points`` are pairs (east, south) from the centre of the hex, where (100, 0) is its east corner
    and (50, 100) is its south-east corner. ``level`` is the level that a contour marks; woods,
    light_woods and wheat use the level of their hex.
    """

    kind: str
    points: tuple[tuple[int, int], ...]
    level: int = 0


@attrs.frozen
class HexTerrain:
    """The terrain of one hex.

    ``level`` is its highest level and ``base`` is its lowest (8.44); ``drawn`` are the shapes of
    its features, if known.
    """

    village: bool = False
    trench: bool = False
    blockhouse: bool = False
    craters: bool = False
    woods: bool = False
    light_woods: bool = False
    wheat: bool = False
    quarry: bool = False
    level: int = 0
    base: int = 0
    drawn: tuple[Drawing, ...] = ()

    @property
    def words(self) -> str:
        """Return the terrain in words for a map, e.g. "village, trench, level 1"."""
        features = (
            "village",
            "trench",
            "blockhouse",
            "craters",
            "woods",
            "light_woods",
            "wheat",
            "quarry",
        )
        level = [f"level {self.level}"] if self.level else []
        return ", ".join(
            [*(name.replace("_", " ") for name in features if getattr(self, name)), *level]
        )

    @property
    def covers(self) -> bool:
        """Return whether all units in the hex have cover from fire (8.02, 8.1, 8.2, 8.9)."""
        return self.village or self.craters or self.woods


OPEN = HexTerrain()
"""Open ground on level 0 (8.05)."""


Span = tuple[int, int]
"""The first and last number of a range of columns or rows."""


def _common(*spans: Span | None) -> range:
    """Return the range that all spans share; None means no limit."""
    limits = [span for span in spans if span is not None]
    return range(max(first for first, _ in limits), min(last for _, last in limits) + 1)


@attrs.frozen(eq=False)
class ScenarioMap:
    """The map of a scenario.

    ``columns`` (axial) and ``rows`` (printed) bound the hexes in play (2.2). ``wire``, ``streams``,
    ``bridges``, ``shores`` and ``roads`` are the hex sides with such a feature, ``stops`` the hex
    sides with bomb stops, and ``greens`` the hex sides of interior woods (8.9). ``setups`` are each
    side's set-up areas (6.662). ``hallowed`` is a side and the hex hallowed for it (6.679).
    ``dark`` means night or precipitation; ``wheat`` is true if wheat grows in this month (8.8).
    """

    layout: Layout
    columns: tuple[int, int]
    rows: tuple[int, int]
    plots: Mapping[Hex, HexTerrain] = attrs.field(factory=dict)
    wire: frozenset[Side] = frozenset()
    streams: frozenset[Side] = frozenset()
    bridges: frozenset[Side] = frozenset()
    shores: frozenset[Side] = frozenset()
    stops: frozenset[Side] = frozenset()
    roads: frozenset[Side] = frozenset()
    greens: frozenset[Side] = frozenset()
    setups: tuple[tuple[str, frozenset[Hex]], ...] = ()
    hallowed: tuple[str, Hex] | None = None
    night: bool = False
    dark: bool = False
    wheat: bool = False

    def in_play(self, hex_: Hex) -> bool:
        """Return whether a hex is in play, so that it may be entered and hit."""
        (west, east), (north, south) = self.columns, self.rows
        return (
            west <= hex_[0] <= east and north <= row_of(hex_) <= south and self.layout.on_map(hex_)
        )

    def plot(self, hex_: Hex) -> HexTerrain:
        """Return the terrain of a hex; by default it is open ground (8.05)."""
        return self.plots.get(hex_, OPEN)

    def hexes(self, columns: Span | None = None, rows: Span | None = None) -> Iterator[Hex]:
        """Yield the hexes in play column by column, optionally only in some columns and rows."""
        on_map = self.layout.first_q, self.layout.first_q + len(self.layout.columns) - 1
        for q in _common(on_map, self.columns, columns):
            for row in _common(self.layout.rows(q), self.rows, rows):
                yield at_row(q, row)

    @cached_property
    def features(self) -> frozenset[Hex]:
        """Return the hexes whose terrain may block or conceal lines of sight (4.4, 4.8)."""
        return frozenset(
            h
            for h, plot in self.plots.items()
            if plot.village
            or plot.woods
            or plot.light_woods
            or plot.wheat
            or plot.level
            or plot.base
            or plot.drawn
        )

    @property
    def heights(self) -> tuple[Hex, ...]:
        """Return the hexes of the map's highest level; () if all are on level 0 (7.242)."""
        top = max((plot.level for plot in self.plots.values()), default=0)
        return tuple(sorted(h for h, plot in self.plots.items() if top and plot.level == top))

    def cliffs(self) -> Iterator[tuple[Hex, Hex]]:
        """Yield adjacent hexes (higher, lower) between which a contour is missing (4.52)."""
        for high, plot in sorted(self.plots.items()):
            low = (
                h for h in neighbours(high) if self.plot(h).level < plot.base and self.in_play(h)
            )
            yield from ((high, other) for other in low if self.in_play(high))

    def linked(self, a: Hex, b: Hex, stops: tuple[Side, ...]) -> bool:
        """Return whether the trenches of two adjacent hexes connect (8.321, 8.322).

        ``stops`` are the hex sides with bomb stops, which cut the connection (8.33).
        """
        return self.plot(a).trench and self.plot(b).trench and side_of(a, b) not in stops

    def bordering(self, hexes: frozenset[Hex]) -> tuple[Side, ...]:
        """Return the hex sides with wire along these hexes, sorted (7.43)."""
        return tuple(sorted(s for s in self.wire if s[0] in hexes or s[1] in hexes))


def area(ground: ScenarioMap, texts: tuple[str, ...]) -> tuple[Hex, ...]:
    """Return the hexes in play that the texts name, in order and without repetition.

    A text names a hex, rows, columns or everything, in the notation that ``block`` reads; raise
    ``ValueError`` for any other text.
    """
    hexes: dict[Hex, None] = {}
    for columns, rows in dict.fromkeys(block(ground.layout, text) for text in texts):
        hexes.update(dict.fromkeys(ground.hexes(columns, rows)))
    return tuple(hexes)


def block(layout: Layout, text: str) -> tuple[Span | None, Span | None]:
    """Return the axial columns and the printed rows that a text names, each None for all.

    The text is ``N18``, ``row 19``, ``rows 1-19``, ``column P``, ``all``, or part of a row or a
    column: ``row 19 from O to X``, ``column P from 10 to 19``. Raise ``ValueError`` for any other
    text.
    """
    match text.replace("-", " - ").split():
        case ["all"]:
            return None, None
        case ["rows", first, "-", last]:
            return None, (_row(first, text), _row(last, text))
        case ["row", name]:
            return None, _single(_row(name, text))
        case ["column", name]:
            return _single(_column(layout, name, text)), None
        case ["row", name, "from", west, "to", east]:
            return (_column(layout, west, text), _column(layout, east, text)), _single(
                _row(name, text)
            )
        case ["column", name, "from", north, "to", south]:
            return _single(_column(layout, name, text)), (_row(north, text), _row(south, text))
    hex_ = layout.parse(text)
    return _single(hex_[0]), _single(row_of(hex_))


def _single(number: int) -> Span:
    return number, number


def _column(layout: Layout, name: str, text: str) -> int:
    if name not in layout.columns:
        west, east = layout.columns[0], layout.columns[-1]
        raise ValueError(f"{text}: there is no column {name} (west to east: {west} to {east})")
    return layout.columns.index(name) + layout.first_q


_DIGITS = 6  # maximum number of digits in a row number


def _row(name: str, text: str) -> int:
    if not (name.isascii() and name.isdigit() and len(name) <= _DIGITS):
        raise ValueError(f"{text}: {name} is not a row number such as 18")
    return int(name)


def toward(hex_: Hex, direction: str) -> Hex:
    """Return the adjacent hex in one of the six compass directions."""
    dq, dr = DIRECTIONS[COMPASS[direction]]
    return hex_[0] + dq, hex_[1] + dr
