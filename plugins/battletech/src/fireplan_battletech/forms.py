"""What scenario files say of pieces, spotters and units, and what the parts know of them as facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import attrs

from fireplan_battletech.charts import COLUMNS, MAP, NUMBERS, ROWS, designations
from fireplan_core import ScenarioFile
from fireplan_core.files import Complaint, about, repeated, unknown, unread
from fireplan_core.space import Hex, distance

Kind = Literal["thumper", "sniper", "long_tom", "arrow_iv"]
Troops = Literal["infantry", "vehicle", "flying"]
Ground = Literal["clear", "woods", "rough", "swamp"]
REGULAR = NUMBERS["regular_gunnery"]


@attrs.frozen(kw_only=True)
class Piece:
    """A piece of artillery, off the map or on it."""

    id: str = attrs.field(metadata=about("a name of its own", example="sniper"))
    weapon: Kind = attrs.field(metadata=about("what kind of piece"))
    off_board: int = attrs.field(default=0, metadata=about("hexes off the southern edge", range=(0, 600)))
    place: str | None = attrs.field(default=None, metadata=about("the hex in which it stands, on the map"))
    gunnery: int = attrs.field(default=REGULAR, metadata=about("the gunner's skill", range=(0, 8)))
    oblique: bool = attrs.field(default=False, metadata=about("whether he is an oblique artilleryman"))
    shots: int | None = attrs.field(default=None, metadata=about("shells, if they are counted", range=(1, 99)))
    move: int = attrs.field(default=0, metadata=about("what its own movement adds; 0: it stays", range=(0, 3)))


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

    id: str = attrs.field(metadata=about("a name of its own", example="scout"))
    gunnery: int = attrs.field(default=REGULAR, metadata=about("gunnery skill", range=(0, 8)))
    forward_observer: bool = attrs.field(default=False, metadata=about("whether it is a forward observer"))
    implant: bool = attrs.field(default=False, metadata=about("whether it has a comm implant"))
    infantry: bool = attrs.field(default=False, metadata=about("whether it is infantry"))
    flying: bool = attrs.field(default=False, metadata=about("whether it is aerospace and in the air"))
    unit: str = attrs.field(default="", metadata=about("the unit that it is, if it is on the table"))
    sees: tuple[str, ...] | None = attrs.field(default=None, metadata=about("the hexes in its sight; all by default"))
    until: int = attrs.field(default=0, metadata=about("the last turn in which it sees them; 0: always", range=(0, 99)))


@attrs.frozen(kw_only=True)
class Body:
    """A unit on the map."""

    id: str = attrs.field(metadata=about("a name of its own", example="platoon"))
    place: str = attrs.field(default="", metadata=about("the hex in which it stands", example="1617"))
    side: Literal["target", "firer"] = attrs.field(default="target", metadata=about("whose it is"))
    kind: Troops = attrs.field(default="infantry", metadata=about("conventional infantry, a vehicle, or in flight"))
    men: int = attrs.field(default=NUMBERS["platoon"], metadata=about("men of a platoon", range=(1, 28)))
    ground: Ground = attrs.field(default="clear", metadata=about("what lies in its hex"))


def hex_of(text: str) -> Hex:
    """Return the hex of a label; ValueError where the map has none of that name."""
    return MAP.layout.parse(text, virtual=False)


@attrs.frozen(kw_only=True)
class BattleTechScenario(ScenarioFile):
    """Artillery of one side, who spots for it, and who is about."""

    target: str = attrs.field(metadata=about("the hex in which fire is wanted", example="1617"))
    piece: tuple[Piece, ...] = attrs.field(metadata=about("the pieces"))
    spotter: tuple[Spotter, ...] = attrs.field(default=(), metadata=about("who may spot"))
    unit: tuple[Body, ...] = attrs.field(metadata=about("who is about"))
    designated: tuple[str, ...] = attrs.field(default=(), metadata=about("hexes named before play", example=["1617"]))

    def check(self) -> Iterator[Complaint]:
        """Yield names that stand twice, places that are none, units that are not there, hexes named too many."""
        yield from repeated(self, "piece", "spotter", "unit", by="id")
        yield from unknown(self, ["", *(one.id for one in self.unit)], "unit", "spotter")
        places: dict[str, Iterable[str | None]] = {"target": [self.target], "designated": self.designated}
        places |= {f"piece[{number}].place": [one.place] for number, one in enumerate(self.piece)}
        places |= {f"spotter[{number}].sees": one.sees or () for number, one in enumerate(self.spotter)}
        places |= {f"unit[{number}].place": [one.place] for number, one in enumerate(self.unit)}
        for key, labels in places.items():
            yield from unread(key, labels, hex_of, "a hex of the map, like 1617")
        if (named := len(set(self.designated))) > (most := designations(COLUMNS * ROWS)):
            yield "designated", f"{named} hexes are named before play", f"at most {most} (7)"
