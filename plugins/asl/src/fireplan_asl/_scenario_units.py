"""Units of a scenario file, bare hexes and a phone's line: what a player writes, and how they stand on the table.

Who may direct a battery is judged in ``_scenario_battery``; batteries and the map are in ``_scenario``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

import attrs

from fireplan_asl._cover import charted
from fireplan_asl._nations import DATA
from fireplan_asl._places import GROUND
from fireplan_asl._sight import PLAIN, Plot
from fireplan_asl._units import GROUND_KINDS, HALF_SQUAD, SQUAD, STOREYED, Body, Kind, Leg, Stand, Works
from fireplan_core import Place, Staging
from fireplan_core.chance import read_csv
from fireplan_core.space import Layout

Terrain = Literal[
    "open", "shellhole", "woods", "forest", "brush", "orchard", "grain", "marsh", "vineyard", "crag", "graveyard",
    "debris", "olive_grove", "wooden_building", "stone_building", "wooden_rubble", "stone_rubble", "rail_car",
    "runway", "wall", "hedge", "roadblock", "wreck", "bridge", "water",
]  # fmt: skip


Number = Callable[[str], int]
"""A number of the game, by name."""


def about(text: str, **more: Any) -> dict[str, Any]:
    """What is kept beside a field: its meaning, its range, an example."""
    return {"help": text, **more}


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Move:
    """A step of a unit before a fire phase."""

    moment: int = attrs.field(metadata=about("before which fire phase, 1 the first DFPh", range=(1, 999)))
    to: str = attrs.field(metadata=about("hex", example="K5"))
    terrain: Terrain = attrs.field(default="open", metadata=about("terrain it goes into"))
    exposed: int = attrs.field(default=0, metadata=about("FFMO and FFNAM together", range=(-4, 0)))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Unit:
    """A unit, vehicle, weapon, building or obstacle."""

    id: str = attrs.field(metadata=about("its name", example="1st squad"))
    side: str = attrs.field(default="defender", metadata=about("side"))
    hex: str = attrs.field(metadata=about("where it stands", example="K5"))
    kind: Kind = attrs.field(default="infantry", metadata=about("what it is"))
    men: int = attrs.field(default=10, metadata=about("how many men", range=(0, 50)))
    half: bool = attrs.field(default=False, metadata=about("a half-squad, leader or crew"))
    leader: bool = attrs.field(default=False, metadata=about("a leader, who may be an Observer"))
    morale: int = attrs.field(default=7, metadata=about("Morale Level of Personnel", range=(0, 11)))
    terrain: Terrain = attrs.field(default="open", metadata=about("terrain of its Location"))
    entrenched: bool = attrs.field(default=False, metadata=about("in a foxhole or trench"))
    heroic: bool = attrs.field(default=False, metadata=about("heroic"))
    berserk: bool = attrs.field(default=False, metadata=about("berserk"))
    hidden: bool = attrs.field(default=False, metadata=about("set up hidden"))
    concealed: bool = attrs.field(default=False, metadata=about("concealed"))
    dummy: bool = attrs.field(default=False, metadata=about("a Dummy stack"))
    concealment_terrain: bool = attrs.field(default=False, metadata=about("whether its hex is Concealment Terrain"))
    winter_camouflage: bool = attrs.field(default=False, metadata=about("Winter-Camouflaged"))
    levels_above: int = attrs.field(default=0, metadata=about("levels of the building above it", range=(0, 9)))
    cover_bonus: int = attrs.field(default=0, metadata=about("gunshield, fortification or emplacement", range=(0, 5)))
    immune: bool = attrs.field(default=False, metadata=about("Aerial, in a sewer or a tunnel, or CT and buttoned up"))
    armour: Literal["thin", "medium", "thick"] = attrs.field(
        default="medium", metadata=about("thin: all AF 4 or less; thick: 8 or more")
    )
    open_topped: bool = attrs.field(default=False, metadata=about("an open-topped AFV"))
    op_tank: bool = attrs.field(default=False, metadata=about("an OP tank, whose crew may observe buttoned up"))
    possessor: str = attrs.field(default="", metadata=about("unit that mans a weapon"))
    aboard: str = attrs.field(default="", metadata=about("vehicle or mount it is on, or pillbox it is in"))
    rider: bool = attrs.field(default=False, metadata=about("a Rider on what it is aboard of"))
    us_number: int = attrs.field(default=1, metadata=about("US# of the unit", range=(0, 9)))
    prisoners: int = attrs.field(default=0, metadata=about("US# of the prisoners that it guards", range=(0, 9)))
    shelter: str = attrs.field(default="", metadata=about("sangar it is in"))
    survival: int = attrs.field(default=0, metadata=about("highest DR by which those aboard survive", range=(0, 12)))
    level: int = attrs.field(default=0, metadata=about("level of a building it is on", range=(0, 9)))
    levels: int = attrs.field(default=0, metadata=about("levels of a building, or steps of a minefield", range=(0, 9)))
    fortified: bool = attrs.field(default=False, metadata=about("a completely Fortified building, no Factory"))
    pillbox: Literal["brown", "grey"] = attrs.field(default="brown", metadata=about("colour of a pillbox"))
    move: tuple[Move, ...] = attrs.field(default=(), metadata=about("its way"))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BareHex:
    """A hex as it matters to LOS, or one without units that fire may change; both where it has a terrain as well."""

    hex: str = attrs.field(metadata=about("hex", example="K6"))
    terrain: Terrain | None = attrs.field(
        default=None, metadata=about("its terrain; open when nothing else is said of the hex")
    )
    level: int = attrs.field(default=0, metadata=about("level of its ground, for LOS", range=(-9, 9)))
    obstacle: int = attrs.field(default=0, metadata=about("height of an obstacle to LOS, in levels", range=(0, 9)))
    hindrance: int = attrs.field(default=0, metadata=about("drm of a Hindrance to LOS", range=(0, 6)))
    hindrance_levels: int = attrs.field(default=1, metadata=about("levels that its Hindrance reaches", range=(1, 9)))
    upstairs: int = attrs.field(
        default=0, metadata=about("levels of the highest Location of a building above its ground", range=(0, 9))
    )

    @property
    def plot(self) -> Plot:
        """The hex as it matters to LOS."""
        return Plot(self.level, self.obstacle, self.hindrance, self.hindrance_levels, self.upstairs)

    @property
    def followed(self) -> bool:
        """Whether what fire does to the hex is followed: levels alone make no Location to be shelled."""
        return self.terrain is not None or self.plot == PLAIN


def terrain_rows() -> Mapping[str, Mapping[str, str]]:
    """The terrain chart, by name."""
    return {row["terrain"]: row for row in read_csv(DATA / "terrain.csv")}


def terrain_morale(unit: Unit, number: Number) -> int:
    """The Morale Level of what is ground, by C1.822."""
    if unit.kind == "pillbox":
        return number(f"{unit.pillbox}_pillbox_morale")
    if unit.kind in STOREYED:
        stone = unit.terrain.startswith("stone")
        return number("stone_morale" if stone else "wooden_morale") + unit.fortified
    return number("obstacle_morale")


def stand_for(
    unit: Unit, rows: Mapping[str, Mapping[str, str]], number: Number, layout: Layout, observes: tuple[str, ...]
) -> Stand:
    """The facts of a unit; ``observes`` are the batteries that it directs."""
    row = rows[unit.terrain]
    tem = int(row["tem"])
    if unit.entrenched:  # which adds to nothing positive
        tem = max(number("entrenched_tem"), tem)
    return Stand(
        morale=terrain_morale(unit, number) if unit.kind in GROUND_KINDS else unit.morale,
        tem=tem + unit.cover_bonus,
        above=unit.levels_above,
        immune=unit.immune,
        air_bursts=int(row["air_bursts"]),
        kind=unit.kind,
        heroic=unit.heroic or unit.berserk,
        concealed=unit.concealed or unit.hidden or unit.dummy,
        marsh=row["marsh"] == "yes",
        possessor=unit.possessor,
        aboard=unit.aboard,
        survival=unit.survival,
        level=unit.level,
        levels=unit.levels,
        armour=unit.armour,
        open_topped=unit.open_topped,
        craters=row["craters"] == "yes",
        burns=row["burns"] == "yes",
        stone=unit.terrain in ("stone_building", "stone_rubble"),
        road=tuple(
            Leg(
                m.moment, layout.parse(m.to), int(there["tem"]), int(there["air_bursts"]), m.exposed,
                there["marsh"] == "yes",
            )
            for m in unit.move
            for there in (rows[m.terrain],)
        ),
        observes=observes,
        shelter=unit.shelter,
        dummy=unit.dummy,
        owner=unit.side if unit.hidden and unit.kind in GROUND_KINDS else "",
    )


def faults_of_units(units: Iterable[Unit]) -> Iterator[tuple[str, str, str]]:
    """What does not fit between the units of a file."""
    units = tuple(units)
    kinds = {unit.id: unit.kind for unit in units}
    for n, unit in enumerate(units):
        if unit.shelter and kinds.get(unit.shelter) != "sangar":
            yield f"unit[{n}].shelter", f"{unit.shelter!r} is no sangar [C1.822]", 'give it kind = "sangar"'
        if unit.dummy and unit.kind != "infantry":
            yield f"unit[{n}].dummy", "only a stack of Personnel can be a Dummy [C1.82]", ""
        if unit.kind in ("line", "bare"):
            yield f"unit[{n}].kind", f"{unit.kind!r} is laid out by itself", "use friendly_edge or [[hex]]"


def lay_units(
    units: Iterable[Unit],
    bare: Iterable[BareHex],
    staging: Staging,
    layout: Layout,
    observes: Mapping[str, tuple[str, ...]],
    calibre: int,
) -> None:
    """Lay units down, and the hexes that the heaviest shells may turn into Shellholes (C1.5)."""
    units = tuple(units)
    charts, number = staging.parts.resolution.charts, staging.parts.resolution.number
    used = {unit.terrain for unit in units}
    used |= {leg.terrain for unit in units for leg in unit.move}
    rows = {
        name: charted(row, charts, "terrain", name) if name in used else row for name, row in terrain_rows().items()
    }
    for unit in units:
        side = GROUND if unit.kind in GROUND_KINDS else unit.side
        slot = Body(size=HALF_SQUAD if unit.half else SQUAD) if unit.kind == "infantry" else Works()
        strength = 0 if unit.kind in GROUND_KINDS or unit.dummy else unit.men
        stand = stand_for(unit, rows, number, layout, observes.get(unit.id, ()))
        staging.unit(unit.id, side, layout.parse(unit.hex), strength=strength, slot=slot, facts=stand)
    bare = tuple(bare)
    known = {**{unit.hex: unit.terrain for unit in units}, **{e.hex: e.terrain for e in bare if e.terrain}}
    relief = {entry.hex: _relief(entry) for entry in bare}
    for label in dict.fromkeys((*known, *relief)):
        terrain = known.get(label, "open")
        words = [] if terrain == "open" else [terrain.replace("_", " ")]
        if words := [*words, *relief.get(label, ())]:
            staging.feature(", ".join(words), layout.parse(label))
    if calibre < number("shellhole_mm"):
        return
    soft = {unit.hex: unit.terrain for unit in units if unit.kind not in GROUND_KINDS}
    for label, terrain in {**soft, **{e.hex: e.terrain or "open" for e in bare if e.followed}}.items():
        if rows[terrain]["craters"] == "yes":
            lay_ground(staging, f"hex {label}", layout.parse(label), Stand(0, kind="bare"))


def _relief(entry: BareHex) -> list[str]:
    """What a map says of a hex for LOS."""
    values = (("level", entry.level), ("obstacle", entry.obstacle), ("hindrance", entry.hindrance))
    return [f"{word} {value}" for word, value in values if value]


def lay_ground(staging: Staging, name: str, place: Place, stand: Stand) -> None:
    """Something of no side that a hex holds."""
    staging.unit(name, GROUND, place, strength=0, slot=Works(), facts=stand)
