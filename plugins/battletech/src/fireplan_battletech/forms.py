"""The tables and the map, what scenario files say of pieces, spotters and units, and what parts know of them."""

from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Literal

import attrs

from fireplan_core import ScenarioFile
from fireplan_core.chance import numbers_from_csv, read_csv
from fireplan_core.files import Complaint, entry, flag, repeated, unknown, unread
from fireplan_core.space import Hex, HexFrame, Layout, distance, numbered_columns

DATA = files(__package__) / "data"
NUMBERS = numbers_from_csv("numbers", DATA / "numbers.csv")
SPACING_M, COLUMNS, ROWS = NUMBERS["hex_metres"], NUMBERS["map_columns"], NUMBERS["map_rows"]
MAP = HexFrame(
    SPACING_M, Layout(numbered_columns(1, COLUMNS), (1, ROWS), (1, ROWS), digits=len(str(ROWS)))
)
"""Four sheets, two by two: the map of an engagement and of the scenarios."""
MIDDLE = MAP.nearest(
    *(sum(pair) / len(pair) for pair in zip(*map(MAP.metres, MAP.layout.hexes()), strict=True))
)


@attrs.frozen
class Weapon:
    """Say how far a kind of piece fires, and what damage each ring about the hex takes, inmost first."""

    range_hexes: int
    rings: tuple[int, ...]


WEAPONS = {
    row["weapon"]: Weapon(
        int(row["range_hexes"]), tuple(int(row[r]) for r in row if r[:5] == "ring_" and row[r])
    )
    for row in read_csv(DATA / "weapons.csv")
}
FLIGHT = {
    int(row["hexes_at_most"]): int(row["turns_of_flight"]) for row in read_csv(DATA / "flight.csv")
}
"""Turns of flight by the range up to which they hold."""


def designations(hexes: int) -> int:
    """Return how many hexes a side may name before play on a map of so many (7)."""
    return NUMBERS["designated"] * -(-hexes // NUMBERS["designated_area"])


Kind = Literal["thumper", "sniper", "long_tom", "arrow_iv"]
Troops = Literal["infantry", "vehicle", "flying"]
Ground = Literal["clear", "woods", "rough", "swamp"]
REGULAR = NUMBERS["regular_gunnery"]


@attrs.frozen(kw_only=True)
class Piece:
    """A piece of artillery, off the map or on it."""

    id: str = entry("a name of its own", example="sniper")
    weapon: Kind = entry("what kind of piece")
    off_board: int = entry("hexes off the southern edge", 0, range=(0, 600))
    place: str | None = entry("the hex in which it stands, on the map", None)
    gunnery: int = entry("the gunner's skill", REGULAR, range=(0, 8))
    oblique: bool = flag("whether he is an oblique artilleryman")
    shots: int | None = entry("shells, if they are counted", None, range=(1, 99))
    move: int = entry("what its own movement adds; 0: it stays", 0, range=(0, 3))


@attrs.frozen(kw_only=True)
class Gun(Piece):
    """A piece in play: the range to its target, where it stands if that is known, the hexes named before play."""

    hexes: int
    stands: Hex | None = None
    designated: tuple[Hex, ...] = ()

    def hexes_to(self, at: Hex) -> int:
        """Return the range to a hex; on the map of another game that to the target."""
        return self.hexes if self.stands is None else distance(self.stands, at)


@attrs.frozen(kw_only=True)
class Spotter:
    """Whoever may spot."""

    id: str = entry("a name of its own", example="scout")
    gunnery: int = entry("gunnery skill", REGULAR, range=(0, 8))
    forward_observer: bool = flag("whether it is a forward observer")
    implant: bool = flag("whether it has a comm implant")
    infantry: bool = flag("whether it is infantry")
    flying: bool = flag("whether it is aerospace and in the air")
    unit: str = entry("the unit that it is, if it is on the table", "")
    sees: tuple[str, ...] | None = entry("the hexes in its sight; all by default", None)
    until: int = entry("the last turn in which it sees them; 0: always", 0, range=(0, 99))


@attrs.frozen(kw_only=True)
class Body:
    """A unit on the map."""

    id: str = entry("a name of its own", example="platoon")
    place: str = entry("the hex in which it stands", "", example="1617")
    side: Literal["target", "firer"] = entry("whose it is", "target")
    kind: Troops = entry("conventional infantry, a vehicle, or in flight", "infantry")
    men: int = entry("men of a platoon", NUMBERS["platoon"], range=(1, 28))
    ground: Ground = entry("what lies in its hex", "clear")


def hex_of(text: str) -> Hex:
    """Return the hex of a label; ValueError where the map has none of that name."""
    return MAP.layout.parse(text, virtual=False)


@attrs.frozen(kw_only=True)
class BattleTechScenario(ScenarioFile):
    """Artillery of one side, who spots for it, and who is about."""

    target: str = entry("the hex in which fire is wanted", example="1617")
    piece: tuple[Piece, ...] = entry("the pieces")
    spotter: tuple[Spotter, ...] = entry("who may spot", ())
    unit: tuple[Body, ...] = entry("who is about")
    designated: tuple[str, ...] = entry("hexes named before play", (), example=["1617"])

    def check(self) -> Iterator[Complaint]:
        """Yield names that stand twice, places that are none, units that are not there, hexes named too many."""
        yield from repeated(self, "piece", "spotter", "unit", by="id")
        yield from unknown(self, ["", *(one.id for one in self.unit)], "unit", "spotter")
        places: dict[str, Iterable[str | None]] = {
            "target": [self.target],
            "designated": self.designated,
        }
        places |= {f"piece[{number}].place": [one.place] for number, one in enumerate(self.piece)}
        places |= {
            f"spotter[{number}].sees": one.sees or () for number, one in enumerate(self.spotter)
        }
        places |= {f"unit[{number}].place": [one.place] for number, one in enumerate(self.unit)}
        for key, labels in places.items():
            yield from unread(key, labels, hex_of, "a hex of the map, like 1617")
        if (named := len(set(self.designated))) > (most := designations(COLUMNS * ROWS)):
            yield "designated", f"{named} hexes are named before play", f"at most {most} (7)"
