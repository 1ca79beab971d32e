"""Scenario files of this game: what a player writes by hand, and how it is laid out on a table.

Hexes are written as on the map; with several boards laid north to south the numbers go on (row 5 of the second
board is 15). Which hexes are seen and what Hinders is declared, or computed where hexes have levels, obstacles and
Hindrances (``_scenario_sight``); terrain alone computes nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any, Literal, cast

import attrs

from fireplan_asl._bombardment import Prelude
from fireplan_asl._creeping import Path, path_steps, path_ways
from fireplan_asl._nations import UnknownNationError, nation_for
from fireplan_asl._observer import Radio, Set
from fireplan_asl._options import Announced, Registered
from fireplan_asl._places import COLUMNS, CREEPING, HEX_M, ROCKET, SMOKES
from fireplan_asl._scenario_battery import (
    LARGEST_SPREAD_MM,
    SMALLEST_MM,
    Battery,
    faults_of,
    faults_of_observer,
    record_of,
    security_area,
)
from fireplan_asl._scenario_sight import DECLARED, eyes_for, faults_of_sight, note_sight
from fireplan_asl._scenario_units import BareHex, Unit, about, faults_of_units, lay_ground, lay_units, terrain_rows
from fireplan_asl._units import Stand
from fireplan_asl.areas import ROWS, Fire, Gunnery
from fireplan_asl.resolution import AslResolution
from fireplan_core import Place, ScenarioFile, Staging
from fireplan_core.space import CoordinateError, HexFrame, Layout, lettered_columns
from fireplan_core.space import step as hex_step


@attrs.frozen(kw_only=True, eq=False, repr=False)
class WeatherChange:
    """Rain, gusts or heavy wind that come up in play (C1.71)."""

    moment: int = attrs.field(metadata=about("with which fire phase, 1 the first DFPh", range=(0, 999)))
    to: Literal["clear", "rain", "gusts", "heavy_wind"] = attrs.field(metadata=about("what", example="gusts"))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BombardmentOrder:
    """A Bombardment before play (C1.8)."""

    battery: str = attrs.field(metadata=about("battery of the side that fires it", example="a"))
    board: int = attrs.field(default=1, metadata=about("board, counted from the north", range=(1, 9)))
    half: Literal["both", "A-Q", "Q-GG"] = attrs.field(default="both", metadata=about("the board or half of it"))
    other_board: int = attrs.field(default=0, metadata=about("board of a second half next to it", range=(0, 9)))


@cache
def _layout(boards: int, columns: int) -> Layout:
    last = ROWS * boards
    return Layout(lettered_columns(COLUMNS, doubled=True)[:columns], (1, last), (0, last))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AslScenario(ScenarioFile):
    """A scenario of off-board artillery."""

    date: dt.date = attrs.field(metadata=about("the day, e.g. 1944-06-06", example=dt.date(1944, 6, 6)))
    boards: int = attrs.field(default=1, metadata=about("boards laid north to south", range=(1, 4)))
    columns: int = attrs.field(default=COLUMNS, metadata=about("playable hexrows from A on", range=(2, COLUMNS)))
    weather: Literal["clear", "rain", "heavy_wind", "mud", "deep_snow"] = attrs.field(
        default="clear", metadata=about("weather and ground")
    )
    no_smoke: tuple[str, ...] = attrs.field(default=(), metadata=about("marsh and water hexes, where no SMOKE lies"))
    weather_change: tuple[WeatherChange, ...] = attrs.field(default=(), metadata=about("weather that comes up later"))
    drift: bool = attrs.field(default=False, metadata=about("whether a breeze makes SMOKE Drift"))
    night: bool = attrs.field(default=False, metadata=about("whether it is night"))
    battery: tuple[Battery, ...] = attrs.field(metadata=about("batteries"))
    unit: tuple[Unit, ...] = attrs.field(metadata=about("units"))
    hex: tuple[BareHex, ...] = attrs.field(default=(), metadata=about("hexes without units that fire may change"))
    bombardment: BombardmentOrder | None = attrs.field(default=None, metadata=about("a Bombardment before play"))

    @property
    def layout(self) -> Layout:
        """The hexes of the map."""
        return _layout(self.boards, self.columns)

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
        if len({battery.side for battery in self.battery if battery.creeping}) > 1:
            yield "battery", "one side alone is the Scenario Attacker, who has Creeping Barrages [E12.7]", ""
        if self.bombardment and self.bombardment.battery not in [battery.id for battery in self.battery]:
            yield "bombardment.battery", "there is no such battery", ""
        same_side = self.options.get("parallel_barrages", "same side") == "same side"
        units = {unit.id: unit for unit in self.unit}
        for n, battery in enumerate(self.battery):
            where = f"battery[{n}]"
            yield from faults_of(battery, where, self.layout, self.boards, self.columns, same_side=same_side)
            yield from faults_of_observer(battery, where, units)
        yield from faults_of_units(self.unit)
        yield from faults_of_sight(self.battery, self.unit, self.hex)
        if self.night:
            yield "night", "the LOS of an Observer at night rests on chapter E1, which is not in the texts [C1.6]", ""
        if self.drift:
            yield "drift", "how SMOKE Drifts rests on chapter A24, which is not in the texts [C1.71]", ""

    def _hexes(self) -> Iterator[tuple[str, str, str]]:
        named: list[tuple[str, str]] = []
        for n, battery in enumerate(self.battery):
            where = f"battery[{n}]"
            named += [(f"{where}.target", battery.target), (f"{where}.observer", battery.observer)]
            for key in ("preregistered", *DECLARED):
                named += [(f"{where}.{key}", text) for text in getattr(battery, key)]
            named += [(f"{where}.hindrance", text) for text in battery.hindrance]
            if battery.creeping:
                named.append((f"{where}.creeping.aim", battery.creeping.aim))
        for n, unit in enumerate(self.unit):
            named.append((f"unit[{n}].hex", unit.hex))
            named += [(f"unit[{n}].move[{m}].to", move.to) for m, move in enumerate(unit.move)]
        named += [(f"hex[{n}].hex", entry.hex) for n, entry in enumerate(self.hex)]
        named += [("no_smoke", text) for text in self.no_smoke]
        for key, text in named:
            try:
                self.layout.parse(text, virtual=False)
            except CoordinateError as error:
                yield key, str(error), error.suggestion or ""


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
    if len({battery.side for battery in form.battery}) > 1:
        staging.note(f"fire phases are named for {staging.firer}; in its PFPh others have their DFPh, after it")
    note_sight(form.battery, form.hex, staging)
    observes: dict[str, tuple[str, ...]] = {}
    for battery in form.battery:
        for unit in _crew(battery):
            observes[unit] = (*observes.get(unit, ()), battery.id)
    heaviest = max(battery.calibre for battery in form.battery)
    lay_units(form.unit, form.hex, staging, layout, observes, heaviest)
    rows, units, bare = terrain_rows(), form.unit, form.hex
    grounds = [*((unit.hex, unit.terrain) for unit in units), *((entry.hex, entry.terrain or "open") for entry in bare)]
    marshes = _places(layout, (label for label, terrain in grounds if rows[terrain]["marsh"] == "yes"))
    for battery in form.battery:
        for number, place in enumerate(_line(form, battery), start=1):
            stand = Stand(0, kind="line", battery=battery.id, marsh=place in marshes)
            lay_ground(staging, _line_name(battery, number), place, stand)
    if order := form.bombardment:
        first, last = {"both": (0, COLUMNS - 1), "A-Q": (0, 16), "Q-GG": (16, COLUMNS - 1)}[order.half]
        boards = [order.board - 1] + ([order.other_board - 1] if order.other_board else [])
        staging.share("resolution", Prelude(mission=order.battery, areas=tuple((b, first, last) for b in boards)))


def _crew(battery: Battery) -> tuple[str, ...]:
    """The units that may direct a battery, the Observer first."""
    return ((battery.leader,) if battery.leader else ()) + battery.relief


def _line(form: AslScenario, battery: Battery) -> tuple[Place, ...]:
    """The Security Area of a phone; none where no Friendly Board Edge is given."""
    if battery.friendly_edge is None:
        return ()
    return security_area(form.layout, form.layout.parse(battery.observer), battery.friendly_edge)


def _line_name(battery: Battery, number: int) -> str:
    return f"line {battery.id} {number}"


def _places(layout: Layout, texts: Iterable[str]) -> frozenset[Place]:
    return frozenset(layout.parse(text) for text in texts)


def _lay_battery(form: AslScenario, battery: Battery, staging: Staging) -> None:
    layout, figures = form.layout, staging.parts.areas
    options = figures.options
    try:
        nation = nation_for(battery.nationality, form.date, figures.charts, options["chinese_squads"])
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
    accurate = figures.number("accurate_offboard") if offboard else nation.accuracy
    creep = battery.creeping
    path = None
    if creep:
        start, aim = layout.parse(battery.preregistered[0]), layout.parse(creep.aim)
        follow = options["creeping_adjustment"] == "same step"
        by = layout.parse(creep.by) if creep.by else None
        steps = path_steps(start, aim, by)
        if by is None and len(path_ways(start, aim)) > 1:
            way = layout.label(hex_step(start, steps[0]))
            staging.note(f"Creeping Barrage: grains on either side lead to its Aiming Hex; the one by {way} is taken")
        path = Path(
            start, aim, steps, creep.correct == "FFE:1-2", creep.lift - 1, nation.accuracy,
            creep.edge, layout, creep.radio, follow,
        )  # fmt: skip
    grains = tuple((layout.parse(place), record_of(layout, place, pair)) for place, pair in battery.barrage.items())
    share = _barrage_share(resolution, shell.power) if shell else Fraction(1)
    fired = (CREEPING, *kinds) if creep else kinds
    usable = frozenset[Place]() if creep else registered
    target = layout.parse(battery.target)
    mission = battery.id
    staging.mission(
        mission,
        "areas",
        Fire(kind=fired[0]),
        Gunnery(
            accurate, usable, fired, grains[0][1] if grains else None, share, path,
            grains=grains if len({grain for _, grain in grains}) > 1 else (),
            watched_from=layout.parse(battery.observer) if battery.leader else None, facing=battery.ar_points_to,
        ),
        side=battery.side,
        target=target,
    )
    black, red = nation.pile(battery.ammunition, preregistered=bool(registered))
    tenacious = battery.weapon == "mortar" and SMALLEST_MM <= battery.calibre < 100
    value = None if offboard else figures.number("field_phone_contact") if phone else nation.contact
    hidden = frozenset(unit.id for unit in form.unit if unit.hidden)
    staging.mission(
        mission,
        "delays",
        Radio(contact=offboard, black=black, red=red),
        Set(
            value,
            figures.number("mortar_maintenance_drm" if tenacious else "maintenance_drm"),
            red,
            repairable=not phone,
            creeping=bool(creep),
            hidden=hidden,
            crew=_crew(battery),
            shared=any(set(_crew(battery)) & set(_crew(o)) for o in form.battery if o.id != battery.id),
            marked=battery.leader not in hidden | {unit.id for unit in form.unit if unit.concealed},
            line=tuple(_line_name(battery, n) for n, _ in enumerate(_line(form, battery), start=1)),
        ),
    )
    unknown = hidden | {
        unit.id
        for unit in form.unit
        if unit.concealed and (unit.concealment_terrain or unit.winter_camouflage)
    }
    if phone and not battery.friendly_edge:
        staging.note("field phone: nothing cuts its line (no Friendly Board Edge is given)")
    changes = tuple((change.moment, change.to) for change in form.weather_change)
    if changes and form.weather == "rain":
        changes = ((-1, "rain"), *changes)
    wet = {entry.hex for entry in form.hex if terrain_rows()[entry.terrain or "open"]["smoke"] == "no"}
    hindering = tuple(
        (other.id, _burst_drm(form, other))
        for other in form.battery
        if other.calibre >= SMALLEST_MM and not battery.overlooks
    )
    staging.mission(
        mission,
        "observers",
        facts=attrs.evolve(
            eyes_for(battery, form.battery, form.unit, form.hex, layout, both=options["along_a_hexside"] == "both"),
            unknown=unknown,
            bursts=hindering,
            no_smoke=_places(layout, {*form.no_smoke, *wet}),
            weather=changes,
        ),
    )
    staging.mission(mission, "resolution", facts=shell)
    barrage = frozenset[Place]() if creep else _places(layout, battery.barrage)
    staging.mission(mission, "requests", Announced(kind=kinds[0]), Registered(usable, kinds, barrage, unfit, changes))


def _burst_drm(form: AslScenario, battery: Battery) -> int:
    """The Hindrance of a battery's FFE: 1, of a Creeping Barrage 2 in dry weather (if that changes, see observers)."""
    wet = form.weather == "deep_snow" or (form.weather == "rain" and not form.weather_change)
    return 2 if battery.creeping and not wet else 1


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
