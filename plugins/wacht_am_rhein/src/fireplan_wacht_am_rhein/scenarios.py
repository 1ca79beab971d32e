"""Scenario files of this game: their fields, the checks across tables, and staging.

A scenario has a map on which units see, retreat and advance. In each turn it plays the Barrage
Segment, the end of the Ground Assault Segment and the Administrative Phase.
"""

# ruff: noqa: RUF009 - the fields of a form are made by functions
import re
from collections.abc import Iterator, Mapping
from typing import Literal

import attrs

from fireplan_core import CannotStageError, Parts, ScenarioFile, Staging
from fireplan_core.files import Complaint, entry, flag, repeated
from fireplan_core.space import Hex
from fireplan_wacht_am_rhein import setup
from fireplan_wacht_am_rhein.charts import DATA, ArtilleryType, read_artillery
from fireplan_wacht_am_rhein.command import SIDES, Command, Headquarters, Side
from fireplan_wacht_am_rhein.ground import GroundMap, HexTerrain, Terrain
from fireplan_wacht_am_rhein.setup import UnitEntry, hex_entry

Weather = Literal["clear", "partly_overcast", "overcast", "fog", "snow", "thaw"]


def _word(name: str) -> str:
    """Return a name with hyphens for spaces and slashes, for typed orders and state keys."""
    return re.sub(r"[/\s]+", "-", name)


@attrs.frozen(kw_only=True)
class HeadquartersEntry(Headquarters):
    """``[[headquarters]]``: a division, independent brigade, corps or army, and its superior."""

    side: Side = entry("its side", example="US")


@attrs.frozen(kw_only=True)
class HexEntry(HexTerrain):
    """``[[hex]]``: a hex's terrain and works; all other hexes have the scenario's ``terrain``."""

    hex: Hex = hex_entry("the hex, column and row")


@attrs.frozen(kw_only=True)
class WarScenario(ScenarioFile):
    """A scenario file: command structure, units, map, and the sides that play segments."""

    active: tuple[Side, ...] = entry(
        "the sides whose Barrage Segments are played, in order", example=("US",)
    )
    target: Hex = hex_entry("the target hex of the first active side")
    weather: Weather = entry("the weather", "clear")
    night: bool = flag("whether it is night")
    terrain: tuple[Terrain, ...] = entry("terrain of all other hexes", ("clear",))
    stacking: int | None = entry(
        "the most steps of a side in a hex after a retreat", None, range=(1, 99)
    )
    depletion: Mapping[str, int] = entry(
        "depletion values that differ from the printed US = 7 and GE = 3 (12.6.1)",
        attrs.Factory(dict),
    )
    trucks: int | None = entry(
        "German truck points allocated to ammunition, for the Transport Table", None, range=(0, 7)
    )
    headquarters: tuple[HeadquartersEntry, ...] = entry("the command structure")
    unit: tuple[UnitEntry, ...] = entry("the units of both sides")
    hex: tuple[HexEntry, ...] = entry("hexes with terrain or works of their own", ())

    def command(self, side: Side) -> Command:
        """Return a side's command structure; raise ``CannotStageError`` if it is inconsistent."""
        return Command(tuple(hq for hq in self.headquarters if hq.side == side))

    def check(self) -> Iterator[Complaint]:
        """Yield the faults that checks on single fields cannot find."""
        if not self.active:
            yield "active", "no side is active", 'write active = ["US"]'
        for name in sorted(set(self.depletion) - set(SIDES)):
            yield f"depletion.{name}", "no such side", "sides are US and GE"
        yield from self._check_names()
        yield from self._check_units()
        if len({cell.hex for cell in self.hex}) < len(self.hex):
            yield "hex", "a hex is described twice", "describe each hex once"
        if self.active and not any(
            unit.hex == self.target and unit.side != self.active[0] for unit in self.unit
        ):
            yield (
                "target",
                f"no enemy of {self.active[0]} is in this hex",
                "name a hex that holds enemy units",
            )
        for side in dict.fromkeys(self.active):
            if not any(unit.side == side and unit.is_artillery for unit in self.unit):
                yield (
                    "active",
                    f"{side} has no artillery",
                    "give a [[unit]] of that side a type, or factors and range",
                )

    def _check_names(self) -> Iterator[Complaint]:
        for side in SIDES:
            try:
                self.command(side)
            except CannotStageError as error:
                for fault in error.reasons:
                    yield (
                        "headquarters",
                        f"{side}: {fault}",
                        "name each headquarters once, under one of a higher level",
                    )
        for table, entries in (("headquarters", self.headquarters), ("unit", self.unit)):
            for n, name in enumerate(row.name for row in entries):
                if _word(name) != name:
                    yield (
                        f"{table}[{n}].name",
                        f"{name!r} contains a slash or a space",
                        f"write {_word(name)!r}",
                    )
        yield from repeated(self, "unit")

    def _check_units(self) -> Iterator[Complaint]:
        kinds = read_artillery(DATA / "artillery_types.csv").types
        levels = {(hq.side, hq.name): hq.level for hq in self.headquarters}
        holders: dict[Hex, Side] = {}
        for n, unit in enumerate(self.unit):
            key = f"unit[{n}]"
            level = levels.get((unit.side, unit.under))
            if level is None:
                names = ", ".join(name for side, name in levels if side == unit.side)
                yield (
                    f"{key}.under",
                    f"{unit.side} has no headquarters {unit.under!r}",
                    f"there are {names}",
                )
            elif level in ("corps", "army") and not unit.is_artillery:
                yield (
                    f"{key}.under",
                    f"{unit.under} is a {level}",
                    "put units other than artillery under a division",
                )
            if holders.setdefault(unit.hex, unit.side) != unit.side:
                yield (
                    f"{key}.hex",
                    f"enemies of {unit.name} are in the same hex",
                    "put the two sides in different hexes",
                )
            if unit.type is not None and (unit.side, unit.type) not in kinds:
                names = ", ".join(name for side, name in sorted(kinds) if side == unit.side)
                yield f"{key}.type", f"no {unit.side} type {unit.type!r}", f"there are {names}"
            if unit.type is None and bool(unit.factors) != bool(unit.range):
                yield key, "artillery needs both factors and range", "give both, or a type"
            if unit.pocket is not None and unit.side != "US":
                yield (
                    f"{key}.pocket",
                    "only the US value changes with a Pocket Supply Source",
                    "leave it out",
                )


