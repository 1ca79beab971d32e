"""The form of a Red Poppies scenario file: its tables, fields and checks.

``staging`` stages a scenario from it.
"""

import datetime as dt
import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

import attrs

from fireplan_core import ScenarioFile
from fireplan_core.files import Complaint, entry, flag, repeated, unknown_values, unparsed_texts
from fireplan_core.space import parse_vertex
from fireplan_red_poppies.ground import LAYOUTS, ScenarioMap, block
from fireplan_red_poppies.troops import UNIT_KINDS, read_face

ModeName = Literal["aircraft", "flare", "runner", "telephone", "trench_set"]
Toward = Literal["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
HexSide = Literal["N", "NE", "SE", "S", "SW", "NW"]
Feature = Literal[
    "village", "trench", "blockhouse", "craters", "woods", "light_woods", "wheat", "quarry"
]
Transport = Literal["mules", "wagons", "trucks"]
ONE_HEX = "a hex, such as N18"
AREA = "hexes: N18, 'row 19', 'rows 1-19', 'column P', 'row 19 from O to X', 'all'"
GAS_SINCE = dt.date(1915, 9, 1)
"""The first date on which groups may fire gas (7.51)."""

HEXES_OF_A_SIDE = 2


@attrs.frozen(kw_only=True)
class BoardEntry:
    """The part of the map in play (2.2)."""

    map: Literal["one", "two"] = entry(
        "one: columns A to AZ; two: volume 3, where AK to AZ lie west of A", "one"
    )
    west: str = entry("the westernmost column in play", "A")
    east: str = entry("the easternmost column in play", "AD")
    north: int = entry("the northernmost row in play", 1, range=(1, 34))
    south: int = entry("the southernmost row in play", 34, range=(1, 34))
    no_mans_land: tuple[str, ...] = entry(
        "the ground between the trench lines (8.5), as " + AREA, ()
    )


@attrs.frozen(kw_only=True)
class SideEntry:
    """One of the two sides; questions are about the fire of the first side in the file."""

    name: str = entry("the name of the side", example="french")
    central: bool = flag("whether the side is one of the Central Powers (5.11)")
    commands: int = entry(
        "the commands that it gives in a turn to troops not in the file", 0, range=(0, 20)
    )
    infiltrates: bool = flag("whether all its troops use infiltration tactics (3.6, 5.12)")
    high_ground: bool = flag("whether it controls the highest level of the map (7.242)")
    setup: tuple[str, ...] = entry("its set-up area (7.11, 7.13), as " + AREA, ())


@attrs.frozen(kw_only=True)
class HexEntry:
    """Hexes with the same terrain: their features and levels."""

    at: tuple[str, ...] = entry(AREA, example='["N18"]')
    holds: tuple[Feature, ...] = entry("the terrain in them", ())
    level: int = entry("their highest level", 0, range=(0, 9))
    base: int | None = entry(
        "their lowest level, where a contour runs through them (4.52)", None, range=(0, 9)
    )


def _corner(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"\s*(-?[0-9]{1,4})\s+(-?[0-9]{1,4})\s*", text)
    if match is None:
        raise ValueError(
            f"expected a corner as two whole numbers in hundredths, such as '50 100', got {text!r}"
        )
    return int(match[1]), int(match[2])


@attrs.frozen(kw_only=True)
class DrawingEntry:
    """The shape of a feature within one hex, where it affects lines of sight (4.42)."""

    at: str = entry("the hex", example="P22")
    kind: Literal["woods", "light_woods", "wheat", "contour"] = entry(
        "the feature", example="woods"
    )
    level: int = entry("for a contour, the level that it marks", 0, range=(0, 9))
    points: tuple[tuple[int, int], ...] = entry(
        "corners as 'east south' in hundredths: 100 0 is the hex's east corner, 50 100 its south-east corner",
        example='["0 0", "50 100"]',
        parse=_corner,
    )


@attrs.frozen(kw_only=True)
class SideOfHexEntry:
    """A feature along hex sides (8.04)."""

    kind: Literal["wire", "stream", "bridge", "shore", "bomb_stop", "road", "green"] = entry(
        "the feature; a shore cannot be crossed, green is interior woods (8.9)", example="wire"
    )
    at: tuple[str, ...] = entry(AREA, example='["row 18"]')
    sides: tuple[HexSide, ...] = entry("the sides of those hexes", example='["N"]')


@attrs.frozen(kw_only=True)
class ControlEntry:
    """Hexes that a side still controls after leaving them, e.g. from the last scenario (3.9)."""

    side: str = entry("the side", example="french")
    at: tuple[str, ...] = entry(AREA, example='["N18"]')


@attrs.frozen(kw_only=True)
class TransportEntry:
    """A side's transport groups of one kind (6.81)."""

    side: str = entry("the side", example="french")
    kind: Transport = entry(
        "mules go anywhere, wagons not into craters, trucks by road (6.84)", example="trucks"
    )
    groups: int = entry("the number of groups", 1, range=(1, 20))


@attrs.frozen(kw_only=True)
class HallowedEntry:
    """A hex hallowed before this scenario, in which no other hex can be hallowed (6.679)."""

    side: str = entry("the side", example="french")
    at: str = entry("the hex", example="N18")


def _values(face: str) -> Any:
    order = "firepower/range/melee/cohesion/movement, then /anti-tank if printed; melee [3] boxed, _3 underlined"
    return entry(f"your counter's {face} side: {order} (3.11)", None, example="1/1/3/8/3")


@attrs.frozen(kw_only=True)
class UnitEntry:
    """Units of one kind, one in each of the hexes (write a hex twice for two units)."""

    name: str = entry(
        "the name of the units, numbered: guard.1, guard.2 and so on", example="guard"
    )
    side: str = entry("the side", example="german")
    kind: str = entry("a row of units.csv: " + ", ".join(UNIT_KINDS), example="machine_guns")
    at: tuple[str, ...] = entry("a hex for each unit", example='["P12"]')
    formed: bool = flag("whether the units are formed, not dispersed (3.2, 6.3)")
    inside: Literal["", "trench", "blockhouse", "outside"] = entry(
        "the works they are IN (8.02); if left out, guns and infantry are IN the trench of their hex (8.322)",
        "",
    )
    cohesion: int | None = entry(
        "the cohesion of both faces, if not as printed", None, range=(2, 12)
    )
    formed_values: str | None = _values("formed")
    dispersed_values: str | None = _values("dispersed")
    strength: int = entry(
        "men in each unit; the weight of its losses in the odds", 100, range=(1, 2000)
    )


@attrs.frozen(kw_only=True)
class GroupEntry:
    """An off-map artillery group (2.4, 7.0)."""

    name: str = entry("the name of the group", example="75s")
    side: str = entry("the side", example="french")
    firepower: int = entry("firepower (7.0)", range=(1, 12), example=3)
    mode: ModeName = entry("its mode of transmission (7.21)", example="telephone")
    howitzers: bool = flag("whether it has howitzers, against which trenches help less (8.321)")
    target: str = entry("the vertex it is to fire at", example="N18/N19/O19")
    preregistered: str | None = entry("its preregistered vertex (7.3)", None)
    observer: str | None = entry("the company with the trench set (7.21)", None)
    shells: tuple[Literal["gas", "smoke"], ...] = entry(
        "the shells it may fire besides high explosive (7.51, 7.52)", ()
    )
    cross_hair: str | None = entry("a vertex carried over (11.32)", None)
    hour_glass: int = entry(
        "for a carried cross hair, the turn that primes it; 0 if it is primed", 0, range=(0, 12)
    )
    by_runner: bool = flag("whether the carried call was made by runner (7.21)")
    loaded: Literal["high_explosive", "gas", "smoke"] = entry(
        "the shells of the carried call (7.51, 7.52)", "high_explosive"
    )

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the shells to choose from at a call; () for high explosive only (7.51, 7.52)."""
        return ("high_explosive", *self.shells) if self.shells else ()


@attrs.frozen(kw_only=True)
class BombardmentEntry:
    """A preliminary bombardment before turn 1 (7.11)."""

    name: str = entry("its name", "bombardment")
    side: str = entry("the side that fires it", example="french")
    kind: Literal["pulverizing", "paralyzing"] = entry("its kind", example="pulverizing")
    at: tuple[str, ...] = entry(AREA + "; if left out, the enemy's set-up area (7.11)", ())


@attrs.frozen(kw_only=True)
class BarrageEntry:
    """A creeping barrage (7.4)."""

    name: str = entry("its name", "barrage")
    side: str = entry("the side that fires it", example="french")
    line: tuple[str, ...] = entry("its first row, column or area, as " + AREA, example='["row 19"]')
    toward: Toward = entry(
        "the direction it moves: N or S for a row, E or W for a column", example="N"
    )
    advances: int | None = entry(
        "number of lines that it advances; if left out, to the edge of play", None, range=(1, 60)
    )
    first_turn: int = entry("the turn in which it begins", 1, range=(1, 60))


@attrs.frozen(kw_only=True)
class RedPoppiesScenario(ScenarioFile):
    """A scenario: two sides, the ground, troops, groups and massed fire."""

    date: dt.date = entry("the day", example="1917-10-23")
    board: BoardEntry = entry("the part of the map in play", attrs.Factory(BoardEntry))
    side: tuple[SideEntry, ...] = entry("the two sides")
    unit: tuple[UnitEntry, ...] = entry("the troops", ())
    group: tuple[GroupEntry, ...] = entry("off-map artillery groups", ())
    bombardment: tuple[BombardmentEntry, ...] = entry("bombardments before turn 1", ())
    barrage: tuple[BarrageEntry, ...] = entry("creeping barrages", ())
    hex: tuple[HexEntry, ...] = entry("terrain in the hexes", ())
    drawing: tuple[DrawingEntry, ...] = entry("shapes of features within hexes", ())
    hexside: tuple[SideOfHexEntry, ...] = entry("features along hex sides", ())
    control: tuple[ControlEntry, ...] = entry("hexes controlled outside the set-up area (3.9)", ())
    transport: tuple[TransportEntry, ...] = entry("transport groups, if units move in play", ())
    hallowed: HallowedEntry | None = entry("hallowed ground, if any (6.679)", None)
    moves: bool = flag("whether units move in play (odds then take much longer)")
    night: bool = flag("whether it is night (5.12, 4.8)")
    precipitation: bool = flag("whether it rains or snows (4.8)")
    bombarded: bool = flag("whether an earlier bombardment still makes signals worse (7.14)")
    notes: tuple[str, ...] = entry("assumptions to print with the results", ())

    @property
    def ground(self) -> ScenarioMap:
        """Return the part of the map in play, without terrain."""
        layout = LAYOUTS[self.board.map]
        first = layout.first_q
        west, east = (
            layout.columns.index(name) + first for name in (self.board.west, self.board.east)
        )
        return ScenarioMap(layout, (west, east), (self.board.north, self.board.south))

    def check(self) -> Iterator[Complaint]:
        """Yield the file's faults: unknown or repeated names, invalid labels, group conflicts."""
        columns = LAYOUTS[self.board.map].columns
        missing = [key for key in ("west", "east") if getattr(self.board, key) not in columns]
        yield from (
            (f"board.{key}", "there is no such column", f"{columns[0]} to {columns[-1]}")
            for key in missing
        )
        if len(self.side) != HEXES_OF_A_SIDE:
            yield (
                "side",
                f"the file has {len(self.side)} sides and needs two",
                "write [[side]] twice",
            )
        names = [side.name for side in self.side]
        yield from unknown_values(
            self, names, "side", "unit", "group", "bombardment", "barrage", "control", "transport"
        )
        yield from unknown_values(self, tuple(UNIT_KINDS), "kind", "unit")
        if self.hallowed is not None and self.hallowed.side not in names:
            yield (
                "hallowed.side",
                f"there is no side {self.hallowed.side}",
                f"one of {', '.join(names)}",
            )
        yield from repeated(self, "unit", "group", "bombardment", "barrage")
        yield from self._places()
        yield from self._groups()

    def _places(self) -> Iterator[Complaint]:
        layout = LAYOUTS[self.board.map]
        areas, one_hex = partial(block, layout), (layout.parse, ONE_HEX)
        vertex = (partial(parse_vertex, layout=layout), "a vertex, such as N18/N19/O19")
        yield from unparsed_texts("board.no_mans_land", self.board.no_mans_land, areas, AREA)
        for table, key, parse, hint in (
            ("side", "setup", areas, AREA),
            ("bombardment", "at", areas, AREA),
            ("barrage", "line", areas, AREA),
            ("hex", "at", areas, AREA),
            ("hexside", "at", areas, AREA),
            ("control", "at", areas, AREA),
            ("unit", "at", *one_hex),
            ("drawing", "at", *one_hex),
            ("group", "target", *vertex),
            ("group", "preregistered", *vertex),
            ("group", "cross_hair", *vertex),
        ):
            for number, row in enumerate(getattr(self, table)):
                value = getattr(row, key)
                texts = value if isinstance(value, tuple) else (value,)
                yield from unparsed_texts(f"{table}[{number}].{key}", texts, parse, hint)
        for number, unit in enumerate(self.unit):
            for key in ("formed_values", "dispersed_values"):
                faces = [text for text in (getattr(unit, key),) if text is not None]
                yield from unparsed_texts(
                    f"unit[{number}].{key}", faces, read_face, "such as 1/1/3/8/3"
                )
        if self.hallowed is not None:
            yield from unparsed_texts("hallowed.at", (self.hallowed.at,), *one_hex)

    def _groups(self) -> Iterator[Complaint]:
        sets: dict[str, str] = {}
        for number, group in enumerate(self.group):
            key = f"group[{number}]"
            if group.mode == "trench_set" and group.observer is None:
                yield key, "a trench set needs a designated company (7.21)", "add observer"
            elif group.mode == "trench_set":
                designated = sets.setdefault(group.side, group.observer or "")
                if designated != group.observer:
                    yield (
                        f"{key}.observer",
                        "one company observes for all trench sets of a side (7.21)",
                        f"write {designated}",
                    )
            if group.cross_hair is None and (
                group.by_runner or group.hour_glass or group.loaded != "high_explosive"
            ):
                yield (
                    key,
                    "by_runner, hour_glass and loaded need a cross hair carried over (11.32)",
                    "add cross_hair",
                )
            if group.loaded not in ("high_explosive", *group.shells):
                yield (
                    f"{key}.loaded",
                    f"the group may not fire {group.loaded} (7.51, 7.52)",
                    "add it to shells",
                )
            if "gas" in group.shells and self.date < GAS_SINCE:
                yield (
                    f"{key}.shells",
                    "there was no gas before September 1915 (7.51)",
                    "leave gas out",
                )
