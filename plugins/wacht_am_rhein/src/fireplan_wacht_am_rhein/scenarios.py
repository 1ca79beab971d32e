"""Scenario files of this game: what one may hold, the faults that only show across its tables, and its setup.

A scenario has a map: units stand in hexes, see, retreat and advance there. What is played of a turn
are the Barrage Segment, the end of the Ground Assault Segment and the Administrative Phase.
"""

# ruff: noqa: RUF009 - the fields of a form are made by functions
import re
from collections.abc import Iterator, Mapping
from typing import Literal

import attrs

from fireplan_core import Parts, ScenarioFile, Staging
from fireplan_core.files import Complaint, entry, flag, repeated
from fireplan_core.space import Hex
from fireplan_wacht_am_rhein import setup
from fireplan_wacht_am_rhein.charts import DATA, ArtilleryType, read_artillery
from fireplan_wacht_am_rhein.command import SIDES, Command, CommandError, Headquarters, Side
from fireplan_wacht_am_rhein.ground import Cell, GroundMap, Terrain
from fireplan_wacht_am_rhein.setup import UnitEntry, hex_entry

Weather = Literal["clear", "partly_overcast", "overcast", "fog", "snow", "thaw"]


def _word(name: str) -> str:
    """Return a name in one word: orders are typed, and the keys of a state are parted by slashes."""
    return re.sub(r"[/\s]+", "-", name)


@attrs.frozen(kw_only=True)
class HeadquartersEntry(Headquarters):
    """``[[headquarters]]``: a division or independent brigade, a corps or an army, and what it is under."""

    side: Side = entry("whose it is", example="US")


@attrs.frozen(kw_only=True)
class HexEntry(Cell):
    """``[[hex]]``: what lies in a hex.

    Hexes that are not named are as the scenario's ``terrain`` says.
    """

    hex: Hex = hex_entry("the hex, column and row")


@attrs.frozen(kw_only=True)
class WarScenario(ScenarioFile):
    """A scenario of barrages: command structure, units and ground, and the side whose segments are played."""

    active: tuple[Side, ...] = entry(
        "whose Barrage Segments follow one another, again and again", example=("US",)
    )
    target: Hex = hex_entry("the hex of interest: where the first active side's fire is wanted")
    weather: Weather = entry("the weather", "clear")
    night: bool = flag("whether it is night")
    terrain: tuple[Terrain, ...] = entry("terrain of all other hexes", ("clear",))
    stacking: int | None = entry(
        "steps of a side a hex has room for after a retreat", None, range=(1, 99)
    )
    depletion: Mapping[str, int] = entry(
        "depletion values that differ from the printed US = 7 and GE = 3 (12.6.1)",
        attrs.Factory(dict),
    )
    trucks: int | None = entry(
        "German truck points on ammunition for the Transport Table", None, range=(0, 7)
    )
    headquarters: tuple[HeadquartersEntry, ...] = entry("the command structure")
    unit: tuple[UnitEntry, ...] = entry("the units of both sides")
    hex: tuple[HexEntry, ...] = entry("the ground, where it is not as elsewhere", ())

    def command(self, side: Side) -> Command:
        """Return the command structure of a side; ``CommandError`` if it does not hold together."""
        return Command(tuple(one for one in self.headquarters if one.side == side))

    def check(self) -> Iterator[Complaint]:
        """Yield the faults that only show across tables."""
        if not self.active:
            yield "active", "no side is active", 'write active = ["US"]'
        for name in set(self.depletion) - set(SIDES):
            yield f"depletion.{name}", "no such side", "sides are US and GE"
        yield from self._check_names()
        yield from self._check_units()
        if len({one.hex for one in self.hex}) < len(self.hex):
            yield "hex", "a hex stands twice", "describe each hex once"
        if self.active and not any(
            one.hex == self.target and one.side != self.active[0] for one in self.unit
        ):
            yield (
                "target",
                f"no unit against {self.active[0]} stands there",
                "name a hex that holds enemy units",
            )
        for side in dict.fromkeys(self.active):
            if not any(one.side == side and one.is_artillery for one in self.unit):
                yield (
                    "active",
                    f"{side} has no artillery",
                    "give a [[unit]] of that side a type, or factors and range",
                )

    def _check_names(self) -> Iterator[Complaint]:
        for side in SIDES:
            try:
                self.command(side)
            except CommandError as error:
                for fault in error.faults:
                    yield (
                        "headquarters",
                        f"{side}: {fault}",
                        "name each headquarters once, under one of a higher level",
                    )
        for table, entries in (("headquarters", self.headquarters), ("unit", self.unit)):
            for n, name in enumerate(one.name for one in entries):
                if _word(name) != name:
                    yield (
                        f"{table}[{n}].name",
                        f"{name!r} holds a slash or a space",
                        f"write {_word(name)!r}",
                    )
        yield from repeated(self, "unit")

    def _check_units(self) -> Iterator[Complaint]:
        kinds = read_artillery(DATA / "artillery_types.csv").types
        levels = {(one.side, one.name): one.level for one in self.headquarters}
        holders: dict[Hex, Side] = {}
        for n, one in enumerate(self.unit):
            key = f"unit[{n}]"
            level = levels.get((one.side, one.under))
            if level is None:
                known = ", ".join(name for side, name in levels if side == one.side)
                yield (
                    f"{key}.under",
                    f"{one.side} has no headquarters {one.under!r}",
                    f"there are {known}",
                )
            elif level in ("corps", "army") and not one.is_artillery:
                yield (
                    f"{key}.under",
                    f"{one.under} is a {level}",
                    "put units other than artillery under a division",
                )
            if holders.setdefault(one.hex, one.side) != one.side:
                yield (
                    f"{key}.hex",
                    f"enemies of {one.name} stand in the same hex",
                    "give each side hexes of its own",
                )
            if one.type is not None and (one.side, one.type) not in kinds:
                known = ", ".join(name for side, name in sorted(kinds) if side == one.side)
                yield f"{key}.type", f"no {one.side} type {one.type!r}", f"there are {known}"
            if one.type is None and bool(one.factors) != bool(one.range):
                yield key, "artillery needs both factors and range", "give both, or a type"
            if one.pocket is not None and one.side != "US":
                yield (
                    f"{key}.pocket",
                    "only the US value changes with a Pocket Supply Source",
                    "leave it out",
                )


