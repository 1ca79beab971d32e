"""The tables, the map, and the scenario form: pieces, spotters and units."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

import attrs

from fireplan_core import Part, Place, ScenarioFile
from fireplan_core.chance import read_csv
from fireplan_core.files import Complaint, entry, flag, repeated, unknown_values
from fireplan_core.space import Frame, Hex, HexFrame, Layout, distance, numbered_columns

DATA = files(__package__) / "data"
LABEL_DIGITS = 2
"""Digits of a column and of a row in a hex's label, as printed on mapsheets: 0417."""
LARGEST_MAP = 99
"""Maximum number of columns or rows that such labels can name."""


def map_of(part: Part, columns: int | None = None, rows: int | None = None) -> HexFrame:
    """Return a map of this many columns and rows; by default four mapsheets, two by two."""
    return _map(
        part.number("hex_metres"),
        columns or part.number("map_columns"),
        rows or part.number("map_rows"),
    )


@cache
def _map(spacing_m: int, columns: int, rows: int) -> HexFrame:
    layout = Layout(numbered_columns(1, columns), (1, rows), (1, rows), digits=LABEL_DIGITS)
    return HexFrame(spacing_m, layout)


@attrs.frozen(eq=False)
class Weapons:
    """The pieces: their ranges, the damage of each ring, and how long a shell is in the air.

    ``rings`` maps a piece to the damage by distance from the impact, in hexes. ``turns_of_flight``
    maps each maximum range in hexes to the turns of flight up to that range.
    """

    range_hexes: Mapping[str, int] = attrs.field(metadata={"cite": "6"})
    rings: Mapping[str, Mapping[int, int]] = attrs.field(metadata={"cite": "16"})
    turns_of_flight: Mapping[int, int] = attrs.field(metadata={"cite": "8"})
    provenance: str = "derived"
    source: str = "6"


def read_weapons(pieces: Traversable, flight: Traversable) -> Weapons:
    """Return the weapons listed in the CSV files of pieces and of flight times."""
    rows = {row["weapon"]: row for row in read_csv(pieces)}
    return Weapons(
        {weapon: int(row["range_hexes"]) for weapon, row in rows.items()},
        {
            weapon: {
                int(column.removeprefix("ring_")): int(damage)
                for column, damage in row.items()
                if column.startswith("ring_") and damage
            }
            for weapon, row in rows.items()
        },
        {int(row["hexes_at_most"]): int(row["turns_of_flight"]) for row in read_csv(flight)},
    )


WEAPONS = read_weapons(DATA / "weapons.csv", DATA / "flight.csv")


def designations(part: Part, hexes: int) -> int:
    """Return the number of hexes that a side may predesignate on a map of ``hexes`` hexes (7)."""
    return part.number("designated") * -(-hexes // part.number("designated_area"))


Kind = Literal["thumper", "sniper", "long_tom", "arrow_iv"]
Troops = Literal["infantry", "vehicle", "flying"]
Ground = Literal["clear", "woods", "rough", "swamp"]


@attrs.frozen(kw_only=True)
class Piece:
    """An artillery piece, off-board or on the map."""

    id: str = entry("the name of the piece", example="sniper")
    weapon: Kind = entry("the kind of piece")
    off_board: int = entry("hexes off the southern edge", 0, range=(0, 600))
    place: str | None = entry("its hex, if it is on the map", None)
    gunnery: int | None = entry(
        "the gunner's gunnery skill; a regular gunner's if left out", None, range=(0, 8)
    )
    oblique: bool = flag("whether the gunner is an oblique artilleryman")
    shots: int | None = entry("its number of shells, if they are counted", None, range=(1, 99))
    move: int = entry("the to-hit modifier if it has moved; 0 if it cannot move", 0, range=(0, 3))


@attrs.frozen(kw_only=True)
class Gun(Piece):
    """A piece in play: the range to its target, its hex if known, and the predesignated hexes."""

    hexes: int
    stands: Hex | None = None
    designated: tuple[Hex, ...] = ()

    def hexes_to(self, at: Hex) -> int:
        """Return the range to a hex; if the piece has no hex, return the range to its target."""
        return self.hexes if self.stands is None else distance(self.stands, at)


@attrs.frozen(kw_only=True)
class Spotter:
    """A spotter: its skill, its equipment, and the hexes that it sees."""

    id: str = entry("the name of the spotter", example="scout")
    gunnery: int | None = entry("gunnery skill; a regular gunner's if left out", None, range=(0, 8))
    forward_observer: bool = flag("whether it is a forward observer")
    implant: bool = flag("whether it has a comm implant")
    infantry: bool = flag("whether it is infantry")
    flying: bool = flag("whether it is an aerospace unit in the air")
    unit: str = entry("its unit, if it is in the file", "")
    sees: tuple[str, ...] | None = entry("the hexes it sees; all if left out", None)
    until: int = entry("the last turn in which it sees them; 0 for always", 0, range=(0, 99))


@attrs.frozen(kw_only=True)
class UnitEntry:
    """A unit on the map: its hex, side, kind, men and terrain."""

    id: str = entry("the name of the unit", example="platoon")
    place: str = entry("its hex", "", example="1617")
    side: Literal["target", "firer"] = entry("its side", "target")
    kind: Troops = entry("conventional infantry, a vehicle, or a unit in the air", "infantry")
    men: int | None = entry(
        "the number of men, for infantry; those of a foot platoon if left out", None, range=(1, 28)
    )
    ground: Ground = entry("the terrain of its hex", "clear")


@attrs.frozen(kw_only=True)
class UnitInPlay(UnitEntry):
    """A unit of a file, with its number of men filled in."""

    men: int


def skill(person: Piece | Spotter, part: Part) -> int:
    """Return the gunnery skill of a gunner or a spotter, by default that of a regular (9)."""
    return part.number("regular_gunnery") if person.gunnery is None else person.gunnery


def hex_of(frame: Frame, text: str) -> Place:
    """Return the hex that a label names; raise ``ValueError`` if it is not on the map."""
    place = frame.parse(text)
    if not frame.on_map(place):
        raise ValueError(f"{text} is not on the map")
    return place


@attrs.frozen(kw_only=True)
class BattleTechScenario(ScenarioFile):
    """A scenario: its map, one side's artillery, its spotters, and the units on the map."""

    columns: int | None = entry(
        "the columns of the map, 16 a mapsheet; two mapsheets if left out",
        None,
        range=(1, LARGEST_MAP),
    )
    rows: int | None = entry(
        "the rows of the map, 17 a mapsheet; two mapsheets if left out",
        None,
        range=(1, LARGEST_MAP),
    )
    target: str = entry("the target hex", example="1617")
    piece: tuple[Piece, ...] = entry("the artillery pieces")
    spotter: tuple[Spotter, ...] = entry("the spotters", ())
    unit: tuple[UnitEntry, ...] = entry("the units on the map")
    designated: tuple[str, ...] = entry("the predesignated hexes", (), example=["1617"])

    def check(self) -> Iterator[Complaint]:
        """Yield the file's faults: repeated or unknown names."""
        yield from repeated(self, "piece", "spotter", "unit", by="id")
        yield from unknown_values(self, ["", *(unit.id for unit in self.unit)], "unit", "spotter")
