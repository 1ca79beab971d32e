"""Scenario files of this game: what a player writes by hand, and how it is laid out on a table.

Hexes are written as on the map; with several boards laid north to south the numbers go on (row 5 of the second
board is 15). Which hexes are seen and what Hinders is declared, not computed from terrain.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Literal, cast

import attrs

from fireplan.chance import read_csv
from fireplan.mission import Place, ScenarioFile, Staging
from fireplan.space import CoordinateError, HexFrame, Layout, lettered_columns
from fireplan_asl._bombardment import Prelude
from fireplan_asl._creeping import Path, path_steps
from fireplan_asl._grains import Grain, canonical, grain_of, parallel
from fireplan_asl._nations import DATA, UnknownNationError, nation_for
from fireplan_asl._options import Announced, Registered
from fireplan_asl._places import COLUMNS, CREEPING, GROUND, HEX_M, ROCKET, SMOKES
from fireplan_asl._units import HALF_SQUAD, SQUAD, Body, Kind, Leg, Stand, Works
from fireplan_asl.areas import ACCURATE_OFFBOARD, ROWS, Fire, Gunnery
from fireplan_asl.delays import FIELD_PHONE_CONTACT, Radio, Set
from fireplan_asl.observers import Eyes
from fireplan_asl.resolution import AslResolution

Type = Literal["concentration", "harassing", "smoke", "wp", "barrage", "barrage_smoke", "barrage_wp", "rocket"]
Terrain = Literal[
    "open", "shellhole", "woods", "forest", "brush", "orchard", "grain", "marsh", "vineyard", "crag", "graveyard",
    "debris", "olive_grove", "wooden_building", "stone_building", "wooden_rubble", "stone_rubble", "rail_car",
    "runway", "wall", "hedge", "roadblock", "wreck", "bridge", "water",
]  # fmt: skip
ENTRENCHED = 4
LARGEST_SPREAD_MM, SMALLEST_MM = 249, 70


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"help": text, **more}


@attrs.frozen(kw_only=True)
class Move:
    """A step of a unit before a fire phase."""

    moment: int = attrs.field(metadata=_about("before which fire phase, 1 the first DFPh", range=(1, 999)))
    to: str = attrs.field(metadata=_about("hex", example="K5"))
    terrain: Terrain = attrs.field(default="open", metadata=_about("terrain it goes into"))
    exposed: int = attrs.field(default=0, metadata=_about("FFMO and FFNAM together", range=(-4, 0)))


@attrs.frozen(kw_only=True)
class Unit:
    """A unit, vehicle, weapon, building or obstacle."""

    id: str = attrs.field(metadata=_about("its name", example="1st squad"))
    side: str = attrs.field(default="defender", metadata=_about("side"))
    hex: str = attrs.field(metadata=_about("where it stands", example="K5"))
    kind: Kind = attrs.field(default="infantry", metadata=_about("what it is"))
    men: int = attrs.field(default=10, metadata=_about("how many men", range=(0, 50)))
    half: bool = attrs.field(default=False, metadata=_about("a half-squad, leader or crew"))
    morale: int = attrs.field(default=7, metadata=_about("Morale Level", range=(0, 11)))
    terrain: Terrain = attrs.field(default="open", metadata=_about("terrain of its Location"))
    entrenched: bool = attrs.field(default=False, metadata=_about("in a foxhole or trench"))
    heroic: bool = attrs.field(default=False, metadata=_about("heroic or berserk"))
    hidden: bool = attrs.field(default=False, metadata=_about("set up hidden"))
    concealed: bool = attrs.field(default=False, metadata=_about("concealed"))
    concealment_terrain: bool = attrs.field(default=False, metadata=_about("whether its hex is Concealment Terrain"))
    levels_above: int = attrs.field(default=0, metadata=_about("levels of the building above it", range=(0, 9)))
    cover_bonus: int = attrs.field(default=0, metadata=_about("gunshield, fortification or emplacement", range=(0, 5)))
    immune: bool = attrs.field(default=False, metadata=_about("Aerial, in a sewer or a tunnel, or CT and buttoned up"))
    armour: Literal["thin", "medium", "thick"] = attrs.field(
        default="medium", metadata=_about("thin: all AF 4 or less; thick: 8 or more")
    )
    open_topped: bool = attrs.field(default=False, metadata=_about("an open-topped AFV"))
    possessor: str = attrs.field(default="", metadata=_about("unit that mans a weapon"))
    aboard: str = attrs.field(default="", metadata=_about("vehicle or mount it is on"))
    survival: int = attrs.field(default=0, metadata=_about("highest DR by which those aboard survive", range=(0, 12)))
    level: int = attrs.field(default=0, metadata=_about("level of a building it is on", range=(0, 9)))
    levels: int = attrs.field(default=0, metadata=_about("levels of a building", range=(0, 9)))
    move: tuple[Move, ...] = attrs.field(default=(), metadata=_about("its way"))


@attrs.frozen(kw_only=True)
class CreepingBarrage:
    """The record of a Creeping Barrage (E12.71)."""

    aim: str = attrs.field(metadata=_about("Aiming Hex", example="P5"))
    edge: Literal["first hexrow", "last hexrow", "low numbers", "high numbers"] = attrs.field(
        default="first hexrow", metadata=_about("Friendly Board Edge of most units that enter on Turn 1")
    )
    correct: Literal["FFE:1", "FFE:1-2"] = attrs.field(default="FFE:1-2", metadata=_about("PFPh alone, or DFPh too"))
    lift: int = attrs.field(metadata=_about("Game Turn in which it Lifts", range=(2, 99)))
    radio: bool = attrs.field(default=False, metadata=_about("whether a radio may use the battery afterwards"))


@attrs.frozen(kw_only=True)
class Battery:
    """An OBA module and its Observer."""

    id: str = attrs.field(metadata=_about("its name", example="a"))
    side: str = attrs.field(default="attacker", metadata=_about("side"))
    nationality: str = attrs.field(metadata=_about("nationality", example="german"))
    calibre: int = attrs.field(metadata=_about("calibre in mm", range=(60, 450)))
    weapon: Literal["howitzer", "mortar", "rocket"] = attrs.field(default="howitzer", metadata=_about("kind of piece"))
    link: Literal["radio", "field_phone", "offboard"] = attrs.field(default="radio", metadata=_about("its link"))
    ammunition: Literal["scarce", "normal", "plentiful"] = attrs.field(default="normal", metadata=_about("ammunition"))
    target: str = attrs.field(metadata=_about("hex where its fire is wanted", example="K5"))
    observer: str = attrs.field(metadata=_about("hex of the Observer", example="E5"))
    missions: tuple[Type, ...] = attrs.field(
        default=("concentration", "harassing"), metadata=_about("types of Fire Mission, the preferred one first")
    )
    preregistered: tuple[str, ...] = attrs.field(default=(), metadata=_about("Pre-Registered hexes"))
    barrage: Mapping[str, str] = attrs.field(
        factory=dict, metadata=_about("Barrage record by Pre-Registered hex, e.g. H6 = 'H5-H7'")
    )
    creeping: CreepingBarrage | None = attrs.field(default=None, metadata=_about("record of a Creeping Barrage"))
    no_ground: tuple[str, ...] = attrs.field(default=(), metadata=_about("hexes whose Base Level is not seen"))
    no_burst: tuple[str, ...] = attrs.field(default=(), metadata=_about("hexes whose Blast Height is not seen"))
    no_tall_burst: tuple[str, ...] = attrs.field(
        default=(), metadata=_about("hexes of which not even four levels up are seen (WP)")
    )
    overlooks: bool = attrs.field(
        default=False, metadata=_about("whether the Observer looks down on FFE from above their two levels")
    )
    hindrance: Mapping[str, int] = attrs.field(factory=dict, metadata=_about("Hindrance by hex"))


@attrs.frozen(kw_only=True)
class BombardmentOrder:
    """A Bombardment before play (C1.8)."""

    battery: str = attrs.field(metadata=_about("battery of the side that fires it", example="a"))
    board: int = attrs.field(default=1, metadata=_about("board, counted from the north", range=(1, 9)))
    half: Literal["both", "A-Q", "Q-GG"] = attrs.field(default="both", metadata=_about("the board or half of it"))
    other_board: int = attrs.field(default=0, metadata=_about("board of a second half next to it", range=(0, 9)))


@attrs.frozen(kw_only=True)
class AslScenario(ScenarioFile):
    """A scenario of off-board artillery."""

    date: dt.date = attrs.field(metadata=_about("the day, e.g. 1944-06-06", example=dt.date(1944, 6, 6)))
    boards: int = attrs.field(default=1, metadata=_about("boards laid north to south", range=(1, 4)))
    columns: int = attrs.field(default=COLUMNS, metadata=_about("playable hexrows from A on", range=(2, COLUMNS)))
    weather: Literal["clear", "rain", "heavy_wind", "mud", "deep_snow"] = attrs.field(
        default="clear", metadata=_about("weather and ground")
    )
    no_smoke: tuple[str, ...] = attrs.field(default=(), metadata=_about("marsh and water hexes, where no SMOKE lies"))
    battery: tuple[Battery, ...] = attrs.field(metadata=_about("batteries"))
    unit: tuple[Unit, ...] = attrs.field(metadata=_about("units"))
    bombardment: BombardmentOrder | None = attrs.field(default=None, metadata=_about("a Bombardment before play"))

    @property
    def layout(self) -> Layout:
        """The hexes of the map."""
        last = ROWS * self.boards
        return Layout(lettered_columns(COLUMNS, doubled=True)[: self.columns], (1, last), (0, last))

    def check(self) -> Iterator[tuple[str, str, str]]:
        """Faults that show only when the values are seen together."""
        yield from self._hexes()
        for name, items in (("battery", self.battery), ("unit", self.unit)):
            ids = [item.id for item in cast("tuple[Any, ...]", items)]
            for n, one in enumerate(ids):
                if one in ids[:n]:
                    yield f"{name}[{n}].id", f"{one!r} stands twice", "give each a name of its own"
        if not self.battery:
            yield "battery", "no battery", "a scenario needs at least one [[battery]]"
        if self.bombardment and self.bombardment.battery not in [battery.id for battery in self.battery]:
            yield "bombardment.battery", "there is no such battery", ""
        for n, battery in enumerate(self.battery):
            yield from _faults_of(battery, f"battery[{n}]", self)

    def _hexes(self) -> Iterator[tuple[str, str, str]]:
        named: list[tuple[str, str]] = []
        for n, battery in enumerate(self.battery):
            where = f"battery[{n}]"
            named += [(f"{where}.target", battery.target), (f"{where}.observer", battery.observer)]
            for key in ("preregistered", "no_ground", "no_burst", "no_tall_burst"):
                named += [(f"{where}.{key}", text) for text in getattr(battery, key)]
            named += [(f"{where}.hindrance", text) for text in battery.hindrance]
            if battery.creeping:
                named.append((f"{where}.creeping.aim", battery.creeping.aim))
        for n, unit in enumerate(self.unit):
            named.append((f"unit[{n}].hex", unit.hex))
            named += [(f"unit[{n}].move[{m}].to", move.to) for m, move in enumerate(unit.move)]
        named += [("no_smoke", text) for text in self.no_smoke]
        for key, text in named:
            try:
                self.layout.parse(text, virtual=False)
            except CoordinateError as error:
                yield key, str(error), error.suggestion or ""


def _faults_of(battery: Battery, where: str, form: AslScenario) -> Iterator[tuple[str, str, str]]:
    """What rules forbid when a battery is set up."""
    rocket = battery.weapon == "rocket"
    if rocket and (battery.barrage or battery.creeping):
        yield f"{where}.barrage", "a rocket battery fires no Barrage [E12.1, C1.9]", "take the record out"
    grains: list[Grain] = []
    for place, pair in battery.barrage.items():
        if place not in battery.preregistered:
            yield f"{where}.barrage", f"{place} is not Pre-Registered [E12.2]", "add it to preregistered"
        try:
            grain = record_of(form.layout, place, pair)
        except ValueError as error:
            yield f"{where}.barrage", f"{place} = {pair!r}: {error} [E12.2]", "such as H6 = 'H5-H7'"
            continue
        same_side = form.options.get("parallel_barrages", "same side") == "same side"
        if grains and not parallel(grains[0], grain, same_side=same_side):
            yield f"{where}.barrage", "the Barrages of a battery are parallel [E12.2]", ""
        grains.append(grain)
    if any(kind.startswith("barrage") for kind in battery.missions) and not battery.barrage:
        yield f"{where}.missions", "a Barrage needs a Barrage-capable hex [E12.1]", "write barrage = { H6 = 'H5-H7' }"
    if battery.creeping:
        if len(battery.preregistered) != 1 or len(battery.barrage) != 1:
            yield f"{where}.creeping", "it needs one Pre-Registered hex with a Barrage record [E12.71]", ""
            return
        aim = _wrong_edge(form, battery)
        if aim:
            yield f"{where}.creeping.edge", f"{aim} [E12.71]", ""
        try:
            path_steps(form.layout.parse(battery.preregistered[0]), form.layout.parse(battery.creeping.aim))
        except CoordinateError:
            return
        except ValueError as error:
            yield f"{where}.creeping.aim", f"{error} [E12.71]", ""


def _wrong_edge(form: AslScenario, battery: Battery) -> str:
    """What is wrong between a Creeping Barrage and the board edges; empty when nothing is."""
    creep, layout = battery.creeping, form.layout
    ((place, pair),) = battery.barrage.items()
    try:
        grain = record_of(layout, place, pair)
        q, r = layout.parse(creep.aim) if creep else (0, 0)
    except ValueError:
        return ""  # said already
    number = r + q // 2
    edge = creep.edge if creep else ""
    along_rows = grain == canonical(1, 1)
    sideways = set(grain) in ({2, 3}, {5, 6})
    if (edge.endswith("hexrow") and not along_rows) or (edge.endswith("numbers") and not sideways):
        return "the Barrage is not parallel to the Friendly Board Edge"
    opposite = {
        "first hexrow": q == form.columns - 1,
        "last hexrow": q == 0,
        "low numbers": number == ROWS * form.boards,
        "high numbers": number == (0 if q % 2 else 1),
    }
    return "" if opposite.get(edge, True) else "the Aiming Hex does not lie along the opposite board edge"


def record_of(layout: Layout, place: str, pair: str) -> Grain:
    """The grain of a record such as ``H5-H7`` beside a hex.

    Raises ValueError when it is none (E12.2).
    """
    first, _, second = pair.partition("-")
    return grain_of(layout.parse(place), layout.parse(first), layout.parse(second))


def lay(form: AslScenario, staging: Staging) -> None:
    """Lay a scenario out: batteries with their facts for every part, units, Bombardment."""
    layout = form.layout
    staging.frame = HexFrame(HEX_M, layout)
    staging.firer = form.battery[0].side
    staging.place = layout.parse(form.battery[0].target)
    staging.mobile = any(unit.move for unit in form.unit)
    staging.assets = tuple(battery.id for battery in form.battery)
    for battery in form.battery:
        _lay_battery(form, battery, staging)
    rows = {row["terrain"]: row for row in read_csv(DATA / "terrain.csv")}
    for unit in form.unit:
        side = GROUND if unit.kind in ("building", "bridge", "obstacle") else unit.side
        slot = Body(size=HALF_SQUAD if unit.half else SQUAD) if unit.kind == "infantry" else Works()
        staging.unit(
            unit.id, side, layout.parse(unit.hex), strength=unit.men, slot=slot, facts=_stand(unit, rows, layout)
        )
    if order := form.bombardment:
        first, last = {"both": (0, COLUMNS - 1), "A-Q": (0, 16), "Q-GG": (16, COLUMNS - 1)}[order.half]
        boards = [order.board - 1] + ([order.other_board - 1] if order.other_board else [])
        staging.share("resolution", Prelude(mission=order.battery, areas=tuple((b, first, last) for b in boards)))


def _tem(row: Mapping[str, str], *, entrenched: bool) -> int:
    """TEM of a Location; an entrenchment adds to nothing positive."""
    return max(ENTRENCHED, int(row["tem"])) if entrenched else int(row["tem"])


def _stand(unit: Unit, rows: Mapping[str, Mapping[str, str]], layout: Layout) -> Stand:
    row = rows[unit.terrain]
    return Stand(
        morale=unit.morale,
        tem=_tem(row, entrenched=unit.entrenched) + unit.cover_bonus,
        above=unit.levels_above,
        immune=unit.immune,
        air_bursts=int(row["air_bursts"]),
        kind=unit.kind,
        heroic=unit.heroic,
        concealed=unit.concealed or unit.hidden,
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
            Leg(m.moment, layout.parse(m.to), int(there["tem"]), int(there["air_bursts"]), m.exposed)
            for m in unit.move
            for there in (rows[m.terrain],)
        ),
    )


def _places(layout: Layout, texts: Iterable[str]) -> frozenset[Place]:
    return frozenset(layout.parse(text) for text in texts)


def _lay_battery(form: AslScenario, battery: Battery, staging: Staging) -> None:
    layout, options = form.layout, staging.parts.areas.options
    try:
        nation = nation_for(battery.nationality, form.date, options["chinese_squads"])
    except UnknownNationError as error:
        staging.cannot(f"C1.211: {error}")
        return
    offboard, phone = battery.link == "offboard", battery.link == "field_phone"
    resolution = staging.parts.resolution
    mortar = nation.nationality == "american" and battery.weapon == "mortar"
    shell = None
    if isinstance(resolution, AslResolution):
        shell = resolution.shell(staging, battery.calibre, us_mortar=mortar)
    registered = _places(layout, battery.preregistered)
    kinds, unfit = _kinds(form, battery)
    accurate = ACCURATE_OFFBOARD if offboard else nation.accuracy
    creep = battery.creeping
    path = None
    if creep:
        start, aim = layout.parse(battery.preregistered[0]), layout.parse(creep.aim)
        follow = options["creeping_adjustment"] == "same step"
        path = Path(
            start, aim, path_steps(start, aim), creep.correct == "FFE:1-2", creep.lift - 1, nation.accuracy,
            creep.radio, follow,
        )  # fmt: skip
    grains = [record_of(layout, place, pair) for place, pair in battery.barrage.items()]
    share = _barrage_share(resolution, shell.power) if shell else Fraction(1)
    fired = (CREEPING, *kinds) if creep else kinds
    usable = frozenset[Place]() if creep else registered
    target = layout.parse(battery.target)
    mission = battery.id
    staging.mission(
        mission,
        "areas",
        Fire(kind=fired[0]),
        Gunnery(accurate, usable, fired, grains[0] if grains else None, share, path),
        side=battery.side,
        target=target,
    )
    black, red = nation.pile(battery.ammunition, preregistered=bool(registered))
    tenacious = battery.weapon == "mortar" and SMALLEST_MM <= battery.calibre < 100
    value = None if offboard else FIELD_PHONE_CONTACT if phone else nation.contact
    hidden = frozenset(unit.id for unit in form.unit if unit.hidden)
    staging.mission(
        mission,
        "delays",
        Radio(contact=offboard, black=black, red=red),
        Set(value, -2 if tenacious else -1, red, repairable=not phone, creeping=bool(creep), hidden=hidden),
    )
    unknown = hidden | {unit.id for unit in form.unit if unit.concealed and unit.concealment_terrain}
    hindering = tuple(
        (other.id, _burst_drm(form, other))
        for other in form.battery
        if other.calibre >= SMALLEST_MM and not battery.overlooks
    )
    staging.mission(
        mission,
        "observers",
        facts=Eyes(
            dead_ground=_places(layout, battery.no_ground),
            identified=True,
            place=layout.parse(battery.observer),
            blind=_places(layout, battery.no_burst),
            hindrances=tuple((layout.parse(text), drm) for text, drm in battery.hindrance.items()),
            unknown=unknown,
            bursts=hindering,
            no_smoke=_places(layout, form.no_smoke),
            blind_above=_places(layout, battery.no_tall_burst),
        ),
    )
    staging.mission(mission, "resolution", facts=shell)
    barrage = frozenset[Place]() if creep else _places(layout, battery.barrage)
    staging.mission(mission, "requests", Announced(kind=kinds[0]), Registered(usable, kinds, barrage, unfit))


def _burst_drm(form: AslScenario, battery: Battery) -> int:
    """The Hindrance of a battery's FFE: 1, of a Creeping Barrage 2 in dry weather."""
    return 2 if battery.creeping and form.weather not in ("rain", "deep_snow") else 1