def stage(form: WarScenario, staging: Staging, parts: Parts) -> None:
    """Stage a scenario: a mission for each side that has artillery, and every unit on the map."""
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
    ground = GroundMap(tuple((one.hex, one) for one in form.hex), Cell(form.terrain), form.stacking)
    flies = form.weather in ("clear", options["air_weather"]) and not form.night
    for side in SIDES:
        if any(one.side == side and one.is_artillery for one in form.unit):
            _stage_asset(form, staging, side, ground, charts["artillery_types"].types, flies=flies)
    for one in form.unit:
        men = one.steps * charts["numbers"]["men_per_step"]
        staging.unit(
            one.name, one.side, one.hex, strength=men, slot=setup.Body(steps=one.steps), facts=one
        )


def _notes(form: WarScenario, *, thaw: bool) -> Iterator[str]:
    """Yield what the figures of a scenario rest on."""
    if any(one.type is not None for one in form.unit):
        yield "factors and ranges taken from the type chart are reconstructed values"
    yield "retreat: any adjacent hex that can be entered, holds no enemy and has room (11.7 is not in the text)"
    yield "lines of sight are the scenario's own; a neighbouring hex is always seen (8.4.0 is not in the text)"
    if form.trucks is not None:
        yield "the German Transport Table is reconstructed; it is rolled on before each Barrage Segment"
    if form.weather == "thaw" and not thaw:
        yield "thaw: its optional modifier to depletion rolls is not played; the option thaw brings it in"


def _armed(one: UnitEntry, kind: ArtilleryType | None) -> UnitEntry:
    """Return an artillery unit with the factors and range of its type where it has none of its own."""
    if kind is None:
        return one
    rocket = one.rocket or kind.weapon == "rocket"
    return attrs.evolve(
        one, factors=one.factors or kind.factors, range=one.range or kind.range_hexes, rocket=rocket
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
    """Stage what a side brings: its artillery, everybody who may observe, its ammunition."""
    name, own = side.lower(), [one for one in form.unit if one.side == side]
    enemy = [one for one in form.unit if one.side != side]
    guns = [one for one in own if one.is_artillery]
    observers = tuple(
        setup.ObservingUnit(
            one.name, one.under, one.mode, breakdown=one.breakdown, sees=one.sees, hex=one.hex
        )
        for one in own
    )
    target = form.target if side == form.active[0] else enemy[0].hex
    staging.mission(
        name, "observers", facts=setup.Lookouts(units=observers), side=side, target=target
    )
    staging.mission(name, "resolution", facts=setup.Firing(night=form.night, ground=ground))
    brought = setup.Artillery(
        side,
        tuple(_armed(one, kinds.get((side, one.type or ""))) for one in guns),
        observers,
        form.command(side),
        depletion=form.depletion.get(side),
        trucks=form.trucks if side == "GE" else None,
        ground=ground,
        air=flies,
        on_road=tuple(one.name for one in enemy if one.on_road),
    )
    depleted = tuple(sorted(one.name for one in guns if one.depleted))
    staging.mission(name, "requests", setup.Fired(depleted=depleted), brought)
