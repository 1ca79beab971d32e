"""The units and hexes of a scenario file, as a player writes them; ``setup`` stages them."""

# ruff: noqa: RUF009 - the fields of a form are made by functions
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import attrs

from fireplan_asl.places import board_layout
from fireplan_asl.sight import PLAIN, HexTerrain
from fireplan_asl.units import STOREYED, Kind
from fireplan_core import Place
from fireplan_core.files import Complaint, entry, flag

TerrainName = Literal[
    "open",
    "shellhole",
    "woods",
    "forest",
    "brush",
    "orchard",
    "grain",
    "marsh",
    "vineyard",
    "crag",
    "graveyard",
    "debris",
    "olive_grove",
    "wooden_building",
    "stone_building",
    "wooden_rubble",
    "stone_rubble",
    "rail_car",
    "runway",
    "wall",
    "hedge",
    "roadblock",
    "wreck",
    "bridge",
    "water",
]
MOST_BOARDS = 4
LABELS = board_layout(MOST_BOARDS)
"""The layout of the largest map; a label names the same hex on every smaller map."""


def hex_entry(text: str, default: Any = attrs.NOTHING, example: Any = "K5") -> Any:
    """Return a form field for one or more hexes, written as on the map."""
    return entry(text, default, example=example, parse=LABELS.parse)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Move:
    """A unit's move before a fire phase."""

    moment: int = entry("the fire phase that it comes before; 1 is the first DFPh", range=(1, 999))
    to: Place = hex_entry("hex that it enters")
    terrain: TerrainName = entry("terrain that it enters", "open")
    exposed: int = entry("FFMO and FFNAM together", 0, range=(-4, 0))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class UnitEntry:
    """A unit, vehicle, weapon, building or obstacle."""

    id: str = entry("its name", example="1st squad")
    side: str = entry("side", "defender")
    hex: Place = hex_entry("its hex")
    kind: Kind = entry("kind of unit", "infantry")
    men: int = entry("number of men", 10, range=(0, 50))
    half: bool = flag("a half-squad, leader or crew")
    leader: bool = flag("a leader, who may be an Observer")
    morale: int = entry("Morale Level of Personnel", 7, range=(0, 11))
    broken_morale: int | None = entry(
        "Morale Level of its broken side, if different", None, range=(0, 11)
    )
    terrain: TerrainName = entry("terrain of its Location", "open")
    entrenched: bool = flag("in a foxhole or trench")
    heroic: bool = flag("heroic")
    berserk: bool = flag("berserk")
    hidden: bool = flag("set up hidden")
    concealed: bool = flag("concealed")
    dummy: bool = flag("a Dummy stack")
    concealment_terrain: bool = flag("whether its hex is Concealment Terrain")
    winter_camouflage: bool = flag("Winter-Camouflaged")
    levels_above: int = entry("building levels above it", 0, range=(0, 9))
    cover_bonus: int = entry(
        "extra TEM of a gunshield, fortification or emplacement", 0, range=(0, 5)
    )
    immune: bool = flag("not attacked: Aerial, in a sewer or a tunnel, or CT and buttoned up")
    armour: Literal["thin", "medium", "thick"] = entry(
        "thin: all AF 4 or less; thick: 8 or more", "medium"
    )
    open_topped: bool = flag("an open-topped AFV")
    op_tank: bool = flag("an OP tank, whose crew may observe buttoned up")
    possessor: str = entry("unit that mans the weapon", "")
    aboard: str = entry("vehicle or mount that it is on, or pillbox that it is in", "")
    rider: bool = flag("a Rider on its vehicle")
    us_number: int = entry("US# of the unit", 1, range=(0, 9))
    prisoners: int = entry("US# of the prisoners that it guards", 0, range=(0, 9))
    shelter: str = entry("sangar that it is in", "")
    survival: int = entry(
        "highest DR with which it survives the loss of its vehicle", 0, range=(0, 12)
    )
    level: int = entry("building level that it is on", 0, range=(0, 9))
    levels: int = entry("levels of a building, or steps of a minefield", 0, range=(0, 9))
    fortified: bool = flag("a completely Fortified building, but not a Factory")
    pillbox: Literal["brown", "grey"] = entry("colour of a pillbox", "brown")
    move: tuple[Move, ...] = entry("its moves in play", ())


@attrs.frozen(kw_only=True, eq=False, repr=False)
class HexEntry:
    """A hex that affects LOS, or one without units whose terrain fire may change.

    A hex with LOS values and a terrain name is both.
    """

    hex: Place = hex_entry("hex", example="K6")
    terrain: TerrainName | None = entry("its terrain; open if the hex has no other values", None)
    level: int = entry("level of its ground, for LOS", 0, range=(-9, 9))
    obstacle: int = entry("height of an obstacle to LOS, in levels", 0, range=(0, 9))
    hindrance: int = entry("drm of a Hindrance to LOS", 0, range=(0, 6))
    hindrance_levels: int = entry("height of its Hindrance, in levels", 1, range=(1, 9))
    upstairs: int = entry(
        "level of the highest Location of its building above the ground", 0, range=(0, 9)
    )

    @property
    def plot(self) -> HexTerrain:
        """Return the hex's terrain for LOS."""
        return HexTerrain(
            self.level, self.obstacle, self.hindrance, self.hindrance_levels, self.upstairs
        )

    @property
    def followed(self) -> bool:
        """Return whether fire may change the hex; False if it has LOS values only."""
        return self.terrain is not None or self.plot == PLAIN


READ_OF: Mapping[str, tuple[frozenset[Kind], str]] = {
    **dict.fromkeys(
        ("morale", "broken_morale"), (frozenset[Kind]({"infantry"}), "C1.5, C1.82, C1.821")
    ),
    **dict.fromkeys(("armour", "open_topped"), (frozenset[Kind]({"afv"}), "C1.55, C1.821")),
    **dict.fromkeys(("us_number", "prisoners"), (frozenset[Kind]({"infantry"}), "C1.2")),
    "survival": (frozenset[Kind]({"infantry"}), "C1.55, C1.821"),
    "levels": (STOREYED | {"mines"}, "C1.5, C1.822"),
}
"""Maps each field that only some kinds of units use to those kinds and the rule."""


def faults_of_units(units: Iterable[UnitEntry]) -> Iterator[Complaint]:
    """Yield faults in the units of a file.

    The faults are references to the wrong kind of unit, fields that no rule uses for the unit's
    kind, and kinds that a file may not use.
    """
    units = tuple(units)
    kinds: Mapping[str, Kind] = {unit.id: unit.kind for unit in units}
    for n, unit in enumerate(units):
        if unit.shelter and kinds.get(unit.shelter) != "sangar":
            yield (
                f"unit[{n}].shelter",
                f"{unit.shelter!r} is not a sangar [C1.822]",
                'give it kind = "sangar"',
            )
        if unit.dummy and unit.kind != "infantry":
            yield f"unit[{n}].dummy", "only a stack of Personnel can be a Dummy [C1.82]", ""
        for name, (readers, rule) in READ_OF.items():
            if (
                unit.kind not in readers
                and getattr(unit, name) != getattr(attrs.fields(UnitEntry), name).default
            ):
                yield (
                    f"unit[{n}].{name}",
                    f"no rule uses it for a unit of kind {unit.kind} [{rule}]",
                    "remove it",
                )
        if unit.kind in ("line", "bare"):
            yield (
                f"unit[{n}].kind",
                f"{unit.kind!r} is set up automatically",
                "use friendly_edge or [[hex]]",
            )
