"""The ground of a scenario: which hexes are in play and what stands in them and along their sides (section 8).

Constant facts only. What a scenario changes (breaches, scrapes, gas) is the resolution's; how sight
runs over the ground is ``_sight``'s. Engagements have no such ground: there the cover of the target
is declared.
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
"""Metres between hex centres: 200 yards (2.2)."""

Side = tuple[Hex, Hex]
"""A hex side: the two hexes that it parts, in ascending order."""

COMPASS: Mapping[str, int] = {"N": 1, "NE": 2, "SE": 3, "S": 4, "SW": 5, "NW": 6}

ONE_MAP = Layout(lettered_columns(52), (1, 34), (1, 34), digits=2)
"""A stand-in for a volume's maps: their labels, but bounds of our own.

B, D, .. stand half a hex lower.
"""

TWO_MAPS = Layout(
    (*lettered_columns(52)[36:], *lettered_columns(36)), (1, 34), (1, 34), digits=2, first_q=-16
)
"""The two maps of volume 3 side by side: AK to AZ lie west of A."""

LAYOUTS: Mapping[str, Layout] = {"one": ONE_MAP, "two": TWO_MAPS}


def hexes_of(place: Hex | Vertex) -> tuple[Hex, ...]:
    """Return the three hexes that meet at a vertex; of a hex, two coordinates, that hex alone."""
    return (place,) if isinstance(place[0], int) else place


def is_hex(place: Hex | Vertex) -> bool:
    """Return whether a place is a hex and no vertex."""
    return len(hexes_of(place)) == 1


def side_of(a: Hex, b: Hex) -> Side:
    """Return the side between two adjacent hexes; ValueError when they are not adjacent."""
    if distance(a, b) != 1:
        raise ValueError(f"{a} and {b} share no hex side")
    return (a, b) if a < b else (b, a)


def row_of(hex_: Hex) -> int:
    """Return the printed row number of a hex (the digits of its label)."""
    return hex_[1] + hex_[0] // 2


def at_row(column: int, row: int) -> Hex:
    """Return the hex of an (axial) column with that printed row number."""
    return column, row - column // 2


@attrs.frozen
class Drawing:
    """A feature as it is drawn in one hex: its corners in hundredths of the way to the hex's own corners.

    ``level`` is the height that a contour marks; other kinds (woods, light_woods, wheat) stand on their hex's level.
    """

    kind: str
    points: tuple[tuple[int, int], ...]
    level: int = 0


@attrs.frozen
class Plot:
    """Say what one hex holds.

    ``level`` is the highest in it, ``base`` the lowest (8.44); ``drawn`` its art, if known.
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
        """Return what it holds, for maps."""
        held = (
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
            [*(name.replace("_", " ") for name in held if getattr(self, name)), *level]
        )

    @property
    def covers(self) -> bool:
        """Return whether its mere presence helps against fire (8.02, 8.1, 8.2, 8.9)."""
        return self.village or self.craters or self.woods


OPEN = Plot()


Span = tuple[int, int]
"""First and last of some columns or rows."""


def _common(*spans: Span | None) -> range:
    """Return what these spans have in common; None is all."""
    given = [span for span in spans if span is not None]
    return range(max(first for first, _ in given), min(last for _, last in given) + 1)