def _barrage_share(resolution: Any, power: int) -> Fraction:
    """The column to the left of a firepower, as a share of it (E12.5)."""
    columns = sorted(int(name.removeprefix("fp")) for name in resolution.charts["ift"].columns)
    return Fraction(max(column for column in columns if column < power), power)


def _kinds(form: AslScenario, battery: Battery) -> tuple[tuple[str, ...], tuple[tuple[str, str, str], ...]]:
    """The types of Fire Mission a battery may choose from, and why not the others."""
    if battery.weapon == "rocket":
        other = ("concentration", "harassing", "smoke", "wp", "barrage", "barrage_smoke", "barrage_wp")
        return (ROCKET,), tuple((kind, "C1.9", "rockets have their own Fire Mission alone") for kind in other)
    kinds: list[str] = []
    unfit: list[tuple[str, str, str]] = []
    spread = SMALLEST_MM <= battery.calibre <= LARGEST_SPREAD_MM
    for kind in battery.missions:
        if kind == "rocket":
            unfit.append((kind, "C1.9", "this is no rocket battery"))
        elif kind in SMOKES and form.weather != "clear":
            unfit.append((kind, "C1.71", "no SMOKE in rain, heavy wind, mud or deep snow"))
        elif kind == "harassing" and not spread:
            unfit.append((kind, "C1.72", "this calibre fires no Harassing Fire"))
        elif kind.startswith("barrage") and (not spread or battery.creeping):
            unfit.append((kind, "E12.6" if battery.creeping else "E12.5", "this battery fires no such Barrage"))
        else:
            kinds.append(kind)
    return tuple(kinds) or ("concentration",), tuple(unfit)