def stage(form: WarScenario, staging: Staging, parts: Parts) -> None:
    """Stage a scenario: a mission for each side with artillery, and every unit on the map."""
    staging.mobile = True
    staging.firer = form.active[0]
    staging.target_side = next(side for side in SIDES if side != staging.firer)
    staging.place = form.target
    for cell in form.hex:
        kinds_of_ground = [*cell.terrain, cell.works]
        words = [
            kind.replace("_", " ") for kind in kinds_of_ground if kind not in ("clear", "none")
        ]
        staging.feature(", ".join(words), cell.hex)
    charts, options = parts.requests.charts, parts.requests.options
    setup.note_charts(staging, charts)
    for note in _notes(form, thaw=options["thaw"]):
        staging.note(note)
    staging.share("delays", setup.Sequence(active=form.active))
    staging.share("requests", setup.Segment())
    ground = GroundMap(
        tuple((cell.hex, cell) for cell in form.hex), HexTerrain(form.terrain), form.stacking
    )
    flies = form.weather in ("clear", options["air_weather"]) and not form.night
    for side in SIDES:
        if any(unit.side == side and unit.is_artillery for unit in form.unit):
            _stage_asset(form, staging, side, ground, charts["artillery_types"].types, flies=flies)
    for unit in form.unit:
        men = unit.steps * charts["numbers"]["men_per_step"]
        body = setup.UnitState(steps=unit.steps)
        staging.unit(unit.name, unit.side, unit.hex, strength=men, slot=body, facts=unit)


def _notes(form: WarScenario, *, thaw: bool) -> Iterator[str]:
    """Yield the assumptions of a scenario, one note each."""
    if any(unit.type is not None for unit in form.unit):
        yield "factors and ranges from the type chart are reconstructed values"
    yield "retreat: into any adjacent hex that can be entered, holds no enemy and has room (we do not have the text of 11.7)"
    yield "lines of sight are the scenario's own; units always see adjacent hexes (we do not have the text of 8.4.0)"
    if form.trucks is not None:
        yield "the German Transport Table is reconstructed; it is rolled before each Barrage Segment"
    if form.weather == "thaw" and not thaw:
        yield "thaw: the optional modifier to depletion rolls is not played; the option thaw adds it"


def _armed(unit: UnitEntry, kind: ArtilleryType | None) -> UnitEntry:
    """Return an artillery unit with its missing factors and range filled in from its type.

    A unit without a type (``kind`` is None) is returned unchanged.
    """
    if kind is None:
        return unit
    return attrs.evolve(
        unit,
        factors=unit.factors or kind.factors,
        range=unit.range or kind.range_hexes,
        rocket=unit.rocket or kind.weapon == "rocket",
    )


def _stage_asset(
    form: WarScenario,
    staging: Staging,
    side: Side,
    ground: GroundMap,
    kinds: Mapping[tuple[str, str], ArtilleryType],
    *,
    flies: bool,
) -> None:
    """Stage a side's artillery, the units that may observe, and its ammunition.

    ``flies`` means that weather and light allow air observation.
    """
    name, own = side.lower(), [unit for unit in form.unit if unit.side == side]
    enemy = [unit for unit in form.unit if unit.side != side]
    guns = [unit for unit in own if unit.is_artillery]
    observers = tuple(
        setup.ObservingUnit(
            unit.name,
            unit.under,
            unit.mode,
            breakdown=unit.breakdown,
            sees=unit.sees,
            hex=unit.hex,
        )
        for unit in own
    )
    aims = {form.active[0]: form.target}
    target = aims.get(side, enemy[0].hex if side in form.active else None)
    staging.mission(
        name, "observers", facts=setup.Lookouts(units=observers), side=side, target=target
    )
    staging.mission(name, "resolution", facts=setup.Firing(night=form.night, ground=ground))
    brought = setup.Artillery(
        side,
        tuple(_armed(unit, kinds.get((side, unit.type or ""))) for unit in guns),
        observers,
        form.command(side),
        depletion=form.depletion.get(side),
        trucks=form.trucks if side == "GE" else None,
        ground=ground,
        air=flies,
        on_road=tuple(unit.name for unit in enemy if unit.on_road),
    )
    depleted = tuple(sorted(unit.name for unit in guns if unit.depleted))
    staging.mission(name, "requests", setup.ArtilleryState(depleted=depleted), brought)