@attrs.frozen(eq=False)
class Ground:
    """The map as the scenario has it.

    ``columns`` (axial) and ``rows`` (printed) bound what is in play (2.2).

    ``greens`` are the sides of interior woods (8.9). ``setups`` are where each side could set up (6.662), ``hallowed``
    whose ground is hallowed and where (6.679). ``dark`` is night or precipitation; ``wheat`` tells whether it stands.
    """

    layout: Layout
    columns: tuple[int, int]
    rows: tuple[int, int]
    plots: Mapping[Hex, Plot] = attrs.field(factory=dict)
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
        """Return whether the hex may be entered and hit."""
        (west, east), (north, south) = self.columns, self.rows
        return (
            west <= hex_[0] <= east and north <= row_of(hex_) <= south and self.layout.on_map(hex_)
        )

    def plot(self, hex_: Hex) -> Plot:
        """Return what the hex holds; open ground where nothing is said (8.05)."""
        return self.plots.get(hex_, OPEN)

    def hexes(self, columns: Span | None = None, rows: Span | None = None) -> Iterator[Hex]:
        """Yield every hex in play, or those within some (axial) columns and (printed) rows, column by column."""
        on_map = self.layout.first_q, self.layout.first_q + len(self.layout.columns) - 1
        for q in _common(on_map, self.columns, columns):
            for row in _common(self.layout.rows(q), self.rows, rows):
                yield at_row(q, row)

    @cached_property
    def features(self) -> frozenset[Hex]:
        """Return the hexes whose ground or growth may be in the way of sight (4.4, 4.8)."""
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
        """Return the hexes of the map's top level; none where all of it is level (7.242)."""
        top = max((plot.level for plot in self.plots.values()), default=0)
        return tuple(sorted(h for h, plot in self.plots.items() if top and plot.level == top))

    def cliffs(self) -> Iterator[tuple[Hex, Hex]]:
        """Yield neighbours in play, the higher first, where neither holds the contour between their levels (4.52)."""
        for high, plot in sorted(self.plots.items()):
            low = (
                h for h in neighbours(high) if self.plot(h).level < plot.base and self.in_play(h)
            )
            yield from ((high, other) for other in low if self.in_play(high))

    def linked(self, a: Hex, b: Hex, stops: tuple[Side, ...]) -> bool:
        """Return whether trenches of two adjacent hexes connect with these bomb stops (8.321, 8.322, 8.33)."""
        return self.plot(a).trench and self.plot(b).trench and side_of(a, b) not in stops

    def bordering(self, hexes: frozenset[Hex]) -> tuple[Side, ...]:
        """Return the wire along any side of these hexes, in order (7.43)."""
        return tuple(sorted(s for s in self.wire if s[0] in hexes or s[1] in hexes))


def area(ground: Ground, texts: tuple[str, ...]) -> tuple[Hex, ...]:
    """Return the hexes in play that these texts name, in order.

    Raises ValueError for a text that names no area.
    """
    found: dict[Hex, None] = {}
    for columns, rows in dict.fromkeys(block(ground.layout, text) for text in texts):
        found.update(dict.fromkeys(ground.hexes(columns, rows)))
    return tuple(found)


def block(layout: Layout, text: str) -> tuple[Span | None, Span | None]:
    """Return the (axial) columns and (printed) rows that a text names, None for all.

    ``N18``, ``row 19``, ``rows 1-19``, ``column P``, ``all``; rows and columns may be cut: ``row 19 from O to X``,
    ``column P from 10 to 19``. Raises ValueError for a text that names no area.
    """
    match text.replace("-", " - ").split():
        case ["all"]:
            return None, None
        case ["rows", first, "-", last]:
            return None, (_row(first, text), _row(last, text))
        case ["row", name]:
            return None, _one(_row(name, text))
        case ["column", name]:
            return _one(_column(layout, name, text)), None
        case ["row", name, "from", west, "to", east]:
            return (_column(layout, west, text), _column(layout, east, text)), _one(
                _row(name, text)
            )
        case ["column", name, "from", north, "to", south]:
            return _one(_column(layout, name, text)), (_row(north, text), _row(south, text))
    hex_ = layout.parse(text)
    return _one(hex_[0]), _one(row_of(hex_))


def _one(number: int) -> Span:
    return number, number


def _column(layout: Layout, name: str, text: str) -> int:
    if name not in layout.columns:
        raise ValueError(f"{text}: there is no column {name}")
    return layout.columns.index(name) + layout.first_q


_DIGITS = 6  # of a row number, at most


def _row(name: str, text: str) -> int:
    if not (name.isascii() and name.isdigit() and len(name) <= _DIGITS):
        raise ValueError(f"{text}: {name} is no row number")
    return int(name)


def toward(hex_: Hex, direction: str) -> Hex:
    """Return the neighbouring hex in one of the six compass directions."""
    dq, dr = DIRECTIONS[COMPASS[direction]]
    return hex_[0] + dq, hex_[1] + dr
